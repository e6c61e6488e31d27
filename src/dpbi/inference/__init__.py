r"""Conclusions from a private release: the posterior of every share given the *noisy* counts.

A released vector of counts is not the true data. The plug-in posterior treats it as data, ignores the added noise, and
has intervals that are too short. If the distribution of the noise is public, the unknown dataset x also has a
posterior, and therefore
\[ p(\theta \mid z) = \sum_x p(x \mid z)\, \mathrm{Dir}(\theta; \alpha + x), \qquad
   p(x \mid z) \propto \Pr[x] \Pr[z \mid x] . \]
The posterior of each share \(\theta_i\) is then a mixture of Beta distributions.

* ``mixtures``: the posterior of a share as a mixture of Beta distributions, and ``plug_in``, which ignores the noise.
* ``posteriors_given_noise``: ``given_noise`` and ``given_releases`` for any number of records, with exact joint draws.
* ``root_means``: ``root_mean``, the density with the least expected squared Hellinger distance for two categories.
* ``share_tests``: tests of a share, and bounds and intervals that are valid at every fixed share without a prior.
* ``margins``: ``given_margins``, which draws a table given overlapping noisy margins by Metropolis chains (``moves``).
* ``draws``: summaries of posterior draws, and diagnostics of chains.
* ``forecast``: expected widths, coverage and errors of posteriors, computed before a release.
* ``outputs``: ``given_output`` for any mechanism, from its output distribution at all datasets, and the coverage of
  intervals.
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
