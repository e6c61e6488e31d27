"""Stops a release at one step of its work after another, and prints what each stop leaves behind as JSON lines.

python release_faults.py FOLDER fresh|replace STOPS
python release_faults.py FOLDER crowd

Every stop happens in a child of this process, before a chosen line of the files that do the work is about to run: the
child is killed, gets a signal, or from there on finds the disk full or the folders read-only. Then the release is
resumed, and another one made, in this process. Figures are not drawn: they are made in memory.
"""

import contextlib
import errno
import gc
import io
import json
import os
import resource
import shutil
import signal
import sys
from fractions import Fraction
from pathlib import Path

import matplotlib as mpl
import scipy.optimize  # noqa: F401  # before the forks, each of which would import it

mpl.use("agg")  # not by the environment, which the kernels of the notebooks would inherit

from dpbi import files  # all imported before the forks
from dpbi.cli import grammar, main
from dpbi.publish import folders, journal, receipts, releases

WATCHED = {module.__file__ for module in (releases, receipts, folders, journal, files, shutil)}
KINDS = ("kill", "term", "interrupt", "full", "filled", "read-only")


def command(*extra, out="out"):
    return ["release", "data.csv", "--column=v", "--categories=a,b,c", "--prior=1,1,1", "--epsilon=1/4",
            f"--out={out}", "--budget=budget.json", "--limit=100", *extra]  # fmt: skip


RESUMED = ["release", "--resume", "--budget=budget.json"]


def failing(name, number, makes=lambda *arguments, **named: True):
    true = getattr(os, name)

    def call(*arguments, **named):
        if makes(*arguments, **named):
            raise OSError(number, os.strerror(number), str(arguments[0]))
        return true(*arguments, **named)

    setattr(os, name, call)


def creates(path, flags=0, *rest, **named):
    return bool(flags & os.O_CREAT)


def befall(kind):
    """What happens at the chosen line."""
    if kind == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    elif kind == "term":
        os.kill(os.getpid(), signal.SIGTERM)
    elif kind == "interrupt":
        os.kill(os.getpid(), signal.SIGINT)
    elif kind == "full":  # files can be made, and nothing written into them
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    elif kind == "filled":
        failing("open", errno.ENOSPC, creates)
        failing("mkdir", errno.ENOSPC)
    else:
        failing("open", errno.EROFS, creates)
        for name in ("mkdir", "replace", "unlink", "rmdir"):
            failing(name, errno.EROFS)


def code_after(arguments):
    """The code with which a command ends."""
    try:
        main(arguments)
    except SystemExit as end:
        return end.code
    return 0


def child(folder, arguments, stop=0, kind=""):
    """Run a command in a child that is stopped before line number ``stop``; (its code, what it said, lines)."""
    pipe = folder.with_suffix(".said")
    if not pipe.exists():
        os.mkfifo(pipe)  # a full disk does not stop it
    heard = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    number = os.fork()
    if number == 0:
        os.chdir(folder)
        signal.signal(signal.SIGINT, signal.default_int_handler)  # what a shell runs in the background ignores it
        lines = 0
        said = os.open(folder.with_suffix(".said"), os.O_WRONLY)
        sys.stdout, sys.stderr = open(os.devnull, "w"), os.fdopen(os.dup(said), "w", 1)  # noqa: SIM115

        def trace(frame, event, argument):
            nonlocal lines
            if frame.f_code.co_filename not in WATCHED:
                return None
            if event == "line":
                lines += 1
                if lines == stop:
                    sys.settrace(None)  # no other line is looked for
                    befall(kind)
            return trace

        if stop >= 0:
            sys.settrace(trace)
        code = code_after(arguments)
        sys.settrace(None)
        os.write(said, f"\n{lines}".encode())
        os._exit(code)
    return number, heard


def done_here(folder, arguments):
    """Run a command in this process, which nothing befalls; (its code, what it said)."""
    said, before = io.StringIO(), Path.cwd()
    os.chdir(folder)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
        code = code_after(arguments)
    os.chdir(before)
    return code, said.getvalue().strip()


