(** * Total variation of posteriors

    Proved: if two distributions on any space assign probabilities to an event and to its complement that differ by
    factors between [exp lo] and [exp hi], the two probabilities of the event differ by at most [tanh ((hi - lo) / 4)].
    For posteriors of one prior, [lo] and [hi] bound the log ratio of the likelihoods; if they are [- b] and [b], as
    under a Lipschitz constant, the distance is at most [tanh (b / 2)].

    Left abstract: the likelihood is any positive function. There are finitely many parameters; in the first theorem
    the space is arbitrary. *)
From Coq Require Import Reals Lra Lia PeanoNat.
From DPBI Require Import basics.sums mechanisms.exponential.
Open Scope R_scope.

Lemma odds_ratio p q k : 0 <= p <= 1 -> 0 <= q <= 1 -> 1 <= k ->
  p * (1 - q) <= k * k * (q * (1 - p)) -> p - q <= (k - 1) / (k + 1).
Proof.
  intros Hp Hq Hk H.
  assert (Ha : 0 <= p * (1 - q)) by (apply Rmult_le_pos; lra).
  assert (Hb : 0 <= q * (1 - p)) by (apply Rmult_le_pos; lra).
  set (a := sqrt (p * (1 - q))). set (b := sqrt (q * (1 - p))).
  assert (Ea : a * a = p * (1 - q)) by (apply sqrt_sqrt; assumption).
  assert (Eb : b * b = q * (1 - p)) by (apply sqrt_sqrt; assumption).
  assert (Pa : 0 <= a) by apply sqrt_pos. assert (Pb : 0 <= b) by apply sqrt_pos.
  assert (L : a <= k * b).
  { apply Rsqr_incr_0_var; [unfold Rsqr; nra|apply Rmult_le_pos; lra]. }
  assert (M : a + b <= 1).
  { apply Rsqr_incr_0_var; [|lra]. unfold Rsqr.
        assert (Q : 2 * (a * b) <= p * q + (1 - p) * (1 - q)).
    { apply Rsqr_incr_0_var; [|nra]. unfold Rsqr.
      replace (2 * (a * b) * (2 * (a * b))) with (4 * ((a * a) * (b * b))) by ring.
      rewrite Ea, Eb. assert (S := Rle_0_sqr (p * q - (1 - p) * (1 - q))). unfold Rsqr in S. nra. }
    nra. }
  replace (p - q) with ((a - b) * (a + b)) by nra.
  assert (D : (a - b) * (k + 1) <= (k - 1) * (a + b)) by nra.
  apply Rmult_le_reg_r with (k + 1); [lra|].
  replace ((k - 1) / (k + 1) * (k + 1)) with (k - 1) by (field; lra).
  assert (S : 0 <= a + b <= 1) by lra.
  apply Rle_trans with ((k - 1) * ((a + b) * (a + b))).
  - replace ((a - b) * (a + b) * (k + 1)) with ((a - b) * (k + 1) * (a + b)) by ring.
    rewrite <- Rmult_assoc. apply Rmult_le_compat_r; lra.
  - rewrite <- (Rmult_1_r (k - 1)) at 2. apply Rmult_le_compat_l; [lra|]. nra.
Qed.

Lemma tanh_exp w : tanh (w / 4) = (exp (w / 2) - 1) / (exp (w / 2) + 1).
Proof.
  unfold tanh, sinh, cosh. assert (A := exp_pos (w / 4)). assert (B := exp_pos (w / 2)).
  assert (E : exp (w / 2) = exp (w / 4) * exp (w / 4)) by (rewrite <- exp_plus; f_equal; field).
  rewrite exp_Ropp, E. field. split; nra.
Qed.

Lemma cross e K u v s t : 0 <= K -> 0 <= v -> 0 <= t -> u <= K * e * v -> e * t <= s -> u * t <= K * (v * s).
Proof.
  intros HK Hv Ht H1 H2. apply Rle_trans with (K * e * v * t); [apply Rmult_le_compat_r; assumption|].
  replace (K * e * v * t) with (K * (v * (e * t))) by ring.
  apply Rmult_le_compat_l; [assumption|]. apply Rmult_le_compat_l; assumption.
Qed.

