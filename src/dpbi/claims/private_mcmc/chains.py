r"""What the algorithms do when they draw: one step of many chains against its exact law.

M chains start at one point and each takes one step, independently of the others, from a generator that is seeded. For a
right program the distribution function of where they are is near that of the step, as ``sampled`` says. The law itself
is a quadrature over the proposals, with the acceptance averaged over the noise and over the batches.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...arithmetic import normal_cdf, number
from ...checks import Floats
from ...mcmc import (
    barker,
    clipped_metropolis,
    component_penalty,
    exact,
    gauss_bernoulli,
    guided_walk,
    hmc_penalty,
    metropolis,
    minibatch_penalty,
    penalty,
    posterior_of,
)
from ...mcmc.acceptance import gauss_bernoulli_acceptance, metropolis_acceptance, penalty_acceptance
from ...mcmc.algorithm import Algorithm
from ...mcmc.hmc import leapfrog
from ...mcmc.target import ExponentialFamily, Target
from ..claim import HOLDS, grid
from ..item import only_in_doubles
from ..sampled import allowed
from .source import THESIS

STEPS, VARIATIONS = "private_mcmc/penalty_on_a_grid", "private_mcmc/variations"

DRAWS = "what is drawn are doubles"

ROWS = (0.5, -1, 2, 0.25, 1, -0.25, 1.5, 0.75, 0)
"""Nine rows of the normal model, all within 2 of zero."""

HERE, PRECISION = 0.4, 4
"""Where all chains start, and the precision of the prior; the middle of the posterior is at 0.365."""

SCALE, TAU, CLIP = 0.4, 0.1, 0.8


def gap(drawn: Floats, points: Floats, law: Floats) -> float:
    """The largest difference at some points between the distribution function of draws and that of their law."""
    return float(np.abs(np.searchsorted(np.sort(drawn), points, side="right") / len(drawn) - law).max())


# One step


def normal_model(dimension: int) -> Target:
    """The rows in every component, of unit variance around its parameter, with the prior N(0, 1/4).

    The difference of two rows' log ratios is at most 4 times the length of a move, component by component.
    """
    return Target(
        ExponentialFamily(
            np.tile(np.array(ROWS)[:, None], dimension),
            natural=lambda theta: theta,
            log_partition=lambda theta: np.sum(theta**2, axis=1) / 2,
        ),
        dimension,
        log_prior=lambda theta: -PRECISION * np.sum(theta**2, axis=1) / 2,
        spread=lambda theta, proposal: 4 * np.abs(proposal - theta).sum(axis=1),
    )


def prior_ratio(there: Floats) -> Floats:
    """The log ratio of the prior for such a move."""
    return np.asarray(PRECISION * (HERE**2 - there**2) / 2)


def ratio(there: Floats, clip: float = np.inf) -> Floats:
    """The log ratio of a move of one component from the start, each row's clipped."""
    move = there - HERE
    rows = move[:, None] * (np.array(ROWS) - (HERE + there[:, None]) / 2)
    bound = np.abs(clip * move)[:, None] if clip < np.inf else np.inf
    return np.asarray(np.clip(rows, -bound, bound).sum(axis=1) + prior_ratio(there))


def noise(there: Floats, sensitivity: float) -> Floats:
    r"""\(\tau \sqrt n\) times the sensitivity for each unit of the way."""
    return np.asarray(TAU * np.sqrt(len(ROWS)) * sensitivity * np.abs(there - HERE))


def by_spread(there: Floats) -> Floats:
    """The penalty test on ratios that are not clipped, as the target knows their spread."""
    return np.asarray(penalty_acceptance(ratio(there), noise(there, 4)))


def by_clip(there: Floats) -> Floats:
    """The same on clipped ratios."""
    return np.asarray(penalty_acceptance(ratio(there, CLIP), noise(there, 2 * CLIP)))


class Step(NamedTuple):
    """An algorithm, the dimension that it runs in, and how it accepts a move of one component."""

    algorithm: Callable[[], Algorithm]
    dimension: int
    accepted: Callable[[Floats], Floats]


