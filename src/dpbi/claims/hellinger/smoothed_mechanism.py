r"""Sections 4.2 to 5.3: smooth sensitivity, the mechanism \(\mathcal M_{\mathcal H}\), its privacy and accuracy."""

import math
from contextvars import Context

import numpy as np

from ...accuracy import error_moments, error_tail
from ...arithmetic import exp, largest, less, log, maximum, number, numbers, widened
from ...mechanisms import ehd, laplace_in_order, smoothed_hellinger
from ...model import count_vectors, exponential_smooth_sensitivity, global_sensitivity, lattice_size, local_sensitivity
from ...model.datasets import moves, neighbours
from ...privacy import audit, hockey_stick
from .. import at_most, equal, grid, rows, statement
from ..quantities import distances, pure_bound
from .quantities import DELTA, EPSILON, FLAT, FLAT3, defined, distance, probability_at_distance, probability_of


def smoothness(epsilon, delta, n):
    r"""\(\gamma = \ln\bigl(1 - \frac{\varepsilon}{2\ln(\delta/(2(n+1)))}\bigr)\), as printed."""
    return log(1 - epsilon / (2 * log(delta / (2 * (n + 1)))))


def smooth(prior, counts, epsilon, delta):
    r"""\(S(x) = \max_{x'} LS(x')\, e^{-\gamma\, d(x, x')}\) with the printed \(\gamma\), as the library computes it."""
    return exponential_smooth_sensitivity(prior, counts, smoothness(epsilon, delta, sum(counts)))


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


def towards_zero(epsilon, move: int):
    r"""The probability of a move under Laplace noise truncated towards zero.

    A move d < 0 has the mass that rounding down gives d - 1, and 0 has the mass of 0 and of -1.
    """
    if move == 0:
        return noise_mass(epsilon, 0) + noise_mass(epsilon, -1)
    return noise_mass(epsilon, move if move > 0 else move - 1)


def log_sum_of_weights(prior, counts, epsilon, delta, rate):
    r"""\(\ln NL\), for \(NL = \sum_r e^{-\text{rate}\,\mathcal H}\), over any number of candidates.

    It is a sum in doubles with a proved bound, of prior weights that are doubles. The rate is rounded there, and
    \(\ln NL\) changes by no more than the rate, as no distance exceeds 1.
    """

    def in_doubles():
        mechanism, weights = smoothed_hellinger(float(epsilon), float(delta)), np.array([float(a) for a in prior])
        used = float(mechanism.finite_rate(weights, np.array(counts)))
        return error_moments(mechanism, weights, counts).log_normaliser, used

    (value, bound), used = Context().run(in_doubles)  # where no balls have been asked for
    return widened(number(value), number(bound) + abs(rate - number(used)))


def largest_ratio(sensitivities, n, k: int):
    """The largest ratio between neighbours, from the sensitivities at all datasets in the order of ``count_vectors``."""
    start, end = moves(int(n), k)
    return largest(sensitivities[end] / sensitivities[start])


@statement(
    "hellinger/definition-4.1",
    "Definition 4.1, equation (1)",
    says=r"$S(x) = \max_{x'} LS(x')\, e^{-\gamma d(x, x')}$ is the smooth sensitivity, defined by Nissim et al.",
    reading=r"$S(x) \le e^{\gamma} S(x')$ for neighbours, with the $\gamma$ of Section 4.2.1",
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
    says=r"the smooth sensitivity $S(x)$ in (1) will be computed by letting $x'$ range over all the elements in $\mathcal X^n$ adjacent to $x$",
    reading=r"it is still smooth, $S(x) \le e^{\gamma} S(x')$ for neighbours",
    holds=r"it is smooth if $x'$ ranges over all datasets, as in Definition 4.1",
    why="a maximum over neighbours does not see a large local sensitivity that is two steps away",
    cases=grid(prior=[FLAT3], n=[2, 6], epsilon=[EPSILON], delta=[DELTA]),
)
def smooth_adjacent(prior, n, epsilon, delta):
    """What holds is Definition 4.1. The sentence is about more than two categories; for two it fails as well."""
    gamma, found = smoothness(epsilon, delta, n), []
    for x in count_vectors(int(n), len(prior)):
        around = largest(local_sensitivity(prior, neighbours(x)))
        found.append(maximum(local_sensitivity(prior, x), around * exp(-gamma)))
    return largest_ratio(numbers(found), n, len(prior)), at_most(exp(gamma))


smooth_adjacent.instead(cases=smooth_all.cases)(smooth_all.body)


