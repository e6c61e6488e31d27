r"""Metropolis-Hastings, the penalty algorithm and Gauss-Bernoulli.

**Metropolis-Hastings** is what the private algorithms start from, and is not private. With a symmetric proposal,

\[ \lambda = T \sum_{j=1}^{n} \ln \frac{p(x_j \mid \theta')}{p(x_j \mid \theta)} + \ln \frac{p(\theta')}{p(\theta)}, \]

and \(\theta'\) is accepted with probability \(\min\{1, e^{\lambda}\}\) (Räisä 2020, Algorithm 1, with the prior counted
once and the likelihood the right way round).

**The penalty algorithm** (Yıldırım and Ermiş 2019). The sum of log ratios has sensitivity \(\Delta\) and is released
with noise of standard deviation \(\tau \sqrt n \Delta\); with \(\lambda\) the exact log ratio and
\(s = T \tau \sqrt n \Delta\),

\[ \tilde\lambda = \lambda + s Z, \qquad \text{accept if } \ln u < \tilde\lambda - s^2 / 2 . \]

**Exact.** Let \(y = \tilde\lambda - s^2/2 \sim N(\lambda - s^2/2, s^2)\). For the move back the ratio is
\(-\lambda\) with the same s, and the density of \(-y\) there, over that of y here, is \(e^{y - \lambda}\). So for
every g with \(g(y) = e^{y} g(-y)\), accepting with probability g(y) satisfies detailed balance;
\(\min\{1, e^y\}\) is one such g.
This needs Gaussian noise of known variance, the same both ways, and a ratio that is a difference of one function:
clipping breaks the last.

**Gauss-Bernoulli** accepts with \(g(y) = 1/(1 + e^{-y})\), which is another such g. **It is our own reading of a
title**: the thesis announces a chapter of that name and contains no word of it. By Peskun's theorem it is never better
than the penalty algorithm, since \(g(y) \le \min\{1, e^y\}\).

**Private.** Whatever \(\Delta\) is at the time, a step is a Gaussian mechanism with noise \(\tau \sqrt n\) times its
sensitivity, hence \(\rho = 1/(2 \tau^2 n)\). The proposal and the decision are post-processing.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..checks import Floats
from ..guarantees import GaussianDP, gaussian_mechanism
from .acceptance import corrected, logistic, noise_scale
from .algorithm import Algorithm, Info, Ratio, accept, bounded_ratio, clip_bound, positive_scales, prior_ratio
from .row_models import Sum
from .target import Target
from .walks import component_walk, random_directions, walk

# Without noise


def log_ratio(target: Target, theta: Floats, proposal: Floats, clip: float | None = None) -> Sum:
    r"""Log ratio \(\lambda\) of a symmetric proposal; with a clip each row is clipped to it times the move's length.

    Args:
        target: The posterior.
        theta: Parameter vectors, shape (chains, dimension).
        proposal: Proposed parameter vectors, shape (chains, dimension).
        clip: Clipping bound on a row's log ratio per unit length of the move; None for no clipping.

    Returns:
        The log ratio of each chain, and the share of rows that were clipped: without a clip, those whose log ratio is
        not finite.
    """
    if clip is None:
        total, clipped = target.likelihood.ratio(theta, proposal, np.full(len(theta), np.inf))
    else:
        total, _, clipped = bounded_ratio(target, theta, proposal, clip)
    return Sum(target.temperature * total + prior_ratio(target, theta, proposal), clipped)


def metropolis_test(
    target: Target, theta: Floats, proposal: Floats, rng: np.random.Generator, *, clip: float | None = None
) -> Info:
    """Decision of Metropolis-Hastings, on clipped log ratios if there is a ``clip``.

    Args:
        target: The posterior.
        theta: Parameter vectors, shape (chains, dimension).
        proposal: Proposed parameter vectors, shape (chains, dimension).
        rng: Random number generator.
        clip: Clipping bound on a row's log ratio per unit length of the move; None for no clipping.

    Returns:
        The decision and the diagnostics for every chain.
    """
    ratio = log_ratio(target, theta, proposal, clip)
    return Info(accept(ratio.total, rng), ratio.clipped)


def metropolis(scale: ArrayLike) -> Algorithm:
    """Random-walk Metropolis-Hastings with Gaussian steps of standard deviation ``scale``; not private.

    >>> metropolis([0.1, 0.2])  # of two components
    Algorithm(name='metropolis', parameters={'scale': [0.1, 0.2]})
    """
    deviation = positive_scales("scale", scale)
    step = partial(walk, scale=deviation, test=metropolis_test)
    return Algorithm("metropolis", step, lambda target: None, {"scale": deviation.tolist()})


def clipped_metropolis(clip: float, scale: ArrayLike) -> Algorithm:
    """Metropolis-Hastings with clipped log ratios and no noise, to study clipping alone. Not private, not exact.

    Args:
        clip: Clipping bound on a row's log ratio per unit length of the move, > 0.
        scale: Standard deviation of a step, > 0: one number or one for each component.

    Returns:
        The algorithm, without a guarantee.

    >>> clipped_metropolis(clip=1.0, scale=0.1)
    Algorithm(name='clipped_metropolis', parameters={'clip': 1.0, 'scale': 0.1})
    """
    bound, deviation = checks.real("clip", clip, above=0), positive_scales("scale", scale)
    step = partial(walk, scale=deviation, test=partial(metropolis_test, clip=bound))
    return Algorithm("clipped_metropolis", step, lambda target: None, {"clip": bound, "scale": deviation.tolist()})


# With noise


def statistic(
    target: Target, theta: Floats, proposal: Floats, draws: Floats, *, tau: float, clip: float | None
) -> tuple[Floats, Ratio]:
    r"""Decision statistic \(\tilde\lambda - s^2/2\) for given standard normal draws, and the clipped sum it comes from.

    Args:
        target: The posterior.
        theta: Parameter vectors, shape (chains, dimension).
        proposal: Proposed parameter vectors, shape (chains, dimension).
        draws: Standard normal numbers, one for each chain.
        tau: Noise multiplier.
        clip: Clipping bound on a row's log ratio per unit length of the move; None for no clipping.

    Returns:
        The statistic of each chain, shape (chains,), and the sum of each with its sensitivity.
    """
    ratio = bounded_ratio(target, theta, proposal, clip)
    noise = noise_scale(tau, target.rows, ratio.sensitivity)
    released = target.temperature * (ratio.total + noise * draws)
    return corrected(released + prior_ratio(target, theta, proposal), target.temperature * noise), ratio


def penalty_test(
    target: Target,
    theta: Floats,
    proposal: Floats,
    rng: np.random.Generator,
    *,
    tau: float,
    clip: float | None,
    decide: Callable[[Floats, np.random.Generator], NDArray[np.bool_]] = accept,
) -> Info:
    r"""Decision of the penalty algorithm, or with another g in place of \(\min\{1, e^y\}\) that of Gauss-Bernoulli.

    Args:
        target: The posterior.
        theta: Parameter vectors, shape (chains, dimension).
        proposal: Proposed parameter vectors, shape (chains, dimension).
        rng: Random number generator.
        tau: Noise multiplier.
        clip: Clipping bound on a row's log ratio per unit length of the move; None for no clipping.
        decide: From the generator and the statistics y to decisions that are True with probability g(y).

    Returns:
        The decision and the diagnostics for every chain.
    """
    found, ratio = statistic(target, theta, proposal, rng.standard_normal(len(theta)), tau=tau, clip=clip)
    return Info(decide(found, rng), ratio.clipped)


def cost(target: Target, *, tau: float) -> GaussianDP:
    r"""Guarantee of one step of one chain, \(\rho = 1 / (2 \tau^2 n)\), for every sensitivity of the step.

    Args:
        target: The posterior.
        tau: Noise multiplier.

    Returns:
        The guarantee.
    """
    return gaussian_mechanism(1, noise_scale(tau, target.rows, 1))


def penalty(tau: float, clip: float | None, scale: ArrayLike) -> Algorithm:
    """Penalty algorithm with Gaussian steps in all components (Yıldırım and Ermiş 2019).

    Args:
        tau: Standard deviation of the noise in units of sqrt(n) sensitivities, > 0.
        clip: Clipping bound on a row's log ratio per unit length of the move, > 0; None if the target has a ``spread``: nothing is
            clipped.
        scale: Standard deviation of a step, > 0: one number or one for each component.

    Returns:
        The algorithm, with a Gaussian guarantee.

    >>> from dpbi.mcmc import posterior_of
    >>> target = posterior_of(lambda t, x: -((x - t[0]) ** 2) / 2, np.zeros(50), lambda t: 0.0, dimension=1)
    >>> round(penalty(0.1, 3.0, 0.05).cost(target).rho, 6)  # of one step: 1 / (2 0.1^2 50)
    1.0
    """
    return _noisy("penalty", walk, penalty_test, tau, clip, scale)


def component_penalty(tau: float, clip: float | None, scale: ArrayLike) -> Algorithm:
    """Penalty algorithm that moves one random component at a time; shorter steps have smaller noise.

    Args:
        tau, clip, scale: As for ``penalty``.

    Returns:
        The algorithm, with a Gaussian guarantee.

    >>> component_penalty(tau=0.1, clip=3.0, scale=0.05)
    Algorithm(name='component_penalty', parameters={'tau': 0.1, 'clip': 3.0, 'scale': 0.05})
    """
    return _noisy("component_penalty", component_walk, penalty_test, tau, clip, scale)


def guided_walk(tau: float, clip: float | None, scale: ArrayLike) -> Algorithm:
    """Guided walk with the penalty test: a component moves in one direction until a proposal is refused.

    Args:
        tau, clip, scale: As for ``penalty``.

    Returns:
        The algorithm, with a Gaussian guarantee.

    >>> guided_walk(tau=0.1, clip=3.0, scale=0.05)
    Algorithm(name='guided_walk', parameters={'tau': 0.1, 'clip': 3.0, 'scale': 0.05})
    """
    return _noisy("guided_walk", component_walk, penalty_test, tau, clip, scale, start=random_directions)


def gauss_bernoulli(tau: float, clip: float | None, scale: ArrayLike) -> Algorithm:
    """Gauss-Bernoulli algorithm, as we read its title in the thesis.

    Args:
        tau, clip, scale: As for ``penalty``.

    Returns:
        The algorithm, with a Gaussian guarantee.

    >>> gauss_bernoulli(tau=0.1, clip=3.0, scale=0.05)
    Algorithm(name='gauss_bernoulli', parameters={'tau': 0.1, 'clip': 3.0, 'scale': 0.05})
    """

    def decide(found: Floats, rng: np.random.Generator) -> NDArray[np.bool_]:
        return np.asarray(rng.random(len(found)) < logistic(found))

    return _noisy("gauss_bernoulli", walk, partial(penalty_test, decide=decide), tau, clip, scale)


def _noisy(
    name: str, move: Any, test: Callable[..., Info], tau: float, clip: float | None, scale: ArrayLike, **more: Any
) -> Algorithm:
    noise, bound, deviation = checks.real("tau", tau, above=0), clip_bound(clip), positive_scales("scale", scale)
    return Algorithm(
        name,
        partial(move, scale=deviation, test=partial(test, tau=noise, clip=bound)),
        partial(cost, tau=noise),
        {"tau": noise, "clip": bound, "scale": deviation.tolist()},
        **more,
    )
