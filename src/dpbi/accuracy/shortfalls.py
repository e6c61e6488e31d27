r"""What counts near 0 fall short of the records that are taken away: the second variable of ``lattice_sums``.

Of a category near an end a record is left, or it is emptied, or it is full. Only what is emptied falls short, and
what is full exceeds n, whatever the moves of all others are. So a product over the categories is a sum of terms, each
a function of moves times one of what falls short in all. There are two ways to write it:

* a term for each choice of what is emptied or full, if these are few. Its second factor is how likely those fall short
  by so much; it depends on no exponent, and is found once;
* a term for each frequency around a ring otherwise, of which most do not count where many categories are near an end.

With geometric noise all of these are known in closed form, also at one frequency alone. It forgets what it has passed:
however much is taken from an empty category, what is left has the same law, and only how likely it is that a record is
left changes. So of g equal empty categories it is enough to choose how many are left with a record. The weight of each
number is a coefficient of a polynomial, known by its values at roots of one.
"""

import math
from itertools import product
from typing import NamedTuple, TypeVar

import numpy as np
from scipy.fft import fftn
from scipy.special import expm1

from ..checks import Floats, Integers
from ..mechanisms.gaussian_noise import GaussianNoiseAt
from ..mechanisms.noise import NoiseAt
from .noise_factors import whole_power
from .spectrum import Complexes

MOST_CHOICES = 512
"""With more choices of what is emptied or full there is a term for each frequency."""

MOST_FOUND = 20_000
"""The same if choices times runs of categories are more."""

MOST_HELD = 1 << 24
"""The same if more weights would have to be held."""

FINE = 16
"""Of frequencies around the t-th the first of t / 16 stands for all, in bounds that fall with t."""

Truths = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]
Values = TypeVar("Values", Complexes, Floats)


class NearEnds(NamedTuple):
    """The categories near an end, by their kinds, and the noise on all."""

    counts: Integers  # (K,) of each kind
    may: Truths  # (K, 3) whether a record may be left, it may be emptied, it may be full
    places: Integers  # (k,) the kind of each category, or -1
    n: int
    noise: NoiseAt | GaussianNoiseAt

    def left(self, levels: Integers) -> Floats:
        """How likely a record is left of an empty category, so many taken."""
        return np.asarray(np.exp(self.noise.log_at_least(levels + 1)))

    def totals(self, levels: Integers) -> Floats:
        """(B, K, 3) how likely, at most, categories keep a record, are emptied, are full."""
        short = levels[:, None] - self.counts
        below = np.exp(self.noise.log_at_most(np.minimum(short, -1)))
        emptied = np.where(short < 0, below, -np.expm1(self.noise.log_at_least(np.maximum(short, 0) + 1)))
        full = np.broadcast_to(np.exp(self.noise.log_at_least(self.n + 1 - self.counts)), emptied.shape)
        return np.asarray(self.may * np.stack([np.ones_like(emptied), emptied, full], axis=-1))

    def exactly(self, levels: Integers) -> Floats:
        """(B, K) how likely emptied ones fall short by nothing."""
        return np.asarray(np.exp(self.noise.log_point(levels[:, None] - self.counts)))


