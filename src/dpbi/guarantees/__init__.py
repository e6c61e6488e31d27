r"""What privacy can be promised: notions as values, how they compose, and the divergences that define them.

A mechanism is \((\varepsilon, \delta)\)-differentially private when for all neighbours x, x' and all sets S of outputs
\[ \Pr[M(x) \in S] \le e^{\varepsilon} \Pr[M(x') \in S] + \delta . \]
Neighbours here differ in one replaced record; n is fixed and public. Everything is computed over the numbers that are
current: doubles or balls.

- ``PureDP``, ``ApproxDP``: the promise itself, with \(\delta = 0\) and with any
- ``ZCDP``, ``RDP``: bounds on the Rényi divergences, at all orders at once and order by order
- ``GaussianDP``, ``gaussian_mechanism``: what added normal noise promises, with its exact profile
- ``Level``: an epsilon or delta that is a number and a curve
- ``compose``, ``repeated_delta``: several mechanisms together, and the exact worst of one that is repeated
- ``uses_within``, ``largest_count``: how many uses a budget has room for
- ``subsampled``: a mechanism on a secret random batch
- ``hockey_stick_divergence``, ``renyi_divergence``: how far apart two finite laws are
- ``delta_of_losses``: the first of them from the losses of the outputs
- ``worst_pair``, ``log_probabilities``: the laws that a promise leaves hardest to tell apart; laws as logarithms
"""

from .composition import Guarantee, compose, largest_count, repeated_delta, uses_within
from .concentrated import RDP, ZCDP
from .finite_laws import delta_of_losses, hockey_stick_divergence, log_probabilities, renyi_divergence, worst_pair
from .gaussian import GaussianDP, gaussian_mechanism
from .levels import Level
from .pure import ApproxDP, PureDP
from .subsampling import subsampled

__all__ = [
    "RDP",
    "ZCDP",
    "ApproxDP",
    "GaussianDP",
    "Guarantee",
    "Level",
    "PureDP",
    "compose",
    "delta_of_losses",
    "gaussian_mechanism",
    "hockey_stick_divergence",
    "largest_count",
    "log_probabilities",
    "renyi_divergence",
    "repeated_delta",
    "subsampled",
    "uses_within",
    "worst_pair",
]
