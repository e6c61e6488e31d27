"""For every test that begins a kernel, nbval's and papermill's included: its sockets are files that no other can take.

Ports are chosen before they are bound, and several test processes begin kernels at once.
"""

import shutil
import sys
import tempfile
import uuid
from pathlib import Path

from jupyter_client.manager import KernelManager

FOLDER = tempfile.mkdtemp(prefix="dpbi-")
begin = KernelManager.__init__


def begin_with_files(self, *arguments, **settings):
    """Make a manager; one that nobody told how to talk to its kernel gets files of its own."""
    begin(self, *arguments, **settings)
    if self.transport == "tcp" and sys.platform != "win32":
        self.transport, self.ip = "ipc", str(Path(FOLDER, uuid.uuid4().hex[:12]))


def pytest_configure():
    """Before the first test, in every process of them."""
    KernelManager.__init__ = begin_with_files


def pytest_unconfigure():
    """After the last one."""
    KernelManager.__init__ = begin
    shutil.rmtree(FOLDER, ignore_errors=True)
