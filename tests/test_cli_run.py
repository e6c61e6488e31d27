"""``dpbi run`` and ``dpbi init``: a notebook with other parameters is written completely or not at all."""

import builtins
import errno
import json
import os
from contextlib import nullcontext
from pathlib import Path

import nbformat
import papermill
import pytest

from checkouts import PIXEL, failed, files, refused, write_notebook
from dpbi.cli import execution, main, notebooks, run
from dpbi.cli.notebooks import find
from dpbi.results import read

OUT = Path("rerun", "tiny", "square")


def test_a_run_leaves_the_notebook_its_figures_and_its_record(root, capsys):
    write_notebook(root, picture=PIXEL)
    assert main(["run", "tiny/square", "-p", "x=3", "-p", "pair=4,5"]) == 0
    shown = capsys.readouterr().out
    assert "square  9\n" in shown
    assert "third  1\n" in shown
    found = read(OUT / "square.json")
    assert found.parameters == {"x": 3.0, "n": 1, "word": "a", "pair": [4, 5]}
    assert found.scalars["square"] == 9
    assert set(files(OUT)) == {"square.ipynb", "square.json"}
    notebook = nbformat.read(OUT / "square.ipynb", as_version=4)
    assert "image/png" in notebook.cells[-1].outputs[0].data
    nbformat.validate(notebook)
    assert all(cell.execution_count for cell in notebook.cells if cell.cell_type == "code")
    assert "/tmp" not in (OUT / "square.ipynb").read_text()  # it names no place on the machine


@pytest.mark.parametrize("name", ["square", "tiny/square.ipynb", "./notebooks/tiny/square.ipynb"])
def test_a_notebook_is_found_by_its_short_name_and_by_its_path(root, name):
    assert find(root, name).name == "tiny/square"


def test_a_notebook_that_was_merged_is_named_by_its_new_name(root, capsys, monkeypatch):
    monkeypatch.setitem(notebooks.RENAMED, "tiny/cube", "tiny/square")
    assert refused(capsys, "run", "tiny/cube").endswith("got 'tiny/cube': perhaps tiny/square\n")


@pytest.mark.slow
def test_a_kernel_that_dies_is_restarted_a_few_times(root, capsys):
    diary, once = root / "diary", "if open(diary).read().count('begin') < 2:\n    os._exit(9)\nsquare = x**2"
    write_notebook(root, square=once)
    assert main(["run", "square", "-p", f"diary={diary}"]) == 0
    assert [line.split()[0] for line in diary.read_text().splitlines()] == ["begin", "begin", "end"]
    diary.unlink()
    write_notebook(root, square="os._exit(9)")
    assert failed(["run", "square", "-p", f"diary={diary}", "--force"]) == 1
    assert "tiny/square failed: the kernel died, perhaps for lack of memory" in capsys.readouterr().err
    assert len(diary.read_text().splitlines()) == execution.KERNEL_STARTS


SWEEP = ["sweep", "square", "-g", "x=1,2"]
BAD = [
    (["run", "tiny/sqare"], "NOTEBOOK must be one of 'dpbi list', got 'tiny/sqare': perhaps tiny/square"),
    (["run", "same"], "NOTEBOOK must be one of 'dpbi list', got 'same': a/same or b/same?"),
    (["run", "square", "-p", "wrod=a"], "tiny/square has no parameter 'wrod': perhaps word"),
    (["run", "square", "-p", "x"], "a parameter must be given as name=value"),
    (["run", "square", "-p", "x=1", "-p", "x=2"], "x must be given only once"),
    (["run", "square", "-p", "outdir=there"], "outdir must not be set: use --out"),
    (["run", "square", "--timeout", "0"], "--timeout must be a number of seconds of at least 1"),
    (["run", "square", "--out", "file/below"], "--out must be a folder that can be written to"),
    (["sweep", "square"], "the grid must have at least one axis"),
    ([*SWEEP, "-p", "x=3"], "x must be given only once"),
    ([*SWEEP[:2], "-g", "x=0:1:2000", "-g", "n=1:1000:1000"], "the grid must have at most 1000000 cells"),
    ([*SWEEP, "--jobs", "0"], "--jobs must be an integer >= 1"),
    ([*SWEEP, "--out", "file/below"], "--out must be a folder that can be written to"),
]


class Broken(nullcontext):
    def submit(self, *_):
        pytest.fail("a kernel began")


@pytest.mark.parametrize(("arguments", "said"), BAD)
def test_bad_input_is_one_clear_line_before_any_kernel(root, capsys, monkeypatch, arguments, said):
    monkeypatch.setattr(run, "processes", lambda *_: Broken())
    (root / "file").touch()
    for folder in ("a", "b"):
        (root / "notebooks" / folder).mkdir()
        (root / "notebooks" / folder / "same.ipynb").write_text(find(root, "square").path.read_text())
    before = files(root)
    told = refused(capsys, *arguments)
    assert told.startswith(said)
    assert len(told.splitlines()) == 1
    assert files(root) == before


