"""The grid of a sweep, as written on the command line."""

import math

import pytest

from dpbi.cli.notebooks import axis
from dpbi.parameters import parse

NAMED = {
    parameter.name: parameter
    for parameter in parse(
        """
epsilon: float = 1.0  # budget; in (0, 20]
n: int = 1  # records; in [0, 1000000]
mechanism: str = "ehd"  # what; one of ehd, lshist
exact: bool = True  # sum instead of draw
prior: list = [1, 1]  # concentrations; each in (0, inf); length in [2, 2]
names: list[str] = ["a"]  # words
"""
    )
}


@pytest.mark.parametrize(("name", "text", "values"), [
    ("epsilon", "0.1,2", [0.1, 2.0]), ("epsilon", "1:2:3", [1.0, 1.5, 2.0]),
    ("epsilon", "0.1:0.4:4", [0.1, 0.2, 0.3, 0.4]), ("epsilon", "2:1:2", [2.0, 1.0]),
    ("epsilon", "1/3:1:3", [1 / 3, 0.666666666667, 1.0]), ("n", "1e3,14", [1000, 14]),
    ("prior", "[1/2,1/2]", [[0.5, 0.5]]), ("epsilon", "0.01:10:4:log", [0.01, 0.1, 1.0, 10.0]),
    ("n", "0:10:3", [0, 5, 10]), ("n", "1:1000:4:log", [1, 10, 100, 1000]), ("n", "1:3:9", [1, 2, 3]),
    ("n", "7,8,7", [7, 8]), ("mechanism", "ehd, lshist", ["ehd", "lshist"]), ("exact", "true,False", [True, False]),
    ("prior", "[1,1],[2, 0.5]", [[1, 1], [2, 0.5]]), ("names", "[a,b],[c]", [["a", "b"], ["c"]]),
])  # fmt: skip
def test_an_axis_contains_the_values_written(name, text, values):
    found = axis(NAMED[name], text)
    assert found == values
    assert [type(value) for value in found] == [type(value) for value in values]


def test_ends_of_a_range_are_exact_and_its_steps_are_equal():
    values = axis(NAMED["epsilon"], "0.3:1.7:50")
    assert (values[0], values[-1], len(values)) == (0.3, 1.7, 50)
    steps = [b - a for a, b in zip(values, values[1:], strict=False)]
    assert max(steps) - min(steps) < 2e-11  # twelve digits each
    values = axis(NAMED["epsilon"], "0.3:17:50:log")
    ratios = [math.log(b / a) for a, b in zip(values, values[1:], strict=False)]
    assert (values[0], values[-1], len(values)) == (0.3, 17, 50)
    assert max(ratios) - min(ratios) < 1e-10


@pytest.mark.parametrize(("name", "text", "said"), [
    ("epsilon", "", "epsilon must have at least one value"),
    ("epsilon", "1:2", "epsilon must be A,B,C or FIRST:LAST:POINTS"),
    ("epsilon", "1:2:1", "epsilon must have from 2 to 1000000 points"),
    ("epsilon", "0:2:3:log", "epsilon must have finite, positive ends"),
    ("epsilon", "1:inf:3", "epsilon must have finite ends"),
])  # fmt: skip
def test_an_invalid_axis_is_refused_by_name(name, text, said):
    with pytest.raises(ValueError, match=said):
        axis(NAMED[name], text)


@pytest.mark.parametrize(("name", "text"), [("n", "1,2.5"), ("exact", "true,maybe"), ("epsilon", "1,two")])
def test_a_value_of_another_type_is_refused(name, text):
    with pytest.raises(TypeError, match=f"{name} must be an? "):
        axis(NAMED[name], text)
