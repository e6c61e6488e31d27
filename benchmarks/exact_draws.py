"""Exact draws and exact errors at any size: their law, time and memory, beside three peers and plain enumeration.

    python benchmarks/exact_draws.py [FOLDER]

prints what it does and, given a folder, keeps the numbers in ``exact_draws/speed.json`` and ``exact_draws/law.json``
there. It takes a few minutes. Times are processor time, which other work on the machine disturbs little, and each is
the least of several repetitions. A peer that is too slow for a thousand draws makes a few, and its time for a thousand
is the product, which the table says. The peers are given the rate, and so is one of the enumerations; the other finds
the sensitivity as well, among all datasets, as ours does in its own way.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import numpy as np
from peers import PEERS, drawn_law, enumeration, listed, searched_rate
from scipy.stats import chi2

import dpbi
from dpbi.mechanisms import exponential_draws
from dpbi.model.datasets import row_number
from dpbi.model.distances import count_distances
from dpbi.results import record

COMMAND = "python benchmarks/exact_draws.py results"
SIZES = [
    (2, 10**4),
    (2, 10**6),
    (2, 10**9),
    (3, 10**4),
    (4, 10**4),
    (10, 10**6),
    (20, 10**8),
    (100, 10**6),
    (1000, 10**6),
]
HARDER = [(100, 10**9), (1000, 10**12)]
"""Many categories and a law that is narrow in each: where rejection costs most."""
EPSILONS = [0.1, 0.8, 2.0]
FAMILIES: dict[str, Callable[[float], dpbi.Mechanism]] = {
    "ehd": dpbi.ehd,
    "ehdl": dpbi.ehdl,
    "ehds": dpbi.ehds,
    "smoothed_hellinger": lambda epsilon: dpbi.smoothed_hellinger(epsilon, 1e-6),
}


def say(text: str) -> None:
    sys.stdout.write(f"{time.strftime('%H:%M:%S')}  {text}\n")
    sys.stdout.flush()


def fastest(function: Callable[[], object], repetitions: int) -> float:
    """Processor seconds of the fastest of several calls."""
    best = np.inf
    for _ in range(repetitions):
        start = time.process_time()
        function()
        best = min(best, time.process_time() - start)
    return best


def records_of(shape: str, k: int, n: int) -> np.ndarray:
    """Equal shares, or Zipf's; what is left over goes to the first category."""
    shares = np.ones(k) if shape == "equal" else 1 / np.arange(1, k + 1)
    counts = np.floor(n * shares / shares.sum()).astype(np.int64)
    counts[0] += n - counts.sum()
    return counts


def columns(rows: list[dict]) -> dict[str, list]:
    return {name: [row[name] for row in rows] for name in rows[0]}


# Our own cells, one process for each size so that its memory is its own


def measured(mechanism: dpbi.Mechanism, prior: np.ndarray, counts: np.ndarray, draws: int) -> dict[str, float]:
    """Sensitivity, set-up and one draw, apart; then all together as a user calls it."""
    rate = mechanism.rate(prior, counts)
    kinds = exponential_draws.envelope(prior, counts, rate).kinds

    def draw(size: int = draws) -> np.ndarray:
        return exponential_draws.draw(prior, counts, rate, np.random.default_rng(1), size)

    drawn = draw()
    assert drawn.shape == (draws, len(counts))
    assert (drawn >= 0).all()
    assert (drawn.sum(axis=1) == counts.sum()).all()
    setup = fastest(lambda: exponential_draws.envelope(prior, counts, rate), 5)
    return {
        "sensitivity ms": 1e3 * fastest(lambda: mechanism.rate(prior, counts), 5),
        "set-up ms": 1e3 * setup,
        "draw us": 1e6 * max(fastest(draw, 3) - setup, 0.0) / draws,
        "table MB": sum(part.nbytes for part in kinds or () if isinstance(part, np.ndarray)) / 1e6,
    }


def size_of_process() -> float:
    """The most memory this process has had, in MB."""
    status = Path("/proc/self/status")
    if status.exists():  # a child's share of getrusage begins with the size of its parent
        return next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmHWM")) / 1024
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2  # bytes on macOS


