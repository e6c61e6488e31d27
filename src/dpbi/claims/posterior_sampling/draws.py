r"""What the laws of a parameter draw, against distribution functions in closed form.

How near the two are for a right sampler is what ``sampled`` says. Draws are doubles, and are made as such whatever
numbers are current; the distribution function is computed over those that are.
"""

import math
from collections.abc import Callable, Sequence
from contextvars import Context
from functools import cache
from typing import Any

import numpy as np

from ...arithmetic import erfc, exp, largest, number, pi, sqrt
from ...checks import Floats
from ...posterior_sampling import (
    Beta,
    Gamma,
    Tables,
    Wishart,
    baps,
    bernoulli,
    exponential,
    laplace,
    markov_chain,
    multivariate_normal,
    network,
    normal_precision,
    restricted,
    trimmed_exponential,
)
from ..claim import HOLDS, grid
from ..sampled import allowed
from .source import ANSWERS, CONJUGATE, NETWORKS, PAPER

RANKS = np.arange(1, 32) / 32
"""The shares of the draws at whose ends the two distribution functions are compared."""

Law = Callable[[Any], Any]


def in_doubles(made: Callable[[], Any]) -> Any:
    """What is made in doubles, whatever numbers are current."""
    return Context().run(made)


def gap(drawn: Floats, law: Law) -> Any:
    """The largest difference between the distribution function of draws and their law, at some of the draws."""
    ordered = np.sort(drawn)
    points = ordered[(RANKS * len(ordered)).astype(int)]
    shares = np.searchsorted(ordered, points, side="right")
    pairs = zip(points.tolist(), shares.tolist(), strict=True)
    return largest([abs(number(share) / len(ordered) - law(number(point))) for point, share in pairs])


def trimmed(law: Law, low: Any, high: Any) -> Law:
    """The distribution function of a law that is kept within an interval."""
    return lambda t: (law(t) - law(low)) / (law(high) - law(low))


def erlang(shape: int, rate: Any) -> Law:
    r"""The distribution function of a gamma law of whole shape, \(1 - e^{-x} \sum_{k < a} x^k/k!\), \(x = \lambda t\)."""
    return lambda t: 1 - exp(-rate * t) * sum((rate * t) ** k / number(math.factorial(k)) for k in range(shape))


def half_way(rate: Any) -> Law:
    r"""The same of shape 3/2, \(\operatorname{erf}\sqrt x - 2 \sqrt{x/\pi}\, e^{-x}\)."""
    return lambda t: 1 - erfc(sqrt(rate * t)) - 2 * sqrt(rate * t / pi()) * exp(-rate * t)


def binomial(a: int, b: int) -> Law:
    """The distribution function of a beta law of whole weights: at least a of a + b - 1 uniform numbers are below t."""
    n = a + b - 1
    return lambda t: sum(math.comb(n, j) * t**j * (1 - t) ** (n - j) for j in range(a, n + 1))


def chance(odds: Any) -> Any:
    """The probability with these log-odds."""
    return 1 / (1 + exp(-number(odds)))


# Laws of one number

INTERVALS: dict[str, tuple[Callable[[], Gamma | Beta], Callable[[], Law]]] = {
    "trimmed exponential": (
        lambda: trimmed_exponential(2, 0.5, 2),
        lambda: trimmed(erlang(1, 2), number(0.5), number(2)),
    ),
    "gamma": (lambda: Gamma(3, 0.5), lambda: erlang(3, number(0.5))),
    "gamma of shape 3/2": (lambda: Gamma(1.5, 1, 0.5, 3), lambda: trimmed(half_way(1), number(0.5), number(3))),
    "gamma, above its mean": (lambda: Gamma(5, 8, 1, 3), lambda: trimmed(erlang(5, 8), number(1), number(3))),
    "gamma, far below": (
        lambda: Gamma(6, 0.5, 0.5, 2),
        lambda: trimmed(erlang(6, number(0.5)), number(0.5), number(2)),
    ),
    "beta": (lambda: Beta(2, 5), lambda: binomial(2, 5)),
    "beta within log-odds": (lambda: Beta(8, 4, -1.5, 1), lambda: trimmed(binomial(8, 4), chance(-1.5), chance(1))),
    "beta, far out": (lambda: Beta(30, 1, -2, 2), lambda: trimmed(binomial(30, 1), chance(-2), chance(2))),
}
"""Laws with their distribution functions in closed form."""


