r"""The law of a mechanism on two categories, by the moves of records: what its errors are summed from at any size."""

from collections.abc import Callable
from typing import NamedTuple

from ..checks import Floats, Integers


class Line(NamedTuple):
    r"""A law of the moves \(-x_1 \le d \le x_2\): up to a factor \(e^{w(d, H(d))}\), and more at the two ends.

    w has to be smooth in d on either side of 0, where d = 0 belongs to the upper side.

    >>> import math
    >>> from dpbi import geometric
    >>> line = geometric(0.8).line([1, 1], [14, 6])
    >>> round(math.exp(line.log_weight(1, 0.0)), 6)  # one record up
    0.170722
    """

    prior: Floats
    counts: Integers
    log_weight: Callable[[Floats | Integers, Floats], Floats]  # of moves and their distances
    ends: tuple[float, float] = (0.0, 0.0)  # what the lowest and the highest move have besides
