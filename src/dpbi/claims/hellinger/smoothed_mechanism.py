r"""Sections 4.2 to 5.3: smooth sensitivity, and the privacy and accuracy of the mechanism
\(\mathcal M_{\mathcal H}\)."""

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
    r"""The printed rate \(\gamma = \ln\bigl(1 - \frac{\varepsilon}{2\ln(\delta/(2(n+1)))}\bigr)\) of the smooth
    sensitivity.
    """
    return log(1 - epsilon / (2 * log(delta / (2 * (n + 1)))))


def smooth(prior, counts, epsilon, delta):
    r"""Smooth sensitivity \(S(x) = \max_{x'} LS(x')\, e^{-\gamma\, d(x, x')}\) with the printed rate \(\gamma\)."""
    return exponential_smooth_sensitivity(prior, counts, smoothness(epsilon, delta, sum(counts)))


def smoothed_bound(prior, n, epsilon, delta):
    r"""Maximum of \(2 + \Delta(1 - 2S')\) over neighbouring datasets, where \(\Delta = 1/S' - 1/S \ge 0\).

    A mechanism with the weights \(e^{-\lambda H / S}\) has a privacy loss of at most \(\lambda\) times this maximum, as
    the docstring of ``pure_bound`` proves.
    """
    gamma = smoothness(epsilon, delta, n)
    return pure_bound(prior, n, lambda datasets: exponential_smooth_sensitivity(prior, datasets, gamma))


def noise_mass(epsilon, move):
    r"""Probability \(\Pr[\lfloor Y \rfloor = m]\) of a move by m for \(Y \sim \mathrm{Lap}(2/\varepsilon)\).

    The function computes this probability for a dataset so large that the move reaches neither 0 nor n.
    """
    middle = abs(int(move)) + 1  # the move leaves at least one record in each category
    return probability_of(laplace_in_order(epsilon), FLAT, (middle, middle), (middle + int(move), middle - int(move)))


def towards_zero(epsilon, move: int):
    """Probability of a move under Laplace noise that is truncated towards zero.

    A move away from zero has the same probability in either direction. No move has twice the probability that it has
    under noise that is rounded down, because noise between -1 and 0 also becomes 0.
    """
    return noise_mass(epsilon, abs(move)) * (1 if move else 2)


def rate_and_log_sum(prior, counts, epsilon, delta):
    r"""Rate \(\varepsilon/(2S(x))\) of the weights, and the logarithm \(\ln NL\) of their sum
    \(NL = \sum_r e^{-\text{rate}\,\mathcal H}\), for any number of candidates.

    The prior weights must be doubles. The sum is computed in doubles, with a proved error bound. Rounding the rate to a
    double changes \(\ln NL\) by at most the rounding error of the rate, because no distance exceeds 1.
    """

    def in_doubles():
        mechanism, weights = smoothed_hellinger(float(epsilon), float(delta)), np.array([float(a) for a in prior])
        used = float(mechanism.finite_rate(weights, np.array(counts)))
        return error_moments(mechanism, weights, counts).log_normaliser, used

    (value, bound), used = Context().run(in_doubles)  # a new context computes in doubles, even inside ball arithmetic
    rate = epsilon / (2 * smooth(prior, counts, epsilon, delta))
    return rate, widened(number(value), number(bound) + abs(rate - number(used)))


def largest_ratio(sensitivities, n, k: int):
    """Largest ratio of the sensitivities at two neighbouring datasets.

    The argument ``sensitivities`` contains the sensitivities at all datasets, in the order of ``count_vectors``.
    """
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
    r"""Definition 4.1 denotes the rate by both \(\beta\) and \(\gamma\).

    Proof: every dataset z satisfies \(d(x', z) \le d(x, z) + 1\), so each term of the maximum changes by a factor of at
    most \(e^{\gamma}\) between x and \(x'\).
    """
    gamma = smoothness(epsilon, delta, n)
    found = exponential_smooth_sensitivity(prior, count_vectors(int(n), len(prior)), gamma)
    return largest_ratio(found, n, len(prior)), at_most(exp(gamma))


