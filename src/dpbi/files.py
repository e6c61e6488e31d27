"""Files that are whole or as they were, and folders that one process at a time writes to."""

import json
import os
import secrets
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
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


def sync_folder(folder: Path) -> None:
    """Have the names in a folder on the disk, where the system can say so."""
    if sys.platform != "win32":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def held(folder: Path, patience: float, refusal: Exception) -> Iterator[None]:
    """Hold a folder against other processes; the system lets go of it when this one ends, however it ends.

    Another holder is waited for as many seconds as ``patience`` says; then the ``refusal`` is raised.
    """
    if sys.platform == "win32":  # where a folder cannot be locked, a file in it can
        handle = os.open(folder / ".dpbi-lock", os.O_RDWR | os.O_CREAT)
    else:
        handle = os.open(folder, os.O_RDONLY)
    end = time.monotonic() + patience
    try:
        while not _locked(handle):
            if time.monotonic() >= end:
                raise refusal
            time.sleep(0.02)
        yield
    finally:
        os.close(handle)


def _locked(handle: int) -> bool:
    """Whether the lock could be had."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True
