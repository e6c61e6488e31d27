r"""The constants \(L_0\), c and C of Section 5, as printed, and corrections of the values of C that are wrong.

The prior of Lemmas 19, 20 and 22 is a trimmed exponential distribution with rate \(\lambda\) on \([c_1, c_2]\). The
prior of Lemma 21 is \(\mathrm{Beta}(\alpha, \alpha)\). The constant C applies to n coin tosses in Lemma 21, and to one
record in the other lemmas. In all functions, ``bound`` is the bound B > 0 on the absolute value of a record.
"""

from typing import Any, NamedTuple

from .. import checks
from ..arithmetic import exp, largest, log, log1p, lower_beta, maximum, number, scalar, smallest, sqrt
from .bounds import divergence_slope
from .interval_laws import Beta, Gamma, log_beta


class Constants(NamedTuple):
    r"""The constants \(L_0\), c and C of a likelihood family and its conjugate prior.

    Attributes:
        L0: The constant \(L_0\) of Assumption 2.
        rate: The rate c of Assumption 2.
        ratio: The constant C of Equation 9.

    >>> from dpbi.posterior_sampling import trimmed_exponential
    >>> found = exponential_constants(trimmed_exponential(2, 0.5, 2), 1.0)
    >>> round(found.ratio, 6), round(found.delta(), 6)
    (7.389056, 3.039131)
    """

    L0: float
    rate: float
    ratio: float

    def delta(self, distance: float = 1.0) -> float:
        r"""The delta of Theorem 8, part 2, at distance \(\rho\): \(\sqrt{\frac12 C(1 + 2L_0 + c^{-1})\rho}\)."""
        slope = divergence_slope(self.ratio, self.L0, self.rate)
        return scalar(sqrt(slope * checks.real("distance", distance, least=0) / 2))


def exponential_constants(prior: Gamma, bound: float) -> Constants:
    r"""Constants in Lemma 19 for exponential records, all of which are correct as printed.

    The constants are \(L_0 = c_1\), \(c = \lambda\) and \(C = c_2 / \min\{c_1 e^{-c_1 B}, c_2 e^{-c_2 B}\}\).

    Args:
        prior: The trimmed exponential prior of the parameter.
        bound: Bound B on the absolute value of a record.

    Returns:
        The constants L_0, c and C.
    """
    low, high, rate = _trimmed(prior)
    return Constants(low, rate, _largest_over_least(low, high, checks.real("bound", bound, above=0)))


def laplace_constants(prior: Gamma, bound: float, location: float, above: bool = True) -> Constants:
    r"""Constants in Lemma 20 for Laplace records, as printed; the printed value of C is wrong.

    The constants are \(L_0 = c_1\), \(c = \lambda\) and
    \(C = \frac{c_2}{2\min\{\frac1{2c_2}, \frac1{2c_1}\exp(\frac{\pm\mu - B}{c_1})\}}\), where the sign is plus if the
    records are above the location \(\mu\), and minus otherwise.

    Args:
        prior: The trimmed exponential prior of the parameter.
        bound: Bound B on the absolute value of a record.
        location: Location \(\mu\) of the Laplace distribution.
        above: Whether the records are above the location.

    Returns:
        The constants L_0, c and C.
    """
    low, high, rate = _trimmed(prior)
    B, mu = checks.real("bound", bound, above=0), checks.real("location", location)
    least = smallest([1 / (2 * high), exp(((mu if above else -mu) - B) / low) / (2 * low)])
    return Constants(low, rate, scalar(high / (2 * least)))


def laplace_ratio(prior: Gamma, bound: float, location: float) -> float:
    r"""Corrected bound on the constant C in Lemma 20, for Laplace records.

    The bound is \(c_2 / \min\{c_1 e^{-c_1 D}, c_2 e^{-c_2 D}\}\), where \(D = B + |\mu|\) bounds the distance of a
    record from the location.

    Args:
        prior: The trimmed exponential prior of the parameter.
        bound: Bound B on the absolute value of a record.
        location: Location \(\mu\) of the Laplace distribution.

    Returns:
        The bound on C.
    """
    low, high, _ = _trimmed(prior)
    return _largest_over_least(low, high, checks.real("bound", bound, above=0) + abs(checks.real("location", location)))


