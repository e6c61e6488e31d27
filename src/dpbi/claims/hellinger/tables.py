"""Sections 5.4 and 6.1: steps and distances, the numbers in Tables 1 and 2, and how sensitivities and errors depend on
the prior.
"""

import math
from decimal import Decimal
from functools import partial
from itertools import permutations

from ...accuracy import mean_error
from ...arithmetic import exp, largest, number
from ...mechanisms import ehd, ehdl, laplace_in_order, smoothed_hellinger
from ...model import count_vectors, local_sensitivity, neighbours
from .. import above, at_most, below, digits, equal, grid, rows, statement
from ..notes.steps import AWAY
from ..quantities import balanced, distances, farthest_move, printed_sensitivity
from .quantities import DELTA, EPSILON, FLAT, FLAT3, defined, distance, probability_at_distance
from .smoothed_mechanism import towards_zero

statement_of_digits = partial(statement, kind="digits")
"""Decorator for a statement on the numbers of a table or figure."""


def as_printed(text):
    """A dictionary of columns, made from the lines of a printed table.

    The first line contains the names of the columns. Each following line contains the name of a row and then its
    numbers.
    """
    head, *lines = (line.split() for line in text.strip().splitlines())
    return {name: {key: cells[i] for key, *cells in lines} for i, name in enumerate(head)}


TABLE_1 = as_printed("""
        distance        exponential      laplace
  4     0.83737258593   0.0431193490585  0.066561234758
  3     0.662174391701  0.0785621424847  0.0992976939175
  2     0.457635865026  0.158265808563   0.148134752205
  1     0.233629480709  0.340809715054   0.220991081918
  0     0.0             0.37924298484    0.329679953964
""")
"""Digits of Table 1 as printed, by column and by the number of steps from the correct answer."""

TABLE_2 = as_printed("""
          distance        exponential        laplace
  corner  0.999999984481  0.000149705644585  3.05988187701e-09
  2       0.187421762881  0.0548161224677    0.0285774941516
  1       0.110122822057  0.192227323562     0.170131188571
  0       0.0             0.0713016293602    0.108688872046
""")
"""Digits of Table 2 as printed, by column and by row."""


def agreement(value, printed):
    """Number of significant digits in which a value agrees with a printed number, up to rounding.

    >>> agreement(0.379242984839962, "0.37924298484"), agreement(0.3791, "0.37924298484")
    ('11 of 11', '3 of 11')
    """
    exact, digits = Decimal(printed), len(Decimal(printed).as_tuple().digits)
    # the unit of the n-th significant digit of the printed number
    units = {n: Decimal(1).scaleb(exact.adjusted() - n + 1) for n in range(digits + 1)}
    return f"{max(n for n in units if not n or abs(Decimal(value) - exact) <= units[n] / 2)} of {digits}"


def unbounded(noise, counts, output):
    """Probability that independent noise on all counts but the last gives an output or one of its permutations.

    The noisy counts are not clipped.
    """
    ties = sorted(set(permutations(output)))  # each permutation once, even if counts are equal
    return sum(math.prod(noise(to - count) for to, count in zip(tie[:-1], counts[:-1], strict=True)) for tie in ties)


def steps_between(counts, other) -> int:
    """Number of records that must be moved to turn one dataset into another."""
    return sum(abs(int(a) - int(b)) for a, b in zip(counts, other, strict=True)) // 2


@statement(
    "hellinger/5.4.1-steps",
    "Section 5.4.1",
    says="if candidates are of the same steps from correct answer, they also have the same Hellinger distance from correct answer",
    reading="the number of steps is the number of records that are moved",
    given=(
        "two candidates are equally many steps away",
        lambda counts, first, second: steps_between(counts, first) == steps_between(counts, second),
    ),
    why="a step that decreases the smaller parameter is longer",
    only_if=(
        "there are two categories with equal posterior parameters",
        lambda counts: len(counts) == 2 and counts[0] == counts[1],
    ),
    cases=rows(
        "counts first second", ((1, 2), (0, 3), (2, 1)), ((4, 4), (1, 7), (7, 1)), ((2, 2, 2), (4, 1, 1), (0, 3, 3))
    ),
)
def steps_and_distance(counts, first, second):
    """The paper's example, beta(5, 5), has equal parameters. For three categories, two candidates that are equally many
    steps away in different directions may be at different distances, even if all posterior parameters are equal. The
    check uses the flat prior, so that equal counts give equal parameters.

    Proof: for equal posterior parameters, the candidates j steps up and j steps down are mirror images of each other.
    """
    prior = (1,) * len(counts)
    return distance(prior, counts, first), equal(distance(prior, counts, second))


