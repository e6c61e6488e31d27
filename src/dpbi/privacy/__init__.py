"""What leaks? The exact privacy loss of a mechanism over all datasets, and audits of anybody's mechanism.

* ``losses``: the audit of a mechanism of this library, by its laws at all pairs of neighbours.
* ``grid``: a lower bound on the worst loss of an exponential mechanism, for two categories and any number of records.
* ``calibration``: the member of a family whose audited loss spends a budget.
* ``probability_tables`` and ``black_boxes``: audits of what is given as a table of laws, or can only be drawn from.
"""

from .black_boxes import SamplerAudit, audit_sampler
from .calibration import calibrate
from .grid import loss_on_grid
from .losses import Audit, audit, epsilon_at_delta, hockey_stick, loss_between
from .probability_tables import TableAudit, audit_table

__all__ = [
    "Audit",
    "SamplerAudit",
    "TableAudit",
    "audit",
    "audit_sampler",
    "audit_table",
    "calibrate",
    "epsilon_at_delta",
    "hockey_stick",
    "loss_between",
    "loss_on_grid",
]
