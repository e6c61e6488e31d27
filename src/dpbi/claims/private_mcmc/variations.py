"""Chapter 4, a title: the variations of the penalty algorithm, moving components, with a direction, on batches, HMC."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ...arithmetic import largest, number, numbers, remembered, smallest, zeros
from ...guarantees import largest_count
from ...mcmc import exact
from ...mcmc.acceptance import penalty_acceptance
from ...mcmc.minibatch import batch_penalty, batch_ratio, changed, renyi_cost, variance_change
from ..claim import HOLDS, REFUTED, grid
from ..item import only_in_doubles
from .models import penalty_rule, rows_of, seen, simulated, student, uniform
from .source import THESIS

PAGE = "private_mcmc/variations"
CHAPTER = "Chapter 4"

RATES = grid(points=[41], rate=[0.5, 2])

title = THESIS.vague(
    "4-title",
    CHAPTER,
    r"\text{``Variations of the Penalty Algorithm''}",
    "The claims that stand in its place begin with ``private-mcmc/4-components``.",
    uncheckable=r"a title without a text. The variations that followed are component updates, the guided walk, batches and Hamiltonian Monte Carlo, stated here as explicit claims",
    page=PAGE,
)


@THESIS.item(
    "4-components",
    CHAPTER,
    relation="<=",
    cases=grid(points=[9], rate=[0.5, 2]),
    calls=(penalty_acceptance, exact.transition, exact.along_components, exact.invariance_error),
    page=PAGE,
)
def components_error(points: Any, rate: Any) -> Any:
    """On a square of points, the two components dependent."""
    grid_of, place = student(points), numbers(range(-4, int(points) - 4))
    plane = grid_of.log_target[:, None] + grid_of.log_target / 2 - place[:, None] * place / 8

    def line(log_target: Any) -> Any:
        accepted = penalty_acceptance(log_target - log_target[:, None], rate * grid_of.distance)
        return exact.transition(uniform(points), accepted)

    return seen(exact.invariance_error(*exact.along_components(plane, line)))


@components_error.said(
    r"\text{moving one random component at a time leaves } \pi \text{ invariant: error} \le 10^{-12}",
    corrects="private-mcmc/4-title",
    origin="literature",
    work="raisa2021",
    proof=True,
)
def components(points: Any, rate: Any) -> Any:
    r"""The move of each component is a penalty step with a symmetric proposal, which is reversible with respect to
    \(\pi\). A random choice between such steps is reversible too. The cases are on a square of points, with a target
    under which the two components are dependent.
    """
    return number("1e-12")


# The guided walk


def walk(points: Any, rate: Any, **correction: Any) -> tuple[Any, Any]:
    """The target, and the matrix of the guided walk on it."""
    return student(points).target, exact.guided_transition(penalty_rule(points, rate, **correction))


def walk_error(points: Any, rate: Any, **correction: Any) -> Any:
    """How far target and direction are from being invariant."""
    target, matrix = walk(points, rate, **correction)
    return exact.invariance_error(matrix, np.concatenate([target, target]) / 2)


GUIDED = (penalty_acceptance, exact.guided_transition)


@THESIS.item("4-guided", CHAPTER, relation="<=", cases=RATES, calls=(*GUIDED, exact.invariance_error), page=PAGE)
def guided_error(points: Any, rate: Any) -> Any:
    """How far target and direction are from being invariant."""
    return seen(walk_error(points, rate))


@guided_error.said(
    r"\text{the guided walk leaves } \pi(\theta) \times \text{uniform}(\pm 1) \text{ invariant: error} \le 10^{-12}",
    origin="literature",
    work="raisa2021",
    proof=True,
)
def guided(points: Any, rate: Any) -> Any:
    r"""The walk carries a direction, and F reverses it. Sum skew detailed balance, \(\pi(x) P(x \to y) = \pi(y) P(Fy
    \to Fx)\), over x: what flows into y is \(\pi(y)\). At a point on the way up this inflow has two parts: the moves
    from below, and the refusals of walks that came down and turn round.
    """
    return number("1e-12")


@THESIS.item(
    "4-guided-no-correction", CHAPTER, relation=">", cases=RATES, calls=(*GUIDED, exact.invariance_error), page=PAGE
)
def uncorrected_error(points: Any, rate: Any) -> Any:
    """The same without the correction."""
    return walk_error(points, rate, correction=0)


@uncorrected_error.said(
    r"\text{without the correction } -\tfrac12 s^2 \text{ the error of the guided walk is more than } 10^{-5}",
    origin="ours",
    expected=HOLDS,
)
def guided_no_correction(points: Any, rate: Any) -> Any:
    r"""This variant, without \(-\tfrac12 s^2\), is wrong, and the check must see it."""
    return number("1e-5")


@THESIS.item("4-guided-turns", CHAPTER, cases=grid(points=[3, 7], at=[0, 2]), calls=exact.guided_transition, page=PAGE)
def turning(points: Any, at: Any) -> Any:
    """The probability to turn round at a point on the way up, where every move is accepted."""
    g, i = int(points), int(at)
    return exact.guided_transition(zeros((g, g)) + number(1))[i, g + i]


@turning.said(
    r"P((i, \uparrow) \to (i, \downarrow)) = \frac{i}{g - 1}, \quad i = 0, \dots, g - 1, \text{ if every move is accepted}",
    origin="ours",
    proof=True,
)
def guided_turns(points: Any, at: Any) -> Any:
    """There are g points. On the way up from the point i, each of the g - 1 lengths of a step is proposed with the
    same probability. Of these, i lead off the line and are refused, and a refused walk turns round. If every move on
    the line is accepted, nothing else turns the walk.
    """
    return number(int(at)) / (int(points) - 1)


@THESIS.item("4-guided-balance", CHAPTER, relation="<=", cases=RATES, calls=(*GUIDED, exact.balance_error), page=PAGE)
def imbalance(points: Any, rate: Any) -> Any:
    """The largest difference of a flow and the flow back."""
    target, matrix = walk(points, rate)
    return exact.balance_error(matrix, np.concatenate([target, target]) / 2)


@imbalance.said(
    r"\text{the guided walk satisfies detailed balance: } \pi_x P_{xy} = \pi_y P_{yx}", origin="ours", expected=REFUTED
)
def guided_balance(points: Any, rate: Any) -> Any:
    """On the way up the walk moves up, and never back in one step. So the flow back is zero."""
    return number("1e-12")


@THESIS.item("4-guided-skew", CHAPTER, relation="<=", cases=RATES, calls=(*GUIDED, exact.skew_balance_error), page=PAGE)
def skew_imbalance(points: Any, rate: Any) -> Any:
    """The same with directions reversed on the way back."""
    target, matrix = walk(points, rate)
    return seen(exact.skew_balance_error(matrix, target))


@skew_imbalance.said(
    r"\text{the guided walk satisfies skew detailed balance: } |\pi_x P_{xy} - \pi_y P_{Fy, Fx}| \le 10^{-12}",
    corrects="private-mcmc/4-guided-balance",
    origin="literature",
    work="raisa2021",
    proof=True,
)
def guided_skew(points: Any, rate: Any) -> Any:
    """Here F reverses the direction. The move back with the direction reversed is proposed with the same probability.
    The penalty test decides about both moves, and it is in detailed balance.
    """
    return number("1e-12")


# Batches


def over_extreme_points(size: int, of: Callable[[Any, Any], Any]) -> Any:
    """The largest change of a function of mean and variance, where one value of a batch within 1 is replaced."""
    changes = []
    for ones in range(size):
        rest = numbers([1] * ones + [-1] * (size - 1 - ones))
        batches = [np.append(rest, number(value)) for value in (-1, 0, 1)]
        means = [values.sum() / size for values in batches]
        found = [of(mean, ((values - mean) ** 2).sum() / size) for mean, values in zip(means, batches, strict=True)]
        changes.append(largest(found) - smallest(found))
    return largest(changes)


@THESIS.item(
    "4-minibatch-variance",
    CHAPTER,
    relation="<=",
    cases=grid(b=[2, 6, 40]),
    calls=(batch_penalty, variance_change),
    page=PAGE,
)
def largest_change(b: Any) -> Any:
    """Of the correction for a batch's own error, where one value of b within 1 is replaced, over extreme points."""
    return over_extreme_points(int(b), lambda mean, variance: batch_penalty(variance, number(b), int(b)))


