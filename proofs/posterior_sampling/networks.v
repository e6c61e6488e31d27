(** * Discrete networks, factor by factor

    Proved, for a network whose conditional probabilities are at least eps: the log likelihood of a dataset changes by
    at most [ln ((1 - (s-1) eps) / eps)] for every factor that changes. If a cell of node k changes, only the node's
    own factor and those of its children change, [v k = 1 + outdegree k] factors in all. So the log ratio is at most
    this logarithm times the sum of v k over the changed cells, and the privacy loss of the posterior is at most twice
    as much. If a row is replaced, each factor changes at most once, so the loss is at most twice the sum of
    [ln ((1 - (s_k - 1) eps) / eps)] over the factors that change.

    Left abstract: the tables are any distributions that depend on the cells of the parents; the network need not be
    acyclic. *)
From Coq Require Import Reals Lra Lia PeanoNat Bool List.
From Coquelicot Require Import Coquelicot.
From DPBI Require Import basics.sums mechanisms.exponential guarantees.concentrated
  posterior_sampling.variation posterior_sampling.divergences.
Open Scope R_scope.

(** If all probabilities of a distribution on at least s states are at least eps, none exceeds [1 - (s-1) eps]. *)
Theorem largest_entry s m eps p i : (s <= m)%nat -> 0 <= eps -> law m p -> (forall j, (j < m)%nat -> eps <= p j) ->
  (i < m)%nat -> p i <= 1 - (INR s - 1) * eps.
Proof.
  intros Hs He [P0 P1] H Hi.
  assert (A : Sum m (fun j => p j - eps) = 1 - INR m * eps) by (rewrite Sum_minus, P1, Sum_const; reflexivity).
  assert (B : p i - eps <= Sum m (fun j => p j - eps)).
  { apply (Sum_term m (fun j => p j - eps)); [intros j Hj; specialize (H j Hj); lra|assumption]. }
  apply le_INR in Hs. nra.
Qed.

Definition indicator (b : bool) : R := if b then 1 else 0.
Definition row := nat -> nat.

Section Network.
Variables (K T s : nat) (eps : R) (parent : nat -> nat -> bool) (states : nat -> nat).
(** [parent k j]: the node j is a parent of k. [table theta k r]: the law of node k given the cells of its parents in
    the row r, one for each parameter theta. *)
Variable table : nat -> nat -> row -> nat -> R.
Hypothesis Heps : 0 < eps.
Hypothesis Hs : forall k, (k < K)%nat -> (s <= states k)%nat.
Hypothesis table_law : forall theta k r, (k < K)%nat -> law (states k) (table theta k r).
Hypothesis table_least : forall theta k r j, (k < K)%nat -> (j < states k)%nat -> eps <= table theta k r j.
Hypothesis table_parents : forall theta k r r' j,
  (forall i, (i < K)%nat -> parent k i = true -> r i = r' i) -> table theta k r j = table theta k r' j.

(** Datasets of T rows; every cell holds a state of its node. *)
Definition dataset := nat -> row.
Definition valid (x : dataset) : Prop := forall t k, (t < T)%nat -> (k < K)%nat -> (x t k < states k)%nat.
Definition factor theta k (r : row) : R := table theta k r (r k).
Definition log_likelihood theta (x : dataset) : R := Sum T (fun t => Sum K (fun k => ln (factor theta k (x t)))).

(** One more than the number of children. *)
Definition v (k : nat) : R := 1 + Sum K (fun c => indicator (parent c k)).
Definition changed (r r' : row) (k : nat) : R := indicator (negb (Nat.eqb (r k) (r' k))).
Definition changes (x y : dataset) : R := Sum T (fun t => Sum K (fun k => v k * changed (x t) (y t) k)).
Definition step : R := ln ((1 - (INR s - 1) * eps) / eps).

Lemma changed_nonneg r r' k : 0 <= changed r r' k.
Proof. unfold changed, indicator. destruct (negb _); lra. Qed.

