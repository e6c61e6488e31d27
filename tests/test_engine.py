"""The engine of the live pictures agrees with the library: laws, remap and optimum, posterior, game, three categories.

It runs in Node, the system's or the one that drives Playwright.
"""

import importlib
import json
import math
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import dpbi
from dpbi.inference import given_noise, given_output, plug_in
from dpbi.mechanisms import all_laws
from dpbi.mechanisms.remaps import dataset_weights
from dpbi.model.distances import lattice_distances
from explorer import ROOT, SCRIPTS, settings
from test_explorer_numbers import AGREES, apart, mechanism_of

ENGINE = ["special", "table", "mechanisms", "optimum", "inference", "game", "simplex", "audit", "findings"]
CASES = 80
THREE = ["ehd", "lszhang", "lsdim", "lshist", "geometric", "staircase", "discrete_gaussian", "lattice_laplace"]
"""Mechanisms that the picture of three categories shows."""
LEVEL = 0.95


def node():
    packaged = Path(importlib.import_module("playwright").__file__).parent / "driver" / "node"
    found = shutil.which("node") or (str(packaged) if packaged.exists() else None)
    if found is None:
        pytest.skip("this machine has no Node, so the engine cannot be run outside of a page")
    return found


def computed(function, given):
    """What a function of JavaScript makes of each of many settings."""
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        table = importlib.import_module("generate").table()
    finally:
        sys.path.remove(str(ROOT / "tools"))
    sources = [table if name == "table" else (SCRIPTS / f"{name}.js").read_text("utf-8") for name in ENGINE]
    script = "\n".join(f"(0, eval)({json.dumps(source)});" for source in ["globalThis.dpbi = {};", *sources])
    script += f"""
      const found = {json.dumps(given)}.map({function});
      process.stdout.write(JSON.stringify(found));"""
    ran = subprocess.run([node(), "-"], input=script, check=True, capture_output=True, text=True)
    return json.loads(ran.stdout)


def held(differences, setting):
    for name, difference in differences.items():
        assert difference <= AGREES, (name, difference, setting)


ONE_ROW = """(s) => {
  const { logs, distances } = dpbi.mechanisms.law(s);
  const remapped = dpbi.optimum.remapped(s);
  const given = dpbi.inference.given(s, s.x);
  const naive = dpbi.inference.plugIn(s, s.x);
  const game = dpbi.game.rounds(s, Math.min(s.x, s.n - 1));
  return {
    logs: [...logs], distances: [...distances], targets: [...remapped.targets],
    "expected error": remapped.before, "remapped error": remapped.expected,
    optimum: dpbi.optimum.least(s),
    mean: given.mean, deviation: given.deviation,
    interval: given.interval(0.95), cdf: given.cdf(0.3),
    plugIn: naive.interval(0.95), right: game.right, worst: game.worst,
  };
}"""


def test_laws_remap_optimum_posterior_and_game_agree_at_random_settings():
    given = [each | {"n": (n := min(each["n"], 1 + each["n"] % 25)), "x": min(each["x"], n)}
             for each in settings(CASES, seed=2026)]  # fmt: skip
    seen = Counter()
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
        others = min(x, n - 1)
        pair = P[[others, others + 1]]
        moved = np.abs(logs[others + 1] - logs[others]).max()
        differences = {
            "law": float(np.abs(np.array(found["logs"]) - logs[x]).max()),
            "distances": apart(found["distances"], H[x]),
            "expected error": apart(found["expected error"], w @ (P * H).sum(axis=1)),
            "remapped error": apart(found["remapped error"], least[0]),
            "optimum": apart(found["optimum"], least[1]),
            "posterior mean": apart(found["mean"], mixture.mean),
            "posterior deviation": apart(found["deviation"], math.sqrt(mixture.variance)),
            "posterior interval": float(np.abs(np.subtract(found["interval"], mixture.interval(LEVEL))).max()),
            "posterior at 0.3": abs(found["cdf"] - mixture.cdf(0.3)),
            "plug-in interval": float(np.abs(np.subtract(found["plugIn"], naive.interval(LEVEL))).max()),
            "guesses": apart(found["right"], pair.max(axis=0).sum() / 2),
            "odds": abs(found["worst"] - moved),
        }
        held(differences, setting)
        seen[setting["mechanism"]] += 1
    assert set(seen) == set(dpbi.MECHANISMS)


