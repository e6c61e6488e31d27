r"""What an adversary can tell from N draws (Section 4.3): the error of the best test, and what it asks of the data.

Theorem 13 rests on Lemma 12: the frequencies of N draws are within \(\sqrt{\frac3N \ln\frac1\delta}\) of their law,
so to tell two laws apart their distance must be at least that. Both conditions are necessary, not sufficient.
"""

from dataclasses import dataclass, field
from typing import Any

from .. import checks
from ..arithmetic import exp, expm1, less, log, log1p, number, plain, sqrt
from .assumptions import expected_lipschitz
from .bounds import worst_likelihood_ratio
from .families import Family, lipschitz_bound, posterior
from .finite import Finite
from .measures import least_delta
from .samples import counts_law, overlap


@dataclass(frozen=True)
class Distinguishing:
    r"""N draws from the posterior of x or of y, and how well they tell which it was.

    ``error`` is the average error of the best test, \(\frac12 \int \min(dp^N, dq^N)\).
    """

    size: int
    distance: float
    lipschitz: float
    error: float
    family: Family = field(repr=False)
    prior: Finite = field(repr=False)
    data: tuple[Any, Any] = field(repr=False)
    laws: tuple[Finite, Finite] = field(repr=False)

    @property
    def variation(self) -> float:
        """The total variation of N draws."""
        return self.delta(0.0)

    def delta(self, epsilon: float) -> float:
        r"""The least \(\delta\) at an \(\varepsilon\), from x to y: the hockey stick of N draws."""
        return least_delta(*self.laws, epsilon)

    def frequency_radius(self, delta: float | None = None) -> float:
        r"""What \(\|\xi(\cdot \mid x) - \xi(\cdot \mid y)\|_1\) must be at least by Lemma 12, to err so rarely.

        Without a \(\delta\), here and below, it is the error of the best test.
        """
        return frequency_radius(self.size, self._erring(delta))

    def printed_distance(self, delta: float | None = None) -> float:
        r"""What \(\rho(x, y)\) must be at least by Theorem 13 under Assumption 1."""
        return printed_distance(self.lipschitz, self.size, self._erring(delta))

    def least_distance(self, delta: float | None = None) -> float:
        r"""What \(\rho(x, y)\) is at least under Assumption 1: the sharp condition."""
        return least_distance(self.lipschitz, self.size, self._erring(delta))

    def printed_distance_by_rate(self, rate: float, delta: float | None = None) -> float:
        r"""What \(\rho(x, y)\) must be at least by Theorem 13 under Assumption 2, with C of x and y. It need not be."""
        ratio = worst_likelihood_ratio(self.family, self.prior, self.data)
        return printed_distance_by_rate(ratio, rate, self.size, self._erring(delta))

    def least_distance_by_mean(self, delta: float | None = None) -> float:
        r"""What \(\rho(x, y)\) is at least whatever the largest constant, with C of x and y."""
        slope = worst_likelihood_ratio(self.family, self.prior, self.data) * expected_lipschitz(self.family, self.prior)
        return least_distance_by_mean(slope, self.size, self._erring(delta))

    def _erring(self, delta: float | None) -> float:
        return self.error if delta is None else delta


def distinguish(family: Family, prior: Finite, x: Any, y: Any, size: int) -> Distinguishing:
    r"""How well N draws from a posterior tell x from y, by the law of the counts of draws from a list of parameters.

    >>> from dpbi.posterior_sampling import bernoulli, uniform
    >>> told = distinguish(bernoulli(), uniform([0.2, 0.8]), [1], [0], 3)
    >>> round(told.error, 6), round(told.least_distance(), 6), told.distance
    (0.104, 0.850319, 1.0)
    >>> round(told.delta(0.5), 6)
    0.724533
    """
    draws, distance = checks.whole("size", size, least=1), family.distance(x, y)
    if not isinstance(prior, Finite):
        raise TypeError(f"prior must be a Finite law to tell draws apart exactly, got {type(prior).__name__}")
    first, second = (counts_law(posterior(family, prior, data), draws) for data in (x, y))
    return Distinguishing(
        size=draws,
        distance=distance,
        lipschitz=lipschitz_bound(family, prior),
        error=plain(overlap(first, second) / 2),
        family=family,
        prior=prior,
        data=(x, y),
        laws=(first, second),
    )


