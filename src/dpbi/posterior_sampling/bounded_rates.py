r"""The best rate of Assumption 2 between two numbers, where the mass of \(\Theta_L\) has no closed form.

A law whose constant is never smaller has no larger a rate, and one whose constant is never larger no smaller a one. So
it is with the mean of the constant, and with the mass where it is above a level.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from .. import arithmetic
from ..arithmetic import number
from ..checks import Floats
from .best_rates import best_rate_of_law
from .boxes import BITS, Between, rounded_down, rounded_up
from .families import Family
from .interval_laws import Gamma, log_share
from .laws import Wishart
from .log_concave import LogConcave
from .many_draws import Enclosure
from .normal_laws import NormalGamma
from .oscillations import spread
from .rate_families import exponential
from .records import filled, sides

RECORDS = 17
"""Records of a range that are asked for a lower bound of a constant."""

GRID = 400
"""Levels at which an upper bound is looked for."""

PARTS, SEARCHED_PARTS, STRIPS = 512, 64, (48, 256)
"""Parts of the interval of a law, if constants are searched on each, and of those of a mean and of a precision."""

SPLIT, ROUNDS, NEGLIGIBLE, SEARCHED_NEGLIGIBLE = 8, 12, 1e-13, 1e-6
"""Into how many a part is split that is on both sides of a level, how often, and to which mass, if by a search too."""


def rate_of_wishart(family: Family, prior: Wishart, L0: Any) -> Enclosure:
    r"""For \(\ell(A) = \kappa\lambda_{\max}(A)\), \(A \sim W_d(\nu, V)\), with \(v\) the largest eigenvalue of V.

    \[ v\chi^2_\nu \le \lambda_{\max}(A) \le v\chi^2_{\nu d} \]
    in law: the first is the form of A at an eigenvector of v, and the second holds as \(\lambda_{\max}(A)\) is at most
    \(v\operatorname{tr}(V^{-1/2} A V^{-1/2})\). Both are ``Gamma`` laws, whose rates are known. Conditioning on
    \(\lambda_{\max}(A) \le \Lambda\) makes the mass of \(\Theta_L\) larger, so the lower end stays. From above, at
    every L, the mass is at most the quotient of an upper bound there and a lower bound at \(\Lambda\).
    """
    kappa = family.constant([np.eye(len(prior.scale))])[0]
    d, largest = len(prior.scale), float(np.linalg.eigvalsh(arithmetic.approximate(prior.scale))[-1])
    start, rate = L0 / kappa, 1 / (2 * number(largest))
    wide, narrow = Gamma(prior.degrees * number(d) / 2, rate), Gamma(prior.degrees / number(2), rate)
    low = arithmetic.plain(best_rate_of_law(exponential(), wide, start) / kappa)
    if prior.largest == math.inf:
        return Enclosure(low, arithmetic.plain(best_rate_of_law(exponential(), narrow, start) / kappa))
    if not arithmetic.less(start, prior.largest):
        return Enclosure(math.inf, math.inf)
    above = _from_above(narrow, wide, start, prior.largest) / float(kappa)
    return Enclosure(low, max(above, float(low)))


def _from_above(narrow: Gamma, wide: Gamma, start: Any, end: Any) -> float:
    """The least ratio on a grid, with the largest mass that is possible at each level."""
    below, found = log_share(Gamma(wide.shape, wide.rate, 0.0, end), wide), math.inf
    for level in np.linspace(float(start), float(end), GRID + 1)[1:-1]:
        if level > 0:
            inside = log_share(Gamma(narrow.shape, narrow.rate, 0.0, number(float(level))), narrow) - below
            if inside < 0:
                found = min(found, float(-arithmetic.log_one_minus_exp(inside)) / float(level - float(start)))
    return found


def rate_by_parts(family: Family, prior: Any, L0: Any) -> Enclosure:
    r"""For a law of one number on an interval, and a family of one's own; and for a mean and a precision.

    The interval is cut, and on each part the constant is between two numbers that are proved. The mass of the part is
    put where the constant is largest, or where it is least.
    """
    atoms = _atoms(family, prior)
    return Enclosure(*(_rate_of_atoms(atoms.masses, constants, float(L0)) for constants in (atoms.most, atoms.least)))


def mean_constant(family: Family, prior: Any) -> Enclosure:
    r"""\(\mathbb E_\xi\,\ell\) between two numbers, for the laws of ``rate_by_parts`` and ``Wishart`` laws.

    For those \(\nu v \le \mathbb E\lambda_{\max}(A) \le \nu\operatorname{tr} V\), and a cut makes it smaller.
    """
    if isinstance(prior, Wishart):
        kappa = family.constant([np.eye(len(prior.scale))])[0]
        values = np.linalg.eigvalsh(arithmetic.approximate(prior.scale)) * float(prior.degrees)
        low = float(values[-1]) if prior.largest == math.inf else 0.0
        return Enclosure(float(kappa * low), float(kappa * min(float(values.sum()), float(prior.largest))))
    atoms = _atoms(family, prior, 4)
    shares = atoms.masses / atoms.masses.sum()
    return Enclosure(float(shares @ atoms.least), float(shares @ atoms.most))


def mass_above(family: Family, law: Any, L: Any) -> Enclosure:
    r"""\(1 - \xi(\Theta_L)\) between two numbers, for a law of one number on an interval.

    Parts on which the constant is on both sides of L are split, until their mass is little or does not fall.
    """
    above, between, pieces, level = 0.0, math.inf, [_part_edges(family, law)], float(L)
    enough = SEARCHED_NEGLIGIBLE if _searched(family) else NEGLIGIBLE
    for _ in range(ROUNDS):
        split, left = [], 0.0
        for edges in pieces:
            found = _on(family, law, edges)
            above += float(found.masses[found.least > level].sum())
            for i in np.flatnonzero((found.least <= level) & (found.most > level)):
                left += float(found.masses[i])
                split.append(np.linspace(edges[i], edges[i + 1], SPLIT + 1))
        settled, between = left < enough or left > between / 2, left
        if settled:
            break
        pieces = split
    return Enclosure(min(above, 1.0), min(above + between, 1.0))


class _Atoms(NamedTuple):
    """Masses of parts, and what the constant is at least and at most there."""

    masses: Floats
    least: Floats
    most: Floats


def _atoms(family: Family, prior: Any, finer: int = 1) -> _Atoms:
    if isinstance(prior, NormalGamma):
        return _of_mean_and_precision(family, prior)
    return _on(family, prior, _part_edges(family, prior, finer))


def _part_edges(family: Family, prior: Any, finer: int = 1) -> Floats:
    """The ends of the parts; where constants are found by a search they are few."""
    if getattr(prior, "cdf", None) is None or getattr(prior, "ends", None) is None or family.records is None:
        raise TypeError(
            f"prior must have a cdf and ends, and {family.name} records, for a mass on parts of an interval, "
            f"got {type(prior).__name__}"
        )
    return _edges(prior.ends[0], prior.ends[1], SEARCHED_PARTS if _searched(family) else finer * PARTS)


def _searched(family: Family) -> bool:
    """Whether the largest constant on a part is found by a search."""
    return not isinstance(family.records, Sequence) or any(map(sides, family.records))


def _on(family: Family, prior: Any, edges: Floats) -> _Atoms:
    return _Atoms(np.maximum(np.diff(prior.cdf(edges)), 0.0), *_constants(family, prior, edges))


def _edges(low: Any, high: Any, parts: int) -> Floats:
    if not math.isfinite(float(high) - float(low)):
        raise ValueError(f"prior must be on an interval with two ends for a rate, got [{low:g}, {high:g}]")
    return np.linspace(float(low), float(high), parts + 1)


def _constants(family: Family, prior: Any, edges: Floats) -> tuple[Floats, Floats]:
    """The least constant and the largest on each part, from balls that hold the whole part.

    From below only some records of every range are asked; from above the search of the family asks all of them.
    """
    possible = family.records if isinstance(family.records, Sequence) else ()
    with arithmetic.balls(BITS):
        theta = np.array([arithmetic.hull([number(a), number(b)]) for a, b in itertools.pairwise(edges.tolist())])
        records = [
            filled(record, arithmetic.number(values))
            for record in possible
            for values in itertools.product(*(_some(side, len(sides(record))) for side in sides(record)))
        ]
        table = np.array([family.log_density(theta, (record,)) for record in records])
        widths = spread(table, axis=0)
        least = np.array([max(rounded_down(width), 0.0) for width in widths])
        if not any(map(sides, possible)):
            return least, np.array([rounded_up(width) for width in widths])
    if family.largest is None:
        raise TypeError(f"family must bound its constants, got {family.name}")
    parts = [LogConcave(prior.log_kernel, a, b) for a, b in itertools.pairwise(edges.tolist())]
    return least, np.array([float(family.largest(part)) for part in parts])


def _some(side: Between, ranges: int) -> list[float]:
    """Numbers of one of some ranges, both ends among them."""
    found: list[float] = np.linspace(float(side.low), float(side.high), RECORDS if ranges == 1 else 3).tolist()
    return found


def _of_mean_and_precision(family: Family, prior: NormalGamma) -> _Atoms:
    r"""Strips of the mean, and parts of the precision: \(\ell = \tau s(|\mu|)\), with s rising."""
    means, taus = (_edges(low, high, parts) for low, high, parts in zip(*prior.ends, STRIPS, strict=True))
    atoms = []
    for low, high in itertools.pairwise(means.tolist()):
        strip = replace(prior, low=(low, prior.low[1]), high=(high, prior.high[1]))
        masses = np.diff(strip.precision_cdf(taus)) * math.exp(strip.log_mass - prior.log_mass)
        nearest = 0.0 if low < 0 < high else min(abs(low), abs(high))
        slopes = family.constant(np.array([[nearest, 1.0], [max(abs(low), abs(high)), 1.0]]))
        atoms.append(_Atoms(np.maximum(masses, 0.0), taus[:-1] * slopes[0], taus[1:] * slopes[1]))
    return _Atoms(*(np.concatenate(column) for column in zip(*atoms, strict=True)))


def _rate_of_atoms(masses: Floats, constants: Floats, start: float) -> float:
    """The least rate over the steps of a mass that is at some constants."""
    order = np.argsort(constants)
    beyond = np.minimum(np.cumsum(masses[order][::-1])[::-1] / masses.sum(), 1.0)
    jumps = constants[order]
    over = (jumps > start) & (beyond > 0)
    return float(np.abs(np.log(beyond[over]) / (jumps[over] - start)).min()) if over.any() else math.inf
