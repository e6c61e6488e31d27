r"""What the sources do not say: the theorems of the page *Optimality*, and what honest intervals promise.

Throughout there are two categories unless k is given; x counts the first, \(\alpha = e^{-\varepsilon}\), Z is two-sided
geometric noise, \(\Pr[Z = z] \propto \alpha^{|z|}\), and G its mechanism. The proofs are on the page.
"""

import itertools
from types import ModuleType
from typing import Any

import numpy as np

from .. import mechanisms
from ..accuracy.errors import mean_errors
from ..inference.shares import aware_intervals, coverage, coverage_at
from ..mechanisms.lattice_noise import lattice_laplace
from ..model.datasets import count_vectors
from ..model.distances import lattice_distances
from ..model.predictive import marginal
from ..optimum.programs import (
    dominating_remap,
    least_mean_error,
    least_mean_loss,
    least_worst_error,
    minimax_remap,
    remapped_geometric,
)
from ..privacy.losses import audit
from .claim import CONDITIONAL, PROVED, REFUTED, Condition, claim, grid

Sides = tuple[Any, Any]

BEST = "beyond/how_far_from_the_best"
HONEST = "beyond/honest_intervals"


def _in_doubles(real: ModuleType) -> None:
    if hasattr(real, "Undecided"):
        raise real.Undecided("computed in doubles only")


def _geometric_laws(n: int, epsilon: float) -> Any:
    law = mechanisms.geometric(epsilon)
    return np.array([law.law((1, 1), (x, n - x)).probabilities for x in range(n + 1)])


@claim(
    id="beyond/1-unimodal",
    source="optimality, Lemma 1",
    statement=r"H(x, r+1) > H(x, r) \;(r \ge x), \qquad H(x, r-1) > H(x, r) \;(r \le x)",
    relation=">",
    cases=[
        {"prior": (1, 1), "n": 12, "x": 4},
        {"prior": (0.5, 3), "n": 15, "x": 0},
        {"prior": (0.01, 20), "n": 9, "x": 9},
    ],
    proof=True,
    expected=PROVED,
    notebook=BEST,
)
def unimodal(real: ModuleType, prior: Any, n: Any, x: Any) -> Sides:
    r"""With \(L(c) = \ln\Gamma(c) + \ln\Gamma(N - c)\), N the sum of a posterior's parameters,
    \(\ln(1 - H^2) = L(\frac{c + c'}{2}) - \frac12 (L(c) + L(c'))\) for \(c = \alpha_1 + x\), \(c' = \alpha_1 + r\). Its
    derivative by c' is \(\frac12 (L'(\frac{c+c'}{2}) - L'(c'))\), which has the sign of \(c - c'\) because L is strictly
    convex. Shown is the smallest of all steps away from x.
    """
    n, x = int(n), int(x)

    def error(r: int) -> Any:
        return real.hellinger([prior[0] + x, prior[1] + n - x], [prior[0] + r, prior[1] + n - r])

    up = [error(r + 1) - error(r) for r in range(x, n)]
    down = [error(r - 1) - error(r) for r in range(1, x + 1)]
    return real.smallest(up + down), real.number(0)


@claim(
    id="beyond/2-domination",
    source="optimality, Theorem 2",
    statement=r"\Pr_x[GT \le t] \ge \Pr_x[P \le t] \;(t \ge x), \quad \Pr_x[GT > t] \ge \Pr_x[P > t] \;(t < x)"
    r" \text{ for every private } P \text{ and a remap } T",
    relation=">=",
    cases=grid(
        mechanism=["ehd", "ehdl", "ehds", "lshist", "lszhang"], prior=[(1, 1), (0.5, 2)], n=[12], epsilon=[0.3, 2]
    ),
    proof=True,
    expected=PROVED,
    notebook=BEST,
)
def domination(real: ModuleType, mechanism: Any, prior: Any, n: Any, epsilon: Any) -> Sides:
    r"""Privacy of an event and of its complement bounds \(f_x = \Pr_x[P \le t]\) by its neighbours,
    \(f_{x+1} \ge \phi(f_x)\), \(\phi(f) = \max(\alpha f, 1 - (1-f)/\alpha)\). Thresholds of the geometric mechanism, with
    a coin at the border, follow \(\phi\) with equality; the one that agrees with f at x = t is at least as favourable
    everywhere else. These thresholds grow with t, so they are those of one remap. Shown is the least favourable
    difference over all thresholds and datasets.
    """
    _in_doubles(real)
    found = dominating_remap(getattr(mechanisms, mechanism)(epsilon), prior, n)
    return -found.violation, 0.0


