"""Look for counterexamples to every claim that is said to hold, and record what was tried in results/search.

    nice python tools/record_search.py SECONDS

One process, the same stream of cases as ``dpbi verify --search``: each claim has the same share of the time. A case is
one choice of all parameters of a claim, inside its premises and its condition, at which both sides came out finite in
doubles; those that fail there, or are as near as rounding, are decided over balls.
"""

import sys
import time

from dpbi.claims import CLAIMS
from dpbi.claims.search import SEED, log, search
from dpbi.results import record
from generate import ROOT


def main() -> None:
    budget = float(sys.argv[1])
    begun, cpu = time.monotonic(), time.process_time()
    found = search(CLAIMS, budget)
    rows = log(found)
    if broken := [(attack.claim, attack.broken) for attack in found if attack.broken]:
        print("cannot be computed:", *broken, sep="\n")
    record(
        "search/search",
        {"seconds": budget, "seed": SEED, "processes": 1},
        scalars={
            "claims": len(rows),
            "cases": sum(row["cases"] for row in rows),
            "fewest": min(row["cases"] for row in rows),
            "counterexamples": sum(row["counterexamples"] for row in rows),
            "undecided": sum(row["undecided"] for row in rows),
            "off": sum(row["off"] for row in rows),
            "broken": sum(row["broken"] for row in rows),
            "seconds": round(time.monotonic() - begun),
            "processor_seconds": round(time.process_time() - cpu),
        },
        tables={
            "claims": {name: [row[name] for row in rows] for name in ("claim", "cases", "counterexamples", "undecided")}
        },
        outdir=ROOT / "results",
        command=f"python tools/record_search.py {budget:g}",
    )


if __name__ == "__main__":
    main()
