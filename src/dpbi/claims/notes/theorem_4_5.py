r"""Theorem 4.5: how probable is an error below t? Two categories, x records in the first of \(n \ge 2\).

The error H of a release grows with the number of steps between its count and x, so that H < t is an interval of counts:
\(k_-\) steps down and \(k_+\) up. The notes have one k for both; it is read upwards.
"""

from functools import partial
from operator import ge, le

from ...accuracy import error_below, steps_within
from ...arithmetic import exp, maximum, minimum, number, numbers
from ...mechanisms import ehd, ehdl, lshist, lszhang
from ...model import local_sensitivity
from ...model.distances import distance
from .. import above, at_least, at_most, below, equal, grid, rows, statement
from ..quantities import floor_within, floored_laplace_below, printed_sensitivity
from .cases import FLAT, INSIDE_T, away_from_the_ends, largest_per_step

EVEN = rows(
    "prior counts epsilon t", (FLAT, (4, 4), 2.0, 0.3), (FLAT, (3, 17), 0.1, 0.2), ((0.5, 0.5), (10, 10), 0.8, 0.71)
)
AROUND = [
    *EVEN,
    *grid(prior=[FLAT], counts=[(1, 2), (2, 1)], epsilon=[0.1, 0.8], t=[0.35]),  # one step on one side only
]
FEW = [*AROUND, *grid(prior=[FLAT], counts=[(1, 1), (7, 7)], epsilon=[0.1, 1.0], t=[0.1])]
FAR = {"prior": (1e-9, 1e-9), "counts": (0, 1000), "epsilon": 2.0, "t": 0.5}
"""Almost all candidates are at distance one, so that upper bounds are nearly met."""

STEPS_UP = r"k is the number of steps up, \(k_+\)"
COMPLETED = f"{STEPS_UP}; LSZhang is completed as LSDim is, the last count being what the others leave"
FOR_EHDL = f"{STEPS_UP}; where EHD is printed with LS(x), EHDL is meant"

statement_on_t = partial(statement, given=INSIDE_T, reading=STEPS_UP)

# Noise on the count


@statement_on_t(
    "notes/4.5-lshist",
    "Theorem 4.5, LSHist, equation",
    says=r"$\Pr[H < t] = 1 - \frac12(e^{-k\varepsilon} + e^{-(k+1)\varepsilon})$",
    holds=r"$\Pr[H < t] = 1 - \frac12 e^{-k_-\varepsilon}\,[x > k_-] - \frac12 e^{-(k_+ + 1)\varepsilon}\,[x + k_+ < n]$",
    why="steps down and up differ, and noise is cut back at 0 and n",
    only_if=("as many steps down as up are inside t, and fewer than reach 0 or n", away_from_the_ends),
    cases=[*AROUND, {"prior": FLAT, "counts": (1, 1), "epsilon": 0.8, "t": 0.9}],
)
def lshist_equation(prior, counts, epsilon, t):
    r"""With x = (1, 1) and one step everything is inside: the probability is 1.

    Proof: H < t is the event \(-k_- \le \lfloor Y \rfloor \le k_+\), whose complement has two tails,
    \(\frac12 e^{-k_-\varepsilon}\) and \(\frac12 e^{-(k_+ + 1)\varepsilon}\). With \(k_- = k_+\) inside the ends this is
    the printed probability.

    Proof of what holds: H < t is the interval \(x - k_- \le \mathrm{out} \le x + k_+\). Below it lies \(Y < -k_-\), above
    it \(Y \ge k_+ + 1\); where an end of 0..n is inside the interval, the noise beyond is cut back into it.
    """
    _, k = steps_within(prior, counts, t)
    exact = error_below(lshist(epsilon), prior, counts, t)
    return exact, equal(floor_within(epsilon, k)), equal(floored_laplace_below(prior, counts, epsilon, t))


