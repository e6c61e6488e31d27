r"""The output distribution of a mechanism, at one dataset or at all datasets of n records, and on two categories.

Distributions are computed from formulas rather than estimated from draws. In doubles, the probabilities are accurate to
about 1e-12; the tests compare them with values of 60 digits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .. import arithmetic, checks
from ..arithmetic import exp
from ..checks import Floats, Integers


@dataclass(frozen=True, eq=False)
class Law:
    """A distribution over released counts, for one dataset or for all datasets of n records.

    Attributes:
        outputs: Released counts, shape (R, k), with distinct rows.
        log_probabilities: Logarithms of the probabilities of the outputs, with shape (R,) for one dataset and (D, R)
            for all datasets in the order of ``count_vectors``. The probabilities at each dataset add up to 1, to within
            1e-9.

    >>> from dpbi import lshist
    >>> lshist(1.0).law([1, 1], [1, 1]).probabilities.round(4)
    array([0.5   , 0.3161, 0.1839])
    """

    outputs: Integers
    log_probabilities: Floats

    def __post_init__(self) -> None:
        if arithmetic.in_doubles():  # laws in ball arithmetic are created only by the library
            outputs = distinct_outputs(self.outputs)
            object.__setattr__(self, "outputs", outputs)
            object.__setattr__(self, "log_probabilities", _logarithms(self.log_probabilities, len(outputs)))

    @classmethod
    def known(cls, outputs: Integers, log_probabilities: Floats) -> Law:
        """A law that the library has computed, without validation; tests compare these laws with their definitions."""
        law = object.__new__(cls)
        vars(law).update(outputs=outputs, log_probabilities=log_probabilities)  # fields of a frozen value
        return law

    @property
    def probabilities(self) -> Floats:
        """Probabilities of the outputs, with the shape of ``log_probabilities``."""
        return np.asarray(exp(self.log_probabilities))

    def draw(self, rng: np.random.Generator, size: int = 1) -> Integers:
        """Random draws from the distribution at one dataset, which are for study and not for release.

        Args:
            rng: Random number generator.
            size: Number of draws.

        Returns:
            Released counts, shape (size, k).

        Raises:
            ValueError: If the law contains the distributions at all datasets.

        >>> from dpbi import all_laws, lshist
        >>> all_laws(lshist(1.0), [1, 1], 2)[1].draw(np.random.default_rng(1), 5)
        Traceback (most recent call last):
        ValueError: log_probabilities must be those of one dataset, got shape (3, 3)
        """
        shape = self.log_probabilities.shape
        checks.need(len(shape) == 1, f"log_probabilities must be those of one dataset, got shape {shape}")
        generator, draws = checks.generator(rng), checks.whole("size", size, least=0)
        cumulative = np.cumsum(self.probabilities)
        # scaled by the last sum, because the probabilities add up to 1 only up to rounding
        rows = np.searchsorted(cumulative, generator.random(draws) * cumulative[-1], side="right")
        return np.asarray(self.outputs[np.minimum(rows, len(cumulative) - 1)])

    def __repr__(self) -> str:
        shape = self.log_probabilities.shape
        datasets = f"{shape[0]} datasets, " if len(shape) > 1 else ""
        return f"Law({datasets}{shape[-1]} outputs in {self.outputs.shape[1]} categories)"


def distinct_outputs(value: Any) -> Integers:
    """Checks that outputs are distinct rows of counts; an int64 array is returned as it is, so laws can share it."""
    allowed = "distinct rows of k >= 2 whole numbers >= 0"
    rows = checks.count_vector(value, None, name="outputs")
    checks.need(rows.ndim == 2 and len(rows), f"outputs must be {allowed}, got shape {rows.shape}")
    different, times = np.unique(rows, axis=0, return_counts=True)
    if len(different) < len(rows):
        raise ValueError(f"outputs must be {allowed}, got {different[times > 1][0].tolist()} {times.max()} times")
    return value if isinstance(value, np.ndarray) and value.dtype == np.int64 else rows


def _logarithms(value: Any, outputs: int) -> Floats:
    """Checks log probabilities that have one entry for each output on the last axis.

    Args:
        value: Logarithms of the probabilities, shape (outputs,) or (datasets, outputs).
        outputs: Number of outputs.

    Returns:
        The log probabilities as an array of doubles.
    """
    name, allowed = "log_probabilities", f"logarithms of probabilities, {outputs} in number, with the sum 1"
    array = checks.checked_array(name, value, allowed, outputs, lambda a: a <= checks.SUM_TOLERANCE)
    array = array.astype(np.float64, copy=False)
    checks.need(array.ndim <= 2, f"{name} must be {allowed}, got shape {array.shape}")
    sums = np.exp(array).sum(axis=-1)
    if not (np.abs(sums - 1) <= checks.SUM_TOLERANCE).all():
        raise ValueError(f"{name} must be {allowed}, got the sum {sums.flat[np.abs(sums - 1).argmax()]:.10g}")
    return array


@checks.readable
class Line(NamedTuple):
    r"""The distribution of the change \(d = r_1 - x_1\) in the first of two counts, \(-x_1 \le d \le x_2\).

    \[ \Pr[d] \propto e^{w(d, H(d))} . \]
    The two weights ``ends`` are added at the lowest and at the highest change. The function w must be smooth on d < 0
    and on d >= 0, but may jump between -1 and 0.

    Attributes:
        prior: Dirichlet parameters, shape (2,).
        counts: Dataset, shape (2,).
        log_weight: The function w of the change d and the Hellinger distance H.
        ends: The weights that are added at the lowest and at the highest change.

    >>> import math
    >>> from dpbi import geometric
    >>> line = geometric(0.8).line([1, 1], [14, 6])
    >>> round(math.exp(line.log_weight(1, 0.0)), 6)  # one record up
    0.170722
    """

    prior: Floats
    counts: Integers
    log_weight: Callable[[Floats | Integers, Floats], Floats]
    ends: tuple[float, float] = (0.0, 0.0)


Witness = tuple[Integers, Integers, Integers]
"""A dataset, a neighbour at which an output is less likely, and the output; their privacy loss equals a bound."""


def witness(n: int, k: int, second_count: int = 0, output: tuple[int, int] = (1, 0)) -> Witness:
    """A witness in which the only record in the first category moves to the second category.

    All records outside these two categories are in the last category.

    Args:
        n: Number of records.
        k: Number of categories.
        second_count: Number of records in the second category before the move.
        output: The released counts of the first two categories.

    Returns:
        The two datasets and the output, with the last category completed so that each total is n.
    """
    rows = np.zeros((3, k), dtype=np.int64)
    rows[:, :2] = (1, second_count), (0, second_count + 1), output
    rows[:, -1] += n - rows.sum(axis=1)
    return rows[0], rows[1], rows[2]