def within_three_steps(mechanism, k, each):
    """Probability of an answer within three steps of the truth, for a flat prior and k categories with equal counts."""
    counts = (int(each),) * int(k)
    law = mechanism.law((1,) * int(k), counts)
    return exp(law.log_probabilities[[steps_between(counts, output) <= 3 for output in law.outputs]]).sum()


@statement(
    "hellinger/5.4.1-decay",
    "Section 5.4.1",
    says=r"the probabilities of outputting good answers, within three steps, are decreasing with speed $\sim n^{m-1}$",
    reading=r"the weakest reading is that, for $\mathcal M_{\mathcal H}$, two categories, beta(1, 1) and balanced data, the probability is smaller at $5n$ than at $n$",
    holds=r"for the exponential mechanism with global sensitivity $G$: $\Pr[\text{within three steps}] < \frac{7}{7 + (n - 6)\, e^{-\varepsilon/(2G)}}$",
    why="the sensitivity shrinks with n, and so does the spread of the mechanism",
    given=("there are at least 6 records", lambda n: n >= 6),
    cases=grid(n=[8, 40, 200], divisor=[2, 1]),
)
def decay(n, divisor):
    r"""With divisor 2, the probability first decreases from 0.861 for n = 8 to 0.312 for n = 80, and then grows again,
    to 0.584 for n = 200 and 0.755 for n = 1,000. If S is replaced by LS and the divisor is 1, the probability of the
    truth tends to \(\tanh(\varepsilon/2)\), because a candidate j steps away is at a distance of nearly |j| times LS.
    """
    return within_three_steps(defined(divisor), 2, 5 * n / 2), below(within_three_steps(defined(divisor), 2, n / 2))


@decay.instead(
    given=("there are two categories, and n is even and above 6", lambda n: int(n) % 2 == 0 and n > 6),
    cases=grid(n=[8, 40, 200, 1000]),
)
def decay_at_global_sensitivity(n):
    r"""The data are balanced, and the prior is beta(1, 1).

    Proof: seven candidates are within three steps of the truth, and each of them has a weight of at most 1. Each of the
    other n - 6 candidates has a weight above \(e^{-\varepsilon/(2G)}\), because its distance is below 1.
    """
    epsilon, G = number(EPSILON), printed_sensitivity()
    return within_three_steps(ehd(epsilon, G), 2, n / 2), below(7 / (7 + (n - 6) * exp(-epsilon / (2 * G))))


@statement(
    "hellinger/5.4.1-laplace-size",
    "Section 5.4.1",
    says="the probabilities of outputting the good answers will not change a lot as the size of the candidate set increasing",
    reading="for Laplace noise on the counts, the probability of an answer within three steps is the same for all numbers of records per category that are at least 4",
    given=("there are two or three categories with at least 4 records each", lambda k, each: k in (2, 3) and each >= 4),
    cases=grid(k=[2, 3], each=[5, 10]),
)
def laplace_by_size(k, each):
    r"""For \(\varepsilon = 0.8\), the probability is 0.748 for two categories and 0.475 for three categories. The paper
    says that the speed of the change is "upper bounded by" a number, but omits the number. The bound 0 is correct.

    Proof: if the answer is within three steps, the noise moves at most three records in total, so no noisy count
    reaches 0 or n. Therefore no noisy count is clipped, and the probability does not depend on n.
    """
    mechanism = laplace_in_order(number(EPSILON))
    return within_three_steps(mechanism, k, each), equal(within_three_steps(mechanism, k, 4))


