"""Sections 2.2.1 and 2.2.2, with necessary conditions for privacy (Theorem 6), and Theorem 25 of the appendix."""

import itertools

from ... import posterior_sampling as ps
from ...arithmetic import largest, less, minimum, number, remembered, smallest
from ...posterior_sampling.bounds import jeffreys_bound
from .. import above, at_most, equal, grid, rows, statement
from .cases import COIN, bernoulli_prior, ones_first
from .definitions import worst_slope

FINITE = rows(
    "likelihoods xi",
    (((0.2, 0.8), (0.6, 0.4)), (0.5, 0.5)),
    (((0.7, 0.2, 0.1), (0.1, 0.3, 0.6), (0.3, 0.3, 0.4)), (0.2, 0.5, 0.3)),
)
"""Families of distributions on two or three outcomes; each parameter has a row of probabilities."""


@remembered
def of_outcomes(likelihoods, xi):
    """Log likelihoods, log marginals and posteriors for all outcomes of a finite family."""
    family = ps.network([[]], [len(likelihoods[0])])  # one node, whose probability table is a single row
    prior, data = ps.weighted([(row,) for row in likelihoods], xi), [[[x]] for x in range(len(likelihoods[0]))]
    fits = [family.log_likelihood(prior.parameters, x) for x in data]
    return fits, [ps.log_evidence(family, prior, x) for x in data], [ps.posterior_law(family, prior, x) for x in data]


def ordered_pairs(likelihoods, xi):
    r"""The two quantities of Theorem 6 and the privacy loss of the posterior, for each ordered pair of outcomes.

    The two quantities are \(\max_\theta \ln\frac{p_\theta(x)}{p_\theta(y)}\) and \(\ln\frac{\phi(y)}{\phi(x)}\).
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
    reading=r"for each pair one of the two conditions holds, as in the proof, and private means $(2L, 0)$-DP",
    why=r"a parameter without prior mass affects the supremum but not the posterior",
    only_if=(r"$\Theta$ is the support of the prior", lambda xi: all(less(0, weight) for weight in xi)),
    cases=[*FINITE, {"likelihoods": ((0.1, 0.9), (0.9, 0.1)), "xi": (1, 0)}],
)
def theorem_6(likelihoods, xi):
    r"""The printed proof reaches only the weaker conclusion that the posterior is "not L-private". For each ordered
    pair of outcomes, consider the smaller of the two quantities and half of the privacy loss. The check compares these
    two numbers for the pair at which their difference is smallest. In the counterexample, the prior has all its mass on
    the first of two parameter values. The posterior is then constant, although both quantities are \(\ln 9\) for one of
    the pairs.

    Proof: the largest log ratio of the posteriors given x and given y is the sum of the two quantities, so the privacy
    loss is at least twice the smaller quantity. If both quantities exceed \(L\rho\), the posterior is not \((2L,
    0)\)-private.
    """
    # The inequality holds for all ordered pairs if it holds for the pair at which it is tightest.
    pairs = [(minimum(fit, evidence), loss / 2) for fit, evidence, loss in ordered_pairs(likelihoods, xi)]
    smaller, half = min(pairs, key=lambda pair: float(pair[1] - pair[0]))
    return smaller, at_most(half)


@statement(
    "posterior-sampling/theorem-6-global",
    "Section 2.2.1, before Theorem 6",
    says=r"either the first condition must be true, or a similar condition must hold on the marginals for every possible dataset pair $(x, y)$",
    reading=r"if the posterior is $(2L, 0)$-DP, one of the two conditions of Theorem 6 holds for all pairs",
    why="two nearby parameters give a small privacy loss, although each of the two quantities is large for some pair",
    cases=[*FINITE, {"likelihoods": ((0.1, 0.9), (0.11, 0.89)), "xi": (0.5, 0.5)}],
    given=(r"$\Theta$ is the support of the prior", lambda xi: all(less(0, weight) for weight in xi)),
)
def theorem_6_global(likelihoods, xi):
    r"""With equal prior weights on the success probabilities 0.1 and 0.11, the privacy loss is 0.0544. Yet
    \(\max_\theta \ln\frac{P_\theta(1)}{P_\theta(0)}\) and \(\ln\frac{\phi(1)}{\phi(0)}\) are at least 2.14, so each of
    the two conditions fails for one order of the pair. The interpretation in ``posterior-sampling/theorem-6``, which
    the proof of Theorem 6 uses, is correct.
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
    r"""The check compares the privacy loss with 2L for the least L that satisfies the condition on the marginals.

    Proof: take two coins with success probabilities \(\theta\) and \(1 - \theta\) and equal prior weights. Then
    \(\phi\) is constant, so L = 0 satisfies the condition on the marginals. Yet the posterior has a privacy loss of
    \(\ln 9\) if the success probabilities are 0.1 and 0.9, and this loss grows without bound as the success
    probabilities tend to 0 and 1.
    """
    half, mirrored = number(1) / 2, ((theta, 1 - theta), (1 - theta, theta))
    _, evidences, losses = zip(*ordered_pairs(mirrored, (half, half)), strict=True)
    return largest(losses), above(2 * largest(evidences))


