r"""Mechanisms that add noise to the counts, keep them within 0..n, and complete the last one from the others."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..arithmetic import exp, maximum, number, zeros
from ..checks import Floats, Integers
from ..guarantees import PureDP
from ..model.datasets import count_vectors, in_chunks, within_enumeration
from .description import Guarantee, Law, Mechanism, Place, setting
from .gaussian_noise import GAUSSIAN, GaussianNoise
from .line import Line
from .noise import FLOORED_LAPLACE, STAIRCASE, TWO_SIDED_GEOMETRIC, Noise, NoiseLaw, clamped
from .table import entry


def count_sensitivity(k: int) -> int:
    """Most that one replaced record changes all counts but the last, in sum.

    >>> count_sensitivity(2), count_sensitivity(3)
    (1, 2)
    """
    return 1 if k == 2 else 2


@dataclass(frozen=True)
class NoisyCounts:
    r"""Independent noise of rate \(\varepsilon / \text{scale}(k)\) on all counts but the last; each kept within 0..n.

    The last released count is n minus the others, kept within 0..n. With three or more categories the others can
    exceed n, so the released total may differ from n: the law lives on the box of the first k - 1 counts.
    """

    noise: Noise | GaussianNoise
    scale: Callable[[int], int]

    def mechanism(self, name: str, epsilon: float) -> Mechanism:
        """The mechanism at a budget."""
        e = checks.real("epsilon", epsilon, above=0)

        @cache
        def noise(k: int) -> NoiseLaw:
            return self.noise.at(self.noise.rate(e, self.scale(k)))

        def at(x: Integers, n: int) -> Law:
            """The law at one dataset, or at many on a first axis: the noise of each count is asked once per value."""
            outputs, here, values = _box(n, x.shape[-1]), noise(x.shape[-1]), np.arange(n + 1)
            log_p = zeros((*x.shape[:-1], len(outputs)))
            for i in range(x.shape[-1] - 1):
                log_p += clamped(here, values - x[..., i, None], values == 0, values == n)[..., outputs[:, i]]
            return Law.known(outputs, log_p)

        def law(prior: ArrayLike, counts: ArrayLike) -> Law:
            _, x = checks.dataset(prior, counts)
            return at(x, int(x.sum()))

        def laws(prior: ArrayLike, n: int) -> Law:
            datasets = count_vectors(n, len(setting(prior, n)))
            outputs = _box(n, datasets.shape[1])
            within_enumeration(len(datasets), len(outputs), n, datasets.shape[1])
            return Law.known(outputs, in_chunks(datasets, len(outputs), lambda rows: at(rows, n).log_probabilities))

        def sample(prior: ArrayLike, counts: ArrayLike, rng: np.random.Generator, size: int = 1) -> Integers:
            _, x = checks.dataset(prior, counts)
            n, k, draws = int(x.sum()), len(x), checks.whole("size", size, least=0)
            here, released = noise(k), np.empty((draws, k), dtype=np.int64)
            for i in range(k - 1):
                released[:, i] = np.clip(x[i] + here.draw(checks.generator(rng), draws), 0, n)
            released[:, -1] = last_count(released[:, :-1], n)
            return released

        def guarantee(prior: ArrayLike, n: int) -> Guarantee:
            k = len(setting(prior, n))
            return self.noise.promise(e, number(count_sensitivity(k)) / self.scale(k))

        line = noise_line(noise(2)) if self.noise.smooth else None
        mechanism = Mechanism(name, self.noise.promise(e), law, sample, guarantee, laws, line=line)
        if isinstance(self.noise, GaussianNoise):
            return mechanism
        return replace(mechanism, attained=partial(_attained, self.noise))

    @property
    def currency(self) -> str:
        """Gaussian noise promises no epsilon, only rho."""
        return "rho" if isinstance(self.noise, GaussianNoise) else "epsilon"

    def drawn(self, counts: Sequence[int], budget: Fraction) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Noisy counts, drawn exactly at a budget in its currency, and the legal counts made of them."""
        if self.noise.drawn is None:
            raise ValueError("noise must have an exact draw to be released, and this one has none")
        # the precision of Gaussian noise is rational where rho is, though epsilon, the root of 2 rho, may not be
        scale = self.scale(len(counts))
        n, rate = sum(counts), 2 * budget / scale if self.currency == "rho" else self.noise.rate(budget, scale)
        first = [count + self.noise.drawn(rate) for count in counts[:-1]]
        noisy = (*first, n - sum(first))
        return noisy, self.legal(noisy, n)

    def legal(self, noisy: Sequence[int], n: int) -> tuple[int, ...]:
        """``completed`` of one row, in integers of any size."""
        kept = [min(max(count, 0), n) for count in noisy[:-1]]
        return (*kept, max(n - sum(kept), 0))

    def likelihoods(self, epsilon: float, k: int) -> tuple[NoiseLaw | None, ...]:
        """The law of the noise on every count but the last, which has none of its own."""
        noise = self.noise.at(self.noise.rate(epsilon, self.scale(k)))
        return (*[noise] * (k - 1), None)

    def told(self, noisy: Sequence[int], n: int) -> list[int]:
        """What a noisy count beyond 0..n tells is for the noise to say."""
        return self.noise.told(noisy, n)

    def pattern(self) -> dict[str, Any]:
        """What the explorer needs for two categories."""
        return {**self.noise.pattern(), "scale": self.scale(2)}


