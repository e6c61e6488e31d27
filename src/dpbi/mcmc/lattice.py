r"""Noise for release: a chain whose ratios and gradients are whole numbers, with discrete Gaussian noise on their sums.

**The ratio.** A row's log likelihood is rounded to a multiple of the grain g, a power of two, at every point:
\(L_j(\theta) = \lfloor \ln p(x_j \mid \theta) / g \rceil\). A row gives a move the whole number
\(k_j = L_j(\theta') - L_j(\theta)\), clipped to \(\pm K\), \(K = \lceil b \lVert\theta' - \theta\rVert / g \rceil\).

**Sensitivity.** Whatever a row is, and whatever its likelihood does, \(k_j\) is one of \(-K, \dots, K\) (what is not a
number counts as \(-K\)). A replaced row changes \(S = \sum_j k_j\) by a whole number of at most \(\Delta = 2K\). The
bound is that of the clipped whole numbers themselves: no rounding comes after it, so none is to be added.

**Privacy.** S is released with noise \(z\), \(\Pr[z] \propto e^{-z^2 / (2\sigma^2)}\) on the whole numbers,
\(\sigma^2 \ge \tau^2 n \Delta^2\). For a whole shift d, \(D_\alpha \le \alpha d^2 / (2\sigma^2)\) (Canonne, Kamath and
Steinke 2020, Proposition 5), hence \(\rho = 1/(2\tau^2 n)\), as with normal noise. What is done with \(w = S + z\) is
post-processing, in doubles; sums of whole numbers below \(2^{53}\) are exact in them.

**Exact.** Let \(h = Tg\), \(\lambda = hS + \ln \frac{p(\theta')}{p(\theta)}\), and let \(M = h\sigma^2\) be *whole*:
for that \(\sigma^2\) is rounded up. Accept with probability \(a(y)\), \(a(y) = e^y a(-y)\), at

\[ y = h (w - M/2) + \ln\frac{p(\theta')}{p(\theta)} . \]

For the move back S is \(-S\), if nothing is clipped. There the noise that leads to \(-y\) is \(z' = M - z\), a whole
number *because M is*, and \(\Pr[z'] / \Pr[z] = e^{-(M^2 - 2Mz)/(2\sigma^2)} = e^{hz - hM/2} = e^{y - \lambda}\). So
detailed balance holds, to the last digit, as for ``penalty``, and the chain leaves invariant

\[ \pi_g(\theta) \propto p(\theta) \exp\Bigl(T g \sum_j L_j(\theta)\Bigr), \qquad
   \lvert \ln (\pi_g / \pi) \rvert \le T n g \]

(each row is off by \(g/2\) at most, and so is the constant), which is \(2^{-10}\) at most by ``lattice_for``.

**Gradients.** A row's gradient is shrunk to length b and its entries brought to multiples of a grain towards zero,
which makes it no longer: in units of the grain its squared length is at most \(B^2\), B whole, which is tested in whole
numbers. A replaced row moves the sum by a whole vector of length at most 2B; each entry has noise of variance
\(\tau_g^2 n (2B)^2\), and the divergences of the entries add up to \(\alpha/(2\tau_g^2 n)\).

**Not covered**: how long a computation takes; and a likelihood that gives a row another number when another row is
replaced. A function of blocks that takes several rows at a time may do so in the last digits, where one of them is so
large that all take another path; and the last digits may decide what a number is rounded to. One that is written for
one row (``compiled_rows``) does not.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ..checks import Floats
from ..mechanisms.integer_noise import discrete_gaussian
from .row_models import RowLikelihood, Sum

BIAS = Fraction(1, 1024)
"""The largest share by which the density of the rounded target differs from that of the target."""

FINE = 20
"""A gradient's bound is between 2^20 and 2^21 grains."""

LARGEST = 2**51
"""Sums of whole numbers stay below this, so that doubles hold them."""


class LatticeNoise(NamedTuple):
    """The variance of the noise on a whole sum, and M: its product with h."""

    variance: Fraction
    shift: int


