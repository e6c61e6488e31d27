"""The grammar of a parameters cell."""

import pytest

from dpbi.parameters import Parameter, parse

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


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("epsilon", 20),
        ("epsilon", 1e-9),
        ("counts", [0, 7, 3]),
        ("sizes", (1, 10**6)),
        ("mechanism", "lshist"),
        ("exact", False),
    ],
)
def test_allowed_values_pass(name, value):
    checked = named(name).check(value)
    assert checked == (list(value) if isinstance(value, tuple) else value)


def test_whole_numbers_pass_as_floats():
    assert isinstance(named("epsilon").check(2), float)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("epsilon", 0, r"epsilon must satisfy 'in \(0, 20\]', got 0\.0"),
        ("epsilon", 20.5, r"epsilon must satisfy 'in \(0, 20\]', got 20\.5"),
        ("epsilon", float("nan"), "epsilon must be a number, got nan"),
        ("counts", [1, -1], r"counts must satisfy 'each in \[0, inf\)', got \[1, -1\]"),
        ("counts", [1, "a"], r"counts must satisfy 'each in \[0, inf\)', got"),
        ("counts", [1], r"counts must satisfy 'length in \[2, inf\)', got \[1\]"),
        ("sizes", [0], r"sizes must satisfy 'each in \[1, 1e6\]', got \[0\]"),
        ("mechanism", "none", "mechanism must satisfy 'one of ehd, lshist', got 'none'"),
    ],
)
def test_values_out_of_range_are_refused_by_name(name, value, said):
    with pytest.raises(ValueError, match=said):
        named(name).check(value)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("epsilon", "0.8", "epsilon must be a float, got '0.8'"),
        ("epsilon", True, "epsilon must be a float, got True"),
        ("counts", 5, "counts must be a list, got 5"),
        ("sizes", [1.5], r"sizes must be a list\[int\], got 1.5"),
        ("exact", 1, "exact must be a bool, got 1"),
    ],
)
def test_values_of_another_type_are_refused_by_name(name, value, said):
    with pytest.raises(TypeError, match=said):
        named(name).check(value)


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("epsilon = 0.8", "name: type = default"),
        ("import numpy", "name: type = default"),
        ("a: dict = {}", "a must have one of the types .* got 'dict'"),
        ("a: float = n + 1", "a must have a literal as its default"),
        ("a: float = 1.0  # meaning, a >= 0", "the comment of a must hold no equals sign"),
        ("a: float = 1.0  # meaning; positive", "got 'positive'"),
        ("a: float = 1.0  # meaning; in (0, x)", r"got 'in \(0, x\)'"),
        ("a: float = 1.0  # meaning; each in (0, inf)", "a must be a list"),
        ("a: float = 0.0  # meaning; in (0, inf)", r"a must satisfy 'in \(0, inf\)', got 0.0"),
    ],
)
def test_a_cell_that_cannot_be_read_says_why(cell, said):
    with pytest.raises(ValueError, match=said):
        parse(cell)
