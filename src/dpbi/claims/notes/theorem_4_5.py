r"""Theorem 4.5: how probable is an error below t? Two categories, x records in the first of n.

The error H of a release grows with the number of steps between its count and x, so that H < t is an interval of counts:
\(k_-\) steps down and \(k_+\) up. The print has one k for both; it is read upwards.
"""

from typing import Any

from ...accuracy import error_below, steps_within
from ...arithmetic import exp
from ...mechanisms import ehd, ehdl, lshist, lszhang
from ...model import local_sensitivity
from ..quantities import floor_within, floored_laplace_below, printed_sensitivity
from ..statement import above, at_least, at_most, below, equal, grid, statement
from .cases import FLAT, JEFFREYS, away_from_the_ends, no_farther_down, with_steps

PAGE = "notes/theorem_4_5"

AROUND = (
    with_steps(0, prior=[FLAT], counts=[(2, 1), (3, 5), (4, 4), (10, 10), (20, 20)], epsilon=[0.1, 0.8, 2.0])
    + with_steps(1, prior=[FLAT], counts=[(1, 2), (4, 4), (10, 10), (3, 17)], epsilon=[0.1, 0.8, 2.0])
    + with_steps(5, prior=[FLAT, JEFFREYS], counts=[(10, 10), (30, 30)], epsilon=[0.1, 0.8])
    + grid(prior=[FLAT], counts=[(1, 2), (2, 1)], epsilon=[0.1, 0.8], t=[0.35])  # one step on one side only
)
ONE_RECORD = [{"prior": FLAT, "counts": (0, 1), "epsilon": e, "t": 0.3} for e in (0.1, 1.0)]
FEW = [*ONE_RECORD, *AROUND, *with_steps(0, prior=[FLAT], counts=[(1, 1), (7, 7)], epsilon=[0.1, 1.0])]
MANY = [
    *AROUND,
    *with_steps(0, prior=[FLAT], counts=[(417, 417)], epsilon=[0.5]),
    *with_steps(0, prior=[FLAT], counts=[(492, 492), (500, 500)], epsilon=[0.8]),
]
FAR = {"prior": (1e-9, 1e-9), "counts": (0, 1000), "epsilon": 2.0, "t": 0.5}
"""Almost all candidates are at distance one, so that upper bounds are nearly met."""

# Noise on the count


