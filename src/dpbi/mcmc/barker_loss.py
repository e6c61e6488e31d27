r"""The hardest pair of laws for one answer of Barker's test on a batch.

A step releases one bit. With \(\lambda\) the ratio of the batch and v what the variance of the noise has beyond the
least, \(C - 1 = 1\), the answer is yes with probability

\[ A_v(\lambda) = P\bigl(\lambda + N(0, 1 + v) + V_C > 0\bigr) , \]

and one replaced row moves \(\lambda\) by at most \(\Delta = 2/\sqrt b\) and v by at most \(\eta = 4(b-1)/b^2\), within
[0, 1]. What has to be bounded, for \(\alpha = e^{\varepsilon} \ge 1\), is the largest
\(A_{v'}(\lambda') - \alpha A_v(\lambda)\): that of the answer no is the same, for \(V_C\) is symmetric.

**The smaller variance may be taken as the least.** Otherwise both tests share a further normal number; given that
number, it is a change of \(\lambda\) on both sides, so that the difference is a mean of differences at the least
variance. And \(A\) grows with \(\lambda\), so \(\lambda' = \lambda + \Delta\).

**The larger is at most** \(\eta\) **more.** By the heat equation \(\partial_v A = f'/2\), f the density, so that

\[ A_u(\lambda) = A_0(\lambda) + \tfrac u2 f'(\lambda) \pm \tfrac{u^2}{8} \sup |f'''| , \]

and up to the last term the worst u is 0 or \(\eta\). What is left are three curves of points
\((A(\lambda), A'(\lambda + \Delta))\).

**Between points of a grid** of spacing h a function is at most the larger end and \(\frac{h^2}{8} \sup |H''|\). With
\(\varphi(z + t) \le \varphi(z) e^{|zt|}\) both remainders are sums over the atoms of V, and each point moves up and to
the left by its own. The upper hull of all points is the curve of a pair of finite laws. It is cut where it meets
\(x + y = 1\): farther on no answer is likelier under the first law. All of it is in doubles.
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from ..checks import Floats
from ..guarantees import SecretLoss
from .barker_rule import VARIANCE, correction

SPACING = 0.002
"""Of the grid for the ratio."""

BEYOND = 9.0
"""Ratios so many deviations beyond the last atom are taken together: less than 1e-18 of an answer."""

ROUNDED = 1e-14
"""What a probability of an answer is rounded by, relatively; the weights are as they are drawn."""


class Laws(NamedTuple):
    """Two laws on the same outputs; the first may have what the second has not."""

    p: Floats
    q: Floats


class _Answers(NamedTuple):
    """Of the test with the least variance, at many ratios: the probability of yes, and what bounds its changes."""

    yes: Floats
    slope: Floats  # f'
    slopes: Floats  # sup |f'| nearby
    bends: Floats  # sup |f'''| nearby, for all variances up to eta more


@lru_cache(maxsize=8)
def hardest_laws(batch: int) -> Laws:
    """Two laws that are at least as far apart as the answers of the test on any two batches with one row replaced.

    >>> laws = hardest_laws(1300)
    >>> round(float(laws.p.sum()), 12), round(float(laws.q.sum()), 12), bool(laws.q[0] == 0)
    (1.0, 1.0, True)
    """
    moved, wider = 2 / math.sqrt(batch), 4 * (batch - 1) / batch**2
    farthest = float(correction(VARIANCE).atoms[correction(VARIANCE).weights > 0].max()) + BEYOND
    ratios = np.arange(-farthest - moved, farthest, SPACING)
    here, there = _answers(ratios, wider), _answers(ratios + moved, wider)
    h, extra = SPACING**2 / 8, wider**2 / 8
    curves = []
    for before, after in ((0.0, 0.0), (wider / 2, 0.0), (0.0, wider / 2)):
        low = here.yes * (1 - ROUNDED) + before * here.slope - h * (here.slopes + before * here.bends)
        high = there.yes * (1 + ROUNDED) + after * there.slope + h * (there.slopes + after * there.bends)
        low -= extra * here.bends if before else 0.0
        high += extra * there.bends if after else 0.0
        curves.append(np.column_stack([np.maximum(low, 0.0), np.minimum(high, 1.0)]))
    # beyond the grid: no more than the first yes, and no fewer than the last, whose no is a yes on the other side
    no = _answers(-ratios[-1:], wider)
    last = 1 - float((no.yes + wider / 2 * no.slope + extra * no.bends)[0]) * (1 + ROUNDED)
    ends = np.array([[0.0, curves[2][0, 1]], [max(0.0, last), 1.0], [1.0, 1.0]])
    hull = _upper_hull(np.concatenate([*curves, ends]))
    half = int(np.argmax(hull.sum(axis=1) >= 1))
    (x0, y0), (x1, y1) = hull[half - 1], hull[half]
    part = (1 - x0 - y0) / (x1 + y1 - x0 - y0)
    middle = np.array([x0 + part * (x1 - x0), y0 + part * (y1 - y0)])
    q, p = np.diff(np.vstack([[0.0, 0.0], hull[:half], middle, [1.0, 1.0]]), axis=0).T
    return Laws(p, q)


def _answers(ratios: Floats, wider: float) -> _Answers:
    law = correction(VARIANCE)
    yes, slope, slopes, bends = (np.zeros(len(ratios)) for _ in range(4))
    for atom, weight in zip(law.atoms, law.weights, strict=True):
        if weight > 0:
            z = ratios + atom
            density, far = weight * np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi), np.abs(z) + SPACING
            yes += weight * ndtr(z)
            slope -= z * density
            slopes += far * density * np.exp(far * SPACING)
            bends += (far**3 + 3 * far) * density * np.exp(far * SPACING + far**2 * wider / 2)
    return _Answers(yes, slope, slopes, bends)


def _upper_hull(points: Floats) -> Floats:
    """The corners of the least concave curve above all points, from left to right."""
    corners: list[tuple[float, float]] = []
    for x, y in points[np.lexsort((-points[:, 1], points[:, 0]))].tolist():
        if corners and x == corners[-1][0]:
            continue
        while len(corners) > 1:
            (x0, y0), (x1, y1) = corners[-2:]
            if (y1 - y0) * (x - x1) > (y - y1) * (x1 - x0):
                break
            corners.pop()
        corners.append((x, y))
    return np.array(corners)


@lru_cache(maxsize=8)
def secret_loss(batch: int, rows: int) -> SecretLoss:
    """The loss of one step on so many rows.

    >>> secret_loss(1300, 100_000).share
    0.013
    """
    return SecretLoss(*hardest_laws(batch), batch / rows)
