"""Tests and bounds from a release: p-values by mpmath, size by exact sums, power by exact programs in fractions."""

import itertools
import json
import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from scipy import stats

import oracles
from dpbi import release
from dpbi.cli import main
from dpbi.inference import Noisy, guaranteed_interval, lower_bound, p_value, upper_bound
from dpbi.publish import count_for_test, read_schema, releasable, release_table

F = Fraction


def randomised_p_value(z, n, epsilon, theta, greater, u):
    """The p-value of geometric noise from its definition at 40 digits, over all hidden counts."""
    with mp.workdps(40):
        q, theta, u = mp.exp(-mp.mpf(epsilon)), mp.mpf(theta), mp.mpf(u)
        z, theta, u = (z, theta, u) if greater else (n - z, 1 - theta, 1 - u)
        total, odds, top = mp.mpf(0), theta / (1 - theta), int(n * theta)
        for side in (range(top, n + 1), range(top - 1, -1, -1)):
            b = mp.binomial(n, side.start) * theta**side.start * (1 - theta) ** (n - side.start) if side else 0
            for x in side:
                tails = (q**d / (1 + q) if d >= 0 else 1 - q ** (1 - d) / (1 + q) for d in (z - x, z - x + 1))
                at_least, beyond = tails
                total += b * ((1 - u) * at_least + u * beyond)
                b *= odds * (n - x) / (x + 1) if side.step > 0 else x / odds / (n - x + 1)
                if b < total * mp.mpf(10) ** -30:
                    break
        return total


CASES = [  # records, noisy count, epsilon, share, U
    *itertools.product([1], [-3, 0, 1, 2], [0.001, 1.0, 30.0], [1e-3, 1e-12, 0.5], [0.25]),
    *itertools.product([40], [-60, 0, 13, 75], [0.001, 0.1, 30.0], [1e-5, 0.3, 0.999], [0.9]),
    *itertools.product([2000], [580, 1990], [0.01, 0.5, 10.0], [0.3], [0.5]),
    (10**6, 301_900, 0.1, 0.3, 0.4), (10**6, 4, 0.001, 1e-6, 0.4), (10**6, 999_000, 30.0, 0.9989, 0.7),
]  # fmt: skip


@pytest.mark.parametrize("greater", [True, False])
def test_p_values_are_those_of_the_definition(greater):
    for n, z, epsilon, theta, u in CASES:
        noisy, side = Noisy([z, n - z], epsilon), "greater" if greater else "less"
        for number, known in ((u, u), (None, 0 if greater else 1)):
            true = randomised_p_value(z, n, epsilon, theta, greater, known)
            if true > 1e-290:
                found = p_value(n, noisy, theta, side, uniform=number)
                assert abs(found / true - 1) < 1e-12, f"{n=}, {z=}, {epsilon=}, {theta=}, U={number}"


def test_a_number_that_a_double_rounds_to_one_is_used_as_it_is():
    noisy, u = Noisy([1, 0], 60.0), 1 - F(1, 2**64)
    q = math.exp(-60)  # Pr[Z >= 1] (1 - U) + Pr[Z >= 2] U
    assert p_value(1, noisy, 0, uniform=u) == pytest.approx((q * 2.0**-64 + q * q) / (1 + q), rel=1e-12, abs=0)
    mirrored = p_value(1, Noisy([0, 1], 60.0), 1, "less", uniform=1 - u)
    assert mirrored == pytest.approx(p_value(1, noisy, 0, uniform=u), rel=1e-12, abs=0)


@pytest.mark.parametrize(("k", "epsilon"), [(3, 1.5), (4, 1.5)])
def test_noise_of_a_lattice_count_is_that_of_an_enumeration(k, epsilon):
    others = np.stack(np.meshgrid(*[np.arange(-30, 31)] * (k - 1), indexing="ij"), axis=-1).reshape(-1, k - 1)
    first = -others.sum(axis=1)
    weights = np.exp(-epsilon * (abs(others).sum(axis=1) + abs(first)) / 2)
    for z in (-5, 0, 1, 4):  # at the share 0 the hidden count is 0, and the p-value a tail of the noise
        for side, there in (("greater", first >= z), ("less", first <= z)):
            found = p_value(1, Noisy([z, 1 - z] + [0] * (k - 2), epsilon), 0.0, side)
            assert found == pytest.approx(weights[there].sum() / weights.sum(), rel=1e-9)


