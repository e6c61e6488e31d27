"""Sections 2.1 and 2.2: definitions of privacy, composition, the two assumptions with Examples 1 and 2, and Lemma 5."""

import itertools

from ... import posterior_sampling as ps
from ...arithmetic import exp, largest, less, log, number, smallest
from ...posterior_sampling.assumptions import lipschitz_steps
from .. import above, at_least, at_most, digits, equal, grid, rows, statement
from .cases import COIN, bernoulli_prior, reached_and_exceeded


def on_outcomes(weights) -> ps.Finite:
    """Distribution with the given weights on the outcomes 0, 1, ..."""
    return ps.weighted(range(len(weights)), weights)


def gain(p: ps.Finite, q: ps.Finite, epsilon, event):
    r"""Excess \(p(B) - e^{\varepsilon} q(B)\) of an event B, where a sequence of zeros and ones specifies the event."""
    gains = p.weights - exp(epsilon) * q.weights
    return sum((g for g, inside in zip(gains, event, strict=True) if inside), number(0))


@statement(
    "posterior-sampling/definition-1",
    "Definition 1",
    says=r"$P(B \mid x) \le e^{\epsilon} P(B \mid y) + \delta$ for all $B$",
    reading=r"for countably many outcomes, the least $\delta$ of a pair of datasets is $\sup_B \bigl(P(B \mid x) - e^{\epsilon} P(B \mid y)\bigr) = \sum_\theta \bigl(p(\theta \mid x) - e^{\epsilon} p(\theta \mid y)\bigr)_+$",
    cases=rows("p q epsilon", ((0.7, 0.2, 0.1), (0.1, 0.2, 0.7), 0.5), ((0.25, 0.75), (0.75, 0.25), 1.5)),
)
def definition_1(p, q, epsilon):
    r"""A mechanism is \((\epsilon, \delta)\)-private if, for every pair of neighbouring datasets, the least \(\delta\)
    is at most the given \(\delta\). The check compares the sum over the outcomes with the supremum over all events.

    Proof: the event \(\{p > e^{\epsilon} q\}\) attains the supremum, and the excess of this event is the sum over the
    outcomes. For distributions with densities, the sum becomes an integral.
    """
    x, y = on_outcomes(p), on_outcomes(q)
    events = itertools.product((0, 1), repeat=len(p))
    return ps.least_delta(x, y, epsilon), equal(largest([gain(x, y, epsilon, event) for event in events]))


TABLES = rows(
    "table factor",
    (((0.7, 0.3), (0.3, 0.7), (0.3, 0.7), (0.1, 0.9)), 2),
    (((0.8, 0.2), (0.5, 0.5), (0.6, 0.4), (0.2, 0.8)), 1),
    (((0.4, 0.6), (0.2, 0.8), (0.3, 0.7), (0.15, 0.85)), 2),
)
"""Distributions of the response given the datasets 00, 01, 10 and 11, and the factor e^epsilon for one changed
record."""


def delta_of_changes(table, factor, changes):
    r"""Least \(\delta\) at \(k\varepsilon\) for datasets that differ in k = ``changes`` records, where the factor is
    \(e^{\varepsilon}\).
    """
    laws = [on_outcomes(row) for row in table]
    # the index of a dataset has its records as binary digits
    pairs = [(i, j) for i, j in itertools.permutations(range(4), 2) if (i ^ j).bit_count() == changes]
    return largest([ps.least_delta(laws[i], laws[j], changes * log(factor)) for i, j in pairs])


def one_is_zero(table, factor) -> bool:
    r"""Whether \(\varepsilon\) is zero, or whether \(\delta\) is zero up to rounding."""
    # In doubles, the least delta is a sum of rounded differences, hence the tolerance.
    return bool(factor == 1) or float(delta_of_changes(table, factor, 1)) < 1e-12


