(** * Finite sums, finite distributions, events and privacy

    [Sum n f] is [f 0 + ... + f (n-1)]. A distribution ([law]) on the outputs 0 .. n-1 is a function of the output; an
    event is a set of outputs, given by its indicator; a mechanism assigns a distribution to every dataset. Datasets
    may be of any type, with any neighbour relation. Proved: the facts about sums that the other files use, and that
    privacy for every output is equivalent to privacy for every event. *)
Require Import Reals Lra Lia.
Open Scope R_scope.

Fixpoint Sum (n : nat) (f : nat -> R) : R :=
  match n with O => 0 | S k => Sum k f + f k end.

Lemma Sum_last n f : Sum (S n) f = Sum n f + f n.
Proof. reflexivity. Qed.

Lemma Sum_ext n f g : (forall i, (i < n)%nat -> f i = g i) -> Sum n f = Sum n g.
Proof.
  induction n; simpl; intros H; [reflexivity|].
  rewrite IHn by (intros; apply H; lia). rewrite H by lia. reflexivity.
Qed.

Lemma Sum_le n f g : (forall i, (i < n)%nat -> f i <= g i) -> Sum n f <= Sum n g.
Proof.
  induction n; simpl; intros H; [lra|].
  specialize (IHn ltac:(intros; apply H; lia)). specialize (H n ltac:(lia)). lra.
Qed.

Lemma Sum_lt n f g : (0 < n)%nat -> (forall i, (i < n)%nat -> f i < g i) -> Sum n f < Sum n g.
Proof.
  destruct n; [lia|]. intros _ H. simpl.
  assert (Sum n f <= Sum n g) by (apply Sum_le; intros; apply Rlt_le, H; lia).
  specialize (H n ltac:(lia)). lra.
Qed.

Lemma Sum_0 n : Sum n (fun _ => 0) = 0.
Proof. induction n; simpl; lra. Qed.

Lemma Sum_const n c : Sum n (fun _ => c) = INR n * c.
Proof. induction n; [simpl; lra|]. rewrite S_INR. simpl Sum. rewrite IHn. ring. Qed.

Lemma Sum_nonneg n f : (forall i, (i < n)%nat -> 0 <= f i) -> 0 <= Sum n f.
Proof. intros H. rewrite <- (Sum_0 n). apply Sum_le; assumption. Qed.

Lemma Sum_pos n f : (0 < n)%nat -> (forall i, (i < n)%nat -> 0 < f i) -> 0 < Sum n f.
Proof. intros Hn H. rewrite <- (Sum_0 n). apply Sum_lt; assumption. Qed.

Lemma Sum_plus n f g : Sum n (fun i => f i + g i) = Sum n f + Sum n g.
Proof. induction n; simpl; lra. Qed.

Lemma Sum_minus n f g : Sum n (fun i => f i - g i) = Sum n f - Sum n g.
Proof. induction n; simpl; lra. Qed.

Lemma Sum_scal n c f : Sum n (fun i => c * f i) = c * Sum n f.
Proof. induction n; simpl; [lra|]. rewrite IHn. ring. Qed.

Lemma Sum_scal_r n c f : Sum n (fun i => f i * c) = Sum n f * c.
Proof. induction n; simpl; [lra|]. rewrite IHn. ring. Qed.

Lemma Sum_swap n m f : Sum n (fun i => Sum m (fun j => f i j)) = Sum m (fun j => Sum n (fun i => f i j)).
Proof.
  induction n; simpl; [symmetry; apply Sum_0|].
  rewrite IHn, <- Sum_plus. reflexivity.
Qed.

Lemma Sum_tele n f : Sum n (fun i => f (S i) - f i) = f n - f O.
Proof. induction n; simpl; lra. Qed.

Lemma Sum_first n f : Sum (S n) f = f O + Sum n (fun i => f (S i)).
Proof. induction n; simpl in *; [ring|]. rewrite IHn. ring. Qed.

Lemma Sum_term n f k : (forall i, (i < n)%nat -> 0 <= f i) -> (k < n)%nat -> f k <= Sum n f.
Proof.
  induction n; intros H Hk; [lia|]. simpl.
  destruct (Nat.eq_dec k n) as [->|].
  - assert (0 <= Sum n f) by (apply Sum_nonneg; intros; apply H; lia). lra.
  - assert (f k <= Sum n f) by (apply IHn; [intros; apply H|]; lia).
    specialize (H n ltac:(lia)). lra.
Qed.

Lemma Sum_abel m (p l : nat -> R) :
  Sum (S m) (fun j => p j * l j) =
  Sum (S m) p * l m - Sum m (fun j => Sum (S j) p * (l (S j) - l j)).
