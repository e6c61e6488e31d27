"""Theorems of this book and of the literature on optimal mechanisms, the privacy loss of EHD and repeated use.

The page *Optimality* also contains the proofs of the theorems on optimal mechanisms for counts. For two categories, x
denotes the first count.
"""

import numpy as np

from ...accuracy import error_tail, mean_errors
from ...arithmetic import exp, expm1, largest, log1p, minimum, number, numbers, smallest
from ...divergences import hockey_stick_divergence
from ...guarantees import BoundedRange, two_outputs
from ...inference import aware_intervals, coverage
from ...mechanisms import MECHANISMS, all_laws, ehd, geometric, lattice_laplace, lshist
from ...mechanisms.remaps import remapped_geometric
from ...model import count_vectors, global_sensitivity, hellinger, lattice_distances, marginal, moves, posterior
from ...optimum import dominating_remap, least_mean_error, least_worst_error, minimax_remap
from ...privacy import audit
from .. import above, at_least, at_most, equal, grid, only_in_doubles, statement

TWO = ("there are two categories", lambda prior: len(prior) == 2)
G = r"$G = x + Z$ with $\Pr[Z = z] \propto e^{-\varepsilon |z|}$, clipped to 0..n"
"""Definition of the geometric mechanism, for use in statements."""


@statement(
    "beyond/1-unimodal",
    "The distance has one valley",
    says=r"$H(x, r+1) > H(x, r)$ for $x \le r < n$, $H(x, r-1) > H(x, r)$ for $0 < r \le x$",
    given=(r"there are two categories and $0 \le x \le n$", lambda prior, n, x: len(prior) == 2 and 0 <= x <= n),
    cases=grid(prior=[(1, 1), (0.5, 3), (0.01, 20)], n=[9], x=[0, 4, 9]),
)
def unimodal(prior, n, x):
    r"""The check computes the smallest change of the distance over all steps away from x.

    Proof: let N be the sum of the posterior's parameters, let \(L(c) = \ln\Gamma(c) + \ln\Gamma(N - c)\), and let \(c =
    \alpha_1 + x\) and \(c' = \alpha_1 + r\). Then \(\ln(1 - H^2) = L(\frac{c + c'}{2}) - \frac12 (L(c) + L(c'))\). The
    derivative of the right side with respect to c' is \(\frac12 (L'(\frac{c+c'}{2}) - L'(c'))\). This derivative has
    the sign of \(c - c'\), because L is strictly convex.
    """
    n, x = int(n), int(x)
    error = hellinger(posterior(prior, (x, n - x)), posterior(prior, count_vectors(n, 2)))
    steps = error[1:] - error[:-1]
    # the steps below x are reversed: then all steps lead away from x
    return smallest(np.concatenate([-steps[:x], steps[x:]])), above(0)


@statement(
    "beyond/2-domination",
    "Domination theorem",
    says=rf"for every $\varepsilon$-private P whose outputs are counts there is a remap T, the same for all x, with $\Pr_x[GT \le t] \ge \Pr_x[P \le t]$ for $t \ge x$ and $\Pr_x[GT > t] \ge \Pr_x[P > t]$ for $t < x$; {G}; T may be randomised",
    given=TWO,
    cases=grid(mechanism=["ehd", "ehds", "lshist", "lszhang"], prior=[(0.5, 2)], n=[12], epsilon=[0.3, 2]),
)
def domination(mechanism, prior, n, epsilon):
    r"""The check computes the smallest difference between the two probabilities over all thresholds and datasets;
    positive differences favour the remap.

    Proof: let \(f_x = \Pr_x[P \le t]\). Privacy, applied to the event \(P \le t\) and to its complement, implies
    \(f_{x+1} \ge \phi(f_x)\) with \(\phi(f) = \max(q f, 1 - (1-f)/q)\). Consider the event that the output of the
    geometric mechanism is at most a threshold, with randomisation at the threshold. The probabilities of this event
    satisfy the recursion with equality. Choose the threshold for which the probability agrees with f at x = t. By the
    recursion, the event is then at least as favourable at every other x. For t < t', the event \(P \le t\) is at most
    as probable as \(P \le t'\), in particular at x = t'. So the chosen thresholds increase with t, and a single remap
    realises all of them.
    """
    only_in_doubles("the remap is found in doubles")
    return -dominating_remap(MECHANISMS[mechanism].at(epsilon), prior, int(n)).violation, at_least(0)


