r"""How good can a private release be? The least error of a class of private mechanisms, and what attains it.

For two categories, a public number of records and pure epsilon it depends on what may be published.

* *The posterior of a possible count.* For each private mechanism that publishes one, some remap of the geometric
  mechanism is at least as close to the posterior at every dataset, because the loss \(r \mapsto H(x, r)\) falls up to
  x and rises after it (the Domination theorem of the page *Optimality*). The remap depends on the mechanism that it is
  compared with. ``domination`` builds it.
* *Any density.* Geometric noise followed by the root mean has the least expected squared Hellinger distance of all
  private mechanisms, and followed by the mixture the least expected Kullback-Leibler divergence: ``publications``. For
  the distance that is not squared this is false.
* ``programs`` finds the best mechanism that releases counts by linear programming, for any number of categories, with a
  bound. For two categories ``remapped_geometric`` of ``dpbi.mechanisms.remaps`` attains the least mean error, and
  ``minimax_remap`` of the geometric mechanism the least worst-case error.
"""

from .domination import Domination, dominating_remap, threshold_remap
from .programs import Optimum, least_mean_error, least_mean_loss, least_worst_error, minimax_remap
from .publications import least_mean_divergence, least_mean_squared_distance

__all__ = [
    "Domination",
    "Optimum",
    "dominating_remap",
    "least_mean_divergence",
    "least_mean_error",
    "least_mean_loss",
    "least_mean_squared_distance",
    "least_worst_error",
    "minimax_remap",
    "threshold_remap",
]