@statement(
    "posterior-sampling/definition-2",
    "Definition 2",
    says=r"$P(B \mid x) \le e^{\epsilon\rho(x, y)} P(B \mid y) + \delta\rho(x, y)$ for all $B$, $x$ and $y$",
    reading=r"if $\rho$ is the Hamming distance, Definition 2 implies Definition 1 with the same $\epsilon$ and $\delta$",
    cases=TABLES,
)
def definition_2(table, factor):
    r"""The check compares the least \(\delta\) for neighbouring datasets with the least \(\delta\) under \(\rho\), that
    is, the largest value of \(\delta(x, y)/\rho(x, y)\) over all pairs of different datasets.

    Proof: neighbouring datasets are at distance one, so Definition 1 is Definition 2 restricted to pairs of
    neighbouring datasets.
    """
    near, far = (delta_of_changes(table, factor, changes) for changes in (1, 2))
    return near, at_most(largest([near, far / 2]))


@statement(
    "posterior-sampling/remark-3",
    "Remark 3",
    says=r"for the Hamming distance $\rho$, $(\epsilon, 0)$- or $(0, \delta)$-privacy under $\rho$ is equivalent to that of Definition 1, and otherwise Definition 2 is analogous",
    holds=r"$(\epsilon, \delta)$-DP implies $P(B \mid x) \le e^{k\epsilon} P(B \mid y) + \delta\,\frac{e^{k\epsilon} - 1}{e^{\epsilon} - 1}$, where $k = \rho(x, y)$",
    cases=TABLES,
    given=(r"$\epsilon = 0$ or $\delta = 0$", one_is_zero),
)
def remark_3(table, factor):
    r"""The check compares the least \(\delta\) at \(2\varepsilon\) for two changed records with twice the least
    \(\delta\) at \(\varepsilon\) for one changed record.

    Proof: along a path of single changes, the factors multiply if \(\delta = 0\), and the terms add up if
    \(\varepsilon = 0\). The converse is ``posterior-sampling/definition-2``.
    """
    return delta_of_changes(table, factor, 2), at_most(2 * delta_of_changes(table, factor, 1))


@remark_3.instead(given=(r"$\epsilon > 0$", lambda factor: less(1, factor)))
def remark_3_growth(table, factor):
    r"""This bound makes the paper's word "analogous" precise. The first example in the check attains the bound: for
    \(e^{\epsilon} = 2\) and \(\delta = 0.1\), datasets at distance two require 0.3, which is more than \(2\delta\). So
    the two definitions are not equivalent for these values of \(\epsilon\) and \(\delta\). They are equivalent if
    Definition 2 imposes no condition at distance two, that is, for \(\delta \ge \frac12\).

    Proof: let \(\delta_k\) be the bound for k changed records. One more change multiplies the earlier bound by
    \(e^{\varepsilon}\) and adds \(\delta\). So \(\delta_k = e^{\varepsilon}\delta_{k-1} + \delta\), and \(\delta_k\) is
    a geometric sum.
    """
    one, two = (delta_of_changes(table, factor, changes) for changes in (1, 2))
    return two, at_most(one * (factor * factor - 1) / (factor - 1))


@statement(
    "posterior-sampling/theorem-4",
    "Theorem 4 (composition)",
    says=r"$(\varepsilon, \delta)$ and $(\varepsilon', \delta')$ imply that $Q(B \times B' \mid x) = P(B \mid x) P'(B' \mid x)$ is $(\varepsilon + \varepsilon', \delta + \delta')$-DP under $\rho$",
    cases=rows("p q r s epsilon epsilon2", ((0.9, 0.1), (0.7, 0.3), (0.6, 0.4), (0.3, 0.7), 0.1, 0.2)),
)
def theorem_4(p, q, r, s, epsilon, epsilon2):
    r"""Theorem 4 is true for all events. The printed proof covers only rectangles, and its last step replaces
    \(e^{\varepsilon\rho} P(B \mid y)\,\delta'\rho\) by \(\delta'\rho\), although \(e^{\varepsilon\rho} P(B \mid y)\)
    may exceed one. The check uses \(\rho = 1\) and compares the least \(\delta\) of the product with the sum of the
    least \(\delta\) of the two factors.

    Proof: let \(\rho = 1\); for other distances, use \(\varepsilon\rho\) and \(\delta\rho\) in place of \(\varepsilon\)
    and \(\delta\). Let \(m = \min(p, e^{\varepsilon}q)\). The distribution p is at most m plus a measure of mass
    \(\delta\). So, for an event B of the product,
    \[ Q(B \mid x) \le \delta + \sum_\theta m(\theta) P'(B_\theta \mid x)
       \le \delta + \sum_\theta m(\theta) \bigl[e^{\varepsilon'} P'(B_\theta \mid y) + \delta'\bigr]
       \le \delta + \delta' + e^{\varepsilon + \varepsilon'} Q(B \mid y), \]
    since \(\sum m \le 1\) and \(m \le e^{\varepsilon} q\).
    """
    x, y, x2, y2 = map(on_outcomes, (p, q, r, s))
    both = ps.least_delta(ps.joint(x, x2), ps.joint(y, y2), epsilon + epsilon2)
    return both, at_most(ps.least_delta(x, y, epsilon) + ps.least_delta(x2, y2, epsilon2))


