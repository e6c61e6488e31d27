r"""Mechanisms that add noise to all counts but the last, clip them to 0..n, and complete the last from the others."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, lru_cache, partial
from typing import Any

import numpy as np

from .. import checks
from ..arithmetic import exp, maximum, number, zeros
from ..checks import Floats, Integers
from ..guarantees import Guarantee, PureDP
from ..model.datasets import in_chunks, lattice, within_enumeration
from .description import Law, Mechanism, WorstCase
from .gaussian_noise import GAUSSIAN, GaussianNoise
from .line import Line
from .noise import FLOORED_LAPLACE, STAIRCASE, TWO_SIDED_GEOMETRIC, Noise, NoiseLaw, clamped
from .table import entry

SQUARES = {"above": 0, "least": 1e-150, "most": 1e150}
"""Bounds of epsilon where its square must be a double."""


def count_sensitivity(k: int) -> int:
    """Largest change, in sum, of all counts but the last when one record of k categories is replaced.

    >>> count_sensitivity(2), count_sensitivity(3)
    (1, 2)
    """
    return 1 if k == 2 else 2


@dataclass(frozen=True)
class NoisyCounts:
    r"""Mechanisms with independent noise of rate \(\varepsilon / \text{scale}(k)\) on all counts but the last.

    Each noisy count is clipped to 0..n. The last released count is n minus the others, clipped likewise. With three or
    more categories the others can exceed n, so that the released total may differ from n: the outputs are the box of
    the first k - 1 counts.

    Attributes:
        noise: The noise of one count.
        scale: The divisor of epsilon, by the number of categories.
    """

    noise: Noise | GaussianNoise
    scale: Callable[[int], int] = field(repr=False)

    def mechanism(self, name: str, epsilon: float) -> Mechanism:
        """The mechanism at a budget epsilon, under a name."""
        e = checks.real("epsilon", epsilon, **SQUARES if isinstance(self.noise, GaussianNoise) else {"above": 0})

        @cache
        def noise(k: int) -> NoiseLaw:
            return self.noise.at(self.noise.rate(e, self.scale(k)))

        def at(x: Integers, n: int) -> Law:
            # at one dataset, or at many on a first axis; the probabilities of each count are computed once per value
            outputs, here, values = _box(n, x.shape[-1]), noise(x.shape[-1]), np.arange(n + 1)
            log_p = zeros((*x.shape[:-1], len(outputs)))
            for i in range(x.shape[-1] - 1):
                log_p += clamped(here, values - x[..., i, None], values == 0, values == n)[..., outputs[:, i]]
            return Law.known(outputs, log_p)

        def laws(weights: Floats, n: int) -> Law:
            datasets, outputs = lattice(n, len(weights)), _box(n, len(weights))
            within_enumeration(len(datasets), len(outputs), n, len(weights))
            return Law.known(outputs, in_chunks(datasets, len(outputs), lambda rows: at(rows, n).log_probabilities))

        def sample(weights: Floats, x: Integers, rng: np.random.Generator, size: int) -> Integers:
            n, k = int(x.sum()), len(x)
            return completed(np.column_stack([x[i] + noise(k).draw(rng, size) for i in range(k - 1)]), n)

        def guarantee(weights: Floats, n: int) -> Guarantee:
            k = len(weights)
            return self.noise.promise(e, number(count_sensitivity(k)) / self.scale(k))

        line = noise_line(noise(2)) if noise(2).width == 1 else None
        attained = None if isinstance(self.noise, GaussianNoise) else partial(_attained, self.noise)
        promise, law = self.noise.promise(e), lambda weights, x: at(x, int(x.sum()))
        return Mechanism(name, promise, law, sample, guarantee, laws, line=line, attained=attained)

    @property
    def currency(self) -> str:
        """Unit of the budget of a release: "rho" for Gaussian noise, which promises no epsilon, else "epsilon"."""
        return "rho" if isinstance(self.noise, GaussianNoise) else "epsilon"

    def drawn(self, counts: Sequence[int], budget: Fraction) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Draws noisy counts exactly.

        Args:
            counts: Dataset, k whole numbers >= 0.
            budget: Epsilon, or rho for Gaussian noise.

        Returns:
            The noisy counts, and the legal counts made of them.
        """
        if self.noise.drawn is None:
            raise ValueError("noise must have an exact draw for a release, got one without")
        # the precision of Gaussian noise is rational where rho is, though epsilon, the root of 2 rho, may not be
        scale = self.scale(len(counts))
        n, rate = sum(counts), 2 * budget / scale if self.currency == "rho" else self.noise.rate(budget, scale)
        first = [count + self.noise.drawn(rate) for count in counts[:-1]]
        noisy = (*first, n - sum(first))
        return noisy, self.legal(noisy, n)

    def legal(self, noisy: Sequence[int], n: int) -> tuple[int, ...]:
        """The counts that are released for noisy ones, clipped and completed in integers of any size."""
        kept = [min(max(count, 0), n) for count in noisy[:-1]]
        return (*kept, max(n - sum(kept), 0))

    def likelihoods(self, epsilon: float, k: int) -> tuple[NoiseLaw | None, ...]:
        """The law of the noise on each count but the last, and None for the last."""
        noise = self.noise.at(self.noise.rate(epsilon, self.scale(k)))
        return (*[noise] * (k - 1), None)

    def informative_part(self, noisy: Sequence[int], n: int) -> list[int]:
        """The noisy counts, moved towards 0..n as far as their likelihood at every dataset allows."""
        return self.noise.informative_part(noisy, n)

    def pattern(self) -> dict[str, Any]:
        """Parameters of the law at two categories, for the explorer of the book."""
        return {**self.noise.pattern(), "scale": self.scale(2)}


