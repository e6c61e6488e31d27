// The mechanisms of the library for two categories: the promise of each, and its exact law at every dataset. Their list
// and their descriptions come from the library's own table (table.js, written when the book is built).
//
// A dataset is (x, n − x), named by its first count x. A law is a table of log probabilities: r is released at x with
// probability exp(log[x * (n + 1) + r]). A setting is a plain object whose fields are the knobs of explorer.js.
"use strict";

dpbi.mechanisms = (() => {
  const { u, distance, distances, distancesFrom, latest, logOneMinus } = dpbi.special;

  const PRINTED_SENSITIVITY = Math.sqrt(1 - Math.PI / 4);
  // γ₀, an upper bound on the change of 1/LS between neighbours, for two categories
  const SLOPE = 1 / Math.sqrt(1 - Math.sqrt(Math.PI) / 2) - 1;

  // Sensitivities. The edge p connects (p, n − p) and (p + 1, n − 1 − p); its length is
  // F(u(α₁ + p) + u(α₂ + n − 1 − p)).

  const edges = latest((first, second, n) =>
    Float64Array.from({ length: n }, (_, p) => distance(u(first + p) + u(second + (n - 1 - p)))),
  );
  const edgesOf = ({ first, second, n }) => edges(first, second, n);

  function localSensitivity(setting, x) {
    const edge = edgesOf(setting);
    return Math.max(edge[x - 1] ?? 0, edge[x] ?? 0);
  }

  function globalSensitivity(setting) {
    const edge = edgesOf(setting);
    return Math.max(edge[0], edge[setting.n - 1]); // the exponent is convex in p
  }

  // the largest edge after a discount for its distance from x, which the nearest or farthest edge on one side attains
  function smooth(setting, x, discounted) {
    const edge = edgesOf(setting);
    const last = setting.n - 1;
    let best = 0;
    for (const pair of [x - 1, x, 0, last]) {
      const p = Math.min(Math.max(pair, 0), last);
      best = Math.max(best, discounted(edge[p], p >= x ? p - x : x - 1 - p));
    }
    return best;
  }

  const reciprocalSmooth = (setting, x) => smooth(setting, x, (s, moved) => s / (1 + setting.gamma * moved * s));

  function exponentialSmooth(setting, x) {
    const beta = smoothness(setting);
    return smooth(setting, x, (s, moved) => s * Math.exp(-beta * moved));
  }

  // β as printed for M_H, where n + 1 stands for every number of categories
  const smoothness = ({ epsilon, delta, n }) => Math.log1p(-epsilon / (2 * Math.log(delta / (2 * (n + 1)))));

  // κ, the largest change of 1/S between neighbours
  function reciprocalJump(setting) {
    let jump = 0;
    let before = 1 / exponentialSmooth(setting, 0);
    for (let x = 1; x <= setting.n; x++) {
      const here = 1 / exponentialSmooth(setting, x);
      jump = Math.max(jump, Math.abs(here - before));
      before = here;
    }
    return jump;
  }

  // Laws. Each function of a setting returns a function that writes the row of a dataset x, the log probabilities of r.
  // The distances H(x, r) are passed to the mechanisms that use them.

  // Pr[r] ∝ exp(−λ(x) H(x, r))
  const exponential = (rate) => (setting) => (x, row, H) => {
    const lambda = rate(setting, x);
    let others = 0;
    for (let r = 0; r < row.length; r++) {
      row[r] = -lambda * H[r];
      if (r !== x) others += Math.exp(row[r]);
    }
    const normaliser = Math.log1p(others); // the dataset itself has weight 1
    for (let r = 0; r < row.length; r++) row[r] -= normaliser;
  };

  // Integer noise of rate γ = ε / scale. Its weights fall by the factor r = e^(−γ) from period to period. Within a
  // period they are the powers of r that the pattern lists, for the noise 0, 1, ... and for the noise −1, −2, ...
  function noiseAt({ upper, lower }, rate) {
    const width = upper.length;
    const [up, down] = [upper, lower].map((side) => side.map((power) => Math.exp(-rate * power)));
    const total = (side) => side.reduce((sum, weight) => sum + weight, 0);
    const step = -Math.expm1(-rate);
    const whole = Math.log(total(up) + total(down));
    // log probability of the noise at place t of the first period and of all noise beyond it
    const tails = (side) =>
      side.map((_, t) => Math.log(total(side.slice(t)) * step + total(side) * Math.exp(-rate)) - whole);
    const points = [upper, lower].map((side) => side.map((power) => Math.log(step) - whole - rate * power));
    const at = (side) => (distance) => side[distance % width] - rate * Math.floor(distance / width);
    const [pointUp, pointDown, above, below] = [...points, tails(up), tails(down)].map(at);
    return {
      point: (move) => (move >= 0 ? pointUp(move) : pointDown(-1 - move)),
      atLeast: (move) => (move >= 0 ? above(move) : logOneMinus(below(-move))),
      atMost: (move) => (move < 0 ? below(-1 - move) : logOneMinus(above(move + 1))),
    };
  }

  // discrete Gaussian noise of precision ε² / scale; its tails are summed from the outside
  function gaussianAt(scale, { n, epsilon }) {
    const precision = (epsilon * epsilon) / scale;
    const reach = n + 2 + Math.ceil(39 / Math.sqrt(precision));
    const tails = new Float64Array(reach + 1).fill(-Infinity); // log of the sum of the weights of z, z + 1, ...
    for (let z = reach - 1; z >= 0; z--) {
      const here = (-precision * z * z) / 2;
      tails[z] = here + Math.log1p(Math.exp(tails[z + 1] - here));
    }
    const total = Math.log(2 * Math.exp(tails[0]) - 1);
    const atLeast = (move) => (move > 0 ? tails[move] - total : logOneMinus(tails[1 - move] - total));
    return { point: (move) => (-precision * move * move) / 2 - total, atLeast, atMost: (move) => atLeast(-move) };
  }

  // a noisy count clamped to 0..n
  const noise = (of) => (setting) => {
    const { n } = setting;
    const { point, atLeast, atMost } = of(setting);
    return (x, row) => {
      for (let r = 1; r < n; r++) row[r] = point(r - x);
      row[0] = atMost(-x);
      row[n] = n ? atLeast(n - x) : 0;
    };
  };

  // Permute and flip: Pr[r] = p(r) ∫ ∏ (1 − p(s) t) dt over s ≠ r from 0 to 1, p = exp(−λH). The product may fall
  // steeply at both ends, so the integral is computed by tanh-sinh quadrature: t = 1 / (1 + e^(−w)), w = π sinh v,
  // equal steps of v. The result replaces the row, which holds ln p.
  const [STEPS, FARTHEST] = [16, 4]; // nodes per unit of v, and the largest |v|
  function flip(row, own) {
    const p = row.map(Math.exp);
    const lacks = row.map(Math.expm1);
    const shares = new Float64Array(row.length);
    for (let node = -FARTHEST * STEPS; node <= FARTHEST * STEPS; node++) {
      const w = Math.PI * Math.sinh(node / STEPS);
      const [t, rest] = [1 / (1 + Math.exp(-w)), 1 / (1 + Math.exp(w))]; // rest is 1 − t
      const weight = (t * rest * Math.PI * Math.cosh(node / STEPS)) / STEPS;
      let common = weight;
      for (let r = 0; r < row.length; r++) if (r !== own) common *= p[r] * rest - lacks[r]; // 1 − p(r) t
      if (common === 0) continue;
      for (let r = 0; r < row.length; r++) {
        shares[r] += r === own ? common : (common * rest) / (p[r] * rest - lacks[r]);
      }
    }
    for (let r = 0; r < row.length; r++) row[r] += Math.log(shares[r]);
  }

  const flips = (setting) => {
    const lambda = setting.n ? setting.epsilon / (2 * globalSensitivity(setting)) : 0;
    return (x, row, H) => {
      for (let r = 0; r < row.length; r++) row[r] = -lambda * H[r];
      flip(row, x);
    };
  };

  // Randomised response: the truth is reported with odds p to q = e^ε to one. The sum of two binomial counts has the
  // generating function f = (q + pz)^x (p + qz)^(n − x), (q + pz)(p + qz) f′ = (xp(p + qz) + (n − x)q(q + pz)) f, so
  //     pq(r + 1) f_(r+1) = (xp² + (n − x)q² − (p² + q²)r) f_r + pq(n − r + 1) f_(r−1).
  // The recursion runs upwards while the bracket is positive, and downwards from the other end: all terms are positive.
  function channel({ n, epsilon }) {
    const truth = -Math.log1p(Math.exp(-epsilon));
    const other = truth - epsilon;
    const odds = Math.exp(-epsilon); // q/p; both sides of the recursion are divided by p²
    return (x, row) => {
      const bracket = (r) => x + (n - x) * odds * odds - (1 + odds * odds) * r;
      row[0] = x * other + (n - x) * truth;
      row[n] = x * truth + (n - x) * other;
      let ratio = Infinity; // of a term to the previous term
      for (let r = 0; r + 1 < n && bracket(r) >= 0; r++) {
        ratio = (bracket(r) + (odds * (n - r + 1)) / ratio) / (odds * (r + 1));
        row[r + 1] = row[r] + Math.log(ratio);
      }
      ratio = Infinity;
      for (let r = n; r - 1 > 0 && bracket(r - 1) < 0; r--) {
        ratio = (-bracket(r) + (odds * (r + 1)) / ratio) / (odds * (n - r + 1));
        row[r - 1] = row[r] + Math.log(ratio);
      }
    };
  }

  const ehdScale = (setting) => (setting.sensitivity === "printed" ? PRINTED_SENSITIVITY : globalSensitivity(setting));
  const proved = ({ epsilon, divisor }, slope) => ((2 + slope) * epsilon) / divisor;

  // The rates of the exponential mechanisms, by their names in the table. The promise is proved for every prior and n,
  // the guarantee for this prior and this n; both are null where nothing is proved.
  const RATES = {
    global: {
      promise: (s) => (s.sensitivity === "printed" ? null : s.epsilon),
      guarantee: (s) => (ehdScale(s) >= globalSensitivity(s) * (1 - 1e-14) ? s.epsilon : null),
      rate: (s) => s.epsilon / (2 * ehdScale(s)),
    },
    local: {
      promise: () => null,
      guarantee: (s) => ((SLOPE + 2 / (1 + SLOPE)) * s.epsilon) / 2,
      rate: (s, x) => s.epsilon / (2 * localSensitivity(s, x)),
    },
    reciprocal: {
      promise: (s) => Math.max(s.epsilon, proved(s, s.gamma)),
      guarantee: (s) => proved(s, Math.min(s.gamma, SLOPE)),
      rate: (s, x) => s.epsilon / (s.divisor * reciprocalSmooth(s, x)),
      smooth: reciprocalSmooth,
    },
    smooth: {
      promise: () => null,
      guarantee: (s) => proved(s, reciprocalJump(s)),
      rate: (s, x) => s.epsilon / (s.divisor * exponentialSmooth(s, x)),
    },
  };

  // The mechanism that a pattern of the table describes. One replaced record changes the count by one, and one answer.
  function described(pattern) {
    if (pattern.rate) return { ...RATES[pattern.rate], writer: exponential(RATES[pattern.rate].rate), distant: true };
    const kept = (s) => s.epsilon;
    if (pattern.flip) return { promise: kept, guarantee: kept, writer: flips, distant: true };
    const none = () => null; // discrete Gaussian noise promises a rho and no epsilon
    if (pattern.gaussian) return { promise: none, guarantee: none, writer: noise((s) => gaussianAt(pattern.scale, s)) };
    const scale = pattern.scale ?? 1;
    const writer = pattern.channel ? channel : noise((s) => noiseAt(pattern, s.epsilon / scale));
    return { promise: kept, guarantee: (s) => s.epsilon / scale, writer };
  }

  const ALL = {};
  for (const [name, { about, pattern }] of Object.entries(dpbi.table.mechanisms)) {
    ALL[name] = { about, ...pattern, pattern, ...described(pattern) };
  }

  // the laws of all datasets; the table is overwritten by the next call
  let table = new Float64Array(0);
  function laws(setting) {
    const size = setting.n + 1;
    if (table.length < size ** 2) table = new Float64Array(size ** 2);
    const { writer, distant } = ALL[setting.mechanism];
    const write = writer(setting);
    const H = distant ? distances(setting.first, setting.second, setting.n) : null;
    const rowOf = (whole, x) => whole?.subarray(x * size, (x + 1) * size);
    for (let x = 0; x < size; x++) write(x, rowOf(table, x), rowOf(H, x));
    return table;
  }

  // the law of one dataset alone, at any number of records, and the distances of its outputs
  function law(setting, x = setting.x) {
    const logs = new Float64Array(setting.n + 1);
    const H = distancesFrom(setting.first, setting.second, setting.n, x);
    ALL[setting.mechanism].writer(setting)(x, logs, H);
    return { logs, distances: H };
  }

  return { ALL, PRINTED_SENSITIVITY, noiseAt, gaussianAt, laws, law, localSensitivity, globalSensitivity };
})();