def _attained(noise: Noise, n: int, k: int) -> Place | None:
    r"""Where a replaced record costs its whole factor for each noisy count that it moves.

    The first count is one and said as it is: the neighbour, which has none, pays for the step from no move to one.
    Said of the second is what the dataset has, or less; the neighbour has one more. Where the weights of no move
    and of one down differ by the factor, the exact count does, and for noise of one period 0 does too although it
    stands for all that is below. Where they agree, one less does. Longer periods need counts within 0..n.
    """
    falls = noise.lower[0] - noise.upper[0]
    if noise.width == 1:
        return None if n < (1 if k == 2 or falls else 2) else Place.at(n, k, has=0 if k == 2 or falls else 1)
    steps = noise.upper[1] - noise.upper[0] == 1 and (k == 2 or falls == 1)
    if n < 2 or not steps:
        return None
    return Place.at(n, k) if k == 2 else Place.at(n, k, has=1, said=(1, 1))


def completed(first: Integers, n: int) -> Integers:
    """All counts but the last kept within 0..n, and the last, n minus the others, too; a row for each.

    >>> completed(np.array([[-1, 3], [4, 9]]), 5)
    array([[0, 3, 2],
           [4, 5, 0]])
    """
    kept = np.clip(first, 0, n)
    return np.column_stack([kept, last_count(kept, n)])


def last_count(kept: Integers, n: int) -> Integers:
    """n minus the other counts, and at least zero.

    >>> last_count(np.array([[0, 3], [4, 5]]), 5)
    array([2, 0])
    """
    return np.asarray(np.maximum(n - kept.sum(axis=-1), 0))


def noise_line(noise: NoiseLaw) -> Callable[[ArrayLike, ArrayLike], Line]:
    """The law of the first of two counts, kept within 0..n: what goes beyond stays at the ends."""

    def line(prior: ArrayLike, counts: ArrayLike) -> Line:
        weights, x = checks.dataset(prior, counts)
        ends = float(exp(noise.log_at_most(-1 - x[0]))), float(exp(noise.log_at_least(x[1] + 1)))
        return Line(weights, x, lambda move, _: noise.log_point(move), ends)

    return line


@lru_cache(maxsize=8)
def _box(n: int, k: int) -> Integers:
    """Every vector of k - 1 counts in 0..n, each completed to k, in ascending order; read-only."""
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
"""Drawn exactly too; a release of it is charged in zero-concentrated privacy."""
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

    As printed it leaves the last parameter at zero, which is no Dirichlet. It is completed here as LSDim completes
    its own: \(n\) minus the others, kept within 0..n. That is post-processing and costs no privacy.

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
    r"""LSDim: floored Laplace noise of scale \(k/\varepsilon\) on all counts but the last, which completes them.

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
    r"""LSHist: floored Laplace noise of scale \(1/\varepsilon\), \(2/\varepsilon\) if k > 2; last count completed.

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
    r"""Two-sided geometric noise, \(\Pr[z] \propto e^{-\varepsilon |z| / s}\), in place of LSHist's floored Laplace.

    s is 1 for two categories and 2 for more.

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
    r"""Staircase noise of Geng and Viswanath in twos: \(\Pr[z] \propto e^{-\varepsilon \lceil |z|/2 \rceil / s}\).

    s is 1 for two categories and 2 for more. Staircases are the best noise to add to one number that a record changes
    by up to two, where the first step is as epsilon and the loss ask for. A record changes one count by one, so that
    here it pays for what it does not need.

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
    r"""Discrete Gaussian noise, \(\Pr[z] \propto e^{-\varepsilon^2 z^2 / (2s)}\):
    \(\varepsilon^2/2\)-zero-concentrated privacy.

    s is 1 for two categories and 2 for more, the square of the most that a record moves all noisy counts. No epsilon is
    promised for every n; its budget is what a pure epsilon is at most in rho (Canonne, Kamath and Steinke 2020).

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
    r"""Floored Laplace noise of scale \(s/\varepsilon\), the counts filled in order so that the total stays n.

    Each noisy count is kept within 0 and what the earlier ones have left; the last takes the rest. The noise sees
    all counts but the last, which one replaced record changes by at most 1 in sum for k = 2 and by 2 otherwise.

    >>> laplace_in_order(1.0).guarantee([1, 1], 10)
    PureDP(epsilon=0.5)
    """
    e = checks.real("epsilon", epsilon, above=0)
    s = checks.real("sensitivity", sensitivity, above=0)
    noise = FLOORED_LAPLACE.at(e / s)

    def law(prior: ArrayLike, counts: ArrayLike) -> Law:
        _, x = checks.dataset(prior, counts)
        n = int(x.sum())
        outputs = count_vectors(n, len(x))
        remaining: Integers = np.full(len(outputs), n)
        log_p: Floats = zeros(len(outputs))
        values = np.arange(n + 1)
        for i in range(len(x) - 1):
            value = outputs[:, i]
            inside, last = (clamped(noise, values - x[i], values == 0, end) for end in (False, True))
            log_p += np.where(value == remaining, last[value], inside[value])
            remaining = remaining - value
        return Law.known(outputs, log_p)

    def sample(prior: ArrayLike, counts: ArrayLike, rng: np.random.Generator, size: int = 1) -> Integers:
        _, x = checks.dataset(prior, counts)
        remaining = np.full(checks.whole("size", size, least=0), x.sum())
        released = np.empty((len(remaining), len(x)), dtype=np.int64)
        for i in range(len(x) - 1):
            released[:, i] = np.clip(x[i] + noise.draw(checks.generator(rng), len(remaining)), 0, remaining)
            remaining = remaining - released[:, i]
        released[:, -1] = remaining
        return released

    def guarantee(prior: ArrayLike, n: int) -> Guarantee:
        return PureDP(e * count_sensitivity(len(setting(prior, n))) / s)

    # of two categories only the first is noisy, and what is left for it is n
    promised = PureDP(e * maximum(1.0, 2 / s))
    return Mechanism("laplace_in_order", promised, law, sample, guarantee, line=noise_line(noise))
