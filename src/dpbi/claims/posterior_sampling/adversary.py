"""Section 4.3: what an adversary can tell from the draws, Theorem 13."""

from collections.abc import Callable
from typing import Any

from ...arithmetic import less, number, remembered
from ...posterior_sampling import bernoulli, distinguishing_error, lipschitz_bound, posterior
from ...posterior_sampling.adversary import (
    least_distance,
    least_distance_by_mean,
    printed_distance,
    printed_distance_by_rate,
)
from ...posterior_sampling.bounds import jeffreys_bound, largest_likelihood_ratio
from ..claim import REFUTED, Condition
from ..premises import Wholes, premises
from .cases import Coins
from .priors import bernoulli_prior
from .source import ADVERSARY, PAPER

SPLITS: list[dict[str, Any]] = [
    {"step": 0.2, "n": 20, "x": 10, "y": 10, "rho": 20, "N": 10, "delta": 0.01},
    {"step": 0.2, "n": 10, "x": 5, "y": 6, "rho": 1, "N": 10, "delta": 0.01},
]

NEARBY: list[dict[str, Any]] = [
    {"step": "ends 0.3", "n": 1, "x": 1, "y": 0, "N": 1},
    {"step": "ends 0.01", "n": 1, "x": 1, "y": 0, "N": 1},
    {"step": "ends 0.2", "n": 1, "x": 1, "y": 0, "N": 6},
    {"step": "ends 0.4", "n": 6, "x": 6, "y": 0, "N": 2},
    {"step": 0.2, "n": 10, "x": 9, "y": 1, "N": 2},
    {"step": 0.2, "n": 6, "x": 5, "y": 2, "N": 8},
]
"""Pairs of datasets that differ in as many records as in ones."""

DATASETS = premises(
    "the numbers of ones differ, and are at most n",
    lambda n, x, y, **_: not less(n, x) and not less(n, y) and x != y,
    fix=lambda n, x, y, **_: {"x": min(x, n), "y": min(y, n) if min(x, n) != min(y, n) else int(min(x, n) == 0)},
    step=Coins(0.2),
    n=Wholes(1, 12),
    x=Wholes(0, 12),
    y=Wholes(0, 12),
    N=Wholes(1, 6),
)

ANY_RATE = 10**9
"""A c that is as large as one likes: a finite family satisfies Assumption 2 with every c when L0 is L."""


@remembered
def best_error(step: Any, n: Any, x: Any, y: Any, N: Any) -> Any:
    """The error of the best test between N draws from the posteriors of x and of y ones."""
    prior = bernoulli_prior(step)
    p, q = (posterior(bernoulli(), prior, ones_first(ones, n)) for ones in (x, y))
    return distinguishing_error(p, q, int(N))


def ones_first(ones: Any, n: Any) -> list[int]:
    """A dataset of n records with so many ones, which come first."""
    return [1] * int(ones) + [0] * int(n - ones)


def constant(step: Any) -> Any:
    """L, the Lipschitz constant of all parameters."""
    return lipschitz_bound(bernoulli(), bernoulli_prior(step))


def premise(name: str, rho: Any, threshold: Any) -> None:
    """Cases of "if" statements satisfy their premise."""
    if float(rho) < float(threshold):
        raise ValueError(f"rho must be at least the threshold of {name}, {float(threshold):g}, got rho={float(rho):g}")


def printed_threshold(step: Any, n: Any, N: Any, delta: Any) -> Any:
    r"""\(\frac{6}{N(C/c + \ln C)} \ln\frac1\delta\)."""
    C = largest_likelihood_ratio(bernoulli_prior(step), int(n))
    return printed_distance_by_rate(C, ANY_RATE, int(N), delta)


@PAPER.item(
    "theorem-13.1",
    "Theorem 13, Assumption 1",
    cases=SPLITS,
    relation="<=",
    calls=distinguishing_error,
    page=ADVERSARY,
)
def error_far_apart(step: Any, n: Any, x: Any, y: Any, rho: Any, N: Any, delta: Any) -> Any:
    """The error of the best test between N draws, for data whose distance satisfies the premise."""
    premise("Theorem 13", rho, printed_distance(constant(step), int(N), delta))
    return best_error(step, n, x, y, N)


