"""Sections 4 and 4.1: the candidates, and the mechanisms that the paper compares its own with."""

from typing import Any

from ...arithmetic import number, pi, smallest, sqrt
from ...mechanisms import ehd, ehdl, lshist
from ...model import count_vectors, local_sensitivity
from ...privacy import audit, loss_between
from ..claim import REFUTED, Condition, grid
from ..premises import Wholes, premises
from ..quantities import guaranteed, pure_bound, worst_loss
from .source import EQUIDISTANT, FLAT, FLAT3, LOSSES, MODEL, PAPER, SMOOTHED


@PAPER.item("4-candidates", "Section 4", cases=grid(n=[0, 1, 8, 60]), calls=count_vectors, page=SMOOTHED)
def candidates_of_two(n: Any) -> Any:
    """How many candidates there are for two categories."""
    return number(len(count_vectors(int(n), 2)))


@candidates_of_two.said(
    r"|\mathcal R_{post}| = n + 1 \ \text{ for two categories}", premises=premises(n=Wholes(0, 500)), proof=True
)
def candidates(n: Any) -> Any:
    """The first count is one of 0, ..., n. Section 4.1.1 lists only n candidates."""
    return n + 1


score_sign = PAPER.vague(
    "4.1.1-score",
    "Section 4.1.1",
    r"\Pr[z = r] \propto \exp\Bigl(\frac{\varepsilon\, u(x, r)}{2\,GS}\Bigr),\ u(x, r) = \mathcal H(BI(x), r),\ \mathcal R_{post} = \{r_1, \dots, r_n\}",
    "The privacy of the mechanism does not depend on the sign of the score, but its purpose does.",
    malformed=r"with \(u = +\mathcal H\) far candidates are the likely ones, and n candidates are listed where there are n + 1. It is read with \(u = -\mathcal H\) and n + 1 candidates, as in Definition 4.1",
    erratum=True,
    page=SMOOTHED,
)


@PAPER.item(
    "4.1.1",
    "Section 4.1.1",
    relation="<=",
    cases=[
        *grid(prior=[FLAT, (0.05, 2)], n=[1, 8, 20], epsilon=[0.1, 0.8]),
        {"prior": FLAT3, "n": 6, "epsilon": 0.8},
    ],
    calls=(ehd, audit),
    page=SMOOTHED,
)
def loss_at_global_sensitivity(prior: Any, n: Any, epsilon: Any) -> Any:
    """The worst loss of the exponential mechanism with global sensitivity."""
    return audit(ehd(epsilon), prior, n).epsilon


@loss_at_global_sensitivity.said(
    r"\text{the exponential mechanism with } GS = \max_{x \sim x'} \max_r |\mathcal H(BI(x), r) - \mathcal H(BI(x'), r)| \text{ is } \varepsilon\text{-differentially private}",
    corrects="hellinger/4.1.1-score",
    origin="reading",
    proof=True,
    tight=EQUIDISTANT,
    premises=LOSSES,
)
def exponential_private(prior: Any, n: Any, epsilon: Any) -> Any:
    r"""A replaced record changes the exponent of a weight by at most \(\varepsilon/2\), and the logarithm of the sum
    of the weights by at most as much. No smaller constant holds for all priors: ``notes/3.1-ehd-corrected``.
    """
    return epsilon


@PAPER.item(
    "4.1.2",
    "Section 4.1.2",
    cases=[
        *grid(prior=[FLAT], n=[5, 40], epsilon=[0.1, 0.8]),
        *grid(prior=[(0.001, 0.001)], n=[60], epsilon=[0.1]),
        *grid(prior=[(0.01, 0.01)], n=[60], epsilon=[0.1]),
        {"prior": FLAT3, "n": 6, "epsilon": 0.8},
        {"prior": (8, 8, 1), "n": 25, "epsilon": 0.1},
    ],
    calls=(ehdl, audit, loss_between),
    page=MODEL,
)
def loss_at_local_sensitivity(prior: Any, n: Any, epsilon: Any, counts: Any = None, neighbour: Any = None) -> Any:
    """The loss with local sensitivity: from one dataset to one neighbour if they are given, the worst otherwise."""
    return worst_loss(ehdl(epsilon), prior, n, counts, neighbour)