@claim(
    id="beyond/any-loss",
    source="optimality, Corollary 3 without unimodality",
    statement=r"\min_{P\ \varepsilon\text{-private}} \sum_x w_x\, E\, l(x, P) = \min_s \sum_x w_x\, E\, l(x, s(G))"
    r" \text{ for every loss } l",
    cases=[
        {"loss": ((1.0, 0.4), (0.0, 0.4), (1.0, 0.4)), "epsilon": 2.0},
        {"loss": ((0.0, 1.0, 2.0), (1.0, 0.0, 1.0), (2.0, 1.0, 0.0)), "epsilon": 2.0},
    ],
    expected=REFUTED,
    notebook=BEST,
)
def any_loss(real: ModuleType, loss: Any, epsilon: Any) -> Sides:
    """False where one decision is right at the middle only and another is vague everywhere: along the row of an outer
    dataset, its loss does not fall up to that dataset and rise after it. Equal weights.
    """
    _in_doubles(real)
    table, laws = np.array(loss), _geometric_laws(len(loss) - 1, epsilon)
    remaps = itertools.product(range(table.shape[1]), repeat=len(table))
    best = min(float((laws * table[:, s]).sum()) for s in remaps) / len(table)
    return least_mean_loss(table, epsilon).value, best


@claim(
    id="beyond/3-least-mean-error",
    source="optimality, Corollary 3",
    statement=r"\min_{P\ \varepsilon\text{-private}} \sum_x \Pr[x]\, E H(x, P) = \sum_x \Pr[x]\, E H(x, s(G)),"
    r" \quad s(z) = \arg\min_s E[H(x, s) \mid z]",
    cases=grid(prior=[(1, 1), (0.5, 0.5), (3, 1)], n=[4, 20], epsilon=[0.1, 0.8, 2]),
    corrects="beyond/any-loss",
    proof=True,
    expected=PROVED,
    notebook=BEST,
)
def least_mean(real: ModuleType, prior: Any, n: Any, epsilon: Any) -> Sides:
    r"""A mean of losses that fall up to x and rise after it is a sum of threshold probabilities with coefficients of
    the right sign, so ``beyond/2-domination`` gives the minimum to a remap of the geometric mechanism; a mean is linear
    in the remap, so a deterministic one suffices, and each z can be treated on its own. The left side is a linear
    program's.
    """
    _in_doubles(real)
    explicit = marginal(prior, n) @ mean_errors(remapped_geometric(epsilon), prior, n)
    return least_mean_error(prior, n, epsilon).value, float(explicit)


@claim(
    id="beyond/4-least-worst-error",
    source="optimality, Corollary 4",
    statement=r"\min_{P\ \varepsilon\text{-private}} \max_x E H(x, P) = \min_T \max_x E H(x, GT)",
    cases=grid(prior=[(1, 1), (0.5, 0.5)], n=[4, 12], epsilon=[0.1, 0.8]),
    proof=True,
    expected=PROVED,
    notebook=BEST,
)
def least_worst(real: ModuleType, prior: Any, n: Any, epsilon: Any) -> Sides:
    """By ``beyond/2-domination`` no row's error need be larger after a remap of the geometric mechanism. Both sides are
    linear programs, the right one without a privacy constraint.
    """
    _in_doubles(real)
    remap = minimax_remap(mechanisms.geometric(epsilon), prior, n)
    return least_worst_error(prior, n, epsilon).value, remap.value


@claim(
    id="beyond/6-a-coin",
    source="optimality, Corollary 6",
    statement=r"\Pr[\lfloor Y \rfloor = j] = \tfrac12 \bigl(\Pr[Z = j] + \Pr[Z = j + 1]\bigr), \quad Y \sim \mathrm{Lap}(1/\varepsilon)",
    cases=grid(epsilon=[0.05, 0.8, 3], j=[-4, -1, 0, 5]),
    proof=True,
    expected=PROVED,
    notebook=BEST,
)
def a_coin(real: ModuleType, epsilon: Any, j: Any) -> Sides:
    r"""For \(j \ge 0\) the left side is \(\frac12 (e^{-\varepsilon j} - e^{-\varepsilon(j+1)})
    = \frac{1-\alpha}{2} \alpha^j\), and the right one
    \(\frac12 \frac{1-\alpha}{1+\alpha} (\alpha^j + \alpha^{j+1})\), the same; \(j < 0\) mirrors \(-1 - j\). So LSHist on two
    categories is the geometric mechanism minus a fair coin.
    """
    alpha, m = real.exp(-epsilon), int(j) if j >= 0 else -1 - int(j)
    floor = (real.exp(-epsilon * m) - real.exp(-epsilon * (m + 1))) / 2
    point = [(1 - alpha) / (1 + alpha) * real.exp(-epsilon * abs(int(j) + step)) for step in (0, 1)]
    return floor, sum(point) / 2


