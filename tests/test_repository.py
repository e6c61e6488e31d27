"""Consistency of the repository: metadata, environment, lock file, wheel and texts agree with each other."""

import json
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib.metadata import distribution, packages_distributions, version
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from dpbi.extras import EXTRAS

ROOT = Path(__file__).parents[1]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT, OWNER = SETTINGS["project"], SETTINGS["tool"]["dpbi"]["owner"]
OPEN = "TO BE FILLED IN BY THE OWNER: "


def declared() -> dict[str, Requirement]:
    """Every requirement of pyproject.toml by name, the extras' references to each other left out."""
    lists = [PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()]
    requirements = [Requirement(text) for entries in lists for text in entries]
    return {requirement.name: requirement for requirement in requirements if requirement.name != "dpbi"}


LOWEST = ROOT / "requirements-lowest.lock"
LOCKS = (ROOT / "requirements.lock", ROOT / "benchmarks" / "requirements.lock", ROOT / "tools" / "lab.lock", LOWEST)


def pinned(lock: Path) -> dict[str, str]:
    return dict(re.findall(r"^([a-z0-9-]+)==(\S+)", lock.read_text(), re.MULTILINE))


def test_conda_asks_for_the_names_and_ranges_of_the_project():
    entries = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    (pip,) = [entry["pip"] for entry in entries if isinstance(entry, dict)]
    asked = [entry for entry in [*entries, *pip] if isinstance(entry, str) and entry not in ("pip", "--editable .")]
    found = [(spec.name, spec.specifier) for spec in map(Requirement, asked)]
    python = Requirement(f"python{PROJECT['requires-python']}")
    expected = {name: requirement.specifier for name, requirement in declared().items()} | {"python": python.specifier}
    assert len(found) == len(dict(found))
    assert dict(found) == expected


PIP_READS = """
import sys
from pip._internal.network.session import PipSession
from pip._internal.req import parse_requirements
from pip._internal.req.constructors import install_req_from_parsed_requirement
for line in parse_requirements(sys.argv[1], PipSession()):
    read = install_req_from_parsed_requirement(line)
    print("editable" if read.editable else read.req)
"""


