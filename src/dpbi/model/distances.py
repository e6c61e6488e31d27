r"""Dirichlet posteriors and the Hellinger distance between them, without cancellation.

Between \(\mathrm{Dir}(a)\) and \(\mathrm{Dir}(b)\), write \(m = (a+b)/2\), \(h = (b-a)/2\), \(t = h/m\). The distance
is built from the Jensen gap of \(\ln\Gamma\),
\[ D(a, b) = \tfrac12 \ln\Gamma(a) + \tfrac12 \ln\Gamma(b) - \ln\Gamma(m) \ge 0 , \]
one gap per category and one for the totals: with \(|a| = \sum_i a_i\),
\[ H^2 = 1 - \exp\Bigl(-\sum_i D(a_i, b_i) + D(|a|, |b|)\Bigr). \]
Over balls that is what is computed. In doubles, differences of \(\ln\Gamma\) would lose every digit at large
parameters; there the gap is computed from \(m\) and \(h\), by the second bodies that begin with ``_gap_in_doubles``.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, xlogy

from .. import arithmetic, checks
from ..arithmetic import expm1, lgamma, log, maximum, number, sqrt, zeros
from ..checks import Floats, Integers
from .datasets import in_blocks

STIRLING_FROM = 20
"""Arguments from here on take Stirling's series: its first omitted term is below 1e-16 of the gap."""

TOGETHER = 4096
"""So many gaps are computed together: what is computed on the way stays in the processor's cache."""


def posterior(prior: ArrayLike, counts: ArrayLike) -> Floats:
    """Concentrations of the posterior, prior + counts; broadcasts over the leading axes of ``counts``.

    >>> posterior([1, 1], [14, 6])
    array([15.,  7.])
    """
    weights = checks.prior_weights(prior)
    return weights + checks.count_vector(counts, len(weights))


def hellinger(a: ArrayLike, b: ArrayLike) -> Floats:
    r"""Hellinger distance between \(\mathrm{Dir}(a)\) and \(\mathrm{Dir}(b)\); the last axis holds the categories.

    \[ H^2 = 1 - B\!\left(\tfrac{a+b}{2}\right) / \sqrt{B(a) B(b)}, \qquad
       B(a) = \prod_i \Gamma(a_i) \,/\, \Gamma(\textstyle\sum_i a_i). \]

    Leading axes broadcast. For parameters from 1e-3 to 1e9 the relative error is below 1e-14 when the totals agree and
    below 1e-10 when they differ.

    >>> round(float(hellinger([1, 1], [2, 1])), 6)
    0.239146
    """
    first = checks.concentrations("a", a)
    second = checks.concentrations("b", b)
    if first.shape[-1] != second.shape[-1]:
        raise ValueError(
            f"a and b must have the same number of categories, got {first.shape[-1]} and {second.shape[-1]}"
        )
    checks.broadcasting(a=first, b=second)
    return distance(affinity_exponent(first, second, (second - first) / 2))


def log_density(concentration: ArrayLike, theta: ArrayLike) -> Floats:
    r"""Log density of \(\mathrm{Dir}(a)\) at \(\theta\), \(\sum_i (a_i - 1)\ln\theta_i - \ln B(a)\); broadcasts.

    On the boundary it may be \(\pm\infty\), and it is nan where one factor vanishes and another is infinite.

    >>> round(float(log_density([2, 2], [0.5, 0.5])), 6)
    0.405465
    """
    a = checks.concentrations("concentration", concentration)
    point = checks.simplex("theta", theta, a.shape[-1])
    checks.broadcasting(concentration=a, theta=point)
    with np.errstate(divide="ignore", invalid="ignore"):
        powers = np.where(a == 1, number(0), (a - 1) * log(point)).sum(axis=-1)
    return np.asarray(powers - log_beta(a))


def log_beta(concentration: Floats) -> Floats:
    r"""\(\ln B(a) = \sum_i \ln\Gamma(a_i) - \ln\Gamma(\sum_i a_i)\), over the last axis.

    >>> log_beta(np.array([2.0, 2.0])).round(6)  # B(2, 2) = 1/6
    np.float64(-1.791759)
    """
    logarithm: Floats = lgamma(concentration).sum(axis=-1) - lgamma(concentration.sum(axis=-1))
    return logarithm


