// The explorer: fills every <div class="dpbi-explorer"> with knobs, and with figures that follow the knobs.
//
//   data-setting     the initial values of the knobs, for instance "n=40 x=20 mechanism=ehd epsilon=0.8"
//   data-knobs       the knobs to show; all if absent
//   data-panels      the figures to show; all if absent
//   data-mechanisms  the mechanisms to choose from; all if absent
//   data-url         if present, the setting is kept in the address of the page
"use strict";

(() => {
  const { element, figure } = dpbi.draw;
  const { ALL } = dpbi.mechanisms;
  const { PANELS, summary } = dpbi.panels;

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
  const IN_WORDS = { exact: "exact for this prior and n", printed: "as printed, √(1 − π/4)" };
  const { called } = dpbi.parts;
  const OF_SOME = ["sensitivity", "gamma", "delta", "divisor"]; // knobs that not every mechanism has
  const START = Object.fromEntries(Object.entries(KNOBS).map(([name, { start }]) => [name, start]));

  const used = (setting, name) => !OF_SOME.includes(name) || (ALL[setting.mechanism].knobs ?? []).includes(name);
  const largest = (setting, name) => (name === "x" ? setting.n : KNOBS[name].high);

  // the value of a knob that a text gives; an error names the allowed values
  function parsed(setting, name, text) {
    const { low, whole, choices, label } = KNOBS[name];
    const high = largest(setting, name);
    const value = choices ? text : text.trim() === "" ? NaN : Number(text);
    const good = choices?.includes(value) ?? (value >= low && value <= high && (!whole || Number.isInteger(value)));
    if (good) return value;
    const kind = whole ? "a whole number" : "a number";
    const allowed = choices ? `one of ${choices.join(", ")}` : `${kind} from ${low} to ${high}`;
    throw new RangeError(`${label} must be ${allowed}, got ${text || "nothing"}`);
  }

  // the setting after one knob is turned, with every value that depends on this knob adjusted
  function turned(setting, name, value) {
    const next = { ...setting, [name]: value };
    next.x = Math.min(next.x, next.n);
    if (name === "mechanism") next.divisor = ALL[value].divisor ?? next.divisor;
    return next;
  }

  // the setting of a text such as "n=40&x=20" or "n=40 x=20", and a message for every value that is not allowed
  function read(text, start = START) {
    const given = new URLSearchParams(text.trim().replace(/\s+/g, "&"));
    let setting = start;
    const wrong = [];
    for (const name of new Set(["mechanism", "n", ...Object.keys(KNOBS)])) {
      if (!given.has(name)) continue; // the range of x depends on n, and the divisor on the mechanism
      try {
        setting = turned(setting, name, parsed(setting, name, given.get(name)));
      } catch (error) {
        wrong.push(error.message);
      }
    }
    return { setting, wrong };
  }

  function written(setting) {
    const names = Object.keys(KNOBS).filter((name) => used(setting, name));
    return names.map((name) => `${name}=${setting[name]}`).join("&");
  }

  // A control is a node and a function that shows a setting in the node. It calls `turn` with a value and with whether
  // the movement has ended, and `fail` with a message if the text is not an allowed value.

  let controls = 0;

  function choice(name, choices, turn) {
    const id = `dpbi-knob-${++controls}`;
    const select = element("select", { id });
    for (const value of choices) select.add(new Option(IN_WORDS[value] ?? value, value));
    select.addEventListener("change", () => turn(select.value, true));
    const about = element("span", { class: "about" });
    const node = element("div", { class: "knob" }, element("label", { for: id }, KNOBS[name].label), select, about);
    const show = (setting) => {
      select.value = setting[name];
      if (name !== "mechanism") return;
      for (const option of select.options) option.text = called({ ...setting, mechanism: option.value });
      about.textContent = dpbi.parts.about(setting);
    };
    return { node, show };
  }

  function amount(name, current, turn, fail) {
    const { label, low, whole } = KNOBS[name];
    const id = `dpbi-knob-${++controls}`;
    const number = element("input", { id, type: "number", min: low, step: whole ? 1 : "any" });
    const slider = element("input", { type: "range", "aria-label": `${label}, slider` });
    const node = element("div", { class: "knob" }, element("label", { for: id }, label), number);
    if (name !== "seed") node.append(slider);
    const slide = dpbi.parts.sliding(slider);
    for (const kind of ["input", "change"]) {
      const done = kind === "change";
      slider.addEventListener(kind, () => turn(slide.value(), done));
      number.addEventListener(kind, () => {
        try {
          turn(parsed(current(), name, number.value), done);
        } catch (error) {
          fail(error.message);
          number.setAttribute("aria-invalid", "true");
        }
      });
    }
    const show = (setting) => {
      const high = largest(setting, name);
      number.max = high;
      number.removeAttribute("aria-invalid");
      if (document.activeElement !== number) number.value = setting[name];
      slide.show({ ...KNOBS[name], high }, setting[name]);
    };
    return { node, show };
  }

  // One explorer

  function explorer(host) {
    const listed = (name, all) => host.dataset[name]?.split(" ") ?? all;
    const panels = listed("panels", Object.keys(PANELS));
    const inUrl = "url" in host.dataset;
    const { setting: start, wrong } = read(host.dataset.setting ?? "");
    let setting = start;
    let found;

    // the elements of the page
    const form = element("form", { class: "controls", "aria-label": "Knobs of the explorer" });
    const problem = element("p", { class: "problem", role: "alert" });
    const status = element("p", { class: "summary", role: "status" });
    const figures = element("div", { class: "figures" });
    const away = element("a", { class: "away" }, "Open this setting in the explorer");
    const results = element("div", { class: "results" }, problem, status, figures);
    host.replaceChildren(form, results, ...(inUrl ? [] : [away]));

    const knobs = {};
    const groups = {};
    for (const name of listed("knobs", Object.keys(KNOBS))) {
      const { choices, group } = KNOBS[name];
      const turnThis = (value, done) => turn(name, value, done);
      knobs[name] = choices
        ? choice(name, name === "mechanism" ? listed("mechanisms", choices) : choices, turnThis)
        : amount(name, () => setting, turnThis, (message) => complain([message]));
      if (!groups[group]) {
        groups[group] = element("div", { class: "members" });
        form.append(element("fieldset", {}, element("legend", {}, group), groups[group]));
      }
      groups[group].append(knobs[name].node);
    }
    if (knobs.seed) {
      const again = element("button", { type: "button", class: "again" }, "Draw again");
      again.addEventListener("click", () => turn("seed", (setting.seed + 1) % 2 ** 32, true));
      knobs.seed.node.append(again);
    }
    form.addEventListener("submit", (event) => event.preventDefault());

    const drawn = panels.map((name) => {
      const panel = PANELS[name];
      const { low, high } = KNOBS[panel.picks] ?? {};
      // a drag gives a value within the range, with no more digits than a pointer can aim at
      const picked = (value, done) => turn(panel.picks, Number(Math.min(Math.max(value, low), high).toPrecision(3)), done);
      return { ...figure(figures, panel.title, panel.picks in knobs ? picked : undefined), panel };
    });

    // how the page follows the knobs
    function complain(messages) {
      problem.textContent = messages.map((message) => `${message}.`).join(" ");
    }

    function turn(name, value, done) {
      setting = turned(setting, name, value);
      complain([]);
      soon();
      if (done) later("address", remember, 300);
    }

    // draws at most once per frame of the screen
    let waiting = false;
    function soon() {
      if (!waiting) requestAnimationFrame(draw);
      waiting = true;
    }

    const timers = {};
    function later(name, action, wait) {
      clearTimeout(timers[name]);
      timers[name] = setTimeout(action, wait);
    }

    function draw() {
      waiting = false;
      found = dpbi.audit.explore(setting);
      for (const [name, { node, show }] of Object.entries(knobs)) {
        node.hidden = !used(setting, name);
        show(setting);
      }
      for (const one of drawn) {
        // the comparison of all mechanisms waits until the slider rests if it takes long to compute
        if (one.panel.rests) later(one.panel.title, () => one.show(one.panel.draw(setting)), setting.n > 100 ? 150 : 0);
        else one.show(one.panel.draw(setting, found));
      }
      const words = summary(setting, found);
      later("status", () => (status.textContent = words), status.textContent ? 400 : 0);
      away.href = `${dpbi.root}book/explorer.html#${written(setting)}`;
    }

    // The address of the page

    function remember() {
      const hash = `#${written(setting)}`;
      if (inUrl && location.hash !== hash) history.pushState(null, "", hash);
    }

    function recall() {
      if (!location.hash.includes("=")) return;
      const given = read(location.hash.slice(1), start);
      setting = given.setting;
      complain(given.wrong);
      draw();
    }

    complain(wrong);
    if (inUrl) {
      addEventListener("popstate", recall);
      recall();
    }
    if (!found) draw();
    // sets the knobs that a text names and leaves the others
    function take(text) {
      ({ setting } = read(text, setting));
      draw();
      remember();
    }

    host.explorer = { draw, turn, take, setting: () => ({ ...setting }) };
    host.classList.add("ready");
  }

  for (const host of document.querySelectorAll(".dpbi-explorer")) explorer(host);
})();
