"""The table of mechanisms: nothing may be left out of an entry, and no mechanism may stand beside the table."""

import ast
import inspect
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import dpbi
from dpbi import MECHANISMS, Mechanism, arithmetic, audit, error_law, given_noise, given_output, hockey_stick, plots
from dpbi.guarantees import pure_epsilon
from dpbi.mechanisms.table import Entry, entry, entry_of
from dpbi.publish import releasable

SOURCE = Path(dpbi.__file__).parent
OF_ANOTHER = {"_after", "_listed_once", "_only_at", "calibrate", "remapped", "remapped_geometric", "remapped_lattice"}
"""What makes a mechanism of another one, under its name."""
UNNAMED = {"from_table", "mechanism", "exponential", "_on_lattice", "at", "a_mechanism", "moved_lattice_laplace"}
"""Makers that entries are made of, a user's table, a check, and two studies of lattice noise under no name."""

WORDS = ("about", "meaning", "letters", "color", "marker", "pattern", "family")

every = pytest.mark.parametrize("name", MECHANISMS)


def makers():
    """The functions of the library, and their methods, that say they return a mechanism; those of claims are cases."""
    for file in SOURCE.rglob("*.py"):
        if "claims" not in file.parts:
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                if isinstance(node, ast.FunctionDef) and node.returns and ast.unparse(node.returns) == "Mechanism":
                    yield node.name


def test_no_mechanism_stands_beside_the_table():
    assert set(makers()) - OF_ANOTHER - UNNAMED == set(MECHANISMS)


def test_every_mechanism_is_offered():
    assert set(MECHANISMS) <= set(dpbi.__all__)
    assert all(getattr(dpbi, name) is said.make for name, said in MECHANISMS.items())


@pytest.mark.parametrize("word", ["about", "meaning", "color", "marker", "pattern", "family"])
def test_what_is_left_out_of_an_entry_is_named(word):
    whole = {w: getattr(MECHANISMS["lshist"], w) for w in WORDS}

    def nameless(epsilon):
        """A mechanism that never gets into the table."""
        return dpbi.lshist(epsilon)

    with pytest.raises(TypeError, match=word):
        entry(**{w: said for w, said in whole.items() if w != word})(nameless)
    with pytest.raises(ValueError, match=word):
        entry(**whole | {word: type(whole[word])()})(nameless)
    assert "nameless" not in MECHANISMS


def test_an_entry_without_a_docstring_and_a_second_one_of_a_name_are_refused():
    lshist = MECHANISMS["lshist"]
    with pytest.raises(ValueError, match="docstring"):
        replace(lshist, make=lambda epsilon: dpbi.lshist(epsilon))
    with pytest.raises(ValueError, match="lshist twice"):
        entry()(lshist.make)


@every
def test_an_entry_makes_what_it_says(name):
    said = MECHANISMS[name]
    made = said.at(0.8)
    assert isinstance(made, Mechanism)
    assert made.name == name
    assert isinstance(said, Entry)
    assert entry_of(made) is said
    assert said.make.__doc__
    assert list(inspect.signature(said.make).parameters)[0] == "epsilon"


@every
@pytest.mark.parametrize("prior", [(1, 1), (0.5, 2, 1)])
def test_everything_works_for_every_entry(name, prior):
    made, k, n = MECHANISMS[name].at(0.7), len(prior), 4
    law = made.law(prior, [n] + [0] * (k - 1))
    assert np.isclose(law.probabilities.sum(), 1, rtol=0, atol=1e-13)
    found = audit(made, prior, n)
    proved = made.guarantee(prior, n)
    for bound in (proved, made.promise):
        if (pure := pure_epsilon(bound)) is not None:
            assert found.epsilon <= pure * (1 + 1e-12)
        elif bound is not None:
            assert hockey_stick(made, prior, n, 0.4) <= bound.delta(0.4)
    assert np.isclose(error_law(made, prior, [1] * k).probabilities.sum(), 1, rtol=0, atol=1e-13)
    draws = made.sample(prior, [1] * k, np.random.default_rng(4), size=5)
    assert draws.shape == (5, k)
    shares = given_output(made, prior, n, law.outputs[0])
    assert np.isclose(sum(share.mean for share in shares), 1)


IN_DOUBLES = ("discrete_gaussian", "permute_and_flip")
"""Mechanisms whose laws no printed statement needs enclosed."""


@every
def test_the_law_of_every_entry_is_inside_its_enclosure(name):
    for prior, x in (((1, 1), (2, 1)), ((0.5, 3, 1), (0, 2, 1))):
        doubles = MECHANISMS[name].at(0.7).law(prior, x).log_probabilities
        with arithmetic.balls():
            if name in IN_DOUBLES:
                with pytest.raises(arithmetic.Undecided, match=f"{name} is computed in doubles alone"):
                    MECHANISMS[name].at(0.7).law(prior, x)
                continue
            enclosed = MECHANISMS[name].at(0.7).law(prior, x).log_probabilities
            assert all(map(arithmetic.near, enclosed, doubles, [1e-13] * len(doubles)))


@pytest.mark.parametrize("name", releasable())
def test_what_may_be_released_is_drawn_and_concluded_from(name):
    x, released = (3, 0, 2), releasable()[name]
    for _ in range(20):
        noisy, counts = released.drawn(x, Fraction(1, 8 if released.currency == "rho" else 2))
        told = released.told(noisy, 5)
        shares = given_noise([1, 1, 1], 5, told, 0.5, name)
        assert np.isclose(sum(share.mean for share in shares), 1)
        assert min(counts) >= 0


def test_what_a_noisy_count_tells_is_what_the_law_says():
    # the posterior given noisy counts from the table of all laws: brute force over all datasets of two categories
    n, prior = 6, [0.7, 2.0]
    datasets = dpbi.count_vectors(n, 2)
    weights = dpbi.model.marginal(prior, n)
    for name, released in releasable().items():
        for z in (-4, -1, 0, 3, 6, 7, 11):
            moves = np.array([z - x for x in datasets[:, 0]])
            noise = np.exp(released.likelihoods(0.9, 2)[0].log_point(moves))
            if name == "lattice_laplace":
                noise = np.exp(-0.9 * np.abs(moves))
            joint = weights * noise
            mean = joint @ (prior[0] + datasets[:, 0]) / joint.sum() / (sum(prior) + n)
            told = released.told([z, n - z], n)
            assert given_noise(prior, n, told, 0.9, name)[0].mean == pytest.approx(mean, rel=1e-12), (name, z)


def test_looks_differ():
    assert len({look.color for look in plots.STYLES.values()}) == len(MECHANISMS)
    assert len({look.marker for look in plots.STYLES.values()}) == len(MECHANISMS)


def test_the_explorer_can_draw_every_marker():
    script = (SOURCE.parents[1] / "book" / "_static" / "explorer" / "draw.js").read_text("utf-8")
    drawn = re.findall(r'^    "?([^\s":]+)"?: ', script[script.index("const MARKERS") :].split("};")[0], re.MULTILINE)
    assert {said.marker for said in MECHANISMS.values()} <= set(drawn)
