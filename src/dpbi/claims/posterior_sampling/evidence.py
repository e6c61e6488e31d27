"""Sections 2.2.1 and 2.2.2 and the appendix: Theorem 6, what privacy asks of a family and a metric, and Theorem 25."""

import itertools

from ... import posterior_sampling as ps
from ...arithmetic import largest, minimum, number, remembered
from .. import above, at_most, equal, grid, rows, statement
from .cases import COIN

FINITE = rows(
    "likelihoods xi",
    (((0.2, 0.8), (0.6, 0.4)), (0.5, 0.5)),
    (((0.7, 0.2, 0.1), (0.1, 0.3, 0.6), (0.3, 0.3, 0.4)), (0.2, 0.5, 0.3)),
)
"""Families on two or three outcomes: a row of probabilities for each parameter."""


@remembered
def of_outcomes(likelihoods, xi):
    """For each outcome the log likelihoods, the log marginal and the posterior."""
    family = ps.network([[]], [len(likelihoods[0])])  # one node, its only table the row of probabilities
    prior, data = ps.weighted([(row,) for row in likelihoods], xi), [[[x]] for x in range(len(likelihoods[0]))]
    fits = [family.log_likelihood(prior.parameters, x) for x in data]
    return fits, [ps.log_marginal(family, prior, x) for x in data], [ps.posterior(family, prior, x) for x in data]


def ordered_pairs(likelihoods, xi):
    r"""For each ordered pair of outcomes, \(\max_\theta \ln\frac{p_\theta(x)}{p_\theta(y)}\),
    \(\ln\frac{\phi(y)}{\phi(x)}\) and the loss of the posterior.
    """
    fits, evidences, laws = of_outcomes(likelihoods, xi)
    return [
        (largest(fits[x] - fits[y]), evidences[y] - evidences[x], ps.privacy_loss(laws[x], laws[y]))
        for x, y in itertools.permutations(range(len(laws)), 2)
    ]


@statement(
    "posterior-sampling/theorem-6",
    "Theorem 6",
    says=r"$(2L, 0)$-DP implies for each pair $\sup_\theta \ln\frac{p_\theta(x)}{p_\theta(y)} \le L\rho$ or $\ln\frac{\phi(y)}{\phi(x)} \le L\rho$",
    cases=FINITE,
)
def theorem_6(likelihoods, xi):
    r"""The statement is right for each ordered pair, with the supremum over the support of the prior. The printed proof
    ends with "not L-private", which is weaker. The sides are the smaller quantity and half the loss, at the pair where
    they are nearest.

    Proof: the loss of the posterior from x to y is the sum of the two quantities, so it is at least twice the smaller.
    If both exceed \(L\rho\), the posterior is not \((2L, 0)\)-private.
    """
    pairs = [(minimum(fit, evidence), loss / 2) for fit, evidence, loss in ordered_pairs(likelihoods, xi)]
    smaller, half = min(pairs, key=lambda pair: float(pair[1] - pair[0]))
    return smaller, at_most(half)


@statement(
    "posterior-sampling/theorem-6-global",
    "Theorem 6, with one of the two for all pairs",
    says=r"$(2L, 0)$-DP implies $\sup_\theta \ln\frac{p_\theta(x)}{p_\theta(y)} \le L\rho$ for all $x, y$, or $\ln\frac{\phi(y)}{\phi(x)} \le L\rho$ for all $x, y$",
    reading='"either ... or ... for all x, y" says which of the two holds once, for all pairs',
    why="a prior on a single parameter loses nothing, and both quantities are as large as one likes",
    cases=[*FINITE, {"likelihoods": ((0.1, 0.9),), "xi": (1,)}],
)
def theorem_6_global(likelihoods, xi):
    r"""With one parameter \(\ln\frac{p(1)}{p(0)}\) and \(\ln\frac{\phi(1)}{\phi(0)}\) are large, each at its own order
    of the pair. The other reading, ``posterior-sampling/theorem-6``, is right.
    """
    fits, evidences, losses = zip(*ordered_pairs(likelihoods, xi), strict=True)
    return minimum(largest(fits), largest(evidences)), at_most(largest(losses) / 2)


@statement(
    "posterior-sampling/theorem-6-marginals",
    "Section 2.2.1, the second condition alone",
    says=r"$\ln\frac{\phi(y)}{\phi(x)} \le L\rho(x, y)$ for all $x, y$ does not imply $(2L, 0)$-DP",
    cases=[{"theta": 0.1}],
    given=(r"$\theta \ne \tfrac12$", lambda theta: bool(2 * theta != 1)),
)
def theorem_6_marginals(theta):
    r"""The sides are the loss and 2L, for the least L that satisfies the condition.

    Proof: take two mirrored coins of equal weight. Then \(\phi\) is constant, so L = 0 satisfies the condition,
    and yet the posterior of the coins 0.1 and 0.9 loses \(\ln 9\).
    """
    half, mirrored = number(1) / 2, ((theta, 1 - theta), (1 - theta, theta))
    _, evidences, losses = zip(*ordered_pairs(mirrored, (half, half)), strict=True)
    return largest(losses), above(2 * largest(evidences))


