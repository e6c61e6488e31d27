r"""Theorems of this book and of the literature: the best that there is, what EHD leaks, and what many uses cost.

Of the first, the page *Optimality* on released counts has the proofs as well. Where there are two categories, x counts the
first.
"""

import numpy as np

from ...accuracy import error_tail, mean_errors
from ...arithmetic import exp, expm1, largest, log1p, minimum, number, numbers, smallest
from ...divergences import hockey_stick_divergence
from ...guarantees import BoundedRange, two_outputs
from ...inference import aware_intervals, coverage
from ...mechanisms import MECHANISMS, all_laws, ehd, geometric, lattice_laplace, lshist
from ...mechanisms.remaps import remapped_geometric
from ...model import count_vectors, global_sensitivity, hellinger, lattice_distances, marginal, posterior
from ...model.datasets import moves
from ...optimum import dominating_remap, least_mean_error, least_worst_error, minimax_remap
from ...privacy import audit
from .. import above, at_least, at_most, equal, grid, only_in_doubles, statement

TWO = ("there are two categories", lambda prior: len(prior) == 2)
G = r"$G = x + Z$ with $\Pr[Z = z] \propto e^{-\varepsilon |z|}$, cut back to 0..n"


@statement(
    "beyond/1-unimodal",
    "The distance has one valley",
    says=r"$H(x, r+1) > H(x, r)$ for $x \le r < n$, $H(x, r-1) > H(x, r)$ for $0 < r \le x$",
    given=(r"there are two categories and $0 \le x \le n$", lambda prior, n, x: len(prior) == 2 and 0 <= x <= n),
    cases=grid(prior=[(1, 1), (0.5, 3), (0.01, 20)], n=[9], x=[0, 4, 9]),
)
def unimodal(prior, n, x):
    r"""The exact side is the smallest of all steps away from x.

    Proof: with \(L(c) = \ln\Gamma(c) + \ln\Gamma(N - c)\), N the sum of a posterior's parameters,
    \(\ln(1 - H^2) = L(\frac{c + c'}{2}) - \frac12 (L(c) + L(c'))\) for \(c = \alpha_1 + x\), \(c' = \alpha_1 + r\). Its
    derivative by c' is \(\frac12 (L'(\frac{c+c'}{2}) - L'(c'))\), which has the sign of \(c - c'\) because L is strictly
    convex.
    """
    n, x = int(n), int(x)
    error = hellinger(posterior(prior, (x, n - x)), posterior(prior, count_vectors(n, 2)))
    steps = error[1:] - error[:-1]
    return smallest(np.concatenate([-steps[:x], steps[x:]])), above(0)


@statement(
    "beyond/2-domination",
    "Domination theorem",
    says=rf"for every $\varepsilon$-private P whose outputs are counts there is a remap T, the same for all x, with $\Pr_x[GT \le t] \ge \Pr_x[P \le t]$ for $t \ge x$ and $\Pr_x[GT > t] \ge \Pr_x[P > t]$ for $t < x$; {G}; T may use chance",
    given=TWO,
    cases=grid(mechanism=["ehd", "ehds", "lshist", "lszhang"], prior=[(0.5, 2)], n=[12], epsilon=[0.3, 2]),
)
def domination(mechanism, prior, n, epsilon):
    r"""The exact side is the least favourable difference over all thresholds and datasets.

    Proof: privacy of an event and of its complement bounds \(f_x = \Pr_x[P \le t]\) by its neighbours,
    \(f_{x+1} \ge \phi(f_x)\), \(\phi(f) = \max(q f, 1 - (1-f)/q)\). Thresholds of the geometric mechanism, with
    a coin at the border, follow \(\phi\) with equality; the one that agrees with f at x = t is at least as favourable
    everywhere else. For t < t' the event \(P \le t\) is no more probable than \(P \le t'\), at x = t' too, so that these
    thresholds grow with t, and are those of one remap.
    """
    only_in_doubles("the remap is found in doubles")
    found = dominating_remap(MECHANISMS[mechanism].at(epsilon), prior, int(n))
    return -found.violation, at_least(0)