def coin_constants(alpha: float, n: int) -> Constants:
    r"""Constants in Lemma 21 for n coin tosses, as printed.

    The constants are \(L_0 = \ln n\), the rate c that ``coin_rate`` computes, and
    \(C = \frac{B(\alpha,\alpha)}{B(s - \frac12, s + \frac12)}\) with \(s = \alpha + \frac n2\).

    Args:
        alpha: Value of both parameters of the Beta prior.
        n: Number of records.

    Returns:
        The constants L_0, c and C.

    >>> round(coin_constants(1e-17, 1).ratio, 9)  # B(a, a) = 2 B(a, a + 1)
    2.0
    """
    a, size = checks.real("alpha", alpha, above=0), checks.whole("n", n, least=1)
    half = a + number(size - 1) / 2
    ratio = exp(log_beta(a, a) - log_beta(half, half + 1))
    return Constants(scalar(log(number(size))), coin_rate(a), scalar(ratio))


def coin_rate(alpha: float) -> float:
    r"""Largest c of Assumption 2 for coins, valid for all \(L_0 \ge 0\): \(2^{1-2\alpha} / B(\alpha,\alpha)\)."""
    a = checks.real("alpha", alpha, above=0)
    return scalar(exp((1 - 2 * a) * log(number(2)) - log_beta(a, a)))


def coin_ratio(alpha: float, n: int) -> float:
    r"""Exact constant C for n coin tosses if \(\alpha \ge \frac12\): \(\frac{B(\alpha,\alpha)}{B(\alpha,\alpha+n)}\).

    Args:
        alpha: Value of both parameters of the Beta prior.
        n: Number of records.

    Returns:
        The constant C.
    """
    a, size = checks.real("alpha", alpha, least=0.5), checks.whole("n", n, least=0)
    return scalar(exp(log_beta(a, a) - log_beta(a, a + size)))


def normal_constants(prior: Gamma, mean: float) -> Constants:
    r"""Constants in Lemma 22 for normal records, as printed; the printed value of C is wrong.

    The constants are \(L_0 = \frac{c_1 m}2\) and \(c = \frac{2\lambda}m\) with \(m = \max(|\mu|, 1)\), and
    \(C = \min\{\sqrt{c_2/c_1}\,e^{c_1 c_2^2/2}, e^{c_2^3/2}\}\).

    Args:
        prior: The trimmed exponential prior of the parameter.
        mean: Mean \(\mu\) of the normal distribution.

    Returns:
        The constants L_0, c and C.
    """
    low, high, rate = _trimmed(prior)
    m = maximum(abs(checks.real("mean", mean)), number(1))
    ratio = smallest([sqrt(high / low) * exp(low * high**2 / 2), exp(high**3 / 2)])
    return Constants(scalar(low * m / 2), scalar(2 * rate / m), scalar(ratio))


def normal_ratio(prior: Gamma, bound: float, mean: float) -> float:
    r"""Corrected bound on C for normal records: \(\max\{\sqrt{c_2/c_1}\,e^{c_1 D^2/2}, e^{c_2 D^2/2}\}\).

    Here \(D = B + |\mu|\) bounds the distance of a record from the mean.

    Args:
        prior: The trimmed exponential prior of the parameter.
        bound: Bound B on the absolute value of a record.
        mean: Mean \(\mu\) of the normal distribution.

    Returns:
        The bound on C.
    """
    low, high, _ = _trimmed(prior)
    D = checks.real("bound", bound, above=0) + abs(checks.real("mean", mean))
    return scalar(largest([sqrt(high / low) * exp(low * D**2 / 2), exp(high * D**2 / 2)]))


def _trimmed(prior: Gamma) -> tuple[Any, Any, Any]:
    r"""Ends \(c_1, c_2\) and rate \(\lambda\) of a trimmed exponential prior; any other prior raises an error."""
    allowed = "a trimmed exponential law, a Gamma of shape 1 with ends > 0 and finite"
    low, high = checks.typed("prior", prior, Gamma, allowed).ends
    good = prior.shape == 1 and float(low) > 0 and float(high) < float("inf")
    checks.need(good, f"prior must be {allowed}, got {prior!r}")
    return low, high, prior.rate


def _largest_over_least(low: Any, high: Any, reach: Any) -> float:
    r"""Ratio \(c_2 / \min\{c_1 e^{-c_1 D}, c_2 e^{-c_2 D}\}\) of an upper bound on the likelihood to a lower bound.

    The density \(\theta e^{-\theta D}\) is unimodal in \(\theta\), so its minimum on \([c_1, c_2]\) is attained at
    \(c_1\) or \(c_2\).
    """
    return scalar(high / smallest([low * exp(-low * reach), high * exp(-high * reach)]))


