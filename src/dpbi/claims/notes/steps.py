r"""Theorems 4.1 to 4.4 and Corollary 4.4.1 of the notes: the error of the Laplace mechanism as a distance and as a
number of steps."""

import math

import numpy as np

from ...accuracy import error_quantiles
from ...accuracy.errors import error_exceeded_by
from ...arithmetic import approximate, exp, largest, log, number, numbers
from ...mechanisms import lshist
from ...model import count_vectors, hellinger, lattice_distances, local_sensitivity, posterior
from .. import above, at_least, at_most, below, equal, grid, statement
from ..quantities import distances, floor_within, laplace_mass
from .cases import FLAT, SECTION_4, largest_per_step, whole_steps


@statement(
    "notes/4.1",
    "Theorem 4.1",
    says=r"$\frac{ELap(x)}{\varepsilon \times LS(x)}$ is $O(1)$, considering $n = |x| \ge 2$ being the parameter, $ELap(x) = \arg(\min_t \{\Pr[H < t] \ge 1 - \gamma\})$",
    holds=r"$ELap(x) \le C\, \Bigl\lceil \frac{\ln(1/\gamma)}{\varepsilon} \Bigr\rceil LS(x)$ with $C = 1.1183$ for the prior $\mathrm{Beta}(1, 1)$, and $C = 1.4824$ for every prior",
    reading=r"the minimum is an infimum, because with the strict inequality it is not attained; the bound, constant in n, is \(\frac{1.4824}{\varepsilon} \lceil \frac{\ln(1/\gamma)}{\varepsilon} \rceil\)",
    given=(rf"{SECTION_4[0]}, and $\gamma < 1$", lambda prior, n, gamma: len(prior) == 2 and n >= 2 and gamma < 1),
    cases=grid(n=[2, 10], epsilon=[0.3, 2.0], gamma=[0.1, 0.4], prior=[(0.001, 0.001), FLAT]),
)
def laplace_order(n, epsilon, gamma, prior):
    r"""The exact number is the largest \(ELap(x)/(m\,LS(x))\) over all x, where
    \(m = \lceil \ln(1/\gamma)/\varepsilon \rceil\). If \(\gamma < 1\) and \(\varepsilon\) are decimals, the quotient
    \(\ln(1/\gamma)/\varepsilon\) is never an integer. For three categories, LSHist adds noise of twice the scale to two
    counts. For example, let the prior be flat, x = (10, 10, 10), \(\varepsilon = 1\) and \(\gamma = 0.4\). Then m = 1,
    but the error is 3.15 LS(x).

    Proof: for fixed \(\varepsilon\) and \(\gamma\) and every prior, the right side of the corrected bound is constant
    in n. By ``notes/4.3``, the error ELap(x) is at most the largest distance reached by m steps, and j steps lead to a
    distance of at most \(1.4824\,j\,LS(x)\) (``notes/4.3-order``).

    Proof of what holds: the previous argument proves the bound for every prior. For the flat prior, m steps lead to a
    distance of at most \(1.1183\,m\,LS(x)\) (``notes/4.3-order``).
    """
    # the floor plus one is the ceiling, because the quotient is never an integer
    m = whole_steps(log(1 / gamma) / epsilon) + 1
    errors = error_quantiles(lshist(epsilon), number(prior), n, 1 - gamma)
    worst = largest(errors / (m * local_sensitivity(prior, count_vectors(int(n), 2))))
    return worst, at_most(largest_per_step(False)), at_most(largest_per_step(tuple(prior) == FLAT))


RATIO = r"for $\gamma = e^{O(\varepsilon)}$, $\frac{ELap(x)}{\varepsilon \times LS(x)}$ is $O(\varepsilon)$"
AS_IN_THE_PROOF = r"\(\gamma = e^{-\varepsilon}\), as in the proof, because a positive exponent gives \(\gamma > 1\)"


def error_ratio(prior, counts, epsilon):
    r"""Ratio \(ELap(x) / (\varepsilon\, LS(x))\) for \(\gamma = e^{-\varepsilon}\)."""
    error = error_exceeded_by(lshist(epsilon), number(prior), number(counts), exp(-epsilon))
    return error / (epsilon * local_sensitivity(number(prior), number(counts)))


