"""User-defined distributions and mechanisms: one error rejects an invalid distribution, and a table is a mechanism."""

import math
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from scipy import stats

import dpbi
import oracles
from dpbi import MECHANISMS, Law, Mechanism, PureDP, audit, count_vectors, given_output, hockey_stick, mean_error
from dpbi.mechanisms import NoisyCounts
from dpbi.mechanisms.base import Budgeted, Vectorised
from dpbi.mechanisms.noise import Noise
from dpbi.privacy.calibration import Calibrated
from oracles import mp

TWO = [[0, 1], [1, 0]]
EVEN = np.log([0.5, 0.5])
nan, inf = math.nan, math.inf


def over_one(excess):
    return np.log([0.5, 0.5 + excess])


@pytest.mark.parametrize(("outputs", "logs", "said"), [
    ([[1, 2]], [0.5], "log_probabilities must be logarithms of probabilities"),
    (TWO, [0.5, 0.5], "with the sum 1"),  # probabilities, and not their logarithms
    (TWO, np.log([0.5, 0.4]), "with the sum 1, got the sum 0.9$"),
    (TWO, over_one(2e-9), "with the sum 1, got the sum 1.000000002$"),
    (TWO, [-inf, -inf], "with the sum 1, got the sum 0$"), (TWO, [[[0.0, -inf]]], "with the sum 1, got shape"),
    ([[0, 1], [0, 1]], EVEN, "outputs must be distinct rows of k >= 2 whole"),
    ([[0.5, 0.5], [1, 0]], EVEN, "outputs must be whole numbers >= 0"),
])  # fmt: skip
def test_invalid_laws_are_refused(outputs, logs, said):
    with pytest.raises(ValueError, match=said):
        Law(outputs, logs)


def test_a_law_may_be_lists_and_is_held_to_a_rounded_sum():
    assert Law(TWO, [-inf, 0.0]).probabilities.tolist() == [0, 1]
    assert Law([[0.0, 1.0], [1.0, 0.0]], over_one(9e-10)).outputs.dtype == np.int64
    shared = np.array(TWO)
    assert Law(shared, EVEN).outputs is shared


class Own(Mechanism):
    """A mechanism whose laws are what two functions return."""

    def __init__(self, law, laws=None):
        vars(self).update(made=law, all_made=laws)

    def _law(self, weights, x):
        return self.made(weights, x)

    def _laws(self, weights, n):
        return self.all_made(weights, n) if self.all_made else super()._laws(weights, n)


USES = [lambda m: audit(m, [1, 1], 1), lambda m: hockey_stick(m, [1, 1], 1, 0.5)]
USES += [lambda m: mean_error(m, [1, 1], [0, 1]), lambda m: given_output(m, [1, 1], 1, [0, 1])]


@pytest.mark.parametrize(("law", "error", "said"), [
    (lambda prior, counts: 1, TypeError, "_law must return a Law of one dataset"),
    (lambda prior, counts: Law([[0, 0, 1]], [0.0]), ValueError, "_law must return a Law .* in 2 categories"),
    (lambda prior, counts: Law(TWO, [EVEN]), ValueError, "_law must return a Law of one dataset"),
    (lambda prior, counts: Law(TWO, np.log([0.25, 0.25])), ValueError, "got the sum 0.5$"),
])  # fmt: skip
def test_a_mechanism_without_a_law_is_refused_everywhere(law, error, said):
    for use in USES:
        with pytest.raises(error, match=said):
            use(Own(law))


@pytest.mark.parametrize("laws", [lambda prior, n: Law(TWO, EVEN), lambda prior, n: Law(TWO, [EVEN, EVEN, EVEN])])
def test_laws_have_a_row_for_every_dataset(laws):
    with pytest.raises(ValueError, match="_laws must return a Law of 2 datasets"):
        audit(Own(lambda prior, counts: Law(TWO, EVEN), laws), [1, 1], 1)


def test_arguments_are_checked_before_the_functions_of_a_user():
    seen = []
    mechanism = Own(lambda prior, counts: seen.append((prior, counts)) or Law(TWO, EVEN))
    mechanism.law([1, 2], (0.0, 1.0))
    (prior, counts), *others = seen
    assert (prior.dtype, counts.dtype, others) == (np.float64, np.int64, [])
    for bad in (lambda: mechanism.law([1, 0], [0, 1]), lambda: mechanism.law([1, 2], [0, -1])):
        with pytest.raises(ValueError, match=r"(prior|counts) must be"):
            bad()
    assert len(seen) == 1


