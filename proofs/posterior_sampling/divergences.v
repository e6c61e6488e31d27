(** * The privacy loss of draws from a posterior

    Proved, for two posteriors of one prior whose likelihoods have a log ratio in an interval of width w (2 L rho under
    a Lipschitz constant L at distance rho): the probabilities of every event differ by at most the factor e^w; the
    loss of N draws is at most N w; the divergence is at most w, and at most w^2 / 8; N draws are N w^2 / 8-zCDP. If
    the Lipschitz constant depends on the parameter and only its mean is bounded, the sum of the two divergences is at
    most C E l rho, and the total variation is at most half the square root of this bound.

    Left abstract: the likelihood. There are finitely many parameters, with positive prior weights. *)
From Coq Require Import Reals Lra Lia PeanoNat.
From Coquelicot Require Import Coquelicot.
From DPBI Require Import basics.sums mechanisms.exponential guarantees.composition guarantees.concentrated
  posterior_sampling.variation.
Open Scope R_scope.

Section Pair.
Variables (N : nat) (prior px py : nat -> R).
Hypothesis Hprior : positive_law N prior.
Hypothesis Hx : forall i, (i < N)%nat -> 0 < px i.
Hypothesis Hy : forall i, (i < N)%nat -> 0 < py i.

Let post_x := posterior N prior px.
Let post_y := posterior N prior py.

Lemma posterior_positive lik : (forall i, (i < N)%nat -> 0 < lik i) -> positive_law N (posterior N prior lik).
Proof.
  intros H. assert (L := posterior_law N prior (positive_is_law _ _ Hprior) lik H). split; [|apply L].
  intros i Hi. unfold posterior. apply Rdiv_lt_0_compat; [|apply evidence_pos; [apply positive_is_law|]; assumption].
  apply Rmult_lt_0_compat; [apply Hprior; assumption|apply H; assumption].
Qed.

Lemma log_ratio i : (i < N)%nat ->
  ln (post_x i / post_y i) = ln (px i) - ln (py i) + (ln (evidence N prior py) - ln (evidence N prior px)).
Proof.
  intros Hi. assert (P0 : 0 < prior i) by (apply Hprior; assumption).
  assert (X : 0 < px i) by auto. assert (Y : 0 < py i) by auto.
  assert (Ex : 0 < evidence N prior px) by (apply evidence_pos; [apply positive_is_law|]; assumption).
  assert (Ey : 0 < evidence N prior py) by (apply evidence_pos; [apply positive_is_law|]; assumption).
  unfold post_x, post_y, posterior.
  replace (prior i * px i / evidence N prior px / (prior i * py i / evidence N prior py))
    with (px i / py i * (evidence N prior py / evidence N prior px)) by (field; lra).
  rewrite ln_mult, !ln_div by (try apply Rdiv_lt_0_compat; assumption). ring.
Qed.

(** ** A range of the log ratio *)
Section Width.
Variables (lo w : R).
Hypothesis Hrange : forall i, (i < N)%nat -> lo <= ln (px i) - ln (py i) <= lo + w.

Let c := ln (evidence N prior py) - ln (evidence N prior px).

Lemma posterior_range i : (i < N)%nat -> lo + c <= ln (post_x i / post_y i) <= lo + c + w.
Proof. intros Hi. rewrite log_ratio by assumption. specialize (Hrange i Hi). fold c. lra. Qed.

