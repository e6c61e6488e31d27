r"""The quantities of Assumption 2 and of its bounds: the best rate c, the expected Lipschitz constant, and C."""

import itertools
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import log_expit

from .. import arithmetic, checks
from ..checks import Floats
from .families import Family, log_marginal, posterior
from .finite import TIE, Finite
from .interval_laws import Beta, Gamma, clipped, integral, log_mass_in_doubles, log_share
from .laws import ParameterLaw


def best_rate(family: Family, prior: ParameterLaw, L0: float) -> float:
    r"""The largest c with \(\xi(\Theta_L) \ge 1 - e^{-c(L - L_0)}\) for all \(L \ge L_0\) (Assumption 2), of a list.

    The mass is a step function with jumps at \(l_1 < l_2 < \dots\); on a step the right side is largest at the end, so
    \[ c = \min_{l_{j+1} > L_0} \frac{-\ln(1 - \xi(\Theta_{l_j}))}{l_{j+1} - L_0} , \]
    0 when \(L_0\) is below the first jump and infinite when it is at or above the last.

    >>> from dpbi.posterior_sampling import bernoulli, bernoulli_grid, uniform
    >>> round(best_rate(bernoulli(), uniform(bernoulli_grid(0.1)), 1.0), 6)
    1.256303
    """
    start = checks.real("L0", L0)
    if not isinstance(prior, Finite):
        raise TypeError(
            f"prior must be a Finite law for a best rate, got {type(prior).__name__}: lipschitz_mass gives the mass "
            "inside at each L"
        )
    jumps, masses = lipschitz_steps(family, prior)
    beyond = [sum(masses[i:], arithmetic.number(0)) for i in range(len(jumps))]  # above the step that ends at a jump
    rates = [
        -arithmetic.log(above) / (jump - start)
        for jump, above in zip(jumps, beyond, strict=True)
        if arithmetic.less(start * (1 + arithmetic.number(TIE)), jump)
    ]
    return arithmetic.plain(arithmetic.maximum(arithmetic.smallest(rates), 0)) if rates else math.inf


def lipschitz_steps(family: Family, prior: Finite) -> tuple[list[Any], list[Any]]:
    """The distinct Lipschitz constants of a list, rising, and the prior mass at each; ties as in ``restricted``."""
    jumps: list[Any] = []
    masses: list[Any] = []
    constants = family.lipschitz(prior.held)
    weights = prior.weights[prior.support]
    slightly_more = 1 + arithmetic.number(TIE)
    for i in np.argsort(arithmetic.approximate(constants), kind="stable"):
        if jumps and not arithmetic.less(jumps[-1] * slightly_more, constants[i]):
            masses[-1] = masses[-1] + weights[i]
        else:
            jumps.append(constants[i])
            masses.append(weights[i])
    return jumps, masses


def expected_lipschitz(family: Family, prior: ParameterLaw) -> float:
    r"""\(\mathbb E_\xi\,\ell\), at most \(L_0 + 1/c\) under Assumption 2.

    For ``Finite``, ``Gamma`` and ``Beta`` laws.
    """
    if isinstance(prior, Finite):
        return arithmetic.plain((prior.weights[prior.support] * family.lipschitz(prior.held)).sum())
    if isinstance(prior, Gamma | Beta) and not arithmetic.in_doubles():
        return arithmetic.plain(_mean_constant(family, prior))
    if isinstance(prior, Gamma):
        return prior.curve.mean(lambda t: family.constant(prior.mode * np.exp(t)))
    if isinstance(prior, Beta):
        total = 0.0
        for low, high in ((prior.low, min(prior.high, 0.0)), (max(prior.low, 0.0), prior.high)):
            if low < high:  # the constant |t| is smooth on either side of zero
                side = replace(prior, low=low, high=high)
                total += math.exp(log_share(side, prior)) * side.curve.mean(_distance_from(-side.mode))
        return total
    raise TypeError(f"prior must be a Finite, Gamma or Beta law, got {type(prior).__name__}")


def _distance_from(centre: float) -> Callable[[Floats], Floats]:
    return lambda t: np.abs(t - centre)


