"""Records as they come: missing values of every kind, wrong kinds of values, and files that would be misread."""

import decimal
import math

import numpy as np
import pandas as pd
import pytest

from checkouts import failed
from dpbi.publish import read_column, release

NONE = [None, "", math.nan, np.nan, np.float32("nan"), pd.NA, pd.NaT, np.datetime64("NaT"), np.ma.masked,
        decimal.Decimal("nan"), decimal.Decimal("sNaN")]  # fmt: skip


DAYS = [pd.Timestamp("2026-01-01"), pd.Timestamp("2026-01-02")]


class ArrowScalar:
    """What a scalar of Arrow is to a reader: its value, and whether there is one."""

    def __init__(self, is_valid):
        self.is_valid = is_valid


@pytest.mark.parametrize("value", [*NONE, ArrowScalar(False)], ids=lambda value: type(value).__name__)
def test_every_kind_of_missing_value_follows_the_rule(value):
    assert release(["a", value, "b"], ["a", "b"], [1, 1], 1, missing="drop").receipt["n"] == 2
    assert release(["a", value, "b"], ["a", "b", "?"], [1, 1, 1], 1, missing="?").receipt["n"] == 3
    with pytest.raises(ValueError, match=r"values must not be missing without a rule .* got none in row 2"):
        release(["a", value, "b"], ["a", "b"], [1, 1], 1)


@pytest.mark.parametrize(
    ("column", "labels"),
    [
        (pd.Series([1, None, 2], dtype="Int64"), [1, 2]),
        (pd.Series([1, None, 2]), [1, 2]),
        (pd.Series(["a", None, "b"], dtype="string"), ["a", "b"]),
        (pd.Series(["a", None, "b"], dtype="object"), ["a", "b"]),
        (pd.Series(["a", None, "b"], dtype="category"), ["a", "b"]),
        (pd.Series([True, None, False], dtype="boolean"), [True, False]),
        (pd.Index(["a", None, "b"]), ["a", "b"]),
        (pd.array([1.5, None, 2.5], dtype="Float64"), [1.5, 2.5]),
        (pd.Series(pd.to_datetime(["2026-01-01", None, "2026-01-02"])), DAYS),
        (np.ma.masked_array([1, 9, 2], [False, True, False]), [1, 2]),
        (["a", pd.NA, "b"], ["a", "b"]),
    ],
    ids=lambda value: str(getattr(value, "dtype", "")),
)  # fmt: skip
def test_missing_values_of_a_column_of_pandas_or_numpy_are_left_out(column, labels):
    assert release(column, labels, [1, 1], 1, missing="drop").receipt["n"] == 2


def test_a_column_of_arrow_is_read_by_its_values():
    class Column:
        def to_pylist(self):
            return ["a", None, "b"]

        def __iter__(self):
            raise AssertionError("scalars of Arrow equal no label")

    assert release(Column(), ["a", "b"], [1, 1], 1, missing="drop").receipt["n"] == 2


WRONG = {
    "a text": ("yes", r"got str: read_column\(path, name\) is one of a file"),
    "bytes": (b"yes", "got bytes"),
    "a mapping": ({"ann": "a", "bob": "b"}, "got dict"),
    "a frame": (pd.DataFrame({"v": ["a", "b"]}), r"got DataFrame: .* values\[name\] one of a table"),
    "a set": ({"a", "b"}, "got set"),
    "a matrix": (np.array([["a", "b"]]), "got ndarray"),
    "a number": (5, "got int"),
    "lists": ([["a"], ["b"]], "values must be single labels"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_what_is_no_column_of_records_is_refused_with_the_call_to_make(kind, tmp_path):
    values, message = WRONG[kind]
    with pytest.raises((TypeError, ValueError), match=message):
        release(values, ["a", "b"], [1, 1], 1, budget=tmp_path / "budget.db", limit=1)
    assert not list(tmp_path.iterdir())


def test_categories_that_look_as_if_they_were_computed_are_warned_about():
    column = pd.Series(["a", "b", "b"])
    taken = (
        column.unique(),
        pd.Index(["a", "b"]),
        np.unique(column.to_numpy(dtype=object)),
        column.value_counts().keys(),
    )
    for computed in taken:
        with pytest.warns(UserWarning, match="categories must be declared and not taken from the records, which a"):
            release(column, computed, [1, 1], 1)
    with pytest.raises(TypeError, match="categories must be a sequence of at least two single labels, got"):
        release(column, set(column), [1, 1], 1)
    with pytest.raises(TypeError, match="categories must be a sequence of at least two single labels"):
        release(column, [["a"], ["b"]], [1, 1], 1)


def test_labels_of_numpy_are_their_numbers_in_a_receipt():
    labels = [np.int64(1), np.int64(2), np.str_("x"), np.float64(0.5)]
    assert release([1, 2, "x"], labels, [1] * 4, 1).receipt["categories"] == [1, 2, "x", "0.5"]


BAD = {
    "a row that is too short": ("a,b\n1,x\n2\n", "as many fields in a row as in the header, 2, got 1 in line 3"),
    "a row that is too long": ("a,b\n1,x\n2,y,z\n", "as many fields in a row as in the header, 2, got 3 in line 3"),
    "NUL": ("a,b\n1,x\n2,\0y\n", "must be a file of text, got a NUL character in line 3"),
    "NUL elsewhere": ("a,b\n1,x\n2\0,y\n", "must be a file of text, got a NUL character in line 3"),
    "a field over two lines": (
        'a,b\n"1\n1",x\n',
        "every row on one line, got 'data.csv': unexpected end of data in line 2",
    ),
    "a stray quote that would merge rows": (
        'a,b\n"1,x\n2,y\n3",x\n',
        "every row on one line, got 'data.csv': unexpected end of data in line 2",
    ),
    "a stray quote in the column": ('a,b\n1,"x\n2,y\n3,"x\n4,y\n', "must be a CSV file"),
    "a quote without an end": ('a,b\n1,x\n2,"y\n', "must be a CSV file"),
    "a stray quote that would merge fields": ('a,b,c\n1,x,z\n2,"x,y,z"\n', "got 2 in line 3"),
    "text after a quote": ('a,b\n1,"x"y\n', "must be a CSV file"),
    "another encoding": ("a,b\n1,é\n".encode("latin-1"), "must be a file of UTF-8 text"),
    "an encoding of two bytes": ("a,b\n1,x\n".encode("utf-16"), "must be a file of UTF-8 text"),
    "a quote in the header": (
        '"a\nb",b\n1,x\n',
        "every row on one line, got 'data.csv': unexpected end of data in line 1",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_a_file_that_would_be_misread_is_refused_in_one_line(case, tmp_path, monkeypatch, capsys):
    content, message = BAD[case]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.csv").write_bytes(content if isinstance(content, bytes) else content.encode())
    assert failed(["release", "data.csv", "--column=b", "--categories=x,y", "--prior=1,1", "--epsilon=1",
                   "--out=out", "--budget=budget.db", "--limit=1"]) == 1  # fmt: skip
    told = capsys.readouterr()
    assert told.out == ""
    assert message in told.err
    assert len(told.err.splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["data.csv"]


def test_quotes_that_are_right_are_read(tmp_path):
    (tmp_path / "data.csv").write_text('a,b\n"1,5","x"\n2,"say ""x"""\n3,it"s\n\n4,\n', newline="\r\n")
    assert list(read_column(tmp_path / "data.csv", "b")) == ["x", 'say "x"', 'it"s', ""]
