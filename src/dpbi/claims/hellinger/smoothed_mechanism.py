r"""Sections 4.2 to 5.3: smooth sensitivity, the mechanism \(\mathcal M_{\mathcal H}\), its privacy and accuracy."""

import math

import numpy as np

from ...accuracy import error_tail
from ...arithmetic import exp, largest, less, log, maximum, number, numbers
from ...mechanisms import ehd, laplace_in_order, smoothed_hellinger
from ...model import count_vectors, exponential_smooth_sensitivity, global_sensitivity, lattice_size, local_sensitivity
from ...model.datasets import moves, neighbours
from ...privacy import audit, hockey_stick
from .. import at_most, cannot, equal, grid, rows, statement
from ..quantities import distances, pure_bound
from .quantities import DELTA, EPSILON, FLAT, FLAT3, defined, distance, probability_at_distance, probability_of


def smoothness(epsilon, delta, n):
    r"""\(\gamma = \ln\bigl(1 - \frac{\varepsilon}{2\ln(\delta/(2(n+1)))}\bigr)\), as printed."""
    return log(1 - epsilon / (2 * log(delta / (2 * (n + 1)))))


def smooth(prior, counts, epsilon, delta):
    r"""\(S(x) = \max_{x'} LS(x')\, e^{-\gamma\, d(x, x')}\) with the printed \(\gamma\), as the library computes it."""
    return exponential_smooth_sensitivity(prior, counts, smoothness(epsilon, delta, sum(counts)))


def listed_smooth(prior, counts, epsilon, delta):
    """S(x) by its definition: the maximum over a list of all datasets."""
    n = sum(counts)
    datasets = count_vectors(int(n), len(counts))
    replaced = np.abs(datasets - np.array([int(c) for c in counts])).sum(axis=1) // 2
    return largest(local_sensitivity(prior, datasets) * exp(numbers(replaced) * -smoothness(epsilon, delta, n)))


def smoothed_bound(prior, n, epsilon, delta):
    r"""\(\max (2 + \Delta(1 - 2S'))\) over neighbours, \(\Delta = 1/S' - 1/S \ge 0\); proved at ``pure_bound``."""
    gamma = smoothness(epsilon, delta, n)
    return pure_bound(prior, n, lambda datasets: exponential_smooth_sensitivity(prior, datasets, gamma))


def probability_of_distance(mechanism, prior, counts, t):
    """The probability that H equals t. Over balls a tie of t with a candidate's distance is refused as undecided."""
    law = mechanism.law(prior, counts)
    errors = distances(prior, counts, law.outputs)
    return sum(exp(law.log_probabilities[~less(errors, t) & ~less(t, errors)]))


def noise_mass(epsilon, move):
    r"""\(\Pr[\lfloor Y \rfloor = m]\) for \(Y \sim \mathrm{Lap}(2/\varepsilon)\): a move that reaches neither 0 nor n."""
    middle = abs(int(move)) + 1
    output = (middle + int(move), middle - int(move))
    return probability_of(laplace_in_order(epsilon), FLAT, (middle, middle), output)


def largest_ratio(sensitivities, n, k: int):
    """The largest ratio between neighbours, from the sensitivities at all datasets in the order of ``count_vectors``."""
    start, end = moves(int(n), k)
    return largest(sensitivities[end] / sensitivities[start])


@statement(
    "hellinger/definition-4.1",
    "Definition 4.1, equation (1)",
    says=r"$S(x) \le e^{\gamma} S(x')$ for neighbours, where $S(x) = \max_{x'} LS(x')\, e^{-\gamma d(x, x')}$",
    cases=grid(prior=[FLAT, (0.01, 5), FLAT3], n=[2, 6], epsilon=[EPSILON], delta=[DELTA, 1e-2]),
)
def smooth_all(prior, n, epsilon, delta):
    r"""The definition writes both \(\beta\) and \(\gamma\) for this number.

    Proof: for every dataset z one has \(d(x', z) \le d(x, z) + 1\), so each term of the maximum changes by a factor of
    at most \(e^{\gamma}\).
    """
    gamma = smoothness(epsilon, delta, n)
    found = exponential_smooth_sensitivity(prior, count_vectors(int(n), len(prior)), gamma)
    return largest_ratio(found, n, len(prior)), at_most(exp(gamma))


