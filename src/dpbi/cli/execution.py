"""One notebook with its parameters: a task that any process can be given, what comes back from it, and who runs it.

Both are values. So a task may run on another machine that has the same packages, the same source and no folder in
common with this one. Papermill runs the notebook, in a kernel of its own.
"""

import hashlib
import json
import logging
import multiprocessing
import os
import signal
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import dpbi

from ..results import versions
from .notebooks import checkout, place

ATTEMPTS = 3
"""How often a kernel is begun, in all, that does not come up or dies: of too little memory, say."""

ONE_AT_A_TIME = threading.Lock()
"""Papermill keeps the folder of its process in one place for all threads, so two threads cannot use it."""

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
"""As many kernels run as there are cores: more threads in one would only take turns with those in another."""

LONGEST = 90
"""Letters in the name of a folder for sockets; with their own names systems allow 103."""

PATIENCE = 5
"""Seconds that a scheduler has to answer, and then to have a worker."""


@dataclass(frozen=True)
class Task:
    """A notebook, every parameter but ``outdir``, and the code it is meant to run with.

    Also the folder that it runs in, if that is there, and how many seconds each of its cells may take.
    """

    name: str
    notebook: str
    parameters: Mapping[str, Any]
    code: str
    folder: str
    timeout: int | None

    @cached_property
    def key(self) -> str:
        """The same for the same code and parameters, and for no others."""
        return digest(json.dumps([self.name, self.code, dict(self.parameters)]))


class Outcome(NamedTuple):
    """The text of the executed notebook, and of its record, or the error in one line and no record."""

    notebook: str
    record: str = ""
    error: str = ""


def digest(*texts: str) -> str:
    """A short name for texts: their SHA-256, of which 64 bits are enough to keep a million apart."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


def tasks_of(root: Path, name: str, cells: Sequence[Mapping[str, Any]], timeout: int | None = None) -> list[Task]:
    """The tasks of a notebook as it stands now, with the parameters of each."""
    if timeout is not None and timeout < 1:
        raise ValueError(f"--timeout must be a number of seconds of at least 1, got {timeout}")
    file = place(root, name)
    text = file.read_text("utf-8")
    named, folder = code(text), str(file.parent.absolute())
    return [Task(name, text, parameters, named, folder, timeout) for parameters in cells]


def code(notebook: str) -> str:
    """A name for all that a result depends on beside the parameters: code cells, library, versions of packages.

    Where the cells ask for ``checkout()``, also what is in its folder ``results``.
    """
    cells = ["".join(cell["source"]) for cell in json.loads(notebook)["cells"] if cell["cell_type"] == "code"]
    package = Path(dpbi.__file__).parent
    files = [path for path in package.rglob("*.py") if "cli" not in path.relative_to(package).parts]
    if "checkout()" in "".join(cells):
        files += (checkout() / "results").rglob("*.*")
    contents = (
        f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}" for path in sorted(files) if path.is_file()
    )
    return digest(json.dumps([cells, versions()]), *contents)


def execute(task: Task, bar: bool = False) -> Outcome:
    """Run a notebook by papermill; a kernel that does not come up, or dies, is begun again."""
    import papermill
    from tqdm import tqdm
    from traitlets.config import Config

    if code(task.notebook) != task.code:
        return Outcome("", error="the notebook, dpbi or its packages differ from those that the run began with")
    tqdm.set_lock(threading.RLock())  # its own is for many processes, and is missed when this one is killed
    logging.getLogger("papermill").setLevel(logging.CRITICAL)  # what went wrong is in the outcome
    with ONE_AT_A_TIME, tempfile.TemporaryDirectory(prefix="dpbi-", ignore_cleanup_errors=True) as folder:
        begun, ended, results = Path(folder, "begun.ipynb"), Path(folder, "ended.ipynb"), Path(folder, "results")
        # files, which no other kernel can take, and not ports, which are chosen before they are bound
        sockets = {"transport": "ipc", "ip": f"{folder}/s"} if os.name != "nt" and len(folder) < LONGEST else {}
        begun.write_text(task.notebook, "utf-8")
        for _ in range(ATTEMPTS):
            try:
                papermill.execute_notebook(
                    begun,
                    ended,
                    {**task.parameters, "outdir": str(results)},
                    kernel_name="python3",
                    language="python",
                    progress_bar={"desc": task.name, "disable": None, "leave": False} if bar else False,
                    execution_timeout=task.timeout,
                    cwd=task.folder if Path(task.folder).is_dir() else folder,
                    shutdown_kernel="immediate",  # by then the record is on the disk
                    extra_arguments=["--IPKernelApp.log_level=40", "--HistoryManager.enabled=False"],
                    config=Config(KernelManager=sockets),
                )
                error = ""
            except papermill.PapermillExecutionError as failed:
                error = f"{failed.ename}: {failed.evalue}"
            except TimeoutError:
                error = f"stopped after the {task.timeout} s that --timeout allows a cell"
            except RuntimeError as failed:  # what nbclient says of a kernel that died or did not come up
                error = f"the kernel died, perhaps of too little memory: {failed}"
                continue
            break
        executed = (ended if ended.exists() else begun).read_text("utf-8")
        for passed in (str(results), folder):  # where the record went is over: run again by hand, it writes none
            executed = executed.replace(json.dumps(passed)[1:-1], "")
        records = [path.read_text("utf-8") for path in sorted(results.rglob("*.json"))] if not error else []
        if not error and len(records) != 1:
            error = f"the notebook must record its results once, by dpbi.results.record, got {len(records)} records"
        return Outcome(executed, "" if error else records[0], " ".join(error.split()))


def cores() -> int:
    """How many this program may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def processes(jobs: int) -> Iterator[Executor]:
    """Processes of this machine, each of which has one kernel at a time; none outlives the block, whatever ends it."""
    before = multiprocessing.active_children()
    with tempfile.TemporaryDirectory(prefix="dpbi-", ignore_cleanup_errors=True) as folder:
        spawn = multiprocessing.get_context("spawn")  # a copy of this process would have its threads' locks
        with ProcessPoolExecutor(jobs, spawn, _begin, (folder, ONE_THREAD if jobs > 1 else {})) as pool:
            try:
                yield pool
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                for process in multiprocessing.active_children():
                    if process not in before:
                        process.kill()  # its kernel sees that it is gone, and ends
                raise


