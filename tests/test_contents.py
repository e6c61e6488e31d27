"""The list of pages is short, and every page is in it."""

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
MOST_ENTRIES = 40


def test_the_list_of_pages_is_short_and_every_page_is_in_it():
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))
    assert 1 + sum(len(part["chapters"]) for part in toc["parts"]) <= MOST_ENTRIES
    listed = re.findall(r"file: (\S+)", (ROOT / "_toc.yml").read_text("utf-8"))
    pages = {path.relative_to(ROOT).with_suffix("").as_posix() for path in (ROOT / "notebooks").rglob("*.ipynb")}
    assert pages <= set(listed)
    assert len(listed) == len(set(listed))