@PAPER.item(
    "ours-interval-draws",
    "Section 4.2, exact draws",
    cases=grid(law=list(INTERVALS), draws=[20_000]),
    relation="<=",
    calls=(Gamma.sample, Beta.sample),
    page=ANSWERS,
)
def off_by(law: str, draws: Any) -> Any:
    """How far the draws of a law are from it."""
    made, closed = INTERVALS[law]
    return gap(in_doubles(lambda: made().sample(np.random.default_rng(1), int(draws))), closed())


@off_by.said(
    r"\text{draws from gamma and beta laws on intervals: } \sup_t |F_N(t) - F(t)| \le \sqrt{\ln(2 \cdot 10^9)/(2N)}",
    origin="ours",
    expected=HOLDS,
)
def interval_draws(law: str, draws: Any) -> Any:
    r"""\(F_N\) is the distribution function of N draws, and F that of the exact posterior, from which Algorithm 1
    draws. Where the shapes are whole numbers, F is a sum of powers. A right program fails the inequality with
    probability \(10^{-9}\).
    """
    return allowed(draws)


@PAPER.item(
    "ours-interval-cdf",
    "Section 4.2, exact draws",
    cases=grid(law=list(INTERVALS), rank=[0.05, 0.5, 0.999]),
    calls=(Gamma.cdf, Beta.cdf),
    page=ANSWERS,
)
def probability(law: str, rank: Any) -> Any:
    """The distribution function of the law at one of ten thousand draws."""
    made, _ = INTERVALS[law]
    return made().cdf(number(at_rank(law, float(rank))))


@cache
def at_rank(law: str, rank: float) -> float:
    """The draw of that rank."""
    drawn = in_doubles(lambda: np.sort(INTERVALS[law][0]().sample(np.random.default_rng(2), 10_000)))
    return float(drawn[round(rank * 10_000)])


@probability.said(
    r"F(t) = 1 - e^{-\lambda t} \sum_{k < a} \tfrac{(\lambda t)^k}{k!} \text{ and } \sum_{j \ge a} \tbinom{a+b-1}{j} t^j (1-t)^{a+b-1-j} \text{, trimmed}",
    origin="ours",
    proof=True,
)
def interval_cdf(law: str, rank: Any) -> Any:
    """For whole shapes the formulas follow from integration by parts. The shape 3/2 leaves the error function. In
    doubles the library has a curve of panels instead, and over balls the integral itself.
    """
    return INTERVALS[law][1]()(number(at_rank(law, float(rank))))


@PAPER.item(
    "ours-acceptance",
    "Section 4.2, exact draws",
    cases=grid(law=list(INTERVALS)),
    relation=">=",
    calls=(Gamma.sample, Beta.sample),
    page=ANSWERS,
)
def kept(law: str) -> Any:
    """The share of proposals that a sampler keeps."""
    return number(in_doubles(lambda: INTERVALS[law][0]().curve.acceptance))


@kept.said(
    r"\text{proposals from a flat top with tangents beside it are accepted with probability at least } \tanh\tfrac12",
    origin="ours",
    proof=True,
)
def acceptance(law: str) -> Any:
    r"""Proposals are drawn from an envelope of a log-concave curve: flat around the mode, with tangents beside it. Let
    l and r be the places where the logarithm of the curve has fallen by one. In units of the height at the mode, the
    envelope has at most the area \((1 + e^{-1})(r - l)\) by concavity, and the curve has at least \((1 - e^{-1})(r -
    l)\). The quotient is \(\tanh\frac12\).
    """
    return 1 - 2 / (1 + exp(number(1)))


# Tables with a floor

FLOORED = grid(floor=[0, 0.1, 0.25], c=[1, 3])
"""Rows of three states with concentrations 1, 1 and c."""


