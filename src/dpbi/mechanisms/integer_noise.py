r"""Exact draws of noise for release, in integer arithmetic and with the operating system's randomness.

Every rate or precision is a ``Fraction``, and every draw is an ``int``. No floating-point arithmetic is used, so no
probability is rounded, and the low bits of a double cannot reveal the data. Coins that show heads with probability
\(e^{-\gamma}\) are flipped by Algorithms 1 and 2 of Canonne, Kamath and Steinke, "The Discrete Gaussian for
Differential Privacy". Timing remains a side channel, because the time of a draw depends on the drawn value.

The functions draw from the distributions in ``noise``, ``gaussian_noise`` and ``lattice_noise``:

* ``two_sided_geometric``: \(\Pr[z] \propto e^{-\gamma |z|}\);
* ``floored_laplace``: the floor of Laplace noise of scale \(1/\gamma\), drawn as two-sided geometric noise minus a
  fair coin;
* ``staircase``: \(\Pr[z] \propto e^{-\gamma \lceil |z|/2 \rceil}\);
* ``discrete_gaussian``: \(\Pr[z] \propto e^{-\tau z^2 / 2}\);
* ``zero_sum``: \(\Pr[v] \propto e^{-\gamma |v|_1 / 2}\) on integer vectors whose sum is zero.
"""

from fractions import Fraction
from secrets import randbelow


def bernoulli_exp(rate: Fraction) -> bool:
    r"""Returns True with probability \(e^{-\gamma}\), \(\gamma \ge 0\), with one coin per unit of \(\gamma\)."""
    units, rest = divmod(rate, 1)
    return all(_bernoulli_exp_unit(Fraction(1)) for _ in range(units)) and _bernoulli_exp_unit(rest)


def _bernoulli_exp_unit(rate: Fraction) -> bool:
    r"""Returns True with probability \(e^{-\gamma}\) for \(\gamma \le 1\).

    Coins with the success probabilities \(\gamma/1, \gamma/2, \gamma/3, \dots\) are flipped until one fails. The first
    m coins all succeed with probability \(\gamma^m / m!\), so the number of successes is even with probability \(1 -
    \gamma + \gamma^2/2 - \dots = e^{-\gamma}\).
    """
    s, t, m = rate.numerator, rate.denominator, 1
    while randbelow(t * m) < s:
        m += 1
    return m % 2 == 1


def one_sided_geometric(rate: Fraction) -> int:
    r"""Draws a geometric variable, \(\Pr[m] = (1 - \alpha)\, \alpha^m\) for \(m \ge 0\), with \(\alpha = e^{-\gamma}\).

    Let the rate be \(\gamma = s/t\). Draw u uniformly from 0, ..., t - 1 and accept u with probability \(e^{-u/t}\).
    Let v be the number of successes before the first failure of coins with probability \(e^{-1}\). Then \(u + tv\) is
    geometric with rate \(1/t\), and \(\lfloor (u + tv)/s \rfloor\) is geometric with rate \(s/t\).
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
    r"""Draws two-sided geometric noise, \(\Pr[z] = \frac{1-\alpha}{1+\alpha} \alpha^{|z|}\), \(\alpha = e^{-\gamma}\).

    The noise is a geometric variable with a random sign. A zero with a negative sign is rejected, so that zero is not
    counted twice.
    """
    while True:
        negative, magnitude = randbelow(2) == 1, one_sided_geometric(rate)
        if not (negative and magnitude == 0):
            return -magnitude if negative else magnitude


def floored_laplace(rate: Fraction) -> int:
    r"""Draws the floor of Laplace noise Y of scale \(1/\gamma\), as two-sided geometric noise minus a fair coin.

    Let \(g_j\) be the probabilities of the geometric noise. Then the difference is \(j \ge 0\) with probability
    \(\frac12 (g_j + g_{j+1}) = \frac{1 - \alpha}{2} \alpha^j = \Pr[j \le Y < j + 1]\). The case \(j < 0\) is similar.
    """
    return two_sided_geometric(rate) - randbelow(2)


def staircase(rate: Fraction) -> int:
    r"""Draws staircase noise on the integers with steps of two, \(\Pr[z] \propto e^{-\gamma \lceil |z|/2 \rceil}\).

    See Geng and Viswanath (2016). Let q be a geometric variable. If q is accepted, it is the value of \(\lceil |z|/2
    \rceil\). Each q > 0 leads to four values of z, the magnitudes 2q - 1 and 2q with both signs, but q = 0 leads only
    to z = 0. Therefore a zero is accepted with probability 1/4.
    """
    while True:
        q, coins = one_sided_geometric(rate), randbelow(4)
        if q > 0:
            magnitude = 2 * q - coins % 2
            return magnitude if coins < 2 else -magnitude
        if coins == 0:
            return 0


def discrete_gaussian(precision: Fraction) -> int:
    r"""Draws discrete Gaussian noise, \(\Pr[z] \propto e^{-z^2 / (2\sigma^2)}\), with \(\sigma^2\) = 1 / ``precision``.

    This is Algorithm 3 of Canonne, Kamath and Steinke. Let t be a power of two near \(\max(\sigma, 1)\). Two-sided
    geometric noise z of rate 1/t is accepted with probability \(e^{-(|z| - \sigma^2/t)^2 / (2\sigma^2)}\). The
    exponents add up to \(-z^2/(2\sigma^2)\) plus a constant for every t, so the choice of t affects only the acceptance
    rate.
    """
    variance = 1 / precision
    t = 1 << ((variance.numerator // variance.denominator).bit_length() // 2)
    near, center, half = Fraction(1, t), variance / t, precision / 2
    while True:
        z = two_sided_geometric(near)
        if bernoulli_exp((abs(z) - center) ** 2 * half):
            return z


def zero_sum(rate: Fraction, k: int) -> tuple[int, ...]:
    r"""Draws an integer vector with k entries and sum zero, \(\Pr[v] \propto e^{-\gamma |v|_1 / 2}\).

    All entries but the last are two-sided geometric noise with rate \(\gamma / 2\). The last entry is chosen to make
    the sum zero, and the vector is accepted with probability \(e^{-\gamma |v_k| / 2}\). The mean number of tries is
    below \(\sqrt{\pi k}\) at every rate.

    Args:
        rate: The rate \(\gamma\), an exact fraction > 0.
        k: Number of entries.

    Returns:
        The vector.
    """
    half = rate / 2
    while True:
        first = [two_sided_geometric(half) for _ in range(k - 1)]
        if bernoulli_exp(half * abs(sum(first))):
            return (*first, -sum(first))
