r"""Hamiltonian Monte Carlo with noisy clipped gradients and the penalty test.

An iteration (Räisä 2021) draws a momentum \(p_0 \sim N(0, M)\), where M is a diagonal mass matrix, and makes L leapfrog
steps of size \(\eta\):

\[ p \leftarrow p + \tfrac\eta2 g(\theta), \quad \theta \leftarrow \theta + \eta M^{-1} p, \quad
   p \leftarrow p + \tfrac\eta2 g(\theta) . \]

The noisy gradient g is computed from the gradients of the rows' log likelihoods. Each row's gradient is shrunk to a
length of at most \(b_g\). Normal noise of standard deviation \(2 \tau_g \sqrt n\, b_g\) per component is added to the
sum of the shrunk gradients. The noisy sum is multiplied by the temperature T, and the gradient of the log prior is
added. The noise is drawn once at each point of the path. The resulting gradient is used in the half steps before and
after this point, so an iteration evaluates L + 1 gradients. The penalty test accepts or rejects the end point of the
path. The test uses the noisy log ratio plus \(\tfrac12 p_0^T M^{-1} p_0 - \tfrac12 p_L^T M^{-1} p_L\).

**The algorithm is exact** for arbitrary gradients, provided that no log ratio is clipped. Given the L + 1 noise draws,
the map from the start to the end of the path is a composition of shears and therefore preserves volume. A path that
starts at \((\theta_L, -p_L)\) and uses the draws in reverse order ends at \((\theta_0, -p_0)\). The draws are
independent and identically distributed, so their joint density is the same in reverse order. Hence the proposal is
reversible with respect to Lebesgue measure for *any* gradient field, even if the gradients are clipped, noisy or wrong.
A wrong gradient only lowers the acceptance rate. The proof would fail if a noisy gradient from the previous iteration
were reused. The starting point of an iteration depends on the noise in the earlier gradients, but the proof requires
noise that is independent of the starting point.

**The algorithm is private.** Replacing one row changes the sum of the clipped gradients by a vector of length at most
\(2 b_g\). An iteration consists of one Gaussian mechanism for the log ratio and L + 1 Gaussian mechanisms for the
gradients, so \(\rho = 1/(2 \tau^2 n) + (L + 1)/(2 \tau_g^2 n)\).
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Floats
from ..guarantees import GaussianDP
from .acceptance import clipped_sensitivity, noise_scale
from .algorithm import Algorithm, Info, State, accept, after_decision, clip_bound, per_component, positive_scales
from .penalty_algorithm import cost_of_noise, log_ratio, statistic
from .row_models import Sum
from .target import Target


def gradient(target: Target, theta: Floats, clip: float, noise: Floats) -> Sum:
    """Gradient of the log posterior, with noise added to the sum over rows before this sum is multiplied by T.

    Args:
        target: The posterior.
        theta: Parameter vectors, shape (chains, dimension).
        clip: Largest length of a row's gradient; longer gradients are shrunk to this length.
        noise: Noise on the sum over rows, shape (chains, dimension).

    Returns:
        The gradient for each chain, and the share of rows whose gradient was clipped.
    """
    if target.prior_gradient is None:
        raise ValueError("prior_gradient must be given for an algorithm that uses gradients, got prior_gradient=None")
    rows = target.likelihood.gradient(theta, clip)
    return Sum(target.temperature * (rows.total + noise) + target.prior_gradient(theta), rows.clipped)


def leapfrog(
    target: Target, theta: Floats, momentum: Floats, *, stepsize: float, mass: Floats, clip: float, noise: Floats
) -> tuple[Floats, Floats, Floats]:
    """Leapfrog trajectory for given gradient noise; the function itself draws no random numbers.

    Args:
        target: The posterior.
        theta: Parameter vectors at the start, shape (chains, dimension).
        momentum: Momenta at the start, shape (chains, dimension).
        stepsize: Size of a leapfrog step.
        mass: Masses of the components.
        clip: Largest length of a row's gradient; longer gradients are shrunk to this length.
        noise: Noise of the L + 1 gradients, shape (L + 1, chains, dimension).

    Returns:
        Parameter vectors and momenta at the end, each of the shape (chains, dimension), and the share of the rows'
        gradients that were clipped, averaged over all points of the trajectory, shape (chains,).
    """
    position, p = theta, momentum
    force = gradient(target, position, clip, noise[0])
    clipped = force.clipped
    for draw in noise[1:]:
        p = p + stepsize / 2 * force.total  # with the same noisy gradient as the previous half step
        position = position + stepsize * p / mass
        force = gradient(target, position, clip, draw)
        clipped = clipped + force.clipped
        p = p + stepsize / 2 * force.total
    return position, p, clipped / len(noise)


def step(
    state: State,
    target: Target,
    rng: np.random.Generator,
    *,
    clip: float | None,
    stepsize: float,
    steps: int,
    mass: Floats,
    tau: float | None = None,
    tau_gradient: float = 0.0,
    clip_gradient: float = np.inf,
) -> tuple[State, Info]:
    """One HMC iteration of every chain, with the penalty test or, if ``tau`` is None, with the Metropolis test.

    Args:
        state: States of all chains.
        target: The posterior.
        rng: Random number generator.
        clip: Clipping bound for a row's log ratio, per unit length of the move; None for no clipping.
        stepsize: Size of a leapfrog step.
        steps: Number L of leapfrog steps.
        mass: Masses of the components.
        tau: Noise multiplier of the log ratio; None for no noise at all.
        tau_gradient: Noise multiplier of the gradients.
        clip_gradient: Largest length of a row's gradient; infinity for exact gradients.

    Returns:
        The new states, and the decisions and diagnostics of the iteration.
    """
    theta, masses = state.theta, per_component("mass", mass, target)
    momentum = np.sqrt(masses) * rng.standard_normal(theta.shape)
    noise = np.zeros((steps + 1, *theta.shape))
    if tau is not None:
        deviation = noise_scale(tau_gradient, target.rows, clipped_sensitivity(clip_gradient))
        noise = deviation * rng.standard_normal(noise.shape)
    # a trajectory that diverges is rejected, because its log ratio is -inf or nan
    with np.errstate(over="ignore", invalid="ignore"):
        end, p, cut = leapfrog(target, theta, momentum, stepsize=stepsize, mass=masses, clip=clip_gradient, noise=noise)
        if tau is None:
            found = log_ratio(target, theta, end, clip)
        else:
            found = statistic(target, theta, end, rng.standard_normal(len(theta)), tau=tau, clip=clip)
        lost = np.sum((momentum**2 - p**2) / (2 * masses), axis=1)  # kinetic energy at start minus end
        accepted = accept(found.total + lost, rng)
    info = Info(accepted, found.clipped, None if tau is None else cut)
    return State(after_decision(accepted, theta, end)), info


def cost(target: Target, *, tau: float, tau_gradient: float, steps: int) -> GaussianDP:
    r"""Privacy guarantee of one HMC iteration of one chain, \(\rho = 1/(2 \tau^2 n) + (L + 1)/(2 \tau_g^2 n)\).

    Args:
        target: The posterior.
        tau: Noise multiplier of the log ratio.
        tau_gradient: Noise multiplier of the gradients.
        steps: Number L of leapfrog steps.

    Returns:
        The guarantee.
    """
    gradients = cost_of_noise(target, tau=tau_gradient).repeat(steps + 1)
    return GaussianDP(cost_of_noise(target, tau=tau).rho + gradients.rho)


def hmc_penalty(
    tau: float,
    clip: float | None,
    tau_gradient: float,
    clip_gradient: float,
    stepsize: float,
    steps: int,
    mass: ArrayLike = 1.0,
) -> Algorithm:
    """Hamiltonian Monte Carlo with noisy clipped gradients and the penalty test.

    Args:
        tau: Standard deviation of the noise on the log ratio, in units of sqrt(n) times the sensitivity, > 0.
        clip: Clipping bound for a row's log ratio, per unit length of the move, > 0; None if the target has a
            ``spread``.
        tau_gradient: Standard deviation of the noise on a gradient, in units of sqrt(n) times the sensitivity, > 0.
        clip_gradient: Bound on the length of a row's gradient, > 0.
        stepsize: Leapfrog step size, > 0.
        steps: Number L of leapfrog steps in an iteration, >= 1.
        mass: Diagonal of the mass matrix, > 0: one number for all components, or one for each component.

    Returns:
        The algorithm, with a Gaussian guarantee.

    >>> from dpbi.mcmc import posterior_of
    >>> target = posterior_of(lambda t, x: -((x - t[0]) ** 2) / 2, np.zeros(50), lambda t: 0.0, dimension=1)
    >>> algorithm = hmc_penalty(0.1, 3.0, tau_gradient=0.1, clip_gradient=1.0, stepsize=0.01, steps=2)
    >>> round(algorithm.cost(target).rho, 6)  # 1 for the log ratio, and 1 for each of the 3 gradients
    4.0
    """
    noise = {
        "tau": checks.real("tau", tau, above=0),
        "tau_gradient": checks.real("tau_gradient", tau_gradient, above=0),
    }
    bounds = {"clip": clip_bound(clip), "clip_gradient": checks.real("clip_gradient", clip_gradient, above=0)}
    price = partial(cost, steps=steps, tau=noise["tau"], tau_gradient=noise["tau_gradient"])
    return _trajectories("hmc_penalty", price, stepsize, steps, mass, **noise, **bounds)


def clipped_hmc(clip: float, stepsize: float, steps: int, mass: ArrayLike = 1.0) -> Algorithm:
    """Hamiltonian Monte Carlo with clipped log ratios, exact gradients and no noise, to study the effect of clipping.

    The algorithm is not private, and it is exact only if no log ratio is clipped.

    Args:
        clip: Clipping bound for a row's log ratio, per unit length of the move, > 0.
        stepsize: Leapfrog step size, > 0.
        steps: Number of leapfrog steps in an iteration, >= 1.
        mass: Diagonal of the mass matrix, > 0: one number for all components, or one for each component.

    Returns:
        The algorithm, which has no privacy guarantee.

    >>> clipped_hmc(clip=3.0, stepsize=0.01, steps=2)
    Algorithm(name='clipped_hmc', parameters={'clip': 3.0, 'stepsize': 0.01, 'steps': 2, 'mass': 1.0})
    """
    bound = checks.real("clip", clip, above=0)
    return _trajectories("clipped_hmc", lambda target: None, stepsize, steps, mass, clip=bound)


def _trajectories(name: str, cost: Any, stepsize: float, steps: int, mass: ArrayLike, **noise: Any) -> Algorithm:
    """Hamiltonian algorithm; all settings but the clipping bounds and noise multipliers are validated here."""
    path = {"stepsize": checks.real("stepsize", stepsize, above=0), "steps": checks.whole("steps", steps, least=1)}
    masses, settings = positive_scales("mass", mass), noise | path
    return Algorithm(name, partial(step, mass=masses, **settings), cost, settings | {"mass": masses.tolist()})
