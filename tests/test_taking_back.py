"""Draws whose sum is taken back by shares: their law, what h has to stay below, and that wrong ones are noticed."""

import numpy as np
import pytest
from scipy.stats import norm

import dpbi
import oracles
from dpbi.mechanisms import exponential_draws, exponential_loops
from dpbi.model.datasets import count_vectors
from dpbi.model.distances import count_distances, gamma_gap
from oracles import mp
from test_samplers import agrees

CELLS = {
    "k=3 equal": ((500, 500, 500), (40, 40, 40), 45.0, 0.0),
    "k=3 one narrow": ((1, 1, 0.3), (120, 100, 0), 18.0, 0.0),
    "k=3 one narrow, tilted": ((400, 300, 2), (50, 60, 1), 40.0, 0.0004),
    "k=3 heavy prior": ((1000, 900, 800), (40, 50, 60), 60.0, 0.0),
    "k=4 equal": ((400, 400, 400, 400), (30, 30, 30, 30), 40.0, 0.0),
    "k=4 one narrow, tilted": ((400, 300, 350, 1), (35, 30, 30, 1), 45.0, -0.0005),
    "k=5 two narrow": ((400, 450, 400, 0.1, 2), (24, 24, 24, 0, 1), 58.0, 0.0),
}
"""Prior, counts, rate and tilt."""


@pytest.fixture(autouse=True)
def _shared_everywhere(monkeypatch):
    """Sums are taken back by shares wherever h can be stated, be it worth it or not."""
    monkeypatch.setattr(exponential_draws, "DEARER", 0.0)
    monkeypatch.setattr(exponential_draws, "_worth_sharing", lambda shared, alone: True)


def made(prior, counts, rate, nu, monkeypatch):
    """Weights, counts and the envelope with this tilt on every shell."""
    plain = exponential_draws._shell
    monkeypatch.setattr(
        exponential_draws,
        "_tilted",
        lambda problem, shell: plain(problem, shell.low, shell.high, nu, shell.fineness)._replace(balanced=True),
    )
    a, x = np.add(prior, counts).astype(float), np.array(counts)
    return a, x, exponential_draws.envelope(a, x, rate, exponential_loops.compiled()[0])


def draws_from(a, x, parts, seed):
    rng = np.random.default_rng(seed)

    def draw(n):
        drawn = np.empty((n, len(x)), dtype=np.int64)
        assert exponential_loops.compiled()[1](drawn, rng, a, x, parts, exponential_draws.PATIENCE) == n
        return drawn

    return draw


def listed(prior, counts, rate):
    """The law from the distances of all candidates."""
    weights = np.exp(
        -rate * count_distances(np.array(prior), np.array(counts), count_vectors(sum(counts), len(counts)))
    )
    return weights / weights.sum()


def from_shared(parts):
    """The probability that a proposal comes from a shell that takes back by shares."""
    mass = np.diff(parts.share)[1:] / parts.share[-1]
    return mass[parts.shells[2:, 5] > 0].sum()


@pytest.mark.parametrize("cell", CELLS)
def test_draws_whose_sum_is_shared_follow_the_law(cell, monkeypatch):
    prior, counts, rate, nu = CELLS[cell]
    a, x, parts = made(prior, counts, rate, nu, monkeypatch)
    assert from_shared(parts) > 0.2
    assert agrees(draws_from(a, x, parts, 4), listed(prior, counts, rate), len(CELLS))


def fewer_h(parts):
    return parts._replace(ladder=np.where(parts.shells[2:, 5:6] > 0, parts.ladder - 0.3, parts.ladder))


def no_h(parts):
    return parts._replace(ladder=np.where(np.isfinite(parts.ladder), 0, parts.ladder))


