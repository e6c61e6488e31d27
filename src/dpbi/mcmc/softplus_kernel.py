r"""\(\ln(1 + e^u)\) of many numbers: compiled, of plain arithmetic, so that a processor takes several at a time.

The elementary functions of a loop are calls, one row each, and most of the time of a logistic model. Here
\(e^{-|u|} = 2^k e^r\) with \(|r| \le \frac12 \ln 2\), by its Taylor polynomial of degree 13 (the rest is below
\(5 \cdot 10^{-18}\)), and \(\ln(1 + t) = 2 \operatorname{artanh} s\), \(s = t / (2 + t) \le \frac13\), by its series to
\(s^{33}\) (the rest is below \(10^{-17}\) of it).
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from .kernels import COMPILED

PLAIN = COMPILED | {"fastmath": {"contract", "nsz"}}
"""Without leave to reorder additions, on which the digits of the reduction rest."""

LOG_2 = (6.93147180369123816490e-01, 1.90821492927058770002e-10)
"""Its first 32 bits, and the rest."""


@intrinsic
def _with_bits(typing: Any, bits: Any) -> Any:
    """The double of these bits."""

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.bitcast(values[0], ir.DoubleType())

    return types.float64(types.int64), code


@njit(inline="always", **PLAIN)  # type: ignore[untyped-decorator]
def _softplus(u: float) -> float:
    low = -abs(u)
    low = low if low > -700.0 else -700.0
    k = np.floor(low * 1.4426950408889634 + 0.5)
    r = (low - k * LOG_2[0]) - k * LOG_2[1]
    p = 1 / 6227020800 * r + 1 / 479001600
    p = (((p * r + 1 / 39916800) * r + 1 / 3628800) * r + 1 / 362880) * r + 1 / 40320
    p = (((p * r + 1 / 5040) * r + 1 / 720) * r + 1 / 120) * r + 1 / 24
    p = (((p * r + 1 / 6) * r + 1 / 2) * r + 1.0) * r + 1.0
    t = p * _with_bits((np.int64(k) + 1023) << 52)  # type: ignore[call-arg]
    s = t / (2.0 + t)
    q = s * s
    f = (((q / 33 + 1 / 31) * q + 1 / 29) * q + 1 / 27) * q + 1 / 25
    f = (((f * q + 1 / 23) * q + 1 / 21) * q + 1 / 19) * q + 1 / 17
    f = (((f * q + 1 / 15) * q + 1 / 13) * q + 1 / 11) * q + 1 / 9
    f = (((f * q + 1 / 7) * q + 1 / 5) * q + 1 / 3) * q
    return 2 * s * (1 + f) + (0.0 if u <= 0 else u)


@njit(**PLAIN)  # type: ignore[untyped-decorator]
def softplus(u: Any) -> Any:
    r"""\(\ln(1 + e^u)\) of each number of a line, with all digits down to \(e^{-700}\); for compiled code as well.

    >>> softplus(np.array([-50.0, 50.0, -50.0, np.nan])).round(12).tolist()
    [0.0, 50.0, 0.0, nan]
    """
    found = np.empty(len(u))
    for j in range(len(u)):
        found[j] = _softplus(u[j])
    return found
