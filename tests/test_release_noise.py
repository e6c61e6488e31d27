"""The noise of releases is measured, and the inputs of draws are recomputed by hand; nothing else reads the records.

The differences between released and true counts, from the functions that users call and with the entropy of the system,
are compared with the distribution of the budget by a goodness-of-fit test. The distributions are written out here; no
function of the library computes them.
"""

import datetime
import itertools
import sqlite3
from copy import copy
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.special import gammaln
from scipy.stats import chi2, ncx2

from dpbi.cli import main
from dpbi.mechanisms import integer_noise
from dpbi.publish import receipts, releasable, release, release_table, releases, schema

BINS = 8
LEAST = 6e-11  # the least p that passes, of 15 tests: together they fail by chance less than once in 1e9 runs
BINARY, CELLS, ROWS = 40, 41, 3  # columns of two categories, categories of a longer one, rows of a person


@pytest.fixture
def quick(monkeypatch):
    """Releases end when the noise is drawn: what follows is made of the receipt alone."""
    monkeypatch.setattr(releases, "within_work", lambda *arguments: None)
    monkeypatch.setattr(releases, "versions", dict)
    monkeypatch.setattr(releases, "recomputed", lambda receipt, progress=None: receipt)


def law(mechanism, budget, k):
    """The least value, and weights from it on, of the noise of a count, or of half the sum of magnitudes on a lattice.

    A replaced record changes one count by 1 where the last of two is known from the first, and else two of them.
    """
    rate = float(budget) / (1 if k == 2 else 2)
    if mechanism == "lattice_laplace":
        d, up = np.arange(1, int((k + 40) / budget))[:, None], np.arange(1, k)  # d in ``up`` entries, -d in the others
        choices = [(k, up), (d - 1, up - 1), (d + k - up - 1, k - up - 1)]
        log_vectors = sum(gammaln(a + 1) - gammaln(b + 1) - gammaln(a - b + 1) for a, b in choices if (a >= b).any())
        vectors = np.where(d >= up, np.exp(np.where(d >= up, log_vectors, 0) - float(budget) * d), 0).sum(axis=1)
        return 0, np.append(1.0, vectors)
    far = int(12 / rate**0.5 if mechanism == "discrete_gaussian" else 80 / rate)
    z = np.arange(-far, far + 1)
    steps = {"geometric": abs(z), "lshist": np.where(z < 0, -1 - z, z), "staircase": (abs(z) + 1) // 2}
    steps["discrete_gaussian"] = z.astype(float) ** 2
    assert mechanism in steps, f"the law of the noise of {mechanism} belongs here"
    return -far, np.exp(-rate * steps[mechanism])


def shares_of_bins(least, weights, edges):
    below = np.append(0, np.cumsum(weights) / weights.sum())
    return np.diff(np.concatenate([[0], below[np.clip(edges - least, 0, len(weights))], [1]]))


def fit(found, mechanism, budget, k):
    """The p-value of a test of chi-square, after a check that a budget wrong by a factor of 1.2 would be noticed."""
    least, weights = law(mechanism, budget, k)
    edges = least + np.searchsorted(np.cumsum(weights) / weights.sum(), np.arange(1, BINS) / BINS) + 1
    p, n = shares_of_bins(least, weights, edges), len(found)
    for wrong in (budget * Fraction(6, 5), budget / Fraction(6, 5)):
        distance = ((shares_of_bins(*law(mechanism, wrong, k), edges) - p) ** 2 / p).sum()
        assert ncx2.sf(chi2.isf(LEAST, BINS - 1), BINS - 1, n * distance) > 0.998
    observed = np.bincount(np.searchsorted(edges, found, side="right"), minlength=BINS)
    return chi2.sf(((observed - n * p) ** 2 / (n * p)).sum(), BINS - 1)


def noise(mechanism, noisy, true):
    """What is independent in the noise of one question: of a lattice one number."""
    z = np.array(noisy) - true
    return [abs(z).sum() // 2] if mechanism == "lattice_laplace" else z[:-1]


def price(mechanism, amount):
    return {"rho" if releasable()[mechanism].currency == "rho" else "epsilon": amount}


@pytest.mark.parametrize("mechanism", releasable())
def test_the_noise_of_a_column_has_the_law_of_its_price(mechanism, quick):
    k, times = {"discrete_gaussian": (401, 29), "lattice_laplace": (11, 540)}.get(mechanism, (401, 13))
    records, found = [0, 0, 1, 5], []
    for _ in range(times):
        receipt = release(records, list(range(k)), [1] * k, mechanism=mechanism, **price(mechanism, "1/20"))
        found.extend(noise(mechanism, receipt["noisy"], np.bincount(records, minlength=k)))
    assert fit(np.array(found), mechanism, Fraction(1, 20), k) > LEAST


@pytest.mark.parametrize("mechanism", releasable())
def test_the_noise_of_several_rows_has_the_law_of_its_share(mechanism, quick):
    """In a table where a person may own several rows."""
    names = [f"b{i}" for i in range(BINARY)]
    columns = {name: {"categories": [0, 1]} for name in names} | {"c": {"categories": list(range(CELLS))}}
    asked = [{"columns": [name], "share": f"1/{2 * BINARY}"} for name in names] + [{"columns": ["c"], "share": "1/2"}]
    spec = {"columns": columns, "questions": asked, "mechanism": mechanism, "person": "who", "rows_per_person": ROWS}
    amount = Fraction(2)
    declared = schema(spec | price(mechanism, str(amount)))
    data = pd.DataFrame({"who": list("aaabb"), "c": [0, 0, 3, 7, 40]} | {name: [0, 1, 1, 0, 1] for name in names})
    found = {2: [], CELLS: []}
    for _ in range(290 if mechanism == "discrete_gaussian" else 130):
        receipt = release_table(data, declared)
        for question, noisy in zip(receipt["questions"], receipt["noisy"], strict=True):
            k = len(noisy)
            true = np.bincount(data[question["columns"][0]], minlength=k)
            found[k].extend(noise(mechanism, noisy, true))
    rows = ROWS**2 if mechanism == "discrete_gaussian" else ROWS
    assert fit(np.array(found[2]), mechanism, amount / 2 / BINARY / rows, 2) > LEAST
    assert fit(np.array(found[CELLS]), mechanism, amount / 2 / rows, CELLS) > LEAST


class Spy:
    """Draws in place of a mechanism's: the counts and budgets that it was given, and made-up noise."""

    def __init__(self):
        self.given = []

    def draw_exactly(self, counts, budget):
        self.given.append((tuple(counts), budget))
        return 7, *[0] * (len(counts) - 2), sum(counts) - 7


def spied(monkeypatch):
    spy = Spy()
    monkeypatch.setattr(releases, "releasable_mechanism", lambda name: spy)
    return spy


SCHEMA = 'epsilon = "1/2"\nmargins = [1, 2]\ncolumns = {a = {categories = ["x", "y"]}, b = {categories = [1, 2, 3]}}'
SIDES = {"a": {"categories": ["x", "y"]}, "b": {"categories": [1, 2, 3]}}
PEOPLE = pd.DataFrame({"who": list("aaabbc"), "a": list("xxyyxy"), "b": [1, 1, 2, 3, 1, 2]})
OTHERS = pd.DataFrame({"who": list("ghijkl"), "a": list("yyyyyy"), "b": [3, 3, 3, 3, 3, 3]})


@pytest.mark.parametrize("currency", ["epsilon", "rho"])
@pytest.mark.parametrize("rows", [1, 3])
def test_budgets_of_all_questions_and_rows_add_up_to_the_price(currency, rows, quick, monkeypatch):
    spy = spied(monkeypatch)
    shares = {"a": Fraction(1, 2), "b": Fraction(1, 3), "a b": Fraction(1, 6)}
    asked = [{"columns": names.split(), "share": str(share)} for names, share in shares.items()]
    mechanism = "discrete_gaussian" if currency == "rho" else "lattice_laplace"
    spec = {"columns": SIDES, "questions": asked, "mechanism": mechanism, currency: "6/7"}
    declared = schema(spec if rows == 1 else spec | {"person": "who", "rows_per_person": rows})
    receipt = release_table(PEOPLE, declared)
    times = rows**2 if currency == "rho" else rows  # by the definitions: epsilon m, and rho m^2, for m rows
    assert [budget for _, budget in spy.given] == [Fraction(6, 7) * share / times for share in shares.values()]
    assert sum(budget * times for _, budget in spy.given) == Fraction(6, 7)
    assert [counts for counts, _ in spy.given] == [(3, 3), (3, 2, 1), (3, 0, 0, 0, 2, 1)]
    parts = [Fraction(6, 7) * share for share in shares.values()]
    assert [Fraction(one[currency]) for one in receipt["questions"]] == parts
    assert [Fraction(one[f"{currency}_of_a_row"]) for one in receipt["questions"]] == [one for _, one in spy.given]
    assert receipt["guarantee"][currency] == "6/7"
    spy.given.clear()
    release(list("xxyyxy"), ["x", "y"], [1, 1], mechanism=mechanism, **{currency: "6/7"})
    assert spy.given == [((3, 3), Fraction(6, 7))]


@pytest.mark.parametrize("budget", [Fraction(1, 1000), Fraction(1, 3), Fraction(7)])
@pytest.mark.parametrize("k", [2, 3, 4, 5, 9])
def test_a_budget_reaches_each_draw_over_its_sensitivity(k, budget, monkeypatch):
    """Each count's draw gets the budget divided by what a record moves."""
    moved = 1 if k == 2 else 2  # counts but the last that a replaced record changes by 1
    rates = []
    monkeypatch.setattr(integer_noise, "zero_sum", lambda rate, size: rates.append(rate) or (0,) * size)
    for mechanism, made in releasable().items():
        if mechanism == "lattice_laplace":
            expected = [budget]
        else:
            monkeypatch.setattr(made, "noise", copy(made.noise))
            vars(made.noise).update(exact_draw=lambda rate: rates.append(rate) or 0)
            expected = [(2 if mechanism == "discrete_gaussian" else 1) * budget / moved] * (k - 1)
        assert made.draw_exactly([5] * k, budget) == (5,) * k
        assert rates == expected
        rates.clear()


COLUMN = "--column=a --categories=x,y,z --prior=1,1,1"
COMMANDS = [
    f"{COLUMN} --epsilon=1/2 --out=one", "--schema=schema.toml --out=two", f"{COLUMN} --epsilon=2 --out=three",
    f"{COLUMN} --epsilon=1/2 --out=one", f"{COLUMN} --epsilon=1/9 --out=four --data-set=other",
]  # fmt: skip


class Noon(datetime.datetime):
    @classmethod
    def now(cls, zone=None):
        return cls(2026, 1, 1, 12, tzinfo=zone)


def left_by(folder, data, monkeypatch, capsys):
    """All that releases leave: files, rows of the budget, what is printed, and what is computed before the draw."""
    folder.mkdir()
    monkeypatch.chdir(folder)
    data.to_csv("data.csv", index=False)
    (folder / "schema.toml").write_text(SCHEMA)
    spied(monkeypatch)
    monkeypatch.setattr(releases.secrets, "token_hex", lambda size: f"{next(numbers):0{2 * size}x}")
    monkeypatch.setattr(releases, "datetime", Noon)
    numbers, computed, codes = itertools.count(), [], []
    real = receipts.recomputed
    monkeypatch.setattr(releases, "recomputed", lambda receipt, *rest: computed.append(receipt) or real(receipt, *rest))
    for command in COMMANDS:
        try:
            codes.append(main(["release", "data.csv", *command.split(), "--budget=budget.db", "--limit=2"]))
        except SystemExit as stop:
            codes.append(stop.code)
    (folder / "data.csv").unlink()
    rows = sqlite3.connect("budget.db").execute("SELECT * FROM charge").fetchall()
    files = {str(path): path.read_bytes() for path in Path().rglob("*") if path.is_file() and path.suffix != ".db"}
    texts = [str(each).replace(str(folder), ".") for each in (rows, capsys.readouterr())]
    return codes, files, computed, *texts


def test_only_noisy_counts_depend_on_the_records(tmp_path, monkeypatch, capsys):
    """Of two data sets of one size, nothing differs once the noisy counts are the same."""
    one, other = (left_by(tmp_path / name, data, monkeypatch, capsys) for name, data in (("p", PEOPLE), ("o", OTHERS)))
    assert one == other
    codes, files, computed, rows, printed = one
    assert codes == [0, 0, 1, 1, 0]
    written = [f"{out}/{name}" for out in ("one", "two", "four") for name in receipts.FILES]
    assert sorted(files) == sorted(["schema.toml", *written])
    assert len(computed) == 9  # of each two made-up ones, and the release
    assert rows.count("epsilon 1/") == 5  # three prices, and what was spent after each, but for the whole epsilon 1
    assert (printed.count("written to"), printed.count("dpbi: ")) == (3, 2)
