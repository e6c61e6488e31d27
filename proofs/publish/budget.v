(** * The budget of a data set

    Proved: whatever is requested, in whatever order, and wherever the program stops, the amount that the file records
    as spent never exceeds the limit, and the cost of what was drawn never exceeds the recorded amount. A request is
    refused only if it does not fit. So all releases that were drawn are together private with the limit.

    Left abstract: the file, which is represented by the list of charges of an account, as exact fractions. The proof
    does not cover that SQLite commits a charge as a whole, or that nothing drawn is shown to anybody before the
    commit. These properties are the task of the program; here they are the order of the steps, in which drawn means
    that somebody may have seen it. *)
From Coq Require Import Reals Lra QArith Lqa List Qreals Lia.
From DPBI Require Import basics.sums guarantees.composition.
Import ListNotations.
Open Scope Q_scope.

Record account := { limit : Q; charges : list Q }.

Definition total (l : list Q) : Q := fold_right Qplus 0 l.
Definition spent (a : account) : Q := total (charges a).

(** A request that fits is charged; any other request leaves the account unchanged. *)
Definition affordable (a : account) (eps : Q) : bool := Qle_bool eps (limit a - spent a).
Definition spend (a : account) (eps : Q) : option account :=
  if affordable a eps then Some {| limit := limit a; charges := charges a ++ [eps] |} else None.

(** A request that is carried out: first the charge is written, then the noise is drawn. The program may stop before the
    charge, between the charge and the draw, or after the draw. *)
Inductive stop := before_charge | before_draw | after_draw.

Record state := { book : account; drawn : list Q }.

Definition request (s : state) (eps : Q) (when : stop) : state :=
  match spend (book s) eps, when with
  | None, _ => s
  | _, before_charge => s
  | Some a, before_draw => {| book := a; drawn := drawn s |}
  | Some a, after_draw => {| book := a; drawn := drawn s ++ [eps] |}
  end.

Definition run (s : state) (requests : list (Q * stop)) : state :=
  fold_left (fun s r => request s (fst r) (snd r)) requests s.

Definition opened (l : Q) : state := {| book := {| limit := l; charges := [] |}; drawn := [] |}.

Lemma total_app l l' : total (l ++ l') == total l + total l'.
Proof. induction l; simpl; [ring|]. rewrite IHl. ring. Qed.

Lemma spend_limit a eps b : spend a eps = Some b -> limit b = limit a.
Proof. unfold spend. destruct affordable; intros E; inversion E; reflexivity. Qed.

Lemma spend_within a eps b : spend a eps = Some b -> spent b <= limit b.
Proof.
  unfold spend. destruct (affordable a eps) eqn:F; intros E; inversion E; subst. unfold affordable in F.
  apply Qle_bool_iff in F. unfold spent in *. simpl. rewrite total_app. simpl. lra.
Qed.

Lemma spend_adds a eps b : spend a eps = Some b -> spent b == spent a + eps.
Proof.
  unfold spend. destruct (affordable a eps) eqn:F; intros E; inversion E; subst. unfold spent. simpl.
  rewrite total_app. simpl. ring.
Qed.

Definition sound (l : Q) (s : state) : Prop :=
  limit (book s) = l /\ spent (book s) <= l /\ total (drawn s) <= spent (book s).

Lemma request_sound l s eps when : 0 < eps -> sound l s -> sound l (request s eps when).
Proof.
  intros He (H1 & H2 & H3). unfold request. destruct (spend (book s) eps) eqn:E; [|split; [|split]; assumption].
  assert (A := spend_limit _ _ _ E). assert (B := spend_within _ _ _ E). assert (C := spend_adds _ _ _ E).
  assert (L : limit a = l) by congruence. rewrite L in B.
  destruct when; simpl; (split; [|split]); simpl; try assumption; try congruence.
  - rewrite C. lra.
  - rewrite total_app. simpl. rewrite C. lra.
Qed.

