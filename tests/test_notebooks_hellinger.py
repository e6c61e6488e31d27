"""The notebooks of the Hellinger paper record true results at other parameters, too.

The oracles are those of tests/oracles.py; the smoothness is the printed one, written out here.
"""

import pytest

import oracles
from dpbi.claims.hellinger import TABLE_1, TABLE_2
from oracles import mp
from test_notebooks import cells, run


def smoothed(prior, n, epsilon, delta, c):
    """The law of the release at each dataset."""
    gamma = mp.log(1 - epsilon / (2 * mp.log(mp.mpf(delta) / (2 * (n + 1)))))
    rates = {x: epsilon / (c * oracles.exponential_smooth_sensitivity(prior, x, gamma)) for x in oracles.datasets(n, 2)}
    return {x: oracles.exponential_mechanism(prior, x, rate) for x, rate in rates.items()}


def loss(laws):
    return float(oracles.worst_loss(laws, sum(next(iter(laws))), 2)[0])


def error(prior, x, law):
    return float(mp.fsum(p * oracles.distance(prior, x, r) for r, p in law.items()))


def test_smoothed_mechanism(tmp_path):
    case = {"prior": [0.2, 3], "sizes": [1, 9, 20], "epsilon": 3.0, "delta": 0.01, "n": 9, "counts": [1, 6]}
    found = run("hellinger/smoothed_mechanism", tmp_path, **case)
    prior, epsilon, delta = tuple(case["prior"]), case["epsilon"], case["delta"]
    table = found.tables["sizes"]
    assert table["n"] == sorted(case["sizes"])
    for i, n in enumerate(table["n"]):
        for c in (1, 2):
            p = smoothed(prior, n, epsilon, delta, c)
            assert table[f"loss_{c}"][i] == pytest.approx(loss(p), rel=1e-8)
            forgiven = float(oracles.hockey_stick(p, n, 2, epsilon))
            assert table[f"delta_{c}"][i] == pytest.approx(forgiven, rel=1e-6, abs=1e-13)
            assert table[f"loss_{c}"][i] <= table[f"proved_{c}"][i]
    (x, y), n = case["counts"], sum(case["counts"])
    truth = smoothed(prior, n, epsilon, delta, 2)[x, y][x, y]
    assert found.scalars["truth"] == pytest.approx(float(truth))
    mirrored = prior[0] + x == prior[1] + y
    assert found.scalars["half"] == (n if mirrored else 0)
    assert found.scalars["bounds_kept"]


def test_tables_as_printed_are_in_the_text():
    source = cells("hellinger/tables_and_figures", "markdown")[0].source
    for table in (TABLE_1, TABLE_2):
        for rows in table.values():
            assert all(f"| {printed} |" in source for printed in rows.values())


def test_concrete_epsilon_of_other_data(tmp_path):
    prior, epsilon, delta = (0.5, 2), 1.5, 1e-3
    setting = {
        "prior": list(prior), "epsilon": epsilon, "delta": delta, "smallest": 9, "largest": 16, "calibrated": [9, 12],
    }  # fmt: skip
    found = run("hellinger/concrete_epsilon", tmp_path, **setting)
    table = found.tables["losses"]
    assert table["n"] == list(range(9, 17))
    for i, n in enumerate(table["n"]):
        for c in (1, 2):
            p = smoothed(prior, n, epsilon, delta, c)
            assert table[f"all_{c}"][i] == pytest.approx(loss(p), rel=1e-8)
            pairs = [(p[x, n - x], p[n // 2, n - n // 2]) for x in (n // 2 - 1, n // 2 + 1)]
            balanced = max(abs(mp.log(one[r] / other[r])) for one, other in pairs for r in one)
            assert table[f"balanced_{c}"][i] == pytest.approx(float(balanced), rel=1e-8)
    losses, errors = found.tables["calibrated_losses"], found.tables["errors"]
    for i, n in enumerate(losses["n"]):
        for name in ("smoothed_hellinger, calibrated", "smoothed_hellinger, calibrated from 1", "lshist", "geometric"):
            assert losses[name][i] == pytest.approx(epsilon, rel=1e-9)
        x = (n // 2, n - n // 2)
        for c in (1, 2):
            p = smoothed(prior, n, epsilon, delta, c)
            name = f"smoothed_hellinger, divisor {c}"
            assert losses[name][i] == pytest.approx(loss(p), rel=1e-8)
            assert errors[name][i] == pytest.approx(error(prior, x, p[x]), rel=1e-8)
        noise = oracles.independent_noise(oracles.floored_laplace, x, 1 / epsilon)
        assert errors["lshist"][i] == pytest.approx(error(prior, x, noise), rel=1e-8)
