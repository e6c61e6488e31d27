r"""Corollaries of Theorem 4.5: numbers of records that are sufficient for LSHist to be more accurate than EHD.

Here EHD is the exponential mechanism with the global sensitivity G that the notes print.
"""

import itertools
from operator import eq

from ...accuracy import error_below, steps_within
from ...arithmetic import exp, in_doubles, less, number
from ...mechanisms import ehd, lshist
from ...model import local_sensitivity
from ...model.distances import gamma_gap
from .. import above, at_least, below, rows, statement
from ..quantities import distances, floor_within, floored_laplace_below, printed_rate, printed_sensitivity
from .cases import FLAT, INSIDE_T, SECTION_4, away_from_the_ends, steps_down, within_sensitivity


def claimed_crossover(epsilon, k):
    r"""Number of records in the proof of Corollary 4.5.1: \((2k+1) e^{\varepsilon} / (1 - e^{-k\varepsilon})\)."""
    return (2 * k + 1) * exp(epsilon) / (1 - exp(-k * epsilon))


def enough(epsilon, m, p):
    r"""Number n of records that is sufficient for EHD to have an error below t with probability at most p.

    The number is \(m (1 + e^{\varepsilon/(2G)} (1 - p)/p) - 1\), where m is the number of candidates with an error
    below t. For this n, the m candidates have the share p of the total weight if each of them has weight 1 and each of
    the other n + 1 - m candidates has the least possible weight \(e^{-\varepsilon/(2G)}\).
    """
    return m * (1 + exp(printed_rate(epsilon)) * (1 - p) / p) - 1


def proved_crossover(epsilon, k):
    r"""Number of records that provably suffices for LSHist to be more accurate than EHD, if k steps on either side keep
    the error below t.

    The number is \((2k+1)(1 + e^{\varepsilon/(2G)} \frac{1-p}{p}) - 1\) with
    \(p = 1 - \frac12(e^{-k\varepsilon} + e^{-(k+1)\varepsilon})\).
    """
    return enough(epsilon, 2 * k + 1, floor_within(epsilon, k))


def below_size(epsilon, k):
    r"""Number of records in the proof of Corollary 4.5.2:
    \((2k e^{-\varepsilon} + 1) / (1 - \frac12(e^{-k\varepsilon} + e^{-(k+1)\varepsilon}))\)."""
    return (2 * k * exp(-epsilon) + 1) / floor_within(epsilon, k)


def good_size(epsilon):
    r"""Number of records in the proof of Corollary 4.5.3: \(3 / (e^{-\varepsilon/(2G)} (1 - e^{-\varepsilon}))\)."""
    return 3 * exp(printed_rate(epsilon)) / (1 - exp(-epsilon))


def order(epsilon):
    r"""Number of records in Corollary 4.5.3, with the constant 2 in its order:
    \(2 e^{\varepsilon} / (1 - e^{-\varepsilon})\)."""
    return 2 * exp(epsilon) / (1 - exp(-epsilon))


def both(prior, counts, epsilon, t):
    r"""The probabilities \(\Pr[H < t]\) for LSHist and for EHD with the printed sensitivity.

    In ball arithmetic with more than 5000 records, the probability for LSHist is computed by the corrected formula of
    ``notes/4.5-lshist``, and the number for EHD is a lower bound on the probability. Only the candidates 0..2000 are
    then listed. Every other candidate is farther from x, so it has at most the weight of candidate 2000.
    """
    n, listed = int(sum(counts)), 2000
    if in_doubles() or n <= 5000:
        return [error_below(law, prior, counts, t) for law in (lshist(epsilon), ehd(epsilon, printed_sensitivity()))]
    found = distances(prior, counts, [(r, n - r) for r in range(listed + 1)])
    # an upper bound replaces each weight that is not listed, which can only reduce the probability
    weights = exp(-printed_rate(epsilon) * found)
    inside = weights[less(found, t)].sum() / (weights.sum() + (n - listed) * weights[-1])
    return floored_laplace_below(prior, counts, epsilon, t), inside