@error_far_apart.said(
    r"\rho(x, y) \ge \frac{3}{4LN} \ln\frac1\delta \implies \text{the adversary tells } x \text{ from } y \text{ with probability } 1 - \delta",
    expected=REFUTED,
)
def theorem_13_1(step: Any, n: Any, x: Any, y: Any, rho: Any, N: Any, delta: Any) -> Any:
    r"""The proof derives what "must hold" if two datasets can be told apart, and the statement reads it the other way.
    Two orders of the same records are far apart under the Hamming distance and have one posterior. The sides are the
    error of the best test between N draws and \(\delta\). (The paper writes n for N.)
    """
    return delta


def error_at_most(limit: float) -> Callable[..., bool]:
    """Whether the best error of a case stays below a limit."""
    return lambda **case: float(best_error(**case)) <= limit


@PAPER.item(
    "theorem-13.1-necessary",
    "Theorem 13, Assumption 1, as a necessary condition",
    cases=NEARBY,
    relation=">=",
    calls=bernoulli,
    page=ADVERSARY,
    premises=DATASETS,
)
def distance(step: Any, n: Any, x: Any, y: Any, N: Any) -> Any:
    """The Hamming distance between datasets whose ones come first."""
    return bernoulli().distance(ones_first(x, n), ones_first(y, n))


@distance.said(
    r"\text{error} \le \delta \implies \rho(x, y) \ge \frac{3}{4LN} \ln\frac1\delta",
    origin="reading",
    condition=Condition(r"\(\delta^{1/4} \le 1 - \delta\), that is \(\delta \le 0.2755\)", error_at_most(0.2755)),
    proof=True,
)
def theorem_13_1_necessary(step: Any, n: Any, x: Any, y: Any, N: Any) -> Any:
    r"""This is what the proof is about. Let \(v = \ln(4\delta(1-\delta))^{-1/2}\). Then the sharp condition
    (``posterior-sampling/theorem-13.1-corrected``) is \(L\rho \ge 2 \operatorname{arcosh}(e^{v/N})\). The function
    \(\operatorname{arcosh}(e^u)\) is concave in u and zero at zero, so \(N \operatorname{arcosh}(e^{v/N}) \ge
    \operatorname{arcosh}(e^v) = \frac12 \ln\frac{1-\delta}{\delta}\). Hence \(L\rho \ge \frac1N
    \ln\frac{1-\delta}{\delta}\), which is at least \(\frac{3}{4N}\ln\frac1\delta\) under the condition. Lemma 12, on
    which the printed proof rests, needs \(\delta \le 1/16\). The true order in N is not 1/N but \(N^{-1/2}\), as the
    sharp condition shows.
    """
    return printed_distance(constant(step), int(N), best_error(step, n, x, y, N))


@PAPER.item(
    "theorem-13.1-corrected",
    "Theorem 13, Assumption 1",
    cases=NEARBY,
    relation=">=",
    calls=(bernoulli, lipschitz_bound),
    page=ADVERSARY,
    premises=DATASETS,
)
def scaled_distance(step: Any, n: Any, x: Any, y: Any, N: Any) -> Any:
    r"""\(L\rho(x, y)\)."""
    return constant(step) * distance(step=step, n=n, x=x, y=y, N=N)


@scaled_distance.said(
    r"\text{error} \le \delta < \tfrac12 \implies \rho(x, y) \ge \frac2L \operatorname{arcosh}\Bigl((4\delta(1-\delta))^{-\frac{1}{2N}}\Bigr) \ge \frac2L \sqrt{\frac1N \ln\frac{1}{4\delta(1-\delta)}}",
    corrects="posterior-sampling/theorem-13.1",
    origin="ours",
    proof=True,
    tight={"step": "ends 0.3", "n": 1, "x": 1, "y": 0, "N": 1},
)
def theorem_13_1_corrected(step: Any, n: Any, x: Any, y: Any, N: Any) -> Any:
    r"""Let \(b = \int \sqrt{dP\,dQ}\) be the affinity of one draw. N draws have the affinity \(b^N\), and \(TV \le
    \sqrt{1 - b^{2N}}\). So \(\delta \ge \frac12(1 - TV)\) means \(b^{2N} \le 1 - (1 - 2\delta)^2 =
    4\delta(1-\delta)\). Under Assumption 1 \(b \ge 1/\cosh(L\rho/2)\), because laws on two points are extreme. Two
    parameters \(\theta, 1-\theta\), one record and one draw give equality. Since \(\cosh z \le e^{z^2/2}\), the order
    in N is \(N^{-1/2}\). So many draws reveal much smaller differences than 1/N suggests, and the 1/N of the text
    after Corollary 16 is a lower bound only.
    """
    return least_distance(1, int(N), best_error(step, n, x, y, N))


