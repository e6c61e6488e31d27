r"""Lemmas 4.1 to 4.3: what is said of \(\mathcal M_{\mathcal H}\) on the way to its privacy, and the privacy itself."""

from typing import Any

from ...accuracy import closer_than
from ...arithmetic import exp, number
from ...mechanisms import smoothed_hellinger
from ...model import exponential_smooth_sensitivity
from ...privacy import audit, hockey_stick
from ..claim import HOLDS, REFUTED, Condition, grid
from ..premises import Dataset, Reals, premises
from .quantities import (
    defined,
    distance,
    probability_at_distance,
    probability_of,
    probability_of_distance,
    smooth,
    smoothed_bound,
    smoothness,
)
from .source import DELTA, EPSILON, EQUIDISTANT, FLAT, FLAT3, PAPER, SMOOTH_LOSSES, SMOOTHED


@PAPER.item(
    "lemma-4.1",
    "Lemma 4.1",
    relation="<=",
    cases=[{"counts": x, "share": s} for x in ((1, 1), (2, 8)) for s in (-0.5, 0.0)],
    calls=(smoothed_hellinger, closer_than),
    page=SMOOTHED,
)
def truth_probability(counts: Any, share: Any) -> Any:
    """The probability of the score 0, the score of the truth."""
    return probability_at_distance(defined(), FLAT, counts, counts)


@truth_probability.said(
    r"\Pr[u(r, x) = \hat s] \le e^{\varepsilon/2} \Pr[u(r, x) = \Delta + \hat s] + \frac{\delta}{2} \ \text{ for } \lambda = f(\varepsilon, \delta),\ \varepsilon \ge 0,\ |\delta| < 1",
    expected=REFUTED,
)
def sliding(counts: Any, share: Any) -> Any:
    r"""In the cases \(\hat s = 0\), the score of the truth, \(\Delta\) is a share of S(x), \(\varepsilon = 0.8\) and
    \(\delta = 10^{-8}\). For \(\Delta = -S/2\) no candidate has the score \(\Delta\), so the right side is only
    \(\delta/2\). As a statement on probabilities the lemma fails whenever \(\Delta\) leads from a score that occurs to
    one that does not. The statement does not restrict \(\Delta\), although its proof asks for \(\Delta \ge -S(x)\),
    and it does not use its \(\lambda\).
    """
    epsilon, delta = number(EPSILON), number(DELTA)
    if share == 0:
        there = truth_probability(counts=counts, share=share)
    else:
        there = probability_of_distance(defined(), FLAT, counts, -share * smooth(FLAT, counts, epsilon, delta))
    return exp(epsilon / 2) * there + delta / 2


@PAPER.item(
    "lemma-4.1-corrected",
    "Lemma 4.1",
    relation="<=",
    cases=[{"counts": x, "s": s, "share": d} for x in ((1, 1), (2, 8)) for s in (0.0, -0.4) for d in (-1.0, -0.5, 2.0)],
    calls=exponential_smooth_sensitivity,
    page=SMOOTHED,
)
def weight_of_score(counts: Any, s: Any, share: Any) -> Any:
    """The weight of a score before it is normalised, extended to all real scores."""
    epsilon = number(EPSILON)
    return exp(epsilon * s / (2 * smooth(FLAT, counts, epsilon, number(DELTA))))


@weight_of_score.said(
    r"w(\hat s) \le e^{\varepsilon/2}\, w(\hat s + \Delta) \ \text{ for } \Delta \ge -S(x), \quad w(s) = \exp\Bigl(\frac{\varepsilon s}{2 S(x)}\Bigr)",
    tight={"counts": (2, 8), "s": -0.4, "share": -1.0},
    corrects="hellinger/lemma-4.1",
    origin="ours",
    proof=True,
    premises=premises(
        counts=Dataset(most=60, categories=2), s=Reals(low=-1, high=0, most=0), share=Reals(low=-1, high=3, least=-1)
    ),
)
def sliding_corrected(counts: Any, s: Any, share: Any) -> Any:
    r"""Here w is the weight before it is divided by NL, extended to all real scores. One has \(w(\hat s)/w(\hat s +
    \Delta) = e^{-\varepsilon\Delta/(2S)}\). With \(\Delta = -S\) the two sides are equal.
    """
    epsilon = number(EPSILON)
    shifted = s + share * smooth(FLAT, counts, epsilon, number(DELTA))
    return exp(epsilon / 2) * weight_of_score(counts=counts, s=shifted, share=share)


