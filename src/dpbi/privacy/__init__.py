"""What leaks: the exact loss of a mechanism over all datasets, and calibration to it.

The relation between neighbours is ``dpbi.model.moves``; every sum over them is in ``losses``.
"""

from .calibration import calibrate
from .losses import Audit, audit, epsilon_at_delta, hockey_stick, hockey_stick_between, loss_between

__all__ = ["Audit", "audit", "calibrate", "epsilon_at_delta", "hockey_stick", "hockey_stick_between", "loss_between"]
