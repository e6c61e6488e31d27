r"""The release mechanisms of the sources: each a short function that fills a ``Mechanism``.

A mechanism releases counts; with the public prior they are a posterior. Two families:

* noise on the counts, rounded down and kept within 0..n, the last count completed from the others;
* the exponential mechanism, which draws a candidate r with probability proportional to
  \(\exp(-\lambda H(x, r))\), H the Hellinger distance between posteriors; the variants differ in the rate \(\lambda\).

The prior and n are public; neighbours differ in one replaced record. Laws are exact. Draws are made with floating
point from a pseudo-random generator: they are for study, not for release.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from .. import checks
from ..checks import Floats, Integers
from ..guarantees import ApproxDP, PureDP
from ..model.datasets import count_vectors, lattice_size, within_enumeration
from ..model.distances import count_distances, lattice_distances
from ..model.sensitivities import (
    RECIPROCAL_SLOPE,
    exponential_smooth_sensitivity,
    global_sensitivity,
    local_sensitivity,
    reciprocal_jump,
    reciprocal_smooth_sensitivity,
)
from . import samplers
from .line import Line, exponential

Guarantee = PureDP | ApproxDP

LISTED_CANDIDATES = 20_000
"""Up to this many numbers an exponential mechanism lists its candidates to draw one; beyond, it need not."""


@dataclass(frozen=True, eq=False)
class Law:
    """A distribution over released counts: one row of ``outputs`` per atom, all rows distinct.

    ``log_probabilities`` has the shape (R,) for one dataset, and (D, R) for all datasets at once.
    """

    outputs: Integers  # (R, k)
    log_probabilities: Floats  # (R,) or (D, R); rows are log-distributions

    @property
    def probabilities(self) -> Floats:
        return np.exp(self.log_probabilities)


class LawOf(Protocol):
    """The exact output law at one dataset."""

    def __call__(self, prior: ArrayLike, counts: ArrayLike) -> Law: ...


class Draw(Protocol):
    """Draws from that law, shape (size, k)."""

    def __call__(self, prior: ArrayLike, counts: ArrayLike, rng: np.random.Generator, size: int = 1) -> Integers: ...


class GuaranteeAt(Protocol):
    """What is proved at a prior and a number of records."""

    def __call__(self, prior: ArrayLike, n: int) -> Guarantee | None: ...


class LawsOf(Protocol):
    """The laws of all datasets of n records on one list of outputs."""

    def __call__(self, prior: ArrayLike, n: int) -> Law: ...


class RateOf(Protocol):
    """The rate of an exponential mechanism at one dataset."""

    def __call__(self, prior: ArrayLike, counts: ArrayLike) -> float: ...


class LineOf(Protocol):
    """The law of the moves at one dataset of two categories."""

    def __call__(self, prior: ArrayLike, counts: ArrayLike) -> Line: ...


@dataclass(frozen=True, eq=False)
class Mechanism:
    r"""A release mechanism as a value.

    ``promise`` is what is proved for every prior and n, ``guarantee(prior, n)`` what is proved there (None: nothing);
    what it really leaks is for ``audit`` to say. ``law(prior, counts)`` is its exact output law at a dataset and
    ``sample(prior, counts, rng, size)`` draws from it, shape (size, k). ``laws(prior, n)``, if given, is the law of
    every dataset in the order of ``count_vectors``, for speed. ``rate(prior, counts)``, if given, is the number
    \(\lambda\) of a law \(\Pr[r] \propto \exp(-\lambda H(x, r))\): with it no list of outputs is needed.
    ``line(prior, counts)``, if given, is the law of the moves when there are two categories: with it errors are summed
    at any number of records.
    """

    name: str
    promise: Guarantee | None
    law: LawOf
    sample: Draw
    guarantee: GuaranteeAt
    laws: LawsOf | None = None
    rate: RateOf | None = None
    line: LineOf | None = None


def a_mechanism(value: object) -> Mechanism:
    """Checks that an argument is a mechanism, and not the function that makes one."""
    if not isinstance(value, Mechanism):
        raise TypeError(f"mechanism must be a Mechanism, lshist(0.8) for instance, got mechanism={value!r}")
    return value


def lszhang(epsilon: float) -> Mechanism:
    r"""LSZhang: floored Laplace noise of scale \(2k/\varepsilon\) on all counts but the last.

    As printed it leaves the last parameter at zero, which is no Dirichlet. It is completed here as LSDim completes
    its own: \(n\) minus the others, kept within 0..n. That is post-processing and costs no privacy.
    """
    return _noisy_counts("lszhang", epsilon, lambda k: 2.0 * k, _floored_laplace)


def lsdim(epsilon: float) -> Mechanism:
    r"""LSDim: floored Laplace noise of scale \(k/\varepsilon\) on all counts but the last, which completes them."""
    return _noisy_counts("lsdim", epsilon, float, _floored_laplace)


def lshist(epsilon: float) -> Mechanism:
    r"""LSHist: floored Laplace noise of scale \(1/\varepsilon\), \(2/\varepsilon\) if k > 2; last count completed."""
    return _noisy_counts("lshist", epsilon, _count_sensitivity, _floored_laplace)


def geometric(epsilon: float) -> Mechanism:
    r"""Two-sided geometric noise, \(\Pr[z] \propto e^{-\varepsilon |z| / s}\), in place of LSHist's floored Laplace."""
    return _noisy_counts("geometric", epsilon, _count_sensitivity, _two_sided_geometric)


