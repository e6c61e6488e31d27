(** * The domination theorem

    Proved: for every private mechanism P with real outputs there is a remap of the clamped geometric mechanism such
    that, at every dataset x, the remapped output is at most t at least as often as the output of P if t is at least x,
    and exceeds t at least as often if t is below x (the Domination theorem of the page on optimality).

    Left abstract: a mechanism is given by the distribution functions of its outputs, one for each dataset 0..n, and
    the remap by one distribution function for each output z; only the events that an output is at most t, or more than
    t, need to be private. *)
From Coq Require Import Reals Lra Lia ZArith PeanoNat.
From Coquelicot Require Import Coquelicot.
From DPBI Require Import basics.sums mechanisms.geometric.
Open Scope R_scope.

(** Numbers clamped to [0, 1]. *)
Definition clip (u : R) : R := Rmax 0 (Rmin 1 u).

Ltac clip_tac := unfold clip, Rmax, Rmin; repeat destruct Rle_dec; try lra.

Lemma clip_range u : 0 <= clip u <= 1.
Proof. clip_tac. Qed.
Lemma clip_id u : 0 <= u <= 1 -> clip u = u.
Proof. intros; clip_tac. Qed.
Lemma clip_0 u : u <= 0 -> clip u = 0.
Proof. intros; clip_tac. Qed.
Lemma clip_1 u : 1 <= u -> clip u = 1.
Proof. intros; clip_tac. Qed.
Lemma clip_le u v : u <= v -> clip u <= clip v.
Proof. intros; clip_tac. Qed.
Lemma clip_lipschitz u v : Rabs (clip u - clip v) <= Rabs (u - v).
Proof. clip_tac; unfold Rabs; repeat destruct Rcase_abs; lra. Qed.

Lemma clip_continuous u : continuous clip u.
Proof.
  apply filterlim_locally. intros e. exists e. intros y Hy.
  eapply Rle_lt_trans; [apply clip_lipschitz|exact Hy].
Qed.

Lemma Sum_lt_one n f g k : (forall i, (i < n)%nat -> f i <= g i) -> (k < n)%nat -> f k < g k -> Sum n f < Sum n g.
Proof.
  intros H Hk Hlt.
  assert (W : g k - f k <= Sum n (fun i => g i - f i))
    by (apply (Sum_term n (fun i => g i - f i)); [intros i Hi; specialize (H i Hi); lra|assumption]).
  rewrite Sum_minus in W. lra.
Qed.

Section Threshold.
Variables (alpha : R) (n : nat).
Hypothesis Halpha : 0 < alpha < 1.
Hypothesis Hn : (0 < n)%nat.

Notation p := (geoc alpha n).
Notation C x s := (Sum s (geoc alpha n x)).
Local Hint Resolve geoc_pos : core.

(** The least probability of a private event at the next dataset, given its probability at this one. *)
Definition phi (f : R) : R := Rmax (alpha * f) (1 - (1 - f) / alpha).

Lemma div_a u : u / alpha * alpha = u.
Proof. field; lra. Qed.

Lemma phi_low f : f <= / (1 + alpha) -> phi f = alpha * f.
Proof.
  intros H. apply Rmax_left.
  assert (f * (1 + alpha) <= 1).
  { assert (E : / (1 + alpha) * (1 + alpha) = 1) by (field; lra). apply Rle_trans with (/ (1 + alpha) * (1 + alpha)); [|lra]. apply Rmult_le_compat_r; lra. }
  apply Rmult_le_reg_r with alpha; [lra|].
  rewrite Rmult_minus_distr_r, div_a. nra.
Qed.

Lemma phi_high f : / (1 + alpha) <= f -> phi f = 1 - (1 - f) / alpha.
Proof.
  intros H. apply Rmax_right.
  assert (1 <= f * (1 + alpha)).
  { assert (E : / (1 + alpha) * (1 + alpha) = 1) by (field; lra). apply Rle_trans with (/ (1 + alpha) * (1 + alpha)); [lra|]. apply Rmult_le_compat_r; lra. }
  apply Rmult_le_reg_r with alpha; [lra|].
  rewrite Rmult_minus_distr_r, div_a. nra.
