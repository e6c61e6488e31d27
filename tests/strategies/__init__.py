"""Allowed values of the parameters of statements: one table for each source, in the order in which values are drawn.

An entry is a strategy, or a function that returns a strategy, given the parameters drawn before.
"""

from hypothesis import strategies as st


def reals(low, high):
    """Numbers of three digits between two ends, evenly in their logarithm, the ends themselves more often."""
    import math

    spread = st.floats(math.log(low), math.log(high)).map(lambda x: min(max(float(f"{math.exp(x):.3g}"), low), high))
    return st.sampled_from([low, high]) | spread


def counts_like(name, most=30, least=1):
    """Datasets of as many categories as another parameter has entries, with some records in all."""

    def of(case):
        size = len(case[name])
        several = st.lists(st.integers(0, most // size), min_size=size, max_size=size).map(tuple)
        return several.filter(lambda counts: sum(counts) >= least)

    return of
