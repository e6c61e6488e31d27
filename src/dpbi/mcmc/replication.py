r"""The published cells again: replayed where their randomness is known, rerun on the published rows where it is not.

The chains of the penalty algorithm, the guided walk and HMC are replayed, see ``published``. Those on batches are run
anew from the published starting points: their shuffles of all rows at every step, and the fitted law in Barker's test,
are not repeated here. ``data_sets`` then asks what another simulated data set would have given.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..checks import Floats
from ..guarantees import ApproxDP
from .algorithm import Algorithm
from .driver import study
from .experiments import EXPERIMENTS, REFERENCE, prepared
from .models import Example
from .published import CHAINS, SEEDED, algorithms, iterations, original, streams
from .sample_distances import mean_distance, mmd, second_half

LARGEST = 4000
"""States of a replayed chain's second half that a discrepancy is computed from, at most."""

READING, SHARE = 0.003, 0.001
"""What an error and a share read off a published drawing may be off."""

PLACE = ("model", "algorithm", "epsilon")

COLUMNS = (
    *PLACE,
    "iterations",
    "q1",
    "median",
    "q3",
    "scatter",
    "acceptance",
    "clipped",
    "clipped_gradient",
    "replayed",
)
"""What a cell says. Acceptance and shares are medians over chains, as published; ``scatter`` is the standard deviation
of the median error over draws of the pairs."""


class Chains(NamedTuple):
    """States of several chains, and the shares of each."""

    samples: Floats  # (iterations, chains, dimension)
    accepted: Floats  # (chains,)
    clipped: Floats  # (chains,)
    clipped_gradient: Floats  # (chains,), nan where there is no gradient


def replay(name: str, algorithm: str, epsilon: float, most: int | None = None) -> Chains:
    """The published chains of a cell, or the first steps of them."""
    example, _, start = original(name)
    chosen = algorithms(name)[algorithm]
    rng = streams(name, algorithm, epsilon)
    total = iterations(example, chosen, _budget(example, epsilon))
    state = chosen.start(rng, start)
    samples, infos = [], []
    for _ in range(total if most is None else min(total, most)):
        state, info = chosen.step(rng, state, example.target)
        samples.append(state.theta)
        infos.append(info)
    gradients = [np.full(CHAINS, np.nan) if info.clipped_gradient is None else info.clipped_gradient for info in infos]
    shares = ([info.accepted for info in infos], [info.clipped for info in infos], gradients)
    return Chains(np.array(samples), *(np.mean(share, axis=0) for share in shares))


def rerun(name: str, algorithm: str, epsilon: float) -> Chains:
    """Chains of a cell with randomness of our own, on the published rows from the published starting points."""
    example, _, start = original(name)
    chosen = algorithms(name)[algorithm]
    total = iterations(example, chosen, _budget(example, epsilon))
    number = list(EXPERIMENTS).index(name)
    return _study(np.random.default_rng([number, round(1000 * epsilon)]), example, chosen, start, total)


