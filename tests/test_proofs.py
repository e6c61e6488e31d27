"""The proofs in ``proofs/`` are complete, rest only on the axioms of the reals, and prove what the pages show."""

import importlib
import re
import subprocess
import sys

import pytest

from coq import COMPILED, PROOFS, ROOT, compiled, needs_coq
from dpbi.claims import BY_ID
from dpbi.claims.machine import proofs as theorems
from dpbi.claims.statements import COQ

sys.path.insert(0, str(ROOT / "tools"))
statements = importlib.import_module("statements")
sys.path.remove(str(ROOT / "tools"))

FILES = sorted(PROOFS.rglob("*.v"))


def test_no_proof_is_left_open():
    for path in FILES:
        code = re.sub(r"\(\*.*?\*\)", "", path.read_text("utf-8"), flags=re.DOTALL)
        wrong = r"\b(Admitted|admit|give_up|Axioms?|Parameters?|Conjecture|Abort|bypass_check)\b|type-in-type"
        wrong += r"|Set Typing|Unset (Guard|Positivity|Universe) Check"
        assert not re.search(wrong, code), path
        depth = 0
        for line in code.splitlines():  # assumed inside a section, so it is a premise of what is proved
            depth += line.startswith("Section ") - line.startswith("End ")
            assert depth or not re.match(r"(Hypothesis|Hypotheses|Variables?|Context)\b", line), (path, line)


def test_every_theorem_of_the_table_is_one_of_its_file():
    assert len(theorems()) >= 30
    assert len({proof.name for proof in theorems()}) == len(theorems())
    for proof in theorems():
        text = (PROOFS / f"{proof.file}.v").read_text("utf-8")
        assert len(re.findall(rf"^Theorem {proof.theorem}\b", text, re.MULTILINE)) == 1, proof.name


def test_a_statement_that_coq_has_checked_is_decided():
    for proof in theorems():
        for name in proof.statements:
            assert not BY_ID[name].cannot, name
        for name in proof.holds:
            assert BY_ID[name].what_holds, name


def test_the_evidence_names_coq_where_a_theorem_is_linked():
    assert BY_ID["private-mcmc/3-acceptance"].evidence() == COQ
    assert BY_ID["notes/4.5-ehd-lower"].evidence() == f"counterexample; instead: {COQ}"


@needs_coq
def test_coq_accepts_all_files_and_prints_the_statements():
    compiled()
    assert all((COMPILED / path.relative_to(PROOFS)).with_suffix(".vo").exists() for path in FILES)
    assert statements.statements() == statements.PRINTED.read_text("utf-8")


@pytest.mark.slow
@needs_coq
def test_headline_statements_rest_on_the_axioms_of_the_reals():
    compiled()
    assert statements.axioms(*statements.full_names()) == statements.AXIOMS
    assert statements.axioms("publish.budget.never_over_the_limit", "publish.budget.spend_within") == set()


@needs_coq
def test_an_added_axiom_is_detected():
    compiled()
    (answer,) = statements.ask("Axiom wrong : False.\nDefinition used := wrong.\nPrint Assumptions used.")
    assert "wrong" in answer


MUTANTS = (
    ("mechanisms/lattice", "scale * exp (- (eps * IZR (distance k r x) / 2))",
        "scale * exp (- (eps * IZR (distance k r x)))"),
    ("mechanisms/exponential", "expmech (eps / (2 * s)) N (u x)", "expmech (eps / s) N (u x)"),
    ("mechanisms/smooth", "S x <= exp gamma * S y", "S x <= exp (gamma / 2) * S y"),
    ("mechanisms/geometric", "else if z =? n then alpha ^ (n - x) / (1 + alpha)",
        "else if z =? n then alpha ^ (n - x)"),
    ("mechanisms/floored_laplace", "/ 2 * geo (exp (- eps)) (j + 1).", "/ 2 * geo (exp (- eps)) (j + 2)."),
    ("optimum/free_publication", "(p i - alpha * p (S i)) / (1 - alpha ^ 2)", "(p i - alpha * p (S i)) / (1 - alpha)"),
    ("optimum/mixture", "fun t => Sum (S n) (fun x => lik x t * geometric x y)",
        "fun t => Sum n (fun x => lik x t * geometric x y)"),
    ("optimum/tests", "+ (1 - u) * noisy eps n b z", "+ u * noisy eps n b z"),
    ("accuracy/lshist", "exp (- (INR (up + 1) * eps)) / 2 else 0)", "exp (- (INR up * eps)) / 2 else 0)"),
    ("accuracy/exponential_error", "INR (down + up + 1) / INR (n + 1)", "INR (down + up + 1) / INR n"),
    ("guarantees/concentrated", "renyi a n p q <= w * w / 8 * a", "renyi a n p q <= w * w / 9 * a"),
    ("posterior_sampling/variation", "<= tanh ((hi - lo) / 4).", "<= tanh ((hi - lo) / 5)."),
    ("mcmc/invariance", "g (l + s * z - s * s / 2)", "g (l + s * z - s * s / 4)"),
    ("publish/budget", "Qle_bool eps (limit a - spent a)", "Qle_bool eps (limit a)"),
    ("model/beta_integral", "sqrt (/ 2 * unit_integral_of (fun u", "sqrt (unit_integral_of (fun u"),
    ("posterior_sampling/networks", "exp (2 * row_steps (x t0) (y t0)) *", "exp (row_steps (x t0) (y t0)) *"),
)  # fmt: skip
"""A file, what stands in it, and a wrong constant or exponent in its place."""


@pytest.fixture(scope="module")
def refused(tmp_path_factory):
    """What Coq says to each of them, and to a file with nothing wrong; it reads the libraries of all of them once."""
    folder = tmp_path_factory.mktemp("mutants")
    asked = ["From Coq Require Reals Lra Lia ZArith Lqa Qreals.", "From Coquelicot Require Coquelicot."]
    for number, (file, right, wrong) in enumerate((("mechanisms/lattice", "", ""), *MUTANTS)):
        text = (PROOFS / f"{file}.v").read_text("utf-8")
        assert right in text
        (folder / f"mutant_{number}.v").write_text(text.replace(right, wrong), "utf-8")
        asked.append(f'Check {number}.\nFail Load "mutant_{number}".')
    command = ["coqtop", "-q", "-w", "none", "-Q", str(compiled()), "DPBI"]
    how = {"cwd": folder, "capture_output": True, "text": True, "check": True}
    told = subprocess.run(command, input="\n".join(asked), **how).stdout
    accepted, *answers = re.split(r"^\d+\n     : nat\n", told, flags=re.MULTILINE)[1:]
    assert not accepted  # nothing is said against the file with nothing wrong
    assert len(answers) == len(MUTANTS)
    return answers


@pytest.mark.slow
@needs_coq
@pytest.mark.parametrize("number", range(len(MUTANTS)), ids=lambda number: "-".join(MUTANTS[number][:2])[:48])
def test_coq_refuses_a_wrong_constant(number, refused):
    assert "indeed failed" in refused[number]
    assert not re.search("Syntax error|Can't find file|physical path", refused[number])  # Coq could read it
