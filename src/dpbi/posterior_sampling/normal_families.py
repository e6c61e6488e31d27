r"""Normal families with an unknown mean: alone, conjugate to ``Normal``, or with the precision, to ``NormalGamma``.

The paper has the normal family with a known mean only (Lemma 22, ``normal_precision``; Lemma 23,
``multivariate_normal``), and no constant for these two: metrics and constants are ours, in its style.
"""

import itertools
import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from .. import checks
from ..arithmetic import approximate, largest, less, log, maximum, number, numbers, pi, plain, zeros
from ..checks import Numbers
from .boxes import Between
from .families import RECORD, Family, cut_to
from .family_checks import numbers_between, of_one_shape, positive_bound
from .finite import Finite
from .interval_laws import clipped
from .normal_laws import Normal, NormalGamma
from .oscillations import Oscillation, spread
from .rate_families import largest_within, line_reach


def normal_mean(precision: float = 1.0, bound: float = math.inf) -> Family:
    r"""\(N(\theta, 1/\tau)\), \(\tau\) known, \(|x| \le B\), \(\rho = \sum|x_i - y_i|\), \(\ell = \tau(B + |\theta|)\).

    Between records \(\ln p_\theta\) differs by \(\tau(x - y)(\theta - \frac{x+y}2)\), and its ratio to \(\rho\) is
    largest where both records are near the end that is farther from \(\theta\): without a bound on the data no
    constant is finite. It is linear in \(\theta\), so for parameters from \(c_1\) to \(c_2\), exactly,
    \(w = 2B\tau(c_2 - c_1)\).
    """
    tau, B = checks.real("precision", precision, above=0), positive_bound(bound)

    def parameters(values: Any) -> Numbers:
        theta = np.atleast_1d(numbers(values))
        if theta.ndim != 1 or not np.isfinite(approximate(theta)).all():
            raise ValueError(f"parameters must be finite numbers, got {values!r}")
        return theta

    def log_density(theta: Numbers, x: Numbers) -> Numbers:
        squares = ((x - theta[:, None]) ** 2).sum(axis=1)
        return np.asarray(number(len(x)) / 2 * log(tau / (2 * pi())) - tau / 2 * squares)

    def oscillation(prior: Finite | Normal, neighbours: str) -> Oscillation:
        held = spread(parameters(prior.held)) if isinstance(prior, Finite) else prior.high - prior.low
        return Oscillation(plain(2 * B * tau * held), exact=True)

    def update(prior: Normal, x: Numbers) -> Normal:
        after = prior.precision + tau * len(x)
        return replace(prior, precision=after, mean=plain((prior.precision * prior.mean + tau * x.sum()) / after))

    def within(prior: Normal, L: float) -> Normal:
        farthest = largest_within(L, tau) - B
        while tau * (B + farthest) > L:  # rounding carried it over the end
            farthest = math.nextafter(farthest, -math.inf)
        low, high = clipped(-farthest, prior.low, math.inf), clipped(farthest, -math.inf, prior.high)
        cut: Normal = cut_to(prior, low, high, L)
        return cut

    return Family(
        name="normal_mean",
        metric="sum of |x - y|",
        data=numbers_between(-B, B),
        parameters=parameters,
        log_density=log_density,
        distance=lambda x, y: plain(abs(np.subtract(*of_one_shape(numbers_between(-B, B), x, y))).sum()),
        constant=lambda theta: tau * (B + abs(theta)),
        reach={RECORD: 2 * B},
        conjugate=Normal,
        update=update,
        within=within,
        largest=lambda prior: tau * (B + maximum(abs(prior.low), abs(prior.high))),
        oscillation=oscillation,
        records=None if math.inf == B else (Between(-B, B),),
    )


