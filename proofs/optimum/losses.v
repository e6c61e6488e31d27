(** * Losses of released numbers, the least mean and the least worst case

    Proved, for finitely many outputs: at every dataset, the remap of the domination theorem has no larger mean loss
    than P, for every loss that does not increase up to x and does not decrease beyond x. Among private mechanisms that
    release one of the same numbers, some deterministic remap of the geometric mechanism has the least mean loss over
    the datasets, and the value for each output can be chosen separately. For every summary that does not decrease when
    an error increases, some remap is at least as good (the corollaries on the least mean error and on the least
    worst-case error). This file does not cover mechanisms that publish something else; [optimum.free_publication]
    does.

    Left abstract: the outputs are ordered real numbers, and the datasets are among them. *)
From Coq Require Import Reals Lra Lia ZArith PeanoNat.
From Coquelicot Require Import Coquelicot.
From DPBI Require Import basics.sums mechanisms.geometric optimum.domination.
Open Scope R_scope.

(** A loss that does not increase up to x and does not decrease beyond x. *)
Definition unimodal (x : R) (l : R -> R) : Prop :=
  (forall r s, r <= s <= x -> l s <= l r) /\ (forall r s, x <= r <= s -> l r <= l s).

Definition mean (N : nat) (p : nat -> R) (l : nat -> R) : R := Sum N (fun j => p j * l j).

(** The outputs v 0 < ... < v m; outputs that never occur have probability zero. *)
Definition outputs (n m : nat) (v : nat -> R) : Prop :=
  (forall i j, (i < j)%nat -> (j <= m)%nat -> v i < v j) /\
  (forall x, (x <= n)%nat -> exists j, (j <= m)%nat /\ v j = INR x).

Definition private_finite (eps : R) (n m : nat) (P : nat -> nat -> R) : Prop :=
  (forall x, (x <= n)%nat -> law (S m) (P x)) /\ private (neighbour n) eps (S m) P.

Lemma Sum_split_at m j (f : nat -> R) : (j <= m)%nat ->
  (forall i, (j <= i)%nat -> (i < m)%nat -> f i = 0) -> Sum m f = Sum j f.
Proof.
  intros H E. induction H; [reflexivity|]. simpl. rewrite E by lia.
  rewrite IHle by (intros; apply E; lia). ring.
Qed.

Section Finite.
Variables (eps : R) (n m : nat) (v : nat -> R) (P : nat -> nat -> R).
Hypothesis He : 0 < eps.
Hypothesis Hn : (0 < n)%nat.
Hypothesis Hv : outputs n m v.
Hypothesis HP : private_finite eps n m P.
Let alpha := exp (- eps).
Let Halpha : 0 < alpha < 1 := alpha_range eps He.

Definition upto (t : R) : event := fun j => if Rle_dec (v j) t then true else false.
Definition cdf (x : nat) (t : R) : R := Prob (S m) (P x) (upto t).

Lemma v_le i j : (i <= j)%nat -> (j <= m)%nat -> v i <= v j.
Proof. intros H Hj. destruct (Nat.eq_dec i j) as [->|]; [lra|left; apply Hv; lia]. Qed.

Lemma cdf_at x j : (j <= m)%nat -> cdf x (v j) = Sum (S j) (P x).
Proof.
  intros Hj. unfold cdf, Prob. rewrite (Sum_split_at (S m) (S j)); [|lia|].
  - apply Sum_ext; intros i Hi. unfold ind, upto.
    destruct (Rle_dec (v i) (v j)) as [|N]; [ring|]. destruct N. apply v_le; lia.
  - intros i H1 H2. unfold ind, upto. destruct (Rle_dec (v i) (v j)) as [L|]; [|ring].
    assert (W : v j < v i) by (apply Hv; lia). lra.
Qed.

Lemma cdf_compl x t : (x <= n)%nat -> Prob (S m) (P x) (compl (upto t)) = 1 - cdf x t.
Proof.
  intros Hx. destruct HP as [HL _]. destruct (HL x Hx) as [_ T].
  assert (W := Prob_compl (S m) (P x) (upto t)). unfold cdf. lra.
Qed.

