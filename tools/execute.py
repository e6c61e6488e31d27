"""Execute notebooks and write them in committed form: with outputs and fixed cell ids, but without timings.

python tools/execute.py [NOTEBOOK ...]     execute these notebooks, or all of them
python tools/execute.py --times            record the run time of each notebook, and leave the notebooks unchanged
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
"""Figures that other pages show, each with the notebook and the cell that draw the figure."""

KEPT_METADATA = {"tags", "mystnb"}
COMPARED = "nbval-check-output"  # the tag of cells whose outputs `pytest --nbval-lax` compares
PYTHON = {"display_name": "Python 3", "language": "python", "name": "python3"}


def execute(path: Path) -> nbformat.NotebookNode:
    """Notebook with new outputs, in committed form; an error or a warning in the notebook raises an error here."""
    notebook = nbformat.read(path, as_version=4)
    where = {"metadata": {"path": path.parent}}
    NotebookClient(notebook, timeout=600, kernel_name="python3", record_timing=False, resources=where).execute()
    return committed_form(notebook, path)


def committed_form(notebook: nbformat.NotebookNode, path: Path) -> nbformat.NotebookNode:
    """Notebook with stable cell ids, one line per figure, and no metadata about an editor or the version of Python."""
    notebook.metadata = nbformat.from_dict({"kernelspec": PYTHON, "language_info": {"name": "python"}})
    notebook.nbformat_minor = 5
    for number, cell in enumerate(notebook.cells, start=1):
        cell.setdefault("id", f"cell-{number}")
        cell.metadata = nbformat.from_dict({key: value for key, value in cell.metadata.items() if key in KEPT_METADATA})
        outputs = cell.get("outputs", [])
        figures = [output.data for output in outputs if "image/svg+xml" in output.get("data", {})]
        for data in figures:  # a figure is one line of the file, so that a new figure is a small change
            data["image/svg+xml"] = " ".join(data["image/svg+xml"].split())
        tags = [tag for tag in cell.metadata.get("tags", []) if tag != COMPARED]
        tags += [COMPARED] * (bool(outputs) and not figures)  # figures differ between machines
        if tags or "tags" in cell.metadata:
            cell.metadata["tags"] = tags
        for output in outputs:
            output.pop("transient", None)
            if output.get("name") == "stderr":
                raise SystemExit(f"{path}: cell {cell.id} must not write to stderr, got:\n{output.text}")
    nbformat.validate(notebook)
    return notebook


def picture(name: str, identity: str) -> str:
    """Figure that a cell of a notebook shows, as SVG."""
    cells = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4).cells
    return str(next(cell for cell in cells if cell.id == identity).outputs[0].data["image/svg+xml"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notebooks", nargs="*", type=Path)
    parser.add_argument("--times", action="store_true", help="record the run time of each notebook")
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
