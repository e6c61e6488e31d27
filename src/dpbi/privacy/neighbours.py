r"""The laws of all pairs of neighbouring datasets, some pairs at a time.

Where a table of all laws is short, or nothing more is known of a mechanism, it is cut into blocks. The datasets of two
categories stand in a line, so that an exponential mechanism needs the laws of a few datasets at a time only. There most
outputs are so far away that \(H = 1\) in doubles: with \(\psi'(m) \ge 1/m\) a move of d records has

\[ D(x, r) \ge \frac{d^2}{8} \Bigl(\frac{1}{m_1} + \frac{1}{m_2}\Bigr) , \]

m being the parameters halfway. All outputs with \(H = 1\) have one loss, and are told as one.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from .. import arithmetic
from ..arithmetic import log_sum_exp
from ..checks import Floats, Integers, Numbers
from ..mechanisms import Mechanism, all_laws
from ..mechanisms.description import KnownRates
from ..model.datasets import LARGEST_ENUMERATION, TooLong, moves
from ..model.distances import distance, gamma_gap

CHUNK = 4_000_000
"""Pairs of neighbours are compared in blocks of about this many numbers."""

SHORT_LINE = 1000
"""Up to this many records of two categories the table of all laws is made, for all mechanisms in the same way."""

LONGEST_LINE = 20_000
"""The most records of two categories whose datasets are looked at one by one: some ten seconds."""

ROWS = 64
"""Datasets of a line that are looked at together: few, so that they share most of the outputs nearby."""

FAR = 38.0
r"""From here on \(H = \sqrt{1 - e^{-D}}\) is 1 in doubles."""


class Pairs(NamedTuple):
    """Pairs of neighbours, and their laws on one list of outputs: a row each."""

    counts: Integers
    neighbour: Integers
    outputs: Integers
    log_p: Numbers
    log_q: Numbers


def pairs_of_neighbours(mechanism: Mechanism, prior: Numbers, n: int) -> Iterator[Pairs]:
    """All ordered pairs of neighbours, in the order of ``moves`` or of the line."""
    rates, k = mechanism.rates, len(prior)
    if arithmetic.in_doubles() and rates is not None and k == 2 and n > SHORT_LINE:
        if n > LONGEST_LINE:
            raise TooLong(
                f"n must be at most {LONGEST_LINE:,} for all neighbours of two categories, got n={n}: "
                "loss_on_grid gives a loss that some of them have, and mechanism.guarantee one that none exceeds"
            )
        return _on_a_line(rates, prior, n)
    try:
        vectors, law = all_laws(mechanism, prior, n)
    except TooLong:
        raise TooLong(
            f"n must be small enough for a table of all laws (at most {LARGEST_ENUMERATION:,} numbers), got n={n} with "
            f"k={k}: loss_between compares two datasets, and mechanism.guarantee bounds the loss of all"
        ) from None
    block, log_p = max(1, CHUNK // len(law.outputs)), law.log_probabilities
    return (
        Pairs(vectors[here], vectors[there], law.outputs, log_p[here], log_p[there])
        for start, end in moves(n, k)
        for first in range(0, len(start), block)
        for here, there in [(start[first : first + block], end[first : first + block])]
    )


def _on_a_line(rates: KnownRates, prior: Floats, n: int) -> Iterator[Pairs]:
    first, second = prior.tolist()
    every = np.arange(n + 1)

    def near(x: int) -> Integers:
        """The outputs that may be nearer to a dataset than FAR."""
        m = first + (x + every) / 2
        rest = second + (n - (x + every) / 2)
        return np.flatnonzero((every - x) ** 2 / 8 * (1 / m + 1 / rest) < FAR)

    for start in range(0, n, ROWS):
        p = np.arange(start, min(start + ROWS, n) + 1)
        r = np.arange(near(p[0])[0], near(p[-1])[-1] + 1)
        d = r - p[:, None]
        x, y = first + p[:, None], second + (n - p[:, None])
        rate = rates.at(prior, np.stack([p, n - p], axis=-1))[:, None]
        log_p = -rate * distance(gamma_gap(x, x + d, d / 2) + gamma_gap(y, y - d, -d / 2))
        if len(r) <= n:
            log_p = np.concatenate([log_p, math.log(n + 1 - len(r)) - rate], axis=1)
            r = np.append(r, 0 if r[0] > 0 else n)
        log_p -= log_sum_exp(log_p, axis=-1, keepdims=True)
        counts, outputs = (np.stack([some, n - some], axis=-1) for some in (p, r))
        yield Pairs(counts[1:], counts[:-1], outputs, log_p[1:], log_p[:-1])
        yield Pairs(counts[:-1], counts[1:], outputs, log_p[:-1], log_p[1:])
