r"""Section 5.1: the exponential family with a trimmed exponential prior, Lemma 19.

The prior is on \([c_1, c_2]\), with the rate \(\lambda\).
"""

from typing import Any

from ...arithmetic import exp, largest, less, log, number, sqrt, tanh
from ...posterior_sampling import (
    exponential,
    likelihood_ratio,
    lipschitz_mass,
    posterior,
    total_variation,
    trimmed_exponential,
)
from ...posterior_sampling.conjugate_constants import (
    Constants,
    exponential_constants,
)
from ..claim import REFUTED, Condition
from ..premises import Reals
from .cases import LEVEL, bounded, trimmed
from .source import CONJUGATE, PAPER

EDGES: list[dict[str, Any]] = [
    {"lam": 2.0, "c1": 0.5, "c2": 2.0},
    {"lam": 1.0, "c1": 0.5, "c2": 5.0},
    {"lam": 10.0, "c1": 0.1, "c2": 0.11},
]
LEVELS: list[dict[str, Any]] = [
    {**case, "L": case["c1"] + share * (case["c2"] - case["c1"])} for case in EDGES for share in (0.001, 0.25, 0.5, 0.9)
]

NARROW: dict[str, Any] = {"lam": 0.0001, "c1": 10_000, "c2": 30_000, "B": 0.0000333}
"""Records so near to each other that their distance is far below its root."""

BOUNDED: list[dict[str, Any]] = [
    {"lam": 2.0, "c1": 0.5, "c2": 2.0, "B": 1.0},
    {"lam": 1.0, "c1": 0.5, "c2": 5.0, "B": 3.0},
    {"lam": 10.0, "c1": 0.1, "c2": 0.11, "B": 1.0},
]

CERTAIN: dict[str, Any] = {"lam": 1000.0, "c1": 0.5, "c2": 1.0, "B": 0.001}
"""A prior with nearly all its mass at the lower end, and records that say nearly nothing."""

TOLD: dict[str, Any] = {"lam": 0.01, "c1": 0.01, "c2": 100.0, "B": 100.0}
"""Records that tell small parameters from large ones."""

REAL, RECORD = Reals(-20, 20, corners=(0.0,)), Reals(1e-4, 20, least=0, corners=(0.0,))
"""Records and locations of either sign, and records that are not negative."""


@PAPER.item(
    "lemma-19",
    "Lemma 19, Assumption 2",
    cases=LEVELS,
    relation="<=",
    calls=lipschitz_mass,
    page=CONJUGATE,
    premises=trimmed(L=LEVEL),
)
def mass_outside(lam: Any, c1: Any, c2: Any, L: Any) -> Any:
    r"""\(1 - \xi(\Theta_L)\)."""
    return 1 - lipschitz_mass(exponential(), trimmed_exponential(lam, c1, c2), L)


@mass_outside.said(
    r"\xi(\Theta_L) \ge 1 - e^{-\lambda(L - c_1)}, \quad \ell(\theta) = \theta", proof=True, tight=LEVELS[4]
)
def lemma_19(lam: Any, c1: Any, c2: Any, L: Any) -> Any:
    r"""Let \(a = e^{-\lambda(L - c_1)}\) and \(b = e^{-\lambda(c_2 - c_1)} \le a\). The mass outside \(\Theta_L\) is
    \(\frac{a - b}{1 - b}\), which is at most a. The sides are the masses outside.
    """
    return exp(-lam * (L - c1))


def tells_from_zero(lam: Any, c1: Any, L: Any, **_: Any) -> bool:
    """Whether one less the mass inside keeps its digits in doubles."""
    return not less(number(12), lam * (L - c1))


@PAPER.item(
    "lemma-19-rate",
    "Lemma 19, Assumption 2",
    cases=LEVELS,
    relation=">=",
    calls=lipschitz_mass,
    page=CONJUGATE,
    premises=trimmed(L=LEVEL).and_also("the mass outside is at least e^-12", tells_from_zero),
)
def rate_at(lam: Any, c1: Any, c2: Any, L: Any) -> Any:
    r"""\(\frac{-\ln(1 - \xi(\Theta_L))}{L - c_1}\)."""
    return -log(mass_outside(lam=lam, c1=c1, c2=c2, L=L)) / (L - c1)