@pytest.mark.parametrize("spoil", [fewer_h, no_h])
def test_a_wrong_h_is_noticed(spoil, monkeypatch):
    prior, counts, rate, nu = CELLS["k=3 one narrow, tilted"]
    a, x, parts = made(prior, counts, rate, nu, monkeypatch)
    assert not agrees(draws_from(a, x, spoil(parts), 5), listed(prior, counts, rate), many=100_000)


# The inequality behind h, at random moves of a shell


def farthest_above(a, x, parts, shell, rng, tries, ladder=None):
    r"""The largest of \(\ln[W(d')\, h(P)\, \rho(u \mid d', P) / e^{\alpha - \theta(D(d) - \nu S)}]\) that is met."""
    low, high, _, theta, nu, _, z, grain, _, _ = parts.shells[shell + 2]
    ladder = parts.ladder[shell] if ladder is None else ladder
    ladder = ladder[np.isfinite(ladder)]
    q = parts.stiffness[shell][parts.kind]
    most = -np.inf
    for _ in range(tries):
        moved = np.zeros(len(a), dtype=np.int64)
        direction = rng.choice([rng.normal(size=len(a)), rng.permutation(np.arange(len(a)) % 2 - 0.5)])
        direction = np.sqrt(a) * (direction + rng.normal(size=len(a)) / 100) * (q > 0)
        direction -= direction.sum() / (q > 0).sum() * (q > 0)
        size = np.sqrt(high * rng.choice([rng.random(), 0.99]) / max((direction**2 / (8 * a)).sum(), 1e-9))
        for i in range(len(a)):
            moved[i] = (
                max(round(size * direction[i]), -x[i]) if q[i] > 0 else rng.integers(-min(x[i], 2), 3) * rng.integers(2)
            )
        first = np.flatnonzero(q > 0)
        moved[first] -= round(moved.sum() / len(first))
        moved[first[0]] -= moved.sum()
        if (x + moved < 0).any() or not low <= gamma_gap(a, a + moved, moved / 2).sum() < high:
            continue
        rung = rng.choice([rng.integers(len(ladder)), len(ladder) - 1])
        P = int(z) + int(rng.choice([-1, 1])) * int(grain) * int(rung)
        S = P + int(moved[q == 0].sum())
        cumulated = S * parts.taken[shell]
        jump = 1 - (cumulated - np.floor(cumulated))
        jumps = np.unique(np.append(jump, [0, 1]))
        u = (jumps[1:] + jumps[:-1]) / 2
        shares = np.diff(np.floor(cumulated) + (u[:, None] > jump), axis=1, prepend=0)
        assert (shares.sum(axis=1) == S).all()
        free = moved + shares
        assert (x + free >= 0).all()  # or the proposal could not be made
        Q = theta / 2 * (q * free**2).sum(axis=1)
        least = Q.min()
        log_rho = least - Q - np.log(np.diff(jumps) @ np.exp(least - Q))
        gained = (gamma_gap(a, a + free, free / 2) - gamma_gap(a, a + moved, moved / 2)).sum(axis=1)
        most = max(most, (ladder[rung] + log_rho + theta * (gained - nu * S)).max())
    return most


LARGE = [
    ((1,) * 4, (10**6,) * 4, 3000.0, 0.0),
    ((1,) * 30, (10**4,) * 30, 900.0, 0.0),
    ((1,) * 12, (10**5, 5 * 10**4, *[10**4] * 8, 3, 0), 300.0, 1e-5),
    ((0.5,) * 8, tuple(range(10**4, 9 * 10**4, 10**4)), 200.0, -1e-6),
    ((1,) * 100, (10**4,) * 99 + (0,), 3000.0, 1e-5),
]


@pytest.mark.parametrize("cell", [*CELLS.values(), *LARGE], ids=lambda cell: f"k={len(cell[0])} n={sum(cell[1])}")
def test_what_is_wanted_stays_below_the_envelope_with_the_sum_taken_back(cell, monkeypatch):
    a, x, parts = made(*cell, monkeypatch)
    rng = np.random.default_rng(8)
    met = [farthest_above(a, x, parts, shell, rng, 100) for shell in np.flatnonzero(parts.shells[2:, 5] > 0)]
    assert np.isfinite(met).any()
    assert max(met) <= 1e-9


