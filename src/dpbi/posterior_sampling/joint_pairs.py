r"""Two laws of several numbers: exactly by their columns, else between two numbers that are proved.

Without columns (``columns``) there are the integrals \(I_s = \int p^s q^{1-s}\) (``powers``), which N draws raise to
the power N. Their logarithm is convex in s, with the slope \(D(p \| q)\) at s = 1, where it is zero:

\[ -\tfrac1h \ln I_{1-h} \le D(p \| q) \le \tfrac1h \ln I_{1+h} . \]

With \(c = e^{\varepsilon}\), B the affinity \(I_{1/2}\) and \(m = \int \min(p, cq)\),

\[ \tfrac12\Bigl(1 + c - \sqrt{(1 + c)^2 - 4cB^2}\Bigr) \le m \le \sqrt c\,B , \]

the first as \(cB^2 \le \int\min\int\max\), and \(\delta = 1 - m\). For \(\varepsilon = 0\) Hoelder's inequality for
\(x = (p - q) / \sqrt{pq}\) under \(\sqrt{pq}\), \(\int|x| \ge (\int x^2)^{3/2} / (\int x^4)^{1/2}\) and
\(\int|x| \le (B\int x^2)^{1/2}\), is nearer where the laws are near; and \(\delta\) is at most \(\tanh\frac w4\) for a
log ratio that ranges over w.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..arithmetic import exp, maximum, minimum, number, plain, sqrt, tanh
from .columns import Column, columns
from .powers import Ends, highest, log_mass, log_power

STEPS = ("1/2", "1/10", "1/100", "1/1000", "1/10000")
"""The h of the slopes."""

BINOMIALS = {2: ((1.5, 1), (0.5, -2), (-0.5, 1)), 4: ((2.5, 1), (1.5, -4), (0.5, 6), (-0.5, -4), (-1.5, 1))}
r"""The s of the \(I_s\) that \(\int x^k\sqrt{pq}\) is a sum of, with their factors."""


@dataclass(frozen=True, eq=False)
class JointPair:
    """Two laws of one kind on one support; ``parts`` are the pairs of their columns, if they are known."""

    p: Any
    q: Any
    parts: Sequence[Any] | None

    @cached_property
    def columns(self) -> list[Column] | None:
        """The pairs of laws of independent numbers."""
        return None if self.parts is None else [[part.p, part.q] for part in self.parts]

    @property
    def loss(self) -> Any:
        """The supremum of the log ratio."""
        return self._known("loss", self.loss_between)

    @property
    def divergence(self) -> Any:
        r"""\(D(p \| q)\)."""
        return self._known("divergence", self.divergence_between)

    @property
    def variation(self) -> Any:
        """Total variation."""
        return self.delta(number(0))

    def delta(self, epsilon: Any) -> Any:
        r"""\(\int (p - e^{\varepsilon} q)_+\), of one column."""
        if self.parts is not None and len(self.parts) < 2:
            return self.parts[0].delta(epsilon) if self.parts else number(0)
        return self._known("variation", self.deltas(epsilon, 1))

    def _known(self, name: str, ends: Ends) -> Any:
        if ends[0] is ends[1]:
            return ends[0]
        raise TypeError(
            f"p and q must be laws whose {name} is known, got two {type(self.p).__name__} laws with a {name} between "
            f"{float(ends[0]):.6g} and {float(ends[1]):.6g}: {name}_between has both"
        )

    @cached_property
    def loss_between(self) -> Ends:
        """The supremum of the log ratio, between two numbers."""
        if self.parts is not None:
            total = sum((part.loss for part in self.parts), number(0))
            return total, total
        top, p, q = highest(self.p, self.q), log_mass(self.p), log_mass(self.q)
        return (top, top) if top == math.inf else (maximum(top + q[0] - p[1], 0), maximum(top + q[1] - p[0], 0))

    @cached_property
    def width(self) -> Any:
        """What the log ratio ranges over."""
        tops = highest(self.p, self.q), highest(self.q, self.p)
        return math.inf if math.inf in tops else tops[0] + tops[1]

    @cached_property
    def divergence_between(self) -> Ends:
        r"""\(D(p \| q)\), between two numbers."""
        if self.parts is not None:
            total = sum((part.divergence for part in self.parts), number(0))
            return total, total
        low, high = number(0), math.inf
        for step in map(number, STEPS):
            below, above = (log_power(self.p, self.q, s)[1] for s in (1 - step, 1 + step))
            if below != math.inf:
                low = maximum(low, -below / step)
            if above != math.inf:
                high = above / step if high == math.inf else minimum(high, above / step)
        return low, minimum(high, self.width) if self.width != math.inf else high

    @cached_property
    def log_affinity(self) -> Ends:
        r"""\(\ln \int \sqrt{pq}\), between two numbers."""
        low, high = log_power(self.p, self.q, number(1) / 2)
        return low, minimum(high, 0)

    def affinity(self, size: int) -> Ends:
        """The affinity of so many draws."""
        low, high = (exp(size * end) if end != -math.inf else number(0) for end in self.log_affinity)
        return low, high

    def deltas(self, epsilon: Any, size: int) -> Ends:
        """The least delta of so many draws, between two numbers."""
        (low, high), c = self.affinity(size), exp(epsilon) if epsilon < 700 else math.inf
        if c == math.inf:
            return number(0), number(1)
        inside = maximum((1 + c) ** 2 - 4 * c * low**2, 0)
        most = 1 - 2 * c * low**2 / (1 + c + sqrt(inside))
        least = maximum(1 - sqrt(c) * high, 0)
        if self.width != math.inf:
            most = minimum(most, tanh(size * self.width / 4))
        if epsilon == 0:
            moments = self._by_moments(size)
            least, most = maximum(least, moments[0]), minimum(most, moments[1])
        return plain(least), plain(maximum(most, least))

    def _by_moments(self, size: int) -> Ends:
        """Total variation by Hoelder's inequality."""
        found = []
        for k in (2, 4):
            sums: list[Any] = [number(0), number(0)]
            for s, factor in BINOMIALS[k]:
                ends = log_power(self.p, self.q, number(s))
                if not -math.inf < ends[0] <= ends[1] < 700 / size:
                    return number(0), number(1)
                for i in (0, 1):
                    sums[i] = sums[i] + factor * exp(size * ends[i if factor > 0 else 1 - i])
            found.append(sums)
        (second, above), (_, fourth) = found
        most = minimum(sqrt(maximum(above, 0) * self.affinity(size)[1]) / 2, 1)
        if not (second > 0 and fourth > 0):
            return number(0), most
        return second * sqrt(second / fourth) / 2, most


def joint_pair(p: Any, q: Any, pair: Any) -> JointPair:
    """Two laws of one kind on one support, with the pairs of their columns."""
    if type(p) is not type(q) or _support(p) != _support(q):
        raise ValueError(f"p and q must be of one kind on one support, got {p!r} and {q!r}")
    found = columns([p, q])
    return JointPair(p, q, None if found is None else [pair(*column) for column in found])


def _support(law: Any) -> Any:
    """What two laws must have in common."""
    if hasattr(law, "concentrations"):
        return [table.shape for table in law.concentrations], law.floor
    return law.ends if hasattr(law, "ends") else (len(law.scale), law.largest)
