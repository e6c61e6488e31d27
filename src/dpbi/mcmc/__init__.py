"""How private is a Markov chain? Metropolis-Hastings, its private variants, and the privacy cost of a chain.

>>> import numpy as np
>>> from dpbi import ApproxDP
>>> rows = np.random.default_rng(1).normal(0.5, 1.0, size=2000)
>>> target = posterior_of(lambda t, x: -((x - t[0]) ** 2) / 2, rows, lambda t: -t[0] ** 2 / 2, dimension=1)
>>> algorithm = penalty(tau=0.1, clip=3.0, scale=0.05)
>>> chain = run(target, algorithm, [0.0], np.random.default_rng(2), budget=ApproxDP(2, 1e-5))
>>> chain.samples.shape, chain.cost.epsilon_at(1e-5) <= 2
((5, 1, 1), True)
"""

from .algorithm import Algorithm, Info, State
from .barker_rule import barker
from .driver import Run, affordable, run, study
from .hmc import clipped_hmc, hmc_penalty
from .minibatch import minibatch_penalty
from .penalty_algorithm import clipped_metropolis, component_penalty, gauss_bernoulli, guided_walk, metropolis, penalty
from .row_models import RowLikelihood
from .target import ExponentialFamily, Target, posterior_of

__all__ = [
    "Algorithm",
    "ExponentialFamily",
    "Info",
    "RowLikelihood",
    "Run",
    "State",
    "Target",
    "affordable",
    "barker",
    "clipped_hmc",
    "clipped_metropolis",
    "component_penalty",
    "gauss_bernoulli",
    "guided_walk",
    "hmc_penalty",
    "metropolis",
    "minibatch_penalty",
    "penalty",
    "posterior_of",
    "run",
    "study",
]
