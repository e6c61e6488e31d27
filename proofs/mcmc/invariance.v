(** * Chains that leave a distribution invariant, on finitely many states

    Proved: if proposals are accepted with a probability [acc] that satisfies [acc l = exp l * acc (- l)], the chain is
    in detailed balance with its target and leaves the target invariant. Mixtures of such chains leave the target
    invariant, too. The acceptance probabilities of Metropolis-Hastings, of Barker's test, of the penalty test and of
    the Gauss-Bernoulli test have this property. In the last two tests, Gaussian noise of scale s is added to the log
    ratio, and s^2 / 2 is subtracted. Barker's acceptance probability is at most that of Metropolis-Hastings, and the
    same is true with noise.

    Left abstract: the noise. Its density is [c * exp (- z^2 / 2)], with any positive [c] for which the mass of every
    window is at most one; the proofs do not use that [c] is one over the square root of 2 pi. The acceptance
    probability is the integral over the real line, defined as the least upper bound of the integrals over windows,
    because the integrand is never negative. *)
From Coq Require Import Reals Lra Lia PeanoNat.
From Coquelicot Require Import Coquelicot.
From DPBI Require Import basics.sums guarantees.composition guarantees.concentrated.
Open Scope R_scope.

(** ** From acceptance to invariance *)
Section Chain.
Variables (N : nat) (pi : nat -> R) (q : nat -> nat -> R).
Hypothesis Hpi : positive_law N pi.
Hypothesis Hq : forall i, (i < N)%nat -> law N (q i).
(** Every move that can be proposed can also be proposed in the opposite direction. *)
Hypothesis Hback : forall i j, (i < N)%nat -> (j < N)%nat -> 0 < q i j -> 0 < q j i.

(** The log ratio, and the transition matrix of the chain, which stays where it is if a proposal is not accepted. *)
Definition log_ratio (i j : nat) : R := ln (pi j * q j i / (pi i * q i j)).
Definition move (acc : nat -> nat -> R -> R) (i j : nat) : R := q i j * acc i j (log_ratio i j).
Definition chain (acc : nat -> nat -> R -> R) (i j : nat) : R :=
  move acc i j + (if Nat.eqb i j then 1 - Sum N (move acc i) else 0).

Definition reversible (P : nat -> nat -> R) : Prop := forall i j, (i < N)%nat -> (j < N)%nat -> pi i * P i j = pi j * P j i.
Definition invariant (P : nat -> nat -> R) : Prop := forall j, (j < N)%nat -> Sum N (fun i => pi i * P i j) = pi j.

Variable acc : nat -> nat -> R -> R.
Hypothesis Hacc : forall i j l, acc i j l = exp l * acc j i (- l).
Hypothesis acc_range : forall i j l, 0 <= acc i j l <= 1.

Lemma move_balance i j : (i < N)%nat -> (j < N)%nat -> pi i * move acc i j = pi j * move acc j i.
Proof.
  intros Hi Hj. unfold move. destruct (Hq i Hi) as [Qi _], (Hq j Hj) as [Qj _].
  assert (Pi : 0 < pi i) by (apply Hpi; assumption). assert (Pj : 0 < pi j) by (apply Hpi; assumption).
  destruct (Rle_lt_dec (q i j) 0) as [Z|Z].
  - assert (E : q i j = 0) by (specialize (Qi j Hj); lra).
    destruct (Rle_lt_dec (q j i) 0) as [Y|Y]; [|assert (W := Hback j i Hj Hi Y); lra].
    assert (F : q j i = 0) by (specialize (Qj i Hi); lra). rewrite E, F. ring.
  - assert (Y := Hback i j Hi Hj Z).
    assert (U : 0 < pi i * q i j) by (apply Rmult_lt_0_compat; assumption).
    assert (V : 0 < pi j * q j i) by (apply Rmult_lt_0_compat; assumption).
    assert (E : log_ratio j i = - log_ratio i j) by (unfold log_ratio; rewrite !ln_div by assumption; ring).
    rewrite (Hacc i j), E. unfold log_ratio. rewrite exp_ln by (apply Rdiv_lt_0_compat; assumption). field. lra.
Qed.

