r"""The premises of a statement as data: what values its parameters may take, and what must hold between them.

A statement says nothing outside its premises; ``Claim.check`` says so there, and never that it fails. Inside them
``search`` draws parameters and looks for a case that fails. A domain is two things: which values a premise allows, and
from which of them a search draws, ends and corners more often than the rest.

>>> flat = premises(prior=Weights(), counts=Dataset(most=30), epsilon=Reals(above=0))
>>> flat.met(prior=(1, 1), counts=(3, 0), epsilon=0.8), flat.met(prior=(1, 0), counts=(3, 0), epsilon=0.8)
(True, False)
>>> sorted(flat.draw(np.random.default_rng(0)))
['counts', 'epsilon', 'prior']
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.random import Generator

Case = Mapping[str, Any]

DIGITS = 3
"""Numbers are drawn as decimals of so many digits: exact as decimals, and short where they are shown."""


class Domain(Protocol):
    """What one parameter may be. ``case`` holds the parameters before it."""

    def allows(self, value: Any, case: Case) -> bool:
        """Whether the premise allows a value."""

    def draw(self, rng: Generator, case: Case) -> Any:
        """A value to try."""

    def near(self, rng: Generator, value: Any, case: Case) -> Any:
        """A value like another one."""


@dataclass(frozen=True)
class Reals:
    """Real numbers ``above < x < below``, ``least <= x <= most``; drawn between two ends, evenly in their logarithm."""

    low: float = 1e-3
    high: float = 30.0
    above: float = -math.inf
    least: float = -math.inf
    below: float = math.inf
    most: float = math.inf
    corners: tuple[float, ...] = ()

    def allows(self, value: Any, case: Case) -> bool:
        return bool(self.above < value < self.below and self.least <= value <= self.most)

    def draw(self, rng: Generator, case: Case) -> float:
        if rng.random() < 0.2:
            return float(_one_of(rng, (self.low, self.high, *self.corners)))
        if self.low > 0:
            return _decimal(math.exp(rng.uniform(math.log(self.low), math.log(self.high))), self)
        return _decimal(rng.uniform(self.low, self.high), self)

    def near(self, rng: Generator, value: Any, case: Case) -> float:
        moved = (
            value * math.exp(rng.normal(0, 0.3))
            if self.low > 0
            else value + rng.normal(0, 0.1) * (self.high - self.low)
        )
        return _decimal(moved, self)


def _one_of(rng: Generator, values: Sequence[Any]) -> Any:
    return values[int(rng.random() * len(values))]


def _decimal(value: float, ends: Reals) -> float:
    """A short decimal between the ends that are searched."""
    return float(f"{min(max(value, ends.low), ends.high):.{DIGITS}g}")


@dataclass(frozen=True)
class Wholes:
    """Whole numbers from ``least`` on; drawn up to ``high``, small ones more often."""

    least: int = 0
    high: int = 30
    most: int | None = None

    def allows(self, value: Any, case: Case) -> bool:
        return bool(value == int(value) and value >= self.least and (self.most is None or value <= self.most))

    def draw(self, rng: Generator, case: Case) -> int:
        return self.least + int((self.high + 1 - self.least) ** rng.random()) - 1

    def near(self, rng: Generator, value: Any, case: Case) -> int:
        return int(min(max(value + rng.integers(-2, 3), self.least), self.high))


@dataclass(frozen=True)
class Weights:
    """Prior weights, positive or at least ``least``; drawn unequal as well as equal."""

    categories: tuple[int, ...] = (2,)
    least: float = 0.0
    low: float = 1e-3
    high: float = 1e6
    equal: bool = False

    @property
    def _each(self) -> Reals:
        return Reals(max(self.low, self.least), self.high, corners=(max(self.least, 1.0),))

    def allows(self, value: Any, case: Case) -> bool:
        right = len(value) in self.categories and all(w > 0 and w >= self.least for w in value)
        return bool(right and not (self.equal and len(set(value)) > 1))

    def draw(self, rng: Generator, case: Case) -> tuple[float, ...]:
        k = int(_one_of(rng, self.categories))
        if self.equal or rng.random() < 0.3:
            return (self._each.draw(rng, case),) * k
        return tuple(self._each.draw(rng, case) for _ in range(k))

    def near(self, rng: Generator, value: Any, case: Case) -> tuple[float, ...]:
        if self.equal or (len(set(value)) == 1 and rng.random() < 0.5):
            return (self._each.near(rng, value[0], case),) * len(value)
        i = int(rng.integers(len(value)))
        return (*value[:i], self._each.near(rng, value[i], case), *value[i + 1 :])


@dataclass(frozen=True)
class Dataset:
    """Counts of at least ``least`` records, as many as the prior, or what it is ``of``, has weights; up to ``most`` records are drawn."""

    most: int = 30
    least: int = 1
    categories: int | None = None
    of: str = "prior"

    def _size(self, case: Case) -> int:
        return self.categories or len(case[self.of])

    def allows(self, value: Any, case: Case) -> bool:
        whole = all(count == int(count) and count >= 0 for count in value)
        return bool(whole and len(value) == self._size(case) and sum(value) >= self.least)

    def draw(self, rng: Generator, case: Case) -> tuple[int, ...]:
        k = self._size(case)
        n = Wholes(self.least, self.most).draw(rng, case)
        shape = rng.integers(4)
        if shape == 0:
            shares = np.full(k, 1 / k)
        elif shape == 1:
            shares = np.eye(k)[rng.integers(k)]
        else:
            shares = rng.dirichlet(np.full(k, 0.5))
        return _rounded(shares * n, n)

    def near(self, rng: Generator, value: Any, case: Case) -> tuple[int, ...]:
        if len(value) != self._size(case):
            return self.draw(rng, case)
        counts = list(value)
        start, end = int(rng.integers(len(counts))), int(rng.integers(len(counts)))
        if rng.random() < 0.5:
            counts[start] = max(counts[start] + int(rng.integers(-2, 3)), 0)
        elif counts[start] > 0:
            counts[start], counts[end] = counts[start] - 1, counts[end] + 1
        return tuple(counts) if self.least <= sum(counts) <= self.most else self.draw(rng, case)


@dataclass(frozen=True)
class Shapes(Dataset):
    """Parameters of a Dirichlet distribution, positive; drawn as whole numbers of at least 1."""

    def allows(self, value: Any, case: Case) -> bool:
        return len(value) == self._size(case) and all(a > 0 for a in value)

    def draw(self, rng: Generator, case: Case) -> tuple[int, ...]:
        return tuple(count + 1 for count in super().draw(rng, case))

    def near(self, rng: Generator, value: Any, case: Case) -> tuple[int, ...]:
        return tuple(count + 1 for count in super().near(rng, tuple(a - 1 for a in value), case))


@dataclass(frozen=True)
class Law:
    """Positive probabilities that add up to one, of as many outcomes as one of the sizes, or as ``of`` has.

    They are drawn as thousandths, so that they add up exactly as decimals.
    """

    sizes: tuple[int, ...] = (2, 3, 4)
    of: str = ""

    def allows(self, value: Any, case: Case) -> bool:
        right = len(value) == len(case[self.of]) if self.of else len(value) >= 1
        return right and all(p > 0 for p in value) and not abs(sum(value) - 1) > 1e-9

    def draw(self, rng: Generator, case: Case) -> tuple[float, ...]:
        size = len(case[self.of]) if self.of else int(_one_of(rng, self.sizes))
        shares = (
            np.full(size, 1 / size) if rng.random() < 0.1 else rng.dirichlet(np.full(size, rng.choice((0.3, 1, 5))))
        )
        return tuple(part / 1000 for part in _rounded(shares * (1000 - size), 1000 - size, 1))

    def near(self, rng: Generator, value: Any, case: Case) -> tuple[float, ...]:
        parts = [round(1000 * p) for p in value]
        start, end = int(rng.integers(len(parts))), int(rng.integers(len(parts)))
        moved = min(int(rng.choice((1, 10, 100))), parts[start] - 1)
        if sum(parts) != 1000 or moved < 0:
            return self.draw(rng, case)
        parts[start], parts[end] = parts[start] - moved * (start != end), parts[end] + moved * (start != end)
        return tuple(part / 1000 for part in parts)


@dataclass(frozen=True)
class Points:
    """Real numbers, as many as one of the sizes or as ``of`` has."""

    each: Reals
    sizes: tuple[int, ...] = (2,)
    of: str = ""

    def allows(self, value: Any, case: Case) -> bool:
        right = len(value) == len(case[self.of]) if self.of else True
        return right and all(self.each.allows(entry, case) for entry in value)

    def draw(self, rng: Generator, case: Case) -> tuple[float, ...]:
        size = len(case[self.of]) if self.of else int(_one_of(rng, self.sizes))
        return tuple(self.each.draw(rng, case) for _ in range(size))

    def near(self, rng: Generator, value: Any, case: Case) -> tuple[float, ...]:
        i = int(rng.integers(len(value)))
        return (*value[:i], self.each.near(rng, value[i], case), *value[i + 1 :])


@dataclass(frozen=True)
class Rows:
    """Several rows of one kind, of the same length; as many as one of the sizes, or as ``of`` has."""

    kind: Law | Points
    sizes: tuple[int, ...] = (2, 3)
    of: str = ""

    def allows(self, value: Any, case: Case) -> bool:
        right = len(value) == len(case[self.of]) if self.of else len(value) >= 1
        return right and all(len(row) == len(value[0]) and self.kind.allows(row, case) for row in value)

    def draw(self, rng: Generator, case: Case) -> tuple[Any, ...]:
        size = len(case[self.of]) if self.of else int(_one_of(rng, self.sizes))
        first = self.kind.draw(rng, case)
        alike = replace(self.kind, sizes=(len(first),))
        return (first, *(alike.draw(rng, case) for _ in range(size - 1)))

    def near(self, rng: Generator, value: Any, case: Case) -> tuple[Any, ...]:
        i = int(rng.integers(len(value)))
        return (*value[:i], self.kind.near(rng, value[i], case), *value[i + 1 :])


@dataclass(frozen=True)
class Choice:
    """One of some values."""

    values: tuple[Any, ...]

    def allows(self, value: Any, case: Case) -> bool:
        return value in self.values

    def draw(self, rng: Generator, case: Case) -> Any:
        return _one_of(rng, self.values)

    def near(self, rng: Generator, value: Any, case: Case) -> Any:
        return self.draw(rng, case)


@dataclass(frozen=True)
class Premises:
    """The domains of the parameters, in the order in which they are drawn, and what must hold between them.

    ``holds`` is a predicate on all parameters, ``text`` its words. ``fix`` may change what was drawn so that it holds
    more often; a draw for which it does not is thrown away.
    """

    parameters: Mapping[str, Domain]
    text: str = ""
    holds: Callable[..., bool] | None = None
    fix: Callable[..., Case] | None = None

    def met(self, **case: Any) -> bool:
        """Whether a case is inside every domain; what a case leaves out is not asked for."""
        given = {name: value for name, value in case.items() if value is not None}
        return all(domain.allows(given[name], given) for name, domain in self.parameters.items() if name in given)

    def draw(self, rng: Generator) -> dict[str, Any]:
        """A case inside every domain."""
        case: dict[str, Any] = {}
        for name, domain in self.parameters.items():
            case[name] = domain.draw(rng, case)
        return self._fixed(case)

    def near(self, rng: Generator, case: Case) -> dict[str, Any]:
        """A case like another one: one or two of its parameters move, and what no longer fits them."""
        moved = {name: case[name] for name in self.parameters}
        names = list(moved)
        for name in dict.fromkeys(_one_of(rng, names) for _ in range(1 + (rng.random() < 0.5))):
            moved[name] = self.parameters[name].near(rng, moved[name], moved)
        for name, domain in self.parameters.items():
            if not domain.allows(moved[name], moved):
                moved[name] = domain.draw(rng, moved)
        return self._fixed(moved)

    def and_also(self, text: str, holds: Callable[..., bool]) -> "Premises":
        """The same premises and another one."""
        before = self.holds
        both = holds if before is None else lambda **case: before(**case) and holds(**case)
        return replace(self, text=f"{self.text}, and {text}" if self.text else text, holds=both)

    def _fixed(self, case: dict[str, Any]) -> dict[str, Any]:
        return case if self.fix is None else {**case, **self.fix(**case)}


def premises(
    text: str = "",
    holds: Callable[..., bool] | None = None,
    *,
    fix: Callable[..., Case] | None = None,
    **parameters: Domain,
) -> Premises:
    """Premises from one domain for each parameter, in the order in which they are drawn."""
    return Premises(parameters, text, holds, fix)


def _rounded(shares: Any, n: int, least: int = 0) -> tuple[int, ...]:
    """Whole numbers near to shares of n that add up to n, each with so many more."""
    counts = np.floor(shares).astype(int)
    counts[int(np.argmax(shares))] += n - int(counts.sum())
    return tuple(int(count) + least for count in counts)