class Truth(Mechanism):
    """The dataset itself."""

    def _law(self, weights, x):
        return Law([x], [0.0])


def test_a_class_without_a_promise_has_none():
    assert (Truth().promise, Truth().promise_at([1, 1], 3)) == (None, None)
    assert audit(Truth(), [1, 1], 2).epsilon == math.inf

    class Changed(NoisyCounts):
        noise = Noise((0,), (1,))

    class Other(Changed):  # another law: neither the promise nor the table or draws of the old one
        def _law(self, weights, x):
            return Law([x], [0.0])

    assert Changed(0.8).promise == PureDP(0.8)
    for made in (Other(0.8), type("Mixed", (Truth, Changed), {})(0.8)):
        assert (made.promise, made.promise_at([1, 1], 3), made.line([1, 1], [2, 1]), made.attained(3, 2)) == (None,) * 4
        assert audit(made, [1, 1], 2).epsilon == math.inf
        assert made.sample([1, 1], [2, 1], np.random.default_rng(1), 5).tolist() == [[2, 1]] * 5
    truthful = {"_at": lambda self, weights, x: Law([x], [0.0])}
    told, mixin = type("Told", (Vectorised, Budgeted), truthful), type("Mixin", (), truthful)
    for bases, names in (((Changed,), truthful), ((told, Changed), {}), ((mixin, Changed), {})):
        with pytest.raises(TypeError, match="_at of NoisyCounts must not be overridden"):
            type("Inside", bases, names)
    promising = type("Promising", (Truth,), {"promise": property(lambda self: PureDP(1))})
    for silent in (type("Law", (promising,), {"_law": Truth._law})(), told(0.8)):
        assert (silent.promise, silent.promise_at([1, 1], 3)) == (None, None)


def test_a_class_that_is_no_frozen_dataclass_is_refused():
    class Bare(Truth):
        share: float = 0.5

    @dataclass
    class Thawed(Truth):
        share: float = 0.5

    class Hidden(NoisyCounts):
        noise = Noise((0,), (1,))

        def __init__(self, epsilon, share):
            super().__init__(epsilon)

    for made in (Bare, Thawed, lambda: Hidden(0.8, 0.5)):
        with pytest.raises(TypeError, match="must be a frozen dataclass"):
            made()
    with pytest.raises(TypeError, match="promise of Called must be a property"):
        type("Called", (Truth,), {"promise": lambda self: PureDP(1)})
    with pytest.raises(ValueError, match="_promise_at must return a guarantee"):
        type("Number", (Truth,), {"_promise_at": lambda self, weights, n: 0.8})().promise_at([1, 1], 2)


@pytest.mark.parametrize("name", [*MECHANISMS, "remapped", "remapped_geometric", "remapped_lattice", "Calibrated"])
def test_no_subclass_keeps_the_promise_of_a_mechanism(name):
    made = MECHANISMS.get(name) or getattr(dpbi, name, Calibrated)
    with pytest.raises(TypeError, match=f"{name} must not have subclasses"):
        type("Copy", (made,), {})


def test_noise_whose_promise_would_not_hold_is_refused():
    for upper, lower in (
        ((0, 2), (1, 2)), ((0,), (2,)), ((0, 1), (1,)), ((0, 1, 3), (1, 2, 3)), ((1, 0, 0), (1, 1, 1)),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="upper and lower must be periods"):
            Noise(upper, lower)

    class Narrow(NoisyCounts):
        noise = Noise((0,), (1,))

        @staticmethod
        def scale(k):
            return 1

    assert audit(Narrow(0.8), [1, 1], 4).epsilon == pytest.approx(0.8, abs=1e-12)
    for use in (lambda: Narrow(0.8).law([1, 1, 1], [1, 2, 0]), lambda: Narrow.likelihoods(0.8, 3)):
        with pytest.raises(ValueError, match="scale must be at least the sensitivity, 2"):
            use()