Lemma shift_range : - (lo + w) <= c <= - lo.
Proof.
  assert (Ex : 0 < evidence N prior px) by (apply evidence_pos; [apply positive_is_law|]; assumption).
  assert (Ey : 0 < evidence N prior py) by (apply evidence_pos; [apply positive_is_law|]; assumption).
  assert (B : forall i, (i < N)%nat -> exp lo * py i <= px i <= exp (lo + w) * py i).
  { intros i Hi. specialize (Hrange i Hi). specialize (Hx i Hi). specialize (Hy i Hi).
    rewrite <- (exp_ln (px i)), <- (exp_ln (py i)), <- !exp_plus by assumption. split; apply exp_le; lra. }
  assert (A1 : exp lo * evidence N prior py <= evidence N prior px).
  { unfold evidence. rewrite <- Sum_scal. apply Sum_le; intros i Hi.
    assert (P0 : 0 < prior i) by (apply Hprior; assumption). specialize (B i Hi). nra. }
  assert (A2 : evidence N prior px <= exp (lo + w) * evidence N prior py).
  { unfold evidence. rewrite <- Sum_scal. apply Sum_le; intros i Hi.
    assert (P0 : 0 < prior i) by (apply Hprior; assumption). specialize (B i Hi). nra. }
  apply ln_le in A1; [|apply Rmult_lt_0_compat; [apply exp_pos|assumption]]. apply ln_le in A2; [|assumption].
  rewrite ln_mult, ln_exp in A1, A2 by (assumption || apply exp_pos). unfold c. lra.
Qed.

Theorem posterior_factor A : Prob N post_x A <= exp w * Prob N post_y A.
Proof.
  unfold Prob. rewrite <- Sum_scal. apply Sum_le; intros i Hi. rewrite <- Rmult_assoc.
  apply Rmult_le_compat_r; [apply ind_range|].
  assert (Px : 0 < post_x i) by (apply posterior_positive; assumption).
  assert (Py : 0 < post_y i) by (apply posterior_positive; assumption).
  assert (R := posterior_range i Hi). rewrite ln_div in R by assumption. assert (S := shift_range).
  rewrite <- (exp_ln (post_x i)), <- (exp_ln (post_y i)), <- exp_plus by assumption. apply exp_le. lra.
Qed.

Theorem posterior_draws_factor k A :
  Prob (histories N k) (draws N post_x k) A <= exp (INR k * w) * Prob (histories N k) (draws N post_y k) A.
Proof.
  assert (HN : (0 < N)%nat) by (destruct N; [destruct Hprior as [_ W]; simpl in W; lra|lia]).
  assert (C := composition_pure (fun a b : bool => a = true /\ b = false) w N
    (fun (a : bool) _ _ => if a then post_x else post_y) k HN).
  apply (fun L H => C L H true false (conj eq_refl eq_refl) A).
  - intros [] _ _; apply positive_is_law, posterior_positive; assumption.
  - intros _ _ a b [-> ->] B. apply posterior_factor.
Qed.

Theorem posterior_divergence : kullback_leibler N post_x post_y <= w.
Proof.
  assert (L : positive_law N post_x) by (apply posterior_positive; assumption). destruct L as [L0 L1].
  unfold kullback_leibler. rewrite <- (Rmult_1_l w), <- L1, <- Sum_scal_r. apply Sum_le; intros i Hi.
  apply Rmult_le_compat_l; [left; apply L0; assumption|].
  assert (R := posterior_range i Hi). assert (S := shift_range). lra.
Qed.

Theorem posterior_divergence_squared : kullback_leibler N post_x post_y <= w * w / 8.
Proof. apply divergence_of_range with (lo + c); [apply posterior_positive; assumption..|apply posterior_range]. Qed.

Theorem posterior_draws_concentrated k :
  zcdp (INR k * (w * w / 8)) (histories N k) (draws N post_x k) (draws N post_y k).
Proof.
  assert (HN : (0 < N)%nat) by (destruct N; [destruct Hprior as [_ W]; simpl in W; lra|lia]).
  apply draws_concentrated with (lo + c); [assumption|apply posterior_positive; assumption..|apply posterior_range].
Qed.
End Width.

(** ** A Lipschitz constant that depends on the parameter *)
Section Mean.
Variables (l : nat -> R) (rho C : R).
Hypothesis Hrho : 0 <= rho.
Hypothesis Hlip : forall i, (i < N)%nat -> Rabs (ln (px i) - ln (py i)) <= l i * rho.
(** [C] bounds both likelihoods divided by their means under the prior. *)
Hypothesis HCx : forall i, (i < N)%nat -> px i <= C * evidence N prior px.
Hypothesis HCy : forall i, (i < N)%nat -> py i <= C * evidence N prior py.

