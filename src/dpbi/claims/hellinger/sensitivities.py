"""Figure 1, Sections 5.4.2, 5.4.3 and 6.1: sensitivities and errors over priors and data."""

from ...accuracy import mean_error
from ...arithmetic import largest
from ...model import count_vectors, local_sensitivity, neighbours
from .. import at_most, below, equal, grid, rows, statement
from ..quantities import distances, farthest_move
from .quantities import FLAT, FLAT3, defined


@statement(
    "hellinger/figure-1",
    "Figure 1",
    says=r"$LS(\mathrm{beta}(a, b)) = \sqrt{1 - \min\{g(a)\, g(b-1),\ g(a-1)\, g(b)\}}$",
    reading="the figure draws LS over a grid of a and b; this is the closed form of what it draws",
    given=lambda prior, counts: len(prior) == 2 and min(counts) >= 1,
    cases=grid(prior=[FLAT], counts=[(1, 1), (3, 5), (12, 30), (79, 1)]),
)
def drawn_sensitivity(prior, counts):
    r"""Proof: LS is the larger distance of the two moves of a record, up and down. A move from the category of
    concentration b to that of a is at the distance \(\sqrt{1 - g(a)\, g(b-1)}\), with \(g = e^{-u}\).
    """
    a, b = (weight + count for weight, count in zip(prior, counts, strict=True))
    return local_sensitivity(prior, counts), equal(farthest_move((a, b - 1), (a - 1, b)))


def nearer_to_equal(prior, closer, apart) -> bool:
    """Two categories of equal prior weights, the same total, and counts that are nearer to each other."""
    equal_weights = len(prior) == 2 and prior[0] == prior[1]
    return equal_weights and abs(closer[0] - closer[1]) <= abs(apart[0] - apart[1]) and sum(closer) == sum(apart)


@statement(
    "hellinger/5.4.2-closer",
    "Sections 5.4.2 and 5.4.3, Figure 1",
    says=r"$LS$ decreases when the parameters of the posterior get closer (more uniform) at the same total",
    holds=r"for two categories with equal prior weights $LS$ does not increase when the parameters get closer",
    why="at the ends LS stays the same, and with unequal weights or three categories it may grow",
    cases=rows(
        "prior closer apart",
        (FLAT, (4, 4), (2, 6)),
        (FLAT, (1, 7), (0, 8)),
        ((0.5, 3), (3, 3), (6, 0)),
        (FLAT3, (0, 1, 5), (0, 0, 6)),
    ),
)
def closer_parameters(prior, closer, apart):
    """At n = 8 the datasets 0 and 1 have the same LS under the flat prior. With the prior (0.5, 3) it is larger for the
    posterior (3.5, 6) than for (6.5, 3), whose parameters are farther apart. For three categories it increases when a
    record moves from (0, 0, 6) to (0, 1, 5), because that record can then be moved between two nearly empty categories.
    """
    return local_sensitivity(prior, closer), below(local_sensitivity(prior, apart))


@closer_parameters.instead(
    given=nearer_to_equal,
    cases=grid(prior=[FLAT, (0.1, 0.1), (7, 7)], closer=[(4, 4), (1, 7), (6, 2)], apart=[(2, 6), (1, 7), (0, 8)]),
)
def closer_of_two(prior, closer, apart):
    r"""Proof: the distance between m and m + 1 is F at the exponent \(w_m = u(\alpha + m) + u(\alpha + n - 1 - m)\).
    These exponents are convex in m and symmetric, so they decrease up to the middle. So \(LS(m) = F(\max(w_{m-1}, w_m))
    = F(w_{m-1})\) for m between 1 and the middle. The end m = 0 has only \(w_0\), and \(LS(0) = LS(1)\).
    """
    return local_sensitivity(prior, closer), at_most(local_sensitivity(prior, apart))