@statement(
    "hellinger/4.2-adjacent",
    "Section 4.2.1, Dirichlet system",
    says=r"$S(x) \le e^{\gamma} S(x')$ for neighbours, where $S(x) = \max_{x' \text{ adjacent to } x} LS(x')\, e^{-\gamma d(x, x')}$",
    holds=r"$S(x) \le e^{\gamma} S(x')$ for neighbours, where the maximum is over all datasets $x'$",
    why="a maximum over neighbours does not see a large local sensitivity that is two steps away",
    cases=smooth_all.cases,
)
def smooth_adjacent(prior, n, epsilon, delta):
    """What holds is Definition 4.1."""
    gamma, found = smoothness(epsilon, delta, n), []
    for x in count_vectors(int(n), len(prior)):
        around = largest(local_sensitivity(prior, neighbours(x)))
        found.append(maximum(local_sensitivity(prior, x), around * exp(-gamma)))
    return largest_ratio(numbers(found), n, len(prior)), at_most(exp(gamma))


smooth_adjacent.instead(cases=smooth_all.cases)(smooth_all.body)


@statement(
    "hellinger/4.2-candidates",
    "Section 4.2.1",
    says=r"$|\mathcal R_{post}| = \binom{n+1}{m-1}$ for $m$ categories",
    holds=r"$|\mathcal R_{post}| = \binom{n+m-1}{m-1}$",
    why="the upper number is m - 1 more than n, not 1 more",
    only_if=("$m = 2$", lambda k: k == 2),
    cases=rows("n k", (8, 2), (1, 3), (60, 3), (5, 4)),
)
def many_candidates(n, k):
    r"""The paper writes m for k. At k = 3, n = 60 the formula has 1830 where there are 1891, the number that Table 2 was computed with.

    Proof: for k = 2 both numbers are n + 1.

    Proof of what holds: stars and bars, n records and k - 1 bars between the categories, in any order.
    """
    printed, right = math.comb(int(n) + 1, int(k) - 1), math.comb(int(n + k) - 1, int(k) - 1)
    return number(len(count_vectors(int(n), int(k)))), equal(number(printed)), equal(number(right))


@statement(
    "hellinger/lemma-4.1",
    "Lemma 4.1",
    says=r"$\Pr[u(r, x) = \hat s] \le e^{\varepsilon/2} \Pr[u(r, x) = \Delta + \hat s] + \frac{\delta}{2}$ for $\lambda = f(\varepsilon, \delta)$, $\varepsilon \ge 0$, $|\delta| < 1$",
    holds=r"$w(\hat s) \le e^{\varepsilon/2}\, w(\hat s + \Delta)$ for $\Delta \ge -S(x)$, where $w(s) = \exp\bigl(\frac{\varepsilon s}{2 S(x)}\bigr)$ is a weight before it is normalised, for all real scores $s$",
    why=r"no candidate need have the score $\Delta + \hat s$",
    cases=grid(counts=[(1, 1), (2, 8)], share=[-0.5, 0.0]),
)
def sliding(counts, share):
    r"""In the cases \(\hat s = 0\), the score of the truth, and \(\Delta\) is a share of S(x). For \(\Delta = -S/2\) no
    candidate has the score \(\Delta\), so the right side is only \(\delta/2\). As a statement on probabilities the lemma
    fails whenever \(\Delta\) leads from a score that occurs to one that does not. The statement does not restrict
    \(\Delta\), although its proof asks for \(\Delta \ge -S(x)\), and it does not use its \(\lambda\).
    """
    epsilon, delta = number(EPSILON), number(DELTA)
    exact = probability_at_distance(defined(), FLAT, counts, counts)
    if share == 0:
        return exact, at_most(exp(epsilon / 2) * exact + delta / 2)
    there = probability_of_distance(defined(), FLAT, counts, -share * smooth(FLAT, counts, epsilon, delta))
    return exact, at_most(exp(epsilon / 2) * there + delta / 2)


