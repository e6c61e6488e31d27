"""Section 2.1: the definitions of privacy, Remark 3, composition."""

import itertools
from typing import Any

from ...arithmetic import exp, largest, less, log, number
from ...posterior_sampling import joint, least_delta, weighted
from ...posterior_sampling.finite import Finite
from ..claim import REFUTED, Condition
from ..premises import Law, Reals, Rows, premises
from .source import PAPER, PRIVACY


def on_outcomes(weights: Any) -> Finite:
    """The law with these weights on the outcomes 0, 1, ..."""
    return weighted(range(len(weights)), weights)


def gain(p: Finite, q: Finite, epsilon: Any, event: Any) -> Any:
    r"""\(p(B) - e^{\varepsilon} q(B)\) of one event, given by zeros and ones."""
    gains = p.weights - exp(epsilon) * q.weights
    return sum((g for g, inside in zip(gains, event, strict=True) if inside), number(0))


def events(law: Finite) -> Any:
    """All events."""
    return itertools.product((0, 1), repeat=len(law.weights))


@PAPER.item(
    "definition-1",
    "Definition 1",
    cases=[
        {"p": (0.7, 0.2, 0.1), "q": (0.1, 0.2, 0.7), "epsilon": 0.5},
        {"p": (0.4, 0.3, 0.2, 0.1), "q": (0.1, 0.5, 0.2, 0.2), "epsilon": 0.0},
        {"p": (0.25, 0.75), "q": (0.75, 0.25), "epsilon": 1.5},
    ],
    calls=least_delta,
    page=PRIVACY,
    premises=premises(p=Law(), q=Law(of="p"), epsilon=Reals(least=0, corners=(0.0,))),
)
def worst_event(p: Any, q: Any, epsilon: Any) -> Any:
    """The least delta."""
    return least_delta(on_outcomes(p), on_outcomes(q), epsilon)


@worst_event.said(
    r"\sup_B \bigl(P(B \mid x) - e^{\varepsilon} P(B \mid y)\bigr) = \sum_\theta \bigl(p(\theta \mid x) - e^{\varepsilon} p(\theta \mid y)\bigr)_+",
    proof=True,
)
def definition_1(p: Any, q: Any, epsilon: Any) -> Any:
    r"""What the definition asks of every event B is one number: the supremum is reached by the event where
    \(p > e^{\varepsilon} q\). \((\varepsilon, \delta)\)-privacy says that it is at most \(\delta\) for all neighbours. The
    cases compare it with a list of all events.
    """
    x, y = on_outcomes(p), on_outcomes(q)
    return largest([gain(x, y, epsilon, event) for event in events(x)])


TABLES = [
    {"table": ((0.7, 0.3), (0.3, 0.7), (0.3, 0.7), (0.1, 0.9)), "factor": 2},
    {"table": ((0.5, 0.5), (0.4, 0.6), (0.4, 0.6), (0.3, 0.7)), "factor": 1},
    {"table": ((0.8, 0.2), (0.5, 0.5), (0.6, 0.4), (0.2, 0.8)), "factor": 1},
    {"table": ((0.4, 0.6), (0.2, 0.8), (0.3, 0.7), (0.15, 0.85)), "factor": 2},
    {"table": ((0.6, 0.2, 0.2), (0.3, 0.4, 0.3), (0.3, 0.3, 0.4), (0.15, 0.5, 0.35)), "factor": 2},
]
"""The laws at the datasets 00, 01, 10 and 11, and the factor at which one change is judged."""

ANY = Reals(least=0, corners=(0.0,))
CHANGED = premises(table=Rows(Law((2, 3)), (4,)), factor=Reals(1.0, 30.0, least=1, corners=(1.0, 2.0)))

NEAR, FAR = ((0, 1), (0, 2), (1, 3), (2, 3)), ((0, 3), (1, 2))
"""Pairs of datasets that one change apart, and two."""


def delta_between(table: Any, pairs: Any, epsilon: Any) -> Any:
    r"""The least \(\delta\) at \(\varepsilon\) for some pairs of datasets, in both orders."""
    laws = [on_outcomes(row) for row in table]
    return largest([least_delta(laws[i], laws[j], epsilon) for a, b in pairs for i, j in ((a, b), (b, a))])


@PAPER.item(
    "definition-2", "Definition 2", cases=TABLES, relation="<=", calls=least_delta, page=PRIVACY, premises=CHANGED
)
def one_change(table: Any, factor: Any) -> Any:
    r"""The least \(\delta\) at \(\varepsilon = \ln\) factor for one change."""
    return delta_between(table, NEAR, log(factor))


