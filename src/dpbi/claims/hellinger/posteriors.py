"""Sections 2 and 3: posteriors, the Laplace mechanism, and the Hellinger distance."""

import math
from typing import Any

import numpy as np

from ...arithmetic import exp, integral, lgamma, log, number, sqrt
from ...mechanisms import lsdim
from ...model import count_vectors, hellinger, log_density, marginal, neighbours, posterior
from ...model.datasets import row_number
from ...privacy import audit
from ..claim import REFUTED, grid
from ..premises import Reals, Shapes, Weights, Wholes, premises
from .source import FLAT, MODEL, PAPER, SMOOTHED

_SHAPES = grid(alpha=[1, 2], beta=[1, 5])
_PRINTED_FORMULA = "the integral of a formula, without any function of the library"


def _beta_mass(alpha: Any, beta: Any, less: int) -> Any:
    p, q = int(alpha) - less, int(beta) - less
    area = integral(lambda theta: theta**p * (1 - theta) ** q, 0, 1)
    return area * exp(lgamma(alpha + beta) - lgamma(alpha) - lgamma(beta))


@PAPER.item("2-beta-density", "Section 2, beta density", cases=_SHAPES, apart=_PRINTED_FORMULA, page=SMOOTHED)
def mass_as_printed(alpha: Any, beta: Any) -> Any:
    """The integral of the density as it is printed."""
    return _beta_mass(alpha, beta, 0)


@mass_as_printed.said(
    r"\Pr(\theta) = \frac{\theta^\alpha (1-\theta)^\beta}{B(\alpha, \beta)} \text{ is a density: } \int_0^1 \Pr(\theta)\, d\theta = 1",
    expected=REFUTED,
    erratum=True,
)
def beta_density(alpha: Any, beta: Any) -> Any:
    r"""This is a misprint. The integral is \(B(\alpha+1, \beta+1)/B(\alpha, \beta)\), which is 1/6 for beta(1, 1)."""
    return number(1)


@PAPER.item("2-beta-density-corrected", "Section 2, beta density", cases=_SHAPES, apart=_PRINTED_FORMULA, page=SMOOTHED)
def mass_as_meant(alpha: Any, beta: Any) -> Any:
    """The integral with the exponents of a beta distribution."""
    return _beta_mass(alpha, beta, 1)


@mass_as_meant.said(
    r"\int_0^1 \frac{\theta^{\alpha-1} (1-\theta)^{\beta-1}}{B(\alpha, \beta)}\, d\theta = 1",
    corrects="hellinger/2-beta-density",
    origin="ours",
    proof=True,
)
def beta_density_corrected(alpha: Any, beta: Any) -> Any:
    """This is the definition of the beta function."""
    return number(1)


@PAPER.item(
    "2-posterior",
    "Section 2, posterior",
    cases=[
        {"prior": (1, 1), "counts": (2, 3), "theta": (0.3, 0.7)},
        {"prior": (0.5, 2.5), "counts": (0, 4), "theta": (0.9, 0.1)},
        {"prior": (1, 0.2, 3), "counts": (2, 1, 0), "theta": (0.2, 0.3, 0.5)},
    ],
    calls=(posterior, log_density, marginal),
    page=SMOOTHED,
)
def posterior_density(prior: Any, counts: Any, theta: Any) -> Any:
    """The log density of the posterior at one point."""
    return log_density(posterior(prior, counts), theta).item()


@posterior_density.said(
    r"\Pr(\theta | x) = \mathrm{DL}(\alpha + \Delta\alpha), \quad \Pr(x | \theta) = \prod_i \theta_i^{\Delta\alpha_i}",
    proof=True,
)
def conjugacy(prior: Any, counts: Any, theta: Any) -> Any:
    r"""Prior times likelihood is \(\prod \theta_i^{\alpha_i - 1 + \Delta\alpha_i} / B(\alpha)\), where
    \(\Delta\alpha\) are the counts. The evidence is the integral of this product, \(B(\alpha +
    \Delta\alpha)/B(\alpha)\). The two sides are log densities at one point. The library sums the probability of the
    counts from predictive probabilities, so it is that of all \(\binom{n}{\Delta\alpha}\) sequences with these counts.
    """
    x = np.array([int(count) for count in counts])
    likelihood = math.prod((t**c for t, c in zip(theta, x.tolist(), strict=True)), start=number(1))
    sequences = math.factorial(int(x.sum())) // math.prod(math.factorial(c) for c in x.tolist())
    evidence = marginal(prior, int(x.sum()))[row_number(x)] / sequences
    return log_density(prior, theta).item() + log(likelihood / evidence)