@statement(
    "notes/4.2-order",
    "Theorem 4.2",
    says=RATIO,
    holds=r"the ratio is at most $1/\varepsilon$, with equality at $x = (1, 1)$ and the flat prior",
    reading=rf"{AS_IN_THE_PROOF}; the bound is an order in \(\varepsilon\), with one constant C for all \(\varepsilon\)",
    why=r"for small \(\varepsilon\) the ratio is \(1/\varepsilon\), as in the last line of the proof",
    cases=[{"C": c, "epsilon": round(0.5 / math.sqrt(c), 4)} for c in (1, 10, 100, 1000)],
)
def laplace_ratio_order(C, epsilon):
    r"""The exact number is the ratio for x = (1, 1) and the flat prior. This ratio is \(1/\varepsilon\), because
    \(\Pr[\text{out} = x] = (1 - q)/2 < 1 - q\). So for every constant C, the bound fails if \(\varepsilon < C^{-1/2}\).
    The constant C = 1 is sufficient for all \(\varepsilon \ge 1\).

    Proof of what holds: ``notes/4.2-order-in-n`` proves the bound. For x = (1, 1) and the flat prior, equality follows
    from \(\Pr[\text{out} = x] < 1 - q\).
    """
    return error_ratio(FLAT, (1, 1), epsilon), at_most(C * epsilon), equal(1 / epsilon)


@statement(
    "notes/4.2-order-in-n",
    "Theorem 4.2",
    says=RATIO,
    holds=r"$ELap(x) \le LS(x)$, so the ratio is at most $\frac1\varepsilon = \frac{1}{\varepsilon^2}\, \varepsilon$",
    reading=rf"{AS_IN_THE_PROOF}; as in Theorem 4.1, the parameter is n, so the constant may depend on \(\varepsilon\)",
    given=SECTION_4,
    cases=grid(prior=[FLAT, (0.2, 3)], counts=[(0, 2), (1, 1), (5, 5), (3, 17)], epsilon=[0.1, 1.0]),
)
def laplace_ratio_order_in_n(prior, counts, epsilon):
    r"""Proof: the sharper bound, which is proved next, holds for every n.

    Proof of what holds: by ``notes/4.5.3-lshist``, \(\Pr[H \le LS(x)] > 1 - e^{-\varepsilon}\).
    """
    found, most = error_ratio(prior, counts, epsilon), at_most(1 / epsilon)
    return found, most, most


NOISE = r"k is the noise; both parameters are rounded as in Algorithm 2 and clamped, and are then the parameters of the posterior of a count; lg is the natural logarithm"
ONE_STEP = r"$H(\mathrm{Beta}(\alpha, \beta), \mathrm{Beta}(\alpha + k, n - \lfloor \alpha + k \rfloor)) \le LS(x)$ for $-1 \le k < 2$"
AWAY = (
    "there are two categories, and both contain a record",
    lambda prior, counts: len(prior) == 2 and min(counts) >= 1,
)


@statement(
    "notes/4.3",
    "Theorem 4.3, first inequality",
    says=r"$\arg\min_t \{\Pr[H < t] \ge 1 - \gamma\} \le \max_{|k| \le \lg(1/\gamma)/\varepsilon} H(\mathrm{Beta}(\alpha, \beta), \mathrm{Beta}(\alpha + k, n - \lfloor \alpha + k \rfloor))$",
    holds=r"it is sufficient to maximise over the integers k from $-\lceil \ln(1/\gamma)/\varepsilon \rceil$ to $\lfloor \ln(1/\gamma)/\varepsilon \rfloor$",
    reading=NOISE,
    given=SECTION_4,
    cases=grid(prior=[FLAT, (0.2, 3)], counts=[(1, 1), (0, 4), (5, 5), (3, 17)], epsilon=[0.1, 1.0], gamma=[0.05, 0.5]),
    aliases=("notes/4.3-binary-logarithm",),
)
def error_in_steps(prior, counts, epsilon, gamma):
    r"""If lg is the binary logarithm, the maximum is over a larger range of k, so the statement remains true. Since
    noise is rounded down, it reaches one step farther down than up. For example, k ranges from -0.69 to 0.69 for
    \(\gamma = 1/2\) and \(\varepsilon = 1\), and the only integer in this range is 0. But LSHist releases x = (1, 1)
    itself with a probability of only \((1 - q)/2 < 1/2\), and the noise is rounded down to -1 with the same
    probability. So it is not sufficient to maximise over the integers in the range.

    Proof: the corrected range contains the integers \(\lfloor k \rfloor\) for all k in the printed range.

    Proof of what holds: the event \(|Y| \le L = \ln(1/\gamma)/\varepsilon\) has probability \(1 - \gamma\) and implies
    \(-\lceil L \rceil \le \lfloor Y \rfloor \le \lfloor L \rfloor\). Clamping to 0..n moves an output towards x, and on
    either side of x the distance H increases with the number of steps from x.
    """
    up, x = whole_steps(log(1 / gamma) / epsilon), int(counts[0])
    reached = count_vectors(int(sum(counts)), 2)[max(x - up - 1, 0) : x + up + 1]
    most = at_most(largest(distances(prior, counts, reached)))
    return error_exceeded_by(lshist(epsilon), prior, counts, gamma), most, most


