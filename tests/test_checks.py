"""Bad input is refused by an error that names the argument, what is allowed and what was found; corners are legal."""

import inspect
import math

import numpy as np
import pytest

import dpbi
from dpbi.accuracy import two_categories
from dpbi.publish.tables import column_of

M = dpbi.lshist(0.8)
ALL = [  # one of each module that makes mechanisms
    dpbi.lshist(0.8),
    dpbi.laplace_in_order(0.8),
    dpbi.lattice_laplace(0.8),
    dpbi.randomised_response(0.8),
    dpbi.permute_and_flip(0.8),
    dpbi.ehd(0.8, 0.5),
    dpbi.smoothed_hellinger(0.8, 1e-5),
    dpbi.calibrate(dpbi.ehd, [1, 1], 3, 1),
]
RNG = np.random.default_rng(1)
nan, inf = math.nan, math.inf

GOOD = {"mechanism": M, "family": dpbi.ehd, "prior": [1, 1], "counts": [1, 2], "n": 3, "k": 2, "epsilon": 0.1,
        "delta": 0.1, "t": 0.1, "gamma": 0.1, "beta": 0.1, "rng": RNG, "size": 1}  # fmt: skip
FUNCTIONS = """
audit calibrate count_vectors epsilon_at_delta error_law error_quantile error_quantiles error_tail error_tails
exponential_smooth_sensitivity global_sensitivity hockey_stick lattice_size local_sensitivity mean_error mean_errors
neighbours posterior reciprocal_smooth_sensitivity
"""
PUBLIC = {name: getattr(dpbi, name) for name in FUNCTIONS.split()} | {
    f"{m.name} {method} {i}": getattr(m, method) for i, m in enumerate(ALL) for method in ("law", "sample", "guarantee")
}


def left_open(argument):
    """Every public function that has the argument: the call with only that argument left open."""

    def call(function, names):
        return lambda v: function(*[v if each == argument else GOOD[each] for each in names])

    asked = {name: (function, inspect.signature(function).parameters) for name, function in PUBLIC.items()}
    return {name: call(*those) for name, those in asked.items() if argument in those[1]}


PRIOR, COUNTS, RECORDS = map(left_open, ("prior", "counts", "n"))

BAD_PRIORS = [
    ([1, 0], ValueError, "0"),
    ([1, nan], ValueError, "nan"),
    ([inf, 1], ValueError, "inf"),
    ([1, None], ValueError, "None"),
    (None, ValueError, "None"),
    ([1, 10**400], ValueError, "10000"),
    ("ab", TypeError, "ab"),
    ([True, True], TypeError, "True"),
    ([1j, 1], TypeError, "1j"),
    ([{}, 1], TypeError, "{}"),
    ([[1, 1], [1, 1]], ValueError, r"\(2, 2\)"),
    ([[1, 1], [1]], ValueError, "ragged"),
    (3.0, ValueError, r"\(\)"),
    ([], ValueError, r"\(0,\)"),
]
BAD_COUNTS = [
    ([-1, 3], ValueError, "-1 at position 0"),
    ([1, 1.5], ValueError, "1.5 at position 1"),
    ([1, inf], ValueError, "inf"),
    ([1, None], ValueError, "None"),
    (None, ValueError, "None"),
    ([2**52, 2**52], ValueError, "9007199254740992"),
    ([2**70, 1], ValueError, "1180591620717411303424"),
    ("ab", TypeError, "ab"),
    ([True, False], TypeError, "True"),
    ([1j, 1], TypeError, "1j"),
    ([[1, 1], [1]], ValueError, "ragged"),
    (3, ValueError, r"\(\)|3"),
    ([1], ValueError, r"\(1,\)"),
]
BAD_WHOLE = [
    (-1, ValueError, "-1"),
    (2**53, ValueError, "9007199254740992"),
    (3.0, TypeError, "3.0"),
    (nan, TypeError, "nan"),
    (True, TypeError, "True"),
    (None, TypeError, "None"),
    ("3", TypeError, "'3'"),
]
NOT_REAL = [
    (nan, ValueError, "nan"),
    (inf, ValueError, "inf"),
    (10**400, ValueError, "1000"),
    (None, TypeError, "None"),
    ("1", TypeError, "'1'"),
    (True, TypeError, "True"),
    ([0.5], TypeError, r"\[0.5\]"),
]
NOT_POSITIVE = [*NOT_REAL, (0, ValueError, "0"), (-0.1, ValueError, "-0.1")]
NEGATIVE = [*NOT_REAL, (-0.1, ValueError, "-0.1")]

BELOW_ONE = (1, ValueError, "1")
NOT_WHOLE = [case for case in BAD_WHOLE if case[0] != 2**53]

