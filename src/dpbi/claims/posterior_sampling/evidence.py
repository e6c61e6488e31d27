"""Sections 2.2.1 and 2.2.2 and the appendix: Theorem 6, what privacy asks of a family and a metric, and Theorem 25."""

import itertools
from typing import Any

from ...arithmetic import largest, minimum, number, remembered
from ...posterior_sampling import (
    bernoulli,
    expected_lipschitz,
    log_marginal,
    network,
    posterior,
    privacy_loss,
    total_variation,
    weighted,
)
from ..claim import REFUTED
from ..premises import Law, Points, premises
from .cases import FAMILIES, UNIT
from .source import PAPER, PRIVACY, ROBUSTNESS

FINITE: list[dict[str, Any]] = [
    {"likelihoods": ((0.2, 0.8), (0.6, 0.4)), "xi": (0.5, 0.5)},
    {"likelihoods": ((0.1, 0.9), (0.9, 0.1)), "xi": (0.3, 0.7)},
    {"likelihoods": ((0.7, 0.2, 0.1), (0.1, 0.3, 0.6), (0.3, 0.3, 0.4)), "xi": (0.2, 0.5, 0.3)},
    {"likelihoods": ((0.05, 0.9, 0.05), (0.5, 0.25, 0.25)), "xi": (0.9, 0.1)},
]
"""Families on two or three outcomes: a row of probabilities for each parameter."""

QUANTITIES = (log_marginal, posterior, privacy_loss)


@remembered
def ordered_pairs(likelihoods: Any, xi: Any) -> list[tuple[Any, Any, Any]]:
    r"""For each ordered pair of outcomes, \(\max_\theta \ln\frac{p_\theta(x)}{p_\theta(y)}\),
    \(\ln\frac{\phi(y)}{\phi(x)}\) and the loss of the posterior.
    """
    outcomes = len(likelihoods[0])
    family = network([[]], [outcomes])  # one node, its only table the row of probabilities
    prior = weighted([(row,) for row in likelihoods], xi)
    fits = [family.log_likelihood(prior.parameters, [[x]]) for x in range(outcomes)]
    evidences = [log_marginal(family, prior, [[x]]) for x in range(outcomes)]
    laws = [posterior(family, prior, [[x]]) for x in range(outcomes)]
    return [
        (largest(fits[x] - fits[y]), evidences[y] - evidences[x], privacy_loss(laws[x], laws[y]))
        for x, y in itertools.permutations(range(outcomes), 2)
    ]


def nearest_pair(likelihoods: Any, xi: Any) -> tuple[Any, Any]:
    """The smaller quantity and half the loss, at the pair of outcomes where they are nearest."""
    gaps = [(minimum(fit, evidence), loss / 2) for fit, evidence, loss in ordered_pairs(likelihoods, xi)]
    return min(gaps, key=lambda gap: float(gap[1] - gap[0]))


@PAPER.item("theorem-6", "Theorem 6", cases=FINITE, relation="<=", calls=QUANTITIES, page=PRIVACY, premises=FAMILIES)
def smaller_quantity(likelihoods: Any, xi: Any) -> Any:
    """The smaller of the two quantities, at the pair where it is nearest to half the loss."""
    return nearest_pair(likelihoods, xi)[0]


@smaller_quantity.said(
    r"(2L, 0)\text{-DP} \implies \text{for each pair } \sup_\theta \ln\frac{p_\theta(x)}{p_\theta(y)} \le L\rho \ \text{ or } \ \ln\frac{\phi(y)}{\phi(x)} \le L\rho",
    proof=True,
    tight=FINITE[0],
)
def theorem_6(likelihoods: Any, xi: Any) -> Any:
    r"""The loss of the posterior from x to y is the sum of the two quantities, so it is at least twice the smaller. If
    both exceed \(L\rho\), the posterior is not \((2L, 0)\)-private. Read so, for each ordered pair, with the supremum
    over the support of the prior, the statement is right. The printed proof ends with "not L-private", which is
    weaker. The sides are the smaller quantity and half the loss, at the pair where they are nearest.
    """
    return nearest_pair(likelihoods, xi)[1]


@PAPER.item(
    "theorem-6-global",
    "Theorem 6, with one of the two for all pairs",
    cases=[*FINITE, {"likelihoods": ((0.1, 0.9),), "xi": (1,)}],
    relation="<=",
    calls=QUANTITIES,
    page=PRIVACY,
)
def smaller_of_the_worst(likelihoods: Any, xi: Any) -> Any:
    """The smaller of the largest values of the two quantities."""
    fits, evidences, _ = zip(*ordered_pairs(likelihoods, xi), strict=True)
    return minimum(largest(fits), largest(evidences))


