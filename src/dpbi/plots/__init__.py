"""The figures of the book, one function each: on the Axes given or on new ones, which are returned."""

from .figures import *  # noqa: F403
