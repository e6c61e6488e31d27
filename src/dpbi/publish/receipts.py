"""From a receipt to all that is published with it: post-processing, which anybody can repeat without the records."""

import io
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from .. import checks
from ..checks import Floats
from ..files import as_json
from ..inference import Mixture, given_noise, plug_in
from ..mechanisms.lattice_noise import nearest_counts
from ..mechanisms.noisy_counts import NoisyCounts, completed
from ..mechanisms.table import MECHANISMS, Released
from ..progress import Progress
from .budget import NOTIONS, Price, positive_fraction, price_in
from .folders import FILES
from .records import is_missing

LARGEST_EPSILON = 20
"""A loss above this is no privacy: one record can make an output 5e8 times as likely."""

SMALLEST_EPSILON = Fraction(1, 10**9)
"""Below this, the noise is larger than any table."""

SMALLEST_WEIGHT = 1e-9
"""Concentrations of a prior from here on leave every summary of a release with its digits."""

LARGEST_RHO = 10
"""A rho above this is no privacy: at a delta of 1e-6 it is an epsilon of 32."""

SMALLEST_RHO = Fraction(1, 10**18)
"""About the square of the smallest epsilon."""

DELTAS = (1e-6, 1e-9)
"""Where a receipt says what its rho is in epsilon."""

PANELS = 12
"""Questions of a table that its figure shows."""

LEVELS = (0.5, 0.8, 0.95)
"""The levels of the intervals that a release reports."""


@dataclass(frozen=True, eq=False)
class Release:
    """What may be published.

    ``noisy`` are the counts with their noise, ``counts`` the legal counts made of them, ``posterior`` the
    concentrations these would give, and ``shares`` the posterior of each category's share given the noise, which is
    what to draw conclusions from. ``receipt`` says how it came about.

    >>> from dpbi import release
    >>> r = release(["yes", "no", "no"], ["yes", "no"], [1, 1], "1/2")
    >>> len(r.noisy), sum(r.counts), float(r.posterior.sum()), len(r.shares)
    (2, 3, 5.0, 2)
    """

    noisy: tuple[int, ...]
    counts: tuple[int, ...]
    posterior: Floats
    shares: tuple[Mixture, ...]
    receipt: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class TableRelease:
    """What may be published of a table: each question as a release of its cells, and one receipt for all.

    >>> TableRelease((), {"n": 3}).receipt["n"]
    3
    """

    questions: tuple[Release, ...]
    receipt: Mapping[str, Any]


def released_epsilon(epsilon: str | int | Fraction) -> Fraction:
    """A budget that a release may have."""
    e = positive_fraction("epsilon", epsilon, LARGEST_EPSILON)
    if e < SMALLEST_EPSILON:
        raise ValueError(f"epsilon must be at least {float(SMALLEST_EPSILON):g}, got epsilon={epsilon}")
    return e


def released_price(mechanism: str, epsilon: Any = None, rho: Any = None) -> Price:
    """The budget that a release by a mechanism may have, in the currency that the mechanism is charged in.

    >>> str(released_price("lshist", "1/2")), str(released_price("discrete_gaussian", rho="1/50"))
    ('epsilon 1/2', 'rho 1/50')
    """
    currency = drawn_by(mechanism).currency
    given = [name for name, amount in (("epsilon", epsilon), ("rho", rho)) if amount is not None]
    if given != [currency]:
        raise ValueError(
            f"{currency} must be given for {mechanism}, and nothing else, got {' and '.join(given) or 'none'}"
        )
    if currency == "epsilon":
        return Price(currency, released_epsilon(epsilon))
    amount = positive_fraction("rho", rho, LARGEST_RHO)
    if amount < SMALLEST_RHO:
        raise ValueError(f"rho must be at least {float(SMALLEST_RHO):g}, got rho={rho}")
    return Price(currency, amount)


