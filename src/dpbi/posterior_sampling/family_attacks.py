r"""Attacks on what a family declares: whoever wrote it, its cost is only as right as its constant and its metric.

A seeded search goes through datasets of a few records, neighbours and parameters, those at the ends of the support
among them. Where the records and the parameters are numbers and ranges, the greatest oscillation and the largest change
are also bounded on intervals. What is wrong is refused with its counterexample; what is returned says what was tried.
"""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import checks
from ..checks import Floats
from .boxes import Greatest, greatest
from .families import RECORD, Family, lipschitz_bound, posterior
from .finite import Finite
from .laws import Tables, Wishart
from .oscillations import Oscillation
from .own_families import UNPROVED, support_of
from .records import all_numbers, changes, example, oscillations
from .sampling import cost

SLACK = 1e-9
"""What rounding may do, relatively, to a comparison that holds."""

ERRORS = 6.0
"""Draws that are so many standard errors from Bayes' rule are wrong."""


@dataclass(frozen=True)
class Checked:
    """A family that withstood: comparisons made of each property, and what intervals prove of one draw's cost.

    ``proved`` holds the greatest oscillation, an ``Greatest``, where records and parameters are numbers and ranges.
    """

    family: str
    tried: dict[str, int]
    charged: Oscillation
    found: float
    proved: Greatest | None = field(default=None)


def check_family(
    family: Family,
    prior: Any,
    records: Any = None,
    *,
    neighbours: str = RECORD,
    trials: int = 150,
    draws: int = 1000,
    seed: int = 0,
) -> Checked:
    r"""Attack a family with a prior: its metric, reach, constant, oscillation and posterior. Wrong ones are refused.

    ``records`` lists what a record can be, numbers with ranges, or draws one; by default the family's own.

    * metric: \(\rho(x, x) = 0\), \(\rho(x, y) = \rho(y, x) \ge 0\), \(\rho(x, y) \le \rho(x, z) + \rho(z, y)\);
    * reach: \(\rho\) between neighbours;
    * constant: \(|\ln p_\theta(x) - \ln p_\theta(y)| \le \ell(\theta)\,\rho(x, y)\);
    * oscillation: what is charged for a draw is at least w, and is w if it is called exact;
    * update: the posterior is in proportion to the prior times the likelihood, and so are its ``draws``, so many of
      them, as far as chance can tell.

    >>> from dpbi.posterior_sampling import Beta, bernoulli
    >>> done = check_family(bernoulli(), Beta(1, 1, -2, 2))
    >>> done.charged.width, round(done.found, 9), round(done.proved.most, 9)
    (4.0, 4.0, 4.0)
    """
    given = records if records is not None else family.records
    if given is None:
        raise ValueError(f"records must be given for {family.name}, whose records nothing bounds, got None")
    attack = _Attack(family, prior, given, neighbours, np.random.default_rng(checks.whole("seed", seed, least=0)))
    for _ in range(checks.whole("trials", trials, least=1)):
        attack.once()
    proved = attack.by_intervals()
    attack.on_bayes_rule(checks.whole("draws", draws, least=0))
    return Checked(family.name, dict(attack.tried), attack.charged, attack.found, proved)


