"""A private sampler as people use it: what is refused, what is kept when it stops, what is said, what is released."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from chain_properties import silent
from dpbi import ApproxDP
from dpbi.mcmc import (
    Algorithm,
    StoppedRun,
    guided_walk,
    hmc_penalty,
    metropolis,
    penalty,
    posterior_of,
    run,
    study,
    tuned,
)
from dpbi.mcmc.diagnostics import effective_size, r_hat
from dpbi.mcmc.models import bernoulli
from mcmc_targets import normal_model

BUDGET = ApproxDP(4.0, 1e-6)

BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def rng():
    return np.random.default_rng(20201005)


def spread_model(spread):
    return normal_model(np.zeros(20), spread=spread)


# What is refused

RNG = np.random.default_rng(0)
ONE = np.array([0.0])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: spread_model(lambda a, b: 0.0), "spread must be a finite number > 0 for a point that moves, got 0.0"),
        (lambda: spread_model(lambda a, b: -1.0), "spread must be .* > 0 for a point that moves, got -1.0"),
        (lambda: spread_model(lambda a, b: np.nan), "spread must be a finite number > 0 .* got nan"),
        (lambda: spread_model(lambda a, b: 1.0 + (b[0] > a[0])), "spread must be the same both ways"),
        (
            lambda: normal_model([0.0] * 9 + [1.0], spread=lambda a, b: 1.0).__class__(
                posterior_of(lambda t, x: np.where(x > t[0] + 0.5, -np.inf, 0.0), ONE, lambda t: 0.0, 1).likelihood,
                1,
                lambda theta: 0 * theta[:, 0],
                spread=lambda a, b: np.ones(len(a)),
            ),
            "log_likelihood must be finite for every row where the target has a spread",
        ),
    ],
)
def test_a_spread_that_cannot_be_one_is_refused(call, words):
    target = call()
    with pytest.raises((ValueError, StoppedRun), match=words):
        run(np.random.default_rng(1), target, penalty(1.0, None, 2.0), [0.0], iterations=200)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: run(RNG, normal_model([0.0]), metropolis(1.0), [0.0], iterations=1), "algorithm must be private"),
        (
            lambda: run(RNG, normal_model([0.0] * 9), penalty(1, 1, 1), [0.0], iterations=10**13),
            "iterations must be so few that the samples fit into memory, got 10000000000000",
        ),
        (
            lambda: run(RNG, normal_model([0.0]), hmc_penalty(1, 1, 1, 1, 1, 1, mass=[1, 2]), [0.0], iterations=1),
            r"mass must be one number or 1 of them, got shape \(2,\)",
        ),
        (
            lambda: posterior_of(lambda t, x: x - x.mean() - t[0], [1.0, 2.0, 4.0], lambda t: 0.0, 1),
            "log_likelihood must give a row the same number whatever the other rows are",
        ),
        (
            lambda: run(RNG, normal_model([0.0]), penalty(1, 1, 1), [0.0], iterations=1, names=["a", "b"]),
            "names must be 1 different ones",
        ),
    ],
)
def test_what_may_not_be_is_one_clear_error(call, words):
    with pytest.raises(ValueError, match=f"^{words}"):
        call()


# What is kept


def test_a_likelihood_that_raises_keeps_what_was_paid(rng):
    calls = []

    def failing(theta, data):
        calls.append(theta)
        if len(calls) > 12:
            raise ZeroDivisionError("of the model")
        return -((data - theta[0]) ** 2) / 2

    target = posterior_of(failing, np.zeros(20), lambda t: 0.0, 1)
    with pytest.raises(StoppedRun, match="ZeroDivisionError: of the model; 8 of 50 iterations") as stop:
        run(rng, target, penalty(1.0, 2.0, 0.5), [0.0], iterations=50)
    kept = stop.value.run
    assert kept.iterations == 8
    assert not kept.complete
    assert kept.cost.rho == pytest.approx(9 / (2 * 20))


def test_what_is_made_of_an_interrupted_run_is_refused(rng):
    target, whole = bernoulli(300, 1000).target, penalty(0.3, None, 0.1)
    left = iter(range(5))

    def interrupted(rng, state, target):
        if next(left, None) is None:
            raise KeyboardInterrupt
        return whole.step(rng, state, target)

    done = study(rng, target, Algorithm("interrupted", interrupted, whole.cost, ""), [0.0], iterations=9)
    with pytest.raises(KeyboardInterrupt, match="after 5 iterations"):
        done.whole()


def test_a_run_that_is_resumed_is_the_one_that_was_not_stopped(rng, tmp_path):
    target = normal_model(np.linspace(-1, 1, 30))
    for name, algorithm in (("a", penalty(1.0, 2.0, 0.5)), ("b", guided_walk(1.0, 2.0, 0.5))):
        whole = run(np.random.default_rng(5), target, algorithm, np.zeros((2, 1)), iterations=12)
        left = iter(range(7))

        def stopping(rng, state, target, left=left, algorithm=algorithm):
            if next(left, None) is None:
                raise KeyboardInterrupt
            return algorithm.step(rng, state, target)

        stopped = Algorithm(
            algorithm.name, stopping, algorithm.cost, "", algorithm.parameters, algorithm.start, algorithm.released
        )
        settings = {"iterations": 12, "checkpoint": tmp_path / name}
        first = run(np.random.default_rng(5), target, stopped, np.zeros((2, 1)), **settings)
        assert first.iterations == 7
        with open(tmp_path / name / "run.jsonl", "ab") as file:
            file.write(b'{"theta": [[0.')  # torn
        again = run(np.random.default_rng(99), target, algorithm, np.zeros((2, 1)), **settings)
        assert np.array_equal(again.samples, whole.samples)
        assert np.array_equal(again.accepted, whole.accepted)
        assert again.cost == whole.cost
        with pytest.raises(ValueError, match=r"^checkpoint must be one of the same run"):
            run(rng, target, penalty(2.0, 2.0, 0.5), np.zeros((2, 1)), **settings)
    assert (tmp_path / "a" / "run.jsonl").stat().st_mode & 0o077 == 0


KILLED = """
import sys, time
import numpy as np
from dpbi.mcmc import penalty, posterior_of, run

