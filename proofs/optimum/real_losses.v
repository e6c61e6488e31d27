(** * The domination theorem for losses, with real outputs

    Proved: for every private mechanism with real outputs there is one remap of the geometric mechanism such that, at
    every dataset x, for every level u and every loss that does not increase up to x and does not decrease beyond x,
    the probability of a loss above u is no larger for the remap. So the mean loss is no larger either.

    Left abstract: a mechanism is given by the distribution functions of its outputs. The probability of a set that
    contains, with each output, all smaller ones is the supremum of the distribution function over this set. The mean
    of a loss that is never negative is the integral of the probabilities that the loss exceeds each level, defined as
    the supremum of lower sums. *)
From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From DPBI Require Import basics.sums mechanisms.geometric optimum.domination optimum.losses.
Import ListNotations.
Open Scope R_scope.

(** The probability of [D], a set that contains, with each t, all numbers below t. *)
Definition mass_below (F : R -> R) (D : R -> Prop) (v : R) : Prop :=
  is_lub (fun s => s = 0 \/ exists t, D t /\ s = F t) v.

(** Pr[l > u] for a loss that is unimodal about x: the mass below x where the loss exceeds u, plus one minus the mass of
    the outputs that are below x or have a loss of at most u. *)
Definition loss_above (F : R -> R) (x : R) (l : R -> R) (u v : R) : Prop :=
  exists a b, mass_below F (fun t => t < x /\ u < l t) a /\ mass_below F (fun t => t < x \/ l t <= u) b /\ v = a + (1 - b).

Lemma mass_below_le F G D E a b : mass_below F D a -> mass_below G E b ->
  (forall t, D t -> F t <= 0 \/ exists s, E s /\ F t <= G s) -> a <= b.
Proof.
  intros [_ L] [U _] H. apply L. intros s [->|(t & Ht & ->)]; [apply U; left; reflexivity|].
  destruct (H t Ht) as [Z|(s & Hs & W)].
  - apply Rle_trans with (1 := Z). apply U. left; reflexivity.
  - apply Rle_trans with (1 := W). apply U. right. exists s. auto.
Qed.

Lemma mass_below_ex F D : (forall t, F t <= 1) -> exists v, mass_below F D v.
Proof.
  intros H. destruct (completeness (fun s => s = 0 \/ exists t, D t /\ s = F t)) as [v V].
  - exists 1. intros s [->|(t & _ & ->)]; [lra|apply H].
  - exists 0. left. reflexivity.
  - exists v. exact V.
Qed.

Theorem loss_above_exists F x l u : (forall t, F t <= 1) -> exists v, loss_above F x l u v.
Proof.
  intros H. destruct (mass_below_ex F (fun t => t < x /\ u < l t) H) as [a A].
  destruct (mass_below_ex F (fun t => t < x \/ l t <= u) H) as [b B]. exists (a + (1 - b)), a, b. auto.
Qed.

(** Better thresholds on both sides of x make large losses less probable. *)
Lemma thresholds_to_levels F G x l u v w : unimodal x l ->
  (forall s t, s <= t -> F s <= F t) ->
  (forall t, t < x -> G t <= F t) -> (forall t, x <= t -> F t <= G t) ->
  loss_above G x l u v -> loss_above F x l u w -> v <= w.
