"""The engine of the live figures agrees with the library: distributions, remap, optimum, posterior, three categories.

The engine runs in Node. The oracle is the library, whose own tests have independent oracles. For randomised response of
many records, the oracle is the closed form of the moments of two binomial counts.
"""

import math
from collections import Counter

import numpy as np
import pytest

import dpbi
from dpbi.inference import given_noise, given_output, plug_in
from dpbi.mechanisms import all_laws
from dpbi.mechanisms.remaps import dataset_weights
from dpbi.model.distances import lattice_distances
from dpbi.plots.looks import LOOKS
from explorer import computed, settings, smaller
from test_explorer_numbers import AGREES, apart, mechanism_of

CASES = 6 * len(LOOKS)
THREE = ["ehd", "lszhang", "lsdim", "lshist", "geometric", "staircase", "discrete_gaussian", "lattice_laplace"]
"""Mechanisms that the picture of three categories shows."""
LEVEL = 0.95


def held(differences, setting, worst):
    for name, difference in differences.items():
        assert difference <= AGREES, (name, difference, setting)
        worst[name] = max(worst[name], difference)


def show(worst, count):
    print(f"\nworst differences from the library, {count} settings:")
    print(*(f"  {name:24} {difference:.1e}" for name, difference in worst.most_common()), sep="\n")


ONE_ROW = """(s) => {
  const { logs, distances } = dpbi.mechanisms.law(s);
  const remapped = dpbi.optimum.remapped(s);
  const given = dpbi.inference.given(s, s.x);
  return {
    logs: [...logs], distances: [...distances],
    "expected error": remapped.before, "remapped error": remapped.expected,
    optimum: dpbi.optimum.remapped({ ...s, mechanism: "geometric" }).expected,
    mean: given.mean, interval: given.interval(0.95), cdf: given.cdf(0.3), density: given.density(0.3),
    plugIn: dpbi.inference.plugIn(s, s.x).interval(0.95),
  };
}"""


def test_laws_remaps_optima_and_posteriors_agree_at_random():
    given = list(smaller(settings(CASES, seed=2026), 40))
    worst, seen = Counter(), Counter()
    for setting, found in zip(given, computed(ONE_ROW, given), strict=True):
        prior, n, x = [setting["first"], setting["second"]], setting["n"], setting["x"]
        mechanism, counts = mechanism_of(setting), [x, n - x]
        vectors = dpbi.count_vectors(n, 2)
        H, w = lattice_distances(np.array(prior), vectors), dataset_weights(np.array(prior), n, None)
        table = all_laws(mechanism, prior, n)[1]
        P, logs = table.probabilities, table.log_probabilities
        best = dpbi.geometric(setting["epsilon"]).laws(prior, n).probabilities
        # the least expected loss of a posterior over datasets: no remap is cheaper
        least = [(np.einsum("x,xz,xs->zs", w, law, H)).min(axis=1).sum() for law in (P, best)]
        mixture, naive = given_output(mechanism, prior, n, counts)[0], plug_in(prior, counts)[0]
        differences = {
            "law": float(np.abs(np.array(found["logs"]) - logs[x]).max()),
            "distances": apart(found["distances"], H[x]),
            "expected error": apart(found["expected error"], w @ (P * H).sum(axis=1)),
            "remapped error": apart(found["remapped error"], least[0]),
            "optimum": apart(found["optimum"], least[1]),
            "posterior mean": apart(found["mean"], mixture.mean),
            "posterior interval": float(np.abs(np.subtract(found["interval"], mixture.interval(LEVEL))).max()),
            "posterior density": apart(found["density"], mixture.density(0.3)),
            "posterior at 0.3": abs(found["cdf"] - mixture.cdf(0.3)),
            "plug-in interval": float(np.abs(np.subtract(found["plugIn"], naive.interval(LEVEL))).max()),
        }
        held(differences, setting, worst)
        seen[setting["mechanism"]] += 1
    assert set(seen) == set(LOOKS)
    show(worst, len(given))


