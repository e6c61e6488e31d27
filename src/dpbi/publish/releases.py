r"""A private posterior from records: the one place where noise is drawn for publication.

Only mechanisms whose noise is drawn exactly are offered (``integer_noise``). The number of records, the categories and
the prior are public: categories are declared and never taken from the records, and a receipt says what was public.

What is published is a function of the noisy counts alone, and these are on the disk together with their charge or not
at all: from there on nothing can be lost, and ``resume`` finishes what was stopped, without the records, at no cost.
Before the charge the folder is claimed, the work is bounded for the worst counts, and everything but the drawing is
rehearsed with made-up ones.
"""

import os
import platform
import secrets
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from numpy.typing import ArrayLike

from ..checks import Floats
from ..inference import within_work
from ..progress import Progress
from .budget import Price, affordable, price_in, read_limit
from .folders import claimed, folder_for, holds, put, refuse_taken
from .journal import Journal, charge, named, now, open_to_write, published, read_journal
from .receipts import (
    Release,
    TableRelease,
    contents,
    drawn_by,
    guaranteed,
    plain,
    recomputed,
    released_price,
    released_prior,
)
from .records import DROP, checked_values, declared, tally

Done = Release | TableRelease


class Unfinished(Exception):
    """A release that was paid for and is not yet published; it says what was spent and how to go on.

    >>> str(Unfinished("epsilon 1 of records is spent and nothing is lost"))
    'epsilon 1 of records is spent and nothing is lost'
    """


