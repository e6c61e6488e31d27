"""The taught path: all answers to exercises and all tables without scripts are recomputed, and the figures agree.

The oracle is the library, by way of `path_numbers.py`; for the game it is the bound e^ε / (1 + e^ε) in closed form.
"""

import re
from pathlib import Path

import numpy as np
import pytest

import dpbi
import path_numbers
from dpbi.mechanisms.remaps import geometric_remap
from explorer import browser, complaints, folder, needs_browser, opened, rest, write_page  # noqa: F401  # fixtures
from path_numbers import IN_WORDS, TABLES, short
from test_explorer_numbers import inverse, mulberry32

PATH = Path(__file__).parents[1] / "book" / "path"
CHAPTERS = list(TABLES)
PICTURE = re.compile(
    r'<div class="dpbi-picture" id="\w+" data-picture="(\w+)"(?: data-start="([^"]*)")?>\n(.*?)</div>', re.DOTALL
)


def text(chapter):
    return (PATH / f"{chapter}.md").read_text("utf-8")


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_without_scripts_a_table_stands_in_for_each_picture(chapter):
    found = {name: re.findall(r"<tr>(<td>.*?)</tr>", inside) for name, _, inside in PICTURE.findall(text(chapter))}
    cell = lambda one: f"<td>{one if isinstance(one, str) else shown(one)}</td>"  # noqa: E731
    expected = {name: ["".join(map(cell, row)) for row in rows()] for name, rows in TABLES[chapter].items()}
    assert found == expected


def shown(value):
    return str(value) if isinstance(value, int) else short(value)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_answers_to_the_exercises_are_computed(chapter):
    _, exercises = text(chapter).split("## Exercises")
    questions, answers = exercises.split(":::{dropdown} Answers")
    assert len(re.findall(r"^\d\. ", questions, re.MULTILINE)) == 2
    stated = re.sub(r"\$[^$]*\$", "", answers)  # formulas explain, sentences answer
    for answer in path_numbers.answers()[chapter]:
        assert re.search(rf"(?<![\d.]){re.escape(shown(answer))}(?![\d]|\.\d)", stated), (answer, stated)


def test_the_sentences_of_the_path_are_true():
    lengths = [row[-1] - row[-2] for row in path_numbers.posteriors()]
    assert f"shrinks from {short(lengths[0])} to {short(lengths[2])}" in text("posterior")
    for epsilon, factor, right in path_numbers.hundred():
        assert f">ε = {short(epsilon)}</a> allows {short(right)}" in text("game")
        assert factor == pytest.approx(right / (100 - right))
    # at ε = 1 geometric noise is best as it is, and the exponential mechanism falls behind
    assert geometric_remap([1, 1], 20, 1.0, range(21)).tolist() == list(range(21))
    least = path_numbers.average_error(dpbi.geometric(1), 20)
    assert path_numbers.average_error(dpbi.ehd(1), 20) > 3 * least
    assert f"right {short(100 * path_numbers.coverage(0.1))} % of the time" in text("conclude")
    mean, *ends = map(round, path_numbers.sentence())
    assert f"estimated {mean} % of such students" in text("conclude")
    assert "interval from {} % to {} %".format(*ends) in text("conclude")
    # at ε = 0.2 the remap publishes 2 and 18 for the noisy counts at the ends, and is most accurate there
    remap, best = geometric_remap([1, 1], 20, 0.2, range(21)), dpbi.remapped_geometric(0.2)
    assert (remap[0], remap[20]) == (2, 18)
    errors = [dpbi.mean_error(best, [1, 1], [x, 20 - x]) for x in range(21)]
    assert set(sorted(range(21), key=errors.__getitem__)[:2]) == {2, 18}
    # the sentence on Hellinger distances of normal hills: 1 - H² = exp(-d² / 8)
    for deviations, distance in ((1, 0.34), (2, 0.63)):
        assert (1 - 2.718281828459045 ** (-(deviations**2) / 8)) ** 0.5 == pytest.approx(distance, abs=0.005)


@pytest.fixture
def page(browser, folder):  # noqa: F811
    """All pictures of the path on one page, and after them those of the landing page and of its figure."""
    body = "".join(match[0] for chapter in CHAPTERS for match in PICTURE.finditer(text(chapter)))
    more = "".join(f'<div class="dpbi-picture" data-picture="{name}"></div>' for name in ("drops", "landing"))
    context = opened(browser, viewport={"width": 390, "height": 844})
    tab = context.new_page()
    errors = complaints(tab)
    tab.goto(write_page(folder, "path", body + more))
    tab.wait_for_function("document.querySelectorAll('.dpbi-picture.ready').length === 13")
    yield tab
    assert tab.evaluate("document.documentElement.scrollWidth") == 390
    context.close()
    assert errors == []


def caption(page, picture, **values):
    """What a picture says after its knobs were turned."""
    page.evaluate(
        """([name, values]) => {
          const { picture } = document.querySelector(`[data-picture=${name}]`);
          Object.assign(picture.values, values);
          picture.redraw();
        }""",
        [picture, values],
    )
    rest(page, 300)
    return page.locator(f"[data-picture={picture}] .said").text_content()


