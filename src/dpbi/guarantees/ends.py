"""What is known of a number from both sides."""

import math
from typing import NamedTuple

UNIT = 2.0**-53
"""Half the distance of one to the next double: no operation on doubles is off by more, relatively."""


class Ends(NamedTuple):
    """A number lies between the two, whatever rounding did.

    >>> Ends(0.25, 0.5).width
    0.25
    """

    lower: float
    upper: float

    @property
    def width(self) -> float:
        """How little is known."""
        return self.upper - self.lower if self.upper < math.inf else math.inf
