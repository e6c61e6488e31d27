r"""The claims of "Bayesian differential privacy through posterior sampling", by section of the paper.

The prior is \(\xi\), the posterior \(\xi(\cdot \mid x)\), the likelihood \(p_\theta\), and the marginal of the data
\(\phi\). Two datasets x and y are at the distance \(\rho(x, y)\). P and Q are two laws, mostly the posteriors of x and
y. D is the divergence from one to the other, J the sum of both divergences, and \(TV\) the total variation between
them.

Under Assumption 1 the log likelihood has the Lipschitz constant L. Under Assumption 2 it has the constant
\(\ell(\theta)\) at the parameter \(\theta\), and the prior mass of larger constants falls from \(L_0\) on at the rate
c. C is the largest ratio of a likelihood to the marginal, and w the range of a log ratio of two posteriors.
"""

from types import ModuleType

from ..claim import Claim
from . import (
    adversary,
    answers,
    assumptions,
    coins,
    costs,
    costs_of_new_families,
    definitions,
    draws,
    evidence,
    integrals,
    laplace_rates,
    le_cam,
    networks,
    normals,
    privacy,
    rates,
    regret,
    robustness,
    utility,
)
from .le_cam import lemma_18
from .networks import lemma_24_markov
from .source import PAPER

__all__ = ["CLAIMS", "SECTIONS", "lemma_18", "lemma_24_markov"]

SECTIONS: tuple[ModuleType, ...] = (
    definitions,
    assumptions,
    evidence,
    robustness,
    privacy,
    answers,
    regret,
    adversary,
    utility,
    le_cam,
    rates,
    laplace_rates,
    coins,
    normals,
    networks,
    draws,
    integrals,
    costs,
    costs_of_new_families,
)
"""The modules of the claims, in the order of the text."""

CLAIMS: tuple[Claim, ...] = PAPER.in_order(*SECTIONS)
"""Every claim of the paper, in the order of the text."""
