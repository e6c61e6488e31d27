"""Sections 2 and 3 of the Hellinger paper: posteriors, the Laplace mechanism, and the Hellinger distance."""

import math

import numpy as np

from ...arithmetic import exp, integral, log, number, numbers, sqrt
from ...mechanisms import lsdim
from ...model import count_vectors, hellinger, log_density, marginal, neighbours, posterior
from ...model.datasets import row_number
from ...model.distances import log_beta
from ...privacy import audit
from .. import at_least, at_most, equal, grid, rows, statement
from .quantities import FLAT


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
def conjugacy(prior, counts, theta):
    r"""Both sides are log densities of the posterior at one \(\theta\): the library's, and prior times likelihood over
    evidence. The evidence is that of one sequence of records: ``marginal`` has the probability of the counts, which
    \(n! / \prod_i \Delta\alpha_i!\) equally likely sequences share.

    Proof: prior times likelihood is \(\prod_i \theta_i^{\alpha_i - 1 + \Delta\alpha_i} / B(\alpha)\), where
    \(\Delta\alpha\) are the counts. The evidence is the integral of this product, \(B(\alpha + \Delta\alpha)/B(\alpha)\).
    Their quotient is the density of \(\mathrm{DL}(\alpha + \Delta\alpha)\).
    """
    x = np.array([int(count) for count in counts])
    likelihood = math.prod((t**c for t, c in zip(theta, x.tolist(), strict=True)), start=number(1))
    sequences = math.factorial(int(x.sum())) // math.prod(math.factorial(c) for c in x.tolist())
    evidence = marginal(prior, int(x.sum()))[row_number(x)] / sequences
    by_bayes = log_density(prior, theta).item() + log(likelihood / evidence)
    return log_density(posterior(prior, counts), theta).item(), equal(by_bayes)


@statement(
    "hellinger/3-sensitivity",
    "Section 3 and Section 4.1.3",
    says=r"$\Delta BI = \max_{x \sim x'} \lVert BI(x) - BI(x') \rVert_1 = 2$",
    cases=grid(n=[1, 5], k=[2, 3]),
)
def parameter_sensitivity(n, k):
    """Proof: a replaced record lowers one parameter by one and raises another by one: an L1 distance of 2."""
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
)
def laplace_private(prior, n, epsilon):
    r"""For two categories the mechanism is ``lsdim``. The L1 norm over both parameters counts the same change twice.

    Proof: it follows from what holds.

    Proof of what holds: noise of scale \(2/\varepsilon\) is added to \(\Delta\alpha\) alone, which one replaced record
    changes by at most 1, so the loss is at most \(\varepsilon/2\). Clipping, and the second parameter, which is a
    function of the first and n, are post-processing.
    """
    return audit(lsdim(epsilon), prior, n).epsilon, at_most(epsilon), at_most(epsilon / 2)


@statement(
    "hellinger/3-hellinger",
    "Section 3, Hellinger distance",
    says=r"$\mathcal H(\beta_1, \beta_2) = \sqrt{1 - \frac{B(\frac{\alpha_1+\alpha_2}{2}, \frac{\beta_1+\beta_2}{2})}{\sqrt{B(\alpha_1, \beta_1) B(\alpha_2, \beta_2)}}}$",
    given=lambda a, b: tuple(a) != tuple(b) and all((s + t) / 2 == int((s + t) / 2) for s, t in zip(a, b, strict=True)),
    cases=rows(
        "a b", ((2, 4), (4, 2)), ((1, 1), (3, 5)), ((2.5, 6), (3.5, 2)), ((30, 70), (50, 50)), ((30, 70), (50, 52))
    ),
)
def hellinger_distance(a, b):
    r"""The printed formula, which the library evaluates, is compared with the integral in the definition of the
    distance, \(\mathcal H^2 = 1 - \int \sqrt{fg}\) for densities f and g. In the cases the averages of the parameters
    are whole, so that the integrand is a polynomial, which balls can integrate up to the ends.

    Proof: in \(\sqrt{fg}\) the exponents of \(\theta\) and \(1 - \theta\) are averaged, and the constants are
    \(1 / \sqrt{B(\alpha_1, \beta_1) B(\alpha_2, \beta_2)}\); the integral of the powers is the numerator.
    """
    p, q = (int((s + t) / 2) - 1 for s, t in zip(a, b, strict=True))
    scale = exp(-(log_beta(numbers(a)) + log_beta(numbers(b))) / 2)
    # the scale is inside, because the integral has an absolute tolerance, and with the scale it is at most 1
    affinity = integral(lambda theta: scale * theta**p * (1 - theta) ** q, 0, 1)
    return hellinger(a, b), equal(sqrt(1 - affinity))


@statement(
    "hellinger/3-total-variation",
    "Section 3, total variation",
    says=r"$\mathcal H$ bounds the total variation distance: $TV \le \mathcal H \sqrt{2 - \mathcal H^2}$, that is $\mathcal H \ge \sqrt{1 - \sqrt{1 - TV^2}}$",
    reading="the paper does not print the bound; it is read as that of Cauchy and Schwarz",
    given=lambda a, b: tuple(a) != tuple(b) and sum(a) == sum(b) and all(s == int(s) for s in (*a, *b)),
    accuracy=1e-7,  # near TV = 1 the roots lose half of the digits
    cases=rows("a b", ((2, 1), (1, 2)), ((30, 71), (31, 70)), ((1, 6), (6, 1)), ((5, 5), (9, 1))),
)
def total_variation_bound(a, b):
    r"""The total variation distance \(TV = \int (f - g)_+\) is, as the paper says, the largest advantage of a test
    between the densities f and g. Let f and g be beta densities with parameters a and b of equal totals. Their ratio is
    \((\theta/(1-\theta))^{a_1 - b_1}\) times a constant, which is monotone, so f exceeds g on one side of the point
    where they are equal, and TV is the difference of their masses on that side. Whole parameters make these masses
    integrals of polynomials.

    Proof: by the inequality of Cauchy and Schwarz, with \(\int (\sqrt f \mp \sqrt g)^2 = 2 \mp 2(1 - \mathcal H^2)\),
    \[ TV = \tfrac12 \int |\sqrt f - \sqrt g|\,(\sqrt f + \sqrt g) \le \tfrac12 \sqrt{2\mathcal H^2 \cdot (4 - 2 \mathcal H^2)} . \]
    So \(TV^2 \le 1 - (1 - \mathcal H^2)^2\), which is the second form.
    """
    odds = exp((log_beta(numbers(b)) - log_beta(numbers(a))) / (b[0] - a[0]))
    crossing = odds / (1 + odds)

    def mass_below(beta):
        p, q, constant = int(beta[0]) - 1, int(beta[1]) - 1, exp(-log_beta(numbers(beta)))
        return integral(lambda theta: constant * theta**p * (1 - theta) ** q, 0, crossing)

    variation = abs(mass_below(a) - mass_below(b))
    return hellinger(a, b), at_least(sqrt(1 - sqrt(1 - variation**2)))
