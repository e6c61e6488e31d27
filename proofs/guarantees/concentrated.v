(** * Concentrated privacy of a bounded range

    Proved: if the log ratio of two distributions stays in an interval of width w, their Rényi divergence of every
    order a > 1 is at most a w^2 / 8, and their Kullback-Leibler divergence is at most w^2 / 8. The Rényi divergences
    of several steps add up, so N draws are N w^2 / 8-zCDP, and a mechanism that is eps-private is eps^2 / 2-zCDP.

    Left abstract: nothing but the outputs, of which there are finitely many, all with positive probability. *)
From Coq Require Import Reals Lra Lia PeanoNat.
From Coquelicot Require Import Coquelicot.
From DPBI Require Import basics.sums guarantees.composition.
Open Scope R_scope.

Definition positive_law (n : nat) (p : nat -> R) : Prop := (forall i, (i < n)%nat -> 0 < p i) /\ Sum n p = 1.

(** Rényi divergence of order a. *)
Definition renyi (a : R) (n : nat) (p q : nat -> R) : R :=
  / (a - 1) * ln (Sum n (fun i => Rpower (p i) a * Rpower (q i) (1 - a))).
Definition kullback_leibler (n : nat) (p q : nat -> R) : R := Sum n (fun i => p i * ln (p i / q i)).
Definition zcdp (rho : R) (n : nat) (p q : nat -> R) : Prop := forall a, 1 < a -> renyi a n p q <= rho * a.
Definition zcdp_mechanism {D} (neighbour : D -> D -> Prop) rho n (M : D -> nat -> R) : Prop :=
  forall x y, neighbour x y -> zcdp rho n (M x) (M y).

Lemma positive_is_law n p : positive_law n p -> law n p.
Proof. intros [H0 H1]. split; [intros; left; apply H0; assumption|assumption]. Qed.

