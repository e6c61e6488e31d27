r"""Local privacy: every record is randomised separately, so whoever collects the answers need not be trusted."""

from dataclasses import dataclass
from typing import final

import numpy as np

from .. import arithmetic
from ..arithmetic import exp, log1p, log_sum_exp
from ..checks import Floats, Integers, Numbers
from ..model.datasets import lattice, row_number
from .base import EPSILON_DP, Budgeted, Vectorised
from .law import Law, Witness, witness


@final
@dataclass(frozen=True)
class randomised_response(Vectorised, Budgeted):
    r"""Randomised response: a record reports its own category \(e^\varepsilon\) times as often as any other category.

    The mechanism releases the counts of the answers. Replacing one record changes the probabilities of that record's
    answer by a factor of at most \(e^\varepsilon\), and does not affect the other answers (Warner 1965, for k = 2).

    >>> randomised_response(1.0).law([1, 1], [1, 1]).probabilities.round(4)
    array([0.1966, 0.6068, 0.1966])
    """

    promise = EPSILON_DP

    def _at(self, weights: Floats, x: Integers) -> Law:
        n, k = int(x.sum(axis=-1).max()), len(weights)
        answers = np.stack([np.roll(_log_answer(self.epsilon, k), category) for category in range(k)])
        # the category of each record, from the records that are in no later category
        category = (np.cumsum(x, axis=-1)[..., None, :] <= np.arange(n)[:, None]).sum(axis=-1)
        log_p, one = arithmetic.zeros((*x.shape[:-1], 1)), np.eye(k, dtype=np.int64)
        for done in range(n):  # one more record answers: sums of positive terms, one for each of its answers
            log_answer, vectors = answers[category[..., done]], lattice(done + 1, k)
            parts = np.full((k, *x.shape[:-1], len(vectors)), -np.inf, dtype=log_p.dtype)
            for answer in range(k):
                possible = np.flatnonzero(vectors[:, answer])
                before = row_number(vectors[possible] - one[answer])
                parts[answer][..., possible] = log_p[..., before] + log_answer[..., answer, None]
            log_p = log_sum_exp(parts, axis=0)
        return Law.known(lattice(n, k), log_p)

    def _sample(self, weights: Floats, x: Integers, rng: np.random.Generator, size: int) -> Integers:
        p = np.exp(_log_answer(self.epsilon, len(x)))
        answers: Integers = np.zeros((size, len(x)), dtype=np.int64)
        for category, count in enumerate(x):
            answers += rng.multinomial(count, np.roll(p, category), size=size)
        return answers

    def attained(self, n: int, k: int) -> Witness | None:
        """A worst case, in which every record reports the original category of the replaced record."""
        return witness(n, k, output=(n, 0)) if n >= 1 else None


def _log_answer(epsilon: float, k: int) -> Numbers:
    """Log probabilities of the k possible answers of a record in the first category."""
    log_total = epsilon + log1p((k - 1) * exp(-epsilon))
    logs: Numbers = arithmetic.zeros(k) - log_total
    logs[0] = logs[0] + epsilon
    return logs
