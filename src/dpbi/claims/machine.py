r"""What a machine has checked: the statements of ``proofs/`` that the claims rest on, and what each leaves to a reader.

A statement is named by its file, without the ending, and its theorem. ``assumed`` says what the theorem takes for granted
that the claim does not: where it says nothing, the theorem is the claim. A claim may have several statements.
"""

from typing import NamedTuple


class Statement(NamedTuple):
    """A theorem that Coq has checked, the claims that it proves or refutes, and what is still assumed."""

    file: str
    theorem: str
    title: str
    claims: tuple[str, ...] = ()
    assumed: str = ""

    @property
    def name(self) -> str:
        """The file and the theorem, as in ``optimum/domination.v:domination``."""
        return f"{self.file}.v:{self.theorem}"


LAW = "a mechanism is the distribution functions of its outputs"
CANDIDATES = "mechanisms release candidates"
FARTHEST = "j steps go no farther than \\(C j\\,LS(x)\\)"
METRIC = "H is a distance between 0 and 1, and S at least its value at neighbours"
SCORE = "the named sensitivity bounds the change of the score"
FINITE = "finitely many outputs"
POSITIVE = "finitely many outputs, all with positive probability"
PARAMETERS = "finitely many parameters with positive prior weights"
TWO = "two categories"
SHIFT = "the normaliser is one positive number for all datasets"
STATES = "finitely many states, all with positive probability"
NOISE = f"{STATES}; the density of the noise is a multiple of \\(e^{{-z^2/2}}\\) with total mass at most one"

