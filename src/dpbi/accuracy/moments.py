r"""Normaliser and moments of the error of an exponential mechanism, for any k and n, with proved error bounds.

The module ``mixture`` writes \(H^j e^{-\lambda H}\) as a sum over nodes of multiples of \(e^{-\theta D}\). The module
``products`` computes the sum \(M(\theta)\) of \(e^{-\theta D}\) over all R candidates without a list:
\[ \sum_r H^j e^{-\lambda H} = [j = 0] + e^{-\lambda} (R - 1)
   + \sum_l w_l\, s_{lj}\, (M(\theta_l) - 1) + \text{error} . \]
The dataset itself, where D = 0, is treated separately. Because \(\ln(M - 1)\) is convex and decreases with
\(\theta\), its values at a few nodes bound its values at all other nodes. If the bound at a node is negligible, the
node is left out, and the bound is added to the error.
"""

import math
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from ..checks import Floats, Integers
from ..model.distances import distance
from .mixture import mixture
from .products import Kinds, kinds_of, log_others

# Nodes that add less than this share to every sum are left out, and their bound is added to the error. Chosen: far
# below rounding.
MIN_NODE_SHARE = 1e-18

# If at most this many nodes remain to be evaluated in a gap between evaluated nodes, all of them are evaluated. A
# longer gap is halved first.
MAX_GAP_NODES = 8

# If the log weight of all candidates but the dataset itself is below this, the moments of the error are returned as 0
# with error bounds of at most about e^-50.
NEGLIGIBLE_LOG_WEIGHT = -100.0

# Squares below 1e-308 underflow, so a standard deviation may be off by up to this amount, which is added to every
# bound.
UNDERFLOW = 1e-150


class Certified(NamedTuple):
    """A computed value and a proved bound on its numerical error.

    Attributes:
        value: The computed value.
        bound: Upper bound on the absolute difference from the true value.

    >>> Certified(0.25, 1e-12)
    Certified(value=0.25, bound=1e-12)
    """

    value: float
    bound: float


class ErrorMoments(NamedTuple):
    r"""Moments of the Hellinger error at one dataset.

    Attributes:
        mean: The expected error.
        standard_deviation: The standard deviation of the error.
        log_normaliser: Logarithm \(\ln Z\) of the normaliser of an exponential mechanism, None for other mechanisms.

    >>> ErrorMoments(Certified(0.25, 1e-12), Certified(0.1, 1e-11)).mean.bound
    1e-12
    """

    mean: Certified
    standard_deviation: Certified
    log_normaliser: Certified | None = None


def exponential_moments(prior: Floats, counts: Integers, rate: float) -> ErrorMoments:
    r"""Moments of the Hellinger error for \(\Pr[r] \propto e^{-\lambda H(x, r)}\); arguments are not checked.

    Args:
        prior: Dirichlet parameters, shape (k,).
        counts: Dataset, shape (k,).
        rate: The rate \(\lambda\).

    Returns:
        Mean, standard deviation and log normaliser, each with an error bound.
    """
    kinds, k = kinds_of(prior, counts), len(prior)
    log_size = float(np.log1p(kinds.n / np.arange(1, k)).sum())
    if kinds.n == 0:
        return ErrorMoments(*[Certified(0.0, 0.0)] * 3)
    log_others_number = log_size + math.log(-math.expm1(-log_size))
    log_others_weight = log_others_number - rate * float(distance(kinds.least)) * (1 - 1e-12)
    if log_others_weight < NEGLIGIBLE_LOG_WEIGHT:
        rest, root = (Certified(0.0, math.exp(log_others_weight / power) + UNDERFLOW) for power in (1, 2))
        return ErrorMoments(rest, root, rest)
    sums, errors, top = _sums(kinds, rate, log_others_number)
    relative, *off = (errors / sums[0]).tolist()
    mean, square = (Certified(e, o + e * relative) for e, o in zip((sums[1:] / sums[0]).tolist(), off, strict=True))
    log_error = -math.log1p(-min(relative, 0.5)) + 4e-16 * (k + abs(top))
    return ErrorMoments(mean, deviation_of(mean, square), Certified(top + math.log(sums[0]), log_error))


