"""Every public name can be learned from its own docstring: the formula, and an example that runs.

The examples themselves run as doctests with the rest of the suite.
"""

import doctest
import importlib
import inspect

import pytest

FOLDERS = ["", "model", "guarantees", "mechanisms", "privacy", "accuracy", "inference", "optimum", "publish"]


def public():
    """Every callable that the library, or a folder of it, names as its own: by its shortest name."""
    found = {}
    for folder in FOLDERS:
        module = importlib.import_module(f"dpbi.{folder}".rstrip("."))
        for name in module.__all__:
            value = getattr(module, name)
            if callable(value) and value not in found.values():
                found[f"{module.__name__}.{name}"] = value
    return found


NAMES = public()


@pytest.mark.parametrize("name", NAMES)
def test_every_public_callable_has_an_example(name):
    examples = doctest.DocTestParser().get_examples(inspect.getdoc(NAMES[name]) or "")
    shown = [example for example in examples if example.want.strip()]
    assert shown, f"{name} has no example in its docstring that shows a result"


def test_every_folder_that_answers_a_question_names_what_it_offers():
    assert len(NAMES) > 60
