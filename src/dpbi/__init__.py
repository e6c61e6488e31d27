"""Exact computations for differentially private Bayesian inference: output distributions, privacy losses and errors.

>>> import numpy as np
>>> m = lshist(epsilon=0.8)
>>> round(audit(m, prior=[1, 1], n=10).epsilon, 12)
0.8
>>> m.sample([1, 1], [4, 6], np.random.default_rng(7), size=2).sum(axis=1)
array([10, 10])

Each subpackage answers one question. ``__all__`` lists the public names, grouped by the question that their subpackage
answers.
"""

# ruff: noqa: F403, F405
from .accuracy import *
from .guarantees import *
from .inference import *
from .mechanisms import *
from .mechanisms.remaps import remapped, remapped_geometric, remapped_lattice
from .model import *
from .optimum import *
from .privacy import *
from .publish import *

__version__ = "0.1.0"

# fmt: off
__all__ = [  # noqa: RUF022, grouped by question, not sorted
    # model: What are the data, what is their posterior, and how far does one record move this posterior?
    "posterior", "log_density", "hellinger", "count_vectors", "lattice_size", "neighbours", "farthest_neighbour",
    "local_sensitivity", "global_sensitivity", "reciprocal_smooth_sensitivity", "exponential_smooth_sensitivity",
    "PRINTED_GLOBAL_SENSITIVITY",
    # guarantees: What can a mechanism guarantee, and what do several guarantees add up to?
    "PureDP", "ApproxDP", "BoundedRange", "ZCDP", "RDP", "GaussianDP", "gaussian_mechanism", "compose", "uses_within",
    # mechanisms: What is released, and how is it drawn? ``MECHANISMS`` is the table of all mechanisms.
    "MECHANISMS", "Mechanism", "Law", "lszhang", "lsdim", "lshist", "geometric", "staircase", "lattice_laplace",
    "discrete_gaussian", "laplace_in_order", "randomised_response", "permute_and_flip", "ehd", "ehdl", "ehds",
    "smoothed_hellinger", "remapped", "remapped_geometric", "remapped_lattice",
    # privacy: How much does a mechanism really leak?
    "audit", "Audit", "hockey_stick", "epsilon_at_delta", "loss_between", "calibrate", "audit_table", "audit_sampler",
    # accuracy: How far is a release from the true posterior?
    "mean_error", "error_moments", "ErrorMoments", "Certified", "error_tail", "error_below", "error_quantile",
    "error_law", "ErrorLaw", "mean_errors", "error_quantiles", "closer_than", "steps_within",
    "simulated_error", "simulated_mean_error", "Estimate",
    # inference: Which conclusions can be drawn from a release?
    "given_noise", "given_output", "root_mean", "plug_in", "Mixture", "coverage", "Noisy", "p_value", "lower_bound",
    "upper_bound", "guaranteed_interval",
    # optimum: How accurate can a private mechanism be, and which mechanism is the most accurate?
    "least_mean_error", "least_worst_error", "least_mean_squared_distance", "least_mean_divergence", "minimax_remap",
    "dominating_remap",
    # publish: How do I release a posterior of my own records?
    "release", "Release",
]
# fmt: on
