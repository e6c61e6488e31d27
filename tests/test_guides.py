"""The guides are correct: their code and commands run in the given order and print what the guides show."""

import json
import os
import re
import shlex
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import jupytext
import numpy as np
import pytest
from nbclient import NotebookClient
from scipy.optimize import brentq
from scipy.stats import beta

from dpbi.claims.statements import STATEMENTS
from dpbi.cli import main
from dpbi.parameters import parse
from dpbi.publish import Budget, receipts
from dpbi.results import read

GUIDES = Path(__file__).parents[1] / "book" / "guides"
BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run(blocks, page, capsys):
    """How many texts a guide shows, each of which its code before has printed."""
    names: dict[str, object] = {}
    shown = 0
    for number, (language, text) in enumerate(blocks):
        if language == "python":
            exec(compile(text, f"{page}, block {number}", "exec"), names)
        else:
            assert capsys.readouterr().out == text
            shown += 1
    assert not capsys.readouterr().out
    return shown


@pytest.fixture
def left_as_it_was():
    """The statements, without what a guide adds to them."""
    statements = dict(STATEMENTS)
    yield
    STATEMENTS.clear()
    STATEMENTS.update(statements)


@pytest.mark.usefixtures("left_as_it_was")
@pytest.mark.parametrize(("page", "texts"), [("family.md", 4), ("sampler.md", 3), ("theorem.md", 1)])
def test_a_guide_prints_what_it_shows(page, texts, capsys):
    assert run(BLOCK.findall((GUIDES / page).read_text("utf-8")), page, capsys) == texts


@pytest.mark.usefixtures("left_as_it_was")
def test_the_mechanism_of_the_guide_runs_in_its_notebook(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (_, module), *blocks, (_, page) = BLOCK.findall((GUIDES / "extend.md").read_text("utf-8"))
    (tmp_path / "wide_staircase.py").write_text(module)
    assert run(blocks, "extend.md", capsys) == 5
    notebook = jupytext.reads(page, fmt="py:percent")
    (cell,) = [cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", [])]
    assert [each.name for each in parse(cell.source)] == ["counts", "budgets", "outdir"]
    cell.source = cell.source.replace('outdir: str = ""', 'outdir: str = "."')
    NotebookClient(notebook, kernel_name="python3", resources={"metadata": {"path": tmp_path}}).execute()
    errors = read(tmp_path / "beyond" / "wide_staircase.json").tables["errors"]
    assert errors["epsilon"] == [0.5, 1.0, 2.0]
    assert errors["wide_staircase"] == sorted(errors["wide_staircase"], reverse=True)
    assert all(theirs > ours for theirs, ours in zip(errors["wide_staircase"], errors["geometric"], strict=True))


RELEASE = "".join((GUIDES / f"{name}.md").read_text("utf-8") for name in ("release", "release_more"))
SHELL = re.compile(r"^```(sh|text|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def in_shell(text):
    """The exit code and the standard error of a block."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    ran = subprocess.run(["bash", "-e", "-c", text], env=os.environ | {"PATH": path}, capture_output=True, text=True)
    return ran.returncode, ran.stderr


def in_process(text, capsys):
    """The same of lines that are commands of dpbi, in this process: it has imported what a new one would import."""
    code = 0
    capsys.readouterr()
    try:
        for line in text.splitlines():
            assert not set(line) & set("$`*?|&<>(){}~#\\"), line  # nothing that a shell would change
            main(shlex.split(line)[1:])
    except SystemExit as stop:
        code = stop.code
    return code, capsys.readouterr().err


@pytest.mark.slow
def test_the_commands_of_the_guide_do_what_it_says(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    page = RELEASE.replace("range(1, 2001)", "range(1, 101)")  # a twentieth of the households
    assert page.count("range(1, 101)") == 1
    blocks = SHELL.findall(page)
    after = [language for language, _ in blocks[1:]] + [""]
    refused = commands = 0
    drawn = receipts._picture  # here of a table its first question, as six would take most of the time
    monkeypatch.setattr(receipts, "_picture", lambda result: drawn(getattr(result, "questions", [result])[0]))
    for (language, text), follows in zip(blocks, after, strict=True):
        if language == "sh":
            ours = all(line.startswith("dpbi ") for line in text.splitlines())
            commands += ours
            # one that is done and one that is refused are run as a reader runs them
            code, output = in_process(text, capsys) if ours and commands > 4 else in_shell(text)
            assert code == (1 if follows == "text" else 0), output
        elif language == "text":
            assert output == text
            refused += 1
        else:
            names: dict[str, object] = {}
            exec(compile(text, "release_more.md", "exec"), names)
            assert 0 <= names["low"] < names["high"] <= 1
    assert refused == 2
    assert commands == 12
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [
        "budget.db", "first", "households", "households.csv", "households.db", "schema.toml", "second", "survey.csv",
        "synthetic.csv",
    ]  # fmt: skip
    for name in (entry.name for entry in (tmp_path / "first").iterdir()):
        assert f"- `{name}`" in RELEASE
    assert Budget(tmp_path / "budget.db").accounts()["records"].spent == Fraction(1)
    receipt = json.loads((tmp_path / "second" / "receipt.json").read_text("utf-8"))
    budget = receipt["budget"]
    assert (receipt["n"], budget["limit"], budget["spent"]) == (400, "epsilon 1", "epsilon 1")
    for entry in receipt["not_covered"]:
        assert "time" in entry or "other releases" in entry


def test_the_quick_start_follows_from_its_noisy_count():
    """The oracle is the sum over all hidden counts, by SciPy: under the flat prior each is as probable as any other."""
    count, x = int(re.search(r"from a noisy count of (\d+)", RELEASE)[1]), np.arange(401)
    weights = np.exp(-0.3 * abs(x - count)) / np.exp(-0.3 * abs(x - count)).sum()
    mean = weights @ (1 + x) / 402
    low, high = (brentq(lambda t, p=p: weights @ beta.cdf(t, 1 + x, 401 - x) - p, 0, 1) for p in (0.025, 0.975))
    assert f"yes: share {mean:.4g}, 95 % between {low:.4g} and {high:.4g}, from" in RELEASE
    assert f"{100 * mean:.3g} % cycle to work (95 % interval from {100 * low:.3g} % to {100 * high:.3g} %)" in RELEASE
