"""Pages of one's own: ``dpbi init``, and the check of parameters in a notebook however it is run."""

import json
from pathlib import Path

import nbformat
import papermill
import pytest

from checkouts import failed, files, refused, shared_imports
from dpbi.cli import main
from dpbi.cli.notebooks import find
from dpbi.results import read

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").rglob("*.ipynb"))


@pytest.fixture
def study(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("DPBI_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    assert main(["init", "study"]) == 0
    assert "written: study/notebooks/first.ipynb" in capsys.readouterr().out
    monkeypatch.chdir(tmp_path / "study")
    return tmp_path / "study"


def test_a_first_notebook_is_listed_run_and_swept(study, capsys):
    nbformat.validate(nbformat.read(study / "notebooks" / "first.ipynb", as_version=4))
    assert main(["list"]) == 0
    assert capsys.readouterr().out.startswith("first  A first page  (run time not recorded)\n  epsilon  float  0.8")
    assert main(["run", "first", "-p", "epsilon=1/2"]) == 0
    found = read(study / "rerun" / "first" / "first.json")
    assert found.parameters == {"epsilon": 0.5, "counts": [14, 6]}
    assert found.scalars["leak"] <= 0.5 * (1 + 1e-12)
    assert main(["sweep", "first", "-g", "counts=[14,6],[3,2,1]"]) == 0
    assert "2 cells, 0 done before, 2 now, 0 failed" in capsys.readouterr().out


def test_a_bad_value_is_the_same_sentence_for_papermill_as_for_the_command(study, capsys):
    said = refused(capsys, "run", "first", "-p", "epsilon=200").strip()
    with pytest.raises(papermill.PapermillExecutionError) as stop:
        papermill.execute_notebook(
            study / "notebooks" / "first.ipynb",
            study / "out.ipynb",
            {"epsilon": 200},
            kernel_name="python3",
            progress_bar=False,
        )
    assert said == "epsilon must satisfy 'in (0, 20]', got 200.0"
    assert stop.value.evalue == said


def test_what_papermill_wrote_is_a_result_and_hides_no_notebook(study, capsys, monkeypatch):
    papermill.execute_notebook(study / "notebooks" / "first.ipynb", "out.ipynb", {}, prepare_only=True)
    papermill.execute_notebook("out.ipynb", "notebooks/more.ipynb", {"epsilon": 0.5}, prepare_only=True)
    assert main(["list", "--json"]) == 0
    assert [page["name"] for page in json.loads(capsys.readouterr().out)] == ["first"]
    (study / "elsewhere").mkdir()
    (study / "notebooks" / "more.ipynb").rename(study / "elsewhere" / "out.ipynb")
    monkeypatch.chdir(study / "elsewhere")
    assert main(["list"]) == 0
    assert "foundations/first_release" in capsys.readouterr().out


def test_a_folder_that_has_one_keeps_it_and_one_that_cannot_be_is_named(study, capsys, monkeypatch):
    monkeypatch.chdir(study.parent)
    before = files(study)
    assert refused(capsys, "init", "study").startswith("DIR must be a folder without notebooks/first.ipynb, got study")
    assert files(study) == before
    Path("file").touch()
    assert refused(capsys, "init", "file/below").startswith("DIR must be a folder that can be written to, got file")


@shared_imports
def test_a_notebook_without_a_kernel_or_names_of_cells_runs_and_any_one_name_may_be_recorded(study, capsys):
    path = study / "notebooks" / "first.ipynb"
    content = json.loads(path.read_text())
    content.update(metadata={}, nbformat_minor=4)  # as jupytext writes it
    for cell in content["cells"]:
        del cell["id"]
    (study / "notebooks" / "my-page.ipynb").write_text(json.dumps(content))
    assert main(["run", "my-page", "--out", "out"]) == 0
    assert read(study / "out" / "my-page.json").name == "first"


def test_two_notebooks_of_one_name_are_told_apart(study, capsys):
    for folder in ("a", "b"):
        (study / "notebooks" / folder).mkdir()
        (study / "notebooks" / folder / "same.ipynb").write_text((study / "notebooks" / "first.ipynb").read_text())
    assert failed(["run", "same"]) == 1
    assert capsys.readouterr().err == "dpbi: NOTEBOOK must be one of 'dpbi list', got 'same': a/same or b/same?\n"
    assert find(study, "notebooks/a/same.ipynb").name == "a/same"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_notebook_of_the_book_checks_its_parameters_before_it_works(path):
    code = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    place = next(number for number, cell in enumerate(code) if "parameters" in cell.metadata.get("tags", []))
    assert place == 0
    assert "\ncheck_here()\n" in code[1].source + "\n"
