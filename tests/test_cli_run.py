"""``dpbi run``: a notebook with other parameters, whole or not at all."""

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
import pytest

from checkouts import PIXEL, begun, files, refused, write_notebook
from dpbi.cli import execution, main, notebooks, run
from dpbi.cli.notebooks import find
from dpbi.results import read

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
    page = Path(__file__).parents[1] / "notebooks" / "notes" / "theorem_4_5.ipynb"
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


def test_every_new_name_is_that_of_a_notebook_and_no_old_one_is():
    folder = Path(__file__).parents[1] / "notebooks"
    assert all((folder / f"{new}.ipynb").is_file() for new in notebooks.RENAMED.values())
    assert not any((folder / f"{old}.ipynb").exists() for old in notebooks.RENAMED)


BAD = [
    (["tiny/sqare"], "NOTEBOOK must be one of 'dpbi list', got 'tiny/sqare': perhaps tiny/square"),
    (["zzz"], "NOTEBOOK must be one of 'dpbi list', got 'zzz': see there"),
    ([""], "NOTEBOOK must be one of 'dpbi list', got '': see there"),
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
    (["square", "-f", "no.toml"], "-f must be a TOML file, got no.toml: No such file or directory"),
    (["square", "-f", "file"], "-f must be a TOML file, got file: Expected '=' after a key"),
    (["square", "-f", "grid.toml"], "-f must be a file without a [grid] for a run, got grid.toml"),
    (
        ["square", "-f", "other.toml"],
        "-f must be a file with no tables but [parameters] and [grid], got 'x' in other.toml",
    ),
    (["square", "-f", "bad.toml"], "x must be a float, got [1]"),
]


@pytest.mark.parametrize(("arguments", "said"), BAD)
def test_bad_input_is_one_clear_line_before_any_kernel(root, capsys, monkeypatch, arguments, said):
    monkeypatch.setattr(run, "processes", lambda *_: pytest.fail("a kernel began"))
    for name, text in {
        "file": "words alone",
        "grid.toml": "[grid]\nx = [1]",
        "other.toml": "x = 1",
        "bad.toml": "[parameters]\nx = [1]",
    }.items():
        (root / name).write_text(text)
    before = files(root)
    told = refused(capsys, "run", *arguments)
    assert told.startswith(said)
    assert len(told.splitlines()) == 1
    assert files(root) == before


def test_an_output_that_exists_is_replaced_only_by_force(root, capsys):
    assert main(["run", "square"]) == 0
    before = files(OUT)
    capsys.readouterr()
    said = refused(capsys, "run", "square", "-p", "x=5")
    assert said.startswith("--out must be a folder without square.ipynb and square.json, or add --force")
    assert files(OUT) == before
    assert main(["run", "square", "-p", "x=5", "--force"]) == 0
    assert read(OUT / "square.json").scalars["square"] == 25


def test_a_failure_is_told_in_a_few_lines_and_touches_nothing_else(root, capsys):
    main(["run", "square"])
    before = files(OUT)
    capsys.readouterr()
    said = refused(capsys, "run", "square", "-p", "x=3", "-p", "breaks=3", "--force")
    assert said.splitlines() == [
        "tiny/square failed: ValueError: x must not be 3",
        f"the notebook as far as it came: {OUT / 'square.failed.ipynb'}",
    ]
    after = files(OUT)
    assert "x must not be 3" in after.pop("square.failed.ipynb").decode()
    assert after == before
    assert main(["run", "square", "--force"]) == 0
    assert not (OUT / "square.failed.ipynb").exists()


def test_a_kernel_that_dies_is_begun_again(root, capsys):
    diary = root / "diary"
    assert main(["run", "square", "-p", f"diary={diary}", "-p", "dies=1"]) == 0
    assert [line.split()[0] for line in diary.read_text().splitlines()] == ["begin", "begin", "end"]
    diary.unlink()
    capsys.readouterr()
    said = refused(capsys, "run", "square", "-p", f"diary={diary}", "-p", "dies=9", "--force")
    assert said.startswith("tiny/square failed: the kernel died, perhaps of too little memory")
    assert len(diary.read_text().splitlines()) == execution.KERNEL_STARTS


def test_a_notebook_that_records_nothing_is_told(root, capsys):
    write_notebook(root, record="pass")
    assert "the notebook must record its results once, by dpbi.results.record, got 0 records" in refused(
        capsys, "run", "square"
    )


def test_a_full_disk_leaves_what_was_there(root, capsys, monkeypatch):
    main(["run", "square"])
    before = files(OUT)
    capsys.readouterr()
    full_disk(monkeypatch)
    assert "No space left on device" in refused(capsys, "run", "square", "-p", "x=3", "--force")
    assert files(OUT) == before


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


def test_the_name_of_a_task_depends_on_code_and_parameters_alone(root):
    path = root / "notebooks" / "tiny" / "square.ipynb"

    def named(x=1.0):
        return execution.tasks_of(find(root, "tiny/square"), [{"x": x}])[0]

    first = named()
    assert first.key != named(2.0).key
    content = json.loads(path.read_text())
    content["cells"][0]["source"] = "# Another title"
    content["cells"][1]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "x"}]
    path.write_text(json.dumps(content))
    assert named().key == first.key
    content["cells"][3]["source"] += "\n"
    path.write_text(json.dumps(content))
    assert named().key != first.key


def test_a_changed_result_that_a_notebook_asks_for_gives_its_task_another_name(root):
    asks = "from dpbi.cli.notebooks import checkout\nsquare = int((checkout() / 'results' / 'x.txt').read_text())"
    write_notebook(root, square=asks)
    (root / "results").mkdir()
    keys = []
    for text in ("1", "2", "1"):
        (root / "results" / "x.txt").write_text(text)
        keys.append(execution.tasks_of(find(root, "tiny/square"), [{}])[0].key)
    assert keys[0] == keys[2] != keys[1]


def test_a_task_is_refused_where_the_code_is_another(root):
    (task,) = execution.tasks_of(find(root, "tiny/square"), [{}])
    outcome = execution.execute(replace(task, code="another"))
    assert outcome.error.startswith("the notebook, dpbi or its packages differ")
    assert not outcome.record


def test_a_code_cell_that_takes_too_long_is_stopped(root, capsys):
    said = refused(capsys, "run", "square", "-p", "seconds=50", "--timeout", "1")
    assert said.startswith("tiny/square failed: stopped after the 1 s that --timeout allows a cell")


def test_a_notebook_without_a_kernel_or_names_of_cells_runs_and_any_one_name_may_be_recorded(root):
    path = write_notebook(root)
    content = json.loads(path.read_text())
    content.update(metadata={}, nbformat_minor=4)  # as jupytext writes it
    for cell in content["cells"]:
        del cell["id"]
    (root / "notebooks" / "my-page.ipynb").write_text(json.dumps(content))
    assert main(["run", "my-page", "--out", "out"]) == 0
    assert read(root / "out" / "my-page.json").name == "tiny/square"
