r"""A family of one's own: from the log likelihood of one record, what draws from its posterior cost.

With \(g(\theta, x)\) the log likelihood of a record, neighbours differ in one record, and \(\rho\) counts the records
that differ. Then
\[ w = \sup_{\theta, \theta', x, y} g(\theta, x) - g(\theta, y) - g(\theta', x) + g(\theta', y) , \qquad
   \ell(\theta) = \sup_{x, y} g(\theta, x) - g(\theta, y) , \]
over the support of the prior and the records that are declared. Where both are lists, w is exact. Else a search bounds
it on boxes (``boxes``) and the upper end is charged, which is proved as long as g is written with the functions of
``arithmetic``. A g that runs in doubles only is searched too, but nothing is proved: it is charged the bound that its
author declares, and refused if the search finds more.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import arithmetic, checks
from ..checks import Numbers
from ..progress import Progress
from .boxes import Between, Function, Greatest, greatest
from .families import RECORD, Family
from .finite import Finite
from .laws import ParameterLaw
from .log_concave import LogConcave
from .oscillations import Oscillation, of_columns, spread
from .records import Possible, changes, example, filled, holds, in_numbers, is_number, oscillations, sides

UNPROVED = (TypeError, AttributeError, ArithmeticError)
"""What a log likelihood raises on a box if it compares numbers, or calls a function of doubles."""

SEARCHED = 2000
"""So many pairs of parameters and pairs of records are tried where nothing can be proved."""


def own_family(
    name: str,
    log_likelihood: Callable[[Any, Any], Any],
    records: Iterable[Possible],
    *,
    constant: float | None = None,
    sampler: Callable[[Any, Any], ParameterLaw] | None = None,
    relative: float = 1e-3,
    budget: int = 20_000,
    progress: bool | Progress = False,
) -> Family:
    r"""A family from the log likelihood \(g(\theta, x)\) of one record, and the records that are possible.

    \(\theta\) is a number or a tuple of numbers, each of them an array when many parameters are asked for, so write g
    with the functions of ``arithmetic``. ``records`` lists what a record can be; a number in it may be a range,
    ``Between(low, high)``. The posterior of a prior on an interval is drawn exactly if it is log-concave
    (``LogConcave``); any other comes from ``sampler(prior, data)``, which returns a law. ``constant`` is a bound on
    \(|g(\theta, x) - g(\theta, y)|\), needed only where g runs in doubles alone. The search stops when its two ends
    are within ``relative`` of each other, or after a ``budget`` of boxes, and charges the upper end.

    >>> from dpbi.arithmetic import log
    >>> from dpbi.posterior_sampling import cost, trimmed_exponential
    >>> waiting = own_family("waiting", lambda rate, x: log(rate) - rate * x, [Between(0, 1)])
    >>> found = cost(waiting, trimmed_exponential(1, 0.5, 2.0), 1).oscillation()
    >>> found.least <= 1.5 <= found.width <= 1.501
    True
    """
    if not callable(log_likelihood):
        raise TypeError(f"log_likelihood must be a function of a parameter and a record, got {log_likelihood!r}")
    possible = tuple(tuple(each) if isinstance(each, list) else each for each in records)
    if not possible:
        raise ValueError("records must list at least one record that is possible, got none")
    if constant is not None:
        checks.real("constant", constant, least=0)
    own = _Own(name, log_likelihood, possible, constant, relative, budget, progress)

    def update(prior: Any, x: Sequence[Any]) -> ParameterLaw:
        if sampler is None:
            return own.log_concave(prior, x)
        law = sampler(prior, x)
        if not isinstance(law, ParameterLaw):
            raise TypeError(f"sampler must return a law with sample(rng, size), got {law!r}")
        return law

    return Family(
        name=name,
        metric="number of records that differ",
        data=own.data,
        parameters=_parameters,
        log_density=own.log_density,
        distance=own.distance,
        constant=own.constants,
        reach={RECORD: 1},
        conjugate=ParameterLaw,
        update=update,
        largest=own.largest,
        oscillation=lambda prior, neighbours: own.oscillation(prior),
        records=possible,
    )


@dataclass(frozen=True)
class _Own:
    """The log likelihood of a record, what a record can be, and how the search is done."""

    name: str
    g: Callable[[Any, Any], Any]
    records: tuple[Possible, ...]
    declared: float | None
    relative: float
    budget: int
    progress: bool | Progress

    def data(self, x: Any) -> tuple[Any, ...]:
        """Records that are possible, in the numbers that are current."""
        given = tuple(in_numbers(record) for record in x)
        for position, record in enumerate(given):
            if not any(holds(each, record) for each in self.records):
                shown = ", ".join(map(repr, self.records[:4])) + (", ..." if len(self.records) > 4 else "")
                raise ValueError(
                    f"data must be records of {self.name}, one of {shown}, got {record!r} at position {position}"
                )
        return given

    def distance(self, x: Any, y: Any) -> float:
        """The number of records that differ."""
        first, second = self.data(x), self.data(y)
        if len(first) != len(second):
            raise ValueError(f"x and y must have the same number of records, got {len(first)} and {len(second)}")
        return arithmetic.plain(arithmetic.number(sum(a != b for a, b in zip(first, second, strict=True))))

    def log_density(self, theta: Any, x: Sequence[Any]) -> Numbers:
        """The sum over the records, equal ones once."""
        counts = Counter(x).items()
        if isinstance(theta, tuple):  # parameters that are no numbers, one after the other
            total = np.array([sum(count * self.g(each, record) for record, count in counts) for each in theta])
        else:
            at = theta if theta.ndim == 1 else tuple(theta.T)
            zero = arithmetic.zeros(len(theta))
            total = np.asarray(zero + sum(count * self.g(at, record) for record, count in counts))
        bad = ~(total < math.inf) if arithmetic.in_doubles() else np.array([False])
        if bad.any():
            i = int(bad.argmax())
            raise ValueError(
                f"log_likelihood of {self.name} must be finite, or minus infinity where a record is impossible, "
                f"got {total[i]} at the parameter {theta[i]}"
            )
        return total

    def log_concave(self, prior: Any, x: Sequence[Any]) -> LogConcave:
        """The posterior of one number."""
        kernel = getattr(prior, "log_kernel", None)
        if kernel is None or isinstance(prior.ends[0], tuple):
            raise TypeError(
                f"prior must be a law of one number that has a log_kernel, or {self.name} have a sampler, "
                f"got {type(prior).__name__}"
            )

        def log_kernel(t: Any) -> Any:
            return kernel(t) + self.log_density(np.ravel(t), x).reshape(np.shape(t))

        return LogConcave(log_kernel, *prior.ends)

    def constants(self, theta: Any) -> Numbers:
        r"""\(\ell(\theta)\): exact if the records are a list, else the upper end of a search."""
        if self.declared is not None:
            return np.array([arithmetic.number(self.declared)] * len(theta))
        if not self.ranges:
            table = np.array([self.log_density(theta, [record]) for record in self.in_numbers()])
            return np.asarray(spread(table, axis=0))
        listed = [tuple(each) if isinstance(each, np.ndarray) else each for each in theta]
        return arithmetic.numbers([self._search(changes(self.g, [each], self.records)).most for each in listed])

    @property
    def ranges(self) -> bool:
        """Whether a record has a range."""
        return any(sides(record) for record in self.records)

    def in_numbers(self) -> list[Any]:
        """The records of a list, in the numbers that are current."""
        return [filled(record, ()) for record in self.records]

    def largest(self, prior: Any) -> float:
        r"""The largest \(\ell\) in the support, or what is declared."""
        if self.declared is not None:
            return arithmetic.plain(arithmetic.number(self.declared))
        support = support_of(prior, self.name)
        if not all(math.isfinite(float(end)) for side in sides(support[0]) for end in (side.low, side.high)):
            return math.inf
        return arithmetic.plain(arithmetic.number(self._proved(changes(self.g, support, self.records)).most))

    def oscillation(self, prior: Any) -> Oscillation:
        """w: exact if all is listed, else between two numbers that are proved, else as declared."""
        if isinstance(prior, Finite) and not self.ranges:
            table = np.array([self.log_density(_parameters(prior.held), [record]) for record in self.in_numbers()])
            self._refuse_unless_finite(table)
            return Oscillation(arithmetic.plain(of_columns(table.T)), exact=True)
        support = support_of(prior, self.name)
        problems = list(oscillations(self.g, support, self.records))
        if not problems:
            return Oscillation(arithmetic.plain(arithmetic.number(0)), exact=True)
        try:
            found = self._search(problems)
        except UNPROVED as error:
            if self.declared is None:
                raise self._undeclared(error) from error
            return Oscillation(2 * arithmetic.plain(arithmetic.number(self.declared)), False, self.attacked(support))
        return Oscillation(arithmetic.plain(arithmetic.number(found.most)), exact=False, least=found.least)

    def attacked(self, support: Sequence[Possible]) -> float:
        """The greatest oscillation that a search in doubles finds, which proves nothing but a constant wrong."""
        rng, worst = np.random.default_rng(0), 0.0
        for _ in range(SEARCHED):
            thetas = [example(support[int(rng.integers(len(support)))], rng) for _ in range(2)]
            x, y = (example(self.records[rng.integers(len(self.records))], rng) for _ in range(2))
            differences = [float(self.g(theta, x)) - float(self.g(theta, y)) for theta in thetas]
            self._refuse_unless_finite(np.array(differences))
            for theta, difference in zip(thetas, differences, strict=True):
                if self.declared is not None and abs(difference) > float(self.declared) * (1 + 1e-9):
                    raise ValueError(
                        f"constant must bound the differences of log_likelihood, got constant={self.declared!r}, "
                        f"and {abs(difference):.6g} at the parameter {theta} between the records {x} and {y}"
                    )
            worst = max(worst, abs(differences[0] - differences[1]))
        return worst

    def _search(self, problems: Iterable[tuple[Function, Sequence[Between]]]) -> Greatest:
        found = greatest(problems, relative=self.relative, budget=self.budget, progress=self.progress)
        if found.most == math.inf:
            raise ValueError(
                f"log_likelihood of {self.name} must be finite, and bounded over the support and the records, "
                f"got no bound after {found.boxes} boxes"
            )
        return found

    def _proved(self, problems: Iterable[tuple[Function, Sequence[Between]]]) -> Greatest:
        try:
            return self._search(problems)
        except UNPROVED as error:
            raise self._undeclared(error) from error

    def _undeclared(self, error: Exception) -> ValueError:
        return ValueError(
            f"log_likelihood of {self.name} must be written with the functions of dpbi.arithmetic for a cost that is "
            f"proved, or constant= be declared, a bound on its differences; got, on an interval: {error}"
        )

    def _refuse_unless_finite(self, values: Numbers) -> None:
        if not np.isfinite(arithmetic.approximate(values)).all():
            raise ValueError(f"log_likelihood of {self.name} must be finite on the support, got {values.tolist()}")


def support_of(prior: Any, name: str) -> tuple[Possible, ...]:
    """The parameters that a prior can have: a list, or one box."""
    if isinstance(prior, Finite):
        return tuple(tuple(each) if isinstance(each, np.ndarray) else each for each in prior.held)
    ends = getattr(prior, "ends", None)
    if ends is None:
        raise TypeError(
            f"prior must have ends, its least and its largest parameter, for the cost of {name}, "
            f"got {type(prior).__name__}"
        )
    low, high = ends
    if isinstance(low, tuple):
        return (tuple(_range(*side) for side in zip(low, high, strict=True)),)
    return (_range(low, high),)


def _range(low: Any, high: Any) -> Between:
    """A side of the support."""
    return Between(float(low), float(high))


def _parameters(values: Any) -> Any:
    """Numbers or tuples of numbers as an array, anything else as it is."""
    entries = list(values)
    rows = [entry if isinstance(entry, tuple | list | np.ndarray) else (entry,) for entry in entries]
    if not all(is_number(number) for row in rows for number in row) or len({len(row) for row in rows}) > 1:
        return tuple(entries)
    theta = arithmetic.numbers(entries)
    if not np.isfinite(arithmetic.approximate(theta)).all():
        raise ValueError(f"parameters must be finite, got {values!r}")
    return theta
