r"""What the sources do not say: the theorems of the page *Optimality*, and what honest intervals promise.

Throughout there are two categories unless k is given; x counts the first, \(\alpha = e^{-\varepsilon}\), Z is two-sided
geometric noise, \(\Pr[Z = z] \propto \alpha^{|z|}\), and G its mechanism. The proofs are on the page.
"""

import itertools
from typing import Any

import numpy as np

from ... import mechanisms
from ...accuracy import mean_error, mean_errors
from ...arithmetic import exp, less, number, numbers, smallest
from ...inference import aware_intervals, coverage, coverage_at
from ...mechanisms import geometric, lattice_laplace, lshist
from ...mechanisms.remaps import remapped_geometric
from ...model import count_vectors, hellinger, lattice_distances, marginal, posterior
from ...optimum import dominating_remap, least_mean_error, least_mean_loss, least_worst_error, minimax_remap
from ...privacy import audit
from ..claim import REFUTED, Condition, grid
from ..item import only_in_doubles
from ..premises import Reals, Weights, Wholes, premises
from .source import BEST, BEYOND, HONEST

PROGRAM = "a linear program is solved in doubles"
INTERVALS = "an interval with a given probability is found in doubles"


@BEYOND.item(
    "1-unimodal",
    "The distance has one valley",
    cases=[
        {"prior": (1, 1), "n": 12, "x": 4},
        {"prior": (0.5, 3), "n": 15, "x": 0},
        {"prior": (0.01, 20), "n": 9, "x": 9},
    ],
    relation=">",
    calls=hellinger,
    page=BEST,
)
def smallest_step(prior: Any, n: Any, x: Any) -> Any:
    """The least that the error grows on a step away from x."""
    n, x = int(n), int(x)
    error = hellinger(posterior(prior, (x, n - x)), posterior(prior, count_vectors(n, 2)))
    steps = error[1:] - error[:-1]
    return smallest(np.concatenate([-steps[:x], steps[x:]]))


@smallest_step.said(
    r"H(x, r+1) > H(x, r) \;(r \ge x), \qquad H(x, r-1) > H(x, r) \;(r \le x)",
    proof=True,
)
def unimodal(prior: Any, n: Any, x: Any) -> Any:
    r"""With \(L(c) = \ln\Gamma(c) + \ln\Gamma(N - c)\), N the sum of a posterior's parameters,
    \(\ln(1 - H^2) = L(\frac{c + c'}{2}) - \frac12 (L(c) + L(c'))\) for \(c = \alpha_1 + x\), \(c' = \alpha_1 + r\). Its
    derivative by c' is \(\frac12 (L'(\frac{c+c'}{2}) - L'(c'))\), which has the sign of \(c - c'\) because L is strictly
    convex. The exact side is the smallest of all steps away from x.
    """
    return number(0)


@BEYOND.item(
    "2-domination",
    "Domination theorem",
    cases=grid(
        mechanism=["ehd", "ehdl", "ehds", "lshist", "lszhang"], prior=[(1, 1), (0.5, 2)], n=[12], epsilon=[0.3, 2]
    ),
    relation=">=",
    calls=dominating_remap,
    page=BEST,
)
def least_favourable(mechanism: Any, prior: Any, n: Any, epsilon: Any) -> Any:
    """The least favourable difference over all thresholds and datasets."""
    only_in_doubles("the remap is found in doubles")
    return -dominating_remap(getattr(mechanisms, mechanism)(epsilon), prior, n).violation


@least_favourable.said(
    r"\Pr_x[GT \le t] \ge \Pr_x[P \le t] \;(t \ge x), \quad \Pr_x[GT > t] \ge \Pr_x[P > t] \;(t < x)"
    r" \text{ for every private } P \text{ with outputs on the line of counts and a remap } T \text{ made for it}",
    proof=True,
)
def domination(mechanism: Any, prior: Any, n: Any, epsilon: Any) -> Any:
    r"""Privacy of an event and of its complement bounds \(f_x = \Pr_x[P \le t]\) by its neighbours,
    \(f_{x+1} \ge \phi(f_x)\), \(\phi(f) = \max(\alpha f, 1 - (1-f)/\alpha)\). Thresholds of the geometric mechanism, with
    a coin at the border, follow \(\phi\) with equality; the one that agrees with f at x = t is at least as favourable
    everywhere else. These thresholds grow with t, so they are those of one remap. The exact side is the least
    favourable difference over all thresholds and datasets.
    """
    return number(0)


