"""Section 4.5: Le Cam's bound, Lemma 18."""

from ... import posterior_sampling as ps
from .. import at_least, grid, statement
from .cases import COIN, bernoulli_prior, ones_first


@statement(
    "posterior-sampling/lemma-18",
    "Lemma 18 (Le Cam)",
    says=r"$\rho(\mathcal S_1, \mathcal S_2) \ge 2\delta$ implies $\sup_x \mathbb E_\xi[\rho(\psi, x) \mid x] \ge \delta \sup_{\xi_i \in \mathrm{co}(\Xi_i)} \int \min(d\xi_1, d\xi_2)$",
    cases=grid(step=[0.2], n=[1, 2, 4, 8]),
)
def lemma_18(step, n):
    r"""The exact side is the minimax risk of guessing the number of ones from one draw, a linear program. The other side
    is the best bound over all pairs of an initial and a final segment and their mixtures, each of them a linear
    program too. Doubles propose the solutions of a program and of its dual, and their values in exact arithmetic
    enclose the truth. For N draws the laws are those of N draws.

    Proof: by the triangle inequality \(\rho(\psi, \mathcal S_1) + \rho(\psi, \mathcal S_2) \ge 2\delta\). The supremum
    is at least the average of the two mixed risks, which is at least \(\frac12 \cdot 2\delta \int \min(d\xi_1, d\xi_2)\).
    """
    found = ps.le_cam(COIN, bernoulli_prior(step), [ones_first(ones, n) for ones in range(int(n) + 1)])
    return found.risk, at_least(found.bound)


section_4_5_rates = statement(
    "posterior-sampling/section-4.5-rates",
    "Section 4.5, after Lemma 18",
    says=r"minimax rates of $O(n^{-4/9})$ and $O(n^{-4/5})$",
    why="the rates are those of other estimation problems, quoted without a family, a prior or a constant; for a finite family the explicit version is Lemma 18 itself",
    cannot=True,
    cases=[{"step": 0.2, "n": 2}],
)(lemma_18.body)
