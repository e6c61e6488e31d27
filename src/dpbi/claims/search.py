r"""An adversarial search for counterexamples to claims that are said to hold, inside their premises.

Every claim has its own stream of cases, from a seed and its id alone: what is found does not depend on which other
claims are attacked, and a budget of seconds only cuts the stream short. Half of the cases are drawn from the premises,
ends and corners more often than the rest; half are near the cases that came nearest to failing so far. All are
evaluated in doubles; one that fails there is checked over balls, and only what these certify is a counterexample.
"""

import math
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.random import Generator

from .claim import CONDITIONAL, HOLDS, PROVED, ROUNDING, Claim, Verdict, allows
from .premises import Case, Premises

Clock = Callable[[], float]

SEED = 20261122
NEAREST = 12
"""So many of the cases nearest to failing are kept, and varied."""
CHECKED = 40
"""At most so many cases of a claim are checked over balls."""
SMALLEST = (
    "notes/4.2-tail",
    "notes/4.3",
    "notes/4.3-binary-logarithm",
    "notes/4.5-lszhang",
    "notes/4.5-lszhang-lower",
    "notes/4.5-ehd-lower",
    "notes/4.5-ehd-upper",
    "notes/4.5-ehdl-lower",
    "notes/4.5-ehd-local-lower",
)
"""Refuted claims that ask nothing of the counts: their smallest counterexample is searched for, ``by_size``."""


@dataclass
class Attack:
    """What was tried against one claim, and what was found; ``unmet`` cases were drawn but lie outside its premises.

    A case inside the premises that cannot be computed is ``broken``, and ends the attack: the library, or the premises,
    are wrong there. A case is ``off`` if its doubles are not as near to their enclosures as stated: that is no
    counterexample, and says nothing about the statement, but how many there were is told.
    """

    claim: str
    cases: int = 0
    unmet: int = 0
    seconds: float = 0.0
    undecided: int = 0
    off: int = 0
    counterexamples: list[Verdict] = field(default_factory=list)
    broken: list[tuple[Case, str]] = field(default_factory=list)
    nearest: list[tuple[float, Case]] = field(default_factory=list)


def attacked(claims: Iterable[Claim]) -> list[Claim]:
    """The claims that a search can attack: said to hold for all cases inside premises that are data."""
    return [c for c in claims if c.premises is not None and c.expected in (PROVED, HOLDS, CONDITIONAL)]


def search(
    claims: Iterable[Claim],
    seconds: float,
    cases: int | None = None,
    seed: int = SEED,
    jobs: int = 1,
    clock: Clock = time.monotonic,
) -> list[Attack]:
    """Attack claims of the ledger in so many processes, each for its share of the time and at most so many cases.

    The time is that of the clock: ``time.process_time`` counts what was computed, whatever else the machine does.
    """
    from . import named

    chosen = attacked(claims)
    asked: dict[str, Any] = {
        "seconds": seconds * jobs / max(len(chosen), 1),
        "cases": cases,
        "seed": seed,
        "clock": clock,
    }
    if jobs == 1:
        return [attack(claim, **asked) for claim in chosen]
    with ProcessPoolExecutor(jobs) as pool:
        return list(pool.map(partial(_attack_by_id, **asked), named(chosen)))


def _attack_by_id(name: str, **asked: Any) -> Attack:
    from . import BY_ID

    return attack(BY_ID[name], **asked)


def attack(
    claim: Claim, seconds: float, cases: int | None = None, seed: int = SEED, clock: Clock = time.monotonic
) -> Attack:
    """Look for counterexamples to one claim until the time or the number of cases is used up."""
    if claim.premises is None:
        raise ValueError(f"claim must have premises to draw cases from, got claim {claim.id}")
    rng = np.random.default_rng([seed, zlib.crc32(claim.id.encode())])
    with np.errstate(all="ignore"):
        return _attack(claim, claim.premises, rng, seconds, cases, clock)