def geometric_laws(n: int, epsilon: float) -> Any:
    """The law of the geometric mechanism at every dataset of n records."""
    return np.array([geometric(epsilon).law((1, 1), (x, n - x)).probabilities for x in range(n + 1)])


@BEYOND.item(
    "any-loss",
    "The least mean error without unimodality",
    cases=[
        {"loss": ((1.0, 0.4), (0.0, 0.4), (1.0, 0.4)), "epsilon": 2.0},
        {"loss": ((0.0, 1.0, 2.0), (1.0, 0.0, 1.0), (2.0, 1.0, 0.0)), "epsilon": 2.0},
    ],
    calls=least_mean_loss,
    page=BEST,
)
def least_mean_of_losses(loss: Any, epsilon: Any) -> Any:
    """The least mean loss of a private mechanism, all datasets weighing the same."""
    only_in_doubles(PROGRAM)
    return least_mean_loss(np.array(loss), epsilon).value


@least_mean_of_losses.said(
    r"\min_{P\ \varepsilon\text{-private}} \sum_x w_x\, E\, l(x, P) = \min_s \sum_x w_x\, E\, l(x, s(G))"
    r" \text{ for every loss } l",
    expected=REFUTED,
)
def any_loss(loss: Any, epsilon: Any) -> Any:
    """In the case that refutes it all weights are equal. One decision is right at the middle only, and another is
    vague everywhere. Along the row of an outer dataset the loss does not fall up to that dataset and rise after it,
    which the theorem asks for.
    """
    table, laws = np.array(loss), geometric_laws(len(loss) - 1, epsilon)
    remaps = itertools.product(range(table.shape[1]), repeat=len(table))
    return min(float((laws * table[:, s]).sum()) for s in remaps) / len(table)


@BEYOND.item(
    "3-least-mean-error",
    "The least mean error",
    cases=grid(prior=[(1, 1), (0.5, 0.5), (3, 1)], n=[4, 20], epsilon=[0.1, 0.8, 2]),
    calls=least_mean_error,
    page=BEST,
)
def least_mean_of_errors(prior: Any, n: Any, epsilon: Any) -> Any:
    """The least mean error of a private mechanism that publishes the posterior of a possible count."""
    only_in_doubles(PROGRAM)
    return least_mean_error(prior, n, epsilon).value


@least_mean_of_errors.said(
    r"\min_{P\ \varepsilon\text{-private}} \sum_x \Pr[x]\, E H(x, P) = \sum_x \Pr[x]\, E H(x, s(G)),"
    r" \quad s(z) = \arg\min_s E[H(x, s) \mid z], \quad P \text{ and } s \text{ publish posteriors of possible counts}",
    corrects="beyond/any-loss",
    proof=True,
)
def least_mean(prior: Any, n: Any, epsilon: Any) -> Any:
    r"""A mean of losses that fall up to x and rise after it is a sum of threshold probabilities with coefficients of
    the right sign. So ``beyond/2-domination`` gives the minimum to a remap of the geometric mechanism. A mean is linear
    in the remap, so a deterministic one suffices, and each z can be treated on its own. The left side is a linear
    program's, the right one a mean over all datasets, the error of the first of them computed on its own.
    """
    best = remapped_geometric(epsilon)
    errors = mean_errors(best, prior, n)
    errors[0] = mean_error(best, prior, (0, n))
    return float(marginal(prior, n) @ errors)


@BEYOND.item(
    "4-least-worst-error",
    "The least worst error",
    cases=grid(prior=[(1, 1), (0.5, 0.5)], n=[4, 12], epsilon=[0.1, 0.8]),
    calls=least_worst_error,
    page=BEST,
)
def least_worst_of_errors(prior: Any, n: Any, epsilon: Any) -> Any:
    """The least worst error of a private mechanism that publishes the posterior of a possible count."""
    only_in_doubles(PROGRAM)
    return least_worst_error(prior, n, epsilon).value


