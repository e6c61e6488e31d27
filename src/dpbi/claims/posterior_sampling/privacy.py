"""Section 4.1: privacy of the posterior, Theorem 8 and Corollary 9."""

from typing import Any

from ...arithmetic import log, sqrt
from ...posterior_sampling import (
    bernoulli,
    best_rate,
    cost,
    count_posteriors,
    privacy_loss,
    restricted,
    total_variation,
    worst_neighbours,
)
from ...posterior_sampling.bounds import (
    jeffreys_bound,
    largest_likelihood_ratio,
    largest_variation,
    printed_divergence_bound,
)
from ...posterior_sampling.random_privacy import mass_within_neighbours, promised_mass, ratio_inside
from ..claim import NOT_WELL_FORMED, REFUTED, grid
from .cases import LARGE, LEVEL, ONE_STEP, SMALL, SPREAD, coins, coins_from, neighbours, with_level
from .priors import bernoulli_prior
from .source import PAPER, PRIVACY, RANDOM, ROBUSTNESS

COIN = bernoulli()
VARIATION = (total_variation, worst_neighbours)
LOSS = (privacy_loss, worst_neighbours)


@PAPER.item("theorem-8.1", "Theorem 8, part 1", cases=LARGE, relation="<=", calls=LOSS, page=PRIVACY, premises=coins())
def worst_loss(step: Any, xi: str, n: Any) -> Any:
    """The largest loss between neighbours."""
    return neighbours(privacy_loss, step, xi, n)


@worst_loss.said(
    r"\xi(B \mid x) \le e^{2L\rho(x, y)}\, \xi(B \mid y)",
    proof=True,
    tight={"step": 0.2, "xi": "uniform", "n": 50},
)
def theorem_8_1(step: Any, xi: str, n: Any) -> Any:
    r"""\(p_\theta(x) \le e^{L\rho} p_\theta(y)\) for every \(\theta\), hence \(\phi(y) \le e^{L\rho}\phi(x)\), and the factors
    multiply. The bound is sharp: with n records, all ones against all but one, the exact loss tends to 2L. The exact
    side is the largest loss between neighbours, over all datasets.
    """
    return cost(COIN, bernoulli_prior(step, xi), 1).printed()


@PAPER.item(
    "theorem-8.1-variation",
    "Theorem 8, part 1, for total variation",
    cases=[*LARGE, {"step": "ends 0.1", "xi": "uniform", "n": 1}],
    relation="<=",
    calls=VARIATION,
    page=ROBUSTNESS,
    premises=coins(),
)
def worst_variation(step: Any, xi: str, n: Any) -> Any:
    """The largest total variation between neighbours."""
    return neighbours(total_variation, step, xi, n)


@worst_variation.said(
    r"|\xi(B \mid x) - \xi(B \mid y)| \le \tanh\bigl(\tfrac12 L\rho(x, y)\bigr)",
    origin="ours",
    proof=True,
    tight={"step": "ends 0.1", "xi": "uniform", "n": 1},
)
def theorem_8_1_variation(step: Any, xi: str, n: Any) -> Any:
    r"""This is not printed. It is what Assumption 1 gives for the total variation \(TV\), which is the mean under Q of
    \((u - 1)_+\) with \(u = dP/dQ\). The logarithm of u ranges over at most \(w = 2L\rho\), and the function is convex.
    So laws on two points are extreme, and the worst of them is the symmetric one, with \(TV = \tanh(w/4)\). Two
    parameters \(\theta\) and \(1-\theta\) with one record attain it for every \(\theta\).
    """
    return largest_variation(cost(COIN, bernoulli_prior(step, xi), 1).printed())


@PAPER.item(
    "theorem-8.2",
    "Theorem 8, part 2",
    cases=with_level(SMALL, 1.0, 1.3),
    relation="<=",
    calls=VARIATION,
    page=ROBUSTNESS,
    premises=coins_from(LEVEL),
)
def variation_of_neighbours(step: Any, xi: str, n: Any, L0: Any = None) -> Any:
    """The largest total variation between neighbours."""
    return neighbours(total_variation, step, xi, n)


@variation_of_neighbours.said(
    r"c > 1 \implies |\xi(B \mid x) - \xi(B \mid y)| \le \sqrt{\tfrac C2 (1 + 2L_0 + c^{-1})\, \rho(x, y)}",
    proof=True,
)
def theorem_8_2(step: Any, xi: str, n: Any, L0: Any) -> Any:
    r"""This is Pinsker's inequality applied to part 2 of Theorem 7, so it is true as that is. It says nothing at \(\rho
    = 1\) unless \(C(1 + 2L_0 + 1/c) < 2\), which fails in every case here: the bound is above one.
    """
    return sqrt(printed_divergence_bound(bernoulli_prior(step, xi), int(n), L0) / 2)


