(** * The least Kullback-Leibler divergence, whatever is published

    Let the counts 0..n have weights, and distributions on finitely many parameters with positive probabilities and a
    monotone likelihood ratio. A mixture is a weighted sum of these distributions, divided by its total. Proved: no
    private mechanism with finitely many outputs, whatever positive distribution it publishes for each of them, has a
    smaller weighted mean of the divergence D(distribution of the count | published distribution) than the geometric
    mechanism that publishes mixtures. If the distributions are posteriors of one prior and the weights are their
    evidences, the mixture is the exact posterior given the output.

    Left abstract: the distributions of the counts. *)
From Coq Require Import Reals Lra Lia PeanoNat.
From Coquelicot Require Import Coquelicot.
From DPBI Require Import basics.sums mechanisms.geometric guarantees.concentrated posterior_sampling.variation
  optimum.losses optimum.free_publication optimum.cuts optimum.negentropy.
Open Scope R_scope.

(** ** Distributions of the counts *)
Lemma some_parameter T g : Sum T g = 1 -> (0 < T)%nat.
Proof. destruct T; simpl; [lra|lia]. Qed.

Definition weighted_sum (n : nat) (f : nat -> nat -> R) (v : nat -> R) (t : nat) : R := Sum (S n) (fun x => v x * f x t).

(** The distribution that is published for an output whose weighted likelihoods are v. *)
Definition mixture (n T : nat) (f : nat -> nat -> R) (v : nat -> R) (t : nat) : R :=
  weighted_sum n f v t / Sum T (weighted_sum n f v).

Section Laws.
Variables (alpha : R) (n T : nat) (f : nat -> nat -> R) (w : nat -> R) (z : nat).
Hypothesis Halpha : 0 < alpha < 1.
Hypothesis Hf : forall x, (x <= n)%nat -> positive_law T (f x).
Hypothesis Hratio : forall x y, (x < y)%nat -> (y <= n)%nat -> before T (f x) (f y).
Hypothesis Hw : forall x, (x <= n)%nat -> 0 <= w x.
Hypothesis Hz : (z <= n)%nat.
Hypothesis Hwz : 0 < w z.

Notation sum p := (weighted_sum n f (fun x => w x * p x)).

Lemma parameters : (0 < T)%nat.
Proof. apply (some_parameter T (f z)), Hf, Hz. Qed.

Lemma sum_nonneg v t : (forall x, (x < S n)%nat -> 0 <= v x) -> (t < T)%nat -> 0 <= weighted_sum n f v t.
Proof.
  intros Hv Ht. apply Sum_nonneg. intros x Hx. apply Rmult_le_pos; [auto|]. left. apply Hf; [lia|assumption].
Qed.

Lemma sum_positive p : (forall x, (x <= n)%nat -> 0 < p x) -> positive T (sum p).
Proof.
  intros Hp t Ht. apply Rlt_le_trans with (w z * p z * f z t).
  - repeat apply Rmult_lt_0_compat; auto. apply Hf; assumption.
  - apply (Sum_term (S n) (fun x => w x * p x * f x t)); [|lia]. intros x Hx.
    assert (A := Hw x ltac:(lia)). assert (B := Hp x ltac:(lia)). assert (C : 0 < f x t) by (apply Hf; [lia|assumption]).
    repeat apply Rmult_le_pos; lra.
Qed.

Lemma sum_zero p : (forall x, (x <= n)%nat -> p x = 0) -> forall t, sum p t = 0.
Proof.
  intros Hp t. unfold weighted_sum. rewrite <- (Sum_0 (S n)). apply Sum_ext. intros x Hx. rewrite Hp by lia. ring.
Qed.

Lemma sum_before g h : before (S n) g h -> before T (weighted_sum n f g) (weighted_sum n f h).
Proof.
  intros H i k Hi Hk. apply (cauchy_binet (S n) g h (fun x => f x i) (fun x => f x k)); [exact H|].
  intros x y Hx Hy. assert (W := Hratio x y Hx ltac:(lia) i k Hi Hk). lra.
Qed.

Lemma peak_pos y x : 0 < peak alpha y x.
Proof. apply pow_lt. lra. Qed.

Definition worth (p : nat -> R) : R := negentropy T (sum p).

