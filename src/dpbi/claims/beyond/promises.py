"""What EHD leaks of its promise where there are more than two categories."""

from typing import Any

from ...arithmetic import expm1, largest, log1p, minimum, number, numbers
from ...mechanisms import ehd
from ...model import count_vectors, global_sensitivity
from ...model.datasets import moves
from ...model.distances import lattice_distances
from ...privacy import audit
from ..claim import HOLDS, grid
from ..premises import Reals, Weights, Wholes, premises
from .source import LIBRARY, WHAT_LEAKS

HALVES = [
    *grid(prior=[(1, 1, 1), (0.5, 1, 2)], n=[1, 3, 7], epsilon=[0.1, 1]),
    {"prior": (1, 1, 1), "n": 3, "epsilon": 0.01},
    {"prior": (1, 1, 1), "n": 14, "epsilon": 0.8},
    {"prior": (0.3, 0.3, 0.3, 2), "n": 4, "epsilon": 1},
    {"prior": (1e-12, 1e-12, 1000), "n": 2, "epsilon": 1},
]
THREE_OR_MORE = premises(prior=Weights((3, 4)), n=Wholes(1, 4), epsilon=Reals(above=0))


def ehd_loss(prior: Any, n: Any, epsilon: Any) -> Any:
    """The exact worst loss of EHD."""
    return audit(ehd(epsilon), [number(weight) for weight in prior], int(n)).epsilon


def ehd_rate(prior: Any, n: Any, epsilon: Any) -> Any:
    """Its rate."""
    return epsilon / (2 * global_sensitivity([number(weight) for weight in prior], int(n)))


@LIBRARY.item(
    "half-at-least",
    "EHD with more than two categories",
    cases=HALVES,
    relation=">=",
    calls=audit,
    page=WHAT_LEAKS,
    premises=THREE_OR_MORE,
)
def ehd_leaks(prior: Any, n: Any, epsilon: Any) -> Any:
    """The exact worst loss."""
    return ehd_loss(prior, n, epsilon)


@ehd_leaks.said(
    r"\varepsilon_{\mathrm{audited}} \ge \varepsilon / 2 \text{ for } k \ge 3",
    proof=True,
    tight={"prior": (1, 1, 1), "n": 7, "epsilon": 1},
)
def half_at_least(prior: Any, n: Any, epsilon: Any) -> Any:
    r"""Take the two datasets whose distance is GS. Each is likelier to release itself, by \(e^{\varepsilon/2}\) times a
    ratio of normalisers. It is \(Z(y)/Z(x)\) in one direction and \(Z(x)/Z(y)\) in the other, and one is at least one.
    """
    return epsilon / 2


FLAT_PRIORS = [
    {"prior": (1e6, 1e12, 1e12), "n": 5, "epsilon": 0.01, "share": 0.94},
    {"prior": (1e6, 1e12, 1e12), "n": 8, "epsilon": 0.01, "share": 0.97},
    {"prior": (1e6, 1e12, 1e12, 1e12), "n": 4, "epsilon": 0.01, "share": 0.96},
    {"prior": (1e6, 1e6, 1e6), "n": 8, "epsilon": 0.01, "share": 0.8},
    {"prior": (1e-12, 1e6, 1e6), "n": 8, "epsilon": 0.01, "share": 0.6},
]


@LIBRARY.item(
    "half-and-no-constant",
    "EHD with more than two categories",
    cases=FLAT_PRIORS,
    relation=">=",
    calls=audit,
    page=WHAT_LEAKS,
)
def ehd_spends(prior: Any, n: Any, epsilon: Any, share: Any) -> Any:
    """The exact worst loss."""
    return ehd_loss(prior, n, epsilon)


@ehd_spends.said(
    r"\varepsilon_{\mathrm{audited}} \ge s\, \varepsilon \text{ for some } s \text{ near } 1 \text{ and } k = 3",
    expected=HOLDS,
)
def no_constant(prior: Any, n: Any, epsilon: Any, share: Any) -> Any:
    r"""Where the prior of one category is far lighter than the others', and still far above n, H is near
    \(|r_1 - x_1| / \sqrt{8 \alpha_1}\). From \(x_1 = n\) every output but x itself is nearer to the neighbour by all of
    GS. So for small \(\varepsilon\) the normalisers differ by \((1 - 2/N) \varepsilon / 2\) as well, where N is the number
    of outputs. No constant below one works for all priors and n.
    """
    return share * epsilon


@LIBRARY.item(
    "half-at-most",
    "EHD with more than two categories",
    cases=HALVES,
    relation="<=",
    calls=audit,
    page=WHAT_LEAKS,
    premises=THREE_OR_MORE,
)
def ehd_loses(prior: Any, n: Any, epsilon: Any) -> Any:
    """The exact worst loss."""
    return ehd_loss(prior, n, epsilon)


@ehd_loses.said(
    r"\varepsilon_{\mathrm{audited}} \le \max_{x \sim y} \Bigl[\lambda H(x, y) + \min\bigl\{\lambda H(x, y),"
    r" \ln(1 + (e^\lambda - 1) S(y) / N)\bigr\}\Bigr],\ S(y) = \sum_r (1 - H(y, r)^2), \text{ for } k \ge 3",
    proof=True,
)
def half_at_most(prior: Any, n: Any, epsilon: Any) -> Any:
    r"""By the triangle inequality the worst output is the dataset itself, and \(Z(y) \le e^{\lambda H(x, y)} Z(x)\).
    \(e^{-\lambda H} = \sum_m p_m e^{-mD}\) with \(p_0 = e^{-\lambda}\), \(p_m \ge 0\) and
    \(e^{-D} = 1 - H^2\); so a normaliser lies between \(e^{-\lambda} N\) and
    \(e^{-\lambda} N + (1 - e^{-\lambda}) S\), N being the number of candidates. The ratio of two is at most
    \(1 + (e^\lambda - 1) S / N\).
    """
    weights, rate = numbers([number(weight) for weight in prior]), ehd_rate(prior, n, epsilon)
    datasets = count_vectors(int(n), len(prior))
    distances = lattice_distances(weights, datasets)
    shares = (1 - distances**2).sum(axis=-1) / len(datasets)
    bounds = []
    for x, y in moves(int(n), len(prior)):
        near = rate * distances[x, y]
        bounds.append(largest(near + minimum(near, log1p(expm1(rate) * shares[y]))))
    return largest(bounds)