@PAPER.item(
    "lemma-4.1-symmetry",
    "Lemma 4.1, proof",
    cases=[
        {"counts": x, "output": r}
        for x, r in (
            ((0, 1), (0, 1)),
            ((1, 2), (0, 3)),
            ((4, 4), (4, 4)),
            ((4, 4), (2, 6)),
            ((4, 4), (7, 1)),
            ((3, 6), (2, 7)),
        )
    ],
    calls=smoothed_hellinger,
    page=SMOOTHED,
)
def candidate_probability(counts: Any, output: Any) -> Any:
    """The probability of one candidate."""
    return probability_of(defined(), FLAT, counts, output)


@candidate_probability.said(
    r"\Pr[z = r] = \tfrac12 \Pr[\mathcal H(BI(x), z) = \mathcal H(BI(x), r)]",
    condition=Condition(
        r"the posterior parameters are equal, and \(r \ne BI(x)\)",
        lambda counts, output: counts[0] == counts[1] and counts != output,
    ),
    erratum=True,
    proof=True,
    premises=premises(
        r"both have as many records",
        lambda counts, output: sum(counts) == sum(output),
        fix=lambda counts, output: {"output": (min(output[0], sum(counts)), max(sum(counts) - output[0], 0))},
        counts=Dataset(most=30, categories=2),
        output=Dataset(most=30, categories=2),
    ),
)
def symmetry(counts: Any, output: Any) -> Any:
    r"""If the posterior parameters are equal, exchanging the two categories shows that \(H_{x+j} = H_{x-j}\). No other
    candidates have the same distance, because it grows with \(|j|\). If the parameters differ, so do the distances up
    and down. At r = BI(x) there is only one candidate in any case, so n = 1 refutes the statement. The proof cancels
    the factor on both sides, although one side may have it and the other not.
    """
    return probability_at_distance(defined(), FLAT, counts, output) / 2


@PAPER.item(
    "lemma-4.2",
    "Lemma 4.2",
    relation="<=",
    cases=[
        {"counts": x, "output": r, "share": s} for x, r in (((1, 1), (2, 0)), ((2, 8), (3, 7))) for s in (0.5, -1.0)
    ],
    calls=(smoothed_hellinger, closer_than),
    page=SMOOTHED,
)
def score_probability(counts: Any, output: Any, share: Any) -> Any:
    """The probability of the score of one candidate."""
    return probability_at_distance(defined(), FLAT, counts, output)


@score_probability.said(
    r"\Pr[u(z, x) = c] \le e^{\varepsilon/2} \Pr[u(z, x) = e^{\lambda} c] + \frac{\delta}{2} \ \text{ for } \lambda < |\beta|,\ |\delta| < 1,\ \beta \le \ln\Bigl(1 - \frac{\varepsilon}{2\ln(\delta/(2(n+1)))}\Bigr)",
    expected=REFUTED,
)
def dilation(counts: Any, output: Any, share: Any) -> Any:
    r"""In the cases \(\beta = \gamma\), the largest value that is allowed, \(\lambda\) is a share of it, and c is the
    score of a candidate. No candidate has the score \(e^\lambda c\), so the right side is only \(\delta/2\). Two steps
    of the printed proof are wrong besides. The event that the proof calls good is \(u \ge S/(1 - e^\lambda)\), not
    \(\le\), and \(1 < e^\lambda\) is false for \(\lambda < 0\).
    """
    epsilon, delta = number(EPSILON), number(DELTA)
    factor = exp(share * smoothness(epsilon, delta, sum(counts)))
    there = probability_of_distance(defined(), FLAT, counts, factor * distance(FLAT, counts, output))
    return exp(epsilon / 2) * there + delta / 2


@PAPER.item(
    "lemma-4.2-corrected",
    "Lemma 4.2",
    relation="<=",
    cases=[
        {"counts": x, "c": c, "share": s}
        for x in ((1, 1), (2, 8), (30, 90))
        for c in (0.0, -0.3, -1.0, -20.0)
        for s in (0.5, 1.0)
    ]
    + [{"counts": (1, 0), "c": -17.8, "share": 1.0}],
    calls=(smoothed_hellinger, exponential_smooth_sensitivity),
    page=SMOOTHED,
)
def extended_probability(counts: Any, c: Any, share: Any) -> Any:
    """The probability as a function of the score, extended to all real scores: that of the truth at 0."""
    epsilon, delta = number(EPSILON), number(DELTA)
    weight = exp(epsilon * c / (2 * smooth(FLAT, counts, epsilon, delta)))
    return weight * probability_of(defined(), FLAT, counts, counts)


