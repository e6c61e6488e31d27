r"""What the mechanisms of this book promise, and how much of it their exact loss uses up."""

import math
from collections.abc import Callable
from typing import Any

from ...arithmetic import exp, expm1, largest, log1p, maximum, minimum, number, numbers
from ...guarantees import RDP, ZCDP, ApproxDP, GaussianDP, PureDP, compose, repeated_delta, uses_within
from ...mechanisms import MECHANISMS, ehd
from ...mechanisms.lattice_noise import moved_lattice_laplace
from ...mechanisms.remaps import remapped, remapped_geometric, remapped_lattice
from ...model import (
    count_vectors,
    exponential_smooth_sensitivity,
    global_sensitivity,
    neighbours,
    smooth_reciprocal_jump,
)
from ...model.datasets import moves
from ...model.distances import lattice_distances
from ...privacy import audit, calibrate, epsilon_at_delta, hockey_stick
from ..claim import HOLDS, grid
from ..item import only_in_doubles
from ..premises import Choice, Reals, Weights, Wholes, premises
from .source import LIBRARY, WHAT_LEAKS, WHICH

MAKERS = {
    "remapped_geometric": remapped_geometric,
    "remapped_lattice": remapped_lattice,
    "moved_lattice_laplace": moved_lattice_laplace,
}
"""Mechanisms that are made of those in the table."""


CONCENTRATED = ("discrete_gaussian",)
"""What promises a rho and no epsilon: ``beyond/promised-rho``."""

PURE = tuple(name for name in MECHANISMS if name not in CONCENTRATED)
"""What promises an epsilon."""


def made(mechanism: str, epsilon: Any) -> Any:
    """A mechanism at a budget, by its name."""
    if mechanism.startswith("remapped, "):
        return remapped(made(mechanism.removeprefix("remapped, "), epsilon))
    return MAKERS[mechanism](epsilon) if mechanism in MAKERS else MECHANISMS[mechanism].at(epsilon)


ANY_PRIOR = MECHANISMS.keys() - {"ehdl"}
"""Mechanisms that guarantee something at every prior."""


def guarantees(mechanism: str, prior: Any, n: Any, epsilon: Any) -> bool:
    """Whether a mechanism guarantees anything there."""
    if mechanism not in MECHANISMS:
        only_in_doubles("the weights and the remap are found in doubles")
    return made(mechanism, epsilon).guarantee(prior, int(n)) is not None


@LIBRARY.item(
    "promises",
    "guarantee and audit",
    cases=[
        *grid(mechanism=PURE, prior=[(1, 1)], n=[5], epsilon=[0.3, 2]),
        *grid(mechanism=sorted(MECHANISMS.keys() - {"ehdl", *CONCENTRATED}), prior=[(0.5, 1, 2)], n=[3], epsilon=[0.8]),
        *grid(mechanism=list(MAKERS), prior=[(1, 1)], n=[5], epsilon=[0.8]),
        *grid(mechanism=["moved_lattice_laplace", "remapped_lattice"], prior=[(0.5, 1, 2)], n=[3], epsilon=[0.8]),
        {"mechanism": "remapped, staircase", "prior": (1, 1), "n": 5, "epsilon": 0.8},
    ],
    relation="<=",
    calls=audit,
    page=WHICH,
    premises=premises(
        "the mechanism guarantees something",
        guarantees,
        fix=lambda mechanism, prior, **_: {"prior": prior if mechanism in ANY_PRIOR else (1, 1)},
        mechanism=Choice((*PURE, *MAKERS, "remapped, staircase")),
        prior=Weights((2, 3)),
        n=Wholes(1, 6),
        epsilon=Reals(above=0),
    ),
)
def leaked(mechanism: Any, prior: Any, n: Any, epsilon: Any) -> Any:
    """The exact worst loss."""
    if mechanism in {"remapped_geometric", "remapped_lattice", "remapped, staircase"}:
        only_in_doubles("the weights and the remap are found in doubles")
    return audit(made(mechanism, epsilon), prior, int(n)).epsilon


