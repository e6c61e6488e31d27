"""The folder of a release: claimed under a lock before anything is charged, and given its name when it is whole.

Beside a folder ``out`` stands ``.out.dpbi`` while a release is made. Its lock is the claim, the files are written in
it, and an earlier release that is to be replaced steps aside into it. A process that is killed leaves it behind without
a lock, and the next claim puts back what had stepped aside.
"""

import json
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..files import held, shared_like, sync_folder, write_whole

FILES = ("posterior.png", "posterior.json", "receipt.json")
"""What a release writes, the receipt last."""


def folder_for(out: str | os.PathLike[str]) -> Path:
    """The folder that is meant, wherever links lead."""
    folder = Path(os.path.realpath(out))
    if not os.fspath(out) or not folder.parent.is_dir():
        raise ValueError(f"out must be in a folder that exists, got out={os.fspath(out)!r}")
    return folder


def refuse_taken(out: Path, force: bool) -> None:
    """Refuse a folder that is there, unless it is an earlier release and nothing else, which may be replaced."""
    if out.exists() or out.is_symlink():
        if not force:
            raise ValueError(f"out must not exist, unless it is to be replaced (force), got out={str(out)!r}")
        if not (out / FILES[-1]).is_file():
            raise ValueError(f"out must be an earlier release to be replaced, got out={str(out)!r} without {FILES[-1]}")
        # whatever else is in the folder would go with it: a budget file, the data
        if others := sorted({path.name for path in out.iterdir()} - set(FILES)):
            raise ValueError(
                f"out must hold an earlier release alone to be replaced, got out={str(out)!r} with {others[0]}"
            )


def holds(out: Path, key: str) -> bool:
    """Whether a folder holds the release of an id."""
    try:
        receipt = json.loads((out / FILES[-1]).read_bytes())
        return bool(receipt["journal"]["id"] == key)
    except (OSError, ValueError, KeyError, TypeError):
        return False


@contextmanager
def claimed(out: Path | None) -> Iterator[Path | None]:
    """The place beside a folder where one process at a time writes it; an earlier release is whole when this begins."""
    if out is None:
        yield None
        return
    refusal = ValueError(f"out must be a folder that no other release is writing, got out={str(out)!r}")
    place = out.with_name(f".{out.name}.dpbi")
    place.mkdir(exist_ok=True)
    with held(place, 0, refusal) as handle:
        # who held it before may have removed it since it was opened
        if sys.platform != "win32" and not (place.exists() and os.path.samestat(os.fstat(handle), place.stat())):
            raise refusal
        _put_back(place, out)
        for left in ("old", "new"):
            shutil.rmtree(place / left, ignore_errors=True)
        try:
            yield place
        finally:
            _put_back(place, out)
            shutil.rmtree(place, ignore_errors=True)


def _put_back(place: Path, out: Path) -> None:
    """An earlier release that stepped aside for one that did not come has its name again."""
    if (place / "old").exists() and not out.exists():
        os.replace(place / "old", out)


def put(place: Path, out: Path, contents: Mapping[str, bytes], force: bool) -> None:
    """Write the files and give their folder its name; an earlier release under that name steps aside first."""
    new = place / "new"
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir()
    for name, content in contents.items():
        write_whole(new / name, content)
    refuse_taken(out, force)
    if out.exists():
        shared_like(new, out.stat())
        os.replace(out, place / "old")
    os.replace(new, out)
    sync_folder(out.parent)


def receipt_in(folder: str | os.PathLike[str]) -> dict[str, Any]:
    """The receipt of a release."""
    path = Path(folder) / FILES[-1]
    try:
        receipt = json.loads(path.read_bytes().decode("utf-8"))
    except (ValueError, RecursionError):
        raise ValueError(f"receipt must be one that dpbi wrote, got {path}, which is no JSON text") from None
    if not isinstance(receipt, dict):
        raise ValueError(f"receipt must be one that dpbi wrote, got {path}, which holds no names")
    return receipt
