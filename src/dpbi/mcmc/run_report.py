"""What a run was: its samples, what they cost, and what may be said of them."""

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..checks import Floats
from ..guarantees import ZCDP, BatchDP, GaussianDP
from .algorithm import Algorithm
from .diagnostics import effective_size, r_hat

MIXED = 1.05
"""An R-hat above this is a chain that has not mixed."""

ENOUGH = 100.0
"""Effective draws below which a mean has fewer than a digit."""

FOR_STUDY = (
    "These chains are for study, not for release: their noise is drawn in floating point from a pseudo-random "
    "generator, and normal noise so drawn does not have the guarantee of the normal law. A release would need the sums "
    "rounded to a lattice with their sensitivity counted there, discrete Gaussian noise from a secure source of "
    "randomness, a starting point and tuning parameters chosen without the data or paid for, and a running time that "
    "does not depend on the rows."
)

RELEASED = (
    "The noise of these chains was drawn on a lattice, exactly, from the operating system's entropy. Not covered are "
    "the time that the computation took, and a likelihood whose numbers for one row depend on another."
)

NOT_PRIVATE = "The shares of clipped rows are computed from the rows without noise: they are not private."


@dataclass(frozen=True, eq=False)
class Run:
    """Chains and what they cost. ``samples`` has the shape (iterations, chains, dimension), the start left out.

    ``cost`` is what all chains together release, None if the algorithm is not private; in a study each chain stands for
    a release of its own, and ``cost`` is that of one. ``clipped`` and ``clipped_gradient`` are None outside a study.
    ``complete`` is False if the run was interrupted: it then holds the iterations that were finished, and its cost
    includes the one that was not.
    """

    algorithm: Algorithm
    start: Floats  # (chains, dimension)
    samples: Floats  # (iterations, chains, dimension)
    accepted: NDArray[np.bool_]  # (iterations, chains)
    cost: GaussianDP | BatchDP | ZCDP | None
    complete: bool
    seconds: float
    clipped: Floats | None = None  # (iterations, chains); not private
    clipped_gradient: Floats | None = None  # (iterations, chains); not private
    names: tuple[str, ...] = ()
    receipt: Mapping[str, Any] | None = field(default=None, repr=False)  # of a run that was made for release

    @property
    def iterations(self) -> int:
        return len(self.samples)

    @property
    def acceptance(self) -> float:
        """The share of proposals accepted."""
        return float(self.accepted.mean()) if self.accepted.size else 0.0

    def whole(self) -> "Run":
        """The same if it was not interrupted: what is made of a part of a run is not what was asked for."""
        if not self.complete:
            raise KeyboardInterrupt(f"the run was interrupted after {self.iterations} iterations")
        return self

    def second_half(self) -> "Run":
        """The later half of the iterations, the earlier taken as the way to the posterior; the cost is that of all."""
        half = self.iterations // 2
        shares = [None if share is None else share[half:] for share in (self.clipped, self.clipped_gradient)]
        samples, accepted = self.samples[half:], self.accepted[half:]
        return replace(self, samples=samples, accepted=accepted, clipped=shares[0], clipped_gradient=shares[1])

    def chain(self, number: int) -> "Run":
        """One chain by itself."""
        one = slice(number, number + 1)
        shares = [None if share is None else share[:, one] for share in (self.clipped, self.clipped_gradient)]
        samples, accepted = self.samples[:, one], self.accepted[:, one]
        first = replace(self, samples=samples, accepted=accepted, start=self.start[one])
        return replace(first, clipped=shares[0], clipped_gradient=shares[1])

    def r_hats(self) -> Floats:
        """R-hat of each parameter."""
        return np.array([r_hat(self.samples[:, :, i]) for i in range(self.samples.shape[2])])

    def effective_sizes(self) -> Floats:
        """The effective sample size of each parameter's mean, of all chains together."""
        return np.array([effective_size(self.samples[:, :, i]) for i in range(self.samples.shape[2])])

    def warnings(self) -> list[str]:
        """What is wrong with the chains: one that never moved, bad mixing, half of the rows clipped."""
        found = []
        still = np.flatnonzero(~self.accepted.any(axis=0))
        if len(still) and self.iterations:
            chains = ", ".join(str(c + 1) for c in still)
            found.append(f"chain {chains} never moved: its samples are its start, and the budget bought nothing")
        later = self.second_half()
        for name, r, size in zip(self.names, later.r_hats(), later.effective_sizes(), strict=False):
            if not r <= MIXED or not size >= ENOUGH:
                found.append(f"{name} mixes badly in the second half: R-hat {r:.3g}, effective sample size {size:.3g}")
        for what, share in (("log ratios", self.clipped), ("gradients", self.clipped_gradient)):
            if share is not None and _mean(share) >= 0.5:
                found.append(f"{100 * _mean(share):.3g} % of the rows' {what} were clipped: clip is too small")
        return found

    def summary(self, delta: float = 1e-6) -> str:
        """One table: the parameters by the second half of the chains, how well these mix, and what they cost."""
        later = self.second_half()
        wide = max(len(name) for name in (*self.names, "parameter"))
        lines = [self._ran(), "", f"{'parameter':{wide}}      mean        sd       5 %      95 %  R-hat    ESS"]
        for i, (name, r, size) in enumerate(zip(self.names, later.r_hats(), later.effective_sizes(), strict=True)):
            x = later.samples[:, :, i]
            low, high = np.quantile(x, [0.05, 0.95]) if x.size else (np.nan, np.nan)
            numbers = "".join(f"{v:10.4g}" for v in (_mean(x), x.std() if x.size else np.nan, low, high))
            lines.append(f"{name:{wide}}{numbers}{r:7.3g}{size:7.0f}")
        lines += ["", f"acceptance {self.acceptance:.3g}", *self._shares(), self._cost(delta)]
        return "\n".join([*lines, *(f"WARNING: {line}" for line in self.warnings())])

    def to_arviz(self) -> Any:
        """The samples as ArviZ has them, chains first: a posterior with a variable for each name, and acceptance."""
        try:
            import arviz
        except ImportError:
            raise ImportError("arviz must be installed for to_arviz: pip install arviz") from None
        posterior = {name: self.samples[:, :, i].T for i, name in enumerate(self.names)}
        groups = {"posterior": posterior, "sample_stats": {"accepted": self.accepted.T}}
        new = int(arviz.__version__.split(".")[0]) >= 1  # which takes one mapping of groups
        return arviz.from_dict(groups) if new else arviz.from_dict(**groups)

    def report(self, delta: float = 1e-6) -> str:
        """What was run, what it cost at a delta, and what it is not."""
        lines = [self._ran(), f"acceptance {self.acceptance:.3g}", *self._shares()]
        if self.clipped is not None:
            lines.append(NOT_PRIVATE)
        lines.append(self._cost(delta))
        if self.iterations and not self.accepted.any():
            lines.append("WARNING: no proposal was accepted: the samples are the start")
        return "\n".join([*lines, *textwrap.wrap(FOR_STUDY if self.receipt is None else RELEASED, 96)])

    def _ran(self) -> str:
        settings = ", ".join(f"{name}={value}" for name, value in self.algorithm.parameters.items())
        chains = self.samples.shape[1]
        many = f"{self.iterations} iterations of {chains} {'chain' if chains == 1 else 'chains'}"
        return f"{self.algorithm.name}({settings})\n{many}" + ("" if self.complete else ", interrupted")

    def _shares(self) -> list[str]:
        if self.clipped is None:
            return []
        shares = [f"clipped ratios {_mean(self.clipped):.3g}"]
        if self.clipped_gradient is not None:
            shares.append(f"clipped gradients {_mean(self.clipped_gradient):.3g}")
        return [", ".join(shares)]

    def _cost(self, delta: float) -> str:
        if self.cost is None:
            return "cost: not private"
        whose = "of each chain by itself" if self.clipped is not None else "of all chains together"
        whose = "" if self.samples.shape[1] == 1 else f" {whose}"
        return f"cost{whose}: epsilon {self.cost.epsilon(delta):.6g} at delta {delta:.3g}"


def _mean(shares: Any) -> float:
    return float(np.nanmean(shares)) if np.size(shares) else 0.0
