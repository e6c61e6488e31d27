"""What the parameters of the statements of the notes may be."""

from hypothesis import strategies as st

from . import counts_like, reals

WEIGHTS = reals(1e-3, 1e6)

STRATEGIES = {
    "prior": st.tuples(WEIGHTS, WEIGHTS) | WEIGHTS.map(lambda weight: (weight, weight)),
    "counts": counts_like("prior", most=60),
    "epsilon": reals(1e-3, 30),
    "t": reals(1e-3, 0.999),
}
