r"""Likelihood families, with a distance between datasets and a Lipschitz constant for each parameter.

The Lipschitz constant of a parameter (Equation 2 of the paper) is the least u such that
\[ |\ln p_\theta(x) - \ln p_\theta(y)| \le u\,\rho(x, y) \quad\text{for all datasets x and y}, \]
and \(\Theta_L\) is the set of parameters whose Lipschitz constant is at most L. Records are independent unless the
family is a Markov chain, and \(\rho\) is a sum over the records (Lemma 5). So the Lipschitz constant does not depend on
the number of records.

A ``Family`` is a collection of functions. To add a family, write a function that returns a ``Family``.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from scipy.special import logit, logsumexp

from .. import arithmetic, checks
from ..checks import Integers, Numbers
from .family_checks import differing_entries, one_list, whole_states
from .finite import TIE_TOLERANCE, Finite
from .interval_laws import Beta, Gamma
from .laws import ParameterLaw
from .oscillations import Oscillation, peak_to_peak

Kind = TypeVar("Kind", bound=ParameterLaw)
"""Type of a prior and its posterior; for example, the posterior for a ``Beta`` prior is a ``Beta`` law."""

RECORD, CELL = "replace one record", "replace one cell"
"""The two kinds of neighbouring datasets: those that differ in one record, or in one entry of one record."""

# chosen: at this n, the n + 1 posteriors take a few seconds to compute
MAX_RECORDS = 10_000
"""Largest number of records for which ``count_posteriors`` lists all posteriors."""


@dataclass(frozen=True, eq=False)
class Family:
    r"""A likelihood family with a pseudo-metric \(\rho\) on its datasets.

    The methods check their arguments and then call ``log_density``, ``density`` and ``constant``, which may assume
    that their arguments are valid.

    Attributes:
        name: Name of the family in error messages.
        metric: A description of the pseudo-metric \(\rho\) in words.
        data: Function that checks a dataset and returns an array.
        parameters: Function that checks a list of parameters and returns the list.
        log_density: Function that computes \(\ln p_\theta(x)\) for a list of parameters and one dataset.
        distance: Function that computes \(\rho(x, y)\) for two datasets.
        constant: Function that computes the Lipschitz constants \(\ell(\theta)\) of a list of parameters.
        reach: Largest \(\rho\) between neighbours, for each kind of neighbours; infinite if the data are unbounded.
        density: Function that computes \(p_\theta(x)\) without rounding if the parameters are exact fractions, or None
            if the likelihood is not rational in the parameters.
        conjugate: Type of the conjugate laws, or None.
        update: Function that computes the posterior from a conjugate prior and a dataset.
        within: Function that restricts a conjugate law to \(\Theta_L\).
        largest: Function that computes the largest Lipschitz constant on the support of a conjugate law.
        oscillation: Function that computes the greatest oscillation w for a prior and a kind of neighbours (see
            ``oscillations``). If ``oscillation`` is None, the cost of each draw is \(2L\rho\).

    >>> bernoulli()
    Family(name='bernoulli', metric='number of records that differ', reach={'replace one record': 1.0})
    >>> bernoulli().likelihood([0.2, 0.5], [1, 0]).round(6).tolist()
    [0.16, 0.25]
    """

    name: str
    metric: str
    data: Callable[[Any], Any] = field(repr=False)
    parameters: Callable[[Any], Any] = field(repr=False)
    log_density: Callable[[Any, Any], Numbers] = field(repr=False)
    distance: Callable[[Any, Any], float] = field(repr=False)
    constant: Callable[[Any], Numbers] = field(repr=False)
    reach: Mapping[str, float]
    density: Callable[[Any, Any], Numbers] | None = field(default=None, repr=False)
    conjugate: type[ParameterLaw] | None = field(default=None, repr=False)
    update: Callable[[Any, Any], ParameterLaw] | None = field(default=None, repr=False)
    within: Callable[[Any, float], ParameterLaw] | None = field(default=None, repr=False)
    largest: Callable[[Any], float] | None = field(default=None, repr=False)
    oscillation: Callable[[Any, str], Oscillation] | None = field(default=None, repr=False)

    def log_likelihood(self, parameters: Any, data: Any) -> Numbers:
        r"""Log likelihood \(\ln p_\theta(x)\) of one dataset, for each parameter of a list.

        Args:
            parameters: A list of m parameters of the family.
            data: One dataset of the family.

        Returns:
            The m logarithms of probabilities or densities.
        """
        return self.log_density(self.parameters(parameters), self.data(data))

    def likelihood(self, parameters: Any, data: Any) -> Numbers:
        r"""Likelihood \(p_\theta(x)\) of one dataset, for each parameter of a list.

        Args:
            parameters: A list of m parameters of the family.
            data: One dataset of the family.

        Returns:
            The m probabilities or densities.
        """
        density = self.density or (lambda theta, x: arithmetic.exp(self.log_density(theta, x)))
        return density(self.parameters(parameters), self.data(data))

    def lipschitz(self, parameters: Any) -> Numbers:
        r"""Lipschitz constant \(\ell(\theta)\) of Equation 2, for each parameter of a list."""
        return self.constant(self.parameters(parameters))


def checked_family(family: Any) -> Any:
    """Check that an argument is a ``Family`` and not, for example, the name of a family, and return the argument."""
    return checks.typed("family", family, Family, "a Family, for example bernoulli()")


def posterior_law(family: Family, prior: Kind, data: Any) -> Kind:
    r"""Exact posterior \(\xi(d\theta \mid x) = p_\theta(x)\,\xi(d\theta) / \phi(x)\) for a prior and a dataset.

    Args:
        family: Likelihood family.
        prior: A ``Finite`` law, or a conjugate law of the family.
        data: One dataset of the family.

    Returns:
        The posterior, of the same type as the prior.

    >>> posterior_law(bernoulli(), Beta(1, 1), [1, 1, 0])
    Beta(a=3.0, b=2.0, low=-inf, high=inf)
    """
    x = checked_family(family).data(data)
    after: Any
    if not isinstance(prior, Finite):
        after = _rule(family, prior, family.update)(prior, x)
    elif arithmetic.in_doubles():  # in logarithms, since the likelihood of many records underflows
        logs = prior.log_weights + family.log_likelihood(prior.parameters, x)
        after = Finite(prior.parameters, log_weights=logs)
    else:
        after = Finite(prior.parameters, weights=prior.weights * family.likelihood(prior.parameters, x))
    kind: Kind = after
    return kind


def count_posteriors(prior: Kind, n: int) -> list[Kind]:
    """Posteriors given n ``bernoulli`` records, one for each possible count of ones.

    Args:
        prior: A ``Finite`` or ``Beta`` law.
        n: Number of records, >= 0 and at most ``MAX_RECORDS``.

    Returns:
        The n + 1 posteriors for 0 to n ones; consecutive posteriors belong to neighbouring datasets.

    >>> from dpbi.posterior_sampling import uniform
    >>> [law.weights.round(6).tolist() for law in count_posteriors(uniform([0.2, 0.8]), 2)]  # 16 to 1, even, 1 to 16
    [[0.941176, 0.058824], [0.5, 0.5], [0.058824, 0.941176]]
    """
    size, family = checks.whole("n", n, least=0, below=MAX_RECORDS + 1), bernoulli()
    return [posterior_law(family, prior, np.arange(size) < ones) for ones in range(size + 1)]


def log_evidence(family: Family, prior: ParameterLaw, data: Any) -> float:
    r"""Log marginal likelihood \(\ln\phi(x) = \ln \int p_\theta(x)\,d\xi(\theta)\) of a dataset.

    Args:
        family: Likelihood family.
        prior: A ``Finite``, ``Gamma`` or ``Beta`` law.
        data: One dataset of the family.

    Returns:
        The logarithm of the probability or density of the dataset.

    >>> round(log_evidence(bernoulli(), Beta(1, 1), [1, 1, 0]), 6)  # -ln 12
    -2.484907
    """
    x = checked_family(family).data(data)
    if isinstance(prior, Finite):
        if arithmetic.in_doubles():
            return float(logsumexp(prior.log_weights + family.log_likelihood(prior.parameters, x)))
        return arithmetic.scalar(arithmetic.log((prior.weights * family.likelihood(prior.parameters, x)).sum()))
    law = checks.typed("prior", prior, Gamma | Beta, "a Finite, Gamma or Beta law")
    after = posterior_law(family, law, x)
    # Bayes' rule, phi(x) = p_theta(x) xi(theta) / xi(theta | x), is valid at every parameter and is evaluated at
    # the mode of the posterior
    ratio = law.log_kernel(after.mode) - law.log_mass - (after.log_kernel(after.mode) - after.log_mass)
    return arithmetic.scalar(family.log_likelihood([after.to_parameter(after.mode)], x)[0] + ratio)


def restricted(family: Family, prior: ParameterLaw, L: float) -> ParameterLaw:
    r"""Prior conditioned on \(\Theta_L\), the set of parameters whose Lipschitz constant is at most L.

    Args:
        family: Likelihood family.
        prior: A ``Finite`` law, or a conjugate law of the family.
        L: The largest allowed Lipschitz constant L >= 0.

    Returns:
        The restricted prior, of the same type as the prior. For a prior on a list of parameters, a Lipschitz constant
        whose relative difference from L is at most 1e-12 counts as L, because rounding must not separate symmetric
        parameters. For a prior on an interval, the new ends are exact up to rounding. ``Tables`` are restricted to a
        subset of \(\Theta_L\) by a floor on their entries. The floor is the least \(\varepsilon\) such that
        \(\ln\frac{1 - (s-1)\varepsilon}{\varepsilon} \le L\), where s is the smallest number of states of any row.

    Raises:
        ValueError: if the prior has no mass on \(\Theta_L\).

    >>> restricted(bernoulli(), Beta(1, 1), 1.0)
    Beta(a=1.0, b=1.0, low=-1.0, high=1.0)
    """
    level = checks.real("L", L, least=0)
    checked_family(family)
    if isinstance(prior, Finite):
        inside = inside_region(family, prior, level)
        least = float(arithmetic.smallest(family.lipschitz(prior.held)))
        checks.need((inside & prior.support).any(), f"L must leave a positive mass: be at least {least:g}, got L={L!r}")
        kept = [theta for theta, chosen in zip(prior.parameters, inside, strict=True) if chosen]
        if arithmetic.in_doubles():
            return Finite(kept, log_weights=prior.log_weights[inside])
        return Finite(kept, weights=prior.weights[inside])
    return _rule(family, prior, family.within)(prior, level)


def inside_region(family: Family, prior: Finite, L: float) -> Any:
    r"""Mask that marks which parameters of a list are in \(\Theta_L\), with the tolerance of ``restricted``.

    Args:
        family: Likelihood family.
        prior: A distribution on a list of m parameters.
        L: Largest Lipschitz constant.

    Returns:
        An array of m booleans.
    """
    return ~arithmetic.less(L * (1 + arithmetic.number(TIE_TOLERANCE)), family.lipschitz(prior.parameters))


def lipschitz_bound(family: Family, prior: ParameterLaw) -> float:
    r"""Largest Lipschitz constant on the support of a prior.

    Args:
        family: Likelihood family.
        prior: A ``Finite`` law, or a conjugate law of the family.

    Returns:
        The least L such that \(\ell(\theta) \le L\) on the support, or infinity if there is no such L. For ``Tables``,
        the result is an upper bound on the least L.

    >>> lipschitz_bound(bernoulli(), Beta(1, 1)), lipschitz_bound(bernoulli(), Beta(1, 1, -2, 1))
    (inf, 2.0)
    """
    checked_family(family)
    if isinstance(prior, Finite):
        return arithmetic.scalar(arithmetic.largest(family.lipschitz(prior.held)))
    return arithmetic.scalar(_rule(family, prior, family.largest)(prior))


def exponential_prior(family: Family, parameters: Any, rate: float = 1.0) -> Finite:
    r"""Prior \(\xi(\theta) \propto e^{-r\,\ell(\theta)}\) of Example 2 on a list of parameters.

    Args:
        family: Likelihood family.
        parameters: A list of parameters of the family.
        rate: The rate r >= 0.

    Returns:
        A ``Finite`` law.

    >>> exponential_prior(bernoulli(), [0.2, 0.5]).weights.round(6).tolist()  # the Lipschitz constants are ln 4 and 0
    [0.2, 0.8]
    """
    weight = checks.real("rate", rate, least=0)
    return Finite(parameters, log_weights=-weight * checked_family(family).lipschitz(parameters))


def bernoulli() -> Family:
    r"""Bernoulli family with records 0 and 1, where \(\rho\) is the number of records that differ (Example 1).

    The Lipschitz constant is \(\ell(\theta) = |\ln\frac{\theta}{1-\theta}|\). Replacing one record changes
    \(\ln p_\theta\) by plus or minus the log-odds, so the oscillation w is exactly the range of the log-odds over the
    support.

    >>> bernoulli().lipschitz([0.5, 0.8]).round(6).tolist()
    [0.0, 1.386294]
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

    return Family(
        name="bernoulli",
        metric="number of records that differ",
        data=_binary,
        parameters=_probabilities,
        density=density,
        log_density=log_density,
        distance=lambda x, y: arithmetic.scalar(arithmetic.number(differing_entries(_binary, x, y).sum())),
        constant=lambda theta: abs(_log_odds(theta)),
        reach={RECORD: arithmetic.scalar(arithmetic.number(1))},
        conjugate=Beta,
        update=update,
        within=lambda prior, L: truncated_to(prior, -L, L, L),
        largest=lambda prior: arithmetic.scalar(arithmetic.maximum(abs(prior.low), abs(prior.high))),
        oscillation=lambda prior, neighbours: Oscillation(arithmetic.scalar(spread(prior, _log_odds)), exact=True),
    )


