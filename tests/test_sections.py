"""The search quotes the sentence around what it finds, on pages from the file system, without a network."""

import doctest
import importlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools"))
check_book, sphinx_sections = map(importlib.import_module, ("check_book", "sphinx_sections"))
sys.path.remove(str(ROOT / "tools"))

CONFIGURATION = f"""
import sys
sys.path.insert(0, {str(ROOT / "tools")!r})
extensions = ["myst_parser", "sphinx_sections"]
myst_enable_extensions = ["dollarmath"]
html_static_path = ["own"]
html_show_search_summary = False
"""
PAGES = {
    "index": "# A book\n\n```{toctree}\nnoise\nbook/ledger/notes\n```\n",
    "noise": (
        "# Noise\n\nA count is public. Geometric noise falls by the factor $e^{-\\varepsilon}$ with every step.\n\n"
        "```python\nhidden = 1\n```\n\n"
        "## Staircases\n\nThey keep their height for two steps. See {doc}`index` first. Then $\\frac12$ follows.\n"
    ),
    "book/ledger/notes": f"# Claims\n\nThe first words, {'then many more ' * 40}until a zebra comes.\n",
}


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    folder = tmp_path_factory.mktemp("book")
    (folder / "conf.py").write_text(CONFIGURATION)
    (folder / "own").mkdir()
    (folder / "own" / "search.js").write_text((ROOT / "book" / "_static" / "search.js").read_text("utf-8"))
    for name, text in PAGES.items():
        file = folder / f"{name}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    built(folder)
    return folder / "html"


def built(folder, *options):
    """What the script says after a build."""
    command = [sys.executable, "-m", "sphinx", "-nWq", "--keep-going", *options, folder, folder / "html"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return texts(folder / "html")


def texts(book):
    script = (book / "_static" / sphinx_sections.SCRIPT).read_text("utf-8")
    return json.loads(script.partition(" = ")[2].rstrip(";\n"))


def test_a_section_has_its_words_without_code_and_a_long_page_the_beginning_of_each(book):
    said = texts(book)
    assert said["noise"] == [
        ["noise", "A count is public. Geometric noise falls by the factor e^-ε with every step."],
        ["staircases", "They keep their height for two steps. See A book first. Then … follows."],
    ]
    ((_, beginning),) = said["book/ledger/notes"]
    assert beginning.startswith("The first words, then")
    assert beginning.endswith(" …")
    assert len(beginning) <= sphinx_sections.BEGINNING + 2


def test_formulas_are_spoken_as_the_examples_say():
    found = doctest.testmod(sphinx_sections)
    assert found.attempted == 2
    assert found.failed == 0


@pytest.fixture(scope="module")
def answers(book):
    """What a search answers: the words under each page, and those that are marked."""
    if not (executable := next(filter(None, map(shutil.which, check_book.BROWSERS)), None)):
        pytest.skip("this machine has no Chromium")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])

        def ask(query):
            page = opened.new_context(offline=True).new_page()
            page.goto(f"{(book / 'search.html').as_uri()}?q={query}")
            page.locator("#search-results p.context").first.wait_for()
            return page.evaluate(
                """() => [...document.querySelectorAll("#search-results ul.search > li")].map(item => [
                  item.querySelector("a").textContent,
                  item.querySelector(".context")?.textContent,
                  [...item.querySelectorAll("mark")].map(mark => mark.textContent)])"""
            )

        yield ask
        opened.close()


@pytest.mark.parametrize(
    ("query", "page", "sentence", "marked"),
    [
        ("geometric", "Noise", "Geometric noise falls by the factor e^-ε with every step.", ["Geometric"]),
        ("public counts", "Noise", "A count is public.", ["count", "public"]),
        ("height", "Noise", "They keep their height for two steps.", ["height"]),
        ("staircases", "Noise > Staircases", "They keep their height for two steps.", []),
    ],
)
def test_the_search_quotes_the_sentence_that_has_the_words(answers, query, page, sentence, marked):
    found = {title: (said, words) for title, said, words in answers(query)}
    assert found[page] == (sentence, marked)


def test_a_page_whose_words_are_not_kept_is_quoted_from_its_beginning_and_cut(answers):
    ((_, said, marked),) = answers("zebra")
    assert said.startswith("The first words")
    assert marked == []
