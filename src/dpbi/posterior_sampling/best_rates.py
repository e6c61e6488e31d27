r"""The best rate of Assumption 2 for laws with a density: a minimum in one dimension, certified.

\[ c = \inf_{L > L_0} \frac{h(L)}{L - L_0} , \qquad h(L) = -\ln(1 - \xi(\Theta_L)) . \]

What is outside \(\Theta_L\) is a sum of tails, each log-concave: the upper tail of \(\ln\theta\) for ``Gamma``, both
tails of the log-odds for ``Beta``, and of the parameter for ``Normal``; for ``Tables`` with rows of two entries the
tails of a row times the masses inside of the rows before it, which are log-concave too (Prekopa); with longer rows see
``floored_rows``. So at every point m the sum is at most one of exponentials, the tangents at m of the logarithms: h is
at least a concave function that touches it at m, and hence at least the chord of that over an interval. A ratio of
linear functions is least at an end. Intervals are halved, the most promising first, until none can hold less than the
least value found, but for a relative 1e-12.

Beyond a point V the hazard rates of the tails bound h by a line too. The infimum may be at infinity, where it is the
rate of the slowest tail, and at \(L_0\), where it is a hazard rate if \(\Theta_{L_0}\) has no mass.
"""

import heapq
import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .. import arithmetic
from ..arithmetic import exp, expm1, log, log1p, number
from .families import Family
from .interval_laws import Beta, Gamma, log_share
from .laws import Tables
from .normal_laws import Normal
from .oscillations import log_odds_of_floor

TOLERANCE = 1e-12
"""How far, relatively, the rate may be above the infimum."""

MOST_INTERVALS = 20_000


@dataclass(frozen=True)
class _Point:
    """h at one point, and the logarithms of the parts of what is outside, with their slopes: what bounds h elsewhere.

    The tails by themselves have hazard rates, in the units of x.
    """

    x: Any
    h: Any
    logs: list[Any]
    slopes: list[Any]
    tails: list[Any]
    hazards: list[Any]


@dataclass(frozen=True)
class _Outside:
    """What is outside a region: where that begins and ends, where tails end between, and its parts at a point."""

    start: Any
    end: Any
    corners: list[Any]
    unit: Any  # a first step towards infinity
    at: Callable[[Any], _Point]
    inside: Callable[[Any], Any]
    move: Callable[[Any, Any], Any]  # from one point to another, in the variable of the slopes
    limit: Any = None  # the hazard rate at infinity, of the slowest tail
    falling: bool = False  # whether it is reached from above
    steep: bool = False  # whether the density at the start is infinite


def best_rate_of_law(family: Family, prior: Gamma | Beta | Normal | Tables, L0: Any) -> Any:
    """The best rate for a law with a density."""
    if isinstance(prior, Normal):  # the constant is that of zero, and so much more for a unit of the parameter
        least = family.constant(number(0))
        kappa = family.constant(number(1)) - least
        return _rate_of(_of_rows([prior]), (L0 - least) / kappa) / kappa
    if isinstance(prior, Gamma):
        kappa = family.constant(number(1))
        if family.constant(number(2)) != 2 * kappa:
            raise TypeError(f"family must have a constant in proportion to its parameter, got {family.name}")
        return _rate_of_gamma(prior, L0 / kappa) / kappa
    if isinstance(prior, Beta) and family.name != "bernoulli":
        raise TypeError(f"family must be bernoulli for the mass of a Beta law, got {family.name}")
    rows = [prior] if isinstance(prior, Beta) else _rows(prior)
    outside = _of_rows(rows)
    if len(rows) > 1 and outside.start == L0:
        return number(0.0)  # less and less mass just above L0
    return _rate_of(outside, L0)


def _rate_of(outside: "_Outside", start: Any) -> Any:
    return number(0.0) if arithmetic.less(start, outside.start) else _least_ratio(outside, start)


def _rate_of_gamma(prior: Gamma, start: Any) -> Any:
    r"""For \(\ell(\theta) = \theta\). Where the hazard rate rises, h is convex, its ratio from the zero least there.

    The hazard rate r has \(r' = r\,q\), \(q = \frac{a - 1}\theta - \lambda + r\). For \(a \ge 1\) the law is
    log-concave and r rises; for a < 1 it has \(q' = \frac{1 - a}{\theta^2} > 0\) where q = 0, so that q changes its
    sign once at most, from minus to plus. In the first case, or where q is not negative at the lower end, the infimum
    is there.
    """
    if arithmetic.less(start, prior.low):
        return number(0.0)
    if start == prior.low:
        if prior.low == 0 and prior.shape > 1:
            return number(0.0)
        if prior.shape >= 1 or prior.low > 0:
            if prior.low == 0:
                return prior.rate if prior.high == math.inf else 1 / _mass_of_exponential(prior.rate, prior.high)
            first = hazard(prior) / prior.low
            if prior.shape >= 1 or not arithmetic.less((prior.shape - 1) / prior.low - prior.rate + first, 0):
                return first
    return _least_ratio(_of_gamma(prior), start)