def guaranteed(price: Price) -> dict[str, Any]:
    """What a receipt says of its guarantee; of rho also what it is in epsilon at a delta.

    >>> guaranteed(Price("rho", Fraction(1, 50)))["epsilon_at_delta"]["1e-06"].__round__(3)
    0.9
    """
    said: dict[str, Any] = {"notion": NOTIONS[price.currency], **price.said}
    if price.currency == "rho":
        said["epsilon_at_delta"] = {f"{delta:g}": float(price.promise.epsilon(delta)) for delta in DELTAS}
    return said


def released_prior(prior: Any, k: int) -> Floats:
    """A prior that a release may have, one number for each category."""
    alpha = checks.prior_weights(prior)
    if len(alpha) != k:
        raise ValueError(f"prior must have one number for each of the {k} categories, got {len(alpha)}")
    good = (alpha >= SMALLEST_WEIGHT) & (alpha <= checks.LARGEST_TOTAL / k)
    if not good.all():
        allowed = f"numbers >= {SMALLEST_WEIGHT:g} with a sum of at most 2**53"
        raise ValueError(f"prior must be {allowed} for a release, got {alpha[~good][0]:g}")
    return alpha


def releasable() -> dict[str, Released]:
    """The mechanisms whose noise is drawn exactly, by name.

    >>> ", ".join(releasable())
    'lshist, geometric, staircase, discrete_gaussian, lattice_laplace'
    """
    return {name: entry.released for name, entry in MECHANISMS.items() if entry.released is not None}


def drawn_by(mechanism: str) -> Released:
    """A mechanism whose noise is drawn exactly, by its name."""
    known = releasable()
    if mechanism not in known:
        allowed = f"one of {', '.join(known)}, whose noise is drawn exactly"
        raise ValueError(f"mechanism must be {allowed}, got mechanism={mechanism!r}")
    return known[mechanism]


def legal_counts(mechanism: str, noisy: Sequence[int], n: int) -> tuple[int, ...]:
    """The legal counts that a mechanism makes of noisy ones.

    >>> legal_counts("lattice_laplace", [-2, 7, 5], 10), legal_counts("geometric", [-2, 12], 10)
    ((0, 6, 4), (0, 10))
    """
    noise = drawn_by(mechanism)
    if isinstance(noise, NoisyCounts):
        kept = np.array([min(max(z, 0), n) for z in noisy[:-1]], dtype=np.int64)
        return tuple(completed(kept[None], n)[0].tolist())
    return tuple(nearest_counts(noise.told(noisy, n), n).tolist())


def recomputed(receipt: Mapping[str, Any], told: Progress | None = None) -> Release | TableRelease:
    """Everything that follows from a receipt: legal counts, posterior, shares; of a table for each question."""
    if "questions" not in receipt:
        return _recomputed(receipt)
    each = []
    for number, part in enumerate(parts(receipt), start=1):
        each.append(_recomputed(part))
        if told is not None:
            told(number, len(receipt["questions"]))
    return TableRelease(tuple(each), {**receipt, "counts": [list(one.counts) for one in each]})


