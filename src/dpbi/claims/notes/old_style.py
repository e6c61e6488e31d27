"""What the claims of the Hellinger paper still take from here with their first parameter ``real``."""

from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from ... import model
from .. import quantities
from ..claim import Claim
from ..quantities import balanced as balanced
from . import model as section_1
from .source import FLAT as FLAT


def _of(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda real, *values: function(*values)


def _claim(claim: Claim, *names: str) -> Any:
    def body(real: ModuleType, *values: Any) -> Any:
        return claim(**dict(zip(names, values, strict=True)))

    return SimpleNamespace(cases=claim.cases, body=body)


hellinger_formula = _claim(section_1.hellinger_formula, "a", "b")
local_sensitivity = _claim(section_1.local_sensitivity, "prior", "counts")
laplace_mass, printed_sensitivity = _of(quantities.laplace_mass), _of(quantities.printed_sensitivity)
reciprocal_step = _of(model.reciprocal_slope)


def worst_loss(real: ModuleType, mechanism: Any, prior: Any, counts: Any, neighbour: Any, n: Any) -> Any:
    """The loss from one dataset to one neighbour if they are given, over all neighbours otherwise."""
    return real.audit(mechanism, prior, n) if counts is None else real.loss(mechanism, prior, counts, neighbour)


def pure_bound(real: ModuleType, prior: Any, n: Any, sensitivity: Callable[[Any], Any]) -> Any:
    """The bound on the loss of weights, from the sensitivity at every dataset."""
    found = [sensitivity(real.number(tuple(row))) for row in real.count_vectors(n, len(prior)).tolist()]
    return quantities.pure_bound(n, len(prior), np.array(found))
