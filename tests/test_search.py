"""The search for counterexamples: it finds what is false, inside the premises only, and the same every time."""

import importlib
import os
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from dpbi import arithmetic
from dpbi.claims import BY_ID, CLAIMS, Source, grid
from dpbi.claims.claim import Condition
from dpbi.claims.premises import Choice, Dataset, Law, Points, Reals, Rows, Weights, Wholes, premises
from dpbi.claims.search import SMALLEST, attack, attacked, by_size, log, smallest
from dpbi.cli import main
from dpbi.model import local_sensitivity
from dpbi.results import read

ANY = premises(prior=Weights(), counts=Dataset(most=20))


def claimed(bound, relation="<=", **data):
    """A claim about the local sensitivity."""
    item = Source("none", "test").item(
        "sensitivity",
        "Lemma 1",
        cases=grid(prior=[(1, 1)], counts=[(3, 3)]),
        relation=relation,
        calls=local_sensitivity,
    )(lambda prior, counts: local_sensitivity(prior, counts))
    return item.said("LS is small", **{"proof": True, "premises": ANY, **data})(bound)


def half(prior, counts):
    return arithmetic.number(0.5)


def at_most_printed(prior, counts):
    return arithmetic.sqrt(1 - arithmetic.pi() / 4)


def test_a_false_bound_is_found_and_certified():
    """Prior weights below one have a larger sensitivity than the printed constant."""
    found = attack(claimed(half), seconds=60, cases=400)
    assert found.counterexamples
    assert all(v.certified and not v.holds and v.met for v in found.counterexamples)


def test_what_fails_outside_the_premises_only_is_no_counterexample():
    inside = claimed(half, premises=premises(prior=Weights(least=1), counts=Dataset(most=20)))
    assert not attack(inside, seconds=60, cases=400).counterexamples
    stated = Condition("every prior weight is at least 1", lambda prior, counts: min(prior) >= 1)
    under = attack(claimed(half, condition=stated), seconds=60, cases=200)
    assert not under.counterexamples
    assert under.unmet > 0


def test_a_case_outside_the_premises_does_not_fail():
    one = claimed(half, premises=premises(prior=Weights(least=1), counts=Dataset()))
    found = one.check(prior=(0.01, 0.01), counts=(0, 1))
    assert not found.holds
    assert not found.met
    assert not found.inside
    assert one.verdict() == "proved"


def test_what_intervals_leave_open_is_inside_for_a_verdict_and_no_counterexample():
    """1 + 10^-80 is 1 to the bits that are computed: the premise below is false, and nothing decides it."""
    from dpbi.arithmetic import exp, less, number

    tiny = premises(
        "e^-200 + 1 is less than 1",
        lambda prior, counts: not less(1, 1 + exp(number(-200))),
        prior=Weights(),
        counts=Dataset(),
    )
    one = claimed(lambda prior, counts: 0, premises=tiny)
    assert one.check(prior=(1, 1), counts=(1, 1)).inside
    assert not one.certainly_met(prior=(1, 1), counts=(1, 1))
    found = attack(one, seconds=60, cases=5)
    assert not found.counterexamples
    assert found.undecided == 5


def test_the_same_seed_tries_the_same_cases():
    first, second = (attack(claimed(at_most_printed), seconds=60, cases=100, seed=3) for _ in range(2))
    assert first.nearest == second.nearest
    assert first.nearest != attack(claimed(at_most_printed), seconds=60, cases=100, seed=4).nearest


def test_the_smallest_counterexample_is_the_first_in_the_order():
    order = ({"prior": (0.1, 0.1), "counts": (x, n - x)} for n in range(1, 9) for x in range(n + 1))
    found = smallest(claimed(half), order)
    assert found is not None
    assert found.case["counts"] == (0, 1)
    assert smallest(claimed(lambda prior, counts: 2), grid(prior=[(1, 1)], counts=[(1, 1)])) is None


def test_a_case_that_cannot_be_computed_is_told():
    def refused(prior, counts):
        raise ValueError("prior must be another one")

    found = attack(claimed(refused), seconds=60, cases=10)
    assert found.broken[0][1] == "ValueError: prior must be another one"
    assert log([found])[0]["broken"] == 1


def test_a_claim_without_premises_cannot_be_attacked():
    with pytest.raises(ValueError, match="claim must have premises"):
        attack(claimed(at_most_printed, premises=None), seconds=1)


