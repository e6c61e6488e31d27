"""The published experiments: budgets, cells that can be recomputed, and the recorded results beside them."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dpbi import ApproxDP
from dpbi.mcmc import affordable, posterior_of
from dpbi.mcmc.experiments import COLUMNS, PRINTED, baseline, cell, printed_barker_iterations, table
from dpbi.results import read

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "results" / "private_mcmc"


def of_page(name):
    """The experiments that a page defines: its parameters, imports and settings, run as they stand."""
    notebook = json.loads((ROOT / "notebooks" / "private_mcmc" / f"{name}.ipynb").read_text("utf-8"))
    cells = {each["id"]: "".join(each["source"]) for each in notebook["cells"]}
    imports = [line for line in cells["imports"].splitlines() if line.startswith(("import ", "from "))]
    names = {}
    exec("\n".join([cells["parameters"], *imports, cells["settings"]]), names)
    return names["KNOWN"]


EXPERIMENTS = of_page("experiments")
FLAT, SMALL = (replace(EXPERIMENTS["flat banana 2d"], rows=rows) for rows in (100_000, 4000))


def test_a_cell_where_no_iteration_fits_has_no_error():
    assert math.isnan(cell(FLAT, "minibatch", 1.0, seed=1, chains=2).errors[0])


def test_a_table_has_a_row_for_every_cell_that_there_is():
    columns = table([EXPERIMENTS["narrow banana"], FLAT], ["penalty", "barker"], [1.0], seed=2, chains=2)
    assert tuple(columns) == COLUMNS
    assert columns["model"] == ["narrow banana", "flat banana 2d", "flat banana 2d"]
    assert columns["algorithm"] == ["penalty", "penalty", "barker"]


def test_exact_draws_are_nearer_than_chains():
    floor = baseline(SMALL, seed=3, repetitions=3)
    assert floor.max() < 0.08
    assert np.median(cell(SMALL, "penalty", 6.0, seed=3, chains=3).errors) > np.median(floor)


def test_unknown_names_are_refused_with_those_known():
    with pytest.raises(ValueError, match=r"^algorithm must be one of penalty, guided walk, HMC"):
        cell(EXPERIMENTS["circle"], "barker", 1.0, seed=1)


RECORDED = {
    "experiments_flat_banana_2d": ("flat banana 2d", "penalty", 2.0),
    "experiments_tempered_banana_2d": ("tempered banana 2d", "penalty", 1.0),
    "experiments_flat_banana_10d_and_tempered_banana_10d": ("flat banana 10d", "penalty", 1.0),
    "experiments_more": ("normal 30d", "penalty", 1.0), "experiments_barker": ("tempered banana 2d", "barker", 1.0),
}  # fmt: skip
"""The recorded tables, and a cell of each that is soon computed again."""


@pytest.mark.slow
@pytest.mark.parametrize(("name", "place"), RECORDED.items())
def test_recorded_cells_are_what_is_computed_today(name, place):
    """One cell of every recorded table, computed again from its seed."""
    recorded = read(RESULTS / f"{name}.json")
    cells = recorded.tables["cells"]
    row = list(zip(*(cells[column] for column in ("model", "algorithm", "epsilon")), strict=True)).index(place)
    found = cell(EXPERIMENTS[place[0]], *place[1:], seed=recorded.parameters["seed"], chains=20)
    assert found.iterations == cells["iterations"][row]
    assert np.median(found.errors) == pytest.approx(cells["median"][row], rel=1e-6)


@pytest.mark.slow
def test_every_recorded_length_is_what_one_accountant_allows():
    """That of the library, for Barker's test too; in the older records it has its printed length."""
    for name in RECORDED:
        cells = read(RESULTS / f"{name}.json").tables["cells"]
        columns = (cells[column] for column in ("model", "algorithm", "epsilon", "iterations"))
        for model, algorithm, epsilon, length in zip(*columns, strict=True):
            rows, tuned = EXPERIMENTS[model].rows, EXPERIMENTS[model].algorithms[algorithm.partition(",")[0]]
            budget = ApproxDP(epsilon, 0.1 / rows)
            if algorithm == "barker" and name != "experiments_barker":
                assert length == printed_barker_iterations(rows, tuned.parameters["batch"], budget)
            else:
                target = posterior_of(lambda t, x: 0 * x, np.zeros(rows), lambda t: 0.0, 1)
                assert length == affordable(target, tuned, budget)


def test_the_printed_length_is_the_same_with_fewer_iterations():
    assert EXPERIMENTS["circle"].known == ["penalty", "guided walk", "HMC"]
    assert FLAT.known[-2:] == [PRINTED, "barker"]
    lengths = [cell(SMALL, name, 1.0, seed=1, chains=2).iterations for name in FLAT.known[-2:]]
    assert lengths == sorted(set(lengths))