@statement(
    "notes/4.3-order",
    "Theorem 4.3, second inequality",
    says=r"$\frac{1}{LS(x)} \max_{|k| \le \lg(1/\gamma)/\varepsilon} H(\mathrm{Beta}(\alpha, \beta), \mathrm{Beta}(\alpha + k, n - \lfloor \alpha + k \rfloor)) \le O\Bigl(\frac{\lg(1/\gamma)}{\varepsilon}\Bigr)$",
    holds=r"$H_{x+j} \le C\, |j|\, LS(x)$ with $C = 1.1183$ for the prior $\mathrm{Beta}(1,1)$, and $C = \tfrac{1+\gamma_0}{2} = 1.4824$ for every prior",
    reading=rf"{NOISE}; the constant is 1.4824 for each of at most \(\lceil \lg(1/\gamma)/\varepsilon \rceil\) steps, and \(\lg(1/\gamma)/\varepsilon\) is at least 1",
    given=("there are two categories", lambda prior: len(prior) == 2),
    cases=grid(prior=[FLAT, (0.01, 2)], n=[2, 30]),
)
def steps_order(prior, n):
    r"""The exact number is the largest \(H_{x+j} / (|j|\, LS(x))\) over all x and j. With
    \(m = \lg(1/\gamma)/\varepsilon \ge 1\), the bound \(1.4824 \lceil m \rceil\) is at most 2.965 m. If lg is the
    binary logarithm, m changes by the factor \(1/\ln 2\).

    The constants 1.1183 and 1.4824 are limits as \(n \to \infty\), where the second category no longer contributes. For
    the flat prior, the ratio for the three steps from x = 3 to 0 approaches
    \[ \frac{\sqrt{1 - \Gamma(5/2)/\sqrt{\Gamma(4)\Gamma(1)}}}{3\sqrt{1 - g(3)}} = 1.11828 . \]
    For \(n \le 200\) all ratios are below 1.114, but for n = 256 some ratio is larger. The constant for every prior is
    approached by the ratio for the two steps from x = 2 to 0 as \(\alpha \to 0\), where \(H \to 1\) and
    \(LS(2) \to F(u(1))\).

    Proof: the printed statement follows from the sharper bound with C = 1.4824.

    Proof of what holds: for one step the bound is clear, and by reflection we may assume that the \(k \ge 2\) steps
    lead down. They lead from the posterior with the parameters (a, b) to the posterior with the parameters (c, b + k),
    where c = a - k > 0. Let \(J(s, r) = \frac12\ln\Gamma(s) + \frac12\ln\Gamma(r) - \ln\Gamma(\frac{s+r}{2})\),
    \(f = e^{-u}\) and \(u(s) = J(s, s+1)\). Then
    \[ H^2 = 1 - p\, e^{-J(b, b+k)}, \quad p = e^{-J(c, c+k)}, \qquad LS(x)^2 \ge 1 - f(a-1)\, f(b) . \]
    Since \(\psi'\) decreases, \(J(b, b+k) \le k^2 u(b)\). With \(\beta = f(b) \in (0, 1)\), it is therefore sufficient
    that
    \[ k^2 C^2 (1 - f(a-1)\beta) - (1 - p\,\beta^{k^2}) \ge 0 . \]
    The left side is convex in \(\beta\). At \(\beta = 1\) its slope \(k^2 (p - C^2 f(a-1))\) is negative, because
    \(C^2 f(a-1) \ge C^2 f(1) > 1 > p\) for C = 1.4824 and \(C^2 f(a-1) \ge C^2 f(2) > 1 > p\) for the flat prior. So
    the left side is smallest at \(\beta = 1\), where it is nonnegative if
    \[ 1 - p \le k^2 C^2 (1 - f(c + k - 1)) \qquad (k \ge 2,\ c > 0). \]

    *Far from the end*, that is, for \(c \ge 4k\), use the upper bounds
    \(1 - p \le J(c, c+k) \le \frac{k^2}{16}(\psi'(c) + \psi'(c+k))\) and
    \(\psi'(z) < \frac1z + \frac1{2z^2} + \frac1{6z^3}\). With \(A = c + k - 1\), use also the lower bound
    \(1 - f(A) \ge \frac{1}{8A}(1 - \frac{1}{16A} - \frac{1}{24A^2})\). The ratio of \(1 - p\) to \(k^2 (1 - f(A))\) is
    then at most
    \((1 + \frac{k}{2c})(1 + \frac{1}{2c} + \frac{1}{6c^2}) / (1 - \frac1{16c} - \frac1{24c^2}) < 1.21 < C^2\).

    *Many steps*, that is, c < 4k and k > 32: here A < 5k, and therefore \(k^2 C^2 (1 - f(A)) \ge 1\).

    *Two steps to the end*, that is, k = 2 and \(c \le \frac12\): here \(p = \sqrt{c/(c+1)}\), and the constant for
    every prior satisfies \(4C^2 = 1/(1 - f(1))\). Since f is concave, \(f(1 + c) \le f(1) + f'(1) c\). Because
    \(f'(1)/(1 - f(1)) = 0.886\), it remains to verify that \(\sqrt{c/(c+1)} \ge 0.886\, c\), which holds for
    \(c \le \frac12\).

    *The remaining cases*, in which \(2 \le k \le 32\) and c < 4k, are certified in the tests by interval arithmetic.
    For the flat prior c is an integer, and the tests cover every such c. For general priors, the tests cover intervals
    of c. Since p and f increase with c, their values at the ends of an interval enclose both sides of the inequality.
    """
    rows = count_vectors(int(n), 2)
    steps = abs(rows[:, None, 0] - rows[:, 0])
    # x is at distance 0 from itself, and the maximum with 1 avoids the ratio 0/0
    per_step = lattice_distances(numbers(prior), rows) / np.maximum(steps, 1)
    most = largest(per_step / local_sensitivity(prior, rows)[:, None])
    return most, at_most(largest_per_step(False)), at_most(largest_per_step(tuple(prior) == FLAT))


