"""Privacy amplification by subsampling, for mechanisms that use only a secret random batch of the rows."""

import numpy as np

from .. import checks
from ..arithmetic import expm1, lgamma, log, log_sum_exp, minimum, number, numbers, scalar
from .concentrated import RDP, log_one_plus_exp, log_or_infinite


def subsampled(guarantee: RDP, rows: int, batch: int) -> RDP:
    r"""Rényi guarantee of a mechanism that uses a secret random batch, drawn without replacement from all rows.

    Let \(q\) be the fraction of the rows in a batch. The bound at an integer order \(\alpha\) is (Wang, Balle and
    Kasiviswanathan 2019, Theorem 9)

    \[ \varepsilon(\alpha) = \tfrac{1}{\alpha - 1} \ln\Bigl(1 + q^2 \tbinom{\alpha}{2}
       \min\{4(e^{\varepsilon_2} - 1), 2 e^{\varepsilon_2}\}
       + 2 \sum_{j=3}^{\alpha} q^j \tbinom{\alpha}{j} e^{(j-1)\varepsilon_j}\Bigr). \]

    Args:
        guarantee: Rényi guarantee of the mechanism for its batch, at consecutive orders 2, 3, ..., for example
            ``step.rdp([2, 3, 4])``.
        rows: Number of rows, a positive integer.
        batch: Number of rows in a batch, in 1..rows.

    Returns:
        The Rényi guarantee with respect to all rows, at the orders of ``guarantee``.

    >>> from dpbi import gaussian_mechanism
    >>> step = gaussian_mechanism(1.0, 2.0).rdp([2, 3])
    >>> [round(value, 6) for value in subsampled(step, rows=1000, batch=10).values]
    [0.000114, 0.000173]
    """
    checks.typed("guarantee", guarantee, RDP, "RDP, step.rdp([2, 3, 4]) for instance")
    n = checks.whole("rows", rows, least=1)
    b = checks.whole("batch", batch, least=1, below=n + 1)
    count = len(guarantee.orders)
    if any(order != integer for order, integer in zip(guarantee.orders, range(2, count + 2), strict=True)):
        raise ValueError(f"orders must be the integers 2, 3, ... without a gap, got orders={guarantee.orders}")
    orders, log_2, log_q = np.arange(2, count + 2), log(number(2)), log(number(b) / n)
    first, *others = guarantee.values
    # if epsilon_2 > ln 2, the second term of the minimum is smaller than the first, which may overflow
    second = first if first > 1 else minimum(log_2 + log_or_infinite(expm1(first)), first)
    exponents = [second, *(j * value for j, value in enumerate(others, 2))]
    terms = numbers(exponents) + log_2 + orders * log_q
    log_factorial = lgamma(numbers(np.arange(1, count + 3)))
    values = []
    for alpha in range(2, count + 2):
        j = orders[: alpha - 1]
        binomial = log_factorial[alpha] - log_factorial[j] - log_factorial[alpha - j]
        values.append(scalar(log_one_plus_exp(log_sum_exp(binomial + terms[: alpha - 1]))) / (alpha - 1))
    return RDP(guarantee.orders, values)
