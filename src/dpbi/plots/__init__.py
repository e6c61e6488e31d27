"""Figures of the book, drawn by functions of data and labels that return the axes of the figure.

``looks`` contains the colour and the names of each mechanism, ``look`` defines the common style of all figures,
``curves`` draws curves with their bounds, and ``kinds`` draws all other figures. No other module of the library imports
matplotlib.
"""

from .curves import bounded, lines
from .kinds import cells, chains, contours, densities, histograms, medians, posteriors, rows, share_intervals
from .look import TRUTH, in_words, panels, points, save, short

__all__ = [
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
]
