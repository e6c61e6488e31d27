"""Allowed values of the parameters of the statements of the Hellinger paper."""

from hypothesis import strategies as st

from . import reals

WEIGHTS = reals(1e-6, 1e6)
SHAPE = st.tuples(st.integers(1, 40), st.integers(1, 40))


def weights(k):
    return st.tuples(*[WEIGHTS] * k) | st.tuples(*[reals(0.1, 10)] * k) | WEIGHTS.map(lambda weight: (weight,) * k)


def heavier(case):
    """Prior weights of which each is larger than that of another prior, or some are the same."""
    return st.tuples(*[st.just(0.0) | WEIGHTS] * len(case["smaller"])).map(
        lambda more: tuple(a + b for a, b in zip(case["smaller"], more, strict=True))
    )


MOST = {2: 14, 3: 12, 4: 6}
"""The most records of which all datasets are listed, by the number of categories; 3 for more categories."""


def records(case):
    """A number of records, small where all datasets are listed."""
    if "prior" in case or "k" in case:
        k = len(case["prior"]) if "prior" in case else case["k"]
        return st.integers(1, 1 if k > 6 else MOST.get(k, 3))  # noise on 15 counts has too many outputs to list
    return st.integers(0, 60)


def dataset(case):
    """Datasets of as many categories as a prior has, some of them empty, or of two, balanced ones more often."""
    like = next((name for name in ("prior", "smaller") if name in case), None)
    if like is None:
        return SHAPE | st.integers(1, 20).map(lambda half: (half, half))
    k = len(case[like])
    records = st.lists(st.integers(0, k - 1), min_size=1, max_size=MOST.get(k, 3))
    return records.map(lambda each: tuple(each.count(i) for i in range(k)))


def moved(case):
    """Another dataset of two categories, with as many records."""
    return st.integers(0, sum(case["counts"])).map(lambda first: (first, sum(case["counts"]) - first))


def mirrored(case):
    """The dataset as many records on the other side, or the same again where there is none."""
    (x, _), (to, rest) = case["counts"], case["first"]
    other = (2 * x - to, to + rest - 2 * x + to)
    return st.just(other if min(other) >= 0 else case["first"])


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
    ends = cuts.map(lambda at: (0, *sorted(at), 1000))
    return ends.map(lambda at: tuple((b - a) / 1000 for a, b in zip(at, at[1:], strict=False)))


CATEGORIES = st.sampled_from((2, 2, 3, 4, 6, 16))

STRATEGIES = {
    "factor": reals(0.5, 1.5), "prior": CATEGORIES.flatmap(weights), "smaller": CATEGORIES.flatmap(weights),
    "larger": heavier, "counts": dataset, "closer": dataset, "apart": rearranged, "theta": points, "first": moved,
    "second": mirrored, "k": st.integers(2, 6), "each": st.integers(4, 12), "n": records, "x": st.integers(0, 19),
    "weight": reals(1e-2, 100), "m": st.integers(0, 40), "a": SHAPE, "b": another,
    "sizes": st.lists(st.integers(0, 12), min_size=1, max_size=4).map(tuple),
    "steps": st.integers(0, 4), "row": st.sampled_from("012"), "good": st.just("0"), "bad": st.just("corner"),
    "divisor": st.sampled_from((1, 2)), "epsilon": reals(1e-4, 50), "delta": reals(1e-12, 0.5), "c": reals(1e-3, 0.999),
    "t": reals(1e-3, 30),
    "score": st.just(0.0) | reals(1e-3, 30).map(lambda size: -size),
    "share": st.sampled_from((-1.0, 0.0, 1.0)) | reals(1e-3, 3) | reals(1e-3, 3).map(lambda size: -size),
}  # fmt: skip
