"""The pages are read and written by several processes: one for each processor, and one that hands them out.

What an extension keeps beside a page has to be put together again; the extensions here say that they do, or keep
nothing. A reference to a work of the bibliography would look through all installed packages for its style each time.
"""

import os
from functools import cache
from importlib.metadata import version
from typing import Any

import pybtex.plugin

SILENT = ("sphinx_jupyterbook_latex", "sphinx_multitoc_numbering")
"""Extensions that do not say so, and keep nothing: one writes for TeX, one numbers sections when all have been read."""


def begin(app: Any, config: Any) -> None:
    app.parallel = (os.cpu_count() or 1) + 1
    config.release = version("dpbi")  # for the foot of every page
    for name in SILENT:
        app.extensions[name].parallel_read_safe = True
        app.extensions[name].parallel_write_safe = True


def setup(app: Any) -> dict[str, bool]:
    pybtex.plugin.entry_points = cache(pybtex.plugin.entry_points)
    app.connect("config-inited", begin)
    return {"parallel_read_safe": True}