STATEMENTS = (
    # The best there is
    Statement("optimum/domination", "domination", "Domination, by thresholds", ("beyond/2-domination",), LAW),
    Statement("optimum/unclamped", "domination_unclamped", "Domination, by the mechanism on all integers"),
    Statement("optimum/losses", "domination_losses", "Domination, for losses and finitely many outputs"),
    Statement("optimum/losses", "best_mean", "The least mean loss, if a number is released"),
    Statement("optimum/losses", "best_summary", "The least of every summary of losses, if a number is released"),
    Statement("optimum/real_losses", "domination_real_losses", "Domination, for losses and real outputs"),
    Statement(
        "accuracy/beta_error", "least_mean_error", "The least mean error", ("beyond/3-least-mean-error",), CANDIDATES
    ),
    Statement(
        "accuracy/beta_error", "least_worst_error", "The least worst error", ("beyond/4-least-worst-error",), CANDIDATES
    ),
    Statement("optimum/free_publication", "geometric_best", "Geometric noise is best where cuts can be exchanged"),
    Statement("optimum/affinities", "most_exchange", "Cuts can be exchanged for affinities"),
    Statement(
        "optimum/root_mean", "root_means_best", "The least squared Hellinger distance, whatever law is published"
    ),
    Statement(
        "optimum/root_mean_beta",
        "root_means_best_beta",
        "The least squared Hellinger distance from Beta posteriors, whatever density is published",
    ),
    Statement("optimum/negentropy", "negentropy_exchange", "Cuts can be exchanged for negative entropies"),
    Statement("optimum/mixture", "mixtures_best", "The least Kullback-Leibler divergence, whatever law is published"),
    Statement(
        "optimum/mixture",
        "exact_posterior_best",
        "Geometric noise and the exact posterior have the least Kullback-Leibler divergence",
    ),
    Statement("optimum/decisions", "best_decisions", "The best decisions from private counts"),
    # Posteriors and their distance
    Statement("model/gamma", "ln_gamma_unique", "The Gamma function is the only one"),
    Statement("model/gamma", "ln_gamma_strictly_convex", "The Gamma function is strictly log-convex"),
    Statement("model/beta_integral", "beta_gamma", "Euler's integral is the Beta function"),
    Statement("model/beta_integral", "hellinger_integral", "The Hellinger distance of two Beta laws"),
    Statement("model/beta_integral", "unimodal", "The error is unimodal", ("beyond/1-unimodal",)),
    Statement("model/beta_integral", "reach", "What is nearer than t is an interval"),
    Statement("model/beta_growth", "distance_grows", "How far j records move a posterior, at least"),
    # Mechanisms
    Statement("mechanisms/geometric", "geometric_private", "The clamped geometric mechanism is private"),
    Statement("mechanisms/geometric", "geometric_tight", "And for no smaller epsilon"),
    Statement("mechanisms/floored_laplace", "floored_laplace", "Floored Laplace noise", ("beyond/6-a-coin",)),
    Statement(
        "mechanisms/floored_laplace",
        "floored_laplace_private",
        "Floored Laplace noise is private",
        ("notes/3.1-lshist", "hellinger/3-laplace", "hellinger/3-laplace-sharp"),
        TWO,
    ),
    Statement("mechanisms/lattice", "lattice_private", "Lattice noise is private", ("beyond/8-lattice-noise",), SHIFT),
    Statement("mechanisms/lattice", "lattice_tight", "And for no smaller epsilon", ("beyond/8-lattice-noise",), SHIFT),
    Statement(
        "mechanisms/exponential",
        "exponential_private",
        "The exponential mechanism is private",
        ("notes/3.1-ehd", "notes/3.1-ehd-corrected", "hellinger/4.1.1"),
        SCORE,
    ),
    Statement("mechanisms/exponential", "exponential_metric_private", "With a metric for the score"),
    Statement("mechanisms/exponential", "below_two_epsilon", "EHDL stays below two epsilon"),
    Statement(
        "mechanisms/exponential",
        "at_the_edge",
        "EHDL with two categories",
        ("hellinger/4.1.2-two-categories",),
        f'{METRIC}; where \\(1/LS > 1 + \\gamma_0\\) the range is no larger than at \\(1 + \\gamma_0\\); "at most" for "less than"',
    ),
    Statement(
        "mechanisms/exponential",
        "divisor_two_private",
        "A distance divided by 2 S",
        ("hellinger/4.1.2-corrected", "hellinger/lemma-4.3-corrected"),
        METRIC,
    ),
    Statement(
        "mechanisms/exponential",
        "divisor_one_private",
        "A distance divided by S",
        ("hellinger/5-privacy-corrected",),
        METRIC,
    ),
    Statement(
        "mechanisms/exponential",
        "divisor_four_private",
        "EHDS with the divisor 4 S",
        ("notes/3.1-ehds-corrected",),
        f"{METRIC}; reciprocals of S at neighbours differ by at most \\(\\kappa\\)",
    ),
    Statement(
        "mechanisms/exponential",
        "divisor_gamma_sharp",
        "EHDS with the divisor of gamma, what it loses",
        ("notes/3.1-ehds-gamma-sharp",),
        f"{METRIC}; reciprocals of S at neighbours differ by at most \\(\\kappa\\)",
    ),
    Statement(
        "mechanisms/smooth", "smoothed_private", "EHDS with the divisor of gamma", ("notes/3.1-ehds-gamma",), METRIC
    ),
    Statement(
        "mechanisms/smooth",
        "reciprocal_smooth",
        "Reciprocal smoothing",
        ("notes/smooth-sensitivity",),
        "the steps between datasets are a distance",
    ),
    Statement(
        "mechanisms/smooth",
        "exponential_smooth",
        "Exponential smoothing",
        ("hellinger/definition-4.1",),
        "the steps between datasets are a distance",
    ),
    # Accuracy
    Statement(
        "accuracy/beta_error",
        "theorem_4_5",
        "Theorem 4.5, corrected",
        (
            "notes/4.5-lshist-corrected",
            "notes/4.5-lshist-lower-corrected",
            "notes/4.5-lszhang-corrected",
            "notes/4.5-lszhang-lower-corrected",
            "notes/4.5-ehd-lower-corrected",
            "notes/4.5-ehd-upper-corrected",
            "notes/4.5-ehdl-lower-corrected",
            "notes/4.5-ehdl-upper-corrected",
        ),
    ),
    Statement(
        "accuracy/local_error",
        "ehdl_upper_steps",
        "EHDL, an upper bound by steps",
        ("notes/4.5-ehdl-upper-sharp",),
        f"{FARTHEST}, which is ``notes/4.3-order-corrected``",
    ),
    Statement(
        "accuracy/local_error",
        "ehdl_upper_balanced",
        "EHDL, balanced data",
        ("notes/4.5-ehdl-upper-balanced",),
        f"{FARTHEST} with C = 1 in balanced data",
    ),
    Statement(
        "accuracy/local_error",
        "ehdl_lower_steps",
        "EHDL, a lower bound by steps",
        ("notes/4.5-ehdl-lower-sharp",),
        f"{FARTHEST}, which is ``notes/4.3-order-corrected``",
    ),
    Statement("accuracy/exponential_error", "ehd_upper_all", "EHD and EHDL, the sharper upper bound"),
    Statement(
        "accuracy/exponential_error",
        "ehdl_upper_printed",
        "EHDL, the upper bound as printed",
        ("notes/4.5-ehdl-upper",),
        "the distance is below 1, and what is nearer than t an interval",
    ),
    Statement(
        "accuracy/lshist",
        "lshist_printed",
        "LSHist, as printed",
        ("notes/4.5-lshist",),
        "the equation of ``notes/4.5-lshist-corrected``",
    ),
    Statement(
        "accuracy/lshist",
        "lshist_lower_corrected",
        "LSHist, the lower bound",
        ("notes/4.5-lshist-lower",),
        "the equation of ``notes/4.5-lshist-corrected``",
    ),
    Statement("accuracy/constants", "ehd_proof_refuted", "A step of the proof, refuted", ("notes/4.5-ehd-proof",)),
    Statement(
        "accuracy/corollaries",
        "ahead_corrected",
        "LSHist ahead of EHD, by the first upper bound",
    ),
    Statement(
        "accuracy/corollaries",
        "ahead_of",
        "LSHist ahead of EHD",
        ("notes/4.5.1-corrected", "notes/4.5.3-corrected"),
        "Theorem 4.5, corrected",
    ),
    Statement("accuracy/corollaries", "ahead_sharp", "LSHist ahead of EHD, sharper"),
    Statement(
        "accuracy/corollaries",
        "behind_corrected",
        "LSHist behind EHD",
        ("notes/4.5.2-corrected",),
        "Theorem 4.5, corrected",
    ),
    Statement(
        "accuracy/corollaries",
        "good_ahead_printed",
        "LSHist ahead of EHD in good answers",
        ("notes/4.5.3",),
        "Theorem 4.5, corrected; at most three candidates are good, as they are for prior weights of at least 1",
    ),
    # Guarantees
    Statement(
        "guarantees/composition",
        "close_iff_excess",
        "The largest excess of an event",
        ("private-mcmc/def-1", "posterior-sampling/definition-1"),
        FINITE,
    ),
    Statement("guarantees/composition", "post_processing_excess", "Post-processing", ("private-mcmc/thm-2",), FINITE),
    Statement("guarantees/composition", "composition", "Composition", ("private-mcmc/thm-1.1",), FINITE),
    Statement(
        "guarantees/composition",
        "composition_of_many",
        "Composition of k steps",
        ("private-mcmc/thm-1-induction",),
        FINITE,
    ),
    Statement("guarantees/composition", "group", "Groups", ("posterior-sampling/remark-3-corrected",), FINITE),
    Statement("guarantees/concentrated", "zcdp_of_range", "Concentrated privacy of a bounded range"),
    Statement("guarantees/concentrated", "zcdp_of_private", "Concentrated privacy of pure privacy, to a half"),
    Statement(
        "guarantees/renyi_bounds",
        "zcdp_of_private_sharp",
        "Concentrated privacy of pure privacy",
        ("private-mcmc/def-4-zcdp",),
        POSITIVE,
    ),
    Statement(
        "guarantees/renyi_bounds",
        "renyi_post_processing",
        "Processing and Rényi divergences",
        ("private-mcmc/thm-2-renyi",),
        POSITIVE,
    ),
    Statement(
        "guarantees/concentrated", "renyi_composition", "Rényi divergences add up", ("private-mcmc/thm-1.2",), POSITIVE
    ),
    Statement(
        "guarantees/concentrated",
        "zcdp_composition",
        "Concentrated privacy adds up",
        ("private-mcmc/thm-1.3",),
        POSITIVE,
    ),
    # Posterior sampling
    Statement(
        "posterior_sampling/variation",
        "posterior_variation",
        "Total variation",
        ("posterior-sampling/theorem-8.1-variation",),
        "finitely many parameters",
    ),
    Statement(
        "posterior_sampling/variation",
        "posterior_variation_range",
        "Total variation from a range",
    ),
    Statement(
        "posterior_sampling/divergences",
        "lipschitz_factor",
        "One draw",
        ("posterior-sampling/theorem-8.1", "posterior-sampling/corollary-10.1"),
        PARAMETERS,
    ),
    Statement(
        "posterior_sampling/divergences",
        "lipschitz_draws_factor",
        "N draws",
        ("posterior-sampling/corollary-10.1-corrected", "posterior-sampling/claim-1a"),
        PARAMETERS,
    ),
    Statement(
        "posterior_sampling/divergences",
        "lipschitz_divergence",
        "The divergence",
        ("posterior-sampling/theorem-7.1",),
        PARAMETERS,
    ),
    Statement("posterior_sampling/divergences", "lipschitz_divergence_squared", "The divergence, squared"),
    Statement(
        "posterior_sampling/divergences",
        "lipschitz_draws_concentrated",
        "N draws are concentrated",
        ("posterior-sampling/corollary-10.1-concentrated",),
        PARAMETERS,
    ),
    Statement(
        "posterior_sampling/divergences",
        "posterior_draws_factor",
        "N draws, from a range",
        ("posterior-sampling/ours-cost",),
        PARAMETERS,
    ),
    Statement(
        "posterior_sampling/divergences",
        "posterior_draws_concentrated",
        "N draws are concentrated, from a range",
    ),
    Statement(
        "posterior_sampling/divergences",
        "posterior_jeffreys",
        "Both divergences, from a mean Lipschitz constant",
        ("posterior-sampling/theorem-7.2-sharp",),
        f"{PARAMETERS}; the mean constant is at most \\(L_0 + c^{{-1}}\\)",
    ),
    Statement(
        "posterior_sampling/divergences",
        "posterior_variation_mean",
        "Total variation, from a mean Lipschitz constant",
        ("posterior-sampling/theorem-8.2-corrected",),
        f"{PARAMETERS}; the mean constant is at most \\(L_0 + c^{{-1}}\\)",
    ),
    Statement("posterior_sampling/networks", "network_lipschitz_printed", "Lemma 24", ("posterior-sampling/lemma-24",)),
    Statement(
        "posterior_sampling/networks", "network_lipschitz", "Lemma 24, sharper", ("posterior-sampling/lemma-24-sharp",)
    ),
    Statement(
        "posterior_sampling/networks",
        "network_row_private",
        "Lemma 24, a row replaced, by factors",
        ("posterior-sampling/lemma-24-factors",),
        PARAMETERS,
    ),
    Statement(
        "posterior_sampling/networks",
        "network_any_row_private",
        "Lemma 24, a row replaced",
        ("posterior-sampling/lemma-24-classical-corrected",),
        PARAMETERS,
    ),
    # Private MCMC
    Statement(
        "mcmc/invariance",
        "metropolis_hastings_invariant",
        "Metropolis-Hastings",
        ("private-mcmc/2.2-metropolis", "private-mcmc/algorithm-1-corrected"),
        STATES,
    ),
    Statement("mcmc/invariance", "barker_invariant", "Barker's test"),
    Statement("mcmc/invariance", "mixture_invariant", "Mixtures of chains", ("private-mcmc/4-components",), STATES),
    Statement(
        "mcmc/invariance",
        "penalty_acceptance",
        "The correction of the penalty test",
        ("private-mcmc/3-acceptance",),
        NOISE,
    ),
    Statement("mcmc/invariance", "penalty_invariant", "The penalty test", ("private-mcmc/3-penalty",), NOISE),
    Statement(
        "mcmc/invariance",
        "gauss_bernoulli_acceptance",
        "The correction of the Gauss-Bernoulli test",
        ("private-mcmc/5-acceptance",),
        NOISE,
    ),
    Statement(
        "mcmc/invariance",
        "gauss_bernoulli_invariant",
        "The Gauss-Bernoulli test",
        ("private-mcmc/5-invariance",),
        NOISE,
    ),
    Statement(
        "mcmc/invariance",
        "gauss_bernoulli_below_penalty",
        "The penalty test accepts more",
        ("private-mcmc/5-peskun",),
        NOISE,
    ),
    # The budget
    Statement("publish/budget", "never_over_the_limit", "Never over the limit"),
    Statement("publish/budget", "refused_only_if_too_much", "Refused only if it does not fit"),
    Statement("publish/budget", "draws_private_with_the_limit", "All draws are private with the limit"),
)
"""The headline statements, in the order of the questions; those without claims are steps or say more than a claim."""


def statements_of(identity: str) -> tuple[Statement, ...]:
    """The statements that a machine has checked for a claim, by its id."""
    return tuple(statement for statement in STATEMENTS if identity in statement.claims)
