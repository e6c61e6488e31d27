r"""Section 5.2: coins with a Beta prior (Lemma 21 and Claims 2 to 4 in its proof).

The prior is \(\mathrm{Beta}(\alpha, \alpha)\), and A(p) is the integral of the kernel of this prior up to
\(\frac{p}{1+p}\).
"""

from functools import partial

from ... import posterior_sampling as ps
from ...arithmetic import exp, less, log, number, remembered
from ...posterior_sampling import conjugate_constants as constants
from ...posterior_sampling.bounds import largest_likelihood_ratio
from .. import above, at_least, at_most, below, equal, grid, statement
from .cases import COIN
from .rates import BOUND

statement_on_p = partial(statement, cases=grid(alpha=[0.3, 1, 2.6, 6], p=[0.05, 0.5, 0.999]))
"""Statement on alpha and p, with values of alpha and p for the checks; the paper assumes a real alpha above one, but the proofs are valid for every
alpha above zero."""


@statement_on_p(
    "posterior-sampling/lemma-21",
    "Lemma 21, Assumption 2",
    says=r"satisfies Assumption 5 for $L_0 = \ln n$, $c = 2^{-2\alpha+1}/B(\alpha)$, where $B(\alpha)$ denotes the beta function with parameters $\alpha = \beta$, and metric $\rho(x, y) = \|x - y\|_1$",
    reading=r"$\xi(\Theta_L) \ge 1 - p^c$ with $p = n e^{-L}$, where the data are the number of ones among $n \ge 1$ records",
)
def lemma_21(alpha, p):
    r"""The statement depends on n only through \(p = n e^{-L}\); the check compares the prior mass outside \(\Theta_L\)
    with \(p^c\). If the data are sequences of records, the binomial coefficient does not occur, and \(\Theta_L =
    \{|\ln\frac{\theta}{1-\theta}| \le L\}\). For sequences, the same c is valid with any \(L_0 > 0\), so \(L_0 = \ln
    n\) is not needed. The condition \(\alpha > 1\) is not needed either, because the proof is valid for every real
    \(\alpha > 0\).

    Proof: the prior mass outside \(\Theta_L\) is \(2A(p)/B(\alpha, \alpha)\). This mass is at most \(p^c\) if and only
    if \(F(p) \ge c\), which follows from Claim 4.
    """
    return 1 - ps.lipschitz_mass(COIN, ps.Beta(alpha, alpha), -log(p)), at_most(
        exp(constants.coin_rate(alpha) * log(p))
    )


@statement(
    "posterior-sampling/lemma-21-rate",
    "Lemma 21, as a case of Theorem 8",
    says=r"$\alpha = \beta > 1$ satisfies Assumption 5 for $c = 2^{-2\alpha+1}/B(\alpha)$",
    reading="$c > 1$, as required by part 2 of Theorem 8, which the text after the lemma applies",
    why=r"\(c = 0.75\) at \(\alpha = 2\); our sharper bound in part 2 of Theorem 8 does not need this condition",
    only_if=(r"$\alpha \ge 3.3818$", lambda alpha: not less(alpha, number("3.3818"))),
    cases=grid(alpha=[2, 3.3817, 3.3818, 10]),
)
def lemma_21_rate(alpha):
    r"""Part 2 of Theorem 8 and Corollary 9 are stated for c > 1, and \(\alpha > 1\) does not imply c > 1. Nevertheless,
    the conclusion of the text, ``posterior-sampling/lemma-21-delta``, is true.

    Proof: by the duplication formula, \(c = \frac{\Gamma(\alpha + 1/2)}{\sqrt\pi\,\Gamma(\alpha)}\). The rate c
    increases with \(\alpha\), because \(\psi\) is increasing, and c reaches one between \(\alpha = 3.3817\) and
    \(\alpha = 3.3818\).
    """
    return constants.coin_rate(alpha), above(number(1))


@statement(
    "posterior-sampling/lemma-21-ratio",
    "Lemma 21, C",
    says=r"$C = B(\alpha) / B\left(\frac{n+2\alpha-1}{2}, \frac{n+2\alpha+1}{2}\right)$",
    reading=BOUND + ", for $n \\ge 1$",
    holds=r"$C = \frac{B(\alpha, \alpha)}{B(\alpha, \alpha + n)}$",
    cases=grid(alpha=[0.5, 2, 2.6], n=[1, 2, 10]),
)
def lemma_21_ratio(alpha, n):
    r"""The bound is attained at n = 1. For more records, the bound is far from sharp: for \(\alpha = 2\) and n = 10,
    the bound is 1927, while C is 26. The bound grows exponentially in n, whereas C grows like \(n^\alpha\) for \(\alpha
    \ge \frac12\).

    Proof: for \(\alpha \ge \frac12\), the exact C is \(B(\alpha, \alpha)/B(\alpha, \alpha + n)\). For fixed s, the
    function \(B(a, s - a)\) is log-convex in a and symmetric about \(a = \frac s2\), so its value at \(a = \alpha\) is
    at least its value half a unit away from the midpoint. The bound is therefore true, in spite of a slip in the
    marginal for even n. For \(\alpha < \frac12\) and a dataset with k ones, \(C(x) \le B(\alpha, \alpha)/B(\alpha + k,
    \alpha + n - k)\), which is at most the bound unless k = n/2. For k = n/2, the likelihood is at most \(2^{-n}\),
    while the two Beta functions differ by a factor of at most \(\pi/2\).
    """
    printed = constants.coin_constants(alpha, int(n)).ratio
    return largest_likelihood_ratio(ps.Beta(alpha, alpha), int(n)), at_most(printed)


