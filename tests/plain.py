"""Check a plain installation: ``python tests/plain.py [MODULE ...]`` hides the given modules as if not installed.

The script runs the sixty-second example of the README, a plan, a release and a conclusion, imports every module of the
library, and prints each message that asks for an extra. It needs only the library and the folder of this file.
"""

import contextlib
import doctest
import importlib.util
import io
import os
import pkgutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
LACKING = {"pandas": "verify", "papermill": "run first_release", "ipykernel": "sweep first_release -g seed=1"}
"""Commands that need a module, and take long where it is installed."""

COMMANDS = """
plan --records=9 --categories=2 --draws=2
release data.csv --column=answer --categories=yes,no --prior=1,1 --epsilon=1 --no-budget --out=out
check out
conclude out
"""


class Hiding:
    """A finder of modules that does not find those named on the command line."""

    def __init__(self, finder):
        self.find_distributions = getattr(finder, "find_distributions", lambda context: ())
        self.find = finder.find_spec

    def find_spec(self, name, *where):
        return None if name.partition(".")[0] in sys.argv[1:] else self.find(name, *where)


def sentence(action, *arguments):
    """Print what an action says of a module that it needs; one that needs none prints nothing."""
    try:
        action(*arguments)
    except ModuleNotFoundError as error:
        print(error)


def main():
    sys.meta_path[:] = map(Hiding, sys.meta_path)
    os.chdir(ROOT)
    dpbi = importlib.import_module("dpbi")
    print(*sorted({name.partition(".")[0] for name in sys.modules}))
    failed, tried = doctest.testfile(str(ROOT / "README.md"), module_relative=False, encoding="utf-8")
    for module in pkgutil.walk_packages(dpbi.__path__, "dpbi."):
        if module.name != "dpbi.__main__":
            sentence(importlib.import_module, module.name)
    margins, numpy = [dpbi.inference.Margin((0,), [5, 5], 1.0)], importlib.import_module("numpy")
    sentence(dpbi.inference.given_margins, 1, (2, 2), 10, margins, numpy.random.default_rng(1))
    for module, command in LACKING.items():
        if not importlib.util.find_spec(module):
            with contextlib.redirect_stderr(sys.stdout), contextlib.suppress(SystemExit):
                dpbi.cli.main(command.split())
    if not importlib.util.find_spec("dask"):
        sentence(dpbi.cli.execution.cluster("nowhere").__enter__)
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()), contextlib.chdir(folder):
        Path("data.csv").write_text("answer\nyes\nno\nno\n")
        for command in COMMANDS.strip().splitlines():
            dpbi.cli.main(command.split())
    sys.exit(bool(failed or not tried))


if __name__ == "__main__":
    main()