Lemma cdf_range x t : (x <= n)%nat -> 0 <= cdf x t <= 1.
Proof.
  intros Hx. destruct HP as [HL _]. destruct (HL x Hx) as [Q T]. split.
  - apply Prob_nonneg; assumption.
  - assert (W := cdf_compl x t Hx). assert (Z := Prob_nonneg (S m) (P x) (compl (upto t)) Q). lra.
Qed.

Lemma cdf_mono x s t : (x <= n)%nat -> s <= t -> cdf x s <= cdf x t.
Proof.
  intros Hx H. destruct HP as [HL _]. destruct (HL x Hx) as [Q T].
  apply Sum_le; intros i Hi. apply Rmult_le_compat_l; [apply Q; assumption|].
  unfold ind, upto. destruct (Rle_dec (v i) s), (Rle_dec (v i) t); lra.
Qed.

Lemma cdf_step x t : (x < n)%nat -> phi alpha (cdf x t) <= cdf (S x) t.
Proof.
  apply (private_step eps n cdf). intros a b s H. destruct HP as [_ HD]. split; [apply HD; assumption|].
  rewrite <- !cdf_compl by apply H. apply HD; assumption.
Qed.

(** The remap as a matrix. *)
Definition T (z j : nat) : R :=
  K alpha n cdf z (v j) - match j with O => 0 | S i => K alpha n cdf z (v i) end.

Lemma T_sum z j : Sum (S j) (T z) = K alpha n cdf z (v j).
Proof.
  induction j; [simpl; unfold T; ring|].
  change (Sum (S (S j)) (T z)) with (Sum (S j) (T z) + T z (S j)). rewrite IHj. unfold T. ring.
Qed.

Lemma T_law z : (z <= n)%nat -> law (S m) (T z).
Proof.
  intros Hz. split.
  - intros [|i] Hi; unfold T.
    + assert (W := K_range alpha n cdf z (v 0%nat)). lra.
    + assert (W : K alpha n cdf z (v i) <= K alpha n cdf z (v (S i))); [|lra].
      apply (K_mono alpha n Halpha Hn cdf cdf_range cdf_mono cdf_step). apply v_le; lia.
  - rewrite T_sum. apply (K_end alpha n Halpha Hn); [assumption|].
    rewrite cdf_at by lia. destruct HP as [HL _]. apply HL. apply base_le.
Qed.

Lemma remap_cdf x j : (j <= m)%nat -> Sum (S j) (remap (S n) (geoc alpha n x) T) = GT alpha n cdf x (v j).
Proof.
  intros Hj. unfold remap, GT. rewrite <- Sum_swap. apply Sum_ext; intros z Hz.
  rewrite Sum_scal, T_sum. reflexivity.
Qed.

(** A mean loss is a sum of thresholds. *)
Theorem no_larger_loss x (l : R -> R) : (x <= n)%nat -> unimodal (INR x) l ->
  mean (S m) (remap (S n) (geoc alpha n x) T) (fun j => l (v j)) <= mean (S m) (P x) (fun j => l (v j)).
Proof.
  intros Hx [Ul Ur]. unfold mean. rewrite !Sum_abel.
  destruct Hv as [Hv1 Hv2]. destruct (Hv2 x Hx) as (k & Hk & Ek).
  assert (E1 : Sum (S m) (remap (S n) (geoc alpha n x) T) = 1).
  { rewrite remap_cdf by lia. apply Rle_antisym.
    - unfold GT. rewrite <- (geoc_total alpha Halpha n x Hn Hx). apply Sum_le; intros z Hz.
      assert (A := K_range alpha n cdf z (v m)). assert (B := geoc_pos alpha Halpha n x z). nra.
    - assert (D : cdf x (v m) = 1) by (rewrite cdf_at by lia; destruct HP as [HL _]; apply HL; assumption).
      rewrite <- D. apply dominates_above; try assumption; [apply cdf_range|apply cdf_step|].
      rewrite <- Ek. apply v_le; lia. }
  assert (E2 : Sum (S m) (P x) = 1) by (destruct HP as [HL _]; apply HL; assumption).
  rewrite E1, E2.
  cut (Sum m (fun j => Sum (S j) (P x) * (l (v (S j)) - l (v j))) <=
       Sum m (fun j => Sum (S j) (remap (S n) (geoc alpha n x) T) * (l (v (S j)) - l (v j)))); [lra|].
  apply Sum_le; intros j Hj. rewrite remap_cdf, <- cdf_at by lia.
  assert (Vj : v j < v (S j)) by (apply Hv1; lia).
  destruct (le_lt_dec k j) as [L|L].
  - assert (W : INR x <= v j) by (rewrite <- Ek; apply v_le; lia).
    assert (D : cdf x (v j) <= GT alpha n cdf x (v j))
      by (apply dominates_above; try assumption; [apply cdf_range|apply cdf_step]).
    assert (U := Ur (v j) (v (S j)) ltac:(lra)). nra.
  - assert (W : v (S j) <= INR x) by (rewrite <- Ek; apply v_le; lia).
    assert (D : GT alpha n cdf x (v j) <= cdf x (v j))
      by (apply dominates_below; try assumption; [apply cdf_range|apply cdf_step|lra]).
    assert (U := Ul (v j) (v (S j)) ltac:(lra)). nra.
