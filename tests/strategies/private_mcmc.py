"""What the parameters of the statements of the thesis may be; those of finite chains are few points, for speed."""

from hypothesis import strategies as st

from . import reals

EPSILON = st.just(0) | reals(1e-3, 10)
DELTA = st.just(0) | reals(1e-5, 0.9)  # smaller ones are lost in doubles beside a probability of one
REAL = st.just(0) | st.integers(-500, 500).map(lambda hundredths: hundredths / 100)

STRATEGIES = {
    "epsilon": EPSILON,
    "epsilon2": EPSILON,
    "delta": DELTA,
    "delta2": DELTA,
    "at": EPSILON,
    "alpha": reals(1.5, 20),
    "sigma": reals(0.2, 3),
    "gap": reals(0.3, 3),
    "gaps": st.tuples(reals(0.01, 3), reals(0.01, 3)),
    "c": reals(1e-3, 30),
    "n": st.integers(1, 5),
    "k": st.integers(1, 5),
    "h": reals(1e-4, 3),
    "weights": st.lists(reals(1, 30), min_size=2, max_size=4).map(tuple),
    "pad": st.sampled_from([0, 1]),
    "channel": st.sampled_from(["identity", "merge", "noise", "forget"]),
    "distance": reals(1e-3, 30),
    "sensitivity": reals(1e-3, 30),
    "rho": reals(1e-4, 30),
    "rows": st.lists(REAL, min_size=1, max_size=5).map(tuple),
    "row": REAL,
    "proposal": REAL,
    "theta": REAL,
    "ratio": st.just(0) | st.integers(-300, 300).map(lambda tenths: tenths / 10),
    "s": reals(1e-2, 20),
    "clip": reals(1e-3, 30),
    "tau": reals(1e-2, 30),
    "z": REAL,
    "factor": reals(0.01, 1),
    "others": st.integers(0, 9),
    "b": st.integers(2, 12),
    "points": st.sampled_from([5, 9]),
    "rate": reals(0.1, 5),
    "lean": st.integers(0, 5),
}
