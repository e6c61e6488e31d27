r"""Theorems 4.1 to 4.4 with Corollary 4.4.1: the error of the Laplace mechanism, and the error in numbers of steps."""

import math

import numpy as np

from ...accuracy import error_quantile, error_quantiles
from ...arithmetic import approximate, exp, largest, log, number, numbers
from ...mechanisms import lshist
from ...model import count_vectors, hellinger, lattice_distances, local_sensitivity, posterior
from .. import above, at_most, below, cannot, equal, grid, statement
from ..quantities import distances, floor_within, laplace_mass
from .cases import FLAT, largest_per_step, whole_steps, within_sensitivity


@statement(
    "notes/4.1",
    "Theorem 4.1",
    says=r"$\frac{ELap(x)}{\varepsilon\, LS(x)} = O(1)$ in $n = |x| \ge 2$, $ELap(x) = \min\{t : \Pr[H < t] \ge 1 - \gamma\}$: at most $\frac{1.4824}{\varepsilon} \Bigl\lceil \frac{\ln(1/\gamma)}{\varepsilon} \Bigr\rceil$",
    holds=r"$ELap(x) \le 1.1183\, \Bigl\lceil \frac{\ln(1/\gamma)}{\varepsilon} \Bigr\rceil LS(x)$ for the prior $\mathrm{Beta}(1, 1)$",
    reading="A strict inequality does not attain the minimum, so it is read as the infimum; the constant in n is the one named.",
    given=("there are two records or more", lambda n: n >= 2),
    cases=grid(n=[2, 10], epsilon=[0.3, 2.0], gamma=[0.1, 0.4], weight=[0.001, 1]),
)
def laplace_order(n, epsilon, gamma, weight):
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
    return within_sensitivity(lshist(epsilon), prior, counts), above(1 - exp(-epsilon))


AROUND = grid(prior=[FLAT, (0.2, 3)], counts=[(1, 1), (0, 4), (5, 5), (3, 17)], epsilon=[0.8], gamma=[0.1])
BEYOND_A_STEP = [*AROUND, *({**case, "epsilon": 0.1, "gamma": 0.05} for case in AROUND)]


def farthest_in_steps(prior, counts, steps: int):
    """The largest distance to a dataset at most that many steps away."""
    x, n = int(counts[0]), int(sum(counts))
    return largest(distances(prior, counts, count_vectors(n, 2)[max(x - steps, 0) : min(x + steps, n) + 1]))


@statement(
    "notes/4.3",
    "Theorem 4.3, first inequality",
    says=r"$ELap(x) \le \max_{|k| \le \ln(1/\gamma)/\varepsilon} H(\mathrm{Beta}(\alpha, \beta), \mathrm{Beta}(\alpha + k, n - \lfloor \alpha + k \rfloor))$",
    holds=r"$ELap(x) \le \max_{|k| \le \lceil \ln(1/\gamma)/\varepsilon \rceil} H_{x+k}$",
    reading=r"lg is the natural logarithm, k is whole, and the second parameter is \(\beta - k\): as printed, \(n - \lfloor\alpha + k\rfloor\) drops the prior and is negative at x = n.",
    why="rounding down reaches one step farther on the left than on the right",
    cases=[*BEYOND_A_STEP, *({**case, "epsilon": 1.0, "gamma": 0.5} for case in AROUND)],
)
def error_in_steps(prior, counts, epsilon, gamma):
    r"""At \(\gamma = 1/2\), \(\varepsilon = 1\) only k = 0 is allowed, while the noise floors to -1 with probability
    \((1 - q)/2\), and x = (1, 1) is released with probability \((1 - q)/2 < 1/2\).

    Proof of what holds: \(|Y| \le L = \ln(1/\gamma)/\varepsilon\) has probability \(1 - \gamma\) and gives
    \(-\lceil L \rceil \le \lfloor Y \rfloor \le \lfloor L \rfloor\). Clamping to 0..n moves an output towards x, and H
    grows with the number of steps on either side.
    """
    steps = whole_steps(log(1 / gamma) / epsilon)
    exact = error_quantile(lshist(epsilon), prior, counts, gamma)
    return exact, *(at_most(farthest_in_steps(prior, counts, each)) for each in (steps, steps + 1))


@statement(
    "notes/4.3-binary-logarithm",
    "Theorem 4.3, first inequality",
    says=r"$ELap(x) \le \max_{|k| \le \log_2(1/\gamma)/\varepsilon} H(\mathrm{Beta}(\alpha, \beta), \mathrm{Beta}(\alpha + k, n - \lfloor \alpha + k \rfloor))$",
    reading="lg is the binary logarithm, which allows more steps.",
    why="rounding down reaches one step farther; ``notes/4.3`` says what holds",
    cases=[{"prior": FLAT, "counts": (1, 1), "epsilon": 1.0, "gamma": 0.6}, *BEYOND_A_STEP],
)
def error_in_binary_steps(prior, counts, epsilon, gamma):
    r"""\(\gamma = 0.6\), \(\varepsilon = 1\) allow \(\log_2(1/0.6) = 0.737\) of a step, none, and x = (1, 1) is released
    with probability \((1 - q)/2 = 0.316 < 1 - \gamma\).
    """
    steps = whole_steps(log(1 / gamma) / log(number(2)) / epsilon)
    exact = error_quantile(lshist(epsilon), prior, counts, gamma)
    return exact, at_most(farthest_in_steps(prior, counts, steps))