@sliding.instead(
    given=(r"the score is at most 0 and $\Delta \le S$", lambda score, share: score <= 0 and share >= -1),
    cases=grid(counts=[(1, 1), (2, 8)], score=[0.0, -0.4], share=[-1.0, -0.5, 2.0]),
)
def sliding_weights(counts, score, share):
    r"""With \(\Delta = -S\) the two sides are equal.

    Proof: \(w(\hat s)/w(\hat s + \Delta) = e^{-\varepsilon\Delta/(2S)}\).
    """
    epsilon = number(EPSILON)
    scale = smooth(FLAT, counts, epsilon, number(DELTA))
    here, there = (exp(epsilon * s / (2 * scale)) for s in (score, score + share * scale))
    return here, at_most(exp(epsilon / 2) * there)


@statement(
    "hellinger/lemma-4.2",
    "Lemma 4.2",
    says=r"$\Pr[u(z, x) = c] \le e^{\varepsilon/2} \Pr[u(z, x) = e^{\lambda} c] + \frac{\delta}{2}$ for $\lambda < |\beta|$, $|\delta| < 1$, $\beta \le \ln\bigl(1 - \frac{\varepsilon}{2\ln(\delta/(2(n+1)))}\bigr)$",
    holds=r"$h(c) \le e^{\varepsilon/2}\, h(e^\lambda c) + \frac{\delta}{2(n+1)}$ for $0 \le \lambda \le \gamma$ and $c \le 0$, where $h(c) = \frac{\exp(\varepsilon c / (2S(x)))}{NL(x)}$ for all real scores $c$",
    why=r"no candidate need have the score $e^\lambda c$",
    cases=grid(counts=[(1, 1)], output=[(2, 0)], share=[0.5, -1.0]),
)
def dilation(counts, output, share):
    r"""In the cases \(\beta = \gamma\), the largest value that is allowed, \(\lambda\) is a share of it, and c is the
    score of a candidate. No candidate has the score \(e^\lambda c\), so the right side is only \(\delta/2\). Two steps
    of the printed proof are wrong besides. The event that it calls good is \(u \ge S/(1 - e^\lambda)\), not \(\le\), and
    \(1 < e^\lambda\) is false for \(\lambda < 0\).
    """
    epsilon, delta = number(EPSILON), number(DELTA)
    factor = exp(share * smoothness(epsilon, delta, sum(counts)))
    there = probability_of_distance(defined(), FLAT, counts, factor * distance(FLAT, counts, output))
    exact = probability_at_distance(defined(), FLAT, counts, output)
    return exact, at_most(exp(epsilon / 2) * there + delta / 2)


