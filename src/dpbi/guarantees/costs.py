"""What a list of guarantees costs: in zero-concentrated privacy, and in epsilon at a delta."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from .. import checks
from .accounts import Account
from .bounded_range import BoundedRange
from .composition import Guarantee, compose
from .concentrated import RDP, ZCDP
from .finite_laws import worst_pair
from .gaussian import GaussianDP
from .loss_cells import FiniteLoss, GaussianLoss, Loss
from .pure import ApproxDP, PureDP
from .secret_batches import BatchDP


class TotalCost(NamedTuple):
    """What adaptive uses cost together; ``rho`` is infinite where the promises have no Rényi form.

    >>> TotalCost(rho=0.5, epsilon=1.0, delta=1e-6).epsilon
    1.0
    """

    rho: float
    epsilon: float
    delta: float


def total_cost(guarantees: Sequence[Guarantee], delta: float) -> TotalCost:
    """The cost of adaptive uses, in rho and in the smallest epsilon at a delta that any way of adding them proves.

    The ways are the sum of the epsilons, that of the rhos, and where the hardest pairs of laws are known the upper end
    of their exact composition. Of bounded range the pure promise has a hardest pair.

    >>> spent = total_cost([BoundedRange(0.3)] * 20, 1e-6)
    >>> round(spent.rho, 6), round(spent.epsilon, 4)
    (0.225, 3.3415)
    >>> round(total_cost([PureDP(0.1)] * 100 + [GaussianDP(0.01)], 1e-6).epsilon, 4)
    4.8356
    """
    allowed = checks.real("delta", delta, above=0, below=1)
    together = compose(*guarantees)
    plain = [value for value in guarantees if not isinstance(value, RDP | BatchDP | ApproxDP)]
    rho = math.inf
    if len(plain) == len(guarantees):
        rho = float(sum(v.rho if isinstance(v, ZCDP | GaussianDP) else v.zcdp().rho for v in plain))
    ways = [float(together.epsilon(allowed))]
    if all(isinstance(value, PureDP | BoundedRange) for value in guarantees):
        ways.append(float(PureDP(sum(value.epsilon for value in guarantees)).epsilon(allowed)))
    if (uses := _hardest(guarantees)) is not None and uses:
        ways.append(Account(uses).epsilon(allowed).upper)
    return TotalCost(rho, min(ways), allowed)


def _hardest(guarantees: Sequence[Guarantee]) -> list[tuple[Loss, int]] | None:
    """The losses of the hardest pairs, equal ones counted; None where one has none."""
    if any(isinstance(value, ZCDP | RDP) for value in guarantees):
        return None
    rho = float(sum(value.rho for value in guarantees if isinstance(value, GaussianDP)))
    uses: list[tuple[Loss, int]] = [(GaussianLoss(rho), 1)] if rho else []
    uses += [(value.loss, value.count) for value in guarantees if isinstance(value, BatchDP) and value.count]
    revealing = Counter(
        (float(value.epsilon), float(value.delta) if isinstance(value, ApproxDP) else 0.0)
        for value in guarantees
        if isinstance(value, PureDP | BoundedRange | ApproxDP)
    )
    uses += [(FiniteLoss(*worst_pair(*pair)), count) for pair, count in revealing.items() if any(pair)]
    return uses