@statement(
    "notes/4.4",
    "Theorem 4.4",
    says=r"for $\gamma = e^{O(k)\varepsilon}$, $O(\frac{\lg\frac1\gamma}{\varepsilon})$ is bounded by $O(k)$",
    holds=r"$\Pr[|\mathrm{out} - x| \le k] \ge 1 - \tfrac12(e^{-k\varepsilon} + e^{-(k+1)\varepsilon})$, and therefore $ELap(x) \le \max_{|j| \le k} H_{x+j}$ for $\gamma = e^{-k\varepsilon}$",
    reading=r"\(\gamma = e^{-k\varepsilon}\) with an integer k, as in the proof, because a positive exponent would give \(\gamma > 1\); the statement is that a release is within k steps with probability greater than \(1 - \gamma\)",
    given=("there are two categories", lambda counts: len(counts) == 2),
    cases=grid(counts=[(0, 1), (1, 1), (5, 5), (3, 17)], epsilon=[0.1, 0.8], k=[1, 2, 3]),
)
def exponent_order(counts, epsilon, k):
    r"""Taken literally, the printed sentence only states the identity \(\ln(e^{k\varepsilon})/\varepsilon = k\).

    Proof: the sharper bound implies the printed statement.

    Proof of what holds: the event \(-k \le \lfloor Y \rfloor \le k\) has the stated probability, and clamping can only
    increase the probability of being within k steps.
    """
    law = lshist(epsilon).law(number(FLAT), counts)
    near = abs(law.outputs[:, 0] - int(counts[0])) <= int(k)
    return law.probabilities[near].sum(), above(1 - exp(-k * epsilon)), at_least(floor_within(epsilon, k))


@statement(
    "notes/4.4.1-distance",
    "Corollary 4.4.1, equation (1)",
    says=ONE_STEP,
    reading=r"\(\alpha + k\) is not rounded; the second parameter is \(\beta - \lfloor k \rfloor\), because \(n - \lfloor \alpha + k \rfloor\) omits the prior",
    why="a floor is missing: the first parameter may change by nearly 2 while the second changes by 1",
    given=AWAY,
    cases=grid(prior=[FLAT], counts=[(1, 1), (5, 5)], k=[-0.5, 0.5, 1.0, 1.99]),
)
def one_step(prior, counts, k):
    """Without rounding, the released posterior may be farther from the posterior of x than any neighbour's posterior
    is."""
    (a, b), whole = posterior(prior, counts), math.floor(approximate(k))
    return hellinger((a, b), (a + k, b - whole)), at_most(local_sensitivity(prior, counts))


