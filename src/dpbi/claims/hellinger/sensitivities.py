"""Sections 5.4.2, 5.4.3 and 6: sensitivities over priors and data, and the figures of the experiments."""

from typing import Any

from ...accuracy import mean_error
from ...arithmetic import largest
from ...mechanisms import smoothed_hellinger
from ...model import count_vectors, hellinger, local_sensitivity, neighbours
from ..claim import HOLDS, REFUTED
from ..premises import Dataset, Weights, premises
from ..quantities import distances, farthest_move
from .quantities import defined
from .source import FIGURES, FLAT, FLAT3, PAPER


@PAPER.item(
    "figure-1",
    "Figure 1",
    cases=[{"prior": FLAT, "counts": x} for x in ((1, 1), (3, 5), (12, 30), (79, 1))],
    calls=local_sensitivity,
    page=FIGURES,
)
def drawn_sensitivity(prior: Any, counts: Any) -> Any:
    """The local sensitivity."""
    return local_sensitivity(prior, counts)


@drawn_sensitivity.said(
    r"LS(\mathrm{beta}(a, b)) = \sqrt{1 - \min\{g(a)\, g(b-1),\ g(a-1)\, g(b)\}}",
    proof=True,
    premises=premises(
        r"either category has a record",
        lambda counts, **_: min(counts) >= 1,
        prior=Weights(),
        counts=Dataset(most=300, least=2),
    ),
)
def figure_1(prior: Any, counts: Any) -> Any:
    r"""The figure draws the local sensitivity over a grid of a and b. Its closed form is ``notes/local-sensitivity``,
    with \(g = e^{-u}\).
    """
    a, b = (weight + count for weight, count in zip(prior, counts, strict=True))
    return farthest_move((a, b - 1), (a - 1, b))


@PAPER.item(
    "5.4.2-closer",
    "Sections 5.4.2 and 5.4.3, Figure 1",
    cases=[
        {"prior": p, "closer": x, "apart": y}
        for p, x, y in (
            (FLAT, (4, 4), (2, 6)),
            (FLAT, (1, 7), (0, 8)),
            ((0.5, 3), (3, 3), (6, 0)),
            (FLAT3, (0, 1, 5), (0, 0, 6)),
        )
    ],
    calls=local_sensitivity,
    page=FIGURES,
)
def sensitivity_of_the_closer(prior: Any, closer: Any, apart: Any) -> Any:
    """The local sensitivity where the parameters are closer to each other."""
    return local_sensitivity(prior, closer)


@sensitivity_of_the_closer.said(
    r"LS \text{ decreases when the parameters of the posterior get closer (more uniform) at the same total}",
    relation="<",
    expected=REFUTED,
)
def closer_parameters(prior: Any, closer: Any, apart: Any) -> Any:
    """For the flat binary prior it decreases only weakly: at n = 8 the datasets 0 and 1 have the same LS. With the
    prior (0.5, 3) it is larger for the posterior (3.5, 6) than for (6.5, 3), whose parameters are farther apart. For
    three categories it increases when a record moves from (0, 0, 6) to (0, 1, 5), because that record can then be
    moved between two nearly empty categories.
    """
    return local_sensitivity(prior, apart)


