r"""Bayesian inference itself as the private mechanism: draws from a posterior whose likelihood is Lipschitz.

>>> import numpy as np
>>> family = bernoulli()
>>> prior = restricted(family, Beta(1, 1), L=1.0)
>>> draws = baps(family, prior, [0, 1, 1, 0, 1, 1], size=5, rng=np.random.default_rng(7))
>>> float(draws.cost.between("replace one record").epsilon)
10.0
>>> psaqr(draws.parameters, lambda theta, query, r: 1 - abs(theta - r), "what share?", [0.3, 0.5, 0.7]).response
0.5

After Dimitrakakis, Nelson, Zhang, Mitrokotsa and Rubinstein, "Bayesian differential privacy through posterior
sampling".
"""

from .assumptions import best_rate, expected_lipschitz, likelihood_ratio
from .families import (
    CELL,
    RECORD,
    Family,
    bernoulli,
    count_posteriors,
    exponential_prior,
    lipschitz_bound,
    lipschitz_mass,
    log_marginal,
    posterior,
    restricted,
)
from .finite import Finite, bernoulli_grid, joint, uniform, weighted
from .interval_laws import Beta, Gamma, trimmed_exponential
from .laws import ParameterLaw, Tables, Wishart
from .matrix_families import multivariate_normal
from .measures import jeffreys, kullback_leibler, least_delta, privacy_loss, total_variation, worst_neighbours
from .network_families import markov_chain, network
from .oscillations import Oscillation
from .rate_families import exponential, laplace, normal_precision
from .receipts import Receipt
from .sampling import Cost, Draws, MetricDP, Response, baps, cost, psaqr, regret_bound

__all__ = [
    "CELL",
    "RECORD",
    "Beta",
    "Cost",
    "Draws",
    "Family",
    "Finite",
    "Gamma",
    "MetricDP",
    "Oscillation",
    "ParameterLaw",
    "Receipt",
    "Response",
    "Tables",
    "Wishart",
    "baps",
    "bernoulli",
    "bernoulli_grid",
    "best_rate",
    "cost",
    "count_posteriors",
    "expected_lipschitz",
    "exponential",
    "exponential_prior",
    "jeffreys",
    "joint",
    "kullback_leibler",
    "laplace",
    "least_delta",
    "likelihood_ratio",
    "lipschitz_bound",
    "lipschitz_mass",
    "log_marginal",
    "markov_chain",
    "multivariate_normal",
    "network",
    "normal_precision",
    "posterior",
    "privacy_loss",
    "psaqr",
    "regret_bound",
    "restricted",
    "total_variation",
    "trimmed_exponential",
    "uniform",
    "weighted",
    "worst_neighbours",
]