Qed.

Lemma phi_lt f g : f < g -> phi f < phi g.
Proof.
  intros H. unfold phi. assert (I : 0 < / alpha) by (apply Rinv_0_lt_compat; lra).
  assert (A : alpha * f < alpha * g) by nra.
  assert (B : 1 - (1 - f) / alpha < 1 - (1 - g) / alpha) by (unfold Rdiv; nra).
  apply Rmax_lub_lt; [eapply Rlt_le_trans; [exact A|apply Rmax_l]|eapply Rlt_le_trans; [exact B|apply Rmax_r]].
Qed.

Lemma phi_le f g : f <= g -> phi f <= phi g.
Proof. intros [H|H]; [left; apply phi_lt; assumption|rewrite H; lra]. Qed.

Lemma phi_le_inv f g : phi f <= phi g -> f <= g.
Proof. intros H. destruct (Rle_lt_dec f g) as [|L]; [assumption|]. apply phi_lt in L. lra. Qed.

Lemma C_mono x s t : (s <= t)%nat -> C x s <= C x t.
Proof.
  intros H. induction H; [lra|]. simpl. assert (W := geoc_pos alpha Halpha n x m). lra.
Qed.

Lemma C_range x s : (x <= n)%nat -> (s <= S n)%nat -> 0 <= C x s <= 1.
Proof.
  intros Hx Hs. split.
  - apply (C_mono x 0); lia.
  - rewrite <- (geoc_total alpha Halpha n x Hn Hx). apply C_mono; assumption.
Qed.

Lemma C_low x s : (x < n)%nat -> (s <= S x)%nat -> C (S x) s = alpha * C x s.
Proof.
  intros Hx Hs. destruct s as [|s]; [simpl; ring|].
  rewrite !cdf_geoc by (assumption || lia). rewrite !c_low by (assumption || lia).
  replace (S x - s)%nat with (S (x - s)) by lia. simpl pow. unfold Rdiv; ring.
Qed.

Lemma C_high x s : (x < n)%nat -> (S x <= s <= S n)%nat -> 1 - C x s = alpha * (1 - C (S x) s).
Proof.
  intros Hx Hs. destruct s as [|s]; [lia|].
  destruct (Nat.eq_dec s n) as [->|].
  - rewrite !geoc_total by (assumption || lia). ring.
  - rewrite !cdf_geoc by (assumption || lia). rewrite (c_high alpha Halpha x s) by lia.
    destruct (Nat.eq_dec s x) as [->|].
    + rewrite c_low by (assumption || lia). replace (S x - x)%nat with 1%nat by lia. simpl. field. lra.
    + rewrite c_high by (assumption || lia). replace (S s - x)%nat with (S (S s - S x)) by lia.
      simpl pow. unfold Rdiv; ring.
Qed.

Lemma C_bend x : (x < n)%nat -> C x (S x) = / (1 + alpha).
Proof.
  intros Hx. rewrite cdf_geoc by (assumption || lia). rewrite c_low by (assumption || lia).
  rewrite Nat.sub_diag. simpl. field. lra.
Qed.

(** The events "z below h" of the geometric mechanism, with a coin toss where h is not an integer. *)
Definition g (x : nat) (h : R) : R := Sum (S n) (fun z => p x z * clip (h - INR z)).

Lemma threshold_ex h : 0 <= h <= INR (S n) -> exists s lam, (s <= n)%nat /\ 0 <= lam <= 1 /\ h = INR s + lam.
Proof.
  intros [H0 H1]. destruct (nfloor_ex h H0) as [s [Hs1 Hs2]].
  destruct (le_lt_dec s n) as [L|L].
  - exists s, (h - INR s). split; [assumption|]. split; lra.
  - exists n, 1. split; [lia|]. split; [lra|].
    apply le_INR in L. rewrite S_INR in *. lra.