Qed.
End Finite.

(** The Domination theorem for losses. *)
Theorem domination_losses eps n m v P : 0 < eps -> (0 < n)%nat -> outputs n m v -> private_finite eps n m P ->
  exists T : nat -> nat -> R,
    (forall z, (z <= n)%nat -> law (S m) (T z)) /\
    forall x l, (x <= n)%nat -> unimodal (INR x) l ->
      mean (S m) (remap (S n) (geoc (exp (- eps)) n x) T) (fun j => l (v j)) <= mean (S m) (P x) (fun j => l (v j)).
Proof.
  intros He Hn Hv HP. exists (T eps n m v P). split.
  - intros; apply T_law; assumption.
  - intros; apply no_larger_loss; assumption.
Qed.

Lemma argmin m (f : nat -> R) : exists j, (j <= m)%nat /\ forall i, (i <= m)%nat -> f j <= f i.
Proof.
  induction m as [|m (j & Hj & H)].
  - exists 0%nat. split; [lia|]. intros i Hi. replace i with 0%nat by lia. lra.
  - destruct (Rle_lt_dec (f j) (f (S m))) as [L|L].
    + exists j. split; [lia|]. intros i Hi. destruct (Nat.eq_dec i (S m)) as [->|]; [assumption|apply H; lia].
    + exists (S m). split; [lia|]. intros i Hi. destruct (Nat.eq_dec i (S m)) as [->|]; [lra|].
      assert (W := H i ltac:(lia)). lra.
Qed.

Lemma choice m n (f : nat -> nat -> R) : exists s : nat -> nat,
  forall z, (z <= n)%nat -> (s z <= m)%nat /\ forall i, (i <= m)%nat -> f z (s z) <= f z i.
Proof.
  induction n as [|n (s & H)].
  - destruct (argmin m (f 0%nat)) as (j & Hj & A). exists (fun _ => j). intros z Hz.
    replace z with 0%nat by lia. split; assumption.
  - destruct (argmin m (f (S n))) as (j & Hj & A). exists (fun z => if Nat.eqb z (S n) then j else s z).
    intros z Hz. destruct (Nat.eqb_spec z (S n)) as [->|]; [split; assumption|apply H; lia].
Qed.

(** The least mean loss among mechanisms that release one of the numbers v. *)
Theorem best_mean eps n m v (w : nat -> R) (l : nat -> R -> R) : 0 < eps -> (0 < n)%nat -> outputs n m v ->
  (forall x, (x <= n)%nat -> 0 <= w x /\ unimodal (INR x) (l x)) ->
  exists s : nat -> nat, (forall z, (z <= n)%nat -> (s z <= m)%nat) /\
    (forall z, (z <= n)%nat -> forall j, (j <= m)%nat ->
       Sum (S n) (fun x => w x * geoc (exp (- eps)) n x z * l x (v (s z)))
       <= Sum (S n) (fun x => w x * geoc (exp (- eps)) n x z * l x (v j))) /\
    forall P, private_finite eps n m P ->
      Sum (S n) (fun x => w x * Sum (S n) (fun z => geoc (exp (- eps)) n x z * l x (v (s z))))
      <= Sum (S n) (fun x => w x * mean (S m) (P x) (fun j => l x (v j))).
