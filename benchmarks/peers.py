"""Who else draws from an exponential mechanism: plain enumeration in NumPy, diffprivlib and OpenDP.

Nothing here uses the library: the peers are given scores, and one of the enumerations finds the sensitivity as well.
"""

import sys
import types
from collections.abc import Callable

import numpy as np
from scipy.special import gammaln
from scipy.stats import chi2


def datasets(n: int, k: int) -> np.ndarray:
    """All count vectors of two or three categories, in plain NumPy."""
    if k == 2:
        first = np.arange(n + 1)
        return np.column_stack([first, n - first])
    first, second = np.nonzero(np.add.outer(np.arange(n + 1), np.arange(n + 1)) <= n)
    return np.column_stack([first, second, n - first - second])


def searched_rate(prior: np.ndarray, counts: np.ndarray, epsilon: float) -> float:
    r"""The rate of EHDS by its definition: the largest of \(1/(1/LS(x') + d(x, x'))\) among all datasets."""
    every = datasets(int(counts.sum()), len(counts))
    a = prior + every
    up, down = (gammaln(z + 0.5) - (gammaln(z) + gammaln(z + 1)) / 2 for z in (a, np.where(every, a - 1, np.nan)))
    pairs = [up[:, i] + down[:, j] for i in range(len(counts)) for j in range(len(counts)) if i != j]
    local = np.sqrt(-np.expm1(np.fmin.reduce(pairs)))
    return epsilon / 4 * (1 / local + np.abs(every - counts).sum(axis=1) / 2).min()


def listed(prior: np.ndarray, counts: np.ndarray, rate: float) -> tuple[np.ndarray, np.ndarray]:
    """All candidates and their scores, in plain NumPy with the textbook formula of the distance."""
    candidates = datasets(int(counts.sum()), len(counts))
    a, b = prior + counts, prior + candidates
    log_affinity = (gammaln((a + b) / 2) - (gammaln(a) + gammaln(b)) / 2).sum(axis=1)
    return candidates, -rate * np.sqrt(-np.expm1(np.minimum(log_affinity, 0.0)))


def enumeration(scores: np.ndarray, rng: np.random.Generator, size: int) -> np.ndarray:
    total = np.cumsum(np.exp(scores))
    return np.searchsorted(total, rng.random(size) * total[-1], side="right")


def diffprivlib_draws(scores: np.ndarray) -> Callable[[], int]:
    # its models need an older scikit-learn than the one installed; its mechanisms need none
    sys.modules.setdefault("diffprivlib.models", types.ModuleType("diffprivlib.models"))
    from diffprivlib.mechanisms import Exponential

    mechanism = Exponential(
        epsilon=2.0, sensitivity=1.0, utility=list(scores), candidates=list(range(len(scores))), random_state=1
    )
    return mechanism.randomise


def opendp_draws(gumbel: bool) -> Callable[[np.ndarray], Callable[[], int]]:
    def draws(scores: np.ndarray) -> Callable[[], int]:
        import opendp.prelude as dp

        dp.enable_features("contrib")
        measure = dp.zero_concentrated_divergence() if gumbel else dp.max_divergence()
        domain = dp.vector_domain(dp.atom_domain(T=float, nan=False))
        noisy_max = dp.m.make_noisy_max(domain, dp.linf_distance(T=float), measure, scale=1.0)
        return lambda: noisy_max(scores)

    return draws


PEERS = {
    "diffprivlib Exponential": diffprivlib_draws,
    "opendp noisy max, pure": opendp_draws(gumbel=False),
    "opendp noisy max, zCDP": opendp_draws(gumbel=True),
}


def drawn_law(draws: Callable[[np.ndarray], Callable[[], int]]) -> tuple[str, float, float]:
    """Which law a peer draws from, by 20 000 draws among three candidates: its name, and the p-values of both."""
    scores = np.array([0.0, -1.0, -2.0])
    draw = draws(scores)
    seen = np.bincount([draw() for _ in range(20_000)], minlength=3)
    q = np.exp(scores)
    # permute-and-flip: in random order, take i with probability q_i; the best has q = 1
    orders = [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]
    flipped = np.zeros(3)
    for order in orders:
        left = 1 / 6
        for i in order:
            flipped[i] += left * q[i]
            left *= 1 - q[i]
    p = [float(chi2.sf(((seen - 20_000 * law) ** 2 / (20_000 * law)).sum(), 2)) for law in (q / q.sum(), flipped)]
    return ("exponential mechanism" if p[0] > p[1] else "permute-and-flip"), p[0], p[1]
