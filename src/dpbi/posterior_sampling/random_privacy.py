r"""Privacy that holds for most parameters (Corollary 9), between the datasets of a list.

Read for each parameter, the corollary says that the log ratio \(\ln\frac{\xi(\theta \mid x)}{\xi(\theta \mid y)}\) is
at most \(2L\rho(x, y)\) but for a prior mass of \(e^{-c(L - L_0)}\). That is not so. What is: the same for all
parameters once the prior is restricted to \(\Theta_L\), and \((L + C\,\mathbb E_\xi\ell)\rho(x, y)\) on \(\Theta_L\)
as it is.
"""

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import checks
from ..arithmetic import exp, largest, less, number, plain
from .assumptions import best_rate, expected_lipschitz
from .bounds import worst_likelihood_ratio
from .families import Family, count_posteriors, inside_region, posterior, restricted
from .finite import TIE, Finite
from .laws import ParameterLaw
from .measures import log_ratio, privacy_loss


class Pair(NamedTuple):
    """The posteriors of two datasets and their distance."""

    first: Any
    second: Any
    distance: Any


def mass_within(family: Family, prior: Finite, datasets: Sequence[Any], L: float) -> float:
    r"""The prior mass of the parameters whose log ratio is at most \(2L\rho(x, y)\) for all pairs of the list.

    A ratio that is above the level by less than 1e-12 of it counts as equal.

    >>> from dpbi.posterior_sampling import bernoulli, uniform
    >>> datasets = [[1] * k + [0] * (20 - k) for k in range(21)]
    >>> mass_within(bernoulli(), uniform([k / 20 for k in range(1, 20)]), datasets, 1.5)
    0.2631578947368421
    """
    return _mass_within(prior, list(pairs(family, prior, datasets)), checks.real("L", L, least=0))


def mass_within_neighbours(prior: Finite, n: int, L: float) -> float:
    """That mass for all neighbours among n ``bernoulli`` records, which decide for all datasets."""
    laws: list[Any] = count_posteriors(prior, n)
    both = [*itertools.pairwise(laws), *itertools.pairwise(laws[::-1])]
    return _mass_within(prior, [Pair(p, q, number(1)) for p, q in both], checks.real("L", L, least=0))


def promised_mass(family: Family, prior: Finite, L0: float, L: float) -> float:
    r"""\(1 - e^{-c(L - L_0)}\) with the best c, which Corollary 9 says that mass is at least."""
    beyond = checks.real("L", L, least=0) - checks.real("L0", L0, least=0)
    return plain(1 - exp(-best_rate(family, prior, L0) * beyond))


def loss_once_restricted(family: Family, prior: Finite, datasets: Sequence[Any], L: float) -> float:
    r"""The largest loss between datasets of the list per distance, the prior restricted to \(\Theta_L\): at most 2L."""
    kept = restricted(family, prior, L)
    return _largest([privacy_loss(p, q) / rho for p, q, rho in pairs(family, kept, datasets)])


def ratio_inside(family: Family, prior: Finite, datasets: Sequence[Any], L: float) -> float:
    r"""The largest log ratio per distance over \(\Theta_L\), the prior as it is."""
    inside = inside_region(family, prior, L)
    return _largest([largest(log_ratio(p, q)[inside]) / rho for p, q, rho in pairs(family, prior, datasets)])


def ratio_bound(family: Family, prior: Finite, datasets: Sequence[Any], L: float) -> float:
    r"""\(L + C\,\mathbb E_\xi\ell\), which that is at most, C over the datasets of the list."""
    slope = worst_likelihood_ratio(family, prior, datasets) * expected_lipschitz(family, prior)
    return plain(checks.real("L", L, least=0) + slope)


def pairs(family: Family, prior: ParameterLaw, datasets: Sequence[Any]) -> Iterator[Pair]:
    """All ordered pairs of the datasets of a list that are apart."""
    if len(datasets) < 2:
        raise ValueError(f"datasets must have at least two entries, got {len(datasets)}")
    laws = [posterior(family, prior, data) for data in datasets]
    for (p, x), (q, y) in itertools.permutations(zip(laws, datasets, strict=True), 2):
        rho = family.distance(x, y)
        if rho > 0:
            yield Pair(p, q, rho)


def _mass_within(prior: Finite, compared: list[Pair], L: Any) -> float:
    if not isinstance(prior, Finite):
        raise TypeError(f"prior must be a Finite law, got {type(prior).__name__}")
    slightly_more = 1 + number(TIE)
    inside = np.all([~less(2 * L * rho * slightly_more, log_ratio(p, q)) for p, q, rho in compared], axis=0)
    return plain(prior.weights[inside].sum())


def _largest(values: list[Any]) -> float:
    return plain(largest(values))
