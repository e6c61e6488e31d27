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
from collections.abc import Mapping
from dataclasses import dataclass
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

COLOURS = re.compile(r"\x1b\[[0-9;]*m")
KERNEL_DIED = "the kernel died, perhaps of too little memory"
NEVER_UP = "no kernel came up: "


@dataclass(frozen=True)
class Task:
    """A notebook without its outputs, every parameter but ``outdir``, and the code it is meant to run with."""

    name: str
    notebook: str
    parameters: Mapping[str, Any]
    code: str

    @property
    def key(self) -> str:
        """The same for the same code and the same parameters, and for no others."""
        return digest(json.dumps([self.name, self.code, dict(self.parameters)]))


@dataclass(frozen=True)
class Outcome:
    """The text of the executed notebook, and of its record, or the error in a few lines and no record."""

    notebook: str
    record: str = ""
    error: str = ""


def digest(*texts: str) -> str:
    """A short name for texts: their SHA-256, of which 64 bits are enough to keep a million apart."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


def without_outputs(notebook: Path) -> str:
    """The text of a notebook with nothing computed in it."""
    content = json.loads(notebook.read_text("utf-8"))
    for cell in content["cells"]:
        if cell["cell_type"] == "code":
            cell.update(outputs=[], execution_count=None)
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

    It runs in ``folder``, or in one of its own that does not stay. If it runs ``alone``, it may use every core.
    """
    if code(task.notebook) != task.code:
        return Outcome("", error="the notebook, dpbi or its packages differ from those that the run began with")
    from .kernels import STOPPED

    attempts = beginnings = 0
    while attempts < ATTEMPTS and beginnings < BEGINNINGS and not (attempts + beginnings and STOPPED.is_set()):
        outcome = _attempt(task, folder, bar, alone)
        if outcome.error.startswith(NEVER_UP):
            beginnings += 1
        elif outcome.error == KERNEL_DIED:
            attempts += 1
        else:
            break
    return outcome


def _attempt(task: Task, place: Path | None, bar: Mapping[str, Any] | bool, alone: bool) -> Outcome:
    import papermill
    from jupyter_core.utils import ensure_event_loop
    from nbclient.exceptions import DeadKernelError

    from .kernels import Kernel, sockets

    logging.getLogger("papermill").setLevel(logging.CRITICAL)  # what went wrong is in the outcome
    with tempfile.TemporaryDirectory(prefix="dpbi-", ignore_cleanup_errors=True) as folder:
        begun, ended = Path(folder, "begun.ipynb"), Path(folder, "ended.ipynb")
        begun.write_text(task.notebook, "utf-8")
        error = ""
        try:
            with PARSING:
                values = {**task.parameters, "outdir": folder}
                papermill.execute_notebook(begun, begun, values, kernel_name="python3", prepare_only=True)
            papermill.execute_notebook(
                begun,
                ended,
                kernel_name="python3",
                progress_bar=bar,
                request_save_on_cell_execute=False,
                # from here on for nbclient, which has the kernel stopped at once: a record is on the disk by then
                shutdown_kernel="immediate",
                extra_arguments=["--IPKernelApp.log_level=40", "--HistoryManager.enabled=False"],
                resources={"metadata": {"path": str(place or folder)}},
                config=sockets(folder),
                **({} if alone else {"kernel_manager_class": Kernel}),
            )
        except papermill.PapermillExecutionError:
            error = failure(json.loads(ended.read_text("utf-8")))
        except DeadKernelError:
            error = KERNEL_DIED
        except RuntimeError as refused:  # what nbclient says of a kernel that died or was silent before its first cell
            error = f"{NEVER_UP}{refused}" if str(refused).startswith("Kernel") else str(refused)
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
        executed = (ended if ended.exists() else begun).read_text("utf-8").replace(json.dumps(folder)[1:-1], "")
        found = Path(folder, f"{task.name}.json")
        if not error and not found.exists():
            error = f"the notebook records no results under the name {task.name!r}"
        return Outcome(executed, "" if error else found.read_text("utf-8"), error)


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
