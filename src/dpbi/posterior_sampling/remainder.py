r"""What the exponential function leaves beyond its tangent at zero, without cancellation."""

from typing import Any

import numpy as np
from scipy.special import hyp1f1

from .. import arithmetic


def beyond_linear(u: Any) -> Any:
    r"""\(e^u - 1 - u\); in doubles by a series where it would cancel."""
    if not arithmetic.in_doubles():
        return arithmetic.expm1(u) - u
    return np.where(np.abs(u) < 1, u * u / 2 * hyp1f1(1, 3, np.clip(u, -1, 1)), np.expm1(u) - u)
