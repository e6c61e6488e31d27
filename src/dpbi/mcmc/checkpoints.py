"""A run on the disk while it goes on: what was paid is kept whenever the program stops, and the run can be resumed.

A checkpoint is a folder that one process at a time holds, with one file of lines: what was run, the state that it
began with, and for every iteration that it has begun and what came of it. A line that was torn is an iteration that had
begun. The file is its owner's alone: with pseudo-random noise it holds the state of the generator, from which the noise
follows. Lines are with the system at once, so that a process may be killed, and on the disk within a second.
"""

import json
import os
import secrets
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..checks import Floats
from ..files import held
from .algorithm import Info, State

FILE = "run.jsonl"

PACE = 1.0
"""Seconds after which lines are brought to the disk."""


class Iteration(NamedTuple):
    """One finished iteration: where it led, what it did, and the generator after it."""

    state: State
    info: Info
    generator: Any


class Checkpoint:
    """What is kept of a run, and where more is written."""

    def __init__(self, path: Path, header: Mapping[str, Any]) -> None:
        self._path, self._synced = path, time.monotonic()
        self.iterations: list[Iteration] = []
        self.begun = 0
        lines = path.read_bytes().split(b"\n") if path.exists() else []
        whole = lines[:-1]  # what follows the last end of a line was torn
        known = json.loads(whole[0]) if whole else None
        self.key = secrets.token_hex(8) if known is None else known["key"]
        if known is not None:
            differs = [name for name, value in header.items() if known.get(name) != json.loads(json.dumps(value))]
            if differs:
                name = differs[0]
                raise ValueError(
                    f"checkpoint must be one of the same run, got {path.parent} with {name}={known.get(name)!r}"
                )
        self.first: Iteration | None = None
        for line in whole[1:]:
            if line == b"begun":
                self.begun += 1
            elif self.first is None:
                self.first = _read(line)
            else:
                self.iterations.append(_read(line))
        self._file = open(path, "ab", opener=lambda name, flags: os.open(name, flags, 0o600))  # noqa: SIM115
        self._file.truncate(sum(len(line) + 1 for line in whole))
        if known is None:
            self._write(json.dumps({**header, "key": self.key}).encode())

    @property
    def last(self) -> Iteration | None:
        """The iteration to go on from."""
        return self.iterations[-1] if self.iterations else self.first

    def begin(self) -> None:
        """An iteration begins: from here on it is paid for."""
        self.begun += 1
        self._write(b"begun")

    def add(self, iteration: Iteration) -> None:
        """An iteration is finished, or the run is about to begin."""
        state, info, generator = iteration
        kept = {"theta": _list(state.theta), "direction": _list(state.direction), "generator": generator}
        kept |= {"accepted": _list(info.accepted), "clipped": _list(info.clipped)}
        self._write(json.dumps(kept | {"gradient": _list(info.clipped_gradient)}).encode())

    def close(self) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()

    def _write(self, line: bytes) -> None:
        self._file.write(line + b"\n")
        self._file.flush()
        if time.monotonic() - self._synced > PACE:
            os.fsync(self._file.fileno())
            self._synced = time.monotonic()


@contextmanager
def checkpointed(folder: str | os.PathLike[str] | None, header: Mapping[str, Any]) -> Iterator[Checkpoint | None]:
    """The checkpoint in a folder, held against other processes; none if there is no folder."""
    if folder is None:
        yield None
        return
    place = Path(folder)
    place.mkdir(exist_ok=True)
    with held(place, 0, ValueError(f"checkpoint must be a folder that no other run is writing, got {place}")):
        kept = Checkpoint(place / FILE, header)
        try:
            yield kept
        finally:
            kept.close()


def _list(values: Any) -> Any:
    return None if values is None else np.asarray(values).tolist()


def _array(values: Any) -> Floats | None:
    return None if values is None else np.array(values, dtype=np.float64)


def _read(line: bytes) -> Iteration:
    kept = json.loads(line)
    state = State(np.array(kept["theta"]), _array(kept["direction"]))
    clipped = np.full(len(state.theta), np.nan) if kept["clipped"] is None else np.array(kept["clipped"])
    info = Info(np.array(kept["accepted"], dtype=np.bool_), clipped, _array(kept["gradient"]))
    return Iteration(state, info, kept["generator"])
