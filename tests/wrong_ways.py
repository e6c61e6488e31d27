"""Wrong ways of functions of the library: each makes of the right one what stands in its place."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from dpbi.arithmetic import log, log_one_minus_exp, number
from dpbi.mcmc import acceptance
from dpbi.mechanisms import noisy_counts
from dpbi.mechanisms.noise import FLOORED_LAPLACE, NoiseAt
from dpbi.posterior_sampling import cost

Wrong = Callable[[Any], Any]
"""What stands in the place of a function, made of it."""


def times(share: str) -> Wrong:
    """The right value times a number."""
    return lambda right: lambda *values, **named: right(*values, **named) * number(share)


def rate_times(mechanism: str, share: str) -> Wrong:
    """The rate of one exponential mechanism, the others left as they are."""

    def wrong(right: Any) -> Any:
        def exponential(name: str, promise: Any, rate: Any, *more: Any) -> Any:
            if name != mechanism:
                return right(name, promise, rate, *more)
            return right(name, promise, lambda prior, counts: rate(prior, counts) * number(share), *more)

        return exponential

    return wrong


class Truncated(NoiseAt):
    """Laplace noise rounded towards zero."""

    def log_point(self, move: Any) -> Any:
        beside = super().log_point(np.where(move < 0, move - 1, move))
        return beside + np.where(move == 0, log(number(2)), number(0))

    def log_at_most(self, move: Any) -> Any:
        return super().log_at_most(move - 1)

    def log_at_least(self, move: Any) -> Any:
        return np.where(move == 0, log_one_minus_exp(self.log_at_most(0 * move - 1)), super().log_at_least(move))


def truncated(right: Any) -> Any:
    return lambda noise, rate: Truncated(noise, rate) if noise is FLOORED_LAPLACE else right(noise, rate)


def one_draw_fewer(right: Any) -> Any:
    """The last draw is not counted; a single one is."""
    return lambda draws, *asked: right(draws[:-1] if len(draws) > 1 else draws, *asked)


def last_draw_twice(right: Any) -> Any:
    return lambda draws, *asked: right([*draws, draws[-1]], *asked)


def half_the_reach(right: Any) -> Any:
    def family(*setting: Any) -> Any:
        whole = right(*setting)
        return replace(whole, reach={kind: reach / 2 for kind, reach in whole.reach.items()})

    return family


def half_the_largest(right: Any) -> Any:
    """Half of the largest Lipschitz constant in the support."""

    def family(**parts: Any) -> Any:
        whole = right(**parts)
        return replace(whole, largest=lambda prior: whole.largest(prior) / 2)

    return family


def without_multinomial_factor(right: Any) -> Any:
    return lambda counts: 1


def last_pair_forgotten(right: Any) -> Any:
    """The two datasets with the most records of the first category are compared in neither order."""

    def shorter(*asked: Any) -> Any:
        for pairs in right(*asked):
            first = np.minimum(pairs.counts[:, 0], pairs.neighbour[:, 0])
            if (kept := first < first.max()).any():
                rows = {name: getattr(pairs, name)[kept] for name in pairs._fields if name != "outputs"}
                yield pairs._replace(**rows)

    return shorter


def scale_one(right: Any) -> Any:
    """The noise of one count that changes, whatever their number."""

    def mechanism(self: Any, *values: Any) -> Any:
        own = self.scale is noisy_counts.count_sensitivity
        return right(replace(self, scale=lambda k: 1) if own else self, *values)

    return mechanism


def last_count_forgotten(right: Any) -> Any:
    return lambda first, n: right(first, n) * np.array([1] * first.shape[1] + [0])


def last_count_one_more(right: Any) -> Any:
    return lambda first, n: right(first, n) + np.array([0] * first.shape[1] + [1])


def last_giver_forgotten(right: Any) -> Any:
    return lambda values: right(np.concatenate([values[..., :-1], np.full_like(values[..., -1:], -np.inf)], axis=-1))


def without_negative_part(right: Any) -> Any:
    """max(x, 0) replaced by x; other maxima are left alone."""
    return lambda a, b: a if np.ndim(b) == 0 and b == 0 and np.ndim(a) > 0 else right(a, b)


def one_draw_more(right: Any) -> Any:
    def baps(family: Any, prior: Any, data: Any, size: int, rng: Any) -> Any:
        return right(family, prior, data, size + 1, rng)._replace(cost=cost(family, prior, size))

    return baps


def another_response(right: Any) -> Any:
    """The response that is listed next."""

    def psaqr(parameters: Any, utility: Any, query: Any, responses: Any) -> Any:
        given = right(parameters, utility, query, responses)
        return given._replace(response=responses[(list(responses).index(given.response) + 1) % len(responses)])

    return psaqr


def no_correction(right: Any) -> Any:
    return lambda ratio, noise, correction=0: ratio


def half_the_correction(right: Any) -> Any:
    return lambda ratio, noise, correction=acceptance.CORRECTION: right(ratio, noise, correction / 2)
