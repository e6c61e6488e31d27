"""Claims of the thesis on private Markov chain Monte Carlo: tightness, and every item covered."""

from pathlib import Path

import pytest

from dpbi import arithmetic
from dpbi.claims import CLAIMS as ALL
from dpbi.claims import Claim
from dpbi.claims.claim import NOT_CHECKABLE, NOT_WELL_FORMED, PROVED, REFUTED, ROUNDING, TIGHT
from dpbi.claims.private_mcmc import CLAIMS, metropolis_hastings, models, penalty, variations
from dpbi.mcmc import exact

BY_ID = {claim.id.removeprefix("private-mcmc/"): claim for claim in CLAIMS}
NAMES = list(BY_ID)

ITEMS = {
    "Definition 1": ("def-1",),
    "Definition 2": ("def-2",),
    "Definition 3": ("def-3",),
    "Definition 3, order 1": ("def-3-order-1", "def-3-order-1-corrected"),
    "Definition 3, order infinity": ("def-3-order-infinity",),
    "Definition 4": ("def-4-rdp", "def-4-zcdp"),
    "Definition 5": ("def-5",),
    "Theorem 1.1": ("thm-1.1",),
    "Theorem 1.2": ("thm-1.2",),
    "Theorem 1.3": ("thm-1.3",),
    "Theorem 1, after": ("thm-1-induction", "thm-1-data-free"),
    "Theorem 2": ("thm-2", "thm-2-renyi"),
    "Definition 6": ("def-6", "def-6-corrected"),
    "Theorem 3, premise": ("thm-3-premise", "thm-3-premise-corrected"),
    "Theorem 3.1": ("thm-3.1",),
    "Theorem 3.2": ("thm-3.2",),
    "Theorem 3.3": ("thm-3.3", "thm-3.3-in-doubles"),
    "Definition 7": ("def-7",),
    "Definition 7, after": ("def-7-release",),
    "Section 2.1, left out": ("zcdp-to-adp", "rdp-to-adp"),
    "Section 2.2": ("2.2-wording", "2.2-likelihood-no-distribution", "2.2-convergence", "2.2-cancel"),
    "Section 2.2, Bayes' theorem": ("2.2-bayes",),
    "Section 2.2, Metropolis-Hastings": ("2.2-metropolis",),
    "Section 2.2, lambda": ("2.2-lambda", "2.2-lambda-corrected"),
    "Section 2.2, likelihood": ("2.2-likelihood", "2.2-likelihood-corrected"),
    "Section 2.2, independence": (
        "2.2-product-index",
        "2.2-product",
        "2.2-product-corrected",
        "2.2-product-over-rows",
    ),
    "Section 2.2, log likelihood ratio": ("2.2-ratio-sum", "2.2-ratio-sum-corrected"),
    "Algorithm 1": ("algorithm-1", "algorithm-1-corrected"),
    "Chapter 3": (
        "3-title",
        "3-acceptance",
        "3-penalty",
        "3-no-correction",
        "3-half-correction",
        "3-sensitivity",
        "3-statistic",
        "3-clipping",
        "3-clipping-corrected",
        "3-clipping-bias",
        "3-cost",
    ),
    "Chapter 4": (
        "4-title",
        "4-components",
        "4-guided",
        "4-guided-no-correction",
        "4-guided-turns",
        "4-guided-balance",
        "4-guided-skew",
        "4-minibatch-variance",
        "4-minibatch-sharp",
        "4-minibatch-sensitivity",
        "4-minibatch-count",
        "4-minibatch-count-corrected",
        "4-minibatch-bias",
        "4-hmc",
        "4-hmc-open",
        "4-barker-correction",
        "4-barker-correction-corrected",
        "4-barker-cost",
    ),
    "Chapter 5": (
        "5-title",
        "5-acceptance",
        "5-invariance",
        "5-peskun",
        "5-threshold",
        "5-threshold-corrected",
    ),
    "Chapter 6": (
        "6-title",
        "6-iterations",
        "6-iterations-most",
        "6-iterations-found",
        "6-iterations-renyi",
    ),
}
"""Every definition, theorem, formula and title of the source, in its order, with the claims about it."""


def test_every_item_of_the_source_has_its_claims_and_there_are_no_others():
    assert sorted(NAMES) == sorted(name for names in ITEMS.values() for name in names)
    for item, names in ITEMS.items():
        for name in names:
            assert BY_ID[name].source == f"raisa2020, {item}"


