"""Write what the book needs and nobody should: the scripts for formulas, the looks of mechanisms."""

import json
import shutil
from importlib.metadata import files
from pathlib import Path

from dpbi import MECHANISMS, plots

ROOT = Path(__file__).parents[1]
STATIC = ROOT / "_build" / "static"


def write(path: Path, text: str) -> None:
    """Write a file unless it says so already: what has not changed is not built again."""
    if not (path.exists() and path.read_text("utf-8") == text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def table() -> str:
    """The table of mechanisms, for the scripts of the book: what is said of each, its look, and what its law is of."""
    said = ("about", "color", "marker", "pattern", "words")
    mechanisms = {name: {word: getattr(entry, word) for word in said} for name, entry in MECHANISMS.items()}
    for name, entry in MECHANISMS.items():
        # noise, of which one replaced record of three categories moves two counts
        if "upper" in entry.pattern:
            mechanisms[name]["scale_at_three"] = 2 / entry.at(1.0).guarantee([1, 1, 1], 1).epsilon
        if "gaussian" in entry.pattern:
            mechanisms[name]["scale_at_three"] = 1 / entry.at(1.0).guarantee([1, 1, 1], 1).rho
    return f"dpbi.table = {json.dumps({'truth': plots.TRUTH, 'mechanisms': mechanisms}, indent=1)};\n"


def names() -> str:
    """The names of the mechanisms here and in the sources, as a table of the notation."""
    columns = ("notes", "hellinger", "elsewhere")
    rows = ["| here | notes | Hellinger paper | elsewhere | meaning |", "|---|---|---|---|---|"]
    for name, entry in MECHANISMS.items():
        cells = [f"`{name}`", *(entry.letters.get(source, "") for source in columns), entry.meaning]
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows) + "\n"


if __name__ == "__main__":
    (STATIC / "ui").mkdir(parents=True, exist_ok=True)
    mathjax = {Path(file).name: file.locate() for file in files("sphinx-mathjax-offline") or ()}
    # TeX in, SVG out, no fonts to fetch; and what sets a formula when a reader comes near it
    for name, place in {"tex-svg-full.js": "mathjax.js", "lazy.js": "ui/lazy.js"}.items():
        shutil.copyfile(mathjax[name], STATIC / place)
    write(STATIC / "explorer" / "table.js", table())
    write(ROOT / "_build" / "mechanisms.md", names())