@rate_at.said(
    r"c = \frac{\lambda}{1 - e^{-\lambda(c_2 - c_1)}}: \quad \frac{-\ln(1 - \xi(\Theta_L))}{L - c_1} \ge c",
    corrects="posterior-sampling/lemma-19",
    origin="ours",
    proof=True,
    tight=LEVELS[-4],
)
def lemma_19_rate(lam: Any, c1: Any, c2: Any, L: Any) -> Any:
    r"""This is the best rate at \(L_0 = c_1\), and it is larger than the printed \(\lambda\). The function \(-\ln(1 -
    \xi(\Theta_L))\) is the integral of the hazard rate \(\lambda/(1 - e^{-\lambda(c_2 - L)})\), which increases. So it
    is convex in L, and above its tangent at \(c_1\). The rate is reached as \(L \to c_1\).
    """
    return lam / (1 - exp(-lam * (c2 - c1)))


def printed_ratio(c1: Any, c2: Any, B: Any) -> Any:
    r"""\(c_2 / \min\{c_1 e^{-c_1 B}, c_2 e^{-c_2 B}\}\)."""
    return exponential_constants(trimmed_exponential(1, c1, c2), B).ratio


@PAPER.item(
    "lemma-19-ratio",
    "Lemma 19, C",
    cases=[*BOUNDED, CERTAIN, {"lam": 0.1, "c1": 0.5, "c2": 0.55, "B": 200.0}],
    relation="<=",
    calls=likelihood_ratio,
    page=CONJUGATE,
    premises=bounded(),
)
def largest_ratio(lam: Any, c1: Any, c2: Any, B: Any) -> Any:
    """The largest C(x) of one record on a grid of 41 points of [0, B]."""
    family, prior = exponential(B), trimmed_exponential(lam, c1, c2)
    return largest([likelihood_ratio(family, prior, [x]) for x in (*(B * i / 40 for i in range(40)), B)])


@largest_ratio.said(r"C \le \frac{c_2}{\min\{c_1 e^{-c_1 B}, c_2 e^{-c_2 B}\}}", proof=True, tight=CERTAIN)
def lemma_19_C(lam: Any, c1: Any, c2: Any, B: Any) -> Any:  # noqa: N802
    r"""The likelihood is at most \(c_2\). The marginal \(\phi\) is at least the least likelihood, which is at an end
    because \(\theta e^{-\theta x}\) rises and then falls. So the bound is valid, but it is far from sharp: at
    \(\lambda = 1\), [0.5, 5] and B = 3 it is 3.27 million, and C is 3.45. It is sharp for a prior near \(c_1\) and
    records near zero. The exponentials are needed: on [0.5, 0.55] \(\frac{c_2}{c_1}\) is 1.1, and at \(\lambda = 0.1\)
    and B = 200 C is 9.88. The paper prints an equality. The exact side is the largest C(x) on a grid.
    """
    return printed_ratio(c1, c2, B)


@PAPER.item(
    "lemma-19-concave",
    "Lemma 19, proof",
    cases=[{"theta": 0.5, "x": 1}, {"theta": 3, "x": 1}],
    relation="<=",
    apart="a derivative, which the library does not take",
    page=CONJUGATE,
)
def second_derivative(theta: Any, x: Any) -> Any:
    r"""\(\frac{d^2}{d\theta^2}\, \theta e^{-\theta x} = x e^{-\theta x}(\theta x - 2)\)."""
    return x * exp(-theta * x) * (theta * x - 2)


@second_derivative.said(
    r"\theta e^{-\theta x} \text{ is concave in } \theta: \quad \frac{d^2}{d\theta^2}\, \theta e^{-\theta x} \le 0",
    erratum=True,
    condition=Condition(r"\(\theta x \le 2\)", lambda theta, x: theta * x <= 2),
    proof=True,
)
def lemma_19_concave(theta: Any, x: Any) -> Any:
    r"""The second derivative is \(x e^{-\theta x}(\theta x - 2)\). Rising and then falling is enough for the proof."""
    return number(0)


APART: list[dict[str, Any]] = [{**case, "x": 0.0, "y": case["B"]} for case in (*BOUNDED, NARROW)]


@PAPER.item(
    "lemma-19-delta",
    "Lemma 19, privacy",
    cases=APART,
    relation="<=",
    calls=(posterior, total_variation),
    page=CONJUGATE,
    premises=bounded(RECORD),
)
def variation(lam: Any, c1: Any, c2: Any, B: Any, x: Any, y: Any) -> Any:
    """The total variation between the posteriors of one record, x or y."""
    family, prior = exponential(B), trimmed_exponential(lam, c1, c2)
    return total_variation(posterior(family, prior, [x]), posterior(family, prior, [y]))


