"""Kernels for many runs at once: quick to begin, one thread each, and all stopped together.

Most of a short run is a new Python that imports the same packages again. On Linux the kernels of a sweep are instead
forked from one process that has imported them and has done nothing else: each is as new as one that begins by itself.
"""

import ast
import asyncio
import gc
import json
import multiprocessing
import os
import signal
import sys
import time
import uuid
from contextlib import suppress
from multiprocessing import forkserver
from pathlib import Path
from queue import Empty
from threading import Event, Lock
from typing import Any

import zmq
from jupyter_client.asynchronous.client import AsyncKernelClient
from jupyter_client.manager import AsyncKernelManager
from jupyter_client.provisioning.local_provisioner import LocalProvisioner
from jupyter_core.utils import ensure_async
from traitlets import Bool, Float, Type
from traitlets.config import Config

ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
)
"""As many kernels run as there are cores: more threads in one would only take turns with those in another."""

QUIET = {"PYDEVD_DISABLE_FILE_VALIDATION": "1"}
"""Has the debugger that every kernel imports not warn that it may miss breakpoints in what is frozen."""

SAFE = {"dpbi", "numpy", "scipy", "matplotlib", "IPython"}
"""Packages that begin no thread when they are imported, as long as ``ONE_THREAD`` is set, and do not look around.

(pandas looks for a terminal, and prints tables in other ways if it finds none.)
"""

QUICKLY = 0.01
"""Seconds after which it is looked again whether a kernel that was asked to end has ended."""

RUNNING: set[int] = set()
"""The processes of the kernels that run now."""

LONGEST = 85
"""Bytes in the name of a folder for sockets; with their own names systems allow 103."""

STOPPED = Event()
"""Set when no kernel shall run any more."""

_beginning = Lock()


def prepare(notebook: str) -> None:
    """Begin the process that the kernels for this notebook are forked from, in place of an earlier one."""
    if sys.platform != "linux" or multiprocessing.current_process().daemon:
        return  # a daemon, such as a worker of Dask, may have no children that multiprocessing made
    with _beginning:
        forkserver._forkserver._stop()  # type: ignore[attr-defined]  # it has the code of its time
        before = dict(os.environ)
        os.environ.update(ONE_THREAD | QUIET, MPLBACKEND="module://matplotlib_inline.backend_inline")
        try:
            # the last two are otherwise imported by each kernel, when it uses them
            own = ["ipykernel.kernelapp", "dpbi.cli", "ipykernel.debugger", "scipy.optimize"]
            multiprocessing.set_forkserver_preload([*own, *imported(notebook)])
            forkserver.ensure_running()
        finally:
            os.environ.clear()
            os.environ.update(before)


def imported(notebook: str) -> list[str]:
    """The safe modules that the cells of a notebook import; a name imported from one may be a module too."""
    names = []
    for cell in json.loads(notebook)["cells"]:
        if cell["cell_type"] == "code":
            try:
                lines = ast.parse("".join(cell["source"])).body
            except SyntaxError:  # a magic, or an error that the run will show
                continue
            for line in lines:
                if isinstance(line, ast.Import):
                    names += [alias.name for alias in line.names]
                elif isinstance(line, ast.ImportFrom) and line.module and not line.level:
                    names += [line.module, *(f"{line.module}.{alias.name}" for alias in line.names)]
    return [name for name in dict.fromkeys(names) if name.partition(".")[0] in SAFE]


def sockets(folder: str) -> Config:
    """The setting by which a kernel is talked to over files in a folder, which no other kernel can take.

    Ports are chosen before they are bound: of two kernels that begin at once, one may find its port taken, or be asked
    what is meant for the other. Where a system has no such files, or the folder's name is too long for them, it is
    ports all the same.
    """
    if sys.platform == "win32" or len(os.fsencode(folder)) > LONGEST:
        return Config()
    return Config(KernelManager={"transport": "ipc", "ip": str(Path(folder, "socket"))})


def soon(client: Any) -> Any:
    """The client, which looks for its kernel every hundredth of a second, and not every tenth."""
    client.context.setsockopt(zmq.RECONNECT_IVL, 10)
    return client


async def ready(client: Any, timeout: float | None = None) -> None:
    """Wait until a kernel has answered a question and said, where it says what it does, that it is done with it.

    Then there is nothing more to come, and no need to listen until it has been silent for some time.
    """
    begun, patience = time.monotonic(), 0.02
    while True:
        question = client.kernel_info()
        with suppress(Empty):
            await heard(client.shell_channel, question, "kernel_info_reply", patience)
            return await heard(client.iopub_channel, question, "idle", patience)
        patience = min(2 * patience, 1.0)  # it may have been said before the channel was open: the next question tells
        if not await client._async_is_alive():
            raise RuntimeError("Kernel died before replying to kernel_info")
        if timeout is not None and time.monotonic() - begun > timeout:
            raise RuntimeError(f"Kernel didn't respond in {timeout:g} seconds")