def _begin(folder: str, environment: Mapping[str, str]) -> None:
    """Make a process one of the pool: what it leaves is in the pool's folder, and it ends when the command is gone."""
    tempfile.tempdir = folder
    os.environ.update(environment)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the command says what an interrupt means
    threading.Thread(target=_follow, daemon=True).start()


def _follow() -> None:
    if parent := multiprocessing.parent_process():
        parent.join()
        os._exit(1)


@contextmanager
def cluster(address: str) -> Iterator[Executor]:
    """The workers of a Dask scheduler, which share nothing with this machine but packages and source."""
    try:
        from distributed import Client
    except ImportError:
        raise ValueError("--scheduler needs Dask: pip install dask distributed") from None
    for name in ("distributed", "distributed.client", "distributed.core", "distributed.comm", "tornado.application"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # what is to be known is said in one line
    try:
        client = Client(address, timeout=PATIENCE)
        client.wait_for_workers(1, timeout=PATIENCE)
    except (OSError, ValueError) as error:
        said = f"--scheduler must be the address of a Dask scheduler with workers, got {address!r}: {error}"
        raise ValueError(said) from None
    with client:
        yield client.get_executor(pure=False)


def outcomes(pool: Executor, tasks: Sequence[Task], *how: Any) -> Iterator[tuple[Task, Outcome]]:
    """What comes of tasks, as they end."""
    running = {pool.submit(execute, task, *how): task for task in tasks}
    for future in as_completed(list(running)):
        try:
            outcome = future.result()
        except (BrokenExecutor, CancelledError):
            raise ValueError("what ran the cells is gone; the same command goes on") from None
        except Exception as error:  # whatever a cluster says when it gives a task up
            outcome = Outcome("", error=f"the cluster gave up: {error!r}")
        yield running.pop(future), outcome
