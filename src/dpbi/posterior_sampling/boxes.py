r"""The greatest value of a function on boxes, between two numbers that are proved.

A function is evaluated on a whole box at once, in balls that carry its slopes (``arithmetic.slopes``): its values there
are below the upper end of the ball, and below that of its mean value form. A side along which it rises or falls shrinks
to the end where it is greatest. The box with the largest upper end is halved along the side that matters most, until no
upper end is above the best value found by more than the width asked for, or the budget is spent. Either way the
greatest value is between the two numbers returned.
"""

import heapq
import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from .. import arithmetic, checks
from ..arithmetic.slopes import Slopes, constant
from ..progress import Progress, shown

BITS = 64
"""The precision of the search; the width asked for is far above it."""

NOTHING = 1e-12
"""A difference that a search leaves open even where the greatest value is zero."""

Function = Callable[..., Any]
Side = tuple[Any, Any]


@dataclass(frozen=True)
class Between:
    """A number of a record that may be anything from ``low`` to ``high``."""

    low: float
    high: float

    def __post_init__(self) -> None:
        if not float(self.low) <= float(self.high):
            raise ValueError(f"low must be at most high, got low={self.low!r}, high={self.high!r}")


class Greatest(NamedTuple):
    """The greatest value is at least ``least``, which is reached at ``at``, and at most ``most``: both are proved."""

    least: float
    most: float
    at: tuple[float, ...]
    problem: int
    boxes: int


class _Box(NamedTuple):
    """A box, with an upper end for the function there, its slopes, and the function's place in the list."""

    most: float
    sides: tuple[Side, ...]
    slopes: tuple[Any, ...]
    problem: int


def greatest(
    problems: Iterable[tuple[Function, Sequence[Between]]],
    *,
    relative: float = 1e-3,
    budget: int = 20_000,
    progress: bool | Progress = False,
) -> Greatest:
    r"""The greatest value of several functions, each on a box: a function has an argument for each side.

    ``progress`` counts the boxes; it comes to the budget when the search is over, though it used fewer.

    >>> from dpbi.arithmetic import exp
    >>> found = greatest([(lambda x: x * exp(-x), [Between(0, 3)])], relative=1e-6)
    >>> found.least <= math.exp(-1) <= found.most <= 0.3678798
    True
    """
    width = checks.real("relative", relative, above=0, below=1)
    allowed = checks.whole("budget", budget, least=1)
    with arithmetic.balls(BITS):
        return _Search(list(problems), float(width), allowed, shown(progress, "boxes at most")).run()


class _Search:
    """Boxes that may still hold the greatest value, by their upper ends, and the best value so far."""

    def __init__(
        self, problems: list[tuple[Function, Sequence[Between]]], relative: float, budget: int, show: Progress
    ) -> None:
        self.functions = [function for function, _ in problems]
        self.starts = [
            tuple((arithmetic.number(side.low), arithmetic.number(side.high)) for side in box) for _, box in problems
        ]
        self.relative, self.budget, self.show = relative, budget, show
        self.best, self.at, self.problem = -math.inf, (), 0
        self.settled = -math.inf  # the upper ends of boxes that are single points
        self.heap: list[tuple[float, int, _Box]] = []
        self.count = itertools.count()
        self.evaluated = 0

    def run(self) -> Greatest:
        for problem, start in enumerate(self.starts):
            self.consider(start, problem)
        while self.heap and -self.heap[0][0] > self.enough() and self.evaluated < self.budget:
            box = heapq.heappop(self.heap)[2]
            for half in _halves(box, self.starts[box.problem]):
                self.consider(half, box.problem)
            self.show(min(self.evaluated, self.budget - 1), self.budget)
        self.show(self.budget, self.budget)
        most = max(self.settled, -self.heap[0][0] if self.heap else -math.inf, self.best)
        return Greatest(self.best, most, self.at, self.problem, self.evaluated)

    def enough(self) -> float:
        """Upper ends below this are near enough to the best value."""
        return max(self.settled, self.best + max(self.relative * abs(self.best), NOTHING))

    def consider(self, sides: tuple[Side, ...], problem: int) -> None:
        """Bound the function on a box, shrink its sides, and keep it unless it cannot hold the greatest value."""
        function = self.functions[problem]
        while True:
            self.evaluated += 1
            whole = _enclosed(function, sides)
            shrunk = tuple(_shrunk(side, slope) for side, slope in zip(sides, whole.slopes, strict=True))
            if shrunk == sides:
                break
            sides = shrunk
        if whole.centre.is_finite() and rounded_down(whole.centre) > self.best:
            self.best, self.problem = rounded_down(whole.centre), problem
            self.at = tuple(arithmetic.approximate((low + high) / 2) for low, high in sides)
        most = rounded_up(whole.value)
        if all(low == high for low, high in sides):
            self.settled = max(self.settled, most)
        elif most > max(self.best, self.settled):
            heapq.heappush(self.heap, (-most, next(self.count), _Box(most, sides, whole.slopes, problem)))


def _enclosed(function: Function, sides: tuple[Side, ...]) -> Slopes:
    """The function on a whole box, with its slopes."""
    balls = [arithmetic.hull([low, high]) for low, high in sides]
    middles = [arithmetic.hull([(low + high) / 2]) for low, high in sides]
    halves = tuple(ball - middle for ball, middle in zip(balls, middles, strict=True))
    units = [tuple(arithmetic.number(int(i == j)) for j in range(len(sides))) for i in range(len(sides))]
    given = [Slopes(*entry, halves) for entry in zip(balls, middles, units, strict=True)]
    value = function(*given)
    return value if isinstance(value, Slopes) else constant(value, halves)


def _shrunk(side: Side, slope: Any) -> Side:
    """The end of a side where the function is greatest, if its slope has a sign."""
    low, high = side
    if low == high or not (slope >= 0 or slope <= 0):
        return side
    return (high, high) if slope >= 0 else (low, low)


def _halves(box: _Box, start: tuple[Side, ...]) -> list[tuple[Side, ...]]:
    """The box cut in the middle of the side along which its upper end may fall most."""

    def matters(i: int) -> tuple[float, float]:
        low, high = box.sides[i]
        share = float((high - low) / (start[i][1] - start[i][0])) if low != high else 0.0
        change = float(abs(box.slopes[i]).upper()) * float(high - low) if low != high else 0.0
        return (change if change < math.inf else math.inf, share)

    cut = max(range(len(box.sides)), key=matters)
    low, high = box.sides[cut]
    middle = (low + high) / 2
    return [(*box.sides[:cut], half, *box.sides[cut + 1 :]) for half in ((low, middle), (middle, high))]


def rounded_up(ball: Any) -> float:
    """A double above the ball, above the decimal that the double is written as too; infinite if there is none."""
    upper = float(ball.upper())
    return math.nextafter(math.nextafter(upper, math.inf), math.inf) if upper == upper else math.inf


def rounded_down(ball: Any) -> float:
    """A double below the ball, and below the decimal that the double is written as."""
    lower = float(ball.lower())
    return math.nextafter(math.nextafter(lower, -math.inf), -math.inf) if lower == lower else -math.inf
