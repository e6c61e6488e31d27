"""A small checkout with one notebook, used by the tests of the command line."""

import json
import signal
import subprocess
import tempfile
from concurrent.futures import Future
from contextlib import nullcontext
from pathlib import Path

import nbformat
import pytest

from dpbi.cli import main
from dpbi.cli.execution import Outcome

PARAMETERS = """\
x: float = 2.0  # what is squared; in [0, 10]
n: int = 1  # how often; in [1, 1000000]
word: str = "a"  # a choice; one of a, b
pair: list[int] = [1, 2]  # two numbers; each in [0, 9]; length in [2, 2]
diary: str = ""  # file that gets a line when a cell of the grid begins and one when it ends
seconds: float = 0.0  # pause; in [0, 60]
breaks: float = -1.0  # value of x at which the notebook fails; in [-1, 10]
outdir: str = ""  # folder for the recorded results, none if empty
"""
CELLS = {
    "parameters": PARAMETERS,
    "begin": """\
import os
import time

from dpbi.results import record


def note(line):
    if diary:
        with open(diary, "a") as file:
            file.write(f"{line} {x:g} {n} {os.getpid()}\\n")


note("begin")
time.sleep(seconds)""",
    "square": """\
if x == breaks:
    raise ValueError(f"x must not be {x:g}")
square = x**2""",
    "record": """\
note("end")
record(
    "tiny/square",
    {"x": x, "n": n, "word": word, "pair": pair},
    scalars={"square": square, "third": x / 3, "endless": float("inf"), "word": word, "kept": True},
    tables={"powers": {"power": [1, 2], "value": [x, x**2]}},
    outdir=outdir,
)""",
}
PIXEL = 'from IPython.display import Image\nImage(b"\\x89PNG\\r\\n\\x1a\\n" + bytes(16))'


def write_notebook(folder: Path, **changed: str) -> Path:
    """The notebook ``tiny/square``, with cells changed or added."""
    path = folder / "notebooks" / "tiny" / "square.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    cells = [nbformat.v4.new_markdown_cell("# A square", id="title")]
    for identity, source in (CELLS | changed).items():
        tags = ["parameters"] if identity == "parameters" else []
        cells.append(nbformat.v4.new_code_cell(source, id=identity, metadata={"tags": tags}))
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel}), path)
    return path


def checkout(folder: Path) -> Path:
    """The folder, made a checkout."""
    (folder / "src" / "dpbi").mkdir(parents=True)
    write_notebook(folder)
    return folder


class InThisProcess:
    """An executor that runs a notebook's cells as one script, where a test is not about kernels."""

    def submit(self, _, task, bar):
        future, names = Future(), {}
        with tempfile.TemporaryDirectory() as folder:
            try:
                for cell in json.loads(task.notebook)["cells"]:
                    if cell["cell_type"] == "code":
                        exec("".join(cell["source"]), names)
                    if "parameters" in cell["metadata"].get("tags", []):
                        names |= task.parameters | {"outdir": folder}
                (record,) = Path(folder).rglob("*.json")
                future.set_result(Outcome(task.notebook, record.read_text("utf-8")))
            except Exception as error:  # whatever a cell raises is its outcome
                future.set_result(Outcome(task.notebook, error=f"{type(error).__name__}: {error}"))
        return future


def in_this_process(_):
    return nullcontext(InThisProcess())


def files(folder: Path) -> dict[str, bytes]:
    """What is in a folder and below."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def begun(arguments: list[object], **how: object) -> subprocess.Popen[str]:
    """A command that can be interrupted, even if these tests run in the background of a script."""

    def restore() -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    return subprocess.Popen([str(argument) for argument in arguments], preexec_fn=restore, **how)


def failed(arguments: list[str]) -> object:
    """The exit code of a command that fails."""
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    return stop.value.code


def refused(capsys, *arguments: object) -> str:
    """What the command says on standard error when it fails; standard output stays empty."""
    assert failed([str(argument) for argument in arguments]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("dpbi: ")
    return captured.err.removeprefix("dpbi: ")


def error_line(capsys, *arguments: object) -> str:
    """The error of a command that fails, which is one line."""
    (line,) = refused(capsys, *arguments).splitlines()
    return line
