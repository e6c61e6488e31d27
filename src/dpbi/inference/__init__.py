r"""What to conclude from a private release: the posterior of every share given the *noisy* counts.

A released count vector is not data. Taking it for data (the plug-in posterior) forgets that noise was added, and its
intervals are too short. With a public noise law the dataset x is unknown but has a posterior of its own, and so
\[ p(\theta \mid z) = \sum_x p(x \mid z)\, \mathrm{Dir}(\theta; \alpha + x), \qquad
   p(x \mid z) \propto \Pr[x] \Pr[z \mid x] . \]
Each share \(\theta_i\) then is a mixture of Beta distributions.

* ``mixtures``: the posterior of a share as a mixture of Beta laws, and ``plug_in``, which ignores the noise.
* ``noisy_counts``: ``given_noise`` and ``given_releases``, at any number of records, with exact joint draws.
* ``root_means``: ``root_mean``, for two categories the density with the least expected squared Hellinger distance.
* ``share_tests``: tests of a share, and bounds and intervals that are right at every fixed share, with no prior.
* ``margins``: ``given_margins``, a table given overlapping margins of it, by Metropolis chains (``moves``).
* ``draws``: summaries of draws, and diagnostics of chains.
* ``forecast``: what posteriors will be like before there is a release.
* ``outputs``: ``given_output``, for any mechanism, by its law at all datasets, and the coverage of intervals.
"""

from .draws import Conclusion, concluded
from .margins import Margin, Sampled, given_margins
from .mixtures import Mixture, plug_in
from .outputs import Intervals, aware_intervals, coverage, coverage_at, given_output, plug_in_intervals
from .posteriors_given_noise import Joint, Noisy, given_noise, given_releases, within_work
from .root_means import root_mean
from .share_tests import guaranteed_interval, lower_bound, p_value, upper_bound

__all__ = [
    "Conclusion", "Intervals", "Joint", "Margin", "Mixture", "Noisy", "Sampled", "aware_intervals", "concluded",
    "coverage", "coverage_at", "given_margins", "given_noise", "given_output", "given_releases", "guaranteed_interval",
    "lower_bound", "p_value", "plug_in", "plug_in_intervals", "root_mean", "upper_bound", "within_work",
]  # fmt: skip
