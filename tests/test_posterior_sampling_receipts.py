"""What is kept of a run, and what is said while it lasts."""

import math

import numpy as np
import pytest

from dpbi import posterior_sampling as ps


def test_a_receipt_says_what_was_drawn_and_spent_and_names_no_weights():
    receipt = ps.cost(ps.exponential(2.0), ps.trimmed_exponential(1.0, 0.5, 1.5), 5).receipt()
    width = 2.0 * (1.5 - 0.5)
    assert float(receipt.epsilon.epsilon) == pytest.approx(5 * width, rel=1e-12)
    assert receipt.concentrated.rho == pytest.approx(5 * width**2 / 8, rel=1e-12)
    assert receipt.total_variation == pytest.approx(math.tanh(5 * width / 4), rel=1e-12)
    assert receipt.printed == pytest.approx(2 * 5 * 1.5 * 2.0, rel=1e-12)
    assert "not for release" in str(receipt)
    assert "Finite law on 2 parameters" in str(ps.cost(ps.bernoulli(), ps.uniform([0.25, 0.75]), 1).receipt())
    tables = ps.cost(ps.network([[], [0]], [2, 2]), ps.Tables([[1.0, 2.0], [[1.0, 1.0], [3.0, 1.0]]], 0.1), 2)
    assert "entries of at least 0.1" in str(tables.receipt())
    assert float(tables.receipt().epsilon.epsilon) == pytest.approx(2 * 4 * math.log(9), rel=1e-12)


def test_progress_counts_the_draws_and_changes_none(capsys):
    family, prior = ps.exponential(2.0), ps.trimmed_exponential(1.0, 0.5, 1.5)
    seen = []
    size = 2 * ps.sampling.AT_ONCE + 7
    loud = ps.baps(
        family, prior, [0.5], size, np.random.default_rng(1), progress=lambda done, total: seen.append((done, total))
    )
    quiet = ps.baps(family, prior, [0.5], size, np.random.default_rng(1))
    assert seen == [(ps.sampling.AT_ONCE, size), (2 * ps.sampling.AT_ONCE, size), (size, size)]
    assert len(quiet.parameters) == size
    assert np.array_equal(loud.parameters, quiet.parameters)
    ps.baps(family, prior, [0.5], 3, np.random.default_rng(1), progress=True)
    assert capsys.readouterr().err == "\r3 of 3 draws\n"
    tables = ps.baps(ps.markov_chain(2), ps.Tables([np.ones((2, 2))], 0.1), [0, 1], 4, np.random.default_rng(0))
    assert len(tables.parameters) == 4


def test_progress_counts_the_responses():
    seen = []
    answer = ps.psaqr(
        [0.2, 0.4],
        lambda theta, query, r: 1 - abs(theta - r),
        "what?",
        [0.1, 0.3, 0.9],
        progress=lambda *at: seen.append(at),
    )
    assert answer.response == 0.3
    assert seen == [(1, 3), (2, 3), (3, 3)]