@statement(
    "beyond/3-least-mean-error",
    "The least mean error",
    says=rf"$\min_P \sum_x \Pr[x]\, E H(x, P) = \sum_x \Pr[x]\, E H(x, s(G))$ over $\varepsilon$-private P, $s(z) = \arg\min_s E[H(x, s) \mid z]$, if P and s publish posteriors of possible counts; {G}",
    given=TWO,
    cases=grid(prior=[(1, 1), (0.5, 0.5), (3, 1)], n=[4, 20], epsilon=[0.1, 0.8, 2]),
    accuracy=1e-8,  # the correction that makes the solver's table exactly private costs up to 1e-10
)
def least_mean(prior, n, epsilon):
    """The check solves a linear program for the minimum over all P. For losses that are not unimodal, the equation may
    fail.

    Proof: if a loss decreases up to x and increases beyond x, its mean is a sum of threshold probabilities whose
    coefficients have the required signs. So, by ``beyond/2-domination``, some remap of the geometric mechanism attains
    the minimum. The mean error is linear in the remap. Hence a deterministic remap is sufficient, and the best output
    can be chosen for each z separately.
    """
    only_in_doubles("a linear program is solved in doubles")
    remapped = marginal(prior, int(n)) @ mean_errors(remapped_geometric(epsilon), prior, int(n))
    return least_mean_error(prior, int(n), epsilon).value, equal(float(remapped))


@statement(
    "beyond/4-least-worst-error",
    "The least worst error",
    says=rf"$\min_P \max_x E H(x, P) = \min_T \max_x E H(x, GT)$ over $\varepsilon$-private P and remaps T, which may be randomised, if P and T publish posteriors of possible counts; {G}",
    given=TWO,
    cases=grid(prior=[(1, 1), (0.5, 0.5)], n=[4, 12], epsilon=[0.1, 0.8]),
)
def least_worst(prior, n, epsilon):
    """The check computes the two sides of the equation by linear programs; the program for the right side has no
    privacy constraint.

    Proof: by ``beyond/2-domination``, there is a remap of the geometric mechanism whose error is, at every dataset, no
    larger than the error of P.
    """
    only_in_doubles("linear programs are solved in doubles")
    remapped = minimax_remap(geometric(epsilon), prior, int(n)).value
    return least_worst_error(prior, int(n), epsilon).value, equal(remapped)


@statement(
    "beyond/6-a-coin",
    "Geometric noise and a coin",
    says=r"$\Pr[\lfloor Y \rfloor = j] = \tfrac12 \bigl(\Pr[Z = j] + \Pr[Z = j + 1]\bigr)$ for whole j, $Y \sim \mathrm{Lap}(1/\varepsilon)$, $\Pr[Z = z] \propto e^{-\varepsilon |z|}$",
    cases=grid(epsilon=[0.05, 0.8, 3], j=[-4, -1, 0, 5, 12]),
)
def a_coin(epsilon, j):
    r"""For two categories, the noise that LSHist adds before it clips the count to 0..n is geometric noise minus the
    result, 0 or 1, of a fair coin toss.

    Proof: for \(j \ge 0\) the left side is \(\frac12 (e^{-\varepsilon j} - e^{-\varepsilon(j+1)}) = \frac{1-q}{2}
    q^j\). The right side is \(\frac12 \frac{1-q}{1+q} (q^j + q^{j+1})\), which equals the left side. For \(j < 0\), the
    equation follows by symmetry, with \(-1 - j\) in place of j.
    """
    m = abs(int(j)) + 2
    noise, coin = (made(epsilon).law((1, 1), (m, m)).probabilities for made in (lshist, geometric))
    at = m + int(j)  # output of a move by j, which reaches neither end of 0..2m
    return noise[at], equal((coin[at] + coin[at + 1]) / 2)


def given_noisy(prior, n, epsilon, z):
    r"""Posterior probabilities \(\Pr[x \mid G = z]\) of all first counts x, given the noisy count z."""
    away = numbers(abs(np.arange(int(n) + 1) - int(z)))
    p = marginal(prior, int(n)) * exp(-epsilon * away)
    return p / p.sum()


def more_likely_than_not(prior, n, epsilon, z) -> bool:
    r"""Whether there are two categories, \(0 \le z \le n\), and \(p_z \ge \frac12\)."""
    return len(prior) == 2 and 0 <= z <= n and bool(given_noisy(prior, n, epsilon, z)[int(z)] >= 0.5)


