r"""The published experiments as their program made them, from its seeds: rows, reference draws, starts and chains.

The program of the finished thesis (github.com/oraisa/masters-thesis) fixes all its seeds but one. Rows, reference draws
and starting points come from JAX, see ``threefry``. A chain draws from NumPy's legacy generator, which is frozen, with
the seed

\[ \bigl(256\text{-ary number of algorithm} \,\|\, \text{model} \,\|\, \varepsilon + i\bigr) \bmod 2^{32} \]

for chain i. ``Streams`` hands these numbers to the steps of this package in the order of the program, so that the
published chains are replayed, not repeated. Not fixed was the seed of the 500 pairs of points that give the kernel of
the discrepancy its width: a published error is known up to that.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, cast

import numpy as np

from ..checks import Floats
from ..guarantees import ApproxDP, largest_count
from . import threefry
from .algorithm import Algorithm
from .driver import affordable
from .experiments import EXPERIMENTS, REFERENCE, printed_barker_iterations
from .minibatch import minibatch_penalty
from .minibatch_guided import minibatch_guided_walk
from .models import Example, banana_variances

CHAINS = 20
"""Chains of each cell."""

MODELS: Mapping[str, str] = {
    "flat banana 2d": "easy-2d",
    "tempered banana 2d": "tempered-2d",
    "flat banana 10d": "easy-10d",
    "tempered banana 10d": "tempered-10d",
    "normal 30d": "gauss-30d",
    "narrow banana": "hard-2d",
    "correlated normal": "hard-gauss-2d",
    "circle": "circle",
}
"""What the program calls the models."""

SEEDED: Mapping[str, str] = {"penalty": "dpps", "guided walk": "dppa", "HMC": "hmc"}
"""What it calls the algorithms whose chains are replayed."""

BATCHES_GUIDED = "minibatch, guided walk"

FACTOR = 3
"""Of the variance of a batch in its sensitivity, as in print."""

BATCHES: Mapping[str, Mapping[str, Algorithm]] = {
    "flat banana 2d": {
        "minibatch": minibatch_penalty(0.7, 1000, 1.0, 0.001, FACTOR),
        BATCHES_GUIDED: minibatch_guided_walk(0.7, 1000, 1.0, 0.001, FACTOR),
    },
    "tempered banana 2d": {
        "minibatch": minibatch_penalty(1.5, 1000, 4.0, 0.025, FACTOR),
        BATCHES_GUIDED: minibatch_guided_walk(2.0, 1000, 4.0, 0.04, FACTOR),
    },
    "flat banana 10d": {
        "minibatch": minibatch_penalty(0.6, 1000, 3.0, 0.0001, FACTOR),
        BATCHES_GUIDED: minibatch_guided_walk(0.5, 1000, 2.0, 0.00032, FACTOR),
    },
    "tempered banana 10d": {
        "minibatch": minibatch_penalty(0.7, 1200, 2.0, 0.02, FACTOR),
        BATCHES_GUIDED: minibatch_guided_walk(0.8, 1200, 2.0, 0.028, FACTOR),
    },
}
"""Algorithms on batches with their noise as published, tuned parameters as published."""


class Given:
    """Stands for a generator where the next normal numbers are given."""

    def __init__(self, numbers: Floats) -> None:
        self.numbers = numbers

    def standard_normal(self, size: tuple[int, ...]) -> Floats:
        if size != self.numbers.shape:
            raise ValueError(f"size must be {self.numbers.shape}, got size={size}")
        return self.numbers


class Streams:
    """Stands for a generator in the steps of several chains, each with a legacy generator of its own.

    The chains are the axis before the last one, or the only one.
    """

    def __init__(self, seeds: Sequence[int]) -> None:
        self.chains = [np.random.RandomState(seed) for seed in seeds]

    def standard_normal(self, size: int | tuple[int, ...]) -> Floats:
        shape = (size,) if isinstance(size, int) else size
        if len(shape) == 1:
            return np.array([chain.standard_normal() for chain in self.chains])
        own = (*shape[:-2], shape[-1])
        return np.stack([chain.standard_normal(own) for chain in self.chains], axis=-2)

    def random(self, size: int) -> Floats:
        """One less the chain's number, for where the program has ln u this package has ln(1 - u)."""
        return np.array([1 - chain.random_sample() for chain in self.chains])

    def integers(self, high: int, size: int) -> Any:
        return np.array([chain.randint(high) for chain in self.chains])

    def choice(self, values: Sequence[float], size: tuple[int, ...]) -> Floats:
        return np.array([chain.choice(np.array(values), size[-1]) for chain in self.chains])


def seeds(name: str, algorithm: str, epsilon: float, chains: int = CHAINS) -> list[int]:
    """The seeds of the chains of a cell."""
    text = SEEDED[algorithm] + MODELS[name] + str(float(epsilon))
    first = int.from_bytes(text.encode("utf8"), "big")
    return [(first + chain) % 2**32 for chain in range(chains)]


