"""The cases that several theorems share, and what is largest between neighbours there."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from numpy.random import Generator

from ...arithmetic import less, log, number, remembered
from ...posterior_sampling import bernoulli, count_posteriors, lipschitz_bound, lipschitz_mass, worst_neighbours
from ...posterior_sampling.finite import Finite
from ..claim import grid
from ..premises import Case, Choice, Law, Premises, Reals, Rows, Wholes, premises
from .priors import bernoulli_prior

SMALL = grid(step=[0.2, 0.05], xi=["uniform", "exponential"], n=[1, 2, 10])
LARGE = [*SMALL, {"step": 0.2, "xi": "uniform", "n": 50}]
SPREAD = [*SMALL, {"step": 0.05, "xi": "uniform", "n": 20}]


def with_level(cases: list[dict[str, Any]], *levels: float) -> list[dict[str, Any]]:
    """The cases at each L0."""
    return [{**case, "L0": L0} for case in cases for L0 in levels]


@remembered
def posteriors(step: Any, xi: str, n: Any) -> list[Any]:
    """The posterior for each number of ones among n records."""
    return count_posteriors(bernoulli_prior(step, xi), int(n))


@remembered
def neighbours(measure: Callable[[Finite, Finite], Any], step: Any, xi: str, n: Any) -> Any:
    """The largest measure between the posteriors of datasets of n records that differ in one."""
    return worst_neighbours(measure, posteriors(step, xi, n))


@dataclass(frozen=True)
class Coins:
    """A grid of coins, given by its step, or two that mirror each other."""

    low: float = 0.03
    mirrored: bool = True

    def allows(self, value: Any, case: Case) -> bool:
        return isinstance(value, str) or bool(0 < value < 0.5)

    def draw(self, rng: Generator, case: Case) -> Any:
        if self.mirrored and rng.random() < 0.5:
            return f"ends {Reals(1e-6, 0.499).draw(rng, case)}"
        return Reals(self.low, 0.499, corners=(0.05, 0.1, 0.2, 0.25, 0.3)).draw(rng, case)

    def near(self, rng: Generator, value: Any, case: Case) -> Any:
        if isinstance(value, str):
            return f"ends {Reals(1e-6, 0.499).near(rng, float(value.removeprefix('ends ')), case)}"
        return Reals(self.low, 0.499).near(rng, value, case)


class Weighting(Choice):
    """Uniform or exponential, or for two coins a weight of the larger one."""

    def allows(self, value: Any, case: Case) -> bool:
        return value in self.values or (value.startswith("upper ") and isinstance(case["step"], str))


EITHER = Weighting(("uniform", "exponential"))


def coins(most: int = 30, **more: Any) -> Premises:
    """Coins on a grid or mirrored, a prior on them, and at least one record."""
    return premises(step=Coins(), xi=EITHER, n=Wholes(1, most), **more)


def coins_from(L0: Reals) -> Premises:
    """The same, with a level that some parameter keeps within."""
    found = coins(L0=L0)
    return found.and_also("the mass at L0 is positive", reached)


def leaves_mass(step: Any, level: Any, **_: Any) -> bool:
    """Whether the region has prior mass."""
    return bool(less(0, lipschitz_mass(bernoulli(), bernoulli_prior(step), log(level))))


def reached(step: Any, xi: str, L0: Any, **_: Any) -> bool:
    """Whether some parameter has a constant of at most L0, without which no rate is positive."""
    return bool(less(0, lipschitz_mass(bernoulli(), bernoulli_prior(step, xi), L0)))


def exceeded(step: Any, xi: str, L0: Any) -> bool:
    """Whether some parameter has a larger constant, so that the rate is finite."""
    return bool(less(L0, lipschitz_bound(bernoulli(), bernoulli_prior(step, xi))))


ONE_STEP = premises(
    "the region has prior mass",
    leaves_mass,
    step=Coins(mirrored=False),
    n=Wholes(1, 20),
    level=Reals(1.05, 40, above=1),
)
"""A grid that has a coin inside the region."""

LEVEL = Reals(0.01, 15, above=0)

UNIT = Reals(1e-3, 0.999, above=0, below=1)
"""A probability that is neither zero nor one."""

FAMILIES = premises(likelihoods=Rows(Law(), (1, 2, 3)), xi=Law(of="likelihoods"))
"""Finite families of laws on a few outcomes, with a prior."""

TWO_PRIORS = premises(likelihoods=Rows(Law(), (2, 3)), ideal=Law(of="likelihoods"), private=Law(of="likelihoods"))
"""The same with two priors."""


def apart(c1: Any, c2: Any, **case: Any) -> dict[str, Any]:
    """An interval with ends in order, and a level inside it."""
    low, high = min(c1, c2), max(c1, c2)
    if low == high:
        low = high / 2
    if "L" in case and not low < case["L"] < high:
        case["L"] = float(f"{low + (case['L'] % 0.9 + 0.05) * (high - low):.6g}")
    return {"c1": low, "c2": high, **case}


def in_order(c1: Any, c2: Any, **case: Any) -> bool:
    """Whether the ends are in order, and a level is inside."""
    return less(c1, c2) and ("L" not in case or (less(c1, case["L"]) and less(case["L"], c2)))


def trimmed(**more: Any) -> Premises:
    """A rate, an interval, and what else there is."""
    ends = Reals(1e-2, 50, above=0)
    return premises("c1 < c2", in_order, fix=apart, lam=Reals(1e-3, 1e3, above=0), c1=ends, c2=ends, **more)


def within_reach(B: Any, **case: Any) -> bool:
    """Whether the ends are in order, and records within their bound."""
    records = [case[name] for name in ("x", "y") if name in case]
    return in_order(**case) and not any(less(number(B), abs(number(record))) for record in records)


def brought_within(B: Any, **case: Any) -> dict[str, Any]:
    """Records brought within their bound."""
    for name in ("x", "y"):
        if name in case and abs(case[name]) > B:
            case[name] = B if case[name] > 0 else -B
    return {"B": B, **apart(**case)}


WIDE, MODEST = Reals(1e-2, 20, above=0), Reals(0.05, 8, above=0)
"""Ends of intervals: for bounds that stay finite in doubles, and for those that soon do not."""


def bounded(records: Reals | None = None, ends: Reals = WIDE, **more: Any) -> Premises:
    """The same with a bound on records, and two of them."""
    found = {} if records is None else {"x": records, "y": records}
    return premises(
        "c1 < c2, |x|, |y| <= B",
        within_reach,
        fix=brought_within,
        lam=Reals(1e-3, 1e3, above=0),
        c1=ends,
        c2=ends,
        B=Reals(1e-3, 20, above=0),
        **found,
        **more,
    )