def more_than_claimed(prior, counts, epsilon, t) -> bool:
    """Whether a step up keeps the error below t and n exceeds the number of records in the proof of Corollary 4.5.1."""
    # for k = 0 the printed size would be a division by zero
    k = steps_within(prior, counts, t)[1] if INSIDE_T[1](prior, counts, t) else 0
    return k >= 1 and bool(less(claimed_crossover(epsilon, k), sum(counts)))


STEPS_UP = r"k is the number \(k_+\) of steps up that keep the error below t, and the size is that in the proof"


@statement(
    "notes/4.5.1",
    "Corollary 4.5.1, size in the proof",
    says=r"$n > \frac{(2k+1)\, e^{\varepsilon}}{1 - e^{-k\varepsilon}} \implies \Pr[H(x, \mathrm{LSHist}) < t] > \Pr[H(x, \mathrm{EHD}) < t]$",
    holds=r"$n + 1 \ge m \Bigl(1 + e^{\varepsilon/(2G)}\, \frac{1-p}{p}\Bigr)$ with $m = k_- + k_+ + 1$ and $p = 1 - \tfrac12 (e^{-k_-\varepsilon} + e^{-(k_+ + 1)\varepsilon})$ $\implies \Pr[H(x, \mathrm{LSHist}) < t] > \Pr[H(x, \mathrm{EHD}) < t]$",
    why="fewer steps down than up may keep the error below t, which matters for counts near 0 or n at very large ε",
    reading=STEPS_UP,
    only_if=("equally many steps down and up keep the error below t", steps_down(eq)),
    given=(f"{SECTION_4[0]}, a step up keeps the error below t, and n exceeds the printed size", more_than_claimed),
    cases=rows("prior counts epsilon t", (FLAT, (16, 16), 0.1, 0.6), (FLAT, (1, 3_607_815), 14.0, 0.3)),
)
def crossover(prior, counts, epsilon, t):
    r"""The notes derive this corollary from a false upper bound for EHD (``notes/4.5-ehd-upper``). For x = (1, n - 1)
    and t = 0.3, one step up keeps the error below t, and no step down does. In this example, LSHist has an error below
    t with probability \(\frac12(1 - e^{-2\varepsilon}) < \frac12\). EHD has an error below t with probability above 1/2
    if \(n e^{-\varepsilon/(2G)}\) is small. If \(\varepsilon\) is very large, \(n e^{-\varepsilon/(2G)}\) is small even
    for some n above the claimed size. Nearly all candidates with an error of at least t then have weights close to
    \(e^{-\varepsilon/(2G)}\), and the condition becomes \(3 e^{-0.0793\varepsilon} < 1\), which holds for
    \(\varepsilon \ge 13.9\). The size printed in the corollary itself,
    \((2k+1)\, e^{\varepsilon}/(1 - e^{-\varepsilon})\), is at least as large as the size in the proof. The corollary is
    therefore correct if equally many steps down and up keep the error below t.

    Proof: if equally many steps down and up keep the error below t, the printed size exceeds the corrected size for
    every x and every prior. Let \(E = e^{\varepsilon}\), \(q = 1/E\), \(s = q^k\) and \(\mu = (1+q)/2\). Then
    \(p = 1 - \mu s\). Let also \(\rho = 1/(2G) < 1.08\). We need
    \(\frac{E}{1-s} \ge 1 + E^\rho \frac{\mu s}{1 - \mu s}\), that is,
    \(E - 1 + s \ge E^\rho \mu s \frac{1-s}{1-\mu s}\). Since \(\frac{1-s}{1-\mu s} < 1\), it is sufficient that
    \(E - 1 \ge s (\mu E^\rho - 1)\). Since \(s \le 1/E\) for \(k \ge 1\), it is also sufficient that
    \(E^2 - E + 1 \ge \frac12 (E+1) E^{\rho-1}\). By Bernoulli's inequality \(E^{\rho-1} \le 1 + 0.08 (E-1)\), and
    \[ E^2 - E + 1 - \tfrac12(E+1)(1 + 0.08(E-1)) = (E - 1)(0.96 E - 0.54) \ge 0 . \]

    With k steps on either side the corrected size is below the printed size. For \(\varepsilon = 0.8\) and k = 1, the
    corrected size is 5.4 and the printed size is 12.1. If k = 1 and \(n \le 2\), every candidate has an error below t.

    Proof of what holds: for every x and every prior, LSHist has an error below t with probability at least p
    (``notes/4.5-lshist``). EHD has an error below t with probability at most
    \(m / (m + (n+1-m) e^{-\varepsilon/(2G)})\) (``notes/4.5-ehd-upper``), which is less than p if n + 1 exceeds the
    right side of the condition. Suppose that n + 1 equals the right side, which exceeds m. Then some candidate has an
    error of at least t, and the bound on EHD is strict.
    """
    noise, exponential = both(prior, counts, epsilon, t)
    return noise, above(exponential)


