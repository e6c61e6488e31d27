"""``dpbi verify``: the claims computed again by the command."""

import re
from dataclasses import replace

import pytest

import dpbi.claims
from checkouts import failed
from dpbi.arithmetic import in_doubles, number
from dpbi.claims import Source, grid
from dpbi.cli import main


def only(source, name, cases, body, bound, **data):
    """The one statement of a source: its exact side is the number of records."""
    item = Source(*source).item(name, "Lemma 1", cases=grid(n=cases), apart="an example", relation=data.pop("relation"))
    return item(body).said("n", **data)(bound)


def broken_body(n):
    raise ZeroDivisionError("no such number")


NOTES, BOOK = ("notes2020", "notes"), ("book", "beyond")
HOLDS = "holds on the cases shown"
small = only(NOTES, "small", [1, 2], lambda n: n, lambda n: 2 * n, relation="<=", expected=HOLDS)
large = only(BOOK, "large", [3], lambda n: n, lambda n: number(1), relation="<", expected="refuted")
broken = only(BOOK, "broken", [3], broken_body, lambda n: number(1), relation="<", expected=HOLDS)


@pytest.fixture
def claims(monkeypatch):
    def use(*those):
        monkeypatch.setattr(dpbi.claims, "CLAIMS", those)

    use(small, large)
    return use


def test_verdicts_that_are_expected_verify(claims, capsys):
    assert main(["verify"]) == 0
    shown = capsys.readouterr().out
    assert "    1  holds on the cases shown\n" in shown
    assert "    1  refuted\n" in shown
    assert re.search(r"2 claims in \d+ s: 2 as expected\n", shown)


def test_a_verdict_that_is_not_expected_fails_by_name(claims, capsys):
    claims(small, replace(large, expected="holds on the cases shown"), broken)
    assert failed(["verify"]) == 1
    assert capsys.readouterr().err.splitlines() == [
        "dpbi: 2 of 3 claims are not as expected",
        "  beyond/large: expected 'holds on the cases shown', found 'refuted'",
        "  beyond/broken: expected 'holds on the cases shown', found 'ZeroDivisionError: no such number'",
    ]


def test_a_library_that_is_off_fails_by_the_name_of_the_claim(claims, capsys):
    def rounded(n):
        return n + 0.001 if in_doubles() else n

    claims(replace(small, body=lambda n: (rounded(n), 2 * n), calls=(rounded,)))
    assert failed(["verify"]) == 1
    assert capsys.readouterr().err.splitlines()[1:] == [
        "  notes/small: expected 'holds on the cases shown', found 'the library is off'",
    ]


def test_the_claims_of_one_source_are_chosen(claims, capsys):
    assert main(["verify", "--source", "beyond"]) == 0
    assert "1 claims in" in capsys.readouterr().out
    assert failed(["verify", "--source", "elsewhere"]) == 1
    assert capsys.readouterr().err == "dpbi: --source must be one of notes, beyond, got 'elsewhere'\n"