Proof.
  intros He Hn Hv Hw. set (G := geoc (exp (- eps)) n).
  destruct (choice m n (fun z j => Sum (S n) (fun x => w x * G x z * l x (v j)))) as (s & Hs).
  exists s. split; [intros; apply Hs; assumption|]. split; [intros z Hz; apply Hs; assumption|].
  intros P HP. destruct (domination_losses eps n m v P He Hn Hv HP) as (T & HT & D).
  apply Rle_trans with (Sum (S n) (fun x => w x * mean (S m) (remap (S n) (G x) T) (fun j => l x (v j)))).
  2:{ apply Sum_le; intros x Hx. apply Rmult_le_compat_l; [apply Hw; lia|]. apply D; [lia|apply Hw; lia]. }
  assert (L : Sum (S n) (fun x => w x * Sum (S n) (fun z => G x z * l x (v (s z)))) =
    Sum (S n) (fun z => Sum (S n) (fun x => w x * G x z * l x (v (s z))))).
  { rewrite Sum_swap. apply Sum_ext; intros x Hx. rewrite <- Sum_scal. apply Sum_ext; intros; ring. }
  assert (R : Sum (S n) (fun x => w x * mean (S m) (remap (S n) (G x) T) (fun j => l x (v j))) =
    Sum (S n) (fun z => Sum (S m) (fun j => T z j * Sum (S n) (fun x => w x * G x z * l x (v j))))).
  { transitivity (Sum (S n) (fun x => Sum (S n) (fun z => Sum (S m) (fun j => w x * G x z * l x (v j) * T z j)))).
    - apply Sum_ext; intros x Hx. unfold mean, remap. rewrite Sum_swap, <- Sum_scal. apply Sum_ext; intros j Hj.
      rewrite <- Sum_scal_r, <- Sum_scal. apply Sum_ext; intros; ring.
    - rewrite Sum_swap. apply Sum_ext; intros z Hz. rewrite Sum_swap. apply Sum_ext; intros j Hj.
      rewrite Sum_scal_r. ring. }
  rewrite L, R. apply Sum_le; intros z Hz. destruct (HT z ltac:(lia)) as [T0 T1].
  rewrite <- (Rmult_1_l (Sum (S n) (fun x => w x * G x z * l x (v (s z))))), <- T1, <- Sum_scal_r.
  apply Sum_le; intros j Hj. apply Rmult_le_compat_l; [apply T0; assumption|apply Hs; lia].
Qed.

(** The least worst-case loss, or any other summary, among mechanisms that release one of the numbers v. *)
Theorem best_summary eps n m v P (l : nat -> R -> R) (summary : (nat -> R) -> R) :
  0 < eps -> (0 < n)%nat -> outputs n m v -> private_finite eps n m P ->
  (forall x, (x <= n)%nat -> unimodal (INR x) (l x)) ->
  (forall a b, (forall x, (x <= n)%nat -> a x <= b x) -> summary a <= summary b) ->
  exists T, (forall z, (z <= n)%nat -> law (S m) (T z)) /\
    summary (fun x => mean (S m) (remap (S n) (geoc (exp (- eps)) n x) T) (fun j => l x (v j)))
    <= summary (fun x => mean (S m) (P x) (fun j => l x (v j))).
Proof.
  intros He Hn Hv HP Hl Hs. destruct (domination_losses eps n m v P He Hn Hv HP) as (T & HT & D).
  exists T. split; [assumption|]. apply Hs. intros x Hx. apply D; auto.
Qed.

(** The premises can be satisfied. *)
Lemma assumptions_met eps n : 0 < eps -> (0 < n)%nat ->
  outputs n n INR /\ private_finite eps n n (geoc (exp (- eps)) n).
Proof.
  intros He Hn. assert (A := alpha_range eps He). repeat split.
  - intros i j H _. apply lt_INR; assumption.
  - intros x Hx. exists x. split; [assumption|reflexivity].
  - intros; left; apply geoc_pos; assumption.
  - apply geoc_total; assumption.
  - apply geometric_private; assumption.
Qed.
