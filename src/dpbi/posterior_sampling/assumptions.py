r"""The best rate c of Assumption 2, the prior mass of \(\Theta_L\), the mean Lipschitz constant, and the constant C.

Let \(\Theta_L\) be the set of parameters whose Lipschitz constant is at most L. Assumption 2 requires that the prior
mass \(\xi(\Theta_L)\) be at least \(1 - e^{-c(L - L_0)}\) for all \(L \ge L_0\). The constant C is the largest ratio of
the likelihood to the marginal likelihood (Equation 9).
"""

import math
from typing import Any

import numpy as np

from .. import arithmetic, checks
from .families import Family, checked_family, inside_region, log_evidence, posterior_law, restricted
from .finite import TIE_TOLERANCE, Finite
from .interval_laws import Beta, Gamma, clipped
from .laws import ParameterLaw, Tables


def best_rate(family: Family, prior: ParameterLaw, L0: float) -> float:
    r"""Largest rate c for which a prior on a list of parameters satisfies Assumption 2.

    The rate is the largest c such that \(\xi(\Theta_L) \ge 1 - e^{-c(L - L_0)}\) for all \(L \ge L_0\). The prior mass
    is a step function of L with jumps at \(l_1 < l_2 < \dots\). On each step, the bound \(1 - e^{-c(L - L_0)}\) is
    largest at the right end, so
    \[ c = \min_{l_{j+1} > L_0} \frac{-\ln(1 - \xi(\Theta_{l_j}))}{l_{j+1} - L_0} . \]

    Args:
        family: Likelihood family, for example ``bernoulli()``.
        prior: A ``Finite`` law. For other laws, ``lipschitz_mass`` computes the prior mass of \(\Theta_L\).
        L0: The constant \(L_0\) of Assumption 2.

    Returns:
        The rate c, which is 0 if \(L_0\) is below the first jump and infinite if \(L_0\) is at or above the last jump.

    >>> from dpbi.posterior_sampling import bernoulli, bernoulli_grid, uniform
    >>> round(best_rate(bernoulli(), uniform(bernoulli_grid(0.1)), 1.0), 6)
    1.256303
    >>> best_rate(bernoulli(), uniform([0.2, 0.1, 0.05, 0.04, 0.03, 0.02]), 1.0)  # no Lipschitz constant is at most 1
    0.0
    """
    allowed = "a Finite law for a best rate (lipschitz_mass computes the mass for a given L)"
    start, kept = checks.real("L0", L0), checks.typed("prior", prior, Finite, allowed)
    jumps, masses = lipschitz_steps(checked_family(family), kept)
    # prior mass of the constants at or above each jump; at the first jump it is 1, which a sum might miss by rounding
    beyond = [arithmetic.number(1), *(sum(masses[i:], arithmetic.number(0)) for i in range(1, len(jumps)))]
    rates = [
        -arithmetic.log(above) / (jump - start)
        for jump, above in zip(jumps, beyond, strict=True)
        if arithmetic.less(start * (1 + arithmetic.number(TIE_TOLERANCE)), jump)
    ]
    return arithmetic.scalar(arithmetic.maximum(arithmetic.smallest(rates), 0)) if rates else math.inf


def lipschitz_steps(family: Family, prior: Finite) -> tuple[list[Any], list[Any]]:
    """Distinct Lipschitz constants of a list of parameters, in increasing order, with the prior mass of each.

    Args:
        family: Likelihood family.
        prior: A distribution on a list of parameters.

    Returns:
        The constants and their masses, as two lists of equal length. Constants whose relative difference is at most
        ``TIE_TOLERANCE`` count as equal, as in ``restricted``.
    """
    jumps: list[Any] = []
    masses: list[Any] = []
    constants = family.lipschitz(prior.held)
    weights = prior.weights[prior.support]
    slightly_more = 1 + arithmetic.number(TIE_TOLERANCE)
    for i in np.argsort(arithmetic.approximate(constants), kind="stable"):
        if jumps and not arithmetic.less(jumps[-1] * slightly_more, constants[i]):
            masses[-1] = masses[-1] + weights[i]
        else:
            jumps.append(constants[i])
            masses.append(weights[i])
    return jumps, masses