async def heard(channel: Any, question: str, answer: str, patience: float) -> None:
    """Wait for the answer to a question; ``Empty`` is raised if nothing at all is heard for so many seconds."""
    while True:
        message = await ensure_async(channel.get_msg(timeout=patience))
        said = {message["msg_type"], message["content"].get("execution_state")}
        if message["parent_header"].get("msg_id") == question and answer in said:
            return


class Client(AsyncKernelClient):
    """Whoever talks to a kernel."""

    wait_for_ready = ready


class Kernel(AsyncKernelManager):
    """The manager of one kernel, for ``nbclient``: forked if that can be, with one thread, unless it runs alone."""

    client_factory = Type(Client, klass=AsyncKernelClient)
    alone = Bool(False, config=True, help="whether it may use every core")
    seconds = Float(None, allow_none=True, config=True, help="after how many it is killed")
    _limit: asyncio.TimerHandle | None = None

    def client(self, **arguments: Any) -> Any:
        """A client that talks to the kernel as soon as it is there."""
        return soon(super().client(**arguments))

    async def _async_pre_start_kernel(self, **arguments: Any) -> Any:
        if forkserver._forkserver._forkserver_pid is not None and not self.alone:  # type: ignore[attr-defined]
            self.kernel_id = self.kernel_id or str(uuid.uuid4())
            self.provisioner = Forked(kernel_id=self.kernel_id, kernel_spec=self.kernel_spec, parent=self)
        return await super()._async_pre_start_kernel(**arguments)

    async def _async_launch_kernel(self, kernel_cmd: list[str], **arguments: Any) -> None:
        if not self.alone:
            arguments["env"].update(ONE_THREAD)
        await super()._async_launch_kernel(kernel_cmd, **arguments)
        process = getattr(self.provisioner, "pid", 0)
        RUNNING.add(process)
        if self.seconds is not None:
            self._limit = asyncio.get_running_loop().call_later(self.seconds, kill, process)
        if STOPPED.is_set() and not self.alone:
            stop_all()

    async def _async_wait(self, pollinterval: float = 0.1) -> None:
        await super()._async_wait(QUICKLY)

    async def _async_cleanup_resources(self, restart: bool = False) -> None:
        if self._limit is not None:
            self._limit.cancel()
        RUNNING.discard(getattr(self.provisioner, "pid", 0))
        await super()._async_cleanup_resources(restart)

    cleanup_resources = _async_cleanup_resources  # the name that nbclient calls


class Forked(LocalProvisioner):
    """A kernel that is forked; to its manager it looks like one that was started."""

    async def launch_kernel(self, cmd: list[str], **arguments: Any) -> Any:
        """Fork it, and give it the arguments that the command has after ``python -m ipykernel_launcher``."""
        begin = multiprocessing.get_context("forkserver").Process(
            target=_kernel, args=(cmd[3:], arguments["cwd"], arguments["env"]), daemon=True
        )
        begin.start()
        self.process = _Process(begin)  # type: ignore[assignment]
        self.pid = self.pgid = begin.pid
        return self.connection_info


class _Process:
    """A process of ``multiprocessing`` in the manner of ``subprocess``."""

    stdin = stdout = stderr = None

    def __init__(self, process: Any) -> None:
        self.process = process

    def poll(self) -> int | None:
        return self.process.exitcode  # type: ignore[no-any-return]

    def wait(self) -> int | None:
        self.process.join()
        return self.poll()

    def send_signal(self, number: int) -> None:
        os.kill(self.process.pid, number)


def _kernel(arguments: list[str], folder: str, environment: dict[str, str]) -> None:
    """Be a kernel, in the process that was forked."""
    gc.freeze()  # what was imported stays: a collection that looks at it would copy its memory
    server: Any = forkserver._forkserver
    # the server ends when nobody holds this, and a kernel would
    os.close(server._forkserver_alive_fd)
    server._forkserver_alive_fd = server._forkserver_address = server._forkserver_pid = None
    os.setsid()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    if "numpy" in sys.modules:  # or every kernel would have the same global generator
        sys.modules["numpy"].random.seed()
    multiprocessing.current_process()._config["daemon"] = False  # type: ignore[attr-defined]
    from ipykernel.kernelapp import IPKernelApp

    # it watches its parent, and ends when that is gone
    IPKernelApp.launch_instance(argv=[*arguments, f"--IPKernelApp.parent_handle={os.getppid()}"])


def stop_all() -> None:
    """Kill every kernel that runs or begins to; whoever waits for one is told that it died."""
    STOPPED.set()
    for process in list(RUNNING):
        kill(process)


def kill(process: int) -> None:
    """End a process at once, if it is there."""
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)