@statement_on_t(
    "notes/4.5-lshist-lower",
    "Theorem 4.5, LSHist, inequality",
    says=r"$\Pr[H < t] \ge 1 - e^{-k\varepsilon}$",
    holds=r"$\Pr[H < t] \ge 1 - e^{-\min(k_-, k_+)\,\varepsilon}$",
    why="fewer steps down than up may be inside t",
    only_if=(
        "at least as many steps down as up are inside t",
        lambda prior, counts, t: ge(*steps_within(prior, counts, t)),
    ),
    cases=lshist_equation.cases,
)
def lshist_lower(prior, counts, epsilon, t):
    r"""At x = (1, 2), t = 0.35 one step up is inside and none down.

    Proof: the equation that holds, with \(k_- \ge k_+\).

    Proof of what holds: each of its two tails is at most \(\frac12 e^{-\min(k_-, k_+)\varepsilon}\).
    """
    down, up = steps_within(prior, counts, t)
    exact = error_below(lshist(epsilon), prior, counts, t)
    return exact, at_least(1 - exp(-up * epsilon)), at_least(1 - exp(-min(down, up) * epsilon))


@statement_on_t(
    "notes/4.5-lszhang",
    "undated version, Theorem 4.5, LSZhang, equation",
    says=r"$\Pr[H < t] = \bigl(1 - \frac12(e^{-k\varepsilon/2} + e^{-(k+1)\varepsilon/2})\bigr)^2$",
    holds=r"$\Pr[H < t] = 1 - \frac12 e^{-k_-\varepsilon/4}\,[x > k_-] - \frac12 e^{-(k_+ + 1)\varepsilon/4}\,[x + k_+ < n]$",
    why=r"it is right for two noises of scale \(2/\varepsilon\), one on each parameter; Algorithm 1 draws one, of scale \(4/\varepsilon\)",
    reading=COMPLETED,
    cases=[*AROUND, {"prior": FLAT, "counts": (20, 20), "epsilon": 0.8, "t": 0.3}],
)
def lszhang_equation(prior, counts, epsilon, t):
    r"""The square is the probability that two independent noises both stay within k steps.

    Proof of what holds: as for LSHist, with noise of scale \(4/\varepsilon\).
    """
    _, k = steps_within(prior, counts, t)
    exact = error_below(lszhang(epsilon), prior, counts, t)
    return exact, equal(floor_within(epsilon / 2, k) ** 2), equal(floored_laplace_below(prior, counts, epsilon / 4, t))


@statement_on_t(
    "notes/4.5-lszhang-lower",
    "undated version, Theorem 4.5, LSZhang, inequality",
    says=r"$\Pr[H < t] \ge (1 - e^{-k\varepsilon/2})^2$",
    holds=r"$\Pr[H < t] \ge 1 - e^{-\min(k_-, k_+)\,\varepsilon/4}$",
    why=r"one noise of scale \(4/\varepsilon\) is within k steps with probability near \(1 - e^{-k\varepsilon/4}\), which may be less",
    reading=COMPLETED,
    cases=[*AROUND, {"prior": FLAT, "counts": (12, 12), "epsilon": 0.44, "t": 0.96}],
)
def lszhang_lower(prior, counts, epsilon, t):
    r"""With \(z = e^{-k\varepsilon/4}\) the sides are near \(1 - z\) and \((1 - z)^2 (1 + z)^2\) in balanced data, if
    \(\varepsilon\) is small, and \((1-z)(1+z)^2\) reaches 32/27 at z = 1/3.

    Proof of what holds: each tail of the equation that holds is at most \(\frac12 e^{-\min(k_-, k_+)\varepsilon/4}\).
    """
    down, up = steps_within(prior, counts, t)
    exact = error_below(lszhang(epsilon), prior, counts, t)
    return exact, at_least((1 - exp(-up * epsilon / 2)) ** 2), at_least(1 - exp(-min(down, up) * epsilon / 4))


# Exponential mechanisms


def share_inside(prior, counts, t):
    """The share of the n + 1 candidates that are inside t."""
    return (sum(steps_within(prior, counts, t)) + 1) / (sum(counts) + 1)


def most_inside(prior, counts, t, rate):
    r"""\(m / (m + (n + 1 - m)\, e^{-\lambda})\): m candidates inside of weight 1, the others of the least possible weight."""
    m = sum(steps_within(prior, counts, t)) + 1
    return m / (m + (sum(counts) + 1 - m) * exp(-rate))


