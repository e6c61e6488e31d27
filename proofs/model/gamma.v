(** * The logarithm of the Gamma function

    The logarithm is defined here as Gauss's limit, for positive arguments. Proved: the limit exists; ln Gamma (1) = 0
    and ln Gamma (x + 1) = ln Gamma (x) + ln x; ln Gamma is strictly convex; and it is the only convex function with
    these two properties (Bohr and Mollerup), so it is the function that the library uses.

    Left abstract: nothing. Euler's integral is not used. *)
From Coq Require Import Reals Lra Lia PeanoNat.
From Coquelicot Require Import Coquelicot.
From DPBI Require Import basics.sums.
Open Scope R_scope.

(** ** Convexity on an interval *)
Definition convex (lo hi : R) (f : R -> R) : Prop := forall a b s, lo < a < hi -> lo < b < hi -> 0 <= s <= 1 ->
  f ((1 - s) * a + s * b) <= (1 - s) * f a + s * f b.
Definition strictly_convex (lo hi : R) (f : R -> R) : Prop := forall a b s, lo < a -> a < b -> b < hi -> 0 < s < 1 ->
  f ((1 - s) * a + s * b) < (1 - s) * f a + s * f b.

(** Convex on all positive numbers. *)
Definition convex_positive (f : R -> R) : Prop := forall a b s, 0 < a -> 0 < b -> 0 <= s <= 1 ->
  f ((1 - s) * a + s * b) <= (1 - s) * f a + s * f b.

Lemma ln_below t : 0 < t -> ln t <= t - 1.
Proof.
  intros H. destruct (Req_dec (ln t) 0) as [E|E].
  - assert (t = 1) by (rewrite <- (exp_ln t), E, exp_0 by assumption; reflexivity). subst. rewrite ln_1. lra.
  - assert (W := exp_ineq1 _ E). rewrite exp_ln in W by assumption. lra.
Qed.

Lemma ln_below_strict t : 0 < t -> t <> 1 -> ln t < t - 1.
Proof.
  intros H N. assert (E : ln t <> 0).
  { intros E. apply N. rewrite <- (exp_ln t), E, exp_0 by assumption. reflexivity. }
  assert (W := exp_ineq1 _ E). rewrite exp_ln in W by assumption. lra.
Qed.

Lemma ln_concave a b s : 0 < a -> 0 < b -> 0 <= s <= 1 -> (1 - s) * ln a + s * ln b <= ln ((1 - s) * a + s * b).
Proof.
  intros Ha Hb Hs. set (m := (1 - s) * a + s * b). assert (Hm : 0 < m) by (unfold m; nra).
  assert (A := ln_below (a / m) ltac:(apply Rdiv_lt_0_compat; assumption)).
  assert (B := ln_below (b / m) ltac:(apply Rdiv_lt_0_compat; assumption)).
  rewrite ln_div in A, B by assumption.
  assert (E : (1 - s) * (a / m - 1) + s * (b / m - 1) = 0).
  { replace ((1 - s) * (a / m - 1) + s * (b / m - 1)) with (((1 - s) * a + s * b - m) / m) by (field; lra).
    unfold m. field. fold m. lra. }
  nra.
Qed.

Lemma ln_strictly_concave a b s : 0 < a -> a < b -> 0 < s < 1 ->
  (1 - s) * ln a + s * ln b < ln ((1 - s) * a + s * b).
Proof.
  intros Ha Hab Hs. set (m := (1 - s) * a + s * b). assert (Hm : a < m) by (unfold m; nra).
  assert (N : a / m <> 1).
  { intros E. assert (a = m); [|lra]. replace a with (a / m * m) by (field; lra). rewrite E. ring. }
  assert (A := ln_below_strict (a / m) ltac:(apply Rdiv_lt_0_compat; lra) N).
  assert (B := ln_below (b / m) ltac:(apply Rdiv_lt_0_compat; lra)).
  rewrite ln_div in A, B by lra.
  assert (E : (1 - s) * (a / m - 1) + s * (b / m - 1) = 0).
  { replace ((1 - s) * (a / m - 1) + s * (b / m - 1)) with (((1 - s) * a + s * b - m) / m) by (field; lra).
    unfold m. field. fold m. lra. }
  nra.
Qed.

(** ** Gauss's limit *)
Definition gauss (x : R) (n : nat) : R :=
  x * ln (INR (S n)) + Sum n (fun k => ln (INR (S k))) - Sum (S n) (fun k => ln (x + INR k)).
Definition ln_gamma (x : R) : R := real (Lim_seq (gauss x)).

Lemma pos_S n : 0 < INR (S n).
Proof. apply lt_0_INR. lia. Qed.

Lemma gauss_step x n : gauss x (S n) - gauss x n =
  x * (ln (INR (S n) + 1) - ln (INR (S n))) - (ln (x + INR (S n)) - ln (INR (S n))).
Proof. unfold gauss. rewrite (S_INR (S n)), !Sum_last. ring. Qed.

Lemma ln_increment m y : 0 < m -> 0 <= y -> y / (m + y) <= ln (m + y) - ln m <= y / m.
Proof.
  intros Hm Hy. split.
  - assert (A := ln_below (m / (m + y)) ltac:(apply Rdiv_lt_0_compat; lra)). rewrite ln_div in A by lra.
    replace (y / (m + y)) with (1 - m / (m + y)) by (field; lra). lra.
  - assert (A := ln_below ((m + y) / m) ltac:(apply Rdiv_lt_0_compat; lra)). rewrite ln_div in A by lra.
    replace (y / m) with ((m + y) / m - 1) by (field; lra). lra.
Qed.

Lemma gauss_step_bound x n : 0 < x ->
  Rabs (gauss x (S n) - gauss x n) <= (x + 2 * x * x) * (/ INR (S n) - / INR (S (S n))).
Proof.
  intros Hx. rewrite gauss_step, (S_INR (S n)). set (m := INR (S n)).
  assert (Hm : 1 <= m) by (unfold m; rewrite S_INR; assert (W := pos_INR n); lra).
  assert (A := ln_increment m 1 ltac:(lra) ltac:(lra)). assert (B := ln_increment m x ltac:(lra) ltac:(lra)).
  rewrite (Rplus_comm m x) in B.
  replace ((x + 2 * x * x) * (/ m - / (m + 1))) with (x / (m * (m + 1)) + 2 * x * x / (m * (m + 1))) by (field; lra).
  assert (C1 : x * (1 / (m + 1)) - x / m = - (x / (m * (m + 1)))) by (field; lra).
  assert (C2 : x * (1 / m) - x / (x + m) = x * x / (m * (x + m))) by (field; lra).
  assert (C3 : x * x / (m * (x + m)) <= 2 * x * x / (m * (m + 1))).
  { apply Rle_div_l; [nra|]. replace (2 * x * x / (m * (m + 1)) * (m * (x + m))) with (x * x * (2 * (x + m) / (m + 1))) by (field; lra).
    rewrite <- (Rmult_1_r (x * x)) at 1. apply Rmult_le_compat_l; [nra|]. apply Rle_div_r; lra. }
  assert (D1 : 0 <= x / (m * (m + 1))) by (apply Rlt_le, Rdiv_lt_0_compat; nra).
  assert (D2 : 0 <= 2 * x * x / (m * (m + 1))) by (apply Rlt_le, Rdiv_lt_0_compat; nra).
  assert (E1 : x * (1 / (m + 1)) <= x * (ln (m + 1) - ln m) <= x * (1 / m)) by (split; apply Rmult_le_compat_l; lra).
  unfold Rabs; destruct Rcase_abs; lra.
Qed.

Lemma inv_lim : is_lim_seq (fun n => / INR (S n)) 0.
Proof.
  apply (is_lim_seq_incr_1 (fun n => / INR n)).
  replace (Finite 0) with (Rbar_inv p_infty) by reflexivity. apply is_lim_seq_inv; [apply is_lim_seq_INR|discriminate].
Qed.

Theorem gauss_converges x : 0 < x -> is_lim_seq (gauss x) (ln_gamma x).
Proof.
  intros Hx. set (C := x + 2 * x * x). assert (HC : 0 < C) by (unfold C; nra).
  assert (St : forall n, - (C * / INR (S n) - C * / INR (S (S n))) <= gauss x (S n) - gauss x n
    <= C * / INR (S n) - C * / INR (S (S n))).
  { intros n. assert (W := gauss_step_bound x n Hx). fold C in W. rewrite Rmult_minus_distr_l in W.
    revert W. unfold Rabs; destruct Rcase_abs; lra. }
  assert (Low : forall n, gauss x 0 - C <= gauss x n - C * / INR (S n)).
  { induction n; [simpl; lra|]. specialize (St n). lra. }
  assert (P : forall n, 0 < / INR (S n)) by (intros; apply Rinv_0_lt_compat, pos_S).
  assert (L : ex_finite_lim_seq (fun n => gauss x n + C * / INR (S n))).
  { apply (ex_finite_lim_seq_decr _ (gauss x 0 - C)).
    - intros n. specialize (St n). lra.
    - intros n. specialize (Low n). specialize (P n). nra. }
  destruct L as [l L].
  assert (Z : is_lim_seq (fun n => C * / INR (S n)) 0).
  { replace 0 with (C * 0) by ring. apply (is_lim_seq_scal_l _ C 0), inv_lim. }
  assert (G : is_lim_seq (gauss x) l).
  { apply (is_lim_seq_ext (fun n => gauss x n + C * / INR (S n) - C * / INR (S n))); [intros; ring|].
    replace l with (l - 0) by ring. apply is_lim_seq_minus'; assumption. }
  unfold ln_gamma. rewrite (is_lim_seq_unique _ _ G). exact G.
Qed.

Theorem ln_gamma_1 : ln_gamma 1 = 0.
Proof.
  assert (L := gauss_converges 1 ltac:(lra)).
  assert (E : forall n, gauss 1 n = 0).
  { intros n. unfold gauss. rewrite Sum_last, (Sum_ext n (fun k => ln (1 + INR k)) (fun k => ln (INR (S k)))).
    - rewrite (S_INR n), (Rplus_comm 1). ring.
    - intros k _. rewrite S_INR, Rplus_comm. reflexivity. }
  apply (is_lim_seq_ext _ (fun _ => 0)) in L; [|exact E]. apply is_lim_seq_unique in L.
  rewrite Lim_seq_const in L. inversion L as [W]. congruence.
Qed.

Lemma gauss_next x n : gauss (x + 1) n = gauss x n + ln x - (ln (INR (S n) + x) - ln (INR (S n))).
Proof.
  unfold gauss. rewrite (Sum_first n (fun k => ln (x + INR k))). simpl (INR 0). rewrite Rplus_0_r.
  rewrite (Sum_ext n (fun i => ln (x + INR (S i))) (fun k => ln (x + 1 + INR k))).
  2:{ intros i _. rewrite S_INR. f_equal. ring. }
  rewrite Sum_last. replace (x + 1 + INR n) with (INR (S n) + x) by (rewrite S_INR; ring). ring.
Qed.

Theorem ln_gamma_next x : 0 < x -> ln_gamma (x + 1) = ln_gamma x + ln x.
Proof.
  intros Hx. assert (A := gauss_converges (x + 1) ltac:(lra)). assert (B := gauss_converges x Hx).
  assert (Z : is_lim_seq (fun n => ln (INR (S n) + x) - ln (INR (S n))) 0).
  { apply (is_lim_seq_le_le (fun _ => 0) _ (fun n => x * / INR (S n))).
    - intros n. assert (W := ln_increment (INR (S n)) x (pos_S n) ltac:(lra)). assert (P := pos_S n). split; [|apply W].
      assert (0 <= x / (INR (S n) + x)) by (apply Rlt_le, Rdiv_lt_0_compat; lra). lra.
    - apply is_lim_seq_const.
    - replace 0 with (x * 0) by ring. apply (is_lim_seq_scal_l _ x 0), inv_lim. }
  assert (E : is_lim_seq (gauss (x + 1)) (ln_gamma x + ln x - 0)).
  { apply (is_lim_seq_ext (fun n => gauss x n + ln x - (ln (INR (S n) + x) - ln (INR (S n))))).
    - intros n. symmetry. apply gauss_next.
    - apply is_lim_seq_minus'; [|exact Z]. apply is_lim_seq_plus'; [exact B|apply is_lim_seq_const]. }
  apply is_lim_seq_unique in A, E. rewrite A in E. inversion E. lra.
Qed.

(** ** Convexity: all terms but [- ln x] are convex, and that one strictly *)
Lemma gauss_rest_convex n a b s : 0 < a -> 0 < b -> 0 <= s <= 1 ->
  gauss ((1 - s) * a + s * b) n + ln ((1 - s) * a + s * b) <= (1 - s) * (gauss a n + ln a) + s * (gauss b n + ln b).
Proof.
  intros Ha Hb Hs. unfold gauss. rewrite !Sum_first. simpl (INR 0). rewrite !Rplus_0_r.
  assert (C : Sum n (fun i => (1 - s) * ln (a + INR (S i)) + s * ln (b + INR (S i))) <=
    Sum n (fun i => ln ((1 - s) * a + s * b + INR (S i)))).
  { apply Sum_le; intros i _. assert (P := pos_S i).
    replace ((1 - s) * a + s * b + INR (S i)) with ((1 - s) * (a + INR (S i)) + s * (b + INR (S i))) by ring.
    apply ln_concave; lra. }
  rewrite Sum_plus, !Sum_scal in C. lra.
Qed.

Lemma rest_convex a b s : 0 < a -> 0 < b -> 0 <= s <= 1 ->
  ln_gamma ((1 - s) * a + s * b) + ln ((1 - s) * a + s * b) <= (1 - s) * (ln_gamma a + ln a) + s * (ln_gamma b + ln b).
Proof.
  intros Ha Hb Hs. assert (Hm : 0 < (1 - s) * a + s * b) by nra.
  assert (W : Rbar_le (ln_gamma ((1 - s) * a + s * b) + ln ((1 - s) * a + s * b))
    ((1 - s) * (ln_gamma a + ln a) + s * (ln_gamma b + ln b))); [|exact W].
  apply (is_lim_seq_le (fun n => gauss ((1 - s) * a + s * b) n + ln ((1 - s) * a + s * b))
    (fun n => (1 - s) * (gauss a n + ln a) + s * (gauss b n + ln b))).
  - intros n. apply gauss_rest_convex; assumption.
  - apply is_lim_seq_plus'; [apply gauss_converges; assumption|apply is_lim_seq_const].
  - apply is_lim_seq_plus'.
    + apply (is_lim_seq_scal_l _ (1 - s) (ln_gamma a + ln a)), is_lim_seq_plus';
        [apply gauss_converges; assumption|apply is_lim_seq_const].
    + apply (is_lim_seq_scal_l _ s (ln_gamma b + ln b)), is_lim_seq_plus';
        [apply gauss_converges; assumption|apply is_lim_seq_const].
Qed.

Theorem ln_gamma_convex : convex_positive ln_gamma.
Proof.
  intros a b s Ha Hb Hs. assert (A := rest_convex a b s Ha Hb Hs). assert (B := ln_concave a b s Ha Hb Hs). lra.
Qed.

Theorem ln_gamma_strictly_convex a b s : 0 < a -> a < b -> 0 < s < 1 ->
  ln_gamma ((1 - s) * a + s * b) < (1 - s) * ln_gamma a + s * ln_gamma b.
Proof.
  intros Ha Hab Hs. assert (A := rest_convex a b s Ha ltac:(lra) ltac:(lra)).
  assert (B := ln_strictly_concave a b s Ha Hab Hs). lra.
Qed.

(** ** Uniqueness *)
Section Unique.
Variable f : R -> R.
Hypothesis f_1 : f 1 = 0.
Hypothesis f_next : forall x, 0 < x -> f (x + 1) = f x + ln x.
Hypothesis f_convex : convex_positive f.

Lemma f_shift x n : 0 < x -> f (x + INR n) = f x + Sum n (fun k => ln (x + INR k)).
Proof.
  intros Hx. induction n; [simpl; rewrite !Rplus_0_r; reflexivity|].
  rewrite S_INR, <- Rplus_assoc, f_next, IHn by (assert (W := pos_INR n); lra). simpl. ring.
Qed.

Lemma f_integer n : f (INR (S n)) = Sum n (fun k => ln (INR (S k))).
Proof.
  rewrite S_INR, Rplus_comm, f_shift, f_1 by lra. rewrite Rplus_0_l. apply Sum_ext; intros k _.
  rewrite S_INR, Rplus_comm. reflexivity.
Qed.

(** Between integers the slopes lie between those of the adjacent chords. *)
Lemma f_between x n : 0 < x <= 1 ->
  gauss x n - (ln (x + INR (S n)) - ln (INR (S n))) <= f x <= gauss x n.
Proof.
  intros Hx. assert (P := pos_S n). set (m := INR (S n)) in *.
  assert (F1 : f (m + 1) = f m + ln m) by (apply f_next; assumption).
  assert (Fx : f (x + m) = f x + Sum (S n) (fun k => ln (x + INR k))) by (apply f_shift; lra).
  assert (Fm : f m = Sum n (fun k => ln (INR (S k)))) by apply f_integer.
  assert (U : f (x + m) <= (1 - x) * f m + x * f (m + 1)).
  { assert (W := f_convex m (m + 1) x ltac:(lra) ltac:(lra) ltac:(lra)).
    replace ((1 - x) * m + x * (m + 1)) with (x + m) in W by ring. exact W. }
  assert (V : f (m + 1) <= (1 - / (1 + x)) * f m + / (1 + x) * f (m + 1 + x)).
  { assert (I : 0 < / (1 + x) <= 1).
    { split; [apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1 at 2. apply Rinv_le_contravar; lra. }
    assert (W := f_convex m (m + 1 + x) (/ (1 + x)) ltac:(lra) ltac:(lra) ltac:(lra)).
    replace ((1 - / (1 + x)) * m + / (1 + x) * (m + 1 + x)) with (m + 1) in W by (field; lra). exact W. }
  replace (m + 1 + x) with (x + m + 1) in V by ring. rewrite (f_next (x + m)) in V by lra.
  assert (V2 : (1 + x) * f (m + 1) <= x * f m + (f (x + m) + ln (x + m))).
  { apply Rmult_le_compat_l with (r := 1 + x) in V; [|lra].
    replace ((1 + x) * ((1 - / (1 + x)) * f m + / (1 + x) * (f (x + m) + ln (x + m))))
      with (x * f m + (f (x + m) + ln (x + m))) in V by (field; lra). exact V. }
  unfold gauss. fold m. rewrite <- Fm. split; nra.
Qed.
Lemma unique_to_one x : 0 < x <= 1 -> f x = ln_gamma x.
Proof.
  intros Hx. assert (G := gauss_converges x ltac:(lra)).
  assert (Z : is_lim_seq (fun n => ln (x + INR (S n)) - ln (INR (S n))) 0).
  { apply (is_lim_seq_le_le (fun _ => 0) _ (fun n => x * / INR (S n))).
    - intros n. assert (P := pos_S n). assert (W := ln_increment (INR (S n)) x P ltac:(lra)).
      rewrite (Rplus_comm x). split; [|apply W].
      assert (0 <= x / (INR (S n) + x)) by (apply Rlt_le, Rdiv_lt_0_compat; lra). lra.
    - apply is_lim_seq_const.
    - replace 0 with (x * 0) by ring. apply (is_lim_seq_scal_l _ x 0), inv_lim. }
  assert (S : is_lim_seq (fun _ => f x) (ln_gamma x)).
  { apply (is_lim_seq_le_le (fun n => gauss x n - (ln (x + INR (S n)) - ln (INR (S n)))) _ (gauss x)).
    - intros n. apply f_between; assumption.
    - replace (ln_gamma x) with (ln_gamma x - 0) by ring. apply is_lim_seq_minus'; assumption.
    - exact G. }
  apply is_lim_seq_unique in S. rewrite Lim_seq_const in S. inversion S. reflexivity.
Qed.

Theorem ln_gamma_unique x : 0 < x -> f x = ln_gamma x.
Proof.
  intros Hx. assert (K : forall n x, 0 < x <= INR n + 1 -> f x = ln_gamma x).
  { clear x Hx. induction n as [|n IH]; intros x Hx; [apply unique_to_one; simpl in Hx; lra|].
    destruct (Rle_lt_dec x 1) as [L|L]; [apply unique_to_one; lra|]. rewrite S_INR in Hx.
    replace x with (x - 1 + 1) by ring. rewrite f_next, ln_gamma_next, IH by lra. reflexivity. }
  destruct (nfloor_ex x ltac:(lra)) as [n [_ Hn]]. apply (K n). lra.
Qed.
End Unique.
