From Coq Require Import Reals Lra Lia PeanoNat RelationClasses.
From DPBI Require Import basics.sums mechanisms.exponential.
Open Scope R_scope.

#[local] Instance Rle_Transitive : Transitive Rle := Rle_trans.

Definition count (N : nat) (A : event) : R := Sum N (ind A).

Lemma count_compl N A : count N A + count N (compl A) = INR N.
Proof.
  unfold count. rewrite <- Sum_plus, <- (Rmult_1_r (INR N)), <- Sum_const. apply Sum_ext; intros.
  unfold ind, compl; destruct (A i); simpl; ring.
Qed.

Lemma count_nonneg N A : 0 <= count N A.
Proof. apply Sum_nonneg; intros; apply ind_range. Qed.

Definition share (n down up : nat) : R := INR (down + up + 1) / INR (n + 1).
Definition ceiling (eps G : R) (n down up : nat) : R := INR (down + up + 1) / (INR (n + 1) * exp (- (eps / (2 * G)))).

Section EHD.
Variables (eps G t : R) (n x : nat) (H : nat -> R).
Hypothesis He : 0 < eps.
Hypothesis HG : 0 < G.
Hypothesis Hx : (x <= n)%nat.
Hypothesis H_range : forall r, (r <= n)%nat -> 0 <= H r < 1.
Hypothesis H_self : H x = 0.

Definition inside : event := fun r => if Rlt_dec (H r) t then true else false.
Let rate := eps / (2 * G).
Let w := weight rate H.

Lemma rate_pos : 0 < rate.
Proof. unfold rate, Rdiv. apply Rmult_lt_0_compat; [|apply Rinv_0_lt_compat]; lra. Qed.

Lemma prob_inside : Prob (S n) (expmech rate (S n) H) inside = Prob (S n) w inside / Sum (S n) w.
Proof.
  unfold Prob, expmech, Rdiv. rewrite <- Sum_scal_r. apply Sum_ext; intros. fold w. ring.
Qed.

Lemma w_le a b : a <= b -> exp (- (rate * b)) <= exp (- (rate * a)).
Proof.
  intros L. assert (R := rate_pos). assert (V : - (rate * b) <= - (rate * a)) by nra.
  destruct V as [V|V]; [left; apply exp_increasing; assumption|rewrite V; lra].
Qed.

Theorem ehd_lower : Prob (S n) (expmech rate (S n) H) inside >= count (S n) inside / INR (n + 1).
Proof.
  apply Rle_ge. rewrite prob_inside.
  assert (W : 0 < Sum (S n) w) by (apply Sum_pos; [lia|]; intros; apply weight_pos).
  set (A := Prob (S n) w inside). set (B := Prob (S n) w (compl inside)).
  assert (AB : A + B = Sum (S n) w) by apply Prob_compl.
  set (e := exp (- (rate * t))).
  assert (HA : count (S n) inside * e <= A).
  { unfold count, A, Prob. rewrite <- Sum_scal_r. apply Sum_le; intros r Hr.
    unfold ind, inside. destruct (Rlt_dec (H r) t); [|lra].
    assert (V : e <= w r) by (apply w_le; lra). lra. }
  assert (HB : B <= count (S n) (compl inside) * e).
  { unfold count, B, Prob. rewrite <- Sum_scal_r. apply Sum_le; intros r Hr.
    unfold ind, compl, inside. destruct (Rlt_dec (H r) t); simpl; [lra|].
    assert (V : w r <= e) by (apply w_le; lra). lra. }
  assert (CC := count_compl (S n) inside). assert (C0 := count_nonneg (S n) inside).
  assert (C1 := count_nonneg (S n) (compl inside)).
  replace (n + 1)%nat with (S n) by lia.
  assert (N : 0 < INR (S n)) by (apply lt_0_INR; lia).
  apply Rmult_le_reg_r with (INR (S n) * Sum (S n) w); [nra|].
  transitivity (count (S n) inside * Sum (S n) w); [right; field; lra|].
  transitivity (A * INR (S n)); [|right; field; lra].
  rewrite <- AB, <- CC. nra.
Qed.

Theorem ehd_upper : 0 < t ->
  Prob (S n) (expmech rate (S n) H) inside < count (S n) inside / (INR (n + 1) * exp (- (eps / (2 * G)))).
Proof.
  intros Ht. rewrite prob_inside. fold rate.
  assert (W : 0 < Sum (S n) w) by (apply Sum_pos; [lia|]; intros; apply weight_pos).
  replace (n + 1)%nat with (S n) by lia.
  assert (N : 0 < INR (S n)) by (apply lt_0_INR; lia).
  assert (E := exp_pos (- rate)).
  assert (L : INR (S n) * exp (- rate) < Sum (S n) w).
  { rewrite <- Sum_const. apply Sum_lt; [lia|]. intros r Hr. unfold w, weight. apply exp_increasing.
    assert (V := H_range r ltac:(lia)). assert (Q := rate_pos). nra. }
  assert (A : Prob (S n) w inside <= count (S n) inside).
  { apply Sum_le; intros r Hr. assert (V := ind_range inside r).
    assert (w r <= 1); [|nra]. unfold w, weight. rewrite <- exp_0. replace 0 with (- (rate * 0)) by ring.
    apply w_le. apply H_range; lia. }
  assert (C1 : 0 < count (S n) inside).
  { apply Rlt_le_trans with (ind inside x).
    - unfold ind, inside. rewrite H_self. destruct (Rlt_dec 0 t); lra.
    - unfold count. apply (Sum_term (S n) (ind inside)); [intros; apply ind_range|lia]. }
  apply Rle_lt_trans with (count (S n) inside / Sum (S n) w).
  - apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat|]; assumption.
  - apply Rmult_lt_compat_l; [assumption|]. apply Rinv_lt_contravar; [|assumption].
    apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|]; assumption.
Qed.

Variables (down up : nat).
Hypothesis Hdown : (down <= x)%nat.
Hypothesis Hup : (x + up <= n)%nat.
Hypothesis reach : forall r, (r <= n)%nat -> (H r < t <-> (x - down <= r <= x + up)%nat).

Lemma count_steps : count (S n) inside = INR (down + up + 1).
Proof.
  unfold count.
  assert (E : forall N, (N <= S n)%nat -> Sum N (ind inside) = INR (Nat.min N (x + up + 1) - (x - down))).
  { induction N; intros HN; [simpl; reflexivity|].
    simpl Sum. rewrite IHN by lia. unfold ind, inside. assert (Q := reach N ltac:(lia)).
    destruct (Rlt_dec (H N) t) as [L|L].
    - apply Q in L. rewrite <- S_INR. f_equal. lia.
    - assert (~ (x - down <= N <= x + up)%nat) by (intros V; apply L, Q, V).
      rewrite Rplus_0_r. f_equal. lia. }
  rewrite E by lia. f_equal. lia.
Qed.

Theorem ehd_lower_corrected :
  Prob (S n) (expmech (eps / (2 * G)) (S n) H) inside >= share n down up.
Proof. unfold share. rewrite <- count_steps. apply ehd_lower. Qed.

Theorem ehd_upper_corrected : 0 < t ->
  Prob (S n) (expmech (eps / (2 * G)) (S n) H) inside < ceiling eps G n down up.
Proof. unfold ceiling. rewrite <- count_steps. apply ehd_upper. Qed.
End EHD.
