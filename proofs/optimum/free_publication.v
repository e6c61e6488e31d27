(** * The best mechanism when anything may be published

    U p is the largest gain from an output with the likelihoods p at the counts 0..n, when the best publication is
    chosen for this output. Proved: if U is homogeneous and convex and satisfies the exchange inequality, no private
    mechanism with finitely many outputs has a larger gain than the geometric mechanism. Anything may be published:
    only U depends on it. The proof cuts the likelihoods at every count strictly between 0 and n; the remaining pieces
    are combinations of the likelihoods of geometric noise.

    Left abstract: U, and the proof of its exchange inequality. [optimum.affinities] proves the inequality for the
    squared Hellinger distance, [optimum.negentropy] for the Kullback-Leibler divergence, and [optimum.decisions] for
    ordered actions. *)
From Coq Require Import Reals Lra Lia ZArith PeanoNat Bool.
From DPBI Require Import basics.sums mechanisms.geometric optimum.losses.
Open Scope R_scope.

(** The likelihoods that an output of a private mechanism can have at the counts 0..n. *)
Definition cone (alpha : R) (n : nat) (p : nat -> R) : Prop :=
  (forall x, (x <= n)%nat -> 0 <= p x) /\
  (forall x, (x < n)%nat -> alpha * p x <= p (S x) /\ alpha * p (S x) <= p x).

(** The likelihoods of geometric noise with the output y, up to a factor. *)
Definition peak (alpha : R) (y x : nat) : R := alpha ^ (x - y + (y - x)).

(** Cuts at j: p on one side of j, and the fastest possible decrease on the other. *)
Definition left_cut (alpha : R) (p : nat -> R) (j x : nat) : R := if x <=? j then p x else p j * alpha ^ (x - j).
Definition right_cut (alpha : R) (p : nat -> R) (j x : nat) : R := if x <=? j then p j * alpha ^ (j - x) else p x.

(** The assumptions on U: it depends only on the likelihoods at 0..n, is homogeneous on the likelihoods of geometric
    noise, and is convex between the likelihoods of neighbouring outputs. *)
Definition gain (alpha : R) (n : nat) (U : (nat -> R) -> R) : Prop :=
  (forall p q, (forall x, (x <= n)%nat -> p x = q x) -> U p = U q) /\
  (forall y c, (y <= n)%nat -> 0 <= c -> U (fun x => c * peak alpha y x) = c * U (peak alpha y)) /\
  (forall y c d, (y < n)%nat -> 0 <= c -> 0 <= d ->
    U (fun x => c * peak alpha y x + d * peak alpha (S y) x) <= c * U (peak alpha y) + d * U (peak alpha (S y))).

(** The exchange inequality: the gains of p and of the noise at j add up to at most those of the two cuts of p at j. *)
Definition exchange (alpha : R) (n : nat) (U : (nat -> R) -> R) : Prop := forall p j, cone alpha n p -> (0 < j < n)%nat ->
  U p + p j * U (peak alpha j) <= U (left_cut alpha p j) + U (right_cut alpha p j).

(** A function that is homogeneous and convex everywhere satisfies these assumptions. *)
Lemma convex_gain alpha n U : 0 < alpha ->
  (forall p q, (forall x, (x <= n)%nat -> p x = q x) -> U p = U q) ->
  (forall c p, 0 <= c -> (forall x, 0 <= p x) -> U (fun x => c * p x) = c * U p) ->
  (forall p q, (forall x, 0 <= p x) -> (forall x, 0 <= q x) -> U (fun x => (p x + q x) / 2) <= (U p + U q) / 2) ->
  gain alpha n U.
Proof.
  intros Ha Ue Uh Uc. assert (Q : forall y x, 0 <= peak alpha y x) by (intros; left; apply pow_lt, Ha).
  split; [exact Ue|]. split; [intros; apply Uh; auto|]. intros y c d _ Hc Hd.
  assert (P : forall e z, 0 <= e -> forall x, 0 <= 2 * e * peak alpha z x).
  { intros e z He x. apply Rmult_le_pos; [lra|apply Q]. }
  assert (W := Uc (fun x => 2 * c * peak alpha y x) (fun x => 2 * d * peak alpha (S y) x) (P c y Hc) (P d (S y) Hd)).
  rewrite !Uh in W by (auto; lra). eapply Rle_trans; [|eapply Rle_trans; [exact W|right; field]].
  right. apply Ue. intros x _. field.
