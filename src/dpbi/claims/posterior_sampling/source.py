"""The source of these claims, and the pages of the book that show them."""

from ..item import Source

PAPER = Source("dimitrakakis2017", "posterior-sampling")

ASSUMPTIONS = "posterior_sampling/assumptions"
PRIVACY = "posterior_sampling/privacy_of_the_posterior"
ROBUSTNESS = "posterior_sampling/robustness"
RANDOM = "posterior_sampling/random_privacy"
ANSWERS = "posterior_sampling/sampling_and_answering"
ADVERSARY = "posterior_sampling/what_samples_reveal"
UTILITY = "posterior_sampling/utility_of_a_private_prior"
CONJUGATE = "posterior_sampling/conjugate_examples"
NETWORKS = "posterior_sampling/networks_and_chains"
