"""Properties that hold for all inputs: of distances, sensitivities, output distributions, audits and guarantees."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dpbi
from dpbi import ZCDP, BoundedRange, PureDP, audit, ehd, ehdl, ehds, hellinger, hockey_stick

settings.register_profile("laws", derandomize=True, deadline=None, max_examples=20)
settings.load_profile("laws")


def powers_of_ten(low, high):
    return st.floats(low, high).map(lambda e: 10.0**e)


positive, epsilons, rates = powers_of_ten(-3, 6), powers_of_ten(-3, 1.3), powers_of_ten(-2, 1)

MECHANISMS = {name: st.builds(made.at, epsilons) for name, made in dpbi.MECHANISMS.items()} | {
    "laplace_in_order": st.builds(dpbi.laplace_in_order, epsilons, rates),
    "ehd with a sensitivity": st.builds(ehd, epsilons, powers_of_ten(-1, 0)),
    "ehds": st.builds(ehds, epsilons, rates, rates),
    "smoothed_hellinger": st.builds(dpbi.smoothed_hellinger, epsilons, powers_of_ten(-9, -0.1), rates),
}
every_mechanism = pytest.mark.parametrize("name", MECHANISMS)


@st.composite
def priors(draw, smallest=-2, largest=1.5, categories=(2, 4)):
    k = draw(st.integers(*categories))
    return [draw(powers_of_ten(smallest, largest)) for _ in range(k)]


@st.composite
def settings_of(draw, records=None):
    """A prior and a number of records small enough to list every dataset."""
    prior = draw(priors())
    return prior, draw(st.integers(0, {2: 9, 3: 4, 4: 2}[len(prior)]))


@st.composite
def datasets(draw):
    prior, n = draw(settings_of())
    vectors = dpbi.count_vectors(n, len(prior))
    return prior, vectors[draw(st.integers(0, len(vectors) - 1))]


@st.composite
def triples(draw):
    k = draw(st.integers(2, 4))
    return np.array([[draw(positive) for _ in range(k)] for _ in range(3)])


@given(triples())
def test_the_distance_is_a_metric_below_one(points):
    a, b, c = points
    assert hellinger(a, a) == 0
    assert 0 <= hellinger(a, b) <= 1
    assert hellinger(a, b) == pytest.approx(hellinger(b, a), rel=1e-12)
    assert hellinger(a, c) <= (hellinger(a, b) + hellinger(b, c)) * (1 + 1e-12)
    if not np.array_equal(a, b):
        assert hellinger(a, b) > 0


@given(datasets(), rates, st.randoms(use_true_random=False))
def test_sensitivities_dominate_each_other_and_are_smooth(setting, rate, random):
    prior, x = setting
    n = int(x.sum())
    local, everywhere = dpbi.local_sensitivity(prior, x), dpbi.global_sensitivity(prior, n)
    exponential = dpbi.exponential_smooth_sensitivity(prior, x, rate)
    reciprocal = dpbi.reciprocal_smooth_sensitivity(prior, x, rate)
    for smooth in (exponential, reciprocal):
        assert local * (1 - 1e-14) <= smooth <= everywhere * (1 + 1e-14)
    order = list(range(len(x)))
    random.shuffle(order)
    moved = np.array(prior)[order], x[order]
    assert dpbi.local_sensitivity(*moved) == pytest.approx(local, rel=1e-14)
    assert dpbi.reciprocal_smooth_sensitivity(*moved, rate) == pytest.approx(reciprocal, rel=1e-14)
    if n:
        around = dpbi.neighbours(x)
        jumps = dpbi.exponential_smooth_sensitivity(prior, around, rate) / exponential
        assert jumps.max() <= math.exp(rate) * (1 + 1e-14)
        jumps = np.abs(1 / dpbi.reciprocal_smooth_sensitivity(prior, around, rate) - 1 / reciprocal)
        assert jumps.max() <= rate + 1e-13 / reciprocal


def stays_within(mechanism, prior, n, guarantee):
    """Whether what leaks is what is guaranteed, to twelve digits and the last digits of the log probabilities."""
    if isinstance(guarantee, ZCDP):
        levels = [0.0, guarantee.rho, 3 * guarantee.rho + 1]
        return all(hockey_stick(mechanism, prior, n, e) <= guarantee.delta_at(e) * (1 + 1e-12) + 1e-15 for e in levels)
    if isinstance(guarantee, PureDP | BoundedRange):
        return audit(mechanism, prior, n).epsilon <= guarantee.epsilon * (1 + 1e-12) + 1e-14
    assert isinstance(guarantee, dpbi.ApproxDP)
    return hockey_stick(mechanism, prior, n, guarantee.epsilon) <= guarantee.delta * (1 + 1e-12) + 1e-15


@every_mechanism
@given(data=st.data(), setting=settings_of())
def test_no_mechanism_leaks_more_than_it_promises_or_guarantees(name, data, setting):
    prior, n = setting
    mechanism = data.draw(MECHANISMS[name])
    for guarantee in (mechanism.promise, mechanism.promise_at(prior, n)):
        assert guarantee is None or stays_within(mechanism, prior, n, guarantee)


def test_which_mechanisms_promise_what():
    promised = {m.name: m.promise for m in (dpbi.lszhang(0.8), dpbi.lsdim(0.8), dpbi.lshist(0.8), dpbi.geometric(0.8))}
    assert promised == dict.fromkeys(["lszhang", "lsdim", "lshist", "geometric"], PureDP(0.8))
    assert ehd(0.8).promise == BoundedRange(0.8)
    assert dpbi.discrete_gaussian(2.0).promise == dpbi.discrete_gaussian(2.0).promise_at([1, 1, 1], 9) == ZCDP(2.0)
    assert dpbi.laplace_in_order(0.8, 1.0).promise == PureDP(1.6)
    assert dpbi.laplace_in_order(0.8, 1.0).promise_at([1, 1], 9) == PureDP(0.8)
    # (2 + gamma) / divisor is proved: more than epsilon for divisor 2
    assert ehds(0.8, 2.0, 4.0).promise == BoundedRange(0.8)
    assert ehds(0.8, 2.0, 2.0).promise == BoundedRange(1.6)
    assert ehdl(0.8).promise is ehdl(0.8).promise_at([1, 1, 1], 9) is None
    # for two categories 1 / LS moves by less than 1 / H(Beta(1, b), Beta(2, b)) - 1 as b grows: H^2 = 1 - sqrt(pi) / 2
    slope = float(1 / hellinger([1, 1e15], [2, 1e15 - 1])) - 1
    assert ehdl(0.8).promise_at([1, 1], 9).epsilon == pytest.approx(0.4 * (slope + 2 / (1 + slope)), rel=1e-9)
    assert ehds(0.8, 5.0, 4.0).promise_at([1, 1], 9).epsilon == pytest.approx(0.2 * (2 + slope), rel=1e-9)
    assert ehds(0.8, 5.0, 4.0).promise_at([1, 1, 1], 9).epsilon == pytest.approx(1.4, rel=1e-14)
    # the printed constant is large enough for prior (1, 1) and too small for Jeffreys' (ehd refuses to promise there)
    printed = ehd(0.8, math.sqrt(1 - math.pi / 4))
    assert printed.promise is None
    assert printed.promise_at([1, 1], 9) == BoundedRange(0.8)
    assert printed.promise_at([1, 1], 1) == BoundedRange(0.8)  # equal up to the last digit, which once decided
    assert printed.promise_at([1, 1, 1], 9) == BoundedRange(0.8)
    assert ehd(0.8, math.sqrt(1 - math.pi / 4) * (1 - 1e-12)).promise_at([1, 1, 1], 9) is None
    assert printed.promise_at([0.5, 0.5, 0.5], 9) is None


@pytest.mark.parametrize("prior", [(1, 1), (1, 1, 1)])
def test_discrete_normal_noise_has_the_promised_divergences(prior):
    """At most alpha epsilon^2 / 2, by sums over the clamped counts."""
    epsilon, n = 0.3, 3
    made, datasets = dpbi.discrete_gaussian(epsilon), [tuple(x) for x in dpbi.count_vectors(n, len(prior)).tolist()]
    laws = {x: made.law(prior, x).probabilities for x in datasets}
    pairs = [(laws[x], laws[tuple(y)]) for x in datasets for y in dpbi.neighbours(x).tolist()]
    for order in (1.5, 8.0):
        most = max(math.log((p**order * q ** (1 - order)).sum()) / (order - 1) for p, q in pairs)
        assert 0 < most <= order * epsilon**2 / 2