@statement(
    "notes/4.3-order",
    "Theorem 4.3, second inequality",
    says=r"$\max_{|k| \le m} H_{x+k} / LS(x) \le O(m)$, $m = \lg(1/\gamma)/\varepsilon$: at most $1.4824\, m$",
    holds=r"$\max_{|k| \le m} H_{x+k} \le C\, m\, LS(x)$, $C = 1.1183$ for the prior $\mathrm{Beta}(1,1)$, $C = \tfrac{1+\gamma_0}{2} = 1.4824$ for every prior",
    reading=r"The constant is \((1+\gamma_0)/2 = 1.4824\), for every prior.",
    given=("there are two categories", lambda prior: len(prior) == 2),
    cases=[*grid(prior=[FLAT, (0.01, 2)], n=[2, 30]), {"prior": FLAT, "n": 1_000_000, "x": 3, "k": -3}],
)
def steps_order(prior, n, x=None, k=None):
    r"""The exact side is the largest \(H_{x+k} / (|k|\, LS(x))\), over all x and k or at those given. The k that the
    maximum is over are whole, and at most m. The other reading of lg changes m by the factor \(\ln 2\).

    Both constants are limits as \(n \to \infty\), where the second category no longer counts. For the uniform prior it is
    three steps from x = 3 to 0,
    \[ \frac{\sqrt{1 - \Gamma(5/2)/\sqrt{\Gamma(4)\Gamma(1)}}}{3\sqrt{1 - g(3)}} = 1.11828 ; \]
    up to n = 200 all ratios are below 1.114, and at n = 256 that is no bound any more. For every prior it is two steps
    from x = 2 to 0 as \(\alpha \to 0\), where H is 1 and \(LS(2) = F(u(1))\).

    Proof: what holds, with its larger constant.

    Proof of what holds: by reflection let the \(k \ge 2\) steps lead down, from the posterior (a, b) to (c, b + k),
    c = a - k > 0. With
    \(J(s, r) = \frac12\ln\Gamma(s) + \frac12\ln\Gamma(r) - \ln\Gamma(\frac{s+r}{2})\), \(f = e^{-u}\), \(u(s) = J(s, s+1)\),
    \[ H^2 = 1 - p\, e^{-J(b, b+k)}, \quad p = e^{-J(c, c+k)}, \qquad LS(x)^2 \ge 1 - f(a-1)\, f(b) . \]
    \(J(b, b+k) \le k^2 u(b)\), as \(\psi'\) decreases. With \(\beta = f(b) \in (0, 1)\) it is therefore enough that
    \[ k^2 C^2 (1 - f(a-1)\beta) - (1 - p\,\beta^{k^2}) \ge 0 . \]
    The left side is convex in \(\beta\), and at 1 its slope \(k^2 (p - C^2 f(a-1))\) is negative, because
    \(C^2 f(a-1) \ge C^2 f(1) > 1 > p\) (for the flat prior \(C^2 f(2) > 1\)). So it is least at \(\beta = 1\), where it is
    at least 0 if
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
    """
    bounds = at_most(largest_per_step(False)), at_most(largest_per_step(tuple(prior) == FLAT))
    if k is not None:
        there = distances(prior, (x, n - x), [(x + k, n - x - k)])[0]
        return there / (abs(k) * local_sensitivity(prior, (x, n - x))), *bounds
    rows = count_vectors(int(n), 2)
    steps = abs(rows[:, None, 0] - rows[:, 0])
    per_step = lattice_distances(numbers(prior), rows) / np.maximum(steps, 1)
    return largest(per_step / local_sensitivity(prior, rows)[:, None]), *bounds


exponent_order = cannot(
    "notes/4.4",
    "Theorem 4.4",
    says=r"for $\gamma = e^{O(k)\varepsilon}$, $O(\lg(1/\gamma)/\varepsilon)$ is bounded by $O(k)$",
    holds=r"$ELap(x) \le \max_{|j| \le k} H_{x+j}$ for $\gamma = e^{-k\varepsilon}$: $\Pr[|\mathrm{out} - x| \le k] \ge 1 - \tfrac12(e^{-k\varepsilon} + e^{-(k+1)\varepsilon}) > 1 - e^{-k\varepsilon}$",
    why=r"with a positive exponent \(\gamma\) exceeds 1; with a negative one the statement repeats its definition, \(\ln(e^{k\varepsilon})/\varepsilon = k\)",
)


@exponent_order.instead(cases=grid(counts=[(0, 1), (1, 1), (5, 5), (3, 17)], epsilon=[0.1, 0.8], k=[1, 2, 3]))
def exponent_corrected(counts, epsilon, k):
    r"""Proof: \(-k \le \lfloor Y \rfloor \le k\) has the probability stated, and clamping only adds to it."""
    law = lshist(epsilon).law(number(FLAT), counts)
    near = abs(law.outputs[:, 0] - int(counts[0])) <= int(k)
    return law.probabilities[near].sum(), above(1 - exp(-k * epsilon))


