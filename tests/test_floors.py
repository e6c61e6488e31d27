"""Imports point downwards: the modules of the library are arranged in layers, and none imports from a higher layer."""

import ast
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "dpbi"

FLOORS = (
    {"extras"},  # what a plain installation lacks
    {"arithmetic", "files", "progress"},  # numbers of any kind | files written whole | how far work has come
    {"checks"},  # of arguments
    {"parameters", "results"},  # of a notebook | what it records
    {"model", "guarantees", "divergences"},  # what the data are | what can be promised | how far two laws are apart
    {"mechanisms"},  # what is released
    {"privacy", "accuracy"},  # what leaks | how far off it is
    {"inference", "optimum", "posterior_sampling", "mcmc"},  # what to conclude | the best there is | two of the sources
    {"claims", "plots"},  # what the sources say | the figures
    {"publish"},  # records in, a private posterior out
    {"cli"},  # the command
)
"""From the ground up, in the words of the page *For developers*. A module imports what stands below it, and its own
folder."""

FLOOR = {module: level for level, floor in enumerate(FLOORS) for module in floor}


@cache
def imported(file: Path) -> list[list[str]]:
    """The dotted names that a file imports, in parts, relative ones made absolute."""
    package = ["dpbi", *file.relative_to(SOURCE).parts[:-1]]
    found = []
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found += [alias.name.split(".") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else []
            base = base + (node.module.split(".") if node.module else [])
            found += [[*base, alias.name] for alias in node.names]
    return found


def imports(module: str) -> set[str]:
    """The modules of the library that a module, or any file of a package, imports."""
    package = SOURCE / module
    files = sorted(package.rglob("*.py")) if package.is_dir() else [SOURCE / f"{module}.py"]
    names = {parts[1] for file in files for parts in imported(file) if parts[0] == "dpbi" and len(parts) > 1}
    return names & set(FLOOR) - {module}


PRESENT = sorted(
    {path.stem for path in SOURCE.iterdir() if path.suffix in {"", ".py"}} - {"__init__", "__main__", "__pycache__"}
)


def test_every_module_has_a_floor():
    assert set(PRESENT) <= set(FLOOR)


@pytest.mark.parametrize("module", PRESENT)
def test_imports_point_down(module):
    assert not {other for other in imports(module) if FLOOR[other] >= FLOOR[module]}


def test_only_plots_imports_matplotlib():
    drawing = [file for file in SOURCE.rglob("*.py") if any(parts[0] == "matplotlib" for parts in imported(file))]
    assert {file.parent for file in drawing} == {SOURCE / "plots"}
