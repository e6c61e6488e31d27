(** * The exchange inequality for the Kullback-Leibler divergence

    Proved: the negative entropy of finitely many masses, times their total, is homogeneous and convex, and satisfies
    the exchange inequality for three ordered vectors. On the way from one cut to the other, its slopes are ordered at
    every point, by Chebyshev's and Jensen's inequalities; one derivative is used.

    Left abstract: nothing; [optimum.mixture] states what the masses are. *)
From Coq Require Import Reals Lra Lia PeanoNat.
From Coquelicot Require Import Coquelicot.
From DPBI Require Import basics.sums model.gamma optimum.cuts.
Open Scope R_scope.

(** ** Sums with logarithms *)
Definition xlnx (u : R) : R := u * ln u.

(** The negative entropy of some masses, times their total. *)
Definition negentropy (T : nat) (v : nat -> R) : R := Sum T (fun t => xlnx (v t)) - xlnx (Sum T v).

Definition positive (T : nat) (v : nat -> R) : Prop := forall t, (t < T)%nat -> 0 < v t.
Definition zero_or_positive (T : nat) (v : nat -> R) : Prop := positive T v \/ forall t, (t < T)%nat -> v t = 0.

(** Jensen's inequality for the logarithm, with the weights v. *)
Lemma log_sum T v h : (0 < T)%nat -> positive T v -> positive T h ->
  Sum T (fun t => v t * (ln (h t) - ln (v t))) <= Sum T v * (ln (Sum T h) - ln (Sum T v)).
Proof.
  intros HT Hv Hh. assert (V : 0 < Sum T v) by (apply Sum_pos; assumption). assert (H : 0 < Sum T h) by (apply Sum_pos; assumption).
  set (r := Sum T v / Sum T h). assert (R : 0 < r) by (apply Rdiv_lt_0_compat; assumption).
  assert (L : ln r = ln (Sum T v) - ln (Sum T h)) by (apply ln_div; assumption).
  assert (W : Sum T (fun t => v t * (ln (h t) - ln (v t) + ln r)) <= Sum T (fun t => r * h t - v t)).
  { apply Sum_le. intros t Ht. assert (A := Hv t Ht). assert (B := Hh t Ht).
    assert (C := ln_below (r * h t / v t) ltac:(apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat|]; assumption)).
    rewrite ln_div, ln_mult in C by (first [assumption | apply Rmult_lt_0_compat; assumption]).
    apply Rmult_le_compat_l with (r := v t) in C; [|lra].
    replace (v t * (r * h t / v t - 1)) with (r * h t - v t) in C by (field; lra). lra. }
  rewrite Sum_minus, Sum_scal in W. replace (r * Sum T h) with (Sum T v) in W by (unfold r; field; lra).
  rewrite (Sum_ext T _ (fun t => v t * (ln (h t) - ln (v t)) + v t * ln r)) in W by (intros; ring).
  rewrite Sum_plus, Sum_scal_r, L in W. lra.
Qed.

