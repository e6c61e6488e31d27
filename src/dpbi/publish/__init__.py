"""What happens to my records when I release a posterior? Records in, a private posterior and its receipt out.

``releases`` is the one place where noise is drawn for publication, of a column and of a table. ``records`` reads files
and data frames, ``tables`` a schema, and counts. ``budget`` is the SQLite file that keeps what was spent together with
what it paid for. ``receipts`` makes everything that is published of a receipt alone, and checks it by making it again.
``conclusions`` puts releases of the same records together. ``plans`` is what to expect, before anything is paid.
"""

from ..mechanisms.table import releasable
from .budget import Budget, BudgetAccount
from .conclusions import count_for_test, joint_posterior, joint_table
from .plans import Plan, plan
from .receipts import Release, TableRelease, check_release
from .records import read_column
from .releases import Unfinished, release, release_table, resume
from .schemas import DROP, read_schema, schema, tally

__all__ = [
    "DROP", "Budget", "BudgetAccount", "Plan", "Release", "TableRelease", "Unfinished", "check_release",
    "count_for_test", "joint_posterior", "joint_table", "plan", "read_column", "read_schema", "releasable", "release",
    "release_table", "resume", "schema", "tally",
]  # fmt: skip
