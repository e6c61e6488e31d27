"""Families: Lipschitz constants, metrics and largest distances by brute force, conjugacy by Bayes' rule.

In ball arithmetic, families of each kind agree with their values in doubles.
"""

import itertools
import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpbi import arithmetic
from dpbi import posterior_sampling as ps
from dpbi.posterior_sampling.matrix_families import ball_reach

number = arithmetic.number

# Lipschitz constants, metrics and their reach against brute force


def worst_slope(family, parameter, datasets):
    slopes = []
    for x, y in itertools.combinations(datasets, 2):
        distance = family.distance(x, y)
        change = family.log_likelihood([parameter], x) - family.log_likelihood([parameter], y)
        assert distance > 0
        slopes.append(abs(change[0]) / distance)
    return max(slopes)


def line(bound):
    return [[v] for v in [*np.linspace(-bound, bound, 41), -bound * (1 - 1e-7), bound * (1 - 1e-7), 1e-7]]


def random_tables(seed, shapes):
    rng = np.random.default_rng(seed)
    return tuple(rng.dirichlet(np.ones(shape[-1]), shape[:-1]) for shape in shapes)


def rows(*states, records=1):
    """All datasets of so many rows of a network."""
    return [np.array(each) for each in itertools.product(itertools.product(*map(range, states)), repeat=records)]


PATHS = [[np.array(path) for path in itertools.product((0, 1), repeat=length)] for length in (2, 4)]
COINS = [list(x) for x in itertools.product((0, 1), repeat=3)]
SLOPES = [
    *((ps.bernoulli(), theta, [COINS]) for theta in (0.1, 0.5, 0.85)),
    *((ps.normal_precision(m, bound), 1.7, [line(bound)]) for m, bound in ((0.3, 2), (2.5, 1), (-1, 0.4), (0, 3))),
    (ps.laplace(0.2, 3.0), 0.7, [[[v] for v in (-3.0, -1.0, 0.2, 2.0)]]),
    (ps.exponential(3.0), 0.7, [[[v] for v in (0.0, 1.0, 3.0)]]),
    (ps.network([[]], [2]), ([0.1, 0.9],), [rows(2)]),
    (ps.network([[], [0], [0]], [2, 2, 2]), random_tables(3, [(2,), (2, 2), (2, 2)]), [rows(2, 2, 2, records=2)]),
    (ps.network([[], [], [0, 1]], [2, 3, 2]), random_tables(4, [(2,), (3,), (2, 3, 2)]), [rows(2, 3, 2)]),
    *((ps.markov_chain(2), random_tables(seed, [(2, 2)]), PATHS) for seed in (5, 6, 7)),
]


@pytest.mark.parametrize(("family", "parameter", "groups"), SLOPES, ids=lambda each: getattr(each, "name", ""))
def test_the_lipschitz_constant_is_the_worst_slope(family, parameter, groups):
    worst = max(worst_slope(family, parameter, datasets) for datasets in groups)
    digits = 1e-6 if "normal" in family.name else 1e-12
    assert worst == pytest.approx(family.lipschitz([parameter])[0], rel=digits, abs=1e-15)


@pytest.mark.parametrize(("mean", "bound"), [(0.3, 2.0), (2.5, 0.5)])
def test_normal_reach_is_the_largest_distance_on_the_line(mean, bound):
    family = ps.normal_precision(mean, bound)
    line = np.linspace(-bound, bound, 401)
    farthest = max(family.distance([x], [y]) for x in line[::20] for y in line)
    assert farthest == pytest.approx(family.reach[ps.RECORD], rel=1e-3)
    assert farthest <= family.reach[ps.RECORD] * (1 + 1e-12)


vectors = st.lists(st.floats(-1, 1), min_size=2, max_size=2).map(np.array).filter(lambda v: np.linalg.norm(v) > 0.01)


