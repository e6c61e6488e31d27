"""Sweeps that grow: what was computed is not computed again, and what changed is."""

import asyncio
import json
import os
import sys
import tracemalloc
from pathlib import Path
from queue import Empty

import pytest
from dpbi.cli.inputs import declared, inputs

from checkouts import failed, files, refused, shared_imports, write_notebook
from dpbi.cli import execution, kernels, main, runners
from dpbi.results import read
from test_cli_sweep import OUT, RECORD, diary_of, rows


def swept(capsys, *arguments):
    """What a sweep that succeeds says in its line of counts."""
    assert main(["sweep", "square", *map(str, arguments)]) == 0
    return capsys.readouterr().out.splitlines()[0].partition("cells, ")[2]


@shared_imports
def test_a_grid_that_is_extended_runs_the_new_cells_alone(root, capsys):
    diary = root / "diary"
    fixed = ["-p", f"diary={diary}"]
    assert swept(capsys, "-g", "x=0:1:2", *fixed) == "0 done before, 2 now, 0 failed"
    before = files(OUT / "cells")
    assert swept(capsys, "-g", "x=0:2:3", "-g", "n=1,2", *fixed) == "2 done before, 4 now, 0 failed"
    assert before.items() <= files(OUT / "cells").items()
    assert len(set(diary_of(diary)["begin"])) == len(diary_of(diary)["begin"]) == 6
    assert [(float(row["x"]), int(row["n"])) for row in rows()] == [(x, n) for x in range(3) for n in (1, 2)]


@shared_imports
def test_a_grid_that_leaves_cells_out_or_has_other_parameters_needs_force(root, capsys):
    swept(capsys, "-g", "x=1,2")
    before = files(OUT)
    for other in (["-g", "x=2,3"], ["-g", "x=1,2", "-p", "n=2"]):
        said = refused(capsys, "sweep", "square", *other)
        assert said.startswith("--out must be a folder whose grid lies within the one that is asked for, got ")
        assert files(OUT) == before
    assert swept(capsys, "-g", "x=2,3", "--force") == "1 done before, 1 now, 0 failed"


@shared_imports
def test_runs_and_sweeps_use_what_each_other_computed(root, capsys):
    diary = root / "diary"
    fixed = ["-p", f"diary={diary}"]
    assert main(["run", "square", "-p", "x=1", *fixed]) == 0
    capsys.readouterr()
    assert swept(capsys, "-g", "x=1,2", *fixed) == "0 done before, 1 computed elsewhere, 1 now, 0 failed"
    assert swept(capsys, "-g", "x=1,2,3", *fixed, "--out", "other") == (
        "0 done before, 2 computed elsewhere, 1 now, 0 failed"
    )
    assert len(diary_of(diary)["begin"]) == 3
    assert main(["run", "square", "-p", "x=1", *fixed, "--out", "again"]) == 0
    assert "computed before with the same code and inputs" in capsys.readouterr().out
    assert files(Path("again")) == files(Path("rerun", "tiny", "square"))
    assert main(["run", "square", "-p", "x=1", *fixed, "--out", "again", "--force", "--fresh"]) == 0
    assert "computed before" not in capsys.readouterr().out
    assert swept(capsys, "-g", "x=1", *fixed, "--out", "fresh", "--fresh") == "0 done before, 1 now, 0 failed"
    assert len(diary_of(diary)["begin"]) == 5


@shared_imports
@pytest.mark.parametrize("where", ["", "file/below"])
def test_without_a_cache_everything_runs(root, capsys, monkeypatch, where):
    (root / "file").touch()
    monkeypatch.setenv("DPBI_CACHE", where)
    for folder in ("one", "two"):
        assert swept(capsys, "-g", "x=1", "--out", folder) == "0 done before, 1 now, 0 failed"


READS = """\
from dpbi.cli.notebooks import checkout

FOLDER = checkout() / "results" / "mine"
square = x**2 * int((FOLDER / "seen.txt").read_text())"""


@shared_imports
def test_a_changed_result_that_a_notebook_reads_runs_exactly_its_cells_again(root, capsys):
    folder = root / "results" / "mine"
    folder.mkdir(parents=True)
    (folder / "seen.txt").write_text("1")
    (folder / "other.txt").write_text("1")
    write_notebook(root, square=READS)
    assert swept(capsys, "-g", "x=1,2") == "0 done before, 2 now, 0 failed"
    (folder / "other.txt").write_text("2")
    assert swept(capsys, "-g", "x=1,2") == "2 done before, 0 now, 0 failed"
    (folder / "seen.txt").write_text("2")
    assert swept(capsys, "-g", "x=1,2") == "0 done before, 2 now, 0 failed"
    assert [row["square"] for row in rows()] == ["2.0", "8.0"]
    (folder / "seen.txt").write_text("1")
    assert swept(capsys, "-g", "x=1,2") == "2 done before, 0 now, 0 failed"


