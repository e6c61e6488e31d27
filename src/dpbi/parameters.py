"""The parameters of a notebook: read from its ``parameters`` cell, checked against what its comments allow.

One line per parameter: name, type, default, then in the comment its meaning and, after semicolons, what is allowed::

    epsilon: float = 0.8      # privacy budget; in (0, 20]
    counts: list = [5, 5]     # records per category; each in [0, inf); length in [2, inf)
    mechanism: str = "ehd"    # what is released; one of ehd, lshist

What is allowed is an interval ``in (0, 20]`` or a choice ``one of a, b``; ``each`` in front speaks of the entries of a
list, ``length`` of their number. Types are int, float, bool, str, list and list[T]. A line holds one equals sign:
papermill, which reads the same lines, overlooks any with more.
"""

import ast
import io
import linecache
import math
import re
import sys
import tokenize
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from operator import add, mul, sub, truediv
from typing import Any

TYPES = {"bool": bool, "float": float, "int": int, "str": str}
NUMBER = r"([-+]?(?:inf|[\d.]+(?:e[-+]?\d+)?))"
INTERVAL = re.compile(rf"in ([(\[]) *{NUMBER} *, *{NUMBER} *([)\]])")
CHOICE = re.compile(r"one of (.+)")


@dataclass(frozen=True)
class Parameter:
    """One parameter: ``allowed`` holds the clauses of its comment, ``meaning`` the words before them."""

    name: str
    type: str
    default: Any
    meaning: str = ""
    allowed: tuple[str, ...] = ()

    def check(self, value: Any) -> Any:
        """The value in the parameter's type; ``TypeError`` or ``ValueError`` if it is none of the allowed."""
        kind, _, entry = self.type.rstrip("]").partition("[")
        listed = kind == "list"
        if listed and not isinstance(value, list | tuple):
            raise TypeError(f"{self.name} must be a {self.type}, got {value!r}")
        value = [self._typed(entry, item) for item in value] if listed else self._typed(kind, value)
        for clause in self.allowed:
            scope, condition = _split(clause)
            subjects = value if scope == "each" else [len(value) if scope == "length" else value]
            if not all(_holds(condition, subject) for subject in subjects):
                raise ValueError(f"{self.name} must satisfy {clause!r}, got {value!r}")
        return value

    def read(self, text: str) -> Any:
        """The checked value that a text stands for: ``0.5``, ``1/2``, ``true``, ``ehd``, ``[1, 2]`` or ``1,2``."""
        kind, _, entry = self.type.rstrip("]").partition("[")
        text = text.strip()
        if kind != "list":
            return self.check(_value(kind, text))
        if text.startswith("[") != text.endswith("]") or text.count("[") != text.count("]"):
            raise ValueError(f"{self.name} must be a {self.type} whose brackets close, got {text!r}")
        inner = text[1:-1] if text.startswith("[") else text
        return self.check([_value(entry, part) for part in entries(inner)])

    def typed(self, value: Any) -> Any:
        """The checked value of one that has a type already, from a file: a text that is not meant as one is read."""
        return self.read(value) if isinstance(value, str) and self.type != "str" else self.check(value)

    def _typed(self, kind: str, value: Any) -> Any:
        if not kind:  # the entries of a plain list
            return value
        if kind == "float" and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if not isinstance(value, TYPES[kind]) or (isinstance(value, bool) and kind != "bool"):
            raise TypeError(f"{self.name} must be {'an' if self.type == 'int' else 'a'} {self.type}, got {value!r}")
        if isinstance(value, float) and math.isnan(value):
            raise ValueError(f"{self.name} must be a number, got {value!r}")
        return value


def parse(source: str) -> tuple[Parameter, ...]:
    """The parameters that a cell assigns, in its order; anything else in the cell is an error."""
    parameters = _declared(source)
    for parameter in parameters:
        parameter.check(parameter.default)
    return parameters