@PAPER.item(
    "theorem-13.2",
    "Theorem 13, Assumption 2",
    cases=[{"step": 0.2, "n": 20, "x": 10, "y": 10, "rho": 20, "N": 10, "delta": 0.01}],
    relation="<=",
    calls=distinguishing_error,
    page=ADVERSARY,
)
def error_far_apart_2(step: Any, n: Any, x: Any, y: Any, rho: Any, N: Any, delta: Any) -> Any:
    """The error of the best test, for data whose distance satisfies the premise under Assumption 2."""
    premise("Theorem 13", rho, printed_threshold(step, n, N, delta))
    return best_error(step, n, x, y, N)


@error_far_apart_2.said(
    r"\rho(x, y) \ge \frac{6}{N(C c^{-1} + \ln C)} \ln\frac1\delta \implies \text{the adversary tells } x \text{ from } y \text{ with probability } 1 - \delta",
    expected=REFUTED,
)
def theorem_13_2(step: Any, n: Any, x: Any, y: Any, rho: Any, N: Any, delta: Any) -> Any:
    r"""Two orders of the same records refute this claim too, as in ``posterior-sampling/theorem-13.1``. The case takes
    \(c = 10^9\), which a finite family allows with \(L_0 = L\).
    """
    return delta


@PAPER.item(
    "theorem-13.2-necessary",
    "Theorem 13, Assumption 2, as a necessary condition",
    cases=[{"theta": 0.2, "n": 10, "scale": 100, "N": 1}, {"theta": 0.4, "n": 10, "scale": 100, "N": 2}],
    relation=">=",
    calls=bernoulli,
    page=ADVERSARY,
)
def shrunk_distance(theta: Any, n: Any, scale: Any, N: Any) -> Any:
    """The Hamming distance between all zeros and all ones, divided by the scale."""
    return number(bernoulli().distance([1] * int(n), [0] * int(n))) / scale


@shrunk_distance.said(
    r"\text{error} \le \delta \implies \rho(x, y) \ge \frac{6}{N(C c^{-1} + \ln C)} \ln\frac1\delta",
    origin="reading",
    expected=REFUTED,
)
def theorem_13_2_necessary(theta: Any, n: Any, scale: Any, N: Any) -> Any:
    r"""The inequality is not even a necessary condition, because no \(L_0\) occurs in it. Divide the Hamming distance
    by 100. Then \(L_0\) is a hundred times larger, c may be anything, and all zeros are told from all ones at a
    distance of 0.1. The printed step also uses a bound on the divergence that is not that of Theorem 7, and it loses a
    factor of four.
    """
    ends = f"ends {float(theta)!r}"
    return printed_threshold(ends, n, N, best_error(ends, n, n, 0, N))


distance_again = PAPER.item(
    "theorem-13.2-corrected",
    "Theorem 13, Assumption 2",
    cases=[*NEARBY, {"step": "ends 0.001", "n": 1, "x": 1, "y": 0, "N": 1}],
    relation=">=",
    calls=bernoulli,
    page=ADVERSARY,
    premises=DATASETS,
)(distance.exact)


@distance_again.said(
    r"\text{error} \le \delta < \tfrac12 \implies \rho(x, y) \ge \frac{2(1 - 2\delta)}{N C\, \mathbb E_\xi\ell} \ln\frac{1-\delta}{\delta}",
    corrects="posterior-sampling/theorem-13.2",
    origin="ours",
    proof=True,
    tight={"step": "ends 0.001", "n": 1, "x": 1, "y": 0, "N": 1},
)
def theorem_13_2_corrected(step: Any, n: Any, x: Any, y: Any, N: Any) -> Any:
    r"""For N draws the sum of both divergences is \(J_N = NJ \le N C\,\mathbb E_\xi\ell\,\rho\). An error of at most
    \(\delta\) means \(TV \ge 1 - 2\delta\), and \(J_N \ge 2\,TV\ln\frac{1+TV}{1-TV}\) as in
    ``posterior-sampling/theorem-8.2-sharp``. With \(\mathbb E_\xi\ell \le L_0 + 1/c\) the condition is in the terms of
    Assumption 2.
    """
    slope = jeffreys_bound(bernoulli_prior(step), int(n))
    return least_distance_by_mean(slope, int(N), best_error(step, n, x, y, N))
