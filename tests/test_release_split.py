"""What margins of margins take from the budget of the widest ones, as the guide says.

The oracle is linear algebra: a normal posterior of the counts of all cells given all margins, from public sizes alone.
"""

from math import prod

import numpy as np

from dpbi.publish import schema


def spread(sizes, n, asked, epsilons, about):
    """The root of the mean posterior variance of the cells of the margins ``about``."""
    cells = prod(sizes)
    where = np.unravel_index(np.arange(cells), sizes)
    free = np.linalg.svd(np.ones((1, cells)))[2][1:].T  # the directions in which the sum of all counts stays

    def sums(margin):
        number = np.ravel_multi_index([where[axis] for axis in margin], [sizes[axis] for axis in margin])
        return np.eye(number.max() + 1)[number].T @ free

    decay = np.exp(-np.asarray(epsilons) / 2)
    noise = 2 * decay / (1 - decay) ** 2
    prior = n / cells * (cells + n) / (cells + 1)  # variance under a uniform prior, one for each cell
    precision = np.eye(cells - 1) / prior + sum(
        sums(one).T @ sums(one) / v for one, v in zip(asked, noise, strict=True)
    )
    covariance = np.linalg.inv(precision)
    return float(np.mean([np.diag(sums(one) @ covariance @ sums(one).T).mean() for one in about])) ** 0.5


def by_default(sizes, ways, epsilon):
    """What the library gives to each margin."""
    columns = {f"c{axis}": {"categories": list(range(size))} for axis, size in enumerate(sizes)}
    asked = schema({"epsilon": epsilon, "margins": ways, "columns": columns}).questions
    margins = [tuple(int(name[1:]) for name in question.columns) for question in asked]
    return margins, np.array([float(question.price.amount) for question in asked])


def test_the_widest_margins_alone_leave_a_quarter_less_spread():
    sizes, n, epsilon = (3, 3, 2, 4), 2000, "1"
    asked, epsilons = by_default(sizes, [2], epsilon)
    nested = spread(sizes, n, *by_default(sizes, [1, 2], epsilon), asked)
    assert 1.2 < nested / spread(sizes, n, asked, epsilons, asked) < 1.4  # the guide says a quarter
