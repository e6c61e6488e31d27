r"""The corollaries of Theorem 4.5: from which number of records on LSHist is more accurate than EHD,
which in the notes has the printed sensitivity G.
"""

import itertools
from operator import eq

from ...accuracy import error_below, steps_within
from ...arithmetic import exp, in_doubles, less, number
from ...mechanisms import ehd, lshist
from ...model import local_sensitivity
from ...model.distances import gamma_gap
from .. import above, at_least, below, grid, rows, statement
from ..quantities import distances, floor_within, floored_laplace_below, printed_sensitivity
from .cases import FLAT, INSIDE_T, SECTION_4, away_from_the_ends, within_sensitivity


def printed_rate(epsilon):
    r"""\(\varepsilon / (2G)\)."""
    return epsilon / (2 * printed_sensitivity())


def claimed_crossover(epsilon, k):
    r"""The size in the proof of Corollary 4.5.1, \((2k+1) e^{\varepsilon} / (1 - e^{-k\varepsilon})\)."""
    return (2 * k + 1) * exp(epsilon) / (1 - exp(-k * epsilon))


def enough(epsilon, m, p):
    r"""\(m (1 + e^{\varepsilon/(2G)} (1 - p)/p) - 1\): from so large an n on EHD is inside t
    with probability at most p.

    At this n, m candidates of weight 1 have the share p of all weight when the other n + 1 - m have the least possible
    weight \(e^{-\varepsilon/(2G)}\).
    """
    return m * (1 + exp(printed_rate(epsilon)) * (1 - p) / p) - 1


def proved_crossover(epsilon, k):
    r"""The size from which LSHist is proved better with k steps inside t on either side.

    \((2k+1)(1 + e^{\varepsilon/(2G)} \frac{1-p}{p}) - 1\), \(p = 1 - \frac12(e^{-k\varepsilon} + e^{-(k+1)\varepsilon})\).
    """
    return enough(epsilon, 2 * k + 1, floor_within(epsilon, k))


def below_size(epsilon, k):
    r"""The size in the proof of Corollary 4.5.2, \((2k e^{-\varepsilon} + 1) / (1 - \frac12(e^{-k\varepsilon} + e^{-(k+1)\varepsilon}))\)."""
    return (2 * k * exp(-epsilon) + 1) / floor_within(epsilon, k)


def good_size(epsilon):
    r"""The size in the proof of Corollary 4.5.3, \(3 / (e^{-\varepsilon/(2G)} (1 - e^{-\varepsilon}))\)."""
    return 3 * exp(printed_rate(epsilon)) / (1 - exp(-epsilon))


def order(epsilon):
    r"""The order printed in Corollary 4.5.3 with the constant 2, \(2 e^{\varepsilon} / (1 - e^{-\varepsilon})\)."""
    return 2 * exp(epsilon) / (1 - exp(-epsilon))


def both(prior, counts, epsilon, t):
    r"""\(\Pr[H < t]\) for LSHist and for EHD with the printed sensitivity.

    Beyond 5000 records over balls the first is by ``notes/4.5-lshist``, and the second a lower bound: only the candidates
    0..2000 are listed, and each of the others, farther from x than the last of them, weighs at most as much as that one.
    """
    n, listed = int(sum(counts)), 2000
    if in_doubles() or n <= 5000:
        laws = lshist(epsilon), ehd(epsilon, printed_sensitivity())
        return error_below(laws[0], prior, counts, t), error_below(laws[1], prior, counts, t)
    found = distances(prior, counts, [(r, n - r) for r in range(listed + 1)])
    weights = exp(-printed_rate(epsilon) * found)
    inside = weights[less(found, t)].sum() / (weights.sum() + (n - listed) * weights[-1])
    return floored_laplace_below(prior, counts, epsilon, t), inside


def more_than_claimed(prior, counts, epsilon, t) -> bool:
    """Some steps up are inside t, and there are more records than Corollary 4.5.1 asks for."""
    k = steps_within(prior, counts, t)[1] if INSIDE_T[1](prior, counts, t) else 0
    return k >= 1 and bool(less(claimed_crossover(epsilon, k), sum(counts)))


STEPS_UP = r"k is the number of steps up that are inside t, \(k_+\), and the size the one in the proof"