Qed.

Section Frame.
Variables (alpha : R) (n : nat).
Hypothesis Halpha : 0 < alpha < 1.

Notation q := (peak alpha).
Notation K := (cone alpha n).

Lemma square_below_one : 0 < 1 - alpha ^ 2.
Proof. simpl. nra. Qed.

(** How much the likelihood of a private output can decrease and increase over several steps. *)
Lemma cone_far p x k : K p -> (x + k <= n)%nat -> alpha ^ k * p x <= p (x + k)%nat /\ alpha ^ k * p (x + k)%nat <= p x.
Proof.
  intros [P0 P1]. induction k as [|k IH]; intros Hk; [rewrite Nat.add_0_r; simpl; lra|].
  destruct (IH ltac:(lia)) as [A B]. destruct (P1 (x + k)%nat ltac:(lia)) as [C D].
  replace (x + S k)%nat with (S (x + k)) by lia. simpl pow. assert (W := pow_lt alpha k ltac:(lra)). split; nra.
Qed.

Lemma cone_between p x y : K p -> (x <= y <= n)%nat -> alpha ^ (y - x) * p x <= p y /\ alpha ^ (y - x) * p y <= p x.
Proof.
  intros HK H. assert (W := cone_far p x (y - x) HK). replace (x + (y - x))%nat with y in W by lia. apply W. lia.
Qed.

Lemma twice_below v : 0 <= v -> alpha * (alpha * v) <= v.
Proof. assert (W := square_below_one). simpl in W. nra. Qed.

(** The sum of the two cuts is the sum of p and the noise, and both cuts are likelihoods of a private output. *)
Theorem cuts_add_up p j x : p x + p j * q j x = left_cut alpha p j x + right_cut alpha p j x.
Proof.
  unfold left_cut, right_cut, peak. destruct (Nat.leb_spec x j).
  - replace (x - j + (j - x))%nat with (j - x)%nat by lia. ring.
  - replace (x - j + (j - x))%nat with (x - j)%nat by lia. ring.
Qed.

Theorem left_cut_private p j : K p -> (j <= n)%nat -> K (left_cut alpha p j).
Proof.
  intros [P0 P1] Hj. assert (Pj := P0 j Hj). split; intros x Hx; unfold left_cut.
  - destruct (Nat.leb_spec x j); [apply P0; assumption|]. apply Rmult_le_pos; [assumption|left; apply pow_lt; lra].
  - assert (V : 0 <= p j * alpha ^ (x - j)) by (apply Rmult_le_pos; [assumption|left; apply pow_lt; lra]).
    assert (W := twice_below _ V). destruct (Nat.leb_spec x j), (Nat.leb_spec (S x) j); try lia.
    + apply P1; assumption.
    + replace x with j in * by lia. replace (S j - j)%nat with 1%nat by lia. rewrite Nat.sub_diag in W. simpl in *. lra.
    + replace (S x - j)%nat with (S (x - j)) by lia. simpl pow. lra.
Qed.

Theorem right_cut_private p j : K p -> (j <= n)%nat -> K (right_cut alpha p j).
Proof.
  intros [P0 P1] Hj. assert (Pj := P0 j Hj). split; intros x Hx; unfold right_cut.
  - destruct (Nat.leb_spec x j); [|apply P0; assumption]. apply Rmult_le_pos; [assumption|left; apply pow_lt; lra].
  - assert (V : 0 <= p j * alpha ^ (j - S x)) by (apply Rmult_le_pos; [assumption|left; apply pow_lt; lra]).
    assert (W := twice_below _ V). destruct (Nat.leb_spec x j), (Nat.leb_spec (S x) j); try lia.
    + replace (j - x)%nat with (S (j - S x)) by lia. simpl pow. lra.
    + replace x with j in * by lia. rewrite Nat.sub_diag. simpl. rewrite Rmult_1_r. apply P1; assumption.
    + apply P1; assumption.
Qed.