@largest_change.said(
    r"\tfrac12 \bigl|\Delta \sum_B (r_j - \bar r)^2\bigr| \le \frac{3(b-1)}{b},\ |r_j| \le 1",
    origin="literature",
    work="raisa2021",
    proof=True,
)
def minibatch_variance(b: Any) -> Any:
    r"""A batch B has b rows, and \(\bar r\) is the mean of their ratios. The test on a batch subtracts half of this
    sum of squares, to correct for the error of the batch. Public programs bound its change by two bounds added, which
    gives this constant. The bound is never reached: ``private-mcmc/4-minibatch-sharp``.
    """
    return number(3) * (b - 1) / b


@THESIS.item(
    "4-minibatch-sharp",
    CHAPTER,
    relation="<=",
    cases=minibatch_variance.cases,
    calls=largest_change.calls,
    page=PAGE,
)
def largest_change_again(b: Any) -> Any:
    """The same."""
    return largest_change(b=b)


@largest_change_again.said(
    r"\tfrac12 \bigl|\Delta \sum_B (r_j - \bar r)^2\bigr| \le \frac{2(b-1)}{b}",
    tight={"b": 6},
    corrects="private-mcmc/4-minibatch-variance",
    origin="ours",
    proof=True,
)
def minibatch_sharp(b: Any) -> Any:
    r"""Let S be the sum of the other ratios. Replacing r by r' changes \(\sum r_j^2 - (\sum r_j)^2/b\) by \((1 -
    \frac1b)(r'^2 - r^2) - \frac{2S}{b}(r' - r)\). This is largest at \(r' = 1\), \(S = -(b-1)\), or with all signs
    reversed. There it is \((1 - \frac1b)[(1 - r^2) + 2(1 - r)]\), at most \(4(1 - \frac1b)\), and \(r = -1\) reaches
    it. A smaller bound means less noise at the same privacy, and the library uses this one.
    """
    return variance_change(int(b))


