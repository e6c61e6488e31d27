r"""Sections 2 and 3: the algorithms, and what they leak."""

from typing import Any

import numpy as np

from ...arithmetic import less, smallest
from ...mechanisms import Mechanism, ehd, ehds, lsdim, lshist, lszhang
from ...model import global_sensitivity, local_sensitivity, reciprocal_slope
from ...privacy import audit, loss_between
from ..claim import Condition, grid
from ..premises import Reals, Weights, Wholes, premises
from ..quantities import guaranteed, local_jump, printed_sensitivity, worst_loss
from .source import FLAT, NOTES, PRIVACY

EQUIDISTANT = {"prior": (1e7, 1e7), "n": 110, "epsilon": 1e-6}
"""Where the exponential mechanisms come within a hundredth of what they may lose."""

ANY = premises(prior=Weights((2, 3, 4)), n=Wholes(1, 10), epsilon=Reals(above=0))
"""Any prior, any number of records, any epsilon: what a mechanism loses."""

WITH_GAMMA = premises(prior=Weights((2, 3)), n=Wholes(1, 14), epsilon=Reals(above=0), gamma=Reals(high=1e4, above=0))

PRIVATE = [
    *grid(prior=[FLAT], n=[1, 2, 10], epsilon=[0.1, 1.0]),
    *grid(prior=[(1, 1, 1)], n=[1, 4], epsilon=[0.1, 1.0]),
    {"prior": (1, 1, 1, 1), "n": 2, "epsilon": 1.0},
]


def completed_loss(mechanism: Mechanism, prior: Any, n: Any) -> Any:
    """What noise on all counts but the last loses, the last being n less the others and not below zero."""
    outputs = mechanism.law(prior, (0,) * (len(prior) - 1) + (int(n),)).outputs
    if np.any(outputs[:, -1] != np.maximum(int(n) - outputs[:, :-1].sum(axis=1), 0)):
        raise ValueError(f"mechanism must complete the last count from the others, and {mechanism.name} does not")
    return audit(mechanism, prior, n).epsilon


lszhang_algorithm = NOTES.vague(
    "algorithm-lszhang",
    "undated version, Algorithm 1",
    r"\tilde\alpha = (0, \dots, 0), \quad \tilde\alpha_i = \alpha_i + \lfloor (\alpha'_i - \alpha_i) + \mathrm{Lap}(2|\mathcal X|/\varepsilon) \rfloor_0^n \ \ (i < |\mathcal X|), \quad \textbf{return } \tilde\alpha",
    """The loop ends before the last category, and unlike LSDim nothing completes it afterwards.""",
    malformed=r"the last parameter stays 0, which is no Dirichlet distribution, and its Hellinger distance is undefined",
    page=PRIVACY,
)


@NOTES.item(
    "algorithm-lszhang",
    "undated version, Algorithm 1",
    cases=PRIVATE,
    relation="<=",
    calls=(audit, lszhang),
    page=PRIVACY,
)
def lszhang_loss(prior: Any, n: Any, epsilon: Any) -> Any:
    """What LSZhang loses."""
    return completed_loss(lszhang(epsilon), prior, n)


@lszhang_loss.instead(
    r"\text{LSZhang, completed as LSDim, loses at most } \varepsilon/4 \ (k = 2), \quad \varepsilon/k \ (k \ge 3)",
    tight={"prior": (1, 1, 1), "n": 4, "epsilon": 1.0},
    premises=ANY,
    proof=True,
)
def lszhang_privacy(prior: Any, n: Any, epsilon: Any) -> Any:
    r"""One replaced record changes the k - 1 noisy counts by 1 in sum for k = 2 and by at most 2 otherwise. Noise of
    scale \(b = 2k/\varepsilon\) loses that sum over b; rounding, clamping and completing are post-processing.
    """
    return epsilon / 4 if len(prior) == 2 else epsilon / len(prior)


lsdim_algorithm = NOTES.vague(
    "algorithm-lsdim-noise",
    "undated version, Algorithm 2",
    r"\tilde\alpha_i = \alpha_i + \lfloor (\alpha'_i - \alpha_i) + \mathrm{Lap}(0, |\mathcal X|/\varepsilon) \rfloor_0^n, \qquad \tilde\alpha_{|\mathcal X|} = \alpha_{|\mathcal X|} + \lfloor n - \sum_i \lfloor (\alpha'_i - \alpha_i) + \eta_i \rfloor_0^n \rfloor_0^n",
    r"""With fresh noise in the last line the total would not be n. Both versions are read as drawing each \(\eta_i\) once;
what then holds is ``notes/3.1-lsdim``.
""",
    malformed=r"the last line uses \(\eta_i\), which is never defined: the noise is drawn inside the line before. The dated version draws \(\eta\) first",
    page=PRIVACY,
    erratum=True,
)