# the name of the argument, the range that the message has to say, the calls, the bad values
NUMBERS = [
    (
        "epsilon",
        "> 0",
        [*(entry.at for entry in dpbi.MECHANISMS.values()), left_open("epsilon")["calibrate"]],
        NOT_POSITIVE,
    ),
    (
        "epsilon",
        ">= 0",
        [
            dpbi.PureDP,
            lambda v: dpbi.ApproxDP(v, 0.1),
            dpbi.PureDP(1).delta,
            dpbi.ApproxDP(1, 0.1).delta_at,
            left_open("epsilon")["hockey_stick"],
        ],
        NEGATIVE,
    ),
    (
        "delta",
        "<= 1",
        [lambda v: dpbi.ApproxDP(1, v), dpbi.PureDP(1).epsilon_at, dpbi.ApproxDP(1, 0.1).epsilon_at],
        [*NEGATIVE, (1.1, ValueError, "1.1")],
    ),
    ("delta", "< 1", left_open("delta").values(), [*NEGATIVE, BELOW_ONE]),
    ("delta", "> 0 and < 1", [lambda v: dpbi.smoothed_hellinger(0.8, v)], [*NOT_POSITIVE, BELOW_ONE]),
    (
        "sensitivity",
        "> 0",
        [lambda v: dpbi.laplace_in_order(0.8, v), lambda v: dpbi.ehd(0.8, v)],
        [case for case in NOT_POSITIVE if case[0] is not None],
    ),
    (
        "gamma",
        "> 0",
        [lambda v: dpbi.ehds(0.8, gamma=v), left_open("gamma")["reciprocal_smooth_sensitivity"]],
        NOT_POSITIVE,
    ),
    (
        "gamma",
        "> 0 and < 1",
        [left_open("gamma")[f"error_{name}"] for name in ("quantile", "quantiles")],
        [*NOT_POSITIVE, BELOW_ONE],
    ),
    (
        "divisor",
        "> 0",
        [lambda v: dpbi.ehds(0.8, divisor=v), lambda v: dpbi.smoothed_hellinger(0.8, 0.1, divisor=v)],
        NOT_POSITIVE,
    ),
    ("beta", "> 0", left_open("beta").values(), NOT_POSITIVE),
    ("t", "a finite number", [*left_open("t").values(), dpbi.error_law(M, [1, 1], [1, 2]).below], NOT_REAL),
    ("count", ">= 0", [dpbi.PureDP(1).repeat, dpbi.ApproxDP(1, 0.1).repeat], BAD_WHOLE),
    ("k", ">= 2", left_open("k").values(), [BELOW_ONE, *NOT_WHOLE]),
    ("size", ">= 0", left_open("size").values(), NOT_WHOLE),
]


def refused(call, value, error, allowed, found):
    with pytest.raises(error, match=found) as caught:
        call(value)
    message = str(caught.value)
    assert type(caught.value) is error
    assert all(word in message for word in allowed), message


@pytest.mark.parametrize("where", PRIOR)
def test_a_bad_prior_is_refused(where):
    for value, error, found in BAD_PRIORS:
        refused(PRIOR[where], value, error, ["prior must be", "k >= 2"], found)


@pytest.mark.parametrize("where", COUNTS)
def test_bad_counts_are_refused(where):
    for value, error, found in BAD_COUNTS:
        refused(COUNTS[where], value, error, ["counts must"], found)


def test_counts_of_another_length_or_shape_are_refused():
    for where, call in COUNTS.items():
        if where != "neighbours":
            refused(call, [1, 2, 3], ValueError, ["counts must be", "2 categories"], r"\(3,\)")
        if where != "posterior" and "sensitivity" not in where:
            refused(call, [[1, 2], [2, 1]], ValueError, ["counts must be one dataset"], r"\(2, 2\)")


@pytest.mark.parametrize("where", RECORDS)
def test_a_bad_number_of_records_is_refused(where):
    for value, error, found in BAD_WHOLE:
        refused(RECORDS[where], value, error, ["n must be an integer >= 0"], found)


@pytest.mark.parametrize(("name", "allowed", "calls", "cases"), NUMBERS, ids=[f"{row[0]} {row[1]}" for row in NUMBERS])
def test_a_bad_number_is_refused(name, allowed, calls, cases):
    for call in calls:
        for value, error, found in cases:
            refused(call, value, error, [f"{name} must be", allowed, f"got {name}="], found)