@statement(
    "hellinger/4.2-adjacent",
    "Section 4.2.1, Dirichlet system",
    says=r"the smooth sensitivity $S(x)$ in (1) will be computed by letting $x'$ range over all the elements in $\mathcal X^n$ adjacent to $x$",
    reading=r"this maximum is still smooth, that is, $S(x) \le e^{\gamma} S(x')$ for neighbours",
    holds=r"$S$ is smooth if $x'$ ranges over all datasets, as in Definition 4.1",
    why="a maximum over neighbours misses a large local sensitivity at a dataset two steps away",
    cases=grid(prior=[FLAT3], n=[2, 6], epsilon=[EPSILON], delta=[DELTA]),
)
def smooth_adjacent(prior, n, epsilon, delta):
    r"""In the correct formula, which Definition 4.1 gives, \(x'\) ranges over all datasets. The quoted sentence is
    about more than two categories, but its formula fails for two categories as well.
    """
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
    reading="there are m categories",
    holds=r"$|\mathcal R_{post}| = \binom{n+m-1}{m-1}$",
    why="the upper number of the binomial coefficient is n + m - 1 and not n + 1",
    only_if=("$m = 2$", lambda k: k == 2),
    cases=rows("n k", (8, 2), (1, 3), (60, 3), (5, 4)),
)
def many_candidates(n, k):
    """The paper writes m for the number k of categories. For k = 3 and n = 60, the printed formula gives 1830, but
    there are 1891 candidates. Table 2 was computed with the correct number.

    Proof: for k = 2 both formulas give n + 1.

    Proof of what holds: the candidates correspond to the sequences of n stars, one for each record, and k - 1 bars that
    separate the categories.
    """
    printed, right = math.comb(int(n) + 1, int(k) - 1), math.comb(int(n + k) - 1, int(k) - 1)
    return number(len(count_vectors(int(n), int(k)))), equal(number(printed)), equal(number(right))


@statement(
    "hellinger/lemma-4.1",
    "Lemma 4.1",
    says=r"$\Pr[u(r, x) = \hat s] \le e^{\varepsilon/2} \Pr[u(r, x) = \Delta + \hat s] + \frac{\delta}{2}$ for $\lambda = f(\varepsilon, \delta)$, $\varepsilon \ge 0$, $|\delta| < 1$",
    why=r"there need not be a candidate with the score $\Delta + \hat s$",
    cases=grid(counts=[(1, 1), (2, 8)], share=[-0.5, 0.0]),
)
def sliding(counts, share):
    r"""The lemma is checked for \(\hat s = 0\), which is the score of the truth, and for \(\Delta\) equal to a multiple
    of S(x). For \(\Delta = -S(x)/2\), no candidate has the score \(\Delta\), so the right side is only \(\delta/2\).
    The lemma fails whenever the score \(\hat s\) has a probability above \(\delta/2\) and no candidate has the score
    \(\Delta + \hat s\). As stated, the lemma does not restrict \(\Delta\), although its proof requires
    \(\Delta \ge -S(x)\). The lemma makes no use of its \(\lambda\).
    """
    epsilon, delta = number(EPSILON), number(DELTA)
    exact = probability_at_distance(defined(), FLAT, counts, counts)
    law, t = defined().law(FLAT, counts), -share * smooth(FLAT, counts, epsilon, delta)
    errors = distances(FLAT, counts, law.outputs)
    # a distance equals t if it is neither smaller nor larger; ball arithmetic rejects a tie as undecided
    there = sum(exp(law.log_probabilities[~less(errors, t) & ~less(t, errors)]))
    return exact, at_most(exp(epsilon / 2) * there + delta / 2)


@statement(
    "hellinger/lemma-4.1-formula",
    "Lemma 4.1 and its proof",
    says=sliding.says,
    reading=r"$\Pr[u(r, x) = s]$ stands for the formula $\exp(\frac{\varepsilon s}{2 S(x)}) / NL(x)$ of the proof, for all real scores $s$",
    given=(r"$\Delta \ge -S(x)$, as in the proof", lambda share: share >= -1),
    cases=grid(counts=[(1, 1), (2, 8)], score=[0.0, -0.4], share=[-1.0, -0.5, 2.0]),
)
def sliding_weights(counts, score, share):
    r"""The inequality is true even without the term \(\delta/2\), and without this term it is an equality for
    \(\Delta = -S(x)\). The check uses multiples of S(x) for \(\Delta\) and multiplies both sides by NL(x).

    Proof: the weights \(w(s) = e^{\varepsilon s/(2S)}\) satisfy
    \(w(\hat s)/w(\hat s + \Delta) = e^{-\varepsilon\Delta/(2S)}\), which is at most \(e^{\varepsilon/2}\) for
    \(\Delta \ge -S\).
    """
    epsilon = number(EPSILON)
    scale = smooth(FLAT, counts, epsilon, number(DELTA))
    here, there = (exp(epsilon * s / (2 * scale)) for s in (score, score + share * scale))
    return here, at_most(exp(epsilon / 2) * there)