def normal(bound: float = math.inf) -> Family:
    r"""\(N(\mu, 1/\tau)\), both unknown, \(|x| \le B\); a parameter is \((\mu, \tau)\), \(\rho\) that of Lemma 22.

    At every parameter the constant is that of Lemma 22 for its \(\mu\) (``normal_precision``):
    \[ \ell(\mu, \tau) = \frac\tau2 \max\Bigl(|\mu|, \frac{B + |\mu|}{B + 1}\Bigr) . \]
    Between records \(\ln p\) differs by \((x - y)(\tau\mu - \tau s)\) with \(s = \frac{x+y}2\), and \(|x - y|\) is at
    most \(2(B - |s|)\). So between parameters that differ by \(\beta\) in \(\tau\mu\) and by \(\delta\) in \(\tau\) it
    ranges over
    \[ \max_{0 \le s \le B} 2(B - s)(|\beta| + |\delta| s) =
       \begin{cases} 2B|\beta| & |\beta| \ge |\delta| B \\ (|\delta|B + |\beta|)^2 / (2|\delta|) & \text{else,}
       \end{cases} \]
    and w is the largest of these, over the pairs of a list. It is linear in \(\mu\) and in \(\tau\): over a rectangle
    the pairs of its corners are enough. Restricted to \(\Theta_L\), which is no rectangle, a ``NormalGamma`` keeps its
    means and the precisions that are inside with all of them.
    """
    B = positive_bound(bound)
    line = numbers_between(-B, B)

    def parameters(values: Any) -> Numbers:
        pairs = numbers(values)
        good = pairs.ndim == 2 and pairs.shape[1] == 2 and np.isfinite(approximate(pairs)).all()
        if not good or not less(0, pairs[:, 1]).all():
            raise ValueError(f"parameters must be pairs of a finite mean and a finite precision > 0, got {values!r}")
        return pairs

    def log_density(theta: Numbers, x: Numbers) -> Numbers:
        mu, tau = theta.T
        squares = ((x - mu[:, None]) ** 2).sum(axis=1) if len(x) else zeros(len(theta))
        return np.asarray(number(len(x)) / 2 * log(tau / (2 * pi())) - tau / 2 * squares)

    def slope(mean: Any) -> Any:
        """The constant of a unit of precision."""
        far = (B + abs(mean)) / (B + 1) if math.inf != B else number(1)
        return maximum(abs(mean), far) / 2

    def widest(prior: NormalGamma) -> Any:
        return slope(maximum(abs(prior.low[0]), abs(prior.high[0])))

    def oscillation(prior: Finite | NormalGamma, neighbours: str) -> Oscillation:
        corners = prior.held if isinstance(prior, Finite) else itertools.product(*zip(*prior.ends, strict=True))
        return Oscillation(plain(of_pairs(parameters(list(corners)), B)), exact=True)

    def update(prior: NormalGamma, x: Numbers) -> NormalGamma:
        n, mean = len(x), prior.mean
        if n == 0:
            return prior
        weight, average = prior.weight + n, x.sum() / n
        scatter = ((x - average) ** 2).sum() + prior.weight * n / weight * (average - mean) ** 2
        return replace(
            prior,
            shape=prior.shape + number(n) / 2,
            rate=plain(prior.rate + scatter / 2),
            mean=plain((prior.weight * mean + n * average) / weight),
            weight=weight,
        )

    def within(prior: NormalGamma, L: float) -> NormalGamma:
        steepest = widest(prior)
        if not math.isfinite(float(steepest)):
            raise ValueError(
                f"prior must have bounded means to be restricted, got means from {prior.low[0]} to {prior.high[0]}"
            )
        most = clipped(largest_within(L, steepest), 0, prior.high[1])
        if not prior.low[1] < most:
            raise ValueError(f"L must leave a positive mass of the precisions from {prior.low[1]:g}, got L={L!r}")
        return replace(prior, high=(prior.high[0], most))

    def distance(x: Any, y: Any) -> Any:
        a, b = of_one_shape(line, x, y)
        return plain((abs(a * a - b * b) + 2 * abs(a - b)).sum())

    return Family(
        name="normal",
        metric="sum of |x^2 - y^2| + 2|x - y|",
        data=line,
        parameters=parameters,
        log_density=log_density,
        distance=distance,
        constant=lambda theta: theta[:, 1] * slope(theta[:, 0]),
        reach={RECORD: line_reach(B)},
        conjugate=NormalGamma,
        update=update,
        within=within,
        largest=lambda prior: plain(prior.high[1] * widest(prior)),
        oscillation=oscillation,
        records=None if math.inf == B else (Between(-B, B),),
    )


def of_pairs(parameters: Iterable[Any], bound: Any) -> Any:
    r"""The largest oscillation between two of some pairs \((\mu, \tau)\), the formula of ``normal``.

    >>> float(of_pairs([(0.0, 1.0), (0.0, 2.0)], 1.0)), float(of_pairs([(0.0, 1.0), (1.0, 1.0)], 1.0))
    (0.5, 2.0)
    """
    widths = [number(0)]
    for (mu, tau), (other, precision) in itertools.combinations(parameters, 2):
        beta, delta = abs(tau * mu - precision * other), abs(tau - precision)
        if less(beta, delta * bound):
            widths.append((delta * bound + beta) ** 2 / (2 * delta))
        else:
            widths.append(2 * bound * beta)
    return largest(widths)