Theorem chain_law i : (i < N)%nat -> law N (chain acc i).
Proof.
  intros Hi. destruct (Hq i Hi) as [Q0 Q1].
  assert (M : Sum N (move acc i) <= 1).
  { rewrite <- Q1. apply Sum_le; intros j Hj. unfold move. specialize (Q0 j Hj).
    assert (R := acc_range i j (log_ratio i j)). nra. }
  split.
  - intros j Hj. unfold chain. assert (0 <= move acc i j).
    { unfold move. specialize (Q0 j Hj). assert (R := acc_range i j (log_ratio i j)). apply Rmult_le_pos; lra. }
    destruct (Nat.eqb i j); lra.
  - unfold chain. rewrite Sum_plus.
    assert (E : Sum N (fun j => if Nat.eqb i j then 1 - Sum N (move acc i) else 0) = 1 - Sum N (move acc i)).
    { generalize (1 - Sum N (move acc i)). intros c. clear -Hi. induction N as [|n IH]; [lia|]. simpl.
      destruct (Nat.eq_dec i n) as [->|D].
      - rewrite Nat.eqb_refl. rewrite (Sum_ext n _ (fun _ => 0)); [rewrite Sum_0; ring|].
        intros j Hj. replace (Nat.eqb n j) with false by (symmetry; apply Nat.eqb_neq; lia). reflexivity.
      - rewrite IH by lia. replace (Nat.eqb i n) with false by (symmetry; apply Nat.eqb_neq; lia). ring. }
    rewrite E. ring.
Qed.

Theorem chain_reversible : reversible (chain acc).
Proof.
  intros i j Hi Hj. unfold chain. destruct (Nat.eq_dec i j) as [->|D]; [reflexivity|].
  replace (Nat.eqb i j) with false by (symmetry; apply Nat.eqb_neq; lia).
  replace (Nat.eqb j i) with false by (symmetry; apply Nat.eqb_neq; lia).
  rewrite !Rplus_0_r. apply move_balance; assumption.
Qed.

Theorem chain_invariant : invariant (chain acc).
Proof.
  intros j Hj. rewrite (Sum_ext N _ (fun i => pi j * chain acc j i)).
  - rewrite Sum_scal. destruct (chain_law j Hj) as [_ ->]. ring.
  - intros i Hi. apply chain_reversible; assumption.
Qed.
End Chain.

(** Any mixture of chains that leave pi invariant, for example of chains that each move one component. *)
Theorem mixture_invariant N pi m (w : nat -> R) (P : nat -> nat -> nat -> R) : law m w ->
  (forall k, (k < m)%nat -> invariant N pi (P k)) -> invariant N pi (fun i j => Sum m (fun k => w k * P k i j)).
Proof.
  intros [_ W] H j Hj. rewrite (Sum_ext N _ (fun i => Sum m (fun k => w k * (pi i * P k i j)))).
  2:{ intros i _. rewrite <- Sum_scal. apply Sum_ext; intros; ring. }
  rewrite Sum_swap. rewrite (Sum_ext m _ (fun k => w k * pi j)).
  - rewrite Sum_scal_r, W. ring.
  - intros k Hk. rewrite Sum_scal. rewrite (H k Hk j Hj). reflexivity.
Qed.

(** ** Metropolis-Hastings and Barker *)
Definition metropolis (y : R) : R := Rmin 1 (exp y).
Definition barker (y : R) : R := / (1 + exp (- y)).

Theorem metropolis_balance y : metropolis y = exp y * metropolis (- y).
Proof.
  unfold metropolis. assert (P := exp_pos y). rewrite exp_Ropp. assert (I : exp y * / exp y = 1) by (field; lra).
  unfold Rmin. destruct (Rle_dec 1 (exp y)) as [L|L], (Rle_dec 1 (/ exp y)) as [M|M]; try lra; [nra|].
  exfalso. apply M. rewrite <- Rinv_1. apply Rinv_le_contravar; lra.
Qed.

Theorem barker_balance y : barker y = exp y * barker (- y).
Proof.
  unfold barker. rewrite Ropp_involutive, exp_Ropp. assert (P := exp_pos y). field. lra.
Qed.

Lemma metropolis_range y : 0 <= metropolis y <= 1.
Proof. unfold metropolis. split; [apply Rmin_glb; [lra|left; apply exp_pos]|apply Rmin_l]. Qed.

Lemma barker_range y : 0 <= barker y <= 1.
Proof.
  unfold barker. assert (P := exp_pos (- y)). split; [left; apply Rinv_0_lt_compat; lra|].
  rewrite <- Rinv_1 at 2. apply Rinv_le_contravar; lra.
Qed.

