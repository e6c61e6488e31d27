"""Look for counterexamples to every claim that is said to hold, and add what was tried to results/search.

    nice python tools/record_search.py SECONDS [--jobs N] [--seed N]

Every sitting has a seed of its own, the next one if none is given, so that it tries other cases than those before it;
the record adds them up, and keeps a row for each. Each claim has the same share of the time, which is processor time
and counted for every job. A case that was tried is one choice of all parameters of a claim, inside its premises and its
condition, at which both sides came out finite in doubles, and the relation held there; one that fails in doubles by
more than one part in 10^9, or in a strict inequality comes as near as 10^-14, is decided over balls, at most forty of
them for a claim in a sitting.
"""

import argparse
import os
import time
from typing import Any

from dpbi.claims import CLAIMS
from dpbi.claims.search import SEED, log, search
from dpbi.results import read, record
from generate import ROOT

FILE = ROOT / "results" / "search" / "search.json"
ADDED = ("cases", "counterexamples", "undecided", "off", "broken")


def added(
    before: dict[str, dict[str, list[Any]]], rows: list[dict[str, Any]], sitting: dict[str, Any]
) -> dict[str, dict[str, list[Any]]]:
    """The tables of the record with another sitting: claims that are no longer searched leave the first of them."""
    kept = before.get("claims", {"claim": []})
    known = {name: {word: kept[word][i] for word in ADDED} for i, name in enumerate(kept["claim"])}
    claims: dict[str, list[Any]] = {"claim": [row["claim"] for row in rows]}
    for word in ADDED:
        claims[word] = [row[word] + known.get(row["claim"], {}).get(word, 0) for row in rows]
    whole = sitting | {"claims": len(rows)} | {word: sum(row[word] for row in rows) for word in ADDED}
    earlier = before.get("sittings", {})
    return {"claims": claims, "sittings": {word: [*earlier.get(word, []), value] for word, value in whole.items()}}


def processor() -> float:
    """Seconds that this process and those that it has waited for have computed."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seconds", type=float)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int)
    asked = parser.parse_args()
    before = read(FILE).tables if FILE.exists() else {}
    used = before.get("sittings", {}).get("seed", [])
    seed = max([SEED, *(one + 1 for one in used)]) if asked.seed is None else asked.seed
    if seed in used:
        parser.error(f"argument --seed: must be none of those on record, {', '.join(map(str, used))}, got {seed}")
    begun, computed = time.monotonic(), processor()
    found = search(CLAIMS, asked.seconds, seed=seed, jobs=asked.jobs, clock=time.process_time)
    if broken := [(attack.claim, attack.broken) for attack in found if attack.broken]:
        print("cannot be computed:", *broken, sep="\n")
    command = f"python tools/record_search.py {asked.seconds:g} --jobs {asked.jobs} --seed {seed}"
    sitting = {
        "seed": seed,
        "date": time.strftime("%Y-%m-%d"),
        "command": command,
        "seconds": round(time.monotonic() - begun),
        "processor_seconds": round(processor() - computed),
    }
    tables = added(before, log(found), sitting)
    sums = {word: sum(tables["sittings"][word]) for word in (*ADDED, "seconds", "processor_seconds")}
    record(
        "search/search",
        {"first_seed": SEED},
        scalars={
            "claims": len(found),
            "sittings": len(tables["sittings"]["seed"]),
            "fewest": min(tables["claims"]["cases"]),
            **sums,
        },
        tables=tables,
        outdir=ROOT / "results",
        command=command,
    )
    print(f"{sum(attack.cases for attack in found)} cases more, {sums['cases']} on record")


if __name__ == "__main__":
    main()
