r"""The claims of "Differentially Private Markov Chain Monte Carlo", its background chapter, and of what its titles name.

The source has a background chapter and then only titles: chapters 3 to 6 hold no text. What those chapters became is
stated here as explicit claims that correct the titles: the penalty algorithm (chapter 3), its variations (4), a reading
of our own of "Gauss-Bernoulli" (5), and the number of iterations in a budget (6).

A chain is at \(\theta\), is proposed to go to \(\theta'\), and has the target \(\pi\). The log ratio of the two is
\(\lambda\), the sum over the rows of the ratios \(r_j\) and that of the prior. Normal noise on it has the standard
deviation s. A row's ratio is clipped to b times the distance of the move, and \(\rho\) is the cost of a step in zCDP.
"""

from ..claim import Claim
from . import (
    barker_and_gauss_bernoulli,
    chains,
    composition,
    definitions,
    gaussian_noise,
    iterations,
    likelihood,
    metropolis_hastings,
    penalty,
    runs,
    targets,
    variations,
)
from .source import THESIS

CLAIMS: tuple[Claim, ...] = THESIS.in_order(
    definitions,
    composition,
    gaussian_noise,
    metropolis_hastings,
    likelihood,
    penalty,
    variations,
    barker_and_gauss_bernoulli,
    iterations,
    chains,
    runs,
    targets,
)
"""Every claim of this source, in its order."""
