r"""What counts near 0 fall short of the records that are taken away: the second variable of ``lattice_sums``.

Of a category near an end a record is left, or it is emptied, or it is full. Only what is emptied falls short, and
what is full exceeds n, whatever the moves of all others are. So a product over the categories is a sum of terms, each
a function of moves times one of what falls short in all. There are two ways to write it:

* a term for each choice of what is emptied or full, if these are few. Its second factor is how likely those fall short
  by so much; it depends on no exponent, and is found once;
* a term for each frequency around a ring otherwise, of which most do not count where many categories are near an end.
"""

import math
from collections.abc import Callable
from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.fft import fft

from ..checks import Floats, Integers
from .noise_spectrum import TRANSFORMED
from .spectrum import Complexes

MOST_LISTED = 512
"""Up to so many choices of what is emptied or full there is a term for each."""

Truths = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]


class _Run(NamedTuple):
    """Categories in a row: none of them near an end, or all of them of one kind that is."""

    start: int
    stop: int
    place: int  # of their kind among those near an end; -1 if they are not


class Shortfalls:
    """The terms of all steps; each step takes one record more, from each category in turn, level after level."""

    def __init__(
        self, counts: Integers, may: Truths, n: int, places: Integers, log_point: Callable[[Integers], Floats], N: int
    ) -> None:
        self.counts, self.may, self.N = counts[:, None], may, N  # counts near an end, and what they may be, (K', 3)
        self._log_point, self._k = log_point, len(places)
        self._near = places[places >= 0]
        may_be = [np.flatnonzero(may[place]) for place in self._near]
        many = math.prod(len(each) for each in may_be)
        self.listed = many <= min(N, MOST_LISTED)
        self.terms = many if self.listed else N
        self.choices = np.array(list(product(*may_be)) if self.listed else [], dtype=np.int64)  # (Q, m)
        self.runs = _runs(places, merged=not self.listed)
        over = np.exp(log_point(n + np.arange(N) - self.counts)) * (np.arange(N) > 0)
        self._full, self._emptied = fft(over[:, -np.arange(N)]), dict[int, Complexes]()
        self._likely: dict[int, tuple[Complexes, Floats]] = {}

    def falls(self, taken: int) -> Complexes:
        """(K', 3, N) what those fall short by that keep a record, that are emptied, that are full, as transforms."""
        found = np.stack([np.ones_like(self._full), self._empty(taken), self._full], axis=1)
        return found * self.may[:, :, None]

    def totals(self, taken: int) -> Floats:
        """(K', 3) how likely those are: their transforms at zero, which are the largest."""
        at_zero = [np.ones(len(self.may)), self._empty(taken)[:, 0].real, self._full[:, 0].real]
        return np.asarray(self.may * np.stack(at_zero, axis=1))

    def _empty(self, taken: int) -> Complexes:
        if taken not in self._emptied:
            self._emptied[taken] = fft(np.exp(self._log_point(taken - np.arange(self.N) - self.counts)))
        return self._emptied[taken]

    def started(self, taken: int) -> Complexes:
        """The same where the last of these records was there: what is emptied falls short by nothing."""
        found = self.falls(taken)
        found[:, 1] = np.exp(self._log_point(taken - self.counts)) * self.may[:, 1:2]
        return found

    def weights(self, level: int, terms: Integers) -> Complexes:
        """(1 + k, Q) what the terms of each step are multiplied by; the first is where no step is taken yet."""
        return self._chances(level)[0] if self.listed else self._turns(level, terms) / self.N

    def most(self, level: int, bounds: Floats) -> float:
        """A bound on the weighed terms of all steps, where the choices are listed, with ``bounds`` on what is left."""
        each = np.prod(bounds[self._near, self.choices], axis=1)
        return float((self._chances(level)[1][min(level, 1) :] @ each).sum())

    def _turns(self, level: int, terms: Integers) -> Complexes:
        steps = level * self._k + np.arange(self._k + 1)
        turns: Complexes = np.exp(2j * np.pi / self.N * (np.outer(steps, terms) % self.N))
        return turns

    def _chances(self, level: int) -> tuple[Complexes, Floats]:
        """How likely each choice falls short by what is taken, at each step of the level, and bounds with rounding."""
        if level not in self._likely:
            turns, passed, found, bounds = self._turns(level, np.arange(self.N)), 0, [], []
            below, above, started = self.falls(level), self.falls(level + 1), self.started(level + 1)
            for run in (_Run(-1, 0, -1), *self.runs):
                falls = [(above if j < passed else below)[place] for j, place in enumerate(self._near)]
                if run.place >= 0:
                    falls[passed] = started[run.place]
                    passed += 1
                each = np.ones((self.terms, self.N), dtype=np.complex128)
                for here, choice in zip(falls, self.choices.T, strict=True):
                    each *= here[choice]
                found.append(turns[1 + run.start : 1 + run.stop] @ each.T / self.N)
                bounds.append(np.abs(found[-1]) + TRANSFORMED * (1 + len(falls)) * np.abs(each).mean(axis=1))
            self._likely[level] = np.concatenate(found), np.concatenate(bounds)
        return self._likely[level]


def _runs(places: Integers, merged: bool) -> list[_Run]:
    """All categories in runs; those of one kind near an end only if they are to be ``merged``."""
    same = (places[1:] == places[:-1]) & (merged | (places[1:] < 0))
    edges = np.flatnonzero(np.append(True, ~same))
    return [_Run(int(a), int(b), int(places[a])) for a, b in zip(edges, np.append(edges[1:], len(places)), strict=True)]
