"""Section 4.4: the utility of a private prior, Lemmas 14 and 15, Corollary 16, Claim 1, Theorem 17."""

import math
from collections.abc import Callable
from operator import mul
from typing import Any

from ...arithmetic import exp, largest, less, log, number, remembered, sqrt, tanh
from ...posterior_sampling import (
    Family,
    bernoulli,
    kullback_leibler,
    log_marginal,
    network,
    posterior,
    privacy_loss,
    psaqr,
    restricted,
    total_variation,
    weighted,
    worst_neighbours,
)
from ...posterior_sampling.bounds import largest_divergence as sharp_divergence
from ...posterior_sampling.finite import Finite
from ...posterior_sampling.utility import cut, guessing_regret, mean_guessing_regret, region_cost, regret
from ..claim import REFUTED, grid
from ..premises import Law, Points, Premises, Reals, Rows, Wholes, premises
from .answers import laws_of_draws
from .cases import TWO_PRIORS, UNIT, Coins, leaves_mass
from .priors import bernoulli_prior
from .regret import draws_for_constant, subsets_for_constant
from .source import ANSWERS, PAPER, UTILITY

DECISIONS: list[dict[str, Any]] = [
    {"ideal": (0.7, 0.3), "private": (0.5, 0.5), "utilities": ((0, 1), (1, 0))},
    {"ideal": (0.2, 0.3, 0.5), "private": (0.4, 0.4, 0.2), "utilities": ((1, 0.3, 0), (0, 0.2, 1), (0.5, 0.5, 0.5))},
    {"ideal": (0.1, 0.9), "private": (0.3, 0.7), "utilities": ((1, 0.2), (0.1, 0.6))},
]


def on_states(weights: Any) -> Finite:
    """The law with these weights on parameters that only have a number."""
    return weighted(range(len(weights)), weights)


@PAPER.item(
    "lemma-14",
    "Lemma 14",
    cases=DECISIONS,
    relation="<=",
    calls=regret,
    page=UTILITY,
    premises=premises(
        ideal=Law(), private=Law(of="ideal"), utilities=Rows(Points(Reals(0, 1, least=0, most=1), of="ideal"), (2, 3))
    ),
)
def regret_of_decision(ideal: Any, private: Any, utilities: Any) -> Any:
    """The regret of the best response under the private law."""
    return regret(on_states(ideal), on_states(private), utilities)


@regret_of_decision.said(r"\text{regret} \le 2\|\xi - \xi^\star\|_1", proof=True)
def lemma_14(ideal: Any, private: Any, utilities: Any) -> Any:
    r"""It is true with a factor of two to spare: see ``posterior-sampling/lemma-14-sharp``."""
    return 4 * total_variation(on_states(ideal), on_states(private))


@regret_of_decision.instead(r"\text{regret} \le \|\xi - \xi^\star\|_1", suffix="sharp", proof=True, tight=DECISIONS[0])
def lemma_14_sharp(ideal: Any, private: Any, utilities: Any) -> Any:
    r"""Let r be best under \(\xi\), and \(d = u(r^\star) - u(r) \in [-1, 1]\). Then \(\mathbb E_{\xi^\star} d \le
    \mathbb E_{\xi^\star} d - \mathbb E_\xi d = \int d\,(d\xi^\star - d\xi) \le \|\xi - \xi^\star\|_1\). The printed
    proof bounds the two outer terms one by one, which loses a factor of two. The first case attains the bound: under
    \(\xi\) the two responses are equally good, and the wrong one is taken.
    """
    return 2 * total_variation(on_states(ideal), on_states(private))


PRIORS: list[dict[str, Any]] = [
    {"likelihoods": ((0.2, 0.8), (0.6, 0.4)), "ideal": (0.5, 0.5), "private": (0.7, 0.3)},
    {"likelihoods": ((0.1, 0.9), (0.5, 0.5), (0.8, 0.2)), "ideal": (0.2, 0.5, 0.3), "private": (0.3, 0.4, 0.3)},
    {"likelihoods": ((0.5, 0.5), (0.5, 0.5)), "ideal": (0.8, 0.2), "private": (0.2, 0.8)},
]


@remembered
def after(likelihoods: Any, weights: Any) -> list[Any]:
    """The posteriors after each outcome of one record, of a prior on rows of probabilities."""
    family, prior = row_family(likelihoods), on_rows(likelihoods, weights)
    return [posterior(family, prior, x) for x in outcomes(likelihoods)]


def row_family(likelihoods: Any) -> Family:
    """One node, its only table the row."""
    return network([[]], [len(likelihoods[0])])


