"""Computations that the proofs of statements leave open: scalar inequalities, certified by interval arithmetic.

The only oracle is Arb. Where a test calls the function that evaluates a statement, that function is what is tested.
"""

import math
from fractions import Fraction
from itertools import pairwise

import pytest

from dpbi import arithmetic
from dpbi.claims import BY_ID
from dpbi.claims.hellinger.smoothed_mechanism import smoothness
from dpbi.claims.notes.theorem_4_5 import ehdl_upper_balanced
from dpbi.model import local_sensitivity

flint = pytest.importorskip("flint")
arb = flint.arb
HALF = arb(1) / 2


@pytest.fixture(autouse=True)
def precision():
    before, flint.ctx.prec = flint.ctx.prec, 128
    yield
    flint.ctx.prec = before


def gap(a, b):
    """J(a, b), half the sum of ln Gamma at both less ln Gamma in the middle."""
    return (a.lgamma() + b.lgamma()) / 2 - ((a + b) / 2).lgamma()


def f(a):
    """e^(-u(a)), u(a) = J(a, a + 1)."""
    return (-gap(a, a + 1)).exp()


def affinity(c, k):
    """p = e^(-J(c, c + k)); 0 at c = 0."""
    return (-gap(c, c + k)).exp() if c > 0 else arb(0)


EVERY = 1 / (4 * (1 - f(arb(1))))  # C^2 for every prior, ((1 + gamma_0) / 2)^2
FLAT = arb("1.1183") ** 2


def test_the_constants_are_what_they_are_printed_as():
    assert EVERY.sqrt() > arb("1.4823")
    assert EVERY.sqrt() < arb("1.4824")
    three = ((1 - affinity(arb(1), 3)) / (9 * (1 - f(arb(3))))).sqrt()
    assert three > arb("1.11827")
    assert three < arb("1.11828")


def test_the_ends_of_the_proof_that_are_left_to_arithmetic():
    """Far from the end the quotient is below 1.21; many steps go no farther than 1; the slope at beta = 1."""
    c = arb(8)
    far = (1 + arb(1) / 8) * (1 + 1 / (2 * c) + 1 / (6 * c**2)) / (1 - 1 / (16 * c) - 1 / (24 * c**2))
    assert far < arb("1.21")
    assert arb("1.21") < FLAT
    for square in (EVERY, FLAT):
        assert 33 * square / 40 * (1 - 1 / arb(16 * 32) - 1 / arb(24 * 32**2)) > 1
    assert EVERY * f(arb(1)) > 1
    assert FLAT * f(arb(2)) > 1
    slope = f(arb(1)) * ((arb(3) / 2).digamma() - arb(1).digamma() - HALF) / (1 - f(arb(1)))
    assert slope < arb("0.887")
    assert (1 / (HALF * (HALF + 1))).sqrt() > arb("0.887")  # sqrt(c / (c + 1)) / c falls, and is larger at 1/2


def test_for_the_flat_prior_the_rest_holds_at_every_whole_c():
    checked = 0
    for k in range(2, 33):
        for c in range(1, 4 * k):
            assert 1 - affinity(arb(c), k) <= k * k * FLAT * (1 - f(arb(c + k - 1)))
            checked += 1
    assert checked > 2000


def test_for_every_prior_the_rest_holds_on_intervals():
    """p and f rise with c: on an interval p is taken at its low end, f at its high end."""
    for k in range(2, 33):
        pieces = [(Fraction(1, 2) if k == 2 else Fraction(0), Fraction(4 * k))]
        while pieces:
            low, high = pieces.pop()
            left = 1 - affinity(arb(flint.fmpq(low.numerator, low.denominator)), k)
            top = high + k - 1
            right = k * k * EVERY * (1 - f(arb(flint.fmpq(top.numerator, top.denominator))))
            if not (right >= 1 or left <= right):
                assert high - low > Fraction(1, 10**5)
                pieces += [(low, (low + high) / 2), ((low + high) / 2, high)]


