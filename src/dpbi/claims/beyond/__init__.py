"""What the sources leave open, and what this book itself promises of its mechanisms, draws, bounds and posteriors."""

from ..claim import Claim
from . import any_size, conclusions, draws, many_uses, optimality, promises
from .source import BEYOND, LIBRARY

CLAIMS: tuple[Claim, ...] = (
    *BEYOND.in_order(optimality),
    *LIBRARY.in_order(promises, many_uses, draws, conclusions, any_size),
)
"""Every claim of this book's own."""