def cell(name: str, algorithm: str, epsilon: float) -> tuple[Any, ...]:
    """One row of the table of cells.

    Each error of a replayed chain is computed twice, with pairs of its own: their differences say how far the errors of
    chains are scattered, and so does their median, by 1.25 / sqrt(chains) as for normal numbers.
    """
    _, reference, _ = original(name)
    replayed = algorithm in SEEDED
    found = (replay if replayed else rerun)(name, algorithm, epsilon)
    total = len(found.samples)
    half = found.samples[max(total - 1, 0) // 2 :]
    rng = np.random.default_rng(total)
    if EXPERIMENTS[name].centred:
        errors = np.array([[mean_distance(half[:, c]) for c in range(CHAINS)]])
    else:
        states = _thinned(half, LARGEST if replayed else REFERENCE)
        errors = np.array([[mmd(rng, states[:, c], reference) for c in range(CHAINS)] for _ in range(1 + replayed)])
    scatter = 1.25 * float(np.sqrt(np.mean((errors[0] - errors[-1]) ** 2) / 2 / CHAINS))
    quartiles = np.quantile(errors.mean(axis=0), [0.25, 0.5, 0.75]).tolist()
    shares = (float(np.median(share)) for share in (found.accepted, found.clipped, found.clipped_gradient))
    return (name, algorithm, epsilon, total, *quartiles, scatter, *shares, replayed)


def data_set(name: str, algorithm: str, epsilons: Sequence[float], seed: int) -> list[float]:
    """Median errors at several budgets on rows simulated from a seed, from starting points of the same kind.

    The chains of a smaller budget are the beginnings of those of the largest.
    """
    example, reference, start = prepared(name, seed, CHAINS)
    chosen = algorithms(name)[algorithm]
    totals = [iterations(example, chosen, _budget(example, epsilon)) for epsilon in epsilons]
    rng = np.random.default_rng([seed, list(algorithms(name)).index(algorithm)])
    samples = _study(rng, example, chosen, start, max(totals)).samples
    medians = []
    for epsilon, total in zip(epsilons, totals, strict=True):
        rng = np.random.default_rng([seed, round(1000 * epsilon)])
        errors = [
            mean_distance(second_half(samples[:total, c], most=total))
            if EXPERIMENTS[name].centred
            else mmd(rng, second_half(samples[:total, c], most=REFERENCE), reference)
            for c in range(CHAINS)
        ]
        medians.append(float(np.median(errors)))
    return medians


def compared(
    cells: Mapping[str, Sequence[Any]], published: Mapping[str, Sequence[Any]], spreads: Mapping[str, Sequence[Any]]
) -> dict[str, list[Any]]:
    """Published cells beside ours, and whether they are the same by two rules.

    *Replayed*: acceptance and the share clipped are within ``SHARE`` of the published medians, as far as those could be
    read, and the median error is within ``READING`` and four times its scatter. *Agree*: one of the medians lies
    between the quartiles of the other. ``least`` and ``most`` are the smallest and largest median over data sets.
    """
    ours = {tuple(row[:3]): row for row in zip(*(cells[name] for name in COLUMNS), strict=True)}
    others: dict[tuple[Any, ...], list[float]] = {}
    for *at, median in zip(*(spreads[name] for name in (*PLACE, "median")), strict=True):
        others.setdefault(tuple(at), []).append(median)
    names = (*PLACE, "q1", "median", "q3", "acceptance", "clipped")
    columns: dict[str, list[Any]] = {
        name: [] for name in (*PLACE, "published", "median", "least", "most", "data_sets", "replayed", "agree")
    }
    for entries in zip(*(published[name] for name in names), strict=True):
        place, printed = entries[:3], dict(zip(names, entries, strict=True))
        own = dict(zip(COLUMNS, ours[place], strict=True)) if place in ours else {"median": float("nan")}
        sets = others.get(place, [])
        ends = (min(sets), max(sets)) if sets else (float("nan"),) * 2
        verdicts = _verdicts(own, printed) if place in ours else (None, None)
        row = (*place, printed["median"], own["median"], *ends, len(sets), *verdicts)
        for name, value in zip(columns, row, strict=True):
            columns[name].append(value)
    return columns


def _verdicts(own: Mapping[str, Any], printed: Mapping[str, Any]) -> tuple[bool | None, bool]:
    """Whether a cell is replayed, None where its randomness is not known, and whether it agrees."""
    agree = printed["q1"] <= own["median"] <= printed["q3"] or own["q1"] <= printed["median"] <= own["q3"]
    if not own["replayed"]:
        return None, agree
    same = abs(own["median"] - printed["median"]) <= READING + 4 * own["scatter"]
    for name in ("acceptance", "clipped"):
        if printed[name] is not None and printed[name] == printed[name]:  # not nan: it could be read
            same = same and abs(own[name] - printed[name]) <= SHARE
    return same, agree


def _study(rng: np.random.Generator, example: Example, algorithm: Algorithm, start: Floats, total: int) -> Chains:
    found = study(rng, example.target, algorithm, start, iterations=total)
    if not found.complete:
        raise KeyboardInterrupt
    shares = (found.accepted, found.clipped, found.clipped_gradient)
    none = np.full(len(start), np.nan)
    return Chains(found.samples, *(none if share is None else share.mean(axis=0) for share in shares))


def _thinned(states: Floats, most: int) -> Floats:
    size = len(states)
    return states if size <= most else states[np.linspace(0, size - 1, most).astype(int)]


def _budget(example: Example, epsilon: float) -> ApproxDP:
    return ApproxDP(epsilon, 0.1 / example.target.rows)
