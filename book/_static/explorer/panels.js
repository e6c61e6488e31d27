// What the figures show: each panel turns a setting, and what was found of it, into axes, marks, values and a caption.
"use strict";

dpbi.panels = (() => {
  const { digits, escaped } = dpbi.draw;
  const { ALL } = dpbi.mechanisms;
  const { called, sentence, short } = dpbi.parts;
  const { truth: TRUTH, mechanisms: LOOKS } = dpbi.table;

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
  const dots = (points, look, label) => ({ kind: "points", points, ...look, radius: 3.5, width: 0.2, label });
  const level = (at, dash, label) => (at === null ? [] : [{ kind: "horizontal", at, color: TRUTH, dash, label }]);
  const place = (at, color, dash, label) => ({ kind: "vertical", at, color, dash, label });
  const pairs = (values) => values.map(({ x, y }) => [x, y]);

  function posterior(s, found) {
    const r = found.released;
    const [a, b] = [s.first + s.x, s.second + (s.n - s.x)];
    const [c, d] = [s.first + r, s.second + (s.n - r)];
    const [density, released] = [dpbi.special.density(a, b), dpbi.special.density(c, d)];
    const shares = Array.from({ length: 199 }, (_, i) => (i + 1) / 200);
    const values = shares.map((x) => ({
      x,
      y: density(x),
      text: () => say`share ${x}: density ${density(x)}, released ${released(x)}`,
    }));
    const publicly = shares.map((x) => [x, released(x)]);
    const ends = 2; // where small parameters make it infinite
    const top = Math.max(...shares.slice(ends, -ends).flatMap((x) => [density(x), released(x)]));
    return {
      x: { label: "share of the first category", low: 0, high: 1 },
      y: { label: "density", low: 0, high: top * 1.06 },
      marks: [
        { kind: "line", points: pairs(values), color: TRUTH, label: "true" },
        { kind: "line", points: publicly, ...LOOKS[s.mechanism], dash: "7 4", label: "released" },
      ],
      values,
      start: 99,
      caption:
        say`True is ${beta(a, b)} with mean ${a / (a + b)}. This draw releases ${beta(c, d)} ` +
        say`with mean ${c / (c + d)}, at Hellinger distance ${found.releasedError}.`,
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
        place(s.x, TRUTH, "5 4", "true count"),
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

  function error(s, found) {
    const look = LOOKS[s.mechanism];
    const values = found.errors.map(({ distance, upTo, probability }) => ({
      x: distance,
      y: upTo,
      text: () => say`error ${distance} has probability ${probability}; at most that: ${upTo}`,
    }));
    const points = pairs(values);
    return {
      x: { label: "Hellinger error", low: 0, high: 1 },
      y: { label: "probability of at most that", low: 0, high: 1.02 },
      marks: [
        { kind: "steps", points: [[0, 0], ...points, [1, 1]], ...look, label: called(s) },
        ...(points.length > 40 ? [] : [dots(points, look)]),
        place(found.meanError, "currentColor", "1 3", "mean"),
        place(s.t, TRUTH, "5 4", "t"),
      ],
      values,
      caption:
        say`The mean error is ${found.meanError}; nine draws in ten stay within ${found.quantile}. ` +
        say`An error below ${s.t} has probability ${found.below}.`,
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

  // how many digits tell a value of a line from the exact one, three at least
  function telling(lines, exact) {
    const alike = (count) => lines.some(({ value }) => value !== exact && digits(value, count) === digits(exact, count));
    return [3, 4, 5, 6, 7, 8].find((count) => !alike(count)) ?? 9;
  }

  const vacuous = ({ side, value }) => (side === "upper bound" ? value >= 1 : side === "lower bound" && value <= 0);
  const verdict = (line) => (!line.holds ? "is false" : vacuous(line) ? "holds and says nothing" : "holds");

  // null where the theorem is silent
  function theorem(s, found) {
    const lines = dpbi.theorem.check(s, found);
    if (!lines.length) return null;
    // an equation says more than the bound that follows from it
    const equations = lines.filter(({ side }) => side === "equation");
    const drawn = equations.length ? equations : lines;
    const tell = saying(telling(lines, found.below));
    const name = ({ corrected, side }) => `${corrected ? "corrected" : "printed"} ${side.replace(" bound", "")}`;
    const dashes = ({ corrected, side }) => (corrected ? "1.5 3" : side === "upper bound" ? "9 3 2 3" : "7 4");
    const among = (wanted, atom) =>
      drawn.filter(({ corrected }) => corrected === wanted).map(({ bound }) => short(bound(s, atom))).join(" to ");
    // constant for t from one distance to the next
    const ends = [...found.errors.slice(1).map(({ distance }) => distance), 1];
    const last = found.errors[found.errors.length - 1];
    const curve = (value) => [...found.errors.map((atom) => [atom.distance, value(atom)]), [1, value(last)]];
    return {
      x: { label: "t", low: 0, high: 1 },
      y: { label: "Pr[H < t]", low: 0, high: 1.02 },
      marks: [
        { kind: "steps", points: curve(({ upTo }) => upTo), ...LOOKS[s.mechanism], width: 2.4, label: "exact" },
        ...drawn.map((line) => {
          const points = curve((atom) => line.bound(s, atom));
          return { kind: "steps", points, color: TRUTH, width: 1.5, dash: dashes(line), label: name(line) };
        }),
        place(s.t, "currentColor", "5 4", "t"),
      ],
      values: found.errors.map((atom, i) => ({
        x: ends[i],
        y: atom.upTo,
        text: () =>
          say`t up to ${ends[i]}: exactly ${atom.upTo}, printed ${among(false, atom)}, corrected ${among(true, atom)}`,
      })),
      caption: [
        tell`At t = ${s.t} the probability is ${found.below}, with ${found.down} steps down and ${found.up} up inside.`,
        ...lines
          .filter(({ corrected }) => !corrected)
          .map((line) => tell`The printed ${line.side}, ${line.value}, ${verdict(line)}.`),
      ].join(" "),
      details: `<ul class="lines">${lines.map((line) => item(line, tell)).join("")}</ul>`,
    };
  }

  // a line of the theorem in words, with a link to its claim
  function item(line, tell) {
    const formula = escaped(line.text).replace(/\^\(((?:[^()]|\([^()]*\))*)\)/g, "<sup>$1</sup>");
    const address = `${dpbi.root}book/ledger.html#claim-${line.claim.replace(/\W+/g, "-")}`;
    return (
      `<li><strong>${line.corrected ? "Corrected" : "Printed"} ${line.side}:</strong> ` +
      tell`Pr[H &lt; t] ${escaped(line.relation)} ${formula} = ${line.value}, ${verdict(line)} ` +
      `(<a href="${address}">${line.claim}</a>).</li>`
    );
  }

  const silent = ({ mechanism }) =>
    mechanism === "ehd"
      ? "Theorem 4.5 is about EHD with the printed sensitivity: choose that one to compare."
      : `Theorem 4.5 has no line for ${called({ mechanism })}.`;

  // every mechanism at the same epsilon, but those that for two categories do the same as one before them
  const patterns = Object.values(ALL).map(({ pattern }) => JSON.stringify(pattern));
  const COMPARED = Object.keys(ALL).filter((_, place) => patterns.indexOf(patterns[place]) === place);

  function comparison(s) {
    const words = (mechanism) => called({ ...s, mechanism });
    const rows = COMPARED.map((name) => {
      const divisor = name === s.mechanism ? s.divisor : ALL[name].divisor;
      const { loss: x, meanError: y } = dpbi.audit.explore({ ...s, mechanism: name, divisor });
      return { name, x, y, text: () => say`${sentence(words(name))}: loss ${x}, mean error ${y}` };
    }).sort((one, other) => one.x - other.x);
    const nearest = rows.reduce((best, row) => (row.y < best.y ? row : best));
    const off = (name) => say`${words(name)} is off by ${rows.find((row) => row.name === name).y}`;
    return {
      x: { label: "exact loss", low: 0, high: Math.max(...rows.map(({ x }) => x)) * 1.08 },
      y: { label: "mean error", low: 0, high: Math.max(...rows.map(({ y }) => y)) * 1.12 },
      marks: rows.map(({ name, x, y }) => ({ ...dots([[x, y]], LOOKS[name], words(name)), radius: 6 })),
      values: rows,
      caption:
        say`All at ε = ${s.epsilon} and counts ${counts(s.x, s.n)}. The smallest mean error, ${nearest.y}, is that ` +
        say`of ${words(nearest.name)}, which loses ${nearest.x}; ${off("lshist")} and ${off("ehd")} on average.`,
    };
  }

  const NUMBERS = {
    "local sensitivity LS(x)": "localSensitivity",
    "global sensitivity GS": "globalSensitivity",
    "smooth sensitivity S(x)": "smoothSensitivity",
    "printed sensitivity √(1 − π/4)": "printedSensitivity",
    "mean error E[H]": "meanError",
    "error that one draw in ten exceeds": "quantile",
    "Pr[H < t]": "below",
    "Pr[H ≥ t]": "tail",
    "error of this draw": "releasedError",
    "exact loss": "loss",
    "guarantee here": "guarantee",
    "promise everywhere": "promise",
  };

  function numbers(found) {
    const rows = Object.entries(NUMBERS).filter(([, name]) => found[name] !== null);
    const row = ([words, name]) => `<tr><th scope="row">${escaped(words)}</th><td>${digits(found[name])}</td></tr>`;
    return `<caption>The numbers</caption><tbody>${rows.map(row).join("")}</tbody>`;
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
    error: { title: "The law of the error", draw: error, picks: "t" },
    loss: { title: "The exact privacy loss", draw: loss },
    theorem: { title: "Theorem 4.5 against the truth", draw: theorem, picks: "t", silent },
    comparison: { title: "All mechanisms at this budget", draw: comparison, rests: true },
  };

  return { PANELS, numbers, summary };
})();
