"""What the tests of the command share."""

import pytest

from checkouts import checkout

collect_ignore = ["kernel_imports.py"]  # only the kernels of the tests import it


@pytest.fixture
def root(tmp_path, tmp_path_factory, monkeypatch):
    """A small checkout that the test stands in, and a cache of its own."""
    monkeypatch.setenv("DPBI_CACHE", str(tmp_path_factory.mktemp("cache")))
    monkeypatch.chdir(checkout(tmp_path))
    return tmp_path
