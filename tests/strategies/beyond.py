"""Allowed values of the parameters of the statements of this book and of the literature."""

from hypothesis import strategies as st

from . import counts_like, reals

WEIGHTS = reals(1e-6, 1e6)
EXPONENTIAL = ["ehd", "ehdl", "ehds", "smoothed_hellinger"]
OTHERS = ["geometric", "lshist", "lszhang", "permute_and_flip", "staircase"]

STRATEGIES = {
    "order": reals(1.01, 30), "k": st.integers(2, 4), "level": reals(1e-6, 0.99),
    "prior": st.tuples(WEIGHTS, WEIGHTS) | st.lists(WEIGHTS, min_size=3, max_size=4).map(tuple),
    "n": lambda case: st.integers(1, 3 if "order" in case or len(case.get("prior", ())) > 3 else 6),
    "counts": counts_like("prior", most=6),
    "mechanism":
        lambda case: st.sampled_from(["geometric", "lshist", "ehd"] if "level" in case else EXPONENTIAL + OTHERS),
    "epsilon": lambda case: reals(0.3 if {"order", "n"} <= set(case) else 1e-3, 30),  # wide noise takes long over balls
    "t": reals(0.01, 0.99), "x": lambda case: st.integers(0, case["n"]), "z": lambda case: st.integers(0, case["n"]),
    "j": st.integers(-60, 60),
}  # fmt: skip
