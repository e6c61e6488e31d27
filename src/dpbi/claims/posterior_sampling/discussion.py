"""Sections 1 and 6: deterministic responses, robustness as privacy, and the exponential mechanism."""

from ... import posterior_sampling as ps
from ...arithmetic import exp, largest, number, sqrt
from .. import above, at_most, equal, grid, statement
from .cases import COIN, bernoulli_prior, cost, neighbours, ones_first


@statement(
    "posterior-sampling/section-1-deterministic",
    "Section 1",
    says="this deterministic response cannot be differentially private",
    why=r"a constant response is \((0, 0)\)-private",
    only_if=("the response depends on the data", lambda responses: len(set(map(str, responses))) > 1),
    reading=r"the response is not $(\varepsilon, \delta)$-private for any $\varepsilon$ and any $\delta < 1$",
    cases=grid(responses=[(0, 0, 1), (1, 1, 1)], epsilon=[1, 10]),
)
def section_1_deterministic(responses, epsilon):
    r"""Each sequence in the check contains the best response for every number of ones. The check compares 1/2,
    which is less than one, with the least \(\delta\) that is sufficient for all pairs of neighbouring datasets.

    Proof: if the response is not constant, two neighbouring datasets have different responses. The event that the
    algorithm gives the first of these responses has probability one for the first dataset and zero for the second.
    """
    laws = [ps.weighted([0, 1], [1 - r, r]) for r in responses]
    return ps.worst_neighbours(lambda p, q: ps.least_delta(p, q, epsilon), laws), above(number(1) / 2)


@statement(
    "posterior-sampling/section-6-robust",
    "Section 6.1.3",
    says="if the posterior distribution is robust, then it is also differentially private",
    reading=r"$D(\xi(\cdot \mid x) \| \xi(\cdot \mid y)) \le \kappa\rho(x, y)$ implies $(0, \sqrt{\kappa/2})$-DP under $\sqrt\rho$",
    cases=grid(step=[0.2, "ends 0.4"], xi=["uniform"], n=[1, 10]),
)
def section_6_robust(step, xi: str, n):
    r"""Robustness does not imply \((\varepsilon, 0)\)-privacy, because a divergence can be small even if some log ratio
    is large. The check compares the largest total variation distance between the posteriors of neighbouring datasets
    with the bound, where \(\kappa\) is the largest divergence between these posteriors.

    Proof: the implication is Pinsker's inequality, as in the proof of part 2 of Theorem 8.
    """
    divergence = neighbours(ps.kullback_leibler, step, xi, n)
    return neighbours(ps.total_variation, step, xi, n), at_most(sqrt(divergence / 2))


@statement(
    "posterior-sampling/section-6.2-exponential",
    "Section 6.2",
    says=r"an exponential mechanism $f(\theta) \propto e^{\epsilon u(\theta, q)} \frac{d\mu(\theta)}{d\lambda}$ has a similar form to the posterior distribution, by setting $u(\theta, q) = \ln p_\theta(x)$ and $\mu = \xi$; in this framework, privacy is achieved by setting $\epsilon$ to a sufficiently small value",
    reading=r"under Assumption 1 a draw is $(2\epsilon L, 0)$-private under $\rho$",
    holds=r"the mechanism is the posterior under the likelihood $p_\theta(x)^\epsilon$, and for $\epsilon = 1$ it is the posterior itself",
    cases=grid(step=[0.2, "ends 0.1"], n=[1, 10], epsilon=[0.1, 1, 3]),
)
def section_6_2_exponential(step, n, epsilon):
    r"""For \(\Delta = 0.2\) and ten records, the privacy loss of one draw is 2.68 for \(\epsilon = 1\) and 0.180 for
    \(\epsilon = 0.1\). So a flatter likelihood can achieve privacy, just as a different prior can.

    Proof: the likelihood \(p_\theta(x)^\epsilon\) has the Lipschitz constant \(\epsilon\ell(\theta)\), so part 1 of
    Theorem 8 applies with \(\epsilon L\) in place of L.
    """
    laws = exponential_laws(step, n, epsilon)
    return ps.worst_neighbours(ps.privacy_loss, laws), at_most(epsilon * cost(step).printed())


def exponential_laws(step, n, epsilon):
    r"""Distributions proportional to \(\xi(\theta)\,p_\theta(x)^\epsilon\), one for each number of ones among n
    records.
    """
    prior = bernoulli_prior(step)
    fits = [COIN.log_likelihood(prior.parameters, ones_first(k, n)) for k in range(int(n) + 1)]
    return [ps.weighted(prior.parameters, prior.weights * exp(epsilon * fit)) for fit in fits]


@section_6_2_exponential.instead(cases=grid(step=[0.2, "ends 0.1"], n=[1, 10]))
def section_6_2_posterior(step, n):
    r"""The check computes the largest total variation distance between the posterior and the output of the mechanism
    with \(\epsilon = 1\).

    Proof: up to a constant factor, the mechanism and the posterior have the same density
    \(e^{\epsilon \ln p_\theta(x)}\) with respect to \(\xi\).
    """
    posteriors = ps.count_posteriors(bernoulli_prior(step), int(n))
    pairs = zip(exponential_laws(step, n, 1), posteriors, strict=True)
    return largest([ps.total_variation(p, q) for p, q in pairs]), equal(number(0))