@statement(
    "hellinger/4.2-candidates",
    "Section 4.2.1",
    says=r"$\mathcal R_{post}$ has $\binom{n+1}{m-1}$ elements in this case",
    reading="for m categories",
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
    why=r"no candidate need have the score $\Delta + \hat s$",
    cases=grid(counts=[(1, 1), (2, 8)], share=[-0.5, 0.0]),
)
def sliding(counts, share):
    r"""In the cases \(\hat s = 0\), the score of the truth, and \(\Delta\) is a share of S(x). For \(\Delta = -S/2\) no
    candidate has the score \(\Delta\), so the right side is only \(\delta/2\). The lemma fails where \(\Delta\) leads from
    a score of a probability above \(\delta/2\) to one that no candidate has. The statement does not restrict \(\Delta\),
    although its proof asks for \(\Delta \ge -S(x)\), and it does not use its \(\lambda\).
    """
    epsilon, delta = number(EPSILON), number(DELTA)
    exact = probability_at_distance(defined(), FLAT, counts, counts)
    if share == 0:
        return exact, at_most(exp(epsilon / 2) * exact + delta / 2)
    there = probability_of_distance(defined(), FLAT, counts, -share * smooth(FLAT, counts, epsilon, delta))
    return exact, at_most(exp(epsilon / 2) * there + delta / 2)


@statement(
    "hellinger/lemma-4.1-formula",
    "Lemma 4.1 and its proof",
    says=sliding.says,
    reading=r"$\Pr[u(r, x) = s]$ is the formula $\exp(\frac{\varepsilon s}{2 S(x)}) / NL(x)$ of the proof, for all real scores $s$",
    given=(r"$\Delta \ge -S(x)$, as in the proof", lambda share: share >= -1),
    cases=grid(counts=[(1, 1), (2, 8)], score=[0.0, -0.4], share=[-1.0, -0.5, 2.0]),
)
def sliding_weights(counts, score, share):
    r"""It holds without the \(\delta/2\), and with \(\Delta = -S\) the two sides are then equal. In the cases \(\Delta\) is
    a share of S(x), and both sides are multiplied by NL(x).

    Proof: \(w(\hat s)/w(\hat s + \Delta) = e^{-\varepsilon\Delta/(2S)}\) for the weights \(w(s) = e^{\varepsilon s/(2S)}\).
    """
    epsilon = number(EPSILON)
    scale = smooth(FLAT, counts, epsilon, number(DELTA))
    here, there = (exp(epsilon * s / (2 * scale)) for s in (score, score + share * scale))
    return here, at_most(exp(epsilon / 2) * there)


@statement(
    "hellinger/lemma-4.2",
    "Lemma 4.2",
    says=r"$\Pr[u(z, x) = c] \le e^{\varepsilon/2} \Pr[u(z, x) = e^{\lambda} c] + \frac{\delta}{2}$ for $\lambda < |\beta|$, $|\delta| < 1$, $\beta \le \ln\bigl(1 - \frac{\varepsilon}{2\ln(\delta/(2(n+1)))}\bigr)$",
    reading=r"as in the proof, $\Pr[u(z, x) = c]$ is $h(c) = 2\exp(\frac{\varepsilon c}{2 S(x)}) / NL(x)$ for all real scores $c \le 0$; $\beta$ is the $\gamma$ of Section 4.2.1",
    given=(
        r"$c \le 0$, $\lambda \le \gamma$, and there is a record",
        lambda counts, score, share: score <= 0 and share <= 1 and sum(counts) >= 1,
    ),
    cases=[
        *grid(counts=[(1, 1), (2, 8), (30, 90)], score=[0.0, -0.3, -1.0, -20.0], share=[-1.0, 0.5, 1.0]),
        {"counts": (1, 0), "score": -17.8, "share": 1.0},
    ],
)
def dilation(counts, score, share):
    r"""In the cases \(\lambda\) is a share of \(\gamma\). As a statement on probabilities it would fail like Lemma 4.1, for
    no candidate need have the score \(e^\lambda c\): at x = (1, 1), with c the score of (2, 0) and \(\lambda = \gamma/2\),
    the left side is 0.484 and the right side is \(\delta/2\). Two signs in the proof are reversed: for \(\lambda < 0\) it
    is \(1 > e^\lambda\), and the event G is \(u \ge S/(1 - e^\lambda)\).

    Proof: for \(\lambda \le 0\) the score \(e^\lambda c \ge c\) weighs no less than c. For \(\lambda > 0\), if
    \(|c|(e^\lambda - 1) \le S\), then \(h(c)/h(e^\lambda c) \le e^{\varepsilon/2}\). Otherwise use \(NL \ge 1\) and
    \(e^\lambda - 1 \le e^\gamma - 1 = \varepsilon / (2\ln(2(n+1)/\delta))\):
    \[ h(c) \le 2\exp\Bigl(-\frac{\varepsilon}{2(e^\lambda - 1)}\Bigr) \le \frac{\delta}{n+1} \le \frac{\delta}{2} . \]
    """
    epsilon, delta = number(EPSILON), number(DELTA)
    factor = exp(share * smoothness(epsilon, delta, sum(counts)))
    rate, truth = epsilon / (2 * smooth(FLAT, counts, epsilon, delta)), probability_of(defined(), FLAT, counts, counts)
    here, there = (2 * truth * exp(rate * c) for c in (score, factor * score))
    return here, at_most(exp(epsilon / 2) * there + delta / 2)


