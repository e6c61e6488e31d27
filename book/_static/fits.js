// Nothing is cut off without a sign. A formula that is wider than its place breaks where a typesetter would break it; what
// still does not fit, a matrix or a table, scrolls in its place and shows at its edge that it does.
(() => {
  // Where a formula may break. A piece begins at each of these, or ends after it; later levels are tried where the
  // pieces of the earlier ones are too wide.
  const RELATION =
    /^(?:[=<>]|\\(?:le|leq|ge|geq|ne|neq|approx|sim|simeq|propto|equiv|to|rightarrow|Rightarrow|Longrightarrow|Leftrightarrow|iff|in|subset|subseteq|mapsto|ll|gg|mid|land|lor)(?![a-zA-Z]))/;
  const SUM = /^(?:[+\-]|\\(?:pm|cdot|times|cup|cap|wedge|vee|setminus)(?![a-zA-Z]))/;
  const TOKEN = /^(?:\\[a-zA-Z]+|\\.|[\s\S])/;
  const OPENS = /^(?:[([]|\\\{|\\[lL]vert)$/;
  const CLOSES = /^(?:[)\]]|\\\}|\\[rR]vert)$/;
  const KEEPS = /\\(?:tag|label|newcommand|def)\b/;

  // the tokens of a formula with what encloses each: groups, which never break, and brackets, which may
  function tokens(tex) {
    const found = [];
    let [groups, brackets, at] = [0, 0, 0];
    while (at < tex.length) {
      const token = tex.slice(at).match(TOKEN)[0];
      if (token === "}" || token === "\\right" || token === "\\end") groups--;
      if (CLOSES.test(token) && !groups) brackets = Math.max(brackets - 1, 0);
      found.push({ token, at, groups, brackets });
      if (token === "{" || token === "\\left" || token === "\\begin") groups++;
      if (OPENS.test(token) && !groups) brackets++;
      at += token.length;
    }
    return found;
  }

  // the places where a piece begins, at a level: 0 relations and commas outside of brackets, 1 sums too, 2 brackets too
  function breaks(tex, level) {
    const places = [];
    let before = "="; // the last token that is no space: after it a sign is no sum
    for (const { token, at, groups, brackets } of tokens(tex)) {
      if (/^\s$/.test(token)) continue;
      const free = groups === 0 && (level > 1 || brackets === 0) && !/^[_^]$/.test(before);
      const unary = RELATION.test(before) || SUM.test(before) || OPENS.test(before) || before === ",";
      const begins = RELATION.test(token) || (level > 0 && SUM.test(token) && !unary);
      if (free && at > 0 && begins && !RELATION.test(before)) places.push(at);
      const after = /^(?:,|;|\\qquad|\\quad)$/.test(token);
      if (free && after && at + token.length < tex.length) places.push(at + token.length);
      before = token;
    }
    return places;
  }

  function pieces(tex, level) {
    const places = [0, ...breaks(tex, level), tex.length];
    return places
      .slice(1)
      .map((end, i) => tex.slice(places[i], end).trim())
      .filter((piece) => piece && !/^\\q?quad$/.test(piece));
  }

  // a formula cut at a token that nothing encloses
  function cut(tex, where) {
    const found = [];
    let from = 0;
    for (const { token, at, groups } of tokens(tex)) {
      if (groups || token !== where) continue;
      found.push(tex.slice(from, at));
      from = at + token.length;
    }
    return [...found, tex.slice(from)];
  }

  // the lines of a formula that was written in several, without what aligns them, and what stands side by side
  function lines(tex) {
    const whole = tex.trim().match(/^\\begin\{(split|aligned|align\*?|gathered|equation\*?)\}([\s\S]*)\\end\{\1\}$/);
    if (!whole) return cut(tex, "\\qquad").map((line) => line.trim()).filter(Boolean);
    const plain = (line) => line.replace(/^\s*\[[^\]]*\]/, "").replace(/(^|[^\\])&/g, "$1");
    return cut(whole[2], "\\\\").flatMap((line) => lines(plain(line)));
  }

  const sources = new WeakMap(); // of the formulas that are set
  function remember() {
    for (const item of MathJax.startup.document.math) if (item.typesetRoot) sources.set(item.typesetRoot, item.math);
  }

  // The width of what is set, in pixels, from what MathJax says of it: asking the page would have it laid out each time.
  const ex = (node) => parseFloat(node.querySelector("svg")?.getAttribute("width") ?? 0);
  const size = (node) => parseFloat(getComputedStyle(node).fontSize);
  let height; // of an x, in em
  function measure(formulas) {
    for (const math of formulas) {
      const { width } = math.querySelector("svg")?.getBoundingClientRect() ?? { width: 0 };
      if (width) return (height = width / ex(math) / size(math));
    }
  }

  // the width that a formula may have
  function room(math) {
    let box = math.parentElement;
    while (box && getComputedStyle(box).display.startsWith("inline")) box = box.parentElement;
    const { paddingLeft, paddingRight } = getComputedStyle(box);
    return box.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
  }

  const typeset = new Map(); // the pieces that were set: a screen that turns needs them again
  async function svg(tex) {
    if (!typeset.has(tex)) typeset.set(tex, await MathJax.tex2svgPromise(tex, { display: false }));
    return typeset.get(tex).cloneNode(true);
  }

  // a piece, and the mark that follows the formula with the last of them
  async function set(piece, first, mark, display) {
    const node = document.createElement("span");
    node.className = "piece";
    node.append(await svg((display ? "\\displaystyle " : "") + (first ? "" : "{}") + piece));
    if (mark) node.append(mark);
    return node;
  }

  const done = new WeakMap(); // of formulas: the width they were given, and their pieces if they were too wide for it

  // A formula in pieces at a level, or nothing if it has no place to break there.
  async function pieced(math, tex, level) {
    const display = math.tagName === "DIV";
    const rows = lines(tex).map((line) => pieces(line, level));
    if (rows.every((row) => row.length === 1) && rows.length === 1) return null;
    const after = math.nextSibling;
    const held = math.parentElement.matches(".held") && after?.nodeType === Node.TEXT_NODE;
    const mark = held ? done.get(math)?.parts?.mark || after.data : "";
    const box = document.createElement(display ? "div" : "span");
    box.className = "pieces";
    for (const row of rows) {
      const line = document.createElement(display ? "div" : "span");
      for (const [i, piece] of row.entries()) {
        const last = row === rows.at(-1) && i === row.length - 1;
        line.append(await set(piece, i === 0, last && mark, display));
      }
      box.append(line);
    }
    return { box, after, mark };
  }

  // a formula at the first level at which its pieces have room
  async function broken(math, tex, width) {
    const indent = math.tagName === "DIV" ? 2 : 0; // of the lines that go on, in em
    const most = (width - 16 * indent + 1.5) / height / size(math); // nobody sees or scrolls a pixel
    let found = null;
    for (const level of [0, 1, 2]) {
      found = await pieced(math, tex, level);
      if (found && [...found.box.querySelectorAll(".piece")].every((piece) => ex(piece) <= most)) break;
    }
    for (const piece of found?.box.querySelectorAll(".piece") ?? [])
      if (ex(piece) > most) piece.classList.add("wide"); // it has no place to break, and scrolls
    found?.box.querySelectorAll(".wide").forEach(watch);
    return found;
  }

  function put(math, { box, after, mark }) {
    math.querySelector("mjx-container").hidden = true;
    math.append(box);
    math.classList.add("broken");
    if (mark) after.data = "";
  }

  function restore(math, { box, after, mark }) {
    box.remove();
    if (mark) after.data = mark;
    math.classList.remove("broken");
    math.querySelector("mjx-container").hidden = false;
  }

  // Everything is measured before anything is changed.
  async function fit(formulas) {
    height ??= measure(formulas);
    const rooms = formulas.map((math) => [math, room(math)]);
    const changes = [];
    for (const [math, width] of rooms) {
      if (!height || width <= 0 || done.get(math)?.width === width) continue;
      const formula = math.querySelector("mjx-container");
      const tex = formula && sources.get(formula);
      const wide = height && tex && !KEEPS.test(tex) && ex(formula) * height * size(math) > width + 0.5;
      changes.push([math, { width, parts: wide ? await broken(math, tex, width) : null }]);
    }
    for (const [math, now] of changes) {
      const before = done.get(math);
      if (before?.parts) restore(math, before.parts);
      if (now.parts) put(math, now.parts);
      done.set(math, now);
    }
    const boxes = formulas.flatMap((math) => [math, ...math.querySelectorAll("mjx-container, .wide")]);
    boxes.map(more).forEach((sides, i) => show(boxes[i], sides));
  }

  // What scrolls says so: data-more names the sides where there is more, and the keyboard can reach it.
  function more(box) {
    const hidden = box.scrollWidth - box.clientWidth;
    const sides = [];
    if (hidden > 1 && box.clientWidth && getComputedStyle(box).overflowX !== "visible") {
      if (box.scrollLeft > 1) sides.push("left");
      if (box.scrollLeft < hidden - 1) sides.push("right");
    }
    return sides;
  }

  function show(box, sides = more(box)) {
    if (sides.length) {
      box.dataset.more = sides.join(" ");
      box.tabIndex = 0;
    } else if ("more" in box.dataset) {
      delete box.dataset.more;
      box.removeAttribute("tabindex");
    }
  }

  const SCROLLS = ".pst-scrollable-table-container, .output_html, .output, .sig";
  const watch = (box) => box.addEventListener("scroll", () => show(box), { passive: true });
  async function begin() {
    await window.MathJax?.startup?.promise;
    const formulas = []; // of the text, so far as they are set
    const boxes = [...document.querySelectorAll(SCROLLS)];
    const come = (found) => {
      if (window.MathJax?.startup?.document) remember();
      found.flatMap((math) => [math, ...math.querySelectorAll("mjx-container")]).forEach(watch);
      formulas.push(...found);
      return fit(found);
    };
    const all = async () => {
      await fit(formulas);
      boxes.map(more).forEach((sides, i) => show(boxes[i], sides));
    };
    const set = (math) => !window.MathJax?.startup?.document || math.querySelector("mjx-container");
    const then = (next) => (globalThis.dpbi.fits = globalThis.dpbi.fits.then(next));
    boxes.forEach(watch);
    const text = document.querySelector(".bd-article") ?? document.documentElement; // beside it the sidebar slides in
    let [width, asked] = [text.clientWidth, false];
    const again = () => {
      if (asked) return;
      asked = true;
      then(() => ((asked = false), all()));
    };
    new ResizeObserver(() => {
      if (text.clientWidth !== width) again();
      width = text.clientWidth;
    }).observe(text);
    document.addEventListener("formulas", ({ detail }) => {
      const inside = detail.flatMap((box) => (box.matches(".math") ? [box] : [...box.querySelectorAll(".math")]));
      then(() => come(inside.filter((math) => math.closest(".bd-article"))));
    });
    document.addEventListener("toggle", again, true); // what was folded
    document.addEventListener("contentvisibilityautostatechange", ({ skipped }) => skipped || again()); // what was far
    await come([...document.querySelectorAll(".bd-article .math")].filter(set));
    await all();
  }
  globalThis.dpbi ??= {};
  dpbi.pieces = (tex, level) => lines(tex).map((line) => pieces(line, level)); // for the tests
  if (document.readyState === "complete") dpbi.fits = begin();
  else addEventListener("load", () => (dpbi.fits = begin()));
})();
