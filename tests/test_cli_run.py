"""``dpbi run`` and ``init``: a notebook with other parameters, whole or not at all."""

import builtins
import errno
import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import nbformat
import papermill
import pytest

from checkouts import PIXEL, begun, files, refused, write_notebook
from dpbi.cli import execution, main, notebooks, run
from dpbi.cli.notebooks import find
from dpbi.results import read

ROOT = Path(__file__).parents[1]
OUT = Path("rerun", "tiny", "square")
COMMAND = Path(sys.executable).with_name("dpbi")


def test_a_run_leaves_the_notebook_its_record_and_its_figures(root, capsys):
    write_notebook(root, picture=PIXEL)
    assert main(["run", "tiny/square", "-p", "x=3", "-p", "pair=4,5"]) == 0
    shown = capsys.readouterr().out
    assert "square  9\n" in shown
    assert "third  1\n" in shown
    found = read(OUT / "square.json")
    assert found.parameters == {"x": 3.0, "n": 1, "word": "a", "pair": [4, 5]}
    assert found.scalars["square"] == 9
    assert set(files(OUT)) == {"square.ipynb", "square.json", "picture.png"}
    assert (OUT / "picture.png").read_bytes().startswith(b"\x89PNG")
    notebook = nbformat.read(OUT / "square.ipynb", as_version=4)
    nbformat.validate(notebook)
    assert all(cell.execution_count for cell in notebook.cells if cell.cell_type == "code")
    assert "/tmp" not in (OUT / "square.ipynb").read_text()  # it names no place on the machine


def test_the_figures_of_a_page_are_drawings_by_the_names_of_their_cells():
    page = ROOT / "notebooks" / "notes" / "theorem_4_5.ipynb"
    found = run.figures(page.read_text("utf-8"))
    assert {"reach.svg", "ehdl.svg"} <= found.keys()
    assert all(name.endswith(".svg") and "<svg" in drawing for name, drawing in found.items())


@pytest.mark.parametrize("name", ["square", "tiny/square.ipynb", "./notebooks/tiny/square.ipynb"])
def test_a_notebook_is_found_by_its_short_name_and_by_its_path(root, name):
    assert find(root, name).name == "tiny/square"


def test_a_notebook_that_was_merged_into_another_is_named_by_its_new_name(root, capsys, monkeypatch):
    monkeypatch.setitem(notebooks.RENAMED, "tiny/cube", "tiny/square")
    for name in ("tiny/cube", "notebooks/tiny/cube.ipynb"):
        said = refused(capsys, "run", name)
        assert said == f"NOTEBOOK must be one of 'dpbi list', got {name!r}, which is now tiny/square\n"


BAD = [
    (["tiny/sqare"], "NOTEBOOK must be one of 'dpbi list', got 'tiny/sqare': perhaps tiny/square"),
    (["zzz"], "NOTEBOOK must be one of 'dpbi list', got 'zzz': see there"),
    ([""], "NOTEBOOK must be one of 'dpbi list', got '': see there"),
    (["same"], "NOTEBOOK must be one of 'dpbi list', got 'same': a/same or b/same?"),
    (["square", "-p", "wrod=a"], "tiny/square has no parameter 'wrod': perhaps word"),
    (["square", "-p", "qqq=1"], "tiny/square has no parameter 'qqq': it has x, n, word, pair, diary"),
    (["square", "-p", "x"], "a parameter must be given as name=value, got 'x'"),
    (["square", "-p", "x=one"], "x must be a float, got 'one'"),
    (["square", "-p", "x=11"], "x must satisfy 'in [0, 10]', got 11.0"),
    (["square", "-p", "x=1", "-p", "x=2"], "x must be given once, got it twice"),
    (["square", "-p", "outdir=there"], "outdir must not be set: --out says where results go"),
    (["square", "-p", "=1"], "a parameter must be given as name=value, got '=1'"),
    (["square", "--timeout", "0"], "--timeout must be a number of seconds of at least 1, got 0"),
    (["square", "--out", "file/below"], "--out must be a folder that can be written to, got file/below"),
]


@pytest.mark.parametrize(("arguments", "said"), BAD)
def test_bad_input_is_one_clear_line_before_any_kernel(root, capsys, monkeypatch, arguments, said):
    monkeypatch.setattr(run, "processes", lambda *_: pytest.fail("a kernel began"))
    (root / "file").touch()
    for folder in ("a", "b"):
        (root / "notebooks" / folder).mkdir()
        (root / "notebooks" / folder / "same.ipynb").write_text(find(root, "square").path.read_text())
    before = files(root)
    told = refused(capsys, "run", *arguments)
    assert told.startswith(said)
    assert len(told.splitlines()) == 1
    assert files(root) == before


@pytest.mark.usefixtures("no_kernels")
def test_an_output_that_exists_is_replaced_only_by_force_and_whole(root, capsys, monkeypatch):
    assert main(["run", "square"]) == 0
    before = files(OUT)
    capsys.readouterr()
    said = refused(capsys, "run", "square", "-p", "x=5")
    assert said.startswith("--out must be a folder without square.ipynb and square.json, or add --force")
    with monkeypatch.context() as patched:
        full_disk(patched)
        assert "No space left on device" in refused(capsys, "run", "square", "-p", "x=5", "--force")
    assert files(OUT) == before
    assert main(["run", "square", "-p", "x=5", "--force"]) == 0
    assert read(OUT / "square.json").scalars["square"] == 25