def on_rows(likelihoods: Any, weights: Any) -> Finite:
    """A prior on rows of probabilities of one record."""
    return weighted([(row,) for row in likelihoods], weights)


def between_posteriors(measure: Callable[[Any, Any], Any], likelihoods: Any, ideal: Any, private: Any) -> list[Any]:
    """A measure between the posteriors of two priors, for each outcome."""
    return [measure(p, q) for p, q in zip(after(likelihoods, ideal), after(likelihoods, private), strict=True)]


def largest_ratio(ideal: Any, private: Any) -> Any:
    r"""\(\eta = \max_\theta |\ln\frac{\xi^\star}{\xi}|\)."""
    p, q = on_states(ideal), on_states(private)
    return largest([number(0), privacy_loss(p, q), privacy_loss(q, p)])


def outcomes(likelihoods: Any) -> list[Any]:
    """The datasets of one record."""
    return [[[x]] for x in range(len(likelihoods[0]))]


@PAPER.item(
    "lemma-15",
    "Lemma 15",
    cases=PRIORS,
    relation="<=",
    calls=(posterior, kullback_leibler),
    page=UTILITY,
    premises=TWO_PRIORS,
)
def mean_divergence(likelihoods: Any, ideal: Any, private: Any) -> Any:
    """The divergence between the posteriors, on average over the outcomes."""
    family, prior = row_family(likelihoods), on_rows(likelihoods, ideal)
    chances = [exp(log_marginal(family, prior, x)) for x in outcomes(likelihoods)]
    return sum(map(mul, chances, between_posteriors(kullback_leibler, likelihoods, ideal, private)), number(0))


@mean_divergence.said(
    r"|\ln\tfrac{\xi^\star}{\xi}| \le \eta \implies \mathbb E_{x \sim \phi^\star} D(\xi^\star(\cdot \mid x) \| \xi(\cdot \mid x)) \le 2\eta",
    proof=True,
)
def lemma_15(likelihoods: Any, ideal: Any, private: Any) -> Any:
    r"""The claim is true and not sharp. For each x the log ratio of the posteriors is at most \(2\eta\), and so is its
    mean.
    """
    return 2 * largest_ratio(ideal, private)


@mean_divergence.instead(
    r"\mathbb E_{x \sim \phi^\star} D(\xi^\star(\cdot \mid x) \| \xi(\cdot \mid x)) \le D(\xi^\star \| \xi) \le \eta \tanh\tfrac\eta2 \le \min\bigl(\eta, \tfrac12\eta^2\bigr)",
    suffix="sharp",
    proof=True,
    tight=PRIORS[2],
)
def lemma_15_sharp(likelihoods: Any, ideal: Any, private: Any) -> Any:
    r"""By the chain rule the left side is \(D(\xi^\star\|\xi) - D(\phi^\star\|\phi)\). The ratio u of the two priors
    has mean one and lies in \([e^{-\eta}, e^{\eta}]\). As \(u\ln u\) is convex, its mean is largest if u takes the two
    ends only, the upper one with probability \(1/(1 + e^{\eta})\). This mean is \(\eta\tanh(\eta/2)\). Equal
    likelihoods and mirrored priors attain both steps.
    """
    eta = largest_ratio(ideal, private)
    return eta * tanh(eta / 2)


@PAPER.item(
    "lemma-15-pointwise",
    "Lemma 15, for each dataset",
    cases=[*PRIORS, {"likelihoods": ((0.9, 0.1), (0.1, 0.9)), "ideal": (0.3, 0.7), "private": (0.7, 0.3)}],
    relation="<=",
    calls=(posterior, kullback_leibler),
    page=UTILITY,
    premises=TWO_PRIORS,
)
def largest_divergence(likelihoods: Any, ideal: Any, private: Any) -> Any:
    """The divergence between the posteriors at the worst outcome."""
    return largest(between_posteriors(kullback_leibler, likelihoods, ideal, private))


@largest_divergence.said(
    r"D(\xi^\star(\cdot \mid x) \| \xi(\cdot \mid x)) \le h(2\eta) \le \min\bigl(2\eta, \tfrac12\eta^2\bigr)",
    origin="ours",
    proof=True,
    tight=PRIORS[2],
    within=0.05,
)
def lemma_15_pointwise(likelihoods: Any, ideal: Any, private: Any) -> Any:
    r"""The log ratio of the posteriors is that of the priors minus a constant. So its range is at most \(2\eta\), and
    part 1 of Theorem 7 applies in its sharp form.
    """
    return sharp_divergence(2 * largest_ratio(ideal, private))


