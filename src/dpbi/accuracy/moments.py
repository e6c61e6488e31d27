r"""Normaliser, mean and deviation of the error of an exponential mechanism, at any k and n, with proved bounds.

By ``mixture``, \(H^j e^{-\lambda H}\) is a sum over nodes of multiples of \(e^{-\theta D}\), and by ``products`` the
sum of \(e^{-\theta D}\) over all candidates needs no list:
\[ \sum_r H^j e^{-\lambda H} = [j = 0] + e^{-\lambda} (R - 1)
   + \sum_l w_l\, s_{lj}\, (M(\theta_l) - 1) + \text{error} . \]
The dataset itself, where D = 0, stands apart. \(\ln(M - 1)\) is convex and falls with \(\theta\), so that values at a
few nodes bound those at all others: where the bound is nothing, the node is left out, and the bound is kept.
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..checks import Floats, Integers
from ..model.distances import distance
from .mixture import mixture
from .products import Kinds, kinds_of, log_others

LEFT_OUT = 1e-18
"""Nodes that add less than this share to every sum are left out."""

FEW = 8
"""Up to so many nodes between two known ones are summed without looking at one of them first."""

ALONE = -100.0
"""All others are nothing when their weights add up to this power of e at most: that of the dataset itself is one."""

LEAST_RATE = 1e-6
"""Smaller rates are taken as this one."""


class Certified(NamedTuple):
    """A value, and a bound on how far it is from the truth.

    >>> Certified(0.25, 1e-12)
    Certified(value=0.25, bound=1e-12)
    """

    value: float
    bound: float


class ErrorMoments(NamedTuple):
    r"""Mean and standard deviation of the error, and \(\ln Z\) of an exponential mechanism.

    >>> ErrorMoments(Certified(0.25, 1e-12), Certified(0.1, 1e-11)).mean.bound
    1e-12
    """

    mean: Certified
    standard_deviation: Certified
    log_normaliser: Certified | None = None


class ExponentialMoments(NamedTuple):
    """The same where there is such a logarithm."""

    mean: Certified
    standard_deviation: Certified
    log_normaliser: Certified


def exponential_moments(prior: Floats, counts: Integers, rate: float) -> ExponentialMoments:
    r"""Those of \(\Pr[r] \propto e^{-\lambda H(x, r)}\), H being the distance of the posteriors; inputs unchecked."""
    return _moments(tuple(prior.tolist()), tuple(counts.tolist()), float(rate))


@lru_cache(maxsize=64)
def _moments(weights: tuple[float, ...], records: tuple[int, ...], rate: float) -> ExponentialMoments:
    prior, counts = np.array(weights), np.array(records, dtype=np.int64)
    kinds, k = kinds_of(prior, counts), len(prior)
    log_size = float(np.log1p(kinds.n / np.arange(1, k)).sum())
    if kinds.n == 0 or k == 1:
        nothing = Certified(0.0, 0.0)
        return ExponentialMoments(nothing, nothing, nothing)
    log_others_number = log_size + math.log(-math.expm1(-log_size))
    log_others_weight = log_others_number - rate * float(distance(kinds.least)) * (1 - 1e-12)
    if log_others_weight < ALONE:
        rest, root = Certified(0.0, math.exp(log_others_weight)), Certified(0.0, math.exp(log_others_weight / 2))
        return ExponentialMoments(rest, root, rest)
    used = max(rate, LEAST_RATE)
    sums, errors, top = _sums(kinds, used, log_others_number)
    total, first, second = sums
    mean = float(first / total)
    relative = float(errors[0] / total)
    mean_error = errors[1] / total + mean * relative
    square = second / total
    deviation = deviation_of(
        Certified(mean, float(mean_error)), Certified(float(square), float(errors[2] / total + square * relative))
    )
    # a rate that is so much too large changes the logarithm by so much, and the mean by a variance as often
    off = used - rate
    log_error = -math.log1p(-min(relative, 0.5)) + 4e-16 * (k + abs(top)) + off
    return ExponentialMoments(
        Certified(mean, float(mean_error) + off),
        Certified(deviation.value, deviation.bound + (math.sqrt(off) if off else 0.0)),
        Certified(top + math.log(total), log_error),
    )


def deviation_of(mean: Certified, square: Certified) -> Certified:
    r"""The standard deviation, from the means of H and of \(H^2\)."""
    value = math.sqrt(max(square.value - mean.value**2, 0.0))
    doubt = square.bound + (2 * mean.value + mean.bound) * mean.bound  # of the variance
    return Certified(value, min(math.sqrt(doubt), doubt / value if value > 0 else math.inf))


def _sums(kinds: Kinds, rate: float, log_others_number: float) -> tuple[Floats, Floats, float]:
    r"""The sums for j = 0, 1, 2, bounds on their errors, and the logarithm of what both are to be multiplied by."""
    form = mixture(rate, kinds.least * (1 - 1e-12))
    log_far = log_others_number - rate
    size = len(form.nodes)
    value, error = np.full(size, np.inf), np.zeros(size)
    known = np.zeros(size, dtype=bool)
    sizes = np.abs(form.factors[:, :3])
    while True:
        ceiling = _ceilings(form.nodes, value, known, log_others_number)
        shares = _shares(form.log_weights + ceiling, form.log_weights + value, known, sizes, log_far)
        places = _next((shares > LEFT_OUT) & ~known, known)
        if len(places) == 0:
            break
        for place in places:
            found = log_others(kinds, float(form.nodes[place]))
            # too small to be told from nothing: a bound
            value[place], error[place] = found.value, 1.0 if math.isinf(found.error) else found.error
            known[place] = True
    logs = form.log_weights + np.where(known, value, ceiling)
    top = max(0.0, log_far, float(logs[known].max(initial=-np.inf)))
    terms = np.exp(np.minimum(logs - top, 700))
    far, itself = math.exp(log_far - top), math.exp(-top)
    kept = terms[known]
    powers = far + kept @ form.factors[known]  # all but the dataset itself
    absolute = far + kept @ sizes[known]
    errors = (kept * error[known]) @ sizes[known] + terms[~known] @ sizes[~known] + 1e-15 * absolute
    # E (1 + X)^p over the others, X = rate H, from its moments
    moments = np.maximum(powers, 0) * rate ** np.arange(4) * 1.01
    binomials = np.array([[1, 1, 0, 0], [1, 2, 1, 0], [1, 3, 3, 1]])
    errors += form.errors * (binomials @ moments) / max(rate, 1.0) ** np.arange(3)
    sums = powers[:3] + np.array([itself, 0.0, 0.0])
    return sums, errors, top


def _next(
    wanted: "np.ndarray[tuple[int], np.dtype[np.bool_]]", known: "np.ndarray[tuple[int], np.dtype[np.bool_]]"
) -> Integers:
    """Which nodes to look at: between two known ones all that are wanted if they are few, else one amid them."""
    gap = np.cumsum(known)[wanted]  # the wanted nodes of one gap have one number
    places = np.flatnonzero(wanted)
    _, first, size = np.unique(gap, return_index=True, return_counts=True)
    amid = places[first + size // 2] if len(places) else places
    return np.union1d(amid, places[np.repeat(size <= FEW, size)])


def _ceilings(
    nodes: Floats, value: Floats, known: "np.ndarray[tuple[int], np.dtype[np.bool_]]", start: float
) -> Floats:
    r"""Upper bounds on \(\ln(M - 1)\) at all nodes: chords of a convex function that falls from ``start`` at 0."""
    if not known.any():
        return np.full(len(nodes), start)
    x, y = np.append(0.0, nodes[known]), np.append(start, value[known])
    ceilings: Floats = np.interp(nodes, x, y) + 1e-9 * (1 + abs(start))
    return ceilings


def _shares(
    ceiling: Floats, logs: Floats, known: "np.ndarray[tuple[int], np.dtype[np.bool_]]", sizes: Floats, log_far: float
) -> Floats:
    """At most this share of one of the sums, as far as they are known, comes from a node."""
    top = max(log_far, float(logs[known].max(initial=-np.inf)))
    if top == -math.inf:
        return np.full(len(ceiling), np.inf)
    sums = math.exp(log_far - top) + np.exp(logs[known] - top) @ sizes[known]
    shares: Floats = np.exp(np.minimum(ceiling - top, 300)) * (sizes / sums).max(axis=1)
    return shares
