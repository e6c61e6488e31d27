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

  const widthOf = (node) => node.querySelector("svg")?.getBoundingClientRect().width ?? 0;

  // the width that a formula may have
  function room(math) {
    let box = math.parentElement;
    while (box && getComputedStyle(box).display.startsWith("inline")) box = box.parentElement;
    const { paddingLeft, paddingRight } = getComputedStyle(box);
    return box.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
  }

  // a piece, and the mark that follows the formula with the last of them
  async function set(piece, first, mark, display) {
    const node = document.createElement("span");
    node.className = "piece";
    node.append(await MathJax.tex2svgPromise((display ? "\\displaystyle " : "") + (first ? "" : "{}") + piece, { display: false }));
    if (mark) node.append(mark);
    return node;
  }

  async function broken(math, whole, width) {
    const tex = sources.get(whole);
    if (!tex || KEEPS.test(tex)) return false;
    const display = math.tagName === "DIV";
    const given = lines(tex);
    const after = math.nextSibling;
    const mark = math.parentElement.matches(".held") && after?.nodeType === Node.TEXT_NODE ? after.data : "";
    for (const level of [0, 1, 2]) {
      const rows = given.map((line) => pieces(line, level));
      if (rows.every((row) => row.length === 1) && rows.length === 1) continue;
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
      whole.hidden = true;
      math.append(box);
      math.classList.add("broken");
      if (mark) after.data = "";
      const indent = display ? 2 : 0; // of the lines that go on, in em
      const fits = [...box.querySelectorAll(".piece")].every((piece) => widthOf(piece) <= width - 16 * indent);
      if (fits || level === 2) {
        math.mended = { width, undo: () => (box.remove(), mark && (after.data = mark)) };
        return fits;
      }
      box.remove();
      if (mark) after.data = mark;
      whole.hidden = false;
      math.classList.remove("broken");
    }
    return false;
  }

  function whole(math) {
    math.mended?.undo();
    delete math.mended;
    math.classList.remove("broken");
    const formula = math.querySelector("mjx-container");
    if (formula) formula.hidden = false;
    return formula;
  }

  async function fit(math) {
    const width = room(math);
    if (math.mended?.width === width || !width) return;
    const formula = whole(math);
    if (formula && widthOf(formula) > width + 0.5) await broken(math, formula, width);
    show(math);
  }

  // What scrolls says so: data-more names the sides where there is more, and the keyboard can reach it.
  function show(box) {
    const more = box.scrollWidth - box.clientWidth;
    const sides = [];
    if (more > 1 && box.clientWidth && getComputedStyle(box).overflowX !== "visible") {
      if (box.scrollLeft > 2) sides.push("left");
      if (box.scrollLeft < more - 2) sides.push("right");
    }
    if (sides.length) {
      box.dataset.more = sides.join(" ");
      box.tabIndex = 0;
    } else if ("more" in box.dataset) {
      delete box.dataset.more;
      box.removeAttribute("tabindex");
    }
  }

  const SCROLLS = ".pst-scrollable-table-container, .output_html, .output, .sig";
  async function begin() {
    await window.MathJax?.startup?.promise;
    if (window.MathJax?.startup?.document) remember();
    const formulas = [...document.querySelectorAll(".bd-article .math")];
    const boxes = [...document.querySelectorAll(SCROLLS)];
    const all = async () => {
      for (const math of formulas) await fit(math);
      boxes.forEach(show);
    };
    for (const box of [...formulas, ...boxes]) box.addEventListener("scroll", () => show(box), { passive: true });
    let work = all();
    let width = innerWidth;
    const observer = new ResizeObserver(() => {
      if (document.documentElement.clientWidth === width) return;
      width = document.documentElement.clientWidth;
      globalThis.dpbi.fits = work = work.then(all);
    });
    observer.observe(document.documentElement);
    globalThis.dpbi.fits = work;
    await work;
    document.addEventListener("toggle", () => (globalThis.dpbi.fits = work = work.then(all)), true); // what was folded
  }
  globalThis.dpbi ??= {};
  dpbi.pieces = (tex, level) => lines(tex).map((line) => pieces(line, level)); // for the tests
  if (document.readyState === "complete") dpbi.fits = begin();
  else addEventListener("load", () => (dpbi.fits = begin()));
})();
