"""The ledger watches the library: every wrong formula below is noticed by a claim, in the sense of ``dpbi verify``."""

import inspect
import pkgutil
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any, NamedTuple

import numpy as np
import pytest

from dpbi import arithmetic
from dpbi.arithmetic import exp, log, log_one_minus_exp, number
from dpbi.claims import CLAIMS
from dpbi.cli.ledger import _verdict
from dpbi.mcmc import acceptance
from dpbi.mechanisms.noise import FLOORED_LAPLACE, NoiseAt
from dpbi.posterior_sampling import sampling

BY_ID = {claim.id: claim for claim in CLAIMS}
Wrong = Callable[[Any], Any]


class Mutation(NamedTuple):
    """What is wrong, where, what stands there instead of the right thing, and which claims notice."""

    what: str
    where: str
    wrong: Wrong
    noticed_by: str


def modules() -> list[Any]:
    """All modules of the package that are imported."""
    return [module for name, module in list(sys.modules.items()) if name.partition(".")[0] == "dpbi"]


def mutate(patch: pytest.MonkeyPatch, where: str, wrong: Wrong) -> None:
    """Replace a function under every name it has been imported by; an imported one only where it is named."""
    owner, _, name = where.rpartition(".")
    holder = pkgutil.resolve_name(owner)
    right = getattr(holder, name)
    mutant = wraps(right)(wrong(right))
    patch.setattr(holder, name, mutant)
    if right.__module__ == owner:
        for module in modules():
            for known in [known for known, value in vars(module).items() if value is right]:
                patch.setattr(module, known, mutant)


def forget() -> None:
    """Drop every value that the library or an item has kept."""
    arithmetic.forget()
    for module in modules():
        for value in list(vars(module).values()):
            if hasattr(value, "cache_clear"):
                value.cache_clear()


def words(ids: str) -> list[str]:
    """What ``dpbi verify`` finds for some claims, computed now."""
    forget()
    return [_verdict(replace(BY_ID[each])) for each in ids.split()]


# Wrong ways


def times(share: str) -> Wrong:
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
    return lambda values: right(np.concatenate([values[..., :-1], 0 * values[..., -1:] - np.inf], axis=-1))


def without_negative_part(right: Any) -> Any:
    """max(x, 0) replaced by x; other maxima are left alone."""
    return lambda a, b: a if np.ndim(b) == 0 and b == 0 and np.ndim(a) > 0 else right(a, b)


def one_draw_more(right: Any) -> Any:
    def baps(family: Any, prior: Any, data: Any, size: int, rng: Any) -> Any:
        return right(family, prior, data, size + 1, rng)._replace(cost=sampling.cost(family, prior, size))

    return baps


def another_response(right: Any) -> Any:
    return lambda values: (right(values) + 1) % len(values)


def half_the_correction(right: Any) -> Any:
    return lambda ratio, noise, correction=acceptance.CORRECTION: right(ratio, noise, correction / 2)


SENSITIVITIES, SAMPLING, ACCEPTANCE = "dpbi.model.sensitivities.", "dpbi.posterior_sampling.sampling.", "dpbi.mcmc.acceptance."

