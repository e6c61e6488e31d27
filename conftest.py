"""For all tests, and above all for those that begin a kernel, nbval's and papermill's included.

The sockets of a kernel are files that no other can take: ports are chosen before they are bound, and several test
processes begin kernels at once. On Linux it is forked from a process that has imported the packages, as those of
``dpbi sweep`` are.
"""

import gc
import os
import shutil
import sys
import tempfile
import uuid
from multiprocessing import forkserver
from pathlib import Path
from unittest import mock

import pytest
from jupyter_client.asynchronous import AsyncKernelClient
from jupyter_client.blocking import BlockingKernelClient
from jupyter_client.manager import KernelManager
from jupyter_client.utils import run_sync

from dpbi.cli.kernels import ONE_THREAD, QUICKLY, QUIET, Forked, ready, soon

AS_ON_PAGES = "--InlineBackend.figure_formats=set()"
"""Has a kernel draw figures as the pages of the book show them, and not as points too: nobody compares those."""

FOLDER = tempfile.mkdtemp(prefix="dpbi-")
TESTS = Path(__file__).parent / "tests"
begin, prepare, wait = KernelManager.__init__, KernelManager._async_pre_start_kernel, KernelManager._async_wait
client = KernelManager.client
server = forkserver.ForkServer()
"""It is none of those of ``dpbi sweep``, which come and go with their sweeps."""


def begin_with_files(self, *arguments, **settings):
    """Make a manager; one that nobody told how to talk to its kernel gets files of its own."""
    begin(self, *arguments, **settings)
    if self.transport == "tcp" and sys.platform != "win32":
        self.transport, self.ip = "ipc", str(Path(FOLDER, uuid.uuid4().hex[:12]))


class Imported(Forked):
    """A kernel that is forked from the process of these tests that has imported the packages."""

    async def launch_kernel(self, cmd, **arguments):
        with mock.patch.object(forkserver, "connect_to_new_process", server.connect_to_new_process):
            return await super().launch_kernel([*cmd, AS_ON_PAGES], **{"cwd": os.getcwd()} | arguments)


async def prepare_to_fork(self, **arguments):
    """Prepare a kernel; one that talks over the files of these tests is forked."""
    if sys.platform == "linux" and self.provisioner is None and self.ip.startswith(FOLDER):
        serve()
        self.kernel_id = self.kernel_id or str(uuid.uuid4())
        self.provisioner = Imported(kernel_id=self.kernel_id, kernel_spec=self.kernel_spec, parent=self)
    return await prepare(self, **arguments)


def serve():
    """Begin the process that kernels are forked from, if it does not run."""
    paths = os.pathsep.join(filter(None, [str(TESTS), os.environ.get("PYTHONPATH", "")]))
    settings = ONE_THREAD | QUIET | {"MPLBACKEND": "module://matplotlib_inline.backend_inline", "PYTHONPATH": paths}
    server.set_forkserver_preload(["kernel_imports"])
    with mock.patch.dict(os.environ, settings):
        server.ensure_running()


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """What is collected stays: to look through it for garbage again and again takes as long as to collect it."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


async def wait_little(self, pollinterval=QUICKLY):
    """Wait for the end of a kernel as the command does, and look as often."""
    await wait(self, QUICKLY)


def client_soon(self, **arguments):
    """Make a client that talks to its kernel as soon as it is there."""
    return soon(client(self, **arguments))


changed = [
    mock.patch.multiple(
        KernelManager,
        __init__=begin_with_files,
        _async_pre_start_kernel=prepare_to_fork,
        _async_wait=wait_little,
        client=client_soon,
    ),
    mock.patch.object(AsyncKernelClient, "wait_for_ready", ready),
    mock.patch.object(BlockingKernelClient, "wait_for_ready", run_sync(ready)),
]


def pytest_configure():
    """Change what begins kernels, before the first test of a process; the processes that it begins have one thread."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # more would be busy waiting for each other
    for change in changed:
        change.start()


def pytest_unconfigure():
    """After the last one."""
    for change in changed:
        change.stop()
    server._stop()
    shutil.rmtree(FOLDER, ignore_errors=True)
