r"""Sections 2 and 3 of the notes: the algorithms, and their worst privacy losses.

``dpbi.claims.notes`` defines u, F, g and G. Every exact side is the worst loss over all neighbours and outputs, by
listing them (``audit``)."""

from ...arithmetic import less, smallest
from ...mechanisms import ehd, ehds, lsdim, lshist, lszhang
from ...model import global_sensitivity, reciprocal_slope
from ...privacy import audit, loss_between
from .. import at_most, below, cannot, grid, rows, statement
from ..quantities import local_jump, printed_sensitivity
from .cases import FLAT

PRIVATE = grid(prior=[FLAT, (1, 1, 1), (1, 1, 1, 1)], n=[1, 2, 4], epsilon=[0.1, 1.0])
EQUIDISTANT = {"prior": (1e7, 1e7), "n": 110, "epsilon": 1e-6}
"""A case in which the exponential mechanisms lose more than 99 percent of their bounds (``ehd_corrected`` says why)."""


lszhang_algorithm = cannot(
    "notes/algorithm-lszhang",
    "undated version, Algorithm 1",
    says=r"$\tilde\alpha = (0, \dots, 0)$, $\tilde\alpha_i = \alpha_i + \lfloor (\alpha'_i - \alpha_i) + \mathrm{Lap}(2|\mathcal X|/\varepsilon) \rfloor_0^n$ for $i < |\mathcal X|$, **return** $\tilde\alpha$",
    holds=r"LSZhang, completed as LSDim, loses at most $\varepsilon/4$ for $k = 2$ and $\varepsilon/k$ for $k \ge 3$",
    why="the last parameter stays 0, which is no Dirichlet distribution: unlike LSDim nothing completes it after the loop",
)


@lszhang_algorithm.instead(cases=PRIVATE)
def lszhang_privacy(prior, n, epsilon):
    r"""Proof: one replaced record changes the k - 1 counts that get noise by s in sum, s = 1 for k = 2 and \(s \le 2\)
    otherwise. Laplace noise of scale \(b = 2k/\varepsilon\) loses at most \(s/b\). Rounding, clipping and completing
    the last count are post-processing.
    """
    return audit(lszhang(epsilon), prior, n).epsilon, at_most(epsilon / 4 if len(prior) == 2 else epsilon / len(prior))


@statement(
    "notes/3.1-lsdim",
    "Theorem 3.1, LSDim",
    says=r"LSDim is $\varepsilon$-differentially private",
    holds=r"LSDim loses at most $\varepsilon/2$ for $k = 2$ and $2\varepsilon/k$ for $k \ge 3$",
    why="sharper: the scale grows with the number of categories, and one record moves two counts at most",
    cases=PRIVATE,
)
def lsdim_private(prior, n, epsilon):
    r"""From n = 2 on, and for k = 2 at n = 1 too, the worst loss equals the sharper bound. It is attained where
    clipping collects a tail of the noise: at an output with one count at n and, for \(k \ge 3\), another at 0.

    Proof: what holds is at most \(\varepsilon\).

    Proof of what holds: one replaced record changes the counts that get noise by s in sum, s = 1 for k = 2 and
    \(s \le 2\) otherwise. Laplace noise of scale \(b = k/\varepsilon\) loses at most \(s/b\), and the rest is
    post-processing.
    """
    sharper = epsilon / 2 if len(prior) == 2 else 2 * epsilon / len(prior)
    return audit(lsdim(epsilon), prior, n).epsilon, at_most(epsilon), at_most(sharper)


@statement(
    "notes/3.1-lshist",
    "Theorem 3.1, LSHist",
    says=r"LSHist is $\varepsilon$-differentially private",
    cases=PRIVATE,
)
def lshist_private(prior, n, epsilon):
    r"""From n = 2 on, and for k = 2 at n = 1 too, the worst loss equals \(\varepsilon\). So for \(k \ge 3\) noise of
    scale \(1/\varepsilon\), half of the printed one, would lose \(2\varepsilon\).

    Proof: one replaced record changes the counts that get noise by at most s in sum, s = 1 for k = 2 and s = 2
    otherwise. Laplace noise of scale \(s/\varepsilon\) loses at most \(\varepsilon\), and the rest is post-processing.
    """
    return audit(lshist(epsilon), prior, n).epsilon, at_most(epsilon)