@statement(
    "beyond/3-least-mean-error",
    "The least mean error",
    says=rf"$\min_P \sum_x \Pr[x]\, E H(x, P) = \sum_x \Pr[x]\, E H(x, s(G))$ over $\varepsilon$-private P, $s(z) = \arg\min_s E[H(x, s) \mid z]$, if P and s publish posteriors of possible counts; {G}",
    given=TWO,
    cases=grid(prior=[(1, 1), (0.5, 0.5), (3, 1)], n=[4, 20], epsilon=[0.1, 0.8, 2]),
    accuracy=1e-8,  # the table of the program is made private, which costs up to 1e-10
)
def least_mean(prior, n, epsilon):
    r"""The exact side is the value of a linear program. For losses that are not unimodal the equation may be false.

    Proof: a mean of losses that fall up to x and rise after it is a sum of threshold probabilities with coefficients of
    the right sign. So ``beyond/2-domination`` gives the minimum to a remap of the geometric mechanism. A mean is linear
    in the remap, so a deterministic one suffices, and each z can be treated on its own.
    """
    only_in_doubles("a linear program is solved in doubles")
    remapped = marginal(prior, int(n)) @ mean_errors(remapped_geometric(epsilon), prior, int(n))
    return least_mean_error(prior, int(n), epsilon).value, equal(float(remapped))


