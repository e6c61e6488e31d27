"""The folder that a command writes to."""

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def folder(given: str | None, default: Path) -> Path:
    """The folder that ``--out`` names, or the default one."""
    if given is not None and not given.strip():
        raise ValueError(f"--out must be the name of a folder, got {given!r}")
    return default if given is None else Path(given)


@contextmanager
def held(folder: Path, patience: float, refusal: Exception) -> Iterator[None]:
    """Hold a folder against other processes."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise refusal from None
    finally:
        os.close(handle)


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Hold the folder against other commands, made if need be, after a file in it was tried."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise ValueError(f"--out must be a folder that can be written to, got {folder}: {error.strerror}") from None
    busy = ValueError(f"--out must be a folder that no other dpbi is writing to, got {folder}")
    with held(folder, patience=0, refusal=busy):
        yield


def busy(folder: Path) -> bool:
    """Whether some dpbi is writing to a folder now."""
    try:
        with held(folder, patience=0, refusal=ValueError()):
            return False
    except ValueError:
        return True