def test_pip_reads_its_part_of_the_conda_environment(tmp_path):
    entries = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    (lines,) = [entry["pip"] for entry in entries if isinstance(entry, dict)]
    (tmp_path / "requirements.txt").write_text("".join(f"{line}\n" for line in lines))
    reading = [sys.executable, "-c", PIP_READS, str(tmp_path / "requirements.txt")]
    read = subprocess.run(reading, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    assert len(read) == len(lines)
    assert read.count("editable") == 1


def test_lock_pins_every_requirement_within_its_range():
    pins = pinned(LOCKS[2]) | pinned(LOCKS[1]) | pinned(LOCKS[0])
    for name, requirement in declared().items():
        assert requirement.specifier.contains(pins[name]), (name, pins[name])


def test_the_lowest_lock_pins_the_lower_bounds():
    pins, extras = pinned(LOWEST), PROJECT["optional-dependencies"]
    for name in {"chains", "ledger", "pages", "cluster", "test"}:
        for text in (*PROJECT["dependencies"], *extras[name]):
            requirement = Requirement(text)
            bounds = [Version(each.version) for each in requirement.specifier if each.operator == ">="]
            assert requirement.name == "dpbi" or bounds == [Version(pins[requirement.name])], text


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_lock_names_no_index_and_hashes_every_pin(lock):
    text = lock.read_text()
    assert "://" not in text
    assert not re.search(r"--(extra-)?(index|find-links|trusted)", text)
    pins = re.split(r"\n(?=\S)", text.strip())
    assert len(pins) == len(pinned(lock))
    assert all("--hash=sha256:" in pin for pin in pins)


def test_who_cites_the_project_reads_one_description():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    meta = json.loads((ROOT / "codemeta.json").read_text("utf-8"))
    assert version("dpbi") == PROJECT["version"] == str(cited["version"]) == meta["version"]
    assert f"## {PROJECT['version']}" in (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert PROJECT["license"] == cited["license"]
    assert meta["license"] == f"https://spdx.org/licenses/{cited['license']}"
    assert (meta["headline"], meta["keywords"]) == (cited["title"], cited["keywords"])
    assert [author["name"] for author in meta["author"]] == [author["name"] for author in cited["authors"]]
    assert " ".join(meta["description"].split()) == " ".join(cited["abstract"].split())
    shown = (ROOT / "book" / "guides" / "cite.md").read_text("utf-8")
    assert "{include} ../../_build/cite.md" in shown  # made from CITATION.cff; a copy here would grow old
    assert "{include} ../_build/cite.md" in (ROOT / "book" / "results.md").read_text("utf-8")


def test_the_paper_has_the_length_and_references_of_its_journal():
    _, _, body = (ROOT / "paper.md").read_text("utf-8").split("---\n", 2)
    assert 750 <= len(body.split()) <= 1750
    known = re.findall(r"^@\w+\{(\S+),", (ROOT / "book" / "references.bib").read_text("utf-8"), re.MULTILINE)
    assert set(re.findall(r"@([a-z]+\d{4}\w*)", body)) < set(known)


def test_the_wheel_and_the_sdist_hold_what_they_should(tmp_path):
    """The wheel the library alone, the sdist what builds and tries it."""
    build = [sys.executable, "-m", "hatchling", "build", "--directory", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,), (sdist,) = tmp_path.glob("*.whl"), tmp_path.glob("*.tar.gz")
    info = f"dpbi-{PROJECT['version']}"
    modules = {path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src" / "dpbi").rglob("*.py")}
    names = set(zipfile.ZipFile(wheel).namelist())
    assert not [name for name in names if not name.startswith(("dpbi/", f"{info}.dist-info/"))]
    assert modules | {"dpbi/py.typed", "dpbi/claims/statements.toml"} <= names
    with tarfile.open(sdist) as packed:
        names = {name.removeprefix(f"{info}/") for name in packed.getnames()}
    beside = {"proofs/statements.toml", "tests/plain.py", "README.md", "LICENSE", "PKG-INFO", "pyproject.toml"}
    assert {name for name in names if not name.startswith("src/dpbi/")} == beside | {".gitignore"}
    assert {f"src/{name}" for name in modules} <= names


def needed() -> set[str]:
    """The distributions that `pip install .` brings: the declared dependencies and theirs."""
    found: set[str] = set()
    wanted = [Requirement(text) for text in PROJECT["dependencies"]]
    while wanted:
        each = wanted.pop()
        name = canonicalize_name(each.name)
        if name not in found and (each.marker is None or each.marker.evaluate({"extra": ""})):
            found.add(name)
            wanted += map(Requirement, distribution(name).requires or ())
    return found


def test_a_plain_installation_releases_and_names_extras():
    brought = needed() | {"dpbi"}
    distributions = packages_distributions().items()
    missing = {module for module, owners in distributions if not brought & set(map(canonicalize_name, owners))}
    assert set(EXTRAS) <= missing
    script = [sys.executable, "tests/plain.py", *missing]
    done = subprocess.run(script, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    loaded, *asked = done.stdout.splitlines()
    assert not {"matplotlib", *EXTRAS} & set(loaded.split())
    modules = ("flint", "numba", "numba", "pandas", "papermill", "papermill", "dask")
    for line, module in zip(asked, modules, strict=True):
        assert line.endswith(f" needs {module}: pip install 'dpbi[{EXTRAS[module]}]'")


def test_extras_are_those_of_the_project():
    extras = PROJECT["optional-dependencies"].items()
    brought = {name: {Requirement(text).name for text in texts} for name, texts in extras}
    for module, extra in EXTRAS.items():
        assert {"flint": "python-flint"}.get(module, module) in brought[extra]


def test_no_file_names_a_place_on_somebodys_machine():
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    place = re.compile(r"(?<![\w.:/])/(home|root|Users|work|tmp/ipykernel_\d+)/\w")
    found = []
    for name in filter(None, tracked.split("\0")):
        path = ROOT / name
        if path.suffix in {".png", ".lock"} or not path.is_file():
            continue
        found += [name] if place.search(path.read_text("utf-8")) else []
    assert not found


def test_contributing_says_what_each_file_of_tests_is_about():
    named = re.findall(r"`(?:tests/)?(test_[\w*]+\.py)`", (ROOT / "CONTRIBUTING.md").read_text("utf-8"))
    named += [f"test_{path.stem}*.py" for path in (ROOT / "src" / "dpbi").iterdir()]
    files = {path for pattern in named for path in (ROOT / "tests").glob(pattern)}
    assert files == {*(ROOT / "tests").glob("test_*.py")}, "each must be in *Which tests to run after a change*"


def test_every_guarantee_of_a_release_names_its_tests():
    table = [line for line in (ROOT / "SECURITY.md").read_text("utf-8").splitlines() if line.startswith("| ")][1:]
    assert len(table) == 10
    for line in table:
        named = re.findall(r"`(test_\w+\.py)::(test_\w+)`", line.split("|")[3])
        assert named, line
        for file, test in named:
            assert f"\ndef {test}(" in (ROOT / "tests" / file).read_text("utf-8")


def test_names_of_tests_have_at_most_60_characters():
    texts = "\n".join(path.read_text("utf-8") for path in (ROOT / "tests").glob("test_*.py"))
    long = re.findall(r"^def (test_\w{56,})", texts, re.MULTILINE)
    assert not long, "the story of a test goes into its docstring"


def test_open_fields_of_the_owner_are_named():
    listing = ["git", "grep", "-lF", OPEN, "--", ".", ":!tests", ":!pyproject.toml"]
    marked = subprocess.run(listing, cwd=ROOT, check=False, capture_output=True, text=True).stdout.split()
    expected = {(field, file) for field, each in OWNER.items() for file in each["files"] if not each["value"]}
    names = {file: re.findall(rf"{OPEN}(\w+)", (ROOT / file).read_text("utf-8")) for file in marked}
    found = {(field, file) for file, fields in names.items() for field in fields}
    assert found == expected
    for each in OWNER.values():
        assert all(each["value"] in (ROOT / file).read_text("utf-8") for file in each["files"])
    address = OWNER["repository"]["value"] or "https://example.invalid/OWNER/dpbi"
    assert all(url.startswith(address) for url in PROJECT["urls"].values())
    if expected:
        pytest.skip(f"the owner has left open: {', '.join(sorted({field for field, _ in expected}))}")
