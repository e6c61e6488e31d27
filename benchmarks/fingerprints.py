"""Digests of what every mechanism gives, to compare two commits byte for byte: run it in both and compare the files.

    python benchmarks/fingerprints.py FILE

A line is one mechanism at one prior and dataset, with a digest for each law, table, loss, worst case, profile, draw,
error and promise; ``diff`` of two files shows what has changed. Digests depend on the machine and on the version of
NumPy, so both files have to come from one environment.
"""

import hashlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import dpbi
from dpbi.mechanisms import all_laws

SETTINGS = (([1, 1], [2, 4]), ([0.3, 2.0], [6, 0]), ([1, 1, 0.5], [2, 1, 3]), ([1, 1], [3000, 5000]))

FAMILIES: dict[str, Callable[[float], Any]] = {name: made.at for name, made in dpbi.MECHANISMS.items()} | {
    "laplace_in_order, sensitivity 1": lambda e: dpbi.laplace_in_order(e, 1.0),
    "ehd, sensitivity .25": lambda e: dpbi.ehd(e, 0.25),
    "ehds, gamma .3": lambda e: dpbi.ehds(e, 0.3, 2.6),
    "remapped_geometric": dpbi.remapped_geometric,
    "remapped_lattice": dpbi.remapped_lattice,
    "remapped lshist": lambda e: dpbi.remapped(dpbi.lshist(e)),
    "remapped ehds, weights": lambda e: dpbi.remapped(dpbi.ehds(e), np.arange(1, 8)),
    "calibrated ehdl": lambda e: dpbi.calibrate(dpbi.ehdl, [1, 1], 6, e),
    "calibrated lshist": lambda e: dpbi.calibrate(dpbi.lshist, [1, 1], 6, e),
}


def digest(compute: Callable[[], Any]) -> str:
    """Eight hexadecimal digits of the bytes of a result, or of the error."""
    try:
        found = compute()
        said = found.encode() if isinstance(found, str) else np.asarray(found).tobytes()
    except (ValueError, TypeError) as error:
        said = type(error).__name__.encode()
    return hashlib.sha256(said).hexdigest()[:8]


def results(mechanism: Any, prior: list[float], x: list[int]) -> list[Callable[[], Any]]:
    """What is computed of a mechanism: laws and audits where they are quick, errors and promises at any n."""
    n, rng = sum(x), np.random.default_rng
    promise_at = getattr(mechanism, "promise_at", None) or mechanism.guarantee  # its name in older commits
    found: list[Callable[[], Any]] = [lambda: repr(mechanism.promise), lambda: repr(promise_at(prior, n))]
    if n < 100:
        found += [
            lambda: mechanism.law(prior, x).log_probabilities,
            lambda: all_laws(mechanism, prior, n)[1].log_probabilities,
            lambda: dpbi.audit(mechanism, prior, n).epsilon,
            lambda: np.concatenate(dpbi.audit(mechanism, prior, n)[1:]),
            lambda: dpbi.hockey_stick(mechanism, prior, n, 0.1),
            lambda: dpbi.mean_errors(mechanism, prior, n),
            lambda: dpbi.error_quantile(mechanism, prior, x, 0.1),
        ]
    if n < 100 or mechanism.name.split(",")[0] not in ("permute_and_flip", "randomised_response"):
        found += [
            lambda: mechanism.sample(prior, x, rng(3), 50),
            lambda: dpbi.mean_error(mechanism, prior, x),
            lambda: dpbi.error_moments(mechanism, prior, x)[0].value,
            lambda: dpbi.error_tail(mechanism, prior, x, 0.3),
        ]
    return found


def main() -> None:
    """Writes the file."""
    lines = []
    for name, family in FAMILIES.items():
        for epsilon in (0.1, 0.8, 5.0):
            mechanism = family(epsilon)
            for prior, x in SETTINGS:
                if sum(x) > 100 and ("remapped" in name or "calibrated" in name):
                    continue
                digests = [digest(compute) for compute in results(mechanism, prior, x)]
                lines.append(f"{name} | {mechanism.name} | {epsilon} {prior} {x}: {' '.join(digests)}")
    Path(sys.argv[1]).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
