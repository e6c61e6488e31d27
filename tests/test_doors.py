"""From the landing page each reader reaches the goal in three clicks."""

import json
import re
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).parents[1]
INDEX = (ROOT / "book" / "index.md").read_text("utf-8")

DOORS = {
    "I have ten minutes": (
        "book/index",
        "notebooks/foundations/first_release",
        "notebooks/foundations/promise_and_audit",
        "notebooks/beyond/which_mechanism",
    ),
    "I want to check a theorem": (
        "book/index",
        "notebooks/notes/theorem_4_5",
        "book/ledger/notes#claim-notes-4-5-ehd-lower",
    ),
    "I want to release data": ("book/index", "book/guides/release", "book/limits"),
    "I want to extend it": (
        "book/index",
        "book/guides/extend",
        "book/reference/dpbi.mechanisms#dpbi.mechanisms.description.Mechanism",
    ),
}
"""The way of each reader from the landing page to the goal, one click from page to page."""


def source(page: str) -> str:
    """The text of a page as a reader sees it: of a notebook the Markdown, and what its cells computed."""
    if (ROOT / f"{page}.md").exists():
        return (ROOT / f"{page}.md").read_text("utf-8")
    cells = json.loads((ROOT / f"{page}.ipynb").read_text("utf-8"))["cells"]
    texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    return "\n".join([*texts, *("".join(output.get("data", {}).get("text/markdown", "")) for output in outputs)])


def leads(here: str, there: str) -> bool:
    page, _, anchor = there.partition("#")
    text = source(here)
    if anchor:
        return anchor in text
    named = re.findall(r"\{doc\}`(?:[^`<]*<)?([^`<>]+)>?`", text)
    places = [PurePosixPath(name[1:]) if name[0] == "/" else PurePosixPath(here).parent / name for name in named]
    return page in {Path("/", place).resolve().relative_to("/").as_posix() for place in places}


@pytest.mark.parametrize("door", DOORS)
def test_a_door_leads_to_its_goal_in_at_most_three_clicks(door):
    way = DOORS[door]
    assert door in INDEX
    assert way[0] == "book/index"
    assert 1 <= len(way) - 1 <= 3
    assert [step for step in zip(way, way[1:], strict=False) if not leads(*step)] == []


def test_the_landing_page_has_no_other_doors():
    assert re.findall(r"\{grid-item-card\} (.*)", INDEX) == list(DOORS)
