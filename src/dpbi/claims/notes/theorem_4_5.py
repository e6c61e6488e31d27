r"""Theorem 4.5 of the notes: the probability of an error below t, for two categories.

There are \(n \ge 2\) records, x of them in the first category. The error H of a release grows with the number of steps
between the released count and x. So the event H < t means that the released count is in an interval that extends
\(k_-\) steps down and \(k_+\) steps up from x. The notes use a single k for \(k_-\) and \(k_+\), and we read this k as
\(k_+\).
"""

from functools import partial
from operator import ge, le

from ...accuracy import error_below, steps_within
from ...arithmetic import exp, maximum, minimum, number, numbers
from ...mechanisms import ehd, ehdl, lshist, lszhang
from ...model import local_sensitivity
from ...model.distances import distance
from .. import above, at_least, at_most, below, equal, grid, rows, statement
from ..quantities import floor_within, floored_laplace_below, printed_rate, printed_sensitivity
from .cases import FLAT, INSIDE_T, away_from_the_ends, largest_per_step, steps_down

EVEN = rows(
    "prior counts epsilon t", (FLAT, (4, 4), 2.0, 0.3), (FLAT, (3, 17), 0.1, 0.2), ((0.5, 0.5), (10, 10), 0.8, 0.71)
)
"""Parameter values for which at most as many steps down as up keep the error below t."""
AROUND = [
    *EVEN,
    *grid(prior=[FLAT], counts=[(1, 2), (2, 1)], epsilon=[0.1, 0.8], t=[0.35]),  # one step on one side only
]
FEW = [*AROUND, *grid(prior=[FLAT], counts=[(1, 1), (7, 7)], epsilon=[0.1, 1.0], t=[0.1])]
"""The parameter values of ``AROUND``, and some for which no step keeps the error below t."""
FAR = {"prior": (1e-9, 1e-9), "counts": (0, 1000), "epsilon": 2.0, "t": 0.5}
"""Parameter values for which almost all candidates are at a distance near one, so that the upper bounds are nearly
attained."""

STEPS_UP = r"k is the number \(k_+\) of steps up that keep the error below t"
COMPLETED = f"{STEPS_UP}; LSZhang is completed like LSDim: the last count is n minus the others"
FOR_EHDL = f"{STEPS_UP}; where the notes print EHD with LS(x), they mean EHDL"

statement_on_t = partial(statement, given=INSIDE_T, reading=STEPS_UP)

# Noise on the count


@statement_on_t(
    "notes/4.5-lshist",
    "Theorem 4.5, LSHist, equation",
    says=r"$\Pr[H < t] = 1 - \frac12(e^{-k\varepsilon} + e^{-(k+1)\varepsilon})$",
    holds=r"$\Pr[H < t] = 1 - \frac12 e^{-k_-\varepsilon}\,[x > k_-] - \frac12 e^{-(k_+ + 1)\varepsilon}\,[x + k_+ < n]$",
    why="different numbers of steps down and up may keep the error below t, and the noisy count is clamped to 0..n",
    only_if=("equally many steps down and up keep the error below t, and none reaches 0 or n", away_from_the_ends),
    cases=[*AROUND, {"prior": FLAT, "counts": (1, 1), "epsilon": 0.8, "t": 0.9}],
)
def lshist_equation(prior, counts, epsilon, t):
    r"""If x = (1, 1) and one step on either side keeps the error below t, then every candidate has an error below t,
    and the probability is 1.

    Proof: under the condition, H < t is the event \(-k_- \le \lfloor Y \rfloor \le k_+\) for the noise Y. The
    complement of this event consists of two tails of Y, with the probabilities \(\frac12 e^{-k_-\varepsilon}\) and
    \(\frac12 e^{-(k_+ + 1)\varepsilon}\). For \(k_- = k_+\) this gives the printed probability.

    Proof of what holds: H < t is the event that the output is in the interval from \(x - k_-\) to \(x + k_+\). Without
    clamping, the output is below this interval if \(Y < -k_-\), and above it if \(Y \ge k_+ + 1\). If the interval
    contains 0 or n, clamping moves all outputs beyond this end into the interval.
    """
    _, k = steps_within(prior, counts, t)
    exact = error_below(lshist(epsilon), prior, counts, t)
    return exact, equal(floor_within(epsilon, k)), equal(floored_laplace_below(prior, counts, epsilon, t))


