// Live pictures: fills every <div class="dpbi-picture" data-picture="name"> with the picture of that name, which
// follows its knobs. The content of the div is for readers without scripts. data-start sets knobs, for instance "n=40
// epsilon=0.5", and data-knobs lists the knobs to show.
//
// A picture is { knobs, draw }, with { buttons, state } if it has buttons. draw(values, parts) shows the values in
// parts.figure(title), parts.triangle(title) and so on, which are made at their first call, and returns a sentence.
"use strict";

dpbi.pictures = (() => {
  const { element, figure, digits, escaped, text } = dpbi.draw;
  const { short, sliding } = dpbi.parts;
  const ALL = {};

  // Controls

  let controls = 0;

  function slider(name, { label, high, ...knob }, values, turn) {
    const id = `dpbi-turn-${++controls}`;
    const range = element("input", { id, type: "range" });
    const shown = element("output", { for: id });
    const slide = sliding(range);
    range.addEventListener("input", () => turn(name, slide.value()));
    const show = () => {
      const value = values()[name];
      slide.show({ ...knob, high: typeof high === "function" ? high(values()) : high }, value);
      shown.textContent = digits(value, knob.whole ? 6 : 3);
    };
    return { node: element("div", { class: "turn" }, element("label", { for: id }, label), shown, range), show };
  }

  function choice(name, { label, choices }, values, turn) {
    const id = `dpbi-turn-${++controls}`;
    const select = element("select", { id });
    for (const [value, words] of Object.entries(choices)) select.add(new Option(words, value));
    select.addEventListener("change", () => turn(name, select.value));
    const show = () => (select.value = values()[name]);
    return { node: element("div", { class: "turn" }, element("label", { for: id }, label), select), show };
  }

  // a button, whose `act` changes the values
  function press(name, { label, act }, values, turn) {
    const button = element("button", { type: "button", name }, label);
    button.addEventListener("click", () => {
      act(values());
      turn();
    });
    return { node: element("div", { class: "turn press" }, button), show: () => {} };
  }

  // A figure with a title above its drawing and a caption below, as a function that sets both
  function frame(host, kind, title, role = "img") {
    const plot = element("div", { class: "plot", role });
    const caption = element("figcaption");
    const head = title ? [element("div", { class: "title" }, title)] : [];
    host.append(element("figure", { class: `figure ${kind}` }, ...head, plot, caption));
    return (drawing, words) => {
      plot.innerHTML = drawing;
      plot.setAttribute("aria-label", title ? `${title}. ${words}` : words);
      caption.textContent = words;
      return plot;
    };
  }

  // A triangle of shares, with a cell for every way to divide m units among three categories. The strength of a cell's
  // colour shows its weight, and rings mark single points.

  const HEIGHT = Math.sqrt(3) / 2;
  const SIZE = 300;
  const LEVELS = 128; // number of strengths of the colour
  const place = ([a, b, c]) => {
    const sum = a + b + c;
    return [((b + c / 2) / sum) * SIZE, (1 - c / sum) * HEIGHT * SIZE];
  };

  function triangle(host, title) {
    const set = frame(host, "triangle", title);
    const clip = `dpbi-clip-${++controls}`;

    function show({ cells, m, rings = [], corners, caption: words, color = "var(--one)" }) {
      const most = cells.reduce((top, { weight }) => Math.max(top, weight), 0);
      const radius = SIZE / m / Math.sqrt(3) + 0.15;
      const corner = (i) => [radius * Math.cos(((i + 0.5) * Math.PI) / 3), radius * Math.sin(((i + 0.5) * Math.PI) / 3)];
      const sides = Array.from({ length: 5 }, (_, i) => corner(i + 1).map((to, j) => (to - corner(i)[j]).toFixed(2)));
      const [right, down] = corner(0);
      const hexagon = `l${sides.map((side) => side.join()).join("l")}z`;
      const paths = Array.from({ length: LEVELS + 1 }, () => []); // one path for all cells of the same strength
      for (const { counts, weight } of cells) {
        const [x, y] = place(counts);
        paths[Math.round((LEVELS * weight) / most)].push(`M${(x + right).toFixed(1)},${(y + down).toFixed(1)}${hexagon}`);
      }
      const strength = (path, level) => (level && path.length ? `<path d="${path.join("")}" fill-opacity="${level / LEVELS}"/>` : "");
      const ring = ({ counts, look }) => {
        const [x, y] = place(counts);
        return `<circle class="${look}" cx="${x}" cy="${y}" r="6"/>`;
      };
      const edge = `M0,${HEIGHT * SIZE}L${SIZE},${HEIGHT * SIZE}L${SIZE / 2},0Z`;
      const names = [["start", -14, HEIGHT * SIZE + 20], ["end", SIZE + 14, HEIGHT * SIZE + 20], ["middle", SIZE / 2, -9]];
      const drawing =
        `<svg viewBox="-16 -26 ${SIZE + 32} ${HEIGHT * SIZE + 54}" aria-hidden="true">` +
        `<clipPath id="${clip}"><path d="${edge}"/></clipPath>` +
        `<g clip-path="url(#${clip})" fill="${color}">${paths.map(strength).join("")}</g>` +
        `<path class="edge" d="${edge}"/>${rings.map(ring).join("")}` +
        names.map(([anchor, x, y], i) => text(x, y, anchor, corners[i])).join("") +
        "</svg>";
      set(drawing, words);
    }
    return { show };
  }

  // A hundred guesses, of which the right ones are filled
  function board(host, title) {
    const set = frame(host, "board", title);

    function show({ right, words }) {
      const dot = (i) => {
        const share = Math.min(Math.max(right - i, 0), 1);
        const [x, y] = [(i % 20) * 15 + 8, Math.floor(i / 20) * 15 + 8];
        return `<circle cx="${x}" cy="${y}" r="5.5" fill="var(--one)" fill-opacity="${share.toFixed(2)}"/>`;
      };
      const dots = Array.from({ length: 100 }, (_, i) => dot(i)).join("");
      set(`<svg viewBox="0 0 301 76" aria-hidden="true">${dots}</svg>`, words);
    }
    return { show };
  }

  // Releases that fall onto their axis one after another and form piles
  function drops(host, title) {
    const set = frame(host, "drops", title);
    let fallen;

    function show({ released, n, truth, seed, caption: words }) {
      const [step, floor, across, size] = [400 / (n + 1), 122, 3, 5.6]; // `across` dots lie beside each other
      const piled = Array(n + 1).fill(0);
      const places = released.map((r) => [r, piled[r] % across, Math.floor(piled[r]++ / across)]);
      const high = Math.min(size, 110 / Math.ceil(Math.max(...piled) / across));
      const dots = places.map(([r, column, row], i) => {
        const [x, y] = [(r + 0.5) * step + (column - 1) * size, floor - 5 - row * high];
        return `<circle class="${r === truth}" cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="2.7" style="--i:${i}"/>`;
      });
      const names = piled.map((_, r) => (r % 2 ? "" : `<text x="${(r + 0.5) * step}" y="${floor + 17}" class="${r === truth ? "true" : ""}">${r}</text>`));
      const drawn = `<path d="M0,${floor}H400"/>${dots.join("")}${names.join("")}`;
      const plot = set(`<svg viewBox="0 0 400 144" aria-hidden="true">${drawn}</svg>`, words);
      plot.classList.toggle("falling", fallen !== seed); // only a new seed lets the dots fall again
      fallen = seed;
    }
    return { show };
  }

  // A row with a name and a bar for each ratio to the smallest value; the bars begin at one and are logarithmic
  function bars(host, title) {
    const set = frame(host, "bars", title, "group");

    function show({ rows, high, caption: words }) {
      const along = (times) => Math.min((100 * Math.log(times)) / Math.log(high), 100);
      const list = rows
        .map(({ name, times, look = "" }) => {
          const bar = `<div class="bar ${look}" style="width:${along(times).toFixed(1)}%"></div>`;
          return `<tr><th scope="row">${escaped(name)}</th><td>${short(times)}</td><td aria-hidden="true">${bar}</td></tr>`;
        })
        .join("");
      set(`<table>${list}</table>`, words);
    }
    return { show };
  }

  // One picture

  function picture(host) {
    const { draw, buttons = {}, state = {}, ...described } = ALL[host.dataset.picture];
    const wanted = host.dataset.knobs?.split(" ") ?? Object.keys(described.knobs);
    const values = { ...state };
    const { knobs } = described;
    for (const [name, { start }] of Object.entries(knobs)) values[name] = start;
    const form = element("form", { class: "turns", "aria-label": "Knobs of the picture" });
    const said = element("p", { class: "said", role: "status" });
    const figures = element("div", { class: "figures" });
    const made = {};
    const part = (make) => (title = "") => (made[`${make.name} ${title}`] ??= make(figures, title));
    const parts = { figure: part(figure), triangle: part(triangle), board: part(board), bars: part(bars), drops: part(drops) };

    // a count keeps its share of n when n changes
    const counted = Object.entries(knobs).filter(([, { high }]) => typeof high === "function");
    const shares = {};
    const turn = (name = null, value = null) => {
      if (name) values[name] = value;
      for (const [other, { high }] of counted) {
        if (name === "n") values[other] = Math.round(shares[other] * values.n);
        values[other] = Math.min(values[other], high(values));
        if (name !== "n") shares[other] = values[other] / values.n;
      }
      soon();
    };
    const current = () => values;
    const shown = [
      ...wanted.map((name) => (knobs[name].choices ? choice : slider)(name, knobs[name], current, turn)),
      ...Object.entries(buttons).map(([name, knob]) => press(name, knob, current, turn)),
    ];
    form.append(...shown.map(({ node }) => node));
    form.addEventListener("submit", (event) => event.preventDefault());
    host.replaceChildren(form, figures, said);

    let waiting = true; // no frame is requested before the first drawing
    function soon() {
      if (!waiting) requestAnimationFrame(redraw);
      waiting = true;
    }
    let speaking;
    function redraw() {
      waiting = false;
      const begun = performance.now();
      for (const { show } of shown) show();
      const words = draw(values, parts);
      host.milliseconds = performance.now() - begun;
      clearTimeout(speaking); // a screen reader hears only the value at which the slider comes to rest
      speaking = setTimeout(() => (said.textContent = words), said.textContent ? 250 : 0);
    }
    const take = (text) => {
      const given = new URLSearchParams(text.trim().replace(/\s+/g, "&"));
      for (const [name, value] of given) turn(name, knobs[name].choices ? value : Number(value));
    };
    turn();
    take(host.dataset.start ?? "");
    redraw();
    host.picture = { turn, take, redraw, values };
    host.classList.add("ready");
  }

  const fill = () => document.querySelectorAll(".dpbi-picture").forEach(picture);
  return { ALL, fill, short };
})();