Proof.
  induction m; [simpl; ring|].
  change (Sum (S (S m)) (fun j => p j * l j)) with (Sum (S m) (fun j => p j * l j) + p (S m) * l (S m)).
  rewrite IHm.
  change (Sum (S (S m)) p) with (Sum (S m) p + p (S m)).
  change (Sum (S m) (fun j => Sum (S j) p * (l (S j) - l j)))
    with (Sum m (fun j => Sum (S j) p * (l (S j) - l j)) + Sum (S m) p * (l (S m) - l m)).
  ring.
Qed.

(** ** Events and privacy *)
Definition event := nat -> bool.
Definition ind (A : event) (i : nat) : R := if A i then 1 else 0.
Definition Prob (n : nat) (p : nat -> R) (A : event) : R := Sum n (fun i => p i * ind A i).
Definition compl (A : event) : event := fun i => negb (A i).

Definition law (n : nat) (p : nat -> R) : Prop :=
  (forall i, (i < n)%nat -> 0 <= p i) /\ Sum n p = 1.

(** Differential privacy, for every event. *)
Definition private {D : Type} (neighbour : D -> D -> Prop) (eps : R) (n : nat) (M : D -> nat -> R) : Prop :=
  forall x y, neighbour x y -> forall A, Prob n (M x) A <= exp eps * Prob n (M y) A.

Lemma ind_range A i : 0 <= ind A i <= 1.
Proof. unfold ind; destruct (A i); lra. Qed.

Lemma Prob_compl n p A : Prob n p A + Prob n p (compl A) = Sum n p.
Proof.
  unfold Prob. rewrite <- Sum_plus. apply Sum_ext; intros.
  unfold ind, compl; destruct (A i); simpl; ring.
Qed.

Lemma Prob_nonneg n p A : (forall i, (i < n)%nat -> 0 <= p i) -> 0 <= Prob n p A.
Proof.
  intros H. apply Sum_nonneg; intros i Hi.
  specialize (H i Hi). assert (W := ind_range A i). apply Rmult_le_pos; lra.
Qed.

Lemma pointwise_private {D} (neighbour : D -> D -> Prop) eps n M :
  (forall x y i, neighbour x y -> (i < n)%nat -> M x i <= exp eps * M y i) ->
  private neighbour eps n M.
Proof.
  intros H x y Hxy A. unfold Prob. rewrite <- Sum_scal. apply Sum_le; intros i Hi.
  rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [apply ind_range|apply H; assumption].
Qed.

(** A mechanism that is private for one epsilon is private for every larger epsilon. *)
Lemma private_le {D} (neighbour : D -> D -> Prop) eps eps' n M : eps <= eps' ->
  (forall x i, (i < n)%nat -> 0 <= M x i) -> private neighbour eps n M -> private neighbour eps' n M.
Proof.
  intros He H0 H x y Hxy A. eapply Rle_trans; [apply H; eassumption|].
  apply Rmult_le_compat_r; [apply Prob_nonneg; intros; apply H0; assumption|].
  destruct He as [He|He]; [left; apply exp_increasing; assumption|rewrite He; lra].
Qed.

Lemma Prob_single n p i : (i < n)%nat -> Prob n p (fun j => Nat.eqb j i) = p i.
Proof.
  intros Hi. unfold Prob. induction n; [lia|]. simpl. destruct (Nat.eq_dec i n) as [->|N].
  - unfold ind at 2. rewrite Nat.eqb_refl. rewrite (Sum_ext n _ (fun _ => 0)); [rewrite Sum_0; ring|].
    intros j Hj. unfold ind. replace (Nat.eqb j n) with false by (symmetry; apply Nat.eqb_neq; lia). ring.
  - rewrite IHn by lia. unfold ind. replace (Nat.eqb n i) with false by (symmetry; apply Nat.eqb_neq; lia). ring.
Qed.

(** The converse: privacy for every event implies privacy for every output. *)
Lemma private_pointwise {D} (neighbour : D -> D -> Prop) eps n M x y i :
  private neighbour eps n M -> neighbour x y -> (i < n)%nat -> M x i <= exp eps * M y i.
Proof. intros H Hxy Hi. assert (W := H x y Hxy (fun j => Nat.eqb j i)). rewrite !Prob_single in W; assumption. Qed.

(** The output z is replaced by j with probability [T z j]. *)
Definition remap (n : nat) (p : nat -> R) (T : nat -> nat -> R) (j : nat) : R := Sum n (fun z => p z * T z j).

Lemma private_combination {D} (neighbour : D -> D -> Prop) eps n M (h : nat -> R) :
  (forall x y i, neighbour x y -> (i < n)%nat -> M x i <= exp eps * M y i) ->
  (forall i, (i < n)%nat -> 0 <= h i) ->
  forall x y, neighbour x y -> Sum n (fun z => M x z * h z) <= exp eps * Sum n (fun z => M y z * h z).
Proof.
  intros H Hh x y Hxy. rewrite <- Sum_scal. apply Sum_le; intros i Hi.
  rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [apply Hh; assumption|apply H; assumption].
Qed.
