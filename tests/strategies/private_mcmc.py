"""What the parameters of the statements of the thesis may be."""

from hypothesis import strategies as st

from dpbi.claims.private_mcmc.composition import CHANNELS

from . import reals

REAL = st.sampled_from((-5.0, 0.0, 5.0)) | reals(1e-2, 5) | reals(1e-2, 5).map(lambda size: -size)
EPSILON = st.just(0) | reals(1e-3, 30)
DELTA = st.just(0) | reals(1e-5, 0.9)
POSITIVE = reals(1e-3, 30)


def privacy(case):
    """An epsilon that is zero only where a pair of laws needs no more."""
    return EPSILON if "at" in case else POSITIVE


STRATEGIES = {
    "rows": st.sampled_from((1, 2, 5)).flatmap(lambda size: st.tuples(*[REAL] * size)),
    "row": REAL,
    "proposal": REAL,
    "theta": REAL,
    "z": REAL,
    "tau": reals(1e-2, 30),
    "clip": POSITIVE,
    "factor": reals(0.01, 1),
    "at": EPSILON,
    "epsilon": privacy,
    "epsilon2": EPSILON,
    "delta": lambda case: reals(1e-9, 0.5) if "rho" in case else DELTA,
    "delta2": DELTA,
    "rho": reals(1e-4, 30),
    "alpha": reals(1.01, 20),
    "h": reals(1e-4, 3),
    "weights": st.lists(reals(1, 30), min_size=2, max_size=4).map(tuple),
    "pad": st.sampled_from((0, 1)),
    "channel": st.sampled_from(tuple(CHANNELS)),
    "sensitivity": reals(1e-3, 30),
    "distance": reals(1e-3, 30),
    "others": st.integers(0, 9),
    "sigma": reals(0.2, 10),
    "gap": reals(0.01, 3),
    "gaps": st.tuples(REAL, REAL),
    "c": POSITIVE,
    "n": st.integers(1, 5),
    "k": st.integers(2, 4),
    "b": st.integers(2, 40),
    "ratio": st.just(0.0) | reals(1e-2, 30) | reals(1e-2, 30).map(lambda size: -size),
    "s": reals(1e-2, 20),
}
