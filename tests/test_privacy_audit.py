"""Audits, hockey-stick divergences and calibration against plain loops over the mpmath distributions in oracles.py."""

import math
from fractions import Fraction

import numpy as np
import pytest

import dpbi
import oracles
from dpbi.privacy import losses
from oracles import mp
from test_mechanisms_laws import MECHANISMS

SETTINGS = [(9e-4, (0.01, 3.0), 4), (0.8, (0.3, 5.0, 0.02), 3), (40.0, (0.5,) * 4, 2)]
LEVELS = [0.0, 0.1, 1.0]


@pytest.mark.parametrize(("epsilon", "prior", "n"), SETTINGS)
@pytest.mark.parametrize("name", MECHANISMS)
def test_the_audit_and_its_inverse_are_those_of_a_brute_force(name, epsilon, prior, n):
    family, definition = MECHANISMS[name]
    mechanism, k = family(epsilon), len(prior)
    laws = {x: definition(epsilon, prior, x) for x in oracles.datasets(n, k)}
    truth = oracles.worst_loss(laws, n, k)[0]
    found = dpbi.audit(mechanism, prior, n)
    assert found.epsilon == pytest.approx(float(truth), rel=1e-12, abs=1e-14)
    # the witness reproduces the loss, by the brute force's own laws
    x, y, r = (tuple(v.tolist()) for v in (found.counts, found.neighbour, found.output))
    assert oracles.apart(x, y) == 1
    assert float(mp.log(laws[x][r] / laws[y][r])) == pytest.approx(found.epsilon, rel=1e-12, abs=1e-14)
    for share in LEVELS:
        level = share * float(truth)
        delta, less = (oracles.hockey_stick(laws, n, k, at) for at in (level, level + 1e-3))
        rounding = 1e-15 * (1 + level)  # of the losses that the level is compared with
        assert dpbi.hockey_stick(mechanism, prior, n, level) == pytest.approx(float(delta), rel=1e-12, abs=rounding)
        slope = (delta - less) / 1e-3
        if slope > 1e-4:  # elsewhere delta hardly depends on epsilon, and has no inverse to speak of
            back = dpbi.epsilon_at_delta(mechanism, prior, n, float(delta))
            assert back == pytest.approx(level, rel=1e-10, abs=1e-10)


def test_noise_is_audited_at_any_size_and_at_any_budget():
    """The probability of no move, taken as one minus two tails, once made this 1.0001e-6."""
    assert dpbi.audit(dpbi.geometric(1e-6), [1, 1], 10).epsilon == pytest.approx(1e-6, rel=1e-9)
    assert dpbi.audit(dpbi.geometric(1e-12), [1, 1], 10).epsilon == 1e-12  # the table says 1.0019e-12
    found = [dpbi.audit(each(0.8), [1.0] * 5, 10**9).epsilon for each in (dpbi.lshist, dpbi.randomised_response)]
    assert found == [0.8, 0.8]


def test_the_audit_survives_probabilities_that_underflow():
    found = dpbi.audit(dpbi.lshist(700.0), [1, 1], 5)
    assert found.epsilon == pytest.approx(700, rel=1e-14)
    assert dpbi.lshist(700.0).law([1, 1], [0, 5]).probabilities.min() == 0


def test_comparing_in_blocks_changes_nothing(monkeypatch):
    settings = [(dpbi.ehdl(0.8), (0.3, 2.0), 9), (dpbi.lshist(0.8), (1.0, 1.0, 1.0), 3)]

    def numbers():
        for mechanism, prior, n in settings:
            found = dpbi.audit(mechanism, prior, n)
            yield found.epsilon, found.counts.tolist(), dpbi.hockey_stick(mechanism, prior, n, 0.1)
            yield dpbi.epsilon_at_delta(mechanism, prior, n, 0.05)

    whole = list(numbers())
    monkeypatch.setattr(losses, "BLOCK_NUMBERS", 1)
    assert list(numbers()) == whole
    monkeypatch.setattr(losses, "pure_epsilon", lambda promise: 0.5)  # over balls no promise is taken for the loss
    with dpbi.arithmetic.balls():
        assert dpbi.arithmetic.near(dpbi.audit(dpbi.lshist(0.8), [1, 1], 4).epsilon, 0.8, 1e-15)


# A mechanism that is not of this library, with an exact law in Fractions


def table_mechanism(table):
    """A mechanism given by {dataset: {output: Fraction}}: its outputs depend on the data, and it has no table."""

    class InFractions(dpbi.Mechanism):
        def _law(self, weights, x):
            row = table[tuple(x.tolist())]
            with np.errstate(divide="ignore"):
                return dpbi.Law(np.array(list(row)), np.log(np.array([float(p) for p in row.values()])))

    return InFractions()


