"""What this book asks of Sphinx that no setting does: names for the search, how to rerun a page, old addresses."""

import json
import os
import posixpath
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

MOVED = {"book/guides/where": "book/developers"} | {
    f"notebooks/{old}": f"notebooks/{new}" for old, new in RENAMED.items()
}
"""By the old address, the new one."""

PAGE = '<!doctype html><meta charset="utf-8"><meta http-equiv="Refresh" content="0; url={0}"><a href="{0}">Moved</a>'


class Names(SphinxTransform):
    """Put the names of a page into the index, which the search looks up first, behind the title."""

    default_priority = 840  # before 850, when the index is read from the page; the event doctree-read comes after that

    def apply(self, **_: Any) -> None:
        section = self.document.next_node(nodes.section)
        if section is not None and (names := NAMES.get(self.env.docname)):
            entries = [("single", name, section["ids"][0], "main", None) for name in names]
            section.insert(1, addnodes.index(entries=entries, inline=False))


def rerun(app: Any, page: str, source: list[str]) -> None:
    """Put behind the last cell of a notebook how to rerun it, and its parameters, as ``dpbi list`` says them."""
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
    """Write a page at each old address that leads to the new one."""
    if error or app.builder.format != "html":
        return
    for old, new in MOVED.items():
        file = Path(app.outdir, f"{old}.html")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(PAGE.format(posixpath.relpath(f"{new}.html", posixpath.dirname(old))), "utf-8")


def begin(app: Any, config: Any) -> None:
    """Read and write with one process for each processor, and one that hands the pages out; number nothing."""
    app.parallel = (os.cpu_count() or 1) + 1
    config.numfig = False  # the only numbers on a page are those of its source
    config.html_context["citation"] = citation()  # for the foot of every page
    for name in ("sphinx_jupyterbook_latex", "sphinx_multitoc_numbering"):  # which keep nothing, and do not say so
        app.extensions[name].parallel_read_safe = app.extensions[name].parallel_write_safe = True


def setup(app: Any) -> dict[str, bool]:
    pybtex.plugin.entry_points = cache(pybtex.plugin.entry_points)  # looked up again for every reference to a work
    app.setup_extension("sphinx_lines")
    app.add_transform(Names)
    app.connect("source-read", rerun)
    app.connect("config-inited", begin, priority=900)  # after sphinx_proof, which asks for numbers
    app.connect("build-finished", lead_on)
    return {"parallel_read_safe": True}
