r"""Section 6, Figures 3 to 6: \(\mathcal M_{\mathcal H}\) beside the Laplace mechanism, and its concrete loss."""

import math
from typing import Any

import numpy as np

from ...accuracy import error_moments, mean_error
from ...arithmetic import largest, number, remembered
from ...mechanisms import laplace_in_order, lshist, smoothed_hellinger
from ...model import count_distances, neighbours
from ...privacy import audit, loss_between
from ..claim import HOLDS, NOT_REPRODUCED, REFUTED, Condition, grid
from ..item import only_in_doubles
from ..quantities import balanced
from ..sampled import allowed_mean
from .quantities import defined
from .source import CONCRETE, EPSILON, FIGURES, FLAT, FLAT3, PAPER


@remembered
def _laplace_error(prior: Any, counts: Any) -> Any:
    r"""\(E[\mathcal H]\) of the Laplace mechanism of scale \(2/\varepsilon\) whose noisy counts are cut to add up to n."""
    return mean_error(laplace_in_order(number(EPSILON)), prior, counts)


def tenth(n: Any) -> tuple[int, int]:
    """A dataset with one tenth of its records in the first category."""
    return int(n) // 10, int(n) - int(n) // 10


def uneven(n: Any) -> tuple[int, int, int]:
    """A dataset with shares of 0.2, 0.3 and 0.5."""
    return int(n) // 5, 3 * int(n) // 10, int(n) // 2


@PAPER.item(
    "figure-3",
    "Figure 3(a) and Section 6.2",
    relation="<",
    cases=grid(n=[660, 800], c=[1, 2]),
    calls=(smoothed_hellinger, mean_error),
    page=FIGURES,
)
def error_for_a_tenth(n: Any, c: Any) -> Any:
    r"""\(E[\mathcal H]\) of \(\mathcal M_{\mathcal H}\) with the divisor c for unbalanced data."""
    return mean_error(defined(c), FLAT, tenth(n))


@error_for_a_tenth.said(
    r"\text{unbalanced data } (0.1, 0.9),\ \mathrm{beta}(1,1),\ \varepsilon = 0.8,\ \delta = 10^{-8}\text{: for } n > 650\ E[\mathcal H] \text{ is smaller for } \mathcal M_{\mathcal H} \text{ than for Laplace}",
    reproduces=True,
    expected=NOT_REPRODUCED,
)
def figure_3(n: Any, c: Any) -> Any:
    """The two expectations cross, but at more records than printed, with either divisor:
    ``hellinger/figure-3-corrected``.
    """
    return _laplace_error(FLAT, tenth(n))


@error_for_a_tenth.said(
    r"\text{for } n < 650\ E[\mathcal H] \text{ is larger for } \mathcal M_{\mathcal H} \text{ than for Laplace}",
    suffix="before",
    relation=">",
    cases=grid(n=[300, 500, 640], c=[1, 2]),
    reproduces=True,
)
def figure_3_before(n: Any, c: Any) -> Any:
    """The claim holds, and for some hundreds of records more than it says."""
    return _laplace_error(FLAT, tenth(n))


@error_for_a_tenth.instead(
    r"E[\mathcal H] \text{ is smaller for } \mathcal M_{\mathcal H} \text{ than for Laplace at every multiple of ten from } 1030 \text{ to } 1200 \text{ with weights } \exp(-\varepsilon \mathcal H/S)\text{, from } 1650 \text{ to } 1800 \text{ with } \exp(-\varepsilon \mathcal H/(2S))",
    cases=[*grid(n=range(1030, 1201, 10), c=[1]), *grid(n=range(1650, 1801, 10), c=[2])],
    expected=HOLDS,
)
def figure_3_corrected(n: Any, c: Any) -> Any:
    """All sizes are multiples of ten, so that a tenth of the records is a whole number. The sizes before are in
    ``hellinger/figure-3-crossing``.
    """
    return _laplace_error(FLAT, tenth(n))


