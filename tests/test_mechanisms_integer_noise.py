"""Exact noise: distributions against sums over all entropy, draws against the distributions, and no use of floats."""

import ast
import heapq
import inspect
import itertools
import math
import sys
from collections import Counter
from fractions import Fraction
from functools import cache, partial

import numpy as np
import pytest
from scipy import stats

import oracles
from dpbi.mechanisms import MECHANISMS, integer_noise, lattice_noise, noisy_counts
from dpbi.mechanisms.gaussian_noise import GAUSSIAN
from dpbi.mechanisms.integer_noise import bernoulli_exp, discrete_gaussian, one_sided_geometric
from dpbi.publish import releasable
from dpbi.publish.budget import Price
from oracles import mp

RELEASED = releasable()
two_sided_geometric, zero_sum = integer_noise.two_sided_geometric, integer_noise.zero_sum
floored_laplace = integer_noise.floored_laplace

# The law as a tree: whatever a random number can be is tried, with its chance. At the bottom the number is the entropy
# source's, uniform; what is built on coins or on geometric variables takes these
# with the laws they were shown to have.


class MoreEntropy(Exception):
    """The script of random numbers is at its end: here is what the next one can be, and how probable."""

    def __init__(self, choices):
        super().__init__(choices)
        self.choices = choices


def below(count):
    return [(value, 1 / count) for value in range(count)]


def coin(p):
    return [(True, p), (False, 1 - p)]


GIVEN = {
    "randbelow": below,
    "bernoulli_exp": lambda rate: coin(math.exp(-rate)),
    "one_sided_geometric": cache(lambda rate: [(m, pmf_geometric(rate)(m)) for m in range(12)]),
    "two_sided_geometric": cache(lambda rate: [(z, pmf_two_sided(rate)(z)) for z in range(-14, 15)]),
}


def exact_law(draw, given, monkeypatch, nodes=6_000):
    """Probabilities of the outcomes by the likeliest scripts, and what these leave undecided."""
    law, heap, order = Counter(), [(-1.0, 0, ())], itertools.count(1)
    script = iter(())

    def scripted(choices):
        def next_number(*arguments):
            for value in script:
                return value
            raise MoreEntropy(choices(*arguments))

        return next_number

    for name in given:
        monkeypatch.setattr(integer_noise, name, scripted(GIVEN[name]))
    while heap and nodes and -heap[0][0] > 1e-18:  # what is less likely adds up to nothing
        negative, _, values = heapq.heappop(heap)
        script, nodes = iter(values), nodes - 1
        try:
            law[draw()] -= negative
        except MoreEntropy as more:
            for value, p in more.choices:
                heapq.heappush(heap, (negative * p, next(order), (*values, value)))
    return law, 1 - math.fsum(law.values())


def pmf(noise, rate):
    """The probabilities of a noise of the oracles, whose scale is one over the rate."""
    scale = mp.mpf(rate.denominator) / rate.numerator
    return cache(lambda z: float(noise(z, z, scale)))


noises = oracles.two_sided_geometric, oracles.staircase, oracles.floored_laplace
pmf_two_sided, pmf_staircase, pmf_floored = (partial(pmf, noise) for noise in noises)


def pmf_geometric(rate):
    alpha = mp.exp(-mp.mpf(rate.numerator) / rate.denominator)
    return lambda m: float((1 - alpha) * alpha**m) if m >= 0 else 0.0


def pmf_gaussian(precision):
    deviation = mp.sqrt(mp.mpf(precision.denominator) / precision.numerator)
    return cache(lambda z: float(oracles.discrete_gaussian(z, z, deviation)))