def one_size(k: int, n: int) -> None:
    """All mechanisms at one size, as JSON: what ``cells`` calls in a process of its own."""
    bare = size_of_process()
    rows = []
    prior = np.ones(k)
    for shape in ("equal", "Zipf"):
        counts = records_of(shape, k, n)
        for epsilon in EPSILONS:
            for name, family in FAMILIES.items():
                row = {"k": k, "n": n, "counts": shape, "epsilon": epsilon, "mechanism": name}
                rows.append(
                    row | measured(family(epsilon), prior, counts, 1000 if k <= 20 else 200 if k < 1000 else 40)
                )
    memory = size_of_process() - bare
    sys.stdout.write(json.dumps([row | {"process MB": memory} for row in rows]))


def cells(sizes: list[tuple[int, int]]) -> list[dict]:
    rows = []
    for k, n in sizes:
        ran = subprocess.run([sys.executable, __file__, "--size", str(k), str(n)], check=True, capture_output=True)
        found = json.loads(ran.stdout)
        rows += found
        worst = {name: max(row[name] for row in found) for name in ("set-up ms", "draw us", "process MB")}
        say(f"k={k}, n={n:.0e}, worst of {len(found)} cells: " + ", ".join(f"{v:.3g} {m}" for m, v in worst.items()))
    return rows


def growth() -> list[dict]:
    """Set-up and draw against n for four categories, and against k for 10 000 records in each; EHDS, epsilon 2."""
    rows = []
    sizes = [("n", 4, 10**power) for power in range(3, 13)]
    sizes += [("k", k, 10_000 * k) for k in (2, 5, 10, 20, 50, 100, 200, 500, 1000)]
    for against, k, n in sizes:
        row = {"against": against, "k": k, "n": n}
        rows.append(row | measured(dpbi.ehds(2.0), np.ones(k), records_of("equal", k, n), 2000 if k < 100 else 100))
    return rows


def calibrated() -> list[dict]:
    """Mechanisms calibrated by audit to a loss of 0.8, where the audit's list of datasets fits, and their draws."""
    rows = []
    for k, n in [(2, 500), (3, 30), (4, 12)]:
        prior, counts = np.ones(k), records_of("Zipf", k, n)
        for name, family in FAMILIES.items():
            start = time.process_time()
            mechanism = dpbi.calibrate(family, prior, n, 0.8)
            took = time.process_time() - start

            def draw(mechanism=mechanism, prior=prior, counts=counts) -> np.ndarray:
                return mechanism.sample(prior, counts, np.random.default_rng(1), 1000)

            assert draw().sum() == 1000 * n
            row = {"k": k, "n": n, "mechanism": name, "calibration s": took, "1000 draws ms": 1e3 * fastest(draw, 5)}
            rows.append(row)
    return rows


# Peers


def peers() -> tuple[list[dict], list[dict]]:
    """One release and a thousand: EHDS at epsilon 2, prior 1, equal counts, all in this process."""
    laws = {name: drawn_law(draws) for name, draws in PEERS.items()}
    rows = []
    for k, n in [(2, 10**4), (2, 10**6), (3, 10**3)]:
        prior, counts, mechanism = np.ones(k), records_of("equal", k, n), dpbi.ehds(2.0)

        def ours(size: int, prior=prior, counts=counts, mechanism=mechanism) -> None:
            rate = mechanism.rate(prior, counts)  # the smooth sensitivity is in it
            exponential_draws.draw(prior, counts, rate, np.random.default_rng(1), size)

        rate = mechanism.rate(prior, counts)

        def plain(size: int, prior=prior, counts=counts, rate=rate) -> None:
            rate = searched_rate(prior, counts, 2.0) if rate is None else rate
            candidates, scores = listed(prior, counts, rate)
            chosen = enumeration(scores, np.random.default_rng(1), size)
            assert candidates[chosen].shape == (size, len(prior))

        base = {"k": k, "n": n, "mechanism": "ehds, epsilon 2"}
        timed = [("dpbi", fastest(lambda: ours(1), 200), fastest(lambda: ours(1000), 200), "measured")]
        timed.append(("NumPy enumeration", fastest(lambda: plain(1), 10), fastest(lambda: plain(1000), 10), "measured"))
        assert np.isclose(searched_rate(prior, counts, 2.0), rate, rtol=1e-3)  # the textbook formula loses digits
        searching = [fastest(lambda size=size, plain=plain: plain(size, rate=None), 10) for size in (1, 1000)]
        timed.append(("NumPy enumeration, sensitivity too", *searching, "measured"))
        scores = listed(prior, counts, rate)[1]
        listing = fastest(lambda prior=prior, counts=counts, rate=rate: listed(prior, counts, rate), 3)
        for name, draws in PEERS.items():
            making = fastest(lambda draws=draws, scores=scores: draws(scores), 2)
            one = fastest(draws(scores), 3)
            timed.append((name, listing + making + one, listing + making + 1000 * one, "extrapolated from 3 draws"))
        of = dict.fromkeys((who for who, *_ in timed if who not in PEERS), "exponential mechanism")
        for name, release, thousand, how in timed:
            rows.append(
                base
                | {"who": name, "law": of[name] if name in of else laws[name][0], "one release ms": 1e3 * release}
                | {"1000 draws ms": 1e3 * thousand, "how": how, "to dpbi": thousand / timed[0][2]}
            )
            say(
                f"k={k}, n={n:.0e}: {name} {1e3 * release:.3g} ms, 1000 draws {1e3 * thousand:.3g} ms, "
                f"{rows[-1]['to dpbi']:.3g} times"
            )
    return rows, [{"who": name, "law": law, "p exponential": p, "p flip": q} for name, (law, p, q) in laws.items()]