@extended_probability.said(
    r"h(c) \le e^{\varepsilon/2}\, h(e^\lambda c) + \frac{\delta}{2(n+1)} \ \text{ for } 0 \le \lambda \le \gamma,\ c \le 0, \quad h(c) = \frac{\exp(\varepsilon c / (2S(x)))}{NL(x)}",
    corrects="hellinger/lemma-4.2",
    origin="ours",
    proof=True,
    premises=premises(
        counts=Dataset(most=60, categories=2),
        c=Reals(low=-30, high=0, most=0),
        share=Reals(low=0, high=1, least=0, most=1),
    ),
)
def dilation_corrected(counts: Any, c: Any, share: Any) -> Any:
    r"""Here h is the probability of a candidate as a function of its score, extended to all scores. If \(|c|(e^\lambda
    - 1) \le S\), then \(h(c)/h(e^\lambda c) \le e^{\varepsilon/2}\). Otherwise use \(NL \ge 1\) and \(e^\lambda - 1
    \le e^\gamma - 1 = \varepsilon / (2\ln(2(n+1)/\delta))\):
    \[ h(c) \le \exp\Bigl(-\frac{\varepsilon}{2(e^\lambda - 1)}\Bigr) \le \frac{\delta}{2(n+1)} . \]
    Over the n + 1 candidates these add up to the \(\delta/2\) that the lemma is used for.
    """
    epsilon, delta, n = number(EPSILON), number(DELTA), sum(counts)
    factor = exp(share * smoothness(epsilon, delta, n))
    dilated = extended_probability(counts=counts, c=factor * c, share=share)
    return exp(epsilon / 2) * dilated + delta / (2 * (n + 1))


_SETTINGS = [
    *grid(prior=[FLAT], n=[2, 20, 60], epsilon=[0.1, EPSILON, 5.0], delta=[DELTA]),
    *grid(prior=[(0.01, 0.01), (0.2, 7)], n=[20], epsilon=[EPSILON, 20.0], delta=[DELTA, 1e-2]),
    *grid(prior=[FLAT3], n=[8], epsilon=[EPSILON], delta=[DELTA]),
]


@PAPER.item(
    "lemma-4.3",
    "Lemma 4.3 and Definition 4.1",
    relation="<=",
    cases=[*_SETTINGS, {"prior": (1e-8, 1e-8), "n": 120, "epsilon": 50.0, "delta": 1e-8}],
    calls=(smoothed_hellinger, hockey_stick),
    page=SMOOTHED,
)
def delta_as_defined(prior: Any, n: Any, epsilon: Any, delta: Any) -> Any:
    r"""The exact \(\delta\) of the mechanism with the divisor 2."""
    return hockey_stick(smoothed_hellinger(epsilon, delta, 2), prior, n, epsilon)


@delta_as_defined.said(
    r"\mathcal M_{\mathcal H} \text{ with weights } \exp(-\varepsilon \mathcal H / (2 S)) \text{ is } (\varepsilon, \delta)\text{-differentially private}",
    expected=HOLDS,
    premises=SMOOTH_LOSSES,
)
def smoothed_private(prior: Any, n: Any, epsilon: Any, delta: Any) -> Any:
    r"""The exact side is \(\max_{x \sim x'} \max_E \Pr[M(x) \in E] - e^\varepsilon \Pr[M(x') \in E]\), over the sets E
    of outputs. No case is known where it exceeds \(\delta\), and only in extreme cases it is not 0. The printed proof
    does not stand. It uses Lemmas 4.1 and 4.2 as statements on probabilities, and exchanges the sums of weights of
    different datasets. A pure guarantee can be proved instead: ``hellinger/lemma-4.3-corrected``.
    """
    return delta


@PAPER.item(
    "lemma-4.3-corrected",
    "Lemma 4.3 and Definition 4.1",
    relation="<=",
    cases=_SETTINGS,
    calls=(smoothed_hellinger, audit),
    page=SMOOTHED,
)
def loss_as_defined(prior: Any, n: Any, epsilon: Any, delta: Any) -> Any:
    """The worst loss of the mechanism with the divisor 2."""
    return audit(smoothed_hellinger(epsilon, delta, 2), prior, n).epsilon


@loss_as_defined.said(
    r"\mathcal M_{\mathcal H} \text{ loses at most } \tfrac{\varepsilon}{2} \max_{x \sim x'} (2 + \Delta (1 - 2 S')), \quad \Delta = \tfrac1{S'} - \tfrac1{S} \ge 0",
    corrects="hellinger/lemma-4.3",
    origin="ours",
    proof=True,
    tight={**EQUIDISTANT, "delta": DELTA},
    premises=SMOOTH_LOSSES,
)
def smoothed_corrected(prior: Any, n: Any, epsilon: Any, delta: Any) -> Any:
    r"""This is pure differential privacy, without any \(\delta\). The argument is that of
    ``hellinger/4.1.2-corrected`` with S in place of LS, because \(H(x, x') \le LS(x') \le S(x')\). By smoothness
    \(\Delta \le (e^\gamma - 1)/S\), which is small. At \(\varepsilon = 0.8\), \(\delta = 10^{-8}\) and the flat prior
    the bound stays near \(\varepsilon\).
    """
    return epsilon / 2 * smoothed_bound(prior, n, epsilon, delta)