def deviation_of(mean: Certified, square: Certified) -> Certified:
    r"""The standard deviation of the error, from \(E[H]\) and \(E[H^2]\).

    Args:
        mean: \(E[H]\) with an error bound.
        square: \(E[H^2]\) with an error bound.

    Returns:
        The standard deviation with an error bound.
    """
    value = math.sqrt(max(square.value - mean.value**2, 0.0))
    variance_bound = square.bound + (2 * mean.value + mean.bound) * mean.bound
    return Certified(value, min(math.sqrt(variance_bound), variance_bound / value if value > 0 else math.inf))


def _sums(kinds: Kinds, rate: float, log_others_number: float) -> tuple[Floats, Floats, float]:
    r"""Sums for j = 0, 1, 2, their error bounds, and the logarithm of the scale by which all of them are divided."""
    form = mixture(rate, kinds.least * (1 - 1e-12))
    log_far = log_others_number - rate
    size = len(form.nodes)
    value, error = np.full(size, np.inf), np.zeros(size)
    sizes = np.abs(form.factors[:, :3])
    while True:
        known = np.isfinite(value)
        ceiling = _ceilings(form.nodes, value, known, log_others_number)
        shares = _shares(form.log_weights + ceiling, form.log_weights + value, known, sizes, log_far)
        places = _next((shares > MIN_NODE_SHARE) & ~known, known)
        if len(places) == 0:
            break
        for place in places:
            found = log_others(kinds, float(form.nodes[place]))
            # an infinite error means that the sum is lost in rounding, and its value is only an upper bound
            value[place], error[place] = found.value, 1.0 if math.isinf(found.error) else found.error
    logs = form.log_weights + np.where(known, value, ceiling)
    top = max(0.0, log_far, float(logs[known].max(initial=-np.inf)))
    terms = np.exp(np.minimum(logs - top, 700))
    far, itself = math.exp(log_far - top), math.exp(-top)
    kept = terms[known]
    powers = far + kept @ form.factors[known]  # sums over all candidates but the dataset itself
    absolute = far + kept @ sizes[known]
    errors = (kept * error[known]) @ sizes[known] + terms[~known] @ sizes[~known] + 1e-15 * absolute
    # E (1 + X)^p over the other candidates, with X = rate H, from the moments of X
    moments = np.maximum(powers, 0) * rate ** np.arange(4) * 1.01
    binomials = np.array([[1, 1, 0, 0], [1, 2, 1, 0], [1, 3, 3, 1]])
    errors += form.errors * (binomials @ moments) / max(rate, 1.0) ** np.arange(3)
    return powers[:3] + np.array([itself, 0.0, 0.0]), errors, top


def _next(wanted: NDArray[np.bool_], known: NDArray[np.bool_]) -> Integers:
    """Nodes to evaluate next: all wanted nodes in short gaps between known nodes, and the middle ones of long gaps."""
    gap = np.cumsum(known)[wanted]  # number of known nodes before each wanted node, which identifies its gap
    places = np.flatnonzero(wanted)
    _, first, size = np.unique(gap, return_index=True, return_counts=True)
    middle = places[first + size // 2] if len(places) else places
    return np.union1d(middle, places[np.repeat(size <= MAX_GAP_NODES, size)])


def _ceilings(nodes: Floats, value: Floats, known: NDArray[np.bool_], start: float) -> Floats:
    r"""Upper bounds on \(\ln(M - 1)\) at all nodes, from chords of a convex function that decreases after ``start``."""
    x, y = np.append(0.0, nodes[known]), np.append(start, value[known])
    return np.asarray(np.interp(nodes, x, y) + 1e-9 * (1 + abs(start)))


def _shares(ceiling: Floats, logs: Floats, known: NDArray[np.bool_], sizes: Floats, log_far: float) -> Floats:
    """Upper bounds on the share of each node in any of the sums, relative to the known parts of the sums."""
    top = max(log_far, float(logs[known].max(initial=-np.inf)))
    sums = math.exp(log_far - top) + np.exp(logs[known] - top) @ sizes[known]
    return cast(Floats, np.exp(np.minimum(ceiling - top, 300)) * (sizes / sums).max(axis=1))