@PAPER.item(
    "3-sensitivity",
    "Section 3 and Section 4.1.3",
    cases=[{"n": 1, "k": 2}, {"n": 5, "k": 2}, {"n": 3, "k": 3}],
    calls=(count_vectors, neighbours),
    page=MODEL,
)
def largest_change(n: Any, k: Any) -> Any:
    """The largest sum of changes of all parameters between neighbours."""
    return number(max(int(np.abs(neighbours(x) - x).sum(axis=1).max()) for x in count_vectors(int(n), int(k))))


@largest_change.said(
    r"\Delta BI = \max_{x \sim x'} \|BI(x) - BI(x')\|_1 = 2",
    premises=premises(n=Wholes(1, 12), k=Wholes(2, 4)),
    proof=True,
)
def parameter_sensitivity(n: Any, k: Any) -> Any:
    """A replaced record makes one parameter smaller by one and another larger by one."""
    return number(2)


LOSSES_OF_TWO = premises(prior=Weights(), n=Wholes(1, 30), epsilon=Reals(above=0))


@PAPER.item(
    "3-laplace",
    "Section 3 and Section 4.1.3",
    relation="<=",
    cases=grid(prior=[FLAT], n=[1, 2, 20], epsilon=[0.1, 0.8]),
    calls=(lsdim, audit),
    page=MODEL,
)
def laplace_loss(prior: Any, n: Any, epsilon: Any) -> Any:
    r"""The worst loss of the Laplace mechanism of scale \(2/\varepsilon\)."""
    return audit(lsdim(epsilon), prior, n).epsilon


@laplace_loss.said(
    r"\mathrm{beta}(\alpha + \lfloor\tilde{\Delta\alpha}\rfloor_0^n, \beta + n - \lfloor\tilde{\Delta\alpha}\rfloor_0^n),\ \tilde{\Delta\alpha} \sim \mathrm{Lap}(\Delta\alpha, 2/\varepsilon), \text{ is } \varepsilon\text{-differentially private}",
    proof=True,
    premises=LOSSES_OF_TWO,
)
def laplace_private(prior: Any, n: Any, epsilon: Any) -> Any:
    """The claim is true, but half of the budget is unused: ``hellinger/3-laplace-sharp``."""
    return epsilon


@laplace_loss.instead(
    r"\text{the Laplace mechanism of scale } 2/\varepsilon \text{ loses at most } \varepsilon/2",
    suffix="sharp",
    tight={"prior": FLAT, "n": 20, "epsilon": 0.8},
    proof=True,
    premises=LOSSES_OF_TWO,
)
def laplace_sharp(prior: Any, n: Any, epsilon: Any) -> Any:
    """Noise is added to one number, which changes by 1. The second parameter is computed from the first, so it costs
    nothing. The norm of Section 3 counts the same change twice.
    """
    return epsilon / 2


@PAPER.item(
    "3-hellinger",
    "Section 3, Hellinger distance",
    cases=[
        {"a": (2, 4), "b": (4, 2)},
        {"a": (1, 1), "b": (3, 5)},
        {"a": (2.5, 6), "b": (3.5, 2)},
        {"a": (9, 3), "b": (1, 11)},
        {"a": (30, 70), "b": (50, 50)},
        {"a": (30, 70), "b": (50, 52)},
    ],
    calls=hellinger,
    page=SMOOTHED,
)
def distance_of_two(a: Any, b: Any) -> Any:
    """The Hellinger distance between two beta distributions."""
    return hellinger(a, b)


