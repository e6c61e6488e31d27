// Nothing is cut off without a sign. A formula or table that is too wide scrolls in its place: data-more names the
// sides on which more follows, which fade out, and the keyboard can reach the box.
(() => {
  const SCROLLS = ".math, mjx-container, .pst-scrollable-table-container, .output_html, .output, .sig";

  function more(box) {
    const hidden = box.scrollWidth - box.clientWidth;
    const fixed = !box.matches("span.math") && getComputedStyle(box).overflowX === "visible";
    if (hidden <= 1 || !box.clientWidth || fixed) return "";
    return [box.scrollLeft > 1 && "left", box.scrollLeft < hidden - 1 && "right"].filter(Boolean).join(" ");
  }

  function show(box, sides) {
    if (sides) Object.assign(box, { tabIndex: 0 }).dataset.more = sides;
    else if ("more" in box.dataset) {
      delete box.dataset.more;
      box.removeAttribute("tabindex");
    }
  }

  const watched = new WeakSet();
  function look() {
    const boxes = [...document.querySelectorAll(SCROLLS)].filter((box) => box.closest(".bd-article"));
    boxes.map(more).forEach((sides, i) => show(boxes[i], sides)); // measures all boxes before it changes one
    for (const box of boxes.filter((box) => !watched.has(box))) {
      watched.add(box);
      box.addEventListener("scroll", () => show(box, more(box)), { passive: true });
    }
  }

  const pause = () => new Promise((done) => setTimeout(done));
  let asked = null;
  const again = () => (asked ??= dpbi.fits = pause().then(() => ((asked = null), look())));
  async function begin() {
    await window.MathJax?.startup?.promise;
    const article = document.querySelector(".bd-article") ?? document.documentElement;
    new ResizeObserver(again).observe(article);
    new MutationObserver(again).observe(article, { childList: true, subtree: true }); // new formulas
    document.addEventListener("toggle", again, true); // folded parts
    document.addEventListener("contentvisibilityautostatechange", ({ skipped }) => skipped || again()); // parts far away
    look();
  }
  globalThis.dpbi ??= {};
  if (document.readyState === "complete") dpbi.fits = begin();
  else addEventListener("load", () => (dpbi.fits = begin()));
})();
