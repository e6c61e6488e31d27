"""How far the mean of draws may be from its expectation, at a stated probability of failing."""

from typing import Any

from ..arithmetic import log, number, sqrt

FAILURE = 1e-9
"""The probability with which a right program may fail a comparison, over the choice of the seed."""


def allowed_mean(variance: Any, draws: Any) -> Any:
    r"""How far the mean of draws in [0, 1] may be from its expectation, but for that probability (Maurer and Pontil).

    \(\sqrt{2 V \ln(4/\beta) / N} + \frac{7}{3} \ln(4/\beta) / (N - 1)\), V the variance of the draws.
    """
    logarithm = log(4 / number(FAILURE))
    return sqrt(2 * variance * logarithm / draws) + 7 * logarithm / (3 * (draws - 1))