def _rule(family: Family, prior: Kind, rule: Callable[..., Any] | None) -> Callable[..., Kind]:
    """Check that a prior is conjugate to the family, and return ``rule``, a function of the family."""
    if rule is None or family.conjugate is None or not isinstance(prior, family.conjugate):
        kind = f" or a {family.conjugate.__name__}" if family.conjugate else ""
        raise TypeError(f"prior must be a Finite{kind} law for {family.name}, got {type(prior).__name__}")
    return rule


def truncated_to(prior: Any, low: Any, high: Any, L: Any) -> Any:
    r"""Restrict a distribution on an interval to another interval.

    Args:
        prior: A distribution on an interval.
        low: Lower end of the other interval.
        high: Upper end of the other interval.
        L: Bound on the Lipschitz constants, for the error message if the intervals have no common part.

    Returns:
        The distribution on the common part of the intervals.
    """
    ends = f"[{float(prior.low):g}, {float(prior.high):g}]"
    least, most = arithmetic.maximum(prior.low, low), arithmetic.minimum(prior.high, high)
    checks.need(least < most, f"L must leave a positive mass of the prior on {ends}, got L={checks.brief(L)}")
    return replace(prior, low=least, high=most)


def spread(prior: Any, statistic: Callable[[Any], Numbers]) -> Any:
    """Difference between the largest and the smallest value of a statistic of the parameter on the support of a prior.

    Args:
        prior: A ``Finite`` law, or a conjugate law with this statistic.
        statistic: Function that computes the statistic of each parameter of a list.

    Returns:
        The difference.
    """
    return peak_to_peak(statistic(prior.held)) if isinstance(prior, Finite) else prior.high - prior.low


