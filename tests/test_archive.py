"""Ready to be cited and archived: one description in several files, and an archive that can be checked."""

import hashlib
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
OPEN = "TO BE FILLED IN BY THE OWNER"


@pytest.fixture(scope="module")
def archive():
    sys.path.insert(0, str(ROOT / "tools"))
    import archive

    yield archive
    sys.path.remove(str(ROOT / "tools"))


def citation():
    return yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))


def codemeta():
    return json.loads((ROOT / "codemeta.json").read_text("utf-8"))


def test_citation_and_codemeta_say_the_same():
    cited, meta = citation(), codemeta()
    assert meta["headline"] == cited["title"]
    assert meta["name"] == cited["title"].partition(":")[0]
    assert meta["version"] == str(cited["version"])
    assert meta["license"] == f"https://spdx.org/licenses/{cited['license']}"
    assert [author["name"] for author in meta["author"]] == [author["name"] for author in cited["authors"]]
    assert meta["keywords"] == cited["keywords"]
    assert " ".join(meta["description"].split()) == " ".join(cited["abstract"].split())
    assert f'title: "{cited["title"]}"' in (ROOT / "paper.md").read_text("utf-8")


def test_what_only_the_owner_knows_is_marked_and_is_this():
    found = {}
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in filter(None, tracked.split("\0")):
        path = ROOT / name
        if path.suffix in {".md", ".cff", ".json", ".toml", ".yml", ".txt"} and path.is_file():
            fields = re.findall(rf"{OPEN}: ([^\"\n]+)", path.read_text("utf-8"))
            found |= {name: fields} if fields else {}
    assert found == {
        "CITATION.cff": ["repository-code, doi, and the names and ORCID of the authors"],
        "codemeta.json": ["address of the repository", "DOI of the archived version"],
        "paper.md": ["names, identifiers (ORCID) and affiliations", "date of submission", "funding and thanks."],
    }


def test_the_paper_cites_what_the_bibliography_has():
    paper = (ROOT / "paper.md").read_text("utf-8")
    entries = set(re.findall(r"^@\w+\{(\w+),", (ROOT / "book" / "references.bib").read_text("utf-8"), re.M))
    assert set(re.findall(r"@(\w+)", paper)) <= entries
    for section in ("# Summary", "# Statement of need", "# State of the field"):
        assert section in paper


@pytest.fixture
def small(tmp_path):
    """A repository with a few files and a book."""
    for name, text in {
        "src/dpbi/a.py": "a = 1\n",
        "results/b.json": "{}\n",
        "requirements.lock": "c==1\n",
        "codemeta.json": (ROOT / "codemeta.json").read_text("utf-8"),
        "_build/html/index.html": "<p>book</p>",
        "_build/other": "not packed",
        ".gitignore": "_build\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    who = ["-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false"]
    for line in (["init", "-q"], ["add", "."], [*who, "commit", "-qm", "all"]):
        subprocess.run(["git", *line], cwd=tmp_path, check=True)
    return tmp_path


def test_the_archive_describes_every_file_with_its_checksum_and_is_made_alike_twice(archive, small, tmp_path_factory):
    target = tmp_path_factory.mktemp("dist")
    assert archive.pack(small, target / "one.zip") == archive.pack(small, target / "two.zip") == 6
    assert (target / "one.zip").read_bytes() == (target / "two.zip").read_bytes()
    packed = zipfile.ZipFile(target / "one.zip")
    names = set(packed.namelist()) - {"ro-crate-metadata.json", "SHA256SUMS"}
    assert {"src/dpbi/a.py", "results/b.json", "requirements.lock", "_build/html/index.html"} < names
    assert "_build/other" not in names
    sums = dict(reversed(line.split("  ")) for line in packed.read("SHA256SUMS").decode().splitlines())
    assert sums == {name: hashlib.sha256(packed.read(name)).hexdigest() for name in names}
    graph = {entry["@id"]: entry for entry in json.loads(packed.read("ro-crate-metadata.json"))["@graph"]}
    assert graph["ro-crate-metadata.json"]["conformsTo"] == {"@id": "https://w3id.org/ro/crate/1.1"}
    assert {name: graph[name]["sha256"] for name in names} == sums
    root = graph["./"]
    assert {"name", "description", "datePublished", "license"} <= set(root)
    for reference in [root["license"], *root["author"], *root["hasPart"]]:
        assert reference["@id"] in graph
    assert {part["@id"] for part in root["hasPart"]} >= names


def test_without_a_book_there_is_no_archive(archive, small):
    (small / "_build" / "html" / "index.html").unlink()
    with pytest.raises(SystemExit, match="_build/html must hold the built book: 'make book' builds it"):
        archive.pack(small, small / "x.zip")


def test_containers_and_hosted_notebooks_use_the_lock():
    docker = (ROOT / "Dockerfile").read_text("utf-8")
    assert "make env" in docker
    for name in re.findall(r"^COPY --chown=reader ([\w. ]+) (?:\./|src)$", docker, re.M):
        assert all((ROOT / part).exists() for part in name.split())
    container = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text("utf-8"))
    assert (ROOT / ".devcontainer" / container["build"]["dockerfile"]).resolve() == ROOT / "Dockerfile"
    assert "-r ../requirements.lock" in (ROOT / "binder" / "requirements.txt").read_text("utf-8")
    lowest = (ROOT / "binder" / "runtime.txt").read_text("utf-8").strip()
    assert lowest == "python-3.11"
    assert "FROM python:3.11" in docker