@statement(
    "hellinger/lemma-4.2-tail",
    "Lemma 4.2, proof",
    says=r"when we set $\lambda \le \ln\bigl(1 - \frac{\varepsilon}{2\ln(\delta/(2(n+1)))}\bigr)$, $\Pr\bigl[u(\mathcal M_{\mathcal H}(x)) \le \frac{S(x)}{1 - e^\lambda}\bigr] \le \frac{\delta}{2}$",
    given=(
        r"there are two categories, and $0 < \lambda \le \gamma$",
        lambda prior, share: len(prior) == 2 and 0 < share <= 1,
    ),
    cases=rows(
        "prior counts epsilon share", (FLAT, (2, 8), EPSILON, 1.0), (FLAT, (4, 4), 9.0, 1.0), ((9, 9), (4, 4), 5.0, 0.5)
    ),
)
def dilation_tail(prior, counts, epsilon, share):
    r"""It counts n + 1 candidates, as there are for two categories. For more there are more of them, and here Lemma 4.3
    fails: ``hellinger/lemma-4.3-dirichlet``.

    Proof: each candidate of such a score weighs at most \(e^{-\varepsilon/(2(e^\lambda - 1))} \le \delta/(2(n+1))\), and the
    truth weighs 1.
    """
    delta, mechanism = number(DELTA), smoothed_hellinger(epsilon, number(DELTA))
    far = smooth(prior, counts, epsilon, delta) / (exp(share * smoothness(epsilon, delta, sum(counts))) - 1)
    return error_tail(mechanism, prior, counts, far), at_most(delta / 2)


SETTINGS = rows(
    "prior n epsilon delta", (FLAT, 2, EPSILON, DELTA), ((0.2, 7), 20, 20.0, DELTA), (FLAT3, 8, EPSILON, 1e-2)
)


@statement(
    "hellinger/lemma-4.3",
    "Lemma 4.3 and Definition 4.1",
    says=r"$\mathcal M_{\mathcal H}$ is $(\varepsilon, \delta)$-differential privacy",
    holds=r"for any number of categories it loses at most $\frac{\varepsilon}{2} \max_{x \sim x'} (2 + \Delta (1 - 2 S'))$ with $\Delta = \frac1{S'} - \frac1{S} \ge 0$",
    given=("there are two categories", lambda prior: len(prior) == 2),
    open=True,
    cases=[
        *rows("prior n epsilon delta", (FLAT, 2, EPSILON, DELTA), ((0.2, 7), 20, 20.0, DELTA), ((5, 5), 30, 0.1, 0.5)),
        {"prior": (1e-8, 1e-8), "n": 120, "epsilon": 50.0, "delta": 1e-8},
    ],
    accuracy=1e-7,  # a delta is a difference of probabilities, whose rounding is absolute
)
def smoothed_private(prior, n, epsilon, delta):
    r"""The exact side is \(\max_{x \sim x'} \max_E \Pr[M(x) \in E] - e^\varepsilon \Pr[M(x') \in E]\), over the sets E
    of outputs. Among 18,000 drawn priors (1e-8 to 1e4), numbers of records (to 120), budgets and \(\delta\) none was
    found where it exceeds \(\delta\); the largest was 6e-5 of \(\delta\). The printed proof does not
    settle it: it uses Lemmas 4.1 and 4.2 where no candidate has the score, and exchanges the sums of weights of
    different datasets.

    What is proved: a loss above \(\varepsilon\) from x to \(x'\) is as rare as \(\delta/2\) if \(NL(x') \le NL(x)\). With
    \(y = H(x, r)/S(x)\) the loss at the output r is at most \(\frac\varepsilon2 (1 + y(e^\gamma - 1))\), so that y is
    above \(1/(e^\gamma - 1)\), and the n + 1 candidates so far away have at most the probability \(\delta/2\), by
    ``hellinger/lemma-4.2-tail``. The case \(NL(x') > NL(x)\) is open.
    """
    return hockey_stick(smoothed_hellinger(epsilon, delta, 2), prior, n, epsilon), at_most(delta)


