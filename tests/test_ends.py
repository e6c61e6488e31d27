"""The settings at which pages are tried, and what is said of the runs."""

import json
import sys
from pathlib import Path

import pytest

from dpbi.cli.execution import Outcome
from dpbi.cli.notebooks import Notebook, notebooks
from dpbi.parameters import parse

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def ends():
    sys.path.insert(0, str(ROOT / "tools"))
    import ends

    yield ends
    sys.path.remove(str(ROOT / "tools"))


def test_the_ends_of_ranges_by_hand(ends):
    page = Notebook("page", "", parse(
        "a: float = 1.0  # open; in (0, inf)\n"
        "b: list[int] = [3]  # some; each in [1, 100); length in [1, 3]\n"
        "c: str = 'u'  # choice; one of u, v, w\n"
        "d: list = [1, 1]  # two; each in [0.5, 8]; length in [2, 2]\n"
        "full: bool = False  # long\n"
    ), Path("page.ipynb"))  # fmt: skip
    assert ends.setting(page, ()) == {"a": 1.0, "b": [3], "c": "u", "d": [1, 1], "full": False}
    assert ends.setting(page, (0,)) == {"a": 0.001, "b": [1], "c": "u", "d": [0.5, 0.5], "full": False}
    assert ends.setting(page, (-1,)) == {"a": 1000.0, "b": [1, 50, 99], "c": "w", "d": [8, 8], "full": False}
    assert ends.setting(page, (0, -1)) == {"a": 0.001, "b": [1, 50, 99], "c": "u", "d": [0.5, 8], "full": False}


def test_every_page_has_five_legal_settings(ends):
    for page in notebooks(ROOT)[0]:
        settings = [ends.setting(page, sides) for sides in ends.SETTINGS.values()]  # checked as they are made
        assert len({json.dumps(each) for each in settings}) == 5


def test_a_run_is_refused_only_by_a_sentence_about_a_parameter_of_the_page(ends):
    page = Notebook("page", "", parse("n: int = 1  # records; in [1, 9]\n"), Path("page.ipynb"))
    assert ends.verdict(page, Outcome("", error="ValueError: n must be even, got n=1"))[0] == "refused"
    assert ends.verdict(page, Outcome("", error="ValueError: gamma must be above 0, got 0"))[0] == "crash"
    assert ends.verdict(page, Outcome("", error="TypeError: n must be a int"))[0] == "crash"
    assert ends.verdict(page, Outcome("", error="stopped after the 3 s that --timeout allows"))[0] == "too long"