def more_than_enough(prior, counts, epsilon, t) -> bool:
    """Whether n is at least the number of records in the corrected Corollary 4.5.1."""
    if not INSIDE_T[1](prior, counts, t):
        return False
    down, up = steps_within(prior, counts, t)
    p = 1 - (exp(-down * epsilon) + exp(-(up + 1) * epsilon)) / 2
    # the first condition follows from the second, which ball arithmetic may leave undecided
    return down + up < int(sum(counts)) and not less(sum(counts), enough(epsilon, down + up + 1, p))


crossover.instead(
    given=(f"{INSIDE_T[0]}; n is at least this size, and some candidate has an error of at least t", more_than_enough),
    cases=rows("prior counts epsilon t", (FLAT, (12, 12), 0.1, 0.2), ((0.3, 40), (2, 40), 0.8, 0.2)),
)(crossover.body)


def fewer_than_claimed(prior, counts, epsilon, t):
    """Whether n is less than the number of records in the proof of Corollary 4.5.2."""
    return INSIDE_T[1](prior, counts, t) and less(sum(counts), below_size(epsilon, steps_within(prior, counts, t)[1]))


@statement(
    "notes/4.5.2",
    "Corollary 4.5.2, size in the proof",
    says=r"$n < \frac{2k e^{-\varepsilon} + 1}{1 - \frac12(e^{-k\varepsilon} + e^{-(k+1)\varepsilon})} \implies \Pr[H(x, \mathrm{LSHist}) < t] < \Pr[H(x, \mathrm{EHD}) < t]$",
    why="LSHist may be better because its count is clamped to 0..n, or because more steps down than up keep the error below t; if no step keeps the error below t, EHD may be worse",
    reading=STEPS_UP,
    only_if=(
        "equally many steps down and up keep the error below t, at least one on either side, and none of them reaches 0 or n",
        lambda prior, counts, t: away_from_the_ends(prior, counts, t) and steps_within(prior, counts, t)[1] >= 1,
    ),
    given=(f"{INSIDE_T[0]}; n is less than the printed size", fewer_than_claimed),
    cases=rows(
        "prior counts epsilon t", (FLAT, (50, 50), 0.02, 0.1), (FLAT, (0, 4), 0.5, 0.4), ((300, 300), (1, 1), 1.2, 0.01)
    ),
)
def small_sizes(prior, counts, epsilon, t):
    r"""The notes derive this corollary from a false lower bound for EHD (``notes/4.5-ehd-lower``). At x = (0, 4), where
    one step up keeps the error below t, clamping removes negative noise. So LSHist is more accurate than the printed
    formula predicts. If every candidate has an error below t, both probabilities are 1. The corollary may also fail for
    k = 0, that is, if no step keeps the error below t. For k = 0 and x = (1, 1), the probability for LSHist is
    \(\frac12(1 - q)\), and the probability for EHD is about 1/3 if large prior weights make the three posteriors nearly
    equal. For prior weights of 300 and \(\varepsilon = 1.2\), the probability is 0.3494 for LSHist and 0.3417 for EHD,
    although n = 2 is less than the printed size 2.86.

    Proof: the probability for LSHist is \(p = 1 - \frac12(q^k + q^{k+1})\). The probability for EHD is at least
    \((2k+1)/(n+1)\) (``notes/4.5-ehd-lower``). Hence it is sufficient that \((n+1)p < 2k + 1\). The premise is
    \(np < 2kq + 1\), and
    \[ p = (1 - q^k) + \tfrac12 q^k (1 - q) \le (k + \tfrac12)(1 - q) \le 2k(1 - q) \quad (k \ge 1), \]
    and therefore \((n+1)p < 2kq + 1 + 2k(1-q) = 2k + 1\).
    """
    noise, exponential = both(prior, counts, epsilon, t)
    return noise, below(exponential)