@statement_on_t(
    "notes/4.5-lshist-lower",
    "Theorem 4.5, LSHist, inequality",
    says=r"$\Pr[H < t] \ge 1 - e^{-k\varepsilon}$",
    holds=r"$\Pr[H < t] \ge 1 - e^{-\min(k_-, k_+)\,\varepsilon}$",
    why="fewer steps down than up may keep the error below t",
    only_if=("at least as many steps down as up keep the error below t", steps_down(ge)),
    cases=lshist_equation.cases,
)
def lshist_lower(prior, counts, epsilon, t):
    r"""At x = (1, 2) and t = 0.35, one step up keeps the error below t, but no step down does.

    Proof: if \(k_- \ge k_+\), then \(\min(k_-, k_+) = k\), and the corrected bound is the printed one.

    Proof of what holds: in the corrected equation of ``notes/4.5-lshist``, each of the two tail probabilities is at
    most \(\frac12 e^{-\min(k_-, k_+)\varepsilon}\).
    """
    down, up = steps_within(prior, counts, t)
    exact = error_below(lshist(epsilon), prior, counts, t)
    return exact, at_least(1 - exp(-up * epsilon)), at_least(1 - exp(-min(down, up) * epsilon))


@statement_on_t(
    "notes/4.5-lszhang",
    "undated version, Theorem 4.5, LSZhang, equation",
    says=r"$\Pr[H < t] = \bigl(1 - \frac12(e^{-k\varepsilon/2} + e^{-(k+1)\varepsilon/2})\bigr)^2$",
    holds=r"$\Pr[H < t] = 1 - \frac12 e^{-k_-\varepsilon/4}\,[x > k_-] - \frac12 e^{-(k_+ + 1)\varepsilon/4}\,[x + k_+ < n]$",
    why=r"the equation would be correct for two independent noise variables of scale \(2/\varepsilon\), one for each parameter; Algorithm 1 draws a single noise variable of scale \(4/\varepsilon\)",
    reading=COMPLETED,
    cases=[*AROUND, {"prior": FLAT, "counts": (20, 20), "epsilon": 0.8, "t": 0.3}],
)
def lszhang_equation(prior, counts, epsilon, t):
    r"""The printed square is the probability that two independent noise variables both stay within k steps.

    Proof of what holds: the proof in ``notes/4.5-lshist`` applies to noise of scale \(4/\varepsilon\).
    """
    _, k = steps_within(prior, counts, t)
    exact = error_below(lszhang(epsilon), prior, counts, t)
    return exact, equal(floor_within(epsilon / 2, k) ** 2), equal(floored_laplace_below(prior, counts, epsilon / 4, t))


@statement_on_t(
    "notes/4.5-lszhang-lower",
    "undated version, Theorem 4.5, LSZhang, inequality",
    says=r"$\Pr[H < t] \ge (1 - e^{-k\varepsilon/2})^2$",
    holds=r"$\Pr[H < t] \ge 1 - e^{-\min(k_-, k_+)\,\varepsilon/4}$",
    why=r"a single noise variable of scale \(4/\varepsilon\) stays within k steps with a probability near \(1 - e^{-k\varepsilon/4}\), which may be less than the printed bound",
    reading=COMPLETED,
    cases=[*AROUND, {"prior": FLAT, "counts": (12, 12), "epsilon": 0.44, "t": 0.96}],
)
def lszhang_lower(prior, counts, epsilon, t):
    r"""Let \(z = e^{-k\varepsilon/4}\). The printed bound is \((1 - z)^2 (1 + z)^2\). For balanced data and small
    \(\varepsilon\), the probability is near \(1 - z\), and the ratio of the bound to the probability is near
    \((1-z)(1+z)^2\), which equals 32/27 at \(z = 1/3\).

    Proof of what holds: in the corrected equation of ``notes/4.5-lszhang``, each of the two tail probabilities is at
    most \(\frac12 e^{-\min(k_-, k_+)\varepsilon/4}\).
    """
    down, up = steps_within(prior, counts, t)
    exact = error_below(lszhang(epsilon), prior, counts, t)
    return exact, at_least((1 - exp(-up * epsilon / 2)) ** 2), at_least(1 - exp(-min(down, up) * epsilon / 4))


# Exponential mechanisms


def share_inside(prior, counts, t):
    """Share of the n + 1 candidates whose error is below t."""
    return (sum(steps_within(prior, counts, t)) + 1) / (sum(counts) + 1)