def worst_slope(parameters, n):
    """Largest change of the log likelihood per changed record, over all pairs of sequences of n records."""
    fits = {x: COIN.likelihood(parameters, x) for x in itertools.product((0, 1), repeat=int(n))}
    pairs = itertools.permutations(fits, 2)
    return largest([largest(log(fits[x] / fits[y])) / COIN.distance(x, y) for x, y in pairs])


@statement(
    "posterior-sampling/assumption-1",
    "Assumption 1",
    says=r"there exists some $L < \infty$ such that $\ell(\theta) \le L$, $\theta \in \Theta$",
    reading=r"in Example 1 with $n \ge 1$ records, $0 < \theta < 1$ and the Hamming distance, $\ell(\theta) = \bigl|\ln\frac{\theta}{1-\theta}\bigr|$, which is finite",
    cases=grid(theta=[0.2, 0.5, 0.95], n=[1, 3]),
)
def assumption_1(theta, n):
    r"""The Lipschitz constant \(\ell(\theta)\) grows without bound as \(\theta\) approaches 0 or 1, so Assumption 1
    fails for a prior on all of (0, 1). The paper's counterexample is \(\theta = 0\), where this constant is infinite.
    The check computes the largest change of the log likelihood per changed record, over all pairs of sequences of n
    records.

    Proof: each replaced record changes \(\ln p_\theta\) by \(\pm\ln\frac{\theta}{1-\theta}\).
    """
    return worst_slope([theta], n), equal(COIN.lipschitz([theta])[0])


@statement(
    "posterior-sampling/assumption-2",
    "Assumption 2 (called Assumption 5 in the text), for Example 2",
    by="ours",
    says=r"$\xi(\Theta_L) \ge 1 - e^{-c(L - L_0)}$ for all $L \ge L_0$ if and only if $c \le \min_{l_{j+1} > L_0} \frac{-\ln(1 - \xi(\Theta_{l_j}))}{l_{j+1} - L_0}$",
    cases=grid(step=[0.2, 0.05, 0.3], xi=["uniform", "exponential"], L0=[0.5, 1.0]),
    given=("some parameters have a constant of at most $L_0$, and others have a larger one", reached_and_exceeded),
)
def assumption_2(step, xi: str, L0):
    r"""The check uses the largest admissible c, and compares the prior mass with the printed bound just below the jump
    that determines c. At this point, the mass and the bound are equal.

    Proof: for a finite family, the prior mass of \(\Theta_L\) is a step function of L with jumps at \(l_1 < l_2 <
    \dots\). On each step, the bound is largest at the right end, so every jump beyond \(L_0\) gives one condition on c.
    If there is no jump beyond \(L_0\), every c is allowed. Assumption 1 therefore implies Assumption 2 with \(L_0 =
    L\).
    """
    prior = bernoulli_prior(step, xi)
    c, (jumps, _) = ps.best_rate(COIN, prior, L0), lipschitz_steps(COIN, prior)
    # The mass just below each jump, where the step function is closest to the increasing bound:
    below = [number(0), *(ps.lipschitz_mass(COIN, prior, jump) for jump in jumps)]
    sides = [(mass, 1 - exp(-c * (jump - L0))) for mass, jump in zip(below, jumps, strict=False) if less(L0, jump)]
    mass, bound = min(sides, key=lambda pair: float(pair[0] - pair[1]))
    return mass, at_least(bound)


