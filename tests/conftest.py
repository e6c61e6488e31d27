"""What the tests of the command share."""

import pytest

from checkouts import checkout


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A small checkout that the test stands in."""
    monkeypatch.chdir(checkout(tmp_path))
    return tmp_path
