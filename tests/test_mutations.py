"""A wrong formula in the library changes the verdicts of the statements that it names, or makes a test fail."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import test_claims_posterior_sampling_rows as draws
import test_mcmc_findings as chains
from dpbi.arithmetic import log, log_one_minus_exp, number
from dpbi.mcmc import acceptance
from dpbi.mechanisms import noisy_counts
from dpbi.mechanisms.noise import FLOORED_LAPLACE, NoiseAt
from dpbi.posterior_sampling import sampling_cost
from mutations import GUARANTEES, MCMC, MECHANISMS, MODEL, SAMPLING, Mutation, Wrong, assert_caught, assert_noticed


def times(share: str) -> Wrong:
    """The right value times a number."""
    return lambda right: lambda *values, **named: right(*values, **named) * number(share)


def rate_times(mechanism: str, share: str) -> Wrong:
    """The rate of one exponential mechanism, the others left as they are."""

    def wrong(right: Any) -> Any:
        return lambda self, *at: right(self, *at) * (number(share) if self.name == mechanism else 1)

    return wrong


class Truncated(NoiseAt):
    """Laplace noise rounded towards zero."""

    def log_point(self, move: Any) -> Any:
        beside = super().log_point(np.where(move < 0, move - 1, move))
        return beside + np.where(move == 0, log(number(2)), number(0))

    def log_at_most(self, move: Any) -> Any:
        return super().log_at_most(move - 1)

    def log_at_least(self, move: Any) -> Any:
        return np.where(move == 0, log_one_minus_exp(self.log_at_most(0 * move - 1)), super().log_at_least(move))


def truncated(right: Any) -> Any:
    return lambda noise, rate: Truncated(noise, rate) if noise is FLOORED_LAPLACE else right(noise, rate)


def half_the_reach(right: Any) -> Any:
    def family(*setting: Any) -> Any:
        whole = right(*setting)
        return replace(whole, reach={kind: reach / 2 for kind, reach in whole.reach.items()})

    return family


def half_the_largest(right: Any) -> Any:
    """Half of the largest Lipschitz constant in the support."""

    def family(**parts: Any) -> Any:
        whole = right(**parts)
        return replace(whole, largest=lambda prior: whole.largest(prior) / 2)

    return family


def last_pair_forgotten(right: Any) -> Any:
    """The two datasets with the most records of the first category are compared in neither order."""

    def shorter(*asked: Any) -> Any:
        for pairs in right(*asked):
            first = np.minimum(pairs.counts[:, 0], pairs.neighbour[:, 0])
            if (kept := first < first.max()).any():
                rows = {name: getattr(pairs, name)[kept] for name in pairs._fields if name != "outputs"}
                yield pairs._replace(**rows)

    return shorter


def scale_one(right: Any) -> Any:
    """The noise of one count that changes, whatever their number."""

    def noise(self: Any, k: int) -> Any:
        own = self.scale(k) == noisy_counts.count_sensitivity(k)
        return self.noise.at(self.noise.rate(self.epsilon, 1)) if own else right(self, k)

    return noise


def last_giver_forgotten(right: Any) -> Any:
    return lambda values: right(np.concatenate([values[..., :-1], np.full_like(values[..., -1:], -np.inf)], axis=-1))


def without_negative_part(right: Any) -> Any:
    """max(x, 0) replaced by x; other maxima are left alone."""
    return lambda a, b: a if np.ndim(b) == 0 and b == 0 and np.ndim(a) > 0 else right(a, b)


def one_draw_more(right: Any) -> Any:
    def baps(family: Any, prior: Any, data: Any, size: int, rng: Any) -> Any:
        return right(family, prior, data, size + 1, rng)._replace(cost=sampling_cost(family, prior, size))

    return baps


def another_response(right: Any) -> Any:
    """The response that is listed next."""

    def psaqr(parameters: Any, utility: Any, query: Any, responses: Any) -> Any:
        given = right(parameters, utility, query, responses)
        return given._replace(response=responses[(list(responses).index(given.response) + 1) % len(responses)])

    return psaqr


def with_arguments(change):
    """A function of other arguments than those it was given."""
    return lambda right: lambda *asked: right(*change(*asked))


def plus(number):
    return lambda right: lambda *asked: right(*asked) + number


def half(right):
    return lambda *asked: right(*asked) / 2


MORE = {  # by 1 %
    "model.sensitivities.local_sensitivity": "notes/local-sensitivity",
    "model.sensitivities.global_sensitivity": "notes/global-sensitivity",
    "model.sensitivities.reciprocal_smooth_sensitivity": "notes/smooth-sensitivity",
    "model.sensitivities.exponential_smooth_sensitivity": "hellinger/5.3-first",
    "accuracy.errors.error_exceeded_by": "notes/4.3",
    "accuracy.errors.error_tail": "hellinger/5.3-first",
    "accuracy.errors.mean_errors": "beyond/3-least-mean-error",
    "divergences.renyi_divergence": "posterior-sampling/corollary-10.1",
}
RATES = {"ehd": "notes/4.5-ehd-upper", "ehdl": "notes/4.5-ehdl-upper", "ehds": "notes/3.1-ehds"}  # by 1 %
RATES["smoothed_hellinger"] = "hellinger/5.3-first"
SMOOTH, NOISE = "notes/smooth-sensitivity", "notes/4.5-lszhang notes/4.5-lshist"
STICKS = "hellinger/5-privacy private-mcmc/def-1 posterior-sampling/definition-1"
PAIRS = "notes/3.1-ehds hellinger/4.1.1 hellinger/5-privacy"
WRONG = {
    MODEL: [
        ("no record leaves the last category", "sensitivities._best_other", last_giver_forgotten,
            "notes/local-sensitivity"),
        ("the first neighbour forgotten", "datasets.neighbours",
            lambda right: lambda counts: right(counts)[1:] if len(right(counts)) > 1 else right(counts),
            "notes/local-sensitivity"),
        ("the last neighbour forgotten", "datasets.neighbours",
            lambda right: lambda counts: right(counts)[:-1] if len(right(counts)) > 1 else right(counts),
            "notes/local-sensitivity"),
        ("last categories forgotten", "datasets.neighbour_rows",
            lambda right: lambda n, k: [rows[: -(len(rows) // (k * (k - 1)))] for rows in right(n, k)], PAIRS),
        ("records moved in one direction", "datasets.moves",
            lambda right: lambda n, k: list(right(n, k))[:1], "notes/reciprocal-sensitivity"),
        ("datasets one record farther", "sensitivities._whole", with_arguments(lambda moved: (moved + 1,)), SMOOTH),
        ("datasets one record nearer", "sensitivities._whole",
            with_arguments(lambda moved: (np.maximum(moved - 1, 0),)), SMOOTH),
        ("log-beta off by 1e-6 in doubles", "distances._gap_in_doubles", times("1.000001"), "hellinger/3-hellinger"),
        ("log-beta off by 1e-6 over balls", "distances.lgamma", times("1.000001"), "hellinger/3-hellinger"),
        ("the distance squared", "distances.distance", lambda right: lambda gap: right(gap) ** 2,
            "hellinger/3-hellinger"),
    ],
    MECHANISMS: [
        *((f"the rate of {name} times 1.01", "exponential.OverSensitivity._rate", rate_times(name, "1.01"), ids)
            for name, ids in RATES.items()),
        ("floor replaced by truncation", "noise.Noise.at", truncated, "hellinger/table-1"),
        ("noise at half its scale", "noise.Noise.at", with_arguments(lambda noise, rate: (noise, 2 * rate)), NOISE),
        ("the last count left out", "noisy_counts.completed",
            lambda right: lambda first, n: right(first, n) * np.array([1] * first.shape[1] + [0]), "notes/4.5-lszhang"),
        ("the last count one too large", "noisy_counts.completed",
            lambda right: lambda first, n: right(first, n) + np.array([0] * first.shape[1] + [1]), "notes/4.5-lszhang"),
        ("counts change by one, for the noise", "noisy_counts.NoisyCounts._noise", scale_one, "notes/3.1-lshist"),
        ("counts change by one, for the promise", "noisy_counts.count_sensitivity", lambda right: lambda k: 1,
            "notes/3.1-lshist"),
    ],
    "dpbi.": [
        *((f"{where.rpartition('.')[2]} 1 % more", where, times("1.01"), ids) for where, ids in MORE.items()),
        ("the last pair of neighbours left out", "privacy.losses.pairs_of_neighbours", last_pair_forgotten,
            "beyond/2-domination"),
        ("hockey stick without its negative part", "divergences.maximum", without_negative_part, STICKS),
        ("total variation halved", "divergences.total_variation", times("0.5"), "posterior-sampling/lemma-14"),
        ("privacy loss halved", "divergences.privacy_loss", times("0.5"), "posterior-sampling/lemma-15"),
    ],
    GUARANTEES: [("implied delta without its factor 1 - delta", "worst_case.implied_delta",
        lambda right: lambda epsilon, delta, at: delta + right(epsilon, 0 * delta, at), "private-mcmc/thm-2")],
    SAMPLING: [
        ("BAPS: one draw more at the same price", "sampling.baps", one_draw_more, "algorithm-1"),
        ("PSAQR: another response", "sampling.psaqr", another_response, "lemma-11-subsets"),
        ("PSAQR: the last draw not counted", "sampling.psaqr",
            lambda right: lambda draws, *asked: right(draws[:-1] if len(draws) > 1 else draws, *asked), "algorithm-2"),
        ("PSAQR: the last draw counted twice", "sampling.psaqr",
            lambda right: lambda draws, *asked: right([*draws, draws[-1]], *asked), "algorithm-2"),
        ("one draw too many paid for", "sampling.sampling_cost",
            with_arguments(lambda family, prior, size: (family, prior, size + 1)), "algorithm-1"),
        ("frequencies without their factor", "samples._ways", lambda right: lambda counts: 1, "theorem-13.1"),
        ("half of the Renyi bound", "bounds.concentrated_by_width", half, "corollary-10.1"),
        ("log odds of a floor 1 % less", "oscillations.log_odds_of_floor", times("0.99"), "lemma-24"),
        ("the reach of a neighbour halved", "sampling.Cost._reach", half, "corollary-10.1"),
        ("Lipschitz constants halved", "families.Family.lipschitz", times("0.5"), "corollary-10.1"),
        ("the bound on Lipschitz constants halved", "families.lipschitz_bound", times("0.5"), "corollary-10.1"),
    ],
    MCMC: [
        ("the penalty without its correction", "acceptance.corrected",
            lambda right: lambda ratio, noise, correction=0: ratio, "3-acceptance"),
        ("half the correction", "acceptance.corrected",
            lambda right: lambda ratio, noise, correction=acceptance.CORRECTION: right(ratio, noise, correction / 2),
            "3-acceptance"),
        ("half the correction of a batch", "minibatch.batch_penalty", times("0.5"), "4-minibatch-variance"),
        ("the logistic rule 1 % too steep", "acceptance.logistic",
            with_arguments(lambda statistic: (statistic * number("1.01"),)), "5-acceptance"),
        ("Gauss-Bernoulli without its correction", "acceptance.gauss_bernoulli_acceptance",
            with_arguments(lambda ratio, noise: (ratio + noise**2 / 2, noise)), "5-acceptance"),
    ],
}  # fmt: skip
SOURCES = {SAMPLING: "posterior-sampling/", MCMC: "private-mcmc/"}  # before the ids of these rooms

SLOW = {f"the rate of {name} times 1.01" for name in ("ehd", "ehdl", "ehds")}
SLOW.add("hockey stick without its negative part")
"""They take a second and more."""


def mutations():
    for room, rows in WRONG.items():
        for what, where, wrong, ids in rows:
            marks = pytest.mark.slow if what in SLOW else ()
            yield pytest.param(Mutation(what, room + where, wrong, SOURCES.get(room, "") + ids), id=what, marks=marks)


CHARGED = draws.test_draws_cost_the_range_of_the_log_ratio_each
LONG, STEP = chains.test_the_iterations_on_batches_are_fewer_than_printed, chains.test_a_step_decides_by_a_clipped_sum
ROOMS = [
    ("Renyi privacy converted with alpha (tau - epsilon)", GUARANTEES + "concentrated._log_delta_from",
        lambda right: lambda alpha, tau, epsilon: right(alpha, tau, epsilon) + (tau - epsilon), LONG),
    ("one iteration too many", GUARANTEES + "counting.largest_count", plus(1), LONG),
    ("one iteration too few", GUARANTEES + "counting.largest_count", plus(-1), LONG),
    ("the divergence of Barker's test halved", MCMC + "barker_rule.divergence", times("0.5"), LONG),
    ("one iteration not paid for", GUARANTEES + "gaussian.GaussianDP.repeat",
        with_arguments(lambda each, count: (each, count - 1)),
        chains.test_a_run_takes_the_most_iterations_within_its_budget),
    ("half of a clipped sum's change", MCMC + "acceptance.clipped_sensitivity", times("0.5"), STEP),
    ("noise without its root of n", MCMC + "acceptance.noise_scale",
        lambda right: lambda tau, rows, sensitivity: tau * sensitivity, STEP),
    ("the ratio of the priors turned round", MCMC + "algorithm.prior_ratio", times("-1"), STEP),
    ("Barker's rule replaced by Metropolis's", MCMC + "acceptance.barker_acceptance",
        lambda right: acceptance.metropolis_acceptance, chains.test_the_normal_rule_is_near_barkers_at_1702),
    ("one draw not paid for", SAMPLING + "sampling.sampling_cost",
        with_arguments(lambda family, prior, size: (family, prior, max(size - 1, 1))), CHARGED),
    ("1 % less charged than the range of the ratio", SAMPLING + "sampling.Cost.loss", times("0.99"), CHARGED),
    *((f"the reach of the {name} family halved", f"{SAMPLING}rate_families.{name}", half_the_reach, CHARGED) for name
        in ("exponential", "laplace", "normal_precision")),
    ("the farthest distance on a line halved", SAMPLING + "rate_families.line_reach", half, CHARGED),
    ("the largest constant of rates halved", SAMPLING + "rate_families._rate_family", half_the_largest, CHARGED),
]  # fmt: skip
"""What no statement speaks of, but a finding of a page: the test of the room that holds it fails."""


@pytest.mark.parametrize(("what", "where", "wrong", "test"), ROOMS, ids=[row[0] for row in ROOMS])
def test_a_wrong_formula_is_seen_by_the_test_of_its_room(what, where, wrong, test):
    assert_caught(where, wrong, test)


@pytest.mark.parametrize("mutation", list(mutations()))
def test_a_wrong_formula_of_the_library_is_noticed(mutation):
    assert_noticed(mutation)
