r"""Likelihood families as values: log likelihood, pseudo-metric between datasets, Lipschitz constant of a parameter.

The Lipschitz constant of a parameter (Equation 2 of the paper) is the least u with
\[ |\ln p_\theta(x) - \ln p_\theta(y)| \le u\,\rho(x, y) \quad\text{for all datasets x and y}, \]
and \(\Theta_L\) holds the parameters whose constant is at most L. Records are independent unless the family is a
chain, and \(\rho\) adds up over them (Lemma 5): the constant does not depend on their number.

A family is a record of functions; a new one is a new function that fills it.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from scipy.special import logit, logsumexp

from .. import arithmetic, checks
from ..checks import Integers, Numbers
from .family_checks import differing_entries, whole_states
from .finite import TIE_TOLERANCE, Finite
from .interval_laws import Beta, Gamma, clipped
from .laws import ParameterLaw, Tables
from .oscillations import Oscillation, peak_to_peak

Kind = TypeVar("Kind", bound=ParameterLaw)
"""Conditioning leaves the kind of a law: the posterior of a ``Beta`` law is one, that of a ``Finite`` law too."""

RECORD, CELL = "replace one record", "replace one cell"
"""Neighbours: datasets that differ in one record, or in one entry of one record."""


@dataclass(frozen=True, eq=False)
class Family:
    r"""A likelihood family with its pseudo-metric.

    ``data`` and ``parameters`` check what they are given; ``log_density``, ``density`` and ``constant`` see only what
    was checked, ``log_likelihood``, ``likelihood`` and ``lipschitz`` check first. Only a likelihood that is rational in
    its parameters has a ``density`` of its own. ``reach`` maps a kind of neighbours to the largest \(\rho\)
    between two of them, infinite where no bound on the data makes it finite. ``update``, ``within`` and ``largest``
    belong to conjugate laws: the posterior, the law restricted to \(\Theta_L\), and the largest Lipschitz constant in
    the support. ``oscillation`` maps a prior and a kind of neighbours to the greatest oscillation between them; a
    family without one is charged by its constant and its reach.
    """

    name: str
    metric: str
    data: Callable[[Any], Any]
    parameters: Callable[[Any], Any]
    log_density: Callable[[Any, Any], Numbers]
    distance: Callable[[Any, Any], float]
    constant: Callable[[Any], Numbers]
    reach: Mapping[str, float]
    density: Callable[[Any, Any], Numbers] | None = None
    conjugate: type[ParameterLaw] | None = None
    update: Callable[[Any, Any], ParameterLaw] | None = field(default=None, repr=False)
    within: Callable[[Any, float], ParameterLaw] | None = field(default=None, repr=False)
    largest: Callable[[Any], float] | None = field(default=None, repr=False)
    oscillation: Callable[[Any, str], Oscillation] | None = field(default=None, repr=False)

    def log_likelihood(self, parameters: Any, data: Any) -> Numbers:
        r"""\(\ln p_\theta(x)\), one for each parameter of a list."""
        return self.log_density(self.parameters(parameters), self.data(data))

    def likelihood(self, parameters: Any, data: Any) -> Numbers:
        r"""\(p_\theta(x)\), one for each parameter of a list."""
        density = self.density or (lambda theta, x: arithmetic.exp(self.log_density(theta, x)))
        return density(self.parameters(parameters), self.data(data))

    def lipschitz(self, parameters: Any) -> Numbers:
        r"""\(\ell(\theta)\), one for each parameter of a list."""
        return self.constant(self.parameters(parameters))


def posterior(family: Family, prior: Kind, data: Any) -> Kind:
    r"""The exact posterior, \(\xi(d\theta \mid x) = p_\theta(x)\,\xi(d\theta) / \phi(x)\)."""
    x = family.data(data)
    after: Any
    if not isinstance(prior, Finite):
        after = _rule(family, prior, family.update)(prior, x)
    elif arithmetic.in_doubles():  # in logarithms, as the likelihood of many records underflows
        after = Finite(prior.parameters, prior.log_weights + family.log_likelihood(prior.parameters, x))
    else:
        after = Finite(prior.parameters, weights=prior.weights * family.likelihood(prior.parameters, x))
    kind: Kind = after
    return kind


def count_posteriors(prior: Kind, n: int) -> list[Kind]:
    """The posterior of a ``bernoulli`` prior for each number of ones among n records, from 0 to n."""
    size, family = checks.whole("n", n, least=0), bernoulli()
    return [posterior(family, prior, np.arange(size) < ones) for ones in range(size + 1)]


def log_marginal(family: Family, prior: ParameterLaw, data: Any) -> float:
    r"""\(\ln\phi(x) = \ln \int p_\theta(x)\,d\xi(\theta)\), for ``Finite``, ``Gamma`` and ``Beta`` laws."""
    x = family.data(data)
    if isinstance(prior, Finite):
        if arithmetic.in_doubles():
            return float(logsumexp(prior.log_weights + family.log_likelihood(prior.parameters, x)))
        return arithmetic.plain(arithmetic.log((prior.weights * family.likelihood(prior.parameters, x)).sum()))
    if not isinstance(prior, Gamma | Beta):
        raise TypeError(f"prior must be a Finite, Gamma or Beta law for a marginal, got {type(prior).__name__}")
    after = posterior(family, prior, x)
    theta = after.typical_parameter  # Bayes' rule holds at every parameter
    ratio = prior.log_kernel(theta) - prior.log_mass - (after.log_kernel(theta) - after.log_mass)
    return arithmetic.plain(family.log_likelihood([theta], x)[0] + ratio)


def restricted(family: Family, prior: ParameterLaw, L: float) -> ParameterLaw:
    r"""The prior conditioned on \(\Theta_L\), which is closed; for ``Tables``, the least floor that stays inside.

    In a finite list a constant within a relative 1e-12 of L counts as L, so that symmetric parameters stay together.
    The end of a continuous region is exact up to rounding, and so are the constants of draws.
    """
    level = _level(L)
    if isinstance(prior, Finite):
        inside = inside_region(family, prior, level)
        if not (inside & prior.support).any():
            least = float(arithmetic.smallest(family.lipschitz(prior.parameters)))
            raise ValueError(f"L must leave a positive mass, and the least constant is {least:g}, got L={L!r}")
        kept = [theta for theta, chosen in zip(prior.parameters, inside, strict=True) if chosen]
        if arithmetic.in_doubles():
            return Finite(kept, prior.log_weights[inside])
        return Finite(kept, weights=prior.weights[inside])
    conditioned: ParameterLaw = _rule(family, prior, family.within)(prior, level)
    return conditioned


def inside_region(family: Family, prior: Finite, L: float) -> Any:
    r"""Which parameters of a list are in \(\Theta_L\), with the ties of ``restricted``."""
    return ~arithmetic.less(L * (1 + arithmetic.number(TIE_TOLERANCE)), family.lipschitz(prior.parameters))


def lipschitz_bound(family: Family, prior: ParameterLaw) -> float:
    r"""The least L with \(\ell(\theta) \le L\) on the support, infinite if none; a bound on it for ``Tables``."""
    if isinstance(prior, Finite):
        return arithmetic.plain(arithmetic.largest(family.lipschitz(prior.held)))
    return arithmetic.plain(_rule(family, prior, family.largest)(prior))


def lipschitz_mass(family: Family, prior: ParameterLaw, L: float) -> float:
    r"""\(\xi(\Theta_L)\), with the ties of ``restricted``; for ``Tables`` the mass that the floor keeps, not above it.

    Rows with a floor have at most two states. A ``Wishart`` law has bounds only, the ``acceptance`` once restricted.
    """
    if isinstance(prior, Finite):
        kept = prior.weights[inside_region(family, prior, _level(L))]
        return arithmetic.plain(arithmetic.minimum(kept.sum(), arithmetic.number(1)))
    if not isinstance(prior, Gamma | Beta | Tables):
        raise TypeError(
            f"prior must be a Finite, Gamma, Beta or Tables law for an exact mass, got {type(prior).__name__}, "
            "whose acceptance bounds the mass once it is restricted"
        )
    bound = lipschitz_bound(family, prior)
    if math.isfinite(float(bound)) and not arithmetic.less(_level(L), bound):
        return arithmetic.plain(arithmetic.number(1))
    try:
        inside: Any = restricted(family, prior, L)
    except ValueError:
        if isinstance(prior, Tables):
            raise  # a floor may be too small for doubles
        return arithmetic.plain(arithmetic.number(0))
    share = arithmetic.exp(inside.log_mass - prior.log_mass)
    return arithmetic.plain(arithmetic.minimum(share, arithmetic.number(1)))


def exponential_prior(family: Family, parameters: Any, rate: float = 1.0) -> Finite:
    r"""The prior \(\xi(\theta) \propto e^{-r\,\ell(\theta)}\) of Example 2, on a list of parameters."""
    weight = checks.real("rate", rate, least=0)
    return Finite(parameters, -weight * family.lipschitz(parameters))


def bernoulli() -> Family:
    r"""Records 0 or 1, \(\rho\) the Hamming distance: \(\ell(\theta) = |\ln\frac{\theta}{1-\theta}|\) (Example 1).

    One record changes \(\ln p_\theta\) by the log-odds: w is their range over the support, exactly.
    """

    def density(theta: Numbers, x: Integers) -> Numbers:
        ones = int(x.sum())
        return np.asarray(theta**ones * (1 - theta) ** (len(x) - ones))

    def log_density(theta: Numbers, x: Integers) -> Numbers:
        ones = int(x.sum())
        return np.asarray(ones * arithmetic.log(theta) + (len(x) - ones) * arithmetic.log1p(-theta))

    def update(prior: Beta, x: Integers) -> Beta:
        ones = int(x.sum())
        return replace(prior, a=prior.a + ones, b=prior.b + len(x) - ones)

    def within(prior: Beta, L: float) -> Beta:
        cut: Beta = truncated_to(prior, clipped(-L, prior.low, math.inf), clipped(L, -math.inf, prior.high), L)
        return cut

    def oscillation(prior: Finite | Beta, neighbours: str) -> Oscillation:
        odds = (
            peak_to_peak(_log_odds(_probabilities(prior.held))) if isinstance(prior, Finite) else prior.high - prior.low
        )
        return Oscillation(arithmetic.plain(odds), exact=True)

    return Family(
        name="bernoulli",
        metric="number of records that differ",
        data=_binary,
        parameters=_probabilities,
        density=density,
        log_density=log_density,
        distance=lambda x, y: arithmetic.plain(arithmetic.number(differing_entries(_binary, x, y).sum())),
        constant=lambda theta: abs(_log_odds(theta)),
        reach={RECORD: arithmetic.plain(arithmetic.number(1))},
        conjugate=Beta,
        update=update,
        within=within,
        largest=lambda prior: arithmetic.plain(arithmetic.maximum(abs(prior.low), abs(prior.high))),
        oscillation=oscillation,
    )


def _rule(family: Family, prior: ParameterLaw, rule: Callable[..., Any] | None) -> Callable[..., Any]:
    if rule is None or family.conjugate is None or not isinstance(prior, family.conjugate):
        kind = f" or a {family.conjugate.__name__}" if family.conjugate else ""
        raise TypeError(f"prior must be a Finite{kind} law for {family.name}, got {type(prior).__name__}")
    return rule


def truncated_to(prior: Any, low: Any, high: Any, L: Any) -> Any:
    """A law on an interval cut to a smaller one."""
    if not low < high:
        ends = f"[{float(prior.low):g}, {float(prior.high):g}]"
        raise ValueError(f"L must leave a positive mass of the prior on {ends}, got L={L!r}")
    return replace(prior, low=low, high=high)


def _level(L: float) -> float:
    return checks.real("L", L, least=0)


def _log_odds(theta: Numbers) -> Numbers:
    r"""\(\ln\frac{\theta}{1-\theta}\); in doubles by the function that keeps its digits near 1/2."""
    return np.asarray(logit(theta) if arithmetic.in_doubles() else arithmetic.log(theta / (1 - theta)))


def _probabilities(values: Any) -> Numbers:
    theta = np.atleast_1d(arithmetic.numbers(values))
    good = (theta > 0) & (theta < 1)
    if theta.ndim != 1 or not good.all():
        found = theta[~good][0] if theta.ndim == 1 else f"shape {theta.shape}"
        raise ValueError(f"parameters must be > 0 and < 1, where the Lipschitz constant is finite, got {found}")
    return theta


def _binary(x: Any) -> Integers:
    values = np.asarray(x)
    if values.ndim != 1:
        raise ValueError(f"data must be one list of zeros and ones, got shape {values.shape}")
    return whole_states(values, np.int64(2))
