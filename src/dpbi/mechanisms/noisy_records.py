r"""Local privacy: every record is randomised separately, so whoever collects the answers need not be trusted."""

from dataclasses import dataclass
from typing import final

import numpy as np

from .. import arithmetic
from ..arithmetic import exp, log1p, log_sum_exp
from ..checks import Floats, Integers, Numbers
from ..guarantees import PureDP
from ..model.datasets import lattice, row_number, within_enumeration
from .base import Budgeted
from .law import Law, WorstCase


@final
@dataclass(frozen=True)
class randomised_response(Budgeted):
    r"""Randomised response: a record reports its own category \(e^\varepsilon\) times as often as any other category.

    The mechanism releases the counts of the answers. Replacing one record changes the probabilities of that record's
    answer by a factor of at most \(e^\varepsilon\), and does not affect the other answers (Warner 1965, for k = 2).

    >>> randomised_response(1.0).law([1, 1], [1, 1]).probabilities.round(4)
    array([0.1966, 0.6068, 0.1966])
    """

    @property
    def promise(self) -> PureDP:
        return PureDP(self.epsilon)

    def _law(self, weights: Floats, x: Integers) -> Law:
        return Law.known(lattice(int(x.sum()), len(x)), _log_answers(self.epsilon, x))

    def _laws(self, weights: Floats, n: int) -> Law:
        vectors = lattice(n, len(weights))
        within_enumeration(len(vectors), len(vectors), n, len(weights))
        return Law.known(vectors, _all_log_answers(self.epsilon, n, len(weights)))

    def _sample(self, weights: Floats, x: Integers, rng: np.random.Generator, size: int) -> Integers:
        p = np.exp(_log_answer(self.epsilon, len(x)))
        answers: Integers = np.zeros((size, len(x)), dtype=np.int64)
        for category, count in enumerate(x):
            answers += rng.multinomial(count, np.roll(p, category), size=size)
        return answers

    def attained(self, n: int, k: int) -> WorstCase | None:
        """A worst case, in which every record reports the original category of the replaced record."""
        return WorstCase.at(n, k, output=(n, 0)) if n >= 1 else None


def _log_answer(epsilon: float, k: int) -> Numbers:
    """Log probabilities of the k possible answers of a record in the first category."""
    log_total = epsilon + log1p((k - 1) * exp(-epsilon))
    logs: Numbers = arithmetic.zeros(k) - log_total
    logs[0] = logs[0] + epsilon
    return logs


def _log_answers(epsilon: float, x: Integers) -> Numbers:
    """Log probabilities of all possible counts of the answers at one dataset."""
    k, log_p = len(x), arithmetic.zeros(1)
    for done, category in enumerate(np.repeat(np.arange(k), x)):
        log_p = _with_one_more(log_p, done, np.roll(_log_answer(epsilon, k), category))
    return log_p


def _all_log_answers(epsilon: float, n: int, k: int) -> Numbers:
    """Log probabilities of all counts of the answers at all datasets of n records, computed one record at a time."""
    log_p, one = arithmetic.zeros((1, 1)), np.eye(k, dtype=np.int64)
    answers = np.stack([np.roll(_log_answer(epsilon, k), category) for category in range(k)])
    for done in range(n):
        vectors = lattice(done + 1, k)
        category = (vectors > 0).argmax(axis=1)  # the category of the added record
        log_p = _with_one_more(log_p[row_number(vectors - one[category])], done, answers[category])
    return log_p


def _with_one_more(log_p: Numbers, done: int, log_answer: Numbers) -> Numbers:
    """Log probabilities of the counts of the answers after one more record has answered, as sums of positive terms.

    Args:
        log_p: Log probabilities of the counts of the previous answers, on the last axis.
        done: Number of records that have already answered.
        log_answer: Log probabilities of the new record's answers, with the categories on the last axis.

    Returns:
        Log probabilities of the new counts, in the order of ``count_vectors``.
    """
    k = log_answer.shape[-1]
    vectors = lattice(done + 1, k)
    parts = np.full((k, *log_p.shape[:-1], len(vectors)), -np.inf, dtype=log_p.dtype)
    for answer in range(k):
        possible = np.flatnonzero(vectors[:, answer])
        before = vectors[possible] - np.eye(k, dtype=np.int64)[answer]
        parts[answer][..., possible] = log_p[..., row_number(before)] + log_answer[..., answer, None]
    return np.asarray(log_sum_exp(parts, axis=0))
