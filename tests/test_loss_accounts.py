"""Certified ends of composition: against sums in fractions, closed forms, 50-digit sums, and dp-accounting."""

import itertools
import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_distribution

import dpbi
from dpbi import BoundedRange, GaussianDP, PureDP
from dpbi.guarantees import (
    Account,
    ApproxDP,
    BatchLoss,
    FiniteLoss,
    GaussianLoss,
    LaplaceLoss,
    repeated_delta,
    worst_pair,
)
from dpbi.guarantees.convolutions import Part, added

POINTS = 2**12
"""Few places on the grid: an end has to hold at any number."""


def composed(pairs, epsilon):
    """The hockey stick of a product by brute force, in fractions but for e^epsilon, which is one too."""
    factor = Fraction(math.exp(epsilon))
    total = Fraction(0)
    for outputs in itertools.product(*(range(len(p)) for p, _ in pairs)):
        p, q = Fraction(1), Fraction(1)
        for (left, right), r in zip(pairs, outputs, strict=True):
            p, q = p * left[r], q * right[r]
        total += max(p - factor * q, 0)
    return float(total)


def random_law(rng, size):
    """Doubles that are whole shares of 2^20, some of them zero: exact as fractions, and adding up to one exactly."""
    weights = rng.integers(0, 2**12, size) * (rng.random(size) > 0.1)
    weights[rng.integers(size)] += 1
    cuts = [int(w * 2**20 // weights.sum()) for w in weights]
    cuts[int(np.argmax(cuts))] += 2**20 - sum(cuts)
    return [Fraction(c, 2**20) for c in cuts]


@pytest.mark.parametrize("seed", range(10))
def test_ends_contain_exact_sums_of_up_to_six_uses(seed):
    # fifty random cases each
    rng = np.random.default_rng(seed)
    for _ in range(50):
        uses = int(rng.integers(1, 7))
        size = int(rng.integers(2, 4 if uses > 4 else 5))
        kinds = [(random_law(rng, size), random_law(rng, size)) for _ in range(int(rng.integers(1, 3)))]
        counts = [uses] if len(kinds) == 1 or uses == 1 else [uses - uses // 2, uses // 2]
        pairs = [pair for pair, count in zip(kinds, counts, strict=False) for _ in range(count)]
        account = Account(
            [(FiniteLoss([*map(float, p)], [*map(float, q)]), c) for (p, q), c in zip(kinds, counts, strict=False)],
            POINTS,
        )
        for epsilon in (0.0, float(rng.exponential(1.0))):
            exact = composed(pairs, epsilon)
            found = account.delta(epsilon)
            assert found.lower <= exact * (1 + 1e-14)
            assert exact * (1 - 1e-14) <= found.upper
            assert found.width <= 0.01 * exact + 1e-6


@pytest.mark.parametrize(("epsilon", "count"), [(0.02, 1000), (0.1, 100), (1.0, 7)])
@pytest.mark.parametrize("delta", [0.0, 1e-7])
def test_randomised_response_as_kairouz_oh_and_viswanath_have_it(epsilon, count, delta):
    account = Account([(FiniteLoss(*worst_pair(epsilon, delta)), count)])
    for level in (0.3, 1.0, 0.5 * epsilon * count):
        exact = repeated_delta(ApproxDP(epsilon, delta), count, level)
        found = account.delta(level)
        assert found.lower <= exact * (1 + 1e-9)
        assert exact * (1 - 1e-9) <= found.upper
        assert found.width <= 0.01 * exact + 1e-9


@pytest.mark.parametrize(("rho", "count"), [(0.3, 1), (0.005, 60), (0.0005, 1000)])
@pytest.mark.parametrize("delta", [1e-2, 1e-40])
def test_normal_noise_as_balle_and_wang_have_it(rho, count, delta):
    found = Account([(GaussianLoss(rho), count)], 2**13).epsilon(delta)
    exact = GaussianDP(rho * count).epsilon(delta)
    assert found.lower <= exact <= found.upper
    assert found.width <= 0.05


def test_laplace_noise_twice_by_quadrature():
    # the second use by 30-digit quadrature over the hockey stick of the first, in closed form
    e, level = mp.mpf("0.7"), mp.mpf("0.4")

    def once(x):  # of one use at any real epsilon
        if x >= e:
            return mp.mpf(0)
        return 1 - mp.exp((x - e) / 2) if x > -e else 1 - mp.exp(x)

    with mp.workdps(30):
        inner = mp.quad(lambda v: mp.exp((v - e) / 2) / 4 * once(level - v), [-e, level - e, e])
        exact = float(once(level - e) / 2 + mp.exp(-e) / 2 * once(level + e) + inner)
    found = Account([(LaplaceLoss(0.7), 2)]).delta(0.4)
    assert found.lower <= exact <= found.upper
    assert found.width < 1e-7


def test_different_uses_together_contain_what_each_says_alone():
    both = Account([(GaussianLoss(0.1), 1), (FiniteLoss(*worst_pair(0.2)), 3)]).delta(0.5)
    # given the three answers, the rest is for the normal noise
    p = 1 / (1 + math.exp(-0.2))
    exact = sum(
        math.comb(3, wrong) * p ** (3 - wrong) * (1 - p) ** wrong * normal_delta(0.1, 0.5 - 0.2 * (3 - 2 * wrong))
        for wrong in range(4)
    )
    assert both.lower <= exact <= both.upper
    assert both.width < 1e-6


def normal_delta(rho, epsilon):
    """Also below zero, by symmetry."""
    if epsilon >= 0:
        return GaussianDP(rho).delta(epsilon)
    return 1 - math.exp(epsilon) + math.exp(epsilon) * GaussianDP(rho).delta(-epsilon)


def test_sums_of_losses_are_those_of_exact_integers():
    # the error of the transform, against products of polynomials with whole coefficients
    rng = np.random.default_rng(3)
    first, second = rng.integers(0, 1000, 40), rng.integers(0, 1000, 25)
    exact = np.array([1], dtype=object)
    for law, count in ((first, 5), (second, 8)):
        for _ in range(count):
            exact = np.convolve(exact, law.astype(object))
    found = added([Part(-7, first / first.sum(), 5), Part(3, second / second.sum(), 8)], 0.25, 0.3)
    places = (found.first + np.arange(len(found.tilted))) * 0.25
    total = int(first.sum()) ** 5 * int(second.sum()) ** 8
    true = np.array([float(Fraction(int(c), total)) for c in exact])
    start = -35 + 24 - found.first
    tilted = true * np.exp(0.3 * places[start : start + len(true)] - found.log_total)
    off = np.linalg.norm(found.tilted[start : start + len(true)] - tilted)
    assert off <= found.error + found.relative
    assert found.error < 1e-11


def test_dp_accounting_is_a_point_inside_or_above():
    # its own discretisation, pessimistic and with connected dots, of the same law
    p, q = (np.array(side) for side in ([0.6, 0.3, 0.1], [0.4, 0.35, 0.25]))
    theirs = privacy_loss_distribution.from_two_probability_mass_functions(
        dict(enumerate(np.log(p))),
        dict(enumerate(np.log(q))),
        value_discretization_interval=1e-3,
    ).self_compose(30)
    ends = [Account([(FiniteLoss(*pair), 30)]).delta(2.0) for pair in ((p, q), (q, p))]
    worst = theirs.get_delta_for_epsilon(2.0)
    assert max(end.upper for end in ends) <= worst
    assert worst == pytest.approx(max(end.upper for end in ends), rel=0.01)


# Batches

GRID = np.linspace(-12, 14, 200_001)


def batch_delta(rho, share, epsilon):
    """Balle, Barthe and Gaboardi 2018, Theorem 9, for normal noise."""
    if epsilon < 0:
        return 1 - math.exp(epsilon) + math.exp(epsilon) * batch_delta(rho, share, -epsilon)
    return share * GaussianDP(rho).delta(math.log1p(math.expm1(epsilon) / share))


@pytest.mark.parametrize("rho", [0.02, 0.5, 3.0])
@pytest.mark.parametrize("share", [0.01, 0.3, 1.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.2, 1.3])
def test_one_batch_has_the_delta_of_its_formula(rho, share, epsilon):
    exact = batch_delta(rho, share, epsilon)
    found = Account([(BatchLoss(rho, share), 1)], 2**13).delta(epsilon)
    assert found.lower <= exact * (1 + 1e-9) + 1e-300
    assert exact * (1 - 1e-9) <= found.upper
    assert found.width <= 1e-2 * exact + 1e-9


def test_the_whole_data_as_a_batch_is_no_batch():
    found = Account([(BatchLoss(0.01, 1.0), 40)]).epsilon(1e-6)
    assert found.lower <= GaussianDP(0.4).epsilon(1e-6) <= found.upper


def test_a_real_subsample_costs_no_more_than_the_batch_account():
    # the sum of a batch of two of five ones and zeros, with normal noise: mixtures, added up on a grid
    share, rho = 2 / 5, 0.5
    noise = 1 / math.sqrt(2 * rho)

    def density(x, ones):
        total = math.comb(5, 2)
        ways = {j: math.comb(ones, j) * math.comb(5 - ones, 2 - j) / total for j in range(3) if j <= ones}
        bells = sum(w * np.exp(-(((x - j) / noise) ** 2) / 2) for j, w in ways.items())
        return bells / (noise * math.sqrt(2 * math.pi))

    for here, there in ((1, 0), (3, 2), (0, 1)):
        for epsilon in (0.0, 0.3):

            def gap(x, here=here, there=there, epsilon=epsilon):
                return np.maximum(density(x, here) - math.exp(epsilon) * density(x, there), 0)

            exact = float(gap(GRID).sum() * (GRID[1] - GRID[0]))
            assert exact <= Account([(BatchLoss(rho, share), 1)]).delta(epsilon).upper + 1e-6


# Mechanisms


def test_twenty_uses_of_ehd():
    promised = BoundedRange(0.3).repeat(20).epsilon(1e-6)
    exact = dpbi.composed_epsilon([(dpbi.ehd(0.3), 20)], [1, 1], 6, 1e-6).ends
    assert promised <= 3.35
    assert exact.upper <= 2.23
    assert exact.upper <= promised <= PureDP(0.3).zcdp().repeat(20).epsilon(1e-6)


def test_the_worst_pair_is_found_among_all():
    # every pair by brute force, in fractions
    mechanisms = [(dpbi.ehd(0.9), 2), (dpbi.geometric(0.4), 1)]
    found = dpbi.composed_delta(mechanisms, [0.5, 2], 3, 0.6)
    exact = []
    for x in dpbi.count_vectors(3, 2):
        for y in dpbi.neighbours(x):
            pairs = []
            for mechanism, count in mechanisms:
                laws = (mechanism.law([0.5, 2], z).probabilities for z in (x, y))
                pairs += [tuple([Fraction(p) for p in law] for law in laws)] * count
            exact.append((composed(pairs, 0.6), x.tolist(), y.tolist()))
    worst = max(exact)
    assert found.ends.lower <= worst[0] * (1 + 1e-9)
    assert worst[0] * (1 - 1e-9) <= found.ends.upper
    assert (found.counts.tolist(), found.neighbour.tolist()) == (worst[1], worst[2])


@pytest.mark.parametrize(
    ("wrong", "error", "word"),
    [
        (lambda: Account([]), ValueError, "uses"),
        (lambda: Account([(0.3, 2)]), TypeError, "losses"),
        (lambda: Account([(GaussianLoss(0.1), 0)]), ValueError, "count"),
        (lambda: Account([(GaussianLoss(0.1), 1)]).epsilon(0.0), ValueError, "delta"),
        (lambda: Account([(GaussianLoss(0.1), 1)]).epsilon(1.0), ValueError, "delta"),
        (lambda: Account([(GaussianLoss(0.1), 1)]).epsilon(math.nan), ValueError, "delta"),
        (lambda: Account([(GaussianLoss(0.1), 1)]).delta(-1.0), ValueError, "epsilon"),
        (lambda: FiniteLoss([0.5, 0.4], [0.5, 0.5]), ValueError, "p must"),
        (lambda: FiniteLoss([0.5, 0.5], [0.5, 0.5, 0.1]), ValueError, "q must"),
        (lambda: FiniteLoss([0.5, 0.5], [0.3, 0.3, 0.4]), ValueError, "outputs of p"),
        (lambda: FiniteLoss([1.5, -0.5], [0.5, 0.5]), ValueError, "p must"),
        (lambda: GaussianLoss(0.0), ValueError, "rho"),
        (lambda: LaplaceLoss(-1.0), ValueError, "epsilon"),
        (lambda: BatchLoss(0.1, 1.5), ValueError, "share"),
        (lambda: dpbi.composed_epsilon([], [1, 1], 3, 1e-6), ValueError, "uses"),
        (lambda: dpbi.composed_epsilon([(dpbi.ehd, 2)], [1, 1], 3, 1e-6), TypeError, "mechanism"),
        (lambda: dpbi.composed_epsilon(dpbi.ehd(1), [1, 1], 3, 2.0), ValueError, "delta"),
    ],
)
def test_what_is_wrong_is_said(wrong, error, word):
    with pytest.raises(error, match=word):
        wrong()
