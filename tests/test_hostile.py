"""Every public function with hostile values returns a result or an error that names the argument, within five seconds.

A result is correct only if the value is in the range of the argument: prices, counts and priors are never guessed.
"""

import importlib
import inspect
import itertools
import math
import random
import re
import signal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import dpbi
from dpbi import inference, mcmc, publish
from dpbi import posterior_sampling as ps

MODULES = ("dpbi", "dpbi.publish", "dpbi.inference", "dpbi.mcmc", "dpbi.posterior_sampling", "dpbi.claims")
HOSTILE = (
    None, True, "", "no", "1e3", b"1", 0, -1, 1, 2, 3, 10**6, 2**53, 2**63, 10**400, 10**5000, 0.5, 1.0, -0.0, 1e-320,
    5e-324, 1e-200, 1e-9, 50.0, 1e9, 1e308, float("nan"), float("inf"), -float("inf"), 1j, Fraction(1, 3),
    np.float32(0.1), np.int64(3), np.bool_(True), np.array(3), np.array([3]), np.array([0.5]),
    np.ma.array([3, 4], mask=[0, 1]), np.ma.masked, [], (), {}, set(), [1], [1, 1], [0, 0], [1, 2, 3], [1, np.nan],
    [1, np.inf], [1e308, 1e308], [1e-320, 1], [-1, 1], [10**400, 1], [[1, 1]], [[1, 2], [3]], [["a"], 1], ["a", "b"],
    [None, 1], [True, False], "abc", {"a": 1}, {1, 2}, range(3), np.zeros((2, 0)), np.ones((2, 2, 2)),
    np.array([1, 2], dtype=object), np.array([1, 2], dtype="datetime64[s]"), object(), len, lambda *a: None,
    lambda *a: float("nan"), np.random, np.random.default_rng(1), Path("nowhere"), list(range(3000)), iter([1, 2]),
    dpbi.lshist, dpbi.PureDP(1.0), dpbi.lshist(1.0), [1, 0], [1, 1.5], [2**52, 2**52],
)  # fmt: skip
TARGET = mcmc.posterior_of(lambda t, x: -((x - t[0]) ** 2) / 2, np.arange(9.0), lambda t: -(t[0] ** 2) / 2, dimension=1)
FLAT = ps.uniform([0.2, 0.5])
GOOD = {
    "prior": [1, 1], "counts": [4, 6], "n": 10, "k": 3, "epsilon": 0.5, "concentration": [1, 1], "theta": [0.4, 0.6],
    "a": [2, 3], "b": [4, 5], "beta": 0.5, "gamma": 0.5, "delta": 0.1, "rho": 0.5, "orders": [2, 4],
    "values": [0.1, 0.2], "sensitivity": 1.0, "sigma": 2.0, "guarantees": dpbi.PureDP(1.0), "step": dpbi.ZCDP(0.01),
    "budget": dpbi.ZCDP(1.0), "mechanism": dpbi.geometric(1.0), "family": dpbi.geometric, "t": 0.2, "neighbour": [5, 5],
    "law_matrix": [[0.5, 0.5], [0.4, 0.6]], "neighbours": [(0, 1)], "size": 200, "other": [5, 5],
    "draw": lambda data, rng, size: rng.integers(0, 2, size), "data": [0, 1], "noisy": [4, 6], "output": [4, 6],
    "released": [4, 6], "first": [1.0, 2.0], "rest": [2.0, 1.0],
    "intervals": inference.plug_in_intervals(dpbi.geometric(1.0), [1, 1], 10, 0.9), "level": 0.9,
    "categories": ["x", "y"], "count": 2, "order": 2.0, "folder": "nowhere", "share": 0.4, "sizes": [2, 2],
    "margins": [inference.Margin((0,), [4, 6], 0.5)], "draws": 30, "chains": 4, "sweeps": 2,
    "releases": [inference.Noisy([4, 6], 0.5)], "effective_draws": 5, "epsilons": ["1/2"], "mechanisms": ["geometric"],
    "release": inference.Noisy([4, 6], 0.5), "category": 0, "uniform": 0.5,
    "path": "nowhere", "column": "x", "target": TARGET, "algorithm": mcmc.penalty(0.5, 3.0, 0.05), "batch": 6,
    "scale": 0.1, "clip": 2.0, "stepsize": 0.1, "steps": 2, "tau": 0.5, "tau_gradient": 0.5, "clip_gradient": 2.0,
    "dimension": 1, "log_likelihood": lambda t, x: -((x - t[0]) ** 2) / 2, "log_prior": lambda t: 0.0, "start": [0.0],
    "iterations": 3, "L": 1.5, "parameters": [0.2, 0.5], "L0": 0.5, "bound": 1.0, "rate": 1.0, "laws": FLAT, "p": FLAT,
    "q": ps.weighted([0.2, 0.5], [1, 2]), "datasets": [[0, 1], [1, 1]], "states": 2, "parents": [[]],
    "utility": lambda t, q, r: 0.5, "query": None, "responses": [1, 2], "shape": 1.0, "concentrations": [np.ones(2)],
    "degrees": 3.0, "measure": ps.privacy_loss, "statements": [], "names": "notes/4.5-lshist", "weights": [0.5, 0.5],
    "mean": [0.0, 0.0], "low": 0.1, "high": 2.0, "columns": (0,),
    "spec": {"epsilon": 1, "margins": [1], "columns": {"x": {"cuts": [0]}}},
}  # fmt: skip
OWN = {
    "release": {"data": ["x", "y"], "mechanism": "geometric", "budget": None, "data_set": None, "rho": None},
    "tally": {"data": ["x", "y"]}, "release_table": {"data": "data.csv", "schema": None, "budget": None},
    "read_column": {"path": "data.csv"}, "read_schema": {"path": "schema.toml"}, "check_release": {"folder": "one"},
    "count_for_test": {"release": "one", "category": "x", "columns": None},
    "joint_posterior": {"releases": ["one"], "columns": None},
    "joint_table": {"releases": ["table"], "draws": 25, "prior": 1, "columns": None}, "resume": {"budget": "budget.db"},
    "Budget": {"path": Path("b.db")}, "plan": {"draws": 2}, "ehd": {"sensitivity": 1.0},
    "posterior_of": {"data": np.arange(9.0)}, "study": {"budget": None}, "given_margins": {"prior": 1.0},
    "concluded": {"values": np.arange(9.0)}, "dominating_remap": {"epsilon": 1.0},
    "lipschitz_mass": {"prior": ps.Beta(1, 1)}, "count_posteriors": {"prior": ps.Beta(1, 1)},
    "worst_neighbours": {"laws": [FLAT, FLAT]}, "bernoulli_grid": {"step": 0.2}, "network": {"states": [2]},
    "error_quantile": {"q": 0.5}, "ErrorLaw.quantile": {"q": 0.5},
    "error_quantiles": {"q": 0.5}, "regret_bound": {"responses": 3, "failure": 0.1},
    "Beta": {"a": 1.0, "b": 1.0, "low": -1.0}, "Wishart": {"scale": np.eye(2)},
    "normal_precision": {"mean": 0.0}, "weighted": {"weights": [1, 2]}, "Finite": {"weights": [1, 2]},
    "Intervals": {"lower": np.array([0.1]), "upper": np.array([0.2])},
    "ExponentialFamily": {"features": np.ones((3, 1)), "natural": lambda t: t, "log_partition": lambda t: t[:, 0]},
    "Law": {"outputs": [[0, 1], [1, 0]], "log_probabilities": np.log([0.5, 0.5])}, "psaqr": {"parameters": [0.5]},
    "least_mean_error": {"n": 3, "weights": None}, "least_worst_error": {"n": 3, "weights": None},
    "minimax_remap": {"n": 3, "weights": None}, "root_mean": {"weights": None}, "remapped": {"weights": None},
    "least_mean_divergence": {"weights": None}, "least_mean_squared_distance": {"weights": None},
    "given_noise": {"mechanism": "geometric"}, "within_work": {"mechanism": "geometric"},
    "Noisy": {"mechanism": "geometric"}, "Margin": {"mechanism": "geometric"},
}  # fmt: skip
IN_PS = {"prior": FLAT, "family": ps.bernoulli(), "size": 2, "epsilon": 0.5, "n": 3, "rate": 1.0}
FITS = {
    "prior": "counts|noisy|output|values|released", "n": "intervals|output", "orders": "values", "sizes": "noisy",
    "outputs": "log_probabilities", "p": "law", "q": "law", "spec": "schema|columns", "datasets": "data",
    "data": "values", "release": "receipt", "counts": "n", "states": "parents", "concentration": "theta",
    "budget": "limit",
}  # fmt: skip
"""Arguments that have to fit another one, or are called by another name: which of the two is wrong nobody knows."""