def distance(exponent: ArrayLike) -> Floats:
    r"""\(F(v) = \sqrt{1 - e^{-v}}\): the Hellinger distance whose affinity is \(e^{-v}\).

    >>> round(float(distance(0.5)), 6)
    0.627271
    """
    v = maximum(exponent, number(0))  # rounding may leave -1e-17 where the posteriors agree
    root: Floats = sqrt(-expm1(-v))
    return root


def affinity_exponent(a: Floats, b: Floats, half: Floats) -> Floats:
    r"""\(-\ln(1 - H^2)\) between \(\mathrm{Dir}(a)\) and \(\mathrm{Dir}(a + 2h)\), the sum of gaps over the last axis.

    ``half`` is passed on its own because \(b - a\) rounds. For unequal totals the leading parts of the gaps,
    \(m_i q(t_i)\) and \(M q(T)\), nearly cancel; their difference is ``_leading``, a sum of divergences \(\ge 0\),
    \[ \sum_i m_i q(t_i) - M q(T) = \sum_i \frac{m_i}{2M} \Bigl[ A\,\varphi\bigl(\tfrac{y_i}{A}\bigr)
       + B\,\varphi\bigl(\tfrac{-y_i}{B}\bigr) \Bigr], \qquad
       y_i = H - \frac{h_i M}{m_i} = \frac{a_i B - b_i A}{2 m_i}, \quad \varphi(x) = (1+x)\ln(1+x) - x , \]
    with \(A = |a|\), \(B = |b|\), \(M = (A+B)/2\), \(H = (B-A)/2\), \(T = H/M\).
    """
    if not arithmetic.in_doubles():
        totals = [np.asarray(values).sum(axis=-1) for values in (a, b, half)]
        exact: Floats = gamma_gap(a, b, half).sum(axis=-1) - gamma_gap(*totals)
        return exact
    a, b, half = np.broadcast_arrays(a, b, half)
    total_half = half.sum(axis=-1)
    if not np.any(total_half):
        gaps: Floats = gamma_gap(a, b, half).sum(axis=-1)
        return gaps
    total_excess = _excess(a.sum(axis=-1), b.sum(axis=-1), total_half)
    total: Floats = _leading(a, b, half) + _excess(a, b, half).sum(axis=-1) - total_excess
    return total


def _leading(a: Floats, b: Floats, half: Floats) -> Floats:
    m = (a + b) / 2
    A, B, H = (values.sum(axis=-1, keepdims=True) for values in (a, b, half))
    M = (A + B) / 2
    y = np.where(np.abs(H) < M / 2, m * H - half * M, (a * B - b * A) / 2) / m  # equal numbers, the better rounded one
    leading: Floats = (m / M / 2 * (A * _phi(y / A) + B * _phi(-y / B))).sum(axis=-1)
    return leading


def gamma_gap(a: ArrayLike, b: ArrayLike, half: ArrayLike) -> Floats:
    r"""Jensen gap of \(\ln\Gamma\), \(D(a, b) = \frac12\ln\Gamma(a) + \frac12\ln\Gamma(b) - \ln\Gamma(\frac{a+b}{2})\).

    Elementwise, zero where a = b; in doubles to a relative error below 1e-14.

    >>> round(float(gamma_gap(1, 2, half=0.5)), 6)
    0.120782
    """
    if arithmetic.in_doubles():
        return _gap_in_doubles(a, b, half)
    first, second = np.asarray(a, dtype=object), np.asarray(b, dtype=object)
    same = first == second
    if np.all(same):
        return np.zeros(np.shape(same), dtype=object)
    gap: Floats = np.where(same, 0, (lgamma(first) + lgamma(second)) / 2 - lgamma((first + second) / 2))
    return gap