@lemma_21_ratio.instead(given=(r"$\alpha \ge \tfrac12$", lambda alpha: not less(2 * number(alpha), 1)))
def lemma_21_ratio_exact(alpha, n):
    r"""Suppose that \(\alpha\) is below 1/2. If n is sufficiently large, C(x) is larger for a dataset with as many ones
    as zeros than for a dataset of equal records, because C(x) grows like \(\sqrt n\) if half of the records are ones.
    For \(\alpha < \frac13\), n = 2 is already sufficient.

    Proof: let a dataset have k ones. Then \(C(x)\) is a constant times \(g(k)\,g(n - k)\), where \(g(k) = k^k /
    \Gamma(\alpha + k)\). The inequality \(\frac{1}{y^2} < \frac{1}{y - 1/2} - \frac{1}{y + 1/2}\) implies \(\psi'(y) <
    \frac{1}{y - 1/2}\). So \((\ln g)''(k) = \frac1k - \psi'(\alpha + k) > 0\). The product \(g(k)\,g(n - k)\) is
    therefore log-convex and symmetric in k. It is largest at k = 0 and k = n, where all records are equal.
    """
    return largest_likelihood_ratio(ps.Beta(alpha, alpha), int(n)), equal(constants.coin_ratio(alpha, int(n)))


@remembered
def best_delta(alpha, n):
    r"""Best \(\delta\): the largest total variation distance between the posteriors given neighbouring datasets."""
    return ps.worst_neighbours(ps.total_variation, ps.count_posteriors(ps.Beta(alpha, alpha), int(n)))


@statement(
    "posterior-sampling/lemma-21-delta",
    "Lemma 21, privacy",
    says=r"a conjugate prior pair that is $(0, \delta)$-DP without trimming the prior, with $\delta = \sqrt{\tfrac12 C (1 + 2\ln n + 2^{2\alpha-1}B(\alpha))}$",
    cases=grid(alpha=[0.3, 2, 2.6], n=[1, 2, 10]),
)
def lemma_21_delta(alpha, n):
    r"""The check compares the largest total variation distance between the posteriors given neighbouring datasets with
    the printed \(\delta\).

    Proof: the paper's value of C is at least the exact C, and the exact C is at least \(B(\alpha, \alpha)/B(\alpha,
    \alpha + 1) = 2\) for every \(\alpha > 0\). So \(\delta\) exceeds one, and every mechanism is (0, 1)-private.
    """
    return best_delta(alpha, n), at_most(constants.coin_constants(alpha, int(n)).delta())


@statement(
    "posterior-sampling/lemma-21-growth",
    "Lemma 21, text",
    says=r"unfortunately, $\delta$ is increasing with $n$",
    cases=grid(alpha=[0.3, 2, 2.6], n=[1, 2, 10]),
)
def lemma_21_growth(alpha, n):
    r"""For \(\alpha = 2\), the printed \(\delta\) is 1.53 for one record, 2.90 for two records and 4.76 for three
    records. The check compares the printed \(\delta\) for n + 1 records with the printed \(\delta\) for n records.

    Proof: \(\ln n\) increases with n. The paper's value of C also increases with n, because \(B(a, b)\) decreases in a
    and b.
    """
    later, now = (constants.coin_constants(alpha, int(n) + more).delta() for more in (1, 0))
    return later, above(now)


@statement(
    "posterior-sampling/lemma-21-unimprovable",
    "Lemma 21, text",
    says="as Zheng (2015) shows, this result is essentially unimprovable with direct posterior sampling unless the prior is trimmed",
    holds=r"the posterior is $(0, \delta)$-DP with $\delta = \frac c\alpha = \frac{2^{1-2\alpha}}{\alpha B(\alpha, \alpha)}$ for every $n \ge 1$",
    why=r"the best \(\delta\) decreases as n grows",
    reading=r"the best $\delta$ of $(0, \delta)$-privacy increases with $n$ as well; this was not checked against Zheng (2015), who may mean another notion of privacy",
    cases=grid(alpha=[2], n=[1, 2, 10]),
)
def lemma_21_unimprovable(alpha, n):
    r"""For \(\alpha = 2\), the best \(\delta\) is 0.375 for one record. As n grows, the best \(\delta\) tends to 0.271,
    the total variation distance between Gamma(2) and Gamma(3). It is true, however, that the posterior is not
    \((\varepsilon, 0)\)-private for any \(\varepsilon\), because the ratio of the densities is unbounded.
    """
    return best_delta(alpha, n + 1), at_least(best_delta(alpha, n))


