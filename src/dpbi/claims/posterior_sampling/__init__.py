"""The claims of "Bayesian differential privacy through posterior sampling", by section of the paper.

During the move: what is converted is in the modules listed in ``SECTIONS``, the rest in ``_old``.
"""

from types import ModuleType

from ..claim import Claim
from . import _old
from ._old import *  # noqa: F403

SECTIONS: tuple[ModuleType, ...] = ()
"""The modules of the claims, in the order of the text."""

CLAIMS: tuple[Claim, ...] = (  # type: ignore[no-redef]
    *(value for section in SECTIONS for value in vars(section).values() if isinstance(value, Claim)),
    *_old.CLAIMS,
)
"""Every claim of the paper, in the order of the text."""
