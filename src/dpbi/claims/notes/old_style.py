"""What the claims of the Hellinger paper still take from here with their first parameter ``real``."""

from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

from .. import quantities
from ..claim import Claim
from ..quantities import balanced as balanced
from . import model
from .source import FLAT as FLAT


def _of(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda real, *values: function(*values)


def _claim(claim: Claim, *names: str) -> Any:
    def body(real: ModuleType, *values: Any) -> Any:
        return claim(**dict(zip(names, values, strict=True)))

    return SimpleNamespace(cases=claim.cases, body=body)


hellinger_formula = _claim(model.hellinger_formula, "a", "b")
local_sensitivity = _claim(model.local_sensitivity, "prior", "counts")
laplace_mass, printed_sensitivity = _of(quantities.laplace_mass), _of(quantities.printed_sensitivity)
pure_bound, reciprocal_step = _of(quantities.pure_bound), _of(quantities.reciprocal_slope)


def worst_loss(real: ModuleType, mechanism: Any, prior: Any, counts: Any, neighbour: Any, n: Any) -> Any:
    """The loss from one dataset to one neighbour if they are given, over all neighbours otherwise."""
    return real.audit(mechanism, prior, n) if counts is None else real.loss(mechanism, prior, counts, neighbour)