@PAPER.item(
    "lemma-4.3-chain",
    "Lemma 4.3, proof, last chain",
    cases=[
        {"counts": (1, 0), "neighbour": (0, 1), "output": (1, 0)},
        {"counts": (1, 1), "neighbour": (0, 2), "output": (1, 1)},
    ],
    calls=smoothed_hellinger,
    page=SMOOTHED,
)
def probability_of_the_score(counts: Any, neighbour: Any, output: Any) -> Any:
    r"""\(\Pr_{z \sim M(y)}[u(y, z) \in U]\) for \(U = \{u(x, r)\} = \{0\}\), r = x: only z = y has that score."""
    return probability_at_distance(defined(), FLAT, neighbour, neighbour)


@probability_of_the_score.said(
    r"\Pr_{z \sim M(y)}[u(y, z) \in U] = 2 \Pr_{z \sim M(y)}[z \in S], \quad U = \{u(x, z) : z \in S\}",
    suffix="",
    expected=REFUTED,
    erratum=True,
)
def last_chain(counts: Any, neighbour: Any, output: Any) -> Any:
    """The last line of the chain asks whether the scores at y lie in the set U of the scores that S has at x. Take S =
    {x}. At x its score is 0, and at y the score 0 belongs to y itself, which is not in S. The factor 2 comes from
    ``hellinger/lemma-4.1-symmetry``. In a line between, the chain multiplies a set of scores by the logarithm of the
    quotient of two sums of weights. This logarithm is 0 for n = 1.
    """
    return 2 * probability_of(defined(), FLAT, neighbour, output)


@PAPER.item(
    "5-privacy",
    "Section 5",
    relation="<=",
    cases=[
        *grid(prior=[FLAT], n=[1, 2, 5, 60], epsilon=[EPSILON], delta=[DELTA]),
        {"prior": FLAT3, "n": 8, "epsilon": EPSILON, "delta": DELTA},
    ],
    calls=(smoothed_hellinger, hockey_stick),
    page=SMOOTHED,
)
def delta_undivided(prior: Any, n: Any, epsilon: Any, delta: Any) -> Any:
    r"""The exact \(\delta\) of the mechanism with the divisor 1."""
    return hockey_stick(smoothed_hellinger(epsilon, delta, 1), prior, n, epsilon)


@delta_undivided.said(
    r"\mathcal M_{\mathcal H} \text{ with weights } \exp(-\varepsilon \mathcal H / S) \text{ is } (\varepsilon, \delta)\text{-differentially private}",
    expected=REFUTED,
)
def undivided_private(prior: Any, n: Any, epsilon: Any, delta: Any) -> Any:
    r"""The formulas and tables of Section 5 leave out the factor 2 of Definition 4.1. Two records refute the claim:
    from x = (2, 0) to (1, 1) the loss is 0.9106, and the exact \(\delta\) is 0.0616.
    """
    return delta


@PAPER.item(
    "5-privacy-corrected",
    "Section 5",
    relation="<=",
    cases=_SETTINGS,
    calls=(smoothed_hellinger, audit),
    page=SMOOTHED,
)
def loss_undivided(prior: Any, n: Any, epsilon: Any, delta: Any) -> Any:
    """The worst loss of the mechanism with the divisor 1."""
    return audit(smoothed_hellinger(epsilon, delta, 1), prior, n).epsilon


@loss_undivided.said(
    r"\mathcal M_{\mathcal H} \text{ with weights } \exp(-\varepsilon \mathcal H / S) \text{ loses at most } \varepsilon \max_{x \sim x'} (2 + \Delta(1 - 2S'))",
    corrects="hellinger/5-privacy",
    origin="ours",
    proof=True,
    tight={**EQUIDISTANT, "delta": DELTA},
    premises=SMOOTH_LOSSES,
)
def undivided_corrected(prior: Any, n: Any, epsilon: Any, delta: Any) -> Any:
    r"""The argument is that of ``hellinger/lemma-4.3-corrected`` with twice the rate. The bound is about
    \(2\varepsilon\).
    """
    return epsilon * smoothed_bound(prior, n, epsilon, delta)
