"""What the answers of the last chapter state."""

import json
import math

import numpy as np

import dpbi
from answers_sources import FLAT, leaks, probability
from dpbi.publish import schema
from exercise_numbers import NOTEBOOKS
from path_numbers import coverage

SURVEY = {
    "vote": {"categories": ["Clinton", "Dole"]},
    "party": {"cuts": [2.5, 3.5]},
    "age": {"cuts": [50]},
    "education": {"cuts": [3.5]},
}
"""The columns of the released table."""


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


def variance(epsilon):
    """Of two-sided geometric noise, summed."""
    q = math.exp(-epsilon)
    return sum(2 * j**2 * q**j for j in range(2000)) * (1 - q) / (1 + q)


def longer(epsilon, sampling):
    """How many times as long an interval is if the variances of noise and sampling add."""
    return math.sqrt(1 + variance(epsilon) / sampling)


def exactly_longer(epsilon, n):
    """The same by the two posteriors, at balanced counts."""
    middle = [n // 2, n - n // 2]
    given, without = dpbi.given_noise(FLAT, n, middle, epsilon)[0], dpbi.plug_in(FLAT, middle)[0]
    return float(np.diff(given.interval(0.95))[0] / np.diff(without.interval(0.95))[0])


def enough(times, most=100):
    """The first size from which on intervals are at most 1.1 times as long, of those from 10 up, each tried."""
    return 1 + max((n for n in range(10, most) if times(n) > 1.1), default=9)


def odds_of_far(n):
    """By the formula for two equal shares: e^-lambda for each of n candidates against those near."""
    rate = float(dpbi.ehd(0.8).rate(FLAT, [n // 2, n // 2]))
    return n * math.exp(-rate) / (2 * math.sqrt(2 * n) / rate)


def margin_budgets(epsilon="1"):
    """The budget of each pair of columns of the released table."""
    asked = schema({"epsilon": epsilon, "margins": [2], "columns": SURVEY})
    return {tuple(question.columns): question.price.epsilon for question in asked.questions}


def republicans():
    """In how many of 200 releases at epsilon 1, by the page, the interval that forgets the noise has the answer."""
    cells = json.loads((NOTEBOOKS / "beyond/released_table.ipynb").read_text("utf-8"))["cells"]
    (shown,) = [cell["outputs"][0]["data"]["text/plain"] for cell in cells if cell["id"] == "covered-table"]
    return next(int(line.split()[-2]) for line in shown if line.startswith("Dole, of Republicans"))


def beyond_half(candidates, near=10, rate=1):
    """By the bounds on the normaliser, what may be lost beyond half of the budget."""
    return math.log(1 + near * (math.exp(rate) - 1) / candidates)


def by_rho(uses, epsilon=0.3, delta=1e-6):
    rho = uses * dpbi.BoundedRange(epsilon).zcdp().rho
    return rho + 2 * math.sqrt(rho * math.log(1 / delta))


def fewest_uses():
    return next(uses for uses in range(1, 100) if by_rho(uses) < 0.3 * uses)


ANSWERS = {
    "beyond/how_far_from_the_best": [lambda: [coin(0.8), coin(3.2)], lambda: [math.log(3)]],
    "beyond/how_fast": [
        lambda: [math.comb(10_003, 3) / 1e9, 8 * math.comb(10_003, 3) / 1e12],
        lambda: [1 - 0.95**14, 0.05 / 14],
    ],
    "beyond/any_size": [
        lambda: [math.comb(119, 19) / 1e9 / (365.25 * 24 * 3600)],
        lambda: [odds_of_far(10**4), odds_of_far(10**6)],
    ],
    "beyond/what_leaks": [
        lambda: [leaks(dpbi.ehd(0.01), 1, [1e-12, 1e6, 1e6]) / 0.01],
        lambda: [beyond_half(100), beyond_half(1000)],
    ],
    "beyond/honest_intervals": [
        lambda: [100 * coverage(0.5, n) for n in (10, 40)],
        lambda: [100 * aware(n) for n in (10, 40)],
    ],
    "beyond/what_many_uses_cost": [
        lambda: [fewest_uses(), by_rho(fewest_uses()), 0.3 * fewest_uses()],
        lambda: [
            probability(dpbi.ehd(1.0), [1, 0], 0),
            probability(dpbi.permute_and_flip(1.0), [1, 0], 0),
            leaks(dpbi.ehd(1.0), 1),
            leaks(dpbi.permute_and_flip(1.0), 1),
        ],
    ],
    "beyond/real_data": [
        lambda: [math.sqrt(variance(0.5)), math.sqrt(45 * 24 / 69), longer(0.5, 45 * 24 / 69)],
        lambda: [math.exp(0.5), 5 * 0.5, math.exp(5 * 0.5)],
    ],
    "beyond/released_table": [
        lambda: [float(sum(margin_budgets().values())), float(1 / margin_budgets()["vote", "age"])],
        lambda: [190, math.sqrt(190 * 0.05), republicans(), (190 - republicans()) / math.sqrt(190 * 0.05)],
    ],
    "beyond/which_mechanism": [
        lambda: [
            variance(1),
            enough(lambda n: longer(1, n / 4)),
            enough(lambda n: exactly_longer(1.0, n)),
        ],
        lambda: [variance(0.5), longer(0.5, 60 / 4), longer(1, 60 / 4)],
    ],
}
"""By page and exercise, the numbers of its answer."""