class _Attack:
    """The parameters that are tried, and what was compared so far."""

    def __init__(self, family: Family, prior: Any, records: Any, neighbours: str, rng: np.random.Generator) -> None:
        self.family, self.prior, self.records, self.neighbours, self.rng = family, prior, records, neighbours, rng
        price = cost(family, prior, 1)
        self.charged, self.reach = price.oscillation(neighbours), family.reach[neighbours]
        self.parameters = _in_support(family, prior, rng)
        self.constants = np.asarray(family.lipschitz(self.parameters), np.float64)
        if not (self.constants >= 0).all():
            raise self.wrong("constant", f"must be >= 0, got {self.constants.min():g}")
        bad = self.constants > price.lipschitz * (1 + SLACK)
        if bad.any():
            raise self.wrong(
                "largest",
                f"must bound the constants of the support, got {price.lipschitz:g} and a constant of "
                f"{self.constants[bad][0]:g} at the parameter {self.parameter(bad)}",
            )
        self.tried: Counter[str] = Counter()
        self.found = 0.0

    def wrong(self, what: str, why: str) -> ValueError:
        return ValueError(f"{what} of {self.family.name} {why}")

    def parameter(self, bad: Any) -> Any:
        """The first parameter of those that are bad."""
        return list(self.parameters)[int(np.argmax(bad))]

    def record(self) -> Any:
        if callable(self.records):
            return self.records(self.rng)
        return example(self.records[self.rng.integers(len(self.records))], self.rng)

    def dataset(self, size: int) -> list[Any]:
        return [self.record() for _ in range(size)]

    def neighbour(self, x: list[Any]) -> list[Any]:
        """The dataset with one record replaced, or one entry of one."""
        at, other = int(self.rng.integers(len(x))), self.record()
        if self.neighbours != RECORD:
            entry = int(self.rng.integers(len(other)))
            other = (*x[at][:entry], other[entry], *x[at][entry + 1 :])
        return [*x[:at], other, *x[at + 1 :]]

    def once(self) -> None:
        """One round: a dataset, a neighbour, and a dataset that has nothing to do with them."""
        size = int(self.rng.integers(1, 4))
        x, z = self.dataset(size), self.dataset(size)
        y = self.neighbour(x)
        self.metric(x, y, z)
        near = self.distance(x, y)
        self.tried["reach"] += 1
        if near > self.reach * (1 + SLACK):
            raise self.wrong(
                "reach",
                f'must bound the metric for "{self.neighbours}", got {self.reach:g}, and {near:g} between {x} and {y}',
            )
        fits = {name: self.fit(data) for name, data in (("x", x), ("y", y), ("z", z))}
        for other, name in ((y, "y"), (z, "z")):
            self.constant(x, other, fits["x"], fits[name])
        self.oscillation(x, y, fits["x"] - fits["y"])

    def distance(self, x: Any, y: Any) -> float:
        return float(self.family.distance(x, y))

    def fit(self, x: Any) -> Floats:
        found = np.asarray(self.family.log_likelihood(self.parameters, x), np.float64)
        if not np.isfinite(found).all():
            bad = ~np.isfinite(found)
            raise self.wrong("log_density", f"must be finite, got {found[bad][0]} at {self.parameter(bad)} for {x}")
        return found

    def metric(self, x: Any, y: Any, z: Any) -> None:
        self.tried["metric"] += 1
        if self.distance(x, x) != 0:
            raise self.wrong("distance", f"must be 0 from a dataset to itself, got {self.distance(x, x):g} for {x}")
        for a, b in itertools.permutations((x, y, z), 2):
            there, back = self.distance(a, b), self.distance(b, a)
            if not (there >= 0 and math.isclose(there, back, rel_tol=SLACK, abs_tol=SLACK)):
                raise self.wrong(
                    "distance", f"must be >= 0 and symmetric, got {there:g} and {back:g} between {a} and {b}"
                )
        for a, b, c in itertools.permutations((x, y, z)):
            straight, around = self.distance(a, b), self.distance(a, c) + self.distance(c, b)
            if straight > around * (1 + SLACK) + SLACK:
                raise self.wrong(
                    "distance",
                    f"must satisfy the triangle inequality, got {straight:g} from {a} to {b}, and {around:g} over {c}",
                )

    def constant(self, x: Any, y: Any, fit: Floats, other: Floats) -> None:
        change, distance = np.abs(fit - other), self.distance(x, y)
        self.tried["constant"] += len(change)
        bad = change > self.constants * distance * (1 + SLACK) + SLACK * (1 + np.abs(fit))
        if bad.any():
            i = int(np.argmax(bad))
            raise self.wrong(
                "constant",
                f"must bound the change of the log likelihood, got {self.constants[i]:g} at the parameter "
                f"{self.parameter(bad)}, where it changes by {change[i]:g} over a distance of {distance:g}, "
                f"from {x} to {y}",
            )

    def oscillation(self, x: Any, y: Any, change: Floats) -> None:
        self.tried["oscillation"] += 1
        low, high = int(change.argmin()), int(change.argmax())
        self.found = max(self.found, float(change[high] - change[low]))
        if self.found > self.charged.width * (1 + SLACK) + SLACK:
            thetas = list(self.parameters)
            raise self.wrong(
                "oscillation",
                f"must bound what a draw loses, got {self.charged.width:g}, and {self.found:g} between the parameters "
                f"{thetas[low]} and {thetas[high]} and the records {x} and {y}",
            )

    def by_intervals(self) -> Greatest | None:
        """Bound the oscillation and the largest change where they are functions on boxes."""
        if callable(self.records) or self.neighbours != RECORD or (has := _numbers_and_ranges(self)) is None:
            return None
        g, support = has
        try:
            whole = greatest(oscillations(g, support, self.records), relative=1e-3)
            change = greatest(changes(g, support, self.records), relative=1e-3)
        except UNPROVED:
            return None
        self.tried["boxes"] += whole.boxes + change.boxes
        limit = lipschitz_bound(self.family, self.prior) * self.reach
        if change.least > limit * (1 + SLACK) + SLACK:
            raise self.wrong(
                "constant",
                f"times reach must bound the change of the log likelihood, got {limit:g}, and {change.least:g}"
                f" at {change.at} (the parameter, then the records)",
            )
        if whole.least > self.charged.width * (1 + SLACK) + SLACK:
            raise self.wrong(
                "oscillation",
                f"must bound what a draw loses, got {self.charged.width:g}, and {whole.least:g} at "
                f"{whole.at} (two parameters, then two records)",
            )
        if self.charged.exact and whole.most < self.charged.width * (1 - SLACK) - SLACK:
            raise self.wrong(
                "oscillation", f"is called exact, got {self.charged.width:g}, and it is at most {whole.most:g}"
            )
        return whole

    def on_bayes_rule(self, draws: int) -> None:
        """The posterior of a few records: its density, and its draws."""
        x = self.dataset(3)
        after: Any = posterior(self.family, self.prior, x)
        ratios = _log_ratio(self.prior, after, self.parameters)
        if ratios is not None:
            off = ratios - self.fit(x)
            self.tried["update"] += len(off)
            scale = 1 + np.abs(ratios).max() + np.abs(self.fit(x)).max()
            if np.ptp(off) > 1e-8 * scale:
                low, high = (list(self.parameters)[int(i)] for i in (off.argmin(), off.argmax()))
                raise self.wrong(
                    "update",
                    "must make the posterior the prior times the likelihood, got a ratio that is "
                    f"e^{np.ptp(off):.4g} times as large at the parameter {high} as at {low}, after the records {x}",
                )
        if draws > 0:
            self.on_draws(after, x, draws)

    def on_draws(self, after: Any, x: list[Any], draws: int) -> None:
        """Draws of the posterior against draws of the prior, weighted with the likelihood."""
        before, drawn = self.prior.sample(self.rng, draws), after.sample(self.rng, draws)
        logs = self.family.log_likelihood(before, x)
        weights = np.exp(logs - logs.max())
        weights /= weights.sum()
        if 1 / (weights**2).sum() < 100:
            return
        for record in self.dataset(3):
            self.tried["draws"] += draws
            prior_fit, fit = (self.family.log_likelihood(thetas, [record]) for thetas in (before, drawn))
            middle = np.median(prior_fit)
            expected, share = (weights * (prior_fit <= middle)).sum(), (fit <= middle).mean()
            error = math.sqrt((weights**2 * ((prior_fit <= middle) - expected) ** 2).sum() + 0.25 / draws)
            if abs(expected - share) > ERRORS * error:
                raise self.wrong(
                    "update",
                    f"must draw from the prior times the likelihood, got a share of {share:.4f} of the draws where the "
                    f"likelihood of {record} is low, and it is {expected:.4f}, after the records {x}",
                )