@pytest.mark.usefixtures("no_kernels")
def test_an_output_that_exists_is_replaced_by_force_and_whole(root, capsys, monkeypatch):
    assert main(["run", "square"]) == 0
    before = files(OUT)
    capsys.readouterr()
    error = refused(capsys, "run", "square", "-p", "x=5")
    assert error.startswith("--out must be a folder without square.ipynb and square.json, or add --force")
    with monkeypatch.context() as patched:
        full_disk(patched)
        assert "No space left on device" in refused(capsys, "run", "square", "-p", "x=5", "--force")
    assert files(OUT) == before
    assert main(["run", "square", "-p", "x=5", "--force"]) == 0
    assert read(OUT / "square.json").scalars["square"] == 25


def test_a_failure_takes_a_few_lines_and_touches_nothing_else(root, capsys):
    OUT.mkdir(parents=True)
    (OUT / "square.json").write_text("of an earlier run")
    error = refused(capsys, "run", "square", "-p", "x=3", "-p", "breaks=3", "--force")
    assert error.splitlines() == [
        "tiny/square failed: ValueError: x must not be 3",
        f"the notebook, executed up to the error: {OUT / 'square.failed.ipynb'}",
    ]
    after = files(OUT)
    assert "x must not be 3" in after.pop("square.failed.ipynb").decode()
    assert after == {"square.json": b"of an earlier run"}


def full_disk(monkeypatch, after=0):
    """From now on only so many files can be written below the folders of the command."""
    left = iter(range(after))
    opened = builtins.open

    class Full:
        def __init__(self, file):
            self.file = file

        def __enter__(self):
            return self

        def __exit__(self, *_):
            self.file.close()

        def write(self, content):
            self.file.write(content[: len(content) // 2])
            if next(left, None) is None:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return self.file.write(content[len(content) // 2 :])

        def __getattr__(self, name):
            return getattr(self.file, name)

    monkeypatch.setattr("dpbi.files.open", lambda *args, **how: Full(opened(*args, **how)), raising=False)


def test_the_name_of_a_task_depends_on_all_that_it_uses(root):
    """Code, parameters, and what the notebook reads."""

    def named(x=1.0, **changed):
        write_notebook(root, **changed)
        return execution.tasks_of(find(root, "tiny/square"), [{"x": x}])[0].key

    first = named()
    assert first != named(2.0)
    path = root / "notebooks" / "tiny" / "square.ipynb"
    content = json.loads(path.read_text())
    content["cells"][0]["source"] = "# Another title"
    content["cells"][1]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "x"}]
    path.write_text(json.dumps(content))
    assert execution.tasks_of(find(root, "tiny/square"), [{"x": 1.0}])[0].key == first
    asks = "from dpbi.cli.notebooks import checkout\nsquare = int((checkout() / 'results' / 'x.txt').read_text())"
    (root / "results").mkdir()
    keys = []
    for text in ("1", "2", "1"):
        (root / "results" / "x.txt").write_text(text)
        keys.append(named(square=asks))
    assert first != keys[0] == keys[2] != keys[1]


# Pages of one's own, and the check of parameters however a notebook is run


def test_a_first_notebook_is_written_listed_and_checked(tmp_path, monkeypatch, capsys):
    """It refuses a bad value as the command does."""
    monkeypatch.chdir(tmp_path)
    assert main(["init", "study"]) == 0
    assert "written: study/notebooks/first.ipynb" in capsys.readouterr().out
    before = files(tmp_path)
    assert refused(capsys, "init", "study").startswith("DIR must be a folder without notebooks/first.ipynb")
    assert files(tmp_path) == before
    Path("file").touch()
    assert refused(capsys, "init", "file/below").startswith("DIR must be a folder that can be written to")
    monkeypatch.chdir(tmp_path / "study")
    page = Path("notebooks", "first.ipynb")
    nbformat.validate(nbformat.read(page, as_version=4))
    assert main(["list"]) == 0
    assert capsys.readouterr().out == "first  A first page\n"
    error = refused(capsys, "run", "first", "-p", "epsilon=200").strip()
    with pytest.raises(papermill.PapermillExecutionError) as stop:
        papermill.execute_notebook(page, "out.ipynb", {"epsilon": 200}, kernel_name="python3", progress_bar=False)
    assert error == "epsilon must satisfy 'in (0, 20]', got 200.0"
    assert stop.value.evalue == error
    assert main(["run", "first", "-p", "epsilon=1/2"]) == 0
    found = read(Path("rerun", "first", "first.json"))
    assert found.parameters == {"epsilon": 0.5, "counts": [14, 6]}
    assert found.scalars["leak"] <= 0.5 * (1 + 1e-12)


def test_every_notebook_checks_its_parameters_before_it_works():
    for path in sorted((Path(__file__).parents[1] / "notebooks").rglob("*.ipynb")):
        code = [cell for cell in json.loads(path.read_text("utf-8"))["cells"] if cell["cell_type"] == "code"]
        first, second, *_ = code
        assert "parameters" in first["metadata"].get("tags", []), path
        assert "\ngiven = check_here()\n" in "".join(second["source"]) + "\n", path