@dilation.instead(
    given=(
        r"the score is at most 0 and $0 \le \lambda \le \gamma$",
        lambda score, share: score <= 0 and 0 <= share <= 1,
    ),
    cases=[
        *grid(counts=[(1, 1), (2, 8), (30, 90)], score=[0.0, -0.3, -1.0, -20.0], share=[0.5, 1.0]),
        {"counts": (1, 0), "score": -17.8, "share": 1.0},
    ],
)
def dilated_probabilities(counts, score, share):
    r"""Here h is the probability of a candidate as a function of its score. Over the n + 1 candidates the last terms add
    up to the \(\delta/2\) that the lemma is used for.

    Proof: if \(|c|(e^\lambda - 1) \le S\), then \(h(c)/h(e^\lambda c) \le e^{\varepsilon/2}\). Otherwise use
    \(NL \ge 1\) and \(e^\lambda - 1 \le e^\gamma - 1 = \varepsilon / (2\ln(2(n+1)/\delta))\):
    \[ h(c) \le \exp\Bigl(-\frac{\varepsilon}{2(e^\lambda - 1)}\Bigr) \le \frac{\delta}{2(n+1)} . \]
    """
    epsilon, delta, n = number(EPSILON), number(DELTA), sum(counts)
    factor = exp(share * smoothness(epsilon, delta, n))
    rate, truth = epsilon / (2 * smooth(FLAT, counts, epsilon, delta)), probability_of(defined(), FLAT, counts, counts)
    here, there = (truth * exp(rate * c) for c in (score, factor * score))
    return here, at_most(exp(epsilon / 2) * there + delta / (2 * (n + 1)))


SETTINGS = rows(
    "prior n epsilon delta", (FLAT, 2, EPSILON, DELTA), ((0.2, 7), 20, 20.0, DELTA), (FLAT3, 8, EPSILON, 1e-2)
)


@statement(
    "hellinger/lemma-4.3",
    "Lemma 4.3 and Definition 4.1",
    says=r"$\mathcal M_{\mathcal H}$ with weights $\exp(-\varepsilon \mathcal H / (2 S))$ is $(\varepsilon, \delta)$-differentially private",
    holds=r"it loses at most $\frac{\varepsilon}{2} \max_{x \sim x'} (2 + \Delta (1 - 2 S'))$ with $\Delta = \frac1{S'} - \frac1{S} \ge 0$; the printed proof does not stand",
    cases=[*SETTINGS, {"prior": (1e-8, 1e-8), "n": 120, "epsilon": 50.0, "delta": 1e-8}],
    accuracy=1e-7,  # a delta is a difference of probabilities, whose rounding is absolute
)
def smoothed_private(prior, n, epsilon, delta):
    r"""The exact side is \(\max_{x \sim x'} \max_E \Pr[M(x) \in E] - e^\varepsilon \Pr[M(x') \in E]\), over the sets E
    of outputs. No case is known where it exceeds \(\delta\), and only in extreme cases it is not 0. The printed proof
    uses Lemmas 4.1 and 4.2 as statements on probabilities, and exchanges the sums of weights of different datasets.
    """
    return hockey_stick(smoothed_hellinger(epsilon, delta, 2), prior, n, epsilon), at_most(delta)


@smoothed_private.instead(cases=SETTINGS)
def smoothed_loss(prior, n, epsilon, delta):
    r"""This is pure differential privacy, without any \(\delta\). By smoothness \(\Delta \le (e^\gamma - 1)/S\), which is
    small. At \(\varepsilon = 0.8\), \(\delta = 10^{-8}\) and the flat prior the bound stays near \(\varepsilon\).

    Proof: the argument for the local sensitivity in ``hellinger/4.1.2``, with S in place of LS, because
    \(H(x, x') \le LS(x') \le S(x')\).
    """
    loss = audit(smoothed_hellinger(epsilon, delta, 2), prior, n).epsilon
    return loss, at_most(epsilon / 2 * smoothed_bound(prior, n, epsilon, delta))


@statement(
    "hellinger/5-privacy",
    "Section 5",
    says=r"$\mathcal M_{\mathcal H}$ with weights $\exp(-\varepsilon \mathcal H / S)$ is $(\varepsilon, \delta)$-differentially private",
    holds=r"it loses at most $\varepsilon \max_{x \sim x'} (2 + \Delta(1 - 2S'))$, about $2\varepsilon$",
    why="Section 5 leaves out the factor 2 of Definition 4.1",
    cases=SETTINGS,
    accuracy=1e-7,  # a delta is a difference of probabilities, whose rounding is absolute
)
def undivided_private(prior, n, epsilon, delta):
    r"""Two records refute it: from x = (2, 0) to (1, 1) the loss is 0.9106, and the exact \(\delta\) is 0.0616."""
    return hockey_stick(smoothed_hellinger(epsilon, delta, 1), prior, n, epsilon), at_most(delta)