@statement(
    "notes/3.1-ehd",
    "Theorem 3.1, EHD",
    says=r"EHD with $GS = \sqrt{1 - \pi/4}$ is $\varepsilon$-differentially private",
    holds=r"EHD with the global sensitivity of the prior and $n$ at hand is $\varepsilon$-differentially private",
    why="the printed constant is less than the sensitivity when prior weights are small",
    only_if=(
        r"the global sensitivity of the prior and n at hand is at most \(\sqrt{1 - \pi/4}\), as it is when every prior weight is at least 1",
        lambda prior, n: not less(printed_sensitivity(), global_sensitivity(prior, n)),
    ),
    cases=[
        *grid(prior=[FLAT, (0.5, 0.5), (0.01, 0.01)], n=[1, 5, 20], epsilon=[0.1, 1.0]),
        *grid(prior=[(1, 1, 1)], n=[1, 6], epsilon=[1.0]),
    ],
)
def ehd_private(prior, n, epsilon):
    r"""Counterexample: at n = 1 with a symmetric prior of weight a the two datasets have the same normaliser, and H is
    the distance between their posteriors, \(H^2 = 1 - g(a)^2\). The loss is \(\varepsilon H / (2G)\), which exceeds
    \(\varepsilon\) when \(H > 2G\), that is \(g(a)^2 < \pi - 3\), \(a < 0.0516\).

    Proof: the exponential mechanism loses at most \(\varepsilon\) when its divisor is at least twice the sensitivity.
    """
    return audit(ehd(epsilon, printed_sensitivity()), prior, n).epsilon, at_most(epsilon)


@ehd_private.instead(cases=[*ehd_private.cases, {"prior": (0.02, 0.02, 3), "n": 6, "epsilon": 1.0}, EQUIDISTANT])
def ehd_corrected(prior, n, epsilon):
    r"""No bound \(c\,\varepsilon\) with \(c < 1\) holds for all priors and n. Let k = 2 and
    \(D(r) = H(x', r) - H(x, r)\). As the prior weights grow with n fixed, the posteriors become equally spaced,
    \(H(x, r) \approx GS\,|x - r|\). Between x = 0 and x' = 1 then \(D = GS\) at r = 0 and \(-GS\) at the n other
    candidates, and as \(\varepsilon \to 0\) the loss at r = 0 is \(\varepsilon\, n/(n+1)\).

    Proof: \(D(r) \in [-GS, GS]\). The loss at r is \(\frac{\varepsilon}{2\,GS} D(r)\) plus the log ratio of the
    normalisers. That ratio is an average of \(e^{-\varepsilon D / (2\,GS)}\), so its logarithm is at most
    \(-\frac{\varepsilon}{2\,GS} \min D\). Together they are at most
    \(\frac{\varepsilon}{2\,GS}(\max D - \min D) \le \varepsilon\).
    """
    return audit(ehd(epsilon), prior, n).epsilon, at_most(epsilon)


MANY_GAMMAS = [
    *grid(prior=[FLAT, (0.01, 5), (1, 1, 1)], n=[6], epsilon=[1.0], gamma=[0.1, 1.0, 2.0, 5.0, 30.0]),
    {**EQUIDISTANT, "gamma": 1000.0},
]


