r"""Utility lost by answering queries from a private posterior instead of the ideal posterior (Section 4.4).

A response r to a query has the utility \(u_\theta(r) \in [0, 1]\) if the parameter is \(\theta\). A decision table
lists the utilities, with one row for each response and one column for each parameter.
"""

import math
from typing import Any

import numpy as np

from .. import checks
from ..arithmetic import exp, largest, number, numbers, scalar
from .families import Family, bernoulli, inside_region, log_evidence, posterior_law
from .finite import Finite
from .sampling import first_of_the_largest


def regret(ideal: Finite, private: Finite, utilities: Any) -> float:
    """Loss of mean utility under the ideal posterior if the response is chosen to be best under the private posterior.

    Args:
        ideal: The posterior on a list of m parameters, computed from the prior that expresses the user's beliefs.
        private: The private posterior, on the same list of parameters.
        utilities: Decision table with one row for each response and m columns. Among equally good responses, the first
            is chosen.

    Returns:
        The regret, which is nonnegative.

    >>> from dpbi.posterior_sampling import weighted
    >>> round(regret(weighted([0, 1], [7, 3]), weighted([0, 1], [1, 1]), [[0, 1], [1, 0]]), 12)
    0.4
    """
    table, m = numbers(utilities), len(ideal.weights)
    good = table.ndim == 2 and table.shape[1] == m == len(private.weights)
    allowed = f"one column for each of the {m} parameters of both laws"
    checks.need(good, f"utilities must have {allowed}, got shape {table.shape}")
    gains, expected = table @ ideal.weights, table @ private.weights
    return scalar(largest(gains) - gains[first_of_the_largest(expected)])


def region_cost(family: Family, prior: Finite, L: float) -> float:
    r"""Mass \(1 - \xi^\star(\Theta_L)\) that a prior loses when it is restricted to \(\Theta_L\) (Theorem 17).

    Args:
        family: The likelihood family.
        prior: Prior distribution of the parameter.
        L: Largest Lipschitz constant that is allowed in \(\Theta_L\).

    Returns:
        The mass, in [0, 1].
    """
    return scalar(prior.weights[~inside_region(family, prior, L)].sum())


def cut(family: Family, law: Finite, L: float) -> Finite:
    r"""Distribution on a list of parameters, conditioned on \(\Theta_L\).

    Unlike ``restricted``, the function retains the parameters outside \(\Theta_L\) in the list, with probability zero.

    Args:
        family: The likelihood family.
        law: A distribution on a list of parameters.
        L: Largest Lipschitz constant that is allowed in \(\Theta_L\).

    Returns:
        The conditioned distribution.
    """
    return Finite(law.parameters, weights=law.weights * inside_region(family, law, L))


def guessing_regret(family: Family, prior: Finite, L: float, data: Any) -> float:
    r"""Regret of guessing \(\theta\) from a dataset with a prior restricted to \(\Theta_L\) (Theorem 17).

    Args:
        family: The likelihood family.
        prior: Prior distribution of the parameter, before the restriction.
        L: Largest Lipschitz constant that is allowed in \(\Theta_L\).
        data: The dataset.

    Returns:
        The regret.
    """
    ideal = posterior_law(family, prior, data)
    # the posterior of the restricted prior is the restricted posterior
    return regret(ideal, cut(family, ideal, L), np.eye(len(ideal.weights), dtype=int))


def mean_guessing_regret(prior: Finite, L: float, n: int) -> float:
    r"""Mean regret of guessing \(\theta\) from n ``bernoulli`` records with their marginal distribution (Theorem 17).

    The mean regret is
    \[ \sum_k \binom nk \phi(x_k)\,\mathrm{regret}(x_k), \quad x_k \text{ with k ones}, \]
    which is at most \(1 - \xi^\star(\Theta_L)\).

    Args:
        prior: Prior distribution of the parameter, before the restriction.
        L: Largest Lipschitz constant that is allowed in \(\Theta_L\).
        n: Number of records.

    Returns:
        The mean regret.
    """
    size, family, total = checks.whole("n", n, least=0), bernoulli(), number(0)
    for ones in range(size + 1):
        data = [1] * ones + [0] * (size - ones)
        weight = math.comb(size, ones) * exp(log_evidence(family, prior, data))
        total = total + weight * guessing_regret(family, prior, L, data)
    return scalar(total)