# The simulations behind the figures of the paper


def simulations() -> list[dict]:
    """1000 draws and their errors at 60 sizes from 5 mechanisms, as a user would call them."""
    five = [dpbi.smoothed_hellinger(0.8, 1e-8, divisor) for divisor in (1, 2)]
    five += [dpbi.laplace_in_order(0.8), dpbi.lshist(0.8), dpbi.geometric(0.8)]
    four = [dpbi.ehd(0.8), dpbi.ehdl(0.8), dpbi.ehds(0.8), *five[:1], dpbi.geometric(0.8)]
    rows = []
    for what, k, sizes, mechanisms in [
        ("the paper's five", 2, np.linspace(100, 20_000, 60), five),
        ("four exponential and geometric", 2, np.linspace(100, 20_000, 60), four),
        ("the paper's five", 20, np.logspace(2, 8, 60), five),
        ("four exponential and geometric", 20, np.logspace(2, 8, 60), four),
    ]:
        prior = np.ones(k)
        datasets = [records_of("equal" if k > 2 else "Zipf", k, int(n)) for n in sizes]

        def run(prior=prior, datasets=datasets, mechanisms=mechanisms) -> None:
            rng = np.random.default_rng(1)
            for counts in datasets:
                for mechanism in mechanisms:
                    count_distances(prior, counts, mechanism.sample(prior, counts, rng, 1000)).mean()

        rows.append({"mechanisms": what, "k": k, "largest n": int(max(sizes)), "s": fastest(run, 3)})
        say(f"simulation of {what} at k={k}: {rows[-1]['s']:.3g} s")
    return rows


# The law of the draws

CELLS = [
    ("ehd", 10.0, (1, 1), (30, 30)),
    ("ehdl", 0.1, (0.01, 0.01), (0, 80)),
    ("ehds", 10.0, (0.01, 2), (0, 60)),
    ("ehdl", 0.8, (0.5, 0.5), (1500, 400)),
    ("smoothed_hellinger", 2.0, (30, 1), (200, 1100)),
    ("ehdl", 2.0, (1, 1, 1), (12, 12, 12)),
    ("ehd", 0.8, (0.01, 0.01, 0.01), (0, 0, 30)),
    ("smoothed_hellinger", 10.0, (0.5, 3, 30), (20, 10, 6)),
    ("ehdl", 10.0, (2, 30, 30), (100, 35, 15)),
    ("ehds", 0.1, (1, 1, 1, 1), (4, 4, 4, 4)),
    ("ehdl", 10.0, (0.3, 1, 1, 2), (8, 4, 2, 1)),
    ("ehdl", 10.0, (30, 30, 30, 30), (14, 0, 0, 0)),
    ("ehd", 2.0, (1, 1, 1, 1, 1), (5, 2, 1, 1, 1)),
    ("ehds", 10.0, (0.01, 30, 0.5, 1, 1), (0, 6, 3, 0, 0)),
]
DRAWS = 1_000_000