def _mass_of_exponential(rate: Any, high: Any) -> Any:
    return high if rate == 0 else -expm1(-rate * high) / rate


def _of_gamma(prior: Gamma) -> _Outside:
    """The tail is log-concave in the logarithm, and for a shape of one or more in the parameter, far better there."""
    straight = prior.shape >= 1

    def inside(theta: Any) -> Any:
        return number(-math.inf) if theta == prior.low else log_share(replace(prior, high=theta), prior)

    def at(theta: Any) -> _Point:
        beyond = replace(prior, low=theta)
        logs, rise = [log_share(beyond, prior)], hazard(beyond) / theta
        return _Point(theta, _fall(inside(theta), logs), logs, [-rise * (1 if straight else theta)], logs, [rise])

    return _Outside(
        start=prior.low,
        end=prior.high,
        corners=[],
        unit=prior.shape / prior.rate if prior.high == math.inf else None,
        at=at,
        inside=inside,
        move=lambda m, x: x - m if straight else log(x / m),
        limit=prior.rate if prior.high == math.inf else None,
        falling=prior.shape < 1,
        steep=prior.shape < 1 and prior.low == 0,
    )


def _rows(prior: Tables) -> list[Beta]:
    """The log-odds of each row of two entries."""
    if any(table.shape[-1] != 2 for table in prior.concentrations):
        states = max(table.shape[-1] for table in prior.concentrations)
        raise TypeError(f"prior must have rows of two entries for a mass in closed form, got a row of {states}")
    level = log_odds_of_floor(2, prior.floor) if prior.floor > 0 else math.inf
    pairs = [pair for table in prior.concentrations for pair in table.reshape(-1, 2).tolist()]
    return [Beta(one, other, -level, level) for other, one in pairs]


def _of_rows(rows: Sequence[Beta | Normal]) -> _Outside:
    tails = [_tails(row) for row in rows]
    ends = [tail.high for pair in tails for tail, _ in pair]
    start = arithmetic.largest([_nearest(row) for row in rows])

    def at(x: Any) -> _Point:
        logs, slopes, alone, hazards = [], [], [], []
        before, rise = number(0.0), number(0.0)
        for row, pair in zip(rows, tails, strict=True):
            for tail, whole in pair:
                if not _below(x, tail.high):
                    continue
                beyond = replace(tail, low=arithmetic.maximum(x, tail.low))
                hazards.append(number(0.0) if _below(x, tail.low) else hazard(beyond))
                alone.append(log_share(beyond, whole))
                logs.append(before + alone[-1])
                slopes.append(rise - hazards[-1])
            if arithmetic.less(_nearest(row), x):
                middle = replace(row, low=arithmetic.maximum(row.low, -x), high=arithmetic.minimum(row.high, x))
                before, rise = before + log_share(middle, row), rise + _slope_of_middle(row, middle)
            else:
                before, rise = number(-math.inf), number(0.0)
        return _Point(x, _fall(before, logs), logs, slopes, alone, hazards)

    falls = [tail for pair in tails for tail, _ in pair if isinstance(tail, Beta)]  # a normal tail has no slowest rate
    open_tails = [tail.b for tail in falls if float(tail.high) == math.inf]
    limit = arithmetic.smallest(open_tails) if open_tails else None
    corners = [end for end in ends if float(end) < math.inf]
    return _Outside(
        start=start,
        end=max(ends, key=float),
        corners=corners,
        unit=number(1.0),
        at=at,
        inside=lambda x: number(-math.inf),
        move=lambda m, x: x - m,
        limit=limit,
    )


def _tails(row: Any) -> list[tuple[Any, Any]]:
    """The laws of the log-odds above zero, and of their negative, each with the whole law that it is a part of."""
    laws = row, _mirrored(row)
    return [(replace(law, low=arithmetic.maximum(law.low, 0.0)), law) for law in laws if law.high > 0]


def _mirrored(law: Any) -> Any:
    """The law of the negative of the log-odds, or of a normal parameter."""
    if isinstance(law, Normal):
        return Normal(-law.mean, law.precision, -law.high, -law.low)
    return Beta(law.b, law.a, -law.high, -law.low)


def _below(x: Any, end: Any) -> bool:
    """Whether a number is below an end, which may be infinite."""
    return float(end) == math.inf or bool(arithmetic.less(x, end))


