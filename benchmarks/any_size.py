"""Sums without a list, at random small cells against lists and at 50 large cells against draws; values and times.

python benchmarks/any_size.py lists 2000
python benchmarks/any_size.py draws 50
python benchmarks/any_size.py values
python benchmarks/any_size.py bounds
python benchmarks/any_size.py noise 600
python benchmarks/any_size.py empty
python benchmarks/any_size.py wide
python benchmarks/any_size.py ends
"""

import itertools
import math
import resource
import sys
import time

import numpy as np

import dpbi
from dpbi.accuracy.moments import exponential_moments
from dpbi.accuracy.noise_moments import noise_moments
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
            for mechanism in (dpbi.ehdl(4.0), dpbi.lshist(0.8), dpbi.lattice_laplace(0.8)):
                start = time.perf_counter()
                mean = dpbi.error_moments(mechanism, np.ones(k), spread(k, n, exponent)).mean
                seconds = time.perf_counter() - start
                memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
                kind = "Zipf" if exponent else "equal"
                say(
                    f"{k} {n:.0e} {kind} {mechanism.name} {mean.value:.12g} +- {mean.bound:.1e} "
                    f"{seconds:.2f} s {memory:.0f} MB\n"
                )


def bounds():
    """Widths of the bounds on the law."""
    for k, n in SIZES[:2]:
        for exponent in (0, 1):
            counts = spread(k, n, exponent)
            for mechanism in (dpbi.ehdl(0.8), dpbi.lshist(0.8), dpbi.geometric(0.8), dpbi.lattice_laplace(0.8)):
                mean, start = dpbi.mean_error(mechanism, np.ones(k), counts), time.perf_counter()
                found = [dpbi.error_bounds(mechanism, np.ones(k), counts, c * mean) for c in (0.7, 1.0, 1.5)]
                quantile = dpbi.quantile_bounds(mechanism, np.ones(k), counts, 0.05)
                width = max(upper - lower for lower, upper in found)
                say(
                    f"{k} {n:.0e} {exponent} {mechanism.name}: at most {width:.4f} wide, quantile "
                    f"{quantile.lower:.4g} to {quantile.upper:.4g}, {time.perf_counter() - start:.1f} s for all four\n"
                )


def noise_against_lists(count):
    """Noise on the counts at random small cells, many of them with empty categories, against lists."""
    rng, outside, worst = np.random.default_rng(20), 0, 0.0
    names = [name for name, entry in dpbi.MECHANISMS.items() if entry.at(1.0).noise is not None]
    for cell in range(count):
        k = int(rng.integers(3, 6))
        n = int(rng.integers(1, {3: 150, 4: 40, 5: 15}[k]))
        prior = 10 ** rng.uniform(-2, 3, k) if cell % 2 else np.full(k, 10 ** rng.uniform(-1, 1))
        counts = rng.multinomial(n, rng.dirichlet(np.full(k, 0.4)))
        mechanism = dpbi.MECHANISMS[names[cell % len(names)]].at(float(10 ** rng.uniform(-0.5, 1.3)))
        law = mechanism.law(prior, counts)
        H = count_distances(prior, counts, law.outputs)
        mean = math.fsum(law.probabilities * H)
        deviation = math.sqrt(math.fsum(law.probabilities * (H - mean) ** 2))
        found = noise_moments(prior, counts, mechanism.noise(prior, counts))
        off = abs(found.mean.value - mean) > found.mean.bound + 1e-15
        outside += off or abs(found.standard_deviation.value - deviation) > found.standard_deviation.bound + 1e-14
        worst = max(worst, found.mean.bound)
    say(f"{count} cells of {', '.join(names)}: {outside} outside their bounds, the widest {worst:.1e}\n")


def beside_draws(about, mechanism, prior, counts, rng):
    """The mean with its bound, the time it took, and how far the mean of draws is from it in standard errors."""
    start = time.perf_counter()
    try:
        mean, deviation, _ = dpbi.error_moments(mechanism, prior, counts)
    except ValueError:
        say(f"{about}: too wide, {time.perf_counter() - start:.1f} s\n")
        return
    seconds = time.perf_counter() - start
    H = count_distances(prior, counts, mechanism.sample(prior, counts, rng, 2000))
    z = (H.mean() - mean.value) / (deviation.value + deviation.bound) * math.sqrt(len(H))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    say(f"{about}: {mean.value:.12g} +- {mean.bound:.1e}, {seconds:.1f} s, z {z:.1f}, {memory:.0f} MB\n")


def empty():
    """Many categories without a record."""
    rng = np.random.default_rng(21)
    for k, zeros in ((3, 1), (10, 3), (10, 9), (20, 5), (100, 30), (300, 150), (1000, 900)):
        for name, epsilon in itertools.product(("lshist", "lattice_laplace"), (0.1, 0.3, 0.8, 8.0)):
            counts = rng.permutation(np.append(spread(k - zeros, 10**6, 0), np.zeros(zeros, dtype=np.int64)))
            about = f"{k} with {zeros} empty, {name} at {epsilon}"
            beside_draws(about, dpbi.MECHANISMS[name].at(epsilon), np.ones(k), counts, rng)


def wide():
    """Noise of any width on many different counts."""
    rng, names = np.random.default_rng(22), ("lshist", "lsdim", "staircase", "discrete_gaussian", "lattice_laplace")
    for k, epsilon, name in itertools.product((20, 100, 1000), (0.8, 0.1, 0.01, 0.001), names):
        about = f"{k} in Zipf's shares of 1e12, {name} at {epsilon}"
        beside_draws(about, dpbi.MECHANISMS[name].at(epsilon), np.ones(k), spread(k, 10**12, 1), rng)


def ends():
    """Noise of any width on counts near their ends, the last category empty."""
    rng, sizes = np.random.default_rng(23), (10**4, 10**6, 10**12)
    for k, n, epsilon, name in itertools.product(
        (3, 10, 100, 1000), sizes, (0.1, 0.01, 0.001), ("lshist", "geometric")
    ):
        about = f"{k} in Zipf's shares of {n:.0e}, the last empty, {name} at {epsilon}"
        beside_draws(about, dpbi.MECHANISMS[name].at(epsilon), np.ones(k), np.append(spread(k - 1, n, 1), 0), rng)


if __name__ == "__main__":
    asked, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0
    {
        "lists": lambda: against_lists(count),
        "draws": lambda: against_draws(count),
        "values": values,
        "bounds": bounds,
        "noise": lambda: noise_against_lists(count),
        "empty": empty,
        "wide": wide,
        "ends": ends,
    }[asked]()
