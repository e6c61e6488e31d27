r"""Thresholds of Section 4.3: how far apart two datasets must be for N posterior draws to tell them apart.

The proof of Theorem 13 rests on Lemma 12: with probability at least \(1 - \delta\), the frequencies of N draws are
within \(\sqrt{\frac3N \ln\frac1\delta}\) of the distribution of the draws. The proof concludes that a test can tell two
distributions apart only if their distance is at least this radius. Theorem 13 gives one threshold for the distance
between two datasets under Assumption 1 and another under Assumption 2, and states that a test succeeds beyond either
threshold. In fact, the threshold under Assumption 1 is necessary for small errors but not sufficient, and the threshold
under Assumption 2 is neither necessary nor sufficient.
"""

from ..arithmetic import exp, expm1, less, log, log1p, number, scalar, sqrt
from ..checks import real, whole


def frequency_radius(size: int, delta: float) -> float:
    r"""Radius of Lemma 12, a bound on the L1 distance between the frequencies of N draws and their distribution.

    Suppose that the parameters are partitioned into at most \(\log_2\sqrt{1/\delta}\) sets. Then, with probability at
    least \(1 - \delta\), the frequencies of N draws are within \(\sqrt{\frac3N \ln\frac1\delta}\) of the distribution
    of the draws.

    Args:
        size: Number N of draws.
        delta: Probability, in (0, 1), with which the distance may exceed the radius.

    Returns:
        A positive L1 distance.

    >>> round(frequency_radius(100, 0.05), 6)
    0.299787
    """
    return scalar(sqrt(3 * log(1 / _probability(delta)) / whole("size", size, least=1)))


def weissman_bound(parts: int, size: int, radius: float) -> float:
    r"""Weissman's bound on the probability that the frequencies of draws are far from their distribution.

    For N draws and a partition into m sets, the L1 distance exceeds r with probability at most
    \((2^m - 2)\,e^{-N r^2/2}\).

    Args:
        parts: Number m of sets in the partition; m must be below 1024 so that 2^m does not overflow a double.
        size: Number N of draws.
        radius: The L1 distance r >= 0.

    Returns:
        The bound, which may exceed 1.
    """
    sets, draws = whole("parts", parts, least=1, below=1024), whole("size", size, least=1)
    return scalar((2**sets - 2) * exp(-draws * real("radius", radius, least=0) ** 2 / 2))


def weissman_radius(parts: int, size: int, delta: float) -> float:
    r"""Radius r at which Weissman's bound on the probability of a distance above r equals delta.

    The radius is \(\sqrt{\frac2N \ln\frac{2^m - 2}{\delta}}\). With probability at least 1 - delta, the radius also
    bounds the regret of every answer computed from the draws.

    Args:
        parts: Number m of sets in the partition; m must be at least 2, and below 1024 so that 2^m does not overflow a
            double.
        size: Number N of draws.
        delta: Probability, in (0, 1), with which the distance may exceed the radius.

    Returns:
        A positive L1 distance.
    """
    sets, draws = whole("parts", parts, least=2, below=1024), whole("size", size, least=1)
    return scalar(sqrt(2 * log((2**sets - 2) / _probability(delta)) / draws))


def printed_distance(L: float, size: int, delta: float) -> float:
    r"""Distance in Theorem 13 under Assumption 1, as printed: \(\frac{3}{4LN} \ln\frac1\delta\).

    The paper states that a distance \(\rho(x, y)\) of at least this size is sufficient for a test with error delta. In
    fact, if \(\delta \le 0.2755\), a distance of at least this size is necessary.

    Args:
        L: The Lipschitz constant L > 0.
        size: Number N of draws.
        delta: Error probability of the test, in (0, 1).

    Returns:
        A distance between datasets, in the metric of the family.
    """
    return scalar(3 * log(1 / _probability(delta)) / (4 * real("L", L, above=0) * whole("size", size, least=1)))


def printed_distance_by_rate(ratio: float, rate: float, size: int, delta: float) -> float:
    r"""Distance in Theorem 13 under Assumption 2, as printed: \(\frac{6}{N(C/c + \ln C)} \ln\frac1\delta\).

    A distance \(\rho(x, y)\) of at least this size is neither necessary nor sufficient for a test with error delta.

    Args:
        ratio: The constant C > 1 of Equation 9.
        rate: The rate c > 0 of Assumption 2.
        size: Number N of draws.
        delta: Error probability of the test, in (0, 1).

    Returns:
        A distance between datasets, in the metric of the family.
    """
    C, c = real("ratio", ratio, above=1), real("rate", rate, above=0)
    return scalar(6 * log(1 / _probability(delta)) / (whole("size", size, least=1) * (C / c + log(C))))


def least_distance(L: float, size: int, delta: float) -> float:
    r"""Lower bound on the distance between datasets that N draws tell apart with error delta (Theorem 13, corrected).

    If some test on N draws errs with probability \(\delta \le \frac12\) on average over x and y, then
    \[ \rho(x, y) \ge \frac2L \operatorname{arcosh}\bigl((4\delta(1-\delta))^{-\frac{1}{2N}}\bigr) . \]

    Args:
        L: The Lipschitz constant L > 0.
        size: Number N of draws.
        delta: Average error probability of the test, in (0, 1/2].

    Returns:
        The lower bound on the distance between the datasets, which is 0 if delta = 1/2.

    >>> round(least_distance(1.0, 5, 0.25), 6)
    0.482038
    """
    error = _probability(delta, most=0.5)
    # near delta = 1/2 the product 4 delta (1 - delta) is near 1, so its log is computed from the difference from 1
    near_half = less(number("1/4"), error)
    product = log1p(-((1 - 2 * error) ** 2)) if near_half else log(4 * error * (1 - error))
    u = -product / (2 * whole("size", size, least=1))
    # arcosh(e^u) = ln(e^u + sqrt(e^2u - 1)), with e^u - 1 computed by expm1 to keep its digits at small u
    return scalar(2 * log1p(expm1(u) + sqrt(expm1(2 * u))) / real("L", L, above=0))


def least_distance_by_mean(slope: float, size: int, delta: float) -> float:
    r"""Lower bound on the distance between datasets that a test can tell apart, even if \(\ell\) is unbounded.

    The lower bound is \(\frac{2(1 - 2\delta)}{N\,C\,\mathbb E_\xi\ell} \ln\frac{1-\delta}{\delta}\). It follows from
    Theorem 7, which bounds the Jeffreys divergence between two posteriors.

    Args:
        slope: The positive product \(C\,\mathbb E_\xi\ell\).
        size: Number N of draws.
        delta: Average error probability of the test, in (0, 1/2].

    Returns:
        The lower bound on the distance between the datasets, which is 0 if delta = 1/2.
    """
    error, draws = _probability(delta, most=0.5), whole("size", size, least=1)
    per_record = 2 * (1 - 2 * error) * log((1 - error) / error) / draws
    return scalar(per_record / real("slope", slope, above=0))


def _probability(delta: float, **most: float) -> float:
    """Check that delta lies in (0, 1), or in (0, most] if ``most`` is given, and return delta."""
    return real("delta", delta, above=0, **(most or {"below": 1}))
