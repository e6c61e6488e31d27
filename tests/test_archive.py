"""Ready to be cited: one description in several files."""

import json
import re
import subprocess
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
OPEN = "TO BE FILLED IN BY THE OWNER"


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
