"""The Hellinger paper as a source of statements, the settings of its experiments, and the pages that show them."""

from ..item import Source
from ..premises import Dataset, Reals, Weights, Wholes, premises

PAPER = Source("hellinger2018", "hellinger")

FLAT, FLAT3 = (1, 1), (1, 1, 1)
EPSILON, DELTA = 0.8, 1e-8
"""The settings of its experiments."""

MODEL = "notes/privacy_of_the_mechanisms"
SMOOTHED = "hellinger/smoothed_mechanism"
TABLES = "hellinger/tables"
FIGURES = "hellinger/figures"
CONCRETE = "hellinger/concrete_epsilon"

LOSSES = premises(prior=Weights((2, 3)), n=Wholes(1, 14), epsilon=Reals(above=0))
"""Any prior, any number of records, any epsilon: what a mechanism loses."""

SMOOTH_LOSSES = premises(
    prior=Weights((2, 3)),
    n=Wholes(1, 14),
    epsilon=Reals(above=0),
    delta=Reals(low=1e-12, high=0.5, above=0, below=1),
)
"""The same for the smooth sensitivity, which a delta belongs to."""

TAILS = premises(
    prior=Weights((2, 3)), counts=Dataset(most=14), epsilon=Reals(above=0), c=Reals(high=0.999, above=0, most=1)
)
"""Any dataset and prior: how probable an error of at least c is."""

EQUIDISTANT = {"prior": (1e7, 1e7), "n": 300, "epsilon": 1e-6}
"""Where the exponential mechanisms come within a hundredth of what they may lose."""
