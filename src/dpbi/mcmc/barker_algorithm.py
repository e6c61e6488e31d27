"""Barker's test as an algorithm: its step, and what it is charged."""

from functools import partial

from numpy.typing import ArrayLike

from .. import checks
from ..guarantees import BatchDP
from .algorithm import APPROXIMATE, Algorithm, scales
from .barker_loss import secret_loss
from .barker_rule import renyi_cost, step
from .target import Target


def cost(target: Target, *, batch: int) -> BatchDP:
    """What one step of one chain is charged: by the Rényi curve of its noise or the loss of its answer."""
    return BatchDP(renyi_cost(target, batch=batch), secret_loss(batch, target.rows))


def barker(batch: int, scale: ArrayLike) -> Algorithm:
    """Barker's test on batches, with private noise."""
    size, deviation = checks.whole("batch", batch, least=6), scales(scale)
    return Algorithm(
        "barker",
        partial(step, batch=size, scale=deviation),
        partial(cost, batch=size),
        APPROXIMATE,
        {"batch": size, "scale": deviation.tolist()},
    )