@lemma_21_unimprovable.instead(cases=grid(alpha=[0.3, 2, 2.6], n=[1, 2, 10]))
def lemma_21_private(alpha, n):
    r"""The bound is attained with one record.

    Proof: the densities of the neighbouring posteriors Beta(a + 1, b) and Beta(a, b + 1) cross at \(\frac{a}{a+b}\). So
    their total variation distance is the difference of their distribution functions at this point, which is
    \(\frac{f(a) f(b)}{f(a + b)}\) with \(f(x) = x^{x-1}/\Gamma(x)\). The derivative \((\ln f)'(x) = 1 - \psi(x + 1) +
    \ln x\) increases with x, because \(\psi'(x + 1) < \frac{1}{x + 1/2} < \frac1x\). So \(\frac{f(a) f(b)}{f(a + b)}\)
    decreases as a or b grows. The parameters a and b are at least \(\alpha\). For one record, \(a = b = \alpha\), and
    the total variation distance is \(c/\alpha\). One more record increases a or b, so the best \(\delta\) decreases as
    n grows.
    """
    return best_delta(alpha, n), at_most(constants.coin_rate(alpha) / alpha)


@statement_on_p(
    "posterior-sampling/claim-2",
    "Claim 2",
    says=r"$H(p) = \alpha A(p) - \frac{p^\alpha}{(1-p)(1+p)^{2\alpha-1}} \le 0$ on $(0, 1)$",
)
def claim_2(alpha, p):
    r"""Proof: as in the paper, \(H(0) = 0\) and \(H'(p) = \frac{-2p^\alpha}{(1+p)^{2\alpha}(1-p)^2} < 0\). This
    argument is valid for every real \(\alpha > 0\).
    """
    return constants.tail_bend(alpha, p), at_most(number(0))


@statement_on_p(
    "posterior-sampling/claim-3",
    "Claim 3",
    says=r"$G(p) = p \frac{A'(p)}{A(p)} \ln p - \ln\frac{2A(p)}{B(\alpha, \alpha)} < 0$ on $(0, 1)$",
)
def claim_3(alpha, p):
    r"""Proof: as in the paper, \(G(1^-) = 0\) and \(G' = \bigl(\frac{pA'}{A}\bigr)' \ln p\). The formula \(A' =
    \frac{p^{\alpha-1}}{(1+p)^{2\alpha}}\) implies \((pA')' = A' \frac{\alpha(1-p)}{1+p}\). Hence \(G' =
    \frac{p^{\alpha-1}(1-p)\ln p}{(1+p)^{2\alpha+1} A^2} H > 0\) by Claim 2, for every real \(\alpha > 0\).
    """
    return constants.tail_slope(alpha, p), below(number(0))


@statement_on_p(
    "posterior-sampling/claim-4",
    "Claim 4",
    says=r"$F(p) = \ln\bigl(2 I_{\frac{p}{1+p}}(\alpha)\bigr)/\ln p$ is decreasing in $p \in (0, 1)$",
)
def claim_4(alpha, p):
    r"""The check compares \(F(p)\) with \(F(\frac{99}{100} p)\). Claims 2 to 4 are true for every \(\alpha > 0\).

    Proof: as in the paper, \(F' = \frac{G}{p \ln^2 p} < 0\) by Claim 3.
    """
    return constants.tail_rate(alpha, p), below(constants.tail_rate(alpha, p * 99 / 100))


@statement_on_p(
    "posterior-sampling/claim-4-limit",
    "Claim 4, what follows it",
    says=r"the minimum value of $F(p)$ is $\frac{1}{B(\alpha) 2^{2\alpha-1}}$ as $p \rightarrow 1$, which we can take as our $c$",
    reading="the minimum is the limit, which is not attained at any $p$ below 1",
)
def claim_4_limit(alpha, p):
    r"""So c is the largest rate that is valid for every L. Here \(L_0 = \ln n\) if the data are the number of ones, and
    \(L_0 = 0\) if the data are sequences of records.

    Proof: F is decreasing by Claim 4. By l'Hôpital's rule, the limit of F as \(p \to 1\) is \(\frac{2A'(1)}{B(\alpha,
    \alpha)} = \frac{2 \cdot 2^{-2\alpha}}{B(\alpha, \alpha)}\).
    """
    return constants.tail_rate(alpha, p), at_least(constants.coin_rate(alpha))
