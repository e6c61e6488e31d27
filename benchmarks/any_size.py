"""Sums of exponential mechanisms without a list, against lists at small cells and draws at large ones; values, times.

python benchmarks/any_size.py lists 2000
python benchmarks/any_size.py draws 50
python benchmarks/any_size.py values
"""

import math
import resource
import sys
import time

import numpy as np

import dpbi
from dpbi.accuracy.moments import exponential_moments
from dpbi.model.datasets import count_vectors
from dpbi.model.distances import count_distances

say = sys.stdout.write
SIZES = ((10, 10**6), (20, 10**8), (100, 10**9), (1000, 10**12))


def spread(k, n, exponent):
    """Counts in proportion to 1 / i to a power: equal at 0, Zipf's at 1."""
    shares = np.arange(1, k + 1) ** -float(exponent)
    counts = np.floor(n * shares / shares.sum()).astype(np.int64)
    counts[0] += n - counts.sum()
    return counts


def small_cell(rng):
    """Two to five categories, corners, priors from 1e-2 to 1e3, rates from 1e-2 to 60."""
    k = int(rng.integers(2, 6))
    n = int(rng.integers(1, {2: 3000, 3: 150, 4: 45, 5: 24}[k]))
    prior = 10 ** rng.uniform(-2, 3, k)
    style = rng.integers(4)
    x = rng.multinomial(n, rng.dirichlet(np.full(k, 0.3 if style else 5.0)))
    if style == 1:
        x = np.eye(k, dtype=np.int64)[rng.integers(k)] * n
    if style == 2:
        prior[:], x = prior[0], spread(k, n, 0)
    return prior, x, float(10 ** rng.uniform(-2, math.log10(60)))


def against_lists(count):
    """Worst relative errors, widest bounds, and cells outside them but for the rounding of the list."""
    rng, worst, widest, outside, start = np.random.default_rng(16), np.zeros(3), np.zeros(3), 0, time.perf_counter()
    for _ in range(count):
        prior, x, rate = small_cell(rng)
        H = count_distances(prior, x, count_vectors(int(x.sum()), len(x)))
        w = np.exp(-rate * H)
        total = math.fsum(w)
        mean = math.fsum(w * H) / total
        true = (mean, math.sqrt(math.fsum(w * (H - mean) ** 2) / total), math.log(total))
        found = exponential_moments(prior, x, rate)
        scale = np.array([true[0], true[1], 1 + abs(true[2])])
        off = np.abs([value.value - t for value, t in zip(found, true, strict=True)])
        bounds = np.array([value.bound for value in found])
        worst, widest = np.maximum(worst, off / scale), np.maximum(widest, bounds / scale)
        outside += int((off > bounds + 4e-15 * scale).any())
    names = ("E[H]", "sd", "ln Z")
    for name, error, bound in zip(names, worst, widest, strict=True):
        say(f"{name:5} worst relative error {error:.1e}, widest relative bound {bound:.1e}\n")
    say(f"{count} cells, {outside} outside their bounds, {time.perf_counter() - start:.0f} s\n")


def against_draws(count):
    """Differences from the means of draws, in standard errors."""
    rng, scores = np.random.default_rng(7), []
    for _ in range(count):
        k, n = int(rng.integers(3, 60)), int(10 ** rng.uniform(4, 11))
        counts = spread(k, n, rng.uniform(0, 1.5))
        prior = np.full(k, 10 ** rng.uniform(-1, 1))
        mechanism = [dpbi.ehd, dpbi.ehdl, dpbi.ehds][rng.integers(3)](10 ** rng.uniform(-0.5, 1))
        found = dpbi.error_moments(mechanism, prior, counts)
        H = count_distances(prior, counts, mechanism.sample(prior, counts, rng, 1000))
        if found.standard_deviation.value > 1e-6 * found.mean.value:
            scores.append((H.mean() - found.mean.value) / found.standard_deviation.value * math.sqrt(len(H)))
    z = np.abs(scores)
    say(f"{len(z)} cells that vary: mean |z| {z.mean():.2f} (.80 expected), largest {z.max():.2f}\n")


def values():
    """Means with their bounds, times and memory."""
    for k, n in SIZES:
        for exponent in (0, 1):
            for mechanism in (dpbi.ehdl(0.8), dpbi.ehdl(4.0)):
                start = time.perf_counter()
                mean = dpbi.error_moments(mechanism, np.ones(k), spread(k, n, exponent)).mean
                seconds = time.perf_counter() - start
                memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
                kind = "Zipf" if exponent else "equal"
                say(
                    f"{k} {n:.0e} {kind} {mechanism.name} {mean.value:.12g} +- {mean.bound:.1e} "
                    f"{seconds:.2f} s {memory:.0f} MB\n"
                )


if __name__ == "__main__":
    asked, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0
    {"lists": lambda: against_lists(count), "draws": lambda: against_draws(count), "values": values}[asked]()
