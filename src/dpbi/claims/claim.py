r"""A published statement as a value: two sides, the relation between them, and a verdict that is computed.

The body of a claim is a function of the parameters of a case. It returns the two sides, the exact quantity first, read
as "exact RELATION bound". It is evaluated over doubles and over Arb balls that contain the true number (``arithmetic``),
by one and the same code, the library's. Where the interval of the margin lies on one side of zero its sign is a theorem
about that case, and the verdict is *certified*. Where the library's double lies outside its own enclosure, by more than
the accuracy that the functions called state, *the library is off*, whatever the sign.

A counterexample settles a universal claim; cases that hold prove nothing. The words say which it is.
"""

import inspect
import itertools
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from typing import Any, NamedTuple

from .. import arithmetic
from .premises import Premises

RELATIONS = ("<", "<=", "=", ">=", ">", "≈")
"""How the exact quantity stands to the bound; "≈" means that every digit printed agrees, the last one rounded."""

PROVED = "proved"
HOLDS = "holds on the cases shown"
CONDITIONAL = "holds under a condition"
REFUTED = "refuted"
REPRODUCED = "reproduced"
NOT_REPRODUCED = "not reproduced"
NOT_WELL_FORMED = "not well-formed"
NOT_CHECKABLE = "not checkable"
OFF = "the library is off"

WORDS = (
    PROVED,
    HOLDS,
    REPRODUCED,
    CONDITIONAL,
    REFUTED,
    NOT_REPRODUCED,
    NOT_WELL_FORMED,
    NOT_CHECKABLE,
    OFF,
)

TIGHT = 0.005
"""A tight bound is reached within this share of itself: half of the 1 % that must not go unnoticed."""

SHARP = 0.05
"""A bound that is reached within this share of itself is called sharp."""

ROUNDING = 1e-9
"""Doubles whose relative difference is below this count as equal; only intervals can tell them apart."""

Case = Mapping[str, Any]
Body = Callable[..., tuple[Any, Any]]


class Condition(NamedTuple):
    """When a claim holds: in words (TeX), and as a predicate on the parameters of a case."""

    text: str
    holds: Callable[..., bool]


