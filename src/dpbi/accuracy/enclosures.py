r"""What is known of the error of an exponential mechanism when its candidates are too many to list.

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

``simulated_error`` is an estimate from draws, with its standard error, and says so.
"""

import math
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Floats, Integers
from ..mechanisms import Mechanism, a_mechanism
from ..model.datasets import lattice_size
from ..model.distances import count_distances, distance
from ..model.sums import summable
from .errors import error_law
from .moments import Certified, exponential_moments
from .products import Kinds, kinds_of, log_others
from .spectrum import Complexes, spectrum

SLACK = 1e-9
"""Relative room for rounding: far above that of a sum of positive doubles."""

LISTED_NUMBERS = 20_000
"""Up to this many numbers candidates are listed."""

REFINED = 4
"""Times that bounds on a quantile are halved."""

LEVEL = 6.0
"""Exponents are summed in levels, each from one so many times smaller on."""


class Bounds(NamedTuple):
    """A probability lies between the two.

    >>> from dpbi import ehds
    >>> bounds = error_bounds(ehds(2.0), [1, 1, 1], [400, 300, 300], 0.3, bins=64)
    >>> round(bounds.lower, 3), round(bounds.upper, 3)
    (0.954, 0.967)
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


def error_bounds(mechanism: Mechanism, prior: ArrayLike, counts: ArrayLike, t: float, bins: int = 512) -> Bounds:
    r"""Certain bounds on \(\Pr[H < t]\) at one dataset, of any size; more ``bins`` bring them closer.

    The width falls as 1/bins, the number of frequencies, until single distances can be told apart.

    >>> from dpbi import ehds
    >>> lower, upper = error_bounds(ehds(2.0), [1, 1, 1], [400, 300, 300], 0.3, bins=128)
    >>> round(lower, 3), round(upper, 3)
    (0.958, 0.964)
    """
    weights, x, rate = _exponential(mechanism, prior, counts)
    threshold = checks.real("t", t)
    bins = checks.whole("bins", bins, least=8)
    if threshold <= 0 or threshold >= 1:
        return Bounds(0.0, 0.0) if threshold <= 0 else Bounds(1.0, 1.0)
    if listed(x):
        return _rounded(error_law(mechanism, weights, x).below(threshold))
    return enclosed(weights + x, x, rate, -math.log1p(-threshold * threshold), bins)


def quantile_bounds(mechanism: Mechanism, prior: ArrayLike, counts: ArrayLike, gamma: float, bins: int = 512) -> Bounds:
    r"""Certain bounds on the smallest t with \(\Pr[H \le t] \ge 1 - \gamma\), at one dataset of any size.

    >>> from dpbi import ehds
    >>> lower, upper = quantile_bounds(ehds(2.0), [1, 1, 1, 1], [10**8] * 4, 0.05)
    >>> float(f"{lower:.3g}"), float(f"{upper:.3g}")
    (0.000623, 0.000664)
    """
    weights, x, rate = _exponential(mechanism, prior, counts)
    share = checks.real("gamma", gamma, above=0, below=1)
    bins = checks.whole("bins", bins, least=8)
    if listed(x):
        return _rounded(error_law(mechanism, weights, x).quantile(share))
    return enclosed_quantile(weights + x, x, rate, share, bins)


def listed(counts: Integers) -> bool:
    """Whether the candidates of a dataset are few enough to be listed at once."""
    return lattice_size(int(counts.sum()), len(counts)) * len(counts) <= LISTED_NUMBERS


def _rounded(value: float) -> Bounds:
    """A sum over a list, which is right but for rounding."""
    return Bounds(value * (1 - SLACK), min(1.0, value * (1 + SLACK)))


def _exponential(mechanism: Mechanism, prior: ArrayLike, counts: ArrayLike) -> tuple[Floats, Integers, float]:
    weights, x = checks.dataset(prior, counts)
    rate = a_mechanism(mechanism).rate
    if rate is None:
        raise TypeError(
            f"mechanism must be an exponential mechanism, ehds(0.8) for instance, got {mechanism.name}: "
            "simulated_error is for any"
        )
    summable(weights)
    return weights, x, rate(weights, x)


def enclosed(a: Floats, x: Integers, rate: float, T: float, bins: int) -> Bounds:
    r"""Bounds on the probability of an exponent below T, a being the posterior of x; inputs unchecked."""
    kinds = kinds_of(a, x)
    moments = exponential_moments(a, x, rate)
    log_z = moments.log_normaliser
    itself = Bounds(math.exp(-log_z.value - log_z.bound), min(1.0, math.exp(-log_z.value + log_z.bound)))
    if kinds.n == 0 or kinds.least * (1 - 1e-12) >= T:
        return itself
    if itself.lower >= 1 - SLACK:
        return Bounds(itself.lower, 1.0)
    return _inside(_Law(kinds, rate, log_z, 0.01 / bins), moments.mean.value, T, bins)


def _inside(law: "_Law", mean: float, T: float, bins: int) -> Bounds:
    """Bounds on the probability of an exponent below T, from the side with the shorter sum."""
    near = float(distance(T)) <= mean
    found = Bounds(0.0, 1.0)
    for below in (near, not near):  # the other side too, where the nearer one says little
        if found.upper - found.lower > 8 / bins:
            sums = _slack(_below(law, T, bins) if below else _above(law, T, bins))
            inside = sums if below else Bounds(1 - sums.upper, 1 - sums.lower)
            found = Bounds(max(found.lower, inside.lower), min(found.upper, inside.upper))
    return found


def enclosed_quantile(a: Floats, x: Integers, rate: float, gamma: float, bins: int) -> Bounds:
    r"""Bounds on the error that only a share gamma of releases exceeds; inputs unchecked."""
    kinds = kinds_of(a, x)
    moments = exponential_moments(a, x, rate)
    if kinds.n == 0 or moments.log_normaliser.value + moments.log_normaliser.bound < -math.log1p(-gamma):
        return Bounds(0.0, 0.0)  # the dataset itself is likely enough
    law = _Law(kinds, rate, moments.log_normaliser, 0.01 / bins)
    # beyond ``high`` lies little of the share
    last = math.log(max(rate, 1.0)) + 37
    points = np.geomspace(kinds.least, last, 400)
    near = [law.at_most(0.0, float(high)) < 1 - gamma for high in points]
    surely = float(distance(points[np.flatnonzero(near)[-1]])) if any(near) else 0.0
    if surely >= 1 - SLACK:  # next to nothing is released near the dataset
        return Bounds(surely * (1 - SLACK), 1.0)
    beyond = np.array([law.at_most(float(low), last) for low in points]) + law.far
    enough = np.flatnonzero(beyond <= max(gamma / 200, 1.5 * float(beyond.min())))
    high, rest = float(points[enough[0]]), float(beyond[enough[0]])
    grid, lower, upper = _profile(law, high / 6, high, law.slope(high / 2), bins)
    surely_more, surely_less = np.flatnonzero(lower > gamma), np.flatnonzero(upper + rest <= gamma)
    least = float(grid[surely_more[-1]]) if len(surely_more) else 0.0
    most = float(grid[surely_less[0]]) if len(surely_less) else last
    ends = [least, most]
    for side in (0, 1):  # halve what is undecided at either end, by sums from the nearer side
        inner = ends[1 - side]
        for _ in range(REFINED):
            T = (ends[side] + inner) / 2
            if kinds.least >= T:
                break
            inside = _inside(law, moments.mean.value, T, bins)
            decided = inside.upper < 1 - gamma if side == 0 else inside.lower >= 1 - gamma
            ends[side], inner = (T, inner) if decided else (ends[side], T)
    least, most = (float(end) for end in distance(np.array(ends)))
    return Bounds(least * (1 - SLACK), min(1.0, most * (1 + SLACK)))


def _slack(bounds: Bounds) -> Bounds:
    return Bounds(max(0.0, bounds.lower * (1 - SLACK)), min(1.0, bounds.upper * (1 + SLACK)))


def _below(law: "_Law", T: float, bins: int) -> Bounds:
    """Bounds on the probability of an exponent below T."""
    lower, upper, high = 0.0, 0.0, T
    while high > law.kinds.least:
        low = high / LEVEL if high > LEVEL * law.kinds.least else 0.0
        if law.at_most(0.0, high) < law.nothing:
            return Bounds(lower, upper + law.at_most(0.0, high))
        if law.at_most(low, high) < law.nothing:
            upper += law.at_most(low, high)
        else:
            found = _level(law, low, high, law.slope(high), bins)
            lower, upper = lower + found.lower, upper + found.upper
        high = low
    return Bounds(lower, upper)


def _above(law: "_Law", T: float, bins: int) -> Bounds:
    """Bounds on the probability of an exponent of at least T."""
    lower, upper, low = 0.0, 0.0, T
    last = math.log(max(law.rate, 1.0)) + 37  # beyond it no weight differs from the least one
    while low < last:
        high = 2.5 * low
        if law.at_most(low, last) < law.nothing:
            upper += law.at_most(low, last)
            break
        if law.at_most(low, high) < law.nothing:
            upper += law.at_most(low, high)
        else:
            found = _level(law, low, high, law.slope(1.5 * low), bins)
            lower, upper = lower + found.lower, upper + found.upper
        low = high
    return Bounds(lower, upper + law.far)


class _Law:
    """One law, with what is known of the sums over all its candidates."""

    def __init__(self, kinds: Kinds, rate: float, log_z: Certified, nothing: float) -> None:
        self.kinds, self.rate, self.nothing = kinds, rate, nothing
        self.log_z = log_z
        k = int(kinds.multiplicity.sum())
        log_size = float(np.log1p(kinds.n / np.arange(1, k)).sum())
        # all candidates at the least weight
        self.far = math.exp(min(0.0, log_size - rate - log_z.value + log_z.bound))
        self._known: dict[float, float] = {}
        steps = np.arange(-4, math.log2(60 / kinds.least) + 1)
        self.thetas = 2.0**steps
        self.logs = np.array([self.log_sum(theta) for theta in self.thetas])

    def log_sum(self, theta: float) -> float:
        r"""An upper bound on \(\ln M(\theta)\), near it."""
        if theta not in self._known:
            found = log_others(self.kinds, theta)
            error = min(found.error, 1.0) if math.isfinite(found.error) else 0.0
            self._known[theta] = float(np.logaddexp(0.0, found.value)) + error
        return self._known[theta]

    def log_weight(self, D: "Floats | float") -> Floats:
        r"""\(-\lambda H\)."""
        return -self.rate * distance(D)

    def slope(self, D: float) -> float:
        r"""By how much \(\lambda H\) grows with the exponent, or what keeps one turn of the circle near D."""
        return max(self.rate * math.exp(-D) / (2 * float(distance(D))), 3 / D)

    def at_most(self, low: float, high: float) -> float:
        r"""A bound on the probability of an exponent in [low, high), by \(w \le e^{-\theta D} \sup w e^{\theta D}\)."""
        ends = np.array([low, high])
        tops = (self.log_weight(ends)[:, None] + self.thetas * ends[:, None]).max(axis=0)
        return math.exp(min(0.0, float((tops + self.logs).min()) - self.log_z.value + self.log_z.bound))


def _level(law: _Law, low: float, high: float, theta: float, bins: int) -> Bounds:
    """Bounds on the probability of an exponent in [low, high)."""
    _, lower, upper = _profile(law, low, high, theta, bins)
    return Bounds(float(lower[0]), float(upper[0]))


def _profile(law: _Law, low: float, high: float, theta: float, bins: int) -> tuple[Floats, Floats, Floats]:
    """Points x from low to high, and bounds on the probabilities of an exponent in [x, high)."""
    log_m = law.log_sum(theta)
    x, even = np.linspace(low, high, 6 * bins + 1), 0
    if low == 0.0:
        near = np.concatenate([[0.0], np.geomspace(high * 1e-8, x[1], 200)[:-1]])
        x, even = np.concatenate([near, x[1:]]), len(near)
    at_least, at_most = _counted(law, theta, log_m, x, even, bins)
    # w e^(theta D) M / Z at the grid; it may fall and rise
    weights = np.exp(np.minimum(law.log_weight(x) + theta * x + log_m - law.log_z.value, 600))
    falls = weights[:-1] - weights[1:]
    drop, rise = np.maximum(falls, 0.0), np.maximum(-falls, 0.0)
    most, least = at_most[1:] * drop - at_least[:-1] * rise, at_least[:-1] * drop - at_most[1:] * rise
    upper = _sums_from(most) + weights[-1] * at_most[-1] - weights * at_least
    lower = _sums_from(least) + weights[-1] * at_least[-1] - weights * at_most
    doubt = math.exp(law.log_z.bound)
    return x, np.maximum(lower, 0.0) / doubt, np.maximum(upper, 0.0) * doubt


def _sums_from(terms: Floats) -> Floats:
    """The sum of all terms from each one on, and of none."""
    return np.append(np.cumsum(terms[::-1])[::-1], 0.0)


def _counted(law: _Law, theta: float, log_m: float, x: Floats, even: int, bins: int) -> tuple[Floats, Floats]:
    r"""Bounds on \(C_\theta(x) / M(\theta)\), where M may be a bound on itself, ``log_m`` its logarithm.

    The points x are equally far apart from the one numbered ``even`` on.
    """
    nothing = 0.1 / bins**1.5
    # beyond this exponent next to nothing of the sum lies
    shares = np.array([0.1, 0.2, 0.35, 0.5, 0.65, 0.8])
    ends = [(law.log_sum(theta * (1 - s)) - log_m - math.log(nothing)) / (theta * s) for s in shares]
    end = max(min(ends), 1.02 * float(x[-1]))
    period = end * 1.04
    start = -(period - end)
    j = np.arange(1, bins + 1)
    found, log_product = spectrum(law.kinds, theta, np.append(0.0, 2 * np.pi * j / period), nothing / 10)
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
    for log_other, other in zip(law.logs, law.thetas, strict=True):
        if other > theta:
            at_most = np.minimum(at_most, np.exp(np.minimum(log_other - log_m + (other - theta) * x, 1.0)))
    at_most = np.minimum.accumulate(np.minimum(at_most, 1.0)[::-1])[::-1]
    at_least = np.maximum.accumulate(np.maximum(at_least, np.where(x > 0, math.exp(-log_m), 0.0)))
    return at_least, at_most


def _series(z: Floats, even: int, coefficients: Complexes) -> Complexes:
    r"""\(\sum_{j \ge 1} c_j e^{-2\pi ijz}\) at all z, those from ``even`` on equally far apart.

    A wave at u + v is the product of two, so that for N of them waves at \(2\sqrt N\) points are enough.
    """
    waves = -2j * np.pi * np.arange(1, len(coefficients) + 1)
    many = len(z) - even
    run = math.isqrt(many)
    apart = (z[-1] - z[even]) / (many - 1)
    starts = z[even] + apart * run * np.arange(-(-many // run))
    within = np.exp(np.outer(waves, apart * np.arange(run)))
    spaced = (np.exp(np.outer(starts, waves)) * coefficients) @ within
    single = np.exp(np.outer(z[:even], waves)) @ coefficients
    return np.concatenate([single, spaced.ravel()[:many]])
