"""Sections 5.1 to 5.3: Laplace noise rounded down, and bounds on the probability of a large error."""

from typing import Any

from ...accuracy import error_tail
from ...arithmetic import exp, less, number
from ...mechanisms import ehd, laplace_in_order, smoothed_hellinger
from ...model import count_vectors, global_sensitivity
from ..claim import REFUTED, grid
from ..premises import Reals, Wholes, premises
from ..quantities import distances
from .quantities import listed_smooth, noise_mass, probability_of, smooth
from .source import DELTA, EPSILON, FLAT, FLAT3, PAPER, SMOOTHED, TABLES, TAILS


@PAPER.item(
    "5.1-tail",
    "Section 5.1",
    cases=grid(t=[0.5, 4.0], epsilon=[0.1, EPSILON]),
    calls=laplace_in_order,
    page=TABLES,
)
def noise_beyond(t: Any, epsilon: Any) -> Any:
    r"""\(\Pr[|Y| \ge t]\), from what a mechanism of \(Y/t \sim \mathrm{Lap}(2/(\varepsilon t))\) leaves at the ends 2 and 0.

    It leaves 2 when it moves 1 up by at least 1, and 0 when \(\lfloor Y/t \rfloor \le -2\) moves 2 down.
    """
    mechanism = laplace_in_order(epsilon * t)
    return probability_of(mechanism, FLAT, (1, 1), (2, 0)) + probability_of(mechanism, FLAT, (2, 0), (0, 2))


@noise_beyond.said(
    r"\Pr[|Y| \ge t] = e^{-t\varepsilon/2} \ \text{ for } Y \sim \mathrm{Lap}(2/\varepsilon)",
    premises=premises(t=Reals(above=0), epsilon=Reals(above=0)),
    proof=True,
)
def laplace_survival(t: Any, epsilon: Any) -> Any:
    r"""\(|Y|\) is exponential with rate \(\varepsilon/2\)."""
    return exp(-t * epsilon / 2)


@PAPER.item(
    "5.1-noise",
    "Section 5.1",
    cases=grid(m=[0, 1, 5], epsilon=[0.1, EPSILON]),
    calls=laplace_in_order,
    page=TABLES,
)
def floored_absolute(m: Any, epsilon: Any) -> Any:
    r"""\(\Pr[|\lfloor Y \rfloor| = m]\) for \(Y \sim \mathrm{Lap}(2/\varepsilon)\)."""
    return noise_mass(epsilon, m) if m == 0 else noise_mass(epsilon, m) + noise_mass(epsilon, -m)


@floored_absolute.said(
    r"\Pr[|Lap_i| = m] = e^{-m\varepsilon/2} - e^{-(m+1)\varepsilon/2} \ \text{ for } Lap_i = \mathrm{floor}(Y)",
    expected=REFUTED,
)
def floored_noise(m: Any, epsilon: Any) -> Any:
    r"""The formula belongs to noise that is rounded towards zero, where the whole interval \((-1, 1)\) becomes 0.
    Rounding down turns only \([0, 1)\) into 0. That is half as probable: 0.1648 instead of 0.3297 at \(\varepsilon =
    0.8\).
    """
    return exp(-m * epsilon / 2) - exp(-(m + 1) * epsilon / 2)


@floored_absolute.instead(
    r"\Pr[|\lfloor Y \rfloor| = m] = \tfrac12 (1 - r)\, (r^m + r^{m-1}\,[m \ge 1]), \quad r = e^{-\varepsilon/2}",
    proof=True,
    premises=premises(m=Wholes(0, 40), epsilon=Reals(above=0)),
)
def floored_noise_corrected(m: Any, epsilon: Any) -> Any:
    r"""The event \(m \le Y < m+1\) has probability \(\frac12(1-r)r^m\), and \(-m \le Y < 1-m\) has
    \(\frac12(1-r)r^{m-1}\). The bracket \([m \ge 1]\) is 1 where this is so, and 0 at m = 0.
    """
    r, whole = exp(-epsilon / 2), int(m)
    return (1 - r) / 2 * (r**whole + (r ** (whole - 1) if whole else 0))


_FAR = [
    {"prior": p, "counts": x, "epsilon": e, "c": c}
    for p, x in ((FLAT, (4, 4)), (FLAT, (2, 18)), (FLAT3, (2, 3, 3)))
    for e in (0.1, EPSILON, 5.0)
    for c in (0.3, 0.7)
]


_APART = {"prior": (1e-9, 1e-9), "counts": (0, 1000), "epsilon": 30.0, "c": 0.9999}
"""All other candidates are at distance one, and the truth holds nearly all of the probability."""


@PAPER.item("5.2", "Section 5.2", relation="<=", cases=_FAR, calls=(ehd, error_tail), page=SMOOTHED)
def far_at_global_sensitivity(prior: Any, counts: Any, epsilon: Any, c: Any) -> Any:
    """The probability of an error of at least c with the global sensitivity."""
    return error_tail(ehd(epsilon), prior, counts, c)


