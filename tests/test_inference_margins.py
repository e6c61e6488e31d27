"""Inference for a table from overlapping margins: the chain against enumerations without imports from the library."""

import itertools
import math
import warnings

import numpy as np
import pytest
from scipy import stats

from dpbi.inference import Margin, Noisy, given_margins, given_releases
from dpbi.inference.draws import agreement
from oracles import log_likelihood
from test_inference_joint import MECHANISMS, moments_of


def enumerated(prior, shape, n, margins):
    """All tables and their posterior probabilities."""
    cells = list(itertools.product(*map(range, shape)))
    tables = [x for x in itertools.product(range(n + 1), repeat=len(cells)) if sum(x) == n]
    logs = []
    for x in tables:
        total = sum(math.lgamma(prior + count) - math.lgamma(count + 1) for count in x)
        for margin in margins:
            sums = dict.fromkeys(itertools.product(*(range(shape[column]) for column in margin.columns)), 0)
            for cell, count in zip(cells, x, strict=True):
                sums[tuple(cell[column] for column in margin.columns)] += count
            total += log_likelihood(margin.mechanism, margin.counts, list(sums.values()), margin.epsilon)
        logs.append(total)
    p = np.exp(np.array(logs) - max(logs))
    return np.array(tables), p / p.sum()


def settings(count, seed):
    """Tables of at most four cells and eight records: two columns, or one that is released several times."""
    rng = np.random.default_rng(seed)
    for number in range(count):
        shape = [(2, 2), (2, 2), (2,), (3,), (4,)][number % 5]
        n, prior = int(rng.integers(1, 9)), float(rng.choice([0.2, 0.5, 1.0, 3.0]))
        x = rng.multinomial(n, rng.dirichlet([prior] * math.prod(shape))).reshape(shape)
        asked = [(0,), (1,), (0, 1), (1, 0)] if len(shape) == 2 else [(0,)]
        margins = []
        for mechanism in (MECHANISMS[number % len(MECHANISMS)], *rng.choice(MECHANISMS, int(rng.integers(3)))):
            columns = asked[int(rng.integers(len(asked)))]
            y = x.T.ravel() if columns == (1, 0) else x.sum(axis=tuple(set(range(len(shape))) - set(columns))).ravel()
            z = y + rng.integers(-4, 5, len(y))
            z[-1] = n - z[:-1].sum()
            margins.append(Margin(columns, z.tolist(), float(rng.choice([0.2, 0.7, 2.0])), str(mechanism)))
        yield number, prior, shape, n, margins


@pytest.mark.parametrize("count", [8, pytest.param(100, marks=pytest.mark.slow)])
def test_draws_have_the_moments_of_the_exact_posterior(count):
    # Every mean, square and product of hidden counts and of shares, in random settings, beside the effective number of
    # draws. The mean of draws of what happens once in 10^5 draws is not near normal: where its exact skewness is above
    # 1/4, how often the product is not zero is held to its binomial law instead.
    worst, normal, used = 0.0, 0, set()
    for number, prior, shape, n, margins in settings(count, seed=180):
        used |= {margin.mechanism for margin in margins}
        tables, p = enumerated(prior, shape, n, margins)
        rng = np.random.default_rng(number)
        found = given_margins(prior, shape, n, margins, rng, draws=500 if count == 8 else 1000, sweeps=6)
        assert found.mixed
        assert (found.counts.sum(axis=1) == n).all()
        drawn = {"counts": found.counts, "shares": found.draws(rng)}
        for what, cells, (mean, second, third) in moments_of(tables, p, prior, n):
            values = drawn[what][:, list(cells)].prod(axis=1).astype(float)
            worth = min(float(agreement(values.reshape(4, -1, 1))[1][0]), len(values))
            variance = max(second - mean**2, 1e-20)
            skewness = (third - 3 * mean * variance - mean**3) / variance**1.5 / math.sqrt(worth)
            if abs(skewness) <= 0.25:
                worst, normal = max(worst, abs(values.mean() - mean) / math.sqrt(variance / worth)), normal + 1
            elif what == "counts":
                law = stats.binom(len(values), p @ (tables[:, list(cells)].prod(axis=1) > 0))
                seen = int((values > 0).sum())
                assert min(law.sf(seen - 1), law.cdf(seen)) > 1e-5
    assert worst < 4
    assert normal > 10 * count
    assert used == set(MECHANISMS)


