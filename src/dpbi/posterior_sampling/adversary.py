r"""What an adversary can tell from N draws (Section 4.3): what the error of a test asks of the data.

Theorem 13 rests on Lemma 12: the frequencies of N draws are within \(\sqrt{\frac3N \ln\frac1\delta}\) of their law,
so to tell two laws apart their distance must be at least that. Both conditions are necessary, not sufficient.
"""

from .. import checks
from ..arithmetic import exp, expm1, less, log, log1p, number, plain, sqrt


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