def pmf_zero_sum(rate, k):
    alpha = mp.exp(-mp.mpf(rate.numerator) / rate.denominator)
    around = itertools.product(*[range(-12 * 4 // k, 12 * 4 // k + 1)] * (k - 1))
    total = mp.fsum(mp.sqrt(alpha) ** (sum(map(abs, v)) + abs(sum(v))) for v in around)
    return lambda v: float(mp.sqrt(alpha) ** sum(map(abs, v)) / total) if sum(v) == 0 and len(v) == k else 0.0


ENTROPY = ("randbelow",)
COINS = ("randbelow", "bernoulli_exp")
VARIABLES = ("randbelow", "one_sided_geometric")
AROUND = ("two_sided_geometric", "bernoulli_exp")

LAWS = {
    "coin exp(-2/3)": (ENTROPY, lambda: bernoulli_exp(Fraction(2, 3)), dict(coin(math.exp(-2 / 3))).__getitem__),
    "coin exp(-5/2)": (ENTROPY, lambda: bernoulli_exp(Fraction(5, 2)), dict(coin(math.exp(-2.5))).__getitem__),
    "one_sided_geometric 1": (ENTROPY, lambda: one_sided_geometric(Fraction(1)), pmf_geometric(Fraction(1))),
    "one_sided_geometric 3/2": (COINS, lambda: one_sided_geometric(Fraction(3, 2)), pmf_geometric(Fraction(3, 2))),
    "two-sided 1": (COINS, lambda: two_sided_geometric(Fraction(1)), pmf_two_sided(Fraction(1))),
    "staircase 1": (VARIABLES, lambda: integer_noise.staircase(Fraction(1)), pmf_staircase(Fraction(1))),
    "two-sided 3/2": (VARIABLES, lambda: two_sided_geometric(Fraction(3, 2)), pmf_two_sided(Fraction(3, 2))),
    "floored Laplace 5/2": (VARIABLES, lambda: floored_laplace(Fraction(5, 2)), pmf_floored(Fraction(5, 2))),
    "discrete Gaussian 9/4": (AROUND, lambda: discrete_gaussian(Fraction(9, 4)), pmf_gaussian(Fraction(9, 4))),
    "zero sum, 3 at 4": (AROUND, lambda: zero_sum(Fraction(4), 3), pmf_zero_sum(Fraction(4), 3)),
    "zero sum, 4 at 8": (AROUND, lambda: zero_sum(Fraction(8), 4), pmf_zero_sum(Fraction(8), 4)),
}
"""Each law with what is given of its parts, and the probability of an outcome from its definition."""


@pytest.mark.parametrize("name", LAWS)
def test_probabilities_of_all_chances_add_up_to_the_law(name, monkeypatch):
    given, draw, pmf = LAWS[name]
    law, undecided = exact_law(draw, given, monkeypatch)
    assert undecided < 0.03
    for outcome, p in law.items():
        assert p - 1e-12 <= pmf(outcome) <= p + undecided + 1e-12
    assert sum(pmf(outcome) - p for outcome, p in law.items()) <= undecided + 1e-12


# Draws. A first test at level 1e-2; if it fails, five fresh batches are pooled and tested at level 1e-5. A law that is
# right fails with probability 1e-7, the five below together with 1e-6 per run; nothing is seeded.


def p_value(draws, pmf):
    seen = Counter(draws)
    likely = {outcome: len(draws) * pmf(outcome) for outcome in seen}
    cells = [(seen[outcome], expected) for outcome, expected in likely.items() if expected >= 10]
    rest = len(draws) - sum(count for count, _ in cells), len(draws) - math.fsum(expected for _, expected in cells)
    if rest[1] >= 1:
        cells.append(rest)
    elif rest[0] > 10 + 10 * rest[1]:  # outcomes that can hardly occur
        return 0.0
    count, expected = (np.array(column, dtype=float) for column in zip(*cells, strict=True))
    return stats.chisquare(count, expected * count.sum() / expected.sum()).pvalue


def follows(draw, pmf, size=4000):
    first = p_value([draw() for _ in range(size)], pmf)
    return first > 1e-2 or p_value([draw() for _ in range(5 * size)], pmf) > 1e-5


@pytest.mark.parametrize("name", RELEASED)
def test_what_is_released_follows_the_law_that_is_audited(name):
    x, epsilon = (1, 0, 3), Fraction(4, 5)
    mechanism = MECHANISMS[name].at(Price(RELEASED[name].currency, epsilon).epsilon)
    law = mechanism.law([1, 1, 1], x)
    probabilities = dict(zip(map(tuple, law.outputs.tolist()), law.probabilities.tolist(), strict=True))
    assert follows(lambda: RELEASED[name].legal(RELEASED[name].draw_exactly(x, epsilon), 4), probabilities.__getitem__)


def test_noise_reaches_far_into_the_tails():
    tiny = Fraction(1, 10**30)
    assert max(abs(two_sided_geometric(tiny)) for _ in range(20)) > 10**27
    v = zero_sum(tiny, 5)
    assert sum(v) == 0
    assert max(v) > 10**24
    v = zero_sum(Fraction(1, 2), 300)
    assert (len(v), sum(v)) == (300, 0)
    assert [zero_sum(Fraction(20), 4) for _ in range(20)].count((0, 0, 0, 0)) >= 18  # noise has the chance 2.5e-8 each
    for name in ("geometric", "lshist", "staircase"):  # what the windows of hidden counts are cut by
        law = RELEASED[name].likelihoods(0.8, 2)[0]
        assert law.decay == pytest.approx(-np.diff(law.log_point(np.array([4, 44])))[0] / 40, rel=1e-12)


def test_the_source_uses_no_float_and_no_other_entropy():
    tree = ast.parse(inspect.getsource(integer_noise))
    sources = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    imported = {(source.module, name.name) for source in sources for name in source.names}
    assert imported == {("fractions", "Fraction"), ("secrets", "randbelow")}
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.Import)]
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, float)]
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert not names & {"float", "round", "complex", "np", "numpy", "random", "pow"}