def lshist_is_good_more_often(prior, counts, epsilon):
    r"""The probability \(\Pr[H \le LS(x)]\) for LSHist, and the claim that it exceeds the same probability for EHD with
    the printed sensitivity."""
    laws = lshist(epsilon), ehd(epsilon, printed_sensitivity())
    noise, exponential = (within_sensitivity(law, prior, counts) for law in laws)
    return noise, above(exponential)


ONE = (
    "there are two categories, and every prior weight is at least 1",
    lambda prior: len(prior) == 2 and min(prior) >= 1,
)


@statement(
    "notes/4.5.3-lshist",
    "Corollaries 4.4.1 and 4.5.3, proofs",
    says=r"$\Pr[\mathrm{LSHist}(x) \in R_g] \ge 1 - \frac12(e^{-\varepsilon} + e^{-2\varepsilon}) > 1 - e^{-\varepsilon}$, $R_g = \{r : H(\mathrm{DirP}(x), r) \le LS(x)\}$",
    why="for three categories, two counts receive noise, and the scale of the noise is twice as large",
    only_if=("there are two categories", lambda prior: len(prior) == 2),
    cases=rows("prior counts epsilon", (FLAT, (0, 2), 0.1), ((0.2, 3), (3, 17), 1.0), ((1, 1, 1), (1, 1, 1), 0.8)),
)
def lshist_is_good(prior, counts, epsilon):
    r"""For three categories, x = (5, 5, 5) and \(\varepsilon = 0.8\), LSHist is in \(R_g\) with probability 0.154,
    whereas the printed bound is 0.675.

    Proof: noise in \([-1, 2)\) is rounded down to -1, 0 or 1. So the released posterior is the posterior of x or of a
    neighbour of x, and its distance from the posterior of x is at most LS(x). The noise is in \([-1, 2)\) with
    probability \(1 - \frac12(q + q^2) > 1 - q\), and clamping only moves outputs closer to x.
    """
    return within_sensitivity(lshist(epsilon), prior, counts), at_least(floor_within(epsilon, 1))