NOT_SWEPT = {
    "Audit BudgetAccount Certified Conclusion Cost Draws ErrorLaw ErrorMoments Estimate Info Joint LeCam Oscillation "
    "Plan Release Response Run Sampled State TableRelease": "values that the library makes",
    "Algorithm Family Mechanism ParameterLaw RowLikelihood Target": "a user's functions, checked where they run",
    "Statement above at_least at_most below cannot digits equal grid only_in_doubles rows statement": "declarations",
    "Unfinished releasable": "without arguments",
}
AS_LONG_AS_ASKED = {"size", "draws", "sweeps", "chains", "iterations", "steps", "batch", "jobs"}
OF_THE_CALLER = {"progress", "gradient", "prior_gradient", "spread", "posterior_of data"}
"""Amounts of work take as long as is asked; functions of the caller, and rows that only they read, raise their own."""

OBJECTS = (
    *(dpbi.lshist(0.8), dpbi.laplace_in_order(0.8), dpbi.lattice_laplace(0.8), dpbi.randomised_response(0.8)),
    *(dpbi.permute_and_flip(0.8), dpbi.ehd(0.8, 0.5), dpbi.smoothed_hellinger(0.8, 1e-5),
        dpbi.calibrate(dpbi.ehd, [1, 1], 10, 1)),
    *(dpbi.PureDP(1.0), dpbi.ApproxDP(1.0, 0.1), dpbi.error_law(dpbi.lshist(0.8), [1, 1], [4, 6])),
    *(dpbi.ZCDP(0.1), dpbi.GaussianDP(0.35), dpbi.BoundedRange(0.5), dpbi.RDP([2, 64], [0.1, 0.3])),
)  # fmt: skip
METHODS = "promise_at law laws sample delta_at epsilon_at repeat below quantile tail"
POSITIVE = "beta clip clip_gradient concentration count divisor epsilon gamma prior rho sensitivity sigma tau"
FROM_0 = [*POSITIVE.split(), "temperature", "counts", "n", "size", "hellinger a", "hellinger b"]
UP_TO_1 = ["confidence", "delta", "failure", "level", "share"]
UP_TO_1 += [f"{name} q" for name in ("error_quantile", "error_quantiles", "ErrorLaw.quantile")]
RANGES = {"t": (-math.inf, math.inf)} | dict.fromkeys(FROM_0, (0, math.inf)) | dict.fromkeys(UP_TO_1, (0, 1))
RANGES |= dict.fromkeys(("iterations", "steps", "dimension"), (1, math.inf))
RANGES |= dict.fromkeys(("k", "batch"), (2, math.inf))
"""The least and the largest number that is answered; some functions answer fewer."""