@statement(
    "notes/4.5.1",
    "Corollary 4.5.1, size in the proof",
    says=r"$n > \frac{(2k+1)\, e^{\varepsilon}}{1 - e^{-k\varepsilon}} \implies \Pr[H(x, \mathrm{LSHist}) < t] > \Pr[H(x, \mathrm{EHD}) < t]$",
    holds=r"$n + 1 \ge m \Bigl(1 + e^{\varepsilon/(2G)}\, \frac{1-p}{p}\Bigr)$, $m = k_- + k_+ + 1$, $p = 1 - \tfrac12 (e^{-k_-\varepsilon} + e^{-(k_+ + 1)\varepsilon})$ $\implies \Pr[H(x, \mathrm{LSHist}) < t] > \Pr[H(x, \mathrm{EHD}) < t]$",
    why="fewer steps down than up may be inside t, which matters near an end of the data at very large ε",
    reading=STEPS_UP,
    only_if=("as many steps down as up are inside t", lambda prior, counts, t: eq(*steps_within(prior, counts, t))),
    given=(f"{SECTION_4[0]}, at least one step up is inside t, and n is above the printed size", more_than_claimed),
    cases=rows("prior counts epsilon t", (FLAT, (16, 16), 0.1, 0.6), (FLAT, (1, 3_607_815), 14.0, 0.3)),
)
def crossover(prior, counts, epsilon, t):
    r"""The notes prove it by the upper bound on EHD that fails (``notes/4.5-ehd-upper``). For x = (1, n - 1) and t = 0.3
    one step up is inside and none down. LSHist then stays below 1/2, at \(\frac12(1 - e^{-2\varepsilon})\), and EHD
    exceeds 1/2 once \(n e^{-\varepsilon/(2G)}\) is small, which it is beyond the claimed size if \(\varepsilon\) is very large:
    nearly all weights outside being \(e^{-\varepsilon/(2G)}\), it takes \(3 e^{-0.0793\varepsilon} < 1\), from 13.8 on. The size
    in the corollary itself, \((2k+1)\, e^{\varepsilon}/(1 - e^{-\varepsilon})\), is no smaller, and is right under the same condition.

    Proof: with as many steps down as up the size is larger than that of what holds, for every x and every prior. Let
    \(E = e^{\varepsilon}\), \(q = 1/E\), \(s = q^k\), \(\mu = (1+q)/2\), so that \(p = 1 - \mu s\), and
    \(\rho = 1/(2G) < 1.08\). What is asked is \(\frac{E}{1-s} \ge 1 + E^\rho \frac{\mu s}{1 - \mu s}\), that is
    \(E - 1 + s \ge E^\rho \mu s \frac{1-s}{1-\mu s}\), and \(\frac{1-s}{1-\mu s} < 1\). So \(E - 1 \ge s (\mu E^\rho - 1)\)
    is enough, and as \(s \le 1/E\) for \(k \ge 1\), so is \(E^2 - E + 1 \ge \frac12 (E+1) E^{\rho-1}\). By Bernoulli's
    inequality \(E^{\rho-1} \le 1 + 0.08 (E-1)\), and
    \[ E^2 - E + 1 - \tfrac12(E+1)(1 + 0.08(E-1)) = (E - 1)(0.96 E - 0.54) \ge 0 . \]

    With k steps on either side the size that holds is below the printed one. At \(\varepsilon = 0.8\), k = 1 it is
    5.4, the printed one 12.1; up to n = 2 all candidates are inside.

    Proof of what holds: for every x and every prior LSHist is inside with probability at least p
    (``notes/4.5-lshist``), EHD with probability at most \(m / (m + (n+1-m) e^{-\varepsilon/(2G)})\) (``notes/4.5-ehd-upper``), and less than p if
    n + 1 exceeds the right side. Where it equals it, some candidate is outside, as the right side exceeds m, and the
    bound on EHD is strict.
    """
    noise, exponential = both(prior, counts, epsilon, t)
    return noise, above(exponential)


def more_than_enough(prior, counts, epsilon, t) -> bool:
    """There are as many records as what holds in place of Corollary 4.5.1 asks for."""
    if not INSIDE_T[1](prior, counts, t):
        return False
    down, up = steps_within(prior, counts, t)
    p = 1 - (exp(-down * epsilon) + exp(-(up + 1) * epsilon)) / 2
    outside = down + up < int(sum(counts))  # implied, but over balls too near to be decided
    return outside and not less(sum(counts), enough(epsilon, down + up + 1, p))


