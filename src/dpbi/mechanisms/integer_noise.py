r"""Exact draws of noise for release, by integer arithmetic from the operating system's entropy.

Every rate or precision is a ``Fraction`` and every draw an ``int``: there is no floating point, so no probability is
rounded, and the low bits of a double reveal nothing. Coins of probability \(e^{-\gamma}\) come from Canonne, Kamath and
Steinke, "The Discrete Gaussian for Differential Privacy", Algorithms 1 and 2. Timing remains a side channel: the number
of coins depends on the draw.

The laws are those of ``noise`` and ``lattice_noise``:

* ``two_sided_geometric``: \(\Pr[z] \propto e^{-\gamma |z|}\);
* ``floored_laplace``: the floor of Laplace noise of scale \(1/\gamma\), or two-sided geometric noise minus a fair coin;
* ``staircase``: \(\Pr[z] \propto e^{-\gamma \lceil |z|/2 \rceil}\);
* ``discrete_gaussian``: \(\Pr[z] \propto e^{-\tau z^2 / 2}\);
* ``zero_sum``: \(\Pr[v] \propto e^{-\gamma |v|_1 / 2}\) on integer vectors with the sum zero.
"""

from fractions import Fraction
from secrets import randbelow


def bernoulli(p: Fraction) -> bool:
    """True with probability p, a fraction in [0, 1]."""
    return randbelow(p.denominator) < p.numerator


def bernoulli_exp(rate: Fraction) -> bool:
    r"""True with probability \(e^{-\gamma}\), \(\gamma \ge 0\), by a coin of probability \(e^{-1}\) per unit of it."""
    while rate.numerator > rate.denominator:
        if not _bernoulli_exp_unit(Fraction(1)):
            return False
        rate -= 1
    return _bernoulli_exp_unit(rate)


def _bernoulli_exp_unit(rate: Fraction) -> bool:
    r"""For \(\gamma \le 1\): coins of probability \(\gamma/1, \gamma/2, \gamma/3, \dots\) until one fails.

    The first m of them succeed with probability \(\gamma^m / m!\); an even number of successes has probability
    \(1 - \gamma + \gamma^2/2 - \dots = e^{-\gamma}\).
    """
    s, t, m = rate.numerator, rate.denominator, 1
    while bernoulli(Fraction(s, t * m)):
        m += 1
    return m % 2 == 1


def one_sided_geometric(rate: Fraction) -> int:
    r"""A geometric variable: \(\Pr[m] = (1 - \alpha)\, \alpha^m\) for \(m \ge 0\), \(\alpha = e^{-\gamma}\).

    With the rate \(\gamma = s/t\): u is uniform below t and accepted with probability \(e^{-u/t}\), v counts coins of
    probability \(e^{-1}\); then \(u + tv\) is geometric of rate \(1/t\), and the floor of its quotient by s is
    geometric of rate \(s/t\).
    """
    s, t = rate.numerator, rate.denominator
    u = randbelow(t)
    while not bernoulli_exp(Fraction(u, t)):
        u = randbelow(t)
    v = 0
    while bernoulli_exp(Fraction(1)):
        v += 1
    return (u + t * v) // s


def two_sided_geometric(rate: Fraction) -> int:
    r"""Two-sided geometric noise, \(\Pr[z] = \frac{1 - \alpha}{1 + \alpha} \alpha^{|z|}\), \(\alpha = e^{-\gamma}\).

    It is a geometric variable with a fair sign, where minus zero is drawn again.
    """
    while True:
        negative, magnitude = randbelow(2) == 1, one_sided_geometric(rate)
        if not (negative and magnitude == 0):
            return -magnitude if negative else magnitude


def floored_laplace(rate: Fraction) -> int:
    r"""The floor of Laplace noise Y of scale \(1/\gamma\): two-sided geometric noise minus a fair coin.

    With g the law of the geometric noise, \(\frac12 (g_j + g_{j+1}) = \frac{1 - \alpha}{2} \alpha^j\) for
    \(j \ge 0\), which is \(\Pr[j \le Y < j + 1]\); and likewise for \(j < 0\).
    """
    return two_sided_geometric(rate) - randbelow(2)


def staircase(rate: Fraction) -> int:
    r"""Staircase noise on whole numbers with steps of two, \(\Pr[z] \propto e^{-\gamma \lceil |z|/2 \rceil}\).

    See Geng and Viswanath (2016). \(q = \lceil |z|/2 \rceil\) would be geometric, but each q > 0 stands
    for four values of z, the magnitudes 2q - 1 and 2q with both signs, and q = 0 for one; so q = 0 is accepted once in
    four times.
    """
    while True:
        q, coins = one_sided_geometric(rate), randbelow(4)
        if q > 0:
            magnitude = 2 * q - coins % 2
            return magnitude if coins < 2 else -magnitude
        if coins == 0:
            return 0


def discrete_gaussian(precision: Fraction) -> int:
    r"""Discrete Gaussian noise, \(\Pr[z] \propto e^{-z^2 / (2\sigma^2)}\), \(\sigma^2\) one over the precision.

    Algorithm 3 of Canonne, Kamath and Steinke. Two-sided geometric noise of rate 1/t, t a power of two near
    \(\max(\sigma, 1)\), is accepted with the probability \(e^{-(|z| - \sigma^2/t)^2 / (2\sigma^2)}\): the exponents add
    up to \(-z^2/(2\sigma^2)\) and a constant, whatever t is; t changes the acceptance rate alone.
    """
    variance = 1 / precision
    t = 1 << ((variance.numerator // variance.denominator).bit_length() // 2)
    near, center, half = Fraction(1, t), variance / t, precision / 2
    while True:
        z = two_sided_geometric(near)
        if bernoulli_exp((abs(z) - center) ** 2 * half):
            return z


def zero_sum(rate: Fraction, k: int) -> tuple[int, ...]:
    r"""An integer vector of k entries with the sum zero, \(\Pr[v] \propto e^{-\gamma |v|_1 / 2}\).

    All entries but the last are two-sided geometric of rate \(\gamma / 2\). The last makes the sum zero, and the vector
    is accepted with its weight \(e^{-\gamma |v_k| / 2}\), after fewer than \(\sqrt{\pi k}\) tries on average, whatever
    the rate.

    Args:
        rate: The rate \(\gamma\), exact.
        k: Number of entries.

    Returns:
        The vector.
    """
    half = rate / 2
    while True:
        first = [two_sided_geometric(half) for _ in range(k - 1)]
        if bernoulli_exp(half * abs(sum(first))):
            return (*first, -sum(first))
