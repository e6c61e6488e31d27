r"""Two laws of a mean and a precision on one rectangle, cut into cells, in doubles.

Of laws of the same shape and weight the log ratio is \(\tau\) times a linear function of \(\mu\), but for a constant.
On a cell, a part of the means times a part of the precisions, it is largest and least at corners.
"""

import itertools
import math
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..arithmetic import remembered
from ..checks import Floats
from .normal_laws import NormalGamma

PARTS = 96, 512
"""Parts of the means and of the precisions."""


def on_a_rectangle(p: Any, q: Any) -> bool:
    """Whether two laws are of that kind, on a rectangle with four ends."""
    if not (isinstance(p, NormalGamma) and isinstance(q, NormalGamma)):
        return False
    bounded = all(math.isfinite(float(end)) for corner in p.ends for end in corner)
    return bounded and (p.shape, p.weight) == (q.shape, q.weight)


def of_rectangle(p: NormalGamma, q: NormalGamma) -> tuple[Floats, Floats, Floats, Floats, float]:
    """The masses of the cells under both laws, the least and the largest log ratio, and no mass of p alone."""
    means, taus = _edges(p)
    masses = [_masses(law) for law in (p, q)]
    level = q.log_mass - p.log_mass
    slopes = q.rate - p.rate + p.weight / 2 * ((means - q.mean) ** 2 - (means - p.mean) ** 2)
    ratios = level + slopes[:, None] * taus
    corners = [ratios[:-1, :-1], ratios[:-1, 1:], ratios[1:, :-1], ratios[1:, 1:]]
    held = (masses[0] > 0) & (masses[1] > 0)
    low, high = (end(corners, axis=0).ravel()[held] for end in (np.min, np.max))
    return masses[0][held], masses[1][held], low, high, float(masses[0][~held].sum())


def _edges(law: NormalGamma) -> list[Floats]:
    """Where parts of the means and of the precisions begin and end."""
    return [np.linspace(float(low), float(high), parts + 1) for low, high, parts in zip(*law.ends, PARTS, strict=True)]


@partial(remembered, most=8)
def _masses(law: NormalGamma) -> Floats:
    """The masses of all cells; they are asked for again with each number of draws, and with each other law."""
    means, taus = _edges(law)
    found: Floats = np.concatenate([_strip(law, *ends, taus) for ends in itertools.pairwise(means.tolist())])
    return found


def _strip(law: NormalGamma, low: float, high: float, taus: Floats) -> Floats:
    """The masses of the cells with means between two ends."""
    strip = replace(law, low=(low, law.low[1]), high=(high, law.high[1]))
    parts = np.diff(strip.precision_cdf(taus)) * math.exp(strip.log_mass - law.log_mass)
    found: Floats = np.maximum(parts, 0.0)
    return found
