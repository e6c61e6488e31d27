"""The exercises at the end of the pages, and how a number is said in their answers."""

import json
import re
from pathlib import Path

from path_numbers import short

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"
ANSWERS = "```{dropdown} Answers\n"


def section(path):
    """The exercises of a page, if it has any."""
    cells = json.loads(path.read_text("utf-8"))["cells"]
    text = "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    return text.partition("## Exercises\n")[2]


def numbered(text):
    return re.findall(r"^\d\. (.+)$", text, re.MULTILINE)


def questions_and_answers(page):
    asked, answered = section(NOTEBOOKS / f"{page}.ipynb").split(ANSWERS)
    return numbered(asked), numbered(answered.partition("```")[0])


def said(value):
    """Three significant digits, large numbers with commas."""
    return short(value) if abs(value) < 1000 else f"{float(short(value)):,.0f}"


def states(answer, value):
    """Whether the words of an answer state a number; its formulas explain, its sentences answer."""
    words = re.sub(r"\$[^$]*\$", "", answer)
    return re.search(rf"(?<![\d.,]){re.escape(said(value))}(?!\d|[.,]\d)", words) is not None
