r"""The statements of the sources as checkable functions, and the ledger of their verdicts.

>>> from dpbi.claims.notes.theorem_4_5 import ehd_lower
>>> ehd_lower.at(prior=(1, 1), counts=(0, 1), epsilon=1.0, t=0.3)
notes/4.5-ehd-lower at prior = (1, 1), counts = (0, 1), epsilon = 1.0, t = 0.3: exact 0.622459; printed > 1 fails, certainly; instead >= 0.5 holds, certainly
"""

# The order of the ledger:
# isort: off
from . import notes, hellinger, posterior_sampling, private_mcmc, beyond

# isort: on
from .statements import (
    STATEMENTS,
    Statement,
    above,
    at_least,
    at_most,
    below,
    cannot,
    digits,
    equal,
    grid,
    rows,
    statement,
)
from .tables import RECORDED, ledger, table

__all__ = [
    "BY_ID",
    "CLAIMS",
    "RECORDED",
    "Statement",
    "above",
    "at_least",
    "at_most",
    "below",
    "beyond",
    "cannot",
    "digits",
    "equal",
    "grid",
    "hellinger",
    "ledger",
    "notes",
    "posterior_sampling",
    "private_mcmc",
    "rows",
    "statement",
    "table",
]

BY_ID: dict[str, Statement] = STATEMENTS
CLAIMS: tuple[Statement, ...] = tuple(STATEMENTS.values())
"""Every statement, in the order of the sources."""