Theorem variation_one_event lo hi P Q : lo <= hi -> 0 <= P <= 1 -> 0 <= Q <= 1 ->
  exp lo * Q <= P <= exp hi * Q -> exp lo * (1 - Q) <= 1 - P <= exp hi * (1 - Q) ->
  Rabs (P - Q) <= tanh ((hi - lo) / 4).
Proof.
  intros Hlh HP HQ H1 H2. rewrite tanh_exp. set (k := exp ((hi - lo) / 2)).
  assert (Hk : 1 <= k).
  { unfold k. rewrite <- exp_0. destruct (Rle_lt_or_eq_dec lo hi Hlh) as [L|L].
    - left. apply exp_increasing. lra.
    - rewrite L. replace ((hi - hi) / 2) with 0 by field. lra. }
  assert (E : exp hi = k * k * exp lo) by (unfold k; rewrite <- !exp_plus; f_equal; field).
  assert (Pl := exp_pos lo).
  rewrite E in H1, H2.
  assert (Kk : 1 <= k * k) by nra.
  unfold Rabs. destruct (Rcase_abs (P - Q)).
  - replace (- (P - Q)) with ((1 - P) - (1 - Q)) by ring.
    apply odds_ratio; try lra. replace (1 - (1 - Q)) with Q by ring. replace (1 - (1 - P)) with P by ring.
    apply (cross (exp lo)); lra.
  - apply odds_ratio; try lra. apply (cross (exp lo)); lra.
Qed.

Definition evidence (N : nat) (prior lik : nat -> R) : R := Sum N (fun i => prior i * lik i).
Definition posterior (N : nat) (prior lik : nat -> R) (i : nat) : R := prior i * lik i / evidence N prior lik.

Section Posterior.
Variables (N : nat) (prior px py : nat -> R) (lo hi : R).
Hypothesis Hprior : law N prior.
Hypothesis Hx : forall i, (i < N)%nat -> 0 < px i.
Hypothesis Hy : forall i, (i < N)%nat -> 0 < py i.
(** The log ratio of the likelihoods. *)
Hypothesis Hrange : forall i, (i < N)%nat -> lo <= ln (px i) - ln (py i) <= hi.

Lemma evidence_pos lik : (forall i, (i < N)%nat -> 0 < lik i) -> 0 < evidence N prior lik.
Proof.
  intros H. destruct Hprior as [P0 P1].
  destruct (Rle_lt_dec (evidence N prior lik) 0) as [L|]; [|assumption]. exfalso.
  assert (Z : forall i, (i < N)%nat -> prior i <= 0).
  { intros i Hi. assert (T : prior i * lik i <= evidence N prior lik).
    { apply (Sum_term N (fun i => prior i * lik i)); [|assumption].
      intros j Hj. apply Rmult_le_pos; [apply P0|left; apply H]; assumption. }
    specialize (H i Hi). nra. }
  assert (W : Sum N prior <= 0) by (rewrite <- (Sum_0 N); apply Sum_le; assumption). lra.
Qed.

Lemma posterior_law lik : (forall i, (i < N)%nat -> 0 < lik i) -> law N (posterior N prior lik).
Proof.
  intros H. assert (E := evidence_pos lik H). destruct Hprior as [P0 P1]. split.
  - intros i Hi. unfold posterior, Rdiv. apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat; assumption].
    apply Rmult_le_pos; [apply P0|left; apply H]; assumption.
  - unfold posterior, Rdiv. rewrite Sum_scal_r. apply Rinv_r. lra.
Qed.

Let Zx := evidence N prior px.
Let Zy := evidence N prior py.

Lemma ratio i : (i < N)%nat -> exp lo * py i <= px i <= exp hi * py i.
Proof.
  intros Hi. assert (W := Hrange i Hi). assert (X := Hx i Hi). assert (Y := Hy i Hi).
  rewrite <- (exp_ln (px i)), <- (exp_ln (py i)), <- !exp_plus by assumption.
  split; apply exp_le; lra.
Qed.

Lemma event_ratio A :
  exp (lo + ln (Zy / Zx)) * Prob N (posterior N prior py) A <= Prob N (posterior N prior px) A
  <= exp (hi + ln (Zy / Zx)) * Prob N (posterior N prior py) A.
