r"""Exponential mechanisms release a candidate r with probability proportional to \(\exp(-\lambda H(x, r))\).

Here H is the Hellinger distance between the posteriors of x and r. The mechanisms differ in the rate \(\lambda\), which
may depend on the data.
"""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, final

import numpy as np

from ..arithmetic import log, log1p, log_sum_exp, maximum, minimum, scalar
from ..checks import Floats, Integers
from ..guarantees import BoundedRange
from ..model.datasets import lattice, lattice_size
from ..model.distances import count_distances, largest_step, lattice_distances
from ..model.sensitivities import (
    exponential_smooth_sensitivity,
    local_sensitivity,
    reciprocal_slope,
    reciprocal_smooth_sensitivity,
    smooth_reciprocal_jump,
)
from . import exponential_draws
from .base import Budgeted, Vectorised
from .law import Law, Line

# chosen: a table of this size is computed in a few milliseconds
LISTED_CANDIDATES = 20_000
"""Largest table of candidates, as rows times categories, from which draws are made; beyond it, rejection is used."""


class Exponential(Vectorised):
    r"""The exponential mechanism with a given rate, whose candidates r are all count vectors of n records.

    \[ \Pr[r] \propto e^{-\lambda(x) H(x, r)} \]

    A subclass defines the method ``_rate``, which returns a single number or one number for each dataset.

    >>> from dpbi import audit
    >>> class constant(Exponential):
    ...     def _rate(self, weights, x):
    ...         return 2.0
    >>> constant().rate([1, 1], [[0, 2], [1, 1]]), round(audit(constant(), [1, 1], 20).epsilon, 6)
    (array([2., 2.]), 0.832923)
    >>> constant().rate([1, 1], [[0, 1], [1, 1]])
    Traceback (most recent call last):
    ValueError: counts must be datasets with the same total, got the totals [1, 2]
    >>> class wrong(Exponential):
    ...     def _rate(self, weights, x):
    ...         return [1.0, 2.0, 3.0]
    >>> wrong().law([1, 1], [1, 1])
    Traceback (most recent call last):
    ValueError: _rate must return a finite number for each dataset, got array([1., 2., 3.])
    """

    @abstractmethod
    def _rate(self, weights: Floats, x: Integers) -> Any: ...

    @final
    def scores(self, weights: Floats, x: Integers) -> tuple[Integers, Floats]:
        r"""The candidates and their scores \(-\lambda(x) H(x, r)\), at one or more datasets, without validation."""
        candidates = lattice(int(x.sum(axis=-1).max()), len(weights))
        distances = (count_distances if x.ndim == 1 else lattice_distances)(weights, x, candidates)
        return candidates, -np.asarray(self.finite_rate(weights, x))[..., None] * distances

    @final
    def _at(self, weights: Floats, x: Integers) -> Law:
        candidates, scores = self.scores(weights, x)
        return Law.known(candidates, scores - log_sum_exp(scores, axis=-1, keepdims=True))

    def _sample(self, weights: Floats, x: Integers, rng: np.random.Generator, size: int) -> Integers:
        if lattice_size(int(x.sum()), len(x)) * len(x) <= LISTED_CANDIDATES:
            return self._law(weights, x).draw(rng, size)
        # at rates above 1e100, only the dataset itself has a positive probability in doubles
        return exponential_draws.draw(weights, x, min(self.finite_rate(weights, x), 1e100), rng, size)

    def _line(self, weights: Floats, x: Integers) -> Line:
        here = self.finite_rate(weights, x)
        return Line(weights, x, lambda _, H: -here * H)


@dataclass(frozen=True)
class OverSensitivity(Exponential, Budgeted):
    """An exponential mechanism whose rate is epsilon divided by ``_scale``, a multiple of a sensitivity."""

    @abstractmethod
    def _scale(self, weights: Floats, x: Integers) -> Any: ...

    def _rate(self, weights: Floats, x: Integers) -> Any:
        scale = np.asarray(self._scale(weights, x))
        # if there are no records, every sensitivity is 0 and the dataset is the only candidate, so any rate gives the
        # same distribution
        positive = scale != 0
        return np.where(positive, self.epsilon / np.where(positive, scale, 1), 0)


@final
@dataclass(frozen=True)
class ehd(OverSensitivity):
    r"""EHD: the exponential mechanism with rate \(\varepsilon / (2\,GS)\), where GS is the global sensitivity.

    By default GS is the exact global sensitivity for the given prior and n. Theorem 4.5 of the notes concerns EHD with
    the sensitivity that the notes state, \(G = \sqrt{1 - \pi/4}\).

    Attributes:
        epsilon: Privacy parameter, > 0.
        sensitivity: Number > 0 that replaces GS. Epsilon is then guaranteed only for a prior and n at which this number
            is at least GS.

    >>> round(ehd(0.8).rate([1, 1], [14, 6]), 6)
    1.158112
    """

    sensitivity: float | None = field(default=None, metadata={"above": 0})

    @property
    def promise(self) -> BoundedRange | None:
        return BoundedRange(self.epsilon) if self.sensitivity is None else None

    def _promise_at(self, weights: Floats, n: int) -> BoundedRange | None:
        # the constant in the notes equals GS at prior (1, 1, 1), but rounding may put it just below the computed GS
        good = self.sensitivity is None or self.sensitivity >= largest_step(tuple(weights.tolist()), n) * (1 - 1e-14)
        return BoundedRange(self.epsilon) if good else None

    def _scale(self, weights: Floats, x: Integers) -> Any:
        return 2 * (self.sensitivity or largest_step(tuple(weights.tolist()), int(x.sum(axis=-1).max())))


