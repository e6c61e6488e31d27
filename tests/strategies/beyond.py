"""What the parameters of the statements of this book and of the literature may be."""

from hypothesis import strategies as st

from . import counts_like, reals

WEIGHTS = reals(1e-3, 1e6)

STRATEGIES = {
    "order": reals(1.01, 30),
    "k": st.integers(2, 3),
    "level": reals(1e-3, 0.99),
    "prior": st.tuples(WEIGHTS, WEIGHTS) | st.tuples(WEIGHTS, WEIGHTS, WEIGHTS),
    "n": lambda case: st.integers(1, 3 if "order" in case else 6),
    "counts": counts_like("prior", most=6),
    "mechanism": lambda case: st.sampled_from(
        ["geometric", "lshist", "ehd"] if "level" in case else ["ehd", "ehdl", "ehds", "smoothed_hellinger"]
    ),
    "epsilon": lambda case: reals(0.3 if {"order", "n"} <= set(case) else 1e-3, 30),  # wide noise takes long over balls
    "t": reals(0.01, 0.99),
    "x": lambda case: st.integers(0, case["n"]),
    "z": lambda case: st.integers(0, case["n"]),
    "j": st.integers(-9, 8),
}
