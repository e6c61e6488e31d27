r"""What an exponential mechanism of one rate loses with three or more categories: half of its promise, and little more.

Let the rate \(\lambda\) be the same at all datasets. With \(p_0 = e^{-\lambda}\) and \(p_m \ge 0\) as in
``exponential_draws``, \(e^{-\lambda H} = \sum_m p_m e^{-mD}\) and \(\sum_{m \ge 1} p_m = 1 - e^{-\lambda}\), so that
with N candidates and \(S(x) = \sum_r e^{-D(x, r)}\)
\[ e^{-\lambda} N \le Z(x) \le e^{-\lambda} N + (1 - e^{-\lambda}) S(x) . \]
By the triangle inequality the worst output is the dataset itself. So the loss to a neighbour y is
\[ \lambda H(x, y) + \ln \frac{Z(y)}{Z(x)}
   \le \lambda H(x, y) + \min\Bigl\{ \lambda H(x, y),\ \ln\Bigl(1 + (e^\lambda - 1) \frac{S(y)}{N}\Bigr) \Bigr\} , \]
and the larger of the two losses between x and y is at least \(\lambda H(x, y)\).

The record moves between two categories with p and q records besides. Then \(H = F(u(\alpha_i + p) + u(\alpha_j + q))\),
which falls in both, and S grows in both: leaving out of the sum over r the condition on the total and the factor of one
other category, which is at most one, it is a product of
\[ g(a) = \sum_d e^{-D(a, a + d)} , \]
which grows with a and with the range of d. So H is large only where both categories are nearly empty; there S is
bounded, and N is not. For EHD, where \(\lambda \max H = \varepsilon / 2\), this is \(\varepsilon / 2\) and a term that
vanishes as n grows.
"""

import math
from functools import lru_cache
from itertools import combinations_with_replacement
from typing import Any, NamedTuple

import numpy as np

from .. import arithmetic
from ..arithmetic import exp, expm1, largest, log1p, maximum, minimum, number, smallest
from ..checks import Floats, Integers
from ..mechanisms.description import KnownRates
from ..model.datasets import lattice_size
from ..model.distances import distance, gamma_gap
from ..model.sums import rule

LARGEST_GROUPS = 6
"""Different prior weights are told apart up to so many; beyond, the heavier ones are bounded together."""

SINGLE = 12
"""Counts up to here are looked at one by one, beyond in blocks."""


class Certain(NamedTuple):
    """A loss that two neighbours are certain to have in one direction at least."""

    loss: float
    here: Integers
    there: Integers


def least_spent(prior: Floats, n: int, rates: KnownRates) -> Certain:
    r"""A bound of the loss from below, for three or more categories, n >= 1, and rates that may differ.

    The losses of x and y add up to the range of \(\lambda_y H(y, r) - \lambda_x H(x, r)\) over r, in which the two
    normalisers cancel, and which at r = x and r = y is \(\lambda_y H\) and \(-\lambda_x H\): one of them is at least
    \((\lambda_x + \lambda_y) H / 2\). The pairs looked at move a record between the two lightest categories, with few
    or many records besides, and all others in a third.
    """
    one, two = sorted(_two_smallest(prior))
    third = [i for i in range(len(prior)) if i not in (one, two)][-1]
    counts = np.array([0] if rates.constant else [0, *(2**i for i in range((n - 1).bit_length()))])
    p, q = (index.ravel() for index in np.meshgrid(counts, counts, indexing="ij"))
    p, q = p[p + q <= n - 1], q[p + q <= n - 1]
    here, there = np.zeros((2, len(p), len(prior)), dtype=np.int64)
    here[:, one], here[:, two], there[:, one], there[:, two] = p + 1, q, p, q + 1
    here[:, third] = there[:, third] = n - 1 - p - q
    H = distance(_record(prior[one] + p) + _record(prior[two] + q))
    losses = (rates.at(prior, here) + rates.at(prior, there)) / 2 * H
    i = int(losses.argmax())
    return Certain(float(losses[i]), here[i], there[i])


