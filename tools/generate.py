"""Write what the book needs and nobody should: the script for formulas, the looks of mechanisms, and the reference."""

import ast
import json
import re
import shutil
from importlib.metadata import files
from pathlib import Path

from dpbi import plots

ROOT = Path(__file__).parents[1]
STATIC = ROOT / "_build" / "static"
SOURCE = ROOT / "src" / "dpbi"
REFERENCE = ROOT / "book" / "reference"
NOT_IN_REFERENCE = {"__init__", "checks", "cli"}


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


def modules() -> dict[str, list[str]]:
    """The dotted names on each page of the reference: a module, or a package with its modules."""
    pages = {}
    for path in sorted(SOURCE.iterdir()):
        if path.stem in NOT_IN_REFERENCE or path.suffix not in {"", ".py"} or path.stem == "__pycache__":
            continue
        inner = [file for file in sorted(path.glob("[!_]*.py")) if "\nCLAIMS" not in file.read_text("utf-8")]
        pages[path.stem] = [f"dpbi.{path.stem}", *(f"dpbi.{path.stem}.{file.stem}" for file in inner)]
    return pages


def subject(module: str) -> str:
    """What the first paragraph of a module's docstring says it is."""
    path = SOURCE.parent.joinpath(*module.split("."))
    text = (path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text("utf-8")
    paragraph = re.split(r"\n\n|\n\\\[", ast.get_docstring(ast.parse(text)) or module)[0]
    return re.sub(r"\\[()]", "$", " ".join(paragraph.split())).rstrip(".,:")


def reference() -> None:
    """A page for every module, and none for one that is gone."""
    pages = modules()
    for old in REFERENCE.glob("*.md"):
        if old.stem not in pages:
            old.unlink()
    for name, names in pages.items():
        # a package's names are described where they are defined, in its modules
        blocks = [BLOCK.format(name=names[0], members="" if names[1:] else "\n   :members:")]
        blocks += [f"## {module}\n\n" + BLOCK.format(name=module, members="\n   :members:") for module in names[1:]]
        write(REFERENCE / f"{name}.md", "\n\n".join([f"# dpbi.{name}", *blocks]) + "\n")
    rows = [f"| {{doc}}`dpbi.{name} <reference/{name}>` | {subject(names[0])} |" for name, names in pages.items()]
    write(ROOT / "book" / "reference.md", "\n".join([*HEAD, *rows]) + "\n")


BLOCK = "```{{eval-rst}}\n.. automodule:: {name}{members}\n```"
HEAD = (
    "# Reference",
    "",
    "The library, module by module. The names that `import dpbi` offers are listed in `dpbi.__all__`; the others are"
    " imported from their module.",
    "",
    "| module | what it is |",
    "|---|---|",
)

if __name__ == "__main__":
    STATIC.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(mathjax(), STATIC / "mathjax.js")
    write(STATIC / "explorer" / "styles.js", styles())
    reference()
