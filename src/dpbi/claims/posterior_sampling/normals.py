"""Section 5.3: normal families with a known mean (Lemma 22) and multivariate normal families (Lemma 23)."""

from ... import posterior_sampling as ps
from ...arithmetic import exp, largest, less, number, smallest, sqrt, tanh
from ...posterior_sampling.conjugate_constants import normal_constants, normal_ratio
from .. import at_most, grid, rows, statement
from .rates import BOUND, CERTAIN, EDGES, lemma_19_delta_classical, outside, variation


@statement(
    "posterior-sampling/lemma-22",
    "Lemma 22, Assumption 2",
    says=r"satisfies Assumption 5 with parameter $c = \frac{2\lambda}{\max\{|\mu|, 1\}}$, $L_0 = \frac{c_1 \max\{|\mu|, 1\}}{2}$ and metric $\rho(x, y) = |x^2 - y^2| + 2|x - y|$",
    reading=r"$\xi(\Theta_L) \ge 1 - e^{-c(L - L_0)}$, with $\ell \le \tfrac\theta2 m$ and $m = \max\{|\mu|, 1\}$",
    cases=[{**case, "mu": mu, "share": share} for case in EDGES for mu in (0.0, 3.0) for share in (0.001, 0.9)],
)
def lemma_22(lam, c1, c2, mu, share):
    r"""The check compares an upper bound on the prior mass outside \(\Theta_L\) with the printed bound. The parameter
    ``share`` is the fraction of the way from \(L_0\) to \(c_2 m/2\) at which L lies.

    Proof: \(\Theta_L\) contains all \(\theta \le 2L/m\), and Lemma 19 bounds the prior mass above \(2L/m\).
    """
    m = largest([abs(mu), number(1)])
    L = (c1 + share * (c2 - c1)) * m / 2
    return outside(ps.normal_precision(mu), lam, c1, c2, L), at_most(exp(-2 * lam / m * (L - c1 * m / 2)))


def change(family: ps.Family, parameter, x, y):
    r"""Absolute difference \(|\ln p_\theta(x) - \ln p_\theta(y)|\) between the log likelihoods of two records at a
    parameter value."""
    return abs(family.log_likelihood([parameter], [x])[0] - family.log_likelihood([parameter], [y])[0])


@statement(
    "posterior-sampling/lemma-22-lipschitz",
    "Lemma 22, the Lipschitz constant",
    says=r"$\frac{1}{2\sigma^2}\bigl|(x-\mu)^2 - (y-\mu)^2\bigr| \le \frac{\max\{|\mu|, 1\}}{2\sigma^2} \bigl(|x^2 - y^2| + 2|x - y|\bigr)$",
    holds=r"for $|x|, |y| \le B$, $\tfrac12\bigl|(x-\mu)^2 - (y-\mu)^2\bigr| \le \tfrac12\max\Bigl\{|\mu|, \frac{B + |\mu|}{B + 1}\Bigr\}\, \rho(x, y)$",
    cases=grid(mu=[0.0, 0.5, 3.0], x=[-1.0, 0.001], y=[-0.999, -0.001]),
)
def lemma_22_lipschitz(mu, x, y):
    r"""The check uses \(\sigma = 1\).

    Proof: the left side is half of \(|x - y||x + y - 2\mu| \le |x - y|(|x + y| + 2|\mu|)\), and
    \(|x - y||x + y| = |x^2 - y^2|\).
    """
    family = ps.normal_precision(mu)
    return change(family, 1, x, y), at_most(family.lipschitz([1])[0] * family.distance([x], [y]))


@lemma_22_lipschitz.instead(given=(r"$|x|, |y| \le 1$", lambda x, y: not less(1, largest([abs(x), abs(y)]))))
def lemma_22_lipschitz_bounded(mu, x, y):
    r"""The check uses B = 1.

    Proof: with \(s = x + y\), the ratio of the left side to \(\frac12\rho\) is \(\frac{|s - 2\mu|}{|s| + 2}\). If s and
    \(\mu\) have opposite signs, the ratio is \(\frac{|s| + 2|\mu|}{|s| + 2}\), which is monotone in \(|s| \le 2B\). If
    s and \(\mu\) have the same sign, the ratio is at most this value.
    """
    family = ps.normal_precision(mu, number(1))
    return change(family, 1, x, y), at_most(family.lipschitz([1])[0] * family.distance([x], [y]))


