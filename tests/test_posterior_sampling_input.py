"""Invalid input to posterior sampling: each case raises one clear error."""

import math

import numpy as np
import pytest

from dpbi import arithmetic
from dpbi import posterior_sampling as ps
from dpbi.posterior_sampling import adversary, conjugate_constants, laws, random_privacy
from dpbi.posterior_sampling.laws import MIN_ACCEPTANCE_RATE

number = arithmetic.number
RNG = np.random.default_rng(0)
EVEN = ps.uniform([0.2, 0.4])
GRID = ps.uniform(ps.bernoulli_grid(0.2))
NORMAL = ps.multivariate_normal([0, 0])
PAIR = ps.network([[], [0]], [2, 2])


def posterior(family, prior, data):
    return lambda: ps.posterior_law(family, prior, data)


def restricted(family, prior, L):
    return lambda: ps.restricted(family, prior, L)


@pytest.mark.parametrize(("call", "message"), [
    (lambda: ps.Gamma(1.0, 0.0), "rate must be > 0 when the interval has no upper end"),
    (lambda: ps.Gamma(1.0, 1.0, 2.0, 2.0), "zero mass"),
    (lambda: ps.Gamma(0.0, 1.0), "shape must be"),
    (lambda: ps.Beta(1, 1, 800.0, 900.0), "a, b, low and high must have a mode of the log-odds in"),
    (lambda: ps.lipschitz_bound(ps.markov_chain(3), ps.Tables([np.ones((2, 2))], 0.1)), "prior must have tables of"),
    (restricted(ps.markov_chain(3), ps.Tables([np.ones((2, 2))]), 2.0), "prior must have tables of"),
    (lambda: ps.Finite([0.5], log_weights=[-math.inf]), "zero mass"),
    (lambda: ps.weighted([0.5, 0.6], [1, -1]), "weights must be numbers >= 0"),
    (lambda: ps.Tables([np.ones(3)], 0.4), "floor must be >= 0 and < 1/3"),
    (lambda: ps.Wishart(3.0, np.diag([1.0, -1.0])), "scale must be positive definite"),
    (lambda: ps.Wishart(3.0, np.eye(2), -1.0), "largest must be > 0"),
    (lambda: ps.bernoulli_grid(1.0), "step must be"),
    (restricted(ps.bernoulli(), ps.uniform([0.1, 0.9]), 1.0), "L must leave a positive mass"),
    (restricted(ps.exponential(1.0), ps.trimmed_exponential(1, 1, 2), 1.0), "L must leave a positive mass"),
    (restricted(ps.bernoulli(), ps.Beta(1, 1), math.nan), "L must be a finite number >= 0"),
    (restricted(ps.markov_chain(2), ps.Tables([np.ones((2, 2))]), 0.0), "L must be > 0"),
    (restricted(NORMAL, ps.Wishart(3, np.eye(2)), 0.0), "L must be > 0"),
    (restricted(ps.bernoulli(), ps.Gamma(1, 1), 1.0), "prior must be a Finite or a Beta law for bernoulli"),
    (posterior(ps.bernoulli(), ps.uniform([0.0, 0.5]), [1]), "parameters must be > 0 and < 1"),
    (posterior(ps.bernoulli(), ps.Beta(1, 1), [0, 2]), "data must be states from 0 to below 2"),
    (posterior(ps.exponential(1.0), ps.Gamma(1, 1), [0.5, 1.5]), r"data must be in \[0, 1\]"),
    (posterior(ps.multivariate_normal([0, 0], 1.0), ps.Wishart(3, np.eye(2)), [[1, 1]]), "norms <= radius"),
    (posterior(ps.network([[]], [2]), ps.Tables([np.ones(2)]), [[2]]), "data must be states"),
    (lambda: ps.network([[1], [0]], [2, 2]), "without a cycle"),
    (lambda: ps.bernoulli().distance([0, 1], [0]), "the same number of records"),
    (lambda: ps.sampling_cost(ps.bernoulli(), ps.uniform([0.4]), 1).between("add one record"),
        "neighbours must be one of"),
    (lambda: ps.psaqr([0.5], lambda t, q, r: 1.5, None, [1]), r"utility must be in \[0, 1\]"),
    (lambda: ps.kullback_leibler(ps.Gamma(1, 1, 1, 2), ps.Gamma(1, 1, 1, 3)), "on one interval"),
    (lambda: ps.total_variation(ps.uniform([0.1, 0.2]), ps.uniform([0.1, 0.3])), "the same parameters"),
    (lambda: ps.distinguishing_error(ps.Beta(1, 1), ps.Beta(1, 2), 2), "law must be a Finite law"),
    (lambda: ps.distinguishing_error(ps.uniform([0.2]), ps.uniform([0.3]), 2), "p and q must be laws on the same"),
    (lambda: adversary.least_distance(1.0, 3, 0.6), "delta must be a finite number > 0 and <= 0.5"),
    (lambda: adversary.printed_distance(0.0, 3, 0.1), "L must be a finite number > 0"),
    (lambda: ps.le_cam(ps.bernoulli(), ps.Beta(1, 1), [[0], [1]]), "prior must be a Finite law"),
    (lambda: ps.best_rate(ps.bernoulli(), ps.Beta(1, 1), 0.5), "prior must be a Finite law"),
    (lambda: random_privacy.mass_within_neighbours(ps.Beta(2, 2), 3, 1.0), "prior must be a Finite law"),
    (lambda: ps.le_cam(ps.bernoulli(), GRID, [[1], [0]], 1000), "size must leave at most"),
    (lambda: ps.le_cam(ps.bernoulli(), GRID, [[1], [0, 1]]), "datasets must have the same number of records"),
    (lambda: conjugate_constants.exponential_constants(ps.Gamma(2, 1, 0.5, 2), 1.0), "prior must be a trimmed exp"),
    (lambda: conjugate_constants.tail_rate(2, 1.0), "p must be a finite number > 0 and < 1"),
    (posterior(ps.bernoulli(), EVEN, [[0, 1]]), "data must be one list of zeros and ones"),
    (posterior(ps.exponential(1.0), ps.uniform([-1.0]), [0.5]), "parameters must be finite numbers > 0"),
    (posterior(ps.exponential(1.0), EVEN, [[0.5]]), "data must be one list of numbers"),
    (posterior(ps.bernoulli(), EVEN, [0.5]), "data must be whole numbers"),
    (posterior(PAIR, ps.Tables([np.ones(2), np.ones((2, 2))]), [[0]]), "data must be rows of 2 states"),
    (posterior(ps.markov_chain(2), ps.Tables([np.ones((2, 2))]), []), "data must be one path of at least one"),
    (posterior(PAIR, ps.uniform([([0.5, 0.5],)]), [[0, 1]]), "parameters must be tuples of tables of shapes"),
    (posterior(PAIR, ps.uniform([([0.5, 0.5], [[0.5, 0.6], [0.5, 0.5]])]), [[0, 1]]),
        "parameters must have rows > 0 that add up to 1"),
    (lambda: ps.network([[]] * 30, [10] * 30), "states must multiply to at most"),
    (posterior(NORMAL, ps.Wishart(3, np.eye(2)), [[1, 1, 1]]), "data must be rows of 2 finite numbers"),
    (posterior(NORMAL, ps.uniform([[[1.0]]]), [[1, 1]]), "parameters must be 2 by 2 precision matrices"),
    (lambda: ps.multivariate_normal([0.5], 1.0), "mean must have two or more entries"),
    (lambda: ps.Wishart(3.0, [[1.0, 0.5], [0.2, 1.0]]), "scale must be a finite symmetric matrix"),
    (lambda: ps.Finite([0.5, 0.6], log_weights=[math.nan, 0.0]), "log_weights must be 2 numbers below infinity"),
    (lambda: ps.weighted([0.5, 0.6], [0, 0]), "weights must leave some parameter"),
    (lambda: ps.log_evidence(PAIR, ps.Tables([np.ones(2)]), [[0, 1]]), "prior must be a Finite, Gamma or Beta law"),
    (lambda: ps.likelihood_ratio(PAIR, ps.Tables([np.ones(2)]), [[0, 1]]), "prior must be a Finite, Gamma or Beta"),
    (lambda: ps.expected_lipschitz(PAIR, ps.Tables([np.ones(2)])), "prior must be a Finite, Gamma or Beta law"),
    (lambda: ps.psaqr([0.5], lambda t, q, r: [0.5, 0.5], None, [1]), "utility must be one number"),
    (lambda: ps.Finite([0.5], weights=[1], log_weights=[0.0]), "one of log_weights and weights must be given"),
    (lambda: ps.uniform([0.5, math.nan]), "parameters must be numbers other than nan"),
    (lambda: ps.expected_lipschitz(ps.exponential(), ps.Beta(1, 1)), "prior must be .* conjugate to exponential"),
])  # fmt: skip
def test_bad_input_gets_one_clear_error(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()


def test_a_hopeless_rejection_is_refused_beforehand():
    law = ps.Wishart(400.0, np.eye(2), largest=20.0)
    assert law.acceptance[1] < MIN_ACCEPTANCE_RATE
    with pytest.raises(ValueError, match="largest must"):
        law.sample(np.random.default_rng(0), 1)


def test_endless_samplers_are_refused(rng, monkeypatch):
    monkeypatch.setattr(laws, "MAX_PROPOSALS", 100)
    for law in (ps.Beta(5, 1e-6, 40.0, 1000.0), ps.Beta(1, 1, -800.0, 0.0)):
        with pytest.raises(ValueError, match=r"low and high must be in \[-700, 36\]"):
            law.sample(rng, 1)
    ends = 1e-300, 1.0000000000000003e-300  # three doubles, and the curve knows where they are
    assert set(ps.Gamma(1, 1, *ends).sample(rng, 50)) <= {ends[0], np.nextafter(ends[0], 1), ends[1]}
    with pytest.raises(ValueError, match="floor must be smaller"):
        ps.Tables([np.ones(3)], math.nextafter(1 / 3, 0)).sample(rng, 1)
