"""The claims of the posterior sampling paper: complete, tight where they say so; their verdicts are in test_claims."""

import inspect
import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from dpbi import arithmetic
from dpbi import posterior_sampling as ps
from dpbi.claims import BY_ID
from dpbi.claims import CLAIMS as ALL
from dpbi.claims.claim import NOT_CHECKABLE, NOT_WELL_FORMED, PROVED, REFUTED
from dpbi.claims.posterior_sampling import (
    CLAIMS,
    SECTIONS,
    adversary,
    coins,
    laplace_rates,
    le_cam,
    networks,
    normals,
    rates,
    regret,
    robustness,
    utility,
)
from dpbi.claims.posterior_sampling.priors import bernoulli_prior

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
    "Section 2.2.1",
    "Section 2.2.2",
    "Section 4.5",
    "Section 6",
    *(f"Algorithm {i}" for i in (1, 2)),
]
"""Every numbered item of the paper, and the sections that state something without a number."""


APART = ["theorem-4-proof", "theorem-7-equation-13", "lemma-19-concave"]
"""Claims whose exact side the library does not compute."""


def items(claim):
    """The numbered items that the source of a claim begins with."""
    named = claim.source.removeprefix("dimitrakakis2017, ")
    return [item for item in ITEMS if named == item or named.startswith((f"{item},", f"{item} ("))]


def test_every_numbered_item_has_a_claim():
    covered = {item for claim in CLAIMS for item in items(claim)}
    assert covered == set(ITEMS)


PARTS = {
    "Lemma 19": ["lemma-19", "lemma-19-ratio", "lemma-19-delta", "lemma-19-delta-root", "lemma-19-delta-classical"],
    "Lemma 20": ["lemma-20", "lemma-20-ratio", "lemma-20-ratio-below", "lemma-20-delta"],
    "Lemma 22": ["lemma-22", "lemma-22-ratio", "lemma-22-delta", "lemma-22-delta-metric", "lemma-22-classical"],
    "Lemma 23": ["lemma-23", "lemma-23-centred", "lemma-23-classical", "lemma-23-loss"],
    "Section 2.2.2": ["section-2.2.2-sufficient", "section-2.2.2-bayes", "section-2.2.2-weaker"],
    "Section 6": ["section-6-record"],
}
"""Items of several statements, each of which is judged by itself."""


def test_every_statement_of_an_item_is_a_row_of_the_source():
    for item, names in PARTS.items():
        rows = [claim for claim in CLAIMS if claim.id.partition("/")[2] in names]
        assert len(rows) == len(names)
        assert all(items(claim) == [item] and claim.origin in ("printed", "reading") for claim in rows)


def test_the_ledger_has_every_claim_once():
    assert len(set(IDS)) == len(IDS)
    ours = [claim.id for claim in ALL if claim.id.startswith("posterior-sampling/")]
    assert ours == IDS
    made = [claim.id for section in SECTIONS for claim in section.PAPER.claims]
    assert set(made) == set(IDS)  # no row is made twice under one name, and lost


@pytest.mark.parametrize("claim", [c for c in CLAIMS if c.tight is not None], ids=lambda claim: claim.id)
def test_tight_claims_are_attained(claim):
    assert claim.slack <= claim.within
    if claim.relation != "=":
        assert claim.check(**claim.tight).holds
        assert not any(verdict.holds for verdict in [tightened(claim).check(**claim.tight)])


def tightened(claim):
    return claim.loosened(-claim.within - 0.005)  # towards the exact side, and beyond it


@pytest.mark.parametrize("claim", CLAIMS, ids=IDS)
def test_every_exact_side_calls_the_library_or_says_what_it_is_apart(claim):
    assert bool(claim.calls) != bool(claim.apart)
    assert all(function.__module__.startswith("dpbi.") for function in claim.calls)


def test_what_stands_apart_from_the_library_is_mathematics():
    apart = [claim.id.removeprefix("posterior-sampling/") for claim in CLAIMS if claim.apart]
    assert apart == APART