def streams(name: str, algorithm: str, epsilon: float, chains: int = CHAINS) -> np.random.Generator:
    """The generators of a cell, for a step."""
    return cast(np.random.Generator, Streams(seeds(name, algorithm, epsilon, chains)))


def rows(name: str) -> Floats:
    """The rows of a published model."""
    n = EXPERIMENTS[name].rows
    if name == "circle":
        return threefry.normal(threefry.split(threefry.key(742983))[1], (n,)) + 3
    if name == "correlated normal":
        root = np.linalg.cholesky(np.array([[1, 0.999], [0.999, 1]]))
        return np.asarray(np.array([0.0, 3.0]) + threefry.normal(threefry.key(46283648), (n, 2)) @ root.T)
    variances = banana_variances(_dimension(name))
    found = _in_three(43247, n, len(variances)) * np.sqrt(variances)
    found[:, 1] += 3.0
    return found


@lru_cache(maxsize=8)
def original(name: str) -> tuple[Example, Floats, Floats]:
    """The model with its published rows, reference draws and starting points."""
    example = EXPERIMENTS[name].model(rows(name))
    d = len(example.truth)
    if name == "circle":
        reference, width = np.zeros((0, d)), 1.0
    else:
        normals = (
            threefry.normal(threefry.key(434927), (REFERENCE, d))
            if name == "correlated normal"
            else _in_three(56437, REFERENCE, d)
        )
        reference = example.draw(cast(np.random.Generator, Given(normals)), REFERENCE)
        width = float(reference.std(axis=0).mean())
    start = np.array([threefry.normal(threefry.key(4236482 + chain), (d,)) for chain in range(CHAINS)])
    return example, reference, example.truth + width * start


def algorithms(name: str) -> dict[str, Algorithm]:
    """The algorithms of a model with published parameters and published noise."""
    return {**EXPERIMENTS[name].algorithms, **BATCHES.get(name, {})}


def iterations(example: Example, algorithm: Algorithm, budget: ApproxDP) -> int:
    """As many as the published accountants allow."""
    n, settings = example.target.rows, algorithm.parameters
    if algorithm.name == "barker":
        return printed_barker_iterations(n, settings["batch"], budget)
    if "batch" in settings:
        return batch_iterations(settings["tau"], settings["batch"] / n, budget)
    return affordable(example.target, algorithm, budget)


def batch_iterations(tau: float, share: float, budget: ApproxDP, points: int = 2**17, reach: float = 20.0) -> int:
    r"""Steps on batches by the published accountant, for normal noise of variance \(\tau\) and the pair

    \[ P = q N(1, \tau) + (1 - q) N(0, \tau), \qquad Q = q N(-1, \tau) + (1 - q) N(0, \tau) , \]

    whose loss increases with y. Its law on a lattice of [-reach, reach) is composed by a Fourier transform: numbers in
    doubles, no bounds. ``minibatch.loss`` with ``losses_within`` is the certified account, which allows more.
    """
    width = 2 * reach / points
    loss = (np.arange(points) - points // 2) * width
    law = np.diff(_of_losses(np.append(loss - width / 2, loss[-1] + width / 2), tau, share), prepend=0.0)[1:]
    transform = np.fft.rfft(np.fft.ifftshift(law))

    beyond = loss > float(budget.epsilon)
    more = -np.expm1(float(budget.epsilon) - loss[beyond])

    def delta(count: int) -> float:
        composed = np.fft.fftshift(np.fft.irfft(transform**count, points))
        return float(composed[beyond] @ more)

    return largest_count(lambda count: delta(count) < float(budget.delta))


def _of_losses(level: Floats, tau: float, share: float) -> Floats:
    """The probability under P of a loss of at most the level."""
    from scipy.special import ndtr

    c, rest = share * np.exp(-1 / (2 * tau)), 1 - share
    half = rest * np.expm1(level) / 2  # c t^2 - 2 half t = c e^level for t = e^(y / tau)
    root = np.sqrt(half**2 + c**2 * np.exp(level))
    t = np.where(half > 0, (half + root) / c, c * np.exp(level) / np.maximum(root - half, 1e-300))
    y = tau * np.log(t)
    return np.asarray(share * ndtr((y - 1) / np.sqrt(tau)) + rest * ndtr(y / np.sqrt(tau)))


def _dimension(name: str) -> int:
    return {"flat banana 10d": 10, "tempered banana 10d": 10, "normal 30d": 30}.get(name, 2)


def _in_three(seed: int, size: int, d: int) -> Floats:
    """Normal numbers of the first component, the second and the rest, each from a key of its own."""
    keys = threefry.split(threefry.key(seed), 3)
    return np.hstack([threefry.normal(k, (size, width)) for k, width in zip(keys, (1, 1, d - 2), strict=True)])
