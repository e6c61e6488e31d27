"""Pages of one's own: ``dpbi init``, and the check of parameters in a notebook however it is run."""

from pathlib import Path

import nbformat
import papermill
import pytest

from checkouts import failed, files, refused
from dpbi.cli import main
from dpbi.cli.notebooks import find
from dpbi.results import read

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").rglob("*.ipynb"))


@pytest.fixture
def study(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["init", "study"]) == 0
    assert "written: study/notebooks/first.ipynb" in capsys.readouterr().out
    monkeypatch.chdir(tmp_path / "study")
    return tmp_path / "study"


def test_a_first_notebook_is_listed_run_and_swept(study, capsys):
    nbformat.validate(nbformat.read(study / "notebooks" / "first.ipynb", as_version=4))
    assert main(["list"]) == 0
    assert capsys.readouterr().out == "first  A first page\n"
    assert main(["run", "first", "-p", "epsilon=1/2"]) == 0
    found = read(study / "rerun" / "first" / "first.json")
    assert found.parameters == {"epsilon": 0.5, "counts": [14, 6]}
    assert found.scalars["leak"] <= 0.5 * (1 + 1e-12)
    assert main(["sweep", "first", "-g", "counts=[14,6],[3,2,1]"]) == 0
    assert "2 cells, 2 done, 0 failed" in capsys.readouterr().out


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


def test_a_folder_that_has_one_keeps_it_and_one_that_cannot_be_is_named(study, capsys, monkeypatch):
    monkeypatch.chdir(study.parent)
    before = files(study)
    assert refused(capsys, "init", "study").startswith("DIR must be a folder without notebooks/first.ipynb, got study")
    assert files(study) == before
    Path("file").touch()
    assert refused(capsys, "init", "file/below").startswith("DIR must be a folder that can be written to, got file")


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
    assert "\ngiven = check_here()\n" in code[1].source + "\n"
