"""Parser of the ``parameters`` cell of a notebook, and checks of values against the clauses in its comments.

The cell has one line for each parameter: name, type, default, and a comment with the meaning of the parameter and,
after semicolons, clauses that define the allowed values::

    epsilon: float = 0.8      # privacy budget; in (0, 20]
    counts: list = [5, 5]     # records per category; each in [0, inf); length in [2, inf)
    mechanism: str = "ehd"    # what is released; one of ehd, lshist

A clause is an interval, such as ``in (0, 20]``, or a choice, such as ``one of a, b``. The word ``each`` before a clause
applies the clause to every entry of a list, and ``length`` applies it to the number of entries. The types are int,
float, bool, str, list and list[T]. A line must contain only one equals sign, because papermill also reads the cell and
skips lines with several equals signs.
"""

import ast
import io
import math
import operator
import re
import sys
import tokenize
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from .checks import need

TYPES = {"bool": bool, "float": float, "int": int, "str": str}
NUMBER = r"([-+]?(?:inf|[\d.]+(?:e[-+]?\d+)?))"
CLAUSE = re.compile(rf"(each |length )?(?:in ([(\[]) *{NUMBER} *, *{NUMBER} *([)\]])|one of (.+))")
# A comma outside brackets: the next bracket after it, if any, is an opening one.
OUTER_COMMA = re.compile(r",(?![^\[\]]*\])")
# No exponents: the exact integer of 1e999999999 would exhaust the memory.
FRACTION = re.compile(r"\s*([-+]?[\d.]+)\s*/\s*([\d.]+)\s*", re.ASCII)


@dataclass(frozen=True)
class Parameter:
    """One parameter of a notebook.

    Attributes:
        name: Name of the variable.
        type: Annotation of the variable, for instance ``float`` or ``list[int]``.
        default: Value in the cell.
        meaning: First part of the comment.
        allowed: Clauses in the rest of the comment.
    """

    name: str
    type: str
    default: Any
    meaning: str = ""
    allowed: tuple[str, ...] = ()

    def check(self, value: Any) -> Any:
        """Converts a value to the type of the parameter, and checks the value against the clauses.

        Raises:
            TypeError: if the value has the wrong type.
            ValueError: if the value does not satisfy a clause.
        """
        kind, _, entry = self.type.rstrip("]").partition("[")
        listed = kind == "list"
        if listed and not isinstance(value, list | tuple):
            raise TypeError(f"{self.name} must be a {self.type}, got {value!r}")
        value = [self._typed(entry, item) for item in value] if listed else self._typed(kind, value)
        for clause in self.allowed:
            need(_holds(clause, value), f"{self.name} must satisfy {clause!r}, got {value!r}")
        return value

    def read(self, text: str) -> Any:
        """Parses and checks a string such as ``0.5``, ``1/2``, ``true``, ``ehd``, ``[1, 2]`` or ``1,2``."""
        kind, _, entry = self.type.rstrip("]").partition("[")
        text = text.strip()
        if kind != "list":
            return self.check(_value(kind, text))
        if text.startswith("[") != text.endswith("]") or max(text.count("["), text.count("]")) > 1:
            raise ValueError(f"{self.name} must be a {self.type} whose brackets close and are not nested, got {text!r}")
        inner = text[1:-1] if text.startswith("[") else text
        return self.check([_value(entry, part) for part in entries(inner)])

    def _typed(self, kind: str, value: Any) -> Any:
        """Checks that a value or an entry of a list has the type ``kind``; an integer may stand for a float."""
        if not kind:  # the entries of a plain list
            return value
        if kind == "float" and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if not isinstance(value, TYPES[kind]) or (isinstance(value, bool) and kind != "bool"):
            raise TypeError(f"{self.name} must be {'an' if self.type == 'int' else 'a'} {self.type}, got {value!r}")
        need(not (isinstance(value, float) and math.isnan(value)), f"{self.name} must be a number, got {value!r}")
        return value


def parse(source: str) -> tuple[Parameter, ...]:
    """The parameters that a cell declares, in the order of its lines.

    Raises:
        ValueError: if the cell contains anything else, or a default violates its own clauses.
    """
    parameters = _declared(source)
    for parameter in parameters:
        parameter.check(parameter.default)
    return parameters


