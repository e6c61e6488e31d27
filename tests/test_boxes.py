"""The search on boxes: its two ends hold the greatest value, and its slopes are derivatives, against mpmath."""

import itertools
import math

import mpmath
import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from dpbi import arithmetic
from dpbi.arithmetic.slopes import Slopes
from dpbi.posterior_sampling.boxes import Between, greatest
from dpbi.posterior_sampling.records import changes, example, holds, oscillations


def on_interval(function, low, high):
    """A function of one number on an interval."""
    with arithmetic.balls(64):
        ends = arithmetic.hull([arithmetic.number(low), arithmetic.number(high)])
        middle = arithmetic.hull([(arithmetic.number(low) + arithmetic.number(high)) / 2])
        return function(Slopes(ends, middle, (arb(1),), (ends - middle,)))


FUNCTIONS = {
    "exp": (arithmetic.exp, mpmath.exp),
    "expm1": (arithmetic.expm1, mpmath.expm1),
    "log": (arithmetic.log, mpmath.log),
    "log1p": (arithmetic.log1p, mpmath.log1p),
    "sqrt": (arithmetic.sqrt, mpmath.sqrt),
    "lgamma": (arithmetic.lgamma, mpmath.loggamma),
    "digamma": (arithmetic.digamma, mpmath.digamma),
    "erfc": (arithmetic.erfc, mpmath.erfc),
    "tanh": (arithmetic.tanh, mpmath.tanh),
    "log_one_minus_exp": (lambda x: arithmetic.log_one_minus_exp(-x), lambda x: mpmath.log(-mpmath.expm1(-x))),
    "normal_cdf": (arithmetic.normal_cdf, mpmath.ncdf),
    "square": (lambda x: x * x, lambda x: x * x),
    "cube": (lambda x: x**3, lambda x: x**3),
    "inverse": (lambda x: 2 / x, lambda x: 2 / x),
    "quotient": (lambda x: arithmetic.exp(x) / (1 + x), lambda x: mpmath.exp(x) / (1 + x)),
    "product": (lambda x: x * arithmetic.exp(-x), lambda x: x * mpmath.exp(-x)),
    "difference": (lambda x: 3 - x - arithmetic.log(x), lambda x: 3 - x - mpmath.log(x)),
    "absolute": (lambda x: abs(1 - x), lambda x: abs(1 - x)),
    "maximum": (lambda x: arithmetic.maximum(x, 2 - x), lambda x: max(x, 2 - x)),
    "maximum of a number": (lambda x: arithmetic.maximum(1, x * x), lambda x: max(mpmath.mpf(1), x * x)),
    "minimum": (lambda x: arithmetic.minimum(x, 1), lambda x: min(x, mpmath.mpf(1))),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize(("low", "high"), [(0.5, 0.75), (0.8, 1.3), (2.0, 2.000001)])
def test_a_number_on_a_box_holds_the_values_and_the_slopes(name, low, high):
    function, true = FUNCTIONS[name]
    found = on_interval(function, low, high)
    for share in (0, 0.21, 0.5, 0.83, 1):
        at = mpmath.mpf(low) + mpmath.mpf(share) * (mpmath.mpf(high) - mpmath.mpf(low))
        value, slope = true(at), mpmath.diff(true, at)
        assert float(found.value.lower()) - 1e-12 <= value <= float(found.value.upper()) + 1e-12
        assert float(found.slopes[0].lower() if isinstance(found.slopes[0], arb) else found.slopes[0]) - 1e-7 <= slope
        assert slope <= float(found.slopes[0].upper() if isinstance(found.slopes[0], arb) else found.slopes[0]) + 1e-7
    if high - low < 1e-5:  # and are not much wider
        assert float(found.value.rad()) < 1e-4
        assert float(arb(found.slopes[0]).rad()) < 1e-4


def test_an_even_power_of_a_box_about_zero_is_not_negative():
    assert on_interval(lambda x: x * x, -1, 1).value > -1e-6
    assert on_interval(lambda x: x**4, -1, 2).value > -1e-6
    assert on_interval(lambda x: arithmetic.log(1 + x**2), -1, 1).value.is_finite()


@pytest.mark.parametrize(
    "formula",
    [
        lambda x: x if x > 1 else -x,
        lambda x: np.where(x < 1, x, 1),
        lambda x: x if x == 1 else 0,
        lambda x: math.log(x),
        lambda x: float(x),
        lambda x: bool(x),
        lambda x: x**0.5,
    ],
)
def test_a_formula_that_compares_or_rounds_is_an_error_and_no_wrong_bound(formula):
    with pytest.raises((TypeError, ArithmeticError)):
        on_interval(formula, 0.5, 2)


GREATEST = {  # the function, its box, and its greatest value
    "rising": (lambda x, y: arithmetic.exp(x) - y, [Between(0, 1), Between(2, 3)], math.e - 2),
    "inside": (lambda x: x * arithmetic.exp(-x), [Between(0, 5)], math.exp(-1)),
    "saddle": (lambda x, y: x * y, [Between(-1, 2), Between(-3, 1)], 3.0),
    "kink": (lambda x: -abs(x - 0.3), [Between(-1, 1)], 0.0),
    "negative": (lambda x: -1 - x**2, [Between(-1, 2)], -1.0),
    "two valleys": (lambda x: (x * x - 1) ** 2, [Between(-1.5, 1.25)], 1.5625),
    "a point": (lambda x: x, [Between(0.25, 0.25)], 0.25),
    "constant": (lambda x: 0 * x + 7, [Between(0, 1)], 7.0),
}


@pytest.mark.parametrize("name", GREATEST)
@pytest.mark.parametrize("relative", [1e-2, 1e-6])
def test_the_greatest_value_is_between_the_two_ends(name, relative):
    function, box, true = GREATEST[name]
    found = greatest([(function, box)], relative=relative)
    assert found.least <= true + 1e-15
    assert true <= found.most + 1e-15
    assert found.most - found.least <= relative * abs(true) + 2e-12
    assert float(function(*found.at)) == pytest.approx(found.least, abs=1e-12)


def test_of_several_functions_the_greatest_counts_and_is_named():
    found = greatest([(lambda x: x, [Between(0, 1)]), (lambda x, y: x + y, [Between(0, 1), Between(0, 2)])])
    assert (found.problem, found.at) == (1, (1.0, 2.0))
    assert found.least == pytest.approx(3, abs=1e-12)


@pytest.mark.parametrize("budget", [1, 5, 40])
def test_a_budget_that_is_spent_leaves_a_wider_pair_that_still_holds(budget):
    found = greatest([(lambda x, y: -((x - y**2) ** 2), [Between(0, 1), Between(-1, 1)])], relative=1e-9, budget=budget)
    assert found.least <= 0 <= found.most
    assert found.boxes <= budget + 4


@settings(max_examples=40)
@given(coefficients=st.lists(st.floats(-3, 3), min_size=3, max_size=5), low=st.floats(-2, 0), width=st.floats(0.1, 3))
def test_polynomials_are_never_above_the_upper_end(coefficients, low, width):
    def polynomial(x):
        return sum(c * x**k for k, c in enumerate(coefficients))

    found = greatest([(polynomial, [Between(low, low + width)])], budget=300)
    grid = polynomial(np.linspace(low, low + width, 1001))
    assert found.least <= grid.max() + 1e-9 + width**2
    assert grid.max() <= found.most + 1e-12


@pytest.mark.parametrize("sign", [1, -1])
def test_every_pair_of_records_and_parameters_is_among_the_problems(sign):
    """Against brute force over a list: an asymmetric table of log likelihoods, and the same with the other sign."""
    table = sign * np.random.default_rng(8).normal(size=(4, 5))
    problems = oscillations(lambda t, x: table[int(t), int(x)], range(4), range(5))
    brute = max(
        table[t, x] - table[t, y] - table[s, x] + table[s, y]
        for t, s, x, y in itertools.product(range(4), range(4), range(5), range(5))
    )
    assert greatest(problems).least == pytest.approx(brute, rel=1e-12)
    change = greatest(changes(lambda t, x: table[int(t), int(x)], range(4), range(5)))
    assert change.least == pytest.approx(np.ptp(table, axis=1).max(), rel=1e-12)
    few = oscillations(lambda t, x: sign * t * x, (1, 3), (2, 7))
    assert greatest(few).least == pytest.approx(10, rel=1e-12)


def test_a_lone_range_and_two_lists_are_searched_whole():
    """Two parameters and a range of records: w is that of the two, whichever way the records differ."""
    for sign in (1, -1):
        problems = oscillations(lambda t, x, s=sign: s * t * x * x, (1.0, 3.0), (Between(-1, 2), 0.5))
        assert greatest(problems).least == pytest.approx(8, rel=1e-3)


def test_records_are_what_was_declared():
    declared = (Between(0, 1), 2)
    rng = np.random.default_rng(1)
    assert all(holds(declared, example(declared, rng)) for _ in range(50))
    for other in [(1.1, 2), (0.5, 3), (0.5,), (0.5, 2, 2), 0.5, "a"]:
        assert not holds(declared, other)
    assert holds("rain", "rain")
    assert not holds("rain", "sun")
    with pytest.raises(ValueError, match=r"low must be at most high, got low=2, high=1"):
        Between(2, 1)


def test_a_search_says_how_far_it_has_come():
    seen = []
    quiet = greatest([(lambda x, y: x * y - x * x, [Between(0, 3), Between(-1, 2)])], relative=1e-3)
    told = greatest(
        [(lambda x, y: x * y - x * x, [Between(0, 3), Between(-1, 2)])],
        relative=1e-3,
        progress=lambda *at: seen.append(at),
    )
    assert told == quiet
    assert seen == sorted(seen)
    assert seen[-1] == (20_000, 20_000)
