"""Write the generated files of the book: the scripts for formulas, and the tables and pictures of the mechanisms."""

import json
import re
import shutil
from html import escape
from importlib.metadata import files
from pathlib import Path

from crossref import NAMES, ROOT, citation, template
from dpbi import MECHANISMS, audit, given_noise, mean_error, plots
from dpbi.inference import plug_in
from dpbi.plots.looks import LOOKS, pattern
from dpbi.publish import releasable

STATIC = ROOT / "_build" / "static"

PRIOR, COUNTS, EPSILON = [1, 1], [14, 6], 1.0
"""Dataset for which distributions are shown: the class in the taught path, in which 14 of 20 students say yes."""

WIDTH, HEIGHT, BELOW, ABOVE = 168, 84, 18, 16
"""Dimensions of a picture in its own units. A card is about ``WIDTH`` pixels wide, so the text keeps its size."""

PLACES = {
    "lszhang": ["notebooks/notes/privacy_of_the_mechanisms", "notebooks/notes/theorem_4_5"],
    "lsdim": ["notebooks/notes/privacy_of_the_mechanisms"],
    "lshist": ["notebooks/notes/theorem_4_5", "notebooks/notes/crossovers"],
    "geometric": ["book/path/noise", "book/optimality"],
    "staircase": ["book/path/noise"],
    "discrete_gaussian": ["notebooks/beyond/what_many_uses_cost"],
    "laplace_in_order": ["notebooks/hellinger/tables_and_figures"],
    "lattice_laplace": ["book/optimality", "book/guides/release"],
    "ehd": ["book/path/distance", "notebooks/notes/theorem_4_5"],
    "ehdl": ["notebooks/notes/privacy_of_the_mechanisms", "notebooks/notes/theorem_4_5"],
    "ehds": ["notebooks/notes/privacy_of_the_mechanisms"],
    "smoothed_hellinger": ["notebooks/hellinger/smoothed_mechanism", "notebooks/hellinger/concrete_epsilon"],
    "permute_and_flip": ["notebooks/beyond/what_many_uses_cost"],
    "randomised_response": ["notebooks/private_mcmc/three_currencies"],
}
"""Pages about each mechanism; a test requires an entry for every mechanism in ``LOOKS``."""


def write(path: Path, text: str) -> None:
    """Write a file unless it already has this content, so that an unchanged file causes no rebuild."""
    if not (path.exists() and path.read_text("utf-8") == text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def table() -> str:
    """Table of mechanisms as a script of the book, with the description, look, and kind of distribution of each."""
    mechanisms = {}
    for name, look in LOOKS.items():
        law, promise = pattern(name), MECHANISMS[name].at(1.0).promise_at([1, 1, 1], 1)
        mechanisms[name] = {
            "about": look.about,
            "color": look.color,
            "marker": look.marker,
            "pattern": law,
            "words": look.words,
        }
        # with three categories, one replaced record changes two of the counts with noise
        if "upper" in law:
            mechanisms[name]["scale_at_three"] = 2 / promise.epsilon
        if "gaussian" in law:
            mechanisms[name]["scale_at_three"] = 1 / promise.rho
    return f"dpbi.table = {json.dumps({'truth': plots.TRUTH, 'mechanisms': mechanisms}, indent=1)};\n"


def names() -> str:
    """Table of the names of the mechanisms in this book and in the sources, for the page *Notation*."""
    columns = ("notes", "hellinger", "elsewhere")
    rows = ["| here | notes | Hellinger paper | elsewhere | meaning |", "|---|---|---|---|---|"]
    for name, look in LOOKS.items():
        cells = [f"`{name}`", *(look.letters.get(source, "") for source in columns), look.meaning]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows) + "\n"


def law(name: str) -> dict[int, float]:
    """Probability of each value of the first released count of a mechanism."""
    found = MECHANISMS[name].at(EPSILON).law(PRIOR, COUNTS)
    return dict(zip(found.outputs[:, 0].tolist(), found.probabilities.tolist(), strict=True))