VARIANCES = rows("lam c1 c2 B mu", (1.0, 0.1, 0.5, 0.5, 0.0), (1.0, 0.5, 1.0, 5.0, 0.0), (1.0, 0.5, 1.5, 1.0, 0.7))


@statement(
    "posterior-sampling/lemma-22-ratio",
    "Lemma 22, C",
    says=r"$C = \min\Bigl\{\sqrt{c_2/c_1} \exp\bigl(\frac{c_1 c_2^2}{2}\bigr), \exp\bigl(\frac{c_2^3}{2}\bigr)\Bigr\}$",
    reading=BOUND + ", for $|x| \\le B$",
    holds=r"$C \le \max\Bigl\{\sqrt{c_2/c_1}\, e^{c_1 D^2/2},\ e^{c_2 D^2/2}\Bigr\}$, where $D = B + |\mu|$",
    why=r"the bound B on the data was replaced by \(c_2\), the mean was dropped, and the minimum of the densities became the minimum of their reciprocals",
    cases=[*VARIANCES, {**CERTAIN, "mu": 0.0}],
    given=(r"$\mu > -B$", lambda B, mu: less(-B, mu)),
)
def lemma_22_ratio(lam, c1, c2, B, mu):
    r"""The printed minimum is wrong even if B equals \(c_2\): for \(\lambda = 1\), the interval [0.1, 0.5], B = 0.5 and
    mean zero, the printed bound is 1.06, but C is 1.35. For B = 5 and the interval [0.5, 1], the printed bound is 1.65,
    but C is 4.97. The check computes the largest C(x) over three possible records: the smallest record, the largest
    record and the record nearest to \(\mu\).

    Proof of what holds: the density is at most \(\sqrt{c_2/2\pi}\). The marginal \(\phi\) is at least the smallest
    density with \(|x - \mu| \le D\). This smallest density occurs at an end of \([c_1, c_2]\), because \(\sqrt\theta
    e^{-\theta D^2/2}\) first increases and then decreases in \(\theta\).
    """
    family, prior = ps.normal_precision(mu, B), ps.trimmed_exponential(lam, c1, c2)
    # The largest C(x) of three records is a lower bound on C, which is enough to refute the printed bound.
    found = largest([ps.likelihood_ratio(family, prior, [x]) for x in (smallest([mu, number(B)]), -B, B)])
    return found, at_most(normal_constants(prior, 0).ratio), at_most(normal_ratio(prior, B, mu))


WITHIN_ONE = rows("lam c1 c2 B mu x y", (1.0, 0.5, 1.0, 5.0, 0.0, 0, 1), (0.1, 0.1, 4.0, 1.0, 0.0, 0.5, 1))