@settings(deadline=None, max_examples=60)
@given(x=vectors, y=vectors, angle=st.floats(0, 3), ratio=st.floats(0.01, 1), centred=st.booleans())
def test_multivariate_slopes_and_distances_keep_to_their_bounds(x, y, angle, ratio, centred):
    x, y = (v / max(1, np.linalg.norm(v) * (1 + 1e-15)) for v in (x, y))
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    precision = turn @ np.diag([1.0, ratio]) @ turn.T
    precision = (precision + precision.T) / 2
    family = ps.multivariate_normal([0.0, 0.0] if centred else [1.2, -0.7], radius=1.0)
    distance = family.distance([x], [y])
    assert distance <= family.reach[ps.RECORD] * (1 + 1e-9)
    first, second = (family.log_likelihood([precision], np.array([row]))[0] for row in (x, y))
    assert abs(first - second) <= family.lipschitz([precision])[0] * distance * (1 + 1e-9) + 1e-9


def test_ball_reach_of_the_unit_sphere():
    """For unit vectors at an angle phi the metric is sqrt(2) sin(phi) + 4 sin(phi/2), maximised here by mpmath."""
    with mpmath.workdps(30):
        slope = mpmath.findroot(lambda t: mpmath.sqrt(2) * mpmath.cos(t) + 2 * mpmath.cos(t / 2), 2.2)
        exact = mpmath.sqrt(2) * mpmath.sin(slope) + 4 * mpmath.sin(slope / 2)
    assert ball_reach(1.0, centred=False) == pytest.approx(float(exact), rel=1e-14)
    assert ball_reach(2.0, centred=True) == pytest.approx(4 * math.sqrt(2), rel=1e-15)


@pytest.mark.parametrize("radius", [0.01, 1.5, 2.7, 40.0])
@pytest.mark.parametrize("centred", [False, True])
def test_ball_reach_is_the_largest_distance_in_the_ball(radius, centred):
    """Against the metric itself on a grid: one point on the first axis, the other anywhere in the half disc."""
    lengths, angles = np.meshgrid(np.linspace(0, radius, 81), np.linspace(0, math.pi, 361))
    y = np.stack([lengths * np.cos(angles), lengths * np.sin(angles)], axis=-1).reshape(-1, 2)
    x = np.array([radius, 0.0])
    outer = np.linalg.norm(np.outer(x, x) - y[:, :, None] * y[:, None], axis=(1, 2))
    distances = outer + (0 if centred else 2 * np.linalg.norm(x - y, axis=1))
    assert distances.max() <= ball_reach(radius, centred=centred) * (1 + 1e-12)
    assert distances.max() == pytest.approx(ball_reach(radius, centred=centred), rel=1e-4)


def test_chain_and_network_conjugacy_is_the_product_of_counts():
    chain, path = ps.markov_chain(2), [0, 0, 1, 1, 1, 0]
    after = ps.posterior_law(chain, ps.Tables([np.ones((2, 2))]), path)
    assert after.concentrations[0].tolist() == [[2.0, 2.0], [2.0, 3.0]]
    net = ps.network([[], [0]], [2, 2])
    after = ps.posterior_law(net, ps.Tables([np.ones(2), np.ones((2, 2))]), [[0, 1], [1, 1], [1, 0]])
    assert [table.tolist() for table in after.concentrations] == [[2.0, 3.0], [[1.0, 2.0], [2.0, 2.0]]]


def test_wishart_update_agrees_with_the_density_ratio():
    """Bayes' rule at two precision matrices: the constants cancel."""
    family, mean = ps.multivariate_normal([0.5, -0.2]), np.array([0.5, -0.2])
    prior = ps.Wishart(4.0, np.array([[0.5, 0.1], [0.1, 0.3]]))
    data = np.array([[0.1, 0.7], [1.0, -1.0], [0.3, 0.2]])
    after = ps.posterior_law(family, prior, data)

    def kernel(law, A):
        return (law.degrees - 3) / 2 * np.linalg.slogdet(A)[1] - np.trace(np.linalg.inv(law.scale) @ A) / 2

    A, B = np.array([[1.0, 0.2], [0.2, 2.0]]), np.array([[0.4, 0.0], [0.0, 0.3]])
    likelihood = family.log_likelihood([A, B], data)
    change = kernel(prior, A) - kernel(prior, B) + likelihood[0] - likelihood[1]
    assert np.isclose(kernel(after, A) - kernel(after, B), change)
    quadratic = -0.5 * np.einsum("ni,ij,nj->", data - mean, A, data - mean)
    assert np.isclose(likelihood[0], quadratic + 1.5 * math.log(np.linalg.det(A)) - 3 * math.log(2 * math.pi))
