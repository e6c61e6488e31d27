"""The pages beyond the sources, run with other parameters than those of the book."""

import json

import mpmath
import pytest

from answers_beyond import enough, exactly_longer
from test_notebooks import NOTEBOOKS, rerun


def test_how_far_from_the_best_finds_the_optimum_at_another_prior(tmp_path):
    found = rerun(
        "beyond/how_far_from_the_best", tmp_path, prior=[0.5, 3.0], n=14, epsilon=0.5, epsilons=[0.2, 1.0],
        sizes=[5, 10], balances=[0.2, 0.6], categories=[2, 4], n_few=3, n_three=[4], draws=50,
    )  # fmt: skip
    assert found.scalars["difference"] < 1e-8
    assert found.scalars["entries_below_the_optimum"] == 0
    assert found.scalars["datasets_farther"] == 0
    assert found.scalars["violation"] < 1e-12
    table = found.tables["optimum"]
    assert table["geometric, remapped"] == pytest.approx(table["linear program"], abs=1e-8)
    assert all(plain > best for plain, best in zip(table["geometric"], table["geometric, remapped"], strict=True))
    assert all(best >= bound for best, bound in zip(table["geometric, remapped"], table["bound"], strict=True))
    for name, two in (("balance", slice(None)), ("categories", slice(1))):
        over = found.tables[f"over_the_optimum_by_{name}"]
        assert over["geometric, remapped"][two] == pytest.approx([1] * len(over["geometric, remapped"][two]), abs=1e-6)
        assert min(min(values) for key, values in over.items() if key not in ("share", "k")) > 1 - 1e-6
    assert found.tables["over_the_optimum_by_categories"]["lattice_laplace, remapped"][1] < 1.05


def test_honest_intervals_are_honest_at_another_prior(tmp_path):
    found = rerun(
        "beyond/honest_intervals", tmp_path, prior=[0.5, 2.0], n=30, epsilons=[0.2, 1.0], sizes=[12], levels=[0.6, 0.9],
        n_small=10, noisy=[-3, 20],
    )  # fmt: skip
    assert found.tables["average"]["given the noise"] == pytest.approx(found.tables["average"]["level"], abs=1e-4)
    assert max(found.tables["average"]["forgetting"]) < 0.9
    assert found.tables["every"]["given the output, covered"] == pytest.approx([0.9] * 7, abs=1e-4)


def integral(function):
    """Over shares, by mpmath's quadrature of each half, with a power of what is left to its end as the variable."""
    half = mpmath.mpf(0.5) ** mpmath.mpf(0.1)
    ends = (lambda s: (s**10, 1 - s**10), lambda s: (1 - s**10, s**10))
    return sum(mpmath.quad(lambda s, end=end: function(*end(s)) * 10 * s**9, [0, half]) for end in ends)


def distance_to_mixtures(a, b, n, epsilon):
    """How far the posterior given geometric noise is from the one without, on average."""
    q, records = mpmath.exp(-epsilon), range(n + 1)
    ends = {0: 1 / (1 + q), n: 1 / (1 + q)}
    law = [[q ** abs(r - x) * ends.get(r, (1 - q) / (1 + q)) for r in records] for x in records]
    chance = [mpmath.binomial(n, x) * mpmath.beta(a + x, b + n - x) / mpmath.beta(a, b) for x in records]

    def density(x, share, rest):
        return share ** (a + x - 1) * rest ** (b + n - x - 1) / mpmath.beta(a + x, b + n - x)

    total = mpmath.mpf(0)
    for r in records:
        told = [chance[x] * law[x][r] for x in records]

        def mixed(*at, told=told):
            return sum(w * density(y, *at) for y, w in zip(records, told, strict=True)) / sum(told)

        for x in records:
            affinity = integral(lambda *at, x=x, mixed=mixed: mpmath.sqrt(density(x, *at) * mixed(*at)))
            total += told[x] * mpmath.sqrt(1 - affinity)
    return float(total)


def test_the_distance_of_honest_posteriors_is_that_of_a_quadrature_where_densities_have_poles(tmp_path):
    few = {"n": 2, "epsilons": [0.5, 1.0], "sizes": [2], "levels": [0.5], "n_small": 2, "noisy": [1, 1]}
    found = rerun("beyond/honest_intervals", tmp_path, prior=[0.1, 0.6], **few)
    goals = found.tables["two_goals"]
    expected = [distance_to_mixtures(0.1, 0.6, 2, e) for e in goals["epsilon"]]
    assert goals["posterior given the noise"] == pytest.approx(expected, rel=1e-6)


def test_real_data_at_another_budget(tmp_path):
    found = rerun("beyond/real_data", tmp_path, epsilon=1.0, draws=60)
    assert min(found.tables["lengths"]["ratio"]) < max(found.tables["lengths"]["ratio"])
    assert found.tables["example"]["records"] == [488, 37, 419]
    assert found.tables["errors"]["lattice_laplace"][0] == pytest.approx(found.tables["errors"]["geometric"][0])