def _mean_constant(family: Family, prior: Gamma | Beta) -> Any:
    """The same mean by the integral itself, over balls; the constant is smooth on either side of zero log-odds."""
    if isinstance(prior, Gamma):
        return family.constant(arithmetic.number(1)) * prior.mean_statistic
    low, high = prior.ends
    parts = [low, arithmetic.number("1/2"), high] if float(prior.low) < 0 < float(prior.high) else [low, high]
    total = sum(abs(integral(prior, prior.statistic, a, b)) for a, b in itertools.pairwise(parts))
    return total / arithmetic.exp(prior.log_mass)


def likelihood_ratio(family: Family, prior: ParameterLaw, data: Any) -> float:
    r"""\(C(x) = \sup_\theta p_\theta(x) / \phi(x)\) over the support of the prior (Equation 9).

    For 200 records or fewer to twelve digits.
    """
    if isinstance(prior, Gamma | Beta) and family.update is not None and arithmetic.in_doubles():
        return _ratio_in_doubles(family, prior, family.data(data))
    best = _largest_log_likelihood(family, prior, family.data(data))
    return arithmetic.plain(arithmetic.exp(best - log_marginal(family, prior, data)))


def _ratio_in_doubles(family: Family, prior: Gamma | Beta, x: Any) -> float:
    r"""C(x) without cancellation: by Bayes' rule it is \(\frac{p_{\hat\theta}(x)}{p_m(x)}\) times
    \(\frac{\xi(m \mid x)}{\xi(m)}\), at a mode m of the posterior. The exponents of the likelihood are what the data
    add to a law that knows nothing: as differences of the prior and the posterior they would be rounded.
    """
    if len(x) == 0:
        return 1.0
    after: Any = posterior(family, prior, x)
    shift = -log_mass_in_doubles(after, prior)
    if isinstance(prior, Gamma):
        seen: Any = posterior(family, Gamma(1.0, 0.0, 0.0, 1.0), x)
        shape, rate, mode = seen.shape - 1, seen.rate, after.mode
        best = prior.high if rate == 0 else float(np.clip(shape / rate, *prior.ends))
        if best == math.inf:
            return math.inf
        return math.exp(shape * math.log1p((best - mode) / mode) - rate * (best - mode) + shift)
    seen = posterior(family, Beta(1.0, 1.0), x)
    a, b = seen.a - 1, seen.b - 1
    with np.errstate(divide="ignore"):
        odds = float(np.clip(np.log(a) - np.log(b), prior.low, prior.high))  # infinite where all records agree
    likelihood = [(a, log_expit(odds) - log_expit(after.mode)), (b, log_expit(-odds) - log_expit(-after.mode))]
    return math.exp(sum(count * float(gain) for count, gain in likelihood if count) + shift)


def _largest_log_likelihood(family: Family, prior: ParameterLaw, x: Any) -> float:
    if isinstance(prior, Finite):
        return arithmetic.plain(arithmetic.largest(family.log_likelihood(prior.held, x)))
    if len(x) == 0:
        return 0.0
    after: Any = posterior(family, prior, x)
    if not isinstance(prior, Gamma | Beta):
        raise TypeError(f"prior must be a Finite, Gamma or Beta law, got {type(prior).__name__}")
    if isinstance(prior, Gamma):
        shape, rate = after.shape - prior.shape, after.rate - prior.rate  # the likelihood is largest at their ratio
        if rate == 0 and prior.high == math.inf:
            return math.inf
        best = prior.high if rate == 0 else clipped(shape / rate, *prior.ends)
        return arithmetic.plain(family.log_likelihood([best], x)[0])
    ones, zeros = after.a - prior.a, after.b - prior.b
    if (ones == 0 and prior.low == -math.inf) or (zeros == 0 and prior.high == math.inf):
        return arithmetic.plain(arithmetic.number(0.0))  # all records agree and nothing limits the parameter
    best = clipped(ones / (ones + zeros), *prior.ends)
    return arithmetic.plain(family.log_likelihood([best], x)[0])
