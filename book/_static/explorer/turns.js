// Links that turn knobs: <a data-turn="n=40 epsilon=0.1" href="#name"> turns the knobs of the explorer or picture with
// this id, and scrolls to its figure with the index data-figure, or to its first figure.
"use strict";

for (const link of document.querySelectorAll("a[data-turn]")) {
  link.addEventListener("click", (event) => {
    const host = document.getElementById(link.hash.slice(1));
    event.preventDefault();
    (host.explorer ?? host.picture).take(link.dataset.turn);
    const behavior = matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";
    const figure = host.querySelectorAll(".figure")[link.dataset.figure ?? 0];
    setTimeout(() => figure.scrollIntoView({ block: "center", behavior }), 50); // after the figures are drawn
  });
}
