"""Section 5.3: normal families with a known mean, Lemmas 22 and 23."""

import math
from typing import Any

from ...arithmetic import exp, largest, less, number, smallest, sqrt, tanh
from ...posterior_sampling import (
    RECORD,
    bernoulli,
    likelihood_ratio,
    lipschitz_mass,
    multivariate_normal,
    normal_precision,
    posterior,
    privacy_loss,
    total_variation,
    trimmed_exponential,
    weighted,
    worst_neighbours,
)
from ...posterior_sampling.conjugate_constants import normal_constants, normal_ratio
from ..claim import REFUTED
from ..premises import Points, Reals, Rows, premises
from .cases import MODEST, bounded, trimmed
from .rates import CERTAIN, EDGES, REAL, TOLD
from .source import CONJUGATE, PAPER

SHARE = Reals(1e-4, 1, least=0, most=1, corners=(0.0,))
INSIDE = Reals(-1, 1, least=-1, most=1, corners=(0.0,))

PRECISIONS: list[dict[str, Any]] = [
    {**case, "mu": mu, "share": share} for case in EDGES for mu in (0.0, 3.0) for share in (0.001, 0.5, 0.9)
]


def level(c1: Any, c2: Any, mu: Any, share: Any) -> tuple[Any, Any]:
    r"""\(m = \max\{|\mu|, 1\}\) and an L that is a share of the way from \(c_1 m/2\) to \(c_2 m/2\)."""
    m = largest([abs(mu), number(1)])
    return m, (c1 + share * (c2 - c1)) * m / 2


@PAPER.item(
    "lemma-22",
    "Lemma 22, Assumption 2",
    cases=PRECISIONS,
    relation="<=",
    calls=lipschitz_mass,
    page=CONJUGATE,
    premises=trimmed(mu=REAL, share=Reals(1e-3, 0.999, above=0, below=1)),
)
def mass_outside(lam: Any, c1: Any, c2: Any, mu: Any, share: Any) -> Any:
    r"""\(1 - \xi(\Theta_L)\)."""
    _, L = level(c1, c2, mu, share)
    return 1 - lipschitz_mass(normal_precision(mu), trimmed_exponential(lam, c1, c2), L)


@mass_outside.said(
    r"\ell \le \tfrac\theta2 m \implies \xi(\Theta_L) \ge 1 - e^{-c(L - L_0)}, \quad m = \max\{|\mu|, 1\},\ c = \frac{2\lambda}{m},\ L_0 = \frac{c_1 m}{2}",
    proof=True,
    tight={**EDGES[1], "mu": 0.0, "share": 0.001},
)
def lemma_22(lam: Any, c1: Any, c2: Any, mu: Any, share: Any) -> Any:
    r"""\(\Theta_L\) contains all \(\theta \le 2L/m\), and the rest is Lemma 19 at \(2L/m\). A case takes L a share of
    the way from \(L_0\) to \(c_2 m/2\).
    """
    m, L = level(c1, c2, mu, share)
    return exp(-2 * lam / m * (L - c1 * m / 2))


PAIRS: list[dict[str, Any]] = [
    {"mu": mu, "x": x, "y": y}
    for mu in (0.0, 0.5, 3.0)
    for x, y in ((-1.0, -0.999), (0.001, -0.001), (0.4, -0.7), (1.0, 0.0))
]


@PAPER.item(
    "lemma-22-lipschitz",
    "Lemma 22, the Lipschitz constant",
    cases=PAIRS,
    relation="<=",
    calls=normal_precision,
    page=CONJUGATE,
    premises=premises(mu=REAL, x=REAL, y=REAL),
)
def gap(mu: Any, x: Any, y: Any) -> Any:
    r"""\(|\ln p_\theta(x) - \ln p_\theta(y)|\) at \(\theta = 1\)."""
    family = normal_precision(mu)
    return abs(family.log_likelihood([1], [x])[0] - family.log_likelihood([1], [y])[0])