@leaked.said(
    r"\max_{x \sim x'} \sup_r \ln\frac{\Pr_x[r]}{\Pr_{x'}[r]} \le \varepsilon_{\mathrm{guaranteed}}",
    proof=True,
    tight={"mechanism": "lsdim", "prior": (1, 1), "n": 5, "epsilon": 2},
)
def promised(mechanism: Any, prior: Any, n: Any, epsilon: Any) -> Any:
    """Each mechanism has a proof of its own, named in its description. The weights of noise move by a factor per step,
    a distance moves by its sensitivity, or the reciprocal of a rate moves by a known amount. A remap reads the output
    alone, and cannot add to it. The right side is the guarantee at this prior and n.
    """
    guarantee = made(mechanism, epsilon).guarantee(prior, int(n))
    return guarantee.epsilon + number(0)


@LIBRARY.item(
    "promises-met",
    "noise and its exact loss",
    cases=[
        *grid(mechanism=["geometric", "lattice_laplace"], prior=[(1, 1), (1, 1, 1)], n=[3], epsilon=[2]),
        *grid(mechanism=["lshist", "staircase", "lsdim", "lszhang"], prior=[(1, 1), (1, 1, 1)], n=[2], epsilon=[0.8]),
        *grid(mechanism=["randomised_response"], prior=[(1, 1), (1, 1, 1)], n=[1, 4], epsilon=[2]),
    ],
    calls=audit,
    page=WHICH,
)
def spent(mechanism: Any, prior: Any, n: Any, epsilon: Any) -> Any:
    """The exact worst loss."""
    return audit(made(mechanism, epsilon), prior, int(n)).epsilon


@spent.said(
    r"\max_{x \sim x'} \sup_r \ln\frac{\Pr_x[r]}{\Pr_{x'}[r]} = s\,\varepsilon, \quad s = 1 \text{ but for LSDim, }"
    r" \tfrac{\min(k-1, 2)}{k}, \text{ and LSZhang, } \tfrac{\min(k-1, 2)}{2k}",
    proof=True,
)
def met(mechanism: Any, prior: Any, n: Any, epsilon: Any) -> Any:
    r"""A replaced record moves one noisy count by one if k = 2 and two of them otherwise. The weight of the noise falls
    by the same factor on every step, or on every second one for steps of two. An output beyond all of these datasets
    pays the factor for each count that moved. Randomised response pays \(e^\varepsilon\) where all say what the replaced
    record was. So the loss is the rate of the noise times the number of counts that move, which is \(\varepsilon\) where
    the scale was chosen for it. From two records on; with one, some outputs are not reached.
    """
    k = len(prior)
    counts_of_the_scale = {"lsdim": k, "lszhang": 2 * k}
    return epsilon * min(k - 1, 2) / counts_of_the_scale[mechanism] if mechanism in counts_of_the_scale else epsilon


HALVES = [
    *grid(prior=[(1, 1, 1), (0.5, 1, 2)], n=[1, 3, 7], epsilon=[0.1, 1]),
    {"prior": (1, 1, 1), "n": 3, "epsilon": 0.01},
    {"prior": (1, 1, 1), "n": 14, "epsilon": 0.8},
    {"prior": (0.3, 0.3, 0.3, 2), "n": 4, "epsilon": 1},
    {"prior": (1e-12, 1e-12, 1000), "n": 2, "epsilon": 1},
]
THREE_OR_MORE = premises(prior=Weights((3, 4)), n=Wholes(1, 4), epsilon=Reals(above=0))


def ehd_loss(prior: Any, n: Any, epsilon: Any) -> Any:
    """The exact worst loss of EHD."""
    return audit(ehd(epsilon), [number(weight) for weight in prior], int(n)).epsilon


def ehd_rate(prior: Any, n: Any, epsilon: Any) -> Any:
    """Its rate."""
    return epsilon / (2 * global_sensitivity([number(weight) for weight in prior], int(n)))


@LIBRARY.item(
    "half-at-least",
    "EHD with more than two categories",
    cases=HALVES,
    relation=">=",
    calls=audit,
    page=WHAT_LEAKS,
    premises=THREE_OR_MORE,
)
def ehd_leaks(prior: Any, n: Any, epsilon: Any) -> Any:
    """The exact worst loss."""
    return ehd_loss(prior, n, epsilon)