MUTATIONS = [
    *(
        Mutation(f"the rate of {name} times {share}", "dpbi.mechanisms.exponential.exponential", rate_times(name, share), ids)
        for name, ids in (
            ("ehd", "notes/4.5-ehd-upper-corrected"),
            ("ehdl", "notes/4.5-ehdl-upper-corrected"),
            ("ehds", "notes/3.1-ehds-corrected"),
            ("smoothed_hellinger", "hellinger/5.3-first hellinger/figure-5"),
        )
        for share in ("2", "1.01")
    ),
    Mutation("local sensitivity 1 % too large", SENSITIVITIES + "local_sensitivity", times("1.01"), "notes/local-sensitivity hellinger/figure-1"),
    Mutation("global sensitivity 1 % too large", SENSITIVITIES + "global_sensitivity", times("1.01"), "notes/global-sensitivity-corrected"),
    Mutation("reciprocal smooth sensitivity 1 % too large", SENSITIVITIES + "reciprocal_smooth_sensitivity", times("1.01"), "notes/smooth-sensitivity"),
    Mutation("exponential smooth sensitivity 1 % too large", SENSITIVITIES + "exponential_smooth_sensitivity", times("1.01"), "hellinger/5.3-first hellinger/figure-5"),
    Mutation("no move from the last category", SENSITIVITIES + "_best_other", last_giver_forgotten, "notes/local-sensitivity notes/global-sensitivity-corrected"),
    Mutation("the last move between neighbours forgotten", "dpbi.model.datasets.moves", lambda right: lambda n, k: list(right(n, k))[:-1], "notes/algorithm-lszhang-corrected notes/3.1-lsdim notes/3.1-ehds-corrected"),
    Mutation("the last neighbour forgotten", "dpbi.model.datasets.neighbours", lambda right: lambda *values: right(*values)[:-1], "notes/local-sensitivity hellinger/4.2-adjacent"),
    Mutation("distance of datasets one too large", SENSITIVITIES + "_whole", lambda right: lambda moved: right(moved + 1), "notes/smooth-sensitivity hellinger/5.3-first"),
    Mutation("distance of datasets one too small", SENSITIVITIES + "_whole", lambda right: lambda moved: right(np.maximum(moved - 1, 0)), "notes/smooth-sensitivity hellinger/5.3-first hellinger/figure-5"),
    Mutation("gaps of log-gamma off by 1e-6 in doubles", "dpbi.model.distances._gap_in_doubles", times("1.000001"), "hellinger/3-hellinger notes/hellinger"),
    Mutation("log-gamma off by 1e-6 over balls", "dpbi.model.distances.lgamma", times("1.000001"), "hellinger/3-hellinger notes/hellinger"),
    Mutation("the distance not rooted", "dpbi.model.distances.distance", lambda right: lambda v: right(v) ** 2, "hellinger/3-hellinger notes/hellinger"),
    Mutation("floor replaced by truncation", "dpbi.mechanisms.noise.Noise.at", truncated, "notes/algorithm-lsdim-noise hellinger/table-1 hellinger/5.1-noise notes/4.5-lszhang-corrected"),
    Mutation("noise at half its scale", "dpbi.mechanisms.noise.Noise.at", lambda right: lambda noise, rate: right(noise, 2 * rate), "notes/4.5-lszhang-corrected notes/4.5-lshist-corrected notes/3.1-lsdim"),
    Mutation("the last count left out", "dpbi.mechanisms.noisy_counts.completed", last_count_forgotten, "notes/algorithm-lszhang-corrected notes/4.5-lszhang-corrected notes/4.5-lshist-corrected"),
    Mutation("the last count one too large", "dpbi.mechanisms.noisy_counts.completed", last_count_one_more, "notes/algorithm-lszhang-corrected notes/4.5-lszhang-corrected notes/4.5-lshist-corrected"),
    Mutation("count sensitivity 1 for all k", "dpbi.mechanisms.noisy_counts.count_sensitivity", lambda right: lambda k: 1, "notes/3.1-lshist hellinger/4.1.4"),
    Mutation("mean error 1 % too large", "dpbi.accuracy.errors.mean_error", times("1.01"), "hellinger/figure-5"),
    Mutation("error quantile 1 % too large", "dpbi.accuracy.errors.error_quantile", times("1.01"), "notes/4.3 notes/4.3-corrected"),
    Mutation("error tail 1 % too large", "dpbi.accuracy.errors.error_tail", times("1.01"), "hellinger/5.2 hellinger/5.3-first hellinger/5.1-tail"),
    Mutation("hockey stick of mechanisms without its negative part", "dpbi.privacy.losses.maximum", without_negative_part, "hellinger/5-privacy hellinger/lemma-4.3"),
    Mutation("hockey stick of laws without its negative part", "dpbi.guarantees.finite_laws.maximum", without_negative_part, "private-mcmc/def-1 private-mcmc/thm-1.1"),
    Mutation("one draw more at the same price", SAMPLING + "baps", one_draw_more, "posterior-sampling/algorithm-1 posterior-sampling/corollary-10.1-corrected"),
    Mutation("another response", SAMPLING + "first_of_the_largest", another_response, "posterior-sampling/corollary-10.2 posterior-sampling/corollary-10.2-corrected posterior-sampling/algorithm-2"),
    Mutation("reach halved", SAMPLING + "Cost._reach", times("0.5"), "posterior-sampling/corollary-10.1-corrected posterior-sampling/theorem-8.1"),
    Mutation("Lipschitz constant halved", "dpbi.posterior_sampling.families.Family.lipschitz", times("0.5"), "posterior-sampling/corollary-10.1-corrected posterior-sampling/example-1"),
    Mutation("bound on Lipschitz constants halved", "dpbi.posterior_sampling.families.lipschitz_bound", times("0.5"), "posterior-sampling/corollary-10.1-corrected"),
    Mutation("divergence halved", "dpbi.posterior_sampling.measures.kullback_leibler", times("0.5"), "posterior-sampling/theorem-7.1-sharp posterior-sampling/theorem-7.2-sharp posterior-sampling/lemma-15-sharp"),
    Mutation("total variation halved", "dpbi.posterior_sampling.measures.total_variation", times("0.5"), "posterior-sampling/theorem-8.1-sharp posterior-sampling/theorem-8.1 posterior-sampling/theorem-8.2-corrected"),
    Mutation("privacy loss halved", "dpbi.posterior_sampling.measures.privacy_loss", times("0.5"), "posterior-sampling/corollary-10.1-corrected"),
    Mutation("regret bound halved", SAMPLING + "regret_bound", times("0.5"), "posterior-sampling/corollary-10.2-corrected posterior-sampling/lemma-11-corrected"),
    Mutation("penalty without its correction", ACCEPTANCE + "corrected", lambda right: lambda ratio, noise, correction=0: ratio, "private-mcmc/3-acceptance private-mcmc/3-penalty private-mcmc/3-statistic"),
    Mutation("half the correction", ACCEPTANCE + "corrected", half_the_correction, "private-mcmc/3-acceptance private-mcmc/3-penalty private-mcmc/3-statistic"),
    Mutation("clip without its factor 2", ACCEPTANCE + "clipped_sensitivity", times("0.5"), "private-mcmc/3-sensitivity private-mcmc/4-minibatch-sensitivity"),
    Mutation("one iteration too many", "dpbi.guarantees.composition.largest_count", lambda right: lambda allowed: right(allowed) + 1, "private-mcmc/6-iterations-found"),
    Mutation("one iteration too few", "dpbi.guarantees.composition.largest_count", lambda right: lambda allowed: right(allowed) - 1, "private-mcmc/6-iterations-found"),
    Mutation("one use not counted", "dpbi.guarantees.gaussian.GaussianDP.repeat", lambda right: lambda each, count: right(each, count - 1), "private-mcmc/6-iterations-most private-mcmc/3-cost private-mcmc/6-iterations-found"),
    Mutation("Barker's rule replaced by Metropolis's", ACCEPTANCE + "barker_acceptance", lambda right: acceptance.metropolis_acceptance, "private-mcmc/4-barker-rule private-mcmc/5-peskun private-mcmc/4-barker-exact private-mcmc/4-barker-bias"),
    Mutation("logistic rule of another slope", ACCEPTANCE + "logistic", lambda right: lambda y: right(y * number("1.01")), "private-mcmc/5-acceptance private-mcmc/5-invariance private-mcmc/4-barker-bias"),
    Mutation("Gauss-Bernoulli without its correction", ACCEPTANCE + "gauss_bernoulli_acceptance", lambda right: lambda ratio, noise: right(ratio + noise**2 / 2, noise), "private-mcmc/5-acceptance private-mcmc/5-invariance"),
    Mutation("noise of the penalty without its root of n", ACCEPTANCE + "noise_scale", lambda right: lambda tau, rows, sensitivity: tau * sensitivity, "private-mcmc/3-cost private-mcmc/3-statistic private-mcmc/6-iterations-found"),
    Mutation("half the correction of a batch", "dpbi.mcmc.minibatch.batch_penalty", times("0.5"), "private-mcmc/4-minibatch-variance private-mcmc/4-minibatch-sensitivity"),
    Mutation("the ratio of the priors reversed", "dpbi.mcmc.algorithm.prior_ratio", times("-1"), "private-mcmc/3-statistic private-mcmc/algorithm-1-corrected"),
    Mutation("Renyi divergence 1 % too large", "dpbi.guarantees.finite_laws.renyi_divergence", times("1.01"), "posterior-sampling/corollary-10.1-concentrated private-mcmc/def-3-order-1"),
]


@pytest.fixture(autouse=True)
def nothing_kept():
    """No value of a mutated library stays behind."""
    yield
    forget()