@gap.said(
    r"\tfrac12\bigl|(x-\mu)^2 - (y-\mu)^2\bigr| \le \tfrac12\max\{|\mu|, 1\}\, \bigl(|x^2 - y^2| + 2|x - y|\bigr)",
    proof=True,
    tight={"mu": 3.0, "x": 0.001, "y": -0.001},
)
def lemma_22_lipschitz(mu: Any, x: Any, y: Any) -> Any:
    r"""The left side is half of \(|x - y||x + y - 2\mu| \le |x - y|(|x + y| + 2|\mu|)\), and \(|x - y||x + y| = |x^2 -
    y^2|\).
    """
    family = normal_precision(mu)
    return family.lipschitz([1])[0] * family.distance([x], [y])


@gap.instead(
    r"|x|, |y| \le B: \quad \tfrac12\bigl|(x-\mu)^2 - (y-\mu)^2\bigr| \le \tfrac12\max\Bigl\{|\mu|, \frac{B + |\mu|}{B + 1}\Bigr\}\, \rho(x, y)",
    suffix="sharp",
    where="Lemma 22, the Lipschitz constant for bounded data",
    proof=True,
    tight={"mu": 0.5, "x": -1.0, "y": -0.999},
    premises=premises(mu=REAL, x=INSIDE, y=INSIDE),
)
def lemma_22_lipschitz_sharp(mu: Any, x: Any, y: Any) -> Any:
    r"""With \(s = x + y\) the ratio of the left side to \(\frac12\rho\) is \(\frac{|s - 2\mu|}{|s| + 2}\). If s and
    \(\mu\) have opposite signs it is \(\frac{|s| + 2|\mu|}{|s| + 2}\), which is monotone in \(|s| \le 2B\). If they
    have the same sign it is at most its value at s = 0, or less than with the opposite sign. The cases have B = 1.
    """
    family = normal_precision(mu, number(1))
    return family.lipschitz([1])[0] * family.distance([x], [y])


VARIANCES: list[dict[str, Any]] = [
    {"lam": 1.0, "c1": 0.5, "c2": 1.0, "B": 5.0, "mu": 0.0},
    {"lam": 2.0, "c1": 0.1, "c2": 0.5, "B": 1.0, "mu": 0.0},
    {"lam": 1.0, "c1": 0.5, "c2": 1.5, "B": 1.0, "mu": 0.7},
]


@PAPER.item("lemma-22-ratio", "Lemma 22, C", cases=VARIANCES, relation="<=", calls=likelihood_ratio, page=CONJUGATE)
def ratio(lam: Any, c1: Any, c2: Any, B: Any, mu: Any) -> Any:
    r"""The larger of C(x) at \(\mu\), or as near to it as a record can be, and at -B, as far from \(\mu \ge 0\) as a record can be."""
    family, prior = normal_precision(mu, B), trimmed_exponential(lam, c1, c2)
    return largest([likelihood_ratio(family, prior, [x]) for x in (smallest([mu, number(B)]), -B)])


@ratio.said(
    r"C \le \min\Bigl\{\sqrt{c_2/c_1}\, e^{c_1 c_2^2/2},\ e^{c_2^3/2}\Bigr\}",
    expected=REFUTED,
)
def lemma_22_C(lam: Any, c1: Any, c2: Any, B: Any, mu: Any) -> Any:  # noqa: N802
    r"""Three things went wrong in print. The bound B on the data has become \(c_2\), the mean is gone, and the minimum
    of the densities has become the minimum of their inverses. At \(\lambda = 1\), [0.5, 1] and B = 5 the printed bound
    is 1.65, and C is 4.97.
    """
    return printed_ratio(c1, c2)


def printed_ratio(c1: Any, c2: Any) -> Any:
    r"""\(\min\{\sqrt{c_2/c_1}\, e^{c_1 c_2^2/2}, e^{c_2^3/2}\}\)."""
    return normal_constants(trimmed_exponential(1, c1, c2), 0).ratio


@ratio.instead(
    r"C \le \max\Bigl\{\sqrt{c_2/c_1}\, e^{c_1 D^2/2},\ e^{c_2 D^2/2}\Bigr\}, \quad D = B + |\mu|",
    proof=True,
    cases=[*VARIANCES, {**CERTAIN, "mu": 0.0}],
    tight={**CERTAIN, "mu": 0.0},
    premises=bounded(mu=Reals(1e-3, 20, least=0, corners=(0.0,))),
)
def lemma_22_C_corrected(lam: Any, c1: Any, c2: Any, B: Any, mu: Any) -> Any:  # noqa: N802
    r"""The density is at most \(\sqrt{c_2/2\pi}\). The marginal \(\phi\) is at least the least density with \(|x -
    \mu| \le D\), which is at an end because \(\sqrt\theta e^{-\theta D^2/2}\) rises and then falls.
    """
    return normal_ratio(trimmed_exponential(lam, c1, c2), B, mu)


