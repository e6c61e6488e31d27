// Inference from a release for two categories: the posterior of the share given an output r,
//     Σ_x p_x Beta(α₁ + x, α₂ + n − x),   p_x ∝ Pr[x] Pr[r | x],
// and the Beta distribution that treats r as data.
"use strict";

dpbi.inference = (() => {
  const { logGamma, shareBelow } = dpbi.special;
  const { ALL, laws, noiseAt } = dpbi.mechanisms;
  const { datasets, LISTED } = dpbi.optimum;

  const NEGLIGIBLE = 1e-18; // datasets whose probability relative to the most probable one is below this are left out

  // ln Pr[r | x] for all x: from the noise itself if the mechanism adds noise, and otherwise from the table of all laws
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

  // the mixture of the Beta posteriors of the first counts low, low + 1, ... with the probabilities p
  function mixture({ first, second, n }, low, p) {
    const total = first + second + n;
    const mean = p.reduce((sum, weight, i) => sum + weight * (first + low + i), 0) / total;
    // ln(θ^c (1 − θ)^(d − 1) / (c B(c, d))) for the first component (c, d); `ratios` lead from one to the next
    const [c, d] = [first + low, second + (n - low)];
    const front = logGamma(total) - logGamma(c) - logGamma(d) - Math.log(c);
    const ratios = Float64Array.from(p, (_, i) => Math.log(Math.max(second + (n - low - i - 1), 1e-300) / (c + (i + 1))));
    const start = (theta) => front + c * Math.log(theta) + (d - 1) * Math.log1p(-theta);

    // I_θ(c + 1, d − 1) = I_θ(c, d) − θ^c (1 − θ)^(d − 1) / (c B(c, d)), so one cdf gives all others
    function cdf(theta) {
      const odds = Math.log(theta) - Math.log1p(-theta);
      let [below, log, sum] = [shareBelow(c, d, theta), start(theta), 0];
      for (let i = 0; i < p.length; i++) {
        sum += p[i] * Math.max(below, 0);
        below -= Math.exp(log);
        log += odds + ratios[i];
      }
      return sum;
    }

    // Newton's method inside a bracket; a step that would leave the bracket is replaced by bisection
    function quantile(level) {
      let [below, above, theta] = [0, 1, Math.min(Math.max(mean, 1e-3), 1 - 1e-3)];
      for (let i = 0; i < 100 && above - below > 1e-15 * above; i++) {
        const off = cdf(theta) - level;
        if (off < 0) below = theta;
        else above = theta;
        let next = theta - off / at(theta);
        if (!(next > below && next < above)) next = (below + above) / 2;
        if (Math.abs(next - theta) <= 1e-15 * next) return next;
        theta = next;
      }
      return theta;
    }

    // the density at one share
    function at(theta) {
      const odds = Math.log(theta) - Math.log1p(-theta);
      let [log, sum] = [start(theta), 0];
      for (let i = 0; i < p.length; i++) {
        sum += p[i] * (c + i) * Math.exp(log);
        log += odds + ratios[i];
      }
      return sum / theta;
    }

    const interval = (level) => [quantile((1 - level) / 2), quantile((1 + level) / 2)];
    return { mean, cdf, interval, density: at };
  }

  // the posterior that accounts for the noise
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

  // the posterior that treats the output as data
  const plugIn = (setting, r) => mixture(setting, r, Float64Array.of(1));

  return { given, plugIn };
})();