@sensitivity_of_the_closer.instead(
    r"\text{for two categories with equal prior weights } LS \text{ does not increase when the parameters get closer}",
    relation="<=",
    cases=[
        {"prior": p, "closer": x, "apart": y}
        for p in (FLAT, (0.1, 0.1), (7, 7))
        for x, y in (((4, 4), (2, 6)), ((1, 7), (0, 8)), ((6, 2), (1, 7)), ((20, 21), (2, 39)))
    ],
    tight={"prior": FLAT, "closer": (1, 7), "apart": (0, 8)},
    premises=premises(
        r"equal weights, the same total, and nearer to each other",
        lambda closer, apart, **_: abs(closer[0] - closer[1]) <= abs(apart[0] - apart[1]) and sum(closer) == sum(apart),
        fix=lambda closer, apart, **_: (
            {"closer": (sum(apart) // 2, sum(apart) - sum(apart) // 2)}
            if sum(closer) < sum(apart)
            else {"closer": (min(closer[0], sum(apart)), max(sum(apart) - closer[0], 0))}
        ),
        prior=Weights(equal=True),
        closer=Dataset(most=60),
        apart=Dataset(most=60),
    ),
    proof=True,
)
def closer_parameters_corrected(prior: Any, closer: Any, apart: Any) -> Any:
    r"""The edge between m and m + 1 is F at the exponent \(w_m = u(\alpha + m) + u(\alpha + n - 1 - m)\). These
    exponents are convex in m and symmetric, so they decrease up to the middle. So \(LS(m) = F(\max(w_{m-1}, w_m)) =
    F(w_{m-1})\) for m between 1 and the middle. The end m = 0 has only the edge \(w_0\), and \(LS(0) = LS(1)\).
    """
    return local_sensitivity(prior, apart)


@PAPER.item(
    "5.4.2-larger",
    "Section 5.4.2, Figure 1",
    relation="<",
    cases=[
        {"smaller": p, "larger": r, "counts": x}
        for p, r, x in (
            (FLAT, (2, 2), (4, 4)),
            (FLAT, (1.1, 1.2), (0, 9)),
            ((0.3, 2), (0.4, 5), (3, 1)),
            (FLAT3, (2, 2, 2), (0, 1, 5)),
        )
    ],
    calls=local_sensitivity,
    page=FIGURES,
)
def sensitivity_at_the_larger(smaller: Any, larger: Any, counts: Any) -> Any:
    """The local sensitivity with the larger prior weights."""
    return local_sensitivity(larger, counts)


@sensitivity_at_the_larger.said(
    r"LS \text{ decreases when the prior weights get larger, for the same data}",
    tight={"smaller": (1, 1), "larger": (1.001, 1.001), "counts": (4, 4)},
    premises=premises(
        r"every weight of the larger prior is larger",
        lambda smaller, larger, **_: all(s < w for s, w in zip(smaller, larger, strict=True)),
        fix=lambda smaller, larger, **_: {"larger": tuple(s + w for s, w in zip(smaller, larger * 2, strict=False))},
        smaller=Weights((2, 3)),
        larger=Weights((2, 3)),
        counts=Dataset(most=40, of="smaller"),
    ),
    proof=True,
)
def larger_prior(smaller: Any, larger: Any, counts: Any) -> Any:
    r"""The function u decreases, so every exponent \(u(a_i) + u(a_j - 1)\) does, and LS increases with the exponents."""
    return local_sensitivity(smaller, counts)


_PRIORS = [
    {"smaller": p, "larger": r, "counts": x}
    for p, r, x in ((FLAT, (2, 2), (4, 4)), (FLAT, (9, 9), (2, 8)), (FLAT3, (2, 2, 2), (5, 5, 5)))
]


@PAPER.item(
    "5.4.2-accuracy",
    "Section 5.4.2, last paragraph",
    relation="<",
    cases=_PRIORS,
    calls=(smoothed_hellinger, mean_error),
    page=FIGURES,
)
def error_at_the_smaller(smaller: Any, larger: Any, counts: Any) -> Any:
    """The expected error with the smaller prior weights."""
    return mean_error(defined(), smaller, counts)


@error_at_the_smaller.said(
    r"\text{accuracy improves when the sensitivity gets larger: } E[\mathcal H] \text{ is smaller for the prior of larger } S",
    expected=REFUTED,
)
def accuracy_direction(smaller: Any, larger: Any, counts: Any) -> Any:
    """The sentence contradicts the one after it, which says that a smaller sensitivity improves accuracy. The second
    sentence is the one that holds.
    """
    return mean_error(defined(), larger, counts)


@PAPER.item(
    "5.4.2-accuracy-corrected",
    "Section 5.4.2, last paragraph",
    relation="<",
    cases=_PRIORS,
    calls=(smoothed_hellinger, mean_error),
    page=FIGURES,
)
def error_at_the_larger(smaller: Any, larger: Any, counts: Any) -> Any:
    """The expected error with the larger prior weights."""
    return mean_error(defined(), larger, counts)


@error_at_the_larger.said(
    r"E[\mathcal H] \text{ is smaller for the larger prior weights, of smaller } S",
    corrects="hellinger/5.4.2-accuracy",
    origin="reading",
    expected=HOLDS,
)
def accuracy_direction_corrected(smaller: Any, larger: Any, counts: Any) -> Any:
    """This is a tendency and no theorem. With larger weights the candidates come closer together too, so the exponents
    change less than the distances.
    """
    return mean_error(defined(), smaller, counts)


@PAPER.item(
    "5.4.3",
    "Section 5.4.3",
    relation="<",
    cases=[
        {"prior": p, "closer": x, "apart": y, "c": c}
        for p, x, y in ((FLAT, (4, 4), (2, 6)), ((50, 50), (4, 4), (2, 6)), ((5, 5), (2, 2), (1, 3)))
        for c in (1, 2)
    ],
    calls=(smoothed_hellinger, mean_error),
    page=FIGURES,
)
def error_of_uniform_data(prior: Any, closer: Any, apart: Any, c: Any) -> Any:
    """The expected error where the data are more uniform."""
    return mean_error(defined(c), prior, closer)


@error_of_uniform_data.said(
    r"\text{accuracy improves when the data variance is small: } E[\mathcal H] \text{ is smaller where the data are more uniform}",
    expected=REFUTED,
)
def data_variance(prior: Any, closer: Any, apart: Any, c: Any) -> Any:
    """For equal prior weights the sensitivity is smaller where the data are more uniform, but the candidates are
    closer to each other too. For the flat prior the error does fall in all cases tried. For the prior (50, 50) and
    four records of eight in the first category it rises.
    """
    return mean_error(defined(c), prior, apart)


@error_of_uniform_data.instead(
    r"\text{for the prior } \mathrm{beta}(1,1) \text{ and } n \le 40\text{: } E[\mathcal H] \text{ is smaller where the data are more uniform}",
    cases=[
        {"prior": FLAT, "closer": (x + 1, n - x - 1), "apart": (x, n - x), "c": c}
        for n in (2, 3, 8, 20, 40)
        for x in range(0, (n - 1) // 2, max(n // 8, 1))
        for c in (1, 2)
    ],
    expected=HOLDS,
)
def data_variance_corrected(prior: Any, closer: Any, apart: Any, c: Any) -> Any:
    """The datasets that are compared differ in one record. It is a tendency and no theorem, like the sentence that it
    corrects.
    """
    return mean_error(defined(c), prior, apart)


_DATASETS = [
    *({"prior": p, "counts": x} for p in (FLAT, (0.3, 2.5)) for x in ((0, 5), (1, 1), (2, 7))),
    *({"prior": (0.5, 1, 3), "counts": x} for x in ((0, 0, 4), (1, 2, 1), (3, 0, 1))),
]


@PAPER.item("6.1", "Section 6.1 and Figure 2", cases=_DATASETS, calls=hellinger, page=FIGURES)
def change_of_the_score(prior: Any, counts: Any) -> Any:
    """The largest change of the score of any candidate at any neighbour."""
    candidates = count_vectors(int(sum(counts)), len(counts))
    here = distances(prior, counts, candidates)
    return largest([largest(abs(here - distances(prior, x, candidates))) for x in neighbours(counts)])


@change_of_the_score.said(
    r"\max_{x' \sim x} \max_r |\mathcal H(BI(x), r) - \mathcal H(BI(x'), r)| = \max_{x' \sim x} \mathcal H(BI(x), BI(x')), \text{ attained at } r = BI(x)",
    corrects="hellinger/6.1-sign",
    origin="reading",
    proof=True,
    premises=premises(prior=Weights((2, 3)), counts=Dataset(most=12)),
)
def reduction(prior: Any, counts: Any) -> Any:
    r"""By the triangle inequality \(|H(x, r) - H(x', r)| \le H(x, x')\), with equality at r = x and at r = x'."""
    return largest(distances(prior, counts, neighbours(counts)))


@PAPER.item("6.1-sign", "Section 6.1", cases=_DATASETS, calls=local_sensitivity, page=FIGURES)
def reduced_sensitivity(prior: Any, counts: Any) -> Any:
    """The local sensitivity."""
    return local_sensitivity(prior, counts)


@reduced_sensitivity.said(
    r"\Delta_l u(x) = \max_{x' \sim x} \{\mathcal H(BI(x), BI(x)) - \mathcal H(BI(x'), BI(x))\}",
    expected=REFUTED,
    erratum=True,
)
def reduction_sign(prior: Any, counts: Any) -> Any:
    """Bars of an absolute value are missing, and without them the difference is negative. With BI(x') as the
    candidate, in place of BI(x), it has the sign that is meant.
    """
    return largest(-distances(prior, counts, neighbours(counts)))
