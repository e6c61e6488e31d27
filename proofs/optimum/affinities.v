(** * The exchange inequality for the squared Hellinger distance

    The largest weighted sum of affinities between the distributions of the counts and any published distribution is a
    norm. Proved: this norm satisfies the exchange inequality of [optimum.free_publication] if the table of the
    affinities between the distributions of the counts has no negative entry and no negative determinant of order two.
    So the geometric mechanism has the least weighted mean of every loss that is one minus an affinity. No derivative
    is used: the inequality follows from four inequalities between products, which the Cauchy-Binet formula gives.

    Left abstract: the distributions, of which only the affinities appear here. [optimum.root_mean] is about
    distributions on finitely many parameters, [optimum.root_mean_beta] about the posteriors of counts. *)
From Coq Require Import Reals Lra Lia PeanoNat.
From DPBI Require Import basics.sums mechanisms.geometric optimum.losses optimum.free_publication
  optimum.cuts.
Open Scope R_scope.

(** ** The exchange inequality, for norms *)

(** With a, d, e the squares of A, D, E, and s, t, u the products AD, AE, DE: |A + D + E| + |A| <= |A + D| + |A + E|. *)
Lemma norms_exchange a d e s t u : 0 <= a -> 0 <= d -> 0 <= e -> 0 <= s -> 0 <= t -> 0 <= u ->
  u * a <= s * t -> u * s <= t * d -> u * t <= s * e -> u * u <= d * e ->
  sqrt (a + d + e + 2 * s + 2 * t + 2 * u) + sqrt a <= sqrt (a + d + 2 * s) + sqrt (a + e + 2 * t).
Proof.
  intros Ha Hd He Hs Ht Hu H1 H2 H3 H4.
  set (P2 := a + d + e + 2 * s + 2 * t + 2 * u). set (L2 := a + d + 2 * s). set (R2 := a + e + 2 * t).
  set (X := s * t + s * e + t * d).
  assert (HP : 0 <= P2) by (unfold P2; lra). assert (HL : 0 <= L2) by (unfold L2; lra).
  assert (HR : 0 <= R2) by (unfold R2; lra).
  assert (Hst : 0 <= s * t) by (apply Rmult_le_pos; assumption).
  assert (Hse : 0 <= s * e) by (apply Rmult_le_pos; assumption).
  assert (Htd : 0 <= t * d) by (apply Rmult_le_pos; assumption).
  assert (HX : 0 <= X) by (unfold X; lra).
  assert (A : u * P2 <= (s + d + u) * (t + e + u)) by (unfold P2; lra).
  assert (B : u * a * (u * P2) <= X * X).
  { apply Rle_trans with (s * t * ((s + d + u) * (t + e + u))).
    - assert (0 <= u * a) by (apply Rmult_le_pos; assumption). assert (0 <= u * P2) by (apply Rmult_le_pos; assumption).
      apply Rmult_le_compat; assumption.
    - assert (E1 : 0 <= s * t * (s * e - u * t)) by (apply Rmult_le_pos; lra).
      assert (E2 : 0 <= s * t * (t * d - u * s)) by (apply Rmult_le_pos; lra).
      assert (E3 : 0 <= s * t * (d * e - u * u)) by (apply Rmult_le_pos; lra).
      assert (E4 : 0 <= s * e * (s * e - u * t)) by (apply Rmult_le_pos; lra).
      assert (E5 : 0 <= t * d * (t * d - u * s)) by (apply Rmult_le_pos; lra).
      unfold X. lra. }
  assert (QP := sqrt_pos P2). assert (QA := sqrt_pos a). assert (QL := sqrt_pos L2). assert (QR := sqrt_pos R2).
  assert (SP := sqrt_sqrt P2 HP). assert (SA := sqrt_sqrt a Ha). assert (SL := sqrt_sqrt L2 HL). assert (SR := sqrt_sqrt R2 HR).
  set (p := sqrt P2) in *. set (c := sqrt a) in *. set (l := sqrt L2) in *. set (r := sqrt R2) in *.
  assert (Hpc : 0 <= p * c) by (apply Rmult_le_pos; assumption).
  assert (Hlr : 0 <= l * r) by (apply Rmult_le_pos; assumption).
  assert (C : u * (p * c) <= X).
  { apply Rsqr_incr_0; [|apply Rmult_le_pos; assumption|assumption]. unfold Rsqr.
    replace (u * (p * c) * (u * (p * c))) with (u * (c * c) * (u * (p * p))) by ring. rewrite SP, SA. exact B. }
  assert (D : u + p * c <= l * r).
  { apply Rsqr_incr_0; [|lra|assumption]. unfold Rsqr.
    replace (l * r * (l * r)) with (l * l * (r * r)) by ring. rewrite SL, SR.
    replace ((u + p * c) * (u + p * c)) with (u * u + 2 * (u * (p * c)) + p * p * (c * c)) by ring. rewrite SP, SA.
    unfold P2, L2, R2. unfold X in C. lra. }
  apply Rsqr_incr_0; [|lra|lra]. unfold Rsqr.
  replace ((p + c) * (p + c)) with (p * p + c * c + 2 * (p * c)) by ring.
  replace ((l + r) * (l + r)) with (l * l + r * r + 2 * (l * r)) by ring. rewrite SP, SA, SL, SR.
  unfold P2, L2, R2. lra.
