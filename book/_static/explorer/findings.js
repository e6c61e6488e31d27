// The numbers of the pictures of single pages: each function follows one notebook or one proof, for two categories.
"use strict";

dpbi.findings = (() => {
  const { distances, latest } = dpbi.special;
  const { ALL, PRINTED_SENSITIVITY, laws, law, localSensitivity, globalSensitivity } = dpbi.mechanisms;
  const { errorLaw, quantile, loss } = dpbi.audit;
  const { exp, expm1, floor, ceil, log, max, min, round } = Math;
  const { plugIn, given } = dpbi.inference;

  const rows = (n, of) => Float64Array.from({ length: n + 1 }, (_, x) => of(x));

  // the local and smooth sensitivities of every dataset, the global sensitivity, and the printed constant
  const sensitivities = (s) => ({
    local: rows(s.n, (x) => localSensitivity(s, x)),
    smooth: rows(s.n, (x) => ALL.ehds.smooth(s, x)),
    global: globalSensitivity(s),
    printed: PRINTED_SENSITIVITY,
  });

  // the distances of all counts from x in local sensitivities, and the bounds from L steps rounded down and rounded up
  function errorInSteps(s, share) {
    const { logs, distances: H } = law(s);
    const local = localSensitivity(s, s.x);
    const reach = log(1 / share) / s.epsilon;
    const farthest = (steps) => {
      let most = 0;
      for (let r = max(0, s.x - steps); r <= min(s.n, s.x + steps); r++) most = max(most, H[r] / local);
      return most;
    };
    const [allowed, needed] = [floor(reach + 1e-9), ceil(reach - 1e-9)];
    return {
      ratios: H.map((distance) => distance / local),
      exact: quantile(errorLaw(H, logs.map(exp), s.x), share) / local,
      allowed, needed, printed: farthest(allowed), corrected: farthest(needed),
    };
  }

  // Balanced data with k steps below t on either side: the probability of an error below t for Laplace noise (LSHist)
  // and, by number of records, for EHD with the printed sensitivity; the sizes in the corollaries; and the size from
  // which LSHist stays ahead
  function crossover(s, k, largest) {
    const e = s.epsilon;
    const noise = k ? 1 - (exp(-k * e) + exp(-(k + 1) * e)) / 2 : -expm1(-e) / 2;
    const rate = e / (2 * PRINTED_SENSITIVITY);
    const behind = (n) => {
      const { logs } = law({ ...s, n, x: n / 2, mechanism: "ehd", sensitivity: "printed" });
      return logs.slice(n / 2 - k, n / 2 + k + 1).reduce((sum, value) => sum + exp(value), 0);
    };
    const decided = ((2 * k + 1) * exp(rate)) / noise; // for larger n a bound on EHD is below LSHist
    const sizes = [];
    let from = 2 * k + 2;
    for (let n = 2 * k + 2; n <= max(largest, decided); n += 2) {
      const chosen = behind(n);
      if (chosen >= noise) from = n + 2;
      if (n <= largest) sizes.push({ n, chosen });
    }
    return {
      noise, sizes, from,
      claimed: k ? ((2 * k + 1) * exp(e)) / -expm1(-k * e) : Infinity,
      below: (2 * k * exp(-e) + 1) / noise,
    };
  }

  // the smoothed mechanism, with the factor 2 of its definition (divisor 2) or without it (divisor 1)
  const smoothed = (s, divisor) => ({ ...s, mechanism: "smoothed_hellinger", divisor });

  // the mean errors of mechanisms by number of records, with a fixed share of the records in the first category
  const meanErrors = (settings, sizes, share) =>
    settings.map((s) =>
      sizes.map((n) => {
        const { logs, distances: H } = law({ ...s, n, x: round(n * share) });
        return logs.reduce((sum, value, r) => sum + exp(value) * H[r], 0);
      }),
    );

  // the losses by number of records, divided by epsilon
  const losses = (settings, sizes) => settings.map((s) => sizes.map((n) => loss({ ...s, n, x: 0 }) / s.epsilon));

  // The number of records from which a property holds: `drawn` tells whether it holds at each of `sizes`, and `holds`
  // computes this at any other number. Bisection starts after the last size at which the property fails; the result is
  // null if this is the largest size.
  function holdsFrom(sizes, drawn, holds, step = 1) {
    const last = drawn.lastIndexOf(false);
    if (last < 0 || last === sizes.length - 1) return last < 0 ? sizes[0] : null;
    let [before, from] = [sizes[last], sizes[last + 1]];
    while (from - before > step) {
      const middle = before + step * floor((from - before) / (2 * step));
      if (holds(middle)) from = middle;
      else before = middle;
    }
    return from;
  }

  // the length of the interval that accounts for the noise, divided by the length without noise, for balanced data
  const plainLength = latest((first, second, n, r) => length(plugIn({ first, second, n }, r)));
  const length = (mixture) => mixture.interval(0.95).reduce((low, high) => high - low);
  const price = (s) => {
    const middle = floor(s.n / 2);
    return length(given(s, middle)) / plainLength(s.first, s.second, s.n, middle);
  };

  // The remap of the Domination theorem. At a threshold t and the first count t, the mechanism releases at most t with
  // a probability p; geometric noise has the same probability of z ≤ t + s, or z = t + s + 1 and success of a coin.

  // the s and the success probability `share` of the coin with Pr[Z ≤ s] + share Pr[Z = s + 1] = p = 1 − rest
  function stepOf(p, rest, q) {
    if (p <= 0 || rest <= 0) return [p <= 0 ? -Infinity : Infinity, 0];
    const lower = p * (1 + q) < 1;
    const mass = (lower ? p : rest) * (1 + q);
    let m = max(1, round(log(mass) / log(q)));
    if (lower) {
      while (q ** m > mass) m++;
      while (m > 1 && q ** (m - 1) <= mass) m--;
      return [-m, (mass - q ** m) / (q ** (m - 1) * (1 - q))];
    }
    while (q ** (m + 1) >= mass) m++;
    while (m > 1 && q ** m < mass) m--;
    return [m - 1, (q ** m - mass) / (q ** m * (1 - q))];
  }

  // the probability of this event for the noisy count, given the count z after clamping
  function clamped(z, n, s, share, q) {
    if (!Number.isFinite(s) || n === 0) return s > 0 ? 1 : 0;
    if (z === 0) return s >= 0 ? 1 : q ** -s + share * q ** (-s - 1) * (1 - q);
    if (z === n) return s < n - 1 ? 0 : 1 - q ** (s - n + 1) + share * q ** (s + 1 - n) * (1 - q);
    return s >= z ? 1 : s + 1 === z ? share : 0;
  }

  // the errors of a mechanism at every dataset, and those of geometric noise with the same loss and with its remap
  function domination(s) {
    const { n } = s;
    const size = n + 1;
    const H = distances(s.first, s.second, n);
    const table = laws(s);
    const epsilon = loss(s, table);
    const q = exp(-epsilon);
    const P = table.slice(0, size * size).map(exp);
    const kept = new Float64Array(size * size);
    for (let t = 0; t <= n; t++) {
      const own = P.subarray(t * size, (t + 1) * size);
      const below = t < n ? min(own.subarray(0, t + 1).reduce((sum, p) => sum + p, 0), 1) : 1;
      const beyond = own.subarray(t + 1).reduceRight((sum, p) => sum + p, 0);
      const [steps, share] = stepOf(below, beyond, q);
      for (let z = 0; z <= n; z++) kept[z * size + t] = clamped(z, n, t + steps, share, q);
    }
    for (let z = 0; z <= n; z++) {
      for (let t = 1; t < n; t++) kept[z * size + t] = max(kept[z * size + t - 1], kept[z * size + t]); // rounding
      kept[z * size + n] = 1;
    }
    const G = laws({ ...s, mechanism: "geometric", epsilon });
    const before = new Float64Array(size);
    const after = new Float64Array(size);
    for (let x = 0; x <= n; x++) {
      const moved = new Float64Array(size);
      for (let z = 0; z <= n; z++) {
        const p = exp(G[x * size + z]);
        for (let t = 0; t <= n; t++) moved[t] += p * kept[z * size + t];
      }
      for (let r = 0; r <= n; r++) {
        before[x] += P[x * size + r] * H[x * size + r];
        after[x] += (moved[r] - (r ? moved[r - 1] : 0)) * H[x * size + r];
      }
    }
    return { epsilon, before, after };
  }

  return { sensitivities, errorInSteps, crossover, smoothed, meanErrors, losses, holdsFrom, price, domination };
})();
