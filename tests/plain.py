"""What a plain installation does: ``python tests/plain.py [MODULE ...]``, where modules are hidden as if not installed.

It runs the README's sixty seconds, a plan, a release and a conclusion, imports every module of the library, and prints
each sentence that asks for an extra. It needs nothing but the library and this file's folder.
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
COMMANDS = """
plan --records=9 --categories=2 --draws=2 --figure=widths.png
release data.csv --column=answer --categories=yes,no --prior=1,1 --epsilon=1 --no-budget --out=out
check out
conclude out
"""
LACKING = {
    "pandas": "verify --jobs=1",
    "papermill": "run first_release --out=here",
    "ipykernel": "sweep first_release -g seed=1,2",
}
"""Commands that need a module, and take long where it is installed."""


class Hiding:
    """A finder of modules that does not find those named on the command line."""

    def __init__(self, finder):
        self.finder = finder

    def __getattr__(self, name):
        return getattr(self.finder, name)

    def find_spec(self, name, *where):
        return None if name.partition(".")[0] in sys.argv[1:] else self.finder.find_spec(name, *where)


def sentence(action, *arguments):
    """Print what an action says of a module that it needs; one that needs none prints nothing."""
    try:
        action(*arguments)
    except ModuleNotFoundError as error:
        print(error)


def failing(command):
    """Raise what a command writes to standard error before it fails."""
    from dpbi.cli import main

    with contextlib.redirect_stderr(io.StringIO()) as said, contextlib.suppress(SystemExit):
        main(command.split())
    if "pip install" in said.getvalue():
        raise ModuleNotFoundError(said.getvalue().strip())


def main():
    sys.meta_path[:] = map(Hiding, sys.meta_path)
    os.chdir(ROOT)
    dpbi = importlib.import_module("dpbi")
    print(*sorted({name.partition(".")[0] for name in sys.modules}))
    failed, tried = doctest.testfile(str(ROOT / "README.md"), module_relative=False, encoding="utf-8")
    modules = [module.name for module in pkgutil.walk_packages(dpbi.__path__, "dpbi.") if "__main__" not in module.name]
    for name in modules:
        sentence(importlib.import_module, name)
    margins = [dpbi.inference.Margin((0,), [5, 5], 1.0)]
    sentence(
        dpbi.inference.given_margins, 1, (2, 2), 10, margins, importlib.import_module("numpy").random.default_rng(1)
    )
    for module, command in LACKING.items():
        if not importlib.util.find_spec(module):
            sentence(failing, command)
    if not importlib.util.find_spec("dask"):
        sentence(dpbi.cli.execution.cluster("nowhere").__enter__)
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()), contextlib.chdir(folder):
        Path("data.csv").write_text("answer\nyes\nno\nno\n")
        for command in COMMANDS.strip().splitlines():
            dpbi.cli.main(command.split())
    sys.exit(bool(failed or not tried))


if __name__ == "__main__":
    main()
