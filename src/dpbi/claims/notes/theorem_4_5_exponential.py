r"""Theorem 4.5 for the exponential mechanism, EHD and EHDL: how probable an error below t is."""

from typing import Any

from ...accuracy import error_below, steps_within
from ...arithmetic import exp
from ...mechanisms import ehd, ehdl
from ...model import local_sensitivity
from ..claim import REFUTED, Condition, grid
from ..quantities import candidates_below, printed_sensitivity
from .source import ERRORS, FLAT, NOTES, THEOREM, no_farther_down, with_steps

SMALLEST = [{"prior": FLAT, "counts": (0, 1), "epsilon": e, "t": 0.3} for e in (0.1, 1.0)]
LOWER = [*SMALLEST, *ERRORS, *with_steps(0, prior=[FLAT], counts=[(1, 1), (7, 7)], epsilon=[0.1, 1.0])]
FAR = {"prior": (1e-9, 1e-9), "counts": (0, 1000), "epsilon": 2.0, "t": 0.5}
"""Almost all candidates are at distance one, and the upper bounds are nearly met."""

UPPER = [
    *ERRORS,
    *with_steps(0, prior=[FLAT], counts=[(417, 417)], epsilon=[0.5]),
    *with_steps(0, prior=[FLAT], counts=[(492, 492), (500, 500)], epsilon=[0.8]),
]


def printed_rate(epsilon: Any) -> Any:
    r"""\(\varepsilon / (2G)\)."""
    return epsilon / (2 * printed_sensitivity())


def local_rate(prior: Any, counts: Any, epsilon: Any) -> Any:
    r"""\(\varepsilon / (2\,LS(x))\)."""
    return epsilon / (2 * local_sensitivity(prior, counts))