@PAPER.item(
    "lemma-22-classical",
    "Lemma 22, text",
    cases=[{"x": 0, "y": 1}, {"x": 0.5, "y": 1}],
    relation="<=",
    calls=normal_precision,
    page=CONJUGATE,
    premises=premises(x=SHARE, y=SHARE),
)
def root_distance(x: Any, y: Any) -> Any:
    r"""\(\sqrt{\rho(x, y)}\)."""
    return sqrt(number(normal_precision().distance([x], [y])))


@root_distance.said(r"x, y \in [0, 1]: \quad \sqrt{\rho(x, y)} \le 3", proof=True)
def lemma_22_classical(x: Any, y: Any) -> Any:
    r"""On [0, 1] \(\rho \le 3\), so \(\sqrt\rho \le 3\) too. As Theorem 8 is under \(\sqrt\rho\), classical \((0,
    3\delta)\)-privacy follows, and even \((0, \sqrt3\,\delta)\).
    """
    return number(3)


@root_distance.instead(
    r"x, y \in [0, 1]: \quad \sqrt{\rho(x, y)} \le \sqrt3", suffix="sharp", proof=True, tight={"x": 0, "y": 1}
)
def lemma_22_classical_sharp(x: Any, y: Any) -> Any:
    r"""One has \(|x^2 - y^2| \le 1\) and \(2|x - y| \le 2\), and the records 0 and 1 reach both."""
    return sqrt(number(3))


WITHIN_ONE: list[dict[str, Any]] = [
    *({**case, "x": 0, "y": 1} for case in VARIANCES),
    {"lam": 0.1, "c1": 0.1, "c2": 4.0, "B": 1.0, "mu": 0.0, "x": 0.5, "y": 1},
]


@PAPER.item(
    "lemma-22-delta",
    "Lemma 22, text, privacy",
    cases=WITHIN_ONE,
    relation="<=",
    calls=(posterior, total_variation),
    page=CONJUGATE,
)
def variation(lam: Any, c1: Any, c2: Any, B: Any, mu: Any, x: Any, y: Any) -> Any:
    """The total variation between the posteriors of one record, x or y."""
    family, prior = normal_precision(mu, B), trimmed_exponential(lam, c1, c2)
    return total_variation(posterior(family, prior, [x]), posterior(family, prior, [y]))


def printed_delta(lam: Any, c1: Any, c2: Any, mu: Any) -> Any:
    r"""\(\sqrt{\frac12 C (1 + 2L_0 + 1/c)}\) with the printed C, \(L_0\) and c."""
    return normal_constants(trimmed_exponential(lam, c1, c2), mu).delta()


@variation.said(
    r"x, y \in [0, 1] \implies TV \le 3\delta,\ \delta = \sqrt{\tfrac12 C (1 + 2L_0 + 1/c)}",
    proof=True,
    premises=bounded(SHARE, MODEST, mu=REAL),
)
def lemma_22_delta(lam: Any, c1: Any, c2: Any, B: Any, mu: Any, x: Any, y: Any) -> Any:
    r"""The bound says nothing. The printed C, wrong as it is, is never below one, so \(3\delta > 3/\sqrt2 = 2.12\),
    and every mechanism is (0, 1)-private. It is not sharp: it is more than a factor 2.12 too large.
    """
    return 3 * printed_delta(lam, c1, c2, mu)


