r"""Theorem 4.5 for noise on the counts, LSHist and LSZhang: how probable an error below t is."""

from typing import Any

from ...accuracy import error_below, steps_within
from ...arithmetic import exp
from ...mechanisms import lshist, lszhang
from ..claim import REFUTED, Condition
from ..quantities import floor_within, floored_laplace_below
from .source import ERRORS, FLAT, INSIDE, NOTES, THEOREM, away_from_the_ends, no_farther_down, with_steps

LSHIST = [*ERRORS, *with_steps(1, prior=[FLAT], counts=[(1, 1)], epsilon=[0.8])]


@NOTES.item(
    "4.5-lshist",
    "Theorem 4.5, LSHist, equation",
    cases=LSHIST,
    calls=(error_below, lshist),
    page=THEOREM,
)
def lshist_below(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""\(\Pr[H < t]\) for LSHist."""
    return error_below(lshist(epsilon), prior, counts, t)


@lshist_below.said(
    r"\Pr[H < t] = 1 - \tfrac12(e^{-k\varepsilon} + e^{-(k+1)\varepsilon})",
    premises=INSIDE,
    condition=Condition(r"as many steps down as up are inside t, and fewer than reach 0 or n", away_from_the_ends),
    proof=True,
)
def lshist_equation(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""H < t is the event \(-k_- \le \lfloor Y \rfloor \le k_+\), whose complement has two tails,
    \(\frac12 e^{-k_-\varepsilon}\) and \(\frac12 e^{-(k_+ + 1)\varepsilon}\). The printed k stands for both numbers of
    steps, and nothing is said of an end that the noise is cut back to. With x = (1, 1) and one step, everything is
    inside: the probability is 1.
    """
    _, k = steps_within(prior, counts, t)
    return floor_within(epsilon, k)


@lshist_below.instead(
    r"\Pr[H < t] = 1 - \tfrac12 e^{-k_-\varepsilon}\,[x > k_-] - \tfrac12 e^{-(k_+ + 1)\varepsilon}\,[x + k_+ < n]",
    premises=INSIDE,
    proof=True,
)
def lshist_corrected(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""H grows with the number of steps on either side, so H < t is the interval
    \(x - k_- \le \mathrm{out} \le x + k_+\). Below it lies \(Y < -k_-\), above it \(Y \ge k_+ + 1\); where an end of 0..n
    is inside the interval, the noise beyond is cut back into it.
    """
    return floored_laplace_below(prior, counts, epsilon, t)


@lshist_below.said(
    r"\Pr[H < t] \ge 1 - e^{-k\varepsilon}",
    suffix="lower",
    where="Theorem 4.5, LSHist, inequality",
    relation=">=",
    tight={"prior": FLAT, "counts": (30, 30), "epsilon": 2.0, "t": 0.2},
    within=0.015,
    premises=INSIDE,
    condition=Condition(
        r"at least as many steps down as up are inside t",
        lambda prior, counts, t, **_: no_farther_down(prior[::-1], counts[::-1], t),
    ),
    proof=True,
)
def lshist_lower(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""From the corrected equation with \(k_- \ge k_+\). At x = (1, 2), t = 0.35 one step up is inside and none down."""
    _, k = steps_within(prior, counts, t)
    return 1 - exp(-k * epsilon)


@lshist_below.instead(
    r"\Pr[H < t] \ge 1 - e^{-\min(k_-, k_+)\,\varepsilon}",
    suffix="lower-corrected",
    where="Theorem 4.5, LSHist, inequality",
    relation=">=",
    tight={"prior": FLAT, "counts": (30, 30), "epsilon": 2.0, "t": 0.2},
    within=0.015,
    premises=INSIDE,
    corrects="notes/4.5-lshist-lower",
    proof=True,
)
def lshist_lower_corrected(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""Each tail of the corrected equation is at most \(\frac12 e^{-\min(k_-, k_+)\varepsilon}\)."""
    return 1 - exp(-min(steps_within(prior, counts, t)) * epsilon)


@NOTES.item(
    "4.5-lszhang",
    "undated version, Theorem 4.5, LSZhang, equation",
    cases=[*ERRORS, *with_steps(2, prior=[FLAT], counts=[(20, 20)], epsilon=[0.8])],
    calls=(error_below, lszhang),
    page=THEOREM,
)
def lszhang_below(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""\(\Pr[H < t]\) for LSZhang, completed."""
    return error_below(lszhang(epsilon), prior, counts, t)


@lszhang_below.said(
    r"\Pr[H < t] = \bigl(1 - \tfrac12(e^{-k\varepsilon/2} + e^{-(k+1)\varepsilon/2})\bigr)^2",
    expected=REFUTED,
)
def lszhang_equation(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""The square is the probability that two independent noises of scale \(2/\varepsilon\) both stay within k steps.
    Algorithm 1 draws one noise for two categories, of scale \(4/\varepsilon\).
    """
    _, k = steps_within(prior, counts, t)
    return floor_within(epsilon / 2, k) ** 2


@lszhang_below.instead(
    r"\Pr[H < t] = 1 - \tfrac12 e^{-k_-\varepsilon/4}\,[x > k_-] - \tfrac12 e^{-(k_+ + 1)\varepsilon/4}\,[x + k_+ < n]",
    premises=INSIDE,
    proof=True,
)
def lszhang_corrected(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""As ``notes/4.5-lshist-corrected``, with noise of scale \(4/\varepsilon\)."""
    return floored_laplace_below(prior, counts, epsilon / 4, t)


@lszhang_below.said(
    r"\Pr[H < t] \ge (1 - e^{-k\varepsilon/2})^2",
    suffix="lower",
    where="undated version, Theorem 4.5, LSZhang, inequality",
    relation=">=",
    cases=[*ERRORS, *with_steps(10, prior=[FLAT], counts=[(12, 12)], epsilon=[0.44])],
    expected=REFUTED,
)
def lszhang_lower(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""It fails in balanced data too. With \(z = e^{-k\varepsilon/4}\) the two sides are about \(1 - z\) and
    \((1 - z)^2 (1 + z)^2\), and \((1-z)(1+z)^2\) reaches 32/27 at z = 1/3.
    """
    _, k = steps_within(prior, counts, t)
    return (1 - exp(-k * epsilon / 2)) ** 2


@lszhang_below.instead(
    r"\Pr[H < t] \ge 1 - e^{-\min(k_-, k_+)\,\varepsilon/4}",
    suffix="lower-corrected",
    where="undated version, Theorem 4.5, LSZhang, inequality",
    relation=">=",
    cases=lszhang_lower.cases,
    tight={"prior": FLAT, "counts": (30, 30), "epsilon": 6.0, "t": 0.25},
    within=0.025,
    premises=INSIDE,
    corrects="notes/4.5-lszhang-lower",
    proof=True,
)
def lszhang_lower_corrected(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""Each tail of the corrected equation is at most \(\frac12 e^{-\min(k_-, k_+)\varepsilon/4}\)."""
    return 1 - exp(-min(steps_within(prior, counts, t)) * epsilon / 4)
