(** * The least squared Hellinger distance, whatever is published

    Let the counts 0..n have weights, and distributions on finitely many parameters with a monotone likelihood ratio. A
    root mean is the square of a weighted sum of the square roots of these distributions, divided by its total. Proved:
    no private mechanism with finitely many outputs, whatever distribution it publishes for each of them, has a smaller
    weighted mean of the squared Hellinger distance between the distribution of the count and the published
    distribution than the geometric mechanism that publishes root means.

    Left abstract: the distributions of the counts. [optimum.root_mean_beta] is about posteriors. *)
From Coq Require Import Reals Lra Lia PeanoNat.
From DPBI Require Import basics.sums mechanisms.geometric optimum.losses optimum.cuts optimum.affinities.
Open Scope R_scope.

Definition squared_hellinger (T : nat) (f g : nat -> R) : R := / 2 * Sum T (fun t => (sqrt (f t) - sqrt (g t)) ^ 2).

(** The distribution that is published for an output whose weighted likelihoods are v: the root mean of the
    distributions f. *)
Definition root_sum (n : nat) (f : nat -> nat -> R) (v : nat -> R) (t : nat) : R := Sum (S n) (fun x => v x * sqrt (f x t)).
Definition root_mean (n T : nat) (f : nat -> nat -> R) (v : nat -> R) (t : nat) : R :=
  root_sum n f v t ^ 2 / Sum T (fun t => root_sum n f v t ^ 2).

Lemma hellinger_affinity T f g : law T f -> law T g ->
  squared_hellinger T f g = 1 - Sum T (fun t => sqrt (f t) * sqrt (g t)).
Proof.
  intros [F0 F1] [G0 G1]. unfold squared_hellinger.
  rewrite (Sum_ext T _ (fun t => f t + g t - 2 * (sqrt (f t) * sqrt (g t)))).
  - rewrite Sum_minus, Sum_plus, Sum_scal, F1, G1. field.
  - intros t Ht. rewrite <- (sqrt_sqrt (f t)) at 2 by (apply F0, Ht). rewrite <- (sqrt_sqrt (g t)) at 2 by (apply G0, Ht). ring.
Qed.

Section Laws.
Variables (n T : nat) (f : nat -> nat -> R).
Hypothesis Hf : forall x, (x <= n)%nat -> law T (f x).
(** Larger counts make larger parameters more likely: a monotone likelihood ratio. *)
Hypothesis Hratio : forall x z, (x < z)%nat -> (z <= n)%nat -> before T (f x) (f z).

Let M (x z : nat) : R := dot T (fun t => sqrt (f x t)) (fun t => sqrt (f z t)).

Lemma roots_ordered x z : (x < z)%nat -> (z <= n)%nat -> before T (fun t => sqrt (f x t)) (fun t => sqrt (f z t)).
Proof.
  intros Hx Hz i k Hi Hk. rewrite <- !sqrt_mult by (apply Hf; lia). apply sqrt_le_1_alt, Hratio; assumption.
Qed.

Lemma laws_ordered : ordered_affinities (S n) M.
Proof.
  split; [|split].
  - intros i k. apply Sum_ext. intros; ring.
  - intros. apply dot_nonneg; intros; apply sqrt_pos.
  - intros i j Hi Hj k l Hk Hl. unfold M.
    assert (W := cauchy_binet T _ _ _ _ (roots_ordered i j Hi ltac:(lia)) (roots_ordered k l Hk ltac:(lia))). lra.
Qed.

Lemma form_laws v : form (S n) M v v = Sum T (fun t => root_sum n f v t ^ 2).
Proof.
  unfold form, M, dot.
  rewrite (Sum_ext (S n) _ (fun x => Sum T (fun t => root_sum n f v t * (v x * sqrt (f x t))))).
  - rewrite Sum_swap. apply Sum_ext. intros t _. rewrite Sum_scal. unfold root_sum. ring.
  - intros x _. rewrite (Sum_ext (S n) _ (fun z => Sum T (fun t => sqrt (f x t) * (v z * sqrt (f z t))))).
    + rewrite Sum_swap, <- Sum_scal_r. apply Sum_ext. intros t _. rewrite Sum_scal. unfold root_sum. ring.
    + intros z _. rewrite <- Sum_scal_r. apply Sum_ext. intros; ring.