def cell(column: str, prior, counts, output):
    r"""The number in one cell of a table for balanced data, computed with the weights
    \(e^{-\varepsilon \mathcal H/LS(x)}\) or with truncated noise.
    """
    epsilon = number(EPSILON)
    if column == "distance":
        return distance(prior, counts, output)
    # EHDL divides epsilon by 2, so 2 epsilon gives the weights without the factor 2
    if column == "exponential":
        return probability_at_distance(ehdl(2 * epsilon), prior, counts, output)
    return unbounded(lambda move: towards_zero(epsilon, move), counts, output)


def cells(table, names: str):
    """Parameter values for each number in a printed table, in the order of its columns."""
    return rows(names, *((column, row, text) for column, texts in table.items() for row, text in texts.items()))


def from_balanced(steps) -> tuple[int, int]:
    """Candidate that is a given number of steps from the data of Table 1, (4, 4)."""
    return 4 + int(steps), 4 - int(steps)


@statement_of_digits(
    "hellinger/table-1",
    "Table 1",
    says="Table 1: Probability with Prior beta(1, 1) and data size 8",
    reading=r"the weights are $\exp(-\varepsilon \mathcal H/LS(x))$ with $\varepsilon = 0.8$, and the Laplace noise is truncated towards zero and not clipped to 0..n; these mechanisms reproduce the printed digits",
    cases=cells(TABLE_1, "column steps printed"),
)
def table_1(column: str, steps, printed: str):
    r"""The exponential column is computed with the local sensitivity instead of S, and without the factor 2 in the
    weights. Each probability is the total for the candidates j steps up and j steps down. The Laplace column is
    \(r^j - r^{j+1}\) with \(r = e^{-\varepsilon/2}\). Since the Laplace noise is rounded towards zero and not clipped
    to 0..n, the Laplace column adds up to \(1 - r^5 = 0.8647\).
    """
    return cell(column, FLAT, balanced(8), from_balanced(steps)), digits(printed)


@statement_of_digits(
    "hellinger/table-1-definition",
    "Section 5.4.1, Table 1 and Definition 4.1",
    says="the probability from the two mechanisms are shown in Tab. 1",
    reading=r"the two mechanisms are $\mathcal M_{\mathcal H}$ of Definition 4.1 and the Laplace mechanism of Section 4.1.3",
    holds=r"the table shows an exponential mechanism with the weights $\exp(-\varepsilon \mathcal H/LS(x))$, and Laplace noise that is truncated towards zero and not clipped to 0..n",
    why="one column is computed with LS in place of 2S, the other with the formula of Section 5.1 for noise that is rounded towards zero",
    cases=[case for case in table_1.cases if case["column"] != "distance"],
)
def table_1_definition(column: str, steps, printed: str):
    """For the correct answer, the mechanisms that the text defines have the probabilities 0.1875 and 0.1648, whereas
    the table prints 0.3792 and 0.3297.
    """
    mechanism = defined() if column == "exponential" else laplace_in_order(number(EPSILON))
    return probability_at_distance(mechanism, FLAT, balanced(8), from_balanced(steps)), digits(printed)


table_1_definition.instead(cases=table_1.cases)(table_1.body)


def first_over_second(one, two, swapped):
    """Ratio of two probabilities, and the claim that it exceeds 1; the numerator is the probability that is claimed to
    be higher."""
    return (two / one if swapped else one / two), above(number(1))


@statement(
    "hellinger/5.4.1-table-1",
    "Section 5.4.1, on Table 1",
    says="when the candidates are close to correct answer (for example, 0, 1, 2 steps), our mechanism can output them with higher probabilities than Laplace mechanism; far away (for example, 3, 4 steps), with lower probabilities",
    reading="the mechanisms are those with which Table 1 was computed",
    given=("the number of steps is one in the table", lambda steps: 0 <= steps <= 4),
    cases=grid(steps=range(5)),
)
def table_1_comparison(steps):
    """The exact number is the ratio of the two probabilities. The numerator is the probability that is claimed to be
    higher.

    Proof: the table has five numbers of steps, and the check covers each of them.
    """
    one, two = (cell(column, FLAT, balanced(8), from_balanced(steps)) for column in ("exponential", "laplace"))
    return first_over_second(one, two, steps > 2)


