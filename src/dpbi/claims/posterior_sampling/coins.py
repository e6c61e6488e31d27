r"""Section 5.2: coins with a Beta prior, Lemma 21, and Claims 2 to 4 of its proof.

The prior is \(\mathrm{Beta}(\alpha, \alpha)\), and A(p) the integral of its kernel up to \(\frac{p}{1+p}\).
"""

import itertools
from typing import Any

from ...arithmetic import exp, largest, less, log, number, remembered
from ...posterior_sampling import (
    Beta,
    bernoulli,
    count_posteriors,
    lipschitz_mass,
    posterior,
    total_variation,
)
from ...posterior_sampling.bounds import largest_likelihood_ratio
from ...posterior_sampling.conjugate_constants import (
    coin_constants,
    coin_rate,
    coin_ratio,
    tail_bend,
    tail_rate,
    tail_slope,
)
from ..claim import REFUTED, Condition, grid
from ..premises import Reals, Wholes, premises
from .source import CONJUGATE, PAPER

HALVES: list[dict[str, Any]] = [
    *grid(alpha=[1, 2, 3, 6], p=[0.05, 0.5, 0.9, 0.999]),
    *grid(alpha=[0.3, 1.5, 2.6], p=[0.05, 0.999]),
]
"""The paper has a real number above one; the proofs hold above zero."""


SHAPES = premises(alpha=Reals(0.05, 60, above=0), p=Reals(1e-6, 0.9999, above=0, below=1))
SIZES = premises(alpha=Reals(0.05, 60, above=0), n=Wholes(1, 40))


def whole(a: Any, b: Any) -> Any:
    """B(a, b)."""
    return exp(Beta(a, b).log_mass)


@PAPER.item(
    "lemma-21",
    "Lemma 21, Assumption 2",
    cases=HALVES,
    relation="<=",
    calls=lipschitz_mass,
    page=CONJUGATE,
    premises=SHAPES,
)
def mass_outside(alpha: Any, p: Any) -> Any:
    r"""\(1 - \xi(\Theta_L)\) at \(e^{-L} = p\)."""
    return 1 - lipschitz_mass(bernoulli(), Beta(alpha, alpha), -log(p))


@mass_outside.said(
    r"\xi(\Theta_L) \ge 1 - e^{-c(L - L_0)}, \quad L_0 = \ln n,\ c = \frac{2^{1-2\alpha}}{B(\alpha, \alpha)}",
    proof=True,
    tight={"alpha": 0.3, "p": 0.999},
)
def lemma_21(alpha: Any, p: Any) -> Any:
    r"""With \(p = n e^{-L}\) the mass outside is \(2A(p)/B(\alpha, \alpha)\). The claim is that it is at most \(p^c\),
    that is \(F(p) \ge c\), which follows from Claim 4. The statement depends on n through p only. On sequences of
    records the binomial coefficient does not occur, and \(\Theta_L = \{|\ln\frac{\theta}{1-\theta}| \le L\}\). There
    any \(L_0 > 0\) does with the same c, so \(\ln n\) is not needed. The condition \(\alpha > 1\) is not needed
    either: every real \(\alpha > 0\) works.
    """
    return exp(coin_rate(alpha) * log(p))


@PAPER.item(
    "lemma-21-rate",
    "Lemma 21, as a case of Theorem 8",
    cases=[{"alpha": alpha} for alpha in (2, 3, 3.3817, 3.3818, 4, 10)],
    relation=">",
    calls=coin_rate,
    page=CONJUGATE,
    premises=premises(alpha=Reals(1.001, 1000, above=1)),
)
def rate(alpha: Any) -> Any:
    """The printed c."""
    return coin_rate(alpha)


@rate.said(
    r"c = \frac{2^{1-2\alpha}}{B(\alpha, \alpha)} > 1 \text{ for all } \alpha > 1",
    condition=Condition(r"\(\alpha \ge 3.3818\)", lambda alpha: float(alpha) >= 3.3818),
    proof=True,
    tight={"alpha": 3.3818},
)
def lemma_21_rate(alpha: Any) -> Any:
    r"""Part 2 of Theorem 8 is printed for c > 1, and \(\alpha > 1\) is not enough for that: c(2) = 0.75. By the
    duplication formula \(c = \frac{\Gamma(\alpha + 1/2)}{\sqrt\pi\,\Gamma(\alpha)}\). This rises with \(\alpha\), since
    \(\psi\) does, and it passes one at about 3.38. The corrected part 2 needs no such condition.
    """
    return number(1)