(** The recorded total never exceeds the limit, and the cost of what was drawn never exceeds the recorded total. *)
Theorem never_over_the_limit l requests : 0 <= l -> (forall r, In r requests -> 0 < fst r) ->
  let s := run (opened l) requests in
  total (drawn s) <= spent (book s) /\ spent (book s) <= l.
Proof.
  intros Hl H. assert (W : sound l (run (opened l) requests)).
  2:{ destruct W as (_ & H2 & H3). split; assumption. }
  unfold run. assert (I : sound l (opened l)) by (repeat split; unfold spent; simpl; lra).
  revert I. generalize (opened l). induction requests as [|r rs IH]; intros s I; simpl; [assumption|].
  apply IH; [intros q Hq; apply H; right; assumption|]. apply request_sound; [apply H; left; reflexivity|assumption].
Qed.

(** The limit can be reached, and only requests that do not fit are refused. *)
Theorem refused_only_if_too_much a eps : spend a eps = None <-> limit a - spent a < eps.
Proof.
  unfold spend. destruct (affordable a eps) eqn:F; unfold affordable in F.
  - apply Qle_bool_iff in F. split; [discriminate|lra].
  - split; [intros _|reflexivity]. apply Qnot_le_lt. intros L. apply Qle_bool_iff in L. congruence.
Qed.

(** ** What the limit means

    The draws are mechanisms; the number j is private with the epsilon that was charged for it, whatever was drawn
    before. Then all of them together are private with the sum, so with the limit. *)
Open Scope R_scope.

Lemma charged_private {D} (neighbour : D -> D -> Prop) m (M : D -> nat -> nat -> nat -> R) (e : list Q) :
  (0 < m)%nat -> (forall x j i, law m (M x j i)) ->
  (forall j i, (j < length e)%nat -> private neighbour (Q2R (nth j e 0%Q)) m (fun x => M x j i)) ->
  private neighbour (Q2R (total e)) (histories m (length e)) (fun x => steps m (M x) (length e)).
Proof.
  intros Hm L. induction e as [|q e IH] using rev_ind; intros H.
  - intros x y _ A. simpl. unfold total. simpl. replace (Q2R 0) with 0 by (unfold Q2R; simpl; Lra.lra). rewrite exp_0. Lra.lra.
  - rewrite app_length, Nat.add_comm. simpl length.
    rewrite (Qeq_eqR (total (e ++ [q])) (total e + q)) by (rewrite total_app; simpl; ring).
    rewrite Q2R_plus. apply approx_zero. rewrite <- (Rplus_0_r 0).
    apply (composition neighbour _ _ _ _ (histories m (length e)) m (fun x => steps m (M x) (length e))
      (fun x => M x (length e))); auto; [Lra.lra| | |].
    + intros x. apply steps_law; auto.
    + apply approx_zero, IH. intros j i Hj. specialize (H j i). rewrite app_nth1 in H by assumption.
      apply H. rewrite app_length. simpl. lia.
    + intros i Hi. apply approx_zero. specialize (H (length e) i). rewrite nth_middle in H. apply H.
      rewrite app_length. simpl. lia.
Qed.

Theorem draws_private_with_the_limit {D} (neighbour : D -> D -> Prop) m (M : D -> nat -> nat -> nat -> R)
  (l : Q) (requests : list (Q * stop)) :
  let e := drawn (run (opened l) requests) in
  (0 <= l)%Q -> (forall r, In r requests -> (0 < fst r)%Q) ->
  (0 < m)%nat -> (forall x j i, law m (M x j i)) ->
  (forall j i, (j < length e)%nat -> private neighbour (Q2R (nth j e 0%Q)) m (fun x => M x j i)) ->
  private neighbour (Q2R l) (histories m (length e)) (fun x => steps m (M x) (length e)).
Proof.
  intros e Hl Hr Hm L H. destruct (never_over_the_limit l requests Hl Hr) as [A B].
  apply private_le with (Q2R (total e)); [|intros x i Hi; apply (steps_law m (M x) (length e)); auto|].
  - apply Qle_Rle. eapply Qle_trans; eassumption.
  - apply charged_private; assumption.
Qed.
