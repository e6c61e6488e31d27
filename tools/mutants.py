"""Change one statement of the private rooms at a time, drawn by a seed, and list the changes that no test notices.

python tools/mutants.py --seed 1128 --count 40 [--skip 0] [--rooms publish privacy] [TEST...]

A change exchanges a comparison, a sign, a minimum and a maximum, or two arguments, doubles a constant, moves an index,
or drops a check or a call; texts and annotations stay. Tests run in a temporary copy of what is committed: those of the
room, and for a survivor the default tests, or TEST... (tests src, to leave out the pages).
"""

import argparse
import ast
import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache, partial
from itertools import accumulate
from linecache import getline
from pathlib import Path

ROOT = Path(__file__).parents[1]
TESTS = {name: name for name in ("mechanisms", "guarantees", "privacy", "optimum", "mcmc")} | {"publish": "release"}
NOT_PRIVATE = [f"mcmc/{name}.py" for name in ("exact", "experiments", "models", "ring", "sample_distances")]
PAIRS = """Lt LtE, Lt Gt, Gt GtE, GtE LtE, Eq NotEq, Is IsNot, In NotIn, And Or, Add Sub, Mult Div,
           min max, minimum maximum, argmin argmax, floor ceil, any all"""
OTHERS: dict[str, list[str]] = {}
for pair in PAIRS.split(","):
    one, two = pair.split()
    OTHERS[one], OTHERS[two] = [*OTHERS.get(one, []), two], [*OTHERS.get(two, []), one]


def changes(node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Changes of a node and of all below it: what is replaced, and by which text."""

    def exchanged(**fields: object) -> tuple[ast.AST, str]:
        return node, f"({ast.unparse(type(node)(**vars(node) | fields))})"

    match node:
        case ast.JoinedStr() | ast.Raise() | ast.FunctionDef(name="__repr__") | ast.Call(func=ast.Name("isinstance")):
            return
        case ast.Expr(ast.Call()) | ast.If(body=[ast.Raise()], orelse=[]):
            yield node, "pass"
        case ast.Compare(ops=[first, *rest]):
            yield from (exchanged(ops=[getattr(ast, new)(), *rest]) for new in OTHERS[type(first).__name__])
        case ast.BinOp(op=op) | ast.BoolOp(op=op):
            yield from (exchanged(op=getattr(ast, new)()) for new in OTHERS.get(type(op).__name__, ()))
        case ast.UnaryOp(ast.USub() | ast.Not(), inner):
            yield node, f"({ast.unparse(inner)})"
        case ast.Subscript(slice=ast.Constant(int(index))):
            yield node.slice, str(index + 1 if index else -1)
        case ast.Constant(bool() | int() | float() as value):
            yield node, repr(not value if isinstance(value, bool) else 2 * value or 1)
        case ast.Call(args=[first, second, *rest]) if not {type(first), type(second)} & {ast.Constant, ast.JoinedStr}:
            yield exchanged(args=[second, first, *rest])
        case ast.Name(name) | ast.Attribute(attr=name) if name in OTHERS:
            yield exchanged(**{"id" if isinstance(node, ast.Name) else "attr": OTHERS[name][0]})
    for field, value in ast.iter_fields(node):
        for inner in value if isinstance(value, list) else [value]:
            if isinstance(inner, ast.AST) and field not in ("annotation", "returns", "decorator_list"):
                yield from changes(inner)


def mutants(path: Path) -> Iterator[tuple[Path, int, str, str]]:
    """The file, the line, the old and the new text, and the whole changed text, of every change of a module."""
    text = path.read_bytes()
    starts = [0, *accumulate(map(len, text.splitlines(keepends=True)))]
    for node, new in changes(ast.parse(text)):
        first, last = starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset
        what = " ".join(f"{text[first:last].decode()} -> {new}".split())
        yield path, node.lineno, what, (text[:first] + new.encode() + text[last:]).decode()


def rank(seed: int, mutant: tuple[Path, int, str, str]) -> bytes:
    """Where a change stands in a draw, by a hash of its line and of itself, so that changes elsewhere do not matter."""
    path, line, what, _ = mutant
    return hashlib.sha256(f"{seed} {path.name} {getline(str(path), line).strip()} {what}".encode()).digest()


def failed(tests: tuple[str, ...], there: Path) -> bool:
    """Whether a test fails, or all of them take more than a quarter of an hour."""
    command = [sys.executable, "-m", "pytest", "-qx", "-p", "no:cacheprovider", *tests]
    paths = os.environ | {"PYTHONPATH": str(there / "src")}
    try:
        return subprocess.run(command, cwd=there, env=paths, timeout=900, capture_output=True).returncode != 0
    except subprocess.TimeoutExpired:
        return True


def check(there: Path, options: argparse.Namespace) -> None:
    """Print of each change drawn whether the tests, which must pass without it, notice it."""
    subprocess.run(["git", "clone", "-q", ROOT, there], check=True)
    library, unchanged = there / "src" / "dpbi", cache(partial(failed, there=there))
    files = [str(path.relative_to(library)) for room in options.rooms for path in sorted((library / room).glob("*.py"))]
    found = [one for name in files if name not in NOT_PRIVATE for one in mutants(library / name)]
    found.sort(key=partial(rank, options.seed))
    for path, line, what, text in found[options.skip : options.skip + options.count]:
        of_room = (*map(str, there.glob(f"tests/test_{TESTS[path.parent.name]}*.py")), str(path.parent))
        right, noticed = path.read_text("utf-8"), False
        for tests in (of_room, tuple(options.tests)):
            if not noticed and unchanged(tests):
                sys.exit(f"tests must pass without a change, got a failure of {tests}")
            path.write_text(text, "utf-8")
            noticed = noticed or failed(tests, there)
            path.write_text(right, "utf-8")
        print("noticed" if noticed else "LIVED  ", f"{path.relative_to(library)}:{line}: {what}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("seed", 1128), ("count", 40), ("skip", 0)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--rooms", nargs="+", choices=TESTS, default=list(TESTS))
    parser.add_argument("tests", nargs="*", metavar="TEST")
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        check(Path(folder) / "copy", parser.parse_args())
