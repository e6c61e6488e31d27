r"""What is computed of laws of a parameter, against integrals in closed form: constants, marginals, distances."""

from collections.abc import Callable
from typing import Any

from ...arithmetic import exp, log, number
from ...posterior_sampling import (
    Beta,
    Gamma,
    bernoulli,
    expected_lipschitz,
    exponential,
    kullback_leibler,
    likelihood_ratio,
    privacy_loss,
    total_variation,
    trimmed_exponential,
)
from ..claim import grid
from .draws import chance, erlang
from .source import ASSUMPTIONS, PAPER, PRIVACY

# What Assumption 2 and Equation 9 speak of


def half_line(L: Any) -> Any:
    r"""\(\int_{1/2}^{p} \ln\frac{\theta}{1-\theta}\,d\theta\), p with log-odds L."""
    return L * chance(L) - log((1 + exp(L)) / 2)


@PAPER.item(
    "ours-expected-constant",
    "Section 2.2, the expected constant",
    cases=[
        *({"family": "bernoulli", "low": low, "high": high} for low, high in ((-1, 1), (-3, 0.5), (0.5, 2))),
        *({"family": "exponential", "low": low, "high": high} for low, high in ((0.5, 2), (1, 30))),
    ],
    calls=expected_lipschitz,
    page=ASSUMPTIONS,
)
def mean_constant(family: str, low: Any, high: Any) -> Any:
    """The mean of the Lipschitz constant under a uniform law of a probability, or an exponential one of a rate, trimmed."""
    if family == "bernoulli":
        return expected_lipschitz(bernoulli(), Beta(1, 1, low, high))
    return expected_lipschitz(exponential(), trimmed_exponential(1, low, high))


@mean_constant.said(
    r"\mathbb E_\xi\,\ell = \frac{I(b) \mp I(|a|)}{\sigma(b) - \sigma(a)},\ I(t) = t\,\sigma(t) - \ln\frac{1 + e^t}{2} \text{; for rates } 1 + \frac{ae^{-a} - be^{-b}}{e^{-a} - e^{-b}}",
    origin="ours",
    proof=True,
)
def expected_constant(family: str, low: Any, high: Any) -> Any:
    r"""The formulas follow from integration by parts. For a uniform probability with log-odds in [a, b] the constant
    is \(|\ln\frac\theta{1-\theta}|\), and \(\sigma\) is the logistic function. If a is below zero, both sides of 1/2
    count, and otherwise their difference does. For a rate the constant is the rate itself.
    """
    if family == "bernoulli":
        inner = -half_line(low) if low > 0 else half_line(-low)
        return (half_line(high) + inner) / (chance(high) - chance(low))
    near, far = exp(-number(low)), exp(-number(high))
    return 1 + (low * near - high * far) / (near - far)


RECORDS: dict[str, tuple[Callable[[], Any], Callable[[], Any], list[float]]] = {
    "coin": (bernoulli, lambda: Beta(1, 1), [1, 1, 0, 0, 0]),
    "coin, all heads": (bernoulli, lambda: Beta(1, 1), [1, 1, 1]),
    "coin, cut": (bernoulli, lambda: Beta(1, 1, -1, 1), [1, 1, 1]),
    "rate": (exponential, lambda: Gamma(2, 1, 0.5, 4), [0.5, 1.5, 1]),
    "rate, cut": (exponential, lambda: trimmed_exponential(1, 0.5, 2), [0]),
}
"""A family, a prior and records."""


@PAPER.item(
    "ours-likelihood-ratio",
    "Section 2.2, Equation 9",
    cases=grid(records=list(RECORDS)),
    calls=likelihood_ratio,
    page=ASSUMPTIONS,
)
def best_over_mean(records: str) -> Any:
    """The largest likelihood over the mean one."""
    family, prior, x = RECORDS[records]
    return likelihood_ratio(family(), prior(), x)


@best_over_mean.said(
    r"C(x) = \frac{\sup_\theta p_\theta(x)}{\phi(x)} \text{, with the integrals in closed form}",
    origin="ours",
    proof=True,
)
def ratio(records: str) -> Any:
    r"""There are five cases. Two heads in five tosses give \(6 \cdot 10 \cdot 0.4^2\, 0.6^3\). Three heads of three give
    4, or \(4 p^3 (2p - 1) / (p^4 - (1-p)^4)\) if the probabilities end at \(p = \sigma(1)\). Three waiting times of
    total 3 under Gamma(2, 1) have the best rate one. They give \(e^{-3}\, 4^5 / 4!\), times the quotient of the shares
    that the two gamma laws have within [1/2, 4]. A waiting time of zero under the trimmed law gives the largest rate
    over the mean one.
    """
    if records == "coin":
        return 60 * number("0.4") ** 2 * number("0.6") ** 3
    if records == "coin, all heads":
        return number(4)
    if records == "coin, cut":
        p = chance(1)
        return 4 * p**3 * (2 * p - 1) / (p**4 - (1 - p) ** 4)
    if records == "rate":
        inside = [law(number(4)) - law(number(0.5)) for law in (erlang(2, 1), erlang(5, 4))]
        return exp(number(-3)) * 4**5 / 24 * inside[0] / inside[1]
    return 2 / expected_constant.body(family="exponential", low=number(0.5), high=number(2))[1]


# Posteriors that are far apart

MEASURES = {"divergence": kullback_leibler, "loss": privacy_loss, "variation": total_variation}


@PAPER.item(
    "ours-far-apart",
    "Definition 2, laws that are far apart",
    cases=grid(measure=list(MEASURES), rate=[3, 200]),
    calls=(kullback_leibler, privacy_loss, total_variation),
    page=PRIVACY,
)
def measured(measure: str, rate: Any) -> Any:
    """Of gamma laws of shape 3, the first with this rate, the second with the rate 1."""
    return MEASURES[measure](Gamma(3, rate), Gamma(3, 1))


@measured.said(
    r"D = 3\bigl(\ln\lambda + \tfrac1\lambda - 1\bigr),\ \sup\ln\tfrac pq = 3\ln\lambda,\ TV = F_\lambda(t) - F_1(t),\ t = \tfrac{3\ln\lambda}{\lambda - 1}",
    origin="ours",
    proof=True,
)
def far_apart(measure: str, rate: Any) -> Any:
    r"""The laws are gamma laws of shape 3 with the rates \(\lambda\) and 1. One has \(\ln\frac pq = 3\ln\lambda -
    (\lambda - 1)\theta\), which is largest at zero and vanishes at t, and \(\theta\) has the mean \(3/\lambda\). In
    doubles the library uses other formulas for laws that are far apart than for laws that are near.
    """
    high = 3 * log(number(rate))
    if measure == "divergence":
        return high + 3 / number(rate) - 3
    if measure == "loss":
        return high
    crossing = high / (rate - 1)
    return erlang(3, rate)(crossing) - erlang(3, number(1))(crossing)
