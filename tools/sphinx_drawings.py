"""Figures that ``dpbi.plots`` drew stand in the page itself, their text as text and their lines in its colours.

A drawing holds two layouts, of which the style sheet shows the one that there is room for. What is black in it becomes
the colour of the text of the page, its grid the colour of borders, and its paper nothing.
"""

import re
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.transforms import SphinxTransform

LAYOUT = re.compile(r'<svg class="(?:wide|narrow)".*?</svg>', re.DOTALL)
PAPER = re.compile(r'<path [^>]*style="fill: #ffffff"/>\n?')
COLOURS = {"#000000": "currentColor", "#b0b0b0": "var(--pst-color-border)"}
FAINT = "stroke: var(--pst-color-border); stroke-opacity: 0.25"


def inlined(drawing: str, words: str, prefix: str) -> str | None:
    """A drawing as a part of a page, none of its names used by any other part; None of what is no such drawing."""
    layouts = [layout(found, f"{prefix}-{i}-") for i, found in enumerate(LAYOUT.findall(drawing))]
    if len(layouts) != 2:
        return None
    return f'<span class="drawing" role="img" aria-label="{escape(words)}">{"".join(layouts)}</span>'


def layout(svg: str, prefix: str) -> str:
    """One of the layouts, in the colours of the page, as large as it was drawn."""
    svg = PAPER.sub("", svg)
    for colour, theme in COLOURS.items():
        svg = svg.replace(colour, theme)
    svg = svg.replace(FAINT, FAINT.replace("0.25", "0.6"))
    svg = re.sub(r' id="', f' id="{prefix}', svg)
    svg = re.sub(r"url\(#", f"url(#{prefix}", svg)
    svg = re.sub(r'xlink:href="#', f'href="#{prefix}', svg)
    size = r'width="\1pt" height="\2pt" fill="currentColor" viewBox="0 0 \1 \2"'
    return re.sub(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', size, svg, count=1)


class Drawings(SphinxTransform):
    """Put every drawing of a page into it, before images are collected; for a picture the drawing beside it."""

    default_priority = 700

    def apply(self, **_: Any) -> None:
        prefix = re.sub(r"\W", "-", self.env.docname)
        for number, image in enumerate(list(self.document.findall(nodes.image))):
            if "://" in image["uri"]:
                continue
            source = Path(self.env.relfn2path(image["uri"], self.env.docname)[1]).with_suffix(".svg")
            if source.is_file():
                html = inlined(source.read_text("utf-8"), image.get("alt", ""), f"{prefix}-{number}")
                if html is not None:
                    self.env.note_dependency(str(source))
                    image.replace_self(nodes.raw("", html, format="html"))


def setup(app: Any) -> dict[str, bool]:
    app.add_transform(Drawings)
    return {"parallel_read_safe": True}