MANY = """(s) => {
  const { logs, distances } = dpbi.mechanisms.law(s);
  const noisy = Boolean(dpbi.table.mechanisms[s.mechanism].pattern.upper);
  return {
    logs: [...logs], distances: [...distances],
    interval: noisy ? dpbi.inference.given(s, s.x).interval(0.95) : null,
  };
}"""


def test_thousands_of_records_agree_too():
    rng = np.random.default_rng(10_000)
    given = []
    for setting in settings(14, seed=31):
        n = int(rng.integers(500, 6000))
        given.append(setting | {"n": n, "x": int(rng.integers(n + 1)), "epsilon": max(setting["epsilon"], 0.05)})
    worst = Counter()
    for setting, found in zip(given, computed(MANY, given), strict=True):
        prior, n, x = [setting["first"], setting["second"]], setting["n"], setting["x"]
        counts = [x, n - x]
        H = dpbi.hellinger(dpbi.posterior(prior, counts), dpbi.posterior(prior, dpbi.count_vectors(n, 2)))
        differences = {"distances": apart(found["distances"], H)}
        if setting["mechanism"] != "randomised_response":  # the library adds its records one by one
            logs = mechanism_of(setting).law(prior, counts).log_probabilities
            gap = np.abs(np.array(found["logs"]) - logs)
            differences["law"] = float(
                (gap / np.maximum(1, -logs / 1e5)).max()
            )  # a double near -1e9 has seven decimals
        if found["interval"] and setting["mechanism"] in {"lshist", "geometric", "lattice_laplace"} and 0 < x < n:
            share = given_noise(prior, n, counts, setting["epsilon"], setting["mechanism"])[0]
            differences["interval"] = float(np.abs(np.subtract(found["interval"], share.interval(LEVEL))).max())
        held(differences, setting, worst)
    show(worst, len(given))


def test_randomised_response_of_many_records_has_its_moments():
    given = [{"first": 1, "second": 1, "n": n, "x": x, "epsilon": e, "mechanism": "randomised_response"}
             for n, x, e in ((10_000, 7000, 1.0), (5000, 0, 0.1), (2000, 1000, 0.01))]  # fmt: skip
    for s, found in zip(given, computed("(s) => ({ logs: [...dpbi.mechanisms.law(s).logs] })", given), strict=True):
        p, r = np.exp(found["logs"]), np.arange(s["n"] + 1)
        truth = 1 / (1 + math.exp(-s["epsilon"]))
        mean = s["x"] * truth + (s["n"] - s["x"]) * (1 - truth)
        assert p.sum() == pytest.approx(1, rel=AGREES)
        assert p @ r == pytest.approx(mean, rel=AGREES)
        assert p @ (r - mean) ** 2 == pytest.approx(s["n"] * truth * (1 - truth), rel=AGREES)


def test_three_categories_agree_for_every_shown_mechanism():
    rng = np.random.default_rng(3)
    given = []
    for i, setting in enumerate(settings(48, seed=33)):
        n = 60 if i == 7 else int(rng.integers(0 if i % 5 == 0 else 1, 16))
        setting |= {"mechanism": THREE[i % len(THREE)], "sensitivity": "exact"}
        counts = rng.multinomial(n, rng.dirichlet([0.6] * 3)).tolist()
        third = float(f"{math.exp(rng.uniform(-4, 5)):.3g}")
        given.append(setting | {"counts": counts, "prior": [setting["first"], setting["second"], third]})
    worst = Counter()
    for setting, found in zip(given, computed("dpbi.simplex.law", given), strict=True):
        law = mechanism_of(setting).law(setting["prior"], setting["counts"])
        here, there = (dpbi.posterior(setting["prior"], x) for x in (setting["counts"], law.outputs))
        H = dpbi.hellinger(here, there)
        assert found["outputs"] == law.outputs.tolist(), setting
        differences = {"distances": apart(found["distances"], H)}
        differences["law"] = float(np.abs(np.array(found["logs"]) - law.log_probabilities).max())
        held(differences, setting, worst)
    show(worst, len(given))
