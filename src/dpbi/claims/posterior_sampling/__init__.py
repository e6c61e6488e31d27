"""The claims of "Bayesian differential privacy through posterior sampling", by section of the paper."""

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
