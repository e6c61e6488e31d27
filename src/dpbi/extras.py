"""Optional packages, which only Markov chains, the ledger or notebooks need, and the extras that install them."""

from importlib.util import find_spec

EXTRAS = {"numba": "chains", "pandas": "ledger", "flint": "ledger", "dask": "cluster", "distributed": "cluster"}
EXTRAS |= dict.fromkeys(("papermill", "ipykernel", "psutil", "tqdm"), "pages")
"""The extra of ``pyproject.toml`` that installs each optional module."""


def require(what: str, *modules: str) -> None:
    """Check that optional modules, which a plain installation of the library does not include, are installed.

    Args:
        what: Noun phrase for the feature that needs the modules, for the error message.
        modules: Names of the modules.

    Raises:
        ModuleNotFoundError: If a module is missing; the message contains its name and the command that installs it.

    >>> require("this example", "numpy")
    """
    for module in modules:
        if not find_spec(module):
            remedy = f"'dpbi[{EXTRAS[module]}]'" if module in EXTRAS else module
            raise ModuleNotFoundError(f"{what} needs {module}: pip install {remedy}", name=module)