def test_linear_programs_are_enclosed_by_a_solution_and_its_dual():
    """The balls of both sides of Lemma 18 are so small that the programs and their duals agree."""
    with arithmetic.balls():
        for side in le_cam.lemma_18.body(step=arithmetic.number(0.2), n=arithmetic.number(4)):
            assert float(side.rad()) < 1e-9
    assert [v.certified for v in le_cam.lemma_18.verdicts] == [False, True, True, True]  # the first is an equality


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
        "posterior-sampling/lemma-11",  # lemma-11-corrected, with a constant that depends on the query
        "posterior-sampling/lemma-11-subsets",  # lemma-11-finite
        "posterior-sampling/theorem-17b-order",  # theorem-17b-corrected, on average
        "posterior-sampling/claim-1b",  # the same
        "posterior-sampling/theorem-13.2-necessary",  # theorem-13.2-corrected
        "posterior-sampling/lemma-23-loss",  # lemma-23-classical-corrected
    }


def test_what_is_not_checkable_says_what_is_missing():
    found = [claim for claim in CLAIMS if claim.expected == NOT_CHECKABLE]
    assert [claim.id for claim in found] == ["posterior-sampling/section-4.5-rates"]
    assert "without a family, a prior or a constant" in found[0].reason
    assert [c.id for c in CLAIMS if c.expected == NOT_WELL_FORMED] == ["posterior-sampling/corollary-9"]


# Short cuts of the exact sides


def test_the_delta_of_beta_neighbours_has_a_closed_form():
    """Beta(a + 1, b) and Beta(a, b + 1) cross at a / (a + b); the difference of their cdfs there is elementary."""
    for alpha, n in ((2, 1), (2, 9), (5, 4)):
        worst = 0.0
        for k in range(n):
            a, b = alpha + k, n + alpha - k - 1
            logs = (a - 1) * math.log(a) + (b - 1) * math.log(b) - (a + b - 1) * math.log(a + b)
            worst = max(worst, math.exp(logs - math.lgamma(a) - math.lgamma(b) + math.lgamma(a + b)))
        assert coins.best_delta(alpha, n) == pytest.approx(worst, rel=1e-10)


def test_the_largest_ratio_of_the_normal_family_is_at_the_mean_or_far_from_it():
    """The claim looks at two records only; on a grid of all of them there is no larger ratio."""
    for case in normals.VARIANCES:
        family = ps.normal_precision(case["mu"], case["B"])
        prior = ps.trimmed_exponential(case["lam"], case["c1"], case["c2"])
        grid = max(ps.likelihood_ratio(family, prior, [x]) for x in np.linspace(-case["B"], case["B"], 81))
        assert normals.ratio(**case) >= grid * (1 - 1e-9)


FAR = {"lam": 0.1, "c1": 0.5, "c2": 0.55}

IN_WORDS = [
    ("corollary-10.1", {"step": 0.2, "n": 10, "N": 2}, "5.37", "2.77"),
    ("lemma-19-ratio", {**FAR, "B": 200.0}, "9.88", ""),
    ("lemma-19-delta", rates.APART[-1], "0.0771", "0.00834"),
    ("lemma-20-ratio-corrected", {**FAR, "B": 1.0, "mu": 200.0}, "9.93", ""),
    ("lemma-20-ratio-below", laplace_rates.TWO_SIDED[0], "1.74", "0.25"),
    ("lemma-20-ratio-below-corrected", laplace_rates.TWO_SIDED[1], "1.31", "1.99"),
    ("lemma-21-ratio", {"alpha": 2, "n": 10}, "26", "1927"),
    ("lemma-22-ratio", normals.VARIANCES[0], "4.97", "1.65"),
    ("lemma-24-classical", {"graph": "path", "least": 0.1, "T": 20}, "13.18", "9.21"),
]
"""Sides of a claim at a case as its argument has them, or nothing where it does not have one."""


@pytest.mark.parametrize(("name", "case", "exact", "bound"), IN_WORDS, ids=[row[0] for row in IN_WORDS])
def test_numbers_in_an_argument_are_the_sides_of_its_case(name, case, exact, bound):
    claim = BY_ID[f"posterior-sampling/{name}"]
    for said, side in zip((exact, bound), claim(**case), strict=True):
        if said:
            assert f" {said}" in claim.notes.replace("\n", " ")
            assert f"{float(side):.{len(said.partition('.')[2])}f}" == said