@statement(
    "posterior-sampling/lemma-22-delta",
    "Lemma 22, text, privacy",
    says=r"the posterior is classically $(0, 3\delta)$-DP for data in $[0, 1]$",
    holds=r"$TV \le \tanh\frac{(c_2 - c_1)\, |(x - \mu)^2 - (y - \mu)^2|}{8}$",
    reading=r"$TV \le 3\delta$ for one replaced record, with $\delta = \sqrt{\tfrac12 C (1 + 2L_0 + 1/c)}$ as in Theorem 8",
    cases=WITHIN_ONE,
    given=lemma_19_delta_classical.given,
    aliases=("posterior-sampling/lemma-22-classical",),
)
def lemma_22_delta(lam, c1, c2, B, mu, x, y):
    r"""For x and y in [0, 1], \(|x^2 - y^2| \le 1\) and \(2|x - y| \le 2\), so \(\rho \le 3\). Since Theorem 8 is
    stated under \(\sqrt\rho\), a correct C would even yield \((0, \sqrt3\,\delta)\)-privacy.

    Proof: although the paper's value of C is wrong, it is never below one. So \(3\delta > 3/\sqrt2 = 2.12\), and no
    total variation distance exceeds one.

    Proof of what holds: up to a constant, the log likelihoods differ by \(\frac\theta2((y - \mu)^2 - (x - \mu)^2)\).
    The range of this difference over \(\theta\) has the width \(w = \frac{c_2 - c_1}2 |(x - \mu)^2 - (y - \mu)^2|\),
    and the total variation distance is at most \(\tanh\frac w4\).
    """
    printed = 3 * normal_constants(ps.trimmed_exponential(lam, c1, c2), mu).delta()
    bound = tanh((c2 - c1) * abs((x - mu) ** 2 - (y - mu) ** 2) / 8)
    return variation(ps.normal_precision(mu, B), lam, c1, c2, x, y), at_most(printed), at_most(bound)


@statement(
    "posterior-sampling/lemma-22-delta-metric",
    "Lemma 22, text, privacy",
    says="privacy is achieved under a rather unusual metric",
    reading=r"$(0, \delta)$-DP under $\rho$ for one record, that is, $TV \le \delta\rho$ with the $\delta$ of Theorem 8",
    cases=WITHIN_ONE,
)
def lemma_22_delta_metric(lam, c1, c2, B, mu, x, y):
    r"""Theorem 8 is stated under \(\sqrt\rho\), but the statement is also true under \(\rho\). The bound exceeds the
    total variation distance by a factor of more than \(\sqrt{8 / 1.23} = 2.55\).

    Proof: the posterior is \(\theta^{1/2} e^{-r\theta}\) truncated to \([c_1, c_2]\), with \(r = \lambda + u^2/2\) and
    \(u = |x - \mu|\). Changing r by dr changes the posterior by at most \(\frac12 \sigma\,dr\) in total variation,
    where \(\sigma\) is the standard deviation of the posterior. The standard deviation \(\sigma\) is at most \(c_2/2\).
    It is also at most \(\sqrt{3/2}/r \le \sqrt6/u^2\), because truncating a log-concave distribution to an interval
    does not increase its variance. Together, these two bounds imply \(\sigma u \le (\sqrt6\, c_2/2)^{1/2} = k\). With
    \(dr = u\,du\), it follows that \(TV \le \frac k2 |x - y| \le \frac k4 \rho\). On the other hand, \(\delta^2 \ge
    \frac C2\). The paper's value of C is at least one, and for \(c_2 \ge 1\) it is at least \(\min(\sqrt e\, c_2^{3/2},
    e^{c_2^3/2}) \ge c_2\). So C exceeds \(\frac{k^2}8\), and \(\delta \ge \frac k4\).
    """
    printed = normal_constants(ps.trimmed_exponential(lam, c1, c2), mu).delta()
    bound = printed * ps.normal_precision(mu).distance([x], [y])
    return variation(ps.normal_precision(mu, B), lam, c1, c2, x, y), at_most(bound)


def frobenius(A):
    r"""Frobenius norm \(\|A\|_F\) of a matrix."""
    return sqrt(number(sum(entry * entry for row in A for entry in row)))


POSITIVE = (
    "the precision $A$ is positive definite",
    lambda A: bool(less(0, A[0][0])) and bool(less(A[0][1] * A[1][0], A[0][0] * A[1][1])),
)

MATRICES = rows("A x y", (((2, 0), (0, 1)), (1, 0), (0, 0)), (((2, 1), (1, 3)), (1, 0.5), (-0.3, 0.4)))


