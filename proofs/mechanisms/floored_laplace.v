(** * Laplace noise, rounded down

    Proved: the distribution function of Laplace noise is the integral of its density. Laplace noise that is rounded
    down has the distribution of two-sided geometric noise minus a fair coin. A count with this noise is private, and
    so is every function of it, such as the clamped count that LSHist releases.

    Left abstract: nothing but the drawing of the noise. *)
From Coq Require Import Reals Lra Lia ZArith PeanoNat.
From Coquelicot Require Import Coquelicot.
From DPBI Require Import basics.sums basics.countable mechanisms.geometric.
Open Scope R_scope.

Definition lap (eps y : R) : R := eps / 2 * exp (- (eps * Rabs y)).
Definition Lap (eps y : R) : R := if Rle_dec y 0 then exp (eps * y) / 2 else 1 - exp (- (eps * y)) / 2.

Lemma Lap_low eps y : y <= 0 -> Lap eps y = exp (eps * y) / 2.
Proof. intros H. unfold Lap. destruct (Rle_dec y 0); [reflexivity|lra]. Qed.

Lemma Lap_high eps y : 0 <= y -> Lap eps y = 1 - exp (- (eps * y)) / 2.
Proof.
  intros H. unfold Lap. destruct (Rle_dec y 0); [|reflexivity].
  replace y with 0 by lra. rewrite Rmult_0_r, Ropp_0, exp_0. field.
Qed.

Lemma int_low eps a b : a <= b -> b <= 0 -> is_RInt (lap eps) a b (Lap eps b - Lap eps a).
Proof.
  intros Hab Hb. rewrite !Lap_low by lra.
  apply (is_RInt_ext (fun y => eps / 2 * exp (eps * y))).
  - intros y Hy. rewrite Rmin_left, Rmax_right in Hy by lra. unfold lap. rewrite Rabs_left by lra. do 2 f_equal. ring.
  - apply (is_RInt_derive (fun y => exp (eps * y) / 2)).
    + intros y _. auto_derive; [trivial|]. field.
    + intros y _. apply (ex_derive_continuous (fun y => eps / 2 * exp (eps * y))). auto_derive. trivial.
Qed.

Lemma int_high eps a b : a <= b -> 0 <= a -> is_RInt (lap eps) a b (Lap eps b - Lap eps a).
Proof.
  intros Hab Hb. rewrite !Lap_high by lra.
  apply (is_RInt_ext (fun y => eps / 2 * exp (- (eps * y)))).
  - intros y Hy. rewrite Rmin_left, Rmax_right in Hy by lra. unfold lap. rewrite Rabs_pos_eq by lra. reflexivity.
  - apply (is_RInt_derive (fun y => 1 - exp (- (eps * y)) / 2)).
    + intros y _. auto_derive; [trivial|]. field.
    + intros y _. apply (ex_derive_continuous (fun y => eps / 2 * exp (- (eps * y)))). auto_derive. trivial.
Qed.

Theorem Lap_integral eps a b : a <= b -> is_RInt (lap eps) a b (Lap eps b - Lap eps a).
Proof.
  intros Hab. destruct (Rle_lt_dec b 0); [apply int_low; lra|].
  destruct (Rle_lt_dec 0 a); [apply int_high; lra|].
  assert (C := is_RInt_Chasles (lap eps) a 0 b _ _ (int_low eps a 0 ltac:(lra) ltac:(lra))
    (int_high eps 0 b ltac:(lra) ltac:(lra))).
  replace (Lap eps b - Lap eps a) with (Lap eps 0 - Lap eps a + (Lap eps b - Lap eps 0)) by ring. exact C.
Qed.

Definition flap (eps : R) (j : Z) : R := Lap eps (IZR j + 1) - Lap eps (IZR j).

Lemma exp_INR eps k : exp (- (eps * INR k)) = exp (- eps) ^ k.
Proof.
  induction k; [simpl; rewrite Rmult_0_r, Ropp_0; apply exp_0|].
  rewrite S_INR. simpl pow. rewrite <- IHk, <- exp_plus. f_equal. ring.
Qed.

