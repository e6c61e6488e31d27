"""``dpbi verify``: the verdicts computed again by the command."""

import re
from dataclasses import replace

import pytest

import dpbi.claims
from checkouts import failed
from dpbi.claims import BY_ID, at_most
from dpbi.cli import main

ONE, OTHER = (BY_ID[name] for name in ("private-mcmc/def-5", "hellinger/3-sensitivity"))


@pytest.fixture
def statements(monkeypatch):
    """Lets verify have these statements alone, some of them wrong ones."""

    def use(*those):
        monkeypatch.setattr(dpbi.claims, "CLAIMS", those)
        for each in those:
            monkeypatch.setitem(BY_ID, each.id, each)

    return use


def test_verdicts_as_recorded_are_one_line(statements, capsys):
    statements(ONE, OTHER)
    assert main(["verify", "--jobs", "1"]) == 0
    assert re.fullmatch(r"2 verdicts in \d+ s, all as recorded\n", capsys.readouterr().out)


def test_another_verdict_fails_by_name(statements, capsys):
    def broken(n, k):
        raise ZeroDivisionError("no such number")

    statements(replace(ONE, body=lambda epsilon, epsilon2: (1.0, at_most(0))), replace(OTHER, body=broken))
    assert failed(["verify", "--jobs", "1"]) == 1
    before = dpbi.claims.RECORDED[OTHER.id]
    assert capsys.readouterr().err.splitlines() == [
        "dpbi: 2 of 2 verdicts are not as recorded",
        "  private-mcmc/def-5: true before, false now",
        f"  hellinger/3-sensitivity: {before} before, ZeroDivisionError: no such number now",
    ]


def test_a_statement_without_a_record_is_named(statements, monkeypatch, capsys):
    statements(ONE)
    monkeypatch.delitem(dpbi.claims.RECORDED, ONE.id)
    assert failed(["verify", "--jobs", "1"]) == 1
    assert "private-mcmc/def-5: not recorded before, true now" in capsys.readouterr().err


def test_the_statements_of_one_source_are_chosen(statements, capsys):
    statements(ONE, OTHER)
    assert main(["verify", "--source", "hellinger", "--jobs", "1"]) == 0
    assert "1 verdicts in" in capsys.readouterr().out
    assert failed(["verify", "--source", "elsewhere"]) == 1
    assert capsys.readouterr().err == "dpbi: --source must be one of private-mcmc, hellinger, got 'elsewhere'\n"
