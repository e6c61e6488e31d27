"""The numbers of the explorer, and those of its page's text, are the library's, which is the oracle.

The draws are those of the published generator mulberry32, written again on whole numbers.
"""

import importlib
import json
import math
import re
from collections import Counter
from dataclasses import replace
from urllib.parse import parse_qsl

import numpy as np
from scipy import stats

import dpbi
from dpbi.claims import BY_ID
from dpbi.guarantees import pure_epsilon
from explorer import PAGE, computed, settings, smaller, table

AGREES = 1e-9


COMPUTE = """(setting) => {
  const found = dpbi.audit.explore(setting);
  const density = dpbi.special.density(setting.first + setting.x, setting.second + (setting.n - setting.x));
  return {
    ...found,
    logProbabilities: [...found.logProbabilities],
    probabilities: undefined,
    distances: [...found.distances],
    losses: { down: [...found.losses.down].slice(1), up: [...found.losses.up].slice(0, -1) },
    density: [0.005, 0.1, 0.35, 0.5, 0.995].map(density),
    lines: dpbi.theorem.check(setting, found)
      .map(({ claim, corrected, value, holds }) => ({ claim, corrected, value, holds })),
  };
}"""


def mechanism_of(setting):
    """The library's mechanism at a setting."""
    name, epsilon = setting["mechanism"], setting["epsilon"]
    given = {
        "ehd": {"sensitivity": dpbi.PRINTED_GLOBAL_SENSITIVITY if setting["sensitivity"] == "printed" else None},
        "ehds": {"gamma": setting["gamma"], "divisor": setting["divisor"]},
        "smoothed_hellinger": {"delta": setting["delta"], "divisor": setting["divisor"]},
    }
    return getattr(dpbi, name)(epsilon, **given.get(name, {}))


def expected(setting):
    """What the library says of a setting, by the names of the page."""
    prior, n, x, t = [setting["first"], setting["second"]], setting["n"], setting["x"], setting["t"]
    counts, mechanism = [x, n - x], mechanism_of(setting)
    law, errors = mechanism.law(prior, counts), dpbi.error_law(mechanism, prior, counts)
    guarantee = mechanism.guarantee(prior, n)
    near = errors.distances < t * (1 - 1e-12)
    distances = dpbi.hellinger(dpbi.posterior(prior, counts), dpbi.posterior(prior, law.outputs))
    return {
        "distances": distances,
        "errors": errors,
        "meanError": dpbi.mean_error(mechanism, prior, counts),
        "quantile": dpbi.error_quantile(mechanism, prior, counts, 0.1),
        "below": errors.probabilities[near].sum(),
        "promise": pure_epsilon(mechanism.promise),
        "guarantee": pure_epsilon(guarantee),
        "localSensitivity": float(dpbi.local_sensitivity(prior, counts)),
        "globalSensitivity": dpbi.global_sensitivity(prior, n),
        "density": stats.beta.pdf([0.005, 0.1, 0.35, 0.5, 0.995], *dpbi.posterior(prior, counts)),
    }


def listed(mechanism, prior, n):
    """The mechanism with the table of its laws, which are computed once."""
    if mechanism.laws is None:
        rows = [mechanism.law(prior, x) for x in dpbi.count_vectors(n, 2)]
        table = dpbi.Law(rows[0].outputs, np.stack([row.log_probabilities for row in rows]))
    else:
        table = mechanism.laws(prior, n)
    return replace(mechanism, laws=lambda *_: table)


def losses(mechanism, prior, n):
    """The worst loss of every move of one record, down and then up."""
    changes = np.diff(mechanism.laws(prior, n).log_probabilities, axis=0)
    return np.concatenate([changes.max(axis=1), (-changes).max(axis=1)])


def inverse(law, share):
    """The output of the library's own inversion at a uniform number."""
    cumulative = np.cumsum(law.probabilities)
    return int(min(np.searchsorted(cumulative, share * cumulative[-1], side="right"), len(cumulative) - 1))


def apart(found, wanted):
    """The largest relative difference; None agrees with None alone."""
    if found is None or wanted is None:
        return 0.0 if found is wanted else math.inf
    found, wanted = np.atleast_1d(found).astype(float), np.atleast_1d(wanted).astype(float)
    if found.shape != wanted.shape:
        return math.inf
    size = np.maximum(np.abs(wanted), 1e-300)
    return float(np.max(np.abs(found - wanted) / size, initial=0.0))


def test_every_number_agrees_with_the_library_on_random_settings():
    given = list(smaller(settings(70), 120))
    worst = Counter()
    for setting, found in zip(given, computed(COMPUTE, given), strict=True):
        prior, n, x = [setting["first"], setting["second"]], setting["n"], setting["x"]
        mechanism, wanted = mechanism_of(setting), expected(setting)
        errors = wanted.pop("errors")
        differences = {name: apart(found[name], value) for name, value in wanted.items()}
        law = mechanism.law(prior, [x, n - x])
        # a difference of logarithms is a relative difference of probabilities, and sees those that underflow
        differences["law"] = float(np.abs(np.array(found["logProbabilities"]) - law.log_probabilities).max())
        for name, column in (("distance", errors.distances), ("probability", errors.probabilities)):
            differences[f"error {name}"] = apart([atom[name] for atom in found["errors"]], column)
        every = listed(mechanism, prior, n)
        audited = dpbi.audit(every, prior, n)
        differences["loss"] = apart(found["audit"]["epsilon"], audited.epsilon)
        witness = {"x": audited.counts[0], "neighbour": audited.neighbour[0], "output": audited.output[0]}
        assert {name: found["audit"][name] for name in witness} == witness, setting
        differences["losses"] = apart(found["losses"]["down"] + found["losses"]["up"], losses(every, prior, n))
        assert found["released"] == inverse(law, mulberry32(setting["seed"])), setting
        assert found["releasedError"] == found["distances"][found["released"]]
        for name, difference in differences.items():
            assert difference <= AGREES, (name, difference, setting)
            worst[name] = max(worst[name], difference)
    print(f"\nworst relative differences from the library, {len(given)} settings:")
    print(*(f"  {name:20} {difference:.1e}" for name, difference in worst.most_common()), sep="\n")


