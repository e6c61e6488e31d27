"""Misprints of the thesis."""

from ..statement import Erratum

ERRATA = (
    Erratum(
        "Section 2.2",
        "the posterior is a probability distribution describing the likelihood of different values of the parameters",
        r"the likelihood is \(p(D \mid \theta)\) as a function of \(\theta\), and no distribution",
    ),
    Erratum(
        "Section 2.2, independence",
        r"\(p(\theta \mid D) = \prod_{j=1}^{k} p(\theta \mid D_j)\)",
        "the product runs over the n rows; k is the number of iterations of Algorithm 1",
    ),
)
