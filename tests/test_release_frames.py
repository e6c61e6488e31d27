"""Data frames, Arrow tables and Parquet files: every type of a column, missing values, and what cannot be read."""

import datetime
import decimal
import math

import pandas as pd
import pytest

from checkouts import failed
from dpbi.cli import main
from dpbi.publish import release_table, schema
from dpbi.publish.tables import tabulated

NUMBERS = {"categories": [1, 2], "missing": "drop"}
WORDS = {"categories": ["x", "y"], "missing": "drop"}
TRUTHS = {"categories": [True, False], "missing": "drop"}
CUTS = {"cuts": [1.5], "missing": "unknown"}


def counted(data, about, **more):
    asked = schema({"epsilon": "1", "margins": [1], "columns": {"a": about}, **more})
    (found,), _ = tabulated(data, asked)
    return found.tolist()


@pytest.mark.parametrize(
    ("values", "about", "expected"),
    [
        (pd.Series([1, None, 2, 2]), NUMBERS, [1, 2]),  # of doubles
        (pd.Series([1, None, 2, 2], dtype="Int64"), NUMBERS, [1, 2]),
        (pd.Series(["1.0", "", "2.0", "2"]), NUMBERS, [1, 2]),
        (pd.Series([1.0, -0.0]), {"categories": [0, 1]}, [1, 1]),
        (pd.Series([1.0, 2.5]), {"categories": [1.0, 2.5]}, [1, 1]),
        (pd.Series([True, None, False, True]), TRUTHS, [2, 1]),
        (pd.Series(["true", "", "FALSE"]), TRUTHS, [1, 1]),
        (pd.Series([1, None, 2]), CUTS, [1, 1, 1]),
        (pd.Series([math.nan, 3]), CUTS, [0, 1, 1]),
        (pd.Series(pd.Categorical(["x", None, "y"])), WORDS, [1, 1]),
        (pd.Series([-9.0, 1, None]), NUMBERS | {"blank": [-9]}, [1, 0]),
        (pd.Series(["NA", "1", "-9", ""]), CUTS | {"blank": ["NA", -9]}, [1, 0, 3]),
    ],
)
def test_values_are_counted_as_what_is_declared(values, about, expected, tmp_path):
    assert counted(pd.DataFrame({"a": values}), about) == expected
    pd.DataFrame({"n": 1, "a": values}).to_csv(tmp_path / "data.csv", index=False)
    assert counted(tmp_path / "data.csv", about) == expected


@pytest.mark.parametrize("value", [1.5, "01", "1e0", 2.0**60, "1.01", True])
def test_what_is_no_declared_whole_number_is_refused(value):
    with pytest.raises(ValueError, match="values of column a must be one of the declared categories 3, 4"):
        counted(pd.DataFrame({"a": [value]}), {"categories": [3, 4]})


def test_a_column_of_lists_is_refused():
    with pytest.raises(ValueError, match=r"values must be single labels, got \[1\] in row 1"):
        counted(pd.DataFrame({"a": [[1], [2]]}), NUMBERS)


def test_missing_numbers_may_be_a_category_and_a_receipt_says_so():
    columns = {"a": CUTS | {"blank": ["NA"]}}
    done = release_table(
        pd.DataFrame({"a": [1, None, 2]}), schema({"epsilon": "1", "margins": [1], "columns": columns})
    )
    said = {"categories": ["below 1.5", "1.5 on", "unknown"], "cuts": [1.5], "missing": "unknown", "blank": ["NA"]}
    assert done.receipt["columns"]["a"] == said
    assert done.questions[0].receipt["categories"] == said["categories"]


# Arrow and Parquet


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


