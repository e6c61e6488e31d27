"""Files that are whole or as they were, and folders that one process at a time writes to."""

import errno
import json
import os
import secrets
import shutil
import sys
import time
from collections.abc import Iterator, Mapping
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


@contextmanager
def held(folder: Path, patience: float, refusal: Exception) -> Iterator[int]:
    """Hold a folder against other processes; the system lets go of it when this one ends, however it ends.

    Another holder is waited for as many seconds as ``patience`` says; then the ``refusal`` is raised. On a file system
    without locks a file in the folder is the lock, which a process that was killed leaves behind: then a refusal says
    what to remove. The handle of the folder is given, on Windows that of its lock.
    """
    if sys.platform == "win32":  # where a folder cannot be locked, a file in it can
        handle = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT)
    else:
        handle = os.open(folder, os.O_RDONLY)
    end = time.monotonic() + patience
    made = None
    try:
        try:
            while not _locked(handle):
                _waited(end, refusal)
        except OSError as error:
            if error.errno not in WITHOUT_LOCKS:
                raise
            made = _made_lock(folder, end, refusal)
        yield handle
    finally:
        if made is not None:
            made.unlink(missing_ok=True)
        os.close(handle)


LOCK = ".dpbi-lock"
"""A file that is a lock where folders cannot be locked."""

WITHOUT_LOCKS = {errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS, errno.EINVAL, errno.EBADF}
"""What systems say that cannot lock a folder; EBADF is from network file systems, which lock what is open to write."""


def _made_lock(folder: Path, end: float, refusal: Exception) -> Path:
    """A new file that only one process can make."""
    lock = folder / LOCK
    while True:
        try:
            os.close(os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
        except FileExistsError:
            left = f"{refusal}; this file system has no locks: if no dpbi is running anywhere, remove {lock}"
            _waited(end, type(refusal)(left))
        else:
            return lock


def _waited(end: float, refusal: Exception) -> None:
    if time.monotonic() >= end:
        raise refusal
    time.sleep(0.02)


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