def p_value(drawn: np.ndarray, probabilities: np.ndarray) -> tuple[float, int]:
    """Pearson's test of draws against a law, candidates with fewer than ten expected draws pooled."""
    observed, expected = np.bincount(row_number(drawn), minlength=len(probabilities)), probabilities * len(drawn)
    order = np.argsort(expected)
    observed, expected = observed[order], expected[order]
    pooled = int(np.searchsorted(np.cumsum(expected), 10.0)) + 1 if expected[0] < 10 else 0
    pooled = max(pooled, int((expected < 10).sum()))
    if pooled:
        observed = np.append(observed[:pooled].sum(), observed[pooled:])
        expected = np.append(expected[:pooled].sum(), expected[pooled:])
    return float(chi2.sf(((observed - expected) ** 2 / expected).sum(), len(expected) - 1)), len(expected)


def spoilt(parts: exponential_draws.Envelope, chords: bool) -> exponential_draws.Envelope:
    """An envelope that does not lie above the wanted weights."""
    if chords:
        return parts._replace(shells=[part._replace(alpha=part.alpha - 0.5) for part in parts.shells])
    return parts._replace(kinds=parts.kinds._replace(gaps=parts.kinds.gaps + 0.3 / parts.shells[0].theta))


def laws() -> tuple[list[dict], list[dict]]:
    """A million draws in each of several cells against the enumerated law, and draws from two broken envelopes."""
    right = exponential_draws.envelope
    rows, broken = [], []
    for number, (name, epsilon, prior, counts) in enumerate(CELLS):
        mechanism, x, weights = FAMILIES[name](epsilon), np.array(counts), np.array(prior, float)
        law = mechanism.law(weights, x).probabilities
        rate = mechanism.rate(weights, x)
        drawn = exponential_draws.draw(weights, x, rate, np.random.default_rng([2026, number]), DRAWS)
        p, categories = p_value(drawn, law)
        row = {"mechanism": name, "epsilon": epsilon, "prior": str(prior), "counts": str(counts)}
        rows.append(row | {"classes": categories, "p": p, "adjusted p": min(1.0, p * len(CELLS))})
        if number in (3, 10):  # chords of the score too low by 1/2; pieces whose weights are too low
            exponential_draws.envelope = lambda *law, number=number: spoilt(right(*law), number == 10)
            drawn = exponential_draws.draw(weights, x, rate, np.random.default_rng([2027, number]), DRAWS)
            exponential_draws.envelope = right
            what = "chords too low" if number == 10 else "pieces too low"
            broken.append(row | {"broken": what, "p": p_value(drawn, law)[0]})
    say(f"least adjusted p of {len(CELLS)} cells: {min(row['adjusted p'] for row in rows):.3g}")
    say("broken envelopes: " + ", ".join(f"{row['broken']} p={row['p']:.2g}" for row in broken))
    return rows, broken


# Errors


SUMS = {
    "mean_error": lambda m, x: dpbi.mean_error(m, [1, 1], x),
    "error_tail": lambda m, x: dpbi.error_tail(m, [1, 1], x, dpbi.mean_error(m, [1, 1], x)),
    "error_quantile": lambda m, x: dpbi.error_quantile(m, [1, 1], x, 0.95),
}


def sums() -> list[dict]:
    """What the exact errors of two categories cost at a billion records."""
    counts = records_of("Zipf", 2, 10**9)
    return [
        {
            "what": what,
            "mechanism": m.name,
            "value": f(m, counts),
            "ms": 1e3 * fastest(lambda f=f, m=m: f(m, counts), 2),
        }
        for what, f in SUMS.items()
        for m in (dpbi.ehdl(0.8), dpbi.geometric(0.8))
    ]


def main() -> None:
    say("cells")
    tables = {"cells": cells(SIZES)}
    tables["harder"] = cells(HARDER)
    tables["growth"] = growth()
    say("calibrated")
    tables["calibrated"] = calibrated()
    say("peers")
    tables["peers"], tables["peer laws"] = peers()
    say("simulations")
    tables["simulations"] = simulations()
    say("errors")
    tables["sums"] = sums()
    say("laws")
    law, broken = laws()
    if len(sys.argv) > 1:
        given = {"prior": 1.0, "diffprivlib": version("diffprivlib"), "opendp": version("opendp")}
        shown = {name: columns(rows) for name, rows in tables.items()}
        record("exact_draws/speed", given, tables=shown, outdir=sys.argv[1], command=COMMAND)
        shown = {"cells": columns(law), "broken": columns(broken)}
        record("exact_draws/law", {"draws": DRAWS, "seed": 2026}, tables=shown, outdir=sys.argv[1], command=COMMAND)
    say("done")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--size"]:
        one_size(int(sys.argv[2]), int(sys.argv[3]))
    else:
        main()
