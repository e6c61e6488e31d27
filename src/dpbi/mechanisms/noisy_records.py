r"""Noise on the records themselves: everybody answers at random, and no collector need be trusted."""

import numpy as np
from numpy.typing import ArrayLike

from .. import arithmetic, checks
from ..arithmetic import exp, log1p, log_sum_exp
from ..checks import Floats, Integers, Numbers
from ..guarantees import PureDP
from ..model.datasets import count_vectors, row_number, within_enumeration
from .description import Guarantee, Law, Mechanism, Place, setting
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
    r"""k-ary randomised response: every record says a category, the true one with odds \(e^\varepsilon\) to each other.

    Released is how often each was said. A replaced record changes the probabilities of one answer by a factor of at
    most \(e^\varepsilon\), and leaves the others as they were (Warner 1965, for k = 2).

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

    def guarantee(prior: ArrayLike, n: int) -> Guarantee:
        setting(prior, n)
        return PureDP(e)

    def laws(prior: ArrayLike, n: int) -> Law:
        weights = setting(prior, n)
        datasets = count_vectors(n, len(weights))
        within_enumeration(len(datasets), len(datasets), n, len(weights))
        return Law.known(datasets, _all_log_answers(e, n, len(weights)))

    def attained(n: int, k: int) -> Place | None:
        """Where all say what the replaced record was."""
        return Place.at(n, k, said=(n, 0)) if n >= 1 else None

    return Mechanism("randomised_response", PureDP(e), law, sample, guarantee, laws, attained=attained)


def _log_answer(epsilon: float, k: int) -> Numbers:
    """Log probabilities of the answers of a record of the first category."""
    log_total = epsilon + log1p((k - 1) * exp(-epsilon))
    logs = arithmetic.zeros(k) - log_total
    logs[0] = logs[0] + epsilon
    answers: Numbers = logs
    return answers


def _log_answers(epsilon: float, x: Integers) -> Floats:
    """Log probabilities of all answers' counts, record by record."""
    k, done = len(x), 0
    log_p = arithmetic.zeros((1, 1))
    for category in np.repeat(np.arange(k), x):
        log_p, done = _with_one_more(log_p, np.roll(_log_answer(epsilon, k), category)[:, None], done), done + 1
    found: Floats = log_p[0]
    return found


def _all_log_answers(epsilon: float, n: int, k: int) -> Floats:
    """The same for all datasets of n records, shape (D, D): from those with a record less, in its first category."""
    log_p = arithmetic.zeros((1, 1))
    answers = np.stack([np.roll(_log_answer(epsilon, k), category) for category in range(k)], axis=1)
    for done in range(n):
        datasets = count_vectors(done + 1, k)
        category = (datasets > 0).argmax(axis=1)
        before = datasets.copy()
        before[np.arange(len(before)), category] -= 1
        log_p = _with_one_more(log_p[row_number(before)], answers[:, category], done)
    return log_p


def _with_one_more(log_p: Numbers, answer: Numbers, done: int) -> Numbers:
    """The law of the answers' counts when a record answers too, a row per dataset: nothing but positive terms."""
    k = len(answer)
    vectors = count_vectors(done + 1, k)
    parts = np.full((k, len(log_p), len(vectors)), -np.inf, dtype=log_p.dtype)
    for said in range(k):
        before = vectors.copy()
        before[:, said] -= 1
        possible = np.flatnonzero(before[:, said] >= 0)
        parts[said][:, possible] = log_p[:, row_number(before[possible])] + answer[said][:, None]
    together: Numbers = log_sum_exp(parts, axis=0)
    return together
