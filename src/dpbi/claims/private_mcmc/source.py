"""The thesis whose statements these are: "Differentially Private Markov Chain Monte Carlo"."""

from ..item import Source

THESIS = Source("raisa2020", "private-mcmc")