ehd_algorithm = NOTES.vague(
    "algorithm-ehd-probability",
    "undated version, Algorithm 4",
    r"\Pr[z = r] = \frac{\exp(-\varepsilon \mathcal H(x, r') / (2\, GS))}{\sum_{r'} \exp(-\varepsilon \mathcal H(x, r') / (2\, GS))}",
    """The dated version prints r. What holds of it is in ``notes/3.1-ehd-corrected``.""",
    malformed=r"the numerator contains the summation variable \(r'\) in place of r",
    page=PRIVACY,
    erratum=True,
)


@NOTES.item(
    "3.1-lsdim",
    "Theorem 3.1, LSDim",
    cases=PRIVATE,
    relation="<=",
    calls=(audit, lsdim),
    page=PRIVACY,
)
def lsdim_loss(prior: Any, n: Any, epsilon: Any) -> Any:
    """What LSDim loses."""
    return completed_loss(lsdim(epsilon), prior, n)


@lsdim_loss.said(
    r"\text{LSDim is } \varepsilon\text{-differentially private}",
    corrects="notes/algorithm-lsdim-noise",
    premises=ANY,
    proof=True,
)
def lsdim_private(prior: Any, n: Any, epsilon: Any) -> Any:
    """Follows from the sharper ``notes/3.1-lsdim-sharp``."""
    return epsilon


@lsdim_loss.instead(
    r"\text{LSDim loses at most } \varepsilon/2 \ (k = 2), \quad 2\varepsilon/k \ (k \ge 3)",
    suffix="sharp",
    tight={"prior": (1, 1, 1), "n": 4, "epsilon": 1.0},
    premises=ANY,
    proof=True,
)
def lsdim_sharp(prior: Any, n: Any, epsilon: Any) -> Any:
    r"""One replaced record changes the noisy counts by s = 1 in sum for k = 2 and by s = 2 otherwise; noise of scale
    \(b = k/\varepsilon\) loses at most \(s/b\), and the rest is post-processing. From n = 2 on it is lost exactly:
    one count is released as n and, for \(k \ge 3\), another as 0.
    """
    return epsilon / 2 if len(prior) == 2 else 2 * epsilon / len(prior)


@NOTES.item(
    "3.1-lshist",
    "Theorem 3.1, LSHist",
    cases=PRIVATE,
    relation="<=",
    calls=(audit, lshist),
    page=PRIVACY,
)
def lshist_loss(prior: Any, n: Any, epsilon: Any) -> Any:
    """What LSHist loses."""
    return completed_loss(lshist(epsilon), prior, n)


@lshist_loss.said(
    r"\text{LSHist is } \varepsilon\text{-differentially private}",
    tight={"prior": FLAT, "n": 10, "epsilon": 1.0},
    premises=ANY,
    proof=True,
)
def lshist_private(prior: Any, n: Any, epsilon: Any) -> Any:
    r"""One replaced record changes the noisy counts by s in sum, s = 1 for k = 2 and s = 2 otherwise, and the scale is
    \(s/\varepsilon\). From n = 2 on \(\varepsilon\) is lost exactly: noise of scale \(1/\varepsilon\) would lose
    \(2\varepsilon\) for \(k \ge 3\). The bound is the smaller of \(\varepsilon\) and what the library
    guarantees, which is the same.
    """
    return smallest([epsilon, guaranteed(lshist(epsilon), prior, n)])


@NOTES.item(
    "3.1-ehd",
    "Theorem 3.1, EHD",
    cases=[
        *grid(prior=[FLAT], n=[1, 2, 20], epsilon=[0.1, 1.0]),
        *grid(prior=[(1, 1, 1)], n=[1, 6], epsilon=[1.0]),
        *grid(prior=[(0.5, 0.5), (0.01, 0.01)], n=[1, 5], epsilon=[0.1, 1.0]),
    ],
    relation="<=",
    calls=(audit, ehd),
    page=PRIVACY,
)
def loss_at_the_printed_sensitivity(prior: Any, n: Any, epsilon: Any) -> Any:
    """What EHD with the printed sensitivity G loses."""
    return audit(ehd(epsilon, printed_sensitivity()), prior, n).epsilon


