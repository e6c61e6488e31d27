// Pictures of a hundred possible releases of one count, and of the distributions to publish for a noisy count.
"use strict";

(() => {
  const { ALL } = dpbi.pictures;
  const { audit, inference, mechanisms, optimum } = dpbi;
  const { density, distances, uniform } = dpbi.special;
  const { ONE, TWO, THREE, EPSILON, WEIGHT, records, count, setting, curve, short, hills } = dpbi.parts;

  // The class of the path: fourteen of twenty said yes
  const [N, TRUTH, DROPS] = [20, 14, 100];

  ALL.drops = {
    knobs: { epsilon: EPSILON },
    state: { seed: 2020 },
    buttons: { again: { label: "Release a hundred more", act: (values) => (values.seed += DROPS) } },
    draw(values, { drops }) {
      const law = mechanisms.law(setting({ ...values, n: N }), TRUTH).logs.map(Math.exp);
      const released = Array.from({ length: DROPS }, (_, i) => audit.inverse(law, uniform(values.seed + i)));
      const near = released.filter((r) => Math.abs(r - TRUTH) <= 2).length;
      drops("A hundred releases of one secret count").show({
        released, n: N, truth: TRUTH, seed: values.seed,
        caption: `Twenty students were asked, and ${TRUTH} said yes. Each dot is a number that might be published instead.`,
      });
      return (
        `${near} of these ${DROPS} numbers are at most 2 off. If one student had answered differently, no number would be more than ` +
        `${short(Math.exp(values.epsilon))} times as probable.`
      );
    },
  };

  // For a noisy count y, prior probabilities w_x of the counts and a_x ∝ w_x e^(−ε|x − y|), one may publish
  //   the mixture     Σ a_x f_x          of least expected divergence: the posterior given the noise,
  //   the root mean  (Σ a_x √f_x)²       of least expected squared Hellinger distance,
  //   a posterior     f_s, s = nearest,  of least expected squared distance among the possible posteriors.
  function publications(s, y) {
    const { first, second, n } = s;
    const H = distances(first, second, n);
    const squared = (x, z) => H[x * (n + 1) + z] ** 2;
    const a = optimum.datasets(s).map((log, x) => Math.exp(log - s.epsilon * Math.abs(x - y)));
    const mass = a.reduce((sum, weight) => sum + weight, 0);
    a.forEach((weight, x) => (a[x] = weight / mass));
    const expected = (z) => a.reduce((sum, weight, x) => sum + weight * squared(x, z), 0);
    const affinity = (x) => 1 - expected(x); // of √f_x and Σ a_x √f_x
    const norm = Math.sqrt(a.reduce((sum, weight, x) => sum + weight * affinity(x), 0));
    let nearest = 0;
    for (let z = 1; z <= n; z++) if (expected(z) < expected(nearest)) nearest = z;
    const densities = Array.from(a, (_, x) => density(first + x, second + (n - x)));
    const rootMean = (theta) => (a.reduce((sum, weight, x) => sum + weight * Math.sqrt(densities[x](theta)), 0) / norm) ** 2;
    return { mixture: inference.given(s, y), rootMean, nearest, least: 1 - norm, atNearest: expected(nearest) };
  }

  ALL.publications = {
    knobs: { epsilon: { ...EPSILON, start: 0.2, low: 0.1 }, n: records(100, 20), y: count("noisy count", 20), x: count("true count", 16), weight: { ...WEIGHT, low: 0.5 } },
    draw(values, { figure }) {
      const { x, y } = values;
      const s = setting({ ...values, mechanism: "geometric" });
      const { mixture, rootMean, nearest, least, atNearest } = publications(s, y);
      const known = [inference.plugIn(s, x), mixture, inference.plugIn(s, nearest)];
      const { curves: [truth, mixed, possible, rooted], y: heights } = hills(known, [...known.map(({ density }) => density), rootMean]);
      const rows = [
        [mixed, ONE, "mixture", ""],
        [rooted, TWO, "root mean", "7 4"],
        [possible, THREE, `posterior of ${nearest}`, "2 3"],
      ];
      figure("Three distributions to publish for one noisy count").show({
        x: { label: "share", low: 0, high: 1 },
        y: heights,
        marks: [
          { kind: "area", points: truth, color: "currentColor", opacity: 0.15 },
          curve(truth, "currentColor", `truth: posterior of ${x}`, { width: 1 }),
          ...rows.map(([points, color, label, dash]) => curve(points, color, label, { dash, width: 2.2 })),
        ],
        values: truth.map(([share, density], i) => ({
          x: share, y: density,
          text: () => `share ${short(share)}: density ${short(density)} (truth), ${rows.map(([points, , label]) => `${short(points[i][1])} (${label})`).join(", ")}`,
        })),
        start: Math.floor(truth.length / 2),
        caption: "The grey area is the true posterior, which stays secret. The other three distributions depend on the noisy count alone.",
      });
      return (
        `Given a noisy count of ${y}, the expected squared distance from the truth is ${short(least)} for the root mean, and ` +
        `${short(atNearest)} for the posterior of ${nearest}, the smallest among the possible posteriors.`
      );
    },
  };
  dpbi.publications = publications; // for the tests
})();
