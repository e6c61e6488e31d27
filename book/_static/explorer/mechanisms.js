// The mechanisms of the library for two categories: what each promises, and its exact law at every dataset. Which there
// are, and what describes each, comes from the library's own table (table.js, written when the book is built).
//
// A dataset is (x, n − x), named by its first count x. A law is a table of logarithms: the probability of releasing r
// at x is exp(log[x * (n + 1) + r]). A setting is a plain object; see explorer.js for its fields.
"use strict";

dpbi.mechanisms = (() => {
  const { u, distance, distances, latest, logOneMinus } = dpbi.special;

  const PRINTED_SENSITIVITY = Math.sqrt(1 - Math.PI / 4);
  // γ₀, more than 1/LS moves between neighbours of two categories
  const SLOPE = 1 / Math.sqrt(1 - Math.sqrt(Math.PI) / 2) - 1;

  // Sensitivities. The pair p is the edge between (p, n − p) and (p + 1, n − 1 − p); its length is
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

  // the best of LS(x′) at the price of getting there: only the nearest and the farthest pair on each side can be best
  function smooth(setting, x, priced) {
    const edge = edgesOf(setting);
    const last = setting.n - 1;
    let best = 0;
    for (const pair of [x - 1, x, 0, last]) {
      const p = Math.min(Math.max(pair, 0), last);
      best = Math.max(best, priced(edge[p], p >= x ? p - x : x - 1 - p));
    }
    return best;
  }

  const reciprocalSmooth = (setting, x) => smooth(setting, x, (s, moved) => s / (1 + setting.gamma * moved * s));

  function exponentialSmooth(setting, x) {
    const beta = smoothness(setting);
    return smooth(setting, x, (s, moved) => s * Math.exp(-beta * moved));
  }

  // β as M_H is printed with it, n + 1 inside whatever the categories
  const smoothness = ({ epsilon, delta, n }) => Math.log1p(-epsilon / (2 * Math.log(delta / (2 * (n + 1)))));

  // κ, how far 1/S moves between neighbours
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

  // Laws

  // Pr[r] ∝ exp(−λ(x) H(x, r))
  function exponential(rate) {
    return (setting, log) => {
      const size = setting.n + 1;
      const H = distances(setting.first, setting.second, setting.n);
      for (let x = 0; x < size; x++) {
        const row = x * size;
        const lambda = rate(setting, x);
        let others = 0;
        for (let r = 0; r < size; r++) {
          log[row + r] = -lambda * H[row + r];
          if (r !== x) others += Math.exp(log[row + r]);
        }
        const normaliser = Math.log1p(others); // the dataset itself has weight 1
        for (let r = 0; r < size; r++) log[row + r] -= normaliser;
      }
    };
  }

  // integer noise kept within 0..n: of rate γ = ε / scale, its weights fall by r = e^(−γ) from period to period, and
  // within one they are the powers of r that the pattern gives, for moves from 0 up and for moves from −1 down
  function noise({ upper, lower, scale }) {
    const width = upper.length;
    return ({ n, epsilon }, log) => {
      const rate = epsilon / scale;
      const [up, down] = [upper, lower].map((side) => side.map((power) => Math.exp(-rate * power)));
      const total = (side) => side.reduce((sum, weight) => sum + weight, 0);
      const step = -Math.expm1(-rate);
      const whole = Math.log(total(up) + total(down));
      // ln Pr of the place t of the first period and all beyond
      const tails = (side) =>
        side.map((_, t) => Math.log(total(side.slice(t)) * step + total(side) * Math.exp(-rate)) - whole);
      const [above, below] = [tails(up), tails(down)];
      const at = (side, distance) => side[distance % width] - rate * Math.floor(distance / width);
      const points = [upper, lower].map((side) => side.map((power) => Math.log(step) - whole - rate * power));
      const size = n + 1;
      for (let x = 0; x < size; x++) {
        const row = x * size;
        for (let r = 1; r < n; r++) {
          log[row + r] = r >= x ? at(points[0], r - x) : at(points[1], x - r - 1);
        }
        log[row] = x > 0 ? at(below, x - 1) : logOneMinus(at(above, 1));
        log[row + n] = at(above, n - x);
      }
    };
  }

  // discrete Gaussian noise of precision ε² / scale, kept within 0..n; its tails are sums from far out
  function gaussianNoise({ scale }) {
    return ({ n, epsilon }, log) => {
      const precision = (epsilon * epsilon) / scale;
      const reach = Math.max(n, 0) + 2 + Math.ceil(39 / Math.sqrt(precision));
      const tails = new Float64Array(reach + 1).fill(-Infinity); // ln of the weights from z on
      for (let z = reach - 1; z >= 0; z--) {
        const here = (-precision * z * z) / 2;
        tails[z] = here + Math.log1p(Math.exp(tails[z + 1] - here));
      }
      const total = Math.log(2 * Math.exp(tails[0]) - 1);
      const size = n + 1;
      for (let x = 0; x < size; x++) {
        const row = x * size;
        for (let r = 1; r < n; r++) log[row + r] = (-precision * (r - x) ** 2) / 2 - total;
        log[row] = x > 0 ? tails[x] - total : logOneMinus(tails[1] - total);
        log[row + n] = n > x ? tails[n - x] - total : logOneMinus(tails[1] - total);
        if (n === 0) log[row] = 0;
      }
    };
  }

  // the nodes and weights of Gauss's rule on [-1, 1], by Newton's method on the Legendre polynomial
  function gauss(count) {
    return Array.from({ length: count }, (_, i) => {
      let x = Math.cos((Math.PI * (i + 0.75)) / (count + 0.5));
      for (let step = 0; ; step++) {
        let [before, here] = [1, x];
        for (let k = 2; k <= count; k++) [before, here] = [here, ((2 * k - 1) * x * here - (k - 1) * before) / k];
        const slope = (count * (x * here - before)) / (x * x - 1);
        if (step > 9) return [x, 2 / ((1 - x * x) * slope * slope)];
        x -= here / slope;
      }
    });
  }
  const NODES = gauss(20);

  // permute and flip: Pr[r] = p(r) ∫ ∏ (1 − p(s) t) dt over s ≠ r, p = exp(−λH), on pieces that halve towards both ends
  function flips(rate) {
    return (setting, log) => {
      const size = setting.n + 1;
      const H = distances(setting.first, setting.second, setting.n);
      for (let x = 0; x < size; x++) {
        const row = x * size;
        const lambda = setting.n ? rate(setting, x) : 0;
        const exponents = Array.from({ length: size }, (_, r) => -lambda * H[row + r]);
        const p = exponents.map(Math.exp);
        let [sum, nearest] = [0, 1];
        for (let r = 0; r < size; r++) {
          if (r === x) continue;
          sum += p[r];
          nearest = Math.min(nearest, -Math.expm1(exponents[r]));
        }
        const ends = [0.5];
        for (let end = 0.5; end > 0.25 / Math.max(1, sum); ) ends.unshift((end /= 2));
        ends.unshift(0);
        for (let gap = 0.5; gap > Math.max(nearest / 4, 1e-16); ) ends.push(1 - (gap /= 2));
        ends.push(1);
        const shares = new Float64Array(size);
        for (let piece = 1; piece < ends.length; piece++) {
          const half = (ends[piece] - ends[piece - 1]) / 2;
          for (const [node, weight] of NODES) {
            const t = ends[piece - 1] + half * (1 + node);
            let product = 0;
            for (let r = 0; r < size; r++) if (r !== x) product += Math.log1p(-p[r] * t);
            const common = Math.exp(product) * weight * half;
            for (let r = 0; r < size; r++) {
              shares[r] += r === x ? common : (common * (1 - t)) / (p[r] * (1 - t) - Math.expm1(exponents[r]));
            }
          }
        }
        for (let r = 0; r < size; r++) log[row + r] = Math.log(shares[r]) + exponents[r];
      }
    };
  }

  // every record answers at random, the truth with odds e^ε to one: two binomial counts added
  function channel({ n, epsilon }, log) {
    const truth = -Math.log1p(Math.exp(-epsilon));
    const other = truth - epsilon;
    const factorials = new Float64Array(n + 1);
    for (let m = 1; m <= n; m++) factorials[m] = factorials[m - 1] + Math.log(m);
    const binomial = (m, j, yes, no) =>
      factorials[m] - factorials[j] - factorials[m - j] + j * yes + (m - j) * no;
    const size = n + 1;
    for (let x = 0; x < size; x++) {
      const first = Float64Array.from({ length: x + 1 }, (_, j) => binomial(x, j, truth, other));
      const second = Float64Array.from({ length: size - x }, (_, j) => binomial(n - x, j, other, truth));
      for (let r = 0; r < size; r++) {
        const low = Math.max(0, r - n + x);
        const high = Math.min(x, r);
        let top = -Infinity;
        for (let j = low; j <= high; j++) top = Math.max(top, first[j] + second[r - j]);
        let sum = 0;
        for (let j = low; j <= high; j++) sum += Math.exp(first[j] + second[r - j] - top);
        log[x * size + r] = top + Math.log(sum);
      }
    }
  }

  const ehdScale = (setting) => (setting.sensitivity === "printed" ? PRINTED_SENSITIVITY : globalSensitivity(setting));
  const proved = ({ epsilon, divisor }, slope) => ((2 + slope) * epsilon) / divisor;

  // the rates of the exponential mechanisms, by the names that the table calls them
  // promise: proved for every prior and n; guarantee: proved here; both null where nothing is proved
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
      smooth: exponentialSmooth,
    },
  };

  // what a pattern of the table says: one replaced record changes the noisy count by one, and one answer
  function described(pattern) {
    if (pattern.rate) return { ...RATES[pattern.rate], fill: exponential(RATES[pattern.rate].rate) };
    if (pattern.flip) {
      const kept = (s) => s.epsilon;
      return { promise: kept, guarantee: kept, fill: flips((s) => s.epsilon / (2 * globalSensitivity(s))) };
    }
    // no epsilon is promised, but a rho
    if (pattern.gaussian) return { promise: () => null, guarantee: () => null, fill: gaussianNoise(pattern) };
    const scale = pattern.scale ?? 1;
    const fill = pattern.channel ? channel : noise(pattern);
    return { promise: (s) => s.epsilon, guarantee: (s) => s.epsilon / scale, fill };
  }

  const ALL = {};
  for (const [name, { about, pattern }] of Object.entries(dpbi.table.mechanisms)) {
    ALL[name] = { about, ...pattern, pattern, ...described(pattern) };
  }

  // the laws of all datasets; the table is overwritten by the next call
  let table = new Float64Array(0);
  function laws(setting) {
    const size = (setting.n + 1) ** 2;
    if (table.length < size) table = new Float64Array(size);
    ALL[setting.mechanism].fill(setting, table);
    return table;
  }

  return { ALL, PRINTED_SENSITIVITY, laws, localSensitivity, globalSensitivity };
})();
