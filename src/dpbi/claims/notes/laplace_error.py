r"""Theorems 4.1 and 4.2: the error of the Laplace mechanism beside the local sensitivity."""

import math
from typing import Any

from ...accuracy import closer_than, error_quantile, error_quantiles
from ...arithmetic import exp, largest, log, number
from ...mechanisms import lshist
from ...model import count_vectors, farthest_neighbour, local_sensitivity
from ..claim import REFUTED, grid
from ..premises import Dataset, Reals, Weights, Wholes, premises
from ..quantities import floor_within
from .source import FLAT, LAPLACE_ERROR, NOTES
from .steps import largest_per_step, whole_steps

EPSILONS = Reals(above=0)
SHARES = Reals(low=1e-3, high=0.999, above=0, below=1)


AROUND = premises(prior=Weights(), counts=Dataset(most=200), epsilon=EPSILONS)


def steps_allowed(epsilon: Any, gamma: Any) -> int:
    r"""\(m = \lceil \ln(1/\gamma)/\varepsilon \rceil\); no decimal \(\gamma\) and \(\varepsilon\) make the quotient whole."""
    return whole_steps(log(1 / gamma) / epsilon) + 1


@NOTES.item(
    "4.1",
    "Theorem 4.1",
    cases=grid(n=[2, 10, 50], epsilon=[0.3, 0.8, 2.0], gamma=[0.1, 0.4]),
    relation="<=",
    calls=(error_quantiles, lshist, local_sensitivity),
    page=LAPLACE_ERROR,
)
def worst_ratio(n: Any, epsilon: Any, gamma: Any, weight: Any = 1) -> Any:
    r"""The largest \(ELap(x) / (m\, LS(x))\) over all x, \(m = \lceil \ln(1/\gamma)/\varepsilon \rceil\), for a prior of two weights."""
    prior, m = number((weight, weight)), steps_allowed(epsilon, gamma)
    errors = error_quantiles(lshist(epsilon), prior, n, gamma)
    return largest(errors / (m * local_sensitivity(prior, count_vectors(int(n), 2))))


@worst_ratio.said(
    r"\frac{ELap(x)}{\varepsilon\, LS(x)} = O(1) \text{ in } n = |x| \ge 2, \quad ELap(x) = \min\{t : \Pr[H < t] \ge 1 - \gamma\}: \text{ at most } \frac{1.4824}{\varepsilon} \Bigl\lceil \frac{\ln(1/\gamma)}{\varepsilon} \Bigr\rceil",
    cases=[
        *grid(n=[2, 10, 50], epsilon=[0.3, 0.8, 2.0], gamma=[0.1, 0.4]),
        *grid(n=[30], epsilon=[0.8], gamma=[0.1], weight=[0.001, 100]),
    ],
    tight={"n": 300, "epsilon": 3.0, "gamma": 0.01, "weight": 1e-8},
    premises=premises(n=Wholes(2, 60), epsilon=EPSILONS, gamma=SHARES, weight=Reals(high=1e6, above=0)),
    proof=True,
    origin="reading",
)
def laplace_order(n: Any, epsilon: Any, gamma: Any, weight: Any = 1) -> Any:
    r"""With \(\varepsilon\) and \(\gamma\) fixed the right side is a constant in n, for every prior. A strict
    inequality does not attain the minimum, so it is read as the infimum. By ``notes/4.3-corrected`` the error is within
    \(m = \lceil \ln(1/\gamma)/\varepsilon \rceil\) steps, and j of them go at most \(1.4824\,j\,LS\)
    (``notes/4.3-order-corrected``). The exact side is the worst \(ELap(x)/(m\,LS(x))\) over all x, with two equal prior
    weights.
    """
    return largest_per_step(None)


@worst_ratio.instead(
    r"ELap(x) \le 1.1183\, \Bigl\lceil \frac{\ln(1/\gamma)}{\varepsilon} \Bigr\rceil LS(x) \quad \text{for the prior } \mathrm{Beta}(1, 1) \text{ and every } x",
    tight={"n": 400, "epsilon": 2.0, "gamma": 0.005},
    premises=premises(n=Wholes(1, 60), epsilon=EPSILONS, gamma=SHARES),
    proof=True,
)
def laplace_order_corrected(n: Any, epsilon: Any, gamma: Any) -> Any:
    r"""By ``notes/4.3-corrected`` the error is within \(m = \lceil \ln(1/\gamma)/\varepsilon \rceil\) steps, and m steps go
    at most \(1.1183\,m\,LS\) (``notes/4.3-order-corrected``). The exact side is the worst ratio over all x.
    """
    return number(1.1183)


def error_over_sensitivity(prior: Any, counts: Any, epsilon: Any) -> Any:
    r"""\(ELap(x) / (\varepsilon\, LS(x))\) when \(\gamma = e^{-\varepsilon}\)."""
    error = error_quantile(lshist(epsilon), prior, counts, exp(-epsilon))
    return error / (epsilon * local_sensitivity(prior, counts))


@NOTES.item(
    "4.2",
    "Theorem 4.2, proof",
    cases=[
        *({"prior": FLAT, "counts": x, "epsilon": 0.8} for x in ((0, 2), (1, 1), (5, 5), (0, 10))),
    ],
    calls=(error_quantile, lshist, local_sensitivity),
    page=LAPLACE_ERROR,
)
def ratio(prior: Any, counts: Any, epsilon: Any) -> Any:
    r"""\(ELap(x) / (\varepsilon\, LS(x))\)."""
    return error_over_sensitivity(prior, counts, epsilon)


