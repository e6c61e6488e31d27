r"""What many uses cost: bounded range and rho, exact composition, and permute and flip beside the exponential
mechanism.
"""

from typing import Any

from ...accuracy import error_tail, mean_error
from ...arithmetic import largest, number, smallest
from ...guarantees import (
    BoundedRange,
    hockey_stick_divergence,
    renyi_divergence,
    two_outputs,
)
from ...mechanisms import MECHANISMS, all_laws, discrete_gaussian, ehd, permute_and_flip
from ...model.datasets import moves
from ..claim import grid
from ..premises import Choice, Dataset, Reals, Weights, Wholes, premises
from .source import LIBRARY, MANY


@LIBRARY.item(
    "bounded-range",
    "exponential mechanisms",
    cases=[
        *grid(mechanism=["ehd", "ehdl", "ehds", "smoothed_hellinger"], prior=[(1, 1), (0.5, 2)], n=[5], epsilon=[0.8]),
        *grid(mechanism=["ehd", "ehds", "smoothed_hellinger"], prior=[(0.5, 1, 2)], n=[3], epsilon=[0.8]),
    ],
    relation="<=",
    calls=(all_laws, ehd),
    page=MANY,
    premises=premises(
        "the mechanism guarantees something",
        lambda mechanism, prior, n, epsilon: MECHANISMS[mechanism].at(epsilon).guarantee(prior, int(n)) is not None,
        mechanism=Choice(("ehd", "ehdl", "ehds", "smoothed_hellinger")),
        prior=Weights((2, 3)),
        n=Wholes(1, 5),
        epsilon=Reals(above=0),
    ),
)
def range_of_losses(mechanism: Any, prior: Any, n: Any, epsilon: Any) -> Any:
    """The largest difference of two losses at one pair of neighbours."""
    vectors, law = all_laws(MECHANISMS[mechanism].at(epsilon), prior, int(n))
    ranges = []
    for start, end in moves(int(n), vectors.shape[1]):
        for x, y in zip(start, end, strict=True):
            loss = law.log_probabilities[x] - law.log_probabilities[y]
            ranges.append(largest(loss) - smallest(loss))
    return largest(ranges)


@range_of_losses.said(
    r"\max_{x \sim x'} \max_{r, s} \Bigl[\ln\frac{\Pr_x[r]}{\Pr_{x'}[r]} - \ln\frac{\Pr_x[s]}{\Pr_{x'}[s]}\Bigr]"
    r" \le \varepsilon_{\mathrm{guaranteed}}",
    origin="literature",
    work="durfee2019",
    where="Durfee and Rogers 2019, Corollary 4.1, for scores of a fixed sensitivity",
    proof=True,
    tight={"mechanism": "ehd", "prior": (1, 1), "n": 5, "epsilon": 0.8},
)
def range_promised(mechanism: Any, prior: Any, n: Any, epsilon: Any) -> Any:
    r"""The loss is \(\lambda' H(x', r) - \lambda H(x, r)\) and a constant, so its range is that of the difference. The
    proofs about the loss of these mechanisms bound this range: \(1/S\) moves by at most \(\gamma\). So the first part
    of \(\lambda(H' - H) + (\lambda' - \lambda) H'\) is within \(\pm\varepsilon/c\), and the second is between zero and
    \(\gamma\varepsilon/c\). EHD meets the bound at the two datasets themselves.
    """
    guarantee: Any = MECHANISMS[mechanism].at(epsilon).guarantee(prior, int(n))
    return guarantee.epsilon + number(0)


@LIBRARY.item(
    "bounded-range-rho",
    "BoundedRange",
    cases=grid(epsilon=[0.05, 0.3, 2], order=[1.01, 2, 16]),
    relation="<=",
    calls=BoundedRange,
    page=MANY,
    premises=premises(epsilon=Reals(above=0), order=Reals(1.001, 60, above=1)),
)
def divergence_of_range(epsilon: Any, order: Any) -> Any:
    """The largest divergence under bounded range, in closed form."""
    return BoundedRange(epsilon).rdp(order).values[0]


