r"""Exponential mechanisms: a candidate r is released with probability proportional to \(\exp(-\lambda H(x, r))\).

H is the Hellinger distance between the posteriors of x and r. The mechanisms differ in the rate \(\lambda\), which may
depend on the data.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import arithmetic, checks
from ..arithmetic import log, log1p, log_sum_exp, maximum, minimum
from ..checks import Floats, Integers, Numbers
from ..guarantees import BoundedRange, Guarantee
from ..model.datasets import in_chunks, lattice, lattice_size, within_enumeration
from ..model.distances import count_distances, largest_step, lattice_distances
from ..model.sensitivities import (
    exponential_smooth_sensitivity,
    local_sensitivity,
    reciprocal_slope,
    reciprocal_smooth_sensitivity,
    smooth_reciprocal_jump,
)
from . import exponential_draws
from .description import Law, Mechanism
from .line import Line
from .table import entry

# chosen: a table of this size takes some milliseconds
LISTED_CANDIDATES = 20_000
"""Largest table of candidates, rows times categories, that is listed to draw one."""


def exponential(
    name: str,
    promise: Guarantee | None,
    rate: Callable[[Floats, Integers], Floats],
    guarantee: Callable[[Floats, int], Guarantee | None],
) -> Mechanism:
    r"""The exponential mechanism of a rate, over all count vectors r of n records.

    \[ \Pr[r] \propto e^{-\lambda(x) H(x, r)} \]

    Args:
        name: Name of the mechanism.
        promise: The privacy that is proved for every prior and n, or None.
        rate: The rate as a function of (prior, counts): one number, or one for each dataset on the leading axes.
        guarantee: The privacy that is proved, as a function of (prior, n).

    Returns:
        The mechanism.

    >>> from dpbi import audit
    >>> constant = exponential("constant", None, lambda prior, counts: 2.0, lambda prior, n: None)
    >>> constant.rate([1, 1], [[0, 2], [1, 1]]), round(audit(constant, [1, 1], 20).epsilon, 6)
    (array([2., 2.]), 0.832923)
    >>> constant.rate([1, 1], [[0, 1], [1, 1]])
    Traceback (most recent call last):
    ValueError: counts must be datasets of one total, got the totals [1, 2]
    >>> exponential("wrong", None, lambda prior, counts: [1.0, 2.0, 3.0], lambda prior, n: None).law([1, 1], [1, 1])
    Traceback (most recent call last):
    ValueError: rate(prior, counts) must return a finite number for each dataset, got array([1., 2., 3.])
    """

    def rate_at(weights: Floats, x: Integers) -> Any:
        found = np.asarray(rate(weights, x))
        if found.shape not in ((), x.shape[:-1]) or not (found.dtype == object or np.isfinite(found).all()):
            raise ValueError(f"rate(prior, counts) must return a finite number for each dataset, got {found!r}")
        return found if found.ndim else arithmetic.scalar(found)

    def law(weights: Floats, x: Integers) -> Law:
        candidates = lattice(int(x.sum()), len(x))
        scores = -rate_at(weights, x) * count_distances(weights, x, candidates)
        return Law.known(candidates, scores - log_sum_exp(scores))

    def laws(weights: Floats, n: int) -> Law:
        candidates = lattice(n, len(weights))
        within_enumeration(len(candidates), len(candidates), n, len(weights))

        def rows(datasets: Integers) -> Numbers:
            rates = np.broadcast_to(rate_at(weights, datasets), len(datasets))
            scores = -rates[:, None] * lattice_distances(weights, datasets, candidates)
            scores -= log_sum_exp(scores, axis=-1, keepdims=True)
            return scores

        return Law.known(candidates, in_chunks(candidates, len(candidates), rows))

    def sample(weights: Floats, x: Integers, rng: np.random.Generator, size: int) -> Integers:
        if lattice_size(int(x.sum()), len(x)) * len(x) <= LISTED_CANDIDATES:
            return law(weights, x).draw(rng, size)
        return exponential_draws.draw(weights, x, rate_at(weights, x), rng, size)

    def line(weights: Floats, x: Integers) -> Line:
        here = rate_at(weights, x)
        return Line(weights, x, lambda _, H: -here * H)

    return Mechanism(name, promise, law, sample, guarantee, laws, rate_at, line)


def _over(epsilon: float, scale: Floats) -> Floats:
    # without records every sensitivity is 0 and the dataset is the only candidate, at any rate
    positive = np.asarray(scale) != 0
    return np.where(positive, epsilon / np.where(positive, scale, 1), 0)


@entry(
    words="exponential mechanism (EHD)",
    family="exponential",
    about="exponential, weight exp(−εH / (2 GS)), GS exact for the prior and n",
    meaning=r"exponential mechanism, weight $\exp(-\varepsilon H / (2\,GS))$, $GS$ exact for the prior and $n$",
    letters={"notes": "EHD", "hellinger": r"$\mathcal{M}_E$"},
    color="#FF5000",
    marker="o",
    pattern={"rate": "global", "knobs": ["sensitivity"]},
)
def ehd(epsilon: float, sensitivity: float | None = None) -> Mechanism:
    r"""EHD: the exponential mechanism with rate \(\varepsilon / (2\,GS)\), GS the global sensitivity.

    GS is the exact one of the prior and n at hand. Theorem 4.5 of the notes is about EHD with the printed sensitivity,
    \(G = \sqrt{1 - \pi/4}\).

    Args:
        epsilon: Privacy parameter, > 0.
        sensitivity: A number > 0 in place of GS; epsilon is then guaranteed only where it is at least GS.

    Returns:
        The mechanism.

    >>> round(ehd(0.8).rate([1, 1], [14, 6]), 6)
    1.158112
    """
    e = checks.real("epsilon", epsilon, above=0)
    given = None if sensitivity is None else checks.real("sensitivity", sensitivity, above=0)

    def rate(prior: Floats, counts: Integers) -> Floats:
        scale = largest_step(tuple(prior.tolist()), int(counts.sum(axis=-1).max())) if given is None else given
        return _over(e, np.asarray(2 * scale))

    def guarantee(prior: Floats, n: int) -> Guarantee | None:
        # the printed constant is GS at prior (1, 1, 1), but may round to just below it
        needed = largest_step(tuple(prior.tolist()), n) * (1 - 1e-14)
        return BoundedRange(e) if given is None or given >= needed else None

    promise = None if given is not None else BoundedRange(e)
    return exponential("ehd", promise, rate, guarantee)


@entry(
    words="exponential, local sensitivity (EHDL)",
    family="exponential",
    about="exponential, weight exp(−εH / (2 LS(x)))",
    meaning=r"the same with the local sensitivity in place of the global one",
    letters={"notes": "EHDL", "hellinger": r"$\mathcal{M}_E^{\text{local}}$"},
    color="#A5904F",
    marker="^",
    pattern={"rate": "local"},
)
def ehdl(epsilon: float) -> Mechanism:
    r"""EHDL: the exponential mechanism with rate \(\varepsilon / (2\,LS(x))\), LS the local sensitivity.

    The rate depends on the data, and nothing is promised for every prior and n: with three categories the loss exceeds
    any given multiple of epsilon at some prior and n. With two it is below
    \((\gamma_0 + 2/(1+\gamma_0))\,\varepsilon/2 = 1.3197\,\varepsilon\), with \(\gamma_0\) the
    ``reciprocal_slope`` (claim ``hellinger/4.1.2``).

    >>> ehdl(1.0)
    <Mechanism ehdl, promises nothing for every prior and n>
    """
    e = checks.real("epsilon", epsilon, above=0)

    def rate(prior: Floats, counts: Integers) -> Floats:
        return _over(e, 2 * local_sensitivity(prior, counts))

    def guarantee(prior: Floats, n: int) -> Guarantee | None:
        step = reciprocal_slope()
        return BoundedRange((step + 2 / (1 + step)) * e / 2) if len(prior) == 2 else None

    return exponential("ehdl", None, rate, guarantee)


@entry(
    words="exponential, smooth sensitivity (EHDS)",
    family="exponential",
    about="exponential, weight exp(−εH / (c S(x))), S the reciprocal smooth sensitivity",
    meaning=r"the same with the reciprocal smooth sensitivity, and a divisor of 4 or $2(1+\gamma)$",
    letters={"notes": "EHDS"},
    color="#739F1E",
    marker="*",
    pattern={"rate": "reciprocal", "knobs": ["gamma", "divisor"], "divisor": 4},
)
def ehds(epsilon: float, gamma: float = 1.0, divisor: float = 4.0) -> Mechanism:
    r"""EHDS: the exponential mechanism with rate \(\varepsilon / (c\,S(x))\), S the reciprocal smooth sensitivity.

    Since \(1/S\) changes by at most \(\gamma\) between neighbours, the loss is at most \((2 + \gamma)\,\varepsilon /
    c\). For two categories \(1/LS\) changes by less than the ``reciprocal_slope``, and then so does \(1/S\).

    Args:
        epsilon: Privacy parameter, > 0.
        gamma: Largest change of 1/S per replaced record, > 0.
        divisor: The number c > 0: 4 in one version of the notes, 2 (1 + gamma) in the other.

    Returns:
        The mechanism.

    >>> ehds(1.0).guarantee([1, 1], 10)
    BoundedRange(epsilon=0.75)
    """
    e = checks.real("epsilon", epsilon, above=0)
    g = checks.real("gamma", gamma, above=0)
    c = checks.real("divisor", divisor, above=0)

    def rate(prior: Floats, counts: Integers) -> Floats:
        return _over(e, c * reciprocal_smooth_sensitivity(prior, counts, g))

    def guarantee(prior: Floats, n: int) -> Guarantee:
        slope = minimum(g, reciprocal_slope()) if len(prior) == 2 else g
        return BoundedRange((2 + slope) * e / c)

    # the notes promise epsilon, so the promise is never below it
    return exponential("ehds", BoundedRange(maximum(e, (2 + g) * e / c)), rate, guarantee)


@entry(
    words="exponential, smooth in another way (M_H)",
    family="exponential",
    about="exponential, weight exp(−εH / (c S(x))), S the exponential smooth sensitivity",
    meaning=r"the same with the exponential smooth sensitivity",
    letters={"hellinger": r"$\mathcal{M}_{\mathcal{H}}$"},
    color="#BF3051",
    marker="h",
    pattern={"rate": "smooth", "knobs": ["delta", "divisor"], "divisor": 2},
    arguments={"delta": 1e-6},
)
def smoothed_hellinger(epsilon: float, delta: float, divisor: float = 2.0) -> Mechanism:
    r"""M_H: the exponential mechanism with rate \(\varepsilon / (c\,S(x))\), S the exponential smooth sensitivity.

    \[ \beta = \ln\Bigl(1 - \frac{\varepsilon}{2 \ln(\delta / (2(n+1)))}\Bigr) , \]
    with the count n + 1 as printed, whatever k is. The printed proof of \((\varepsilon, \delta)\) does not stand, so
    that nothing is promised for every prior and n. What is proved is a pure loss of at most \(\varepsilon (2 + \kappa)
    / c\), with \(\kappa\) the ``smooth_reciprocal_jump`` there.

    Args:
        epsilon: Privacy parameter, > 0.
        delta: Number in (0, 1) in the smoothness.
        divisor: The number c > 0: 2 in the definition of the Hellinger paper, 1 in its section 5.

    Returns:
        The mechanism.

    >>> round(smoothed_hellinger(1.0, delta=1e-6).guarantee([1, 1], 10).epsilon, 6)
    1.045687
    """
    e = checks.real("epsilon", epsilon, above=0)
    d = checks.real("delta", delta, above=0, below=1)
    c = checks.real("divisor", divisor, above=0)

    def rate(prior: Floats, counts: Integers) -> Floats:
        beta = printed_smoothness(e, d, int(counts.sum(axis=-1).max()))
        return _over(e, c * exponential_smooth_sensitivity(prior, counts, beta))

    def guarantee(prior: Floats, n: int) -> Guarantee:
        kappa = smooth_reciprocal_jump(prior, n, printed_smoothness(e, d, n))
        return BoundedRange((2 + kappa) * e / c)

    return exponential("smoothed_hellinger", None, rate, guarantee)


def printed_smoothness(epsilon: float, delta: float, n: int) -> float:
    r"""The smoothness of M_H as printed, \(\beta = \ln(1 - \varepsilon / (2 \ln(\delta / (2(n+1)))))\).

    Args:
        epsilon: Privacy parameter, > 0.
        delta: Number in (0, 1).
        n: Number of records.

    Returns:
        The smoothness, > 0.

    >>> round(printed_smoothness(1.0, 1e-6, 10), 6)
    0.029145
    """
    smoothness = log1p(-epsilon / (2 * log(delta / (2 * (n + 1)))))
    return float(smoothness) if arithmetic.in_doubles() else smoothness
