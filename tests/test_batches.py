"""Steps on secret batches: real batches listed, and what is charged."""

import itertools
import math

import numpy as np
import pytest
from scipy.special import ndtr

import dpbi
from dpbi import RDP, GaussianDP, uses_within
from dpbi.guarantees import (
    BatchDP,
    BatchLoss,
    SecretLoss,
    compose,
    hockey_stick_divergence,
    secret_batches,
    subsampled,
    total_cost,
)


def step_on_a_batch():
    """Normal noise of rho 1/4 on 20 of 1000 rows."""
    orders = np.arange(2, 257)
    return BatchDP(subsampled(RDP(orders, orders / 4), 1000, 20), BatchLoss(0.25, 0.02))


def composed(loss, count):
    """So many uses of a loss, by dp-accounting."""
    return BatchDP(RDP([2], [1]), loss, count).composed()


def test_every_batch_listed_costs_no_more_than_the_secret_loss():
    # six records, batches of two, randomised response on the sum of the batch: all batches added up
    response = np.array([[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.1, 0.2, 0.7]])

    def law(records):
        batches = list(itertools.combinations(records, 2))
        return sum(response[sum(batch)] for batch in batches) / len(batches)

    # the hardest laws of the whole batch: the upper hull of the tests of all neighbouring pairs of its sums
    edges = sorted({1.0, *(float(a / b) for i, j in ((0, 1), (1, 2)) for a, b in zip(*response[[i, j]], strict=True))})
    inverse = sorted({*edges, *(1 / e for e in edges)}, reverse=True)

    def worst(factor):
        pairs = [(0, 1), (1, 0), (1, 2), (2, 1)]
        return max(float(np.maximum(response[i] - factor * response[j], 0).sum()) for i, j in pairs)

    # points of the curve in falling order of the factor; between neighbouring factors it is a line
    heights = [worst(f) for f in inverse]
    q = [-(b - a) / (g - f) for f, g, a, b in zip(inverse, inverse[1:], heights, heights[1:], strict=False)]
    masses_q = np.diff([0.0, *q, 1.0])
    masses_q = np.maximum(masses_q, 0)
    masses_p = masses_q * np.array(inverse)
    loss = SecretLoss(masses_p / masses_p.sum(), masses_q / masses_q.sum(), 2 / 6)
    for ones in range(6):
        x, y = [1] * ones + [0] * (6 - ones), [1] * (ones + 1) + [0] * (5 - ones)
        for here, there in ((x, y), (y, x)):
            for epsilon in (0.0, 0.1, 0.3, 0.6):
                exact = float(np.maximum(law(here) - math.exp(epsilon) * law(there), 0).sum())
                assert exact <= composed(loss, 1).get_delta_for_epsilon(epsilon) + 1e-12


def test_normal_noise_cut_into_pieces_is_normal_noise(monkeypatch):
    monkeypatch.setattr(secret_batches, "COARSEST", 2**15)
    # outputs in small cells: a garbling, and near
    rho, share = 0.3, 0.05
    edges = np.concatenate([[-np.inf], np.linspace(-9, 9, 4001), [np.inf]])
    shift = math.sqrt(2 * rho)
    p, q = (np.diff(ndtr(edges - at)) for at in (shift / 2, -shift / 2))
    losses = (SecretLoss(p, q, share), BatchLoss(rho, share))
    cut, whole = (composed(loss, 200).get_epsilon_for_delta(1e-6) for loss in losses)
    assert cut == pytest.approx(whole, rel=1e-3)


def batch_delta(rho, share, epsilon):
    """By the formula, from the exact profile of normal noise."""
    if epsilon < 0:
        return 1 - math.exp(epsilon) + math.exp(epsilon) * batch_delta(rho, share, -epsilon)
    return share * GaussianDP(rho).delta(math.log1p(math.expm1(epsilon) / share))


@pytest.mark.parametrize("rho", [0.02, 0.5, 3.0])
@pytest.mark.parametrize("share", [0.01, 0.3, 1.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.2, 1.3])
def test_one_batch_has_the_delta_of_its_formula(rho, share, epsilon):
    exact = batch_delta(rho, share, epsilon)
    found = composed(BatchLoss(rho, share), 1).get_delta_for_epsilon(epsilon)
    assert exact * (1 - 1e-9) - 1e-14 <= found <= exact * 1.01 + 1e-9


def test_the_whole_data_as_a_batch_is_no_batch():
    exact = GaussianDP(0.4).epsilon(1e-6)
    assert exact <= composed(BatchLoss(0.01, 1.0), 40).get_epsilon_for_delta(1e-6) <= exact * 1.001


