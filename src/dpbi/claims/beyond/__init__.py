"""What the sources leave open: theorems on the best mechanisms, and what mechanisms leak of their promises."""

from ..claim import Claim
from . import many_uses, optimality, promises
from .source import BEYOND, LIBRARY

CLAIMS: tuple[Claim, ...] = (*BEYOND.in_order(optimality), *LIBRARY.in_order(promises, many_uses))
"""Every claim of this book's own."""
