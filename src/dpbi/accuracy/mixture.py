r"""The weight of an exponential mechanism as a sum of a few exponentials in D, with a proved error bound.

With \(y = e^{-D}\) and \(H = \sqrt{1 - y}\),
\[ e^{-\lambda H} = \sum_{m \ge 0} p_m y^m, \qquad p_0 = e^{-\lambda}, \qquad
   p_m = \int_0^\infty \frac{\lambda\, t^{-3/2}}{2\sqrt\pi} e^{-\lambda^2/(4t)} \; \frac{t^m e^{-t}}{m!}\, dt \ge 0 , \]
where D is the affinity exponent. The series of the weight \(H^j e^{-\lambda H} = (-\partial_\lambda)^j e^{-\lambda H}\)
has the same terms, each multiplied by the average of a polynomial, with the integrand as weight. The sum over m is
replaced by a sum over nodes: the first terms are summed exactly, and the later terms are divided into panels, each of
which is summed by Gauss's rule for sums.

For each mixture, ``_error`` bounds the error of replacing the sum over m by the sum over nodes. The sum over the nodes
and the weight are both functions of H that are analytic in \(|H| < 1\). On a panel of H, the polynomial through N
Chebyshev points differs from the ratio of the two functions by at most \(4 M \rho^{-N} / (\rho - 1)\), where M is the
largest absolute value on the ellipse with parameter \(\rho\) around the panel. So finitely many values give a bound for
all H, for any nodes and weights, including their rounding errors.
"""

import math
from functools import lru_cache
from typing import NamedTuple, cast

import numpy as np

from ..checks import Floats, need
from ..divergences import exp_remainder
from ..model.distances import distance, stirling_remainder
from ..model.sums import NODES, sum_rule

# Length of a panel of terms in standard deviations of m. Chosen as long as the proved error allows: ``_error`` bounds
# the error of every mixture, so a wrong choice would be visible in the bounds.
PANEL_DEVIATIONS = 7.0

# Largest length of a panel relative to m at its start. Chosen as long as the proved error allows.
MAX_PANEL_RATIO = 4.0

# Smallest rate allowed (chosen: far below the rate of any budget that is in use), and largest rate allowed, which needs
# twenty thousand nodes; the number of nodes grows like the square root of the rate.
MIN_RATE, MAX_RATE = 1e-8, 4e6

# Number of Chebyshev points on a panel of H, and the parameter of the ellipse around it: 4^-32 is below rounding.
POINTS, RHO = 32, 4.0

# Number of nodes whose terms are computed together: 32 rows of 772 numbers fit the processor's cache.
CHUNK_NODES = 32

# The bound on an ellipse is a maximum over pieces, on each of which the log weight changes by at most twice this value.
PIECE_LOG_CHANGE = 3.0


class RootMixture(NamedTuple):
    r"""Sum of exponentials that approximates a weight for all exponents D of at least a given size.

    \(H^j e^{-\lambda H} = e^{-\lambda} + \sum_l w_l\, s_{lj}\, e^{-\theta_l D} + \delta_j\), where
    \(|\delta_j| \le \varepsilon_j\, (1 + \lambda H)^{j+1} e^{-\lambda H} / \max(\lambda, 1)^j\).
    """

    nodes: Floats  # (J,) theta
    log_weights: Floats  # (J,) ln w
    factors: Floats  # (J, 4) s, for the powers 0 to 3 of H
    errors: Floats  # (3,) epsilon, for the powers 0 to 2


@lru_cache(maxsize=64)
def mixture(rate: float, least: float) -> RootMixture:
    r"""Nodes, weights and proved error bounds for all exponents \(D \ge\) ``least``, at a positive rate."""
    allowed = f"a rate of at most {MAX_RATE:g} and at least {MIN_RATE:g} for sums without a list"
    need(MIN_RATE <= rate <= MAX_RATE, f"epsilon must give {allowed}, got a rate of {rate:.6g}")
    peak = rate * math.exp(-least) / (2 * float(distance(least)))  # the m with the largest term at that exponent
    last = peak + 10 * math.sqrt(peak + 2 * peak**3 / rate**2) + 45 / least
    nodes, weights = _nodes(rate, last)
    parts = [_chunk_terms(nodes[i : i + CHUNK_NODES], rate) for i in range(0, len(nodes), CHUNK_NODES)]
    log_p, factors = map(np.concatenate, zip(*parts, strict=True))
    log_weights = log_p + np.log(weights)
    return RootMixture(nodes, log_weights, factors, _error(nodes, log_weights, factors, rate, least))