Qed.

Lemma sum_threshold (q : nat -> R) s lam N : 0 <= lam <= 1 -> (s < N)%nat ->
  Sum N (fun z => q z * clip (INR s + lam - INR z)) = Sum s q + lam * q s.
Proof.
  intros Hl Hs. induction N; [lia|].
  destruct (Nat.eq_dec s N) as [<-|].
  - simpl. rewrite (clip_id (INR s + lam - INR s)) by lra.
    rewrite (Sum_ext s (fun z => q z * clip (INR s + lam - INR z)) q); [ring|].
    intros i Hi. rewrite clip_1; [ring|].
    assert (W : INR (S i) <= INR s) by (apply le_INR; lia). rewrite S_INR in W. lra.
  - simpl. rewrite IHN by lia. rewrite clip_0; [ring|].
    assert (W : INR (S s) <= INR N) by (apply le_INR; lia). rewrite S_INR in W. lra.
Qed.

Lemma g_threshold x s lam : (s <= n)%nat -> 0 <= lam <= 1 -> g x (INR s + lam) = C x s + lam * p x s.
Proof. intros. apply sum_threshold; [assumption|lia]. Qed.

(** From each dataset to the next, the probabilities of these events satisfy [phi] with equality. *)
Theorem orbit x h : (x < n)%nat -> 0 <= h <= INR (S n) -> g (S x) h = phi (g x h).
Proof.
  intros Hx Hh. destruct (threshold_ex h Hh) as (s & lam & Hs & Hl & ->).
  rewrite !g_threshold by assumption.
  assert (P := geoc_pos alpha Halpha n x s).
  destruct (le_lt_dec s x) as [L|L].
  - assert (E1 := C_low x s Hx ltac:(lia)). assert (E2 := C_low x (S s) Hx ltac:(lia)). simpl in E2.
    rewrite phi_low; [nra|]. rewrite <- (C_bend x Hx).
    apply Rle_trans with (C x (S s)); [simpl; nra|apply C_mono; lia].
  - assert (E1 := C_high x s Hx ltac:(lia)). assert (E2 := C_high x (S s) Hx ltac:(lia)). simpl in E2.
    rewrite phi_high.
    + apply Rmult_eq_reg_r with alpha; [|lra]. rewrite Rmult_minus_distr_r, div_a. nra.
    + rewrite <- (C_bend x Hx). apply Rle_trans with (C x s); [apply C_mono; lia|nra].
Qed.

(** The threshold whose event has probability f at the dataset x. *)
Definition inv (x : nat) (f : R) : R := Sum (S n) (fun z => clip ((f - C x z) / p x z)).

Lemma inv_range x f : 0 <= inv x f <= INR (S n).
Proof.
  split; [apply Sum_nonneg; intros; apply clip_range|].
  replace (INR (S n)) with (Sum (S n) (fun _ => 1)) by (rewrite Sum_const; ring).
  apply Sum_le; intros; apply clip_range.
Qed.

Lemma bracket x f N : 0 <= f <= C x N -> (0 < N)%nat -> exists s, (s < N)%nat /\ C x s <= f <= C x (S s).
Proof.
  induction N; [lia|]. intros Hf _.
  destruct (Rle_lt_dec (C x N) f) as [L|L].
  - exists N. split; [lia|]. split; [assumption|apply Hf].
  - destruct N as [|N]; [simpl in L; lra|].
    destruct IHN as (s & H1 & H2); [lra|lia|]. exists s; split; [lia|assumption].
Qed.

