"""What the sources leave open: theorems of this book and of the literature that its pages show."""

# The order of the ledger:
# isort: off
from . import optimality, leaks, many_uses
# isort: on

__all__ = ["leaks", "many_uses", "optimality"]