def release(
    values: Iterable[Hashable],
    categories: Sequence[Hashable],
    prior: ArrayLike,
    epsilon: str | int | Fraction | None = None,
    mechanism: str = "lattice_laplace",
    *,
    rho: str | int | Fraction | None = None,
    missing: Hashable = None,
    out: str | os.PathLike[str] | None = None,
    force: bool = False,
    budget: str | os.PathLike[str] | None = None,
    limit: str | int | Fraction | None = None,
    data: str | None = None,
) -> Release:
    """Release the posterior of the shares of declared categories privately.

    ``values`` is one record each; a value that is no declared category is an error, and so is a missing one (None, nan
    or empty), unless ``missing`` is "drop" or one of the categories. Epsilon is exact: "1/2", "0.1", a Fraction or an
    integer, not a float; for ``discrete_gaussian`` rho is given in its place. With ``out``, a folder with
    ``posterior.json``, a figure and ``receipt.json`` is written; with ``budget``, the file of that name is charged in
    the same step that writes the noisy counts there, for the data set that ``data`` names if the file has several.

    >>> r = release(["yes", "no", "no", "yes", "no"], ["yes", "no"], [1, 1], "1/2")
    >>> sum(r.counts), r.receipt["guarantee"]["epsilon"]
    (5, '1/2')
    """
    noise, price = drawn_by(mechanism), released_price(mechanism, epsilon, rho)
    labels = declared(categories)
    alpha = released_prior(prior, len(labels))
    x = tally(checked_values(values), labels, missing)
    n = sum(x)
    plan = planned(price, out, force, budget, limit, data)
    within_work(alpha, n, price.epsilon, mechanism)
    facts = _facts(labels, alpha, n, price, mechanism, missing)
    rehearsed = tuple(n // len(x) + (i < n % len(x)) for i in range(len(x)))
    rehearsal = recomputed({**facts, "noisy": list(rehearsed)})
    if plan.out is not None:
        contents(rehearsal)
    done = carried_out(plan, facts, lambda: list(noise.drawn(x, price.amount)[0]))
    if not isinstance(done, Release):
        raise TypeError("a column must be released as one")
    return done


class Plan(NamedTuple):
    """Where a release goes and what it is charged to."""

    price: Price
    out: Path | None
    force: bool
    budget: Path | None
    limit: Price | None
    data: str | None


def planned(
    price: Price,
    out: str | os.PathLike[str] | None,
    force: bool,
    budget: str | os.PathLike[str] | None,
    limit: str | int | Fraction | None,
    data: str | None,
) -> Plan:
    """The plan, if the folder is free and the budget can afford it; nothing is written and nothing is spent."""
    folder = None if out is None else folder_for(out)
    if folder is not None:
        refuse_taken(folder, force)
    if budget is None:
        if limit is not None or data is not None:
            name, given = ("data set", f"data={data!r}") if limit is None else ("limit", f"limit={limit}")
            raise ValueError(f"{name} must come with a budget file, got {given} and no budget")
        return Plan(price, folder, force, None, None, None)
    path = _budget_file(budget)
    most = None if limit is None else read_limit(limit)
    journal = read_journal(path)
    affordable(path, named(journal, path, data, most)[1], price)
    open_to_write(path)
    if folder is not None and any(paid["out"] == str(folder) for paid in journal.waiting.values()):
        raise ValueError(f"out must be another folder: a paid release waits for {folder}, {_how(path)} finishes it")
    return Plan(price, folder, force, path, most, data)


def _budget_file(budget: str | os.PathLike[str]) -> Path:
    path = Path(os.path.realpath(budget))
    if not os.fspath(budget) or not path.parent.is_dir() or path.is_dir():
        raise ValueError(f"budget must be a file in a folder that exists, got budget={os.fspath(budget)!r}")
    return path


def carried_out(
    plan: Plan, facts: Mapping[str, Any], draw: Callable[[], list[Any]], told: Progress | None = None
) -> Done:
    """Claim the folder, draw, charge and keep the noisy counts in one step, publish."""
    key = secrets.token_hex(8)
    try:
        with claimed(plan.out) as place:
            if plan.out is not None:
                refuse_taken(plan.out, plan.force)
            receipt = {**facts, "noisy": draw()}
            if plan.budget is None:
                return _put_out({**receipt, "budget": None}, place, plan.out, plan.force, told)
            paid = {"receipt": receipt, "out": None if plan.out is None else str(plan.out), "force": plan.force}
            said = {"mechanism": facts["mechanism"], "date": facts["date"], "id": key}
            journal = charge(plan.budget, plan.price, plan.limit, said, plan.data, paid)
            return _finished(plan.budget, journal, key, place, plan.out, told)
    except BaseException as stop:
        _say(stop, plan.budget, key)
        raise


def resume(budget: str | os.PathLike[str], out: str | os.PathLike[str] | None = None) -> tuple[Done, ...]:
    """Finish every release that a budget file has paid for, or the one that goes to ``out``: nothing more is spent.

    A release that was stopped goes to the folder that it was meant for. If one alone waits, ``out`` may be another
    folder for it.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     resume(folder + "/budget.json")
    ()
    """
    path = _budget_file(budget)
    journal = read_journal(path)
    chosen = dict(journal.waiting)
    target = None if out is None else folder_for(out)
    if target is not None and len(chosen) > 1:
        chosen = {key: paid for key, paid in chosen.items() if paid["out"] == str(target)}
        if not chosen:
            waiting = ", ".join(str(paid["out"]) for paid in journal.waiting.values())
            raise ValueError(f"out must be the folder of a paid release, one of {waiting}, got {target}")
    return tuple(done for key, paid in chosen.items() if (done := _resumed(path, key, paid, target)) is not None)


def _resumed(path: Path, key: str, paid: Mapping[str, Any], target: Path | None) -> Done | None:
    out = target if target is not None else None if paid["out"] is None else folder_for(paid["out"])
    try:
        with claimed(out) as place:
            journal = read_journal(path)
            if key not in journal.waiting:  # another process has finished it meanwhile
                return None
            if out is not None and holds(out, key):
                published(path, key, str(out))
                return recomputed(paid["receipt"])
            if out is not None:
                refuse_taken(out, paid["force"])
            return _finished(path, journal, key, place, out)
    except BaseException as stop:
        _say(stop, path, key)
        raise


def _finished(
    path: Path, journal: Journal, key: str, place: Path | None, out: Path | None, told: Progress | None = None
) -> Done:
    """Publish what a charge has paid for, and say so in the journal."""
    paid, entry = journal.waiting[key], journal.charge(key)
    account = journal.account(entry["data"], until=key)
    receipt = {
        **paid["receipt"],
        "budget": {
            "limit": str(account.limit),
            "spent": str(account.spent),
            **({} if account.currency == "epsilon" else {"currency": account.currency}),
        },
        "journal": {"data": entry["data"], "id": key, "entry": entry["hash"]},
    }
    done = _put_out(receipt, place, out, paid["force"], told)
    published(path, key, None if out is None else str(out))
    return done


def _put_out(
    receipt: Mapping[str, Any], place: Path | None, out: Path | None, force: bool, told: Progress | None
) -> Done:
    done = recomputed(receipt, told)
    if place is not None and out is not None:
        put(place, out, contents(done), force)
    return done


def _how(path: Path) -> str:
    return f"dpbi release --resume --budget {path}"


def _say(stop: BaseException, path: Path | None, key: str) -> None:
    """Raise the same stop, saying what was spent and how to go on, if anything was."""
    if path is None or isinstance(stop, Unfinished):
        return
    try:
        journal = read_journal(path)
    except (OSError, ValueError):
        what = f"whether anything was spent, dpbi budget show {path} says"
    else:
        if not any(entry.get("id") == key for entry in journal.entries):
            return
        entry = journal.charge(key)
        spent = f"{price_in(entry)} of {entry['data']} is spent and nothing is lost"
        what = f"{spent}: {_how(path)} finishes it" if key in journal.waiting else f"{spent}: the release is published"
    if isinstance(stop, KeyboardInterrupt):
        raise type(stop)(what) from stop
    raise Unfinished(f"{stop}; {what}" if str(stop) else what) from stop


def _facts(
    labels: Sequence[Hashable], alpha: Floats, n: int, price: Price, mechanism: str, missing: Hashable
) -> dict[str, Any]:
    """What the receipt says that is known before the noise is drawn."""
    public = [
        "the number of records n",
        "the categories, which were declared and not taken from the records",
        f"the prior, the mechanism and {price.currency}",
    ]
    if missing == DROP and DROP not in labels:
        public.append("that missing values were left out, and with n how many there were")
    elif missing is not None:
        public.append(f"that missing values were counted as {missing}")
    return {
        "mechanism": mechanism,
        "guarantee": guaranteed(price),
        "neighbours": "two data sets of n records that differ in one replaced record",
        "n": n,
        "categories": [plain(label) for label in labels],
        "prior": alpha.tolist(),
        "noise": "drawn exactly, by integer arithmetic from the operating system's entropy",
        "private": ["which records are in which category"],
        "public": public,
        "not_covered": ["the time that the computation took", "other releases from the same records"],
        "library": {"dpbi": version("dpbi"), "python": platform.python_version()},
        "date": now(),
    }