@claim(
    id="beyond/7-no-remap",
    source="optimality, Lemma 7",
    statement=r"\sum_x p_x H(x, z) \le \sum_x p_x H(x, s) \text{ for all } s, \quad p_x = \Pr[x \mid G = z]",
    relation="<=",
    condition=Condition(
        r"\(p_z \ge \tfrac12\)",
        lambda prior, n, epsilon, z: _given(prior, n, epsilon, z)[int(z)] >= 0.5,
    ),
    cases=grid(prior=[(1, 1), (0.5, 0.5)], n=[12], epsilon=[0.05, 1.2, 3], z=[0, 3, 6]),
    proof=True,
    expected=CONDITIONAL,
    notebook=BEST,
)
def no_remap(real: ModuleType, prior: Any, n: Any, epsilon: Any, z: Any) -> Sides:
    r"""By the triangle inequality, going from z to s gains at most \(H(z, s)\) at any x other than z, and loses all of
    it at z: the mean changes by at least \((p_z - (1 - p_z)) H(z, s) \ge 0\). The right side shown is the smallest.
    """
    _in_doubles(real)
    J = _given(prior, n, epsilon, z) @ lattice_distances(np.array(prior, float), count_vectors(n, 2))
    return float(J[z]), float(J.min())


def _given(prior: Any, n: int, epsilon: float, z: int) -> Any:
    p = marginal(prior, n) * np.exp(-epsilon * np.abs(np.arange(n + 1) - z))
    return p / p.sum()


@claim(
    id="beyond/8-lattice-noise",
    source="optimality, Proposition 8",
    statement=r"\max_{x \sim x', r} \ln \frac{\Pr[r \mid x]}{\Pr[r \mid x']} = \varepsilon"
    r" \text{ for } r = x + v,\ \Pr[v] \propto e^{-\varepsilon |v|_1 / 2},\ \textstyle\sum_i v_i = 0",
    cases=grid(k=[2, 3, 4], n=[3, 5], epsilon=[0.1, 0.8, 4]),
    proof=True,
    expected=PROVED,
    notebook=BEST,
)
def lattice_noise(real: ModuleType, k: Any, n: Any, epsilon: Any) -> Sides:
    r"""\(|v|_1 / 2\) is the number of records to replace on the way by v, a metric on the datasets, so neighbours' weights
    differ by at most \(e^{\varepsilon}\), and the normaliser is the same at all of them. What becomes of the noisy vector
    later costs nothing, and keeps an output at which the bound is met.
    """
    _in_doubles(real)
    return audit(lattice_laplace(epsilon), [1] * k, n).epsilon, float(epsilon)


@claim(
    id="beyond/9-coverage",
    source="optimality, Proposition 9",
    statement=r"\Pr[\theta \in I(r)] = \gamma \text{ over } \theta \sim \mathrm{Dir}(\alpha),\ x \mid \theta,\ r \mid x,"
    r" \quad \Pr[\theta \in I(r) \mid r] = \gamma",
    cases=grid(mechanism=["geometric", "lshist", "ehd"], n=[10, 40], epsilon=[0.1, 1], level=[0.5, 0.95]),
    proof=True,
    expected=PROVED,
    notebook=HONEST,
)
def covers_on_average(real: ModuleType, mechanism: Any, n: Any, epsilon: Any, level: Any) -> Sides:
    """The mean of a conditional probability that is the level for every output. The left side is a sum over datasets and
    outputs for the uniform prior.
    """
    _in_doubles(real)
    made = getattr(mechanisms, mechanism)(epsilon)
    return coverage(made, (1, 1), n, aware_intervals(made, (1, 1), n, level)), float(level)


@claim(
    id="beyond/coverage-everywhere",
    source="optimality, Proposition 9 at every share",
    statement=r"\Pr[\theta \in I(r) \mid \theta] \ge \gamma \text{ for every } \theta",
    relation=">=",
    cases=grid(n=[10, 200], epsilon=[0.1, 0.5], level=[0.95], share=[0.001, 0.3, 0.5]),
    expected=REFUTED,
    notebook=HONEST,
)
def covers_everywhere(real: ModuleType, n: Any, epsilon: Any, level: Any, share: Any) -> Sides:
    """Exactness on average allows for shares at which the interval of the geometric mechanism is never right: with
    little information every interval stays away from 0 and 1.
    """
    _in_doubles(real)
    made = mechanisms.geometric(epsilon)
    return coverage_at(made, (1, 1), n, aware_intervals(made, (1, 1), n, level), share), float(level)


CLAIMS = (
    unimodal,
    domination,
    any_loss,
    least_mean,
    least_worst,
    a_coin,
    no_remap,
    lattice_noise,
    covers_on_average,
    covers_everywhere,
)
"""Every claim about what the sources leave open."""
