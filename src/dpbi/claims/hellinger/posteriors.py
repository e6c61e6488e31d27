"""Sections 2 and 3: posteriors, the Laplace mechanism, and the Hellinger distance."""

import math
from typing import Any

import numpy as np

from ...arithmetic import exp, integral, log, number, numbers, sqrt
from ...mechanisms import lsdim
from ...model import count_vectors, hellinger, log_density, marginal, neighbours, posterior
from ...model.datasets import row_number
from ...model.distances import log_beta
from ...privacy import audit
from ..statements import at_least, at_most, equal, grid, rows, statement
from .quantities import FLAT

PAGE = "hellinger/smoothed_mechanism"


@statement(
    "hellinger/2-posterior",
    "Section 2, posterior",
    says=r"$\Pr(\theta \mid x) = \mathrm{DL}(\alpha + \Delta\alpha)$, where $\Pr(x \mid \theta) = \prod_i \theta_i^{\Delta\alpha_i}$",
    cases=rows(
        "prior counts theta",
        ((0.5, 2.5), (0, 4), (0.9, 0.1)),
        ((1, 0.2, 3), (2, 1, 0), (0.2, 0.3, 0.5)),
    ),
)
def conjugacy(prior: Any, counts: Any, theta: Any) -> Any:
    r"""The two sides are log densities at one point. The library sums the probability of the counts from predictive
    probabilities, so it is that of all \(\binom{n}{\Delta\alpha}\) sequences with these counts.

    Proof: prior times likelihood is \(\prod \theta_i^{\alpha_i - 1 + \Delta\alpha_i} / B(\alpha)\), where
    \(\Delta\alpha\) are the counts. The evidence is the integral of this product, \(B(\alpha + \Delta\alpha)/B(\alpha)\).
    """
    x = np.array([int(count) for count in counts])
    likelihood = math.prod((t**c for t, c in zip(theta, x.tolist(), strict=True)), start=number(1))
    sequences = math.factorial(int(x.sum())) // math.prod(math.factorial(c) for c in x.tolist())
    evidence = marginal(prior, int(x.sum()))[row_number(x)] / sequences
    by_hand = log_density(prior, theta).item() + log(likelihood / evidence)
    return log_density(posterior(prior, counts), theta).item(), equal(by_hand)


@statement(
    "hellinger/3-sensitivity",
    "Section 3 and Section 4.1.3",
    says=r"$\Delta BI = \max_{x \sim x'} \lVert BI(x) - BI(x') \rVert_1 = 2$",
    cases=grid(n=[1, 5], k=[2, 3]),
    page="notes/privacy_of_the_mechanisms",
)
def parameter_sensitivity(n: Any, k: Any) -> Any:
    """Proof: a replaced record makes one parameter smaller by one and another larger by one."""
    changes = [int(np.abs(neighbours(x) - x).sum(axis=1).max()) for x in count_vectors(int(n), int(k))]
    return number(max(changes)), equal(number(2))


@statement(
    "hellinger/3-laplace",
    "Section 3 and Section 4.1.3",
    says=r"$\mathrm{beta}(\alpha + \lfloor\tilde{\Delta\alpha}\rfloor_0^n, \beta + n - \lfloor\tilde{\Delta\alpha}\rfloor_0^n)$ with $\tilde{\Delta\alpha} \sim \mathrm{Lap}(\Delta\alpha, 2/\varepsilon)$ is $\varepsilon$-differentially private",
    holds=r"the Laplace mechanism of scale $2/\varepsilon$ loses at most $\varepsilon/2$",
    why="sharper: half of the budget is unused",
    given=lambda prior: len(prior) == 2,
    cases=grid(prior=[FLAT], n=[1, 2, 20], epsilon=[0.1, 0.8]),
    page="notes/privacy_of_the_mechanisms",
)
def laplace_private(prior: Any, n: Any, epsilon: Any) -> Any:
    r"""The norm of Section 3 counts the same change twice.

    Proof: it follows from what holds.

    Proof of what holds: noise is added to one number, which changes by 1. The second parameter is computed from the
    first, so it costs nothing.
    """
    return audit(lsdim(epsilon), prior, n).epsilon, at_most(epsilon), at_most(epsilon / 2)


@statement(
    "hellinger/3-hellinger",
    "Section 3, Hellinger distance",
    says=r"$\mathcal H(\beta_1, \beta_2) = \sqrt{1 - \frac{B(\frac{\alpha_1+\alpha_2}{2}, \frac{\beta_1+\beta_2}{2})}{\sqrt{B(\alpha_1, \beta_1) B(\alpha_2, \beta_2)}}}$",
    given=lambda a, b: tuple(a) != tuple(b) and all(int(s + t) % 2 == 0 for s, t in zip(a, b, strict=True)),
    cases=rows(
        "a b", ((2, 4), (4, 2)), ((1, 1), (3, 5)), ((2.5, 6), (3.5, 2)), ((30, 70), (50, 50)), ((30, 70), (50, 52))
    ),
)
def hellinger_distance(a: Any, b: Any) -> Any:
    r"""In the cases the averages of the parameters are whole, so that the integral is computed as one of a polynomial.

    Proof: under the integral of \(\sqrt{fg}\), where f and g are the two densities, the exponents are averaged.
    """
    p, q = (int((s + t) / 2) - 1 for s, t in zip(a, b, strict=True))
    scale = exp(-(log_beta(numbers(a)) + log_beta(numbers(b))) / 2)  # inside the integral, which then is at most 1
    affinity = integral(lambda theta: scale * theta**p * (1 - theta) ** q, 0, 1)
    return hellinger(a, b), equal(sqrt(1 - affinity))


@statement(
    "hellinger/3-total-variation",
    "Section 3, total variation",
    says=r"$\mathcal H$ bounds the total variation distance: $TV \le \mathcal H \sqrt{2 - \mathcal H^2}$, that is $\mathcal H \ge \sqrt{1 - \sqrt{1 - TV^2}}$",
    reading="the paper does not print the bound; it is read as that of Cauchy and Schwarz",
    given=lambda a, b: tuple(a) != tuple(b) and sum(a) == sum(b),
    accuracy=1e-7,  # near TV = 1 the roots lose half of the digits
    cases=rows("a b", ((2, 1), (1, 2)), ((30, 71), (31, 70)), ((1, 6), (6, 1)), ((5, 5), (9, 1))),
)
def total_variation_bound(a: Any, b: Any) -> Any:
    r"""As the sentence of the paper says, the total variation distance is the advantage of the best test between two
    distributions. For beta densities f and g of one total it is \(\int (f - g)_+\), and f exceeds g on one side of the
    point where they are equal: their ratio is \((\theta/(1-\theta))^{a_1 - b_1}\) times a constant.

    Proof: by the inequality of Cauchy and Schwarz
    \[ TV = \tfrac12 \int |\sqrt f - \sqrt g|\,(\sqrt f + \sqrt g) \le \tfrac12 \sqrt{2\mathcal H^2 \cdot (4 - 2 \mathcal H^2)} . \]
    """
    odds = exp((log_beta(numbers(b)) - log_beta(numbers(a))) / (b[0] - a[0]))
    crossing = odds / (1 + odds)

    def below_crossing(shape: Any) -> Any:
        p, q, constant = int(shape[0]) - 1, int(shape[1]) - 1, exp(-log_beta(numbers(shape)))
        return integral(lambda theta: constant * theta**p * (1 - theta) ** q, 0, crossing)

    variation = abs(below_crossing(a) - below_crossing(b))
    return hellinger(a, b), at_least(sqrt(1 - sqrt(1 - variation**2)))
