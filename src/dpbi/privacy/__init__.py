"""What leaks: the exact loss of a mechanism over all datasets, of many together, and of anybody's mechanism.

The relation between neighbours is ``dpbi.model.moves``; every sum over them is in ``losses``. ``together`` composes
exactly, ``tables`` and ``black_boxes`` audit what is given as a table of laws, or can only be drawn from.
"""

from .black_boxes import SamplerAudit, audit_sampler
from .calibration import calibrate
from .losses import Audit, audit, epsilon_at_delta, hockey_stick, hockey_stick_between, loss_between
from .tables import TableAudit, audit_table, table_delta, table_epsilon
from .together import Together, composed_delta, composed_epsilon

__all__ = [
    "Audit",
    "SamplerAudit",
    "TableAudit",
    "Together",
    "audit",
    "audit_sampler",
    "audit_table",
    "calibrate",
    "composed_delta",
    "composed_epsilon",
    "epsilon_at_delta",
    "hockey_stick",
    "hockey_stick_between",
    "loss_between",
    "table_delta",
    "table_epsilon",
]
