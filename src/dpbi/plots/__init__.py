"""The figures of the book, one function each: on the Axes given or on new ones, which are returned.

``look`` says how everything is drawn, ``shared`` holds the figures of several chapters, and every chapter of the book
has a file for its own. Nothing else in the library imports matplotlib.
"""

from .beyond import (
    coverage_by_share,
    coverages,
    errors_by_dataset,
    far_shares,
    growth,
    prices_of_privacy,
    ratios_to_the_optimum,
    times_by_row,
)
from .foundations import (
    errors,
    global_sensitivities,
    hockey_sticks,
    leaks,
    local_sensitivities,
    posteriors,
    score_changes,
    sensitivities,
)
from .hellinger import (
    distances_from_print,
    losses_of_variants,
    profiles_of_variants,
    scores_that_occur,
)
from .look import (
    STYLES,
    TRUTH,
    VARIANTS,
    Style,
    axes,
    panels,
    save,
    style,
)
from .notes import (
    bounds_over_truth,
    crossover_map,
    crossover_sizes,
    error_ratios,
    error_ratios_by_dataset,
    error_ratios_by_epsilon,
    fractional_steps,
    good_set_sizes,
    interval_constants,
    losses_by_size,
    losses_by_smoothing,
    losses_by_weight,
    probabilities_by_dataset,
    quantiles_in_steps,
    step_constants,
    steps_inside,
)
from .posterior_sampling import (
    lipschitz_masses,
)
from .private_mcmc import (
    ALGORITHMS,
    draws_and_chain,
    laws_on_grid,
    medians_by_epsilon,
)
from .shared import (
    exact_and_bounds,
    mean_errors_by,
    share_intervals,
)

__all__ = [
    "ALGORITHMS",
    "STYLES",
    "TRUTH",
    "VARIANTS",
    "Style",
    "axes",
    "bounds_over_truth",
    "coverage_by_share",
    "coverages",
    "crossover_map",
    "crossover_sizes",
    "distances_from_print",
    "draws_and_chain",
    "error_ratios",
    "error_ratios_by_dataset",
    "error_ratios_by_epsilon",
    "errors",
    "errors_by_dataset",
    "exact_and_bounds",
    "far_shares",
    "fractional_steps",
    "global_sensitivities",
    "good_set_sizes",
    "growth",
    "hockey_sticks",
    "interval_constants",
    "laws_on_grid",
    "leaks",
    "lipschitz_masses",
    "local_sensitivities",
    "losses_by_size",
    "losses_by_smoothing",
    "losses_by_weight",
    "losses_of_variants",
    "mean_errors_by",
    "medians_by_epsilon",
    "panels",
    "posteriors",
    "prices_of_privacy",
    "probabilities_by_dataset",
    "profiles_of_variants",
    "quantiles_in_steps",
    "ratios_to_the_optimum",
    "save",
    "score_changes",
    "scores_that_occur",
    "sensitivities",
    "share_intervals",
    "step_constants",
    "steps_inside",
    "style",
    "times_by_row",
]
