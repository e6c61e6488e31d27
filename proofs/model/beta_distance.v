(** * The Hellinger distance between Beta posteriors

    Proved: for posteriors of n records in two categories, the distance H (x, r) is 0 at r = x, below 1, symmetric, and
    strictly increasing with each step away from x, for all positive prior weights (the first lemma of the page on
    optimality). So for t > 0, H < t holds from some number of steps below x to some number of steps above x.

    Left abstract: that this expression, which contains Beta functions, is the integral over the square root of the
    product of two densities; [model.beta_integral] proves this. *)
From Coq Require Import Reals Lra Lia PeanoNat.
From Coquelicot Require Import Coquelicot.
From DPBI Require Import basics.sums model.gamma.
Open Scope R_scope.

(** The logarithm of the Beta function, and the distance. *)
Definition ln_beta (a b : R) : R := ln_gamma a + ln_gamma b - ln_gamma (a + b).
Definition affinity (a b a' b' : R) : R :=
  exp (ln_beta ((a + a') / 2) ((b + b') / 2) - (ln_beta a b + ln_beta a' b') / 2).
Definition hellinger (a b a' b' : R) : R := sqrt (1 - affinity a b a' b').

(** Beta functions instead of their logarithms. *)
Theorem affinity_beta a b a' b' :
  affinity a b a' b' = exp (ln_beta ((a + a') / 2) ((b + b') / 2)) / sqrt (exp (ln_beta a b) * exp (ln_beta a' b')).
