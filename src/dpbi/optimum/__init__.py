r"""How good can a private release be? The least error of all private mechanisms, and the mechanism that attains it.

For two categories, among all \(\varepsilon\)-private mechanisms, the geometric one followed by a suitable remap of its
output is at least as close to the posterior as any other, at every dataset and for every threshold, because the
Hellinger loss \(r \mapsto H(x, r)\) falls up to x and rises after it (the Domination theorem of the page *Optimality*).

* ``programs``: the optimum by linear programming, and certified. ``remapped_geometric`` of ``dpbi.mechanisms.remaps``
  attains the least mean error, ``minimax_remap`` of the geometric mechanism the least worst-case error.
* ``domination``: for any mechanism, the remap of the geometric one that beats it.
"""

from .domination import Domination, dominating_remap, threshold_remap
from .programs import Optimum, least_mean_error, least_mean_loss, least_worst_error, minimax_remap

__all__ = [
    "Domination",
    "Optimum",
    "dominating_remap",
    "least_mean_error",
    "least_mean_loss",
    "least_worst_error",
    "minimax_remap",
    "threshold_remap",
]
