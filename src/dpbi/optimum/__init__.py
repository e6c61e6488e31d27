r"""How good can a private release be? The least error of a class of private mechanisms, and how it is attained.

For two categories, a public number of records and pure differential privacy, the least error depends on which densities
may be published.

* *The posterior of a possible count.* For each private mechanism that publishes one of these posteriors, some remap of
  the geometric mechanism is at least as close to the true posterior at every dataset. The reason is that the loss \(r
  \mapsto H(x, r)\) decreases up to x and increases after x (the Domination theorem of the page *Optimality*). The remap
  depends on the mechanism with which it is compared. The module ``domination`` computes the remap.
* *Any density.* Geometric noise followed by the root mean has the least expected squared Hellinger distance of all
  private mechanisms. Geometric noise followed by the mixture has the least expected Kullback-Leibler divergence. The
  module ``publications`` computes both minima. For the unsquared Hellinger distance, the corresponding statement is
  false.

For any number of categories, the module ``programs`` uses linear programming to find the best mechanism that releases
counts, with a lower bound on the loss. For two categories, ``remapped_geometric`` of ``dpbi.mechanisms.remaps`` attains
the least mean error, and ``minimax_remap`` of the geometric mechanism attains the least worst-case error.
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
