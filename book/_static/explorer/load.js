// Loads the explorer on the pages that have one. Without this script such a page is simply whole.
"use strict";
globalThis.dpbi ??= {};

(() => {
  const here = document.currentScript.src.replace(/[^/]*$/, "");
  dpbi.root = new URL("../../", here).href; // the book

  function load() {
    if (!document.querySelector(".dpbi-explorer")) return;
    const style = document.createElement("link");
    Object.assign(style, { rel: "stylesheet", href: `${here}explorer.css` });
    document.head.append(style);
    for (const name of ["table", "special", "mechanisms", "audit", "theorem", "draw", "panels", "explorer"]) {
      const script = document.createElement("script");
      Object.assign(script, { src: `${here}${name}.js`, async: false });
      document.head.append(script);
    }
  }

  if (document.readyState === "loading") addEventListener("DOMContentLoaded", load);
  else load();
})();
