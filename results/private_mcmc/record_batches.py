"""What steps on secret batches may take by the composition of their losses, and the first published trajectories.

The code that composes these losses, and that draws the published random numbers, has left the library. It is in the
commit a92c230, and this script records what it says:

git worktree add _build/before a92c230
PYTHONPATH=_build/before/src python results/private_mcmc/record_batches.py
"""

from pathlib import Path

from dpbi.mcmc.barker_loss import secret_loss

from dpbi import ApproxDP, uses_within
from dpbi.guarantees import BatchDP, subsampled
from dpbi.mcmc import affordable, experiments, published, trajectories
from dpbi.mcmc.barker_rule import curve
from dpbi.results import record

RESULTS = Path(__file__).parents[1]
COMMAND = (
    "git worktree add _build/before a92c230 && "
    "PYTHONPATH=_build/before/src python results/private_mcmc/record_batches.py"
)
BATCH, ROWS, PATHS = 1300, 100_000, 40
DIGITS = 9
"""Of a coordinate, for a figure."""

losses = {"epsilon": [1.0, 2.0, 4.0, 6.0], "iterations": []}
for epsilon in losses["epsilon"]:
    answers = BatchDP(subsampled(curve(BATCH), ROWS, BATCH), secret_loss(BATCH, ROWS))
    losses["iterations"].append(uses_within(answers, ApproxDP(epsilon, 0.1 / ROWS)))
record(
    "private_mcmc/barker_answers",
    {"batch": BATCH, "rows": ROWS},
    tables={"answers": losses},
    outdir=RESULTS,
    command=COMMAND,
)

columns = ("model", "algorithm", "Rényi", "published", "certified")
accounts = {name: [] for name in columns}
for model, known in published.BATCHES.items():
    example = published.original(model)[0]
    budget = ApproxDP(1.0, 0.1 / example.target.rows)
    for algorithm, how in known.items():
        counts = (
            experiments.renyi_iterations(example.target, how, budget),
            published.iterations(example, how, budget),
            affordable(example.target, how, budget),
        )
        for name, value in zip(columns, (model, algorithm, *counts), strict=True):
            accounts[name].append(value)
circle = published.original("circle")[0].target.likelihood
walks = trajectories.trajectories(PATHS)
record(
    "private_mcmc/published_batches_and_paths",
    {"epsilon": 1.0, "paths": PATHS},
    scalars={"rows": circle.rows, "mean_of_squares": float(circle.features.mean())},
    tables={
        "accounts": accounts,
        "points": {
            "path": [path for path, walk in enumerate(walks) for _ in walk.points],
            "x": [round(float(x), DIGITS) for walk in walks for x in walk.points[:, 0]],
            "y": [round(float(y), DIGITS) for walk in walks for y in walk.points[:, 1]],
        },
        "ends": {"path": list(range(PATHS)), "accepted": [walk.accepted for walk in walks]},
    },
    outdir=RESULTS,
    command=COMMAND,
)