@loss_at_the_printed_sensitivity.said(
    r"\text{EHD with } GS = \sqrt{1 - \pi/4} \text{ is } \varepsilon\text{-differentially private}",
    condition=Condition(
        r"the global sensitivity of the prior and n at hand is at most \(\sqrt{1 - \pi/4}\), as it is when every prior weight is at least 1",
        lambda prior, n, epsilon: not less(printed_sensitivity(), global_sensitivity(prior, n)),
    ),
    premises=ANY,
    proof=True,
)
def ehd_private(prior: Any, n: Any, epsilon: Any) -> Any:
    r"""The exponential mechanism loses at most \(\varepsilon\) when its divisor is at least twice the sensitivity. The
    printed constant is less than the sensitivity when prior weights are small. At n = 1 with a symmetric prior of
    weight a both normalisers agree and the loss is \(\varepsilon H / (2G)\). That is more than \(\varepsilon/2\) as soon
    as H exceeds G, and more than \(\varepsilon\) once \(H > 2G\), which is \(g(a)^2 < \pi - 3\), \(a < 0.0516\).
    """
    return epsilon


@NOTES.item(
    "3.1-ehd",
    "Theorem 3.1, EHD",
    cases=[
        *grid(prior=[FLAT, (0.5, 0.5), (0.01, 0.01), (0.1, 5)], n=[1, 5, 20], epsilon=[0.1, 1.0]),
        *grid(prior=[(1, 1, 1), (0.02, 0.02, 3)], n=[1, 6], epsilon=[1.0]),
        EQUIDISTANT,
    ],
    relation="<=",
    calls=(audit, ehd),
    page=PRIVACY,
)
def ehd_loss(prior: Any, n: Any, epsilon: Any) -> Any:
    """What EHD loses at the global sensitivity of the prior and n at hand."""
    return audit(ehd(epsilon), prior, n).epsilon


@ehd_loss.instead(
    r"\text{EHD with the global sensitivity of the prior and } n \text{ at hand is } \varepsilon\text{-differentially private}",
    tight={"prior": (1e7, 1e7), "n": 300, "epsilon": 1e-6},
    premises=ANY,
    proof=True,
)
def ehd_corrected(prior: Any, n: Any, epsilon: Any) -> Any:
    r"""With \(D(r) = H(x', r) - H(x, r) \in [-GS, GS]\) the loss is at most
    \(\frac{\varepsilon}{2\,GS}(\max D - \min D) \le \varepsilon\): the exponent loses \(\max D\), the normalisers
    another \(-\min D\).

    The constant cannot be improved for all priors at once. As the prior weights grow with n fixed, the posteriors
    become equidistant, \(H(x, r) \approx GS\,|x - r|\); between x = 0 and x' = 1 then \(D = GS\) at r = 0 and
    \(-GS\) at the n other candidates, and as \(\varepsilon \to 0\) the loss is \(\varepsilon\, n/(n+1)\).
    """
    return epsilon


MANY_GAMMAS = [
    *grid(prior=[FLAT], n=[4, 20], epsilon=[1.0], gamma=[0.1, 1.0, 2.0, 5.0]),
    *grid(prior=[(0.01, 5)], n=[20], epsilon=[0.1], gamma=[0.5, 2.0, 30.0]),
    *grid(prior=[(1, 1, 1)], n=[6], epsilon=[1.0], gamma=[0.1, 1.0, 5.0]),
    {**EQUIDISTANT, "gamma": 1000.0},
]


@NOTES.item(
    "3.1-ehds",
    "version of March 12, 2020, Theorem 3.1 and Algorithm 5",
    cases=[
        *MANY_GAMMAS,
        {
            "prior": (40, 40, 0.1),
            "n": 160,
            "epsilon": 0.1,
            "gamma": 3.3,
            "counts": (0, 0, 160),
            "neighbour": (0, 1, 159),
        },
        {
            "prior": (1000, 1000, 1_000_000),
            "n": 20,
            "epsilon": 0.1,
            "gamma": 30.0,
            "counts": (0, 0, 20),
            "neighbour": (0, 1, 19),
        },
    ],
    relation="<=",
    calls=(audit, loss_between, ehds),
    page=PRIVACY,
)
def ehds_loss(prior: Any, n: Any, epsilon: Any, gamma: Any, counts: Any = None, neighbour: Any = None) -> Any:
    """What EHDS loses with the divisor 4: between two datasets if they are given, else over all neighbours."""
    return worst_loss(ehds(epsilon, gamma, 4), prior, n, counts, neighbour)


