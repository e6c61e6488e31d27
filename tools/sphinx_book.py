"""Sphinx extension for search names, sections on how to rerun a page, and redirections from old addresses."""

import json
import os
import pickle
from functools import cache
from pathlib import Path
from typing import Any

import pybtex.plugin
from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

from crossref import ROOT, citation, template
from dpbi.cli.notebooks import RENAMED, TIMES, described, notebook, run_times
from names import NAMES

MOVED = {"book/guides/where": "book/developers"}
MOVED |= {f"notebooks/{old}": f"notebooks/{new}" for old, new in RENAMED.items()}
"""New address of each page that has moved, by its old address."""

PAGE = '<!doctype html><meta charset="utf-8"><meta http-equiv="Refresh" content="0; url={0}"><a href="{0}">Moved</a>'


class Names(SphinxTransform):
    """Adds the names of a page to the index, whose entries the search ranks right after the titles."""

    default_priority = 840  # before 850, when the index is read from the page; the event doctree-read would be too late

    def apply(self, **_: Any) -> None:
        section = self.document.next_node(nodes.section)
        if section is not None and (names := NAMES.get(self.env.docname)):
            entries = [("single", name, section["ids"][0], "main", None) for name in names]
            section.insert(1, addnodes.index(entries=entries, inline=False))


def rerun(app: Any, page: str, source: list[str]) -> None:
    """Append a section to a notebook on how to rerun the page, with its parameters described as in ``dpbi list``."""
    if not page.startswith("notebooks/"):
        return
    name, seconds = page.removeprefix("notebooks/"), run_times(ROOT).get(page.removeprefix("notebooks/"))
    app.env.note_dependency(str(ROOT / TIMES))
    known = map(described, notebook(Path(app.srcdir, f"{page}.ipynb"), name).parameters)
    row = "| `{}` | {} | `{}` | {} |".format
    rows = [row(each, kind, default, text.replace("|", "\\|")) for each, kind, default, text in known]
    section = template("rerun").format(
        name=name,
        stem=name.rpartition("/")[2],
        parameters=f"{len(rows)} parameter{'s' if len(rows) > 1 else ''}",
        rows="\n".join(rows),
        time=f"The last recorded run took {seconds:g} s." if seconds is not None else "",
    )
    content = json.loads(source[0])
    content["cells"].append({"cell_type": "markdown", "id": "rerun", "metadata": {}, "source": section})
    source[0] = json.dumps(content)


def lead_on(app: Any, error: Exception | None) -> None:
    """Write a page at each old address that redirects to the new one, and keep the search names for later builds."""
    if error or app.builder.format != "html":
        return
    for old, new in MOVED.items():
        file = Path(app.outdir, f"{old}.html")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(PAGE.format(os.path.relpath(f"{new}.html", os.path.dirname(old))), "utf-8")
    Path(app.doctreedir, "environment.pickle").write_bytes(pickle.dumps(app.env))  # Sphinx wrote it without the names


def begin(app: Any, config: Any) -> None:
    """Configure Sphinx: one process for each processor and one to distribute the pages; figures are not numbered."""
    app.parallel = (os.cpu_count() or 1) + 1
    config.numfig = False  # the only numbers on a page are those of its source
    config.html_context["citation"] = citation()  # for the footer of every page
    for name in ("sphinx_jupyterbook_latex", "sphinx_multitoc_numbering"):  # stateless, but not declared parallel-safe
        app.extensions[name].parallel_read_safe = app.extensions[name].parallel_write_safe = True


def setup(app: Any) -> dict[str, bool]:
    pybtex.plugin.entry_points = cache(pybtex.plugin.entry_points)  # otherwise looked up for every reference
    app.setup_extension("sphinx_lines")
    app.add_transform(Names)
    app.connect("source-read", rerun)
    app.connect("config-inited", begin, priority=900)  # after sphinx_proof, which turns the numbers on
    app.connect("build-finished", lead_on)
    return {"parallel_read_safe": True}