@statement(
    "notes/4.4.1-distance-rounded",
    "Corollary 4.4.1, equation (1)",
    says=ONE_STEP,
    reading=r"both parameters are rounded as in Algorithm 2: \(\mathrm{Beta}(\alpha + \lfloor k \rfloor, \beta - \lfloor k \rfloor)\)",
    given=AWAY,
    cases=one_step.cases,
)
def one_step_rounded(prior, counts, k):
    r"""If x is 0 or n, a step of \(\lfloor k \rfloor\) may leave 0..n, which the algorithm prevents by clamping. For
    example, for the prior (1.1, 5) and x = (0, 5), the step k = -1 would lead to a distance of 0.715, whereas LS(x) is
    0.342.

    Proof: \(\lfloor k \rfloor\) is -1, 0 or 1, so the second posterior is the posterior of x or of a neighbour. LS(x)
    is the distance to the farthest neighbour.
    """
    (a, b), whole = posterior(prior, counts), math.floor(approximate(k))
    return hellinger((a, b), (a + whole, b - whole)), at_most(local_sensitivity(prior, counts))


@statement(
    "notes/4.4.1-tail",
    "Corollary 4.4.1, proof",
    says=r"$\Pr[|k| \le b/\varepsilon] = 1 - e^{-b}$ for $k \sim \mathrm{Lap}(0, 1/\varepsilon)$",
    given=(r"$b \ge 0$", lambda b: b >= 0),
    cases=grid(b=[0.5, 3.0], epsilon=[0.1, 2.0]),
)
def laplace_absolute(b, epsilon):
    r"""Proof: \(|k|\) is exponentially distributed with rate \(\varepsilon\). The check computes the probability as an
    integral of the density."""
    return 2 * laplace_mass(epsilon, b / epsilon), equal(1 - exp(-b))


@statement(
    "notes/4.4.1-probability",
    "Corollary 4.4.1, equation (2)",
    says=r"$\Pr[-1 \le k < 2] = 1 - \tfrac12(e^{-\varepsilon} + e^{-2\varepsilon})$ for $k \sim \mathrm{Lap}(0, 1/\varepsilon)$",
    cases=grid(epsilon=[0.1, 0.8, 2.0]),
)
def laplace_interval(epsilon):
    r"""The exact number is the sum of the integrals of the Laplace density from 0 to 1 and from 0 to 2.

    Proof: the complement has the probability \(\Pr[k < -1] + \Pr[k \ge 2] = q/2 + q^2/2\).
    """
    return laplace_mass(epsilon, 1) + laplace_mass(epsilon, 2), equal(floor_within(epsilon, 1))


@statement(
    "notes/4.4.1",
    "Corollary 4.4.1",
    says=r"for $-1 \le k < 2$, $O(\frac{\lg\frac1\gamma}{\varepsilon})$ is bounded by $O(1)$: $O\Bigl(\frac{\lg(\frac{2}{\exp(-\varepsilon) + \exp(-2\varepsilon)})}{\varepsilon}\Bigr) < O\Bigl(\frac{\lg(\frac{2}{2\exp(-2\varepsilon)})}{\varepsilon}\Bigr) = 2$",
    holds=r"$\frac{1}{\varepsilon} \ln \frac{2}{e^{-\varepsilon} + e^{-2\varepsilon}} < \frac32$, which is the limit as $\varepsilon \to 0$",
    reading="the constant is 2; lg is the natural logarithm, because the last equation is correct only with this logarithm",
    cases=grid(epsilon=[0.001, 0.1, 0.8, 3.0, 20.0]),
    aliases=("notes/4.4.1-binary-logarithm",),
)
def one_step_order(epsilon):
    r"""The conclusion of the corollary does not depend on the printed bound: for the corollary's \(\gamma\),
    \(ELap(x) \le LS(x)\) by ``notes/4.5.3-lshist``, so \(ELap(x)/LS(x) \le 1\). With the binary logarithm, the last
    expression would be \(2/\ln 2 = 2.885\) instead of 2, and the first would stay below \(1.5/\ln 2 = 2.164\).

    Proof: the sharper bound implies the printed bound.

    Proof of what holds: \(\frac12(q + q^2) > q^{3/2}\), because the arithmetic mean of two different numbers exceeds
    their geometric mean. As \(\varepsilon \to 0\), the two means become equal.
    """
    return log(2 / (exp(-epsilon) + exp(-2 * epsilon))) / epsilon, below(number(2)), below(number(1.5))
