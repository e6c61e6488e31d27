(** * One crossing, most powerful tests and bounds

    Proved: as the count grows, the difference between the probability of a private event and the probability that the
    count with geometric noise and a uniform number is below a threshold changes sign at most once, from negative to
    positive. So if a private event is at least as probable as this event under one distribution of the count, the
    same is true under every distribution whose likelihood ratio to the first one increases with the count. The test
    that rejects where the p-value of the noisy count and the uniform number is at most a level has exactly that size.
    No private test of at most that size has more power against any distribution with an increasing likelihood ratio.
    For a binomial count the test is uniformly most powerful, and the lower bound on the share that follows from the
    test exceeds every number below the share at least as often as any private bound does (One crossing, One-sided
    questions, Tests and Bounds of the page on optimality).

    Left abstract: a private mechanism is represented by an event, that is, by its probability at every count. The
    noisy count is clamped to 0..n. The uniform distribution of a number enters as the length of the interval in which
    the number lies. *)
From Coq Require Import Reals Lra Lia ZArith PeanoNat.
From Coquelicot Require Import Coquelicot.
From DPBI Require Import basics.sums mechanisms.geometric optimum.domination.
Open Scope R_scope.

(** The probabilities of an event, one for each count: it and its complement are private. *)
Definition private_event (eps : R) (n : nat) (f : nat -> R) : Prop :=
  (forall x, (x <= n)%nat -> 0 <= f x <= 1) /\
  forall x y, neighbour n x y -> f x <= exp eps * f y /\ 1 - f x <= exp eps * (1 - f y).

(** The likelihood ratio of b to a increases with the count. *)
Definition ratio_rises (n : nat) (a b : nat -> R) : Prop :=
  forall x y, (x < y <= n)%nat -> a y * b x <= a x * b y.

(** The probability of an event if the count has the distribution b. *)
Definition chance (n : nat) (b f : nat -> R) : R := Sum (S n) (fun x => b x * f x).

(** The event that the noisy count plus the uniform number is below h, and its complement. *)
Definition below (eps : R) (n : nat) (h : R) (x : nat) : R :=
  Sum (S n) (fun z => geoc (exp (- eps)) n x z * clip (h - INR z)).
Definition rejects (eps : R) (n : nat) (h : R) (x : nat) : R := 1 - below eps n h x.

(** The mass of the noisy count z, and the p-value for the distribution b at the noisy count z and uniform number u. *)
Definition noisy (eps : R) (n : nat) (b : nat -> R) (z : nat) : R := chance n b (fun x => geoc (exp (- eps)) n x z).
Definition pvalue (eps : R) (n : nat) (b : nat -> R) (z : nat) (u : R) : R :=
  (1 - Sum (S z) (noisy eps n b)) + (1 - u) * noisy eps n b z.

(** The smallest sum of noisy count and uniform number at which the p-value is at most the level. *)
Definition threshold (eps : R) (n : nat) (level : R) (b : nat -> R) : R :=
  Sum (S n) (fun z => clip ((1 - level - Sum z (noisy eps n b)) / noisy eps n b z)).

(** The distribution of the count of n independent records. *)
Definition binomial (n : nat) (theta : R) (x : nat) : R := Binomial.C n x * theta ^ x * (1 - theta) ^ (n - x).

Lemma bracket_sum (q : nat -> R) f N : 0 <= f <= Sum N q -> (0 < N)%nat ->
  exists s, (s < N)%nat /\ Sum s q <= f <= Sum (S s) q.
Proof.
  induction N; [lia|]. intros Hf _. destruct (Rle_lt_dec (Sum N q) f) as [L|L].
  - exists N. split; [lia|]. split; [assumption|apply Hf].
  - destruct N as [|N]; [simpl in L; lra|].
    destruct IHN as (s & H1 & H2); [lra|lia|]. exists s; split; [lia|assumption].
Qed.

Lemma first_place n (P : nat -> Prop) : (forall x, P x \/ ~ P x) ->
  (exists j, (j <= n)%nat /\ P j /\ forall x, (x < j)%nat -> ~ P x) \/ forall x, (x <= n)%nat -> ~ P x.