Qed.

(** ** Affinities *)

(** A symmetric table of affinities without negative entries and without negative determinants of order two. *)
Definition ordered_affinities (N : nat) (M : nat -> nat -> R) : Prop :=
  (forall i k, M i k = M k i) /\ (forall i k, (i < N)%nat -> (k < N)%nat -> 0 <= M i k) /\
  (forall i j, (i < j)%nat -> (j < N)%nat -> before N (M i) (M j)).

Section Affinities.
Variables (N : nat) (M : nat -> nat -> R).
Hypothesis HM : ordered_affinities N M.

(** The bilinear form that the affinities define, at two combinations. *)
Definition form (f g : nat -> R) : R := dot N (fun x => dot N (M x) f) g.

Lemma form_ext f f' g g' : (forall x, (x < N)%nat -> f x = f' x) -> (forall x, (x < N)%nat -> g x = g' x) ->
  form f g = form f' g'.
Proof.
  intros H H'. apply Sum_ext. intros i Hi. rewrite H' by assumption. f_equal. apply Sum_ext. intros k Hk.
  rewrite H by assumption. reflexivity.
Qed.

Lemma form_sym f g : form f g = form g f.
Proof.
  unfold form, dot. rewrite (Sum_ext N _ (fun x => Sum N (fun z => M x z * f z * g x)))
    by (intros; rewrite Sum_scal_r; reflexivity).
  rewrite Sum_swap. apply Sum_ext. intros x _. rewrite <- Sum_scal_r. apply Sum_ext. intros z _.
  destruct HM as [S _]. rewrite (S z x). ring.
Qed.

Lemma form_plus f g h : form f (fun x => g x + h x) = form f g + form f h.
Proof. unfold form, dot. rewrite <- Sum_plus. apply Sum_ext. intros. ring. Qed.

Lemma form_scal c f g : form f (fun x => c * g x) = c * form f g.
Proof. unfold form, dot. rewrite <- Sum_scal. apply Sum_ext. intros. ring. Qed.

Lemma form_square f g : form (fun x => f x + g x) (fun x => f x + g x) = form f f + form g g + 2 * form f g.
Proof. rewrite form_plus, !(form_sym (fun x => f x + g x)), !form_plus, (form_sym g f). ring. Qed.

Lemma form_nonneg f g : (forall x, (x < N)%nat -> 0 <= f x) -> (forall x, (x < N)%nat -> 0 <= g x) -> 0 <= form f g.
Proof.
  intros Hf Hg. apply dot_nonneg; [|assumption]. intros i Hi. apply dot_nonneg; [|assumption].
  destruct HM as (_ & Q & _). auto.
Qed.

(** Applying the affinities preserves the order of two combinations. *)
Lemma before_affinities f g : before N f g -> before N (fun x => dot N (M x) f) (fun x => dot N (M x) g).
Proof.
  intros H i k Hi Hk. assert (W := cauchy_binet N (M i) (M k) f g). destruct HM as (_ & _ & D).
  specialize (W (D i k Hi Hk) H). lra.
Qed.

Theorem form_binet f g h k : before N f g -> before N h k -> form f k * form g h <= form f h * form g k.
Proof. intros H H'. apply cauchy_binet; [apply before_affinities, H|exact H']. Qed.

Definition norm (f : nat -> R) : R := sqrt (form f f).

Lemma norm_scal c f : 0 <= c -> norm (fun x => c * f x) = c * norm f.
Proof.
  intros Hc. unfold norm. rewrite form_scal, form_sym, form_scal, <- Rmult_assoc.
  rewrite sqrt_mult_alt by nra. rewrite sqrt_square by assumption. reflexivity.
