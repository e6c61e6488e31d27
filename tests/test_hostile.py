"""Every public function with hostile values: an answer, or an error that names the argument, within five seconds."""

import importlib
import inspect
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import dpbi
from dpbi import inference, mcmc, publish
from dpbi import posterior_sampling as ps

MODULES = ("dpbi", "dpbi.publish", "dpbi.inference", "dpbi.mcmc", "dpbi.posterior_sampling", "dpbi.claims")
MASKED = np.ma.array([3, 4, 5], mask=[0, 1, 0])
HOSTILE = (
    None, True, "", "no", "1e3", b"1", 0, -1, 1, 2, 3, 10**6, 2**53, 2**63, 10**400, 10**5000, 0.5, 1.0, -0.0, 1e-320, 5e-324,
    1e-200, 1e-9, 50.0, 1e9, 1e308, float("nan"), float("inf"), -float("inf"), 1j, Fraction(1, 3), np.float32(0.1),
    np.int64(3), np.bool_(True), np.array(3), np.array([3]), np.array([0.5]), MASKED, np.ma.masked, [], (), {}, set(),
    [1], [1, 1], [0, 0], [1, 2, 3], [1, np.nan], [1, np.inf], [1e308, 1e308], [1e-320, 1], [-1, 1], [10**400, 1],
    [[1, 1]], [[1, 2], [3]], [["a"], 1], ["a", "b"], [None, 1], [True, False], "abc", {"a": 1}, {1, 2}, range(3),
    np.zeros((2, 0)), np.ones((2, 2, 2)), np.array([1, 2], dtype=object), np.array([1, 2], dtype="datetime64[s]"),
    object(), len, lambda *a: None, lambda *a: float("nan"), np.random, np.random.default_rng(1), Path("nowhere"),
    list(range(3000)), iter([1, 2]), dpbi.lshist, dpbi.PureDP(1.0), dpbi.lshist(1.0),
)  # fmt: skip

