"""Theorems of this book and of the literature on questions that the sources leave open."""

from . import theorems  # noqa: F401