@THESIS.item("4-minibatch-sensitivity", CHAPTER, cases=grid(b=[2, 6, 40]), calls=(changed, batch_ratio), page=PAGE)
def sensitivity(b: Any) -> Any:
    """What the noise on a batch is in proportion to, ratios being within 1 and nT = b."""
    return changed(number(1), int(b), number(1))


@sensitivity.said(
    r"\max \Bigl|\Delta \bigl(\textstyle\sum_B r_j - \tfrac12 \sum_B (r_j - \bar r)^2\bigr)\Bigr| = 2 + \frac{2(b-1)}{b}",
    origin="ours",
    proof=True,
)
def minibatch_sensitivity(b: Any) -> Any:
    """Both terms change most if all other ratios are at one end and the replaced one moves from the other end to
    theirs. The other side is the largest change over such extreme points. The noise on a batch is proportional to it.
    """
    return over_extreme_points(int(b), lambda mean, variance: batch_ratio(mean, variance, number(b), int(b)))


@remembered
def step_on_batches() -> Any:
    """The Rényi curve of one step."""
    return renyi_cost(rows_of(100_000), tau=number(0.7), batch=1000)


@THESIS.item(
    "4-minibatch-count",
    CHAPTER,
    cases=[{"epsilon": 4, "count": 329}, {"epsilon": 6, "count": 991}],
    calls=(renyi_cost, largest_count),
    page=PAGE,
)
def count_allowed(epsilon: Any, count: Any) -> Any:
    """The largest number of steps whose classic conversion stays within epsilon."""
    step = step_on_batches()
    return largest_count(lambda uses: bool(step.repeat(uses).classic_epsilon(number(1e-6)) <= epsilon))


@count_allowed.said(
    r"\tau = 0.7,\ b = 1000,\ n = 10^5,\ \delta = 10^{-6}\text{: the amplified Rényi bound allows 329 iterations at } \varepsilon = 4 \text{ and 991 at } \varepsilon = 6",
    origin="literature",
    work="raisa2021code",
    expected=REFUTED,
)
def minibatch_count(epsilon: Any, count: Any) -> Any:
    r"""The bound is a sum over whole numbers up to the order \(\alpha\), and the public program stops at \(\alpha -
    1\). With the last term the bound allows 272 and 961 iterations. The exact side is the largest number of steps for
    which \(\varepsilon\), converted from the divergence of all steps in the classic way, stays within the budget.
    """
    return count