TARGET = mcmc.posterior_of(lambda t, x: -((x - t[0]) ** 2) / 2, np.arange(9.0), lambda t: -(t[0] ** 2) / 2, dimension=1)
FLAT = ps.uniform([0.2, 0.5])
GOOD = {
    "prior": [1, 1], "counts": [4, 6], "n": 10, "k": 3, "epsilon": 0.5, "concentration": [1, 1], "theta": [0.4, 0.6],
    "a": [2, 3], "b": [4, 5], "beta": 0.5, "gamma": 0.5, "delta": 0.1, "rho": 0.5, "orders": [2, 4], "values": [0.1, 0.2],
    "sensitivity": 1.0, "sigma": 2.0, "guarantees": dpbi.PureDP(1.0), "step": dpbi.ZCDP(0.01), "divisor": 4.0,
    "budget": dpbi.ZCDP(1.0), "mechanism": dpbi.geometric(1.0), "weights": None, "family": dpbi.geometric, "t": 0.2,
    "neighbour": [5, 5], "law_matrix": [[0.5, 0.5], [0.4, 0.6]], "neighbours": [(0, 1)], "size": 200, "other": [5, 5],
    "draw": lambda data, rng, size: rng.integers(0, 2, size), "data": [0, 1], "confidence": 0.9, "ties": False,
    "noisy": [4, 6], "bounded": True, "output": [4, 6], "released": [4, 6], "first": [1.0, 2.0], "rest": [2.0, 1.0],
    "intervals": inference.plug_in_intervals(dpbi.geometric(1.0), [1, 1], 10, 0.9), "truth": [2, 1], "level": 0.9,
    "categories": ["x", "y"], "missing": None, "out": None, "force": False, "limit": None, "folder": "nowhere",
    "share": 0.4, "sizes": [2, 2], "margins": [inference.Margin((0,), [4, 6], 0.5)], "draws": 30, "chains": 4, "sweeps": 2,
    "progress": False, "releases": [inference.Noisy([4, 6], 0.5)], "effective_draws": 5, "epsilons": ["1/2"],
    "mechanisms": ["geometric"], "shares": None, "seed": 1, "columns": None, "path": "nowhere", "column": "x",
    "target": TARGET, "algorithm": mcmc.penalty(0.5, 3.0, 0.05), "batch": 6, "scale": 0.1, "clip": 2.0, "stepsize": 0.1,
    "steps": 2, "mass": 1.0, "tau": 0.5, "tau_gradient": 0.5, "clip_gradient": 2.0, "dimension": 1, "temperature": 1.0,
    "log_likelihood": lambda t, x: -((x - t[0]) ** 2) / 2, "log_prior": lambda t: 0.0, "gradient": None, "spread": None,
    "prior_gradient": None, "start": [0.0], "iterations": 3, "shared": False, "low": 0.1, "high": 0.9, "L": 1.5,
    "parameters": [0.2, 0.5], "L0": 0.5, "bound": 1.0, "rate": 1.0, "laws": FLAT, "p": FLAT, "q": ps.weighted([0.2, 0.5], [1, 2]),
    "location": 0.0, "datasets": [[0, 1], [1, 1]], "states": 2, "mean": 0.0, "radius": 1.0, "parents": [[]],
    "utility": lambda t, q, r: 0.5, "query": None, "responses": [1, 2], "log_weights": None, "shape": 1.0,
    "concentrations": [np.ones(2)], "floor": 0.0, "degrees": 3.0, "largest": 5.0, "measure": ps.privacy_loss,
    "statements": [], "jobs": 1, "names": "notes/4.5-lshist",
}  # fmt: skip
OWN = {
    "release": {"values": ["x", "y"], "epsilon": "1/2", "mechanism": "geometric", "rho": None, "budget": None, "data": None},
    "tally": {"values": ["x", "y"]}, "schema": {"said": {"epsilon": 1, "margins": [1], "columns": {"x": {"cuts": [0]}}}},
    "release_table": {"data": "data.csv", "schema": None, "budget": None, "data_set": None},
    "read_column": {"path": "data.csv"}, "read_schema": {"path": "schema.toml"}, "check_release": {"folder": "one"},
    "joint_posterior": {"releases": ["one"]}, "joint_table": {"releases": ["table"], "draws": 25, "prior": 1},
    "resume": {"budget": "budget.db"}, "Budget": {"path": Path("budget.db")}, "given_noise": {"mechanism": "geometric"},
    "within_work": {"mechanism": "geometric"}, "Noisy": {"mechanism": "geometric"}, "plan": {"draws": 2},
    "Margin": {"mechanism": "geometric", "columns": (0,)}, "ehd": {"sensitivity": None}, "hmc_penalty": {"clip": 2.0},
    "given_margins": {"prior": 1.0}, "least_mean_error": {"n": 3}, "least_worst_error": {"n": 3}, "minimax_remap": {"n": 3}, "coverage": {"truth": None}, "exponential_prior": {"rate": 1.0},
    "Wishart": {"scale": np.eye(2)}, "multivariate_normal": {"mean": [0.0, 0.0]}, "psaqr": {"parameters": [0.5]},
    "concluded": {"values": np.arange(9.0)}, "uses_within": {"budget": dpbi.ZCDP(1.0)}, "Tables": {},
    "lipschitz_mass": {"prior": ps.Beta(1, 1)}, "expected_lipschitz": {"prior": FLAT}, "posterior_of": {"data": np.arange(9.0)},
    "RowLikelihood": {"row_gradient": None, "data": np.arange(9.0)}, "study": {"budget": None}, "run": {"budget": dpbi.ZCDP(1.0)},
    "count_posteriors": {"prior": ps.Beta(1, 1), "n": 3}, "worst_neighbours": {"laws": [FLAT, GOOD["q"]]},
    "bernoulli_grid": {"step": 0.2}, "network": {"states": [2]}, "regret_bound": {"responses": 3}, "Beta": {"a": 1.0, "b": 1.0},
    "ExponentialFamily": {"features": np.ones((3, 1)), "natural": lambda t: t, "log_partition": lambda t: t[:, 0],
                          "jacobian": None, "partition_gradient": None}, "Gamma": {"high": 2.0},
    "Intervals": {"lower": np.array([0.1]), "upper": np.array([0.2])}, "Mixture": {"weights": np.array([0.5, 0.5])},
    "Law": {"outputs": [[0, 1], [1, 0]], "log_probabilities": np.log([0.5, 0.5])}, "trimmed_exponential": {},
    "dominating_remap": {"epsilon": 1.0}, "Finite": {"parameters": [0.2, 0.5], "weights": [1, 1]}, "weighted": {"weights": [1, 2]},
}  # fmt: skip
EXCEPTIONS = {
    "Audit Certified Conclusion Cost Draws ErrorLaw ErrorMoments Estimate Info Joint LeCam Oscillation Release Response Run "
    "Sampled State TableRelease BudgetAccount Plan": "values that the library makes and nobody else",
    "Algorithm Family Mechanism ParameterLaw Target": "made of a maker's functions, which are checked where they are called",
    "Statement above at_least at_most below cannot digits equal grid only_in_doubles rows statement": "declarations in "
    "modules of statements, which a test reads",
    "Unfinished releasable": "without arguments",
}
IN_PS = {"prior": FLAT, "family": ps.bernoulli(), "size": 2, "epsilon": 0.5, "n": 3, "rate": 1.0}