DOMAINS = {
    "real": Reals(low=0.01, high=3, above=0),
    "from minus one": Reals(low=-1, high=1.9, least=-1, below=2),
    "whole": Wholes(2, 30),
    "weights": Weights((2, 3), least=1),
    "equal": Weights((2,), equal=True),
    "counts": Dataset(most=30),
    "choice": Choice((None, 1)),
    "law": Law(),
    "laws": Rows(Law((3,)), (2,)),
    "law of as many": Law(of="prior"),
    "points": Points(Reals(0, 1, least=0, most=1), (2, 3)),
}


@pytest.mark.parametrize("name", DOMAINS)
def test_what_is_drawn_is_allowed(name):
    domain, rng = DOMAINS[name], np.random.default_rng(1)
    case = {"prior": (1, 1, 1)}
    for _ in range(300):
        value = domain.draw(rng, case)
        assert domain.allows(value, case), value
        assert domain.allows(domain.near(rng, value, case), case), value


def test_laws_that_are_drawn_add_up_exactly():
    rng = np.random.default_rng(2)
    for _ in range(200):
        law = Law().draw(rng, {})
        assert sum(Fraction(str(p)) for p in law) == 1
        assert sum(Fraction(str(p)) for p in Law().near(rng, law, {})) == 1


def test_draws_reach_the_ends_of_what_is_searched():
    rng = np.random.default_rng(1)
    weights = [w for _ in range(300) for w in Weights((2,)).draw(rng, {})]
    assert min(weights) == 1e-3
    assert max(weights) == 1e6
    counts = [Dataset(most=30).draw(rng, {"prior": (1, 1)}) for _ in range(300)]
    assert any(0 in x for x in counts)
    assert max(map(sum, counts)) > 25


LISTED_ONLY = {
    "hellinger/2-beta-density-corrected",  # a definition, at whole parameters
    "hellinger/2-posterior",  # at points of the simplex
    "hellinger/4.1.2-three-categories",  # a family, of which three members are shown
    "hellinger/5.4.1-steps",
    "hellinger/5.4.1-table-1",  # all cases are listed
    "notes/4.5-ehd-local-upper",  # a misprint
    "posterior-sampling/theorem-4-proof",  # a step of a proof, as are the next two
    "posterior-sampling/lemma-19-concave",
    "posterior-sampling/theorem-7-equation-12-corrected",
    "posterior-sampling/example-1-prior-corrected",  # a sum that is one
    "posterior-sampling/theorem-6-marginals",  # an example, as are those of the section on metrics
    "posterior-sampling/section-2.2.2-sufficient",
    "posterior-sampling/section-2.2.2-bayes",
    "posterior-sampling/section-2.2.2-weaker",
    "posterior-sampling/lemma-18",  # a linear program for each case
    "posterior-sampling/section-5-rates",  # records at the ends
    "posterior-sampling/lemma-24-factors",  # a few graphs
    "posterior-sampling/section-6-record",
    "posterior-sampling/section-6-record-corrected",
    "private-mcmc/def-6-corrected",  # integrals, one for each case
    "private-mcmc/thm-3.2",
    "private-mcmc/thm-3.3",
    "private-mcmc/2.2-likelihood-no-distribution",
    "private-mcmc/thm-3-premise-corrected",  # every choice of rows
    "private-mcmc/def-7",
    "private-mcmc/2.2-metropolis",  # a chain on a grid, as are the next
    "private-mcmc/algorithm-1-corrected",
    "private-mcmc/3-penalty",
    "private-mcmc/3-clipping-corrected",
    "private-mcmc/4-components",
    "private-mcmc/4-guided",
    "private-mcmc/4-guided-turns",
    "private-mcmc/4-guided-skew",
    "private-mcmc/4-hmc",
    "private-mcmc/5-invariance",
    "private-mcmc/4-minibatch-variance",  # one sample size at a time
    "private-mcmc/4-minibatch-sharp",
    "private-mcmc/4-minibatch-sensitivity",
    "private-mcmc/4-barker-cost",
    "beyond/1-unimodal",  # programs, lists and quadratures, one for each case
    "beyond/2-domination",
    "beyond/3-least-mean-error",
    "beyond/4-least-worst-error",
    "beyond/6-a-coin",
    "beyond/9-coverage",
}
"""Proved claims of the sources that are not searched, and all of this book's own beyond them."""


