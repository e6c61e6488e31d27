r"""Bayesian inference itself as the private mechanism: draws from a posterior whose likelihood is Lipschitz.

>>> import numpy as np
>>> family = bernoulli()
>>> prior = restricted(family, Beta(1, 1), L=1.0)
>>> draws = baps(family, prior, [0, 1, 1, 0, 1, 1], size=5, rng=np.random.default_rng(7))
>>> float(draws.cost.between("replace one record").epsilon)
10.0
>>> psaqr(draws.parameters, lambda theta, query, r: 1 - abs(theta - r), "what share?", [0.3, 0.5, 0.7]).response
0.5

The theorems take a family, a prior and datasets. How far apart are two posteriors, beside what bounds it?

>>> x, y = [0, 1, 1, 0, 1, 1], [0, 1, 1, 0, 1, 0]
>>> found = robustness(family, prior, x, y)
>>> f"{found.divergence:.4f} <= {found.largest_divergence:.4f} <= {found.printed:.1f}"
'0.1209 <= 0.4745 <= 2.0'
>>> f"{found.variation:.4f} <= {found.largest_variation:.4f}"
'0.2061 <= 0.4621'

How well do five draws tell them apart? Of a prior on a list that is a sum over the counts of draws.

>>> told = distinguish(family, uniform([0.2, 0.4, 0.6, 0.8]), x, y, size=5)
>>> f"{told.error:.5f} {told.delta(0.5):.5f}"
'0.20585 0.49408'
>>> f"{told.printed_distance():.3f} {told.least_distance():.3f} <= {told.distance}"
'0.171 0.423 <= 1.0'

What does the restriction cost, in regret?

>>> price = prior_cost(family, Beta(1, 1), L=1.0)
>>> f"{price.lost:.4f} on average, {price.outside(x):.4f} at most for x"
'0.5379 on average, 0.3017 at most for x'

And guessing the data from a draw, with Le Cam's bound beside the least error; a prior on a list has both exactly.

>>> told = le_cam(family, uniform([0.2, 0.4, 0.6, 0.8]), [[0, 0], [1, 0], [1, 1]])
>>> f"{told.bound:.4f} <= {told.risk:.4f}"
'0.3333 <= 0.4783'

``private_priors`` has another prior in place of a restricted one, ``random_privacy`` what holds for most parameters,
``adversary`` the thresholds of Theorem 13 and Lemma 12, and ``conjugate_constants`` the constants of Section 5.

After Dimitrakakis, Nelson, Zhang, Mitrokotsa and Rubinstein, "Bayesian differential privacy through posterior
sampling".
"""

from .adversary import Distinguishing, distinguish
from .assumptions import (
    best_rate,
    expected_lipschitz,
    likelihood_ratio,
)
from .closeness import Robustness, robustness
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
from .guessing import LeCam, le_cam
from .interval_laws import Beta, Gamma, trimmed_exponential
from .laws import ParameterLaw, Tables, Wishart
from .matrix_families import multivariate_normal
from .measures import jeffreys, kullback_leibler, least_delta, privacy_loss, total_variation, worst_neighbours
from .network_families import markov_chain, network
from .oscillations import Oscillation
from .private_priors import PriorCost, PriorDifference, prior_cost, prior_difference
from .rate_families import exponential, laplace, normal_precision
from .receipts import Receipt
from .sampling import Cost, Draws, MetricDP, Response, baps, cost, psaqr, regret_bound

__all__ = [
    "CELL",
    "RECORD",
    "Beta",
    "Cost",
    "Distinguishing",
    "Draws",
    "Family",
    "Finite",
    "Gamma",
    "LeCam",
    "MetricDP",
    "Oscillation",
    "ParameterLaw",
    "PriorCost",
    "PriorDifference",
    "Receipt",
    "Response",
    "Robustness",
    "Tables",
    "Wishart",
    "baps",
    "bernoulli",
    "bernoulli_grid",
    "best_rate",
    "cost",
    "count_posteriors",
    "distinguish",
    "expected_lipschitz",
    "exponential",
    "exponential_prior",
    "jeffreys",
    "joint",
    "kullback_leibler",
    "laplace",
    "le_cam",
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
    "prior_cost",
    "prior_difference",
    "privacy_loss",
    "psaqr",
    "regret_bound",
    "restricted",
    "robustness",
    "total_variation",
    "trimmed_exponential",
    "uniform",
    "weighted",
    "worst_neighbours",
]
