// What to conclude from a release, for two categories: the posterior of the share given an output r,
//     Σ_x p_x Beta(α₁ + x, α₂ + n − x),   p_x ∝ Pr[x] Pr[r | x],
// and the Beta distribution that takes r for the data.
"use strict";

dpbi.inference = (() => {
  const { logGamma, shareBelow } = dpbi.special;
  const { ALL, laws, noiseAt } = dpbi.mechanisms;
  const { datasets, LISTED } = dpbi.optimum;

  const NEGLIGIBLE = 1e-18; // a dataset less probable than this share of the most probable one is left out

  // ln Pr[r | x] for all x: directly for noise, from the table of all laws for the others
  function column(setting, r) {
    const { n, epsilon } = setting;
    const size = n + 1;
    const { pattern } = ALL[setting.mechanism];
    if (pattern.upper) {
      const { point, atLeast, atMost } = noiseAt(pattern, epsilon / pattern.scale);
      if (n === 0) return Float64Array.of(0);
      const at = r === 0 ? atMost : r === n ? atLeast : point;
      return Float64Array.from({ length: size }, (_, x) => at(r - x));
    }
    if (n > LISTED) throw new RangeError(`n must be at most ${LISTED} for ${setting.mechanism}, got ${n}`);
    const log = laws(setting);
    return Float64Array.from({ length: size }, (_, x) => log[x * size + r]);
  }

  // a mixture of Beta distributions by the probabilities of the first counts low, low + 1, ...
  function mixture({ first, second, n }, low, p) {
    const total = first + second + n;
    const mean = p.reduce((sum, weight, i) => sum + weight * (first + low + i), 0) / total;
    const share = (i) => (first + low + i) / total;
    const variance = p.reduce((sum, weight, i) => {
      const within = (share(i) * ((second + (n - low - i)) / total)) / (total + 1);
      return sum + weight * (within + (share(i) - mean) ** 2);
    }, 0);

    // ln(θ^c (1 − θ)^(d − 1) / (c B(c, d))) for each component (c, d): neighbours differ by a factor
    function steps(theta, tell) {
      const odds = Math.log(theta) - Math.log1p(-theta);
      const [c, d] = [first + low, second + (n - low)];
      const front = logGamma(total) - logGamma(c) - logGamma(d) - Math.log(c);
      let log = front + c * Math.log(theta) + (d - 1) * Math.log1p(-theta);
      for (let i = 0; i < p.length; i++) {
        tell(i, log);
        log += odds + Math.log((second + (n - low - i - 1)) / (first + low + i + 1));
      }
    }

    // I_θ(c + 1, d − 1) = I_θ(c, d) − θ^c (1 − θ)^(d − 1) / (c B(c, d)), so one function is computed, the rest follows
    function cdf(theta) {
      let below = shareBelow(first + low, second + (n - low), theta);
      let sum = 0;
      steps(theta, (i, log) => {
        sum += p[i] * Math.max(below, 0);
        below -= Math.exp(log);
      });
      return sum;
    }

    function quantile(level) {
      let [low, high] = [0, 1];
      for (let i = 0; i < 60 && high - low > 1e-15 * high; i++) {
        const middle = (low + high) / 2;
        if (cdf(middle) < level) low = middle;
        else high = middle;
      }
      return (low + high) / 2;
    }

    function at(theta) {
      let sum = 0;
      steps(theta, (i, log) => (sum += p[i] * (first + low + i) * Math.exp(log)));
      return sum / theta;
    }

    const interval = (level) => [quantile((1 - level) / 2), quantile((1 + level) / 2)];
    return { low, weights: p, mean, deviation: Math.sqrt(variance), cdf, quantile, interval, density: at };
  }

  // given the output and the law of the noise
  function given(setting, r) {
    const w = datasets(setting);
    const logs = column(setting, r).map((value, x) => value + w[x]);
    const top = logs.reduce((most, value) => Math.max(most, value), -Infinity);
    const p = logs.map((value) => Math.exp(value - top));
    const low = p.findIndex((value) => value > NEGLIGIBLE);
    let high = setting.n;
    while (p[high] <= NEGLIGIBLE) high--;
    const kept = p.slice(low, high + 1);
    const sum = kept.reduce((whole, value) => whole + value, 0);
    return mixture(setting, low, kept.map((value) => value / sum));
  }

  // as if the output were the data
  const plugIn = (setting, r) => mixture(setting, r, Float64Array.of(1));

  return { given, plugIn };
})();
