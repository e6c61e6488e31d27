"""The notebooks of the notes record at other parameters what follows from the definitions.

The oracles are those of tests/oracles.py, which treat one dataset and one candidate at a time.
"""

import math

import pytest

import dpbi
import oracles
from oracles import apart, datasets, distance, exponential_mechanism, local_sensitivity
from test_notebooks import run

ROUNDING = 1 + 1e-9
G = math.sqrt(1 - math.pi / 4)
"""The global sensitivity that the notes print."""


def loss(prior, n, rate):
    """The worst loss of an exponential mechanism whose rate at x is ``rate(x)``."""
    laws = {x: exponential_mechanism(prior, x, rate(x)) for x in datasets(n, len(prior))}
    return float(oracles.worst_loss(laws, n, len(prior))[0])


def lshist_law(x, epsilon):
    """Of the datasets: Laplace noise on the first count, rounded down, cut back to 0..n."""
    n = sum(x)
    first = oracles.clamped(oracles.floored_laplace, x[0], 1 / epsilon, 0, n)
    return {(r, n - r): p for r, p in first.items()}


def quantile(prior, x, epsilon, gamma):
    total = 0.0
    for h, p in sorted((distance(prior, x, r), p) for r, p in lshist_law(x, epsilon).items()):
        total += p
        if total >= 1 - gamma - 1e-12:
            return float(h)
    raise AssertionError("probabilities must sum to one")


def probability(prior, x, law, t):
    return float(sum(p for r, p in law.items() if distance(prior, x, r) < t))


@pytest.mark.parametrize(
    "setting",
    [{"prior": [0.5, 1, 2], "n": 3, "epsilon": 1.5, "gammas": [0.5, 4.0], "weights": [0.02, 2.0], "sizes": [1, 3]},
        {"prior": [0.01, 0.03], "n": 5, "epsilon": 0.3, "gammas": [3.0], "weights": [0.5], "sizes": [2]}],
)  # fmt: skip
def test_privacy_agrees_with_losses_from_the_definitions(tmp_path, setting):
    found = run("notes/privacy_of_the_mechanisms", tmp_path, **setting)
    prior, n, epsilon = tuple(setting["prior"]), setting["n"], setting["epsilon"]
    by_local = loss(prior, n, lambda x: epsilon / (2 * local_sensitivity(prior, x)))
    assert found.scalars["ehd_share"] == pytest.approx(loss(prior, n, lambda x: epsilon / (2 * G)) / epsilon)
    assert found.scalars["ehdl_share"] == pytest.approx(by_local / epsilon)
    k = len(prior)
    assert found.scalars["lsdim_share"] == pytest.approx(1 / 2 if k == 2 else 2 / k)
    for row, gamma in enumerate(setting["gammas"]):
        for name, divisor in (("ehds, 4", 4), ("ehds, 2 (1 + gamma)", 2 * (1 + gamma))):
            smooth = {x: oracles.reciprocal_smooth_sensitivity(prior, x, gamma) for x in datasets(n, k)}
            rate = {x: epsilon / (divisor * each) for x, each in smooth.items()}
            assert found.tables["smoothing"][name][row] == pytest.approx(loss(prior, n, rate.get) / epsilon)
    printed = [loss((a, a), n, lambda x: epsilon / (2 * G)) / epsilon for a in setting["weights"]]
    assert found.tables["weights"]["ehd, printed"] == pytest.approx(printed)


def test_laplace_error_agrees_with_quantiles_from_the_definition(tmp_path):
    prior, epsilon, gamma, sizes, n, epsilons = (0.2, 3), 0.5, 0.3, [2, 7], 6, [0.1, 1.0]
    setting = {"prior": list(prior), "epsilon": epsilon, "gamma": gamma, "sizes": sizes, "n": n, "epsilons": epsilons}
    found = run("notes/error_of_the_laplace_mechanism", tmp_path, **setting)

    def ratios(epsilon, gamma, n):
        return [float(quantile(prior, x, epsilon, gamma) / local_sensitivity(prior, x)) for x in datasets(n, 2)]

    by_size = [ratios(epsilon, gamma, size) for size in sizes]
    assert found.tables["sizes"]["most"] == pytest.approx([max(values) for values in by_size])
    assert found.tables["sizes"]["least"] == pytest.approx([min(values) for values in by_size])
    assert found.tables["datasets"]["ratio"] == pytest.approx(ratios(epsilon, gamma, n))
    most = [max(ratios(e, math.exp(-e), n)) / e for e in epsilons]
    assert found.tables["epsilons"]["most"] == pytest.approx(most)
    assert max(value * e for value, e in zip(most, epsilons, strict=True)) <= ROUNDING
    assert found.scalars["inside"] == (max(map(max, by_size)) <= found.scalars["bound"] * ROUNDING)