@ehds_loss.said(
    r"\text{EHDS with weights } \exp(-\varepsilon \mathcal H / (4 S)) \text{ is } \varepsilon\text{-differentially private, for every } \gamma",
    condition=Condition(r"\(\gamma \le 2\), or \(k = 2\)", lambda prior, gamma, **_: gamma <= 2 or len(prior) == 2),
    premises=WITH_GAMMA,
    proof=True,
)
def ehds_private(prior: Any, n: Any, epsilon: Any, gamma: Any, counts: Any = None, neighbour: Any = None) -> Any:
    r"""The loss is at most \(\frac{\varepsilon}{4}(2 + \Delta)\), \(\Delta = |1/S(x) - 1/S(x')|\) (``pure_bound``), and
    \(\Delta \le \gamma\). So \(\gamma \le 2\) suffices. For two categories \(\Delta < \gamma_0 = 1.9647\) whatever
    \(\gamma\) is (``notes/reciprocal-sensitivity``), so there every \(\gamma\) will do.

    For three categories it will not. Put all n records into the third category, \(x' = (0, 0, n)\), and
    \(x = (0, 1, n-1)\). The dataset x can move its record between two small categories, x' cannot:
    \[ LS(x) = F(2u(\alpha)), \qquad LS(x') = F(u(\alpha) + u(\alpha_3 + n - 1)) \to F(u(\alpha)), \]
    and \(1/LS(x') - 1/LS(x) \to \sqrt{8\alpha}\,(1 - 1/\sqrt2) + \dots\) grows without bound with \(\alpha\). Nearly all
    candidates are at distance one from both, so the normalisers differ by \(e^{\varepsilon\Delta/4}\), where
    \(\Delta = \gamma\) once \(\alpha\) is large. The output \(x'\) adds \(\frac\varepsilon4 H(x, x')/S(x)\), which tends
    to \(\frac\varepsilon4/\sqrt2\). So the loss exceeds \(\varepsilon\) for \(\gamma > 4 - 1/\sqrt2 = 3.293\). If the
    second weight is larger than the first, and \(x = (1, 0, n-1)\), then \(H(x, x')/S(x)\) may be as near to 1 as one
    likes. So every \(\gamma > 3\) is too large for some prior and n, as 3.2 is for the prior (60, 90, 0.1) and n = 600.
    Between 2 and 3, for three categories or more, the statement is open. With a large \(\gamma\) and a third weight that
    is large too, n = 20 records are enough.
    """
    return epsilon


@ehds_loss.instead(
    r"\text{EHDS with weights } \exp(-\varepsilon \mathcal H / (4 S)) \text{ loses at most } \tfrac{\varepsilon}{4} \bigl(2 + \min(\gamma, \kappa)\bigr), \quad \kappa = \max_{x \sim x'} \Bigl|\frac{1}{LS(x)} - \frac{1}{LS(x')}\Bigr|",
    cases=MANY_GAMMAS,
    tight={"prior": (1e7, 1e7), "n": 300, "epsilon": 1e-6, "gamma": 1000.0},
    premises=WITH_GAMMA,
    proof=True,
)
def ehds_corrected(prior: Any, n: Any, epsilon: Any, gamma: Any, counts: Any = None, neighbour: Any = None) -> Any:
    r"""The loss is at most \(\frac{\varepsilon}{4}(2 + \Delta(1 - 2S'))\) by ``pure_bound``, since
    \(H(x, x') \le LS \le S\) on both sides. \(1/S\) is the largest function below \(1/LS\) with slope at most
    \(\gamma\); if \(1/LS\) itself has slope \(\kappa \le \gamma\) then S = LS. So \(\Delta \le \min(\gamma, \kappa)\).
    """
    return epsilon * (2 + smallest([gamma, local_jump(prior, n)])) / 4


@NOTES.item(
    "reciprocal-sensitivity",
    "version of March 12, 2020, Theorem 3.1 and Algorithm 5",
    cases=[
        *grid(prior=[FLAT, (0.5, 0.5), (1e-6, 1e-6), (1e-4, 3.0), (50, 0.001)], n=[2, 40]),
        {"prior": (16, 16, 1), "n": 60},
    ],
    relation="<",
    calls=local_sensitivity,
    page=PRIVACY,
)
def jump(prior: Any, n: Any) -> Any:
    r"""\(\kappa\), the largest \(|1/LS(x) - 1/LS(x')|\)."""
    return local_jump(prior, n)


