r"""A private posterior from records: the one place where noise is drawn for publication.

Only mechanisms whose noise is drawn exactly are offered (``integer_noise``). The number of records, the categories and
the prior are public: categories are declared and never taken from the records, and a receipt says what was public.

What is published is a function of the noisy counts alone: legal counts, the posterior they would give, and the shares'
posteriors given the noise. Everything but the drawing is rehearsed with made-up counts before the budget is charged, so
that what cannot be finished costs nothing.
"""

import importlib.util
import io
import os
import platform
import shutil
import tempfile
import warnings
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..checks import Floats
from ..files import as_json, sync_folder, write_whole
from ..inference import Mixture, given_noise, plug_in
from ..mechanisms.table import MECHANISMS, Released
from .budget import Account, affordable, positive_fraction, read_account, spend
from .records import DROP, is_missing, tally

LARGEST_EPSILON = 20
"""A loss above this is no privacy: one record can make an output 5e8 times as likely."""

SMALLEST_EPSILON = Fraction(1, 10**9)
"""Below this, the noise is larger than any table."""

SMALLEST_WEIGHT = 1e-9
"""Concentrations of a prior from here on leave every summary of a release with its digits."""

LEVELS = (0.5, 0.8, 0.95)
"""The levels of the intervals that a release reports."""

FILES = ("posterior.png", "posterior.json", "receipt.json")
"""What a release writes, the receipt last."""


@dataclass(frozen=True, eq=False)
class Release:
    """What may be published.

    ``noisy`` are the counts with their noise, ``counts`` the legal counts made of them, ``posterior`` the
    concentrations these would give, and ``shares`` the posterior of each category's share given the noise, which is
    what to draw conclusions from. ``receipt`` says how it came about.

    >>> r = release(["yes", "no", "no"], ["yes", "no"], [1, 1], "1/2")
    >>> len(r.noisy), sum(r.counts), float(r.posterior.sum()), len(r.shares)
    (2, 3, 5.0, 2)
    """

    noisy: tuple[int, ...]
    counts: tuple[int, ...]
    posterior: Floats
    shares: tuple[Mixture, ...]
    receipt: Mapping[str, Any]


