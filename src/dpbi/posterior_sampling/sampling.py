r"""Posterior sampling as a mechanism: draw N parameters, answer every query from them, and say what it costs.

The log ratio of the posteriors of neighbours ranges over an interval of a length of at most w that contains zero, that
of N independent draws over N times as much: the draws lose at most \(Nw\). A tilt by a function of range w has Renyi
divergences of at most \(\alpha w^2 / 8\), so they satisfy concentrated differential privacy with parameter
\(N w^2 / 8\); and their total variation is at most \(\tanh\frac{Nw}4\). Here w is the greatest oscillation over the
support of the prior (``oscillations``).

If \(\ell(\theta) \le L\) there, w is at most \(2L\rho(x, y)\), and the draws are \((2NL, 0)\)-differentially private
under \(\rho\): that is what the paper charges (Theorem 8.1 and Theorem 17a).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from .. import checks
from ..arithmetic import approximate, less, log, minimum, number, numbers, plain, sqrt
from ..guarantees import ZCDP, PureDP
from ..progress import Progress, shown
from .bounds import concentrated_by_width, largest_variation
from .families import RECORD, Family, lipschitz_bound, posterior
from .finite import TIE_TOLERANCE
from .laws import ParameterLaw
from .oscillations import Oscillation

DRAWS_PER_CHUNK = 1024
"""So many draws are made before the next word on progress."""


@dataclass(frozen=True)
class MetricDP:
    r"""\(P(B \mid x) \le e^{\varepsilon\rho(x, y)} P(B \mid y)\) always (Definition 2, delta = 0)."""

    epsilon: float
    metric: str

    def at(self, distance: float) -> PureDP:
        """The guarantee between datasets at most this far apart."""
        return PureDP(self.epsilon * checks.real("distance", distance, least=0))


@dataclass(frozen=True)
class Cost:
    r"""What N draws cost, whatever the data: w from the family and the prior, and \(2L\rho\) as printed.

    >>> from dpbi.posterior_sampling import exponential, trimmed_exponential
    >>> price = cost(exponential(1.0), trimmed_exponential(1, 0.5, 2), 4)
    >>> price.oscillation(), price.loss(), price.printed()
    (Oscillation(width=1.5, exact=True), 6.0, 16.0)
    >>> price.concentrated().rho, round(price.total_variation(), 6)
    (1.125, 0.905148)
    """

    size: int
    lipschitz: float
    family: Family
    prior: ParameterLaw = field(repr=False)

    @property
    def metric(self) -> MetricDP:
        r"""\((2NL, 0)\)-differential privacy under the metric of the family."""
        return MetricDP(2 * self.size * self.lipschitz, self.family.metric)

    def printed(self, neighbours: str = RECORD) -> float:
        r"""\(2NL\rho\), the bound of Theorem 8.1 on the privacy loss, for a kind of neighbours of the family."""
        return self.metric.epsilon * self._reach(neighbours)

    def oscillation(self, neighbours: str = RECORD) -> Oscillation:
        r"""w for a kind of neighbours, and whether it is that number or a bound on it, never above \(2L\rho\)."""
        reach, rule = self._reach(neighbours), self.family.oscillation
        found = rule(self.prior, neighbours) if rule else Oscillation(2 * self.lipschitz * reach, exact=False)
        if found.exact:
            return found
        return found._replace(width=plain(minimum(found.width, 2 * self.lipschitz * reach)))

    def loss(self, neighbours: str = RECORD) -> float:
        r"""\(Nw\), which bounds the privacy loss for a kind of neighbours of the family."""
        return self.size * self.oscillation(neighbours).width

    def between(self, neighbours: str = RECORD) -> PureDP:
        r"""\(Nw\)-differential privacy for a kind of neighbours of the family, "replace one record" for instance."""
        return PureDP(self.loss(neighbours))

    def concentrated(self, neighbours: str = RECORD) -> ZCDP:
        r"""Zero-concentrated differential privacy with parameter \(N w^2 / 8\), for a kind of neighbours."""
        return ZCDP(self.size * concentrated_by_width(self.oscillation(neighbours).width))

    def total_variation(self, neighbours: str = RECORD) -> float:
        r"""\(\tanh\frac{Nw}4\), which bounds total variation: \((0, \delta)\)-differential privacy with this delta."""
        return largest_variation(self.loss(neighbours))

    def _reach(self, neighbours: str) -> float:
        reach = self.family.reach
        if neighbours not in reach:
            raise ValueError(f"neighbours must be one of {', '.join(map(repr, reach))}, got {neighbours!r}")
        if reach[neighbours] == math.inf:
            raise ValueError(
                f"{self.family.name} must have a bound on its data for a cost between neighbours: without one, "
                f'"{neighbours}" moves the metric ({self.family.metric}) arbitrarily far'
            )
        return reach[neighbours]


class Draws(NamedTuple):
    """Parameters drawn from the posterior, which may be published, and what they cost."""

    parameters: Any
    cost: Cost


class Response(NamedTuple):
    """The response to a query and its mean utility over the released parameters."""

    response: Any
    utility: float


def cost(family: Family, prior: ParameterLaw, size: int) -> Cost:
    """What ``size`` draws from the posterior cost. Refused if the prior has no bound on the Lipschitz constant.

    The theory then gives no pure cost: at best the total variation of Theorem 8.2, which depends on the number of
    records and which ``total_variation`` gives exactly for two posteriors.
    """
    number = checks.whole("size", size, least=1)
    bound = lipschitz_bound(family, prior)
    if not math.isfinite(bound):
        raise ValueError(
            "prior must have a bounded Lipschitz constant on its support, got one that grows without limit: no "
            "epsilon holds for every dataset; restrict the prior first"
        )
    return Cost(number, bound, family, prior)


def baps(
    family: Family,
    prior: ParameterLaw,
    data: Any,
    size: int,
    rng: np.random.Generator,
    *,
    progress: bool | Progress = False,
) -> Draws:
    """Algorithm 1 (BAPS): ``size`` independent draws from the exact posterior, and their cost.

    The draws are exact up to the rounding of doubles, and are not for release as they are: see ``laws``. For draws
    without a guarantee, sample the ``posterior`` itself. ``progress`` counts the draws, ``DRAWS_PER_CHUNK`` at a time, which
    are the same with it and without.
    """
    price = cost(family, prior, size)
    law, show = posterior(family, prior, data), shown(progress, "draws")
    drawn = []
    for done in range(0, price.size, DRAWS_PER_CHUNK):
        drawn.append(law.sample(rng, min(DRAWS_PER_CHUNK, price.size - done)))
        show(min(done + DRAWS_PER_CHUNK, price.size), price.size)
    whole = np.concatenate(drawn) if isinstance(drawn[0], np.ndarray) else [one for part in drawn for one in part]
    return Draws(whole, price)


def psaqr(
    parameters: Any,
    utility: Callable[[Any, Any, Any], float],
    query: Any,
    responses: Sequence[Any],
    *,
    progress: bool | Progress = False,
) -> Response:
    r"""Algorithm 2 (PSAQR): the response with the largest \(\sum_{\theta} u_\theta(q, r)\), the first of equals.

    ``utility(parameter, query, response)`` is in [0, 1]. Means within 1e-12 are equal: rounding decides nothing.
    An answer only processes what was released already: any number of queries, each chosen after the earlier answers,
    costs no more privacy. ``progress`` counts the responses.
    """
    if len(responses) == 0 or len(parameters) == 0:
        raise ValueError("responses and parameters must have at least one entry each, got none")
    means: list[Any] = []
    show = shown(progress, "responses")
    for response in responses:
        scores = numbers([utility(theta, query, response) for theta in parameters])
        good = np.isfinite(approximate(scores)) & ~less(scores, 0) & ~less(1, scores)
        if not good.all():
            found = approximate(scores)[~good][0]
            raise ValueError(f"utility must be in [0, 1], got {found:g} at the response {response!r}")
        means.append(scores.sum() / len(scores))
        show(len(means), len(responses))
    best = first_of_the_largest(means)
    return Response(responses[best], plain(means[best]))


def first_of_the_largest(values: Any) -> int:
    """Where the largest number is, the first of those within 1e-12 of the one chosen so far."""
    best = 0
    for i, value in enumerate(values):
        if less(values[best] + number(TIE_TOLERANCE), value):
            best = i
    return best


def regret_bound(size: int, responses: int, delta: float) -> float:
    r"""\(2\sqrt{\ln((R-1)/\delta) / (2N)}\): what N draws lose on a query with R responses, but for probability delta.

    A response that is worse by t is given only if its mean over the draws is at least that of the best one, which has
    probability at most \(e^{-Nt^2/2}\) by Hoeffding's inequality; there are R - 1 others. For more than one query,
    R - 1 counts every pair of a query that may be asked and a response to it that is not the best.
    """
    n, r = checks.whole("size", size, least=1), checks.whole("responses", responses, least=2)
    d = checks.real("delta", delta, above=0, below=1)
    return plain(2 * sqrt(log((r - 1) / d) / (2 * n)))
