"""Every public name can be learned from its own docstring: the formula, and an example that runs.

The examples themselves run as doctests with the rest of the suite.
"""

import doctest
import importlib
import inspect

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


def test_every_public_callable_has_an_example_that_shows_a_result():
    known, parse = public(), doctest.DocTestParser().get_examples
    assert len(known) > 60
    without = [
        name for name, value in known.items() if not any(one.want.strip() for one in parse(inspect.getdoc(value) or ""))
    ]
    assert not without
