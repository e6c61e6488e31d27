"""The sources of what no source says, which are two of this book, and the pages where it is shown."""

from ..item import Source

BEYOND = Source("optimality", "beyond", origin="ours")
"""The page *Optimality*, with its proofs."""
LIBRARY = Source("dpbi", "beyond", origin="ours")
"""What mechanisms of the library promise and leak."""

BEST = "beyond/how_far_from_the_best"
HONEST = "beyond/honest_intervals"
MANY = "beyond/what_many_uses_cost"
WHAT_LEAKS = "beyond/what_leaks"
