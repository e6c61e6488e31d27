// Formulas are set when the reader comes near them, those in view first: a page with hundreds of them can be read and
// used at once. What is folded or filtered out is set when it is shown, and everything before the page is printed.
(() => {
  if (!window.MathJax) return;
  globalThis.dpbi ??= {};
  const MARKED = ".math, .output_area, .tex2jax_process, .mathjax_process";
  const AT_ONCE = 8;
  const left = new Set(); // not set yet
  let queue = []; // of these the ones to set now, the next one last
  let work = null;

  const away = ({ top, bottom }) => (top > innerHeight ? top - innerHeight : bottom < 0 ? -bottom : 0);
  const farthestFirst = (places) => [...places.keys()].sort((a, b) => places.get(b) - places.get(a));

  async function several() {
    while (queue.length) {
      const boxes = queue.splice(-AT_ONCE).reverse().filter((box) => left.delete(box));
      if (!boxes.length) continue;
      await MathJax.typesetPromise(boxes);
      document.dispatchEvent(new CustomEvent("formulas", { detail: boxes }));
      await new Promise((done) => setTimeout(done));
    }
    work = null;
  }
  function set(places) {
    queue.push(...farthestFirst(places));
    return (work ??= Promise.resolve().then(several));
  }

  // What is in view and near it when the page opens, and then what comes near.
  const pageReady = () =>
    new Promise((done) => {
      for (const box of document.querySelectorAll(MARKED)) if (!box.parentElement.closest(MARKED)) left.add(box);
      if (!left.size) done();
      const observer = new IntersectionObserver(
        (seen) => {
          const come = seen.filter(({ isIntersecting }) => isIntersecting);
          for (const { target } of come) observer.unobserve(target);
          set(new Map(come.map(({ target, boundingClientRect }) => [target, away(boundingClientRect)]))).then(done);
        },
        { rootMargin: "75% 0px" },
      );
      for (const box of left) observer.observe(box);
    });
  dpbi.setAll = () => set(new Map([...left].map((box) => [box, 0])));
  addEventListener("beforeprint", () => {
    const boxes = [...left]; // at once: the page is printed when this returns
    left.clear();
    if (!boxes.length) return;
    MathJax.typeset(boxes);
    document.dispatchEvent(new CustomEvent("formulas", { detail: boxes }));
  });
  window.MathJax.startup = { ...window.MathJax.startup, pageReady };
})();
