"""Where the cells of a sweep run: on this machine, or on the workers of a Dask scheduler."""

import logging
import os
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from .execution import Outcome, Task, execute

PATIENCE = 5
"""Seconds that a scheduler has to answer, and then to have a worker."""

WORKERLESS = 60
"""Seconds that a sweep waits for a new worker when the last one is gone."""

Keep = Callable[[Task, Outcome], None]
Run = Iterator[tuple[Task, str]]
"""Cells as they end, with what went wrong if something did; what came of them was kept."""


class Stopped(Exception):
    """What runs the cells is gone; those that are not done were not run."""


def cores() -> int:
    """How many this program may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def here(tasks: list[Task], keep: Keep, jobs: int, place: Path) -> Run:
    """On this machine: a kernel for each cell, ``jobs`` of them at a time, each waited for by a thread."""
    from papermill.iorw import papermill_io

    from . import kernels

    def work(task: Task) -> str:
        outcome = execute(task, place)
        if not kernels.STOPPED.is_set():
            keep(task, outcome)
        return outcome.error

    kernels.STOPPED.clear()
    if tasks:
        kernels.prepare(tasks[0].notebook)
    # papermill notes for all threads where it reads and writes, and threads that end in another order leave it noted:
    # a later sweep from another folder would find itself there
    local = papermill_io.get_handler("local")
    before = local.cwd(None)
    try:
        with ThreadPoolExecutor(jobs) as pool:
            try:
                running = {pool.submit(work, task): task for task in tasks}
                for future in as_completed(list(running)):
                    yield running.pop(future), future.result()
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                kernels.stop_all()
                raise
    finally:
        local.cwd(before)


@contextmanager
def cluster(address: str) -> Iterator[Callable[[list[Task], Keep], Run]]:
    """On the workers of a Dask scheduler, which share nothing with this machine but the packages."""
    try:
        from distributed import Client
    except ImportError:
        raise ValueError("--scheduler needs Dask: pip install dask distributed") from None
    for name in ("distributed", "distributed.client", "distributed.core", "distributed.comm", "tornado.application"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # what is to be known is said in one line
    try:
        client = Client(address, timeout=PATIENCE)
    except (OSError, ValueError) as error:
        why = f"no answer in {PATIENCE} s" if isinstance(error, OSError) else str(error)
        raise ValueError(f"--scheduler must be the address of a Dask scheduler, got {address!r}: {why}") from None
    try:
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            hint = f"'dask worker {address}' begins one"
            raise ValueError(
                f"--scheduler must be that of a cluster with workers, got {address!r}, which has none: {hint}"
            ) from None
        yield partial(_there, client, address)
    finally:
        client.close(timeout=PATIENCE)


def _there(client: Any, address: str, tasks: list[Task], keep: Keep) -> Run:
    """The cells as they end. One whose worker dies is given to another; after several deaths it counts as failed."""
    from distributed import as_completed as completed

    running = dict(zip(client.map(execute, tasks, pure=False), tasks, strict=True))
    ended: Any = completed(list(running))
    watch = _Watch(client, address)
    while running:
        batch = ended.next_batch(block=False) if ended.has_ready() else []
        if not batch:
            watch.look()
            time.sleep(0.05)
        for future in batch:
            if future.status in ("cancelled", "lost"):
                raise Stopped(f"the scheduler at {address} is gone")
            task = running.pop(future)
            failed = future.status != "finished"
            outcome = Outcome("", error=f"the cluster gave up: {future.exception()!r}") if failed else future.result()
            keep(task, outcome)
            yield task, outcome.error
            future.release()


class _Watch:
    """Whether there is still somebody to wait for."""

    def __init__(self, client: Any, address: str) -> None:
        self.client, self.address = client, address
        self.looked = self.seen = time.monotonic()
        self.waiting = False

    def look(self) -> None:
        """Look once a second; say it when the last worker is gone, and when a new one comes."""
        now = time.monotonic()
        if now - self.looked < 1:
            return
        self.looked = now
        if self.client.status != "running":
            raise Stopped(f"the scheduler at {self.address} is gone")
        if self.client.scheduler_info().get("workers"):
            if self.waiting:
                tell(f"a worker has come to {self.address}")
            self.seen, self.waiting = now, False
        elif now - self.seen > WORKERLESS:
            raise Stopped(f"the scheduler at {self.address} has had no worker for {WORKERLESS} s")
        elif not self.waiting and now - self.seen > 2:
            self.waiting = True
            how = f"'dask worker {self.address}' begins one"
            tell(f"no worker is left at {self.address}; waiting {WORKERLESS} s for another: {how}")


def tell(words: str) -> None:
    """Say something in a line of its own, above the bar of progress."""
    from tqdm import tqdm

    tqdm.write(f"dpbi: {words}", file=sys.stderr)
