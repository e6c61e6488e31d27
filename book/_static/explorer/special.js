// Distances between posteriors of two categories, without cancellation.
//
// With D(a, b) = ½ lnΓ(a) + ½ lnΓ(b) − lnΓ((a+b)/2) ≥ 0 for each category, two posteriors of the same size have
//     H² = 1 − exp(−D(a₁, b₁) − D(a₂, b₂)).
// Differences of lnΓ lose the digits of a small D, so D sums positive terms from D(a, a) = 0 or D(a, a+1) = u(a).
"use strict";
globalThis.dpbi ??= {};

dpbi.special = (() => {
  const LIFT = 20;

  // u(a) = ½ ln a + lnΓ(a) − lnΓ(a + ½), by u(a) − u(a+1) = ½ ln(1 + 1 / (4a(a+1))) and its asymptotic series
  function u(a) {
    let sum = 0;
    let lift = 0;
    for (; a + lift < LIFT; lift++) sum += Math.log1p(0.25 / ((a + lift) * (a + lift + 1))) / 2;
    const z = 1 / (a + lift);
    const w = z * z;
    const series = 1 / 8 - w * (1 / 192 - w * (1 / 640 - w * (17 / 14336 - w * (31 / 18432 - (w * 691) / 180224))));
    return sum + z * series;
  }

  // F(v) = √(1 − e^−v), the distance whose affinity is e^−v
  const distance = (v) => Math.sqrt(-Math.expm1(-v));

  // H from the posterior of (x, n − x) to that of every (r, n − r). For h = m / 2, two steps from m to m + 2 add
  //     ½ ln((a + m)(a + m + 1) / (a + h)²) > 0   to D(a, a + m), and
  //     ½ ln((a − h − 1)² / ((a − m − 1)(a − m − 2))) > 0   to D(a, a − m).
  function distancesFrom(first, second, n, x) {
    const row = new Float64Array(n + 1);
    const up = { a: first + x, weight: second, room: n - x, side: 1 };
    const down = { a: second + (n - x), weight: first, room: x, side: -1 };
    for (const { a, weight, room, side } of [up, down]) {
      const gap = new Float64Array(room + 1); // of both categories: one gains m records, the other loses them
      if (room > 0) gap[1] = u(a) + u(weight + (room - 1));
      for (let m = 0; m + 2 <= room; m++) gap[m + 2] = gap[m] + widened(a, weight, room, m);
      for (let m = 1; m <= room; m++) row[x + side * m] = distance(gap[m]);
    }
    return row;
  }

  // H between the posteriors of (x, n − x) and (r, n − r) at x * (n + 1) + r
  const distances = latest((first, second, n) => {
    const table = new Float64Array((n + 1) ** 2);
    for (let x = 0; x <= n; x++) table.set(distancesFrom(first, second, n, x), x * (n + 1));
    return table;
  });

  // the increase of D(a, a + m) + D(b, b − m) for b = weight + room when m grows by two, with all its digits
  function widened(a, weight, room, m) {
    const h = m / 2;
    const [p, q] = [h / (a + h), (h + 1) / (a + h)];
    const [r, s] = [(h + 1) / (weight + (room - m - 2)), h / (weight + (room - m - 1))];
    return (Math.log1p(p + q + p * q) + Math.log1p(r + s + r * s)) / 2;
  }

  // the function with a cache of its last result
  function latest(compute) {
    let key, result;
    return (...given) => {
      const now = given.join();
      if (now !== key) [result, key] = [compute(...given), now];
      return result;
    };
  }

  // lnΓ, by Γ(z+1) = zΓ(z) and Stirling's series
  function logGamma(z) {
    let lifted = z;
    let product = 1;
    for (; lifted < LIFT; lifted++) product *= lifted;
    const w = 1 / (lifted * lifted);
    const series = (1 / 12 - w * (1 / 360 - w * (1 / 1260 - w * (1 / 1680 - w / 1188)))) / lifted;
    return (lifted - 0.5) * Math.log(lifted) - lifted + Math.log(2 * Math.PI) / 2 + series - Math.log(product);
  }

  // density of Beta(a, b) inside (0, 1)
  function density(a, b) {
    const constant = logGamma(a + b) - logGamma(a) - logGamma(b);
    return (share) => Math.exp((a - 1) * Math.log(share) + (b - 1) * Math.log1p(-share) + constant);
  }

  // distribution function of Beta(a, b) at θ, by the continued fraction of the incomplete beta function on the side
  // where the fraction converges fast
  function shareBelow(a, b, theta) {
    if (theta <= 0 || theta >= 1) return theta <= 0 ? 0 : 1;
    if (theta > (a + 1) / (a + b + 2)) return 1 - shareBelow(b, a, 1 - theta);
    const front = a * Math.log(theta) + b * Math.log1p(-theta) + logGamma(a + b) - logGamma(a) - logGamma(b);
    const TINY = 1e-300;
    const off = (value) => (Math.abs(value) < TINY ? TINY : value);
    let [c, d] = [1, 1 / off(1 - ((a + b) * theta) / (a + 1))];
    let value = d;
    for (let m = 1; m < 10_000; m++) {
      const even = (m * (b - m) * theta) / ((a + 2 * m - 1) * (a + 2 * m));
      const odd = (-(a + m) * (a + b + m) * theta) / ((a + 2 * m) * (a + 2 * m + 1));
      let change = 1;
      for (const term of [even, odd]) {
        d = 1 / off(1 + term * d);
        c = off(1 + term / c);
        change *= c * d;
      }
      value *= change;
      if (Math.abs(change - 1) < 1e-16) break;
    }
    return (Math.exp(front) * value) / a;
  }

  // ln(1 − e^l) for l < 0, by the branch that loses no digits
  const logOneMinus = (l) => (l > -Math.LN2 ? Math.log(-Math.expm1(l)) : Math.log1p(-Math.exp(l)));

  // a uniform number from a seed: one step of the generator mulberry32
  function uniform(seed) {
    let z = (seed + 0x6d2b79f5) | 0;
    z = Math.imul(z ^ (z >>> 15), z | 1);
    z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
    return ((z ^ (z >>> 14)) >>> 0) / 2 ** 32;
  }

  return { u, distance, distances, distancesFrom, latest, logGamma, density, shareBelow, logOneMinus, uniform };
})();