@far_at_global_sensitivity.said(
    r"\Pr[\mathcal H(BI(x), z) \ge c] \le |R| \exp\Bigl(\frac{-\varepsilon c}{2\Delta_g}\Bigr)",
    tight=_APART,
    premises=TAILS,
    proof=True,
)
def global_accuracy(prior: Any, counts: Any, epsilon: Any, c: Any) -> Any:
    r"""At most |R| candidates are that far, each of weight at most \(e^{-\varepsilon c/(2\Delta_g)}\), where
    \(\Delta_g\) is the global sensitivity. The sum of all weights is at least 1, the weight of the truth.
    """
    scale = global_sensitivity(prior, sum(counts))
    return _size(counts) * exp(-epsilon * c / (2 * scale))


def _size(counts: Any) -> Any:
    return number(len(count_vectors(int(sum(counts)), len(counts))))


@PAPER.item("5.3", "Section 5.3", relation="<=", cases=_FAR, calls=(smoothed_hellinger, error_tail), page=SMOOTHED)
def far(prior: Any, counts: Any, epsilon: Any, c: Any) -> Any:
    """The probability of an error of at least c with the mechanism of Section 5, of divisor 1."""
    return error_tail(smoothed_hellinger(epsilon, number(DELTA), 1), prior, counts, c)


def _weights(prior: Any, counts: Any, epsilon: Any) -> tuple[Any, Any]:
    r"""The distance of every candidate, and its weight \(e^{-\varepsilon \mathcal H/S(x)}\), by the definition of S."""
    found = distances(prior, counts, count_vectors(int(sum(counts)), len(counts)))
    return found, exp(-epsilon / listed_smooth(prior, counts, epsilon, number(DELTA)) * found)


@far.said(
    r"\Pr[\mathcal H(BI(x), z) \ge c] = \sum_{z : \mathcal H \ge c} \frac{e^{-\varepsilon \mathcal H(BI(x), z)/S(x)}}{NL_x}",
    suffix="first",
    where="Section 5.3, first bound",
    relation="=",
    cases=[*_FAR, {"prior": FLAT, "counts": (18, 2), "epsilon": EPSILON, "c": 0.3}],
    proof=True,
    premises=TAILS,
)
def exact_accuracy(prior: Any, counts: Any, epsilon: Any, c: Any) -> Any:
    """This is the definition of the mechanism, with the divisor 1. It is the quantity itself, and not a bound."""
    found, weights = _weights(prior, counts, epsilon)
    return weights[~less(found, c)].sum() / weights.sum()


@far.said(
    r"\Pr[\mathcal H(BI(x), z) \ge c] \le \frac{|R| \exp(-\varepsilon c / S(x))}{NL_x}",
    suffix="second",
    where="Section 5.3, second bound",
    proof=True,
    tight=_APART,
    premises=TAILS,
)
def counted_accuracy(prior: Any, counts: Any, epsilon: Any, c: Any) -> Any:
    r"""There are at most |R| candidates that far, and each of them weighs at most \(e^{-\varepsilon c/S}\)."""
    scale = smooth(prior, counts, epsilon, number(DELTA))
    _, weights = _weights(prior, counts, epsilon)
    return _size(counts) * exp(-epsilon * c / scale) / weights.sum()


sized_accuracy = PAPER.vague(
    "5.3-third",
    "Section 5.3, third bound",
    r"\Pr[\mathcal H(BI(x), z) \ge c] \le \frac{|R| \exp(-\varepsilon c / S(x))}{N(n)}",
    "Any lower bound on the sum of the weights that depends on n only will do.",
    uncheckable=r"what is missing is \(N(n)\): the text says that it was not found. The corrected statement gives one",
    page=SMOOTHED,
)


@far.instead(
    r"\Pr[\mathcal H(BI(x), z) \ge c] \le \frac{|R| \exp(-\varepsilon c / S(x))}{1 + (k-1)\, e^{-\varepsilon}} \quad (n \ge 1)",
    suffix="third-corrected",
    where="Section 5.3, third bound",
    corrects="hellinger/5.3-third",
    proof=True,
    tight=_APART,
    premises=TAILS,
)
def sized_accuracy_corrected(prior: Any, counts: Any, epsilon: Any, c: Any) -> Any:
    r"""Here \(N(n) = 1 + (k-1)e^{-\varepsilon}\). The truth weighs 1. It has at least k - 1 neighbours, each within
    \(LS(x) \le S(x)\) of it and so of weight at least \(e^{-\varepsilon}\).
    """
    scale = smooth(prior, counts, epsilon, number(DELTA))
    least = 1 + (len(prior) - 1) * exp(-epsilon)
    return _size(counts) * exp(-epsilon * c / scale) / least