ONE_STEP = {
    "metropolis": Step(lambda: metropolis(SCALE), 1, lambda there: metropolis_acceptance(ratio(there), 0)),
    "clipped metropolis": Step(
        lambda: clipped_metropolis(CLIP, SCALE), 1, lambda there: metropolis_acceptance(ratio(there, CLIP), 0)
    ),
    "penalty": Step(lambda: penalty(TAU, CLIP, SCALE), 1, by_clip),
    "penalty, nothing clipped": Step(lambda: penalty(TAU, None, SCALE), 1, by_spread),
    "components": Step(lambda: component_penalty(TAU, None, [SCALE, 0.1]), 2, by_spread),
    "guided walk": Step(lambda: guided_walk(TAU, None, [SCALE, 0.1]), 2, by_spread),
    "guided walk, clipped": Step(lambda: guided_walk(TAU, CLIP, SCALE), 1, by_clip),
    "gauss-bernoulli": Step(
        lambda: gauss_bernoulli(TAU, CLIP, SCALE),
        1,
        lambda there: gauss_bernoulli_acceptance(ratio(there, CLIP), noise(there, 2 * CLIP)),
    ),
}
"""All of them that see all rows and move without a gradient."""


def stepped(algorithm: Algorithm, target: Target, draws: Any, seed: int = 1) -> Floats:
    """The first component of so many chains that took one step from the start."""
    only_in_doubles(DRAWS)
    rng = np.random.default_rng(seed)
    state = algorithm.start(rng, np.full((int(draws), target.dimension), HERE))
    return np.asarray(algorithm.step(rng, state, target)[0].theta[:, 0])


def moves(cells: int) -> tuple[Floats, Floats, Floats]:
    """Cells of a normal proposal: where they end, where their middles are, and their probabilities."""
    ends = np.linspace(-5, 5, cells + 1)
    return HERE + SCALE * ends, HERE + SCALE * (ends[1:] + ends[:-1]) / 2, np.diff(normal_cdf(ends))


def law_of_step(ends: Floats, weight: Floats, accepted: Floats, share: float = 1.0) -> Floats:
    """The distribution function at the ends of the cells; whoever is refused, or moves elsewhere, stays at the start."""
    moved = share * weight * accepted
    return np.asarray(np.concatenate([[0.0], np.cumsum(moved)]) + (1 - moved.sum()) * (ends > HERE - 1e-12))


@THESIS.item(
    "ours-one-step",
    "Chapters 3 to 5, one step",
    relation="<=",
    cases=grid(kind=list(ONE_STEP), draws=[100_000]),
    calls=(metropolis, clipped_metropolis, penalty, component_penalty, guided_walk, gauss_bernoulli),
    page=STEPS,
)
def off_by(kind: str, draws: Any) -> Any:
    """How far the chains are from the law of a step."""
    algorithm, dimension, accepted = ONE_STEP[kind]
    drawn = stepped(algorithm(), normal_model(dimension), draws)
    ends, middle, weight = moves(1000)
    return gap(drawn, ends, law_of_step(ends, weight, accepted(middle), 1 / dimension))


@off_by.said(
    r"\text{after one step of } M \text{ chains } \sup_t |F_M(t) - F(t)| \le \sqrt{\ln(2 \cdot 10^9)/(2M)}",
    origin="ours",
    expected=HOLDS,
)
def one_step(kind: str, draws: Any) -> Any:
    r"""Here \(F_M\) is the distribution function of where M chains are after one step from the same point, and F that
    of the exact law. The law is written apart from the programs: a proposal is normal, and accepted with
    \(A_s(\lambda_c)\), where \(\lambda_c\) is the clipped log ratio and \(s = \tau\sqrt n\,\Delta\). In two dimensions
    the component that is compared moves with probability one half. The inequality fails for a right program with
    probability \(10^{-9}\).
    """
    return allowed(draws)


@THESIS.item(
    "ours-direction",
    "Chapters 3 to 5, one step",
    cases=grid(kind=["guided walk", "guided walk, clipped"], draws=[1000]),
    calls=guided_walk,
    page=VARIATIONS,
)
def wrong_ways(kind: str, draws: Any) -> Any:
    """How many chains went against their direction, or have another one than their move says."""
    only_in_doubles(DRAWS)
    rng, (algorithm, dimension, _) = np.random.default_rng(2), ONE_STEP[kind]
    walk, target = algorithm(), normal_model(dimension)
    before = walk.start(rng, np.full((int(draws), dimension), HERE))
    after, info = walk.step(rng, before, target)
    first, then = np.asarray(before.direction), np.asarray(after.direction)
    against = ((after.theta - before.theta) * first).min(axis=1) < 0
    return float((against | ((first != then).sum(axis=1) != ~info.accepted)).sum())


