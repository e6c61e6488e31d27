r"""What is known of the error when the candidates of a mechanism are too many to list.

``error_bounds`` encloses \(\Pr[H < t]\). With \(w(D) = e^{-\lambda H}\) and
\(C_\theta(x) = \sum_{D(r) < x} e^{-\theta D(r)}\), summing by parts from x' to x,
\[ \sum_{x' \le D < x} w = \Bigl[ w\, e^{\theta D}\, C_\theta \Bigr]_{x'}^{x}
   - \int_{x'}^x C_\theta \; d(w\, e^{\theta D}) , \]
whatever \(\theta\) is; \(w e^{\theta D}\) changes little near x if it is the slope of \(\lambda H\) there. So bounds on
\(C_\theta\) give bounds on the sum. They come from the frequencies \(M(\theta + i\omega_j)\) of the exponent
(``spectrum``): on a circle of length P, with \(\psi(z) = z - \lfloor z \rfloor - \frac12\), an interval is
\(\beta - \alpha + \psi(z - \beta) - \psi(z - \alpha)\), and by Vaaler's inequality {cite}`vaaler1985`
\[ \Bigl| \psi(z) + \sum_{1 \le |j| \le K} \frac{J(j / (K+1))}{2\pi i j} e^{2\pi i j z} \Bigr| \le \frac{1}{2K + 2}
   \sum_{|j| \le K} \Bigl(1 - \frac{|j|}{K+1}\Bigr) e^{2\pi i j z}, \quad J(s) = \pi s (1 - |s|) \cot \pi s + |s| . \]
Both sides are sums over the K frequencies: what is not known of \(C_\theta(x)\) is about the share of candidates within
P / K of x. What lies beyond one turn of the circle, and all of a small or large x that does not matter, is bounded by
\(C_\theta(x) \le e^{(\theta' - \theta) x} M(\theta')\) and its like for the other side.

Noise on the counts is the case \(\lambda = 0\), each candidate with its probability in the place of one
(``noise_spectrum``). There \(\theta\) may be 0, if tails are so short that one turn of the circle holds them.

``simulated_error`` is an estimate from draws, with its standard error, and says so.
"""

import math
from functools import cached_property, partial
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Floats, Integers
from ..mechanisms import Mechanism, a_mechanism
from ..mechanisms.lattice_noise import log_balanced
from ..model.datasets import lattice_size
from ..model.distances import count_distances, distance
from ..model.sums import summable
from .errors import error_below, error_quantile
from .lattice_levels import ALL_FAR, most_affinity
from .lattice_sums import LatticeSums
from .moments import Certified, exponential_moments
from .noise_factors import LONGEST_RING, noise_factors
from .noise_spectrum import NoiseSums
from .products import kinds_of
from .spectrum import CandidateSums, Complexes, Spectrum

SLACK = 1e-9
"""Relative room for rounding: far above that of a sum of positive doubles."""

BINS = 1024
"""So many frequencies, if not said."""

FEWEST_BINS = 64
"""No fewer, however long each takes."""

ALL_WORK = 4_000_000_000
"""More of them are not made, as ``LatticeSums`` counts work: some ten seconds for each of a few such sums."""

LISTED_NUMBERS = 20_000
"""Up to this many numbers candidates are listed."""

ROUGHLY = 4
"""Where a quantile lies is found with so many times fewer frequencies at first."""

LEVEL = 6.0
"""Exponents are summed in levels, each from one so many times smaller on."""

NOTHING = 0.01
"""Levels of a probability that is less, divided by the number of frequencies, are not looked at."""

SMALL = 20.0
r"""Noise beyond which \(e^{-20}\) of it lies is left out."""

LOST = 1e-5
"""If more of the noise on the lattice is at counts below 0, these are summed too."""

SMALL_NEAR_ENDS = 16.0
r"""The same as ``SMALL`` where these are summed."""


class Bounds(NamedTuple):
    """A probability lies between the two.

    >>> from dpbi import ehds
    >>> bounds = error_bounds(ehds(2.0), [1, 1, 1], [400, 300, 300], 0.3, bins=64)
    >>> round(bounds.lower, 3), round(bounds.upper, 3)
    (0.955, 0.967)
    """

    lower: float
    upper: float


class Estimate(NamedTuple):
    """A simulated probability and the standard error of the simulation.

    >>> Estimate(value=0.5, standard_error=0.01)
    Estimate(value=0.5, standard_error=0.01)
    """

    value: float
    standard_error: float