def most_spent(prior: Floats, n: int, rate: Any) -> Any:
    """A bound of the loss of the exponential mechanism of one rate, for three or more categories and n >= 1."""
    groups = _groups(prior)
    low = _grid(n)
    high = np.append(low[1:] - 1, n - 1)
    p, q = (index.ravel() for index in np.meshgrid(np.arange(len(low)), np.arange(len(low))))
    possible = low[p] + low[q] <= n - 1
    p, q = p[possible], q[possible]
    u = [_record(group.lightest + low) for group in groups]
    logs = [
        np.array([[_log_sum(group.heaviest, int(c) + more, n) for c in high] for more in (0, 1)]) for group in groups
    ]
    full = [_log_sum(group.heaviest, n, n) for group in groups]
    log_whole = _log_whole(lattice_size(n, len(prior)))
    bounds = []
    for i, j in combinations_with_replacement(range(len(groups)), 2):
        sizes = [group.size - (g == i) - (g == j) for g, group in enumerate(groups)]
        if min(sizes) < 0:
            continue
        # of the categories besides, all but the heaviest, each at most with all records
        sizes[max(g for g, size in enumerate(sizes) if size)] -= 1
        log_rest = sum(size * log_sum for size, log_sum in zip(sizes, full, strict=True)) - log_whole
        log_share = maximum(logs[i][1, p] + logs[j][0, q], logs[i][0, p] + logs[j][1, q]) + log_rest
        moved = rate * distance(u[i][p] + u[j][q])
        if arithmetic.in_doubles():
            log_share = np.minimum(log_share, 700)
        grown = log1p(expm1(rate) * exp(log_share)) if float(rate) < 700 else np.full(len(p), np.inf)
        bounds.append(largest(moved + minimum(moved, grown)))
    return largest(np.array(bounds))


class _Group(NamedTuple):
    lightest: Any
    heaviest: Any
    size: int


def _groups(prior: Floats) -> list[_Group]:
    """Categories of equal weights from the lightest on; of many weights, the heavier ones make up the last group."""
    order = np.argsort(arithmetic.approximate(prior), kind="stable")
    weights, place = np.unique(arithmetic.approximate(prior)[order], return_inverse=True)
    group = np.minimum(place, LARGEST_GROUPS - 1)
    members = [prior[order[group == number_of]] for number_of in range(min(len(weights), LARGEST_GROUPS))]
    return [_Group(smallest(some), largest(some), len(some)) for some in members]


def _two_smallest(prior: Floats) -> tuple[int, int]:
    first, second = np.argsort(arithmetic.approximate(prior), kind="stable")[:2].tolist()
    return first, second


def _grid(n: int) -> Integers:
    """Counts 0, ..., n - 1 one by one, and from some on where blocks begin."""
    if n - 1 <= SINGLE:
        return np.arange(n)
    count = int(math.log((n - 1) / SINGLE) / math.log(1.3)) + 2
    return np.unique(np.concatenate([np.arange(SINGLE), np.geomspace(SINGLE, n - 1, count).astype(np.int64)]))


def _record(a: Any) -> Any:
    r"""\(u(a) = D(a, a + 1)\)."""
    return gamma_gap(a, np.asarray(a) + 1, number("0.5"))


def _log_sum(weight: Any, count: int, n: int) -> Any:
    r"""\(\ln g(\alpha + c)\), the moves from -c to n - c."""
    a = weight + count
    if not arithmetic.in_doubles():
        d = np.arange(-count, n - count + 1).astype(object)
        d = np.array([number(int(move)) for move in d], dtype=object)
        return arithmetic.log(exp(-gamma_gap(a + 0 * d, a + d, d / 2)).sum())
    return _log_sum_in_doubles(float(a), count, n)


@lru_cache(maxsize=1024)
def _log_sum_in_doubles(a: float, count: int, n: int) -> float:
    (up, u), (down, v) = rule(max(n - count, 0) + 1), rule(count)
    d = np.concatenate([up, -1 - down])
    return math.log(float(np.concatenate([u, v]) @ np.exp(-gamma_gap(a, a + d, d / 2))))


def _log_whole(value: int) -> Any:
    return math.log(value) if arithmetic.in_doubles() else arithmetic.log(number(value))
