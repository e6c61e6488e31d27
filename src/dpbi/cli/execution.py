"""One notebook with its parameters: a task that any process can be given, and what comes back from it.

Both are values without a path in them. So a task may run on another machine, which needs the same packages and no
folder in common with this one.
"""

import asyncio
import hashlib
import json
import logging
import re
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any

import dpbi

from ..results import versions

ATTEMPTS = 2
"""How often a notebook is begun, in all, when its kernel dies: of too little memory, say."""

BEGINNINGS = 4
"""How often a kernel is begun, in all, that does not come up; none of them is an attempt of the notebook."""

PARSING = Lock()
"""Some releases of Python 3.11 parse in one thread at a time, and papermill parses the parameters."""

KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
KERNEL_DIED = "the kernel died, perhaps of too little memory"
NEVER_UP = "no kernel came up: "


@dataclass(frozen=True)
class Task:
    """A notebook without its outputs, every parameter but ``outdir``, and the code it is meant to run with.

    Also the files that it reads, and how many seconds it may take.
    """

    name: str
    notebook: str
    parameters: Mapping[str, Any]
    code: str
    inputs: Mapping[str, bytes] = field(default_factory=dict)
    timeout: float | None = None

    @cached_property
    def key(self) -> str:
        """The same for the same code, parameters and inputs, and for no others."""
        what = [self.name, self.code, dict(self.parameters)]
        read = [[path, hashlib.sha256(content).hexdigest()] for path, content in sorted(self.inputs.items())]
        return digest(json.dumps([*what, read] if read else what))


@dataclass(frozen=True)
class Outcome:
    """The text of the executed notebook, and of its record, or the error in a few lines and no record."""

    notebook: str
    record: str = ""
    error: str = ""
    seconds: float = 0.0


