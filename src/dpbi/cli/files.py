"""Files that are whole or as they were, and folders that one command at a time writes to."""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file in one step: whenever the program stops or the disk is full, it is new and whole, or as before."""
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(partial, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def writable(folder: Path) -> Path:
    """The folder, made if need be, after a file in it was tried."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise ValueError(f"--out must be a folder that can be written to, got {folder}: {error.strerror}") from None
    return folder


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Hold a folder against other commands; the system lets go of it when this program ends, however it ends."""
    if sys.platform == "win32":
        yield
        return
    import fcntl

    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise ValueError(f"--out must be a folder that no other dpbi is writing to, got {folder}") from None
    try:
        yield
    finally:
        os.close(handle)
