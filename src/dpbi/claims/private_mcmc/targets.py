r"""What a chain is given: sums over rows however the rows are written, gradients, models, and distances of samples."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...arithmetic import exp, normal_cdf, number, numbers, sqrt
from ...checks import Floats
from ...guarantees import ApproxDP, uses_within
from ...mcmc.barker_rule import corrected_barker_acceptance, renyi_cost
from ...mcmc.experiments import beside, cell, printed_barker_iterations
from ...mcmc.hmc import gradient
from ...mcmc.models import (
    Example,
    banana,
    bernoulli,
    circle,
    correlated_normal,
    normal_rows,
    simulated_banana,
)
from ...mcmc.row_models import RowLikelihood
from ...mcmc.sample_distances import mean_distance, mmd, second_half
from ...mcmc.target import ExponentialFamily
from ..claim import HOLDS, grid
from ..item import only_in_doubles
from ..sampled import allowed
from .chains import DRAWS, gap
from .models import rows_of
from .source import THESIS

SUMS, MODELS = "private_mcmc/metropolis_hastings", "private_mcmc/experiments_more"

ROWS = (0.5, -1, 2, 0.25, 1, 1)
"""Six rows of a normal model with unit variance, two of them equal."""

THETA, PROPOSAL, BOUND = 0.5, 1.0, 0.25


# Sums over rows


def as_rows() -> RowLikelihood:
    """One row at a time, as a user writes it."""
    return RowLikelihood(
        lambda theta, x: -((x - theta[0]) ** 2) / 2, numbers(ROWS), lambda theta, x: (x - theta[0])[:, None]
    )


def as_family(weighted: bool = False) -> ExponentialFamily:
    """By sufficient statistics, equal rows counted together or not."""
    rows, weights = np.unique(ROWS, return_counts=True) if weighted else (np.array(ROWS), None)
    return ExponentialFamily(
        rows[:, None],
        natural=lambda theta: theta,
        log_partition=lambda theta: theta[:, 0] ** 2 / 2,
        jacobian=lambda theta: np.ones((len(theta), 1, 1)),
        partition_gradient=lambda theta: theta,
        weights=None if weights is None else weights.astype(np.float64),
    )


WRITTEN: dict[str, Callable[[], Any]] = {
    "rows": as_rows,
    "family": as_family,
    "weighted": lambda: as_family(weighted=True),
}

OVER_BALLS = ("ratio", "clipped ratio", "total")
"""Sums that are computed over balls where the rows are written one by one."""


@THESIS.item(
    "ours-sums",
    "Chapters 3 to 5, a target",
    cases=[
        {"written": written, "what": what}
        for what in ("ratio", "clipped ratio", "total", "share clipped", "mean", "variance", "gradient")
        for written in WRITTEN
        if written != "weighted" or what in ("ratio", "clipped ratio", "total", "share clipped")
    ]
    + [{"written": "rows", "what": what} for what in ("clipped gradient", "share of gradients")],
    calls=(RowLikelihood, ExponentialFamily),
    page=SUMS,
)
def summed(written: str, what: str) -> Any:
    """A sum over the rows as an algorithm asks for it; the total is that of the proposal less that of the parameter."""
    if written != "rows" or what not in OVER_BALLS:
        only_in_doubles("only rows written one by one are summed over balls")
    likelihood = WRITTEN[written]()
    here, there, bound = numbers([[THETA]]), numbers([[PROPOSAL]]), numbers([BOUND])
    every = np.arange(len(ROWS))[None]
    if what == "total":
        return likelihood.total(there)[0] - likelihood.total(here)[0]
    if what == "ratio":
        return likelihood.ratio(here, there, np.array([np.inf])).total[0]
    if what.endswith(("gradient", "gradients")):
        found = likelihood.gradient(here, np.inf if what == "gradient" else BOUND)
        return found.total[0, 0] if what.endswith("gradient") else found.clipped[0]
    if what in ("mean", "variance"):
        moments = likelihood.batch(here, there, bound, every)
        return moments.mean[0] if what == "mean" else moments.variance[0]
    clipped = likelihood.ratio(here, there, bound)
    return clipped.total[0] if what == "clipped ratio" else clipped.clipped[0]


@summed.said(
    r"\text{sums, clipped sums, batch moments and gradients are those of } r_j = (\theta' - \theta)(x_j - \tfrac12(\theta + \theta')) \text{ and } g_j = x_j - \theta",
    origin="ours",
    proof=True,
)
def sums(written: str, what: str) -> Any:
    r"""The right side adds up the rows one by one, in fractions. The library is given the same rows in three forms:
    one by one, by their sorted features, and with the number of times that each occurs. Where they are sorted, two
    searches find what is clipped. Ratios and gradients of rows are clipped to \(\pm 1/4\).
    """
    move, middle, bound = number(PROPOSAL - THETA), number((PROPOSAL + THETA) / 2), number(BOUND)
    ratios, slopes = [move * (number(x) - middle) for x in ROWS], [number(x) - number(THETA) for x in ROWS]
    if what in ("ratio", "total"):
        return sum(ratios)
    if what == "gradient":
        return sum(slopes)
    terms = slopes if "gradient" in what else ratios
    cut = [x if abs(x) <= bound else bound if x > 0 else -bound for x in terms]
    if what.startswith("share"):
        return number(sum(a != b for a, b in zip(terms, cut, strict=True))) / len(ROWS)
    if what == "mean":
        return sum(cut) / number(len(ROWS))
    if what == "variance":
        mean = sum(cut) / number(len(ROWS))
        return sum((x - mean) ** 2 for x in cut) / number(len(ROWS))
    return sum(cut)


# Models


class Model(NamedTuple):
    """A model small enough for a quadrature of its density, and a box that holds all but nothing of it."""

    made: Callable[[np.random.Generator], Example]
    low: tuple[float, ...]
    high: tuple[float, ...]


MODELS_ON_A_PLANE = {
    "banana": Model(lambda rng: simulated_banana(rng, 20, 2, 0.3), (-8, -12), (8, 8)),
    "tempered banana": Model(
        lambda rng: banana(rng.normal(0, 1, (9, 2)), 0.5, variances=[1, 2], prior_variance=4, temperature=0.5),
        (-4, -12),
        (4, 5),
    ),
    "correlated": Model(
        lambda rng: correlated_normal(rng.normal(0, 1, (12, 2)), 0.8, prior_variance=0.5), (-3, -3), (3, 3)
    ),
    "circle": Model(lambda rng: circle(rng.normal(2, 0.5, 10), 0.02), (-5, -5), (5, 5)),
    "bernoulli": Model(lambda rng: bernoulli(3, 10, (1.5, 2)), (-8,), (5,)),
}


@THESIS.item(
    "ours-gradients",
    "Chapters 3 to 5, a target",
    cases=grid(model=[name for name in MODELS_ON_A_PLANE if name != "bernoulli"], component=[0, 1]),
    calls=(gradient, banana, correlated_normal, circle),
    page=MODELS,
)
def slope(model: str, component: Any) -> Any:
    """The gradient of the log density that HMC follows, without noise, at a point."""
    only_in_doubles("models are made of doubles")
    target = MODELS_ON_A_PLANE[model].made(np.random.default_rng(7)).target
    return gradient(target, np.array([[0.7, -1.1]]), np.inf, np.zeros((1, 2))).total[0, int(component)]


@slope.said(
    r"\nabla \ln \pi \text{ is the five-point difference quotient of } \ln \pi \text{, which is exact for polynomials of degree } 4",
    origin="ours",
    proof=True,
)
def gradients(model: str, component: Any) -> Any:
    r"""For a polynomial f of degree 4, \(f'(x) = \frac{1}{12h}(f(x - 2h) - 8f(x - h) + 8f(x + h) - f(x + 2h))\). The
    check has h = 1/4. The log densities of all four models have degree at most 4 in each component.
    """
    target = MODELS_ON_A_PLANE[model].made(np.random.default_rng(7)).target
    points = np.tile([0.7, -1.1], (4, 1))
    points[:, int(component)] += np.array([-2, -1, 1, 2]) / 4
    return float(target.log_density(points) @ [1, -8, 8, -1]) / 3


def marginals(model: Model, cells: int, seed: int) -> tuple[Example, list[Floats], list[Floats]]:
    """The example; for each component, the ends of its cells and the distribution function there, by quadrature."""
    example = model.made(np.random.default_rng(seed))
    ends = [np.linspace(low, high, cells + 1) for low, high in zip(model.low, model.high, strict=True)]
    middle = np.meshgrid(*[(end[1:] + end[:-1]) / 2 for end in ends], indexing="ij")
    density = example.target.log_density(np.column_stack([axis.ravel() for axis in middle]))
    mass = np.exp(density - density.max()).reshape([cells] * len(ends))
    mass /= mass.sum()
    laws = []
    for axis in range(len(ends)):
        line = mass.sum(axis=tuple(other for other in range(len(ends)) if other != axis))
        laws.append(np.concatenate([[0.0], np.cumsum(line)]))
    return example, ends, laws


@THESIS.item(
    "ours-exact-draws",
    "Chapters 3 to 5, a target",
    relation="<=",
    cases=grid(model=[*MODELS_ON_A_PLANE, "rows"], draws=[100_000]),
    calls=(banana, simulated_banana, correlated_normal, circle, bernoulli, normal_rows),
    page=MODELS,
)
def off_by(model: str, draws: Any) -> Any:
    """The largest distance of a component's distribution function from that of the draws."""
    only_in_doubles(DRAWS)
    rng = np.random.default_rng(8)
    if model == "rows":
        points, drawn = np.linspace(-8, 8, 81), normal_rows(rng, [1, -2], [4, 0.5], int(draws))
        laws = [normal_cdf((points - 1) / 2), normal_cdf((points + 2) / np.sqrt(0.5))]
        return max(gap(drawn[:, axis], points, laws[axis]) for axis in (0, 1))
    example, ends, laws = marginals(MODELS_ON_A_PLANE[model], 240, 7)
    drawn = example.draw(rng, int(draws))
    return max(gap(drawn[:, axis], ends[axis], laws[axis]) for axis in range(drawn.shape[1]))


@off_by.said(
    r"\text{what a model draws has the density that chains on it see: } \sup_t |F_M(t) - F(t)| \le \sqrt{\ln(2 \cdot 10^9)/(2M)} \text{ for each component}",
    origin="ours",
    expected=HOLDS,
)
def exact_draws(model: str, draws: Any) -> Any:
    r"""\(F_M\) is the distribution function of M draws, which are made from the closed form of the posterior. F comes
    from the density \(\pi\) that the chains see, by quadrature on 240 cells for each component. By the inequality of
    Dvoretzky, Kiefer and Wolfowitz a right program fails for a component with probability \(10^{-9}\).
    """
    return allowed(draws)


# How far a sample is


@THESIS.item(
    "ours-distances",
    "Chapter 6, measured",
    cases=grid(measure=["discrepancy", "distance of the mean", "second half", "thinned"]),
    calls=(mmd, mean_distance, second_half),
    page=MODELS,
)
def measured(measure: str) -> Any:
    """The measures of the experiments, on samples for which they are known."""
    only_in_doubles("samples are doubles")
    if measure == "discrepancy":
        return mmd(np.random.default_rng(9), np.zeros((3, 1)), np.array([[1.0], [-1.0], [1.0]]))
    if measure == "distance of the mean":
        return mean_distance([[4.0, 0.0], [2.0, 4.0]], [0.0, -2.0])
    return second_half(np.arange(100.0) ** 2, most=1000 if measure == "second half" else 8).sum()


@measured.said(
    r"\mathrm{MMD}^2 = \overline{k(x, x')} + \overline{k(y, y')} - 2\,\overline{k(x, y)} \text{ without the diagonals, } k = e^{-|x - y|^2/(2w^2)}\text{; the error of a mean is its distance from the centre}",
    origin="ours",
    proof=True,
)
def distances(measure: str) -> Any:
    r"""The maximum mean discrepancy of two samples is written \(\mathrm{MMD}\). A bar is a mean over pairs of draws,
    and the width w of the kernel k is the median distance of pairs with one point of each sample. Three points at 0
    are compared with 1, -1 and 1, so w = 1 and the square is \(1 + \frac{2 + 4e^{-2}}{6} - 2e^{-1/2}\). The mean (3,
    2) of a sample is at the distance 5 from the centre (0, -2). The second half of 100 states are the last fifty.
    Eight of them, evenly spaced, have the numbers 0, 7, 14, 21, 28, 35, 42 and 49.
    """
    if measure == "discrepancy":
        return sqrt(1 + (2 + 4 * exp(number(-2))) / 6 - 2 * exp(-1 / number(2)))
    if measure == "distance of the mean":
        return number(5)
    return number(sum((50 + i) ** 2 for i in range(0, 50, 1 if measure == "second half" else 7)))


CELLS = grid(algorithm=["penalty", "guided walk"], rows=[300])


@THESIS.item("ours-cells", "Chapter 6, measured", cases=CELLS, calls=cell, page=MODELS)
def length_of_cell(algorithm: str, rows: Any) -> Any:
    """The number of iterations of a cell of the circle at the budget 1/2, if its errors and shares are what they can be."""
    only_in_doubles(DRAWS)
    found = cell("circle", algorithm, 0.5, seed=10, chains=2, rows=int(rows))
    possible = found.errors.shape == (2,) and (found.errors < 6).all() and 0.5 < found.acceptance < 1
    return float(found.iterations) if possible and 0 < found.clipped < 0.5 else np.nan


@length_of_cell.said(
    r"\text{a cell of a table takes } \max\{k : \delta_{k\rho}(\tfrac12) \le 0.1/n\} \text{ iterations, } \rho = \frac{1}{2\tau^2 n},\ \tau = 4",
    origin="ours",
    expected=HOLDS,
)
def cells(algorithm: str, rows: Any) -> Any:
    r"""The number is counted one by one, with the closed form of \(\delta\) for normal noise, which is in
    ``private-mcmc/ours-run-budget``. There \(m = \sqrt{2k\rho}\) for k iterations.
    """

    def delta(iterations: int) -> float:
        m = np.sqrt(iterations / (16 * rows))
        return float(normal_cdf(m / 2 - 1 / (2 * m)) - np.exp(0.5) * normal_cdf(-m / 2 - 1 / (2 * m)))

    count = 0
    while delta(count + 1) <= 0.1 / rows:
        count += 1
    return float(count)


@THESIS.item(
    "ours-barker-accounting",
    "Chapter 6, measured",
    relation=">=",
    cases=grid(rows=[1000, 2000], batch=[60, 100], epsilon=[1, 4]),
    calls=(uses_within, renyi_cost, printed_barker_iterations),
    page=MODELS,
)
def sharp_iterations(rows: Any, batch: Any, epsilon: Any) -> Any:
    """How many iterations of Barker's test a budget allows."""
    only_in_doubles("iterations are counted in doubles")
    return float(uses_within(renyi_cost(rows_of(rows), batch=int(batch)), ApproxDP(epsilon, 1e-4)))


@sharp_iterations.said(
    r"\text{the exact divergence of Barker's noise allows no fewer iterations than the bound in print}",
    origin="ours",
    expected=HOLDS,
)
def barker_accounting(rows: Any, batch: Any, epsilon: Any) -> Any:
    r"""The printed bound is larger at every order, and finite at fewer orders. It is also converted to \(\varepsilon\)
    by the classic formula \(\tau + \ln(1/\delta)/(\alpha - 1)\), with \(\tau\) for the bound at the order \(\alpha\),
    which is never the better one.
    """
    return float(printed_barker_iterations(int(rows), int(batch), ApproxDP(epsilon, 1e-4)))


@THESIS.item(
    "ours-barker-correction",
    "Chapter 6, measured",
    relation="<=",
    cases=grid(ratio=[-8, -3, -0.7, 0.3, 1, 5]),
    calls=corrected_barker_acceptance,
    page="private_mcmc/barker_and_gauss_bernoulli",
)
def off_logistic(ratio: Any) -> Any:
    """How far the acceptance with the correction is from that of Barker's rule."""
    only_in_doubles("a linear program in doubles finds the correction")
    return abs(float(corrected_barker_acceptance(np.array(ratio), np.zeros(1))[0]) - 1 / (1 + np.exp(-ratio)))


@off_logistic.said(
    r"\bigl|P(\lambda + N(0, 2) + V > 0) - \tfrac{1}{1 + e^{-\lambda}}\bigr| \le 5.9 \cdot 10^{-4} \text{ for the best correction } V",
    origin="ours",
    expected=HOLDS,
)
def barker_correction(ratio: Any) -> Any:
    """V is the correction that makes up for what normal noise of variance 2 leaves of the logistic law. The linear
    program makes the largest distance small. No law of V makes it zero: ``private-mcmc/4-barker-correction``.
    """
    return 5.9e-4


QUARTILES = {
    "the same": ((1, 2, 3), (1, 2, 3), 1),
    "ours inside": ((1.9, 2.1, 2.2), (1, 2, 3), 1),
    "theirs inside": ((1, 2.5, 3), (1.5, 1.6, 1.7), 1),
    "ours larger": ((3, 4, 5), (1, 2, 2.5), 0),
    "ours smaller": ((0.1, 0.2, 1.5), (1.6, 2, 2.5), 0),
}
"""Quartiles of our errors, of those in print, and whether they agree."""


@THESIS.item("ours-agreement", "Chapter 6, measured", cases=grid(errors=list(QUARTILES)), calls=beside, page=MODELS)
def agreed(errors: str) -> Any:
    """How many cells agree, of one with these quartiles and one that print does not have."""
    only_in_doubles("what was measured are doubles")
    ours, theirs, _ = QUARTILES[errors]

    def table(cells: int, quartiles: Any) -> dict[str, Any]:
        columns = {"model": ["circle"] * cells, "algorithm": ["penalty"] * cells, "epsilon": [0.5, 1.0][:cells]}
        named = zip(("q1", "median", "q3"), quartiles, strict=True)
        return columns | {name: [value] * cells for name, value in named}

    return float(sum(beside(table(2, ours), table(1, theirs))["agree"]))


@agreed.said(
    r"\text{two measurements agree if a median is between the quartiles of the other}",
    origin="ours",
    expected=HOLDS,
)
def agreement(errors: str) -> Any:
    """Two intervals of quartiles can lie in five ways. The right verdict of each is written down."""
    return float(QUARTILES[errors][2])
