r"""Theorems 4.3 and 4.4 with Corollary 4.4.1: the error in numbers of steps."""

import math
from typing import Any

import numpy as np

from ...accuracy import error_quantile
from ...arithmetic import approximate, exp, largest, less, log, number, numbers
from ...mechanisms import lshist
from ...model import count_vectors, hellinger, lattice_distances, local_sensitivity, posterior, reciprocal_slope
from ..claim import REFUTED, grid
from ..premises import Choice, Dataset, Reals, Weights, Wholes, premises
from ..quantities import distances, floor_within, laplace_mass
from .source import FLAT, NOTES, STEPS


def farthest_in_steps(prior: Any, counts: Any, steps: int) -> Any:
    """The largest distance to a dataset at most that many steps away."""
    x, n = int(counts[0]), int(sum(counts))
    return largest(distances(prior, counts, count_vectors(n, 2)[max(x - steps, 0) : min(x + steps, n) + 1]))


QUANTILES = premises(
    prior=Weights(),
    counts=Dataset(most=60),
    epsilon=Reals(above=0),
    gamma=Reals(low=1e-6, high=0.999, above=0, below=1),
)
"""Two categories, any prior weights: the error that only a share gamma of releases exceeds."""


def whole_steps(bound: Any) -> int:
    """The largest whole number up to a number that is none itself; balls have to tell on which side it lies."""
    nearest: int = round(approximate(bound))
    return nearest - 1 if less(bound, number(nearest)) else nearest


STEP_CASES = [
    {"prior": p, "counts": x, "epsilon": e, "gamma": g}
    for p in (FLAT, (0.2, 3))
    for x in ((1, 1), (0, 4), (5, 5), (3, 17))
    for e, g in ((1.0, 0.5), (0.8, 0.1), (0.1, 0.05))
]


@NOTES.item(
    "4.3",
    "Theorem 4.3, first inequality",
    cases=STEP_CASES,
    relation="<=",
    calls=(error_quantile, lshist),
    page=STEPS,
)
def error(prior: Any, counts: Any, epsilon: Any, gamma: Any) -> Any:
    """ELap(x)."""
    return error_quantile(lshist(epsilon), prior, counts, gamma)


@error.said(
    r"ELap(x) \le \max_{|k| \le \lg(1/\gamma)/\varepsilon} H(\mathrm{Beta}(\alpha, \beta), \mathrm{Beta}(\alpha + k, n - \lfloor \alpha + k \rfloor))",
    expected=REFUTED,
    origin="reading",
)
def error_in_steps(prior: Any, counts: Any, epsilon: Any, gamma: Any) -> Any:
    r"""Read with integer k, the second parameter being \(\beta - k\): as printed, \(n - \lfloor\alpha + k\rfloor\) drops the
    prior and is negative at x = n. Rounding down reaches one step farther on the left than on the right.
    At \(\gamma = 1/2\), \(\varepsilon = 1\) only k = 0 is allowed, while the noise floors to -1 with probability
    \((1 - q)/2\), and x = (1, 1) is released with probability \((1 - q)/2 < 1/2\).
    """
    return farthest_in_steps(prior, counts, whole_steps(log(1 / gamma) / epsilon))


@error.said(
    r"ELap(x) \le \max_{|k| \le \log_2(1/\gamma)/\varepsilon} H(\mathrm{Beta}(\alpha, \beta), \mathrm{Beta}(\alpha + k, n - \lfloor \alpha + k \rfloor))",
    suffix="binary-logarithm",
    cases=[
        {"prior": FLAT, "counts": (1, 1), "epsilon": 1.0, "gamma": 0.6},
        *(case for case in STEP_CASES if case["gamma"] != 0.5),  # a whole number of steps, on which balls are undecided
    ],
    expected=REFUTED,
    origin="reading",
)
def error_in_binary_steps(prior: Any, counts: Any, epsilon: Any, gamma: Any) -> Any:
    r"""The other reading of lg, which allows more steps. It fails as well: \(\gamma = 0.6\), \(\varepsilon = 1\) allow
    \(\log_2(1/0.6) = 0.737\) of a step, none, and x = (1, 1) is released with probability \((1 - q)/2 = 0.316 < 1 - \gamma\).
    """
    return farthest_in_steps(prior, counts, whole_steps(log(1 / gamma) / log(number(2)) / epsilon))


