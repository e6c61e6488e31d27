r"""Chains for publication: samples with a receipt, noise on a lattice from the operating system, a charged account.

A step costs \(\rho\), an exact number; N steps of C chains cost \(NC\rho\), and that is what the account is charged,
rounded up. Charges in rho add up, with those of other releases and whatever deltas they are read at; an epsilon at a
delta is no pure privacy, so an account with a limit in epsilon cannot pay. The charge is on the disk before the first
step looks at the rows, together with the name of the run. With a ``checkpoint`` nothing that was paid for is lost when
a run is stopped: called again, it goes on from there and is charged no more.
"""

import math
import os
import platform
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import checks
from ..guarantees import ZCDP, ApproxDP, uses_within
from ..mcmc.algorithm import Algorithm
from ..mcmc.checkpoints import checkpointed
from ..mcmc.driver import checked_start, header_of, iterated, run
from ..mcmc.lattice import lattice_for
from ..mcmc.row_models import RowLikelihood
from ..mcmc.run_report import Run
from ..mcmc.target import Target
from ..progress import Progress, shown
from .budget import Price, read_limit
from .journal import charge, now, read_journal

DIGITS = 10**9
"""An epsilon is said as a whole number of these parts, rounded up."""

PARTS = 10**15
"""A charge in rho is a whole number of these parts, rounded up."""


def fit(
    target: Target,
    algorithm: Algorithm,
    start: ArrayLike,
    *,
    budget: ApproxDP,
    names: Sequence[str] = (),
    iterations: int | None = None,
    rng: np.random.Generator | None = None,
    release: bool = False,
    account: str | os.PathLike[str] | None = None,
    limit: str | int | Fraction | None = None,
    data: str | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: bool | Progress = False,
) -> Run:
    """Chains from a model of one's own within a budget; with ``release``, samples that may be published.

    Without ``release`` this is ``dpbi.mcmc.run`` with the generator ``rng``. With it there is none: noise comes from
    the operating system. ``account`` is the budget file that is charged in rho, for the data set that ``data`` names,
    and ``limit``, "rho 1/10" for instance, opens it; ``checkpoint`` is a folder for the run, which an account needs.
    The run has a ``receipt``.

    The start must be chosen without the rows, as must be the algorithm's settings: ``dpbi.mcmc.tuned`` does it on rows
    that are simulated.

    >>> from dpbi import ApproxDP
    >>> from dpbi.mcmc import penalty, posterior_of
    >>> rows = np.random.default_rng(1).normal(0.5, 1.0, size=2000)
    >>> target = posterior_of(lambda t, x: -((x - t[0]) ** 2) / 2, rows, lambda t: -t[0] ** 2 / 2, dimension=1)
    >>> done = fit(target, penalty(0.1, 3.0, 0.05), [0.0], budget=ApproxDP(2, 1e-5), names=["mean"], release=True)
    >>> done.samples.shape, round(float(done.receipt["guarantee"]["rho"]), 9)
    ((4, 1, 1), 0.1)
    """
    if not release:
        if account is not None or limit is not None or data is not None:
            raise ValueError("account, limit and data must come with release=True: what is not released is not charged")
        return run(
            checks.generator(rng),
            target,
            algorithm,
            start,
            budget=budget,
            iterations=iterations,
            progress=progress,
            names=names,
            checkpoint=checkpoint,
        )
    _refuse(target, algorithm, rng, account, limit, data, checkpoint)
    theta = checked_start(target, start)
    fine = replace(target, lattice=lattice_for(target.rows, target.temperature))
    one = algorithm.released(target.rows) if algorithm.released else Fraction(0)
    total = planned_iterations(one * len(theta), budget, iterations)
    epsilon = epsilon_said(one * len(theta) * total, budget)
    generator = np.random.default_rng(secrets.randbits(256))  # of proposals and decisions, which no privacy rests on
    header = header_of(fine, algorithm, theta, total, study=False) | {"release": True}
    with checkpointed(checkpoint, header) as kept:
        key = None if kept is None else kept.key
        if account is not None and key is not None:
            _charge(Path(account), charged_rho(one * len(theta) * total), limit, data, key, algorithm)
        done = iterated(
            generator, fine, algorithm, theta, total, kept, shown(progress, "iterations"), names, study=False
        )
    charged = None if account is None else {"account": Path(account).name, "id": key}
    receipt = {**_facts(done, fine, one, epsilon, budget, total), "charge": charged}
    return replace(done, cost=ZCDP(float(one * len(theta) * total)), receipt=receipt)


