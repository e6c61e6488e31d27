"""Mutate the code that keeps data private, one random place at a time, and list the mutations that no test detects.

python tools/mutants.py [TEST...] [--seed 1128] [--skip 0] [--count 40] [--rooms publish privacy]

A mutation replaces an operator or a function such as ``min``, swaps two arguments, doubles a constant, shifts an index,
or drops a check or a call. For each mutation, the tests of the mutated folder run in a temporary copy of the last
commit, followed by the default tests or by TEST... (such as tests src).
"""

import argparse
import ast
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from itertools import accumulate
from pathlib import Path

ROOT = Path(__file__).parents[1]
TESTS = {name: name for name in ("mechanisms", "guarantees", "privacy", "optimum", "mcmc")} | {"publish": "release"}
NOT_PRIVATE = [f"mcmc/{name}.py" for name in ("exact", "experiments", "models", "ring", "sample_distances")]
PAIRS = """Lt LtE, Lt Gt, Gt GtE, GtE LtE, Eq NotEq, Is IsNot, In NotIn, And Or, Add Sub, Mult Div,
           min max, minimum maximum, argmin argmax, floor ceil, any all"""


def changes(node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """All mutations of a syntax tree: the node to replace, and the code that replaces it."""

    def others(name: str) -> list[str]:
        return [new for pair in PAIRS.split(",") if name in pair.split() for new in pair.split() if new != name]

    def exchanged(**fields: object) -> tuple[ast.AST, str]:
        return node, f"({ast.unparse(type(node)(**vars(node) | fields))})"

    match node:
        case ast.JoinedStr() | ast.Raise() | ast.FunctionDef(name="__repr__") | ast.Call(func=ast.Name("isinstance")):
            return
        case ast.Expr(ast.Call()) | ast.If(body=[ast.Raise()], orelse=[]):
            yield node, "pass"
        case ast.Compare(ops=[first, *rest]):
            yield from (exchanged(ops=[getattr(ast, new)(), *rest]) for new in others(type(first).__name__))
        case ast.BinOp(op=op) | ast.BoolOp(op=op):
            yield from (exchanged(op=getattr(ast, new)()) for new in others(type(op).__name__))
        case ast.UnaryOp(ast.USub() | ast.Not(), inner):
            yield node, f"({ast.unparse(inner)})"
        case ast.Subscript(slice=ast.Constant(int(index))):
            yield node.slice, str(index + 1 if index else -1)
        case ast.Constant(bool() | int() | float() as value):
            yield node, repr(not value if isinstance(value, bool) else 2 * value or 1)
        case ast.Call(function, [one, two, *rest]) if not {type(one), type(two)} & {ast.Constant, ast.JoinedStr}:
            if not others(ast.unparse(function).rpartition(".")[2]):  # a minimum does not depend on the order
                yield exchanged(args=[two, one, *rest])
        case ast.Name(name) | ast.Attribute(attr=name):
            yield from (exchanged(**{"id" if isinstance(node, ast.Name) else "attr": new}) for new in others(name))
    for field, value in ast.iter_fields(node):
        for inner in value if isinstance(value, list) else [value]:
            if isinstance(inner, ast.AST) and field not in ("annotation", "returns", "decorator_list"):
                yield from changes(inner)


def mutants(path: Path, seed: int) -> Iterator[tuple[bytes, Path, int, str, bytes]]:
    """Hash, file, line, old and new code, and mutated file of each mutation; other edits of the file keep the hash."""
    lines = path.read_bytes().splitlines(keepends=True)
    text, starts = b"".join(lines), [0, *accumulate(map(len, lines))]
    for node, new in changes(ast.parse(text)):
        first, last = starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset
        what = " ".join(f"{text[first:last].decode()} -> {new}".split())
        place = sha256(f"{seed} {path.name} {lines[node.lineno - 1].decode().strip()} {what}".encode()).digest()
        yield place, path, node.lineno, what, text[:first] + new.encode() + text[last:]


def check(there: Path, tests: list[str], rooms: list[str], seed: int, skip: int, count: int) -> None:
    """Make the mutations one by one in a copy of the repository, and print whether the tests detect each of them."""
    subprocess.run(["git", "clone", "-q", ROOT, there], check=True)
    library, paths = there / "src" / "dpbi", os.environ | {"PYTHONPATH": str(there / "src")}

    def failed(some: tuple[str, ...]) -> bool:
        command = ["timeout", "900", sys.executable, "-m", "pytest", "-qx", "-p", "no:cacheprovider", *some]
        return subprocess.run(command, cwd=there, env=paths, capture_output=True, check=False).returncode != 0

    unchanged = cache(failed)
    files = {path: str(path.relative_to(library)) for room in rooms for path in (library / room).glob("*.py")}
    found = sorted(one for path in files if files[path] not in NOT_PRIVATE for one in mutants(path, seed))
    for _, path, line, what, text in found[skip : skip + count]:
        stages = (str(path.parent), *map(str, there.glob(f"tests/test_{TESTS[path.parent.name]}*.py"))), tuple(tests)
        if any(map(unchanged, stages)):
            sys.exit(f"tests must pass without a mutation, got a failure of {stages}")
        right = path.read_bytes()
        path.write_bytes(text)
        noticed = any(map(failed, stages))
        path.write_bytes(right)
        print("noticed" if noticed else "LIVED  ", f"{files[path]}:{line}: {what}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tests", nargs="*", metavar="TEST")
    parser.add_argument("--rooms", nargs="+", choices=TESTS, default=list(TESTS))
    for name, default in (("seed", 1128), ("skip", 0), ("count", 40)):
        parser.add_argument(f"--{name}", type=int, default=default)
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        check(Path(folder) / "copy", **vars(parser.parse_args()))
