r"""Thresholds of Section 4.3: how far apart datasets must be before N draws tell them apart.

Theorem 13 rests on Lemma 12: with probability at least \(1 - \delta\) the frequencies of N draws are within
\(\sqrt{\frac3N \ln\frac1\delta}\) of their law. A test that tells two laws apart therefore needs laws at least that far
apart. The theorem prints two distances as sufficient for a test. Under Assumption 1 the printed one is necessary for
small errors, and not sufficient; under Assumption 2 it is neither.
"""

from .. import checks
from ..arithmetic import exp, expm1, less, log, log1p, number, scalar, sqrt


def frequency_radius(size: int, delta: float) -> float:
    r"""Radius of Lemma 12: with probability 1 - delta the frequencies of N draws are this near to their law.

    \(\sqrt{\frac3N \ln\frac1\delta}\), in L1 distance, for a partition into at most \(\log_2\sqrt{1/\delta}\) sets.

    Args:
        size: Number N of draws.
        delta: Probability of a larger distance, in (0, 1).

    Returns:
        An L1 distance, > 0.

    >>> round(frequency_radius(100, 0.05), 6)
    0.299787
    """
    return scalar(sqrt(3 * log(1 / _probability(delta)) / checks.whole("size", size, least=1)))


def weissman_bound(parts: int, size: int, radius: float) -> float:
    r"""Weissman's bound on the probability that frequencies are farther than a radius from their law.

    \((2^m - 2)\,e^{-N r^2/2}\), for N draws, m sets and the L1 distance r.

    Args:
        parts: Number m of sets in the partition, below 1024: 2^m is a double.
        size: Number N of draws.
        radius: L1 distance r, >= 0.

    Returns:
        The bound, which can exceed 1.
    """
    sets, draws = checks.whole("parts", parts, least=1, below=1024), checks.whole("size", size, least=1)
    return scalar((2**sets - 2) * exp(-draws * checks.real("radius", radius, least=0) ** 2 / 2))


def weissman_radius(parts: int, size: int, delta: float) -> float:
    r"""Radius at which Weissman's bound is delta; with probability 1 - delta it also bounds the regret of every answer.

    \(\sqrt{\frac2N \ln\frac{2^m - 2}{\delta}}\).

    Args:
        parts: Number m >= 2 of sets in the partition, below 1024: 2^m is a double.
        size: Number N of draws.
        delta: Probability in (0, 1).

    Returns:
        An L1 distance, > 0.
    """
    sets, draws = checks.whole("parts", parts, least=2, below=1024), checks.whole("size", size, least=1)
    return scalar(sqrt(2 * log((2**sets - 2) / _probability(delta)) / draws))


def printed_distance(L: float, size: int, delta: float) -> float:
    r"""Distance of Theorem 13 under Assumption 1, as printed: \(\frac{3}{4LN} \ln\frac1\delta\).

    The paper calls it sufficient for a test with error delta. It is a necessary condition on \(\rho(x, y)\), for
    \(\delta \le 0.2755\).

    Args:
        L: Lipschitz constant, > 0.
        size: Number N of draws.
        delta: Error of the test, in (0, 1).

    Returns:
        A distance between datasets, in the metric of the family.
    """
    return scalar(
        3 * log(1 / _probability(delta)) / (4 * checks.real("L", L, above=0) * checks.whole("size", size, least=1))
    )


def printed_distance_by_rate(ratio: float, rate: float, size: int, delta: float) -> float:
    r"""Distance of Theorem 13 under Assumption 2, as printed: \(\frac{6}{N(C/c + \ln C)} \ln\frac1\delta\).

    It is neither necessary nor sufficient.

    Args:
        ratio: The constant C of Equation 9, > 1.
        rate: The rate c of Assumption 2, > 0.
        size: Number N of draws.
        delta: Error of the test, in (0, 1).

    Returns:
        A distance between datasets, in the metric of the family.
    """
    C, c = checks.real("ratio", ratio, above=1), checks.real("rate", rate, above=0)
    return scalar(6 * log(1 / _probability(delta)) / (checks.whole("size", size, least=1) * (C / c + log(C))))


def least_distance(L: float, size: int, delta: float) -> float:
    r"""Least distance of two datasets that a test on N draws tells apart with error delta (Theorem 13, corrected).

    \[ \rho(x, y) \ge \frac2L \operatorname{arcosh}\bigl((4\delta(1-\delta))^{-\frac{1}{2N}}\bigr) \]
    for every test on N draws that errs with probability \(\delta \le \frac12\) on average over x and y.

    Args:
        L: Lipschitz constant, > 0.
        size: Number N of draws.
        delta: Average error of the test, in (0, 1/2].

    Returns:
        A distance between datasets, 0 at delta = 1/2.

    >>> round(least_distance(1.0, 5, 0.25), 6)
    0.482038
    """
    error = _probability(delta, most=0.5)
    # near 1/2 the product 4 delta (1 - delta) is near 1: its difference from 1 keeps the digits
    near_half = less(number("1/4"), error)
    product = log1p(-((1 - 2 * error) ** 2)) if near_half else log(4 * error * (1 - error))
    u = -product / (2 * checks.whole("size", size, least=1))
    return scalar(2 * log1p(expm1(u) + sqrt(expm1(2 * u))) / checks.real("L", L, above=0))


def least_distance_by_mean(slope: float, size: int, delta: float) -> float:
    r"""Least distance of two datasets that a test tells apart, without a bound L on the Lipschitz constants.

    \(\frac{2(1 - 2\delta)}{N\,C\,\mathbb E_\xi\ell} \ln\frac{1-\delta}{\delta}\), from the Jeffreys bound of Theorem 7.

    Args:
        slope: The product \(C\,\mathbb E_\xi\ell\), > 0.
        size: Number N of draws.
        delta: Average error of the test, in (0, 1/2].

    Returns:
        A distance between datasets, 0 at delta = 1/2.
    """
    error, draws = _probability(delta, most=0.5), checks.whole("size", size, least=1)
    per_record = 2 * (1 - 2 * error) * log((1 - error) / error) / draws
    return scalar(per_record / checks.real("slope", slope, above=0))


def _probability(delta: float, **most: float) -> float:
    return checks.real("delta", delta, above=0, **(most or {"below": 1}))