@shared_imports
def test_what_a_notebook_reads_travels_with_its_task(root):
    (root / "results" / "mine").mkdir(parents=True)
    (root / "results" / "mine" / "seen.txt").write_text("3")
    text = execution.without_outputs(write_notebook(root, square=READS))
    task = execution.Task("tiny/square", text, {"x": 2.0}, execution.code(text), inputs(text, root))
    (root / "results" / "mine" / "seen.txt").unlink()
    assert json.loads(execution.execute(task).record)["scalars"]["square"] == 12  # in no folder of this machine's


def cell(source):
    return json.dumps({"cells": [{"cell_type": "code", "source": source}]})


@pytest.mark.parametrize(
    ("source", "paths"),
    [
        ("read(checkout() / 'a' / 'b.json')", {"a/b.json"}),
        ("F = checkout() / 'a'\nread(F / 'b.json')", {"a/b.json"}),
        ("F = checkout() / 'a'\nkept = F / 'b.json'", {"a/b.json"}),
        ("F = checkout() / 'a'\n[read(p) for p in F.glob('*.json')]", {"a/*.json"}),
        ("F = checkout() / 'a'\nread(F / f'{n}.json')", {"a"}),
        ("F = checkout() / 'a'\ndef f(x):\n    return read(F / 'b' / x)", {"a/b"}),
        ("%time\n", set()),
        ("x = other() / 'a'", set()),
    ],
)
def test_a_notebook_declares_the_files_that_it_names(source, paths):
    assert declared(cell(source)) == paths


def test_inputs_are_files_below_the_root(tmp_path):
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "c.txt").write_bytes(b"c")
    (tmp_path / "a" / "d.txt").write_bytes(b"d")
    both = {"a/b/c.txt": b"c", "a/d.txt": b"d"}
    assert inputs(cell("f(checkout() / 'a')"), tmp_path) == both
    assert inputs(cell("f(checkout() / 'a' / '*.txt')"), tmp_path) == {"a/d.txt": b"d"}
    for outside in ("f(checkout() / '..' / 'x')", "f(checkout() / '/etc')", "checkout()", "f(checkout() / 'none')"):
        assert inputs(cell(outside), tmp_path) == {}