def _in_support(family: Family, prior: Any, rng: np.random.Generator) -> Any:
    """Parameters to try: draws of the prior, and those at the ends of its support."""
    if isinstance(prior, Finite):
        return prior.held
    drawn = list(prior.sample(rng, 30))
    extreme = []
    for theta in _extremes(prior, rng):
        try:
            family.parameters([theta])
        except ValueError:  # an end that is no parameter
            continue
        extreme.append(theta)
    return drawn + extreme


def _extremes(prior: Any, rng: np.random.Generator) -> Iterator[Any]:
    if isinstance(prior, Tables) and prior.floor > 0:
        for _ in range(30):
            yield tuple(_corner(table.shape, prior.floor, rng) for table in prior.concentrations)
    elif isinstance(prior, Wishart) and prior.largest < math.inf:
        for _ in range(30):
            turned, _ = np.linalg.qr(rng.standard_normal(prior.scale.shape))
            values = prior.largest * (1 - 1e-12) * np.where(rng.random(len(turned)) < 0.5, 1.0, 1e-9)
            matrix = (turned * values) @ turned.T
            yield (matrix + matrix.T) / 2
    elif hasattr(prior, "ends"):
        low, high = prior.ends
        if isinstance(low, tuple):
            yield from itertools.product(*zip(low, high, strict=True))
        else:
            yield from (float(low), float(high))


def _corner(shape: tuple[int, ...], floor: float, rng: np.random.Generator) -> Floats:
    """Rows with one large entry, the others at the floor."""
    table = np.full(shape, floor)
    large = rng.integers(shape[-1], size=shape[:-1])[..., None]
    np.put_along_axis(table, large, 1 - (shape[-1] - 1) * floor, axis=-1)
    return table


def _log_ratio(prior: Any, after: Any, parameters: Sequence[Any]) -> Floats | None:
    """The logarithm of posterior over prior at each parameter, but for a constant, if both have a density."""
    if isinstance(prior, Finite):
        ratio: Floats = np.asarray(after.log_weights - prior.log_weights)[prior.support]
        return ratio
    if not (hasattr(prior, "log_kernel") and hasattr(after, "log_kernel")):
        return None
    return np.array([float(after.log_kernel(theta)) - float(prior.log_kernel(theta)) for theta in parameters])


def _numbers_and_ranges(attack: _Attack) -> tuple[Callable[[Any, Any], Any], tuple[Any, ...]] | None:
    """The log likelihood of one record as a function of numbers, and the support, if it is one of numbers."""
    prior, family = attack.prior, attack.family
    if not (isinstance(prior, Finite) or hasattr(prior, "ends")):
        return None
    support = support_of(prior, family.name)
    if not all(map(all_numbers, [*support, *attack.records])):
        return None

    def g(theta: Any, record: Any) -> Any:
        data = [record] if isinstance(record, tuple) else np.array([record], dtype=object)
        return family.log_density(np.array([theta], dtype=object), data)[0]

    return g, support
