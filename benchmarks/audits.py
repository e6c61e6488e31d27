"""Audits by structure against audits by table, and at sizes that no table has: python benchmarks/audits.py
[--times]."""

import sys
import time

import numpy as np

from dpbi import MECHANISMS, audit, smoothed_hellinger
from dpbi.privacy import losses

FAMILIES = {
    **{name: MECHANISMS[name].make for name in ("ehd", "ehdl", "ehds")},
    "smoothed_hellinger": lambda epsilon: smoothed_hellinger(epsilon, 1e-8),
}
PRIORS = [(1.0, 1.0), (0.5, 2.0), (0.1, 7.0), (0.01, 0.01), (30.0, 3.0), (1000.0, 1000.0)]


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def by_structure(mechanism, prior, n):
    """The audit that takes no table however small it would be."""
    listed, losses.LISTED = losses.LISTED, 0
    try:
        return audit(mechanism, prior, n)
    finally:
        losses.LISTED = listed


def against_tables(cases: int) -> None:
    rng = np.random.default_rng(16)
    worst, open_ends, largest = 0.0, 0, 0
    for case in range(cases):
        name = list(FAMILIES)[case % 4]
        prior = PRIORS[case // 4 % 6]
        n = 2000 if case >= cases - 4 else int(np.exp(rng.uniform(np.log(2), np.log(900))))
        mechanism = FAMILIES[name](float(np.exp(rng.uniform(np.log(0.05), np.log(10)))))
        found = by_structure(mechanism, prior, n)
        listed, losses.LISTED = losses.LISTED, 10**9
        table = audit(mechanism, prior, n).epsilon
        losses.LISTED = listed
        off = abs(found.epsilon - table) / max(table, 1e-2)
        worst, largest = max(worst, off), max(largest, n)
        open_ends += found.at_most > found.epsilon * (1 + 1e-12)
        if off > 1e-12 or found.at_most > found.epsilon * (1 + 1e-12):
            say(f"  {mechanism.name} {prior} n = {n}: {found}, by table {table}")
    say(f"{cases} cases, n <= {largest}: farthest from the table {worst:.1e}, {open_ends} answered with an interval")


def beyond_tables() -> None:
    sizes = [10**p for p in range(4, 10)]
    for name, make in FAMILIES.items():
        times = []
        for n in sizes:
            start = time.process_time()  # others may be at work on the machine
            found = audit(make(0.8), [1, 1], n)
            times.append(time.process_time() - start)
            open_end = "" if found.at_most <= found.epsilon * (1 + 1e-12) else f" to {found.at_most:.10f}"
            say(
                f"{name:20} n = {n:.0e}  {found.epsilon:.10f}{open_end} between {found.counts[0]} and "
                f"{found.neighbour[0]}, {times[-1]:.2f} s"
            )
        say(f"{name:20} time grows like n to the power {np.polyfit(np.log(sizes), np.log(times), 1)[0]:.3f}")


if __name__ == "__main__":
    if "--times" not in sys.argv:
        against_tables(200)
    beyond_tables()
