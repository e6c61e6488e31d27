// The pictures of single pages of the book, for two categories. findings.js computes their numbers.
"use strict";

(() => {
  const { ALL, fill } = dpbi.pictures;
  const { findings, audit } = dpbi;
  const {
    ONE, TWO, THREE, WORDS, COMPARED, called, plural, EPSILON, WEIGHT, count, setting, curve, dots, place, level, along, times, short,
  } = dpbi.parts;

  const RECORDS = (high, start) => ({ label: "records n", low: 1, high, log: high > 500, whole: true, start });
  const SHARE = { label: "probability γ of a larger error", low: 0.001, high: 0.9, log: true, start: 0.1 };
  const DELTA = { label: "slack δ", low: 1e-12, high: 0.1, log: true, start: 1e-8 };
  const firsts = (n) => ({ label: "first count x", low: -0.5, high: n + 0.5 });
  const sizesAxis = (sizes) => {
    const [low, high] = [Math.log10(sizes[0]), Math.log10(sizes[sizes.length - 1])];
    const ticks = [1, 3, 10, 30, 100, 300, 1000, 3000].map((n) => [Math.log10(n), n]).filter(([at]) => at >= low && at <= high);
    return { label: "number of records", low, high, ticks };
  };
  const highest = (...rows) => rows.flatMap((row) => [...row]).reduce((most, value) => Math.max(most, value), 0);
  const listed = (row) => [...row].map((y, x) => [x, y]);
  const by = (sizes, row) => sizes.map((n, i) => [Math.log10(n), row[i]]);

  // One line for each row of numbers, against the number of records; all rows have the same sizes
  const LOOKS = [[ONE, ""], [TWO, "7 4"], [THREE, "2 3"]];
  const bySize = (figure, title, { sizes, rows, names, y, marks, caption }) =>
    figure(title).show({
      x: sizesAxis(sizes),
      y: { label: y, low: 0, high: 1.08 * highest(...rows, [1]) },
      marks: [
        ...rows.map((row, i) => curve(by(sizes, row), LOOKS[i][0], names[i], { dash: LOOKS[i][1], width: 2.2 })),
        ...marks,
      ],
      values: sizes.map((n, i) => ({
        x: Math.log10(n), y: rows[0][i],
        text: () => `n = ${n}: ${names.map((name, j) => `${name} ${short(rows[j][i])}`).join(", ")}`,
      })),
      caption,
    });

  // How sensitive is a posterior?
  ALL.sensitivity = {
    knobs: { weight: { ...WEIGHT, low: 0.01, start: 1 }, n: RECORDS(200, 20), gamma: { label: "smoothness γ", low: 0.01, high: 100, log: true, start: 1 } },
    draw(values, { figure }) {
      const s = { ...setting({ ...values, epsilon: 1 }), gamma: values.gamma };
      const { local, smooth, global, printed } = findings.sensitivities(s);
      figure("How far one record moves the posterior").show({
        x: firsts(s.n),
        y: { label: "sensitivity", low: 0, high: 1.08 * Math.max(global, printed) },
        marks: [
          along(listed(smooth), THREE, "D", "smooth"),
          along(listed(local), ONE, "o", "local"),
          level(global, "global, exact"),
          { kind: "horizontal", at: printed, color: TWO, dash: "2 3", width: 1.8, label: "global, as printed" },
        ],
        values: [...local].map((y, x) => ({ x, y, text: () => `x = ${x}: local ${short(y)}, smooth ${short(smooth[x])}` })),
        start: Math.floor(s.n / 2),
        caption: "The local sensitivity belongs to one dataset; the global one is the largest of all. The printed constant should not be below any point.",
      });
      const verdict = global > printed * (1 + 1e-12) ? "too small" : global < printed * (1 - 1e-12) ? "larger than necessary" : "exact";
      return `The global sensitivity is ${short(global)}, and the printed constant ${short(printed)} is ${verdict} here.`;
    },
  };

  // The error in steps of the count
  ALL.steps = {
    knobs: { n: RECORDS(80, 20), x: count("first count x", 10), epsilon: { ...EPSILON, low: 0.2, start: 0.8 }, share: SHARE },
    draw(values, { figure }) {
      const s = setting({ ...values, mechanism: "lshist" });
      const { ratios, exact, allowed, needed, printed, corrected } = findings.errorInSteps(s, values.share);
      const [low, high] = [Math.max(0, s.x - needed - 3), Math.min(s.n, s.x + needed + 3)];
      const shown = [...ratios].map((y, r) => [r - s.x, y]).slice(low, high + 1);
      const inside = (from, to) => shown.filter(([j]) => Math.abs(j) >= from && Math.abs(j) <= to);
      figure("How far each number of steps moves the posterior").show({
        x: { label: "steps from the true count", low: low - s.x - 0.5, high: high - s.x + 0.5 },
        y: { label: "distance / LS(x)", low: 0, high: 1.08 * highest(shown.map(([, y]) => y)) },
        marks: [
          dots(inside(0, allowed), ONE, "o", "at most L steps"),
          dots(inside(allowed + 1, needed), TWO, "s", "one more step, due to rounding down"),
          { ...dots(inside(needed + 1, Infinity), "currentColor", "D", "farther"), radius: 3 },
          level(exact, "exact error"),
        ],
        values: shown.map(([j, y]) => ({ x: j, y, text: () => `${plural(j, "step")}: distance of ${short(y)} local sensitivities` })),
        start: s.x - low,
        caption: "The bound is the highest point of the first two kinds. The first kind alone gives a bound only if it reaches the line.",
      });
      const fails = exact > printed * (1 + 1e-9);
      return (
        `In at most L steps, here ${plural(allowed, "step")}, the posterior moves by at most ${short(printed)} local sensitivities; the error is ` +
        `${short(exact)} local sensitivities. So ${fails ? "one more step is needed" : "these steps are enough here"}; ` +
        `with ${plural(needed, "step")} the bound is ${short(corrected)}.`
      );
    },
  };

  // When does Laplace noise beat the exponential mechanism?
  const PRINTED_EHD = called({ mechanism: "ehd", sensitivity: "printed" });
  ALL.crossover = {
    knobs: {
      epsilon: { ...EPSILON, low: 0.1, high: 3, start: 0.8 },
      k: { label: "steps k within t", low: 0, high: 8, whole: true, start: 2 },
      weight: { ...WEIGHT, low: 1, high: 100 },
    },
    draw(values, { figure }) {
      const { k } = values;
      const s = setting({ ...values, n: 2 });
      const last = 2 * Math.ceil(Math.min(Math.max(12, 4 * k + 4, 1.3 * Math.min(findings.crossover(s, k, 0).claimed, 400)), 500) / 2);
      const { noise, sizes, from, claimed, below } = findings.crossover(s, k, last);
      const placed = (at, color, label, dash) => (at <= last ? [place(at, color, label, dash)] : []);
      figure("Probability that the error is below t").show({
        x: { label: "records n, half in each category", low: 2 * k, high: last },
        y: { label: "Pr[H < t]", low: 0, high: 1.02 },
        marks: [
          along(sizes.map(({ n, chosen }) => [n, chosen]), TWO, "s", PRINTED_EHD),
          { kind: "horizontal", at: noise, color: ONE, width: 2.4, label: WORDS.lshist },
          ...placed(from, "currentColor", "LSHist ahead from here", "1 3"),
          ...placed(claimed, THREE, "first corollary", "7 4"),
          ...placed(below, THREE, "second corollary", "2 3"),
        ],
        values: sizes.map(({ n, chosen }) => ({ x: n, y: chosen, text: () => `n = ${n}: ${PRINTED_EHD} ${short(chosen)}, LSHist ${short(noise)}` })),
        caption: "More records do not change the noise, but they give the exponential mechanism more candidates.",
      });
      const said = Number.isFinite(claimed) ? `${short(claimed)} or more records` : "no number of records";
      return (
        `With ${from} or more records LSHist is ahead of ${PRINTED_EHD}. The first corollary claims this for ${said}; the second ` +
        `claims that EHD is ahead with fewer than ${short(below)} records.`
      );
    },
  };

  // The smoothed mechanism, on two pages: its definition and its concrete epsilon
  const [FEW, MANY] = [[1, 2, 3, 5, 8, 12, 20, 30, 50], [20, 30, 45, 60, 75, 90, 105, 120, 150, 180]];
  const variants = (SIZES, n, delta) => ({
    knobs: { epsilon: { ...EPSILON, start: 0.8 }, delta: { ...DELTA, start: delta }, n: RECORDS(SIZES[SIZES.length - 1], n) },
    draw(values, { figure }) {
      const s = { ...setting(values), delta: values.delta };
      const [defined, plain] = [2, 1].map((divisor) => findings.smoothed(s, divisor));
      bySize(figure, "Privacy loss of the smoothed mechanism", {
        sizes: SIZES,
        rows: findings.losses([defined, plain], SIZES),
        names: ["as defined", "without the factor 2"],
        y: "exact loss / ε",
        marks: [level(1, "budget"), place(Math.log10(s.n), "currentColor", "n", "1 3")],
        caption: "The lines show the largest loss over all datasets with a given number of records. Where the loss is above the budget, the claim needs its slack δ.",
      });
      const needed = audit.loss(plain) > s.epsilon * (1 + 1e-9) ? audit.delta(plain) : 0;
      const verdict = needed > s.delta ? `more than the allowed ${short(s.delta)}: the claim is false` : "which is allowed";
      return (
        `With ${plural(s.n, "record")} and a budget of ${short(s.epsilon)}, the loss of the mechanism as defined is ` +
        `${short(audit.loss(defined))}, and without the factor 2 it is ${short(audit.loss(plain))}. Without the factor 2 the mechanism needs a δ of ` +
        `${short(needed)}, ${verdict}.`
      );
    },
  });
  ALL.smoothed = variants(FEW, 2, 1e-8);
  ALL.concrete = variants(MANY, 90, 5e-4);

  // Figure 3 of the Hellinger paper: errors of the smoothed mechanism and of the baselines, by number of records
  const GROWING = [20, 40, 80, 150, 250, 400, 600, 850, 1100, 1400, 1800, 2400, 3200];
  const STEP = 10; // only multiples of ten are compared, so that a tenth of the records is a whole number
  ALL.overtakes = {
    knobs: {
      epsilon: { ...EPSILON, low: 0.2, high: 3, start: 0.8 },
      share: { label: "share of the first category", low: 0, high: 1, start: 0.1 },
    },
    draw(values, { figure }) {
      const s = { ...setting({ ...values, n: 1 }), delta: 1e-8 };
      const of = (mechanism) => ({ ...s, mechanism });
      const all = [of("laplace_in_order"), findings.smoothed(s, 2), findings.smoothed(s, 1), of("lshist")];
      const [paper, ...others] = findings.meanErrors(all, GROWING, values.share);
      const rows = others.map((row) => row.map((error, i) => error / paper[i]));
      bySize(figure, "Mean error relative to the paper's Laplace noise", {
        sizes: GROWING,
        rows,
        names: ["M_H as defined", "M_H without the factor 2", WORDS.lshist],
        y: "error / error of Laplace noise",
        marks: [level(1, "Laplace noise of the paper")],
        caption: "Where a line is below one, the mechanism is ahead of the Laplace noise of the paper.",
      });
      const ahead = (i) => {
        const overtaken = (n) => {
          const [[theirs], [own]] = findings.meanErrors([all[0], all[i + 1]], [n], values.share);
          return own < theirs;
        };
        const from = findings.holdsFrom(GROWING, rows[i].map((ratio) => ratio < 1), overtaken, STEP);
        return from ? `for ${from} or more records` : `for no number of records up to ${GROWING[GROWING.length - 1]}`;
      };
      return `Among multiples of ten, M_H without the factor 2 is ahead ${ahead(1)}, and M_H as defined is ahead ${ahead(0)}.`;
    },
  };

  // The Domination theorem, dataset by dataset
  ALL.domination = {
    knobs: { mechanism: { label: "mechanism", choices: COMPARED, start: "ehd" }, epsilon: { ...EPSILON, low: 0.1, high: 4 }, n: { ...RECORDS(50, 20), low: 2 }, weight: WEIGHT },
    draw(values, { figure }) {
      const { epsilon, before, after } = findings.domination(setting(values));
      figure("Expected error at every dataset").show({
        x: firsts(values.n),
        y: { label: "expected error", low: 0, high: 1.1 * highest(before, after) },
        marks: [along(listed(before), TWO, "s", WORDS[values.mechanism]), along(listed(after), ONE, "o", "geometric noise with the remap of the proof")],
        values: [...before].map((y, x) => ({ x, y, text: () => `x = ${x}: expected error ${short(y)}, and ${short(after[x])} for geometric noise with the remap` })),
        start: Math.floor(values.n / 2),
        caption: "The proof constructs the remap for this mechanism. Both mechanisms have the same privacy loss.",
      });
      const gains = [...before].map((error, x) => after[x] / error);
      const [least, most] = [Math.min(...gains), Math.max(...gains)];
      return (
        `The privacy loss of ${WORDS[values.mechanism]} is ${short(epsilon)}. Geometric noise with the same loss and the remap of the proof ` +
        `has ${short(least)} to ${short(most)} times the error: it is nowhere less accurate.`
      );
    },
  };

  // What the exponential mechanisms leak, by number of records
  const LEAKING = [1, 2, 3, 5, 8, 12, 20, 35, 60, 100, 140];
  ALL.leaks = {
    knobs: {
      epsilon: { ...EPSILON, low: 0.1, high: 4, start: 0.8 },
      first: { label: "prior weight α₁", low: 0.01, high: 10_000, log: true, start: 1 },
      second: { label: "prior weight α₂", low: 0.01, high: 10_000_000, log: true, start: 1 },
    },
    draw(values, { figure }) {
      const s = { ...setting({ ...values, n: 1 }), first: values.first, second: values.second };
      const names = ["ehd", "ehdl", "ehds"];
      const rows = findings.losses(names.map((mechanism) => ({ ...s, mechanism })), LEAKING);
      bySize(figure, "Exact loss as a share of the budget", {
        sizes: LEAKING,
        rows,
        names: names.map((name) => WORDS[name]),
        y: "exact loss / ε",
        marks: [level(1, "budget"), { ...level(0.5, "half of the budget"), dash: "1 4" }],
        caption: "The lines show the worst loss over all datasets with a given number of records, their neighbours and all outputs.",
      });
      const lost = (i) => `${short(rows[0][i])} times its budget with ${LEAKING[i]} records`;
      return `The loss of the exponential mechanism (EHD) is ${lost(LEAKING.length - 1)}, and ${lost(5)}.`;
    },
  };

  // Which mechanism should I use: the cost of privacy in the length of an interval
  const PAID = [10, 18, 32, 56, 100, 180, 320, 560, 1000, 1800, 3200, 5600];
  ALL.price = {
    knobs: { epsilon: { ...EPSILON, low: 0.05, high: 4, start: 0.3 }, n: { ...RECORDS(5600, 100), low: 10 } },
    draw(values, { figure }) {
      const s = setting(values);
      const ratios = PAID.map((n) => findings.price({ ...s, n }));
      const here = findings.price(s);
      figure("What privacy costs").show({
        x: sizesAxis(PAID),
        y: { label: "length / length without noise", low: 1, high: 1 + 1.08 * Math.max(0.1, ...ratios.map((ratio) => ratio - 1)) },
        marks: [curve(by(PAID, ratios), ONE, "interval that accounts for the noise", { width: 2.4 }), level(1.1, "a tenth longer"), place(Math.log10(s.n), "currentColor", "n", "1 3")],
        values: PAID.map((n, i) => ({ x: Math.log10(n), y: ratios[i], text: () => `n = ${n}: ${times(ratios[i])}as long as without noise` })),
        caption: "All intervals are 95 % intervals for balanced counts with geometric noise, under a uniform prior.",
      });
      const fine = (ratio) => ratio <= 1.1;
      const enough = findings.holdsFrom(PAID, ratios.map(fine), (n) => fine(findings.price({ ...s, n })));
      return (
        `At n = ${s.n} and ε = ${short(s.epsilon)} the interval is ${times(here)}as long as without noise. ` +
        (enough ? `It is at most a tenth longer for ${enough} or more records.` : `Even for ${PAID[PAID.length - 1]} records it is more than a tenth longer.`)
      );
    },
  };

  fill();
})();
