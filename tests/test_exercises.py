"""The exercises at the end of every page: every number of an answer is computed, by the library or in closed form."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

import answers_beyond as beyond
import answers_posterior_sampling as sampling
import answers_private_mcmc as chains
import answers_sources as sources
import dpbi
from dpbi import posterior_sampling as ps
from dpbi.accuracy import steps_within
from dpbi.guarantees import GaussianDP
from dpbi.mcmc import exact
from exercise_numbers import NOTEBOOKS, questions_and_answers, said, section, states

FLAT = sources.FLAT
ANSWERS = sources.ANSWERS | sampling.ANSWERS | chains.ANSWERS | beyond.ANSWERS
PAGES = sorted(path.relative_to(NOTEBOOKS).with_suffix("").as_posix() for path in NOTEBOOKS.glob("*/*.ipynb"))
RESULTS = Path(__file__).parents[1] / "results" / "private_mcmc"


def test_no_answer_is_left_unchecked():
    assert sorted(ANSWERS) == [page for page in PAGES if section(NOTEBOOKS / f"{page}.ipynb")]


@pytest.mark.parametrize("page", ANSWERS)
def test_the_answers_are_computed(page):
    questions, answers = questions_and_answers(page)
    assert len(questions) == len(answers) == len(ANSWERS[page]) == 2
    for answer, compute in zip(answers, ANSWERS[page], strict=True):
        assert [said(value) for value in compute() if not states(answer, value)] == []


def test_what_the_answers_of_the_first_chapters_say_besides_is_true():
    # the noise of the paper is LSHist's at half the budget, count for count
    half, whole = dpbi.lshist(0.4), dpbi.laplace_in_order(0.8)
    same = [[sources.probability(each, [3, 17], r) for r in range(21)] for each in (half, whole)]
    assert same[0] == pytest.approx(same[1])
    # the printed constants of the pages that the answers begin with
    assert dpbi.mean_error(dpbi.geometric(0.8), FLAT, [2000, 18000]) == pytest.approx(0.00938, rel=1e-3)
    assert sources.local(10, 10) == pytest.approx(0.154, rel=5e-3)
    assert sources.leaks(dpbi.ehd(0.8), 20) == pytest.approx(0.479, rel=1e-3)
    # the first corollary's size is smallest where the answer says
    least = sources.first_size(math.log(3) / 2)
    assert all(sources.first_size(math.log(3) / 2 + step) > least for step in (-0.05, -0.01, 0.01, 0.05))
    # within the error of the first exercise on Laplace noise, at every dataset of 40 records
    errors = [dpbi.error_quantile(dpbi.lshist(1), FLAT, [x, 40 - x], 0.05) for x in range(41)]
    ratios = [error / sources.local(x, 40 - x) for x, error in enumerate(errors)]
    assert 3 < max(ratios) <= 3.3549
    # no step is inside a distance that is smaller than all
    assert tuple(steps_within(FLAT, (20, 20), 1e-9)) == (0, 0)


def test_two_steps_inside_of_theorem_4_5():
    # noise floored to -2 ... 2, by the distribution function of Laplace noise on [-2, 3)
    inside = sources.two_steps_inside(dpbi.lshist(1.0))
    assert inside == pytest.approx(1 - (math.exp(-2) + math.exp(-3)) / 2)
    assert round(1 / (1 - inside)) == 11
    truth = sources.two_steps_inside(dpbi.ehd(0.01, sensitivity=sources.PRINTED))
    assert 5 / 41 < truth < (4 * math.exp(-0.01) + 1) / 40


def test_what_the_answers_on_posterior_sampling_say_besides_is_true():
    # closed forms of what the library costs
    step = math.log(4)
    for parents, cell in ((sampling.APART, 2 * step), (sampling.PARENT, 6 * step)):
        assert sampling.draw_of_a_network(parents, ps.CELL) == pytest.approx(cell)
        assert sampling.draw_of_a_network(parents, ps.RECORD) == pytest.approx(6 * step)
    assert sampling.draws_of_a_coin(10) == pytest.approx(20 * step)
    assert sampling.between_mirrored(ps.kullback_leibler, 0.4) == pytest.approx(0.2 * math.log(1.5))
    assert sampling.times_too_large(0.49) == pytest.approx(4 / sampling.constant(0.49), rel=1e-3)
    # the odds of the extreme share pass one where the two likelihoods that matter say
    assert (0.95 / 0.7) ** 13 < 66 < (0.95 / 0.7) ** 14
    so_many_zeros = 0.005 * 0.95**14 + 0.33 * 0.7**14
    assert so_many_zeros == pytest.approx(0.0047, rel=5e-3)
    # one draw from the wide prior answers better than ten from the narrow one, in mean distance from the posterior
    grid = np.arange(1, 200) / 200
    ideal = grid**27 * (1 - grid) ** 13
    ideal /= ideal.sum()
    apart = np.abs(grid[:, None] - grid) @ ideal
    low, high = sampling.shares_within(0.25)
    wide = ideal * (np.abs(np.log(grid / (1 - grid))) <= 2.5)
    assert apart @ wide / wide.sum() < min(apart[(low <= grid) & (grid <= high)])


def test_where_the_printed_chain_settles():
    # the three laws of the page at one row, by the stationary law of a chain on a grid
    theta = np.linspace(-4, 5, 181)
    printed = -((1 - theta) ** 2) / 2 - theta**2 / 2 - theta**2 / 2
    ratio = printed - printed[:, None]
    law = exact.stationary(exact.transition(exact.walk(181), exact.metropolis_acceptance(ratio, 0 * ratio)))
    mean = law @ theta
    assert [mean, law @ (theta - mean) ** 2] == pytest.approx(chains.counted_once_more(1, 1), rel=1e-6)


def test_what_the_answers_on_private_chains_say_besides_is_true():
    # the clipped ratios of one row do not add up around a triangle, and the others do
    assert [chains.around(clip) for clip in (2, 9)] == [-1, 0]
    assert [chains.clipped_sum(ratios) for ratios in chains.BEFORE_OR_AFTER] == [-1, 2]
    assert chains.penalty(1.0) == pytest.approx(math.erfc(0.5 / math.sqrt(2)))
    assert exact.invariance_error(chains.RING, chains.UNIFORM) == 0
    assert chains.half_of_squares([1] * 4) == 0
    # the logistic law's characteristic function, and the same farther out
    assert [chains.needed(C, 2 * math.pi / C) for C in (1, 0.5)] == pytest.approx([4 * math.pi**2, 8 * math.pi**2])
    # lengths of chains that the questions begin with
    assert chains.steps(0.1, 100_000, 1, 1e-6) == 56
    assert chains.steps(0.3, 6366, 3, 1e-5) == 296
    # a batch of a tenth, from the profile of the whole data
    delta = 0.1 * GaussianDP(0.5).delta(math.log1p(math.expm1(0.1) / 0.1))
    assert chains.on_a_batch()[2] == pytest.approx(delta, rel=1e-9)


def recorded(name, **place):
    """The medians of a recorded table in one of its cells."""
    found = json.loads((RESULTS / f"{name}.json").read_text("utf-8"))["tables"]
    table = found["cells" if "cells" in found else "medians"]
    rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    (row,) = [row for row in rows if place.items() <= row.items()]
    return row


def test_the_questions_on_private_chains_begin_with_recorded_numbers():
    banana = {"model": "flat banana 2d", "algorithm": "penalty", "epsilon": 1.0}
    printed = recorded("published", **banana)
    quartiles = [printed[name] for name in ("q1", "median", "q3", "acceptance")]
    assert quartiles == pytest.approx([0.278, 0.367, 0.422, 0.357], abs=5e-4)
    assert recorded("experiments_flat_banana_2d", **banana)["median"] == pytest.approx(0.451, abs=5e-4)
    circle = recorded("experiments_more", model="circle", algorithm="penalty", epsilon=1.0)
    assert circle["median"] == pytest.approx(0.657, abs=5e-4)
    assert circle["iterations"] == pytest.approx(90_000, rel=0.01)


def test_what_the_answers_of_the_last_chapter_say_besides_is_true():
    q = math.exp(-0.5)
    assert beyond.variance(0.5) == pytest.approx(2 * q / (1 - q) ** 2)
    assert math.comb(119, 19) == pytest.approx(4.91e21, rel=1e-3)
    # what the formula for far releases says is what the law has
    law = dpbi.ehd(0.8).law(FLAT, [5000, 5000])
    far = dpbi.hellinger(dpbi.posterior(FLAT, [5000, 5000]), dpbi.posterior(FLAT, law.outputs)) > 0.99
    share = float(law.probabilities[far].sum())
    assert share == pytest.approx(1 - 1 / (1 + beyond.odds_of_far(10**4)), abs=0.02)
    assert float(dpbi.ehd(0.8).rate(FLAT, [5000, 5000])) == pytest.approx(1.19, abs=5e-3)
    # three candidates, two of them alike, from the weights 1 and e^(-epsilon / 2)
    far, near = 1 + 2 * math.exp(-0.005), 2 + math.exp(-0.005)
    assert sources.leaks(dpbi.ehd(0.01), 1, [1e-12, 1e6, 1e6]) == pytest.approx(0.005 + math.log(near / far), rel=1e-3)
    # permute-and-flip with two candidates, one of which is always taken
    p = math.exp(-0.5)
    assert sources.probability(dpbi.permute_and_flip(1.0), [1, 0], 0) == pytest.approx(p / 2)
    assert sources.leaks(dpbi.permute_and_flip(1.0), 1) == pytest.approx(math.log((1 - p / 2) / (p / 2)))
    # margins of four cells and of six
    budgets = sorted(float(share) for share in beyond.margin_budgets().values())
    assert budgets == pytest.approx([0.155] * 3 + [0.178] * 3, abs=5e-4)
