"""The interval arithmetic of the claims against mpmath, closed forms and hand calculation."""

import math

import mpmath
import pytest
from flint import arb, fmpq

from dpbi.claims import balls, floats


def contains(ball, value, digits=30) -> bool:
    """Whether a ball agrees with an mpmath number to that many digits."""
    with mpmath.workdps(60):
        middle = mpmath.mpf(ball.mid().str(50, radius=False))
        assert abs(middle - value) <= mpmath.mpf(10) ** -digits * abs(value), (ball, value)
        assert float(ball.rad()) <= 10**-digits * abs(float(value))
    return True


def hellinger_by_gamma(a, b):
    with mpmath.workdps(60):
        a, b = [mpmath.mpf(x) for x in a], [mpmath.mpf(x) for x in b]

        def log_beta(v):
            return sum(mpmath.loggamma(x) for x in v) - mpmath.loggamma(sum(v))

        middle = [(x + y) / 2 for x, y in zip(a, b, strict=True)]
        return mpmath.sqrt(1 - mpmath.exp(log_beta(middle) - (log_beta(a) + log_beta(b)) / 2))


def test_both_arithmetics_offer_the_same_names():
    for name in floats.__all__:
        assert hasattr(balls, name), name
        assert hasattr(floats, name), name


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (("0.5", "3"), ("2", "1.5")),
        (("1", "1"), ("1", "9")),
        (("0.1", "2", "7"), ("3.1", "1", "5")),
        (("2", "3"), ("4", "5")),
    ],
)
def test_the_distance_agrees_with_mpmath(a, b):
    first, second = ([fmpq(*map(int, _ratio(x))) for x in v] for v in (a, b))
    assert contains(balls.hellinger(first, second), hellinger_by_gamma(a, b))


def _ratio(text):
    from fractions import Fraction

    value = Fraction(text)
    return value.numerator, value.denominator


def test_numbers_enter_as_the_decimals_that_they_are_written_as():
    assert balls.number(0.8) == fmpq(4, 5)
    assert balls.number((1, 0.25)) == (fmpq(1), fmpq(1, 4))


def test_global_sensitivity_of_the_flat_prior_is_the_printed_constant():
    exact = balls.global_sensitivity(balls.number((1, 1, 1)), 3)
    with mpmath.workdps(60):
        assert contains(exact, mpmath.sqrt(1 - mpmath.pi / 4))


def test_floored_laplace_noise_by_its_distribution_function():
    """Counts (3, 1), epsilon 0.7: Pr[out = r] from mpmath's Laplace distribution function, clamped to 0..4."""
    outputs, probabilities = balls.law(balls.lshist(balls.number(0.7)), balls.number((1, 1)), balls.number((3, 1)))
    with mpmath.workdps(60):
        rate = mpmath.mpf("0.7")

        def below(y):
            return mpmath.exp(rate * y) / 2 if y <= 0 else 1 - mpmath.exp(-rate * y) / 2

        edges = [0, *(below(r - 3) for r in range(1, 5)), 1]
        for (r, _), ball in zip(outputs.tolist(), probabilities, strict=True):
            assert contains(ball, edges[r + 1] - edges[r])


def test_the_exponential_law_of_one_record_in_closed_form():
    """Two candidates at distance GS: 1 / (1 + e^(-epsilon/2)) for the truth."""
    outputs, probabilities = balls.law(balls.ehd(balls.number(0.8)), balls.number((0.3, 2)), balls.number((1, 0)))
    assert outputs.tolist() == [[0, 1], [1, 0]]
    with mpmath.workdps(60):
        assert contains(probabilities[1], 1 / (1 + mpmath.exp(-mpmath.mpf("0.4"))))


