"""Answers to the exercises of the pages state what the library computes.

The oracle is the library, whose own tests have independent oracles. Numbers that an answer derives from its own formula
are not tested, because no change of the library makes them wrong. The exercises of the path are tested with the path.
"""

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq

import dpbi
from dpbi import posterior_sampling as ps
from dpbi.mcmc import acceptance
from dpbi.mcmc import transition_matrices as matrices
from dpbi.publish import schema
from path_numbers import coverage, most, short
from test_notebooks import NOTEBOOKS, cells

FLAT = [1, 1]
PRINTED = dpbi.PRINTED_GLOBAL_SENSITIVITY
RESULTS = Path(__file__).parents[1] / "results" / "private_mcmc"


def leaks(mechanism, n, prior=FLAT):
    return float(dpbi.audit(mechanism, prior, n).epsilon)


def probability(mechanism, counts, first):
    law = mechanism.law(FLAT, counts)
    return float(law.probabilities[law.outputs[:, 0] == first].sum())


def error(mechanism, counts):
    return float(dpbi.mean_error(mechanism, FLAT, counts))


def local(x, y):
    return float(dpbi.local_sensitivity(FLAT, [x, y]))


def budget(make, n):
    """The internal budget at which a mechanism leaks 0.8."""
    return brentq(lambda epsilon: leaks(make(epsilon), n) - 0.8, 0.1, 4.0)


def two_steps_inside(mechanism):
    """How often the error is below a number that two steps from (20, 20) are below, and three are not."""
    two, three = (float(dpbi.hellinger([21, 21], [21 + steps, 21 - steps])) for steps in (2, 3))
    return 1 - dpbi.error_tail(mechanism, FLAT, [20, 20], (two + three) / 2)


def one_step_over_none(factor):
    """Table 1, one step against none: weights e^(-0.8 H / LS), or half of that exponent."""
    law = dpbi.ehdl(1.6 / factor)  # which divides by 2 LS
    return (probability(law, [4, 4], 3) + probability(law, [4, 4], 5)) / probability(law, [4, 4], 4)