@error_for_a_tenth.instead(
    r"E[\mathcal H] \text{ is larger for } \mathcal M_{\mathcal H} \text{ than for Laplace at every multiple of ten from } 900 \text{ to } 1020 \text{ with weights } \exp(-\varepsilon \mathcal H/S)\text{, from } 1500 \text{ to } 1640 \text{ with } \exp(-\varepsilon \mathcal H/(2S))",
    suffix="crossing",
    relation=">",
    cases=[*grid(n=range(900, 1021, 10), c=[1]), *grid(n=range(1500, 1641, 10), c=[2])],
    expected=HOLDS,
)
def figure_3_crossing(n: Any, c: Any) -> Any:
    """The mechanism needs some hundreds of records more than printed before it is better."""
    return _laplace_error(FLAT, tenth(n))


@error_for_a_tenth.said(
    r"\text{for } n \text{ from } 14000 \text{ to } 20000\ E[\mathcal H] \text{ is smaller for } \mathcal M_{\mathcal H} \text{ than for Laplace}",
    suffix="large",
    where="Figure 3(b)",
    cases=grid(n=[14000, 20000], c=[1, 2]),
    reproduces=True,
)
def figure_3_large(n: Any, c: Any) -> Any:
    r"""The comparison is with Laplace noise of the scale \(2/\varepsilon\), which wastes half of the budget:
    ``hellinger/3-laplace-sharp``.
    """
    return _laplace_error(FLAT, tenth(n))


@error_for_a_tenth.said(
    r"\text{for } n \text{ from } 14000 \text{ to } 20000\ E[\mathcal H] \text{ is smaller for } \mathcal M_{\mathcal H} \text{ than for the improved baseline, of scale } 1/\varepsilon",
    suffix="improved-baseline",
    where="Figure 3(b) and Section 4.1.4",
    cases=grid(n=[14000], c=[1, 2]),
    condition=Condition(r"\(c = 1\), which is not \((\varepsilon, \delta)\)-private", lambda n, c: c == 1),
)
def figure_3_improved(n: Any, c: Any) -> Any:
    """With the divisor of Definition 4.1, c = 2, the improved baseline stays ahead."""
    return mean_error(lshist(number(EPSILON)), FLAT, tenth(n))


@PAPER.item(
    "figure-4",
    "Figure 4 and Section 6.2",
    cases=[{"n": n, "c": c} for n in (20, 60) for c in (1, 2)],
    calls=(smoothed_hellinger, mean_error),
    page=FIGURES,
)
def error_for_three_categories(n: Any, c: Any) -> Any:
    r"""\(E[\mathcal H]\) of \(\mathcal M_{\mathcal H}\) with the divisor c for three categories."""
    return mean_error(defined(c), FLAT3, uneven(n))


@error_for_three_categories.said(
    r"\text{data } (0.2, 0.3, 0.5),\ \mathrm{DL}(1,1,1)\text{: Laplace is better for small } n",
    relation=">",
    reproduces=True,
)
def figure_4(n: Any, c: Any) -> Any:
    """This is the tendency of Figure 3 at small n."""
    return _laplace_error(FLAT3, uneven(n))


@error_for_three_categories.said(
    r"\text{data } (0.2, 0.3, 0.5),\ \mathrm{DL}(1,1,1)\text{: for large } n\ \mathcal M_{\mathcal H} \text{ is better, as at } n = 600",
    suffix="large",
    relation="<",
    cases=grid(n=[600], c=[1, 2]),
    condition=Condition(r"\(c = 1\), which is not \((\varepsilon, \delta)\)-private", lambda n, c: c == 1),
)
def figure_4_large(n: Any, c: Any) -> Any:
    """With the divisor 1 the two expectations cross between n = 580 and 590. With the divisor 2 Laplace noise is still
    far ahead at 600.
    """
    return _laplace_error(FLAT3, uneven(n))


_DRAWS = 100_000


@remembered
def _drawn(n: int) -> tuple[float, float]:
    r"""The mean error of many draws of Laplace noise, and how far it may be from \(E[\mathcal H]\); the seed is fixed."""
    counts, rng = uneven(n), np.random.default_rng([n, 0])
    errors = count_distances(np.ones(3), np.array(counts), laplace_in_order(EPSILON).sample(FLAT3, counts, rng, _DRAWS))
    return float(errors.mean()), float(allowed_mean(errors.var(ddof=1), _DRAWS))


