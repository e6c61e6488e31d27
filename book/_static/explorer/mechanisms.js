// The mechanisms of the library for two categories: what each promises, and its exact law at every dataset.
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

  // integer noise with Pr[X ≥ m] = τ e^(−rate m) and Pr[X < −m] = τ′ e^(−rate m), kept within 0..n
  function noise(scale, tails) {
    return ({ n, epsilon }, log) => {
      const rate = epsilon / scale;
      const [upper, lower] = tails(rate);
      const step = Math.log(-Math.expm1(-rate));
      const size = n + 1;
      for (let x = 0; x < size; x++) {
        const row = x * size;
        for (let r = 1; r < n; r++) {
          log[row + r] = (r >= x ? upper - rate * (r - x) : lower - rate * (x - r - 1)) + step;
        }
        log[row] = x > 0 ? lower - rate * (x - 1) : logOneMinus(upper - rate);
        log[row + n] = upper - rate * (n - x);
      }
    };
  }

  const flooredLaplace = () => [-Math.LN2, -Math.LN2];
  const twoSidedGeometric = (rate) => {
    const upper = -Math.log1p(Math.exp(-rate));
    return [upper, upper - rate];
  };

  const ehdScale = (setting) => (setting.sensitivity === "printed" ? PRINTED_SENSITIVITY : globalSensitivity(setting));
  const proved = ({ epsilon, divisor }, slope) => ((2 + slope) * epsilon) / divisor;

  // promise: proved for every prior and n; guarantee: proved here; both null where nothing is proved
  const ALL = {
    lszhang: {
      about: "Laplace noise of scale 4/ε on the first count, rounded down",
      promise: (s) => s.epsilon,
      guarantee: (s) => s.epsilon / 4,
      fill: noise(4, flooredLaplace),
    },
    lsdim: {
      about: "Laplace noise of scale 2/ε, rounded down",
      promise: (s) => s.epsilon,
      guarantee: (s) => s.epsilon / 2,
      fill: noise(2, flooredLaplace),
    },
    lshist: {
      about: "Laplace noise of scale 1/ε, rounded down",
      promise: (s) => s.epsilon,
      guarantee: (s) => s.epsilon,
      fill: noise(1, flooredLaplace),
    },
    geometric: {
      about: "two-sided geometric noise",
      promise: (s) => s.epsilon,
      guarantee: (s) => s.epsilon,
      fill: noise(1, twoSidedGeometric),
    },
    lattice_laplace: {
      about: "noise on the lattice; geometric, for two categories",
      promise: (s) => s.epsilon,
      guarantee: (s) => s.epsilon,
      fill: noise(1, twoSidedGeometric),
    },
    laplace_in_order: {
      about: "counts filled in order; lsdim, for two categories",
      promise: (s) => s.epsilon,
      guarantee: (s) => s.epsilon / 2,
      fill: noise(2, flooredLaplace),
    },
    ehd: {
      about: "exponential, weight exp(−εH / (2 GS))",
      knobs: ["sensitivity"],
      promise: (s) => (s.sensitivity === "printed" ? null : s.epsilon),
      guarantee: (s) => (ehdScale(s) >= globalSensitivity(s) * (1 - 1e-14) ? s.epsilon : null),
      rate: (s) => s.epsilon / (2 * ehdScale(s)),
    },
    ehdl: {
      about: "exponential, weight exp(−εH / (2 LS(x)))",
      promise: () => null,
      guarantee: (s) => ((SLOPE + 2 / (1 + SLOPE)) * s.epsilon) / 2,
      rate: (s, x) => s.epsilon / (2 * localSensitivity(s, x)),
    },
    ehds: {
      about: "exponential, weight exp(−εH / (c S(x))), S the reciprocal smooth sensitivity",
      knobs: ["gamma", "divisor"],
      divisor: 4,
      promise: (s) => Math.max(s.epsilon, proved(s, s.gamma)),
      guarantee: (s) => proved(s, Math.min(s.gamma, SLOPE)),
      rate: (s, x) => s.epsilon / (s.divisor * reciprocalSmooth(s, x)),
      smooth: reciprocalSmooth,
    },
    smoothed_hellinger: {
      about: "exponential, weight exp(−εH / (c S(x))), S the exponential smooth sensitivity",
      knobs: ["delta", "divisor"],
      divisor: 2,
      promise: () => null,
      guarantee: (s) => proved(s, reciprocalJump(s)),
      rate: (s, x) => s.epsilon / (s.divisor * exponentialSmooth(s, x)),
      smooth: exponentialSmooth,
    },
  };
  for (const mechanism of Object.values(ALL)) mechanism.fill ??= exponential(mechanism.rate);

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