Qed.

(** The norm of a sum is at most the sum of the norms, if one comes before the other. *)
Lemma norm_plus f g : (forall x, (x < N)%nat -> 0 <= f x) -> (forall x, (x < N)%nat -> 0 <= g x) -> before N f g ->
  norm (fun x => f x + g x) <= norm f + norm g.
Proof.
  intros Hf Hg H. unfold norm. rewrite form_square.
  assert (F := form_nonneg f f Hf Hf). assert (G := form_nonneg g g Hg Hg). assert (D := form_nonneg f g Hf Hg).
  assert (W := form_binet f g f g H H). rewrite (form_sym g f) in W.
  assert (Q := sqrt_pos (form f f)). assert (Q' := sqrt_pos (form g g)).
  assert (P : form f g <= sqrt (form f f) * sqrt (form g g)).
  { rewrite <- sqrt_mult by assumption. rewrite <- (sqrt_square (form f g)) by assumption. apply sqrt_le_1_alt, W. }
  apply Rsqr_incr_0; [|apply sqrt_pos|lra]. rewrite Rsqr_sqrt by lra. unfold Rsqr.
  assert (S := sqrt_sqrt _ F). assert (S' := sqrt_sqrt _ G). nra.
Qed.
End Affinities.

(** ** Weighted likelihoods *)
Section Weighted.
Variables (alpha : R) (n : nat) (M : nat -> nat -> R) (w : nat -> R).
Hypothesis Halpha : 0 < alpha < 1.
Hypothesis HM : ordered_affinities (S n) M.
Hypothesis Hw : forall x, (x < S n)%nat -> 0 <= w x.

(** The largest weighted sum of affinities between the distributions of the counts and any published distribution. *)
Definition most (p : nat -> R) : R := norm (S n) M (fun x => w x * p x).

Lemma weighted_nonneg f : (forall x, (x < S n)%nat -> 0 <= f x) -> forall x, (x < S n)%nat -> 0 <= w x * f x.
Proof. intros H x Hx. apply Rmult_le_pos; auto. Qed.

Lemma most_gain : gain alpha n most.
Proof.
  unfold most. split; [|split].
  - intros p p' H. unfold norm. f_equal. apply form_ext; intros x Hx; rewrite H by lia; reflexivity.
  - intros y c _ Hc. rewrite <- norm_scal by assumption. unfold norm. f_equal. apply form_ext; intros; ring.
  - intros y c d Hy Hc Hd. set (f := fun x => w x * peak alpha y x). set (g := fun x => w x * peak alpha (S y) x).
    rewrite <- !(norm_scal (S n) M HM) by assumption.
    eapply Rle_trans; [|apply (norm_plus (S n) M HM (fun x => c * f x) (fun x => d * g x))].
    + right. unfold norm. f_equal. apply form_ext; intros; unfold f, g; ring.
    + intros x Hx. apply Rmult_le_pos; [assumption|]. apply weighted_nonneg; [intros; apply peak_nonneg, Halpha|assumption].
    + intros x Hx. apply Rmult_le_pos; [assumption|]. apply weighted_nonneg; [intros; apply peak_nonneg, Halpha|assumption].
    + intros i k Hi Hk. assert (W := before_weighted (S n) w _ _ Hw (peaks_ordered alpha Halpha y (S n)) i k Hi Hk).
      assert (V := Rmult_le_pos _ _ Hc Hd). unfold f, g. nra.
Qed.

(** ** The exchange inequality *)
Theorem most_exchange : exchange alpha n most.
Proof.
  intros p j Hp Hj. destruct (three_parts alpha n Halpha p j Hp Hj w Hw) as
    (A & D & E & Pos & (BD & BE & BDE) & EA & EP & EL & ER).
  unfold most. rewrite <- (norm_scal (S n) M HM) by (apply Hp; lia).
  assert (F := form_binet (S n) M HM). assert (Y := form_sym (S n) M HM).
  assert (Z : forall f g h, (forall x, f x = g x + h x) ->
    norm (S n) M f = sqrt (form (S n) M g g + form (S n) M h h + 2 * form (S n) M g h)).
  { intros f g h H. unfold norm. rewrite <- form_square by assumption. f_equal. apply form_ext; auto. }
  rewrite (Z _ _ _ EL), (Z _ _ _ ER), (Z (fun x => w x * p x) (fun x => A x + D x) E EP).
  rewrite (form_square (S n) M HM), (Y (fun x => A x + D x) E), form_plus, (Y E A), (Y E D).
  replace (norm (S n) M (fun x => p j * (w x * peak alpha j x))) with (norm (S n) M A).
  2:{ unfold norm. f_equal. apply form_ext; intros; rewrite EA; ring. }
  eapply Rle_trans; [|apply (norms_exchange (form (S n) M A A) (form (S n) M D D) (form (S n) M E E)
    (form (S n) M A D) (form (S n) M A E) (form (S n) M D E))]; try (apply form_nonneg; auto; intros; apply Pos; assumption).
  - right. unfold norm. f_equal. f_equal. ring.
  - assert (V := F D A A E BD BE). rewrite (Y D A) in V. exact V.
  - assert (V := F D A D E BD BDE). lra.
  - assert (V := F A E D E BE BDE). rewrite (Y E D) in V. lra.
  - assert (V := F D E D E BDE BDE). rewrite (Y E D) in V. exact V.
Qed.
End Weighted.

(** ** Losses that are one minus an affinity *)

(** d x o is the loss of a mechanism at the count x with the output o, and d' x y is the loss of the geometric
    mechanism. If the affinities of the mechanism are at most the norm at every output, and those of the geometric
    mechanism attain the norm, the geometric mechanism is best. *)
Theorem best_if_bounded eps n m M w (P d d' : nat -> nat -> R) : 0 < eps -> (0 < n)%nat ->
  ordered_affinities (S n) M -> (forall x, (x < S n)%nat -> 0 <= w x) -> private_finite eps n m P ->
  (forall o, (o < S m)%nat ->
    Sum (S n) (fun x => w x * P x o * (1 - d x o)) <= norm (S n) M (fun x => w x * P x o)) ->
  (forall y, (y < S n)%nat -> Sum (S n) (fun x => w x * geoc (exp (- eps)) n x y * (1 - d' x y)) =
    norm (S n) M (fun x => w x * geoc (exp (- eps)) n x y)) ->
  Sum (S n) (fun x => w x * mean (S n) (geoc (exp (- eps)) n x) (d' x)) <=
  Sum (S n) (fun x => w x * mean (S m) (P x) (d x)).
Proof.
  intros He Hn HM Hw HP HC HC'. assert (Ha := alpha_range eps He).
  assert (B := geometric_best eps n m P (most n M w) He Hn HP (most_gain _ n M w Ha HM Hw) (most_exchange _ n M w Ha HM Hw)).
  assert (E : forall k (Q e : nat -> nat -> R), (forall x, (x < S n)%nat -> Sum k (Q x) = 1) ->
    Sum (S n) (fun x => w x * mean k (Q x) (e x)) =
    Sum (S n) w - Sum k (fun o => Sum (S n) (fun x => w x * Q x o * (1 - e x o)))).
  { intros k Q e H. rewrite Sum_swap, <- Sum_minus. apply Sum_ext. intros x Hx. unfold mean.
    rewrite (Sum_ext k (fun o => w x * Q x o * (1 - e x o)) (fun o => w x * (Q x o - Q x o * e x o))) by (intros; ring).
    rewrite Sum_scal, Sum_minus, H by assumption. ring. }
  rewrite !E.
  - assert (C := Sum_le (S m) _ _ HC). assert (C' := Sum_ext (S n) _ _ HC'). unfold most in B. lra.
  - intros x Hx. apply HP. lia.
  - intros x Hx. apply geoc_total; [assumption..|lia].
Qed.

(** The Cauchy-Schwarz inequality in a form that is linear in the squares. *)
Lemma product_below a b c : 0 < c -> 2 * (a * b) <= / c * (a * a) + c * (b * b).
Proof.
  intros Hc. apply Rmult_le_reg_l with c; [assumption|].
  replace (c * (/ c * (a * a) + c * (b * b))) with (a * a + c * b * (c * b)) by (field; lra).
  assert (W := Rle_0_sqr (a - c * b)). unfold Rsqr in W. lra.
Qed.

Lemma below_root s v : 0 <= v -> (forall c, 0 < c -> 2 * s <= / c * v + c) -> s <= sqrt v.
Proof.
  intros Hv H. assert (Q := sqrt_pos v). assert (S := sqrt_sqrt v Hv). apply Rnot_lt_le. intros L.
  set (c := s). assert (Hc : 0 < c) by (unfold c; lra). assert (W := H c Hc).
  apply Rmult_le_compat_l with (r := c) in W; [|lra].
  replace (c * (/ c * v + c)) with (v + c * c) in W by (field; lra). unfold c in *. nra.
Qed.