@ehd_leaks.said(
    r"\varepsilon_{\mathrm{audited}} \ge \varepsilon / 2 \text{ for } k \ge 3",
    proof=True,
    tight={"prior": (1, 1, 1), "n": 7, "epsilon": 1},
)
def half_at_least(prior: Any, n: Any, epsilon: Any) -> Any:
    r"""Take the two datasets whose distance is GS. Each is likelier to release itself, by \(e^{\varepsilon/2}\) times a
    ratio of normalisers. It is \(Z(y)/Z(x)\) in one direction and \(Z(x)/Z(y)\) in the other, and one is at least one.
    """
    return epsilon / 2


FLAT_PRIORS = [
    {"prior": (1e6, 1e12, 1e12), "n": 5, "epsilon": 0.01, "share": 0.94},
    {"prior": (1e6, 1e12, 1e12), "n": 8, "epsilon": 0.01, "share": 0.97},
    {"prior": (1e6, 1e12, 1e12, 1e12), "n": 4, "epsilon": 0.01, "share": 0.96},
    {"prior": (1e6, 1e6, 1e6), "n": 8, "epsilon": 0.01, "share": 0.8},
    {"prior": (1e-12, 1e6, 1e6), "n": 8, "epsilon": 0.01, "share": 0.6},
]


@LIBRARY.item(
    "half-and-no-constant",
    "EHD with more than two categories",
    cases=FLAT_PRIORS,
    relation=">=",
    calls=audit,
    page=WHAT_LEAKS,
)
def ehd_spends(prior: Any, n: Any, epsilon: Any, share: Any) -> Any:
    """The exact worst loss."""
    return ehd_loss(prior, n, epsilon)


@ehd_spends.said(
    r"\varepsilon_{\mathrm{audited}} \ge s\, \varepsilon \text{ for some } s \text{ near } 1 \text{ and } k = 3",
    expected=HOLDS,
)
def no_constant(prior: Any, n: Any, epsilon: Any, share: Any) -> Any:
    r"""Where the prior of one category is far lighter than the others', and still far above n, H is near
    \(|r_1 - x_1| / \sqrt{8 \alpha_1}\). From \(x_1 = n\) every output but x itself is nearer to the neighbour by all of
    GS. So for small \(\varepsilon\) the normalisers differ by \((1 - 2/N) \varepsilon / 2\) as well, where N is the number
    of outputs. No constant below one works for all priors and n.
    """
    return share * epsilon


@LIBRARY.item(
    "half-at-most",
    "EHD with more than two categories",
    cases=HALVES,
    relation="<=",
    calls=audit,
    page=WHAT_LEAKS,
    premises=THREE_OR_MORE,
)
def ehd_loses(prior: Any, n: Any, epsilon: Any) -> Any:
    """The exact worst loss."""
    return ehd_loss(prior, n, epsilon)


@ehd_loses.said(
    r"\varepsilon_{\mathrm{audited}} \le \max_{x \sim y} \Bigl[\lambda H(x, y) + \min\bigl\{\lambda H(x, y),"
    r" \ln(1 + (e^\lambda - 1) S(y) / N)\bigr\}\Bigr],\ S(y) = \sum_r (1 - H(y, r)^2), \text{ for } k \ge 3",
    proof=True,
)
def half_at_most(prior: Any, n: Any, epsilon: Any) -> Any:
    r"""By the triangle inequality the worst output is the dataset itself, and \(Z(y) \le e^{\lambda H(x, y)} Z(x)\).
    \(e^{-\lambda H} = \sum_m p_m e^{-mD}\) with \(p_0 = e^{-\lambda}\), \(p_m \ge 0\) and
    \(e^{-D} = 1 - H^2\); so a normaliser lies between \(e^{-\lambda} N\) and
    \(e^{-\lambda} N + (1 - e^{-\lambda}) S\), N being the number of candidates. The ratio of two is at most
    \(1 + (e^\lambda - 1) S / N\).
    """
    weights, rate = numbers([number(weight) for weight in prior]), ehd_rate(prior, n, epsilon)
    datasets = count_vectors(int(n), len(prior))
    distances = lattice_distances(weights, datasets)
    shares = (1 - distances**2).sum(axis=-1) / len(datasets)
    bounds = []
    for x, y in moves(int(n), len(prior)):
        near = rate * distances[x, y]
        bounds.append(largest(near + minimum(near, log1p(expm1(rate) * shares[y]))))
    return largest(bounds)


