"""``dpbi verify`` and ``dpbi ledger``: the claims recomputed, and compared with what is expected of them."""

import argparse
import json
import time
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..claims import Claim

FORMATS = ("md", "json", "csv")
HEAD = ["claim", "source", "verdict", "certified", "exact", "relation", "bound", "at the case"]


def add(commands: Any) -> None:
    """Register the two commands."""
    verify = commands.add_parser(
        "verify",
        help="compute every claim again and compare its verdict with the expected one",
        description="Compute the verdict of every claim again. The exit code is 0 if each is the expected one and a "
        "search, where one is asked for, finds no counterexample.",
    )
    verify.add_argument(
        "--search",
        type=float,
        metavar="SECONDS",
        help="look for counterexamples to what is said to hold, for so many seconds",
    )
    verify.add_argument("--cases", type=int, metavar="N", help="try at most so many cases of each claim in the search")
    verify.add_argument("--jobs", type=int, default=1, metavar="N", help="number of processes that search (1)")
    verify.add_argument("--seed", type=int, metavar="N", help="seed of the search, for other cases")
    verify.add_argument("--log", type=Path, metavar="FILE", help="write a row of JSON for every claim searched")
    verify.set_defaults(run=_verify)
    ledger = commands.add_parser("ledger", help="print the ledger of claims, computed now")
    ledger.add_argument("--format", choices=FORMATS, default="md", help="format of the table (md)")
    ledger.add_argument("--json", dest="format", action="store_const", const="json", help="the same as --format json")
    ledger.set_defaults(run=_ledger)
    for parser in (verify, ledger):
        parser.add_argument("--source", metavar="NAME", help="only claims of this source: notes, hellinger, ...")


def chosen(source: str | None) -> tuple["Claim", ...]:
    """The claims of one source, or all."""
    from ..claims import CLAIMS

    sources = list(dict.fromkeys(claim.id.partition("/")[0] for claim in CLAIMS))
    if source is not None and source not in sources:
        raise ValueError(f"--source must be one of {', '.join(sources)}, got {source!r}")
    return tuple(claim for claim in CLAIMS if source in (None, claim.id.partition("/")[0]))


def watched(claims: tuple["Claim", ...]) -> Iterator["Claim"]:
    """The claims one by one, with a bar in a terminal if the package that draws it is there."""
    try:
        from tqdm import tqdm
    except ImportError:
        return iter(claims)
    return iter(tqdm(claims, desc="ledger", unit="claim", disable=None, leave=False))


def _verify(options: argparse.Namespace) -> int:
    begun = time.monotonic()
    claims = chosen(options.source)
    found = {claim.id: _verdict(claim) for claim in watched(claims)}
    for word, number in Counter(found.values()).most_common():
        print(f"{number:5d}  {word}")
    wrong = [claim for claim in claims if found[claim.id] != claim.expected]
    print(f"{len(claims)} claims in {time.monotonic() - begun:.0f} s: {len(claims) - len(wrong)} as expected")
    if wrong:
        lines = [
            f"  {claim.id}: expected {claim.expected!r}, found {found[claim.id]!r}{_off(claim, found[claim.id])}"
            for claim in wrong
        ]
        raise ValueError("\n".join([f"{len(wrong)} of {len(claims)} claims are not as expected", *lines]))
    if options.search is not None:
        _search(claims, options)
    return 0


def _search(claims: tuple["Claim", ...], options: argparse.Namespace) -> None:
    """Attack what is said to hold; a counterexample is an error until the ledger has it."""
    from ..claims import search

    seed = search.SEED if options.seed is None else options.seed
    begun = time.monotonic()
    found = search.search(claims, options.search, options.cases, seed, options.jobs)
    if options.log:
        options.log.write_text(json.dumps(search.log(found), indent=1, default=str) + "\n", "utf-8")
    failing = [(attack.claim, verdict) for attack in found for verdict in attack.counterexamples]
    tried = sum(attack.cases for attack in found)
    print(f"{len(found)} claims attacked with {tried} cases in {time.monotonic() - begun:.0f} s: {len(failing)} fail")
    if off := sum(attack.off for attack in found):
        print(f"in {off} more cases doubles are farther from their enclosures than stated")
    if broken := [(attack.claim, *case) for attack in found for case in attack.broken]:
        lines = [f"  {name}: {_case(case)}: {error}" for name, case, error in broken]
        raise ValueError("\n".join([f"{len(lines)} claims cannot be computed inside their premises", *lines]))
    if failing:
        shown = dict(reversed(failing))
        lines = [f"  {name}: {_case(verdict.case)}" for name, verdict in shown.items()]
        raise ValueError("\n".join([f"{len(shown)} claims have counterexamples that the ledger lacks", *lines]))


def _case(case: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {_short(value)}" for name, value in case.items())


def _verdict(claim: "Claim") -> str:
    """The word, and where a bound is missed that is said to be met; what cannot be computed hides no other claim."""
    try:
        word, slack = claim.verdict(), claim.slack
        if slack is None or slack <= claim.within:
            return word
        return f"{word}, but {slack:.2g} from the tight bound"
    except Exception as error:  # whatever the body of a claim may raise
        return f"{type(error).__name__}: {error}"


def _off(claim: "Claim", word: str) -> str:
    """Which functions of the library are off, and at which case, if that is what was found."""
    from ..claims.claim import OFF

    if word != OFF:
        return ""
    case = next(v.case for v in claim.verdicts if not v.agrees)
    return f": {claim.called} at {_case(case)}"


def _ledger(options: argparse.Namespace) -> None:
    claims = chosen(options.source)
    try:
        import pandas  # noqa: F401
    except ImportError:
        raise ValueError("the ledger needs pandas: pip install pandas") from None
    from ..claims import ledger

    table = ledger(watched(claims))
    if options.format == "json":
        print(json.dumps(table.to_dict("records"), indent=1, default=str))
    elif options.format == "csv":
        print(table.to_csv(index=False, lineterminator="\n"), end="")
    else:
        lines = [HEAD, ["---"] * len(HEAD), *map(_cells, table.to_dict("records"))]
        print("\n".join(f"| {' | '.join(line)} |" for line in lines))


def _cells(row: Mapping[Hashable, Any]) -> list[str]:
    case = _case(row["case"] or {})
    words = (row["id"], row["source"], row["verdict"], "yes" if row["certified"] else "")
    return [*words, _short(row["exact"]), row["relation"], _short(row["bound"]), case]


def _short(value: Any) -> str:
    return "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)