@divergence_of_range.said(
    r"\sup_t D_\alpha(P_t \| Q_t) \le \alpha \varepsilon^2 / 8",
    origin="literature",
    work="cesar2021",
    where="Cesar and Rogers 2021, Lemma 3.4",
    proof=True,
    tight={"epsilon": 0.05, "order": 2},
)
def rho_of_range(epsilon: Any, order: Any) -> Any:
    r"""\(K(s) = \ln E_P e^{sL}\) vanishes at 0 and -1 and \(K'' \le \varepsilon^2/4\), the largest variance on an
    interval of that length; so \(K(s) \le s(s+1)\varepsilon^2/8\), and \((\alpha - 1) D_\alpha = K(\alpha - 1)\).
    """
    return order * epsilon**2 / 8


@LIBRARY.item(
    "bounded-range-delta",
    "BoundedRange",
    cases=grid(epsilon=[0.3, 2], level=[0, 0.1, 0.25]),
    calls=BoundedRange,
    page=MANY,
    premises=premises(
        "the level is less than epsilon",
        lambda epsilon, level: level < epsilon,
        epsilon=Reals(above=0),
        level=Reals(1e-3, 10, least=0, corners=(0.0,)),
    ),
)
def delta_of_range(epsilon: Any, level: Any) -> Any:
    """The smallest delta under bounded range."""
    return BoundedRange(epsilon).delta(level)


@delta_of_range.said(
    r"\delta(\varepsilon') = \frac{(1 - e^{(\varepsilon' - \varepsilon)/2})^2}{1 - e^{-\varepsilon}}"
    r" \text{ is that of two outputs with the losses } t \text{ and } t - \varepsilon,\ t = "
    r"\tfrac{\varepsilon + \varepsilon'}{2}",
    origin="literature",
    work="dong2020",
    where="Dong, Durfee and Rogers 2020, one use",
    proof=True,
)
def delta_of_two_outputs(epsilon: Any, level: Any) -> Any:
    r"""Any pair with losses in \([t - \varepsilon, t]\) is a garbling of two outputs at the ends, since the hockey
    stick is convex in \(Q/P\). At \(t\) it is \((1 - e^{t - \varepsilon})(1 - e^{\varepsilon' - t}) / (1 -
    e^{-\varepsilon})\), in which both factors are equal at the best t.
    """
    return hockey_stick_divergence(*two_outputs(epsilon, (epsilon + level) / 2), level)


@LIBRARY.item(
    "promised-rho",
    "discrete Gaussian",
    cases=[
        *grid(prior=[(1, 1)], n=[3], epsilon=[0.1, 1], order=[2, 8]),
        *grid(prior=[(1, 1, 1)], n=[2], epsilon=[0.3], order=[1.5]),
    ],
    relation="<=",
    calls=(discrete_gaussian, renyi_divergence),
    page=MANY,
    premises=premises(
        prior=Weights((2, 3)),
        n=Wholes(1, 4),
        epsilon=Reals(above=0),
        order=Reals(1.01, 30, above=1),
    ),
)
def divergence_of_gaussian(prior: Any, n: Any, epsilon: Any, order: Any) -> Any:
    """The largest divergence over all neighbours, of the clamped counts."""
    vectors, law = all_laws(discrete_gaussian(epsilon), prior, int(n))
    found = []
    for start, end in moves(int(n), vectors.shape[1]):
        for x, y in zip(start, end, strict=True):
            found.append(renyi_divergence(law.log_probabilities[x], law.log_probabilities[y], order))
    return largest(found)


