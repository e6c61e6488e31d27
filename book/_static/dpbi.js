// A name for what the theme leaves without one: the arrows in the list of pages, and tables that scroll.
document.addEventListener("DOMContentLoaded", () => {
  for (const arrow of document.querySelectorAll("nav .has-children > details > summary"))
    arrow.ariaLabel = `pages of ${arrow.parentElement.previousElementSibling.textContent}`;
});
