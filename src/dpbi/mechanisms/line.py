r"""The output distribution of a mechanism for two categories, from which errors are computed."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ..checks import Floats, Integers, readable


@readable
class Line(NamedTuple):
    r"""The distribution of the change \(d = r_1 - x_1\) in the first of two counts, \(-x_1 \le d \le x_2\).

    \[ \Pr[d] \propto e^{w(d, H(d))} . \]
    The two weights ``ends`` are added at the lowest and at the highest change. The function w must be smooth on d < 0
    and on d >= 0, but may jump between -1 and 0.

    Attributes:
        prior: Dirichlet parameters, shape (2,).
        counts: Dataset, shape (2,).
        log_weight: The function w of the change d and the Hellinger distance H.
        ends: The weights that are added at the lowest and at the highest change.

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