@statement(
    "beyond/4-least-worst-error",
    "The least worst error",
    says=rf"$\min_P \max_x E H(x, P) = \min_T \max_x E H(x, GT)$ over $\varepsilon$-private P and remaps T, which may use chance, if P and T publish posteriors of possible counts; {G}",
    given=TWO,
    cases=grid(prior=[(1, 1), (0.5, 0.5)], n=[4, 12], epsilon=[0.1, 0.8]),
)
def least_worst(prior, n, epsilon):
    """Both sides are linear programs, the right one without a privacy constraint.

    Proof: by ``beyond/2-domination`` no row's error need be larger after a remap of the geometric mechanism.
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
    r"""So LSHist on two categories is geometric noise minus a fair coin, before both are cut back to 0..n.

    Proof: for \(j \ge 0\) the left side is
    \(\frac12 (e^{-\varepsilon j} - e^{-\varepsilon(j+1)}) = \frac{1-q}{2} q^j\), and the right one
    \(\frac12 \frac{1-q}{1+q} (q^j + q^{j+1})\), the same; \(j < 0\) mirrors \(-1 - j\).
    """
    m = abs(int(j)) + 2
    noise, coin = (made(epsilon).law((1, 1), (m, m)).probabilities for made in (lshist, geometric))
    at = m + int(j)  # a move by j, so that neither end of 0..2m is reached
    return noise[at], equal((coin[at] + coin[at + 1]) / 2)


def given_noisy(prior, n, epsilon, z):
    r"""\(\Pr[x \mid G = z]\) for every x."""
    away = numbers(abs(np.arange(int(n) + 1) - int(z)))
    p = marginal(prior, int(n)) * exp(-epsilon * away)
    return p / p.sum()


@statement(
    "beyond/7-no-remap",
    "Where no remap is needed",
    says=r"$\sum_x p_x H(x, z) \le \sum_x p_x H(x, s)$ for all $s$, $p_x = \Pr[x \mid x + Z = z]$, $\Pr[Z = z] \propto e^{-\varepsilon |z|}$, if $p_z \ge \frac12$",
    given=(
        r"there are two categories, $0 \le z \le n$, and $p_z \ge \frac12$",
        lambda prior, n, epsilon, z: (
            len(prior) == 2 and 0 <= z <= n and given_noisy(prior, n, epsilon, z)[int(z)] >= 0.5
        ),
    ),
    cases=grid(prior=[(1, 1), (0.5, 0.5)], n=[12], epsilon=[1.2, 3], z=[0, 3, 6]),
)
def no_remap(prior, n, epsilon, z):
    r"""The right side shown is the smallest over s. With less information another count than the noisy one may be nearer on
    average, as at the flat prior, n = 12, z = 0 and \(\varepsilon = 0.05\).

    Proof: by the triangle inequality, going from z to s gains at most \(H(z, s)\) at any x other than z, and loses all of
    it at z. So the mean changes by at least \((p_z - (1 - p_z)) H(z, s) \ge 0\).
    """
    means = given_noisy(prior, n, epsilon, z) @ lattice_distances(numbers(prior), count_vectors(int(n), 2))
    return means[int(z)], at_most(smallest(means))


@statement(
    "beyond/8-lattice-noise",
    "Lattice noise",
    says=r"$\max_{x \sim x', r} \ln \frac{\Pr[r \mid x]}{\Pr[r \mid x']} = \varepsilon$ for $r = x + v$, $\Pr[v] \propto e^{-\varepsilon |v|_1 / 2}$, $\sum_i v_i = 0$",
    given=("there are two categories or more, and a record", lambda k, n: k >= 2 and n >= 1),
    cases=grid(k=[2, 3, 4], n=[1, 3, 5], epsilon=[0.1, 0.8, 4]),
)
def lattice_noise(k, n, epsilon):
    r"""The exact side is the loss of what is published, the legal counts nearest to the noisy vector.

    Proof: \(|v|_1 / 2\) is the number of records to replace on the way by v, a metric on the datasets. So the weights of
    neighbours differ by at most \(e^{\varepsilon}\), and the normaliser is the same at all of them; at r = x they do by
    that much. What becomes of the noisy vector later costs nothing. It keeps the output (n, 0, ..., 0), to which no other
    vector that is clipped to 0..n is nearest: for \(r_1 \ge n\) and all other entries at most 0, \(|r - x|_1 / 2\) is
    \(n - x_1\) and what does not depend on x.
    """
    return audit(lattice_laplace(epsilon), (1,) * int(k), n).epsilon, equal(epsilon)


@statement(
    "beyond/9-coverage",
    "Coverage on average",
    says=r"$\Pr[\theta \in I(r)] = \gamma$ over $\theta \sim \mathrm{Dir}(\alpha)$, $x \mid \theta$, $r \mid x$, if $\Pr[\theta \in I(r) \mid r] = \gamma$",
    cases=grid(mechanism=["geometric", "lshist", "ehd"], n=[10, 40], epsilon=[0.1, 1], level=[0.5, 0.95]),
)
def covers_on_average(mechanism, n, epsilon, level):
    """The exact side is a sum over datasets and outputs for the uniform prior. At a single share the coverage may be less.

    Proof: the mean of a conditional probability that is the level for every output.
    """
    only_in_doubles("an interval with a given probability is found in doubles")
    made = MECHANISMS[mechanism].at(epsilon)
    return coverage(made, (1, 1), int(n), aware_intervals(made, (1, 1), int(n), level)), equal(level)


@statement(
    "beyond/half-at-least",
    "Half of the budget",
    says=r"EHD with its global sensitivity loses at least $\varepsilon / 2$",
    holds=r"it loses at most $\max_{x \sim y} \Bigl[\lambda H(x, y) + \min\bigl\{\lambda H(x, y), \ln(1 + (e^\lambda - 1) S(y) / N)\bigr\}\Bigr]$, $S(y) = \sum_r (1 - H(y, r)^2)$, $\lambda = \varepsilon / (2\,GS)$, with $N$ candidates",
    given=("there is a record", lambda n: n >= 1),
    cases=grid(prior=[(1, 1), (1, 1, 1), (0.3, 0.3, 0.3, 2), (1e-12, 1e-12, 1000)], n=[1, 4], epsilon=[0.01, 1]),
)
def half_at_least(prior, n, epsilon):
    r"""The share that is lost may be as near to 1 as one likes: for two categories and large prior weights it is n/(n + 1) in
    the limit (``notes/3.1-ehd-sensitivity``), and at the prior (1e6, 1e12, 1e12), n = 8 and a small \(\varepsilon\) 0.978.

    Proof: take the two neighbours whose distance is GS, as the score changes most at one of the two datasets. Each is more likely to release itself, by \(e^{\varepsilon/2}\) times
    a ratio of normalisers. It is \(Z(y)/Z(x)\) in one direction and \(Z(x)/Z(y)\) in the other, and one is at least one.

    Proof of what holds: by the triangle inequality the worst output is the dataset itself, and
    \(Z(y) \le e^{\lambda H(x, y)} Z(x)\). \(e^{-\lambda H} = \sum_m p_m e^{-mD}\) with \(p_0 = e^{-\lambda}\),
    \(p_m \ge 0\) and \(e^{-D} = 1 - H^2\); so a normaliser lies between \(e^{-\lambda} N\) and
    \(e^{-\lambda} N + (1 - e^{-\lambda}) S\). The ratio of two is at most \(1 + (e^\lambda - 1) S / N\).
    """
    distances = lattice_distances(numbers(prior), count_vectors(int(n), len(prior)))
    rate = epsilon / (2 * global_sensitivity(number(prior), int(n)))
    slack = log1p(expm1(rate) * (1 - distances**2).sum(axis=-1) / len(distances))
    x, y = moves(int(n), len(prior))
    near = rate * distances[x, y]
    most = largest(near + minimum(near, slack[y]))
    return audit(ehd(epsilon), prior, int(n)).epsilon, at_least(epsilon / 2), at_most(most)


@statement(
    "beyond/bounded-range",
    "Durfee and Rogers 2019, Corollary 4.1, for a fixed sensitivity; here for one that depends on the data as well",
    says=r"$\max_{x \sim x'} \max_{r, s} \Bigl[\ln\frac{\Pr_x[r]}{\Pr_{x'}[r]} - \ln\frac{\Pr_x[s]}{\Pr_{x'}[s]}\Bigr]$ is at most the $\varepsilon$ that is proved of the exponential mechanism",
    by="durfee2019",
    given=(
        "the mechanism promises a bounded range for that prior and n, of the size that is meant",
        lambda mechanism, prior, n, epsilon: isinstance(
            MECHANISMS[mechanism].at(epsilon).promise_at(prior, int(n)), BoundedRange
        ),
    ),
    cases=grid(mechanism=["ehd", "ehdl", "ehds", "smoothed_hellinger"], prior=[(0.5, 2), (1, 1)], n=[3], epsilon=[0.8]),
)
def range_promised(mechanism, prior, n, epsilon):
    r"""EHD meets the bound at the two datasets whose distance is its sensitivity. Mechanisms whose sensitivity depends on the
    data promise more than their parameter \(\varepsilon\) at some priors, and it is the promise that is meant.

    Proof: weights are \(e^{-\lambda H}\), \(\lambda = \varepsilon/(cS(x))\), where 1/S moves by at most \(\gamma\) between
    neighbours, \(\gamma = 0\) for EHD. The loss is \(\lambda' H(x', r) - \lambda H(x, r)\) and a constant, so its range is
    that of the difference. The first part of \(\lambda(H' - H) + (\lambda' - \lambda) H'\) is within \(\pm\varepsilon/c\), and
    the second between zero and \(\gamma\varepsilon/c\); the promise is the sum, or less where it is known to be.
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
    r"""Proof: \(K(s) = \ln E_P e^{sL}\) vanishes at 0 and -1 and \(K'' \le \varepsilon^2/4\), the largest variance on an
    interval of that length; so \(K(s) \le s(s+1)\varepsilon^2/8\), and \((\alpha - 1) D_\alpha = K(\alpha - 1)\).
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
    r"""Proof: any pair with losses in \([t - \varepsilon, t]\) is a garbling of two outputs at the ends, since the hockey
    stick is convex in \(Q/P\). At \(t\) it is
    \((1 - e^{t - \varepsilon})(1 - e^{\varepsilon' - t}) / (1 - e^{-\varepsilon})\), in which both factors are equal at the
    best t.
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
    r"""Proof: \(\Pr[r] = p_r w_r\) with \(w_r = \int_0^1 \prod_s (1 - p_s t) / (1 - p_r t)\, dt\), which grows with
    \(p_r\); EHD has \(\Pr[r] \propto p_r\). So the ratio of the two laws falls as the error grows, and a law with such a
    ratio is stochastically smaller: in every tail, and so in the mean.
    """
    flips, draws = (error_tail(MECHANISMS[name].at(epsilon), prior, counts, t) for name in ("permute_and_flip", "ehd"))
    return flips, at_most(draws)