Proof.
  intros D. induction n as [|n [(j & Hj & H)|N]].
  - destruct (D 0%nat); [left; exists 0%nat; repeat split; [lia|assumption|intros; lia]|right; intros x Hx].
    replace x with 0%nat by lia. assumption.
  - left. exists j. split; [lia|assumption].
  - destruct (D (S n)); [left; exists (S n); repeat split; [lia|assumption|intros; apply N; lia]|right; intros x Hx].
    destruct (Nat.eq_dec x (S n)) as [->|]; [assumption|apply N; lia].
Qed.

Section Noise.
Variables (eps : R) (n : nat).
Hypothesis He : 0 < eps.
Hypothesis Hn : (0 < n)%nat.
Let q := exp (- eps).
Let Hq : 0 < q < 1 := alpha_range eps He.

Lemma private_event_step f x : private_event eps n f -> (x < n)%nat -> phi q (f x) <= f (S x).
Proof.
  intros [_ H] Hx. apply (private_step eps n (fun y (_ : R) => f y)); [|exact 0|assumption].
  intros a b _ N. apply H; assumption.
Qed.

(** ** One crossing *)
Theorem crossing f h x y : private_event eps n f -> 0 <= h <= INR (S n) -> (x <= y <= n)%nat ->
  (below eps n h x <= f x -> below eps n h y <= f y) /\ (below eps n h x < f x -> below eps n h y < f y).
Proof.
  intros Hf Hh [Hxy Hy]. induction Hxy as [|y Hxy IH]; [split; trivial|].
  destruct (IH ltac:(lia)) as [I1 I2]. assert (W := private_event_step f y Hf ltac:(lia)).
  assert (E : below eps n h (S y) = phi q (below eps n h y)) by (apply (orbit q n Hq Hn); [lia|assumption]).
  rewrite E. split; intros H.
  - eapply Rle_trans; [apply (phi_le q Hq), I1, H|exact W].
  - eapply Rlt_le_trans; [apply (phi_lt q Hq), I2, H|exact W].
Qed.

(** ** One-sided questions *)
Lemma weigh (D a b : nat -> R) j : (forall x, (x <= n)%nat -> 0 <= a x /\ 0 <= b x) -> ratio_rises n a b ->
  (j <= n)%nat -> 0 < a j -> (forall x, (x < j)%nat -> a x = 0 \/ D x <= 0) ->
  (forall x, (j <= x <= n)%nat -> 0 <= D x) -> b j / a j * chance n a D <= chance n b D.
Proof.
  intros Hab Hr Hj Aj Lo Up. set (k := b j / a j). assert (Ek : k * a j = b j) by (unfold k; field; lra).
  unfold chance. rewrite <- Sum_scal. apply Sum_le. intros x Hx. destruct (Hab x ltac:(lia)) as [Ax Bx].
  destruct (le_lt_dec j x) as [Le|Lt].
  - assert (Dx := Up x ltac:(lia)). assert (k * a x <= b x); [|nra]. destruct (Nat.eq_dec j x) as [<-|]; [lra|].
    assert (W := Hr j x ltac:(lia)). apply Rmult_le_reg_r with (a j); [assumption|]. nra.
  - assert (W := Hr x j ltac:(lia)).
    assert (bx : b x <= k * a x) by (apply Rmult_le_reg_r with (a j); [assumption|nra]).
    destruct (Lo x Lt) as [Z|Z]; [|nra]. rewrite Z in *. replace (b x) with 0 by lra. lra.
Qed.

Lemma chance_minus c f g : chance n c (fun x => f x - g x) = chance n c f - chance n c g.
Proof. unfold chance. rewrite <- Sum_minus. apply Sum_ext; intros. ring. Qed.

Theorem one_sided f h a b : private_event eps n f -> 0 <= h <= INR (S n) ->
  (forall x, (x <= n)%nat -> 0 <= a x /\ 0 <= b x) -> (exists x, (x <= n)%nat /\ 0 < a x) -> ratio_rises n a b ->
  chance n a (below eps n h) <= chance n a f -> chance n b (below eps n h) <= chance n b f.
