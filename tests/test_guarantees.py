"""Accounting against independent oracles: mpmath at 60 digits, exact sums, dp-accounting, and laws of composition."""

import math
from fractions import Fraction
from functools import cache

import dp_accounting as accounting
import mpmath
import numpy as np
import pytest
from dp_accounting import rdp
from dp_accounting.pld import PLDAccountant
from dp_accounting.pld.privacy_loss_mechanism import GaussianPrivacyLoss
from hypothesis import given, settings
from hypothesis import strategies as st

from dpbi import RDP, ZCDP, ApproxDP, GaussianDP, PureDP, arithmetic, compose, gaussian_mechanism, uses_within
from dpbi.divergences import hockey_stick_divergence, renyi_divergence
from dpbi.guarantees import repeated_delta, subsampled
from oracles import highest

mpmath.mp.dps = 60
TOLERANCE = 1e-9


@cache
def gaussian_delta(rho, epsilon):
    """The profile of Sommer, Meiser and Mohammadi as printed, to 60 digits of 80; near 1, those of what is left to 1.

    Where e > m both terms have the size exp(-(e - m)^2 / (4 m)), so that no more than a factor (e + m) / m cancels;
    where e < m that is the size of 1 - delta.
    """
    near_one = (rho - epsilon) ** 2 / (4 * rho) / math.log(10) if rho > epsilon else 0
    with mpmath.workdps(80 + int(near_one)):
        m, e = mpmath.mpf(rho), mpmath.mpf(epsilon)
        root = 2 * mpmath.sqrt(m)
        return (mpmath.erfc((e - m) / root) - mpmath.exp(e) * mpmath.erfc((e + m) / root)) / 2


def sweep(count=120, seed=20201005):
    """Random (rho, epsilon): epsilon up to 1500, rho such that delta lies between 1e-300 and 1."""
    rng = np.random.default_rng(seed)
    while count:
        epsilon = float(10 ** rng.uniform(-4, math.log10(1500)))
        tail = float(rng.uniform(0, 690))
        # the rho at which the normal tail exp(-a^2), a = (epsilon - rho) / (2 sqrt(rho)), has the exponent drawn
        rho = (math.sqrt(tail + epsilon) - math.sqrt(tail)) ** 2 * float(rng.choice([1.0, 1.0, 1.5, 4.0]))
        if rho > 0 and -690.8 < GaussianDP(rho).log_delta_at(epsilon) <= 0:
            count -= 1
            yield rho, epsilon


EXTREME = [(1e-12, 1e-7), (1e-9, 0.0), (900.0, 2.0), (1e4, 9e3), (0.5, 100.0)]
SWEEP = (*sweep(), *EXTREME)


def test_gaussian_profile_agrees_with_mpmath():
    for rho, epsilon in SWEEP:
        truth = gaussian_delta(rho, epsilon)
        found = GaussianDP(rho)
        assert abs(found.log_delta_at(epsilon) / mpmath.log(truth) - 1) <= TOLERANCE, (rho, epsilon)
        if found.log_delta_at(epsilon) > -700:
            assert abs(found.delta_at(epsilon) / truth - 1) <= TOLERANCE, (rho, epsilon)


def test_gaussian_epsilon_is_the_inverse_of_the_profile():
    """The profile falls with epsilon, so where it passes the delta asked for, to either side of what is found."""
    for rho, epsilon in SWEEP[:40]:
        log_delta = float(mpmath.log(gaussian_delta(rho, epsilon)))
        if not -700 < log_delta < -1e-4:
            continue
        found = mpmath.mpf(GaussianDP(rho).epsilon_at(math.exp(log_delta)))
        below, above = (mpmath.log(gaussian_delta(rho, found / (1 + side * TOLERANCE))) for side in (1, -1))
        assert above <= log_delta <= below, (rho, epsilon)


def test_the_profile_over_balls_contains_what_mpmath_finds():
    for rho, epsilon in ((0.375, 2.0), (3.0, 0.5), (12.0, 40.0)):
        truth = gaussian_delta(rho, epsilon)
        with arithmetic.balls():
            found = GaussianDP(rho).delta_at(epsilon), GaussianDP(rho).log_delta_at(epsilon)
            for ball, exact in zip(found, (truth, mpmath.log(truth)), strict=True):
                assert abs(ball - arithmetic.number(mpmath.nstr(exact, 45))) < arithmetic.number("1e-40")


