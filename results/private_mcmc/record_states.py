"""States of one private chain on each model of the experiments, for the figure of the posteriors.

    python results/private_mcmc/record_states.py

One chain of the penalty algorithm for what the largest published budget allows: the first two parameters of its second
half, thinned evenly. The settings are those of the page; it takes about a minute.
"""

import json
from pathlib import Path

import numpy as np

from dpbi.mcmc import experiments, study
from dpbi.mcmc.sample_distances import second_half
from dpbi.results import record

RESULTS = Path(__file__).parents[1]
PAGE = RESULTS.parent / "notebooks" / "private_mcmc" / "experiments.ipynb"
KEPT, DIGITS = 300, 5

page = {cell["id"]: "".join(cell["source"]) for cell in json.loads(PAGE.read_text("utf-8"))["cells"]}
imports = [line for line in page["imports"].splitlines() if line.startswith(("import ", "from "))]
names = {}
exec("\n".join([page["parameters"], *imports, page["settings"]]), names)

epsilons, states = {}, {}
for model, experiment in names["KNOWN"].items():
    seed, epsilons[model] = names["seed_of"](model), max(experiment.epsilons)
    example, _, start = experiments.prepared(experiment, seed, 1)
    budget = experiments.ApproxDP(epsilons[model], 0.1 / experiment.rows)
    chain = study(
        example.target, experiment.algorithms["penalty"], start[0], np.random.default_rng(seed), budget=budget
    )
    for name, values in zip("xy", second_half(chain.samples[:, 0], most=KEPT).T, strict=False):
        states[f"{model}, {name}"] = [float(f"{value:.{DIGITS}g}") for value in values]
record(
    "private_mcmc/experiments_states",
    {"algorithm": "penalty", "seed": names["seed"], "kept": KEPT},
    tables={"budgets": {"model": list(epsilons), "epsilon": list(epsilons.values())}, "states": states},
    outdir=RESULTS,
    command="python results/private_mcmc/record_states.py",
)
