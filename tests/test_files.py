"""Files are whole or as they were."""

import os
import sys

import pytest

from dpbi.files import write_whole


def test_a_file_is_new_and_whole(tmp_path):
    path = tmp_path / "file"
    write_whole(path, "né")
    write_whole(path, b"new")
    assert [(file.name, file.read_bytes()) for file in tmp_path.iterdir()] == [("file", b"new")]


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


@pytest.mark.skipif(sys.platform == "win32", reason="needs modes")
def test_a_file_may_be_kept_from_others(tmp_path):
    write_whole(tmp_path / "file", "mine", mode=0o600)
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o600
