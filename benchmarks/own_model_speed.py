"""A logistic model of one's own, 100,000 rows: steps per second against a NumPy loop of ten lines, in one run.

    python benchmarks/own_model_speed.py [FOLDER]

prints a table and, given a folder, records it there. The likelihood is plain NumPy, the same as in the loop; compiled
by numba, for a block of rows and for one row; and compiled by JAX where it is installed. All run on one core, taking
turns; the fastest of many repetitions counts, in seconds of the processor. For one chain both sides make the same
decisions from the same random numbers, which is checked. The limits are beside them: the arithmetic of a row, its
columns in the cache and nothing kept; and memory, reading the rows once for each step of a chain.
"""

import importlib.util
import os
import sys
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy is there: one core is one thread

import numpy as np
from numba import njit
from private_mcmc_speed import fastest, jax_version

from dpbi.mcmc import penalty, posterior_of, study
from dpbi.mcmc.compiled_rows import passes
from dpbi.mcmc.kernels import BLOCK
from dpbi.mcmc.softplus_kernel import softplus
from dpbi.results import record

ROWS, DIMENSION, CHAINS, STEPS = 100_000, 4, 20, 5
REPETITIONS = 6
TAU, CLIP, SCALE = 0.3, 2.0, 0.01
LOOP, BY_ROW = "NumPy loop of ten lines", "numba, by row"
ARITHMETIC, MEMORY = "arithmetic of the rows alone", "reading the rows from memory"


def log_likelihood(theta, rows):
    return -np.logaddexp(0, -rows @ theta)


def log_prior(theta):
    return -np.sum(theta**2) / 8


def chain(theta, rows, steps, rng):
    current = log_likelihood(theta, rows)
    for _ in range(steps):
        proposal = theta + SCALE * rng.standard_normal(len(theta))
        proposed = log_likelihood(proposal, rows)
        bound = CLIP * np.linalg.norm(proposal - theta)
        noise = TAU * np.sqrt(len(rows)) * 2 * bound
        ratio = np.clip(proposed - current, -bound, bound).sum() + noise * rng.standard_normal()
        ratio += log_prior(proposal) - log_prior(theta) - noise**2 / 2
        if np.log1p(-rng.random()) < ratio:
            theta, current = proposal, proposed
    return theta


@njit
def compiled(theta, rows):
    return -softplus(-rows @ theta)


def of_one_row(theta, row):
    u = 0.0
    for k in range(len(theta)):
        u -= theta[k] * row[k]
    return -softplus(u)


def by_jax():
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    return jax.jit(lambda theta, rows: -jnp.logaddexp(0, -rows @ theta))


def main() -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    rng = np.random.default_rng(1)
    x = rng.uniform(-1, 1, (ROWS, DIMENSION))
    rows = x * np.where(rng.random(ROWS) < 1 / (1 + np.exp(-x.sum(axis=1))), 1.0, -1.0)[:, None]
    algorithm, start = penalty(TAU, CLIP, SCALE), np.ones((CHAINS, DIMENSION))
    functions = {"NumPy, by blocks": log_likelihood, "numba, by blocks": compiled, BY_ROW: of_one_row}
    if importlib.util.find_spec("jax") is not None:
        functions["JAX, by blocks"] = by_jax()
    targets = {
        name: posterior_of(function, rows, log_prior, DIMENSION, by_row=name == BY_ROW)
        for name, function in functions.items()
    }

    def ours(name, chains):
        state, generator = algorithm.start(rng, start[:chains]), np.random.default_rng(7)
        for _ in range(STEPS):
            state, _ = algorithm.step(generator, state, targets[name])
        return state.theta

    for name, target in targets.items():
        same = study(np.random.default_rng(7), target, algorithm, start[:1], iterations=STEPS).samples[-1, 0]
        assert np.allclose(same, chain(start[0], rows, STEPS, np.random.default_rng(7)), atol=1e-12), name

    few = np.ascontiguousarray(rows[:BLOCK].T)
    values, found = passes(of_one_row, DIMENSION, DIMENSION).values, np.empty(BLOCK)
    evicting = np.ones(16_000_000)  # 128 MB, more than the caches hold
    timed = {LOOP: lambda: chain(start[0], rows, STEPS, np.random.default_rng(7))}
    done = {LOOP: STEPS}
    for name in targets:
        for chains in (1, CHAINS):
            label = f"dpbi, {name}, {chains} {'chain' if chains == 1 else 'chains'}"
            timed[label] = lambda name=name, chains=chains: ours(name, chains)
            done[label] = STEPS * chains
    timed[ARITHMETIC] = lambda: [values(few, start[0], found) for _ in range(STEPS * ROWS // BLOCK)]
    done[ARITHMETIC] = STEPS * ROWS // BLOCK * BLOCK / ROWS
    timed[MEMORY] = evicting.sum
    done[MEMORY] = evicting.nbytes / rows.nbytes
    best = fastest(timed, REPETITIONS, time.process_time)
    rates = {name: done[name] / seconds for name, seconds in best.items()}
    table = {
        "what": list(rates),
        "per second": [round(rate) for rate in rates.values()],
        "to the loop": [round(rate / rates[LOOP], 2) for rate in rates.values()],
    }
    for name, rate, ratio in zip(*table.values(), strict=True):
        sys.stdout.write(f"{name:32} {rate:>8} steps of a chain per second {ratio:>8} times the loop\n")
    sys.stdout.write(f"memory: {evicting.nbytes / best[MEMORY] / 1e9:.3g} GB per second\n")
    if len(sys.argv) > 1:
        record(
            "private_mcmc/own_model_speed",
            {
                "rows": ROWS,
                "dimension": DIMENSION,
                "chains": CHAINS,
                "steps": STEPS,
                "repetitions": REPETITIONS,
                "jax": jax_version(),
            },
            tables={"rates": table},
            outdir=sys.argv[1],
            command="python benchmarks/own_model_speed.py results",
        )


if __name__ == "__main__":
    main()
