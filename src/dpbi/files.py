"""Atomic writing of files and folders: after a crash, each is either unchanged or completely replaced."""

import json
import os
import secrets
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def as_json(content: Any) -> bytes:
    """Contents of a JSON file that represents a value, as bytes; nan and infinite numbers raise ``ValueError``."""
    return (json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode("utf-8")


def write_whole(path: Path, content: str | bytes) -> None:
    """Writes a file atomically: if the program stops or the disk is full, the old file is unchanged.

    When the function returns, the new file is on disk.

    Args:
        path: Path of the file, in a folder that exists.
        content: Bytes, or a string that is encoded as UTF-8.
    """
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with open(beside, "xb") as file:
            file.write(content.encode("utf-8") if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)
    sync_folder(path.parent)


def write_folder(folder: Path, contents: Mapping[str, bytes], key: str) -> None:
    """Writes a folder of files atomically, and replaces an existing folder of the same name.

    If a crash leaves a hidden folder beside the new folder, the next call with the same ``key`` removes the hidden
    folder.

    Args:
        folder: Path of the folder.
        contents: Bytes of each file, by name.
        key: Part of the name of the hidden folder; all attempts to write the same content must use the same key.
    """
    hidden = folder.with_name(f".{folder.name}.{key}")
    old, new = hidden / "old", hidden / "new"
    shutil.rmtree(hidden, ignore_errors=True)
    try:
        new.mkdir(parents=True)
        for name, content in contents.items():
            write_whole(new / name, content)
        if folder.exists():
            os.replace(folder, old)
        os.replace(new, folder)
        sync_folder(folder.parent)
    finally:
        if old.exists() and not folder.exists():  # an error between the two renamings
            os.replace(old, folder)
        shutil.rmtree(hidden, ignore_errors=True)


def sync_folder(folder: Path) -> None:
    """Writes the entries of a folder to disk, except on Windows, which has no function for this."""
    if sys.platform != "win32":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