def test_bad_concentrations_are_refused():
    for value, error, found in BAD_PRIORS:
        if value not in ([[1, 1], [1, 1]],):  # leading axes are legal here
            refused(lambda v: dpbi.hellinger(v, [1, 1]), value, error, ["a must be", "k >= 2"], found)
            refused(lambda v: dpbi.hellinger([1, 1], v), value, error, ["b must be", "k >= 2"], found)
            refused(lambda v: dpbi.log_density(v, [0.5, 0.5]), value, error, ["concentration must be", "k >= 2"], found)
    refused(lambda v: dpbi.hellinger(v, [1, 1]), [1, 1, 1], ValueError, ["a and b must have", "categories"], r"\(3,\)")
    refused(
        lambda v: dpbi.hellinger(v, np.ones((3, 2))), np.ones((2, 2)), ValueError, ["a and b", "broadcast"], r"\(2, 2\)"
    )


@pytest.mark.parametrize(
    ("theta", "error", "found"),
    [
        ([0.5, 0.6], ValueError, "0.6"),
        ([-0.1, 1.1], ValueError, "-0.1"),
        ([nan, 1], ValueError, "nan"),
        ([0.2, 0.3, 0.5], ValueError, r"\(3,\)"),
        ("ab", TypeError, "ab"),
        ([[0.5, 0.5], [0.5, 0.7]], ValueError, "0.7"),
    ],
)
def test_a_point_off_the_simplex_is_refused(theta, error, found):
    refused(lambda v: dpbi.log_density([1, 1], v), theta, error, ["theta must be", "sum 1"], found)


def test_points_and_concentrations_that_do_not_broadcast_are_refused():
    with pytest.raises(ValueError, match=r"concentration and theta must have .* that broadcast, got .*\(3, 2\)"):
        dpbi.log_density(np.ones((3, 2)), np.full((2, 2), 0.5))


@pytest.mark.parametrize("mechanism", ALL, ids=lambda m: m.name)
def test_only_a_generator_is_a_source_of_randomness(mechanism):
    for rng in (None, 7, np.random, np.random.RandomState(1)):
        with pytest.raises(TypeError, match=r"rng must be a numpy.random.Generator, got rng="):
            mechanism.sample([1, 1], [1, 2], rng)


def test_what_is_no_mechanism_is_refused():
    for call in (
        lambda v: dpbi.audit(v, [1, 1], 3),
        lambda v: dpbi.hockey_stick(v, [1, 1], 3, 0.1),
        lambda v: dpbi.epsilon_at_delta(v, [1, 1], 3, 0.1),
        lambda v: dpbi.error_quantile(v, [1, 1], [1, 2], 0.1),
        lambda v: dpbi.mean_errors(v, [1, 1], 3),
    ):
        refused(call, dpbi.lshist, TypeError, ["mechanism must be a Mechanism"], "got mechanism=")
    refused(lambda v: dpbi.calibrate(v, [1, 1], 3, 0.1), M, TypeError, ["family must be a function"], "got family=")
    refused(lambda v: dpbi.calibrate(lambda e: v, [1, 1], 3, 1), dpbi.lshist, TypeError, ["family must be"], "gives <f")


def test_a_list_that_is_too_long_says_its_size_and_what_to_use_instead():
    for call in (
        lambda: dpbi.count_vectors(10**9, 1000),  # a number with thousands of digits
        lambda: dpbi.ehd(0.8).law([1.0] * 1000, [10**6] * 1000),
        lambda: dpbi.lshist(0.8).law([1, 1, 1], [10**6] * 3),
        lambda: dpbi.laplace_in_order(0.8).law([1, 1, 1], [10**6] * 3),
        lambda: dpbi.mean_errors(dpbi.lshist(0.8), [1, 1], 10**9),
    ):
        said = r"n must be small enough to enumerate \(at most 50,000,000 numbers\), got n=.* rows.*Mechanism.sample"
        with pytest.raises(ValueError, match=said):
            call()
    for call in (
        lambda: dpbi.audit(dpbi.ehdl(0.8), [1, 1, 1], 10**4),
        lambda: dpbi.hockey_stick(dpbi.laplace_in_order(0.8), [1, 1], 10**5, 0.1),  # one law fits, all of them do not
    ):
        with pytest.raises(ValueError, match=r"n must be small enough for a table of all laws \(at most 50,000,000"):
            call()


# What is legal though it looks odd


@pytest.mark.parametrize("mechanism", ALL[:-1], ids=lambda m: m.name)
def test_corners_are_legal(mechanism):
    for k in (2, 3):
        prior = [0.5] * k
        for x in ([0] * k, [3] + [0] * (k - 1), [0] * (k - 1) + [3], [1] + [0] * (k - 1)):
            assert mechanism.sample(prior, x, RNG, 2).shape == (2, k)
        assert dpbi.audit(mechanism, prior, 0).epsilon == 0
        mechanism.guarantee(prior, 0)


