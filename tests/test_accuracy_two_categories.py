"""Errors without a list of outputs: sums along the line of two categories, and simulations with standard errors."""

import math
import statistics

import numpy as np
import pytest

import dpbi
import oracles
from dpbi import simulated_error, simulated_mean_error
from dpbi.accuracy import errors as accuracy
from dpbi.accuracy.simulation import averaged
from dpbi.model.distances import count_distances
from oracles import mp
from test_mechanisms_laws import MECHANISMS

TWO = [
    ((1.0, 1.0), (3, 3), dpbi.ehd(0.8)), ((0.01, 30.0), (0, 40), dpbi.ehds(10.0)),
    ((1.0, 1.0), (150, 50), dpbi.ehdl(0.1)), ((3.0, 0.2), (90, 0), dpbi.smoothed_hellinger(2.0, 1e-6)),
]  # fmt: skip


@pytest.fixture
def _never_listed(monkeypatch):
    monkeypatch.setattr(accuracy, "MIN_LINE_RECORDS", 0)


def true_quantile(errors, share):
    """The smallest distance beyond which lies no more than the share."""
    beyond, found = mp.mpf(0), errors[-1][0]
    for h, p in reversed(errors):
        if beyond > share:
            break
        beyond, found = beyond + p, h
    return found


def true_errors(mechanism, prior, x):
    """(distance, probability) of every candidate, ascending, from the definition; only the rate is the library's."""
    law = oracles.exponential_mechanism(prior, x, mechanism.rate(prior, x))
    return sorted((oracles.distance(prior, x, r), p) for r, p in law.items())


