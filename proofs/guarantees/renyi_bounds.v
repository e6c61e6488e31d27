(** * Rényi divergences: post-processing, and the sharp constant of pure privacy

    Proved: processing an output at random, in a way that depends on this output alone, increases no Rényi divergence
    of an order above 1, so concentrated privacy is preserved. A mechanism that is eps-private is
    [eps * tanh (eps / 2)]-zCDP, by comparison with randomised response, which is the worst case.

    Left abstract: nothing but the outputs, of which there are finitely many, all with positive probability. *)
From Coq Require Import Reals Lra Lia PeanoNat.
From Coquelicot Require Import Coquelicot.
From DPBI Require Import basics.sums model.gamma guarantees.composition guarantees.concentrated.
Open Scope R_scope.

(** ** Powers are convex: Bernoulli's inequality and tangents *)
Lemma power_tangent_one a y : 1 < a -> 0 < y -> 1 + a * (y - 1) <= Rpower y a.
Proof.
  intros Ha Hy. assert (P : 0 < Rpower y a) by apply exp_pos.
  assert (I : 0 < / a < 1).
  { split; [apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1. apply Rinv_lt_contravar; lra. }
  assert (W := ln_concave 1 (Rpower y a) (/ a) ltac:(lra) P ltac:(lra)). rewrite ln_1 in W.
  unfold Rpower in W at 1. rewrite ln_exp in W.
  replace ((1 - / a) * 0 + / a * (a * ln y)) with (ln y) in W by (field; lra).
  assert (V : y <= (1 - / a) * 1 + / a * Rpower y a).
  { apply Rnot_lt_le. intros C. apply ln_increasing in C; [lra|]. nra. }
  apply Rmult_le_compat_l with (r := a) in V; [|lra].
  replace (a * ((1 - / a) * 1 + / a * Rpower y a)) with (a - 1 + Rpower y a) in V by (field; lra). lra.
Qed.

Lemma power_tangent a x c : 1 < a -> 0 < x -> 0 < c -> Rpower c a + a * Rpower c (a - 1) * (x - c) <= Rpower x a.
Proof.
  intros Ha Hx Hc. assert (W := power_tangent_one a (x / c) Ha ltac:(apply Rdiv_lt_0_compat; assumption)).
  assert (P : 0 < Rpower c a) by apply exp_pos. apply Rmult_le_compat_l with (r := Rpower c a) in W; [|lra].
  rewrite Rpower_mult_distr in W by (try apply Rdiv_lt_0_compat; assumption).
  replace (c * (x / c)) with x in W by (field; lra).
  unfold Rminus at 1. rewrite Rpower_plus, Rpower_Ropp, Rpower_1 by assumption.
  replace (a * (Rpower c a * / c) * (x - c)) with (Rpower c a * (a * (x / c - 1))) by (field; lra). lra.
Qed.

(** Between two points a power lies below its chord. *)
Lemma power_chord a u v s : 1 < a -> 0 < u -> 0 < v -> 0 <= s <= 1 ->
  Rpower (s * u + (1 - s) * v) a <= s * Rpower u a + (1 - s) * Rpower v a.
Proof.
  intros Ha Hu Hv Hs. set (r := s * u + (1 - s) * v). assert (Hr : 0 < r) by (unfold r; nra).
  assert (U := power_tangent a u r Ha Hu Hr). assert (V := power_tangent a v r Ha Hv Hr).
  set (k := a * Rpower r (a - 1)) in *.
  assert (E : k * (s * (u - r) + (1 - s) * (v - r)) = 0) by (unfold r; ring).
  apply Rmult_le_compat_l with (r := s) in U; [|lra]. apply Rmult_le_compat_l with (r := 1 - s) in V; lra.
Qed.

Lemma power_ratio a p q : 0 < p -> 0 < q -> Rpower p a * Rpower q (1 - a) = q * Rpower (p / q) a.
Proof.
  intros Hp Hq. unfold Rpower. rewrite ln_div by assumption. rewrite <- (exp_ln q) at 2 by assumption.
  rewrite <- !exp_plus. f_equal. ring.
Qed.

(** ** Post-processing *)
Lemma moment_post_processing a n p q h : 1 < a -> (forall z, (z < n)%nat -> 0 < p z /\ 0 < q z /\ 0 <= h z) ->
  0 < Sum n (fun z => p z * h z) -> 0 < Sum n (fun z => q z * h z) ->
  Rpower (Sum n (fun z => p z * h z)) a * Rpower (Sum n (fun z => q z * h z)) (1 - a) <=
  Sum n (fun z => Rpower (p z) a * Rpower (q z) (1 - a) * h z).
Proof.
  intros Ha W HP HQ. set (P := Sum n (fun z => p z * h z)) in *. set (Q := Sum n (fun z => q z * h z)) in *.
  rewrite power_ratio by assumption. set (c := P / Q). assert (Hc : 0 < c) by (apply Rdiv_lt_0_compat; assumption).
  set (k := a * Rpower c (a - 1)).
  assert (E : Q * Rpower c a = Sum n (fun z => (Rpower c a - k * c) * (q z * h z) + k * (p z * h z))).
  { rewrite Sum_plus, !Sum_scal. fold P. fold Q. unfold c at 3. field. lra. }
  rewrite E. apply Sum_le; intros z Hz. destruct (W z Hz) as (Hp & Hq & Hh). rewrite power_ratio by assumption.
  assert (T := power_tangent a (p z / q z) c Ha ltac:(apply Rdiv_lt_0_compat; assumption) Hc). fold k in T.
  apply Rmult_le_compat_l with (r := q z) in T; [|lra].
  replace (q z * (Rpower c a + k * (p z / q z - c))) with ((Rpower c a - k * c) * q z + k * p z) in T by (field; lra).
  apply Rmult_le_compat_r with (r := h z) in T; [|assumption]. nra.
Qed.

Theorem renyi_post_processing a n m p q T : 1 < a -> (0 < m)%nat -> positive_law n p -> positive_law n q ->
  (forall z, (z < n)%nat -> law m (T z)) -> (forall j, (j < m)%nat -> exists z, (z < n)%nat /\ 0 < T z j) ->
  renyi a m (remap n p T) (remap n q T) <= renyi a n p q.
Proof.
  intros Ha Hm [P0 P1] [Q0 Q1] HT Hpos.
  assert (Pos : forall f, (forall z, (z < n)%nat -> 0 < f z) -> forall j, (j < m)%nat -> 0 < remap n f T j).
  { intros f Hf j Hj. destruct (Hpos j Hj) as (z & Hz & Tz). unfold remap. eapply Rlt_le_trans.
    - apply (Rmult_lt_0_compat (f z) (T z j)); [apply Hf, Hz|exact Tz].
    - apply (Sum_term n (fun z => f z * T z j)); [|assumption]. intros i Hi.
      apply Rmult_le_pos; [left; apply Hf, Hi|apply HT; assumption]. }
  unfold renyi. apply Rmult_le_compat_l; [left; apply Rinv_0_lt_compat; lra|]. apply ln_le.
  - apply Sum_pos; [assumption|]. intros; apply Rmult_lt_0_compat; apply exp_pos.
  - apply Rle_trans with (Sum m (fun j => Sum n (fun z => Rpower (p z) a * Rpower (q z) (1 - a) * T z j))).
    + apply Sum_le; intros j Hj. apply moment_post_processing; [assumption| |apply Pos; assumption|apply Pos; assumption].
      intros z Hz. split; [apply P0, Hz|split; [apply Q0, Hz|apply HT; assumption]].
    + rewrite Sum_swap. right. apply Sum_ext; intros z Hz. rewrite Sum_scal. destruct (HT z Hz) as [_ ->]. ring.
Qed.

Theorem zcdp_post_processing rho n m p q T : (0 < m)%nat -> positive_law n p -> positive_law n q ->
  (forall z, (z < n)%nat -> law m (T z)) -> (forall j, (j < m)%nat -> exists z, (z < n)%nat /\ 0 < T z j) ->
  zcdp rho n p q -> zcdp rho m (remap n p T) (remap n q T).
Proof.
  intros Hm Hp Hq HT Hpos H a Ha. eapply Rle_trans; [apply renyi_post_processing; assumption|apply H, Ha].
Qed.

(** ** Randomised response is the worst case *)
Lemma rises (f f' : R -> R) c t : (forall u, c <= u -> is_derive f u (f' u)) -> (forall u, c <= u -> 0 <= f' u) ->
  c <= t -> f c <= f t.
Proof.
  intros D P H. destruct (MVT_gen f c t f') as (x & Hx & E); rewrite Rmin_left, Rmax_right in * by assumption.
  - intros x Hx. apply D. lra.
  - intros x Hx. apply continuity_pt_filterlim, (ex_derive_continuous f). exists (f' x). apply D. lra.
  - specialize (P x ltac:(lra)). nra.
Qed.

Lemma exp_above t : 0 <= t -> 2 * t * exp t <= exp (2 * t) - 1.
Proof.
  intros H. assert (W := rises (fun t => exp t - exp (- t) - 2 * t) (fun t => exp t + exp (- t) - 2) 0 t).
  assert (V : exp 0 - exp (- 0) - 2 * 0 <= exp t - exp (- t) - 2 * t).
  { apply W; [| |assumption].
    - intros u _. auto_derive; [trivial|ring].
    - intros u _. assert (A := exp_pos u). assert (B := Rle_0_sqr (exp u - 1)). unfold Rsqr in B. rewrite exp_Ropp.
      apply Rmult_le_reg_l with (exp u); [assumption|]. rewrite Rmult_0_r.
      replace (exp u * (exp u + / exp u - 2)) with ((exp u - 1) * (exp u - 1)) by (field; lra). assumption. }
  rewrite Ropp_0, exp_0, exp_Ropp in V. assert (A := exp_pos t). apply Rmult_le_compat_l with (r := exp t) in V; [|lra].
  replace (2 * t) with (t + t) at 2 by ring. rewrite exp_plus.
  replace (exp t * (exp t - / exp t - 2 * t)) with (exp t * exp t - 1 - 2 * t * exp t) in V by (field; lra). lra.
Qed.

Section Response.
Variable eps : R.
Hypothesis He : 0 < eps.
Let E := exp eps.
(** [tanh (k eps / 2)]. *)
Let T k := 1 - 2 / (exp (k * eps) + 1).

Lemma tanh_steps k : 1 <= k -> T k <= k * T 1.
Proof.
  intros Hk. assert (W := rises (fun k => k * T 1 - T k) (fun k => T 1 - 2 * eps * exp (k * eps) / (exp (k * eps) + 1) ^ 2) 1 k).
  assert (V : 1 * T 1 - T 1 <= k * T 1 - T k); [|lra]. apply W; [| |assumption]; clear W.
  - intros u _. unfold T at 2. assert (P := exp_pos (u * eps)).
    auto_derive; [lra|]. field. lra.
  - intros u Hu. unfold T. rewrite Rmult_1_l. fold E. set (y := exp (u * eps)).
    assert (PE : 1 < E) by (unfold E; rewrite <- exp_0; apply exp_increasing; assumption).
    assert (PY : E <= y).
    { unfold E, y. destruct Hu as [Hu|<-]; [left; apply exp_increasing; nra|rewrite Rmult_1_l; lra]. }
    assert (A := exp_above eps ltac:(lra)). replace (2 * eps) with (eps + eps) in A at 2 by ring. rewrite exp_plus in A. fold E in A.
    assert (B : y / (y + 1) ^ 2 <= E / (E + 1) ^ 2).
    { apply Rle_div_l; [nra|]. replace (E / (E + 1) ^ 2 * (y + 1) ^ 2) with (E * (y + 1) ^ 2 / (E + 1) ^ 2) by (field; lra).
      apply Rle_div_r; [nra|]. assert (0 <= (y - E) * (E * y - 1)) by (apply Rmult_le_pos; nra). nra. }
    assert (C : 2 * eps * (E / (E + 1) ^ 2) <= 1 - 2 / (E + 1)).
    { replace (1 - 2 / (E + 1)) with ((E * E - 1) / (E + 1) ^ 2) by (field; lra).
      replace (2 * eps * (E / (E + 1) ^ 2)) with (2 * eps * E / (E + 1) ^ 2) by (field; lra).
      apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; nra|lra]. }
    assert (D : 2 * eps * (y / (y + 1) ^ 2) <= 2 * eps * (E / (E + 1) ^ 2)) by (apply Rmult_le_compat_l; lra).
    replace (2 * eps * y / (y + 1) ^ 2) with (2 * eps * (y / (y + 1) ^ 2)) by (field; lra). lra.
Qed.

Lemma tanh_is : T 1 = tanh (eps / 2).
Proof.
  unfold T, tanh, sinh, cosh. rewrite Rmult_1_l, exp_Ropp. replace eps with (eps / 2 + eps / 2) at 1 by field.
  rewrite exp_plus. assert (P := exp_pos (eps / 2)). field. split; nra.
Qed.

(** The moment of randomised response: its outputs have the ratios [exp eps] and [exp (- eps)]. *)
Definition response a := (exp (a * eps) + exp (eps - a * eps)) / (1 + exp eps).

Lemma response_bound a : 1 < a -> ln (response a) <= (a - 1) * (eps * tanh (eps / 2) * a).
Proof.
  intros Ha. rewrite <- tanh_is.
  set (f := fun a => (a - 1) * (eps * T 1 * a) - ln (response a)).
  assert (W := rises f (fun a => eps * ((2 * a - 1) * T 1 - T (2 * a - 1))) 1 a).
  assert (Z : f 1 = 0).
  { unfold f, response. assert (P := exp_pos eps). replace ((exp (1 * eps) + exp (eps - 1 * eps)) / (1 + exp eps)) with 1.
    - rewrite ln_1. ring.
    - rewrite Rmult_1_l, (Rminus_eq_0 eps), exp_0. field. lra. }
  assert (V : f 1 <= f a); [|unfold f in *; lra]. apply W; [| |lra]; clear W.
  - intros u _. unfold f, response. set (t := T 1). unfold T.
    assert (P := exp_pos eps). assert (P1 := exp_pos (u * eps)). assert (P2 := exp_pos (eps - u * eps)).
    auto_derive.
    + apply Rmult_lt_0_compat; [|apply Rinv_0_lt_compat]; unfold Rminus in *; lra.
    + replace ((2 * u - 1) * eps) with (u * eps + u * eps + - eps) by ring. unfold Rminus. rewrite !exp_plus, !exp_Ropp.
      field. repeat split; nra.
  - intros u Hu. assert (S := tanh_steps (2 * u - 1) ltac:(lra)). apply Rmult_le_pos; lra.
Qed.

Lemma moment_response a n p q : 1 < a -> positive_law n p -> positive_law n q ->
  (forall i, (i < n)%nat -> / E * q i <= p i <= E * q i) ->
  Sum n (fun i => Rpower (p i) a * Rpower (q i) (1 - a)) <= response a.
Proof.
  intros Ha [P0 P1] [Q0 Q1] H. assert (PE : 1 < E) by (unfold E; rewrite <- exp_0; apply exp_increasing; assumption).
  assert (PI : / E < 1) by (rewrite <- Rinv_1; apply Rinv_lt_contravar; lra).
  assert (PI0 : 0 < / E) by (apply Rinv_0_lt_compat; lra). set (d := E - / E). assert (Hd : 0 < d) by (unfold d; lra).
  set (hi := Rpower E a). set (lo := Rpower (/ E) a).
  apply Rle_trans with (Sum n (fun i => (hi - lo) / d * p i + (lo - / E * ((hi - lo) / d)) * q i)).
  - apply Sum_le; intros i Hi. specialize (P0 i Hi). specialize (Q0 i Hi). specialize (H i Hi).
    rewrite power_ratio by assumption. set (r := p i / q i).
    assert (Hr : / E <= r <= E).
    { unfold r. split; [apply Rle_div_r; lra|apply Rle_div_l; lra]. }
    set (s := (r - / E) / d).
    assert (Hs : 0 <= s <= 1).
    { unfold s. split; [apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat, Hd]|]. apply Rle_div_l; [assumption|unfold d; lra]. }
    assert (C := power_chord a E (/ E) s Ha ltac:(lra) PI0 Hs). fold hi in C. fold lo in C.
    assert (Hsd : s * d = r - / E) by (unfold s; field; lra).
    replace (s * E + (1 - s) * / E) with r in C by (unfold d in Hsd; lra).
    apply Rmult_le_compat_l with (r := q i) in C; [|lra]. eapply Rle_trans; [exact C|]. right.
    unfold s, r. field. split; lra.
  - assert (Hhi : hi = exp (a * eps)) by (unfold hi, Rpower, E; rewrite ln_exp; reflexivity).
    assert (Hlo : lo = / exp (a * eps)).
    { unfold lo, Rpower. rewrite ln_Rinv by lra. unfold E. rewrite ln_exp, <- exp_Ropp. f_equal. ring. }
    rewrite Sum_plus, !Sum_scal, P1, Q1, Hhi, Hlo. right. unfold response.
    replace (exp (eps - a * eps)) with (E * / exp (a * eps)) by (unfold Rminus; rewrite exp_plus, exp_Ropp; reflexivity).
    fold E. unfold d. assert (Y := exp_pos (a * eps)). assert (N : E * E - 1 <> 0) by nra. field. repeat split; lra.
Qed.

Theorem zcdp_of_pair n p q : (0 < n)%nat -> positive_law n p -> positive_law n q ->
  (forall i, (i < n)%nat -> / E * q i <= p i <= E * q i) -> zcdp (eps * tanh (eps / 2)) n p q.
Proof.
  intros Hn Hp Hq H a Ha. unfold renyi. assert (M := moment_response a n p q Ha Hp Hq H).
  assert (P : 0 < Sum n (fun i => Rpower (p i) a * Rpower (q i) (1 - a))).
  { apply Sum_pos; [assumption|]. intros; apply Rmult_lt_0_compat; apply exp_pos. }
  apply Rmult_le_reg_l with (a - 1); [lra|]. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra.
  eapply Rle_trans; [apply ln_le; [exact P|exact M]|]. apply response_bound, Ha.
Qed.
End Response.

Theorem zcdp_of_private_sharp {D} (neighbour : D -> D -> Prop) eps n M : 0 < eps -> (0 < n)%nat ->
  (forall x y, neighbour x y -> neighbour y x) -> (forall x, positive_law n (M x)) ->
  private neighbour eps n M -> zcdp_mechanism neighbour (eps * tanh (eps / 2)) n M.
Proof.
  intros He Hn Sym HM H x y Hxy. apply zcdp_of_pair; try assumption; [apply HM|apply HM|].
  intros i Hi. split; [|apply (private_pointwise neighbour eps n M x y i); assumption].
  assert (W := private_pointwise neighbour eps n M y x i H (Sym _ _ Hxy) Hi). assert (P := exp_pos eps).
  apply Rmult_le_reg_l with (exp eps); [assumption|]. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra. exact W.
Qed.
