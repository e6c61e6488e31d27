r"""What to keep of a run: what was drawn, and what was spent, by which count.

Of draws on the same data that differ in nothing but chance, the log ratios add up, whatever the prior and the size of
each: after \(k\) calls with widths \(w_i\) they range over at most \(\sum N_i w_i\), which is also what total variation
is computed from, and concentrated privacy has \(\sum N_i w_i^2 / 8\).

>>> from dpbi.posterior_sampling import bernoulli, cost, uniform
>>> once = cost(bernoulli(), uniform([0.2, 0.8]), 2).receipt()
>>> print(once)  # doctest: +ELLIPSIS
2 draws of bernoulli, Finite law on 2 parameters: epsilon 5.54518, zCDP 1.92181...
spent, to replace one record: epsilon 5.54518, zCDP 1.92181, total variation at most ...; printed bound 5.54518
The draws are right to the rounding of doubles and not for release as they are.
"""

from dataclasses import dataclass
from typing import NamedTuple

from ..arithmetic import plain
from ..guarantees import ZCDP, PureDP
from .bounds import largest_variation
from .finite import Finite
from .laws import ParameterLaw, Tables, Wishart

NOT_FOR_RELEASE = "The draws are right to the rounding of doubles and not for release as they are."


@dataclass(frozen=True)
class Entry:
    """What one call drew and spent: epsilon is Nw, rho that of concentrated privacy, printed the bound of the paper."""

    family: str
    prior: str
    size: int
    epsilon: float
    exact: bool  # whether w is that number, or a bound on it
    rho: float
    printed: float


class Receipt(NamedTuple):
    """What draws on one data set spent, for one kind of neighbours."""

    neighbours: str
    entries: tuple[Entry, ...]

    @property
    def epsilon(self) -> PureDP:
        """What was spent in all, as pure privacy."""
        return PureDP(plain(sum(entry.epsilon for entry in self.entries)))

    @property
    def concentrated(self) -> ZCDP:
        """What was spent in all, as concentrated privacy."""
        return ZCDP(plain(sum(entry.rho for entry in self.entries)))

    @property
    def total_variation(self) -> float:
        """What was spent in all, as the largest total variation."""
        return largest_variation(float(self.epsilon.epsilon))

    @property
    def printed(self) -> float:
        r"""The sum of the bounds \(2NL\rho\) of Theorem 8."""
        return plain(sum(entry.printed for entry in self.entries))

    def __str__(self) -> str:
        lines = [
            f"{entry.size} {'draw' if entry.size == 1 else 'draws'} of {entry.family}, {entry.prior}: "
            f"epsilon {entry.epsilon:.6g}{'' if entry.exact else ' at most'}, zCDP {entry.rho:.6g}, "
            f"printed bound {entry.printed:.6g}"
            for entry in self.entries
        ]
        spent = (
            f"spent, to {self.neighbours}: epsilon {float(self.epsilon.epsilon):.6g}, "
            f"zCDP {self.concentrated.rho:.6g}, total variation at most {self.total_variation:.6g}; "
            f"printed bound {self.printed:.6g}"
        )
        return "\n".join([*lines, spent, NOT_FOR_RELEASE])


def described(prior: ParameterLaw) -> str:
    """A prior in a few words, without its weights."""
    if isinstance(prior, Finite):
        return f"Finite law on {len(prior.parameters)} parameters"
    if isinstance(prior, Tables):
        return f"Tables with entries of at least {prior.floor:g}"
    if isinstance(prior, Wishart):
        return f"Wishart({prior.degrees:g}) with eigenvalues of at most {prior.largest:g}"
    return repr(prior)
