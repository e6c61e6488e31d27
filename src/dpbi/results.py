"""Recorded results: a JSON file per run, written by notebooks and read by the tests, the book and the command."""

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

PACKAGES = ("dpbi", "numpy", "scipy", "numba", "pandas", "matplotlib")
NOT_FINITE = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


@dataclass(frozen=True)
class Record:
    """The parameters and results of one run.

    Attributes:
        name: Name of the page or computation, ``notes/theorem_4_5`` for instance.
        parameters: Values of the parameters, by name.
        versions: Versions of Python and of the packages, by name.
        scalars: Numbers, strings or truth values, by name.
        tables: Tables by name, each a mapping of columns of equal length.
        made: Command, date and machine of results that are kept in the repository; empty in a notebook's own record.
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
    """Writes a ``Record`` to the file ``outdir/name.json``.

    Args:
        name: Identifiers joined by "/".
        parameters: Values of the parameters, by name. Here and below, arrays and NumPy numbers are converted.
        scalars: Numbers, strings or truth values, by name.
        tables: Tables by name: mappings of columns of equal length, or pandas tables.
        outdir: Folder of the file; if it is empty, the record is checked and not written.
        command: Command that made the results, for those that are kept in the repository.

    Returns:
        Path of the file, None if nothing was written.
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
    """Reads a record from a file; "inf", "-inf" and "nan" become numbers again."""
    return Record(**_numbers(json.loads(Path(path).read_text("utf-8"))))


def provenance(result: Record) -> str:
    """A sentence in Markdown that says how a kept result was made; the book adds the age to its date."""
    made = result.made
    versions = ", ".join(f"{package} {number}" for package, number in result.versions.items())
    when = f'<time datetime="{made["date"]}">{made["date"]}</time>'
    return f"Computed on {when} by `{made['command']}` on {made['machine']}, with {versions}."


def _table(name: str, value: Any) -> dict[str, list[Any]]:
    columns = value.to_dict("list") if hasattr(value, "to_dict") else value
    table: dict[str, list[Any]] = {str(column): _plain(name, list(entries)) for column, entries in columns.items()}
    lengths = {column: len(entries) for column, entries in table.items()}
    need(len(set(lengths.values())) <= 1, f"tables must have columns of one length, got {name} with {lengths}")
    return table


def _plain(name: str, value: Any) -> Any:
    """The value in JSON's types; numbers that are not finite, which JSON lacks, become their names."""
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