@statement_on_t(
    "notes/4.5-ehd-lower",
    "Theorem 4.5, EHD, left inequality",
    says=r"$\Pr[H < t] > \frac{2k e^{-\varepsilon} + 1}{n}$",
    holds=r"$\Pr[H < t] \ge \frac{k_- + k_+ + 1}{n + 1}$; so the printed bound holds if $k_- \ge k_+ = k \ge 1$ and $n > \frac{2ks + 1}{2k(1 - s)}$, $s = e^{-\varepsilon}$",
    why="there are n + 1 candidates, not n",
    cases=FEW,
)
def ehd_lower(prior, counts, epsilon, t):
    r"""At x = (1, 1) with no step inside t the bound is 1/2, and for the flat prior the probability is
    \(1/(1 + 2e^{-0.441\varepsilon})\), which is less up to \(\varepsilon = 1.57\). Balanced data with n = 14 refute it too.

    Proof of what holds: weights fall with the distance, and the candidates inside t are the nearest: their average weight
    is at least the average over all n + 1. As \(\varepsilon \to 0\) the two sides meet. With \(k_- \ge k_+ = k \ge 1\) and
    s = q the first side is more than \((2ks + 1)/n\), the printed bound, if \(2k(1 - s)\, n > 2ks + 1\); for the two bounds
    on EHDL, \(s = e^{-\varepsilon/(2\,LS(x))}\) and \(s = e^{-t\varepsilon/(2\,LS(x))}\), it is the same.
    """
    _, k = steps_within(prior, counts, t)
    exact = error_below(ehd(epsilon, printed_sensitivity()), prior, counts, t)
    return exact, above((2 * k * exp(-epsilon) + 1) / sum(counts)), at_least(share_inside(prior, counts, t))


NOT_MORE_DOWN = (
    "at most as many steps down as up are inside t",
    lambda prior, counts, t: INSIDE_T[1](prior, counts, t) and le(*steps_within(prior, counts, t)),
)


@statement_on_t(
    "notes/4.5-ehd-upper",
    "Theorem 4.5, EHD, right inequality",
    says=r"$\Pr[H < t] < \frac{2k + 1}{n e^{-\varepsilon}}$",
    holds=r"$\Pr[H < t] \le \frac{m}{m + (n + 1 - m)\, e^{-\varepsilon/(2G)}}$, $m = k_- + k_+ + 1$, $G = \sqrt{1 - \pi/4}$; so the bound before the last step of the proof, $\frac{2k+1}{n \exp(-\varepsilon/(2G))}$, holds if $k_- \le k_+ = k$",
    why=r"\(1/(2G) = 1.0793\) was rounded down to 1",
    cases=[*EVEN, {"prior": FLAT, "counts": (417, 417), "epsilon": 0.5, "t": 0.01}, FAR],
)
def ehd_upper(prior, counts, epsilon, t):
    r"""The last step of the printed chain goes the wrong way. In balanced data with the flat prior and k = 0 it shows from
    n = 772 on, there at \(\varepsilon = 0.246\). With more steps inside t downwards than upwards the bound fails already at n = 2,
    for another reason, since it counts 2k + 1 candidates.

    Proof of what holds: let I be the weight inside and O that outside. The probability \(I/(I + O)\) rises with I, which
    is at most m, and falls with O, whose n + 1 - m weights all exceed \(e^{-\varepsilon/(2G)}\), because H < 1. For m = 1 it
    is approached, where all others are at distance nearly 1, so that no smaller function of n and \(\varepsilon\) is an
    upper bound. For m = 2 nothing comes near it at n = 2 and \(\varepsilon = 1\): it is 0.8548, and the largest
    probability that a search found is 0.8330. The right side is less than \(m / (n\, e^{-\varepsilon/(2G)})\), and
    \(m \le 2k + 1\) if \(k_- \le k_+\).
    """
    _, k = steps_within(prior, counts, t)
    G = printed_sensitivity()
    exact = error_below(ehd(epsilon, G), prior, counts, t)
    printed = (2 * k + 1) * exp(epsilon) / sum(counts)
    return exact, below(printed), at_most(most_inside(prior, counts, t, epsilon / (2 * G)))


