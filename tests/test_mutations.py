"""The ledger watches the library: each wrong formula below is noticed by the claims it names, as by ``dpbi verify``."""

import pkgutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, wraps
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest

from dpbi import arithmetic
from dpbi.arithmetic import log, log_one_minus_exp, number
from dpbi.claims import CLAIMS
from dpbi.cli.ledger import _verdict
from dpbi.mcmc import acceptance, driver, hmc
from dpbi.mechanisms.noise import FLOORED_LAPLACE, NoiseAt
from dpbi.posterior_sampling import Tables, cost

BY_ID = {claim.id: claim for claim in CLAIMS}
Wrong = Callable[[Any], Any]
"""What stands in the place of a function, made of it."""


class Mutation(NamedTuple):
    """What is wrong, where, how, and the claims that notice."""

    what: str
    where: str
    wrong: Wrong
    noticed_by: str


def modules() -> list[ModuleType]:
    """The modules of the package that are imported."""
    return [module for name, module in list(sys.modules.items()) if name.partition(".")[0] == "dpbi"]


@contextmanager
def mutated(where: str, wrong: Wrong) -> Iterator[None]:
    """The library with a wrong function under every name it has; one from elsewhere is wrong in that module alone."""
    owner, _, name = where.rpartition(".")
    holder = pkgutil.resolve_name(owner)
    right = getattr(holder, name)
    mutant = wraps(right)(wrong(right))
    holders = modules() if right.__module__ == owner else [holder]
    with pytest.MonkeyPatch.context() as patch:
        for each in holders:
            for known in [known for known, value in vars(each).items() if value is right]:
                patch.setattr(each, known, mutant)
        forget()
        try:
            yield
        finally:
            forget()


def forget() -> None:
    """Drop every value that the library and the items of the ledger have kept."""
    arithmetic.forget()
    for module in modules():
        for value in list(vars(module).values()):
            if hasattr(value, "cache_clear"):
                value.cache_clear()


def found(claim: str) -> str:
    """What ``dpbi verify`` finds for a claim, computed now."""
    return _verdict(replace(BY_ID[claim]))


@cache
def as_expected(claim: str) -> bool:
    """Whether the library as it is gives the expected word."""
    return found(claim) == BY_ID[claim].expected


# Wrong ways


def times(share: str) -> Wrong:
    """The right value times a number."""
    """The right value times a number."""
    """The right value times a number."""
    return lambda right: lambda *values, **named: right(*values, **named) * number(share)


def rate_times(mechanism: str, share: str) -> Wrong:
    """The rate of one exponential mechanism, the others left as they are."""

    def wrong(right: Any) -> Any:
        def exponential(name: str, promise: Any, rate: Any, guarantee: Any) -> Any:
            factor = number(share) if name == mechanism else number(1)
            return right(name, promise, lambda prior, counts: rate(prior, counts) * factor, guarantee)

        return exponential

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


def last_count_forgotten(right: Any) -> Any:
    return lambda first, n: right(first, n) * np.array([1] * first.shape[1] + [0])


def last_count_one_more(right: Any) -> Any:
    return lambda first, n: right(first, n) + np.array([0] * first.shape[1] + [1])


def last_giver_forgotten(right: Any) -> Any:
    return lambda values: right(np.concatenate([values[..., :-1], np.full_like(values[..., -1:], -np.inf)], axis=-1))


def without_negative_part(right: Any) -> Any:
    """max(x, 0) replaced by x; other maxima are left alone."""
    return lambda a, b: a if np.ndim(b) == 0 and b == 0 and np.ndim(a) > 0 else right(a, b)


def one_draw_more(right: Any) -> Any:
    def baps(family: Any, prior: Any, data: Any, size: int, rng: Any) -> Any:
        return right(family, prior, data, size + 1, rng)._replace(cost=cost(family, prior, size))

    return baps


def another_response(right: Any) -> Any:
    """The response that is listed next."""

    def psaqr(parameters: Any, utility: Any, query: Any, responses: Any) -> Any:
        given = right(parameters, utility, query, responses)
        return given._replace(response=responses[(list(responses).index(given.response) + 1) % len(responses)])

    return psaqr


