"""Interrupts releases at random moments, and prints what each interruption leaves behind as JSON lines.

python release_faults.py FOLDER fresh|replace STOPS SEED
python release_faults.py FOLDER crowd

Every interruption happens to a child of this process. Either the child is killed from outside after a random time. Or
the child reaches a randomly chosen line of the files that do the work, and is killed there, receives a signal, or finds
the disk full or the folder closed from then on. Then this process reads what is left, resumes the release, and makes
another one, without figures and true intervals, which are slow.
"""

import contextlib
import io
import json
import os
import random
import resource
import shutil
import signal
import sys
import time
from pathlib import Path

import matplotlib as mpl
import scipy.optimize  # noqa: F401  # before the forks, each of which would import it

mpl.use("agg")  # not by the environment, which the kernels of the notebooks would inherit

from dpbi import files  # all imported before the forks
from dpbi.cli import main
from dpbi.inference.mixtures import Mixture
from dpbi.publish import Budget, budget, receipts, releases

WATCHED = {module.__file__ for module in (releases, receipts, budget, files, shutil)}
KINDS = ("outside", "kill", "term", "interrupt", "full", "closed")
NOBODY = 65534


def command(*extra, out="out"):
    return ["release", "data.csv", "--column=v", "--categories=a,b,c", "--prior=1,1,1", "--epsilon=1/4",
            f"--out={out}", "--budget=budget.db", "--limit=100", *extra]  # fmt: skip


RESUMED = ["release", "--resume", "--budget=budget.db"]


def befall(kind, folder):
    """What happens at the chosen line."""
    signals = {"kill": signal.SIGKILL, "term": signal.SIGTERM, "interrupt": signal.SIGINT}
    if kind in signals:
        os.kill(os.getpid(), signals[kind])
    elif kind == "full":  # files can be made, and nothing written into them
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    else:
        folder.chmod(0o555)
        if os.geteuid() == 0:  # whom a mode does not stop
            os.seteuid(NOBODY)


def code_after(arguments):
    """The code with which a command ends."""
    try:
        main(arguments)
    except SystemExit as end:
        return end.code
    return 0


def child(folder, arguments, stop=-1, kind="", function=None):
    """Run a command in a child, stopped before line number ``stop`` (of a function) if it is positive; its number."""
    if (number := os.fork()) == 0:
        os.chdir(folder)
        signal.signal(signal.SIGINT, signal.default_int_handler)  # what a shell runs in the background ignores it
        lines = 0
        log = open(folder.with_suffix(".log"), "w", 1)  # noqa: SIM115
        sys.stdout, sys.stderr = open(os.devnull, "w"), io.StringIO()  # noqa: SIM115

        def trace(frame, event, argument):
            nonlocal lines
            if frame.f_code.co_filename not in WATCHED:
                return None
            if event == "line" and function in {None, frame.f_code.co_name}:
                lines += 1
                if lines == stop:
                    sys.settrace(None)  # no other line is looked for
                    befall(kind, folder)
            return trace

        if stop >= 0:
            sys.settrace(trace)
        code = code_after(arguments)
        sys.settrace(None)
        resource.setrlimit(resource.RLIMIT_FSIZE, resource.getrlimit(resource.RLIMIT_FSIZE)[1:] * 2)
        log.write(f"{sys.stderr.getvalue().strip()}\n{lines}")
        os._exit(code)
    return number


def ended(number):
    return os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])


def error_of(folder):
    """What an ended child wrote to standard error, and how many lines it ran; nothing of one that was killed."""
    path = folder.with_suffix(".log")
    error, _, lines = path.read_text().rpartition("\n") if path.exists() else ("", "", "")
    return error, int(lines or 0)


def done_here(folder, arguments):
    """Run a command in this process, which nothing befalls; (its code, its errors)."""
    errors, before = io.StringIO(), Path.cwd()
    os.chdir(folder)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(errors):
        code = code_after(arguments)
    os.chdir(before)
    return code, errors.getvalue().strip()


def receipt(folder, out="out"):
    path = folder / out / "receipt.json"
    return json.loads(path.read_text()) if path.exists() else None