def frequency_radius(size: int, delta: float) -> float:
    r"""\(\sqrt{\frac3N \ln\frac1\delta}\): how far frequencies are from their law at most (Lemma 12).

    But for probability \(\delta\), and for a partition into at most \(\log_2\sqrt{1/\delta}\) sets.
    """
    return plain(sqrt(3 * log(1 / _probability(delta)) / checks.whole("size", size, least=1)))


def weissman_bound(parts: int, size: int, radius: float) -> float:
    r"""\((2^m - 2)\,e^{-N\varepsilon^2/2}\), at least the probability that frequencies are so far from their law."""
    sets, draws = checks.whole("parts", parts, least=1), checks.whole("size", size, least=1)
    return plain((2**sets - 2) * exp(-draws * checks.real("radius", radius, least=0) ** 2 / 2))


def weissman_radius(parts: int, size: int, delta: float) -> float:
    r"""\(\sqrt{\frac2N \ln\frac{2^m - 2}{\delta}}\), where that bound is \(\delta\): what any utility loses at most."""
    sets, draws = checks.whole("parts", parts, least=2), checks.whole("size", size, least=1)
    return plain(sqrt(2 * log((2**sets - 2) / _probability(delta)) / draws))


def printed_distance(L: float, size: int, delta: float) -> float:
    r"""\(\frac{3}{4LN} \ln\frac1\delta\), as Theorem 13 prints it under Assumption 1.

    A necessary condition on \(\rho(x, y)\) for an error of \(\delta \le 0.2755\), printed as a sufficient one.
    """
    return plain(3 * log(1 / _probability(delta)) / (4 * _constant(L) * checks.whole("size", size, least=1)))


def printed_distance_by_rate(ratio: float, rate: float, size: int, delta: float) -> float:
    r"""\(\frac{6}{N(C/c + \ln C)} \ln\frac1\delta\), as Theorem 13 prints it under Assumption 2; it is no condition."""
    C, c = checks.real("ratio", ratio, above=1), checks.real("rate", rate, above=0)
    return plain(6 * log(1 / _probability(delta)) / (checks.whole("size", size, least=1) * (C / c + log(C))))


def least_distance(L: float, size: int, delta: float) -> float:
    r"""\(\frac2L \operatorname{arcosh}\bigl((4\delta(1-\delta))^{-\frac{1}{2N}}\bigr)\): \(\rho(x, y)\) is no less.

    For every test on N draws that errs with probability \(\delta \le \frac12\) on average (Theorem 13, corrected).
    """
    error = _probability(delta, most=0.5)
    near_half = less(number("1/4"), error)  # where the difference from one keeps the digits
    product = log1p(-((1 - 2 * error) ** 2)) if near_half else log(4 * error * (1 - error))
    u = -product / (2 * checks.whole("size", size, least=1))
    return plain(2 * log1p(expm1(u) + sqrt(expm1(2 * u))) / _constant(L))


def least_distance_by_mean(slope: float, size: int, delta: float) -> float:
    r"""\(\frac{2(1 - 2\delta)}{N\,C\,\mathbb E_\xi\ell} \ln\frac{1-\delta}{\delta}\), the same whatever L is.

    ``slope`` is \(C\,\mathbb E_\xi\ell\).
    """
    error = _probability(delta, most=0.5)
    return plain(
        2
        * (1 - 2 * error)
        * log((1 - error) / error)
        / (checks.whole("size", size, least=1) * checks.real("slope", slope, above=0))
    )


def _probability(delta: float, most: float | None = None) -> float:
    if most is None:
        return checks.real("delta", delta, above=0, below=1)
    return checks.real("delta", delta, above=0, most=most)


def _constant(L: float) -> float:
    return checks.real("L", L, above=0)
