"""Replay the published experiments of private MCMC, and record what was seen in results/private_mcmc/replayed.json.

python tools/record_replication.py cells         the published cells on the published rows
python tools/record_replication.py data_sets     their medians on eight other data sets

Cells that are recorded are kept, and the cheapest of the others come first: a run may be ended at any time and begun
again, but not two at once. `--seconds 600` begins no cell after ten minutes, `--models circle` and `--algorithms HMC`
choose, `--most 2` takes budgets up to 2 only.
"""

import argparse
import time
from pathlib import Path
from typing import Any

from dpbi.mcmc import replication
from dpbi.mcmc.experiments import EXPERIMENTS
from dpbi.mcmc.published import algorithms, iterations, original
from dpbi.results import read, record

RESULTS = Path(__file__).parents[1] / "results"
KEPT = RESULTS / "private_mcmc" / "replayed.json"
DATA_SETS = tuple(range(1, 9))
TABLES = {"cells": replication.COLUMNS, "data_sets": (*replication.PLACE, "data_set", "median")}
COMMAND = "python tools/record_replication.py cells && python tools/record_replication.py data_sets"


def work(name: str, algorithm: str, epsilon: float) -> float:
    """How much a cell takes: numbers read, roughly."""
    example, _, _ = original(name)
    chosen = algorithms(name)[algorithm]
    settings = chosen.parameters
    total = iterations(example, chosen, replication._budget(example, epsilon))
    rows = 10 * settings["batch"] if "batch" in settings else example.target.rows
    passes = 4 * (settings["steps"] + 1) if "steps" in settings else 1
    features = 1 if algorithm == "guided walk" else len(example.truth)
    return total * ((3_000 if name == "circle" and passes == 1 else rows) * passes * features + 3_000)


def kept() -> dict[str, dict[str, list[Any]]]:
    """The tables as they are."""
    if KEPT.exists():
        return {name: {c: list(v) for c, v in table.items()} for name, table in read(KEPT).tables.items()}
    return {name: {column: [] for column in columns} for name, columns in TABLES.items()}


def keep(tables: dict[str, dict[str, list[Any]]], name: str, rows: list[tuple[Any, ...]]) -> None:
    """Add rows to a table, and write them all."""
    for row in rows:
        print(name, *row, flush=True)
        for column, value in zip(TABLES[name], row, strict=True):
            tables[name][column].append(value)
    settings = {"chains": replication.CHAINS, "data_sets": len(DATA_SETS)}
    record("private_mcmc/replayed", settings, tables=tables, outdir=RESULTS, command=COMMAND)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=tuple(TABLES))
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--models", nargs="+", choices=tuple(EXPERIMENTS), default=list(EXPERIMENTS))
    parser.add_argument("--algorithms", nargs="+")
    parser.add_argument("--most", type=float, default=6.0)
    chosen = parser.parse_args()
    begun = time.monotonic()
    printed = read(RESULTS / "private_mcmc" / "published.json").tables["medians"]
    tables = kept()
    places = [
        place
        for place in zip(*(printed[name] for name in replication.PLACE), strict=True)
        if place[0] in chosen.models
        and (chosen.algorithms is None or place[1] in chosen.algorithms)
        and place[2] <= chosen.most
    ]
    places.sort(key=lambda place: place[0])  # rows of one model are made once
    costs = {place: work(*place) for place in places}
    places.sort(key=lambda place: costs[place])
    done = {column: tables[chosen.what][column] for column in TABLES[chosen.what]}
    if chosen.what == "cells":
        have = set(zip(*(done[name] for name in replication.PLACE), strict=True))
        for place in places:
            if place not in have and time.monotonic() - begun < chosen.seconds:
                keep(tables, "cells", [replication.cell(*place)])
        return
    have = set(zip(*(done[name] for name in (*replication.PLACE, "data_set")), strict=True))
    for pair in dict.fromkeys(place[:2] for place in places):
        epsilons = sorted(place[2] for place in places if place[:2] == pair)
        for data_set in DATA_SETS:
            if all((*pair, epsilon, data_set) in have for epsilon in epsilons):
                continue
            if time.monotonic() - begun < chosen.seconds:
                medians = replication.data_set(*pair, epsilons, data_set)
                found = zip(epsilons, medians, strict=True)
                new = [(*pair, e, data_set, median) for e, median in found if (*pair, e, data_set) not in have]
                keep(tables, "data_sets", new)


if __name__ == "__main__":
    main()