def weight_at(h, prior, counts, epsilon):
    r"""The weight \(e^{-\varepsilon h/(2\,LS(x))}\) of a candidate at distance h for EHDL, or those of several."""
    return exp(-h * epsilon / (2 * local_sensitivity(prior, counts)))


@statement_on_t(
    "notes/4.5-ehdl-lower",
    "undated version, Theorem 4.5, EHDL, left inequality",
    says=r"$\Pr[H < t] > \frac{2k \exp(-\varepsilon/(2\,LS(x))) + 1}{n}$",
    holds=r"$\Pr[H < t] \ge \frac{k_- + k_+ + 1}{n + 1}$; so the printed bound holds if $k_- \ge k_+ = k \ge 1$ and $n > \frac{2ks + 1}{2k(1 - s)}$, $s = e^{-\varepsilon/(2\,LS(x))}$",
    why="there are n + 1 candidates, not n",
    reading=FOR_EHDL,
    cases=FEW,
)
def ehdl_lower(prior, counts, epsilon, t):
    r"""At x = (1, 1) the bound is 1/2 with no step inside t, as for EHD.

    Proof of what holds: the nearest candidates have more than the average weight.
    """
    _, k = steps_within(prior, counts, t)
    exact, least = error_below(ehdl(epsilon), prior, counts, t), weight_at(1, prior, counts, epsilon)
    return exact, above((2 * k * least + 1) / sum(counts)), at_least(share_inside(prior, counts, t))


@statement_on_t(
    "notes/4.5-ehdl-lower-t",
    "undated version, Theorem 4.5, proof, EHDL, lower chain",
    says=r"$\Pr[H < t] \ge \frac{2k \exp(\frac{-t\varepsilon}{2 \cdot LS(x)}) + 1}{n \exp(\frac{-0\varepsilon}{2 \cdot LS(x)})}$",
    holds=r"$\Pr[H < t] \ge \frac{2 \min(k_-, k_+)\, e^{-t\varepsilon/(2\,LS(x))} + 1}{n + 1}$",
    why="there are n + 1 candidates, not n, and fewer steps down than up may be inside t",
    reading=FOR_EHDL,
    cases=[*FEW, {"prior": FLAT, "counts": (200, 200), "epsilon": 0.8, "t": 0.1}],
)
def ehdl_lower_by_t(prior, counts, epsilon, t):
    r"""The theorem has \(e^{-\varepsilon/(2\,LS(x))}\) in place of \(e^{-t\varepsilon/(2\,LS(x))}\), which is larger by a
    factor that grows without bound as LS(x) falls.

    Proof of what holds: a candidate inside t weighs more than \(e^{-t\varepsilon/(2\,LS(x))}\), x itself 1, and none of
    the n + 1 more than 1.
    """
    down, k = steps_within(prior, counts, t)
    least = weight_at(t, prior, counts, epsilon)
    printed, counted = (2 * k * least + 1) / sum(counts), (2 * min(down, k) * least + 1) / (sum(counts) + 1)
    return error_below(ehdl(epsilon), prior, counts, t), at_least(printed), at_least(counted)


def moved(prior, counts, t) -> tuple[list[int], list[int]]:
    """How many steps away the candidates are: those inside t, and those outside."""
    down, up = steps_within(prior, counts, t)
    room = [(down, int(counts[0])), (up, int(counts[1]))]
    inside = [step for near, _ in room for step in range(1, near + 1)]
    return [0, *inside], [step for near, last in room for step in range(near + 1, last + 1)]


BALANCED = rows(
    "prior counts epsilon t", (FLAT, (200, 200), 0.1, 0.01), ((7, 7), (30, 30), 0.8, 0.3), (FLAT, (2, 2), 20.0, 0.4)
)