@final
@dataclass(frozen=True)
class ehdl(OverSensitivity):
    r"""EHDL: the exponential mechanism with rate \(\varepsilon / (2\,LS(x))\), where LS is the local sensitivity.

    The rate depends on the data. No guarantee is promised for every prior and n, because with three categories the
    privacy loss exceeds any given multiple of epsilon for some prior and n. With two categories the privacy loss is
    below \((\gamma_0 + 2/(1+\gamma_0))\,\varepsilon/2 = 1.3197\,\varepsilon\), where \(\gamma_0\) is the
    ``reciprocal_slope`` (claim ``hellinger/4.1.2``).

    >>> ehdl(1.0).promise, round(ehdl(1.0).promise_at([1, 1], 20).epsilon, 4)
    (None, 1.3197)
    """

    def _promise_at(self, weights: Floats, n: int) -> BoundedRange | None:
        step = reciprocal_slope()
        return BoundedRange((step + 2 / (1 + step)) * self.epsilon / 2) if len(weights) == 2 else None

    def _scale(self, weights: Floats, x: Integers) -> Any:
        return 2 * local_sensitivity(weights, x)


@final
@dataclass(frozen=True)
class ehds(OverSensitivity):
    r"""EHDS: the exponential mechanism with rate \(\varepsilon / (c\,S(x))\), for the reciprocal smooth sensitivity S.

    Since \(1/S\) changes by at most \(\gamma\) between neighbours, the privacy loss is at most
    \((2 + \gamma)\,\varepsilon / c\). For two categories, both \(1/LS\) and \(1/S\) change by less than the
    ``reciprocal_slope`` between neighbours.

    Attributes:
        epsilon: Privacy parameter, > 0.
        gamma: Largest change in 1/S when one record is replaced, > 0.
        divisor: The number c > 0, which is 4 in one version of the notes and 2 (1 + gamma) in the other.

    >>> ehds(1.0).promise_at([1, 1], 10)
    BoundedRange(epsilon=0.75)
    """

    gamma: float = field(default=1.0, metadata={"above": 0})
    divisor: float = field(default=4.0, metadata={"above": 0})

    @property
    def promise(self) -> BoundedRange:
        # the notes promise epsilon, so the promise for every prior and n is never a smaller epsilon
        return BoundedRange(maximum(self.epsilon, (2 + self.gamma) * self.epsilon / self.divisor))

    def _promise_at(self, weights: Floats, n: int) -> BoundedRange:
        slope = minimum(self.gamma, reciprocal_slope()) if len(weights) == 2 else self.gamma
        return BoundedRange((2 + slope) * self.epsilon / self.divisor)

    def _scale(self, weights: Floats, x: Integers) -> Any:
        return self.divisor * reciprocal_smooth_sensitivity(weights, x, self.gamma)


@final
@dataclass(frozen=True)
class smoothed_hellinger(OverSensitivity):
    r"""M_H: the exponential mechanism with rate \(\varepsilon / (c\,S(x))\) for the exponential smooth sensitivity S.

    The smoothness of S is \[ \beta = \ln\Bigl(1 - \frac{\varepsilon}{2 \ln(\delta / (2(n+1)))}\Bigr) , \]
    where n + 1 stands for the number of candidates. As in the paper, n + 1 is used for every number k of categories.
    The proof in the paper does not establish \((\varepsilon, \delta)\)-privacy, so no guarantee is promised for every
    prior and n. For one prior and n, the privacy loss is at most \(\varepsilon (2 + \kappa) / c\), where \(\kappa\) is
    the ``smooth_reciprocal_jump`` for that prior and n.

    Attributes:
        epsilon: Privacy parameter, > 0.
        delta: The number \(\delta\) in the formula for the smoothness, in (0, 1).
        divisor: The number c > 0, which is 2 in the Hellinger paper's definition and 1 in section 5 of that paper.

    >>> round(smoothed_hellinger(1.0, delta=1e-6).promise_at([1, 1], 10).epsilon, 6)
    1.045687
    """

    delta: float = field(metadata={"above": 0, "below": 1})
    divisor: float = field(default=2.0, metadata={"above": 0})

    arguments: ClassVar[Mapping[str, Any]] = {"delta": 1e-6}

    def _promise_at(self, weights: Floats, n: int) -> BoundedRange:
        kappa = smooth_reciprocal_jump(weights, n, printed_smoothness(self.epsilon, self.delta, n))
        return BoundedRange((2 + kappa) * self.epsilon / self.divisor)

    def _scale(self, weights: Floats, x: Integers) -> Any:
        beta = printed_smoothness(self.epsilon, self.delta, int(x.sum(axis=-1).max()))
        return self.divisor * exponential_smooth_sensitivity(weights, x, beta)


def printed_smoothness(epsilon: float, delta: float, n: int) -> float:
    r"""Smoothness of M_H in the paper, \(\beta = \ln(1 - \varepsilon / (2 \ln(\delta / (2(n+1)))))\).

    Args:
        epsilon: Privacy parameter, > 0.
        delta: The number \(\delta\), in (0, 1).
        n: Number of records.

    Returns:
        The smoothness, > 0.

    >>> round(printed_smoothness(1.0, 1e-6, 10), 6)
    0.029145
    """
    return scalar(log1p(-epsilon / (2 * log(delta / (2 * (n + 1))))))
