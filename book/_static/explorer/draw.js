// Figures: axes, marks, and a cursor that shows single values and follows the pointer or the arrow keys.
"use strict";

dpbi.draw = (() => {
  const MARGIN = { top: 10, right: 14, bottom: 40, left: 62 };
  const HEIGHT = 250;

  const escaped = (text) => String(text).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
  const digits = (value, count = 6) => {
    if (value === 0 || !Number.isFinite(value)) return String(value);
    const size = Math.abs(value);
    if (size < 1e-4 || size >= 1e6) return value.toExponential(count - 1).replace(/\.?0+e/, "e").replace("e+", "e");
    return String(Number(value.toPrecision(count)));
  };

  function element(name, attributes = {}, ...children) {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children);
    return node;
  }

  // about `count` round numbers from low to high
  function ticks(low, high, count) {
    const raw = (high - low) / count;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = power * [1, 2, 5, 10].find((factor) => factor * power >= raw * 0.999);
    const [first, last] = [Math.ceil(low / step - 1e-9), Math.floor(high / step + 1e-9)];
    return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
  }

  // Markers of radius 1, by their letters in matplotlib
  const polygon = (points) => `M${points.map(([x, y]) => `${x.toFixed(3)},${y.toFixed(3)}`).join("L")}Z`;
  const regular = (count, turn, inner = 1) =>
    polygon(
      Array.from({ length: count }, (_, i) => {
        const angle = (turn + i / count) * 2 * Math.PI;
        const radius = i % 2 ? inner : 1;
        return [radius * Math.sin(angle), -radius * Math.cos(angle)];
      }),
    );
  const arm = [[-1, -1], [-1, -3], [1, -3]];
  const quarter = ([x, y]) => [-y, x];
  const cross = [arm, arm.map(quarter), arm.map(quarter).map(quarter), arm.map(([x, y]) => [y, -x])]
    .flat()
    .map(([x, y]) => [x / 2.8, y / 2.8]);
  const MARKERS = {
    o: "M-1,0A1,1,0,1,1,1,0A1,1,0,1,1,-1,0Z",
    s: polygon([[-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]]),
    D: regular(4, 0),
    "^": regular(3, 0),
    v: regular(3, 0.5),
    "<": regular(3, 0.75),
    ">": regular(3, 0.25),
    d: polygon([[0, -1], [0.6, 0], [0, 1], [-0.6, 0]]),
    p: regular(5, 0),
    h: regular(6, 0),
    H: regular(6, 1 / 12),
    "*": regular(10, 0, 0.4),
    P: polygon(cross),
    X: polygon(cross.map(([x, y]) => [(x - y) * 0.75, (x + y) * 0.75])),
  };
  const marker = (name, x, y, radius) =>
    `<path d="${MARKERS[name]}" transform="translate(${x},${y}) scale(${radius})"/>`;

  const path = (d) => `<path fill="none" d="${d}"/>`;
  const text = (x, y, anchor, words) => `<text x="${x}" y="${y}" text-anchor="${anchor}">${escaped(words)}</text>`;

  // Marks, drawn from their options and the scales. Coordinates beyond the axes are moved to the edge.
  const MARKS = {
    line: ({ points }, X, Y) => path(`M${points.map(([x, y]) => `${X(x)},${Y(y)}`).join("L")}`),
    // constant between the points, with a jump at each
    steps: ({ points }, X, Y) =>
      path(points.map(([x, y], i) => (i ? `H${X(x)}V${Y(y)}` : `M${X(x)},${Y(y)}`)).join("")),
    stems: ({ points }, X, Y) => path(points.map(([x, y]) => `M${X(x)},${Y(0)}V${Y(y)}`).join("")),
    points: ({ points, marker: name, radius = 4 }, X, Y) =>
      points.map(([x, y]) => marker(name, X(x), Y(y), radius)).join(""),
    // the area between a curve and its axis, from the first point of the curve to its last
    area: ({ points }, X, Y) => {
      const ends = [points[points.length - 1], points[0]].map(([x]) => `L${X(x)},${Y(0)}`);
      return `<path stroke="none" d="M${points.map(([x, y]) => `${X(x)},${Y(y)}`).join("L")}${ends.join("")}Z"/>`;
    },
    // the area between two step curves that jump at the same places
    band: ({ low, high }, X, Y) =>
      `<path stroke="none" d="${high.map(([x, y], i) => (i ? `H${X(x)}V${Y(y)}` : `M${X(x)},${Y(y)}`)).join("")}` +
      `V${Y(low[low.length - 1][1])}${low.slice(0, -1).reverse().map(([x, y]) => `V${Y(y)}H${X(x)}`).join("")}Z"/>`,
    // Names beside points, from the highest down and without overlap. A name stands on the right of its point, on the
    // left if it does not fit there, and above the point if it fits on neither side.
    names: ({ names }, X, Y, box) => {
      const letter = 6.6; // upper bound on the average width of a letter, in pixels
      let last = -Infinity;
      return [...names].sort((a, b) => b.y - a.y).map(({ x, y, text: words, color }, i) => {
        const [at, wide] = [X(x), letter * words.length + 9];
        const side = at + wide < box.right ? 1 : at - wide > box.left ? -1 : 0;
        const [from, anchor] = side < 0 ? [at - 9, "end"] : [side ? at + 9 : Math.max(box.right - wide, 4), "start"];
        last = Math.min(Math.max(Y(y) + (side ? 4 : -9), last + 14), box.bottom - 4 - 14 * (names.length - 1 - i));
        return `<g fill="${color}">${text(from, last, anchor, words)}</g>`;
      }).join("");
    },
    vertical: ({ at }, X, Y, box) => path(`M${X(at)},${box.top}V${box.bottom}`),
    horizontal: ({ at }, X, Y, box) => path(`M${box.left},${Y(at)}H${box.right}`),
  };

  const looks = ({ color = "none", dash = "", width = 1.8, hollow = false, opacity = 1 }) =>
    `stroke="${color}" stroke-width="${width}" stroke-dasharray="${dash}" fill="${hollow ? "none" : color}"` +
    (opacity < 1 ? ` opacity="${opacity}"` : "");

  function legend(marks) {
    return marks
      .filter(({ label }) => label)
      .map((mark) => {
        const dots = mark.kind === "points";
        const symbol = dots ? marker(mark.marker, 6, 6, 5) : path("M1,6H25");
        const look = looks(dots ? mark : { ...mark, hollow: true });
        const sample = `<svg width="${dots ? 12 : 26}" height="12" aria-hidden="true"><g ${look}>${symbol}</g></svg>`;
        return `<span class="key">${sample}${escaped(mark.label)}</span>`;
      })
      .join(" ");
  }

  // A figure in a host. show(spec) draws { x, y, marks, values, start, caption }: axes { label, low, high, ticks } with
  // optional ticks [place, name], marks { kind, ... }, and values { x, y, text() } for the cursor, which begins at the
  // value `start`. The optional `pick` receives the x to which a pointer drags, and whether the pointer was released.
  function figure(host, title, pick) {
    const name = `dpbi-${++figures}`;
    const keys = element("div", { class: "keys" });
    const plot = element("div", {
      class: "plot", tabindex: 0, role: "slider", "aria-label": `${title}: read values with the arrow keys`,
      "aria-describedby": name, "aria-valuemin": 0, "aria-valuemax": 0, "aria-valuenow": 0,
    });
    const reading = element("div", { class: "reading", "aria-hidden": "true" });
    const caption = element("figcaption", { id: name });
    const heading = element("div", { class: "title" }, title);
    const node = element("figure", { class: "figure" }, heading, keys, plot, caption, reading);
    host.append(node);
    let spec, X, Y, box, cursor;
    let at = null; // the index of the value at the cursor
    let width = 0;

    function show(given = spec) {
      if (!given) return;
      spec = plot.spec = given;
      width ||= plot.clientWidth || 480;
      box = { left: MARGIN.left, right: width - MARGIN.right, top: MARGIN.top, bottom: HEIGHT - MARGIN.bottom };
      const scale = ({ low, high }, from, to) => (value) =>
        Math.round((from + ((Math.min(Math.max(value, low), high) - low) / (high - low || 1)) * (to - from)) * 10) / 10;
      X = scale(spec.x, box.left, box.right);
      Y = scale(spec.y, box.bottom, box.top);
      const named = (values) => values.map((value) => [value, digits(value, 4)]);
      const columns = spec.x.ticks ?? named(ticks(spec.x.low, spec.x.high, Math.max(3, width / 90)));
      const rows = spec.y.ticks ?? named(ticks(spec.y.low, spec.y.high, 5));
      const grid = [
        ...columns.map(([v]) => `<path d="M${X(v)},${box.top}V${box.bottom}"/>`),
        ...rows.map(([v]) => `<path d="M${box.left},${Y(v)}H${box.right}"/>`),
      ];
      const labels = [
        ...columns.map(([v, name]) => text(X(v), box.bottom + 16, "middle", name)),
        ...rows.map(([v, name]) => text(box.left - 6, Y(v) + 4, "end", name)),
        text((box.left + box.right) / 2, HEIGHT - 6, "middle", spec.x.label),
        `<g transform="translate(10,${(box.top + box.bottom) / 2}) rotate(-90)">`,
        `${text(0, 0, "middle", spec.y.label)}</g>`,
      ];
      const marks = spec.marks.map((mark) => `<g ${looks(mark)}>${MARKS[mark.kind](mark, X, Y, box)}</g>`);
      plot.innerHTML =
        `<svg width="${width}" height="${HEIGHT}" viewBox="0 0 ${width} ${HEIGHT}" aria-hidden="true">` +
        `<g class="grid">${grid.join("")}</g><g class="axis">${labels.join("")}</g>` +
        `<g class="marks">${marks.join("")}</g><g class="cursor"></g></svg>`;
      cursor = plot.querySelector(".cursor");
      keys.innerHTML = legend(spec.marks);
      caption.textContent = spec.caption;
      plot.setAttribute("aria-valuemax", Math.max(spec.values.length - 1, 0));
      read(at === null ? null : Math.min(at, spec.values.length - 1));
    }

    function read(index) {
      at = index;
      const value = spec.values[index ?? -1];
      cursor.innerHTML = value
        ? path(`M${X(value.x)},${box.top}V${box.bottom}`) + `<circle cx="${X(value.x)}" cy="${Y(value.y)}" r="5"/>`
        : "";
      reading.textContent = value ? value.text() : "";
      const spoken = index ?? Math.min(spec.start ?? 0, spec.values.length - 1);
      plot.setAttribute("aria-valuetext", spec.values[spoken].text());
      plot.setAttribute("aria-valuenow", spoken);
    }

    const nearest = (event) => {
      const pixel = event.clientX - plot.getBoundingClientRect().left;
      let best = 0;
      spec.values.forEach(({ x }, i) => {
        if (Math.abs(X(x) - pixel) < Math.abs(X(spec.values[best].x) - pixel)) best = i;
      });
      return best;
    };
    const picked = (event) => {
      const share = (event.clientX - plot.getBoundingClientRect().left - box.left) / (box.right - box.left);
      pick(spec.x.low + Math.min(Math.max(share, 0), 1) * (spec.x.high - spec.x.low), event.type === "pointerup");
    };
    plot.addEventListener("pointermove", (event) => {
      if (spec) read(nearest(event));
      if (pick && event.buttons === 1 && event.pointerType === "mouse") picked(event);
    });
    plot.addEventListener("pointerleave", () => spec && document.activeElement !== plot && read(null));
    plot.addEventListener("blur", () => spec && read(null));
    plot.addEventListener("focus", () => spec && plot.matches(":focus-visible") && read(at ?? spec.start ?? 0));
    if (pick) {
      plot.classList.add("pick");
      plot.addEventListener("pointerup", picked);
    }
    plot.addEventListener("keydown", (event) => {
      const last = spec.values.length - 1;
      const page = Math.max(1, Math.round(last / 10));
      const steps = {
        ArrowRight: 1, ArrowUp: 1, PageUp: page, End: last,
        ArrowLeft: -1, ArrowDown: -1, PageDown: -page, Home: -last,
      };
      if (!(event.key in steps)) return;
      event.preventDefault();
      read(Math.min(Math.max((at ?? spec.start ?? 0) + steps[event.key], 0), last));
    });
    new ResizeObserver(() => {
      if (!plot.clientWidth || plot.clientWidth === width) return;
      width = plot.clientWidth;
      show();
    }).observe(plot);
    return { node, show };
  }
  let figures = 0;

  return { element, figure, digits, escaped, text, ticks };
})();
