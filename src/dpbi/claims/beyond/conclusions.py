r"""What is concluded from a release: posteriors given noise, bounds and sums that list no candidates."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import betainc

from ...accuracy import error_law, error_quantile, mean_error, simulated_error
from ...arithmetic import number
from ...inference import aware_intervals, given_noise, given_output
from ...mechanisms import MECHANISMS
from ...model import count_vectors, marginal
from ...optimum import least_mean_error, least_worst_error, minimax_remap
from ...optimum.programs import Optimum
from ..claim import HOLDS, grid
from ..item import only_in_doubles
from ..sampled import allowed
from .draws import RANDOM
from .source import ANY_SIZE, BEST, HONEST, LIBRARY

MIXTURE = "the posterior is a mixture of Beta distributions, in doubles"


def weight_of(mechanism: str, epsilon: float, moved: Any) -> Any:
    """The weight of noise, up to a factor; ``moved`` is what it added to each count, the last axis the categories."""
    own = moved[..., :-1]  # the last count has no noise of its own, or what the others leave
    k = moved.shape[-1]
    rate = epsilon if k == 2 else epsilon / 2
    match mechanism:
        case "geometric":
            size = np.abs(own)
        case "lattice_laplace":
            rate, size = epsilon / 2, np.abs(moved)
        case "staircase":
            size = np.ceil(np.abs(own) / 2)
        case _:  # the floor of Laplace noise: the mass of [z, z + 1), which falls by the same factor on either side
            size = np.where(own >= 0, own, -own - 1)
    return np.exp(-rate * size.sum(axis=-1))


@LIBRARY.item(
    "posterior-given-noise",
    "given_noise",
    cases=[
        *grid(mechanism=["lshist", "geometric", "staircase"], prior=[(1, 2)], noisy=[(9, 3), (14, -2)], epsilon=[0.7]),
        *grid(mechanism=["lshist", "geometric", "staircase"], prior=[(1, 0.5, 2)], noisy=[(4, -1, 5)], epsilon=[1.5]),
        {"mechanism": "lattice_laplace", "prior": (1, 0.5, 2), "noisy": (7, -2, 3), "epsilon": 0.7},
    ],
    calls=given_noise,
    page=HONEST,
)
def mean_share(mechanism: Any, prior: Any, noisy: Any, epsilon: Any) -> Any:
    """The mean and the spread of the first share, given noisy counts."""
    only_in_doubles(MIXTURE)
    share = given_noise(prior, sum(noisy), noisy, epsilon, mechanism)[0]
    return share.mean + share.variance


@mean_share.said(
    r"E[\theta_1 \mid z] + \mathrm{Var}[\theta_1 \mid z] \text{ from }"
    r" p(\theta \mid z) \propto \sum_x \Pr[x]\,\Pr[z \mid x]\,\mathrm{Dir}(\theta; \alpha + x)",
    proof=True,
)
def mean_by_datasets(mechanism: Any, prior: Any, noisy: Any, epsilon: Any) -> Any:
    """The definition, summed over all datasets with the noise written out."""
    n, alpha = sum(noisy), np.array(prior, dtype=float)
    vectors = count_vectors(n, len(alpha))
    p = marginal(alpha, n) * weight_of(mechanism, epsilon, np.array(noisy) - vectors)
    p /= p.sum()
    total = alpha.sum() + n
    share = (alpha[0] + vectors[:, 0]) / total
    mean = float(p @ share)
    square = float(p @ (share * ((alpha[0] + vectors[:, 0] + 1) / (total + 1))))
    return mean + square - mean**2


@LIBRARY.item(
    "posterior-given-output",
    "given_output",
    cases=grid(mechanism=list(MECHANISMS), prior=[(0.5, 2)], output=[(3, 4)], epsilon=[0.8], level=[0.9]),
    calls=given_output,
    page=HONEST,
)
def mass_between(mechanism: Any, prior: Any, output: Any, epsilon: Any, level: Any) -> Any:
    """The posterior mass of the interval, summed over all datasets."""
    only_in_doubles(MIXTURE)
    found, alpha, n = MECHANISMS[mechanism].at(epsilon), np.array(prior, dtype=float), sum(output)
    low, high = given_output(found, prior, n, output)[0].interval(level)
    p = marginal(alpha, n)
    for row, x in enumerate(count_vectors(n, len(alpha))):
        law = found.law(prior, x)
        p[row] *= law.probabilities[(law.outputs == np.array(output)).all(axis=1)].sum()
    a = alpha[0] + count_vectors(n, len(alpha))[:, 0]
    b = alpha.sum() + n - a
    return float(p @ (betainc(a, b, high) - betainc(a, b, low)) / p.sum())


@mass_between.said(r"\Pr[\theta_1 \in I \mid r] = 0.9 \text{ for the interval } I \text{ of that level}", proof=True)
def mass_asked_for(mechanism: Any, prior: Any, output: Any, epsilon: Any, level: Any) -> Any:
    """Bayes' rule with the law of the mechanism at every dataset, whatever the mechanism."""
    return level


@LIBRARY.item(
    "intervals-given-output",
    "aware_intervals",
    cases=grid(mechanism=["lshist", "ehd"], prior=[(0.5, 2)], n=[7], epsilon=[0.8], level=[0.9]),
    calls=(aware_intervals, given_output),
    page=HONEST,
)
def all_ends(mechanism: Any, prior: Any, n: Any, epsilon: Any, level: Any) -> Any:
    """The ends of the intervals of all outputs at once, added up."""
    only_in_doubles(MIXTURE)
    found = aware_intervals(MECHANISMS[mechanism].at(epsilon), prior, n, level)
    return float(np.sum(found.lower) + 2 * np.sum(found.upper))


