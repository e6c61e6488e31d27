"""Allowed values of the parameters of the statements of the posterior sampling paper."""

from hypothesis import strategies as st

from . import reals

UNIT = reals(1e-3, 0.999)
GRAPHS = {"one node": 1, "two apart": 2, "star": 3, "path": 3, "collider": 3}


def laws(size):
    """Positive probabilities in thousandths, so that they add up exactly as decimals."""

    def law(parts):
        total = sum(parts)
        shares = [1 + (1000 - size) * part // total for part in parts]
        shares[0] += 1000 - sum(shares)
        return tuple(share / 1000 for share in shares)

    return st.lists(st.integers(1, 100), min_size=size, max_size=size).map(law)


def rows(size, least, most):
    """Several laws on one number of outcomes."""
    return st.lists(laws(size), min_size=least, max_size=most).map(tuple)


def families(size):
    """Laws on some outcomes: of any kind, with one ratio of the first two outcomes, or with one and an odd one."""

    def row(first, second):
        return tuple(part / 1000 for part in (first, second, *[1] * (size - 3), 1003 - size - first - second))

    shares = st.lists(st.integers(1, 240), min_size=1, max_size=3, unique=True)
    alike = shares.map(lambda found: tuple(row(k, 3 * k) for k in found))
    odd = st.tuples(alike, st.integers(1, 480)).map(lambda found: (*found[0], row(found[1], found[1])))
    return rows(size, 1, 3) if size == 2 else rows(size, 1, 4) | alike | odd


def as_many_as(*names):
    """A law with a probability for each entry of another parameter, or of the first of them that is there."""

    def of(case):
        size = next((len(case[name]) for name in names if name in case), None)
        return laws(size) if size else st.integers(2, 4).flatmap(laws)

    return of


def around(reach):
    """Numbers of either sign, and zero."""
    return st.just(0.0) | reals(1e-3, reach) | reals(1e-3, reach).map(lambda x: -x)


def steps(case):
    """The step of a grid of coins, or two coins that mirror each other; few coins where all sequences are drawn."""
    grid = reals(0.2 if "N" in case else 0.05, 0.499) | st.sampled_from([0.2, 0.25])
    ends = reals(1e-6, 0.499).map(lambda theta: f"ends {theta}")
    if case.get("xi", "").startswith("upper"):
        return ends
    return grid | ends if {"xi", "N"} & set(case) else grid


def priors(case):
    """Weights for each parameter of a family, or a word for coins."""
    for name in ("likelihoods", "parameters"):
        if name in case:
            size = len(case[name])
            strong = st.tuples(*[reals(1e-6, 1e4)] * size)
            return laws(size) | strong | strong.map(lambda law: (*law[:-1], 0.0) if len(law) > 1 else law)
    return st.sampled_from(["uniform", "exponential"]) | reals(1e-6, 0.999).map(lambda w: f"upper {w}")


def records(case):
    """A number of records: as many as keeps a case within milliseconds; linear programs grow fastest."""
    if set(case) == {"step"}:
        return st.integers(1, 4)
    most = 5 if "theta" in case else 6 if "least" in case else 8 if "step" in case or "N" in case else 20
    return st.integers(2 if "least" in case else 1, most)


def data(case):
    """A record, or a number of ones, or a row, as the other parameters ask."""
    if "A" in case:
        return st.tuples(around(5.0), around(5.0))
    if "graph" in case:
        return st.tuples(*[st.integers(0, 1)] * GRAPHS[case["graph"]])
    if "theta" in case:
        return st.tuples(*[st.integers(0, 1)] * 4)
    if "n" in case:
        return st.integers(0, case["n"])
    if "B" in case:
        inside = st.sampled_from([0.0, case["B"]]) | UNIT.map(lambda share: float(f"{share * case['B']:.3g}"))
        return inside | inside.map(lambda x: -x) if "mu" in case else inside
    if "mu" in case:
        return UNIT | around(20.0)
    return st.tuples(around(0.7), around(0.7)) | st.sampled_from([(1, 0), (-1, 0), (0.6, -0.8)])


def matrices(case):
    """A positive matrix of two rows."""
    entry = reals(0.1, 5)
    return st.tuples(entry, entry, around(0.99)).map(
        lambda e: ((e[0], round(e[2] * min(e[:2]), 6)), (round(e[2] * min(e[:2]), 6), e[1]))
    )


def part_of_the_way(case):
    """A share of the way from c1 to c2 at which a trimmed exponential law leaves more than e^-7 outside.

    One less the mass inside would lose its digits beyond, in doubles.
    """
    if not {"lam", "c1", "c2"} <= set(case):
        return UNIT
    return reals(1e-3, min(max(7 / (case["lam"] * (case["c2"] - case["c1"])), 1e-3), 0.999))


STRATEGIES = {
    "setting": st.sampled_from(["coin", "few coins", "exponential", "normal"]),
    "table": st.integers(2, 3).flatmap(lambda size: rows(size, 4, 4)),
    "factor": st.sampled_from([1, 2]) | reals(1.0, 30), "epsilon": reals(1e-3, 10) | st.just(0.0),
    "epsilon2": reals(1e-3, 10) | st.just(0.0), "theta": UNIT, "half": reals(1e-3, 0.499), "alpha": reals(0.05, 60),
    # the mass of a Beta law at one end, about p^alpha, has few digits in doubles below 1e-20
    "p": lambda case: (reals(max(1e-6, 10 ** (-15 / case["alpha"])), 0.9999) if "alpha" in case
        else st.integers(2, 3).flatmap(laws)),
    "q": as_many_as("p"), "r": st.integers(2, 3).flatmap(laws), "s": as_many_as("r"), "delta": UNIT,
    "constant": st.integers(1, 10), "likelihoods": st.integers(2, 5).flatmap(families),
    "ideal": as_many_as("likelihoods"), "private": as_many_as("ideal"),
    "utilities": lambda case: st.lists(st.tuples(*[UNIT | st.sampled_from([0, 1])] * len(case["ideal"])), min_size=2,
        max_size=3).map(tuple),
    "parameters": st.lists(UNIT, min_size=1, max_size=4, unique=True).map(tuple),
    "N": lambda case: (st.integers(1, 25) | st.integers(200, 400) if "half" in case
        else st.integers(1, 25 if "delta" in case else 3)),
    "coins": st.integers(1, 10**8), "xi": priors, "step": steps, "level": reals(1.05, 40), "L0": reals(0.01, 8),
    "order": reals(1.01, 50), "power": st.integers(2, 8),
    "radius": reals(0.01, 1.99).map(lambda radius: radius + 0.00037),  # no distance of thousandths equals it
    "A": matrices,
    "mu": lambda case: st.tuples(around(5.0), around(5.0)) if "A" in case else around(5.0),
    "lam": reals(1e-3, 1e3),
    "c1": lambda case: reals(0.05, 4) if "mu" in case or case["lam"] > 1 else reals(0.05, 4) | reals(50, 1e4),
    "c2": lambda case: reals(1.01, 20).map(
        lambda factor: min(float(f"{factor * case['c1']:.4g}"), 8.0 if case["c1"] <= 4 else 1e5)),
    "L": lambda case: part_of_the_way(case).map(
        lambda share: case["c1"] + share * (case["c2"] - case["c1"]) if "c1" in case else case["L0"] + share),
    "share": part_of_the_way,
    "B": lambda case: reals(1e-3, 5).map(lambda B: B if case.get("c1", 0) <= 4 else float(f"{B / case['c2']:.3g}")),
    "means": st.just(((1, 0), (-1, 0)))
        | st.lists(st.tuples(around(5.0), around(5.0)), min_size=1, max_size=2).map(tuple),
    "first": UNIT, "second": st.tuples(UNIT, UNIT), "T": st.integers(1, 2), "graph": st.sampled_from(list(GRAPHS)),
    "family": st.sampled_from(["exponential", "laplace", "normal precision"]),
    "what": st.sampled_from(["row", "cell"]), "least": reals(1e-4, 0.499), "n": records,
    "responses": st.lists(st.integers(0, 1), min_size=2, max_size=5).map(tuple),
    "x": data, "y": data,
}  # fmt: skip
