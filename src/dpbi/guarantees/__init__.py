r"""What privacy can be promised, and what do several promises add up to?

A mechanism is \((\varepsilon, \delta)\)-differentially private when for all neighbours x, x' and all sets S of outputs
\[ \Pr[M(x) \in S] \le e^{\varepsilon} \Pr[M(x') \in S] + \delta . \]
Neighbours here differ in one replaced record; n is fixed and public. Everything is computed in the current arithmetic,
doubles or balls.

- ``PureDP``, ``ApproxDP``: this promise, with \(\delta = 0\) and with any \(\delta\)
- ``epsilon`` and ``epsilon_at(delta)`` of ``PureDP``, ``ApproxDP`` and ``BoundedRange``: the epsilon that is promised,
  and the one that follows at a delta; the other kinds promise no single epsilon, and have ``epsilon(delta)`` only
- ``BoundedRange``: the promise of exponential mechanisms; ``range_epsilon``: bounds on the cost of many
- ``ZCDP``, ``RDP``: bounds on the Rényi divergences, at all orders at once and order by order
- ``GaussianDP``, ``gaussian_mechanism``: the promise of normal noise, with its exact privacy profile
- ``compose``, ``repeated_delta``: several mechanisms together, and the exact worst delta of a repeated one
- ``total_cost``: the cost of a list of guarantees; the package dp-accounting composes privacy loss distributions
- ``uses_within``, ``largest_count``: how many uses fit in a budget
- ``subsampled``: a mechanism on a secret random batch, by its Rényi divergences
- ``worst_pair``: the worst pair of laws under a promise

Divergences of any two laws are in ``dpbi.divergences``.
"""

from .composition import Guarantee, TotalCost, compose, pure_epsilon, repeated_delta, total_cost, uses_within
from .concentrated import RDP, ZCDP
from .counting import largest_count
from .gaussian import GaussianDP, gaussian_mechanism
from .pure import ApproxDP, BoundedRange, PureDP, two_outputs
from .ranges_together import range_epsilon
from .subsampling import subsampled
from .worst_case import worst_pair

__all__ = [
    "RDP",
    "ZCDP",
    "ApproxDP",
    "BoundedRange",
    "GaussianDP",
    "Guarantee",
    "PureDP",
    "TotalCost",
    "compose",
    "gaussian_mechanism",
    "largest_count",
    "pure_epsilon",
    "range_epsilon",
    "repeated_delta",
    "subsampled",
    "total_cost",
    "two_outputs",
    "uses_within",
    "worst_pair",
]
