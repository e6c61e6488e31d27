r"""The statements of the notes "Differentially Private Bayesian Inference", in both versions.

One version is dated March 12, 2020; the other has no date. The undated version adds the mechanism LSZhang. In the last
line of Theorem 4.5, the undated version has EHDL where the dated version has EHD. For EHDS the undated version divides
by \(2(1+\gamma)\), and the dated version divides by 4.

Throughout, neighbouring datasets differ by the replacement of one record, and the number of records n is fixed. The
posterior given the counts x has the concentrations \(a = \text{prior} + x\), and \(q = e^{-\varepsilon}\). With

\[ u(a) = \tfrac12\ln a + \ln\Gamma(a) - \ln\Gamma(a + \tfrac12), \qquad F(v) = \sqrt{1 - e^{-v}}, \qquad g = e^{-u}, \]

moving a record from category j to category i moves the posterior by the Hellinger distance \(F(u(a_i) + u(a_j - 1))\).
The letter G stands for the printed sensitivity \(\sqrt{1 - \pi/4}\).

In both versions, Theorems 4.2, 4.4 and 4.5 and the corollaries are marked with a name, "[[Jiawen: ...]]".

In Section 4 there are two categories, and x is the count of the first category. Where a statement is printed for any
number of categories, its entry in the ledger also covers three categories. \(H_r\) is the distance from the posterior
of x to the posterior of r, and R is the set of candidates. The printed k is the largest number of steps whose distance
is below t. We count these steps upwards, as the notes do: \(k = k_+\). The largest number of steps downwards whose
distance is below t, \(k_-\), may be different. No step leads outside 0..n. Most conditions that we add to Theorem 4.5
and its corollaries correct one oversight: the notes count equally many steps down and up.
"""

from . import privacy, steps, theorem_4_5, corollaries  # noqa: F401, I001  the order of the text
from ..quantities import balanced
from .cases import radius
from .corollaries import below_size, claimed_crossover, good_size, proved_crossover

__all__ = ["balanced", "below_size", "claimed_crossover", "good_size", "proved_crossover", "radius", "theorem_4_5"]