@statement(
    "notes/3.1-ehds",
    "version of March 12, 2020, Theorem 3.1 and Algorithm 5",
    says=r"EHDS with weights $\exp(-\varepsilon \mathcal H / (4 S))$ is $\varepsilon$-differentially private, for every $\gamma$",
    holds=r"EHDS with weights $\exp(-\varepsilon \mathcal H / (4 S))$ loses at most $\tfrac{\varepsilon}{4} \bigl(2 + \min(\gamma, \kappa)\bigr)$, $\kappa = \max_{x \sim x'} \Bigl|\frac{1}{LS(x)} - \frac{1}{LS(x')}\Bigr|$",
    why=r"normalisers of neighbours may differ by \(e^{\varepsilon\gamma/4}\)",
    only_if=(r"\(\gamma \le 2\), or \(k = 2\)", lambda prior, gamma: gamma <= 2 or len(prior) == 2),
    cases=[
        *MANY_GAMMAS,
        *rows(
            "prior n epsilon gamma counts neighbour",
            ((40, 40, 0.1), 160, 0.1, 3.3, (0, 0, 160), (0, 1, 159)),
            ((1000, 1000, 1_000_000), 20, 0.1, 30.0, (0, 0, 20), (0, 1, 19)),
        ),
    ],
)
def ehds_private(prior, n, epsilon, gamma, counts=None, neighbour=None):
    r"""For three categories the mechanism loses more than \(\varepsilon\) at some \(\gamma\), prior and n. Let the
    first two prior weights be \(\alpha\), and let all n records be in the third category: \(x' = (0, 0, n)\), with the
    neighbour \(x = (0, 1, n-1)\). From x a record can move between the two small categories, from x' it cannot:
    \[ LS(x) = F(2u(\alpha)), \qquad LS(x') = F(u(\alpha) + u(\alpha_3 + n - 1)) \to F(u(\alpha)) \quad (n \to \infty), \]
    and \(1/LS(x') - 1/LS(x) \to \sqrt{8\alpha}\,(1 - 1/\sqrt2) + \dots\) grows without bound with \(\alpha\), because
    \(u(\alpha) \approx 1/(8\alpha)\). Nearly all candidates are at a distance near 1 from both, so the normalisers
    differ by the factor \(e^{\varepsilon\Delta/4}\) with \(\Delta = 1/S(x') - 1/S(x)\), which is \(\gamma\) once
    \(\alpha\) is large. The output \(x'\) adds \(\frac\varepsilon4 H(x, x')/S(x)\) to the loss, which tends to
    \(\frac\varepsilon4/\sqrt2\). So the loss exceeds \(\varepsilon\) for \(\gamma > 4 - 1/\sqrt2 = 3.293\). If the
    second weight is larger than the first, and \(x = (1, 0, n-1)\), then \(H(x, x')/S(x)\) may be as near to 1 as one
    likes. So every \(\gamma > 3\) is too large for some prior and n, as 3.2 is for the prior (60, 90, 0.1) and n = 600.
    Between 2 and 3, for three categories or more, the statement is open. With a large \(\gamma\) and a large third
    weight, n = 20 records are enough.

    Proof: by what holds, \(\gamma \le 2\) suffices. For two categories \(\kappa < \gamma_0 = 1.9647\)
    (``notes/reciprocal-sensitivity``), so what holds is below \(\varepsilon\) at every \(\gamma\).
    """
    mechanism = ehds(epsilon, gamma, 4)
    loss = loss_between(mechanism, prior, counts, neighbour) if counts else audit(mechanism, prior, n).epsilon
    return loss, at_most(epsilon)


@ehds_private.instead(cases=MANY_GAMMAS)
def ehds_corrected(prior, n, epsilon, gamma):
    r"""Proof: since \(H(x, x') \le LS \le S\) at both neighbours, the loss is at most
    \(\frac{\varepsilon}{4}(2 + \Delta(1 - 2S'))\) by ``pure_bound``, with S' the smaller of S(x) and S(x') and
    \(\Delta = |1/S(x) - 1/S(x')|\). By its definition \(1/S\) is the largest function below \(1/LS\) that changes by at
    most \(\gamma\) between neighbours. If \(1/LS\) itself changes by at most \(\kappa \le \gamma\), then S = LS. So
    \(\Delta \le \min(\gamma, \kappa)\).
    """
    most = epsilon * (2 + smallest([gamma, local_jump(prior, n)])) / 4
    return audit(ehds(epsilon, gamma, 4), prior, n).epsilon, at_most(most)


