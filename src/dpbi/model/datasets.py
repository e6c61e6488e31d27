r"""The datasets: count vectors of n records in k categories.

With n public, the datasets of a Dirichlet-multinomial model are the points of a finite lattice,
\[ \Lambda_{n,k} = \{ x \in \mathbb{Z}_{\ge 0}^k : x_1 + \dots + x_k = n \}, \qquad
   |\Lambda_{n,k}| = \binom{n + k - 1}{k - 1}. \]
Two datasets are neighbours when one record is replaced by another: one count falls by one, another rises by one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Integers, Numbers

# chosen: 400 MB of integers or doubles
LARGEST_ENUMERATION = 50_000_000
"""Largest number of entries, rows times columns, of a table that is listed."""

# chosen: some 15 temporary arrays of this size exist at a time, 120 MB, beside a table of up to 400 MB
CHUNK_NUMBERS = 1_000_000
"""Number of entries of a table that are computed together."""


def lattice_size(n: int, k: int) -> int:
    r"""Number of count vectors of n records in k categories, \(\binom{n+k-1}{k-1}\).

    Args:
        n: Number of records, a whole number >= 0.
        k: Number of categories, >= 2.

    Returns:
        The number, exact at any size.

    >>> lattice_size(10, 3)
    66
    """
    return math.comb(checks.record_count(n) + checks.whole("k", k, least=2, below=checks.LARGEST_TOTAL) - 1, k - 1)


def count_vectors(n: int, k: int) -> Integers:
    """All count vectors of n records in k categories, in ascending lexicographic order.

    For k = 2 the rows are (0, n), (1, n - 1), ..., (n, 0), so that the row number is the first count.

    Args:
        n: Number of records, a whole number >= 0.
        k: Number of categories, >= 2.

    Returns:
        Integers of shape (D, k), D the ``lattice_size``. Callers share the array, which is read-only.

    Raises:
        ValueError: if the table would have more than ``LARGEST_ENUMERATION`` entries.

    >>> count_vectors(2, 2).tolist()
    [[0, 2], [1, 1], [2, 0]]
    """
    return lattice(checks.record_count(n), checks.whole("k", k, least=2, below=checks.LARGEST_TOTAL))


def neighbours(counts: ArrayLike) -> Integers:
    """All datasets that differ from a dataset in one replaced record, shape (M, k).

    >>> neighbours([2, 1]).tolist()
    [[1, 2], [3, 0]]
    """
    vector = checks.one_dataset(counts)
    k = len(vector)
    within_enumeration(k * k, k, int(vector.sum()), k)
    giver, receiver = np.nonzero((vector > 0)[:, None] & ~np.eye(k, dtype=bool))
    one = np.eye(k, dtype=np.int64)
    moved: Integers = vector - one[giver] + one[receiver]
    return moved


def row_number(counts: Integers) -> Integers:
    r"""Row of each count vector in ``count_vectors``; broadcasts over leading axes.

    The vectors before x are those that agree with it up to some coordinate i and are smaller there. With m records
    left for the k - i coordinates from i on, there are
    \(\binom{m+k-i-1}{k-i-1} - \binom{m-x_i+k-i-1}{k-i-1}\) of them.

    >>> row_number(count_vectors(2, 3)).tolist()
    [0, 1, 2, 3, 4, 5]
    """
    k = counts.shape[-1]
    remaining = counts.sum(axis=-1)
    table = _binomials(int(remaining.max(initial=0)), k)
    row = np.zeros(counts.shape[:-1], dtype=np.int64)
    for i in range(k - 1):
        after = remaining - counts[..., i]
        row += table[k - i - 1, remaining] - table[k - i - 1, after]
        remaining = after
    return row


def moves(n: int, k: int) -> tuple[Integers, Integers]:
    """All ordered pairs of neighbours, as row numbers in ``count_vectors``.

    Args:
        n: Number of records, a whole number >= 0.
        k: Number of categories, >= 2.

    Returns:
        The rows of the datasets before the move of a record, and those after it, sorted by the category that loses the
        record and then by the one that gains it. Callers share the arrays, which are read-only.

    Raises:
        ValueError: If there are more than ``LARGEST_ENUMERATION`` pairs.

    >>> moves(2, 2)
    (array([1, 2, 0, 1]), array([0, 1, 1, 2]))
    """
    size, categories = checks.record_count(n), checks.whole("k", k, least=2, below=checks.LARGEST_TOTAL)
    within_enumeration(categories * (categories - 1), math.comb(size + categories - 2, categories - 1), n, k)
    return neighbour_rows(size, categories)


@lru_cache(maxsize=4)
def neighbour_rows(n: int, k: int) -> tuple[Integers, Integers]:
    """All ordered pairs of neighbours, as in ``moves``, kept for audits at many budgets; the input is not checked."""
    # n - 1 records, and one more in each category: the rows of datasets that are neighbours of each other
    others = lattice(n - 1, k) if n else np.zeros((0, k), dtype=np.int64)
    rows = row_number(others[:, None] + np.eye(k, dtype=np.int64))
    giver, receiver = np.nonzero(~np.eye(k, dtype=bool))
    before, after = rows.T[giver].ravel(), rows.T[receiver].ravel()
    before.flags.writeable = after.flags.writeable = False
    return before, after


def in_chunks(datasets: Integers, columns: int, rows: Callable[[Integers], Numbers]) -> Numbers:
    """Computes a table with a row for every dataset, a chunk of rows at a time, to need little memory beside it.

    Args:
        datasets: The datasets, shape (D, k).
        columns: Number of entries that are computed for each row.
        rows: Function that computes the rows of some datasets.

    Returns:
        The rows of all datasets.
    """
    size = max(1, CHUNK_NUMBERS // columns)
    if len(datasets) <= size:
        return rows(datasets)
    return np.concatenate([rows(datasets[first : first + size]) for first in range(0, len(datasets), size)])


class TooLong(ValueError):
    """Refusal of a table over all datasets that has too many entries."""


def within_enumeration(rows: int, columns: int, n: int, k: int) -> None:
    """Refuses a table that has more than ``LARGEST_ENUMERATION`` entries, and says its size.

    Args:
        rows: Number of rows of the table.
        columns: Number of entries of a row.
        n: Number of records.
        k: Number of categories.
    """
    if rows * columns > LARGEST_ENUMERATION:
        size = f"{rows:,} rows of {columns:,}" if rows < 10**30 else f"about 10^{math.log10(rows):.0f} rows"
        gigabytes = f", {rows * columns * 8 / 1e9:,.1f} GB" if rows < 10**30 else ""
        raise TooLong(
            f"n must be small enough to enumerate (at most {LARGEST_ENUMERATION:,} numbers), got n={n} with k={k}: "
            f"{size}{gigabytes}. Without a list you can use Mechanism.sample, .promise and .promise_at, "
            "simulated_error and simulated_mean_error"
        )


@lru_cache(maxsize=8)
def lattice(n: int, k: int) -> Integers:
    """All count vectors of n records in k categories; the latest tables are kept, and the input is not checked."""
    within_enumeration(math.comb(n + k - 1, k - 1), k, n, k)
    # stars and bars, one coordinate at a time: a prefix that leaves m records is continued by 0, 1, ..., m
    columns: list[Integers] = []
    remaining = np.array([n], dtype=np.int64)
    for _ in range(k - 1):
        children = remaining + 1
        parent = np.repeat(np.arange(len(remaining)), children)
        first = np.repeat(np.cumsum(children) - children, children)
        value = np.arange(len(parent), dtype=np.int64) - first
        columns = [*(column[parent] for column in columns), value]  # measured: rows take twice as long
        remaining = remaining[parent] - value
    vectors: Integers = np.column_stack([*columns, remaining])
    vectors.flags.writeable = False
    return vectors


@lru_cache(maxsize=8)
def _binomials(n: int, k: int) -> Integers:
    # table[d, m] = C(m + d, d): vectors of m records in d + 1 categories, by cumulative sums
    table = np.ones((k, n + 1), dtype=np.int64)
    for d in range(1, k):
        table[d] = np.cumsum(table[d - 1])
    return table