def most_inside(prior, counts, t, rate):
    r"""Upper bound \(m / (m + (n + 1 - m)\, e^{-\lambda})\) on the probability of an error below t, where \(\lambda\)
    is the rate and m is the number of candidates with an error below t. The bound is attained if each of these m
    candidates has weight 1 and each other candidate has the least possible weight.
    """
    m = sum(steps_within(prior, counts, t)) + 1
    return m / (m + (sum(counts) + 1 - m) * exp(-rate))


@statement_on_t(
    "notes/4.5-ehd-lower",
    "Theorem 4.5, EHD, left inequality",
    says=r"$\Pr[H < t] > \frac{2k e^{-\varepsilon} + 1}{n}$",
    holds=r"$\Pr[H < t] \ge \frac{k_- + k_+ + 1}{n + 1}$; hence the printed bound holds if $k_- \ge k_+ = k \ge 1$ and $n > \frac{2ks + 1}{2k(1 - s)}$ with $s = e^{-\varepsilon}$",
    why="there are n + 1 candidates, not n",
    cases=FEW,
)
def ehd_lower(prior, counts, epsilon, t):
    r"""At x = (1, 1), if no step keeps the error below t, the printed bound is 1/2. For the flat prior, EHD then
    releases x with probability \(1/(1 + 2e^{-0.441\varepsilon})\), which is less than 1/2 for \(\varepsilon\) up to
    1.57.

    Proof of what holds: the weights decrease with the distance. So the candidates with an error below t have an average
    weight at least as large as that of all n + 1 candidates. As \(\varepsilon \to 0\), the two sides of the corrected
    bound become equal. If \(k_- \ge k_+ = k \ge 1\), the corrected bound is at least \((2k + 1)/(n + 1)\). With
    \(s = e^{-\varepsilon}\), this number exceeds the printed bound \((2ks + 1)/n\) if \(2k(1 - s)\, n > 2ks + 1\). The
    same argument applies to the two lower bounds for EHDL, with \(s = e^{-\varepsilon/(2\,LS(x))}\) and
    \(s = e^{-t\varepsilon/(2\,LS(x))}\).
    """
    _, k = steps_within(prior, counts, t)
    exact = error_below(ehd(epsilon, printed_sensitivity()), prior, counts, t)
    return exact, above((2 * k * exp(-epsilon) + 1) / sum(counts)), at_least(share_inside(prior, counts, t))


@statement_on_t(
    "notes/4.5-ehd-upper",
    "Theorem 4.5, EHD, right inequality",
    says=r"$\Pr[H < t] < \frac{2k + 1}{n e^{-\varepsilon}}$",
    holds=r"$\Pr[H < t] \le \frac{m}{m + (n + 1 - m)\, e^{-\varepsilon/(2G)}}$ with $m = k_- + k_+ + 1$ and $G = \sqrt{1 - \pi/4}$; hence the bound before the last step of the proof, $\frac{2k+1}{n \exp(-\varepsilon/(2G))}$, holds if $k_- \le k_+ = k$",
    why=r"the last step of the proof replaces \(1/(2G) = 1.0793\) by the smaller number 1",
    cases=[*EVEN, {"prior": FLAT, "counts": (417, 417), "epsilon": 0.5, "t": 0.01}, FAR],
)
def ehd_upper(prior, counts, epsilon, t):
    r"""The last inequality of the printed proof points in the wrong direction. For balanced data, the flat prior and k
    = 0, the printed bound fails for some \(\varepsilon\) if n is at least 772. For example, for n = 772 the bound fails
    at \(\varepsilon = 0.246\). If more steps down than up keep the error below t, the bound may fail already at n = 2,
    because it counts only 2k + 1 candidates.

    Proof of what holds: let I be the total weight of the candidates with an error below t, and O the total weight of
    the others. The probability \(I/(I + O)\) increases with I, which is at most m. The probability decreases with O,
    which is the sum of n + 1 - m weights, each above \(e^{-\varepsilon/(2G)}\) because H < 1. For m = 1, the
    probability approaches the bound as the distances of all other candidates approach 1. So no smaller function of n
    and \(\varepsilon\) is an upper bound for m = 1. For m = 2 the bound is not tight: for n = 2 and
    \(\varepsilon = 1\), it is 0.8548, whereas the largest probability found by a search is 0.8330. The bound is less
    than \(m / (n\, e^{-\varepsilon/(2G)})\), and \(m \le 2k + 1\) if \(k_- \le k_+\).
    """
    _, k = steps_within(prior, counts, t)
    exact = error_below(ehd(epsilon, printed_sensitivity()), prior, counts, t)
    printed = (2 * k + 1) * exp(epsilon) / sum(counts)
    return exact, below(printed), at_most(most_inside(prior, counts, t, printed_rate(epsilon)))