def test_whole_numbers_may_come_as_floats_in_counts_and_as_numpy_integers():
    assert dpbi.local_sensitivity([1, 1], [2.0, 0.0]) == dpbi.local_sensitivity(
        np.array([1, 1]), np.array([2, 0], np.uint8)
    )
    assert dpbi.lattice_size(np.int64(3), np.uint8(2)) == 4
    assert M.sample([1, 1], [1, 2], RNG, np.int32(3)).shape == (3, 2)
    assert dpbi.posterior((1, 1), (2, 3)).tolist() == [3, 4]


def test_extreme_but_legal_numbers_are_accepted():
    assert dpbi.ApproxDP(0, 0).delta_at(0) == dpbi.PureDP(0).delta(0) == dpbi.PureDP(0).epsilon_at(1e-9) == 0
    assert dpbi.ApproxDP(0, 1).epsilon_at(1) == 0
    assert dpbi.PureDP(1).delta(1e6) == 0
    assert dpbi.epsilon_at_delta(M, [1, 1], 3, 0.999) == 0
    assert dpbi.error_tail(M, [1, 1], [1, 2], -5) == pytest.approx(1)
    assert dpbi.ehd(np.float64(0.8)).promise == dpbi.BoundedRange(0.8)
    assert dpbi.global_sensitivity([1e-3, 1e9], 2**53 - 1) > 0


MASKED = np.ma.array([3, 4], mask=[0, 1])
SILENT = {  # each was answered, and wrong
    "a masked count": (lambda: dpbi.posterior([1, 1], MASKED), "counts must be .* got masked values"),
    "weights that add up to 1.4": (lambda: dpbi.Mixture([0.7, 0.7], [1, 2], [2, 1]), "weights must be .* the sum 1"),
    "a total that is not n": (lambda: dpbi.given_noise([1, 1], 20, [100, 100], 1.0), "noisy must have the total"),
    "a total above n without a 0": (
        lambda: dpbi.given_noise([1, 1], 20, [12, 9], 1.0),
        "noisy must have the total n=20",
    ),
    "a text for a truth value": (
        lambda: dpbi.closer_than(M, [1, 1], [1, 2], [2, 1], ties="no"),
        "ties must be True or",
    ),
    "a text to bound the work": (
        lambda: dpbi.given_noise([1, 1], 5, [2, 3], 1.0, bounded="no"),
        "bounded must be True",
    ),
    "a prior of 1e308": (lambda: dpbi.posterior([1e308, 1], [1, 2]), "prior must be .* got 1e\\+308"),
    "1_000 between cuts": (lambda: column_of("a", {"cuts": [5]}).code("1_000"), "finite numbers, got '1_000'"),
    "a truth value between cuts": (lambda: column_of("a", {"cuts": [5]}).code(True), "finite numbers, got True"),
}


@pytest.mark.parametrize("case", SILENT)
def test_what_was_answered_wrongly_is_refused(case):
    call, message = SILENT[case]
    with pytest.raises((TypeError, ValueError), match=message):
        call()


def test_counts_clamped_at_0_have_the_posterior_of_noisy_ones():
    clamped, noisy = (dpbi.given_noise([1, 1], 20, z, 0.3)[0].mean for z in ([20, 0], [22, -2]))
    assert clamped == pytest.approx(noisy, rel=1e-12)


def test_the_tail_at_0_is_1_and_near_1_both_ways_agree():
    assert dpbi.error_tail(dpbi.lattice_laplace(0.1), [1, 1, 1], [5, 5, 5], 0) == 1
    m, prior, x, t = dpbi.geometric(0.003), [0.1, 2.0], [554, 756], 1 - 1.6e-12  # the list was .0021 below the line
    line = two_categories.tail(m.line(prior, x), t)
    assert dpbi.error_tail(m, prior, x, t) == pytest.approx(line, abs=1e-9) == 1 - dpbi.error_below(m, prior, x, t)


def test_simulations_and_bounds_are_never_certain():
    # the truth is 3.5e-7 and 8.87e-175, by mpmath
    found = dpbi.simulated_mean_error(dpbi.geometric(14.0), [1, 1], [5, 5], np.random.default_rng(1), 400)
    assert (found.value, found.standard_error > 1e-3) == (0, True)
    deviation = dpbi.error_moments(dpbi.discrete_gaussian(40.0), [1, 1], [1, 0]).standard_deviation
    assert 8.87e-175 - deviation.value <= deviation.bound


def test_pure_privacy_joins_rdp_by_its_own_curve():
    e, joined = 0.1, dpbi.compose(dpbi.RDP([2, 64], [0.1, 0.3]), dpbi.PureDP(0.1))
    p = 1 / (1 + math.exp(-e))  # randomised response, whose divergence is a sum of two terms
    for order, value, given in zip(joined.orders, joined.values, (0.1, 0.3), strict=True):
        two = p**order * (1 - p) ** (1 - order) + (1 - p) ** order * p ** (1 - order)
        assert value == pytest.approx(given + math.log(two) / (order - 1), rel=1e-9)
