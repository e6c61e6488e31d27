"""Every number that the taught path states as a result, computed by the library: tables and answers."""

import math

import numpy as np
from scipy.optimize import brentq
from scipy.special import betainc
from scipy.stats import beta

import dpbi
from dpbi.inference import given_output, plug_in
from dpbi.mechanisms.remaps import dataset_weights, geometric_remap
from dpbi.plots.looks import LOOKS

FLAT = [1, 1]
CLASS = 20
IN_WORDS = {name: look.words for name, look in LOOKS.items()}
IN_WORDS["ehd"] = f"the {IN_WORDS['ehd']}"


def short(value):
    """Three significant digits."""
    return f"{value:.3g}"


def made(name, epsilon):
    return dpbi.MECHANISMS[name].at(epsilon)


def probabilities(name, epsilon, x, n=CLASS):
    """Probability of every first count that may be published."""
    law = made(name, epsilon).law(FLAT, [x, n - x])
    return dict(zip(law.outputs[:, 0].tolist(), law.probabilities.tolist(), strict=True))


def average_error(mechanism, n):
    """The expected error, averaged over the flat prior."""
    errors = [dpbi.mean_error(mechanism, FLAT, x) for x in dpbi.count_vectors(n, 2)]
    return float(dataset_weights(np.ones(2), n, None) @ errors)


def most(epsilon, before=0.5):
    """The belief that a guess is right, after the release that speaks for it most."""
    return 1 / (1 + (1 - before) / before * math.exp(-epsilon))


def posteriors():
    for n, x in ((20, 14), (200, 140), (2000, 1400)):
        share = plug_in(FLAT, [x, n - x])[0]
        yield [n, x, share.mean, *share.interval(0.95)]


def three_shares():
    counts = [9, 7, 4]
    for name, count, share in zip(("never", "once", "often"), counts, plug_in([1, 1, 1], counts), strict=True):
        yield [name, count, share.mean, *share.interval(0.95)]


def game():
    did, did_not = (probabilities("geometric", 1, x) for x in (14, 13))
    for r in (11, 12, 13, 14, 15, 16):
        yield [r, did_not[r], did[r], did[r] / did_not[r]]


def hundred():
    for epsilon in (0.1, 1, 5):
        yield [epsilon, math.exp(epsilon), 100 * most(epsilon)]


def noise():
    for name in ("geometric", "lshist", "staircase", "lsdim", "lszhang"):
        p = probabilities(name, 1, 14)
        yield [IN_WORDS[name], p[14], sum(p[r] for r in range(12, 17))]


def distance():
    chosen, noisy = (probabilities(name, 2, 14) for name in ("ehd", "geometric"))
    for r in (2, 6, 10, 12, 14, 16, 18):
        H = dpbi.hellinger(dpbi.posterior(FLAT, [14, 6]), dpbi.posterior(FLAT, [r, CLASS - r]))
        yield [r, float(H), chosen[r], noisy[r]]


def simplex():
    for name in ("ehd", "lshist", "geometric", "lattice_laplace"):
        yield [IN_WORDS[name], dpbi.mean_error(made(name, 3), [1, 1, 1], [9, 7, 4])]


def best():
    least = average_error(dpbi.remapped_geometric(0.2), CLASS)
    for name in ("geometric", "lshist", "staircase", "ehdl", "ehd", "randomised_response"):
        error = average_error(made(name, 0.2), CLASS)
        yield [IN_WORDS[name], error, error / least]
    yield ["geometric noise, remapped", least, 1]