(** ** The pieces between two neighbouring counts that remain after all cuts *)
Hypothesis Hn : (0 < n)%nat.

Definition low (p : nat -> R) (i : nat) : R := (p i - alpha * p (S i)) / (1 - alpha ^ 2).
Definition high (p : nat -> R) (i : nat) : R := (p (S i) - alpha * p i) / (1 - alpha ^ 2).
Definition piece (p : nat -> R) (i x : nat) : R := low p i * q i x + high p i * q (S i) x.

Lemma weights_nonneg p i : K p -> (i < n)%nat -> 0 <= low p i /\ 0 <= high p i.
Proof.
  intros [_ P1] Hi. destruct (P1 i Hi) as [A B]. assert (W := Rinv_0_lt_compat _ square_below_one).
  split; apply Rmult_le_pos; lra.
Qed.

Lemma piece_values p i x : piece p i x = if x <=? i then p i * alpha ^ (i - x) else p (S i) * alpha ^ (x - S i).
Proof.
  assert (W := square_below_one). unfold piece, low, high, peak. destruct (Nat.leb_spec x i).
  - replace (x - i + (i - x))%nat with (i - x)%nat by lia. replace (x - S i + (S i - x))%nat with (S (i - x)) by lia.
    simpl pow in *. field. lra.
  - replace (x - i + (i - x))%nat with (S (x - S i)) by lia. replace (x - S i + (S i - x))%nat with (x - S i)%nat by lia.
    simpl pow in *. field. lra.
Qed.

Lemma left_of_right p i x : left_cut alpha (right_cut alpha p i) (S i) x = piece p i x.
Proof.
  rewrite piece_values. unfold left_cut, right_cut.
  replace (S i <=? i) with false by (symmetry; apply Nat.leb_gt; lia).
  destruct (Nat.leb_spec x (S i)), (Nat.leb_spec x i); try lia; try reflexivity.
  replace x with (S i) by lia. rewrite Nat.sub_diag. simpl. ring.
Qed.

Lemma right_of_right p i x : right_cut alpha (right_cut alpha p i) (S i) x = right_cut alpha p (S i) x.
Proof.
  unfold right_cut. replace (S i <=? i) with false by (symmetry; apply Nat.leb_gt; lia).
  destruct (Nat.leb_spec x (S i)), (Nat.leb_spec x i); try lia; reflexivity.
Qed.

(** The coefficients of the likelihoods of geometric noise in p. *)
Definition share (p : nat -> R) (y : nat) : R :=
  (if y <? n then low p y else 0) + match y with O => 0 | S i => high p i end - (if (0 <? y) && (y <? n) then p y else 0).

Lemma share_sum p Q : Sum (S n) (fun y => share p y * Q y) =
  Sum n (fun i => low p i * Q i + high p i * Q (S i)) - Sum (n - 1) (fun i => p (S i) * Q (S i)).
Proof.
  unfold share. destruct n as [|m]; [lia|]. replace (S m - 1)%nat with m by lia.
  rewrite (Sum_ext _ _ (fun y => (if y <? S m then low p y else 0) * Q y +
    match y with O => 0 | S i => high p i * Q (S i) end - (if (0 <? y) && (y <? S m) then p y else 0) * Q y)).
  2:{ intros [|i] _; ring. }
  rewrite Sum_minus, !Sum_plus. f_equal; [f_equal|].
  - rewrite Sum_last, Nat.ltb_irrefl, Rmult_0_l, Rplus_0_r. apply Sum_ext. intros i Hi.
    apply Nat.ltb_lt in Hi. rewrite Hi. reflexivity.
  - rewrite Sum_first, Rplus_0_l. reflexivity.
  - rewrite Sum_last, Nat.ltb_irrefl, andb_false_r, Rmult_0_l, Rplus_0_r, Sum_first. simpl (0 <? 0)%nat.
    rewrite andb_false_l, Rmult_0_l, Rplus_0_l. apply Sum_ext. intros i Hi.
    replace (S i <? S m) with true by (symmetry; apply Nat.ltb_lt; lia). reflexivity.
Qed.

Section Gain.
Variable U : (nat -> R) -> R.
Hypothesis U_gain : gain alpha n U.
Hypothesis U_exchange : exchange alpha n U.