@PAPER.item(
    "corollary-16",
    "Corollary 16",
    cases=grid(constant=[1, 4, 16], delta=[0.05]),
    relation="<=",
    calls=psaqr,
    page=UTILITY,
)
def regret_of_equal_priors(constant: Any, delta: Any) -> Any:
    r"""The regret of both priors being one, for the query that a constant asks for."""
    return subsets_for_constant(constant=constant, delta=delta)


@regret_of_equal_priors.said(
    r"\text{the loss is } O\bigl(\eta + \sqrt{\ln(1/\delta)/N}\bigr) \text{ with probability } 1 - \delta",
    expected=REFUTED,
)
def corollary_16(constant: Any, delta: Any) -> Any:
    r"""No constant will do, because of the second term: with \(\eta = 0\) it is ``posterior-sampling/lemma-11``. The
    first term is right, even with the constant one: ``posterior-sampling/corollary-16-corrected``. The way that the
    paper indicates does not lead to it, because Lemma 15 and Pinsker's inequality give the order \(\sqrt\eta\).
    """
    return constant * (number(0) + sqrt(-log(delta) / draws_for_constant(constant, delta)))


@PAPER.item(
    "corollary-16",
    "Corollary 16",
    cases=PRIORS,
    relation="<=",
    calls=(posterior, total_variation),
    page=UTILITY,
)
def largest_distance(likelihoods: Any, ideal: Any, private: Any) -> Any:
    r"""\(\|\xi^\star(\cdot \mid x) - \xi(\cdot \mid x)\|_1\) at the worst outcome."""
    return 2 * largest(between_posteriors(total_variation, likelihoods, ideal, private))


@largest_distance.instead(
    r"\text{regret} \le \|\xi^\star(\cdot \mid x) - \xi(\cdot \mid x)\|_1 \le 2\tanh\tfrac\eta2 \quad \text{for each } x",
    proof=True,
    tight=PRIORS[2],
    premises=TWO_PRIORS,
)
def corollary_16_corrected(likelihoods: Any, ideal: Any, private: Any) -> Any:
    r"""The log ratio of the posteriors ranges over at most \(2\eta\). So their total variation is at most
    \(\tanh(2\eta/4)\), and the regret is at most \(2\tanh\frac\eta2 \le \eta\). Answering from N draws adds the regret
    under \(\xi\), because \(\mathbb E_{\xi^\star} d \le \mathbb E_\xi d + \|\xi - \xi^\star\|_1\) as in
    ``posterior-sampling/lemma-14-sharp``. For R responses to one query ``posterior-sampling/lemma-11-corrected``
    bounds the regret under \(\xi\).
    """
    return 2 * tanh(largest_ratio(ideal, private) / 2)


RESTRICTED: list[dict[str, Any]] = [
    {"step": 0.05, "n": n, "level": level, "N": N} for n in (1, 10) for level in (1.5, 4) for N in (1, 2)
]
MANY = {"step": 0.2, "n": 60, "level": 1.5, "N": 3}


def restricted_prior(step: Any, level: Any) -> Any:
    r"""The uniform prior on \(\Theta_L\), where the level is \(e^L\)."""
    return restricted(bernoulli(), bernoulli_prior(step), log(level))


@remembered
def restricted_loss(step: Any, n: Any, level: Any, N: Any) -> Any:
    """The largest loss of N draws between neighbours under the restricted prior."""
    return worst_neighbours(privacy_loss, laws_of_draws(restricted_prior(step, level), int(n), int(N)))


restriction = PAPER.item(
    "theorem-17a",
    "Theorem 17, part (a)",
    cases=[*RESTRICTED, MANY],
    relation="<=",
    calls=(restricted, privacy_loss, worst_neighbours),
    page=ANSWERS,
    premises=premises(
        "the region has prior mass",
        leaves_mass,
        step=Coins(0.2, False),
        n=Wholes(1, 20),
        level=Reals(1.05, 40, above=1),
        N=Wholes(1, 3),
    ),
)(restricted_loss)


@restriction.said(
    r"\xi = \xi^\star(\cdot \mid \Theta_L): \quad N \text{ samples are } 2LN\text{-differentially private}",
    proof=True,
    tight=MANY,
)
def theorem_17a(step: Any, n: Any, level: Any, N: Any) -> Any:
    r"""The restriction makes Assumption 1 true with the constant L. Part 1 of Theorem 8 then holds, and composes. The
    level of a case is \(e^L\).
    """
    return 2 * log(level) * int(N)


