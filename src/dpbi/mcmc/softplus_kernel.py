r"""\(\ln(1 + e^u)\), compiled, of plain arithmetic, so that a processor takes several numbers at a time.

The elementary functions of a loop are calls, one row each, and most of the time of a logistic model. Here
\(e^{-|u|} = 2^k e^r\) with \(|r| \le \frac12 \ln 2\), \(e^r\) by a polynomial of degree 11, and
\(\ln(1 + t) = 2 \operatorname{artanh} s\), \(s = t / (2 + t)\), or \(\ln 2\) and the same of half of it,
\(s = (t - 1)/(t + 3)\), so that \(|s| \le 0.172\), by an odd polynomial of degree 15. Both polynomials are Chebyshev
interpolants, off by less than \(2 \cdot 10^{-17}\); with rounding the relative error is below \(5 \cdot 10^{-16}\) for
\(u \ge -700\), by measurement; what is below is taken as -700.

Multiplications and additions are fused where that is written, and nowhere else: a number has the same bits by itself
and among others.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types, vectorize
from numba.extending import intrinsic

LOG_2 = (6.93147180369123816490e-01, 1.90821492927058770002e-10)
"""Its first 32 bits, and the rest."""

HALF = 0.41421356237309503
"""Above it, 1 + t is taken by halves."""

P = (
    2.510038549551032e-08,
    2.7620088445409746e-07,
    2.7557268459997064e-06,
    2.4801521295954376e-05,
    0.00019841269863053618,
    0.0013888888917213717,
    0.008333333333330062,
    0.04166666666662413,
    0.16666666666666669,
    0.5,
)
r"""\((e^r - 1 - r) / r^2\), the highest power first."""

Q = (
    0.07309671726756307,
    0.07665743617932867,
    0.09091448091741543,
    0.11111105518908294,
    0.14285714313285103,
    0.19999999999949095,
    0.3333333333333335,
)
r"""\((\operatorname{artanh}(s)/s - 1) / s^2\) in powers of \(s^2\), the highest first."""


def _bits(typing: Any, bits: Any) -> Any:
    """The double of these bits."""

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.bitcast(values[0], ir.DoubleType())

    return types.float64(types.int64), code


def _fused(typing: Any, a: Any, b: Any, c: Any) -> Any:
    """a b + c, rounded once."""

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.fma(*values)

    return types.float64(types.float64, types.float64, types.float64), code


_with_bits: Any = intrinsic(_bits)
_fma: Any = intrinsic(_fused)


@vectorize(["float64(float64)"], cache=True)  # type: ignore[untyped-decorator]
def softplus(u: Any) -> Any:
    r"""\(\ln(1 + e^u)\) of a number or of an array, in Python and in compiled code.

    >>> softplus(np.array([-50.0, 0.0, 50.0])).round(12).tolist()
    [0.0, 0.69314718056, 50.0]
    """
    low = -abs(u)
    low = low if low > -700.0 else -700.0
    k = np.floor(_fma(low, 1.4426950408889634, 0.5))
    r = _fma(-k, LOG_2[1], _fma(-k, LOG_2[0], low))
    p = P[0]
    for coefficient in P[1:]:
        p = _fma(p, r, coefficient)
    power = _with_bits((np.int64(k) + 1023) << 52)
    t = _fma(_fma(p * r, r, r), power, power)
    far = t > HALF
    s = (t - 1.0 if far else t) / (t + 3.0 if far else t + 2.0)
    q = s * s
    f = Q[0]
    for coefficient in Q[1:]:
        f = _fma(f, q, coefficient)
    logarithm = _fma(f * q, s + s, s + s) + (0.6931471805599453 if far else 0.0)
    return logarithm + (0.0 if u <= 0 else u)