@statement(
    "beyond/7-no-remap",
    "Where no remap is needed",
    says=r"$\sum_x p_x H(x, z) \le \sum_x p_x H(x, s)$ for all $s$, $p_x = \Pr[x \mid x + Z = z]$, $\Pr[Z = z] \propto e^{-\varepsilon |z|}$, if $p_z \ge \frac12$",
    given=(r"there are two categories, $0 \le z \le n$, and $p_z \ge \frac12$", more_likely_than_not),
    cases=grid(prior=[(1, 1), (0.5, 0.5)], n=[12], epsilon=[1.2, 3], z=[0, 3, 6]),
)
def no_remap(prior, n, epsilon, z):
    r"""The check uses the minimum over s as the right side. If \(p_z < \frac12\), a count other than z may be closer on
    average. An example is the flat prior with n = 12, z = 0 and \(\varepsilon = 0.05\).

    Proof: replacing z by s increases the distance by \(H(z, s)\) for x = z. By the triangle inequality, the replacement
    reduces the distance by at most \(H(z, s)\) for every other x. So the change of the mean is at least \((p_z - (1 -
    p_z)) H(z, s) \ge 0\).
    """
    means = given_noisy(prior, n, epsilon, z) @ lattice_distances(numbers(prior), count_vectors(int(n), 2))
    return means[int(z)], at_most(smallest(means))


@statement(
    "beyond/8-lattice-noise",
    "Lattice noise",
    says=r"$\max_{x \sim x', r} \ln \frac{\Pr[r \mid x]}{\Pr[r \mid x']} = \varepsilon$ for $r = x + v$, $\Pr[v] \propto e^{-\varepsilon |v|_1 / 2}$, $\sum_i v_i = 0$",
    given=("there are at least two categories and at least one record", lambda k, n: k >= 2 and n >= 1),
    cases=grid(k=[2, 3, 4], n=[1, 3, 5], epsilon=[0.1, 0.8, 4]),
)
def lattice_noise(k, n, epsilon):
    r"""The check computes the privacy loss of the published counts, which are the possible counts nearest to the noisy
    vector.

    Proof: moving the counts by v requires replacing \(|v|_1 / 2\) records, and this number is a metric on the datasets.
    So the weights of r for neighbouring datasets differ by a factor of at most \(e^{\varepsilon}\), with equality at r
    = x. The normaliser is the same for all datasets. Post-processing of the noisy vector does not increase the loss.
    Post-processing maps only vectors r with \(r_1 \ge n\) and all other entries at most 0 to the output (n, 0, ..., 0).
    For these vectors, \(|r - x|_1 / 2\) is \(n - x_1\) plus a number that does not depend on x. So post-processing does
    not decrease the loss at this output either.
    """
    return audit(lattice_laplace(epsilon), (1,) * int(k), n).epsilon, equal(epsilon)


@statement(
    "beyond/9-coverage",
    "Coverage on average",
    says=r"$\Pr[\theta \in I(r)] = \gamma$ over $\theta \sim \mathrm{Dir}(\alpha)$, $x \mid \theta$, $r \mid x$, if $\Pr[\theta \in I(r) \mid r] = \gamma$",
    cases=grid(mechanism=["geometric", "lshist", "ehd"], n=[10, 40], epsilon=[0.1, 1], level=[0.5, 0.95]),
)
def covers_on_average(mechanism, n, epsilon, level):
    """The check computes the coverage as a sum over datasets and outputs for the uniform prior. If the share has a
    fixed value, the coverage may be below the nominal level.

    Proof: given any output, the conditional probability of coverage equals the nominal level, and the coverage is the
    mean of these conditional probabilities.
    """
    only_in_doubles("an interval with a given probability is found in doubles")
    made = MECHANISMS[mechanism].at(epsilon)
    return coverage(made, (1, 1), int(n), aware_intervals(made, (1, 1), int(n), level)), equal(level)