def public():
    skipped, found = " ".join(EXCEPTIONS).split(), {}
    for module in MODULES:
        for name in (here := importlib.import_module(module)).__all__:
            if callable(function := getattr(here, name)) and name not in skipped:
                found.setdefault(id(function), (f"{module}.{name}", function))
    return sorted(found.values(), key=lambda each: each[0])


def good_arguments(path, function):
    name, own = path.rpartition(".")[2], IN_PS if path.startswith("dpbi.posterior_sampling") else {}
    own = GOOD | own | OWN.get(name, {})
    kinds = inspect.signature(function).parameters.values()
    made = {each.name: own.get(each.name, "MISSING") for each in kinds}
    if "rng" in made:
        made["rng"] = np.random.default_rng(1)
    if name == "release_table":
        made["schema"] = publish.read_schema("schema.toml")
    return made, {each.name: each.kind for each in kinds}


def called(function, made, kinds):
    args = [value for name, value in made.items() if kinds[name] is inspect.Parameter.VAR_POSITIONAL]
    named = {name: value for name, value in made.items() if kinds[name] is not inspect.Parameter.VAR_POSITIONAL}
    return function(*args, **named)


def late(*_):
    raise TimeoutError("five seconds are over")


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("data.csv").write_text("x,y\n1,a\n-2,b\n3,a\n")
    Path("schema.toml").write_text(
        "epsilon = '1/2'\nmargins = [1]\ncolumns = {x = {cuts = [0]}, y = {categories = ['a', 'b']}}"
    )
    publish.release(["x", "y"], ["x", "y"], [1, 1], "1/2", out="one", budget="budget.db", limit=1)
    publish.release_table("data.csv", publish.read_schema("schema.toml"), out="table")


FITS = {"prior": "counts|noisy|output|values|released", "concentration": "theta", "sizes": "noisy", "budget": "limit", "n": "intervals|output", "orders": "values", "outputs": "log_probabilities",
        "p": "law", "q": "law", "said": "schema|columns", "datasets": "data", "states": "parents"}  # fmt: skip
"""Arguments that have to fit another one, which may be named instead."""

WORK = {"size", "draws", "sweeps", "chains", "iterations", "steps", "batch", "jobs"}  # these take as long as is asked


def hostile(argument, good):
    """The hostile values of an argument. Functions of the caller raise errors of their own."""
    if argument == "statements":  # None is all of them, which take minutes
        return [value for value in HOSTILE if value is not None]
    own = callable(good) or argument in ("progress", "gradient", "prior_gradient", "spread")
    return [
        value for value in HOSTILE
        if not (argument in WORK and isinstance(value, int) and value > 1000) and not (own and callable(value))
    ]  # fmt: skip


def names(argument, message):
    wanted = f"{argument.rstrip('s')}|{argument.replace('_', ' ')}|{FITS.get(argument, argument)}"
    return re.search(rf"\b({wanted})", message)


def trials():
    return [
        (path, function, argument) for path, function in public() for argument in inspect.signature(function).parameters
    ]
