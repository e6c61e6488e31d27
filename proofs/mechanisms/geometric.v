(** * The geometric mechanism

    Proved: two-sided geometric noise, added to the count x and clamped to 0..n, has a probability distribution; the
    masses at 0 and n are the sums of the masses that were clamped. The mechanism is eps-private, and at the output 0
    the factor exp eps is attained.

    Left abstract: nothing but the drawing of the noise. *)
From Coq Require Import Reals Lra Lia ZArith PeanoNat.
From Coquelicot Require Import Coquelicot.
From DPBI Require Import basics.sums.
Open Scope R_scope.

(** The mass of the noise j. *)
Definition geo (alpha : R) (j : Z) : R := (1 - alpha) / (1 + alpha) * alpha ^ Z.abs_nat j.

(** The mass of the output z at the dataset x. *)
Definition geoc (alpha : R) (n x z : nat) : R :=
  if z =? 0 then alpha ^ x / (1 + alpha)
  else if z =? n then alpha ^ (n - x) / (1 + alpha)
  else geo alpha (Z.of_nat z - Z.of_nat x).

(** One of n records changes its category. *)
Definition neighbour (n x y : nat) : Prop := (x <= n)%nat /\ (y <= n)%nat /\ (y = S x \/ x = S y).

Section Alpha.
Variable alpha : R.
Hypothesis Halpha : 0 < alpha < 1.

Lemma ainv : 0 < / (1 + alpha).
Proof. apply Rinv_0_lt_compat; lra. Qed.

Lemma apow k : 0 < alpha ^ k.
Proof. apply pow_lt; lra. Qed.

Lemma apow_le k : alpha ^ k <= 1.
Proof. replace 1 with (1 ^ k) by apply pow1. apply pow_incr; lra. Qed.

(** The masses that are clamped. *)
Lemma geo_tail c : is_series (fun k => (1 - alpha) / (1 + alpha) * alpha ^ (c + k)) (alpha ^ c / (1 + alpha)).
Proof.
  assert (H : is_series (fun k => alpha ^ k) (/ (1 - alpha))).
  { apply is_series_geom. rewrite Rabs_pos_eq; lra. }
  apply (is_series_scal ((1 - alpha) / (1 + alpha) * alpha ^ c)) in H.
  eapply is_series_ext; [|replace (alpha ^ c / (1 + alpha)) with
    (scal ((1 - alpha) / (1 + alpha) * alpha ^ c) (/ (1 - alpha))); [exact H|]].
  - intros k. unfold scal; simpl; unfold mult; simpl. rewrite pow_add. ring.
  - unfold scal; simpl; unfold mult; simpl. field. lra.
Qed.

Lemma clamp_low n x : is_series (fun k => geo alpha (- Z.of_nat k - Z.of_nat x)) (geoc alpha n x 0).
Proof.
  unfold geoc; simpl. eapply is_series_ext; [|apply (geo_tail x)].
  intros k. unfold geo. do 2 f_equal. lia.
Qed.

Lemma clamp_high n x : (0 < n)%nat -> (x <= n)%nat ->
  is_series (fun k => geo alpha (Z.of_nat n + Z.of_nat k - Z.of_nat x)) (geoc alpha n x n).
Proof.
  intros Hn Hx. unfold geoc. replace (n =? 0) with false by (symmetry; apply Nat.eqb_neq; lia).
  rewrite Nat.eqb_refl. eapply is_series_ext; [|apply (geo_tail (n - x))].
  intros k. unfold geo. do 2 f_equal. lia.
Qed.

Lemma clamp_middle n x z : (0 < z < n)%nat -> geoc alpha n x z = geo alpha (Z.of_nat z - Z.of_nat x).
Proof.
  intros H. unfold geoc. replace (z =? 0) with false by (symmetry; apply Nat.eqb_neq; lia).
  replace (z =? n) with false by (symmetry; apply Nat.eqb_neq; lia). reflexivity.
Qed.

Lemma geo_pos j : 0 < geo alpha j.
Proof.
  unfold geo, Rdiv. assert (A := ainv). assert (P := apow (Z.abs_nat j)).
  repeat apply Rmult_lt_0_compat; lra.
Qed.

Lemma geoc_pos n x z : 0 < geoc alpha n x z.
Proof.
  unfold geoc. assert (A := ainv). unfold Rdiv.
  destruct (z =? 0); [|destruct (z =? n)]; try apply geo_pos; apply Rmult_lt_0_compat; auto using apow.
Qed.

(** The distribution function, up to n - 1. *)
Definition c (x s : nat) : R :=
  if s <=? x then alpha ^ (x - s) / (1 + alpha) else 1 - alpha ^ (S s - x) / (1 + alpha).

Lemma c_low x s : (s <= x)%nat -> c x s = alpha ^ (x - s) / (1 + alpha).
Proof. intros H. unfold c. apply Nat.leb_le in H. rewrite H. reflexivity. Qed.

Lemma c_high x s : (x <= s)%nat -> c x s = 1 - alpha ^ (S s - x) / (1 + alpha).
Proof.
  intros H. unfold c. destruct (s <=? x) eqn:E; [|reflexivity].
  apply Nat.leb_le in E. replace (x - s)%nat with 0%nat by lia. replace (S s - x)%nat with 1%nat by lia.
  simpl. field. lra.
Qed.

