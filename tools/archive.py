"""Pack the sources, the lock, the built book and the recorded results with their checksums as one RO-Crate.

python tools/archive.py [FILE]     dist/dpbi-VERSION.crate.zip by default; the book must be built
"""

import hashlib
import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dpbi.files import as_json

ROOT = Path(__file__).parents[1]
BOOK = "_build/html"
KINDS = {
    ".ipynb": "application/x-ipynb+json",
    ".json": "application/json",
    ".md": "text/markdown",
    ".py": "text/x-python",
    ".html": "text/html",
    ".png": "image/png",
    ".svg": "image/svg+xml",
}
PARTS = {
    "src/": "the library",
    "notebooks/": "the executed notebooks",
    "results/": "recorded results, each with the command, machine and date that made it",
    "tests/": "the tests",
    f"{BOOK}/": "the built book; index.html opens in a browser without a network",
}
TIME = (1980, 1, 1, 0, 0, 0)
"""Of every file in the archive, so that the same files make the same archive."""


def files(root: Path) -> Iterator[str]:
    """What belongs in the archive: what is tracked, and the built book."""
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=root, check=True, capture_output=True, text=True).stdout
    yield from sorted(name for name in tracked.split("\0") if name and (root / name).is_file())
    yield from sorted(path.relative_to(root).as_posix() for path in (root / BOOK).rglob("*") if path.is_file())


def commit(root: Path) -> tuple[str, str]:
    """The commit that is packed, and its date."""
    said = subprocess.run(["git", "log", "-1", "--format=%H %cI"], cwd=root, check=True, capture_output=True, text=True)
    name, date = said.stdout.split()
    return name, datetime.fromisoformat(date).astimezone(UTC).date().isoformat()


def metadata(root: Path, sums: dict[str, tuple[int, str]]) -> dict[str, Any]:
    """The description of the crate (RO-Crate 1.1), from ``codemeta.json`` and the files themselves."""
    known = json.loads((root / "codemeta.json").read_text("utf-8"))
    name, date = commit(root)
    authors = [{"@id": f"#author-{n}", **author} for n, author in enumerate(known["author"], start=1)]
    described = [
        {"@id": folder, "@type": "Dataset", "name": text, "description": text}
        for folder, text in PARTS.items()
        if any(path.startswith(folder) for path in sums)
    ]
    listed = [
        {"@id": path, "@type": "File", "contentSize": str(size), "sha256": digest}
        | ({"encodingFormat": KINDS[Path(path).suffix]} if Path(path).suffix in KINDS else {})
        for path, (size, digest) in sums.items()
    ]
    crate = {
        "@id": "./",
        "@type": "Dataset",
        "name": known["headline"],
        "description": known["description"],
        "version": known["version"],
        "identifier": known["identifier"],
        "datePublished": date,
        "license": {"@id": known["license"]},
        "author": [{"@id": author["@id"]} for author in authors],
        "keywords": known["keywords"],
        "isBasedOn": f"commit {name}",
        "hasPart": [{"@id": part["@id"]} for part in [*described, *listed]],
    }
    own = {
        "@id": "ro-crate-metadata.json",
        "@type": "CreativeWork",
        "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
        "about": {"@id": "./"},
    }
    licence = {"@id": known["license"], "@type": "CreativeWork", "name": "BSD 3-Clause; text and figures CC BY 4.0"}
    return {
        "@context": "https://w3id.org/ro/crate/1.1/context",
        "@graph": [own, crate, *authors, licence, *described, *listed],
    }


def pack(root: Path, target: Path) -> int:
    """Write the archive, and return how many files it holds beside its description and the list of checksums."""
    if not (root / BOOK / "index.html").exists():
        raise SystemExit(f"{BOOK} must hold the built book: 'make book' builds it")
    contents = {name: (root / name).read_bytes() for name in files(root)}
    sums = {name: (len(content), hashlib.sha256(content).hexdigest()) for name, content in contents.items()}
    contents["ro-crate-metadata.json"] = as_json(metadata(root, sums))
    contents["SHA256SUMS"] = "".join(f"{digest}  {name}\n" for name, (_, digest) in sums.items()).encode()
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            archive.writestr(zipfile.ZipInfo(name, TIME), content, zipfile.ZIP_DEFLATED)
    return len(sums)


def main() -> None:
    version = json.loads((ROOT / "codemeta.json").read_text("utf-8"))["version"]
    target = Path(sys.argv[1]) if sys.argv[1:] else ROOT / "dist" / f"dpbi-{version}.crate.zip"
    count = pack(ROOT, target)
    print(f"{target}: {count} files, {target.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