Lemma inv_value x f s : (s <= n)%nat -> C x s <= f <= C x (S s) -> inv x f = INR s + (f - C x s) / p x s.
Proof.
  intros Hs Hf. unfold inv.
  assert (Q : forall z, 0 < p x z) by (intros; apply geoc_pos; assumption).
  set (lam := (f - C x s) / p x s).
  assert (Hl : 0 <= lam <= 1).
  { assert (W := Q s). simpl in Hf. unfold lam. split.
    - apply Rle_div_r; lra.
    - apply Rle_div_l; lra. }
  rewrite <- (Rmult_1_r (INR s)) at 1. rewrite <- Sum_const.
  replace (Sum s (fun _ => 1) + lam) with (Sum s (fun _ => 1) + lam * 1) by ring.
  rewrite <- (sum_threshold (fun _ => 1) s lam (S n) Hl ltac:(lia)).
  apply Sum_ext; intros i Hi. rewrite Rmult_1_l.
  destruct (lt_eq_lt_dec i s) as [[L|E]|L].
  - rewrite !clip_1; [reflexivity| |].
    + assert (W : INR (S i) <= INR s) by (apply le_INR; lia). rewrite S_INR in W. lra.
    + apply Rle_div_r; [apply Q|]. assert (W := C_mono x (S i) s L). simpl in W. lra.
  - subst i. f_equal. unfold lam. ring.
  - rewrite !clip_0; [reflexivity| |].
    + assert (W : INR (S s) <= INR i) by (apply le_INR; lia). rewrite S_INR in W. lra.
    + apply Rle_div_l; [apply Q|]. assert (W := C_mono x (S s) i L). lra.
Qed.

Lemma g_inv x f : (x <= n)%nat -> 0 <= f <= 1 -> g x (inv x f) = f.
Proof.
  intros Hx Hf. rewrite <- (geoc_total alpha Halpha n x Hn Hx) in Hf.
  destruct (bracket x f (S n) Hf ltac:(lia)) as (s & Hs & Hb).
  assert (Q : 0 < p x s) by (apply geoc_pos; assumption).
  rewrite (inv_value x f s) by (assumption || lia). simpl in Hb. rewrite g_threshold; [|lia|].
  - field. lra.
  - split; [apply Rle_div_r|apply Rle_div_l]; lra.
Qed.

Lemma g_lt x h k : 0 <= h -> h < k -> k <= INR (S n) -> g x h < g x k.
Proof.
  intros H0 Hlt H1. destruct (nfloor_ex h H0) as [s [Hs1 Hs2]].
  assert (Hs : (s < S n)%nat) by (apply INR_lt; lra).
  apply (Sum_lt_one (S n) _ _ s).
  - intros i _. apply Rmult_le_compat_l; [left; apply geoc_pos; assumption|apply clip_le; lra].
  - assumption.
  - apply Rmult_lt_compat_l; [apply geoc_pos; assumption|].
    rewrite (clip_id (h - INR s)) by lra.
    destruct (Rle_lt_dec 1 (k - INR s)); [rewrite clip_1|rewrite clip_id]; lra.
Qed.

Lemma inv_0 x : (x <= n)%nat -> inv x 0 = 0.
Proof.
  intros Hx. unfold inv. transitivity (Sum (S n) (fun _ => 0)); [|apply Sum_0]. apply Sum_ext; intros i Hi.
  apply clip_0. assert (Q : 0 < p x i) by (apply geoc_pos; assumption).
  apply Rle_div_l; [assumption|]. assert (W := C_range x i Hx ltac:(lia)). lra.
Qed.

Lemma inv_1 x : (x <= n)%nat -> inv x 1 = INR (S n).
Proof.
  intros Hx. unfold inv. transitivity (Sum (S n) (fun _ => 1)); [|rewrite Sum_const; ring]. apply Sum_ext; intros i Hi.
  apply clip_1. assert (Q : 0 < p x i) by (apply geoc_pos; assumption).
  apply Rle_div_r; [assumption|]. assert (W := C_range x (S i) Hx ltac:(lia)). simpl in W. lra.
Qed.