@statement(
    "beyond/half-at-least",
    "Half of the budget",
    says=r"EHD with its global sensitivity loses at least $\varepsilon / 2$",
    holds=r"the loss is at most $\max_{x \sim y} \Bigl[\lambda H(x, y) + \min\bigl\{\lambda H(x, y), \ln(1 + (e^\lambda - 1) S(y) / N)\bigr\}\Bigr]$ with $S(y) = \sum_r (1 - H(y, r)^2)$, $\lambda = \varepsilon / (2\,GS)$ and the number $N$ of candidates",
    given=("there is at least one record", lambda n: n >= 1),
    cases=grid(prior=[(1, 1), (1, 1, 1), (0.3, 0.3, 0.3, 2), (1e-12, 1e-12, 1000)], n=[1, 4], epsilon=[0.01, 1]),
)
def half_at_least(prior, n, epsilon):
    r"""The privacy loss of EHD may be arbitrarily close to \(\varepsilon\). For two categories and a small
    \(\varepsilon\), the ratio of the loss to \(\varepsilon\) tends to n/(n + 1) as the prior weights grow
    (``notes/3.1-ehd-sensitivity``). For the prior (1e6, 1e12, 1e12), n = 8 and a small \(\varepsilon\), this ratio is
    0.978.

    Proof: take two neighbours x and y at distance GS. Such neighbours exist because, by the triangle inequality, the
    score changes most at an output that equals one of the two neighbours. The probability of the output x at the
    dataset x is \(e^{\varepsilon/2}\, Z(y)/Z(x)\) times the probability of this output at y. For the output y, the
    corresponding factor is \(e^{\varepsilon/2}\, Z(x)/Z(y)\). One of the two ratios of normalisers is at least 1.

    Proof of what holds: by the triangle inequality, the loss is largest at the output that equals the dataset itself,
    and \(Z(y) \le e^{\lambda H(x, y)} Z(x)\). In powers of \(e^{-D} = 1 - H^2\), the series of \(e^{-\lambda H}\) is
    \(\sum_m p_m e^{-mD}\) with \(p_0 = e^{-\lambda}\) and all \(p_m \ge 0\). So every normaliser lies between
    \(e^{-\lambda} N\) and \(e^{-\lambda} N + (1 - e^{-\lambda}) S\). The ratio of two normalisers is at most \(1 +
    (e^\lambda - 1) S / N\).
    """
    distances = lattice_distances(numbers(prior), count_vectors(int(n), len(prior)))
    rate = epsilon / (2 * global_sensitivity(number(prior), int(n)))
    # bound on the log ratio of a dataset's normaliser to any other normaliser
    slack = log1p(expm1(rate) * (1 - distances**2).sum(axis=-1) / len(distances))
    x, y = moves(int(n), len(prior))  # all ordered pairs of neighbours
    near = rate * distances[x, y]
    most = largest(near + minimum(near, slack[y]))
    return audit(ehd(epsilon), prior, int(n)).epsilon, at_least(epsilon / 2), at_most(most)


@statement(
    "beyond/bounded-range",
    "Durfee and Rogers 2019, Corollary 4.1, for a fixed sensitivity; here for one that depends on the data as well",
    says=r"$\max_{x \sim x'} \max_{r, s} \Bigl[\ln\frac{\Pr_x[r]}{\Pr_{x'}[r]} - \ln\frac{\Pr_x[s]}{\Pr_{x'}[s]}\Bigr]$ is at most the $\varepsilon$ that is proved of the exponential mechanism",
    by="durfee2019",
    given=(
        r"the mechanism promises a bounded range for the prior and n, and $\varepsilon$ is the size of this range",
        lambda mechanism, prior, n, epsilon: isinstance(
            MECHANISMS[mechanism].at(epsilon).promise_at(prior, int(n)), BoundedRange
        ),
    ),
    cases=grid(mechanism=["ehd", "ehdl", "ehds", "smoothed_hellinger"], prior=[(0.5, 2), (1, 1)], n=[3], epsilon=[0.8]),
)
def range_promised(mechanism, prior, n, epsilon):
    r"""For two neighbours whose distance equals the sensitivity, EHD attains the bound. If the sensitivity depends on
    the data, a mechanism may guarantee, for some priors, only a bound above its parameter \(\varepsilon\); the
    statement concerns the guaranteed bound.

    Proof: the weights are \(e^{-\lambda H}\) with \(\lambda = \varepsilon/(cS(x))\), where 1/S changes by at most
    \(\gamma\) between neighbours; for EHD, \(\gamma = 0\). The loss is the difference \(\lambda' H(x', r) - \lambda
    H(x, r)\) plus a constant, so the loss has a range of the same width as this difference. Write the difference as
    \(\lambda(H' - H) + (\lambda' - \lambda) H'\). The first term is between \(-\varepsilon/c\) and \(\varepsilon/c\).
    The second term is at most \(\gamma\varepsilon/c\) in absolute value and has the same sign for all r. The guaranteed
    bound is the sum of the widths of the two ranges, or a smaller bound if one is known.
    """
    made, size = MECHANISMS[mechanism].at(epsilon), int(n)
    promised = made.promise_at(prior, size).epsilon  # type: ignore[union-attr]  # ``given`` leaves a bounded range
    rows = all_laws(made, prior, size)[1].log_probabilities
    losses = [rows[x] - rows[y] for x, y in zip(*moves(size, len(prior)), strict=True)]
    return largest([largest(each) - smallest(each) for each in losses]), at_most(promised + number(0))