def test_paths_that_stand_for_their_transitions_lose_nothing():
    """The largest loss over all paths, from the products of their transition probabilities."""
    least, n = 0.1, 6
    chains = [((1 - a, a), (1 - b, b)) for a in (least, 1 - least) for b in (least, 1 - least)]
    laws = {}
    for path in itertools.product((0, 1), repeat=n):
        rows = [math.prod(chain[i][j] for i, j in itertools.pairwise(path)) for chain in chains]
        laws[path] = [row / sum(rows) for row in rows]
    worst = max(math.log(p / q) for x in laws for y in networks.flips(x) for p, q in zip(laws[x], laws[y], strict=True))
    assert networks.loss_of_state(least=least, n=n) == pytest.approx(worst, rel=1e-12)


def test_cases_outside_the_premise_are_refused():
    with pytest.raises(ValueError, match="rho must be at least the threshold of Theorem 13"):
        adversary.theorem_13_1(step=0.2, n=2, x=1, y=1, rho=0.01, N=1, delta=0.01)


@pytest.mark.parametrize("constant", [1, 7, 1000])
def test_every_constant_is_defeated(constant):
    """What is refuted for every constant, at constants that the ledger does not list; from the closed forms."""
    draws = math.ceil(4 * min(constant, 7) ** 2 * math.log(20))
    for claim in (regret.lemma_11, utility.corollary_16):
        lost, bound = claim(constant=min(constant, 7), delta=0.05)
        assert lost == pytest.approx(0.9 - draws / (100 * draws), rel=1e-12)
        assert bound == pytest.approx(min(constant, 7) * math.sqrt(math.log(20) / draws), rel=1e-12)
        assert lost > bound
    lost, bound = utility.theorem_17b_order(constant=constant, delta=0.05)
    mass, zeros = 1 / (8 * constant), math.ceil(4 * math.log(8 * constant)) + 10
    xi = [mass / 2, *[(1 - mass) / 3] * 3, mass / 2]
    fits = [p * (1 - theta) ** zeros for p, theta in zip(xi, (0.05, 0.3, 0.5, 0.7, 0.95), strict=True)]
    assert lost == pytest.approx((fits[0] - fits[1]) / sum(fits), rel=1e-9)
    assert lost > 0.9 > 0.25 >= bound


def test_what_the_paper_says_twice_is_judged_alike():
    twice = {claim.id.partition("/")[2]: claim for claim in CLAIMS if claim.restates}
    assert {name: claim.restates.partition("/")[2] for name, claim in twice.items()} == {
        "claim-1a": "theorem-17a",
        "claim-1b": "theorem-17b-order",
    }
    for claim in twice.values():
        first = BY_ID[claim.restates]
        assert (claim.verdict(), claim.cases, claim.body) == (first.verdict(), first.cases, first.body)


FALSE = {
    "Theorem 7 with L in place of 2L": (
        robustness.theorem_7_1,
        lambda step, xi, n: ps.lipschitz_bound(ps.bernoulli(), bernoulli_prior(step, xi)),
    ),
    "C of Lemma 19 without the exponentials": (rates.lemma_19_C, lambda lam, c1, c2, B: c2 / c1),
    "C of Lemma 20 with B for D": (
        laplace_rates.lemma_20_C_corrected,
        lambda lam, c1, c2, B, mu: rates.printed_ratio(c1, c2, B),
    ),
    "3.9 for a chain": (networks.lemma_24_markov, lambda least, n: -arithmetic.number("3.9") * arithmetic.log(least)),
}
"""Bounds that are too small by a little, and are not true."""


@pytest.mark.parametrize("name", FALSE)
def test_a_bound_that_is_a_little_too_small_is_refuted(name):
    claim, bound = FALSE[name]
    wrong = replace(claim, body=lambda **case: (claim.body(**case)[0], bound(**case)))
    assert claim.verdict() == PROVED
    assert wrong.verdict() == REFUTED
    assert wrong.certified


def test_no_body_returns_a_constant_for_its_exact_side():
    for claim in CLAIMS:
        parameters = inspect.signature(claim.body).parameters
        assert set(claim.cases[0]) <= set(parameters), claim.id
