"""Records in, a private posterior and its receipt out.

``releases`` is the one place where noise is drawn for publication, ``records`` reads and counts, ``budget`` adds up
what may be spent, ``journal`` keeps what was spent together with what it paid for, ``folders`` claims where a release
goes, and ``receipts`` makes everything that is published of a receipt alone, which ``checking`` repeats.
"""

from .budget import Account
from .checking import Finding, check_release
from .journal import read_account, spend
from .receipts import Release, releasable
from .records import DROP, read_column, tally
from .releases import Unfinished, release, resume

__all__ = [
    "DROP",
    "Account",
    "Finding",
    "Release",
    "Unfinished",
    "check_release",
    "read_account",
    "read_column",
    "releasable",
    "release",
    "resume",
    "spend",
    "tally",
]