@statement(
    "posterior-sampling/lemma-23",
    "Lemma 23",
    says=r"satisfies our Assumption 1 with $L = \frac12 (\sum_{i=1}^n \lambda_i^2)^{\frac12} \max\{1, \|\mu\|_2\}$ under metric $\rho(x, y) = \|xx^\top - yy^\top\|_F + 2\|x - y\|_2$",
    reading=r"$\tfrac12\bigl|(x-\mu)^\top A (x-\mu) - (y-\mu)^\top A (y-\mu)\bigr| \le L\,\rho(x, y)$, where $\lambda_i$ are the eigenvalues of the precision $A$",
    holds=r"$\tfrac12\bigl|(x-\mu)^\top A (x-\mu) - (y-\mu)^\top A (y-\mu)\bigr| \le \tfrac12 \lambda_{\max}(A) \max\{1, \|\mu\|\}\, \rho(x, y)$, where the largest eigenvalue is at most the Frobenius norm",
    cases=[{**case, "mu": mu} for case in MATRICES for mu in ((0, 0), (0.5, 0), (3, 0))],
    given=POSITIVE,
)
def lemma_23(A, mu, x, y):
    r"""For \(\mu = 0\), the check omits the second term of \(\rho\); the sharper bound is then attained if y = 0 and x
    is an eigenvector for the largest eigenvalue.

    Proof: as in the paper, apply the Cauchy-Schwarz inequality for the trace, together with \(\|uu^\top - vv^\top\|_F
    \le \|xx^\top - yy^\top\|_F + 2\|\mu\|\|x - y\|\) for \(u = x - \mu\) and \(v = y - \mu\).

    Proof of what holds: let \(u = x - \mu\) and \(v = y - \mu\). The matrix \(uu^\top - vv^\top\) has at most one
    positive eigenvalue p and at most one negative eigenvalue -q. For positive definite A,
    \(-q\lambda_{\max} \le \langle A, uu^\top - vv^\top\rangle \le p\lambda_{\max}\), and both p and q are at most the
    Frobenius norm \(\sqrt{p^2 + q^2}\).
    """
    family, size = ps.multivariate_normal(mu), largest([number(1), sqrt(square(mu))])
    rho = family.distance([x], [y])
    return change(family, A, x, y), at_most(frobenius(A) * size * rho / 2), at_most(family.lipschitz([A])[0] * rho)


@statement(
    "posterior-sampling/lemma-23-centred",
    "Lemma 23, mean zero",
    says=r"when $\mu = 0$, Assumption 1 is satisfied with $L = \frac12 (\sum_{i=1}^n \lambda_i^2)^{\frac12}$ under metric $\rho(x, y) = \|xx^\top - yy^\top\|_F$",
    holds=r"for $\mu = 0$, $\tfrac12|x^\top A x - y^\top A y| \le \tfrac12 \lambda_{\max}(A)\, \|xx^\top - yy^\top\|_F$",
    cases=MATRICES,
    given=POSITIVE,
)
def lemma_23_centred(A, x, y):
    r"""The distance has no second term, because the mean is zero. With y = 0, the left side approaches the printed
    bound as \(A \to xx^\top\). The sharper bound is attained if y = 0 and x is an eigenvector for the largest
    eigenvalue.

    Proof: as in the paper, apply the Cauchy-Schwarz inequality for the trace.

    Proof of what holds: \(xx^\top - yy^\top\) has at most one positive and one negative eigenvalue, so the argument in
    ``posterior-sampling/lemma-23`` applies.
    """
    rho = frobenius([[a * b - c * d for b, d in zip(x, y, strict=True)] for a, c in zip(x, y, strict=True)])
    family = ps.multivariate_normal((0, 0))
    return change(family, A, x, y), at_most(frobenius(A) * rho / 2), at_most(family.lipschitz([A])[0] * rho)


def square(u):
    r"""Squared norm \(\|u\|^2\) of a vector."""
    return number(sum(number(a) * a for a in u))