def _attained(noise: Noise, n: int, k: int) -> WorstCase | None:
    """Neighbours and an output at which the loss is all that the guarantee allows, or None if this rule finds none.

    The output has the first count of the dataset, 1. The neighbour has 0 there, so that its noise must be 1 in place of
    0, which is less likely by the factor r. With more than two categories the neighbour also has one record more in the
    second category, and its second noise must be lower by 1. If noise of -1 is less likely than noise of 0 by the
    factor r (``falls`` is 1), the output has the second count of the dataset. If both are as likely, as for floored
    Laplace noise, the output has one record less, and -2 is less likely than -1 by the factor r. Where the period is 1,
    the output may also be 0: it collects all noise below, which falls by r too. Longer periods need counts within 0..n.
    """
    falls = noise.lower[0] - noise.upper[0]
    if noise.width == 1:
        second = 0 if k == 2 or falls else 1
        return None if n < 1 + second else WorstCase.at(n, k, second)
    steps = noise.upper[1] - noise.upper[0] == 1 and (k == 2 or falls == 1)
    if n < 2 or not steps:
        return None
    return WorstCase.at(n, k) if k == 2 else WorstCase.at(n, k, second_count=1, output=(1, 1))


def completed(first: Integers, n: int) -> Integers:
    """Noisy counts of all categories but the last, clipped to 0..n, with the last completed; a row for each.

    Args:
        first: Noisy counts of all categories but the last, a row each.
        n: Number of records.

    Returns:
        Counts of all categories, a row each.

    >>> completed(np.array([[-1, 3], [4, 9]]), 5)
    array([[0, 3, 2],
           [4, 5, 0]])
    """
    kept = np.clip(first, 0, n)
    return np.column_stack([kept, np.maximum(n - kept.sum(axis=-1), 0)])


def noise_line(noise: NoiseLaw) -> Callable[[Floats, Integers], Line]:
    """The law of the first of two noisy counts along the line; the mass outside 0..n is added at the ends."""

    def line(weights: Floats, x: Integers) -> Line:
        ends = float(exp(noise.log_at_most(-1 - x[0]))), float(exp(noise.log_at_least(x[1] + 1)))
        return Line(weights, x, lambda change, _: noise.log_point(change), ends)

    return line


@lru_cache(maxsize=8)
def _box(n: int, k: int) -> Integers:
    """Every vector of k - 1 counts in 0..n, completed to k, in ascending order; read-only."""
    rows: int = (n + 1) ** (k - 1)
    within_enumeration(rows, k, n, k)
    first = np.stack(np.unravel_index(np.arange(rows), (n + 1,) * (k - 1)), axis=-1)
    outputs = completed(first, n).astype(np.int64)
    outputs.flags.writeable = False
    return outputs


_LSZHANG = NoisyCounts(FLOORED_LAPLACE, lambda k: 2 * k)
_LSDIM = NoisyCounts(FLOORED_LAPLACE, lambda k: k)
_LSHIST = NoisyCounts(FLOORED_LAPLACE, count_sensitivity)
_GEOMETRIC = NoisyCounts(TWO_SIDED_GEOMETRIC, count_sensitivity)
_STAIRCASE = NoisyCounts(STAIRCASE, count_sensitivity)
DISCRETE_GAUSSIAN = NoisyCounts(GAUSSIAN, count_sensitivity)
"""The discrete Gaussian mechanism; its releases are charged in rho of zero-concentrated privacy."""
_COUNTS = "noise on the counts"