@undivided_private.instead(cases=SETTINGS)
def undivided_loss(prior, n, epsilon, delta):
    """Proof: that of what holds instead of Lemma 4.3, with twice the rate."""
    loss = audit(smoothed_hellinger(epsilon, delta, 1), prior, n).epsilon
    return loss, at_most(epsilon * smoothed_bound(prior, n, epsilon, delta))


@statement(
    "hellinger/5.1-tail",
    "Section 5.1",
    says=r"$\Pr[|Y| \ge t] = e^{-t\varepsilon/2}$ for $Y \sim \mathrm{Lap}(2/\varepsilon)$",
    cases=grid(t=[0.5, 4.0], epsilon=[0.1, EPSILON]),
)
def laplace_survival(t, epsilon):
    r"""The exact side is what a mechanism of \(Y/t \sim \mathrm{Lap}(2/(\varepsilon t))\) leaves at the ends 2 and 0. It
    leaves 2 when it moves 1 up by at least 1, and 0 when \(\lfloor Y/t \rfloor \le -2\) moves 2 down.

    Proof: \(|Y|\) is exponential with rate \(\varepsilon/2\).
    """
    mechanism = laplace_in_order(epsilon * t)
    ends = probability_of(mechanism, FLAT, (1, 1), (2, 0)) + probability_of(mechanism, FLAT, (2, 0), (0, 2))
    return ends, equal(exp(-t * epsilon / 2))


@statement(
    "hellinger/5.1-noise",
    "Section 5.1",
    says=r"$\Pr[|Lap_i| = m] = e^{-m\varepsilon/2} - e^{-(m+1)\varepsilon/2}$ for $Lap_i = \mathrm{floor}(Y)$",
    holds=r"$\Pr[|\lfloor Y \rfloor| = m] = \frac12 (1 - r)\, (r^m + r^{m-1}\,[m \ge 1])$, $r = e^{-\varepsilon/2}$",
    why="the formula belongs to noise that is rounded towards zero",
    cases=grid(m=[0, 1, 5], epsilon=[0.1, EPSILON]),
)
def floored_noise(m, epsilon):
    r"""Rounding towards zero turns the whole interval \((-1, 1)\) into 0, rounding down only \([0, 1)\). That is half as
    probable: 0.1648 instead of 0.3297 at \(\varepsilon = 0.8\).

    Proof of what holds: the event \(m \le Y < m+1\) has probability \(\frac12(1-r)r^m\), and \(-m \le Y < 1-m\) has
    \(\frac12(1-r)r^{m-1}\). At m = 0 there is no second event.
    """
    r, whole = exp(-epsilon / 2), int(m)
    exact = noise_mass(epsilon, m) + (noise_mass(epsilon, -m) if whole else 0)
    right = (1 - r) / 2 * (r**whole + (r ** (whole - 1) if whole else 0))
    return exact, equal(exp(-m * epsilon / 2) - exp(-(m + 1) * epsilon / 2)), equal(right)


FAR = rows(
    "prior counts epsilon c", (FLAT, (2, 18), EPSILON, 0.3), (FLAT, (4, 4), 5.0, 0.7), (FLAT3, (2, 3, 3), 0.1, 0.3)
)
APART = {"prior": (1e-9, 1e-9), "counts": (0, 300), "epsilon": 30.0, "c": 0.9999}
"""All other candidates are at distance one, and the truth holds nearly all of the probability."""


def far_share(prior, counts, epsilon, c):
    """The probability of an error of at least c with the mechanism of Section 5, of divisor 1."""
    return error_tail(smoothed_hellinger(epsilon, number(DELTA), 1), prior, counts, c)