@least_worst_of_errors.said(
    r"\min_{P\ \varepsilon\text{-private}} \max_x E H(x, P) = \min_T \max_x E H(x, GT),"
    r" \quad P \text{ and } T \text{ publish posteriors of possible counts}",
    proof=True,
)
def least_worst(prior: Any, n: Any, epsilon: Any) -> Any:
    """By ``beyond/2-domination`` no row's error need be larger after a remap of the geometric mechanism. Both sides are
    linear programs, the right one without a privacy constraint.
    """
    return minimax_remap(geometric(epsilon), prior, n).value


def point(mechanism: Any, move: int) -> Any:
    """The probability that a mechanism moves the first count by so much, far from 0 and n."""
    return mechanism.law(number((1, 1)), number((10, 10))).probabilities[10 + move]


@BEYOND.item(
    "6-a-coin",
    "Geometric noise and a coin",
    cases=grid(epsilon=[0.05, 0.8, 3], j=[-4, -1, 0, 5]),
    calls=lshist,
    page=BEST,
)
def floored_point(epsilon: Any, j: Any) -> Any:
    r"""\(\Pr[\lfloor Y \rfloor = j]\), the move of LSHist."""
    return point(lshist(epsilon), int(j))


@floored_point.said(
    r"\Pr[\lfloor Y \rfloor = j] = \tfrac12 \bigl(\Pr[Z = j] + \Pr[Z = j + 1]\bigr), \quad Y \sim \mathrm{Lap}(1/\varepsilon)",
    proof=True,
)
def a_coin(epsilon: Any, j: Any) -> Any:
    r"""For \(j \ge 0\) the left side is \(\frac12 (e^{-\varepsilon j} - e^{-\varepsilon(j+1)})
    = \frac{1-\alpha}{2} \alpha^j\), and the right one
    \(\frac12 \frac{1-\alpha}{1+\alpha} (\alpha^j + \alpha^{j+1})\), the same; \(j < 0\) mirrors \(-1 - j\). So LSHist on two
    categories is the geometric mechanism minus a fair coin.
    """
    return (point(geometric(epsilon), int(j)) + point(geometric(epsilon), int(j) + 1)) / 2


def given(prior: Any, n: Any, epsilon: Any, z: Any) -> Any:
    r"""\(\Pr[x \mid G = z]\) for every x."""
    away = numbers(abs(np.arange(int(n) + 1) - int(z)))
    p = marginal(prior, int(n)) * exp(-epsilon * away)
    return p / p.sum()


def mean_distances(prior: Any, n: Any, epsilon: Any, z: Any) -> Any:
    r"""\(\sum_x p_x H(x, s)\) for every s."""
    return given(prior, n, epsilon, z) @ lattice_distances(numbers(prior), count_vectors(int(n), 2))


@BEYOND.item(
    "7-no-remap",
    "Where no remap is needed",
    cases=grid(prior=[(1, 1), (0.5, 0.5)], n=[12], epsilon=[0.05, 1.2, 3], z=[0, 3, 6]),
    relation="<=",
    calls=(lattice_distances, marginal),
    page=BEST,
    premises=premises(
        "z <= n",
        lambda n, z, **_: not less(n, z),
        fix=lambda n, z, **_: {"z": min(n, z)},
        prior=Weights((2,)),
        n=Wholes(1, 20),
        epsilon=Reals(above=0),
        z=Wholes(0, 20),
    ),
)
def mean_distance(prior: Any, n: Any, epsilon: Any, z: Any) -> Any:
    r"""\(\sum_x p_x H(x, z)\)."""
    return mean_distances(prior, n, epsilon, z)[int(z)]