@pytest.mark.parametrize(
    ("kind", "values", "about", "expected"),
    [
        ("int8", [1, 2, None, 1], NUMBERS, [2, 1]),
        ("uint32", [1, 2, None, 1], NUMBERS, [2, 1]),
        ("int64", [2**53 + 1, None, 2**53], {"categories": [2**53 + 1, 2**53], "missing": "drop"}, [1, 1]),
        ("float32", [1, 2, None, math.nan], NUMBERS, [1, 1]),
        ("float64", [1, 2, None, math.nan], CUTS, [1, 1, 2]),
        ("string", ["x", " y", None, "", "x"], WORDS, [2, 1]),
        ("large_string", ["x", "y", None], WORDS, [1, 1]),
        ("bool_", [True, None, False], TRUTHS, [1, 1]),
        ("null", [None, None], {"categories": ["x", "y"], "missing": "y"}, [0, 2]),
        ("date32", [datetime.date(2026, 1, 1), None], {"categories": ["2026-01-01", "-"], "missing": "-"}, [1, 1]),
    ],
)
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
        with pytest.raises(ValueError, match=r"values must be single labels, got .* in row 1"):
            both(pa, pa.array(values), NUMBERS, tmp_path)
    with pytest.raises(ValueError, match="must be one of the declared categories x, y, got"):
        both(pa, pa.array([b"x"]), WORDS, tmp_path)


def test_a_table_in_several_files_is_one(pa, tmp_path):
    from pyarrow import parquet

    parquet.write_to_dataset(pa.table({"a": [1, 2, 1], "p": ["x", "y", "x"]}), tmp_path / "data", partition_cols=["p"])
    asked = schema({"epsilon": "1", "margins": [2], "columns": {"a": NUMBERS, "p": WORDS}})
    assert tabulated(tmp_path / "data", asked)[0][0].tolist() == [2, 0, 0, 1]


def test_a_file_that_is_no_parquet_file_costs_nothing(pa, tmp_path, monkeypatch, capsys):
    from pyarrow import parquet

    monkeypatch.chdir(tmp_path)
    (tmp_path / "schema.toml").write_text('epsilon = "1"\nmargins = [1]\n[columns.a]\ncategories = [1, 2]\n')
    parquet.write_table(pa.table({"a": [1, 2] * 500}), "whole.parquet")
    whole = (tmp_path / "whole.parquet").read_bytes()
    files = {
        "text.parquet": b"a\n1\n2\n",
        "empty.parquet": b"",
        "cut.parquet": whole[: len(whole) // 2],
        "spoilt.parquet": whole[:10] + b"\xff" * 50 + whole[60:],
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    parquet.write_table(pa.Table.from_arrays([pa.array([1]), pa.array([1])], ["a", "a"]), "twice.parquet")
    parquet.write_table(pa.table({"b": [1]}), "other.parquet")
    before = sorted(tmp_path.iterdir())
    command = ["--schema=schema.toml", "--out=out", "--budget=budget.db", "--limit=1"]
    for name, message in [
        *((name, f"data must be a Parquet file, got '{name}'") for name in files),
        ("twice.parquet", "data must be a Parquet file, got 'twice.parquet'"),
        ("other.parquet", "column must be the name of one column, of b, got 'a'"),
        ("absent.parquet", "dpbi: absent.parquet: No such file or directory"),
    ]:
        assert failed(["release", name, *command]) == 1
        told = capsys.readouterr()
        assert message in told.err
        assert len(told.err.splitlines()) == 1
        assert sorted(tmp_path.iterdir()) == before
    assert main(["release", "whole.parquet", *command]) == 0
    assert "1000 rows, 1 questions" in capsys.readouterr().out


def test_where_pyarrow_is_not_there_it_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    (tmp_path / "data.parquet").write_bytes(b"PAR1")
    with pytest.raises(ValueError, match="pip install pyarrow"):
        counted(tmp_path / "data.parquet", NUMBERS)


def test_arrow_columns_of_pandas_are_read(pa):
    table = pa.table({"a": [1, None, 2], "b": [[1], [2], [3]]}).to_pandas(types_mapper=pd.ArrowDtype)
    assert counted(table, NUMBERS) == [1, 1]
    with pytest.raises(ValueError, match="values must be single labels"):
        counted(table.rename(columns={"b": "a", "a": "b"}), NUMBERS)