Lemma inv_continuous x f : continuous (inv x) f.
Proof.
  unfold inv. generalize (S n) as N. induction N.
  - simpl. apply continuous_const.
  - simpl. apply (continuous_plus (fun f => Sum N (fun z => clip ((f - C x z) / p x z)))); [assumption|].
    apply (continuous_comp (fun f => (f - C x N) / p x N) clip); [|apply clip_continuous].
    unfold Rdiv. apply (continuous_mult (fun f => f - C x N) (fun _ => / p x N)); [|apply continuous_const].
    apply (continuous_minus (fun f => f) (fun _ => C x N)); [apply continuous_id|apply continuous_const].
Qed.

(** The dataset at which the threshold t of P and the threshold of the geometric mechanism are made to agree. *)
Definition base (t : R) : nat := Nat.min n (Z.to_nat (up t - 1)).

Lemma base_le t : (base t <= n)%nat.
Proof. apply Nat.le_min_l. Qed.

Lemma base_below x t : (x <= n)%nat -> INR x <= t -> (x <= base t)%nat.
Proof.
  intros Hx H. unfold base. destruct (archimed t) as [A _].
  assert (W : IZR (Z.of_nat x) < IZR (up t)) by (rewrite <- INR_IZR_INZ; lra).
  apply lt_IZR in W. lia.
Qed.

Lemma base_above x t : t < INR x -> (base t <= x)%nat.
Proof.
  intros H. unfold base. destruct (archimed t) as [_ A].
  assert (W : IZR (up t) < IZR (Z.of_nat x + 1)) by (rewrite plus_IZR, <- INR_IZR_INZ; lra).
  apply lt_IZR in W. lia.
Qed.

Lemma base_mono s t : s <= t -> (base s <= base t)%nat.
Proof.
  intros H. unfold base. destruct (archimed t) as [A _]. destruct (archimed s) as [_ B].
  assert (W : IZR (up s) < IZR (up t + 1)) by (rewrite plus_IZR; lra).
  apply lt_IZR in W. lia.
Qed.

Lemma base_right t : at_right t (fun s => base s = base t).
Proof.
  assert (A := archimed t).
  exists (mkposreal (IZR (up t) - t) ltac:(lra)). intros s Hs Hlt.
  apply Rabs_def2 in Hs. simpl in Hs. unfold minus, plus, opp in Hs; simpl in Hs.
  unfold base. rewrite <- (tech_up s (up t)); [reflexivity|lra|lra].
Qed.

(** ** Any mechanism with private thresholds *)
Section Mechanism.
Variable F : nat -> R -> R.
Hypothesis F_range : forall x t, (x <= n)%nat -> 0 <= F x t <= 1.
Hypothesis F_mono : forall x s t, (x <= n)%nat -> s <= t -> F x s <= F x t.
Hypothesis F_step : forall x t, (x < n)%nat -> phi (F x t) <= F (S x) t.

(** The threshold that corresponds to t, and the remap that these thresholds define. *)
Definition position (t : R) : R := inv (base t) (F (base t) t).

Definition K (z : nat) (t : R) : R := clip (position t - INR z).

Lemma position_range t : 0 <= position t <= INR (S n).
Proof. apply inv_range. Qed.

Lemma agree t : g (base t) (position t) = F (base t) t.
Proof. apply g_inv; [apply base_le|apply F_range, base_le]. Qed.

Lemma above_base t x : (base t <= x)%nat -> (x <= n)%nat -> g x (position t) <= F x t.
Proof.
  intros H. induction H as [|x H IH]; intros Hx; [rewrite agree; lra|].
  rewrite orbit; [|lia|apply position_range].
  apply Rle_trans with (phi (F x t)); [apply phi_le, IH; lia|apply F_step; lia].
Qed.

Lemma below_base t k : forall x, (base t = x + k)%nat -> F x t <= g x (position t).
Proof.
  assert (B := base_le t). induction k; intros x E.
  - rewrite Nat.add_0_r in E. rewrite <- E, agree. lra.
  - apply phi_le_inv. rewrite <- orbit; [|lia|apply position_range].
    apply Rle_trans with (F (S x) t); [apply F_step; lia|apply IHk; lia].
