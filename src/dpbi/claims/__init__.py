r"""Executable checks of the statements in the sources, and the ledger of the verdicts.

>>> from dpbi.claims.notes.theorem_4_5 import ehd_lower
>>> ehd_lower.at(prior=(1, 1), counts=(1, 1), epsilon=1.0, t=0.3)
notes/4.5-ehd-lower at prior = (1, 1), counts = (1, 1), epsilon = 1.0, t = 0.3: exact 0.4373; printed > 0.5 fails, certainly; instead >= 0.333333 holds, certainly
"""

from .cases import grid, rows
from .evaluation import above, at_least, at_most, below, digits, equal, only_in_doubles
from .statements import STATEMENTS, Statement, cannot, statement

from . import notes, hellinger, posterior_sampling, private_mcmc, beyond  # noqa: F401  # isort: skip  # the order of the ledger
from .errata import ERRATA  # isort: skip
from .tables import RECORDED, ledger, table  # isort: skip

__all__ = [
    "BY_ID",
    "CLAIMS",
    "ERRATA",
    "RECORDED",
    "Statement",
    "above",
    "at_least",
    "at_most",
    "below",
    "cannot",
    "digits",
    "equal",
    "grid",
    "ledger",
    "only_in_doubles",
    "rows",
    "statement",
    "table",
]

BY_ID: dict[str, Statement] = STATEMENTS
CLAIMS: tuple[Statement, ...] = tuple(dict.fromkeys(STATEMENTS.values()))
"""All statements, each once, in the order of the sources; ``BY_ID`` also finds them by their former ids."""
