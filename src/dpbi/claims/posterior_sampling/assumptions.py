"""Section 2.2: the assumptions, Examples 1 and 2, Lemma 5."""

import itertools
import math
from typing import Any

from ...arithmetic import exp, largest, less, log, number, remembered, smallest
from ...posterior_sampling import (
    bernoulli,
    bernoulli_grid,
    best_rate,
    lipschitz_bound,
    lipschitz_mass,
)
from ...posterior_sampling.assumptions import lipschitz_steps
from ..claim import HOLDS, REFUTED, Condition, grid
from ..premises import Choice, Reals, Wholes, premises
from .cases import EITHER, UNIT, Coins, exceeded, reached, with_level
from .priors import bernoulli_prior
from .source import ASSUMPTIONS, PAPER

COIN = bernoulli()


def worst_slope(theta: Any, n: Any) -> Any:
    """The largest change of the log likelihood per differing record, over all pairs of sequences of n records."""
    sequences = list(itertools.product((0, 1), repeat=int(n)))
    fits = {x: COIN.likelihood([theta], x)[0] for x in sequences}
    pairs = itertools.combinations(sequences, 2)
    return largest([abs(log(fits[x] / fits[y])) / COIN.distance(x, y) for x, y in pairs])


slope = PAPER.item(
    "assumption-1",
    "Assumption 1, for Example 1",
    cases=grid(theta=[0.2, 0.5, 0.95], n=[1, 3]),
    calls=bernoulli,
    page=ASSUMPTIONS,
    premises=premises(theta=UNIT, n=Wholes(1, 5)),
)(worst_slope)


@slope.said(
    r"\ell(\theta) = \sup_{x, y} \frac{|\ln p_\theta(x) - \ln p_\theta(y)|}{\rho(x, y)} = \Bigl|\ln\frac{\theta}{1-\theta}\Bigr|",
    proof=True,
)
def assumption_1(theta: Any, n: Any) -> Any:
    r"""Every replaced record changes \(\ln p_\theta\) by \(\pm\ln\frac{\theta}{1-\theta}\). It grows without limit towards
    0 and 1, so Assumption 1 fails for a prior on all of (0, 1). The cases take the largest ratio over all pairs of
    sequences of n records.
    """
    return COIN.lipschitz([theta])[0]


@remembered
def deciding_jump(step: Any, xi: str, L0: Any) -> tuple[Any, Any]:
    r"""The mass just below a jump of the constants, and \(1 - e^{-c(l - L_0)}\) there, at the jump that decides."""
    prior = bernoulli_prior(step, xi)
    c, (jumps, _) = best_rate(COIN, prior, L0), lipschitz_steps(COIN, prior)
    below = [number(0), *(lipschitz_mass(COIN, prior, jump) for jump in jumps)]
    sides = [(mass, 1 - exp(-c * (jump - L0))) for mass, jump in zip(below, jumps, strict=False) if less(L0, jump)]
    return min(sides, key=lambda pair: float(pair[0] - pair[1]))


@PAPER.item(
    "assumption-2",
    "Assumption 2, for Example 2",
    cases=with_level(grid(step=[0.2, 0.05, 0.3], xi=["uniform", "exponential"]), 0.5, 1.0),
    relation=">=",
    calls=lipschitz_mass,
    page=ASSUMPTIONS,
    premises=premises(step=Coins(mirrored=False), xi=EITHER, L0=Reals(0.01, 5, above=0)).and_also(
        "some, but not all constants are above L0", lambda **case: reached(**case) and exceeded(**case)
    ),
)
def mass_below_a_jump(step: Any, xi: str, L0: Any) -> Any:
    """The mass just below the jump that decides."""
    return deciding_jump(step, xi, L0)[0]


@mass_below_a_jump.said(
    r"\xi(\Theta_L) \ge 1 - e^{-c(L - L_0)} \text{ for all } L \ge L_0 \iff c \le \min_{l_{j+1} > L_0} \frac{-\ln(1 - \xi(\Theta_{l_j}))}{l_{j+1} - L_0}",
    proof=True,
    tight={"step": 0.2, "xi": "uniform", "L0": 0.5},
)
def assumption_2(step: Any, xi: str, L0: Any) -> Any:
    r"""For a finite family the mass is a step function with jumps \(l_1 < l_2 < \dots\). On a step the right side is largest
    at its end, which gives one condition for each jump beyond \(L_0\). From the last jump on every c will do: Assumption
    1 implies Assumption 2 with \(L_0 = L\). The sides are the mass and the right side at the best c, where they meet:
    just before the jump that decides.
    """
    return deciding_jump(step, xi, L0)[1]


@PAPER.item(
    "example-1",
    "Example 1",
    cases=grid(step=[0.01, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4]),
    relation="<=",
    calls=lipschitz_bound,
    page=ASSUMPTIONS,
)
def largest_constant(step: Any) -> Any:
    """The largest Lipschitz constant on the grid."""
    return lipschitz_bound(COIN, bernoulli_prior(step))


