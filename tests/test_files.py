"""Files are whole or as they were."""

import os

import pytest

from dpbi.files import write_whole


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
