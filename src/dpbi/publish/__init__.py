"""Records in, a private posterior and its receipt out.

``releases`` is the one place where noise is drawn for publication, ``records`` reads and counts, ``budget`` adds up
what was spent.
"""

from .budget import Account, read_account, spend
from .records import DROP, read_column, tally
from .releases import Release, releasable, release

__all__ = ["DROP", "Account", "Release", "read_account", "read_column", "releasable", "release", "spend", "tally"]
