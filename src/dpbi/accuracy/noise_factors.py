r"""Noise on the counts as a product: what each count may become, how likely, and what its move adds to the exponent.

* Noise on all counts but the last: each factor is the law of one count, kept within 0..n. The last count loses what the
  others gain; where it is used up, the released total exceeds n, and
  \(D = \sum_i D_i - D(|a|, |a| + \text{excess})\) depends on the total of the moves besides.
* Noise on the lattice: all counts have a factor, and the total is zero. A vector with a count below 0 is replaced by
  the nearest legal one, which is no product: the probability of that is part of what is lost (``lattice_sums`` has it).

Totals are taken around a ring. Lost is also what lies beyond the windows of the moves, and the totals that the ring
confuses.

Where the total exceeds n by e, the last count \(x_k\) is used up, and the exponents of the totals nearly cancel. Of all
categories but the last taken as one, what is left is \(D(|a| - a_k, x_k + e) + D(a_k, -x_k) - D(|a|, e)\), which is no
more than the exponent. As \(-\partial_a D(a, e) = \int_0^e \frac12 \min(s, e - s)\, |\psi''(a + s)|\, ds \ge
\frac{e^2}{8 (a + e)^2}\), it is at least \(D(a_k, -x_k) + \frac{a_k}{8 (|a| + 1)^2}\).
"""

import math
from collections.abc import Iterable
from typing import NamedTuple, TypeVar

import numpy as np
from scipy.fft import next_fast_len

from ..arithmetic import exp
from ..checks import Floats, Integers
from ..mechanisms.line import NoiseOnCounts
from ..mechanisms.noise import clamped
from ..model.distances import gamma_gap, moved_gap
from .spectrum import Complexes

LONGEST_RING = 1 << 21
"""The longest ring of totals."""

LEAST_SURE = 1e-3
"""Quotients by smaller frequencies are not taken."""

NEXT_TO_NOTHING = 1e-30
"""Of smaller products the difference is taken as it is."""

TOGETHER = 1 << 13
"""So many numbers at once stay in the processor's cache."""

FARTHEST = 1 << 53
"""Farther moves are not whole numbers in doubles."""

LARGEST_TABLE = 10_000_000
"""Up to so many moves of all kinds of counts: with their masses, exponents and factors about half a gigabyte."""


Numbers = TypeVar("Numbers", Complexes, Floats)


class NoiseFactors(NamedTuple):
    """The moves of each kind of count, and those of their total."""

    moves: Integers  # (K, L)
    masses: Floats  # (K, L), zero where there is no move
    exponents: Floats  # (K, L)
    multiplicity: Integers  # (K,) how many counts are of this kind
    totals: Integers  # (N,) around the ring, from 0 up and then from below
    rest: Floats  # (N,) what a total adds to the exponent, infinite where there is none
    subtracted: Floats  # (N,) what of that is subtracted, as the release has more than n records
    excess: "np.ndarray[tuple[int], np.dtype[np.bool_]]"  # (N,) at which totals the release has more than n records
    lost: float  # the probability of all that is left out
    least: float  # below the exponent of every release but the dataset itself whose total is n
    least_beyond: float  # and of every release of a larger total
    weight: float  # of the posterior, in all that moves

    @property
    def work(self) -> float:
        """About how many steps one sum takes."""
        return work_around(len(self.multiplicity), len(self.rest))

    @property
    def log_still(self) -> float:
        """The logarithm of the probability that no count moves."""
        return float(self.multiplicity @ np.log((self.masses * (self.moves == 0)).max(axis=1)))


def work_around(kinds: int, ring: int) -> float:
    """About how many steps one sum takes around a ring so long."""
    return 25.0 * kinds * ring