class Verdict(NamedTuple):
    """One case: the two sides, how far the relation is from failing, and whether the sign is certain.

    ``agrees`` says that both sides in doubles lie in their enclosures, or as near to them as stated; ``met`` that the
    case is inside the premises of the claim and its condition, without which it says nothing; ``inside`` that it is
    inside the premises. A case that no interval puts outside counts as inside.
    """

    case: Case
    exact: float
    bound: float
    margin: float
    holds: bool
    certified: bool
    agrees: bool = True
    met: bool = True
    inside: bool = True


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Claim:
    """A statement with its source and its cases; the docstring of ``body`` says why it is true or false.

    ``expected`` is the word that tests compare with; the word shown is always ``verdict()``. ``tight`` is a case at
    which the two sides are ``within`` a share of the bound from each other: the witness that it is sharp. ``premises``
    belong to the statement; ``condition`` is what it lacks, and the verdict says so. ``proof`` says that the docstring
    proves the statement (inside ``condition`` if there is one). ``malformed`` and ``uncheckable`` give the reason why a
    statement is no statement. ``calls`` are the functions of the library that the exact side is made of; without any,
    ``apart`` says what it is instead. ``origin`` says whose statement it is: the source's ("printed"), our "reading" of
    it, the "literature"'s, of which ``work`` is the key in the bibliography, or "ours". ``erratum`` marks a misprint, a
    caption, or a step of a proof; ``restates`` names the statement that the source makes here once more, and which is
    counted there. ``place`` is where a claim without a body of its own is written, ``exact`` the function of the exact
    side if it has one of its own.
    """

    id: str
    source: str
    statement: str
    body: Body
    relation: str = "="
    cases: tuple[Case, ...] = ()
    expected: str = HOLDS
    tight: Case | None = None
    within: float = TIGHT
    corrects: str | None = None
    restates: str | None = None
    proof: bool = False
    premises: Premises | None = None
    condition: Condition | None = None
    reproduces: bool = False
    malformed: str = ""
    uncheckable: str = ""
    notebook: str = ""
    calls: tuple[Callable[..., Any], ...] = ()
    apart: str = ""
    origin: str = "printed"
    work: str = ""
    erratum: bool = False
    place: tuple[str, int] | None = None
    exact: Callable[..., Any] | None = None

    def __post_init__(self) -> None:
        if self.relation not in RELATIONS:
            raise ValueError(f"relation must be one of {RELATIONS}, got relation={self.relation!r}")
        if self.expected not in WORDS:
            raise ValueError(f"expected must be one of {WORDS}, got expected={self.expected!r}")

    def __repr__(self) -> str:
        return f"Claim({self.id!r})"

    def __call__(self, **case: Any) -> tuple[Any, Any]:
        """The two sides in doubles."""
        exact, bound = self.body(**case)
        return exact, bound

    def check(self, **case: Any) -> Verdict:
        """Whether the relation holds at one case, certified where intervals decide it."""
        exact, bound = self(**case)
        margin = _margin(self.relation, exact, bound)
        size = max(abs(float(exact)), abs(float(bound)), 1e-6)
        sign = 0 if abs(margin) <= ROUNDING * size else (1 if margin > 0 else -1)
        certain, agrees = self._enclosed(case, (exact, bound), ROUNDING * size)
        holds = agrees and allows(self.relation, sign if certain is None else certain)
        inside = self.inside(**case)
        met = inside and (self.condition is None or _allowed(self.condition.holds, case))
        return Verdict(case, float(exact), float(bound), float(margin), holds, certain is not None, agrees, met, inside)

    def inside(self, **case: Any) -> bool:
        """Whether a case is inside the premises, or no interval puts it outside."""
        if self.premises is None:
            return True
        holds = self.premises.holds
        return self.premises.met(**case) and (holds is None or _allowed(holds, case))

    def certainly_met(self, **case: Any) -> bool:
        """Whether a case is inside premises and condition for certain: only there a failure refutes."""
        predicates = [self.premises and self.premises.holds, self.condition and self.condition.holds]
        within = self.premises is None or self.premises.met(**case)
        return within and all(_allowed(holds, case, undecided=False) for holds in predicates if holds)

    def sign(self, **case: Any) -> int | None:
        """The sign of the margin, proved by interval arithmetic; None where that does not decide it."""
        return self._enclosed(case, (), 0.0)[0]

    def _enclosed(self, case: Case, doubles: tuple[Any, ...], distance: float) -> tuple[int | None, bool]:
        """The certain sign, or None, and whether the doubles are as near to their enclosures as that."""
        with arithmetic.balls():
            try:
                sides = self.body(**{name: _given(value) for name, value in case.items()})
                sign = arithmetic.sign(_margin(self.relation, *sides))
            except arithmetic.Undecided:
                return None, True
            pairs = zip(doubles, sides, strict=False) if self.calls else ()
            return sign, all(_near(*pair, distance) for pair in pairs)

    @property
    def called(self) -> str:
        """The names of the functions of the library that the exact side is made of."""
        return ", ".join(function.__name__ for function in self.calls)

    @cached_property
    def verdicts(self) -> tuple[Verdict, ...]:
        """One verdict for each case."""
        return tuple(self.check(**case) for case in self.cases)

    def verdict(self) -> str:
        """The word for this claim, computed from its cases; a declared word gives way to any failing case."""
        if not all(v.agrees for v in self.verdicts):
            return OFF
        inside = [v for v in self.verdicts if v.met]
        outside = [v for v in self.verdicts if v.inside and not v.met]
        if not all(v.holds for v in inside):
            return NOT_REPRODUCED if self.reproduces else REFUTED
        if not all(v.holds for v in outside):
            return CONDITIONAL
        if self.malformed:
            return NOT_WELL_FORMED
        if self.uncheckable:
            return NOT_CHECKABLE
        if self.proof and self.condition is None:
            return PROVED
        if not self.verdicts:
            raise ValueError(f"claim {self.id!r} has no case to compute a verdict from")
        return REPRODUCED if self.reproduces else HOLDS

    @property
    def certified(self) -> bool:
        """Whether the verdict is settled without trusting a double.

        Where the statement fails, by one failing case whose sign is proved. Where it holds, by the signs of all cases;
        inside its condition also by a proof.
        """
        failing = self.failing
        if self.verdict() in (REFUTED, NOT_REPRODUCED):
            return any(v.certified for v in failing)
        holding = [v for v in self.verdicts if v.holds and v.met]
        settled = bool(holding) and all(v.certified for v in holding)
        if self.verdict() == CONDITIONAL:
            return any(v.certified for v in failing) and (settled or self.proof)
        return settled

    @property
    def failing(self) -> list[Verdict]:
        """The cases inside the premises that fail."""
        return [v for v in self.verdicts if v.inside and not v.holds]

    @property
    def evidence(self) -> Verdict | None:
        """The case with the smallest margin, relative to its bound; a certified one if the claim fails.

        Of cases that differ by rounding alone it is the first, so that every machine names the same.
        """
        failing = [v for v in self.verdicts if not v.agrees] or self.failing
        pool = [v for v in failing if v.certified] or failing or list(self.verdicts)
        shares = [v.margin / max(abs(v.bound), 1e-300) for v in pool]
        return next((v for v, share in zip(pool, shares, strict=True) if share <= min(shares) + ROUNDING), None)

    @property
    def slack(self) -> float | None:
        """How far apart the sides are at the case named ``tight``, as a share of the bound; None if not tight."""
        if self.tight is None:
            return None
        exact, bound = self(**self.tight)
        return float(abs(exact - bound) / abs(bound))

    @property
    def bounds(self) -> bool:
        """Whether the statement is a bound that is said to hold, so that it may be sharp or not."""
        return self.relation in ("<", "<=", ">=", ">") and self.expected in (PROVED, HOLDS, CONDITIONAL)

    @property
    def nearest(self) -> float:
        """How near the sides come, as a share of the bound: at the witness, and at all cases in which the claim holds."""
        shares = [abs(v.exact - v.bound) / abs(v.bound) for v in self.verdicts if v.met and v.holds and v.bound]
        return min([*shares, math.inf if self.slack is None else self.slack], default=math.inf)

    @property
    def factor(self) -> float:
        """By which factor the bound is off where it is nearest; infinite if one of the sides vanishes in every case."""
        pairs = [(abs(v.exact), abs(v.bound)) for v in self.verdicts if v.met and v.holds]
        return min((max(pair) / min(pair) for pair in pairs if min(pair) > 0), default=math.inf)

    @property
    def reason(self) -> str:
        """Why the statement is no statement, or when it holds; empty otherwise."""
        return self.malformed or self.uncheckable or (self.condition.text if self.condition else "")

    @property
    def notes(self) -> str:
        """The docstring: the argument in words and TeX."""
        return inspect.getdoc(self.body) or ""

    @property
    def code(self) -> tuple[str, int]:
        """The module and the line where the claim is written: its body, or the row of its item."""
        return self.place or (self.body.__module__, inspect.getsourcelines(self.body)[1])

    def loosened(self, share: float) -> "Claim":
        """The same claim with its bound moved away from the exact side by a share of itself."""
        outwards = -share if self.relation in (">", ">=") else share

        def body(**case: Any) -> tuple[Any, Any]:
            exact, bound = self.body(**case)
            return exact, bound + abs(bound) * arithmetic.number(outwards)

        return replace(self, body=body)