def test_the_optimum_is_that_of_the_linear_program():
    """No private mechanism is better than the remapped geometric one: the program's bound and value enclose it."""
    given = [setting | {"n": n, "x": 0} for setting, n in zip(settings(12, seed=8), range(1, 13), strict=True)]
    for setting, found in zip(given, computed("(s) => ({ least: dpbi.optimum.least(s) })", given), strict=True):
        optimum = dpbi.least_mean_error([setting["first"], setting["second"]], setting["n"], setting["epsilon"])
        assert optimum.bound - 1e-9 <= found["least"] <= optimum.value + 1e-9


MANY = """(s) => {
  const { logs, distances } = dpbi.mechanisms.law(s);
  const noisy = Boolean(dpbi.table.mechanisms[s.mechanism].pattern.upper);
  return {
    logs: [...logs], distances: [...distances],
    interval: noisy ? dpbi.inference.given(s, s.x).interval(0.95) : null,
  };
}"""


def test_ten_thousand_records_agree_too():
    rng = np.random.default_rng(10_000)
    given = []
    for setting in settings(10, seed=31):
        n = int(rng.integers(500, 10_001))
        given.append(setting | {"n": n, "x": int(rng.integers(n + 1)), "epsilon": max(setting["epsilon"], 0.05)})
    for setting, found in zip(given, computed(MANY, given), strict=True):
        prior, n, x = [setting["first"], setting["second"]], setting["n"], setting["x"]
        mechanism, counts = mechanism_of(setting), [x, n - x]
        outputs = dpbi.count_vectors(n, 2)
        H = dpbi.hellinger(dpbi.posterior(prior, counts), dpbi.posterior(prior, outputs))
        differences = {"distances": apart(found["distances"], H)}
        if setting["mechanism"] != "randomised_response":  # the library adds its records one by one
            logs = mechanism.law(prior, counts).log_probabilities
            differences["law"] = float(np.abs(np.array(found["logs"]) - logs).max())
        if found["interval"] and setting["mechanism"] in {"lshist", "geometric", "lattice_laplace"} and 0 < x < n:
            share = given_noise(prior, n, counts, setting["epsilon"], setting["mechanism"])[0]
            differences["interval"] = float(np.abs(np.subtract(found["interval"], share.interval(LEVEL))).max())
        held(differences, setting)


def test_three_categories_agree_for_every_mechanism_that_is_shown():
    rng = np.random.default_rng(3)
    given = []
    for i, setting in enumerate(settings(CASES // 2, seed=33)):
        n = 60 if i % 40 == 7 else int(rng.integers(0 if i % 5 == 0 else 1, 16))
        setting |= {"mechanism": THREE[i % len(THREE)], "sensitivity": "exact"}
        counts = rng.multinomial(n, rng.dirichlet([0.6] * 3)).tolist()
        third = float(f"{math.exp(rng.uniform(-4, 5)):.3g}")
        given.append(setting | {"counts": counts, "prior": [setting["first"], setting["second"], third]})
    for setting, found in zip(given, computed("dpbi.simplex.law", given), strict=True):
        law = mechanism_of(setting).law(setting["prior"], setting["counts"])
        H = dpbi.hellinger(
            dpbi.posterior(setting["prior"], setting["counts"]), dpbi.posterior(setting["prior"], law.outputs)
        )
        assert found["outputs"] == law.outputs.tolist(), setting
        differences = {
            "law": float(np.abs(np.array(found["logs"]) - law.log_probabilities).max()),
            "distances": apart(found["distances"], H),
        }
        held(differences, setting)
