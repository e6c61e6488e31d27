// The best private mechanism for two categories that publishes the posterior of a possible count. A remap turns an output
// into another one; it costs no privacy. The best remap of an output z takes the s that is closest in expectation,
//     s(z) = argmin J(s),   J(s) = Σ p_x H(x, s),   p_x ∝ w_x Pr[z | x],
// and that of the geometric mechanism makes the least expected error of all private mechanisms that publish such a posterior.
"use strict";

dpbi.optimum = (() => {
  const { distances, latest } = dpbi.special;
  const { laws } = dpbi.mechanisms;

  const LISTED = 500; // up to so many records all datasets and outputs are listed

  // logarithms of the probabilities of all datasets under the prior
  const datasets = latest((first, second, n) => {
    const logs = new Float64Array(n + 1);
    // how the factor of a category grows from the count x to the next
    const grows = (weight, x) =>
      (weight + x) / (x + 1) > 0.5 ? Math.log1p((weight - 1) / (x + 1)) : Math.log((weight + x) / (x + 1));
    for (let x = 0; x < n; x++) logs[x + 1] = logs[x] + grows(first, x) - grows(second, n - x - 1);
    const top = logs.reduce((most, value) => Math.max(most, value), -Infinity);
    const sum = logs.reduce((whole, value) => whole + Math.exp(value - top), 0);
    return logs.map((value) => value - top - Math.log(sum));
  });
  const datasetsOf = ({ first, second, n }) => datasets(first, second, n);

  // The best s for weights p of the datasets low..high, from a guess on. H rises on either side of x, so J(s′) for s′
  // beyond s is at least the sum of p_x H(x, s) over the x this side of s: the search stops where that excludes the rest.
  function closest(p, low, high, H, guess, n) {
    const sum = (s, from, to) => {
      let J = 0;
      for (let x = from; x <= to; x++) J += p[x - low] * H(x, s);
      return J;
    };
    let [best, least] = [guess, sum(guess, low, high)];
    const begin = least;
    for (const side of [-1, 1]) {
      for (let s = guess + side; s >= 0 && s <= n; s += side) {
        const near = side > 0 ? sum(s, low, Math.min(s, high)) : sum(s, Math.max(s, low), high);
        if (near >= least) break;
        const J = near + (side > 0 ? sum(s, Math.max(s + 1, low), high) : sum(s, low, Math.min(s - 1, high)));
        if (J < least) [best, least] = [s, J];
      }
    }
    return begin <= least * (1 + 1e-13) ? guess : best; // of equally good ones the guess
  }

  // the best remap of a mechanism, by a table over all datasets and outputs, and what is expected of it and without it
  const remap = latest((text) => {
    const setting = JSON.parse(text);
    const { first, second, n } = setting;
    const size = n + 1;
    const w = datasetsOf(setting);
    const log = laws(setting);
    const H = distances(first, second, n);
    const targets = new Int32Array(size);
    const p = new Float64Array(size);
    let [least, before, guess] = [0, 0, 0];
    for (let z = 0; z < size; z++) {
      let top = -Infinity;
      for (let x = 0; x < size; x++) top = Math.max(top, w[x] + log[x * size + z]);
      let [low, high] = [n, 0];
      for (let x = 0; x < size; x++) {
        p[x] = Math.exp(w[x] + log[x * size + z] - top);
        if (p[x] > 0) [low, high] = [Math.min(low, x), x];
      }
      const at = (x, s) => H[s * size + x];
      guess = closest(p.subarray(low, high + 1), low, high, at, z ? guess : 0, n);
      targets[z] = guess;
      let [J, K] = [0, 0];
      for (let x = low; x <= high; x++) [J, K] = [J + p[x] * at(x, guess), K + p[x] * at(x, z)];
      least += Math.exp(top) * J;
      before += Math.exp(top) * K;
    }
    return { targets, expected: least, before };
  });
  // what a mechanism's law and the search depend on, and nothing else
  const remapped = ({ first, second, n, mechanism, epsilon, sensitivity, gamma, delta, divisor }) =>
    remap(JSON.stringify({ first, second, n, mechanism, epsilon, sensitivity, gamma, delta, divisor }));

  // the least expected error of all ε-private mechanisms that publish the posterior of a possible count
  const least = (setting) => remapped({ ...setting, mechanism: "geometric" }).expected;

  return { LISTED, datasets: datasetsOf, remapped, least };
})();