(** A tactic that proves a derivative, up to the form in which its value is written. *)
Lemma is_derive_eq (f : R -> R) (x l l' : R) : is_derive f x l -> l = l' -> is_derive f x l'.
Proof. intros H <-. exact H. Qed.

Section Range.
Variables (n : nat) (p q : nat -> R) (lo w : R).
Hypothesis Hp : positive_law n p.
Hypothesis Hq : positive_law n q.
Let L i := ln (p i / q i).
Hypothesis HL : forall i, (i < n)%nat -> lo <= L i <= lo + w.

(** Moments of the log ratio under the exponential tilt from q to p and beyond. *)
Definition moment (k : nat) (t : R) : R := Sum n (fun i => q i * L i ^ k * exp (t * L i)).

Lemma moment_derive k t : is_derive (moment k) t (moment (S k) t).
Proof.
  unfold moment. clear Hp Hq HL. induction n as [|m IH]; simpl.
  - apply (is_derive_const 0 t).
  - apply (is_derive_plus (fun t => Sum m (fun i => q i * L i ^ k * exp (t * L i)))
      (fun t => q m * L m ^ k * exp (t * L m))).
    + exact IH.
    + auto_derive; [trivial|]. ring.
Qed.

Lemma moment_pos t : 0 < moment 0 t.
Proof.
  unfold moment. destruct Hq as [Q0 Q1]. apply Sum_pos.
  - destruct n; [simpl in Q1; lra|lia].
  - intros i Hi. simpl. rewrite Rmult_1_r. apply Rmult_lt_0_compat; [apply Q0; assumption|apply exp_pos].
Qed.

Lemma tilt i t : (i < n)%nat -> q i * exp (t * L i) = Rpower (p i) t * Rpower (q i) (1 - t).
Proof.
  intros Hi. destruct Hp as [P0 _], Hq as [Q0 _]. specialize (P0 i Hi). specialize (Q0 i Hi).
  unfold L, Rpower. rewrite ln_div by assumption. rewrite <- (exp_ln (q i)) at 1 by assumption.
  rewrite <- !exp_plus. f_equal. ring.
Qed.

Lemma moment_0 : moment 0 0 = 1.
Proof.
  unfold moment. destruct Hq as [_ <-]. apply Sum_ext; intros i _. rewrite Rmult_0_l, exp_0. simpl. ring.
Qed.

Lemma moment_1 : moment 0 1 = 1.
Proof.
  unfold moment. destruct Hp as [P0 P1]. transitivity (Sum n p); [|exact P1]. apply Sum_ext; intros i Hi. simpl. rewrite Rmult_1_r.
  rewrite tilt by assumption. replace (1 - 1) with 0 by ring. destruct Hq as [Q0 _].
  rewrite Rpower_1, Rpower_O by auto. ring.
Qed.

(** The variance under the tilted distribution is at most w^2 / 4. *)
Lemma variance t : moment 2 t * moment 0 t - moment 1 t * moment 1 t <= w * w / 4 * (moment 0 t * moment 0 t).
Proof.
  assert (P := moment_pos t). set (c := lo + w / 2).
  assert (V : moment 2 t - 2 * c * moment 1 t + c * c * moment 0 t <= w * w / 4 * moment 0 t).
  { unfold moment. rewrite <- !Sum_scal, <- Sum_minus, <- Sum_plus. apply Sum_le; intros i Hi.
    assert (E := exp_pos (t * L i)). destruct Hq as [Q0 _]. specialize (Q0 i Hi). specialize (HL i Hi).
    simpl. assert (W : 0 < q i * exp (t * L i)) by (apply Rmult_lt_0_compat; assumption).
    assert (U : (L i - c) * (L i - c) <= w * w / 4) by (unfold c; nra). nra. }
  assert (Q := Rle_0_sqr (moment 1 t - c * moment 0 t)). unfold Rsqr in Q. nra.
Qed.

Let gap t := ln (moment 0 t) - t * (t - 1) * (w * w / 8).
Let slope t := moment 1 t / moment 0 t - (2 * t - 1) * (w * w / 8).
Let bend t := (moment 2 t * moment 0 t - moment 1 t * moment 1 t) / (moment 0 t * moment 0 t) - w * w / 4.

Lemma gap_derive t : is_derive gap t (slope t).
Proof.
  assert (P := moment_pos t). apply (is_derive_minus (fun t => ln (moment 0 t)) (fun t => t * (t - 1) * (w * w / 8))).
  - eapply is_derive_eq; [apply (is_derive_comp ln (moment 0)); [|apply moment_derive]|].
    + apply is_derive_Reals, derivable_pt_lim_ln; assumption.
    + unfold scal; simpl; unfold mult; simpl. reflexivity.
  - auto_derive; [trivial|]. ring.
Qed.

Lemma slope_derive t : is_derive slope t (bend t).
Proof.
  assert (P := moment_pos t).
  apply (is_derive_minus (fun t => moment 1 t / moment 0 t) (fun t => (2 * t - 1) * (w * w / 8))).
  - eapply is_derive_eq; [apply is_derive_div; [apply moment_derive|apply moment_derive|lra]|]. field. lra.
  - auto_derive; [trivial|]. field.
Qed.

Lemma bend_negative t : bend t <= 0.
Proof.
  unfold bend. assert (P := moment_pos t). assert (V := variance t).
  assert (W : (moment 2 t * moment 0 t - moment 1 t * moment 1 t) / (moment 0 t * moment 0 t) <= w * w / 4); [|lra].
  apply Rle_div_l; [nra|]. lra.
Qed.

Lemma continuous_of_derive f f' : (forall t : R, is_derive f t (f' t : R)) -> forall t, continuity_pt f t.
Proof. intros H t. apply continuity_pt_filterlim, (ex_derive_continuous f). exists (f' t). apply H. Qed.

Lemma slope_decreases s t : s <= t -> slope t <= slope s.
Proof.
  intros H. destruct (MVT_gen slope s t bend) as (c & _ & E).
  - intros x _. apply slope_derive.
  - intros x _. apply (continuous_of_derive slope bend slope_derive).
  - assert (B := bend_negative c). nra.
Qed.

Lemma slope_vanishes : exists c, 0 <= c <= 1 /\ slope c = 0.
Proof.
  destruct (MVT_gen gap 0 1 slope) as (c & Hc & E).
  - intros x _. apply gap_derive.
  - intros x _. apply (continuous_of_derive gap slope gap_derive).
  - rewrite Rmin_left, Rmax_right in Hc by lra. exists c. split; [assumption|].
    unfold gap in E. rewrite moment_0, moment_1, ln_1 in E. lra.
Qed.

Lemma gap_negative a : 1 < a -> gap a <= 0.
Proof.
  intros Ha. destruct slope_vanishes as (c & Hc & Z). destruct (MVT_gen gap 1 a slope) as (d & Hd & E).
  - intros x _. apply gap_derive.
  - intros x _. apply (continuous_of_derive gap slope gap_derive).
  - rewrite Rmin_left, Rmax_right in Hd by lra. assert (W := slope_decreases c d ltac:(lra)).
    assert (G1 : gap 1 = 0) by (unfold gap; rewrite moment_1, ln_1; ring). nra.
Qed.

Lemma moment_renyi a : Sum n (fun i => Rpower (p i) a * Rpower (q i) (1 - a)) = moment 0 a.
Proof. unfold moment. apply Sum_ext; intros i Hi. rewrite <- tilt by assumption. simpl. ring. Qed.

Theorem renyi_of_range a : 1 < a -> renyi a n p q <= w * w / 8 * a.
Proof.
  intros Ha. unfold renyi. rewrite moment_renyi. assert (G := gap_negative a Ha). unfold gap in G.
  apply Rmult_le_reg_l with (a - 1); [lra|]. rewrite <- Rmult_assoc, Rinv_r by lra. nra.
Qed.

Theorem divergence_of_range : kullback_leibler n p q <= w * w / 8.
Proof.
  assert (E : moment 1 1 = kullback_leibler n p q).
  { unfold moment, kullback_leibler. apply Sum_ext; intros i Hi.
    assert (T := tilt i 1 Hi). destruct Hp as [P0 _], Hq as [Q0 _].
    replace (1 - 1) with 0 in T by ring. rewrite Rpower_1, Rpower_O in T by auto. fold (L i).
    replace (q i * L i ^ 1 * exp (1 * L i)) with (q i * exp (1 * L i) * L i) by ring. rewrite T. ring. }
  destruct slope_vanishes as (c & Hc & Z). assert (W := slope_decreases c 1 ltac:(lra)).
  unfold slope in W at 1. rewrite moment_1, E in W. lra.
Qed.
End Range.

Theorem zcdp_of_range n p q lo w : positive_law n p -> positive_law n q ->
  (forall i, (i < n)%nat -> lo <= ln (p i / q i) <= lo + w) -> zcdp (w * w / 8) n p q.
Proof. intros Hp Hq HL a Ha. apply (renyi_of_range n p q lo w Hp Hq HL a Ha). Qed.

(** Pure privacy. *)
Theorem zcdp_of_private {D} (neighbour : D -> D -> Prop) eps n M : (forall x y, neighbour x y -> neighbour y x) ->
  (forall x, positive_law n (M x)) -> private neighbour eps n M -> zcdp_mechanism neighbour (eps * eps / 2) n M.
Proof.
  intros Sym HM H x y Hxy. replace (eps * eps / 2) with (2 * eps * (2 * eps) / 8) by field.
  apply zcdp_of_range with (- eps); [apply HM..|]. intros i Hi.
  assert (Px : 0 < M x i) by (apply HM; assumption). assert (Py : 0 < M y i) by (apply HM; assumption).
  assert (A := private_pointwise neighbour eps n M x y i H Hxy Hi).
  assert (B := private_pointwise neighbour eps n M y x i H (Sym _ _ Hxy) Hi).
  rewrite ln_div by assumption.
  assert (LA : ln (M x i) <= eps + ln (M y i)).
  { rewrite <- (ln_exp eps), <- ln_mult by (assumption || apply exp_pos). apply ln_le; assumption. }
  assert (LB : ln (M y i) <= eps + ln (M x i)).
  { rewrite <- (ln_exp eps), <- ln_mult by (assumption || apply exp_pos). apply ln_le; assumption. }
  lra.
Qed.

(** ** Composition: the second step may depend on the output of the first *)
Lemma renyi_bound a e n p q : 1 < a -> positive_law n p -> positive_law n q ->
  renyi a n p q <= e <-> Sum n (fun i => Rpower (p i) a * Rpower (q i) (1 - a)) <= exp ((a - 1) * e).
Proof.
  intros Ha Hp Hq. unfold renyi.
  assert (P : 0 < Sum n (fun i => Rpower (p i) a * Rpower (q i) (1 - a))).
  { apply Sum_pos; [destruct n; [destruct Hp as [_ W]; simpl in W; lra|lia]|].
    intros; apply Rmult_lt_0_compat; apply exp_pos. }
  set (s := Sum n (fun i => Rpower (p i) a * Rpower (q i) (1 - a))) in *. split; intros H.
  - rewrite <- (exp_ln s) by assumption. apply Rmult_le_compat_l with (r := a - 1) in H; [|lra].
    rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l in H by lra.
    destruct H as [H|H]; [left; apply exp_increasing; assumption|rewrite H; lra].
  - apply Rmult_le_reg_l with (a - 1); [lra|]. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra.
    rewrite <- (ln_exp ((a - 1) * e)). apply ln_le; assumption.
Qed.

Theorem renyi_composition a e e' n m p p' q q' : 1 < a -> (0 < m)%nat ->
  positive_law n p -> positive_law n p' ->
  (forall i, (i < n)%nat -> positive_law m (q i)) -> (forall i, (i < n)%nat -> positive_law m (q' i)) ->
  renyi a n p p' <= e -> (forall i, (i < n)%nat -> renyi a m (q i) (q' i) <= e') ->
  renyi a (n * m) (pair_law m p q) (pair_law m p' q') <= e + e'.
Proof.
  intros Ha Hm Hp Hp' Q Q' H1 H2.
  assert (PL : forall p q, positive_law n p -> (forall i, (i < n)%nat -> positive_law m (q i)) ->
    positive_law (n * m) (pair_law m p q)).
  { intros f g Hf Hg. split.
    - intros k Hk. unfold pair_law. assert (k / m < n)%nat by (apply Nat.div_lt_upper_bound; lia).
      apply Rmult_lt_0_compat; [apply Hf; assumption|apply Hg; [assumption|apply Nat.mod_upper_bound; lia]].
    - apply pair_law_law; [assumption|apply positive_is_law; assumption|].
      intros i Hi. apply positive_is_law, Hg, Hi. }
  apply renyi_bound in H1; [|assumption..]. apply renyi_bound; [assumption|apply PL; assumption..|].
  rewrite (Sum_ext _ _ (fun k => pair_law m (fun i => Rpower (p i) a * Rpower (p' i) (1 - a))
    (fun i j => Rpower (q i j) a * Rpower (q' i j) (1 - a)) k * 1)).
  2:{ intros k Hk. unfold pair_law. assert (k / m < n)%nat by (apply Nat.div_lt_upper_bound; lia).
    assert (k mod m < m)%nat by (apply Nat.mod_upper_bound; lia).
    rewrite <- !Rpower_mult_distr; [ring|apply Hp'|apply Q'|apply Hp|apply Q]; assumption. }
  rewrite pair_sum by assumption. replace ((a - 1) * (e + e')) with ((a - 1) * e + (a - 1) * e') by ring.
  rewrite exp_plus. apply Rle_trans with (Sum n (fun i => Rpower (p i) a * Rpower (p' i) (1 - a)) * exp ((a - 1) * e')).
  - rewrite <- Sum_scal_r. apply Sum_le; intros i Hi. specialize (H2 i Hi).
    apply renyi_bound in H2; [|auto..].
    rewrite (Sum_ext _ _ (fun j => Rpower (q i j) a * Rpower (q' i j) (1 - a))) by (intros; ring).
    apply Rmult_le_compat_l; [|assumption]. apply Rmult_le_pos; left; apply exp_pos.
  - apply Rmult_le_compat_r; [left; apply exp_pos|assumption].
Qed.

(** N independent draws from distributions whose log ratio has the range w. *)
Definition draws (n : nat) (p : nat -> R) (N : nat) : nat -> R := steps n (fun _ _ => p) N.

Lemma draws_positive n p N : (0 < n)%nat -> positive_law n p -> positive_law (histories n N) (draws n p N).
Proof.
  intros Hn Hp. split; [|apply steps_law; [assumption|intros; apply positive_is_law; assumption]].
  induction N; intros k Hk; unfold draws; simpl; [lra|]. simpl in Hk. unfold pair_law.
  assert (k / n < histories n N)%nat by (apply Nat.div_lt_upper_bound; lia).
  apply Rmult_lt_0_compat; [apply IHN; assumption|apply Hp, Nat.mod_upper_bound; lia].
Qed.

Theorem draws_concentrated n p q lo w N : (0 < n)%nat -> positive_law n p -> positive_law n q ->
  (forall i, (i < n)%nat -> lo <= ln (p i / q i) <= lo + w) ->
  zcdp (INR N * (w * w / 8)) (histories n N) (draws n p N) (draws n q N).
Proof.
  intros Hn Hp Hq HL a Ha. induction N.
  - unfold renyi, draws. simpl. unfold Rpower. rewrite ln_1, !Rmult_0_r, exp_0. rewrite Rplus_0_l, Rmult_1_r, ln_1. lra.
  - rewrite S_INR. replace ((INR N + 1) * (w * w / 8) * a) with (INR N * (w * w / 8) * a + w * w / 8 * a) by ring.
    apply renyi_composition; [assumption|assumption|apply draws_positive; assumption|apply draws_positive; assumption|
      auto|auto|exact IHN|].
    intros i _. apply (zcdp_of_range n p q lo w); assumption.
Qed.

(** Concentrated privacy, that is, the bound for all orders at once. *)
Theorem zcdp_composition rho rho' n m p p' q q' : (0 < m)%nat -> positive_law n p -> positive_law n p' ->
  (forall i, (i < n)%nat -> positive_law m (q i)) -> (forall i, (i < n)%nat -> positive_law m (q' i)) ->
  zcdp rho n p p' -> (forall i, (i < n)%nat -> zcdp rho' m (q i) (q' i)) ->
  zcdp (rho + rho') (n * m) (pair_law m p q) (pair_law m p' q').
Proof.
  intros Hm Hp Hp' Q Q' H1 H2 a Ha. rewrite Rmult_plus_distr_r.
  apply renyi_composition; auto. intros i Hi. apply H2; assumption.
Qed.