Lemma flap_high eps k : flap eps (Z.of_nat k) = (1 - exp (- eps)) / 2 * exp (- eps) ^ k.
Proof.
  unfold flap. rewrite <- INR_IZR_INZ, <- S_INR. rewrite !Lap_high by apply pos_INR.
  rewrite !exp_INR. simpl pow. field.
Qed.

Lemma flap_low eps k : flap eps (- Z.of_nat (S k)) = (1 - exp (- eps)) / 2 * exp (- eps) ^ k.
Proof.
  unfold flap. rewrite opp_IZR, <- INR_IZR_INZ, S_INR.
  assert (P := pos_INR k). rewrite !Lap_low by lra.
  replace (eps * (- (INR k + 1) + 1)) with (- (eps * INR k)) by ring.
  replace (eps * - (INR k + 1)) with (- (eps * INR (S k))) by (rewrite S_INR; ring).
  rewrite !exp_INR. simpl pow. field.
Qed.

Theorem floored_laplace eps j : 0 < eps ->
  flap eps j = / 2 * geo (exp (- eps)) j + / 2 * geo (exp (- eps)) (j + 1).
Proof.
  intros He. assert (A := alpha_range eps He). unfold geo.
  destruct (Z_le_gt_dec 0 j) as [H|H].
  - replace j with (Z.of_nat (Z.to_nat j)) at 1 by lia. rewrite flap_high.
    replace (Z.abs_nat j) with (Z.to_nat j) by lia. replace (Z.abs_nat (j + 1)) with (S (Z.to_nat j)) by lia.
    simpl pow. field. lra.
  - replace j with (- Z.of_nat (S (Z.to_nat (- j - 1))))%Z at 1 by lia. rewrite flap_low.
    replace (Z.abs_nat j) with (S (Z.to_nat (- j - 1))) by lia.
    replace (Z.abs_nat (j + 1)) with (Z.to_nat (- j - 1)) by lia.
    simpl pow. field. lra.
Qed.

(** ** Privacy *)
Lemma geo_step alpha i j : 0 < alpha < 1 -> (Z.abs (i - j) <= 1)%Z -> alpha * geo alpha i <= geo alpha j.
Proof.
  intros Ha H. unfold geo. assert (W := pow_step alpha Ha (Z.abs_nat j) (Z.abs_nat i) ltac:(lia)).
  assert (0 <= (1 - alpha) / (1 + alpha)) by (apply Rlt_le, Rdiv_lt_0_compat; lra). nra.
Qed.

Theorem floored_laplace_step eps i j : 0 < eps -> (Z.abs (i - j) <= 1)%Z -> flap eps i <= exp eps * flap eps j.
Proof.
  intros He H. apply exp_cancel. rewrite !floored_laplace by assumption. assert (A := alpha_range eps He).
  assert (W := geo_step (exp (- eps)) i j A H). assert (V := geo_step (exp (- eps)) (i + 1) (j + 1) A ltac:(lia)). lra.
Qed.

(** The count x with rounded Laplace noise, followed by any function of it; x and y are counts of neighbours. *)
Theorem floored_laplace_private {U} eps (x y : nat) (h : Z -> U) (B : U -> Prop) a b : 0 < eps -> (x = S y \/ y = S x) ->
  probability (fun z => flap eps (z - Z.of_nat x)) (fun z => B (h z)) a ->
  probability (fun z => flap eps (z - Z.of_nat y)) (fun z => B (h z)) b -> a <= exp eps * b.
Proof.
  intros He H. apply countable_private_after; [left; apply exp_pos|].
  intros z. apply floored_laplace_step; [assumption|]. lia.
Qed.

(** Privacy of the geometric mechanism without clamping. *)
Theorem geometric_unclamped_private {U} eps (x y : nat) (h : Z -> U) (B : U -> Prop) a b : 0 < eps -> (x = S y \/ y = S x) ->
  probability (fun z => geo (exp (- eps)) (z - Z.of_nat x)) (fun z => B (h z)) a ->
  probability (fun z => geo (exp (- eps)) (z - Z.of_nat y)) (fun z => B (h z)) b -> a <= exp eps * b.
Proof.
  intros He H. apply countable_private_after; [left; apply exp_pos|].
  intros z. apply exp_cancel. apply geo_step; [apply alpha_range; assumption|]. lia.
Qed.