def weight_at(h, prior, counts, epsilon):
    r"""Weight \(e^{-\varepsilon h/(2\,LS(x))}\) of a candidate at distance h under EHDL; h may be an array."""
    return exp(-h * epsilon / (2 * local_sensitivity(prior, counts)))


@statement_on_t(
    "notes/4.5-ehdl-lower",
    "undated version, Theorem 4.5, EHDL, left inequality",
    says=r"$\Pr[H < t] > \frac{2k \exp(-\varepsilon/(2\,LS(x))) + 1}{n}$",
    holds=r"$\Pr[H < t] \ge \frac{k_- + k_+ + 1}{n + 1}$; hence the printed bound holds if $k_- \ge k_+ = k \ge 1$ and $n > \frac{2ks + 1}{2k(1 - s)}$ with $s = e^{-\varepsilon/(2\,LS(x))}$",
    why="there are n + 1 candidates, not n",
    reading=FOR_EHDL,
    cases=FEW,
)
def ehdl_lower(prior, counts, epsilon, t):
    r"""At x = (1, 1), if no step keeps the error below t, the printed bound is 1/2, as for EHD
    (``notes/4.5-ehd-lower``).

    Proof of what holds: as for EHD, the candidates with an error below t have an average weight at least as large as
    that of all candidates.
    """
    _, k = steps_within(prior, counts, t)
    exact, least = error_below(ehdl(epsilon), prior, counts, t), weight_at(1, prior, counts, epsilon)
    return exact, above((2 * k * least + 1) / sum(counts)), at_least(share_inside(prior, counts, t))


@statement_on_t(
    "notes/4.5-ehdl-lower-t",
    "undated version, Theorem 4.5, proof, EHDL, lower chain",
    says=r"$\Pr[H < t] \ge \frac{2k \exp(\frac{-t\varepsilon}{2 \cdot LS(x)}) + 1}{n \exp(\frac{-0\varepsilon}{2 \cdot LS(x)})}$",
    holds=r"$\Pr[H < t] \ge \frac{2 \min(k_-, k_+)\, e^{-t\varepsilon/(2\,LS(x))} + 1}{n + 1}$",
    why="there are n + 1 candidates, not n, and fewer steps down than up may keep the error below t",
    reading=FOR_EHDL,
    cases=[*FEW, {"prior": FLAT, "counts": (200, 200), "epsilon": 0.8, "t": 0.1}],
)
def ehdl_lower_by_t(prior, counts, epsilon, t):
    r"""The theorem itself prints \(e^{-\varepsilon/(2\,LS(x))}\) where its proof has \(e^{-t\varepsilon/(2\,LS(x))}\).
    For t < 1 the second expression is larger, by a factor that grows without bound as LS(x) decreases to 0.

    Proof of what holds: a candidate with an error below t has a weight greater than \(e^{-t\varepsilon/(2\,LS(x))}\).
    The weight of x itself is 1, and none of the n + 1 weights exceeds 1.
    """
    down, k = steps_within(prior, counts, t)
    least = weight_at(t, prior, counts, epsilon)
    printed, counted = (2 * k * least + 1) / sum(counts), (2 * min(down, k) * least + 1) / (sum(counts) + 1)
    return error_below(ehdl(epsilon), prior, counts, t), at_least(printed), at_least(counted)


def moved(prior, counts, t) -> tuple[list[int], list[int]]:
    """Numbers of steps from x to the candidates with an error below t, and to the other candidates."""
    down, up = steps_within(prior, counts, t)
    lower, higher = map(int, counts)  # numbers of candidates below x and above x
    outside = [*range(down + 1, lower + 1), *range(up + 1, higher + 1)]
    return [*range(down + 1), *range(1, up + 1)], outside


BALANCED = rows(
    "prior counts epsilon t", (FLAT, (200, 200), 0.1, 0.01), ((7, 7), (30, 30), 0.8, 0.3), (FLAT, (2, 2), 20.0, 0.4)
)
"""Parameter values with a balanced dataset and two equal prior weights of at least 1."""


