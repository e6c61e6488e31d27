r"""Distances of two laws, each between two numbers: the same one where it is known.

The functions of ``measures`` are one number, and refuse laws of which it is not known.
"""

import math
from typing import Any

from ..arithmetic import plain
from .joint_pairs import JointPair
from .laws import ParameterLaw, Tables, Wishart
from .many_draws import Enclosure, ManyDraws
from .measures import kullback_leibler, pair, privacy_loss, total_variation
from .normal_laws import NormalGamma


def divergence_between(p: ParameterLaw, q: ParameterLaw) -> Enclosure:
    r"""\(D(p \| q)\), between two numbers.

    >>> from dpbi.posterior_sampling import Tables, kullback_leibler
    >>> round(kullback_leibler(Tables([[3.0, 2.0, 1.0]]), Tables([[3.0, 1.0, 2.0]])), 12)
    1.0
    >>> found = divergence_between(Tables([[3.0, 2.0, 1.0, 1.0]], 0.1), Tables([[3.0, 1.0, 2.0, 1.0]], 0.1))
    >>> f"{found.low:.5f} {found.high:.5f}"
    '0.21990 0.21995'
    """
    two = _joint(p, q)
    return _known(kullback_leibler(p, q)) if two is None else _ends(two.divergence_between)


def loss_between(p: ParameterLaw, q: ParameterLaw) -> Enclosure:
    """The supremum of the log ratio, between two numbers; both may be infinite."""
    two = _joint(p, q)
    return _known(privacy_loss(p, q)) if two is None else _ends(two.loss_between)


def variation_between(p: ParameterLaw, q: ParameterLaw) -> Enclosure:
    """Total variation, between two numbers: that of one draw in ``ManyDraws``."""
    return _known(total_variation(p, q)) if _joint(p, q) is None else ManyDraws(p, q, 1).variation


def log_ratio_width(p: ParameterLaw, q: ParameterLaw) -> float:
    """What the log ratio ranges over, exactly: no mass is in it."""
    two = _joint(p, q)
    if two is not None and two.parts is None:
        return plain(two.width)
    losses = [loss_between(*laws).value for laws in ((p, q), (q, p))]
    return math.inf if math.inf in losses else plain(losses[0] + losses[1])


def _joint(p: Any, q: Any) -> JointPair | None:
    """The pair, if it is one of laws of several numbers."""
    two: Any = pair(p, q) if isinstance(p, Tables | Wishart | NormalGamma) else None
    return two if isinstance(two, JointPair) else None


def _known(value: Any) -> Enclosure:
    return Enclosure(value, value)


def _ends(ends: tuple[Any, Any]) -> Enclosure:
    low, high = ends
    if low is high:
        return _known(plain(low))
    return Enclosure(plain(low), plain(high))
