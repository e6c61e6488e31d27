r"""The statements of "Tailoring Differentially Private Bayesian Inference to Distance Between Distributions".

Throughout, the number of records n is fixed, and two datasets are neighbours if replacing one record turns one into the
other. The posterior given the counts x is a Dirichlet distribution with the parameters \(a = \text{prior} + x\). The
Hellinger distance from the posterior of x to the posterior of the candidate r is \(H_r\). We write

\[ u(a) = \tfrac12\ln a + \ln\Gamma(a) - \ln\Gamma(a + \tfrac12), \qquad F(v) = \sqrt{1 - e^{-v}}, \qquad g = e^{-u} . \]

The paper writes \(BI(x)\) for the posterior given the counts x, DL for a Dirichlet distribution, and
\(\mathcal R_{post}\) or R for the set of candidates. The score of a candidate is the negative of its distance from the
true posterior. The local sensitivity \(LS(x)\) is the largest distance between the posterior of x and the posterior of
a neighbour of x. The global sensitivity \(GS\) is the largest local sensitivity. The smooth sensitivity \(S(x)\) of
Definition 4.1 has the rate \(\gamma\). The sensitivities at a neighbour \(x'\) are written \(LS'\) and \(S'\). The
number of records that must be replaced to turn x into z is \(d(x, z)\).

The paper's mechanism \(\mathcal M_{\mathcal H}\) draws each candidate with a probability proportional to the weight
\(\exp(-\varepsilon \mathcal H / (\text{divisor} \cdot S))\), and NL is the sum of the weights. The divisor is 2 in
Definition 4.1, and 1 throughout Section 5 and in both tables. The privacy loss of a mechanism is the largest log ratio
of the probabilities of the same output at two neighbouring datasets.

For two categories, a candidate is j steps from the truth if j records have been moved from one category to the other. A
step that moves one record from the second category to the first is called an edge. Its length is
\(F(u(a_1) + u(a_2 - 1))\).
"""

from . import posteriors, smoothed_mechanism, tables, figures  # noqa: F401, I001  in the order of the paper
from .smoothed_mechanism import smooth, smoothed_bound
from .tables import TABLE_1, TABLE_2

__all__ = ["TABLE_1", "TABLE_2", "smooth", "smoothed_bound"]