class Ring:
    r"""What emptied categories fall short by, and full ones exceed n by, at N frequencies \(w = e^{-2\pi i t/N}\).

    With \(c = \frac{1-r}{1+r}\), the transform of all noise \(A = \frac{(1-r)^2}{|1-rw|^2}\), and that of the noise
    above zero the other way around, \(B = \frac{cr\bar w}{1-r\bar w}\),
    \[ \sum_{s \ge 0} c\,r^{|m-s|} w^s = A w^m - B r^m \text{ for } m \ge 0, \qquad
       \frac{c\,r^{|m|}}{1-rw} \text{ for } m < 0. \]
    Both are off by at most some rounding of \(A + |B|\), which falls with \(|t|\).
    """

    def __init__(self, near: NearEnds, N: int) -> None:
        rate, angles = near.noise.decay, 2j * np.pi / N * ((np.arange(N) + N // 2) % N - N // 2)
        self.N, self.turn, self._near = N, np.exp(angles), near
        gone, short = -math.expm1(-rate), 1 / (1 + math.exp(-rate))
        apart = gone - math.exp(-rate) * expm1(-angles)
        self._whole, self._early = (gone / np.abs(apart)) ** 2, gone * short / apart
        self._late = math.exp(-rate) * self.turn * self._early.conj()
        self.envelope = self._whole + np.abs(self._late)

    def emptied(self, levels: Integers, places: Integers, terms: Integers) -> Complexes:
        """(B, K, Q) of what emptied ones fall short by, so many taken."""
        m = (levels[:, None] - self._near.counts[places])[:, :, None]
        left = np.exp(-self._near.noise.decay * np.abs(m))
        turned = self._whole[terms] * self.turn[-m * terms % self.N]
        found = np.where(m < 0, left * self._early[terms], turned - left * self._late[terms])
        return np.asarray(found * self._near.may[places, 1][:, None])

    def sizes(self, levels: Integers, terms: Integers) -> Floats:
        """(B, K, Q) bounds on their sizes that fall with the frequency."""
        m = (levels[:, None] - self._near.counts)[:, :, None]
        left = np.exp(-self._near.noise.decay * np.abs(m))
        late = self._whole[terms] + left * np.abs(self._late[terms])
        return np.asarray(np.where(m < 0, left * np.abs(self._early[terms]), late))

    def full(self, places: Integers, terms: Integers) -> Complexes:
        """(K, Q) of what full ones exceed n by: it is the other way."""
        rest = np.exp(-self._near.noise.decay * (self._near.n - self._near.counts[places]))
        return np.asarray((rest * self._near.may[places, 2])[:, None] * self._late[terms])


class InARow(NamedTuple):
    """Categories in a row: none of them near an end, or all of them of one kind that is."""

    start: int
    stop: int
    place: int  # of their kind among those near an end; -1 if they are not
    steps: slice  # which weights are theirs: one for each step beside the ends, one for all together near one


class Turned:
    """A term for each frequency. Each step takes one record more, from each category in turn, level after level."""

    def __init__(self, near: NearEnds, N: int) -> None:
        self.runs, self._firsts = _runs(near.places, np.ones(len(near.counts), dtype=bool))
        self.N = self.terms = N
        self._near, self._ring = near, Ring(near, N)
        self.edges, self.shares = cells(N)

    def pairs(self, counts: Truths, N: int, U: int) -> list[tuple[Integers, Integers]]:
        """Which of U frequencies of moves, and to these which terms, are in cells (B, V, T) that count.

        Those of moves are together that have about as many terms.
        """
        last = np.where(counts, np.arange(1, counts.shape[-1] + 1), 0).max(axis=(0, 2))
        place, about = np.arange(U), np.ceil(2 * np.log2(np.maximum(self.edges[last], 1)))
        cell, found = np.searchsorted(cells(N)[0], np.minimum(place, N - place), side="right") - 1, []
        for some in np.unique(about[last > 0]).tolist():
            here = (about == some) & (last > 0)
            farthest = int(self.edges[last[here].max()])
            found.append((np.flatnonzero(here[cell]), np.unique(np.arange(1 - farthest, farthest) % self.N)))
        return found

    def factors(self, levels: slice, run: InARow, terms: Integers, parts: Complexes) -> tuple[Complexes, ...]:
        """What categories in a row near an end multiply: all before their steps; all after; and the sum of steps.

        ``parts`` (B + 1, 3, U) are what they make of the moves: left with a record, emptied, full.
        """
        near, taken, place = self._near, np.arange(levels.start, levels.stop + 1), np.array([run.place])
        falls = np.ones((len(parts), len(terms), 3), dtype=np.complex128)
        falls[:, :, 1] = self._ring.emptied(taken, place, terms)[:, 0]
        falls[:, :, 2] = self._ring.full(place, terms)[0]
        some = 3 if near.may[run.place, 2] else 2
        found = falls[:, :, :some] @ parts[:, :some]
        # where the last record taken was there, what is emptied falls short by nothing
        exactly = near.exactly(taken[1:])[:, place] * near.may[place, 1]
        steps = parts[1:, :1] + exactly[:, :, None] * parts[1:, 1:2]
        if near.may[run.place, 2]:
            steps = steps + falls[1:, :, 2:] * parts[1:, 2:]
        before, after = found[:-1], found[1:]
        if run.stop - run.start == 1:
            return before, after, steps
        return repeated(before, after, steps, self._ring.turn[terms, None], run.stop - run.start)

    def beside(self, levels: slice, bounds: Floats) -> Floats:
        """(B, K, T) bounds on what is emptied or full, by those on their parts (B, K, 3), in cells of frequencies."""
        at, taken = self.edges[:-1], np.arange(levels.start, levels.stop + 1)
        emptied = np.minimum(self._ring.sizes(taken, at), self._near.totals(taken)[:, :, 1:2])
        full = np.abs(self._ring.full(np.arange(len(self._near.counts)), at))
        return np.asarray(bounds[:, :, 1:2] * larger(emptied) + bounds[:, :, 2:] * full)

    def weights(self, levels: slice, terms: Integers) -> Complexes:
        """(B, Q, S) what the terms of steps are multiplied by; the first is where no step is taken yet."""
        steps = np.arange(levels.start, levels.stop)[:, None] * len(self._near.places) + 1 + self._firsts
        found: Complexes = self._ring.turn[steps[:, None, :] * terms[:, None] % self.N] / self.N
        found[max(1 - levels.start, 0) :, :, 0] = 0
        return found


class _Member(NamedTuple):
    """What is chosen for at once: one category near an end, or all empty ones of a kind."""

    place: int
    category: int  # -1 for empty ones
    many: int  # how many there are


_Emptied = tuple[Complexes, Complexes, Floats]
"""(K, N) what emptied ones fall short by: before a step, after it, and where it takes a record, (K, 1)."""


class Chosen:
    """A term for each choice of what is emptied or full, with weights that are found once."""

    def __init__(self, near: NearEnds, levels: int, N: int) -> None:
        self.N, self._near = N, near
        self._at = np.arange(N // 2 + 1)  # the other frequencies are conjugate
        self._shares = shares_of(N, len(self._at))
        self.empty = (near.counts == 0) & ~near.may[:, 2]
        self.members = [_Member(int(at), -1, int((near.places == at).sum())) for at in np.flatnonzero(self.empty)]
        self.members += [_Member(int(at), i, 1) for i, at in enumerate(near.places) if at >= 0 and not self.empty[at]]
        possible = [np.arange(many + 1) if i < 0 else np.flatnonzero(near.may[at]) for at, i, many in self.members]
        self._shape = [len(each) for each in possible]
        self.terms = math.prod(self._shape)
        self.runs, self._firsts = _runs(near.places, self.empty)
        held = levels * self.terms * len(self._firsts)
        # whether choices are so few that they are better than frequencies
        self.few = (
            self.terms <= min(N, MOST_CHOICES) and self.terms * len(self.runs) <= MOST_FOUND and held <= MOST_HELD
        )
        if self.few:
            self._columns = {category: i for i, (_, category, _) in enumerate(self.members)}
            self._choices = np.array(list(product(*possible)), dtype=np.int64)  # (Q, members)
            self._weights = np.empty((levels, self.terms, len(self._firsts)))
            self._sums, self._found = np.empty((levels, self.terms)), 0
            self._ring, every = Ring(near, N), np.arange(len(near.counts))
            self._places, self._full = every, self._ring.full(every, self._at)

    def pairs(self, counts: Truths, N: int, U: int) -> list[tuple[Integers, Integers]]:
        """As those of ``Turned``, for all choices and the frequencies of moves that count."""
        return [(np.flatnonzero(counts.any(axis=0)), np.arange(self.terms))]

    def product(self, left: Complexes) -> Complexes:
        """(Q, U) that of what each choice has left of empty categories, of which one has ``left`` (E, U)."""
        found = np.ones((self.terms, left.shape[1]), dtype=np.complex128)
        for one, (_, _, many), choice in zip(left, self.members, self._choices.T, strict=False):
            powers = np.ones((many + 1, len(one)), dtype=np.complex128)
            powers[1:] = np.cumprod(np.broadcast_to(one, (many, len(one))), axis=0)
            found *= powers[choice]
        return found

    def bounds(self, bounds: Floats, left: Floats) -> Floats:
        """(B, Q) on the factors of each choice, by those on each kind (B, K, 3) and on what is left of empty ones."""
        found, passed = np.ones((len(bounds), self.terms)), 0
        for (place, category, _), choice in zip(self.members, self._choices.T, strict=True):
            if category < 0:
                found *= left[passed] ** choice
                passed += 1
            else:
                found *= bounds[:, place, choice]
        return found

    def factors(self, levels: slice, run: InARow, terms: Integers, parts: Complexes) -> tuple[Complexes, ...]:
        """As those of ``Turned``, for one category and each choice."""
        choice = self._choices[terms, self._columns[run.start]]
        below, above = parts[:-1, choice], parts[1:, choice]
        return below, above, above

    def weights(self, levels: slice, terms: Integers) -> Floats:
        """(B, Q, S) how likely each choice falls short by what is taken; the first is where no step is taken yet."""
        self._find(levels.stop)
        return self._weights[levels][:, terms]

    def sizes(self, levels: slice) -> Floats:
        """(B, Q) the weights of all steps, and what rounding does to them in units of ``TRANSFORMED``."""
        self._find(levels.stop)
        return self._sums[levels]

    def _find(self, stop: int) -> None:
        """All weights of the levels before one."""
        if stop <= self._found:
            return
        near, k, at = self._near, len(self._near.places), self._at
        axes = tuple(1 + i for i, (_, category, _) in enumerate(self.members) if category < 0)
        many, levels = int((near.places >= 0).sum()), np.arange(self._found, stop + 1)
        left, exactly, spread = near.left(levels), near.exactly(levels), self._ring.envelope[at] * self._shares
        after = self._ring.emptied(levels[:1], self._places, at)[0]
        for i, level in enumerate(levels[:-1].tolist()):
            before, after = after, self._ring.emptied(levels[i + 1 : i + 2], self._places, at)[0]
            found = np.zeros((len(self._firsts), *self._shape), dtype=np.complex128)
            doubts = np.zeros(found.shape)
            for run in (_BEFORE, *self.runs)[min(level, 1) :]:
                each, size = self._product((before, after, exactly[i + 1, :, None]), left[i : i + 2], run)
                steps = level * k + 1 + self._firsts[run.steps]
                turns = self._ring.turn[np.outer(steps, at) % self.N] * self._shares
                found[run.steps] = (turns @ each.T).reshape(-1, *self._shape)
                doubt = many * (size @ spread) + np.abs(each) @ self._shares / 8
                doubts[run.steps] = doubt.reshape(self._shape)
            # from values at roots of one to how many empty ones are left with a record
            whole = fftn(found, axes=axes) / math.prod(found.shape[axis] for axis in axes) if axes else found
            most = np.abs(whole.real) + doubts.mean(axis=axes, keepdims=True) / k
            self._weights[level] = whole.real.reshape(len(whole), -1).T
            self._sums[level] = most.sum(axis=0).ravel()
            self._found = level + 1

    def _product(self, emptied: "_Emptied", left: Floats, run: InARow) -> tuple[Complexes, Floats]:
        """(Q, N) the product over all members at the steps of a run, and the size of what all but any one make."""
        each: Complexes = np.ones((1, len(self._at)), dtype=np.complex128)
        sizes: Floats = np.ones((1, len(self._at)))
        least = sizes
        for member in self.members:
            if member.category < 0:
                value, size, smallest = self._together(member, emptied, left, run)
            else:
                value, size, smallest = self._alone(member, emptied, run)
            each, sizes = _pairs(each, value), _pairs(sizes, size)
            least = np.minimum(least[:, None], smallest[None]).reshape(-1, len(self._at))
        return each, sizes / np.maximum(least, 1e-290)

    def _alone(self, member: _Member, emptied: "_Emptied", run: InARow) -> tuple[Complexes, Floats, Floats]:
        """What one category may be; without transforms it is known to be left, or to fall short by nothing."""
        stage = 2 if member.category == run.start else 1 if member.category < run.start else 0
        value = np.ones((3, len(self._at)), dtype=np.complex128)
        value[1], value[2] = emptied[stage][member.place], self._full[member.place]
        size = np.abs(value)
        least = size.copy()
        if stage == 2:
            least[1] = 1
        possible = self._near.may[member.place]
        return value[possible], size[possible], least[possible]

    def _together(
        self, member: _Member, emptied: "_Emptied", left: Floats, run: InARow
    ) -> tuple[Complexes, Floats, Floats]:
        """All empty ones of a kind: a polynomial in how many are left, at roots of one."""
        roots = np.exp(2j * np.pi / (member.many + 1) * np.arange(member.many + 1))[:, None]
        shares = (left[0], left[1], left[1])
        below, above, started = (
            share * roots + part[member.place] for share, part in zip(shares, emptied, strict=True)
        )
        passed = int((self._near.places[: max(run.start, 0)] == member.place).sum())
        here = run.stop - run.start if run.place == member.place else 0
        rest = member.many - passed - here
        value = whole_power(below, rest) * whole_power(above, passed)
        size = np.abs(value)
        if here > 0:
            value = value * repeated(below, above, started, self._ring.turn[self._at], here)[2]
            size = size * repeated(np.abs(below), np.abs(above), np.abs(started), np.ones(len(self._at)), here)[2]
        beside = max(here - 1, 0)
        least = np.minimum(np.abs(below) if rest + beside > 0 else 1.0, np.abs(above) if passed + beside > 0 else 1.0)
        return value, size, np.broadcast_to(np.minimum(least, 1.0), size.shape)


_BEFORE = InARow(-1, 0, -1, slice(0, 1))
"""Where no step is taken yet."""


def repeated(below: Values, above: Values, started: Values, turn: Values, times: int) -> tuple[Values, Values, Values]:
    r"""So many equal categories in a row: the products below and above, and the sum of steps, each one turn further.

    \(\sum_{j<g} b^{g-1-j} (at)^j\) is that of half as many, times the sum of both powers, and a term more if g is odd.
    """
    turned = above * turn
    rest, ahead, steps, power = below, above, np.ones_like(below), turned
    for digit in bin(times)[3:]:
        rest, ahead, steps, power = rest * rest, ahead * ahead, steps * (rest + power), power * power
        if digit == "1":
            rest, ahead, steps, power = rest * below, ahead * above, steps * below + power, power * turned
    return rest, ahead, steps * started


def _pairs(first: Values, second: Values) -> Values:
    """The products of all pairs of rows."""
    return (first[:, None] * second[None]).reshape(-1, first.shape[-1])


def larger(values: Floats) -> Floats:
    """Before or after each step."""
    return np.asarray(np.maximum(values[:-1], values[1:]))


def cells(N: int) -> tuple[Integers, Floats]:
    """Edges of cells of frequencies, the same on both sides of zero, and the share of all that are in each."""
    edges = [0, 1]
    while edges[-1] <= N // 2:
        edges.append(min(edges[-1] + max(1, edges[-1] // FINE), N // 2 + 1))
    counts = np.diff(edges) + np.diff(np.minimum(edges, (N + 1) // 2))
    return np.array(edges), (counts - (np.arange(len(counts)) == 0)) / N


def shares_of(N: int, U: int) -> Floats:
    """What each frequency counts for; where half of them are there, the others are conjugate to these."""
    shares = np.full(U, 1 / N)
    if U < N:
        shares[1 : (N + 1) // 2] *= 2
    return shares


def _runs(places: Integers, merged: Truths) -> tuple[list[InARow], Integers]:
    """All categories in runs, those of one kind near an end only if they are to be ``merged``; and what steps are for.

    The first is for no step at all, as category -1.
    """
    same = (places[1:] == places[:-1]) & ((places[1:] < 0) | np.append(merged, False)[places[1:]])
    edges, runs, firsts = np.flatnonzero(np.append(True, ~same)), [], [-1]
    for start, stop in zip(edges.tolist(), [*edges[1:].tolist(), len(places)], strict=True):
        steps = range(start, stop) if places[start] < 0 else [start]
        runs.append(InARow(start, stop, int(places[start]), slice(len(firsts), len(firsts) + len(steps))))
        firsts += steps
    return runs, np.array(firsts)