def lipschitz_mass(family: Family, prior: ParameterLaw, L: float) -> float:
    r"""Prior mass \(\xi(\Theta_L)\) of the parameters whose Lipschitz constant is at most L.

    Args:
        family: Likelihood family.
        prior: A ``Finite``, ``Gamma``, ``Beta`` or ``Tables`` law. For a ``Wishart`` law, see ``Wishart.acceptance``.
        L: The largest allowed Lipschitz constant L >= 0.

    Returns:
        The prior mass. A ``Tables`` law may have at most two states in each row; for such a law, the result is the mass
        that ``restricted`` retains, which is a lower bound on \(\xi(\Theta_L)\).

    >>> from dpbi.posterior_sampling import bernoulli
    >>> round(lipschitz_mass(bernoulli(), Beta(1, 1), 1.0), 6)  # log-odds of at most 1: tanh(1/2)
    0.462117
    """
    level = checks.real("L", L, least=0)
    checked_family(family)
    if isinstance(prior, Finite):
        kept = prior.weights[inside_region(family, prior, level)]
        return arithmetic.scalar(arithmetic.minimum(kept.sum(), arithmetic.number(1)))
    allowed = "a Finite, Gamma, Beta or Tables law (Wishart.acceptance bounds a mass)"
    law = checks.typed("prior", prior, Gamma | Beta | Tables, allowed)
    try:
        inside: Any = restricted(family, law, L)
    except ValueError:
        if isinstance(prior, Tables):
            raise  # a floor too small for doubles does not imply that the mass is zero
        return arithmetic.scalar(arithmetic.number(0))
    share = arithmetic.exp(inside.log_mass - law.log_mass)
    return arithmetic.scalar(arithmetic.minimum(share, arithmetic.number(1)))


def expected_lipschitz(family: Family, prior: ParameterLaw) -> float:
    r"""Prior mean \(\mathbb E_\xi\,\ell\) of the Lipschitz constant, which is at most \(L_0 + 1/c\) under Assumption 2.

    Args:
        family: Likelihood family.
        prior: A ``Finite`` law, or a ``Gamma`` or ``Beta`` law that is conjugate to the family.

    Returns:
        The mean, which is nonnegative.

    >>> from dpbi.posterior_sampling import bernoulli, uniform
    >>> round(expected_lipschitz(bernoulli(), uniform([0.2, 0.5, 0.8])), 6)
    0.924196
    >>> round(expected_lipschitz(bernoulli(), Beta(1e-4, 1e-4)) - 1e4, 8)  # 1/a + a pi^2/6 for small a
    0.00016445
    """
    conjugate = checked_family(family).conjugate
    if isinstance(prior, Finite):
        return arithmetic.scalar((prior.weights[prior.support] * family.lipschitz(prior.held)).sum())
    if isinstance(prior, Gamma) and conjugate is Gamma:  # the Lipschitz constant is a multiple of the parameter
        return arithmetic.scalar(family.constant(arithmetic.number(1)) * prior.mean_statistic)
    # the Lipschitz constant |log-odds| has a kink at zero, so each side is integrated separately
    if isinstance(prior, Beta) and conjugate is Beta:
        middle = prior.curve_coordinate(0.0)
        sides = [prior.curve.mean(lambda t: t - middle, *side) for side in ((middle, math.inf), (-math.inf, middle))]
        return arithmetic.scalar(sides[0] - sides[1])
    allowed = f"a Finite, Gamma or Beta law, conjugate to {family.name}"
    raise TypeError(f"prior must be {allowed}, got {type(prior).__name__}")


def likelihood_ratio(family: Family, prior: ParameterLaw, data: Any) -> float:
    r"""Largest ratio C(x) of the likelihood to the marginal likelihood of a dataset (Equation 9).

    The ratio is \(C(x) = \sup_\theta p_\theta(x) / \phi(x)\), where the supremum is over the support of the prior.

    Args:
        family: Likelihood family.
        prior: A ``Finite``, ``Gamma`` or ``Beta`` law.
        data: One dataset of the family.

    Returns:
        The ratio C(x) >= 1, which is infinite if the likelihood is unbounded on the support.

    >>> from dpbi.posterior_sampling import bernoulli, uniform
    >>> round(likelihood_ratio(bernoulli(), uniform([0.2, 0.8]), [1, 1, 0]), 6)
    1.6
    """
    x = checked_family(family).data(data)
    return arithmetic.scalar(arithmetic.exp(_largest_log_likelihood(family, prior, x) - log_evidence(family, prior, x)))


def _largest_log_likelihood(family: Family, prior: Any, x: Any) -> Any:
    """Supremum of the log likelihood of a dataset over the support of a prior."""
    if isinstance(prior, Finite):
        return arithmetic.largest(family.log_likelihood(prior.held, x))
    checks.typed("prior", prior, Gamma | Beta, "a Finite, Gamma or Beta law")
    if len(x) == 0:
        return arithmetic.number(0)
    flat = Gamma(1, 0, 0, 1) if isinstance(prior, Gamma) else Beta(1, 1)
    # the posterior under a flat prior is proportional to the likelihood, so its mode maximises the likelihood
    seen: Any = posterior_law(family, flat, x)
    if isinstance(prior, Gamma):
        best = prior.high if seen.rate == 0 else clipped((seen.shape - 1) / seen.rate, *prior.ends)
        return math.inf if best == math.inf else family.log_likelihood([best], x)[0]
    ones, zeros = seen.a - 1, seen.b - 1
    if (ones == 0 and prior.low == -math.inf) or (zeros == 0 and prior.high == math.inf):
        return arithmetic.number(0)  # all records agree, and their probability tends to 1 as theta tends to 0 or 1
    return family.log_likelihood([clipped(ones / (ones + zeros), *prior.ends)], x)[0]