def laplace_in_order(epsilon: float, sensitivity: float = 2.0) -> Mechanism:
    r"""Floored Laplace noise of scale \(s/\varepsilon\), the counts filled in order so that the total stays n.

    Each noisy count is kept within 0 and what the earlier ones have left; the last takes the rest. The noise sees
    all counts but the last, which one replaced record changes by at most 1 in sum for k = 2 and by 2 otherwise.
    """
    e = checks.real("epsilon", epsilon, above=0)
    s = checks.real("sensitivity", sensitivity, above=0)
    noise = _floored_laplace(e / s)

    def law(prior: ArrayLike, counts: ArrayLike) -> Law:
        _, x = checks.dataset(prior, counts)
        n = int(x.sum())
        outputs = count_vectors(n, len(x))
        remaining = np.full(len(outputs), n)
        log_p = np.zeros(len(outputs))
        for i in range(len(x) - 1):
            value = outputs[:, i]
            log_p += noise.clamped(value - x[i], value == 0, value == remaining)
            remaining = remaining - value
        return Law(outputs, log_p)

    def sample(prior: ArrayLike, counts: ArrayLike, rng: np.random.Generator, size: int = 1) -> Integers:
        _, x = checks.dataset(prior, counts)
        remaining = np.full(checks.whole("size", size, least=0), x.sum())
        released = np.empty((len(remaining), len(x)), dtype=np.int64)
        for i in range(len(x) - 1):
            released[:, i] = np.clip(noise.draw(checks.generator(rng), len(remaining), x[i]), 0, remaining)
            remaining = remaining - released[:, i]
        released[:, -1] = remaining
        return released

    def guarantee(prior: ArrayLike, n: int) -> Guarantee:
        return PureDP(e * _count_sensitivity(len(_setting(prior, n))) / s)

    # of two categories only the first is noisy, and what is left for it is n
    return Mechanism("laplace_in_order", PureDP(e * max(1.0, 2 / s)), law, sample, guarantee, line=noise.line)


def ehd(epsilon: float, sensitivity: float | None = None) -> Mechanism:
    r"""EHD: the exponential mechanism with rate \(\varepsilon / (2\,GS)\).

    The global sensitivity is the exact one of the prior and n at hand, unless a number is given; then epsilon is
    guaranteed only where that number is large enough.
    """
    e = checks.real("epsilon", epsilon, above=0)
    given = None if sensitivity is None else checks.real("sensitivity", sensitivity, above=0)

    def rate(prior: Floats, counts: Integers) -> Floats:
        scale = global_sensitivity(prior, int(counts.sum(axis=-1).max())) if given is None else given
        return np.full(counts.shape[:-1], e / (2 * scale) if scale > 0 else 0.0)

    def guarantee(prior: ArrayLike, n: int) -> Guarantee | None:
        needed = global_sensitivity(prior, n) * (1 - 1e-14)  # at prior (1, 1, 1) it is the printed constant, rounded
        return PureDP(e) if given is None or given >= needed else None

    return _exponential("ehd", None if given is not None else PureDP(e), rate, guarantee)


