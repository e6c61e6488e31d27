"""Tasks (notebooks with parameters that any process can run), their outcomes, and the executors that run them.

Tasks and outcomes are plain values, so a task may run on any machine with the same packages and the same source code,
even if that machine shares no folder with this one. Papermill runs each notebook in a kernel of its own.
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
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import dpbi

from ..checks import need
from ..extras import require
from ..results import versions
from .notebooks import Notebook, checkout

KERNEL_STARTS = 3  # attempts to run a notebook whose kernel does not start or dies, before the task fails (chosen)

KERNEL = {"kernel_name": "python3", "language": "python", "shutdown_kernel": "immediate"}
"""Settings of papermill, also for notebooks that name no kernel. The kernel may be shut down immediately at the end,
because the results have been recorded by then."""

QUIET = ["--IPKernelApp.log_level=40", "--HistoryManager.enabled=False"]
"""Arguments with which a kernel prints no notices on standard error and writes no history file."""

ONE_AT_A_TIME = threading.Lock()
"""Lock that is held while papermill runs, because papermill changes the working folder that all threads share."""

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
"""Environment of kernels that run in parallel, one per core, where additional threads would only compete for cores."""

SCHEDULER_SECONDS = 5  # seconds to wait for an answer from the scheduler, and then for a worker (chosen)


class Task(NamedTuple):
    """A notebook and its parameters.

    Args:
        name: Name of the notebook in ``dpbi list``
        notebook: Contents of the notebook's file, as a string
        parameters: Values of all parameters except ``outdir``, by name
        code: Digest of the code that the results depend on; a process whose code has another digest refuses the task
        folder: Working folder of the kernel, if this folder exists where the task runs
        timeout: Largest number of seconds that each code cell may take, or None for no limit
    """

    name: str
    notebook: str
    parameters: Mapping[str, Any]
    code: str
    folder: str
    timeout: int | None

    @property
    def key(self) -> str:
        """Digest of the notebook's name, the code and the parameters; tasks with equal digests have equal results."""
        return digest(json.dumps([self.name, self.code, dict(self.parameters)]))


class Outcome(NamedTuple):
    """Outcome of a task: the text of the executed notebook, and either its recorded results or a one-line error."""

    notebook: str
    record: str = ""
    error: str = ""