def printed_delta(C: Any, lam: Any, c1: Any) -> Any:
    r"""\(\delta = \sqrt{\frac12 C (1 + 2c_1 + 1/\lambda)}\)."""
    return Constants(c1, lam, C).delta()


@variation.said(
    r"(0, \delta)\text{-DP under } \rho: \quad TV \le \delta\rho, \quad \delta = \sqrt{\tfrac12 C (1 + 2c_1 + 1/\lambda)}",
    expected=REFUTED,
)
def lemma_19_delta(lam: Any, c1: Any, c2: Any, B: Any, x: Any, y: Any) -> Any:
    r"""Theorem 8 is under \(\sqrt\rho\), and a distance below one is smaller than its root. Take \(\lambda =
    10^{-4}\), parameters from 10,000 to 30,000, and the records 0 and 0.0000333. Then the total variation is 0.0771,
    and \(\delta\rho\) is 0.00834.
    """
    return printed_delta(printed_ratio(c1, c2, B), lam, c1) * abs(x - y)


@variation.said(
    r"(0, \delta)\text{-DP under } \sqrt\rho: \quad TV \le \delta\sqrt\rho",
    suffix="root",
    origin="reading",
    proof=True,
)
def lemma_19_delta_root(lam: Any, c1: Any, c2: Any, B: Any, x: Any, y: Any) -> Any:
    r"""This is what part 2 of Theorem 8 gives. There it is printed for c > 1, so here for \(\lambda > 1\), but it
    holds for every \(\lambda > 0\). One has \(TV \le \frac12\sqrt{C\,\mathbb E_\xi\ell\,\rho}\)
    (``posterior-sampling/theorem-8.2-corrected``) and \(\mathbb E_\xi\ell \le c_1 + 1/\lambda\). The bound rarely says
    anything: at \(\lambda = 2\), [0.5, 2] and B = 1 it is 3.04. For \(\lambda = 10\) on [0.1, 0.11] it is 0.889, and
    the exact total variation 0.00125. It is not sharp: it is more than a factor \(\sqrt2\) too large, because \(c_1 +
    1/\lambda\) is less than \(1 + 2c_1 + 1/\lambda\).
    """
    return printed_delta(printed_ratio(c1, c2, B), lam, c1) * sqrt(number(exponential(B).distance([x], [y])))


@variation.said(
    r"x, y \in [0, 1] \implies TV \le \delta",
    suffix="classical",
    cases=[case for case in APART if case["B"] <= 1],
    proof=True,
    premises=bounded(RECORD).and_also("x, y in [0, 1]", lambda x, y, **_: not less(1, x) and not less(1, y)),
)
def lemma_19_delta_classical(lam: Any, c1: Any, c2: Any, B: Any, x: Any, y: Any) -> Any:
    r"""For such records \(\rho \le 1\), so the bound under \(\sqrt\rho\) is at most \(\delta\). As \(C \ge 1\),
    \(\delta\) is always above \(1/\sqrt 2\), so it never says much. It is not sharp: like the bound under
    \(\sqrt\rho\) it is more than a factor \(\sqrt2\) too large.
    """
    return printed_delta(printed_ratio(c1, c2, B), lam, c1)


@variation.instead(
    r"TV \le \tanh\frac{(c_2 - c_1)\rho}{4}: \quad (0, \tfrac{c_2 - c_1}{4})\text{-DP under } \rho",
    cases=[*APART, {**TOLD, "x": 0.0, "y": TOLD["B"]}],
    tight={**TOLD, "x": 0.0, "y": TOLD["B"]},
    proof=True,
)
def lemma_19_delta_corrected(lam: Any, c1: Any, c2: Any, B: Any, x: Any, y: Any) -> Any:
    r"""Up to a constant the log likelihoods of two records differ by \(\theta(y - x)\). So its range w is
    \((c_2 - c_1)\rho\), and the total variation is at most \(\tanh\frac w4\), by the argument of
    ``posterior-sampling/theorem-8.1-variation``. Neither C nor \(\lambda\) is needed. For small w these priors leave a
    factor of two, because they are nearly uniform, while extreme laws have their mass at the ends. For large w both
    sides are nearly one.
    """
    return tanh((c2 - c1) * abs(x - y) / 4)