Proof.
  intros [Ul Ur] HF Hlow Hhigh (a & b & A & B & ->) (c & d & C & D & ->).
  destruct (Rle_lt_dec (l x) u) as [Hu|Hu].
  - assert (a <= c).
    { apply (mass_below_le G F _ _ a c A C). intros t Ht. right. exists t. split; [assumption|]. apply Hlow, Ht. }
    assert (d <= b); [|lra].
    apply (mass_below_le F G _ _ d b D B). intros t Ht. right. destruct (Rle_lt_dec x t) as [L|L].
    + exists t. split; [assumption|]. apply Hhigh. assumption.
    + exists x. split; [right; assumption|]. apply Rle_trans with (F x); [apply HF; lra|apply Hhigh; lra].
  - assert (K : a <= b).
    { apply (mass_below_le G G _ _ a b A B). intros t [Ht _]. right. exists t. split; [left; assumption|lra]. }
    assert (M : d <= c); [|lra].
    apply (mass_below_le F F _ _ d c D C). intros t Ht. right. exists t. split; [|lra].
    assert (Lt : t < x).
    { destruct Ht as [Ht|Ht]; [assumption|]. destruct (Rle_lt_dec x t) as [L|L]; [|assumption].
      assert (W := Ur x t ltac:(lra)). lra. }
    split; [assumption|]. assert (W := Ul t x ltac:(lra)). lra.
Qed.

(** ** Means *)

(** A lower sum of a function that does not increase: widths, each with the value at the right end of its interval. *)
Fixpoint lower_sum (f : R -> R) (u : R) (widths : list R) : R :=
  match widths with [] => 0 | w :: ws => w * f (u + w) + lower_sum f (u + w) ws end.

(** The mean of a loss, computed from the probabilities that it exceeds each positive level. *)
Definition mean_of_levels (f : R -> R) (v : R) : Prop :=
  is_lub (fun s => exists widths, (forall w, In w widths -> 0 <= w) /\ s = lower_sum f 0 widths) v.

Lemma lower_sum_le f g u ws : (forall u, f u <= g u) -> (forall w, In w ws -> 0 <= w) ->
  lower_sum f u ws <= lower_sum g u ws.
Proof.
  intros H. revert u. induction ws as [|w ws IH]; intros u Hw; simpl; [lra|].
  assert (W : 0 <= w) by (apply Hw; left; reflexivity).
  assert (I := IH (u + w) ltac:(intros; apply Hw; right; assumption)). specialize (H (u + w)). nra.
Qed.

Lemma mean_le f g a b : (forall u, f u <= g u) -> mean_of_levels f a -> mean_of_levels g b -> a <= b.
Proof.
  intros H [_ L] [U _]. apply L. intros s (ws & Hw & ->).
  apply Rle_trans with (lower_sum g 0 ws); [apply lower_sum_le; assumption|]. apply U. exists ws. auto.
Qed.

(** One remap serves all datasets, all losses and all levels. *)
Theorem domination_real_losses eps n (F : nat -> R -> R) : 0 < eps -> (0 < n)%nat ->
  (forall x, (x <= n)%nat -> is_cdf (F x)) -> private_thresholds eps n F ->
  exists K : nat -> R -> R,
    (forall z, (z <= n)%nat -> is_cdf (K z)) /\
    forall x l, (x <= n)%nat -> unimodal (INR x) l ->
      let GT t := Sum (S n) (fun z => geoc (exp (- eps)) n x z * K z t) in
      (forall u v w, loss_above GT (INR x) l u v -> loss_above (F x) (INR x) l u w -> v <= w) /\
      (forall f g v w, (forall u, loss_above GT (INR x) l u (f u)) -> (forall u, loss_above (F x) (INR x) l u (g u)) ->
        mean_of_levels f v -> mean_of_levels g w -> v <= w).
Proof.
  intros He Hn Hc Hp. destruct (domination eps n F He Hn Hc Hp) as (K & HK & D). exists K. split; [assumption|].
  intros x l Hx Hl GT.
  assert (Levels : forall u v w, loss_above GT (INR x) l u v -> loss_above (F x) (INR x) l u w -> v <= w).
  { intros u v w. apply thresholds_to_levels; [assumption|apply (Hc x Hx)| |].
    - intros t Ht. destruct (D x t Hx) as [_ W]. specialize (W Ht). unfold GT. lra.
    - intros t Ht. destruct (D x t Hx) as [W _]. specialize (W Ht). unfold GT. lra. }
  split; [assumption|]. intros f g v w Hf Hg. apply mean_le. intros u. apply (Levels u); auto.
Qed.