@entry(
    words="Laplace noise, four times as wide (LSZhang)",
    family=_COUNTS,
    about="Laplace noise of scale 4/ε on the first count, rounded down",
    meaning=r"floored Laplace noise of scale $2k/\varepsilon$",
    letters={"notes": "LSZhang"},
    color="#7F7F7F",
    marker="v",
    pattern=_LSZHANG.pattern(),
)
def lszhang(epsilon: float) -> Mechanism:
    r"""LSZhang: floored Laplace noise of scale \(2k/\varepsilon\) on all counts but the last.

    The notes leave the last parameter at zero, which is no Dirichlet parameter. Here it is completed as LSDim
    completes its own: n minus the others, clipped to 0..n. That is post-processing and costs no privacy.

    >>> lszhang(1.0).law([1, 1], [1, 1]).probabilities.round(4)
    array([0.5   , 0.1106, 0.3894])
    """
    return _LSZHANG.mechanism("lszhang", epsilon)


@entry(
    words="Laplace noise, twice as wide (LSDim)",
    family=_COUNTS,
    about="Laplace noise of scale 2/ε, rounded down",
    meaning=r"floored Laplace noise of scale $k/\varepsilon$",
    letters={"notes": "LSDim"},
    color="#A34615",
    marker="<",
    pattern=_LSDIM.pattern(),
)
def lsdim(epsilon: float) -> Mechanism:
    r"""LSDim: floored Laplace noise of scale \(k/\varepsilon\) on all counts but the last, which is completed.

    >>> lsdim(1.0).guarantee([1, 1], 10)
    PureDP(epsilon=0.5)
    """
    return _LSDIM.mechanism("lsdim", epsilon)


@entry(
    words="Laplace noise on the histogram (LSHist)",
    family=_COUNTS,
    about="Laplace noise of scale 1/ε, rounded down",
    meaning=r"floored Laplace noise of scale $1/\varepsilon$ for two categories, $2/\varepsilon$ for more",
    letters={"notes": "LSHist", "hellinger": "improved baseline"},
    color="#4C55D9",
    marker="s",
    pattern=_LSHIST.pattern(),
    released=_LSHIST,
)
def lshist(epsilon: float) -> Mechanism:
    r"""LSHist: floored Laplace noise of scale \(s/\varepsilon\) on all counts but the last, which is completed.

    The scale has s = 1 for two categories and s = 2 for more: the largest change of the noisy counts, in sum, when one
    record is replaced.

    >>> lshist(1.0).law([1, 1], [1, 1]).probabilities.round(4)
    array([0.5   , 0.3161, 0.1839])
    """
    return _LSHIST.mechanism("lshist", epsilon)


@entry(
    words="geometric noise",
    family=_COUNTS,
    about="two-sided geometric noise",
    meaning=r"two-sided geometric noise in place of floored Laplace noise",
    letters={},
    color="#00A0B6",
    marker="P",
    pattern=_GEOMETRIC.pattern(),
    released=_GEOMETRIC,
)
def geometric(epsilon: float) -> Mechanism:
    r"""Two-sided geometric noise on all counts but the last, which is completed.

    \[ \Pr[z] \propto e^{-\varepsilon |z| / s} , \]
    with s = 1 for two categories and s = 2 for more.

    >>> geometric(1.0).law([1, 1], [1, 1]).probabilities.round(4)
    array([0.2689, 0.4621, 0.2689])
    """
    return _GEOMETRIC.mechanism("geometric", epsilon)


@entry(
    words="staircase noise",
    family=_COUNTS,
    about="staircase noise, in steps of two",
    meaning=r"noise that falls in steps of two, in place of floored Laplace noise",
    letters={"elsewhere": "staircase mechanism {cite}`geng2016`"},
    color="#7D5581",
    marker="p",
    pattern=_STAIRCASE.pattern(),
    released=_STAIRCASE,
)
def staircase(epsilon: float) -> Mechanism:
    r"""Staircase noise in steps of two (Geng and Viswanath 2016) on all counts but the last, which is completed.

    \[ \Pr[z] \propto e^{-\varepsilon \lceil |z|/2 \rceil / s} , \]
    with s = 1 for two categories and s = 2 for more. Staircases minimise the error of one number that a record
    changes by up to two, if the first step is chosen for epsilon and the loss. Here a record changes one count by one,
    so that steps of two hide more than is needed.

    >>> staircase(1.0).law([1, 1], [1, 1]).probabilities.round(4)
    array([0.3498, 0.3005, 0.3498])
    """
    return _STAIRCASE.mechanism("staircase", epsilon)


