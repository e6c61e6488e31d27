"""How the pages of the book say that they can be rerun, and what was recorded of doing so."""

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from dpbi.claims import notes
from dpbi.cli import main
from dpbi.cli.notebooks import checkout, find, notebooks
from dpbi.model.datasets import count_vectors
from dpbi.results import read

ROOT = Path(__file__).parents[1]
GUIDE = (ROOT / "book" / "guides" / "rerun.md").read_text("utf-8")
KNOWN = notebooks(ROOT)[0]
RECORDS = {
    name: read(ROOT / "results" / "rerun" / f"{name}.json") for name in ("transcript", "growth", "own", "cost", "many")
}
RECORDED, GROWTH, OWN, COST, MANY = RECORDS.values()


@pytest.fixture(scope="module")
def pages():
    sys.path.insert(0, str(ROOT / "tools"))
    import sphinx_rerun

    yield sphinx_rerun
    sys.path.remove(str(ROOT / "tools"))


def cells(known):
    return json.loads((ROOT / "notebooks" / f"{known.name}.ipynb").read_text("utf-8"))["cells"]


def test_every_page_says_the_line_that_reruns_it_and_what_dpbi_list_says(pages, capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    assert main(["list"]) == 0
    listed = dict(zip((known.name for known in KNOWN), capsys.readouterr().out.rstrip().split("\n\n"), strict=True))
    for known in KNOWN:
        head = pages.head(known, cells(known), 1.5)
        (line,) = re.findall(r"```console\ndpbi run (\S+)\n```", head)
        assert find(checkout(), line) == known
        for parameter in known.parameters[:-1]:
            row = next(row for row in head.splitlines() if row.startswith(f"| `{parameter.name}` |"))
            name, kind, default, text = (cell.strip().strip("`") for cell in row.strip("| ").split(" | "))
            said = next(row for row in listed[known.name].splitlines() if row.split()[:1] == [name])
            assert said.split() == [name, *kind.split(), *default.split(), *text.split()]
        assert "outdir" not in head
        assert "took 1.5 s" in head


def test_every_page_leads_to_folders_that_have_a_page(pages):
    listed = set(re.findall(r"^   dpbi\.(\w+)$", (ROOT / "book" / "reference.md").read_text("utf-8"), re.MULTILINE))
    for known in KNOWN:
        assert set(pages.modules(cells(known))) <= listed
    first = next(known for known in KNOWN if known.name == "foundations/sensitivity")
    assert {"model", "plots"} <= set(pages.modules(cells(first)))


def test_long_cells_are_folded_and_what_their_authors_decided_stays(pages):
    def folded(source, *tags, kind="code"):
        cell = {"cell_type": kind, "metadata": {"tags": list(tags)}, "source": source}
        pages.fold(cell)
        return cell["metadata"]["tags"]

    assert folded("1\n" * 6) == ["hide-input"]
    assert folded("1\n" * 5) == []
    assert folded("1\n" * 9, "parameters") == ["parameters", "hide-input"]
    assert folded("1\n" * 9, "remove-cell") == ["remove-cell"]
    assert folded("1\n" * 9, kind="markdown") == []


def test_the_guide_shows_what_was_recorded(pages):
    filled = pages.PLACE.sub(lambda place: pages.filled(RECORDS, *place.groups()), GUIDE)
    assert "%" not in re.sub(r"\d+%\|", "", filled)
    for record in (RECORDED, GROWTH, OWN):
        for command, output in zip(*(record.tables["transcript"][name] for name in ("command", "output")), strict=True):
            assert f"$ {command}\n{output}".rstrip() in filled


def test_the_recorded_sweep_was_stopped_half_way_and_lost_nothing():
    steps = dict(zip(RECORDED.tables["transcript"]["step"], RECORDED.tables["transcript"]["output"], strict=True))
    done = RECORDED.scalars["done_before"]
    assert 20 <= done < 40
    assert f"interrupted: {done} of 40 cells are done" in steps["sweep"]
    assert f"40 cells, {done} done before, {40 - done} now, 0 failed" in steps["resume"]
    assert "40 cells, 0 done before, 40 now, 0 failed" in steps["cluster"]
    assert steps["compare"] == "identical"
    assert RECORDED.scalars["cells"] == len(set(zip(*map(RECORDED.tables["sweep"].get, ("n", "t")), strict=True))) == 40


def test_the_recorded_grid_grew_by_its_new_cells_and_outlived_a_scheduler():
    said = "\n".join(GROWTH.tables["transcript"]["output"])
    assert "40 cells, 0 done before, 40 now, 0 failed" in said
    assert "60 cells, 40 done, 0 failed, 20 not run" in said
    assert "60 cells, 40 done before, 20 now, 0 failed" in said
    assert "60 cells, 60 done, 0 failed, 0 not run" in said
    (kept, missing) = re.findall(r"20 cells, 0 done before, (\d+) now, 0 failed, (\d+) not run", said)[0]
    assert int(kept) + int(missing) == 20
    assert f"is gone; {missing} of 20 cells were not run" in said
    assert f"20 cells, {kept} done before, {missing} now, 0 failed" in said


def test_the_recorded_cluster_outlived_its_workers_with_the_same_table():
    table = GROWTH.tables["transcript"]
    said = "\n".join(output for step, output in zip(table["step"], table["output"], strict=True) if step == "workers")
    assert "no worker is left at " in said
    assert "a worker has come to " in said
    assert "20 cells, 0 done before, 20 now, 0 failed" in said
    assert said.endswith("identical")


def test_a_page_of_ones_own_ran_with_the_wheel_alone():
    steps = dict(zip(OWN.tables["transcript"]["command"], OWN.tables["transcript"]["output"], strict=True))
    assert steps["dpbi list"].startswith("first  A first page")
    assert "written to rerun/first" in steps["dpbi run first -p epsilon=1/2"]
    assert any("12 cells, 0 done before, 12 now, 0 failed" in said for said in steps.values())
    assert steps["dpbi run first -p epsilon=200"] == "dpbi: epsilon must satisfy 'in (0, 20]', got 200.0"


def test_forty_light_cells_take_no_longer_than_a_quarter_more_than_papermill_alone():
    assert COST.scalars["ratio"] <= 1.25


def test_two_thousand_cells_take_no_more_memory_than_a_hundred_and_no_longer_than_a_bare_pool():
    memory = MANY.tables["memory"]
    assert MANY.tables["steps"]["cells"][-1] == MANY.scalars["cells"] == 2000
    assert memory["cells"][-1] >= 1900
    assert max(memory["megabytes"]) <= 1.1 * memory["megabytes"][0]
    assert MANY.scalars["seconds_per_cell"] <= 1.25 * MANY.scalars["pool_seconds_per_cell"]


@pytest.mark.parametrize("row", [0, 13, 39])
def test_the_recorded_table_holds_what_the_library_says(row):
    table = {name: values[row] for name, values in RECORDED.tables["sweep"].items()}
    sides = [
        notes.lshist_equation(prior=(1, 1), counts=tuple(map(int, counts)), epsilon=0.8, t=table["t"])
        for counts in count_vectors(table["n"], 2)
    ]
    assert table["right_lshist"] == sum(np.isclose(exact, printed, rtol=1e-9) for exact, printed in sides)
