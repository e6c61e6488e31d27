"""Private chains as users meet them: runs and their budgets, models in plain NumPy, invalid input, and distances.

The oracles are budgets by the public accounting, the conjugate posterior, and the definition of a distance.
"""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from dpbi import ZCDP, ApproxDP
from dpbi.mcmc import affordable, barker, hmc_penalty, metropolis, minibatch_penalty, penalty, posterior_of, run, study
from dpbi.mcmc.barker_rule import curve
from dpbi.mcmc.models import simulated_banana
from dpbi.mcmc.sample_distances import mean_distance, mmd, second_half
from dpbi.mcmc.target import ExponentialFamily
from mcmc_targets import bernoulli, normal_model

BUDGET = ApproxDP(4.0, 1e-6)
HMC = hmc_penalty(1, 1, 1, 1, 1, 1)


def test_a_run_shares_its_budget_among_its_chains(rng):
    target = bernoulli(300, 1000).target
    algorithm = penalty(0.3, None, 0.1)
    one = affordable(target, algorithm, BUDGET)
    result = run(target, algorithm, np.zeros((4, 1)), rng, budget=BUDGET)
    assert result.iterations == affordable(target, algorithm, BUDGET, chains=4) == one // 4
    assert result.cost == algorithm.cost(target).repeat(4 * result.iterations)
    more = algorithm.cost(target).repeat(4 * (result.iterations + 1))
    assert result.cost.epsilon_at(1e-6) <= 4.0 < more.epsilon_at(1e-6)
    assert result.clipped is None
    separate = study(target, algorithm, np.zeros((4, 1)), rng, budget=BUDGET)
    assert separate.iterations == one
    assert separate.cost == algorithm.cost(target).repeat(one)


def test_a_run_makes_no_more_iterations_than_it_pays_for(rng):
    """Nine rows and tau = 1/2: a step costs 1 / (2 tau^2 n) = 2/9 of a budget of one, in fractions."""
    target, algorithm, step = normal_model(np.arange(9.0)), penalty(0.5, 3.0, 0.05), Fraction(2, 9)
    for chains, asked in itertools.product((1, 2, 4), (None, 1, 2, 50)):
        for sharing, chained in ((chains, run), (1, study)):
            most = math.floor(1 / (step * sharing))
            done = chained(target, algorithm, np.zeros((chains, 1)), rng, budget=ZCDP(1.0), iterations=asked)
            assert done.iterations == (most if asked is None else min(asked, most))
            assert done.cost.rho == pytest.approx(float(step * sharing * done.iterations), rel=1e-14)


def test_a_run_keeps_what_may_be_released_a_study_the_rest(rng):
    example = simulated_banana(500, 2, 20.0, rng)
    algorithm = hmc_penalty(0.3, 0.1, 0.5, 0.5, 0.005, 3)
    released = run(example.target, algorithm, [0.0, 3.0], rng, iterations=5)
    assert released.clipped is None
    assert released.clipped_gradient is None
    studied = study(example.target, algorithm, [0.0, 3.0], rng, iterations=5)
    assert studied.clipped.shape == (5, 1)
    assert 0 < studied.clipped_gradient.mean() <= 1
    assert np.array_equal(released.samples.shape, studied.samples.shape)
    assert study(example.target, metropolis(0.1), [0.0, 3.0], rng, iterations=2).cost is None


def test_progress_is_shown_and_called(rng, capsys):
    target, calls = bernoulli(300, 1000).target, []
    run(target, penalty(0.3, None, 0.1), [0.0], rng, iterations=3, progress=lambda *done: calls.append(done))
    assert calls == [(1, 3), (2, 3), (3, 3)]
    run(target, penalty(0.3, None, 0.1), [0.0], rng, iterations=3, progress=True)
    shown = capsys.readouterr()
    assert "3 of 3 iterations" in shown.err
    assert shown.out == ""


def test_the_conjugate_posterior_of_a_user_model_is_found(rng):
    rows = rng.normal(0.4, 1.0, 50)
    target, mean, at_zero = normal_model(rows), rows.sum() / 51, -np.sum(rows**2) / 2
    rows[:] = 9.0  # what the target keeps is a copy
    assert target.log_density(np.zeros((1, 1)))[0] == pytest.approx(at_zero)
    start = rng.normal(mean, 1 / math.sqrt(51), (100, 1))
    result = study(target, hmc_penalty(1.0, 8.0, 1.0, 8.0, 0.05, 3), start, rng, iterations=20)
    pooled = result.samples[5:].mean(axis=0)
    assert abs(pooled.mean() - mean) < 5 * pooled.std() / math.sqrt(100)


RNG = np.random.default_rng(0)


def good():
    return normal_model(np.zeros(20))


def step_of(algorithm, start=(0.0,), target=None, **how):
    """A run of one iteration, when it is called."""
    how = how or {"iterations": 1}
    return lambda: run(good() if target is None else target, algorithm, start, RNG, **how)


def moved_with(spread, rows=(0.0,) * 20):
    return step_of(penalty(1.0, None, 2.0), target=normal_model(np.array(rows), spread=spread), iterations=200)