def test_the_claims_are_in_the_ledger():
    assert set(CLAIMS) <= set(ALL)
    assert len({claim.id for claim in ALL}) == len(ALL)


INVARIANT = {
    "2.2-metropolis": metropolis_hastings.leaning_error,
    "3-penalty": penalty.corrected_error,
    "3-clipping-corrected": penalty.neighbours_error,
    "4-components": variations.components_error,
    "4-guided": variations.guided_error,
    "4-guided-skew": variations.skew_imbalance,
}


@pytest.mark.parametrize("name", INVARIANT)
def test_invariance_is_certified_far_below_the_bound(name, monkeypatch):
    claim, error = BY_ID[name], INVARIANT[name].exact
    assert claim.certified
    assert claim.relation == "<="
    monkeypatch.setattr(exact, "ROUNDING", 0.0)
    for case in claim.cases:
        assert float(claim(**case)[1]) == 1e-12
        assert float(error(**case)) < 1e-14
        with arithmetic.balls():
            found = error(**{key: arithmetic.number(value) for key, value in case.items()})
            assert arithmetic.less(found, arithmetic.number("1e-30"))


@pytest.mark.parametrize(
    "name", ["3-no-correction", "3-half-correction", "3-clipping-bias", "4-guided-no-correction", "algorithm-1"]
)
def test_wrong_variants_are_seen_for_certain(name):
    claim = BY_ID[name]
    for case in claim.cases:
        assert claim.sign(**case) == (1 if claim.relation == ">" else -1)


def test_every_exact_side_calls_the_library_or_says_why_not():
    for claim in CLAIMS:
        assert bool(claim.calls) + bool(claim.apart) + bool(claim.malformed or claim.uncheckable) == 1, claim.id


def test_what_the_thesis_only_has_titles_for_is_not_called_its_own():
    for claim in CLAIMS:
        chapter = claim.source.removeprefix("raisa2020, ").startswith("Chapter")
        assert not chapter or (claim.origin == "printed") == claim.id.endswith("-title"), claim.id


def test_a_statement_of_another_work_says_which():
    bibliography = (Path(__file__).parents[1] / "book" / "references.bib").read_text("utf-8")
    for claim in ALL:
        assert bool(claim.work) == (claim.origin == "literature"), claim.id
        assert not claim.work or f"{{{claim.work}," in bibliography, claim.id


@pytest.mark.parametrize("name", [n for n in NAMES if BY_ID[n].tight is not None])
def test_a_tight_bound_is_attained_and_a_looser_one_is_not(name):
    claim = BY_ID[name]
    assert claim.slack <= TIGHT
    assert claim.loosened(0.01).slack > TIGHT
    exact, bound = claim(**claim.tight)
    assert exact - bound <= ROUNDING * abs(bound)


def test_a_failing_statement_has_a_corrected_partner_that_holds():
    failing = {c.id for c in CLAIMS if c.expected in (REFUTED, NOT_WELL_FORMED, NOT_CHECKABLE)}
    corrected = {c.corrects for c in CLAIMS if c.corrects}
    assert failing <= corrected
    for claim in CLAIMS:
        if claim.corrects:
            assert claim.expected not in (REFUTED, NOT_WELL_FORMED, NOT_CHECKABLE), claim.id


def test_the_argument_about_the_bias_of_clipping_has_its_numbers():
    """At two bounds: how far the stationary law is from the target, and which share of the ratios is clipped."""
    claim, target = BY_ID["3-clipping-bias"], models.simulated()
    i, j = target.moves
    ratios = abs(target.log_likelihood[:, j] - target.log_likelihood[:, i])
    for clip, distance, share in ((0.8, "0.0959", 0.5), (0.3, "0.233", 0.83)):
        assert f" {distance} " in claim.notes
        assert f"{claim(clip=clip)[0]:.3g}" == distance
        assert (ratios > clip * target.distance[i, j]).mean() == pytest.approx(share, abs=0.02)


def test_a_proof_is_written_where_a_claim_says_proved():
    for claim in CLAIMS:
        assert claim.id.startswith("private-mcmc/")
        assert len(claim.notes) > 20, claim.id
        assert claim.proof or claim.expected != PROVED


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("3-acceptance", 1e-6),
        ("thm-3.3", 1e-6),
        ("2.2-lambda-corrected", 1e-6),
        ("5-acceptance", 1e-6),
        ("def-3", 1e-6),
    ],
)
def test_an_identity_that_is_slightly_wrong_is_refuted(name, change):
    claim: Claim = BY_ID[name]
    assert claim.loosened(change).verdict() == REFUTED
