"""Misprints in the sources and incorrect steps in their proofs, as listed in the file ``errata.toml``.

An entry of the file may name a function of this module as its check. The function computes a number for which the
printed relation fails, and returns the number and the relation.
"""

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .. import posterior_sampling as ps
from ..accuracy import closer_than, error_below, error_quantile, mean_error, simulated_mean_error
from ..arithmetic import exp, integral, log, number, sqrt
from ..mechanisms import ehd, laplace_in_order, lshist
from ..model import farthest_neighbour, local_sensitivity
from ..posterior_sampling.interval_laws import Gamma
from .evaluation import Side, above, at_least, at_most, below, digits, equal, only_in_doubles
from .hellinger.figures import uneven
from .hellinger.quantities import EPSILON, FLAT, FLAT3, defined, probability_at_distance, probability_of
from .hellinger.tables import TABLE_2, cell
from .posterior_sampling.answers import coin_failure
from .posterior_sampling.cases import COIN
from .posterior_sampling.definitions import gain, on_outcomes
from .quantities import floor_within, printed_rate, printed_sensitivity


def laplace_quantile_at_an_end():
    """At x = (0, 2), the quantile of the error is zero, not the local sensitivity."""
    return error_quantile(lshist(1), FLAT, (0, 2), 1 - exp(-number(1))) / local_sensitivity(FLAT, (0, 2)), equal(1)


def nearer_than(mechanism, counts, ties):
    """Probability that the error is less than the distance to the farthest neighbour or, with ``ties``, at most this
    distance."""
    return closer_than(mechanism, FLAT, counts, farthest_neighbour(FLAT, counts), ties=ties)


def neighbours_left_out():
    """With one record in each of two categories, both neighbours are at distance LS(x), so the event H < LS(x) excludes
    both of them."""
    return nearer_than(lshist(1), (1, 1), False), at_least(floor_within(number(1), 1))


def sensitivity_at_an_end():
    """With a billion records, all in the second category, the local sensitivity is not small."""
    return local_sensitivity(FLAT, (0, 10**9)), below(number("0.3"))


def rate_above_epsilon():
    """If the rate uses the printed sensitivity, the exponential of the rate exceeds e for epsilon = 1."""
    return exp(printed_rate(1)), below(exp(number(1)))


def upper_as_lower():
    """For balanced data with eight records, the printed lower bound exceeds the probability."""
    # no step keeps the error below 0.1, so k = 0 in the printed bound
    return error_below(ehd(1, printed_sensitivity()), FLAT, (4, 4), number("0.1")), at_least(exp(printed_rate(1)) / 8)


def ehd_for_ehdl():
    """For balanced data with two records, no other dataset is within distance 0.3, and the printed bound is 1/2."""
    return error_below(ehd(1, printed_sensitivity()), FLAT, (1, 1), number("0.3")), above(number(1) / 2)


def good_candidates_of_ehd():
    """At x = (1, 999), the neighbour (2, 998) is much closer than the neighbour (0, 1000)."""
    rate = printed_rate(1)
    # the printed bound assumes that both neighbours of x are at distance LS(x), and n = 1000 candidates
    bound = (2 * exp(-rate * local_sensitivity(FLAT, (1, 999))) + 1) * exp(rate) / 1000
    return nearer_than(ehd(1, printed_sensitivity()), (1, 999), True), at_most(bound)


def beta_density():
    """Integral of the printed density of beta(1, 1), which is not 1."""
    return integral(lambda theta: theta * (1 - theta), 0, 1), equal(number(1))


def truth_alone():
    """The true posterior is the only candidate at distance zero, so the printed factor 1/2 is wrong at this
    distance."""
    exact = probability_of(defined(), FLAT, (0, 1), (0, 1))
    return exact, equal(probability_at_distance(defined(), FLAT, (0, 1), (0, 1)) / 2)


def scores_at_a_neighbour():
    """For one record: the probability of releasing the dataset itself, and twice the probability of releasing the other
    dataset."""
    found = probability_at_distance(defined(), FLAT, (0, 1), (0, 1))
    return found, equal(2 * probability_of(defined(), FLAT, (0, 1), (1, 0)))


def mixed_total():
    """Sum of the printed probabilities for the data of Table 1, which is the ratio of the normalisers for the divisors
    1 and 2."""
    with_one, with_two = (probability_of(defined(divisor), FLAT, (4, 4), (4, 4)) for divisor in (1, 2))
    return with_two / with_one, equal(number(1))