def test_a_real_subsample_costs_no_more_than_the_batch_account():
    # the sum of a batch of two of five ones and zeros, with normal noise: mixtures, added up on a grid
    share, rho = 2 / 5, 0.5
    noise, grid = 1 / math.sqrt(2 * rho), np.linspace(-12, 14, 20001)

    def density(x, ones):
        total = math.comb(5, 2)
        ways = {j: math.comb(ones, j) * math.comb(5 - ones, 2 - j) / total for j in range(3) if j <= ones}
        bells = sum(w * np.exp(-(((x - j) / noise) ** 2) / 2) for j, w in ways.items())
        return bells / (noise * math.sqrt(2 * math.pi))

    for here, there in ((1, 0), (3, 2), (0, 1)):
        for epsilon in (0.0, 0.3):
            gaps = np.maximum(density(grid, here) - math.exp(epsilon) * density(grid, there), 0)
            exact = float(gaps.sum() * (grid[1] - grid[0]))
            assert exact <= composed(BatchLoss(rho, share), 1).get_delta_for_epsilon(epsilon) + 1e-6


def test_what_is_charged_is_the_smaller_of_two():
    step = step_on_a_batch()
    for count in (1, 30, 400):
        many = step.repeat(count)
        assert many == step.repeat(1).repeat(count)
        by_losses, by_renyi = many.composed(), step.renyi.repeat(count)
        assert many.epsilon(1e-6) == pytest.approx(
            min(by_losses.get_epsilon_for_delta(1e-6), by_renyi.epsilon(1e-6)), rel=1e-6
        )
        assert many.delta(1.0) == min(max(by_losses.get_delta_for_epsilon(1.0), 0) + 1e-12, by_renyi.delta(1.0))
        assert many.log_delta(1.0) == pytest.approx(math.log(many.delta(1.0)), rel=1e-9)
    assert step.repeat(0).epsilon(1e-6) == step.repeat(0).delta(0.0) == 0
    # far out only divergences say something
    assert -1000 > many.log_delta(80.0) == by_renyi.log_delta(80.0)


def test_steps_on_batches_join_other_promises():
    step = step_on_a_batch().repeat(50)
    together = compose(step, GaussianDP(0.01))
    assert together == compose(step.renyi_together, GaussianDP(0.01))
    spent = total_cost([step, GaussianDP(0.01)], 1e-6)
    assert step.epsilon(1e-6) < spent.epsilon == together.epsilon(1e-6)
    assert spent.rho == math.inf
    with pytest.raises(TypeError, match="budget"):
        uses_within(step, dpbi.ZCDP(1.0))


LAW = RDP([2, 3], [0.1, 0.2])


@pytest.mark.parametrize(
    ("wrong", "error", "word"),
    [
        (lambda: SecretLoss([0.5, 0.4], [0.5, 0.5], 0.1), ValueError, "p must"),
        (lambda: SecretLoss([0.5, 0.5], [1.5, -0.5], 0.1), ValueError, "q must"),
        (lambda: SecretLoss([0.5, 0.5], [0.3, 0.3, 0.4], 0.1), ValueError, "outputs of p"),
        (lambda: SecretLoss([0.5, 0.5], [0.3, 0.7], 0.0), ValueError, "share"),
        (lambda: SecretLoss([0.9, 0.1], [0.8, 0.2], 1.0), ValueError, "symmetric"),
        (lambda: BatchDP(GaussianDP(1.0), BatchLoss(0.1, 0.1)), TypeError, "renyi"),
        (lambda: BatchDP(LAW, GaussianDP(1.0)), TypeError, "losses"),
        (lambda: BatchDP(LAW, BatchLoss(0.1, 0.1), -1), ValueError, "count"),
        (lambda: BatchDP(LAW, BatchLoss(0.1, 0.1)).epsilon(1.5), ValueError, "delta"),
        (lambda: BatchDP(LAW, BatchLoss(0.1, 0.1)).delta(-0.5), ValueError, "epsilon"),
    ],
)
def test_what_is_wrong_is_said(wrong, error, word):
    with pytest.raises(error, match=word):
        wrong()


OF_TWO_LAWS = {
    "hockey stick": lambda p, q: hockey_stick_divergence(p, q, 0.3),
    "secret loss": lambda p, q: SecretLoss(p, q, 0.1),
    "table": lambda p, q: dpbi.audit_table([p, q], [(0, 1)]),
}
NO_LAWS = {
    "sum": ([0.5, 0.4], "the sum 1"),
    "negative": ([1.5, -0.5], ">= 0"),
    "nan": ([math.nan, 0.5], ">= 0"),
    "other outputs": ([0.3, 0.3, 0.4], "outputs of p|one-dimensional of one length|one length"),
}


@pytest.mark.parametrize("kind", NO_LAWS)
@pytest.mark.parametrize("function", OF_TWO_LAWS)
def test_what_is_no_pair_of_laws_is_one_clear_error(function, kind):
    law, said = NO_LAWS[kind]
    for pair in ((law, [0.5, 0.5]), ([0.5, 0.5], law)):
        with pytest.raises(ValueError, match=said):
            OF_TWO_LAWS[function](*pair)
