// Three categories: the law of EHD and of noise mechanisms at one dataset, over all outputs, and the distances.
//
// A dataset is [x₁, x₂, x₃] with the sum n; a setting has `prior` and `counts` besides the fields of explorer.js. Noise
// on the first two counts needs twice the scale that it needs for two categories, and the total can differ from n.
"use strict";

dpbi.simplex = (() => {
  const { u, distance, logOneMinus } = dpbi.special;
  const { noiseAt, gaussianAt } = dpbi.mechanisms;

  const PLACES = [0, 1, 2];
  const total = (counts) => counts.reduce((sum, count) => sum + count, 0);

  // all datasets of n records, in ascending order, as the library lists them
  function lattice(n) {
    const found = [];
    for (let a = 0; a <= n; a++) for (let b = 0; b <= n - a; b++) found.push([a, b, n - a - b]);
    return found;
  }

  // D(a, b) of one category, for the posterior weights a and b; special.js derives its steps
  function gap(weight, from, to) {
    const [low, high] = [Math.min(from, to), Math.max(from, to)];
    const a = weight + low;
    let value = (high - low) % 2 ? u(a) : 0;
    for (let m = (high - low) % 2; m + 2 <= high - low; m += 2) {
      const [h, c] = [m / 2, a + m / 2];
      const [p, q] = [h / c, (h + 1) / c];
      value += Math.log1p(p + q + p * q) / 2;
    }
    return value;
  }

  // H from the posterior of the counts to those of the outputs; if the totals differ, their gap is subtracted
  function distancesFrom({ prior, counts }, outputs) {
    const n = total(counts);
    const tables = PLACES.map((i) => Array.from({ length: n + 1 }, (_, r) => gap(prior[i], counts[i], r)));
    const weight = total(prior);
    const wider = new Map();
    return outputs.map((r) => {
      const sum = total(r);
      if (!wider.has(sum)) wider.set(sum, gap(weight, n, sum));
      return distance(Math.max(PLACES.reduce((v, i) => v + tables[i][r[i]], 0) - wider.get(sum), 0));
    });
  }

  const globalSensitivity = ({ prior }) => {
    const [first, second] = prior.map(u).sort((a, b) => b - a);
    return distance(first + second);
  };

  // A law is { outputs, logs }.
  const logSum = (logs) => {
    const top = logs.reduce((most, value) => Math.max(most, value), -Infinity);
    return top === -Infinity ? top : top + Math.log(logs.reduce((sum, log) => sum + Math.exp(log - top), 0));
  };

  // EHD: weights e^(−εH / (2 GS))
  function exponential(setting) {
    const outputs = lattice(total(setting.counts));
    const lambda = setting.epsilon / (2 * globalSensitivity(setting));
    const logs = distancesFrom(setting, outputs).map((H) => -lambda * H);
    const normaliser = logSum(logs);
    return { outputs, logs: logs.map((log) => log - normaliser) };
  }

  // noise on the first two counts, each of which is clamped to 0..n
  const inBox = (noise) => (setting) => {
    const n = total(setting.counts);
    const { point, atLeast, atMost } = noise({ n, epsilon: setting.epsilon });
    const kept = setting.counts.slice(0, 2).map((x) =>
      Array.from({ length: n + 1 }, (_, r) => (r === 0 ? atMost(-x) : r === n ? atLeast(n - x) : point(r - x))),
    );
    const [outputs, logs] = [[], []];
    for (let a = 0; a <= n; a++) {
      for (let b = 0; b <= n; b++) {
        outputs.push([a, b, Math.max(n - a - b, 0)]);
        logs.push(kept[0][a] + kept[1][b]);
      }
    }
    return { outputs, logs };
  };

  // Noise on the zero-sum lattice, Pr[v] = e^(−ε|v|₁/2) / Z. Its entries are clamped to 0..n: the clamped vector c has
  // probability K(c) e^(−ε|c − x|₁/2) / Z, and the nearest counts with the sum n are released.
  function onLattice({ counts, epsilon }) {
    const n = total(counts);
    const log1 = logOneMinus(-epsilon);
    const normaliser = Math.log(1 + 4 * Math.exp(-epsilon) + Math.exp(-2 * epsilon)) - 2 * log1;
    const outputs = lattice(n);
    const place = ([a, b]) => a * (n + 1) - (a * (a - 1)) / 2 + b; // index in the list of all datasets
    const sums = outputs.map(() => []);
    const moved = [...outputs];
    for (let a = 1; a <= n; a++) {
      for (let b = n - a + 1; b <= n; b++) moved.push([a, b, 0], [a, 0, b], [0, a, b]);
    }
    for (const c of moved) {
      const steps = PLACES.reduce((sum, i) => sum + Math.abs(c[i] - counts[i]), 0);
      const log = reached(c, n, epsilon, log1) - normaliser - (epsilon / 2) * steps;
      sums[place(nearest(c, n))].push(log);
    }
    return { outputs, logs: sums.map(logSum) };
  }

  // ln K(c), a sum over the noisy vectors that clamping turns into c: below its entries 0 and above its entries n
  function reached(c, n, epsilon, log1) {
    const excess = total(c) - n;
    const zeros = c.filter((entry) => entry === 0).length;
    const full = c.filter((entry) => entry === n).length;
    if (zeros === 0) return 0;
    const [b, a] = [zeros - 1, full - 1];
    if (full === 0) return (b ? Math.log(excess + 1) : 0) - (epsilon / 2) * excess;
    const choose = (m, j) => (j === 0 || j === m ? 1 : j > m ? 0 : m); // m is at most 2 and j at most 1 here
    const ways = (parts) => (excess > 0 ? (parts ? excess : 1) : Number(parts === 0));
    const terms = [];
    for (let i = 0; i <= b; i++) {
      for (let j = 0; j <= Math.min(a, i); j++) {
        const count = ways(b - i) * choose(a, j) * choose(i, j);
        if (count) terms.push(Math.log(count) - epsilon * j - (a + i + 1) * log1);
      }
    }
    return logSum(terms) - (epsilon / 2) * excess;
  }

  // the nearest counts with the sum n to a vector whose sum is at least n: each entry loses an equal part of the
  // excess, and the first entries lose the remainder
  function nearest(c, n) {
    const excess = total(c) - n;
    const ascending = [...c].sort((one, other) => one - other);
    let [emptied, part] = [0, 0];
    for (let j = 0; j < 3; j++) {
      part = Math.floor((excess - emptied) / (3 - j));
      if (ascending[j] > part) break;
      emptied += ascending[j];
    }
    let rest = excess - c.reduce((sum, entry) => sum + Math.min(entry, part), 0);
    return c.map((entry) => (entry > part ? entry - part - (rest-- > 0 ? 1 : 0) : 0));
  }

  // EHD, lattice noise, and the noise mechanisms that clamp each count to 0..n separately
  function described(name, { pattern, scale_at_three: scale }) {
    if (name === "ehd") return exponential;
    if (name === "lattice_laplace") return onLattice;
    return inBox((s) => (pattern.gaussian ? gaussianAt(scale, s) : noiseAt(pattern, s.epsilon / scale)));
  }
  const shown = ([name, { scale_at_three }]) => name === "ehd" || (scale_at_three && name !== "laplace_in_order");
  const entries = Object.entries(dpbi.table.mechanisms).filter(shown);
  const LAWS = Object.fromEntries(entries.map(([name, entry]) => [name, described(name, entry)]));

  const NOTHING = { outputs: [[0, 0, 0]], logs: [0] }; // the law of a dataset without records
  function law(setting) {
    const { outputs, logs } = total(setting.counts) ? LAWS[setting.mechanism](setting) : NOTHING;
    return { outputs, logs, distances: distancesFrom(setting, outputs) };
  }

  return { lattice, law, NAMES: Object.keys(LAWS) };
})();
