"""For all tests, and the kernels that they begin."""

import gc
import os

import pytest


def pytest_configure():
    """Let processes and kernels have one thread: several run at once, and more would be busy waiting for each other."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """What is collected stays: to look through it for garbage again and again takes as long as to collect it."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()
