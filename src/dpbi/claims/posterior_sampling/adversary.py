"""Section 4.3: what an adversary can infer from posterior draws (Theorem 13)."""

from ... import posterior_sampling as ps
from ...arithmetic import less, number, remembered
from ...posterior_sampling import adversary, bounds
from .. import at_least, at_most, grid, rows, statement
from .cases import COIN, bernoulli_prior, cost, ones_first

NEARBY = rows("step n x y N", ("ends 0.3", 1, 1, 0, 1), ("ends 0.4", 6, 6, 0, 2), (0.2, 6, 5, 2, 8))
"""Pairs of datasets of n records, the first with x ones and the second with y; a test distinguishes them by N draws."""


@remembered
def best_error(step, n, x, y, N):
    """Error of the best test that decides, from N posterior draws, whether x or y of the n records are ones."""
    p, q = (ps.posterior_law(COIN, bernoulli_prior(step), ones_first(ones, n)) for ones in (x, y))
    return ps.distinguishing_error(p, q, int(N))


def printed_distance(step, N, delta):
    """The distance printed under Assumption 1."""
    return adversary.printed_distance(cost(step).lipschitz, int(N), delta)


def distance_by_rate(step, n, N, delta):
    r"""Distance \(\frac{6}{N(C/c + \ln C)} \ln\frac1\delta\) in the paper's condition, for the rate \(c = 10^9\).

    With \(L_0 = L\), a finite family satisfies Assumption 2 for every rate.
    """
    ratio = bounds.largest_likelihood_ratio(bernoulli_prior(step), int(n))
    return adversary.printed_distance_by_rate(ratio, 10**9, int(N), delta)


def differing(n, x, y) -> bool:
    """Whether the two numbers of ones differ and neither exceeds n."""
    return not less(n, x) and not less(n, y) and bool(x != y)


@statement(
    "posterior-sampling/theorem-13.1",
    "Theorem 13, Assumption 1",
    says=r"the adversary can distinguish between data $x, y$ with probability $1 - \delta$ if $\rho(x, y) \ge \frac{3}{4Ln} \ln\frac1\delta$",
    reading="n denotes the number of draws, which is N elsewhere, and the best test has an average error of at most $\\delta$",
    holds=r"an error of at most $\delta < \tfrac12$ implies $\rho(x, y) \ge \frac2L \operatorname{arcosh}\Bigl((4\delta(1-\delta))^{-\frac{1}{2N}}\Bigr) \ge \frac2L \sqrt{\frac1N \ln\frac{1}{4\delta(1-\delta)}}$",
    why='the proof derives what "must hold" if two datasets can be distinguished, but the statement presents this as sufficient',
    cases=grid(step=[0.2], n=[20], x=[10], y=[12], N=[10], delta=[0.01]),
    given=(
        r"$\rho$ is at least the printed distance",
        lambda step, x, y, N, delta: not less(abs(x - y), printed_distance(step, N, delta)),
    ),
)
def theorem_13_1(step, n, x, y, N, delta):
    r"""Take two datasets of twenty records that begin with ten and with twelve ones and continue with zeros. The
    distance between them is 2, which is more than the paper's condition requires, 0.249. Yet the best test based on ten
    draws still has an error of 0.0847. The check compares the error of the best test with \(\delta\).
    """
    return best_error(step, n, x, y, N), at_most(delta)


@theorem_13_1.instead(cases=NEARBY, given=("the two datasets have different numbers of ones", differing))
def theorem_13_1_sharp(step, n, x, y, N):
    r"""The check compares \(L\rho\) with the bound at the error \(\delta\) of the best test. Equality holds for two
    parameter values \(\theta, 1-\theta\) with equal weights, one record and one draw. Since \(\cosh z \le e^{z^2/2}\),
    the bound is at least of the order \(N^{-1/2}\). The differences that a given number of draws can reveal are
    therefore larger than the order 1/N suggests, and the O(1/N) in the text after Corollary 16 is correct but weak.

    Proof: let \(b = \int \sqrt{dP\,dQ}\) be the affinity of one draw. The affinity of N draws is \(b^N\), and \(TV \le
    \sqrt{1 - b^{2N}}\). Hence \(\delta \ge \frac12(1 - TV)\) implies \(b^{2N} \le 1 - (1 - 2\delta)^2 =
    4\delta(1-\delta)\). Under Assumption 1, \(b \ge 1/\cosh(L\rho/2)\), because two-point distributions minimise the
    affinity.
    """
    needed = adversary.least_distance(1, int(N), best_error(step, n, x, y, N))
    return cost(step).lipschitz * abs(x - y), at_least(needed)