@statement(
    "notes/4.5.3",
    "Corollary 4.5.3, size in the proof",
    says=r"$n > \frac{3}{e^{-\varepsilon/c}(1 - e^{-\varepsilon})}$, $c = 2\sqrt{1 - \pi/4}$ $\implies \Pr[\mathrm{LSHist} \in R_g] > \Pr[\mathrm{EHD} \in R_g]$, $R_g = \{r : H_r \le LS(x)\}$",
    holds=r"$n + 1 \ge |R_g| \Bigl(1 + e^{\varepsilon/(2G)}\, \frac{1-p}{p}\Bigr)$ with $p = 1 - \tfrac12(e^{-\varepsilon} + e^{-2\varepsilon})$ $\implies \Pr[\mathrm{LSHist} \in R_g] > \Pr[\mathrm{EHD} \in R_g]$",
    why="with three categories, LSHist adds noise to two counts and is in $R_g$ less often; with a small prior weight, all candidates may be in $R_g$",
    only_if=ONE,
    given=("n exceeds the printed size", lambda counts, epsilon: less(good_size(epsilon), sum(counts))),
    cases=rows(
        "prior counts epsilon", (FLAT, (1, 35), 0.1), ((1e-4, 100), (1, 12), 0.7), ((1, 1, 1), (12, 12, 12), 0.1)
    ),
)
def good_set(prior, counts, epsilon):
    r"""For the flat prior on three categories, x = (12, 12, 12) and \(\varepsilon = 0.1\), LSHist is in \(R_g\) with
    probability 0.0040 and EHD with probability 0.0108. At x = (1, n - 1), \(LS(x)\) is nearly 1 if the first prior
    weight is small. All candidates may then be in \(R_g\). If all candidates are in \(R_g\), both probabilities are 1,
    and neither is greater.

    Proof: LSHist is in \(R_g\) with probability at least \(1 - \frac12(q + q^2) > 1 - q\). If \(R_g\) has at most three
    members, EHD is in \(R_g\) with probability less than \(3 e^{\varepsilon/(2G)}/(n+1)\). If all prior weights are at
    least 1, \(R_g\) has at most three members, because every candidate two steps away is farther from x than each
    neighbour. We compare the contributions of the categories to \(-\ln(1 - H^2)\). For two steps up, the first category
    contributes \(D(a, a+2) = \frac12\ln\frac{a+1}{a}\), where \(a \ge 2\) if there is a step down. For one step down,
    the first category contributes \(u(a - 1) < \frac12\ln\frac{a-1}{a-5/4}\), because
    \(\Gamma(c+\frac12)/\Gamma(c) > (c - \frac14)^{1/2}\). The second logarithm is at most the first, because
    \(a \ge 5/3\). The second category also contributes more to the two steps up than to the step down. For two steps
    down, exchange the two categories.

    For a fixed prior \(|R_g|\) is bounded, so the order in the corollary is correct with some constant that depends on
    the prior. The constant grows without bound as a prior weight decreases to 0.

    Proof of what holds: for every x and every prior, LSHist is in \(R_g\) with probability at least p, because \(R_g\)
    contains x and its neighbours. For EHD, use the bound in ``notes/4.5.1`` with \(m = |R_g|\).
    """
    return lshist_is_good_more_often(prior, counts, epsilon)


def enough_for_the_good(prior, counts, epsilon) -> bool:
    """Whether n is at least the number of records in the corrected Corollary 4.5.3."""
    if len(prior) > 2:
        return False
    n, x = int(sum(counts)), int(counts[0])
    here = distances(prior, counts, [(r, n - r) for r in range(n + 1)])
    # x and its neighbours are in R_g by definition; ball arithmetic could not decide their ties with LS(x)
    good = sum(abs(r - x) <= 1 or not less(local_sensitivity(prior, counts), here[r]) for r in range(n + 1))
    return good <= n and not less(sum(counts), enough(epsilon, good, floor_within(epsilon, 1)))


good_set.instead(
    given=(
        "there are two categories, n is at least this size, and some candidate is not in $R_g$",
        enough_for_the_good,
    ),
    cases=rows("prior counts epsilon", (FLAT, (0, 7), 0.8), ((0.001, 3), (1, 200), 0.4), ((0.5, 0.5), (3, 60), 3.0)),
)(good_set.body)


def most_good(prior) -> int:
    r"""Upper bound M on \(|R_g|\) over all datasets, for two categories.

    If x is 0 or n or lies in 2..n-2, then \(|R_g| \le 3\), as in ``notes/4.5.3``. At x = 1, the members of \(R_g\) are
    0, 1, and each candidate j steps up with \(H_j \le LS(x)\). Here \(LS(x) \le F(u(\alpha_1) + u(\alpha_2))\), and
    \(-\ln(1 - H_j^2) \ge J(\alpha_1 + 1, \alpha_1 + 1 + j)\), which grows with j (see ``notes/4.3-order``). So the
    number of members is bounded, and the search below finds a bound. At the mirror image x = n - 1, \(\alpha_2\) takes
    the place of \(\alpha_1\).
    """

    def far(weight, j):
        return less(nearest, gamma_gap(weight + 1, weight + 1 + j, number(0.5)))

    nearest = sum(gamma_gap(weight, weight + 1, number(0.5)) for weight in prior)
    return max(3, *(1 + next(j for j in itertools.count(1) if far(weight, j)) for weight in prior))


