"""Simulation-based calibration of the sampler: the rank of the truth among draws of its posterior is uniform.

Tables of 2 x 5 x 4 x 5 = 200 cells and 10,000 records are drawn from the prior; their six two-way margins are released;
one chain draws the table. If the draws have the law of the posterior, the rank of what was true among them is uniform
(Talts, Betancourt, Simpson, Vehtari and Gelman 2018).

python benchmarks/calibration.py [RUNS [SEED]]
"""

import itertools
import sys
import warnings

import numpy as np
from scipy import stats

from dpbi.inference import Margin, given_margins
from dpbi.mechanisms import MECHANISMS
from dpbi.results import record

SHAPE, RECORDS, EPSILON, PRIOR = (2, 5, 4, 5), 10_000, 0.2, 1.0
NOISES = ("geometric", "lattice_laplace", "lshist", "staircase", "discrete_gaussian")
DRAWS, SWEEPS, BINS = 19, 20, 10


def told(tables: np.ndarray) -> dict[str, np.ndarray]:
    """What is ranked of tables of shares: cells, margins of one to three columns, a difference, a ratio, a sum."""
    first, last = tables.sum(axis=(2, 3, 4)), tables.sum(axis=(1, 2, 3))
    two, three = tables.sum(axis=(2, 3)), tables.sum(axis=2)
    return {
        "one cell": tables[:, 0, 0, 0, 0],
        "another cell": tables[:, 1, 2, 3, 4],
        "one column": first[:, 0],
        "another column": last[:, 2],
        "two columns": two[:, 1, 3],
        "three columns": three[:, 0, 1, 2],
        "difference": last[:, 0] - last[:, 1],
        "ratio": two[:, 0, 0] / first[:, 0],
        "difference of conditional shares": two[:, 0, 1] / first[:, 0] - two[:, 1, 1] / first[:, 1],
        "sum of squares": (tables.reshape(len(tables), -1) ** 2).sum(axis=1),
    }


def one_run(rng: np.random.Generator) -> dict[str, int]:
    """The ranks of the truth of one table."""
    cells = int(np.prod(SHAPE))
    theta = rng.dirichlet(np.full(cells, PRIOR))
    x = rng.multinomial(RECORDS, theta)
    margins = []
    for number, columns in enumerate(itertools.combinations(range(4), 2)):
        others = tuple(axis for axis in range(4) if axis not in columns)
        y = x.reshape(SHAPE).sum(axis=others).ravel()
        name = NOISES[number % len(NOISES)]
        z = y + noise(name, len(y), rng)
        z[-1] = RECORDS - z[:-1].sum()
        margins.append(Margin(columns, z, EPSILON, name))
    found = given_margins(PRIOR, SHAPE, RECORDS, margins, rng, draws=DRAWS, chains=1, sweeps=SWEEPS)
    draws = found.draws(rng).reshape(-1, *SHAPE)
    truth = told(theta.reshape(1, *SHAPE))
    return {name: int((values < truth[name]).sum()) for name, values in told(draws).items()}


def noise(name: str, k: int, rng: np.random.Generator) -> np.ndarray:
    """Noise of a margin of k cells by the definitions, from geometric variables of NumPy."""
    rate = EPSILON / (1 if k == 2 else 2)
    if name == "lattice_laplace":
        # entries of rate epsilon / 2 whose sum is 0, by rejection of the last: its own law decides
        while True:
            v = two_sided(EPSILON / 2, (20_000, k), rng)
            if len(good := v[v.sum(axis=1) == 0]):
                return good[0]
    if name in {"staircase", "discrete_gaussian"}:
        rows = np.arange(-2000, 2001)
        square = EPSILON * rate * rows**2 / 2
        weights = np.exp(-square if name == "discrete_gaussian" else -rate * ((np.abs(rows) + 1) // 2))
        return rng.choice(rows, size=k, p=weights / weights.sum())
    return two_sided(rate, k, rng) - (rng.integers(0, 2, k) if name == "lshist" else 0)


def two_sided(rate: float, size: int | tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    """The difference of two geometric variables."""
    p = -np.expm1(-rate)
    return rng.geometric(p, size) - rng.geometric(p, size)


def main(runs: int = 100, seed: int = 18) -> None:
    """The histogram of the ranks of every quantity, and its chi-square test."""
    warnings.simplefilter("ignore")  # the chains are meant to be short: ranks judge them
    assert set(NOISES) <= set(MECHANISMS)
    rng = np.random.default_rng(seed)
    ranks: dict[str, list[int]] = {}
    for run in range(runs):
        for name, rank in one_run(rng).items():
            ranks.setdefault(name, []).append(rank)
        if sys.stderr.isatty() or (run + 1) % 20 == 0:
            sys.stderr.write(f"{run + 1} of {runs} tables\n")
    histograms = {name: np.bincount(np.array(r) * BINS // (DRAWS + 1), minlength=BINS) for name, r in ranks.items()}
    p = {name: float(stats.chisquare(counts).pvalue) for name, counts in histograms.items()}
    record(
        "calibration",
        {"sizes": list(SHAPE), "records": RECORDS, "epsilon": EPSILON, "runs": runs, "seed": seed, "draws": DRAWS,
         "sweeps": SWEEPS},
        scalars={"smallest_p": min(p.values()), "quantities": len(p), "bins": BINS},
        tables={
            "histograms": {name: counts.tolist() for name, counts in histograms.items()},
            "tests": {"quantity": list(p), "p": list(p.values())},
        },
        outdir="results/inference",
        command=f"python benchmarks/calibration.py {runs} {seed}",
    )  # fmt: skip
    for name, counts in histograms.items():
        sys.stdout.write(f"{name}: {counts.tolist()}, p = {p[name]:.3f}\n")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