def beta_tail(alpha: float, p: float) -> Any:
    r"""Incomplete beta integral \(A(p) = \int_0^{p/(1+p)} (t(1-t))^{\alpha-1}\,dt\) used in the proof of Lemma 21.

    Args:
        alpha: Value of both parameters of the Beta prior.
        p: The odds p at the end of the tail, between 0 and 1.

    Returns:
        The integral A(p).
    """
    return exp(_log_tail(checks.real("alpha", alpha, above=0), checks.real("p", p, above=0, below=1)))


def tail_rate(alpha: float, p: float) -> float:
    r"""The function \(F(p) = \frac{\ln(2A(p)/B(\alpha,\alpha))}{\ln p}\) of Claim 4, decreasing to c as \(p \to 1\).

    Args:
        alpha: Value of both parameters of the Beta prior.
        p: The odds p at the end of the tail, between 0 and 1.

    Returns:
        The value F(p), which tends to alpha as p tends to 0.

    >>> round(tail_rate(50, 1e-10), 6)  # here A(p) is below the smallest double
    47.099615
    """
    a, share = checks.real("alpha", alpha, above=0), checks.real("p", p, above=0, below=1)
    return scalar(_log_share(a, share) / log(share))


def tail_slope(alpha: float, p: float) -> float:
    r"""The function G of Claim 3, which has the same sign as the derivative \(F'\).

    The function is \(G(p) = p\frac{A'(p)}{A(p)} \ln p - \ln\frac{2A(p)}{B(\alpha,\alpha)} < 0\).

    Args:
        alpha: Value of both parameters of the Beta prior.
        p: The odds p at the end of the tail, between 0 and 1.

    Returns:
        The value G(p), accurate to about nine digits; if p is near 1, G(p) is near 0 and fewer digits are correct.

    >>> round(tail_slope(50, 1e-10), 6)
    -66.783841
    """
    a, share = checks.real("alpha", alpha, above=0), checks.real("p", p, above=0, below=1)
    relative_rise = exp(a * log(share) - 2 * a * log1p(share) - _log_tail(a, share))  # p A'(p) / A(p)
    return scalar(relative_rise * log(share) - _log_share(a, share))


def tail_bend(alpha: float, p: float) -> float:
    r"""The function H of Claim 2, which has the same sign as the derivative \(-G'\).

    The function is \(H(p) = \alpha A(p) - \frac{p^\alpha}{(1-p)(1+p)^{2\alpha-1}} \le 0\). For small p, the two terms
    nearly cancel. Integration by parts gives a form whose terms do not cancel, and the value is computed from that
    form:

    \[ H(p) = 2 \alpha \int_0^{p/(1+p)} t^\alpha (1-t)^{\alpha-1}\,dt - \frac{2 p^{\alpha+1}}{(1-p)(1+p)^{2\alpha}} \]

    Args:
        alpha: Value of both parameters of the Beta prior.
        p: The odds p at the end of the tail, between 0 and 1.

    Returns:
        The value H(p).

    >>> round(tail_bend(1, 1e-15) / -1e-30, 9)  # -p^2 / (1 - p^2)
    1.0
    """
    a, share = checks.real("alpha", alpha, above=0), checks.real("p", p, above=0, below=1)
    rest = exp((a + 1) * log(share) - 2 * a * log1p(share)) / (1 - share)
    return scalar(2 * (a * lower_beta(a + 1, a, share / (1 + share)) - rest))


def _log_share(alpha: Any, p: Any) -> Any:
    r"""Logarithm \(\ln\frac{2A(p)}{B(\alpha,\alpha)}\) of twice the tail probability of the Beta prior."""
    law = Beta(alpha, alpha)
    share = 2 * law.mass(law.low, log(p))
    # quadrature ends at ``TAIL_LOG_DROP`` and may miss a small share, but is more accurate for large shares
    return log(share) if share > 1e-9 else log(number(2)) + _log_tail(alpha, p) - log_beta(alpha, alpha)


def _log_tail(alpha: Any, p: Any) -> Any:
    r"""Logarithm \(\ln A(p)\) of the incomplete beta integral, finite even if A(p) is too small for a double."""
    return Beta(alpha, alpha, high=log(p)).log_mass
