"""The guide to releasing does what it says: its commands run in its order, and the errors are those it shows."""

import json
import os
import re
import shlex
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

from dpbi.cli import main
from dpbi.publish import Budget

PAGE = Path(__file__).parents[1] / "book" / "guides" / "release.md"
BLOCK = re.compile(r"^```(sh|text|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def in_shell(text):
    """The exit code and the standard error of a block."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    ran = subprocess.run(["bash", "-e", "-c", text], env=os.environ | {"PATH": path}, capture_output=True, text=True)
    return ran.returncode, ran.stderr


def in_process(text, capsys):
    """The same of lines that are commands of dpbi, in this process: it has imported what a new one would import."""
    code = 0
    capsys.readouterr()
    try:
        for line in text.splitlines():
            assert not set(line) & set("$`*?|&<>(){}~#\\"), line  # nothing that a shell would change
            main(shlex.split(line)[1:])
    except SystemExit as stop:
        code = stop.code
    return code, capsys.readouterr().err


def test_the_commands_of_the_guide_do_what_it_says(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    page = PAGE.read_text("utf-8").replace("range(1, 2001)", "range(1, 101)")  # a twentieth of the households
    assert page.count("range(1, 101)") == 1
    blocks = BLOCK.findall(page)
    after = [language for language, _ in blocks[1:]] + [""]
    refused = commands = 0
    for (language, text), follows in zip(blocks, after, strict=True):
        if language == "sh":
            ours = all(line.startswith("dpbi ") for line in text.splitlines())
            commands += ours
            # one that is done and one that is refused are run as a reader runs them
            code, told = in_process(text, capsys) if ours and commands > 3 else in_shell(text)
            assert code == (1 if follows == "text" else 0), told
        elif language == "text":
            assert told == text
            refused += 1
        else:
            names: dict[str, object] = {}
            exec(compile(text, "release.md", "exec"), names)
            assert 0 <= names["low"] < names["high"] <= 1
    assert refused == 2
    assert commands == 10
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [
        "first", "households", "households.csv", "households.db", "schema.toml", "survey-budget.db",
        "survey.csv", "synthetic.csv", "third",
    ]  # fmt: skip
    for name in (entry.name for entry in (tmp_path / "first").iterdir()):
        assert f"- `{name}`" in PAGE.read_text("utf-8")
    assert Budget(tmp_path / "survey-budget.db").accounts()["records"].spent == Fraction(1)
    receipt = json.loads((tmp_path / "third" / "receipt.json").read_text("utf-8"))
    said = receipt["budget"]
    assert (receipt["n"], said["limit"], said["spent"]) == (8, "epsilon 1", "epsilon 1")
    for entry in receipt["not_covered"]:
        assert "time" in entry or "other releases" in entry