@error.instead(
    r"ELap(x) \le \max_{|k| \le \lceil \ln(1/\gamma)/\varepsilon \rceil} H_{x+k}",
    tight={"prior": FLAT, "counts": (5, 5), "epsilon": 0.8, "gamma": 0.5},
    premises=QUANTILES,
    proof=True,
)
def error_in_steps_corrected(prior: Any, counts: Any, epsilon: Any, gamma: Any) -> Any:
    r"""\(|Y| \le L = \ln(1/\gamma)/\varepsilon\) has probability \(1 - \gamma\) and gives
    \(-\lceil L \rceil \le \lfloor Y \rfloor \le \lfloor L \rfloor\). Clamping to 0..n moves an output towards x, and H
    grows with the number of steps on either side.
    """
    return farthest_in_steps(prior, counts, whole_steps(log(1 / gamma) / epsilon) + 1)


@NOTES.item(
    "4.3-order",
    "Theorem 4.3, second inequality",
    cases=[
        *grid(prior=[FLAT], n=[2, 8, 60], C=[1.1183]),
        {"prior": FLAT, "n": 1_000_000, "C": 1.1183, "x": 3, "k": -3},
        *grid(prior=[(0.5, 0.5), (0.001, 0.001), (0.01, 2), (7, 0.3), (30, 30)], n=[4, 30], C=[None]),
    ],
    relation="<=",
    calls=(hellinger, local_sensitivity),
    page=STEPS,
)
def distance_per_step(prior: Any, n: Any, C: Any, x: Any = None, k: Any = None) -> Any:
    r"""The largest \(H_{x+k} / (|k|\, LS(x))\), over all x and k or at those given."""
    if k is not None:
        there = distances(prior, (x, n - x), [(x + k, n - x - k)])[0]
        return there / (abs(k) * local_sensitivity(prior, (x, n - x)))
    rows = count_vectors(int(n), 2)
    steps = abs(rows[:, None, 0] - rows[:, 0])
    per_step = lattice_distances(numbers(prior), rows) / np.maximum(steps, 1)
    return largest(per_step / local_sensitivity(prior, rows)[:, None])  # no step goes no distance


def largest_per_step(C: Any) -> Any:
    r"""C, and where there is none the constant for every prior, \((1 + \gamma_0)/2\)."""
    return (1 + reciprocal_slope()) / 2 if C is None else C


ANY_PRIOR = premises(prior=Weights(), n=Wholes(1, 80), C=Choice((None,)))
TWO_CONSTANTS = premises(
    "C is the constant for every prior, or the prior is flat",
    lambda prior, C=None, **_: C is None or tuple(prior) == FLAT,
    fix=lambda prior, C, **_: {"prior": prior if C is None else FLAT},
    prior=Weights(),
    n=Wholes(1, 80),
    C=Choice((None, 1.1183)),
)


@distance_per_step.said(
    r"\max_{|k| \le m} H_{x+k} / LS(x) \le O(m), \quad m = \lg(1/\gamma)/\varepsilon: \text{ at most } 1.4824\, m",
    cases=grid(prior=[FLAT, (0.5, 0.5), (0.001, 0.001), (0.01, 2)], n=[4, 30], C=[None]),
    tight={"prior": (1e-8, 1e-8), "n": 300, "C": None},
    premises=ANY_PRIOR,
    proof=True,
    origin="reading",
)
def steps_order(prior: Any, n: Any, C: Any, x: Any = None, k: Any = None) -> Any:
    r"""The order is right for every prior, with the constant of ``notes/4.3-order-corrected``: the k that the maximum is
    over are whole, and at most m. The other reading of lg changes m by the factor \(\ln 2\) and the order in nothing.
    """
    return largest_per_step(C)