claim_1a = PAPER.again(
    theorem_17a, "claim-1a", "Claim 1, first part", r"N \text{ samples are } 2NL\text{-differentially private}"
)


RARE: dict[str, Any] = {
    "parameters": (0.05, 0.3, 0.5, 0.7, 0.95),
    "xi": (0.005, 0.33, 0.33, 0.33, 0.005),
    "level": 2.4,
}
"""A prior with one per cent of its mass outside the region, at the two ends."""

ZEROS: list[dict[str, Any]] = [{**RARE, "n": n} for n in (1, 10, 20, 100)]


def some_inside(parameters: Any, level: Any, **_: Any) -> bool:
    """Whether the region has one of the parameters."""
    return any(not less(log(level), constant) for constant in bernoulli().lipschitz(list(parameters)))


def cuts(**more: Any) -> Premises:
    """A prior on a few coins, and a region that has one of them."""
    level = Reals(1.05, 40, above=1)
    return premises(
        "the region has a parameter",
        some_inside,
        parameters=Points(UNIT, (2, 3, 5)),
        xi=Law(of="parameters"),
        level=level,
        **more,
    )


def lost(parameters: Any, xi: Any, level: Any) -> Any:
    r"""\(1 - \xi^\star(\Theta_L)\), where the level is \(e^L\)."""
    return region_cost(bernoulli(), weighted(parameters, xi), log(level))


@PAPER.item(
    "theorem-17-priors",
    "Theorem 17, proof of (b)",
    cases=[RARE, {"parameters": (0.1, 0.4, 0.8), "xi": (0.3, 0.5, 0.2), "level": 4}],
    calls=(cut, total_variation),
    page=UTILITY,
    premises=cuts(),
)
def distance_of_priors(parameters: Any, xi: Any, level: Any) -> Any:
    r"""\(\|\xi - \xi^\star\|_1\)."""
    prior = weighted(parameters, xi)
    return 2 * total_variation(cut(bernoulli(), prior, log(level)), prior)


@distance_of_priors.said(r"\|\xi - \xi^\star\|_1 = 2[1 - \xi^\star(\Theta_L)]", proof=True)
def theorem_17_priors(parameters: Any, xi: Any, level: Any) -> Any:
    r"""It is right for the priors. The proof then uses it for the posteriors, where it is
    ``posterior-sampling/theorem-17-posteriors``.
    """
    return 2 * lost(parameters, xi, level)


@PAPER.item(
    "theorem-17-posteriors",
    "Theorem 17, proof of (b), for posteriors",
    cases=ZEROS,
    calls=(cut, posterior, total_variation),
    page=UTILITY,
    premises=cuts(n=Wholes(1, 100)),
)
def distance_of_posteriors(parameters: Any, xi: Any, level: Any, n: Any) -> Any:
    r"""\(\|\xi(\cdot \mid x) - \xi^\star(\cdot \mid x)\|_1\), x of n zeros."""
    family, prior, x = bernoulli(), weighted(parameters, xi), [0] * int(n)
    return 2 * total_variation(posterior(family, cut(family, prior, log(level)), x), posterior(family, prior, x))


@distance_of_posteriors.said(
    r"\|\xi(\cdot \mid x) - \xi^\star(\cdot \mid x)\|_1 = 2\,\xi^\star(\Theta_L^c \mid x)", proof=True
)
def theorem_17_posteriors(parameters: Any, xi: Any, level: Any, n: Any) -> Any:
    r"""The posterior of the restricted prior is the restricted posterior. The cases have n zeros."""
    family = bernoulli()
    return 2 * region_cost(family, posterior(family, weighted(parameters, xi), [0] * int(n)), log(level))


@PAPER.item(
    "theorem-17b",
    "Theorem 17, part (b), with the constants of its proof and many samples",
    cases=ZEROS,
    relation="<=",
    calls=guessing_regret,
    page=UTILITY,
)
def regret_after_zeros(parameters: Any, xi: Any, level: Any, n: Any) -> Any:
    r"""The regret of guessing \(\theta\) after n zeros."""
    return guessing_regret(bernoulli(), weighted(parameters, xi), log(level), [0] * int(n))


@regret_after_zeros.said(r"\text{regret} \le 2\|\xi - \xi^\star\|_1 = 4[1 - \xi^\star(\Theta_L)]", expected=REFUTED)
def theorem_17b(parameters: Any, xi: Any, level: Any, n: Any) -> Any:
    r"""Data may favour what the restriction removed. With one per cent of the prior outside \(\Theta_L\), n zeros move the
    posterior there, and guessing \(\theta\) then fails almost surely. No constant saves the bound: the regret tends
    to one, and the bound is a multiple of 0.01.
    """
    return 4 * lost(parameters, xi, level)


