"""Differentially private Bayesian inference, exactly: mechanisms, their laws, their leaks and their errors.

>>> import numpy as np
>>> m = lshist(epsilon=0.8)
>>> round(audit(m, prior=[1, 1], n=10).epsilon, 12)
0.8
>>> m.sample([1, 1], [4, 6], np.random.default_rng(7), size=2).sum(axis=1)
array([10, 10])
"""

from .accuracy.enclosures import Bounds, Estimate, error_bounds, simulated_error
from .accuracy.errors import (
    ErrorLaw,
    error_law,
    error_quantile,
    error_quantiles,
    error_tail,
    error_tails,
    mean_error,
    mean_errors,
)
from .guarantees import RDP, ZCDP, ApproxDP, GaussianDP, PureDP, compose, gaussian_mechanism, uses_within
from .inference.shares import Mixture, coverage, given_noise, given_output, plug_in
from .mechanisms.lattice_noise import lattice_laplace
from .mechanisms.table import (
    Law,
    Mechanism,
    ehd,
    ehdl,
    ehds,
    geometric,
    laplace_in_order,
    lsdim,
    lshist,
    lszhang,
    smoothed_hellinger,
)
from .model.datasets import count_vectors, lattice_size, neighbours
from .model.distances import hellinger, log_density, posterior
from .model.sensitivities import (
    PRINTED_GLOBAL_SENSITIVITY,
    exponential_smooth_sensitivity,
    global_sensitivity,
    local_sensitivity,
    reciprocal_smooth_sensitivity,
)
from .optimum.programs import (
    dominating_remap,
    least_mean_error,
    least_worst_error,
    minimax_remap,
    remapped,
    remapped_geometric,
    remapped_lattice,
)
from .privacy.losses import Audit, audit, calibrate, epsilon_at_delta, hockey_stick
from .publish.publishing import Release, release

__version__ = "0.1.0"

__all__ = [
    "PRINTED_GLOBAL_SENSITIVITY",
    "RDP",
    "ZCDP",
    "ApproxDP",
    "Audit",
    "Bounds",
    "ErrorLaw",
    "Estimate",
    "GaussianDP",
    "Law",
    "Mechanism",
    "Mixture",
    "PureDP",
    "Release",
    "audit",
    "calibrate",
    "compose",
    "count_vectors",
    "coverage",
    "dominating_remap",
    "ehd",
    "ehdl",
    "ehds",
    "epsilon_at_delta",
    "error_bounds",
    "error_law",
    "error_quantile",
    "error_quantiles",
    "error_tail",
    "error_tails",
    "exponential_smooth_sensitivity",
    "gaussian_mechanism",
    "geometric",
    "given_noise",
    "given_output",
    "global_sensitivity",
    "hellinger",
    "hockey_stick",
    "laplace_in_order",
    "lattice_laplace",
    "lattice_size",
    "least_mean_error",
    "least_worst_error",
    "local_sensitivity",
    "log_density",
    "lsdim",
    "lshist",
    "lszhang",
    "mean_error",
    "mean_errors",
    "minimax_remap",
    "neighbours",
    "plug_in",
    "posterior",
    "reciprocal_smooth_sensitivity",
    "release",
    "remapped",
    "remapped_geometric",
    "remapped_lattice",
    "simulated_error",
    "smoothed_hellinger",
    "uses_within",
]