def release(
    values: Iterable[Hashable],
    categories: Sequence[Hashable],
    prior: ArrayLike,
    epsilon: str | int | Fraction,
    mechanism: str = "lattice_laplace",
    *,
    missing: Hashable = None,
    out: str | os.PathLike[str] | None = None,
    force: bool = False,
    budget: str | os.PathLike[str] | None = None,
    limit: str | int | Fraction | None = None,
) -> Release:
    """Release the posterior of the shares of declared categories privately.

    ``values`` is one record each; a value that is no declared category is an error, and so is a missing one (None, nan
    or empty), unless ``missing`` is "drop" or one of the categories. Epsilon is exact: "1/2", "0.1", a Fraction or an
    integer, not a float. With ``out``, a folder with ``posterior.json``, a figure and ``receipt.json`` is written; with
    ``budget``, the file of that name is charged before the noise is drawn.

    >>> r = release(["yes", "no", "no", "yes", "no"], ["yes", "no"], [1, 1], "1/2")
    >>> sum(r.counts), r.receipt["guarantee"]["epsilon"]
    (5, '1/2')
    """
    e = _epsilon(epsilon)
    noise = _drawn_by(mechanism)
    labels = _labels(categories)
    alpha = _prior(prior, len(labels))
    x = tally(values, labels, missing)
    folder = None if out is None else _free_folder(Path(out), force)
    account = _account(budget, limit, e)
    n = sum(x)
    facts = _facts(labels, alpha, n, e, mechanism, missing)
    pretended = tuple(n // len(x) + (i < n % len(x)) for i in range(len(x)))
    rehearsal = _result(labels, alpha, n, e, mechanism, pretended, pretended, facts, account)
    if folder is not None:
        _files(rehearsal, labels, alpha)
    made = None if folder is None else Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        if budget is not None:
            charged = {"mechanism": mechanism, "date": facts["date"]}
            account = spend(Path(budget), e, None if limit is None else positive_fraction("limit", limit), charged)
        noisy, counts = noise.drawn(x, e)
        result = _result(labels, alpha, n, e, mechanism, noisy, counts, facts, account)
        if folder is not None and made is not None:
            for name, content in _files(result, labels, alpha).items():
                write_whole(made / name, content)
            _publish(made, folder)
    finally:
        if made is not None:
            shutil.rmtree(made, ignore_errors=True)
    return result


def _epsilon(epsilon: str | int | Fraction) -> Fraction:
    e = positive_fraction("epsilon", epsilon, LARGEST_EPSILON)
    if e < SMALLEST_EPSILON:
        raise ValueError(f"epsilon must be at least {float(SMALLEST_EPSILON):g}, got epsilon={epsilon}")
    return e


def _prior(prior: ArrayLike, k: int) -> Floats:
    alpha = checks.prior_weights(prior)
    if len(alpha) != k:
        raise ValueError(f"prior must have one number for each of the {k} categories, got {len(alpha)}")
    good = (alpha >= SMALLEST_WEIGHT) & (alpha <= checks.LARGEST_TOTAL / k)
    if not good.all():
        allowed = f"numbers >= {SMALLEST_WEIGHT:g} with a sum of at most 2**53"
        raise ValueError(f"prior must be {allowed} for a release, got {alpha[~good][0]:g}")
    return alpha


def _labels(categories: Sequence[Hashable]) -> tuple[Hashable, ...]:
    if isinstance(categories, str):
        raise TypeError(f"categories must be a sequence of at least two labels, got categories={categories!r}")
    labels = tuple(categories)
    if len(labels) < 2 or len(set(labels)) < len(labels) or any(is_missing(label) for label in labels):
        raise ValueError(f"categories must be at least two different labels, got categories={labels!r}")
    return labels


def releasable() -> dict[str, Released]:
    """The mechanisms whose noise is drawn exactly, by name.

    >>> ", ".join(releasable())
    'lshist, geometric, staircase, lattice_laplace'
    """
    return {name: entry.released for name, entry in MECHANISMS.items() if entry.released is not None}


def _drawn_by(mechanism: str) -> Released:
    known = releasable()
    if mechanism not in known:
        allowed = f"one of {', '.join(known)}, whose noise is drawn exactly"
        raise ValueError(f"mechanism must be {allowed}, got mechanism={mechanism!r}")
    return known[mechanism]


def _account(
    budget: str | os.PathLike[str] | None, limit: str | int | Fraction | None, epsilon: Fraction
) -> Account | None:
    """The account as it is, if it can afford epsilon; nothing is spent."""
    if budget is None:
        if limit is not None:
            raise ValueError(f"limit must come with a budget file, got limit={limit} and no budget")
        return None
    path = Path(os.path.realpath(budget))
    if not path.parent.is_dir() or path.is_dir():
        raise ValueError(f"budget must be a file in a folder that exists, got budget={os.fspath(budget)!r}")
    account = read_account(path, None if limit is None else positive_fraction("limit", limit))
    affordable(path, account, epsilon)
    return account


def _free_folder(out: Path, force: bool) -> Path:
    if importlib.util.find_spec("matplotlib") is None:
        raise ValueError("out must be left away without matplotlib, which draws the figure: pip install 'dpbi[plots]'")
    out = Path(os.path.realpath(out))
    if not out.parent.is_dir():
        raise ValueError(f"out must be in a folder that exists, got out={str(out)!r}")
    if out.exists():
        if not force:
            raise ValueError(f"out must not exist, unless it is to be replaced (force), got out={str(out)!r}")
        if not (out / FILES[-1]).is_file():
            raise ValueError(f"out must be an earlier release to be replaced, got out={str(out)!r} without {FILES[-1]}")
        # whatever else is in the folder would go with it: a budget file, the data
        if others := sorted({path.name for path in out.iterdir()} - set(FILES)):
            raise ValueError(
                f"out must hold an earlier release alone to be replaced, got out={str(out)!r} with {others[0]}"
            )
    return out


def _facts(
    labels: Sequence[Hashable], alpha: Floats, n: int, epsilon: Fraction, mechanism: str, missing: Hashable
) -> dict[str, Any]:
    """What the receipt says that is known before the noise is drawn."""
    public = [
        "the number of records n",
        "the categories, which were declared and not taken from the records",
        "the prior, the mechanism and epsilon",
    ]
    if missing == DROP and DROP not in labels:
        public.append("that missing values were left out, and with n how many there were")
    elif missing is not None:
        public.append(f"that missing values were counted as {missing}")
    return {
        "mechanism": mechanism,
        "guarantee": {"notion": "pure differential privacy", "epsilon": str(epsilon)},
        "neighbours": "two data sets of n records that differ in one replaced record",
        "n": n,
        "categories": [_plain(label) for label in labels],
        "prior": alpha.tolist(),
        "noise": "drawn exactly, by integer arithmetic from the operating system's entropy",
        "private": ["which records are in which category"],
        "public": public,
        "not_covered": ["the time that the computation took", "other releases from the same records"],
        "library": {"dpbi": version("dpbi"), "python": platform.python_version()},
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _plain(label: Hashable) -> Any:
    return label if isinstance(label, str | int) else str(label)


def _result(
    labels: Sequence[Hashable],
    alpha: Floats,
    n: int,
    epsilon: Fraction,
    mechanism: str,
    noisy: tuple[int, ...],
    counts: tuple[int, ...],
    facts: Mapping[str, Any],
    account: Account | None,
) -> Release:
    near = _drawn_by(mechanism).told(noisy, n)
    shares = given_noise(alpha, n, near, float(epsilon), mechanism)
    spent = None if account is None else {"limit": str(account.limit), "spent": str(account.spent)}
    receipt = {**facts, "noisy": list(noisy), "counts": list(counts), "budget": spent}
    return Release(noisy, counts, alpha + np.array(counts), shares, receipt)


def _files(result: Release, labels: Sequence[Hashable], alpha: Floats) -> dict[str, bytes]:
    """The contents of the files of a release."""
    from .. import plots

    forgetful = plug_in(alpha, result.counts)
    table = {
        "categories": result.receipt["categories"],
        "concentrations": result.posterior.tolist(),
        "given_the_noise": [_summary(share) for share in result.shares],
        "if_the_noise_is_forgotten": [_summary(share) for share in forgetful],
    }
    picture = io.BytesIO()
    with warnings.catch_warnings():  # a letter that the font lacks is drawn as a box
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)
        short = [name if len(name) <= 40 else f"{name[:39]}…" for name in map(str, labels)]
        plots.save(plots.share_intervals(result.shares, forgetful, short), picture)
    return dict(zip(FILES, (picture.getvalue(), as_json(table), as_json(result.receipt)), strict=True))


def _summary(share: Mixture) -> dict[str, Any]:
    return {
        "mean": share.mean,
        "standard_deviation": share.variance**0.5,
        "intervals": {str(level): list(share.interval(level)) for level in LEVELS},
    }


def _publish(made: Path, folder: Path) -> None:
    """Give the finished folder its name; an earlier release under that name steps aside first."""
    made.chmod(0o755)
    for file in made.iterdir():
        file.chmod(0o644)
    if folder.exists():
        aside = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
        os.replace(folder, aside)
        os.replace(made, folder)
        shutil.rmtree(aside)
    else:
        os.replace(made, folder)
    sync_folder(folder.parent)
