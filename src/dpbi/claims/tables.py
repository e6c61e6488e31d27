"""Tables of statements for the notebooks, the book and the terminal."""

import csv
import difflib
import textwrap
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..checks import brief, listed, need, whole
from ..extras import require
from .markdown import markdown_table
from .statements import STATEMENTS, Statement

if TYPE_CHECKING:
    import pandas as pd


class Recorded(dict[str, str]):
    """A dict of verdicts by the ids of the statements; a missing id raises an error that names the file to edit."""

    def __missing__(self, id: str) -> str:
        raise KeyError(f"{id} has no recorded verdict: add {id},VERDICT to src/dpbi/claims/verdicts.csv")


RECORDED = Recorded(csv.reader(Path(__file__).with_name("verdicts.csv").read_text("utf-8").splitlines()))
"""The recorded verdict on each statement, as last confirmed by a reader."""


class Table(list[Statement]):
    """A list of statements that a notebook shows as a table with a row for each statement."""

    def _repr_markdown_(self) -> str:
        return markdown_table(self)

    def __repr__(self) -> str:
        """A string for the terminal, with a paragraph for each statement."""
        paragraphs = []
        for each in self:
            lines = [f"{each.where} ({each.id}): {each.verdict_in_words}", f"says {each.says}", *each.beside, each.why]
            lines += [f"{each.besides} {each.what_holds}" if each.what_holds else "", each.evidence()]
            paragraphs.append("\n".join(textwrap.fill(line, 100, subsequent_indent="    ") for line in lines if line))
        return "\n\n".join(paragraphs)


def table(*names: str) -> Table:
    """A table with a row for each statement of the given sources and ids, in the given order.

    Args:
        names: Names of sources ("notes", "hellinger", ...) and ids of statements.

    >>> table("nots")
    Traceback (most recent call last):
    ...
    ValueError: names must be sources or ids of statements, got 'nots'; the nearest is 'notes'
    """
    return Table([each for name in names for each in named(name)])


def named(name: str) -> list[Statement]:
    """A list of the statement with the given id, or of all statements of the given source."""
    need(isinstance(name, str), f"names must be sources or ids of statements, got {brief(name)}")
    every = dict.fromkeys(STATEMENTS.values())
    found = [each for each in every if name in (each.id, *each.aliases, each.id.partition("/")[0])]
    if not found:
        known = [*dict.fromkeys(each.partition("/")[0] for each in STATEMENTS), *STATEMENTS]
        near = difflib.get_close_matches(name, known, 1, 0)
        raise ValueError(f"names must be sources or ids of statements, got {name!r}; the nearest is {near[0]!r}")
    return found


def ledger(statements: Sequence[Statement] | None = None, jobs: int = 1) -> "pd.DataFrame":
    """The ledger, computed anew: a table with the verdict on each statement and the evidence for this verdict.

    Args:
        statements: The statements to compute; all by default.
        jobs: Number of processes that compute the verdicts.

    Returns:
        A table with the columns id, item, says, verdict, only_if, evidence, why, holds, by, given and reading, in the
        order of the statements.
    """
    require("a ledger of verdicts", "pandas", "flint")
    import pandas as pd

    chosen = [*dict.fromkeys(STATEMENTS.values())] if statements is None else listed("statements", statements)
    if not all(isinstance(each, Statement) for each in chosen):  # the message shows none: a repr computes a verdict
        raise TypeError("statements must be a list of statements, CLAIMS for instance, got something else")
    if whole("jobs", jobs, least=1, below=1000) == 1:
        return pd.DataFrame([_row(each.id) for each in chosen])
    with ProcessPoolExecutor(jobs) as pool:
        return pd.DataFrame(list(pool.map(_row, [each.id for each in chosen])))


def _row(id: str) -> dict[str, Any]:
    """The row of a statement in the ledger; if the computation fails, the row shows the error in place of the
    verdict."""
    try:
        return STATEMENTS[id].row()
    except Exception as error:  # a statement's function may raise any error
        return {"id": id, "verdict": ": ".join([type(error).__name__, str(error), *getattr(error, "__notes__", ())])}