Proof.
  intros Hf Hh Hab (x0 & Hx0 & A0) Hr Hle. set (D := fun x => f x - below eps n h x).
  assert (Ha : 0 <= chance n a D) by (unfold D; rewrite chance_minus; lra).
  cut (0 <= chance n b D); [unfold D; rewrite chance_minus; lra|].
  assert (Dec : forall x, (0 < a x /\ 0 <= D x) \/ ~ (0 < a x /\ 0 <= D x)).
  { intros x. destruct (Rlt_dec 0 (a x)), (Rle_dec 0 (D x)); tauto. }
  destruct (first_place n _ Dec) as [(j & Hj & [Aj Dj] & L)|N].
  - apply Rle_trans with (b j / a j * chance n a D).
    { apply Rmult_le_pos; [apply Rdiv_le_0_compat; [apply Hab|]|]; assumption. }
    apply weigh; try assumption.
    + intros x Hx. destruct (Hab x ltac:(lia)) as [[P|P] _]; [right|left; lra].
      apply Rnot_lt_le. intros Q. apply (L x Hx). split; lra.
    + intros x Hx. destruct (crossing f h j x Hf Hh Hx) as [C _]. unfold D in *. assert (W := C ltac:(lra)). lra.
  - exfalso. assert (M : forall x, (x <= n)%nat -> 0 < a x -> D x < 0).
    { intros x Hx P. apply Rnot_le_lt. intros Q. apply (N x Hx). auto. }
    assert (W : chance n a D < Sum (S n) (fun _ => 0)); [|rewrite Sum_0 in W; lra].
    apply (Sum_lt_one (S n) _ _ x0); [|lia|assert (V := M x0 Hx0 A0); nra].
    intros x Hx. destruct (Hab x ltac:(lia)) as [[P|P] _]; [assert (V := M x ltac:(lia) P); nra|rewrite <- P; lra].
Qed.

Theorem one_sided_strict f h a b : private_event eps n f -> 0 <= h <= INR (S n) ->
  (forall x, (x <= n)%nat -> 0 <= a x /\ 0 <= b x) -> (exists x, (x <= n)%nat /\ 0 < b x) -> ratio_rises n a b ->
  chance n a (below eps n h) < chance n a f -> chance n b (below eps n h) < chance n b f.
Proof.
  intros Hf Hh Hab (x0 & Hx0 & B0) Hr Hlt. set (D := fun x => f x - below eps n h x).
  assert (Ha : 0 < chance n a D) by (unfold D; rewrite chance_minus; lra).
  cut (0 < chance n b D); [unfold D; rewrite chance_minus; lra|].
  assert (Dec : forall x, (0 < a x /\ 0 < D x) \/ ~ (0 < a x /\ 0 < D x)).
  { intros x. destruct (Rlt_dec 0 (a x)), (Rlt_dec 0 (D x)); tauto. }
  destruct (first_place n _ Dec) as [(j & Hj & [Aj Dj] & L)|N].
  - assert (Up : forall x, (j <= x <= n)%nat -> 0 < D x).
    { intros x Hx. destruct (crossing f h j x Hf Hh Hx) as [_ C]. unfold D in *. assert (W := C ltac:(lra)). lra. }
    assert (W : b j / a j * chance n a D <= chance n b D).
    { apply weigh; try assumption; [|intros; left; apply Up; assumption].
      intros x Hx. destruct (Hab x ltac:(lia)) as [[P|P] _]; [right|left; lra].
      apply Rnot_lt_le. intros Q. apply (L x Hx). auto. }
    destruct (proj2 (Hab j Hj)) as [Bj|Bj].
    + eapply Rlt_le_trans; [|exact W]. apply Rmult_lt_0_compat; [apply Rdiv_lt_0_compat|]; assumption.
    + assert (Low : forall x, (x < j)%nat -> b x = 0).
      { intros x Hx. assert (V := Hr x j ltac:(lia)). destruct (Hab x ltac:(lia)) as [_ Bx]. nra. }
      assert (V : Sum (S n) (fun _ => 0) < chance n b D); [|rewrite Sum_0 in V; assumption].
      apply (Sum_lt_one (S n) _ _ x0); [|lia|].
      * intros x Hx. destruct (le_lt_dec j x) as [Le|Lt]; [|rewrite Low by assumption; lra].
        assert (V := Up x ltac:(lia)). destruct (Hab x ltac:(lia)) as [_ Bx]. nra.
      * destruct (le_lt_dec j x0) as [Le|Lt]; [|rewrite Low in B0 by assumption; lra].
        apply Rmult_lt_0_compat; [assumption|apply Up; lia].
  - exfalso. assert (W : chance n a D <= Sum (S n) (fun _ => 0)); [|rewrite Sum_0 in W; lra].
    apply Sum_le. intros x Hx. destruct (Hab x ltac:(lia)) as [[P|P] _]; [|rewrite <- P; lra].
    assert (V : D x <= 0) by (apply Rnot_lt_le; intros Q; apply (N x); [lia|auto]). nra.