def no_correction(right: Any) -> Any:
    return lambda ratio, noise, correction=0: ratio


def half_the_correction(right: Any) -> Any:
    return lambda ratio, noise, correction=acceptance.CORRECTION: right(ratio, noise, correction / 2)


def turned_everywhere(right: Any) -> Any:
    def step(rng: Any, state: Any, target: Any, **named: Any) -> Any:
        after, info = right(rng, state, target, **named)
        turned = np.where(info.accepted[:, None], state.direction, -state.direction)
        return after._replace(direction=turned), info

    return step


def unclosed(right: Any) -> Any:
    def leapfrog(target: Any, theta: Any, momentum: Any, **named: Any) -> Any:
        end = right(target, theta, momentum, **named)
        last = hmc.gradient(target, end.theta, named["clip"], named["noise"][-1]).total
        return end._replace(momentum=end.momentum - named["stepsize"] / 2 * last)

    return leapfrog


def the_run(right: Any) -> Any:
    return driver.run


MODEL, MECHANISMS, GUARANTEES = "dpbi.model.", "dpbi.mechanisms.", "dpbi.guarantees."
SAMPLING, MCMC = "dpbi.posterior_sampling.", "dpbi.mcmc."

MUTATIONS = [
    *(
        Mutation(
            f"the rate of {name} times {share}", MECHANISMS + "exponential.exponential", rate_times(name, share), ids
        )
        for name, ids in (
            ("ehd", "notes/4.5-ehd-upper-corrected"),
            ("ehdl", "notes/4.5-ehdl-upper-corrected"),
            ("ehds", "notes/3.1-ehds-corrected"),
            ("smoothed_hellinger", "hellinger/5.3-first"),
        )
        for share in ("2", "1.01")
    ),
    # sensitivities and distances
    Mutation(
        "local sensitivity 1 % too large",
        MODEL + "sensitivities.local_sensitivity",
        times("1.01"),
        "notes/local-sensitivity",
    ),
    Mutation(
        "global sensitivity 1 % too large",
        MODEL + "sensitivities.global_sensitivity",
        times("1.01"),
        "notes/global-sensitivity-corrected",
    ),
    Mutation(
        "reciprocal smooth sensitivity 1 % too large",
        MODEL + "sensitivities.reciprocal_smooth_sensitivity",
        times("1.01"),
        "notes/smooth-sensitivity",
    ),
    Mutation(
        "exponential smooth sensitivity 1 % too large",
        MODEL + "sensitivities.exponential_smooth_sensitivity",
        times("1.01"),
        "hellinger/5.3-first",
    ),
    Mutation(
        "no record leaves the last category",
        MODEL + "sensitivities._best_other",
        last_giver_forgotten,
        "notes/local-sensitivity",
    ),
    Mutation(
        "the first neighbour forgotten",
        MODEL + "datasets.neighbours",
        lambda right: lambda counts: right(counts)[1:],
        "notes/4.2-corrected",
    ),
    Mutation(
        "records moved between one pair of categories only",
        MODEL + "datasets.moves",
        lambda right: lambda n, k: list(right(n, k))[:1],
        "notes/reciprocal-sensitivity",
    ),
    Mutation(
        "datasets one record farther",
        MODEL + "sensitivities._whole",
        lambda right: lambda moved: right(moved + 1),
        "notes/smooth-sensitivity",
    ),
    Mutation(
        "datasets one record nearer",
        MODEL + "sensitivities._whole",
        lambda right: lambda moved: right(np.maximum(moved - 1, 0)),
        "notes/smooth-sensitivity",
    ),
    Mutation(
        "log-beta off by 1e-6 in doubles",
        MODEL + "distances._gap_in_doubles",
        times("1.000001"),
        "hellinger/3-hellinger",
    ),
    Mutation("log-beta off by 1e-6 over balls", MODEL + "distances.lgamma", times("1.000001"), "hellinger/3-hellinger"),
    Mutation(
        "the distance squared",
        MODEL + "distances.distance",
        lambda right: lambda exponent: right(exponent) ** 2,
        "hellinger/3-hellinger",
    ),
    # noise
    Mutation("floor replaced by truncation", MECHANISMS + "noise.Noise.at", truncated, "hellinger/table-1"),
    Mutation(
        "noise at half its scale",
        MECHANISMS + "noise.Noise.at",
        lambda right: lambda noise, rate: right(noise, 2 * rate),
        "notes/4.5-lszhang-corrected notes/4.5-lshist-corrected",
    ),
    Mutation(
        "the last count left out",
        MECHANISMS + "noisy_counts.completed",
        last_count_forgotten,
        "notes/algorithm-lszhang-corrected",
    ),
    Mutation(
        "the last count one too large",
        MECHANISMS + "noisy_counts.completed",
        last_count_one_more,
        "notes/algorithm-lszhang-corrected",
    ),
    # what is measured of a mechanism
    Mutation(
        "error quantile 1 % too large", "dpbi.accuracy.errors.error_quantile", times("1.01"), "notes/4.3-corrected"
    ),
    Mutation("error tail 1 % too large", "dpbi.accuracy.errors.error_tail", times("1.01"), "hellinger/5.3-first"),
    Mutation(
        "hockey stick of mechanisms without its negative part",
        "dpbi.privacy.losses.maximum",
        without_negative_part,
        "hellinger/5-privacy",
    ),
    Mutation(
        "hockey stick of laws without its negative part",
        GUARANTEES + "finite_laws.maximum",
        without_negative_part,
        "private-mcmc/def-1",
    ),
    Mutation(
        "Renyi divergence 1 % too large",
        GUARANTEES + "finite_laws.renyi_divergence",
        times("1.01"),
        "posterior-sampling/corollary-10.1-concentrated",
    ),
    # posterior sampling
    Mutation(
        "BAPS: one draw more at the same price",
        SAMPLING + "sampling.baps",
        one_draw_more,
        "posterior-sampling/algorithm-1",
    ),
    Mutation(
        "PSAQR: another response", SAMPLING + "sampling.psaqr", another_response, "posterior-sampling/lemma-11-subsets"
    ),
    Mutation(
        "the bound on regret halved",
        SAMPLING + "sampling.regret_bound",
        times("0.5"),
        "posterior-sampling/lemma-11-corrected",
    ),
    Mutation(
        "the reach of a neighbour halved",
        SAMPLING + "sampling.Cost._reach",
        times("0.5"),
        "posterior-sampling/corollary-10.1-corrected",
    ),
    Mutation(
        "Lipschitz constants halved",
        SAMPLING + "families.Family.lipschitz",
        times("0.5"),
        "posterior-sampling/corollary-10.1-corrected",
    ),
    Mutation(
        "the bound on Lipschitz constants halved",
        SAMPLING + "families.lipschitz_bound",
        times("0.5"),
        "posterior-sampling/corollary-10.1-corrected",
    ),
    Mutation(
        "Kullback-Leibler divergence halved",
        SAMPLING + "measures.kullback_leibler",
        times("0.5"),
        "posterior-sampling/theorem-7.1-sharp",
    ),
    Mutation(
        "total variation halved",
        SAMPLING + "measures.total_variation",
        times("0.5"),
        "posterior-sampling/lemma-14-sharp",
    ),
    Mutation(
        "privacy loss halved",
        SAMPLING + "measures.privacy_loss",
        times("0.5"),
        "posterior-sampling/corollary-10.1-corrected",
    ),
    # private MCMC
    Mutation(
        "the penalty without its correction", MCMC + "acceptance.corrected", no_correction, "private-mcmc/3-acceptance"
    ),
    Mutation("half the correction", MCMC + "acceptance.corrected", half_the_correction, "private-mcmc/3-acceptance"),
    Mutation(
        "half the correction of a batch",
        MCMC + "minibatch.batch_penalty",
        times("0.5"),
        "private-mcmc/4-minibatch-sensitivity",
    ),
    Mutation(
        "a clipped sum changes by half of what it may",
        MCMC + "acceptance.clipped_sensitivity",
        times("0.5"),
        "private-mcmc/3-sensitivity",
    ),
    Mutation(
        "noise without its root of n",
        MCMC + "acceptance.noise_scale",
        lambda right: lambda tau, rows, sensitivity: tau * sensitivity,
        "private-mcmc/3-cost",
    ),
    Mutation(
        "the ratio of the priors turned round", MCMC + "algorithm.prior_ratio", times("-1"), "private-mcmc/3-statistic"
    ),
    Mutation(
        "Barker's rule replaced by Metropolis's",
        MCMC + "acceptance.barker_acceptance",
        lambda right: acceptance.metropolis_acceptance,
        "private-mcmc/5-threshold-corrected",
    ),
    Mutation(
        "the logistic rule 1 % too steep",
        MCMC + "acceptance.logistic",
        lambda right: lambda statistic: right(statistic * number("1.01")),
        "private-mcmc/5-acceptance",
    ),
    Mutation(
        "Gauss-Bernoulli without its correction",
        MCMC + "acceptance.gauss_bernoulli_acceptance",
        lambda right: lambda ratio, noise: right(ratio + noise**2 / 2, noise),
        "private-mcmc/5-acceptance",
    ),
    Mutation(
        "one iteration too many",
        GUARANTEES + "composition.largest_count",
        lambda right: lambda allowed: right(allowed) + 1,
        "private-mcmc/6-iterations-found",
    ),
    Mutation(
        "one iteration too few",
        GUARANTEES + "composition.largest_count",
        lambda right: lambda allowed: right(allowed) - 1,
        "private-mcmc/6-iterations-found",
    ),
    Mutation(
        "one iteration not paid for",
        GUARANTEES + "gaussian.GaussianDP.repeat",
        lambda right: lambda each, count: right(each, count - 1),
        "private-mcmc/6-iterations-most",
    ),
    # what is drawn
    Mutation("steps twice as long", MCMC + "algorithm.proposal_scale", times("2"), "private-mcmc/ours-one-step"),
    Mutation(
        "acceptance by the square of the ratio",
        MCMC + "algorithm.accept",
        lambda right: lambda rng, ratio: right(rng, 2 * ratio),
        "private-mcmc/ours-one-step private-mcmc/ours-one-step-of-hmc",
    ),
    Mutation(
        "who is refused moves",
        MCMC + "algorithm.moved",
        lambda right: lambda accepted, theta, proposal: right(~accepted, theta, proposal),
        "private-mcmc/ours-one-step private-mcmc/ours-one-step-on-batches",
    ),
    Mutation(
        "always the first component",
        MCMC + "components.picked",
        lambda right: lambda rng, theta: right(rng, theta[:, :1]),
        "private-mcmc/ours-one-step",
    ),
    Mutation(
        "all walks start upwards",
        MCMC + "guided.start",
        lambda right: lambda rng, theta: right(rng, theta)._replace(direction=np.ones_like(theta)),
        "private-mcmc/ours-one-step",
    ),
    Mutation(
        "a walk turns in every component",
        MCMC + "guided.step",
        turned_everywhere,
        "private-mcmc/ours-direction",
    ),
    Mutation(
        "one row many times in a batch",
        MCMC + "minibatch.drawn",
        lambda right: lambda rng, chains, rows, batch: np.ones((chains, batch), dtype=np.int64),
        "private-mcmc/ours-one-step-on-batches",
    ),
    Mutation(
        "gradients turned round",
        MCMC + "hmc.gradient",
        lambda right: lambda *values: (found := right(*values))._replace(total=-found.total),
        "private-mcmc/ours-one-step-of-hmc private-mcmc/ours-gradients",
    ),
    Mutation("a path without its last half kick", MCMC + "hmc.leapfrog", unclosed, "private-mcmc/ours-path-back"),
    Mutation(
        "a path with half of the mass",
        MCMC + "hmc.leapfrog",
        lambda right: lambda *values, mass, **named: right(*values, mass=mass / 2, **named),
        "private-mcmc/ours-one-step-of-hmc",
    ),
    Mutation(
        "nothing clipped",
        MCMC + "target._clip",
        lambda right: lambda ratios, bound: right(ratios, np.inf),
        "private-mcmc/ours-sums",
    ),
    Mutation(
        "with one feature only the lower end clips",
        MCMC + "target.ExponentialFamily._one_feature",
        lambda right: lambda self, alpha, beta, bound: right(self, alpha, beta, np.maximum(bound, 10)),
        "private-mcmc/ours-sums private-mcmc/ours-one-step",
    ),
    Mutation(
        "a standard deviation where a variance is asked for",
        MCMC + "models.normal_rows",
        lambda right: lambda rng, mean, variance, n: right(rng, mean, np.square(variance), n),
        "private-mcmc/ours-exact-draws",
    ),
    Mutation("a study costs as much as a run", MCMC + "driver.study", the_run, "private-mcmc/ours-run-cost"),
    Mutation(
        "one iteration less than a run can afford",
        MCMC + "driver._iterations",
        lambda right: lambda *values: right(*values) - 1,
        "private-mcmc/ours-run-budget",
    ),
    Mutation(
        "Barker's noise a tenth too wide",
        MCMC + "barker_rule.correction",
        lambda right: lambda *variance: (law := right(*variance))._replace(atoms=law.atoms * 1.1),
        "private-mcmc/ours-barker-correction",
    ),
    Mutation(
        "Barker's noise dearer than in print",
        MCMC + "barker_rule.divergence",
        times("20"),
        "private-mcmc/ours-barker-accounting",
    ),
    Mutation(
        "errors agree where medians are equal",
        MCMC + "experiments.beside",
        lambda right: (
            lambda ours, published: (
                (table := right(ours, published))
                | {"agree": [a == b for a, b in zip(table["median"], table["published"], strict=True)]}
            )
        ),
        "private-mcmc/ours-agreement",
    ),
    Mutation("discrepancy 1 % too large", MCMC + "sample_distances.mmd", times("1.01"), "private-mcmc/ours-distances"),
    Mutation(
        "tangents without their height",
        SAMPLING + "curve.Curve._proposals",
        lambda right: lambda self, rng, size: (right(self, rng, size)[0], np.zeros(size)),
        "posterior-sampling/ours-interval-draws posterior-sampling/ours-algorithm-1-draws",
    ),
    Mutation(
        "a distribution function 1e-6 too large",
        SAMPLING + "curve.Curve.cdf",
        times("1.000001"),
        "posterior-sampling/ours-interval-cdf",
    ),
    Mutation(
        "Wishart draws with one degree too many",
        SAMPLING + "laws.Wishart.sample",
        lambda right: lambda self, rng, size: right(replace(self, degrees=self.degrees + 1), rng, size),
        "posterior-sampling/ours-wishart-draws",
    ),
    Mutation(
        "shares of a row as if nothing were taken yet",
        SAMPLING + "laws._Row.share",
        lambda right: lambda self, j, remainder: right(self, j, 1.0),
        "posterior-sampling/ours-table-mass",
    ),
    Mutation(
        "half the floor of a table",
        SAMPLING + "network_families._floored",
        lambda right: lambda prior, L: (cut := right(prior, L)) and Tables(cut.concentrations, cut.floor / 2),
        "posterior-sampling/ours-region",
    ),
    Mutation(
        "regions 1e-12 too large",
        SAMPLING + "rate_families.largest_within",
        times("1.000000000001"),
        "posterior-sampling/ours-region",
    ),
]


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.what)
def test_a_wrong_formula_of_the_library_is_noticed(mutation):
    claims = mutation.noticed_by.split()
    assert all(as_expected(claim) for claim in claims)
    with mutated(mutation.where, mutation.wrong):
        words = {claim: found(claim) for claim in claims}
    assert all(word != BY_ID[claim].expected for claim, word in words.items()), words