Lemma cut_by_cut p k : K p -> (k < n)%nat ->
  U p + Sum k (fun i => p (S i) * U (q (S i))) <= Sum k (fun i => U (piece p i)) + U (right_cut alpha p k).
Proof.
  intros HK. destruct U_gain as (Ue & _ & _). induction k as [|k IH]; intros Hk.
  - simpl. rewrite (Ue p (right_cut alpha p 0)); [lra|]. intros x _. unfold right_cut.
    destruct (Nat.leb_spec x 0); [|reflexivity]. replace x with 0%nat by lia. simpl. ring.
  - specialize (IH ltac:(lia)). rewrite !Sum_last.
    assert (W := U_exchange (right_cut alpha p k) (S k) (right_cut_private p k HK ltac:(lia)) ltac:(lia)).
    rewrite (Ue (left_cut alpha (right_cut alpha p k) (S k)) (piece p k)) in W by (intros; apply left_of_right).
    rewrite (Ue (right_cut alpha (right_cut alpha p k) (S k)) (right_cut alpha p (S k))) in W by (intros; apply right_of_right).
    unfold right_cut at 2 in W. replace (S k <=? k) with false in W by (symmetry; apply Nat.leb_gt; lia). lra.
Qed.

(** The gain of an output is at most the gain of the same combination of outputs of geometric noise. *)
Theorem below_the_peaks p : K p -> U p <= Sum (S n) (fun y => share p y * U (q y)).
Proof.
  intros HK. assert (W := cut_by_cut p (n - 1) HK ltac:(lia)). destruct U_gain as (Ue & _ & Uc). rewrite share_sum.
  rewrite (Ue (right_cut alpha p (n - 1)) (piece p (n - 1))) in W.
  2:{ intros x Hx. rewrite piece_values. unfold right_cut. destruct (Nat.leb_spec x (n - 1)); [reflexivity|].
      replace x with (S (n - 1)) by lia. rewrite Nat.sub_diag. simpl. ring. }
  rewrite <- Sum_last in W. replace (S (n - 1)) with n in W by lia.
  assert (V : Sum n (fun i => U (piece p i)) <= Sum n (fun i => low p i * U (q i) + high p i * U (q (S i)))); [|lra].
  apply Sum_le. intros i Hi. destruct (weights_nonneg p i HK Hi). apply Uc; assumption.
Qed.
End Gain.

(** The decomposition: p itself is this combination. The coefficients strictly between 0 and n can be negative. *)
Theorem decomposition p x : K p -> (x <= n)%nat -> p x = Sum (S n) (fun y => share p y * q y x).
Proof.
  intros HK Hx. apply Rle_antisym.
  - apply (below_the_peaks (fun p => p x)); [|intros r j _ _; assert (W := cuts_add_up r j x); lra|assumption].
    split; [auto|]. split; intros; lra.
  - assert (W : - p x <= Sum (S n) (fun y => share p y * - q y x)).
    { apply (below_the_peaks (fun p => - p x)); [|intros r j _ _; assert (W := cuts_add_up r j x); lra|assumption].
      split; [intros; f_equal; auto|]. split; intros; lra. }
    rewrite (Sum_ext _ _ (fun y => -1 * (share p y * q y x))) in W by (intros; ring). rewrite Sum_scal in W. lra.
Qed.

(** ** All outputs together *)
Lemma share_of_sum m (P : nat -> nat -> R) y : (y <= n)%nat ->
  Sum m (fun o => share (fun x => P x o) y) = share (fun x => Sum m (P x)) y.
Proof.
  intros Hy. unfold share, low, high, Rdiv. induction m as [|m IH].
  - simpl. destruct (y <? n), y; simpl; ring.
  - rewrite Sum_last, IH. destruct (y <? n), y; simpl; ring.
Qed.

Lemma share_local p p' y : (forall x, (x <= n)%nat -> p x = p' x) -> (y <= n)%nat -> share p y = share p' y.
Proof.
  intros H Hy. unfold share, low, high. destruct y as [|y].
  - destruct (Nat.ltb_spec 0 n); [rewrite (H 0%nat), (H 1%nat) by lia; reflexivity|lia].
  - rewrite (H (S y)), (H y) by lia. destruct (Nat.ltb_spec (S y) n); [rewrite (H (S (S y))) by lia|]; reflexivity.
