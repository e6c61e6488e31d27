r"""Audits of a mechanism that can only be sampled: lower bounds on the privacy loss with a stated error probability.

Half of the draws are used to choose a set S of outputs that is more likely at one dataset than at its neighbour. The
other half of the draws, which are independent of this choice, show how often an output in S occurs. By Clopper and
Pearson's bounds on the two probabilities of S, each of which is wrong with probability at most \(\beta/2\),

\[ \varepsilon \ge \ln \frac{P_{\text{lower}}(S) - \delta}{Q_{\text{upper}}(S)} \]

except with probability \(\beta\) (Jagielski, Ullman and Oprea 2020 use this method to audit the training of models). A
small bound does not prove that the privacy loss is small, because a black box may leak through an event of small
probability.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import checks
from ..checks import Floats, Integers

# If the outputs contain more distinct numbers than this, the numbers are grouped into intervals. Chosen: with thousands
# of draws, each of 256 values still occurs often enough to be compared.
MAX_DISTINCT_OUTPUTS = 256

# A mechanism given as a function of a dataset, a random number generator and the number of draws.
Draw = Callable[[Any, np.random.Generator, int], Any]


@dataclass(frozen=True)
class SamplerAudit:
    """A lower bound on the privacy loss of a black box, with the event from which the bound follows.

    Attributes:
        epsilon: The lower bound in nats, which is 0 if no leak was found.
        confidence: The confidence level of the bound.
        event: A description of the outputs in the event, in words.
        likely: Number of occurrences of the event at the dataset at which the event is more likely.
        unlikely: Number of occurrences of the event at the other dataset.
        checked: Number of draws at each dataset among which the event was counted.
        swapped: Whether the event is more likely at the neighbour.

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
    """Lower bound on the epsilon of a mechanism that can only be sampled.

    With the stated confidence, the mechanism is not (epsilon, delta)-private for any epsilon below the bound.

    Args:
        draw: Function ``draw(data, rng, size)`` that returns ``size`` outputs, which are numbers, rows of numbers, or
            labels.
        data: A dataset, in the form that ``draw`` accepts.
        neighbour: A neighbour of the dataset, in the form that ``draw`` accepts.
        rng: Random number generator.
        size: Number of draws at each dataset, at least 100.
        confidence: Confidence level of the bound, in (0, 1).
        delta: The delta that the mechanism is allowed to have, in [0, 1).

    Returns:
        The bound in nats and the event from which the bound follows.

    >>> coin = lambda bit, rng, size: rng.random(size) < (0.75 if bit else 0.25)
    >>> found = audit_sampler(coin, True, False, np.random.default_rng(1), 20_000)
    >>> 1.0 < found.epsilon < math.log(3), found.event
    (True, 'output True')
    """
    generator, draws = checks.generator(rng), checks.whole("size", size, least=100, below=2**31)
    sure = checks.real("confidence", confidence, above=0, below=1)
    slack = checks.real("delta", delta, least=0, below=1)
    checks.typed("draw", draw, Callable, "a function of a dataset, a generator and a size")
    here, there = (_outputs(draw(x, generator, draws), draws) for x in (data, neighbour))
    half = draws // 2
    labels, places, names = _labelled(here, there, half)
    first, second = places[:draws], places[draws:]
    counts = [np.bincount(side[:half], minlength=labels) for side in (first, second)]
    # in each direction, the best event consists of the outputs with the largest ratios of the two counts
    best, chosen, swapped = -math.inf, np.zeros(0, dtype=np.int64), False
    for turned in (False, True):
        likely, unlikely = counts[::-1] if turned else counts
        # outputs that do not occur in the first halves come last, and the best event does not contain them
        ratios = np.where(likely + unlikely > 0, (likely + 0.5) / (unlikely + 0.5), 0)
        order = np.argsort(-ratios, kind="stable")
        bounds = _bound(np.cumsum(likely[order]), np.cumsum(unlikely[order]), half, sure, slack)
        top = int(np.argmax(bounds))
        if bounds[top] > best:
            best, chosen, swapped = float(bounds[top]), order[: top + 1], turned
    # the event does not depend on the second halves of the draws, so the bounds for a fixed event are valid there
    checked = [int(np.isin(side[half:], chosen).sum()) for side in (first, second)]
    likely_count, unlikely_count = checked[::-1] if swapped else checked
    shown = _bound(np.array([likely_count]), np.array([unlikely_count]), draws - half, sure, slack)
    event = f"output {names(int(chosen[0]))}" if len(chosen) == 1 else f"one of {len(chosen)} outputs"
    return SamplerAudit(max(0.0, float(shown[0])), sure, event, likely_count, unlikely_count, draws - half, swapped)


def _bound(likely: Integers, unlikely: Integers, size: int, confidence: float, delta: float) -> Floats:
    """Lower bound on epsilon for each event, from two counts in ``size`` draws; minus infinity if nothing is proved."""
    from scipy.stats import beta  # imported here: the import takes longer than most calls of the library

    each = (1 - confidence) / 2
    low = np.where(likely > 0, beta.ppf(each, np.maximum(likely, 1), size - likely + 1), 0.0) - delta
    high = np.where(unlikely < size, beta.isf(each, unlikely + 1, np.maximum(size - unlikely, 1)), 1.0)
    return np.asarray(np.where(low > 0, np.log(np.where(low > 0, low, 1.0) / high), -np.inf))


def _outputs(values: Any, size: int) -> Any:
    """Checks that a black box has returned one output for each draw, and that no output is nan."""
    array = np.asarray(values)
    if array.ndim not in (1, 2) or len(array) != size:
        raise ValueError(f"draw must return {size} outputs, a number, label or row for each, got shape {array.shape}")
    checks.need(not (array != array).any(), "draw must return outputs other than nan, got nan")
    return array


def _labelled(here: Any, there: Any, half: int) -> tuple[int, Integers, Callable[[int], str]]:
    """Number of distinct labels of outputs, label of every draw, and a function that describes a label in words.

    If there are many distinct numbers, they are grouped into intervals between quantiles of the first halves of the
    draws, so the second halves remain independent of the labels. The quantiles are denser in both tails, where the
    losses of additive noise are largest.
    """
    first, both = np.concatenate([here[:half], there[:half]]), np.concatenate([here, there])
    if both.ndim == 1 and both.dtype.kind in "iuf" and len(np.unique(first)) > MAX_DISTINCT_OUTPUTS:
        tail = np.geomspace(1 / len(first), 0.1, 12)
        edges = np.unique(np.quantile(first, np.concatenate([tail, np.linspace(0.1, 0.9, 41), 1 - tail])))
        return len(edges) + 1, np.searchsorted(edges, both, side="left"), lambda i: _interval(edges, i)
    values, places = np.unique(both, axis=0, return_inverse=True)
    return len(values), places.ravel(), lambda i: str(values[i])


def _interval(edges: Any, i: int) -> str:
    low = "-inf" if i == 0 else f"{edges[i - 1]:.4g}"
    return f"in ({low}, inf)" if i == len(edges) else f"in ({low}, {edges[i]:.4g}]"