@statement(
    "notes/reciprocal-sensitivity",
    "version of March 12, 2020, Theorem 3.1 and Algorithm 5",
    says=r"$\Bigl|\frac{1}{LS(x)} - \frac{1}{LS(x')}\Bigr| < \gamma_0 = \Bigl(1 - \frac{\sqrt\pi}{2}\Bigr)^{-1/2} - 1 = 1.9647$ for neighbours, $k = 2$",
    by="ours",
    why="for three categories neighbours need not share the move that goes farthest",
    only_if=(r"\(k = 2\)", lambda prior: len(prior) == 2),
    cases=[
        *grid(prior=[FLAT, (1e-6, 1e-6), (1e-4, 3.0), (50, 0.001)], n=[2, 40]),
        {"prior": (16, 16, 1), "n": 60},
    ],
)
def reciprocal_sensitivity(prior, n):
    r"""The bound is approached at the datasets m = 1 and 2 as \(\alpha \to 0\) and \(n \to \infty\).

    Proof: write a dataset as its first count m in 0..n. The posteriors of m and m + 1 are \(F(w_m)\) apart,
    \(w_m = u(\alpha_1 + m) + u(\alpha_2 + n - 1 - m)\), and by the triangle inequality LS is the distance to the
    farther neighbour, \(LS(m) = F(\max(w_{m-1}, w_m))\), so that both \(LS(m)\) and \(LS(m+1)\) are at least
    \(F(w_m)\). Say \(LS(m) > LS(m+1)\), the other order being its mirror image; then \(LS(m) = F(w_{m-1})\). With
    \(A = \alpha_1 + m - 1 > 0\), \(v = u(\alpha_2 + n - m)\) and \(u(\alpha_2 + n - m - 1) \ge v\), as u decreases,
    \[ \frac{1}{LS(m+1)} - \frac{1}{LS(m)} \le h(A + 1, v) - h(A, v), \qquad h(a, v) = 1 / F(u(a) + v) . \]
    h is increasing, and concave in a by ``notes/smooth-sensitivity-concave``, so its unit
    increment is largest as \(A \to 0\), where \(u \to \infty\) and \(h \to 1\): it is less than
    \(h(1, v) - 1 \le 1/F(u(1)) - 1 = \gamma_0\), as \(e^{-u(1)} = \sqrt\pi/2\).
    """
    return local_jump(prior, n), below(reciprocal_slope())


@statement(
    "notes/3.1-ehds-gamma",
    "undated version, Theorem 3.1 and Algorithm 6",
    says=r"EHDS with weights $\exp(-\varepsilon \mathcal H / (2(1+\gamma) S))$ is $\varepsilon$-differentially private",
    holds=r"EHDS with weights $\exp(-\varepsilon \mathcal H / (2(1+\gamma) S))$ loses at most $\varepsilon\, \frac{2 + \min(\gamma, \kappa)}{2 + 2\gamma}$",
    why=r"sharper: a divisor of \(2 + \gamma\) would do",
    cases=MANY_GAMMAS,
)
def ehds_gamma_private(prior, n, epsilon, gamma):
    r"""With the divisor \(2 + \gamma\) in place of \(2(1 + \gamma)\) the same proof gives at most \(\varepsilon\), for
    every k and \(\gamma\). The two printed divisors, 4 and \(2(1+\gamma)\), coincide at \(\gamma = 1\).

    Proof: what holds is at most \(\varepsilon (2+\gamma)/(2+2\gamma) < \varepsilon\).

    Proof of what holds: as for ``notes/3.1-ehds``, with the divisor \(2(1+\gamma)\).
    """
    sharper = epsilon * (2 + smallest([gamma, local_jump(prior, n)])) / (2 + 2 * gamma)
    return audit(ehds(epsilon, gamma, 2 * (1 + gamma)), prior, n).epsilon, at_most(epsilon), at_most(sharper)