@statement(
    "hellinger/5.4.1-table-1-definition",
    "Section 5.4.1, on Table 1, and Definition 4.1",
    says=table_1_comparison.says,
    reading=r"the mechanisms are $\mathcal M_{\mathcal H}$ and the Laplace mechanism of Section 4.1.3, at the data of Table 1",
    why="with the factor 2 the claim fails at three steps: 0.1711 against 0.1237",
    given=("the number of steps is one in the table", lambda steps: 0 <= steps <= 4),
    only_if=("the divisor is 1, as in Section 5", lambda divisor: divisor == 1),
    cases=grid(divisor=[1, 2], steps=range(5)),
)
def table_1_comparison_as_defined(steps, divisor):
    """Proof: the table has five numbers of steps, and the check covers each of them with divisor 1."""
    mechanisms = defined(divisor), laplace_in_order(number(EPSILON))
    one, two = (probability_at_distance(m, FLAT, balanced(8), from_balanced(steps)) for m in mechanisms)
    return first_over_second(one, two, steps > 2)


TABLE_2_ROWS = {"corner": (60, 0, 0), "2": (22, 19, 19), "1": (21, 19, 20), "0": (20, 20, 20)}
"""One candidate for each row of Table 2; its permutations have the same distance and belong to the same row."""


@statement_of_digits(
    "hellinger/table-2",
    "Table 2",
    says="Table 2: Probability with Prior beta(1, 1) and data size 40",
    reading=r"the digits belong to three categories with $x = (20,20,20)$, 60 records in all, and the prior $\mathrm{DL}(1,1,1)$; the weights are $\exp(-\varepsilon \mathcal H/LS(x))$ with $\varepsilon = 0.8$, and the Laplace mechanism adds two truncated noises",
    cases=cells(TABLE_2, "column row printed"),
)
def table_2(column: str, row: str, printed: str):
    """There are 1891 candidates. Each row of the table stands for a class of candidates at equal distances. In the
    order of the table, the classes have 3, 3, 6 and 1 members. The row for two steps contains the permutations of (22,
    19, 19) but omits the permutations of (18, 21, 21), which are farther away. Each number in the Laplace column is a
    sum over the class: the terms are products of the probabilities of the noise on the first two counts.
    """
    return cell(column, FLAT3, (20, 20, 20), TABLE_2_ROWS[row]), digits(printed)


def row_of_table_2(divisor, row: str):
    r"""Probability of the candidates in a row of Table 2 under \(\mathcal M_{\mathcal H}\) with a given divisor, or
    under the Laplace mechanism if the divisor is 0.
    """
    mechanism = defined(divisor) if divisor else laplace_in_order(number(EPSILON))
    return probability_at_distance(mechanism, FLAT3, (20, 20, 20), TABLE_2_ROWS[row])


@statement(
    "hellinger/5.4.1-table-2",
    "Section 5.4.1, on Table 2",
    says="the Laplace mechanism do much better: good answers with few steps from correct answer can be outputted with higher probabilities in Laplace mechanism than in our mechanism",
    reading="the probabilities are those in Table 2, at 0, 1 and 2 steps",
    why="at one and at two steps the table itself gives the exponential mechanism the higher probability",
    cases=grid(row=["0", "1", "2"]),
)
def table_2_comparison(row: str):
    """The exact number is the ratio of the probability in the Laplace column to the probability in the exponential
    column. This ratio is 1.524 for 0 steps, 0.885 for 1 step and 0.521 for 2 steps.
    """
    one, two = (cell(column, FLAT3, (20, 20, 20), TABLE_2_ROWS[row]) for column in ("laplace", "exponential"))
    return first_over_second(one, two, False)


@statement(
    "hellinger/5.4.1-table-2-definition",
    "Section 5.4.1, on Table 2, and Definition 4.1",
    says=table_2_comparison.says,
    reading=r"the mechanisms are those that the text defines, with either divisor, at the data of Table 2",
    given=("the number of steps is 0, 1 or 2, as in the table", lambda row: row in "012"),
    cases=grid(row=["0", "1", "2"], divisor=[1, 2]),
)
def table_2_comparison_as_defined(row: str, divisor):
    r"""The answers in each of the three rows are more than ten times as probable under the Laplace mechanism as under
    \(\mathcal M_{\mathcal H}\) of Definition 4.1. For example, the probability of an answer within one step is 0.154
    under the Laplace mechanism and 0.0132 under \(\mathcal M_{\mathcal H}\).

    Proof: the ratio is computed for each of the three rows and each divisor.
    """
    return first_over_second(row_of_table_2(0, row), row_of_table_2(divisor, row), False)