AT, DELTA, REPEAT = (
    " ".join(f"{kind}.{method}" for kind in ("ApproxDP", "BoundedRange", "GaussianDP", "PureDP", "RDP", "ZCDP"))
    for method in ("epsilon_at", "delta_at", "repeat")
)
ENDS = {
    "delta 0": f"ApproxDP audit_sampler epsilon_at_delta {AT}", "delta 1": f"ApproxDP {AT}", "rho 0": "GaussianDP ZCDP",
    "epsilon 0": f"ApproxDP BoundedRange PureDP hockey_stick least_delta {DELTA}",
    "sensitivity 0": "gaussian_mechanism", "size 0": "Mechanism.sample", "count 0": REPEAT,
}  # fmt: skip
CLOSED = {"counts", "n", "share", "iterations", "steps", "k", "batch", "dimension"}
"""The functions that answer an end of a range, and the arguments of which it may be answered everywhere."""

WHOLE = {"batch", "count", "iterations", "k", "n", "size", "steps"}
OPTIONAL = {"clip", "iterations", "sensitivity", "dominating_remap epsilon", "release rho"}
CHECKED_LATER = {"Margin", "Noisy"}
ROWS = "exponential_smooth_sensitivity local_sensitivity posterior reciprocal_smooth_sensitivity"
"""Arguments that may be None, values that the functions that read them check, and functions of many datasets."""


def in_range(name, argument, good, value):
    """Whether a value may be answered: a number, or numbers where they are asked for, in the range of the argument."""
    if argument == "rng" or isinstance(good, dpbi.Mechanism):
        return isinstance(value, np.random.Generator if argument == "rng" else dpbi.Mechanism)
    several, own = isinstance(good, list), f"{name} {argument}"
    least, most = RANGES.get(own, RANGES.get(argument, (None, None)))
    if least is None or name in CHECKED_LATER or not (several or isinstance(good, int | float)):
        return True
    if value is None or isinstance(value, set | dict) or np.ma.is_masked(value):
        return value is None and bool({argument, own} & OPTIONAL)
    try:
        numbers = np.array(float(value) if isinstance(value, Fraction) else value)
    except ValueError:  # ragged
        return False
    kinds = "iu" if argument in WHOLE else "iuf"
    if numbers.dtype.kind not in kinds or (numbers.ndim > 0) != several or (several and numbers.size < 2):
        return False
    if argument == "counts" and (numbers.shape[-1] != 2 or (numbers.ndim > 1 and name not in ROWS.split())):
        return name == "neighbours"  # of others the prior has two categories
    if argument == "counts" and ((numbers % 1).any() or numbers.sum(axis=-1).max() >= 2**53):
        return False
    at_end = np.isin(numbers, (least, most)).any() and argument not in CLOSED
    if at_end and (several or name not in ENDS.get(f"{argument} {abs(numbers):g}", "").split()):
        return False
    return bool((np.isfinite(numbers) & (numbers >= least) & (numbers <= most)).all())


