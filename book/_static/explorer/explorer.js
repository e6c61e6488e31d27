// The explorer: fills every <div class="dpbi-explorer"> with knobs and figures that follow them.
//
//   data-setting     where the knobs start, for instance "n=40 x=20 mechanism=ehd epsilon=0.8"
//   data-knobs       which knobs are shown, all if absent
//   data-panels      which figures are shown, all if absent
//   data-mechanisms  which mechanisms can be chosen, all if absent
//   data-url         if present, the setting is kept in the address of the page
"use strict";

(() => {
  const { element, figure, digits, escaped } = dpbi.draw;
  const { ALL } = dpbi.mechanisms;
  const TRUTH = dpbi.styles.truth;

  // The knobs. A setting is an object with a value for each.

  const KNOBS = {
    first: { group: "Data", label: "prior α₁", low: 0.01, high: 1000, log: true, start: 1 },
    second: { group: "Data", label: "prior α₂", low: 0.01, high: 1000, log: true, start: 1 },
    n: { group: "Data", label: "records n", low: 1, high: 500, whole: true, start: 20 },
    x: { group: "Data", label: "first count x", low: 0, high: 500, whole: true, start: 14 },
    mechanism: { group: "Mechanism", label: "mechanism", choices: Object.keys(ALL), start: "lshist" },
    epsilon: { group: "Mechanism", label: "budget ε", low: 0.01, high: 10, log: true, start: 0.8 },
    sensitivity: { group: "Mechanism", label: "sensitivity GS", choices: ["exact", "printed"], start: "exact" },
    gamma: { group: "Mechanism", label: "smoothness γ", low: 0.01, high: 100, log: true, start: 1 },
    delta: { group: "Mechanism", label: "probability δ", low: 1e-12, high: 0.1, log: true, start: 1e-6 },
    divisor: { group: "Mechanism", label: "divisor c", low: 0.5, high: 20, log: true, start: 4 },
    t: { group: "Question", label: "threshold t", low: 0.001, high: 0.999, start: 0.35 },
    seed: { group: "Question", label: "seed", low: 0, high: 2 ** 32 - 1, whole: true, start: 2020 },
  };
  const SENSITIVITIES = { exact: "exact, of this prior and n", printed: "printed, √(1 − π/4)" };
  const OPTIONAL = new Set(["sensitivity", "gamma", "delta", "divisor"]);
  const used = (setting, name) => !OPTIONAL.has(name) || (ALL[setting.mechanism].knobs ?? []).includes(name);
  const largest = (setting, name) => (name === "x" ? setting.n : KNOBS[name].high);

  // the value that a text stands for, or an error that says what is allowed
  function parsed(setting, name, text) {
    const { low, whole, choices, label } = KNOBS[name];
    if (choices) {
      if (choices.includes(text)) return text;
      throw new RangeError(`${label} must be one of ${choices.join(", ")}, got ${text}`);
    }
    const high = largest(setting, name);
    const value = String(text).trim() === "" ? NaN : Number(text);
    if (value >= low && value <= high && (!whole || Number.isInteger(value))) return value;
    throw new RangeError(`${label} must be ${whole ? "a whole number" : "a number"} from ${low} to ${high}, got ${text || "nothing"}`);
  }

  // the setting with one knob turned; what depends on it follows
  function turned(setting, name, value) {
    const next = { ...setting, [name]: value };
    next.x = Math.min(next.x, next.n);
    if (name === "mechanism") next.divisor = ALL[value].divisor ?? next.divisor;
    return next;
  }

  const START = Object.fromEntries(Object.entries(KNOBS).map(([name, { start }]) => [name, start]));

  // a setting from text like "n=40&x=20" or "n=40 x=20", and the complaints about what it could not use
  function read(text, start = START) {
    const given = new URLSearchParams(text.trim().replace(/\s+/g, "&"));
    let setting = start;
    const wrong = [];
    for (const name of ["mechanism", "n", ...Object.keys(KNOBS)]) {
      if (!given.has(name)) continue;
      try {
        setting = { ...turned(setting, name, parsed(setting, name, given.get(name))) };
      } catch (error) {
        wrong.push(error.message);
      }
      if (name === "mechanism" || name === "n") given.delete(name); // once, before what depends on them
    }
    return { setting, wrong };
  }

  const written = (setting) =>
    Object.keys(KNOBS)
      .filter((name) => used(setting, name))
      .map((name) => `${name}=${setting[name]}`)
      .join("&");

  // Words

  const data = (x, n) => `(${x}, ${n - x})`;
  const beta = (a, b) => `Beta(${digits(a)}, ${digits(b)})`;
  const styleOf = (name) => ({ color: dpbi.styles.mechanisms[name].color, marker: dpbi.styles.mechanisms[name].marker });
  const formula = (text) => escaped(text).replace(/\^\(((?:[^()]|\([^()]*\))*)\)/g, "<sup>$1</sup>");
  const vacuous = (line) => (line.side === "upper" ? line.value >= 1 : line.side === "lower" && line.value <= 0);
  const verdict = (line) => (line.holds ? (vacuous(line) ? "holds and says nothing" : "holds") : "is false");
  const bounded = (value, what) => (value === null ? `nothing is ${what}` : `${what} is at most ${digits(value)}`);

  // Panels: each turns a setting and what was found of it into a figure

  const PANELS = {
    posterior: {
      title: "The posterior, true and released",
      draw(s, found) {
        const [a, b] = [s.first + s.x, s.second + s.n - s.x];
        const [c, d] = [s.first + found.released, s.second + s.n - found.released];
        const [truth, release] = [dpbi.special.density(a, b), dpbi.special.density(c, d)];
        const values = Array.from({ length: 199 }, (_, i) => {
          const x = (i + 1) / 200;
          const y = truth(x);
          return { x, y, released: release(x), text: () => `share ${digits(x, 3)}: density ${digits(y)}, released ${digits(release(x))}` };
        });
        const top = Math.max(...values.slice(2, -2).flatMap(({ y, released }) => [y, released]));
        return {
          x: { label: "share of the first category", low: 0, high: 1 },
          y: { label: "density", low: 0, high: top * 1.06 },
          marks: [
            { kind: "line", points: values.map(({ x, y }) => [x, y]), color: TRUTH, label: "true" },
            { kind: "line", points: values.map(({ x, released }) => [x, released]), ...styleOf(s.mechanism), dash: "7 4", label: "released" },
          ],
          values,
          start: 99,
          caption: `True is ${beta(a, b)} with mean ${digits(a / (a + b))}. This draw releases ${beta(c, d)} with mean ${digits(c / (c + d))}, at Hellinger distance ${digits(found.releasedError)}.`,
        };
      },
    },
    law: {
      title: "What can be released, and how probably",
      draw(s, found) {
        const p = found.probabilities;
        const most = p.reduce((high, value) => Math.max(high, value), 0);
        const likely = [...p.keys()].filter((r) => p[r] > 1e-3 * most || r === s.x || r === found.released);
        const low = Math.max(0, likely[0] - 2);
        const high = Math.min(s.n, likely[likely.length - 1] + 2);
        const values = [];
        for (let r = low; r <= high; r++) values.push({ x: r, y: p[r], text: () => `${data(r, s.n)} has probability ${digits(p[r])}, at distance ${digits(found.distances[r])}` });
        const points = values.map(({ x, y }) => [x, y]);
        const look = styleOf(s.mechanism);
        const few = points.length <= 70;
        return {
          x: { label: "first count released", low: low - 0.5, high: high + 0.5 },
          y: { label: "probability", low: 0, high: most * 1.08 },
          marks: [
            { kind: "vertical", at: s.x, color: TRUTH, dash: "5 4", label: "true count" },
            few ? { kind: "stems", points, ...look, width: 1.5 } : { kind: "line", points, ...look, label: s.mechanism },
            ...(few ? [{ kind: "points", points, ...look, width: 0.2, radius: points.length > 40 ? 3 : 4, label: s.mechanism }] : []),
            { kind: "points", points: [[found.released, p[found.released]]], marker: "o", radius: 8, color: "currentColor", hollow: true, width: 0.25, label: "this draw" },
          ],
          values,
          start: s.x - low,
          caption: `The true counts ${data(s.x, s.n)} are released with probability ${digits(p[s.x])}. Draw ${s.seed} releases ${data(found.released, s.n)}.`,
        };
      },
    },
    error: {
      title: "The law of the error",
      picks: "t",
      draw(s, found) {
        const look = styleOf(s.mechanism);
        const values = found.errors.map(({ distance, upTo, probability }) => ({
          x: distance, y: upTo, text: () => `error ${digits(distance)} has probability ${digits(probability)}; at most that: ${digits(upTo)}`,
        }));
        const points = values.map(({ x, y }) => [x, y]);
        return {
          x: { label: "Hellinger error", low: 0, high: 1 },
          y: { label: "probability of at most that", low: 0, high: 1.02 },
          marks: [
            { kind: "steps", points: [[0, 0], ...points, [1, 1]], ...look, label: s.mechanism },
            ...(points.length <= 40 ? [{ kind: "points", points, ...look, width: 0.2, radius: 3.5 }] : []),
            { kind: "vertical", at: found.meanError, color: "currentColor", dash: "1 3", label: "mean" },
            { kind: "vertical", at: s.t, color: TRUTH, dash: "5 4", label: "t" },
          ],
          values,
          caption: `The mean error is ${digits(found.meanError)}; nine draws in ten stay within ${digits(found.quantile)}. An error below ${digits(s.t)} has probability ${digits(found.below)}.`,
        };
      },
    },
    loss: {
      title: "The exact privacy loss",
      draw(s, found) {
        const { down, up } = found.losses;
        const look = styleOf(s.mechanism);
        const values = Array.from(down, (loss, x) => {
          const [y, to] = loss >= up[x] ? [loss, x - 1] : [up[x], x + 1];
          return { x, y, text: () => `${data(x, s.n)} loses at most ${digits(y)} to a neighbour, ${data(to, s.n)}` };
        });
        const points = values.map(({ x, y }) => [x, y]);
        const { epsilon, x, neighbour, output } = found.audit;
        const top = Math.max(epsilon, found.guarantee ?? 0, found.promise ?? 0);
        return {
          x: { label: "first count of the dataset", low: -0.5, high: s.n + 0.5 },
          y: { label: "worst loss", low: 0, high: top * 1.1 },
          marks: [
            ...(found.promise === null ? [] : [{ kind: "horizontal", at: found.promise, color: TRUTH, dash: "1 4", label: "promise" }]),
            ...(found.guarantee === null ? [] : [{ kind: "horizontal", at: found.guarantee, color: TRUTH, dash: "7 4", label: "guarantee" }]),
            points.length <= 60 ? { kind: "points", points, ...look, width: 0.2, radius: 3.5, label: s.mechanism } : { kind: "line", points, ...look, label: s.mechanism },
            { kind: "points", points: [[x, epsilon]], marker: "o", radius: 8, color: "currentColor", hollow: true, width: 0.25, label: "witness" },
          ],
          values,
          start: s.x,
          caption: `The worst loss is ${digits(epsilon)}: ${data(output, s.n)} is ${digits(Math.exp(epsilon))} times as likely from ${data(x, s.n)} as from ${data(neighbour, s.n)}. At this prior and n ${bounded(found.guarantee, "guaranteed")}; for every prior and n ${bounded(found.promise, "promised")}.`,
        };
      },
    },
    theorem: {
      title: "Theorem 4.5 against the truth",
      picks: "t",
      draw(s, found) {
        const lines = dpbi.theorem.check(s, found);
        if (!lines.length) return null;
        const edges = [...found.errors.slice(1).map(({ distance }) => distance), 1];
        const curve = (value) => found.errors.flatMap((atom, i) => [[atom.distance, value(atom)], ...(i === edges.length - 1 ? [[1, value(atom)]] : [])]);
        const printed = lines.filter((line) => !line.corrected && (line.side !== "lower" || !lines.some(({ side }) => side === "equation")));
        const shown = [...printed, ...lines.filter((line) => line.corrected && line.side === (printed[0].side === "equation" ? "equation" : line.side))];
        const text = (line) => `${line.corrected ? "corrected" : "printed"} ${line.side}`;
        return {
          x: { label: "t", low: 0, high: 1 },
          y: { label: "Pr[H < t]", low: 0, high: 1.02 },
          marks: [
            { kind: "steps", points: curve(({ upTo }) => upTo), ...styleOf(s.mechanism), width: 2.4, label: "exact" },
            ...shown.map((line) => ({
              kind: "steps", points: curve((atom) => line.bound(s, atom)), color: TRUTH, width: 1.5,
              dash: line.corrected ? "1.5 3" : line.side === "upper" ? "9 3 2 3" : "7 4", label: text(line),
            })),
            { kind: "vertical", at: s.t, color: "currentColor", dash: "5 4", width: 1, label: "t" },
          ],
          values: found.errors.map((atom, i) => ({
            x: edges[i], y: atom.upTo,
            text: () => `t up to ${digits(edges[i])}: exactly ${digits(atom.upTo)}, ${shown.map((line) => `${text(line)} ${digits(line.bound(s, atom))}`).join(", ")}`,
          })),
          caption: `At t = ${digits(s.t)} the probability is ${digits(found.below)}, with ${found.down} steps down and ${found.up} up inside. ` +
            lines.filter((line) => !line.corrected).map((line) => `The printed ${line.side === "equation" ? "equation" : `${line.side} bound`}, ${digits(line.value)}, ${verdict(line)}.`).join(" "),
          lines,
        };
      },
      absent: (s) => (s.mechanism === "ehd" ? "Theorem 4.5 runs EHD at the printed sensitivity: choose that one to compare." : `Theorem 4.5 has no line for ${s.mechanism}.`),
    },
  };

  // every mechanism at the same epsilon: its exact loss and its mean error
  function comparison(s) {
    const rows = Object.keys(ALL)
      .filter((name) => name !== "lattice_laplace" && name !== "laplace_in_order") // for two categories others do the same
      .map((name) => {
        const { audit, meanError } = dpbi.audit.explore(name === s.mechanism ? s : turned(s, "mechanism", name));
        return { name, x: audit.epsilon, y: meanError, text: () => `${name}: loss ${digits(audit.epsilon)}, mean error ${digits(meanError)}` };
      })
      .sort((one, other) => one.x - other.x);
    const nearest = rows.reduce((best, row) => (row.y < best.y ? row : best));
    const off = (name) => `${name} is off by ${digits(rows.find((row) => row.name === name).y)}`;
    return {
      x: { label: "exact loss", low: 0, high: Math.max(...rows.map(({ x }) => x)) * 1.08 },
      y: { label: "mean error", low: 0, high: Math.max(...rows.map(({ y }) => y)) * 1.12 },
      marks: rows.map(({ name, x, y }) => ({ kind: "points", points: [[x, y]], ...styleOf(name), radius: 6, width: 0.15, label: name })),
      values: rows,
      caption: `All at ε = ${digits(s.epsilon)} and counts ${data(s.x, s.n)}. The smallest mean error, ${digits(nearest.y)}, is that of ${nearest.name}, which loses ${digits(nearest.x)}; ${off("lshist")} and ${off("ehd")} on average.`,
    };
  }

  const NUMBERS = [
    ["local sensitivity LS(x)", (f) => f.localSensitivity],
    ["global sensitivity GS", (f) => f.globalSensitivity],
    ["smooth sensitivity S(x)", (f) => f.smoothSensitivity],
    ["printed sensitivity √(1 − π/4)", (f) => f.printedSensitivity],
    ["mean error E[H]", (f) => f.meanError],
    ["error that one draw in ten exceeds", (f) => f.quantile],
    ["Pr[H < t]", (f) => f.below],
    ["Pr[H ≥ t]", (f) => f.tail],
    ["error of this draw", (f) => f.releasedError],
    ["exact loss", (f) => f.audit.epsilon],
    ["guarantee here", (f) => f.guarantee],
    ["promise everywhere", (f) => f.promise],
  ];

  // One explorer

  function explorer(host) {
    const listed = (name, all) => (host.dataset[name] ? host.dataset[name].split(" ") : all);
    const panels = listed("panels", [...Object.keys(PANELS), "comparison", "numbers"]);
    const knobs = listed("knobs", Object.keys(KNOBS));
    const inUrl = "url" in host.dataset;
    const { setting: start, wrong: unusable } = read(host.dataset.setting ?? "");
    let setting = start;
    let found;

    const form = element("form", { class: "controls", "aria-label": "Knobs of the explorer" });
    const problem = element("p", { class: "problem", role: "alert" });
    const summary = element("p", { class: "summary", role: "status" });
    const figures = element("div", { class: "figures" });
    const controls = Object.fromEntries(knobs.map((name) => [name, control(name)]));
    for (const group of new Set(knobs.map((name) => KNOBS[name].group))) {
      const members = knobs.filter((name) => KNOBS[name].group === group).map((name) => controls[name].node);
      form.append(element("fieldset", {}, element("legend", {}, group), element("div", { class: "members" }, ...members)));
    }
    if (controls.seed) {
      const again = element("button", { type: "button", class: "again" }, "Draw again");
      again.addEventListener("click", () => turn("seed", (setting.seed + 1) % 2 ** 32, true));
      controls.seed.node.append(again);
    }
    form.addEventListener("submit", (event) => event.preventDefault());
    const single = panels.some((name) => PANELS[name]); // of one mechanism; a comparison speaks for itself
    const results = element("div", { class: "results" }, problem, ...(single ? [summary] : []), figures);
    const away = element("a", { class: "away" }, "Open this setting in the explorer");
    host.replaceChildren(form, results, ...(inUrl ? [] : [away]));

    const drawn = {};
    for (const name of panels.filter((panel) => PANELS[panel])) {
      const { title, picks } = PANELS[name];
      drawn[name] = figure(figures, title, picks && knobs.includes(picks) ? (value, done) => turn(picks, rounded(picks, value), done) : undefined);
    }
    const lines = element("ul", { class: "lines" });
    drawn.theorem?.node.append(lines);
    const absent = element("p", { class: "absent" });
    drawn.theorem?.node.after(absent);
    if (panels.includes("comparison")) drawn.comparison = figure(figures, "All mechanisms at this budget");
    if (!single) drawn.comparison.node.querySelector("figcaption").setAttribute("role", "status");
    const table = element("table", { class: "table numbers" });
    const time = element("p", { class: "time", "aria-hidden": "true" });
    if (panels.includes("numbers")) results.append(table, time);

    function control(name) {
      const { label, choices, low, whole, log } = KNOBS[name];
      const id = `dpbi-${name}-${++instances}`;
      if (choices) {
        const select = element("select", { id });
        for (const choice of name === "mechanism" ? listed("mechanisms", choices) : choices) select.add(new Option(SENSITIVITIES[choice] ?? choice, choice));
        const about = element("span", { class: "about" });
        select.addEventListener("change", () => turn(name, select.value, true));
        const node = element("div", { class: "knob" }, element("label", { for: id }, label), select, about);
        return {
          node,
          show() {
            select.value = setting[name];
            about.textContent = name === "mechanism" ? ALL[setting.mechanism].about : "";
          },
        };
      }
      const number = element("input", { id, type: "number", min: low, step: whole ? 1 : "any", inputmode: whole ? "numeric" : "decimal" });
      const slider = element("input", { type: "range", "aria-label": `${label}, slider` });
      const node = element("div", { class: "knob" }, element("label", { for: id }, label), number, ...(name === "seed" ? [] : [slider]));
      const [to, from] = log ? [Math.log10, (value) => 10 ** value] : [Number, Number];
      number.addEventListener("input", () => typed(false));
      number.addEventListener("change", () => typed(true));
      for (const kind of ["input", "change"]) {
        slider.addEventListener(kind, () => turn(name, rounded(name, from(Number(slider.value))), kind === "change"));
      }
      function typed(done) {
        try {
          turn(name, parsed(setting, name, number.value), done);
        } catch (error) {
          complain([error.message]);
          number.setAttribute("aria-invalid", "true");
        }
      }
      return {
        node,
        show() {
          const high = largest(setting, name);
          number.max = high;
          if (document.activeElement !== number) number.value = setting[name];
          number.removeAttribute("aria-invalid");
          slider.min = to(low);
          slider.max = to(high);
          slider.step = whole ? 1 : log ? 0.01 : 0.001;
          slider.value = to(setting[name]);
          slider.setAttribute("aria-valuetext", digits(setting[name]));
        },
      };
    }

    // what a slider or a hand means: within the range, and no more digits than can be aimed at
    function rounded(name, value) {
      const { low, whole } = KNOBS[name];
      const within = Math.min(Math.max(value, low), largest(setting, name));
      return whole ? Math.round(within) : Number(within.toPrecision(3));
    }

    function complain(messages) {
      problem.textContent = messages.map((message) => `${message}.`).join(" ");
    }

    function turn(name, value, done) {
      setting = turned(setting, name, value);
      complain([]);
      frame();
      if (done) later("url", remember, 300);
    }

    // at most one drawing per frame of the screen
    let waiting = false;
    function frame() {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        draw();
      });
    }

    const timers = {};
    function later(name, action, wait) {
      clearTimeout(timers[name]);
      timers[name] = setTimeout(action, wait);
    }

    function draw() {
      const begun = performance.now();
      found = dpbi.audit.explore(setting);
      for (const [name, { node, show }] of Object.entries(controls)) {
        node.hidden = !used(setting, name);
        show();
      }
      for (const name of Object.keys(PANELS)) {
        if (!drawn[name]) continue;
        const spec = PANELS[name].draw(setting, found);
        drawn[name].node.hidden = !spec;
        if (spec) drawn[name].show(spec);
        if (name === "theorem") explain(spec);
      }
      if (panels.includes("numbers")) {
        const rows = NUMBERS.map(([words, value]) => [words, value(found)]).filter(([, value]) => value !== null);
        table.innerHTML = `<caption>The numbers</caption><tbody>${rows.map(([words, value]) => `<tr><th scope="row">${words}</th><td>${digits(value)}</td></tr>`).join("")}</tbody>`;
        time.textContent = `Computed and drawn in ${digits(performance.now() - begun, 2)} ms.`;
      }
      if (drawn.comparison) later("comparison", () => drawn.comparison.show(comparison(setting)), setting.n > 100 ? 150 : 0);
      later("summary", () => (summary.textContent = summarised()), summary.textContent ? 400 : 0);
      away.href = `${dpbi.root}book/explorer.html#${written(setting)}`;
      return performance.now() - begun;
    }

    function explain(spec) {
      absent.hidden = Boolean(spec);
      absent.textContent = spec ? "" : PANELS.theorem.absent(setting);
      const item = (line) =>
        `<li><strong>${line.corrected ? "Corrected" : "Printed"} ${line.side === "equation" ? "equation" : `${line.side} bound`}:</strong> ` +
        `Pr[H &lt; t] ${escaped(line.relation)} ${formula(line.text)} = ${digits(line.value)}, ${verdict(line)} ` +
        `(<a href="${dpbi.root}book/ledger/notes.html#claim-${line.claim.replace(/\W+/g, "-")}">${line.claim}</a>).</li>`;
      lines.innerHTML = (spec?.lines ?? []).map(item).join("");
    }

    function summarised() {
      const { n, x, mechanism, epsilon, first, second, t } = setting;
      return (
        `${mechanism} at ε = ${digits(epsilon)}, prior (${digits(first)}, ${digits(second)}), counts ${data(x, n)}: ` +
        `the error is ${digits(found.meanError, 3)} on average and below ${digits(t, 3)} with probability ${digits(found.below, 3)}; ` +
        `the worst privacy loss is ${digits(found.audit.epsilon, 3)}, and ${found.guarantee === null ? "nothing is guaranteed" : `at most ${digits(found.guarantee, 3)} is guaranteed`}.`
      );
    }

    // The address of the page

    function remember() {
      const hash = `#${written(setting)}`;
      if (inUrl && location.hash !== hash) history.pushState(null, "", hash);
    }

    function recall() {
      if (!location.hash.includes("=")) return;
      const { setting: given, wrong } = read(location.hash.slice(1), start);
      setting = given;
      complain(wrong);
      draw();
    }

    complain(unusable);
    if (inUrl) {
      addEventListener("popstate", recall);
      recall();
    }
    if (!found) draw();
    host.explorer = { draw, turn, setting: () => ({ ...setting }), found: () => found };
    host.classList.add("ready");
  }
  let instances = 0;

  for (const host of document.querySelectorAll(".dpbi-explorer")) explorer(host);
  for (const link of document.querySelectorAll("a[data-setting]")) link.href = `#${link.dataset.setting}`;
})();