Lemma factor_range theta k r : (k < K)%nat -> (r k < states k)%nat -> eps <= factor theta k r <= 1 - (INR s - 1) * eps.
Proof.
  intros Hk Hr. split; [apply table_least; assumption|].
  apply (largest_entry s (states k) eps (table theta k r)); auto; try lra.
Qed.

Lemma factor_step theta k r r' : (k < K)%nat -> (r k < states k)%nat -> (r' k < states k)%nat ->
  Rabs (ln (factor theta k r) - ln (factor theta k r')) <= step.
Proof.
  intros Hk H H'. assert (A := factor_range theta k r Hk H). assert (B := factor_range theta k r' Hk H').
  unfold step. rewrite ln_div by lra.
  assert (ln eps <= ln (factor theta k r)) by (apply ln_le; lra).
  assert (ln eps <= ln (factor theta k r')) by (apply ln_le; lra).
  assert (ln (factor theta k r) <= ln (1 - (INR s - 1) * eps)) by (apply ln_le; lra).
  assert (ln (factor theta k r') <= ln (1 - (INR s - 1) * eps)) by (apply ln_le; lra).
  unfold Rabs; destruct Rcase_abs; lra.
Qed.

(** A factor changes only if its own cell or a cell of one of its parents changes. *)
Lemma factor_change theta k r r' : (k < K)%nat -> (r k < states k)%nat -> (r' k < states k)%nat ->
  Rabs (ln (factor theta k r) - ln (factor theta k r')) <=
  step * (changed r r' k + Sum K (fun i => indicator (parent k i) * changed r r' i)).
Proof.
  intros Hk H H'. assert (B := factor_step theta k r r' Hk H H').
  assert (S0 : 0 <= step) by (eapply Rle_trans; [apply Rabs_pos|exact B]).
  assert (T0 : forall i, 0 <= indicator (parent k i) * changed r r' i).
  { intros i. apply Rmult_le_pos; [unfold indicator; destruct parent; lra|apply changed_nonneg]. }
  assert (W := changed_nonneg r r' k).
  assert (V : 0 <= Sum K (fun i => indicator (parent k i) * changed r r' i)) by (apply Sum_nonneg; intros; apply T0).
  set (total := Sum K (fun i => indicator (parent k i) * changed r r' i)) in *.
  destruct (Rle_lt_dec 1 (changed r r' k + total)) as [L|L]; [nra|].
  assert (own : r k = r' k).
  { destruct (Nat.eq_dec (r k) (r' k)) as [E|E]; [assumption|]. exfalso. apply Nat.eqb_neq in E.
    unfold changed in L. rewrite E in L. simpl in L. lra. }
  assert (same : factor theta k r = factor theta k r').
  { unfold factor. rewrite own. apply table_parents. intros i Hi Hp.
    destruct (Nat.eq_dec (r i) (r' i)) as [E|E]; [assumption|]. exfalso. apply Nat.eqb_neq in E.
    assert (C : indicator (parent k i) * changed r r' i <= total).
    { apply (Sum_term K (fun i => indicator (parent k i) * changed r r' i)); [intros; apply T0|assumption]. }
    rewrite Hp in C. unfold changed in C at 1. rewrite E in C. simpl in C. lra. }
  rewrite same, Rminus_eq_0, Rabs_R0. nra.
Qed.

Lemma Sum_abs n f g : (forall i, (i < n)%nat -> Rabs (f i) <= g i) -> Rabs (Sum n f) <= Sum n g.
Proof.
  intros H. induction n as [|m IH]; simpl; [rewrite Rabs_R0; lra|].
  eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat; [apply IH; intros; apply H; lia|apply H; lia].
Qed.

Lemma swap_children r r' :
  Sum K (fun k => changed r r' k + Sum K (fun i => indicator (parent k i) * changed r r' i)) =
  Sum K (fun k => v k * changed r r' k).
Proof.
  rewrite Sum_plus, Sum_swap, <- Sum_plus. apply Sum_ext; intros k _. unfold v. rewrite Sum_scal_r. ring.
Qed.

(** The likelihood ratio of two datasets. *)
Theorem network_lipschitz theta x y : valid x -> valid y ->
  Rabs (log_likelihood theta x - log_likelihood theta y) <= step * changes x y.
Proof.
  intros Hx Hy. unfold log_likelihood, changes. rewrite <- Sum_minus, <- Sum_scal. apply Sum_abs. intros t Ht.
  rewrite <- Sum_minus, <- Sum_scal. apply Rle_trans with
    (Sum K (fun k => step * (changed (x t) (y t) k + Sum K (fun i => indicator (parent k i) * changed (x t) (y t) i)))).
  - apply Sum_abs. intros k Hk. apply factor_change; auto.
  - rewrite Sum_scal, swap_children, <- Sum_scal. lra.
Qed.

(** The printed bound, with at most [ln (1 / eps)] for each factor. *)
Theorem network_lipschitz_printed theta x y : (0 < K)%nat -> (1 <= s)%nat -> valid x -> valid y ->
  Rabs (log_likelihood theta x - log_likelihood theta y) <= ln (/ eps) * changes x y.
Proof.
  intros Hk H1 Hx Hy. eapply Rle_trans; [apply network_lipschitz; assumption|].
  apply Rmult_le_compat_r.
  - apply Sum_nonneg; intros t _. apply Sum_nonneg; intros k _. apply Rmult_le_pos; [|apply changed_nonneg].
    unfold v. assert (0 <= Sum K (fun c => indicator (parent c k))); [|lra].
    apply Sum_nonneg; intros; unfold indicator; destruct parent; lra.
  - unfold step.
    assert (B : eps <= 1 - (INR s - 1) * eps).
      { assert (L := table_law 0 0 (fun _ => 0%nat) Hk). destruct (states 0) eqn:E.
        - destruct L as [_ L1]. simpl in L1. lra.
        - eapply Rle_trans; [apply (table_least 0 0 (fun _ => 0%nat) 0 Hk); lia|].
          rewrite <- E in L. apply (largest_entry s (states 0) eps (table 0 0 (fun _ => 0%nat))); auto; try lra; try lia. }
      apply ln_le; [apply Rdiv_lt_0_compat; lra|]. unfold Rdiv. rewrite <- (Rmult_1_l (/ eps)) at 2.
      apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; assumption|]. apply le_INR in H1. simpl in H1. nra.
Qed.

Lemma v_at_least k : 0 <= v k.
Proof.
  unfold v. assert (0 <= Sum K (fun c => indicator (parent c k))); [|lra].
  apply Sum_nonneg; intros; unfold indicator; destruct parent; lra.
Qed.

(** If one row is replaced, the sum is at most the sum of all v k. *)
Lemma one_row x y t0 : (t0 < T)%nat -> (forall t, t <> t0 -> forall k, x t k = y t k) -> changes x y <= Sum K v.
Proof.
  intros Ht H. unfold changes.
  assert (E : Sum T (fun t => Sum K (fun k => v k * changed (x t) (y t) k)) = Sum K (fun k => v k * changed (x t0) (y t0) k)).
  { assert (G : forall n, Sum n (fun t => Sum K (fun k => v k * changed (x t) (y t) k)) =
      if Nat.ltb t0 n then Sum K (fun k => v k * changed (x t0) (y t0) k) else 0).
    { induction n as [|n IH]; [reflexivity|]. simpl Sum at 1. rewrite IH. destruct (Nat.eq_dec n t0) as [->|N].
      - replace (Nat.ltb t0 t0) with false by (symmetry; apply Nat.ltb_ge; lia).
        replace (Nat.ltb t0 (S t0)) with true by (symmetry; apply Nat.ltb_lt; lia). ring.
      - rewrite (Sum_ext K (fun k => v k * changed (x n) (y n) k) (fun _ => 0)).
        + rewrite Sum_0. destruct (Nat.ltb_spec t0 n), (Nat.ltb_spec t0 (S n)); try lia; ring.
        + intros k _. unfold changed. rewrite (H n N k), Nat.eqb_refl. simpl. ring. }
    rewrite G. replace (Nat.ltb t0 T) with true by (symmetry; apply Nat.ltb_lt; lia). reflexivity. }
  rewrite E. apply Sum_le; intros k _. assert (V := v_at_least k). unfold changed, indicator. destruct (negb _); lra.
Qed.

(** ** If a row is replaced, each factor changes at most once *)
Definition step_of (k : nat) : R := ln ((1 - (INR (states k) - 1) * eps) / eps).

Lemma own_step theta k r r' : (k < K)%nat -> (r k < states k)%nat -> (r' k < states k)%nat ->
  Rabs (ln (factor theta k r) - ln (factor theta k r')) <= step_of k.
Proof.
  intros Hk H H'.
  assert (F : forall r, (r k < states k)%nat -> eps <= factor theta k r <= 1 - (INR (states k) - 1) * eps).
  { intros q Hq. split; [apply table_least; assumption|].
    apply (largest_entry (states k) (states k) eps (table theta k q)); auto; lra. }
  assert (A := F r H). assert (B := F r' H'). unfold step_of. rewrite ln_div by lra.
  assert (ln eps <= ln (factor theta k r)) by (apply ln_le; lra).
  assert (ln eps <= ln (factor theta k r')) by (apply ln_le; lra).
  assert (ln (factor theta k r) <= ln (1 - (INR (states k) - 1) * eps)) by (apply ln_le; lra).
  assert (ln (factor theta k r') <= ln (1 - (INR (states k) - 1) * eps)) by (apply ln_le; lra).
  unfold Rabs; destruct Rcase_abs; lra.
Qed.

(** The factors that may change if the row r is replaced by r': those whose own cell or a parent's cell changes. *)
Definition touched (r r' : row) (k : nat) : bool :=
  negb (Nat.eqb (r k) (r' k)) || existsb (fun i => parent k i && negb (Nat.eqb (r i) (r' i))) (seq 0 K).
Definition row_steps (r r' : row) : R := Sum K (fun k => indicator (touched r r' k) * step_of k).

Lemma factor_touched theta k r r' : (k < K)%nat -> (r k < states k)%nat -> (r' k < states k)%nat ->
  Rabs (ln (factor theta k r) - ln (factor theta k r')) <= indicator (touched r r' k) * step_of k.
Proof.
  intros Hk H H'. destruct (touched r r' k) eqn:E; unfold indicator.
  - rewrite Rmult_1_l. apply own_step; assumption.
  - apply Bool.orb_false_iff in E. destruct E as [E1 E2]. apply Bool.negb_false_iff, Nat.eqb_eq in E1.
    assert (S : factor theta k r = factor theta k r').
    { unfold factor. rewrite E1. apply table_parents. intros i Hi Hp.
      destruct (Nat.eq_dec (r i) (r' i)) as [Q|Q]; [exact Q|]. exfalso. apply Bool.not_true_iff_false in E2. apply E2.
      apply existsb_exists. exists i. split; [apply in_seq; lia|]. rewrite Hp. apply Nat.eqb_neq in Q. rewrite Q. reflexivity. }
    rewrite S, Rminus_eq_0, Rabs_R0. lra.
Qed.

Lemma one_term n f t0 : (t0 < n)%nat -> (forall t, (t < n)%nat -> t <> t0 -> f t = 0) -> Sum n f = f t0.
Proof.
  intros Ht H. induction n as [|n IH]; [lia|]. simpl Sum. destruct (Nat.eq_dec n t0) as [->|N].
  - rewrite (Sum_ext t0 f (fun _ => 0)) by (intros; apply H; lia). rewrite Sum_0. ring.
  - rewrite IH by (try lia; intros; apply H; lia). rewrite (H n) by lia. ring.
Qed.

Theorem row_lipschitz theta x y t0 : valid x -> valid y -> (t0 < T)%nat ->
  (forall t, t <> t0 -> forall k, x t k = y t k) ->
  Rabs (log_likelihood theta x - log_likelihood theta y) <= row_steps (x t0) (y t0).
Proof.
  intros Hx Hy Ht H. unfold log_likelihood, row_steps. rewrite <- Sum_minus.
  rewrite (one_term T _ t0 Ht).
  - rewrite <- Sum_minus. apply Sum_abs. intros k Hk. apply factor_touched; auto.
  - intros t Hn Ne. apply Rminus_diag_eq. apply Sum_ext; intros k Hk. f_equal. unfold factor. rewrite (H t Ne k).
    apply table_parents. intros i _ _. apply H, Ne.
Qed.

Lemma step_of_nonneg k : (k < K)%nat -> 0 <= step_of k.
Proof.
  intros Hk. assert (L := table_law 0 k (fun _ => 0%nat) Hk). destruct (states k) as [|m] eqn:E.
  - destruct L as [_ L]. simpl in L. lra.
  - rewrite <- E in L. unfold step_of. rewrite <- ln_1. apply ln_le; [lra|]. apply Rle_div_r; [assumption|]. rewrite Rmult_1_l.
    eapply Rle_trans; [apply (table_least 0 k (fun _ => 0%nat) 0 Hk); lia|].
    apply (largest_entry (states k) (states k) eps (table 0 k (fun _ => 0%nat))); auto; try lra; try lia.
Qed.

Lemma row_steps_all r r' : row_steps r r' <= Sum K step_of.
Proof.
  apply Sum_le; intros k Hk. assert (W := step_of_nonneg k Hk). unfold indicator. destruct (touched r r' k); lra.
Qed.

(** Privacy of the posterior over any finite list of parameters if a row is replaced, with a bound from the factors that
    change and a bound from all factors. *)
Theorem network_row_private M prior x y t0 A : positive_law M prior -> valid x -> valid y ->
  (t0 < T)%nat -> (forall t, t <> t0 -> forall k, x t k = y t k) ->
  Prob M (posterior M prior (fun theta => exp (log_likelihood theta x))) A <=
  exp (2 * row_steps (x t0) (y t0)) * Prob M (posterior M prior (fun theta => exp (log_likelihood theta y))) A.
Proof.
  intros Hprior Hx Hy Ht H. replace (2 * row_steps (x t0) (y t0)) with (2 * row_steps (x t0) (y t0) * 1) by ring.
  apply lipschitz_factor; auto using exp_pos.
  intros theta _. rewrite !ln_exp, Rmult_1_r. apply row_lipschitz; assumption.
Qed.

Theorem network_any_row_private M prior x y t0 A : positive_law M prior -> valid x -> valid y ->
  (t0 < T)%nat -> (forall t, t <> t0 -> forall k, x t k = y t k) ->
  Prob M (posterior M prior (fun theta => exp (log_likelihood theta x))) A <=
  exp (2 * Sum K step_of) * Prob M (posterior M prior (fun theta => exp (log_likelihood theta y))) A.
Proof.
  intros Hprior Hx Hy Ht H. eapply Rle_trans; [apply (network_row_private M prior x y t0 A); assumption|].
  apply Rmult_le_compat_r.
  - destruct (posterior_positive M prior Hprior (fun theta => exp (log_likelihood theta y))) as [Q _];
      [intros; apply exp_pos|]. apply Prob_nonneg. intros i Hi. left. apply Q, Hi.
  - assert (W := row_steps_all (x t0) (y t0)). assert (V : 2 * row_steps (x t0) (y t0) <= 2 * Sum K step_of) by lra.
    destruct V as [V|V]; [left; apply exp_increasing; exact V|rewrite V; lra].
Qed.
End Network.
