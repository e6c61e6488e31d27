"""The table of mechanisms: all are available, distributions lie in their enclosures, and releases agree with them."""

from fractions import Fraction

import numpy as np
import pytest

import dpbi
import oracles
from dpbi import MECHANISMS, arithmetic, given_noise
from dpbi.mechanisms import releasable_mechanism
from dpbi.publish import releasable

every = pytest.mark.parametrize("name", MECHANISMS)


def test_every_mechanism_is_offered():
    assert set(MECHANISMS) <= set(dpbi.__all__)
    for name, made in MECHANISMS.items():
        assert getattr(dpbi, name) is made
        assert made.at(0.8).name == name
    with pytest.raises(ValueError, match="mechanism must be one of lshist, "):
        releasable_mechanism("ehd")
    assert releasable_mechanism("lshist") is dpbi.lshist


IN_DOUBLES = ("discrete_gaussian", "permute_and_flip")
"""Mechanisms whose laws no printed statement needs enclosed."""


@every
def test_the_law_of_every_mechanism_is_inside_its_enclosure(name):
    for prior, x in (((1, 1), (2, 1)), ((0.5, 3, 1), (0, 2, 1))):
        doubles = MECHANISMS[name].at(0.7).law(prior, x).log_probabilities
        with arithmetic.balls():
            if name in IN_DOUBLES:
                with pytest.raises(arithmetic.Undecided, match=f"{name} is computed in doubles alone"):
                    MECHANISMS[name].at(0.7).law(prior, x)
                continue
            enclosed = MECHANISMS[name].at(0.7).law(prior, x).log_probabilities
            assert all(map(arithmetic.near, enclosed, doubles, [1e-13] * len(doubles)))


def test_likelihoods_of_noisy_counts_agree_with_the_law():
    """Brute force over all datasets of two categories."""
    n, prior = 6, [0.7, 2.0]
    datasets, weights = dpbi.count_vectors(n, 2), dpbi.model.marginal(prior, n)
    for name, released in releasable().items():
        for z in (-4, -1, 0, 3, 6, 7, 11):
            noise = [oracles.log_likelihood(name, [z, n - z], x, 0.9) for x in datasets.tolist()]
            joint = weights * np.exp(noise)
            mean = joint @ (prior[0] + datasets[:, 0]) / joint.sum() / (sum(prior) + n)
            part = released.informative_part([z, n - z], n)
            assert given_noise(prior, n, part, 0.9, name)[0].mean == pytest.approx(mean, rel=1e-12), (name, z)


@pytest.mark.parametrize("name", releasable())
def test_at_a_large_budget_only_the_floor_remains(name):
    x, floored = (3, 0, 2), name == "lshist"  # the floor of next to nothing is 0 or -1
    noisy = releasable()[name].draw_exactly(x, Fraction(400))
    counts = releasable()[name].legal(noisy, 5)
    assert sum(noisy) == 5
    assert all(0 <= count - z <= floored for count, z in zip(x[:-1], noisy[:-1], strict=True))
    assert counts == x or floored
    assert min(counts) >= 0
