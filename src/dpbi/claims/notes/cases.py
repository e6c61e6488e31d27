"""The cases that statements of the notes share, and how far t reaches in them."""

import math
from typing import Any

from ...accuracy import steps_within
from ...arithmetic import approximate, less, number
from ...model import reciprocal_slope
from ..quantities import distances
from ..statements import Case, grid

FLAT = (1, 1)
JEFFREYS = (0.5, 0.5)


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


def away_from_the_ends(prior: Any, counts: Any, t: Any) -> bool:
    """As many steps down as up are inside t, and neither end is reached."""
    down, up = steps_within(prior, counts, t)
    return down == up and up < int(min(counts))


def no_farther_down(prior: Any, counts: Any, t: Any) -> bool:
    """At most as many steps down as up are inside t."""
    down, up = steps_within(prior, counts, t)
    return down <= up


def as_far_down_as_up(prior: Any, counts: Any, t: Any) -> bool:
    """As many steps down as up are inside t."""
    down, up = steps_within(prior, counts, t)
    return down == up


def whole_steps(bound: Any) -> int:
    """The largest whole number up to a number that is none itself; balls have to tell on which side it lies."""
    nearest: int = round(approximate(bound))
    return nearest - 1 if less(bound, number(nearest)) else nearest


def largest_per_step(flat: bool) -> Any:
    r"""How many local sensitivities a step goes at most: 1.1183 at the flat prior, \((1 + \gamma_0)/2\) at every prior."""
    return number("1.1183") if flat else (1 + reciprocal_slope()) / 2