Lemma negentropy_ext T v v' : (forall t, (t < T)%nat -> v t = v' t) -> negentropy T v = negentropy T v'.
Proof.
  intros H. unfold negentropy. rewrite (Sum_ext T v v') by assumption. f_equal. apply Sum_ext. intros t Ht.
  rewrite H by assumption. reflexivity.
Qed.

Lemma negentropy_zero T v : (forall t, (t < T)%nat -> v t = 0) -> negentropy T v = 0.
Proof.
  intros H. rewrite (negentropy_ext T v (fun _ => 0)) by assumption. unfold negentropy, xlnx. rewrite Sum_0.
  rewrite (Sum_ext T _ (fun _ => 0)) by (intros; ring). rewrite Sum_0. ring.
Qed.

Lemma negentropy_scal T c v : (0 < T)%nat -> 0 <= c -> zero_or_positive T v -> negentropy T (fun t => c * v t) = c * negentropy T v.
Proof.
  intros HT Hc [Hv|Hv].
  - destruct Hc as [Hc| <-].
    + assert (V : 0 < Sum T v) by (apply Sum_pos; assumption). unfold negentropy, xlnx. rewrite Sum_scal.
      rewrite (Sum_ext T _ (fun t => ln c * c * v t + c * (v t * ln (v t)))).
      * rewrite Sum_plus, !Sum_scal, ln_mult by assumption. ring.
      * intros t Ht. rewrite ln_mult by auto. ring.
    + rewrite negentropy_zero by (intros; ring). ring.
  - rewrite !negentropy_zero; [ring|assumption|]. intros t Ht. rewrite Hv by assumption. ring.
Qed.

Lemma negentropy_plus T v v' : (0 < T)%nat -> zero_or_positive T v -> zero_or_positive T v' ->
  negentropy T (fun t => v t + v' t) <= negentropy T v + negentropy T v'.
Proof.
  intros HT [Hv|Hv] [Hv'|Hv'].
  - assert (P : positive T (fun t => v t + v' t)).
    { intros t Ht. assert (A := Hv t Ht). assert (B := Hv' t Ht). lra. }
    assert (W := log_sum T v _ HT Hv P). assert (W' := log_sum T v' _ HT Hv' P).
    cbv beta in W, W'. unfold negentropy, xlnx.
    rewrite (Sum_ext T (fun t => v t * (ln (v t + v' t) - ln (v t))) (fun t => v t * ln (v t + v' t) - v t * ln (v t))) in W
      by (intros; ring).
    rewrite (Sum_ext T (fun t => v' t * (ln (v t + v' t) - ln (v' t))) (fun t => v' t * ln (v t + v' t) - v' t * ln (v' t)))
      in W' by (intros; ring).
    rewrite (Sum_ext T (fun t => (v t + v' t) * ln (v t + v' t)) (fun t => v t * ln (v t + v' t) + v' t * ln (v t + v' t)))
      by (intros; ring).
    rewrite !Sum_plus, Sum_minus in *. lra.
  - rewrite (negentropy_zero T v') by assumption. right. rewrite Rplus_0_r. apply negentropy_ext. intros t Ht.
    rewrite Hv' by assumption. ring.
  - rewrite (negentropy_zero T v) by assumption. right. rewrite Rplus_0_l. apply negentropy_ext. intros t Ht.
    rewrite Hv by assumption. ring.
  - rewrite !negentropy_zero; [lra|assumption|assumption|]. intros t Ht. rewrite Hv, Hv' by assumption. ring.
Qed.

(** ** The exchange inequality, for three ordered vectors *)
Lemma Sum_derive k (f df : nat -> R -> R) s : (forall i, (i < k)%nat -> is_derive (f i) s (df i s)) ->
  is_derive (fun s => Sum k (fun i => f i s)) s (Sum k (fun i => df i s)).
Proof.
  induction k as [|k IH]; intros H; [apply (is_derive_const (0 : R))|].
  apply (is_derive_plus (fun s => Sum k (fun i => f i s)) (f k)); [apply IH; intros; apply H; lia|apply H; lia].
Qed.

Lemma xlnx_derive c d s : 0 < c + s * d -> is_derive (fun s => xlnx (c + s * d)) s (d * ln (c + s * d) + d).
Proof. intros H. unfold xlnx. auto_derive; [assumption|]. field. lra. Qed.

Section Order.
Variables (T : nat) (A D E : nat -> R).
Hypothesis HT : (0 < T)%nat.
Hypothesis HA : positive T A.
Hypothesis HD : forall t, (t < T)%nat -> 0 <= D t.
Hypothesis HE : forall t, (t < T)%nat -> 0 <= E t.
Hypothesis BD : before T D A.
Hypothesis BE : before T A E.
Hypothesis BDE : before T D E.

Lemma negentropy_derive B s : positive T B -> 0 <= s -> is_derive (fun s => negentropy T (fun t => B t + s * D t)) s
  (Sum T (fun t => D t * ln (B t + s * D t)) - Sum T D * ln (Sum T B + s * Sum T D)).
Proof.
  intros HB Hs.
  assert (P : positive T (fun t => B t + s * D t)).
  { intros t Ht. assert (W := HB t Ht). assert (V := Rmult_le_pos s (D t) Hs (HD t Ht)). lra. }
  assert (Q : forall s, Sum T (fun t => B t + s * D t) = Sum T B + s * Sum T D) by (intros; rewrite Sum_plus, Sum_scal; ring).
  apply (is_derive_ext (fun s => Sum T (fun t => xlnx (B t + s * D t)) - xlnx (Sum T B + s * Sum T D))).
  { intros r. unfold negentropy. rewrite Q. reflexivity. }
  replace (Sum T (fun t => D t * ln (B t + s * D t)) - Sum T D * ln (Sum T B + s * Sum T D)) with
    (Sum T (fun t => D t * ln (B t + s * D t) + D t) - (Sum T D * ln (Sum T B + s * Sum T D) + Sum T D))
    by (rewrite Sum_plus; ring).
  apply (is_derive_minus (fun s => Sum T (fun t => xlnx (B t + s * D t))) (fun s => xlnx (Sum T B + s * Sum T D))).
  - apply (Sum_derive T (fun t s => xlnx (B t + s * D t)) (fun t s => D t * ln (B t + s * D t) + D t)).
    intros t Ht. apply xlnx_derive, P, Ht.
  - apply xlnx_derive. rewrite <- Q. apply Sum_pos; assumption.
Qed.

(** At every s the derivatives are ordered, by Chebyshev's inequality and then Jensen's. *)
Lemma slope_order s : 0 <= s ->
  Sum T (fun t => D t * ln (A t + E t + s * D t)) - Sum T D * ln (Sum T (fun t => A t + E t) + s * Sum T D) <=
  Sum T (fun t => D t * ln (A t + s * D t)) - Sum T D * ln (Sum T A + s * Sum T D).
Proof.
  intros Hs. set (V := fun t => A t + s * D t). set (l := fun t => ln (V t + E t) - ln (V t)).
  assert (PV : positive T V).
  { intros t Ht. assert (W := HA t Ht). assert (X := Rmult_le_pos s (D t) Hs (HD t Ht)). unfold V. lra. }
  assert (PW : positive T (fun t => V t + E t)).
  { intros t Ht. assert (W := PV t Ht). assert (X := HE t Ht). lra. }
  assert (M : 0 < Sum T V) by (apply Sum_pos; assumption).
  assert (BV : before T D V).
  { intros i k Hi Hk. assert (W := BD i k Hi Hk). unfold V. lra. }
  assert (Bl : before T (fun _ => 1) l).
  { intros i k Hi Hk. unfold l. rewrite !Rmult_1_l. assert (Vi := PV i ltac:(lia)). assert (Vk := PV k Hk).
    assert (Wi := PW i ltac:(lia)). assert (Wk := PW k Hk). rewrite <- !ln_div by assumption.
    apply ln_le; [apply Rdiv_lt_0_compat; assumption|]. apply Rmult_le_reg_l with (V i * V k); [apply Rmult_lt_0_compat; assumption|].
    replace (V i * V k * ((V i + E i) / V i)) with (V k * (V i + E i)) by (field; lra).
    replace (V i * V k * ((V k + E k) / V k)) with (V i * (V k + E k)) by (field; lra).
    assert (X := BE i k Hi Hk). assert (Y := BDE i k Hi Hk). assert (Z := Rmult_le_compat_l s _ _ Hs Y). unfold V. lra. }
  assert (C := cauchy_binet T D V (fun _ => 1) l BV Bl). unfold dot in C.
  rewrite (Sum_ext T (fun i => V i * 1) V), (Sum_ext T (fun i => D i * 1) D) in C by (intros; ring).
  assert (J := log_sum T V (fun t => V t + E t) HT PV PW). fold l in J.
  assert (D0 : 0 <= Sum T D) by (apply Sum_nonneg; assumption).
  assert (K : Sum T (fun t => D t * l t) <= Sum T D * (ln (Sum T (fun t => V t + E t)) - ln (Sum T V))).
  { apply Rmult_le_reg_r with (Sum T V); [assumption|]. eapply Rle_trans; [exact C|].
    eapply Rle_trans; [apply Rmult_le_compat_l; [assumption|exact J]|]. right. ring. }
  replace (Sum T A + s * Sum T D) with (Sum T V) by (unfold V; rewrite Sum_plus, Sum_scal; ring).
  replace (Sum T (fun t => A t + E t) + s * Sum T D) with (Sum T (fun t => V t + E t))
    by (unfold V; rewrite !Sum_plus, Sum_scal; ring).
  rewrite (Sum_ext T (fun t => D t * ln (A t + E t + s * D t)) (fun t => D t * l t + D t * ln (V t))).
  - rewrite Sum_plus. change (fun t => D t * ln (A t + s * D t)) with (fun t => D t * ln (V t)). lra.
  - intros t Ht. unfold l, V. replace (A t + E t + s * D t) with (A t + s * D t + E t) by ring. ring.
Qed.

Theorem negentropy_exchange : negentropy T (fun t => A t + D t + E t) + negentropy T A <=
  negentropy T (fun t => A t + D t) + negentropy T (fun t => A t + E t).
Proof.
  set (g := fun s => negentropy T (fun t => A t + E t + s * D t) - negentropy T (fun t => A t + s * D t)).
  set (dg := fun s => Sum T (fun t => D t * ln (A t + E t + s * D t)) - Sum T D * ln (Sum T (fun t => A t + E t) + s * Sum T D) -
    (Sum T (fun t => D t * ln (A t + s * D t)) - Sum T D * ln (Sum T A + s * Sum T D))).
  assert (PE : positive T (fun t => A t + E t)).
  { intros t Ht. assert (W := HA t Ht). assert (X := HE t Ht). lra. }
  assert (G : forall s, 0 <= s -> is_derive g s (dg s)).
  { intros s Hs. apply (is_derive_minus (fun s => negentropy T (fun t => A t + E t + s * D t))
      (fun s => negentropy T (fun t => A t + s * D t))).
    - apply (negentropy_derive (fun t => A t + E t)); assumption.
    - apply negentropy_derive; assumption. }
  destruct (MVT_gen g 0 1 dg) as (c & Hc & E1).
  - intros s. rewrite Rmin_left, Rmax_right by lra. intros Hs. apply G. lra.
  - intros s. rewrite Rmin_left, Rmax_right by lra. intros Hs. apply continuity_pt_filterlim.
    apply (ex_derive_continuous g). exists (dg s). apply G. lra.
  - rewrite Rmin_left, Rmax_right in Hc by lra. assert (W := slope_order c ltac:(lra)). fold (dg c) in *.
    assert (X : dg c <= 0) by (unfold dg; lra). unfold g in E1.
    rewrite (negentropy_ext T (fun t => A t + E t + 1 * D t) (fun t => A t + D t + E t)) in E1 by (intros; ring).
    rewrite (negentropy_ext T (fun t => A t + 1 * D t) (fun t => A t + D t)) in E1 by (intros; ring).
    rewrite (negentropy_ext T (fun t => A t + E t + 0 * D t) (fun t => A t + E t)) in E1 by (intros; ring).
    rewrite (negentropy_ext T (fun t => A t + 0 * D t) A) in E1 by (intros; ring). lra.
Qed.
End Order.