def grid(**values: Iterable[Any]) -> list[dict[str, Any]]:
    """Every combination of the values given for each parameter.

    >>> grid(n=[1, 2], k=[3])
    [{'n': 1, 'k': 3}, {'n': 2, 'k': 3}]
    """
    return [dict(zip(values, row, strict=True)) for row in itertools.product(*values.values())]


def allows(relation: str, sign: int) -> bool:
    """Whether a relation holds by the sign of its margin."""
    return sign > 0 or (sign == 0 and relation not in ("<", ">"))


def _margin(relation: str, exact: Any, bound: Any) -> Any:
    """How far the relation is from failing: positive inside, zero where the sides meet, negative where it fails."""
    if relation == "≈":
        half_a_unit = Decimal(5).scaleb(int(Decimal(bound).as_tuple().exponent) - 1)
        return _like(exact, str(half_a_unit)) - abs(exact - _like(exact, bound))
    if relation == "=":
        return -abs(exact - bound)
    return exact - bound if relation in (">", ">=") else bound - exact


def _like(value: Any, decimal: str) -> Any:
    """A decimal number in the arithmetic of ``value``."""
    return float(decimal) if isinstance(value, float | int) else arithmetic.number(decimal)


def _given(value: Any) -> Any:
    """A parameter of a case in the arithmetic that is current; words stay words."""
    if isinstance(value, tuple | list):
        return tuple(_given(entry) for entry in value)
    return value if isinstance(value, str) else arithmetic.number(value)


def _allowed(holds: Callable[..., bool], case: Case, undecided: bool = True) -> bool:
    """Whether a premise holds, judged over balls; what they leave open counts as said."""
    with arithmetic.balls():
        try:
            return bool(holds(**{name: _given(value) for name, value in case.items()}))
        except arithmetic.Undecided:
            return undecided


def _near(double: Any, enclosure: Any, distance: float) -> bool:
    """Whether a double may be as near to the true number as that."""
    if isinstance(double, str) or not math.isfinite(float(double)):
        return True
    return arithmetic.near(enclosure, float(double), distance)