@PAPER.item(
    "lemma-21-beta",
    "Lemma 21, proof, lower bound on the marginal",
    cases=[*grid(alpha=[2, 3], n=[2], x=[1]), {"alpha": 2, "n": 3, "x": 1}, {"alpha": 2, "n": 3, "x": 0}],
    relation=">=",
    calls=(posterior, Beta),
    page=CONJUGATE,
    premises=premises(
        "x <= n",
        lambda n, x, **_: not less(n, x),
        fix=lambda n, x, **_: {"x": min(n, x)},
        alpha=Reals(0.05, 60, above=0),
        n=Wholes(1, 40),
        x=Wholes(0, 40),
    ),
)
def mass_of_posterior(alpha: Any, n: Any, x: Any) -> Any:
    r"""\(B(\alpha + x, n + \alpha - x)\), the normaliser of the posterior of x ones among n."""
    return exp(posterior(bernoulli(), Beta(alpha, alpha), [1] * int(x) + [0] * int(n - x)).log_mass)


@mass_of_posterior.said(
    r"B(\alpha + x, n + \alpha - x) \ge B\bigl(\tfrac{n + 2\alpha - 1}{2}, \tfrac{n + 2\alpha + 1}{2}\bigr)",
    erratum=True,
    condition=Condition(r"n is odd", lambda alpha, n, x: int(n) % 2 == 1),
    proof=True,
    tight={"alpha": 2, "n": 3, "x": 1},
)
def lemma_21_beta(alpha: Any, n: Any, x: Any) -> Any:
    r"""\(B(a, s - a)\) is log-convex in a and symmetric, so it is least where the two arguments are most nearly equal.
    For odd n that is the printed pair. For even n it is \(B(\frac n2 + \alpha, \frac n2 + \alpha)\), which is smaller.
    """
    return around_the_middle(alpha, n)


def around_the_middle(alpha: Any, n: Any) -> Any:
    r"""\(B(\frac{n+2\alpha-1}{2}, \frac{n+2\alpha+1}{2})\)."""
    total = number(n) + 2 * alpha
    return whole((total - 1) / 2, (total + 1) / 2)


@PAPER.item(
    "lemma-21-ratio",
    "Lemma 21, C",
    cases=[*grid(alpha=[1, 2, 5], n=[1, 2, 10, 40]), *grid(alpha=[0.5, 2.6], n=[1, 2, 10])],
    relation="<=",
    calls=(largest_likelihood_ratio, Beta),
    page=CONJUGATE,
    premises=SIZES,
)
def ratio(alpha: Any, n: Any) -> Any:
    """C over all datasets of n records."""
    return largest_likelihood_ratio(Beta(alpha, alpha), int(n))


@ratio.said(
    r"C \le \frac{B(\alpha, \alpha)}{B(\frac{n+2\alpha-1}{2}, \frac{n+2\alpha+1}{2})}",
    proof=True,
    tight={"alpha": 2, "n": 1},
)
def lemma_21_C(alpha: Any, n: Any) -> Any:  # noqa: N802
    r"""For \(\alpha \ge \frac12\) the exact C is \(B(\alpha, \alpha)/B(\alpha, \alpha + n)\), by
    ``posterior-sampling/lemma-21-ratio-exact``. \(B(a, s - a)\) is log-convex and symmetric in a, so it is larger at
    \(a = \alpha\) than half a unit from the middle. So the bound is true, in spite of the slip in the marginal for
    even n.

    It is true for \(\alpha < \frac12\) too. With k ones \(C(x) \le B(\alpha, \alpha)/B(\alpha + k, \alpha + n - k)\),
    which is within the bound unless k is n/2. There the likelihood is at most \(2^{-n}\), while the two Beta functions
    differ by a factor of at most \(\pi/2\).

    At n = 1 there is equality. For more records the bound is far from sharp: it is 1927 against 26 at \(\alpha = 2\),
    n = 10.
    """
    return coin_constants(alpha, int(n)).ratio


@ratio.instead(
    r"C = \frac{B(\alpha, \alpha)}{B(\alpha, \alpha + n)} \quad (\alpha \ge \tfrac12)",
    suffix="exact",
    relation="=",
    tight={"alpha": 2, "n": 10},
    proof=True,
    premises=SIZES.and_also("alpha >= 1/2", lambda alpha, n: not less(2 * number(alpha), 1)),
)
def lemma_21_C_exact(alpha: Any, n: Any) -> Any:  # noqa: N802
    r"""Let a dataset have k ones. Then \(C(x)\) is a constant times \(g(k)\,g(n - k)\), where \(g(k) = k^k /
    \Gamma(\alpha + k)\). From \(\frac{1}{y^2} < \frac{1}{y - 1/2} - \frac{1}{y + 1/2}\) follows \(\psi'(y) <
    \frac{1}{y - 1/2}\). So \((\ln g)''(k) = \frac1k - \psi'(\alpha + k) > 0\). The product is log-convex and symmetric
    in k, and it is largest at k = 0 and k = n, the sequences of one value only.

    For \(\alpha\) below 1/2 an even split has the larger C(x) from some n on, because it grows like \(\sqrt n\). With
    \(\alpha < \frac13\) this is so at n = 2 already. C grows like \(n^{\alpha}\), and the printed bound like \(2^n\).
    """
    return coin_ratio(alpha, int(n))


