"""The ledger watches draws, chains and what this book promises itself: a wrong one is noticed by ``dpbi verify``."""

from dataclasses import replace

import numpy as np
import pytest

from dpbi.arithmetic import number
from dpbi.posterior_sampling import RECORD, Oscillation, Tables
from mutations import GUARANTEES, MECHANISMS, MODEL, SAMPLING, Mutation, assert_noticed
from wrong_ways import one_more, times

MUTATIONS = [
    # what this book promises itself
    Mutation(
        "answers at random 1 % too true",
        MECHANISMS + "noisy_records._log_answer",
        lambda right: lambda epsilon, k: right(epsilon * number("1.01"), k),
        "beyond/promises beyond/promises-met",
    ),
    Mutation("noise that is one too large", MECHANISMS + "noise.NoiseAt.draw", one_more, "beyond/draws"),
    Mutation(
        "twice the rate where candidates are not listed",
        MECHANISMS + "exponential_draws.envelope",
        lambda right: lambda prior, counts, rate: right(prior, counts, 2 * rate),
        "beyond/draws-at-any-size",
    ),
    Mutation(
        "calibration by 99 % of the loss",
        "dpbi.privacy.calibration.audit",
        lambda right: lambda *asked: replace(found := right(*asked), epsilon=0.99 * found.epsilon),
        "beyond/calibrated",
    ),
    Mutation(
        "the smallest epsilon 1 % too large",
        "dpbi.privacy.losses.epsilon_at_delta",
        times("1.01"),
        "beyond/epsilon-at-delta",
    ),
    Mutation(
        "jumps of the smooth sensitivity 1 % too large",
        MODEL + "sensitivities.smooth_reciprocal_jump",
        times("1.01"),
        "beyond/smooth-jump",
    ),
    Mutation(
        "the first of several promises left out",
        GUARANTEES + "composition.compose",
        lambda right: lambda *values: right(*(values[1:] or values)),
        "beyond/uses-within",
    ),
    Mutation(
        "repeated answers 1 % too costly",
        GUARANTEES + "composition.repeated_delta",
        times("1.01"),
        "beyond/repeated-pure",
    ),
    Mutation(
        "noise on one count weighed 1 % too much",
        "dpbi.mechanisms.noise.NoiseAt.log_point",
        times("1.01"),
        "beyond/posterior-given-noise",
    ),
    Mutation(
        "intervals of a smaller level",
        "dpbi.inference.mixtures.Mixture.interval",
        lambda right: lambda share, level: right(share, 0.99 * level),
        "beyond/posterior-given-output beyond/intervals-given-output",
    ),
    Mutation(
        "sums of products 1e-9 too large",
        "dpbi.accuracy.moments.log_others",
        lambda right: lambda *asked: (found := right(*asked))._replace(value=found.value + 1e-9),
        "beyond/moments-at-any-size",
    ),
    Mutation(
        "sums along the line 1 % too large",
        "dpbi.accuracy.two_categories.mean",
        times("1.01"),
        "beyond/mean-error-on-the-line",
    ),
    Mutation(
        "quantiles along the line 1 % too large",
        "dpbi.accuracy.two_categories.quantile",
        times("1.01"),
        "beyond/quantile-on-the-line",
    ),
    Mutation(
        "multipliers that are one tenth too large",
        "dpbi.optimum.programs._solutions",
        lambda right: lambda *program: ((x, 1.1 * multipliers) for x, multipliers in right(*program)),
        "beyond/optima-certified",
    ),
    # what is drawn
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
        "fractional powers without their meaning",
        SAMPLING + "interval_laws._power",
        lambda right: lambda base, exponent: right(base, exponent) if exponent == int(exponent) else base * exponent,
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
    # what draws cost
    Mutation(
        "1 % less charged than the oscillation",
        SAMPLING + "sampling.Cost.loss",
        times("0.99"),
        "posterior-sampling/ours-cost posterior-sampling/ours-cost-row posterior-sampling/ours-cost-precision",
    ),
    Mutation(
        "1 % more charged than the oscillation",
        SAMPLING + "sampling.Cost.loss",
        times("1.01"),
        "posterior-sampling/ours-cost-tables posterior-sampling/ours-cost-variation",
    ),
    Mutation(
        "an oscillation for one draw, whatever their number",
        SAMPLING + "sampling.Cost.loss",
        lambda right: lambda self, *kind: right(replace(self, size=1), *kind),
        "posterior-sampling/ours-cost",
    ),
    Mutation(
        "only the printed bound is charged",
        SAMPLING + "sampling.Cost.oscillation",
        lambda right: lambda self, *kind: Oscillation(self.printed(*kind) / self.size, False),
        "posterior-sampling/ours-cost posterior-sampling/ours-cost-oscillation posterior-sampling/ours-cost-precision",
    ),
    Mutation(
        "Renyi divergences by a quarter of the range",
        SAMPLING + "bounds.concentrated_by_width",
        times("0.5"),
        "posterior-sampling/ours-cost-concentrated posterior-sampling/corollary-10.1-concentrated",
    ),
    Mutation(
        "Renyi divergences 1 % too large",
        SAMPLING + "bounds.concentrated_by_width",
        times("1.01"),
        "posterior-sampling/ours-cost-concentrated",
    ),
    Mutation(
        "distances to the location from zero on",
        SAMPLING + "oscillations.distances",
        lambda right: lambda centre, bound: (number(0), right(centre, bound)[1]),
        "posterior-sampling/ours-cost-oscillation",
    ),
    Mutation(
        "distances to the location as if it were zero",
        SAMPLING + "oscillations.distances",
        lambda right: lambda centre, bound: right(number(0), bound),
        "posterior-sampling/ours-cost-oscillation posterior-sampling/ours-cost",
    ),
    Mutation(
        "squares within half the bound",
        SAMPLING + "oscillations.squares",
        lambda right: lambda centre, bound: right(centre, bound / 2),
        "posterior-sampling/ours-cost-oscillation posterior-sampling/ours-cost",
    ),
    Mutation(
        "outer products about zero",
        SAMPLING + "oscillations.outer_products",
        lambda right: lambda length, radius, d: right(0 * length, radius, d),
        "posterior-sampling/ours-cost-precision",
    ),
    Mutation(
        "outer products in one dimension",
        SAMPLING + "oscillations.outer_products",
        lambda right: lambda length, radius, d: right(length, radius, 1),
        "posterior-sampling/ours-cost-precision",
    ),
    Mutation(
        "rows of two states, however many they have",
        SAMPLING + "oscillations.log_odds_of_floor",
        lambda right: lambda states, floor: right(2, floor),
        "posterior-sampling/ours-cost-tables",
    ),
    Mutation(
        "log odds of a floor 1 % too small",
        SAMPLING + "oscillations.log_odds_of_floor",
        times("0.99"),
        "posterior-sampling/ours-cost-tables posterior-sampling/ours-cost-row posterior-sampling/lemma-24-sharp",
    ),
    Mutation(
        "a cell is charged like a row",
        SAMPLING + "sampling.Cost.oscillation",
        lambda right: lambda self, kind=RECORD: right(self, RECORD),
        "posterior-sampling/ours-cost-tables",
    ),
]


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.what)
def test_a_wrong_draw_or_promise_is_noticed(mutation):
    assert_noticed(mutation)
