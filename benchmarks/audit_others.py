"""Audits of published implementations that are installed, from their draws alone.

python benchmarks/audit_others.py PACKAGE [FOLDER]

The package is opendp, diffprivlib or dp-accounting; the page "What many uses cost" shows the records that are kept. An
account is compared with the exact composition. Mechanisms for numbers are used once. Those that choose one of two
candidates are used twenty times: single draws bound the chances p and q of the first candidate, each with the bounds
of Clopper and Pearson, and any p and q beyond the nearer ends of these are told apart more easily, for they can be
garbled into them; the composition of the ends is then exact.
"""

import math
import sys
import types
from collections.abc import Callable
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import beta

from dpbi import ZCDP, audit_sampler
from dpbi.results import record

DRAWS, USES, SEED = 10_000, 20, 2026
CONFIDENCE, DELTA = 0.99, 1e-3
EPSILON = 0.5
SCORES = ([0.0, 0.0], [1.0, -1.0])
"""Of two neighbouring datasets: every score moves by one."""


class Box(NamedTuple):
    """A black box: what it is, what it claims at a delta, and its draws at two neighbouring datasets."""

    what: str
    claimed: float
    delta: float
    draw: Callable[[Any], float]
    data: Any
    neighbour: Any
    uses: int = 1


def shown(box: Box, rng: np.random.Generator) -> tuple[float, str]:
    """A lower bound on the epsilon of all uses, and of which event it is."""

    def draws(value: Any, rng: np.random.Generator, size: int) -> np.ndarray:
        return np.array([box.draw(value) for _ in range(size)])

    if box.uses == 1:
        found = audit_sampler(draws, box.data, box.neighbour, rng, DRAWS, confidence=CONFIDENCE, delta=box.delta)
        return found.epsilon, f"{found.event}, {found.likely} against {found.unlikely} times in {found.checked}"
    counts = [int((draws(value, rng, DRAWS) == 0).sum()) for value in (box.data, box.neighbour)]
    each = (1 - CONFIDENCE) / 4
    low = [float(beta.ppf(each, c, DRAWS - c + 1)) for c in counts]
    high = [float(beta.isf(each, c + 1, DRAWS - c)) for c in counts]
    if high[0] >= low[1]:
        return 0.0, "none"
    return optimistic(
        high[0], low[1], box.delta, box.uses
    ), f"first candidate {counts[0]} against {counts[1]} times in {DRAWS}"


def optimistic(p: float, q: float, delta: float, uses: int) -> float:
    """The optimistic end, by dp-accounting, of many uses of a choice of two whose chances are p and q."""
    from dp_accounting.pld import privacy_loss_distribution as peer

    laws = ({0: math.log(x), 1: math.log1p(-x)} for x in (q, p))
    one = peer.from_two_probability_mass_functions(
        *laws, pessimistic_estimate=False, value_discretization_interval=1e-5, symmetric=False
    )
    return float(one.self_compose(uses).get_epsilon_for_delta(delta))


def of_opendp() -> list[Box]:
    import opendp.prelude as dp

    dp.enable_features("contrib")
    domain, metric = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.linf_distance(T=float)
    boxes = []
    for measure, name in ((dp.zero_concentrated_divergence(), "zCDP"), (dp.max_divergence(), "pure")):
        noisy_max = dp.m.make_noisy_max(domain, metric, measure, scale=2 / EPSILON)
        promised = noisy_max.map(1.0)
        claimed = ZCDP(USES * promised).epsilon_at(DELTA) if name == "zCDP" else USES * promised
        what = f"noisy max, {name}, {USES} uses"
        boxes.append(Box(what, claimed, DELTA, noisy_max, *SCORES, USES))
    return boxes


def of_diffprivlib() -> list[Box]:
    # its models need an older scikit-learn than the one installed; its mechanisms need none
    sys.modules.setdefault("diffprivlib.models", types.ModuleType("diffprivlib.models"))
    from diffprivlib import mechanisms

    made = {
        scores[0]: mechanisms.Exponential(
            epsilon=EPSILON, sensitivity=1.0, utility=scores, candidates=[0, 1], random_state=SEED + i
        )
        for i, scores in enumerate(SCORES)
    }
    bounded = ZCDP(USES * EPSILON**2 / 8).epsilon_at(DELTA)
    floor = mechanisms.LaplaceTruncated(epsilon=1.0, sensitivity=1.0, lower=0.0, upper=100.0, random_state=SEED)
    short = mechanisms.LaplaceBoundedNoise(epsilon=1.0, delta=0.01, sensitivity=1.0, random_state=SEED)
    return [
        Box(f"Exponential, {USES} uses", bounded, DELTA, lambda scores: made[scores[0]].randomise(), *SCORES, USES),
        Box("LaplaceTruncated, outputs floored at 0", 1.0, 0.0, floor.randomise, 0.0, 1.0),
        Box("LaplaceBoundedNoise, at its delta", 1.0, 0.01, short.randomise, 10.0, 11.0),
        Box("LaplaceBoundedNoise, as if it were pure", 1.0, 0.0, short.randomise, 10.0, 11.0),
    ]


def account_of_dp_accounting() -> tuple[str, float, float, float, str]:
    """Of randomised response, which is the exponential mechanism with the score one for the truth."""
    import dp_accounting
    from dp_accounting.pld import PLDAccountant

    truth = 1 / (1 + math.exp(-EPSILON))
    accountant = PLDAccountant(dp_accounting.NeighboringRelation.REPLACE_ONE)
    accountant.compose(dp_accounting.RandomizedResponseDpEvent(2 * (1 - truth), 2), USES)
    exact = optimistic(truth, 1 - truth, DELTA, USES)
    return f"account of randomised response, {USES} uses", accountant.get_epsilon(DELTA), DELTA, exact, "exactly"


def main(package: str, folder: str = "") -> None:
    """A row for every box."""
    rng, rows = np.random.default_rng(SEED), []
    if package == "dp-accounting":
        rows.append(account_of_dp_accounting())
    else:
        for box in {"opendp": of_opendp, "diffprivlib": of_diffprivlib}[package]():
            least, event = shown(box, rng)
            rows.append((box.what, box.claimed, box.delta, least, event))
    for row in rows:
        sys.stdout.write(f"{package} {version(package)}: {row}\n")
    columns = ("what", "claimed", "delta", "loss at least", "event")
    table = dict(zip(columns, map(list, zip(*rows, strict=True)), strict=True))
    record(
        f"audited/{package.replace('-', '_')}",
        {"draws": DRAWS, "uses": USES, "seed": SEED, "confidence": CONFIDENCE},
        tables={"audits": {"implementation": [f"{package} {version(package)}"] * len(rows), **table}},
        outdir=folder,
        command=f"python benchmarks/audit_others.py {package} results",
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