def planned_iterations(rho: Fraction, budget: ApproxDP, iterations: int | None) -> int:
    r"""How many steps of that \(\rho\) the budget allows, or as many of them as are asked for."""
    most = uses_within(ZCDP(float(rho)), budget)
    if most == 0:
        raise ValueError(f"budget must allow one step, which costs rho={float(rho):.3g}, got {budget!r}")
    return most if iterations is None else min(most, checks.whole("iterations", iterations, least=1))


def epsilon_said(rho: Fraction, budget: ApproxDP) -> Fraction:
    r"""The epsilon that a receipt says for a \(\rho\), at the delta of the budget and within it."""
    exact = ZCDP(float(rho)).epsilon(budget.delta)
    return min(Fraction(math.ceil(exact * DIGITS + 1e-3), DIGITS), Fraction(float(budget.epsilon)))


def charged_rho(rho: Fraction) -> Fraction:
    r"""The \(\rho\) that an account is charged.

    >>> charged_rho(Fraction(1, 2500)), charged_rho(Fraction(1, 3)) - Fraction(1, 3) < Fraction(1, 10**15)
    (Fraction(1, 2500), True)
    """
    return Fraction(math.ceil(rho * PARTS), PARTS)


def _refuse(
    target: Target,
    algorithm: Algorithm,
    rng: Any,
    account: Any,
    limit: Any,
    data: Any,
    checkpoint: Any,
) -> None:
    if not isinstance(algorithm, Algorithm) or algorithm.released is None:
        allowed = "penalty, component_penalty, guided_walk, gauss_bernoulli or hmc_penalty"
        raise ValueError(f"algorithm must be one whose noise is drawn exactly, {allowed}, got {algorithm!r}")
    if not isinstance(target.likelihood, RowLikelihood):
        raise ValueError("target must be given by its rows for a release, as posterior_of makes it")
    if algorithm.parameters["clip"] is None:
        raise ValueError("clip must be a finite number > 0 for a release, got None: a spread holds before rounding")
    if rng is not None:
        raise ValueError("rng must be left away for a release: noise comes from the operating system")
    if account is None and (limit is not None or data is not None):
        raise ValueError("limit and data must come with an account, and there is none")
    if account is not None and checkpoint is None:
        raise ValueError("checkpoint must be a folder where an account is charged: what was paid for is kept there")


def _charge(
    path: Path,
    rho: Fraction,
    limit: Any,
    data: str | None,
    key: str,
    algorithm: Algorithm,
) -> None:
    """Charge an account once for a run, however often it is begun."""
    if any(entry.get("id") == key for entry in read_journal(path).entries):
        return
    most = None if limit is None else read_limit(limit)
    entry = {"mechanism": algorithm.name, "date": now(), "id": key}
    charge(Path(os.path.realpath(path)), Price("rho", rho), most, entry, data)


def _facts(
    done: Run, target: Target, rho: Fraction, epsilon: Fraction, budget: ApproxDP, total: int
) -> Mapping[str, Any]:
    chains = done.samples.shape[1]
    lattice = target.lattice
    return {
        "mechanism": done.algorithm.name,
        "parameters": dict(done.algorithm.parameters),
        "guarantee": {
            "notion": "zero-concentrated differential privacy, as epsilon at delta",
            "rho": str(float(rho * chains * total)),
            "rho_of_a_step": str(rho),
            "epsilon": str(epsilon),
            "delta": str(float(budget.delta)),
        },
        "neighbours": "two data sets of n rows that differ in one replaced row",
        "n": target.rows,
        "temperature": float(target.temperature),
        "chains": chains,
        "iterations_paid": total,
        "iterations": done.iterations,
        "complete": done.complete,
        "start": done.start.tolist(),
        "names": list(done.names),
        "grain": str(lattice.grain) if lattice is not None else None,
        "noise": "discrete Gaussian, drawn exactly by integer arithmetic from the operating system's entropy",
        "private": ["the rows"],
        "public": ["the number of rows n", "the model, the prior, the start, the algorithm and its settings"],
        "not_covered": [
            "the time that the computation took",
            "a likelihood whose number for one row depends on another row",
            "settings or a start that were chosen by looking at the rows",
            "errors that stop a run",
            "other releases from the same rows",
        ],
        "library": {"dpbi": version("dpbi"), "python": platform.python_version(), "numpy": np.__version__},
        "date": now(),
    }
