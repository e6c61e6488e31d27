// Links that turn knobs: <a data-turn="n=40 epsilon=0.1" href="#name"> turns those of the explorer or picture with this
// id and shows what follows them, the figure whose number data-figure gives or the first.
"use strict";

for (const link of document.querySelectorAll("a[data-turn]")) {
  link.addEventListener("click", (event) => {
    const host = document.getElementById(link.hash.slice(1));
    event.preventDefault();
    (host.explorer ?? host.picture).take(link.dataset.turn);
    const behavior = matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";
    const figure = host.querySelectorAll(".figure")[link.dataset.figure ?? 0];
    setTimeout(() => figure.scrollIntoView({ block: "center", behavior }), 50); // drawn by then
  });
}