@jump.said(
    r"\Bigl|\frac{1}{LS(x)} - \frac{1}{LS(x')}\Bigr| < \gamma_0 = \Bigl(1 - \frac{\sqrt\pi}{2}\Bigr)^{-1/2} - 1 = 1.9647 \ \text{ for neighbours, } k = 2",
    tight={"prior": (1e-9, 1e-9), "n": 3000},
    corrects="notes/3.1-ehds",
    condition=Condition(r"\(k = 2\)", lambda prior, n: len(prior) == 2),
    premises=premises(prior=Weights((2, 3)), n=Wholes(1, 200)),
    proof=True,
    origin="ours",
)
def reciprocal_sensitivity(prior: Any, n: Any) -> Any:
    r"""The datasets are 0..n; the edge from m to m + 1 has the exponent
    \(w_m = u(\alpha_1 + m) + u(\alpha_2 + n - 1 - m)\), and \(LS(m) = F(\max(w_{m-1}, w_m))\). Neighbours share an edge.
    Say \(LS(m) > LS(m+1)\), the other order being its mirror image; then \(LS(m) = F(w_{m-1})\) and
    \(LS(m+1) \ge F(w_m)\). With \(A = \alpha_1 + m - 1 > 0\), \(v = u(\alpha_2 + n - m)\) and
    \(u(\alpha_2 + n - m - 1) \ge v\),
    \[ \frac{1}{LS(m+1)} - \frac{1}{LS(m)} \le h(A + 1, v) - h(A, v), \qquad h(a, v) = 1 / F(u(a) + v) . \]
    h is increasing, and concave in a by ``notes/smooth-sensitivity-concave``, so its unit
    increment is largest as \(A \to 0\), where \(u \to \infty\) and \(h \to 1\): it is less than
    \(h(1, v) - 1 \le 1/F(u(1)) - 1 = \gamma_0\), as \(e^{-u(1)} = \sqrt\pi/2\).

    It is approached as \(\alpha \to 0\), \(n \to \infty\), from m = 1 to 2. For three categories nothing of the kind
    holds: neighbours there need not share their best edge, see ``notes/3.1-ehds``.
    """
    return reciprocal_slope()


@NOTES.item(
    "3.1-ehds-gamma",
    "undated version, Theorem 3.1 and Algorithm 6",
    cases=MANY_GAMMAS,
    relation="<=",
    calls=(audit, ehds),
    page=PRIVACY,
)
def ehds_gamma_loss(prior: Any, n: Any, epsilon: Any, gamma: Any) -> Any:
    r"""What EHDS loses with the divisor \(2(1+\gamma)\)."""
    return audit(ehds(epsilon, gamma, 2 * (1 + gamma)), prior, n).epsilon


@ehds_gamma_loss.said(
    r"\text{EHDS with weights } \exp(-\varepsilon \mathcal H / (2(1+\gamma) S)) \text{ is } \varepsilon\text{-differentially private}",
    tight={"prior": (1e7, 1e7), "n": 300, "epsilon": 1e-6, "gamma": 1e-4},
    premises=WITH_GAMMA,
    proof=True,
)
def ehds_gamma_private(prior: Any, n: Any, epsilon: Any, gamma: Any) -> Any:
    r"""By ``notes/3.1-ehds-gamma-sharp`` the loss is at most \(\varepsilon (2+\gamma)/(2+2\gamma) < \varepsilon\)."""
    return epsilon


@ehds_gamma_loss.instead(
    r"\text{EHDS with weights } \exp(-\varepsilon \mathcal H / (2(1+\gamma) S)) \text{ loses at most } \varepsilon\, \frac{2 + \min(\gamma, \kappa)}{2 + 2\gamma}",
    suffix="sharp",
    tight={"prior": (1e7, 1e7), "n": 300, "epsilon": 1e-6, "gamma": 1000.0},
    premises=WITH_GAMMA,
    proof=True,
)
def ehds_gamma_sharp(prior: Any, n: Any, epsilon: Any, gamma: Any) -> Any:
    r"""As ``notes/3.1-ehds-corrected`` with the divisor \(2(1+\gamma)\). A divisor of \(2 + \gamma\) would do, for every
    k and \(\gamma\); the two printed normalisations coincide at \(\gamma = 1\).
    """
    return epsilon * (2 + smallest([gamma, local_jump(prior, n)])) / (2 + 2 * gamma)
