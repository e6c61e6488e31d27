r"""Theorems 4.1 and 4.2: the error of the Laplace mechanism beside the local sensitivity."""

import math

from ...accuracy import closer_than, error_quantile, error_quantiles
from ...arithmetic import exp, largest, log, number
from ...mechanisms import lshist
from ...model import count_vectors, farthest_neighbour, local_sensitivity
from .. import above, at_most, grid, statement
from .cases import FLAT, largest_per_step, whole_steps


@statement(
    "notes/4.1",
    "Theorem 4.1",
    says=r"$\frac{ELap(x)}{\varepsilon\, LS(x)} = O(1)$ in $n = |x| \ge 2$, $ELap(x) = \min\{t : \Pr[H < t] \ge 1 - \gamma\}$: at most $\frac{1.4824}{\varepsilon} \Bigl\lceil \frac{\ln(1/\gamma)}{\varepsilon} \Bigr\rceil$",
    holds=r"$ELap(x) \le 1.1183\, \Bigl\lceil \frac{\ln(1/\gamma)}{\varepsilon} \Bigr\rceil LS(x)$ for the prior $\mathrm{Beta}(1, 1)$",
    reading="A strict inequality does not attain the minimum, so it is read as the infimum; the constant in n is the one named.",
    why="sharper: a smaller constant at the flat prior",
    given=lambda n: n >= 2,
    cases=[
        *grid(n=[2, 10], epsilon=[0.3, 0.8, 2.0], gamma=[0.1, 0.4]),
        *grid(n=[30], epsilon=[0.8], gamma=[0.1], weight=[0.001, 1, 100]),
    ],
)
def laplace_order(n, epsilon, gamma, weight=1):
    r"""The exact side is the worst \(ELap(x)/(m\,LS(x))\) over all x, with two equal prior weights and
    \(m = \lceil \ln(1/\gamma)/\varepsilon \rceil\). No decimal \(\gamma\) and \(\varepsilon\) make the quotient whole.

    Proof: with \(\varepsilon\) and \(\gamma\) fixed the right side is a constant in n, for every prior. By ``notes/4.3``
    the error is within m steps, and j of them go at most \(1.4824\,j\,LS\) (``notes/4.3-order``).

    Proof of what holds: m steps go at most \(1.1183\,m\,LS\) there.
    """
    prior, m = number((weight, weight)), whole_steps(log(1 / gamma) / epsilon) + 1
    errors = error_quantiles(lshist(epsilon), prior, n, gamma)
    worst = largest(errors / (m * local_sensitivity(prior, count_vectors(int(n), 2))))
    return worst, at_most(largest_per_step(False)), at_most(largest_per_step(weight == 1))


@statement(
    "notes/4.2-order",
    "Theorem 4.2",
    says=r"there is $C$ with $\frac{ELap(x)}{\varepsilon\, LS(x)} \le C \varepsilon$ for all small $\varepsilon$, when $\gamma = e^{-\varepsilon}$",
    holds=r"$\Pr[H \le LS(x)] > 1 - e^{-\varepsilon}$, so $ELap(x) \le LS(x)$ when $\gamma = e^{-\varepsilon}$",
    reading=r"The printed \(\gamma = e^{O(\varepsilon)}\) is no probability for a positive exponent, and is read as \(e^{-\varepsilon}\).",
    why=r"at the balanced x = (1, 1) the ratio is \(1/\varepsilon\)",
    cases=[{"C": c, "epsilon": round(0.5 / math.sqrt(c), 4)} for c in (1, 10, 100, 1000)],
)
def laplace_ratio_order(C, epsilon):
    r"""At x = (1, 1) the ratio is exactly \(1/\varepsilon\), because \(\Pr[\text{out} = x] = (1 - q)/2 < 1 - q\). So every C
    fails once \(\varepsilon < C^{-1/2}\).
    """
    prior, counts = number(FLAT), number((1, 1))
    error = error_quantile(lshist(epsilon), prior, counts, exp(-epsilon))
    return error / (epsilon * local_sensitivity(prior, counts)), at_most(C * epsilon)


@laplace_ratio_order.instead(
    cases=grid(prior=[FLAT, (0.2, 3)], counts=[(0, 1), (0, 2), (1, 1), (5, 5), (3, 17)], epsilon=[0.1, 1.0])
)
def within_a_neighbour(prior, counts, epsilon):
    r"""Proof: noise in \([-1, 2)\) is rounded to -1, 0 or 1 and moves the posterior to itself or to a neighbour, which is
    within LS(x); that has probability \(1 - \frac12(q + q^2) > 1 - q\), and clamping only brings outputs nearer.
    """
    exact = closer_than(lshist(epsilon), prior, counts, farthest_neighbour(prior, counts), ties=True)
    return exact, above(1 - exp(-epsilon))