@variation.said(
    r"(0, \delta)\text{-DP under } \rho, \text{ one record: } TV \le \delta\rho",
    suffix="metric",
    origin="reading",
    proof=True,
    premises=bounded(REAL, MODEST, mu=REAL),
)
def lemma_22_delta_metric(lam: Any, c1: Any, c2: Any, B: Any, mu: Any, x: Any, y: Any) -> Any:
    r"""As in Lemma 19 the print has \(\rho\) in place of \(\sqrt\rho\), but here it is true. The posterior is
    \(\theta^{1/2} e^{-r\theta}\) cut to \([c_1, c_2]\), with \(r = \lambda + u^2/2\) and \(u = |x - \mu|\). If
    \(\sigma\) is its standard deviation, moving r by dr moves it by at most \(\frac12 \sigma\,dr\) in total variation.

    There are two bounds on \(\sigma\). It is at most \(c_2/2\). Cutting a log-concave law to an interval does not
    raise its variance, so it is also at most \(\sqrt{3/2}/r \le \sqrt6/u^2\). Together \(\sigma u \le (\sqrt6\,
    c_2/2)^{1/2} = k\). With \(dr = u\,du\) this gives \(TV \le \frac k2 |x - y| \le \frac k4 \rho\).

    On the other side \(\delta^2 \ge \frac C2\). The printed C is at least one, and at least \(\min(\sqrt e\,
    c_2^{3/2}, e^{c_2^3/2}) \ge c_2\) for \(c_2 \ge 1\). So it is above \(\frac{k^2}8\), and \(\delta \ge \frac k4\).
    The bound is not sharp: it is more than a factor \(\sqrt{8 / 1.23} = 2.55\) too large.
    """
    return printed_delta(lam, c1, c2, mu) * normal_precision(mu).distance([x], [y])


@variation.instead(
    r"TV \le \tanh\frac{(c_2 - c_1)\, |(x - \mu)^2 - (y - \mu)^2|}{8}",
    proof=True,
    cases=[*WITHIN_ONE, {**TOLD, "mu": 0.0, "x": 0, "y": 10}],
    tight={**TOLD, "mu": 0.0, "x": 0, "y": 10},
    premises=bounded(REAL, MODEST, mu=REAL),
)
def lemma_22_delta_corrected(lam: Any, c1: Any, c2: Any, B: Any, mu: Any, x: Any, y: Any) -> Any:
    r"""Up to a constant the log likelihoods differ by \(\frac\theta2((y - \mu)^2 - (x - \mu)^2)\). Its range w is four
    times the argument of tanh, and the total variation is at most \(\tanh\frac w4\). For small w these priors leave a
    factor of two.
    """
    return tanh((c2 - c1) * abs((x - mu) ** 2 - (y - mu) ** 2) / 8)


def positive(A: Any, **_: Any) -> bool:
    """Whether a matrix is symmetric and positive."""
    (a, b), (c, d) = A
    return bool(b == c) and less(0, a) and less(0, a * d - b * c)


def symmetric(A: Any, **_: Any) -> dict[str, Any]:
    """A matrix with its lower half for the upper one, and a diagonal that makes it positive."""
    (a, _b), (c, d) = A
    a, d = abs(a) + 0.01, abs(d) + 0.01
    return {"A": ((a, c), (c, d if a * d > c * c else round(c * c / a + 0.01, 6)))}


PLANE = Points(Reals(-5, 5, corners=(0.0, 1.0)))
MATRICES = premises("A > 0", positive, fix=symmetric, A=Rows(PLANE, (2,)), mu=PLANE, x=PLANE, y=PLANE)
CENTRED = premises("A > 0", positive, fix=symmetric, A=Rows(PLANE, (2,)), x=PLANE, y=PLANE)

NORMALS: list[dict[str, Any]] = [
    {"A": ((2, 0), (0, 1)), "mu": (0, 0), "x": (1, 0), "y": (0, 0)},
    {"A": ((2, 1), (1, 3)), "mu": (0.5, -1), "x": (1, 0.5), "y": (-0.3, 0.4)},
    {"A": ((2, 0), (0, 1)), "mu": (3, 0), "x": (0.001, 0), "y": (-0.001, 0)},
    {"A": ((1, 0.9), (0.9, 1)), "mu": (0, 0), "x": (1, 1), "y": (0.2, -0.1)},
]


@PAPER.item(
    "lemma-23", "Lemma 23", cases=NORMALS, relation="<=", calls=multivariate_normal, page=CONJUGATE, premises=MATRICES
)
def matrix_gap(A: Any, mu: Any, x: Any, y: Any) -> Any:
    r"""\(|\ln p_A(x) - \ln p_A(y)| = \frac12|(x-\mu)^\top A (x-\mu) - (y-\mu)^\top A (y-\mu)|\)."""
    family = multivariate_normal(mu)
    return abs(family.log_likelihood([A], [x])[0] - family.log_likelihood([A], [y])[0])