@statement(
    "posterior-sampling/section-2.2.2-sufficient",
    "Section 2.2.2, necessity for the assumptions",
    says=r"$\rho(x, y) = \|\tau(x) - \tau(y)\|$, $|\ln p_\theta(x) - \ln p_\theta(y)| \le \ell(\theta)\, \rho(x, y)$ and $\ell(\theta) < \infty$ imply that $p_\theta(x) = p_\theta(y)$ if $\tau(x) = \tau(y)$",
    cases=grid(theta=[0.2, 0.95], x=[(0, 1, 1)], y=[(1, 1, 0), (0, 0, 1)]),
)
def section_2_2_2_sufficient(theta, x, y):
    r"""Equal likelihoods are more than sufficiency asks for, which allows a factor without \(\theta\). The cases take
    coins and the number of ones, for which the assumption holds with equality. Their sides are the change of the log
    likelihood and \(\ell(\theta)\,|\tau(x) - \tau(y)|\), both zero where the numbers of ones agree.

    Proof: a distance of zero leaves no room for a difference. Under Assumption 1 \(\ell\) is finite everywhere. Under
    Assumption 2 it is finite with probability one under the prior, so the conclusion is about almost every \(\theta\).
    """
    fits = [COIN.log_likelihood([theta], [int(record) for record in records])[0] for records in (x, y)]
    return abs(fits[0] - fits[1]), equal(COIN.lipschitz([theta])[0] * abs(sum(x) - sum(y)))


def in_one_ratio(likelihoods) -> bool:
    """Whether the outcomes 0 and 1 are in the same ratio under every parameter, so that a statistic may join them."""
    first = likelihoods[0]
    return all(bool(row[0] * first[1] == row[1] * first[0]) for row in likelihoods)


@statement(
    "posterior-sampling/section-2.2.2-bayes",
    "Section 2.2.2, necessity for privacy",
    says=r"$\rho(x, y) = \|\tau(x) - \tau(y)\|$ and $(\varepsilon, \delta)$-DP under $\rho$ imply that $\xi(B \mid x) = \xi(B \mid y)$ for all $B$ if $\tau(x) = \tau(y)$",
    cases=[{"likelihoods": ((0.25, 0.5, 0.25), (0.125, 0.25, 0.625)), "xi": (0.5, 0.5)}],
    given=("the outcomes 0 and 1 are in the same ratio under every parameter", in_one_ratio),
)
def section_2_2_2_bayes(likelihoods, xi):
    r"""The cases have a statistic that joins two outcomes whose likelihoods have the same ratio under all parameters.
    Their posteriors agree, as they must.

    Proof: at \(\rho = 0\) Definition 2 says \(\xi(B \mid x) \le \xi(B \mid y)\) for all B and for their complements,
    so the two are equal.
    """
    _, _, laws = of_outcomes(likelihoods, xi)
    return ps.total_variation(laws[0], laws[1]), equal(number(0))


@statement(
    "posterior-sampling/section-2.2.2-weaker",
    "Section 2.2.2, the two compared",
    says=r"equal posteriors are a weaker condition than $p_\theta(x) = p_\theta(y)$",
    cases=section_2_2_2_bayes.cases,
    given=("the outcomes 0 and 1 are in the same ratio under every parameter", in_one_ratio),
)
def section_2_2_2_weaker(likelihoods, xi):
    r"""So privacy under \(\rho\) does not imply the assumptions. With fewer parameters equal posteriors are easier
    still: a prior on a single parameter has the same posterior for all data. The sides are \(\ln 2\) and the total
    variation.

    Proof: equal likelihoods give equal posteriors. The case has two outcomes with equal posteriors, one of which is
    twice as likely under both parameters.
    """
    fits, _, laws = of_outcomes(likelihoods, xi)
    return largest(abs(fits[0] - fits[1])), above(ps.total_variation(laws[0], laws[1]))


@statement(
    "posterior-sampling/theorem-25",
    "Theorem 25 (Norkin)",
    says=r"$|\mathbb E_\xi f(x, \theta) - \mathbb E_\xi f(y, \theta)| \le \mathbb E_\xi \ell(\theta)\, \rho(x, y)$",
    cases=grid(parameters=[(0.2, 0.4, 0.6), (0.6, 0.7, 0.95)], xi=[(0.5, 0.3, 0.2)]),
)
def theorem_25(parameters, xi):
    r"""Here f is the log likelihood of one binary record; there is equality when all parameters are on one side of 1/2.

    Proof: the absolute value of a mean is at most the mean of the absolute values.
    """
    prior = ps.weighted(parameters, xi)
    change = COIN.log_likelihood(prior.parameters, [1]) - COIN.log_likelihood(prior.parameters, [0])
    return abs((prior.weights * change).sum()), at_most(ps.expected_lipschitz(COIN, prior))
