// Formulas are set a few at a time, those in view first: a page with hundreds of them can be read and used at once.
(() => {
  if (!window.MathJax) return;
  const MARKED = ".math, .output_area, .tex2jax_process, .mathjax_process";
  const AT_ONCE = 8;

  const away = (box) => {
    const { top, bottom } = box.getBoundingClientRect();
    return top > innerHeight ? top - innerHeight : bottom < 0 ? innerHeight - bottom : 0;
  };
  const pageReady = async () => {
    const outermost = [...document.querySelectorAll(MARKED)].filter((box) => !box.parentElement.closest(MARKED));
    const places = new Map(outermost.map((box) => [box, away(box)]));
    const boxes = outermost.sort((a, b) => places.get(a) - places.get(b));
    for (let i = 0; i < boxes.length; i += AT_ONCE) {
      await MathJax.typesetPromise(boxes.slice(i, i + AT_ONCE));
      await new Promise((done) => setTimeout(done));
    }
  };
  window.MathJax.startup = { ...window.MathJax.startup, pageReady };
})();