@pytest.mark.parametrize(("k", "epsilon"), [(12, 0.1), (100, 1.0), (100, 20.0)])
def test_noise_of_one_of_many_counts_is_hypergeometric(k, epsilon):
    q, m = mp.exp(-mp.mpf(epsilon)), k - 1  # the sum of m geometric noises of rate epsilon/2: two negative binomials

    def weight(j):
        return q**j * mp.binomial(m - 1 + j, j) * mp.hyp2f1(j + 1 - m, 1 - m, j + 1, q)  # Euler's transformation

    weights = [weight(j) for j in range(math.ceil(100 / epsilon) + 2 * k)]
    for z in (0, 1, 5, int(60 / epsilon)):
        true = mp.fsum(weights[z:]) / (2 * mp.fsum(weights) - weights[0])
        assert abs(p_value(1, Noisy([z, 1 - z] + [0] * (k - 2), epsilon), 0.0) / true - 1) < 1e-11


def rejected(n, k, mechanism, epsilon, category, theta, side, alpha, reach):
    """Probability that p <= alpha at the share tested, over the noisy count and U: p falls linearly in U."""
    moves, sign = range(-reach, reach + 1), -1 if k == 2 and category == 1 else 1
    logs = [float(oracles.log_noise(mechanism, sign * m, epsilon, k)) for m in moves]
    if mechanism == "lattice_laplace":  # the moves of the others add up to -m: one way for k = 2, a convolution for 3
        logs = [-epsilon * abs(m) + (math.log(abs(m) + 1 / math.tanh(epsilon / 2)) if k == 3 else 0) for m in moves]
    weights = np.exp(np.array(logs) - max(logs))
    law = np.convolve(stats.binom.pmf(np.arange(n + 1), n, theta), weights / weights.sum())
    total = 0.0
    for z, p in zip(range(-reach, n + reach + 1), law, strict=True):
        counts = [0] * k
        counts[category], counts[category - 1] = z, n - z
        given = Noisy(counts, epsilon, mechanism)
        least, most = sorted(p_value(n, given, theta, side, category=category, uniform=u) for u in (0, 1))
        total += p * min(max((alpha - least) / (most - least) if most > least else most <= alpha, 0), 1)
    return total


@pytest.mark.parametrize(("k", "category"), [(2, 0), (2, 1), (3, 1)])
@pytest.mark.parametrize("mechanism", releasable())
def test_the_size_is_the_level_whatever_the_noise(mechanism, k, category):
    for (n, theta), side, alpha in zip([(1, 0.5), (9, 0.07)], ["greater", "less"], [0.3, 0.05], strict=True):
        found = rejected(n, k, mechanism, 3.0, category, theta, side, alpha, reach=50)
        assert found == pytest.approx(alpha, abs=1e-12)


def most_power(n, q, theta0, theta1, alpha):
    """The largest power of any private test at theta1, by the simplex method with Bland's rule in fractions."""
    b0, b1 = ([math.comb(n, x) * t**x * (1 - t) ** (n - x) for x in range(n + 1)] for t in (theta0, theta1))
    rows, unit = [[*b0, alpha]], [[F(i == j) for j in range(n + 1)] for i in range(n + 1)]
    for here, there in [pair for x in range(n) for pair in ((x, x + 1), (x + 1, x))]:
        move = [a - b / q for a, b in zip(unit[here], unit[there], strict=True)]
        rows += [[*move, F(0)], [*(-one for one in move), 1 / q - 1]]  # both answers of the test are private
    m, size = len(rows), n + 1
    table = [[*row[:-1], *(F(i == j) for j in range(m)), row[-1]] for i, row in enumerate(rows)]
    table.append([*(-b for b in b1), *[F(0)] * (m + 1)])
    basis = list(range(size, size + m))
    while (enter := next((j for j, c in enumerate(table[-1][:-1]) if c < 0), None)) is not None:
        leave = min((r[-1] / r[enter], basis[i], i) for i, r in enumerate(table[:-1]) if r[enter] > 0)[2]
        basis[leave], top = enter, [c / table[leave][enter] for c in table[leave]]
        table = [
            top if i == leave else [a - r[enter] * b for a, b in zip(r, top, strict=True)] if r[enter] else r
            for i, r in enumerate(table)
        ]
    return table[-1][-1]


