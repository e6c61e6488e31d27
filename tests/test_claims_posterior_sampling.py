"""The claims of the posterior sampling paper: complete, as expected, and tight where they say so."""

import inspect
import math

import numpy as np
import pytest

from dpbi import posterior_sampling as ps
from dpbi.claims import CLAIMS as ALL
from dpbi.claims import floats
from dpbi.claims import posterior_sampling as claims
from dpbi.claims.claim import CONDITIONAL, NOT_CHECKABLE, NOT_WELL_FORMED, PROVED, REFUTED
from dpbi.claims.posterior_sampling import CLAIMS

IDS = [claim.id for claim in CLAIMS]

ITEMS = [
    *(f"Definition {i}" for i in (1, 2)),
    *(f"Assumption {i}" for i in (1, 2)),
    "Remark 3",
    *(f"Theorem {i}" for i in (4, 6, 7, 8, 13, 17, 25)),
    *(f"Corollary {i}" for i in (9, 10, 16)),
    *(f"Lemma {i}" for i in (5, 11, 12, 14, 15, 18, 19, 20, 21, 22, 23, 24)),
    *(f"Claim {i}" for i in (1, 2, 3, 4)),
    *(f"Example {i}" for i in (1, 2)),
    "Figure 1",
    *(f"Algorithm {i}" for i in (1, 2)),
]
"""Every numbered item of the paper."""


def items(claim):
    """The numbered items that the source of a claim begins with."""
    named = claim.source.removeprefix("dimitrakakis2017, ")
    return [item for item in ITEMS if named == item or named.startswith((f"{item},", f"{item} ("))]


def test_every_numbered_item_has_a_claim():
    covered = {item for claim in CLAIMS for item in items(claim)}
    assert covered == set(ITEMS)


def test_the_ledger_has_every_claim_once():
    assert len(set(IDS)) == len(IDS)
    ours = [claim.id for claim in ALL if claim.id.startswith("posterior-sampling/")]
    assert ours == IDS
    defined = [value.id for value in vars(claims).values() if isinstance(value, type(CLAIMS[0]))]
    assert sorted(defined) == sorted(IDS)


@pytest.mark.parametrize("claim", CLAIMS, ids=IDS)
def test_verdict_is_the_expected_one(claim):
    assert claim.verdict() == claim.expected


@pytest.mark.parametrize("claim", [c for c in CLAIMS if c.tight is not None], ids=lambda claim: claim.id)
def test_tight_claims_are_attained(claim):
    assert claim.slack <= 0.005
    if claim.relation != "=":
        assert claim.check(**claim.tight).holds
        assert not any(verdict.holds for verdict in [tightened(claim).check(**claim.tight)])


def tightened(claim):
    return claim.loosened(-0.0101)  # towards the exact side, and beyond it


@pytest.mark.parametrize("claim", CLAIMS, ids=IDS)
def test_doubles_and_intervals_agree(claim):
    from dpbi.claims import balls

    for case in claim.cases[:4]:
        try:
            intervals = claim.body(balls, **{name: balls.number(value) for name, value in case.items()})
        except balls.Undecided:
            continue
        for x, ball in zip(claim(**case), intervals, strict=True):
            assert float(x) == pytest.approx(float(ball), rel=1e-9, abs=1e-11), case


def test_every_case_of_every_claim_is_computed_in_intervals_too():
    from dpbi.claims import balls

    for claim in CLAIMS:
        for case in claim.cases:
            claim.body(balls, **{name: balls.number(value) for name, value in case.items()})


def test_every_refutation_is_certified():
    for claim in CLAIMS:
        if claim.verdict() in (REFUTED, CONDITIONAL):
            assert any(v.certified for v in claim.verdicts if not v.holds), claim.id


def test_linear_programs_are_enclosed_by_a_solution_and_its_dual():
    """The balls of both sides of Lemma 18 are so small that the programs and their duals agree."""
    from dpbi.claims import balls

    for side in claims.lemma_18.body(balls, balls.number(0.2), balls.number(4)):
        assert float(side.rad()) < 1e-9
    assert [v.certified for v in claims.lemma_18.verdicts] == [False, True, True, True]  # the first is an equality


@pytest.mark.parametrize("claim", CLAIMS, ids=IDS)
def test_claims_are_linked_and_explained(claim):
    assert claim.source.startswith("dimitrakakis2017, ")
    assert claim.corrects is None or claim.corrects in IDS
    assert claim.notebook.startswith("posterior_sampling/")
    assert len(claim.notes) > 40
    assert claim.expected not in (PROVED, REFUTED) or claim.cases


def test_every_false_or_empty_statement_has_something_true_beside_it():
    corrected = {claim.corrects for claim in CLAIMS}
    bare = [c.id for c in CLAIMS if c.expected == REFUTED and c.id not in corrected]
    assert set(bare) == {
        "posterior-sampling/theorem-4-rectangles",  # its theorem is proved without it
        "posterior-sampling/theorem-6-global",  # the other reading is theorem-6
        "posterior-sampling/lemma-11-subsets",  # lemma-11-finite
        "posterior-sampling/theorem-13.2-necessary",  # theorem-13.2-corrected
        "posterior-sampling/lemma-23-loss",  # lemma-23-classical-corrected
    }