def simulated_error(
    mechanism: Mechanism, prior: ArrayLike, counts: ArrayLike, t: float, rng: np.random.Generator, size: int = 10_000
) -> Estimate:
    r"""\(\Pr[H < t]\) at one dataset, estimated from draws: the share of them, and \(\sqrt{p(1-p)/N}\).

    With \(p = (c + 1/2) / (N + 1)\) in the standard error, which so is never zero.

    >>> from dpbi import ehds
    >>> found = simulated_error(ehds(2.0), [1, 1, 1], [400, 300, 300], 0.3, np.random.default_rng(1))
    >>> found.value, round(found.standard_error, 6)
    (0.9624, 0.001903)
    """
    weights, x = checks.dataset(prior, counts)
    threshold = checks.real("t", t)
    draws = checks.whole("size", size, least=1)
    errors = count_distances(weights, x, a_mechanism(mechanism).sample(weights, x, rng, draws))
    inside = int((errors < threshold).sum())
    p = (inside + 0.5) / (draws + 1)
    return Estimate(inside / draws, math.sqrt(p * (1 - p) / draws))


def error_bounds(
    mechanism: Mechanism, prior: ArrayLike, counts: ArrayLike, t: float, bins: int | None = None
) -> Bounds:
    r"""Certain bounds on \(\Pr[H < t]\) at one dataset, of any size; more ``bins`` bring them closer.

    The width falls as 1/bins, the number of frequencies, until single distances can be told apart. They are 1024, or
    fewer where each takes long, if not said. For exponential mechanisms and noise on the counts.

    >>> from dpbi import ehds
    >>> lower, upper = error_bounds(ehds(2.0), [1, 1, 1], [400, 300, 300], 0.3, bins=128)
    >>> round(lower, 3), round(upper, 3)
    (0.958, 0.964)
    >>> from dpbi import lshist
    >>> lower, upper = error_bounds(lshist(0.8), [1] * 10, [100_000] * 10, 0.02)
    >>> round(lower, 3), round(upper, 3)
    (0.756, 0.763)
    """
    weights, x = checks.dataset(prior, counts)
    threshold = checks.real("t", t)
    bins = None if bins is None else checks.whole("bins", bins, least=8)
    if threshold <= 0 or threshold >= 1:
        return Bounds(0.0, 0.0) if threshold <= 0 else Bounds(1.0, 1.0)
    if _summed(a_mechanism(mechanism), x):
        return _rounded(error_below(mechanism, weights, x, threshold))
    affinity, left = _affinity(mechanism, weights, x), (1 - threshold) * (1 + threshold)
    if affinity <= ALL_FAR * left:  # where H < t, y is larger than that
        return Bounds(0.0, affinity / left)
    law = unlisted(mechanism, weights, x)
    return enclosed(law, -math.log1p(-threshold * threshold), bins or _affordable(law))


def quantile_bounds(
    mechanism: Mechanism, prior: ArrayLike, counts: ArrayLike, gamma: float, bins: int | None = None
) -> Bounds:
    r"""Certain bounds on the smallest t with \(\Pr[H \le t] \ge 1 - \gamma\), at one dataset of any size.

    >>> from dpbi import ehds
    >>> lower, upper = quantile_bounds(ehds(2.0), [1, 1, 1, 1], [10**8] * 4, 0.05)
    >>> float(f"{lower:.3g}"), float(f"{upper:.3g}")
    (0.000626, 0.000631)
    """
    weights, x = checks.dataset(prior, counts)
    share = checks.real("gamma", gamma, above=0, below=1)
    bins = None if bins is None else checks.whole("bins", bins, least=8)
    if _summed(a_mechanism(mechanism), x):
        return _rounded(error_quantile(mechanism, weights, x, share))
    affinity = _affinity(mechanism, weights, x) / (1 - share)
    if affinity <= ALL_FAR:
        return Bounds(math.nextafter(1 - affinity, 0.0), 1.0)
    law = unlisted(mechanism, weights, x)
    return enclosed_quantile(law, share, bins or _affordable(law))


def _affinity(mechanism: Mechanism, prior: Floats, counts: Integers) -> float:
    r"""An upper bound on \(E[y]\), or one."""
    if mechanism.noise is None or not (noise := mechanism.noise(prior, counts)).balanced:
        return 1.0
    return most_affinity(prior, counts, noise.noise)


