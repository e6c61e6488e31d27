// What the theme leaves undone.
document.addEventListener("DOMContentLoaded", () => {
  // the arrows in the list of pages have a name
  for (const arrow of document.querySelectorAll("nav .has-children > details > summary"))
    arrow.ariaLabel = `pages of ${arrow.parentElement.previousElementSibling.textContent}`;

  // no line begins with the comma after a formula
  for (const math of document.querySelectorAll("span.math")) {
    const formula = math.closest("a.symbol") ?? math;
    const after = formula.nextSibling;
    const marks = after?.nodeType === Node.TEXT_NODE && after.data.match(/^[.,;:!?)\]’”]+/)?.[0];
    if (!marks) continue;
    after.splitText(marks.length);
    const held = document.createElement("span");
    held.className = "held";
    formula.before(held);
    held.append(formula, after);
  }
});

// A formula wider than its box scrolls there: by the keyboard too.
window.addEventListener("load", () => {
  const boxes = new ResizeObserver((entries) => {
    for (const { target } of entries)
      if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
      else target.removeAttribute("tabindex");
  });
  window.MathJax?.startup?.promise?.then(() => document.querySelectorAll(".math").forEach((math) => boxes.observe(math)));
});
