"""Recorded results: one JSON file per run, which notebooks write and tests, the book and the command read."""

import json
import math
import os
import platform
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from .files import as_json, write_whole

PACKAGES = ("dpbi", "numpy", "scipy", "numba", "pandas", "matplotlib")
NOT_FINITE = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


@dataclass(frozen=True)
class Record:
    """What a run was given and what it found.

    ``scalars`` are named numbers, words or truth values; ``tables`` are named columns of equal length. ``made`` says
    with which command, when and on what machine, for results that are kept: it is empty for a notebook's own record.
    """

    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    scalars: Mapping[str, Any] = field(default_factory=dict)
    tables: Mapping[str, Mapping[str, list[Any]]] = field(default_factory=dict)
    made: Mapping[str, str] = field(default_factory=dict)


def record(
    name: str,
    parameters: Mapping[str, Any],
    *,
    scalars: Mapping[str, Any] | None = None,
    tables: Mapping[str, Any] | None = None,
    outdir: str | os.PathLike[str] = "",
    command: str = "",
) -> Path | None:
    """Write a ``Record`` to ``outdir/name.json`` and return its path; with no ``outdir``, check it and write nothing.

    Arrays, NumPy numbers and pandas tables are taken as they are. The file is complete or absent, never half written.
    """
    if not all(part.isidentifier() for part in name.split("/")):
        raise ValueError(f"name must be identifiers joined by '/', foundations/first_release for instance, got {name=}")
    result = Record(
        name=name,
        parameters=_plain("parameters", parameters),
        versions=versions(),
        scalars={key: _scalar(key, value) for key, value in (scalars or {}).items()},
        tables={key: _table(key, value) for key, value in (tables or {}).items()},
        made=_made(command) if command else {},
    )
    if not os.fspath(outdir):
        return None
    path = Path(outdir) / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, as_json(vars(result)))
    return path


def read(path: str | os.PathLike[str]) -> Record:
    """The record in a file, its infinities and nans numbers again."""
    return Record(**_numbers(json.loads(Path(path).read_text("utf-8"))))


def provenance(result: Record) -> str:
    """How a kept result was made, a sentence in Markdown; the book adds the age to the date."""
    made = result.made
    versions = ", ".join(f"{package} {number}" for package, number in result.versions.items())
    when = f'<time datetime="{made["date"]}">{made["date"]}</time>'
    return f"Computed on {when} by `{made['command']}` on {made['machine']}, with {versions}."


def _scalar(name: str, value: Any) -> Any:
    plain = _plain(name, value)
    if isinstance(plain, list | dict):
        raise TypeError(f"scalars must be numbers, strings or truth values, got {name}={value!r}")
    return plain


def _table(name: str, value: Any) -> dict[str, list[Any]]:
    columns = value.to_dict("list") if hasattr(value, "to_dict") else value
    table: dict[str, list[Any]] = {str(column): _plain(name, list(entries)) for column, entries in columns.items()}
    lengths = {column: len(entries) for column, entries in table.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"tables must have columns of one length, got {name} with {lengths}")
    return table


def _plain(name: str, value: Any) -> Any:
    """The value as JSON has it; what is not finite becomes its name, since JSON has no number for it."""
    if isinstance(value, Mapping):
        return {str(key): _plain(str(key), entry) for key, entry in value.items()}
    if hasattr(value, "tolist"):  # arrays and NumPy numbers
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(name, entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"{name} must hold numbers, strings, truth values or lists of them, got {value!r}")


def _numbers(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _numbers(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_numbers(entry) for entry in value]
    return NOT_FINITE.get(value, value) if isinstance(value, str) else value


def versions() -> dict[str, str]:
    """The versions of Python and of the packages that results depend on."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    return found


def _made(command: str) -> dict[str, str]:
    cores = os.cpu_count() or 1
    return {
        "command": command,
        "date": datetime.now(UTC).date().isoformat(),
        "machine": f"{platform.system()} {platform.machine()}, {cores} core{'s' if cores > 1 else ''}",
    }
