r"""What a private prior costs in regret (Section 4.4): restricted to \(\Theta_L\), or another prior altogether.

Utilities are in [0, 1]. A prior \(\xi^\star\) restricted to \(\Theta_L\) has the restricted posterior, so the regret is
at most \(\xi^\star(\Theta_L^c \mid x)\) for each dataset, and on average over the marginal at most
\(1 - \xi^\star(\Theta_L)\); what Theorem 17 prints holds for the average only. A response that loses t under the
restricted posterior loses at most \(\xi^\star(\Theta_L^c \mid x) + \xi^\star(\Theta_L \mid x)\,t\) under the ideal
one: with N draws, t is what N draws lose.
"""

from dataclasses import dataclass, field
from typing import Any

from .. import checks
from ..arithmetic import exp, largest, maximum, number, plain, tanh
from .bounds import largest_divergence, largest_variation
from .families import Family, lipschitz_mass, log_marginal, posterior
from .finite import Finite
from .laws import ParameterLaw
from .measures import kullback_leibler, privacy_loss, total_variation
from .sampling import regret_bound
from .utility import guessing_regret, region_cost


@dataclass(frozen=True)
class PriorCost:
    r"""A prior restricted to \(\Theta_L\): ``lost`` is \(1 - \xi^\star(\Theta_L)\), the mean regret at most."""

    L: float
    lost: float
    family: Family = field(repr=False)
    prior: ParameterLaw = field(repr=False)

    @property
    def printed(self) -> float:
        r"""\(2\|\xi - \xi^\star\|_1 = 4[1 - \xi^\star(\Theta_L)]\), the regret by the proof of Theorem 17.

        It is false for given data.
        """
        return plain(4 * self.lost)

    @property
    def distance(self) -> float:
        r"""\(\|\xi - \xi^\star\|_1\) of the priors."""
        return plain(2 * self.lost)

    def privacy(self, size: int) -> float:
        r"""\(2LN\), the privacy per distance of N draws (Theorem 17, part a)."""
        return plain(2 * self.L * checks.whole("size", size, least=1))

    def outside(self, data: Any) -> float:
        r"""\(\xi^\star(\Theta_L^c \mid x)\), what the regret is at most for this dataset."""
        return _mass_outside(self.family, posterior(self.family, self.prior, data), self.L)

    def posterior_distance(self, data: Any) -> float:
        r"""\(\|\xi(\cdot \mid x) - \xi^\star(\cdot \mid x)\|_1\) of the posteriors: twice the mass outside."""
        return plain(2 * self.outside(data))

    def guessing(self, data: Any) -> float:
        r"""The regret when the question is "which \(\theta\)?", of a finite prior."""
        if not isinstance(self.prior, Finite):
            raise TypeError(f"prior must be a Finite law to guess from, got {type(self.prior).__name__}")
        return guessing_regret(self.family, self.prior, self.L, data)

    def from_draws(self, data: Any, size: int, responses: int, delta: float) -> float:
        r"""What N draws lose on a query with R responses, but for probability \(\delta\) (Theorem 17, part b)."""
        outside = self.outside(data)
        return plain(outside + (1 - outside) * regret_bound(size, responses, delta))


def prior_cost(family: Family, prior: ParameterLaw, L: float) -> PriorCost:
    r"""What restricting a prior to \(\Theta_L\) costs.

    >>> from dpbi.posterior_sampling import bernoulli, weighted
    >>> prior = weighted([0.05, 0.3, 0.5, 0.7, 0.95], [0.005, 0.33, 0.33, 0.33, 0.005])
    >>> found = prior_cost(bernoulli(), prior, 1.0)
    >>> round(found.lost, 6), round(found.printed, 6), round(found.outside([0] * 20), 6)
    (0.01, 0.04, 0.871779)
    >>> round(found.guessing([0] * 20), 6), round(found.from_draws([0] * 20, 100, 2, 0.05), 6)
    (0.743712, 0.903165)
    """
    level = checks.real("L", L, least=0)
    return PriorCost(level, _mass_outside(family, prior, level), family, prior)