@count_allowed.instead(
    r"\text{the amplified Rényi bound allows 272 iterations at } \varepsilon = 4 \text{ and 961 at } \varepsilon = 6",
    cases=[{"epsilon": 4, "count": 272}, {"epsilon": 6, "count": 961}],
    expected=HOLDS,
)
def minibatch_count_corrected(epsilon: Any, count: Any) -> Any:
    r"""These are the numbers with the sum up to \(\alpha\) itself."""
    return count


@THESIS.item(
    "4-minibatch-bias",
    CHAPTER,
    relation=">",
    cases=grid(batch=[3, 5]),
    calls=(exact.minibatch_transition, exact.bias),
    page=PAGE,
)
def batch_bias(batch: Any) -> Any:
    """On every batch of a small dataset, with no private noise."""
    only_in_doubles("hundreds of batches, each with 420 moves, take balls too long")
    target = simulated(21, rows=10)
    matrix = exact.minibatch_transition(target, exact.walk(21), int(batch), clip=1e9, tau=None)
    return exact.bias(matrix, target.target)


@batch_bias.said(
    r"\text{the penalty test on batches is not exact: total variation more than } 10^{-3}",
    origin="ours",
    expected=HOLDS,
)
def minibatch_bias(batch: Any) -> Any:
    """The matrix goes through every batch of a small dataset, and there is no private noise. Three things are left:
    the error of a batch is not normal, its variance is estimated, and drawing without replacement has a smaller one.
    """
    return number("1e-3")


# Hamiltonian Monte Carlo


def ring_error(points: Any, steps: Any, seed: Any, *, closing: bool) -> Any:
    """How far the target is from being invariant on a ring, with gradients that have nothing to do with it."""
    g = int(points)
    if g > 11 or int(steps) > 1:
        only_in_doubles("only short paths on few points have few enough pairs of states for balls")
    target = simulated(g)
    kick = np.random.default_rng(int(seed)).integers(-4, 5, size=g)
    path = exact.ring_path(kick, steps=int(steps), noise=numbers([0.2, 0.5, 0.3]), closing=closing)
    matrix = exact.ring_transition(target.log_target, path, momentum_sd=3.0, noise_rate=0.1)
    return exact.invariance_error(matrix, target.target)


RING = (exact.ring_path, exact.ring_transition, exact.invariance_error)


@THESIS.item(
    "4-hmc", CHAPTER, relation="<=", cases=grid(points=[11, 21], steps=[1, 4], seed=[0, 1]), calls=RING, page=PAGE
)
def closed_error(points: Any, steps: Any, seed: Any) -> Any:
    """With a path that can be walked back."""
    return seen(ring_error(points, steps, seed, closing=True))


@closed_error.said(
    r"\text{HMC with any gradient field and fresh gradient noise leaves } \pi \text{ invariant under the penalty test: error} \le 10^{-12}",
    origin="literature",
    work="raisa2021",
    proof=True,
)
def hmc_invariant(points: Any, steps: Any, seed: Any) -> Any:
    """HMC is Hamiltonian Monte Carlo: a path of leapfrog steps, each of them two half kicks of the momentum and a
    drift between them. The noisy path is a chain of shears, so it preserves volume. Walked back with its draws in
    reverse order it ends where it began, and the draws are as likely in this order. So the proposal is reversible,
    whatever the gradient is. The check has the whole matrix on a finite phase space, with positions and momenta on a
    ring and a gradient that has nothing to do with the target.
    """
    return number("1e-12")


@THESIS.item(
    "4-hmc-open", CHAPTER, relation=">", cases=grid(points=[11, 21], steps=[1, 4], seed=[0]), calls=RING, page=PAGE
)
def open_error(points: Any, steps: Any, seed: Any) -> Any:
    """Without the last half kick."""
    return ring_error(points, steps, seed, closing=False)


@open_error.said(
    r"\text{without the last half kick HMC does not leave } \pi \text{ invariant: error more than } 10^{-4}",
    origin="ours",
    expected=HOLDS,
)
def hmc_open(points: Any, steps: Any, seed: Any) -> Any:
    """This variant is wrong, and the check must see it: without the last half kick the path cannot be walked back."""
    return number("1e-4")