def digest(*texts: str) -> str:
    """First 64 bits of the SHA-256 digest of some strings, in hexadecimal: enough to distinguish a million inputs."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


def tasks_of(page: Notebook, cells: Sequence[Mapping[str, Any]], timeout: int | None = None) -> list[Task]:
    """The tasks that run a notebook, with the current contents of its file; papermill must be installed.

    Args:
        page: The notebook
        cells: The parameters of each task
        timeout: Largest number of seconds that each code cell may take
    """
    require("running a notebook", "papermill", "ipykernel", "psutil", "tqdm")
    need(timeout is None or timeout >= 1, f"--timeout must be a number of seconds of at least 1, got {timeout}")
    text, folder = page.path.read_text("utf-8"), str(page.path.parent.absolute())
    needed = code(text)
    return [Task(page.name, text, parameters, needed, folder, timeout) for parameters in cells]


def code(notebook: str) -> str:
    """Digest of everything that a result depends on besides the parameters: code cells, library, package versions.

    A notebook that calls ``checkout()`` may read recorded results, so its digest includes the files in ``results/``.
    """
    cells = ["".join(cell["source"]) for cell in json.loads(notebook)["cells"] if cell["cell_type"] == "code"]
    package = Path(dpbi.__file__).parent
    files = [path for path in package.rglob("*.py") if "cli" not in path.relative_to(package).parts]
    if "checkout()" in "".join(cells):
        files += [path for path in (checkout() / "results").rglob("*") if path.is_file()]
    contents = (f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}" for path in sorted(files))
    return digest(json.dumps([cells, versions()]), *contents)


def execute(task: Task, bar: bool = False) -> Outcome:
    """Run a task with papermill and return its outcome; a kernel that does not start or that dies is started again."""
    import papermill
    from tqdm import tqdm

    if code(task.notebook) != task.code:
        return Outcome("", error="the notebook, dpbi or its packages have changed since the run began")
    tqdm.set_lock(threading.RLock())  # the default lock is shared between processes and leaks when one is killed
    with ONE_AT_A_TIME, tempfile.TemporaryDirectory(prefix="dpbi-", ignore_cleanup_errors=True) as folder:
        begun, ended, results = (Path(folder, name) for name in ("begun.ipynb", "ended.ipynb", "results"))
        where = task.folder if Path(task.folder).is_dir() else folder
        how: dict[str, Any] = {"cwd": where, "execution_timeout": task.timeout, "extra_arguments": QUIET, **KERNEL}
        how["progress_bar"] = {"desc": task.name, "disable": None, "leave": False} if bar else False
        begun.write_text(task.notebook, "utf-8")
        for _ in range(KERNEL_STARTS):
            error = ""
            try:
                papermill.execute_notebook(begun, ended, {**task.parameters, "outdir": str(results)}, **how)
            except papermill.PapermillExecutionError as failed:
                error = f"{failed.ename}: {failed.evalue}"
            except TimeoutError:
                error = f"stopped because a cell took more than the {task.timeout} s that --timeout allows"
            # nbclient raises this for a kernel that died, or that did not start because its port was taken
            except RuntimeError as failed:
                error = f"the kernel died, perhaps for lack of memory: {failed}"
                continue
            break
        # the names of temporary folders are removed: a notebook that is run by hand must not record results there
        executed = (ended if ended.exists() else begun).read_text("utf-8").replace(str(results), "").replace(folder, "")
        records = [path.read_text("utf-8") for path in results.rglob("*.json")]
        if not error and len(records) != 1:
            error = f"the notebook must call dpbi.results.record exactly once, got {len(records)} records"
        return Outcome(executed, "" if error else records[0], " ".join(error.split()))


def cores() -> int:
    """Number of cores that this program may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def processes(jobs: int) -> Iterator[Executor]:
    """Pool of processes, each of which runs one kernel at a time; no process survives the ``with`` block."""
    import psutil

    with tempfile.TemporaryDirectory(prefix="dpbi-", ignore_cleanup_errors=True) as folder:
        spawn = multiprocessing.get_context("spawn")  # a fork would copy locks that threads of this process hold
        with ProcessPoolExecutor(jobs, spawn, _begin, (folder, ONE_THREAD if jobs > 1 else {})) as pool:
            try:
                yield pool
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                kernels = []
                for process in multiprocessing.active_children():
                    with suppress(psutil.NoSuchProcess):
                        worker = psutil.Process(process.pid)
                        worker.suspend()  # it would start another kernel after its children have been listed
                        kernels += worker.children()
                    process.kill()
                for kernel in kernels:
                    with suppress(psutil.NoSuchProcess):
                        kernel.kill()
                psutil.wait_procs(kernels)  # until then, they may write to the folder, which then could not be removed
                raise


def _begin(folder: str, environment: Mapping[str, str]) -> None:
    """Set up a process of the pool: its temporary files go to the pool's folder, and it ends with the command."""
    tempfile.tempdir = folder
    os.environ.update(environment)
    logging.disable()  # the outcome contains what papermill would log
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is handled by the command alone

    def follow() -> None:
        multiprocessing.parent_process().join()  # type: ignore[union-attr]
        os._exit(1)

    threading.Thread(target=follow, daemon=True).start()


@contextmanager
def cluster(address: str) -> Iterator[Executor]:
    """Executor of the Dask scheduler at an address; its workers need the same packages and source code."""
    require("--scheduler", "dask", "distributed")
    from distributed import Client

    logging.disable()  # a single error message replaces the log of Dask
    try:
        client = Client(address, timeout=SCHEDULER_SECONDS)
        client.wait_for_workers(1, timeout=SCHEDULER_SECONDS)
    except (OSError, ValueError) as error:
        allowed = "the address of a Dask scheduler with workers"
        raise ValueError(f"--scheduler must be {allowed}, got {address!r}: {error}") from None
    with client:
        yield client.get_executor(pure=False)


def outcomes(pool: Executor, tasks: Sequence[Task], bar: bool = False) -> Iterator[tuple[Task, Outcome]]:
    """Pairs of a task and its outcome, in the order in which tasks are completed.

    Args:
        pool: The executor that runs the tasks
        tasks: The tasks
        bar: Whether papermill shows a progress bar for the cells of each notebook
    """
    running = {pool.submit(execute, task, bar): task for task in tasks}
    for future in as_completed(list(running)):
        try:
            outcome = future.result()
        except (BrokenExecutor, CancelledError):
            raise ValueError("the worker processes have ended: run the same command again to continue") from None
        except Exception as error:  # Dask raises errors of many types for a task whose workers died
            outcome = Outcome("", error=f"the cluster could not run the task: {error!r}")
        yield running.pop(future), outcome