def test_every_universal_claim_is_attacked_or_listed():
    universal = {c.id for c in CLAIMS if c.proof}
    assert universal - {c.id for c in attacked(CLAIMS)} == LISTED_ONLY
    assert len(attacked(CLAIMS)) > 200


@pytest.mark.parametrize("each", [c for c in CLAIMS if c.premises], ids=lambda c: c.id)
def test_the_cases_of_a_claim_are_inside_its_premises(each):
    if each.expected not in ("holds under a condition", "refuted"):
        assert all(each.inside(**case) for case in each.cases)


@pytest.mark.parametrize("each", attacked(CLAIMS), ids=lambda c: c.id)
def test_a_few_cases_of_every_claim_find_no_counterexample(each):
    found = attack(each, seconds=2, cases=15)
    assert not found.counterexamples
    assert not found.broken
    assert found.cases >= 1


def test_the_command_searches_for_counterexamples(capsys, monkeypatch):
    few = tuple(c for c in CLAIMS if c.id.startswith("notes/4.5-ehd"))
    monkeypatch.setattr("dpbi.cli.verify.chosen", {"notes": few}.__getitem__)
    assert main(["verify", "--source", "notes", "--search", "1"]) == 0
    assert re.search(r"^[1-9]\d* claims attacked with [1-9]\d* cases: 0 fail$", capsys.readouterr().out, re.MULTILINE)


def test_what_is_recorded_adds_up_over_sittings(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "tools"))
    added = importlib.import_module("record_search").added

    def row(claim, cases):
        return {"claim": claim, "cases": cases, "counterexamples": 0, "undecided": 1, "off": 0, "broken": 0}

    first = added({}, [row("a", 10), row("gone", 5)], {"seed": 1, "seconds": 60})
    both = added(first, [row("a", 20), row("new", 7)], {"seed": 2, "seconds": 90})
    assert both["claims"]["claim"] == ["a", "new"]
    assert both["claims"]["cases"] == [30, 7]
    assert both["sittings"]["seed"] == [1, 2]
    assert both["sittings"]["cases"] == [15, 27]


def test_the_record_of_the_search_says_what_was_tried_with_which_seeds():
    tables = read(Path(__file__).parents[1] / "results" / "search" / "search.json").tables
    sittings, claims = tables["sittings"], tables["claims"]
    assert len(set(sittings["seed"])) == len(sittings["seed"])
    assert sum(claims["cases"]) <= sum(sittings["cases"])
    assert not any(claims["counterexamples"])
    assert not any(claims["broken"])
    asked = {c.id for c in attacked(CLAIMS)}
    since_gone = set(claims["claim"]) - {c.id for c in CLAIMS}
    assert set(claims["claim"]) - since_gone <= asked
    assert since_gone == {
        "beyond/promises",
        "beyond/repeated-pure",
        "beyond/smooth-jump",
        "posterior-sampling/ours-cost-mean",
        "posterior-sampling/ours-cost-row",
        "posterior-sampling/ours-cost-variation",
    }


def test_the_stream_of_cases_is_the_same_in_every_process():
    """Names of parameters hash differently in each process: nothing may depend on their order in a set."""
    script = (
        "from dpbi.claims import BY_ID; from dpbi.claims.search import attack; "
        "print(attack(BY_ID['notes/4.1'], 60, 30).nearest)"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", script], env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(seen) == 1


@pytest.mark.parametrize("name", SMALLEST)
def test_a_smallest_counterexample_is_the_first_by_size(name):
    """Every case before it in the order holds, or is not certain to fail."""
    claim = BY_ID[name]
    found = smallest(claim, by_size(claim))
    assert found.certified
    assert not found.holds
    assert sum(found.case["counts"]) <= min(sum(v.case["counts"]) for v in claim.failing)
    assert claim.expected == "refuted"


def test_only_a_counterexample_that_was_searched_for_is_called_the_smallest():
    said = {c.id for c in CLAIMS if "smallest counterexample" in c.notes.lower()}
    assert said == {"notes/4.2-tail", "notes/4.5-ehd-lower"}
    assert said <= set(SMALLEST)
    assert smallest(BY_ID["notes/4.2-tail"], by_size(BY_ID["notes/4.2-tail"])).case["counts"] == (1, 0)
    assert sum(smallest(BY_ID["notes/4.5-ehd-lower"], by_size(BY_ID["notes/4.5-ehd-lower"])).case["counts"]) == 1
