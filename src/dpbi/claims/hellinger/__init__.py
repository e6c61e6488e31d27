r"""The claims of "Tailoring Differentially Private Bayesian Inference to Distance Between Distributions".

Throughout, neighbours differ in one replaced record, and n is fixed. The posterior of the counts x has the
concentrations \(a = \text{prior} + x\), \(H_r\) is its distance to the posterior of the candidate r, and
\(q = e^{-\varepsilon}\). As in the claims of the notes

\[ u(a) = \tfrac12\ln a + \ln\Gamma(a) - \ln\Gamma(a + \tfrac12), \qquad F(v) = \sqrt{1 - e^{-v}}, \qquad g = e^{-u} . \]

The paper writes \(BI(x)\) for this posterior, DL for a Dirichlet distribution, and \(\mathcal R_{post}\) or R for the
candidates. The score of a candidate is minus its distance. \(LS(x)\) is the local sensitivity, how far one replaced
record moves the posterior of x, and \(GS\) the largest of them. \(S(x)\) is the smooth sensitivity of Definition 4.1
with its rate \(\gamma\). At a neighbour \(x'\) they are \(LS'\) and \(S'\). \(d(x, z)\) is the number of records to
replace on the way from x to z.

\(\mathcal M_{\mathcal H}\) is the paper's mechanism: it draws a candidate with probability in proportion to its weight
\(\exp(-\varepsilon \mathcal H / (c S))\), and NL is the sum of the weights. The letter c stands for the divisor, except
where it is an error or a score. Definition 4.1 has c = 2, all of Section 5 and both tables have c = 1. The loss is the
largest logarithm of a ratio of probabilities at neighbours.

With two categories a candidate is j steps from the truth if j records have been moved from one category to the other,
and \(F(u(a_1) + u(a_2 - 1))\), the distance of two adjacent candidates, is called an edge.
"""

from ..claim import Claim
from . import (
    accuracy_bounds,
    baselines,
    figures,
    good_answers,
    lemmas,
    posteriors,
    sensitivities,
    smoothed,
    tables,
)
from .accuracy_bounds import *  # noqa: F403
from .baselines import *  # noqa: F403
from .figures import *  # noqa: F403
from .good_answers import *  # noqa: F403
from .lemmas import *  # noqa: F403
from .posteriors import *  # noqa: F403
from .quantities import *  # noqa: F403
from .sensitivities import *  # noqa: F403
from .smoothed import *  # noqa: F403
from .source import PAPER
from .tables import *  # noqa: F403

CLAIMS: tuple[Claim, ...] = PAPER.in_order(
    posteriors, baselines, smoothed, lemmas, accuracy_bounds, good_answers, tables, sensitivities, figures
)
"""Every claim of the paper, in the order of the text."""