def odds_of_far(n):
    """By the formula for two equal shares: e^-lambda for each of n candidates against those near."""
    rate = float(dpbi.ehd(0.8).rate(FLAT, [n // 2, n // 2]))
    return n * math.exp(-rate) / (2 * math.sqrt(2 * n) / rate)


def aware(n):
    mechanism = dpbi.geometric(0.5)
    return dpbi.inference.coverage(mechanism, FLAT, n, dpbi.inference.aware_intervals(mechanism, FLAT, n, 0.95))


def margin_budgets():
    """The budget of each pair of columns of the released table."""
    columns = {"age": {"cuts": [50]}, "education": {"cuts": [3.5]}, "party": {"cuts": [2.5, 3.5]}}
    votes = {"vote": {"categories": ["Clinton", "Dole"]}}
    asked = schema({"epsilon": "1", "margins": [2], "columns": votes | columns})
    return {tuple(question.columns): float(question.price.epsilon) for question in asked.questions}


APART, PARENT = [[], [], []], [[], [0], [0]]
"""Three nodes without edges, and the first of them as the parent of the others."""
EXTREME = ps.weighted([0.05, 0.3, 0.5, 0.7, 0.95], [0.005, 0.33, 0.33, 0.33, 0.005])


def mirrored(distance, share):
    """Between the posteriors of a share and its mirror image, equally likely before, after a no and after a yes."""
    return float(ps.worst_neighbours(distance, ps.count_posteriors(ps.uniform([share, 1 - share]), 1)))


def draw_of_a_network(parents, neighbours):
    """What one draw costs if no probability is below 0.2 and all nodes have two states."""
    prior = ps.Tables([np.ones((2,) * (len(each) + 1)) for each in parents], floor=0.2)
    return float(ps.sampling_cost(ps.network(parents, [2] * len(parents)), prior, 1).loss(neighbours))


def draws_of_a_coin(draws):
    return float(ps.sampling_cost(ps.bernoulli(), ps.uniform(ps.bernoulli_grid(0.2)), draws).loss())


def zeros_needed():
    """The first number of zeros after which the smallest share is more likely than not."""
    return next(n for n in range(1, 50) if ps.count_posteriors(EXTREME, n)[0].weights[0] > 0.5)


def laplace_ratio():
    """The largest ratio on a grid of records of the Laplace likelihood."""
    prior, family = ps.trimmed_exponential(1.0, 0.5, 0.9), ps.laplace(0.0, 0.1)
    return max(ps.likelihood_ratio(family, prior, [x]) for x in np.linspace(0, 0.1, 41))


RING = np.roll(np.eye(3), 1, axis=1)
"""A chain on three states that always moves to the next one."""


def accepted(rule, ratio, noise=0.0):
    return float(rule(np.array(ratio), np.array(noise)))


def penalty(noise):
    """How often the penalty algorithm accepts a proposal that is as probable as the present state."""
    return accepted(acceptance.penalty_acceptance, 0.0, noise)


def step_cost(tau, rows):
    """The rho of normal noise whose standard deviation is tau roots of n sensitivities."""
    return dpbi.gaussian_mechanism(1, tau * math.sqrt(rows)).rho


def steps(tau, rows, epsilon, delta):
    return dpbi.uses_within(dpbi.GaussianDP(step_cost(tau, rows)), dpbi.ApproxDP(epsilon, delta))


def on_a_batch():
    inner = math.log1p(math.expm1(0.1) / 0.1)
    normal = dpbi.GaussianDP(0.5)
    return [normal.delta_at(inner), 0.1 * normal.delta_at(inner), normal.delta_at(0.1)]


def around():
    """The sum of one row's log ratios, clipped at two, from 0 to 1, to 2, and back to 0."""
    ratio = matrices.Grid(np.arange(3.0), np.array([[0.0, 3.0, 2.0]]), np.zeros(3)).clipped_ratio(2)
    return ratio[0, 1] + ratio[1, 2] + ratio[2, 0]


REGRESSION = 0.1 * 0.3 * math.sqrt(6366) * 2 * math.sqrt(4) * 0.2
"""The noise on the tempered log ratio of a step of length 0.2, with four coefficients."""

ANSWERS = {
    "foundations/first_release": lambda: [error(dpbi.geometric(0.8), x) for x in ([14, 6], [140, 60])],
    "foundations/sensitivity": lambda: [local(1, 0), local(40, 40)],
    "foundations/promise_and_audit": lambda: [leaks(dpbi.ehd(0.8), 1), budget(dpbi.ehd, 20)],
    "notes/privacy_of_the_mechanisms": lambda: [
        *(0.8 / leaks(each, 20) for each in (dpbi.lsdim(1), dpbi.lszhang(1))),
        leaks(dpbi.ehd(0.8, sensitivity=PRINTED), 1, [1e-9, 1e-9]) / 0.8,
    ],
    "notes/error_of_the_laplace_mechanism": lambda: [
        probability(dpbi.lshist(1), [0, 40], 0),
        probability(dpbi.lshist(1), [40, 0], 40),
    ],
    "notes/theorem_4_5": lambda: [two_steps_inside(dpbi.lshist(1.0))],
    "notes/crossovers": lambda: [probability(dpbi.lshist(1), [20, 20], 20)],
    "hellinger/smoothed_mechanism": lambda: [leaks(dpbi.smoothed_hellinger(0.8, 1e-8, c), 1) for c in (2, 1)],
    "hellinger/concrete_epsilon": lambda: [
        budget(lambda inner: dpbi.smoothed_hellinger(inner, 5e-4, 2), 1),
        100 * most(leaks(dpbi.smoothed_hellinger(0.8, 5e-4, 2), 180)),
    ],
    "hellinger/tables_and_figures": lambda: [
        one_step_over_none(1),
        one_step_over_none(2),
        error(dpbi.geometric(0.8), [8000, 72000]),
    ],
    "beyond/any_size": lambda: [odds_of_far(10**4), odds_of_far(10**6)],
    "beyond/what_leaks": lambda: [leaks(dpbi.ehd(0.01), 1, [1e-12, 1e6, 1e6]) / 0.01],
    "beyond/honest_intervals": lambda: [
        *(100 * coverage(0.5, n) for n in (10, 40)),
        *(100 * aware(n) for n in (10, 40)),
    ],
    "beyond/what_many_uses_cost": lambda: [
        measure(make(1.0))
        for measure in (lambda each: probability(each, [1, 0], 0), lambda each: leaks(each, 1))
        for make in (dpbi.ehd, dpbi.permute_and_flip)
    ],
    "beyond/released_table": lambda: [sum(margin_budgets().values()), 1 / margin_budgets()["vote", "age"]],
    "beyond/which_mechanism": lambda: [34],  # held to the library in test_notebooks_others.py
    "posterior_sampling/privacy_of_the_posterior": lambda: [
        2 * ps.lipschitz_bound(ps.bernoulli(), ps.uniform(ps.bernoulli_grid(0.2))),
        ps.worst_neighbours(ps.privacy_loss, ps.count_posteriors(ps.uniform(ps.bernoulli_grid(0.2)), 1)),
    ],
    "posterior_sampling/robustness": lambda: [
        mirrored(ps.total_variation, 0.4),
        mirrored(ps.kullback_leibler, 0.4),
        *(2 * math.log((1 - x) / x) / mirrored(ps.kullback_leibler, x) for x in (0.4, 0.49)),
    ],
    "posterior_sampling/sampling_and_answering": lambda: [draws_of_a_coin(10), draws_of_a_coin(30)],
    "posterior_sampling/utility_of_a_private_prior": lambda: [
        zeros_needed(),
        math.exp(ps.log_evidence(ps.bernoulli(), EXTREME, [0] * zeros_needed())),
    ],
    "posterior_sampling/conjugate_examples": lambda: [
        ps.worst_neighbours(ps.total_variation, ps.count_posteriors(ps.Beta(1.0, 1.0), 1)),
        laplace_ratio(),
    ],
    "posterior_sampling/networks_and_chains": lambda: [
        draw_of_a_network(parents, kind) for parents in (APART, PARENT) for kind in (ps.CELL, ps.RECORD)
    ],
    "private_mcmc/penalty_on_a_grid": lambda: [penalty(1.0), penalty(2.0), abs(around())],
    "private_mcmc/variations": lambda: [matrices.balance_error(RING, np.full(3, 1 / 3))],
    "private_mcmc/barker_and_gauss_bernoulli": lambda: [
        *(accepted(acceptance.barker_acceptance, ratio) for ratio in (math.log(3), -math.log(3))),
        accepted(acceptance.metropolis_acceptance, -math.log(3)),
    ],
    "private_mcmc/experiments": lambda: [step_cost(0.1, 100_000), steps(0.2, 100_000, 1, 1e-6), *on_a_batch()],
    "private_mcmc/clipping_study": lambda: [accepted(acceptance.metropolis_acceptance, -1.0)],
    "private_mcmc/logistic_regression": lambda: [REGRESSION, penalty(REGRESSION), penalty(2 * REGRESSION)],
}  # fmt: skip
"""By page, the numbers of the library that its answers state."""

BY_FORMULA = {"beyond/how_far_from_the_best", "beyond/how_fast", "beyond/real_data", "notes/errors_in_steps"}
BY_FORMULA |= {f"posterior_sampling/{name}" for name in ("assumptions", "random_privacy", "what_samples_reveal")}
BY_FORMULA |= {f"private_mcmc/{name}" for name in ("gaussian_mechanism", "metropolis_hastings", "published_chains")}
BY_FORMULA |= {"private_mcmc/three_currencies"}
"""The pages whose answers compute every number by a formula that they show."""


def test_every_page_says_where_its_answers_are_from():
    assert NOTEBOOKS.keys() - ANSWERS.keys() <= BY_FORMULA, "add it to ANSWERS, or without numbers to BY_FORMULA"


def shown(value):
    """Three significant digits, large numbers with commas."""
    return short(value) if abs(value) < 1000 else f"{float(short(value)):,.0f}"


@pytest.mark.parametrize("page", ANSWERS)
def test_the_answers_are_computed(page):
    text = "\n\n".join(cell.source for cell in cells(page, "markdown"))
    _, found, exercises = text.partition("## Exercises\n")
    answers = re.sub(r"\$[^$]*\$", "", exercises.partition("```{dropdown} Answers\n")[2])  # sentences answer
    assert found
    values = [shown(value) for value in ANSWERS[page]()]
    missing = [each for each in values if not re.search(rf"(?<![\d.,]){re.escape(each)}(?!\d|[.,]\d)", answers)]
    assert not missing, f"write {', '.join(missing)} in the answers: three significant digits, outside formulas"


def recorded(name, **place):
    """A row of a recorded table."""
    found = json.loads((RESULTS / f"{name}.json").read_text("utf-8"))["tables"]
    table = found["cells" if "cells" in found else "medians"]
    rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    (row,) = [row for row in rows if place.items() <= row.items()]
    return row


def test_questions_on_chains_begin_with_recorded_numbers():
    banana = {"model": "flat banana 2d", "algorithm": "penalty", "epsilon": 1.0}
    printed = recorded("published", **banana)
    quartiles = [printed[name] for name in ("q1", "median", "q3", "acceptance")]
    assert quartiles == pytest.approx([0.278, 0.367, 0.422, 0.357], abs=5e-4)
    assert recorded("experiments_flat_banana_2d", **banana)["median"] == pytest.approx(0.451, abs=5e-4)
    circle = recorded("experiments_more", model="circle", algorithm="penalty", epsilon=1.0)
    assert circle["median"] == pytest.approx(0.657, abs=5e-4)
    assert circle["iterations"] == pytest.approx(90_000, rel=0.01)
    assert steps(0.1, 100_000, 1, 1e-6) == 56
    assert steps(0.3, 6366, 3, 1e-5) == 296