Qed.

(** ** The p-value *)
Lemma noisy_pos b z : law (S n) b -> 0 < noisy eps n b z.
Proof.
  intros [B0 B1]. assert (N : exists x, (x < S n)%nat /\ 0 < b x).
  { assert (W : forall m, 0 < Sum m b -> (forall x, (x < m)%nat -> 0 <= b x) -> exists x, (x < m)%nat /\ 0 < b x).
    { induction m; simpl; [intros; lra|]. intros P Q.
      destruct (Q m ltac:(lia)) as [Z|Z]; [exists m; split; [lia|assumption]|].
      destruct IHm as (x & Hx & P'); [lra|intros; apply Q; lia|]. exists x. split; [lia|assumption]. }
    apply W; [lra|assumption]. }
  destruct N as (x & Hx & P). unfold noisy, chance.
  apply Rlt_le_trans with (b x * geoc q n x z); [apply Rmult_lt_0_compat; [assumption|apply (geoc_pos q Hq)]|].
  apply (Sum_term (S n) (fun x => b x * geoc q n x z)); [|assumption].
  intros i Hi. apply Rmult_le_pos; [apply B0; assumption|left; apply (geoc_pos q Hq)].
Qed.

Lemma noisy_cdf b s : Sum s (noisy eps n b) = chance n b (fun x => Sum s (geoc q n x)).
Proof. unfold noisy, chance. rewrite Sum_swap. apply Sum_ext; intros. rewrite Sum_scal. reflexivity. Qed.

Lemma noisy_total b : law (S n) b -> Sum (S n) (noisy eps n b) = 1.
Proof.
  intros [_ B1]. rewrite noisy_cdf, <- B1. apply Sum_ext; intros x Hx.
  rewrite (geoc_total q Hq n x Hn) by lia. ring.
Qed.

Lemma chance_below b s lam : (s <= n)%nat -> 0 <= lam <= 1 ->
  chance n b (below eps n (INR s + lam)) = Sum s (noisy eps n b) + lam * noisy eps n b s.
Proof.
  intros Hs Hl. rewrite noisy_cdf. unfold noisy, chance. rewrite <- Sum_scal, <- Sum_plus. apply Sum_ext; intros x Hx.
  unfold below. fold q. assert (W := g_threshold q n Hn x s lam Hs Hl). unfold g in W. rewrite W. unfold q. ring.
Qed.

Lemma pvalue_below b z u : (z <= n)%nat -> 0 <= u <= 1 -> pvalue eps n b z u = 1 - chance n b (below eps n (INR z + u)).
Proof. intros Hz Hu. rewrite chance_below by assumption.
  unfold pvalue. rewrite Sum_last. ring. Qed.

Lemma chance_complement b f : law (S n) b -> chance n b (fun x => 1 - f x) = 1 - chance n b f.
Proof.
  intros [_ B1]. rewrite (chance_minus b (fun _ => 1) f). f_equal. unfold chance.
  transitivity (Sum (S n) b); [apply Sum_ext; intros; ring|assumption].
Qed.

Lemma threshold_value level b : law (S n) b -> 0 <= level <= 1 ->
  0 <= threshold eps n level b <= INR (S n) /\ chance n b (below eps n (threshold eps n level b)) = 1 - level.
Proof.
  intros Hb Hl. set (m := noisy eps n b). assert (M : forall z, 0 < m z) by (intros; apply noisy_pos; assumption).
  assert (Mono : forall i j, (i <= j)%nat -> Sum i m <= Sum j m).
  { intros i j H. induction H as [|j H IH]; [lra|]. rewrite Sum_last. assert (W := M j). lra. }
  destruct (bracket_sum m (1 - level) (S n)) as (s & Hs & B); [unfold m; rewrite noisy_total by assumption; lra|lia|].
  set (lam := (1 - level - Sum s m) / m s).
  assert (Ms := M s). assert (Hlam : 0 <= lam <= 1).
  { simpl in B. unfold lam. split; [apply Rle_div_r|apply Rle_div_l]; lra. }
  assert (E : threshold eps n level b = INR s + lam).
  { unfold threshold. fold m. rewrite <- (Rmult_1_r (INR s)), <- Sum_const.
    replace (Sum s (fun _ => 1) + lam) with (Sum s (fun _ => 1) + lam * 1) by ring.
    rewrite <- (sum_threshold n Hn (fun _ => 1) s lam (S n) Hlam Hs). apply Sum_ext; intros i Hi. rewrite Rmult_1_l.
    destruct (lt_eq_lt_dec i s) as [[L|E]|L].
    - rewrite !clip_1; [reflexivity| |].
      + assert (W : INR (S i) <= INR s) by (apply le_INR; lia). rewrite S_INR in W. lra.
      + apply Rle_div_r; [apply M|]. assert (W := Mono (S i) s L). simpl in W. lra.
    - subst i. f_equal. unfold lam. ring.
    - rewrite !clip_0; [reflexivity| |].
      + assert (W : INR (S s) <= INR i) by (apply le_INR; lia). rewrite S_INR in W. lra.
      + apply Rle_div_l; [apply M|]. assert (W := Mono (S s) i L). lra. }
  rewrite E. assert (W : INR (S s) <= INR (S n)) by (apply le_INR; lia). rewrite S_INR in W.
  assert (P := pos_INR s). split; [lra|]. rewrite chance_below by (assumption || lia). fold m. unfold lam. field. lra.
Qed.

Lemma chance_below_lt b h k : law (S n) b -> 0 <= h -> h < k -> k <= INR (S n) ->
  chance n b (below eps n h) < chance n b (below eps n k).
Proof.
  intros Hb H0 Hlt H1. assert (Q : forall x, (x < S n)%nat -> below eps n h x < below eps n k x).
  { intros x _. apply (g_lt q n Hq); assumption. }
  destruct Hb as [B0 B1]. apply Rnot_le_lt. intros N.
  assert (Z : Sum (S n) (fun x => b x * (below eps n k x - below eps n h x)) <= 0).
  { assert (E : Sum (S n) (fun x => b x * (below eps n k x - below eps n h x)) =
      chance n b (below eps n k) - chance n b (below eps n h)); [|lra].
    unfold chance. rewrite <- Sum_minus. apply Sum_ext; intros; ring. }
  assert (T : forall x, (x < S n)%nat -> b x = 0).
  { intros x Hx. assert (W := Sum_term (S n) (fun x => b x * (below eps n k x - below eps n h x)) x).
    simpl in W. assert (V := Q x Hx). assert (U := B0 x Hx).
    assert (b x * (below eps n k x - below eps n h x) <= 0); [|nra].
    eapply Rle_trans; [apply W|exact Z]; [|assumption]. intros i Hi. assert (A := Q i Hi). assert (B := B0 i Hi). nra. }
  rewrite (Sum_ext (S n) b (fun _ => 0)), Sum_0 in B1 by assumption. lra.
Qed.

(** The p-value is at most the level where the noisy count plus the uniform number is at least the threshold. *)
Theorem pvalue_threshold level b z u : law (S n) b -> 0 <= level <= 1 -> (z <= n)%nat -> 0 <= u < 1 ->
  pvalue eps n b z u <= level <-> threshold eps n level b <= INR z + u.
Proof.
  intros Hb Hl Hz Hu. rewrite pvalue_below by (assumption || lra).
  destruct (threshold_value level b Hb Hl) as [R1 E].
  assert (Z := pos_INR z). assert (W : INR (S z) <= INR (S n)) by (apply le_INR; lia). rewrite S_INR in W.
  split; intros H.
  - apply Rnot_lt_le. intros L.
    assert (V := chance_below_lt b (INR z + u) (threshold eps n level b) Hb ltac:(lra) L ltac:(lra)). lra.
  - destruct H as [L|L]; [|rewrite <- L; lra].
    assert (V := chance_below_lt b (threshold eps n level b) (INR z + u) Hb ltac:(lra) L ltac:(lra)). lra.
Qed.

(** ** Tests *)
Lemma private_complement f : private_event eps n f -> private_event eps n (fun x => 1 - f x).
Proof.
  intros [R1 P1]. split.
  - intros x Hx. specialize (R1 x Hx). lra.
  - intros x y N. destruct (P1 x y N) as [A B]. split; [assumption|]. replace (1 - (1 - f x)) with (f x) by ring.
    replace (1 - (1 - f y)) with (f y) by ring. assumption.
Qed.

Lemma law_some b : law (S n) b -> exists x, (x <= n)%nat /\ 0 < b x.
Proof.
  intros [B0 B1]. destruct (first_place n (fun x => 0 < b x)) as [(j & Hj & P & _)|N].
  - intros x. destruct (Rlt_dec 0 (b x)); tauto.
  - exists j. split; assumption.
  - assert (W : Sum (S n) b <= Sum (S n) (fun _ => 0)); [|rewrite Sum_0 in W; lra].
    apply Sum_le. intros x Hx. apply Rnot_lt_le, N. lia.
Qed.

Lemma laws_nonneg a b : law (S n) a -> law (S n) b -> forall x, (x <= n)%nat -> 0 <= a x /\ 0 <= b x.
Proof. intros Ha Hb x Hx. split; [apply Ha|apply Hb]; lia. Qed.

Lemma one_sided_laws f h a b : private_event eps n f -> 0 <= h <= INR (S n) -> law (S n) a -> law (S n) b ->
  ratio_rises n a b -> chance n a (below eps n h) <= chance n a f -> chance n b (below eps n h) <= chance n b f.
Proof.
  intros Hf Hh Ha Hb. apply one_sided; try assumption; [apply laws_nonneg|apply law_some]; assumption.
Qed.

Lemma below_range h x : (x <= n)%nat -> 0 <= below eps n h x <= 1.
Proof.
  intros Hx. rewrite <- (geoc_total q Hq n x Hn Hx). split; [apply Sum_nonneg|apply Sum_le]; intros z Hz;
    assert (G := geoc_pos q Hq n x z); assert (W := clip_range (h - INR z)); unfold q in *; nra.
Qed.

(** A threshold is itself private, and so is its complement. *)
Lemma below_private h : private_event eps n (below eps n h).
Proof.
  split; [intros; apply below_range; assumption|]. intros x y N.
  assert (G : forall u v z, neighbour n u v -> (z < S n)%nat -> geoc q n u z <= exp eps * geoc q n v z).
  { intros u v z M _. apply exp_cancel. apply (geoc_step q Hq); assumption. }
  split; [apply (private_combination (neighbour n) eps (S n) (geoc q n) (fun z => clip (h - INR z)));
    [assumption|intros; apply clip_range|assumption]|].
  assert (E : forall x, (x <= n)%nat ->
    1 - below eps n h x = Sum (S n) (fun z => geoc q n x z * (1 - clip (h - INR z)))).
  { intros w Hw.
    transitivity (Sum (S n) (geoc q n w) - below eps n h w); [rewrite geoc_total by assumption; reflexivity|].
    unfold below. rewrite <- Sum_minus. apply Sum_ext; intros. unfold q. ring. }
  rewrite !E by apply N.
  apply (private_combination (neighbour n) eps (S n) (geoc q n) (fun z => 1 - clip (h - INR z)));
    [assumption|intros; assert (W := clip_range (h - INR i)); lra|assumption].
Qed.

(** Of all private tests of at most this size, none has more power. Of all private tests of at least this size, none
    rejects less often under distributions on the other side of the hypothesis. *)
Theorem most_powerful level b0 : law (S n) b0 -> 0 <= level <= 1 ->
  let test := rejects eps n (threshold eps n level b0) in
  private_event eps n test /\ chance n b0 test = level /\
  forall b f, law (S n) b -> private_event eps n f ->
    (ratio_rises n b0 b -> chance n b0 f <= level -> chance n b f <= chance n b test) /\
    (ratio_rises n b b0 -> level <= chance n b0 f -> chance n b test <= chance n b f).
Proof.
  intros H0 Hl test. destruct (threshold_value level b0 H0 Hl) as [Hh E].
  set (h := threshold eps n level b0) in *. unfold test, rejects.
  assert (E0 := chance_complement b0 (below eps n h) H0).
  split; [apply private_complement, below_private|]. split; [lra|].
  intros b f Hb Hf. assert (Eb := chance_complement b (below eps n h) Hb). split; intros Hr Hs.
  - assert (Cf := chance_complement b f Hb). assert (C0 := chance_complement b0 f H0).
    assert (W := one_sided_laws (fun x => 1 - f x) h b0 b (private_complement f Hf) Hh H0 Hb Hr ltac:(lra)). lra.
  - rewrite Eb. apply Rnot_lt_le. intros N.
    assert (Cf := chance_complement b f Hb). assert (C0 := chance_complement b0 f H0).
    assert (W := one_sided_strict (fun x => 1 - f x) h b b0 (private_complement f Hf) Hh (laws_nonneg b b0 Hb H0)
      (law_some b0 H0) Hr ltac:(lra)). lra.
Qed.
End Noise.

(** ** Binomial counts *)
Lemma choose_pos n x : 0 < Binomial.C n x.
Proof. unfold Binomial.C. apply Rdiv_lt_0_compat; [|apply Rmult_lt_0_compat]; apply INR_fact_lt_0. Qed.

Lemma binomial_law n theta : 0 <= theta <= 1 -> law (S n) (binomial n theta).
Proof.
  intros Ht. split.
  - intros x _. unfold binomial. assert (W := choose_pos n x).
    assert (A := pow_le theta x ltac:(lra)). assert (B := pow_le (1 - theta) (n - x) ltac:(lra)).
    apply Rmult_le_pos; [apply Rmult_le_pos|]; lra.
  - assert (E : forall m (f : nat -> R), Sum (S m) f = sum_f_R0 f m).
    { induction m; intros f; [simpl; ring|]. rewrite Sum_last, IHm. reflexivity. }
    rewrite E. unfold binomial. rewrite <- Binomial.binomial.
    replace (theta + (1 - theta)) with 1 by ring. apply pow1.
Qed.

Lemma binomial_rises n s t : 0 <= s <= t -> t <= 1 -> ratio_rises n (binomial n s) (binomial n t).
Proof.
  intros Hs Ht x y Hxy. unfold binomial.
  replace y with (x + (y - x))%nat by lia. set (d := (y - x)%nat).
  replace (n - x)%nat with (n - (x + d) + d)%nat by (unfold d; lia). set (r := (n - (x + d))%nat). rewrite !pow_add.
  set (W := Binomial.C n x * Binomial.C n (x + d) * (s ^ x * (1 - s) ^ r) * (t ^ x * (1 - t) ^ r)).
  assert (HW : 0 <= W).
  { unfold W. assert (A := choose_pos n x). assert (B := choose_pos n (x + d)).
    apply Rmult_le_pos; [apply Rmult_le_pos; [apply Rmult_le_pos; lra|]|]; apply Rmult_le_pos; apply pow_le; lra. }
  apply Rle_trans with (W * ((1 - t) * s) ^ d); [right; rewrite Rpow_mult_distr; unfold W; ring|].
  apply Rle_trans with (W * ((1 - s) * t) ^ d); [|right; rewrite Rpow_mult_distr; unfold W; ring].
  apply Rmult_le_compat_l; [assumption|]. apply pow_incr. nra.
Qed.

Section Share.
Variables (eps level : R) (n : nat).
Hypothesis He : 0 < eps.
Hypothesis Hn : (0 < n)%nat.
Hypothesis Hl : 0 <= level <= 1.

(** The test of the hypothesis that the share is at most theta rejects where the p-value is at most the level. *)
Definition test (theta : R) : nat -> R := rejects eps n (threshold eps n level (binomial n theta)).

(** The test is uniformly most powerful, and has exactly this size. *)
Theorem uniformly_most_powerful theta : 0 <= theta <= 1 ->
  (forall z u, (z <= n)%nat -> 0 <= u < 1 ->
     pvalue eps n (binomial n theta) z u <= level <-> threshold eps n level (binomial n theta) <= INR z + u) /\
  private_event eps n (test theta) /\
  chance n (binomial n theta) (test theta) = level /\
  (forall s, 0 <= s <= theta -> chance n (binomial n s) (test theta) <= level) /\
  forall f, private_event eps n f ->
    ((forall s, 0 <= s <= theta -> chance n (binomial n s) f <= level) ->
       forall t, theta <= t <= 1 -> chance n (binomial n t) f <= chance n (binomial n t) (test theta)) /\
    (chance n (binomial n theta) f = level ->
       forall s, 0 <= s <= theta -> chance n (binomial n s) (test theta) <= chance n (binomial n s) f).
Proof.
  intros Ht. assert (L := fun s H => binomial_law n s H).
  destruct (most_powerful eps n He Hn level (binomial n theta) (L theta Ht) Hl) as (P & E & M). fold (test theta) in *.
  split; [intros; apply pvalue_threshold; auto|]. split; [assumption|]. split; [assumption|].
  assert (One : private_event eps n (fun _ => level)).
  { split; [intros; lra|]. intros x y _. assert (1 <= exp eps) by (rewrite <- exp_0; apply Rlt_le, exp_increasing; lra).
    split; nra. }
  assert (Const : forall s, 0 <= s <= 1 -> chance n (binomial n s) (fun _ => level) = level).
  { intros s Hs. unfold chance. rewrite Sum_scal_r. destruct (L s Hs) as [_ B]. rewrite B. ring. }
  split; [|intros f Hf; split].
  - intros s Hs. apply Rle_trans with (chance n (binomial n s) (fun _ => level)); [|rewrite Const; lra].
    apply M; [apply L; lra|assumption|apply binomial_rises; lra|rewrite Const; lra].
  - intros S1 t Htt. apply M; try assumption; [apply L; lra|apply binomial_rises; lra|apply S1; lra].
  - intros S1 s Hs. apply M; try assumption; [apply L; lra|apply binomial_rises; lra|lra].
Qed.

(** ** Bounds *)
(** Every share below a rejected share is rejected, so the shares that are not rejected begin at a lower bound. *)
Theorem pvalue_rises s t z u : 0 <= s <= t -> t <= 1 -> (z <= n)%nat -> 0 <= u <= 1 ->
  pvalue eps n (binomial n s) z u <= pvalue eps n (binomial n t) z u.
Proof.
  intros Hs Ht Hz Hu. assert (Ls := binomial_law n s ltac:(lra)). assert (Lt := binomial_law n t ltac:(lra)).
  rewrite !(pvalue_below eps n) by assumption. set (h := INR z + u).
  assert (Hh : 0 <= h <= INR (S n)).
  { unfold h. assert (W : INR (S z) <= INR (S n)) by (apply le_INR; lia). rewrite S_INR in W.
    assert (P := pos_INR z). lra. }
  set (k := chance n (binomial n s) (below eps n h)).
  assert (K : 0 <= k <= 1).
  { destruct Ls as [B0 B1]. unfold k, chance. rewrite <- B1.
    split; [apply Sum_nonneg|apply Sum_le]; intros x Hx; assert (W := below_range eps n He Hn h x ltac:(lia));
      specialize (B0 x Hx); nra. }
  assert (One : private_event eps n (fun _ => k)).
  { split; [intros; lra|]. intros x y _. assert (1 <= exp eps) by (rewrite <- exp_0; apply Rlt_le, exp_increasing; lra).
    split; nra. }
  assert (Const : forall b, law (S n) b -> chance n b (fun _ => k) = k).
  { intros b [_ B]. unfold chance. rewrite Sum_scal_r, B. ring. }
  assert (W := one_sided_laws eps n He Hn (fun _ => k) h (binomial n s) (binomial n t) One Hh Ls Lt
    (binomial_rises n s t Hs Ht)). rewrite !Const in W by assumption. fold k in W. lra.
Qed.

(** L' is a private lower bound, given by its distribution function at every count, with the required coverage at every
    share. The bound from the test exceeds every number below the true share at least as often. *)
Theorem most_accurate_bound (L' : nat -> R -> R) :
  (forall x t, (x <= n)%nat -> 0 <= L' x t <= 1) -> (forall x s t, (x <= n)%nat -> s <= t -> L' x s <= L' x t) ->
  private_thresholds eps n L' ->
  (forall theta, 0 <= theta <= 1 -> 1 - level <= chance n (binomial n theta) (fun x => L' x theta)) ->
  forall t theta, 0 <= t <= theta -> theta <= 1 ->
    chance n (binomial n theta) (fun x => 1 - L' x t) <= chance n (binomial n theta) (test t).
Proof.
  intros R1 Mono Priv Right t theta Ht Hth.
  destruct (uniformly_most_powerful t ltac:(lra)) as (_ & _ & _ & _ & U).
  assert (Pf : private_event eps n (fun x => 1 - L' x t)).
  { apply private_complement. split; [intros; apply R1; assumption|]. intros x y N. apply Priv; assumption. }
  apply U; [assumption| |lra]. intros s Hs.
  assert (Ls := binomial_law n s ltac:(lra)). rewrite (chance_complement n (binomial n s)) by assumption.
  assert (W := Right s ltac:(lra)).
  assert (V : chance n (binomial n s) (fun x => L' x s) <= chance n (binomial n s) (fun x => L' x t)); [|lra].
  apply Sum_le. intros x Hx. apply Rmult_le_compat_l; [apply Ls; assumption|apply Mono; [lia|lra]].
Qed.
End Share.