@LIBRARY.item(
    "calibrated",
    "calibration",
    cases=[
        {"mechanism": "ehd", "prior": (1, 1), "n": 12, "epsilon": 1.0},
        {"mechanism": "ehds", "prior": (0.5, 2), "n": 7, "epsilon": 0.4},
        {"mechanism": "lszhang", "prior": (1, 1, 1), "n": 3, "epsilon": 0.8},
    ],
    calls=(calibrate, audit),
    page=WHICH,
)
def calibrated_loss(mechanism: Any, prior: Any, n: Any, epsilon: Any) -> Any:
    """The exact loss of the member that calibration finds."""
    only_in_doubles("the largest member is found in doubles")
    return audit(calibrate(MECHANISMS[mechanism].make, prior, n, epsilon), prior, n).epsilon


@calibrated_loss.said(
    r"\varepsilon_{\mathrm{audited}} = \varepsilon \text{ for the member of a family calibrated to it}", expected=HOLDS
)
def calibrated(mechanism: Any, prior: Any, n: Any, epsilon: Any) -> Any:
    """The loss is continuous in the internal epsilon, so that its last crossing spends the budget to the last digits."""
    return epsilon


@LIBRARY.item(
    "epsilon-at-delta",
    "privacy profile",
    cases=grid(mechanism=["ehd", "geometric"], prior=[(1, 1), (0.5, 2)], n=[9], epsilon=[1], delta=[0.02, 0.1]),
    calls=(epsilon_at_delta, hockey_stick),
    page=WHICH,
)
def profile(mechanism: Any, prior: Any, n: Any, epsilon: Any, delta: Any) -> Any:
    """The exact delta at the smallest epsilon for a delta."""
    only_in_doubles("the smallest epsilon is found in doubles")
    found = MECHANISMS[mechanism].at(epsilon)
    return hockey_stick(found, prior, n, epsilon_at_delta(found, prior, n, delta))


@profile.said(r"\delta(\varepsilon(\delta)) = \delta \text{ where } \varepsilon(\delta) > 0", proof=True)
def inverse(mechanism: Any, prior: Any, n: Any, epsilon: Any, delta: Any) -> Any:
    r"""\(\delta(\varepsilon) = \max_{x \sim x'} \sum_r (\Pr_x[r] - e^\varepsilon \Pr_{x'}[r])_+\) is continuous and
    falls strictly until it is zero: the smallest \(\varepsilon\) at which it is at most \(\delta\) attains it.
    """
    return delta


@LIBRARY.item(
    "smooth-jump",
    "guarantee of M_H",
    cases=[
        *grid(prior=[(1, 1), (0.5, 3)], n=[7], beta=[0.05, 0.4]),
        {"prior": (1, 1, 2), "n": 3, "beta": 0.4},
    ],
    calls=smooth_reciprocal_jump,
    page=WHICH,
    premises=premises(prior=Weights((2, 3)), n=Wholes(1, 12), beta=Reals(1e-3, 5, above=0)),
)
def jump(prior: Any, n: Any, beta: Any) -> Any:
    """The most that the reciprocal of the smooth sensitivity moves."""
    return smooth_reciprocal_jump(prior, int(n), beta)


@jump.said(r"\kappa = \max_{x \sim x'} |1/S(x) - 1/S(x')|", proof=True)
def jump_by_pairs(prior: Any, n: Any, beta: Any) -> Any:
    """The definition, dataset by dataset and neighbour by neighbour."""
    size, k = int(n), len(prior)

    def reciprocal(x: Any) -> Any:
        return 1 / exponential_smooth_sensitivity(prior, x, beta)

    return largest([abs(reciprocal(x) - reciprocal(y)) for x in count_vectors(size, k) for y in neighbours(x)])