@wrong_ways.said(
    r"\text{the guided walk never moves against its direction, and turns one component round exactly where it is refused}",
    origin="ours",
    expected=HOLDS,
)
def direction(kind: str, draws: Any) -> Any:
    """Skew detailed balance, ``private-mcmc/4-guided-skew``, is about a walk of this kind. The exact side counts the
    chains that do otherwise.
    """
    return 0.0


# One step on a batch


def row_of_matrix(kind: str, places: Sequence[float]) -> Floats:
    """How the moves from the start are accepted, on average over all batches: a row of the matrix of ``exact``."""
    x, points = np.array(ROWS), np.array([HERE, *places])
    target = exact.Grid(points, -((x[:, None] - points) ** 2) / 2, -PRECISION * points**2 / 2)
    every = np.ones((len(points), len(points)))
    if kind == "minibatch":
        return np.asarray(exact.minibatch_transition(target, every, 3, clip=CLIP, tau=TAU)[0, 1:])
    return np.asarray(exact.minibatch_barker_transition(target, every, 8)[0, 1:])


@THESIS.item(
    "ours-one-step-on-batches",
    "Chapters 3 to 5, one step",
    relation="<=",
    cases=grid(kind=["minibatch", "barker"], draws=[20_000]),
    calls=(minibatch_penalty, barker, exact.minibatch_transition, exact.minibatch_barker_transition),
    page=VARIATIONS,
)
def off_on_batches(kind: str, draws: Any) -> Any:
    """How far the chains are from the law of a step."""
    algorithm = minibatch_penalty(TAU, 3, CLIP, SCALE) if kind == "minibatch" else barker(8, SCALE)
    drawn = stepped(algorithm, normal_model(1), draws)
    ends, middle, weight = moves(40)
    return gap(drawn, ends, law_of_step(ends, weight, row_of_matrix(kind, middle.tolist())))


@off_on_batches.said(
    r"\text{a step on a random batch has the law of the matrix over all batches: } \sup_t |F_M(t) - F(t)| \le \sqrt{\ln(2 \cdot 10^9)/(2M)}",
    origin="ours",
    expected=HOLDS,
)
def one_step_on_batches(kind: str, draws: Any) -> Any:
    r"""Here \(F_M\) is the distribution function of where M chains are after one step, and F that of the exact law.
    Drawing without replacement gives every batch the same probability. The matrices are those of
    ``private-mcmc/4-minibatch-bias``, which measures how far from its target such a chain settles.
    """
    return allowed(draws)


# Hamiltonian Monte Carlo

FULL, TAU_GRADIENT, CLIP_GRADIENT, STEPSIZE, MASS = 0.9, 0.3, 0.75, 0.9, 4.0


def written_by_hand() -> Target:
    """The normal model as a user writes it, tempered."""
    return posterior_of(
        lambda theta, x: -((x - theta[0]) ** 2) / 2,
        np.array(ROWS),
        lambda theta: -PRECISION * theta[0] ** 2 / 2,
        1,
        gradient=lambda theta, x: (x - theta[0])[:, None],
        prior_gradient=lambda theta: -PRECISION * theta,
        temperature=FULL,
    )


def pull(theta: Floats) -> Floats:
    """The tempered sum of clipped gradients, and that of the prior."""
    rows = np.clip(np.array(ROWS) - theta[:, None], -CLIP_GRADIENT, CLIP_GRADIENT)
    return np.asarray(FULL * rows.sum(axis=1) - PRECISION * theta)