def _nearest(row: Beta | Normal) -> Any:
    """The least constant in the support."""
    if row.low < 0 < row.high:
        return number(0.0)
    return arithmetic.smallest([abs(row.low), abs(row.high)])


def hazard(law: Gamma | Beta | Normal) -> Any:
    """The density at the lower end, over the mass, in the logarithm or the log-odds, or in a normal parameter."""
    if arithmetic.in_doubles():
        return math.exp(float(law.curve.fall(law.curve.low))) / law.curve.area
    low = law.ends[0]
    if isinstance(law, Normal):
        return law.kernel(low) / exp(law.log_mass)
    return law.kernel(low) * (low if isinstance(law, Gamma) else low * (1 - low)) / exp(law.log_mass)


def _slope_of_middle(row: Any, middle: Any) -> Any:
    """How fast the logarithm of the mass within the ends rises as they move, those that are not those of the row."""
    rise = number(0.0)
    for law, moved in ((middle, row.low < middle.low), (_mirrored(middle), middle.high < row.high)):
        rise = rise + (hazard(law) if moved else 0)
    return rise


def _fall(inside: Any, logs: list[Any]) -> Any:
    """h, from what is inside where that is little."""
    if float(inside) < -math.log(2):
        return -arithmetic.log_one_minus_exp(inside) if float(inside) > -math.inf else number(0.0)
    return -log_sum(logs)


def log_sum(logs: list[Any]) -> Any:
    """The logarithm of a sum, from the logarithms of its terms."""
    if len(logs) == 1:
        return logs[0]
    top = max(logs, key=float)
    return top + log(sum(exp(value - top) for value in logs))


def _bound(outside: _Outside, point: _Point, x: Any) -> Any:
    """What h is at least at x, by the tangents at a point."""
    total, moved = log_sum(point.logs), outside.move(point.x, x)
    rises = [slope * moved for slope in point.slopes]
    if any(abs(float(rise)) > 1 for rise in rises):  # far away nothing cancels
        return -log_sum([part + rise for part, rise in zip(point.logs, rises, strict=True)])
    change = sum(exp(part - total) * expm1(rise) for part, rise in zip(point.logs, rises, strict=True))
    return point.h - log1p(change)


def _least_ratio(outside: _Outside, start: Any) -> Any:
    """The infimum of h(x) / (x - start) for x > start."""
    if not _below(start, outside.end):
        return math.inf
    begins = start == outside.start
    first = outside.at(start) if begins and not outside.steep else None
    found = [] if outside.limit is None else [outside.limit]
    if first is not None:
        found.append(sum(exp(part) * hazard for part, hazard in zip(first.tails, first.hazards, strict=True)))

    def beyond(low: Any) -> Any:
        """What the ratio is at least from a point on."""
        point = outside.at(low)
        found.append(point.h / (low - start))
        slowest = outside.limit if outside.falling else arithmetic.smallest(point.hazards)
        return arithmetic.minimum(-log_sum(point.tails) / (low - start), slowest)

    def between(low: Any, high: Any) -> Any:
        """What the ratio is at least in an interval."""
        point = outside.at((low + high) / 2)
        found.append(point.h / (point.x - start))
        if low == start and begins:
            if first is None:  # h is at least the mass inside, a concave function here
                return exp(outside.inside(high)) / high
            return _bound(outside, first, high) / (high - start)
        left, right = (_bound(outside, point, x) for x in (low, high))
        if low > start:
            return arithmetic.smallest([left / (low - start), right / (high - start)])
        return right / (high - start) if left > 0 else number(-math.inf)

    last = outside.end if float(outside.end) < math.inf else start + outside.unit
    inner = {float(corner): corner for corner in outside.corners if start < corner < last}
    points = [start, *(inner[at] for at in sorted(inner)), last]
    pieces = list(itertools.pairwise(points)) + ([(last, math.inf)] if last is not outside.end else [])
    heap: list[tuple[float, int, Any, Any, Any]] = []
    order = itertools.count()

    def examine(low: Any, high: Any) -> None:
        least = beyond(low) if high == math.inf else between(low, high)
        heapq.heappush(heap, (float(least), next(order), least, low, high))

    for piece in pieces:
        examine(*piece)
    for _ in range(MOST_INTERVALS):
        bound, _, least, low, high = heapq.heappop(heap)
        best = arithmetic.smallest(found)
        found[:] = [best]
        if bound >= float(best) * (1 - TOLERANCE):
            return best if arithmetic.in_doubles() else arithmetic.between(arithmetic.minimum(least, best), best)
        middle = start + 2 * (low - start) if high == math.inf else (low + high) / 2
        examine(low, middle)
        examine(middle, high)
    raise ArithmeticError(f"the rate was not found within {MOST_INTERVALS} intervals, at L0 = {float(start):g}")
