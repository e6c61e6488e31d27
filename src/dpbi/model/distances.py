r"""Hellinger distance between Dirichlet posteriors, computed without cancellation.

For \(\mathrm{Dir}(a)\) and \(\mathrm{Dir}(b)\), let \(m = (a+b)/2\), \(h = (b-a)/2\) and \(t = h/m\). The distance is a
function of Jensen gaps of \(\ln\Gamma\),
\[ D(a, b) = \tfrac12 \ln\Gamma(a) + \tfrac12 \ln\Gamma(b) - \ln\Gamma(m) \ge 0 , \]
one for each category and one for the totals. With \(|a| = \sum_i a_i\),
\[ H^2 = 1 - \exp\Bigl(-\sum_i D(a_i, b_i) + D(|a|, |b|)\Bigr). \]
In ball arithmetic, the formulas above are evaluated directly. In doubles, differences of \(\ln\Gamma\) lose all digits
for large parameters: for (1e9, 1e9) and (1e9 + 1, 1e9 - 1) the computed distance would be 0, whereas the true distance
is 1.6e-5. Therefore ``_gap_in_doubles`` computes the gap by a different formula, from \(m\) and \(h\).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, xlogy

from .. import arithmetic, checks
from ..arithmetic import expm1, largest, lgamma, maximum, number, remembered, scalar, sqrt, zeros
from ..checks import Floats, Integers
from .datasets import in_chunks

# proved: at 20 the first omitted term of the series is below 1e-16 of the gap
STIRLING_FROM = 20
"""Smallest argument of Stirling's series; ``_lifted_excess`` and ``stirling_remainder`` cover smaller arguments."""

# proved: for m >= 500 the terms in 1/m^7 and 1/m^9 are below 1e-16 of the sum, because 1.4 / 500^6 < 1e-16
SHORT_SERIES_FROM = 500
"""Smallest midpoint m at which three terms of Stirling's series are enough."""

# chosen: allows tables for two categories with up to 546 records; the largest table takes 2.4 MB
KEPT_NUMBERS = 300_000
"""Largest number of entries of a table of distances that is cached."""

# chosen: a dozen temporary arrays of 32 KB each fit in the second-level cache of the processor
CHUNK_SIZE = 4096
"""Number of gaps that are computed at a time."""


def hellinger(a: ArrayLike, b: ArrayLike) -> Floats:
    r"""Hellinger distance between two Dirichlet distributions.

    \[ H^2 = 1 - B\!\left(\tfrac{a+b}{2}\right) / \sqrt{B(a) B(b)}, \qquad
       B(a) = \prod_i \Gamma(a_i) \,/\, \Gamma(\textstyle\sum_i a_i). \]
    For parameters from 1e-3 to 1e9 the relative error is below 1e-14 if the totals agree and below 1e-10 if they
    differ (measured against mpmath with 60 digits in tests/test_model_distances.py).

    Args:
        a, b: Dirichlet parameters, k >= 2 positive finite numbers on the last axis; leading axes broadcast.

    Returns:
        Distances in [0, 1], with the shape of the leading axes.

    >>> round(float(hellinger([1, 1], [2, 1])), 6)
    0.239146
    """
    first = checks.concentrations("a", a)
    second = checks.concentrations("b", b)
    checks.broadcasting(a=first, b=second)
    return distance(_affinity_exponent(first, second, (second - first) / 2))


def distance(exponent: ArrayLike) -> Floats:
    r"""Hellinger distance as a function of the affinity exponent v, \(F(v) = \sqrt{1 - e^{-v}}\).

    >>> round(float(distance(0.5)), 6)
    0.627271
    """
    v = maximum(exponent, 0)  # rounding may give an exponent such as -1e-17 where the densities agree
    return cast(Floats, sqrt(-expm1(-v)))


