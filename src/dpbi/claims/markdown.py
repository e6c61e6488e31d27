"""Markdown tables of statements for the notebooks and the book."""

import re
from collections.abc import Iterable
from typing import Any


def markdown_table(statements: Iterable[Any]) -> str:
    """A Markdown table with a row for each statement."""
    lines = ["| item | it says | verdict | why | what holds | evidence |", "|---|---|---|---|---|---|"]
    for each in statements:
        says = " ".join([each.says, *(f"*{words}*" for words in each.beside)])
        cells = [f"{each.where} ({link(each.id)})", says, f"**{each.verdict_in_words}**"]
        cells += [each.why, each.what_holds, each.evidence()]
        lines.append("| " + " | ".join(map(_cell, cells)) + " |")
    return "\n".join(lines)


def link(id: str) -> str:
    """A Markdown link that shows the id of a statement and leads to the statement's entry in the book."""
    return f"[`{id}`](#claim-{re.sub(r'[^a-z0-9]+', '-', id)})"


def _cell(text: str) -> str:
    """Convert a string to the content of a table cell: put formulas between dollar signs, and replace line breaks and
    bars, which would end the cell."""
    text = re.sub(r"\\\((.*?)\\\)", r"$\1$", text, flags=re.DOTALL)
    # within a table, a TeX command replaces each bar, because a plain bar would end the cell
    return text.replace(r"\|", r"\Vert ").replace("|", r"\vert ").replace("\n", " ")