def test_errors_in_steps_agree_with_quantiles_by_definition(tmp_path):
    prior, x, epsilon, n = (2, 0.5), (3, 6), 1.3, 9
    setting = {"prior": list(prior), "counts": list(x), "epsilon": epsilon, "most_steps": 2, "n": n}
    found = run("notes/errors_in_steps", tmp_path, **setting)
    table = found.tables["steps"]

    def farthest(steps):
        return max(float(distance(prior, x, r)) for r in datasets(sum(x), 2) if abs(r[0] - x[0]) <= steps)

    # at whole L the probability is exactly 1 - gamma, and rounding would decide
    for row in [row for row, L in enumerate(table["L"]) if abs(L - round(L)) > 1e-6]:
        L = table["L"][row]
        assert table["exact"][row] == pytest.approx(quantile(prior, x, epsilon, math.exp(-epsilon * L)))
        assert table["printed"][row] == pytest.approx(farthest(math.floor(L)))
        assert table["corrected"][row] == pytest.approx(farthest(math.ceil(L)))
        assert table["exact"][row] <= table["corrected"][row] * ROUNDING
    assert found.scalars["corrected_kept"]
    assert found.scalars["unrounded_most"] > local_sensitivity(prior, x)
    name = ", ".join(f"{weight:g}" for weight in prior)
    for m, value in zip(found.tables["distance"]["m"], found.tables["distance"][name], strict=True):
        pairs = [(y, z) for y in datasets(n, 2) for z in datasets(n, 2) if apart(y, z) == m]
        ratios = [float(distance(prior, y, z) / local_sensitivity(prior, y)) for y, z in pairs]
        assert value == pytest.approx(max(ratios) / m)


@pytest.mark.parametrize(
    ("prior", "n", "t", "epsilon", "steps", "sizes", "epsilons"),
    [((1, 1), 7, 0.5, 0.3, 1, [4, 50], [0.5]), ((0.3, 2), 6, 0.6, 2.0, 0, [2, 20], [1.0, 3.0])],
)
def test_theorem_4_5_agrees_with_the_definitions(tmp_path, prior, n, t, epsilon, steps, sizes, epsilons):
    setting = {"prior": list(prior), "n": n, "t": t, "epsilon": epsilon, "steps": steps, "sizes": sizes}
    setting |= {"epsilons": epsilons}
    found = run("notes/theorem_4_5", tmp_path, **setting)
    table = found.tables["datasets"]
    right = 0
    for x in datasets(n, 2):
        inside = [r[0] - x[0] for r in datasets(n, 2) if distance(prior, x, r) < t]
        assert (table["down"][x[0]], table["up"][x[0]]) == (-min(inside), max(inside))
        exact = probability(prior, x, lshist_law(x, epsilon), t)
        assert table["lshist_exact"][x[0]] == pytest.approx(exact)
        assert table["lszhang_exact"][x[0]] == pytest.approx(probability(prior, x, lshist_law(x, epsilon / 4), t))
        k = max(inside)
        formula = 1 - (math.exp(-k * epsilon) + math.exp(-(k + 1) * epsilon)) / 2
        assert table["lshist_printed"][x[0]] == pytest.approx(formula)
        right += math.isclose(exact, formula, rel_tol=1e-9)
    assert found.scalars["right_lshist"] == right
    for row, size in enumerate(found.tables["sizes"]["n"]):
        x = (size // 2, size - size // 2)
        h = sorted(float(distance(prior, x, r)) for r in datasets(size, 2) if r[0] > x[0])
        t = (h[steps] + ([0.0] + h)[steps]) / 2  # between the last step inside and the first outside
        inside = probability(prior, x, exponential_mechanism(prior, x, epsilon / (2 * G)), t)
        low = (2 * steps * math.exp(-epsilon) + 1) / size
        high = (2 * steps + 1) * math.exp(epsilon) / size
        if distance(prior, x, (x[0] - steps - 1, x[1] + steps + 1)) > h[steps]:  # else t decides what is inside
            assert found.tables["sizes"]["lower"][row] == pytest.approx(low / inside)
            assert found.tables["sizes"]["upper"][row] == pytest.approx(high / inside)
    assert found.scalars["kept"]


def test_crossovers_agree_with_the_mechanisms_at_every_size(tmp_path):
    found = run("notes/crossovers", tmp_path, weight=2.0, epsilons=[0.3, 1.0], most_steps=3, shown=1)
    prior = (2.0, 2.0)
    table = found.tables["sizes"]
    for epsilon, k, size in zip(table["epsilon"], table["k"], table["exact"], strict=True):
        for m in range(k + 1, 30):
            t = float(sum(distance(prior, (m, m), (m + j, m - j)) for j in (k, k + 1))) / 2
            both = dpbi.lshist(epsilon), dpbi.ehd(epsilon, G)
            noise, chosen = (dpbi.error_tail(each, prior, (m, m), t) for each in both)
            assert (noise < chosen) == (2 * m >= size), (epsilon, k, m)
    rows = list(zip(table["epsilon"], table["k"], table["claimed_above"], table["claimed_below"], strict=True))
    for epsilon, k, above, below in [row for row in rows if row[1]]:
        q = math.exp(-epsilon)
        assert above == pytest.approx((2 * k + 1) / (q * (1 - q**k)))
        assert below == pytest.approx((2 * k * q + 1) / (1 - (q**k + q ** (k + 1)) / 2))
    good = found.tables["good"]
    for epsilon, size in zip(good["epsilon"], good["exact"], strict=True):
        behind = [0]
        for n in range(1, 17):  # from there on it is proved
            for x in datasets(n, 2):
                radius = local_sensitivity(prior, x) * (1 + 1e-10)
                lshist = probability(prior, x, lshist_law(x, epsilon), radius)
                ehd = probability(prior, x, exponential_mechanism(prior, x, epsilon / (2 * G)), radius)
                behind += [n] if lshist <= ehd * (1 + 1e-12) else []
        assert size == max(behind) + 1
    assert found.scalars["late"] == found.scalars["early"] == 0
    assert found.scalars["safe"]