@statement(
    "posterior-sampling/section-2.2.1-equivalent",
    "Section 2.2.1, after Theorem 6",
    says="the first part of the conditions, which is equivalent to our first assumption",
    reading=r"the first condition is meant for all $x, y$: $\sup_{x, y} \sup_\theta \ln\frac{P_\theta(x)}{P_\theta(y)} / \rho(x, y) = \sup_\theta \ell(\theta)$",
    cases=grid(parameters=[(0.2, 0.4, 0.6), (0.6, 0.7, 0.95)], T=[1, 3]),
)
def section_2_2_1_equivalent(parameters, T):
    """The check uses a coin, sequences of T tosses and the Hamming distance.

    Proof: every pair of datasets occurs in both orders, so a bound on all log ratios is also a bound on their absolute
    values.
    """
    return worst_slope(list(parameters), T), equal(largest(COIN.lipschitz(list(parameters))))


@statement(
    "posterior-sampling/section-2.2.1-marginals",
    "Section 2.2.1, before Theorem 6",
    says="our second condition can be seen as a specific case of the necessary condition for the marginals",
    reading=r"under Assumption 2, the condition on the marginals holds with $C\,\mathbb E_\xi\ell \le C(L_0 + c^{-1})$ in place of $L$",
    cases=grid(step=[0.2, 0.05], xi=["uniform", "exponential"], n=[1, 2, 10]),
)
def section_2_2_1_marginals(step, xi: str, n):
    r"""The check compares the largest log ratio of the marginals of two neighbouring datasets with the bound.

    Proof: by Jensen's inequality, \(\ln\frac{\phi(y)}{\phi(x)} = \ln \int \frac{p_\theta(y)}{p_\theta(x)}\,d\xi(\theta
    \mid x) \ge -\int \ell\rho\,d\xi(\theta \mid x) \ge -C\,\mathbb E_\xi\ell\,\rho\), for both orders of x and y.
    Moreover, \(\mathbb E_\xi\ell \le L_0 + c^{-1}\), as in the proof of the sharper bound in
    ``posterior-sampling/theorem-7.2``.
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
    r"""Sufficiency does not require equal likelihoods, because the likelihoods may differ by a factor that does not
    depend on \(\theta\). In the check, the data are coin tosses and \(\tau\) is the number of ones, for which the
    assumption holds with equality. The check compares the change of the log likelihood with \(\ell(\theta)\,|\tau(x) -
    \tau(y)|\). These two numbers are zero if x and y have the same number of ones.

    Proof: if the distance between two datasets is zero, their log likelihoods cannot differ. Under Assumption 1,
    \(\ell\) is finite everywhere. Under Assumption 2, \(\ell\) is finite with prior probability one, so the conclusion
    holds for almost every \(\theta\).
    """
    fits = [COIN.log_likelihood([theta], [int(record) for record in records])[0] for records in (x, y)]
    return abs(fits[0] - fits[1]), equal(COIN.lipschitz([theta])[0] * abs(sum(x) - sum(y)))


def in_one_ratio(likelihoods) -> bool:
    """Whether the probabilities of the outcomes 0 and 1 have the same ratio under every parameter."""
    first = likelihoods[0]
    return all(bool(row[0] * first[1] == row[1] * first[0]) for row in likelihoods)


@statement(
    "posterior-sampling/section-2.2.2-bayes",
    "Section 2.2.2, necessity for differential privacy",
    says=r"the very definition of differential privacy implies that $\tau(x) = \tau(y) \Rightarrow \xi(B \mid x) = \xi(B \mid y)$ for all $B$",
    cases=[{"likelihoods": ((0.25, 0.5, 0.25), (0.125, 0.25, 0.625)), "xi": (0.5, 0.5)}],
    given=("the ratio of the outcomes 0 and 1 is the same under every parameter", in_one_ratio),
)
def section_2_2_2_bayes(likelihoods, xi):
    r"""The check uses a statistic that merges two outcomes whose probabilities have the same ratio under every
    parameter value. The posteriors given these two outcomes agree, as the definition requires.

    Proof: for \(\rho = 0\), Definition 2 gives \(\xi(B \mid x) \le \xi(B \mid y)\) for every event B and for its
    complement, so the two probabilities are equal.
    """
    _, _, laws = of_outcomes(likelihoods, xi)
    return ps.total_variation(laws[0], laws[1]), equal(number(0))


def odd_one_out(likelihoods, xi) -> bool:
    """Whether the probabilities of the outcomes 0 and 1 have the same ratio under all parameters but the last, and
    another ratio under the last, which has no prior mass."""
    *rest, last = likelihoods
    return bool(rest) and bool(xi[-1] == 0) and in_one_ratio(rest) and not in_one_ratio([rest[0], last])


@statement(
    "posterior-sampling/section-2.2.2-weaker",
    "Section 2.2.2, the two conditions",
    says="this is a slightly weaker condition than a sufficient statistic",
    reading=r"for some prior, a statistic that merges two outcomes with equal posteriors is not sufficient",
    cases=[{"likelihoods": ((0.2, 0.4, 0.4), (0.3, 0.6, 0.1), (0.4, 0.2, 0.4)), "xi": (0.5, 0.5, 0)}],
    given=("the ratio of outcomes 0 and 1 differs only under the last parameter, which has no prior mass", odd_one_out),
)
def section_2_2_2_weaker(likelihoods, xi):
    r"""A statistic that merges the outcomes 0 and 1 is sufficient only if the ratio of their probabilities does not
    depend on \(\theta\). The check computes the width of the range of the log ratio over all parameter values, and
    compares it with the total variation distance between the posteriors given the two outcomes. Since the statement is
    true, privacy under \(\rho\) does not imply the assumptions.

    Proof: if a sufficient statistic merges two outcomes, the posteriors given the two outcomes are equal for every
    prior. In the example, the outcomes 0 and 1 have equal posteriors only because the single parameter value that
    distinguishes them has no prior mass.
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
    """In the check, f is the log likelihood of one binary record, and equality holds if all parameter values are on the
    same side of 1/2. The statement assumes that the expectations exist.

    Proof: the absolute value of an expectation is at most the expectation of the absolute value.
    """
    prior = ps.weighted(parameters, xi)
    change = COIN.log_likelihood(prior.parameters, [1]) - COIN.log_likelihood(prior.parameters, [0])
    return abs((prior.weights * change).sum()), at_most(ps.expected_lipschitz(COIN, prior))