def publications(epsilon=0.2, y=CLASS):
    """The expected squared distance from the hidden posterior, given the noisy count, of four things to publish."""
    counts = np.stack([np.arange(CLASS + 1), CLASS - np.arange(CLASS + 1)], axis=1)
    p = np.exp(-epsilon * abs(counts[:, 0] - y))  # every count is as probable under the flat prior
    p /= p.sum()
    f = dpbi.posterior(FLAT, counts)
    squares = p @ dpbi.hellinger(f[:, None], f) ** 2
    shares = (np.arange(2000) + 0.5) / 2000
    densities = np.array([beta.pdf(shares, *each) for each in f])
    mixture = dpbi.given_noise(FLAT, CLASS, [y, CLASS - y], epsilon)[0].density(shares)
    root = dpbi.root_mean(FLAT, CLASS, [y, CLASS - y], epsilon)[0].density(shares)
    yield [f"posterior of {y}, as if there were no noise", squares[y]]
    yield [f"posterior of {squares.argmin()}, the closest possible posterior", squares.min()]
    yield ["mixture", 1 - p @ np.sqrt(densities * mixture).mean(axis=1)]
    yield ["root mean", 1 - p @ np.sqrt(densities * root).mean(axis=1)]


def conclude():
    for epsilon in (0.3, 1, 3):
        aware = given_output(made("geometric", epsilon), FLAT, CLASS, [17, 3])[0]
        yield [epsilon, *aware.interval(0.95), *plug_in(FLAT, [17, 3])[0].interval(0.95)]


def sentence():
    """Mean and interval, in per cent, of the share that the last chapter publishes."""
    share = given_output(made("geometric", 1), FLAT, CLASS, [17, 3])[0]
    return [100 * share.mean, *(100 * end for end in share.interval(0.95))]


def coverage(epsilon=None, n=10):
    def at(budget):
        mechanism = made("geometric", budget)
        return dpbi.inference.coverage(mechanism, FLAT, n, dpbi.inference.plug_in_intervals(mechanism, FLAT, n, 0.95))

    return at(epsilon) if epsilon else ([each, 100 * at(each)] for each in (0.1, 0.3, 1, 3, 10))


TABLES = {
    "posterior": {"posterior": posteriors, "triangle": three_shares},
    "game": {"game": game, "hundred": hundred}, "noise": {"noise": noise},
    "distance": {"distance": distance, "simplex": simplex}, "best": {"best": best, "publications": publications},
    "conclude": {"conclude": conclude, "coverage": coverage},
}  # fmt: skip
"""By chapter and picture: the rows that stand in the picture's place where there are no scripts."""


def asked_until(width):
    """The smallest class, in tens, in which 70 % yes leave an interval no longer than this."""
    n = 10
    while np.diff(plug_in(FLAT, [7 * n // 10, 3 * n // 10])[0].interval(0.95))[0] > width:
        n += 10
    return n


def budget_for_one_off(share):
    """The privacy loss at which geometric noise is at most one off with this probability."""
    return brentq(lambda e: sum(probabilities("geometric", e, 50, 100)[r] for r in (49, 50, 51)) - share, 0.1, 9)


def answers():
    """By chapter, what its answers state, in their order."""
    aware, naive = given_output(made("geometric", 0.5), FLAT, 20, [20, 0])[0], plug_in(FLAT, [20, 0])[0]
    ten = {name: dpbi.mean_error(made(name, 1), FLAT, [5, 5]) for name in ("ehd", "geometric")}
    one = float(dpbi.hellinger([2, 1], [1, 2]))
    remapped = geometric_remap(FLAT, 20, 0.2, [0, 10, 20]).tolist()
    return {
        "posterior": [100 * (1 - betainc(31, 21, 0.5)), asked_until(0.1)],
        "game": [100 * most(0.5), 100 * most(1, 0.9), 100 * (1 - most(1, 0.1))],
        "noise": [100 * probabilities("geometric", 0.5, 14)[14], budget_for_one_off(0.9)],
        "distance": [100 * probabilities("ehd", 1, 1, 1)[1], 100 * most(1), ten["ehd"], ten["geometric"]],
        "best": [one, 100 * (1 - most(1)), average_error(dpbi.remapped_geometric(1), 1), *remapped],
        "conclude": [naive.mean, aware.mean, 100 * coverage(1)],
    }