@dataclass(frozen=True)
class Lattice:
    """The lattice of a chain: the grain of log likelihoods, and the draw of noise of a given precision.

    >>> from fractions import Fraction
    >>> Lattice(Fraction(1, 4)).noise(6, Fraction(1), 10, Fraction(1, 3)).shift
    30
    """

    grain: Fraction
    draw: Callable[[Fraction], int] = discrete_gaussian

    def noise(self, sensitivity: int, tau: Fraction, rows: int, temperature: Fraction) -> LatticeNoise:
        r"""The least \(\sigma^2 \ge \tau^2 n \Delta^2\) of which M is whole."""
        unit = temperature * self.grain
        shift = math.ceil(unit * sensitivity**2 * tau**2 * rows)
        return LatticeNoise(Fraction(shift) / unit, shift)

    def bounds(self, theta: Floats, proposal: Floats, clip: float, rows: int) -> Floats:
        """K of each move: whole, 0 only where nothing moves or the proposal is not finite, the same both ways."""
        length = np.sqrt(np.sum((proposal - theta) ** 2, axis=1))
        found: Floats = np.minimum(np.ceil(clip * length / float(self.grain)), float(LARGEST // rows))
        return np.where(np.isfinite(length), found, 0.0)

    def ratio(self, target: Any, theta: Floats, proposal: Floats, tau: float, clip: float) -> tuple[Floats, Sum]:
        """The decision statistic y without the prior's part, and what the sums were, in units of h."""
        bound = self.bounds(theta, proposal, clip, target.rows)
        sums = target.likelihood.ratio(theta, proposal, bound, float(self.grain))
        temperature = Fraction(target.temperature)
        unit = temperature * self.grain
        found = np.empty(len(theta))
        for c, most in enumerate(bound.tolist()):
            variance, shift = self.noise(2 * int(most), Fraction(tau), target.rows, temperature)
            noisy = int(sums.total[c]) + (self.draw(1 / variance) if shift else 0)
            found[c] = unit * Fraction(2 * noisy - shift, 2)
        return np.where(np.isfinite(proposal).all(axis=1), found, -np.inf), sums

    def gradient_bound(self, clip: float) -> tuple[float, int]:
        """The grain of gradients, a power of two, and B."""
        grain = 2.0 ** (math.floor(math.log2(clip)) - FINE)
        return grain, math.floor(Fraction(clip) / Fraction(grain))

    def gradient(self, likelihood: RowLikelihood, theta: Floats, clip: float) -> Sum:
        """The sum of the rows' gradients, a multiple of their grain."""
        grain, most = self.gradient_bound(clip)
        return likelihood.gradient(theta, most * grain, grain)

    def gradient_noise(self, shape: tuple[int, ...], tau: float, clip: float, rows: int) -> Floats:
        """Noise for sums of gradients, multiples of their grain: adding it to a sum is exact in doubles."""
        grain, most = self.gradient_bound(clip)
        precision = 1 / (Fraction(tau) ** 2 * rows * (2 * most) ** 2)
        drawn = [self.draw(precision) for _ in range(math.prod(shape))]
        return grain * np.array(drawn, dtype=np.float64).reshape(shape)


def lattice_for(rows: int, temperature: float) -> Lattice:
    r"""The coarsest lattice with \(T n g \le\) ``BIAS``.

    >>> lattice_for(1000, 1.0).grain
    Fraction(1, 1048576)
    """
    most = BIAS / (rows * Fraction(temperature))
    power = most.numerator.bit_length() - most.denominator.bit_length() - 1
    while Fraction(2) ** (power + 1) <= most:
        power += 1
    return Lattice(Fraction(2) ** power)


def lattice_cost(tau: float, rows: int, *, gradients: int = 0, tau_gradient: float = 1.0) -> Fraction:
    r"""\(\rho\) of a step: \(1/(2\tau^2 n)\), and \(1/(2\tau_g^2 n)\) for each sum of gradients, exactly.

    >>> lattice_cost(0.5, 8), lattice_cost(0.5, 8, gradients=3, tau_gradient=1.0)
    (Fraction(1, 4), Fraction(7, 16))
    """
    return 1 / (2 * Fraction(tau) ** 2 * rows) + gradients / (2 * Fraction(tau_gradient) ** 2 * rows)


def lattice_acceptance(steps: Any, prior: Any, unit: Fraction, noise: LatticeNoise) -> float:
    """The probability that a move of so many steps is accepted, the sum over the noise; 0 variance is no noise."""
    deviation = math.sqrt(noise.variance)
    reach = math.ceil(40 * deviation)
    z = np.arange(-reach, reach + 1)
    weight = np.exp(-(z**2) / (2 * float(noise.variance))) if noise.shift else np.ones(1)
    y = float(unit) * (steps + z - noise.shift / 2) + prior
    return float(weight @ np.exp(np.minimum(y, 0)) / weight.sum())