Proof.
  assert (Ex : 0 < Zx) by (apply evidence_pos; assumption).
  assert (Ey : 0 < Zy) by (apply evidence_pos; assumption).
  assert (Q : 0 < Zy / Zx) by (apply Rdiv_lt_0_compat; assumption).
  rewrite !exp_plus, !exp_ln by assumption.
  unfold Prob. rewrite <- !Sum_scal. destruct Hprior as [P0 _].
  assert (I : forall i, 0 <= prior i * ind A i / Zx -> forall u v, u <= v ->
    u * (prior i * ind A i / Zx) <= v * (prior i * ind A i / Zx)) by (intros; apply Rmult_le_compat_r; assumption).
  split; apply Sum_le; intros i Hi; assert (R := ratio i Hi); specialize (P0 i Hi); assert (V := ind_range A i);
    assert (J : 0 <= prior i * ind A i / Zx)
      by (unfold Rdiv; apply Rmult_le_pos; [apply Rmult_le_pos; lra|left; apply Rinv_0_lt_compat; assumption]);
    unfold posterior; fold Zx Zy.
  - replace (exp lo * (Zy / Zx) * (prior i * py i / Zy * ind A i))
      with (exp lo * py i * (prior i * ind A i / Zx)) by (field; lra).
    replace (prior i * px i / Zx * ind A i) with (px i * (prior i * ind A i / Zx)) by (field; lra).
    apply I; lra.
  - replace (exp hi * (Zy / Zx) * (prior i * py i / Zy * ind A i))
      with (exp hi * py i * (prior i * ind A i / Zx)) by (field; lra).
    replace (prior i * px i / Zx * ind A i) with (px i * (prior i * ind A i / Zx)) by (field; lra).
    apply I; lra.
Qed.

Lemma prob_range p A : law N p -> 0 <= Prob N p A <= 1.
Proof.
  intros [H0 H1]. assert (C := Prob_compl N p A).
  assert (U := Prob_nonneg N p A H0). assert (V := Prob_nonneg N p (compl A) H0). lra.
Qed.

Theorem posterior_variation_range A : lo <= hi ->
  Rabs (Prob N (posterior N prior px) A - Prob N (posterior N prior py) A) <= tanh ((hi - lo) / 4).
Proof.
  intros Hb.
  assert (Lx := posterior_law px Hx). assert (Ly := posterior_law py Hy).
  assert (Cx := Prob_compl N (posterior N prior px) A). assert (Cy := Prob_compl N (posterior N prior py) A).
  assert (R1 := event_ratio A). assert (R2 := event_ratio (compl A)).
  assert (Bx := prob_range _ A Lx). assert (By := prob_range _ A Ly).
  destruct Lx as [_ Tx]. destruct Ly as [_ Ty]. rewrite Tx in Cx. rewrite Ty in Cy.
  replace ((hi - lo) / 4) with (((hi + ln (Zy / Zx)) - (lo + ln (Zy / Zx))) / 4) by field.
  replace (Prob N (posterior N prior px) (compl A)) with (1 - Prob N (posterior N prior px) A) in R2 by lra.
  replace (Prob N (posterior N prior py) (compl A)) with (1 - Prob N (posterior N prior py) A) in R2 by lra.
  apply variation_one_event; try assumption; lra.
Qed.
End Posterior.

(** [b] is the Lipschitz constant times the distance of the data. *)
Theorem posterior_variation N prior px py b A : law N prior -> 0 <= b ->
  (forall i, (i < N)%nat -> 0 < px i) -> (forall i, (i < N)%nat -> 0 < py i) ->
  (forall i, (i < N)%nat -> Rabs (ln (px i) - ln (py i)) <= b) ->
  Rabs (Prob N (posterior N prior px) A - Prob N (posterior N prior py) A) <= tanh (b / 2).
Proof.
  intros Hprior Hb Hx Hy H. replace (b / 2) with ((b - - b) / 4) by field.
  apply posterior_variation_range; try assumption; [|lra].
  intros i Hi. specialize (H i Hi). revert H. unfold Rabs; destruct Rcase_abs; lra.
Qed.
