"""Private releases: records go in, and a private posterior with its receipt comes out.

``releases`` is the only module that draws noise for publication, for a column or a table. ``records`` reads files and
data frames. ``schemas`` reads the declaration of a table and counts the records in its cells. ``budget`` manages the
SQLite file that stores every charge together with the release that it paid for. ``receipts`` needs only the receipt to
compute everything that is published, and checks a release by recomputing it. ``conclusions`` combines releases of the
same records. ``plans`` forecasts a release before anything is paid.
"""

from ..mechanisms import releasable
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