@PAPER.item(
    "figure-4-caption",
    "Figure 4, caption and Section 6.2",
    relation="<",
    cases=grid(n=[14000, 20000], c=[1, 2]),
    calls=(smoothed_hellinger, laplace_in_order, error_moments),
    page=FIGURES,
)
def drawn_difference(n: Any, c: Any) -> Any:
    r"""How much larger the mean error of \(\mathcal M_{\mathcal H}\) certainly is than that of Laplace noise, or smaller.

    The sum over all candidates, without a list, and the mean of \(10^5\) draws of the noise, their difference moved
    towards 0 by what both may be off; 0 if that is more.
    """
    only_in_doubles("there are too many candidates to list, and sums without a list and draws are doubles")
    ours = error_moments(defined(c), FLAT3, uneven(int(n))).mean
    other, off = _drawn(int(n))
    beyond = abs(ours.value - other) - ours.bound - off
    return math.copysign(max(beyond, 0.0), ours.value - other)


@drawn_difference.said(
    r"\text{data set size from 14000 to 20000 for } \mathrm{DL}(1,1,1) \text{: as in Figure 3, } E[\mathcal H] \text{ is smaller for } \mathcal M_{\mathcal H} \text{ than for Laplace}",
    condition=Condition(r"\(c = 1\), which is not \((\varepsilon, \delta)\)-private", lambda n, c: c == 1),
    erratum=True,
    origin="reading",
)
def figure_4_caption(n: Any, c: Any) -> Any:
    r"""The text says that datasets of \(10^4\) elements could not be run for three categories. The caption shows
    larger ones, and no number is printed. The claim is decided at both ends of the range. The expectation of
    \(\mathcal M_{\mathcal H}\) is a sum. That of the noise is a mean of draws, which is within \(10^{-3}\) of the
    truth for all but one seed in \(10^9\). The difference is about \(-0.0092\) with the divisor 1 and \(+0.0127\) with
    2 at n = 14000, and \(-0.0078\) and \(+0.0105\) at n = 20000. So the tendency that the text speaks of is there
    without the factor 2 only.
    """
    return number(0)


@PAPER.item(
    "6.2-size",
    "Section 6.2",
    relation="<",
    cases=[
        {"mechanism": m, "fewer": a, "more": b}
        for m, a, b in (("divisor 2", 10, 300), ("divisor 1", 10, 150), ("Laplace", 10, 20), ("divisor 2", 300, 600))
    ],
    calls=(smoothed_hellinger, laplace_in_order, mean_error),
    page=FIGURES,
)
def error_of_more(mechanism: str, fewer: Any, more: Any) -> Any:
    """The expected error for the larger size, a tenth of the records in the first category."""
    return _error_by_name(mechanism, more)


@remembered
def _error_by_name(mechanism: str, n: Any) -> Any:
    if mechanism == "Laplace":
        return _laplace_error(FLAT, tenth(n))
    return mean_error(defined(int(mechanism[-1])), FLAT, tenth(n))


@error_of_more.said(
    r"\text{when the data size increases, the average errors of } \mathcal M_{\mathcal H} \text{ and Laplace decrease}",
    expected=REFUTED,
)
def error_by_size(mechanism: str, fewer: Any, more: Any) -> Any:
    r"""All these errors rise at first. With the divisor 2 the error of \(\mathcal M_{\mathcal H}\) grows from 0.527 at
    ten records to 0.826 at 300. As long as the noise covers all candidates, more records only bring more of them.
    """
    return _error_by_name(mechanism, fewer)


@error_of_more.instead(
    r"\text{among } n = 300, 400, \dots, 1000 \text{ the average errors of } \mathcal M_{\mathcal H} \text{ and Laplace decrease}",
    cases=[
        {"mechanism": m, "fewer": n, "more": n + 100}
        for m in ("divisor 1", "divisor 2", "Laplace")
        for n in range(300, 1000, 100)
    ],
    expected=HOLDS,
)
def error_by_size_corrected(mechanism: str, fewer: Any, more: Any) -> Any:
    """The cases are all steps of a hundred records, over the range of the figure and on to 1000."""
    return _error_by_name(mechanism, fewer)