Qed.

Lemma position_mono s t : s <= t -> position s <= position t.
Proof.
  intros H. destruct (Rle_lt_dec (position s) (position t)) as [|L]; [assumption|].
  apply (g_lt (base t)) in L; [|apply position_range..].
  assert (A := above_base s (base t) (base_mono s t H) (base_le t)).
  assert (M := F_mono (base t) s t (base_le t) H). rewrite agree in L. lra.
Qed.

Lemma K_range z t : 0 <= K z t <= 1.
Proof. apply clip_range. Qed.

Lemma K_mono z s t : s <= t -> K z s <= K z t.
Proof. intros H. apply clip_le. assert (W := position_mono s t H). lra. Qed.

Definition GT (x : nat) (t : R) : R := Sum (S n) (fun z => p x z * K z t).

(** At all other datasets the geometric mechanism is at least as good. *)
Theorem dominates_above x t : (x <= n)%nat -> INR x <= t -> F x t <= GT x t.
Proof.
  intros Hx H. assert (W := base_below x t Hx H). apply (below_base t (base t - x)). lia.
Qed.

Theorem dominates_below x t : (x <= n)%nat -> t < INR x -> GT x t <= F x t.
Proof. intros Hx H. apply above_base; [apply base_above|]; assumption. Qed.

Lemma K_end z t : (z <= n)%nat -> F (base t) t = 1 -> K z t = 1.
Proof.
  intros Hz E. unfold K, position. rewrite E, inv_1 by apply base_le.
  apply clip_1. apply le_INR in Hz. rewrite S_INR. lra.
Qed.

End Mechanism.
End Threshold.

(** ** Distribution functions *)
Definition is_cdf (G : R -> R) : Prop :=
  (forall s t, s <= t -> G s <= G t) /\
  (forall t, filterlim G (at_right t) (locally (G t))) /\
  is_lim G m_infty 0 /\ is_lim G p_infty 1.

Lemma cdf_range G t : is_cdf G -> 0 <= G t <= 1.
Proof.
  intros (M & _ & L & U). split.
  - assert (W : Rbar_le 0 (G t)); [|exact W].
    apply (is_lim_le_loc G (fun _ => G t) m_infty); [|assumption|apply is_lim_const].
    exists t. intros y Hy. apply M; lra.
  - assert (W : Rbar_le (G t) 1); [|exact W].
    apply (is_lim_le_loc (fun _ => G t) G p_infty); [|apply is_lim_const|assumption].
    exists t. intros y Hy. apply M; lra.
Qed.

(** The consequence of privacy of all events for thresholds. *)
Definition private_thresholds (eps : R) (n : nat) (F : nat -> R -> R) : Prop :=
  forall x y t, neighbour n x y -> F x t <= exp eps * F y t /\ 1 - F x t <= exp eps * (1 - F y t).

Lemma private_step eps n F : private_thresholds eps n F ->
  forall x t, (x < n)%nat -> phi (exp (- eps)) (F x t) <= F (S x) t.
Proof.
  intros H x t Hx. assert (Q := exp_pos (- eps)). apply Rmax_lub.
  - apply exp_cancel. apply H. unfold neighbour; lia.
  - assert (W : exp (- eps) * (1 - F (S x) t) <= 1 - F x t).
    { apply exp_cancel. apply H. unfold neighbour; lia. }
    apply Rmult_le_reg_r with (exp (- eps)); [assumption|].
    rewrite Rmult_minus_distr_r. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Section Cdf.
Variables (alpha : R) (n : nat) (F : nat -> R -> R).
Hypothesis Halpha : 0 < alpha < 1.
Hypothesis Hn : (0 < n)%nat.
Hypothesis F_cdf : forall x, (x <= n)%nat -> is_cdf (F x).
Hypothesis F_step : forall x t, (x < n)%nat -> phi alpha (F x t) <= F (S x) t.

