"""The notebooks: in the form that is committed, and true at other parameters than those in the book."""

import ast
import re
from pathlib import Path

import nbformat
import papermill
import pytest

from dpbi.parameters import parse
from dpbi.results import Record, read

ROOT = Path(__file__).parents[1]
NOTEBOOKS = {
    path.relative_to(ROOT / "notebooks").with_suffix("").as_posix(): path
    for path in sorted((ROOT / "notebooks").rglob("*.ipynb"))
    if ".ipynb_checkpoints" not in path.parts
}
NUMBER = re.compile(r"(?<![\w.#-])-?(\d+\.\d+|\d{7,})(e[-+]?\d+)?(?![\w.])")
every_notebook = pytest.mark.parametrize("name", NOTEBOOKS)


def load(name):
    return nbformat.read(NOTEBOOKS[name], as_version=4)


def parameters_cell(name):
    (cell,) = [cell for cell in load(name).cells if "parameters" in cell.metadata.get("tags", [])]
    return cell.source


def outputs(name):
    return [(cell, output) for cell in load(name).cells for output in cell.get("outputs", [])]


@every_notebook
def test_it_is_executed_in_order_without_errors_and_timings(name):
    code = [cell for cell in load(name).cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert not [cell.id for cell in load(name).cells if set(cell.metadata) - {"tags", "mystnb"}]
    assert not [
        output for _, output in outputs(name) if output.output_type == "error" or output.get("name") == "stderr"
    ]


@every_notebook
def test_it_knows_no_machine(name):
    assert load(name).metadata == {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }


@every_notebook
def test_its_cells_keep_their_names(name):
    ids = [cell.id for cell in load(name).cells]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[a-z][a-z0-9-]+", identity) for identity in ids)


@every_notebook
def test_its_parameters_have_meanings_and_papermill_reads_them_alike(name):
    parameters = parse(parameters_cell(name))
    assert all(parameter.meaning for parameter in parameters)
    assert parameters[-1].name == "outdir"
    inferred = papermill.inspect_notebook(NOTEBOOKS[name])
    assert [(known["name"], known["inferred_type_name"]) for known in inferred.values()] == [
        (parameter.name, parameter.type) for parameter in parameters
    ]


@every_notebook
def test_its_numbers_have_at_most_six_significant_digits(name):
    found = []
    for cell, output in outputs(name):
        texts = [
            output.get("text", ""),
            *(output.get("data", {}).get(f"text/{kind}", "") for kind in ("plain", "markdown")),
        ]
        for text in texts:
            found += [(cell.id, match[0]) for match in NUMBER.finditer(text) if digits(match[1]) > 6]
    assert not found


def digits(number):
    """Significant digits, zeros at the end of a whole number not counted."""
    return len((number.replace(".", "") if "." in number else number.rstrip("0")).lstrip("0"))


@every_notebook
def test_every_figure_is_described_in_words(name):
    shown = [cell for cell, output in outputs(name) if "image/svg+xml" in output.get("data", {})]
    described = [cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "") for cell in shown]
    assert all(len(words.split()) > 5 for words in described)


@every_notebook
def test_it_is_a_page_of_the_book(name):
    assert f"file: notebooks/{name}\n" in (ROOT / "_toc.yml").read_text()


def rerun(name: str, outdir: Path, **parameters: object) -> Record:
    papermill.execute_notebook(
        NOTEBOOKS[name],
        outdir / "run.ipynb",
        {**parameters, "outdir": str(outdir)},
        kernel_name="python3",
        progress_bar=False,
    )
    found = recorded(name, outdir)
    assert {key: found.parameters[key] for key in parameters} == parameters
    return found


def recorded(name: str, outdir: Path) -> Record:
    """The record of a run: it names every parameter and holds results, and no scalar is undefined."""
    found = read(outdir / f"{name}.json")
    assert found.name == name
    assert list(found.parameters) == [each.name for each in parse(parameters_cell(name)) if each.name != "outdir"]
    assert found.scalars or found.tables
    assert not [key for key, value in found.scalars.items() if value != value]  # nan
    return found


def test_every_notebook_is_rerun_with_other_parameters_by_a_test():
    named = set()
    for file in sorted((ROOT / "tests").glob("test_notebooks*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "rerun":
                named |= {each.value for each in ast.walk(node.args[0]) if isinstance(each, ast.Constant)}
    assert not [name for name in NOTEBOOKS if not {name, name.rpartition("/")[2]} & named]


def test_first_release_holds_for_three_categories_and_another_mechanism(tmp_path):
    found = rerun(
        "foundations/first_release", tmp_path, prior=[0.5, 1, 2], counts=[0, 3, 4], mechanism="ehd", epsilon=2.0
    )
    law = found.tables["error_law"]
    assert sum(law["probabilities"]) == pytest.approx(1)
    mean = sum(h * p for h, p in zip(law["distances"], law["probabilities"], strict=True))
    assert found.scalars["mean_error"] == pytest.approx(mean)
    assert found.scalars["leak"] <= 2.0


@pytest.mark.parametrize(
    ("name", "parameters", "said"),
    [
        ("foundations/sensitivity", {"counts": [0, 0]}, "counts must hold at least one record"),
        ("foundations/promise_and_audit", {"prior": [1, 1, 1], "n": 100}, "n must be small enough for at most 501"),
        ("beyond/honest_intervals", {"noisy": [-3, 2]}, "noisy must add up to at least one record"),
    ],
)
def test_what_parameters_say_only_together_is_refused_in_one_sentence(tmp_path, name, parameters, said):
    with pytest.raises(papermill.PapermillExecutionError, match=said):
        rerun(name, tmp_path, **parameters)


def test_the_share_of_draws_as_far_as_the_one_made_counts_that_one(tmp_path):
    """At a prior where nearly all are at a distance that is one to a double."""
    found = rerun(
        "foundations/first_release",
        tmp_path,
        prior=[0.001, 1000.0],
        counts=[0, 200],
        mechanism="lszhang",
        epsilon=0.001,
    )
    assert found.scalars["share_as_far"] > 0


def test_first_release_without_any_promise_says_so(tmp_path):
    rerun("foundations/first_release", tmp_path, mechanism="ehdl", counts=[2, 2])
    assert "none" in (tmp_path / "run.ipynb").read_text()


def test_sensitivity_finds_the_closed_form_in_the_candidates_at_another_prior(tmp_path):
    found = rerun("foundations/sensitivity", tmp_path, prior=[0.5, 3.0], counts=[1, 6], largest=8)
    assert found.scalars["largest_change"] == pytest.approx(found.scalars["local_sensitivity"], rel=1e-12)
    assert max(found.tables["score_changes"]["change"]) == found.scalars["largest_change"]
    assert found.scalars["local_sensitivity"] <= found.scalars["global_sensitivity"]


def test_promise_and_audit_keeps_every_bound_for_three_categories(tmp_path):
    found = rerun("foundations/promise_and_audit", tmp_path, prior=[0.2, 1, 3], n=7, epsilon=1.5, delta=0.01)
    assert found.scalars["bounds_kept"]
    losses = dict(zip(found.tables["losses"]["mechanism"], found.tables["losses"]["loss"], strict=True))
    assert losses["geometric"] <= 1.5 * (1 + 1e-12)
    assert found.tables["calibration"]["loss"][1] == pytest.approx(1.5)