@PAPER.item(
    "figure-5",
    "Figure 5 and Section 6.2",
    cases=[{"a": a, "c": c} for a, c in ((5, 1), (20, 1), (10, 2), (30, 2))],
    calls=(smoothed_hellinger, mean_error),
    page=FIGURES,
)
def error_for_a_prior(a: Any, c: Any) -> Any:
    r"""\(E[\mathcal H]\) of \(\mathcal M_{\mathcal H}\) with the divisor c for balanced data and the prior (a, a, a)."""
    return mean_error(defined(c), (a, a, a), (5, 5, 5))


@error_for_a_prior.said(
    r"\text{data } (5,5,5)\text{, prior } (a,a,a)\text{: for large } a\ \mathcal M_{\mathcal H} \text{ is better than Laplace}",
    relation="<",
    reproduces=True,
)
def figure_5(a: Any, c: Any) -> Any:
    """The two sides are the exact expectations."""
    return _laplace_error((a, a, a), (5, 5, 5))


@error_for_a_prior.said(
    r"\text{in the beginning, for small } a\text{, Laplace is better}",
    suffix="before",
    relation=">",
    cases=[{"a": a, "c": c} for a, c in ((0.2, 1), (0.5, 1), (1, 2), (5, 2))],
    reproduces=True,
)
def figure_5_before(a: Any, c: Any) -> Any:
    """The two sides are the exact expectations."""
    return _laplace_error((a, a, a), (5, 5, 5))


@PAPER.item(
    "figure-6",
    "Figure 6 and Section 6.3",
    relation="<",
    cases=[{"n": n, "epsilon": 0.8, "delta": 0.0005, "c": c} for c in (2, 1) for n in (90, 108, 180)],
    calls=(smoothed_hellinger, loss_between),
    page=CONCRETE,
)
def balanced_loss(n: Any, epsilon: Any, delta: Any, c: Any) -> Any:
    """The worst loss between the balanced dataset and a neighbour, in both directions, for the flat binary prior."""
    mechanism, counts = smoothed_hellinger(epsilon, delta, c), balanced(int(n))
    pairs = [pair for x in neighbours(counts) for pair in ((counts, x), (x, counts))]
    return largest([loss_between(mechanism, FLAT, *pair) for pair in pairs])


@balanced_loss.said(
    r"\text{uniform data, beta(1,1), } n = 90, \dots, 180,\ \delta = 0.0005\text{: the concrete } \varepsilon \text{ is below } 0.8",
    condition=Condition(r"\(c = 2\), as in Definition 4.1", lambda n, epsilon, delta, c: c == 2),
)
def figure_6(n: Any, epsilon: Any, delta: Any, c: Any) -> Any:
    """The exact side is the worst loss from and to balanced data, which the paper calls the concrete epsilon. With c =
    2 it is at most 0.425, a little more than half of the budget. With c = 1 it exceeds 0.8 at n = 108, by a hundredth.
    """
    return epsilon


@PAPER.item(
    "figure-6-all",
    "Figure 6 and Section 6.3",
    relation="<",
    cases=grid(n=[90, 135, 180]),
    calls=(smoothed_hellinger, audit),
    page=CONCRETE,
)
def loss_of_all(n: Any) -> Any:
    """The worst loss over all datasets."""
    return audit(smoothed_hellinger(number(EPSILON), number("0.0005"), 2), FLAT, n).epsilon


@loss_of_all.said(
    r"\text{with the divisor 2 the concrete } \varepsilon \text{ is below } 0.43 \text{ over all datasets}",
    corrects="hellinger/figure-6",
    origin="ours",
    expected=HOLDS,
)
def figure_6_all(n: Any) -> Any:
    """The paper looks at balanced data, and this is the worst loss over all data. What is left of the budget is what
    calibration by audit spends.
    """
    return number("0.43")
