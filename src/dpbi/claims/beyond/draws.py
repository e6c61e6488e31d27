r"""The draws of the mechanisms have the laws that are audited.

Frequencies of N draws stay near the law, with any order of the outputs, as far as chance goes (``sampled``). Such a
claim proves nothing of a sampler; it notices a wrong one.
"""

from typing import Any

import numpy as np

from ...checks import count_vector, prior_weights
from ...mechanisms import MECHANISMS, exponential_draws
from ...mechanisms.exponential import exponential
from ..claim import HOLDS, grid
from ..item import only_in_doubles
from ..sampled import allowed
from .promises import MAKERS, made
from .source import ANY_SIZE, LIBRARY

RANDOM = "draws are numbers of a generator"


def farthest(drawn: Any, law: Any) -> float:
    """How far the frequencies of draws are from a law, over all first parts of the list of outputs."""
    outputs, which = np.unique(np.concatenate([law.outputs, drawn]), axis=0, return_inverse=True)
    places = which.ravel()
    p = np.bincount(places[: len(law.outputs)], law.probabilities, len(outputs))
    seen = np.bincount(places[len(law.outputs) :], minlength=len(outputs)) / len(drawn)
    return float(np.abs(np.cumsum(seen - p)).max())


@LIBRARY.item(
    "draws",
    "draws for study",
    cases=[
        *grid(
            mechanism=list(MECHANISMS), prior=[(1, 0.5, 2)], counts=[(3, 0, 2)], epsilon=[1], size=[20_000], seed=[1]
        ),
        *grid(mechanism=list(MAKERS), prior=[(1, 2)], counts=[(4, 1)], epsilon=[1], size=[20_000], seed=[2]),
        {
            "mechanism": "remapped, geometric",
            "prior": (1, 2),
            "counts": (4, 1),
            "epsilon": 1,
            "size": 20_000,
            "seed": 3,
        },
    ],
    relation="<=",
    calls=tuple(entry.make for entry in MECHANISMS.values()),
    page=ANY_SIZE,
)
def strayed(mechanism: Any, prior: Any, counts: Any, epsilon: Any, size: Any, seed: Any) -> Any:
    """How far the frequencies are from the law."""
    only_in_doubles(RANDOM)
    found = made(mechanism, epsilon)
    return farthest(found.sample(prior, counts, np.random.default_rng(seed), size), found.law(prior, counts))


@strayed.said(r"\sup_t |F_N(t) - F(t)| \le \sqrt{\ln(2 / 10^{-9}) / (2N)}", expected=HOLDS)
def near_the_law(mechanism: Any, prior: Any, counts: Any, epsilon: Any, size: Any, seed: Any) -> Any:
    """Every mechanism that has draws, at one dataset, against the law that its audit and its errors are computed from."""
    return allowed(size)


@LIBRARY.item(
    "draws-at-any-size",
    "exact draws from an exponential mechanism",
    cases=[
        {"prior": (1, 1), "counts": (9, 3), "rate": 3.0, "size": 1500, "seed": 1},
        {"prior": (0.5, 1, 2), "counts": (3, 0, 2), "rate": 2.0, "size": 1500, "seed": 2},
        {"prior": (1, 1, 1), "counts": (20, 7, 3), "rate": 10.0, "size": 1500, "seed": 3},
        {"prior": (1, 1, 0.3), "counts": (12, 2, 2), "rate": 15.0, "size": 1500, "seed": 4},
        {"prior": (1,) * 5, "counts": (20, 1, 0, 0, 0), "rate": 10.0, "size": 1500, "seed": 5},
    ],
    relation="<=",
    calls=exponential_draws.draw,
    page=ANY_SIZE,
)
def strayed_without_a_list(prior: Any, counts: Any, rate: Any, size: Any, seed: Any) -> Any:
    """The same for draws that list no candidates, at a dataset where they can be listed."""
    only_in_doubles(RANDOM)
    weights, x = prior_weights(prior), count_vector(counts, len(prior))
    drawn = exponential_draws.draw(weights, x, rate, np.random.default_rng(seed), size)
    return farthest(drawn, exponential("listed", None, lambda *_: np.array(rate), lambda *_: None).law(prior, counts))


@strayed_without_a_list.said(r"\sup_t |F_N(t) - F(t)| \le \sqrt{\ln(2 / 10^{-9}) / (2N)}", expected=HOLDS)
def near_the_listed_law(prior: Any, counts: Any, rate: Any, size: Any, seed: Any) -> Any:
    r"""Shells and pieces only propose; what is accepted has the law \(\propto e^{-\lambda H}\), which here is
    computed from the list of all candidates.
    """
    return allowed(size)