@variation_of_neighbours.instead(
    r"TV \le \tfrac12\sqrt{C\, \mathbb E_\xi\ell\, \rho(x, y)} \le \tfrac12\sqrt{C (L_0 + c^{-1})\, \rho(x, y)}",
    cases=[*SPREAD, *({"step": f"ends {theta}", "xi": "uniform", "n": 1} for theta in (0.499, 0.15))],
    proof=True,
    premises=coins(),
)
def theorem_8_2_corrected(step: Any, xi: str, n: Any) -> Any:
    r"""Pinsker's inequality in both directions gives \(J \ge 4\,TV^2\), and \(J \le C\,\mathbb E_\xi\ell\,\rho\)."""
    return sqrt(jeffreys_bound(bernoulli_prior(step, xi), int(n))) / 2


@PAPER.item(
    "theorem-8.2-sharp",
    "Theorem 8, part 2",
    cases=[*SPREAD, {"step": "ends 0.001", "xi": "uniform", "n": 1}],
    relation="<=",
    calls=VARIATION,
    page=ROBUSTNESS,
    premises=coins(),
)
def two_point_sum(step: Any, xi: str, n: Any) -> Any:
    r"""Half the least J that two laws with the largest total variation can have."""
    tv = neighbours(total_variation, step, xi, n)
    return tv * log((1 + tv) / (1 - tv))


@two_point_sum.said(
    r"TV \ln\frac{1 + TV}{1 - TV} \le \tfrac12\, C\, \mathbb E_\xi\ell\, \rho(x, y)",
    corrects="posterior-sampling/theorem-8.2",
    origin="ours",
    proof=True,
    tight={"step": "ends 0.001", "xi": "uniform", "n": 1},
)
def theorem_8_2_sharp(step: Any, xi: str, n: Any) -> Any:
    r"""Look at the event that attains \(TV\), with the masses a and \(a + TV\). By data processing J is at least that
    of this event alone. As a function of a it is convex and symmetric about \(a = (1 - TV)/2\), and there it is \(2\,TV
    \ln\frac{1+TV}{1-TV}\). Unlike a square root this bound never exceeds one, and two parameters attain it in the
    limit.
    """
    return jeffreys_bound(bernoulli_prior(step, xi), int(n)) / 2


@variation_of_neighbours.said(
    r"\text{the posterior is } \bigl(0, O(\sqrt{C(L_0 + 1/c)})\bigr)\text{-DP under } \sqrt\rho",
    suffix="order",
    where="Theorem 8, part 2, second line",
    proof=True,
)
def theorem_8_2_order(step: Any, xi: str, n: Any, L0: Any) -> Any:
    r"""The order holds with the constant 1/2, and for every c > 0. It follows from \(TV \le \frac12\sqrt{C\,\mathbb
    E_\xi\ell\,\rho}\) (``posterior-sampling/theorem-8.2-corrected``) and \(\mathbb E_\xi\ell \le L_0 + \frac1c\)
    (``posterior-sampling/theorem-7-equation-12-corrected``). The sides are for neighbours, with the best c at each
    \(L_0\).
    """
    prior = bernoulli_prior(step, xi)
    return sqrt(largest_likelihood_ratio(prior, int(n)) * (L0 + 1 / best_rate(COIN, prior, L0))) / 2


@PAPER.item(
    "corollary-9",
    "Corollary 9",
    cases=[{"step": 0.05, "n": 10, "L0": 1.0, "L": 3.0}],
    relation=">=",
    calls=mass_within_neighbours,
    page=RANDOM,
)
def mass_of_good_parameters(step: Any, n: Any, L0: Any, L: Any) -> Any:
    """The prior mass of the parameters whose log ratio stays within 2L between all neighbours."""
    return mass_within_neighbours(bernoulli_prior(step), int(n), L)


@mass_of_good_parameters.said(
    r"\mathbb P\bigl[\forall B: \xi(B \mid x) \le e^{2L\rho(x,y)}\, \xi(B \mid y)\ \forall x, y\bigr] \ge 1 - e^{-c(L - L_0)}",
    malformed=r"the event quantifies over all B, x and y and contains no \(\theta\), over which the probability is said to be: it is certain or impossible",
    expected=NOT_WELL_FORMED,
)
def corollary_9(step: Any, n: Any, L0: Any, L: Any) -> Any:
    r"""The case has \(L \ge \max\ell\), where Theorem 8 makes the event certain. A reading with a random \(\theta\) is
    ``posterior-sampling/corollary-9-parameters``.
    """
    return promised_mass(bernoulli_prior(step), L0, L)