def law_of_path(ends: Floats, middle: Floats, nodes: int = 24) -> Floats:
    """The distribution function of a step with one leapfrog step, by quadrature over where it ends and two more draws."""
    half, unclipped = STEPSIZE / 2, np.sqrt(len(ROWS)) * FULL
    spread = TAU_GRADIENT * unclipped * 2 * CLIP_GRADIENT  # of the noise on a gradient
    kicked = half * pull(np.array([HERE]))[0]  # the mean of the momentum after the first half kick
    variance = MASS + (half * spread) ** 2
    weight = np.diff(normal_cdf(((ends - HERE) * MASS / STEPSIZE - kicked) / np.sqrt(variance)))
    z, w = np.polynomial.hermite_e.hermegauss(nodes)
    momentum = ((middle - HERE) * MASS / STEPSIZE)[:, None, None]
    first = MASS / variance * (momentum - kicked) + np.sqrt(MASS - MASS**2 / variance) * z[:, None]
    last = momentum + half * (pull(middle)[:, None, None] + spread * z)
    tempered = FULL * ratio(middle, CLIP) + (1 - FULL) * prior_ratio(middle)
    energy = tempered[:, None, None] + (first**2 - last**2) / (2 * MASS)
    s = FULL * noise(middle, 2 * CLIP)[:, None, None] + 0 * energy
    accepted = penalty_acceptance(energy, s) @ w @ w / w.sum() ** 2
    return law_of_step(ends, weight, accepted)


@THESIS.item(
    "ours-one-step-of-hmc",
    "Chapters 3 to 5, one step",
    relation="<=",
    cases=grid(draws=[5000]),
    calls=(hmc_penalty, posterior_of),
    page=VARIATIONS,
)
def off_on_a_path(draws: Any) -> Any:
    """How far the chains are from the law of a step."""
    only_in_doubles(DRAWS)
    algorithm = hmc_penalty(TAU, CLIP, TAU_GRADIENT, CLIP_GRADIENT, STEPSIZE, 1, MASS)
    drawn = stepped(algorithm, written_by_hand(), draws)
    ends = HERE + np.linspace(-4, 4, 801)
    return gap(drawn, ends, law_of_path(ends, (ends[1:] + ends[:-1]) / 2))


@off_on_a_path.said(
    r"\text{a step of HMC along } L = 1 \text{ leapfrog step: } \sup_t |F_M(t) - F(t)| \le \sqrt{\ln(2 \cdot 10^9)/(2M)}",
    origin="ours",
    expected=HOLDS,
)
def one_step_of_hmc(draws: Any) -> Any:
    r"""The start is \(\theta\), the momentum at the start \(p_0\), and the noisy gradient there g. The step size is
    \(\eta\) and the mass M. The end of the path is \(\theta + \frac{\eta}{M}(p_0 + \frac\eta2 g)\), which is normal.
    Given the end, the momentum at the start and the noise of the second gradient are normal and independent, so the
    law is a sum by two Gauss-Hermite rules. Gradients are clipped, noisy and tempered, and so is the ratio.
    """
    return allowed(draws)


@THESIS.item(
    "ours-path-back",
    "Chapters 3 to 5, one step",
    relation="<=",
    cases=grid(steps=[1, 3, 8]),
    calls=leapfrog,
    page=VARIATIONS,
)
def away(steps: Any) -> Any:
    """How far from the start a path is that was walked to its end and back, over 20 chains."""
    only_in_doubles(DRAWS)
    rng, target = np.random.default_rng(3), written_by_hand()
    start, momentum = rng.standard_normal((2, 20, 1))
    noise = rng.standard_normal((int(steps) + 1, 20, 1))
    settings: dict[str, Any] = {"stepsize": STEPSIZE, "mass": np.array([MASS]), "clip": CLIP_GRADIENT}
    end = leapfrog(target, start, momentum, noise=noise, **settings)
    back = leapfrog(target, end.theta, -end.momentum, noise=noise[::-1], **settings)
    return float(max(np.abs(back.theta - start).max(), np.abs(back.momentum + momentum).max()))


@away.said(
    r"\text{the noisy path from } (\theta_L, -p_L) \text{ with its draws in reverse order ends at } (\theta_0, -p_0)\text{: error} \le 10^{-12}",
    origin="ours",
    proof=True,
)
def path_back(steps: Any) -> Any:
    r"""The path begins at \(\theta_0\) with the momentum \(p_0\) and ends after L leapfrog steps. Each half kick and
    each drift is undone by the same one with the momentum reversed. This is why HMC is exact with gradients that are
    clipped and noisy: ``private-mcmc/4-hmc``.
    """
    return number("1e-12")
