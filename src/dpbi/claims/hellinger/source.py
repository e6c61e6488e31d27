"""The Hellinger paper as a source of statements, the settings of its experiments, and the pages that show them."""

from ..item import Source

PAPER = Source("hellinger2018", "hellinger")

FLAT, FLAT3 = (1, 1), (1, 1, 1)
EPSILON, DELTA = 0.8, 1e-8
"""The settings of its experiments."""

MODEL = "notes/privacy_of_the_mechanisms"
SMOOTHED = "hellinger/smoothed_mechanism"
TABLES = "hellinger/tables"
FIGURES = "hellinger/figures"
CONCRETE = "hellinger/concrete_epsilon"
