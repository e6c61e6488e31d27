r"""The statements of "Tailoring Differentially Private Bayesian Inference to Distance Between Distributions".

Throughout, neighbours differ in one replaced record, and n is fixed. The posterior of the counts x has the
concentrations \(a = \text{prior} + x\), \(H_r\) is its distance to the posterior of the candidate r, and

\[ u(a) = \tfrac12\ln a + \ln\Gamma(a) - \ln\Gamma(a + \tfrac12), \qquad F(v) = \sqrt{1 - e^{-v}}, \qquad g = e^{-u} . \]

The paper writes \(BI(x)\) for this posterior, DL for a Dirichlet distribution, and \(\mathcal R_{post}\) or R for the
candidates. The score of a candidate is minus its distance. \(LS(x)\) is the local sensitivity, how far one replaced
record moves the posterior of x, and \(GS\) the largest of them. \(S(x)\) is the smooth sensitivity of Definition 4.1
with its rate \(\gamma\). At a neighbour \(x'\) they are \(LS'\) and \(S'\). \(d(x, z)\) is the number of records to
replace on the way from x to z.

\(\mathcal M_{\mathcal H}\) is the paper's mechanism: it draws a candidate with probability in proportion to its weight
\(\exp(-\varepsilon \mathcal H / (\text{divisor} \cdot S))\), and NL is the sum of the weights. Definition 4.1 has the
divisor 2, all of Section 5 and both tables have 1. The loss is the largest logarithm of a ratio of probabilities at
neighbours.

With two categories a candidate is j steps from the truth if j records have been moved from one category to the other.
One step, a record moved from the second category to the first, has the length \(F(u(a_1) + u(a_2 - 1))\): an edge.
"""

from . import posteriors, smoothed_mechanism, tables, figures  # noqa: F401, I001  the order of the text
from .smoothed_mechanism import smooth, smoothed_bound
from .tables import TABLE_1, TABLE_2

__all__ = ["TABLE_1", "TABLE_2", "smooth", "smoothed_bound"]
