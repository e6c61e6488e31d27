"""Fixtures shared by the tests of private chains, of the command line and of releases."""

import numpy as np
import pytest

from checkouts import checkout, in_this_process
from dpbi.publish import receipts


@pytest.fixture
def rng():
    return np.random.default_rng(20201005)


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A small checkout that the test stands in."""
    monkeypatch.chdir(checkout(tmp_path))
    return tmp_path


@pytest.fixture
def no_kernels(monkeypatch):
    """Notebooks run without a kernel, one after the other in this process."""
    monkeypatch.setattr("dpbi.cli.run.processes", in_this_process)


@pytest.fixture
def no_figures(monkeypatch):
    """Releases draw no figure, which takes most of their time."""
    monkeypatch.setattr(receipts, "_picture", lambda result: b"\x89PNG figure")


@pytest.fixture
def drawn(tmp_path, monkeypatch, request):
    """A folder with the FILES of a module of tests, where releases draw their figures."""
    monkeypatch.chdir(tmp_path)
    for name, content in request.module.FILES.items():
        (tmp_path / name).write_text(content)
    return tmp_path


@pytest.fixture
def here(drawn, no_figures):
    """The folder of data of a file of tests, without figures."""
    return drawn
