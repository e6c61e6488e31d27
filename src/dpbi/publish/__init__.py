"""Records in, a private posterior and its receipt out.

``releases`` and ``tables`` are the one place where noise is drawn for publication, of a column and of several that
``declarations`` reads from a schema. ``records`` reads and counts, and ``frames`` takes columns of data frames and
Parquet files apart. ``budget`` adds up what may be spent, ``journal`` keeps what was spent together with what it paid
for, ``folders`` claims where a release goes, and ``receipts`` makes everything that is published of a receipt alone,
which ``checking`` repeats. ``conclusions`` puts releases of the same records together.
"""

from .budget import BudgetAccount
from .checking import Finding, check_release
from .conclusions import Together, joint_posterior, joint_table
from .declarations import Schema, read_schema, schema
from .journal import read_account, spend
from .receipts import Release, TableRelease, releasable
from .records import DROP, read_column, tally
from .releases import Unfinished, release, resume
from .tables import release_table

__all__ = [
    "DROP",
    "BudgetAccount",
    "Finding",
    "Release",
    "Schema",
    "TableRelease",
    "Together",
    "Unfinished",
    "check_release",
    "joint_posterior",
    "joint_table",
    "read_account",
    "read_column",
    "read_schema",
    "releasable",
    "release",
    "release_table",
    "resume",
    "schema",
    "spend",
    "tally",
]