def digest(*texts: str) -> str:
    """A short name for texts: their SHA-256, of which 64 bits are enough to keep a million apart."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


def without_outputs(notebook: Path) -> str:
    """The text of a notebook with nothing computed in it, a name for each cell, and a kernel."""
    content = json.loads(notebook.read_text("utf-8"))
    for number, cell in enumerate(content["cells"], start=1):
        cell.setdefault("id", f"cell-{number}")
        if cell["cell_type"] == "code":
            cell.update(outputs=[], execution_count=None)
    content.update(nbformat=4, nbformat_minor=max(5, content.get("nbformat_minor", 5)))  # the first that names cells
    content.setdefault("metadata", {}).setdefault("kernelspec", KERNEL)
    return json.dumps(content)


def code(notebook: str) -> str:
    """A name for all that a result depends on beside the parameters: code cells, library, versions of packages."""
    cells = ["".join(cell["source"]) for cell in json.loads(notebook)["cells"] if cell["cell_type"] == "code"]
    package = Path(dpbi.__file__).parent
    modules = sorted(path for path in package.rglob("*.py") if "cli" not in path.relative_to(package).parts)
    library = [f"{path.relative_to(package).as_posix()}\0{path.read_text('utf-8')}" for path in modules]
    return digest(json.dumps(cells), *library, json.dumps(versions()))


def execute(
    task: Task, folder: Path | None = None, bar: Mapping[str, Any] | bool = False, *, alone: bool = False
) -> Outcome:
    """Run a notebook in a kernel of its own, begun anew if that dies.

    It runs in ``folder``, or in one of its own that does not stay, among what it reads. If it runs ``alone``, it may
    use every core.
    """
    from .kernels import STOPPED

    if code(task.notebook) != task.code:
        return Outcome("", error="the notebook, dpbi or its packages differ from those that the run began with")
    begun = time.monotonic()

    attempts = beginnings = 0
    while attempts < ATTEMPTS and beginnings < BEGINNINGS and not (attempts + beginnings and STOPPED.is_set()):
        outcome = _attempt(task, folder, bar, alone)
        if outcome.error.startswith(NEVER_UP):
            beginnings += 1
        elif outcome.error == KERNEL_DIED:
            attempts += 1
        else:
            break
    return replace(outcome, seconds=time.monotonic() - begun)


def _attempt(task: Task, place: Path | None, bar: Mapping[str, Any] | bool, alone: bool) -> Outcome:
    import papermill
    from jupyter_core.utils import ensure_event_loop
    from nbclient.exceptions import DeadKernelError

    from .kernels import Kernel, sockets

    logging.getLogger("papermill").setLevel(logging.CRITICAL)  # what went wrong is in the outcome
    with tempfile.TemporaryDirectory(prefix="dpbi-", ignore_cleanup_errors=True) as folder:
        begun, ended, results = Path(folder, "begun.ipynb"), Path(folder, "ended.ipynb"), Path(folder, "results")
        begun.write_text(task.notebook, "utf-8")
        error, start = "", time.monotonic()
        try:
            with PARSING:
                values = {**task.parameters, "outdir": str(results)}
                papermill.execute_notebook(begun, begun, values, kernel_name="python3", prepare_only=True)
            settings = sockets(folder)
            settings.Kernel.seconds, settings.Kernel.alone = task.timeout, alone
            papermill.execute_notebook(
                begun,
                ended,
                kernel_name="python3",
                progress_bar=bar,
                request_save_on_cell_execute=False,
                # from here on for nbclient, which has the kernel stopped at once: a record is on the disk by then
                shutdown_kernel="immediate",
                extra_arguments=["--IPKernelApp.log_level=40", "--HistoryManager.enabled=False"],
                resources={"metadata": {"path": str(place or _among_inputs(task, Path(folder, "project")))}},
                config=settings,
                kernel_manager_class=Kernel,
            )
        except papermill.PapermillExecutionError:
            error = failure(json.loads(ended.read_text("utf-8")))
        except RuntimeError as stopped:
            if task.timeout is not None and time.monotonic() - start >= task.timeout:
                error = f"stopped after the {task.timeout:g} s that --timeout allows"
            elif isinstance(stopped, DeadKernelError):
                error = KERNEL_DIED
            else:  # what nbclient says of a kernel that died or was silent before its first cell begins with its name
                error = f"{NEVER_UP}{stopped}" if str(stopped).startswith("Kernel") else str(stopped)
        except KeyboardInterrupt:
            logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # of the tasks that end in the middle
            raise
        finally:
            loop = ensure_event_loop()  # nbclient leaves one open in each thread, and when stopped its tasks too
            if not loop.is_running():
                for pending in asyncio.all_tasks(loop):
                    pending.cancel()
                loop.run_until_complete(asyncio.sleep(0))
                loop.close()
        # where the record went is over: run again by hand, the notebook writes none
        executed = (ended if ended.exists() else begun).read_text("utf-8")
        for passed in (str(results), folder):
            executed = executed.replace(json.dumps(passed)[1:-1], "")
        record = "" if error else _record(task, results)
        if not error and not record:
            error = f"the notebook must record its results under the name {task.name!r}, or record one result only"
        return Outcome(executed, record, error)


def _among_inputs(task: Task, root: Path) -> Path:
    """A folder for the notebook in a project that has the files it reads and nothing else."""
    for path, content in task.inputs.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)
    folder = (root / "notebooks" / task.name).parent
    folder.mkdir(parents=True)
    return folder


def _record(task: Task, results: Path) -> str:
    """The text of what the notebook recorded: under its own name, or the one record there is."""
    own, everything = results / f"{task.name}.json", list(results.rglob("*.json"))
    kept = own if own in everything else everything[0] if len(everything) == 1 else None
    return kept.read_text("utf-8") if kept else ""


def failure(notebook: Mapping[str, Any]) -> str:
    """Which cell of an executed notebook failed, at which line, and with which error."""
    shown = [(cell, output) for cell in notebook["cells"] for output in cell.get("outputs", [])]
    errors = [(cell, output) for cell, output in shown if output["output_type"] == "error"]
    if not errors:
        return "a cell ended without an answer"
    cell, output = errors[0]
    trace = COLOURS.sub("", "\n".join(output["traceback"]))
    lines = "".join(cell["source"]).splitlines()
    numbers = [int(number) for number in re.findall(r"Cell In\[\d+\], line (\d+)", trace)]
    number = numbers[0] if numbers and numbers[0] <= len(lines) else 1
    said = COLOURS.sub("", f"{output['ename']}: {output['evalue']}").splitlines() or [""]
    return f"cell {cell['id']!r}, line {number}: {lines[number - 1].strip()}\n{chr(10).join(said[:3])}"
