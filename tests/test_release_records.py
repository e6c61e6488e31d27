"""Input formats of records: files, lists, frames, Arrow and Parquet; missing values; ambiguous input is rejected."""

import csv
import datetime
import decimal
import math

import numpy as np
import pandas as pd
import pytest

from checkouts import error_line
from dpbi.cli import main
from dpbi.publish import read_column, release, release_table, schema
from dpbi.publish.schemas import tabulated

NONE = [None, "", math.nan, np.nan, np.float32("nan"), pd.NA, pd.NaT, np.datetime64("NaT"), np.ma.masked,
        decimal.Decimal("nan"), decimal.Decimal("sNaN")]  # fmt: skip

DAYS = [pd.Timestamp("2026-01-01"), pd.Timestamp("2026-01-02")]


@pytest.mark.parametrize("value", NONE, ids=lambda value: type(value).__name__)
def test_every_kind_of_missing_value_follows_the_rule(value):
    assert release(["a", value, "b"], ["a", "b"], [1, 1], 1, missing="drop").receipt["n"] == 2
    assert release(["a", value, "b"], ["a", "b", "?"], [1, 1, 1], 1, missing="?").receipt["n"] == 3
    with pytest.raises(ValueError, match=r"values must not be missing .* in row 2"):
        release(["a", value, "b"], ["a", "b"], [1, 1], 1)


@pytest.mark.parametrize(("column", "labels"), [
    (pd.Series([1, None, 2], dtype="Int64"), [1, 2]),
    (pd.Series(["a", None, "b"], dtype="category"), ["a", "b"]),
    (pd.Index(["a", None, "b"]), ["a", "b"]),
    (pd.Series(pd.to_datetime(["2026-01-01", None, "2026-01-02"])), DAYS),
    (np.ma.masked_array([1, 9, 2], [False, True, False]), [1, 2]),
], ids=lambda value: str(getattr(value, "dtype", "")))  # fmt: skip
def test_missing_values_of_pandas_and_numpy_are_left_out(column, labels):
    assert release(column, labels, [1, 1], 1, missing="drop").receipt["n"] == 2


WRONG = {
    "a text": ("yes", r"got str: use read_column\(path, name\) for a file"),
    "bytes": (b"yes", "got bytes"), "a mapping": ({"ann": "a", "bob": "b"}, "got dict"),
    "a frame": (pd.DataFrame({"v": ["a", "b"]}), r"got DataFrame: .* values\[name\] for a table"),
    "a set": ({"a", "b"}, "got set"), "a matrix": (np.array([["a", "b"]]), "got ndarray"), "a number": (5, "got int"),
    "lists": ([["a"], ["b"]], "values must be single labels"),
}  # fmt: skip


@pytest.mark.parametrize("kind", WRONG)
def test_wrong_data_is_refused_with_the_right_call(kind, tmp_path):
    values, message = WRONG[kind]
    with pytest.raises((TypeError, ValueError), match=message):
        release(values, ["a", "b"], [1, 1], 1, budget=tmp_path / "budget.db", limit=1)
    assert not list(tmp_path.iterdir())


def test_categories_taken_from_the_records_are_refused():
    column = pd.Series(["a", "b", "b"])
    taken = (
        column.unique(), pd.Index(["a", "b"]), np.unique(column.to_numpy(dtype=object)), column.value_counts().keys(),
    )  # fmt: skip
    for computed in taken:
        with pytest.raises(ValueError, match="declared and not taken from the records"):
            release(column, computed, [1, 1], 1)
    for wrong in (set(column), [["a"], ["b"]], "ab"):
        with pytest.raises(ValueError, match="categories must be at least two labels"):
            release(column, wrong, [1, 1], 1)


def test_labels_of_numpy_are_their_numbers_in_a_receipt():
    labels = [np.int64(1), np.int64(2), np.str_("x"), np.float64(0.5)]
    assert release([1, 2, "x"], labels, [1] * 4, 1).receipt["categories"] == [1, 2, "x", "0.5"]


