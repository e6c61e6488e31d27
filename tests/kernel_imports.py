"""What the kernels of the tests have imported when they are forked; none of it begins a thread or reads a file."""

import builtins


class Kernel:
    """What pandas asks for, where it is imported, to know that it prints into a notebook and not into a terminal."""

    kernel = None


builtins.get_ipython = Kernel
import pandas  # noqa: E402, F401

del builtins.get_ipython

import ipykernel.debugger  # noqa: E402
import ipykernel.kernelapp  # noqa: E402, F401
import numba  # noqa: E402
import scipy.stats  # noqa: E402, F401

import dpbi.claims  # noqa: E402
import dpbi.cli  # noqa: E402
import dpbi.mcmc  # noqa: E402
import dpbi.plots  # noqa: E402
import dpbi.posterior_sampling  # noqa: E402, F401

numba.njit(lambda x: x)(1)  # the first compilation also loads what numba knows of Python