crossover.instead(
    given=(f"{INSIDE_T[0]}, n is at least that size, and some candidate is outside t", more_than_enough),
    cases=rows("prior counts epsilon t", (FLAT, (12, 12), 0.1, 0.2), ((0.3, 40), (2, 40), 0.8, 0.2)),
)(crossover.body)


@statement(
    "notes/4.5.2",
    "Corollary 4.5.2, size in the proof",
    says=r"$n < \frac{2k e^{-\varepsilon} + 1}{1 - \frac12(e^{-k\varepsilon} + e^{-(k+1)\varepsilon})} \implies \Pr[H(x, \mathrm{LSHist}) < t] < \Pr[H(x, \mathrm{EHD}) < t]$",
    why="noise that is cut back at 0 or n, or more steps down than up inside t, make LSHist better; and with no step inside EHD may be worse",
    reading=STEPS_UP,
    only_if=(
        "as many steps down as up are inside t, at least one and fewer than reach 0 or n",
        lambda prior, counts, t: away_from_the_ends(prior, counts, t) and steps_within(prior, counts, t)[1] >= 1,
    ),
    given=(
        f"{INSIDE_T[0]}, and n is below the printed size",
        lambda prior, counts, epsilon, t: (
            INSIDE_T[1](prior, counts, t) and less(sum(counts), below_size(epsilon, steps_within(prior, counts, t)[1]))
        ),
    ),
    cases=rows(
        "prior counts epsilon t", (FLAT, (50, 50), 0.02, 0.1), (FLAT, (0, 4), 0.5, 0.4), ((300, 300), (1, 1), 1.2, 0.01)
    ),
)
def small_sizes(prior, counts, epsilon, t):
    r"""The notes prove it by the lower bound on EHD that fails (``notes/4.5-ehd-lower``). At x = (0, 4) with one step inside
    t the noise is cut back to an end, and LSHist does better than the formula says; where all candidates are inside both
    probabilities are 1. With no step inside, k = 0, it fails as well: LSHist has \(\frac12(1 - q)\), and at x = (1, 1) EHD
    has about 1/3 when large prior weights make all candidates alike; with weights of 300 and \(\varepsilon = 1.2\) that is
    0.3494 against 0.3417, and n = 2 is below the size 2.86.

    Proof: let \(p = 1 - \frac12(q^k + q^{k+1})\), the probability of LSHist. EHD has at least \((2k+1)/(n+1)\)
    (``notes/4.5-ehd-lower``), so \((n+1)p < 2k + 1\) is enough. The premise is \(np < 2kq + 1\), and
    \[ p = (1 - q^k) + \tfrac12 q^k (1 - q) \le (k + \tfrac12)(1 - q) \le 2k(1 - q) \quad (k \ge 1), \]
    so \((n+1)p < 2kq + 1 + 2k(1-q) = 2k + 1\).
    """
    noise, exponential = both(prior, counts, epsilon, t)
    return noise, below(exponential)


def lshist_is_good_more_often(prior, counts, epsilon):
    r"""\(\Pr[H \le LS(x)]\) for LSHist, and above that for EHD with the printed sensitivity."""
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
    why="for three categories two counts have noise, of twice the scale",
    only_if=("there are two categories", lambda prior: len(prior) == 2),
    cases=[
        *grid(prior=[FLAT, (0.2, 3)], counts=[(0, 1), (0, 2), (1, 1), (5, 5), (3, 17)], epsilon=[0.1, 1.0]),
        {"prior": (1, 1, 1), "counts": (1, 1, 1), "epsilon": 0.8},
    ],
)
def lshist_is_good(prior, counts, epsilon):
    r"""For three categories it is 0.154 at x = (5, 5, 5) and \(\varepsilon = 0.8\), where the notes print 0.675.

    Proof: noise in \([-1, 2)\) is rounded to -1, 0 or 1 and moves the posterior to itself or to a neighbour, which is
    within LS(x); that has probability \(1 - \frac12(q + q^2) > 1 - q\), and clamping only brings outputs nearer.
    """
    return within_sensitivity(lshist(epsilon), prior, counts), at_least(floor_within(epsilon, 1))


