"""Coverage and length of intervals for a share from two noisy counts: guaranteed, by the posterior, forgetting noise.

Coverage is summed over all noisy counts at every share of a grid; lengths are means over a share drawn uniformly. The
law of the noisy count is computed here; p-values of the library are compared with its tails at a tenth of the shares.
Beside them stands a lower bound on the length of any private set that contains every share with the level: a linear
program for each share of a coarser grid, as a set says of each share, by an event of its own, whether it is in.

python benchmarks/guaranteed_intervals.py
"""

import itertools
import math

import numpy as np
from scipy.optimize import linprog
from scipy.stats import binom

from dpbi import geometric
from dpbi.inference import Noisy, aware_intervals, p_value, plug_in_intervals
from dpbi.results import record

SIZES, EPSILONS, LEVEL, PRIOR = (20, 100, 1000), (0.1, 0.5, 1.0), 0.95, [1, 1]
SHARES = (np.arange(2000) + 0.5) / 2000
LARGEST_PROGRAM = 100  # records


def accepted(law: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Probability over U that the interval of each noisy count contains the share: without U, and with it."""
    half, sure = (1 - LEVEL) / 2, np.ones((2, len(law)))
    for most in (np.cumsum(law[::-1])[::-1], np.cumsum(law)):  # the larger p-value; the smaller one is less by the law
        sure[0] *= most > half
        sure[1] *= 1 - np.clip((half - (most - law)) / np.maximum(law, 1e-300), 0, 1)
    return sure[0], sure[1]


def difference(n: int, epsilon: float, theta: float, z: np.ndarray, law: np.ndarray) -> float:
    """Largest difference of the library's p-values from the tails of the law, at the counts where a share leaves."""
    found = [0.0]
    for side, most in (("greater", np.cumsum(law[::-1])[::-1]), ("less", np.cumsum(law))):
        place = int(abs(most - (1 - LEVEL) / 2).argmin())
        noisy = Noisy([int(z[place]), n - int(z[place])], epsilon)
        p = sorted(p_value(n, noisy, theta, side, uniform=u) for u in (0, 1))
        found += [abs(p[1] - most[place]), abs(p[0] - (most[place] - law[place]))]
    return max(found)


def least_length(n: int, epsilon: float) -> float:
    """Mean over 200 shares of the least probability, at a count uniform on 0..n, that a private set contains it."""
    q, x, found = math.exp(-epsilon), np.arange(n + 1), []
    here, there = np.eye(n + 1)[:-1], np.eye(n + 1)[1:]
    private = np.concatenate([q * here - there, q * there - here])  # f at neighbours, and below 1 - f
    most = np.concatenate([np.zeros(2 * n), np.full(2 * n, 1 - q)])
    for theta in (np.arange(200) + 0.5) / 200:
        b = binom.pmf(x, n, theta)
        below, limit = np.vstack([private, -private, -b]), [*most, -LEVEL]
        found.append(linprog(np.full(n + 1, 1 / (n + 1)), below, limit, bounds=(0, 1)).fun)
    return float(np.mean(found))


def compared(n: int, epsilon: float) -> dict[str, float]:
    """Least and largest coverage over the shares, and the mean length, of each kind of interval."""
    reach = math.ceil(36 / epsilon)
    z, x = np.arange(-reach, n + reach + 1), np.arange(n + 1)
    noise = math.tanh(epsilon / 2) * np.exp(-epsilon * abs(np.arange(-reach, reach + 1)))
    laws = [np.convolve(binom.pmf(x, n, theta), noise) for theta in SHARES]
    mean_law, clipped = np.convolve(np.full(n + 1, 1 / (n + 1)), noise), np.clip(z, 0, n)
    inside: dict[str, list[np.ndarray]] = {"conservative": [], "exact": []}
    for law in laws:
        for name, sure in zip(inside, accepted(law), strict=True):
            inside[name].append(sure)
    for name, kind in (("posterior", aware_intervals), ("forgetting", plug_in_intervals)):
        found = kind(geometric(epsilon), PRIOR, n, LEVEL)
        inside[name] = [((found.lower <= theta) & (theta <= found.upper))[clipped] for theta in SHARES]
    row: dict[str, float] = {"n": n, "epsilon": epsilon}
    middle = (SHARES >= 0.05) & (SHARES <= 0.95)
    for name, sets in inside.items():
        covered = np.array([float(law @ sure) for law, sure in zip(laws, sets, strict=True)])
        row |= {f"{name}, least": covered.min(), f"{name}, most": covered.max()}
        row |= {f"{name}, least in the middle": covered[middle].min()}
        row |= {f"{name}, length": np.mean([mean_law @ sure for sure in sets])}
    compared = [difference(n, epsilon, float(SHARES[i]), z, laws[i]) for i in range(5, len(SHARES), 10)]
    row |= {"p-values, largest difference": max(compared)}
    row["any private set, length"] = least_length(n, epsilon) if n <= LARGEST_PROGRAM else math.nan
    return {name: float(value) for name, value in row.items()}


def main() -> None:
    """Compute and record the table."""
    rows = []
    for n, epsilon in itertools.product(SIZES, EPSILONS):
        rows.append(compared(n, epsilon))
        print(rows[-1], flush=True)  # noqa: T201
    settings = {"sizes": list(SIZES), "epsilons": list(EPSILONS), "level": LEVEL, "shares": len(SHARES)}
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    command, outdir = "python benchmarks/guaranteed_intervals.py", "results/inference"
    record("guaranteed_intervals", settings, tables={"intervals": columns}, outdir=outdir, command=command)


if __name__ == "__main__":
    main()