def improved_log_delta(rho, epsilon):
    """Canonne, Kamath and Steinke's bound minimised over the order by mpmath's golden section, no derivative used."""

    def log_delta(v):
        u = mpmath.exp(v)
        return u * ((1 + u) * rho - epsilon) + (1 + u) * mpmath.log(u / (1 + u)) - mpmath.log(u)

    return log_delta(highest(lambda v: -log_delta(v), -60, 60, 220))


@pytest.mark.parametrize("index", range(0, 120, 20))
def test_zcdp_conversion_is_the_minimum_over_orders(index):
    rho, epsilon = SWEEP[index]
    with mpmath.workdps(30):
        truth = improved_log_delta(mpmath.mpf(rho), mpmath.mpf(epsilon))
    found = ZCDP(rho).log_delta_at(epsilon)
    assert abs(found - truth) <= TOLERANCE * max(abs(truth), mpmath.mpf(10) ** -6)
    assert found < -700 or math.isclose(ZCDP(rho).epsilon_at(math.exp(found)), epsilon, rel_tol=1e-7)


def test_conversions_stand_in_their_order():
    """Tight Gaussian <= improved over all orders <= improved over a list of orders <= classic."""
    for rho, epsilon in SWEEP:
        delta = GaussianDP(rho).delta_at(epsilon)
        if not 1e-300 < delta < 0.9:
            continue
        tight, zcdp = GaussianDP(rho).epsilon_at(delta), ZCDP(rho)
        best = 1 + math.sqrt(-math.log(delta) / rho)
        listed = zcdp.rdp([best, best / 2 + 0.51, 2 * best])
        chain = [tight, zcdp.epsilon_at(delta), listed.epsilon_at(delta), listed.classic_epsilon_at(delta)]
        assert all(a <= b * (1 + 1e-9) for a, b in zip(chain, chain[1:], strict=False)), (rho, epsilon, chain)
        assert math.isclose(listed.classic_epsilon_at(delta), zcdp.classic_epsilon_at(delta), rel_tol=1e-9)
        assert listed.log_delta_at(listed.epsilon_at(delta)) == pytest.approx(math.log(delta), rel=1e-9)


def test_pure_privacy_as_zcdp_is_met_by_randomised_response():
    for epsilon in (1e-3, 1.0, 20.0):
        p = np.array([epsilon, 0.0]) - np.logaddexp(epsilon, 0.0)
        rho = PureDP(epsilon).zcdp().rho
        assert rho <= epsilon**2 / 2
        for order in (1 + 1e-7, 1.01, 1.5, 2.0, 7.0, 100.0, math.inf):
            divergence = renyi_divergence(p, p[::-1], order)
            assert float(PureDP(epsilon).rdp(order)) == pytest.approx(divergence, rel=1e-9)
            assert divergence <= rho * order * (1 + 1e-9)
        assert renyi_divergence(p, p[::-1], 1.0) == pytest.approx(rho, rel=1e-9)


def test_pure_privacy_is_the_infinite_order():
    pure = RDP([2.0, math.inf], [0.7, 0.9])
    assert pure.epsilon_at(0.0) == 0.9
    assert pure.delta_at(0.4) <= PureDP(0.9).delta_at(0.4)
    assert RDP(math.inf, 0.9).epsilon_at(0.01) == pytest.approx(PureDP(0.9).epsilon_at(0.01))


def test_what_costs_nothing_promises_everything():
    """An infinite cost promises nothing."""
    for free in (GaussianDP(0.0), ZCDP(0.0), RDP([2.0, 8.0], [0.0, 0.0])):
        assert (free.delta_at(0.0), free.epsilon_at(1e-9)) == (0.0, 0.0)
    assert ZCDP(0.0).rdp(3.0).values == (0.0,)
    assert ZCDP(0.0).classic_epsilon_at(1e-9) == 0.0
    nothing = RDP([2.0, 8.0], [math.inf, math.inf])
    assert (nothing.delta_at(5.0), nothing.epsilon_at(0.1)) == (1.0, math.inf)
    for some in (GaussianDP(0.1), ZCDP(0.1), RDP(2.0, 0.1)):
        assert (some.epsilon_at(0.0), some.epsilon_at(1.0)) == (math.inf, 0.0)
    assert RDP(2.0, 0.1).classic_epsilon_at(1.0) == 0.0
    with pytest.raises(TypeError, match="orders must be one order"):
        float(RDP([2.0, 8.0], [0.1, 0.4]))


epsilons = st.floats(0.01, 3)
counts = st.integers(0, 40)