@statement(
    "hellinger/5.4.2-larger",
    "Section 5.4.2, Figure 1",
    says=r"$LS$ decreases when the prior weights get larger, for the same data",
    given=lambda smaller, larger: all(s < w for s, w in zip(smaller, larger, strict=True)),
    cases=rows(
        "smaller larger counts",
        (FLAT, (1.001, 1.001), (4, 4)),
        ((0.3, 2), (0.4, 5), (3, 1)),
        (FLAT3, (2, 2, 2), (0, 1, 5)),
    ),
)
def larger_prior(smaller, larger, counts):
    r"""Proof: the function u decreases, so every exponent \(u(a_i) + u(a_j - 1)\) does, and LS increases with the
    exponents.
    """
    return local_sensitivity(larger, counts), below(local_sensitivity(smaller, counts))


@statement(
    "hellinger/5.4.2-accuracy",
    "Section 5.4.2, last paragraph",
    says=r"accuracy improves when the sensitivity gets larger: $E[\mathcal H]$ is smaller for the prior of larger $S$",
    holds=r"in these cases $E[\mathcal H]$ is smaller for the larger prior weights, of smaller $S$",
    why="the next sentence of the paper says the opposite, and is right",
    cases=rows("smaller larger counts", (FLAT, (2, 2), (4, 4)), (FLAT, (9, 9), (2, 8)), (FLAT3, (2, 2, 2), (5, 5, 5))),
)
def accuracy_direction(smaller, larger, counts):
    """The smaller weights have the larger sensitivity."""
    return mean_error(defined(), smaller, counts), below(mean_error(defined(), larger, counts))


@accuracy_direction.instead()
def accuracy_of_the_larger(smaller, larger, counts):
    """This is a tendency and no theorem. With larger weights the candidates come closer together too, so the exponents
    change less than the distances.
    """
    return mean_error(defined(), larger, counts), below(mean_error(defined(), smaller, counts))


@statement(
    "hellinger/5.4.3",
    "Section 5.4.3",
    says=r"accuracy improves when the data variance is small: $E[\mathcal H]$ is smaller where the data are more uniform",
    holds=r"for the prior $\mathrm{beta}(1,1)$ and the numbers of records tried up to 40, $E[\mathcal H]$ is smaller where the data are more uniform by one record",
    why="where the data are more uniform, the candidates are closer to each other too",
    cases=grid(prior=[FLAT, (50, 50)], closer=[(4, 4)], apart=[(2, 6)], divisor=[1, 2]),
)
def data_variance(prior, closer, apart, divisor):
    """For equal prior weights the sensitivity is smaller where the data are more uniform. For the flat prior the error
    falls in all cases tried, a tendency and no theorem. For the prior (50, 50) and four records of eight in the first
    category it rises.
    """
    mechanism = defined(divisor)
    return mean_error(mechanism, prior, closer), below(mean_error(mechanism, prior, apart))


BY_ONE_RECORD = [(x, n - x) for n in (3, 8, 20, 40) for x in range(0, (n - 1) // 2, max(n // 8, 1))]
data_variance.instead(
    cases=rows(
        "prior closer apart divisor", *((FLAT, (x + 1, y - 1), (x, y), c) for x, y in BY_ONE_RECORD for c in (1, 2))
    )
)(data_variance.body)


@statement(
    "hellinger/6.1",
    "Section 6.1 and Figure 2",
    says=r"$\max_{x' \sim x} \max_r |\mathcal H(BI(x), r) - \mathcal H(BI(x'), r)| = \max_{x' \sim x} \mathcal H(BI(x), BI(x'))$, attained at $r = BI(x)$",
    reading="with the bars of an absolute value, which are missing in the print",
    cases=[
        *grid(prior=[FLAT, (0.3, 2.5)], counts=[(0, 5), (1, 1), (2, 7)]),
        *grid(prior=[(0.5, 1, 3)], counts=[(0, 0, 4), (1, 2, 1), (3, 0, 1)]),
    ],
)
def reduction(prior, counts):
    r"""Proof: by the triangle inequality \(|H(x, r) - H(x', r)| \le H(x, x')\), with equality at r = x and at r = x'."""
    candidates = count_vectors(int(sum(counts)), len(counts))
    here = distances(prior, counts, candidates)
    change = largest([largest(abs(here - distances(prior, x, candidates))) for x in neighbours(counts)])
    return change, equal(largest(distances(prior, counts, neighbours(counts))))