THREE = {
    (0, 2): {(0, 2): Fraction(1, 2), (1, 1): Fraction(1, 2)},
    (1, 1): {(1, 1): Fraction(1, 3), (2, 0): Fraction(1, 3), (0, 2): Fraction(1, 3)},
    (2, 0): {(2, 0): Fraction(3, 4), (0, 2): Fraction(1, 8), (1, 1): Fraction(1, 8)},
}
ESCAPING = {**THREE, (2, 0): {(2, 0): Fraction(1, 2), (5, 0): Fraction(1, 2)}}


def exact_stick(table, factor):
    pairs = ((x, y) for x in table for y in table if oracles.apart(x, y) == 1)
    return max(sum(max(p - factor * table[y].get(r, 0), 0) for r, p in table[x].items()) for x, y in pairs)


def test_an_own_mechanism_is_audited_on_all_its_outputs():
    """(0, 2) never releases (2, 0), which its neighbour does: the loss is infinite there."""
    found = dpbi.audit(table_mechanism(THREE), [1, 1], 2)
    assert found.epsilon == math.inf
    assert (found.counts.tolist(), found.neighbour.tolist(), found.output.tolist()) == ([1, 1], [0, 2], [2, 0])
    with pytest.raises(ValueError, match="neighbour must have the outputs"):
        losses.loss_between(table_mechanism(THREE), [1, 1], [1, 1], [0, 2])
    for factor in (Fraction(1), Fraction(3, 2), Fraction(4)):
        exact = float(exact_stick(THREE, factor))
        assert dpbi.hockey_stick(table_mechanism(THREE), [1, 1], 2, math.log(factor)) == pytest.approx(exact, rel=1e-12)


def test_epsilon_at_delta_is_infinite_below_a_revealing_output():
    """With probability 1/3 from (1, 1), 1/2 in the second table: no epsilon below that delta, a finite one above."""
    assert dpbi.epsilon_at_delta(table_mechanism(THREE), [1, 1], 2, 0.33) == math.inf
    assert dpbi.epsilon_at_delta(table_mechanism(ESCAPING), [1, 1], 2, 0.49) == math.inf
    # by hand at delta = 2/5: from (1, 1) to (2, 0), releasing (0, 2) or (1, 1) asks for 2/3 - 2/5 = e^eps / 4
    assert dpbi.epsilon_at_delta(table_mechanism(THREE), [1, 1], 2, 0.4) == pytest.approx(math.log(16 / 15), rel=1e-12)
    assert exact_stick(THREE, Fraction(16, 15)) == Fraction(2, 5)


def test_epsilon_at_delta_is_right_where_probabilities_underflow():
    """One record: what it is is released with probability 1 / (1 + r), the other with r / (1 + r), r = e^-epsilon."""
    for epsilon in (3.0, 700.0, 740.0, 3000.0):
        known = epsilon + math.log1p(-0.25 * (1 + math.exp(-epsilon)))
        assert dpbi.epsilon_at_delta(dpbi.geometric(epsilon), [1, 1], 1, 0.25) == pytest.approx(known, rel=1e-13)
    assert dpbi.epsilon_at_delta(dpbi.discrete_gaussian(10**1.25), [1, 1, 1], 4, 1e-12) < 200


def test_listed_but_impossible_outputs_have_no_loss():
    listed = {x: {r: row.get(r, Fraction(0)) for r in THREE} for x, row in THREE.items()}
    assert dpbi.audit(table_mechanism(listed), [1, 1], 2).epsilon == math.inf
    both = {x: {(0, 2): Fraction(1), (7, 0): Fraction(0)} for x in THREE}
    assert dpbi.audit(table_mechanism(both), [1, 1], 2).epsilon == 0


def test_without_records_nothing_leaks():
    assert dpbi.epsilon_at_delta(dpbi.ehdl(0.8), [1, 2], 6, 0.0) == dpbi.audit(dpbi.ehdl(0.8), [1, 2], 6).epsilon
    for family in (dpbi.ehdl, dpbi.lshist, dpbi.randomised_response):
        found = dpbi.audit(family(0.8), [1, 2, 3], 0)
        assert (found.epsilon, found.counts.tolist(), found.output.tolist()) == (0.0, [0, 0, 0], [0, 0, 0])
        assert dpbi.hockey_stick(family(0.8), [1, 2, 3], 0, 0.0) == 0
        assert dpbi.epsilon_at_delta(family(0.8), [1, 2, 3], 0, 0.1) == 0


