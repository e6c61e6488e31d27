"""Sections 5.1 to 5.3: Laplace noise rounded down, and bounds on the probability of a large error."""

from ...accuracy import error_tail
from ...arithmetic import exp, less, number
from ...mechanisms import ehd, laplace_in_order, smoothed_hellinger
from ...model import count_vectors, global_sensitivity, lattice_size
from .. import at_most, cannot, equal, grid, statement
from ..quantities import distances
from .quantities import DELTA, EPSILON, FLAT, FLAT3, listed_smooth, noise_mass, probability_of, smooth


@statement(
    "hellinger/5.1-tail",
    "Section 5.1",
    says=r"$\Pr[|Y| \ge t] = e^{-t\varepsilon/2}$ for $Y \sim \mathrm{Lap}(2/\varepsilon)$",
    cases=grid(t=[0.5, 4.0], epsilon=[0.1, EPSILON]),
)
def laplace_survival(t, epsilon):
    r"""The exact side is what a mechanism of \(Y/t \sim \mathrm{Lap}(2/(\varepsilon t))\) leaves at the ends 2 and 0. It
    leaves 2 when it moves 1 up by at least 1, and 0 when \(\lfloor Y/t \rfloor \le -2\) moves 2 down.

    Proof: \(|Y|\) is exponential with rate \(\varepsilon/2\).
    """
    mechanism = laplace_in_order(epsilon * t)
    ends = probability_of(mechanism, FLAT, (1, 1), (2, 0)) + probability_of(mechanism, FLAT, (2, 0), (0, 2))
    return ends, equal(exp(-t * epsilon / 2))


@statement(
    "hellinger/5.1-noise",
    "Section 5.1",
    says=r"$\Pr[|Lap_i| = m] = e^{-m\varepsilon/2} - e^{-(m+1)\varepsilon/2}$ for $Lap_i = \mathrm{floor}(Y)$",
    holds=r"$\Pr[|\lfloor Y \rfloor| = m] = \frac12 (1 - r)\, (r^m + r^{m-1}\,[m \ge 1])$, $r = e^{-\varepsilon/2}$",
    why="the formula belongs to noise that is rounded towards zero",
    cases=grid(m=[0, 1, 5], epsilon=[0.1, EPSILON]),
)
def floored_noise(m, epsilon):
    r"""Rounding towards zero turns the whole interval \((-1, 1)\) into 0, rounding down only \([0, 1)\). That is half as
    probable: 0.1648 instead of 0.3297 at \(\varepsilon = 0.8\).

    Proof of what holds: the event \(m \le Y < m+1\) has probability \(\frac12(1-r)r^m\), and \(-m \le Y < 1-m\) has
    \(\frac12(1-r)r^{m-1}\). At m = 0 there is no second event.
    """
    r, whole = exp(-epsilon / 2), int(m)
    exact = noise_mass(epsilon, m) + (noise_mass(epsilon, -m) if whole else 0)
    right = (1 - r) / 2 * (r**whole + (r ** (whole - 1) if whole else 0))
    return exact, equal(exp(-m * epsilon / 2) - exp(-(m + 1) * epsilon / 2)), equal(right)


FAR = [
    *grid(prior=[FLAT], counts=[(4, 4), (2, 18), (18, 2)], epsilon=[EPSILON, 5.0], c=[0.3, 0.7]),
    *grid(prior=[FLAT3], counts=[(2, 3, 3)], epsilon=[0.1, 5.0], c=[0.3, 0.7]),
]
APART = {"prior": (1e-9, 1e-9), "counts": (0, 300), "epsilon": 30.0, "c": 0.9999}
"""All other candidates are at distance one, and the truth holds nearly all of the probability."""


def far_share(prior, counts, epsilon, c):
    """The probability of an error of at least c with the mechanism of Section 5, of divisor 1."""
    return error_tail(smoothed_hellinger(epsilon, number(DELTA), 1), prior, counts, c)


