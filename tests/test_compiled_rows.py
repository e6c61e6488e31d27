"""A likelihood that is written for one row, against the same in plain NumPy, and softplus against mpmath."""

import mpmath
import numpy as np
import pytest
from numba import njit

from dpbi import arithmetic
from dpbi.mcmc import (
    component_penalty,
    guided_walk,
    hmc_penalty,
    minibatch_penalty,
    penalty,
    posterior_of,
    row_models,
    study,
)
from dpbi.mcmc.softplus_kernel import softplus

ROWS = np.random.default_rng(3).uniform(-2, 2, (10_007, 3))  # not a whole number of blocks
GRADIENTS = {"prior_gradient": lambda theta: -theta}


def of_row(theta, row):
    u = 0.0
    for k in range(len(theta)):
        u -= theta[k] * row[k]
    return -softplus(u)


def of_rows(theta, rows):
    return -np.logaddexp(0, -rows @ theta)


def gradient(theta, rows):
    return rows / (1 + np.exp(rows @ theta))[:, None]


def log_prior(theta):
    return -np.sum(theta**2) / 2


def logistic(function, **more):
    return posterior_of(function, ROWS, log_prior, 3, gradient=gradient, **GRADIENTS, **more)


def steep(theta, row):  # -inf, infinite differences and what is not a number
    return np.log(row[0] - theta[0]) + 1 / (row[0] - 0.25)


@pytest.mark.parametrize(
    "algorithm",
    [
        penalty(0.3, 1.0, 0.02),
        component_penalty(0.3, 1.0, 0.05),
        guided_walk(0.3, 1.0, 0.05),
        hmc_penalty(0.3, 1.0, 0.5, 1.0, 0.01, 3),
        minibatch_penalty(1.0, 100, 1.0, 0.01),
    ],
    ids=lambda algorithm: algorithm.name,
)
def test_a_chain_is_that_of_the_function_in_numpy(algorithm, monkeypatch):
    def walked(target):
        return study(np.random.default_rng(5), target, algorithm, np.full((3, 3), 0.2), iterations=30)

    slow, fast = walked(logistic(of_rows)), walked(logistic(of_row, by_row=True))
    monkeypatch.setattr(row_models, "MOST_KEPT", 0)
    again = walked(logistic(of_row, by_row=True))
    for found in (fast, again):
        assert np.allclose(found.samples, slow.samples, rtol=0, atol=1e-9)
        assert np.array_equal(found.accepted, slow.accepted)
        assert np.array_equal(found.clipped, slow.clipped)
    assert 0 < slow.accepted.mean() < 1


@pytest.mark.parametrize("function", [of_row, njit(fastmath=True)(of_row)])
def test_a_row_has_the_same_number_by_itself_and_among_others(function):
    """Bit by bit, whatever the function was compiled with before."""
    likelihood, theta = logistic(function, by_row=True).likelihood, np.array([0.3, -1.1, 0.7])
    together = likelihood._at(theta, likelihood.data)
    alone = [likelihood._at(theta, likelihood.data[j : j + 1])[0] for j in range(600)]
    assert np.array_equal(together[:600], alone)
    assert np.array_equal(together[5:], likelihood._at(theta, likelihood.data[5:]))
    assert np.allclose(together, of_rows(theta, ROWS), rtol=1e-14, atol=0)


@pytest.mark.parametrize("grain", [None, 2.0**-8])
def test_rows_that_break_down_and_the_lattice_are_those_of_numpy(grain):
    def in_numpy(theta, rows):
        with np.errstate(all="ignore"):
            return np.log(rows - theta[0]) + 1 / (rows - 0.25)

    rows = np.array([0.25, -0.5, 0.1, 0.3, 1.0, 2.0, np.nan])
    theta, proposal, bound = np.array([[0.0], [0.2]]), np.array([[0.05], [-0.1]]), np.array([40.0, 77.0])
    slow, fast = (
        posterior_of(function, rows, lambda t: 0.0, 1, by_row=by_row).likelihood.ratio(theta, proposal, bound, grain)
        for function, by_row in ((in_numpy, False), (steep, True))
    )
    assert np.allclose(fast.total, slow.total, rtol=1e-13)
    assert np.array_equal(fast.clipped, slow.clipped)
    assert slow.clipped[0] >= 3 / 7


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: logistic(lambda t, x: nowhere(x), by_row=True), "log_likelihood must be compiled .* got: NameError"),  # noqa: F821
        (lambda: logistic(lambda t, x: x.sum(), by_row=True), "log_likelihood must be compiled .* Unknown attribute"),
        (lambda: logistic(lambda t, x: t[3], by_row=True), "log_likelihood must be compiled .* out of range"),
        (lambda: logistic(lambda t, x: t, by_row=True), "log_likelihood must return one number for one row"),
        (
            lambda: posterior_of(of_row, np.zeros((5, 2, 2)), log_prior, 3, by_row=True),
            "data must be numbers in one or two dimensions where by_row is True",
        ),
        (lambda: posterior_of(of_row, ["a", "b"], log_prior, 3, by_row=True), "data must be numbers in one or two"),
    ],
)
def test_what_cannot_be_compiled_is_one_clear_error(call, words):
    with pytest.raises(ValueError, match=f"^{words}"):
        call()


def test_a_model_by_rows_is_for_doubles():
    with arithmetic.balls(), pytest.raises(ValueError, match=r"^by_row must be False where numbers are balls"):
        logistic(of_row, by_row=True)


def test_softplus_has_the_digits_that_it_says():
    """Against mpmath with forty digits, where the two halves of its range meet as well."""
    rng = np.random.default_rng(8)
    meeting = np.log(np.sqrt(2) - 1) + np.linspace(-1e-12, 1e-12, 101)
    u = np.concatenate([rng.uniform(-40, 40, 6000), rng.uniform(-700, 700, 2000), rng.uniform(-2, 2, 6000)])
    u = np.concatenate([u, meeting, -meeting, [0.0, 1e-300, -1e-300, -700.0]])
    found = softplus(u)
    with mpmath.workdps(40):
        exact = [mpmath.log1p(mpmath.exp(mpmath.mpf(one))) for one in u.tolist()]
        worst = max(abs(mpmath.mpf(one) / true - 1) for one, true in zip(found.tolist(), exact, strict=True))
    assert worst < 5e-16
    assert softplus(np.array([np.inf, -np.inf])).tolist() == [np.inf, softplus(-700.0)]
    with np.errstate(invalid="ignore"):
        assert np.isnan(softplus(np.nan))