def candidates_at(prior, counts, epsilon, c):
    r"""\(|R| \exp(-\varepsilon c / S(x))\)."""
    scale = smooth(prior, counts, epsilon, number(DELTA))
    return lattice_size(int(sum(counts)), len(counts)) * exp(-epsilon * c / scale)


def weights(prior, counts, epsilon):
    r"""The distance of every candidate, and its weight \(e^{-\varepsilon \mathcal H/S(x)}\), by the definition of S."""
    found = distances(prior, counts, count_vectors(int(sum(counts)), len(counts)))
    return found, exp(-epsilon / listed_smooth(prior, counts, epsilon, number(DELTA)) * found)


@statement(
    "hellinger/5.2",
    "Section 5.2",
    says=r"$\Pr[\mathcal H(BI(x), z) \ge c] \le |R| \exp\bigl(\frac{-\varepsilon c}{2\Delta_g}\bigr)$",
    cases=[*FAR, APART],
)
def global_accuracy(prior, counts, epsilon, c):
    r"""Proof: at most |R| candidates are that far, each of weight at most \(e^{-\varepsilon c/(2\Delta_g)}\), where
    \(\Delta_g\) is the global sensitivity. The sum of all weights is at least 1, the weight of the truth.
    """
    n = int(sum(counts))
    bound = lattice_size(n, len(counts)) * exp(-epsilon * c / (2 * global_sensitivity(prior, n)))
    return error_tail(ehd(epsilon), prior, counts, c), at_most(bound)


@statement(
    "hellinger/5.3-first",
    "Section 5.3, first bound",
    says=r"$\Pr[\mathcal H(BI(x), z) \ge c] = \sum_{z : \mathcal H \ge c} \frac{e^{-\varepsilon \mathcal H(BI(x), z)/S(x)}}{NL_x}$",
    cases=FAR,
)
def exact_accuracy(prior, counts, epsilon, c):
    """It is the quantity itself, and not a bound.

    Proof: this is the definition of the mechanism, with the divisor 1.
    """
    found, of_each = weights(prior, counts, epsilon)
    return far_share(prior, counts, epsilon, c), equal(of_each[~less(found, c)].sum() / of_each.sum())


@statement(
    "hellinger/5.3-second",
    "Section 5.3, second bound",
    says=r"$\Pr[\mathcal H(BI(x), z) \ge c] \le \frac{|R| \exp(-\varepsilon c / S(x))}{NL_x}$",
    cases=[*FAR, APART],
)
def counted_accuracy(prior, counts, epsilon, c):
    r"""Proof: at most |R| candidates are that far, and each of them weighs at most \(e^{-\varepsilon c/S}\)."""
    _, of_each = weights(prior, counts, epsilon)
    bound = candidates_at(prior, counts, epsilon, c) / of_each.sum()
    return far_share(prior, counts, epsilon, c), at_most(bound)


sized_accuracy = cannot(
    "hellinger/5.3-third",
    "Section 5.3, third bound",
    says=r"$\Pr[\mathcal H(BI(x), z) \ge c] \le \frac{|R| \exp(-\varepsilon c / S(x))}{N(n)}$",
    holds=r"it holds with $N(n) = 1 + (k-1)\, e^{-\varepsilon}$, for $n \ge 1$",
    why="$N(n)$ is missing: the text says that it was not found",
)


@sized_accuracy.instead(cases=[*FAR, APART])
def sized_accuracy_found(prior, counts, epsilon, c):
    r"""Any lower bound on the sum of the weights that depends on n only would do for N(n).

    Proof: the truth weighs 1. It has at least k - 1 neighbours, each within \(LS(x) \le S(x)\) of it and so of weight
    at least \(e^{-\varepsilon}\).
    """
    least = 1 + (len(prior) - 1) * exp(-epsilon)
    return far_share(prior, counts, epsilon, c), at_most(candidates_at(prior, counts, epsilon, c) / least)