def above(t: Any, floor: Any, c: int) -> Any:
    r"""\(c \int_t^{1-2f} \int_f^{1-f-x} (1-x-y)^{c-1}\,dy\,dx\): the mass where the first entry is above t."""
    return ((1 - floor - t) ** (c + 1) - floor ** (c + 1)) / (c + 1) - floor**c * (1 - 2 * floor - t)


def of_entry(entry: int, floor: Any, c: int) -> Law:
    """The distribution function of an entry of a floored row."""
    if entry < 2:
        return lambda t: 1 - above(t, floor, c) / above(floor, floor, c)
    return trimmed(
        lambda t: (1 - 2 * floor) * t**c / c - t ** (c + 1) / (c + 1),
        floor,
        1 - 2 * floor,
    )


@PAPER.item(
    "ours-table-mass",
    "Section 5.4, tables",
    cases=FLOORED,
    relation="<=",
    calls=Tables,
    page=NETWORKS,
)
def off_mass(floor: Any, c: Any) -> Any:
    """How far the mass of a floored row is from its closed form, relatively."""
    found = in_doubles(lambda: math.exp(Tables([[1.0, 1.0, float(c)]], float(floor)).log_mass))
    return abs(number(found) * int(c) / above(floor, floor, int(c)) - 1)


@off_mass.said(
    r"\int_{\theta \ge f} \theta_3^{c-1}\,d\theta = \frac{(1-2f)^{c+1} - f^{c+1}}{c(c+1)} - \frac{f^c(1-3f)}{c} \text{: relative error at most } 10^{-10}",
    origin="ours",
    proof=True,
)
def table_mass(floor: Any, c: Any) -> Any:
    """Where two concentrations are one, the integral is of a polynomial. The library computes it in another way: from
    the mass of each entry in its turn, and the probability that the rest of a row can be drawn.
    """
    return number("1e-10")


@PAPER.item(
    "ours-table-acceptance",
    "Section 5.4, tables",
    cases=grid(states=[4, 6], floor=[0.001, 0.02]),
    relation="<=",
    calls=Tables,
    page=NETWORKS,
)
def bounded(states: Any, floor: Any) -> Any:
    """The lower bound on the acceptance of a row of so many states, all concentrations one."""
    return number(in_doubles(lambda: Tables([np.ones(int(states))], float(floor)).acceptance))


@bounded.said(
    r"\text{the stated acceptance of } k > 3 \text{ states is at most the true one, } \frac{(1 - kf)^{k-1}}{(k-1)!} \prod_j Z_j^{-1}",
    origin="ours",
    proof=True,
    tight={"states": 4, "floor": 0.001},
)
def table_acceptance(states: Any, floor: Any) -> Any:
    r"""The acceptance is the mass of a floored row over that of its shares, each of them in the widest interval it can
    have. For uniform rows both are powers. The j-th share of k is within \([\frac fs, 1 - \frac{mf}{s}]\), where \(s =
    1 - (j-1)f\) is left and \(m = k - j\) entries are to come. So \(Z_j = \frac1m[(1 - \frac fs)^m -
    (\frac{mf}{s})^m]\). The library has a union bound in place of the mass.
    """
    k = int(states)
    found = (1 - k * floor) ** (k - 1) / number(math.factorial(k - 1))
    for rest in range(k - 1, 0, -1):
        least = floor / (1 - (k - 1 - rest) * floor)
        found = found * rest / ((1 - least) ** rest - (rest * least) ** rest)
    return found


@cache
def rows_drawn(floor: float, c: int, draws: int) -> Floats:
    """Floored rows, in doubles; one takes a millisecond."""
    law = in_doubles(lambda: Tables([[1.0, 1.0, c]], floor))
    return np.array([row for (row,) in in_doubles(lambda: law.sample(np.random.default_rng(3), draws))])


@PAPER.item(
    "ours-table-draws",
    "Section 5.4, tables",
    cases=[{"floor": 0, "c": 3, "draws": 400}, {"floor": 0.3, "c": 1, "draws": 400}],
    relation="<=",
    calls=Tables.sample,
    page=NETWORKS,
)
def off_row(floor: Any, c: Any, draws: Any) -> Any:
    """How far the entries of a floored row are from their laws."""
    rows = rows_drawn(float(floor), int(c), int(draws))
    return largest([gap(rows[:, entry], of_entry(entry, floor, int(c))) for entry in range(3)])