@statement(
    "notes/4.5.3",
    "Corollary 4.5.3, size in the proof",
    says=r"$n > \frac{3}{e^{-\varepsilon/c}(1 - e^{-\varepsilon})}$, $c = 2\sqrt{1 - \pi/4}$ $\implies \Pr[\mathrm{LSHist} \in R_g] > \Pr[\mathrm{EHD} \in R_g]$, $R_g = \{r : H_r \le LS(x)\}$",
    holds=r"$n + 1 \ge |R_g| \Bigl(1 + e^{\varepsilon/(2G)}\, \frac{1-p}{p}\Bigr)$, $p = 1 - \tfrac12(e^{-\varepsilon} + e^{-2\varepsilon})$ $\implies \Pr[\mathrm{LSHist} \in R_g] > \Pr[\mathrm{EHD} \in R_g]$",
    why="with three categories noise on two counts is good less often; with a small prior weight all candidates may be good",
    only_if=ONE,
    given=("n is above the printed size", lambda counts, epsilon: less(good_size(epsilon), sum(counts))),
    cases=rows(
        "prior counts epsilon",
        *((FLAT, (1, 35), 0.1), ((1, 4), (15, 16), 2.0), ((1e-4, 100), (1, 12), 0.7), ((1, 1, 1), (12, 12, 12), 0.1)),
    ),
)
def good_set(prior, counts, epsilon):
    r"""At the flat prior of three categories, x = (12, 12, 12) and \(\varepsilon = 0.1\) LSHist is good with probability
    0.0040, and EHD with 0.0108. With a small prior weight \(LS(x)\) is nearly 1 at x = (1, n - 1); then all candidates may
    be good, both probabilities are 1, and neither is greater.

    Proof: LSHist is in \(R_g\) with probability at least \(1 - \frac12(q + q^2) > 1 - q\). If \(R_g\) has at most three
    members, EHD is with probability less than \(3 e^{\varepsilon/(2G)}/(n+1)\). For prior weights of at least 1 it has no
    more, because two steps go farther than any neighbour. For two steps up, \(D(a, a+2) = \frac12\ln\frac{a+1}{a}\),
    where \(a \ge 2\) if there is a step down, and the first category's share of the step down is
    \(u(a - 1) < \frac12\ln\frac{a-1}{a-5/4}\), by \(\Gamma(c+\frac12)/\Gamma(c) > (c - \frac14)^{1/2}\); this is less as
    \(a \ge 5/3\). The second category adds more on two steps as well, and the mirror image does the rest.

    For a fixed prior \(|R_g|\) is bounded, so that the order of the corollary holds for it with some constant; the
    constant grows as a prior weight falls to 0.

    Proof of what holds: for every x and every prior LSHist is in \(R_g\), which holds x and its neighbours, with
    probability at least p, and EHD as in ``notes/4.5.1`` with \(m = |R_g|\).
    """
    return lshist_is_good_more_often(prior, counts, epsilon)


def enough_for_the_good(prior, counts, epsilon) -> bool:
    """There are as many records as what holds in place of Corollary 4.5.3 asks for."""
    if len(prior) > 2:
        return False
    n, x = int(sum(counts)), int(counts[0])
    here = distances(prior, counts, [(r, n - r) for r in range(n + 1)])
    good = sum(abs(r - x) <= 1 or not less(local_sensitivity(prior, counts), here[r]) for r in range(n + 1))
    return good <= n and not less(sum(counts), enough(epsilon, good, floor_within(epsilon, 1)))


good_set.instead(
    given=(
        "there are two categories, n is at least that size, and some candidate is outside $R_g$",
        enough_for_the_good,
    ),
    cases=rows("prior counts epsilon", (FLAT, (0, 7), 0.8), ((0.001, 3), (1, 200), 0.4), ((0.5, 0.5), (3, 60), 3.0)),
)(good_set.body)