def test_a_failure_is_told_in_a_few_lines_and_touches_nothing_else(root, capsys):
    OUT.mkdir(parents=True)
    (OUT / "square.json").write_text("of an earlier run")
    said = refused(capsys, "run", "square", "-p", "x=3", "-p", "breaks=3", "--force")
    assert said.splitlines() == [
        "tiny/square failed: ValueError: x must not be 3",
        f"the notebook as far as it came: {OUT / 'square.failed.ipynb'}",
    ]
    after = files(OUT)
    assert "x must not be 3" in after.pop("square.failed.ipynb").decode()
    assert after == {"square.json": b"of an earlier run"}


@pytest.mark.slow
def test_a_kernel_that_dies_is_begun_again_and_given_up_in_the_end(root, capsys):
    diary = root / "diary"
    assert main(["run", "square", "-p", f"diary={diary}", "-p", "dies=1"]) == 0
    assert [line.split()[0] for line in diary.read_text().splitlines()] == ["begin", "begin", "end"]
    assert not (OUT / "square.failed.ipynb").exists()
    diary.unlink()
    capsys.readouterr()
    said = refused(capsys, "run", "square", "-p", f"diary={diary}", "-p", "dies=9", "--force")
    assert said.startswith("tiny/square failed: the kernel died, perhaps of too little memory")
    assert len(diary.read_text().splitlines()) == execution.KERNEL_STARTS


@pytest.mark.slow
def test_a_notebook_that_records_nothing_is_told(root, capsys):
    write_notebook(root, record="pass")
    assert "the notebook must record its results once, by dpbi.results.record, got 0 records" in refused(
        capsys, "run", "square"
    )


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


def test_without_papermill_it_says_what_to_install(root, capsys, monkeypatch):
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "papermill" else find_spec(name))
    assert "pip install papermill ipykernel" in refused(capsys, "run", "square")


def test_an_interrupt_writes_nothing_and_leaves_no_kernel(root):
    diary = root / "diary"
    arguments = [COMMAND, "run", "square", "-p", "seconds=60", "-p", f"diary={diary}"]
    running = begun(arguments, stderr=subprocess.PIPE, text=True)
    wait_for(lambda: diary.exists() and diary.read_text())
    running.send_signal(signal.SIGINT)
    _, told = running.communicate(timeout=600)
    assert running.returncode == 130
    assert told.splitlines()[-1] == "dpbi: interrupted"
    assert not files(OUT)
    kernel = int(diary.read_text().split()[-1])
    wait_for(lambda: not alive(kernel))


def alive(process):
    """Whether a process runs: a dead one that nobody has asked after does not."""
    try:
        return Path("/proc", str(process), "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_for(true, seconds=600):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def test_the_name_of_a_task_depends_on_code_parameters_and_what_the_notebook_reads(root):
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


def test_a_task_is_refused_where_the_code_is_another(root):
    (task,) = execution.tasks_of(find(root, "tiny/square"), [{}])
    outcome = execution.execute(replace(task, code="another"))
    assert outcome.error.startswith("the notebook, dpbi or its packages differ")
    assert not outcome.record


@pytest.mark.slow
def test_a_code_cell_that_takes_too_long_is_stopped(root, capsys):
    said = refused(capsys, "run", "square", "-p", "seconds=50", "--timeout", "1")
    assert said.startswith("tiny/square failed: stopped after the 1 s that --timeout allows a cell")


@pytest.mark.slow
def test_a_notebook_without_a_kernel_or_names_of_cells_runs_and_any_one_name_may_be_recorded(root):
    path = write_notebook(root)
    content = json.loads(path.read_text())
    content.update(metadata={}, nbformat_minor=4)  # as jupytext writes it
    for cell in content["cells"]:
        del cell["id"]
    (root / "notebooks" / "my-page.ipynb").write_text(json.dumps(content))
    assert main(["run", "my-page", "--out", "out"]) == 0
    assert read(root / "out" / "my-page.json").name == "tiny/square"


# Pages of one's own, and the check of parameters however a notebook is run


def test_a_first_notebook_is_written_listed_and_refuses_a_bad_value_as_the_command_does(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["init", "study"]) == 0
    assert "written: study/notebooks/first.ipynb" in capsys.readouterr().out
    before = files(tmp_path)
    assert refused(capsys, "init", "study").startswith("DIR must be a folder without notebooks/first.ipynb, got study")
    assert files(tmp_path) == before
    Path("file").touch()
    assert refused(capsys, "init", "file/below").startswith("DIR must be a folder that can be written to, got file")
    monkeypatch.chdir(tmp_path / "study")
    page = Path("notebooks", "first.ipynb")
    nbformat.validate(nbformat.read(page, as_version=4))
    assert main(["list"]) == 0
    assert capsys.readouterr().out == "first  A first page\n"
    said = refused(capsys, "run", "first", "-p", "epsilon=200").strip()
    with pytest.raises(papermill.PapermillExecutionError) as stop:
        papermill.execute_notebook(page, "out.ipynb", {"epsilon": 200}, kernel_name="python3", progress_bar=False)
    assert said == "epsilon must satisfy 'in (0, 20]', got 200.0"
    assert stop.value.evalue == said
    assert main(["run", "first", "-p", "epsilon=1/2"]) == 0
    found = read(Path("rerun", "first", "first.json"))
    assert found.parameters == {"epsilon": 0.5, "counts": [14, 6]}
    assert found.scalars["leak"] <= 0.5 * (1 + 1e-12)


def test_every_notebook_of_the_book_checks_its_parameters_before_it_works():
    for path in sorted((ROOT / "notebooks").rglob("*.ipynb")):
        first, second, *_ = [
            cell for cell in json.loads(path.read_text("utf-8"))["cells"] if cell["cell_type"] == "code"
        ]
        assert "parameters" in first["metadata"].get("tags", []), path
        assert "\ngiven = check_here()\n" in "".join(second["source"]) + "\n", path
