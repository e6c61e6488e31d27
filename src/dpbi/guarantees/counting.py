"""Search for the largest integer that satisfies a monotone condition."""

from collections.abc import Callable


def largest_count(allowed: Callable[[int], bool]) -> int:
    """The largest integer k >= 0 for which ``allowed(k)`` is true, found by doubling and bisection.

    The function ``allowed`` must be true up to some k and false for all larger k.

    >>> largest_count(lambda k: k * k <= 1000)
    31
    """
    low, high = 0, 1
    while allowed(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if allowed(middle) else (low, middle)
    return low