@off_row.said(
    r"\text{each entry of a Dirichlet row with a floor: } \sup_t |F_N(t) - F(t)| \le \sqrt{\ln(2 \cdot 10^9)/(2N)}",
    origin="ours",
    expected=HOLDS,
)
def table_draws(floor: Any, c: Any, draws: Any) -> Any:
    r"""The marginal laws of a floored row are polynomials where two concentrations are one. A row is drawn entry by
    entry, and an entry is kept with the probability that the entries to come can be had. A right program fails the
    inequality with probability \(10^{-9}\).
    """
    return allowed(draws)


# Precision matrices


def quadratic(drawn: Floats, scale: Floats, direction: Sequence[int]) -> Floats:
    """The quadratic form of draws, in units of that of the scale."""
    u = np.array(direction, dtype=np.float64)
    return np.asarray(drawn @ u @ u / (u @ scale @ u))


@PAPER.item(
    "ours-wishart-draws",
    "Lemma 23, draws",
    cases=grid(what=["(1, 0)", "(0, 1)", "(1, -1)", "determinant", "cut"], degrees=[4], draws=[10_000]),
    relation="<=",
    calls=Wishart.sample,
    page=CONJUGATE,
)
def off_matrix(what: str, degrees: Any, draws: Any) -> Any:
    """How far a function of the drawn matrices is from its law."""
    rng, nu = np.random.default_rng(4), int(degrees)
    if what == "cut":
        drawn = in_doubles(lambda: Wishart(nu, np.array([[0.5]]), 3.0).sample(rng, int(draws)))[:, 0, 0]
        return gap(drawn, trimmed(erlang(nu // 2, number(1)), number(0), number(3)))
    scale = np.array([[2.0, 1.0], [1.0, 1.0]])
    drawn = in_doubles(lambda: Wishart(nu, scale).sample(rng, int(draws)))
    if what == "determinant":
        return gap(2 * np.sqrt(np.linalg.det(drawn) / np.linalg.det(scale)), erlang(nu - 1, 1 / number(2)))
    u = [int(entry) for entry in what.strip("()").split(",")]
    return gap(quadratic(drawn, scale, u), erlang(nu // 2, 1 / number(2)))


@off_matrix.said(
    r"u^\top W u / u^\top \Sigma u \sim \chi^2_\nu,\ 2\sqrt{\det W / \det\Sigma} \sim \chi^2_{2\nu - 2}\ (d = 2) \text{: } \sup_t |F_N(t) - F(t)| \le \sqrt{\ln(2 \cdot 10^9)/(2N)}",
    origin="ours",
    expected=HOLDS,
)
def wishart_draws(what: str, degrees: Any, draws: Any) -> Any:
    r"""With \(\nu\) degrees of freedom Bartlett's theorem says that \(W = L T T^\top L^\top\), where
    \(T_{ii}^2 \sim \chi^2_{\nu - i + 1}\). The product of two such variables is the square of a
    \(\chi^2_{2\nu - 2}\) variable, over four. In one dimension, with a largest value, the law is a trimmed gamma law.
    """
    return allowed(draws)


# Draws from posteriors

LEVEL = 1.3

RELEASES: dict[str, tuple[Callable[[], Any], Callable[[], Any], Any]] = {
    "bernoulli": (bernoulli, lambda: Beta(1.0, 2.0), [1, 1, 1, 0]),
    "exponential": (lambda: exponential(2.0), lambda: trimmed_exponential(1.0, 0.25, 30.0), [0.5, 1.5, 1.0]),
    "laplace": (lambda: laplace(0.5), lambda: Gamma(2.0, 1.0), [0.5, 1.5, -1.0]),
    "normal": (lambda: normal_precision(0.5), lambda: Gamma(2.0, 1.0), [0.5, 1.5, -1.0, 1.0]),
    "matrices": (lambda: multivariate_normal([0.5]), lambda: Wishart(4.0, np.eye(1)), [[0.5], [1.5], [-1.0], [1.0]]),
}
"""A family, a prior and records."""

CLOSED: dict[str, Callable[[], Law]] = {
    "bernoulli": lambda: trimmed(binomial(4, 3), chance(-LEVEL), chance(LEVEL)),
    "exponential": lambda: trimmed(erlang(4, number(4)), number(0.25), number(LEVEL)),
    "laplace": lambda: trimmed(erlang(5, number(3.5)), number(0), number(LEVEL)),
    "normal": lambda: trimmed(erlang(4, number(2.75)), number(0), 2 * number(LEVEL)),
    "matrices": lambda: trimmed(erlang(4, number(2.25)), number(0), 2 * number(LEVEL)),
}
"""The distribution function of their posterior, the prior being cut to Lipschitz constants up to the level."""


def released(family: str, draws: int) -> Any:
    """What Algorithm 1 gives from a prior that is restricted, in doubles."""
    made, prior, records = RELEASES[family]
    cut = restricted(made(), prior(), LEVEL)
    return baps(made(), cut, records, draws, np.random.default_rng(5))


@PAPER.item(
    "ours-algorithm-1-draws",
    "Algorithm 1 (BAPS), its draws",
    cases=grid(family=list(RELEASES), draws=[20_000]),
    relation="<=",
    calls=(baps, restricted),
    page=ANSWERS,
)
def off_posterior(family: str, draws: Any) -> Any:
    """How far the draws of Algorithm 1 are from the posterior."""
    drawn = in_doubles(lambda: np.ravel(released(family, int(draws)).parameters))
    return gap(drawn, CLOSED[family]())


@off_posterior.said(
    r"\text{Algorithm 1 draws from the posterior of the prior on } \Theta_L \text{: } \sup_t |F_N(t) - F(t)| \le \sqrt{\ln(2 \cdot 10^9)/(2N)}",
    origin="ours",
    expected=HOLDS,
)
def algorithm_1_draws(family: str, draws: Any) -> Any:
    """The cases are conjugate posteriors with whole shapes, cut at the parameter whose constant is L = 1.3. These are
    log-odds of 1.3, rates of 1.3, and precisions of 2.6 where the mean is known and at most one.
    """
    return allowed(draws)


CONSTANTS: dict[str, tuple[Callable[[], Any], Callable[[], Any], Any]] = {
    **RELEASES,
    "matrices": (lambda: multivariate_normal([1.3, -0.4]), lambda: Wishart(3.0, np.eye(2)), [[0.5, 1.0]]),
    "chain": (lambda: markov_chain(2), lambda: Tables([np.full((2, 2), 0.5)]), [0] * 20 + [1] * 20),
    "network": (
        lambda: network([[], [0]], [2, 2]),
        lambda: Tables([np.full(2, 0.5), np.full((2, 2), 0.5)]),
        [[0, 0]] * 9 + [[1, 0]],
    ),
}
"""The same for families of tables and of larger matrices."""


@PAPER.item(
    "ours-region",
    "Section 4.2, exact draws",
    cases=grid(family=list(CONSTANTS), L=[0.4, 1.3]),
    relation="<=",
    calls=(baps, restricted),
    page=ANSWERS,
)
def largest_constant(family: str, L: Any) -> Any:
    """The largest Lipschitz constant of forty draws, and what their cost counts with, if that is larger."""
    made, prior, records = CONSTANTS[family]

    def constant() -> float:
        cut = restricted(made(), prior(), float(L))
        release = baps(made(), cut, records, 40, np.random.default_rng(6))
        return max(float(np.max(made().lipschitz(release.parameters))), float(release.cost.lipschitz))

    return number(in_doubles(constant))


@largest_constant.said(
    r"\max_i \ell(\theta_i) \le L \text{ for draws } \theta_i \text{ from the posterior of a prior on } \Theta_L \text{, in the last digit}",
    origin="ours",
    proof=True,
    tight={"family": "bernoulli", "L": 0.4},
)
def region(family: str, L: Any) -> Any:
    """The guarantee rests on this. The end of a region is rounded inwards, and a draw that rounding carries out of it
    is drawn again. The floor of a table is the least one that keeps every table inside.
    """
    return L