@statement(
    "beyond/bounded-range-rho",
    "Cesar and Rogers 2021, Lemma 3.4",
    says=r"$\sup_t D_\alpha(P_t \| Q_t) \le \alpha \varepsilon^2 / 8$, where $P_t$ and $Q_t$ have two outputs with the losses $t$ and $t - \varepsilon$, the worst of $\varepsilon$-bounded range",
    given=(r"$\alpha > 1$", lambda order: order > 1),
    by="cesar2021",
    cases=grid(epsilon=[0.05, 0.3, 2], order=[1.01, 2, 16]),
)
def rho_of_range(epsilon, order):
    r"""Proof: the function \(K(s) = \ln E_P e^{sL}\) vanishes at 0 and at -1. Moreover, \(K'' \le \varepsilon^2/4\),
    because a variance on an interval of length \(\varepsilon\) is at most \(\varepsilon^2/4\). So \(K(s) \le
    s(s+1)\varepsilon^2/8\) for \(s \ge 0\), and \((\alpha - 1) D_\alpha = K(\alpha - 1)\).
    """
    return BoundedRange(epsilon).rdp(order).values[0], at_most(order * epsilon**2 / 8)


@statement(
    "beyond/bounded-range-delta",
    "Dong, Durfee and Rogers 2020, one use",
    says=r"$\delta(\varepsilon') = \frac{(1 - e^{(\varepsilon' - \varepsilon)/2})^2}{1 - e^{-\varepsilon}}$ is that of two outputs with the losses $t$ and $t - \varepsilon$, $t = \tfrac{\varepsilon + \varepsilon'}{2}$",
    by="dong2020",
    given=(r"$0 \le \varepsilon' < \varepsilon$", lambda epsilon, level: 0 <= level < epsilon),
    cases=grid(epsilon=[0.3, 2], level=[0, 0.1, 0.25]),
)
def delta_of_range(epsilon, level):
    r"""Proof: consider the pair with two outputs whose losses are the ends of \([t - \varepsilon, t]\). Any pair with
    losses in this interval is a post-processing of the pair with two outputs, because the hockey-stick divergence is
    convex in \(Q/P\). The hockey-stick divergence of the pair with two outputs is \((1 - e^{t - \varepsilon})(1 -
    e^{\varepsilon' - t}) / (1 - e^{-\varepsilon})\), which is largest for the t that makes the two factors of the
    numerator equal.
    """
    two = hockey_stick_divergence(*two_outputs(epsilon, (epsilon + level) / 2), level)
    return BoundedRange(epsilon).delta_at(level), equal(two)


@statement(
    "beyond/permute-and-flip",
    "McKenna and Sheldon 2020, Theorem 2",
    says=r"$\Pr[H \ge t]$ of permute and flip is at most that of EHD with the same $\varepsilon$ and sensitivity, for every $t$ at every dataset",
    by="mckenna2020",
    cases=grid(prior=[(1, 0.5, 2)], counts=[(1, 0, 2), (0, 3, 0)], epsilon=[0.05, 2], t=[0.2, 0.5]),
)
def permute_and_flip_is_nearer(prior, counts, epsilon, t):
    r"""Proof: permute and flip releases r with probability \(\Pr[r] = p_r w_r\), where \(w_r = \int_0^1 \prod_s (1 -
    p_s t) / (1 - p_r t)\, dt\) increases with \(p_r\). EHD has \(\Pr[r] \propto p_r\). So, as the error of an output
    grows, the ratio of its probability under permute and flip to its probability under EHD decreases. Hence the error
    of permute and flip is stochastically smaller than the error of EHD: its tail probabilities and its mean are at most
    those of EHD.
    """
    flips, draws = (error_tail(MECHANISMS[name].at(epsilon), prior, counts, t) for name in ("permute_and_flip", "ehd"))
    return flips, at_most(draws)