THEOREM = {"lszhang", "lshist", "ehd", "ehdl"}


def test_the_lines_of_theorem_4_5_are_the_statements_of_the_ledger():
    given = [
        setting | {"sensitivity": "printed", "n": n, "x": min(setting["x"], n)}
        for setting in settings(280, seed=450)
        if setting["mechanism"] in THEOREM
        for n in [min(setting["n"], 30)]  # interval arithmetic decides the verdicts
    ]
    seen = set()
    for setting, found in zip(given, computed(COMPUTE, given), strict=True):
        case = {
            "prior": (setting["first"], setting["second"]),
            "counts": (setting["x"], setting["n"] - setting["x"]),
            "epsilon": setting["epsilon"],
            "t": setting["t"],
        }
        assert len(found["lines"]) == 4
        for line in found["lines"]:
            at = BY_ID[line["claim"]].at(**case)
            mark = at.marks[int(line["corrected"])]  # what is printed, or what holds instead
            difference = abs(line["value"] - mark.value) / abs(mark.value) if mark.value else abs(line["value"])
            assert difference <= AGREES, (line, at)
            if abs(at.exact - mark.value) > 1e-12 * max(at.exact, mark.value):  # nearer, only intervals can tell
                assert line["holds"] == mark.holds, (line, at)
            seen.add((line["claim"], line["corrected"], line["holds"]))
    claims = {f"notes/4.5-{line}" for line in THEOREM_LINES}
    assert {line[:2] for line in seen} == {(claim, corrected) for claim in claims for corrected in (False, True)}
    failing = {line[:2] for line in seen if not line[2]}
    assert failing | {("notes/4.5-ehdl-upper", False)} == {(claim, False) for claim in claims}


THEOREM_LINES = [
    *(f"{name}{line}" for name in ("lszhang", "lshist") for line in ("", "-lower")),
    *(f"{name}-{line}" for name in ("ehd", "ehdl") for line in ("lower", "upper")),
]


def test_mechanisms_without_a_line_in_the_theorem_get_none():
    others = [setting for setting in settings(28) if setting["mechanism"] not in THEOREM]
    exact = [setting | {"sensitivity": "exact"} for setting in settings(28) if setting["mechanism"] == "ehd"]
    assert all(found["lines"] == [] for found in computed(COMPUTE, list(smaller(others + exact, 20))))


def mulberry32(seed):
    """A uniform number from a seed, by the published generator on unsigned 32-bit integers."""
    state = (seed + 0x6D2B79F5) % 2**32
    z = (state ^ state >> 15) * (state | 1) % 2**32
    z ^= (z + (z ^ z >> 7) * (z | 61)) % 2**32
    return (z ^ z >> 14) / 2**32


def test_every_mechanism_and_its_look_reach_the_page():
    known = json.loads(table().removeprefix("dpbi.table = ").rstrip(";\n"))["mechanisms"]
    looks = importlib.import_module("dpbi.plots").STYLES
    assert {name: (said["color"], said["marker"]) for name, said in known.items()} == looks


def told():
    """The settings of the three links of the page, in their order."""
    for query in re.findall(r'data-turn="([^"]+)"', PAGE.read_text("utf-8")):
        given = dict(parse_qsl(query.replace(" ", "&")))
        one = {name: value if name in {"mechanism", "sensitivity"} else float(value) for name, value in given.items()}
        start = {"gamma": 1.0, "delta": 1e-6, "divisor": 4.0, "sensitivity": "exact"}
        yield start | one | {name: int(one[name]) for name in ("n", "x")}


def test_the_three_settings_show_what_the_text_says():
    few, vacuous, small = told()
    prior, counts = [few["first"], few["second"]], [few["x"], few["n"] - few["x"]]
    ehd, lshist = mechanism_of(few), dpbi.lshist(few["epsilon"])
    assert few["mechanism"] == "ehd"
    assert dpbi.mean_error(ehd, prior, counts) < dpbi.mean_error(lshist, prior, counts)
    assert dpbi.audit(ehd, prior, few["n"]).epsilon < dpbi.audit(lshist, prior, few["n"]).epsilon
    more = dpbi.mean_error(dpbi.ehd(4), prior, counts), dpbi.mean_error(dpbi.lshist(4), prior, counts)
    assert more[1] < more[0]
    for n in (100, 500):  # the first count stays, as on the page
        many = [counts[0], n - counts[0]]
        assert dpbi.mean_error(lshist, prior, many) < dpbi.mean_error(ehd, prior, many)
    upper = BY_ID["notes/4.5-ehdl-upper"]
    case = {"prior": (vacuous["first"], vacuous["second"]), "counts": (vacuous["x"], vacuous["n"] - vacuous["x"])}
    printed = upper.at(**case, epsilon=vacuous["epsilon"], t=vacuous["t"]).printed
    assert printed.holds
    assert printed.value > 10
    assert upper.at(**case | {"counts": (10, 0)}, epsilon=vacuous["epsilon"], t=vacuous["t"]).printed.value < 1
    assert small["sensitivity"] == "printed"
    prior = [small["first"], small["second"]]
    assert dpbi.audit(mechanism_of(small), prior, small["n"]).epsilon > small["epsilon"]
    assert dpbi.audit(mechanism_of(small | {"sensitivity": "exact"}), prior, small["n"]).epsilon <= small["epsilon"]