@loss_at_local_sensitivity.said(
    r"\text{the exponential mechanism with local sensitivity is not } \varepsilon\text{-differentially private: its loss exceeds } \varepsilon",
    relation=">",
    expected=REFUTED,
)
def local_not_private(prior: Any, n: Any, epsilon: Any) -> Any:
    """The claim is true for some priors and numbers of records, and false for others. It is false for the prior
    beta(1, 1) of the experiments. It is true for two categories with small prior weights, and for three categories
    with large ones.
    """
    return epsilon


@loss_at_local_sensitivity.instead(
    r"\text{the exponential mechanism with local sensitivity loses at most } \tfrac{\varepsilon}{2} \max_{x \sim x'} (2 + \Delta (1 - 2 LS')), \quad \Delta = \tfrac1{LS'} - \tfrac1{LS} \ge 0",
    relation="<=",
    proof=True,
    premises=LOSSES,
    tight=EQUIDISTANT,
)
def local_corrected(prior: Any, n: Any, epsilon: Any) -> Any:
    r"""This is a pure guarantee for every prior and n. Take neighbours with \(LS' \le LS\), and let \(a = H(x, x') \le
    LS'\). For a candidate r the difference \(H(x', r)/LS' - H(x, r)/LS\) is \(\Delta H(x', r)\) plus \((H(x', r) -
    H(x, r))/LS\). So it lies between \(-a/LS\) and \(\Delta + a/LS\), a range of at most \(\Delta + 2LS'/LS = 2 +
    \Delta(1 - 2LS')\). The loss is at most \(\varepsilon/2\) times the range.
    """
    return epsilon / 2 * pure_bound(prior, n, lambda datasets: local_sensitivity(prior, datasets))


@loss_at_local_sensitivity.instead(
    r"\text{for two categories the exponential mechanism with local sensitivity loses less than } \tfrac{\varepsilon}{2}\Bigl(\gamma_0 + \frac{2}{1 + \gamma_0}\Bigr) = 1.3197\, \varepsilon, \quad \gamma_0 = \Bigl(1 - \tfrac{\sqrt\pi}{2}\Bigr)^{-1/2} - 1",
    suffix="two-categories",
    relation="<",
    cases=[
        *grid(prior=[FLAT, (0.001, 0.001), (0.1, 3)], n=[5, 60], epsilon=[0.1, 2.0]),
        {"prior": (1e-6, 1e-6), "n": 120, "epsilon": 0.01},
        {"prior": (8, 8, 1), "n": 25, "epsilon": 0.1},
        {"prior": (30, 30, 1), "n": 100, "epsilon": 0.1, "counts": (0, 0, 100), "neighbour": (0, 1, 99)},
    ],
    condition=Condition(r"\(k = 2\)", lambda prior, **_: len(prior) == 2),
    proof=True,
    premises=LOSSES,
)
def local_two_categories(prior: Any, n: Any, epsilon: Any, counts: Any = None, neighbour: Any = None) -> Any:
    r"""Take neighbours with \(LS > LS'\). As in ``notes/reciprocal-sensitivity`` they share the edge \(F(w') = H(x,
    x')\), and \(LS = F(w)\) is the edge before it, with \(w = u(A) + u(B)\) and \(w' = u(A+1) + u(B-1)\). Write \(h' =
    1/F(w')\) and \(h = 1/LS < h'\). The range of \(H(x',r)/LS' - H(x,r)/LS\) over the candidates r is at most
    \[ \frac{1}{LS'} - \frac{1}{LS} + \frac{2 H(x,x')}{LS} \le h' - h + \frac{2h}{h'} = 2 + (h' - h)\Bigl(1 - \frac{2}{h'}\Bigr) . \]
    Let \(t_0 = 1 + \gamma_0\). If \(h' \le 2\), this is at most 2. If \(2 < h' \le t_0\), it is at most \(h' - 1 +
    2/h'\) because \(h \ge 1\). That increases with \(h'\), up to \(\gamma_0 + 2/t_0 = 2.6393\).

    If \(h' > t_0\), the range increases with \(h'\), so \(u(B-1) \ge u(B)\) may be replaced by \(u(B)\). Let \(\kappa
    = e^{-u(B)} \le 1\) and \(f = e^{-u}\), and write \(h(a) = (1 - \kappa f(a))^{-1/2}\), so that \(h = h(A)\) and
    \(h' = h(A+1)\). This is a power series in \(\kappa\) with positive coefficients. The same holds for \(h(A+1) -
    h(A)\), because f increases. So the range is largest at \(\kappa = 1\). There
    \[ Q(A) = (h(A+1) - h(A)) \Bigl(1 - \frac{2}{h(A+1)}\Bigr) < Q(0) = \gamma_0\Bigl(1 - \frac{2}{t_0}\Bigr). \]
    For \(A \in [10^{-2}, 8]\) the tests certify it by interval arithmetic. For larger A, \(h(A+1) - h(A)\) is below
    \(Q(0)\) itself, because it decreases by the concavity of h. For smaller A, let s be the slope of h at 1. By
    concavity \(h(A+1) \le t_0 + s A\), and with \(h(A) \ge 1 + \frac12 f(A) \ge 1 + 0.86\sqrt A\) this gives \(Q(A) <
    Q(0)\).

    The largest loss known is \(\frac12(\gamma_0 + 1/t_0)\,\varepsilon = 1.1510\,\varepsilon\), from x = 1 to 2 as
    \(\alpha \to 0\), \(n \to \infty\), \(\varepsilon \to 0\).
    """
    step = 1 / sqrt(1 - sqrt(pi()) / 2) - 1
    return epsilon / 2 * (step + 2 / (1 + step))


