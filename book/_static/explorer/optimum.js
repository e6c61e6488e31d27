// The best private mechanism for two categories that publishes the posterior of a possible count. A remap replaces an
// output by another and costs no privacy. The best remap replaces an output z by the s that is closest in expectation,
//     s(z) = argmin J(s),   J(s) = Σ p_x H(x, s),   p_x ∝ w_x Pr[z | x].
// After the geometric mechanism it has the least expected error of all private mechanisms that publish such posteriors.
"use strict";

dpbi.optimum = (() => {
  const { distances, latest } = dpbi.special;
  const { laws } = dpbi.mechanisms;

  const LISTED = 500; // with at most this many records, a table lists all datasets and outputs

  // log probabilities of all datasets under the prior
  const datasets = latest((first, second, n) => {
    const logs = new Float64Array(n + 1);
    // the log ratio of a category's factors at the counts x + 1 and x, by the branch that loses no digits
    const grows = (weight, x) =>
      (weight + x) / (x + 1) > 0.5 ? Math.log1p((weight - 1) / (x + 1)) : Math.log((weight + x) / (x + 1));
    for (let x = 0; x < n; x++) logs[x + 1] = logs[x] + grows(first, x) - grows(second, n - x - 1);
    const top = logs.reduce((most, value) => Math.max(most, value), -Infinity);
    const sum = logs.reduce((whole, value) => whole + Math.exp(value - top), 0);
    return logs.map((value) => value - top - Math.log(sum));
  });
  const datasetsOf = ({ first, second, n }) => datasets(first, second, n);

  // the best remap of a mechanism, by a table of all datasets and outputs, and the expected errors with it and without
  const remap = latest((text) => {
    const setting = JSON.parse(text);
    const { first, second, n } = setting;
    const size = n + 1;
    const w = datasetsOf(setting);
    const log = laws(setting);
    const H = distances(first, second, n);
    const targets = new Int32Array(size);
    let [least, before] = [0, 0];
    for (let z = 0; z < size; z++) {
      const p = Float64Array.from({ length: size }, (_, x) => Math.exp(w[x] + log[x * size + z]));
      const J = (s) => p.reduce((sum, weight, x) => sum + weight * H[s * size + x], 0);
      let best = Infinity;
      for (let s = 0; s < size; s++) {
        const here = J(s);
        if (here < best * (1 - 1e-13)) [best, targets[z]] = [here, s]; // ties go to the smallest count
      }
      least += best;
      before += J(z);
    }
    return { targets, expected: least, before };
  });
  // the key has only the fields on which the laws and the search depend, so that no other knob starts a new search
  const remapped = ({ first, second, n, mechanism, epsilon, sensitivity, gamma, delta, divisor }) =>
    remap(JSON.stringify({ first, second, n, mechanism, epsilon, sensitivity, gamma, delta, divisor }));

  return { LISTED, datasets: datasetsOf, remapped };
})();
