(** * Approximate privacy: its two forms, post-processing, composition, groups

    Proved, for distributions on finitely many outputs: the largest excess of an event is the sum of the positive parts
    of the differences. A random remap does not increase this excess. Two steps, the second of which may depend on the
    output of the first, add up their epsilons and deltas, and so do k steps. A path of k neighbours multiplies epsilon
    by k and delta by a geometric sum.

    Left abstract: the datasets, and which of them are neighbours. *)
From Coq Require Import Reals Lra Lia PeanoNat.
From DPBI Require Import basics.sums.
Open Scope R_scope.

(** (eps, delta)-privacy of two distributions, and of a mechanism. *)
Definition close (eps delta : R) (n : nat) (p q : nat -> R) : Prop :=
  forall A, Prob n p A <= exp eps * Prob n q A + delta.
Definition approx {D : Type} (neighbour : D -> D -> Prop) (eps delta : R) (n : nat) (M : D -> nat -> R) : Prop :=
  forall x y, neighbour x y -> close eps delta n (M x) (M y).

(** The hockey-stick divergence: the sum of the amounts by which [p] exceeds [exp eps * q]. *)
Definition excess (eps : R) (n : nat) (p q : nat -> R) : R := Sum n (fun i => Rmax 0 (p i - exp eps * q i)).

(** For a function with values in [0, 1], the excess is at most the hockey-stick divergence. *)
Lemma excess_function eps n p q h : (forall i, (i < n)%nat -> 0 <= h i <= 1) ->
  Sum n (fun i => p i * h i) <= exp eps * Sum n (fun i => q i * h i) + excess eps n p q.
Proof.
  intros H. unfold excess. rewrite <- Sum_scal, <- Sum_plus. apply Sum_le; intros i Hi. specialize (H i Hi).
  assert (A := Rmax_l 0 (p i - exp eps * q i)). assert (B := Rmax_r 0 (p i - exp eps * q i)). nra.
Qed.

(** The supremum over all events is the hockey-stick divergence, and an event attains it. *)
Theorem close_iff_excess eps delta n p q : close eps delta n p q <-> excess eps n p q <= delta.
Proof.
  split.
  - intros H. set (A := fun i => if Rlt_dec 0 (p i - exp eps * q i) then true else false).
    assert (W := H A). unfold Prob in W. rewrite <- Sum_scal in W.
    apply Rle_trans with (Sum n (fun i => p i * ind A i) - Sum n (fun i => exp eps * (q i * ind A i))); [|lra].
    rewrite <- Sum_minus. right. apply Sum_ext; intros i _. unfold ind, A.
    destruct (Rlt_dec 0 (p i - exp eps * q i)); [rewrite Rmax_right|rewrite Rmax_left]; lra.
  - intros H A. apply Rle_trans with (exp eps * Prob n q A + excess eps n p q); [|lra].
    apply excess_function. intros; apply ind_range.
Qed.

(** Privacy without delta. *)
Theorem approx_zero {D} (neighbour : D -> D -> Prop) eps n M : private neighbour eps n M <-> approx neighbour eps 0 n M.
Proof. split; intros H x y Hxy A; specialize (H x y Hxy A); lra. Qed.

(** ** Post-processing *)
Theorem post_processing_excess eps n m p q T : (forall z, (z < n)%nat -> law m (T z)) ->
  excess eps m (remap n p T) (remap n q T) <= excess eps n p q.
Proof.
  intros HT. unfold excess at 1.
  apply Rle_trans with (Sum m (fun j => Sum n (fun z => Rmax 0 (p z - exp eps * q z) * T z j))).
  - apply Sum_le; intros j Hj.
    assert (P0 : 0 <= Sum n (fun z => Rmax 0 (p z - exp eps * q z) * T z j)).
    { apply Sum_nonneg; intros z Hz. apply Rmult_le_pos; [apply Rmax_l|apply (HT z Hz); assumption]. }
    apply Rmax_lub; [assumption|]. unfold remap. rewrite <- Sum_scal, <- Sum_minus. apply Sum_le; intros z Hz.
    assert (T0 : 0 <= T z j) by (apply (HT z Hz); assumption). assert (B := Rmax_r 0 (p z - exp eps * q z)). nra.
  - rewrite Sum_swap. apply Sum_le; intros z Hz. rewrite Sum_scal. destruct (HT z Hz) as [_ ->]. lra.
Qed.

Theorem post_processing {D} (neighbour : D -> D -> Prop) eps delta n m M T : (forall z, (z < n)%nat -> law m (T z)) ->
  approx neighbour eps delta n M -> approx neighbour eps delta m (fun x => remap n (M x) T).
Proof.
  intros HT H x y Hxy. apply close_iff_excess.
  eapply Rle_trans; [apply post_processing_excess; assumption|]. apply close_iff_excess, H, Hxy.
Qed.

(** ** Composition *)

(** The distribution of two steps: the output [i * m + j] stands for the pair (i, j). *)
Definition pair_law (m : nat) (p : nat -> R) (q : nat -> nat -> R) (k : nat) : R := p (k / m)%nat * q (k / m)%nat (k mod m)%nat.

