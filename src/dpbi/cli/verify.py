"""``dpbi verify``: the claims recomputed, and compared with what is expected of them."""

import argparse
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..claims import Claim


def add(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "verify", help="compute every claim again and compare its verdict with the expected one"
    )
    add = parser.add_argument
    add("--source", metavar="NAME", help="only claims of this source: notes, hellinger, ...")
    add("--search", type=float, metavar="SECONDS", help="look for counterexamples to what is said to hold, so long")
    add("--jobs", type=int, default=1, metavar="N", help="number of processes that search (1)")
    parser.set_defaults(run=_run)


def chosen(source: str | None) -> tuple["Claim", ...]:
    """The claims of one source, or all."""
    from ..claims import CLAIMS

    sources = list(dict.fromkeys(claim.id.partition("/")[0] for claim in CLAIMS))
    if source is not None and source not in sources:
        raise ValueError(f"--source must be one of {', '.join(sources)}, got {source!r}")
    return tuple(claim for claim in CLAIMS if source in (None, claim.id.partition("/")[0]))


def _run(options: argparse.Namespace) -> None:
    begun = time.monotonic()
    claims = chosen(options.source)
    found = {claim.id: _verdict(claim) for claim in claims}
    for word, number in Counter(found.values()).most_common():
        print(f"{number:5d}  {word}")
    wrong = [claim for claim in claims if found[claim.id] != claim.expected]
    print(f"{len(claims)} claims in {time.monotonic() - begun:.0f} s: {len(claims) - len(wrong)} as expected")
    if wrong:
        lines = [f"  {claim.id}: expected {claim.expected!r}, found {found[claim.id]!r}" for claim in wrong]
        raise ValueError("\n".join([f"{len(wrong)} of {len(claims)} claims are not as expected", *lines]))
    if options.search is not None:
        _search(claims, options.search, options.jobs)


def _verdict(claim: "Claim") -> str:
    """The word, and where a bound is missed that is said to be met; what cannot be computed hides no other claim."""
    try:
        word, slack = claim.verdict(), claim.slack
    except Exception as error:  # whatever the body of a claim may raise
        return f"{type(error).__name__}: {error}"
    return word if slack is None or slack <= claim.within else f"{word}, but {slack:.2g} from the tight bound"


def _search(claims: tuple["Claim", ...], seconds: float, jobs: int) -> None:
    """Attack what is said to hold; a counterexample is an error until the ledger has it."""
    from ..claims import search

    found = search.search(claims, seconds, jobs=jobs)
    lines = [f"  {one.claim}: cannot be computed at {case}" for one in found for case, _ in one.broken]
    lines += [f"  {one.claim}: fails at {verdict.case}" for one in found for verdict in one.counterexamples]
    print(f"{len(found)} claims attacked with {sum(one.cases for one in found)} cases: {len(lines)} fail")
    if lines:
        raise ValueError("\n".join(["these claims fail inside their premises", *lines]))
