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
import math
import re
import tokenize
from dataclasses import dataclass
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
        if kind == "list":
            if not isinstance(value, list | tuple):
                raise TypeError(f"{self.name} must be a {self.type}, got {value!r}")
            value = [self._typed(entry, item) for item in value]
        else:
            value = self._typed(kind, value)
        for clause in self.allowed:
            scope, condition = _split(clause)
            if scope == "length":
                subjects = [len(value)]
            else:
                subjects = value if scope == "each" else [value]
            if not all(_holds(condition, subject) for subject in subjects):
                raise ValueError(f"{self.name} must satisfy {clause!r}, got {value!r}")
        return value

    def read(self, text: str) -> Any:
        """The checked value that a text stands for: ``0.5``, ``true``, ``ehd``, ``[1, 2]`` or ``1,2``."""
        kind, _, entry = self.type.rstrip("]").partition("[")
        if kind != "list":
            return self.check(_value(kind, text.strip()))
        text = text.strip()
        inner = text[1:-1] if text.startswith("[") and text.endswith("]") else text
        return self.check([_value(entry, part) for part in entries(inner)])

    def _typed(self, kind: str, value: Any) -> Any:
        if not kind:  # the entries of a plain list
            return value
        if kind == "float" and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if not isinstance(value, TYPES[kind]) or (isinstance(value, bool) and kind != "bool"):
            raise TypeError(f"{self.name} must be a {self.type}, got {value!r}")
        if isinstance(value, float) and math.isnan(value):
            raise ValueError(f"{self.name} must be a number, got {value!r}")
        return value


def parse(source: str) -> tuple[Parameter, ...]:
    """The parameters that a cell assigns, in its order; anything else in the cell is an error."""
    comments = {
        token.start[0]: token.string.removeprefix("#").strip()
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
    }
    return tuple(_parameter(line, comments.get(line.end_lineno or 0, "")) for line in ast.parse(source).body)


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
        number = float(text)
        # 1e6 is a whole number to whoever writes it
        return (
            int(text)
            if text.lstrip("+-").isdigit()
            else int(number)
            if kind == "int" and number.is_integer()
            else number
        )
    except ValueError:
        try:
            return text if kind else ast.literal_eval(text)
        except (ValueError, SyntaxError):
            return text


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
    parameter.check(default)
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
