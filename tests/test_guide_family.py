"""The guide to a family of one's own does what it says: its code runs in its order and prints what is shown."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[1] / "book" / "guides" / "family.md"
BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_families_of_the_guide_print_what_the_guide_shows(capsys):
    names: dict[str, object] = {}
    shown = 0
    for number, (language, text) in enumerate(BLOCK.findall(PAGE.read_text("utf-8"))):
        if language == "python":
            exec(compile(text, f"family.md, block {number}", "exec"), names)
        else:
            assert capsys.readouterr().out == text
            shown += 1
    assert shown == 4
    assert not capsys.readouterr().out