def parts(receipt: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The receipt of each question of a table: what a release of its cells alone would say."""
    common = {"n": receipt["n"], "mechanism": receipt["mechanism"]}
    return [
        common
        | {
            "guarantee": {
                "notion": receipt["guarantee"]["notion"],
                **{name: question[f"{name}_of_a_row"] for name in NOTIONS if name in question},
            },
            "categories": question["cells"],
            "prior": question["prior"],
            "noisy": noisy,
        }
        for question, noisy in zip(receipt["questions"], receipt["noisy"], strict=True)
    ]


def _recomputed(receipt: Mapping[str, Any]) -> Release:
    n, noisy = receipt["n"], tuple(receipt["noisy"])
    alpha, mechanism = np.array(receipt["prior"], dtype=np.float64), receipt["mechanism"]
    counts = legal_counts(mechanism, noisy, n)
    near = drawn_by(mechanism).told(noisy, n)
    # what was paid for is finished, however long it takes
    shares = given_noise(alpha, n, near, price_in(receipt["guarantee"]).epsilon, mechanism, bounded=False)
    return Release(noisy, counts, alpha + np.array(counts), shares, {**receipt, "counts": list(counts)})


def contents(result: Release | TableRelease) -> dict[str, bytes]:
    """The contents of the files of a release."""
    return dict(zip(FILES, (_picture(result), as_json(table(result)), as_json(result.receipt)), strict=True))


def _picture(result: Release | TableRelease) -> bytes:
    """A panel for each question, of a table with many for the first ones."""
    from .. import plots

    drawn = [result] if isinstance(result, Release) else list(result.questions[:PANELS])
    sizes = [max(3.0, len(one.counts)) for one in drawn]
    picture = io.BytesIO()
    with warnings.catch_warnings():  # a letter that the font lacks is drawn as a box
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)
        panels = [None] if isinstance(result, Release) else plots.panels(sizes)
        for one, panel in zip(drawn, panels, strict=True):
            names = [str(label) for label in one.receipt["categories"]]
            short = [name if len(name) <= 40 else f"{name[:39]}…" for name in names]
            ax = plots.share_intervals(one.shares, plug_in(one.receipt["prior"], one.counts), short, panel)
        plots.save(ax, picture)
    return picture.getvalue()


def table(result: Release | TableRelease) -> dict[str, Any]:
    """What ``posterior.json`` says."""
    if isinstance(result, TableRelease):
        columns = [question["columns"] for question in result.receipt["questions"]]
        each = [{"columns": names, **table(one)} for names, one in zip(columns, result.questions, strict=True)]
        return {"questions": each}
    return {
        "categories": result.receipt["categories"],
        "concentrations": result.posterior.tolist(),
        "given_the_noise": [_summary(share) for share in result.shares],
        "if_the_noise_is_forgotten": [_summary(share) for share in plug_in(result.receipt["prior"], result.counts)],
    }


def _summary(share: Mixture) -> dict[str, Any]:
    return {
        "mean": share.mean,
        "standard_deviation": share.variance**0.5,
        "intervals": {str(level): list(share.interval(level)) for level in LEVELS},
    }


def legible(receipt: Mapping[str, Any]) -> None:
    """Refuse a receipt that no release has written."""
    try:
        if "questions" in receipt:
            each = [part | {"counts": x} for part, x in zip(parts(receipt), receipt["counts"], strict=True)]
            whole, most = price_in(receipt["guarantee"]), receipt["rows_per_person"] or 1
            prices = [price_in(question) for question in receipt["questions"]]
            rows = [price_in(part["guarantee"]) for part in each]
            right = rows == [price.of_a_row(most) for price in prices]
            if not each or not right or sum(price.within(whole.currency) for price in prices) != whole.amount:
                raise ValueError("the budgets of the questions do not add up to that of the table")
            released_price(receipt["mechanism"], **whole.said)
        else:
            each = [dict(receipt)]
        for part in each:
            _legible(part)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        what = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else error
        raise ValueError(f"receipt must be one that dpbi wrote, got one that is not: {what}") from None


def _legible(receipt: Mapping[str, Any]) -> None:
    k = len(receipt["categories"])
    released_price(receipt["mechanism"], **price_in(receipt["guarantee"]).said)
    released_prior(receipt["prior"], k)
    n = checks.whole("n", receipt["n"], least=1, below=checks.LARGEST_TOTAL)
    whole = all(type(count) is int for count in (*receipt["noisy"], *receipt["counts"]))
    right = whole and len(receipt["noisy"]) == len(receipt["counts"]) == k >= 2 and sum(receipt["noisy"]) == n
    if not right or any(is_missing(label) for label in receipt["categories"]):
        raise ValueError("categories, noisy and released counts do not go together")


def plain(label: Any) -> Any:
    """A label as JSON has it; what it has no word for becomes text."""
    whole = label.item() if isinstance(label, np.generic) else label
    return whole if isinstance(whole, str | int) else str(whole)
