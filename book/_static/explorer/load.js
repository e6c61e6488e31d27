// Loads the explorer and the live pictures on the pages that have them. Without scripts such a page is complete too.
"use strict";
globalThis.dpbi ??= {};

(() => {
  const here = document.currentScript.src.replace(/[^/]*$/, "");
  dpbi.root = new URL("../../", here).href; // the book
  const ENGINE = ["special", "table", "mechanisms", "optimum", "inference", "simplex", "audit", "draw", "parts"];

  function load() {
    const [explorer, pictures] = [".dpbi-explorer", ".dpbi-picture"].map((kind) => document.querySelector(kind));
    if (!explorer && !pictures) return;
    const scripts = [...ENGINE];
    if (explorer) scripts.push("theorem", "panels", "explorer");
    if (pictures) scripts.push("findings", "pictures", "chapters", "published", "pages");
    scripts.push("turns");
    for (const name of [explorer && "explorer", pictures && "pictures"].filter(Boolean)) {
      const style = document.createElement("link");
      Object.assign(style, { rel: "stylesheet", href: `${here}${name}.css` });
      document.head.append(style);
    }
    for (const name of scripts) {
      const script = document.createElement("script");
      Object.assign(script, { src: `${here}${name}.js`, async: false });
      document.head.append(script);
    }
  }

  if (document.readyState === "loading") addEventListener("DOMContentLoaded", load);
  else load();
})();
