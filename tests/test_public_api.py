"""Names and signatures on which callers rely, pinned as text: a change here is a change of the interface."""

import dataclasses
import doctest
import importlib
import inspect
import pkgutil
import re
from operator import attrgetter
from typing import get_args

import pytest

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
error_quantile(mechanism, prior, counts, q)
error_quantiles(mechanism, prior, n, q)
error_tail(mechanism, prior, counts, t)
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
release(data, categories, prior, epsilon=None, mechanism='lattice_laplace', rho=None, missing=None, out=None, \
force=False, budget=None, limit=None, data_set=None)
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
    """A function of the same name in the folder would stand in its place: `import dpbi.X as x` gives the function."""
    for name in modules():
        importlib.import_module(name)
        folder, _, last = name.rpartition(".")
        assert inspect.ismodule(getattr(importlib.import_module(folder), last)), name


ROOMS = ["model", "guarantees", "mechanisms", "privacy", "accuracy", "inference", "optimum", "publish", "mcmc"]
ROOMS += ["posterior_sampling"]


def test_every_public_callable_has_an_example_with_a_result():
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


def signatures():
    """Every public function, class and method, by its name: those of the library and of its rooms."""
    for module in (dpbi, *(importlib.import_module(f"dpbi.{room}") for room in ROOMS)):
        for name in (name for name in module.__all__ if callable(getattr(module, name))):
            one = inspect.unwrap(getattr(module, name))
            methods = [each for each in dir(one) if each[0] != "_"] if inspect.isclass(one) else []
            known = {name: one} | {f"{name}.{each}": getattr(one, each) for each in methods}
            yield from ((name, inspect.signature(each)) for name, each in known.items() if is_ours(each))


def is_ours(value):
    an_error = inspect.isclass(value) and issubclass(value, Exception)
    return callable(value) and not an_error and str(getattr(value, "__module__", "")).startswith("dpbi.")


def test_the_generator_is_the_last_argument_without_a_default():
    needed = {
        name: [p.name for p in signature.parameters.values() if p.default is p.empty and p.kind is not p.KEYWORD_ONLY]
        for name, signature in signatures()
    }
    draws = {name: arguments for name, arguments in needed.items() if "rng" in arguments}
    assert len(draws) > 40
    assert {name for name, arguments in draws.items() if arguments[-1] != "rng"} == set()


GREEK = {  # the one meaning of each letter among the public arguments: where it may stand
    "alpha": "ratio of geometric noise: threshold_remap",
    "beta": "exponential smoothness: exponential_smooth_sensitivity",
    "gamma": "reciprocal smoothness: reciprocal_smooth_sensitivity ehds ehds.at",
    "sigma": "standard deviation of normal noise: gaussian_mechanism",
    "rho": "zero-concentrated privacy: ZCDP GaussianDP release TotalCost",
}


def test_a_greek_letter_has_one_meaning():
    for letter, where in GREEK.items():
        assert {name for name, one in signatures() if letter in one.parameters} <= set(where.split(": ")[1].split())


def test_every_guarantee_has_epsilon_at_and_delta_at():
    for kind in get_args(dpbi.guarantees.Guarantee):
        fields = {field.name for field in dataclasses.fields(kind)}
        assert list(inspect.signature(kind.epsilon_at).parameters) == ["self", "delta"]
        assert list(inspect.signature(kind.delta_at).parameters) == ["self", "epsilon"]
        assert not {"epsilon", "delta", "rho"} & (set(dir(kind)) - fields), kind


@pytest.mark.parametrize("name", ["law", "laws", "sample", "rate", "line", "promise_at"])
def test_a_misspelt_argument_is_reported_by_the_public_name(name):
    for made in (dpbi.geometric(0.8), dpbi.remapped_geometric(0.8), dpbi.calibrate(dpbi.lshist, [1, 1], 2, 0.8)):
        for given in ({}, {"prior": [1, 1], "misspelt": 1}):
            with pytest.raises(TypeError, match=rf"^Mechanism\.{name}\(\) "):
                getattr(made, name)(**given)


@pytest.mark.parametrize("name", dpbi.MECHANISMS)
def test_a_mechanism_without_its_epsilon_is_reported_by_its_name(name):
    for given in ({}, {"epsilom": 1.0}):
        with pytest.raises(TypeError, match=rf"^{name}\.__init__\(\) "):
            dpbi.MECHANISMS[name](**given)