def test_in_balanced_data_j_steps_go_no_farther_than_j_times_one():
    """1 - e^(-D_j) <= j^2 (1 - e^(-D_1)) for 3 <= a <= 16, a - j >= 1: both D fall with a."""

    def exponent(a, j):
        return gap(a, a + j) + gap(a - j, a)

    for j in range(2, 11):
        points = [max(j + 1, 3) * 1.0015**i for i in range(1200)]
        for low, high in pairwise(points):
            if low > 16:
                break
            left = 1 - (-exponent(arb(low), j)).exp()
            right = j * j * (1 - (-exponent(arb(high), 1)).exp())
            assert right >= 1 or left <= right, (j, low)
    assert exponent(arb(16), 1) * (1 - exponent(arb(16), 1) / 2) * 81 > 1  # nine steps and more are beyond


def test_the_last_lines_of_the_corollaries_are_right():
    """Polynomials in E = e^epsilon and y = E - 1, expanded over fractions; and 1/(2G) < 1.08."""
    rate = 1 / (2 * (1 - arb.pi() / 4).sqrt())
    assert rate < arb("1.08")
    share = Fraction(8, 100)
    for i in range(60):
        y = Fraction(i, 7)
        e = 1 + y
        first = e**2 - e + 1 - (e + 1) * (1 + share * (e - 1)) / 2
        assert first == (e - 1) * (Fraction(96, 100) * e - Fraction(54, 100))
        third = (2 + 2 * y + 2 * y**2) * (3 + 2 * y) - 3 * (1 + y) * (2 + y) * (1 + share * y)
        assert third == Fraction(52, 100) * y + Fraction(628, 100) * y**2 + Fraction(376, 100) * y**3


def test_the_probability_of_the_truth_tends_to_tanh():
    """The limit of EHDL in balanced data that the docstrings name, at 40,000 records, between both bounds."""
    case = {"prior": (1, 1), "counts": (20000, 20000), "epsilon": 0.8, "t": 0.001}
    exact, most = ehdl_upper_balanced(**case)
    assert exact <= most.value
    assert most.value == pytest.approx(math.tanh(0.2), rel=1e-9)
    assert exact == pytest.approx(math.tanh(0.2), rel=1e-3)


def test_the_local_sensitivity_stays_away_from_zero_at_an_end():
    assert local_sensitivity((1, 1), (0, 10**12)) > (1 - math.sqrt(math.pi) / 2) ** 0.5 * (1 - 1e-12)


def test_the_sizes_that_the_first_corollary_names():
    """At epsilon = 0.8, k = 1, by Arb: 3 (1 + e^(epsilon/(2G)) (1 - p)/p) - 1 and 3 e^epsilon / (1 - e^-epsilon)."""
    epsilon = arb("0.8")
    q = (-epsilon).exp()
    p = 1 - (q + q**2) / 2
    proved = 3 * (1 + (epsilon / (2 * (1 - arb.pi() / 4).sqrt())).exp() * (1 - p) / p) - 1
    printed = 3 / q / (1 - q)
    words = f"the corrected size is {float(proved):.1f} and the printed size is {float(printed):.1f}"
    assert words in " ".join(BY_ID["notes/4.5.1"].notes.split())


def test_three_categories_need_a_smoothness_of_at_most_three():
    """The prior and the size that the argument on EHDS names, at gamma = 3.2."""
    case = {"prior": (60, 90, 0.1), "n": 600, "epsilon": 0.1, "gamma": 3.2}
    loss, most = BY_ID["notes/3.1-ehds"](**case, counts=(0, 0, 600), neighbour=(1, 0, 599))
    assert loss > 1.002 * most.value


@pytest.mark.slow
def test_the_reciprocal_distance_is_concave_between_its_ends():
    """R(a) >= 3/2 on [1/50, 3/2], the range that ``notes/smooth-sensitivity-concave`` leaves to intervals."""
    intervals = list(pairwise([0.02 * 1.01**i for i in range(436)]))
    assert intervals[-1][1] > 1.5
    for low, high in intervals:  # grows while it is walked: an interval that does not decide is halved
        with arithmetic.balls():
            ratio = BY_ID["notes/smooth-sensitivity-concave"](z=arb((low + high) / 2, (high - low) / 2 * 1.0001))[0]
        if not ratio > arb(1.5):
            assert high - low > 1e-5 * low
            intervals += [(low, (low + high) / 2), ((low + high) / 2, high)]
    # the ends: e^u >= 3.9 up to 1/50, as u decreases; and the bound beyond 3/2, which increases
    end = arb(1) / 50
    assert (end.lgamma() + end.log() / 2 - (end + HALF).lgamma()).exp() > 3.9
    assert 2.9 * (1 - 4 * end**2 * arb.pi() ** 2 / 3) > 2.8
    assert 2 * (1 - 1 / (24 * arb(1.5) ** 2)) * (1 - 1 / (16 * arb(1.5)) - 1 / (4 * arb(1.5) ** 2)) > 1.5