def _log_odds(theta: Numbers) -> Numbers:
    # logit keeps its digits near theta = 1/2, where theta / (1 - theta) is near 1
    return np.asarray(logit(theta) if arithmetic.in_doubles() else arithmetic.log(theta / (1 - theta)))


def _probabilities(values: Any) -> Numbers:
    """Check a list of parameters of the Bernoulli family, and return it as an array."""
    return one_list(values, lambda theta: (theta > 0) & (theta < 1), "> 0 and < 1, where the constant is finite")


def _binary(x: Any) -> Integers:
    """Check a dataset of the Bernoulli family, and return it as an array."""
    return whole_states(x, 2, "one list of zeros and ones")


def worst_neighbours(measure: Callable[[Any, Any], float], laws: Sequence[ParameterLaw]) -> float:
    """Largest value of a divergence between consecutive distributions of a list, in either order.

    Args:
        measure: A function of two distributions, for example ``privacy_loss``.
        laws: A list of m >= 2 distributions, for example the posteriors from ``count_posteriors``.

    Returns:
        The largest of the 2 (m - 1) values.

    >>> from dpbi.divergences import privacy_loss
    >>> from dpbi.posterior_sampling import uniform
    >>> round(worst_neighbours(privacy_loss, count_posteriors(uniform([0.2, 0.8]), 3)), 6)  # at most ln 16 for every n
    2.564949
    """
    checks.need(callable(measure), f"measure must be a function of two laws, got measure={checks.brief(measure)}")
    checks.need(len(checks.listed("laws", laws)) > 1, f"laws must be two or more, got {len(laws)}")
    values = [measure(a, b) for p, q in itertools.pairwise(laws) for a, b in ((p, q), (q, p))]
    return arithmetic.scalar(arithmetic.largest(values))
