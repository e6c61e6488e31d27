"""The prose of the book: faults that a script can count stay few, and the script counts what it says."""

import importlib
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from dpbi import MECHANISMS

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools"))
prose, gallery, names = map(importlib.import_module, ("prose", "gallery", "names"))
sys.path.remove(str(ROOT / "tools"))

MOST = {"inverted": 0, "long": 0, "digits": 13, "symbols": 0, "names": 0}
"""So many are left: digits that tell two numbers apart."""


def found(text, known=frozenset(), terms=""):
    places = prose.faults("page", text, set(), known, terms)
    return [(place.kind, place.words.split(" in: ")[0]) for place in places]


def test_the_faults_of_the_book_do_not_grow():
    seen = prose.counts(prose.book())
    assert {kind: count for kind, count in seen.items() if count > MOST[kind]} == {}


@pytest.mark.parametrize(
    "sentence",
    [
        "Claimed was a bound.",
        "True is the first.",
        "Of those that hold two are sharp.",
        "In the table are the numbers.",
    ],
)
def test_an_inverted_opening_is_counted(sentence):
    assert [kind for kind, _ in found(sentence)] == ["inverted"]


@pytest.mark.parametrize(
    "sentence",
    ["For two categories it is the beta law.", "In the triangle every count vector is a cell.", "Is it true?"],
)
def test_what_only_begins_with_a_preposition_or_asks_is_not(sentence):
    assert found(sentence) == []


def test_a_long_sentence_is_counted_and_its_formulas_are_one_word():
    assert [kind for kind, _ in found("word " * 36 + ".")] == ["long"]
    assert found("word " * 34 + "$a + b = c$.", known=frozenset("abc")) == []
    assert found("word " * 20 + ". " + "Word " * 20 + ".") == []


def test_digits_are_those_that_say_something():
    numbers = "It is 0.01234, 12,000, 1000000, 1.2345 or 123456."
    assert [words for kind, words in found(numbers) if kind == "digits"] == ["1.2345", "123456"]
    assert found("```python\n1.23456\n```\n\n| 1.23456 | 2 |") == []


def test_a_symbol_is_defined_where_it_stands_alone_or_in_the_notation():
    assert found("The sum $a + b$ is large.") == [("symbols", "a"), ("symbols", "b")]
    assert found("The sum $a + b$ of the weights $a$ and $b = 2$.") == []
    assert found("The sum $a + b$ is large.", known=frozenset("ab")) == []
    assert found(r"The set $\mathcal R_{post}$ has $|\mathcal R_{post}|$ members.") == []


@pytest.mark.parametrize(
    "formula",
    [r"\sum_k q^k", r"\max_{y \sim x} q^y", r"\max_\varphi q^\varphi", r"\int q^y\, dy", "f(y) = q + y", "q + q_y"],
)
def test_a_letter_that_a_formula_sets_itself_or_that_only_indexes_needs_no_words(formula):
    assert found(f"It is ${formula}$.", known=frozenset("qfx")) == []


def test_a_name_is_introduced_by_words_or_by_the_glossary():
    assert found("We use LSHist here. LSHist is noise.") == [("names", "LSHist")]
    assert found("We use Laplace noise (LSHist) here.") == []
    assert found("We use LSHist here.", terms="LSHist") == []


def test_every_mechanism_has_a_place_and_a_picture_that_says_its_law():
    assert list(gallery.PLACES) == list(MECHANISMS)
    for name, places in gallery.PLACES.items():
        assert all(prose.source(page) for page in places), name
    drawn = gallery.picture("geometric")
    assert len(ElementTree.fromstring(drawn).findall("rect")) == 21
    # two-sided geometric noise with e^{-1} is zero with probability (1 - e^{-1}) / (1 + e^{-1}) = tanh(1/2)
    assert "probability 0.462, and the most probable count is 14" in drawn


def test_a_source_is_told_by_its_claims():
    rows = [
        {"id": f"notes/{number}", "verdict": word, "corrects": None, "erratum": False, "origin": "printed"}
        | {"notebook": "notes/theorem_4_5"}
        for number, word in enumerate(["proved", "refuted", "refuted"])
    ]
    told = gallery.fared("notes", rows, ["notebooks/notes/theorem_4_5"])
    assert "**3 claims**" in told
    assert "**1 hold** and **2 fail**" in told
    assert "| {doc}`/notebooks/notes/theorem_4_5` | 3 | 1 | 0 | 2 | 0 |" in told


def test_names_lead_to_pages_that_exist_and_to_one_page_each():
    all_names = [name.lower() for page in names.NAMES for name in names.NAMES[page]]
    assert len(set(all_names)) == len(all_names) >= 30
    assert [page for page in names.NAMES if prose.source(page) is None] == []
