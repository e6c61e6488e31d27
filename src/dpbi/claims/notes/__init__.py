r"""The statements of the notes "Differentially Private Bayesian Inference", in both versions.

One version is dated March 12, 2020; the other is undated and adds the mechanism LSZhang. In the last line of Theorem
4.5, the dated version prints EHD and the undated version prints EHDL. The divisor in the weights of EHDS is 4 in the
dated version and \(2(1+\gamma)\) in the undated version.

Throughout, the number of records n is fixed, and two datasets are neighbours if replacing one record turns one into the
other. The Dirichlet posterior given the counts x has the parameters \(a = \text{prior} + x\). We write
\(q = e^{-\varepsilon}\) and

\[ u(a) = \tfrac12\ln a + \ln\Gamma(a) - \ln\Gamma(a + \tfrac12), \qquad F(v) = \sqrt{1 - e^{-v}}, \qquad g = e^{-u}. \]

Moving a record from category j to category i moves the posterior by the Hellinger distance \(F(u(a_i) + u(a_j - 1))\).
The letter G stands for the global sensitivity that the notes print, \(\sqrt{1 - \pi/4}\).

Both versions mark Theorems 4.2, 4.4 and 4.5 and the corollaries with a name, "[[Jiawen: ...]]".

In Section 4 there are two categories, and x is the count of the first category. If the notes state a result for any
number of categories, we also check it for three categories. The distance from the posterior of x to the posterior of r
is \(H_r\), and R is the set of candidates. In the notes, k is the largest number of steps that can be taken while the
error stays below t. We count these steps upwards, as the notes do, and write \(k = k_+\). The corresponding number of
downward steps, \(k_-\), may be different. No step leads outside 0..n. Most conditions that we add to Theorem 4.5 and
its corollaries correct one oversight: the notes assume that \(k_-\) and \(k_+\) are equal.
"""

from . import privacy, steps, theorem_4_5, corollaries  # noqa: F401, I001  the order of the text
from ..quantities import balanced
from .cases import radius
from .corollaries import below_size, claimed_crossover, good_size, proved_crossover

__all__ = ["balanced", "below_size", "claimed_crossover", "good_size", "proved_crossover", "radius", "theorem_4_5"]
