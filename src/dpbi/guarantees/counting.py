"""Search for the largest whole number with a property."""

from collections.abc import Callable


def largest_count(allowed: Callable[[int], bool]) -> int:
    """The largest k >= 0 with ``allowed(k)``, which must hold up to some k and fail beyond; doubling, then bisection.

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
