"""Sections 2.2.1 and 2.2.2 and the appendix: Theorem 6, what privacy asks of a family and a metric, and Theorem 25."""

import itertools

from ... import posterior_sampling as ps
from ...arithmetic import largest, less, minimum, number, remembered, smallest
from ...posterior_sampling.bounds import jeffreys_bound
from .. import above, at_most, equal, grid, rows, statement
from .cases import COIN, bernoulli_prior, ones_first

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
    return fits, [ps.log_evidence(family, prior, x) for x in data], [ps.posterior_law(family, prior, x) for x in data]


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
    says=r"for a prior $\xi$ to be differentially private, either $\sup_{\theta \in \Theta} \ln\frac{P_\theta(x)}{P_\theta(y)} \le L\rho(x, y)$, or $\ln\frac{\phi(y)}{\phi(x)} \le L\rho(x, y)$ for all $x, y$",
    reading=r"each pair may choose between the two, as in the proof, and the privacy is $(2L, 0)$-DP",
    why=r"a parameter without prior mass moves the supremum and not the posterior",
    only_if=(r"$\Theta$ is the support of the prior", lambda xi: all(less(0, weight) for weight in xi)),
    cases=[*FINITE, {"likelihoods": ((0.1, 0.9), (0.9, 0.1)), "xi": (1, 0)}],
)
def theorem_6(likelihoods, xi):
    r"""The printed proof ends with "not L-private", which is weaker. The sides are the smaller quantity and half the
    loss, at the ordered pair where they are nearest. In the last case all of the prior is on the first of two
    parameters. The posterior is then constant, and both quantities are \(\ln 9\) at one of the pairs.

    Proof: the loss of the posterior from x to y is the sum of the two quantities, so it is at least twice the smaller.
    If both exceed \(L\rho\), the posterior is not \((2L, 0)\)-private.
    """
    pairs = [(minimum(fit, evidence), loss / 2) for fit, evidence, loss in ordered_pairs(likelihoods, xi)]
    smaller, half = min(pairs, key=lambda pair: float(pair[1] - pair[0]))
    return smaller, at_most(half)


@statement(
    "posterior-sampling/theorem-6-global",
    "Section 2.2.1, before Theorem 6",
    says=r"either the first condition must be true, or a similar condition must hold on the marginals for every possible dataset pair $(x, y)$",
    reading=r"one of the two conditions of Theorem 6 holds for all pairs, if the posterior is $(2L, 0)$-DP",
    why="two parameters near each other lose little, and the two quantities are large at different pairs",
    cases=[*FINITE, {"likelihoods": ((0.1, 0.9), (0.11, 0.89)), "xi": (0.5, 0.5)}],
    given=(r"$\Theta$ is the support of the prior", lambda xi: all(less(0, weight) for weight in xi)),
)
def theorem_6_global(likelihoods, xi):
    r"""The parameters 0.1 and 0.11 of equal weight lose 0.0544. Yet \(\ln\frac{P_\theta(0)}{P_\theta(1)}\) and
    \(\ln\frac{\phi(0)}{\phi(1)}\) are at least 2.14, each at its own order of the pair. The reading that the proof of
    Theorem 6 has, ``posterior-sampling/theorem-6``, is right.
    """
    fits, evidences, losses = zip(*ordered_pairs(likelihoods, xi), strict=True)
    return minimum(largest(fits), largest(evidences)), at_most(largest(losses) / 2)


@statement(
    "posterior-sampling/theorem-6-marginals",
    "Section 2.2.1, the second condition alone",
    says=r"the second part is too weak to imply differential privacy on its own",
    reading=r"$\ln\frac{\phi(y)}{\phi(x)} \le L\rho(x, y)$ for all $x, y$ does not imply $(2L, 0)$-DP",
    cases=[{"theta": 0.1}],
    given=(r"$\theta \ne \tfrac12$", lambda theta: bool(2 * theta != 1)),
)
def theorem_6_marginals(theta):
    r"""The sides are the loss and 2L, for the least L that satisfies the condition.

    Proof: take two mirrored coins of equal weight. Then \(\phi\) is constant, so L = 0 satisfies the condition,
    and yet the posterior of the coins 0.1 and 0.9 loses \(\ln 9\). The loss has no bound as the coins tend to 0 and 1.
    """
    half, mirrored = number(1) / 2, ((theta, 1 - theta), (1 - theta, theta))
    _, evidences, losses = zip(*ordered_pairs(mirrored, (half, half)), strict=True)
    return largest(losses), above(2 * largest(evidences))


@statement(
    "posterior-sampling/section-2.2.1-equivalent",
    "Section 2.2.1, after Theorem 6",
    says="the first part of the conditions, which is equivalent to our first assumption",
    reading=r"if it holds for all $x, y$: $\sup_{x, y} \sup_\theta \ln\frac{P_\theta(x)}{P_\theta(y)} / \rho(x, y) = \sup_\theta \ell(\theta)$",
    cases=grid(parameters=[(0.2, 0.4, 0.6), (0.6, 0.7, 0.95)], T=[1, 3]),
)
def section_2_2_1_equivalent(parameters, T):
    r"""The cases take coins, sequences of T records and the Hamming distance.

    Proof: a pair occurs in both orders, so a bound on all log ratios is one on their absolute values.
    """
    data = list(itertools.product((0, 1), repeat=int(T)))
    fits = {x: COIN.log_likelihood(list(parameters), x) for x in data}
    slopes = [largest(fits[x] - fits[y]) / COIN.distance(x, y) for x, y in itertools.permutations(data, 2)]
    return largest(slopes), equal(largest(COIN.lipschitz(list(parameters))))


