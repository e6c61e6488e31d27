r"""The theorems of the page *Optimality* on released counts; the proofs are there as well.

There are two categories unless k is given; x counts the first, \(q = e^{-\varepsilon}\), Z is two-sided geometric noise,
\(\Pr[Z = z] \propto q^{|z|}\), and G its mechanism.
"""

import numpy as np

from ...accuracy import mean_errors
from ...arithmetic import exp, numbers, smallest
from ...inference import aware_intervals, coverage
from ...mechanisms import MECHANISMS, geometric, lattice_laplace, lshist
from ...mechanisms.remaps import remapped_geometric
from ...model import count_vectors, hellinger, lattice_distances, marginal, posterior
from ...optimum import dominating_remap, least_mean_error, least_worst_error, minimax_remap
from ...privacy import audit
from .. import above, at_least, at_most, equal, grid, only_in_doubles, statement


@statement(
    "beyond/1-unimodal",
    "The distance has one valley",
    says=r"$H(x, r+1) > H(x, r)$ for $r \ge x$, $H(x, r-1) > H(x, r)$ for $r \le x$",
    given=lambda prior, n, x: len(prior) == 2 and 0 <= x <= n,
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
    says=r"$\Pr_x[GT \le t] \ge \Pr_x[P \le t]$ for $t \ge x$, $\Pr_x[GT > t] \ge \Pr_x[P > t]$ for $t < x$, "
    "for every private P with outputs on the line of counts and a remap T made for it",
    given=lambda prior: len(prior) == 2,
    cases=grid(mechanism=["ehd", "ehds", "lshist", "lszhang"], prior=[(0.5, 2)], n=[12], epsilon=[0.3, 2]),
)
def domination(mechanism, prior, n, epsilon):
    r"""The exact side is the least favourable difference over all thresholds and datasets.

    Proof: privacy of an event and of its complement bounds \(f_x = \Pr_x[P \le t]\) by its neighbours,
    \(f_{x+1} \ge \phi(f_x)\), \(\phi(f) = \max(q f, 1 - (1-f)/q)\). Thresholds of the geometric mechanism, with
    a coin at the border, follow \(\phi\) with equality; the one that agrees with f at x = t is at least as favourable
    everywhere else. These thresholds grow with t, so they are those of one remap.
    """
    only_in_doubles("the remap is found in doubles")
    found = dominating_remap(MECHANISMS[mechanism].at(epsilon), prior, int(n))
    return -found.violation, at_least(0)


@statement(
    "beyond/3-least-mean-error",
    "The least mean error",
    says=r"$\min_P \sum_x \Pr[x]\, E H(x, P) = \sum_x \Pr[x]\, E H(x, s(G))$ over $\varepsilon$-private P, $s(z) = \arg\min_s E[H(x, s) \mid z]$, "
    "if P and s publish posteriors of possible counts",
    given=lambda prior: len(prior) == 2,
    cases=grid(prior=[(1, 1), (0.5, 0.5), (3, 1)], n=[4, 20], epsilon=[0.1, 0.8, 2]),
)
def least_mean(prior, n, epsilon):
    r"""The exact side is the value of a linear program. For losses that are not unimodal the equation is false.

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
    says=r"$\min_P \max_x E H(x, P) = \min_T \max_x E H(x, GT)$ over $\varepsilon$-private P, if P and T publish posteriors of possible counts",
    given=lambda prior: len(prior) == 2,
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
    says=r"$\Pr[\lfloor Y \rfloor = j] = \tfrac12 \bigl(\Pr[Z = j] + \Pr[Z = j + 1]\bigr)$, $Y \sim \mathrm{Lap}(1/\varepsilon)$",
    cases=grid(epsilon=[0.05, 0.8, 3], j=[-4, -1, 0, 5]),
)
def a_coin(epsilon, j):
    r"""So LSHist on two categories is the geometric mechanism minus a fair coin.

    Proof: for \(j \ge 0\) the left side is
    \(\frac12 (e^{-\varepsilon j} - e^{-\varepsilon(j+1)}) = \frac{1-q}{2} q^j\), and the right one
    \(\frac12 \frac{1-q}{1+q} (q^j + q^{j+1})\), the same; \(j < 0\) mirrors \(-1 - j\).
    """
    noise, coin = (made(epsilon).law((1, 1), (10, 10)).probabilities for made in (lshist, geometric))
    at = 10 + int(j)  # a move by j, far from 0 and n
    return noise[at], equal((coin[at] + coin[at + 1]) / 2)


def given_noisy(prior, n, epsilon, z):
    r"""\(\Pr[x \mid G = z]\) for every x."""
    away = numbers(abs(np.arange(int(n) + 1) - int(z)))
    p = marginal(prior, int(n)) * exp(-epsilon * away)
    return p / p.sum()


@statement(
    "beyond/7-no-remap",
    "Where no remap is needed",
    says=r"$\sum_x p_x H(x, z) \le \sum_x p_x H(x, s)$ for all $s$, $p_x = \Pr[x \mid G = z]$",
    why="with little information another count than the noisy one is nearer on average",
    only_if=(r"\(p_z \ge \tfrac12\)", lambda prior, n, epsilon, z: given_noisy(prior, n, epsilon, z)[int(z)] >= 0.5),
    given=lambda prior, n, z: len(prior) == 2 and 0 <= z <= n,
    cases=grid(prior=[(1, 1), (0.5, 0.5)], n=[12], epsilon=[0.05, 1.2, 3], z=[0, 3, 6]),
)
def no_remap(prior, n, epsilon, z):
    r"""The right side shown is the smallest over s.

    Proof: by the triangle inequality, going from z to s gains at most \(H(z, s)\) at any x other than z, and loses all of
    it at z. So the mean changes by at least \((p_z - (1 - p_z)) H(z, s) \ge 0\).
    """
    means = given_noisy(prior, n, epsilon, z) @ lattice_distances(numbers(prior), count_vectors(int(n), 2))
    return means[int(z)], at_most(smallest(means))


@statement(
    "beyond/8-lattice-noise",
    "Lattice noise",
    says=r"$\max_{x \sim x', r} \ln \frac{\Pr[r \mid x]}{\Pr[r \mid x']} = \varepsilon$ for $r = x + v$, $\Pr[v] \propto e^{-\varepsilon |v|_1 / 2}$, $\sum_i v_i = 0$",
    cases=grid(k=[2, 3, 4], n=[3, 5], epsilon=[0.1, 0.8, 4]),
)
def lattice_noise(k, n, epsilon):
    r"""Proof: \(|v|_1 / 2\) is the number of records to replace on the way by v, a metric on the datasets. So the weights of
    neighbours differ by at most \(e^{\varepsilon}\), and the normaliser is the same at all of them. What becomes of the
    noisy vector later costs nothing, and keeps an output at which the bound is met.
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