@settings(max_examples=25, derandomize=True, deadline=None)
@given(rho=epsilons, j=counts, k=counts)
def test_repeating_adds_up_and_data_free_steps_cost_nothing(rho, j, k):
    for guarantee in (PureDP(rho), ApproxDP(rho, 1e-9), GaussianDP(rho), ZCDP(rho), RDP([2, 8.5], [rho, 3 * rho])):
        assert compose(guarantee, guarantee.repeat(0)) == compose(guarantee) == guarantee
        together, apart = guarantee.repeat(j + k), compose(guarantee.repeat(j), guarantee.repeat(k))
        assert type(together) is type(apart)
        for name in together.__dataclass_fields__:
            assert getattr(together, name) == pytest.approx(getattr(apart, name), rel=1e-12)


def test_many_epsilons_are_added_without_rounding_each_sum():
    exact = float(sum([Fraction(0.1)] * 10))  # 0.1 ten times in doubles, added one by one, is less
    assert compose(*[PureDP(0.1)] * 10).epsilon == exact > sum([0.1] * 10)


def test_mixed_guarantees_compose_in_a_common_kind():
    assert compose(PureDP(1.0), GaussianDP(0.2)) == ZCDP(math.fsum([PureDP(1.0).zcdp().rho, 0.2]))
    assert compose(PureDP(1.0), ApproxDP(0.5, 0.1)) == ApproxDP(1.5, 0.1)
    mixed = compose(RDP([2, 4], [0.3, 0.9]), ZCDP(0.5), RDP([4, 8], [1.0, 5.0]), GaussianDP(0.25))
    assert mixed == RDP([4], [math.fsum([0.9, 1.0, 3.0])])
    for values, word in [((ApproxDP(1, 0.1), ZCDP(1)), "common kind"), ((), "one or more")]:
        with pytest.raises(ValueError, match=word):
            compose(*values)
    with pytest.raises(ValueError, match="share an order"):
        compose(RDP(2, 1.0), RDP(3, 1.0))
    with pytest.raises(TypeError, match="guarantees must be"):
        compose(0.5)


@pytest.mark.parametrize(("epsilon", "delta", "count"), [(0.3, 0.0, 7), (0.8, 0.05, 3), (2.0, 1e-3, 2)])
def test_worst_composition_is_that_of_the_worst_mechanism(epsilon, delta, count):
    """The k-fold product of the worst pair, summed over all outputs."""
    odds = np.exp(epsilon) / (1 + np.exp(epsilon))
    p = np.array([delta, 0.0, (1 - delta) * odds, (1 - delta) * (1 - odds)])
    q = p[[1, 0, 3, 2]]
    both = np.ones(1), np.ones(1)
    for _ in range(count):
        both = np.outer(both[0], p).ravel(), np.outer(both[1], q).ravel()
    guarantee = ApproxDP(epsilon, delta) if delta else PureDP(epsilon)
    for level in (0.0, 0.4 * epsilon, epsilon, 2.2 * epsilon, count * epsilon):
        exact = np.maximum(both[0] - np.exp(level) * both[1], 0).sum()
        assert repeated_delta(guarantee, count, level) == pytest.approx(exact, rel=1e-9, abs=1e-14)
        basic = ApproxDP(epsilon, delta).repeat(count)
        assert exact <= basic.delta_at(level) * (1 + 1e-9) + 1e-14


def test_the_number_of_uses_equals_an_exact_search():
    rng = np.random.default_rng(0)
    for _ in range(12):
        rho = float(10 ** rng.uniform(-5, -0.5))
        budget = ApproxDP(float(rng.uniform(0.05, 8)), float(10 ** rng.uniform(-12, -2)))
        found = uses_within(GaussianDP(rho), budget)
        assert gaussian_delta(found * mpmath.mpf(rho), budget.epsilon) <= budget.delta if found else True
        assert gaussian_delta((found + 1) * mpmath.mpf(rho), budget.epsilon) > budget.delta


def test_no_use_fits_a_budget_that_is_too_small():
    assert uses_within(GaussianDP(1.0), ApproxDP(0.1, 1e-6)) == 0
    assert uses_within(GaussianDP(1.0), ApproxDP(5.0, 0.0)) == 0
    assert uses_within(PureDP(0.5), ApproxDP(2.0, 0.0)) == 4
    assert uses_within(ApproxDP(0.5, 1e-3), ApproxDP(2.0, 1e-3)) == 1
    assert uses_within(RDP([2.0, 10.0], [0.1, 0.5]), ApproxDP(1.0, 1.0 - 1e-9)) >= 1
    uses = [(GaussianDP(0.25), 0.2), (GaussianDP(0.25), 1.0), (PureDP(2.0), 3.1)]  # the last costs 2 tanh(1) = 1.523
    assert [uses_within(step, ZCDP(rho)) for step, rho in uses] == [0, 4, 2]


