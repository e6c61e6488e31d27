r"""How far draws may be from their law.

By the inequality of Dvoretzky, Kiefer and Wolfowitz, with Massart's constant, the distribution function \(F_N\) of N
independent draws satisfies

\[ P\Bigl(\sup_t |F_N(t) - F(t)| > \sqrt{\ln(2/\beta)/(2N)}\Bigr) \le \beta \]

for every law, with atoms too. Here \(\beta = 10^{-9}\) over the choice of the seed, so that a claim about draws that
fails is a fault and no accident.
"""

from typing import Any

from ..arithmetic import log, number, sqrt

FAILURE = 1e-9
"""The probability with which a right program may fail a comparison, over the choice of the seed."""


def allowed_mean(variance: Any, draws: Any) -> Any:
    r"""How far the mean of draws in [0, 1] may be from its expectation, with the same probability (Maurer and Pontil).

    \(\sqrt{2 V \ln(4/\beta) / N} + \frac{7}{3} \ln(4/\beta) / (N - 1)\), V the variance of the draws.
    """
    logarithm = log(4 / number(FAILURE))
    return sqrt(2 * variance * logarithm / draws) + 7 * logarithm / (3 * (draws - 1))


def allowed(draws: Any) -> Any:
    r"""\(\sqrt{\ln(2/\beta)/(2N)}\)."""
    return sqrt(log(2 / number(FAILURE)) / (2 * draws))
