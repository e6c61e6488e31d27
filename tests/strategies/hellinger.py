"""What the parameters of the statements of the Hellinger paper may be."""

from hypothesis import strategies as st

from . import counts_like, reals

WEIGHTS = reals(1e-3, 1e6)
SHAPE = st.tuples(st.integers(1, 40), st.integers(1, 40))


def weights(k):
    return st.tuples(*[WEIGHTS] * k) | WEIGHTS.map(lambda weight: (weight,) * k)


def heavier(case):
    """Prior weights of which each is larger than that of another prior."""
    return st.tuples(*[WEIGHTS] * len(case["smaller"])).map(
        lambda more: tuple(a + b for a, b in zip(case["smaller"], more, strict=True))
    )


def records(case):
    """A number of records, small where all datasets are listed."""
    return st.integers(1, 14) if {"prior", "k"} & set(case) else st.integers(0, 60)


def dataset(case):
    """Datasets of as many categories as a prior has, or of two."""
    like = next((name for name in ("prior", "smaller") if name in case), None)
    return counts_like(like, most=14)(case) if like else SHAPE


def another(case):
    """A pair whose sum is that of the pair a, or differs from a in both places by an even number."""
    first, total = st.integers(1, sum(case["a"]) - 1), sum(case["a"])
    even = st.tuples(st.integers(0, 20), st.integers(0, 20))
    return first.map(lambda one: (one, total - one)) | even.map(
        lambda more: tuple(a + 2 * b for a, b in zip(case["a"], more, strict=True))
    )


def rearranged(case):
    """Counts with the total of the dataset that is closer: any two, or more in another order."""
    closer, total = case["closer"], sum(case["closer"])
    if len(closer) > 2:
        return st.permutations(closer).map(tuple)
    return st.integers(0, total).map(lambda first: (first, total - first))


def points(case):
    """Points inside the simplex, in thousandths."""
    cuts = st.lists(st.integers(1, 999), min_size=len(case["prior"]) - 1, max_size=len(case["prior"]) - 1, unique=True)
    return cuts.map(
        lambda at: tuple((b - a) / 1000 for a, b in zip([0, *sorted(at)], [*sorted(at), 1000], strict=True))
    )


STRATEGIES = {
    "prior": st.sampled_from((2, 3)).flatmap(weights),
    "smaller": st.sampled_from((2, 3)).flatmap(weights),
    "larger": heavier,
    "counts": dataset,
    "closer": counts_like("prior", most=40),
    "apart": rearranged,
    "theta": points,
    "k": st.integers(2, 4),
    "n": records,
    "m": st.integers(0, 40),
    "a": SHAPE,
    "b": another,
    "epsilon": reals(1e-3, 30),
    "delta": reals(1e-12, 0.5),
    "c": reals(1e-3, 0.999),
    "t": reals(1e-3, 30),
    "score": st.just(0.0) | reals(1e-3, 30).map(lambda size: -size),
    "share": st.sampled_from((-1.0, 0.0, 1.0)) | reals(1e-3, 3) | reals(1e-3, 1).map(lambda size: -size),
}
