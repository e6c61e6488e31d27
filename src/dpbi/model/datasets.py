r"""Datasets as count vectors of n records in k categories.

Since n is public, the datasets of a Dirichlet-multinomial model are the points of a finite lattice,
\[ \Lambda_{n,k} = \{ x \in \mathbb{Z}_{\ge 0}^k : x_1 + \dots + x_k = n \}, \qquad
   |\Lambda_{n,k}| = \binom{n + k - 1}{k - 1}. \]
Two datasets are neighbours if replacing one record turns one into the other, which lowers one count by one and raises
another count by one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Integers, Numbers

# chosen: a table of this size takes 400 MB, as integers or as doubles
LARGEST_ENUMERATION = 50_000_000
"""Largest number of entries (rows times columns) of a table over all datasets."""

# chosen: about 15 temporary arrays of this size exist at a time, 120 MB in total, beside a table of up to 400 MB
CHUNK_NUMBERS = 1_000_000
"""Number of table entries that are computed at a time."""


def lattice_size(n: int, k: int) -> int:
    r"""Number of count vectors of n records in k categories, \(\binom{n+k-1}{k-1}\).

    Args:
        n: Number of records, a nonnegative integer.
        k: Number of categories, >= 2.

    Returns:
        The exact number, as a Python integer.

    >>> lattice_size(10, 3)
    66
    """
    return math.comb(checks.record_count(n) + checks.whole("k", k, least=2, below=checks.LARGEST_TOTAL) - 1, k - 1)


def count_vectors(n: int, k: int) -> Integers:
    """All count vectors of n records in k categories, in ascending lexicographic order.

    For k = 2 the rows are (0, n), (1, n - 1), ..., (n, 0), so the row number is the first count.

    Args:
        n: Number of records, a nonnegative integer.
        k: Number of categories, >= 2.

    Returns:
        Integer array of shape (D, k), where D is the ``lattice_size``. The array is cached, shared by all callers and
        read-only.

    Raises:
        ValueError: if the table would have more than ``LARGEST_ENUMERATION`` entries.

    >>> count_vectors(2, 2).tolist()
    [[0, 2], [1, 1], [2, 0]]
    """
    return lattice(checks.record_count(n), checks.whole("k", k, least=2, below=checks.LARGEST_TOTAL))


def neighbours(counts: ArrayLike) -> Integers:
    """All datasets that differ from a given dataset in one replaced record, as an array of shape (M, k).

    >>> neighbours([2, 1]).tolist()
    [[1, 2], [3, 0]]
    """
    vector = checks.one_dataset(counts)
    k = len(vector)
    within_enumeration(k * k, k, int(vector.sum()), k)
    giver, receiver = np.nonzero((vector > 0)[:, None] & ~np.eye(k, dtype=bool))
    one = np.eye(k, dtype=np.int64)
    return np.asarray(vector - one[giver] + one[receiver])


def row_number(counts: Integers) -> Integers:
    r"""Row number of each given count vector in the table ``count_vectors``; leading axes broadcast.

    A vector precedes x if, for some i, the vector agrees with x in all coordinates before i and is smaller than x in
    coordinate i. If m records are left for the last k - i coordinates, the number of such vectors is
    \(\binom{m+k-i-1}{k-i-1} - \binom{m-x_i+k-i-1}{k-i-1}\).

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
        n: Number of records, a nonnegative integer.
        k: Number of categories, >= 2.

    Returns:
        Row numbers of the datasets before a record moves and after it has moved, sorted by the category that loses the
        record and then by the category that gains it. The arrays are cached, shared by all callers and read-only.

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
    """All ordered pairs of neighbours, as in ``moves`` but without validation; cached for audits at many budgets."""
    # A pair of neighbours has n - 1 records in common. Given a dataset of n - 1 records, adding one record to each of
    # the k categories in turn gives k datasets, any two of which are neighbours, and every pair arises exactly once in
    # this way.
    others = lattice(n - 1, k) if n else np.zeros((0, k), dtype=np.int64)
    rows = row_number(others[:, None] + np.eye(k, dtype=np.int64))
    giver, receiver = np.nonzero(~np.eye(k, dtype=bool))
    before, after = rows.T[giver].ravel(), rows.T[receiver].ravel()
    before.flags.writeable = after.flags.writeable = False
    return before, after


def in_chunks(datasets: Integers, columns: int, rows: Callable[[Integers], Numbers]) -> Numbers:
    """Computes a table with one row per dataset in chunks of rows, which limits the size of temporary arrays.

    Args:
        datasets: The datasets, shape (D, k).
        columns: Number of entries that are computed for each row.
        rows: Function that computes the rows for several datasets.

    Returns:
        The table, with the rows of all datasets.
    """
    size = max(1, CHUNK_NUMBERS // columns)
    if len(datasets) <= size:
        return rows(datasets)
    return np.concatenate([rows(datasets[first : first + size]) for first in range(0, len(datasets), size)])


class TooLong(ValueError):
    """Raised when a table over all datasets would have too many entries."""


def within_enumeration(rows: int, columns: int, n: int, k: int) -> None:
    """Raises ``TooLong``, with the size of the table, if a table would have more than ``LARGEST_ENUMERATION`` entries.

    Args:
        rows: Number of rows of the table.
        columns: Number of entries per row.
        n: Number of records.
        k: Number of categories.
    """
    if rows * columns > LARGEST_ENUMERATION:
        size = f"{rows:,} rows of {columns:,}" if rows < 10**30 else f"at least 10^{int(math.log10(rows))} rows"
        gigabytes = f", {rows * columns * 8 / 1e9:,.1f} GB" if rows < 10**30 else ""
        raise TooLong(
            f"n must be small enough to enumerate (at most {LARGEST_ENUMERATION:,} numbers), got n={n} with k={k}: "
            f"{size}{gigabytes}. Functions that enumerate no datasets remain available: Mechanism.sample, .promise and "
            ".promise_at, simulated_error and simulated_mean_error"
        )


@lru_cache(maxsize=8)
def lattice(n: int, k: int) -> Integers:
    """All count vectors of n records in k categories, without validation; the most recent tables are cached."""
    # beyond 1000, a binomial coefficient with a smaller lower index: a lower bound that is computed at once
    within_enumeration(math.comb(n + k - 1, min(n, k - 1, 1000)), k, n, k)
    # stars and bars, one coordinate at a time: a prefix that leaves m records is extended by 0, 1, ..., m
    columns: list[Integers] = []
    remaining = np.array([n], dtype=np.int64)
    for _ in range(k - 1):
        children = remaining + 1
        parent = np.repeat(np.arange(len(remaining)), children)
        first = np.repeat(np.cumsum(children) - children, children)
        value = np.arange(len(parent), dtype=np.int64) - first
        columns = [*(column[parent] for column in columns), value]  # measured: storing rows takes twice as long
        remaining = remaining[parent] - value
    vectors: Integers = np.column_stack([*columns, remaining])
    vectors.flags.writeable = False
    return vectors


@lru_cache(maxsize=8)
def _binomials(n: int, k: int) -> Integers:
    """Table whose entry [d, m] is C(m + d, d), the number of count vectors of m records in d + 1 categories."""
    table = np.ones((k, n + 1), dtype=np.int64)
    # by the hockey-stick identity, C(m + d, d) is the sum of C(j + d - 1, d - 1) over j = 0, ..., m
    for d in range(1, k):
        table[d] = np.cumsum(table[d - 1])
    return table
