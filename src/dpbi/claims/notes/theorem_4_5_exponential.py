r"""Theorem 4.5 for exponential mechanisms, EHD with the printed sensitivity and EHDL: how probable an error below t is."""

from typing import Any

from ...accuracy import error_below, steps_within
from ...arithmetic import exp, less, maximum, minimum, number
from ...mechanisms import ehd, ehdl
from ...model import local_sensitivity, reciprocal_slope
from ...model.distances import distance as distance_of
from ..claim import REFUTED, Condition, grid
from ..premises import Dataset, Reals, Weights, premises
from ..quantities import candidates_below, printed_sensitivity
from .source import ERRORS, FLAT, INSIDE, NOTES, THEOREM, no_farther_down, with_steps

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


def most_inside(m: Any, n: Any, rate: Any) -> Any:
    r"""\(m / (m + (n + 1 - m)\, e^{-\lambda})\): m candidates of weight 1, the others of the least possible weight."""
    return m / (m + (n + 1 - m) * exp(-rate))


@NOTES.item(
    "4.5-ehd",
    "Theorem 4.5, EHD, left inequality",
    cases=LOWER,
    relation=">",
    calls=(error_below, ehd),
    page=THEOREM,
)
def ehd_below(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""\(\Pr[H < t]\) for EHD with the printed sensitivity G."""
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
    premises=INSIDE,
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
    printed chain goes the wrong way (``notes/4.5-ehd-proof``). In balanced data with the flat prior and k = 0 it shows
    from n = 772 on, first at \(\varepsilon = 0.246\); with more steps inside t downwards than upwards already at n = 2.
    """
    _, k = steps_within(prior, counts, t)
    return (2 * k + 1) * exp(epsilon) / sum(counts)


@ehd_below.instead(
    r"\Pr[H < t] \le \frac{m}{m + (n + 1 - m)\, e^{-\varepsilon/(2G)}}, \quad m = k_- + k_+ + 1,\ G = \sqrt{1 - \pi/4}",
    suffix="upper-corrected",
    where="Theorem 4.5, EHD, right inequality",
    relation="<=",
    cases=[*UPPER, FAR],
    tight=FAR,
    premises=INSIDE,
    corrects="notes/4.5-ehd-upper",
    proof=True,
)
def ehd_upper_corrected(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""Let \(I\) be the weight of all candidates inside and \(O\) that of all outside. The probability is \(I / (I +
    O)\). It rises with I, which is at most m, and it falls with O. The n + 1 - m weights of O all exceed
    \(e^{-\varepsilon/(2G)}\), because H < 1.

    So the bound is at most 1. It is approached where the candidates inside are near and all others at distance 1, as with
    prior weights near 0 and all records in one category; no smaller function of m, n and \(\varepsilon\) will do.
    """
    return most_inside(candidates_below(prior, counts, t), sum(counts), printed_rate(epsilon))


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
    premises=INSIDE,
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
    tight={"prior": FLAT, "counts": (50, 50), "epsilon": 0.0001, "t": 0.08},
    within=0.015,
    premises=INSIDE,
    condition=Condition(r"at most as many steps down as up are inside t", no_farther_down),
    proof=True,
)
def ehdl_upper(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""The normaliser is more than \((n+1)\, e^{-\varepsilon/(2 LS)}\), as H < 1; the numerator is at most
    \(k_- + k_+ + 1 \le 2k + 1\).
    """
    return local_upper(prior, counts, epsilon, t)


@ehdl_below.instead(
    r"\Pr[H < t] \le \frac{m}{m + (n + 1 - m) \exp(-\varepsilon/(2\,LS(x)))}, \quad m = k_- + k_+ + 1",
    suffix="upper-corrected",
    where="undated version, Theorem 4.5, EHDL, right inequality",
    relation="<=",
    cases=[*LOWER, FAR],
    tight=FAR,
    premises=INSIDE,
    corrects="notes/4.5-ehdl-upper",
    proof=True,
)
def ehdl_upper_corrected(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""For every x, as ``notes/4.5-ehd-upper-corrected``: weights are at most 1, and more than \(e^{-\varepsilon/(2 LS)}\)."""
    return most_inside(candidates_below(prior, counts, t), sum(counts), local_rate(prior, counts, epsilon))


def moved(prior: Any, counts: Any, t: Any) -> tuple[list[int], list[int]]:
    """How many steps away the candidates are: those inside t, and those outside."""
    down, up = steps_within(prior, counts, t)
    room = [(down, int(counts[0])), (up, int(counts[1]))]
    inside = [step for near, _ in room for step in range(1, near + 1)]
    return [0, *inside], [step for near, last in room for step in range(near + 1, last + 1)]


def weights_at(distances: Any, scale: Any, epsilon: Any) -> Any:
    r"""The sum of \(e^{-\varepsilon h/(2\,LS(x))}\) over some distances h, or bounds on them."""
    return sum((exp(-epsilon * h / (2 * scale)) for h in distances), start=number(0))


BALANCED = [
    *with_steps(0, prior=[FLAT], counts=[(4, 4), (50, 50), (500, 500)], epsilon=[0.1, 0.8, 2.0]),
    *with_steps(3, prior=[FLAT, (7, 7)], counts=[(30, 30)], epsilon=[0.1, 0.8]),
    *with_steps(1, prior=[(1, 1)], counts=[(2, 2), (3, 3)], epsilon=[0.8, 20.0]),
]


@ehdl_below.instead(
    r"\Pr[H < t] \le \frac{m}{m + \sum_{j\ \text{outside}} \exp(-\frac\varepsilon2 \min(C j,\, 1/LS(x)))}, \quad C = \tfrac{1+\gamma_0}{2} = 1.4824, \text{ j the steps from x}",
    suffix="upper-sharp",
    where="undated version, Theorem 4.5, EHDL, right inequality",
    relation="<=",
    cases=[*LOWER, FAR, *BALANCED],
    tight=FAR,
    premises=INSIDE,
    corrects="notes/4.5-ehdl-upper",
    proof=True,
)
def ehdl_upper_sharp(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""j steps go no farther than \(C j\, LS(x)\), for all prior weights (``notes/4.3-order-corrected``), and no farther than 1.
    So a candidate j steps away weighs at least \(\exp(-\frac\varepsilon2 \min(C j, 1/LS))\), and what is outside as much
    in sum. The sum does not vanish as n grows and LS(x) falls: the bound tends to a number below 1 that no longer depends on n.
    """
    inside, outside = moved(prior, counts, t)
    scale, slope = local_sensitivity(prior, counts), (1 + reciprocal_slope()) / 2
    far = [minimum(slope * step * scale, number(1)) for step in outside]
    return len(inside) / (len(inside) + weights_at(far, scale, epsilon))


@ehdl_below.instead(
    r"\Pr[H < t] \le \frac{2k+1}{2k + 1 + 2\sum_{j=k+1}^{n/2} \exp(-\frac\varepsilon2 \min(j,\, 1/LS(x)))} \ \text{ for } x = (\tfrac n2, \tfrac n2) \text{ and equal prior weights of at least 1}",
    suffix="upper-balanced",
    where="undated version, Theorem 4.5, EHDL, right inequality",
    relation="<=",
    cases=BALANCED,
    tight=BALANCED[8],
    premises=premises(
        r"the two counts are equal",
        lambda counts, **_: counts[0] == counts[1],
        fix=lambda counts, **_: {"counts": (max(counts),) * 2},
        prior=Weights(least=1, equal=True),
        counts=Dataset(most=60),
        epsilon=Reals(above=0),
        t=Reals(high=0.999, above=0, most=1),
    ),
    corrects="notes/4.5-ehdl-upper",
    proof=True,
)
def ehdl_upper_balanced(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""There \(H_j \le \min(1, j\, LS(x))\). As \(n \to \infty\) the bound tends, for k = 0, to
    \(1/(1 + 2\sum_j e^{-\varepsilon j/2}) = \tanh(\varepsilon/4)\), and with it the probability
    (``notes/4.5-ehdl-lower-sharp``).

    To see that \(1 - e^{-D_j} \le j^2 (1 - e^{-D_1})\), \(D_j = -\ln(1 - H_j^2)\), for \(j \ge 2\), let a be the posterior
    parameter of either category, \(a - j \ge 1\). With \(g(s) = \psi'(a+s) + \psi'(a-s)\), which is a convex function of
    \(s^2\) and increases, and \(K(s) = \frac12\min(s, 1-s)\),
    \[ D_j = j^2 \int_0^1 g(js)\, K(s)\, ds, \qquad 0 \le D_j - j^2 D_1 \le \tfrac{7}{192}\, j^2\, (g(j) - g(0)) . \]
    If \(j^2(1 - e^{-D_1}) \ge 1\) there is nothing to show. Otherwise \(y = j^2 D_1 < 1.021\), and by
    \(y - \frac{y^2}2 \le 1 - e^{-y} \le y - \frac{y^2}2 + \frac{y^3}6\) it is enough that
    \[ \tfrac{7}{192}\, j^2\, (g(j) - g(0)) \le y^2 \Bigl(\tfrac12 - \tfrac{1}{2j^2} - \tfrac y6\Bigr) . \]
    For \(a \ge 16\): \(D_1 \ge \frac1{4a}\), so \(j^2 \le 4.09\,a\) and the right side is at least
    \(0.2\, j^4/(16 a^2)\); the second difference of \(\psi'(z) = \frac1z + \frac1{2z^2} + \frac1{6z^3} - \dots\) is below
    \(3.9\, j^2/a^3\), so that the left side is below \(0.1422\, j^4/a^3 \le 0.0089\, j^4/a^2\). For \(3 \le a \le 16\), where
    \(j \le 8\), the tests certify it by intervals.
    """
    k, scale = steps_within(prior, counts, t)[1], local_sensitivity(prior, counts)
    far = [minimum(step * scale, number(1)) for step in range(k + 1, int(counts[0]) + 1)]
    return (2 * k + 1) / (2 * k + 1 + 2 * weights_at(far, scale, epsilon))


@ehdl_below.instead(
    r"\Pr[H < t] \ge \frac{I}{I + O}, \quad I = \sum_{j\ \text{inside}} e^{-\frac{\varepsilon}{2} \min(C j,\, t/LS(x))}, \quad O = \sum_{j\ \text{outside}} e^{-\frac{\varepsilon}{2 LS(x)} \max(t,\, F(j^2/2N))}, \quad F(v) = \sqrt{1 - e^{-v}},\ N = \alpha_1 + \alpha_2 + n",
    suffix="lower-sharp",
    relation=">=",
    cases=[*LOWER, *BALANCED],
    tight=BALANCED[8],
    premises=INSIDE,
    corrects="notes/4.5-ehdl-lower",
    proof=True,
)
def ehdl_lower_sharp(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""The notes bound what is outside by \(e^{-0}\) and find no bound that stays above 0 as n grows. There is one, because
    the distance grows with the steps j, for every x and every prior: \(H_j \ge F(j^2/2N)\). With a and b the posterior
    parameters, \(-\ln(1 - H_j^2)\) is the integral of \(g(s) = \psi'(a+s) + \psi'(b-s)\) over \(0 \le s \le j\) with the
    weight \(\frac12 \min(s, j-s)\), whose mass is \(j^2/8\) and whose mean is j/2; g is convex, and so is \(\psi'(z) > 1/z\):
    \[ -\ln(1 - H_j^2) \ge \tfrac{j^2}{8}\, g(\tfrac j2) \ge \tfrac{j^2}{4}\, \psi'(\tfrac N2) \ge \tfrac{j^2}{2N} . \]
    Inside, \(H_j < t\) and \(H_j \le C j\,LS(x)\), C = 1.4824 (``notes/4.3-order-corrected``).

    In balanced data \(LS(x) \approx (2N)^{-1/2}\), so that \(F(j^2/2N)/LS(x) \to j\): for k = 0 the bound tends to
    \(\tanh(\varepsilon/4) > 0\), where the printed one tends to 0, and so does the upper bound
    ``notes/4.5-ehdl-upper-balanced``. At x = (0, n), where LS(x) stays away from 0, the probability does tend to 0.
    """
    inside, outside = moved(prior, counts, t)
    scale, slope = local_sensitivity(prior, counts), (1 + reciprocal_slope()) / 2
    near = [minimum(slope * step * scale, t) for step in inside]
    total = sum(prior) + sum(counts)
    far = [maximum(t, distance_of(number(step * step) / (2 * total))) for step in outside]
    here = weights_at(near, scale, epsilon)
    return here / (here + weights_at(far, scale, epsilon))


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
            no_farther_down(prior, counts, t) and not less(printed_sensitivity(), local_sensitivity(prior, counts))
        ),
    ),
    proof=True,
    erratum=True,
)
def ehd_local_upper(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""Where \(LS(x) \le G\) the rate of EHD is at most \(\varepsilon/(2 LS)\), and the argument for EHDL applies."""
    return local_upper(prior, counts, epsilon, t)