def noise_factors(prior: Floats, counts: Integers, noise: NoiseOnCounts, small: float) -> NoiseFactors | None:
    r"""The factors at one dataset, but for about \(e^{-\text{small}}\); None where the noise is too wide."""
    a = prior + counts
    moving = len(a) if noise.balanced else len(a) - 1
    pairs, multiplicity = np.unique(np.stack([prior, counts])[:, :moving], axis=1, return_counts=True)
    found = _moves(pairs[1].astype(np.int64), multiplicity, int(counts.sum()), noise, small)
    if found is None:
        return None
    moves, masses, N, lost = found
    D = moved_gap(pairs[0][:, None], pairs[1][:, None].astype(np.int64), moves)
    totals = np.arange(N)
    totals = np.where(totals > N // 2, totals - N, totals)
    added, subtracted = np.where(totals == 0, 0.0, np.inf), np.zeros(N)
    if not noise.balanced:
        added, subtracted = _completion(float(prior[-1]), int(counts[-1]), float(a.sum()), totals)
    rest = added - subtracted
    excess = (totals > counts[-1]) & (not noise.balanced)
    first = D[(D > 0) & (masses > 0)].min(initial=np.inf)
    last = rest[(totals != 0) & np.isfinite(rest) & (rest > 0)].min(initial=np.inf)
    used_up = float(moved_gap(prior[-1], counts[-1], -counts[-1]))
    beyond = used_up + float(a[-1]) / (8 * (float(a.sum()) + 1) ** 2)
    least = 0.9 * min(float(first), float(last))
    weight = float(a[:moving].sum())
    return NoiseFactors(
        moves, masses, D, multiplicity, totals, rest, subtracted, excess, lost, least, 0.9 * beyond, weight
    )


def _moves(
    counts: Integers, multiplicity: Integers, n: int, noise: NoiseOnCounts, small: float
) -> tuple[Integers, Floats, int, float] | None:
    """Moves of each kind of count and their masses, the length of a ring for their total, and the mass left out."""
    here, k = noise.noise, int(multiplicity.sum())
    reach = here.reach(small + math.log(k))
    if reach > FARTHEST:
        return None
    low, high = np.maximum(-counts, -reach), np.minimum(n - counts, reach)
    length = int((high - low).max()) + 1
    if length * len(counts) > LARGEST_TABLE:
        return None
    moves = low[:, None] + np.arange(length)
    there = moves <= high[:, None]
    moves = np.where(there, moves, 0)
    if noise.balanced:
        masses = np.where(there, np.exp(-here.decay * np.abs(moves)), 0.0)
        scale = masses.sum(axis=1)
    else:
        values = moves + counts[:, None]
        masses = np.where(there, exp(clamped(here, moves, values == 0, values == n)), 0.0)
        # what is off in one probability would be so in all factors
        above, below = float(exp(here.log_at_least(reach + 1))), float(exp(here.log_at_most(-reach - 1)))
        scale = masses.sum(axis=1) / (1 - above * (n - counts > reach) - below * (counts > reach))
    outside = float(exp(here.log_at_least(reach + 1)) + exp(here.log_at_most(-reach - 1)))
    lost = k * outside
    masses = masses / scale[:, None]
    if noise.balanced:  # a count below 0 anywhere: all but the other noise, which is at most one for each total
        lost += float(multiplicity @ np.where(low > -reach, 2 * np.exp(-here.decay * (counts + 1.0)) / scale, 0.0))
    mean = float(multiplicity @ (masses * moves).sum(axis=1))
    variance = float(multiplicity @ (masses * moves**2).sum(axis=1)) + 1
    ends = []
    for steep in (here.decay / 2, math.sqrt(2 * small / variance)):  # whichever Chernoff's bound is shorter
        mu = min(steep, 600 / length)
        weights = np.stack([(masses * np.exp(sign * mu * moves)).sum(axis=1) for sign in (-1, 1)])
        ends.append((float((np.log(weights) @ multiplicity).max()) + small) / mu)
    N = next_fast_len(2 * math.ceil(max(min(ends), abs(mean))) + 3, real=True)
    lost += 2 * math.exp(-small)
    return None if N > LONGEST_RING else (moves, masses, N, lost)


def _completion(prior: float, last: int, weight: float, totals: Integers) -> tuple[Floats, Floats]:
    """What the last count adds to the exponent, and a total above n subtracts, by the total of the other moves."""
    taken = np.minimum(totals, last)
    own = moved_gap(prior, last, -taken)
    excess = totals - taken
    whole = np.full(len(totals), weight)
    return own, gamma_gap(whole, whole + excess, excess / 2)


def on_ring(factors: Floats, low: Integers, N: int) -> Floats:
    """(..., K, N) moves around a ring, the first of each kind at ``low``; a window may be longer than the ring."""
    found = np.zeros((*factors.shape[:-1], N))
    for kind, first in enumerate(low % N):
        for start in range(0, factors.shape[-1], N):
            part = factors[..., kind, start : start + N]
            before = min(part.shape[-1], N - first)
            found[..., kind, first : first + before] += part[..., :before]
            found[..., kind, : part.shape[-1] - before] += part[..., before:]
    return found


def product_change(before: Complexes, changes: Iterable[Complexes], times: Integers) -> Complexes:
    r"""\(\prod_i (b_i + c_i)^{t_i} - \prod_i b_i^{t_i}\) at each frequency; all b may be the same, as one row.

    Changes come some rows at a time. Where no b is tiny it is \(\prod_i b_i^{t_i}\) times a product of
    \((1 + c_i / b_i)^{t_i}\) less one, which keeps its digits.
    """
    sure = np.ones(before.shape[1], dtype=bool)
    for one in before:
        sure &= np.abs(one) > LEAST_SURE
    whole, after = np.ones((2, len(sure)), dtype=np.complex128)
    grown, row = np.zeros_like(whole), 0
    for rows in changes:
        part = slice(row, row + len(rows))
        ones, many, row = before[part] if len(before) > 1 else before, times[part], part.stop
        for here in blocks(len(sure), len(rows)):
            one, more, certain = np.broadcast_to(ones[:, here], rows[:, here].shape), rows[:, here], sure[here]
            whole[here] *= multiplied(one, many)
            after[here] *= multiplied(one + more, many)
            with np.errstate(over="ignore", invalid="ignore"):  # where the product is next to nothing
                grown[here] = _both(grown[here], _grown(more / np.where(certain, one, 1), many))
    sure &= np.abs(whole) > NEXT_TO_NOTHING
    return np.where(sure, whole * np.where(sure, grown, 0), after - whole)


def blocks(count: int, rows: int) -> list[slice]:
    """Of so many rows, columns that are computed at once."""
    some = max(1, TOGETHER // rows)
    return [slice(first, first + some) for first in range(0, count, some)]


def whole_power(values: Numbers, times: int) -> Numbers:
    """By squares, which is quicker than what complex powers are made of."""
    found = values if times > 0 else np.ones_like(values)
    for digit in bin(times)[3:]:
        found = found * found * values if digit == "1" else found * found
    return found


def multiplied(values: Numbers, times: Integers) -> Numbers:
    """The product of all rows, each so many times."""
    found: Numbers = np.ones_like(values[0])
    for many in np.unique(times).tolist():
        found *= whole_power(np.prod(values[times == many], axis=0), many)
    return found


def _grown(shares: Complexes, times: Integers) -> Complexes:
    r"""\(\prod_i (1 + s_i)^{t_i} - 1\)."""
    found: Complexes = np.zeros(shares.shape[1], dtype=np.complex128)
    for many in np.unique(times).tolist():
        rows = shares[times == many]
        while len(rows) > 1:
            odd = rows[len(rows) // 2 * 2 :]
            rows = np.concatenate([_both(rows[: len(rows) // 2 * 2 : 2], rows[1::2]), odd])
        power = rows[0]
        for digit in bin(many)[3:]:
            power = _both(power, power)
            if digit == "1":
                power = _both(power, rows[0])
        found = _both(found, power)
    return found


def _both(first: Complexes, second: Complexes) -> Complexes:
    r"""\((1 + a)(1 + b) - 1\)."""
    return first + second + first * second
