"""Section 5.4.1: steps and distances, the probability of good answers, and Tables 1 and 2 cell by cell."""

from ...accuracy import closer_than
from ...arithmetic import exp, number
from ...mechanisms import Mechanism, ehd, ehdl, laplace_in_order
from .. import above, below, digits, equal, grid, rows, statement
from ..quantities import balanced, printed_sensitivity
from .printed_tables import TABLE_1, TABLE_2, unbounded
from .quantities import EPSILON, FLAT, FLAT3, defined, distance, probability_at_distance, towards_zero


@statement(
    "hellinger/5.4.1-steps",
    "Section 5.4.1",
    says="candidates as many steps away have the same Hellinger distance",
    why="a step towards the smaller count is longer",
    only_if=(
        "there are two categories with equal posterior parameters",
        lambda counts: len(counts) == 2 and counts[0] == counts[1],
    ),
    cases=rows(
        "counts first second",
        ((1, 2), (0, 3), (2, 1)),
        ((4, 4), (1, 7), (7, 1)),
        ((20, 20, 20), (22, 19, 19), (18, 21, 21)),
    ),
)
def steps_and_distance(counts, first, second):
    """For three categories two steps in different directions differ even where all parameters are equal.

    Proof: for equal posterior parameters the candidates j steps up and j steps down are mirror images.
    """
    prior = (1,) * len(counts)
    return distance(prior, counts, first), equal(distance(prior, counts, second))


def within_three_steps(mechanism: Mechanism, n):
    """The probability of an answer within three steps of n balanced records."""
    half = int(n) // 2
    return closer_than(mechanism, FLAT, (half, half), (half + 3, half - 3), ties=True)


@statement(
    "hellinger/5.4.1-decay",
    "Section 5.4.1",
    says=r"the probability of good answers, within three steps, decreases as $n^{-(m-1)}$: for $\mathcal M_{\mathcal H}$ it is smaller at $5n$ than at $n$",
    holds=r"for the exponential mechanism with global sensitivity $G$: $\Pr[\text{within three steps}] < \frac{7}{7 + (n - 6)\, e^{-\varepsilon/(2G)}}$ for even $n > 6$",
    why="the sensitivity shrinks with n, and the spread of the mechanism with it",
    cases=grid(n=[8, 40, 200], divisor=[1, 2]),
)
def decay(n, divisor):
    r"""The data are balanced, and the prior is beta(1, 1). The probability decreases at first and then grows again. Take
    LS in place of S and the divisor 1: the probability of the truth tends to \(\tanh(\varepsilon/2)\), because a
    candidate j steps away is nearly |j| times LS away.
    """
    mechanism = defined(divisor)
    return within_three_steps(mechanism, 5 * n), below(within_three_steps(mechanism, n))


@decay.instead(given=lambda n: int(n) % 2 == 0 and n > 6, cases=grid(n=[8, 40, 200, 1000]))
def decay_at_global_sensitivity(n):
    r"""Proof: seven candidates are within three steps, each of weight at most 1. The other n - 6 weigh more than
    \(e^{-\varepsilon/(2G)}\) each, because distances are below 1.
    """
    epsilon, G = number(EPSILON), printed_sensitivity()
    return within_three_steps(ehd(epsilon, G), n), below(7 / (7 + (n - 6) * exp(-epsilon / (2 * G))))


def cell(column: str, prior, counts, output):
    r"""A number of a table for balanced data: with weights \(e^{-\varepsilon \mathcal H/LS(x)}\) and truncated noise."""
    epsilon = number(EPSILON)
    if column == "distance":
        return distance(prior, counts, output)
    if column == "exponential":
        return probability_at_distance(ehdl(2 * epsilon), prior, counts, output)
    return unbounded(lambda move: towards_zero(epsilon, move), counts, output)


def cells(table, names: str):
    """A case for each number of a printed table."""
    return rows(names, *((column, row, text) for column, texts in table.items() for row, text in texts.items()))


def from_balanced(steps) -> tuple[int, int]:
    """The candidate at a number of steps from the data of Table 1, (4, 4)."""
    return 4 + int(steps), 4 - int(steps)


