r"""The best remap of geometric noise where its window is wide: one output at a time, in little memory.

The expected loss of a candidate s is \(J(s) = L(s) + R(s)\), the parts of the datasets up to s and beyond. Because H
rises on either side of x, L rises with s and R falls, so that no candidate from s to t is below \(L(s) + R(t)\): what
lies between two candidates is ruled out, or cut. Sums are over panels (``model.sums``), with p, H smooth but for the
output, the candidate and the ends.
"""

import numpy as np

from ..checks import Floats
from ..model.distances import distance, gamma_gap
from ..model.sums import rule

CLOSE = 1e-6
"""A candidate is as good as the best when its expected loss is within this share of it."""


def wide_remap(prior: Floats, n: int, epsilon: float, z: int, width: int) -> int:
    """A candidate whose expected loss is within ``CLOSE`` of the least; the datasets are z - width, ..., z + width."""
    low, high = max(0, z - width), min(n, z + width)
    parts: dict[int, tuple[float, float]] = {}

    def sides(s: int) -> tuple[float, float]:
        if s not in parts:
            parts[s] = _sides(prior, n, epsilon, z, s, low, high)
        return parts[s]

    cuts = sorted({0, n, z, *(int(s) for s in np.clip(z + np.linspace(-1, 1, 41) * 8 / epsilon, 0, n))})
    ranges = list(zip(cuts[:-1], cuts[1:], strict=True))
    best = min(cuts, key=lambda s: (sum(sides(s)), abs(s - z)))
    while ranges:
        left = []
        for s, t in ranges:
            if t - s > 1 and sides(s)[0] + sides(t)[1] < sum(sides(best)) * (1 - CLOSE):
                middle = (s + t) // 2
                if sum(sides(middle)) < sum(sides(best)) * (1 - 1e-13):
                    best = middle
                left += [(s, middle), (middle, t)]
        ranges = left
    return best


def _sides(prior: Floats, n: int, epsilon: float, z: int, s: int, low: int, high: int) -> tuple[float, float]:
    """L and R of a candidate, up to a factor that all candidates share."""
    breaks = sorted({low, min(max(s, low), high), z, high + 1})
    sums = [0.0, 0.0]
    for first, end in zip(breaks[:-1], breaks[1:], strict=True):
        nodes, weights = rule(end - first)
        x = first + nodes
        log_p = sum(_log_ratio(a, y) - _log_ratio(a, y0) for a, y, y0 in ((prior[0], x, z), (prior[1], n - x, n - z)))
        half = (x - s) / 2
        H = distance(gamma_gap(prior[0] + s, prior[0] + x, half) + gamma_gap(prior[1] + n - s, prior[1] + n - x, -half))
        sums[first >= s] += float(weights @ (np.exp(log_p - epsilon * np.abs(x - z)) * H))
    return sums[0], sums[1]


def _log_ratio(a: float, x: Floats | int) -> Floats:
    r"""\(\ln \Gamma(a + x) - \ln \Gamma(x + 1)\), by Stirling's formula without its large terms."""
    up, down = np.asarray(x) + a, np.asarray(x) + 1.0
    lifted = np.zeros(np.shape(up))
    for i in range(20):
        lifted -= np.log(up + i) - np.log(down + i)
    up, down = up + 20, down + 20
    ratio = (up - 0.5) * np.log1p((a - 1) / down) + (a - 1) * (np.log(down) - 1)
    return lifted + ratio + _rest(up) - _rest(down)


def _rest(z: Floats) -> Floats:
    x = 1 / (z * z)
    return (1 / 12 - x * (1 / 360 - x * (1 / 1260 - x / 1680))) / z