def test_unnamed_constants_are_not_checkable_and_say_where_the_explicit_version_is():
    found = [claim for claim in CLAIMS if claim.expected == NOT_CHECKABLE]
    assert [claim.id.removeprefix("posterior-sampling/") for claim in found] == [
        "theorem-8.2-order",
        "lemma-11",
        "corollary-16",
        "claim-1b",
        "theorem-17b-order",
        "section-4.5-rates",
    ]
    assert all("constant" in claim.reason for claim in found)
    assert [c.id for c in CLAIMS if c.expected == NOT_WELL_FORMED] == ["posterior-sampling/corollary-9"]


# The quantities in the bodies against the library, which is tested against fractions and quadrature on its own


@pytest.mark.parametrize("kind", ["uniform", "exponential"])
def test_settings_agree_with_the_library(kind):
    setting = claims.Setting(floats, 0.05, kind, 7)
    family = ps.bernoulli()
    grid = ps.bernoulli_grid(0.05)
    prior = ps.uniform(grid) if kind == "uniform" else ps.exponential_prior(family, grid)
    data = [[1] * k + [0] * (7 - k) for k in range(8)]
    laws = [ps.posterior(family, prior, x) for x in data]
    pairs = [(laws[k], laws[j]) for k in range(8) for j in (k - 1, k + 1) if 0 <= j < 8]
    for ours, theirs in (
        (setting.worst(lambda p, q: claims.loss(floats, p, q)), max(ps.privacy_loss(p, q) for p, q in pairs)),
        (setting.worst(claims.variation), max(ps.total_variation(p, q) for p, q in pairs)),
        (setting.worst(lambda p, q: claims.divergence(floats, p, q)), max(ps.kullback_leibler(p, q) for p, q in pairs)),
        (setting.C, max(ps.likelihood_ratio(family, prior, x) for x in data)),
        (setting.mean_ell, ps.expected_lipschitz(family, prior)),
        (setting.rate(0.9), ps.best_rate(family, prior, 0.9)),
        (setting.L, ps.lipschitz_bound(family, prior)),
    ):
        assert ours == pytest.approx(theirs, rel=1e-10)


def test_the_closed_form_of_beta_neighbours_agrees_with_the_library():
    family = ps.bernoulli()
    for alpha, n in ((2, 1), (2, 9), (5, 4)):
        laws = [ps.posterior(family, ps.Beta(alpha, alpha), [1] * k + [0] * (n - k)) for k in range(n + 1)]
        worst = max(ps.total_variation(p, q) for p, q in zip(laws, laws[1:], strict=False))
        assert claims.beta_variation(floats, alpha, n) == pytest.approx(worst, rel=1e-10)


def test_likelihood_ratios_agree_with_the_library():
    prior = ps.trimmed_exponential(1.0, 0.5, 5.0)
    for x in (0.0, 0.4, 1.0, 3.0):
        exact = claims.exponential_ratio(floats, 1.0, 0.5, 5.0, x)
        assert exact == pytest.approx(ps.likelihood_ratio(ps.exponential(3.0), prior, [x]), rel=1e-10)
    normal = ps.normal_precision(0.0, 5.0)
    largest = max(ps.likelihood_ratio(normal, ps.trimmed_exponential(1.0, 0.5, 1.0), [x]) for x in (0.0, 5.0))
    assert claims.normal_ratio(floats, 1.0, 0.5, 1.0, 5.0) == pytest.approx(largest, rel=1e-10)


def test_the_largest_ratio_of_the_normal_family_is_at_the_mean_or_far_from_it():
    """``normal_ratio`` looks at two records only; on a grid of all of them there is no larger ratio."""
    for case in claims.VARIANCES:
        family = ps.normal_precision(case["mu"], case["B"])
        prior = ps.trimmed_exponential(case["lam"], case["c1"], case["c2"])
        grid = max(ps.likelihood_ratio(family, prior, [x]) for x in np.linspace(-case["B"], case["B"], 81))
        ends = claims.normal_ratio(floats, case["lam"], case["c1"], case["c2"], case["B"] + abs(case["mu"]))
        assert ends >= grid * (1 - 1e-9)


def test_chains_and_networks_agree_with_the_library():
    chain, table = ps.markov_chain(2), np.array([[0.9, 0.1], [0.3, 0.7]])
    rows = claims.path_laws(floats, 0.1, 4)
    four = [np.array([[1 - a, a], [1 - b, b]]) for a in (0.1, 0.9) for b in (0.1, 0.9)]
    for path in ((0, 1, 1, 0), (1, 1, 1, 1)):
        assert np.log(rows[path]) == pytest.approx(chain.log_likelihood([(t,) for t in four], path))
    assert chain.lipschitz([(table,)])[0] <= math.log(9)
    network = ps.network([[], [0]], [2, 2])
    for case in claims.CHAINED:
        first, second = case["first"], case["second"]
        tables = (np.array([1 - first, first]), np.array([[1 - p, p] for p in second]))
        exact, _ = claims.worst_gap(floats, first, second, 1, 0.0)
        assert exact == pytest.approx(network.lipschitz([tables])[0], rel=1e-12)


def test_cases_outside_the_premise_are_refused():
    with pytest.raises(ValueError, match="rho must be at least the threshold of Theorem 13"):
        claims.theorem_13_1(step=0.2, n=2, x=1, y=1, rho=0.01, N=1, delta=0.01)


def test_no_body_returns_a_constant_for_its_exact_side():
    for claim in CLAIMS:
        parameters = inspect.signature(claim.body).parameters
        assert set(claim.cases[0]) <= set(parameters), claim.id