@smoothed_private.instead(cases=SETTINGS)
def smoothed_loss(prior, n, epsilon, delta):
    r"""This is pure differential privacy, without any \(\delta\). By smoothness \(\Delta \le (e^\gamma - 1)/S\). At
    \(\varepsilon = 0.8\), \(\delta = 10^{-8}\) and the flat prior of two categories the bound is at most 1.25
    \(\varepsilon\) at the numbers of records tried, up to 10,000: 1.039 \(\varepsilon\) at 100 and 1.231 at 1,000. It grows
    with the prior weights and with \(\varepsilon\).

    Proof: the argument for the local sensitivity in ``hellinger/4.1.2``, with S in place of LS, because
    \(H(x, x') \le LS(x') \le S(x')\).
    """
    loss = audit(smoothed_hellinger(epsilon, delta, 2), prior, n).epsilon
    return loss, at_most(epsilon / 2 * smoothed_bound(prior, n, epsilon, delta))


@statement(
    "hellinger/lemma-4.3-dirichlet",
    "Lemma 4.3 and Section 4.2.1, three or more categories",
    says=smoothed_private.says,
    given=("there are three or more categories; for two it is open", lambda k: k >= 3),
    reading=r"also $\mathcal M_{\mathcal H}^D$, to which Section 4.2.1 extends the mechanism, with the same $\gamma$",
    why=r"there are far more than $2(n+1)/\delta$ candidates, and the far ones together outweigh the near ones",
    cases=rows("k n weight epsilon delta", (10, 60, 10, 6.0, 0.001), (5, 600, 4, 8.0, 0.1), (3, 10**11, 29, 8.0, 0.03)),
)
def smoothed_dirichlet(k, n, weight, epsilon, delta):
    r"""All prior weights are equal, all records are in one category at x, and at \(x'\) one of them in another. The exact
    side is the gain \(\Pr[M(x) = x] - e^\varepsilon \Pr[M(x') = x]\) of the single output x: 0.0447 for ten categories
    and a \(\delta\) of 0.001. S(x) is smaller than \(S(x')\), so that far candidates weigh less at x. The sums of the weights
    are certified without a list of the candidates. For five categories 600 records refute it, for three 1e11 records.
    What holds moreover at ``hellinger/lemma-4.3`` covers any number of categories.
    """
    categories, records, prior = int(k), int(n), (weight,) * int(k)
    x, other = (0,) * (categories - 1) + (records,), (1,) + (0,) * (categories - 2) + (records - 1,)
    rate, its_rate = (epsilon / (2 * smooth(prior, counts, epsilon, delta)) for counts in (x, other))
    kept = exp(-log_sum_of_weights(prior, x, epsilon, delta, rate))
    log_sum = log_sum_of_weights(prior, other, epsilon, delta, its_rate)
    return kept - exp(epsilon - its_rate * distance(prior, other, x) - log_sum), at_most(delta)


@statement(
    "hellinger/5-privacy",
    "Section 5",
    says=r"$\mathcal M_{\mathcal H}$ with weights $\exp(-\varepsilon \mathcal H / S)$ is $(\varepsilon, \delta)$-differentially private",
    reading="nobody printed it; Section 5 and the experiments compute with these weights, while Lemma 4.3 has the factor 2",
    holds=r"it loses at most $\varepsilon \max_{x \sim x'} (2 + \Delta(1 - 2S'))$",
    why="the lemma is about Definition 4.1, whose factor 2 is left out here",
    by="ours",
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
    given=(r"$t \ge 0$", lambda t: t >= 0),
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
    says=r"$Lap_i = \mathrm{floor}(Y)$, $\Pr[|Lap_i|] = \Pr[|Lap_i| \le |Y| < |Lap_i| + 1] = e^{-|Lap_i|\varepsilon/2} - e^{-(|Lap_i|+1)\varepsilon/2}$",
    holds=r"$\Pr[|\lfloor Y \rfloor| = m] = \frac12 (1 - r)\, (r^m + r^{m-1}\,[m \ge 1])$, $r = e^{-\varepsilon/2}$",
    why="the formula belongs to noise that is rounded towards zero, as in the next row",
    cases=grid(m=[0, 1, 5], epsilon=[0.1, EPSILON]),
)
def floored_noise(m, epsilon):
    r"""Rounding towards zero turns the whole interval \((-1, 1)\) into 0, rounding down only \([0, 1)\). That is half as
    probable: 0.1648 instead of 0.3297 at \(\varepsilon = 0.8\). The second printed equation is right.

    Proof of what holds: the event \(m \le Y < m+1\) has probability \(\frac12(1-r)r^m\), and \(-m \le Y < 1-m\) has
    \(\frac12(1-r)r^{m-1}\). At m = 0 there is no second event.
    """
    r, whole = exp(-epsilon / 2), int(m)
    exact = noise_mass(epsilon, m) + (noise_mass(epsilon, -m) if whole else 0)
    right = (1 - r) / 2 * (r**whole + (r ** (whole - 1) if whole else 0))
    return exact, equal(exp(-m * epsilon / 2) - exp(-(m + 1) * epsilon / 2)), equal(right)


