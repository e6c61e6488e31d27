"""Searches on whole numbers."""

from collections.abc import Callable


def largest_count(allowed: Callable[[int], bool]) -> int:
    """The largest k with ``allowed(k)``, true up to some k and false afterwards: doubled, then halved, on integers.

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