BAD = {
    "a row that is too short": ("a,b\n1,x\n2\n", "as many fields in a row as in the header, 2, got 1 in line 3"),
    "a row that is too long": ("a,b\n1,x\n2,y,z\n", "as many fields in a row as in the header, 2, got 3 in line 3"),
    "NUL": ("a,b\n1,x\n2,\0y\n", "must be a text file, got a NUL character in line 3"),
    "a stray quote that would merge rows": ('a,b\n"1,x\n2,y\n3",x\n',
        "must have no line within quotes that could be a row of its own, got one in lines 2 to 4"),
    "a pair of stray quotes": ('a,b\n1,"x\n2,y"\n3,x\n', "could be a row of its own, got one in lines 2 to 3"),
    "a stray quote in the column": ('a,b\n1,"x\n2,y\n3,"x\n4,y\n', "must be a CSV file"),
    "a quote without an end": ('a,b\n1,x\n2,"y\n', "must be a CSV file"),
    "a stray quote that would merge fields": ('a,b,c\n1,x,z\n2,"x,y,z"\n', "got 2 in line 3"),
    "text after a quote": ('a,b\n1,"x"y\n', "must be a CSV file"),
    "a spreadsheet": (b"PK\3\4\xff", "save it as a CSV file"),
    "another encoding": ("a,b\n1,é\n".encode("latin-1"), "'iconv -f LATIN1 -t UTF-8' converts it"),
    "two bytes a letter": ("a,b\n1,é\n".encode("utf-16"), "'iconv -f UTF-16 -t UTF-8' converts it"),
    "a quote in the header": ('"a\nb",b,"c\n1,x,z\n', "whose quotes are in pairs, got 'data.csv': unexpected end"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_a_file_that_would_be_misread_is_refused_in_one_line(case, tmp_path, monkeypatch, capsys):
    content, message = BAD[case]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.csv").write_bytes(content if isinstance(content, bytes) else content.encode())
    where = ["--out=out", "--budget=budget.db", "--limit=1"]
    command = ["release", "data.csv", "--column=b", "--categories=x,y", "--prior=1,1", "--epsilon=1", *where]
    assert message in error_line(capsys, *command)
    assert [path.name for path in tmp_path.iterdir()] == ["data.csv"]


def test_quotes_that_are_right_are_read(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text('\ufeffa, b\n"1,5","x"\n2,"say ""x"""\n3,it"s\n\n4, \n', "utf-8", newline="\r\n")
    assert list(read_column(path, "a")) == ["1,5", "2", "3", "4"]
    assert list(read_column(path, "b")) == ["x", 'say "x"', 'it"s', ""]


@pytest.mark.parametrize("sign", [",", ";", "\t"])
def test_lines_within_quotes_and_other_separators_are_read(sign, tmp_path):
    path = tmp_path / "data.csv"
    rows = [["a", "a\nremark", "b"], ["1", f"two{sign} in\n\nall", "x"], ["2", "", "y"], ["3", "one\n", "x, z; \tz"]]
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file, delimiter=sign).writerows(rows)
    found = read_column(path, "b")
    assert (list(found), found.lines) == (["x", "y", "x, z; \tz"], [3, 6, 7])


NUMBERS = {"categories": [1, 2], "missing": "drop"}
WORDS = {"categories": ["x", "y"], "missing": "drop"}
TRUTHS = {"categories": [True, False], "missing": "drop"}
CUTS = {"cuts": [1.5], "missing": "unknown"}


def counted(data, about, **more):
    asked = schema({"epsilon": "1", "margins": [1], "columns": {"a": about}, **more})
    (found,), _ = tabulated(data, asked)
    return found.tolist()


@pytest.mark.parametrize(("values", "about", "expected"), [
    (pd.Series([1, None, 2, 2]), NUMBERS, [1, 2]),  # of doubles
    (pd.Series([1, None, 2, 2], dtype="Int64"), NUMBERS, [1, 2]),
    (pd.Series(["1.0", "", "2.0", "2"]), NUMBERS, [1, 2]), (pd.Series([1.0, -0.0]), {"categories": [0, 1]}, [1, 1]),
    (pd.Series([1.0, 2.5]), {"categories": [1.0, 2.5]}, [1, 1]), (pd.Series([True, None, False, True]), TRUTHS, [2, 1]),
    (pd.Series(["true", "", "FALSE"]), TRUTHS, [1, 1]), (pd.Series([1, None, 2]), CUTS, [1, 1, 1]),
    (pd.Series([math.nan, 3]), CUTS, [0, 1, 1]),
    (pd.Series(pd.Categorical(["x", None, "y"])), WORDS, [1, 1]),
    (pd.Series([-9.0, 1, None]), NUMBERS | {"blank": [-9]}, [1, 0]),
    (pd.Series(["NA", "1", "-9", ""]), CUTS | {"blank": ["NA", -9]}, [1, 0, 3]),
])  # fmt: skip
def test_values_are_counted_as_what_is_declared(values, about, expected, tmp_path):
    assert counted(pd.DataFrame({"a": values}), about) == expected
    pd.DataFrame({"n": 1, "a": values}).to_csv(tmp_path / "data.csv", index=False)
    assert counted(tmp_path / "data.csv", about) == expected


@pytest.mark.parametrize("value", [1.5, "01", "1e0", 2.0**60, "1.01", True])
def test_undeclared_whole_numbers_are_refused(value):
    with pytest.raises(ValueError, match="column a must be one of the declared categories"):
        counted(pd.DataFrame({"a": [value]}), {"categories": [3, 4]})


def test_a_column_of_lists_is_refused():
    with pytest.raises(ValueError, match=r"values must be single labels, .* in row 1"):
        counted(pd.DataFrame({"a": [[1], [2]]}), NUMBERS)


def test_missing_numbers_may_be_a_category_and_a_receipt_says_so():
    columns = {"a": CUTS | {"blank": ["NA"]}}
    asked = schema({"epsilon": "1", "margins": [1], "columns": columns})
    done = release_table(pd.DataFrame({"a": [1, None, 2]}), asked)
    said = {"categories": ["below 1.5", "1.5 on", "unknown"], "cuts": [1.5], "missing": "unknown", "blank": ["NA"]}
    assert done.receipt["columns"]["a"] == said
    assert done.questions[0].receipt["categories"] == said["categories"]


@pytest.fixture(scope="module")
def pa():
    return pytest.importorskip("pyarrow")


def both(pa, column, about, folder):
    """The counts of a table of Arrow, and of the Parquet file that is made of it."""
    from pyarrow import parquet

    table = pa.table({"a": column})
    parquet.write_table(table, folder / "data.parquet")
    found = counted(table, about)
    assert counted(folder / "data.parquet", about) == found
    return found


@pytest.mark.parametrize(("kind", "values", "about", "expected"), [
    ("int8", [1, 2, None, 1], NUMBERS, [2, 1]), ("uint32", [1, 2, None, 1], NUMBERS, [2, 1]),
    ("int64", [2**53 + 1, None, 2**53], {"categories": [2**53 + 1, 2**53], "missing": "drop"}, [1, 1]),
    ("float32", [1, 2, None, math.nan], NUMBERS, [1, 1]), ("float64", [1, 2, None, math.nan], CUTS, [1, 1, 2]),
    ("string", ["x", " y", None, "", "x"], WORDS, [2, 1]), ("large_string", ["x", "y", None], WORDS, [1, 1]),
    ("bool_", [True, None, False], TRUTHS, [1, 1]),
    ("null", [None, None], {"categories": ["x", "y"], "missing": "y"}, [0, 2]),
    ("date32", [datetime.date(2026, 1, 1), None], {"categories": ["2026-01-01", "-"], "missing": "-"}, [1, 1]),
])  # fmt: skip
def test_every_type_of_a_column_is_read(pa, kind, values, about, expected, tmp_path):
    assert both(pa, pa.array(values, getattr(pa, kind)()), about, tmp_path) == expected


def test_dictionaries_and_decimals_are_read(pa, tmp_path):
    coded = pa.array(["x", "y", None, "x"], pa.dictionary(pa.int8(), pa.string()))
    assert both(pa, coded, WORDS, tmp_path) == [2, 1]
    amounts = pa.array([decimal.Decimal("1.00"), None, decimal.Decimal("2.00")])
    assert both(pa, amounts, NUMBERS, tmp_path) == [1, 1]
    assert both(pa, amounts, CUTS, tmp_path) == [1, 1, 1]
    # a value twice and none among the values, which a file cannot hold
    odd = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 3, None]), pa.array(["x", "y", "x", None]))
    assert counted(pa.table({"a": odd}), WORDS) == [2, 1]
    parts = [pa.table({"a": pa.array(part, pa.dictionary(pa.int8(), pa.string()))}) for part in (["x"], ["y", "x"])]
    assert counted(pa.concat_tables(parts), WORDS) == [2, 1]