@statement(
    "posterior-sampling/section-2.2.1-marginals",
    "Section 2.2.1, before Theorem 6",
    says="our second condition can be seen as a specific case of the necessary condition for the marginals",
    reading=r"under Assumption 2 the condition holds for the marginals, with $C\,\mathbb E_\xi\ell \le C(L_0 + c^{-1})$ for $L$",
    cases=grid(step=[0.2, 0.05], xi=["uniform", "exponential"], n=[1, 2, 10]),
)
def section_2_2_1_marginals(step, xi: str, n):
    r"""The sides are the largest log ratio of the marginals of two neighbours, and its bound.

    Proof: by Jensen's inequality \(\ln\frac{\phi(y)}{\phi(x)} = \ln \int \frac{p_\theta(y)}{p_\theta(x)}\,d\xi(\theta
    \mid x) \ge -\int \ell\rho\,d\xi(\theta \mid x) \ge -C\,\mathbb E_\xi\ell\,\rho\), for both orders of the pair. And
    \(\mathbb E_\xi\ell \le L_0 + c^{-1}\) as in what holds beside ``posterior-sampling/theorem-7.2``.
    """
    prior, size = bernoulli_prior(step, xi), int(n)
    marginals = [ps.log_evidence(COIN, prior, ones_first(k, size)) for k in range(size + 1)]
    found = largest([abs(p - q) for p, q in itertools.pairwise(marginals)])
    return found, at_most(jeffreys_bound(prior, size))


@statement(
    "posterior-sampling/section-2.2.2-sufficient",
    "Section 2.2.2, necessity for assumptions",
    says=r"our assumptions imply that $\tau$ must be a sufficient statistic, since if $\tau(x) = \tau(y)$ then $\rho(x, y) = 0$ and it follows that $P_\theta(x) = P_\theta(y)$",
    reading=r"for every $\theta$ with $\ell(\theta) < \infty$",
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
    "Section 2.2.2, necessity for differential privacy",
    says=r"the very definition of differential privacy implies that $\tau(x) = \tau(y) \Rightarrow \xi(B \mid x) = \xi(B \mid y)$ for all $B$",
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


def odd_one_out(likelihoods, xi) -> bool:
    """Whether the last parameter alone has another ratio of the outcomes 0 and 1, and no prior mass."""
    *rest, last = likelihoods
    return bool(rest) and bool(xi[-1] == 0) and in_one_ratio(rest) and not in_one_ratio([rest[0], last])


@statement(
    "posterior-sampling/section-2.2.2-weaker",
    "Section 2.2.2, the two conditions",
    says="this is a slightly weaker condition than a sufficient statistic",
    reading=r"for some prior a statistic joins two outcomes with one posterior and is not sufficient",
    cases=[{"likelihoods": ((0.2, 0.4, 0.4), (0.3, 0.6, 0.1), (0.4, 0.2, 0.4)), "xi": (0.5, 0.5, 0)}],
    given=("the last parameter has no prior mass and another ratio of the outcomes 0 and 1 than the rest", odd_one_out),
)
def section_2_2_2_weaker(likelihoods, xi):
    r"""So privacy under \(\rho\) does not imply the assumptions. The sides are the change of the ratio of the outcomes
    0 and 1 over the parameters, and the total variation of their posteriors. A statistic that joins the two is sufficient
    only if their ratio does not depend on \(\theta\).

    Proof: a sufficient statistic gives equal posteriors for every prior. In the case the two outcomes have equal
    posteriors, because the one parameter that distinguishes them has no prior mass.
    """
    fits, _, laws = of_outcomes(likelihoods, xi)
    ratios = fits[0] - fits[1]
    return largest(ratios) - smallest(ratios), above(ps.total_variation(laws[0], laws[1]))


@statement(
    "posterior-sampling/theorem-25",
    "Theorem 25 (Norkin)",
    says=r"if $f(\cdot, \theta)$ is $\ell(\theta)$-Lipschitz, then $f_\xi(x) = \mathbb E_\xi f(x, \theta)$ is $L_\xi$-Lipschitz, where $L_\xi = \mathbb E_\xi \ell(\theta)$",
    cases=grid(parameters=[(0.2, 0.4, 0.6), (0.6, 0.7, 0.95)], xi=[(0.5, 0.3, 0.2)]),
)
def theorem_25(parameters, xi):
    r"""Here f is the log likelihood of one binary record; there is equality when all parameters are on one side of 1/2. The
    means must exist.

    Proof: the absolute value of a mean is at most the mean of the absolute values.
    """
    prior = ps.weighted(parameters, xi)
    change = COIN.log_likelihood(prior.parameters, [1]) - COIN.log_likelihood(prior.parameters, [0])
    return abs((prior.weights * change).sum()), at_most(ps.expected_lipschitz(COIN, prior))
