(** * How the two cuts of an output differ

    Proved: from the likelihoods of a private output, take three parts: the geometric noise that touches the
    likelihoods at j, their excess over this noise to the left of j, and their excess to the right. In the order left
    excess, noise, right excess, the ratio of a later part to an earlier one does not decrease as the count grows. This
    is all that the proofs of exchange inequalities use. By the Cauchy-Binet formula for two pairs of functions, sums
    preserve this order.

    Left abstract: nothing. *)
From Coq Require Import Reals Lra Lia PeanoNat.
From DPBI Require Import basics.sums mechanisms.geometric optimum.free_publication.
Open Scope R_scope.

(** ** Determinants of order two *)

(** g / f does not decrease. *)
Definition before (N : nat) (f g : nat -> R) : Prop := forall i k, (i < k)%nat -> (k < N)%nat -> f k * g i <= f i * g k.

Definition dot (N : nat) (f g : nat -> R) : R := Sum N (fun i => f i * g i).

(** The Cauchy-Binet formula for two pairs of functions. *)
Theorem cauchy_binet N f g h k : before N f g -> before N h k -> dot N f k * dot N g h <= dot N f h * dot N g k.
Proof.
  unfold dot. induction N as [|N IH]; intros B C; [simpl; lra|]. rewrite !Sum_last.
  assert (D := IH ltac:(intros i j Hi Hj; apply B; lia) ltac:(intros i j Hi Hj; apply C; lia)).
  assert (E : 0 <= Sum N (fun i => (f i * g N - f N * g i) * (h i * k N - h N * k i))).
  { apply Sum_nonneg. intros i Hi. assert (W := B i N Hi ltac:(lia)). assert (V := C i N Hi ltac:(lia)).
    apply Rmult_le_pos; lra. }
  rewrite (Sum_ext _ _ (fun i => g N * k N * (f i * h i) + f N * h N * (g i * k i) -
    (g N * h N * (f i * k i) + f N * k N * (g i * h i)))) in E by (intros; ring).
  rewrite Sum_minus, !Sum_plus, !Sum_scal in E. lra.
Qed.

Lemma before_weighted N w f g : (forall i, (i < N)%nat -> 0 <= w i) -> before N f g ->
  before N (fun i => w i * f i) (fun i => w i * g i).
Proof.
  intros Hw H i k Hi Hk. assert (V := H i k Hi Hk). assert (W := Rmult_le_pos _ _ (Hw i ltac:(lia)) (Hw k Hk)).
  replace (w k * f k * (w i * g i)) with (w i * w k * (f k * g i)) by ring.
  replace (w i * f i * (w k * g k)) with (w i * w k * (f i * g k)) by ring. apply Rmult_le_compat_l; assumption.
Qed.

Lemma dot_nonneg N f g : (forall i, (i < N)%nat -> 0 <= f i) -> (forall i, (i < N)%nat -> 0 <= g i) -> 0 <= dot N f g.
Proof. intros Hf Hg. apply Sum_nonneg. intros i Hi. apply Rmult_le_pos; auto. Qed.

(** ** Geometric noise, and the excess of an output over it *)
Section Cuts.
Variables (alpha : R) (n : nat).
Hypothesis Halpha : 0 < alpha < 1.

Lemma peak_nonneg y x : 0 <= peak alpha y x.
Proof. left. apply pow_lt. lra. Qed.

Lemma peaks_ordered y N : before N (peak alpha y) (peak alpha (S y)).
Proof.
  intros i k Hi Hk. unfold peak. rewrite <- !pow_add.
  set (b := (i - y + (y - i) + (k - S y + (S y - k)))%nat). set (c := (k - y + (y - k) + (i - S y + (S y - i)))%nat).
  assert (L : (b <= c)%nat) by (unfold b, c; lia). replace c with (b + (c - b))%nat by lia. rewrite pow_add.
  assert (B := pow_lt alpha b ltac:(lra)). assert (C := apow_le alpha Halpha (c - b)). nra.
Qed.

(** An output that is possible at one count is possible at all counts. *)
Lemma all_or_none p : cone alpha n p -> (forall x, (x <= n)%nat -> p x = 0) \/ (forall x, (x <= n)%nat -> 0 < p x).
Proof.
  intros Hp. assert (P0 : 0 <= p 0%nat) by (apply Hp; lia). destruct P0 as [P0|P0]; [right|left]; intros x Hx;
    destruct (cone_between alpha n Halpha p 0 x Hp ltac:(lia)) as [A B]; assert (V := pow_lt alpha (x - 0) ltac:(lra)).
  - assert (W := Rmult_lt_0_compat _ _ V P0). lra.
  - assert (U : 0 <= p x) by (apply Hp; assumption). nra.
Qed.

Variables (p : nat -> R) (j : nat).
Hypothesis Hp : cone alpha n p.
Hypothesis Hj : (0 < j < n)%nat.

(** The largest noise below p, and the excess of p over this noise to the left and to the right of j. *)
Definition under (x : nat) : R := p j * peak alpha j x.
Definition more_left (x : nat) : R := if x <=? j then p x - under x else 0.
Definition more_right (x : nat) : R := if x <=? j then 0 else p x - under x.

