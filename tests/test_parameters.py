"""The grammar of a parameters cell, and the validation of its values in the notebook itself."""

from fractions import Fraction
from types import SimpleNamespace

import IPython
import pytest

from dpbi.parameters import Parameter, calculated, check_here, parse

CELL = """
epsilon: float = 0.8  # privacy budget; in (0, 20]
counts: list = [5, 5]  # records per category; each in [0, inf); length in [2, inf)
sizes: list[int] = [10]  # how many records; each in [1, 1e6]
mechanism: str = "ehd"  # what is released; one of ehd, lshist
exact: bool = True  # sum instead of draw
"""


def test_a_cell_becomes_its_parameters():
    assert parse(CELL) == (
        Parameter("epsilon", "float", 0.8, "privacy budget", ("in (0, 20]",)),
        Parameter("counts", "list", [5, 5], "records per category", ("each in [0, inf)", "length in [2, inf)")),
        Parameter("sizes", "list[int]", [10], "how many records", ("each in [1, 1e6]",)),
        Parameter("mechanism", "str", "ehd", "what is released", ("one of ehd, lshist",)),
        Parameter("exact", "bool", True, "sum instead of draw"),
    )


def named(name: str) -> Parameter:
    return next(parameter for parameter in parse(CELL) if parameter.name == name)


@pytest.mark.parametrize(("name", "value", "checked"), [
    ("epsilon", 20, 20.0), ("counts", [0, 7, 3], [0, 7, 3]), ("sizes", (1, 10**6), [1, 10**6]), ("exact", False, False),
])  # fmt: skip
def test_allowed_values_pass_in_their_types(name, value, checked):
    found = named(name).check(value)
    assert (found, type(found)) == (checked, type(checked))


@pytest.mark.parametrize(("name", "value", "error", "said"), [
    ("epsilon", 0, ValueError, r"epsilon must satisfy 'in \(0, 20\]'"),
    ("epsilon", float("nan"), ValueError, "epsilon must be a number"),
    ("counts", [1, -1], ValueError, r"counts must satisfy 'each in \[0, inf\)'"),
    ("mechanism", "none", ValueError, "mechanism must satisfy 'one of ehd, lshist'"),
    ("epsilon", "0.8", TypeError, "epsilon must be a float"), ("counts", 5, TypeError, "counts must be a list"),
    ("sizes", [1.5], TypeError, r"sizes must be a list\[int\]"), ("exact", 1, TypeError, "exact must be a bool"),
])  # fmt: skip
def test_values_out_of_range_or_of_another_type_are_refused(name, value, error, said):
    with pytest.raises(error, match=said):
        named(name).check(value)


@pytest.mark.parametrize(("cell", "said"), [
    ("epsilon = 0.8", "name: type = default"), ("a: dict = {}", "a must have one of the types"),
    ("a: float = 1.0  # meaning, a >= 0", "comment of a must"),
    ("a: float = 1.0  # meaning; in (0, x)", r"got 'in \(0, x\)'"),
    ("a: float = 1.0  # meaning; each in (0, inf)", "a must be a list"),
])  # fmt: skip
def test_a_cell_that_cannot_be_read_says_why(cell, said):
    with pytest.raises(ValueError, match=said):
        parse(cell)


@pytest.mark.parametrize(
    ("text", "value"), [("1/3", Fraction(1, 3)), (" -0.3 / 0.7 ", Fraction(-3, 7)), ("1e-3", Fraction(1, 1000))]
)
def test_fractions_are_rounded_once(text, value):
    assert calculated(text) == float(value)  # oracle: exact fractions


@pytest.mark.parametrize("text", ["1/0", "a", "1+2", "2**3", "f(1)", "True", "", "1//2", "1/2/3"])
def test_text_that_is_no_number_is_refused(text):
    with pytest.raises(ValueError, match="a number must be"):
        calculated(text)


@pytest.mark.parametrize("text", ["[1,1", "[1],[2]", "[1,2],[3]"])
def test_an_unclosed_list_is_reported_as_a_list(text):
    with pytest.raises(ValueError, match="counts must be a list whose brackets close"):
        named("counts").read(text)


@pytest.fixture
def session(monkeypatch):
    """A session of IPython, as far as the check looks at it."""

    def begin(*inputs, **values):
        shell = SimpleNamespace(user_ns={"In": ["", *inputs], **values})
        monkeypatch.setattr(IPython, "get_ipython", lambda: shell)
        return shell.user_ns

    return begin


GOOD = {"epsilon": 1, "counts": [1, 2], "sizes": (3,), "mechanism": "ehd", "exact": False}


def test_values_are_checked_in_the_notebook_and_typed(session):
    names = session(
        CELL, "# Parameters\nepsilon = 1", "epsilon: float = 0.5  # tried; in (0, 5]",
        "from dpbi.parameters import check_here", **GOOD,
    )  # fmt: skip
    check_here()
    assert isinstance(names["epsilon"], float)
    assert names["sizes"] == [3]


def test_a_bad_value_is_refused_in_the_notebook_as_elsewhere(session):
    names = session("import numpy", CELL, **GOOD | {"epsilon": 200})
    before = dict(names)
    with pytest.raises(ValueError, match=r"epsilon must satisfy 'in \(0, 20\]'"):
        check_here()
    assert names == before


def test_without_a_parameters_cell_it_names_what_to_run(session, monkeypatch):
    """Outside a notebook, and without a history, nothing is checked."""
    session("import numpy", "x = 1")
    with pytest.raises(ValueError, match="parameters must be run before"):
        check_here()
    session(**{**GOOD, "epsilon": 200})  # as nbval runs cells
    assert check_here() == {}
    monkeypatch.setattr(IPython, "get_ipython", lambda: None)
    assert check_here() == {}