def test_the_loss_of_two_categories_is_largest_at_zero():
    r"""Q(A) < Q(0) for all A > 0, which the proof of ``hellinger/4.1.2`` for two categories rests on.

    h(a) = (1 - f(a))^(-1/2), f(a) = Gamma(a + 1/2) / (sqrt(a) Gamma(a)), Q(a) = (h(a+1) - h(a)) (1 - 2/h(a+1)).
    """

    def f(a):
        return ((a + HALF).lgamma() - a.lgamma() - a.log() / 2).exp()

    def h(a):
        return (1 - f(a)).rsqrt()

    def ball(low, high):
        return arb((low + high) / 2, (high - low) / 2 * 1.0001)

    def between(low, high):
        """An enclosure of Q on an interval: h increases, so its values at the ends enclose it."""
        here = h(arb(low)).union(h(arb(high)))
        there = h(arb(low) + 1).union(h(arb(high) + 1))
        return (there - here) * (1 - 2 / there)

    t0 = h(arb(1))
    start = (t0 - 1) * (1 - 2 / t0)
    assert float(start) == pytest.approx(1.9646965828533544 * (1 - 2 / 2.9646965828533544))
    grid_points = [0.01 * 1.004**i for i in range(1680)]
    assert grid_points[-1] > 8
    for low, high in pairwise(grid_points):
        assert between(low, high) < start
    # beyond 8 the increment of the concave h is below Q(0) already
    assert h(arb(9)) - h(arb(8)) < start
    # below 0.01: h(1 + A) <= t0 + h'(1) A and h(A) >= 1 + f(A)/2, f(A) >= 1.72 sqrt(A); divide by s = sqrt(A)
    slope = f(arb(1)) * (arb(3) / 2).digamma() - f(arb(1)) * (arb(1).digamma() + HALF)
    slope = slope * t0**3 / 2
    assert 1.3 < slope < 1.32
    for i in range(100):
        a = ball(0.0001 * i, 0.0001 * (i + 1))
        assert ((a + HALF).lgamma() - (a + 1).lgamma()).exp() > 1.72
        s = ball(0.001 * i, 0.001 * (i + 1))
        c, d = 1 - 2 / t0, 2 * slope / t0**2
        increase = (slope * s - arb(0.86)) * (c + d * s * s) + (t0 - 1) * d * s
        assert increase < 0


def test_the_printed_upper_bound_of_ehd_first_fails_as_argued():
    """In balanced data at 772 records, and at 2 beside an end; at 770 and 1 it holds for every epsilon tried."""
    claim = BY_ID["notes/4.5-ehd-upper"]

    def fails(counts, epsilon, t):
        found = claim.at(prior=(1, 1), counts=counts, epsilon=epsilon, t=t).printed
        return found.certain and not found.holds

    assert fails((386, 386), 0.24, 0.01)
    assert not any(fails((385, 385), e / 100, 0.01) for e in range(16, 34, 2))
    assert fails((2, 0), 0.1, 0.7)
    assert not any(fails(x, e, t) for x in ((1, 0), (0, 1)) for e in (0.001, 0.1, 1.0, 5.0) for t in (0.01, 0.9))
    assert all(text in " ".join(claim.notes.split()) for text in ("if n is at least 772", "already at n = 2"))


def test_the_printed_smoothness_counts_every_candidate():
    """e^gamma - 1 = epsilon / (2 ln(2 (n + 1) / delta))."""
    for n in (1, 20):
        closed = 0.8 / (2 * math.log(2 * (n + 1) / 1e-8))
        assert math.expm1(smoothness(0.8, 1e-8, n)) == pytest.approx(closed, rel=1e-12)
