"""Files are whole or as they were, and a folder has one holder, whom the system forgets when it dies."""

import os
import subprocess
import sys
import time

import pytest

from dpbi.files import held, write_whole

HOLDER = """
import sys, time
from pathlib import Path
from dpbi.files import held
with held(Path(sys.argv[1]), 0, ValueError("busy")):
    print("held", flush=True)
    time.sleep(600)
"""


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


@pytest.fixture
def holder(tmp_path):
    with subprocess.Popen([sys.executable, "-c", HOLDER, tmp_path], stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"held\n"
        yield process
        process.kill()


def test_a_folder_that_is_held_is_refused_after_as_long_as_was_said(tmp_path, holder):
    begun = time.monotonic()
    with pytest.raises(TimeoutError, match="busy"), held(tmp_path, 0.2, TimeoutError("busy")):
        pass
    assert time.monotonic() - begun >= 0.2


@pytest.mark.skipif(sys.platform == "win32", reason="a file is locked there")
def test_a_folder_is_free_when_its_holder_dies_and_nothing_is_left_in_it(tmp_path, holder):
    holder.kill()
    with held(tmp_path, 60, TimeoutError("busy")):
        assert list(tmp_path.iterdir()) == []