def test_a_table_at_other_budgets_is_concluded_from(tmp_path):
    found = rerun("beyond/released_table", tmp_path, budgets=["1/2", "5"], prior=0.5, draws=300, releases=5)
    assert found.scalars["records"] == 944
    assert found.scalars["mixed"]
    rows = found.tables["answers"]
    each = {
        key: (mean, high - low) for *key, mean, low, high in zip(*rows.values(), strict=True) for key in [tuple(key)]
    }
    for name in set(rows["question"]):
        # with a large budget, about the answer of the records; with a small one, less is known
        mean, length = each[name, "records", "no noise"]
        assert abs(each[name, "5", "noise modelled"][0] - mean) < length / 2
        assert each[name, "1/2", "noise modelled"][1] > each[name, "5", "noise modelled"][1]


def test_any_size_at_another_prior_and_budget(tmp_path):
    found = rerun(
        "beyond/any_size", tmp_path, epsilon=2.0, weight=0.5, exponent=0.0, powers=[2, 5], categories=[2, 6, 12],
        power=4, many=4, bounded=[3], giant=[3, 30], giant_powers=[5, 9], crowd=50,
        budgets=[0.003, 0.5], empty=[0, 2], runs=100,
    )  # fmt: skip
    assert found.scalars["far_share_off"] < 0.3
    assert all(0.3 < share < 0.7 for share in found.tables["probabilities"]["Pr[H < t]"])  # t is near the median
    assert found.tables["empty"]["average of draws"][0] < found.tables["empty"]["average of draws"][1]
    for values in (found.tables["two"], found.tables["records"]):
        assert values["geometric"][0] > values["geometric"][-1]
    assert max(found.tables["far"]["ehd"]) > 0.9


def test_what_many_uses_cost_at_another_budget(tmp_path):
    found = rerun("beyond/what_many_uses_cost", tmp_path, prior=[0.5, 2.0], n=4, epsilon=0.5, uses=8, draws=20_000)
    most = found.tables["ways"]["at most"]
    assert most[0] == pytest.approx(4.0)
    assert most[5] <= most[4] <= most[2] <= most[1]
    assert most[4] <= most[3] <= most[0]
    assert found.scalars["caught"] == 2
    flips = found.tables["flips"]
    assert all(a <= b for a, b in zip(flips["permute and flip"], flips["ehd, mean error"], strict=True))


def test_how_fast_counts_the_cells_that_keep_to_other_targets(tmp_path):
    found = rerun("beyond/how_fast", tmp_path, few=2, setup=[1e6, 1e6], draw=[1e6, 1e-3], megabytes=1e6, level=0.5)
    assert found.scalars["met_set-up"] == found.scalars["met_memory"] == found.scalars["cells"] == 216
    assert found.scalars["met_draws"] == 72  # those of two categories
    assert found.scalars["broken_caught"] == 2


def test_the_guide_gives_numbers_of_its_own(tmp_path):
    found = rerun("beyond/which_mechanism", tmp_path, epsilons=[0.5], largest=3)
    assert found.scalars["error_of_ehd"] > found.scalars["error_of_lshist"] > 1
    assert found.tables["ratios"]["epsilon 0.5"][-1] < 1.1
    assert found.tables["enough"]["records"] == [enough(lambda n: exactly_longer(0.5, n), 300)]


def test_the_guide_says_from_which_size_on_and_if_there_is_none(tmp_path):
    found = rerun("beyond/which_mechanism", tmp_path, epsilons=[0.1, 3.0, 20.0], largest=2)
    assert found.tables["enough"]["records"] == [None, 10, 10]


def test_the_sizes_of_the_guide_are_exact():
    """Each is the first that is enough, and so is every size above it that was tried: 3,893, 428 and 34."""
    cells = json.loads(NOTEBOOKS["beyond/which_mechanism"].read_text("utf-8"))["cells"]
    (shown,) = [cell["outputs"][0]["data"]["text/plain"] for cell in cells if cell["id"] == "enough"]
    sizes = {float(e): int(n.replace(",", "")) for e, n in (line.split() for line in shown[2:])}
    assert sizes == {0.1: 3893, 0.3: 428, 1.0: 34, 3.0: 10}
    for epsilon, n in sizes.items():
        assert n == 10 or exactly_longer(epsilon, n - 1) > 1.1
        assert all(exactly_longer(epsilon, more) <= 1.1 for more in (n, n + 1, 2 * n, 2 * n + 1))


def test_what_leaks_at_another_prior_and_budget(tmp_path):
    found = rerun(
        "beyond/what_leaks", tmp_path, epsilon=1.5, weight=0.5, powers=[1, 3], categories=[3], light=[2.0, 1e5],
        heavy=[2.0, 1e11], few=[2, 9], small=0.1,
    )  # fmt: skip
    assert found.scalars["bounds"] == 0
    assert 0.95 < found.scalars["largest_share"] < 1
    assert found.scalars["gain_3"] == pytest.approx(2, rel=1e-3)
    assert 0.5 < found.tables["two"]["ehd"][1] < found.tables["two"]["ehd"][0]