def most_good(prior) -> int:
    r"""A number M that \(|R_g|\) does not exceed at any dataset, for two categories.

    For x in 2..n-2 and at an end of 0..n it is at most 3, as in ``notes/4.5.3``. At x = 1 the good candidates are 0, x, and
    those j steps up with \(H_j \le LS(x)\). As \(-\ln(1 - H_j^2) \ge J(\alpha_1 + 1, \alpha_1 + 1 + j)\), J as in
    ``notes/4.3-order``, which grows with j, and \(LS(x) \le F(u(\alpha_1) + u(\alpha_2))\), there are only so many. The mirror
    image, x = n - 1, has \(\alpha_2\) for \(\alpha_1\).
    """

    def far(weight, j):
        return less(nearest, gamma_gap(weight + 1, weight + 1 + j, number(0.5)))

    nearest = sum(gamma_gap(weight, weight + 1, number(0.5)) for weight in prior)
    return max(3, *(1 + next(j for j in itertools.count(1) if far(weight, j)) for weight in prior))


@statement(
    "notes/4.5.3-order",
    "Corollary 4.5.3",
    says=r"$\Pr[\mathrm{LSHist}(x, \varepsilon) \in R_g] > \Pr[\mathrm{EHD}(x, \varepsilon) \in R_g]$ for data size $n = |x| > O(\frac{e^{\varepsilon}}{1 - e^{-\varepsilon}})$",
    reading=r"there is a constant, which may depend on the prior: \(\frac53 M\), if no more than \(M \ge 3\) candidates are good at any x",
    given=(
        r"there are two categories, and $n > \frac53 M\, \frac{e^{\varepsilon}}{1 - e^{-\varepsilon}}$",
        lambda prior, counts, epsilon: len(prior) == 2 and less(5 * most_good(prior) * order(epsilon), 6 * sum(counts)),
    ),
    cases=rows("prior counts epsilon", (FLAT, (300, 1), 0.02), ((0.001, 4), (1, 150), 0.8), ((1, 4), (9, 30), 2.0)),
)
def good_order(prior, counts, epsilon):
    r"""Below weights of 1 no constant does for all priors: at x = (1, n - 1) with the prior \((\alpha, 5)\),
    \(LS(x) \to 1\) as \(\alpha \to 0\), and below some small \(\alpha\) all candidates are good; both probabilities are 1
    then, and neither is greater, for any n. For weights of at least 1 no constant smaller than 2 holds: as
    \(\varepsilon \to 0\), the probability of LSHist is near \(\frac32\varepsilon\), and that of EHD near 3/(n + 1).

    Proof: M is finite (``most_good``). With \(E = e^\varepsilon = 1/q\) what holds in ``notes/4.5.3`` asks for
    \(n + 1 \ge M (1 + e^{\varepsilon/(2G)} \frac{1-p}{p})\), \(\frac{1-p}{p} = \frac{q(1+q)}{(1-q)(2+q)} \le \frac23 \frac{q}{1-q}\).
    As \(1/(2G) < 2\), the right side is at most \(M \frac{E}{1-q}(1 + \frac23)\). The size exceeds M, so that some candidate
    is outside.

    Proof of what holds: for prior weights of at least 1 \(|R_g| \le 3\) (``notes/4.5.3``), and what holds there asks for
    \(n \ge 2 + 3 e^{\varepsilon/(2G)} \frac{1-p}{p}\) with \(\frac{1-p}{p} = \frac{q(1+q)}{(1-q)(2+q)}\). That is at most
    \(2E/(1-q)\), \(E = e^\varepsilon = 1/q\): multiplied by \(1 - q\) it says
    \(2 - \frac2E + 3 E^{\rho-1} \frac{E+1}{2E+1} \le 2E\), \(\rho = 1/(2G) < 1.08\). With
    \(E^{\rho-1} \le 1 + 0.08\,y\), \(y = E - 1\), the difference of the two sides, times \(E(2E+1)\), is at least
    \[ (2 + 2y + 2y^2)(3 + 2y) - 3(1+y)(2+y)(1 + 0.08\,y) = 0.52\,y + 6.28\,y^2 + 3.76\,y^3 \ge 0 . \]
    """
    return lshist_is_good_more_often(prior, counts, epsilon)


good_order.instead(
    holds="the constant 2 is enough",
    given=(
        rf"{ONE[0]}, and $n > 2\, \frac{{e^\varepsilon}}{{1 - e^{{-\varepsilon}}}}$",
        lambda prior, counts, epsilon: ONE[1](prior) and less(order(epsilon), sum(counts)),
    ),
    cases=rows("prior counts epsilon", (FLAT, (103, 1), 0.02), ((1, 4), (9, 9), 2.0)),
)(good_order.body)
