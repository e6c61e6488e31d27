r"""Forecasts of a release before anything is paid: interval widths, coverage and error.

This module does not read any records. For two categories and few records, the forecasts are exact sums over all
datasets and outputs if clamping the noisy counts to 0..n does not change the posterior. In all other cases, the
forecasts are simulated (``dpbi.inference.forecast``).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..accuracy import Estimate
from ..checks import LARGEST_TOTAL, listed, need, positive_fraction, prior_weights, readable, simplex, whole
from ..inference import within_work
from ..inference.draws import dirichlet
from ..inference.forecast import DATASETS, Asked, simulated, summed
from ..mechanisms import releasable_mechanism
from ..progress import Progress, shown
from .budget import released_price
from .receipts import released_prior

MAX_EXACT_RECORDS = 200  # largest n of an exact sum, which takes at most a second for each price (measured)
PLAIN_COUNTS = 20_000  # counts in the average of the width without noise, which takes a fifth of a second (measured)


@readable
class Plan(NamedTuple):
    """Forecast of a release by one mechanism at one price; exact numbers have a standard error of 0.

    Attributes:
        mechanism: Name of the mechanism.
        price: Price of a release, for instance ``epsilon 1/10``.
        width: Expected width of the 95 % interval that accounts for the noise.
        without_noise: Expected width of the 95 % interval if the true counts were released.
        coverage_forgotten: Coverage of the 95 % interval that ignores the noise.
        error: Expected Hellinger distance between the released posterior and the true one.

    >>> plan(50, [1, 1], ["1/2"])[0].price
    'epsilon 1/2'
    """

    mechanism: str
    price: str
    width: Estimate
    without_noise: Estimate
    coverage_forgotten: Estimate
    error: Estimate


def plan(
    n: int, prior: ArrayLike, epsilons: Sequence[str | float | Fraction] = ("3/100", "1/10", "3/10", "1"),
    mechanisms: Sequence[str] = ("lattice_laplace",), *, shares: ArrayLike | None = None, draws: int = 40,
    seed: int = 1, progress: bool | Progress = False,
) -> tuple[Plan, ...]:  # fmt: skip
    r"""Forecasts of releases of n records, for each mechanism at each price; no records are read.

    Args:
        n: Number of records
        prior: Dirichlet parameter of each category, > 0
        epsilons: Prices in epsilon; a mechanism that is charged in rho costs \(\rho = \varepsilon^2 / 2\)
        mechanisms: Names of mechanisms with exact draws
        shares: Expected shares, k numbers that sum to 1; by default, shares are drawn from the prior
        draws: Number of simulated releases, at least 2
        seed: Seed of the simulation
        progress: Whether to show progress on standard error, or a function that is called with the progress

    Returns:
        A plan for each mechanism at each price.

    >>> [(one.price, round(one.width.value, 4), round(one.without_noise.value, 4)) for one in plan(50, [1, 1])[1:3]]
    [('epsilon 1/10', 0.7542, 0.2131), ('epsilon 3/10', 0.3886, 0.2131)]
    """
    size, repeats = whole("n", n, least=1, below=LARGEST_TOTAL), whole("draws", draws, least=2, below=10**6)
    alpha, rng = released_prior(prior, len(prior_weights(prior))), np.random.default_rng(whole("seed", seed, least=0))
    k, ways = len(alpha), list[tuple[Asked, str, bool]]()
    expected = None if shares is None else simplex("shares", shares, k)
    need(expected is None or expected.ndim == 1, "shares must be one number for each category, got several lists")
    for mechanism, epsilon in product(listed("mechanisms", mechanisms), listed("epsilons", epsilons)):
        e, kind = positive_fraction("epsilons", epsilon), releasable_mechanism(mechanism)
        price = released_price(mechanism, **{kind.currency: str(e if kind.currency == "epsilon" else e * e / 2)})
        within_work(alpha, size, price.epsilon, mechanism)
        # exact sums need noise with geometric tails: clamping a noisy count to 0..n then does not change the posterior,
        # and the sums can run over the clamped counts
        law = kind.likelihoods(price.epsilon, k)[0]
        clamped = kind.currency == "epsilon" and law is not None and law.width == 1
        exact = clamped and k == 2 and size <= MAX_EXACT_RECORDS
        ways.append((Asked(alpha, size, expected, mechanism, price.epsilon), str(price), exact))
    need(ways, "mechanisms and epsilons must have at least one entry each, got none")
    theta = np.broadcast_to(alpha if expected is None else expected, (max(DATASETS * repeats, PLAIN_COUNTS // k), k))
    counts = rng.multinomial(size, dirichlet(theta, rng) if expected is None else theta)
    report, plans = shown(progress, "releases simulated"), list[Plan]()
    for one, price_in_words, exact in ways:
        numbers = summed(one) if exact else simulated(one, counts, repeats, rng)
        plans.append(Plan(one.mechanism, price_in_words, *numbers))
        report(len(plans) * repeats, len(ways) * repeats)
    return tuple(plans)
