"""What leaks: the exact loss of a mechanism over all datasets, and of anybody's mechanism.

The relation between neighbours is ``dpbi.model.moves``, their laws are in ``neighbours``, every sum over them is in
``losses``. ``grid`` looks at some neighbours where they are too many; ``tables`` and ``black_boxes`` audit what is
given as a table of laws, or can only be drawn from.
"""

from .black_boxes import SamplerAudit, audit_sampler
from .calibration import calibrate
from .grid import loss_on_grid
from .losses import Audit, audit, epsilon_at_delta, hockey_stick, loss_between
from .tables import TableAudit, audit_table, table_delta

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
    "table_delta",
]
