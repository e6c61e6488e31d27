r"""Audits of a mechanism that can only be drawn from: a lower bound on its loss, with a stated chance of error.

Half of the draws choose a set S of outputs that one dataset makes likelier than its neighbour, the other half, which
the choice has not seen, count how often it happens. With the bounds of Clopper and Pearson, each wrong with a chance
of at most \(\beta/2\),

\[ \varepsilon \ge \ln \frac{P_{\text{lower}}(S) - \delta}{Q_{\text{upper}}(S)} \]

but for a chance of \(\beta\) (as Jagielski, Ullman and Oprea 2020 audit training). Nothing follows from a small bound:
a black box may hide what it leaks in an event of small probability.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import checks
from ..checks import Floats, Integers

LISTED = 256
"""More different numbers than this are told apart by intervals only."""

Draw = Callable[[Any, np.random.Generator, int], Any]
"""Draws of a mechanism: a dataset, a generator, and how many."""


@dataclass(frozen=True)
class SamplerAudit:
    """A lower bound on the loss that holds with a ``confidence``, and what shows it.

    ``event`` says of which outputs it is, ``likely`` and ``unlikely`` are how often it happened in ``checked`` draws at
    one dataset and at the other; ``swapped`` if the first is the neighbour.

    >>> SamplerAudit(1.05, 0.99, "output True", 7500, 2500, 10_000, swapped=False)
    <SamplerAudit: loss at least 1.05 (confidence 0.99), output True 7500 against 2500 times in 10000>
    """

    epsilon: float
    confidence: float
    event: str
    likely: int
    unlikely: int
    checked: int
    swapped: bool

    def __repr__(self) -> str:
        seen = f"{self.likely} against {self.unlikely} times in {self.checked}"
        return f"<SamplerAudit: loss at least {self.epsilon:.4g} (confidence {self.confidence:g}), {self.event} {seen}>"


def audit_sampler(
    draw: Draw,
    data: Any,
    neighbour: Any,
    rng: np.random.Generator,
    size: int = 100_000,
    *,
    confidence: float = 0.99,
    delta: float = 0.0,
) -> SamplerAudit:
    r"""A lower bound on the epsilon of a black box, from ``size`` draws at a dataset and as many at its neighbour.

    ``draw(data, rng, size)`` returns an output per row: numbers, or rows of numbers, or labels. With the stated
    confidence the mechanism keeps no \((\varepsilon, \delta)\) with an epsilon below the bound. It is 0 where nothing
    was shown.

    >>> coin = lambda bit, rng, size: rng.random(size) < (0.75 if bit else 0.25)
    >>> found = audit_sampler(coin, True, False, np.random.default_rng(1), 20_000)
    >>> 1.0 < found.epsilon < math.log(3), found.event
    (True, 'output True')
    """
    generator, draws = checks.generator(rng), checks.whole("size", size, least=100)
    sure = checks.real("confidence", confidence, above=0, below=1)
    slack = checks.real("delta", delta, least=0, below=1)
    if not callable(draw):
        raise TypeError(f"draw must be a function of a dataset, a generator and a size, got draw={draw!r}")
    here, there = (_outputs(draw(x, generator, draws), draws) for x in (data, neighbour))
    half = draws // 2
    labels, places, names = _labelled(here, there, half)
    first, second = places[:draws], places[draws:]
    counts = [np.bincount(side[:half], minlength=labels + 1)[:labels] for side in (first, second)]
    best, chosen, swapped = -math.inf, np.zeros(0, dtype=np.int64), False
    for turned in (False, True):
        likely, unlikely = counts[::-1] if turned else counts
        order = np.argsort(-(likely + 0.5) / (unlikely + 0.5), kind="stable")
        bounds = _bound(np.cumsum(likely[order]), np.cumsum(unlikely[order]), half, sure, slack)
        top = int(np.argmax(bounds))
        if bounds[top] > best:
            best, chosen, swapped = float(bounds[top]), order[: top + 1], turned
    checked = [int(np.isin(side[half:], chosen).sum()) for side in (first, second)]
    likely_count, unlikely_count = checked[::-1] if swapped else checked
    shown = _bound(np.array([likely_count]), np.array([unlikely_count]), draws - half, sure, slack)
    event = f"output {names(int(chosen[0]))}" if len(chosen) == 1 else f"one of {len(chosen)} outputs"
    return SamplerAudit(max(0.0, float(shown[0])), sure, event, likely_count, unlikely_count, draws - half, swapped)


def _bound(likely: Integers, unlikely: Integers, size: int, confidence: float, delta: float) -> Floats:
    """The bound of each event, from how often it happened; minus infinity where nothing follows."""
    from scipy.stats import beta  # imported here, for that takes longer than many a call

    each = (1 - confidence) / 2
    low = np.where(likely > 0, beta.ppf(each, np.maximum(likely, 1), size - likely + 1), 0.0) - delta
    high = np.where(unlikely < size, beta.isf(each, unlikely + 1, np.maximum(size - unlikely, 1)), 1.0)
    found: Floats = np.where(low > 0, np.log(np.where(low > 0, low, 1.0) / high), -np.inf)
    return found


def _outputs(values: Any, size: int) -> Any:
    array = np.asarray(values)
    if array.ndim not in (1, 2) or len(array) != size:
        raise ValueError(f"draw must return {size} outputs, a number, label or row for each, got shape {array.shape}")
    return array


def _labelled(here: Any, there: Any, half: int) -> tuple[int, Integers, Callable[[int], str]]:
    """A number for every output, and what it is called; what the first halves do not show gets the last number.

    Many different numbers are put in intervals between quantiles of the first halves, finer at both ends.
    """
    first = np.concatenate([here[:half], there[:half]])
    seen = np.unique(first, axis=0)
    both = np.concatenate([here, there])
    if len(seen) > LISTED and both.ndim == 1 and both.dtype.kind in "iuf":
        tail = np.geomspace(1 / len(first), 0.1, 12)
        edges = np.unique(np.quantile(first, np.concatenate([tail, np.linspace(0.1, 0.9, 41), 1 - tail])))
        return len(edges) + 1, np.searchsorted(edges, both, side="left"), lambda i: _interval(edges, i)
    places = np.full(len(both), len(seen))
    if both.ndim == 1:
        at = np.minimum(np.searchsorted(seen, both), len(seen) - 1)
        places = np.where(seen[at] == both, at, len(seen))
    else:
        known = {tuple(row): i for i, row in enumerate(seen.tolist())}
        places = np.array([known.get(tuple(row), len(seen)) for row in both.tolist()])
    return len(seen), places, lambda i: str(seen[i])


def _interval(edges: Any, i: int) -> str:
    low = "-inf" if i == 0 else f"{edges[i - 1]:.4g}"
    return f"in ({low}, inf)" if i == len(edges) else f"in ({low}, {edges[i]:.4g}]"
