"""Predictions of a plan before a release: against sums over unclamped noise, simulations, and on the command line."""

import math

import numpy as np
import pytest
from scipy import optimize, stats
from scipy.special import betaln

import dpbi
from checkouts import failed
from dpbi.cli import main
from dpbi.inference.forecast import Asked, simulated, summed
from dpbi.publish import plan


def by_hand(a, b, n, epsilon, share):
    """Width, width without noise, coverage if the noise is forgotten, and error, with geometric noise on -300..300."""
    x, z = np.arange(n + 1), np.arange(-300, n + 301)
    p_x = stats.betabinom.pmf(x, n, a, b) if share is None else stats.binom.pmf(x, n, share)
    noise = np.tanh(epsilon / 2) * np.exp(-epsilon * np.abs(z - x[:, None]))
    posterior = stats.betabinom.pmf(x, n, a, b)[:, None] * noise
    widths = []
    for column in (posterior / posterior.sum(axis=0)).T:
        ends = [optimize.brentq(lambda t, p=p, w=column: w @ stats.beta.cdf(t, a + x, b + n - x) - p, 0, 1)
                for p in (0.025, 0.975)]  # fmt: skip
        widths.append(ends[1] - ends[0])
    low, high = (stats.beta.ppf(p, a + x, b + n - x) for p in (0.025, 0.975))
    r = np.clip(z, 0, n)
    if share is None:
        inside = [stats.beta.cdf(high, a + i, b + n - i) - stats.beta.cdf(low, a + i, b + n - i) for i in x]
    else:
        inside = np.broadcast_to((low <= share) & (share <= high), (n + 1, n + 1))
    logs = betaln(a + x, b + n - x)
    half = (x[:, None] + x) / 2
    H = np.sqrt(-np.expm1(np.minimum(betaln(a + half, b + n - half) - (logs[:, None] + logs) / 2, 0)))
    joint = p_x[:, None] * noise
    return [
        joint.sum(axis=0) @ widths, p_x @ (high - low),
        sum(joint[i] @ np.asarray(inside[i])[r] for i in x), sum(joint[i] @ H[i][r] for i in x),
    ]  # fmt: skip


@pytest.mark.parametrize("share", [None, 0.3])
def test_sums_are_those_over_noise_that_is_not_clamped(share):
    expected = None if share is None else np.array([share, 1 - share])
    found = summed(Asked(np.array([1.5, 0.5]), 9, expected, "geometric", 0.4))
    assert [one.value for one in found] == pytest.approx(by_hand(1.5, 0.5, 9, 0.4, share), rel=1e-9)


@pytest.mark.parametrize("share", [None, 0.3])
def test_a_simulation_agrees_with_the_sums(share):
    alpha, n, rng = np.array([1.0, 2.0]), 60, np.random.default_rng(1)
    expected = None if share is None else np.array([share, 1 - share])
    asked = Asked(alpha, n, expected, "lattice_laplace", 0.2)
    theta = rng.dirichlet(alpha, 20_000) if expected is None else expected
    drawn = simulated(asked, rng.multinomial(n, theta, 20_000 if share else None), 60, rng)
    for one, exact in zip(drawn, summed(asked), strict=True):
        assert 0 < one.standard_error < 0.03
        assert abs(one.value - exact.value) < 4 * one.standard_error


def test_the_survey_of_3000_people():
    one, two = plan(3000, [1] * 4, ["1/10", 1], shares=[0.4, 0.3, 0.2, 0.1], draws=10)
    normal = 2 * 1.96 * np.mean([math.sqrt(p * (1 - p) / 3000) for p in (0.4, 0.3, 0.2, 0.1)])
    assert one.without_noise.value == pytest.approx(normal, rel=0.01)
    assert normal < two.width.value < 1.02 * normal < 1.3 * normal < one.width.value < 1.45 * normal
    assert 0.8 < one.coverage_forgotten.value < 0.9


def test_a_plan_on_the_command_line(capsys):
    command = [
        "plan", "--records=30", "--categories=yes,no", "--epsilon=1/2,1", "--mechanism=geometric,discrete_gaussian",
    ]  # fmt: skip
    assert main([*command, "--draws=3"]) == 0
    first, head, *rows = capsys.readouterr().out.splitlines()
    assert first == "30 records, 2 categories: 95 % intervals"
    assert head.split()[:2] == ["mechanism", "price"]
    assert [row.split()[1:3] for row in rows] == [["epsilon", "1/2"], ["epsilon", "1"], ["rho", "1/8"], ["rho", "1/2"]]
    assert ["±" in row for row in rows] == [False, False, True, True]
    for wrong, message in {
        "--categories=1": "--categories must be two or more", "--epsilon=0": "epsilons must be",
        "--mechanism=ehd": "mechanism must be one of", "--shares=1,1": "shares must be 2 numbers",
        "--epsilon=1/1000000000": "epsilon must be larger", "--epsilon=1/2,x": "epsilons must be",
        "--records=0": "n must be an integer >= 1", "--prior=1": "--categories must be two or more",
    }.items():  # fmt: skip
        more = ["--records=1000000000"] if wrong.endswith("1/1000000000") else []
        assert failed([*command, wrong, *more]) == 1
        assert capsys.readouterr().err.startswith(f"dpbi: {message}")


def test_progress_is_of_all_rows():
    calls = []
    plan(20, [1, 1, 1], [1, 2], draws=3, progress=lambda done, total: calls.append((done, total)))
    assert calls[-1] == (6, 6)
    assert [done for done, _ in calls] == sorted(done for done, _ in calls)


def test_the_mean_error_of_a_survey_says_how_to_simulate_it():
    with pytest.raises(ValueError, match="simulated_mean_error"):
        dpbi.mean_error(dpbi.lattice_laplace(0.1), [1] * 4, [750] * 4)