def test_shares_and_conclusions_of_one_release_are_exact():
    release = [30, 12, 5, 13]
    exact = given_releases([0.5] * 4, 60, [Noisy(release, 0.4)])
    rng = np.random.default_rng(3)
    found = given_margins(0.5, (4,), 60, [Margin((0,), release, 0.4)], rng, draws=2000)
    for ours, theirs in zip(found.shares((0,)), exact.shares, strict=True):
        assert ours.mean == pytest.approx(theirs.mean, abs=0.004)
        assert ours.interval(0.9) == pytest.approx(theirs.interval(0.9), abs=0.015)
    theta = found.draws(rng)
    difference = found.concluded(theta[:, 0] - theta[:, 1])
    assert abs(difference.mean - (exact.shares[0].mean - exact.shares[1].mean)) < 4 * difference.standard_error
    new = found.predicted(7, rng)
    assert (new.sum(axis=1) == 7).all()


def test_a_margin_of_tables_has_the_order_of_its_columns():
    found = given_margins(1, (2, 3), 6, [Margin((1, 0), [1] * 6, 1.0)], np.random.default_rng(1), draws=50)
    x = np.arange(6)
    assert found.margin((1, 0), x).tolist() == [[0, 3, 1, 4, 2, 5]]
    assert found.margin((1,), x).tolist() == [[3, 5, 7]]


def test_a_chain_that_has_not_mixed_says_so():
    """Four draws and a sweep between them, from starts far apart."""
    margins = [Margin((0, 1), [300] * 25, 0.01)]
    with pytest.warns(UserWarning, match="not mixed"):
        found = given_margins(0.05, (5, 5), 7500, margins, np.random.default_rng(1), draws=4, sweeps=1)
    assert not found.mixed
    chains = np.random.default_rng(1).normal(size=(4, 200, 1)) + np.arange(4)[:, None, None]
    ratio, worth = agreement(chains)  # four chains that stay apart
    assert ratio[0] > 1.4
    assert worth[0] < 20


@pytest.mark.slow
def test_ranks_of_the_truth_are_uniform():
    """A small simulation-based calibration: three columns, twelve cells; results/inference has the large one."""
    rng = np.random.default_rng(77)
    shape, n, runs, draws = (2, 3, 2), 100, 150, 19
    ranks = np.zeros((runs, 4), dtype=int)
    for run in range(runs):
        theta = rng.dirichlet(np.full(12, 0.7))
        x = rng.multinomial(n, theta).reshape(shape)
        margins = []
        for columns in itertools.combinations(range(3), 2):
            y = x.sum(axis=next(iter(set(range(3)) - set(columns)))).ravel()
            z = y + rng.geometric(1 - math.exp(-0.2), len(y)) - rng.geometric(1 - math.exp(-0.2), len(y))
            z[-1] = n - z[:-1].sum()
            margins.append(Margin(columns, z, 0.4, "geometric"))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # so few draws are not enough to say that they have mixed
            found = given_margins(0.7, shape, n, margins, rng, draws=draws, chains=1, sweeps=10)

        def seen(tables):
            return np.column_stack([
                tables[:, 0, 0, 0], tables[:, 0].sum(axis=(1, 2)), tables[:, 1, 2].sum(axis=1) - tables[:, 0, 2, 1],
                tables[:, 0, 1].sum(axis=1) / tables[:, 0].sum(axis=(1, 2))])  # fmt: skip

        ranks[run] = (seen(found.draws(rng).reshape(-1, *shape)) < seen(theta.reshape(1, *shape))).sum(axis=0)
    for column in range(4):
        histogram = np.bincount(ranks[:, column] // 2, minlength=10)
        assert stats.chisquare(histogram).pvalue > 1e-4, histogram


@pytest.mark.parametrize(("change", "message"), [
    ({"sizes": (1, 2)}, "sizes must be an integer >= 2"),
    ({"prior": [1, 1]}, "prior must have one number for each of the 4 cells"),
    ({"margins": [Margin((0, 0), [1, 1, 1, 1], 1.0)]}, "columns of a margin must be different numbers"),
    ({"margins": [Margin((2,), [1, 1], 1.0)]}, "columns must be an integer"),
    ({"margins": [Margin((0,), [1, 1, 1], 1.0)]}, "noisy must be 2 whole numbers"),
    ({"margins": [Margin((0,), [1, 1], 1.0, "ehd")]}, "mechanism must be one of lshist"),
    ({"margins": [Margin((0,), [10**12, 1], 1.0)]}, "noisy must be within"),
    ({"draws": 10**9}, "draws must be an integer >= 4 and < 50000000"),
])  # fmt: skip
def test_bad_input_is_refused_by_name(change, message):
    right = {"prior": 1, "sizes": (2, 2), "n": 5, "margins": [Margin((0,), [2, 3], 1.0)]}
    with pytest.raises(ValueError, match=message):
        given_margins(**(right | change), rng=np.random.default_rng(1))
