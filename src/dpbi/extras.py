"""What a plain installation lacks: the packages that only chains, the ledger or pages use, and the extra of each."""

from importlib.util import find_spec

EXTRAS = {"numba": "chains", "pandas": "ledger", "flint": "ledger", "dask": "cluster", "distributed": "cluster"}
EXTRAS |= dict.fromkeys(("papermill", "ipykernel", "psutil", "tqdm"), "pages")
"""Modules that an extra of ``pyproject.toml`` brings, and the name of that extra."""


def require(what: str, *modules: str) -> None:
    """Check that modules are installed which a plain installation of the library does not bring.

    Args:
        what: What needs them, for the message.
        modules: Their names.

    Raises:
        ModuleNotFoundError: If one of them is missing; the message names it and the command that installs it.

    >>> require("this example", "numpy")
    """
    for module in modules:
        if not find_spec(module):
            remedy = f"'dpbi[{EXTRAS[module]}]'" if module in EXTRAS else module
            raise ModuleNotFoundError(f"{what} needs {module}: pip install {remedy}", name=module)