@distance_per_step.instead(
    r"\max_{|k| \le m} H_{x+k} \le C\, m\, LS(x), \quad C = 1.1183 \text{ for the prior } \mathrm{Beta}(1,1), \ C = \tfrac{1+\gamma_0}{2} = 1.4824 \text{ for every prior}",
    tight={"prior": (1e-8, 1e-8), "n": 300, "C": None},
    premises=TWO_CONSTANTS,
    proof=True,
)
def steps_order_corrected(prior: Any, n: Any, C: Any, x: Any = None, k: Any = None) -> Any:
    r"""The exact side is the largest \(H_{x+k} / (|k|\, LS(x))\), over all x and k or at those given.

    By reflection let the \(k \ge 2\) steps lead down, from the posterior (a, b) to (c, b + k), c = a - k > 0. With
    \(J(s, r) = \frac12\ln\Gamma(s) + \frac12\ln\Gamma(r) - \ln\Gamma(\frac{s+r}{2})\), \(f = e^{-u}\), \(u(s) = J(s, s+1)\),
    \[ H^2 = 1 - p\, e^{-J(b, b+k)}, \quad p = e^{-J(c, c+k)}, \qquad LS(x)^2 \ge 1 - f(a-1)\, f(b) . \]
    \(J(b, b+k) \le k^2 u(b)\), as \(\psi'\) decreases. With \(\beta = f(b) \in (0, 1)\) it is therefore enough that
    \[ k^2 C^2 (1 - f(a-1)\beta) - (1 - p\,\beta^{k^2}) \ge 0 . \]
    The left side is convex in \(\beta\), and at 1 its slope \(k^2 (p - C^2 f(a-1))\) is negative, because
    \(C^2 f(a-1) \ge C^2 f(1) > 1 > p\) (for the flat prior \(C^2 f(2) > 1\)). So it is least at \(\beta = 1\), and what is left is
    \[ 1 - p \le k^2 C^2 (1 - f(c + k - 1)) \qquad (k \ge 2,\ c > 0). \]

    *Far from the end*, \(c \ge 4k\): \(1 - p \le J(c, c+k) \le \frac{k^2}{16}(\psi'(c) + \psi'(c+k))\) and
    \(\psi'(z) < \frac1z + \frac1{2z^2} + \frac1{6z^3}\), while with \(A = c + k - 1\),
    \(1 - f(A) \ge \frac{1}{8A}(1 - \frac{1}{16A} - \frac{1}{24A^2})\). The quotient of both sides is at most
    \((1 + \frac{k}{2c})(1 + \frac{1}{2c} + \frac{1}{6c^2}) / (1 - \frac1{16c} - \frac1{24c^2}) < 1.21 < C^2\).
    *Many steps*, c < 4k and k > 32: \(k^2 C^2 (1 - f(A)) \ge 1\), as A < 5k. *Two steps to the end*, k = 2 and
    \(c \le \frac12\): \(p = \sqrt{c/(c+1)}\) and \(4C^2 = 1/(1 - f(1))\) for every prior; f is concave, so that
    \(f(1 + c) \le f(1) + f'(1) c\), and \(f'(1)/(1 - f(1)) = 0.886\) leaves \(\sqrt{c/(c+1)} \ge 0.886\, c\). *The rest*,
    \(2 \le k \le 32\) and c < 4k, is certified in the tests: for the flat prior, where c is whole, at every c; for every prior
    over intervals of c. Both sides rise with c in p and f alone, so that the ends of an interval enclose them.

    Both constants are limits as \(n \to \infty\), where the second category no longer counts. For the uniform prior it is
    three steps from x = 3 to 0,
    \[ \frac{\sqrt{1 - \Gamma(5/2)/\sqrt{\Gamma(4)\Gamma(1)}}}{3\sqrt{1 - g(3)}} = 1.11828 ; \]
    up to n = 200 all ratios are below 1.114, and at n = 256 that is no bound any more. For every prior it is two steps
    from x = 2 to 0 as \(\alpha \to 0\), where H is 1 and \(LS(2) = F(u(1))\).
    """
    return largest_per_step(C)


exponent_order = NOTES.vague(
    "4.4",
    "Theorem 4.4",
    r"\text{for } \gamma = e^{O(k)\varepsilon}, \ O(\lg(1/\gamma)/\varepsilon) \text{ is bounded by } O(k)",
    """What it is meant to give is in ``notes/4.4-corrected``.""",
    malformed=r"with a positive exponent \(\gamma\) exceeds 1; with a negative one the statement repeats its definition, \(\ln(e^{k\varepsilon})/\varepsilon = k\)",
    page=STEPS,
)


