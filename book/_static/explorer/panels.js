// The figures of the explorer: each panel turns a setting and its results into axes, marks, values and a caption.
"use strict";

dpbi.panels = (() => {
  const { digits } = dpbi.draw;
  const { called, plural, sentence, short, place, hills, DIFFERENT } = dpbi.parts;
  const { plugIn } = dpbi.inference;
  const { truth: TRUTH, mechanisms: LOOKS } = dpbi.table;
  const [PRINTED, HOLDS] = ["var(--printed)", "var(--holds)"];

  // a tag for template strings that writes every number with `count` significant digits
  const saying = (count) => (words, ...values) =>
    String.raw({ raw: words }, ...values.map((value) => (typeof value === "number" ? digits(value, count) : value)));
  const say = saying(3);
  const counts = (x, n) => `(${x}, ${n - x})`;
  const beta = (a, b) => say`Beta(${a}, ${b})`;
  const most = (value, what) => (value === null ? `nothing is ${what}` : say`a loss of at most ${value} is ${what}`);

  // Marks that several panels use
  const here = (x, y, label) => ({
    kind: "points", points: [[x, y]], marker: "o", radius: 8, width: 0.25, hollow: true, color: "currentColor", label,
  });
  const OTHERS = { color: "var(--quiet)", marker: "o", hollow: true };
  const dots = (points, look, label) => ({ kind: "points", points, ...look, radius: 3.5, width: 0.2, label });
  const level = (at, dash, label) => (at === null ? [] : [{ kind: "horizontal", at, color: TRUTH, dash, label }]);
  const pairs = (values) => values.map(({ x, y }) => [x, y]);

  function posterior(s, found) {
    const r = found.released;
    const [a, b] = [s.first + s.x, s.second + (s.n - s.x)];
    const [c, d] = [s.first + r, s.second + (s.n - r)];
    const { curves: [density, released], y } = hills([s.x, r].map((count) => plugIn(s, count)));
    return {
      x: { label: "share of the first category", low: 0, high: 1 },
      y,
      marks: [
        { kind: "line", points: density, color: TRUTH, label: "true" },
        { kind: "line", points: released, ...LOOKS[s.mechanism], dash: "7 4", label: "released" },
      ],
      values: density.map(([x, y], i) => ({ x, y, text: () => say`share ${x}: true density ${y}, released density ${released[i][1]}` })),
      start: Math.floor(density.length / 2),
      caption:
        say`The true posterior is ${beta(a, b)} with mean ${a / (a + b)}. This draw releases ${beta(c, d)} with mean ${c / (c + d)}, ` +
        say`at Hellinger distance ${found.releasedError} from the true posterior. Replacing one record moves the true posterior by at ` +
        say`most ${found.localSensitivity}, and the posterior of any dataset by at most ${found.globalSensitivity}.`,
    };
  }

  function law(s, found) {
    const p = found.probabilities;
    const top = Math.max(...p);
    const shown = [...p.keys()].filter((r) => p[r] > 1e-3 * top || r === s.x || r === found.released);
    const low = Math.max(0, shown[0] - 2);
    const high = Math.min(s.n, shown[shown.length - 1] + 2);
    const values = [...p.keys()].slice(low, high + 1).map((r) => ({
      x: r, y: p[r], text: () => say`${counts(r, s.n)} has probability ${p[r]} and distance ${found.distances[r]} from the truth`,
    }));
    const look = LOOKS[s.mechanism];
    const points = pairs(values);
    const line = { kind: "line", points, ...look, label: called(s) };
    const stems = [{ kind: "stems", points, ...look, width: 1.5 }, dots(points, look, called(s))];
    return {
      x: { label: "released first count", low: low - 0.5, high: high + 0.5 },
      y: { label: "probability", low: 0, high: top * 1.08 },
      marks: [
        place(s.x, TRUTH, "true count"),
        ...(points.length > 70 ? [line] : stems),
        here(found.released, p[found.released], "this draw"),
      ],
      values,
      start: s.x - low,
      caption:
        say`The true counts ${counts(s.x, s.n)} are released with probability ${p[s.x]}. ` +
        `The draw with seed ${s.seed} releases ${counts(found.released, s.n)}.`,
    };
  }

  function loss(s, found) {
    const look = LOOKS[s.mechanism];
    const { down, up } = found.losses;
    const { epsilon, x, neighbour, output } = found.audit;
    const values = Array.from(down, (here, first) => {
      const [y, to] = here >= up[first] ? [here, first - 1] : [up[first], first + 1];
      return { x: first, y, text: () => say`${counts(first, s.n)}: loss of at most ${y}, against ${counts(to, s.n)}` };
    });
    const points = pairs(values);
    const line = { kind: "line", points, ...look, label: called(s) };
    return {
      x: { label: "first count of the dataset", low: -0.5, high: s.n + 0.5 },
      y: { label: "worst loss", low: 0, high: Math.max(epsilon, found.guarantee ?? 0, found.promise ?? 0) * 1.1 },
      marks: [
        ...level(found.promise, "1 4", "promise"),
        ...level(found.guarantee, "7 4", "guarantee"),
        points.length > 60 ? line : dots(points, look, called(s)),
        here(x, epsilon, "witness"),
      ],
      values,
      start: s.x,
      caption:
        say`The worst loss is ${epsilon}: the release ${counts(output, s.n)} is ${Math.exp(epsilon)} times as probable ` +
        `for the counts ${counts(x, s.n)} as for ${counts(neighbour, s.n)}. For this prior and n, ` +
        `${most(found.guarantee, "guaranteed")}; for every prior and n, ${most(found.promise, "promised")}.`,
    };
  }

  // the number of digits, at least three, that separates every bound from the exact value unless only rounding does
  function telling(lines, exact) {
    const apart = lines.map(({ value }) => value).filter((value) => Math.abs(value - exact) > 1e-9 * exact);
    const alike = (count) => apart.some((value) => digits(value, count) === digits(exact, count));
    return [3, 4, 5, 6, 7, 8].find((count) => !alike(count)) ?? 9;
  }

  const vacuous = ({ side, value }) => (side === "upper bound" ? value >= 1 : side === "lower bound" && value <= 0);
  const verdict = (line) => (!line.holds ? "is false" : vacuous(line) ? "is true but vacuous" : "is true");

  // the distribution of the error, and the bounds of Theorem 4.5 if the theorem has any for this mechanism
  function error(s, found) {
    const lines = dpbi.theorem.check(s, found);
    // a bound that follows from an exact formula is not drawn
    const formulas = lines.filter(({ side }) => side === "value");
    const drawn = formulas.length ? formulas : lines;
    const tell = saying(telling(lines, found.below));
    const word = ({ corrected }) => (corrected ? "corrected" : "printed");
    // every function of t is constant from one possible distance to the next
    const ends = [...found.errors.slice(1).map(({ distance }) => distance), 1];
    const last = found.errors[found.errors.length - 1];
    const curve = (value) => [...found.errors.map((atom) => [atom.distance, value(atom)]), [1, value(last)]];
    const byWord = (corrected) => drawn.filter((line) => line.corrected === corrected);
    const bound = (line) => curve((atom) => line.bound(s, atom));
    const band = byWord(true);
    const name = (line, ...others) => `${word(line)} ${others.length ? "bounds" : line.side}`;
    const exact = lines.length ? { color: "currentColor" } : LOOKS[s.mechanism];
    const said = lines.map((line) => tell`The ${word(line)} ${line.side} of ${line.value} ${verdict(line)}.`);
    return {
      x: { label: "t", low: 0, high: 1 },
      y: { label: "Pr[H < t]", low: 0, high: 1.02 },
      marks: [
        ...(band.length > 1 ? [{ kind: "band", low: bound(band[0]), high: bound(band[1]), color: HOLDS, opacity: 0.3 }] : []),
        ...band.map((line, i) => ({
          kind: "steps", points: bound(line), color: HOLDS, width: band.length > 1 ? 1 : 6, opacity: 0.7, label: !i && name(...band),
        })),
        { kind: "steps", points: curve(({ upTo }) => upTo), ...exact, width: 2.2, label: `${called(s)}, exact` },
        ...byWord(false).map((line, i) => ({ kind: "steps", points: bound(line), color: PRINTED, dash: ["7 4", "2 3"][i], label: name(line) })),
        place(s.t, "currentColor", "t"),
      ],
      values: found.errors.map(({ distance, probability, upTo }, i) => ({
        x: ends[i],
        y: upTo,
        text: () => say`error ${distance} has probability ${probability}; an error below ${ends[i]} has probability ${upTo}`,
      })),
      caption: [
        say`The mean error is ${found.meanError}; with probability at least 0.9 the error is at most ${found.quantile}.`,
        tell`The error is below t = ${s.t} with probability ${found.below}` +
          (lines.length ? tell`, that is, for up to ${plural(found.down, "step")} down and ${plural(found.up, "step")} up from the true count. ${said.join(" ")}` : "."),
      ].join(" "),
    };
  }

  // every mechanism at the same epsilon
  function comparison(s) {
    const words = (mechanism) => called({ ...s, mechanism });
    const rows = DIFFERENT.map((name) => {
      const divisor = name === s.mechanism ? s.divisor : dpbi.mechanisms.ALL[name].divisor;
      const { audit: { epsilon: x }, meanError: y } = dpbi.audit.explore({ ...s, mechanism: name, divisor });
      return { name, x, y, text: () => say`${sentence(words(name))}: loss ${x}, mean error ${y}` };
    }).sort((one, other) => one.x - other.x);
    const nearest = rows.reduce((best, row) => (row.y < best.y ? row : best));
    const shown = [s.mechanism, nearest.name, "lshist", "ehd"]; // these have colours and names, the others are grey
    const beside = ({ name, x, y }) => ({ x, y, text: words(name), color: "currentColor" });
    const of = (name) => say`${rows.find((row) => row.name === name).y} for ${words(name)}`;
    return {
      x: { label: "exact loss", low: 0, high: Math.max(...rows.map(({ x }) => x)) * 1.08 },
      y: { label: "mean error", low: 0, high: Math.max(...rows.map(({ y }) => y)) * 1.12 },
      marks: [
        ...rows.map(({ name, x, y }) => ({ ...dots([[x, y]], shown.includes(name) ? LOOKS[name] : OTHERS), radius: 6 })),
        { kind: "names", names: rows.filter(({ name }) => shown.includes(name)).map(beside) },
      ],
      values: rows,
      caption:
        say`All mechanisms are compared at ε = ${s.epsilon} and the counts ${counts(s.x, s.n)}. The smallest mean error is ${nearest.y}, for ` +
        say`${words(nearest.name)}, whose loss is ${nearest.x}. The mean error is ${of("lshist")} and ${of("ehd")}. ` +
        "Point at a grey mark to read its name.",
    };
  }

  // the summary of a setting, which screen readers hear
  function summary(s, found) {
    const [mean, below, worst] = [found.meanError, found.below, found.audit.epsilon].map(short);
    return (
      say`${sentence(called(s))} at ε = ${s.epsilon}, prior (${s.first}, ${s.second}), counts ${counts(s.x, s.n)}: ` +
      say`the mean error is ${mean}, and the error is below ${s.t} with probability ${below}. The worst privacy loss is ${worst}, ` +
      `and ${most(found.guarantee, "guaranteed")}.`
    );
  }

  // dragging in a panel with `picks` turns that knob
  const PANELS = {
    posterior: { title: "The true and the released posterior", draw: posterior },
    law: { title: "The distribution of the release", draw: law },
    error: { title: "Probability that the error is below t", draw: error, picks: "t" },
    loss: { title: "The exact privacy loss", draw: loss },
    comparison: { title: "The mechanisms at this budget", draw: comparison, rests: true },
  };

  return { PANELS, summary };
})();
