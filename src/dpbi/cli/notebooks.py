"""The notebooks of a checkout, read as files: titles, parameters and recorded run times."""

import json
from dataclasses import dataclass
from pathlib import Path

from ..parameters import Parameter, parse
from ..results import read

TIMES = Path("results", "notebook_times.json")


@dataclass(frozen=True)
class Notebook:
    """One notebook: its name below ``notebooks/`` without the ending, its first heading, its parameters."""

    name: str
    title: str
    parameters: tuple[Parameter, ...]


def checkout() -> Path:
    """The root of the checkout that the user stands in, or else of the one that this package is installed from."""
    here = Path.cwd()
    for folder in (here, *here.parents, Path(__file__).resolve().parents[3]):
        if (folder / "notebooks").is_dir() and (folder / "src" / "dpbi").is_dir():
            return folder
    raise FileNotFoundError(
        f"the notebooks are in the source checkout of dpbi, and neither {here} nor the package is one"
    )


def notebooks(root: Path) -> list[Notebook]:
    """Every notebook below ``root/notebooks``, by name."""
    folder = root / "notebooks"
    paths = sorted(path for path in folder.rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts)
    return [notebook(path, path.relative_to(folder).with_suffix("").as_posix()) for path in paths]


def notebook(path: Path, name: str) -> Notebook:
    """The notebook in a file."""
    cells = json.loads(path.read_text("utf-8"))["cells"]
    lines = [line for cell in cells if cell["cell_type"] == "markdown" for line in "".join(cell["source"]).splitlines()]
    title = next((line.removeprefix("# ") for line in lines if line.startswith("# ")), name)
    tagged = ["".join(cell["source"]) for cell in cells if "parameters" in cell["metadata"].get("tags", [])]
    if len(tagged) != 1:
        raise ValueError(f"{path} must have one cell tagged 'parameters', got {len(tagged)}")
    return Notebook(name, title, parse(tagged[0]))


def run_times(root: Path) -> dict[str, float]:
    """Seconds by notebook, where they were recorded."""
    if not (root / TIMES).exists():
        return {}
    table = read(root / TIMES).tables["times"]
    return dict(zip(table["notebook"], table["seconds"], strict=True))


def described(parameter: Parameter) -> tuple[str, str, str, str]:
    """What a reader is told of a parameter: its name, type and default, and what it means and may be."""
    return parameter.name, parameter.type, repr(parameter.default), "; ".join((parameter.meaning, *parameter.allowed))


def listing(root: Path) -> str:
    """The text of ``dpbi list``."""
    times = run_times(root)
    blocks = []
    for each in notebooks(root):
        took = f"{times[each.name]:g} s" if each.name in times else "run time not recorded"
        rows = [described(parameter) for parameter in each.parameters]
        widths = [max((len(row[column]) for row in rows), default=0) for column in range(3)]
        lines = ["  " + "  ".join([*map(str.ljust, row[:3], widths), row[3]]) for row in rows]
        blocks.append("\n".join([f"{each.name}  {each.title}  ({took})", *lines, ""]))
    return "\n".join(blocks)
