"""A thousand draws at (2, 1e6) against plain enumeration in NumPy that is given its rate.

Sensitivity and set-up are included on the library's side. With it the first large draw of a fresh
process: python benchmarks/draws_and_numpy.py.
"""

import math
import subprocess
import sys
import time
import timeit

import numpy as np
from peers import enumeration, listed

from dpbi import ehd

SCRIPT = (
    "import time, numpy as np, dpbi; start = time.process_time();"
    "dpbi.ehd(0.8).sample(np.ones(1000), np.full(1000, 10**9), np.random.default_rng(1), 20);"
    "print(time.process_time() - start)"
)


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def ratio() -> None:
    mechanism, prior, counts = ehd(0.8), np.ones(2), np.array([700_000, 300_000])
    rng = np.random.default_rng(1)
    rate = mechanism.rate(prior, counts)
    ways = {
        "sample": (lambda: mechanism.sample(prior, counts, rng, 1000), 5),
        "NumPy": (lambda: enumeration(listed(prior, counts, rate)[1], rng, 1000), 1),
    }
    best = dict.fromkeys(ways, math.inf)
    for _ in range(10):  # in turns, so that both meet the same load; the first call of a turn is not timed
        for way, (call, number) in ways.items():
            call()
            best[way] = min(best[way], timeit.timeit(call, number=number, timer=time.process_time) / number)
    ours, numpys = best.values()
    say(f"sample {ours * 1e3:.3f} ms, NumPy {numpys * 1e3:.1f} ms: {numpys / ours:.0f} times")


def first_draw() -> None:
    took = [
        float(subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True).stdout)
        for _ in range(4)
    ]
    say(f"first draw of a fresh process at k = 1000, n = 1e12: {min(took):.2f} s of processor time")


if __name__ == "__main__":
    ratio()
    first_draw()