@distance_of_two.said(
    r"\mathcal H(\beta_1, \beta_2) = \sqrt{1 - \frac{B(\frac{\alpha_1+\alpha_2}{2}, \frac{\beta_1+\beta_2}{2})}{\sqrt{B(\alpha_1, \beta_1) B(\alpha_2, \beta_2)}}}",
    proof=True,
    premises=premises(
        r"the exponents of the integral are whole, and the distributions differ",
        lambda a, b: tuple(a) != tuple(b) and all(int(s + t) % 2 == 0 for s, t in zip(a, b, strict=True)),
        a=Shapes(most=60, categories=2),
        b=Shapes(most=60, categories=2),
    ),
)
def hellinger_distance(a: Any, b: Any) -> Any:
    r"""Under the integral of \(\sqrt{fg}\), where f and g are the two densities, the exponents are averaged:
    ``notes/hellinger``. In the cases the averages are whole numbers, and the integral is computed as one.
    """
    p, q = (int((s + t) / 2) - 1 for s, t in zip(a, b, strict=True))
    log_betas = sum(lgamma(z) for z in (*a, *b)) - lgamma(sum(a)) - lgamma(sum(b))
    scale = exp(-log_betas / 2)  # inside the integral, which then lies between 0 and 1
    return sqrt(1 - integral(lambda theta: scale * theta**p * (1 - theta) ** q, 0, 1))


@PAPER.item(
    "3-total-variation",
    "Section 3, total variation",
    relation=">=",
    cases=[
        {"a": (2, 1), "b": (1, 2)},
        {"a": (4, 3), "b": (3, 4)},
        {"a": (30, 71), "b": (31, 70)},
        {"a": (1, 6), "b": (6, 1)},
        {"a": (5, 5), "b": (9, 1)},
    ],
    calls=hellinger,
    page=SMOOTHED,
)
def distance_of_beta(a: Any, b: Any) -> Any:
    """The Hellinger distance between two beta distributions of one total."""
    return hellinger(a, b)


def _total_variation(a: Any, b: Any) -> Any:
    r"""\(\int (f - g)_+\) for beta densities of one total: f exceeds g on one side of the point where they are equal.

    The ratio of the densities is \((\theta/(1-\theta))^{b_1 - a_1}\) times a constant, so there is one such point.
    """
    logs = [lgamma(sum(p)) - lgamma(p[0]) - lgamma(p[1]) for p in (a, b)]
    odds = exp((logs[0] - logs[1]) / (b[0] - a[0]))
    crossing = odds / (1 + odds)

    def mass(shape: Any, constant: Any) -> Any:
        p, q = int(shape[0]) - 1, int(shape[1]) - 1
        return integral(lambda theta: exp(constant) * theta**p * (1 - theta) ** q, 0, crossing)

    return abs(mass(a, logs[0]) - mass(b, logs[1]))


@distance_of_beta.said(
    r"\mathcal H \text{ yields a bound on the total variation distance: } TV \le \mathcal H \sqrt{2 - \mathcal H^2}, \text{ that is } \mathcal H \ge \sqrt{1 - \sqrt{1 - TV^2}}",
    tight={"a": (1, 20), "b": (20, 1)},
    premises=premises(
        r"two distributions of one total",
        lambda a, b: tuple(a) != tuple(b) and sum(a) == sum(b),
        fix=lambda a, b: {"b": (b[0], sum(a) - b[0]) if b[0] < sum(a) else a},
        a=Shapes(most=40, categories=2),
        b=Shapes(most=40, categories=2),
    ),
    proof=True,
    origin="reading",
)
def total_variation_bound(a: Any, b: Any) -> Any:
    r"""The paper does not print the bound that it means. Let f and g be the two densities. By the inequality of Cauchy
    and Schwarz
    \[ TV = \tfrac12 \int |\sqrt f - \sqrt g|\,(\sqrt f + \sqrt g) \le \tfrac12 \sqrt{2\mathcal H^2 \cdot (4 - 2 \mathcal H^2)} . \]
    As the sentence of the paper says, the total variation distance is the advantage of the best test between two
    distributions.
    """
    return sqrt(1 - sqrt(1 - _total_variation(a, b) ** 2))