def _nodes(rate: float, last: float) -> tuple[Floats, Floats]:
    r"""Nodes from 1 up to at least ``last``, and their weights in a sum over integers.

    For a given exponent D, the index m of a term has a variance of about \(m + 2 m^3 / \lambda^2\), but at most of the
    order \(m^2\).
    """
    starts, lengths = [1.0], []
    while starts[-1] <= last:
        m = starts[-1]
        spread = 1 / math.sqrt(1 / (PANEL_DEVIATIONS**2 * (m + 2 * m**3 / rate**2)) + 1 / (MAX_PANEL_RATIO * m) ** 2)
        lengths.append(max(float(NODES), math.floor(spread)))
        starts.append(m + lengths[-1])
    first, size = np.array(starts[:-1]), np.array(lengths)
    long = size > NODES
    nodes, weights = sum_rule(size[long])
    short = first[~long, None] + np.arange(NODES)
    return np.append(short, first[long, None] + nodes), np.append(np.ones(short.size), weights)


def _chunk_terms(m: Floats, rate: float) -> tuple[Floats, Floats]:
    r"""Logarithms \(\ln p_m\), and means of the factors by which \((-\partial_\lambda)^j\) multiplies the integrand.

    For \(a = \lambda / (2t)\) and j = 0, ..., 3 the factors are 1, \(a - 1/\lambda\), \(a^2 - 3a/\lambda\) and
    \(a^3 - 6a^2/\lambda + 3a/\lambda^2\). The integrals are computed by the trapezoidal rule in ln t, centred at the
    maximum of the integrand and scaled by its standard deviation there.
    """
    root = np.hypot(m - 0.5, rate)
    x = (rate * rate / (2 * (root + m - 0.5)) - 0.5) / m  # the maximum is at t = m (1 + x)
    top = m * (1 + x)
    scale = 1 / np.sqrt(top + rate * rate / (4 * top))
    u, step = np.linspace(-40, 14, 772, retstep=True)
    shift = np.maximum(scale[:, None] * u, -200)
    t = top[:, None] * np.exp(shift)
    # the exponent minus its value at the top, where its slope (m - 1/2) - top + rate^2 / (4 top) is zero
    rest = top[:, None] * exp_remainder(shift) + rate * rate / (4 * top[:, None]) * exp_remainder(-shift)
    weights = np.exp(-rest)
    total = weights.sum(axis=1)
    v = np.log1p(x)
    gap = np.where(np.abs(v) < 0.1, exp_remainder(v), x - v)  # where v is small, x - v would cancel
    at_top = -m * gap - 0.5 * np.log(top) - rate * rate / (4 * top)
    at_top += math.log(rate / (2 * math.sqrt(math.pi))) - 0.5 * np.log(2 * np.pi * m) - stirling_remainder(m)
    a = rate / (2 * t)
    powers = [np.ones_like(a), a - 1 / rate, a * (a - 3 / rate), a * (a * (a - 6 / rate) + 3 / rate**2)]
    factors = np.stack([(weights * power).sum(axis=1) / total for power in powers], axis=1)
    return at_top + np.log(total * step * scale), factors


def _error(nodes: Floats, log_weights: Floats, factors: Floats, rate: float, least: float) -> Floats:
    """The proved error bounds of a mixture: maxima over panels of H, and over one panel of y where H is near 1."""
    near_one = min(0.12, 2 / rate)  # for y below this, only the first terms matter
    end = math.sqrt(1 - near_one)
    low = float(distance(least)) * (1 - 1e-12)
    worst = _far_error(nodes, log_weights, factors, rate, near_one)
    while low < end:
        # the panel is so short that the ellipse around it stays away from 0 and 1
        half = min(0.8 * math.sqrt(low * (1 - low * low) / rate), 0.2 * low, 0.2 * (1 - low))
        worst = np.maximum(worst, _panel_error(nodes, log_weights, factors, rate, low + half, half))
        low += 2 * half
    return worst


