r"""Metropolis-Hastings, the penalty algorithm and the Gauss-Bernoulli algorithm.

**Metropolis-Hastings** is the basis of the private algorithms, but is not private itself. For a symmetric proposal, the
log ratio is

\[ \lambda = T \sum_{j=1}^{n} \ln \frac{p(x_j \mid \theta')}{p(x_j \mid \theta)} + \ln \frac{p(\theta')}{p(\theta)}, \]

and \(\theta'\) is accepted with probability \(\min\{1, e^{\lambda}\}\). This is Algorithm 1 of Räisä (2020) with two
corrections: the prior is counted once, and the likelihood ratio is not inverted.

**The penalty algorithm** is due to Yıldırım and Ermiş (2019). The sum of the rows' log ratios has sensitivity
\(\Delta\) and is released with noise of standard deviation \(\tau \sqrt n \Delta\). Let \(\lambda\) be the exact log
ratio and \(s = T \tau \sqrt n \Delta\), let Z be standard normal, and let u be uniform on (0, 1):

\[ \tilde\lambda = \lambda + s Z, \qquad \text{accept if } \ln u < \tilde\lambda - s^2 / 2 . \]

**The penalty algorithm is exact.** Let \(y = \tilde\lambda - s^2/2 \sim N(\lambda - s^2/2, s^2)\). The reverse move has
the log ratio \(-\lambda\) and the same standard deviation s. The density of the reverse statistic at \(-y\), divided by
the density of the forward statistic at y, is \(e^{y - \lambda}\). Therefore acceptance with probability g(y) satisfies
detailed balance for every function g with \(g(y) = e^{y} g(-y)\). One such function is \(\min\{1, e^y\}\). The proof
requires Gaussian noise with a known variance that is the same for a move and its reverse. The log ratio must also be
the difference between the values of one function at two points; clipped log ratios do not satisfy this condition.

**The Gauss-Bernoulli algorithm** accepts with probability \(g(y) = 1/(1 + e^{-y})\), which also satisfies
\(g(y) = e^{y} g(-y)\). **This algorithm is our own reconstruction from a title**: the thesis of Räisä (2020) announces
a chapter on it but does not contain the chapter. By Peskun's theorem the Gauss-Bernoulli algorithm is never better than
the penalty algorithm, since \(g(y) \le \min\{1, e^y\}\).

**The penalty algorithm and the Gauss-Bernoulli algorithm are private.** A step with sensitivity \(\Delta\) is a
Gaussian mechanism with noise of standard deviation \(\tau \sqrt n \Delta\). Hence \(\rho = 1/(2 \tau^2 n)\) for every
\(\Delta\). The proposal and the decision are post-processing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import checks
from ..checks import Floats
from ..guarantees import GaussianDP, gaussian_mechanism
from .acceptance import corrected, logistic, noise_scale
from .algorithm import Algorithm, Info, accept, bounded_ratio, clip_bound, prior_ratio, with_steps
from .row_models import Sum
from .target import Target
from .walks import component_walk, random_directions, walk

# Algorithms without noise


def log_ratio(target: Target, theta: Floats, proposal: Floats, clip: float | None = None) -> Sum:
    r"""Log ratio \(\lambda\) for a symmetric proposal, with each row's log ratio clipped if ``clip`` is given.

    Args:
        target: The posterior.
        theta: Parameter vectors, shape (chains, dimension).
        proposal: Proposed parameter vectors, shape (chains, dimension).
        clip: Clipping bound for a row's log ratio, per unit length of the move; None for no clipping.

    Returns:
        The log ratio for each chain, and the share of rows that were clipped. If ``clip`` is None, this share is 0 for
        an ``ExponentialFamily``; for a ``RowLikelihood`` it is the share of rows whose log ratio is nan.
    """
    if clip is None:
        total, clipped = target.likelihood.ratio(theta, proposal, np.full(len(theta), np.inf))
    else:
        total, _, clipped = bounded_ratio(target, theta, proposal, clip)
    return Sum(target.temperature * total + prior_ratio(target, theta, proposal), clipped)


def metropolis_test(
    target: Target, theta: Floats, proposal: Floats, rng: np.random.Generator, *, clip: float | None = None
) -> Info:
    """Metropolis-Hastings decisions, with clipped log ratios if ``clip`` is given.

    Args:
        target: The posterior.
        theta: Parameter vectors, shape (chains, dimension).
        proposal: Proposed parameter vectors, shape (chains, dimension).
        rng: Random number generator.
        clip: Clipping bound for a row's log ratio, per unit length of the move; None for no clipping.

    Returns:
        The decision and the diagnostics for every chain.
    """
    ratio = log_ratio(target, theta, proposal, clip)
    return Info(accept(ratio.total, rng), ratio.clipped)


def metropolis(scale: ArrayLike) -> Algorithm:
    """Non-private random-walk Metropolis-Hastings with Gaussian steps of standard deviation ``scale``.

    >>> metropolis([0.1, 0.2])  # one standard deviation for each of two components
    Algorithm(name='metropolis', parameters={'scale': [0.1, 0.2]})
    """
    return with_steps("metropolis", walk, metropolis_test, lambda target: None, scale)


def clipped_metropolis(clip: float, scale: ArrayLike) -> Algorithm:
    """Metropolis-Hastings with clipped log ratios and no noise, to study the effect of clipping.

    The algorithm is neither private nor exact.

    Args:
        clip: Clipping bound for a row's log ratio, per unit length of the move, > 0.
        scale: Standard deviation of a step, > 0: one number for all components, or one for each component.

    Returns:
        The algorithm, which has no privacy guarantee.

    >>> clipped_metropolis(clip=1.0, scale=0.1)
    Algorithm(name='clipped_metropolis', parameters={'clip': 1.0, 'scale': 0.1})
    """
    bound = checks.real("clip", clip, above=0)
    return with_steps("clipped_metropolis", walk, metropolis_test, lambda target: None, scale, clip=bound)


# Algorithms with noise


def statistic(target: Target, theta: Floats, proposal: Floats, draws: Floats, *, tau: float, clip: float | None) -> Sum:
    r"""Decision statistic \(\tilde\lambda - s^2/2\) for given normal draws, and the clipped sum with its sensitivity.

    Args:
        target: The posterior.
        theta: Parameter vectors, shape (chains, dimension).
        proposal: Proposed parameter vectors, shape (chains, dimension).
        draws: Standard normal draws, one for each chain.
        tau: Noise multiplier.
        clip: Clipping bound for a row's log ratio, per unit length of the move; None if the target has a ``spread``.

    Returns:
        The statistic of each chain, shape (chains,), and the clipped sums with their sensitivities.
    """
    ratio = bounded_ratio(target, theta, proposal, clip)
    noise = noise_scale(tau, target.rows, ratio.sensitivity)
    released = target.temperature * (ratio.total + noise * draws)
    return Sum(corrected(released + prior_ratio(target, theta, proposal), target.temperature * noise), ratio.clipped)


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
    r"""Decisions of the penalty algorithm, or of the Gauss-Bernoulli algorithm if ``decide`` is the logistic rule.

    Args:
        target: The posterior.
        theta: Parameter vectors, shape (chains, dimension).
        proposal: Proposed parameter vectors, shape (chains, dimension).
        rng: Random number generator.
        tau: Noise multiplier.
        clip: Clipping bound for a row's log ratio, per unit length of the move; None if the target has a ``spread``.
        decide: Function of the statistics y and the generator that returns True with probability g(y).

    Returns:
        The decision and the diagnostics for every chain.
    """
    found = statistic(target, theta, proposal, rng.standard_normal(len(theta)), tau=tau, clip=clip)
    return Info(decide(found.total, rng), found.clipped)


def cost_of_noise(target: Target, *, tau: float) -> GaussianDP:
    r"""Privacy guarantee \(\rho = 1 / (2 \tau^2 n)\) of one step of one chain, for any sensitivity.

    Args:
        target: The posterior.
        tau: Standard deviation of the noise in units of sqrt(n) times the sensitivity.

    Returns:
        The guarantee.
    """
    return gaussian_mechanism(1, noise_scale(tau, target.rows, 1))


def penalty(tau: float, clip: float | None, scale: ArrayLike) -> Algorithm:
    """Penalty algorithm with Gaussian steps in all components (Yıldırım and Ermiş 2019).

    Args:
        tau: Standard deviation of the noise in units of sqrt(n) times the sensitivity, > 0.
        clip: Clipping bound for a row's log ratio, per unit length of the move, > 0; None if the target has a
            ``spread``, in which case nothing is clipped.
        scale: Standard deviation of a step, > 0: one number for all components, or one for each component.

    Returns:
        The algorithm, with a Gaussian guarantee.

    >>> from dpbi.mcmc import posterior_of
    >>> target = posterior_of(lambda t, x: -((x - t[0]) ** 2) / 2, np.zeros(50), lambda t: 0.0, dimension=1)
    >>> round(penalty(0.1, 3.0, 0.05).cost(target).rho, 6)  # cost of one step: 1 / (2 * 0.1^2 * 50)
    1.0
    """
    return _noisy("penalty", walk, penalty_test, tau, clip, scale)


def component_penalty(tau: float, clip: float | None, scale: ArrayLike) -> Algorithm:
    """Penalty algorithm that moves one random component at a time; shorter moves require less noise.

    Args:
        tau, clip, scale: The same as for ``penalty``.

    Returns:
        The algorithm, with a Gaussian guarantee.

    >>> component_penalty(tau=0.1, clip=3.0, scale=0.05)
    Algorithm(name='component_penalty', parameters={'tau': 0.1, 'clip': 3.0, 'scale': 0.05})
    """
    return _noisy("component_penalty", component_walk, penalty_test, tau, clip, scale)


def guided_walk(tau: float, clip: float | None, scale: ArrayLike) -> Algorithm:
    """Guided walk with the penalty test; each component keeps its direction until one of its moves is rejected.

    Args:
        tau, clip, scale: The same as for ``penalty``.

    Returns:
        The algorithm, with a Gaussian guarantee.

    >>> guided_walk(tau=0.1, clip=3.0, scale=0.05)
    Algorithm(name='guided_walk', parameters={'tau': 0.1, 'clip': 3.0, 'scale': 0.05})
    """
    return replace(component_penalty(tau, clip, scale), name="guided_walk", start=random_directions)


def gauss_bernoulli(tau: float, clip: float | None, scale: ArrayLike) -> Algorithm:
    """Gauss-Bernoulli algorithm, reconstructed from the title of a missing chapter (Räisä 2020).

    Args:
        tau, clip, scale: The same as for ``penalty``.

    Returns:
        The algorithm, with a Gaussian guarantee.

    >>> gauss_bernoulli(tau=0.1, clip=3.0, scale=0.05)
    Algorithm(name='gauss_bernoulli', parameters={'tau': 0.1, 'clip': 3.0, 'scale': 0.05})
    """

    def decide(found: Floats, rng: np.random.Generator) -> NDArray[np.bool_]:
        return np.asarray(rng.random(len(found)) < logistic(found))

    return _noisy("gauss_bernoulli", walk, partial(penalty_test, decide=decide), tau, clip, scale)


def _noisy(name: str, move: Any, test: Any, tau: float, clip: float | None, scale: ArrayLike) -> Algorithm:
    """Private algorithm with proposal ``move`` and acceptance test ``test``; all other arguments are validated here."""
    noise, bound = checks.real("tau", tau, above=0), clip_bound(clip)
    return with_steps(name, move, test, partial(cost_of_noise, tau=noise), scale, tau=noise, clip=bound)