@statement(
    "hellinger/5.1-noises",
    "Section 5.1",
    says=r"$\Pr[\{|Lap_1|, \dots, |Lap_{m-1}|\}] = \prod_i \Pr[|Lap_i| \le |Y| < |Lap_i| + 1] = \prod_i (e^{-|Lap_i|\varepsilon/2} - e^{-(|Lap_i|+1)\varepsilon/2})$",
    reading="floor rounds towards zero, as in the Laplace columns of both tables",
    cases=rows("sizes epsilon", ((0,), EPSILON), ((3,), 0.1), ((1, 0), EPSILON), ((2, 5, 1), 5.0)),
)
def truncated_noises(sizes, epsilon):
    r"""With one noise it is the formula of ``hellinger/5.1-noise``.

    Proof: the noises are independent, and |Y|, with the rate \(\varepsilon/2\), is exponential.
    """
    found = [sum(towards_zero(epsilon, move) for move in {int(m), -int(m)}) for m in sizes]
    return math.prod(found), equal(math.prod(exp(-m * epsilon / 2) - exp(-(m + 1) * epsilon / 2) for m in sizes))


FAR = rows(
    "prior counts epsilon c", (FLAT, (2, 18), EPSILON, 0.3), (FLAT, (4, 4), 5.0, 0.7), (FLAT3, (2, 3, 3), 0.1, 0.3)
)
UNDIVIDED = r"$\mathcal M_{\mathcal H}$ has the weights of Section 5, without the factor 2 of Definition 4.1"
THIRD = r"$N(n) = 1 + (k-1)\, e^{-\varepsilon}$ for k categories"
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
    r"""The distance of every candidate, and its weight \(e^{-\varepsilon \mathcal H/S(x)}\)."""
    found = distances(prior, counts, count_vectors(int(sum(counts)), len(counts)))
    return found, exp(-epsilon / smooth(prior, counts, epsilon, number(DELTA)) * found)


@statement(
    "hellinger/5.2",
    "Section 5.2",
    says=r"$\Pr[\mathcal H(BI(x), z) \ge c] \le |R| \exp\bigl(\frac{-\varepsilon c}{2\Delta_g}\bigr)$",
    given=("there is a record", lambda counts: sum(counts) >= 1),
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
    reading=UNDIVIDED,
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
    reading=UNDIVIDED,
    cases=[*FAR, APART],
)
def counted_accuracy(prior, counts, epsilon, c):
    r"""Proof: at most |R| candidates are that far, and each of them weighs at most \(e^{-\varepsilon c/S}\)."""
    _, of_each = weights(prior, counts, epsilon)
    bound = candidates_at(prior, counts, epsilon, c) / of_each.sum()
    return far_share(prior, counts, epsilon, c), at_most(bound)


@statement(
    "hellinger/5.3-third",
    "Section 5.3, third bound",
    says=r"$\Pr[\mathcal H(BI(x), z) \ge c] \le \frac{|R| \exp(-\varepsilon c / S(x))}{N(n)}$, where we replace the $NL_x$ with a value only related to the size of the data",
    reading=f"there is such an N(n), which the paper did not find: {THIRD}; {UNDIVIDED}",
    given=("there is a record", lambda counts: sum(counts) >= 1),
    cases=[*FAR, APART],
)
def sized_accuracy(prior, counts, epsilon, c):
    r"""Any lower bound on the sum of the weights that depends on n only would do for N(n). This one depends on the number
    of categories and on \(\varepsilon\), which are fixed, and not even on n.

    Proof: the truth weighs 1. It has at least k - 1 neighbours, each within \(LS(x) \le S(x)\) of it and so of weight
    at least \(e^{-\varepsilon}\).
    """
    least = 1 + (len(prior) - 1) * exp(-epsilon)
    return far_share(prior, counts, epsilon, c), at_most(candidates_at(prior, counts, epsilon, c) / least)
