// What the theme leaves undone.
document.addEventListener("DOMContentLoaded", () => {
  // one switch shows the code of a page; without it the page reads as an article
  const article = document.querySelector(".bd-article");
  const code = article?.querySelectorAll(".cell .cell_input, .cell details.above-input") ?? [];
  if (code.length) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "code-switch";
    const show = shown => {
      article.classList.toggle("without-code", !shown);
      button.textContent = shown ? "Hide the code of this page" : "Show the code of this page";
      button.setAttribute("aria-pressed", shown);
      for (const part of code) if (part.tagName === "DETAILS") part.open = shown;
    };
    button.addEventListener("click", () => show(button.getAttribute("aria-pressed") !== "true"));
    show(false);
    (article.querySelector(".admonition.tip") ?? article.querySelector("h1")).after(button);
  }

  // a figure is enlarged on a click, and closed by another or by Escape
  for (const image of article?.querySelectorAll("figure img, .cell_output img") ?? []) {
    const open = document.createElement("button");
    open.type = "button";
    open.className = "enlarge";
    open.title = "Enlarge the figure";
    image.before(open);
    open.append(image);
    open.addEventListener("click", () => {
      const dialog = document.createElement("dialog");
      dialog.className = "enlarged";
      dialog.ariaLabel = image.alt;
      const close = document.createElement("button");
      close.type = "button";
      close.textContent = "Close";
      open.style.height = `${open.offsetHeight}px`;
      dialog.append(close, image);
      article.append(dialog);
      dialog.addEventListener("click", () => dialog.close());
      dialog.addEventListener("close", () => {
        open.append(image);
        open.style.height = "";
        dialog.remove();
        open.focus();
      });
      dialog.showModal();
    });
  }

  // the arrows in the list of pages have a name
  for (const arrow of document.querySelectorAll("nav .has-children > details > summary"))
    arrow.ariaLabel = `pages of ${arrow.parentElement.previousElementSibling.textContent}`;

  // a work in a list of works is an item of the list
  for (const work of document.querySelectorAll(".citation-list > .citation")) work.role = "listitem";

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
