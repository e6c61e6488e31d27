"""Private chains do what their properties say, and each mutant of them is found out by a property that has a name."""

from fractions import Fraction

import numpy as np
import pytest

import chain_properties as properties
from dpbi.mcmc.algorithm import State
from dpbi.mcmc.hmc import Path
from dpbi.mcmc.lattice import LatticeNoise
from dpbi.mcmc.row_models import Sum
from mutations import mutated

NAMES = [
    "penalty_costs",
    "component_costs",
    "guided_costs",
    "gauss_bernoulli_costs",
    "hmc_ratio_costs",
    "hmc_gradient_noise_is_what_the_cost_says",
    "guided_step_is_its_transition",
    "guided_step_on_batches_is_its_transition",
    "steps_accept_as_the_closed_form_says",
    "hmc_moves_by_its_masses",
    "hmc_follows_the_gradient",
    "hmc_leaves_a_normal_law_with_unequal_masses",
    "a_replaced_row_moves_no_more_than_the_sensitivity",
    "kept_rows_are_those_of_the_point",
    "rows_are_clipped_on_both_sides",
    "lattice_noise_covers_its_cost",
    "lattice_leaves_the_rounded_target_invariant",
    "lattice_steps_accept_as_their_sum_says",
    "the_guided_matrix_is_invariant",
    "all_chains_are_paid_for",
]


@pytest.mark.parametrize("name", NAMES)
def test_the_library_has_the_property(name):
    getattr(properties, name)()


def halved(name):
    """A step or decision that is run at half the noise that its cost stands for."""
    return lambda right: lambda *parts, **more: right(*parts, **{**more, name: more[name] / 2})


def turned(change):
    """A guided step whose directions are changed afterwards."""

    def wrong(right):
        def step(rng, state, target, **more):
            after, info = right(rng, state, target, **more)
            return State(after.theta, change(state.direction, after.direction, info.accepted[:, None])), info

        return step

    return wrong


def with_replacement(right):
    return lambda rng, chains, rows, batch: rng.integers(rows, size=(chains, batch))


class Momenta:
    """A generator whose first normal numbers are those of momenta of mass one."""

    def __init__(self, rng, mass):
        self.rng, self.mass, self.first = rng, mass, True

    def standard_normal(self, shape):
        drawn = self.rng.standard_normal(shape)
        self.first, first = False, self.first
        return drawn / np.sqrt(self.mass) if first else drawn

    def random(self, size):
        return self.rng.random(size)


def massless(right):
    return lambda rng, state, target, *, mass, **more: right(Momenta(rng, mass), state, target, mass=mass, **more)


def tempered_prior(right):
    def gradient(target, theta, clip, noise):
        found = right(target, theta, clip, noise)
        return Sum(found.total + (target.temperature - 1) * target.prior_gradient(theta), found.clipped)

    return gradient


def without_last_kick(right):
    def leapfrog(target, theta, momentum, *, stepsize, mass, clip, noise):
        end = right(target, theta, momentum, stepsize=stepsize, mass=mass, clip=clip, noise=noise)
        return Path(end.theta, end.momentum - stepsize / 2 * target.prior_gradient(end.theta), end.clipped)

    return leapfrog


def backwards(right):
    def step(rng, state, target, **more):
        return right(rng, State(state.theta, -state.direction), target, **more)

    return step


