r"""What counts near 0 fall short of the records that are taken away: the second variable of ``lattice_sums``.

Of a category near an end a record is left, or it is emptied, or it is full. So many records taken, \(\tau\) from
count x, what an emptied one falls short by and a full one exceeds n by have the generating functions
\[ S(w) = \sum_{s \ge 0} c\,r^{|m-s|} w^s
       = \frac{c}{1-rw} \Big( r^{|m|} + (1 - r^2) \sum_{s=1}^m r^{m-s} w^s \Big), \qquad
   E(w) = \sum_{e \ge 1} c\,r^{n-x+e} w^{-e} = c\,r^{n-x}\, \frac{r/w}{1-r/w} , \]
\(m = \tau - x\), \(c = \frac{1-r}{1+r}\). Of the product G of all categories one coefficient is sought, that of
\(w^\ell\), \(\ell = \sum_i \tau_i\). Outside \(|w| = r\) it has one pole, at \(1/r\). If any category is emptied,
G is \(O(w^{\ell-1})\) at infinity, for no S grows faster than \(w^{\max(m, 0) - 1}\). So
\[ [w^\ell] G = -\frac{1}{2 \pi i} \oint \frac{G(w)}{w^{\ell+1}}\, dw
     \approx -\frac1M \sum_j \frac{\zeta_j}{1 + \zeta_j} \frac{G(w_j)}{w_j^\ell} , \qquad
   w = \frac{1 + \zeta}{r}, \qquad |\zeta_j| = \kappa , \]
around that pole. If none is, nothing is added, for nothing has a pole there. The rule with M points adds every M-th
coefficient of Laurent's series of \(g(\zeta) = \frac{\zeta}{1+\zeta} G w^{-\ell}\) to the one that is sought. By
Cauchy's inequality this is at most \(|g|_{\kappa_1} q_1^M / (1 - q_1^M) + |g|_{\kappa_2} q_2^M / (1 - q_2^M)\),
\(q_1 = \kappa_1 / \kappa\) and \(q_2 = \kappa / \kappa_2\), for all circles inside and outside, up to
\(1 - \kappa_2 > r^2\); and the first is nothing where M is more than the categories that may be emptied. But for
\(1 - rw\), which is of one size on a circle, all factors times \(w^{-\tau}\) are sums of powers of \(1/w\) with
positive coefficients, and so are largest where \(|w|\) is least. So the points that are needed are some multiple of the
root of how many may be emptied, however wide the noise is.

Narrow noise moves w away from the pole, next to zero. There the rule is one around zero, \(|w| = 1\), as well: it adds
every M-th coefficient of G, and these are at most \(\rho^{-M}\) and \(\rho^M\) times G on circles outside and inside.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from ..checks import Floats, Integers
from ..mechanisms.gaussian_noise import GaussianNoiseAt
from ..mechanisms.noise import NoiseAt
from .spectrum import Complexes

LARGER = 16.0
"""On the circle with the fewest points nothing is so many times as large as on the best one."""

RADII, FEW_RADII = 40, 12
"""So many circles are looked at, and so many of the smallest ones."""

Truths = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]


class NearEnds(NamedTuple):
    """The categories near an end, by their kinds, and the noise on all."""

    counts: Integers  # (K,) of each kind
    may: Truths  # (K, 3) whether a record may be left, it may be emptied, it may be full
    places: Integers  # (k,) the kind of each category, or -1
    n: int
    noise: NoiseAt | GaussianNoiseAt

    def totals(self, levels: Integers) -> Floats:
        """(B, K, 3) how likely, at most, categories keep a record, are emptied, are full."""
        short = levels[:, None] - self.counts
        below = np.exp(self.noise.log_at_most(np.minimum(short, -1)))
        emptied = np.where(short < 0, below, -np.expm1(self.noise.log_at_least(np.maximum(short, 0) + 1)))
        full = np.broadcast_to(np.exp(self.noise.log_at_least(self.n + 1 - self.counts)), emptied.shape)
        return np.asarray(self.may * np.stack([np.ones_like(emptied), emptied, full], axis=-1))


class Circle(NamedTuple):
    r"""Points around the pole, the one where \(|w|\) is least first; or for each circle that point, with bounds."""

    near: NearEnds
    log_w: Complexes  # (M,)
    from_pole: Complexes  # (M,) 1 - rw
    weights: Complexes  # (M,) of the rule

    def scale(self, levels: Integers) -> Complexes:
        r"""(B, M) of \(w^{-\tau}\)."""
        return np.asarray(np.exp(-levels[:, None] * self.log_w))

    def emptied(self, levels: Integers) -> Complexes:
        r"""(B, K, M) of \(S w^{-\tau}\)."""
        near, x, rate = self.near, self.near.counts[:, None], self.near.noise.decay
        m = levels[:, None, None] - x
        early = np.exp(-rate * np.abs(m)) * self.scale(levels)[:, None]
        ratio = np.expm1(-np.maximum(m, 0) * (self.log_w + rate)) / np.expm1(-self.log_w - rate)
        late = -math.expm1(-2 * rate) * np.exp(-np.minimum(x, levels[:, None, None]) * self.log_w) * ratio
        return np.asarray(near.may[:, 1:2] * _share(rate) * (early + late) / self.from_pole)

    def exactly(self, levels: Integers) -> Complexes:
        r"""(B, K, M) of \(w^{-\tau}\) times the probability that an emptied one falls short by nothing."""
        near = self.near
        point = near.may[:, 1] * np.exp(near.noise.log_point(levels[:, None] - near.counts))
        return np.asarray(point[:, :, None] * self.scale(levels)[:, None])

    def full(self, levels: Integers) -> Complexes:
        r"""(B, K, M) of \(E w^{-\tau}\)."""
        near, rate = self.near, self.near.noise.decay
        rest = near.may[:, 2] * _share(rate) * np.exp(-rate * (near.n - near.counts))
        beyond = np.exp(-self.log_w - rate) / -np.expm1(-self.log_w - rate)
        return np.asarray((rest[:, None] * beyond) * self.scale(levels)[:, None])

    def some(self, here: slice) -> "Circle":
        """Some of the points."""
        return Circle(self.near, *(part[here] for part in self[1:]))


def circle(near: NearEnds, radius: float, M: int) -> Circle:
    """The points of the rule around the pole."""
    zeta: Complexes = np.asarray(-radius * np.exp(1j * np.pi / M * _turns(M, 1)), dtype=np.complex128)
    # ln |1 + zeta| without cancellation
    log_w = near.noise.decay + np.log1p(2 * zeta.real + radius**2) / 2 + 1j * np.arctan2(zeta.imag, 1 + zeta.real)
    return Circle(near, log_w, -zeta, -zeta / (1 + zeta) / M)


def ring(near: NearEnds, M: int) -> Circle:
    """The points of the rule around zero."""
    log_w: Complexes = np.asarray(1j * np.pi / M * _turns(M, 0), dtype=np.complex128)
    return Circle(near, log_w, -np.expm1(log_w - near.noise.decay), np.full(M, 1 / M, dtype=np.complex128))


def _turns(M: int, first: int) -> Integers:
    """Odd or even numbers, the smallest first, on both sides of zero: the angles of M points are so many half steps."""
    j = np.arange(M)
    if first == 0:
        return np.where(j % 2 == 0, -j, j + 1)
    return np.where(j % 2 == 0, j + 1, -j) * (M > 1)


def bounding(near: NearEnds, radii: Floats) -> Circle:
    """For each circle bounds on all there is on it; they are real."""
    return real_points(near, near.noise.decay + np.log1p(-radii), radii, radii / (1 - radii))


def real_points(near: NearEnds, *parts: Any) -> Circle:
    """Of points that are real nothing is complex."""
    return Circle(near, *parts)


def _share(rate: float) -> float:
    """The probability of no noise."""
    return math.tanh(rate / 2)


def radii_of(near: NearEnds) -> Floats:
    r"""Circles from next to the pole to next to where the noise above zero has its own, or to zero.

    As shares of \(\ln \frac1r\) less \(\ln w\): it is one where w is.
    """
    shares = [np.geomspace(1e-6, 0.1, FEW_RADII, endpoint=False), np.linspace(0.1, 1.95, RADII)]
    if not near.may[:, 2].any():
        shares.append(np.geomspace(2.05, 2.05 + 4 / near.noise.decay, FEW_RADII))
    radii: Floats = -np.expm1(-near.noise.decay * np.concatenate(shares))
    return radii


class Chosen(NamedTuple):
    """A rule for some levels."""

    points: Circle
    around_zero: bool
    apart: float  # the logarithm of how much larger things are there than on the best circle of one of the levels


def chosen(near: NearEnds, logs: Floats, on: Circle, log_enough: float, most: int) -> Chosen:
    """The rule with the fewest points, from bounds (C, B) on G on each circle; ``most`` categories may be emptied."""
    log_w, weights, steps = on.log_w.real, on.weights.real, np.log(on.from_pole.real)
    logs_around = logs + np.log(weights)[:, None]
    apart = steps[None, :] - steps[:-1, None]  # of a circle (rows) from the others
    over = np.maximum(logs_around - log_enough + math.log(4), math.log(2)).max(axis=1)
    with np.errstate(divide="ignore"):
        outer = np.where(apart > 0, over / apart, math.inf).min(axis=1)
        inner = np.where(apart < 0, over / -apart, math.inf).min(axis=1)
        points = np.ceil(np.maximum(outer, np.minimum(inner, most + 1)))
        beyond = (logs_around - np.maximum(logs_around.min(axis=0), log_enough))[:-1].max(axis=1)
        fine = beyond <= beyond.min() + math.log(LARGER)
        place = int(np.where(fine, points, math.inf).argmin())
        over = np.maximum(logs - log_enough + math.log(4), math.log(2)).max(axis=1) / np.abs(log_w)
    around_zero = math.ceil(max(over[log_w > 0].min(), over[log_w < 0].min()))
    if around_zero < points[place]:
        return Chosen(ring(near, around_zero), True, 0.0)
    points_on = circle(near, float(on.from_pole[place].real), max(1, int(points[place])))
    return Chosen(points_on, False, float(beyond[place]))
