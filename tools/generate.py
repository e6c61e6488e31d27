"""Write what the book needs and nobody should: the script for formulas, and the looks of mechanisms."""

import json
import shutil
from importlib.metadata import files
from pathlib import Path

from dpbi import plots

ROOT = Path(__file__).parents[1]
STATIC = ROOT / "_build" / "static"


def write(path: Path, text: str) -> None:
    """Write a file unless it says so already: what has not changed is not built again."""
    if not (path.exists() and path.read_text("utf-8") == text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def mathjax() -> Path:
    """MathJax in one file: TeX in, SVG out, every TeX extension inside, no fonts to fetch."""
    return next(Path(file.locate()) for file in files("sphinx-mathjax-offline") or () if file.name == "tex-svg-full.js")


def styles() -> str:
    """The colours and markers of the figures, for the scripts of the book."""
    known = {"truth": plots.TRUTH, "mechanisms": {name: style._asdict() for name, style in plots.STYLES.items()}}
    return f"dpbi.styles = {json.dumps(known, indent=1)};\n"


if __name__ == "__main__":
    STATIC.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(mathjax(), STATIC / "mathjax.js")
    write(STATIC / "explorer" / "styles.js", styles())