BATCHES = "guided_step_on_batches_is_its_transition"
C, P = "dpbi.mcmc.", "dpbi.mcmc.penalty_algorithm."
MUTANTS = {
    "guided walk at half the noise that it is charged for": (C + "guided.decide", halved("tau"), "guided_costs"),
    "guided walk turns where it moved": (
        C + "guided.step",
        turned(lambda before, after, accepted: -after),
        "guided_step_is_its_transition",
    ),
    "guided walk never turns": (
        C + "guided.step",
        turned(lambda before, after, accepted: before),
        "guided_step_is_its_transition",
    ),
    "guided walk always turns": (
        C + "guided.step",
        turned(lambda before, after, accepted: -before),
        "guided_step_is_its_transition",
    ),
    "guided walk on batches turns where it moved": (
        C + "minibatch_guided.step",
        turned(lambda before, after, accepted: -after),
        BATCHES,
    ),
    "guided walk on batches never turns": (
        C + "minibatch_guided.step",
        turned(lambda before, after, accepted: before),
        BATCHES,
    ),
    "guided walk on batches goes backwards": (C + "minibatch_guided.step", backwards, BATCHES),
    "guided walk on batches at half the noise": (C + "minibatch_guided.decide", halved("tau"), BATCHES),
    "guided walk on batches drawn with replacement": (C + "minibatch.drawn", with_replacement, BATCHES),
    "guided walk on batches that takes off nothing for the noise": (
        C + "minibatch.corrected",
        lambda right: lambda ratio, noise: ratio,
        BATCHES,
    ),
    "guided walk on batches that takes off nothing for the batch": (
        C + "minibatch.batch_penalty",
        lambda right: lambda *parts: 0 * right(*parts),
        BATCHES,
    ),
    "guided walk on batches with the noise of the factor in print": (
        C + "minibatch_guided.decide",
        lambda right: lambda *parts, **more: right(*parts, **{**more, "factor": 3}),
        BATCHES,
    ),
    "guided walk on batches without its prior": (
        C + "minibatch.prior_ratio",
        lambda right: lambda *parts: np.where(np.isfinite(right(*parts)), 0.0, -np.inf),
        BATCHES,
    ),
    "guided walk goes backwards": (C + "guided.step", backwards, "guided_step_is_its_transition"),
    "HMC momenta ignore the masses": (C + "hmc.step", massless, "hmc_moves_by_its_masses"),
    "HMC momenta ignore the masses, by their law": (
        C + "hmc.step",
        massless,
        "hmc_leaves_a_normal_law_with_unequal_masses",
    ),
    "HMC moves by momenta and not by velocities": (
        C + "hmc.leapfrog",
        lambda right: lambda *parts, mass, **more: right(*parts, mass=np.ones_like(mass), **more),
        "hmc_moves_by_its_masses",
    ),
    "HMC tempers the gradient of the prior": (C + "hmc.gradient", tempered_prior, "hmc_follows_the_gradient"),
    "HMC leaves out the last half step": (
        C + "hmc.leapfrog",
        without_last_kick,
        "hmc_leaves_a_normal_law_with_unequal_masses",
    ),
    "HMC gradients at half the noise": (
        C + "hmc.step",
        halved("tau_gradient"),
        "hmc_gradient_noise_is_what_the_cost_says",
    ),
    "HMC ratio at half the noise": (C + "hmc.noisy_log_ratio", halved("tau"), "hmc_ratio_costs"),
    "HMC is charged for one gradient less": (
        C + "hmc.cost",
        lambda right: lambda target, *, steps, **more: right(target, steps=steps - 1, **more),
        "hmc_gradient_noise_is_what_the_cost_says",
    ),
    "penalty at half the noise": (P + "step", halved("tau"), "penalty_costs"),
    "components at half the noise": (C + "components.decide", halved("tau"), "component_costs"),
    "Gauss-Bernoulli at half the noise": (
        C + "gauss_bernoulli_rule.noisy_log_ratio",
        halved("tau"),
        "gauss_bernoulli_costs",
    ),
    "no correction for the noise": (
        P + "corrected",
        lambda right: lambda ratio, noise: ratio,
        "steps_accept_as_the_closed_form_says",
    ),
    "twice the correction": (
        P + "corrected",
        lambda right: lambda ratio, noise: ratio - noise**2,
        "steps_accept_as_the_closed_form_says",
    ),
    "the prior counted twice": (
        P + "prior_ratio",
        lambda right: lambda *parts: 2 * right(*parts),
        "steps_accept_as_the_closed_form_says",
    ),
    "the prior left out": (
        P + "prior_ratio",
        lambda right: lambda *parts: 0 * right(*parts),
        "steps_accept_as_the_closed_form_says",
    ),
    "acceptance by the square root of the ratio": (
        P + "accept",
        lambda right: lambda rng, ratio: right(rng, ratio / 2),
        "steps_accept_as_the_closed_form_says",
    ),
    "Gauss-Bernoulli by Metropolis' rule": (
        C + "gauss_bernoulli_rule.logistic",
        lambda right: lambda statistic: np.exp(np.minimum(statistic, 0)),
        "gauss_bernoulli_costs",
    ),
    "a replaced row counts once": (
        C + "algorithm.clipped_sensitivity",
        lambda right: lambda bound: bound,
        "a_replaced_row_moves_no_more_than_the_sensitivity",
    ),
    "rows kept of a point that was refused": (
        C + "row_models._Kept.slots",
        lambda right: lambda self, theta: np.where(np.isnan(self.points[1, :, 0]), right(self, theta), 1),
        "kept_rows_are_those_of_the_point",
    ),
    "the lattice's noise for half the sensitivity": (
        C + "lattice.Lattice.noise",
        lambda right: lambda self, sensitivity, *more: right(self, sensitivity // 2, *more),
        "lattice_noise_covers_its_cost",
    ),
    "half the variance on the lattice": (
        C + "lattice.Lattice.noise",
        lambda right: lambda *parts: LatticeNoise(right(*parts).variance / 2, right(*parts).shift),
        "lattice_noise_covers_its_cost",
    ),
    "a product M that is not whole": (
        C + "lattice.Lattice.noise",
        lambda right: lambda *parts: LatticeNoise(right(*parts).variance + Fraction(1, 3), right(*parts).shift),
        "lattice_leaves_the_rounded_target_invariant",
    ),
    "a correction on the lattice that is off by one": (
        C + "lattice.Lattice.noise",
        lambda right: lambda *parts: LatticeNoise(right(*parts).variance, right(*parts).shift + 1),
        "lattice_leaves_the_rounded_target_invariant",
    ),
    "the lattice's step without its correction": (
        C + "lattice.Lattice.ratio",
        lambda right: lambda *parts: (right(*parts)[0] + 0.5, right(*parts)[1]),
        "lattice_steps_accept_as_their_sum_says",
    ),
    "gradients on the lattice for half the bound": (
        C + "lattice.Lattice.gradient_noise",
        lambda right: lambda self, shape, tau, clip, rows: right(self, shape, tau, clip / 2, rows),
        "lattice_noise_covers_its_cost",
    ),
    "one chain is paid for": (
        C + "driver.iterated",
        lambda right: lambda *parts, study: right(*parts, study=True),
        "all_chains_are_paid_for",
    ),
}


@pytest.mark.parametrize("what", MUTANTS)
def test_a_mutant_is_found_out(what):
    where, wrong, name = MUTANTS[what]
    assert name in NAMES
    with mutated(where, wrong), pytest.raises(AssertionError):
        getattr(properties, name)()
