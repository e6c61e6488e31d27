"""From the landing page readers are at the answer in at most two clicks, and the list of pages is short."""

import re
from pathlib import Path, PurePosixPath

import pytest
import yaml

ROOT = Path(__file__).parents[1]

WAYS = {
    "what epsilon means": ("book/index", "book/path/game"),
    "what is true of a theorem": ("book/index", "book/verdicts"),
    "Theorem 4.5": ("book/index", "notebooks/notes/theorem_4_5"),
    "a private posterior of one's own table": ("book/index", "book/guides/release"),
    "how much epsilon": ("book/index", "book/guides/release", "notebooks/beyond/which_mechanism"),
    "what is assumed": ("book/index", "book/limits"),
}
"""What a reader comes for, and the pages on the way to it."""

MOST_ENTRIES = 40


def leads(here: str, page: str) -> bool:
    text = (ROOT / f"{here}.md").read_text("utf-8")
    named = re.findall(r"\{doc\}`(?:[^`<]*<)?([^`<>]+)>?`", text) + re.findall(r"^:link: (\S+)$", text, re.MULTILINE)
    places = [PurePosixPath(name[1:]) if name[0] == "/" else PurePosixPath(here).parent / name for name in named]
    return page in {Path("/", place).resolve().relative_to("/").as_posix() for place in places}


@pytest.mark.parametrize("goal", WAYS)
def test_a_reader_is_at_the_answer_in_at_most_two_clicks(goal):
    way = WAYS[goal]
    assert len(way) <= 3
    assert [step for step in zip(way, way[1:], strict=False) if not leads(*step)] == []


def test_the_list_of_pages_is_short_and_every_page_is_in_it():
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
    assert 1 + sum(len(part["chapters"]) for part in toc["parts"]) <= MOST_ENTRIES
    listed = re.findall(r"file: (\S+)", (ROOT / "_toc.yml").read_text("utf-8"))
    pages = {path.relative_to(ROOT).with_suffix("").as_posix() for path in (ROOT / "notebooks").rglob("*.ipynb")}
    assert pages <= set(listed)
    assert len(listed) == len(set(listed))