@smaller_of_the_worst.said(
    r"(2L, 0)\text{-DP} \implies \sup_\theta \ln\frac{p_\theta(x)}{p_\theta(y)} \le L\rho \ \forall x, y \ \text{ or } \ \ln\frac{\phi(y)}{\phi(x)} \le L\rho \ \forall x, y",
    origin="reading",
    expected=REFUTED,
)
def theorem_6_global(likelihoods: Any, xi: Any) -> Any:
    r"""This is the other way to read "either ... or ... for all x, y". A prior on a single parameter loses nothing, yet
    \(\ln\frac{p(1)}{p(0)}\) and \(\ln\frac{\phi(1)}{\phi(0)}\) are as large as one likes, each at its own order of the pair.
    """
    return largest([loss for _, _, loss in ordered_pairs(likelihoods, xi)]) / 2


@PAPER.item(
    "theorem-6-marginals",
    "Section 2.2.1, the second condition alone",
    cases=[{"likelihoods": ((0.1, 0.9), (0.9, 0.1)), "xi": (0.5, 0.5)}],
    relation=">",
    calls=QUANTITIES,
    page=PRIVACY,
)
def worst_loss(likelihoods: Any, xi: Any) -> Any:
    """The largest loss of the posterior."""
    return largest([loss for _, _, loss in ordered_pairs(likelihoods, xi)])


@worst_loss.said(
    r"\ln\frac{\phi(y)}{\phi(x)} \le L\rho(x, y) \ \forall x, y \ \text{ does not imply } (2L, 0)\text{-DP}",
    proof=True,
)
def theorem_6_marginals(likelihoods: Any, xi: Any) -> Any:
    r"""Take two mirrored parameters of equal weight. Then \(\phi\) is constant, so L = 0 satisfies the condition, and
    yet the posterior loses \(\ln 9\). The sides are the loss and 2L.
    """
    return 2 * largest([evidence for _, evidence, _ in ordered_pairs(likelihoods, xi)])


SEQUENCES: list[dict[str, Any]] = [
    {"theta": theta, "x": x, "y": y}
    for theta in (0.2, 0.5, 0.95)
    for x, y in (((0, 1, 1), (1, 1, 0)), ((0, 0, 1, 1), (1, 0, 1, 0)), ((0, 0, 0), (1, 1, 0)))
]
"""Sequences of coins, two pairs with as many ones and one with fewer."""


@PAPER.item(
    "section-2.2.2-sufficient",
    "Section 2.2.2, necessity for the assumptions",
    cases=SEQUENCES,
    calls=bernoulli,
    page=PRIVACY,
)
def change_of_sequence(theta: Any, x: Any, y: Any) -> Any:
    r"""\(|\ln p_\theta(x) - \ln p_\theta(y)|\)."""
    fits = [bernoulli().log_likelihood([theta], [int(record) for record in records])[0] for records in (x, y)]
    return abs(fits[0] - fits[1])


@change_of_sequence.said(
    r"\rho(x, y) = \|\tau(x) - \tau(y)\|,\ |\ln p_\theta(x) - \ln p_\theta(y)| \le \ell(\theta)\, \rho(x, y),\ \ell(\theta) < \infty \implies \bigl[\tau(x) = \tau(y) \implies p_\theta(x) = p_\theta(y)\bigr]",
    proof=True,
)
def section_2_2_2_sufficient(theta: Any, x: Any, y: Any) -> Any:
    r"""A distance of zero leaves no room for a difference. Under Assumption 1 \(\ell\) is finite everywhere. Under
    Assumption 2 it is finite with probability one under the prior, so the conclusion is about almost every \(\theta\).
    Equal likelihoods are more than sufficiency asks for, which allows a factor without \(\theta\). The cases take
    coins and the number of ones, for which the assumption holds with equality. Their sides are the change of the log
    likelihood and \(\ell(\theta)\,|\tau(x) - \tau(y)|\), both zero where the numbers of ones agree.
    """
    return bernoulli().lipschitz([theta])[0] * abs(sum(x) - sum(y))


PROPORTIONAL: list[dict[str, Any]] = [
    {"likelihoods": ((0.25, 0.5, 0.25), (0.125, 0.25, 0.625)), "xi": (0.5, 0.5)},
    {"likelihoods": ((0.3, 0.3, 0.4), (0.05, 0.05, 0.9), (0.1, 0.1, 0.8)), "xi": (0.2, 0.5, 0.3)},
]
"""Families in which the outcomes 0 and 1 are in the same ratio under every parameter."""


