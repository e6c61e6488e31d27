"""The claims of "Bayesian differential privacy through posterior sampling", by section of the paper.

During the move: what is converted is in the modules listed in ``SECTIONS``, the rest in ``_old``.
"""

from types import ModuleType

from ..claim import Claim
from . import _old, assumptions, definitions, evidence, privacy, robustness
from ._old import *  # noqa: F403

SECTIONS: tuple[ModuleType, ...] = (definitions, assumptions, evidence, robustness, privacy)
"""The modules of the claims, in the order of the text."""

_NEW = tuple(value for section in SECTIONS for value in vars(section).values() if isinstance(value, Claim))

CLAIMS: tuple[Claim, ...] = (  # type: ignore[no-redef]
    *_NEW,
    *(claim for claim in _old.CLAIMS if claim.id not in {new.id for new in _NEW}),
)
"""Every claim of the paper, in the order of the text."""