@entry(
    words="discrete Gaussian noise",
    family=_COUNTS,
    about="discrete Gaussian noise of variance 1/ε²",
    meaning=r"noise $z$ with weight $e^{-\varepsilon^2 z^2 / (2s)}$, which promises $\varepsilon^2/2$ of $\rho$",
    letters={"elsewhere": "discrete Gaussian {cite}`canonne2020`"},
    color="#957BFE",
    marker=">",
    pattern=DISCRETE_GAUSSIAN.pattern(),
    released=DISCRETE_GAUSSIAN,
)
def discrete_gaussian(epsilon: float) -> Mechanism:
    r"""Discrete Gaussian noise, \(\Pr[z] \propto e^{-\varepsilon^2 z^2 / (2s)}\), for zero-concentrated privacy.

    Here s is 1 for two categories and 2 for more: the largest sum of squared changes of noisy counts. The promise is
    \(\rho = \varepsilon^2/2\) (Canonne, Kamath and Steinke 2020), a bound that \(\varepsilon\)-differential privacy
    implies too. No finite epsilon with delta 0 is promised, because none holds at every n.

    >>> discrete_gaussian(1.0).law([1, 1], [1, 1]).probabilities.round(4)
    array([0.3005, 0.3989, 0.3005])
    >>> discrete_gaussian(1.0)
    <Mechanism discrete_gaussian, promises ZCDP(rho=0.5)>
    """
    return DISCRETE_GAUSSIAN.mechanism("discrete_gaussian", epsilon)


@entry(
    words="Laplace noise, counts filled in order",
    family=_COUNTS,
    about="counts filled in order; lsdim, for two categories",
    meaning=r"floored Laplace noise, the counts filled in order so that the total stays $n$",
    letters={"hellinger": "Laplace mechanism, section 6.2"},
    color="#8420FD",
    marker="D",
    pattern=_LSDIM.pattern(),
)
def laplace_in_order(epsilon: float, sensitivity: float = 2.0) -> Mechanism:
    r"""Floored Laplace noise of scale \(s/\varepsilon\), with the counts filled in order so that the total stays n.

    Each noisy count is clipped to what the earlier ones have left of n; the last category receives the rest (Hellinger
    paper, section 6.2). One replaced record changes the noisy counts by at most 1 in sum for k = 2, and by 2 for more.

    Args:
        epsilon: Privacy parameter, > 0.
        sensitivity: The number s, > 0.

    Returns:
        The mechanism; its guarantee is epsilon times that change, divided by s.

    >>> laplace_in_order(1.0).guarantee([1, 1], 10)
    PureDP(epsilon=0.5)
    """
    e = checks.real("epsilon", epsilon, above=0)
    s = checks.real("sensitivity", sensitivity, above=0)
    noise = FLOORED_LAPLACE.at(e / s)

    def law(weights: Floats, x: Integers) -> Law:
        n = int(x.sum())
        outputs = lattice(n, len(x))
        remaining: Integers = np.full(len(outputs), n)
        log_p: Floats = zeros(len(outputs))
        values = np.arange(n + 1)
        for i in range(len(x) - 1):
            value = outputs[:, i]
            inside, last = (clamped(noise, values - x[i], values == 0, end) for end in (False, True))
            log_p += np.where(value == remaining, last[value], inside[value])
            remaining = remaining - value
        return Law.known(outputs, log_p)

    def sample(weights: Floats, x: Integers, rng: np.random.Generator, size: int) -> Integers:
        remaining = np.full(size, x.sum())
        released = np.empty((size, len(x)), dtype=np.int64)
        for i in range(len(x) - 1):
            released[:, i] = np.clip(x[i] + noise.draw(rng, size), 0, remaining)
            remaining = remaining - released[:, i]
        released[:, -1] = remaining
        return released

    def guarantee(weights: Floats, n: int) -> Guarantee:
        return PureDP(e * count_sensitivity(len(weights)) / s)

    # with two categories only the first is noisy, and all n records are left for it: a plain line
    promised = PureDP(e * maximum(1.0, 2 / s))
    return Mechanism("laplace_in_order", promised, law, sample, guarantee, line=noise_line(noise))