def of_two_outcomes(likelihoods: Any, xi: Any) -> tuple[Any, Any]:
    r"""The total variation between the posteriors of the outcomes 0 and 1, and their largest change of
    \(\ln p_\theta\).
    """
    family = network([[]], [len(likelihoods[0])])
    prior = weighted([(row,) for row in likelihoods], xi)
    p, q = (posterior(family, prior, [[x]]) for x in (0, 1))
    fits = [family.log_likelihood(prior.parameters, [[x]]) for x in (0, 1)]
    return total_variation(p, q), largest(abs(fits[0] - fits[1]))


@PAPER.item(
    "section-2.2.2-bayes",
    "Section 2.2.2, necessity for privacy",
    cases=PROPORTIONAL,
    calls=(posterior, total_variation),
    page=PRIVACY,
)
def change_of_posterior(likelihoods: Any, xi: Any) -> Any:
    """The total variation between the posteriors of two outcomes at distance zero."""
    return of_two_outcomes(likelihoods, xi)[0]


@change_of_posterior.said(
    r"\rho(x, y) = \|\tau(x) - \tau(y)\|,\ (\varepsilon, \delta)\text{-DP under } \rho \implies \bigl[\tau(x) = \tau(y) \implies \xi(B \mid x) = \xi(B \mid y) \ \forall B\bigr]",
    proof=True,
)
def section_2_2_2_bayes(likelihoods: Any, xi: Any) -> Any:
    r"""At \(\rho = 0\) Definition 2 says \(\xi(B \mid x) \le \xi(B \mid y)\) for all B and for their complements, so
    the two are equal. The cases have a statistic that joins two outcomes whose likelihoods have the same ratio under
    all parameters. Their posteriors agree, as they must.
    """
    return number(0)


@PAPER.item(
    "section-2.2.2-weaker",
    "Section 2.2.2, the two compared",
    cases=PROPORTIONAL[:1],
    relation=">",
    calls=(network, posterior, total_variation),
    page=PRIVACY,
)
def change_of_likelihood(likelihoods: Any, xi: Any) -> Any:
    """The largest change of the log likelihood between two outcomes at distance zero."""
    return of_two_outcomes(likelihoods, xi)[1]


@change_of_likelihood.said(
    r"\text{equal posteriors are a weaker condition than } p_\theta(x) = p_\theta(y)",
    proof=True,
)
def section_2_2_2_weaker(likelihoods: Any, xi: Any) -> Any:
    r"""Equal likelihoods give equal posteriors. The case has two outcomes with equal posteriors, one of which is twice
    as likely under both parameters. So privacy under \(\rho\) does not imply the assumptions. With fewer parameters
    equal posteriors are easier still to have: a prior on a single parameter has the same posterior for all data. The
    sides are \(\ln 2\) and the total variation.
    """
    return of_two_outcomes(likelihoods, xi)[0]


@PAPER.item(
    "theorem-25",
    "Theorem 25 (Norkin)",
    cases=[
        {"parameters": (0.2, 0.4, 0.6), "xi": (0.5, 0.3, 0.2)},
        {"parameters": (0.6, 0.7, 0.95), "xi": (0.5, 0.3, 0.2)},
        {"parameters": (0.1, 0.9), "xi": (0.5, 0.5)},
    ],
    relation="<=",
    calls=bernoulli,
    page=ROBUSTNESS,
    premises=premises(parameters=Points(UNIT, (1, 2, 3, 4)), xi=Law(of="parameters")),
)
def change_of_the_mean(parameters: Any, xi: Any) -> Any:
    """How far the mean log likelihood of one record moves when the record is replaced."""
    family, prior = bernoulli(), weighted(parameters, xi)
    change = family.log_likelihood(prior.parameters, [1]) - family.log_likelihood(prior.parameters, [0])
    return abs((prior.weights * change).sum())


@change_of_the_mean.said(
    r"|\mathbb E_\xi f(x, \theta) - \mathbb E_\xi f(y, \theta)| \le \mathbb E_\xi \ell(\theta)\, \rho(x, y)",
    proof=True,
    tight={"parameters": (0.6, 0.7, 0.95), "xi": (0.5, 0.3, 0.2)},
)
def theorem_25(parameters: Any, xi: Any) -> Any:
    r"""The absolute value of a mean is at most the mean of the absolute values. Here f is the log likelihood of one binary
    record; there is equality when all parameters are on one side of 1/2.
    """
    return expected_lipschitz(bernoulli(), weighted(parameters, xi))