@statement(
    "notes/4.4.1-distance",
    "Corollary 4.4.1, equation (1)",
    says=r"$H(\mathrm{Beta}(\alpha, \beta), \mathrm{Beta}(\alpha + k, n - \lfloor \alpha + k \rfloor)) \le LS(x)$ for $-1 \le k < 2$",
    holds=r"$H(\mathrm{Beta}(\alpha, \beta), \mathrm{Beta}(\alpha + \lfloor k \rfloor, \beta - \lfloor k \rfloor)) \le LS(x)$ for $-1 \le k < 2$",
    reading=r"The second parameter is \(\beta - \lfloor k \rfloor\).",
    why="the first parameter moves by nearly 2 while the second moves by 1, and their total changes",
    cases=grid(prior=[FLAT], counts=[(1, 1), (5, 5)], k=[-0.5, 0.5, 1.0, 1.99]),
)
def one_step(prior, counts, k):
    """The posterior may move farther than to any neighbour."""
    (a, b), whole = posterior(prior, counts), math.floor(approximate(k))
    return hellinger((a, b), (a + k, b - whole)), at_most(local_sensitivity(prior, counts))


@one_step.instead(given=("both categories have a record", lambda counts: min(counts) >= 1))
def one_step_corrected(prior, counts, k):
    r"""Proof: \(\lfloor k \rfloor\) is -1, 0 or 1: x itself or a neighbour, and LS(x) is the distance to the farthest one."""
    (a, b), whole = posterior(prior, counts), math.floor(approximate(k))
    return hellinger((a, b), (a + whole, b - whole)), at_most(local_sensitivity(prior, counts))


@statement(
    "notes/4.4.1-tail",
    "Corollary 4.4.1, proof",
    says=r"$\Pr[|k| \le b/\varepsilon] = 1 - e^{-b}$ for $k \sim \mathrm{Lap}(0, 1/\varepsilon)$",
    cases=grid(b=[0.5, 3.0], epsilon=[0.1, 2.0]),
)
def laplace_absolute(b, epsilon):
    r"""Proof: \(|k|\) is exponential with rate \(\varepsilon\). The cases integrate the density."""
    return 2 * laplace_mass(epsilon, 0, b / epsilon), equal(1 - exp(-b))


@statement(
    "notes/4.4.1-probability",
    "Corollary 4.4.1, equation (2)",
    says=r"$\Pr[-1 \le k < 2] = 1 - \tfrac12(e^{-\varepsilon} + e^{-2\varepsilon})$ for $k \sim \mathrm{Lap}(0, 1/\varepsilon)$",
    cases=grid(epsilon=[0.1, 0.8, 2.0]),
)
def laplace_interval(epsilon):
    r"""The exact side is an integral of the density.

    Proof: the complement has the probability \(\Pr[k < -1] + \Pr[k \ge 2] = q/2 + q^2/2\).
    """
    return laplace_mass(epsilon, -1, 2), equal(floor_within(epsilon, 1))


def one_step_exponent(epsilon):
    r"""\(\frac{1}{\varepsilon} \ln \frac{2}{e^{-\varepsilon} + e^{-2\varepsilon}}\)."""
    return log(2 / (exp(-epsilon) + exp(-2 * epsilon))) / epsilon


@statement(
    "notes/4.4.1",
    "Corollary 4.4.1",
    says=r"$\frac{1}{\varepsilon} \ln \frac{2}{e^{-\varepsilon} + e^{-2\varepsilon}} < 2$",
    holds=r"$\frac{1}{\varepsilon} \ln \frac{2}{e^{-\varepsilon} + e^{-2\varepsilon}} < \frac32$, the limit for small $\varepsilon$",
    reading="lg is the natural logarithm; on the right the corollary has the constant 2.",
    cases=grid(epsilon=[0.001, 0.1, 0.8, 3.0, 20.0]),
)
def one_step_order(epsilon):
    r"""For its purpose the bound is not needed: \(ELap \le LS(x)\) at this \(\gamma\) by ``notes/4.2-order``, a ratio of 1.

    Proof: what holds is sharper.

    Proof of what holds: \(\frac12(q + q^2) > q^{3/2}\), the means being of different numbers; equality as
    \(\varepsilon \to 0\).
    """
    return one_step_exponent(epsilon), below(number(2)), below(number(1.5))


@statement(
    "notes/4.4.1-binary-logarithm",
    "Corollary 4.4.1",
    says=r"$\frac{1}{\varepsilon} \log_2 \frac{2}{e^{-\varepsilon} + e^{-2\varepsilon}} < 2$",
    reading="lg is the binary logarithm.",
    why=r"the limit at \(\varepsilon \to 0\) is \(1.5 / \ln 2 = 2.164\)",
    cases=one_step_order.cases,
)
def one_step_binary(epsilon):
    """It fails for small epsilon; what holds is in ``notes/4.4.1``."""
    return one_step_exponent(epsilon) / log(number(2)), below(number(2))
