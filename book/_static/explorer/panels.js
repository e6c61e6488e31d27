// What the figures show: each panel turns a setting, and what was found of it, into axes, marks, values and a caption.
"use strict";

dpbi.panels = (() => {
  const { digits } = dpbi.draw;
  const { called, sentence, short, place, hills, DIFFERENT } = dpbi.parts;
  const { plugIn } = dpbi.inference;
  const { truth: TRUTH, mechanisms: LOOKS } = dpbi.table;
  const [PRINTED, HOLDS] = ["var(--printed)", "var(--holds)"];

  // a sentence whose numbers are written in three digits, or in as many as are asked for
  const saying = (count) => (words, ...values) =>
    String.raw({ raw: words }, ...values.map((value) => (typeof value === "number" ? digits(value, count) : value)));
  const say = saying(3);
  const counts = (x, n) => `(${x}, ${n - x})`;
  const beta = (a, b) => say`Beta(${a}, ${b})`;
  const most = (value, what) => (value === null ? `nothing is ${what}` : say`${what} is at most ${value}`);

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
      values: density.map(([x, y], i) => ({ x, y, text: () => say`share ${x}: density ${y}, released ${released[i][1]}` })),
      start: Math.floor(density.length / 2),
      caption:
        say`True is ${beta(a, b)} with mean ${a / (a + b)}. This draw releases ${beta(c, d)} ` +
        say`with mean ${c / (c + d)}, at Hellinger distance ${found.releasedError}. One replaced record moves the true ` +
        say`posterior by at most ${found.localSensitivity}, and at any dataset by at most ${found.globalSensitivity}.`,
    };
  }

  function law(s, found) {
    const p = found.probabilities;
    const top = Math.max(...p);
    const shown = [...p.keys()].filter((r) => p[r] > 1e-3 * top || r === s.x || r === found.released);
    const low = Math.max(0, shown[0] - 2);
    const high = Math.min(s.n, shown[shown.length - 1] + 2);
    const values = [];
    for (let r = low; r <= high; r++) {
      const text = () => say`${counts(r, s.n)} has probability ${p[r]}, at distance ${found.distances[r]}`;
      values.push({ x: r, y: p[r], text });
    }
    const look = LOOKS[s.mechanism];
    const points = pairs(values);
    const line = { kind: "line", points, ...look, label: called(s) };
    const stems = [{ kind: "stems", points, ...look, width: 1.5 }, dots(points, look, called(s))];
    return {
      x: { label: "first count released", low: low - 0.5, high: high + 0.5 },
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
        `Draw ${s.seed} releases ${counts(found.released, s.n)}.`,
    };
  }

  function loss(s, found) {
    const look = LOOKS[s.mechanism];
    const { down, up } = found.losses;
    const { epsilon, x, neighbour, output } = found.audit;
    const values = Array.from(down, (here, first) => {
      const [y, to] = here >= up[first] ? [here, first - 1] : [up[first], first + 1];
      return { x: first, y, text: () => say`${counts(first, s.n)} loses at most ${y}, to ${counts(to, s.n)}` };
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
        say`The worst loss is ${epsilon}: ${counts(output, s.n)} is ${Math.exp(epsilon)} times as likely ` +
        `from ${counts(x, s.n)} as from ${counts(neighbour, s.n)}. At this prior and n ` +
        `${most(found.guarantee, "guaranteed")}; for every prior and n ${most(found.promise, "promised")}.`,
    };
  }

  // how many digits tell a value of a line from the exact one, three at least; what differs by rounding is the same
  function telling(lines, exact) {
    const apart = lines.map(({ value }) => value).filter((value) => Math.abs(value - exact) > 1e-9 * exact);
    const alike = (count) => apart.some((value) => digits(value, count) === digits(exact, count));
    return [3, 4, 5, 6, 7, 8].find((count) => !alike(count)) ?? 9;
  }

  const vacuous = ({ side, value }) => (side === "upper bound" ? value >= 1 : side === "lower bound" && value <= 0);
  const verdict = (line) => (!line.holds ? "is false" : vacuous(line) ? "holds and says nothing" : "holds");

  // the law of the error, and beside it what Theorem 4.5 says of this mechanism, if it says anything
  function error(s, found) {
    const lines = dpbi.theorem.check(s, found);
    // an equation says more than the bound that follows from it
    const equations = lines.filter(({ side }) => side === "equation");
    const drawn = equations.length ? equations : lines;
    const tell = saying(telling(lines, found.below));
    const word = ({ corrected }) => (corrected ? "corrected" : "printed");
    // constant for t from one distance to the next
    const ends = [...found.errors.slice(1).map(({ distance }) => distance), 1];
    const last = found.errors[found.errors.length - 1];
    const curve = (value) => [...found.errors.map((atom) => [atom.distance, value(atom)]), [1, value(last)]];
    const byWord = (corrected) => drawn.filter((line) => line.corrected === corrected);
    const bound = (line) => curve((atom) => line.bound(s, atom));
    const band = byWord(true);
    const name = (line, ...others) => [`${word(line)} ${line.side}`, ...others.map(({ side }) => side)].join(" and ");
    const exact = lines.length ? { color: "currentColor" } : LOOKS[s.mechanism];
    const said = lines.map((line) => tell`The ${word(line)} ${line.side} is ${line.value} and ${verdict(line)}.`);
    return {
      x: { label: "t", low: 0, high: 1 },
      y: { label: "Pr[H < t]", low: 0, high: 1.02 },
      marks: [
        ...(band.length > 1 ? [{ kind: "band", low: bound(band[0]), high: bound(band[1]), color: HOLDS, opacity: 0.25 }] : []),
        ...band.map((line, i) => ({
          kind: "steps", points: bound(line), color: HOLDS, width: band.length > 1 ? 1 : 6, opacity: 0.5, label: !i && name(...band),
        })),
        { kind: "steps", points: curve(({ upTo }) => upTo), ...exact, width: 2.2, label: `${called(s)}, exact` },
        ...byWord(false).map((line, i) => ({ kind: "steps", points: bound(line), color: PRINTED, dash: ["7 4", "2 3"][i], label: name(line) })),
        place(s.t, "currentColor", "t"),
      ],
      values: found.errors.map(({ distance, probability, upTo }, i) => ({
        x: ends[i],
        y: upTo,
        text: () => say`error ${distance} has probability ${probability}; below ${ends[i]}: ${upTo}`,
      })),
      caption: [
        say`The mean error is ${found.meanError}; nine draws in ten stay within ${found.quantile}.`,
        tell`The error is below t = ${s.t} with probability ${found.below}` +
          (lines.length ? tell`: ${found.down} down and ${found.up} up are the steps inside. ${said.join(" ")}` : "."),
      ].join(" "),
    };
  }

  // every mechanism at the same epsilon
  function comparison(s) {
    const words = (mechanism) => called({ ...s, mechanism });
    const rows = DIFFERENT.map((name) => {
      const divisor = name === s.mechanism ? s.divisor : dpbi.mechanisms.ALL[name].divisor;
      const { loss: x, meanError: y } = dpbi.audit.explore({ ...s, mechanism: name, divisor });
      return { name, x, y, text: () => say`${sentence(words(name))}: loss ${x}, mean error ${y}` };
    }).sort((one, other) => one.x - other.x);
    const nearest = rows.reduce((best, row) => (row.y < best.y ? row : best));
    const shown = [s.mechanism, nearest.name, "lshist", "ehd"]; // in colour and with their names
    const beside = ({ name, x, y }) => ({ x, y, text: words(name), color: "currentColor" });
    const off = (name) => say`${words(name)} is off by ${rows.find((row) => row.name === name).y}`;
    return {
      x: { label: "exact loss", low: 0, high: Math.max(...rows.map(({ x }) => x)) * 1.08 },
      y: { label: "mean error", low: 0, high: Math.max(...rows.map(({ y }) => y)) * 1.12 },
      marks: [
        ...rows.map(({ name, x, y }) => ({ ...dots([[x, y]], shown.includes(name) ? LOOKS[name] : OTHERS), radius: 6 })),
        { kind: "names", names: rows.filter(({ name }) => shown.includes(name)).map(beside) },
      ],
      values: rows,
      caption:
        say`All at ε = ${s.epsilon} and counts ${counts(s.x, s.n)}. The smallest mean error, ${nearest.y}, is that ` +
        say`of ${words(nearest.name)}, which loses ${nearest.x}; ${off("lshist")} and ${off("ehd")} on average. ` +
        "The pointer names those in grey.",
    };
  }

  // one sentence for all of it
  function summary(s, found) {
    const [mean, below, worst] = [found.meanError, found.below, found.loss].map(short);
    const proved = found.guarantee === null ? "nothing is" : `at most ${short(found.guarantee)} is`;
    return (
      say`${sentence(called(s))} at ε = ${s.epsilon}, prior (${s.first}, ${s.second}), counts ${counts(s.x, s.n)}: ` +
      say`the error is ${mean} on average and below ${s.t} with probability ${below}; the worst privacy loss is ${worst}, ` +
      `and ${proved} guaranteed.`
    );
  }

  // the ones with `picks` let a hand on the figure turn that knob
  const PANELS = {
    posterior: { title: "The posterior, true and released", draw: posterior },
    law: { title: "What can be released, and how probably", draw: law },
    error: { title: "How probably the error is below t", draw: error, picks: "t" },
    loss: { title: "The exact privacy loss", draw: loss },
    comparison: { title: "The mechanisms at this budget", draw: comparison, rests: true },
  };

  return { PANELS, summary };
})();