@ratio.said(
    r"\frac{ELap(x)}{\varepsilon\, LS(x)} = \frac{1}{\varepsilon} \text{ when } \gamma = e^{-\varepsilon}",
    expected=REFUTED,
    erratum=True,
)
def laplace_ratio(prior: Any, counts: Any, epsilon: Any) -> Any:
    r"""At x = (0, n) all noise below 1 is cut back to x itself, which is released with probability
    \(1 - e^{-\varepsilon}/2 > 1 - \gamma\): ELap = 0. At balanced x the equation holds.
    """
    return 1 / epsilon


@NOTES.item(
    "4.2",
    "Theorem 4.2",
    cases=[
        {"prior": p, "counts": x, "epsilon": e}
        for p in (FLAT, (0.2, 3))
        for x in ((0, 2), (1, 1), (5, 5), (3, 17))
        for e in (0.1, 0.8, 2.0)
    ],
    relation=">",
    calls=(closer_than, lshist, farthest_neighbour),
    page=LAPLACE_ERROR,
)
def as_near_as_a_neighbour(prior: Any, counts: Any, epsilon: Any) -> Any:
    r"""\(\Pr[H \le LS(x)]\)."""
    return closer_than(lshist(epsilon), prior, counts, farthest_neighbour(prior, counts), ties=True)


@as_near_as_a_neighbour.instead(
    r"\Pr[H \le LS(x)] > 1 - e^{-\varepsilon}, \text{ so } ELap(x) \le LS(x) \text{ when } \gamma = e^{-\varepsilon}",
    tight={"prior": FLAT, "counts": (5, 5), "epsilon": 6.0},
    premises=AROUND,
    proof=True,
)
def laplace_ratio_corrected(prior: Any, counts: Any, epsilon: Any) -> Any:
    r"""Noise in \([-1, 2)\) is rounded to -1, 0 or 1 and moves the posterior to itself or to a neighbour, which is within
    LS(x); that has probability \(1 - \frac12(q + q^2) > 1 - q\), and clamping only brings outputs nearer.
    """
    return 1 - exp(-epsilon)


@NOTES.item(
    "4.2",
    "Theorem 4.2",
    cases=[{"C": c, "epsilon": round(0.5 / math.sqrt(c), 4)} for c in (1, 10, 100, 1000)],
    relation="<=",
    calls=(error_quantile, lshist, local_sensitivity),
    page=LAPLACE_ERROR,
)
def ratio_at_balance(C: Any, epsilon: Any) -> Any:
    r"""\(ELap(x) / (\varepsilon\, LS(x))\) at x = (1, 1)."""
    return error_over_sensitivity(number(FLAT), number((1, 1)), epsilon)


@ratio_at_balance.said(
    r"\text{there is } C \text{ with } \frac{ELap(x)}{\varepsilon\, LS(x)} \le C \varepsilon \text{ for all small } \varepsilon, \text{ when } \gamma = e^{-\varepsilon}",
    suffix="order",
    expected=REFUTED,
    origin="reading",
)
def laplace_ratio_order(C: Any, epsilon: Any) -> Any:
    r"""Printed with \(\gamma = e^{O(\varepsilon)}\), which for a positive exponent is no probability and is read as
    \(e^{-\varepsilon}\). At the balanced x = (1, 1) the ratio is exactly \(1/\varepsilon\), because
    \(\Pr[\text{out} = x] = (1 - q)/2 < 1 - q\). So every C fails once \(\varepsilon < C^{-1/2}\).
    """
    return C * epsilon


@NOTES.item(
    "4.2",
    "Theorem 4.2, proof",
    cases=[
        *({"prior": FLAT, "counts": x, "epsilon": 1.0} for x in ((0, 1), (0, 2), (1, 1), (5, 5), (2, 8))),
        {"prior": FLAT, "counts": (1, 1), "epsilon": 0.1},
    ],
    relation=">=",
    calls=(closer_than, lshist, farthest_neighbour),
    page=LAPLACE_ERROR,
)
def nearer_than_a_neighbour(prior: Any, counts: Any, epsilon: Any) -> Any:
    r"""\(\Pr[H < LS(x)]\)."""
    return closer_than(lshist(epsilon), prior, counts, farthest_neighbour(prior, counts))


@nearer_than_a_neighbour.said(
    r"\Pr[H < LS(x)] \ge 1 - \tfrac12(e^{-\varepsilon} + e^{-2\varepsilon})",
    suffix="tail",
    expected=REFUTED,
    erratum=True,
)
def laplace_tail(prior: Any, counts: Any, epsilon: Any) -> Any:
    r"""In a balanced dataset both neighbours lie at distance exactly LS(x), and a strict inequality excludes them: only x
    itself is left, with probability \((1 - q)/2\). The smallest counterexample is the single record x = (1, 0), which stays with
    probability one half.
    """
    return floor_within(epsilon, 1)


@as_near_as_a_neighbour.instead(
    r"\Pr[H \le LS(x)] \ge 1 - \tfrac12(e^{-\varepsilon} + e^{-2\varepsilon})",
    suffix="tail-corrected",
    where="Theorem 4.2, proof",
    relation=">=",
    cases=laplace_tail.cases,
    tight={"prior": FLAT, "counts": (5, 5), "epsilon": 1.0},
    premises=AROUND,
    corrects="notes/4.2-tail",
    proof=True,
)
def laplace_tail_corrected(prior: Any, counts: Any, epsilon: Any) -> Any:
    r"""Noise in \([-1, 2)\) is rounded to -1, 0 or 1 and stays within a neighbour, hence within LS(x); clamping only brings
    outputs nearer. There is equality if neither clamping nor a second step within LS(x) adds anything.
    """
    return floor_within(epsilon, 1)
