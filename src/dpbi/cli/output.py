"""The folder that a command writes to."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..files import held


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