def moved_gap(prior: ArrayLike, counts: ArrayLike, moves: ArrayLike) -> Floats:
    r"""\(D(a, a + d)\) of categories that d records move to, \(a = \alpha + x\): all arrays broadcast.

    Where all records are gone the prior weight is left, however small it is.

    >>> round(float(moved_gap(1e-30, 20, -20)), 6)
    41.406891
    """
    alpha, x, d = np.asarray(prior), np.asarray(counts), np.asarray(moves)
    return gamma_gap(*np.broadcast_arrays(alpha + x, alpha + (x + d), d / 2))


def _gap_in_doubles(a: ArrayLike, b: ArrayLike, half: ArrayLike) -> Floats:
    r"""\(D(a, b) = m\,q(t) + E\), both parts at least zero."""
    a, b, h = np.broadcast_arrays(np.asarray(a, np.float64), np.asarray(b, np.float64), np.asarray(half, np.float64))
    if a.size > TOGETHER:
        return _in_pieces(_gap_in_doubles, a, b, h)
    m = (a + b) / 2
    gap: Floats = m * _entropy_gap(h / m) + _excess(a, b, h)
    return gap


def _in_pieces(elementwise: Callable[..., Floats], *arrays: Floats) -> Floats:
    """The same as of all elements at once."""
    flat = [array.ravel() for array in arrays]
    found = np.empty(arrays[0].size)
    for i in range(0, len(found), TOGETHER):
        found[i : i + TOGETHER] = elementwise(*(array[i : i + TOGETHER] for array in flat))
    return found.reshape(arrays[0].shape)


def _excess(a: Floats, b: Floats, h: Floats) -> Floats:
    r"""\(E = D - m\,q(t) \ge 0\), what Stirling's formula adds to the leading part of the gap.

    For \(|t| \le 1/2\) its terms combine without cancellation,
    \[ E = -\tfrac14 \ln(1 - t^2) + \sum_{p \in \{1,3,5,7,9\}} c_p\, m^{-p} \,
       \Bigl[\tfrac12 (1-t)^{-p} + \tfrac12 (1+t)^{-p} - 1\Bigr], \]
    small arguments being lifted first. A larger \(|t|\) makes the gap large, and the difference of Stirling remainders
    is taken as it stands.
    """
    if a.size > TOGETHER:
        return _in_pieces(_excess, a, b, h)
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
        first, second, middle = a[far], b[far], m[far]
        ends = _stirling_remainder(first) + _stirling_remainder(second)
        excess[far] = ends / 2 - _stirling_remainder(middle) - (np.log(first / middle) + np.log(second / middle)) / 4
    return excess


def _stirling_excess(m: Floats, h: Floats) -> Floats:
    s = np.square(h / m)
    x = 1 / (m * m)
    d = 1 / (1 - s)
    d2 = d * d
    d4 = d2 * d2
    # ((1-t)^-p + (1+t)^-p)/2 - 1 = s * polynomial / (1-s)^p, expanded so that nothing cancels
    p1 = 1 / 12
    p3 = (6 + s * (-3 + s)) * d2 / 360
    p5 = (15 + s * (-5 + s * (10 + s * (-5 + s)))) * d4 / 1260
    p7 = (28 + s * (14 + s * (42 + s * (-35 + s * (21 + s * (-7 + s)))))) * (d4 * d2) / 1680
    p9 = (45 + s * (90 + s * (168 + s * (-117 + s * (126 + s * (-84 + s * (36 + s * (-9 + s)))))))) * (d4 * d4) / 1188
    remainder = s * d / m * (p1 - x * (p3 - x * (p5 - x * (p7 - x * p9))))
    excess: Floats = remainder - np.log1p(-s) / 4
    return excess


def _lifted_excess(m: Floats, h: Floats) -> Floats:
    r"""The excess at small arguments, from \(\Gamma(z+1) = z\Gamma(z)\):

    \(D(m, h) = D(m + 1, h) - \frac12 \ln(1 - t^2)\), applied until Stirling's formula is accurate. The factors
    \(1 - t^2\) are gathered in \(c = 1 - \prod (1 - t_i^2)\), whose updates \(c + s - cs\) have terms of one sign.
    """
    c = np.zeros(m.shape)
    for square in np.square(h / np.add.outer(np.arange(STIRLING_FROM), m)):
        c += square * (1 - c)
    lifted = m + STIRLING_FROM
    gap = lifted * _entropy_gap(h / lifted) + _stirling_excess(lifted, h) - np.log1p(-c) / 2
    excess: Floats = gap - m * _entropy_gap(h / m)
    return excess


