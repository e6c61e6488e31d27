"""The claims of this book's own: each with its proof and its page, and wrong statements noticed."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dpbi.accuracy import mean_errors
from dpbi.claims import CLAIMS
from dpbi.claims.beyond import CLAIMS as OURS
from dpbi.claims.beyond.source import BEYOND
from dpbi.claims.claim import PROVED, REFUTED, Claim
from dpbi.claims.item import only_in_doubles
from dpbi.mechanisms import Mechanism
from dpbi.mechanisms.remaps import remapped_lattice
from dpbi.model import count_vectors, marginal
from dpbi.optimum import least_mean_error

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "book" / "optimality.md"


def test_they_are_in_the_ledger_under_their_own_source():
    assert set(OURS) <= set(CLAIMS)
    assert all(claim.id.startswith("beyond/") and claim.source.startswith(("optimality, ", "dpbi, ")) for claim in OURS)


@pytest.mark.parametrize("claim", [claim for claim in BEYOND.claims if claim.proof], ids=lambda claim: claim.id)
def test_a_proved_claim_has_a_block_of_its_name_with_a_proof_on_the_page(claim):
    name = claim.source.removeprefix("optimality, ")
    _, found, after = PAGE.read_text("utf-8").partition(f"}} {name}\n")
    assert found
    assert after.partition("```{prf:")[2].startswith("proof}")


@pytest.mark.parametrize("claim", OURS, ids=lambda claim: claim.id)
def test_its_notebook_exists(claim):
    assert (ROOT / "notebooks" / f"{claim.notebook}.ipynb").is_file()


@pytest.mark.parametrize("claim", [claim for claim in OURS if claim.expected == PROVED], ids=lambda claim: claim.id)
def test_a_statement_that_is_a_little_wrong_is_noticed(claim: Claim):
    # the exact side is off by a hundredth, in doubles, towards where the statement fails
    wrong = 0.01 if claim.relation == "<=" else -0.01

    def body(**case):
        only_in_doubles("the exact side is wrong in doubles")
        exact, bound = claim.body(**case)
        return exact + wrong, bound

    wrongly = (replace(claim, body=body, cases=(case,)) for case in claim.cases)
    assert any(one.verdict() == REFUTED for one in wrongly)


def balanced(prior, n, epsilon):
    """Legal counts released outright: weights for which every row adds up to one."""
    vectors = count_vectors(n, len(prior))
    q = np.exp(-epsilon / 2 * np.abs(vectors[:, None] - vectors).sum(axis=-1))
    weights = np.linalg.solve(q, np.ones(len(vectors)))
    assert (weights > 0).all()
    return Mechanism.from_table("balanced", n, vectors, q * weights)


@pytest.mark.parametrize(("k", "n"), [(3, 5), (4, 4), (5, 4)])
def test_noise_on_the_lattice_is_as_near_to_the_best_as_the_page_says(k, n):
    prior = (1,) * k

    def over_the_least(mechanism, epsilon):
        mean = float(marginal(prior, n) @ mean_errors(mechanism, prior, n))
        return mean / least_mean_error(prior, n, epsilon).value

    assert over_the_least(remapped_lattice(0.8), 0.8) < 1.03
    assert over_the_least(balanced(prior, n, 1), 1) < 1.01
    assert over_the_least(balanced(prior, n, 4), 4) < 1.01
    if k == 3:
        assert over_the_least(remapped_lattice(4), 4) == pytest.approx(1.14, abs=0.005)