def beyond_the_square(parts, shell):
    r"""What \(-\ln h\) holds besides \(\theta\kappa/2\) times the square."""
    theta, nu, kappa, z, grain = parts.shells[shell + 2, [3, 4, 5, 6, 7]]
    square = theta * kappa / 2 * (grain * np.arange(parts.ladder.shape[1]) + abs(nu / kappa - z)) ** 2
    return square, -parts.ladder[shell] - square


def test_half_of_what_h_allows_for_would_not_be_enough(monkeypatch):
    a, x, parts = made(*LARGE[0], monkeypatch)
    rng = np.random.default_rng(9)
    met = []
    for shell in np.flatnonzero(parts.shells[2:, 5] > 0):
        square, rest = beyond_the_square(parts, shell)
        met.append(farthest_above(a, x, parts, shell, rng, 100, -square - rest / 2))
    assert max(met) > 0


def test_the_stiffness_is_the_second_derivative(monkeypatch):
    a, _, parts = made(*CELLS["k=3 one narrow"], monkeypatch)
    stiff = parts.stiffness[0][parts.kind]
    assert stiff[2] == 0
    for weight, found in zip(a[:2], stiff[:2], strict=True):
        p = mp.mpf(weight)  # D(p, p + d) = [ln Gamma(p) + ln Gamma(p + d)] / 2 - ln Gamma(p + d / 2)
        step = mp.mpf(10) ** -12
        up, down = (mp.loggamma(p + d) / 2 - mp.loggamma(p + d / 2) for d in (step, -step))
        assert oracles.relative_error(found, (up + down + mp.loggamma(p)) / step**2) < 1e-13


# Large cells


@pytest.mark.parametrize(
    ("k", "n", "epsilon"),
    [(100, 10**9, 4.0), (100, 10**10, 0.8), (200, 10**9, 2.0)],
)
def test_many_categories_have_the_mean_and_the_spread_of_the_exact_sums(k, n, epsilon, monkeypatch):
    monkeypatch.undo()
    counts = np.full(k, n // k)
    prior, mechanism, size = np.ones(k), dpbi.ehdl(epsilon), 4000
    parts = exponential_draws.envelope(
        prior + counts, counts, float(mechanism.rate(prior, counts)), exponential_loops.compiled()[0]
    )
    assert from_shared(parts) > 0.9
    errors = count_distances(prior, counts, mechanism.sample(prior, counts, np.random.default_rng(k), size))
    mean, deviation, _ = dpbi.error_moments(mechanism, prior, counts)
    level = norm.isf(1e-6)
    assert abs(errors.mean() - mean.value) < level * deviation.value / np.sqrt(size)
    fourth = ((errors - mean.value) ** 2).std() / np.sqrt(size)
    assert abs(((errors - mean.value) ** 2).mean() - deviation.value**2) < level * fourth


def rounded_alone(r, back, jump, taken, total, fraction):
    back[:] = np.floor(total * np.diff(taken, prepend=0) + 0.5)
    r -= back
    jump[:] = 1
    return bool((r >= 0).all())


def test_shares_rounded_one_by_one_are_noticed(monkeypatch):
    a, x, parts = made(*LARGE[1], monkeypatch)
    drawn = np.empty((10, len(x)), dtype=np.int64)
    assert exponential_loops.propose(drawn, np.random.default_rng(1), a, x, parts, 10**5) == 10
    assert (drawn.sum(axis=1) == x.sum()).all()
    monkeypatch.setattr(exponential_loops, "_take_back", rounded_alone)
    assert exponential_loops.propose(drawn, np.random.default_rng(1), a, x, parts, 10**5) == 10
    assert (drawn.sum(axis=1) != x.sum()).any()