@ehdl_lower.instead(
    holds=r"sharper: $\Pr[H < t] \ge \frac{I}{I + O}$, $I = \sum_{j\ \text{inside}} e^{-\frac{\varepsilon}{2} \min(C j,\, t/LS(x))}$, $O = \sum_{j\ \text{outside}} e^{-\frac{\varepsilon}{2 LS(x)} \max(t,\, F(j^2/2N))}$, $C = 1.4824$, $N = \alpha_1 + \alpha_2 + n$, where j is the number of steps from x",
    given=INSIDE_T,
    cases=[*FEW, *BALANCED],
)
def ehdl_lower_sharp(prior, counts, epsilon, t):
    r"""The notes give no lower bound that stays away from 0 as n grows, but for balanced data such a bound exists. If
    the data are balanced and the prior weights are equal, \(LS(x) \approx (2N)^{-1/2}\) and therefore
    \(F(j^2/2N)/LS(x) \to j\). For k = 0, the sharper lower bound then tends to \(\tanh(\varepsilon/4) > 0\). If the
    prior weights are also at least 1, the still sharper upper bound of ``notes/4.5-ehdl-upper`` has the same limit. At
    x = (0, n), however, LS(x) stays away from 0, and the probability tends to 0 for every t < 1.

    Proof: for every x and every prior, j steps lead to a distance \(H_j \ge F(j^2/2N)\). To see this, let a and b be
    the parameters of the posterior. Then \(-\ln(1 - H_j^2)\) is the integral of \(g(s) = \psi'(a+s) + \psi'(b-s)\) over
    \(0 \le s \le j\) with the weight \(\frac12 \min(s, j-s)\), whose total mass is \(j^2/8\) and whose mean is j/2. The
    function g is convex, because \(\psi'\) is convex. Since also \(\psi'(z) > 1/z\),
    \[ -\ln(1 - H_j^2) \ge \tfrac{j^2}{8}\, g(\tfrac j2) \ge \tfrac{j^2}{4}\, \psi'(\tfrac N2) \ge \tfrac{j^2}{2N} . \]
    Every candidate with an error below t satisfies \(H_j < t\) and \(H_j \le C j\,LS(x)\) with C = 1.4824
    (``notes/4.3-order``).
    """
    inside, outside = moved(prior, counts, t)
    scale, total = local_sensitivity(prior, counts), sum(prior) + sum(counts)
    # lower bounds on the distances of the candidates outside and upper bounds inside both reduce the probability
    far = [maximum(t, distance(number(step * step) / (2 * total))) for step in outside]
    near = [minimum(largest_per_step(False) * step * scale, t) for step in inside]
    there, here = (sum(weight_at(numbers(each), prior, counts, epsilon), start=number(0)) for each in (far, near))
    return error_below(ehdl(epsilon), prior, counts, t), at_least(here / (here + there))


@statement_on_t(
    "notes/4.5-ehdl-upper",
    "undated version, Theorem 4.5, EHDL, right inequality",
    says=r"$\Pr[H < t] < \frac{2k + 1}{n \exp(-\varepsilon/(2\,LS(x)))}$",
    holds=r"$\Pr[H < t] \le \frac{m}{m + (n + 1 - m) \exp(-\varepsilon/(2\,LS(x)))}$ with $m = k_- + k_+ + 1$",
    why="more steps down than up may keep the error below t",
    reading=FOR_EHDL,
    only_if=("at most as many steps down as up keep the error below t", steps_down(le)),
    cases=[*FEW, FAR],
)
def ehdl_upper(prior, counts, epsilon, t):
    r"""At x = (2, 1) and t = 0.35, one step down keeps the error below t, but no step up does.

    Proof: the normalising constant exceeds \((n+1)\, e^{-\varepsilon/(2 LS)}\), because H < 1. The total weight of the
    candidates with an error below t is at most \(k_- + k_+ + 1 \le 2k + 1\).

    Proof of what holds: all weights are at most 1 and greater than \(e^{-\varepsilon/(2 LS)}\). So the proof in
    ``notes/4.5-ehd-upper`` applies.
    """
    _, k = steps_within(prior, counts, t)
    rate = epsilon / (2 * local_sensitivity(prior, counts))
    exact = error_below(ehdl(epsilon), prior, counts, t)
    return exact, below((2 * k + 1) * exp(rate) / sum(counts)), at_most(most_inside(prior, counts, t, rate))


def most_by_steps(prior, counts, epsilon, t, per_step):
    r"""Upper bound on the probability of an error below t under EHDL, if j steps lead to a distance of at most
    \(\text{per\_step}\, j\, LS(x)\)."""
    (inside, outside), reach = moved(prior, counts, t), per_step * local_sensitivity(prior, counts)
    # upper bounds on the distances outside give lower bounds on their weights
    far = [minimum(reach * step, number(1)) for step in outside]
    return len(inside) / (len(inside) + sum(weight_at(numbers(far), prior, counts, epsilon), start=number(0)))