def _affinity_exponent(a: Floats, b: Floats, half: Floats) -> Floats:
    r"""Affinity exponent \(-\ln(1 - H^2)\) between two Dirichlet densities, computed from their Jensen gaps.

    The argument ``half`` is \(h = (b - a)/2\), passed separately because the difference of the rounded a and b would
    lose digits. If the totals differ, the leading parts of the gaps, \(m_i q(t_i)\) and \(M q(T)\) with q as in
    ``_entropy_gap``, nearly cancel. ``_leading`` computes their difference as a sum of divergences \(\ge 0\),
    \[ \sum_i m_i q(t_i) - M q(T) = \sum_i \frac{m_i}{2M} \Bigl[ A\,\varphi\bigl(\tfrac{y_i}{A}\bigr)
       + B\,\varphi\bigl(\tfrac{-y_i}{B}\bigr) \Bigr], \qquad
       y_i = H - \frac{h_i M}{m_i} = \frac{a_i B - b_i A}{2 m_i}, \quad \varphi(x) = (1+x)\ln(1+x) - x , \]
    with \(A = |a|\), \(B = |b|\), \(M = (A+B)/2\), \(H = (B-A)/2\), \(T = H/M\).
    """
    if not arithmetic.in_doubles():
        totals = [np.asarray(values).sum(axis=-1) for values in (a, b, half)]
        return cast(Floats, gamma_gap(a, b, half).sum(axis=-1) - gamma_gap(*totals))
    a, b, half = np.broadcast_arrays(a, b, half)
    total_half = half.sum(axis=-1)
    if not np.any(total_half):
        return np.asarray(gamma_gap(a, b, half).sum(axis=-1))
    total_excess = _excess(a.sum(axis=-1), b.sum(axis=-1), total_half)
    return np.asarray(_leading(a, b, half) + _excess(a, b, half).sum(axis=-1) - total_excess)


def _leading(a: Floats, b: Floats, half: Floats) -> Floats:
    """Difference of the leading parts of the Jensen gaps, by the formula in the docstring of ``_affinity_exponent``."""
    m = (a + b) / 2
    A, B, H = (values.sum(axis=-1, keepdims=True) for values in (a, b, half))
    M = (A + B) / 2
    # Both expressions equal y_i; the first loses digits if the totals differ greatly, the second if the totals nearly
    # agree.
    y = np.where(np.abs(H) < M / 2, m * H - half * M, (a * B - b * A) / 2) / m
    return cast(Floats, (m / M / 2 * (A * _phi(y / A) + B * _phi(-y / B))).sum(axis=-1))


def gamma_gap(a: ArrayLike, b: ArrayLike, half: ArrayLike) -> Floats:
    r"""Jensen gap of \(\ln\Gamma\), \(D(a, b) = \frac12\ln\Gamma(a) + \frac12\ln\Gamma(b) - \ln\Gamma(\frac{a+b}{2})\).

    Args:
        a, b: Positive numbers; arrays broadcast.
        half: \((b - a)/2\), passed separately because the difference of the rounded a and b would lose digits.

    Returns:
        Gaps >= 0, which are zero where a = b; in doubles their relative error is below 1e-14.

    >>> round(float(gamma_gap(1, 2, half=0.5)), 6)
    0.120782
    """
    if arithmetic.in_doubles():
        return _gap_in_doubles(a, b, half)
    first, second = np.asarray(a, dtype=object), np.asarray(b, dtype=object)
    same = first == second
    if np.all(same):
        return np.zeros(np.shape(same), dtype=object)
    return cast(Floats, np.where(same, 0, (lgamma(first) + lgamma(second)) / 2 - lgamma((first + second) / 2)))


def record_gap(a: ArrayLike) -> Floats:
    r"""Jensen gap of a category that gains one record, \(u(a) = D(a, a + 1)\), elementwise.

    >>> round(float(record_gap(1)), 6)
    0.120782
    """
    return gamma_gap(a, np.asarray(a) + 1, 0.5)


def moved_gap(prior: ArrayLike, counts: ArrayLike, changes: ArrayLike) -> Floats:
    r"""Jensen gap of a category whose count changes from x to x + d, \(D(\alpha + x, \alpha + x + d)\).

    Arrays broadcast. If all records leave the category, its parameter becomes exactly the prior weight, however small
    that weight is.

    Args:
        prior: Prior weight \(\alpha\) of the category.
        counts: Count x of the category.
        changes: Change d of the count.

    Returns:
        The gaps, >= 0.

    >>> round(float(moved_gap(1e-30, 20, -20)), 6)
    41.406891
    """
    alpha, x, d = np.asarray(prior), np.asarray(counts), np.asarray(changes)
    # x + d is added first, because the prior weight is then not rounded if x + d is zero
    return gamma_gap(*np.broadcast_arrays(alpha + x, alpha + (x + d), d / 2))


