r"""What privacy can be promised: notions as values, how they compose, and the divergences that define them.

A mechanism is \((\varepsilon, \delta)\)-differentially private when for all neighbours x, x' and all sets S of outputs
\[ \Pr[M(x) \in S] \le e^{\varepsilon} \Pr[M(x') \in S] + \delta . \]
Neighbours here differ in one replaced record; n is fixed and public. Everything is computed over the numbers that are
current: doubles or balls.

- ``PureDP``, ``ApproxDP``: the promise itself, with \(\delta = 0\) and with any
- ``BoundedRange``: the promise of exponential mechanisms; ``range_epsilon``: what many cost, between two ends
- ``ZCDP``, ``RDP``: bounds on the Rényi divergences, at all orders at once and order by order
- ``GaussianDP``, ``gaussian_mechanism``: what added normal noise promises, with its exact profile
- ``Level``: an epsilon or delta that is a number and a curve
- ``compose``, ``repeated_delta``: several mechanisms together, and the exact worst of one that is repeated
- ``total_cost``: what a list of guarantees costs; for many uses by their privacy losses take the package dp-accounting
- ``uses_within``, ``largest_count``: how many uses a budget has room for
- ``subsampled``: a mechanism on a secret random batch, by its Rényi divergences
- ``hockey_stick_divergence``, ``renyi_divergence``: how far apart two finite laws are
- ``delta_of_losses``: the first of them from the losses of the outputs
- ``worst_pair``, ``log_probabilities``: the laws that a promise leaves hardest to tell apart; laws as logarithms
"""

from .bounded_range import BoundedRange, two_outputs
from .composition import Guarantee, TotalCost, compose, pure_epsilon, repeated_delta, total_cost, uses_within
from .concentrated import RDP, ZCDP
from .counting import largest_count
from .finite_laws import delta_of_losses, hockey_stick_divergence, log_probabilities, renyi_divergence, worst_pair
from .gaussian import GaussianDP, gaussian_mechanism
from .levels import Level
from .pure import ApproxDP, PureDP
from .ranges_together import range_epsilon
from .subsampling import subsampled

__all__ = [
    "RDP",
    "ZCDP",
    "ApproxDP",
    "BoundedRange",
    "GaussianDP",
    "Guarantee",
    "Level",
    "PureDP",
    "TotalCost",
    "compose",
    "delta_of_losses",
    "gaussian_mechanism",
    "hockey_stick_divergence",
    "largest_count",
    "log_probabilities",
    "pure_epsilon",
    "range_epsilon",
    "renyi_divergence",
    "repeated_delta",
    "subsampled",
    "total_cost",
    "two_outputs",
    "uses_within",
    "worst_pair",
]
