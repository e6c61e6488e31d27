"""Information that only the owner can supply stands in one place; if a field is still open, every file says so."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
FIELDS = SETTINGS["tool"]["dpbi"]["owner"]
MARK = "TO BE FILLED IN BY THE OWNER: "


def test_open_fields_of_the_owner_are_named():
    listing = ["git", "grep", "-lF", MARK, "--", ".", ":!tests", ":!pyproject.toml"]
    marked = subprocess.run(listing, cwd=ROOT, check=False, capture_output=True, text=True).stdout.split()
    expected = {(field, file) for field, each in FIELDS.items() for file in each["files"] if not each["value"]}
    names = {file: re.findall(rf"{MARK}(\w+)", (ROOT / file).read_text("utf-8")) for file in marked}
    found = {(field, file) for file, fields in names.items() for field in fields}
    assert found == expected
    for each in FIELDS.values():
        assert all(each["value"] in (ROOT / file).read_text("utf-8") for file in each["files"])
    address = FIELDS["repository"]["value"] or "https://example.invalid/OWNER/dpbi"
    assert all(url.startswith(address) for url in SETTINGS["project"]["urls"].values())
    if expected:
        pytest.skip(f"the owner has left open: {', '.join(sorted({field for field, _ in expected}))}")