@NOTES.item(
    "4.4",
    "Theorem 4.4",
    cases=[
        {"counts": x, "epsilon": e, "k": k}
        for x in ((0, 1), (1, 1), (5, 5), (3, 17))
        for e in (0.1, 0.8)
        for k in (1, 2, 3)
    ],
    relation=">",
    calls=lshist,
    page=STEPS,
)
def probability_in_steps(counts: Any, epsilon: Any, k: Any) -> Any:
    r"""\(\Pr[|\mathrm{out} - x| \le k]\)."""
    law = lshist(epsilon).law(number(FLAT), counts)
    near = abs(law.outputs[:, 0] - int(counts[0])) <= int(k)
    return law.probabilities[near].sum()


@probability_in_steps.instead(
    r"ELap(x) \le \max_{|j| \le k} H_{x+j} \ \text{ for } \gamma = e^{-k\varepsilon}: \quad \Pr[|\mathrm{out} - x| \le k] \ge 1 - \tfrac12(e^{-k\varepsilon} + e^{-(k+1)\varepsilon}) > 1 - e^{-k\varepsilon}",
    tight={"counts": (30, 30), "epsilon": 2.0, "k": 3},
    premises=premises(counts=Dataset(most=60, categories=2), epsilon=Reals(above=0), k=Wholes(1, 30)),
    proof=True,
)
def exponent_corrected(counts: Any, epsilon: Any, k: Any) -> Any:
    r"""\(-k \le \lfloor Y \rfloor \le k\) has the probability stated, and clamping only adds to it."""
    return 1 - exp(-k * epsilon)


ONE_STEP = [
    {"prior": FLAT, "counts": x, "k": k}
    for x, k in (((1, 1), 1.0), ((1, 1), 1.99), ((5, 5), 0.5), ((5, 5), 1.99), ((5, 5), -0.5))
]


one_step_distance = NOTES.item(
    "4.4.1-distance",
    "Corollary 4.4.1, equation (1)",
    cases=ONE_STEP,
    relation="<=",
    calls=hellinger,
    page=STEPS,
)


@one_step_distance
def distance_unrounded(prior: Any, counts: Any, k: Any) -> Any:
    r"""The distance when the first parameter moves by k and the second by \(\lfloor k \rfloor\)."""
    (a, b), whole = posterior(prior, counts), math.floor(approximate(k))
    return hellinger((a, b), (a + k, b - whole))


@distance_unrounded.said(
    r"H(\mathrm{Beta}(\alpha, \beta), \mathrm{Beta}(\alpha + k, n - \lfloor \alpha + k \rfloor)) \le LS(x) \ \text{ for } -1 \le k < 2",
    expected=REFUTED,
    origin="reading",
)
def one_step(prior: Any, counts: Any, k: Any) -> Any:
    r"""Read with the second parameter \(\beta - \lfloor k \rfloor\). The first parameter moves by nearly 2 while the second
    moves by 1, and the total changes: that is farther than any neighbour.
    """
    return local_sensitivity(prior, counts)


@one_step_distance
def distance_rounded(prior: Any, counts: Any, k: Any) -> Any:
    r"""The distance when both parameters move by \(\lfloor k \rfloor\)."""
    (a, b), whole = posterior(prior, counts), math.floor(approximate(k))
    return hellinger((a, b), (a + whole, b - whole))


@distance_rounded.instead(
    r"H(\mathrm{Beta}(\alpha, \beta), \mathrm{Beta}(\alpha + \lfloor k \rfloor, \beta - \lfloor k \rfloor)) \le LS(x) \ \text{ for } -1 \le k < 2",
    tight={"prior": FLAT, "counts": (5, 5), "k": 1.99},
    premises=premises(
        r"both datasets have counts of at least 0",
        lambda counts, k, **_: counts[0] >= 1 and counts[1] >= 1,
        prior=Weights(),
        counts=Dataset(most=1000, least=2),
        k=Reals(low=-1, high=1.99, least=-1, below=2),
    ),
    proof=True,
)
def one_step_corrected(prior: Any, counts: Any, k: Any) -> Any:
    r"""\(\lfloor k \rfloor\) is -1, 0 or 1: x itself or a neighbour, and LS(x) is the distance to the farthest one."""
    return local_sensitivity(prior, counts)


