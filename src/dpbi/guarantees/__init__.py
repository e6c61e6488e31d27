r"""What privacy can a mechanism guarantee, and what do several mechanisms guarantee together?

A mechanism is \((\varepsilon, \delta)\)-differentially private if, for all neighbours x, x' and all sets S of outputs,
\[ \Pr[M(x) \in S] \le e^{\varepsilon} \Pr[M(x') \in S] + \delta . \]
Here neighbours differ in one replaced record, and n is fixed and public. All values are computed in the current
arithmetic, either in doubles or in Arb balls. The parameters of a guarantee are fields, for example ``PureDP.epsilon``
or ``ZCDP.rho``. Every guarantee has the methods ``epsilon_at(delta)`` and ``delta_at(epsilon)``, which return the
smallest epsilon that the guarantee implies at a given delta, and the smallest delta at a given epsilon. For ``ZCDP``
and ``RDP``, these methods return upper bounds on the smallest values.

- ``PureDP``, ``ApproxDP``: differential privacy with \(\delta = 0\), and with any \(\delta\)
- ``BoundedRange``: the guarantee of an exponential mechanism; ``range_epsilon``: bounds on the epsilon of many
  exponential mechanisms
- ``ZCDP``, ``RDP``: bounds on the Rényi divergences at all orders, and at listed orders
- ``GaussianDP``, ``gaussian_mechanism``: the guarantee of Gaussian noise, with an exact privacy profile
- ``compose``, ``repeated_delta``: the guarantee of several mechanisms together, and the exact worst-case delta of a
  repeated mechanism
- ``total_cost``: the total cost of a list of guarantees (the package dp-accounting can compose privacy loss
  distributions)
- ``uses_within``, ``largest_count``: how many uses of a mechanism fit in a budget
- ``subsampled``: the Rényi guarantee of a mechanism on a secret random batch
- ``worst_pair``: the worst pair of output distributions under a guarantee

The module ``dpbi.divergences`` computes divergences between two given distributions.
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