@PAPER.item(
    "lemma-21-vacuous",
    "Lemma 21, privacy",
    cases=[*grid(alpha=[1, 2, 10], n=[1, 2, 20]), {"alpha": 2.6, "n": 2}],
    relation=">",
    calls=(largest_likelihood_ratio, Beta),
    page=CONJUGATE,
    premises=SIZES,
)
def printed_delta(alpha: Any, n: Any) -> Any:
    r"""The printed \(\delta\), with the exact C."""
    return coin_constants(alpha, int(n))._replace(ratio=ratio(alpha=alpha, n=n)).delta()


@printed_delta.said(
    r"\delta = \sqrt{\tfrac12 C (1 + 2\ln n + 2^{2\alpha-1} B(\alpha, \alpha))} > 1 \text{ for every } \alpha \text{ and } n \ge 1",
    origin="ours",
    proof=True,
)
def lemma_21_vacuous(alpha: Any, n: Any) -> Any:
    r"""The announced \((0, \delta)\)-privacy says nothing, because every mechanism is (0, 1)-private. Indeed \(C \ge
    B(\alpha, \alpha)/B(\alpha, \alpha + n) \ge 2\), so \(\delta^2 \ge 1 + 1/c > 1\). The bound itself is true. The
    cases use the exact C.
    """
    return number(1)


@remembered
def best_delta(alpha: Any, n: Any) -> Any:
    r"""The largest total variation between neighbours, the best \(\delta\).

    In closed form it is \(\max_{a+b=s} \frac{a^{a-1} b^{b-1}}{s^{s-1} B(a, b)}\), \(s = n + 2\alpha - 1\): Beta(a + 1, b)
    and Beta(a, b + 1) cross at \(a/(a+b)\), where their cdfs differ by \(\theta^a (1-\theta)^b \frac{a+b}{ab\,B(a,b)}\).
    """
    laws = count_posteriors(Beta(alpha, alpha), int(n))
    return largest([total_variation(p, q) for p, q in itertools.pairwise(laws)])


@PAPER.item(
    "lemma-21-growth",
    "Lemma 21, text",
    cases=grid(alpha=[2], n=[1, 2, 10]),
    relation=">=",
    calls=(count_posteriors, total_variation),
    page=CONJUGATE,
)
def delta_with_one_more(alpha: Any, n: Any) -> Any:
    r"""The best \(\delta\) of n + 1 records."""
    return best_delta(alpha, n + 1)


@delta_with_one_more.said(
    r"\text{the } \delta \text{ of the posterior increases with } n: \quad \delta(n+1) \ge \delta(n)",
    expected=REFUTED,
)
def lemma_21_growth(alpha: Any, n: Any) -> Any:
    r"""The printed \(\delta\) grows with n. The best one is the largest total variation between neighbours, and it
    falls. For \(\alpha = 2\) it is 0.375 at one record, and it tends to 0.271, the total variation between Gamma(2)
    and Gamma(3). So as a statement about \((0, \delta)\) the printed one is far from "essentially unimprovable". It is
    true that no \((\varepsilon, 0)\) holds, because the ratio of the densities is unbounded.
    """
    return best_delta(alpha, n)


delta = PAPER.item(
    "lemma-21-corrected",
    "Lemma 21, privacy",
    cases=[*grid(alpha=[1, 2, 5], n=[1, 2, 10, 60]), *grid(alpha=[0.3, 1.5, 2.6], n=[1, 2, 10])],
    relation="<=",
    calls=(count_posteriors, total_variation),
    page=CONJUGATE,
    premises=SIZES,
)(best_delta)