Definition jeffreys n p q := kullback_leibler n p q + kullback_leibler n q p.

Lemma jeffreys_sum n p q : (forall i, (i < n)%nat -> 0 < p i) -> (forall i, (i < n)%nat -> 0 < q i) ->
  jeffreys n p q = Sum n (fun i => (p i - q i) * ln (p i / q i)).
Proof.
  intros P Q. unfold jeffreys, kullback_leibler. rewrite <- Sum_plus. apply Sum_ext; intros i Hi.
  specialize (P i Hi). specialize (Q i Hi). rewrite !ln_div by assumption. ring.
Qed.

Theorem posterior_jeffreys : jeffreys N post_x post_y <= C * Sum N (fun i => prior i * l i) * rho.
Proof.
  assert (Lx : positive_law N post_x) by (apply posterior_positive; assumption).
  assert (Ly : positive_law N post_y) by (apply posterior_positive; assumption).
  rewrite jeffreys_sum by (apply Lx || apply Ly).
  set (c := ln (evidence N prior py) - ln (evidence N prior px)).
  rewrite (Sum_ext N _ (fun i => (post_x i - post_y i) * (ln (px i) - ln (py i)) + (post_x i - post_y i) * c)).
  2:{ intros i Hi. rewrite log_ratio by assumption. fold c. ring. }
  rewrite Sum_plus, Sum_scal_r, Sum_minus. destruct Lx as [Lx0 Lx1], Ly as [Ly0 Ly1]. rewrite Lx1, Ly1.
  replace (C * Sum N (fun i => prior i * l i) * rho) with (Sum N (fun i => C * prior i * (l i * rho))).
  2:{ rewrite <- Sum_scal, <- Sum_scal_r. apply Sum_ext; intros; ring. }
  replace ((1 - 1) * c) with 0 by ring. rewrite Rplus_0_r. apply Sum_le; intros i Hi.
  assert (P0 : 0 < prior i) by (apply Hprior; assumption).
  assert (Ex : 0 < evidence N prior px) by (apply evidence_pos; [apply positive_is_law|]; assumption).
  assert (Ey : 0 < evidence N prior py) by (apply evidence_pos; [apply positive_is_law|]; assumption).
  assert (Bx : 0 < post_x i <= C * prior i).
  { split; [apply Lx0; assumption|]. unfold post_x, posterior. apply Rle_div_l; [assumption|].
    specialize (HCx i Hi). nra. }
  assert (By : 0 < post_y i <= C * prior i).
  { split; [apply Ly0; assumption|]. unfold post_y, posterior. apply Rle_div_l; [assumption|].
    specialize (HCy i Hi). nra. }
  specialize (Hlip i Hi). set (d := ln (px i) - ln (py i)) in *.
  assert (D : - (l i * rho) <= d <= l i * rho) by (revert Hlip; unfold Rabs; destruct Rcase_abs; lra).
  assert (E : Rabs (post_x i - post_y i) <= C * prior i) by (unfold Rabs; destruct Rcase_abs; lra).
  apply Rle_trans with (Rabs (post_x i - post_y i) * Rabs d).
  { rewrite <- Rabs_mult. apply Rle_abs. }
  apply Rmult_le_compat; [apply Rabs_pos|apply Rabs_pos|assumption|assumption].
Qed.
End Mean.
End Pair.

(** ** Variation from the sum of both divergences *)
Lemma log_lower u : 1 <= u -> 2 * (u - 1) / (u + 1) <= ln u.
Proof.
  intros Hu. set (f := fun u => ln u - 2 * (u - 1) / (u + 1)).
  destruct (MVT_gen f 1 u (fun t => (t - 1) * (t - 1) / (t * ((t + 1) * (t + 1))))) as (d & Hd & E).
  - intros t Ht. rewrite Rmin_left, Rmax_right in Ht by lra. unfold f. auto_derive; [lra|]. field. lra.
  - intros t Ht. rewrite Rmin_left, Rmax_right in Ht by lra. apply continuity_pt_filterlim.
    apply (ex_derive_continuous f). unfold f. auto_derive. lra.
  - rewrite Rmin_left, Rmax_right in Hd by lra.
    assert (F1 : f 1 = 0) by (unfold f; rewrite ln_1; field).
    assert (0 <= (d - 1) * (d - 1) / (d * ((d + 1) * (d + 1)))).
    { apply Rmult_le_pos; [nra|]. left. apply Rinv_0_lt_compat. nra. }
    assert (0 <= f u) by nra. unfold f in *. lra.