def ehdl(epsilon: float) -> Mechanism:
    r"""EHDL: the exponential mechanism with rate \(\varepsilon / (2\,LS(x))\), which itself depends on the data.

    Nothing is promised for every prior and n: with three categories the loss can be any multiple of epsilon. With two
    it is below \((\gamma_0 + 2/(1+\gamma_0))\,\varepsilon/2 = 1.3197\,\varepsilon\), \(\gamma_0\) being the most that
    \(1/LS\) moves between neighbours (claim ``hellinger/4.1.2-two-categories``).
    """
    e = checks.real("epsilon", epsilon, above=0)

    def rate(prior: Floats, counts: Integers) -> Floats:
        return _over(e, 2 * local_sensitivity(prior, counts))

    def guarantee(prior: ArrayLike, n: int) -> Guarantee | None:
        step = RECIPROCAL_SLOPE
        return PureDP((step + 2 / (1 + step)) * e / 2) if len(_setting(prior, n)) == 2 else None

    return _exponential("ehdl", None, rate, guarantee)


def ehds(epsilon: float, gamma: float = 1.0, divisor: float = 4.0) -> Mechanism:
    r"""EHDS: the exponential mechanism with rate \(\varepsilon / (c\,S(x))\), S the reciprocal smooth sensitivity.

    The divisor c is 4 in one version of the notes and \(2(1+\gamma)\) in the other. Since \(1/S\) moves by at most
    \(\gamma\) between neighbours, the loss is at most \((2 + \gamma)\,\varepsilon / c\). For two categories \(1/LS\)
    itself moves by less than \(\gamma_0\), and then so does \(1/S\).
    """
    e = checks.real("epsilon", epsilon, above=0)
    g = checks.real("gamma", gamma, above=0)
    c = checks.real("divisor", divisor, above=0)

    def proved(slope: float) -> PureDP:
        return PureDP((2 + slope) * e / c)

    def rate(prior: Floats, counts: Integers) -> Floats:
        return _over(e, c * reciprocal_smooth_sensitivity(prior, counts, g))

    def guarantee(prior: ArrayLike, n: int) -> Guarantee:
        return proved(min(g, RECIPROCAL_SLOPE) if len(_setting(prior, n)) == 2 else g)

    return _exponential("ehds", PureDP(max(e, proved(g).epsilon)), rate, guarantee)


def smoothed_hellinger(epsilon: float, delta: float, divisor: float = 2.0) -> Mechanism:
    r"""M_H: the exponential mechanism with rate \(\varepsilon / (c\,S(x))\), S the exponential smooth sensitivity,

    \[ \beta = \ln\Bigl(1 - \frac{\varepsilon}{2 \ln(\delta / (2(n+1)))}\Bigr) , \]
    with the count n + 1 as printed, whatever k is. The definition has c = 2, section 5 of its source c = 1. The
    printed proof of \((\varepsilon, \delta)\) does not stand, so nothing is promised for every prior and n. Proved is
    a pure loss of at most \(\varepsilon (2 + \kappa) / c\), \(\kappa\) the ``reciprocal_jump`` at the prior and n.
    """
    e = checks.real("epsilon", epsilon, above=0)
    d = checks.real("delta", delta, above=0, below=1)
    c = checks.real("divisor", divisor, above=0)

    def rate(prior: Floats, counts: Integers) -> Floats:
        beta = printed_smoothness(e, d, int(counts.sum(axis=-1).max()))
        return _over(e, c * exponential_smooth_sensitivity(prior, counts, beta))

    def guarantee(prior: ArrayLike, n: int) -> Guarantee:
        kappa = reciprocal_jump(prior, n, printed_smoothness(e, d, n))
        return PureDP((2 + kappa) * e / c)

    return _exponential("smoothed_hellinger", None, rate, guarantee)


def printed_smoothness(epsilon: float, delta: float, n: int) -> float:
    r"""\(\beta = \ln(1 - \varepsilon / (2 \ln(\delta / (2(n+1)))))\), the smoothness that M_H is printed with."""
    n = checks.whole("n", n, least=0, below=checks.LARGEST_TOTAL)
    return math.log1p(-epsilon / (2 * math.log(delta / (2 * (n + 1)))))


def _setting(prior: ArrayLike, n: int) -> Floats:
    checks.whole("n", n, least=0, below=checks.LARGEST_TOTAL)
    return checks.prior_weights(prior)


def _over(epsilon: float, scale: Floats) -> Floats:
    # without records every sensitivity is zero, and there is one candidate to draw
    return np.divide(epsilon, scale, out=np.zeros_like(scale), where=scale > 0)


# The exponential mechanism