Theorem barker_below_metropolis y : barker y <= metropolis y.
Proof.
  apply Rmin_glb; [apply barker_range|]. unfold barker. rewrite exp_Ropp. assert (P := exp_pos y).
  replace (/ (1 + / exp y)) with (exp y / (exp y + 1)) by (field; lra). apply Rle_div_l; nra.
Qed.

Theorem metropolis_hastings_invariant N pi q : positive_law N pi -> (forall i, (i < N)%nat -> law N (q i)) ->
  (forall i j, (i < N)%nat -> (j < N)%nat -> 0 < q i j -> 0 < q j i) ->
  invariant N pi (chain N pi q (fun _ _ => metropolis)).
Proof. intros. apply chain_invariant; auto using metropolis_balance, metropolis_range. Qed.

Theorem barker_invariant N pi q : positive_law N pi -> (forall i, (i < N)%nat -> law N (q i)) ->
  (forall i j, (i < N)%nat -> (j < N)%nat -> 0 < q i j -> 0 < q j i) ->
  invariant N pi (chain N pi q (fun _ _ => barker)).
Proof. intros. apply chain_invariant; auto using barker_balance, barker_range. Qed.

(** ** Noise on the log ratio, and its correction *)
Definition normal (c z : R) : R := c * exp (- (z * z / 2)).

(** The acceptance probability given the noise z, and its mean over the noise. *)
Definition noisy (c : R) (g : R -> R) (s l z : R) : R := normal c z * g (l + s * z - s * s / 2).
Definition window (f : R -> R) (v : R) : Prop := exists a b, a <= b /\ is_RInt f a b v.
Definition mean (f : R -> R) (v : R) : Prop := is_lub (window f) v.

Section Noise.
Variable c : R.
Hypothesis Hc : 0 < c.
Hypothesis Hmass : forall v, window (normal c) v -> v <= 1.

(** The noise z at the log ratio l corresponds to the noise s - z at - l. *)
Lemma noisy_mirror g s l z : (forall y, g y = exp y * g (- y)) ->
  noisy c g s l z = exp l * noisy c g s (- l) (s - z).
Proof.
  intros Hg. unfold noisy, normal. rewrite Hg.
  replace (- (l + s * z - s * s / 2)) with (- l + s * (s - z) - s * s / 2) by field.
  replace (l + s * z - s * s / 2) with (l + (s * z - s * s / 2)) by ring. rewrite exp_plus.
  replace (- ((s - z) * (s - z) / 2)) with (- (z * z / 2) + (s * z - s * s / 2)) by field.
  rewrite (exp_plus (- (z * z / 2))). ring.
Qed.

Lemma window_mirror g s l v : (forall y, g y = exp y * g (- y)) ->
  window (noisy c g s l) v -> window (noisy c g s (- l)) (exp (- l) * v).
Proof.
  intros Hg (a & b & Hab & H). exists (s - b), (s - a). split; [lra|].
  apply is_RInt_swap in H. replace b with (-1 * (s - b) + s) in H by ring.
  replace a with (-1 * (s - a) + s) in H by ring.
  apply is_RInt_comp_lin, (is_RInt_scal _ _ _ (- exp (- l))) in H.
  assert (E : exp (- l) * exp l = 1) by (rewrite <- exp_plus; replace (- l + l) with 0 by ring; apply exp_0).
  replace (exp (- l) * v) with (scal (- exp (- l)) (opp v)).
  2:{ unfold scal, opp; simpl; unfold mult; simpl. ring. }
  revert H. apply is_RInt_ext. intros y _. unfold scal; simpl; unfold mult; simpl.
  rewrite (noisy_mirror g s l) by assumption. replace (s - (-1 * y + s)) with y by ring.
  replace (- exp (- l) * (-1 * (exp l * noisy c g s (- l) y))) with (exp (- l) * exp l * noisy c g s (- l) y) by ring.
  rewrite E. apply Rmult_1_l.
Qed.

(** The correction: the balance equation that the acceptance probability satisfies without noise also holds with noise
    of any scale. *)
Theorem noisy_balance g s l v : (forall y, g y = exp y * g (- y)) ->
  mean (noisy c g s l) v -> mean (noisy c g s (- l)) (exp (- l) * v).