def _stirling_remainder(z: Floats) -> Floats:
    r"""\(S(z) = \ln\Gamma(z) - (z - \frac12)\ln z + z - \frac12\ln 2\pi\)."""
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
    r"""\(q(t) = t \operatorname{artanh} t + \frac12 \ln(1 - t^2)
    = \frac12[(1-t)\ln(1-t) + (1+t)\ln(1+t)]\) for \(|t| \le 1\)."""
    far = np.abs(t) > 0.5
    u = np.where(far, 0.0, t)
    gap: Floats = np.asarray(u * np.arctanh(u) + np.log1p(-u * u) / 2)
    if far.any():
        v = t[far]
        gap[far] = (xlogy(1 - v, 1 - v) + xlogy(1 + v, 1 + v)) / 2
    return gap


def _phi(x: Floats) -> Floats:
    r"""\(\varphi(x) = (1+x)\ln(1+x) - x\) for \(x \ge -1\).

    With \(u = x/(2+x)\), so that \(\ln(1+x) = 2\operatorname{artanh} u\),
    \[ \varphi(x) = \frac{2u^2 + 2(1+u)(u^3/3 + u^5/5 + \dots)}{1-u}. \]
    """
    small = np.abs(x) < 0.25
    y = np.where(small, x, 0.0)
    u = y / (2 + y)
    w = u * u
    tail = 1 / 3 + w * (1 / 5 + w * (1 / 7 + w * (1 / 9 + w * (1 / 11 + w * (1 / 13 + w * (1 / 15 + w / 17))))))
    series = 2 * w * (1 + (1 + u) * u * tail) / (1 - u)
    z = np.where(small, 1.0, np.maximum(x, -1.0))
    return np.where(small, series, xlogy(1 + z, 1 + z) - z)


def count_distances(prior: Floats, counts: Integers, outputs: Integers) -> Floats:
    """Hellinger distances from the posterior of one dataset to those of many outputs, shape (R,); inputs unchecked.

    The moves are integers and stay exact. Where totals agree, each category is computed once per value of its count.

    >>> count_distances(np.ones(2), np.array([1, 1]), np.array([[0, 2], [1, 1], [2, 0]])).round(6)
    array([0.408607, 0.      , 0.408607])
    """
    a = prior + counts
    if np.any(outputs.sum(axis=-1) != counts.sum()):
        return distance(affinity_exponent(a, prior + outputs, (outputs - counts) / 2))
    exponent = zeros(len(outputs))
    for i, column in enumerate(outputs.T):
        values, place = np.unique(column, return_inverse=True)
        exponent += gamma_gap(a[i], prior[i] + values, (values - counts[i]) / 2)[place]
    return distance(exponent)


def lattice_distances(prior: Floats, datasets: Integers) -> Floats:
    """Hellinger distances between the posteriors of all pairs of datasets of one size, shape (D, D); unchecked.

    >>> lattice_distances(np.ones(2), np.array([[0, 1], [1, 0]])).round(6).tolist()
    [[0.0, 0.463251], [0.463251, 0.0]]
    """
    return in_blocks(datasets, len(datasets), lambda rows: distances_from(prior, rows, datasets))


def distances_from(prior: Floats, some: Integers, datasets: Integers) -> Floats:
    """The same from some of the datasets, a row each."""
    exponent = zeros((len(some), len(datasets)))
    values = np.arange(int(datasets[0].sum()) + 1)
    for i, weight in enumerate(prior):
        here, row = np.unique(some[:, i], return_inverse=True)
        table = gamma_gap(weight + here[:, None], weight + values, (values - here[:, None]) / 2)
        exponent += table[row[:, None], datasets[:, i]]
    return distance(exponent)
