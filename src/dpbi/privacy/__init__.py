"""How much does a mechanism leak? Its exact privacy loss over all datasets, and audits of arbitrary mechanisms.

* ``losses``: the audit of a mechanism of this library, based on the output distributions at all pairs of neighbours.
* ``grid``: a lower bound on the worst loss of an exponential mechanism on two categories, for any number of records.
* ``calibration``: the search for the mechanism of a family whose audited loss equals a budget.
* ``probability_tables``: audits of mechanisms that are defined by tables of probabilities.
* ``black_boxes``: audits of mechanisms that can only be sampled.
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
