"""The exercises at the end of the pages: every number of an answer is computed, by the library or in closed form."""

import json
import math
import re
from pathlib import Path

import pytest

import dpbi
from dpbi.accuracy import steps_within
from path_numbers import coverage, most, short

ROOT = Path(__file__).parents[1]
NOTEBOOKS = ROOT / "notebooks"
FLAT = [1, 1]
PRINTED = dpbi.PRINTED_GLOBAL_SENSITIVITY


def leaks(mechanism, n, prior=FLAT):
    return float(dpbi.audit(mechanism, prior, n).epsilon)


def probability(mechanism, counts, first):
    law = mechanism.law(FLAT, counts)
    return float(law.probabilities[law.outputs[:, 0] == first].sum())


def local(x, y):
    return float(dpbi.local_sensitivity(FLAT, [x, y]))


def smoothness(epsilon, delta, n):
    """The gamma of the definition, from its closed form."""
    return math.log(1 - epsilon / (2 * math.log(delta / (2 * (n + 1)))))


def first_size(epsilon, k=2):
    """The size of the first corollary, from its closed form."""
    return (2 * k + 1) * math.exp(epsilon) / (1 - math.exp(-k * epsilon))


def ahead(n, t=1e-9):
    """Whether LSHist is exact more often than EHD at every dataset of n records with both categories."""
    noise, chosen = dpbi.lshist(1.0), dpbi.ehd(1.0, sensitivity=PRINTED)
    inside = [[1 - dpbi.error_tail(each, FLAT, [x, n - x], t) for each in (noise, chosen)] for x in range(1, n)]
    return all(one > other for one, other in inside)


def first_ahead():
    """From which n on the corrected bounds put LSHist ahead of EHD, no step being inside."""
    p = (1 - math.exp(-1)) / 2
    n = math.ceil(1 + math.exp(1 / (2 * PRINTED)) * (1 - p) / p - 1)
    assert all(ahead(size) for size in range(n, n + 6))
    return n


def one_step_over_none(factor):
    """Table 1, one step against none: weights e^(-0.8 H / LS), or half of that exponent."""
    law = dpbi.ehdl(1.6 / factor)  # which divides by 2 LS
    return (probability(law, [4, 4], 3) + probability(law, [4, 4], 5)) / probability(law, [4, 4], 4)


def budget(make, n):
    """The internal budget at which a mechanism leaks 0.8."""
    low, high = 0.1, 4.0
    while high - low > 1e-6:
        middle = (low + high) / 2
        low, high = (middle, high) if leaks(make(middle), n) < 0.8 else (low, middle)
    return low


def constant(share):
    """The Lipschitz constant of a Bernoulli parameter."""
    return abs(math.log(share / (1 - share)))


def kept(step, bound):
    """The share of a grid that has at most this constant."""
    grid = [k * step for k in range(1, round(1 / step))]
    return sum(constant(share) <= bound for share in grid) / len(grid)


def posterior_loss(grid):
    """What a draw leaks with one record and equal prior weights, by brute force."""
    one, zero = sum(grid), sum(1 - share for share in grid)
    return max(abs(math.log((share / one) / ((1 - share) / zero))) for share in grid)


def distinguished(draws, delta=0.01):
    """The simpler corrected bound, at the Lipschitz constant 1."""
    return 2 * math.sqrt(math.log(1 / (4 * delta * (1 - delta))) / draws)


def draws_for(distance):
    return next(draws for draws in range(1, 1000) if distinguished(draws) <= distance * (1 + 1e-12))


def coin(epsilon):
    """How far floored Laplace noise is off, over how far geometric noise is, summed."""
    q, far = math.exp(-epsilon), range(200)
    geometric = sum(2 * j * q**j * (1 - q) / (1 + q) for j in far)
    floored = sum((j + (j + 1)) * q**j * (1 - q) / 2 for j in far)
    return floored / geometric


def aware(n):
    mechanism = dpbi.geometric(0.5)
    intervals = dpbi.inference.aware_intervals(mechanism, FLAT, n, 0.95)
    return dpbi.inference.coverage(mechanism, FLAT, n, intervals)