@statement(
    "hellinger/5.4.1-table-2-similar",
    "Section 5.4.1, on Table 2",
    says="Moreover, in our mechanism the bad answers and good answers have very similar outputting probabilities",
    reading="in Table 2 the correct answer is less than ten times as probable as a corner, where a corner is one of the three candidates in its row",
    why="by the digits of the table, the correct answer is 1,429 times as probable as a corner",
    cases=[{"good": "0", "bad": "corner"}],
)
def table_2_similar(good: str, bad: str):
    """Even so, the probabilities of good and bad answers are more similar in the exponential column than in the Laplace
    column, where their ratio is about a hundred million.
    """
    one, other = (cell("exponential", FLAT3, (20, 20, 20), TABLE_2_ROWS[row]) for row in (good, bad))
    return 3 * one / other, below(number(10))


@statement(
    "hellinger/5.4.1-table-2-similar-definition",
    "Section 5.4.1, on Table 2, and Definition 4.1",
    says=table_2_similar.says,
    reading=r"under $\mathcal M_{\mathcal H}$ of Definition 4.1 the correct answer is less than ten times as probable as a corner",
    given=("the answers are the correct one and a corner", lambda good, bad: (good, bad) == ("0", "corner")),
    cases=table_2_similar.cases,
)
def table_2_similar_as_defined(good: str, bad: str):
    """The correct answer is 4.97 times as probable as a corner with divisor 2, and 24.7 times as probable with divisor
    1.

    Proof: the statement is about a single number, and this number is computed.
    """
    return 3 * row_of_table_2(2, good) / row_of_table_2(2, bad), below(number(10))


@statement(
    "hellinger/figure-1",
    "Figure 1",
    says="we firstly study the local sensitivity of Hellinger distance of different beta distributions as in Fig. 1",
    reading=r"the figure draws $LS$ over a grid of the posterior parameters $a$ and $b$; it is $\sqrt{1 - \min\{g(a)\, g(b-1),\ g(a-1)\, g(b)\}}$",
    given=AWAY,
    cases=grid(prior=[FLAT], counts=[(1, 1), (3, 5), (12, 30), (79, 1)]),
)
def drawn_sensitivity(prior, counts):
    r"""Proof: a record can move up or down, and LS is the larger of the two distances. Moving a record from the
    category with parameter b to the category with parameter a changes the posterior by the distance
    \(\sqrt{1 - g(a)\, g(b-1)}\), with \(g = e^{-u}\). If one category has no record, only one of the two moves exists.
    """
    a, b = (weight + count for weight, count in zip(prior, counts, strict=True))
    return local_sensitivity(prior, counts), equal(farthest_move((a, b - 1), (a - 1, b)))


def nearer_to_equal(prior, closer, apart) -> bool:
    """Whether two datasets of two categories have equally many records and the posterior parameters of the first are
    closer to each other than those of the second.
    """
    near, far = (abs(prior[0] + counts[0] - prior[1] - counts[1]) for counts in (closer, apart))
    return len(prior) == 2 and sum(closer) == sum(apart) and bool(near < far)


NEARER = "two posteriors have the same prior and number of records, and the parameters of one are closer to each other"
"""Premise of the statements on more uniform data, in words."""