@statement(
    "notes/4.5-lshist",
    "Theorem 4.5, LSHist, equation",
    says=r"$\Pr[H < t] = 1 - \frac12(e^{-k\varepsilon} + e^{-(k+1)\varepsilon})$",
    holds=r"$\Pr[H < t] = 1 - \frac12 e^{-k_-\varepsilon}\,[x > k_-] - \frac12 e^{-(k_+ + 1)\varepsilon}\,[x + k_+ < n]$",
    why="steps down and up differ, and noise is cut back at 0 and n",
    only_if=("as many steps down as up are inside t, and fewer than reach 0 or n", away_from_the_ends),
    cases=[*AROUND, *with_steps(1, prior=[FLAT], counts=[(1, 1)], epsilon=[0.8])],
    page=PAGE,
)
def lshist_equation(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""With x = (1, 1) and one step everything is inside: the probability is 1.

    Proof: H < t is the event \(-k_- \le \lfloor Y \rfloor \le k_+\), whose complement has two tails,
    \(\frac12 e^{-k_-\varepsilon}\) and \(\frac12 e^{-(k_+ + 1)\varepsilon}\). With \(k_- = k_+\) inside the ends this is
    the print.

    Proof of what holds: H < t is the interval \(x - k_- \le \mathrm{out} \le x + k_+\). Below it lies \(Y < -k_-\), above
    it \(Y \ge k_+ + 1\); where an end of 0..n is inside the interval, the noise beyond is cut back into it.
    """
    _, k = steps_within(prior, counts, t)
    exact = error_below(lshist(epsilon), prior, counts, t)
    return exact, equal(floor_within(epsilon, k)), equal(floored_laplace_below(prior, counts, epsilon, t))


@statement(
    "notes/4.5-lshist-lower",
    "Theorem 4.5, LSHist, inequality",
    says=r"$\Pr[H < t] \ge 1 - e^{-k\varepsilon}$",
    holds=r"$\Pr[H < t] \ge 1 - e^{-\min(k_-, k_+)\,\varepsilon}$",
    why="fewer steps down than up may be inside t",
    only_if=(
        "at least as many steps down as up are inside t",
        lambda prior, counts, t: no_farther_down(prior[::-1], counts[::-1], t),
    ),
    cases=lshist_equation.cases,
    page=PAGE,
)
def lshist_lower(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""At x = (1, 2), t = 0.35 one step up is inside and none down.

    Proof: the equation that holds, with \(k_- \ge k_+\).

    Proof of what holds: each of its two tails is at most \(\frac12 e^{-\min(k_-, k_+)\varepsilon}\).
    """
    down, up = steps_within(prior, counts, t)
    exact = error_below(lshist(epsilon), prior, counts, t)
    return exact, at_least(1 - exp(-up * epsilon)), at_least(1 - exp(-min(down, up) * epsilon))


@statement(
    "notes/4.5-lszhang",
    "undated version, Theorem 4.5, LSZhang, equation",
    says=r"$\Pr[H < t] = \bigl(1 - \frac12(e^{-k\varepsilon/2} + e^{-(k+1)\varepsilon/2})\bigr)^2$",
    holds=r"$\Pr[H < t] = 1 - \frac12 e^{-k_-\varepsilon/4}\,[x > k_-] - \frac12 e^{-(k_+ + 1)\varepsilon/4}\,[x + k_+ < n]$",
    why=r"two noises of scale \(2/\varepsilon\) are counted where the algorithm draws one of scale \(4/\varepsilon\)",
    cases=[*AROUND, *with_steps(2, prior=[FLAT], counts=[(20, 20)], epsilon=[0.8])],
    page=PAGE,
)
def lszhang_equation(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""The square is the probability that two independent noises both stay within k steps.

    Proof of what holds: as for LSHist, with noise of scale \(4/\varepsilon\).
    """
    _, k = steps_within(prior, counts, t)
    exact = error_below(lszhang(epsilon), prior, counts, t)
    return exact, equal(floor_within(epsilon / 2, k) ** 2), equal(floored_laplace_below(prior, counts, epsilon / 4, t))


@statement(
    "notes/4.5-lszhang-lower",
    "undated version, Theorem 4.5, LSZhang, inequality",
    says=r"$\Pr[H < t] \ge (1 - e^{-k\varepsilon/2})^2$",
    holds=r"$\Pr[H < t] \ge 1 - e^{-\min(k_-, k_+)\,\varepsilon/4}$",
    why="it fails in balanced data too",
    cases=[*AROUND, *with_steps(10, prior=[FLAT], counts=[(12, 12)], epsilon=[0.44])],
    page=PAGE,
)
def lszhang_lower(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""With \(z = e^{-k\varepsilon/4}\) the sides are about \(1 - z\) and \((1 - z)^2 (1 + z)^2\) in balanced data, and
    \((1-z)(1+z)^2\) reaches 32/27 at z = 1/3.

    Proof of what holds: each tail of the equation that holds is at most \(\frac12 e^{-\min(k_-, k_+)\varepsilon/4}\).
    """
    down, up = steps_within(prior, counts, t)
    exact = error_below(lszhang(epsilon), prior, counts, t)
    return exact, at_least((1 - exp(-up * epsilon / 2)) ** 2), at_least(1 - exp(-min(down, up) * epsilon / 4))


# Exponential mechanisms


def share_inside(prior: Any, counts: Any, t: Any) -> Any:
    """The share of the n + 1 candidates that are inside t."""
    return (sum(steps_within(prior, counts, t)) + 1) / (sum(counts) + 1)


def most_inside(prior: Any, counts: Any, t: Any, rate: Any) -> Any:
    r"""\(m / (m + (n + 1 - m)\, e^{-\lambda})\): m candidates inside of weight 1, the others of the least possible weight."""
    m = sum(steps_within(prior, counts, t)) + 1
    return m / (m + (sum(counts) + 1 - m) * exp(-rate))


@statement(
    "notes/4.5-ehd-lower",
    "Theorem 4.5, EHD, left inequality",
    says=r"$\Pr[H < t] > \frac{2k e^{-\varepsilon} + 1}{n}$",
    holds=r"$\Pr[H < t] \ge \frac{k_- + k_+ + 1}{n + 1}$",
    why="there are n + 1 candidates, not n",
    cases=FEW,
    page=PAGE,
)
def ehd_lower(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""A single record refutes it: no step is inside t, the bound is 1, and the probability is \(1/(1 + e^{-\varepsilon/2})\).
    Balanced data with n = 2 and n = 14 refute it too.

    Proof of what holds: weights fall with the distance, and the candidates inside t are the nearest: their average weight
    is at least the average over all n + 1. Equality as \(\varepsilon \to 0\).
    """
    _, k = steps_within(prior, counts, t)
    exact = error_below(ehd(epsilon, printed_sensitivity()), prior, counts, t)
    return exact, above((2 * k * exp(-epsilon) + 1) / sum(counts)), at_least(share_inside(prior, counts, t))


@statement(
    "notes/4.5-ehd-upper",
    "Theorem 4.5, EHD, right inequality",
    says=r"$\Pr[H < t] < \frac{2k + 1}{n e^{-\varepsilon}}$",
    holds=r"$\Pr[H < t] \le \frac{m}{m + (n + 1 - m)\, e^{-\varepsilon/(2G)}}$, $m = k_- + k_+ + 1$, $G = \sqrt{1 - \pi/4}$",
    why=r"\(1/(2G) = 1.0793\) was rounded down to 1",
    cases=[*MANY, FAR],
    page=PAGE,
)
def ehd_upper(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""The last step of the printed chain goes the wrong way. In balanced data with the flat prior and k = 0 it shows from
    n = 772 on, first at \(\varepsilon = 0.246\); with more steps inside t downwards than upwards already at n = 2.

    Proof of what holds: let I be the weight inside and O that outside. The probability \(I/(I + O)\) rises with I, which
    is at most m, and falls with O, whose n + 1 - m weights all exceed \(e^{-\varepsilon/(2G)}\), because H < 1. It is
    approached where the candidates inside are near and all others at distance 1: no smaller function of m, n and
    \(\varepsilon\) will do.
    """
    _, k = steps_within(prior, counts, t)
    G = printed_sensitivity()
    exact = error_below(ehd(epsilon, G), prior, counts, t)
    printed = (2 * k + 1) * exp(epsilon) / sum(counts)
    return exact, below(printed), at_most(most_inside(prior, counts, t, epsilon / (2 * G)))


@statement(
    "notes/4.5-ehdl-lower",
    "undated version, Theorem 4.5, EHDL, left inequality",
    says=r"$\Pr[H < t] > \frac{2k \exp(-\varepsilon/(2\,LS(x))) + 1}{n}$",
    holds=r"$\Pr[H < t] \ge \frac{k_- + k_+ + 1}{n + 1}$",
    why="there are n + 1 candidates, not n",
    cases=FEW,
    page=PAGE,
)
def ehdl_lower(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""A single record refutes it, as for EHD.

    Proof of what holds: the nearest candidates have more than the average weight.
    """
    _, k = steps_within(prior, counts, t)
    rate = epsilon / (2 * local_sensitivity(prior, counts))
    exact = error_below(ehdl(epsilon), prior, counts, t)
    return exact, above((2 * k * exp(-rate) + 1) / sum(counts)), at_least(share_inside(prior, counts, t))


@statement(
    "notes/4.5-ehdl-upper",
    "undated version, Theorem 4.5, EHDL, right inequality",
    says=r"$\Pr[H < t] < \frac{2k + 1}{n \exp(-\varepsilon/(2\,LS(x)))}$",
    holds=r"$\Pr[H < t] \le \frac{m}{m + (n + 1 - m) \exp(-\varepsilon/(2\,LS(x)))}$, $m = k_- + k_+ + 1$",
    why="more steps down than up may be inside t",
    only_if=("at most as many steps down as up are inside t", no_farther_down),
    cases=[*FEW, FAR],
    page=PAGE,
)
def ehdl_upper(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""At x = (2, 1) one step down may be inside and none up.

    Proof: the normaliser is more than \((n+1)\, e^{-\varepsilon/(2 LS)}\), as H < 1; the numerator is at most
    \(k_- + k_+ + 1 \le 2k + 1\).

    Proof of what holds: weights are at most 1, and more than \(e^{-\varepsilon/(2 LS)}\), as for EHD.
    """
    _, k = steps_within(prior, counts, t)
    rate = epsilon / (2 * local_sensitivity(prior, counts))
    exact = error_below(ehdl(epsilon), prior, counts, t)
    return exact, below((2 * k + 1) * exp(rate) / sum(counts)), at_most(most_inside(prior, counts, t, rate))
