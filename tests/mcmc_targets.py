"""A model in plain NumPy that tests of private chains share."""

import numpy as np

from dpbi.mcmc import posterior_of


def normal_model(rows, **more):
    """Unit-variance normal rows in plain NumPy, prior N(0, 1), any dimension."""
    x = np.atleast_2d(np.asarray(rows, dtype=float).T).T
    settings = {
        "gradient": lambda theta, data: data - theta,
        "prior_gradient": lambda theta: -theta,
    } | more
    return posterior_of(
        lambda theta, data: -np.sum((data - theta) ** 2, axis=1) / 2,
        x,
        lambda theta: -np.sum(theta**2) / 2,
        x.shape[1],
        **settings,
    )