@PAPER.item(
    "theorem-17b-corrected",
    "Theorem 17, part (b)",
    cases=[RARE | {"n": n} for n in (1, 20, 60, 150)],
    relation="<=",
    calls=mean_guessing_regret,
    page=UTILITY,
    premises=cuts(n=Wholes(1, 60)),
)
def regret_on_average(parameters: Any, xi: Any, level: Any, n: Any) -> Any:
    r"""The regret of guessing \(\theta\), on average over all counts."""
    return mean_guessing_regret(weighted(parameters, xi), log(level), int(n))


@regret_on_average.said(
    r"\mathbb E_{x \sim \phi^\star}\,\text{regret}(x) \le \mathbb E_{x \sim \phi^\star}\, \xi^\star(\Theta_L^c \mid x) = 1 - \xi^\star(\Theta_L)",
    corrects="posterior-sampling/theorem-17b",
    origin="ours",
    proof=True,
    tight=RARE | {"n": 150},
)
def theorem_17b_corrected(parameters: Any, xi: Any, level: Any, n: Any) -> Any:
    r"""Let A be the region \(\Theta_L\), P the posterior of the true prior, and \(u_A\) the mean utility under P given
    A. For \(u \in [0, 1]\) one has \(u^\star(r^\star) \le P(A) u_A(r^\star) + P(A^c)\) and \(u^\star(r) \ge P(A)
    u_A(r) \ge P(A) u_A(r^\star)\). So for each dataset the regret is at most \(P(A^c) = \xi^\star(\Theta_L^c \mid
    x)\), a quarter of what the printed constants give. The mean of this bound under the marginal is the prior mass
    outside. Guessing \(\theta\) from many records attains it. The exact side is the mean regret over all counts.
    """
    return lost(parameters, xi, level)


@PAPER.item(
    "theorem-17b-order",
    "Theorem 17, part (b)",
    cases=grid(constant=[1, 100, 10**4, 10**8], delta=[0.05]),
    relation="<=",
    calls=guessing_regret,
    page=UTILITY,
)
def regret_for_constant(constant: Any, delta: Any) -> Any:
    r"""The regret of guessing \(\theta\) inside the region, whatever is drawn, for the prior and the zeros that a constant asks
    for.
    """
    zeros = math.ceil(4 * math.log(8 * float(constant))) + 10
    return guessing_regret(bernoulli(), rare(constant), log(number(RARE["level"])), [0] * zeros)


def rare(constant: Any) -> Finite:
    r"""A prior with \(\frac1{8K}\) of its mass outside the region."""
    mass = 1 / (8 * number(constant))
    return weighted(RARE["parameters"], (mass / 2, *[(1 - mass) / 3] * 3, mass / 2))


@regret_for_constant.said(
    r"\text{the loss is } O\bigl([1 - \xi^\star(\Theta_L)] + \sqrt{\ln(1/\delta)/N}\bigr) \text{ with probability } 1 - \delta",
    expected=REFUTED,
)
def theorem_17b_order(constant: Any, delta: Any) -> Any:
    r"""No constant will do. For \(K \ge 1\) let two extreme parameters share \(\frac1{8K}\) of the prior and three
    central ones have the rest, and let \(\Theta_L\) be the central ones. Each zero makes the smallest parameter
    \(\frac{0.95}{0.7}\) times as likely against the best central one. So after \(4\ln 8K + 10\) zeros the odds for it
    are at least 32. Then guessing \(\theta\) among the parameters that can be drawn loses more than 0.9, whatever the
    draws say. With \(N = \lceil 64K^2 \ln\frac1\delta \rceil\) draws K times the bound is at most 1/4. A constant
    below one promises more still. The exact side is this loss, at several K.

    The first term is right with the constant one on average over the marginal:
    ``posterior-sampling/theorem-17b-corrected``. For given data it is right with the posterior mass outside
    \(\Theta_L\) in place of the prior mass.
    """
    draws = math.ceil(-64 * float(constant) ** 2 * math.log(float(delta)))
    outside = region_cost(bernoulli(), rare(constant), log(number(RARE["level"])))
    return constant * (outside + sqrt(-log(delta) / draws))


claim_1b = PAPER.again(
    theorem_17b_order,
    "claim-1b",
    "Claim 1, second part",
    r"\text{the utility loss is } O\bigl([1 - \xi^\star(\Theta_L)] + \sqrt{1/N}\bigr) \text{ with high probability}",
)
