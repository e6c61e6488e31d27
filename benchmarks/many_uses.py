"""A thousand uses composed: certified ends of this library beside the points of dp-accounting, in one run.

python benchmarks/many_uses.py
"""

import statistics
import sys
import time
from collections.abc import Callable
from functools import partial

from dp_accounting.pld import privacy_loss_distribution as peer

from dpbi.guarantees import (
    Account,
    FiniteLoss,
    GaussianDP,
    GaussianLoss,
    LaplaceLoss,
    PureDP,
    repeated_delta,
    worst_pair,
)

USES, DELTA, REPEATS = 1000, 1e-6, 3


def timed(what: Callable[[], object]) -> tuple[float, object]:
    """The median time of some runs, and what they found."""
    times, found = [], None
    for _ in range(REPEATS):
        start = time.perf_counter()
        found = what()
        times.append(time.perf_counter() - start)
    return statistics.median(times), found


def say(words: str) -> None:
    """One line."""
    sys.stdout.write(words + "\n")


def main() -> None:
    """A line for every kind of noise, at the same width of cells."""
    cases = (
        (
            "normal",
            GaussianLoss(0.0005),
            partial(peer.from_gaussian_mechanism, 1000**0.5),
        ),
        ("Laplace", LaplaceLoss(0.02), partial(peer.from_laplace_mechanism, 50.0)),
        (
            "randomised response",
            FiniteLoss(*worst_pair(0.02)),
            partial(peer.from_privacy_parameters, peer.common.DifferentialPrivacyParameters(0.02)),
        ),
    )
    for name, loss, theirs in cases:
        width = Account([(loss, USES)]).width
        ours_time, ours = timed(lambda loss=loss: Account([(loss, USES)]).epsilon(DELTA))
        peer_time, point = timed(
            lambda h=width, make=theirs: (
                make(value_discretization_interval=h).self_compose(USES).get_epsilon_for_delta(DELTA)
            )
        )
        say(
            f"{name}: cells of {width:.3g}; ours {ours_time:.2f} s, from {ours.lower:.7f} to {ours.upper:.7f}; "
            f"dp-accounting {peer_time:.2f} s, {point:.7f}; ratio {peer_time / ours_time:.2f}"
        )
    say(f"normal, exactly: {GaussianDP(0.5).epsilon(DELTA):.7f}")
    ends = Account([(FiniteLoss(*worst_pair(0.02)), USES)]).delta(3.0)
    exact = repeated_delta(PureDP(0.02), USES, 3.0)
    say(f"randomised response at 3: from {ends.lower:.6e} to {ends.upper:.6e}, {exact:.6e}")


if __name__ == "__main__":
    main()