@NOTES.item(
    "4.4.1-tail",
    "Corollary 4.4.1, proof",
    cases=grid(b=[0.5, 3.0], epsilon=[0.1, 2.0]),
    apart="the integral of a Laplace density",
    page=STEPS,
)
def mass_inside(b: Any, epsilon: Any) -> Any:
    r"""\(\Pr[|k| \le b/\varepsilon]\)."""
    return 2 * laplace_mass(epsilon, 0, b / epsilon)


@mass_inside.said(
    r"\Pr[|k| \le b/\varepsilon] = 1 - e^{-b} \ \text{ for } k \sim \mathrm{Lap}(0, 1/\varepsilon)",
    premises=premises(b=Reals(above=0), epsilon=Reals(above=0)),
    proof=True,
)
def laplace_absolute(b: Any, epsilon: Any) -> Any:
    r"""\(|k|\) is exponential with rate \(\varepsilon\)."""
    return 1 - exp(-b)


@NOTES.item(
    "4.4.1-probability",
    "Corollary 4.4.1, equation (2)",
    cases=grid(epsilon=[0.1, 0.8, 2.0]),
    apart="the integral of a Laplace density",
    page=STEPS,
)
def mass_of_three_steps(epsilon: Any) -> Any:
    r"""\(\Pr[-1 \le k < 2]\)."""
    return laplace_mass(epsilon, -1, 2)


@mass_of_three_steps.said(
    r"\Pr[-1 \le k < 2] = 1 - \tfrac12(e^{-\varepsilon} + e^{-2\varepsilon}) \ \text{ for } k \sim \mathrm{Lap}(0, 1/\varepsilon)",
    premises=premises(epsilon=Reals(above=0)),
    proof=True,
)
def laplace_interval(epsilon: Any) -> Any:
    r"""What is missing is \(\Pr[k < -1] = q/2\) and \(\Pr[k \ge 2] = q^2/2\). The cases integrate the density."""
    return floor_within(epsilon, 1)


one_step_exponent = NOTES.item(
    "4.4.1",
    "Corollary 4.4.1",
    cases=grid(epsilon=[0.001, 0.1, 0.8, 3.0, 20.0]),
    relation="<",
    apart="a bound between elementary functions",
    page=STEPS,
)


@one_step_exponent
def exponent(epsilon: Any) -> Any:
    r"""\(\frac{1}{\varepsilon} \ln \frac{2}{e^{-\varepsilon} + e^{-2\varepsilon}}\)."""
    return log(2 / (exp(-epsilon) + exp(-2 * epsilon))) / epsilon


@exponent.said(
    r"\frac{1}{\varepsilon} \ln \frac{2}{e^{-\varepsilon} + e^{-2\varepsilon}} < 2",
    premises=premises(epsilon=Reals(above=0)),
    proof=True,
    origin="reading",
)
def one_step_order(epsilon: Any) -> Any:
    r"""With lg read as the natural logarithm, on the right of which the corollary has the constant 2. Follows from the
    sharp form, 3/2. For its purpose the bound is not needed: \(ELap \le LS(x)\) at this \(\gamma\) by
    ``notes/4.2-tail-corrected``, a ratio of 1.
    """
    return number(2)


@exponent.instead(
    r"\frac{1}{\varepsilon} \ln \frac{2}{e^{-\varepsilon} + e^{-2\varepsilon}} < \frac32",
    suffix="sharp",
    tight={"epsilon": 0.001},
    premises=premises(epsilon=Reals(above=0)),
    proof=True,
)
def one_step_sharp(epsilon: Any) -> Any:
    r"""\(\frac12(q + q^2) > q^{3/2}\), the means being of different numbers; equality as \(\varepsilon \to 0\)."""
    return number(1.5)


@one_step_exponent
def binary_exponent(epsilon: Any) -> Any:
    r"""\(\frac{1}{\varepsilon} \log_2 \frac{2}{e^{-\varepsilon} + e^{-2\varepsilon}}\)."""
    return exponent(epsilon=epsilon) / log(number(2))


@binary_exponent.said(
    r"\frac{1}{\varepsilon} \log_2 \frac{2}{e^{-\varepsilon} + e^{-2\varepsilon}} < 2",
    suffix="binary-logarithm",
    expected=REFUTED,
    origin="reading",
)
def one_step_binary(epsilon: Any) -> Any:
    r"""The other reading of lg. The limit at \(\varepsilon \to 0\) is \(1.5 / \ln 2 = 2.164\)."""
    return number(2)
