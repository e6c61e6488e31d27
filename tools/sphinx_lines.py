"""Sphinx extension for line breaks: long formulas may break after their signs, and short table cells may not break.

Table headers become a single row of column names."""

import re
from collections.abc import Iterator
from typing import Any

from docutils import nodes

LONG = 22
"""Largest number of letters and signs of a formula that fits on one line on a phone."""

SIGNS = re.compile(r"\\(?:[lg]eq?|approx|propto|sim|in|to)(?![a-zA-Z])|[=<>+-]|,(?=\\? )|\\q?quad(?![a-z])")
QUAD = re.compile(r"\\q?quad(?![a-z])")
OPEN, CLOSE = "([", ")]"
WHOLE = re.compile(r"\\(?:begin|over|tag)(?![a-zA-Z])|\\\\|&")
"""Commands that make a formula indivisible, because its pieces would not be formulas."""

CELL = re.compile(r"<(t[hd])([^<>]*)>([^<>]+)</\1>")
HEAD = re.compile("<thead>.*?</thead>", re.DOTALL)
SHORT_CELL, LONG_CELL = 16, 32
"""Largest numbers of characters in a cell that stays on one line and in a cell that needs no extra width."""


def breaks(tex: str, inside: bool) -> Iterator[int]:
    """Positions after the signs of a formula; positions between brackets are included only if ``inside`` is True."""
    braces = brackets = place = 0
    while place < len(tex):
        sign = SIGNS.match(tex, place)
        free = sign and not braces and (inside or (not brackets and sign[0] != ","))
        # only between two terms: the sign in -x or in x_+ is a part of the term
        if free and re.search(r"[^\W_]\s*$|[\])}'|,;.]\s*$", tex[:place]) and tex[sign.end() :].strip("{} "):
            yield sign.end()
        step = sign[0] if sign else "\\" + tex[place + 1 : place + 2] if tex[place] == "\\" else tex[place]
        braces += (step in ("{", r"\{")) - (step in ("}", r"\}"))
        if pair := re.match(r"\\(left|right)(?![a-z])", tex[place:]):
            braces += 1 if pair[1] == "left" else -1
        brackets += (step in OPEN) - (step in CLOSE)
        place += len(step)


def lines(tex: str, inside: bool = False) -> list[str]:
    r"""Pieces of a formula between which a line may break; pieces that are still too long also break inside brackets.

    >>> lines(r"\Pr[H < t] = 1 - \frac12 e^{-k_-\varepsilon/4}\,[x > k_-]")
    ['\\Pr[H < t] ={}', '1 -{}', '\\frac12 e^{-k_-\\varepsilon/4}\\,[x > k_-]']
    """
    if len(re.sub(r"[{}^_ ]|\\,", "", re.sub(r"\\[a-zA-Z]+", "x", tex))) <= LONG or WHOLE.search(tex):
        return [tex]
    places = [0, *breaks(tex, inside), len(tex)]
    cut = [tex[start:end].strip() + "{}" for start, end in zip(places, places[1:], strict=False)]
    cut[-1] = cut[-1].removesuffix("{}")
    return cut if inside else [piece for part in cut for piece in lines(part, True)]


def parts(tex: str) -> list[str]:
    """Formulas that stand side by side in a displayed formula."""
    found = [part.strip() for part in QUAD.split(tex)]
    return found if all(part.count("{") == part.count("}") for part in found) else [tex.strip()]


def cell(found: re.Match[str]) -> str:
    """Table cell with a class for short content, which stays on one line, or for long text."""
    kind, attributes, text = found.groups()
    short = len(text) <= SHORT_CELL and (kind == "td" or re.search(r"[\d=/]", text) or "valign" in attributes)
    name = "short" if short else "long" if len(text) > LONG_CELL else ""
    text = text if short else re.sub(r"\d\S*e-\d+", r'<span class="short">\g<0></span>', text)
    return f'<{kind}{attributes} class="{name}">{text}</{kind}>'


def one_head(found: re.Match[str]) -> str:
    """Table header whose last two rows are merged if the last one contains only names of index columns."""
    rows = re.findall(r"<tr.*?</tr>", found[0], re.DOTALL)
    cells, names = (re.findall(r"(<th[^<>]*>)([^<>]*)<", row) for row in ["", *rows][-2:])
    if len(cells) != len(names) or names[-1][1]:
        return found[0]
    pairs = ((tag, name, text) for (tag, text), (_, name) in zip(cells, names, strict=True))
    both = [f"{tag}{', by '.join(filter(None, words))}</th>" for tag, *words in pairs]
    return "".join(["<thead>", *rows[:-2], "<tr>", *both, "</tr></thead>"])


def set_lines(app: Any, tree: nodes.document, page: str) -> None:
    """Split the long formulas of a page, keep chips beside their formulas, and mark table cells."""
    if app.builder.format != "html":
        return
    for node in list(tree.findall(nodes.math)):
        if len(pieces := lines(node.astext())) > 1:
            node.parent.replace(node, [nodes.math(piece, piece) for piece in pieces])
    for node in list(tree.findall(nodes.math_block)):
        if len(lines(node.astext().strip())) > 1 and not node.get("label"):
            made = [[nodes.math("", rf"\displaystyle {each}") for each in lines(part)] for part in parts(node.astext())]
            shown = [nodes.inline("", "", *each, classes=["part"]) for each in made]
            node.parent.replace(node, nodes.paragraph("", "", *shown, classes=["display"]))
    for chip in [node for node in tree.findall(nodes.reference) if "sd-badge" in node["classes"]]:
        line, place = chip.parent, chip.parent.index(chip)
        if place > 1 and not line[place - 1].astext().strip() and isinstance(line[place - 2], nodes.math):
            held = nodes.inline("", "", *line[place - 2 : place + 1], classes=["held"])  # formula and chip on one line
            line[place - 2 : place + 1] = [held]
    for node in list(tree.findall(nodes.raw)):
        if 'class="dataframe' in node.astext():
            text = CELL.sub(cell, HEAD.sub(one_head, node.astext()))
            node.parent.replace(node, nodes.raw(text, text, **node.attributes))


def setup(app: Any) -> dict[str, bool]:
    app.connect("doctree-resolved", set_lines, priority=950)  # after sphinx_words has linked the symbols
    return {"parallel_read_safe": True}
