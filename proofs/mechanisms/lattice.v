(** * Noise on the lattice of count vectors

    Proved: for k categories, let the noise be an integer vector whose entries add up to zero, with a mass proportional
    to [exp (- eps |v|_1 / 2)]. A count vector with this noise is private, and so is every function of it; the loss is
    exactly eps.

    Left abstract: the normaliser. It is the same positive number for all datasets, because their output distributions
    differ by a shift. *)
From Coq Require Import Reals Lra Lia ZArith List.
From DPBI Require Import basics.countable mechanisms.exponential.
Import ListNotations.
Open Scope R_scope.

Definition vector := nat -> Z.

(** The sum of the absolute differences over k categories. *)
Fixpoint distance (k : nat) (x y : vector) : Z :=
  match k with O => 0%Z | S i => (distance i x y + Z.abs (x i - y i))%Z end.

(** Neighbours: one record moves from one category to another. *)
Definition adjacent (k : nat) (x y : vector) : Prop := distance k x y = 2%Z.

(** The mass of the output r at the dataset x. *)
Definition lattice (eps scale : R) (k : nat) (x r : vector) : R := scale * exp (- (eps * IZR (distance k r x) / 2)).

Lemma distance_triangle k x y z : (distance k x z <= distance k x y + distance k y z)%Z.
Proof. induction k; simpl; lia. Qed.

Lemma distance_symmetric k x y : distance k x y = distance k y x.
Proof. induction k; simpl; [reflexivity|]. rewrite IHk. lia. Qed.

Lemma distance_self k x : distance k x x = 0%Z.
Proof. induction k; simpl; [reflexivity|]. rewrite IHk. lia. Qed.

Theorem lattice_step eps scale k x y r : 0 < eps -> 0 < scale -> adjacent k x y ->
  lattice eps scale k x r <= exp eps * lattice eps scale k y r.
Proof.
  intros He Hs H. unfold lattice. assert (T := distance_triangle k r x y). rewrite H in T.
  apply IZR_le in T. rewrite plus_IZR in T.
  replace (exp eps * (scale * exp (- (eps * IZR (distance k r y) / 2))))
    with (scale * (exp eps * exp (- (eps * IZR (distance k r y) / 2)))) by ring.
  apply Rmult_le_compat_l; [lra|]. rewrite <- exp_plus. apply exp_le. nra.
Qed.

Theorem lattice_private {U} eps scale k x y (h : vector -> U) (B : U -> Prop) a b :
  0 < eps -> 0 < scale -> adjacent k x y ->
  probability (lattice eps scale k x) (fun r => B (h r)) a ->
  probability (lattice eps scale k y) (fun r => B (h r)) b -> a <= exp eps * b.
Proof.
  intros He Hs H. apply countable_private_after; [left; apply exp_pos|]. intros r. apply lattice_step; assumption.
Qed.

(** At the output x the factor exp eps is attained. *)
Theorem lattice_tight eps scale k x y : adjacent k x y -> lattice eps scale k x x = exp eps * lattice eps scale k y x.
Proof.
  intros H. unfold lattice. rewrite distance_self, H.
  replace (exp eps * (scale * exp (- (eps * IZR 2 / 2)))) with (scale * (exp eps * exp (- (eps * IZR 2 / 2)))) by ring.
  rewrite <- exp_plus. f_equal. f_equal. simpl. field.
Qed.
