"""What the sources leave open: theorems of this book and of the literature that its pages show."""

from . import theorems

__all__ = ["theorems"]