def power(n, q, theta0, theta1, alpha, mechanism="lattice_laplace"):
    """Probability at theta1 that the library's test of theta0 rejects, over the noisy count and U."""
    epsilon, reach = -math.log(q), math.ceil(36 / -math.log(q))
    z = np.arange(-reach, n + reach + 1)
    noise = math.tanh(epsilon / 2) * np.exp(-epsilon * abs(z[:, None] - np.arange(n + 1)))
    total, side = 0.0, "greater" if theta1 > theta0 else "less"
    for count, chance in zip(z.tolist(), noise @ stats.binom.pmf(np.arange(n + 1), n, float(theta1)), strict=True):
        noisy = Noisy([count, n - count], epsilon, mechanism)
        least, most = sorted(p_value(n, noisy, float(theta0), side, uniform=u) for u in (0, 1))
        total += chance * (min(max((float(alpha) - least) / (most - least), 0), 1) if most > least else most <= alpha)
    return total


@pytest.mark.parametrize("mechanism", ["lattice_laplace", "geometric"])
def test_no_private_test_has_more_power(mechanism):
    for n, q, theta0, theta1, alpha in (
        (3, F(3, 5), F(2, 5), F(7, 10), F(1, 20)), (4, F(1, 3), F(1, 5), F(9, 10), F(3, 10)),
        (4, F(1, 2), F(3, 5), F(1, 10), F(1, 20)),
    ):  # fmt: skip
        best = most_power(n, q, *((theta0, theta1) if theta1 > theta0 else (1 - theta0, 1 - theta1)), alpha)
        assert power(n, q, theta0, theta1, alpha, mechanism) == pytest.approx(float(best), abs=1e-12)


def test_bounds_are_where_the_tests_turn():
    for n, z, epsilon in ((20, 14, 0.8), (20, 0, 5.0), (400, 431, 0.1)):
        noisy, flipped = Noisy([z, n - z], epsilon), Noisy([n - z, z], epsilon, "geometric")
        for u, level in itertools.product((None, 0.3), (0.6, 0.99)):
            ends = tuple(bound(n, noisy, level, uniform=u) for bound in (lower_bound, upper_bound))
            for end, side, out in zip(ends, ("greater", "less"), (-1e-9, 1e-9), strict=True):
                if 0 < end < 1:
                    outside, inside = (p_value(n, noisy, there, side, uniform=u) for there in (end + out, end - out))
                    assert outside <= 1 - level < inside
            assert guaranteed_interval(n, noisy, 2 * level - 1, uniform=u) == pytest.approx(ends, rel=1e-12)
            other = guaranteed_interval(n, flipped, 2 * level - 1, category=1, uniform=u)
            assert other == pytest.approx(ends, rel=1e-12)
    assert guaranteed_interval(20, Noisy([-60, 80], 0.1), 0.95) == (0, 0)
    assert guaranteed_interval(20, Noisy([-60, 80], 0.1), 0.95, category=1) == (1, 1)