@statement(
    "notes/4.5.3-order",
    "Corollary 4.5.3",
    says=r"$\Pr[\mathrm{LSHist}(x, \varepsilon) \in R_g] > \Pr[\mathrm{EHD}(x, \varepsilon) \in R_g]$ for data size $n = |x| > O(\frac{e^{\varepsilon}}{1 - e^{-\varepsilon}})$",
    reading=r"the constant in the order may depend on the prior: the constant is \(\frac53 M\), where \(M \ge 3\) and \(|R_g| \le M\) at every x",
    given=(
        r"there are two categories, and $n > \frac53 M\, \frac{e^{\varepsilon}}{1 - e^{-\varepsilon}}$",
        lambda prior, counts, epsilon: len(prior) == 2 and less(5 * most_good(prior) * order(epsilon), 6 * sum(counts)),
    ),
    cases=rows("prior counts epsilon", (FLAT, (300, 1), 0.02), ((0.001, 4), (1, 150), 0.8), ((1, 4), (9, 30), 2.0)),
)
def good_order(prior, counts, epsilon):
    r"""If prior weights below 1 are allowed, no constant is sufficient for all priors. For example, let x = (1, n - 1),
    and let the prior be \((\alpha, 5)\). Then \(LS(x) \to 1\) as \(\alpha \to 0\). So for every n, all candidates are
    in \(R_g\) if \(\alpha\) is small enough. In that case both probabilities are 1, and neither is greater. If the
    prior weights are at least 1, no constant smaller than 2 is sufficient. To see this, let \(\varepsilon \to 0\): the
    probability for LSHist is then near \(\frac32\varepsilon\), and the probability for EHD is near 3/(n + 1).

    Proof: M is finite, as the docstring of ``most_good`` shows. Let \(E = e^\varepsilon = 1/q\). The corrected bound of
    ``notes/4.5.3`` requires \(n + 1 \ge M (1 + e^{\varepsilon/(2G)} \frac{1-p}{p})\), where
    \(\frac{1-p}{p} = \frac{q(1+q)}{(1-q)(2+q)} \le \frac23 \frac{q}{1-q}\). Since \(1/(2G) < 2\), the right side is at
    most \(M \frac{E}{1-q}(1 + \frac23)\). Since n exceeds M, some candidate is not in \(R_g\).

    Proof of what holds: for prior weights of at least 1, \(|R_g| \le 3\) (``notes/4.5.3``), and the corrected bound
    there requires \(n \ge 2 + 3 e^{\varepsilon/(2G)} \frac{1-p}{p}\) with
    \(\frac{1-p}{p} = \frac{q(1+q)}{(1-q)(2+q)}\). It is sufficient that the right side is at most \(2E/(1-q)\) with
    \(E = e^\varepsilon = 1/q\). Multiplied by \(1 - q\), this inequality becomes
    \(2 - \frac2E + 3 E^{\rho-1} \frac{E+1}{2E+1} \le 2E\), where \(\rho = 1/(2G) < 1.08\). Let \(y = E - 1\). Since
    \(E^{\rho-1} \le 1 + 0.08\,y\), the right side minus the left side, times \(E(2E+1)\), is at least
    \[ (2 + 2y + 2y^2)(3 + 2y) - 3(1+y)(2+y)(1 + 0.08\,y) = 0.52\,y + 6.28\,y^2 + 3.76\,y^3 \ge 0 . \]
    """
    return lshist_is_good_more_often(prior, counts, epsilon)


good_order.instead(
    holds="the constant 2 is sufficient",
    given=(
        rf"{ONE[0]}, and $n > 2\, \frac{{e^\varepsilon}}{{1 - e^{{-\varepsilon}}}}$",
        lambda prior, counts, epsilon: ONE[1](prior) and less(order(epsilon), sum(counts)),
    ),
    cases=rows("prior counts epsilon", (FLAT, (103, 1), 0.02), ((1, 4), (9, 9), 2.0)),
)(good_order.body)