def _affordable(law: "Exponents") -> int:
    """How many frequencies do not take long."""
    return min(BINS, max(FEWEST_BINS, ALL_WORK // max(law.sums.work, 1)))


def _summed(mechanism: Mechanism, counts: Integers) -> bool:
    """Whether candidates are few enough to be listed at once, or moves of records can be summed."""
    if len(counts) == 2 and mechanism.line is not None:
        return True
    return lattice_size(int(counts.sum()), len(counts)) * len(counts) <= LISTED_NUMBERS


def _rounded(value: float) -> Bounds:
    """A sum, which is right but for rounding."""
    return Bounds(value * (1 - SLACK), min(1.0, value * (1 + SLACK)))


def unlisted(mechanism: Mechanism, prior: Floats, counts: Integers) -> "Exponents":
    """The law of the exponent without a list of candidates; inputs unchecked."""
    summable(prior)
    if mechanism.rate is not None:
        rate = mechanism.rate(prior, counts)
        moments = exponential_moments(prior, counts, rate)
        return Exponents(CandidateSums(kinds_of(prior, counts)), rate, moments.log_normaliser, moments.mean.value)
    if mechanism.noise is None:
        raise TypeError(
            "mechanism must be an exponential mechanism or noise on the counts, "
            f"ehds(0.8) or lshist(0.8) for instance, got {mechanism.name}: simulated_error is for any"
        )
    noise = mechanism.noise(prior, counts)
    # noise on the lattice is released where it adds up to zero: what is left out is a share of that
    small = SMALL - log_balanced(noise.noise, len(counts)) if noise.balanced else SMALL
    factors = noise_factors(prior, counts, noise, small)
    if factors is None:
        raise ValueError(
            f"mechanism must move so few records that their {LONGEST_RING:,} totals can be summed, got "
            f"{mechanism.name} with moves up to {noise.noise.reach(SMALL):,}: simulated_error is for any"
        )
    sums: NoiseSums | LatticeSums = NoiseSums(factors)
    if noise.balanced and sums.lost > LOST:
        near = LatticeSums(prior, counts, noise.noise, SMALL_NEAR_ENDS)
        sums = near if near.lost < sums.lost else sums
    return Exponents(sums, 0.0, Certified(sums.log_total, 0.0), 1.0)


def enclosed(law: "Exponents", T: float, bins: int) -> Bounds:
    """Bounds on the probability of an exponent below T."""
    if law.sums.least * (1 - 1e-12) >= T:
        return law.itself
    if law.itself.lower >= 1 - SLACK:
        return Bounds(law.itself.lower, 1.0)
    return _inside(law, T, bins)


def _inside(law: "Exponents", T: float, bins: int) -> Bounds:
    """Bounds on the probability of an exponent below T, from the side with the shorter sum."""
    near = float(distance(T)) <= law.middle
    found = Bounds(law.itself.lower, 1.0)
    for below in (near, not near) if law.rate > 0 else (True,):  # the other side too, where the nearer one says little
        if found.upper - found.lower > 8 / bins:
            sums = _slack(_below(law, T, bins) if below else _above(law, T, bins))
            inside = sums if below else Bounds(1 - sums.upper, 1 - sums.lower)
            found = Bounds(max(found.lower, inside.lower), min(found.upper, inside.upper))
    return Bounds(max(0.0, found.lower - law.sums.lost), min(1.0, found.upper + law.sums.lost))


def enclosed_quantile(law: "Exponents", gamma: float, bins: int) -> Bounds:
    r"""Bounds on the error that only a share gamma of releases exceeds."""
    if law.itself.lower > 1 - gamma:
        return Bounds(0.0, 0.0)
    least, last = law.sums.least, law.last
    # beyond ``high`` lies little of the share
    points = np.geomspace(least, last, 400)
    near = [law.at_most(0.0, float(high)) < 1 - gamma for high in points]
    surely = float(distance(points[np.flatnonzero(near)[-1]])) if any(near) else 0.0
    if surely >= 1 - SLACK:  # next to nothing is released near the dataset
        return Bounds(surely * (1 - SLACK), 1.0)
    beyond = np.array([law.at_most(float(low), last) for low in points]) + law.far
    enough = np.flatnonzero(beyond <= max(gamma / 200, 1.5 * float(beyond.min())))
    high, rest = float(points[enough[0]]), float(beyond[enough[0]])
    doubt = law.sums.lost + SLACK
    cells = _cells(law, 0.0, high, law.slope(high / 2, bins), max(8, bins // ROUGHLY))
    lower, upper = _after(cells)
    low, high = _undecided(cells.x, lower - doubt, upper + rest + doubt, gamma, (0.0, last))
    x, lower, upper = _at_least(law, low, high, bins)
    edges = distance(np.array(_undecided(x, lower - doubt, upper + doubt, gamma, (low, high))))
    return Bounds(float(edges[0]) * (1 - SLACK), min(1.0, float(edges[1]) * (1 + SLACK)))


def _at_least(law: "Exponents", low: float, high: float, bins: int) -> tuple[Floats, Floats, Floats]:
    """Points up to ``high``, and bounds on the probabilities of larger exponents, by sums from the nearer side."""
    if law.rate == 0 or float(distance(high)) <= law.middle:
        first = low if law.rate > 0 and low > LEVEL * law.sums.least else 0.0
        start, cells = _below(law, first, bins), _cells(law, first, high, law.slope(high, bins), bins)
        lower, upper = _before(cells)
        return cells.x, 1 - start.upper - upper, 1 - start.lower - lower
    start, cells = _above(law, high, bins), _cells(law, low, high, law.slope((low + high) / 2, bins), bins)
    lower, upper = _after(cells)
    return cells.x, start.lower + lower, start.upper + upper


def _undecided(
    x: Floats, lower: Floats, upper: Floats, gamma: float, known: tuple[float, float]
) -> tuple[float, float]:
    """The last point beyond which surely more than a share gamma lies, and the first beyond which no more does."""
    more, no_more = np.flatnonzero(lower > gamma), np.flatnonzero(upper <= gamma)
    return float(x[more[-1]]) if len(more) else known[0], float(x[no_more[0]]) if len(no_more) else known[1]


def _slack(bounds: Bounds) -> Bounds:
    return Bounds(max(0.0, bounds.lower * (1 - SLACK)), min(1.0, bounds.upper * (1 + SLACK)))


def _below(law: "Exponents", T: float, bins: int) -> Bounds:
    """Bounds on the probability of an exponent below T."""
    lower, upper, high, nothing = 0.0, 0.0, T, NOTHING / bins
    while high > law.sums.least:
        low = high / LEVEL if law.rate > 0 and high > LEVEL * law.sums.least else 0.0
        if law.at_most(0.0, high) < nothing:
            return Bounds(lower, upper + law.at_most(0.0, high))
        if law.at_most(low, high) < nothing:
            upper += law.at_most(low, high)
        else:
            found = _level(law, low, high, law.slope(high, bins), bins)
            lower, upper = lower + found.lower, upper + found.upper
        high = low
    return Bounds(lower, upper)


def _above(law: "Exponents", T: float, bins: int) -> Bounds:
    """Bounds on the probability of an exponent of at least T."""
    lower, upper, low, nothing = 0.0, 0.0, T, NOTHING / bins
    while low < law.last:
        high = 2.5 * low
        if law.at_most(low, law.last) < nothing:
            upper += law.at_most(low, law.last)
            break
        if law.at_most(low, high) < nothing:
            upper += law.at_most(low, high)
        else:
            found = _level(law, low, high, law.slope(1.5 * low, bins), bins)
            lower, upper = lower + found.lower, upper + found.upper
        low = high
    return Bounds(lower, upper + law.far)


class Sums(Protocol):
    """Sums over all candidates, each with its own factor."""

    least: float  # at most the exponent of any but the dataset itself
    log_total: float  # of all factors
    log_itself: float  # of that of the dataset itself
    lost: float  # the share of candidates that are in no sum
    work: int  # how much of it one frequency is, if it is much
    thetas: Floats  # those for which bounds on the sums are useful

    def log_sum(self, theta: float) -> float: ...
    def spectrum(self, theta: float, omegas: Floats, accuracy: float) -> tuple[Spectrum, float]: ...


class Exponents:
    r"""The law of the exponent: sums over all candidates, weighted by \(e^{-\lambda H}\)."""

    def __init__(self, sums: Sums, rate: float, log_z: Certified, middle: float) -> None:
        self.sums, self.rate, self.log_z = sums, rate, log_z
        self.middle = middle  # the distance up to which sums from zero on are the shorter ones
        log_p, doubt = sums.log_itself - log_z.value, log_z.bound
        self.itself = Bounds(
            max(0.0, math.exp(log_p - doubt) - sums.lost), min(1.0, math.exp(log_p + doubt) + sums.lost)
        )
        self.last = math.log(max(rate, 1.0)) + 37  # beyond it no weight differs from the least one

    @cached_property
    def logs(self) -> Floats:
        """Bounds on the logarithms of the sums."""
        return np.array([self.sums.log_sum(theta) for theta in self.sums.thetas])

    @cached_property
    def far(self) -> float:
        """A bound on the probability of an exponent beyond the last that is looked at."""
        least_weight = math.exp(min(0.0, self.sums.log_total - self.rate - self.log_z.value + self.log_z.bound))
        return min(least_weight, self.at_most(self.last, math.inf))

    def log_weight(self, D: "Floats | float") -> Floats:
        r"""\(-\lambda H\)."""
        return -self.rate * distance(D)

    def slope(self, D: float, bins: int) -> float:
        r"""By how much \(\lambda H\) grows with the exponent, or what keeps one turn of the circle near D."""
        if self.rate > 0:
            return max(self.rate * math.exp(-D) / (2 * float(distance(D))), 3 / D)
        # the cost is about what remains unknown of a probability: the share of one turn, and rounding
        slopes, costs = np.array([0.0, 0.25, 0.5, 1.0, 2.0, 3.0]) / D, []
        for theta in slopes:
            found, log_scale = self.sums.spectrum(theta, np.zeros(1), 0.0)
            value, error = found.values[0].real, found.errors[0]
            end = max(self.end(theta, math.log(value + error) + log_scale, NOTHING / 30), D)
            costs.append(end * (0.5 / D + theta) / bins + 10 * error / max(value, error))
        return float(slopes[np.argmin(costs)])

    def end(self, theta: float, log_m: float, nothing: float) -> float:
        r"""An exponent beyond which at most that share of \(C_\theta\) lies."""
        between = theta * np.array([0.2, 0.35, 0.5, 0.65, 0.8, 0.9]) if theta > 0 else np.ones(0)
        less = self.sums.thetas < theta
        others = np.concatenate([between, self.sums.thetas[less]])
        logs = np.concatenate([[self.sums.log_sum(float(other)) for other in between], self.logs[less]])
        return float(((logs - log_m - math.log(nothing)) / (theta - others)).min())

    def at_most(self, low: float, high: float) -> float:
        r"""A bound on the probability of an exponent in [low, high), by \(w \le e^{-\theta D} \sup w e^{\theta D}\)."""
        ends = np.array([low, high])
        tops = (self.log_weight(ends)[:, None] + self.sums.thetas * ends[:, None]).max(axis=0)
        found = float((tops + self.logs).min()) - self.log_z.value + self.log_z.bound
        return min(1.0, math.exp(min(0.0, found)) + self.sums.lost)


def _level(law: Exponents, low: float, high: float, theta: float, bins: int) -> Bounds:
    """Bounds on the probability of an exponent in [low, high)."""
    lower, upper = _after(_cells(law, low, high, theta, bins))
    return Bounds(float(lower[0]), float(upper[0]))


class _Cells(NamedTuple):
    """Points, and what the cells between them add to a sum by parts."""

    x: Floats
    weights: Floats  # at the points
    at_least: Floats  # of the sums of which the weights are factors
    at_most: Floats
    least: Floats  # what each cell adds
    most: Floats


def _cells(law: Exponents, low: float, high: float, theta: float, bins: int) -> _Cells:
    """The points from ``low`` to ``high``."""
    log_m = law.sums.log_sum(theta)
    x, even = np.linspace(low, high, 6 * bins + 1), 0
    if low == 0.0:
        near = np.concatenate([[0.0], np.geomspace(high * 1e-8, x[1], 200)[:-1]])
        x, even = np.concatenate([near, x[1:]]), len(near)
    at_least, at_most = _counted(law, theta, log_m, x, even, bins)
    at_least, at_most = at_least * math.exp(-law.log_z.bound), at_most * math.exp(law.log_z.bound)
    # w e^(theta D) M / Z at the points; it may fall and rise
    weights = np.exp(np.minimum(law.log_weight(x) + theta * x + log_m - law.log_z.value, 600))
    falls = weights[:-1] - weights[1:]
    drop, rise = np.maximum(falls, 0.0), np.maximum(-falls, 0.0)
    most, least = at_most[1:] * drop - at_least[:-1] * rise, at_least[:-1] * drop - at_most[1:] * rise
    return _Cells(x, weights, at_least, at_most, least, most)


def _after(cells: _Cells) -> tuple[Floats, Floats]:
    """Bounds on the probabilities of an exponent from each point up to the last."""
    _, weights, at_least, at_most, least, most = cells
    lower = _sums_from(least) + weights[-1] * at_least[-1] - weights * at_most
    upper = _sums_from(most) + weights[-1] * at_most[-1] - weights * at_least
    return np.maximum(lower, 0.0), np.maximum(upper, 0.0)


def _before(cells: _Cells) -> tuple[Floats, Floats]:
    """Bounds on the probabilities of an exponent from the first point up to each."""
    _, weights, at_least, at_most, least, most = cells
    lower = np.append(0.0, np.cumsum(least)) + weights * at_least - weights[0] * at_most[0]
    upper = np.append(0.0, np.cumsum(most)) + weights * at_most - weights[0] * at_least[0]
    return np.maximum(lower, 0.0), np.maximum(upper, 0.0)


def _sums_from(terms: Floats) -> Floats:
    """The sum of all terms from each one on, and of none."""
    return np.append(np.cumsum(terms[::-1])[::-1], 0.0)


def _counted(law: Exponents, theta: float, log_m: float, x: Floats, even: int, bins: int) -> tuple[Floats, Floats]:
    r"""Bounds on \(C_\theta(x) / M(\theta)\), where M may be a bound on itself, ``log_m`` its logarithm.

    The points x are equally far apart from the one numbered ``even`` on.
    """
    nothing = 0.1 / bins**1.5 if law.rate > 0 else 0.2 / bins
    # beyond this exponent next to nothing of the sum lies
    end = max(law.end(theta, log_m, nothing), 1.02 * float(x[-1]))
    period = end * 1.04
    start = -(period - end)
    j = np.arange(1, bins + 1)
    found, log_product = law.sums.spectrum(theta, np.append(0.0, 2 * np.pi * j / period), nothing / 10)
    scale = math.exp(min(log_product - log_m, 600.0))
    values, errors = found.values * scale, found.errors * scale
    mass = values[0].real
    # the coefficients of both sides of Vaaler's inequality
    s = j / (bins + 1)
    saw = -(np.pi * s * (1 - s) / np.tan(np.pi * s) + s) / (2j * np.pi * j)
    comb = 1 - s
    there = np.exp(-2j * np.pi * start / period * j)
    turned: Complexes = np.conj(values[1:])
    here = partial(_series, x / period, even)
    sums = (x - start) / period * mass + 2 * (here(turned * saw) - there @ (turned * saw)).real
    doubt = (2 * mass + 2 * (here(turned * comb) + there @ (turned * comb)).real) / (2 * bins + 2)
    doubt += errors[0] * (1 + 1 / bins) + float(errors[1:] @ (4 * np.abs(saw) + 2 * comb / (bins + 1)))
    at_most, at_least = sums + doubt, sums - doubt - nothing
    for log_other, other in zip(law.logs, law.sums.thetas, strict=True):
        if other > theta:
            at_most = np.minimum(at_most, np.exp(np.minimum(log_other - log_m + (other - theta) * x, 1.0)))
    itself = math.exp(law.sums.log_itself - log_m)  # nothing else is nearer than the least exponent
    at_most = np.where(x <= law.sums.least * (1 - SLACK), np.where(x > 0, itself * (1 + SLACK), 0.0), at_most)
    at_most = np.minimum.accumulate(np.minimum(at_most, 1.0)[::-1])[::-1]
    at_least = np.maximum.accumulate(np.maximum(at_least, np.where(x > 0, itself * (1 - SLACK), 0.0)))
    return at_least, at_most


def _series(z: Floats, even: int, coefficients: Complexes) -> Complexes:
    r"""\(\sum_{j \ge 1} c_j e^{-2\pi ijz}\) at all z, those from ``even`` on equally far apart.

    A wave at u + v is the product of two, so that for N of them waves at \(2\sqrt N\) points are enough.
    """
    many, count = len(z) - even, len(coefficients)
    run = math.isqrt(many)
    apart = (z[-1] - z[even]) / (many - 1)
    starts = z[even] + apart * run * np.arange(-(-many // run))
    spaced = (_waves(starts, count) * coefficients) @ _waves(apart * np.arange(run), count).T
    return np.concatenate([_waves(z[:even], count) @ coefficients, spaced.ravel()[:many]])


def _waves(z: Floats, count: int) -> Complexes:
    r"""(Z, J) of \(e^{-2\pi ijz}\), j up to the count, from those up to half as many."""
    found, done = np.empty((len(z), count), dtype=np.complex128), 1
    found[:, 0] = np.exp(-2j * np.pi * z)
    while done < count:
        more = min(done, count - done)
        np.multiply(found[:, :more], found[:, done - 1 : done], out=found[:, done : done + more])
        done += more
    return found