def test_nested_columns_and_bytes_are_refused(pa, tmp_path):
    for values in ([[1], [2]], [{"x": 1}]):
        with pytest.raises(ValueError, match=r"values must be single labels, .* in row 1"):
            both(pa, pa.array(values), NUMBERS, tmp_path)
    with pytest.raises(ValueError, match="must be one of the declared categories"):
        both(pa, pa.array([b"x"]), WORDS, tmp_path)


def test_a_file_that_is_no_parquet_file_costs_nothing(pa, tmp_path, monkeypatch, capsys):
    from pyarrow import parquet

    monkeypatch.chdir(tmp_path)
    (tmp_path / "schema.toml").write_text('epsilon = "1"\nmargins = [1]\n[columns.a]\ncategories = [1, 2]\n')
    parquet.write_table(pa.table({"a": [1, 2] * 500}), "whole.parquet")
    whole = (tmp_path / "whole.parquet").read_bytes()
    files = {
        "text.parquet": b"a\n1\n2\n", "empty.parquet": b"", "cut.parquet": whole[: len(whole) // 2],
        "spoilt.parquet": whole[:10] + b"\xff" * 50 + whole[60:],
    }  # fmt: skip
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    parquet.write_table(pa.Table.from_arrays([pa.array([1]), pa.array([1])], ["a", "a"]), "twice.parquet")
    parquet.write_table(pa.table({"b": [1]}), "other.parquet")
    before = sorted(tmp_path.iterdir())
    command = ["--schema=schema.toml", "--out=out", "--budget=budget.db", "--limit=1"]
    for name, message in [
        *((name, "data must be a Parquet file") for name in [*files, "twice.parquet"]),
        ("other.parquet", "column must be the name of one column, of b"),
        ("absent.parquet", "absent.parquet: No such file or directory"),
    ]:
        assert message in error_line(capsys, "release", name, *command)
        assert sorted(tmp_path.iterdir()) == before
    assert main(["release", "whole.parquet", *command]) == 0
    assert "1000 rows, 1 questions" in capsys.readouterr().out


def test_missing_pyarrow_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    (tmp_path / "data.parquet").write_bytes(b"PAR1")
    with pytest.raises(ModuleNotFoundError, match="pip install pyarrow"):
        counted(tmp_path / "data.parquet", NUMBERS)
