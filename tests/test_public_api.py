"""The names and signatures that callers rely on, pinned as text: a change here is a change of the interface."""

import doctest
import importlib
import inspect
import pkgutil
import re
from operator import attrgetter

import dpbi

FUNCTIONS = """
audit(mechanism, prior, n)
calibrate(family, prior, n, epsilon)
count_vectors(n, k)
ehd(epsilon, sensitivity=None)
ehdl(epsilon)
ehds(epsilon, gamma=1.0, divisor=4.0)
epsilon_at_delta(mechanism, prior, n, delta)
error_law(mechanism, prior, counts)
error_quantile(mechanism, prior, counts, gamma)
error_quantiles(mechanism, prior, n, gamma)
error_tail(mechanism, prior, counts, t)
error_tails(mechanism, prior, n, t)
exponential_smooth_sensitivity(prior, counts, beta)
geometric(epsilon)
global_sensitivity(prior, n)
hellinger(a, b)
hockey_stick(mechanism, prior, n, epsilon)
laplace_in_order(epsilon, sensitivity=2.0)
lattice_size(n, k)
local_sensitivity(prior, counts)
log_density(concentration, theta)
lsdim(epsilon)
lshist(epsilon)
lszhang(epsilon)
mean_error(mechanism, prior, counts)
mean_errors(mechanism, prior, n)
neighbours(counts)
posterior(prior, counts)
reciprocal_smooth_sensitivity(prior, counts, gamma)
smoothed_hellinger(epsilon, delta, divisor=2.0)
"""

VALUES = """
ApproxDP(epsilon, delta)
Audit(epsilon, counts, neighbour, output)
ErrorLaw(distances, probabilities)
Law(outputs, log_probabilities)
Mechanism.law(self, prior, counts)
Mechanism.laws(self, prior, n)
Mechanism.sample(self, prior, counts, rng, size=1)
Mechanism.rate(self, prior, counts)
Mechanism.promise_at(self, prior, n)
PureDP(epsilon)
"""


def lines(text):
    return text.strip().splitlines()


def signature(name):
    parameters = inspect.signature(attrgetter(name)(dpbi)).parameters.values()
    shown = (p.name if p.default is p.empty else f"{p.name}={p.default!r}" for p in parameters)
    return f"{name}({', '.join(shown)})"


def test_names_and_signatures_stay():
    pinned = [*lines(FUNCTIONS), *lines(VALUES)]
    names = [line.split("(")[0] for line in pinned]
    assert [signature(name) for name in names] == pinned
    assert {name.partition(".")[0] for name in names} <= set(dpbi.__all__)


def test_every_export_exists_and_none_is_listed_twice():
    assert len(set(dpbi.__all__)) == len(dpbi.__all__)
    assert not [name for name in dpbi.__all__ if not hasattr(dpbi, name)]
    assert dpbi.__version__


def modules():
    return [module.name for module in pkgutil.walk_packages(dpbi.__path__, "dpbi.")]


def test_a_module_is_what_its_name_imports():
    # a function of the same name in the folder would stand in its place: `import dpbi.X as x` gives the function
    for name in modules():
        importlib.import_module(name)
        folder, _, last = name.rpartition(".")
        assert inspect.ismodule(getattr(importlib.import_module(folder), last)), name


ROOMS = ["model", "guarantees", "mechanisms", "privacy", "accuracy", "inference", "optimum", "publish", "mcmc"]
ROOMS += ["posterior_sampling"]


def test_every_public_callable_has_an_example_that_shows_a_result():
    found = {}
    for module in (dpbi, *(importlib.import_module(f"dpbi.{room}") for room in ROOMS)):
        found |= {getattr(module, name): name for name in module.__all__ if callable(getattr(module, name))}
    assert len(found) > 60
    examples = {name: doctest.DocTestParser().get_examples(inspect.getdoc(each) or "") for each, name in found.items()}
    assert not [name for name, shown in examples.items() if not any(one.want.strip() for one in shown)]


def described():
    """Every function of two or more arguments that the library, a room or a module beside the rooms exports."""
    for module in [dpbi, *(importlib.import_module(name) for name in modules() if name.count(".") == 1)]:
        names = getattr(module, "__all__", None) or [name for name in vars(module) if not name.startswith("_")]
        for function in (inspect.unwrap(getattr(module, name)) for name in names):
            ours = inspect.isfunction(function) and function.__module__.startswith("dpbi.")
            if ours and len(inspect.signature(function).parameters) > 1:
                yield function.__module__.split(".")[1], function


def undescribed(function):
    """The arguments that no line of Args names, "Returns" if it is missing, and types that are spelt out."""
    text, signature = f"{inspect.getdoc(function)}\n", inspect.signature(function)
    section = re.search(r"^Args:\n((?:(?:    .*)?\n)+)", text, re.MULTILINE)
    lines = re.findall(r"^    ([\w*, ]+):", section[1] if section else "", re.MULTILINE)
    named = {name.strip(" *") for line in lines for name in line.split(",")}
    gone = [name for name in signature.parameters if name not in named]
    returns = signature.return_annotation not in {None, "None"} and not re.search("^Returns:$", text, re.MULTILINE)
    spelt_out = re.findall(r"Union\[|ndarray\[|_typing", str(signature))
    return gone + ["Returns"] * returns + spelt_out


def test_arguments_and_results_are_described():
    found = {f"{f.__module__}.{f.__name__}": undescribed(f) for _, f in described()}
    assert len(found) > 40
    assert not {name: gone for name, gone in found.items() if gone}