def line_distances(prior: Floats, n: int, p: ArrayLike, r: ArrayLike) -> Floats:
    """Hellinger distances between posteriors for two categories with first counts p and r, without validation.

    Args:
        prior: Dirichlet parameters, shape (2,).
        n: Number of records.
        p: First counts of datasets.
        r: First counts of outputs, which need not be integers; p and r broadcast.

    Returns:
        The distances.

    >>> line_distances(np.ones(2), 2, 1, np.arange(3)).round(6)
    array([0.408607, 0.      , 0.408607])
    """
    x, d = np.asarray(p), np.asarray(r) - np.asarray(p)
    return distance(moved_gap(prior[0], x, d) + moved_gap(prior[1], n - x, -d))


def _gap_in_doubles(a: ArrayLike, b: ArrayLike, half: ArrayLike) -> Floats:
    r"""Jensen gap as a sum of two nonnegative terms, \(D(a, b) = m\,q(t) + E\).

    ``_entropy_gap`` computes q, and ``_excess`` computes E.
    """
    a, b, h = np.broadcast_arrays(np.asarray(a, np.float64), np.asarray(b, np.float64), np.asarray(half, np.float64))
    if a.size > CHUNK_SIZE:
        parts = zip(*(np.array_split(each.ravel(), a.size // CHUNK_SIZE + 1) for each in (a, b, h)), strict=True)
        return np.concatenate([_gap_in_doubles(*part) for part in parts]).reshape(a.shape)
    m = (a + b) / 2
    return cast(Floats, m * _entropy_gap(h / m) + _excess(a, b, h))


def _excess(a: Floats, b: Floats, h: Floats) -> Floats:
    r"""Remainder of the Jensen gap after its leading part, \(E = D - m\,q(t) \ge 0\), by Stirling's formula.

    For \(|t| \le 1/2\) the terms of the formula combine without cancellation,
    \[ E = -\tfrac14 \ln(1 - t^2) + \sum_{p \in \{1,3,5,7,9\}} c_p\, m^{-p} \,
       \Bigl[\tfrac12 (1-t)^{-p} + \tfrac12 (1+t)^{-p} - 1\Bigr], \]
    and ``_lifted_excess`` first raises small arguments. For larger \(|t|\) the gap is so large that the difference of
    the Stirling remainders can be computed directly without losing digits.
    """
    m = (a + b) / 2
    least = np.minimum(a, b)
    near = np.abs(h) <= m / 2
    large = near & (least >= STIRLING_FROM)
    if large.all():
        return _stirling_excess(m, h)
    excess = np.empty(m.shape)
    if large.any():
        excess[large] = _stirling_excess(m[large], h[large])
    small = near & ~large
    if small.any():
        excess[small] = _lifted_excess(m[small], h[small])
    far = ~near
    if far.any():
        points = np.stack([a[far], b[far], m[far]])
        first, second, middle = stirling_remainder(points)
        excess[far] = (first + second) / 2 - middle - np.log(points[:2] / points[2]).sum(axis=0) / 4
    return excess


def _stirling_excess(m: Floats, h: Floats) -> Floats:
    """Remainder E of the Jensen gap by the series in ``_excess``, for arguments of at least ``STIRLING_FROM``."""
    s = np.square(h / m)
    x = 1 / (m * m)
    d = 1 / (1 - s)
    d2 = d * d
    d4 = d2 * d2
    # With s = t^2, ((1-t)^-p + (1+t)^-p)/2 - 1 = s * polynomial / (1-s)^p, expanded so that nothing cancels.
    p1 = 1 / 12
    p3 = (6 + s * (-3 + s)) * d2 / 360
    p5 = (15 + s * (-5 + s * (10 + s * (-5 + s)))) * d4 / 1260
    if m.size and m.min() < SHORT_SERIES_FROM:
        p7 = (28 + s * (14 + s * (42 + s * (-35 + s * (21 + s * (-7 + s)))))) * (d4 * d2) / 1680
        p9 = (
            (45 + s * (90 + s * (168 + s * (-117 + s * (126 + s * (-84 + s * (36 + s * (-9 + s))))))))
            * (d4 * d4)
            / 1188
        )
        p5 = p5 - x * (p7 - x * p9)
    remainder = s * d / m * (p1 - x * (p3 - x * p5))
    return cast(Floats, remainder - np.log1p(-s) / 4)


def _lifted_excess(m: Floats, h: Floats) -> Floats:
    r"""Remainder E of the Jensen gap for arguments below ``STIRLING_FROM``, which are first raised above it.

    As a function of m and h, the gap satisfies \(D(m, h) = D(m + 1, h) - \frac12 \ln(1 - t^2)\), because
    \(\Gamma(z+1) = z\Gamma(z)\). This recurrence is applied until Stirling's formula is accurate. The product of the
    factors \(1 - t_i^2\) is stored as \(c = 1 - \prod_i (1 - t_i^2)\); each step adds \(t_i^2 (1 - c) \ge 0\) to c, so
    nothing cancels.
    """
    c = np.zeros(m.shape)
    for square in np.square(h / np.add.outer(np.arange(STIRLING_FROM), m)):
        c += square * (1 - c)
    lifted = m + STIRLING_FROM
    here, raised = _entropy_gap(np.stack([h / m, h / lifted]))
    return cast(Floats, lifted * raised + _stirling_excess(lifted, h) - np.log1p(-c) / 2 - m * here)


def stirling_remainder(z: Floats) -> Floats:
    r"""Remainder of Stirling's formula, \(S(z) = \ln\Gamma(z) - (z - \frac12)\ln z + z - \frac12\ln 2\pi\)."""
    w = np.maximum(z, STIRLING_FROM)
    x = 1 / (w * w)
    series = 1 / 12 - x * (1 / 360 - x * (1 / 1260 - x * (1 / 1680 - x * (1 / 1188 - x * 691 / 360360))))
    remainder: Floats = series / w
    small = z < STIRLING_FROM
    if small.any():
        y = z[small]
        remainder[small] = gammaln(y) - ((y - 0.5) * np.log(y) - y + 0.5 * np.log(2 * np.pi))
    return remainder


def _entropy_gap(t: Floats) -> Floats:
    r"""Leading part of the Jensen gap divided by m, as a function q(t) for \(|t| \le 1\).

    \[ q(t) = t \operatorname{artanh} t + \tfrac12 \ln(1 - t^2) = \tfrac12[(1-t)\ln(1-t) + (1+t)\ln(1+t)] \]
    """
    # near |t| = 1 the first form is infinity minus infinity; near 0 the second form cancels
    far = np.abs(t) > 0.5
    u = np.where(far, 0.0, t)
    gap: Floats = np.asarray(u * np.arctanh(u) + np.log1p(-u * u) / 2)
    if far.any():
        v = t[far]
        gap[far] = (xlogy(1 - v, 1 - v) + xlogy(1 + v, 1 + v)) / 2
    return gap


def _phi(x: Floats) -> Floats:
    r"""The function \(\varphi(x) = (1+x)\ln(1+x) - x\) for \(x \ge -1\), without cancellation near 0.

    For \(|x| < 1/4\) the function is computed as a series in \(u = x/(2+x)\), for which
    \(\ln(1+x) = 2\operatorname{artanh} u\),
    \[ \varphi(x) = \frac{2u^2 + 2(1+u)(u^3/3 + u^5/5 + \dots)}{1-u}. \]
    """
    small = np.abs(x) < 0.25
    y = np.where(small, x, 0.0)
    u = y / (2 + y)
    w = u * u
    tail = 1 / 3 + w * (1 / 5 + w * (1 / 7 + w * (1 / 9 + w * (1 / 11 + w * (1 / 13 + w * (1 / 15 + w / 17))))))
    series = 2 * w * (1 + (1 + u) * u * tail) / (1 - u)
    z = np.where(small, 1.0, np.maximum(x, -1.0))  # rounding may give an x slightly below -1
    return np.where(small, series, xlogy(1 + z, 1 + z) - z)


def count_distances(prior: Floats, counts: Integers, outputs: Integers) -> Floats:
    """Hellinger distances from the posterior of one dataset to the posteriors of many outputs, without validation.

    If all totals agree, the Jensen gap of a category is computed only once for each value of its count.

    Args:
        prior: Dirichlet parameters, shape (k,).
        counts: Dataset, shape (k,).
        outputs: Released counts, shape (R, k).

    Returns:
        Distances of shape (R,).

    >>> count_distances(np.ones(2), np.array([1, 1]), np.array([[0, 2], [1, 1], [2, 0]])).round(6)
    array([0.408607, 0.      , 0.408607])
    """
    a = prior + counts
    if np.any(outputs.sum(axis=-1) != counts.sum()):
        return distance(_affinity_exponent(a, prior + outputs, (outputs - counts) / 2))
    exponent = zeros(len(outputs))
    for i, column in enumerate(outputs.T):
        values, place = np.unique(column, return_inverse=True)
        exponent += gamma_gap(a[i], prior[i] + values, (values - counts[i]) / 2)[place]
    return distance(exponent)


def lattice_distances(prior: Floats, datasets: Integers, outputs: Integers | None = None) -> Floats:
    """Hellinger distances between the posteriors of datasets and of outputs with equal totals, without validation.

    Args:
        prior: Dirichlet parameters, shape (k,).
        datasets: Datasets of equal totals, shape (D, k).
        outputs: Outputs with the total of the datasets, shape (R, k); by default the datasets themselves.

    Returns:
        Distances of shape (D, R).

    >>> lattice_distances(np.ones(2), np.array([[0, 1], [1, 0]])).round(6).tolist()
    [[0.0, 0.463251], [0.463251, 0.0]]
    """
    columns = datasets if outputs is None else outputs
    if arithmetic.in_doubles() and len(datasets) * len(columns) <= KEPT_NUMBERS:
        return _kept_distances(np.asarray(prior, np.float64).tobytes(), datasets.tobytes(), columns.tobytes())
    return in_chunks(datasets, len(columns), lambda rows: _distances(prior, rows, columns))


@lru_cache(maxsize=4)
def _kept_distances(prior: bytes, datasets: bytes, outputs: bytes) -> Floats:
    """Table of Hellinger distances, cached because audits and errors for many budgets need the same table."""
    weights = np.frombuffer(prior)
    rows, columns = np.frombuffer(datasets, np.int64), np.frombuffer(outputs, np.int64)
    table = _distances(weights, rows.reshape(-1, len(weights)), columns.reshape(-1, len(weights)))
    table.flags.writeable = False
    return table


def _distances(prior: Floats, some: Integers, datasets: Integers) -> Floats:
    """Table of Hellinger distances between the posteriors of ``some`` and of ``datasets``, using tables of gaps."""
    exponent: Any = 0
    values = np.arange(int(datasets[0].sum()) + 1)
    for weight in dict.fromkeys(prior.tolist()):  # categories with equal prior weights share one table of gaps
        alike = np.flatnonzero(prior == weight)
        here, row = np.unique(some[:, alike], return_inverse=True)
        table = gamma_gap(weight + here[:, None], weight + values, (values - here[:, None]) / 2)
        for place, i in zip(row.reshape(len(some), -1).T, alike, strict=True):
            exponent += table[place[:, None], datasets[:, i]]
    return distance(exponent)


@remembered
def largest_step(prior: tuple[float, ...], n: int) -> float:
    """Largest Hellinger distance between posteriors of neighbouring datasets, cached and without validation.

    The public function ``global_sensitivity`` documents the formula and its proof. Values are cached because
    otherwise every draw of a mechanism would compute the sensitivity again.

    Args:
        prior: Dirichlet parameters.
        n: Number of records.

    Returns:
        GS in [0, 1).
    """
    if n == 0:
        return scalar(number(0.0))
    weights = np.asarray(prior)
    if len(prior) > 2:
        return scalar(distance(record_gap(np.partition(weights, 1)[:2]).sum()))
    return scalar(largest(distance(record_gap(weights + np.array([[0, n - 1], [n - 1, 0]])).sum(axis=-1))))