def test_bad_arguments_are_refused_by_name():
    good = {"n": 5, "release": Noisy([2, 3], 0.5), "share": 0.5}
    for change, message in (
        ({"n": 6}, "noisy must be .* the total n=6"),
        ({"n": 0}, "n must be an integer >= 1 and < 10000001"),
        ({"release": Noisy([3, 3, -1], 0.5, "lshist"), "category": 2}, "category must be one whose count has noise"),
        ({"release": Noisy([5] + [0] * 100, 0.5)}, "noisy must be at most 100 counts .* merge"),
        ({"category": 2}, "category must be an integer >= 0 and < 2"),
        ({"uniform": F(3, 2)}, "uniform must be a finite number >= 0 and <= 1"),
        ({"alternative": "more"}, "alternative must be one of greater, less, two-sided"),
    ):
        with pytest.raises(ValueError, match=message):
            p_value(**good | change)


def test_exact_tests_are_of_charged_releases(tmp_path, monkeypatch, no_figures, capsys):
    monkeypatch.chdir(tmp_path)
    release([*"aab"], ["a", "b"], [1, 1], "1/2", out="free")
    release([*"aab"], ["a", "b"], [1, 1], "1/2", out="paid", budget="b.db", limit=9)
    with pytest.raises(ValueError, match=r"receipt must be of a release charged to a budget file"):
        count_for_test("free", "a", exact=True)
    assert count_for_test("free", "a")["uniform"] is None
    receipt, seen = json.loads((tmp_path / "paid" / "receipt.json").read_text()), []
    for number in range(200):
        one, other = (count_for_test({**receipt, "id": f"{number:016x}"}, c, exact=True) for c in "ab")
        assert one["uniform"] + other["uniform"] == 1
        assert p_value(**one, share=0.3) == pytest.approx(p_value(**other, share=0.7, alternative="less"), rel=1e-12)
        seen.append(float(one["uniform"]))
    assert stats.kstest(seen, "uniform").pvalue > 1e-4
    assert count_for_test("paid", "a", exact=True)["release"].counts == receipt["noisy"]
    columns = "{x = {cuts = [0]}, y = {cuts = [0, 1]}}"
    asked = "epsilon = '1'\nmargins = [1]\nperson = 'who'\nrows_per_person = 2"
    (tmp_path / "s.toml").write_text(f"{asked}\ncolumns = {columns}")
    (tmp_path / "d.csv").write_text("who,x,y\na,1,3\na,-2,0\nb,3,1\n")
    release_table("d.csv", read_schema("s.toml"), out="table", budget="c.db", limit=1)
    cells = [count_for_test("table", c, ["y"], exact=True)["uniform"] for c in ("below 0", "0 to below 1", "1 on")]
    assert len({*cells, count_for_test("table", "below 0", ["x"], exact=True)["uniform"]}) == 4
    found = {}
    for name, words in {"cons": "paid --share a --above .5", "exact": "paid --share b --below .5 --exact",
                        "two": "paid --share a --unlike .5 --exact", "table": "table --columns y --above .2 --exact"
                        " --share", "x": "table --columns x --above .2 --exact --share"}.items():  # fmt: skip
        cell = ["below 0"] if words.endswith("--share") else []
        assert main(["test", *words.split(), *cell]) == 0
        found[name] = capsys.readouterr().out
    assert [name for name, words in found.items() if "has more power" in words] == ["exact"]
    assert [name for name, words in found.items() if "conservative" in words] == ["cons"]
    assert [name for name, words in found.items() if "merged" in words] == ["table"]
    assert [name for name, words in found.items() if "NOT a random sample" in words] == ["table", "x"]
    assert all("are dependent" in words for words in found.values())
    sure = guaranteed_interval(**count_for_test("paid", "a"), level=0.95)
    assert "a: guaranteed 95 % between {:.4g} and {:.4g}, whatever".format(*sure) in found["cons"]
    assert main(["test", "paid", "--share", "a", "--above", "0"]) == 0
    assert capsys.readouterr().out.startswith("a: p-value ")
    with pytest.raises(SystemExit):
        main(["test", "free", "--share", "a", "--above", "0.5", "--exact"])
    assert main(["conclude", "paid"]) == 0
    assert capsys.readouterr().out.count("guaranteed 95 % between") == 2
    assert main(["conclude", "table", "--columns", "x"]) == 0
    assert "guaranteed" not in capsys.readouterr().out
