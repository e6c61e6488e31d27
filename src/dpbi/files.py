"""Files that are whole or as they were."""

import json
import os
import secrets
import shutil
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any


def as_json(content: Any) -> bytes:
    """The bytes of a JSON file."""
    return (json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode("utf-8")


def write_whole(path: Path, content: str | bytes, mode: int = 0o666) -> None:
    """Write a file in one step: whenever the program stops or the disk is full, it is new and whole, or as before.

    When this returns the file is on the disk. ``mode`` says who may read and write it, if the system's mask allows.
    """
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with open(beside, "xb", opener=partial(os.open, mode=mode)) as file:
            file.write(content.encode("utf-8") if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)
    sync_folder(path.parent)


def write_folder(folder: Path, contents: Mapping[str, bytes], key: str) -> None:
    """Write files into a folder in one step, which replaces a folder of that name: it is new and whole, or as before.

    What a stop leaves behind is hidden beside it under the ``key``, and goes when the same is written again.
    """
    place = folder.with_name(f".{folder.name}.{key}")
    old, new = place / "old", place / "new"
    shutil.rmtree(place, ignore_errors=True)
    try:
        new.mkdir(parents=True)
        for name, content in contents.items():
            write_whole(new / name, content)
        if folder.exists():
            os.replace(folder, old)
        os.replace(new, folder)
        sync_folder(folder.parent)
    finally:
        if old.exists() and not folder.exists():
            os.replace(old, folder)
        shutil.rmtree(place, ignore_errors=True)


def sync_folder(folder: Path) -> None:
    """Have the names in a folder on the disk, where the system can say so."""
    if sys.platform != "win32":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