def whole_number_of_steps(step) -> bool:
    r"""Whether \(1/\Delta\) is a whole number, up to rounding."""
    # In doubles 1 / step is rounded, hence the tolerance.
    return not less(number("1e-9"), abs(1 / step - round(float(1 / step))))


@statement(
    "posterior-sampling/example-1",
    "Example 1",
    says=r"$\theta_k = \Delta k$ with $k \le 1/\Delta$ satisfies the above assumption with $L = \ln 1/\Delta$",
    reading=r"the grid omits $\theta = 0$ and $\theta = 1$, where $\ell$ is infinite",
    holds=r"$\max_k \ell(k\Delta) = \ln\frac{1 - r}{r}$, $r = \min\bigl(\Delta, 1 - \Delta\lceil 1/\Delta - 1\rceil\bigr)$",
    why="the distance of the last parameter from 1 may be less than one step",
    only_if=(r"$1/\Delta$ is a whole number", whole_number_of_steps),
    cases=grid(step=[0.01, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4]),
)
def example_1(step):
    r"""The example needs two corrections. If \(1/\Delta\) is a whole number, the printed range \(k \le 1/\Delta\)
    includes \(\theta = 1\), where \(\ell\) is infinite, so the grid must stop before 1. Moreover, \(1/\Delta\) must be
    a whole number, as \(\xi(\theta_k) = \Delta\) presupposes: for \(\Delta = 0.3\), the last parameter value is
    \(\theta = 0.9\), where \(\ell = 2.197\) exceeds \(\ln\frac1\Delta = 1.204\).

    Proof: the parameter value nearest to an end of (0, 1) is at distance \(\Delta\) from this end and has the largest
    Lipschitz constant, \(\ell = \ln\frac{1-\Delta}{\Delta} < \ln\frac1\Delta\).

    Proof of what holds: \(\ell\) increases towards both ends, so the maximum is attained at the parameter value nearest
    to an end, and r is the distance of this value from that end.
    """
    parameters = ps.bernoulli_grid(step)
    nearest = smallest([parameters[0], 1 - parameters[-1]])
    return ps.lipschitz_bound(COIN, bernoulli_prior(step)), at_most(-log(step)), equal(log((1 - nearest) / nearest))


@statement(
    "posterior-sampling/example-2-steps",
    "Example 2, Figure 1",
    says=r"$\Delta = 0.2$: $\xi(\Theta_L)$ has two steps",
    kind="digits",
    cases=[{"step": 0.2, "steps": 2}],
)
def example_2_steps(step, steps):
    r"""Because \(\ell\) is symmetric about 1/2, the parameter values 0.4 and 0.6 have the same constant, and so do 0.2
    and 0.8."""
    return number(len(lipschitz_steps(COIN, bernoulli_prior(step))[0])), equal(steps)


@statement(
    "posterior-sampling/example-2-ratio",
    "Example 2, Figure 1",
    says=r"$L(0.2) \approx \tfrac12 L(0.05)$",
    kind="digits",
    cases=[{"coarse": 0.2, "fine": 0.05, "printed": "0.5"}],
)
def example_2_ratio(coarse, fine, printed: str):
    r"""The ratio of the two constants is \(\ln 4 / \ln 19 = 0.471\), which rounds to 0.5."""
    large, small = (ps.lipschitz_bound(COIN, bernoulli_prior(step)) for step in (coarse, fine))
    return large / small, digits(printed)


