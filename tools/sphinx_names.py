"""The names and questions of ``names`` become entries of the index, which the search looks up first."""

from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

from names import NAMES


class Names(SphinxTransform):
    """Put the names of a page into the index, as its main entries, behind the title, which has to be first."""

    default_priority = 840  # before 850, when the index is read from the page; the event doctree-read comes after that

    def apply(self, **_: Any) -> None:
        section = self.document.next_node(nodes.section)
        names = NAMES.get(self.env.docname, [])
        if section is not None and names:
            entries = [("single", name, section["ids"][0], "main", None) for name in names]
            section.insert(1, addnodes.index(entries=entries, inline=False))


def setup(app: Any) -> dict[str, bool]:
    app.add_transform(Names)
    return {"parallel_read_safe": True}
