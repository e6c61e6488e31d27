"""Allowed values of the parameters of the statements of the notes."""

from hypothesis import strategies as st

from . import counts_like, reals

WEIGHTS = reals(1e-6, 1e6)
PAIRS = st.tuples(WEIGHTS, WEIGHTS) | WEIGHTS.map(lambda weight: (weight, weight))
SHAPES = st.tuples(st.integers(1, 30), st.integers(1, 30)).map(lambda halves: tuple(half / 2 for half in halves))


def prior(case):
    """Two weights or more, also equal ones; at most five, and three where there are many datasets of n records.

    With more categories and smaller weights different distances near 1 would be the same double.
    """
    most = 3 if case.get("n", 0) > 4 else 5
    several = st.lists(reals(1e-4, 1e4), min_size=3, max_size=most).map(tuple)
    alike = st.tuples(reals(1e-4, 1e4), reals(1e-4, 1e4)).map(lambda two: (two[0], two[0], two[1]))
    return st.one_of(PAIRS.map(tuple), several, alike | several.map(lambda weights: (weights[0],) * len(weights)))


def counts(case):
    """Any counts, balanced ones and those near an end more often; none where a statement is about all datasets."""
    if "n" in case:
        return st.none()
    case = {"prior": (1, 1), **case}
    size = len(case["prior"])
    most = 120 if size == 2 else 45 if size == 3 and "epsilon" in case else 8
    balanced = st.integers(1, most // size).map(lambda m: (m,) * size)
    ends = st.tuples(st.integers(1, most), st.integers(0, 1)).map(lambda two: (*two, *(0,) * (size - 2)))
    return counts_like("prior", most=most)(case) | balanced | ends | ends.map(lambda each: each[::-1])


def b(case):
    """A real number, or another distribution such that the exponents of the integral are whole."""
    if "a" not in case:
        return reals(1e-3, 30)
    halves = st.tuples(st.integers(1, 20), st.integers(1, 20))
    others = halves.map(lambda m: tuple(2 * half - a for half, a in zip(m, case["a"], strict=True)))
    return others.filter(lambda other: min(other) > 0 and other != case["a"])


def gamma(case):
    """The smoothness of a mechanism, or the share of releases that are farther off."""
    return reals(1e-3, 1e4) if {"n", "prior"} <= set(case) else reals(1e-3, 0.999)


def k(case):
    """Steps: whole ones, or where they are noise any of at least -1 and less than 2."""
    return st.floats(-1, 1.99).map(lambda step: round(step, 3)) if "prior" in case else st.integers(1, 30)


STRATEGIES = {
    "epsilon": reals(1e-4, 50) | reals(0.05, 2), "a": SHAPES, "z": reals(1e-6, 100), "b": b, "n": st.integers(1, 12),
    "prior": prior, "counts": counts, "neighbour": st.none(), "k": k, "C": st.integers(1, 100),
    "gamma": gamma, "t": reals(1e-3, 0.999),
}  # fmt: skip