@largest_constant.said(
    r"\max_k \ell(k\Delta) \le \ln\frac1\Delta",
    premises=premises(step=Choice((0.005, 0.01, 0.02, 0.025, 0.04, 0.05, 0.1, 0.125, 0.2, 0.25, 0.3, 0.4, 0.15))),
    condition=Condition(
        r"\(1/\Delta\) is a whole number", lambda step: not less(number("1e-9"), abs(1 / step - round(float(1 / step))))
    ),
    proof=True,
    tight={"step": 0.01},
)
def example_1(step: Any) -> Any:
    r"""The grid is \(k\Delta\) for \(k \le 1/\Delta\), without 0 and 1, where \(\ell\) is infinite. If \(1/\Delta\) is
    whole, the parameter nearest to an end is \(\Delta\) away from it, and \(\ell = \ln\frac{1-\Delta}{\Delta} <
    \ln\frac1\Delta\). Otherwise the last parameter is nearer to 1 than that. For example, \(\Delta = 0.3\) has
    \(\theta = 0.9\) with \(\ell = 2.197\), above 1.204.
    """
    return -log(step)


@largest_constant.instead(
    r"\max_k \ell(k\Delta) = \ln\frac{1 - r}{r}, \quad r = \min\bigl(\Delta, 1 - \Delta\lceil 1/\Delta - 1\rceil\bigr)",
    relation="=",
    cases=grid(step=[0.05, 0.1, 0.15, 0.2, 0.3, 0.4]),
    proof=True,
    tight={"step": 0.3},
    premises=premises(step=Coins(mirrored=False)),
)
def example_1_corrected(step: Any) -> Any:
    r"""\(\ell\) grows towards both ends, so the parameter nearest to an end decides; r is its distance from it."""
    parameters = bernoulli_grid(step)
    nearest = smallest([parameters[0], 1 - parameters[-1]])
    return log((1 - nearest) / nearest)


@PAPER.item(
    "example-1-prior",
    "Example 1, the uniform prior",
    cases=grid(step=[0.2, 0.05]),
    calls=bernoulli_grid,
    page=ASSUMPTIONS,
)
def total_weight(step: Any) -> Any:
    r"""The weights \(\Delta\) added up."""
    return sum(step for _ in bernoulli_grid(step))


@total_weight.said(
    r"\sum_k \xi(\theta_k) = \sum_k \Delta = 1",
    expected=REFUTED,
    erratum=True,
)
def example_1_prior(step: Any) -> Any:
    r"""There are \(1/\Delta - 1\) parameters strictly inside, so \(\xi(\theta_k) = \Delta\) adds up to \(1 - \Delta\). It adds
    up to one if \(\theta = 1\) is included, where Assumption 1 fails.
    """
    return number(1)


@PAPER.item(
    "example-1-prior-corrected",
    "Example 1, the uniform prior",
    cases=grid(step=[0.2, 0.05, 0.1]),
    calls=bernoulli_grid,
    page=ASSUMPTIONS,
)
def total_weight_corrected(step: Any) -> Any:
    r"""The weights \(\Delta/(1 - \Delta)\) added up."""
    return sum(step / (1 - step) for _ in bernoulli_grid(step))


@total_weight_corrected.said(
    r"\sum_k \frac{\Delta}{1 - \Delta} = 1 \quad (1/\Delta \text{ whole})",
    corrects="posterior-sampling/example-1-prior",
    origin="ours",
    proof=True,
)
def example_1_prior_corrected(step: Any) -> Any:
    r"""There are \(1/\Delta - 1\) parameters, each of weight \(\Delta/(1 - \Delta)\)."""
    return number(1)


@PAPER.item(
    "example-2-steps",
    "Example 2, Figure 1",
    cases=[{"step": 0.2, "steps": 2}],
    calls=lipschitz_steps,
    page=ASSUMPTIONS,
)
def number_of_steps(step: Any, steps: Any) -> Any:
    """How many distinct constants there are."""
    return number(len(lipschitz_steps(COIN, bernoulli_prior(step))[0]))


@number_of_steps.said(
    r"\Delta = 0.2: \ \xi(\Theta_L) \text{ has two steps}",
    reproduces=True,
)
def example_2_steps(step: Any, steps: Any) -> Any:
    r"""\(\ell\) is symmetric about 1/2: the parameters 0.4, 0.6 share one constant, and 0.2, 0.8 another."""
    return steps


@PAPER.item(
    "example-2-ratio",
    "Example 2, Figure 1",
    cases=[{"coarse": 0.2, "fine": 0.05, "printed": "0.5"}],
    relation="≈",
    calls=lipschitz_bound,
    page=ASSUMPTIONS,
)
def ratio_of_constants(coarse: Any, fine: Any, printed: str) -> Any:
    """The ratio of the largest constants of two grids."""
    return largest_constant(step=coarse) / largest_constant(step=fine)