def code_of(running):
    return os.waitstatus_to_exitcode(os.waitpid(running[0], 0)[1])


def ended(running):
    code = code_of(running)
    said, _, lines = os.read(running[1], 10_000).decode().rpartition("\n")
    os.close(running[1])
    return code, said.strip(), int(lines or 0)


def receipt(folder, out="out"):
    path = folder / out / "receipt.json"
    return json.loads(path.read_text()) if path.exists() else None


def spent(folder):
    return journal.read_account(folder / "budget.json").spent


def prepared(root, start):
    grammar()  # before the forks too: to put it together is no step of the work
    template = root / "template"
    template.mkdir()
    (template / "data.csv").write_text("v\na\nb\nb\nc\n")
    journal.spend(template / "budget.json", Fraction(3, 4), Fraction(100), {})
    if start == "replace":
        assert ended(child(template, command(), -1))[0] == 0
    return template


def stops(root, start, wanted):
    template = prepared(root, start)
    gc.freeze()  # a collection in a child would copy the memory of all that was imported
    extra = ["--force"] if start == "replace" else []
    whole = Path(shutil.copytree(template, root / "whole"))
    code, said, total = ended(child(whole, command(*extra)))
    assert code == 0, said
    every = max(1, total * len(KINDS) // wanted)
    for kind_number, kind in enumerate(KINDS):
        for stop in range(1 + kind_number * every // len(KINDS), total + 1, every):
            folder = Path(shutil.copytree(template, root / f"{kind}-{stop}"))
            before, old = spent(folder), receipt(folder)
            code, said, _ = ended(child(folder, command(*extra), stop, kind))
            charged, new = spent(folder) - before, receipt(folder)
            left = journal.read_journal(folder / "budget.json").waiting  # fails if the file is not whole
            paid = [one["receipt"]["noisy"] for one in left.values()]
            for path in [*folder.rglob("receipt.json"), *folder.rglob("posterior.json")]:  # in hidden folders too
                assert path.stat().st_size == 0 or kind in {"kill", "full"} or json.loads(path.read_text())
            resumed, told = done_here(folder, RESUMED)
            final = receipt(folder)
            report = {
                "kind": kind,
                "code": code,
                "said": said,
                "charged": str(charged),
                "waiting": len(left),
                "published": new is not None and new != old,
                "resumed": resumed,
                "told": told,
                "spent in all": str(spent(folder) - before),
                "is what was paid": not paid or final["noisy"] == paid[0],
                "released": final is not None and final != old,
                "earlier kept": old is None or final is not None,
                "files": sorted(path.name for path in (folder / "out").iterdir()) if final is not None else [],
            }
            # whatever was left behind is in nobody's way
            report["again"], why = done_here(folder, command(*(["--force"] if final is not None else [])))
            report["folder"] = sorted(path.name for path in folder.iterdir())
            print(json.dumps(report))
            assert report["again"] == 0, why
            shutil.rmtree(folder)


def crowd(root):
    """Forty at once against a limit of ten, then two into one folder, ten times."""
    folder = prepared(root, "fresh")
    (folder / "budget.json").unlink()
    limited = [word if not word.startswith("--limit") else "--limit=5/2" for word in command()]
    running = [child(folder, [*limited, f"--out=out{i}"], -1) for i in range(40)]
    codes = [code_of(one) for one in running]  # they share the pipe
    print(json.dumps({"succeeded": codes.count(0), "spent": str(spent(folder)),
                      "folders": len(list(folder.glob("out*")))}))  # fmt: skip
    for pair in range(10):
        (folder / "budget.json").unlink()
        running = [child(folder, [*limited, f"--out=pair{pair}"], -1) for _ in range(2)]
        codes = [code_of(one) for one in running]  # they share the pipe
        print(json.dumps({"succeeded": codes.count(0), "spent": str(spent(folder)), "folders": 1}))


if __name__ == "__main__":
    receipts._picture = lambda result: b"\x89PNG figure"  # here alone: whoever collects the tests imports this file
    if sys.argv[2] == "crowd":
        crowd(Path(sys.argv[1]))
    else:
        stops(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