Qed.

(** For a certain event, whose likelihoods are all one, the coefficients give the geometric mechanism. *)
Lemma share_one x y : (x <= n)%nat -> (y <= n)%nat -> share (fun _ => 1) y * q y x = geoc alpha n x y.
Proof.
  intros Hx Hy. assert (W := square_below_one). simpl in W. unfold share, low, high, geoc, geo, peak.
  destruct (Nat.ltb_spec y n) as [L|L].
  - destruct y as [|y].
    + replace (x - 0 + (0 - x))%nat with x by lia. simpl. field. lra.
    + replace (0 <? S y) with true by reflexivity. replace (S y =? 0) with false by reflexivity.
      replace (S y =? n) with false by (symmetry; apply Nat.eqb_neq; lia). cbv [andb].
      replace (Z.abs_nat (Z.of_nat (S y) - Z.of_nat x)) with (x - S y + (S y - x))%nat by lia.
      simpl (alpha ^ 2). field. lra.
  - replace y with n by lia. rewrite andb_false_r. replace (x - n + (n - x))%nat with (n - x)%nat by lia.
    destruct n as [|m]; [lia|]. simpl (S m =? 0). rewrite Nat.eqb_refl. simpl (alpha ^ 2). field. lra.
Qed.

Lemma share_nonneg y : (y <= n)%nat -> 0 <= share (fun _ => 1) y.
Proof.
  intros Hy. assert (W := share_one y y Hy Hy). unfold peak in W. rewrite Nat.sub_diag in W. simpl in W.
  rewrite Rmult_1_r in W. rewrite W. left. apply geoc_pos, Halpha.
Qed.

Theorem mechanism_below U m (P : nat -> nat -> R) : gain alpha n U -> exchange alpha n U ->
  (forall o, (o <= m)%nat -> K (fun x => P x o)) -> (forall x, (x <= n)%nat -> Sum (S m) (P x) = 1) ->
  Sum (S m) (fun o => U (fun x => P x o)) <= Sum (S n) (fun y => U (fun x => geoc alpha n x y)).
Proof.
  intros HU HE HK H1. destruct HU as (Ue & Uh & Uc).
  apply Rle_trans with (Sum (S m) (fun o => Sum (S n) (fun y => share (fun x => P x o) y * U (q y)))).
  - apply Sum_le. intros o Ho. apply below_the_peaks; [split; auto|assumption|apply HK; lia].
  - right. rewrite Sum_swap. apply Sum_ext. intros y Hy. rewrite Sum_scal_r, share_of_sum by lia.
    rewrite (share_local _ (fun _ => 1)) by (intros; try apply H1; lia). rewrite <- Uh by (try apply share_nonneg; lia).
    apply Ue. intros x Hx. apply share_one; lia.
Qed.
End Frame.

(** The likelihoods of a private output. *)
Lemma private_cone eps n m P : private_finite eps n m P -> forall o, (o <= m)%nat -> cone (exp (- eps)) n (fun x => P x o).
Proof.
  intros [HL HP] o Ho. split; [intros x Hx; apply HL; [assumption|lia]|].
  intros x Hx. split; apply exp_cancel; apply (private_pointwise (neighbour n) eps (S m) P); try assumption; try lia;
    unfold neighbour; lia.
Qed.

(** No private mechanism gains more than the geometric mechanism. *)
Theorem geometric_best eps n m (P : nat -> nat -> R) (U : (nat -> R) -> R) : 0 < eps -> (0 < n)%nat ->
  private_finite eps n m P -> gain (exp (- eps)) n U -> exchange (exp (- eps)) n U ->
  Sum (S m) (fun o => U (fun x => P x o)) <= Sum (S n) (fun y => U (fun x => geoc (exp (- eps)) n x y)).
Proof.
  intros He Hn HP HU HE. apply mechanism_below; try assumption; [apply alpha_range, He|apply private_cone, HP|].
  intros; apply HP; assumption.
Qed.
