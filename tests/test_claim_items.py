"""What a claim and an item are: words computed from cases, sides compared with their enclosures, functions blamed."""

from dataclasses import replace

import numpy as np
import pytest

from dpbi import Law, arithmetic, lshist
from dpbi.claims import Claim, Source, grid, words
from dpbi.claims.claim import NOT_CHECKABLE, NOT_WELL_FORMED, OFF, PROVED, ROUNDING, Condition
from dpbi.claims.item import only_in_doubles
from dpbi.claims.notes import privacy


def example(**data):
    settings = {"id": "test/x", "source": "none", "statement": "x < 1", "relation": "<", "cases": grid(x=[0.5, 0.9])}
    return Claim(**{"body": lambda x: (x, arithmetic.number(1)), **settings, **data})


def test_a_claim_is_called_with_its_parameters():
    assert example()(x=0.25) == (0.25, 1)


def test_words_are_computed_from_the_cases():
    assert example().verdict() == "holds on the cases shown"
    assert example(cases=grid(x=[0.5, 2])).verdict() == "refuted"
    assert example(cases=grid(x=[0.5, 1])).verdict() == "refuted"
    assert example(relation="<=", cases=grid(x=[0.5, 1])).verdict() == "holds on the cases shown"
    assert example(reproduces=True).verdict() == "reproduced"
    assert example(reproduces=True, cases=grid(x=[2])).verdict() == "not reproduced"


def test_a_failing_case_overrides_every_declared_word():
    for declared in ({"proof": True}, {"malformed": "why"}, {"uncheckable": "why"}):
        assert example(**declared).verdict() in (PROVED, NOT_WELL_FORMED, NOT_CHECKABLE)
        assert example(**declared, cases=grid(x=[0.5, 3])).verdict() == "refuted"


def test_a_condition_needs_a_failing_case_outside():
    condition = Condition("x is small", lambda x: x < 1)
    assert example(condition=condition, cases=grid(x=[0.5, 2])).verdict() == "holds under a condition"
    assert example(condition=condition, cases=grid(x=[0.5])).verdict() == "holds on the cases shown"
    assert example(condition=Condition("never", lambda x: x < 3), cases=grid(x=[2])).verdict() == "refuted"


def test_nothing_is_said_without_a_case():
    with pytest.raises(ValueError, match="no case"):
        example(cases=[]).verdict()


def test_the_sign_of_a_margin_is_exact():
    """As doubles 0.1 + 0.2 exceeds 0.3; as decimals it does not."""
    cases = [{"a": 0.1, "b": 0.2, "c": 0.3}]
    verdict = example(relation="<=", cases=cases, body=lambda a, b, c: (a + b, c)).verdicts[0]
    assert verdict.holds
    assert verdict.certified


def test_printed_digits_are_compared_to_the_last_one():
    def digits(value):
        cases = [{"x": value, "printed": "0.667"}]
        return example(relation="≈", cases=cases, reproduces=True, body=lambda x, printed: (x, printed)).verdict()

    assert digits(0.6667) == "reproduced"
    assert digits(0.66751) == "not reproduced"
    assert digits(0.666) == "not reproduced"


def test_unknown_words_are_refused():
    with pytest.raises(ValueError, match="relation must be one of"):
        example(relation="!=")
    with pytest.raises(ValueError, match="expected must be one of"):
        example(expected="true")


def off_by(share: float) -> Claim:
    """A claim whose function is off in doubles by a share."""

    def measured(x):
        return x * (1 + share) if arithmetic.in_doubles() else x

    item = Source("none", "test").item("off", "Lemma 1", cases=grid(x=[0.25, 0.5]), relation="<", calls=measured)
    return item(measured).said("x < 1", proof=True)(lambda x: arithmetic.number(1))


def test_a_function_that_is_off_is_named_with_the_case():
    found = off_by(1e-6)
    assert found.verdict() == OFF
    assert not found.verdicts[0].holds
    assert "`measured` give 0.25 and 1 in doubles at $x = 0.25$" in words.verdict(found)
    assert words.check(found, x=0.5).startswith("**The library is off**: `measured`")


def test_a_function_may_be_off_by_the_rounding():
    assert off_by(ROUNDING / 100).verdict() == PROVED
    assert off_by(100 * ROUNDING).verdict() == OFF


def test_what_exists_in_doubles_only_is_not_compared():
    @Source("none", "test").item("doubles", "Lemma 1", cases=grid(x=[0.5]), calls=only_in_doubles)
    def searched(x):
        only_in_doubles("found by a search")
        return x

    half = searched.said("x = 1/2", proof=True)(lambda x: 0.5)
    assert half.verdict() == PROVED
    assert not half.certified


def test_lists_and_arrays_are_cases_too():
    item = Source("none", "test").item("sum", "Lemma 1", cases=grid(x=[(1, 2)]), calls=sum)(lambda x: sum(x))
    total = item.said("sum = 3", proof=True)(lambda x: 3)
    assert total(x=[1, 2]) == total(x=np.array([1, 2])) == (3, 3)


def test_a_premise_that_is_not_met_is_no_failure():
    claimed = example(condition=Condition("x is small", lambda x: x < 1), cases=grid(x=[0.5, 2]))
    assert words.check(claimed, x=3).startswith("Its **premise is not met** at")
    assert words.check(claimed, x=0.5).startswith("It **holds** at")
    assert words.check(example(), x=3).startswith("It **fails** at")


def test_grid_varies_the_last_parameter_fastest():
    assert [tuple(case.values()) for case in grid(a=[1, 2], b=[3, 4])] == [(1, 3), (1, 4), (2, 3), (2, 4)]


def test_a_last_count_that_is_not_completed_is_refused():
    outputs = np.array([[0, 0, 4], [4, 4, 0], [1, 1, 3]])  # the last row has one record too many
    law = Law(outputs, np.log([0.5, 0.25, 0.25]))
    with pytest.raises(ValueError, match="complete the last count"):
        privacy.completed_loss(replace(lshist(1.0), law=lambda prior, counts: law), (1, 1, 1), 4)