def _declared(source: str) -> tuple[Parameter, ...]:
    """The parameters that a cell declares, with defaults that are not checked against the clauses."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    comments = {token.start[0]: token.string[1:].strip() for token in tokens if token.type == tokenize.COMMENT}
    return tuple(_parameter(line, comments.get(line.end_lineno or 0, "")) for line in ast.parse(source).body)


def check_here() -> dict[str, Any]:
    """Checks the parameters of the notebook that calls this function, and converts each parameter to its type.

    The function finds the parameters cell among the inputs of the session. Values that are injected by papermill or
    typed in JupyterLab therefore undergo the same checks as values on the command line. Nothing is checked outside a
    notebook, or in a session without a history: nbval, for example, runs cells as they are written.

    Returns:
        The checked parameters by name, except ``outdir``, as ``dpbi.results.record`` expects them.

    Raises:
        TypeError: if a value has the wrong type; the message names the first such parameter, and no variable changes.
        ValueError: if a value is not allowed; no variable changes.
    """
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if shell is None or not any(shell.user_ns["In"]):
        return {}
    declared = []
    for source in shell.user_ns["In"]:
        with suppress(ValueError, SyntaxError, tokenize.TokenError):  # not a cell of parameters
            declared.append(_declared(source))
    cells = [cell for cell in declared if cell]
    need(cells, "the cell of parameters must be run before it is checked")
    names = {each.name for each in cells[0]}
    latest = [cell for cell in cells if {each.name for each in cell} == names][-1]  # the cell may have been edited
    checked = {each.name: each.check(shell.user_ns[each.name]) for each in latest}
    shell.user_ns.update(checked)
    return {name: value for name, value in checked.items() if name != "outdir"}


def entries(text: str) -> list[str]:
    """Splits a string at the commas outside brackets, which must not be nested.

    >>> entries("[1, 2], [3]")
    ['[1, 2]', '[3]']
    """
    return [part.strip() for part in OUTER_COMMA.split(text)] if text.strip() else []


def _value(kind: str, text: str) -> Any:
    """A string converted to a given type, or the string itself, which ``check`` rejects, if that is impossible."""
    if kind in ("str", "bool"):
        return {"true": True, "false": False}.get(text.lower(), text) if kind == "bool" else text
    try:
        number = int(text) if text.lstrip("+-").isdigit() else calculated(text)
        # a string such as 1e6 is accepted as an integer
        return int(number) if kind == "int" and number == number // 1 else number
    except (ValueError, OverflowError):
        with suppress(ValueError, SyntaxError):
            return text if kind else ast.literal_eval(text)
        return text


def calculated(text: str) -> float:
    """The double nearest to a decimal, or to the quotient of two decimals; any other string raises ``ValueError``.

    >>> calculated("1/3"), calculated("1e-3"), calculated("-inf")
    (0.3333333333333333, 0.001, -inf)
    """
    with suppress(ValueError, ZeroDivisionError):
        if fraction := FRACTION.fullmatch(text):
            return float(Fraction(fraction[1]) / Fraction(fraction[2]))
        return float(text)
    raise ValueError(f"a number must be like 0.5, 1/2 or 1e-3, got {text!r}")


def _parameter(line: ast.stmt, comment: str) -> Parameter:
    """The parameter that is declared by a line of the cell and its comment; malformed clauses raise an error."""
    text = ast.unparse(line)
    if not (isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name) and line.value):
        raise ValueError(f"a parameters cell must hold lines 'name: type = default  # meaning; allowed', got {text!r}")
    need("=" not in comment, f"the comment of {line.target.id} must contain no equals sign, got {comment!r}")
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
        if clause.startswith(("each ", "length ")) and not kind.startswith("list"):
            raise ValueError(f"{name} must be a list for the clause {clause!r}, got type {kind!r}")
        _holds(clause, [] if kind.startswith("list") else 0)  # raises for a clause that cannot be parsed
    return parameter


def _holds(clause: str, value: Any) -> bool:
    """Whether a value satisfies a clause; a malformed clause raises ``ValueError``."""
    read = CLAUSE.fullmatch(clause)
    if not read:
        raise ValueError(f"a clause must read 'in (a, b]' or 'one of a, b', got {clause!r}")
    scope, left, low, high, right, words = read.groups()
    subjects = value if scope == "each " else [len(value) if scope else value]
    if words:
        return all(str(one) in map(str.strip, words.split(",")) for one in subjects)
    above, below = operator.ge if left == "[" else operator.gt, operator.le if right == "]" else operator.lt
    return all(isinstance(one, int | float) and above(one, float(low)) and below(one, float(high)) for one in subjects)