@matrix_gap.said(
    r"\tfrac12\bigl|(x-\mu)^\top A (x-\mu) - (y-\mu)^\top A (y-\mu)\bigr| \le \tfrac12 \|A\|_F \max\{1, \|\mu\|\}\, \rho(x, y)",
    proof=True,
    tight=NORMALS[3],
)
def lemma_23(A: Any, mu: Any, x: Any, y: Any) -> Any:
    """This is the Cauchy-Schwarz inequality for the trace, as printed."""
    frobenius = sqrt(number(sum(entry * entry for row in A for entry in row)))
    size = largest([number(1), sqrt(number(sum(m * m for m in mu)))])
    return frobenius * size * multivariate_normal(mu).distance([x], [y]) / 2


@matrix_gap.instead(
    r"\tfrac12\bigl|(x-\mu)^\top A (x-\mu) - (y-\mu)^\top A (y-\mu)\bigr| \le \tfrac12 \lambda_{\max}(A) \max\{1, \|\mu\|\}\, \rho(x, y)",
    suffix="sharp",
    proof=True,
    tight=NORMALS[0],
)
def lemma_23_sharp(A: Any, mu: Any, x: Any, y: Any) -> Any:
    r"""Let \(u = x - \mu\) and \(v = y - \mu\). The matrix \(uu^\top - vv^\top\) has at most one positive and one
    negative eigenvalue, p and -q. For positive A \(-q\lambda_{\max} \le \langle A, uu^\top - vv^\top\rangle \le
    p\lambda_{\max}\), and both p and q are at most the Frobenius norm \(\sqrt{p^2 + q^2}\). With \(\mu = 0\) the bound
    is attained by y = 0 and an eigenvector x.
    """
    family = multivariate_normal(mu)
    return family.lipschitz([A])[0] * family.distance([x], [y])


@PAPER.item(
    "lemma-23-centred",
    "Lemma 23, mean zero",
    cases=[{name: value for name, value in case.items() if name != "mu"} for case in NORMALS],
    relation="<=",
    calls=multivariate_normal,
    page=CONJUGATE,
    premises=CENTRED,
)
def centred_gap(A: Any, x: Any, y: Any) -> Any:
    r"""\(|\ln p_A(x) - \ln p_A(y)| = \frac12|x^\top A x - y^\top A y|\)."""
    return matrix_gap(A=A, mu=(0, 0), x=x, y=y)


def products_apart(x: Any, y: Any) -> Any:
    r"""\(\|xx^\top - yy^\top\|_F\): its square is \(\|x\|^4 + \|y\|^4 - 2(x^\top y)^2\)."""
    xx, yy, xy = (number(sum(a * b for a, b in zip(u, v, strict=True))) for u, v in ((x, x), (y, y), (x, y)))
    return sqrt(xx * xx + yy * yy - 2 * xy * xy)


@centred_gap.said(
    r"\mu = 0: \quad \tfrac12|x^\top A x - y^\top A y| \le \tfrac12 \|A\|_F\, \|xx^\top - yy^\top\|_F",
    proof=True,
    tight={name: value for name, value in NORMALS[3].items() if name != "mu"},
)
def lemma_23_centred(A: Any, x: Any, y: Any) -> Any:
    r"""This is the Cauchy-Schwarz inequality for the trace, as printed. The distance has no second term, because the
    mean is zero. The bound is reached in the limit, by \(A \to xx^\top\) and y = 0.
    """
    return sqrt(number(sum(entry * entry for row in A for entry in row))) * products_apart(x, y) / 2


@centred_gap.instead(
    r"\mu = 0: \quad \tfrac12|x^\top A x - y^\top A y| \le \tfrac12 \lambda_{\max}(A)\, \|xx^\top - yy^\top\|_F",
    suffix="sharp",
    proof=True,
    tight={"A": ((2, 0), (0, 1)), "x": (1, 0), "y": (0, 0)},
)
def lemma_23_centred_sharp(A: Any, x: Any, y: Any) -> Any:
    r"""The matrix \(xx^\top - yy^\top\) has at most one positive and one negative eigenvalue, so the argument is that
    of ``posterior-sampling/lemma-23-sharp``. The bound is attained by y = 0 and an eigenvector x.
    """
    return multivariate_normal((0, 0)).lipschitz([A])[0] * products_apart(x, y)