@pytest.mark.parametrize(("step", "budget", "error", "word"), [
    (GaussianDP(0.0), ApproxDP(1.0, 0.1), ValueError, "must have a positive cost"),
    (GaussianDP(0.1), ApproxDP(1.0, 1.0), ValueError, "delta < 1"),
    (ApproxDP(0.1, 0.1), ZCDP(1.0), TypeError, "for a ZCDP budget"),
    (RDP(2.0, 0.1), ZCDP(1.0), TypeError, "for a ZCDP budget"),
    (GaussianDP(0.1), GaussianDP(1.0), TypeError, "budget an ApproxDP or a ZCDP"),
    (0.1, ApproxDP(1.0, 0.1), TypeError, "step must be a guarantee"),
])  # fmt: skip
def test_uses_within_names_the_wrong_argument(step, budget, error, word):
    with pytest.raises(error, match=word):
        uses_within(step, budget)


laws = st.lists(st.floats(1e-3, 1), min_size=3, max_size=3).map(lambda w: np.log(np.array(w) / sum(w)))


@settings(max_examples=25, derandomize=True, deadline=None)
@given(p=laws, q=laws)
def test_renyi_divergence_has_its_limits_and_never_falls(p, q):
    at = [renyi_divergence(p, q, order) for order in (0.5, 1 - 1e-9, 1.0, 1 + 1e-9, 1.5, 4.0, 1e6, math.inf)]
    assert all(a <= b + 1e-9 for a, b in zip(at, at[1:], strict=False))
    assert at[1] == pytest.approx(at[2], abs=1e-7)
    assert at[3] == pytest.approx(at[2], abs=1e-7)
    assert at[-2] == pytest.approx(at[-1], abs=2e-5)
    with mpmath.workdps(50):
        terms = (mpmath.exp(mpmath.mpf(a)) ** 4 / mpmath.exp(mpmath.mpf(b)) ** 3 for a, b in zip(p, q, strict=True))
        truth = mpmath.log(sum(terms))
    assert at[5] == pytest.approx(float(truth / 3), rel=1e-9, abs=1e-14)


def test_renyi_divergence_is_infinite_at_a_missed_output():
    p, q = np.log([0.5, 0.5]), np.array([0.0, -np.inf])
    assert renyi_divergence(p, q, 1.0) == renyi_divergence(p, q, 2.0) == renyi_divergence(p, q, math.inf) == math.inf
    assert renyi_divergence(p, q, 0.5) == pytest.approx(math.log(2))
    assert renyi_divergence(q, p, 3.0) == pytest.approx(math.log(2))
    assert renyi_divergence(q, p[::-1], 1.0) == pytest.approx(math.log(2))


def test_renyi_divergence_of_one_rare_output_does_not_overflow():
    """Losses of -ln 2 and 2000 - ln 2 at order 3/2: half of e^1000, whose logarithm is doubled."""
    found = renyi_divergence(np.log([0.5, 0.5]), np.array([0.0, -2000.0]), 1.5)
    assert found == pytest.approx(float(2 * mpmath.log((1 + mpmath.exp(1000)) / mpmath.sqrt(8))), rel=1e-14)


def test_subsampling_bounds_what_it_is_about():
    """One of four rows, chosen in secret, is released by randomised response; one of them is replaced."""
    epsilon, n = 0.8, 4
    response = np.exp(np.array([epsilon, 0.0]) - np.logaddexp(epsilon, 0.0))
    p, q = np.log(response), np.log(((n - 1) * response + response[::-1]) / n)
    orders = np.arange(2, 30)
    bound = subsampled(PureDP(epsilon).rdp(orders), n, 1)
    for order, most, whole in zip(bound.orders, bound.values, PureDP(epsilon).rdp(orders).values, strict=True):
        assert max(renyi_divergence(p, q, order), renyi_divergence(q, p, order)) <= most
        assert order > 3 or most < whole


def test_subsampled_gaussian_by_hand():
    rdp = GaussianDP(0.7).rdp([2, 3, 4])
    found = subsampled(rdp, 100, 3)
    with mpmath.workdps(30):
        q, e = mpmath.mpf(3) / 100, [None, None, *(mpmath.mpf(a) * mpmath.mpf("0.7") for a in (2, 3, 4))]
        second = min(4 * (mpmath.exp(e[2]) - 1), 2 * mpmath.exp(e[2]))
        for order, value in zip((2, 3, 4), found.values, strict=True):
            total = 1 + q**2 * mpmath.binomial(order, 2) * second
            for j in range(3, order + 1):
                total += 2 * q**j * mpmath.binomial(order, j) * mpmath.exp((j - 1) * e[j])
            assert value == pytest.approx(float(mpmath.log(total) / (order - 1)), rel=1e-12)