@statement(
    "posterior-sampling/theorem-13.1-necessary",
    "Theorem 13, Assumption 1, as a necessary condition",
    says=theorem_13_1.says,
    reading=r"a necessary condition, which the proof derives: distinguishing the datasets with an error of at most $\delta$ requires $\rho(x, y) \ge \frac{3}{4LN} \ln\frac1\delta$",
    cases=NEARBY,
    given=(
        r"the datasets have different numbers of ones, and $\delta \le 0.2755$; Lemma 12 needs $\delta \le \frac1{16}$",
        lambda step, n, x, y, N: differing(n, x, y) and float(best_error(step, n, x, y, N)) <= 0.2755,
    ),
)
def theorem_13_1_necessary(step, n, x, y, N):
    r"""The printed proof uses Lemma 12, whose premise for a partition into two or more sets is \(\delta \le
    \frac1{16}\). The condition is necessary for every \(\delta\) up to 0.2755, the solution of \(\delta^{1/4} = 1 -
    \delta\). The condition is not necessary for larger errors. For example, for two coins with success probabilities
    0.3 and 0.7, one record and one draw, the error is 0.3, and the distance is 1, while the condition requires 1.07.
    The true order in N is \(N^{-1/2}\), as the correction of ``posterior-sampling/theorem-13.1`` shows.

    Proof: let \(v = \ln(4\delta(1-\delta))^{-1/2}\). The corrected bound is then \(L\rho \ge 2
    \operatorname{arcosh}(e^{v/N})\). The function \(\operatorname{arcosh}(e^u)\) is concave in u and vanishes at u = 0,
    so \(N \operatorname{arcosh}(e^{v/N}) \ge \operatorname{arcosh}(e^v) = \frac12 \ln\frac{1-\delta}{\delta}\). Hence
    \(L\rho \ge \frac1N \ln\frac{1-\delta}{\delta}\), which is at least \(\frac{3}{4N}\ln\frac1\delta\) for \(\delta \le
    0.2755\).
    """
    return number(abs(x - y)), at_least(printed_distance(step, N, best_error(step, n, x, y, N)))


@statement(
    "posterior-sampling/theorem-13.2",
    "Theorem 13, Assumption 2",
    says=r"this becomes $\rho(x, y) \ge \frac{6}{n(C c^{-1} + \ln C)} \ln\frac1\delta$",
    reading=theorem_13_1.reading,
    holds=r"an error of at most $\delta < \tfrac12$ implies $\rho(x, y) \ge \frac{2(1 - 2\delta)}{N C\, \mathbb E_\xi\ell} \ln\frac{1-\delta}{\delta}$",
    why="as in part 1, the proof derives a necessary condition, but the statement presents it as sufficient",
    cases=theorem_13_1.cases,
    given=(
        r"$\rho$ is at least the printed distance",
        lambda step, n, x, y, N, delta: not less(abs(x - y), distance_by_rate(step, n, N, delta)),
    ),
)
def theorem_13_2(step, n, x, y, N, delta):
    r"""The check uses the datasets in ``posterior-sampling/theorem-13.1`` and the rate \(c = 10^9\), because a finite
    family satisfies Assumption 2 with \(L_0 = L\) for every rate. The condition requires a distance of 1.998, slightly
    less than the distance of 2 between the two datasets.
    """
    return best_error(step, n, x, y, N), at_most(delta)


@theorem_13_2.instead(
    cases=[*NEARBY, {"step": "ends 0.001", "n": 1, "x": 1, "y": 0, "N": 1}],
    given=("the two datasets have different numbers of ones", differing),
)
def theorem_13_2_by_the_mean(step, n, x, y, N):
    r"""Since \(\mathbb E_\xi\ell \le L_0 + 1/c\), the bound can also be expressed in terms of the constants of
    Assumption 2.

    Proof: for N draws, the sum of the two Kullback-Leibler divergences is \(J_N = NJ \le N C\,\mathbb
    E_\xi\ell\,\rho\). An error of at most \(\delta\) implies \(TV \ge 1 - 2\delta\), and \(J_N \ge
    2\,TV\ln\frac{1+TV}{1-TV}\), as in the proof of the sharper bound in ``posterior-sampling/theorem-8.2``.
    """
    slope = bounds.jeffreys_bound(bernoulli_prior(step), int(n))
    return number(abs(x - y)), at_least(adversary.least_distance_by_mean(slope, int(N), best_error(step, n, x, y, N)))


@statement(
    "posterior-sampling/theorem-13.2-necessary",
    "Theorem 13, Assumption 2, as a necessary condition",
    says=theorem_13_2.says,
    reading=r"a necessary condition, which the proof derives: distinguishing the datasets with an error of at most $\delta$ requires this distance",
    why=r"the condition does not depend on \(L_0\), and its proof bounds the divergence differently from Theorem 7",
    cases=grid(theta=[0.2], n=[10], N=[1]),
)
def theorem_13_2_necessary(theta, n, N):
    r"""Take two coins with success probabilities 0.2 and 0.8. One draw then distinguishes ten zeros from ten ones with
    an error of \(10^{-6}\). The distance between these two datasets is 10, but the condition requires the distance 120.
    The bound on the divergence in the printed proof seems to stem from an earlier form of Theorem 7, and the last step
    of the proof loses a factor of four. No condition without \(L_0\) can be necessary, because measuring distances
    in larger units makes \(\rho\) smaller.
    """
    # The coins have the success probabilities theta and 1 - theta; the two datasets consist of n zeros and of n ones.
    ends = f"ends {float(theta)!r}"
    return number(n), at_least(distance_by_rate(ends, n, N, best_error(ends, n, n, 0, N)))