Let step (b z : nat) (f : R) : R := clip (inv alpha n b f - INR z).

Lemma step_continuous b z f : continuous (step b z) f.
Proof.
  apply (continuous_comp (fun f => inv alpha n b f - INR z) clip); [|apply clip_continuous].
  apply (continuous_minus (inv alpha n b) (fun _ => INR z)); [apply inv_continuous|apply continuous_const].
Qed.

Lemma K_cdf z : (z <= n)%nat -> is_cdf (K alpha n F z).
Proof.
  intros Hz.
  assert (R1 : forall x t, (x <= n)%nat -> 0 <= F x t <= 1) by (intros; apply cdf_range; auto).
  assert (M1 : forall x s t, (x <= n)%nat -> s <= t -> F x s <= F x t) by (intros x s t Hx; apply (F_cdf x Hx)).
  split; [|split; [|split]].
  - intros s t. apply K_mono; assumption.
  - intros t. apply (filterlim_ext_loc (fun s => step (base n t) z (F (base n t) s))).
    + generalize (base_right n t). apply filter_imp. intros s E. unfold K, position. rewrite E. reflexivity.
    + apply (filterlim_comp _ _ _ (F (base n t)) (step (base n t) z) _ (locally (F (base n t) t))).
      * apply (F_cdf (base n t) (base_le n t)).
      * apply step_continuous.
  - replace 0 with (step 0 z 0).
    2:{ unfold step. rewrite inv_0 by (assumption || lia). apply clip_0. assert (W := pos_INR z). lra. }
    apply (is_lim_ext_loc (fun s => step 0 z (F 0%nat s))).
    + exists 0. intros s Hs. unfold K, position, step.
      assert (E : base n s = 0%nat) by (assert (W := base_above n Hn 0 s Hs); lia). rewrite E. reflexivity.
    + apply (filterlim_comp _ _ _ (F 0%nat) (step 0 z) _ (locally 0)); [|apply step_continuous].
      apply (F_cdf 0%nat); lia.
  - replace 1 with (step n z 1).
    2:{ unfold step. rewrite inv_1 by (assumption || lia). apply clip_1. apply le_INR in Hz. rewrite S_INR. lra. }
    apply (is_lim_ext_loc (fun s => step n z (F n s))).
    + exists (INR n). intros s Hs. unfold K, position, step.
      assert (E : base n s = n).
      { assert (W := base_below n Hn n s (le_n n) (Rlt_le _ _ Hs)). assert (V := base_le n s). lia. }
      rewrite E. reflexivity.
    + apply (filterlim_comp _ _ _ (F n) (step n z) _ (locally 1)); [|apply step_continuous].
      apply (F_cdf n); lia.
Qed.
End Cdf.

(** ** The theorem *)
Theorem domination eps n (F : nat -> R -> R) : 0 < eps -> (0 < n)%nat ->
  (forall x, (x <= n)%nat -> is_cdf (F x)) -> private_thresholds eps n F ->
  exists K : nat -> R -> R,
    (forall z, (z <= n)%nat -> is_cdf (K z)) /\
    forall x t, (x <= n)%nat ->
      let GT := Sum (S n) (fun z => geoc (exp (- eps)) n x z * K z t) in
      (INR x <= t -> GT >= F x t) /\ (t < INR x -> 1 - GT >= 1 - F x t).
Proof.
  intros He Hn Hc Hp. assert (A := alpha_range eps He). assert (S1 := private_step eps n F Hp).
  assert (R1 : forall x t, (x <= n)%nat -> 0 <= F x t <= 1) by (intros; apply cdf_range; auto).
  exists (K (exp (- eps)) n F). split; [intros; apply K_cdf; assumption|].
  intros x t Hx. cbv zeta. split; intros H.
  - apply Rle_ge. apply dominates_above; assumption.
  - assert (W := dominates_below (exp (- eps)) n A Hn F R1 S1 x t Hx H). unfold GT in W. lra.
Qed.
