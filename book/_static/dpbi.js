// Additions to the theme of the book.

// A search shows the words around each hit, for which it fetches the page. This is impossible from the file system.
if (location.protocol === "file:" && typeof DOCUMENTATION_OPTIONS === "object") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;

document.addEventListener("DOMContentLoaded", () => {
  // one switch shows the code of a page; without code the page reads as an article
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

  // names for the arrows in the list of pages
  for (const arrow of document.querySelectorAll("nav .has-children > details > summary"))
    arrow.ariaLabel = `pages under ${arrow.parentElement.previousElementSibling.textContent}`;

  // every work in a list of works has the role of an item
  for (const work of document.querySelectorAll(".citation-list > .citation")) work.role = "listitem";

  // punctuation after a formula stays on the line of the formula
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