Lemma cdf_geoc n x s : (s < n)%nat -> (x <= n)%nat -> Sum (S s) (geoc alpha n x) = c x s.
Proof.
  intros Hs Hx. induction s.
  - simpl Sum. rewrite c_low by lia. unfold geoc; simpl. rewrite Nat.sub_0_r. lra.
  - change (Sum (S (S s)) (geoc alpha n x)) with (Sum (S s) (geoc alpha n x) + geoc alpha n x (S s)).
    rewrite IHs by lia. rewrite clamp_middle by lia. unfold geo.
    destruct (le_lt_dec (S s) x) as [H|H].
    + rewrite !c_low by lia. replace (x - s)%nat with (S (x - S s)) by lia.
      replace (Z.abs_nat (Z.of_nat (S s) - Z.of_nat x)) with (x - S s)%nat by lia.
      simpl pow. field. lra.
    + rewrite !c_high by lia. replace (S (S s) - x)%nat with (S (S s - x)) by lia.
      replace (Z.abs_nat (Z.of_nat (S s) - Z.of_nat x)) with (S s - x)%nat by lia.
      simpl pow. field. lra.
Qed.

Lemma geoc_total n x : (0 < n)%nat -> (x <= n)%nat -> Sum (S n) (geoc alpha n x) = 1.
Proof.
  intros Hn Hx. destruct n as [|m]; [lia|].
  change (Sum (S (S m)) (geoc alpha (S m) x)) with (Sum (S m) (geoc alpha (S m) x) + geoc alpha (S m) x (S m)).
  rewrite cdf_geoc by lia.
  replace (geoc alpha (S m) x (S m)) with (alpha ^ (S m - x) / (1 + alpha)).
  2:{ unfold geoc. simpl (S m =? 0). rewrite Nat.eqb_refl. reflexivity. }
  destruct (le_lt_dec x m) as [H|H].
  - rewrite c_high by lia. lra.
  - rewrite c_low by lia. replace x with (S m) by lia.
    replace (S m - m)%nat with 1%nat by lia. rewrite Nat.sub_diag. simpl. field. lra.
Qed.

Theorem geoc_law n x : (0 < n)%nat -> (x <= n)%nat -> law (S n) (geoc alpha n x).
Proof. intros. split; [intros; left; apply geoc_pos|apply geoc_total; assumption]. Qed.

(** From a dataset to its neighbour, no mass decreases by more than the factor alpha. *)
Lemma pow_step i j : (i <= S j)%nat -> alpha * alpha ^ j <= alpha ^ i.
Proof.
  intros H. change (alpha * alpha ^ j) with (alpha ^ S j).
  replace (S j) with (i + (S j - i))%nat by lia. rewrite pow_add.
  assert (A := apow i). assert (B := apow_le (S j - i)). nra.
Qed.

Lemma geoc_step n x y z : neighbour n x y -> alpha * geoc alpha n x z <= geoc alpha n y z.
Proof.
  intros (Hx & Hy & H). unfold geoc, geo, Rdiv. assert (A := ainv).
  assert (K : forall i j, (i <= S j)%nat -> alpha * (alpha ^ j * / (1 + alpha)) <= alpha ^ i * / (1 + alpha)).
  { intros i j Hij. assert (W := pow_step i j Hij). nra. }
  destruct (z =? 0); [|destruct (z =? n)]; try (apply K; lia).
  assert (W := pow_step (Z.abs_nat (Z.of_nat z - Z.of_nat y)) (Z.abs_nat (Z.of_nat z - Z.of_nat x)) ltac:(lia)).
  assert (0 <= (1 - alpha) * / (1 + alpha)) by (apply Rmult_le_pos; lra). nra.
Qed.

End Alpha.

Lemma alpha_range eps : 0 < eps -> 0 < exp (- eps) < 1.
Proof. intros H. split; [apply exp_pos|]. rewrite <- exp_0. apply exp_increasing. lra. Qed.

Lemma exp_cancel eps u v : exp (- eps) * u <= v <-> u <= exp eps * v.
Proof.
  assert (E : exp (- eps) * exp eps = 1) by (rewrite <- exp_plus; replace (- eps + eps) with 0 by ring; apply exp_0).
  assert (P := exp_pos eps). assert (Q := exp_pos (- eps)). split; intros H.
  - replace u with (exp eps * (exp (- eps) * u)) by (rewrite <- Rmult_assoc, (Rmult_comm (exp eps)), E; ring).
    apply Rmult_le_compat_l; lra.
  - replace v with (exp (- eps) * (exp eps * v)) by (rewrite <- Rmult_assoc, E; ring).
    apply Rmult_le_compat_l; lra.
Qed.

(** The geometric mechanism is private. *)
Theorem geometric_private eps n : 0 < eps -> private (neighbour n) eps (S n) (geoc (exp (- eps)) n).
Proof.
  intros He. apply pointwise_private. intros x y i Hxy _.
  apply exp_cancel. apply geoc_step; [apply alpha_range; assumption|assumption].
Qed.

(** The geometric mechanism is not private for any smaller eps. *)
Theorem geometric_tight eps n : 0 < eps -> (0 < n)%nat ->
  Prob (S n) (geoc (exp (- eps)) n 0) (fun i => Nat.eqb i 0) = exp eps * Prob (S n) (geoc (exp (- eps)) n 1) (fun i => Nat.eqb i 0).
Proof.
  intros He Hn. unfold Prob. rewrite !Sum_first.
  assert (Z : forall f, Sum n (fun i => f (S i) * ind (fun i => Nat.eqb i 0) (S i)) = 0).
  { intros f. rewrite <- (Sum_0 n). apply Sum_ext; intros. unfold ind; simpl. ring. }
  rewrite !Z. unfold ind, geoc; simpl.
  assert (E : exp (- eps) * exp eps = 1) by (rewrite <- exp_plus; replace (- eps + eps) with 0 by ring; apply exp_0).
  assert (P := exp_pos (- eps)).
  transitivity (exp (- eps) * exp eps / (1 + exp (- eps))); [rewrite E|]; field; lra.
Qed.
