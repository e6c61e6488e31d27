r"""Laws of several numbers as independent numbers, whose laws are ``Gamma`` or ``Beta``: exactly, if none is cut.

Some laws on one space are given. In coordinates that are the same for all of them, the numbers are independent under
each; a column holds the laws of one number, and those whose laws are all one are left out.

* **Dirichlet rows**, by breaking a stick: with \(\theta_i = (1 - b_1)\cdots(1 - b_{i-1})\,b_i\) the shares are
  independent, \(b_i \sim \mathrm{Beta}(\alpha_i, \sum_{j > i}\alpha_j)\). Where the totals of the laws are one, the
  entries that all share go first, and their shares have one law; else they go last, and are one remainder. So one
  record that moves from a state to another leaves one share, b of \(\theta_i\) in \(\theta_i + \theta_j\). With a
  floor f, in doubles, this is so for the two or three states of a row: with a third entry its density has the factor
  \(\Pr[f \le \theta_k \le 1 - f / \min(b, 1 - b)]\), and its log-odds still have a log-concave law, by Prekopa's
  theorem, as the logarithms of all entries are concave in the log-odds of \(\theta_k\) and of b.
* **Two Wishart laws**, in the basis in which one scale is the unit matrix and the other has the diagonal v: by
  Bartlett's decomposition \(A = TT^\top\) the squares below the diagonal add up, in row i, to \(v_i\chi^2_{i-1}\), and
  \(T_{ii}^2\) is \(v_i\chi^2_{\nu - i + 1}\). Laws with the same degrees tell by the sum of both alone,
  \(v_i\chi^2_\nu\).
* **Two laws of a mean and a precision** of the same shape a and weight \(\kappa\), with
  \(g = \frac\kappa2(m_p - m_q)^2\): given \(\tau\), the log ratio is normal, with a mean and a variance that are
  multiples of \(\tau\), so it is a constant and a difference \(G_1 - G_2\) of independent gamma numbers. With
  \(t_+\) and \(-t_-\) the roots of \(b_p + (b_p - b_q - g)t - g t^2\), whose value at -1 is \(b_q\), these are
  \(\mathrm{Gamma}(a, t_+)\) and \(\mathrm{Gamma}(a, t_-)\) under p, with rates \(t_+ + 1\) and \(t_- - 1\) under q.

In the last two the numbers are a statistic that the log ratio is a function of, which keeps every distance. N draws are
N times as many independent numbers.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.linalg import eigh
from scipy.special import betainc, expit, log_expit

from ..arithmetic import in_doubles, log, number, sqrt
from .interval_laws import Beta, Gamma
from .laws import Tables, Wishart
from .log_concave import LogConcave
from .normal_laws import NormalGamma

SAME = 1e-14
"""Sums of doubles that are as near as that, relatively, are the same."""

TINY = 1e-300
"""In place of a probability of zero, at an end."""

Column = list[Any]
"""The laws of one number, one for each law that is told apart."""


def columns(laws: Sequence[Any]) -> list[Column] | None:
    """The columns, or None where no such numbers are known: of laws that are cut, or too many, or of unlike shapes.

    >>> columns([Tables([[3.0, 2.0, 1.0]]), Tables([[3.0, 1.0, 2.0]])])
    [[Beta(a=2.0, b=1.0, low=-inf, high=inf), Beta(a=1.0, b=2.0, low=-inf, high=inf)]]
    """
    first = laws[0]
    if isinstance(first, Tables):
        return _of_tables(laws)
    if isinstance(first, Wishart):
        return _of_wisharts(laws)
    return _of_means_and_precisions(laws)


def _of_tables(laws: Sequence[Tables]) -> list[Column] | None:
    found: list[Column] = []
    for rows in zip(*(_rows(law) for law in laws), strict=True):
        if all(_same(a, b) for row in rows[1:] for a, b in zip(rows[0], row, strict=True)):
            continue
        if laws[0].floor == 0:
            found += _sticks(rows)
        elif len(rows[0]) == 2:
            end = log((1 - laws[0].floor) / laws[0].floor)
            found.append([Beta(a, b, -end, end) for a, b in rows])
        else:
            share = _floored_share(rows, laws[0].floor)
            if share is None:
                return None
            found.append(share)
    return found


def _floored_share(rows: Sequence[Sequence[Any]], floor: Any) -> Column | None:
    """The log-odds of the share of one entry in two, of a row of three entries with a floor."""
    shared = [i for i in range(len(rows[0])) if all(_same(row[i], rows[0][i]) for row in rows)]
    totals = [sum(row) for row in rows]
    if len(rows[0]) != 3 or len(shared) != 1 or not in_doubles() or not all(_same(each, totals[0]) for each in totals):
        return None
    third = shared[0]
    i, j = (k for k in range(3) if k != third)
    a, b = rows[0][third], totals[0] - rows[0][third]
    end = math.log(1 / floor - 2)  # the share of the one entry is at most 1 - f / (1 - f)

    def log_room(t: Any) -> Any:
        """The logarithm of the probability of what the third entry can be."""
        least = np.minimum(floor / expit(-np.abs(t)), 1 - floor)  # of what the two have together
        low = betainc(b, a, 1 - floor) - betainc(b, a, least)
        room = np.where(betainc(b, a, least) < 0.5, low, betainc(a, b, 1 - least) - betainc(a, b, floor))
        return np.log(np.maximum(room, TINY))

    def law(row: Sequence[Any]) -> LogConcave:
        return LogConcave(lambda t: row[i] * log_expit(t) + row[j] * log_expit(-t) + log_room(t), -end, end)

    return [law(row) for row in rows]


def _rows(law: Tables) -> list[list[Any]]:
    return [row.tolist() for table in law.concentrations for row in table.reshape(-1, table.shape[-1])]


def _sticks(rows: Sequence[Sequence[Any]]) -> list[Column]:
    """The shares of a row, of whose laws not all are one."""
    entries = range(len(rows[0]))
    shared = [i for i in entries if all(_same(row[i], rows[0][i]) for row in rows)]
    moved = [i for i in entries if i not in shared]
    totals = [sum(row) for row in rows]
    order = shared + moved if all(_same(total, totals[0]) for total in totals) else moved + shared
    found = []
    for j in range(len(order) - 1):
        here, after = order[j], order[j + 1 :]
        if here in moved:
            found.append([Beta(row[here], sum(row[i] for i in after)) for row in rows])
    return found


def _of_wisharts(laws: Sequence[Wishart]) -> list[Column] | None:
    d = len(laws[0].scale)
    if d == 1:
        rates = [1 / (2 * law.scale[0, 0]) for law in laws]
        one = [Gamma(law.degrees / 2, rate, 0, law.largest) for law, rate in zip(laws, rates, strict=True)]
        return [] if all(law == one[0] for law in one) else [one]
    if len(laws) > 2 or any(law.largest < math.inf for law in laws):
        return None
    p, q = laws
    scales = eigh(q.scale, p.scale, eigvals_only=True)
    found = []
    for i, v in enumerate(scales.tolist()):
        if p.degrees == q.degrees:
            shapes = [(p.degrees / 2, q.degrees / 2)]
        else:
            shapes = [((p.degrees - i) / 2, (q.degrees - i) / 2), *([(i / 2, i / 2)] if i else [])]
        for a, b in shapes:
            if a != b or abs(v - 1) > SAME * d:
                found.append([Gamma(a, 0.5), Gamma(b, 0.5 / v)])
    return found


def _of_means_and_precisions(laws: Sequence[NormalGamma]) -> list[Column] | None:
    p, whole = laws[0], ((-math.inf, 0), (math.inf, math.inf))
    if any(law.ends != whole or (law.shape, law.weight) != (p.shape, p.weight) for law in laws):
        return None
    if all(law.mean == p.mean for law in laws):
        return [] if all(law.rate == p.rate for law in laws) else [[Gamma(law.shape, law.rate) for law in laws]]
    if len(laws) > 2:
        return None
    q = laws[1]
    g = p.weight * (p.mean - q.mean) ** 2 / number(2)
    slope = p.rate - q.rate - g
    root = sqrt(slope**2 + 4 * g * p.rate) + abs(slope)
    up, down = root / (2 * g), 2 * p.rate / root  # no difference of numbers that are near
    if slope < 0:
        up, down = down, up
    return [
        [Gamma(p.shape, up), Gamma(p.shape, up + 1)],
        [Gamma(p.shape, down), Gamma(p.shape, q.rate / (g * (up + 1)))],
    ]


def _same(a: Any, b: Any) -> bool:
    return bool(a == b) or (in_doubles() and math.isclose(a, b, rel_tol=SAME))
