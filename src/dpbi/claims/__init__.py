r"""The statements of the sources as checkable functions, and the ledger of their verdicts.

>>> from dpbi.claims.notes import ehd_lower
>>> exact, bound = ehd_lower(prior=(1, 1), counts=(0, 1), epsilon=1.0, t=0.3)
>>> bool(exact > bound)
False
"""

from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING, Any

from .beyond import CLAIMS as BEYOND
from .claim import Claim, Condition, Verdict, grid
from .hellinger import CLAIMS as HELLINGER
from .item import Source
from .machine import statements_of
from .notes import CLAIMS as NOTES
from .posterior_sampling import CLAIMS as POSTERIOR_SAMPLING
from .private_mcmc import CLAIMS as PRIVATE_MCMC

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["BY_ID", "CLAIMS", "Claim", "Condition", "Source", "Verdict", "grid", "ledger"]

CLAIMS: tuple[Claim, ...] = NOTES + HELLINGER + POSTERIOR_SAMPLING + PRIVATE_MCMC + BEYOND
"""Every claim of every source, in the order of the sources, and of the page that goes beyond them."""

BY_ID: dict[str, Claim] = {claim.id: claim for claim in CLAIMS}


def ledger(claims: Iterable[Claim] = CLAIMS, jobs: int = 1) -> "pd.DataFrame":
    """One row per claim: the statement, its verdict, and the case with the smallest margin; all of it computed, in so
    many processes.
    """
    import pandas as pd

    if jobs == 1:
        return pd.DataFrame([_row(claim) for claim in claims])
    with ProcessPoolExecutor(jobs) as pool:
        return pd.DataFrame(list(pool.map(_row_by_id, named(claims))))


def named(claims: Iterable[Claim]) -> list[str]:
    """The ids by which another process finds claims, whose formulas cannot be sent to it."""
    given = list(claims)
    if unknown := [claim.id for claim in given if BY_ID.get(claim.id) is not claim]:
        raise ValueError(f"claims must be those of the ledger if jobs is above 1, got {', '.join(unknown)}")
    return [claim.id for claim in given]


def _row_by_id(name: str) -> dict[str, Any]:
    return _row(BY_ID[name])


def _row(claim: Claim) -> dict[str, Any]:
    evidence = claim.evidence
    module, line = claim.code
    return {
        "id": claim.id,
        "source": claim.source,
        "statement": claim.statement,
        "relation": claim.relation,
        "verdict": claim.verdict(),
        "certified": claim.certified,
        "origin": claim.origin,
        "work": claim.work,
        "erratum": claim.erratum,
        "calls": claim.called,
        "proved": claim.proof,
        "machine": ", ".join(statement.name for statement in statements_of(claim.id)),
        "tight": claim.tight is not None,
        "corrects": claim.corrects,
        "restates": claim.restates,
        "reason": claim.reason,
        "cases": len(claim.cases),
        "case": None if evidence is None else dict(evidence.case),
        "exact": None if evidence is None else evidence.exact,
        "bound": None if evidence is None else evidence.bound,
        "margin": None if evidence is None else evidence.margin,
        "notebook": claim.notebook,
        "code": f"{module}:{line}",
    }