@all_ends.said(r"\text{the intervals for every output are those that each output gives alone}", proof=True)
def ends_one_by_one(mechanism: Any, prior: Any, n: Any, epsilon: Any, level: Any) -> Any:
    """One posterior for each output, its quantiles solved for."""
    found = MECHANISMS[mechanism].at(epsilon)
    ends = [given_output(found, prior, n, output)[0].interval(level) for output in count_vectors(n, len(prior))]
    return float(sum(low + 2 * high for low, high in ends))


@LIBRARY.item(
    "simulated-error",
    "simulated_error",
    cases=[
        {"prior": (1, 1, 1), "counts": (6, 3, 1), "epsilon": 2.0, "t": 0.4, "size": 20_000, "seed": 1},
    ],
    relation="<=",
    calls=(simulated_error, error_law),
    page=ANY_SIZE,
)
def off_by(prior: Any, counts: Any, epsilon: Any, t: Any, size: Any, seed: Any) -> Any:
    """How far the share of draws is from the exact probability."""
    only_in_doubles(RANDOM)
    found = MECHANISMS["ehds"].at(epsilon)
    estimate = simulated_error(found, prior, counts, t, np.random.default_rng(seed), size)
    return abs(estimate.value - error_law(found, prior, counts).below(t))


@off_by.said(r"|\hat p - \Pr[H < t]| \le \sqrt{\ln(2 / 10^{-9}) / (2N)}", expected=HOLDS)
def by_chance(prior: Any, counts: Any, epsilon: Any, t: Any, size: Any, seed: Any) -> Any:
    """Hoeffding's inequality, beyond which a right simulation is once in a thousand million seeds."""
    return allowed(size)


LINES = [  # so many records that the library does not list them
    {"mechanism": "lshist", "prior": (0.5, 2), "counts": (70_000, 50_000), "epsilon": 0.002},
    {"mechanism": "ehd", "prior": (1, 1), "counts": (100_000, 4), "epsilon": 0.5},
    {"mechanism": "lattice_laplace", "prior": (1, 3), "counts": (60_000, 50_000), "epsilon": 0.4},
]


@LIBRARY.item("mean-error-on-the-line", "mean_error", cases=LINES, calls=mean_error, page=ANY_SIZE)
def mean_on_the_line(mechanism: Any, prior: Any, counts: Any, epsilon: Any) -> Any:
    """The mean error, summed over the moves that matter."""
    only_in_doubles("panels of moves are summed in doubles")
    return mean_error(MECHANISMS[mechanism].at(epsilon), prior, counts)


@mean_on_the_line.said(r"E[H] = \sum_r \Pr[r]\, H(x, r)", proof=True)
def mean_by_the_list(mechanism: Any, prior: Any, counts: Any, epsilon: Any) -> Any:
    """The definition: the law of the error, from the list of all outputs."""
    law = error_law(MECHANISMS[mechanism].at(epsilon), prior, counts)
    return math.fsum(law.distances * law.probabilities)


@LIBRARY.item(
    "quantile-on-the-line",
    "error_quantile",
    cases=[{**LINES[0], "gamma": 0.3}, {**LINES[2], "gamma": 0.01}],
    calls=error_quantile,
    page=ANY_SIZE,
)
def quantile_on_the_line(mechanism: Any, prior: Any, counts: Any, epsilon: Any, gamma: Any) -> Any:
    """The quantile of the error, by bisection along the line of moves."""
    only_in_doubles("panels of moves are summed in doubles")
    return error_quantile(MECHANISMS[mechanism].at(epsilon), prior, counts, gamma)


@quantile_on_the_line.said(r"t_\gamma = \min\{t : \Pr[H \le t] \ge 1 - \gamma\}", proof=True)
def quantile_by_the_list(mechanism: Any, prior: Any, counts: Any, epsilon: Any, gamma: Any) -> Any:
    """The definition: distances in rising order, until their probabilities are enough."""
    law = error_law(MECHANISMS[mechanism].at(epsilon), prior, counts)
    order = np.argsort(law.distances)
    reached = np.cumsum(law.probabilities[order]) >= 1 - gamma
    return float(law.distances[order][np.argmax(reached)])


OPTIMA: dict[str, Callable[..., Optimum]] = {
    "least_mean_error": least_mean_error,
    "least_worst_error": least_worst_error,
    "minimax_remap": lambda prior, n, epsilon: minimax_remap(MECHANISMS["geometric"].at(epsilon), prior, n),
}


@LIBRARY.item(
    "optima-certified",
    "linear programs",
    cases=[
        *grid(program=list(OPTIMA), prior=[(1, 2)], n=[6], epsilon=[0.5]),
        *grid(program=["least_mean_error", "least_worst_error"], prior=[(1, 1, 2)], n=[3], epsilon=[1.0]),
    ],
    relation="<=",
    calls=(least_mean_error, least_worst_error, minimax_remap),
    page=BEST,
)
def left_open(program: Any, prior: Any, n: Any, epsilon: Any) -> Any:
    """How far the best mechanism found is above a bound that no mechanism of the program passes; or below it."""
    only_in_doubles("linear programs are solved in doubles")
    return abs(OPTIMA[program](prior, n, epsilon).gap)


@left_open.said(r"0 \le \text{value} - \text{bound} \le 10^{-7}", expected=HOLDS)
def certified_to(program: Any, prior: Any, n: Any, epsilon: Any) -> Any:
    """The multipliers of the program give a lower bound for every private mechanism that publishes the posterior of
    possible counts, whatever the solver did. That it is also near is what this says.
    """
    return number("1e-7")