def test_the_delta_of_the_undivided_mechanism_at_two_records():
    """Prior (1, 1), n = 2, x = (2, 0): the definitions followed over three datasets, in mpmath."""
    with mpmath.workdps(40):
        eps, delta = mpmath.mpf("0.8"), mpmath.mpf("1e-8")

        def h(x, r):
            return hellinger_by_gamma((1 + x, 3 - x), (1 + r, 3 - r))

        edge = [h(0, 1), h(1, 2)]
        local = [edge[0], max(edge), edge[1]]
        gamma = mpmath.log(1 - eps / (2 * mpmath.log(delta / 6)))
        smooth = [max(local[y] * mpmath.exp(-gamma * abs(x - y)) for y in range(3)) for x in range(3)]

        def law(x):
            weights = [mpmath.exp(-eps * h(x, r) / smooth[x]) for r in range(3)]
            return [w / sum(weights) for w in weights]

        worst = max(
            sum(max(p - mpmath.exp(eps) * q, 0) for p, q in zip(law(x), law(y), strict=True))
            for x, y in ((0, 1), (1, 0), (1, 2), (2, 1))
        )
        mechanism = balls.smoothed_hellinger(balls.number(0.8), balls.number(1e-8), 1)
        assert contains(balls.hockey_stick(mechanism, balls.number((1, 1)), 2, balls.number(0.8)), worst)
        assert float(worst) == pytest.approx(0.0616178319485442734)


def test_smooth_sensitivities_by_their_definition():
    """Prior (1/2, 2), n = 3: the maximum over the four datasets, in mpmath."""
    with mpmath.workdps(50):

        def h(x, r):
            return hellinger_by_gamma((x + mpmath.mpf("0.5"), 5 - x), (r + mpmath.mpf("0.5"), 5 - r))

        edge = [h(0, 1), h(1, 2), h(2, 3)]
        local = [edge[0], max(edge[:2]), max(edge[1:]), edge[2]]
        gamma = mpmath.mpf("0.3")
        prior = balls.number((0.5, 2))
        for x in range(4):
            counts = balls.number((x, 3 - x))
            assert contains(balls.local_sensitivity(prior, counts), local[x])
            reciprocal = max(1 / (1 / local[y] + gamma * abs(x - y)) for y in range(4))
            assert contains(balls.reciprocal_smooth_sensitivity(prior, counts, balls.number(0.3)), reciprocal)
            exponential = max(local[y] * mpmath.exp(-gamma * abs(x - y)) for y in range(4))
            assert contains(balls.exponential_smooth_sensitivity(prior, counts, balls.number(0.3)), exponential)


def test_ties_are_found_by_their_form_not_by_rounding():
    """Both neighbours of (1, 1) are equally far: nearer takes neither, as_near takes both."""
    prior, counts, other = balls.number((1, 1)), balls.number((1, 1)), balls.number((2, 0))
    mechanism = balls.lshist(balls.number(1))
    assert float(balls.nearer(mechanism, prior, counts, other)) == pytest.approx((1 - math.exp(-1)) / 2)
    assert balls.as_near(mechanism, prior, counts, other) == arb(1)


def test_an_overlap_is_no_decision():
    with pytest.raises(balls.Undecided):
        balls.less(arb(1, 0.1), arb(1))
    assert balls.sign(arb(0, 0.1)) is None
    assert balls.sign(arb(-1)) == -1


def test_reach_counts_the_steps_below_a_distance():
    """Prior (1, 1), x = (1, 2): one step up at 0.3411, one step down at 0.3874 (both from mpmath)."""
    up, down = hellinger_by_gamma((2, 3), (3, 2)), hellinger_by_gamma((2, 3), (1, 4))
    assert 0.34 < up < 0.35 < down < 0.39
    for real in (floats, balls):
        prior, counts = real.number((1, 1)), real.number((1, 2))
        assert real.reach(prior, counts, real.number(0.35)) == (0, 1)
        assert real.reach(prior, counts, real.number(0.3)) == (0, 0)
        assert real.reach(prior, counts, real.number(0.99)) == (1, 2)


def test_a_far_reach_is_found_by_widening_the_window():
    """At n = 20 000 and t = 0.5 some hundred steps are inside; the binary search here is an independent count."""
    prior, n, x, t = (1.0, 1.0), 20_000, 6_000, 0.5

    def h(r):
        return floats.hellinger((1 + x, 1 + n - x), (1 + r, 1 + n - r))

    low, high = 0, n - x
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if h(x + middle) < t else (low, middle - 1)
    assert floats.reach(prior, (x, n - x), t)[1] == low > 64
