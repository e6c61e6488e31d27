r"""The statements of the notes "Differentially Private Bayesian Inference", in both versions.

One version is dated March 12, 2020, the other has no date. The undated one adds LSZhang. It prints EHDL where the dated
one prints EHD in the last line of Theorem 4.5, and divides by \(2(1+\gamma)\) where the dated one divides by 4.

Throughout, neighbours differ in one replaced record, and n is fixed. The posterior of the counts x has the
concentrations \(a = \text{prior} + x\), and \(q = e^{-\varepsilon}\). With

\[ u(a) = \tfrac12\ln a + \ln\Gamma(a) - \ln\Gamma(a + \tfrac12), \qquad F(v) = \sqrt{1 - e^{-v}}, \qquad g = e^{-u}, \]

moving a record from j to i moves the posterior by \(F(u(a_i) + u(a_j - 1))\). The letter G stands for the printed
sensitivity \(\sqrt{1 - \pi/4}\).

Theorems 4.2, 4.4 and 4.5 and the corollaries are marked with a name, "[[Jiawen: ...]]", in both versions.

In Section 4 there are two categories, and x counts the first; where a statement is printed for any number of them, its
row says what becomes of three. \(H_r\) is the distance from the posterior of x to that of r, R the set of candidates.
The printed k is the largest number of steps with a distance below t. It is read upwards, as printed: \(k = k_+\).
Downwards it may be another number, \(k_-\). Both end where 0..n does. One slip, to count as many steps down as up,
is behind most conditions of Theorem 4.5 and its corollaries.
"""

from . import privacy, steps, theorem_4_5, corollaries  # noqa: F401, I001  the order of the text
from ..quantities import balanced
from .cases import radius
from .corollaries import below_size, claimed_crossover, good_size, proved_crossover

__all__ = ["balanced", "below_size", "claimed_crossover", "good_size", "proved_crossover", "radius", "theorem_4_5"]
