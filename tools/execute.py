"""Execute notebooks and keep them in the one form that is committed: outputs, fixed cell ids, no timings.

python tools/execute.py [NOTEBOOK ...]     all of them by default
python tools/execute.py --times            keep the notebooks, record how long each runs
"""

import argparse
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from dpbi.results import record

ROOT = Path(__file__).parents[1]
NOTEBOOKS = ROOT / "notebooks"
PICTURES = {
    ROOT / "book" / "_static" / "how_far_from_the_best.svg": ("beyond/how_far_from_the_best", "free-figure"),
    ROOT / "book" / "_static" / "gain.svg": ("beyond/how_far_from_the_best", "gain-figure"),
}
"""Figures that other pages show, each from one cell of a notebook."""

KEPT_METADATA = {"tags", "mystnb"}
COMPARED = "nbval-check-output"  # the tag of cells whose outputs `pytest --nbval-lax` compares
PYTHON = {"display_name": "Python 3", "language": "python", "name": "python3"}


def execute(path: Path) -> nbformat.NotebookNode:
    """The notebook with fresh outputs; an error or a warning in it is an error here."""
    notebook = nbformat.read(path, as_version=4)
    where = {"metadata": {"path": path.parent}}
    NotebookClient(notebook, timeout=600, kernel_name="python3", record_timing=False, resources=where).execute()
    return committed_form(notebook, path)


def committed_form(notebook: nbformat.NotebookNode, path: Path) -> nbformat.NotebookNode:
    """Only what a reader or a test needs: no editor's metadata, no version of Python, ids that stay, flat figures."""
    notebook.metadata = nbformat.from_dict({"kernelspec": PYTHON, "language_info": {"name": "python"}})
    notebook.nbformat_minor = 5
    for number, cell in enumerate(notebook.cells, start=1):
        cell.setdefault("id", f"cell-{number}")
        cell.metadata = nbformat.from_dict({key: value for key, value in cell.metadata.items() if key in KEPT_METADATA})
        outputs = cell.get("outputs", [])
        figures = [output.data for output in outputs if "image/svg+xml" in output.get("data", {})]
        for data in figures:  # one line of the file, so that a new figure is a small change
            data["image/svg+xml"] = " ".join(data["image/svg+xml"].split())
        tags = [tag for tag in cell.metadata.get("tags", []) if tag != COMPARED]
        tags += [COMPARED] * (bool(outputs) and not figures)  # whose pixels differ between machines
        if tags or "tags" in cell.metadata:
            cell.metadata["tags"] = tags
        for output in outputs:
            output.pop("transient", None)
            if output.get("name") == "stderr":
                raise SystemExit(f"{path}: cell {cell.id} writes to stderr, which no reader should see:\n{output.text}")
    nbformat.validate(notebook)
    return notebook


def picture(name: str, identity: str) -> str:
    """The figure of a cell, as its notebook has it."""
    cells = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4).cells
    return str(next(cell for cell in cells if cell.id == identity).outputs[0].data["image/svg+xml"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notebooks", nargs="*", type=Path)
    parser.add_argument("--times", action="store_true", help="record how long each notebook runs")
    arguments = parser.parse_args()
    seconds = dict[str, float]()
    for path in arguments.notebooks or sorted(NOTEBOOKS.rglob("*.ipynb")):
        start = time.perf_counter()
        notebook = execute(path)
        name = path.resolve().relative_to(NOTEBOOKS).with_suffix("").as_posix()
        seconds[name] = round(time.perf_counter() - start, 1)
        print(f"{name}: {seconds[name]} s", flush=True)
        if not arguments.times:
            nbformat.write(notebook, path)
    for path, cell in PICTURES.items():
        path.write_text(picture(*cell), "utf-8")
    if arguments.times:
        table = {"notebook": list(seconds), "seconds": list(seconds.values())}
        record("notebook_times", {}, tables={"times": table}, outdir=ROOT / "results", command="make times")


if __name__ == "__main__":
    main()