GAMMA = (math.exp(-1) + math.exp(-2)) / 2
SMOOTH = smoothness(0.8, 1e-8, 20)
ANSWERS = {
    "foundations/first_release": [
        lambda: [1.6, math.exp(1.6), 100 * most(1.6)],
        lambda: [dpbi.mean_error(dpbi.lshist(0.8), FLAT, x) for x in ([14, 6], [140, 60])],
    ],
    "foundations/sensitivity": [lambda: [local(1, 0)], lambda: [local(40, 40)]],
    "foundations/promise_and_audit": [lambda: [leaks(dpbi.ehd(0.8), 1)], lambda: [budget(dpbi.ehd, 20)]],
    "notes/privacy_of_the_mechanisms": [
        lambda: [0.8 / leaks(dpbi.lsdim(1), 20), 0.8 / leaks(dpbi.lszhang(1), 20)],
        lambda: [leaks(dpbi.ehd(0.8, sensitivity=PRINTED), 1, [1e-9, 1e-9]) / 0.8],
    ],
    "notes/error_of_the_laplace_mechanism": [
        lambda: [math.ceil(math.log(20)), 1.1183 * math.ceil(math.log(20))],
        lambda: [probability(dpbi.lshist(1), [0, 40], 0), probability(dpbi.lshist(1), [40, 0], 40)],
    ],
    "notes/errors_in_steps": [
        lambda: [math.log(10) / 0.8, 2, 3, math.log(10) / 2],
        lambda: [GAMMA, -math.log(GAMMA)],
    ],
    "notes/crossovers": [
        lambda: [math.log(3) / 2, first_size(math.log(3) / 2)],
        lambda: [probability(dpbi.lshist(1), [20, 20], 20), first_ahead()],
    ],
    "hellinger/smoothed_mechanism": [
        lambda: [leaks(dpbi.smoothed_hellinger(0.8, 1e-8, divisor), 1) for divisor in (2, 1)],
        lambda: [SMOOTH, math.ceil(math.log(2) / SMOOTH)],
    ],
    "hellinger/concrete_epsilon": [
        lambda: [budget(lambda inner: dpbi.smoothed_hellinger(inner, 5e-4, 2), 1)],
        lambda: [100 * most(0.8), 100 * most(leaks(dpbi.smoothed_hellinger(0.8, 5e-4, 2), 180))],
    ],
    "hellinger/figures": [
        lambda: [0.4],
        lambda: [dpbi.mean_error(dpbi.geometric(0.8), FLAT, [8000, 72000])],
    ],
    "hellinger/tables": [lambda: [one_step_over_none(1)], lambda: [one_step_over_none(2)]],
    "posterior_sampling/assumptions": [
        lambda: [constant(0.95), math.log(20)],
        lambda: [constant(0.6), constant(0.8), kept(0.2, 1)],
    ],
    "posterior_sampling/privacy_of_the_posterior": [
        lambda: [constant(0.8), 2 * constant(0.8)],
        lambda: [posterior_loss([0.2, 0.4, 0.6, 0.8])],
    ],
    "posterior_sampling/random_privacy": [
        lambda: [1 / (1 + math.e), math.e / (1 + math.e), 0.3, 0.7, 9, 19, kept(0.05, 1)],
        lambda: [2, 1, 4, 2],
    ],
    "posterior_sampling/what_samples_reveal": [
        lambda: [distinguished(100)],
        lambda: [draws_for(distinguished(100) / 2)],
    ],
    "private_mcmc/three_currencies": [
        lambda: [0.35 + 2 * math.sqrt(0.35 * math.log(1e6))],
        lambda: [0.3 * math.tanh(0.15), 0.35 // (0.3 * math.tanh(0.15))],
    ],
    "private_mcmc/gaussian_mechanism": [lambda: [1033 / (2 * 22**2)], lambda: [math.sqrt(100 / (2 * 0.5))]],
    "beyond/how_far_from_the_best": [lambda: [coin(0.8), coin(3.2)], lambda: [math.log(3)]],
    "beyond/honest_intervals": [
        lambda: [100 * coverage(0.5, n) for n in (10, 40)],
        lambda: [100 * aware(n) for n in (10, 40)],
    ],
}
"""By page and exercise, the numbers of its answer; theorem_4_5 has a test of its own, in test_prose."""

EVERYWHERE = ("foundations", "notes", "hellinger")
"""Chapters of which every page ends with exercises."""


def section(path):
    """The exercises of a page, if it has any."""
    cells = json.loads(path.read_text("utf-8"))["cells"]
    text = "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    return text.partition("## Exercises\n")[2]


def numbered(text):
    return re.findall(r"^\d\. (.+)$", text, re.MULTILINE)


WITH = {path.relative_to(NOTEBOOKS).with_suffix("").as_posix() for path in NOTEBOOKS.glob("*/*.ipynb") if section(path)}


def test_every_page_of_three_chapters_has_exercises_and_no_answer_is_left_unchecked():
    pages = {f"{folder}/{path.stem}" for folder in EVERYWHERE for path in (NOTEBOOKS / folder).glob("*.ipynb")}
    assert pages - WITH == set()
    assert WITH - ANSWERS.keys() == {"notes/theorem_4_5"}


@pytest.mark.parametrize("page", ANSWERS)
def test_the_answers_are_computed(page):
    questions, answers = section(NOTEBOOKS / f"{page}.ipynb").split("```{dropdown} Answers\n")
    answers = numbered(answers.partition("```")[0])
    assert len(numbered(questions)) == len(answers) == len(ANSWERS[page])
    for said, compute in zip(answers, ANSWERS[page], strict=True):
        words = re.sub(r"\$[^$]*\$", "", said)  # formulas explain, sentences answer
        for value in compute():
            assert re.search(rf"(?<![\d.]){re.escape(short(value))}(?!\d|\.\d)", words), (short(value), said)


def test_what_the_answers_say_besides_is_true():
    # the noise of the paper is LSHist's at half the budget, count for count
    half, whole = dpbi.lshist(0.4), dpbi.laplace_in_order(0.8)
    assert all(probability(half, [3, 17], r) == pytest.approx(probability(whole, [3, 17], r)) for r in range(21))
    # the printed constants of the pages that the answers begin with
    assert dpbi.mean_error(dpbi.geometric(0.8), FLAT, [2000, 18000]) == pytest.approx(0.00938, rel=1e-3)
    assert local(10, 10) == pytest.approx(0.154, rel=5e-3)
    assert leaks(dpbi.ehd(0.8), 20) == pytest.approx(0.479, rel=1e-3)
    # the first corollary's size is smallest where the answer says
    least = first_size(math.log(3) / 2)
    assert all(first_size(math.log(3) / 2 + step) > least for step in (-0.05, -0.01, 0.01, 0.05))
    # within the error of the first exercise on Laplace noise, at every dataset of 40 records
    ratios = [dpbi.error_quantile(dpbi.lshist(1), FLAT, [x, 40 - x], 0.05) / local(x, 40 - x) for x in range(41)]
    assert 3 < max(ratios) <= 3.3549
    # no step is inside a distance that is smaller than all
    assert tuple(steps_within(FLAT, (20, 20), 1e-9)) == (0, 0)