@delta.said(
    r"\text{the posterior is } (0, \delta)\text{-DP with } \delta = \frac c\alpha = \frac{2^{1-2\alpha}}{\alpha B(\alpha, \alpha)} \text{ for every } n \ge 1",
    corrects="posterior-sampling/lemma-21-growth",
    origin="ours",
    tight={"alpha": 2, "n": 1},
    proof=True,
)
def lemma_21_corrected(alpha: Any, n: Any) -> Any:
    r"""The neighbours Beta(a + 1, b) and Beta(a, b + 1) have densities that cross at \(\frac{a}{a+b}\). So their total
    variation is the difference of their distribution functions there, which is \(\frac{f(a) f(b)}{f(a + b)}\) with
    \(f(x) = x^{x-1}/\Gamma(x)\). The derivative \((\ln f)'(x) = 1 - \psi(x + 1) + \ln x\) rises with x, because
    \(\psi'(x + 1) < \frac{1}{x + 1/2} < \frac1x\). So the ratio falls as a or b grows. Both are at least \(\alpha\),
    and one record has \(a = b = \alpha\), where the ratio is \(c/\alpha\). One more record makes a or b larger, so the
    best \(\delta\) falls with n.
    """
    return coin_rate(alpha) / alpha


@PAPER.item("claim-2", "Claim 2", cases=HALVES, relation="<=", calls=tail_bend, page=CONJUGATE, premises=SHAPES)
def H(alpha: Any, p: Any) -> Any:  # noqa: N802, the paper's letter
    r"""\(\alpha A(p) - \frac{p^\alpha}{(1-p)(1+p)^{2\alpha-1}}\)."""
    return tail_bend(alpha, p)


@H.said(
    r"H(p) = \alpha A(p) - \frac{p^\alpha}{(1-p)(1+p)^{2\alpha-1}} \le 0 \text{ on } (0, 1)",
    proof=True,
)
def claim_2(alpha: Any, p: Any) -> Any:
    r"""One has \(H(0) = 0\) and \(H'(p) = \frac{-2p^\alpha}{(1+p)^{2\alpha}(1-p)^2} < 0\), as printed, for every real
    \(\alpha > 0\).
    """
    return number(0)


@PAPER.item("claim-3", "Claim 3", cases=HALVES, relation="<", calls=tail_slope, page=CONJUGATE, premises=SHAPES)
def G(alpha: Any, p: Any) -> Any:  # noqa: N802, the paper's letter
    r"""\(p \frac{A'(p)}{A(p)} \ln p - \ln\frac{2A(p)}{B(\alpha, \alpha)}\)."""
    return tail_slope(alpha, p)


@G.said(r"G(p) = p \frac{A'(p)}{A(p)} \ln p - \ln\frac{2A(p)}{B(\alpha, \alpha)} < 0 \text{ on } (0, 1)", proof=True)
def claim_3(alpha: Any, p: Any) -> Any:
    r"""One has \(G(1^-) = 0\) and \(G' = \bigl(\frac{pA'}{A}\bigr)' \ln p\). From \(A' =
    \frac{p^{\alpha-1}}{(1+p)^{2\alpha}}\) follows \((pA')' = A' \frac{\alpha(1-p)}{1+p}\). Hence \(G' =
    \frac{p^{\alpha-1}(1-p)\ln p}{(1+p)^{2\alpha+1} A^2} H > 0\) by Claim 2, as printed, for every real \(\alpha > 0\).
    """
    return number(0)


falling = PAPER.item(
    "claim-4", "Claim 4", cases=HALVES, relation="<", calls=tail_rate, page=CONJUGATE, premises=SHAPES
)(tail_rate)


@falling.said(
    r"F(p) = \frac{\ln(2 I_{p/(1+p)}(\alpha))}{\ln p} \text{ decreases on } (0, 1): \quad F(p) < F(\tfrac{99}{100} p)",
    proof=True,
    tight={"alpha": 0.3, "p": 0.05},
)
def claim_4(alpha: Any, p: Any) -> Any:
    r"""The derivative is \(F' = \frac{G}{p \ln^2 p} < 0\) by Claim 3, as printed. None of the three claims needs more
    than \(\alpha > 0\).
    """
    return tail_rate(alpha, p * 99 / 100)


limit = PAPER.item(
    "claim-4-limit",
    "Claim 4, what follows it",
    cases=HALVES,
    relation=">=",
    calls=tail_rate,
    page=CONJUGATE,
    premises=SHAPES,
)(tail_rate)


@limit.said(
    r"F(p) \ge F(1^-) = \frac{1}{B(\alpha, \alpha)\, 2^{2\alpha-1}} = c", proof=True, tight={"alpha": 2, "p": 0.999}
)
def claim_4_limit(alpha: Any, p: Any) -> Any:
    r"""By l'Hopital's rule the limit is \(\frac{2A'(1)}{B(\alpha, \alpha)} = \frac{2 \cdot 2^{-2\alpha}}{B(\alpha,
    \alpha)}\). So c is the best rate, whatever \(L_0\) is.
    """
    return coin_rate(alpha)
