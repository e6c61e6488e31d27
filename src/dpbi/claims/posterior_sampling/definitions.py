"""Section 2.1: the definitions of privacy, Remark 3, composition."""

import itertools

from ... import posterior_sampling as ps
from ...arithmetic import exp, largest, less, log, number
from ...posterior_sampling.finite import Finite
from .. import at_most, equal, rows, statement


def on_outcomes(weights) -> Finite:
    """The law with these weights on the outcomes 0, 1, ..."""
    return ps.weighted(range(len(weights)), weights)


def gain(p: Finite, q: Finite, epsilon, event):
    r"""\(p(B) - e^{\varepsilon} q(B)\) of one event, given by zeros and ones."""
    gains = p.weights - exp(epsilon) * q.weights
    return sum((g for g, inside in zip(gains, event, strict=True) if inside), number(0))


@statement(
    "posterior-sampling/definition-1",
    "Definition 1",
    says=r"$\sup_B \bigl(P(B \mid x) - e^{\varepsilon} P(B \mid y)\bigr) = \sum_\theta \bigl(p(\theta \mid x) - e^{\varepsilon} p(\theta \mid y)\bigr)_+$",
    cases=rows("p q epsilon", ((0.7, 0.2, 0.1), (0.1, 0.2, 0.7), 0.5), ((0.25, 0.75), (0.75, 0.25), 1.5)),
)
def definition_1(p, q, epsilon):
    r"""\((\varepsilon, \delta)\)-privacy says that this supremum is at most \(\delta\) for all neighbours. The cases
    compare the sum with a list of all events.

    Proof: the event where \(p > e^{\varepsilon} q\) reaches the supremum, and its gain is the sum.
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
"""The laws at the datasets 00, 01, 10 and 11, and the factor at which one change is judged."""


def one_change(table, factor):
    r"""The least \(\delta\) at \(\varepsilon = \ln\) factor between datasets that differ in one record."""
    return _delta_between(table, ((0, 1), (0, 2), (1, 3), (2, 3)), log(factor))


def two_changes(table, factor):
    r"""The least \(\delta\) at \(2\varepsilon\) between datasets that differ in both records."""
    return _delta_between(table, ((0, 3), (1, 2)), 2 * log(factor))


def _delta_between(table, pairs, epsilon):
    laws = [on_outcomes(row) for row in table]
    return largest([ps.least_delta(laws[i], laws[j], epsilon) for a, b in pairs for i, j in ((a, b), (b, a))])


def one_is_zero(table, factor) -> bool:
    r"""Whether \(\varepsilon\) or \(\delta\) is zero."""
    return bool(factor == 1) or float(one_change(table, factor)) < 1e-12


@statement(
    "posterior-sampling/definition-2",
    "Definition 2",
    says=r"for the Hamming distance $\rho$, $(\varepsilon, \delta)$-DP under $\rho$ implies $(\varepsilon, \delta)$-DP",
    cases=TABLES,
)
def definition_2(table, factor):
    r"""The sides are the least \(\delta\) between neighbours, and the least one under \(\rho\), which is the largest
    of \(\delta(x, y)/\rho(x, y)\) over all pairs.

    Proof: neighbours are at distance one, so Definition 1 is Definition 2 for these pairs only.
    """
    near = one_change(table, factor)
    return near, at_most(largest([near, two_changes(table, factor) / 2]))


@statement(
    "posterior-sampling/remark-3",
    "Remark 3",
    says=r"for the Hamming distance $\rho$, if $\varepsilon = 0$ or $\delta = 0$: $(\varepsilon, \delta)$-DP is $(\varepsilon, \delta)$-DP under $\rho$",
    holds=r"$(\varepsilon, \delta)$-DP with $\varepsilon > 0$ implies $P(B \mid x) \le e^{k\varepsilon} P(B \mid y) + \delta\,\frac{e^{k\varepsilon} - 1}{e^{\varepsilon} - 1}$, $k = \rho(x, y)$",
    why="sharper: if neither number is zero, the remark only speaks of an analogy",
    cases=TABLES,
    given=one_is_zero,
)
def remark_3(table, factor):
    r"""The sides are the least \(\delta\) at \(2\varepsilon\) for two changes, and twice that of one.

    Proof: along a path of single changes the factors multiply when \(\delta = 0\), and the terms add when
    \(\varepsilon = 0\). The other direction is ``posterior-sampling/definition-2``.
    """
    return two_changes(table, factor), at_most(2 * one_change(table, factor))


@remark_3.instead(given=lambda factor: less(1, factor))
def remark_3_growth(table, factor):
    r"""The first case attains it: it has \(e^{\varepsilon} = 2\) and \(\delta = 0.1\), and at distance two it needs
    0.3, more than \(2\delta\). So the definitions are not equivalent when neither number is zero.

    Proof: each step multiplies what the earlier ones added, so
    \(\delta_k = e^{\varepsilon}\delta_{k-1} + \delta\), a geometric sum.
    """
    return two_changes(table, factor), at_most(one_change(table, factor) * (factor * factor - 1) / (factor - 1))


@statement(
    "posterior-sampling/theorem-4",
    "Theorem 4 (composition)",
    says=r"$(\varepsilon, \delta)$ and $(\varepsilon', \delta')$ imply that $Q(B \times B' \mid x) = P(B \mid x) P'(B' \mid x)$ is $(\varepsilon + \varepsilon', \delta + \delta')$-DP under $\rho$",
    cases=rows("p q r s epsilon epsilon2", ((0.9, 0.1), (0.7, 0.3), (0.6, 0.4), (0.3, 0.7), 0.1, 0.2)),
)
def theorem_4(p, q, r, s, epsilon, epsilon2):
    r"""The statement is right, for all events. The printed proof bounds rectangles only, and drops a factor. The cases
    have \(\rho = 1\); the sides are the exact \(\delta\) of the product and the sum of the two.

    Proof: with \(m = \min(p, e^{\varepsilon}q)\) the first law is at most \(m\) plus a measure of mass \(\delta\), so
    for an event B of the product
    \[ Q(B \mid x) \le \delta + \sum_\theta m(\theta) P'(B_\theta \mid x)
       \le \delta + \sum_\theta m(\theta) \bigl[e^{\varepsilon'} P'(B_\theta \mid y) + \delta'\bigr]
       \le \delta + \delta' + e^{\varepsilon + \varepsilon'} Q(B \mid y), \]
    since \(\sum m \le 1\) and \(m \le e^{\varepsilon} q\).
    """
    x, y = on_outcomes(p), on_outcomes(q)
    x2, y2 = on_outcomes(r), on_outcomes(s)
    both = ps.least_delta(ps.joint(x, x2), ps.joint(y, y2), epsilon + epsilon2)
    return both, at_most(ps.least_delta(x, y, epsilon) + ps.least_delta(x2, y2, epsilon2))
