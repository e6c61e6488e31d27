"""Section 4.5: Le Cam's bound, Lemma 18."""

from typing import Any

from ...arithmetic import remembered
from ...posterior_sampling import bernoulli, le_cam
from ...posterior_sampling.guessing import LeCam
from ..claim import NOT_CHECKABLE, grid
from .priors import bernoulli_prior
from .source import ADVERSARY, PAPER


@remembered
def guessing(step: Any, n: Any) -> LeCam:
    """Guessing n records from one draw, when only the number of ones is not known."""
    datasets = [[1] * ones + [0] * (int(n) - ones) for ones in range(int(n) + 1)]
    return le_cam(bernoulli(), bernoulli_prior(step), datasets)


@PAPER.item(
    "lemma-18",
    "Lemma 18 (Le Cam)",
    cases=grid(step=[0.2], n=[1, 2, 4, 8]),
    relation=">=",
    calls=le_cam,
    page=ADVERSARY,
)
def risk(step: Any, n: Any) -> Any:
    """The least worst error of guessing the number of ones from one draw."""
    return guessing(step, n).risk


@risk.said(
    r"\rho(\mathcal S_1, \mathcal S_2) \ge 2\delta \implies \sup_x \mathbb E_\xi[\rho(\psi, x) \mid x] \ge \delta \sup_{\xi_i \in \mathrm{co}(\Xi_i)} \int \min(d\xi_1, d\xi_2)",
    proof=True,
    tight={"step": 0.2, "n": 1},
)
def lemma_18(step: Any, n: Any) -> Any:
    r"""By the triangle inequality \(\rho(\psi, \mathcal S_1) + \rho(\psi, \mathcal S_2) \ge 2\delta\). The supremum is
    at least the average of the two mixed risks, which is at least \(\frac12 \cdot 2\delta \int \min(d\xi_1, d\xi_2)\).
    The exact side is the minimax risk of guessing the number of ones from one draw, a linear program. The other side
    is the best bound over all pairs of an initial and a final segment and their mixtures, each of them a linear
    program too. Doubles propose the solutions of a program and of its dual, and their values in exact arithmetic
    enclose the truth. For N draws the laws are those of N draws.
    """
    return guessing(step, n).bound


rates = PAPER.item(
    "section-4.5-rates",
    "Section 4.5, after Lemma 18",
    cases=[{"step": 0.2, "n": 2}],
    relation=">=",
    calls=le_cam,
    page=ADVERSARY,
)(risk.exact)


@rates.said(
    r"\text{minimax rates of } O(n^{-4/9}) \text{ and } O(n^{-4/5})",
    uncheckable=r"the rates are those of other estimation problems, quoted without a family, a prior or a constant; for a finite family the explicit version is Lemma 18 itself",
    expected=NOT_CHECKABLE,
)
def section_4_5_rates(step: Any, n: Any) -> Any:
    r"""The case shows Lemma 18 with its exact minimax risk."""
    return guessing(step, n).bound