@ehdl_lower.instead(
    holds=r"sharper: $\Pr[H < t] \ge \frac{I}{I + O}$, $I = \sum_{j\ \text{inside}} e^{-\frac{\varepsilon}{2} \min(C j,\, t/LS(x))}$, $O = \sum_{j\ \text{outside}} e^{-\frac{\varepsilon}{2 LS(x)} \max(t,\, F(j^2/2N))}$, $C = 1.4824$, $N = \alpha_1 + \alpha_2 + n$, j the steps from x",
    given=INSIDE_T,
    cases=[*FEW, *BALANCED],
)
def ehdl_lower_sharp(prior, counts, epsilon, t):
    r"""The notes find no lower bound that stays above 0 as n grows. There is one. In balanced data with equal prior
    weights \(LS(x) \approx (2N)^{-1/2}\), so that \(F(j^2/2N)/LS(x) \to j\): for k = 0 the bound tends to
    \(\tanh(\varepsilon/4) > 0\), and so does the sharper upper bound of ``notes/4.5-ehdl-upper``. At x = (0, n), where
    LS(x) stays away from 0, the probability does tend to 0 for every t < 1.

    Proof: the distance grows with the steps j, for every x and every prior: \(H_j \ge F(j^2/2N)\). With a and b the
    posterior parameters, \(-\ln(1 - H_j^2)\) is the integral of \(g(s) = \psi'(a+s) + \psi'(b-s)\) over
    \(0 \le s \le j\) with the weight \(\frac12 \min(s, j-s)\), whose mass is \(j^2/8\) and whose mean is j/2; g is convex,
    and so is \(\psi'(z) > 1/z\):
    \[ -\ln(1 - H_j^2) \ge \tfrac{j^2}{8}\, g(\tfrac j2) \ge \tfrac{j^2}{4}\, \psi'(\tfrac N2) \ge \tfrac{j^2}{2N} . \]
    Inside, \(H_j < t\) and \(H_j \le C j\,LS(x)\), C = 1.4824 (``notes/4.3-order``).
    """
    inside, outside = moved(prior, counts, t)
    scale, total = local_sensitivity(prior, counts), sum(prior) + sum(counts)
    far = [maximum(t, distance(number(step * step) / (2 * total))) for step in outside]
    near = [minimum(largest_per_step(False) * step * scale, t) for step in inside]
    there, here = (weight_at(numbers(each), prior, counts, epsilon).sum() for each in (far, near))
    return error_below(ehdl(epsilon), prior, counts, t), at_least(here / (here + there))


@statement_on_t(
    "notes/4.5-ehdl-upper",
    "undated version, Theorem 4.5, EHDL, right inequality",
    says=r"$\Pr[H < t] < \frac{2k + 1}{n \exp(-\varepsilon/(2\,LS(x)))}$",
    holds=r"$\Pr[H < t] \le \frac{m}{m + (n + 1 - m) \exp(-\varepsilon/(2\,LS(x)))}$, $m = k_- + k_+ + 1$",
    why="more steps down than up may be inside t",
    reading=FOR_EHDL,
    only_if=NOT_MORE_DOWN,
    cases=[*FEW, FAR],
)
def ehdl_upper(prior, counts, epsilon, t):
    r"""At x = (2, 1) one step down may be inside and none up.

    Proof: the normaliser is more than \((n+1)\, e^{-\varepsilon/(2 LS)}\), as H < 1; the numerator is at most
    \(k_- + k_+ + 1 \le 2k + 1\).

    Proof of what holds: weights are at most 1, and more than \(e^{-\varepsilon/(2 LS)}\), as for EHD.
    """
    _, k = steps_within(prior, counts, t)
    rate = epsilon / (2 * local_sensitivity(prior, counts))
    exact = error_below(ehdl(epsilon), prior, counts, t)
    return exact, below((2 * k + 1) * exp(rate) / sum(counts)), at_most(most_inside(prior, counts, t, rate))


