r"""Posterior sampling as a private mechanism: the privacy cost of N draws, and query answers computed from the draws.

The log ratio of the posteriors of neighbouring datasets lies in an interval that contains zero and has length at most
w, where w is the greatest oscillation over the support of the prior (see ``oscillations``). For N independent draws,
the interval is N times as long, so the privacy loss of the draws is at most \(Nw\). If the log ratio of two
distributions has range w, their Renyi divergence of order \(\alpha\) is at most \(\alpha w^2 / 8\). The draws therefore
satisfy zero-concentrated differential privacy with parameter \(N w^2 / 8\). The total variation between the
distributions of the draws is at most \(\tanh\frac{Nw}4\).

If \(\ell(\theta) \le L\) on the support, w is at most \(2L\rho(x, y)\), and the draws are \((2NL, 0)\)-differentially
private under the metric \(\rho\), which means that \(P(B \mid x) \le e^{2NL\rho(x, y)} P(B \mid y)\) (Definition 2).
The paper states this guarantee in Theorem 8.1 and Theorem 17a.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ..arithmetic import approximate, largest, less, log, minimum, number, numbers, scalar, sqrt
from ..checks import LARGEST_TOTAL, brief, listed, need, real, whole
from ..guarantees import ZCDP, PureDP
from .bounds import concentrated_by_width, largest_variation
from .families import RECORD, Family, lipschitz_bound, posterior_law
from .finite import TIE_TOLERANCE
from .laws import ParameterLaw
from .oscillations import Oscillation


@dataclass(frozen=True)
class Cost:
    r"""Privacy cost of N posterior draws, valid for all datasets.

    The argument of every method is the kind of neighbouring datasets, ``RECORD`` or ``CELL``. The method ``printed``
    uses the bound \(2L\rho\) of the paper. All other methods use the greatest oscillation w, computed from the family
    and the prior.

    Attributes:
        size: Number N of draws.
        lipschitz: Largest Lipschitz constant L on the support of the prior.
        family, prior: The likelihood family and the prior that define the posterior.

    >>> from dpbi.posterior_sampling import exponential, trimmed_exponential
    >>> price = sampling_cost(exponential(1.0), trimmed_exponential(1, 0.5, 2), 4)
    >>> price.oscillation(), price.loss(), price.printed()
    (Oscillation(width=1.5, exact=True), 6.0, 16.0)
    >>> price.concentrated().rho, round(price.total_variation(), 6)
    (1.125, 0.905148)
    """

    size: int
    lipschitz: float
    family: Family
    prior: ParameterLaw = field(repr=False)

    def printed(self, neighbours: str = RECORD) -> float:
        r"""Bound \(2NL\rho\) of Theorem 8.1 on the privacy loss of the draws."""
        return 2 * self.size * self.lipschitz * self._reach(neighbours)

    def oscillation(self, neighbours: str = RECORD) -> Oscillation:
        r"""Greatest oscillation w between neighbours, or an upper bound on w that is at most \(2L\rho\)."""
        reach, rule = self._reach(neighbours), self.family.oscillation
        found = rule(self.prior, neighbours) if rule else Oscillation(2 * self.lipschitz * reach, exact=False)
        if found.exact:
            return found
        return found._replace(width=scalar(minimum(found.width, 2 * self.lipschitz * reach)))

    def loss(self, neighbours: str = RECORD) -> float:
        r"""Bound \(Nw\) on the privacy loss of the draws."""
        return self.size * self.oscillation(neighbours).width

    def between(self, neighbours: str = RECORD) -> PureDP:
        r"""Guarantee of \(Nw\)-differential privacy for neighbouring datasets."""
        return PureDP(self.loss(neighbours))

    def concentrated(self, neighbours: str = RECORD) -> ZCDP:
        r"""Guarantee of zero-concentrated differential privacy with parameter \(N w^2 / 8\) for neighbours."""
        return ZCDP(self.size * concentrated_by_width(self.oscillation(neighbours).width))

    def total_variation(self, neighbours: str = RECORD) -> float:
        r"""Bound \(\tanh\frac{Nw}4\) on the total variation, which is a valid delta for \((0, \delta)\)-privacy."""
        return largest_variation(self.loss(neighbours))

    def _reach(self, neighbours: str) -> float:
        r"""Largest \(\rho\) between neighbours of a given kind, which must be finite."""
        reach = self.family.reach
        need(neighbours in reach, f"neighbours must be one of {[*reach]}, got {brief(neighbours)}")
        need(
            reach[neighbours] != math.inf,
            f"{self.family.name} must have a bound on its data for a cost, got none",
        )
        return reach[neighbours]


class Draws(NamedTuple):
    """Draws from a posterior, with the privacy cost of the draws.

    Attributes:
        parameters: The draws.
        cost: The privacy cost of the draws, valid for all datasets.

    >>> from dpbi.posterior_sampling import bernoulli, uniform
    >>> draws = baps(bernoulli(), uniform([0.2, 0.8]), [0, 1, 1], 3, np.random.default_rng(1))
    >>> draws.parameters.tolist(), round(draws.cost.loss(), 6)  # 3 ln 16
    ([0.8, 0.8, 0.2], 8.317766)
    """

    parameters: Any
    cost: Cost


class Response(NamedTuple):
    """The best response to a query, and the mean utility of this response.

    Attributes:
        response: The best response.
        utility: Mean utility of the best response over the released parameters, in [0, 1].

    >>> found = psaqr([0.2, 0.5, 0.6], lambda theta, query, r: float(theta > r), "a share above this?", [0.3, 0.5])
    >>> found.response, round(found.utility, 6)
    (0.3, 0.666667)
    """

    response: Any
    utility: float


def sampling_cost(family: Family, prior: ParameterLaw, size: int) -> Cost:
    """Privacy cost of independent draws from a posterior.

    Args:
        family: Likelihood family.
        prior: A prior distribution with a bounded Lipschitz constant on its support.
        size: Number of draws, at least 1.

    Returns:
        The cost, valid for all datasets.

    Raises:
        ValueError: if the Lipschitz constant is unbounded on the support, since then no epsilon is valid for all
            datasets. In that case, ``restricted`` computes a prior with a bounded Lipschitz constant, and
            ``total_variation`` compares two posteriors exactly.

    >>> from dpbi.posterior_sampling import bernoulli, uniform
    >>> price = sampling_cost(bernoulli(), uniform([0.2, 0.5, 0.8]), 5)
    >>> round(price.loss(), 6), round(price.concentrated().rho, 6)  # 5 w and 5 w^2 / 8 with w = ln 16
    (13.862944, 4.80453)
    """
    draws, bound = whole("size", size, least=1), lipschitz_bound(family, prior)
    allowed = "a bounded Lipschitz constant on its support, got an unbounded one"
    need(
        math.isfinite(bound),
        f"prior must have {allowed}: no epsilon is valid for every dataset; restrict the prior first",
    )
    return Cost(draws, bound, family, prior)


def baps(family: Family, prior: ParameterLaw, data: Any, size: int, rng: np.random.Generator) -> Draws:
    """Independent draws from the exact posterior, with the privacy cost of the draws (Algorithm 1, BAPS).

    The draws are exact up to the rounding of doubles, but must not be released, for the reasons given in ``laws``. For
    draws without a privacy guarantee, sample from ``posterior_law`` directly.

    Args:
        family: Likelihood family.
        prior: A prior distribution with a bounded Lipschitz constant on its support.
        data: One dataset of the family.
        size: Number of draws, at least 1.
        rng: Random number generator.

    Returns:
        The draws and the cost of the draws.

    Raises:
        ValueError: if the Lipschitz constant is unbounded on the support (see ``sampling_cost``).

    >>> from dpbi.posterior_sampling import Beta, bernoulli, restricted
    >>> prior = restricted(bernoulli(), Beta(1, 1), 1.0)  # log-odds in [-1, 1]
    >>> draws = baps(bernoulli(), prior, [0, 1, 1], 2, np.random.default_rng(1))
    >>> draws.parameters.round(3).tolist(), draws.cost.between()
    ([0.436, 0.646], PureDP(epsilon=4.0))
    """
    price = sampling_cost(family, prior, size)
    return Draws(posterior_law(family, prior, data).sample(rng, price.size), price)


def psaqr(parameters: Any, utility: Callable[[Any, Any, Any], float], query: Any, responses: Any) -> Response:
    r"""Answer to a query: the response with the largest mean utility over released draws (Algorithm 2, PSAQR).

    The response maximises \(\sum_{\theta} u_\theta(q, r)\). Answering a query is post-processing of the draws. So any
    number of queries can be answered at no further privacy cost, even if the choice of a query depends on earlier
    answers.

    Args:
        parameters: The draws, at least one.
        utility: Function ``utility(parameter, query, response)`` that returns one number in [0, 1].
        query: The query, passed on to ``utility``.
        responses: A list of the possible responses, at least one.

    Returns:
        The response and its mean utility. The response is the first whose mean utility is within 1e-12 of the largest,
        so that rounding errors do not affect the choice.

    >>> psaqr([0.25, 0.5, 0.75], lambda theta, query, r: 1 - abs(theta - r), "what share?", [0.25, 0.5])
    Response(response=0.5, utility=0.8333333333333334)
    """
    both = len(listed("responses", responses)) and len(listed("parameters", parameters))
    need(both, "responses and parameters must have at least one entry each, got none")
    need(callable(utility), f"utility must be a function, got utility={brief(utility)}")
    means: list[Any] = []
    for response in responses:
        scores, at = (
            numbers([utility(theta, query, response) for theta in parameters]),
            f"the response {brief(response)}",
        )
        need(scores.ndim == 1, f"utility must be one number in [0, 1], got shape {scores.shape[1:]} at {at}")
        good = np.isfinite(approximate(scores)) & ~less(scores, 0) & ~less(1, scores)
        if not good.all():
            raise ValueError(f"utility must be in [0, 1], got {approximate(scores)[~good]} at {at}")
        means.append(scores.sum() / len(scores))
    best = first_of_the_largest(means)
    return Response(responses[best], scalar(means[best]))


def first_of_the_largest(values: Any) -> int:
    """Index of the first number that the largest number exceeds by at most 1e-12."""
    top = largest(values)
    return next(i for i, value in enumerate(values) if not less(value + number(TIE_TOLERANCE), top))


def regret_bound(size: int, responses: int, failure: float) -> float:
    r"""Bound on the regret of answering a query from N draws, valid with probability at least 1 - p.

    The bound is \(2\sqrt{\ln((R-1)/p) / (2N)}\).

    *Proof.* If a response is worse than the best response by t, it is returned only if its mean utility over the draws
    is at least the mean utility of the best response. By Hoeffding's inequality, this event has probability at most
    \(e^{-Nt^2/2}\). A union bound over the R - 1 other responses completes the proof.

    Args:
        size: Number N of draws, at least 1.
        responses: Number R of responses, at least 2. If there are several possible queries, R - 1 is the total number
            of responses that are not the best for their query.
        failure: Probability p, in (0, 1), with which the regret may exceed the bound.

    Returns:
        The bound on the regret.

    >>> round(regret_bound(100, 3, 0.05), 6)
    0.27162
    """
    n = whole("size", size, least=1, below=LARGEST_TOTAL)
    r = whole("responses", responses, least=2, below=LARGEST_TOTAL)
    d = real("failure", failure, above=0, below=1)
    return scalar(2 * sqrt(log((r - 1) / d) / (2 * n)))