FAMILIES = {name: dpbi.MECHANISMS[name].at for name in ("lszhang", "discrete_gaussian", "ehdl", "permute_and_flip")} | {
    "ehds, gamma 5": lambda e: dpbi.ehds(e, gamma=5.0, divisor=12.0),
}


def internal_epsilon(mechanism):
    return float(mechanism.name.split("internal epsilon ")[1].rstrip(")"))


@pytest.mark.parametrize("name", FAMILIES)
def test_a_calibrated_member_is_the_largest_within_the_target(name):
    found, prior, n, target = [], [0.1, 2.0], 6, 2.0

    def family(internal):
        found.append(internal)
        return FAMILIES[name](internal)

    mechanism = dpbi.calibrate(family, prior, n, target)
    chosen = found[-1]
    assert dpbi.audit(mechanism, prior, n).epsilon <= target
    assert dpbi.audit(mechanism, prior, n).epsilon == pytest.approx(target, rel=1e-11)
    assert dpbi.audit(FAMILIES[name](chosen * (1 + 1e-9)), prior, n).epsilon > target
    # its law is that of the member, and its name says which
    assert internal_epsilon(mechanism) == pytest.approx(chosen, rel=1e-5)
    law, member = (m.law(prior, [2, 4]).probabilities for m in (mechanism, FAMILIES[name](chosen)))
    assert np.array_equal(law, member)


def test_a_calibrated_mechanism_holds_for_one_prior_and_size():
    mechanism = dpbi.calibrate(dpbi.ehd, [1, 2], 6, 0.8)
    assert mechanism.promise is None
    assert mechanism.promise_at([1, 2], 6) == dpbi.PureDP(0.8)
    assert mechanism.promise_at([1, 2], 7) is None
    assert mechanism.promise_at([2, 1], 6) is None
    assert mechanism.promise_at([1, 2, 1], 6) is None
    assert "n = 6" in mechanism.name
    assert mechanism.sample([1, 2], [3, 3], np.random.default_rng(1), 4).shape == (4, 2)
    rng = np.random.default_rng(1)
    for call in (
        lambda: mechanism.law([1, 2], [3, 4]), lambda: mechanism.sample([1, 2], [3, 4], rng),
        lambda: mechanism.laws([1, 2], 5), lambda: dpbi.audit(mechanism, [1, 2], 7),
        lambda: dpbi.hockey_stick(mechanism, [1, 1], 6, 0.1),
        lambda: dpbi.calibrate(dpbi.lshist, [1, 2], 6, 0.8).line([1, 2], [3, 4]),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="prior and n must be those of the calibration"):
            call()


def test_a_family_that_meets_every_target_has_no_largest():
    def bounded(internal):
        return dpbi.ehd(min(internal, 0.1))

    with pytest.raises(ValueError, match="family must leak more than epsilon=2"):
        dpbi.calibrate(bounded, [1, 1], 5, 2.0)


@pytest.mark.parametrize(
    ("prior", "n", "target"),
    [([0.1, 2.0], 10, 3.345), pytest.param([0.01, 0.01], 40, 11.784378669, marks=pytest.mark.slow)],
)
def test_calibration_finds_the_last_crossing(prior, n, target):
    def family(internal):
        return dpbi.smoothed_hellinger(internal, 0.5, divisor=1.0)

    chosen = internal_epsilon(dpbi.calibrate(family, prior, n, target))
    grid = np.geomspace(chosen / 2, 2 * chosen, 200)
    within = np.array([dpbi.audit(family(internal), prior, n).epsilon <= target for internal in grid])
    assert (np.diff(within.astype(int)) > 0).any()  # the loss does come back below the target
    assert within[grid < chosen].any()
    assert not within[grid > chosen * (1 + 1e-5)].any()


@pytest.mark.parametrize(("dip", "last"), [((1.7, 1.8), 1.8), ((2.6, 2.8), 1.0)])
def test_a_later_crossing_is_looked_for_up_to_twice_as_far(dip, last):
    def family(internal):
        truth = 1 / (1 + math.exp(-0.5 if dip[0] <= internal <= dip[1] else -internal))  # loses what is asked, or 1/2
        return dpbi.Mechanism.from_table("a dip", 1, [[0, 1], [1, 0]], [[truth, 1 - truth], [1 - truth, truth]])

    found = dpbi.calibrate(family, [1, 1], 1, 1.0)
    assert internal_epsilon(found) == pytest.approx(last, rel=1e-5)
    assert dpbi.audit(found, [1, 1], 1).epsilon <= 1