def _mass_outside(family: Family, law: ParameterLaw, L: float) -> float:
    r"""\(1 - \xi(\Theta_L)\), of laws that ``lipschitz_mass`` knows."""
    return region_cost(family, law, L) if isinstance(law, Finite) else plain(1 - lipschitz_mass(family, law, L))


@dataclass(frozen=True)
class PriorDifference:
    r"""A private prior in place of an ideal one; ``eta`` is \(\sup_\theta |\ln\frac{\xi^\star}{\xi}|\) (Lemma 15)."""

    eta: float
    divergence: float
    family: Family = field(repr=False)
    ideal: ParameterLaw = field(repr=False)
    private: ParameterLaw = field(repr=False)

    @property
    def printed(self) -> float:
        r"""\(2\eta\), what the mean divergence of the posteriors is at most by Lemma 15."""
        return plain(2 * self.eta)

    @property
    def mean_divergence(self) -> float:
        r"""\(\eta\tanh\frac\eta2\), what it is at most: the sharp bound, at least the ``divergence`` of the priors."""
        return plain(self.eta * tanh(self.eta / 2))

    @property
    def largest_divergence(self) -> float:
        r"""\(h(2\eta)\), what the divergence is at most for each dataset."""
        return largest_divergence(2 * self.eta)

    @property
    def largest_regret(self) -> float:
        r"""\(2\tanh\frac\eta2\), what the regret is at most for each dataset (Corollary 16)."""
        return plain(2 * largest_variation(2 * self.eta))

    def from_draws(self, size: int, responses: int, delta: float) -> float:
        r"""What N draws lose on a query with R responses, but for probability \(\delta\) (Corollary 16)."""
        return plain(self.largest_regret + regret_bound(size, responses, delta))

    def distance_at(self, data: Any) -> float:
        r"""\(\|\xi^\star(\cdot \mid x) - \xi(\cdot \mid x)\|_1\), what the regret is at most for this dataset."""
        return plain(2 * total_variation(*self._posteriors(data)))

    def divergence_at(self, data: Any) -> float:
        r"""\(D(\xi^\star(\cdot \mid x) \| \xi(\cdot \mid x))\)."""
        return kullback_leibler(*self._posteriors(data))

    def mean_over(self, outcomes: Any) -> float:
        r"""\(\mathbb E_{x \sim \phi^\star} D(\xi^\star(\cdot \mid x) \| \xi(\cdot \mid x))\), given all datasets."""
        weights = [exp(log_marginal(self.family, self.ideal, data)) for data in outcomes]
        total = sum(weights, number(0))
        if abs(float(total) - 1) > 1e-9:
            raise ValueError(f"outcomes must be all datasets there are, got some of probability {float(total):g}")
        parts = [weight * self.divergence_at(data) for weight, data in zip(weights, outcomes, strict=True)]
        return plain(sum(parts, number(0)))

    def _posteriors(self, data: Any) -> tuple[Any, Any]:
        return posterior(self.family, self.ideal, data), posterior(self.family, self.private, data)


def prior_difference(family: Family, ideal: ParameterLaw, private: ParameterLaw) -> PriorDifference:
    r"""What a private prior costs whose log ratio to the ideal one is bounded.

    >>> from dpbi.posterior_sampling import bernoulli, weighted
    >>> found = prior_difference(bernoulli(), weighted([0.2, 0.8], [1, 1]), weighted([0.2, 0.8], [3, 2]))
    >>> round(found.eta, 6), round(found.largest_regret, 6), round(found.distance_at([1]), 6)
    (0.223144, 0.222222, 0.145455)
    >>> round(found.mean_over([[0], [1]]), 6), round(found.divergence, 6), found.printed > 0.44
    (0.013159, 0.020411, True)
    """
    eta = largest([privacy_loss(ideal, private), privacy_loss(private, ideal)])
    if float(eta) == float("inf"):
        raise ValueError("ideal and private must have a bounded log ratio, got one that grows without limit")
    return PriorDifference(plain(maximum(eta, 0)), kullback_leibler(ideal, private), family, ideal, private)
