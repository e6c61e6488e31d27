"""Theorems on questions that the sources leave open, from this book and from the literature."""

from . import theorems

__all__ = ["theorems"]
