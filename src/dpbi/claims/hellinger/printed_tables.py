r"""Tables 1 and 2 of the Hellinger paper under one setting after another, compared with the printed digits.

A table has a column of distances, one for an exponential mechanism and one for Laplace noise. The paper defines each
mechanism in more than one way: with the local or the smooth sensitivity, with or without the factor 2, with noise
rounded down or towards zero, kept within the records or not. Only the digits tell which was used.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np

from ...accuracy.errors import SAME, error_law
from ...mechanisms import Mechanism, ehdl, laplace_in_order, smoothed_hellinger
from .quantities import distance, noise_mass, probability_of, towards_zero


def as_printed(text: str):
    """A table by column and row, of lines as they are printed: the names of the columns first, then the rows."""
    head, *lines = (line.split() for line in text.strip().splitlines())
    return {name: {key: cells[i] for key, *cells in lines} for i, name in enumerate(head)}


TABLE_1 = {
    column: {int(steps): digits for steps, digits in rows.items()}
    for column, rows in as_printed("""
          distance        exponential      laplace
    4     0.83737258593   0.0431193490585  0.066561234758
    3     0.662174391701  0.0785621424847  0.0992976939175
    2     0.457635865026  0.158265808563   0.148134752205
    1     0.233629480709  0.340809715054   0.220991081918
    0     0.0             0.37924298484    0.329679953964
    """).items()
}
"""Table 1 as printed: column, steps from the correct answer, digits."""

TABLE_2 = as_printed("""
          distance        exponential        laplace
  corner  0.999999984481  0.000149705644585  3.05988187701e-09
  2       0.187421762881  0.0548161224677    0.0285774941516
  1       0.110122822057  0.192227323562     0.170131188571
  0       0.0             0.0713016293602    0.108688872046
""")
"""Table 2 as printed: column, row, digits."""

Counts = tuple[int, ...]
Rows = Mapping[str, Counts]


class Agreement(NamedTuple):
    """How many of the digits that are printed a number has, the last of them rounded."""

    digits: int
    printed: int

    def __str__(self) -> str:
        return f"{self.digits} of {self.printed}"


def agreement(value: float, printed: str) -> Agreement:
    """The leading digits that a number shares with a printed one.

    >>> str(agreement(0.379242984839962, "0.37924298484")), str(agreement(0.3791, "0.37924298484"))
    ('11 of 11', '3 of 11')
    """
    decimal = Decimal(printed)
    digits = len(decimal.as_tuple().digits)
    for agreeing in range(digits, 0, -1):
        unit = Decimal(1).scaleb(decimal.adjusted() - agreeing + 1)
        if abs(Decimal(value) - decimal) <= unit / 2:
            return Agreement(agreeing, digits)
    return Agreement(0, digits)


def rows_of_two(half: int) -> Rows:
    """The outputs that stand for 0, 1, 2, ... steps from balanced data of two categories."""
    return {str(steps): (half + steps, half - steps) for steps in range(half + 1)}


def rows_of_table_2(each: int, k: int) -> Rows:
    """The outputs that stand for the rows of Table 2 in balanced data: k = 3 as computed, k = 2 as captioned."""
    if k == 2:
        return {"0": (each, each), "1": (each + 1, each - 1), "2": (each + 2, each - 2), "corner": (2 * each, 0)}
    return {
        "0": (each,) * 3,
        "1": (each + 1, each - 1, each),
        "2": (each + 2, each - 1, each - 1),
        "corner": (3 * each, 0, 0),
    }


def distances(prior: Sequence[float], counts: Counts, rows: Rows) -> dict[str, float]:
    """The Hellinger distance of each row."""
    return {row: float(distance(prior, counts, output)) for row, output in rows.items()}


def exponential_columns(epsilon: float, delta: float) -> dict[str, Mechanism]:
    r"""The weights \(e^{-\varepsilon \mathcal H / (c S)}\) that the paper writes: two scales, two divisors."""
    return {
        "LS": ehdl(2 * epsilon),
        "2 LS": ehdl(epsilon),
        "S": smoothed_hellinger(epsilon, delta, 1),
        "2 S, as defined": smoothed_hellinger(epsilon, delta, 2),
    }


def probabilities(mechanism: Mechanism, prior: Sequence[float], counts: Counts, rows: Rows) -> dict[str, float]:
    """The probability of all outputs at the distance of each row."""
    law = error_law(mechanism, prior, counts)
    return {
        row: float(law.probabilities[np.abs(law.distances - distance) <= 10 * SAME * max(distance, SAME)].sum())
        for row, distance in distances(prior, counts, rows).items()
    }


def laplace_columns(epsilon: float, counts: Counts, rows: Rows) -> dict[str, dict[str, float]]:
    """Noise of scale 2/epsilon on all counts but the last, in the three ways that the paper describes.

    Unbounded noise may leave the lattice: a row then has the probability of its moves alone, and the column does not
    add up to one. Rows are balanced data and exchanging categories leaves their distance as it is.
    """
    mechanism, prior = laplace_in_order(epsilon), (1.0,) * len(counts)
    ways: dict[str, Callable[[Counts], Any]] = {
        "towards zero": lambda output: unbounded(lambda move: towards_zero(epsilon, move), counts, output),
        "rounded down": lambda output: unbounded(lambda move: noise_mass(epsilon, move), counts, output),
        "rounded down, kept in 0..n": lambda output: sum(
            probability_of(mechanism, prior, counts, tie) for tie in sorted(set(permutations(output)))
        ),
    }
    return {way: {row: float(found(output)) for row, output in rows.items()} for way, found in ways.items()}


def unbounded(noise, counts: Counts, output: Counts):
    """Probability that noise on all counts but the last gives an output, or one with its categories permuted.

    Noisy counts are not clipped, and the last count does not enter.
    """
    ties = sorted(set(permutations(output)))
    return sum(math.prod(noise(to - count) for to, count in zip(tie[:-1], counts[:-1], strict=True)) for tie in ties)


def largest_difference(values: Mapping[str, float], printed: Mapping[str, str]) -> float:
    """The largest relative difference over the rows that both have; a printed zero is compared absolutely."""
    common = [row for row in printed if row in values]
    return max(abs(values[row] - float(printed[row])) / (abs(float(printed[row])) or 1.0) for row in common)