@ratio_of_constants.said(
    r"L(0.2) \approx \tfrac12 L(0.05)",
    reproduces=True,
)
def example_2_ratio(coarse: Any, fine: Any, printed: str) -> Any:
    r"""\(\ln 4 / \ln 19 = 0.471\), "about half"."""
    return printed


@PAPER.item(
    "figure-1", "Figure 1", cases=grid(step=[0.2, 0.05]), relation="<=", calls=lipschitz_bound, page=ASSUMPTIONS
)
def marked_constant(step: Any) -> Any:
    """The constant marked in the figure."""
    return largest_constant(step=step)


@marked_constant.said(
    r"L(0.2),\ L(0.05) \le 3",
    reproduces=True,
    erratum=True,
)
def figure_1(step: Any) -> Any:
    r"""Both marked constants are on the axis shown, which ends at 3: 1.386 and 2.944. The thin curves cannot be redrawn: the
    text does not say at which \(L_0\) they were fitted.
    """
    return number(3)


@PAPER.item(
    "example-2-higher",
    "Example 2",
    cases=grid(L0=[0.5, 0.6, 0.69, 0.7, 0.8, 1.0, 1.3]),
    relation=">",
    calls=best_rate,
    page=ASSUMPTIONS,
)
def coarse_rate(L0: Any) -> Any:
    """The best rate of the coarser grid."""
    return best_rate(COIN, bernoulli_prior(number(0.2)), L0)


@coarse_rate.said(
    r"c_{0.2}(L_0) > c_{0.05}(L_0)",
    condition=Condition(r"\(L_0 > \ln 2\)", lambda L0: math.exp(L0) > 2),
)
def example_2_higher(L0: Any) -> Any:
    r"""Which family has the higher bound depends on \(L_0\), which is not given. For the uniform prior the best rates
    are equal to 1 at \(L_0 = \ln 2\), for every \(\Delta\) with \(1/\Delta\) whole and above 3. To see this, let \(l_i =
    \ln\frac{1-i\Delta}{i\Delta}\). Just below it \(1 - \xi(\Theta_L)\) is \(\frac{2i}{1/\Delta - 1}\), and \(e^{-(l_i
    - \ln 2)} = \frac{2i}{1/\Delta - i}\). The two are equal at i = 1, and the second is larger otherwise. Below \(\ln
    2\) the finer grid has the higher bound.
    """
    return best_rate(COIN, bernoulli_prior(number(0.05)), L0)


@PAPER.item(
    "example-2-exponential",
    "Example 2",
    cases=with_level(grid(step=[0.2, 0.05]), 0.5, 0.7, 1.0, 1.3),
    relation=">",
    calls=best_rate,
    page=ASSUMPTIONS,
)
def exponential_rate(step: Any, L0: Any) -> Any:
    r"""The best rate of the prior \(\xi \propto e^{-\ell}\)."""
    return best_rate(COIN, bernoulli_prior(step, "exponential"), L0)


@exponential_rate.said(
    r"c(\xi \propto e^{-\ell}) > c(\xi \text{ uniform})",
    expected=HOLDS,
)
def example_2_exponential(step: Any, L0: Any) -> Any:
    r"""The prior that is exponential in \(\ell\) moves mass from sensitive parameters to others, and so it raises every
    best rate.
    """
    return best_rate(COIN, bernoulli_prior(step), L0)


@PAPER.item(
    "lemma-5",
    "Lemma 5",
    cases=grid(theta=[0.2, 0.9], n=[1, 2, 4]),
    relation="<=",
    calls=bernoulli,
    page=ASSUMPTIONS,
    premises=premises(theta=UNIT, n=Wholes(1, 5)),
)
def slope_of_sequences(theta: Any, n: Any) -> Any:
    """The largest change per differing record."""
    return worst_slope(theta, n)


@slope_of_sequences.said(
    r"\ell^n(\theta) \le \ell(\theta), \quad \rho^n(x, y) = \sum_i \rho(x_i, y_i)",
    proof=True,
    tight={"theta": 0.2, "n": 4},
)
def lemma_5(theta: Any, n: Any) -> Any:
    r"""By the triangle inequality \(|\ln p^n_\theta(x) - \ln p^n_\theta(y)| \le \sum_i \ell(\theta)\rho(x_i, y_i)\),
    and a pair that differs in one record gives equality. So both assumptions hold for n records with all their
    constants. This is not so for C, which the second parts of Theorems 7 and 8 contain. For \(\Delta = 0.05\) it grows
    from 1.9 at one record to 17.7 at fifty.
    """
    return COIN.lipschitz([theta])[0]