@PAPER.item("remark-3", "Remark 3", cases=TABLES, relation="<=", calls=least_delta, page=PRIVACY, premises=CHANGED)
def two_changes(table: Any, factor: Any) -> Any:
    r"""The least \(\delta\) at \(2\varepsilon\) for two changes."""
    return delta_between(table, FAR, 2 * log(factor))


@one_change.said(
    r"\rho \text{ Hamming: } (\varepsilon, \delta)\text{-DP under } \rho \implies (\varepsilon, \delta)\text{-DP}",
    proof=True,
    tight=TABLES[1],
)
def definition_2(table: Any, factor: Any) -> Any:
    r"""Neighbours are at distance one, so Definition 1 is Definition 2 for these pairs only. The least \(\delta\)
    under \(\rho\) is the largest of \(\delta(x, y)/\rho(x, y)\) over all pairs. So it is at least that of the
    neighbours.
    """
    return largest([one_change(table=table, factor=factor), two_changes(table=table, factor=factor) / 2])


def one_is_zero(table: Any, factor: Any) -> bool:
    r"""Whether \(\varepsilon\) or \(\delta\) is zero."""
    return bool(factor == 1) or float(one_change(table=table, factor=factor)) < 1e-12


@two_changes.said(
    r"\rho \text{ Hamming},\ \varepsilon = 0 \text{ or } \delta = 0: \quad (\varepsilon, \delta)\text{-DP} \iff (\varepsilon, \delta)\text{-DP under } \rho",
    cases=TABLES[1:],
    proof=True,
    tight=TABLES[1],
    premises=CHANGED.and_also("epsilon = 0 or delta = 0", one_is_zero),
)
def remark_3(table: Any, factor: Any) -> Any:
    r"""Along a path of single changes the factors multiply when \(\delta = 0\), and the terms add when \(\varepsilon =
    0\), as the remark proves. The other direction is ``posterior-sampling/definition-2``. The sides are the least
    \(\delta\) at \(2\varepsilon\) for two changes, and twice that of one. If neither number is zero, the remark claims
    no more than an analogy. What follows there is ``posterior-sampling/remark-3-corrected``.
    """
    return 2 * one_change(table=table, factor=factor)


@two_changes.said(
    r"(\varepsilon, \delta)\text{-DP} \implies P(B \mid x) \le e^{k\varepsilon} P(B \mid y) + \delta\,\frac{e^{k\varepsilon} - 1}{e^{\varepsilon} - 1}, \quad k = \rho(x, y)",
    suffix="corrected",
    origin="ours",
    cases=[case for case in TABLES if case["factor"] != 1],
    proof=True,
    tight=TABLES[0],
    premises=CHANGED.and_also("epsilon > 0", lambda table, factor: less(1, factor)),
)
def remark_3_corrected(table: Any, factor: Any) -> Any:
    r"""Each step multiplies what the earlier ones added. So \(\delta_k = e^{\varepsilon}\delta_{k-1} + \delta\), a
    geometric sum. The first case attains it: it has \(e^{\varepsilon} = 2\) and \(\delta = 0.1\), and at distance two
    it needs 0.3, more than \(2\delta\). So the definitions are not equivalent when neither number is zero.
    """
    return one_change(table=table, factor=factor) * (factor * factor - 1) / (factor - 1)


PRODUCTS = [
    {"p": (0.9, 0.1), "q": (0.7, 0.3), "r": (0.6, 0.4), "s": (0.3, 0.7), "epsilon": 0.1, "epsilon2": 0.2},
    {"p": (0.5, 0.3, 0.2), "q": (0.2, 0.3, 0.5), "r": (0.1, 0.9), "s": (0.4, 0.6), "epsilon": 0.3, "epsilon2": 0.0},
    {"p": (0.6, 0.4), "q": (0.4, 0.6), "r": (0.8, 0.2), "s": (0.8, 0.2), "epsilon": 0.0, "epsilon2": 0.0},
]


def products(p: Any, q: Any, r: Any, s: Any) -> tuple[Finite, Finite]:
    """The joint laws of both releases at the two datasets."""
    return joint(on_outcomes(p), on_outcomes(r)), joint(on_outcomes(q), on_outcomes(s))


