r"""The corollaries of Theorem 4.5: from which number of records on LSHist is more accurate than EHD,
which in the notes has the printed sensitivity G.
"""

import math
from collections.abc import Callable
from typing import Any

from ...accuracy import closer_than, error_below, steps_within
from ...arithmetic import exp, in_doubles, largest, less
from ...mechanisms import ehd, lshist
from ...model import farthest_neighbour, local_sensitivity
from ..claim import REFUTED, Case, Condition, grid
from ..premises import Dataset, Premises, Reals, Weights, premises
from ..quantities import candidates_below, distances, floor_within, floored_laplace_below, printed_sensitivity
from .source import CROSSOVERS, FLAT, NOTES, as_far_down_as_up, away_from_the_ends, with_steps
from .theorem_4_5_exponential import printed_rate, reversed_step


def claimed_crossover(epsilon: Any, k: Any) -> Any:
    r"""The size in the proof of Corollary 4.5.1, \((2k+1) e^{\varepsilon} / (1 - e^{-k\varepsilon})\)."""
    return (2 * k + 1) * exp(epsilon) / (1 - exp(-k * epsilon))


def enough(epsilon: Any, m: Any, p: Any) -> Any:
    r"""\(m (1 + e^{\varepsilon/(2G)} (1 - p)/p) - 1\): from so many records on EHD is with probability at most p inside t.

    That is where m candidates of weight 1 and n + 1 - m of weight \(e^{-\varepsilon/(2G)}\) hold the share p of all weight.
    """
    return m * (1 + exp(printed_rate(epsilon)) * (1 - p) / p) - 1


def proved_crossover(epsilon: Any, k: Any) -> Any:
    r"""The size from which LSHist is proved better with k steps inside t on either side.

    \((2k+1)(1 + e^{\varepsilon/(2G)} \frac{1-p}{p}) - 1\), \(p = 1 - \frac12(e^{-k\varepsilon} + e^{-(k+1)\varepsilon})\).
    """
    return enough(epsilon, 2 * k + 1, floor_within(epsilon, k))


def below_size(epsilon: Any, k: Any) -> Any:
    r"""The size in the proof of Corollary 4.5.2, \((2k e^{-\varepsilon} + 1) / (1 - \frac12(e^{-k\varepsilon} + e^{-(k+1)\varepsilon}))\)."""
    return (2 * k * exp(-epsilon) + 1) / floor_within(epsilon, k)


def good_size(epsilon: Any) -> Any:
    r"""The size in the proof of Corollary 4.5.3, \(3 / (e^{-\varepsilon/(2G)} (1 - e^{-\varepsilon}))\)."""
    return 3 * exp(printed_rate(epsilon)) / (1 - exp(-epsilon))


LISTED = 5000
"""Up to so many records the laws are summed over balls as they are."""


