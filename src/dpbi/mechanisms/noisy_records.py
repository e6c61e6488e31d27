r"""Local privacy: every record answers at random, so that nobody who collects answers has to be trusted."""

import numpy as np
from numpy.typing import ArrayLike

from .. import arithmetic, checks
from ..arithmetic import exp, log1p, log_sum_exp
from ..checks import Floats, Integers, Numbers
from ..guarantees import PureDP
from ..model.datasets import count_vectors, row_number
from .description import Law, Mechanism, WorstCase, always
from .table import entry


@entry(
    family="noise on the records",
    about="every record answers at random: the truth with odds e^ε to one",
    meaning=r"every record says a category, the true one with odds $e^{\varepsilon}$ to each other one",
    letters={"elsewhere": "randomised response {cite}`warner1965`"},
    color="#9739A3",
    marker="d",
    pattern={"channel": "odds"},
)
def randomised_response(epsilon: float) -> Mechanism:
    r"""k-ary randomised response: each record answers its true category with odds \(e^\varepsilon\) to each other one.

    The counts of the answers are released. A replaced record changes the probabilities of one answer by a factor of at
    most \(e^\varepsilon\), and leaves the other answers as they were (Warner 1965, for k = 2).

    >>> randomised_response(1.0).law([1, 1], [1, 1]).probabilities.round(4)
    array([0.1966, 0.6068, 0.1966])
    """
    e = checks.real("epsilon", epsilon, above=0)

    def law(prior: ArrayLike, counts: ArrayLike) -> Law:
        _, x = checks.dataset(prior, counts)
        return Law.known(count_vectors(int(x.sum()), len(x)), _log_answers(e, x))

    def sample(prior: ArrayLike, counts: ArrayLike, rng: np.random.Generator, size: int = 1) -> Integers:
        _, x = checks.dataset(prior, counts)
        draws, k = checks.whole("size", size, least=0), len(x)
        answers = checks.generator(rng)
        p = np.exp(_log_answer(e, k))
        said: Integers = np.zeros((draws, k), dtype=np.int64)
        for category, count in enumerate(x):
            said += answers.multinomial(count, np.roll(p, category), size=draws)
        return said

    def attained(n: int, k: int) -> WorstCase | None:
        """Every record answers the category that the replaced one was of."""
        return WorstCase.at(n, k, output=(n, 0)) if n >= 1 else None

    return Mechanism("randomised_response", PureDP(e), law, sample, always(PureDP(e)), attained=attained)


def _log_answer(epsilon: float, k: int) -> Numbers:
    """Log probabilities of the answers of a record of the first category."""
    log_total = epsilon + log1p((k - 1) * exp(-epsilon))
    logs: Numbers = arithmetic.zeros(k) - log_total
    logs[0] = logs[0] + epsilon
    return logs


def _log_answers(epsilon: float, x: Integers) -> Floats:
    """Log probabilities of all counts of answers, by convolution record by record: every term is positive."""
    k, log_p = len(x), arithmetic.zeros(1)
    for done, category in enumerate(np.repeat(np.arange(k), x)):
        answer, vectors = np.roll(_log_answer(epsilon, k), category), count_vectors(done + 1, k)
        parts = np.full((k, len(vectors)), -np.inf, dtype=log_p.dtype)
        for said in range(k):
            possible = np.flatnonzero(vectors[:, said])
            before = vectors[possible] - np.eye(k, dtype=np.int64)[said]
            parts[said, possible] = log_p[row_number(before)] + answer[said]
        log_p = log_sum_exp(parts, axis=0)
    return np.asarray(log_p)