Lemma Sum_add a b f : Sum (a + b) f = Sum a f + Sum b (fun j => f (a + j)%nat).
Proof.
  induction b; simpl; [rewrite Nat.add_0_r; ring|]. rewrite Nat.add_succ_r. simpl. rewrite IHb. ring.
Qed.

Lemma Sum_mul n m f : Sum (n * m) f = Sum n (fun i => Sum m (fun j => f (i * m + j)%nat)).
Proof.
  induction n; [reflexivity|]. replace (S n * m)%nat with (n * m + m)%nat by lia.
  rewrite Sum_add, IHn. reflexivity.
Qed.

Lemma pair_sum n m p q (f : nat -> R) : (0 < m)%nat ->
  Sum (n * m) (fun k => pair_law m p q k * f k) = Sum n (fun i => p i * Sum m (fun j => q i j * f (i * m + j)%nat)).
Proof.
  intros Hm. rewrite Sum_mul. apply Sum_ext; intros i Hi. rewrite <- Sum_scal. apply Sum_ext; intros j Hj.
  unfold pair_law. rewrite Nat.div_add_l, Nat.div_small, Nat.add_0_r by lia.
  rewrite (Nat.add_comm (i * m)), Nat.mod_add, Nat.mod_small by lia. ring.
Qed.

Lemma pair_law_law n m p q : (0 < m)%nat -> law n p -> (forall i, (i < n)%nat -> law m (q i)) -> law (n * m) (pair_law m p q).
Proof.
  intros Hm [P0 P1] Q. split.
  - intros k Hk. unfold pair_law. assert (k / m < n)%nat by (apply Nat.div_lt_upper_bound; lia).
    apply Rmult_le_pos; [apply P0; assumption|apply Q; [assumption|apply Nat.mod_upper_bound; lia]].
  - rewrite (Sum_ext _ _ (fun k => pair_law m p q k * 1)) by (intros; ring). rewrite pair_sum by assumption.
    transitivity (Sum n p); [|exact P1]. apply Sum_ext; intros i Hi. destruct (Q i Hi) as [_ E].
    rewrite (Sum_ext _ _ (q i)) by (intros; ring). rewrite E. ring.
Qed.

