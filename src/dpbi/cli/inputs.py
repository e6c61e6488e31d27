"""The files that a notebook reads: those that its code names below the root of its project.

A notebook declares them where it opens them, as ``checkout() / "results" / "speed.json"``: a file, a whole folder, or
with ``.glob("*.json")`` some files of one. Names may stand for parts of such paths.
"""

import ast
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .notebooks import checkout

ROOT = checkout.__name__


def inputs(notebook: str, root: Path) -> dict[str, bytes]:
    """What is in the files that a notebook declares, by their paths below the root; one that is absent is left out."""
    found = sorted({path for pattern in declared(notebook) for path in _files(root, pattern)})
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in found}


def _files(root: Path, pattern: str) -> Iterator[Path]:
    inner = pattern and not Path(pattern).is_absolute() and ".." not in Path(pattern).parts
    for path in root.glob(pattern) if inner else ():
        yield from (each for each in ([path] if path.is_file() else path.rglob("*")) if each.is_file())


def declared(notebook: str) -> set[str]:
    """The paths and patterns that the code cells name.

    >>> cell = 'there = checkout() / "results" / "mine"; a = there / "a.json"; rest = there.glob("b*")'
    >>> sorted(declared(json.dumps({"cells": [{"cell_type": "code", "source": cell}]})))
    ['results/mine/a.json', 'results/mine/b*']
    """
    seen = _Seen({}, set(), set())
    for cell in json.loads(notebook)["cells"]:
        if cell["cell_type"] == "code":
            try:
                tree = ast.parse("".join(cell["source"]))
            except SyntaxError:  # a magic, or an error that the run will show
                continue
            for line in tree.body:
                seen.look(line)
    return seen.found | {path for name, path in seen.names.items() if name not in seen.used}


@dataclass(frozen=True)
class _Seen:
    """Names that stand for paths, those of them that were used, and the longest paths that were."""

    names: dict[str, str]
    used: set[str]
    found: set[str]

    def look(self, node: ast.AST) -> None:
        """Look at a line or a part of one."""
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            path = self.path(node.value)
            if path is not None:
                self.names[node.targets[0].id] = path
                return
        path = self.path(node)
        if path is not None:
            self.found.add(path)
            return
        for child in ast.iter_child_nodes(node):
            self.look(child)

    def path(self, node: ast.AST) -> str | None:
        """The path below the root that an expression is, if it is one."""
        match node:
            case ast.Call(func=ast.Name(id=name), args=[]) if name == ROOT:
                return ""
            case ast.Name(id=name, ctx=ast.Load()) if name in self.names:
                self.used.add(name)
                return self.names[name]
            case (
                ast.BinOp(left=left, op=ast.Div(), right=ast.Constant(value=str(part)))
                | ast.Call(func=ast.Attribute(value=left, attr="glob"), args=[ast.Constant(value=str(part))])
            ):
                start = self.path(left)
                return None if start is None else f"{start}/{part}".removeprefix("/")
        return None