def lshist_probability(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""\(\Pr[H < t]\) for LSHist; beyond 5000 records over balls by ``notes/4.5-lshist-corrected``."""
    if in_doubles() or sum(counts) <= LISTED:
        return error_below(lshist(epsilon), prior, counts, t)
    return floored_laplace_below(prior, counts, epsilon, t)


def ehd_probability(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""\(\Pr[H < t]\) for EHD with the printed sensitivity.

    Beyond 5000 records over balls it is a lower bound: only the candidates 0..2000 are listed, and each of the others,
    farther from x than the last of them, weighs at most as much as that one.
    """
    if in_doubles() or sum(counts) <= LISTED:
        return error_below(ehd(epsilon, printed_sensitivity()), prior, counts, t)
    n, listed = int(sum(counts)), 2000
    found = distances(prior, counts, [(r, n - r) for r in range(listed + 1)])
    weights = exp(-printed_rate(epsilon) * found)
    return weights[less(found, t)].sum() / (weights.sum() + (n - listed) * weights[-1])


def balanced_above(size: Callable[[float, int], Any], k: list[int], epsilon: list[float]) -> list[Case]:
    """Balanced datasets, just above and at twice a claimed size, with k steps inside t."""
    cases: list[Case] = []
    for case in grid(k=k, epsilon=epsilon):
        least = max(math.floor(size(case["epsilon"], case["k"])) // 2 + 1, case["k"] + 1)
        halves = [(least, least), (2 * least, 2 * least)]
        cases += with_steps(case["k"], prior=[FLAT], counts=halves, epsilon=[case["epsilon"]])
    return cases


@NOTES.item(
    "4.5.1",
    "Corollary 4.5.1, size in the proof",
    cases=[
        *balanced_above(claimed_crossover, k=[1, 2, 5], epsilon=[0.1, 0.8, 2.0]),
        {"prior": FLAT, "counts": (1, 9_807_056), "epsilon": 15.0, "t": 0.3},
        {"prior": FLAT, "counts": (1, 3_607_815), "epsilon": 14.0, "t": 0.3},
    ],
    relation=">",
    calls=(error_below, lshist, ehd),
    page=CROSSOVERS,
)
def lshist_ahead(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""\(\Pr[H(x, \mathrm{LSHist}) < t]\)."""
    return lshist_probability(prior, counts, epsilon, t)


def larger_than(size: Callable[[Any, Any], Any]) -> Premises:
    """The premises of a size that is claimed for k steps up inside t: more records than that."""

    def more(prior: Any, counts: Any, epsilon: Any, t: Any) -> bool:
        k = steps_within(prior, counts, t)[1]
        return k >= 1 and bool(less(size(epsilon, k), sum(counts)))

    return premises(
        r"n exceeds the size",
        more,
        prior=Weights(),
        counts=Dataset(most=1500),
        epsilon=Reals(high=6, above=0),
        t=Reals(high=0.999, above=0, most=1),
    )


@lshist_ahead.said(
    r"n > \frac{(2k+1)\, e^{\varepsilon}}{1 - e^{-k\varepsilon}} \implies \Pr[H(x, \mathrm{LSHist}) < t] > \Pr[H(x, \mathrm{EHD}) < t]",
    tight={"prior": (34100, 34100), "counts": (407, 409), "epsilon": 0.0034, "t": 0.503},
    within=0.01,
    premises=larger_than(claimed_crossover),
    condition=Condition(r"as many steps down as up are inside t", as_far_down_as_up),
    proof=True,
)
def crossover(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""The proof uses the upper bound on EHD that fails (``notes/4.5-ehd-upper``). With as many steps down as up the size is
    right all the same, for every x and every prior: it is larger than that of ``notes/4.5.1-corrected``. Let
    \(E = e^{\varepsilon}\), \(q = 1/E\), \(s = q^k\), \(\mu = (1+q)/2\), so that \(p = 1 - \mu s\), and
    \(\rho = 1/(2G) < 1.08\). What is asked is \(\frac{E}{1-s} \ge 1 + E^\rho \frac{\mu s}{1 - \mu s}\), that is
    \(E - 1 + s \ge E^\rho \mu s \frac{1-s}{1-\mu s}\), and \(\frac{1-s}{1-\mu s} < 1\). So \(E - 1 \ge s (\mu E^\rho - 1)\)
    is enough, and as \(s \le 1/E\) for \(k \ge 1\), so is \(E^2 - E + 1 \ge \frac12 (E+1) E^{\rho-1}\). By Bernoulli's
    inequality \(E^{\rho-1} \le 1 + 0.08 (E-1)\), and
    \[ E^2 - E + 1 - \tfrac12(E+1)(1 + 0.08(E-1)) = (E - 1)(0.96 E - 0.54) \ge 0 . \]

    For x = (1, n - 1) and t = 0.3 one step up is inside and none down. LSHist then stays below 1/2, at
    \(\frac12(1 - e^{-2\varepsilon})\), and EHD exceeds 1/2 once \(n e^{-\varepsilon/(2G)}\) is small, which for large
    \(\varepsilon\) it is beyond the claimed size.
    """
    return ehd_probability(prior, counts, epsilon, t)


def size_for_any(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""The size from which LSHist is proved better, for the numbers of steps inside t down and up."""
    down, up = steps_within(prior, counts, t)
    p = 1 - (exp(-down * epsilon) + exp(-(up + 1) * epsilon)) / 2
    return enough(epsilon, candidates_below(prior, counts, t), p)


ENOUGH = premises(
    r"n is at least the size",
    lambda prior, counts, epsilon, t: not less(sum(counts), size_for_any(prior, counts, epsilon, t)),
    prior=Weights(),
    counts=Dataset(most=1500),
    epsilon=Reals(high=12, above=0),
    t=Reals(high=0.999, above=0, most=1),
)


@lshist_ahead.instead(
    r"n + 1 \ge m \Bigl(1 + e^{\varepsilon/(2G)}\, \frac{1-p}{p}\Bigr),\ m = k_- + k_+ + 1,\ p = 1 - \tfrac12 (e^{-k_-\varepsilon} + e^{-(k_+ + 1)\varepsilon}) \implies \Pr[H(x, \mathrm{LSHist}) < t] > \Pr[H(x, \mathrm{EHD}) < t]",
    where="Corollary 4.5.1",
    cases=[
        *balanced_above(proved_crossover, k=[1, 2, 5], epsilon=[0.1, 0.8, 2.0]),
        *({"prior": (0.3, 40), "counts": (2, n), "epsilon": e, "t": 0.2} for n, e in ((40, 0.8), (900, 2.0))),
        {"prior": FLAT, "counts": (1, 5000), "epsilon": 5.0, "t": 0.3},
    ],
    tight={"prior": FLAT, "counts": (1002, 1002), "epsilon": 0.001, "t": 0.012},
    premises=ENOUGH,
    proof=True,
)
def crossover_corrected(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""For every x and every prior. LSHist is inside with probability at least p (``notes/4.5-lshist-corrected``), EHD with
    probability at most \(m / (m + (n+1-m) e^{-\varepsilon/(2G)})\) (``notes/4.5-ehd-upper-corrected``), and less than p if
    n + 1 exceeds the right side. Where it equals it, some candidate is outside, as the right side exceeds m, and the
    bound on EHD is strict.

    With k steps on either side the size is below the printed one (``notes/4.5.1``). At \(\varepsilon = 0.8\), k = 1 it is
    5.4, the printed one 12.1, and LSHist is ahead from n = 6 on; up to n = 2 all candidates are inside.
    """
    return ehd_probability(prior, counts, epsilon, t)


def balanced_below(size: Callable[[float, int], Any], k: list[int], epsilon: list[float]) -> list[Case]:
    """Balanced datasets below a claimed size, with k steps inside t: the smallest, one between, the largest."""
    cases: list[Case] = []
    for case in grid(k=k, epsilon=epsilon):
        least, most = case["k"] + 1, (math.ceil(size(case["epsilon"], case["k"])) - 1) // 2
        halves = sorted({least, (least + most) // 2, most} & set(range(least, most + 1)))
        cases += with_steps(case["k"], prior=[FLAT], counts=[(h, h) for h in halves], epsilon=[case["epsilon"]])
    return cases


def inside_and_away(prior: Any, counts: Any, t: Any, **_: Any) -> bool:
    """As many steps down as up are inside t, at least one, and neither end is reached."""
    return away_from_the_ends(prior, counts, t) and steps_within(prior, counts, t)[1] >= 1


def fewer(prior: Any, counts: Any, epsilon: Any, t: Any) -> bool:
    """There are fewer records than the size of Corollary 4.5.2 for the steps up inside t."""
    return bool(less(sum(counts), below_size(epsilon, steps_within(prior, counts, t)[1])))


BELOW = premises(
    r"n is below the size",
    fewer,
    prior=Weights(),
    counts=Dataset(most=60, least=1),
    epsilon=Reals(above=0),
    t=Reals(high=0.999, above=0, most=1),
)

SMALL = balanced_below(below_size, k=[0, 1, 2, 5], epsilon=[0.02, 0.1, 0.4, 0.8])


lshist_behind = NOTES.item(
    "4.5.2",
    "Corollary 4.5.2, size in the proof",
    cases=[
        *SMALL,
        {"prior": FLAT, "counts": (0, 1), "epsilon": 0.8, "t": 0.5},
        {"prior": FLAT, "counts": (1, 1), "epsilon": 0.8, "t": 0.4},
        {"prior": FLAT, "counts": (0, 3), "epsilon": 0.05, "t": 0.5},
        {"prior": (300, 300), "counts": (1, 1), "epsilon": 1.2, "t": 1e-6},
        {"prior": (30, 30), "counts": (1, 2), "epsilon": 0.8, "t": 1e-6},
    ],
    relation="<",
    calls=(error_below, lshist, ehd),
    page=CROSSOVERS,
)(lshist_ahead.exact)


@lshist_behind.said(
    r"n < \frac{2k e^{-\varepsilon} + 1}{1 - \frac12(e^{-k\varepsilon} + e^{-(k+1)\varepsilon})} \implies \Pr[H(x, \mathrm{LSHist}) < t] < \Pr[H(x, \mathrm{EHD}) < t]",
    tight=with_steps(5, prior=[(1e6, 1e6)], counts=[(101, 101)], epsilon=[0.01])[0],
    within=0.02,
    premises=BELOW,
    condition=Condition(
        r"as many steps down as up are inside t, at least one and fewer than reach 0 or n", inside_and_away
    ),
    proof=True,
)
def small_sizes(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""The proof uses the lower bound on EHD that fails (``notes/4.5-ehd-lower``). Where all candidates are inside both
    probabilities are 1, so one record refutes it; where the noise is cut back to an end LSHist does better than the
    formula says. With no step inside, k = 0, it fails as well: LSHist has \(\frac12(1 - q)\), and at x = (1, 1) EHD has
    about 1/3 when large prior weights make all candidates alike; at \(\varepsilon = 1.2\) that is 0.3417 against 0.3494,
    and n = 2 is below the size 2.86. Otherwise it is proved (``notes/4.5.2-corrected``).
    """
    return ehd_probability(prior, counts, epsilon, t)


@lshist_behind.instead(
    r"n < \frac{2k e^{-\varepsilon} + 1}{1 - \frac12(e^{-k\varepsilon} + e^{-(k+1)\varepsilon})},\ k_- = k_+ = k \ge 1,\ k < \min(x, n - x) \implies \Pr[H(x, \mathrm{LSHist}) < t] < \Pr[H(x, \mathrm{EHD}) < t]",
    where="Corollary 4.5.2",
    cases=[case for case in SMALL if steps_within(case["prior"], case["counts"], case["t"])[1] >= 1],
    tight=with_steps(5, prior=[(1e6, 1e6)], counts=[(101, 101)], epsilon=[0.01])[0],
    within=0.02,
    premises=BELOW.and_also(
        r"as many steps down as up are inside t, at least one and fewer than reach 0 or n", inside_and_away
    ),
    proof=True,
)
def small_sizes_corrected(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    r"""Let \(p = 1 - \frac12(q^k + q^{k+1})\), the probability of LSHist. EHD has at least \((2k+1)/(n+1)\)
    (``notes/4.5-ehd-lower-corrected``), so \((n+1)p < 2k + 1\) is enough. The premise is \(np < 2kq + 1\), and
    \[ p = (1 - q^k) + \tfrac12 q^k (1 - q) \le (k + \tfrac12)(1 - q) \le 2k(1 - q) \quad (k \ge 1), \]
    so \((n+1)p < 2kq + 1 + 2k(1-q) = 2k + 1\).
    """
    return ehd_probability(prior, counts, epsilon, t)


@NOTES.item(
    "4.5.3",
    "Corollary 4.5.3, size in the proof",
    cases=[
        *(
            {"prior": p, "counts": (x, n - x), "epsilon": e}
            for p in (FLAT, (1, 4))
            for e in (0.1, 0.8, 2.0)
            for n in (math.floor(good_size(e)) + 1,)
            for x in (0, 1, n // 2, n - 1)
        ),
        {"prior": (1e-14, 5), "counts": (1, 12), "epsilon": 0.8},
    ],
    relation=">",
    calls=(closer_than, lshist, ehd, farthest_neighbour),
    page=CROSSOVERS,
)
def lshist_good(prior: Any, counts: Any, epsilon: Any) -> Any:
    r"""\(\Pr[H \le LS(x)]\) for LSHist."""
    return closer_than(lshist(epsilon), prior, counts, farthest_neighbour(prior, counts), ties=True)


def ehd_good(prior: Any, counts: Any, epsilon: Any) -> Any:
    r"""\(\Pr[H \le LS(x)]\) for EHD with the printed sensitivity."""
    mechanism = ehd(epsilon, printed_sensitivity())
    return closer_than(mechanism, prior, counts, farthest_neighbour(prior, counts), ties=True)


ONE_OR_MORE = Condition(r"every prior weight is at least 1", lambda prior, **_: min(prior) >= 1)


@lshist_good.said(
    r"n > \frac{3}{e^{-\varepsilon/c}(1 - e^{-\varepsilon})},\ c = 2\sqrt{1 - \pi/4} \implies \Pr[\mathrm{LSHist} \in R_g] > \Pr[\mathrm{EHD} \in R_g], \quad R_g = \{r : H_r \le LS(x)\}",
    premises=premises(
        r"n exceeds the size",
        lambda counts, epsilon, **_: bool(less(good_size(epsilon), sum(counts))),
        prior=Weights(),
        counts=Dataset(most=1500),
        epsilon=Reals(high=6, above=0),
    ),
    condition=ONE_OR_MORE,
    proof=True,
)
def good_set(prior: Any, counts: Any, epsilon: Any) -> Any:
    r"""LSHist is in \(R_g\) with probability at least \(1 - \frac12(q + q^2) > 1 - q\). If \(R_g\) has at most three members,
    EHD is with probability less than \(3 e^{\varepsilon/(2G)}/(n+1)\). The size is far from sharp: ``notes/4.5.3-corrected``.

    For prior weights of at least 1 it has no more, because two steps go farther than any neighbour. For two steps up,
    \(D(a, a+2) = \frac12\ln\frac{a+1}{a}\), where \(a \ge 2\) if there is a step down, and the first category's share of
    the step down is \(u(a - 1) < \frac12\ln\frac{a-1}{a-5/4}\), by \(\Gamma(c+\frac12)/\Gamma(c) > (c - \frac14)^{1/2}\);
    this is less as \(a \ge 5/3\). The second category adds more on two steps as well, and the mirror image does the rest.
    With a tiny prior weight \(LS(x)\) is nearly 1 at x = (1, n - 1); then all candidates may be good, both probabilities are
    1, and neither is greater.
    """
    return ehd_good(prior, counts, epsilon)


@NOTES.item(
    "4.5.3",
    "Corollary 4.5.3, proof, last step",
    cases=grid(epsilon=[0.01, 0.8, 5.0]),
    relation="<=",
    apart="two elementary functions",
    page=CROSSOVERS,
)
def reversed_chain(epsilon: Any) -> Any:
    r"""\(e^{\varepsilon/(2G)}\)."""
    return reversed_step(epsilon=epsilon)


@reversed_chain.said(
    r"\frac{3}{n \exp(-\varepsilon/(2\sqrt{1-\pi/4}))} \le \frac{3}{n \exp(-\varepsilon)}",
    suffix="chain",
    expected=REFUTED,
    erratum=True,
)
def good_chain(epsilon: Any) -> Any:
    r"""As \(2G = 0.9265 < 1\), the inequality is the reverse for every \(\varepsilon > 0\). The cases have n = 3."""
    return exp(epsilon)


@NOTES.item(
    "4.5.3",
    "Corollary 4.5.3, proof, first inequality",
    cases=[
        {"prior": FLAT, "counts": (1, 999), "epsilon": 0.8},
        {"prior": FLAT, "counts": (10, 10), "epsilon": 0.8},
    ],
    relation="<=",
    calls=(closer_than, ehd, farthest_neighbour),
    page=CROSSOVERS,
)
def ehd_good_first(prior: Any, counts: Any, epsilon: Any) -> Any:
    r"""\(\Pr[\mathrm{EHD} \in R_g]\)."""
    return ehd_good(prior, counts, epsilon)


@ehd_good_first.said(
    r"\Pr[\mathrm{EHD} \in R_g] \le \frac{2 e^{-\varepsilon LS(x)/(2G)} + 1}{n\, e^{-\varepsilon/(2G)}}",
    suffix="first",
    expected=REFUTED,
    erratum=True,
)
def good_first(prior: Any, counts: Any, epsilon: Any) -> Any:
    r"""Both neighbours are counted with the least weight of \(R_g\), that of the farther one; the nearer one weighs more. At
    x = (1, 999) the nearest step up is much shorter than the step down. The next bound of the chain, with 3 in the
    numerator, holds.
    """
    scale = local_sensitivity(prior, counts)
    rate = printed_rate(epsilon)
    return (2 * exp(-rate * scale) + 1) * exp(rate) / sum(counts)


def good_candidates(prior: Any, counts: Any) -> int:
    r"""How many candidates are in \(R_g\): x, its neighbours, and all that are no farther than the farther of these."""
    n, x = int(sum(counts)), int(counts[0])
    here = distances(prior, counts, [(r, n - r) for r in range(n + 1)])
    scale = largest([here[r] for r in (x - 1, x + 1) if 0 <= r <= n])
    return sum(1 for r in range(n + 1) if abs(r - x) <= 1 or not less(scale, here[r]))


def good_enough(prior: Any, counts: Any, epsilon: Any) -> bool:
    """There are as many records as ``notes/4.5.3-corrected`` asks for."""
    size = enough(epsilon, good_candidates(prior, counts), floor_within(epsilon, 1))
    return not less(sum(counts), size)


@lshist_good.instead(
    r"n + 1 \ge |R_g| \Bigl(1 + e^{\varepsilon/(2G)}\, \frac{1-p}{p}\Bigr),\ p = 1 - \tfrac12(e^{-\varepsilon} + e^{-2\varepsilon}) \implies \Pr[\mathrm{LSHist} \in R_g] > \Pr[\mathrm{EHD} \in R_g]",
    where="Corollary 4.5.3",
    cases=[
        {"prior": FLAT, "counts": (10, 10), "epsilon": 0.8},
        {"prior": FLAT, "counts": (0, 7), "epsilon": 0.8},
        {"prior": (0.001, 3), "counts": (1, 200), "epsilon": 0.4},
        {"prior": (0.5, 0.5), "counts": (3, 60), "epsilon": 3.0},
    ],
    tight={"prior": FLAT, "counts": (1002, 1002), "epsilon": 0.001},
    premises=premises(
        r"n is at least the size",
        good_enough,
        prior=Weights(),
        counts=Dataset(most=300),
        epsilon=Reals(high=5, above=0),
    ),
    proof=True,
)
def good_set_corrected(prior: Any, counts: Any, epsilon: Any) -> Any:
    r"""For every x and every prior: LSHist is in \(R_g\), which holds x and its neighbours, with probability at least p, and
    EHD as in ``notes/4.5.1-corrected`` with \(m = |R_g|\). For a fixed prior \(|R_g|\) is bounded, so that the order of the
    corollary holds for it with some constant; the constant grows as a prior weight falls to 0.
    """
    return ehd_good(prior, counts, epsilon)


def order(epsilon: Any) -> Any:
    r"""\(2 e^{\varepsilon} / (1 - e^{-\varepsilon})\)."""
    return 2 * exp(epsilon) / (1 - exp(-epsilon))


@lshist_good.said(
    r"\text{there is a constant } C \text{ for all priors with: } n > C\, \frac{e^{\varepsilon}}{1 - e^{-\varepsilon}} \implies \Pr[\mathrm{LSHist} \in R_g] > \Pr[\mathrm{EHD} \in R_g]; \quad C = 2",
    suffix="order",
    where="Corollary 4.5.3",
    cases=[
        *(
            {"prior": p, "counts": (x, n - x), "epsilon": e}
            for p in (FLAT, (1, 4), (30, 1))
            for e in (0.02, 0.1, 0.8, 2.0)
            for n in (math.floor(order(e)) + 1,)
            for x in (0, 1, n // 2)
        ),
        *({"prior": (1e-300, 5), "counts": (1, C * 5), "epsilon": 0.8} for C in (2, 10, 30)),
    ],
    tight={"prior": FLAT, "counts": (1002, 1002), "epsilon": 0.001},
    premises=premises(
        r"n exceeds the size with C = 2",
        lambda counts, epsilon, **_: bool(less(order(epsilon), sum(counts))),
        prior=Weights(),
        counts=Dataset(most=1500),
        epsilon=Reals(high=6, above=0),
    ),
    condition=ONE_OR_MORE,
    proof=True,
    origin="reading",
)
def good_order(prior: Any, counts: Any, epsilon: Any) -> Any:
    r"""Printed as \(n > O(\cdot)\). With the constant 2 it holds for prior weights of at least 1. Then \(|R_g| \le 3\)
    (``notes/4.5.3``), and what ``notes/4.5.3-corrected`` asks for, \(n \ge 2 + 3 e^{\varepsilon/(2G)} \frac{1-p}{p}\) with
    \(\frac{1-p}{p} = \frac{q(1+q)}{(1-q)(2+q)}\), is at most \(2E/(1-q)\), \(E = e^\varepsilon = 1/q\): multiplied by
    \(1 - q\) it says \(2 - \frac2E + 3 E^{\rho-1} \frac{E+1}{2E+1} \le 2E\), \(\rho = 1/(2G) < 1.08\). With
    \(E^{\rho-1} \le 1 + 0.08\,y\), \(y = E - 1\), the difference of the two sides, times \(E(2E+1)\), is at least
    \[ (2 + 2y + 2y^2)(3 + 2y) - 3(1+y)(2+y)(1 + 0.08\,y) = 0.52\,y + 6.28\,y^2 + 3.76\,y^3 \ge 0 . \]
    No smaller constant will do: as \(\varepsilon \to 0\), LSHist has \(\frac32\varepsilon\) and EHD 3/(n + 1).

    Below weights of 1 no constant does for all priors: at x = (1, n - 1) with the prior \((\alpha, 5)\), \(LS(x) \to 1\) as
    \(\alpha \to 0\), and below some small \(\alpha\) all candidates are good; both probabilities are 1 then, and neither is
    greater, for any n. The cases have \(\alpha = 10^{-300}\). For one prior there is a constant
    (``notes/4.5.3-corrected``).
    """
    return ehd_good(prior, counts, epsilon)
