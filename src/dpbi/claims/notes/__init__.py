r"""The claims of the notes "Differentially Private Bayesian Inference", in both versions.

One version is dated March 12, 2020, the other has no date. The undated one adds LSZhang. It prints EHDL where the dated
one prints EHD in the last line of Theorem 4.5, and divides by \(2(1+\gamma)\) where the dated one divides by 4.

Throughout, neighbours differ in one replaced record, and n is fixed. The posterior of the counts x has the
concentrations \(a = \text{prior} + x\), and \(q = e^{-\varepsilon}\). With

\[ u(a) = \tfrac12\ln a + \ln\Gamma(a) - \ln\Gamma(a + \tfrac12), \qquad F(v) = \sqrt{1 - e^{-v}}, \qquad g = e^{-u}, \]

moving a record from j to i moves the posterior by \(F(u(a_i) + u(a_j - 1))\). The letter G stands for the printed
sensitivity \(\sqrt{1 - \pi/4}\).

In Section 4 there are two categories, and x counts the first. \(H_r\) is the distance from the posterior of x to that
of r. The printed k is the largest number of steps with a distance below t. It is read upwards, as printed: \(k = k_+\).
Downwards it may be another number, \(k_-\).
"""

from ..claim import Claim
from ..quantities import balanced
from . import corollaries, laplace_error, model, privacy, steps, theorem_4_5_exponential, theorem_4_5_noise
from .corollaries import (
    below_size,
    claimed_crossover,
    crossover,
    crossover_corrected,
    good_chain,
    good_first,
    good_order,
    good_set,
    good_set_corrected,
    good_size,
    proved_crossover,
    small_sizes,
    small_sizes_corrected,
)
from .laplace_error import (
    laplace_order,
    laplace_order_corrected,
    laplace_ratio,
    laplace_ratio_corrected,
    laplace_ratio_order,
    laplace_tail,
    laplace_tail_corrected,
)
from .model import (
    global_sensitivity,
    global_sensitivity_bound,
    global_sensitivity_corrected,
    hellinger_formula,
    local_sensitivity,
    reciprocal_concave,
    sensitivity_limit,
    sensitivity_limit_corrected,
    smooth_sensitivity,
)
from .privacy import (
    ehd_algorithm,
    ehd_corrected,
    ehd_private,
    ehds_corrected,
    ehds_gamma_private,
    ehds_gamma_sharp,
    ehds_private,
    lsdim_algorithm,
    lsdim_private,
    lsdim_sharp,
    lshist_private,
    lszhang_algorithm,
    lszhang_privacy,
    reciprocal_sensitivity,
)
from .source import NOTES, radius
from .steps import (
    error_in_binary_steps,
    error_in_steps,
    error_in_steps_corrected,
    exponent_corrected,
    exponent_order,
    laplace_absolute,
    laplace_interval,
    one_step,
    one_step_binary,
    one_step_corrected,
    one_step_order,
    one_step_sharp,
    steps_order,
    steps_order_corrected,
)
from .theorem_4_5_exponential import (
    ehd_local_lower,
    ehd_local_upper,
    ehd_lower,
    ehd_lower_corrected,
    ehd_proof,
    ehd_proof_lower,
    ehd_upper,
    ehd_upper_corrected,
    ehdl_lower,
    ehdl_lower_corrected,
    ehdl_lower_sharp,
    ehdl_upper,
    ehdl_upper_balanced,
    ehdl_upper_corrected,
    ehdl_upper_sharp,
)
from .theorem_4_5_noise import (
    lshist_corrected,
    lshist_equation,
    lshist_lower,
    lshist_lower_corrected,
    lszhang_corrected,
    lszhang_equation,
    lszhang_lower,
    lszhang_lower_corrected,
)

SECTIONS = (model, privacy, laplace_error, steps, theorem_4_5_noise, theorem_4_5_exponential, corollaries)
"""The modules of the claims, in the order of the text."""

CLAIMS: tuple[Claim, ...] = NOTES.in_order(*SECTIONS)
"""Every claim of the notes, in the order of the text."""

__all__ = [
    "CLAIMS",
    "SECTIONS",
    "balanced",
    "below_size",
    "claimed_crossover",
    "crossover",
    "crossover_corrected",
    "ehd_algorithm",
    "ehd_corrected",
    "ehd_local_lower",
    "ehd_local_upper",
    "ehd_lower",
    "ehd_lower_corrected",
    "ehd_private",
    "ehd_proof",
    "ehd_proof_lower",
    "ehd_upper",
    "ehd_upper_corrected",
    "ehdl_lower",
    "ehdl_lower_corrected",
    "ehdl_lower_sharp",
    "ehdl_upper",
    "ehdl_upper_balanced",
    "ehdl_upper_corrected",
    "ehdl_upper_sharp",
    "ehds_corrected",
    "ehds_gamma_private",
    "ehds_gamma_sharp",
    "ehds_private",
    "error_in_binary_steps",
    "error_in_steps",
    "error_in_steps_corrected",
    "exponent_corrected",
    "exponent_order",
    "global_sensitivity",
    "global_sensitivity_bound",
    "global_sensitivity_corrected",
    "good_chain",
    "good_first",
    "good_order",
    "good_set",
    "good_set_corrected",
    "good_size",
    "hellinger_formula",
    "laplace_absolute",
    "laplace_interval",
    "laplace_order",
    "laplace_order_corrected",
    "laplace_ratio",
    "laplace_ratio_corrected",
    "laplace_ratio_order",
    "laplace_tail",
    "laplace_tail_corrected",
    "local_sensitivity",
    "lsdim_algorithm",
    "lsdim_private",
    "lsdim_sharp",
    "lshist_corrected",
    "lshist_equation",
    "lshist_lower",
    "lshist_lower_corrected",
    "lshist_private",
    "lszhang_algorithm",
    "lszhang_corrected",
    "lszhang_equation",
    "lszhang_lower",
    "lszhang_lower_corrected",
    "lszhang_privacy",
    "one_step",
    "one_step_binary",
    "one_step_corrected",
    "one_step_order",
    "one_step_sharp",
    "proved_crossover",
    "radius",
    "reciprocal_concave",
    "reciprocal_sensitivity",
    "sensitivity_limit",
    "sensitivity_limit_corrected",
    "small_sizes",
    "small_sizes_corrected",
    "smooth_sensitivity",
    "steps_order",
    "steps_order_corrected",
]
