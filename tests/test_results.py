"""Recorded results are read back unchanged or not at all, and files are written completely or stay unchanged."""

import json
import math
import os
import sys

import numpy as np
import pandas as pd
import pytest

from dpbi.files import write_whole
from dpbi.results import provenance, read, record


def test_a_record_comes_back_as_it_was(tmp_path):
    table = pd.DataFrame({"n": [1, 2], "loss": [0.5, math.inf]})
    path = record(
        "foundations/example", {"prior": np.array([1.0, 2.0]), "n": np.int64(3)},
        scalars={"loss": np.float64(0.1), "unbounded": math.inf, "kept": np.bool_(True), "word": "proved"},
        tables={"losses": table}, outdir=tmp_path,
    )  # fmt: skip
    assert path == tmp_path / "foundations" / "example.json"
    found = read(path)
    assert found.name == "foundations/example"
    assert found.parameters == {"prior": [1.0, 2.0], "n": 3}
    assert found.scalars == {"loss": 0.1, "unbounded": math.inf, "kept": True, "word": "proved"}
    assert found.tables == {"losses": {"n": [1, 2], "loss": [0.5, math.inf]}}
    assert found.versions["python"] == ".".join(map(str, sys.version_info[:3]))
    assert found.made == {}


def test_the_file_is_strict_json_and_the_same_each_time(tmp_path):
    first, second = (record("example", {}, scalars={"nothing": math.nan}, outdir=tmp_path / at) for at in ("a", "b"))
    json.loads(first.read_text(), parse_constant=pytest.fail)
    assert math.isnan(read(first).scalars["nothing"])
    assert first.read_bytes() == second.read_bytes()


def test_without_a_folder_nothing_is_written_but_all_checked(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert record("example", {}, scalars={"loss": 1.0}) is None
    assert not list(tmp_path.iterdir())
    with pytest.raises(TypeError, match="loss"):
        record("example", {}, scalars={"loss": object()})


def test_a_kept_result_says_how_it_was_made_in_a_sentence(tmp_path):
    kept = read(record("example", {}, outdir=tmp_path, command="make times"))
    date, sentence = kept.made["date"], provenance(kept)
    assert f'<time datetime="{date}">{date}</time>' in sentence
    for part in ("`make times`", kept.made["machine"], f"numpy {kept.versions['numpy']}"):
        assert part in sentence


@pytest.mark.parametrize(("arguments", "error", "said"), [
    ({"name": "../elsewhere"}, ValueError, "name must be identifiers"),
    ({"scalars": {"losses": [1, 2]}}, TypeError, "scalars must be numbers"),
    ({"tables": {"t": {"a": [1], "b": [1, 2]}}}, ValueError, "tables must have columns of one length"),
    ({"parameters": {"when": object()}}, TypeError, "when must be numbers"),
])  # fmt: skip
def test_what_cannot_be_recorded_is_refused_by_name(arguments, error, said, tmp_path):
    with pytest.raises(error, match=said):
        record(**{"name": "example", "parameters": {}, "outdir": tmp_path, **arguments})
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_what_cannot_be_written_leaves_the_file_as_it_was(tmp_path, monkeypatch, step):
    path = tmp_path / "file"
    write_whole(path, "old")

    def broken(*arguments):
        raise OSError("the disk is gone")

    monkeypatch.setattr(os, step, broken)
    with pytest.raises(OSError, match="the disk is gone"):
        write_whole(path, "new")
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("file", "old")]