@ehdl_upper.instead(
    holds=r"sharper: $\Pr[H < t] \le \frac{m}{m + \sum_{j\ \text{outside}} \exp(-\frac\varepsilon2 \min(C j,\, 1/LS(x)))}$",
    given=INSIDE_T,
    cases=[*FEW, FAR, *BALANCED],
)
def ehdl_upper_sharp(prior, counts, epsilon, t):
    r"""The sum in the denominator does not tend to 0 as n grows and LS(x) decreases. If \(k_-\) and \(k_+\) are fixed,
    the bound for balanced data tends to a number below 1.

    Proof: for every prior, j steps lead to a distance of at most \(C j\, LS(x)\) with C = 1.4824 (``notes/4.3-order``),
    and of at most 1. So the weight of a candidate j steps away is at least
    \(\exp(-\frac\varepsilon2 \min(C j, 1/LS))\). The total weight of the candidates with an error of at least t is at
    least the sum of these bounds.
    """
    most = most_by_steps(prior, counts, epsilon, t, largest_per_step(False))
    return error_below(ehdl(epsilon), prior, counts, t), at_most(most)


@ehdl_upper.instead(
    holds=r"still sharper: the last bound is also valid with $C = 1$",
    given=(
        r"there are two categories, at least two records, $t > 0$, $x = (\tfrac n2, \tfrac n2)$, and the prior weights are equal and at least 1",
        lambda prior, counts, t: (
            INSIDE_T[1](prior, counts, t) and counts[0] == counts[1] and prior[0] == prior[1] and prior[0] >= 1
        ),
    ),
    cases=BALANCED,
)
def ehdl_upper_balanced(prior, counts, epsilon, t):
    r"""For k = 0 the bound tends to \(1/(1 + 2\sum_j e^{-\varepsilon j/2}) = \tanh(\varepsilon/4)\) as
    \(n \to \infty\). By the sharper lower bound of ``notes/4.5-ehdl-lower``, the probability has the same limit.

    Proof: we show that \(H_j \le \min(1, j\, LS(x))\) under the additional premise. With \(D_j = -\ln(1 - H_j^2)\) we
    have to show that \(1 - e^{-D_j} \le j^2 (1 - e^{-D_1})\) for \(j \ge 2\). Both parameters of the posterior are
    equal to some a with \(a - j \ge 1\). Let \(K(s) = \frac12\min(s, 1-s)\), and let
    \(g(s) = \psi'(a+s) + \psi'(a-s)\), which is an increasing and convex function of \(s^2\). Then
    \[ D_j = j^2 \int_0^1 g(js)\, K(s)\, ds, \qquad 0 \le D_j - j^2 D_1 \le \tfrac{7}{192}\, j^2\, (g(j) - g(0)) . \]
    If \(j^2(1 - e^{-D_1}) \ge 1\), there is nothing to show. Otherwise \(y = j^2 D_1 < 1.021\). For \(j \ge 5\), this
    is true because y is below \(25 \ln\frac{25}{24}\). For \(j \le 4\), even \(y < 0.9\), because \(a \ge j + 1\)
    implies \(D_1 \le u(j + 1) + u(j)\). By \(y - \frac{y^2}2 \le 1 - e^{-y} \le y - \frac{y^2}2 + \frac{y^3}6\), it is
    sufficient that
    \[ \tfrac{7}{192}\, j^2\, (g(j) - g(0)) \le y^2 \Bigl(\tfrac12 - \tfrac{1}{2j^2} - \tfrac y6\Bigr) . \]
    If \(a \ge 16\), then \(D_1 \ge \frac1{4a}\). Hence \(j^2 \le 4.09\,a\), and the right side is at least
    \(0.2\, j^4/(16 a^2)\). The second difference of \(\psi'(z) = \frac1z + \frac1{2z^2} + \frac1{6z^3} - \dots\) is
    below \(3.9\, j^2/a^3\), and therefore the left side is below \(0.1422\, j^4/a^3 \le 0.0089\, j^4/a^2\). For
    \(3 \le a \le 16\), where \(j \le 8\), the tests certify the inequality by interval arithmetic.
    """
    return error_below(ehdl(epsilon), prior, counts, t), at_most(most_by_steps(prior, counts, epsilon, t, number(1)))
