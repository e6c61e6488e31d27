"""What is kept of a run, and what is said while it lasts."""

import json
import math

import numpy as np
import pytest

from dpbi import posterior_sampling as ps


def test_receipts_add_up():
    coins = ps.cost(ps.bernoulli(), ps.uniform([0.2, 0.5, 0.8]), 3).receipt()
    rates = ps.cost(ps.exponential(2.0), ps.trimmed_exponential(1.0, 0.5, 1.5), 5).receipt()
    both = coins + rates
    widths = 2 * math.log(4), 2.0 * (1.5 - 0.5)
    assert float(both.epsilon.epsilon) == pytest.approx(3 * widths[0] + 5 * widths[1], rel=1e-12)
    assert both.concentrated.rho == pytest.approx((3 * widths[0] ** 2 + 5 * widths[1] ** 2) / 8, rel=1e-12)
    assert both.total_variation == pytest.approx(math.tanh((3 * widths[0] + 5 * widths[1]) / 4), rel=1e-12)
    assert both.printed == pytest.approx(2 * 3 * math.log(4) + 2 * 5 * 1.5 * 2.0, rel=1e-12)
    assert [entry.size for entry in both.entries] == [3, 5]
    assert "not for release" in str(both)
    assert str(both).count("\n") == 3


def test_a_receipt_is_written_as_json():
    receipt = ps.cost(ps.exponential(2.0), ps.trimmed_exponential(1.0, 0.5, 1.5), 5).receipt()
    read = json.loads(receipt.as_json())
    assert (read["neighbours"], read["epsilon"], read["zcdp"], read["printed"]) == (ps.RECORD, 10.0, 2.5, 30.0)
    assert read["spent"][0]["prior"] == "Gamma(shape=1.0, rate=1.0, low=0.5, high=1.5)"
    assert read["spent"][0]["size"] == 5
    assert "not for release" in read["release"]


def test_receipts_name_no_weights_and_mix_no_neighbours():
    network = ps.network([[], [0]], [2, 2])
    prior = ps.Tables([[1.0, 2.0], [[1.0, 1.0], [3.0, 1.0]]], 0.1)
    price = ps.cost(network, prior, 2)
    rows, cells = price.receipt(ps.RECORD), price.receipt(ps.CELL)
    assert "entries of at least 0.1" in str(rows)
    assert float(rows.epsilon.epsilon) == pytest.approx(2 * 4 * math.log(9), rel=1e-12)
    with pytest.raises(ValueError, match="receipts must be for one kind of neighbours"):
        rows + cells
    with pytest.raises(TypeError):
        rows + 1
    assert "Finite law on 2 parameters" in str(ps.cost(ps.bernoulli(), ps.uniform([0.25, 0.75]), 1).receipt())


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