@statement(
    "hellinger/5.4.2-closer",
    "Sections 5.4.2 and 5.4.3, Figure 1",
    says="the local sensitivity of Hellinger distance will decrease when beta distribution's two parameters get closer (i.e. more uniform)",
    reading="the beta distributions are posteriors of the same prior and have the same total",
    holds=r"$LS$ does not increase",
    why="if one category has no record, one of the two moves of a record does not exist",
    given=(NEARER, nearer_to_equal),
    only_if=("each category has a record in both datasets", lambda closer, apart: min(closer) >= 1 and min(apart) >= 1),
    cases=rows("prior closer apart", (FLAT, (1, 7), (0, 8)), ((0.5, 3), (3, 3), (6, 0)), ((7, 0.1), (2, 6), (3, 5))),
)
def closer_parameters(prior, closer, apart):
    r"""For the flat prior and n = 8, the datasets with 0 and 1 records in the first category have the same LS. For the
    prior (0.5, 3), LS is larger for the posterior (3.5, 6) than for the posterior (6.5, 3), whose parameters are
    farther apart. The printed statement is about two parameters. For three categories and the flat prior, LS increases
    when one record of (0, 0, 6) moves and the dataset becomes (0, 1, 5), because this record can then move between two
    nearly empty categories.

    Proof: let \(a \le b\). Then LS is F at the exponent \(u(a - 1) + u(b)\). Of the exponents of the two possible
    moves, this is the larger one, because u is convex and therefore falls more from a - 1 to a than from b - 1 to b.
    When a and b get closer to each other while their sum stays the same, so do a - 1 and b. So \(u(a - 1) + u(b)\)
    decreases, because u is strictly convex.
    """
    return local_sensitivity(prior, closer), below(local_sensitivity(prior, apart))


@closer_parameters.instead(
    given=(
        NEARER + ", and the two prior weights are equal",
        lambda prior, closer, apart: nearer_to_equal(prior, closer, apart) and prior[0] == prior[1],
    ),
    cases=rows("prior closer apart", (FLAT, (1, 7), (0, 8)), ((0.1, 0.1), (4, 4), (0, 8)), ((7, 7), (6, 2), (1, 7))),
)
def closer_of_two(prior, closer, apart):
    r"""Proof: denote a dataset by its first count m. The distance between the posteriors of m and m + 1 is F at the
    exponent \(w_m = u(\alpha + m) + u(\alpha + n - 1 - m)\). These exponents are convex in m and symmetric, so they
    decrease up to the middle. Therefore \(LS(m) = F(\max(w_{m-1}, w_m)) = F(w_{m-1})\) for m between 1 and the middle.
    At m = 0 there is only the exponent \(w_0\), so \(LS(0) = LS(1)\).
    """
    return local_sensitivity(prior, closer), at_most(local_sensitivity(prior, apart))


@statement(
    "hellinger/5.4.2-larger",
    "Section 5.4.2, Figure 1",
    says="the local sensitivity of Hellinger distance will decrease when beta distribution's two parameters get … larger",
    reading="the prior weights get larger while the data stay the same, and therefore both parameters of the posterior get larger",
    given=(
        "every prior weight gets larger, and there is at least one record",
        lambda smaller, larger, counts: sum(counts) >= 1 and all(s < w for s, w in zip(smaller, larger, strict=True)),
    ),
    cases=rows("smaller larger counts", (FLAT, (1.001, 1.001), (4, 4)), (FLAT3, (2, 2, 2), (0, 1, 5))),
)
def larger_prior(smaller, larger, counts):
    r"""For three categories, it is not enough that a single prior weight gets larger. For example, for the counts (0,
    1, 5), LS does not decrease when the prior changes from (1, 1, 1) to (1, 1, 100).

    Proof: the function u is decreasing. So every exponent \(u(a_i) + u(a_j - 1)\) becomes smaller, and LS is an
    increasing function of the exponents.
    """
    return local_sensitivity(larger, counts), below(local_sensitivity(smaller, counts))


@statement(
    "hellinger/5.4.2-accuracy",
    "Section 5.4.2, last paragraph",
    says="From accuracy bound in Sec. 5.3, the accuracy will be improved when sensitivity go larger",
    reading=r"$E[\mathcal H]$ is smaller for the prior with the larger $S$",
    why='"larger" stands for "smaller": the next sentence of the paper says the opposite',
    cases=rows("smaller larger counts", (FLAT, (2, 2), (4, 4)), (FLAT, (9, 9), (2, 8)), (FLAT3, (2, 2, 2), (5, 5, 5))),
)
def accuracy_direction(smaller, larger, counts):
    """In each comparison, the prior with the smaller weights has the larger sensitivity."""
    return mean_error(defined(), smaller, counts), below(mean_error(defined(), larger, counts))