def local_lower(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""\((2k \exp(-\varepsilon/(2\,LS(x))) + 1) / n\)."""
    _, k = steps_within(prior, counts, t)
    return (2 * k * exp(-local_rate(prior, counts, epsilon)) + 1) / sum(counts)


def local_upper(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""\((2k + 1) \exp(\varepsilon/(2\,LS(x))) / n\)."""
    _, k = steps_within(prior, counts, t)
    return (2 * k + 1) * exp(local_rate(prior, counts, epsilon)) / sum(counts)


def share(prior: Any, counts: Any, t: Any) -> Any:
    """The share of the candidates that are inside t."""
    return candidates_below(prior, counts, t) / (sum(counts) + 1)


@NOTES.item(
    "4.5-ehd",
    "Theorem 4.5, EHD, left inequality",
    cases=LOWER,
    relation=">",
    calls=(error_below, ehd),
    page=THEOREM,
)
def ehd_below(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""\(\Pr[H < t]\) for EHD at the printed sensitivity G."""
    return error_below(ehd(epsilon, printed_sensitivity()), prior, counts, t)


@ehd_below.said(
    r"\Pr[H < t] > \frac{2k e^{-\varepsilon} + 1}{n}",
    suffix="lower",
    expected=REFUTED,
)
def ehd_lower(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""There are n + 1 candidates, not n. The smallest counterexample is a single record: with no step inside t the bound
    is 1, and the probability is \(1 / (1 + e^{-\varepsilon/2})\). Balanced data with n = 2 and n = 14 refute it too.
    """
    _, k = steps_within(prior, counts, t)
    return (2 * k * exp(-epsilon) + 1) / sum(counts)


@ehd_below.instead(
    r"\Pr[H < t] \ge \frac{k_- + k_+ + 1}{n + 1}",
    suffix="lower-corrected",
    relation=">=",
    tight={"prior": FLAT, "counts": (10, 10), "epsilon": 0.001, "t": 0.3},
    corrects="notes/4.5-ehd-lower",
    proof=True,
)
def ehd_lower_corrected(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""Weights fall with the distance, and the candidates inside t are the nearest ones: their average weight is at least
    the average over all n + 1. So they hold at least their share of the probability. This is true of every x and of
    every weight that falls with H; no \(e^{-\varepsilon}\) is needed. Equality as \(\varepsilon \to 0\).
    """
    return share(prior, counts, t)


@ehd_below.said(
    r"\Pr[H < t] < \frac{2k + 1}{n e^{-\varepsilon}}",
    suffix="upper",
    where="Theorem 4.5, EHD, right inequality",
    relation="<",
    cases=UPPER,
    expected=REFUTED,
)
def ehd_upper(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""\(1/(2G) = 1.0793 > 1\), so \(e^{-\varepsilon/(2G)}\) is less than \(e^{-\varepsilon}\) and the last step of the
    printed chain goes the wrong way (``notes/4.5-ehd-proof``). In balanced data it shows from n = 834 on; with more
    steps inside t downwards than upwards already at n = 3.
    """
    _, k = steps_within(prior, counts, t)
    return (2 * k + 1) * exp(epsilon) / sum(counts)


@ehd_below.instead(
    r"\Pr[H < t] < \frac{k_- + k_+ + 1}{(n + 1)\, e^{-\varepsilon/(2G)}}, \quad G = \sqrt{1 - \pi/4}",
    suffix="upper-corrected",
    where="Theorem 4.5, EHD, right inequality",
    relation="<",
    cases=[*UPPER, FAR],
    tight={"prior": FLAT, "counts": (10, 10), "epsilon": 0.001, "t": 0.3},
    corrects="notes/4.5-ehd-upper",
    proof=True,
)
def ehd_upper_corrected(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""Each weight is at most 1, and each of the n + 1 terms of the normaliser exceeds \(e^{-\varepsilon/(2G)}\), as
    H < 1. Equality as \(\varepsilon \to 0\); for any \(\varepsilon\) it is also approached as n grows with t small, when almost
    all candidates lie at distance 1.
    """
    return share(prior, counts, t) * exp(printed_rate(epsilon))


@NOTES.item(
    "4.5-ehd",
    "Theorem 4.5, proof, last step",
    cases=grid(epsilon=[0.01, 0.8, 5.0]),
    relation="<",
    apart="two elementary functions",
    page=THEOREM,
)
def reversed_step(epsilon: Any) -> Any:
    r"""\(e^{\varepsilon/(2G)}\)."""
    return exp(printed_rate(epsilon))


@reversed_step.said(
    r"\frac{2k+1}{n \exp(-\varepsilon/(2\sqrt{1 - \pi/4}))} < \frac{2k+1}{n \exp(-\varepsilon)}",
    suffix="proof",
    expected=REFUTED,
    erratum=True,
)
def ehd_proof(epsilon: Any) -> Any:
    r"""\(2G = 0.9265 < 1\). The sides are compared at k = 0, n = 1; the common factor changes nothing."""
    return exp(epsilon)


@ehd_below.said(
    r"\Pr[H < t] \ge \frac{2k \exp(-0\varepsilon/(2G)) + 1}{n \exp(-\varepsilon/(2G))}",
    suffix="proof-lower",
    where="version of March 12, 2020, Theorem 4.5, proof, lower chain",
    relation=">=",
    expected=REFUTED,
    erratum=True,
)
def ehd_proof_lower(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""This is the expression that the chain before it gives as an upper bound. A lower bound would need the least weight
    in the numerator and the largest in the denominator; the other version prints an unreadable variant.
    """
    _, k = steps_within(prior, counts, t)
    return (2 * k + 1) * exp(printed_rate(epsilon)) / sum(counts)


@NOTES.item(
    "4.5-ehdl",
    "undated version, Theorem 4.5, EHDL, left inequality",
    cases=LOWER,
    relation=">",
    calls=(error_below, ehdl),
    page=THEOREM,
)
def ehdl_below(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""\(\Pr[H < t]\) for EHDL."""
    return error_below(ehdl(epsilon), prior, counts, t)


@ehdl_below.said(
    r"\Pr[H < t] > \frac{2k \exp(-\varepsilon/(2\,LS(x))) + 1}{n}",
    suffix="lower",
    expected=REFUTED,
)
def ehdl_lower(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""As for EHD there are n + 1 candidates, not n: a single record refutes it."""
    return local_lower(prior, counts, epsilon, t)


@ehdl_below.instead(
    r"\Pr[H < t] \ge \frac{k_- + k_+ + 1}{n + 1}",
    suffix="lower-corrected",
    relation=">=",
    tight={"prior": FLAT, "counts": (10, 10), "epsilon": 0.001, "t": 0.3},
    corrects="notes/4.5-ehdl-lower",
    proof=True,
)
def ehdl_lower_corrected(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    """The nearest candidates have more than the average weight, as for ``notes/4.5-ehd-lower-corrected``."""
    return share(prior, counts, t)


@ehdl_below.said(
    r"\Pr[H < t] < \frac{2k + 1}{n \exp(-\varepsilon/(2\,LS(x)))}",
    suffix="upper",
    where="undated version, Theorem 4.5, EHDL, right inequality",
    relation="<",
    condition=Condition(r"at most as many steps down as up are inside t", no_farther_down),
    proof=True,
)
def ehdl_upper(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""The normaliser is more than \((n+1)\, e^{-\varepsilon/(2 LS)}\), as H < 1; the numerator is at most
    \(k_- + k_+ + 1 \le 2k + 1\).
    """
    return local_upper(prior, counts, epsilon, t)


@ehdl_below.instead(
    r"\Pr[H < t] < \frac{k_- + k_+ + 1}{(n + 1) \exp(-\varepsilon/(2\,LS(x)))}",
    suffix="upper-corrected",
    where="undated version, Theorem 4.5, EHDL, right inequality",
    relation="<",
    cases=[*LOWER, FAR],
    tight={"prior": FLAT, "counts": (10, 10), "epsilon": 0.001, "t": 0.3},
    corrects="notes/4.5-ehdl-upper",
    proof=True,
)
def ehdl_upper_corrected(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""For every x: weights are at most 1, and more than \(e^{-\varepsilon/(2 LS)}\) as H < 1."""
    return share(prior, counts, t) * exp(local_rate(prior, counts, epsilon))


@ehd_below.said(
    r"\Pr[H(x, \mathrm{EHD}(x)) < t] > \frac{2k \exp(-\varepsilon/(2\,LS(x))) + 1}{n}",
    suffix="local-lower",
    where="version of March 12, 2020, Theorem 4.5, third line, left inequality",
    expected=REFUTED,
    erratum=True,
)
def ehd_local_lower(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""This version prints EHD where the other prints EHDL. A single record refutes it either way."""
    return local_lower(prior, counts, epsilon, t)


@ehd_below.said(
    r"\Pr[H(x, \mathrm{EHD}(x)) < t] < \frac{2k + 1}{n \exp(-\varepsilon/(2\,LS(x)))}",
    suffix="local-upper",
    where="version of March 12, 2020, Theorem 4.5, third line, right inequality",
    relation="<",
    cases=[
        *ehd_lower.cases,
        {"prior": (0.001, 0.001), "counts": (1, 299), "epsilon": 2.0, "t": 0.01},
    ],
    condition=Condition(
        r"at most as many steps down as up are inside t, and \(LS(x) \le \sqrt{1 - \pi/4}\)",
        lambda prior, counts, epsilon, t: (
            no_farther_down(prior, counts, t)
            and local_sensitivity(prior, counts) <= printed_sensitivity() * (1 + 1e-12)
        ),
    ),
    proof=True,
    erratum=True,
)
def ehd_local_upper(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""Where \(LS(x) \le G\) the rate of EHD is at most \(\varepsilon/(2 LS)\), and the argument for EHDL applies."""
    return local_upper(prior, counts, epsilon, t)
