"""Every notebook is in its committed form, and the pages of the foundations are also true at other parameters.

nbval compares what every page shows at its own parameters. Here, and for the later chapters in the files beside this
one, the code of a page runs in this process, and its recorded results are compared with values from other formulas.
"""

import re
from pathlib import Path

import matplotlib.pyplot as plt
import nbformat
import pandas as pd
import papermill
import pytest
import yaml

from dpbi.claims import CLAIMS, RECORDED
from dpbi.parameters import parse
from dpbi.results import Record, read

ROOT = Path(__file__).parents[1]
PAGES = sorted((ROOT / "notebooks").glob("*/*.ipynb"))
NOTEBOOKS = {path.relative_to(ROOT / "notebooks").with_suffix("").as_posix(): path for path in PAGES}
NUMBER = re.compile(r"(?<![\w.#-])-?(\d+\.\d+|\d{7,})(e[-+]?\d+)?(?![\w.])")
every_notebook = pytest.mark.parametrize("name", NOTEBOOKS)


def cells(name, kind="code"):
    return [cell for cell in nbformat.read(NOTEBOOKS[name], as_version=4).cells if cell.cell_type == kind]


def outputs(name):
    return [(cell, output) for cell in cells(name) for output in cell.outputs]


def run(name, folder, **parameters) -> Record:
    """The record of a page with other parameters; cells of claims are left out, since no parameter changes a claim."""
    names: dict[str, object] = {}
    with pd.option_context("display.float_format", None):  # which pages set
        for cell in cells(name):
            if not cell.id.startswith(("verdicts", "claims")):
                exec(compile(cell.source, f"{name}, {cell.id}", "exec"), names)
            if "parameters" in cell.metadata.get("tags", []):
                assert set(parameters) <= set(names)
                names |= {**parameters, "outdir": str(folder)}
    plt.close("all")
    found = read(folder / f"{name}.json")
    assert not [key for key, value in found.scalars.items() if value != value]  # nan
    return found


@every_notebook
def test_it_is_executed_in_order_without_errors(name):
    order = [cell.execution_count for cell in cells(name)]
    assert order == list(range(1, len(order) + 1)), f"run tools/execute.py notebooks/{name}.ipynb"
    assert not [out for _, out in outputs(name) if out.output_type == "error" or out.get("name") == "stderr"]


@every_notebook
def test_its_parameters_are_read_by_papermill_alike(name):
    sources = [cell.source for cell in cells(name)]
    tagged = [cell.source for cell in cells(name) if "parameters" in cell.metadata.get("tags", [])]
    assert len(tagged) == 1, "one cell must have the tag `parameters`"
    parameters = parse(tagged[0])
    assert all(each.meaning and each.check(each.default) == each.default for each in parameters)
    assert parameters[-1].name == "outdir"
    assert re.search(r"^\w+ = check_here\(\)", "\n".join(sources), re.M), "check parameters: given = check_here()"
    assert re.search(r"^record\(", sources[-1], re.M), "the last cell must record its results: dpbi.results.record"
    inferred = papermill.inspect_notebook(NOTEBOOKS[name])
    named = [(parameter.name, parameter.type) for parameter in parameters]
    assert [(known["name"], known["inferred_type_name"]) for known in inferred.values()] == named


@every_notebook
def test_its_numbers_have_at_most_six_significant_digits(name):
    found = []
    for cell, output in outputs(name):
        shown = output.get("data", {})
        for text in (output.get("text", ""), shown.get("text/plain", ""), shown.get("text/markdown", "")):
            found += [(cell.id, match[0]) for match in NUMBER.finditer(text) if digits(match[1]) > 6]
    assert not found, "round these numbers to six digits"


def digits(number):
    """Significant digits, zeros at the end of a whole number not counted."""
    return len((number.replace(".", "") if "." in number else number.rstrip("0")).lstrip("0"))


@every_notebook
def test_every_figure_is_described_in_words(name):
    shown = [cell for cell, output in outputs(name) if "image/svg+xml" in output.get("data", {})]
    assert not any("image/png" in out.get("data", {}) for _, out in outputs(name)), "draw with dpbi.plots, in SVG"
    described = {cell.id: cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "") for cell in shown}
    short = [identity for identity, words in described.items() if len(words.split()) < 6]
    assert not short, f"{short} must have alt text of six words or more in the metadata of the cell"


