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
