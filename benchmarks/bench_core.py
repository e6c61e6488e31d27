"""The exact core at the sizes it is meant for."""

import numpy as np
import pytest

import dpbi


@pytest.mark.parametrize("sensitivity", [dpbi.exponential_smooth_sensitivity, dpbi.reciprocal_smooth_sensitivity])
def bench_smooth_sensitivity_of_a_billion_records(benchmark, sensitivity):
    counts = np.random.default_rng(0).multinomial(10**9, np.full(1000, 1e-3))
    assert benchmark(sensitivity, np.ones(1000), counts, 0.01) > 0


@pytest.mark.parametrize(("k", "n"), [(2, 2000), (3, 40), (4, 12)])
@pytest.mark.parametrize("mechanism", [dpbi.lshist(0.8), dpbi.ehd(0.8)], ids=lambda mechanism: mechanism.name)
def bench_audit(benchmark, mechanism, k, n):
    assert benchmark.pedantic(dpbi.audit, (mechanism, np.ones(k), n), rounds=2).epsilon > 0