@mass_of_good_parameters.said(
    r"\xi\Bigl\{\theta : \ln\frac{\xi(\theta \mid x)}{\xi(\theta \mid y)} \le 2L\rho(x, y)\ \forall x, y\Bigr\} \ge 1 - e^{-c(L - L_0)}",
    suffix="parameters",
    where="Corollary 9, read for each parameter",
    cases=[
        {"step": 0.05, "n": 20, "L0": 1.0, "L": 1.5},
        {"step": 0.05, "n": 50, "L0": 1.0, "L": 2.0},
        {"step": 0.05, "n": 1, "L0": 1.0, "L": 1.5},
    ],
    origin="reading",
    expected=REFUTED,
)
def corollary_9_parameters(step: Any, n: Any, L0: Any, L: Any) -> Any:
    """The natural reading is that a parameter drawn from the prior has a bounded ratio with that probability. But
    every parameter shares the ratio of the marginals, and the sensitive parameters move it. With many records the mass
    that keeps within 2L falls below the promise, and to zero for Beta priors. The cases take the best c.
    """
    return promised_mass(bernoulli_prior(step), L0, L)


@PAPER.item(
    "corollary-9-corrected",
    "Corollary 9",
    cases=[
        *grid(step=[0.05], n=[1, 10], level=[1.5, 4, 9]),
        {"step": 0.2, "n": 50, "level": 1.5},
        {"step": 0.2, "n": 80, "level": 1.5},
    ],
    relation="<=",
    calls=(restricted, *LOSS),
    page=RANDOM,
    premises=ONE_STEP,
)
def loss_once_restricted(step: Any, n: Any, level: Any) -> Any:
    """The largest loss between neighbours, the prior restricted."""
    prior = restricted(COIN, bernoulli_prior(step), log(level))
    return worst_neighbours(privacy_loss, count_posteriors(prior, int(n)))


@loss_once_restricted.said(
    r"\xi_L = \xi(\cdot \mid \Theta_L): \quad \xi_L(B \mid x) \le e^{2L\rho(x, y)}\, \xi_L(B \mid y)",
    corrects="posterior-sampling/corollary-9-parameters",
    origin="ours",
    proof=True,
    tight={"step": 0.2, "n": 80, "level": 1.5},
)
def corollary_9_corrected(step: Any, n: Any, level: Any) -> Any:
    r"""Restricting the prior to \(\Theta_L\) makes Assumption 1 true, and costs the prior mass
    \(1 - \xi(\Theta_L) \le e^{-c(L - L_0)}\) that the corollary speaks of. The level of a case is \(e^L\).
    """
    return 2 * log(level)


@PAPER.item(
    "corollary-9-unrestricted",
    "Corollary 9",
    cases=grid(step=[0.2, 0.05], n=[1, 5, 20], level=[1.6, 4]),
    relation="<=",
    calls=ratio_inside,
    page=RANDOM,
    premises=ONE_STEP,
)
def worst_ratio_inside(step: Any, n: Any, level: Any) -> Any:
    r"""The largest log ratio per distance over \(\Theta_L\), which is that between neighbours."""
    return ratio_inside(bernoulli_prior(step), int(n), log(level))


@worst_ratio_inside.said(
    r"\xi\Bigl\{\theta : \ln\frac{\xi(\theta \mid x)}{\xi(\theta \mid y)} \le (L + C\,\mathbb E_\xi\ell)\,\rho(x, y)\ \forall x, y\Bigr\} \ge \xi(\Theta_L) \ge 1 - e^{-c(L - L_0)}",
    corrects="posterior-sampling/corollary-9-parameters",
    origin="ours",
    proof=True,
)
def corollary_9_unrestricted(step: Any, n: Any, level: Any) -> Any:
    r"""The prior is not restricted here. For \(\theta \in \Theta_L\) the likelihoods give \(L\rho\), and the marginals
    at most \(C\,\mathbb E_\xi\ell\,\rho\) (``posterior-sampling/theorem-7-equation-13-corrected``). The sides are the
    largest ratio over \(\Theta_L\) and this bound.
    """
    return log(level) + jeffreys_bound(bernoulli_prior(step), int(n))
