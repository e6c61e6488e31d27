"""Misprints of the thesis."""

from .. import Erratum

ERRATA = (
    Erratum(
        "Section 2.2",
        'the posterior is "a probability distribution describing the likelihood of different values of the parameters"',
        r"it gives probabilities of parameters; the likelihood is $p(D \mid \theta)$ as a function of $\theta$, which is no distribution",
    ),
    Erratum(
        "Section 2.2, independence",
        r"$p(\theta \mid D) = \prod_{j=1}^{k} p(\theta \mid D_j)$",
        "the product runs over the n rows; k is the number of iterations of Algorithm 1, and the next display has n",
    ),
)
"""Place, printed, right; what the second formula says of posteriors is ``private-mcmc/2.2-product``."""