def allowed(name, argument, good, value):
    if argument in AS_LONG_AS_ASKED and isinstance(value, int) and value > 1000:
        return False
    if f"{name} {argument}" in OF_THE_CALLER or (name, argument, value is None) == ("ledger", "statements", True):
        return False  # a ledger of None is one of all statements, which takes minutes
    return not ((callable(good) or argument in OF_THE_CALLER) and callable(value))


def functions(module):
    """The public functions of a module by name; of the first one methods too."""
    skipped = " ".join(NOT_SWEPT).split()
    for name in (here := importlib.import_module(module)).__all__:
        function = getattr(here, name)
        seen = module != "dpbi" and name in dpbi.__all__ and function is getattr(dpbi, name)
        if callable(function) and name not in skipped and not seen:
            yield name, function
    if module == "dpbi":
        for one, name in itertools.product(OBJECTS, METHODS.split()):
            if callable(method := getattr(one, name, None)):
                kind = dpbi.Mechanism if isinstance(one, dpbi.Mechanism) else type(one)
                yield f"{kind.__name__}.{name}", method


def trials(module):
    """The calls of a module: its function, the arguments by kind, and the one that is hostile."""
    for name, function in functions(module):
        kinds = inspect.signature(function).parameters
        known = GOOD | (IN_PS if module.endswith("sampling") else {}) | OWN.get(name, {}) | {"rng": None}
        good = {argument: known.get(argument, kind.default) for argument, kind in kinds.items()}
        starred = [argument for argument, kind in kinds.items() if kind.kind == kind.VAR_POSITIONAL]
        yield name, function, good, starred, None, None
        for argument in kinds:
            for value in HOSTILE:
                if allowed(name, argument, good[argument], value):
                    yield name, function, good, starred, argument, value


def late(*_):
    raise AssertionError("five seconds of computing are over")


def wrong(name, function, good, starred, argument, value):
    """What is wrong with a call, empty if nothing is."""
    made = good | ({"rng": np.random.default_rng(1)} if "rng" in good else {}) | ({argument: value} if argument else {})
    if name == "release_table" and argument != "schema":
        made["schema"] = publish.read_schema("schema.toml")
    signal.setitimer(signal.ITIMER_PROF, 5)
    try:
        function(*[made[each] for each in starred], **{each: x for each, x in made.items() if each not in starred})
    except (TypeError, ValueError) as error:
        words = f"{(argument or '-').rstrip('s')}|{(argument or '-').replace('_', ' ')}|{FITS.get(argument, '-')}"
        good_error = argument and re.search(rf"\b({words})", str(error)) and len(str(error)) < 700
        return "" if good_error else f"{name}({argument}=...): {error!r:.300}"
    except Exception as error:  # a path that is not there is named by an OSError
        fine = argument and isinstance(error, OSError) and error.filename is not None
        return "" if fine else f"{name}({argument}=...): {error!r:.300}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return "" if in_range(name, argument, good.get(argument), value) else f"{name}({argument}={value!r}) is answered"


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with what paths are about, and an alarm."""
    monkeypatch.chdir(tmp_path)
    before = signal.signal(signal.SIGPROF, late)
    Path("data.csv").write_text("x,y\n1,a\n-2,b\n3,a\n")
    Path("schema.toml").write_text("epsilon = '1/2'\nmargins = [1]\n[columns]\nx.cuts = [0]\ny.categories = ['a', 'b']")
    publish.release(["x", "y"], ["x", "y"], [1, 1], "1/2", out="one", budget="budget.db", limit=1)
    publish.release_table("data.csv", publish.read_schema("schema.toml"), out="table")
    inference.given_margins(1, [2, 2], 10, GOOD["margins"], np.random.default_rng(1), draws=4)  # compiles, untimed
    yield
    signal.signal(signal.SIGPROF, before)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("no_figures", "place")
def test_some_hostile_calls_are_answered_or_refused_by_name():
    calls = random.Random(20261128).sample([call for module in MODULES for call in trials(module)], 1500)
    assert not "\n".join(filter(None, (wrong(*call) for call in calls)))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("module", MODULES)
@pytest.mark.usefixtures("no_figures", "place")
def test_all_hostile_calls_are_answered_or_refused_by_name(module):
    calls = list(trials(module))
    assert len(calls) > 100
    assert not "\n".join(filter(None, (wrong(*call) for call in calls)))
