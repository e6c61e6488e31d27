"""The command as users meet it: ``dpbi list``, ``dpbi verify``, and the behaviour that all subcommands share."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import dpbi.claims
from checkouts import error_line, failed
from dpbi.claims import BY_ID, at_most
from dpbi.cli import main, notebooks

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").rglob("*.ipynb"))


def test_list_is_a_line_a_notebook_or_the_parameters_of_one(capsys, monkeypatch):
    monkeypatch.chdir(ROOT / "tests")
    assert main(["list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    names = [path.relative_to(ROOT / "notebooks").with_suffix("").as_posix() for path in NOTEBOOKS]
    assert [line.split()[0] for line in lines] == names
    assert any(line.startswith("foundations/first_release  A first private posterior") for line in lines)
    assert main(["list", "first_release"]) == 0
    first, *rows = capsys.readouterr().out.splitlines()
    assert first.startswith("foundations/first_release  A first private posterior")
    (line,) = [line for line in rows if line.startswith("  seed")]
    assert line.split(maxsplit=3) == ["seed", "int", "2030", "seed of the one random draw; in [0, inf)"]


def test_outside_a_checkout_the_error_is_one_clear_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(notebooks, "__file__", str(tmp_path / "site-packages" / "dpbi" / "cli" / "notebooks.py"))
    there = f"there are no notebooks in {tmp_path}: go to the source checkout of dpbi, or "
    assert error_line(capsys, "list").startswith(there)


PARAMETERS = '{"cells": [{"cell_type": "code", "metadata": {"tags": ["parameters"]}, "source": "%s"}]}'


@pytest.mark.parametrize(("text", "why"), [
    ('{"cells": []}', "it has 0 such cells"), (PARAMETERS % "x = 1", "a parameters cell must hold lines"),
    (PARAMETERS % "x: float =", "invalid syntax"), (PARAMETERS % "x: int = 'a'", "x must be an int"),
])  # fmt: skip
def test_a_notebook_that_cannot_be_read_disables_no_other(root, capsys, text, why):
    broken = root / "notebooks" / "broken.ipynb"
    broken.write_text(text)
    assert main(["list"]) == 0
    captured = capsys.readouterr()
    assert captured.out == "tiny/square  A square\n"
    message = f"{broken} must be a notebook of version 4 with one cell tagged 'parameters' that has typed lines: {why}"
    assert captured.err.startswith(f"dpbi: left out: {message}")
    assert len(captured.err.splitlines()) == 1
    for command in (["run", "broken"], ["sweep", "broken", "-g", "x=1,2"], ["list", "broken"]):
        assert failed(command) == 1
        assert capsys.readouterr().err.startswith(f"dpbi: {message}")


def test_list_shows_all_of_a_notebook_as_json(capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    assert main(["list", "first_release", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert found["name"] == "foundations/first_release"
    seed = {"name": "seed", "type": "int", "default": 2030, "meaning": "seed of the one random draw"}
    assert seed | {"allowed": ["in [0, inf)"]} in found["parameters"]


def test_the_command_is_installed_and_light():
    script = "import sys; from dpbi.cli import main; main(['list']); print(*sys.modules, file=sys.stderr)"
    run = subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True, capture_output=True, text=True)
    assert "first_release" in run.stdout
    assert not {"pandas", "matplotlib", "papermill", "nbformat", "dask"} & set(run.stderr.split())
    command = Path(sys.executable).with_name("dpbi")
    assert subprocess.run([command, "list"], cwd=ROOT, check=True, capture_output=True, text=True).stdout == run.stdout


@pytest.mark.parametrize("command", [["list"], ["init", "mine"]])  # more than the interpreter keeps back, and less
def test_a_closed_pipe_ends_the_command_quietly(command, tmp_path):
    reading, writing = os.pipe()
    os.close(reading)
    run, where = [sys.executable, "-m", "dpbi", *command], ROOT if command == ["list"] else tmp_path
    kept_back = os.environ | {"PYTHONUNBUFFERED": ""}
    done = subprocess.run(run, cwd=where, env=kept_back, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")


ONE, OTHER = (BY_ID[name] for name in ("private-mcmc/def-5", "hellinger/3-sensitivity"))


@pytest.fixture
def statements(monkeypatch):
    """Lets verify have these statements alone, some of them wrong ones."""

    def use(*those):
        monkeypatch.setattr(dpbi.claims, "CLAIMS", those)
        monkeypatch.setattr(dpbi.claims, "RECORDED", {each.id: dpbi.claims.RECORDED[each.id] for each in those})
        for each in those:
            monkeypatch.setitem(BY_ID, each.id, each)

    return use


def test_verdicts_as_recorded_are_one_line(statements, capsys):
    statements(ONE, OTHER)
    assert main(["verify", "--jobs", "1"]) == 0
    assert capsys.readouterr().out == "2 verdicts, all as recorded\n"


def test_a_verdict_that_differs_is_named(statements, capsys):
    def broken(n, k):
        raise ZeroDivisionError("no such number")

    statements(replace(ONE, body=lambda epsilon, epsilon2: (1.0, at_most(0))), replace(OTHER, body=broken))
    assert failed(["verify", "--jobs", "1"]) == 1
    before = dpbi.claims.RECORDED[OTHER.id]
    assert capsys.readouterr().err.splitlines() == [
        "dpbi: 2 verdicts differ from those recorded in claims/verdicts.csv",
        "  private-mcmc/def-5: true before, false now",
        f"  hellinger/3-sensitivity: {before} before, ZeroDivisionError: no such number now",
    ]


def test_statements_and_verdicts_without_each_other_are_named(statements, monkeypatch, capsys):
    statements(ONE)
    monkeypatch.setattr(dpbi.claims, "RECORDED", {"private-mcmc/none": "open"})
    assert failed(["verify", "--jobs", "1"]) == 1
    assert [line.split(": ") for line in capsys.readouterr().err.splitlines()[1:]] == [
        ["  private-mcmc/def-5", "not recorded before, true now"],
        ["  private-mcmc/none", "open before, no statement now"],
    ]