Qed.

Lemma log_product a b : 0 < a -> 0 < b -> 2 * ((a - b) * (a - b)) / (a + b) <= (a - b) * ln (a / b).
Proof.
  intros Ha Hb. assert (K : forall a b, 0 < b -> b <= a -> 2 * ((a - b) * (a - b)) / (a + b) <= (a - b) * ln (a / b)).
  { clear. intros a b Hb H. assert (W := log_lower (a / b)). assert (1 <= a / b) by (apply Rle_div_r; lra).
    specialize (W H0). replace (2 * (a / b - 1) / (a / b + 1)) with (2 * (a - b) / (a + b)) in W by (field; lra).
    replace (2 * ((a - b) * (a - b)) / (a + b)) with ((a - b) * (2 * (a - b) / (a + b))) by (field; lra).
    apply Rmult_le_compat_l; lra. }
  destruct (Rle_lt_dec b a) as [L|L]; [apply K; assumption|].
  assert (W := K b a Ha (Rlt_le _ _ L)). rewrite ln_div in * by assumption.
  replace (2 * ((a - b) * (a - b)) / (a + b)) with (2 * ((b - a) * (b - a)) / (b + a)) by (field; lra). nra.
Qed.

(** The square of twice the total variation is at most the sum of the two divergences. *)
Theorem variation_of_jeffreys n p q A : positive_law n p -> positive_law n q ->
  Rabs (Prob n p A - Prob n q A) <= / 2 * sqrt (jeffreys n p q).
Proof.
  intros Hp Hq. destruct Hp as [P0 P1], Hq as [Q0 Q1].
  set (D := Sum n (fun i => Rabs (p i - q i))).
  assert (T : 2 * Rabs (Prob n p A - Prob n q A) <= D).
  { assert (E : forall s, s = 1 \/ s = -1 -> 2 * (s * (Prob n p A - Prob n q A)) <= D).
    { intros s Hs. unfold D. apply Rle_trans with
        (Sum n (fun i => 2 * (s * (p i * ind A i - q i * ind A i)) - s * (p i - q i))).
      - rewrite Sum_minus, !Sum_scal, !Sum_minus, P1, Q1. unfold Prob. lra.
      - apply Sum_le; intros i _. unfold ind. destruct (A i), Hs as [-> | ->];
          unfold Rabs; destruct Rcase_abs; lra. }
    assert (E1 := E 1 ltac:(left; lra)). assert (E2 := E (-1) ltac:(right; lra)).
    unfold Rabs; destruct Rcase_abs; lra. }
  assert (J : D * D <= jeffreys n p q).
  { (* a Cauchy-Schwarz inequality with the weights p + q, which sum to 2 *)
    assert (V : forall t, 0 <= t -> 2 * t * D - t * t <= jeffreys n p q).
    { intros t Ht. rewrite jeffreys_sum by assumption.
      apply Rle_trans with (Sum n (fun i => 2 * t * Rabs (p i - q i) - t * t / 2 * (p i + q i))).
      - rewrite Sum_minus, !Sum_scal, Sum_plus, P1, Q1. fold D. lra.
      - apply Sum_le; intros i Hi. specialize (P0 i Hi). specialize (Q0 i Hi).
        eapply Rle_trans; [|apply log_product; assumption].
        apply Rle_div_r; [lra|]. set (s := p i + q i) in *.
        assert (R2 : (p i - q i) * (p i - q i) = Rabs (p i - q i) * Rabs (p i - q i)).
        { unfold Rabs; destruct Rcase_abs; ring. }
        rewrite R2. set (r := Rabs (p i - q i)). assert (Z := Rle_0_sqr (2 * r - t * s)). unfold Rsqr in Z. nra. }
    assert (D0 : 0 <= D) by (apply Sum_nonneg; intros; apply Rabs_pos). specialize (V D D0). lra. }
  assert (D0 : 0 <= D) by (apply Sum_nonneg; intros; apply Rabs_pos).
  assert (R : D <= sqrt (jeffreys n p q)).
  { rewrite <- (sqrt_square D) by assumption. apply sqrt_le_1_alt. assumption. }
  lra.