def _exponential(
    name: str,
    promise: Guarantee | None,
    rate: Callable[[Floats, Integers], Floats],
    guarantee: GuaranteeAt,
) -> Mechanism:
    r"""\(\Pr[r] \propto \exp(-\lambda(x) H(x, r))\) over all count vectors r of n records."""

    def rate_at(prior: ArrayLike, counts: ArrayLike) -> float:
        return float(rate(*checks.dataset(prior, counts)))

    def law(prior: ArrayLike, counts: ArrayLike) -> Law:
        weights, x = checks.dataset(prior, counts)
        candidates = count_vectors(int(x.sum()), len(x))
        scores = -rate(weights, x) * count_distances(weights, x, candidates)
        return Law(candidates, scores - logsumexp(scores))

    def laws(prior: ArrayLike, n: int) -> Law:
        weights = _setting(prior, n)
        candidates = count_vectors(n, len(weights))
        within_enumeration(len(candidates), len(candidates), n, len(weights))
        scores = -rate(weights, candidates)[:, None] * _all_distances(tuple(weights), n)
        scores -= logsumexp(scores, axis=-1, keepdims=True)
        return Law(candidates, scores)

    def sample(prior: ArrayLike, counts: ArrayLike, rng: np.random.Generator, size: int = 1) -> Integers:
        weights, x = checks.dataset(prior, counts)
        generator, size = checks.generator(rng), checks.whole("size", size, least=0)
        if lattice_size(int(x.sum()), len(x)) * len(x) > LISTED_CANDIDATES:
            return samplers.draw(weights, x, rate_at(weights, x), generator, size)
        here = law(weights, x)
        cumulative = np.cumsum(here.probabilities)
        rows = np.searchsorted(cumulative, generator.random(size) * cumulative[-1], side="right")
        drawn: Integers = here.outputs[np.minimum(rows, len(cumulative) - 1)]
        return drawn

    def line(prior: ArrayLike, counts: ArrayLike) -> Line:
        weights, x = checks.dataset(prior, counts)
        return exponential(weights, x, rate_at(weights, x))

    return Mechanism(name, promise, law, sample, guarantee, laws, rate_at, line)


@lru_cache(maxsize=2)
def _all_distances(prior: tuple[float, ...], n: int) -> Floats:
    distances = lattice_distances(np.array(prior), count_vectors(n, len(prior)))
    distances.flags.writeable = False
    return distances


# Noise on the counts


@dataclass(frozen=True)
class _Noise:
    r"""Integer noise X with \(\Pr[X \ge m] = \tau r^m\) and \(\Pr[X < -m] = \tau' r^m\) for \(m \ge 0\).

    Floored Laplace noise of scale b has \(r = e^{-1/b}\) and \(\tau = \tau' = 1/2\); two-sided geometric noise has
    \(\tau = 1/(1+r)\).
    """

    rate: float  # -ln r
    log_upper: float  # ln tau
    log_lower: float  # ln tau'

    def clamped(self, move: Integers, at_least: ArrayLike, at_most: ArrayLike) -> Floats:
        """Log probability that noise moves a count by ``move``; at either end, of moving it that far or farther.

        Where both ends meet the probability is one.
        """
        up = self.log_upper - self.rate * np.maximum(move, 0)
        down = self.log_lower - self.rate * np.maximum(-1 - move, 0)
        point = self.log_point(move)
        # Pr[X >= m] for m < 0 is 1 - Pr[X < m], and Pr[X <= m] for m >= 0 is 1 - Pr[X >= m + 1]
        beyond = np.where(move >= 0, up, _log_one_minus(self.log_lower - self.rate * np.maximum(-move, 1)))
        short = np.where(move < 0, down, _log_one_minus(self.log_upper - self.rate * np.maximum(move + 1, 1)))
        edge = np.where(at_least, np.where(at_most, 0.0, short), np.where(at_most, beyond, point))
        return edge

    def log_point(self, move: Floats | Integers) -> Floats:
        """Log probability of noise that is not clamped."""
        up, down = self.log_upper - self.rate * move, self.log_lower - self.rate * (-1 - move)
        point: Floats = np.where(move >= 0, up, down) + np.log(-np.expm1(-self.rate))
        return point

    def line(self, prior: ArrayLike, counts: ArrayLike) -> Line:
        """The law of the first of two counts, kept within 0..n: what goes beyond stays at the ends."""
        weights, x = checks.dataset(prior, counts)
        below = math.exp(self.log_lower - self.rate * float(x[0]))
        above = math.exp(self.log_upper - self.rate * float(x[1] + 1))
        return Line(weights, x, lambda move, _: self.log_point(move), (below, above))

    def draw(self, rng: np.random.Generator, size: int, count: int) -> Integers:
        """Noisy counts: with probability tau add a geometric G, otherwise its mirror -1 - G, by inversion.

        Noise beyond the largest total is cut off, where every later clamp would cut it anyway.
        """
        magnitude = np.floor(np.minimum(rng.standard_exponential(size) / self.rate, checks.LARGEST_TOTAL))
        upwards = rng.random(size) < math.exp(self.log_upper)
        noise: Integers = np.where(upwards, magnitude, -1 - magnitude).astype(np.int64)
        return count + noise


