r"""Permute and flip (McKenna and Sheldon 2020): candidates flip coins in random order until one shows heads.

The candidates arrive in random order, each at a uniform random time, and the coin of candidate r shows heads with
probability \(p_r = e^{-\lambda H(x, r)}\). The first candidate whose coin shows heads is released, so that

\[ \Pr[r] = p_r \int_0^1 \prod_{s \ne r} (1 - p_s t)\, dt . \]

The coin of the dataset x shows heads with probability \(p_x = 1\), so some candidate is always released.
"""

from dataclasses import dataclass
from typing import final

import numpy as np

from .. import arithmetic
from ..checks import Floats, Integers
from ..model.datasets import CHUNK_NUMBERS
from .base import EPSILON_DP, Budgeted, Vectorised
from .exponential import ehd
from .law import Law

# measured: with 20 nodes the distributions agree with the exact distributions in tests/test_mechanisms_laws.py
NODES, WEIGHTS = np.polynomial.legendre.leggauss(20)

# a million candidates of weight e^-50 together contribute less than rounding errors
NEGLIGIBLE_EXPONENT = 50.0


def log_flips(log_p: Floats) -> Floats:
    r"""Log probabilities of the outputs of permute and flip, from the log probabilities of heads, whose maximum is 0.

    The integral is computed by Gauss-Legendre quadrature on pieces whose lengths halve towards both ends. One product
    is used for all candidates. Leave out one candidate whose coin shows heads with probability 1, and let G be the
    product over all other candidates. Then the integrand of each other candidate r is \(G(t) (1 - t)/(1 - p_r t)\). The
    pole \(1/p_r\) of this integrand is near 1 if \(p_r\) is near 1. Each piece is no longer than its distance from the
    pole.

    >>> np.exp(log_flips(np.log([1.0, 0.5]))).round(6)
    array([0.75, 0.25])
    >>> np.exp(log_flips(np.array([-1e-17, 0.0]))).round(6)
    array([0.5, 0.5])
    >>> round(float(np.exp(log_flips(np.linspace(-3, 0, 5000))).sum()), 12)  # three chunks of the quadrature
    1.0
    """
    if not arithmetic.in_doubles():
        raise arithmetic.Undecided("the law of permute_and_flip is computed in doubles alone")
    p = np.exp(log_p)
    sure = int(np.argmax(log_p))  # at tiny epsilons all p round to 1, so the largest is found among the logarithms
    others = np.delete(p, sure)
    if not len(others):
        return np.zeros(1)
    # the first piece is short compared with the decay of the product, and the last piece is short compared with the
    # distance to the nearest pole
    first = 0.25 / max(1.0, float(others.sum()))
    last = max(0.25 * float(-np.expm1(np.delete(log_p, sure)).min()), 1e-16)
    rising = np.geomspace(first, 0.5, max(2, 1 + int(np.ceil(np.log2(0.5 / first)))))
    falling = np.geomspace(0.5, min(last, 0.5), max(2, 1 + int(np.ceil(np.log2(max(0.5 / last, 1.0))))))
    ends = np.concatenate([[0.0], rising, 1 - falling[1:], [1.0]])
    half = np.diff(ends)[:, None] / 2
    times, lengths = (ends[:-1, None] + half * (1 + NODES)).ravel(), (half * WEIGHTS).ravel()
    # the product is at most e^(-t sum p), and its integral is at least 1 / (1 + sum p), so later times contribute less
    # than rounding errors
    times, lengths = (each[times * others.sum() <= NEGLIGIBLE_EXPONENT] for each in (times, lengths))
    shares = np.zeros(len(p))
    for some in np.array_split(np.arange(len(times)), 1 + len(times) * len(p) // CHUNK_NUMBERS):
        t = times[some]
        with np.errstate(divide="ignore", invalid="ignore"):  # for the sure candidate, where a node rounds to 1
            weight = lengths[some] * np.prod(1 - np.outer(t, others), axis=1)
            # the divisor 1 - p t is computed from 1 - p, which is accurate even if p is near 1
            share = (1 - t) / (-np.expm1(log_p)[:, None] + p[:, None] * (1 - t))
        share[sure] = 1
        shares += share @ weight
    return np.asarray(np.log(shares) + log_p)


@final
@dataclass(frozen=True)
class permute_and_flip(Vectorised, Budgeted):
    r"""Permute and flip with the scores of ``ehd``, \(p_r = \exp(-\varepsilon H / (2\,GS))\).

    At equal epsilon, the expected error of permute and flip is at most the expected error of ``ehd`` (McKenna and
    Sheldon 2020).

    >>> from dpbi import ehd, mean_error
    >>> round(mean_error(ehd(2.0), [1, 1], [14, 6]), 6), round(mean_error(permute_and_flip(2.0), [1, 1], [14, 6]), 6)
    (0.358278, 0.335945)
    """

    promise = EPSILON_DP

    def _at(self, weights: Floats, x: Integers) -> Law:
        candidates, scores = ehd(self.epsilon).scores(weights, x)
        return Law.known(candidates, np.apply_along_axis(log_flips, -1, scores))
