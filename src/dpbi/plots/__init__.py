"""The kinds of figures of the book: they take data and labels, and return the Axes that they drew on.

``looks`` has the colour and the names of each mechanism, ``look`` says how everything is drawn, ``curves`` draws curves
with their bounds, ``kinds`` the rest. Nothing else in the library imports matplotlib.
"""

from .curves import bounded, lines
from .kinds import cells, chains, contours, densities, histograms, medians, posteriors, rows, share_intervals
from .look import STYLES, TRUTH, Style, in_words, panels, points, save, short, style
from .looks import LOOKS

__all__ = [
    "LOOKS",
    "STYLES",
    "TRUTH",
    "Style",
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