Qed.

(** By the Cauchy-Schwarz inequality, no distribution has a larger affinity. *)
Lemma laws_below v g : (forall x, (x < S n)%nat -> 0 <= v x) -> law T g ->
  Sum (S n) (fun x => v x * (1 - squared_hellinger T (f x) g)) <= norm (S n) M v.
Proof.
  intros Hv Hg. assert (E : Sum (S n) (fun x => v x * (1 - squared_hellinger T (f x) g)) =
    Sum T (fun t => root_sum n f v t * sqrt (g t))).
  { unfold root_sum. rewrite (Sum_ext T _ (fun t => Sum (S n) (fun x => v x * sqrt (f x t) * sqrt (g t))))
      by (intros; rewrite Sum_scal_r; reflexivity).
    rewrite Sum_swap. apply Sum_ext. intros x Hx. rewrite hellinger_affinity by (assumption || (apply Hf; lia)).
    replace (1 - (1 - Sum T (fun t => sqrt (f x t) * sqrt (g t)))) with (Sum T (fun t => sqrt (f x t) * sqrt (g t))) by ring.
    rewrite <- Sum_scal. apply Sum_ext; intros; ring. }
  rewrite E. unfold norm. rewrite form_laws. apply below_root; [apply Sum_nonneg; intros; apply pow2_ge_0|].
  intros c Hc. destruct Hg as [G0 G1].
  replace (/ c * Sum T (fun t => root_sum n f v t ^ 2) + c) with (Sum T (fun t => / c * root_sum n f v t ^ 2 + c * g t))
    by (rewrite Sum_plus, !Sum_scal, G1; ring).
  rewrite <- Sum_scal. apply Sum_le. intros t Ht. rewrite <- (sqrt_sqrt (g t)) at 2 by (apply G0, Ht).
  assert (W := product_below (root_sum n f v t) (sqrt (g t)) c Hc). simpl. lra.
Qed.

Lemma root_sum_nonneg v t : (forall x, (x < S n)%nat -> 0 <= v x) -> 0 <= root_sum n f v t.
Proof. intros Hv. apply Sum_nonneg. intros x Hx. apply Rmult_le_pos; [auto|apply sqrt_pos]. Qed.

Lemma total_pos v z : (forall x, (x < S n)%nat -> 0 <= v x) -> (z <= n)%nat -> 0 < v z ->
  0 < Sum T (fun t => root_sum n f v t ^ 2).
Proof.
  intros Hv Hz Hp. apply Rlt_le_trans with (v z ^ 2 * 1); [assert (W := pow_lt (v z) 2 Hp); lra|].
  destruct (Hf z Hz) as [F0 <-]. rewrite <- Sum_scal. apply Sum_le. intros t Ht.
  rewrite <- (sqrt_sqrt (f z t)) by (apply F0, Ht).
  replace (v z ^ 2 * (sqrt (f z t) * sqrt (f z t))) with ((v z * sqrt (f z t)) ^ 2) by ring. apply pow_incr. split.
  - apply Rmult_le_pos; [lra|apply sqrt_pos].
  - apply (Sum_term (S n) (fun x => v x * sqrt (f x t))); [|lia].
    intros x Hx. apply Rmult_le_pos; [auto|apply sqrt_pos].
Qed.

Lemma root_mean_law v z : (forall x, (x < S n)%nat -> 0 <= v x) -> (z <= n)%nat -> 0 < v z -> law T (root_mean n T f v).
Proof.
  intros Hv Hz Hp. assert (W := total_pos v z Hv Hz Hp). unfold root_mean, Rdiv. split.
  - intros t Ht. apply Rmult_le_pos; [apply pow2_ge_0|left; apply Rinv_0_lt_compat, W].
  - rewrite Sum_scal_r. field. lra.
Qed.

(** The root mean attains this affinity. *)
Lemma root_mean_reaches v z : (forall x, (x < S n)%nat -> 0 <= v x) -> (z <= n)%nat -> 0 < v z ->
  Sum (S n) (fun x => v x * (1 - squared_hellinger T (f x) (root_mean n T f v))) = norm (S n) M v.