def in_the_disc(x: Any, y: Any) -> bool:
    """Whether both records have a length of at most one."""
    return not any(less(number(1), number(u) ** 2 + number(v) ** 2) for u, v in (x, y))


def onto_the_disc(x: Any, y: Any) -> dict[str, Any]:
    """The records, brought within the disc, most of them to near its edge."""
    lengths = [math.hypot(*record) or 1 for record in (x, y)]
    x, y = (
        tuple(math.trunc(entry / length * 1e6) / 1e6 for entry in r) for r, length in zip((x, y), lengths, strict=True)
    )
    return {"x": x, "y": y}


UNIT_DISC = premises("|x|, |y| <= 1", in_the_disc, fix=onto_the_disc, x=PLANE, y=PLANE)

UNIT: list[dict[str, Any]] = [
    {"x": (0, 0), "y": (1, 0)},
    {"x": (1, 0), "y": (-1, 0)},
    {"x": (1, 0), "y": (-0.617, 0.786)},
]


@PAPER.item(
    "lemma-23-classical", "Lemma 23, text", cases=UNIT, relation="<=", calls=multivariate_normal, page=CONJUGATE
)
def distance(x: Any, y: Any) -> Any:
    r"""\(\rho(x, y)\) for a mean of length one."""
    return multivariate_normal((1, 0), number(1)).distance([x], [y])


@distance.said(r"\|x\|, \|y\| \le 1 \implies \rho(x, y) \le 3", expected=REFUTED)
def lemma_23_classical(x: Any, y: Any) -> Any:
    r"""The printed \((3\varepsilon, 0)\) of the classical definition needs this for bounded data. It holds for numbers
    in [0, 1]. But 1 and -1 are at distance 4, and unit vectors 128 degrees apart at distance 4.71.
    """
    return number(3)


@distance.instead(
    r"\|x\|, \|y\| \le 1 \implies \rho(x, y) \le \max_\varphi\bigl(\sqrt2 \sin\varphi + 4 \sin\tfrac\varphi2\bigr) = 4.7096",
    cases=[*UNIT, {"x": (0.6, 0.8), "y": (0.3, -0.9)}],
    tight=UNIT[2],
    proof=True,
    premises=UNIT_DISC,
)
def lemma_23_classical_corrected(x: Any, y: Any) -> Any:
    r"""For unit vectors at the angle \(\varphi\), \(\|xx^\top - yy^\top\|_F = \sqrt2 \sin\varphi\) and
    \(\|x - y\| = 2\sin\frac\varphi2\). The derivative \(\sqrt2\cos\varphi + 2\cos\frac\varphi2\) vanishes where
    \(t = \cos\frac\varphi2\) solves \(\sqrt2(2t^2 - 1) + 2t = 0\). Shorter vectors are no farther
    (``dpbi.posterior_sampling.matrix_families.ball_reach`` has the proof). So \((2L, 0)\) under \(\rho\) gives 9.42 L
    between neighbours.
    """
    return multivariate_normal((1, 0), number(1)).reach[RECORD]


@PAPER.item(
    "lemma-23-loss",
    "Lemma 23, text, in one dimension",
    cases=[{"weight": 0.001, "A": 3}, {"weight": 0.5, "A": 3}],
    relation="<=",
    calls=(posterior, privacy_loss),
    page=CONJUGATE,
)
def loss_of_means(weight: Any, A: Any) -> Any:
    r"""The loss between the records 1 and -1 for the means 1 and -1.

    Their densities are in the ratio \(e^{2A}\) one way and the other: it is that of two coins.
    """
    p = 1 / (1 + exp(number(-2 * A)))
    prior = weighted([p, 1 - p], [weight, 1 - weight])
    return worst_neighbours(privacy_loss, [posterior(bernoulli(), prior, [x]) for x in (1, 0)])


@loss_of_means.said(
    r"|x|, |y| \le 1 \implies \xi(B \mid x) \le e^{3\varepsilon}\, \xi(B \mid y), \quad \varepsilon = 2L",
    expected=REFUTED,
)
def lemma_23_loss(weight: Any, A: Any) -> Any:
    r"""Take a prior on the two means 1 and -1 with precision A, so that \(L = A/2\), and the records 1 and -1 at
    distance 4. The loss comes near \(8L\), more than \(6L\).
    """
    return 6 * (number(A) / 2)