def picture(name: str, top: float) -> str:
    """Picture of a mechanism's distribution for one dataset, as SVG: one bar for each count, on a common axis."""
    n, shares = sum(COUNTS), law(name)
    step = WIDTH / (n + 1)
    bars = []
    for x in range(n + 1):
        kind, high = "truth" if x == COUNTS[0] else "other", HEIGHT * shares.get(x, 0) / top
        place = f'x="{x * step + 0.5:.1f}" y="{ABOVE + HEIGHT - high:.1f}" width="{step - 1:.1f}" height="{high:.1f}"'
        bars.append(f'<rect class="{kind}" {place}/>')
    ends = {0: ("start", 0), COUNTS[0]: ("middle", (COUNTS[0] + 0.5) * step), n: ("end", WIDTH)}
    marks = [
        f'<text x="{place:.1f}" y="{ABOVE + HEIGHT + 15}" style="text-anchor: {anchor}">{x}</text>'
        for x, (anchor, place) in ends.items()
    ]
    true, most = COUNTS[0], max(shares.values())
    likeliest = true if shares.get(true, 0) > most - 1e-12 else max(shares, key=lambda x: shares[x])  # true in a tie
    other = "no count is more probable" if likeliest == true else f"the most probable one, {likeliest}, with {most:.3g}"
    label = (
        f"Distribution of {LOOKS[name].words}: the true count {true} is released with probability "
        f"{shares.get(true, 0):.3g}, and {other}."
    )
    high = HEIGHT * shares[likeliest] / top
    across = min(max((likeliest + 0.5) * step, 16), WIDTH - 16)
    marks.append(f'<text x="{across:.1f}" y="{ABOVE + HEIGHT - high - 4:.1f}">{shares[likeliest]:.2g}</text>')
    return (
        f'<svg class="law" role="img" aria-label="{escape(label)}" viewBox="0 0 {WIDTH} {ABOVE + HEIGHT + BELOW}">'
        f"{''.join([*bars, *marks])}</svg>"
    )


def capital(text: str) -> str:
    return text[0].upper() + text[1:]


def card(name: str, top: float) -> str:
    """Card of a mechanism in the gallery: name, distribution, privacy loss for this class, and mean error."""
    mechanism, n = MECHANISMS[name].at(EPSILON), sum(COUNTS)
    return (
        f"````{{grid-item-card}} {capital(LOOKS[name].words)}\n:class-card: law\n\n{picture(name, top)}\n\n"
        f"loss {audit(mechanism, PRIOR, n).epsilon:.3g}, error {mean_error(mechanism, PRIOR, COUNTS):.3g}\n````"
    )


def row(name: str) -> str:
    """Row of a mechanism in the table below the gallery: description, promise, and pages about the mechanism."""
    look, mechanism = LOOKS[name], MECHANISMS[name].at(EPSILON)
    promise = "none" if mechanism.promise is None else "$\\varepsilon$"
    if hasattr(mechanism.promise, "rho"):
        promise = "$\\rho = \\varepsilon^2/2$"
    where = {source: f"in {name}" for source, name in NAMES.items()}
    letters = [f"{text} ({where.get(source, 'elsewhere')})" for source, text in look.letters.items()]
    places = ", ".join(f"{{doc}}`/{page}`" for page in PLACES.get(name, ()))
    known = f" Other names: {', '.join(letters)}." if letters else ""
    released = "yes" if name in releasable() else ""
    return f"| `{name}` | {capital(look.meaning)}.{known} | {promise} | {released} | {places} |"


def quick_start() -> None:
    """Draw the figure of the release in the guide from the noisy count that the guide states."""
    count = int(re.search(r"from a noisy count of (\d+)", (ROOT / "book/guides/release.md").read_text("utf-8"))[1])
    shares = given_noise([1, 1], 400, [count, 400 - count], 0.3)
    ax = plots.share_intervals(shares, plug_in([1, 1], [count, 400 - count]), ["yes", "no"])
    plots.save(ax, STATIC / "quick_start.svg")


def gallery() -> str:
    top = max(max(law(name).values()) for name in LOOKS)
    head = "| in code | what it does | promise | available for release | read more |\n|---|---|---|---|---|"
    cards = [card(name, top) for name in LOOKS]
    table = "\n".join(["````{container} cards", head, *map(row, LOOKS), "````"])
    return "\n\n".join(["`````{grid} 2 3 4 4\n:gutter: 2", *cards, "`````", "## One by one", table, ""])


if __name__ == "__main__":
    (STATIC / "ui").mkdir(parents=True, exist_ok=True)
    mathjax = {Path(file).name: file.locate() for file in files("sphinx-mathjax-offline") or ()}
    # MathJax with SVG output, which needs no fonts, and its extension that sets a formula when a reader approaches it
    for name, place in {"tex-svg-full.js": "mathjax.js", "lazy.js": "ui/lazy.js"}.items():
        shutil.copyfile(mathjax[name], STATIC / place)
    write(STATIC / "explorer" / "table.js", table())
    quick_start()
    write(ROOT / "_build" / "cite.md", template("cite").format(**citation()).replace("  url     = {},\n", ""))
    write(ROOT / "_build" / "mechanisms.md", names())
    write(ROOT / "_build" / "gallery.md", gallery())