@statement(
    "hellinger/5.4.2-accuracy-smaller",
    "Section 5.4.2, last paragraph",
    says="when we increase the prior distribution, the smooth sensitivity in our exponential mechanism will decrease, which means our accuracy will be improved",
    reading=r"for the same data and the $\varepsilon$ and $\delta$ of the experiments, $E[\mathcal H]$ is smaller if every prior weight is larger",
    given=larger_prior.given,
    open=True,
    cases=[*accuracy_direction.cases, {"smaller": (0.1, 1), "larger": (0.2, 50), "counts": (0, 8)}],
)
def accuracy_of_the_larger(smaller, larger, counts):
    r"""Larger prior weights also bring the candidates closer together, so the statement does not follow from the
    smaller sensitivity alone. For two categories and either divisor, a search of 3,000 random pairs of priors with up
    to 30 records found no counterexample. For larger budgets there are counterexamples: for \(\varepsilon = 4\), x =
    (4, 0) and divisor 1, the error is larger for the prior (0.08, 2) than for the prior (0.06, 0.2).
    """
    return mean_error(defined(), larger, counts), below(mean_error(defined(), smaller, counts))


@statement(
    "hellinger/5.4.3",
    "Section 5.4.3",
    says="when the data variance is small (i.e. the data are uniform), … the accuracy will be improved",
    reading=r"$E[\mathcal H]$ is smaller if the data are more uniform",
    holds=r"for beta(1, 1), $\varepsilon = 0.8$ and $\delta = 10^{-8}$, $E[\mathcal H]$ is smaller at $(x + 1, n - x - 1)$ than at $(x, n - x)$",
    why="if the data are more uniform, the candidates are also closer to each other",
    cases=rows(
        "prior closer apart epsilon divisor", (FLAT, (1, 1), (0, 2), 3.0, 2), ((50, 50), (4, 4), (3, 5), EPSILON, 2)
    ),
)
def data_variance(prior, closer, apart, epsilon, divisor):
    """For two categories and equal prior weights, more uniform data do not have a larger local sensitivity
    (``hellinger/5.4.2-closer``). For the flat prior and the budget of the experiments, the more uniform of two datasets
    that differ by one record had the smaller error in every comparison. All such pairs were compared for up to 40
    records and for 100, 200 and 400 records. For two records and a budget of 3, the error rises from 0.111 to 0.126 as
    the data become more uniform.
    """
    mechanism = smoothed_hellinger(epsilon, number(DELTA), divisor)
    return mean_error(mechanism, prior, closer), below(mean_error(mechanism, prior, apart))


@data_variance.instead(
    given=("$2x + 1 < n$, and n is at most 40", lambda n, x: 2 * x + 1 < n <= 40),
    cases=grid(n=[3, 8, 20, 40], x=[0, 1, 2, 4, 8, 15], divisor=[1, 2]),
)
def more_uniform(n, x, divisor):
    """The inequality was true in every computed comparison, but it is not proved."""
    return mean_error(defined(divisor), FLAT, (x + 1, n - x - 1)), below(mean_error(defined(divisor), FLAT, (x, n - x)))


@statement(
    "hellinger/6.1",
    "Section 6.1 and Figure 2",
    says=r"$\max_{|x, y'| \le 1} \max_{r \in R} \{H(BI(x), r) - H(BI(y'), r)\}$ can be reduced to $\max_{|x, y'| \le 1} H(BI(x), BI(y'))$; the maximum value over $\max_{r \in R}$ always happen when $r = BI(x)$",
    reading="the difference is meant in absolute value; the paper omits the bars",
    given=("there is at least one record", lambda counts: sum(counts) >= 1),
    cases=rows("prior counts", (FLAT, (1, 1)), ((0.3, 2.5), (0, 5)), ((0.5, 1, 3), (3, 0, 1))),
)
def reduction(prior, counts):
    r"""Proof: by the triangle inequality \(|H(x, r) - H(x', r)| \le H(x, x')\), with equality at r = x and at r = x'."""
    candidates = count_vectors(int(sum(counts)), len(counts))
    here = distances(prior, counts, candidates)
    change = largest([largest(abs(here - distances(prior, x, candidates))) for x in neighbours(counts)])
    return change, equal(largest(distances(prior, counts, neighbours(counts))))