Qed.

Theorem posterior_variation_mean N prior px py l rho C A :
  positive_law N prior -> (forall i, (i < N)%nat -> 0 < px i) -> (forall i, (i < N)%nat -> 0 < py i) -> 0 <= rho ->
  (forall i, (i < N)%nat -> Rabs (ln (px i) - ln (py i)) <= l i * rho) ->
  (forall i, (i < N)%nat -> px i <= C * evidence N prior px) ->
  (forall i, (i < N)%nat -> py i <= C * evidence N prior py) ->
  Rabs (Prob N (posterior N prior px) A - Prob N (posterior N prior py) A) <=
  / 2 * sqrt (C * Sum N (fun i => prior i * l i) * rho).
Proof.
  intros Hprior Hx Hy Hrho Hl Cx Cy.
  eapply Rle_trans; [apply variation_of_jeffreys; apply posterior_positive; assumption|].
  apply Rmult_le_compat_l; [lra|]. apply sqrt_le_1_alt. apply posterior_jeffreys; assumption.
Qed.

(** ** Under a Lipschitz constant L at distance rho the width is 2 L rho *)
Section Lipschitz.
Variables (N : nat) (prior px py : nat -> R) (L rho : R).
Hypothesis Hprior : positive_law N prior.
Hypothesis Hx : forall i, (i < N)%nat -> 0 < px i.
Hypothesis Hy : forall i, (i < N)%nat -> 0 < py i.
Hypothesis Hlip : forall i, (i < N)%nat -> Rabs (ln (px i) - ln (py i)) <= L * rho.

Lemma lipschitz_range i : (i < N)%nat -> - (L * rho) <= ln (px i) - ln (py i) <= - (L * rho) + 2 * L * rho.
Proof. intros Hi. specialize (Hlip i Hi). revert Hlip. unfold Rabs; destruct Rcase_abs; lra. Qed.

Theorem lipschitz_factor A :
  Prob N (posterior N prior px) A <= exp (2 * L * rho) * Prob N (posterior N prior py) A.
Proof. apply posterior_factor with (- (L * rho)); auto using lipschitz_range. Qed.

Theorem lipschitz_draws_factor k A :
  Prob (histories N k) (draws N (posterior N prior px) k) A <=
  exp (INR k * (2 * L * rho)) * Prob (histories N k) (draws N (posterior N prior py) k) A.
Proof. apply posterior_draws_factor with (- (L * rho)); auto using lipschitz_range. Qed.

Theorem lipschitz_divergence :
  kullback_leibler N (posterior N prior px) (posterior N prior py) <= 2 * L * rho.
Proof. apply posterior_divergence with (- (L * rho)); auto using lipschitz_range. Qed.

Theorem lipschitz_divergence_squared :
  kullback_leibler N (posterior N prior px) (posterior N prior py) <= / 2 * ((L * rho) * (L * rho)).
Proof.
  replace (/ 2 * ((L * rho) * (L * rho))) with (2 * L * rho * (2 * L * rho) / 8) by field.
  apply posterior_divergence_squared with (- (L * rho)); auto using lipschitz_range.
Qed.

Theorem lipschitz_draws_concentrated k :
  zcdp (/ 2 * INR k * ((L * rho) * (L * rho))) (histories N k)
    (draws N (posterior N prior px) k) (draws N (posterior N prior py) k).
Proof.
  replace (/ 2 * INR k * ((L * rho) * (L * rho))) with (INR k * (2 * L * rho * (2 * L * rho) / 8)) by field.
  apply posterior_draws_concentrated with (- (L * rho)); auto using lipschitz_range.
Qed.
End Lipschitz.
