"""Private chains do what their properties say, and each mutant of them is found out by a property that has a name."""

import numpy as np
import pytest

import chain_properties as properties
from dpbi.mcmc.algorithm import State
from dpbi.mcmc.hmc import Path
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
    "rows_are_clipped_on_both_sides",
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
C, P, W = "dpbi.mcmc.", "dpbi.mcmc.penalty_algorithm.", "dpbi.mcmc.walks."
ACCEPTED = "steps_accept_as_the_closed_form_says"
MUTANTS = {
    "a guided walk turns where it moved": (
        W + "component_walk",
        turned(lambda before, after, accepted: -after),
        "guided_step_is_its_transition",
    ),
    "a guided walk never turns": (
        W + "component_walk",
        turned(lambda before, after, accepted: before),
        "guided_step_is_its_transition",
    ),
    "a guided walk always turns": (
        W + "component_walk",
        turned(lambda before, after, accepted: -before),
        "guided_step_is_its_transition",
    ),
    "a guided walk goes backwards": (W + "component_walk", backwards, "guided_step_is_its_transition"),
    "a guided walk on batches never turns": (
        W + "component_walk",
        turned(lambda before, after, accepted: before),
        BATCHES,
    ),
    "batches at half the noise": (C + "minibatch.batch_test", halved("tau"), BATCHES),
    "batches drawn with replacement": (C + "minibatch.draw_batches", with_replacement, BATCHES),
    "batches that take off nothing for the noise": (
        C + "minibatch.corrected",
        lambda right: lambda ratio, noise: ratio,
        BATCHES,
    ),
    "batches that take off nothing for the batch": (
        C + "minibatch.batch_penalty",
        lambda right: lambda *parts: 0 * right(*parts),
        BATCHES,
    ),
    "batches with the noise of the factor in print": (
        C + "minibatch.variance_change",
        lambda right: lambda batch: 1.5 * right(batch),
        BATCHES,
    ),
    "batches without their prior": (
        C + "minibatch.prior_ratio",
        lambda right: lambda *parts: np.where(np.isfinite(right(*parts)), 0.0, -np.inf),
        BATCHES,
    ),
    "steps twice as long": (
        W + "per_component",
        lambda right: lambda *parts: 2 * right(*parts),
        "guided_step_is_its_transition",
    ),
    "steps twice as long, by how often they are accepted": (
        W + "per_component",
        lambda right: lambda *parts: 2 * right(*parts),
        ACCEPTED,
    ),
    "acceptance by the square of the ratio": (
        C + "algorithm.accept",
        lambda right: lambda rng, ratio: right(rng, 2 * ratio),
        ACCEPTED,
    ),
    "who is refused moves": (
        C + "algorithm.after_decision",
        lambda right: lambda accepted, theta, proposal: right(~accepted, theta, proposal),
        "guided_step_is_its_transition",
    ),
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
    "penalty at half the noise": (P + "penalty_test", halved("tau"), "penalty_costs"),
    "components at half the noise": (P + "penalty_test", halved("tau"), "component_costs"),
    "guided walk at half the noise that it is charged for": (P + "penalty_test", halved("tau"), "guided_costs"),
    "Gauss-Bernoulli at half the noise": (P + "bernoulli_test", halved("tau"), "gauss_bernoulli_costs"),
    "no correction for the noise": (P + "corrected", lambda right: lambda ratio, noise: ratio, ACCEPTED),
    "twice the correction": (P + "corrected", lambda right: lambda ratio, noise: ratio - noise**2, ACCEPTED),
    "the prior counted twice": (P + "prior_ratio", lambda right: lambda *parts: 2 * right(*parts), ACCEPTED),
    "the prior left out": (P + "prior_ratio", lambda right: lambda *parts: 0 * right(*parts), ACCEPTED),
    "acceptance by the square root of the ratio": (
        P + "accept",
        lambda right: lambda rng, ratio: right(rng, ratio / 2),
        ACCEPTED,
    ),
    "Gauss-Bernoulli by Metropolis' rule": (
        P + "logistic",
        lambda right: lambda statistic: np.exp(np.minimum(statistic, 0)),
        "gauss_bernoulli_costs",
    ),
    "a replaced row counts once": (
        C + "algorithm.clipped_sensitivity",
        lambda right: lambda bound: bound,
        "a_replaced_row_moves_no_more_than_the_sensitivity",
    ),
    "nothing is clipped": (
        C + "row_models.clip_ratios",
        lambda right: lambda ratios, bound: right(ratios, np.inf),
        "rows_are_clipped_on_both_sides",
    ),
    "one chain is paid for": (
        C + "driver.study",
        lambda right: lambda *parts, shared, **more: right(*parts, shared=False, **more),
        "all_chains_are_paid_for",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", MUTANTS)
def test_a_mutant_is_found_out(what):
    where, wrong, name = MUTANTS[what]
    assert name in NAMES
    with mutated(where, wrong), pytest.raises(AssertionError):
        getattr(properties, name)()