def test_every_statement_of_the_notes_is_on_a_page_of_them():
    pages = [output for name in NOTEBOOKS if name.startswith("notes/") for _, output in outputs(name)]
    shown = "".join(output.get("data", {}).get("text/markdown", "") for output in pages)
    named = [claim.id for claim in CLAIMS if claim.id.startswith("notes/")]
    assert named
    assert not [name for name in named if f"`{name}`" not in shown], 'show it on a page in notebooks/notes: table("ID")'


def test_a_verdict_in_a_sentence_is_that_of_the_ledger():
    slugs = {re.sub("[^a-z0-9]+", "-", name): verdict for name, verdict in RECORDED.items()}
    chip = re.compile(r"\[(" + "|".join(set(RECORDED.values())) + r")\]\(#?claim-([a-z0-9-]+)\)")
    pages = [cell.source for name in NOTEBOOKS for cell in cells(name, "markdown")]
    made = ROOT / "book" / "ledger"  # by the book, perhaps of yesterday
    pages += [path.read_text("utf-8") for path in (ROOT / "book").rglob("*.md") if made not in path.parents]
    chips = [(slug, word) for text in pages for word, slug in chip.findall(text)]
    assert len(chips) > 100
    assert [each for each in chips if slugs.get(each[0]) != each[1]] == []


def test_first_release_holds_for_three_categories(tmp_path):
    setting = {"prior": [0.5, 1, 2], "counts": [0, 3, 4], "mechanism": "ehd", "epsilon": 2.0}
    found = run("foundations/first_release", tmp_path, **setting)
    law = found.tables["error_law"]
    assert sum(law["probabilities"]) == pytest.approx(1)
    mean = sum(h * p for h, p in zip(law["distances"], law["probabilities"], strict=True))
    assert found.scalars["mean_error"] == pytest.approx(mean)
    assert found.scalars["leak"] <= 2.0


def test_the_share_of_draws_as_far_out_counts_the_one_made(tmp_path):
    """At a prior where nearly all are at a distance that is one to a double."""
    setting = {"prior": [0.001, 1000.0], "counts": [0, 200], "mechanism": "lszhang", "epsilon": 0.001}
    assert run("foundations/first_release", tmp_path, **setting).scalars["share_as_far"] > 0


def test_sensitivity_finds_the_closed_form_at_another_prior(tmp_path):
    found = run("foundations/sensitivity", tmp_path, prior=[0.5, 3.0], counts=[1, 6], largest=8)
    assert found.scalars["largest_change"] == pytest.approx(found.scalars["local_sensitivity"], rel=1e-12)
    assert max(found.tables["score_changes"]["change"]) == found.scalars["largest_change"]
    assert found.scalars["local_sensitivity"] <= found.scalars["global_sensitivity"]


@pytest.mark.slow
def test_promise_and_audit_keeps_all_bounds_for_three(tmp_path):
    found = run("foundations/promise_and_audit", tmp_path, prior=[0.2, 1, 3], n=4, epsilon=1.5, delta=0.01)
    assert found.scalars["bounds_kept"]
    losses = dict(zip(found.tables["losses"]["mechanism"], found.tables["losses"]["loss"], strict=True))
    assert losses["geometric"] <= 1.5 * (1 + 1e-12)
    assert found.tables["calibration"]["loss"][1] == pytest.approx(1.5)


@pytest.mark.parametrize(("name", "parameters", "said"), [
    ("foundations/sensitivity", {"counts": [0, 0]}, "counts must hold at least one record"),
    ("foundations/promise_and_audit", {"prior": [1, 1, 1], "n": 100}, "n must be small enough"),
    ("beyond/honest_intervals", {"noisy": [-3, 2]}, "noisy must add up to at least one record"),
])  # fmt: skip
def test_contradictory_parameters_are_refused(tmp_path, name, parameters, said):
    with pytest.raises(ValueError, match=f"^{said}"):
        run(name, tmp_path, **parameters)


def test_the_list_of_pages_is_short_and_every_page_is_in_it():
    text = (ROOT / "_toc.yml").read_text("utf-8")
    entries = 1 + sum(len(part["chapters"]) for part in yaml.safe_load(text)["parts"])
    assert entries <= 40, f"_toc.yml has {entries} of 40 chapters: make the page a section of one"
    listed = re.findall(r"file: (\S+)", text)
    assert {f"notebooks/{name}" for name in NOTEBOOKS} <= set(listed), "add the page to _toc.yml"
    assert len(listed) == len(set(listed)), "a page is twice in _toc.yml"