@PAPER.item(
    "theorem-4",
    "Theorem 4 (composition)",
    cases=PRODUCTS,
    relation="<=",
    calls=(least_delta, joint),
    page=PRIVACY,
    premises=premises(p=Law(), q=Law(of="p"), r=Law((2, 3)), s=Law(of="r"), epsilon=ANY, epsilon2=ANY),
)
def both_releases(p: Any, q: Any, r: Any, s: Any, epsilon: Any, epsilon2: Any = 0) -> Any:
    """The least delta of the product."""
    return least_delta(*products(p, q, r, s), epsilon + epsilon2)


@both_releases.said(
    r"(\varepsilon, \delta) \text{ and } (\varepsilon', \delta') \implies Q(B \times B' \mid x) = P(B \mid x) P'(B' \mid x) \text{ is } (\varepsilon + \varepsilon', \delta + \delta')\text{-DP under } \rho",
    proof=True,
    tight=PRODUCTS[2],
)
def theorem_4(p: Any, q: Any, r: Any, s: Any, epsilon: Any, epsilon2: Any) -> Any:
    r"""The statement is right, for all events. With \(m = \min(p, e^{\varepsilon}q)\) the first law is at most
    \(m\) plus a measure of mass \(\delta\), so for an event B of the product
    \[ Q(B \mid x) \le \delta + \sum_\theta m(\theta) P'(B_\theta \mid x)
       \le \delta + \sum_\theta m(\theta) \bigl[e^{\varepsilon'} P'(B_\theta \mid y) + \delta'\bigr]
       \le \delta + \delta' + e^{\varepsilon + \varepsilon'} Q(B \mid y), \]
    since \(\sum m \le 1\) and \(m \le e^{\varepsilon} q\). The printed proof bounds rectangles only, and drops a factor
    (``posterior-sampling/theorem-4-proof``). The cases have \(\rho = 1\); the sides are the exact \(\delta\) of the
    product and the sum of the two.
    """
    return least_delta(on_outcomes(p), on_outcomes(q), epsilon) + least_delta(on_outcomes(r), on_outcomes(s), epsilon2)


@PAPER.item(
    "theorem-4-proof",
    "Theorem 4, last step of the proof",
    cases=[
        {"factor": 2, "first": 0.9, "second": 0.1, "factor2": 1, "delta2": 0.3},
        {"factor": 2, "first": 0.3, "second": 0.5, "factor2": 1, "delta2": 0.3},
    ],
    relation="<=",
    apart="one side of a printed inequality between given probabilities",
    page=PRIVACY,
)
def last_step(factor: Any, first: Any, second: Any, factor2: Any, delta2: Any) -> Any:
    """The left side of the last step."""
    return factor * first * (factor2 * second + delta2)


@last_step.said(
    r"e^{\varepsilon\rho} P(B \mid y) \bigl[e^{\varepsilon'\rho} P'(B' \mid y) + \delta'\rho\bigr] + \delta\rho \le e^{(\varepsilon+\varepsilon')\rho} P(B \mid y) P'(B' \mid y) + (\delta + \delta')\rho",
    condition=Condition(
        r"\(e^{\varepsilon\rho} P(B \mid y) \le 1\)",
        lambda factor, first, second, factor2, delta2: factor * first <= 1,
    ),
    proof=True,
    erratum=True,
)
def theorem_4_proof(factor: Any, first: Any, second: Any, factor2: Any, delta2: Any) -> Any:
    r"""The sides differ by \(\delta'\rho\,(e^{\varepsilon\rho}P(B \mid y) - 1)\), which is positive for likely events. The
    cases have \(\rho = 1\) and \(\delta = 0\); ``factor`` is \(e^{\varepsilon}\).
    """
    return factor * factor2 * first * second + delta2


@both_releases.said(
    r"\sup_B \bigl(Q(B \mid x) - e^{\varepsilon} Q(B \mid y)\bigr) = \sup_{B \times B'} \bigl(Q(B \times B' \mid x) - e^{\varepsilon} Q(B \times B' \mid y)\bigr)",
    suffix="rectangles",
    where="Theorem 4, proof",
    cases=[{"p": (0.5, 0.5), "q": (0.9, 0.1), "r": (0.45, 0.55), "s": (0.05, 0.95), "epsilon": 0.0}],
    expected=REFUTED,
    erratum=True,
)
def theorem_4_rectangles(p: Any, q: Any, r: Any, s: Any, epsilon: Any) -> Any:
    r"""The printed proof takes for granted that rectangles decide. But a union of rectangles can tell the datasets
    apart better than any one of them.
    """
    x, y = products(p, q, r, s)
    sides = itertools.product(events(on_outcomes(p)), events(on_outcomes(r)))
    return largest([gain(x, y, epsilon, [i * j for i in first for j in second]) for first, second in sides])