@statement(
    "hellinger/table-1",
    "Table 1",
    says=r"posterior $\mathrm{beta}(5,5)$, $n = 8$: every printed digit, with weights $\exp(-\varepsilon \mathcal H/LS(x))$, $\varepsilon = 0.8$, and unclamped Laplace noise truncated towards zero",
    reading="the mechanisms are those that give the printed digits, not those of the text",
    kind="digits",
    cases=cells(TABLE_1, "column steps printed"),
)
def table_1(column: str, steps, printed: str):
    r"""The weights have the local sensitivity in place of S and no factor 2, and the candidates j steps up and down are
    added. The Laplace column is \(r^j - r^{j+1}\) with \(r = e^{-\varepsilon/2}\). Its noise is rounded towards zero and
    not kept within 0..n, so the column adds up to \(1 - r^5 = 0.8647\).
    """
    return cell(column, FLAT, balanced(8), from_balanced(steps)), digits(printed)


@statement(
    "hellinger/table-1-definition",
    "Table 1 and Definition 4.1",
    says=r"the columns of Table 1 are $\mathcal M_{\mathcal H}$ of Definition 4.1 and the Laplace mechanism of Section 4.1.3",
    holds=r"they are an exponential mechanism with weights $\exp(-\varepsilon \mathcal H/LS(x))$, and Laplace noise truncated towards zero and not kept within 0..n",
    why="the definition divides by 2S, and the Laplace mechanism of the text rounds down and keeps the counts within 0..n",
    kind="digits",
    cases=[case for case in table_1.cases if case["column"] != "distance"],
)
def table_1_definition(column: str, steps, printed: str):
    """At the truth the mechanisms of the text give 0.1875 and 0.1648 in place of 0.3792 and 0.3297."""
    mechanism = defined() if column == "exponential" else laplace_in_order(number(EPSILON))
    return probability_at_distance(mechanism, FLAT, balanced(8), from_balanced(steps)), digits(printed)


table_1_definition.instead(cases=table_1.cases)(table_1.body)


@statement(
    "hellinger/5.4.1-table-1",
    "Section 5.4.1, on Table 1",
    says=r"candidates 0, 1 and 2 steps away have a higher probability with $\mathcal M_{\mathcal H}$ than with Laplace noise, those 3 and 4 steps away a lower one",
    why="with the factor 2 it fails at three steps: 0.1711 against 0.1237",
    only_if=(r"the divisor is 1, which is not $(\varepsilon, \delta)$-private", lambda divisor: divisor == 1),
    cases=grid(divisor=[1, 2], steps=range(5)),
)
def table_1_comparison(steps, divisor):
    """The exact side is the quotient of the two probabilities, with the one that is claimed higher as the numerator.

    Proof: the table has five numbers of steps, and each is a case.
    """
    mechanisms = defined(divisor), laplace_in_order(number(EPSILON))
    smoothed, laplace = (probability_at_distance(m, FLAT, balanced(8), from_balanced(steps)) for m in mechanisms)
    return smoothed / laplace if steps <= 2 else laplace / smoothed, above(number(1))


TABLE_2_ROWS = {"corner": (60, 0, 0), "2": (22, 19, 19), "1": (21, 19, 20), "0": (20, 20, 20)}
"""One candidate of each row; its permutations at the same distance belong to the row too."""


@statement(
    "hellinger/table-2",
    "Table 2",
    says=r"every printed digit, for the prior $\mathrm{DL}(1,1,1)$, $x = (20,20,20)$, $n = 60$, with weights $\exp(-\varepsilon \mathcal H/LS(x))$, $\varepsilon = 0.8$, and two truncated Laplace noises",
    reading="the caption says beta(1, 1) and n = 40; the digits belong to three categories and 60 records",
    kind="digits",
    cases=cells(TABLE_2, "column row printed"),
)
def table_2(column: str, row: str, printed: str):
    """There are 1891 candidates. The rows are classes of equal distance, of 1, 6, 3 and 3 candidates. The row of two
    steps holds the permutations of (22, 19, 19) and leaves out those of (18, 21, 21), which are farther away. The
    Laplace column is the product of the noises of the first two counts, summed over the class.
    """
    return cell(column, FLAT3, (20, 20, 20), TABLE_2_ROWS[row]), digits(printed)