Lemma under_nonneg x : 0 <= under x.
Proof. apply Rmult_le_pos; [apply Hp; lia|apply peak_nonneg]. Qed.

Lemma under_below x : (x <= n)%nat -> under x <= p x.
Proof.
  intros Hx. unfold under, peak. destruct (Nat.le_ge_cases x j) as [L|L].
  - replace (x - j + (j - x))%nat with (j - x)%nat by lia.
    assert (W := cone_between alpha n Halpha p x j Hp ltac:(lia)). lra.
  - replace (x - j + (j - x))%nat with (x - j)%nat by lia.
    assert (W := cone_between alpha n Halpha p j x Hp ltac:(lia)). lra.
Qed.

Lemma more_left_nonneg x : (x < S n)%nat -> 0 <= more_left x.
Proof. intros Hx. unfold more_left. assert (W := under_below x ltac:(lia)). destruct (x <=? j); lra. Qed.

Lemma more_right_nonneg x : (x < S n)%nat -> 0 <= more_right x.
Proof. intros Hx. unfold more_right. assert (W := under_below x ltac:(lia)). destruct (x <=? j); lra. Qed.

Lemma left_before_under : before (S n) more_left under.
Proof.
  intros i k Hi Hk. unfold more_left at 1. destruct (Nat.leb_spec k j) as [L|L].
  - unfold more_left. replace (i <=? j) with true by (symmetry; apply Nat.leb_le; lia).
    assert (W := cone_between alpha n Halpha p i k Hp ltac:(lia)). destruct W as [_ W].
    assert (E : under i = alpha ^ (k - i) * under k).
    { unfold under, peak. replace (i - j + (j - i))%nat with (k - i + (k - j + (j - k)))%nat by lia. rewrite pow_add. ring. }
    assert (V := under_nonneg k). rewrite E. nra.
  - rewrite Rmult_0_l. apply Rmult_le_pos; [apply more_left_nonneg; lia|apply under_nonneg].
Qed.

Lemma under_before_right : before (S n) under more_right.
Proof.
  intros i k Hi Hk. unfold more_right at 1. destruct (Nat.leb_spec i j) as [L|L].
  - rewrite Rmult_0_r. apply Rmult_le_pos; [apply under_nonneg|apply more_right_nonneg; lia].
  - unfold more_right. replace (k <=? j) with false by (symmetry; apply Nat.leb_gt; lia).
    assert (W := cone_between alpha n Halpha p i k Hp ltac:(lia)). destruct W as [W _].
    assert (E : under k = alpha ^ (k - i) * under i).
    { unfold under, peak. replace (k - j + (j - k))%nat with (k - i + (i - j + (j - i)))%nat by lia. rewrite pow_add. ring. }
    assert (V := under_nonneg i). rewrite E. nra.
Qed.

Lemma left_before_right : before (S n) more_left more_right.
Proof.
  intros i k Hi Hk. apply Rle_trans with 0.
  - right. unfold more_left, more_right. destruct (Nat.leb_spec k j), (Nat.leb_spec i j); try lia; ring.
  - apply Rmult_le_pos; [apply more_left_nonneg|apply more_right_nonneg]; lia.
Qed.

(** With weights of the counts: the noise A, and D and E to the left and to the right of it. *)
Theorem three_parts w : (forall x, (x < S n)%nat -> 0 <= w x) -> exists A D E : nat -> R,
  (forall x, (x < S n)%nat -> 0 <= A x /\ 0 <= D x /\ 0 <= E x) /\
  (before (S n) D A /\ before (S n) A E /\ before (S n) D E) /\
  (forall x, A x = w x * (p j * peak alpha j x)) /\
  (forall x, w x * p x = A x + D x + E x) /\
  (forall x, w x * left_cut alpha p j x = A x + D x) /\
  (forall x, w x * right_cut alpha p j x = A x + E x).
Proof.
  intros Hw. exists (fun x => w x * under x), (fun x => w x * more_left x), (fun x => w x * more_right x).
  split; [|split; [split; [|split]|split; [|split; [|split]]]].
  - intros x Hx. assert (P := Hw x Hx). repeat split; apply Rmult_le_pos; try assumption;
      [apply under_nonneg|apply more_left_nonneg, Hx|apply more_right_nonneg, Hx].
  - apply before_weighted; [assumption|apply left_before_under].
  - apply before_weighted; [assumption|apply under_before_right].
  - apply before_weighted; [assumption|apply left_before_right].
  - reflexivity.
  - intros x. unfold more_left, more_right. destruct (x <=? j); ring.
  - intros x. rewrite <- Rmult_plus_distr_l. f_equal. assert (V := cuts_add_up alpha p j x).
    unfold more_left, under. unfold left_cut, right_cut in *. destruct (x <=? j); lra.
  - intros x. rewrite <- Rmult_plus_distr_l. f_equal. assert (V := cuts_add_up alpha p j x).
    unfold more_right, under. unfold left_cut, right_cut in *. destruct (x <=? j); lra.
Qed.
End Cuts.