Proof.
  intros Hg [U L]. assert (P := exp_pos l). assert (Q := exp_pos (- l)).
  assert (E : exp (- l) * exp l = 1) by (rewrite <- exp_plus; replace (- l + l) with 0 by ring; apply exp_0). split.
  - intros w W. apply (window_mirror g s (- l) w Hg) in W. rewrite Ropp_involutive in W. apply U in W.
    replace w with (exp (- l) * (exp l * w)) by (rewrite <- Rmult_assoc, E; ring).
    apply Rmult_le_compat_l; lra.
  - intros m M. assert (B : is_upper_bound (window (noisy c g s l)) (exp l * m)).
    { intros w W. apply (window_mirror g s l w Hg), M in W.
      replace w with (exp l * (exp (- l) * w)) by (rewrite <- Rmult_assoc, (Rmult_comm (exp l)), E; ring).
      apply Rmult_le_compat_l; lra. }
    apply L in B. replace m with (exp (- l) * (exp l * m)) by (rewrite <- Rmult_assoc, E; ring).
    apply Rmult_le_compat_l; lra.
Qed.

Lemma normal_pos z : 0 < normal c z.
Proof. apply Rmult_lt_0_compat; [assumption|apply exp_pos]. Qed.

Lemma normal_continuous z : continuous (normal c) z.
Proof. apply (ex_derive_continuous (normal c)). unfold normal. auto_derive. trivial. Qed.

Lemma window_range g s l v : (forall y, 0 <= g y <= 1) -> window (noisy c g s l) v -> 0 <= v <= 1.
Proof.
  intros Hg (a & b & Hab & H). split.
  - apply (is_RInt_ge_0 (noisy c g s l) a b v Hab H). intros z _. assert (N := normal_pos z).
    specialize (Hg (l + s * z - s * s / 2)). unfold noisy. apply Rmult_le_pos; lra.
  - destruct (ex_RInt_continuous (normal c) a b) as [w W]; [intros; apply normal_continuous|].
    apply Rle_trans with w; [|apply Hmass; exists a, b; auto].
    apply (is_RInt_le (noisy c g s l) (normal c) a b v w Hab H W). intros z _. assert (N := normal_pos z).
    specialize (Hg (l + s * z - s * s / 2)). unfold noisy. nra.
Qed.

(** The acceptance probability exists. *)
Theorem acceptance_exists g s l : (forall y, 0 <= g y <= 1) -> exists v, mean (noisy c g s l) v.
Proof.
  intros Hg. destruct (completeness (window (noisy c g s l))) as [v V].
  - exists 1. intros w W. apply (window_range g s l w Hg W).
  - exists 0. exists 0, 0. split; [lra|]. apply (is_RInt_point (noisy c g s l) 0).
  - exists v. exact V.
Qed.

Lemma mean_range g s l v : (forall y, 0 <= g y <= 1) -> mean (noisy c g s l) v -> 0 <= v <= 1.
Proof.
  intros Hg [U L]. split.
  - apply U. exists 0, 0. split; [lra|]. apply (is_RInt_point (noisy c g s l) 0).
  - apply L. intros w W. apply (window_range g s l w Hg W).
Qed.

Lemma mean_unique f v w : mean f v -> mean f w -> v = w.
Proof. intros [A B] [C D]. apply Rle_antisym; [apply B, C|apply D, A]. Qed.

(** The acceptance probability of a test with noise, whose scale may depend on the pair of states but not on their
    order. *)
Section Acceptance.
Variables (g : R -> R) (s : nat -> nat -> R) (acc : nat -> nat -> R -> R).
Hypothesis Hg : forall y, g y = exp y * g (- y).
Hypothesis g_range : forall y, 0 <= g y <= 1.
Hypothesis Hs : forall i j, s i j = s j i.
Hypothesis Hacc : forall i j l, mean (noisy c g (s i j) l) (acc i j l).

Lemma acceptance_balance i j l : acc i j l = exp l * acc j i (- l).
Proof.
  assert (A := noisy_balance g (s i j) l (acc i j l) Hg (Hacc i j l)). rewrite Hs in A.
  rewrite (mean_unique _ _ _ (Hacc j i (- l)) A), <- Rmult_assoc, <- exp_plus.
  replace (l + - l) with 0 by ring. rewrite exp_0. ring.
Qed.

Theorem noisy_chain_reversible N pi q : positive_law N pi -> (forall i, (i < N)%nat -> law N (q i)) ->
  (forall i j, (i < N)%nat -> (j < N)%nat -> 0 < q i j -> 0 < q j i) ->
  reversible N pi (chain N pi q acc).
Proof. intros. apply chain_reversible; auto using acceptance_balance. Qed.