STEPS: dict[str, Callable[[], Any]] = {
    "pure": lambda: PureDP(number(0.1)),
    "approximate": lambda: ApproxDP(number(0.05), number(1e-8)),
    "normal": lambda: GaussianDP(number(0.0005)),
    "concentrated": lambda: ZCDP(number(0.0005)),
    "renyi": lambda: RDP([2, 8, 32], [number(0.001), number(0.004), number(0.016)]),
}
"""One use of a mechanism, in the five currencies."""


def delta_after(step: str, uses: int, epsilon: Any) -> Any:
    """The delta of so many uses, and of one more promise that leaks nothing."""
    return compose(STEPS[step]().repeat(uses), STEPS[step]().repeat(0)).delta(epsilon)


@LIBRARY.item(
    "uses-within",
    "composition",
    cases=grid(step=list(STEPS), epsilon=[2], delta=[1e-6]),
    relation="<=",
    calls=(uses_within, compose),
    page=WHICH,
)
def last_that_fits(step: Any, epsilon: Any, delta: Any) -> Any:
    """The larger of what the uses found spend, and of the budget over what one more would."""
    uses = uses_within(STEPS[step](), ApproxDP(epsilon, delta))
    return largest([delta_after(step, uses, epsilon) / delta, delta / delta_after(step, uses + 1, epsilon)])


@last_that_fits.said(
    r"\delta_k(\varepsilon) \le \delta < \delta_{k+1}(\varepsilon)",
    proof=True,
    tight={"step": "normal", "epsilon": 2, "delta": 1e-6},
)
def fits(step: Any, epsilon: Any, delta: Any) -> Any:
    """More uses cost more, so that doubling and halving finds the last number that fits. Both sides in units of the
    budget: what is spent over it, or it over what one more use spends, is at most one.
    """
    return number(1)


@LIBRARY.item(
    "conversions",
    "guarantees",
    cases=grid(step=list(STEPS), uses=[30], delta=[1e-3, 1e-5]),
    calls=(PureDP, ApproxDP, GaussianDP, ZCDP, RDP),
    page=WHICH,
)
def there_and_back(step: Any, uses: Any, delta: Any) -> Any:
    """The delta at the smallest epsilon for a delta."""
    guarantee = STEPS[step]().repeat(int(uses))
    return guarantee.delta(guarantee.epsilon(delta))


@there_and_back.said(r"\delta(\varepsilon(\delta)) = \delta", proof=True)
def same_delta(step: Any, uses: Any, delta: Any) -> Any:
    r"""In every currency \(\delta(\varepsilon)\) is continuous and falls strictly while it is positive, and
    \(\varepsilon(\delta)\) is its inverse.
    """
    return delta


@LIBRARY.item(
    "repeated-pure",
    "composition",
    cases=grid(epsilon=[0.1, 1], uses=[1, 5, 12], level=[0, 0.5, 2]),
    calls=repeated_delta,
    page=WHICH,
    premises=premises(epsilon=Reals(above=0), uses=Wholes(1, 40), level=Reals(0, 0.99, least=0, corners=(0.0,))),
)
def after_many(epsilon: Any, uses: Any, level: Any) -> Any:
    """The exact delta of many pure uses."""
    return repeated_delta(PureDP(epsilon), int(uses), level)


@after_many.said(
    r"\delta_k(\varepsilon) = \sum_l \tbinom kl \bigl(p^{k-l} q^l - e^\varepsilon p^l q^{k-l}\bigr)_+, \quad"
    r" p = \tfrac{e^{\varepsilon_0}}{1 + e^{\varepsilon_0}},\ q = 1 - p",
    proof=True,
)
def responses(epsilon: Any, uses: Any, level: Any) -> Any:
    """This is the definition of the hockey stick, for k answers at random of which l are wrong. Every pure mechanism
    is a post-processing of such an answer (Kairouz, Oh and Viswanath 2015).
    """
    p = exp(epsilon) / (1 + exp(epsilon))
    q, k = 1 / (1 + exp(epsilon)), int(uses)
    return sum(
        math.comb(k, wrong) * maximum(p ** (k - wrong) * q**wrong - exp(level) * p**wrong * q ** (k - wrong), number(0))
        for wrong in range(k + 1)
    )
