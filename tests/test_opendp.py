"""Where OpenDP is installed: its integer Laplace noise and ours have one law, and it certifies the same loss."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from dpbi.mechanisms.integer_noise import two_sided_geometric

dp = pytest.importorskip("opendp.prelude")


def noise(scale):
    dp.enable_features("contrib")
    return dp.m.make_laplace(dp.atom_domain(T="i64"), dp.absolute_distance(T="i64"), scale)


def test_two_samples_have_one_law():
    # one chi-square test of two samples at level 1e-3, a second on fresh draws only if it fails: together 1e-6
    rate = Fraction(1)
    measure = noise(float(1 / rate))

    def p_value(size):
        ours, theirs = Counter(two_sided_geometric(rate) for _ in range(size)), Counter(measure(0) for _ in range(size))
        values = [v for v in ours | theirs if ours[v] + theirs[v] >= 20]
        rest = [size - sum(sample[v] for v in values) for sample in (ours, theirs)]
        table = np.array([[sample[v] for v in values] for sample in (ours, theirs)])
        if min(rest) > 5:
            table = np.column_stack([table, rest])
        return stats.chi2_contingency(table).pvalue

    assert p_value(5000) > 1e-3 or p_value(5000) > 1e-3


@pytest.mark.parametrize("epsilon", [0.25, 1.0, 2.0])
def test_it_certifies_the_loss_that_is_promised(epsilon):
    assert noise(1 / epsilon).map(1) == pytest.approx(epsilon, rel=1e-15)