def table_2_as_captioned():
    """Probability of the true posterior for forty records in two categories, as in the caption."""
    return cell("exponential", FLAT, (20, 20), (20, 20)), digits(TABLE_2["exponential"]["0"])


def many_records_of_three_categories():
    """Mean error for divisor 2, compared with the average error of 100,000 draws from the Laplace mechanism."""
    only_in_doubles("random draws are doubles")
    x = uneven(14000)
    drawn = simulated_mean_error(laplace_in_order(EPSILON), FLAT3, x, np.random.default_rng(0), 100_000)
    return mean_error(defined(2), FLAT3, x), below(drawn.value + 6 * drawn.standard_error)


def factor_above_one():
    """The printed step fails for the factor 2, the probabilities 9/10 and 1/10, and delta' = 0.3."""
    return number(2) * 9 / 10 * 4 / 10, at_most(number(2) * 9 / 100 + number("0.3"))


def rectangles():
    """For two releases with two outcomes each: the largest gain of any event and the largest gain of any rectangle."""
    x = ps.joint(on_outcomes((0.5, 0.5)), on_outcomes((0.45, 0.55)))
    y = ps.joint(on_outcomes((0.9, 0.1)), on_outcomes((0.05, 0.95)))
    events = [(1, 1), (1, 0), (0, 1)]
    # a rectangle is a pair of events, one for each release
    best = max(float(gain(x, y, number(0), [i * j for i in a for j in b])) for a in events for b in events)
    return ps.least_delta(x, y, 0), equal(number(best))


def uniform_on_a_grid():
    """Total weight of the printed uniform prior, which has four parameters of weight 0.2."""
    return number("0.2") * len(ps.bernoulli_grid(0.2)), equal(number(1))


def mean_constant():
    """Expected Lipschitz constant for rates between 0 and 1/2, and the printed bound with L0 = 0."""
    return ps.expected_lipschitz(ps.exponential(), Gamma(1.0, 4.0, 0.5)), at_most(number(1) / 4)


def ratio_of_marginals():
    """The printed implication fails for C = 2 and a distance rho with (1 + L0) rho = 0.015."""
    return log(number(2)) + number("0.015"), at_most(2 * number("0.015"))


def many_responses():
    """Failure probability with twenty draws and a million responses, each with the utility of a fair coin."""
    return coin_failure(20, 10**6, 2 * sqrt(log(number(20) / 3) / 40)), at_most(number("0.3"))


def bend_of_a_density():
    """At parameter 1 and record 3, the second derivative of the exponential density is positive."""
    return exp(number(-3)), at_most(number(0))


def sides_of_a_laplace_law():
    """Log densities of the Laplace distribution with location 0 and scale 1 at the points -1 and -2."""
    near, far = (ps.laplace(0.0).log_likelihood([1], [x])[0] for x in (-1, -2))
    return near, at_most(far)


def bend_of_a_laplace_law():
    """Laplace density at 1 for scale 3, and the average of the densities at 1 for scales 2 and 4."""
    two, three, four = (exp(ps.laplace(0.0).log_likelihood([1 / number(s)], [1])[0]) for s in (2, 3, 4))
    return three, at_least((two + four) / 2)


def even_records():
    """For the prior Beta(2, 2) and the records 1 and 0, the beta function is below the printed lower bound."""
    exact = exp(ps.posterior_law(COIN, ps.Beta(2, 2), [1, 0]).log_mass)
    return exact, at_least(exp(ps.Beta(number(2.5), number(3.5)).log_mass))


class Erratum(NamedTuple):
    """A misprint, an incorrect caption or an incorrect step in a proof, with a correction and possibly a check.

    Attributes:
        source: Name of the source, with which the ids of its statements begin.
        where: Place of the misprint in the source.
        printed: The printed text, in Markdown.
        right: The corrected text, in Markdown.
        check: A function that returns an exact number and the printed relation, which fails for this number; None if
            there is nothing to compute.
    """

    source: str
    where: str
    printed: str
    right: str
    check: Callable[[], tuple[Any, Side]] | None = None


ROWS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))["erratum"]
# the file names a function of this module as the check of an erratum
ERRATA = tuple(Erratum(**row | {"check": globals()[row["check"]]} if "check" in row else row) for row in ROWS)