def _log_one_minus(log_p: ArrayLike) -> Floats:
    r"""\(\ln(1 - e^{l})\) for \(l < 0\), taking the branch that keeps its digits."""
    x = np.asarray(log_p, dtype=np.float64)
    near = x > -math.log(2)
    return np.where(near, np.log(-np.expm1(np.where(near, x, -1.0))), np.log1p(-np.exp(np.where(near, -1.0, x))))


def _floored_laplace(rate: float) -> _Noise:
    r"""\(\lfloor Y \rfloor\) for Laplace noise Y of scale 1/rate."""
    return _Noise(rate, -math.log(2), -math.log(2))


def _two_sided_geometric(rate: float) -> _Noise:
    r"""\(\Pr[z] = \frac{1-r}{1+r} r^{|z|}\)."""
    log_upper = -math.log1p(math.exp(-rate))
    return _Noise(rate, log_upper, log_upper - rate)


def _count_sensitivity(k: int) -> float:
    """Most that one replaced record changes all counts but the last, in sum."""
    return 1.0 if k == 2 else 2.0


def _noisy_counts(
    name: str, epsilon: float, scale: Callable[[int], float], noise_at: Callable[[float], _Noise]
) -> Mechanism:
    r"""Independent noise of scale \(\text{scale}(k)/\varepsilon\) on all counts but the last; each kept within 0..n.

    The last released count is n minus the others, kept within 0..n. With three or more categories the others can
    exceed n, so the released total may differ from n: the law lives on the box of the first k - 1 counts.
    """
    e = checks.real("epsilon", epsilon, above=0)

    def law(prior: ArrayLike, counts: ArrayLike) -> Law:
        _, x = checks.dataset(prior, counts)
        n, k = int(x.sum()), len(x)
        outputs = _box(n, k)
        noise = noise_at(e / scale(k))
        values = np.arange(n + 1)
        log_p = np.zeros(len(outputs))
        for i in range(k - 1):
            log_p += noise.clamped(values - x[i], values == 0, values == n)[outputs[:, i]]
        return Law(outputs, log_p)

    def sample(prior: ArrayLike, counts: ArrayLike, rng: np.random.Generator, size: int = 1) -> Integers:
        _, x = checks.dataset(prior, counts)
        n, k, draws = int(x.sum()), len(x), checks.whole("size", size, least=0)
        noise = noise_at(e / scale(k))
        released = np.empty((draws, k), dtype=np.int64)
        for i in range(k - 1):
            released[:, i] = np.clip(noise.draw(checks.generator(rng), draws, x[i]), 0, n)
        released[:, -1] = np.maximum(n - released[:, :-1].sum(axis=-1), 0)
        return released

    def guarantee(prior: ArrayLike, n: int) -> Guarantee:
        k = len(_setting(prior, n))
        return PureDP(e * _count_sensitivity(k) / scale(k))

    return Mechanism(
        name, PureDP(e), law, sample, guarantee, line=lambda prior, counts: noise_at(e / scale(2)).line(prior, counts)
    )


@lru_cache(maxsize=8)
def _box(n: int, k: int) -> Integers:
    """Every vector of k - 1 counts in 0..n, each completed to k, in ascending order; read-only."""
    rows: int = (n + 1) ** (k - 1)
    within_enumeration(rows, k, n, k)
    first = np.stack(np.unravel_index(np.arange(rows), (n + 1,) * (k - 1)), axis=-1)
    outputs = np.column_stack([first, np.maximum(n - first.sum(axis=-1), 0)]).astype(np.int64)
    outputs.flags.writeable = False
    return outputs
