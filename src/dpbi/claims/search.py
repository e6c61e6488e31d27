r"""An adversarial search for counterexamples to claims that are said to hold, inside their premises.

Every claim has its own stream of cases, from a seed and its id alone: what is found does not depend on which other
claims are attacked, and a budget of seconds only cuts the stream short. Half of the cases are drawn from the premises,
ends and corners more often than the rest; half are near the cases that came nearest to failing so far. All are
evaluated in doubles; one that fails there is checked over balls, and only what these certify is a counterexample.
"""

import itertools
import time
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.random import Generator

from .claim import CONDITIONAL, HOLDS, PROVED, ROUNDING, Claim, Verdict
from .premises import Case

SEED = 20261122
NEAREST = 12
"""So many of the cases nearest to failing are kept, and varied."""
CHECKED = 40
"""At most so many cases of a claim are checked over balls."""


@dataclass
class Attack:
    """What was tried against one claim, and what was found; ``unmet`` cases were drawn but lie outside its premises."""

    claim: Claim
    cases: int = 0
    unmet: int = 0
    seconds: float = 0.0
    undecided: int = 0
    counterexamples: list[Verdict] = field(default_factory=list)
    nearest: list[tuple[float, Case]] = field(default_factory=list)


def attacked(claims: Iterable[Claim]) -> list[Claim]:
    """The claims that a search can attack: said to hold for all cases inside premises that are data."""
    return [c for c in claims if c.premises is not None and c.expected in (PROVED, HOLDS, CONDITIONAL)]


def search(
    claims: Iterable[Claim], seconds: float, cases: int | None = None, seed: int = SEED, least: int = 1
) -> Iterator[Attack]:
    """Attack every claim in turn, each with its share of the time, at most so many and at least ``least`` cases."""
    chosen = attacked(claims)
    for place, claim in enumerate(chosen):
        begun = time.monotonic()
        found = attack(claim, seconds / (len(chosen) - place), cases, seed, least)
        seconds -= time.monotonic() - begun
        yield found


def attack(claim: Claim, seconds: float, cases: int | None = None, seed: int = SEED, least: int = 1) -> Attack:
    """Look for counterexamples to one claim until the time or the number of cases is used up."""
    rng = np.random.default_rng([seed, zlib.crc32(claim.id.encode())])
    result, begun, checked = Attack(claim), time.monotonic(), 0
    for tried in itertools.count(1):
        case = _case(claim, rng, result)
        share = _share(claim, case) if _met(claim, case) else None
        result.cases, result.unmet = result.cases + (share is not None), result.unmet + (share is None)
        if share is not None:
            _keep(result, share, case)
            if _fails(claim, share) and checked < CHECKED:
                checked += 1
                verdict = claim.check(**case)
                if not verdict.certified or (verdict.met and not claim.certainly_met(**case)):
                    result.undecided += 1
                elif verdict.met and not verdict.holds:
                    result.counterexamples.append(verdict)
        result.seconds = time.monotonic() - begun
        done = cases is not None and result.cases >= cases
        late = result.seconds >= seconds and (result.cases >= least or tried > 20 * least)
        if done or late:
            return result
    raise AssertionError("the count of cases has no end")


def smallest(claim: Claim, order: Iterable[Case]) -> Verdict | None:
    """The first case, in the order given, that certainly fails inside the premises; None if there is none."""
    for case in order:
        share = _share(claim, case)
        if share is not None and _fails(claim, share):
            verdict = claim.check(**case)
            if verdict.inside and verdict.certified and not verdict.holds:
                return verdict
    return None


def _case(claim: Claim, rng: Generator, result: Attack) -> Case:
    assert claim.premises is not None
    if result.nearest and rng.random() < 0.5:
        return claim.premises.near(rng, result.nearest[int(rng.integers(len(result.nearest)))][1])
    return claim.premises.draw(rng)


def _met(claim: Claim, case: Case) -> bool:
    """Whether a case is inside premises and condition, judged in doubles: what counts is checked again over balls."""
    assert claim.premises is not None
    predicates = [claim.premises.holds, claim.condition.holds if claim.condition else None]
    return claim.premises.met(**case) and all(holds is None or bool(holds(**case)) for holds in predicates)


def _share(claim: Claim, case: Case) -> float | None:
    """How far a case is from failing, as a share of the larger side; None where the doubles are no numbers."""
    with np.errstate(all="ignore"):
        exact, bound = map(float, claim(**case))
    size = max(abs(exact), abs(bound), 1e-300)
    if claim.relation == "=":
        margin = -abs(exact - bound)
    else:
        margin = exact - bound if claim.relation in (">", ">=") else bound - exact
    return margin / size if np.isfinite(margin) else None


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
            "claim": found.claim.id,
            "cases": found.cases,
            "seconds": round(found.seconds, 2),
            "counterexamples": len(found.counterexamples),
            "undecided": found.undecided,
            "margin": found.nearest[0][0] if found.nearest else None,
            "nearest": dict(found.nearest[0][1]) if found.nearest else None,
        }
        for found in attacks
    ]