def _declared(source: str) -> tuple[Parameter, ...]:
    """The parameters that a cell assigns, whether or not their defaults are allowed."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    comments = {token.start[0]: token.string[1:].strip() for token in tokens if token.type == tokenize.COMMENT}
    return tuple(_parameter(line, comments.get(line.end_lineno or 0, "")) for line in ast.parse(source).body)


def check_here() -> dict[str, Any]:
    """The parameters of the notebook that calls this but for ``outdir``; each is set in its type, or refused.

    The notebook's parameters cell is found among the inputs of its session. So a value that papermill puts in, or that
    is typed in JupyterLab, is refused with the words of the command. Outside a notebook there is nothing to check.
    What this returns is what ``record`` is given.
    """
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if shell is None:
        return {}
    # nbval and others run cells outside the history: then what was sent, and not read from files, as tracebacks show it
    sent = ("".join(entry[2]) for entry in linecache.cache.values() if len(entry) == 4 and entry[1] is None)
    cells = _cells(shell.user_ns["In"]) or _cells(sent)
    if not cells:
        raise ValueError("the cell of parameters must be run before it is checked")
    names = {each.name for each in cells[0]}
    latest = [cell for cell in cells if {each.name for each in cell} == names][-1]  # it may have been edited
    checked = {}
    for each in latest:
        try:
            checked[each.name] = each.check(shell.user_ns[each.name])
        except (TypeError, ValueError) as error:
            raise ValueError(str(error)) from None
    shell.user_ns.update(checked)
    return {name: value for name, value in checked.items() if name != "outdir"}


def _cells(sources: Iterable[str]) -> list[tuple[Parameter, ...]]:
    """The cells of parameters among sources."""
    found = []
    for source in sources:
        with suppress(ValueError, SyntaxError, tokenize.TokenError):
            found.append(_declared(source))
    return [cell for cell in found if cell]


def entries(text: str) -> list[str]:
    """The parts of a text between commas, those inside brackets not counted.

    >>> entries("[1, 2], [3]")
    ['[1, 2]', '[3]']
    """
    parts, depth = [""], 0
    for letter in text:
        depth += {"[": 1, "]": -1}.get(letter, 0)
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts] if text.strip() else []


def _value(kind: str, text: str) -> Any:
    """What a text says, as far as it can be read as this kind; else the text, which ``check`` then refuses."""
    if kind == "str":
        return text
    if kind == "bool":
        return {"true": True, "false": False}.get(text.lower(), text)
    try:
        number = int(text) if text.lstrip("+-").isdigit() else calculated(text)
        # 1e6 is a whole number to whoever writes it
        return int(number) if kind == "int" and number == number // 1 else number
    except (ValueError, OverflowError):
        with suppress(ValueError, SyntaxError):
            return text if kind else ast.literal_eval(text)
        return text


def calculated(text: str) -> float:
    """The double nearest to a number, or to what is calculated from numbers; ``ValueError`` if it is neither.

    >>> calculated("1/3"), calculated("2 * 10**-3"), calculated("-inf")
    (0.3333333333333333, 0.002, -inf)
    """
    with suppress(ValueError):
        return float(text)
    try:
        return float(_exact(ast.parse(text.strip(), mode="eval").body))
    except (ArithmeticError, SyntaxError, ValueError, MemoryError, RecursionError):
        raise ValueError(f"a number must be like 0.5, 1/2 or 10**-3, got {text!r}") from None


CALCULATIONS = {ast.Add: add, ast.Sub: sub, ast.Mult: mul, ast.Div: truediv}
LARGEST_POWER = 1000
"""Digits that a power may have: a double has no more than 309 before its point."""


def _exact(node: ast.expr) -> Fraction:
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return Fraction(repr(value))  # 0.1 as one writes it
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_exact(operand)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            base, power = _exact(left), _exact(right)
            if power.denominator > 1 or abs(power) * len(str(base)) > LARGEST_POWER:
                raise ArithmeticError
            return Fraction(base ** int(power))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in CALCULATIONS:
            return Fraction(CALCULATIONS[type(op)](_exact(left), _exact(right)))
        case _:
            raise ArithmeticError


def _parameter(line: ast.stmt, comment: str) -> Parameter:
    text = ast.unparse(line)
    if not (isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name) and line.value):
        raise ValueError(f"a parameters cell must hold lines 'name: type = default  # meaning; allowed', got {text!r}")
    if "=" in comment:
        raise ValueError(f"the comment of {line.target.id} must hold no equals sign, got {comment!r}")
    name, kind = line.target.id, ast.unparse(line.annotation)
    if kind != "list" and kind not in TYPES and kind not in {f"list[{entry}]" for entry in TYPES}:
        raise ValueError(f"{name} must have one of the types {', '.join(TYPES)}, list or list[T], got {kind!r}")
    try:
        default = ast.literal_eval(line.value)
    except ValueError:
        raise ValueError(f"{name} must have a literal as its default, got {text!r}") from None
    meaning, *allowed = [clause.strip() for clause in comment.split(";")]
    parameter = Parameter(name, kind, default, meaning, tuple(allowed))
    for clause in allowed:
        scope, condition = _split(clause)
        if scope and not kind.startswith("list"):
            raise ValueError(f"{name} must be a list for the clause {clause!r}, got type {kind!r}")
        _holds(condition, 0)  # a clause that cannot be read is found here
    return parameter


def _split(clause: str) -> tuple[str, str]:
    scope, _, condition = clause.partition(" ")
    return (scope, condition) if scope in {"each", "length"} else ("", clause)


def _holds(condition: str, value: Any) -> bool:
    if choice := CHOICE.fullmatch(condition):
        return str(value) in [word.strip() for word in choice[1].split(",")]
    interval = INTERVAL.fullmatch(condition)
    if not interval:
        raise ValueError(f"a clause must read 'in (a, b]' or 'one of a, b', got {condition!r}")
    low, high = float(interval[2]), float(interval[3])
    if not isinstance(value, int | float) or not low <= value <= high:
        return False
    return (value > low or interval[1] == "[") and (value < high or interval[4] == "]")
