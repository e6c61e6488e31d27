"""Coq, if it is installed: the proofs, compiled once, and a file of goals for Coq to prove."""

import shutil
import subprocess
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROOFS = ROOT / "proofs"
COMPILED = ROOT / "_build" / "proofs"

needs_coq = pytest.mark.skipif(shutil.which("coqc") is None, reason="without coqc the proofs are not checked again")


@cache
def compiled() -> Path:
    """The folder of the compiled proofs, which are made if they are not there."""
    subprocess.run(["make", "--no-print-directory", "-C", str(PROOFS)], check=True, capture_output=True, text=True)
    return COMPILED


def coqc(name: str, text: str, folder: Path | None = None) -> str:
    """What Coq says against a file; nothing if it accepts it."""
    source = (folder or compiled()) / f"{name}.v"
    source.write_text(text, "utf-8")
    run = subprocess.run(
        ["coqc", "-q", "-w", "none", "-Q", str(compiled()), "DPBI", source.name],
        cwd=source.parent, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return run.stderr if run.returncode else ""


def exact(value: object) -> str:
    """A number as Coq reads it: the fraction that its decimal says."""
    fraction = Fraction(str(value))
    return f"({fraction.numerator} / {fraction.denominator})"


GOALS = """From Coq Require Import Reals ZArith Lra List.
From Interval Require Import Tactic.
From DPBI Require Import basics.sums {files}.
Import ListNotations.
Open Scope R_scope.
Ltac whole := repeat match goal with
  | |- context [Z.abs_nat ?z] => let k := eval vm_compute in (Z.abs_nat z) in change (Z.abs_nat z) with k
  | |- context [Nat.min ?a ?b] => let k := eval vm_compute in (Nat.min a b) in change (Nat.min a b) with k
  | |- context [Nat.ltb ?a ?b] => let k := eval vm_compute in (Nat.ltb a b) in change (Nat.ltb a b) with k
  | |- context [Nat.add ?a ?b] => let k := eval vm_compute in (Nat.add a b) in change (Nat.add a b) with k
  | |- context [Nat.sub ?a ?b] => let k := eval vm_compute in (Nat.sub a b) in change (Nat.sub a b) with k
  | |- context [INR ?a] => let k := eval vm_compute in (Z.of_nat a) in
      replace (INR a) with (IZR k) by (symmetry; apply INR_IZR_INZ)
  | |- context [indicator ?b] => let k := eval vm_compute in b in change (indicator b) with (if k then 1 else 0)
  end; cbv iota.
Lemma smaller a b : Rmin a b = (a + b - Rabs (a - b)) / 2.
Proof. unfold Rmin, Rabs. destruct Rle_dec, Rcase_abs; lra. Qed.
Lemma larger a b : Rmax a b = (a + b + Rabs (a - b)) / 2.
Proof. unfold Rmax, Rabs. destruct Rle_dec, Rcase_abs; lra. Qed.
Ltac number := unfold {definitions}; whole; cbn [basics.sums.Sum nth]; whole;
  repeat match goal with
  | |- context [Rmin ?a ?b] => rewrite (smaller a b)
  | |- context [Rmax ?a ?b] => rewrite (larger a b)
  end; interval with (i_prec 80).
"""
