"""Section 4.1: privacy of the posterior, Theorem 8 and Corollary 9."""

from typing import Any

from ...arithmetic import log
from ...posterior_sampling import cost, count_posteriors, privacy_loss, restricted, worst_neighbours
from ...posterior_sampling.bounds import jeffreys_bound
from ...posterior_sampling.random_privacy import mass_within_neighbours, promised_mass, ratio_inside
from ..statement import at_least, at_most, grid, statement
from .cases import COIN, LARGE, bernoulli_prior, leaves_mass, neighbours, ones_first

PAGE = "posterior_sampling/random_privacy"


@statement(
    "posterior-sampling/theorem-8.1",
    "Theorem 8, part 1",
    says=r"$\xi(B \mid x) \le e^{2L\rho(x, y)}\, \xi(B \mid y)$",
    cases=LARGE,
    page="posterior_sampling/privacy_of_the_posterior",
)
def theorem_8_1(step: Any, xi: str, n: Any) -> Any:
    r"""The bound is sharp: with n records, all ones against all but one, the exact loss tends to 2L. The exact side is
    the largest loss between neighbours, over all datasets.

    Proof: \(p_\theta(x) \le e^{L\rho} p_\theta(y)\) for every \(\theta\), hence \(\phi(y) \le e^{L\rho}\phi(x)\), and
    the factors multiply.
    """
    return neighbours(privacy_loss, step, xi, n), at_most(cost(COIN, bernoulli_prior(step, xi), 1).printed())


@statement(
    "posterior-sampling/corollary-9",
    "Corollary 9",
    says=r"$\mathbb P\bigl[\forall B: \xi(B \mid x) \le e^{2L\rho(x,y)}\, \xi(B \mid y)\ \forall x, y\bigr] \ge 1 - e^{-c(L - L_0)}$",
    why=r"the event quantifies over all B, x and y and contains no \(\theta\), over which the probability is said to be: it is certain or impossible",
    cannot=True,
    cases=[{"step": 0.05, "n": 10, "L0": 1.0, "L": 3.0}],
    page=PAGE,
)
def corollary_9(step: Any, n: Any, L0: Any, L: Any) -> Any:
    r"""The case has \(L \ge \max\ell\), where Theorem 8 makes the event certain. A reading with a random \(\theta\) is
    ``posterior-sampling/corollary-9-parameters``.
    """
    prior = bernoulli_prior(step)
    return mass_within_neighbours(prior, int(n), L), at_least(promised_mass(COIN, prior, L0, L))


@statement(
    "posterior-sampling/corollary-9-parameters",
    "Corollary 9, read for each parameter",
    says=r"$\xi\Bigl\{\theta : \ln\frac{\xi(\theta \mid x)}{\xi(\theta \mid y)} \le 2L\rho(x, y)\ \forall x, y\Bigr\} \ge 1 - e^{-c(L - L_0)}$",
    holds=r"the restricted prior $\xi_L = \xi(\cdot \mid \Theta_L)$ has $\xi_L(B \mid x) \le e^{2L\rho(x, y)}\, \xi_L(B \mid y)$; and $\xi\Bigl\{\theta : \ln\frac{\xi(\theta \mid x)}{\xi(\theta \mid y)} \le (L + C\,\mathbb E_\xi\ell)\,\rho(x, y)\ \forall x, y\Bigr\} \ge \xi(\Theta_L) \ge 1 - e^{-c(L - L_0)}$",
    why="every parameter shares the ratio of the marginals, and the sensitive parameters move it",
    by="reading",
    reading=r"a parameter \(\theta\) drawn from the prior has a bounded ratio with that probability",
    cases=[
        {"step": 0.05, "n": 20, "L0": 1.0, "L": 1.5},
        {"step": 0.05, "n": 50, "L0": 1.0, "L": 2.0},
        {"step": 0.05, "n": 1, "L0": 1.0, "L": 1.5},
    ],
    page=PAGE,
)
def corollary_9_parameters(step: Any, n: Any, L0: Any, L: Any) -> Any:
    """With many records the mass that keeps within 2L falls below the promise, and to zero for Beta priors. The cases
    take the best c.
    """
    return corollary_9.body(step, n, L0, L)


@corollary_9_parameters.instead(
    cases=[*grid(step=[0.05], n=[1, 10], level=[1.5, 4, 9]), *grid(step=[0.2], n=[50, 80], level=[1.5])],
    given=leaves_mass,
)
def corollary_9_restricted(step: Any, n: Any, level: Any) -> Any:
    r"""The level of a case is \(e^L\). The restriction costs the prior mass
    \(1 - \xi(\Theta_L) \le e^{-c(L - L_0)}\) that the corollary speaks of.

    Proof: restricting the prior to \(\Theta_L\) makes Assumption 1 true, and Theorem 8 applies.
    """
    prior = restricted(COIN, bernoulli_prior(step), log(level))
    return worst_neighbours(privacy_loss, count_posteriors(prior, int(n))), at_most(2 * log(level))


@corollary_9_parameters.instead(cases=grid(step=[0.2, 0.05], n=[1, 5, 20], level=[1.6, 4]), given=leaves_mass)
def corollary_9_unrestricted(step: Any, n: Any, level: Any) -> Any:
    r"""The sides are the largest log ratio per distance over \(\Theta_L\), which is that between neighbours, and the
    bound on it.

    Proof: for \(\theta \in \Theta_L\) the likelihoods give \(L\rho\). By Jensen's inequality
    \[ \ln\frac{\phi(y)}{\phi(x)} = \ln \int \frac{p_\theta(y)}{p_\theta(x)}\,d\xi(\theta \mid x)
       \ge -\int \ell\rho\,d\xi(\theta \mid x) \ge -C\,\mathbb E_\xi\ell\,\rho , \]
    so the marginals give at most \(C\,\mathbb E_\xi\ell\,\rho\).
    """
    prior, datasets = bernoulli_prior(step), [ones_first(k, n) for k in range(int(n) + 1)]
    found = ratio_inside(COIN, prior, datasets, log(level))
    return found, at_most(log(level) + jeffreys_bound(prior, int(n)))