def reach(x, y, mu):
    r"""Suprema of \(\ln\frac{p_A(x)}{p_A(y)}\) and \(\ln\frac{p_A(y)}{p_A(x)}\) over all precisions A whose Lipschitz
    constant is at most L = 1.

    These are the precisions A with \(\lambda_{\max}(A) \max\{1, \|\mu\|\} \le 2\).
    """
    u, v = (tuple(number(a) - b for a, b in zip(record, mu, strict=True)) for record in (x, y))
    apart, both = (tuple(a + sign * b for a, b in zip(u, v, strict=True)) for sign in (-1, 1))
    trace, norm = square(v) - square(u), sqrt(square(apart) * square(both))  # p - q and p + q in the proof below
    return tuple((norm + sign * trace) / 2 / largest([number(1), sqrt(square(mu))]) for sign in (1, -1))


@statement(
    "posterior-sampling/lemma-23-classical",
    "Lemma 23, text",
    says=r"once more, we achieved $(\epsilon, 0)$-DP under our metric, which implies a $(3\epsilon, 0)$ classical DP for bounded data",
    reading=r"the data are in the unit ball, $\epsilon = 2L$, and the privacy loss of a draw is the width of the range of $\ln\frac{p(x)}{p(y)}$, which is at most $6L$",
    holds=r"the privacy loss of a draw is at most $3\sqrt3\,L = 5.196 L$ if the mean is known, and at most $9.42 L$ in general",
    why="if the mean is a parameter as well, the two ends of the range can belong to different means",
    only_if=("the mean is known, as in Lemma 22", lambda means: len(means) == 1),
    cases=rows(
        "x y means",
        ((1, 0), (-1, 0), ((1, 0), (-1, 0))),
        ((1, 0), (-1, 0), ((1, 0),)),
        ((0.5, 0.866), (0.5, -0.866), ((-1, 0),)),
        ((1, 0), (-0.617, 0.786), ((0.3, 2),)),
    ),
    given=(r"$\|x\|, \|y\| \le 1$", lambda x, y: not any(less(1, square(u)) for u in (x, y))),
    aliases=("posterior-sampling/lemma-23-loss",),
)
def lemma_23_classical(x, y, means):
    r"""The check computes the width of the range for L = 1, over the given means and all precisions with
    \(\frac12\lambda_{\max}(A)\max\{1, \|\mu\|\} \le L\). As the dataset grows, the privacy loss of a draw approaches
    this width (see the bound in ``posterior-sampling/algorithm-1``). For the records 1 and -1 and the means 1 and -1,
    the width is 8. One record is enough for a counterexample: with prior weight 0.001 on the mean 1 and with known
    precision 3, the privacy loss of a draw is 7.77 L.

    Proof: for \(u = x - \mu\) and \(v = y - \mu\), let p and -q be the nonzero eigenvalues of \(vv^\top - uu^\top\).
    With a known mean, the log ratio is \(\frac12\langle A, vv^\top - uu^\top\rangle\), which ranges from \(-\frac
    q2\lambda_{\max}\) to \(\frac p2\lambda_{\max}\). Moreover, \(p + q = \|x - y\|\|x + y - 2\mu\| \le \|x - y\| (\|x +
    y\| + 2\|\mu\|)\). Let \(\|x - y\| = 2\sin\frac\varphi2\). Then \(\|x + y\|^2 \le 4 - \|x - y\|^2\). So p + q is at
    most \((2\sin\varphi + 4\sin\frac\varphi2)\max\{1, \|\mu\|\}\), where the first factor has its maximum \(3\sqrt3\)
    at \(\varphi = 120\) degrees. So the width of the range is at most \(3\sqrt3\,L < 6L\).

    Proof of what holds: for a known mean, the bound is proved above. In general, the width is at most \(2L\rho\). For
    unit vectors, \(\rho = \sqrt2 \sin\varphi + 4 \sin\tfrac\varphi2 \le 4.7097\), and shorter vectors are not farther
    apart (see the proof in ``dpbi.posterior_sampling.matrix_families.ball_reach``).
    """
    most, least = zip(*(reach(x, y, mu) for mu in means), strict=True)
    bound = 3 * sqrt(number(3)) if len(means) == 1 else 2 * ps.multivariate_normal((1, 0), number(1)).reach[ps.RECORD]
    return largest(most) + largest(least), at_most(number(6)), at_most(bound)