Lemma worth_gain : gain alpha n worth.
Proof.
  assert (T0 := parameters). unfold worth.
  assert (Q : forall y, positive T (sum (peak alpha y))) by (intros; apply sum_positive; intros; apply peak_pos).
  assert (C : forall y c t, sum (fun x => c * peak alpha y x) t = c * sum (peak alpha y) t).
  { intros. unfold weighted_sum. rewrite <- Sum_scal. apply Sum_ext. intros; ring. }
  split; [|split].
  - intros p p' H. apply negentropy_ext. intros t _. apply Sum_ext. intros x Hx. rewrite H by lia. reflexivity.
  - intros y c _ Hc. rewrite <- negentropy_scal; [|assumption..|left; apply Q]. apply negentropy_ext. intros; apply C.
  - intros y c d _ Hc Hd. rewrite <- !negentropy_scal by (assumption || (left; apply Q)).
    assert (Z : forall y c, 0 <= c -> zero_or_positive T (fun t => c * sum (peak alpha y) t)).
    { intros y' c' [Hc'| <-]; [left|right; intros; ring]. intros t Ht. apply Rmult_lt_0_compat; [assumption|apply Q, Ht]. }
    eapply Rle_trans; [|apply negentropy_plus; auto]. right. apply negentropy_ext. intros t _. rewrite <- !C.
    unfold weighted_sum. rewrite <- Sum_plus. apply Sum_ext. intros; ring.
Qed.

Theorem worth_exchange : exchange alpha n worth.
Proof.
  intros p j Hp Hj. unfold worth. assert (T0 := parameters). destruct (all_or_none alpha n Halpha p Hp) as [P|P].
  - assert (Z : forall p', (forall x, (x <= n)%nat -> p' x = 0) -> negentropy T (sum p') = 0).
    { intros p' H. apply negentropy_zero. intros t _. apply sum_zero, H. }
    rewrite (P j), (Z p P), (Z (left_cut alpha p j)), (Z (right_cut alpha p j)) by (try lia; intros x Hx;
      unfold left_cut, right_cut; rewrite (P x), (P j) by lia; destruct (x <=? j); ring). lra.
  - destruct (three_parts alpha n Halpha p j Hp Hj w ltac:(intros; apply Hw; lia)) as
      (A & D & E & Pos & (BD & BE & BDE) & EA & EP & EL & ER).
    assert (S2 : forall g h k, (forall x, k x = g x + h x) ->
      forall t, weighted_sum n f k t = weighted_sum n f g t + weighted_sum n f h t).
    { intros g h k H t. unfold weighted_sum. rewrite <- Sum_plus. apply Sum_ext. intros x _. rewrite H. ring. }
    assert (EA' : forall t, weighted_sum n f A t = p j * sum (peak alpha j) t).
    { intros t. unfold weighted_sum. rewrite <- Sum_scal. apply Sum_ext. intros x _. rewrite EA. ring. }
    assert (Q : positive T (sum (peak alpha j))) by (apply sum_positive; intros; apply peak_pos).
    assert (X := negentropy_exchange T (weighted_sum n f A) (weighted_sum n f D) (weighted_sum n f E) T0).
    rewrite <- negentropy_scal; [|assumption|left; apply P; lia|left; exact Q].
    eapply Rle_trans; [|eapply Rle_trans; [apply X|]].
    + right. f_equal; apply negentropy_ext; intros t _; [|symmetry; apply EA'].
      rewrite <- (S2 _ _ (fun x => A x + D x)) by reflexivity. apply S2, EP.
    + intros t Ht. rewrite EA'. apply Rmult_lt_0_compat; [apply P; lia|apply Q, Ht].
    + intros t Ht. apply sum_nonneg; [|assumption]. intros; apply Pos; assumption.
    + intros t Ht. apply sum_nonneg; [|assumption]. intros; apply Pos; assumption.
    + apply sum_before, BD.
    + apply sum_before, BE.
    + apply sum_before, BDE.
    + right. f_equal; apply negentropy_ext; intros t _; symmetry; apply S2; assumption.
Qed.

(** ** What can be published *)
(** Gibbs's inequality: no distribution has a larger mean logarithm than the mixture. *)
Lemma law_below v g : zero_or_positive T v -> positive_law T g -> Sum T (fun t => v t * ln (g t)) <= negentropy T v.
Proof.
  intros [Hv|Hv] [G0 G1].
  - assert (W := log_sum T v g parameters Hv G0). rewrite G1, ln_1 in W. unfold negentropy, xlnx.
    rewrite (Sum_ext T _ (fun t => v t * ln (g t) - v t * ln (v t))) in W by (intros; ring). rewrite Sum_minus in W. lra.
  - rewrite negentropy_zero by assumption. right. rewrite <- (Sum_0 T). apply Sum_ext. intros t Ht. rewrite Hv by assumption. ring.
Qed.

Lemma mixture_law v : positive T (weighted_sum n f v) -> positive_law T (mixture n T f v).
Proof.
  intros H. assert (W : 0 < Sum T (weighted_sum n f v)) by (apply Sum_pos; [apply parameters|assumption]).
  unfold mixture, Rdiv. split.
  - intros t Ht. apply Rmult_lt_0_compat; [apply H, Ht|apply Rinv_0_lt_compat, W].
  - rewrite Sum_scal_r. apply Rinv_r. lra.
Qed.

Lemma mixture_reaches v : positive T (weighted_sum n f v) ->
  Sum T (fun t => weighted_sum n f v t * ln (mixture n T f v t)) = negentropy T (weighted_sum n f v).
Proof.
  intros H. assert (W : 0 < Sum T (weighted_sum n f v)) by (apply Sum_pos; [apply parameters|assumption]).
  unfold negentropy, xlnx. rewrite <- Sum_scal_r, <- Sum_minus. apply Sum_ext. intros t Ht. unfold mixture.
  rewrite ln_div by auto. ring.
Qed.

(** The mean divergence is a constant minus the gain. *)
Lemma mean_divergence k (Q g : nat -> nat -> R) : (forall x, (x <= n)%nat -> Sum k (Q x) = 1) ->
  (forall o, (o < k)%nat -> positive_law T (g o)) ->
  Sum (S n) (fun x => w x * mean k (Q x) (fun o => kullback_leibler T (f x) (g o))) =
  Sum (S n) (fun x => w x * Sum T (fun t => xlnx (f x t))) -
  Sum k (fun o => Sum T (fun t => sum (fun x => Q x o) t * ln (g o t))).
Proof.
  intros HQ Hg.
  assert (E : Sum k (fun o => Sum T (fun t => sum (fun x => Q x o) t * ln (g o t))) =
    Sum (S n) (fun x => w x * Sum k (fun o => Q x o * Sum T (fun t => f x t * ln (g o t))))).
  { transitivity (Sum k (fun o => Sum (S n) (fun x => w x * Q x o * Sum T (fun t => f x t * ln (g o t))))).
    - apply Sum_ext. intros o _.
      rewrite (Sum_ext (S n) _ (fun x => Sum T (fun t => w x * Q x o * f x t * ln (g o t)))).
      + rewrite Sum_swap. apply Sum_ext. intros t _. rewrite Sum_scal_r. reflexivity.
      + intros x _. rewrite <- Sum_scal. apply Sum_ext. intros; ring.
    - rewrite Sum_swap. apply Sum_ext. intros x _. rewrite <- Sum_scal. apply Sum_ext. intros; ring. }
  cbv beta. rewrite E, <- Sum_minus. apply Sum_ext. intros x Hx. rewrite <- Rmult_minus_distr_l. f_equal.
  unfold mean. rewrite (Sum_ext k _ (fun o => Q x o * Sum T (fun t => xlnx (f x t)) - Q x o * Sum T (fun t => f x t * ln (g o t)))).
  - rewrite Sum_minus, Sum_scal_r, HQ by lia. ring.
  - intros o Ho. rewrite <- Rmult_minus_distr_l. f_equal. unfold kullback_leibler. rewrite <- Sum_minus. apply Sum_ext.
    intros t Ht. unfold xlnx. rewrite ln_div; [ring|apply Hf; [lia|assumption]|apply Hg; assumption].
Qed.
End Laws.

(** No private mechanism, whatever distribution it publishes, has a smaller mean divergence than geometric noise
    followed by mixtures. *)
Theorem mixtures_best eps n T (f : nat -> nat -> R) (w : nat -> R) : 0 < eps -> (0 < n)%nat ->
  (forall x, (x <= n)%nat -> positive_law T (f x)) ->
  (forall x z, (x < z)%nat -> (z <= n)%nat -> before T (f x) (f z)) ->
  (forall x, (x <= n)%nat -> 0 <= w x) -> (exists x, (x <= n)%nat /\ 0 < w x) ->
  let geometric x y := geoc (exp (- eps)) n x y in
  let published y := mixture n T f (fun x => w x * geometric x y) in
  (forall y, (y <= n)%nat -> positive_law T (published y)) /\
  forall m (P g : nat -> nat -> R), private_finite eps n m P -> (forall o, (o <= m)%nat -> positive_law T (g o)) ->
    Sum (S n) (fun x => w x * mean (S n) (geometric x) (fun y => kullback_leibler T (f x) (published y))) <=
    Sum (S n) (fun x => w x * mean (S m) (P x) (fun o => kullback_leibler T (f x) (g o))).
Proof.
  intros He Hn Hf Hratio Hw (z & Hz & Hp) geometric published. assert (Ha := alpha_range eps He).
  assert (Pos : forall y, positive T (weighted_sum n f (fun x => w x * geometric x y))).
  { intros y. apply (sum_positive n T f w z Hf Hw Hz Hp (fun x => geometric x y)). intros; apply geoc_pos, Ha. }
  assert (L : forall y, positive_law T (published y)) by (intros; apply (mixture_law n T f z Hf Hz), Pos).
  split; [auto|]. intros m P g HP Hg.
  rewrite (mean_divergence n T f w z Hf Hz (S n)) by (auto; intros; apply geoc_total; assumption).
  rewrite (mean_divergence n T f w z Hf Hz (S m)) by (intros; try (apply Hg; lia); apply HP; assumption).
  apply Rplus_le_compat_l, Ropp_le_contravar.
  assert (B := geometric_best eps n m P (worth n T f w) He Hn HP (worth_gain _ n T f w z Ha Hf Hw Hz Hp)
    (worth_exchange _ n T f w z Ha Hf Hratio Hw Hz Hp)).
  rewrite (Sum_ext (S n) _ (fun y => worth n T f w (fun x => geometric x y)))
    by (intros; apply (mixture_reaches n T f z Hf Hz), Pos).
  eapply Rle_trans; [|exact B]. apply Sum_le. intros o Ho. apply (law_below n T f z Hf Hz); [|apply Hg; lia].
  assert (C : cone (exp (- eps)) n (fun x => P x o)) by (apply (private_cone eps n m P HP o); lia).
  destruct (all_or_none _ n Ha _ C) as [N|N].
  - right. intros t _. apply (sum_zero n f w z Hz (fun x => P x o) N).
  - left. apply (sum_positive n T f w z Hf Hw Hz Hp), N.
Qed.

(** With weights from the prior itself: no private mechanism, whatever it publishes, has a smaller mean divergence than
    geometric noise followed by the exact posterior given its output. [lik x t] is the probability of the count x at the
    parameter t. *)
Theorem exact_posterior_best eps n T (prior : nat -> R) (lik : nat -> nat -> R) : 0 < eps -> (0 < n)%nat ->
  positive_law T prior -> (forall x t, (x <= n)%nat -> (t < T)%nat -> 0 < lik x t) ->
  (forall x z, (x < z)%nat -> (z <= n)%nat -> before T (lik x) (lik z)) ->
  let geometric x y := geoc (exp (- eps)) n x y in
  let truth x := posterior T prior (lik x) in
  let published y := posterior T prior (fun t => Sum (S n) (fun x => lik x t * geometric x y)) in
  forall m (P g : nat -> nat -> R), private_finite eps n m P -> (forall o, (o <= m)%nat -> positive_law T (g o)) ->
    Sum (S n) (fun x => evidence T prior (lik x) *
      mean (S n) (geometric x) (fun y => kullback_leibler T (truth x) (published y))) <=
    Sum (S n) (fun x => evidence T prior (lik x) * mean (S m) (P x) (fun o => kullback_leibler T (truth x) (g o))).
Proof.
  intros He Hn Hprior Hlik Hratio geometric truth published m P g HP Hg.
  assert (E : forall x, (x <= n)%nat -> 0 < evidence T prior (lik x)).
  { intros x Hx. apply evidence_pos; [apply positive_is_law, Hprior|]. intros; apply Hlik; assumption. }
  assert (L : forall x, (x <= n)%nat -> positive_law T (truth x)).
  { intros x Hx. split; [|apply posterior_law; [apply positive_is_law, Hprior|intros; apply Hlik; assumption]].
    intros t Ht. apply Rdiv_lt_0_compat; [|apply E, Hx]. apply Rmult_lt_0_compat; [apply Hprior, Ht|apply Hlik; assumption]. }
  destruct (mixtures_best eps n T truth (fun x => evidence T prior (lik x)) He Hn L) as [_ B].
  - intros x z Hx Hz i k Hi Hk. unfold truth, posterior. assert (Ex := E x ltac:(lia)). assert (Ez := E z Hz).
    assert (R := Hratio x z Hx Hz i k Hi Hk).
    assert (C : 0 <= prior i * prior k / (evidence T prior (lik x) * evidence T prior (lik z))).
    { left. apply Rdiv_lt_0_compat; apply Rmult_lt_0_compat; try assumption; apply Hprior; lia. }
    apply Rmult_le_compat_l with (r := prior i * prior k / (evidence T prior (lik x) * evidence T prior (lik z))) in R;
      [|exact C].
    eapply Rle_trans; [|eapply Rle_trans; [exact R|]]; right; field; lra.
  - intros x Hx. left. apply E, Hx.
  - exists 0%nat. split; [lia|apply E; lia].
  - eapply Rle_trans; [|apply (B m P g HP Hg)]. right. apply Sum_ext. intros x Hx. f_equal. apply Sum_ext. intros y Hy.
    f_equal. apply Sum_ext. intros t Ht. do 3 f_equal. symmetry.
    assert (S0 : forall s, (s < T)%nat -> weighted_sum n truth (fun x => evidence T prior (lik x) * geometric x y) s =
      prior s * Sum (S n) (fun x => lik x s * geometric x y)).
    { intros s Hs. unfold weighted_sum. rewrite <- Sum_scal. apply Sum_ext. intros r Hr. unfold truth, posterior.
      field. assert (W := E r ltac:(lia)). lra. }
    apply (f_equal2 Rdiv); [exact (S0 t Ht)|exact (Sum_ext T _ _ S0)].
Qed.

(** The premises can be satisfied, for example by n coins with ordered parameters. *)
Definition binomial (n : nat) (theta : nat -> R) (x t : nat) : R :=
  Binomial.C n x * (theta t ^ x * (1 - theta t) ^ (n - x)).

Lemma premises_met n T theta : (forall t, (t < T)%nat -> 0 < theta t < 1) ->
  (forall i k, (i < k)%nat -> (k < T)%nat -> theta i < theta k) ->
  (forall x t, (x <= n)%nat -> (t < T)%nat -> 0 < binomial n theta x t) /\
  (forall x z, (x < z)%nat -> (z <= n)%nat -> before T (binomial n theta x) (binomial n theta z)).
Proof.
  intros Ht Hi.
  assert (C0 : forall x, 0 < Binomial.C n x).
  { intros x. unfold Binomial.C. apply Rdiv_lt_0_compat; [|apply Rmult_lt_0_compat]; apply INR_fact_lt_0. }
  assert (P : forall x y t, (t < T)%nat -> 0 < theta t ^ x * (1 - theta t) ^ y).
  { intros x y t H. specialize (Ht t H). apply Rmult_lt_0_compat; apply pow_lt; lra. }
  split; [intros x t Hx H; apply Rmult_lt_0_compat; auto|]. intros x z Hx Hz i k Hik Hk.
  assert (O := Hi i k Hik Hk). assert (R1 := Ht i ltac:(lia)). assert (R2 := Ht k Hk).
  unfold binomial. replace z with (x + (z - x))%nat by lia. set (d := (z - x)%nat).
  replace (n - x)%nat with (n - (x + d) + d)%nat by (unfold d; lia). set (r := (n - (x + d))%nat).
  rewrite !pow_add.
  set (W := Binomial.C n x * Binomial.C n (x + d) * (theta k ^ x * (1 - theta k) ^ r) * (theta i ^ x * (1 - theta i) ^ r)).
  assert (HW : 0 <= W).
  { left. unfold W. apply Rmult_lt_0_compat; [|apply P; lia]. apply Rmult_lt_0_compat; [|apply P; lia].
    apply Rmult_lt_0_compat; apply C0. }
  apply Rle_trans with (W * ((1 - theta k) * theta i) ^ d); [right; rewrite Rpow_mult_distr; unfold W; ring|].
  apply Rle_trans with (W * ((1 - theta i) * theta k) ^ d); [|right; rewrite Rpow_mult_distr; unfold W; ring].
  apply Rmult_le_compat_l; [assumption|]. apply pow_incr. nra.
Qed.
