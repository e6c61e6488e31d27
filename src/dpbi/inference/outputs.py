"""The posterior of every share given any output of any mechanism, from its law at all datasets."""

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import need
from ..mechanisms import Mechanism, a_mechanism, all_laws
from ..model.predictive import log_marginal
from .mixtures import Mixture, over_counts


def given_output(mechanism: Mechanism, prior: ArrayLike, n: int, output: ArrayLike) -> tuple[Mixture, ...]:
    """Posterior of each share given the output of any mechanism, by Bayes' rule over all datasets of n records.

    Args:
        mechanism: A mechanism, ``lshist(0.8)`` for instance.
        prior: Dirichlet parameters, k >= 2 finite numbers > 0.
        n: Number of records, a whole number >= 0.
        output: Released counts, one of the outputs of the mechanism.

    Returns:
        The posterior of each share.

    >>> from dpbi import geometric
    >>> first, second = given_output(geometric(0.8), [1, 1], 20, [14, 6])
    >>> round(first.mean, 6), [round(end, 6) for end in first.interval(0.95)]
    (0.680912, [0.422239, 0.901275])
    """
    alpha = checks.prior_weights(prior)
    vectors, law = all_laws(a_mechanism(mechanism), alpha, n)
    column = np.flatnonzero((law.outputs == checks.count_vector(output, len(alpha), name="output")).all(axis=1))
    need(len(column) == 1, f"output must be one that {mechanism.name} can release, got output={output!r}")
    log_p = log_marginal(alpha, n) + law.log_probabilities[:, column[0]]
    p = np.exp(log_p - log_p.max())
    shares = []
    for i, weight in enumerate(alpha):
        here = np.bincount(vectors[:, i], p, n + 1).astype(np.float64)
        shares.append(over_counts(np.arange(n + 1), here, weight, np.delete(alpha, i).sum(), n))
    return tuple(shares)