Theorem noisy_chain_invariant N pi q : positive_law N pi -> (forall i, (i < N)%nat -> law N (q i)) ->
  (forall i j, (i < N)%nat -> (j < N)%nat -> 0 < q i j -> 0 < q j i) ->
  invariant N pi (chain N pi q acc).
Proof.
  intros. apply chain_invariant; auto using acceptance_balance.
  intros i j l. apply (mean_range g (s i j) l); auto.
Qed.
End Acceptance.

(** The penalty test accepts if [ln u < l + s z - s^2 / 2]; the Gauss-Bernoulli test tosses Barker's coin for the same
    corrected log ratio. *)
Theorem penalty_invariant N pi q s acc : positive_law N pi -> (forall i, (i < N)%nat -> law N (q i)) ->
  (forall i j, (i < N)%nat -> (j < N)%nat -> 0 < q i j -> 0 < q j i) -> (forall i j, s i j = s j i) ->
  (forall i j l, mean (noisy c metropolis (s i j) l) (acc i j l)) -> invariant N pi (chain N pi q acc).
Proof.
  intros. apply (noisy_chain_invariant metropolis s acc); auto using metropolis_balance, metropolis_range.
Qed.

Theorem gauss_bernoulli_invariant N pi q s acc : positive_law N pi -> (forall i, (i < N)%nat -> law N (q i)) ->
  (forall i j, (i < N)%nat -> (j < N)%nat -> 0 < q i j -> 0 < q j i) -> (forall i j, s i j = s j i) ->
  (forall i j l, mean (noisy c barker (s i j) l) (acc i j l)) -> invariant N pi (chain N pi q acc).
Proof.
  intros. apply (noisy_chain_invariant barker s acc); auto using barker_balance, barker_range.
Qed.

(** A_s (l) = exp l * A_s (- l), for both tests. *)
Theorem penalty_acceptance s l v v' : mean (noisy c metropolis s l) v -> mean (noisy c metropolis s (- l)) v' ->
  v = exp l * v'.
Proof.
  intros H H'. assert (A := noisy_balance metropolis s l v metropolis_balance H).
  rewrite (mean_unique _ _ _ H' A), <- Rmult_assoc, <- exp_plus. replace (l + - l) with 0 by ring. rewrite exp_0. ring.
Qed.

Theorem gauss_bernoulli_acceptance s l v v' : mean (noisy c barker s l) v -> mean (noisy c barker s (- l)) v' ->
  v = exp l * v'.
Proof.
  intros H H'. assert (A := noisy_balance barker s l v barker_balance H).
  rewrite (mean_unique _ _ _ H' A), <- Rmult_assoc, <- exp_plus. replace (l + - l) with 0 by ring. rewrite exp_0. ring.
Qed.

(** The penalty test accepts at least as often as the Gauss-Bernoulli test. *)
Theorem gauss_bernoulli_below_penalty s l v w :
  mean (noisy c barker s l) v -> mean (noisy c metropolis s l) w -> v <= w.
Proof.
  intros [_ L] [U _]. apply L. intros a (x & y & Hxy & A).
  destruct (ex_RInt_continuous (noisy c metropolis s l) x y) as [b B].
  { intros z _. unfold noisy. apply (continuous_mult (normal c) (fun z => metropolis (l + s * z - s * s / 2))).
    - apply normal_continuous.
    - apply (continuous_comp (fun z => l + s * z - s * s / 2) metropolis).
      + apply (ex_derive_continuous (fun z => l + s * z - s * s / 2)). auto_derive. trivial.
      + apply continuity_pt_filterlim. unfold metropolis. intros e He.
        assert (C : continuity_pt exp (l + s * z - s * s / 2)) by (apply derivable_continuous_pt, derivable_pt_exp).
        destruct (C e He) as (d & Hd & H). exists d. split; [assumption|]. intros t Ht. specialize (H t Ht).
        simpl in *. unfold R_dist in *. eapply Rle_lt_trans; [|exact H].
        unfold Rmin. repeat destruct Rle_dec; unfold Rabs; repeat destruct Rcase_abs; lra. }
  apply Rle_trans with b; [|apply U; exists x, y; auto].
  apply (is_RInt_le _ _ x y a b Hxy A B). intros z _. unfold noisy. assert (N := normal_pos z).
  apply Rmult_le_compat_l; [lra|]. apply barker_below_metropolis.
Qed.
End Noise.
