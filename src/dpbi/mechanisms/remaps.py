r"""Remaps: post-processing that replaces the output of a mechanism with counts whose expected error is smaller.

* ``remapped``: any mechanism followed by its best deterministic remap, computed from a table of all datasets and
  outputs.
* ``remapped_geometric``: the geometric mechanism for two categories followed by its best remap, computed without a
  table.
* ``remapped_lattice``: lattice noise followed by the best remap of its clipped noisy vector.

The best remap replaces an output z with the counts that have the least expected loss given z. A remap depends only on
the output and on the prior and n, which are public. So the guarantee of a mechanism also holds after a remap.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Floats, Integers
from ..guarantees import Guarantee
from ..model.datasets import lattice_size, row_number
from ..model.distances import lattice_distances, line_distances
from ..model.predictive import log_marginal, log_step, marginal
from .base import Budgeted, Mechanism, all_laws
from .lattice_noise import clipped_lattice, log_sums
from .law import Law
from .noisy_counts import geometric

# chosen: the table of distances between all pairs then has 64 million numbers and takes half a gigabyte
MAX_COUNTS = 8001
"""Largest number of counts whose pairwise distances ``geometric_remap`` computes in one table."""

# chosen: about the rounding error of an expected loss, a sum of doubles of order 1
TAIL = 1e-16
"""Probability that ``geometric_remap`` leaves out of the expected losses."""


class PostProcessed(Mechanism):
    """The mechanism ``before``, followed by a function of its output and of the public prior and n."""

    @property
    @abstractmethod
    def before(self) -> Mechanism:
        """The mechanism whose output is post-processed."""

    weights: Any = None
    """Weights of the datasets in the expected loss; None means the prior probabilities of the datasets."""

    def _remap(self, weights: Floats, n: int, outputs: Integers) -> Integers:
        """The counts that replace each output: the best remap, unless a subclass overrides this method."""
        targets = _best_targets(self.before, self.weights, tuple(weights.tolist()), n)
        return np.stack([targets[tuple(output)] for output in outputs.tolist()])

    @property
    def name(self) -> str:
        return f"{self.before.name}, remapped"

    @property
    def promise(self) -> Guarantee | None:
        return self.before.promise

    def _promise_at(self, weights: Floats, n: int) -> Guarantee | None:
        return self.before.promise_at(weights, n)

    def _law(self, weights: Floats, x: Integers) -> Law:
        return self._pushed(self.before.law(weights, x), weights, int(x.sum()))

    def _laws(self, weights: Floats, n: int) -> Law:
        return self._pushed(self.before.laws(weights, n), weights, n)

    def _sample(self, weights: Floats, x: Integers, rng: np.random.Generator, size: int) -> Integers:
        drawn, which = np.unique(self.before.sample(weights, x, rng, size), axis=0, return_inverse=True)
        return self._remap(weights, int(x.sum()), drawn)[which.ravel()]

    def _pushed(self, law: Law, weights: Floats, n: int) -> Law:
        """Pushforward of a distribution under the remap, which adds the probabilities of outputs with equal images."""
        targets = self._remap(weights, n, law.outputs)
        rows = row_number(targets)
        _, first = np.unique(rows, return_index=True)
        return Law.known(targets[first], log_sums(law.log_probabilities, rows))


@final
@dataclass(frozen=True)
class remapped(PostProcessed):
    r"""A mechanism followed by its best deterministic remap, computed from a table of all datasets and outputs.

    The output z becomes the count vector \[ s(z) \in \arg\min_s \sum_x w_x \Pr[z \mid x]\, H(x, s) , \] whose posterior
    is closest to the true posterior in expectation. A density that is not the posterior of any counts may be even
    closer. For two categories and the squared distance, ``dpbi.inference.root_mean`` computes the closest density.

    Attributes:
        mechanism: A mechanism, for example ``lshist(0.5)``.
        weights: Weights w of the datasets, in the order of ``count_vectors``; by default the prior probabilities of the
            datasets.

    >>> from dpbi import lshist, mean_error
    >>> mechanisms = lshist(0.5), remapped(lshist(0.5))
    >>> [round(mean_error(m, [1, 1], [14, 6]), 6) for m in mechanisms]
    [0.300254, 0.292077]
    """

    mechanism: Mechanism
    weights: ArrayLike | None = None

    def __post_init__(self) -> None:
        Mechanism.checked(self.mechanism)
        if self.weights is not None:  # as a tuple, because mechanisms are compared and hashed
            given = checks.numeric("weights", self.weights, "finite numbers >= 0, one per dataset and not all zero")
            normalised_weights(given, given.size)
            object.__setattr__(self, "weights", tuple(given.astype(np.float64).tolist()))

    @property
    def before(self) -> Mechanism:
        return self.mechanism


@final
@dataclass(frozen=True)
class remapped_geometric(PostProcessed, Budgeted):
    """The geometric mechanism for two categories, followed by the remap with the least mean Hellinger error.

    The mechanism equals ``remapped(geometric(epsilon))`` except for ties, but needs no table of all datasets and
    outputs. If datasets are weighted by their prior probabilities, no epsilon-differentially private mechanism that
    releases counts has a smaller mean error (claim ``beyond/3-least-mean-error``). A mechanism that releases densities
    other than posteriors of counts can have a smaller error.

    >>> from dpbi import mean_error
    >>> mechanisms = geometric(0.2), remapped_geometric(0.2)
    >>> [round(mean_error(m, [1, 1], [14, 6]), 6) for m in mechanisms]
    [0.533523, 0.453324]
    """

    @property
    def before(self) -> geometric:
        return geometric(self.epsilon)

    def _remap(self, weights: Floats, n: int, outputs: Integers) -> Integers:
        first = geometric_remap(weights, n, self.epsilon, outputs[:, 0])
        return np.stack([first, n - first], axis=-1)


@final
@dataclass(frozen=True)
class remapped_lattice(PostProcessed, Budgeted):
    """Lattice noise followed by the best remap of its clipped noisy vector.

    Clipping to 0..n loses no information, so the clipped vector contains more information than the legal counts that
    ``lattice_laplace`` releases. For two categories the mechanism equals ``remapped_geometric``. For more categories it
    is not proved to be optimal; the page *How far from the best?* compares its error with the least error of all
    private mechanisms that release counts.

    >>> from dpbi import lattice_laplace, mean_error
    >>> mechanisms = lattice_laplace(0.5), remapped_lattice(0.5)
    >>> [round(mean_error(m, [1, 1, 1], [3, 2, 1]), 6) for m in mechanisms]
    [0.573142, 0.352656]
    """

    name = "lattice_laplace, remapped"

    @property
    def before(self) -> clipped_lattice:
        return clipped_lattice(self.epsilon)


@lru_cache(maxsize=16)
def _best_targets(mechanism: Mechanism, w: Any, prior: tuple[float, ...], n: int) -> dict[tuple[int, ...], Integers]:
    """For each output of a mechanism, the counts with the least expected loss, as in ``remapped``; cached."""
    alpha = np.array(prior)
    vectors, law = all_laws(mechanism, alpha, n)
    with np.errstate(divide="ignore"):
        log_w = log_marginal(alpha, n) if w is None else np.log(dataset_weights(alpha, n, w))
    joint = log_w[:, None] + law.log_probabilities
    # each column is the posterior up to a factor; if an output is impossible at every dataset of positive weight, its
    # column is 0 and not nan
    posterior = np.exp(joint - np.maximum(joint.max(axis=0), -1e308))
    targets = vectors[(posterior.T @ lattice_distances(alpha, vectors)).argmin(axis=1)]
    return dict(zip(map(tuple, law.outputs.tolist()), targets, strict=True))


def dataset_weights(prior: Floats, n: int, weights: ArrayLike | None) -> Floats:
    """Normalised weights of the datasets, which are the prior probabilities unless weights are given.

    Args:
        prior: Dirichlet parameters, shape (k,).
        n: Number of records.
        weights: Nonnegative weights, or None for the prior probabilities.

    Returns:
        Normalised weights in the order of ``count_vectors``.
    """
    return marginal(prior, n) if weights is None else normalised_weights(weights, lattice_size(n, len(prior)))


def normalised_weights(weights: ArrayLike, size: int) -> Floats:
    """Checks the weights of the datasets and divides them by their sum.

    Args:
        weights: Nonnegative numbers, not all zero.
        size: Required number of weights.

    Returns:
        The weights, which add up to 1.
    """
    allowed = f"{size} finite numbers >= 0, one per dataset and not all zero"
    w = np.asarray(checks.numeric("weights", weights, allowed), dtype=np.float64)
    if w.shape != (size,) or not (w >= 0).all() or not 0 < w.sum() < np.inf:
        raise ValueError(f"weights must be {allowed}, got {checks.brief(weights)}")
    return np.asarray(w / w.sum())


def geometric_remap(prior: ArrayLike, n: int, epsilon: float, outputs: ArrayLike) -> Integers:
    r"""Best remap of the first of the two counts that the geometric mechanism releases.

    Let \(p_x\) be the posterior probability that the first count is x, given the released count z. Then \[ s(z) =
    \arg\min_s J(s), \qquad J(s) = \sum_x p_x H(x, s), \qquad p_x \propto \Pr[x]\, e^{-\varepsilon|x - z|}. \] The sum
    runs over an interval of counts that contains all but about ``TAIL`` of the probability. Candidates s outside the
    interval are left out, because the nearer end of the interval is better: H(x, s) grows with the distance of s from x
    on either side. If no candidate is better than z, the result is z.

    Args:
        prior: Dirichlet parameters, two positive finite numbers.
        n: Number of records, a nonnegative integer.
        epsilon: Privacy parameter of the mechanism, > 0.
        outputs: First released counts z, in 0..n.

    Returns:
        The first counts s(z), with the shape of ``outputs``.

    Raises:
        ValueError: If the interval contains more than ``MAX_COUNTS`` counts, which happens if epsilon is small and n is
            large.

    >>> geometric_remap([1, 1], 20, epsilon=0.2, outputs=[0, 5, 10, 20]).tolist()
    [2, 5, 10, 18]
    """
    alpha = checks.prior_weights(prior)
    checks.need(len(alpha) == 2, f"prior must have two categories for the remap of geometric noise, got {len(alpha)}")
    size, e = checks.record_count(n), checks.real("epsilon", epsilon, above=0)
    z = checks.count_vector(np.stack([np.asarray(outputs), size - np.asarray(outputs)], axis=-1), 2, name="outputs")
    distinct, which = np.unique(z[..., 0], return_inverse=True)
    # the interval ends where e^(-epsilon |x - z|) is TAIL, or farther away if prior weights below 1 make counts near 0
    # or n more likely
    width = min(size, math.ceil((-math.log(TAIL) + math.log1p(size) * np.maximum(1 - alpha, 0).sum()) / e) + 1)
    targets = np.empty(len(distinct), dtype=np.int64)
    first = 0
    while first < len(distinct):  # outputs whose intervals overlap share a table
        last = int(np.searchsorted(distinct, distinct[first] + 2 * width, side="right"))
        targets[first:last] = _nearby_remap(alpha, size, e, distinct[first:last], width)
        first = last
    return targets[which].reshape(z.shape[:-1])


def _nearby_remap(prior: Floats, n: int, epsilon: float, outputs: Integers, width: int) -> Integers:
    """Best remap of sorted, nearby outputs z; the candidates are the counts within ``width`` of at least one output."""
    low, high = max(int(outputs[0]) - width, 0), min(int(outputs[-1]) + width, n)
    allowed = f"larger for the best remap at n={n}, where it compares the counts within {width:,} of the noisy count"
    found = f"epsilon={epsilon:g}: given_noise computes the posterior without a remap"
    checks.need(high - low < MAX_COUNTS, f"epsilon must be {allowed}, got {found}")
    x = np.arange(low, high + 1)
    # log prior probabilities of the counts, up to a constant, from ratios of neighbouring probabilities
    log_w = np.concatenate([[0.0], np.cumsum(log_step(prior[0], x[:-1]) - log_step(prior[1], n - x[1:]))])
    log_p = log_w - epsilon * np.abs(x - outputs[:, None])
    p = np.exp(log_p - log_p.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    # if the prior is steeper than the noise, there is probability beyond the interval, whose width is then doubled
    if (low > 0 and p[:, 0].max() > 1e3 * TAIL) or (high < n and p[:, -1].max() > 1e3 * TAIL):
        return _nearby_remap(prior, n, epsilon, outputs, min(n, 2 * width))
    J = p @ line_distances(prior, n, x[:, None], x)
    least, itself, rows = J.argmin(axis=1), outputs - low, np.arange(len(outputs))
    better = J[rows, itself] * (1 - 1e-13) > J[rows, least]  # by more than rounding can explain
    return np.asarray(x[np.where(better, least, itself)])
