"""Worst privacy loss of EHD with three or more categories: at least half of its budget, and an upper bound."""

from ...arithmetic import expm1, largest, log1p, minimum, number, numbers
from ...mechanisms import ehd
from ...model import count_vectors, global_sensitivity
from ...model.datasets import moves
from ...model.distances import lattice_distances
from ...privacy import audit
from .. import at_least, at_most, grid, statement


@statement(
    "beyond/half-at-least",
    "Half of the budget",
    says=r"EHD loses at least $\varepsilon / 2$ for $k \ge 3$",
    given=lambda prior: len(prior) >= 3,
    cases=grid(prior=[(1, 1, 1), (0.3, 0.3, 0.3, 2), (1e-12, 1e-12, 1000)], n=[1, 4], epsilon=[0.01, 1]),
)
def half_at_least(prior, n, epsilon):
    r"""No constant less than 1 bounds the share that is lost for all priors and n: at the prior (1e6, 1e12, 1e12), n = 8
    and a small \(\varepsilon\) it is 0.97.

    Proof: take the two datasets whose distance is GS. Each is likelier to release itself, by \(e^{\varepsilon/2}\) times
    a ratio of normalisers. It is \(Z(y)/Z(x)\) in one direction and \(Z(x)/Z(y)\) in the other, and one is at least one.
    """
    return audit(ehd(epsilon), prior, int(n)).epsilon, at_least(epsilon / 2)


@statement(
    "beyond/half-at-most",
    "Half of the budget",
    says=r"EHD loses at most $\max_{x \sim y} \Bigl[\lambda H(x, y) + \min\bigl\{\lambda H(x, y), \ln(1 + (e^\lambda - 1) S(y) / N)\bigr\}\Bigr]$, "
    r"$S(y) = \sum_r (1 - H(y, r)^2)$, $\lambda = \varepsilon / (2\,GS)$, with $N$ candidates, for $k \ge 3$",
    given=half_at_least.given,
    cases=half_at_least.cases,
)
def half_at_most(prior, n, epsilon):
    r"""Proof: by the triangle inequality the worst output is the dataset itself, and
    \(Z(y) \le e^{\lambda H(x, y)} Z(x)\). \(e^{-\lambda H} = \sum_m p_m e^{-mD}\) with \(p_0 = e^{-\lambda}\),
    \(p_m \ge 0\) and \(e^{-D} = 1 - H^2\); so a normaliser lies between \(e^{-\lambda} N\) and
    \(e^{-\lambda} N + (1 - e^{-\lambda}) S\). The ratio of two is at most \(1 + (e^\lambda - 1) S / N\).
    """
    datasets = count_vectors(int(n), len(prior))
    distances = lattice_distances(numbers(prior), datasets)
    rate = epsilon / (2 * global_sensitivity(number(prior), int(n)))
    shares = (1 - distances**2).sum(axis=-1) / len(datasets)
    bounds = []
    for x, y in moves(int(n), len(prior)):
        near = rate * distances[x, y]
        bounds.append(largest(near + minimum(near, log1p(expm1(rate) * shares[y]))))
    return audit(ehd(epsilon), prior, int(n)).epsilon, at_most(largest(bounds))