@mean_distance.said(
    r"\sum_x p_x H(x, z) \le \sum_x p_x H(x, s) \text{ for all } s, \quad p_x = \Pr[x \mid G = z]",
    condition=Condition(
        r"\(p_z \ge \tfrac12\)",
        lambda prior, n, epsilon, z: given(prior, n, epsilon, z)[int(z)] >= 0.5,
    ),
    proof=True,
    tight={"prior": (1, 1), "n": 12, "epsilon": 1.2, "z": 0},
)
def no_remap(prior: Any, n: Any, epsilon: Any, z: Any) -> Any:
    r"""By the triangle inequality, going from z to s gains at most \(H(z, s)\) at any x other than z, and loses all of
    it at z. So the mean changes by at least \((p_z - (1 - p_z)) H(z, s) \ge 0\). The right side shown is the smallest.
    """
    return smallest(mean_distances(prior, n, epsilon, z))


@BEYOND.item(
    "8-lattice-noise",
    "Lattice noise",
    cases=grid(k=[2, 3, 4], n=[3, 5], epsilon=[0.1, 0.8, 4]),
    calls=(audit, lattice_laplace),
    page=BEST,
    premises=premises(k=Wholes(2, 3), n=Wholes(1, 8), epsilon=Reals(above=0)),
)
def lattice_loss(k: Any, n: Any, epsilon: Any) -> Any:
    """What noise on the lattice loses."""
    return audit(lattice_laplace(epsilon), (1,) * int(k), n).epsilon


@lattice_loss.said(
    r"\max_{x \sim x', r} \ln \frac{\Pr[r \mid x]}{\Pr[r \mid x']} = \varepsilon"
    r" \text{ for } r = x + v,\ \Pr[v] \propto e^{-\varepsilon |v|_1 / 2},\ \textstyle\sum_i v_i = 0",
    proof=True,
)
def lattice_noise(k: Any, n: Any, epsilon: Any) -> Any:
    r"""\(|v|_1 / 2\) is the number of records to replace on the way by v, a metric on the datasets. So the weights of
    neighbours differ by at most \(e^{\varepsilon}\), and the normaliser is the same at all of them. What becomes of the noisy vector
    later costs nothing, and keeps an output at which the bound is met.
    """
    return epsilon


@BEYOND.item(
    "9-coverage",
    "Coverage on average",
    cases=grid(mechanism=["geometric", "lshist", "ehd"], n=[10, 40], epsilon=[0.1, 1], level=[0.5, 0.95]),
    calls=(coverage, aware_intervals),
    page=HONEST,
)
def mean_coverage(mechanism: Any, n: Any, epsilon: Any, level: Any) -> Any:
    """The coverage, over datasets and outputs for the uniform prior."""
    only_in_doubles(INTERVALS)
    made = getattr(mechanisms, mechanism)(epsilon)
    return coverage(made, (1, 1), n, aware_intervals(made, (1, 1), n, level))


@mean_coverage.said(
    r"\Pr[\theta \in I(r)] = \gamma \text{ over } \theta \sim \mathrm{Dir}(\alpha),\ x \mid \theta,\ r \mid x,"
    r" \quad \Pr[\theta \in I(r) \mid r] = \gamma",
    proof=True,
)
def covers_on_average(mechanism: Any, n: Any, epsilon: Any, level: Any) -> Any:
    """The mean of a conditional probability that is the level for every output. The left side is a sum over datasets and
    outputs for the uniform prior.
    """
    return level


@BEYOND.item(
    "coverage-everywhere",
    "Coverage on average at every share",
    cases=grid(n=[10, 200], epsilon=[0.1, 0.5], level=[0.95], share=[0.001, 0.3, 0.5]),
    relation=">=",
    calls=(coverage_at, aware_intervals),
    page=HONEST,
)
def coverage_at_a_share(n: Any, epsilon: Any, level: Any, share: Any) -> Any:
    """The coverage at one share of the first category."""
    only_in_doubles(INTERVALS)
    made = geometric(epsilon)
    return coverage_at(made, (1, 1), n, aware_intervals(made, (1, 1), n, level), share)


@coverage_at_a_share.said(
    r"\Pr[\theta \in I(r) \mid \theta] \ge \gamma \text{ for every } \theta",
    expected=REFUTED,
)
def covers_everywhere(n: Any, epsilon: Any, level: Any, share: Any) -> Any:
    """Exactness on average allows for shares at which the interval of the geometric mechanism is never right: with
    little information every interval stays away from 0 and 1.
    """
    return level
