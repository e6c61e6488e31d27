"""Allowed values of the parameters of the statements of the thesis."""

from hypothesis import strategies as st

from dpbi.claims.private_mcmc.definitions import CHANNELS
from dpbi.claims.private_mcmc.metropolis_hastings import PROPOSALS, SIGNS

from . import reals

REAL = st.sampled_from((-5.0, 0.0, 5.0)) | reals(1e-2, 5) | reals(1e-2, 5).map(lambda size: -size)
EPSILON = st.just(0) | reals(1e-3, 30)
POSITIVE = reals(1e-3, 30)


def privacy(case):
    """An epsilon, which may be zero where a pair of laws is all that is needed."""
    return EPSILON if "at" in case else POSITIVE


def failure(case):
    """A delta, which may be zero where a pair of laws is all that is needed; below 1e-5 it is lost beside one."""
    return st.just(0) | reals(1e-5, 0.9) if {"at", "k", "epsilon2"} & set(case) else reals(1e-9, 0.5)


STRATEGIES = {
    "rows": st.sampled_from((1, 2, 5)).flatmap(lambda size: st.tuples(*[REAL] * size)),
    "row": REAL, "proposal": REAL, "theta": REAL, "at": EPSILON, "epsilon": privacy, "epsilon2": EPSILON,
    "kind": st.sampled_from(tuple(PROPOSALS)), "steps": st.integers(0, 60), "points": st.sampled_from((3, 11, 30)),
    "lean": st.just(0) | reals(1e-3, 1e4), "sign": st.sampled_from(SIGNS), "k": st.integers(2, 4), "delta": failure,
    "delta2": failure, "alpha": reals(1.1, 20), "h": reals(1e-4, 3),
    "weights": st.lists(reals(1, 30), min_size=2, max_size=4).map(tuple),
    "channel": st.sampled_from(tuple(CHANNELS)), "sensitivity": reals(1e-3, 30), "distance": reals(1e-3, 30),
    "sigma": reals(0.2, 3), "gap": reals(0.3, 3), "gaps": st.tuples(REAL, REAL), "c": POSITIVE, "n": st.integers(1, 5),
    "b": st.integers(2, 40),
    "ratio": st.just(0.0) | reals(1e-2, 30) | reals(1e-2, 30).map(lambda size: -size),
    "s": reals(1e-2, 20), "t": reals(0.01, 100), "bound": st.just(5.875e-4),
}  # fmt: skip
