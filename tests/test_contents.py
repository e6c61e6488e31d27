"""The table of contents is short and contains every page."""

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
MOST_ENTRIES = 40


def test_the_list_of_pages_is_short_and_every_page_is_in_it():
    text = (ROOT / "_toc.yml").read_text("utf-8")
    entries = 1 + sum(len(part["chapters"]) for part in yaml.safe_load(text)["parts"])
    assert entries <= MOST_ENTRIES, f"_toc.yml has {entries} of {MOST_ENTRIES} chapters: make the page a section of one"
    listed = re.findall(r"file: (\S+)", text)
    pages = {path.relative_to(ROOT).with_suffix("").as_posix() for path in (ROOT / "notebooks").rglob("*.ipynb")}
    assert pages <= set(listed), f"add to _toc.yml: {', '.join(sorted(pages - set(listed)))}"
    assert len(listed) == len(set(listed)), "a page is twice in _toc.yml"