@pytest.mark.parametrize("orders", [[3, 4], [2, 4], [2.5]])
def test_subsampling_needs_all_integer_orders(orders):
    with pytest.raises(ValueError, match="integers 2, 3"):
        subsampled(RDP(orders, [1.0] * len(orders)), 10, 2)


def test_amplification_of_a_weak_promise_by_hand():
    """At a second order beyond what e^x holds as a double, 2 e^x is the smaller of the two terms."""
    for top in (600.0, 800.0, 5000.0):
        found = subsampled(RDP([2], [top]), 100, 10).values[0]
        with mpmath.workdps(40):
            e = mpmath.exp(top)
            truth = mpmath.log(1 + mpmath.mpf("0.01") * min(4 * (e - 1), 2 * e))
        assert found == pytest.approx(float(truth), rel=1e-12)


@pytest.mark.parametrize(("call", "argument"), [
    (lambda: RDP([1.0], [1.0]), "orders"),
    (lambda: RDP([2.0, 3.0], [1.0]), "values"),
    (lambda: RDP([2.0, 3.0], [1.0, math.nan]), "values"),
    (lambda: gaussian_mechanism(1.0, 1e-200), "sigma must be a finite number > sensitivity / 1e150"),
    (lambda: GaussianDP(1.0).epsilon_at(1.5), "delta"),
    (lambda: repeated_delta(PureDP(0.1), 10**7, 1.0), "count"),
    (lambda: GaussianDP(1.0).delta_at(-1.0), "epsilon"),
    (lambda: ZCDP(1.0).repeat(-1), "count"),
    (lambda: renyi_divergence([0.0], [0.0, 0.0], 2), "log_p"),
    (lambda: renyi_divergence([0.0], [0.0], 0), "order"),
    (lambda: hockey_stick_divergence([0.5, 0.5], [0.5, 0.5], math.nan), "epsilon"),
    (lambda: subsampled(RDP(2, 1.0), 10, 11), "batch"),
])  # fmt: skip
def test_errors_name_the_argument(call, argument):
    with pytest.raises(ValueError, match=f"^{argument}"):
        call()


REPLACE = accounting.NeighboringRelation.REPLACE_ONE


def test_dp_accounting_agrees_on_subsampling_without_replacement():
    orders = list(range(2, 60))
    accountant = rdp.RdpAccountant(orders=orders, neighboring_relation=REPLACE)
    accountant.compose(accounting.SampledWithoutReplacementDpEvent(1000, 10, accounting.GaussianDpEvent(1.4)), 30)
    ours = subsampled(gaussian_mechanism(1.0, 1.4).rdp(orders), 1000, 10).repeat(30)
    theirs = accountant.get_epsilon(1e-6)  # it may use a tighter bound, never a looser
    assert theirs * (1 - 1e-9) <= ours.epsilon_at(1e-6) <= 1.5 * theirs


def test_dp_accounting_agrees_on_the_gaussian():
    """It has no number for the smallest deltas."""
    for rho, epsilon in SWEEP[::4]:
        if GaussianDP(rho).log_delta_at(epsilon) > -300 and epsilon < 600 and rho > 1e-4:
            theirs = GaussianPrivacyLoss(1 / math.sqrt(2 * rho)).get_delta_for_epsilon(epsilon)
            assert theirs == pytest.approx(GaussianDP(rho).delta_at(epsilon), rel=1e-6)
    accountant = PLDAccountant()
    accountant.compose(accounting.GaussianDpEvent(1 / math.sqrt(0.7)))
    assert accountant.get_epsilon(1e-20) == math.inf
    assert gaussian_delta(0.35, GaussianDP(0.35).epsilon_at(1e-20)) == pytest.approx(mpmath.mpf("1e-20"), rel=1e-9)


def test_dp_accounting_agrees_one_by_one_on_fifty_uses():
    """With epsilon = ln 3. Told to use it fifty times at once it reports the epsilon of one use, as two pages say."""
    event = accounting.RandomizedResponseDpEvent(0.5, 2)
    at_once, one_by_one = PLDAccountant(REPLACE), PLDAccountant(REPLACE)
    at_once.compose(event, 50)
    for _ in range(50):
        one_by_one.compose(event)
    assert repeated_delta(PureDP(math.log(3)), 50, one_by_one.get_epsilon(1e-5)) == pytest.approx(1e-5, rel=0.05)
    assert at_once.get_epsilon(1e-5) == pytest.approx(math.log(3), rel=1e-3)
