r"""What to expect of a release before anything is paid: widths of intervals, coverage, errors, seconds.

Nothing here reads records. The shares are drawn from the prior, or are those that a planner expects, and the numbers
are averages over the categories. Two categories with few records are summed exactly where the legal counts say all
that the noisy ones do. All else is simulated: datasets are drawn, noise is added in floating point, and the posterior
given the noise is computed as a release computes it. The width with noise is simulated as the difference from that
without, which is averaged over many more datasets.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from math import hypot
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, betaincinv

from ..accuracy import Estimate, mean_errors
from ..accuracy.simulation import averaged
from ..checks import LARGEST_TOTAL, Floats, Integers, brief, need, positive_fraction, prior_weights, simplex, whole
from ..inference import Mixture, aware_intervals, coverage, coverage_at, given_noise, plug_in_intervals, within_work
from ..inference.draws import dirichlet
from ..mechanisms import MECHANISMS, all_laws
from ..mechanisms.table import drawn_by
from ..model.distances import count_distances
from ..model.predictive import marginal
from ..progress import Progress, shown
from .budget import released_price
from .receipts import released_prior

LEVEL = 0.95  # of the intervals
MAX_EXACT_RECORDS = 200  # of two categories that are summed, about a second for each price (measured)
PLAIN_COUNTS = 20_000  # counts whose intervals without noise are averaged, a fifth of a second (measured)
NOISES = 100  # draws of the noise at each dataset, for the coverage and the error
INTERVALS = 6  # of each share in a release: three levels in its file, and in its figure
REACH = 6.25  # standard deviations from the mean that hold all quantiles of .025 to .975, by Cantelli's inequality


class Plan(NamedTuple):
    """What to expect of releases by one mechanism at one price; numbers that are summed have a standard error of 0.

    Attributes:
        mechanism: Name of the mechanism.
        price: Its price, ``epsilon 1/10`` for instance.
        width: Expected width of the 95 % interval given the noise.
        without_noise: Expected width of the 95 % interval if the counts themselves were released.
        coverage_forgotten: Probability that the 95 % interval that forgets the noise contains the share.
        error: Expected Hellinger distance of the released posterior from the true one.
        seconds: Seconds that posteriors and intervals of a release take here; its figure takes another one or two.

    >>> plan(50, [1, 1], ["1/2"])[0].price
    'epsilon 1/2'
    """

    mechanism: str
    price: str
    width: Estimate
    without_noise: Estimate
    coverage_forgotten: Estimate
    error: Estimate
    seconds: float


def plan(
    n: int,
    prior: ArrayLike,
    epsilons: Sequence[str | float | Fraction] = ("3/100", "1/10", "3/10", "1"),
    mechanisms: Sequence[str] = ("lattice_laplace",),
    *,
    shares: ArrayLike | None = None,
    draws: int = 40,
    seed: int = 1,
    progress: bool | Progress = False,
) -> tuple[Plan, ...]:
    r"""What to expect of releases of n records, for each mechanism at each price; no records are read.

    Args:
        n: Number of records
        prior: Concentration of each category
        epsilons: Prices; for a mechanism that is charged in rho, \(\rho = \varepsilon^2 / 2\)
        mechanisms: Names of mechanisms that may be released
        shares: Expected shares, k numbers with the sum 1; drawn from the prior unless given
        draws: Number of simulated releases, at least 2
        seed: Seed of the simulation
        progress: Whether progress is shown on standard error, or a function that is called with it

    Returns:
        A plan for each mechanism at each price.

    >>> [(one.price, round(one.width.value, 4), round(one.coverage_forgotten.value, 4)) for one in plan(50, [1, 1])]
    """
    size, repeats = whole("n", n, least=1, below=LARGEST_TOTAL), whole("draws", draws, least=2, below=10**6)
    alpha, rng = released_prior(prior, len(prior_weights(prior))), np.random.default_rng(whole("seed", seed, least=0))
    k = len(alpha)
    expected, asked = None if shares is None else simplex("shares", shares, k), []
    for name, given in (("mechanisms", mechanisms), ("epsilons", epsilons)):
        good = isinstance(given, list | tuple) and given
        need(good, f"{name} must be a list of at least one, got {name}={brief(given)}")
    for mechanism, epsilon in product(mechanisms, epsilons):
        e, currency = positive_fraction("epsilons", epsilon), drawn_by(mechanism).currency
        asked.append((mechanism, released_price(mechanism, **{currency: e if currency == "epsilon" else e * e / 2})))
        within_work(alpha, size, asked[-1][1].epsilon, mechanism)
    theta = np.broadcast_to(alpha if expected is None else expected, (max(repeats, PLAIN_COUNTS // k), k))
    counts = rng.multinomial(size, dirichlet(theta, rng) if expected is None else theta)
    told, plans = shown(progress, "releases simulated"), list[Plan]()
    for mechanism, price in asked:
        about = (alpha, size, expected, mechanism, price.epsilon)
        clamped = price.currency == "epsilon" and drawn_by(mechanism).likelihoods(price.epsilon, k)[0].width == 1
        tell = lambda done: told(len(plans) * repeats + done, len(asked) * repeats)  # noqa: E731
        exact = clamped and k == 2 and size <= MAX_EXACT_RECORDS
        numbers = _summed(*about) if exact else _simulated(*about, counts, repeats, rng, tell)
        start, posterior = time.perf_counter(), _posterior(*about, counts[0], rng)
        middle = time.perf_counter()
        [share.interval(LEVEL) for share in posterior]
        seconds = 2 * (middle - start + INTERVALS * (time.perf_counter() - middle))  # rehearsed, then released
        plans.append(Plan(mechanism, str(price), *numbers, seconds))
        tell(0)
    return tuple(plans)


def _summed(alpha: Floats, n: int, expected: Floats | None, mechanism: str, epsilon: float) -> list[Estimate]:
    """The numbers of a plan for two categories, by sums over all datasets and outputs."""
    from scipy.stats import binom  # imported here: the import takes longer than most calls of the library

    about = MECHANISMS[mechanism].at(epsilon), alpha, n
    given, forgetting = aware_intervals(*about, LEVEL), plug_in_intervals(*about, LEVEL)
    if expected is None:
        p, covered = marginal(alpha, n), coverage(*about, forgetting)
    else:
        p, covered = binom.pmf(np.arange(n + 1), n, expected[0]), coverage_at(*about, forgetting, expected[0])
    lengths = all_laws(*about)[1].probabilities @ given.length
    return [Estimate(float(x), 0.0) for x in (p @ lengths, p @ forgetting.length, covered, p @ mean_errors(*about))]


def _simulated(
    alpha: Floats, n: int, expected: Floats | None, mechanism: str, epsilon: float,
    counts: Integers, repeats: int, rng: np.random.Generator, tell: Callable[[int], None],
) -> list[Estimate]:  # fmt: skip
    """The numbers of a plan by simulated releases of the first datasets; the others have no noise."""
    made, found = MECHANISMS[mechanism].at(epsilon), np.empty((repeats, 3))
    plain = np.subtract(*_ends(alpha, counts)).mean(axis=1)
    for i, x in enumerate(counts[:repeats]):
        widths = [_width(share) for share in _posterior(alpha, n, expected, mechanism, epsilon, x, rng)]
        released = made.sample(alpha, x, rng, NOISES)
        high, low = _ends(alpha, released)
        a, b = alpha + x, alpha.sum() - alpha + (n - x)
        if expected is None:
            inside = betainc(a, b, high) - betainc(a, b, low)
        else:
            inside = (low <= expected) & (expected <= high)
        found[i] = np.mean(widths) - plain[i], inside.mean(), count_distances(alpha, x, released).mean()
        tell(i + 1)
    longer, covered, error = map(averaged, found.T)
    without = averaged(plain)
    width = Estimate(without.value + longer.value, hypot(without.standard_error, longer.standard_error))
    return [width, without, covered, error]


def _posterior(
    alpha: Floats, n: int, _: Any, mechanism: str, epsilon: float, x: Integers, rng: np.random.Generator
) -> tuple[Mixture, ...]:
    """The posterior of each share given counts with noise drawn in floating point: for study, not for release."""
    drawn = drawn_by(mechanism)
    *laws, last = drawn.likelihoods(epsilon, len(alpha))
    while True:
        noise = [int(law.draw(rng, 1)[0]) for law in laws]
        rest = -sum(noise)
        # if the last count has noise too, the noises are those of all counts given that their sum is 0
        if last is None or rng.random() < np.exp(last.log_point(rest) - last.log_point(0)):
            break
    noisy = [int(count) + change for count, change in zip(x, (*noise, rest), strict=True)]
    return given_noise(alpha, n, drawn.informative_part(noisy, n), epsilon, mechanism)


def _ends(alpha: Floats, counts: Integers) -> tuple[Floats, Floats]:
    """The upper and lower ends of the intervals of all shares without noise."""
    a, b = alpha + counts, alpha.sum() - alpha + (counts.sum(axis=-1, keepdims=True) - counts)
    return betaincinv(a, b, (1 + LEVEL) / 2), betaincinv(a, b, (1 - LEVEL) / 2)


def _width(share: Mixture) -> float:
    """The width of an interval to seven digits after the point, which takes a fifth of the time."""
    from scipy.optimize import brentq  # imported here: the import takes longer than most calls of the library

    reach = REACH * share.variance**0.5
    low, high = max(0.0, share.mean - reach), min(1.0, share.mean + reach)
    ends = [brentq(lambda t, p=p: share.cdf(t) - p, low, high, xtol=1e-7) for p in ((1 + LEVEL) / 2, (1 - LEVEL) / 2)]
    return float(ends[0] - ends[1])