def slow(theta, rows):
    if SLOW:
        time.sleep(0.02)
    return -((rows - theta[0]) ** 2) / 2

SLOW = False
target = posterior_of(slow, np.linspace(-1, 1, 100), lambda t: 0.0, 1)
SLOW = len(sys.argv) > 1
rng = np.random.default_rng(7)
done = run(rng, target, penalty(1.0, 2.0, 0.5), [0.0], iterations=30, checkpoint="chain")
print(done.iterations, done.complete)
"""


def test_what_was_paid_is_kept_after_kill_9_and_goes_on(tmp_path):
    command = [sys.executable, "-c", KILLED]
    log, seen = tmp_path / "chain" / "run.jsonl", 0
    for _ in range(2):
        process = subprocess.Popen([*command, "slow"], cwd=tmp_path, env=os.environ)
        end = time.monotonic() + 120
        while time.monotonic() < end and (not log.exists() or log.read_bytes().count(b'"theta"') < seen + 4):
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        finished = log.read_bytes().count(b'"theta"') - 1
        assert finished >= seen
        seen = finished
    before = [json.loads(line) for line in log.read_bytes().split(b"\n")[1:-1] if line not in (b"", b"begun")]
    told = subprocess.run(command, cwd=tmp_path, env=os.environ, capture_output=True, text=True, check=True).stdout
    assert told.split() == ["30", "True"]
    assert 30 <= log.read_bytes().count(b"begun") <= 32  # one that had begun when it was killed begins again
    after = [json.loads(line) for line in log.read_bytes().split(b"\n")[1:-1] if line != b"begun"]
    assert after[: len(before)] == before


# What is said


def autoregressive(rng, n, chains, a):
    x = np.zeros((n, chains))
    x[0] = rng.standard_normal(chains)
    for i in range(1, n):
        x[i] = a * x[i - 1] + np.sqrt(1 - a * a) * rng.standard_normal(chains)
    return x


@pytest.mark.parametrize("a", [0.0, 0.5, 0.9])
def test_the_effective_size_of_a_known_chain(rng, a):
    """That of an autoregressive chain is n (1 - a) / (1 + a)."""
    found = effective_size(autoregressive(rng, 20_000, 4, a))
    assert found == pytest.approx(80_000 * (1 - a) / (1 + a), rel=0.1)


def test_diagnostics_are_those_of_arviz():
    """By ArviZ 0.23.4, rank-normalised split R-hat and bulk effective sample size."""
    said = (1.0034789339177794, 323.9974856642116, 1.2056190589019753, 14.140147670999884)
    x = autoregressive(np.random.default_rng(11), 500, 4, 0.7)
    assert r_hat(x) == pytest.approx(said[0], rel=1e-9)
    assert effective_size(x) == pytest.approx(said[1], rel=1e-9)
    x[:, 0] += 1.5
    assert r_hat(x) == pytest.approx(said[2], rel=1e-9)
    assert effective_size(x) == pytest.approx(said[3], rel=1e-9)


def test_a_chain_that_never_moved_says_so_and_so_does_one_that_clips(rng):
    target = normal_model(np.linspace(-1, 1, 200))
    stuck = run(rng, target, penalty(50.0, 5.0, 100.0), np.zeros((2, 1)), iterations=20, names=["mean"])
    assert "WARNING: chain 1, 2 never moved" in stuck.summary()
    assert "no proposal was accepted" in stuck.report()
    assert np.isnan(r_hat(stuck.samples[:, :, 0]))
    clipping = study(rng, target, penalty(1.0, 1e-3, 0.1), np.zeros((2, 1)), iterations=50, names=["mean"])
    assert "% of the rows' log ratios were clipped: clip is too small" in clipping.summary()
    good = study(rng, target, penalty(0.05, 3.0, 0.1), np.zeros((4, 1)), iterations=2000, names=["mean"])
    assert good.warnings() == []
    said = good.summary()
    for word in ("mean", "R-hat", "ESS", "acceptance", "clipped", "epsilon"):
        assert word in said


def test_tuning_puts_what_clips_half_of_the_rows_last(rng):
    target = normal_model(rng.normal(0.3, 1.0, 200))
    settings = [penalty(0.5, clip, 0.1) for clip in (1e-3, 3.0)]
    best, worst = tuned(rng, target, settings, np.zeros((2, 1)), budget=ApproxDP(20, 1e-6))
    assert (best.algorithm, worst.algorithm) == (settings[1], settings[0])
    assert best.clipped < 0.1 < 0.9 < worst.clipped


def test_samples_go_to_arviz_with_their_names(rng):
    pytest.importorskip("arviz")
    target = normal_model(rng.normal(0, 1, (30, 2)))
    done = run(rng, target, penalty(1.0, 3.0, 0.1), np.zeros((3, 2)), iterations=10, names=["a", "b"])
    data = done.to_arviz()
    assert dict(data.posterior["b"].sizes) == {"chain": 3, "draw": 10}
    assert np.array_equal(data.posterior["b"].values, done.samples[:, :, 1].T)
    assert np.array_equal(data.sample_stats["accepted"].values, done.accepted.T)


# The guide


def test_a_silent_model_is_one_whose_rows_say_nothing():
    target = silent(rows=7)
    assert target.rows == 7
    assert target.log_density(np.zeros((2, 2))).tolist() == [0, 0]


def test_the_guide_prints_what_it_shows(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    page = Path(__file__).parents[1] / "book" / "guides" / "sampler.md"
    names: dict[str, object] = {}
    shown = 0
    for language, text in BLOCK.findall(page.read_text("utf-8")):
        if language == "python":
            exec(compile(text, "sampler.md", "exec"), names)
        else:
            assert capsys.readouterr().out == text
            shown += 1
    assert shown == 5