Proof.
  intros Hv Hz Hp. assert (W := total_pos v z Hv Hz Hp). assert (L := root_mean_law v z Hv Hz Hp).
  set (N := Sum T (fun t => root_sum n f v t ^ 2)) in *.
  assert (E : forall t, sqrt (root_mean n T f v t) = root_sum n f v t * / sqrt N).
  { intros t. unfold root_mean. fold N. rewrite sqrt_div_alt by assumption. rewrite sqrt_pow2; [reflexivity|].
    apply root_sum_nonneg, Hv. }
  unfold norm. rewrite form_laws. fold N.
  transitivity (Sum T (fun t => root_sum n f v t ^ 2 * / sqrt N)).
  2:{ rewrite Sum_scal_r. fold N. rewrite <- (sqrt_sqrt N) at 1 by lra. field. apply Rgt_not_eq, sqrt_lt_R0, W. }
  rewrite (Sum_ext T _ (fun t => Sum (S n) (fun x => v x * sqrt (f x t) * (root_sum n f v t * / sqrt N)))).
  2:{ intros t _. rewrite Sum_scal_r. fold (root_sum n f v t). ring. }
  rewrite Sum_swap. apply Sum_ext. intros x Hx. rewrite hellinger_affinity by (assumption || (apply Hf; lia)).
  rewrite (Sum_ext T (fun t => v x * sqrt (f x t) * (root_sum n f v t * / sqrt N))
    (fun t => v x * (sqrt (f x t) * sqrt (root_mean n T f v t)))) by (intros; rewrite E; ring).
  rewrite Sum_scal. ring.
Qed.
End Laws.

(** No private mechanism, whatever distribution it publishes, is nearer in the mean than geometric noise followed by
    root means. *)
Theorem root_means_best eps n T (f : nat -> nat -> R) (w : nat -> R) : 0 < eps -> (0 < n)%nat ->
  (forall x, (x <= n)%nat -> law T (f x)) -> (forall x z, (x < z)%nat -> (z <= n)%nat -> before T (f x) (f z)) ->
  (forall x, (x <= n)%nat -> 0 <= w x) -> (exists x, (x <= n)%nat /\ 0 < w x) ->
  let geometric x y := geoc (exp (- eps)) n x y in
  let published y := root_mean n T f (fun x => w x * geometric x y) in
  (forall y, (y <= n)%nat -> law T (published y)) /\
  forall m (P g : nat -> nat -> R), private_finite eps n m P -> (forall o, (o <= m)%nat -> law T (g o)) ->
    Sum (S n) (fun x => w x * mean (S n) (geometric x) (fun y => squared_hellinger T (f x) (published y))) <=
    Sum (S n) (fun x => w x * mean (S m) (P x) (fun o => squared_hellinger T (f x) (g o))).
Proof.
  intros He Hn Hf Hratio Hw (z & Hz & Hp) geometric published. assert (Ha := alpha_range eps He).
  assert (G : forall x y, 0 < geometric x y) by (intros; apply geoc_pos, Ha).
  assert (V : forall y x, (x < S n)%nat -> 0 <= w x * geometric x y).
  { intros y x Hx. apply Rmult_le_pos; [apply Hw; lia|left; apply G]. }
  assert (Vz : forall y, 0 < w z * geometric z y) by (intros; apply Rmult_lt_0_compat; [assumption|apply G]).
  split; [intros y _; apply (root_mean_law n T f Hf _ z); auto|].
  intros m P g HP Hg. assert (M := laws_ordered n T f Hf Hratio).
  apply (best_if_bounded eps n m _ w P (fun x o => squared_hellinger T (f x) (g o))
    (fun x y => squared_hellinger T (f x) (published y)) He Hn M); try assumption.
  - intros x Hx. apply Hw. lia.
  - intros o Ho. apply (laws_below n T f Hf); [|apply Hg; lia].
    intros x Hx. apply Rmult_le_pos; [apply Hw; lia|]. apply HP; [lia|assumption].
  - intros y Hy. apply (root_mean_reaches n T f Hf _ z); auto.
Qed.
