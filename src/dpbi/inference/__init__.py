r"""Conclusions from a private release: the posterior of every share given the *noisy* counts.

Released counts are not the true data. The plug-in posterior treats the released counts as the data and ignores the
noise, so its intervals are too short. If the distribution of the noise is public, Bayes' rule also gives a posterior of
the unknown dataset x, and the posterior of the shares is
\[ p(\theta \mid z) = \sum_x p(x \mid z)\, \mathrm{Dir}(\theta; \alpha + x), \qquad
   p(x \mid z) \propto \Pr[x] \Pr[z \mid x] . \]
The posterior of each share \(\theta_i\) is then a mixture of Beta distributions.

* ``mixtures``: the posterior of a share as a mixture of Beta distributions, and ``plug_in``, which ignores the noise.
* ``posteriors_given_noise``: ``given_noise`` and ``given_releases`` for any number of records, with exact joint draws.
* ``root_means``: ``root_mean``, the density with the least expected squared Hellinger distance for two categories.
* ``share_tests``: tests, bounds and intervals for a share that need no prior and are valid whatever the share is.
* ``margins``: ``given_margins``, which draws tables given overlapping noisy margins, by Metropolis chains (``moves``).
* ``draws``: summaries of posterior draws, and diagnostics of chains.
* ``forecast``: expected widths, coverage and errors of posteriors, computed before a release.
* ``outputs``: ``given_output`` for any mechanism whose output distribution is known at every dataset, and the coverage
  of intervals.
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