GUARANTEES = [PureDP(1.5), dpbi.ApproxDP(1.0, 1e-6), dpbi.BoundedRange(0.5), dpbi.ZCDP(0.25)]
GUARANTEES += [dpbi.GaussianDP(0.5), dpbi.RDP([2.0, 4.0], [0.1, 0.3])]
VALUES = [
    *(made.at(0.8) for made in MECHANISMS.values()),
    *(dpbi.ehd(0.8, sensitivity=0.5), dpbi.ehds(1.0, gamma=0.5), dpbi.laplace_in_order(1.0, 1.0)),
    *(dpbi.remapped_geometric(0.5), dpbi.remapped_lattice(0.5), dpbi.remapped(dpbi.ehd(0.5), [1, 2, 3.5])),
    dpbi.calibrate(dpbi.lshist, [1, 2], 2, 0.8), *GUARANTEES,
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_mechanisms_of_equal_parameters_are_equal(value):
    again = eval(repr(value), vars(dpbi) | {"Calibrated": Calibrated})  # its repr is what one types
    assert again == value == pickle.loads(pickle.dumps(value))
    assert len({again, value}) == 1
    assert not any(value == other for other in VALUES if other is not value)


def test_a_table_is_compared_and_pickled():
    one, other = spinner(2), spinner(3)
    assert one == spinner(2) == pickle.loads(pickle.dumps(one)) != other
    assert len({one, spinner(2), other}) == 2


def test_mechanisms_go_to_other_processes():
    mechanisms = [*VALUES[: -len(GUARANTEES)], spinner(2)]
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        found = list(pool.map(partial(mean_error, prior=[1, 2], counts=[1, 1]), mechanisms))
    assert found == [mean_error(mechanism, [1, 2], [1, 1]) for mechanism in mechanisms]


# A table of probabilities: everybody answers by a spinner, true with probability 3/4


def answers(yes, n):
    """How many of n say yes when ``yes`` of them mean it, in fractions: two binomial laws, added."""
    true, false = Fraction(3, 4), Fraction(1, 4)
    law = [Fraction(0)] * (n + 1)
    for kept in range(yes + 1):
        for turned in range(n - yes + 1):
            weight = math.comb(yes, kept) * true**kept * false ** (yes - kept)
            weight *= math.comb(n - yes, turned) * false**turned * true ** (n - yes - turned)
            law[kept + turned] += weight
    return law


def spinner(n):
    table = [[float(p) for p in answers(yes, n)] for yes in range(n + 1)]
    return Mechanism.from_table("spinner", n, count_vectors(n, 2), table)


@pytest.mark.parametrize("n", [0, 4])
def test_a_table_has_the_loss_of_randomised_response(n):
    found, promised = spinner(n), dpbi.randomised_response(math.log(3))
    assert audit(found, [1, 2], n).epsilon == pytest.approx(math.log(3) if n else 0, abs=1e-12)
    assert hockey_stick(found, [1, 2], n, 0.5) == pytest.approx(hockey_stick(promised, [1, 2], n, 0.5), abs=1e-14)
    assert found.promise is None
    assert found.promise_at([1, 2], n) is None


def test_a_table_has_the_error_computed_in_fractions():
    prior, counts = (1, 2), (3, 1)
    terms = ((mp.mpf(p.numerator) / p.denominator, [1 + r, 2 + 4 - r]) for r, p in enumerate(answers(3, 4)))
    exact = mp.fsum(p * oracles.hellinger([4, 3], other) for p, other in terms)
    assert mean_error(spinner(4), prior, counts) == pytest.approx(float(exact), rel=1e-12)


def test_a_table_is_drawn_from_its_row():
    drawn = spinner(4).sample([1, 2], [3, 1], np.random.default_rng(5), 20_000)
    seen = np.bincount(drawn[:, 0], minlength=5)
    assert stats.chisquare(seen, [float(20_000 * p) for p in answers(3, 4)]).pvalue > 1e-3
    never = Mechanism.from_table("never", 1, TWO, [[1, 0], [0.5, 0.5]])
    assert never.sample([1, 1], [0, 1], np.random.default_rng(5), 3).tolist() == [[0, 1]] * 3


@pytest.mark.parametrize(("n", "outputs", "table", "said"), [
    (1, TWO, [[0.5, 0.5], [0.5, 0.6]], "probabilities must be 2 numbers >= 0 with the sum 1"),
    (1, TWO, [[1.5, -0.5], [0.5, 0.5]], "probabilities must be 2 numbers >= 0"),
    (2, TWO, [[0.5, 0.5]] * 2, "a row for each of the 3 datasets"),
    (1, [[0, 1], [0, 1]], [[0.5, 0.5]] * 2, "outputs must be distinct rows"),
])  # fmt: skip
def test_invalid_tables_are_refused(n, outputs, table, said):
    with pytest.raises(ValueError, match=said):
        Mechanism.from_table("told", n, outputs, table)


def test_a_table_refuses_another_number_of_records():
    m = spinner(1)
    for use in (lambda: audit(m, [1, 1], 2), lambda: mean_error(m, [1, 1], [2, 0]), lambda: audit(m, [1, 1, 1], 1)):
        with pytest.raises(ValueError, match="spinner must have n=1 and 2 categories"):
            use()
