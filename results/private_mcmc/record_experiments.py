"""Chains of Barker's test for the length that the library's accountant allows, on the four bananas.

    python results/private_mcmc/record_experiments.py

The settings of the models and the algorithms are those of the page, and so is the seed. There are 20 chains, and 8
where a chain has more than 120,000 coordinates. The record is written after each cell; a cell that it has is not run
again.
"""

import json
import sys
import time
from pathlib import Path

from dpbi.mcmc import experiments
from dpbi.results import read, record

RESULTS = Path(__file__).parents[1]
PAGE = RESULTS.parent / "notebooks" / "private_mcmc" / "experiments.ipynb"
RECORD = Path(__file__).with_name("experiments_barker.json")
COMMAND = "python results/private_mcmc/record_experiments.py"
KINDS = ("tempered", "flat")
CELLS = [
    *(
        (f"{kind} banana {size}", float(epsilon))
        for epsilon in (1, 2, 3, 4)
        for size in ("2d", "10d")
        for kind in KINDS
    ),
    *((f"{kind} banana 2d", float(epsilon)) for epsilon in (5, 6) for kind in KINDS),
]
"""The budgets of each model are those of the records of the other algorithms."""
CHAINS, FEWER, LONG = 20, 8, 120_000

page = {cell["id"]: "".join(cell["source"]) for cell in json.loads(PAGE.read_text("utf-8"))["cells"]}
imports = [line for line in page["imports"].splitlines() if line.startswith(("import ", "from "))]
names = {}
exec("\n".join([page["parameters"], *imports, page["settings"]]), names)

columns = (*experiments.COLUMNS, "chains", "seconds")
kept = read(RECORD).tables["cells"] if RECORD.exists() else {column: [] for column in columns}
for model, epsilon in CELLS:
    if (model, epsilon) in zip(kept["model"], kept["epsilon"], strict=True):
        continue
    experiment, start = names["KNOWN"][model], time.perf_counter()
    target = experiments.prepared(experiment, names["seed"], 1)[0].target
    budget = experiments.ApproxDP(epsilon, 0.1 / experiment.rows)
    length = experiments.affordable(target, experiment.algorithms["barker"], budget)
    chains = FEWER if length * target.dimension > LONG else CHAINS
    found = experiments.table([experiment], ["barker"], [epsilon], seed=names["seed"], chains=chains)
    found |= {"chains": [chains], "seconds": [round(time.perf_counter() - start, 1)]}
    rows = sorted(
        zip(*(kept[name] + found[name] for name in columns), strict=True), key=lambda row: CELLS.index(row[::2][:2])
    )
    kept = {name: [row[i] for row in rows] for i, name in enumerate(columns)}
    sys.stderr.write(" ".join(str(found[column][0]) for column in columns) + "\n")
    record(
        "private_mcmc/experiments_barker",
        {"chains": CHAINS, "fewer": FEWER, "long": LONG, "seed": names["seed"]},
        tables={"cells": kept},
        outdir=RESULTS,
        command=COMMAND,
    )