@needs_browser
def test_no_bar_is_below_the_least_error(page):
    for epsilon, n in ((0.1, 20), (4, 60)):
        caption(page, "landing", epsilon=epsilon, n=n)
        cells = "rows => rows.map(row => row.innerText.split('\\t'))"
        rows = page.locator("[data-picture=landing] tr").evaluate_all(cells)
        times = {name: float(value) for name, value, *_ in rows}
        assert min(times.values()) == times["Geometric noise, remapped"] == 1
        assert len(times) > 10


@needs_browser
def test_pictures_agree_with_their_tables(page):
    for _, x, mean, low, high in path_numbers.posteriors():
        text = caption(page, "posterior", n={14: 20, 140: 200, 1400: 2000}[x], x=x)
        assert all(short(value) in text for value in (mean, low, high)), text
    assert f"students cheated is {short(path_numbers.answers()['posterior'][0] / 100)}." in caption(
        page, "posterior", n=50, x=30
    )
    assert "more than 0.9999" in caption(page, "posterior", n=10_000, x=10_000)
    for epsilon, factor, right in path_numbers.hundred():
        assert f"become at most {short(factor)} to 1" in caption(page, "hundred", epsilon=epsilon)
        assert short(right) in page.locator("[data-picture=hundred] figcaption").text_content()
    names = {words: name for name, words in IN_WORDS.items()}
    for words, truth, near in path_numbers.noise():
        text = caption(page, "noise", mechanism=names[words])
        assert short(truth) in text, text
        assert short(near) in text, text
    for words, error in path_numbers.simplex():
        assert f"to the true one is {short(error)}." in caption(page, "simplex", mechanism=names[words])
    for words, error, ratio in list(path_numbers.best())[:-1]:
        text = caption(page, "best", mechanism=names[words])
        assert f"the average error is {short(error)}, {short(ratio)} times the smallest possible" in text, (text, words)
    text = caption(page, "publications")
    assert all(short(distance) in text for _, distance in list(path_numbers.publications())[1::2]), text
    for epsilon, *ends in path_numbers.conclude():
        text = caption(page, "conclude", epsilon=epsilon)
        assert all(short(end) in text for end in ends), (text, ends)
    for epsilon, right in path_numbers.coverage():
        assert f"is right {short(right)} % of the time" in caption(page, "coverage", epsilon=epsilon)
    assert "with 1 student," in caption(page, "coverage", n=1)


@needs_browser
def test_the_releases_of_the_landing_page_are_draws(page):
    for epsilon in (0.3, 3):
        law = dpbi.geometric(epsilon).law([1, 1], [14, 6])
        drawn = [inverse(law, mulberry32(2020 + i)) for i in range(100)]
        assert f"{sum(abs(r - 14) <= 2 for r in drawn)} of these 100 numbers" in caption(page, "drops", epsilon=epsilon)
    assert page.locator("[data-picture=drops] circle").count() == 100
    assert page.locator("[data-picture=drops] circle.true").count() == drawn.count(14)


@needs_browser
def test_the_root_mean_of_the_picture_is_the_librarys(page):
    for prior, n, y, epsilon in (([1, 1], 20, 20, 0.2), ([0.5, 3], 7, 2, 1.1), ([4, 4], 60, 0, 0.6)):
        s = {"first": prior[0], "second": prior[1], "n": n, "epsilon": epsilon, "mechanism": "geometric"}
        densities = "([s, y]) => {const {rootMean} = dpbi.publications(s, y); return [0.1, 0.5, 0.9].map(rootMean);}"
        found = page.evaluate(densities, [s, y])
        density = dpbi.root_mean(prior, n, [y, n - y], epsilon)[0].density(np.array([0.1, 0.5, 0.9]))
        assert found == pytest.approx(density, rel=1e-9)


@needs_browser
def test_the_game_is_won_as_often_as_it_may_be(page):
    """The reader who bets on the more probable answer is right about as often as the bound of 73 % says."""
    won, rounds = page.evaluate(
        """() => {
          const { values } = document.querySelector("[data-picture=game]").picture;
          values.seed = 1;
          const [yes, no] = document.querySelectorAll("[data-picture=game] button");
          const host = document.querySelector("[data-picture=game]");
          for (let round = 0; round < 600; round++) {
            host.picture.redraw();
            const published = Number(host.querySelector(".keys").textContent.match(/published: (\\d+)/)[1]);
            (published > 13 ? yes : no).click();
          }
          const won = values.right / values.rounds;
          host.picture.take("epsilon=5");
          host.picture.redraw();
          return [won, values.rounds];
        }"""
    )
    assert rounds == 0, "a score is of one privacy loss"
    assert won == pytest.approx(path_numbers.most(1), abs=4 * (0.2 / 600) ** 0.5)


@needs_browser
def test_sliders_stop_at_the_numbers_of_the_text(page):
    places, counts = page.evaluate(
        """() => {
          const host = document.querySelector("[data-picture=posterior]"), { values, take, redraw } = host.picture;
          const range = host.querySelector("input"), { max } = range, found = [];
          for (range.value = 0; found.length <= max; range.value = found.length) {
            range.dispatchEvent(new Event("input"));
            found.push([values.n, values.x]);
          }
          take("n=20 x=14");
          take("n=1");
          return [found, [2000, 3, 20].map(n => (take(`n=${n}`), values.x))];
        }"""
    )
    assert {1, 20, 200, 2000, 10_000} <= {n for n, _ in places}
    assert len(places) < 50
    assert all(x == round(0.7 * n) for n, x in places if n % 10 == 0)
    assert counts == [1400, 2, 14]
