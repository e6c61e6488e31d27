"""Exact draws and exact errors, one function at a time; ``exact_draws.py`` has the whole picture."""

import numpy as np
import pytest

import dpbi

SIZES = [(2, 10**9), (20, 10**8), (1000, 10**6)]


@pytest.mark.parametrize(("k", "n"), SIZES)
@pytest.mark.parametrize(
    "mechanism", [dpbi.ehd(2.0), dpbi.ehdl(2.0), dpbi.ehds(2.0)], ids=lambda mechanism: mechanism.name
)
def bench_a_thousand_draws(benchmark, mechanism, k, n):
    prior, counts, rng = np.ones(k), np.full(k, n // k), np.random.default_rng(1)
    mechanism.sample(prior, counts, rng, 1000)  # compiles
    drawn = benchmark.pedantic(mechanism.sample, (prior, counts, rng, 1000), rounds=3)
    assert (drawn.sum(axis=1) == counts.sum()).all()


@pytest.mark.parametrize("mechanism", [dpbi.ehdl(0.8), dpbi.geometric(0.8)], ids=lambda mechanism: mechanism.name)
def bench_mean_error_of_a_billion_records(benchmark, mechanism):
    assert 0 < benchmark(dpbi.mean_error, mechanism, [1, 1], [3 * 10**8, 7 * 10**8]) < 1