Lemma close_pair eps delta eps' delta' n m p p' q q' : (0 < m)%nat -> 0 <= delta' ->
  law n p -> (forall i, (i < n)%nat -> 0 <= p' i) ->
  (forall i, (i < n)%nat -> law m (q i)) -> (forall i, (i < n)%nat -> law m (q' i)) ->
  close eps delta n p p' -> (forall i, (i < n)%nat -> close eps' delta' m (q i) (q' i)) ->
  close (eps + eps') (delta + delta') (n * m) (pair_law m p q) (pair_law m p' q').
Proof.
  intros Hm Hd [P0 P1] P0' Q Q' H1 H2 A. unfold Prob. rewrite !pair_sum by assumption.
  set (a := fun i => Sum m (fun j => q i j * ind A (i * m + j)%nat)).
  set (b := fun i => Sum m (fun j => q' i j * ind A (i * m + j)%nat)).
  change (Sum n (fun i => p i * a i) <= exp (eps + eps') * Sum n (fun i => p' i * b i) + (delta + delta')).
  set (h := fun i => Rmin 1 (exp eps' * b i)).
  assert (B0 : forall i, (i < n)%nat -> 0 <= b i).
  { intros i Hi. apply Sum_nonneg; intros j Hj. destruct (Q' i Hi) as [Z _]. assert (W := ind_range A (i * m + j)).
    apply Rmult_le_pos; [apply Z; assumption|lra]. }
  assert (A1 : forall i, (i < n)%nat -> a i <= h i + delta').
  { intros i Hi. assert (C : a i <= exp eps' * b i + delta') by (apply (H2 i Hi (fun j => A (i * m + j)%nat))).
    destruct (Q i Hi) as [Z E].
    assert (U : a i <= 1).
    { rewrite <- E. apply Sum_le; intros j Hj. assert (W := ind_range A (i * m + j)). specialize (Z j Hj). nra. }
    unfold h, Rmin. destruct Rle_dec; lra. }
  assert (Hh : forall i, (i < n)%nat -> 0 <= h i <= 1).
  { intros i Hi. specialize (B0 i Hi). assert (E := exp_pos eps'). unfold h. split; [|apply Rmin_l].
    apply Rmin_glb; [lra|]. apply Rmult_le_pos; lra. }
  apply Rle_trans with (Sum n (fun i => p i * h i) + delta').
  { apply Rle_trans with (Sum n (fun i => p i * h i + p i * delta')).
    - apply Sum_le; intros i Hi. specialize (A1 i Hi). specialize (P0 i Hi). nra.
    - rewrite Sum_plus, Sum_scal_r, P1. lra. }
  apply Rle_trans with (exp eps * Sum n (fun i => p' i * h i) + delta + delta').
  { apply Rplus_le_compat_r. eapply Rle_trans; [apply (excess_function eps n p p' h Hh)|].
    apply close_iff_excess in H1. lra. }
  rewrite exp_plus. apply Rle_trans with (exp eps * (exp eps' * Sum n (fun i => p' i * b i)) + delta + delta'); [|lra].
  do 2 apply Rplus_le_compat_r. apply Rmult_le_compat_l; [left; apply exp_pos|]. rewrite <- Sum_scal.
  apply Sum_le; intros i Hi. specialize (P0' i Hi). assert (W := Rmin_r 1 (exp eps' * b i)). unfold h. nra.
Qed.

(** Two steps: the second one depends on the output of the first, and is private for every fixed output of the first. *)
Theorem composition {D} (neighbour : D -> D -> Prop) eps delta eps' delta' n m M M' : (0 < m)%nat -> 0 <= delta' ->
  (forall x, law n (M x)) -> (forall x i, (i < n)%nat -> law m (M' x i)) ->
  approx neighbour eps delta n M -> (forall i, (i < n)%nat -> approx neighbour eps' delta' m (fun x => M' x i)) ->
  approx neighbour (eps + eps') (delta + delta') (n * m) (fun x => pair_law m (M x) (M' x)).
Proof.
  intros Hm Hd L L' H H' x y Hxy. apply close_pair; auto.
  - apply L.
  - intros i Hi. apply (H' i Hi x y Hxy).
Qed.

(** k steps with m outputs each: every step may depend on all earlier outputs. *)
Fixpoint steps (m : nat) (step : nat -> nat -> nat -> R) (k : nat) : nat -> R :=
  match k with O => fun _ => 1 | S j => pair_law m (steps m step j) (step j) end.

Fixpoint histories (m k : nat) : nat := match k with O => 1 | S j => histories m j * m end.

Lemma steps_law m step k : (0 < m)%nat -> (forall j i, law m (step j i)) -> law (histories m k) (steps m step k).
Proof.
  intros Hm H. induction k; [split; [intros; simpl; lra|simpl; lra]|]. apply pair_law_law; auto.
Qed.

Theorem composition_of_many {D} (neighbour : D -> D -> Prop) eps delta m (M : D -> nat -> nat -> nat -> R) k :
  (0 < m)%nat -> 0 <= delta -> (forall x j i, law m (M x j i)) ->
  (forall j i, approx neighbour eps delta m (fun x => M x j i)) ->
  approx neighbour (INR k * eps) (INR k * delta) (histories m k) (fun x => steps m (M x) k).
Proof.
  intros Hm Hd L H. induction k.
  - intros x y _ A. rewrite !Rmult_0_l, exp_0. simpl. lra.
  - rewrite S_INR. replace ((INR k + 1) * eps) with (INR k * eps + eps) by ring.
    replace ((INR k + 1) * delta) with (INR k * delta + delta) by ring.
    apply (composition neighbour _ _ _ _ (histories m k) m (fun x => steps m (M x) k) (fun x => M x k)); auto.
    intros x. apply steps_law; auto.
Qed.

(** Composition of k steps without deltas. *)
Theorem composition_pure {D} (neighbour : D -> D -> Prop) eps m (M : D -> nat -> nat -> nat -> R) k :
  (0 < m)%nat -> (forall x j i, law m (M x j i)) ->
  (forall j i, private neighbour eps m (fun x => M x j i)) ->
  private neighbour (INR k * eps) (histories m k) (fun x => steps m (M x) k).
Proof.
  intros Hm L H. apply approx_zero. rewrite <- (Rmult_0_r (INR k)). apply composition_of_many; auto; [lra|].
  intros j i. apply approx_zero, H.
Qed.

(** ** Groups *)
Inductive path {D : Type} (neighbour : D -> D -> Prop) : nat -> D -> D -> Prop :=
  | here x : path neighbour 0 x x
  | further k x y z : neighbour x y -> path neighbour k y z -> path neighbour (S k) x z.

Theorem group {D} (neighbour : D -> D -> Prop) eps delta n M k x y : 0 < eps -> approx neighbour eps delta n M ->
  path neighbour k x y -> close (INR k * eps) (delta * ((exp (INR k * eps) - 1) / (exp eps - 1))) n (M x) (M y).
Proof.
  intros He H. assert (E1 : 1 < exp eps) by (rewrite <- exp_0; apply exp_increasing; assumption).
  induction 1 as [x|k x y z Hxy Hp IH]; intros A.
  - simpl INR. rewrite Rmult_0_l, exp_0. unfold Rdiv. lra.
  - specialize (H x y Hxy A). specialize (IH A). rewrite S_INR.
    replace ((INR k + 1) * eps) with (eps + INR k * eps) by ring. rewrite exp_plus.
    apply Rle_trans with (exp eps * (exp (INR k * eps) * Prob n (M z) A +
      delta * ((exp (INR k * eps) - 1) / (exp eps - 1))) + delta).
    + apply Rle_trans with (1 := H). apply Rplus_le_compat_r, Rmult_le_compat_l; [lra|assumption].
    + right. field. lra.
Qed.
