r"""How far apart the posteriors of two datasets are, beside what Theorems 7 and 8 say of it and what is sharp."""

import math
from dataclasses import dataclass, field
from typing import Any

from ..arithmetic import number, plain, sqrt
from .assumptions import best_rate, expected_lipschitz
from .bounds import divergence_slope, largest_divergence, largest_variation, worst_likelihood_ratio
from .families import Family, lipschitz_bound, log_marginal, posterior
from .finite import Finite
from .interval_laws import Beta, Gamma
from .laws import ParameterLaw
from .measures import kullback_leibler, privacy_loss, total_variation


@dataclass(frozen=True)
class Robustness:
    r"""The posteriors of x and y, exactly; their bounds are methods.

    ``width`` is \(w = \sup_\theta f - \inf_\theta f\) with \(f = \ln p_\theta(x) - \ln p_\theta(y)\) over the support,
    ``lipschitz`` is L; either may be infinite. ``loss``, the supremum of the log ratio, and ``divergence``,
    \(D(x \| y)\), are from x to y.
    """

    distance: float
    divergence: float
    variation: float
    loss: float
    width: float
    lipschitz: float
    family: Family = field(repr=False)
    prior: ParameterLaw = field(repr=False)
    data: tuple[Any, Any] = field(repr=False)

    @property
    def printed(self) -> float:
        r"""\(2L\rho\): what the divergence is at most by Theorem 7, part 1, and the loss by Theorem 8, part 1."""
        if self.distance == 0 or self.lipschitz == math.inf:
            return plain(number(0)) if self.distance == 0 else math.inf
        return plain(2 * self.lipschitz * self.distance)

    @property
    def largest_divergence(self) -> float:
        r"""\(h(w)\), what the divergence is at most."""
        return math.inf if self.width == math.inf else largest_divergence(self.width)

    @property
    def largest_variation(self) -> float:
        r"""\(\tanh\frac w4\), what the total variation is at most."""
        return plain(number(1)) if self.width == math.inf else largest_variation(self.width)

    @property
    def marginals(self) -> float:
        r"""\(\ln\frac{\phi(x)}{\phi(y)}\); the loss is the largest f less this."""
        return plain(log_marginal(self.family, self.prior, self.data[0]) - self._other_marginal)

    @property
    def _other_marginal(self) -> float:
        return log_marginal(self.family, self.prior, self.data[1])

    @property
    def likelihood_ratio(self) -> float:
        """C of Equation 9 over x and y, which is enough for these two."""
        return worst_likelihood_ratio(self.family, self.prior, self.data)

    @property
    def slope(self) -> float:
        r"""\(C\,\mathbb E_\xi\ell\), which times \(\rho\) is at least the sum of the divergences in both directions."""
        return plain(self.likelihood_ratio * expected_lipschitz(self.family, self.prior))

    @property
    def largest_sum(self) -> float:
        r"""\(C\,\mathbb E_\xi\ell\,\rho\), what \(D(x \| y) + D(y \| x)\) is at most whatever L is."""
        return plain(self.slope * self.distance)

    @property
    def variation_by_mean(self) -> float:
        r"""\(\frac12\sqrt{C\,\mathbb E_\xi\ell\,\rho}\), what the total variation is at most whatever L is."""
        return plain(sqrt(self.largest_sum) / 2)

    def printed_by_rate(self, L0: float, rate: float | None = None) -> float:
        r"""\(C(1 + 2L_0 + c^{-1})\rho\), what the divergence is at most by Theorem 7, part 2.

        Without a rate c it is the best one. The theorem takes C over all datasets; that of x and y is enough.
        """
        c = best_rate(self.family, self.prior, L0) if rate is None else rate
        return plain(divergence_slope(self.likelihood_ratio, L0, c) * self.distance)

    def printed_variation_by_rate(self, L0: float, rate: float | None = None) -> float:
        r"""\(\sqrt{\frac C2(1 + 2L_0 + c^{-1})\rho}\), what the total variation is at most by Theorem 8, part 2."""
        return plain(sqrt(self.printed_by_rate(L0, rate) / 2))


def robustness(family: Family, prior: ParameterLaw, x: Any, y: Any) -> Robustness:
    r"""How far apart the posteriors of x and of y are, and all that bounds it.

    >>> from dpbi.posterior_sampling import bernoulli, uniform
    >>> found = robustness(bernoulli(), uniform([0.2, 0.8]), [1], [0])
    >>> round(found.divergence, 6), round(found.largest_divergence, 6), round(found.printed, 6)
    (0.831777, 0.873108, 2.772589)
    >>> round(found.variation, 6), round(found.largest_variation, 6)
    (0.6, 0.6)
    """
    first, second = posterior(family, prior, x), posterior(family, prior, y)
    if not isinstance(first, Finite | Gamma | Beta):
        raise TypeError(f"prior must be a Finite, Gamma or Beta law, got {type(prior).__name__}")
    losses = privacy_loss(first, second), privacy_loss(second, first)
    return Robustness(
        distance=family.distance(x, y),
        divergence=kullback_leibler(first, second),
        variation=total_variation(first, second),
        loss=losses[0],
        width=math.inf if math.inf in losses else plain(losses[0] + losses[1]),
        lipschitz=lipschitz_bound(family, prior),
        family=family,
        prior=prior,
        data=(x, y),
    )
