r"""The source of these claims, the pages that show them, and the cases that several files share."""

import math
from typing import Any

from ...accuracy import steps_within
from ..claim import Case, grid
from ..item import Source
from ..premises import Dataset, Reals, Weights, premises
from ..quantities import distances

NOTES = Source("notes2020", "notes")

PRIVACY = "notes/privacy_of_the_mechanisms"
LAPLACE_ERROR = "notes/error_of_the_laplace_mechanism"
STEPS = "notes/errors_in_steps"
THEOREM = "notes/theorem_4_5"
CROSSOVERS = "notes/crossovers"

FLAT = (1, 1)
JEFFREYS = (0.5, 0.5)


INSIDE = premises(
    prior=Weights(), counts=Dataset(most=60), epsilon=Reals(above=0), t=Reals(high=0.999, above=0, most=1)
)
"""Two categories, any prior weights, at least one record: the probability of an error below t."""


def radius(prior: Any, counts: tuple[int, int], k: int) -> float:
    """The shortest decimal t at which exactly k steps up are nearer than t; 1 more step is not, if there is one."""
    x, n = counts[0], sum(counts)
    rows = [(x + k, n - x - k)] + ([(x + k + 1, n - x - k - 1)] if x + k < n else [])
    near, far = ([float(h) for h in distances(prior, counts, rows)] + [1.0])[:2]
    for digits in range(1, 16):
        scale = float(10**digits)
        t = round(math.floor(near * scale + 1) / scale, digits)
        if near < t < far:
            return t
    raise ValueError(f"counts must leave room for k={k} steps, got counts={counts}")


def with_steps(k: int, **values: Any) -> list[Case]:
    """Cases in which exactly k steps up are nearer than t."""
    return [{**case, "t": radius(case["prior"], case["counts"], k)} for case in grid(**values)]


def away_from_the_ends(prior: Any, counts: Any, t: Any, **_: Any) -> bool:
    """As many steps down as up are inside t, and neither end is reached."""
    down, up = steps_within(prior, counts, t)
    return down == up and up < int(min(counts))


def no_farther_down(prior: Any, counts: Any, t: Any, **_: Any) -> bool:
    """At most as many steps down as up are inside t."""
    down, up = steps_within(prior, counts, t)
    return down <= up


def as_far_down_as_up(prior: Any, counts: Any, t: Any, **_: Any) -> bool:
    """As many steps down as up are inside t."""
    down, up = steps_within(prior, counts, t)
    return down == up


ERRORS = (
    with_steps(0, prior=[FLAT], counts=[(2, 1), (3, 5), (4, 4), (10, 10), (20, 20)], epsilon=[0.1, 0.8, 2.0])
    + with_steps(1, prior=[FLAT], counts=[(1, 2), (4, 4), (10, 10), (3, 17)], epsilon=[0.1, 0.8, 2.0])
    + with_steps(5, prior=[FLAT, JEFFREYS], counts=[(10, 10), (30, 30)], epsilon=[0.1, 0.8])
    + grid(prior=[FLAT], counts=[(1, 2), (2, 1)], epsilon=[0.1, 0.8], t=[0.35])  # one step on one side only
)