@statement(
    "hellinger/lemma-4.2",
    "Lemma 4.2",
    says=r"$\Pr[u(z, x) = c] \le e^{\varepsilon/2} \Pr[u(z, x) = e^{\lambda} c] + \frac{\delta}{2}$ for $\lambda < |\beta|$, $|\delta| < 1$, $\beta \le \ln\bigl(1 - \frac{\varepsilon}{2\ln(\delta/(2(n+1)))}\bigr)$",
    reading=r"as in the proof, $\Pr[u(z, x) = c]$ stands for $h(c) = 2\exp(\frac{\varepsilon c}{2 S(x)}) / NL(x)$ for all real scores $c \le 0$; $\beta$ is the $\gamma$ of Section 4.2.1",
    given=(
        r"$c \le 0$, $\lambda \le \gamma$, and there is at least one record",
        lambda counts, score, share: score <= 0 and share <= 1 and sum(counts) >= 1,
    ),
    cases=grid(counts=[(1, 0), (2, 8), (30, 90)], score=[0.0, -0.3, -17.8], share=[-1.0, 0.5, 1.0]),
)
def dilation(counts, score, share):
    r"""The check uses multiples of \(\gamma\) for \(\lambda\). If the lemma is read as a statement about probabilities,
    it fails for the same reason as Lemma 4.1: there need not be a candidate with the score \(e^\lambda c\). For
    example, let x = (1, 1), let c be the score of (2, 0), and let \(\lambda = \gamma/2\). Then the left side is 0.484,
    and the right side is \(\delta/2\). The printed proof has two reversed signs: for \(\lambda < 0\) the correct
    inequality is \(1 > e^\lambda\), and the event G is \(u \ge S/(1 - e^\lambda)\).

    Proof: if \(\lambda \le 0\), the score \(e^\lambda c\) is at least c, so its weight is at least the weight of c. Now
    let \(\lambda > 0\). If \(|c|(e^\lambda - 1) \le S\), then \(h(c)/h(e^\lambda c) \le e^{\varepsilon/2}\). Otherwise
    use \(NL \ge 1\) and \(e^\lambda - 1 \le e^\gamma - 1 = \varepsilon / (2\ln(2(n+1)/\delta))\):
    \[ h(c) \le 2\exp\Bigl(-\frac{\varepsilon}{2(e^\lambda - 1)}\Bigr) \le \frac{\delta}{n+1} \le \frac{\delta}{2} . \]
    """
    epsilon, delta = number(EPSILON), number(DELTA)
    factor = exp(share * smoothness(epsilon, delta, sum(counts)))
    # the truth has the weight 1, so its probability is 1 / NL(x)
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
    r"""The bound assumes that there are n + 1 candidates, which is correct for two categories. For three or more
    categories there are more candidates, and this is why Lemma 4.3 fails there (``hellinger/lemma-4.3-dirichlet``).

    Proof: each candidate whose score is at most \(S/(1 - e^\lambda)\) has a weight of at most
    \(e^{-\varepsilon/(2(e^\lambda - 1))} \le \delta/(2(n+1))\). There are at most n + 1 such candidates, and the truth
    has the weight 1.
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
    holds=r"for any number of categories the loss is at most $\frac{\varepsilon}{2} \max_{x \sim x'} (2 + \Delta (1 - 2 S'))$ with $\Delta = \frac1{S'} - \frac1{S} \ge 0$",
    given=("there are two categories", lambda prior: len(prior) == 2),
    open=True,
    cases=[*SETTINGS, *rows("prior n epsilon delta", ((5, 5), 30, 0.1, 0.5), ((1e-8, 1e-8), 120, 50.0, 1e-8))],
    accuracy=1e-7,  # delta is a difference of probabilities, whose rounding errors are absolute and not relative
)
def smoothed_private(prior, n, epsilon, delta):
    r"""The exact number is \(\max_{x \sim x'} \max_E \Pr[M(x) \in E] - e^\varepsilon \Pr[M(x') \in E]\), where E ranges
    over the sets of outputs. A search drew 18,000 random combinations of a prior (weights from 1e-8 to 1e4), a number
    of records (up to 120), a budget and a \(\delta\). The maximum never exceeded 6e-5 times \(\delta\). The printed
    proof does not settle whether the lemma is true. It applies Lemmas 4.1 and 4.2 to scores that no candidate has, and
    it replaces the sum of the weights for one dataset by the sum for another dataset.

    Only the following part is proved: if \(NL(x') \le NL(x)\), the loss from x to \(x'\) exceeds \(\varepsilon\) with
    probability at most \(\delta/2\). To see this, let \(y = H(x, r)/S(x)\). The loss at the output r is at most
    \(\frac\varepsilon2 (1 + y(e^\gamma - 1))\), so the loss exceeds \(\varepsilon\) only if y is above
    \(1/(e^\gamma - 1)\). By ``hellinger/lemma-4.2-tail``, the candidates with such a large y have a total probability
    of at most \(\delta/2\). For \(NL(x') > NL(x)\), the question is open.
    """
    return hockey_stick(smoothed_hellinger(epsilon, delta, 2), prior, n, epsilon), at_most(delta)


@smoothed_private.instead(cases=SETTINGS)
def smoothed_loss(prior, n, epsilon, delta):
    r"""This bound implies pure differential privacy, without any \(\delta\). By smoothness,
    \(\Delta \le (e^\gamma - 1)/S\). For \(\varepsilon = 0.8\), \(\delta = 10^{-8}\) and the flat prior on two
    categories, the bound is at most \(1.25\,\varepsilon\) for all numbers of records that were tried, up to 10,000. For
    example, the bound is \(1.039\,\varepsilon\) for 100 records and \(1.231\,\varepsilon\) for 1,000 records. The bound
    grows with the prior weights and with \(\varepsilon\).

    Proof: the argument for the local sensitivity in ``hellinger/4.1.2`` applies with S in place of LS, because
    \(H(x, x') \le LS(x') \le S(x')\).
    """
    loss = audit(smoothed_hellinger(epsilon, delta, 2), prior, n).epsilon
    return loss, at_most(epsilon / 2 * smoothed_bound(prior, n, epsilon, delta))


@statement(
    "hellinger/lemma-4.3-dirichlet",
    "Lemma 4.3 and Section 4.2.1, three or more categories",
    says=smoothed_private.says,
    given=("there are three or more categories; for two categories the question is open", lambda k: k >= 3),
    reading=r"the statement includes $\mathcal M_{\mathcal H}^D$, to which Section 4.2.1 extends the mechanism with the same $\gamma$",
    why=r"there are far more than $2(n+1)/\delta$ candidates, and the distant ones together outweigh the near ones",
    cases=rows("k n weight epsilon delta", (10, 60, 10, 6.0, 0.001), (5, 600, 4, 8.0, 0.1), (3, 10**11, 29, 8.0, 0.03)),
)
def smoothed_dirichlet(k, n, weight, epsilon, delta):
    r"""Let all prior weights be equal. In x all records are in one category, and in \(x'\) one of the records is in
    another category. The exact number is the difference \(\Pr[M(x) = x] - e^\varepsilon \Pr[M(x') = x]\) for the single
    output x. For ten categories and \(\delta = 0.001\), this difference is 0.0447. The lemma fails because S(x) is
    smaller than \(S(x')\), so that distant candidates have smaller weights under x than under \(x'\). The sums of the
    weights are certified without listing the candidates. The counterexample with five categories has 600 records, and
    the counterexample with three categories has 1e11 records. The additional bound in ``hellinger/lemma-4.3`` holds for
    any number of categories.
    """
    categories, records, prior = int(k), int(n), (weight,) * int(k)
    x, other = (0,) * (categories - 1) + (records,), (1,) + (0,) * (categories - 2) + (records - 1,)
    (_, log_sum), (rate, its_log_sum) = (rate_and_log_sum(prior, counts, epsilon, delta) for counts in (x, other))
    # at x the output x has distance 0 and weight 1
    return exp(-log_sum) - exp(epsilon - rate * distance(prior, other, x) - its_log_sum), at_most(delta)


@statement(
    "hellinger/5-privacy",
    "Section 5",
    says=r"$\mathcal M_{\mathcal H}$ with weights $\exp(-\varepsilon \mathcal H / S)$ is $(\varepsilon, \delta)$-differentially private",
    reading="no source prints this claim; Section 5 and the experiments compute with these weights, while Lemma 4.3 includes the factor 2",
    holds=r"the loss is at most $\varepsilon \max_{x \sim x'} (2 + \Delta(1 - 2S'))$",
    why="the lemma is about Definition 4.1, whose factor 2 is omitted here",
    by="ours",
    cases=SETTINGS,
    accuracy=1e-7,  # delta is a difference of probabilities, whose rounding errors are absolute and not relative
)
def undivided_private(prior, n, epsilon, delta):
    r"""Two records with the flat prior give a counterexample: for \(\varepsilon = 0.8\), the loss from (2, 0) to (1, 1)
    is 0.9106, and the smallest valid \(\delta\) is 0.0616.
    """
    return hockey_stick(smoothed_hellinger(epsilon, delta, 1), prior, n, epsilon), at_most(delta)


@undivided_private.instead(cases=SETTINGS)
def undivided_loss(prior, n, epsilon, delta):
    """Proof: the proof of the pure bound in ``hellinger/lemma-4.3`` applies with twice the rate."""
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
    r"""The exact number is the sum of two probabilities, computed with two records and the noise \(Y/t\) rounded down.
    The first is the probability that the noise moves the count 1 up to 2, which is the event \(Y \ge t\). The second is
    the probability that the noise moves the count 2 down to 0, which is the event \(Y < -t\).

    Proof: \(|Y|\) has an exponential distribution with the rate \(\varepsilon/2\).
    """
    mechanism = laplace_in_order(epsilon * t)
    ends = probability_of(mechanism, FLAT, (1, 1), (2, 0)) + probability_of(mechanism, FLAT, (2, 0), (0, 2))
    return ends, equal(exp(-t * epsilon / 2))


@statement(
    "hellinger/5.1-noise",
    "Section 5.1",
    says=r"$Lap_i = \mathrm{floor}(Y)$, $\Pr[|Lap_i|] = \Pr[|Lap_i| \le |Y| < |Lap_i| + 1] = e^{-|Lap_i|\varepsilon/2} - e^{-(|Lap_i|+1)\varepsilon/2}$",
    holds=r"$\Pr[|\lfloor Y \rfloor| = m] = \frac12 (1 - r)\, (r^m + r^{m-1}\,[m \ge 1])$, $r = e^{-\varepsilon/2}$",
    why="the formula is correct for noise that is rounded towards zero, but not for noise that is rounded down",
    cases=grid(m=[0, 1, 5], epsilon=[0.1, EPSILON]),
)
def floored_noise(m, epsilon):
    r"""Rounding towards zero maps the whole interval \((-1, 1)\) to 0, but rounding down maps only \([0, 1)\) to 0. The
    interval \([0, 1)\) has half the probability of \((-1, 1)\): 0.1648 instead of 0.3297 for \(\varepsilon = 0.8\). The
    second of the two printed equations is correct.

    Proof of what holds: the event \(m \le Y < m+1\) has probability \(\frac12(1-r)r^m\), and for \(m \ge 1\) the event
    \(-m \le Y < 1-m\) has probability \(\frac12(1-r)r^{m-1}\). For m = 0 there is only the first event.
    """
    r, whole = exp(-epsilon / 2), int(m)
    exact = noise_mass(epsilon, m) + (noise_mass(epsilon, -m) if whole else 0)  # for m = 0 the two events are the same
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
    r"""For a single noise variable, this is the printed formula of ``hellinger/5.1-noise``.

    Proof: the noise variables are independent, and each |Y| has an exponential distribution with the rate
    \(\varepsilon/2\).
    """
    found = [sum(towards_zero(epsilon, move) for move in {int(m), -int(m)}) for m in sizes]
    return math.prod(found), equal(math.prod(exp(-m * epsilon / 2) - exp(-(m + 1) * epsilon / 2) for m in sizes))


FAR = rows(
    "prior counts epsilon c", (FLAT, (2, 18), EPSILON, 0.3), (FLAT, (4, 4), 5.0, 0.7), (FLAT3, (2, 3, 3), 0.1, 0.3)
)
UNDIVIDED = r"$\mathcal M_{\mathcal H}$ has the weights of Section 5, without the factor 2 of Definition 4.1"
APART = {"prior": (1e-9, 1e-9), "counts": (0, 300), "epsilon": 30.0, "c": 0.9999}
"""Parameter values for which all candidates but the truth are at a distance near 1, and the truth has nearly all of the
probability."""


def far_share(prior, counts, epsilon, c):
    """Probability of an error of at least c under the mechanism of Section 5, whose divisor is 1."""
    return error_tail(smoothed_hellinger(epsilon, number(DELTA), 1), prior, counts, c)


def candidates_at(prior, counts, epsilon, c):
    r"""Number of candidates times the weight of a candidate at the distance c, \(|R| \exp(-\varepsilon c / S(x))\)."""
    scale = smooth(prior, counts, epsilon, number(DELTA))
    return lattice_size(int(sum(counts)), len(counts)) * exp(-epsilon * c / scale)


def weights(prior, counts, epsilon):
    r"""Distances of all candidates from the truth, and their weights \(e^{-\varepsilon \mathcal H/S(x)}\).

    The smooth sensitivity S(x) is computed from its definition as a maximum over all datasets, so the statements of
    Section 5.3 compare the library's S(x) with this maximum.
    """
    datasets = count_vectors(int(sum(counts)), len(counts))
    replaced = np.abs(datasets - np.array([int(c) for c in counts])).sum(axis=1) // 2
    decay = exp(numbers(replaced) * -smoothness(epsilon, number(DELTA), sum(counts)))
    found = distances(prior, counts, datasets)
    return found, exp(-epsilon / largest(local_sensitivity(prior, datasets) * decay) * found)


@statement(
    "hellinger/5.2",
    "Section 5.2",
    says=r"$\Pr[\mathcal H(BI(x), z) \ge c] \le |R| \exp\bigl(\frac{-\varepsilon c}{2\Delta_g}\bigr)$",
    given=("there is at least one record", lambda counts: sum(counts) >= 1),
    cases=[*FAR, APART],
)
def global_accuracy(prior, counts, epsilon, c):
    r"""Proof: let \(\Delta_g\) be the global sensitivity. At most |R| candidates have a distance of at least c, and
    each of them has a weight of at most \(e^{-\varepsilon c/(2\Delta_g)}\). The sum of all weights is at least 1,
    because the truth has the weight 1.
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
    """The right side of the printed formula is the probability itself and not a bound.

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
    r"""Proof: at most |R| candidates have a distance of at least c, and each of them has a weight of at most
    \(e^{-\varepsilon c/S}\).
    """
    _, of_each = weights(prior, counts, epsilon)
    return far_share(prior, counts, epsilon, c), at_most(candidates_at(prior, counts, epsilon, c) / of_each.sum())


@statement(
    "hellinger/5.3-third",
    "Section 5.3, third bound",
    says=r"$\Pr[\mathcal H(BI(x), z) \ge c] \le \frac{|R| \exp(-\varepsilon c / S(x))}{N(n)}$, where we replace the $NL_x$ with a value only related to the size of the data",
    reading=rf"a suitable N(n), which the paper did not find, exists: $N(n) = 1 + (k-1)\, e^{{-\varepsilon}}$ for k categories; {UNDIVIDED}",
    given=("there is at least one record", lambda counts: sum(counts) >= 1),
    cases=[*FAR, APART],
)
def sized_accuracy(prior, counts, epsilon, c):
    r"""Any lower bound on the sum of the weights that depends only on n can serve as N(n). The bound
    \(1 + (k-1)\, e^{-\varepsilon}\) does not even depend on n: it depends only on \(\varepsilon\) and the number k of
    categories, which are fixed.

    Proof: the truth has the weight 1 and at least k - 1 neighbours. Each neighbour is within \(LS(x) \le S(x)\) of the
    truth, and therefore has a weight of at least \(e^{-\varepsilon}\).
    """
    least = 1 + (len(prior) - 1) * exp(-epsilon)
    return far_share(prior, counts, epsilon, c), at_most(candidates_at(prior, counts, epsilon, c) / least)