def candidates_at(prior, counts, epsilon, c):
    r"""\(|R| \exp(-\varepsilon c / S(x))\)."""
    scale = smooth(prior, counts, epsilon, number(DELTA))
    return lattice_size(int(sum(counts)), len(counts)) * exp(-epsilon * c / scale)


def weights(prior, counts, epsilon):
    r"""The distance of every candidate, and its weight \(e^{-\varepsilon \mathcal H/S(x)}\), by the definition of S."""
    found = distances(prior, counts, count_vectors(int(sum(counts)), len(counts)))
    return found, exp(-epsilon / listed_smooth(prior, counts, epsilon, number(DELTA)) * found)


@statement(
    "hellinger/5.2",
    "Section 5.2",
    says=r"$\Pr[\mathcal H(BI(x), z) \ge c] \le |R| \exp\bigl(\frac{-\varepsilon c}{2\Delta_g}\bigr)$",
    cases=[*FAR, APART],
)
def global_accuracy(prior, counts, epsilon, c):
    r"""Proof: at most |R| candidates are that far, each of weight at most \(e^{-\varepsilon c/(2\Delta_g)}\), where
    \(\Delta_g\) is the global sensitivity. The sum of all weights is at least 1, the weight of the truth.
    """
    n = int(sum(counts))
    bound = lattice_size(n, len(counts)) * exp(-epsilon * c / (2 * global_sensitivity(prior, n)))
    return error_tail(ehd(epsilon), prior, counts, c), at_most(bound)


@statement(
    "hellinger/5.3-first",
    "Section 5.3, first bound",
    says=r"$\Pr[\mathcal H(BI(x), z) \ge c] = \sum_{z : \mathcal H \ge c} \frac{e^{-\varepsilon \mathcal H(BI(x), z)/S(x)}}{NL_x}$",
    cases=FAR,
)
def exact_accuracy(prior, counts, epsilon, c):
    """It is the quantity itself, and not a bound.

    Proof: this is the definition of the mechanism, with the divisor 1.
    """
    found, of_each = weights(prior, counts, epsilon)
    return far_share(prior, counts, epsilon, c), equal(of_each[~less(found, c)].sum() / of_each.sum())


@statement(
    "hellinger/5.3-second",
    "Section 5.3, second bound",
    says=r"$\Pr[\mathcal H(BI(x), z) \ge c] \le \frac{|R| \exp(-\varepsilon c / S(x))}{NL_x}$",
    cases=[*FAR, APART],
)
def counted_accuracy(prior, counts, epsilon, c):
    r"""Proof: at most |R| candidates are that far, and each of them weighs at most \(e^{-\varepsilon c/S}\)."""
    _, of_each = weights(prior, counts, epsilon)
    bound = candidates_at(prior, counts, epsilon, c) / of_each.sum()
    return far_share(prior, counts, epsilon, c), at_most(bound)


sized_accuracy = cannot(
    "hellinger/5.3-third",
    "Section 5.3, third bound",
    says=r"$\Pr[\mathcal H(BI(x), z) \ge c] \le \frac{|R| \exp(-\varepsilon c / S(x))}{N(n)}$",
    holds=r"it holds with $N(n) = 1 + (k-1)\, e^{-\varepsilon}$, for $n \ge 1$",
    why="$N(n)$ is missing: the text says that it was not found",
)


@sized_accuracy.instead(cases=[*FAR, APART])
def sized_accuracy_found(prior, counts, epsilon, c):
    r"""Any lower bound on the sum of the weights that depends on n only would do for N(n).

    Proof: the truth weighs 1. It has at least k - 1 neighbours, each within \(LS(x) \le S(x)\) of it and so of weight
    at least \(e^{-\varepsilon}\).
    """
    least = 1 + (len(prior) - 1) * exp(-epsilon)
    return far_share(prior, counts, epsilon, c), at_most(candidates_at(prior, counts, epsilon, c) / least)
