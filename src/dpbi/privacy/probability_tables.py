"""Audits of arbitrary mechanisms with finitely many outputs, which are defined by tables of probabilities."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import checks
from ..arithmetic import approximate, largest, log_ratio, scalar
from ..divergences import log_probabilities

# Losses that differ by less than this are treated as equal, so that rounding does not determine the witness.
TIE_TOLERANCE = 1e-12


@dataclass(frozen=True)
class TableAudit:
    """The worst privacy loss of a table of probabilities, and where it is attained.

    Attributes:
        epsilon: The loss, in nats.
        row: Row number, counted from 0, of the dataset at which the output is more likely.
        neighbour: Row number of the neighbouring dataset.
        output: Column number of the output.

    >>> found = audit_table([[0.75, 0.25], [0.25, 0.75]], [(0, 1)])
    >>> found.row, found.neighbour, found.output
    (0, 1, 0)
    """

    epsilon: Any
    row: int
    neighbour: int
    output: int

    def __repr__(self) -> str:
        where = f"more likely in row {self.row} than in row {self.neighbour}"
        return f"<TableAudit: loss {approximate(self.epsilon):.6g} at output {self.output}, {where}>"


def audit_table(law_matrix: Any, neighbours: Sequence[tuple[int, int]]) -> TableAudit:
    """Exact worst privacy loss of a mechanism that is defined by a table of probabilities, with a witness.

    The loss is infinite if an output is possible in one row and impossible in a neighbouring row. If several witnesses
    are tied, the first one is returned.

    Args:
        law_matrix: Table of probabilities, with one row for each dataset and one column for each of at least two
            outputs. Every row adds up to 1.
        neighbours: List of pairs of row numbers of neighbouring datasets. The losses in both directions are compared.

    Returns:
        The loss in nats, and the two rows and the output at which it is attained.

    >>> audit_table([[0.75, 0.25], [0.25, 0.75]], [(0, 1)])
    <TableAudit: loss 1.09861 at output 0, more likely in row 0 than in row 1>
    >>> audit_table([[0.2, 0.1, 0.3, 0.4], [0.1, 0.05, 0.15, 0.7]], [(0, 1)]).output  # 0, 1 and 2 tie
    0
    """
    laws = checks.simplex("law_matrix", law_matrix)
    allowed = "a row for every dataset and a column for every output"
    checks.need(laws.ndim == 2 and len(laws), f"law_matrix must have {allowed}, got shape {laws.shape}")
    log_p = log_probabilities(laws)
    allowed = f"pairs of different rows of law_matrix, numbers in 0..{len(laws) - 1}"
    pairs = checks.numeric("neighbours", checks.listed("neighbours", neighbours), allowed)
    good = pairs.ndim == 2 and pairs.shape[1] == 2 and pairs.dtype.kind in "iu"
    checks.need(good, f"neighbours must be {allowed}, got {checks.brief(neighbours)}")
    bad = (pairs < 0).any(axis=1) | (pairs >= len(laws)).any(axis=1) | (pairs[:, 0] == pairs[:, 1])
    checks.need(not bad.any(), f"neighbours must be {allowed}, got {pairs[bad].tolist()[:1]}")
    start, end = np.concatenate([pairs, pairs[:, ::-1]]).T  # in both directions
    loss = log_ratio(log_p[start], log_p[end])
    tied = approximate(loss) >= approximate(loss).max() - TIE_TOLERANCE
    pair, output = np.unravel_index(tied.argmax(), tied.shape)
    return TableAudit(scalar(largest(loss)), int(start[pair]), int(end[pair]), int(output))
