r"""The law of a mechanism on two categories along the line of its outputs; errors are sums over it at any n."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ..checks import Floats, Integers, readable


@readable
class Line(NamedTuple):
    r"""The law of the change \(d = r_1 - x_1\) of the first of two counts, \(-x_1 \le d \le x_2\).

    \[ \Pr[d] \propto e^{w(d, H(d))} , \]
    plus the mass ``ends`` at the lowest and the highest change. The function w has to be smooth in d on either side of
    0, where w(0) continues the values at d > 0.

    Attributes:
        prior: Dirichlet parameters, shape (2,).
        counts: Dataset, shape (2,).
        log_weight: The function w of changes and of their Hellinger distances.
        ends: Weights that are added at the lowest and the highest change.

    >>> import math
    >>> from dpbi import geometric
    >>> line = geometric(0.8).line([1, 1], [14, 6])
    >>> round(math.exp(line.log_weight(1, 0.0)), 6)  # one record up
    0.170722
    """

    prior: Floats
    counts: Integers
    log_weight: Callable[[Floats | Integers, Floats], Floats]
    ends: tuple[float, float] = (0.0, 0.0)

    def __repr__(self) -> str:
        return f"<Line of {self.counts}>"
