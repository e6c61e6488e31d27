"""What the parameters of the statements of the notes may be."""

from hypothesis import strategies as st

from . import counts_like, reals

WEIGHTS = reals(1e-6, 1e6)
PAIRS = st.tuples(WEIGHTS, WEIGHTS) | WEIGHTS.map(lambda weight: (weight, weight))
SHAPES = st.tuples(st.integers(1, 30), st.integers(1, 30)).map(lambda halves: tuple(half / 2 for half in halves))


def prior(case):
    """Two weights more often than more; at most five, and three where there are many datasets of n records."""
    most = 3 if case.get("n", 0) > 4 else 5
    return PAIRS | PAIRS | st.lists(WEIGHTS, min_size=3, max_size=most).map(tuple)


def counts(case):
    """Any counts, balanced ones and those at an end more often; none where a statement is about all datasets."""
    if "n" in case:
        return st.none()
    case = {"prior": (1, 1), **case}
    size = len(case["prior"])
    most = 120 if size == 2 else 8
    balanced = st.integers(1, most // 3).map(lambda m: (m,) * size)
    ends = st.tuples(st.integers(1, most), st.booleans()).map(lambda m: (m[0], *(0,) * (size - 1))[:: 1 - 2 * m[1]])
    return counts_like("prior", most=most)(case) | balanced | ends


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
    if "n" in case:
        return st.none()
    return st.floats(-1, 1.99).map(lambda step: round(step, 3)) if "prior" in case else st.integers(1, 30)


STRATEGIES = {
    "a": SHAPES,
    "z": reals(1e-6, 100),
    "b": b,
    "n": st.integers(1, 12),
    "prior": prior,
    "counts": counts,
    "neighbour": st.none(),
    "x": st.none(),
    "k": k,
    "C": st.integers(1, 100),
    "epsilon": reals(1e-4, 50),
    "gamma": gamma,
    "t": reals(1e-3, 0.999),
}