Proof.
  unfold affinity. set (m := ln_beta ((a + a') / 2) ((b + b') / 2)). set (s := ln_beta a b). set (s' := ln_beta a' b').
  rewrite <- exp_plus. replace (exp (s + s')) with (exp ((s + s') / 2) * exp ((s + s') / 2)).
  2:{ rewrite <- exp_plus. f_equal. field. }
  rewrite sqrt_square by (left; apply exp_pos). unfold Rminus, Rdiv at 1. rewrite exp_plus, exp_Ropp. reflexivity.
Qed.

(** ** One function of one parameter: the sum of both parameters is N *)
Section Total.
Variable N : R.
Definition both (u : R) : R := ln_gamma u + ln_gamma (N - u).

Lemma both_strictly_convex : strictly_convex 0 N both.
Proof.
  intros a b s Ha Hab Hb Hs. unfold both.
  assert (A := ln_gamma_strictly_convex a b s Ha Hab Hs).
  assert (B := ln_gamma_convex (N - a) (N - b) s ltac:(lra) ltac:(lra) ltac:(lra)).
  replace ((1 - s) * (N - a) + s * (N - b)) with (N - ((1 - s) * a + s * b)) in B by ring. lra.
Qed.

Lemma chord p q r : 0 < p -> p < q -> q < r -> r < N -> (r - p) * both q < (r - q) * both p + (q - p) * both r.
Proof.
  intros Hp Hpq Hqr Hr. set (s := (q - p) / (r - p)).
  assert (Hs : 0 < s < 1).
  { unfold s. split; [apply Rdiv_lt_0_compat; lra|]. apply Rlt_div_l; lra. }
  assert (W := both_strictly_convex p r s Hp ltac:(lra) Hr Hs).
  replace ((1 - s) * p + s * r) with q in W by (unfold s; field; lra).
  apply Rmult_lt_compat_l with (r := r - p) in W; [|lra].
  replace ((r - p) * ((1 - s) * both p + s * both r)) with ((r - q) * both p + (q - p) * both r) in W by (unfold s; field; lra).
  exact W.
Qed.

(** Half a step in the middle increases the function by less than half as much as the whole step. *)
Lemma middle_step c r r' : 0 < c -> c <= r -> r < r' -> r' < N ->
  both ((c + r') / 2) - both r' / 2 < both ((c + r) / 2) - both r / 2.
Proof.
  intros Hc Hcr Hr HN. destruct Hcr as [Hcr| <-].
  - set (m := (c + r) / 2). set (m' := (c + r') / 2). set (d := m' - m). set (D := r' - m).
    assert (Hd : d = (r' - r) / 2) by (unfold d, m, m'; field).
    assert (HD : 0 < D) by (unfold D, m; lra).
    assert (S1 := chord m m' r' ltac:(unfold m; lra) ltac:(unfold m, m'; lra) ltac:(unfold m'; lra) HN).
    assert (S2 := chord m r r' ltac:(unfold m; lra) ltac:(unfold m; lra) Hr HN). fold D in S1, S2.
    replace (r' - m') with (D - d) in S1 by (unfold D, d; ring).
    replace (m' - m) with d in S1 by reflexivity.
    replace (r' - r) with (2 * d) in S2 by (rewrite Hd; field).
    replace (r - m) with (D - 2 * d) in S2 by (rewrite Hd; unfold D; field).
    assert (W : D * (2 * (both m' - both m)) < D * (both r' - both r)) by lra.
    apply Rmult_lt_reg_l in W; [|assumption]. lra.
  - replace ((c + c) / 2) with c by field.
    assert (W := chord c ((c + r') / 2) r' Hc ltac:(lra) ltac:(lra) HN).
    assert (V : (r' - c) * (2 * both ((c + r') / 2)) < (r' - c) * (both c + both r')) by lra.
    apply Rmult_lt_reg_l in V; [|lra]. lra.
Qed.

(** The logarithm of the affinity, and how it decreases away from c. *)
Definition fit (c r : R) : R := both ((c + r) / 2) - (both c + both r) / 2.

Lemma fit_up c r r' : 0 < c -> c <= r -> r < r' -> r' < N -> fit c r' < fit c r.
Proof. intros. unfold fit. assert (W := middle_step c r r'). lra. Qed.

Lemma fit_mirror c r : both (N - (c + r) / 2) - (both (N - c) + both (N - r)) / 2 = fit c r.
Proof.
  unfold fit, both. replace (N - (N - (c + r) / 2)) with ((c + r) / 2) by ring.
  replace (N - (N - c)) with c by ring. replace (N - (N - r)) with r by ring. field.
Qed.
End Total.

Lemma fit_down N c r r' : r' < r -> r <= c -> c < N -> 0 < r' -> fit N c r' < fit N c r.
Proof.
  intros H1 H2 H3 H4. assert (W := fit_up N (N - c) (N - r) (N - r') ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)).
  unfold fit in W at 1 2. replace ((N - c + (N - r')) / 2) with (N - (c + r') / 2) in W by field.
  replace ((N - c + (N - r)) / 2) with (N - (c + r) / 2) in W by field. rewrite !fit_mirror in W. exact W.
Qed.

Lemma fit_self N c : fit N c c = 0.
Proof. unfold fit. replace ((c + c) / 2) with c by field. field. Qed.

Lemma affinity_fit N c r : affinity c (N - c) r (N - r) = exp (fit N c r).
Proof.
  unfold affinity, ln_beta, fit, both. f_equal.
  replace ((N - c + (N - r)) / 2) with (N - (c + r) / 2) by field.
  replace ((c + r) / 2 + (N - (c + r) / 2)) with N by ring. replace (c + (N - c)) with N by ring.
  replace (r + (N - r)) with N by ring. field.
Qed.

Lemma fit_range N c r : 0 < c < N -> 0 < r < N -> fit N c r <= 0.
Proof.
  intros Hc Hr. rewrite <- (fit_self N c). destruct (Rtotal_order r c) as [L|[->|L]]; [left|right; reflexivity|left].
  - apply fit_down; lra.
  - apply fit_up; lra.
Qed.

Lemma root_lt u v : u <= 0 -> v <= 0 -> u < v -> sqrt (1 - exp v) < sqrt (1 - exp u).
Proof.
  intros Hu Hv H. apply exp_increasing in H. assert (E : exp v <= 1).
  { rewrite <- exp_0. destruct Hv as [Hv|Hv]; [left; apply exp_increasing; assumption|rewrite Hv; lra]. }
  apply sqrt_lt_1; lra.
Qed.

(** ** Posteriors of counts *)
Section Posteriors.
Variables (a b : R) (n : nat).
Hypothesis Ha : 0 < a.
Hypothesis Hb : 0 < b.

(** The distance between the posteriors of x and of r records in the first category; r may be any real number. *)
Definition distance (x r : R) : R := hellinger (a + x) (b + (INR n - x)) (a + r) (b + (INR n - r)).

Let N := a + b + INR n.

Lemma distance_fit x r : distance x r = sqrt (1 - exp (fit N (a + x) (a + r))).
Proof.
  unfold distance, hellinger. rewrite <- affinity_fit. unfold N. do 3 f_equal; ring.
Qed.

Lemma inside_total r : 0 <= r <= INR n -> 0 < a + r < N.
Proof. unfold N. lra. Qed.

(** The distance is unimodal, for real numbers between 0 and n. *)
Theorem distance_rises x r r' : 0 <= x <= INR n -> x <= r -> r < r' <= INR n -> distance x r < distance x r'.
Proof.
  intros Hx Hr Hr'. rewrite !distance_fit. assert (A := inside_total x Hx). assert (B := inside_total r ltac:(lra)).
  assert (C := inside_total r' ltac:(lra)). apply root_lt; [apply fit_range; assumption..|]. apply fit_up; lra.
Qed.

Theorem distance_falls x r r' : 0 <= x <= INR n -> r <= x -> 0 <= r' < r -> distance x r < distance x r'.
Proof.
  intros Hx Hr Hr'. rewrite !distance_fit. assert (A := inside_total x Hx). assert (B := inside_total r ltac:(lra)).
  assert (C := inside_total r' ltac:(lra)). apply root_lt; [apply fit_range; assumption..|]. apply fit_down; lra.
Qed.

Theorem distance_self x : distance x x = 0.
Proof. rewrite distance_fit, fit_self, exp_0, Rminus_eq_0. apply sqrt_0. Qed.

Theorem distance_range x r : 0 <= x <= INR n -> 0 <= r <= INR n -> 0 <= distance x r < 1.
Proof.
  intros Hx Hr. rewrite distance_fit. split; [apply sqrt_pos|]. apply Rlt_le_trans with (sqrt 1); [|rewrite sqrt_1; lra].
  assert (P := exp_pos (fit N (a + x) (a + r))).
  assert (Q := fit_range N (a + x) (a + r) (inside_total x Hx) (inside_total r Hr)).
  assert (E : exp (fit N (a + x) (a + r)) <= 1).
  { rewrite <- exp_0. destruct Q as [Q|Q]; [left; apply exp_increasing; assumption|rewrite Q; lra]. }
  apply sqrt_lt_1; lra.
Qed.

Theorem distance_symmetric x r : distance x r = distance r x.
Proof. rewrite !distance_fit. unfold fit. rewrite (Rplus_comm (a + x)). do 3 f_equal. field. Qed.

(** The distance is unimodal, for whole steps, as printed on the page on optimality. *)
Theorem unimodal_steps x r : (x <= n)%nat ->
  ((x <= r)%nat -> (r + 1 <= n)%nat -> distance (INR x) (INR (r + 1)) > distance (INR x) (INR r)) /\
  ((1 <= r <= x)%nat -> distance (INR x) (INR (r - 1)) > distance (INR x) (INR r)).
Proof.
  intros Hx. apply le_INR in Hx as Hx'. assert (P := pos_INR x). split.
  - intros H1 H2. apply distance_rises; [lra|apply le_INR; assumption|].
    split; [apply lt_INR; lia|apply le_INR; assumption].
  - intros H1. apply distance_falls; [lra|apply le_INR; lia|]. split; [apply pos_INR|apply lt_INR; lia].
Qed.

(** The candidates nearer than t form an interval around x. *)
Theorem reach_exists x t : (x <= n)%nat -> 0 < t -> exists down up, (down <= x)%nat /\ (x + up <= n)%nat /\
  forall r, (r <= n)%nat -> (distance (INR x) (INR r) < t <-> (x - down <= r <= x + up)%nat).
Proof.
  intros Hx Ht. apply le_INR in Hx as Hx'. assert (P := pos_INR x).
  assert (Up : exists up, (x + up <= n)%nat /\
    forall r, (x <= r <= n)%nat -> (distance (INR x) (INR r) < t <-> (r <= x + up)%nat)).
  { assert (K : forall k, (x + k <= n)%nat -> exists up, (up <= k)%nat /\
      forall r, (x <= r <= x + k)%nat -> (distance (INR x) (INR r) < t <-> (r <= x + up)%nat)).
    { induction k as [|k IH]; intros Hk.
      - exists 0%nat. split; [lia|]. intros r Hr. replace r with x by lia. rewrite distance_self. split; [lia|lra].
      - destruct (IH ltac:(lia)) as (up & U1 & U2).
        destruct (Rlt_le_dec (distance (INR x) (INR (x + S k))) t) as [L|L].
        + exists (S k). split; [lia|]. intros r Hr. split; [lia|]. intros _.
          destruct (Nat.eq_dec r (x + S k)) as [->|D]; [assumption|]. eapply Rlt_trans; [|exact L].
          apply distance_rises; [lra|apply le_INR; lia|]. split; [apply lt_INR; lia|apply le_INR; lia].
        + exists up. split; [lia|]. intros r Hr. destruct (Nat.eq_dec r (x + S k)) as [->|D]; [|apply U2; lia].
          split; [lra|lia]. }
    destruct (K (n - x)%nat ltac:(lia)) as (up & U1 & U2). exists up. split; [lia|]. intros r Hr. apply U2. lia. }
  assert (Down : exists down, (down <= x)%nat /\
    forall r, (r <= x)%nat -> (distance (INR x) (INR r) < t <-> (x - down <= r)%nat)).
  { assert (K : forall k, (k <= x)%nat -> exists down, (down <= k)%nat /\
      forall r, (x - k <= r <= x)%nat -> (distance (INR x) (INR r) < t <-> (x - down <= r)%nat)).
    { induction k as [|k IH]; intros Hk.
      - exists 0%nat. split; [lia|]. intros r Hr. replace r with x by lia. rewrite distance_self. split; [lia|lra].
      - destruct (IH ltac:(lia)) as (down & U1 & U2).
        destruct (Rlt_le_dec (distance (INR x) (INR (x - S k))) t) as [L|L].
        + exists (S k). split; [lia|]. intros r Hr. split; [lia|]. intros _.
          destruct (Nat.eq_dec r (x - S k)) as [->|D]; [assumption|]. eapply Rlt_trans; [|exact L].
          apply distance_falls; [lra|apply le_INR; lia|]. split; [apply pos_INR|apply lt_INR; lia].
        + exists down. split; [lia|]. intros r Hr. destruct (Nat.eq_dec r (x - S k)) as [->|D]; [|apply U2; lia].
          split; [lra|lia]. }
    destruct (K x (le_n x)) as (down & U1 & U2). exists down. split; [assumption|]. intros r Hr. apply U2. lia. }
  destruct Up as (up & U1 & U2), Down as (down & D1 & D2). exists down, up. split; [assumption|]. split; [assumption|].
  intros r Hr. destruct (le_lt_dec r x) as [L|L].
  - rewrite (D2 r L). lia.
  - rewrite (U2 r ltac:(lia)). lia.
Qed.
End Posteriors.