@divergence_of_gaussian.said(
    r"\max_{x \sim x'} D_\alpha(M(x) \| M(x')) \le \alpha \varepsilon^2 / 2",
    origin="literature",
    work="canonne2020",
    where="Canonne, Kamath and Steinke 2020, Theorem 4",
    proof=True,
    tight={"prior": (1, 1), "n": 6, "epsilon": 1, "order": 2},
)
def rho_of_gaussian(prior: Any, n: Any, epsilon: Any, order: Any) -> Any:
    r"""Let the noise be moved by a whole number \(\mu\). The divergence is \(\alpha\mu^2/(2\sigma^2)\), plus
    \(\frac{1}{\alpha - 1}\) times the logarithm of the sum of \(e^{-(z - c)^2/(2\sigma^2)}\) over whole z, with \(c =
    (1 - \alpha)\mu\), over the same sum for c = 0. Such a sum is largest for whole c, so the logarithm is at most
    zero. For two categories one count moves by one, and otherwise two counts do. With s for their number, \(\sigma^2 =
    s/\varepsilon^2\) gives the bound. Clamping reads the output alone.
    """
    return order * epsilon**2 / 2


SETTINGS = [
    *grid(prior=[(1, 1), (0.5, 2)], counts=[(4, 2), (0, 5)], epsilon=[0.05, 2]),
    *grid(prior=[(1, 0.5, 2)], counts=[(1, 0, 2)], epsilon=[1]),
]
LITERATURE = "McKenna and Sheldon 2020, Theorem 2"


@LIBRARY.item(
    "permute-and-flip",
    "permute and flip",
    cases=SETTINGS,
    relation="<=",
    calls=(mean_error, permute_and_flip),
    page=MANY,
    premises=premises(prior=Weights((2, 3)), counts=Dataset(most=5), epsilon=Reals(above=0)),
)
def error_of_flips(prior: Any, counts: Any, epsilon: Any) -> Any:
    """The expected error of permute and flip."""
    return mean_error(permute_and_flip(epsilon), prior, counts)


@error_of_flips.said(
    r"E[H] \text{ of permute and flip is at most that of EHD, at every dataset}",
    origin="literature",
    work="mckenna2020",
    where=LITERATURE,
    proof=True,
    tight={"prior": (0.5, 2), "counts": (4, 2), "epsilon": 0.05},
)
def error_of_ehd(prior: Any, counts: Any, epsilon: Any) -> Any:
    r"""\(\Pr[r] = p_r w_r\) with \(w_r = \int_0^1 \prod_s (1 - p_s t) / (1 - p_r t)\, dt\), which grows with \(p_r\);
    EHD has \(\Pr[r] \propto p_r\). So the ratio of the two laws falls as the error grows, and a law with such a ratio
    is stochastically smaller: in the mean and in every tail.
    """
    return mean_error(ehd(epsilon), prior, counts)


@LIBRARY.item(
    "permute-and-flip-tail",
    "permute and flip",
    cases=[{**case, "t": t} for case in SETTINGS for t in (0.2, 0.5)],
    relation="<=",
    calls=(error_tail, permute_and_flip),
    page=MANY,
    premises=premises(
        prior=Weights((2, 3)), counts=Dataset(most=5), epsilon=Reals(above=0), t=Reals(0.01, 0.99, above=0)
    ),
)
def tail_of_flips(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    """The chance of an error of t or more."""
    return error_tail(permute_and_flip(epsilon), prior, counts, t)


@tail_of_flips.said(
    r"\Pr[H \ge t] \text{ of permute and flip is at most that of EHD, for every } t",
    origin="literature",
    work="mckenna2020",
    where=LITERATURE,
    proof=True,
    tight={"prior": (0.5, 2), "counts": (4, 2), "epsilon": 0.05, "t": 0.2},
)
def tail_of_ehd(prior: Any, counts: Any, epsilon: Any, t: Any) -> Any:
    """As for the mean, ``beyond/permute-and-flip``: the ratio of the laws falls with the error."""
    return error_tail(ehd(epsilon), prior, counts, t)