def charges(folder):
    return Budget(folder / "budget.db").accounts()["records"].charges


def prepared(root, start):
    template = root / "template"
    template.mkdir()
    (template / "data.csv").write_text("v\na\nb\nb\nc\n")
    assert ended(child(template, command(out="out" if start == "replace" else "before"))) == 0
    return template


def stops(root, start, wanted, rng):
    template = prepared(root, start)
    extra = ["--force"] if start == "replace" else []
    whole = Path(shutil.copytree(template, root / "whole"))
    code = ended(child(whole, command(*extra), 0))
    error, total = error_of(whole)
    assert code == 0, error
    begun = time.monotonic()
    assert ended(child(whole, command("--force", "--out=timed"))) == 0
    took = time.monotonic() - begun
    for number in range(wanted):
        kind = KINDS[number % len(KINDS)]
        folder = Path(shutil.copytree(template, root / f"{kind}-{number}"))
        before, old = charges(folder), receipt(folder)
        if kind == "outside":
            running = child(folder, command(*extra))
            time.sleep(rng.uniform(0, took))
            os.kill(running, signal.SIGKILL)
        else:
            function, lines = ("charge", 10) if number // len(KINDS) % 2 else (None, total)  # every other in the charge
            running = child(folder, command(*extra), rng.randrange(1, lines + 1), kind, function)
        code = ended(running)
        folder.chmod(0o755)
        new, left = receipt(folder), charges(folder)
        for path in folder.rglob("*.json"):  # in hidden folders too, where a kill may leave parts
            assert path.parent.name == "new" or json.loads(path.read_text())
        resumed = done_here(folder, RESUMED)[0]
        final, paid = receipt(folder), [json.loads(one.receipt)["noisy"] for one in left[len(before) :]]
        report = {
            "kind": kind, "code": code, "error": error_of(folder)[0], "charges": len(paid), "done": left[-1].written,
            "published": new is not None and new != old, "resumed": resumed,
            "charges in all": len(charges(folder)) - len(before),
            "waiting after": sum(not one.written for one in charges(folder)),
            "is what was paid": not paid or (final is not None and final["noisy"] == paid[0]),
            "released": final is not None and final != old,
            "earlier kept": old is None or final is not None or kind in {"outside", "kill"},
            "files": sorted(path.name for path in (folder / "out").iterdir()) if final is not None else [],
        }  # fmt: skip
        # whatever was left behind is in nobody's way
        report["again"], why = done_here(folder, command(*(["--force"] if final is not None else [])))
        print(json.dumps(report))
        assert report["again"] == 0, why
        shutil.rmtree(folder)


def crowd(root):
    """Forty at once against a limit of ten, then two into one folder, five times."""
    template = prepared(root, "fresh")
    (template / "budget.db").unlink()
    shutil.rmtree(template / "before")
    folder = Path(shutil.copytree(template, root / "forty"))
    limited = [word if not word.startswith("--limit") else "--limit=5/2" for word in command()]
    codes = [ended(one) for one in [child(folder, [*limited, f"--out=out{i}"]) for i in range(40)]]
    print(json.dumps({"succeeded": codes.count(0), "charges": len(charges(folder)),
                      "folders": len(list(folder.glob("out*")))}))  # fmt: skip
    for pair in range(5):
        folder = Path(shutil.copytree(template, root / f"pair{pair}"))
        codes = [ended(one) for one in [child(folder, limited) for _ in range(2)]]
        done_here(folder, [*RESUMED, "--out=other"])
        print(json.dumps({"succeeded": codes.count(0), "charges": len(charges(folder)),
                          "folders": len(list(folder.glob("o*")))}))  # fmt: skip


if __name__ == "__main__":
    receipts._picture = lambda result: b"\x89PNG figure"  # here alone: whoever collects the tests imports this file
    Mixture.interval = lambda share, level: (0.0, level)
    if sys.argv[2] == "crowd":
        crowd(Path(sys.argv[1]))
    else:
        stops(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), random.Random(int(sys.argv[4])))
