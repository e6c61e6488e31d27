"""The kinds of figures of the book: they take data and labels, and return the Axes that they drew on.

``look`` says how everything is drawn, ``curves`` draws curves with their bounds, ``kinds`` the rest. Nothing else in
the library imports matplotlib.
"""

from .curves import bounded, lines
from .kinds import (
    cells,
    chains,
    contours,
    densities,
    histograms,
    medians,
    posteriors,
    rows,
    share_intervals,
)
from .look import STYLES, TRUTH, in_words, panels, points, save, short, style

__all__ = [
    "STYLES",
    "TRUTH",
    "bounded",
    "cells",
    "chains",
    "contours",
    "densities",
    "histograms",
    "in_words",
    "lines",
    "medians",
    "panels",
    "points",
    "posteriors",
    "rows",
    "save",
    "share_intervals",
    "short",
    "style",
]
