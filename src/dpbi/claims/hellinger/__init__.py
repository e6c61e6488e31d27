r"""The claims of "Tailoring Differentially Private Bayesian Inference to Distance Between Distributions".

Throughout, neighbours differ in one replaced record, and n is fixed. The posterior of the counts x has the
concentrations \(a = \text{prior} + x\), \(H_r\) is its distance to the posterior of the candidate r, and
\(q = e^{-\varepsilon}\). As in the claims of the notes

\[ u(a) = \tfrac12\ln a + \ln\Gamma(a) - \ln\Gamma(a + \tfrac12), \qquad F(v) = \sqrt{1 - e^{-v}} . \]

The letter c stands for the divisor of the weights \(\exp(-\varepsilon \mathcal H / (c S))\): Definition 4.1 has c = 2,
all of Section 5 and both tables have c = 1.
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