@pytest.mark.parametrize(("call", "words"), [
    (lambda: penalty(0.1, 2, 0.0), "scale must be"),
    (lambda: hmc_penalty(0.1, 2, 0.1, 1, 0.1, 3, mass=[-1.0]), "mass must be"),
    (lambda: barker(5, 1), "batch must be an integer >= 6"),
    (lambda: curve(2), "batch must be"),
    (step_of(penalty(0.1, 2, 1), [[0.0, 1.0]]), r"start must have the shape \(chains, 1\)"),
    (step_of(penalty(0.1, 2, 1), [math.nan]), "start must be finite"),
    (step_of(penalty(0.1, 2, [1, 1])), "scale must be one number or 1"),
    (step_of(penalty(0.1, None, 1)), "clip must be .* no spread"),
    (lambda: run(good(), penalty(0.1, 2, 1), [0.0], RNG), "budget or iterations must be given"),
    (step_of(penalty(0.1, 2, 1), budget=ApproxDP(0.1, 1e-6)), "budget must allow one step"),
    (step_of(penalty(0.1, 2, 1), budget=ZCDP(1e-9)), "budget must allow one step"),
    (step_of(metropolis(1.0), budget=BUDGET), "algorithm must be private"),
    (step_of(metropolis(1.0)), "algorithm must be private"),
    (lambda: affordable(good(), metropolis(1.0), BUDGET), "algorithm must be private"),
    (step_of(penalty(0.1, 2, 1), target=normal_model([0.0, math.inf])), "start must have a finite"),
    (step_of(minibatch_penalty(1.0, 21, 1, 1)), "batch must be an integer >= 1 and < 21"),
    (step_of(HMC, target=normal_model([0.0], gradient=None)), "gradient must be given"),
    (step_of(HMC, target=normal_model([0.0], prior_gradient=None)), "prior_gradient must be given"),
    (step_of(hmc_penalty(1, 1, 1, 1, 1, 1, mass=[1, 2])), "mass must be one number or 1 of them"),
    (lambda: bernoulli(1, 2).target.likelihood.gradient(np.zeros((1, 1)), 1.0), "jacobian and partition_gradient"),
    (lambda: normal_model([0.0], gradient=lambda theta, data: data[:, 0]), r"gradient must return shape \(1, 1\)"),
    (lambda: normal_model([0.0], prior_gradient=lambda theta: 0.0), r"prior_gradient must return shape \(1,\)"),
    (lambda: posterior_of(lambda t, x: 0.0, np.zeros(3), lambda t: 0.0, 1), "log_likelihood must return one"),
    (lambda: posterior_of(lambda t, x: 0 * x, np.zeros(3), lambda t: t, 1), r"log_prior must return shape \(\)"),
    (lambda: ExponentialFamily(np.zeros(3), abs, abs), "features must have the shape"),
    (lambda: ExponentialFamily(np.full((2, 1), np.nan), abs, abs), "features must be finite"),
    (lambda: mmd(np.zeros(3), np.zeros((3, 1)), RNG), "sample and reference must have"),
    (lambda: posterior_of(lambda t, x: x - x.mean() - t[0], [1.0, 2.0, 4.0], lambda t: 0.0, 1),
        "log_likelihood must give a row"),
    (moved_with(lambda a, b: 0.0), "spread must be a finite number > 0"),
    (moved_with(lambda a, b: np.nan), "spread must be a finite number > 0"),
    (moved_with(lambda a, b: 1.0 + (b[0] > a[0])), "spread must be the same both ways"),
    (moved_with(lambda a, b: np.ones(2)), "spread must return one number"),
])  # fmt: skip
def test_bad_input_has_one_clear_error(call, words):
    with pytest.raises(ValueError, match=f"^{words}"):
        call()


def test_rows_without_a_finite_ratio_need_a_clipping_bound():
    steep = lambda t, x: np.where(x > t[0] + 0.5, -np.inf, 0.0)  # noqa: E731
    target = posterior_of(steep, [0.0], lambda t: 0.0, 1, spread=lambda a, b: 1.0)
    with pytest.raises(ValueError, match=r"^log_likelihood must be finite"):
        run(target, penalty(1.0, None, 2.0), [0.0], np.random.default_rng(1), iterations=200)


def test_a_gradient_of_the_wrong_shape_is_found_when_compiled(rng):
    rows = rng.normal([0.0, 3.0], 1.0, (30, 2))
    family = ExponentialFamily(
        rows, natural=lambda t: t, log_partition=lambda t: np.sum(t**2, axis=1) / 2,
        jacobian=lambda t: np.ones((len(t), 2)), partition_gradient=lambda t: t,
    )  # fmt: skip
    with pytest.raises(ValueError, match=r"^jacobian and partition_gradient must return shapes \(3, 2, 2\)"):
        family.gradient(np.zeros((3, 2)), 1.0)


def test_mmd_is_its_definition(rng):
    x, y = rng.normal(size=(30, 2)), rng.normal(0.7, 1.0, size=(40, 2))
    state = np.random.default_rng(3)
    pairs = np.random.default_rng(3)
    i, j = pairs.integers(30, size=500), pairs.integers(40, size=500)
    width = np.median([math.dist(a, b) for a, b in zip(x[i], y[j], strict=True)])

    def k(a, b):
        return math.exp(-(math.dist(a, b) ** 2) / (2 * width**2))

    xx = np.mean([k(a, b) for p, a in enumerate(x) for q, b in enumerate(x) if p != q])
    yy = np.mean([k(a, b) for p, a in enumerate(y) for q, b in enumerate(y) if p != q])
    xy = np.mean([k(a, b) for a in x for b in y])
    assert mmd(x, y, state) == pytest.approx(math.sqrt(abs(xx + yy - 2 * xy)), rel=1e-9)
    assert mmd(rng.normal(size=(1000, 2)), rng.normal(size=(1000, 2)), rng) < 0.06


def test_mean_distance_and_the_second_half():
    assert mean_distance([[3.0, 0.0], [3.0, 8.0]]) == 5.0
    assert mean_distance([[1.0], [-3.0]]) == 1.0
    chain = np.arange(10.0)[:, None]
    assert second_half(chain)[:, 0].tolist() == [5, 6, 7, 8, 9]
    assert second_half(chain, most=3)[:, 0].tolist() == [5, 7, 9]
