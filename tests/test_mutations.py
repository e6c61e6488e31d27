"""The ledger watches the library: each wrong formula below changes the verdicts of the statements it names."""

import numpy as np
import pytest

from dpbi.arithmetic import number
from dpbi.mcmc import acceptance
from mutations import GUARANTEES, MCMC, MECHANISMS, MODEL, SAMPLING, Mutation, assert_noticed
from wrong_ways import (
    another_response,
    half_the_correction,
    half_the_largest,
    half_the_reach,
    last_count_forgotten,
    last_count_one_more,
    last_draw_twice,
    last_giver_forgotten,
    last_pair_forgotten,
    no_correction,
    one_draw_fewer,
    one_draw_more,
    rate_times,
    scale_one,
    times,
    truncated,
    without_multinomial_factor,
    without_negative_part,
)

MUTATIONS = [
    *(
        Mutation(
            f"the rate of {name} times {share}", MECHANISMS + "exponential.exponential", rate_times(name, share), ids
        )
        for name, ids in (
            ("ehd", "notes/4.5-ehd-upper"),
            ("ehdl", "notes/4.5-ehdl-upper"),
            ("ehds", "notes/3.1-ehds"),
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
        "notes/global-sensitivity",
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
        lambda right: lambda counts: right(counts)[1:] if len(right(counts)) > 1 else right(counts),
        "notes/local-sensitivity",
    ),
    Mutation(
        "the last neighbour forgotten",
        MODEL + "datasets.neighbours",
        lambda right: lambda counts: right(counts)[:-1] if len(right(counts)) > 1 else right(counts),
        "notes/local-sensitivity",
    ),
    Mutation(
        "the last pair of categories forgotten",
        MODEL + "datasets.moves",
        lambda right: lambda n, k: list(right(n, k))[:-1],
        "beyond/2-domination",
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
        "notes/4.5-lszhang notes/4.5-lshist",
    ),
    Mutation(
        "the last count left out", MECHANISMS + "noisy_counts.completed", last_count_forgotten, "notes/4.5-lszhang"
    ),
    Mutation(
        "the last count one too large", MECHANISMS + "noisy_counts.completed", last_count_one_more, "notes/4.5-lszhang"
    ),
    Mutation(
        "counts taken to change by one in sum, where noise is added",
        MECHANISMS + "noisy_counts.NoisyCounts.mechanism",
        scale_one,
        "notes/3.1-lshist",
    ),
    Mutation(
        "counts taken to change by one in sum, where a guarantee is given",
        MECHANISMS + "noisy_counts.count_sensitivity",
        lambda right: lambda k: 1,
        "notes/3.1-lshist",
    ),
    # what is measured of a mechanism
    Mutation("error quantile 1 % too large", "dpbi.accuracy.errors.error_quantile", times("1.01"), "notes/4.3"),
    Mutation("error tail 1 % too large", "dpbi.accuracy.errors.error_tail", times("1.01"), "hellinger/5.3-first"),
    Mutation(
        "hockey stick without its negative part",
        GUARANTEES + "finite_laws.maximum",
        without_negative_part,
        "hellinger/5-privacy private-mcmc/def-1 posterior-sampling/definition-1",
    ),
    Mutation(
        "mean errors 1 % too large", "dpbi.accuracy.errors.mean_errors", times("1.01"), "beyond/3-least-mean-error"
    ),
    Mutation(
        "the last pair of neighbours not compared",
        "dpbi.privacy.losses.pairs_of_neighbours",
        last_pair_forgotten,
        "beyond/2-domination",
    ),
    Mutation(
        "implied delta without its factor 1 - delta",
        GUARANTEES + "worst_case.implied_delta",
        lambda right: lambda epsilon, delta, at: delta + right(epsilon, 0 * delta, at),
        "private-mcmc/thm-2",
    ),
    Mutation(
        "Renyi privacy converted with alpha (tau - epsilon)",
        GUARANTEES + "concentrated._log_delta_from",
        lambda right: lambda alpha, tau, epsilon: right(alpha, tau, epsilon) + (tau - epsilon),
        "private-mcmc/6-iterations-renyi",
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
        "PSAQR: the last draw not counted",
        SAMPLING + "sampling.psaqr",
        one_draw_fewer,
        "posterior-sampling/algorithm-2",
    ),
    Mutation(
        "PSAQR: the last draw counted twice",
        SAMPLING + "sampling.psaqr",
        last_draw_twice,
        "posterior-sampling/algorithm-2",
    ),
    Mutation(
        "one draw not paid for",
        SAMPLING + "sampling.cost",
        lambda right: lambda family, prior, size: right(family, prior, max(size - 1, 1)),
        "posterior-sampling/ours-cost",
    ),
    Mutation(
        "one draw too many paid for",
        SAMPLING + "sampling.cost",
        lambda right: lambda family, prior, size: right(family, prior, size + 1),
        "posterior-sampling/algorithm-1",
    ),
    *(
        Mutation(
            f"the reach of the {name} family halved",
            SAMPLING + f"rate_families.{name}",
            half_the_reach,
            "posterior-sampling/section-5-rates",
        )
        for name in ("exponential", "laplace", "normal_precision")
    ),
    Mutation(
        "the farthest distance on a line halved",
        SAMPLING + "rate_families.line_reach",
        lambda right: lambda bound: right(bound) / 2,
        "posterior-sampling/section-5-rates",
    ),
    Mutation(
        "the largest constant of rate families halved",
        SAMPLING + "rate_families._rate_family",
        half_the_largest,
        "posterior-sampling/section-5-rates",
    ),
    Mutation(
        "frequencies without their multinomial factor",
        SAMPLING + "samples._ways",
        without_multinomial_factor,
        "posterior-sampling/theorem-13.1",
    ),
    Mutation(
        "1 % less charged than the range of the log likelihood ratio",
        SAMPLING + "sampling.Cost.loss",
        times("0.99"),
        "posterior-sampling/ours-cost",
    ),
    Mutation(
        "Renyi divergences by half of the bound",
        SAMPLING + "bounds.concentrated_by_width",
        times("0.5"),
        "posterior-sampling/corollary-10.1-concentrated",
    ),
    Mutation(
        "log odds of a floor 1 % too small",
        SAMPLING + "oscillations.log_odds_of_floor",
        times("0.99"),
        "posterior-sampling/lemma-24",
    ),
    Mutation(
        "the reach of a neighbour halved",
        SAMPLING + "sampling.Cost._reach",
        lambda right: lambda *asked: right(*asked) / 2,
        "posterior-sampling/corollary-10.1",
    ),
    Mutation(
        "Lipschitz constants halved",
        SAMPLING + "families.Family.lipschitz",
        times("0.5"),
        "posterior-sampling/corollary-10.1",
    ),
    Mutation(
        "the bound on Lipschitz constants halved",
        SAMPLING + "families.lipschitz_bound",
        times("0.5"),
        "posterior-sampling/corollary-10.1",
    ),
    Mutation(
        "total variation halved", SAMPLING + "measures.total_variation", times("0.5"), "posterior-sampling/lemma-14"
    ),
    Mutation("privacy loss halved", SAMPLING + "measures.privacy_loss", times("0.5"), "posterior-sampling/lemma-15"),
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
        "private-mcmc/5-threshold",
    ),
    Mutation(
        "the divergence of Barker's test halved",
        MCMC + "barker_rule.divergence",
        times("0.5"),
        "private-mcmc/6-iterations-renyi",
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
        GUARANTEES + "counting.largest_count",
        lambda right: lambda allowed: right(allowed) + 1,
        "private-mcmc/6-iterations-renyi",
    ),
    Mutation(
        "one iteration too few",
        GUARANTEES + "counting.largest_count",
        lambda right: lambda allowed: right(allowed) - 1,
        "private-mcmc/6-iterations-renyi",
    ),
    Mutation(
        "one iteration not paid for",
        GUARANTEES + "gaussian.GaussianDP.repeat",
        lambda right: lambda each, count: right(each, count - 1),
        "private-mcmc/6-iterations-most",
    ),
]


def marked(mutation):
    """What is wrong in models and mechanisms is tried by default, the other rooms with ``-m slow``."""
    marks = () if mutation.where.startswith((MODEL, MECHANISMS)) else pytest.mark.slow
    return pytest.param(mutation, id=mutation.what, marks=marks)


@pytest.mark.parametrize("mutation", [marked(each) for each in MUTATIONS])
def test_a_wrong_formula_of_the_library_is_noticed(mutation):
    assert_noticed(mutation)
