"""The guide to releasing does what it says: its commands run in its order, and the errors are those it shows."""

import json
import os
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

from dpbi.publish import read_account

PAGE = Path(__file__).parents[1] / "book" / "guides" / "release.md"
BLOCK = re.compile(r"^```(sh|text|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_commands_of_the_guide_do_what_it_says(tmp_path):
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    blocks = BLOCK.findall(PAGE.read_text("utf-8"))
    after = [language for language, _ in blocks[1:]] + [""]
    refused = 0
    for (language, text), follows in zip(blocks, after, strict=True):
        if language == "sh":
            shell = ["bash", "-e", "-c", text]
            told = subprocess.run(shell, cwd=tmp_path, env=os.environ | {"PATH": path}, capture_output=True, text=True)
            assert told.returncode == (1 if follows == "text" else 0), told.stderr
        elif language == "text":
            assert told.stderr == text
            refused += 1
        else:
            names: dict[str, object] = {}
            exec(compile(text, "release.md", "exec"), names)
            assert 0 <= names["low"] < names["high"] <= 1
    assert refused == 2
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [
        "first", "fourth", "households", "households.csv", "households.json", "schema.toml", "survey-budget.json",
        "survey.csv", "synthetic.csv", "third",
    ]  # fmt: skip
    said = PAGE.read_text("utf-8")
    for name in (entry.name for entry in (tmp_path / "first").iterdir()):
        assert f"- `{name}`" in said
    assert read_account(tmp_path / "survey-budget.json").spent == Fraction(1)
    receipt = json.loads((tmp_path / "fourth" / "receipt.json").read_text("utf-8"))
    assert (receipt["n"], receipt["budget"]) == (8, {"limit": "1", "spent": "1"})
    for entry in receipt["not_covered"]:
        assert "time" in entry or "other releases" in entry
