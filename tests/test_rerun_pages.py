"""How the pages of the book say that they can be rerun, and what was recorded of doing so."""

import json
import re
import sys
from pathlib import Path

import pytest

from dpbi.cli import main
from dpbi.cli.notebooks import checkout, find, notebooks
from dpbi.results import read

ROOT = Path(__file__).parents[1]
KNOWN = notebooks(ROOT)[0]


@pytest.fixture(scope="module")
def pages():
    sys.path.insert(0, str(ROOT / "tools"))
    import sphinx_rerun

    yield sphinx_rerun
    sys.path.remove(str(ROOT / "tools"))


def cells(known):
    return json.loads((ROOT / "notebooks" / f"{known.name}.ipynb").read_text("utf-8"))["cells"]


def test_a_page_says_the_line_that_reruns_it_and_what_dpbi_list_says(pages, capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    for known in KNOWN[::20]:
        assert main(["list", known.name]) == 0
        listed = capsys.readouterr().out.splitlines()
        head = pages.head(known, cells(known), 1.5)
        (line,) = re.findall(r"```console\ndpbi run (\S+)\n```", head)
        assert find(checkout(), line) == known
        for parameter in known.parameters[:-1]:
            row = next(row for row in head.splitlines() if row.startswith(f"| `{parameter.name}` |"))
            name, kind, default, text = (cell.strip().strip("`") for cell in row.strip("| ").split(" | "))
            said = next(row for row in listed if row.split()[:1] == [name])
            assert said.split() == [name, *kind.split(), *default.split(), *text.split()]
        assert "outdir" not in head
        assert "took 1.5 s" in head


def test_the_guide_says_what_was_recorded_of_the_cost_of_a_sweep():
    found = read(ROOT / "results" / "rerun" / "cost.json").scalars
    text = (ROOT / "book" / "guides" / "rerun.md").read_text("utf-8").partition("## What it costs")[2]
    pool, swept = found["bare_pool_seconds"], found["sweep_seconds"]
    assert found["ratio"] <= 1.1
    assert abs(found["ratio"] - swept / pool) < 0.002  # the seconds are rounded
    assert f"took {swept} seconds by `dpbi sweep`, and {pool} seconds by papermill" in text
    assert f"{found['ratio']} of the time" in text
    assert found["stopped"].startswith("dpbi: terminated: 50 of 60 cells are done")
    assert found["resumed"] == found["cluster"]
    assert found["resumed"].startswith("first: 60 cells, 59 done, 1 failed")
    assert found["same_table"] is True