@statement(
    "posterior-sampling/example-2-higher",
    "Example 2",
    says=r"the higher curve is achieved by $\Delta = 0.2$",
    reading=r"both curves begin at the same $L_0$, which the paper does not state, and the higher curve has the larger rate $c$",
    why=r"the order of the two rates depends on \(L_0\)",
    only_if=(r"$L_0 > \ln 2$", lambda L0: less(2, exp(L0))),
    cases=grid(L0=[0.5, 0.6, 0.69, 0.7, 0.8, 1.0, 1.3]),
    given=(
        r"$L_0 < \ln 19$, since both grids allow every rate for $L_0 \ge \ln 19$",
        lambda L0: reached_and_exceeded(0.05, "uniform", L0),
    ),
)
def example_2_higher(L0):
    r"""Under the exponential prior in Figure 1(b), the order of the two rates is reversed at \(L_0 = 0.711\).

    Proof: for \(\ln 2 < L_0 < \ln 4\), the best rate of the coarse grid is \(\frac{\ln 2}{\ln 4 - L_0}\), and the best
    rate of the fine grid is at most \(\frac{\ln 9.5}{\ln 19 - L_0}\), by the condition at its last jump. At \(L_0 = \ln
    2\), each of the two expressions is 1. For larger \(L_0\), the first expression is larger, because the difference of
    the cross products is \((L_0 - \ln 2)(\ln 9.5 - \ln 2)\). For \(L_0 \ge \ln 4\), the coarse grid allows every rate.

    Under the uniform prior, the best rate at \(L_0 = \ln 2\) is 1 for every \(\Delta\) such that \(1/\Delta\) is a
    whole number above 3. To see this, let \(l_i = \ln\frac{1-i\Delta}{i\Delta}\). Just below \(l_i\), \(1 -
    \xi(\Theta_L)\) is \(\frac{2i}{1/\Delta - 1}\), while \(e^{-(l_i - \ln 2)} = \frac{2i}{1/\Delta - i}\). The two
    expressions are equal at i = 1, and the second is larger for every other i. For every checked \(L_0\) below
    \(\ln 2\), the fine grid has the higher rate.
    """
    coarse, fine = (ps.best_rate(COIN, bernoulli_prior(step), L0) for step in (number(0.2), number(0.05)))
    return coarse, above(fine)


@statement(
    "posterior-sampling/example-2-exponential",
    "Example 2",
    says=r"$\xi(\theta) \propto \exp(-\ell(\theta))$ results in both lower bounds being shifted upwards, corresponding to a higher $c$",
    cases=grid(step=[0.2, 0.05], L0=[0.5, 0.7, 1.0, 1.3]),
    given=(
        "some parameters have a Lipschitz constant of at most $L_0$, and others have a larger one",
        lambda step, L0: reached_and_exceeded(step, "uniform", L0),
    ),
)
def example_2_exponential(step, L0):
    r"""Proof: the factor \(e^{-\ell}\) decreases as \(\ell\) grows. So, compared with equal weights, this factor
    increases the prior mass of \(\Theta_l\) for every l with prior mass both inside and outside \(\Theta_l\). The
    larger mass increases each quotient in ``posterior-sampling/assumption-2``, and the best rate is the minimum of
    these quotients.
    """
    higher, lower = (ps.best_rate(COIN, bernoulli_prior(step, xi), L0) for xi in ("exponential", "uniform"))
    return higher, above(lower)


@statement(
    "posterior-sampling/lemma-5",
    "Lemma 5",
    says=r"the product family $p^n_\Theta(\{x_i\}) = \prod_{i=1}^n p_\Theta(x_i)$ satisfies the same assumption with respect to $\rho^n(\{x_i\}, \{y_i\}) = \sum_{i=1}^n \rho(x_i, y_i)$ and constant $L$ (or $c$)",
    reading=r"the Lipschitz constant of each parameter does not grow with $n$: $\ell^n(\theta) \le \ell(\theta)$",
    cases=grid(theta=[0.2, 0.9], n=[1, 2, 4]),
)
def lemma_5(theta, n):
    r"""Equality holds for two datasets that differ in one record. So both assumptions also hold for n records, with the
    same constants. By contrast, the constant C in the second parts of Theorems 7 and 8 depends on n: for \(\Delta =
    0.05\), C grows from 1.9 for one record to 17.7 for fifty records.

    Proof: by the triangle inequality,
    \(|\ln p^n_\theta(x) - \ln p^n_\theta(y)| \le \sum_i \ell(\theta)\rho(x_i, y_i)\).
    """
    return worst_slope([theta], n), at_most(COIN.lipschitz([theta])[0])
