(** * Outputs of any type

    A mechanism with infinitely many outputs assigns a mass to each of them. The probability of a set of outputs is the
    least upper bound of the finite sums of masses. Proved: a mechanism that is private for every single output is
    private for every set of outputs, and so is every function of the output. *)
From Coq Require Import Reals Lra List.
Import ListNotations.
Open Scope R_scope.

Definition sum_over {T : Type} (f : T -> R) (l : list T) : R := fold_right (fun t s => f t + s) 0 l.

(** The probability of the set [A] is [a]. *)
Definition probability {T : Type} (f : T -> R) (A : T -> Prop) (a : R) : Prop :=
  is_lub (fun s => exists l, NoDup l /\ (forall t, In t l -> A t) /\ s = sum_over f l) a.

Lemma sum_over_le {T} (f g : T -> R) c l : (forall t, f t <= c * g t) -> sum_over f l <= c * sum_over g l.
Proof. intros H. induction l as [|t l IH]; simpl; [lra|]. specialize (H t). lra. Qed.

(** Every mass differs by at most the factor [c]. *)
Theorem countable_private {T} (f g : T -> R) c A a b : 0 <= c -> (forall t, f t <= c * g t) ->
  probability f A a -> probability g A b -> a <= c * b.
Proof.
  intros Hc H [_ La] [Ub _]. apply La. intros s (l & N & I & ->).
  apply Rle_trans with (c * sum_over g l); [apply sum_over_le; assumption|].
  apply Rmult_le_compat_l; [assumption|]. apply Ub. exists l. auto.
Qed.

(** The set of outputs that a function maps into [B]. *)
Theorem countable_private_after {T U} (h : T -> U) (f g : T -> R) c (B : U -> Prop) a b : 0 <= c -> (forall t, f t <= c * g t) ->
  probability f (fun t => B (h t)) a -> probability g (fun t => B (h t)) b -> a <= c * b.
Proof. intros. eapply countable_private; eassumption. Qed.