@PAPER.item(
    "4.1.2-three-categories",
    "Section 4.1.2",
    relation=">",
    cases=[
        {"c": 1.0, "weight": 8, "n": 25, "epsilon": 0.1},
        {"c": 1.5, "weight": 15, "n": 100, "epsilon": 0.1},
        {"c": 2.0, "weight": 35, "n": 200, "epsilon": 0.1},
    ],
    calls=(ehdl, loss_between),
    page=MODEL,
)
def loss_of_a_corner(c: Any, weight: Any, n: Any, epsilon: Any) -> Any:
    """The loss with local sensitivity from a corner of three categories to a neighbour."""
    prior, corner, neighbour = number((weight, weight, 1)), number((0, 0, n)), number((0, 1, n - 1))
    return loss_between(ehdl(epsilon), prior, corner, neighbour)


@loss_of_a_corner.said(
    r"\text{for three categories no constant will do: for every } c \text{ there are a prior and an } n \text{ with loss} > c\,\varepsilon",
    corrects="hellinger/4.1.2",
    origin="ours",
    tight={"c": 1.0, "weight": 8, "n": 25, "epsilon": 0.1},
    within=0.05,
    proof=True,
)
def local_three_categories(c: Any, weight: Any, n: Any, epsilon: Any) -> Any:
    r"""Take the prior \((\alpha, \alpha, 1)\) and the neighbours \(x' = (0, 0, n)\) and \(x = (0, 1, n-1)\). As \(n
    \to \infty\) nearly all candidates are at distance 1 from both. So the sums of the weights have the ratio
    \(e^{\varepsilon\Delta/2}\) with \(\Delta = 1/LS(x') - 1/LS(x)\). At the output \(x'\) the exponents add
    \(\frac{\varepsilon}{2} H(x, x')/LS(x)\). With \(u = u(\alpha)\) the loss tends to
    \[ \frac{\varepsilon}{2}\Bigl(\frac{1}{F(u)} - \frac{1}{F(2u)} + \frac{F(u)}{F(2u)}\Bigr). \]
    As \(\alpha\) grows, this grows like \(\frac{\varepsilon}{2}\sqrt{8\alpha}\,(1 - 1/\sqrt2)\).
    """
    return c * epsilon


@PAPER.item(
    "4.1.4",
    "Section 4.1.4",
    relation="<=",
    cases=[*grid(prior=[FLAT], n=[1, 2, 20], epsilon=[0.1, 0.8]), {"prior": FLAT3, "n": 4, "epsilon": 0.8}],
    calls=(lshist, audit),
    page=MODEL,
)
def loss_of_the_improved_baseline(prior: Any, n: Any, epsilon: Any) -> Any:
    """The worst loss of the Laplace mechanism with the smaller scales."""
    return audit(lshist(epsilon), prior, n).epsilon


@loss_of_the_improved_baseline.said(
    r"\text{the Laplace mechanism with sensitivity 1 for } k = 2 \text{ and 2 for } k \ge 3 \text{ is } \varepsilon\text{-differentially private}",
    tight={"prior": FLAT3, "n": 4, "epsilon": 0.8},
    proof=True,
    premises=LOSSES,
)
def histogram_private(prior: Any, n: Any, epsilon: Any) -> Any:
    """This mechanism is LSHist of the notes, Laplace noise on the histogram: ``notes/3.1-lshist``."""
    return smallest([epsilon, guaranteed(lshist(epsilon), prior, n)])