def holds_float(value):
    if isinstance(value, np.ndarray):
        return value.dtype.kind not in "iub"
    if isinstance(value, (list, tuple, set)):
        return any(map(holds_float, value))
    return isinstance(value, (float, np.floating, complex))


@pytest.mark.parametrize("name", RELEASED)
def test_no_variable_on_the_way_of_a_release_is_ever_a_float(name):
    watched = {integer_noise.__file__, noisy_counts.__file__, lattice_noise.__file__}
    found, lines = [], 0

    def trace(frame, event, argument):
        nonlocal lines
        if frame.f_code.co_filename not in watched:
            return None
        lines += 1
        inside = frame.f_locals.items()
        found.extend((frame.f_code.co_name, variable) for variable, value in inside if holds_float(value))
        if event == "return" and holds_float(argument):
            found.append((frame.f_code.co_name, "return"))
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        for x, epsilon in (((5, 2), Fraction(1, 3)), ((1, 0, 3), Fraction(1, 2)), ((0, 2, 0, 1), Fraction(7, 5))):
            for _ in range(3):
                RELEASED[name].legal(RELEASED[name].draw_exactly(x, epsilon), sum(x))
    finally:
        sys.settrace(before)
    assert lines > 300
    assert not found


@pytest.mark.parametrize("precision", [1e-6, 0.3, 9.0])
def test_far_tails_of_gaussian_noise_are_those_of_mpmath(precision):
    deviation = precision**-0.5
    moves = [math.ceil(times * deviation) for times in (60, 400, 61, 60, 5000)]  # in no order, and one of them again
    found = GAUSSIAN.at(precision)._log_upper(np.array(moves))
    tau = mp.mpf(precision)
    for move, value in zip(moves, found, strict=True):
        terms = range(math.ceil(60 / (move * precision)) + 2)
        with mp.workdps(30):
            sums = mp.fsum(mp.exp(-tau * j * (move + mp.mpf(j) / 2)) for j in terms)
            assert value == pytest.approx(float(mp.log(sums) - tau / 2 * move**2), rel=1e-14)
            assert value + precision / 2 * move**2 == pytest.approx(float(mp.log(sums)), abs=1e-14 * abs(value) + 1e-13)