def _attack(
    claim: Claim, premises: Premises, rng: Generator, seconds: float, cases: int | None, clock: Clock
) -> Attack:
    result, begun, checked = Attack(claim.id), clock(), 0
    while result.seconds < seconds and (cases is None or result.cases < cases):
        if result.nearest and rng.random() < 0.5:
            case = premises.near(rng, result.nearest[int(rng.random() * len(result.nearest))][1])
        else:
            case = premises.draw(rng)
        try:
            share = _share(claim, case) if _met(claim, premises, case) else None
        except Exception as error:  # whatever the body of a claim may raise
            result.broken.append((case, f"{type(error).__name__}: {error}"))
            break
        result.cases, result.unmet = result.cases + (share is not None), result.unmet + (share is None)
        if share is not None:
            _keep(result, share, case)
            if _fails(claim, share) and checked < CHECKED:
                checked += 1
                verdict, sign = claim.check(**case), claim.sign(**case)
                if sign is None or (verdict.met and not claim.certainly_met(**case)):
                    result.undecided += 1
                elif verdict.met and not allows(claim.relation, sign):
                    result.counterexamples.append(verdict)
                elif not verdict.agrees:
                    result.off += 1
        result.seconds = clock() - begun
    return result


def smallest(claim: Claim, order: Iterable[Case]) -> Verdict | None:
    """The first case, in the order given, that certainly fails inside the premises; None if there is none."""
    for case in order:
        with np.errstate(all="ignore"):
            share = _share(claim, case)
        if share is not None and _fails(claim, share):
            verdict = claim.check(**case)
            if verdict.inside and verdict.certified and not verdict.holds:
                return verdict
    return None


def by_size(claim: Claim, most: int = 8) -> Iterator[Case]:
    """The order in which smallest counterexamples are searched for: by the number of records up to ``most``, then by the
    counts from the first category on, the fewest first, then by the settings of everything else in the order listed.

    Only for claims whose other parameters may have any value at any counts.
    """
    for size in range(1, most + 1):
        for counts in sorted({x for case in claim.cases for x in _datasets(size, len(case["counts"]))}):
            seen: list[Case] = []
            for case in claim.cases:
                tried = {**case, "counts": counts}
                if len(case["counts"]) == len(counts) and tried not in seen:
                    seen.append(tried)
                    yield tried


def _datasets(size: int, categories: int) -> list[tuple[int, ...]]:
    if categories == 1:
        return [(size,)]
    return [(x, *rest) for x in range(size + 1) for rest in _datasets(size - x, categories - 1)]


def _met(claim: Claim, premises: Premises, case: Case) -> bool:
    """Whether a case is inside premises and condition, judged in doubles: what counts is checked again over balls."""
    if not premises.met(**case) or not (premises.holds is None or premises.holds(**case)):
        return False
    return claim.condition is None or bool(claim.condition.holds(**case))


def _share(claim: Claim, case: Case) -> float | None:
    """How far a case is from failing, as a share of the larger side; None where the doubles are no numbers."""
    exact, bound = map(float, claim(**case))
    size = max(abs(exact), abs(bound), 1e-300)
    if claim.relation == "=":
        margin = -abs(exact - bound)
    else:
        margin = exact - bound if claim.relation in (">", ">=") else bound - exact
    return margin / size if math.isfinite(margin) else None


def _fails(claim: Claim, share: float) -> bool:
    """Whether the doubles fail, or come so near that only balls can tell in a strict inequality."""
    return share < -ROUNDING or (share <= 1e-14 and claim.relation in ("<", ">"))


def _keep(result: Attack, share: float, case: Case) -> None:
    """Keep a case if it is among the nearest to failing."""
    if len(result.nearest) < NEAREST or share < result.nearest[-1][0]:
        result.nearest = sorted([*result.nearest, (share, dict(case))], key=lambda kept: kept[0])[:NEAREST]


def log(attacks: Iterable[Attack]) -> list[dict[str, Any]]:
    """A row per claim, as it is recorded."""
    return [
        {
            "claim": found.claim,
            "cases": found.cases,
            "seconds": round(found.seconds, 2),
            "counterexamples": len(found.counterexamples),
            "undecided": found.undecided,
            "off": found.off,
            "broken": len(found.broken),
            "margin": found.nearest[0][0] if found.nearest else None,
            "nearest": dict(found.nearest[0][1]) if found.nearest else None,
        }
        for found in attacks
    ]