@ehdl_upper.instead(
    holds=r"sharper: $\Pr[H < t] \le \frac{m}{m + \sum_{j\ \text{outside}} \exp(-\frac\varepsilon2 \min(C j,\, 1/LS(x)))}$",
    given=INSIDE_T,
    cases=[*FEW, FAR, *BALANCED],
)
def ehdl_upper_sharp(prior, counts, epsilon, t):
    r"""The sum does not vanish as n grows and LS(x) falls: in balanced data and for fixed numbers of steps inside t the
    bound tends to a number below 1 that no longer depends on n.

    Proof: j steps go no farther than \(C j\, LS(x)\), C = 1.4824, for all prior weights (``notes/4.3-order``), and no
    farther than 1. So a candidate j steps away has a weight of at least
    \(\exp(-\frac\varepsilon2 \min(C j, 1/LS))\), and the candidates outside have at least the sum of these.
    """
    inside, outside = moved(prior, counts, t)
    scale = local_sensitivity(prior, counts)
    far = [minimum(largest_per_step(False) * step * scale, number(1)) for step in outside]
    most = len(inside) / (len(inside) + weight_at(numbers(far), prior, counts, epsilon).sum())
    return error_below(ehdl(epsilon), prior, counts, t), at_most(most)


@ehdl_upper.instead(
    holds=r"sharper still: $C = 1$",
    given=(
        r"there are two categories, two records or more, $t > 0$, $x = (\tfrac n2, \tfrac n2)$, and the prior weights are equal and at least 1",
        lambda prior, counts, t: (
            INSIDE_T[1](prior, counts, t) and counts[0] == counts[1] and prior[0] == prior[1] and prior[0] >= 1
        ),
    ),
    cases=BALANCED,
)
def ehdl_upper_balanced(prior, counts, epsilon, t):
    r"""As \(n \to \infty\) the bound tends, for k = 0, to \(1/(1 + 2\sum_j e^{-\varepsilon j/2}) = \tanh(\varepsilon/4)\),
    and with it the probability, by the sharper lower bound of ``notes/4.5-ehdl-lower``.

    Proof: there \(H_j \le \min(1, j\, LS(x))\). To see that \(1 - e^{-D_j} \le j^2 (1 - e^{-D_1})\),
    \(D_j = -\ln(1 - H_j^2)\), for \(j \ge 2\), let a be the posterior parameter of either category, \(a - j \ge 1\). With
    \(g(s) = \psi'(a+s) + \psi'(a-s)\), which is a convex function of \(s^2\) and increases, and
    \(K(s) = \frac12\min(s, 1-s)\),
    \[ D_j = j^2 \int_0^1 g(js)\, K(s)\, ds, \qquad 0 \le D_j - j^2 D_1 \le \tfrac{7}{192}\, j^2\, (g(j) - g(0)) . \]
    If \(j^2(1 - e^{-D_1}) \ge 1\) there is nothing to show. Otherwise \(y = j^2 D_1 < 1.021\): for \(j \ge 5\) it is below
    \(25 \ln\frac{25}{24}\), and for \(j \le 4\) below 0.9, as \(D_1 \le u(j + 1) + u(j)\) by \(a \ge j + 1\). By
    \(y - \frac{y^2}2 \le 1 - e^{-y} \le y - \frac{y^2}2 + \frac{y^3}6\) it is enough that
    \[ \tfrac{7}{192}\, j^2\, (g(j) - g(0)) \le y^2 \Bigl(\tfrac12 - \tfrac{1}{2j^2} - \tfrac y6\Bigr) . \]
    For \(a \ge 16\): \(D_1 \ge \frac1{4a}\), so \(j^2 \le 4.09\,a\) and the right side is at least
    \(0.2\, j^4/(16 a^2)\); the second difference of \(\psi'(z) = \frac1z + \frac1{2z^2} + \frac1{6z^3} - \dots\) is below
    \(3.9\, j^2/a^3\), so that the left side is below \(0.1422\, j^4/a^3 \le 0.0089\, j^4/a^2\). For \(3 \le a \le 16\), where
    \(j \le 8\), the tests certify it by intervals.
    """
    k, scale = steps_within(prior, counts, t)[1], local_sensitivity(prior, counts)
    far = [minimum(step * scale, number(1)) for step in range(k + 1, int(counts[0]) + 1)]
    most = (2 * k + 1) / (2 * k + 1 + 2 * weight_at(numbers(far), prior, counts, epsilon).sum())
    return error_below(ehdl(epsilon), prior, counts, t), at_most(most)