def _far_error(nodes: Floats, log_weights: Floats, factors: Floats, rate: float, end: float) -> Floats:
    r"""Error bounds for \(0 \le y \le\) ``end``, by comparing low powers of y with \(e^{-\lambda\sqrt{1-y}}\)."""
    points = np.cos(np.pi * (np.arange(POINTS) + 0.5) / POINTS)
    y = end / 2 * (1 + points)
    first = nodes <= NODES
    H = np.sqrt(1 - y)
    found = (y[:, None] ** nodes[first] * np.exp(log_weights[first] + rate)) @ factors[first, :3] + 1
    # all numbers are relative to e^-rate, the smallest weight
    weight = np.exp(rate * (1 - H))[:, None] * H[:, None] ** np.arange(3)
    scale = max(rate, 1.0) ** np.arange(3)
    apart = np.abs(found - weight).max(axis=0)
    beyond = np.exp(log_weights[~first] + rate + nodes[~first] * math.log(end)) @ np.abs(factors[~first, :3])
    outer = end / 2 * (1 + (RHO + 1 / RHO) / 2)  # the largest |y| on the ellipse
    largest = 1 + (np.exp(log_weights[first] + rate) * outer ** nodes[first]) @ np.abs(factors[first, :3])
    largest += math.exp(rate * (1 - math.sqrt(1 - outer))) * math.sqrt(1 + outer) ** np.arange(3)
    bound: Floats = _LEBESGUE * apart + 4 * largest * RHO**-POINTS / (RHO - 1) + beyond
    return cast(Floats, bound * scale / (1 + rate * math.sqrt(1 - end)) ** np.arange(1, 4))


def _panel_error(
    nodes: Floats, log_weights: Floats, factors: Floats, rate: float, middle: float, half: float
) -> Floats:
    """The error bounds on one panel of H, from values at Chebyshev points and a maximum on the ellipse around it."""
    ends = np.array([middle - half, middle + half])
    reach, height = half * (RHO + 1 / RHO) / 2, half * (RHO - 1 / RHO) / 2
    wide = np.linspace(middle - reach, middle + reach, 16 + int(rate * reach / PIECE_LOG_CHANGE))
    # |y| on the ellipse is at most its value at full height, which decreases with the real part
    low, high = wide[:-1], wide[1:]
    log_y = np.log((1 - low * low) ** 2 + 2 * height**2 * (1 + low * low) + height**4) / 2
    # nodes that add less than e^-50 of the weight at every point are left out; a bound on what they add is included
    terms = log_weights + nodes * log_y[0] + rate * high[-1]
    kept = terms > -50 - math.log(len(nodes))
    left_out = np.exp(terms[~kept]) @ np.abs(factors[~kept, :3])
    nodes, log_weights, factors = nodes[kept], log_weights[kept], factors[kept, :3]

    def relative(log_y: Floats, H: Floats, factors: Floats) -> Floats:
        """The sum over the nodes divided by the weight."""
        exponents = log_weights + log_y[:, None] * nodes + (rate * H)[:, None]
        return np.exp(np.minimum(exponents, 700)) @ factors + np.exp(-rate * (1 - H))[:, None]

    H = middle + half * np.cos(np.pi * (np.arange(POINTS) + 0.5) / POINTS)
    powers = np.arange(3)
    apart = np.abs(relative(np.log1p(-H * H), H, factors) - H[:, None] ** powers).max(axis=0)
    largest = relative(log_y, high, np.abs(factors)).max(axis=0) + math.hypot(wide[-1], height) ** powers
    bound = _LEBESGUE * (apart + left_out) + 4 * largest * RHO**-POINTS / (RHO - 1) + left_out
    return cast(Floats, bound * max(rate, 1.0) ** powers / (1 + rate * ends[0]) ** (powers + 1))


# Upper bound on the Lebesgue constant of the Chebyshev points: interpolation amplifies an error by at most this factor.
_LEBESGUE = 2 / math.pi * math.log(POINTS) + 1
