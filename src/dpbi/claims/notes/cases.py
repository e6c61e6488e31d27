"""Premises and bounds that several statements of the notes share, and functions that relate steps to errors."""

import math

from ...accuracy import closer_than, steps_within
from ...arithmetic import approximate, largest, less, number
from ...model import neighbours, reciprocal_slope
from ..quantities import distances

FLAT = (1, 1)
SECTION_4 = (
    "there are two categories and at least two records",
    lambda prior, counts: len(prior) == 2 and sum(counts) >= 2,
)
"""The assumptions of Section 4: its posteriors are Beta distributions, and its n is at least 2."""
INSIDE_T = (
    "there are two categories, at least two records, and $t > 0$",
    lambda prior, counts, t: SECTION_4[1](prior, counts) and t > 0,
)
"""The assumptions of Section 4 for statements about the event H < t, which is empty at t = 0."""


def radius(prior, counts: tuple[int, int], k: int) -> float:
    """The shortest decimal t such that moving k steps up gives an error below t, but moving k + 1 steps up does not.

    If k + 1 steps up would leave 0..n, then t only has to exceed the error after k steps up.
    """
    x, n = counts[0], sum(counts)
    rows = [(x + k, n - x - k)] + ([(x + k + 1, n - x - k - 1)] if x + k < n else [])
    near, far = ([float(h) for h in distances(prior, counts, rows)] + [1.0])[:2]
    # round up the distance of k steps, with as few decimals as keep the result below the distance of k + 1 steps
    for digits in range(1, 16):
        t = math.floor(near * 10.0**digits + 1) / 10.0**digits
        if near < t < far:
            return t
    raise ValueError(f"counts must leave room for k={k} steps, got counts={counts}")


def within_sensitivity(mechanism, prior, counts):
    r"""Probability \(\Pr[H \le LS(x)]\) of an error of at most the local sensitivity.

    For each neighbour of x, the function computes the probability of an error that is at most the distance to this
    neighbour. The result is the largest of these probabilities, because LS(x) is the distance to the farthest
    neighbour. The function does not determine which neighbour is farthest: if two distances nearly agree, rounding
    errors could decide this.
    """
    return largest([closer_than(mechanism, prior, counts, x, ties=True) for x in neighbours(counts)])


def away_from_the_ends(prior, counts, t) -> bool:
    """Whether equally many steps down and up keep the error below t, and none of these steps reaches 0 or n."""
    down, up = steps_within(prior, counts, t)
    return down == up and up < int(min(counts))


def steps_down(relation):
    """A predicate: whether the numbers of steps down and up that keep the error below t stand in a relation."""
    return lambda prior, counts, t: relation(*steps_within(prior, counts, t))


def whole_steps(bound) -> int:
    """Floor of a number that is not an integer. In ball arithmetic, the floor is undecided if the ball contains an
    integer."""
    nearest: int = round(approximate(bound))
    # the nearest integer is either the floor or one more
    return nearest - 1 if less(bound, number(nearest)) else nearest


def largest_per_step(flat: bool):
    r"""Upper bound on the ratio of the distance per step to the local sensitivity.

    The bound 1.1183 holds for the flat prior, and the bound \((1 + \gamma_0)/2 = 1.4824\) holds for every prior
    (``notes/4.3-order``).
    """
    return number("1.1183") if flat else (1 + reciprocal_slope()) / 2
