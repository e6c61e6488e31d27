"""Penalty iterations per second on the flat banana, against the same algorithm in plain NumPy, one chain at a time.

    python benchmarks/private_mcmc_speed.py [FOLDER]

prints a table and, given a folder, records it there. All variants run in one process on one core, taking turns, and
the fastest of many repetitions counts. Both sides make the same decisions from the same random numbers, which is
checked. JAX is timed beside them where it is installed. The limit to compare with is reading the rows from memory once
for each proposal; chains that run together share a reading.
"""

import importlib.util
import os
import sys
import time
from collections.abc import Callable
from importlib.metadata import version

import numpy as np

from dpbi.mcmc import State, penalty
from dpbi.mcmc.models import simulated_banana
from dpbi.results import record

ROWS, CHAINS, STEPS, REPETITIONS = 100_000, 20, 4, 60
TAU, CLIP, SCALE, BEND = 0.1, 2.0, 0.008, 20.0
NUMPY, MEMORY = "NumPy, one chain at a time", "reading the rows from memory"
VARIANCES, PRIOR = np.array([20.0, 2.5]), 1000.0


def log_likelihood(theta, rows):
    """The banana's log likelihood of every row, up to a constant; ``rows`` has a contiguous line for each entry."""
    first, second = rows[0] - theta[0], rows[1] - (theta[1] + BEND * theta[0] ** 2)
    return -(first * first) / (2 * VARIANCES[0]) - (second * second) / (2 * VARIANCES[1])


def log_prior(theta):
    return -(theta[0] ** 2 + (theta[1] + BEND * theta[0] ** 2) ** 2) / (2 * PRIOR)


def numpy_chain(theta, rows, steps, normals, uniforms):
    """The penalty algorithm for one chain; the log likelihood of the current point is kept, not computed again."""
    current = log_likelihood(theta, rows)
    for step in range(steps):
        proposal = theta + SCALE * normals[step, :2]
        proposed = log_likelihood(proposal, rows)
        bound = CLIP * np.linalg.norm(proposal - theta)
        total = np.clip(proposed - current, -bound, bound).sum()
        noise = TAU * np.sqrt(rows.shape[1]) * 2 * bound
        ratio = total + noise * normals[step, 2] + log_prior(proposal) - log_prior(theta) - noise**2 / 2
        if np.log1p(-uniforms[step]) < ratio:
            theta, current = proposal, proposed
    return theta


class Replayed:
    """A generator that replays the numbers drawn for the chains in NumPy, in the order in which a step asks."""

    def __init__(self, normals, uniforms):
        self.normals, self.uniforms, self.step, self.proposing = normals, uniforms, 0, True

    def standard_normal(self, shape):
        drawn = self.normals[:, self.step, :2] if self.proposing else self.normals[:, self.step, 2]
        self.proposing = not self.proposing
        return drawn.reshape(shape)

    def random(self, size):
        self.step += 1
        return self.uniforms[:, self.step - 1].reshape(size)


def jax_steps(rows) -> Callable[[], None] | None:
    """The clipped sums of as many proposals by JAX, compiled and vectorised over chains; None where it is missing."""
    if importlib.util.find_spec("jax") is None:
        return None
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    x, y = jnp.asarray(rows[:, 0]), jnp.asarray(rows[:, 1])

    def ratio(theta, proposal):
        def each(point):
            first, second = x - point[0], y - (point[1] + BEND * point[0] ** 2)
            return -(first * first) / (2 * VARIANCES[0]) - (second * second) / (2 * VARIANCES[1])

        bound = CLIP * jnp.linalg.norm(proposal - theta)
        return jnp.clip(each(proposal) - each(theta), -bound, bound).sum()

    compiled = jax.jit(jax.vmap(ratio))
    here = jnp.tile(jnp.array([0.0, 3.0]), (CHAINS, 1))
    there = here + SCALE
    compiled(here, there).block_until_ready()

    def run() -> None:
        for _ in range(STEPS):
            compiled(here, there).block_until_ready()

    return run


def jax_version() -> str:
    return version("jax") if importlib.util.find_spec("jax") else ""


def fastest(
    functions: dict[str, Callable[[], object]],
    repetitions: int = REPETITIONS,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, float]:
    """Seconds of the fastest repetition of each, the functions taking turns."""
    best = dict.fromkeys(functions, np.inf)
    for _ in range(repetitions):
        for name, function in functions.items():
            start = clock()
            function()
            best[name] = min(best[name], clock() - start)
    return best


def main() -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    rng = np.random.default_rng(1)
    example = simulated_banana(ROWS, 2, BEND, rng)
    rows, algorithm = example.target.likelihood.features, penalty(TAU, CLIP, SCALE)
    lines = np.ascontiguousarray(rows.T)
    start = example.draw(rng, CHAINS)
    normals, uniforms = rng.standard_normal((CHAINS, STEPS, 3)), rng.random((CHAINS, STEPS))

    def ours(chains):
        replayed, state = Replayed(normals[:chains], uniforms[:chains]), State(start[:chains])
        for _ in range(STEPS):
            state, _ = algorithm.step(replayed, state, example.target)
        return state.theta

    def numpy(chains):
        return np.array([numpy_chain(start[c], lines, STEPS, normals[c], uniforms[c]) for c in range(chains)])

    assert np.allclose(ours(CHAINS), numpy(CHAINS), atol=1e-12), "the two must make the same decisions"

    evicting = np.ones(16_000_000)  # 128 MB, more than the caches hold
    functions = {
        NUMPY: lambda: numpy(2),
        "dpbi, one chain": lambda: ours(1),
        f"dpbi, {CHAINS} chains": lambda: ours(CHAINS),
        MEMORY: lambda: evicting.sum(),
        "reading the rows from cache": lambda: [lines.sum() for _ in range(STEPS)],
    }
    if (jax := jax_steps(rows)) is not None:
        functions[f"JAX, clipped sums of {CHAINS} chains"] = jax
    best = fastest(functions)
    done = dict.fromkeys(functions, STEPS * CHAINS) | {
        NUMPY: 2 * STEPS,
        "dpbi, one chain": STEPS,
        "reading the rows from cache": STEPS,
        MEMORY: evicting.nbytes / lines.nbytes,
    }
    rates = {name: done[name] / seconds for name, seconds in best.items()}
    table = {
        "what": list(rates),
        "per second": [round(rate) for rate in rates.values()],
        "to NumPy": [round(rate / rates[NUMPY], 2) for rate in rates.values()],
        "to reading once": [round(rate / rates[MEMORY], 2) for rate in rates.values()],
    }
    for name, rate, to_numpy, to_memory in zip(*table.values(), strict=True):
        sys.stdout.write(
            f"{name:36} {rate:>9} per second {to_numpy:>8} times NumPy {to_memory:>8} times reading once\n"
        )
    if len(sys.argv) > 1:
        record(
            "private_mcmc/speed",
            {"rows": ROWS, "chains": CHAINS, "steps": STEPS, "repetitions": REPETITIONS, "jax": jax_version()},
            tables={"rates": table},
            outdir=sys.argv[1],
            command="python benchmarks/private_mcmc_speed.py results",
        )


if __name__ == "__main__":
    main()