def assert_errors(mechanism, prior, x, errors):
    """Mean, tails and quantiles are those of (distance, probability) of every candidate, ascending."""
    mean = mp.fsum(h * p for h, p in errors)
    assert dpbi.mean_error(mechanism, prior, x) == pytest.approx(float(mean), rel=1e-12)
    for t in [-1.0, 0.0, 2.0, *(float(h) for h, _ in errors[:: max(1, len(errors) // 12)])]:
        tail = mp.fsum(p for h, p in errors if h >= t * (1 - 1e-12))
        assert dpbi.error_tail(mechanism, prior, x, t) == pytest.approx(float(tail), rel=1e-12, abs=1e-300)
        assert accuracy.error_below(mechanism, prior, x, t) == pytest.approx(float(1 - tail), abs=1e-12)
    for share in (0.999, 0.5, 0.05, 1e-9):
        true = true_quantile(errors, share)
        assert dpbi.error_quantile(mechanism, prior, x, 1 - share) == pytest.approx(float(true), rel=1e-11)


@pytest.mark.usefixtures("_never_listed")
@pytest.mark.parametrize(("prior", "x", "mechanism"), TWO)
def test_sums_for_two_categories_are_those_of_the_definition(prior, x, mechanism):
    assert_errors(mechanism, prior, x, true_errors(mechanism, prior, x))


NOISE = ["lshist", "geometric", "laplace_in_order"]


@pytest.mark.usefixtures("_never_listed")
@pytest.mark.parametrize(("prior", "x"), [((1.0, 1.0), (3, 3)), ((0.01, 30.0), (0, 60))])
@pytest.mark.parametrize("epsilon", [0.02, 15.0])
@pytest.mark.parametrize("name", NOISE)
def test_sums_of_noise_on_two_counts_are_those_of_the_definition(name, epsilon, prior, x):
    family, definition = MECHANISMS[name]
    errors = sorted((oracles.distance(prior, x, r), p) for r, p in definition(epsilon, prior, x).items())
    assert_errors(family(epsilon), prior, x, errors)


@pytest.mark.slow
def test_noise_on_a_billion_records_has_the_errors_of_its_moves():
    """Beyond 10 000 records two-sided geometric noise has less than e^-1000 of its mass."""
    prior, counts, epsilon = np.array([1.0, 0.5]), np.array([4 * 10**8, 6 * 10**8]), 0.1
    moves = np.arange(-10_000, 10_001)
    weights = np.exp(-epsilon * np.abs(moves)) * math.tanh(epsilon / 2)
    H = count_distances(prior, counts, counts + np.stack([moves, -moves], axis=-1))
    for mechanism in (dpbi.geometric(epsilon), dpbi.lattice_laplace(epsilon)):
        assert dpbi.mean_error(mechanism, prior, counts) == pytest.approx(math.fsum(weights * H), rel=1e-12)
        t = H[10_040]
        tail = math.fsum(weights[t * (1 - 1e-12) <= H])
        assert dpbi.error_tail(mechanism, prior, counts, t) == pytest.approx(tail, rel=1e-12)
        assert dpbi.error_quantile(mechanism, prior, counts, 1 - tail * 0.999) == pytest.approx(t, rel=1e-8)


@pytest.mark.parametrize(("x", "mechanism"), [((50_000, 50_000), dpbi.ehdl(0.8)), ((50, 10**5), dpbi.ehd(10.0))])
def test_many_candidates_are_summed_without_listing_them(x, mechanism):
    prior, counts = np.array([1.0, 0.5]), np.array(x)
    r = np.arange(sum(x) + 1)
    H = count_distances(prior, counts, np.column_stack([r, sum(x) - r]))
    weights = np.exp(-mechanism.rate(prior, counts) * H)
    total = math.fsum(weights)
    assert dpbi.mean_error(mechanism, prior, counts) == pytest.approx(math.fsum(weights * H) / total, rel=1e-11)
    for t in np.quantile(H, [0.001, 0.3, 0.9]):
        true = math.fsum(weights[t * (1 - 1e-12) <= H]) / total
        assert dpbi.error_tail(mechanism, prior, counts, t) == pytest.approx(true, rel=1e-10)


def test_errors_of_a_billion_records_agree_with_draws():
    mechanism, prior, counts = dpbi.ehdl(0.8), [1, 1], [3 * 10**8, 7 * 10**8]
    drawn = mechanism.sample(prior, counts, np.random.default_rng(5), 50_000)
    H = count_distances(np.array([1.0, 1.0]), np.array(counts), drawn)
    assert abs(H.mean() - dpbi.mean_error(mechanism, prior, counts)) < 5 * H.std() / math.sqrt(len(H))
    quantile = dpbi.error_quantile(mechanism, prior, counts, 0.9)
    beyond = dpbi.error_tail(mechanism, prior, counts, quantile * (1 + 1e-9))
    assert beyond <= 0.1 < dpbi.error_tail(mechanism, prior, counts, quantile)
    assert abs((quantile * (1 + 1e-9) < H).mean() - beyond) < 5 * math.sqrt(beyond / len(H))


def test_simulations_are_off_by_about_their_standard_error():
    mechanism, prior, counts = dpbi.ehds(2.0), [1, 1, 1], [8, 4, 2]
    t, rng = dpbi.error_quantile(mechanism, prior, counts, 0.7), np.random.default_rng(2)
    given = mechanism, prior, counts
    below = 1 - dpbi.error_tail(*given, t), lambda: simulated_error(*given, t, rng, 500)
    mean = dpbi.error_law(*given).mean(), lambda: simulated_mean_error(*given, rng, 500)
    for true, once in (below, mean):
        z = np.array([(value - true) / deviation for value, deviation in (once() for _ in range(200))])
        assert abs(z.mean()) < 5 / math.sqrt(200)
        assert 0.8 < z.std() < 1.2
    assert averaged(np.array([0, 0.1, 0.7])).standard_error == pytest.approx(statistics.stdev([0, 0.1, 0.7]) / 3**0.5)
    assert simulated_error(mechanism, prior, counts, -1.0, rng, 10) == (0.0, pytest.approx(0.066, abs=0.01))


@pytest.mark.usefixtures("_never_listed")
@pytest.mark.parametrize("family", [dpbi.ehds, dpbi.geometric])
def test_calibrated_mechanisms_are_summed_where_audited(family):
    mechanism = dpbi.calibrate(family, [1, 1], 6, 0.5)
    law = dpbi.error_law(mechanism, [1, 1], [2, 4])
    assert dpbi.mean_error(mechanism, [1, 1], [2, 4]) == pytest.approx(law.mean(), rel=1e-12)
    with pytest.raises(ValueError, match="prior and n must be those of the calibration"):
        dpbi.mean_error(mechanism, [1, 1], [2, 5])
