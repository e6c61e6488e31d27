"""Recorded results: one JSON file per run, written by notebooks and read by the tests, the book and the command."""

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

from .checks import need, typed
from .files import as_json, write_whole

# Packages whose versions are recorded with the results, if they are installed.
PACKAGES = ("dpbi", "numpy", "scipy", "numba", "pandas", "matplotlib")


@dataclass(frozen=True)
class Record:
    """The parameters and results of one run.

    Attributes:
        name: Name of the page or computation, for instance ``notes/theorem_4_5``.
        parameters: Values of the parameters, by name.
        versions: Versions of Python and of the packages, by name.
        scalars: Numbers, strings or truth values, by name.
        tables: Tables by name, each of them a mapping from column names to lists of equal length.
        made: Command, date and machine that produced results stored in the repository; empty for a run of a notebook.
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
    """Writes a ``Record`` of a run to the file ``outdir/name.json``.

    NumPy arrays and numbers are converted to Python lists and numbers.

    Args:
        name: Name of the page or computation, identifiers joined by "/".
        parameters: Values of the parameters, by name.
        scalars: Numbers, strings or truth values, by name.
        tables: Tables by name, each of them a pandas data frame or a mapping from column names to lists of equal
            length.
        outdir: Folder of the file; if it is the empty string, the values are checked and no file is written.
        command: Command that computed the results, for results that are stored in the repository.

    Returns:
        Path of the file, or None if no file was written.
    """
    if not all(part.isidentifier() for part in name.split("/")):
        raise ValueError(f"name must be identifiers joined by '/', foundations/first_release for instance, got {name=}")
    numbers, cores = _plain("scalars", scalars or {}), os.cpu_count() or 1
    several = ", ".join(key for key, value in numbers.items() if isinstance(value, list | dict))
    need(not several, f"scalars must be numbers, strings or truth values, got {several} of several values", TypeError)
    made = {
        "command": command,
        "date": datetime.now(UTC).date().isoformat(),
        "machine": f"{platform.system()} {platform.machine()}, {cores} core{'s' if cores > 1 else ''}",
    }
    result = Record(
        name=name,
        parameters=_plain("parameters", parameters),
        versions=versions(),
        scalars=numbers,
        tables={key: _table(key, value) for key, value in (tables or {}).items()},
        made=made if command else {},
    )
    if not os.fspath(outdir):
        return None
    path = Path(outdir) / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, as_json(vars(result)))
    return path


def read(path: str | os.PathLike[str]) -> Record:
    """Reads a record from a file and converts the strings "inf", "-inf" and "nan" back to numbers."""
    return Record(**_numbers(json.loads(Path(path).read_text("utf-8"))))


def provenance(result: Record) -> str:
    """A Markdown sentence that states how a stored result was computed; the book adds the age of the result."""
    made = result.made
    versions = ", ".join(f"{package} {number}" for package, number in result.versions.items())
    when = f'<time datetime="{made["date"]}">{made["date"]}</time>'
    return f"Computed on {when} by `{made['command']}` on {made['machine']}, with {versions}."


def _table(name: str, value: Any) -> dict[str, list[Any]]:
    """A table as one list for each column, with values converted to JSON types; columns must have equal lengths."""
    columns = value.to_dict("list") if hasattr(value, "to_dict") else value
    table: dict[str, list[Any]] = {str(column): _plain(name, list(entries)) for column, entries in columns.items()}
    lengths = {column: len(entries) for column, entries in table.items()}
    need(len(set(lengths.values())) <= 1, f"tables must have columns of one length, got {name} with {lengths}")
    return table


def _plain(name: str, value: Any) -> Any:
    """A value converted to JSON types; infinite numbers and nan become strings, because JSON cannot represent them."""
    if isinstance(value, Mapping):
        return {str(key): _plain(str(key), entry) for key, entry in value.items()}
    if hasattr(value, "tolist"):  # a NumPy array or number
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(name, entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return typed(name, value, bool | int | float | str | None, "numbers, strings, truth values or lists of them")


def _numbers(value: Any) -> Any:
    """A value read from JSON, with the strings for infinite numbers and nan converted back to numbers."""
    if isinstance(value, dict):
        return {key: _numbers(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_numbers(entry) for entry in value]
    return float(value) if value in ("inf", "-inf", "nan") else value  # JSON cannot represent these numbers


def versions() -> dict[str, str]:
    """Versions of Python and of the packages on which results depend."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    return found