@shared_imports
def test_a_dry_run_counts_and_writes_nothing(root, capsys):
    swept(capsys, "-g", "x=1,2,3")
    before = files(root)
    assert main(["sweep", "square", "-g", "x=1,2,3,4,5", "--dry-run", "--jobs", "1"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first == "tiny/square: 5 cells, 3 done, 0 failed, 2 not run"
    assert second.startswith("2 to run, some ")
    assert second.endswith(" s with 1 at a time")
    assert main(["sweep", "square", "-g", "n=1:2000:2000", "--out", "new", "--dry-run"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0] == "tiny/square: 2000 cells, 0 done, 0 failed, 2000 not run"
    assert told[1] == "1 of those not done were computed by another run or sweep"
    assert told[2].startswith("1999 to run, ")
    assert told[2].endswith(" at a time; it is not known how long one takes")
    assert files(root) == before
    assert main(["sweep", "square", "-g", "x=1,9", "--out", "new", "--dry-run", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["cells"], found["done"], found["computed_elsewhere"], found["to_run"]) == (2, 0, 1, 1)


@shared_imports
def test_the_status_tells_failed_from_not_run(root, capsys):
    assert failed(["sweep", "square", "-g", "x=0:3:4", "-p", "breaks=2"]) == 1
    capsys.readouterr()
    assert main(["sweep", "square", "--status"]) == 0
    assert capsys.readouterr().out.startswith("tiny/square: 4 cells, 3 done, 1 failed, 0 not run\n1 to run, some ")
    next((OUT / "cells").iterdir()).unlink()
    assert main(["sweep", "square", "--status", "--json", "--fresh"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["done"], found["failed"], found["not_run"], found["being_written"]) == (2, 1, 1, False)
    assert found["seconds"] > 0


@shared_imports
def test_a_cell_that_takes_too_long_is_stopped_and_failed(root, capsys):
    assert failed(["sweep", "square", "-g", "x=1,2", "-p", "seconds=50", "--timeout", "0.5"]) == 1
    told = capsys.readouterr().err
    assert "  x=1.0 and 1 more: stopped after the 0.5 s that --timeout allows" in told
    assert failed(["run", "square", "-p", "seconds=50", "--timeout", "1"]) == 1
    assert "tiny/square failed: stopped after the 1 s that --timeout allows" in capsys.readouterr().err


def test_a_kernel_that_does_not_come_up_is_begun_again_and_is_no_attempt(root, capsys, monkeypatch):
    monkeypatch.setattr(execution, "BEGINNINGS", 2)  # no more than the attempts: counted as one, it is noticed
    launch, begun, comes_up = kernels.LocalProvisioner.launch_kernel, [], execution.BEGINNINGS

    async def late(self, cmd, **how):
        begun.append(len(begun))
        broken = [sys.executable, "-c", "raise SystemExit(1)"]
        return await launch(self, broken if len(begun) < comes_up else cmd, **how)

    monkeypatch.setattr(kernels.LocalProvisioner, "launch_kernel", late)
    diary = root / "diary"
    assert main(["run", "square", "-p", f"diary={diary}", "-p", "dies=1"]) == 0
    assert len(begun) == execution.BEGINNINGS + 1  # the last attempt is the second one of the notebook
    begun, comes_up = [], execution.BEGINNINGS + 1
    capsys.readouterr()
    said = refused(capsys, "run", "square", "--force", "--fresh")
    assert said.startswith("tiny/square failed: no kernel came up: Kernel died before")


class Asked:
    """A client whose kernel answers the first question where nobody listens yet, or no question at all."""

    def __init__(self, answers, alive=True):
        self.answers, self.alive, self.questions, self.heard = answers, alive, 0, []
        self.shell_channel = self.iopub_channel = self

    def kernel_info(self):
        self.questions += 1
        said = {"content": {}, "parent_header": {"msg_id": str(self.questions)}}
        if self.answers:
            self.heard.append(said | {"msg_type": "kernel_info_reply"})
        if self.answers and self.questions > 1:
            late = [(1, "idle"), (2, "busy"), (2, "idle")]  # the first is the end of an earlier question
            self.heard += [
                {"msg_type": "status", "content": {"execution_state": now}, "parent_header": {"msg_id": str(question)}}
                for question, now in late
            ]
        return str(self.questions)

    async def get_msg(self, timeout):
        if not self.heard:
            raise Empty
        return self.heard.pop(0)

    async def _async_is_alive(self):
        return self.alive


def test_a_kernel_is_ready_when_it_is_done_with_a_question_that_was_heard():
    client = Asked(answers=True)
    asyncio.run(kernels.ready(client, 60))
    assert client.questions == 2
    assert client.heard == []
    with pytest.raises(RuntimeError, match="died before replying"):
        asyncio.run(kernels.ready(Asked(answers=False, alive=False), 60))
    with pytest.raises(RuntimeError, match="respond in 0 seconds"):
        asyncio.run(kernels.ready(Asked(answers=False), 0))


def test_kernels_talk_over_files_and_leave_none(root, capsys):
    show = "from ipykernel.kernelapp import IPKernelApp\napp = IPKernelApp.instance()\nsquare = (app.transport, app.ip)"
    write_notebook(root, square=show, record=RECORD.replace("{}", '{"at": square[1]}').replace("square}", "square[0]}"))
    assert main(["run", "square"]) == 0
    found = read(Path("rerun", "tiny", "square", "square.json"))
    assert found.scalars["square"] == "ipc"
    assert not Path(found.parameters["at"]).parent.exists()
    assert kernels.sockets("/tmp/" + "a" * 200) == {}


FILE = """
[parameters]
word = "b"
n = 2

[grid]
x = "1/2:3/2:3"
pair = [[1, 2], [3, 4]]
"""


@shared_imports
def test_a_grid_may_be_in_a_file(root, capsys):
    (root / "grid.toml").write_text(FILE)
    assert swept(capsys, "-f", "grid.toml", "-p", "n=3") == "0 done before, 6 now, 0 failed"
    assert [(row["x"], row["pair"]) for row in rows()] == [
        (x, pair) for x in ("0.5", "1.0", "1.5") for pair in ("[1, 2]", "[3, 4]")
    ]
    assert {(row["word"], row["n"]) for row in rows()} == {("b", "3")}
    (root / "one.toml").write_text('[parameters]\nx = "1/2"\npair = [4, 5]')
    assert main(["run", "square", "-f", "one.toml", "-p", "pair=6,7"]) == 0
    found = read(Path("rerun", "tiny", "square", "square.json")).parameters
    assert (found["x"], found["pair"]) == (0.5, [6, 7])


BAD = [
    ("run", [], "[grid]\nx = [1]", "-f must be a file without a [grid] for a run, got bad.toml"),
    ("run", [], "x = 1", "-f must be a file with no tables but [parameters] and [grid], got 'x' in bad.toml"),
    ("run", [], "[parameters", "-f must be a TOML file, got bad.toml: "),
    ("run", [], "[parameters]\ny = 1", "tiny/square has no parameter 'y': it has x, "),
    ("run", [], "[parameters]\nx = 11", "x must satisfy 'in [0, 10]', got 11.0"),
    ("run", [], "[parameters]\nx = [1]", "x must be a float, got [1]"),
    ("run", [], "[parameters]\nx = nan", "x must be a number, got nan"),
    ("sweep", [], "[grid]\nx = 3", "x must be a list of values or a range in the grid, got 3"),
    ("sweep", [], "[grid]\nx = []", "x must have at least one value in the grid, got []"),
    ("sweep", [], "[grid]\nx = [1, true]", "x must be a float, got True"),
    ("sweep", ["-p", "x=1"], "[grid]\nx = [1, 2]", "x must be given once, got it twice"),
    ("sweep", ["--status"], "[grid]\nx = [1, 2]", "--status must go without -g, -p and -f: the folder knows its grid"),
    ("sweep", ["--timeout", "0"], "[grid]\nx = [1, 2]", "--timeout must be a positive number of seconds, got 0"),
    ("sweep", ["--json"], "[grid]\nx = [1, 2]", "--json must go with --dry-run or --status"),
    ("sweep", ["--out", ""], "[grid]\nx = [1, 2]", "--out must be the name of a folder, got ''"),
    ("run", ["--out", ""], "[parameters]\nx = 1", "--out must be the name of a folder, got ''"),
]


@pytest.mark.parametrize(("command", "arguments", "text", "said"), BAD)
def test_a_bad_file_is_one_clear_line(root, capsys, command, arguments, text, said):
    (root / "bad.toml").write_text(text)
    before = files(root)
    told = refused(capsys, command, "square", "-f", "bad.toml", *arguments)
    assert told.startswith(said)
    assert len(told.splitlines()) == 1
    assert files(root) == before


def test_files_and_folders_that_are_not_there_are_named(root, capsys):
    assert refused(capsys, "run", "square", "-f", "no.toml") == (
        "-f must be a TOML file, got no.toml: No such file or directory\n"
    )
    assert refused(capsys, "sweep", "square", "--status").startswith(
        "--out must be the folder of a sweep of tiny/square, got sweep/tiny/square"
    )


@shared_imports
def test_a_folder_of_an_earlier_version_is_read(root, capsys):
    swept(capsys, "-g", "x=1,2")
    (OUT / "times.csv").unlink()  # which it had not
    assert main(["sweep", "square", "--status"]) == 0
    assert "2 cells, 2 done, 0 failed, 0 not run" in capsys.readouterr().out
    assert swept(capsys, "-g", "x=1,2,3") == "2 done before, 1 now, 0 failed"
    text = execution.without_outputs(root / "notebooks" / "tiny" / "square.ipynb")
    plain = execution.Task("tiny/square", text, {"x": 1.0}, "code")
    assert plain.key == execution.digest('["tiny/square", "code", {"x": 1.0}]')  # as it always was


def test_the_results_of_cells_are_not_kept_in_memory(root, monkeypatch):
    text = execution.without_outputs(root / "notebooks" / "tiny" / "square.ipynb")
    tasks = [execution.Task("tiny/square", text, {"x": float(x)}, "code") for x in range(300)]
    monkeypatch.setattr(runners, "execute", lambda *_: execution.Outcome("x" * 1_000_000, "{}"))
    monkeypatch.setattr(kernels, "prepare", lambda *_: None)
    tracemalloc.start()
    for _ in runners.here(tasks, lambda *_: None, 2, root):
        pass
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20_000_000


def test_a_sweep_writes_to_its_folder_wherever_its_threads_go(root, monkeypatch, tmp_path_factory):
    """Papermill changes the folder of the whole process while it reads and writes, in whichever thread."""
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    record = json.dumps({"name": "tiny/square", "scalars": {"square": 4.0}})

    def wander(*_):
        os.chdir(elsewhere)
        return execution.Outcome("{}", record)

    monkeypatch.setattr(runners, "execute", wander)
    monkeypatch.setattr(kernels, "prepare", lambda *_: None)
    assert main(["sweep", "square", "-g", "x=1,2,3"]) == 0
    monkeypatch.chdir(root)
    assert [row["square"] for row in rows()] == ["4.0"] * 3
    assert files(elsewhere) == {}


def test_no_sweep_begins_where_the_threads_of_another_one_were(root, monkeypatch, tmp_path_factory):
    """Papermill remembers one folder for all threads, and threads that end in another order leave it remembered."""
    from papermill.iorw import papermill_io

    elsewhere = str(tmp_path_factory.mktemp("elsewhere"))

    def wander(*_):
        papermill_io.get_handler("local").cwd(elsewhere)
        return execution.Outcome("{}", "{}")

    monkeypatch.setattr(runners, "execute", wander)
    monkeypatch.setattr(kernels, "prepare", lambda *_: None)
    tasks = [execution.Task(str(i), "{}", {}, "") for i in range(2)]
    assert [error for _, error in runners.here(tasks, lambda *_: None, 2, root)] == ["", ""]
    assert papermill_io.get_handler("local").cwd(None) is None
