"""The command, as a user meets it."""

import shutil
import subprocess
import sys
from pathlib import Path

from checkouts import failed
from dpbi.cli import main, notebooks
from dpbi.results import record

ROOT = Path(__file__).parents[1]


def test_list_shows_every_notebook_with_its_parameters(capsys, monkeypatch):
    monkeypatch.chdir(ROOT / "tests")
    assert main(["list"]) == 0
    shown = capsys.readouterr().out
    for path in (ROOT / "notebooks").rglob("*.ipynb"):
        assert path.relative_to(ROOT / "notebooks").with_suffix("").as_posix() in shown
    assert "foundations/first_release  A first private posterior" in shown
    (block,) = [block for block in shown.split("\n\n") if block.startswith("foundations/first_release")]
    (line,) = [line for line in block.splitlines() if line.startswith("  seed")]
    assert line.split(maxsplit=3) == ["seed", "int", "2020", "seed of the one random draw; in [0, inf)"]


def checkout(folder: Path) -> Path:
    """A checkout with one notebook."""
    shutil.copytree(ROOT / "notebooks" / "foundations", folder / "notebooks" / "foundations")
    (folder / "src" / "dpbi").mkdir(parents=True)
    return folder


def test_list_shows_recorded_run_times(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(checkout(tmp_path))
    table = {"notebook": ["foundations/first_release"], "seconds": [1.5]}
    record("notebook_times", {}, tables={"times": table}, outdir="results", command="make times")
    assert main(["list"]) == 0
    shown = capsys.readouterr().out
    assert "foundations/first_release  A first private posterior  (1.5 s)" in shown
    assert "foundations/sensitivity  How sensitive is a posterior?  (run time not recorded)" in shown


def test_outside_a_checkout_the_error_is_one_clear_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(notebooks, "__file__", str(tmp_path / "site-packages" / "dpbi" / "cli" / "notebooks.py"))
    assert failed(["list"]) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("dpbi: the notebooks are in the source checkout of dpbi")
    assert len(told.err.splitlines()) == 1


def test_a_notebook_without_parameters_is_named(tmp_path, monkeypatch, capsys):
    folder = checkout(tmp_path)
    broken = folder / "notebooks" / "broken.ipynb"
    broken.write_text('{"cells": []}')
    monkeypatch.chdir(folder)
    assert failed(["list"]) == 1
    assert "broken.ipynb must have one cell tagged 'parameters', got 0" in capsys.readouterr().err


def test_the_command_is_installed_and_light():
    script = "import sys; from dpbi.cli import main; main(['list']); print(*sys.modules, file=sys.stderr)"
    run = subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True, capture_output=True, text=True)
    assert "first_release" in run.stdout
    assert not {"pandas", "matplotlib", "papermill", "nbformat", "dask"} & set(run.stderr.split())
    command = Path(sys.executable).with_name("dpbi")
    assert subprocess.run([command, "list"], cwd=ROOT, check=True, capture_output=True, text=True).stdout == run.stdout
