r"""Privacy cost and utility of draws from a posterior whose likelihood is Lipschitz.

>>> import numpy as np
>>> family = bernoulli()
>>> prior = restricted(family, Beta(1, 1), L=1.0)
>>> draws = baps(family, prior, [0, 1, 1, 0, 1, 1], size=5, rng=np.random.default_rng(7))
>>> float(draws.cost.between("replace one record").epsilon)
10.0
>>> psaqr(draws.parameters, lambda theta, query, r: 1 - abs(theta - r), "what share?", [0.3, 0.5, 0.7]).response
0.5

How far apart are two posteriors, and how close are the bounds of Theorems 7 and 8?

>>> x, y = [0, 1, 1, 0, 1, 1], [0, 1, 1, 0, 1, 0]
>>> p, q = posterior_law(family, prior, x), posterior_law(family, prior, y)
>>> f"{kullback_leibler(p, q):.4f}, {total_variation(p, q):.4f}, {privacy_loss(p, q):.4f}"
'0.1209, 0.2061, 0.8745'
>>> sampling_cost(family, prior, 1).loss(), sampling_cost(family, prior, 1).printed()
(2.0, 2.0)

How well can five draws tell two posteriors apart? If the prior is a distribution on a list of parameters, the error of
the best test is a sum over all possible counts of the draws.

>>> listed = uniform([0.2, 0.4, 0.6, 0.8])
>>> f"{distinguishing_error(posterior_law(family, listed, x), posterior_law(family, listed, y), 5):.5f}"
'0.20585'

How accurately can the data be guessed from a draw? Le Cam's bound never exceeds the minimax risk.

>>> guess = le_cam(family, listed, [[0, 0], [1, 0], [1, 1]])
>>> f"{guess.bound:.4f} <= {guess.risk:.4f}"
'0.3333 <= 0.4783'

The module ``bounds`` computes the sharp constants, ``utility`` computes the regret of a private prior,
``random_privacy`` tests Corollary 9, ``adversary`` computes the thresholds of Theorem 13 and Lemma 12, and
``conjugate_constants`` computes the constants of Section 5.

The package implements the algorithms and checks the theorems of the paper "Bayesian differential privacy through
posterior sampling" by Dimitrakakis, Nelson, Zhang, Mitrokotsa and Rubinstein.
"""

from ..divergences import jeffreys, kullback_leibler, least_delta, privacy_loss, total_variation
from .assumptions import best_rate, expected_lipschitz, likelihood_ratio, lipschitz_mass
from .families import (
    CELL,
    RECORD,
    Family,
    bernoulli,
    count_posteriors,
    exponential_prior,
    lipschitz_bound,
    log_evidence,
    posterior_law,
    restricted,
    worst_neighbours,
)
from .finite import Finite, bernoulli_grid, joint, uniform, weighted
from .guessing import LeCam, le_cam
from .interval_laws import Beta, Gamma, trimmed_exponential
from .laws import ParameterLaw, Tables, Wishart
from .matrix_families import multivariate_normal
from .network_families import markov_chain, network
from .oscillations import Oscillation
from .rate_families import exponential, laplace, normal_precision
from .samples import distinguishing_error
from .sampling import Cost, Draws, Response, baps, psaqr, regret_bound, sampling_cost

__all__ = [
    "CELL",
    "RECORD",
    "Beta",
    "Cost",
    "Draws",
    "Family",
    "Finite",
    "Gamma",
    "LeCam",
    "Oscillation",
    "ParameterLaw",
    "Response",
    "Tables",
    "Wishart",
    "baps",
    "bernoulli",
    "bernoulli_grid",
    "best_rate",
    "count_posteriors",
    "distinguishing_error",
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
    "log_evidence",
    "markov_chain",
    "multivariate_normal",
    "network",
    "normal_precision",
    "posterior_law",
    "privacy_loss",
    "psaqr",
    "regret_bound",
    "restricted",
    "sampling_cost",
    "total_variation",
    "trimmed_exponential",
    "uniform",
    "weighted",
    "worst_neighbours",
]
