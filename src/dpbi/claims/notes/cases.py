"""The cases that statements of the notes share, and the number of steps that are nearer than t in them."""

import math

from ...accuracy import closer_than, steps_within
from ...arithmetic import approximate, largest, less, number
from ...model import neighbours, reciprocal_slope
from ..quantities import distances

FLAT = (1, 1)
SECTION_4 = (
    "there are two categories, and two records or more",
    lambda prior, counts: len(prior) == 2 and sum(counts) >= 2,
)
"""What Section 4 supposes: its posteriors are Beta distributions, and its n is at least 2."""
INSIDE_T = (
    "there are two categories, two records or more, and $t > 0$",
    lambda prior, counts, t: SECTION_4[1](prior, counts) and t > 0,
)
"""The same of a statement on H < t, which nothing meets at t = 0."""


def radius(prior, counts: tuple[int, int], k: int) -> float:
    """The shortest decimal t such that k steps up lead nearer than t, and k + 1 steps, where there is room, do not."""
    x, n = counts[0], sum(counts)
    rows = [(x + k, n - x - k)] + ([(x + k + 1, n - x - k - 1)] if x + k < n else [])
    near, far = ([float(h) for h in distances(prior, counts, rows)] + [1.0])[:2]
    for digits in range(1, 16):
        scale = float(10**digits)
        t = round(math.floor(near * scale + 1) / scale, digits)
        if near < t < far:
            return t
    raise ValueError(f"counts must leave room for k={k} steps, got counts={counts}")


def within_sensitivity(mechanism, prior, counts):
    r"""\(\Pr[H \le LS(x)]\): of the events to be no farther than one neighbour, that of the farthest is the largest.

    Over balls this needs no choice of the farthest neighbour, which doubles may miss where two are nearly as far.
    """
    return largest([closer_than(mechanism, prior, counts, x, ties=True) for x in neighbours(counts)])


def away_from_the_ends(prior, counts, t) -> bool:
    """As many steps down as up are inside t, and neither end is reached."""
    down, up = steps_within(prior, counts, t)
    return down == up and up < int(min(counts))


def whole_steps(bound) -> int:
    """Floor of a number that is not whole; undecided where its ball contains a whole number."""
    nearest: int = round(approximate(bound))
    return nearest - 1 if less(bound, number(nearest)) else nearest


def largest_per_step(flat: bool):
    r"""Largest distance per step over the local sensitivity: 1.1183 for the flat prior, \((1 + \gamma_0)/2\) for all."""
    return number("1.1183") if flat else (1 + reciprocal_slope()) / 2
