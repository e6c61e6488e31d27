(** * The exponential mechanism

    Proved: the privacy loss of a mechanism with weights [exp (- rate * u r)] is, for every event, at most [rate] times
    the range of the difference of its scores. This bound implies the guarantees of the exponential mechanism with the
    sensitivity of its score, for any score and for a metric. It also implies the bounds for weights that are divided
    by a sensitivity that depends on the data: EHDL, EHDS, and the smoothed Hellinger mechanism with the divisor 2 S,
    each with the bound in its claim.

    Left abstract: the datasets may be of any type, the candidates are 0 .. N-1, and the score is any function with the
    property that the theorem names, for instance a distance between 0 and 1 that satisfies the triangle inequality.
    This file does not prove that the Hellinger distance has these properties, nor what its sensitivity is. *)
From Coq Require Import Reals Lra Lia PeanoNat RelationClasses.
From Coquelicot Require Import Coquelicot.
From DPBI Require Import basics.sums.
Open Scope R_scope.

#[local] Instance Rle_Transitive : Transitive Rle := Rle_trans.

(** The weights, and the distribution that they define. *)
Definition weight (rate : R) (u : nat -> R) (r : nat) : R := exp (- (rate * u r)).
Definition expmech (rate : R) (N : nat) (u : nat -> R) (r : nat) : R := weight rate u r / Sum N (weight rate u).

Lemma weight_pos rate u r : 0 < weight rate u r.
Proof. apply exp_pos. Qed.

Lemma exp_le a b : a <= b -> exp a <= exp b.
Proof. intros [H|H]; [left; apply exp_increasing; assumption|rewrite H; lra]. Qed.

Theorem expmech_law rate N u : (0 < N)%nat -> law N (expmech rate N u).
Proof.
  intros HN. assert (P : 0 < Sum N (weight rate u)) by (apply Sum_pos; auto using weight_pos).
  split.
  - intros i _. unfold expmech, Rdiv. apply Rmult_le_pos; [left; apply weight_pos|].
    left; apply Rinv_0_lt_compat; assumption.
  - unfold expmech, Rdiv. rewrite Sum_scal_r. apply Rinv_r. lra.
Qed.

(** Two scores whose difference stays between [lo] and [hi]. *)
Theorem expmech_range rate N u v lo hi r : 0 <= rate -> (r < N)%nat ->
  (forall i, (i < N)%nat -> lo <= v i - u i <= hi) ->
  expmech rate N u r <= exp (rate * (hi - lo)) * expmech rate N v r.
Proof.
  intros Hr HrN H. unfold expmech.
  assert (HN : (0 < N)%nat) by lia.
  assert (Pu : 0 < Sum N (weight rate u)) by (apply Sum_pos; auto using weight_pos).
  assert (Pv : 0 < Sum N (weight rate v)) by (apply Sum_pos; auto using weight_pos).
  assert (A : weight rate u r <= exp (rate * hi) * weight rate v r).
  { unfold weight. rewrite <- exp_plus. apply exp_le. specialize (H r HrN). nra. }
  assert (B : exp (rate * lo) * Sum N (weight rate v) <= Sum N (weight rate u)).
  { rewrite <- Sum_scal. apply Sum_le; intros i Hi. unfold weight. rewrite <- exp_plus. apply exp_le.
    specialize (H i Hi). nra. }
  assert (E : exp (rate * hi) = exp (rate * (hi - lo)) * exp (rate * lo)) by (rewrite <- exp_plus; f_equal; ring).
  set (k := exp (rate * (hi - lo))) in *. set (a := exp (rate * lo)) in *.
  assert (Pk : 0 < k) by apply exp_pos. assert (Pa : 0 < a) by apply exp_pos.
  assert (Wv := weight_pos rate v r). assert (Wu := weight_pos rate u r).
  apply Rmult_le_reg_r with (Sum N (weight rate u) * Sum N (weight rate v)); [nra|].
  transitivity (weight rate u r * Sum N (weight rate v)); [right; field; lra|].
  transitivity (k * weight rate v r * (a * Sum N (weight rate v))).
  - replace (k * weight rate v r * (a * Sum N (weight rate v)))
      with (k * a * weight rate v r * Sum N (weight rate v)) by ring.
    apply Rmult_le_compat_r; [lra|]. rewrite <- E. exact A.
  - transitivity (k * weight rate v r * Sum N (weight rate u)); [apply Rmult_le_compat_l; [nra|exact B]|].
    right; field; lra.
Qed.

Theorem range_private {D : Type} (neighbour : D -> D -> Prop) rate width N (u : D -> nat -> R) : 0 <= rate ->
  (forall x y, neighbour x y -> exists lo, forall r, (r < N)%nat -> lo <= u y r - u x r <= lo + width) ->
  private neighbour (rate * width) N (fun x => expmech rate N (u x)).
Proof.
  intros Hr H. apply pointwise_private. intros x y r Hxy HrN. destruct (H x y Hxy) as (lo & W).
  replace width with (lo + width - lo) by ring. apply expmech_range; assumption.
Qed.

(** The exponential mechanism for a score that changes by at most [s] between neighbours. *)
Theorem exponential_private {D : Type} (neighbour : D -> D -> Prop) eps s N (u : D -> nat -> R) :
  0 < eps -> 0 < s ->
  (forall x y r, neighbour x y -> (r < N)%nat -> Rabs (u x r - u y r) <= s) ->
  private neighbour eps N (fun x => expmech (eps / (2 * s)) N (u x)).
Proof.
  intros He Hs H. replace eps with (eps / (2 * s) * (2 * s)) at 1 by (field; lra).
  apply range_private.
  - apply Rlt_le, Rdiv_lt_0_compat; lra.
  - intros x y Hxy. exists (- s). intros r Hr. specialize (H x y r Hxy Hr).
    revert H. unfold Rabs; destruct Rcase_abs; lra.
Qed.

(** A distance from the data as the score: the largest distance between neighbours is a sensitivity of this score. *)
Theorem exponential_metric_private {D : Type} (neighbour : D -> D -> Prop) eps GS N
  (d : D -> D -> R) (candidate : nat -> D) :
  0 < eps -> 0 < GS ->
  (forall x y, d x y = d y x) -> (forall x y z, d x z <= d x y + d y z) ->
  (forall x y, neighbour x y -> d x y <= GS) ->
  private neighbour eps N (fun x => expmech (eps / (2 * GS)) N (fun r => d x (candidate r))).
Proof.
  intros He HG Ds Dt Hd. apply exponential_private; try assumption.
  intros x y r Hxy _. assert (A := Dt x y (candidate r)). assert (B := Dt y x (candidate r)).
  assert (W := Hd x y Hxy). rewrite (Ds y x) in B. unfold Rabs; destruct Rcase_abs; lra.
Qed.

(** ** A distance divided by a sensitivity of the data *)
Section Divided.
Context {D : Type} (neighbour : D -> D -> Prop) (d : D -> D -> R) (candidate : nat -> D) (N : nat) (S : D -> R).
Hypothesis symmetric : forall x y, neighbour x y -> neighbour y x.
Hypothesis d_symmetric : forall x y, d x y = d y x.
Hypothesis d_triangle : forall x y z, d x z <= d x y + d y z.
Hypothesis d_range : forall x y, 0 <= d x y <= 1.
Hypothesis S_positive : forall x, 0 < S x.
(** [S] is at least the local sensitivity, which bounds the distance to every neighbour. *)
Hypothesis S_local : forall x y, neighbour x y -> d x y <= S x.

(** The bound in the claims, in units of epsilon / 2: [2 + D (1 - 2 S')], where [S'] is the smaller sensitivity. *)
Definition half_epsilons (s s' : R) : R := 2 + (/ s' - / s) * (1 - 2 * s').

Lemma ordered_range x y r : neighbour x y -> S y <= S x ->
  - (d x y / S x) <= d y (candidate r) / S y - d x (candidate r) / S x <=
  - (d x y / S x) + half_epsilons (S x) (S y).
Proof.
  intros Hxy HS. unfold half_epsilons. assert (Px := S_positive x). assert (Py := S_positive y).
  set (a := d x y). set (h := d x (candidate r)). set (h' := d y (candidate r)).
  assert (Ha : a <= S y) by (unfold a; rewrite d_symmetric; apply S_local, symmetric, Hxy).
  assert (Rh : 0 <= h' <= 1) by apply d_range.
  assert (T1 : h <= a + h') by apply d_triangle.
  assert (T2 : h' <= a + h) by (unfold a; rewrite d_symmetric; apply d_triangle).
  assert (Ix : 0 < / S x) by (apply Rinv_0_lt_compat; lra).
  assert (Iy : 0 < / S y) by (apply Rinv_0_lt_compat; lra).
  assert (I : / S x <= / S y) by (apply Rinv_le_contravar; lra).
  assert (Ey : S y * / S y = 1) by (field; lra).
  unfold Rdiv. split.
  - assert (h' * / S x <= h' * / S y) by (apply Rmult_le_compat_l; lra). nra.
  - assert (U : h' * / S y - h * / S x <= / S y - / S x + a * / S x) by nra.
    assert (V : a * / S x <= S y * / S x) by (apply Rmult_le_compat_r; lra). nra.
Qed.

Lemma half_epsilons_le s s' c : 0 < s' <= s -> / s' - / s <= c -> half_epsilons s s' <= 2 + c.
Proof.
  intros H Hc. unfold half_epsilons. assert (I : / s <= / s') by (apply Rinv_le_contravar; lra). nra.
Qed.

Theorem divided_private_between rate x y r : 0 <= rate -> (r < N)%nat -> neighbour x y ->
  expmech rate N (fun r => d x (candidate r) / S x) r <=
  exp (rate * half_epsilons (Rmax (S x) (S y)) (Rmin (S x) (S y))) *
  expmech rate N (fun r => d y (candidate r) / S y) r.
Proof.
  intros Hr HrN Hxy. destruct (Rle_lt_dec (S y) (S x)) as [L|L].
  - rewrite Rmax_left, Rmin_right by lra.
    replace (half_epsilons (S x) (S y)) with
      (- (d x y / S x) + half_epsilons (S x) (S y) - (- (d x y / S x))) by ring.
    apply expmech_range; [assumption..|]. intros i _. apply ordered_range; assumption.
  - rewrite Rmax_right, Rmin_left by lra.
    replace (half_epsilons (S y) (S x)) with (d y x / S y - (d y x / S y - half_epsilons (S y) (S x))) by ring.
    apply expmech_range; [assumption..|]. intros i _.
    assert (W := ordered_range y x i (symmetric _ _ Hxy) (Rlt_le _ _ L)). lra.
Qed.

(** For any bound [width] on the loss between neighbours, in units of [rate]. *)
Theorem divided_private rate width : 0 <= rate ->
  (forall x y, neighbour x y -> S y <= S x -> half_epsilons (S x) (S y) <= width) ->
  private neighbour (rate * width) N (fun x => expmech rate N (fun r => d x (candidate r) / S x)).
Proof.
  intros Hr H. apply pointwise_private. intros x y r Hxy HrN.
  eapply Rle_trans; [apply (divided_private_between rate x y r Hr HrN Hxy)|].
  apply Rmult_le_compat_r.
  - unfold expmech, Rdiv. apply Rmult_le_pos; [left; apply weight_pos|].
    left; apply Rinv_0_lt_compat, Sum_pos; [lia|auto using weight_pos].
  - apply exp_le, Rmult_le_compat_l; [assumption|].
    destruct (Rle_lt_dec (S y) (S x)) as [L|L].
    + rewrite Rmax_left, Rmin_right by lra. apply H; assumption.
    + rewrite Rmax_right, Rmin_left by lra. apply H; [apply symmetric; assumption|lra].
Qed.

(** Weights [exp (- eps H / (2 S))]: EHDL, and the smoothed Hellinger mechanism. *)
Theorem divisor_two_private eps width : 0 <= eps ->
  (forall x y, neighbour x y -> S y <= S x -> half_epsilons (S x) (S y) <= width) ->
  private neighbour (eps / 2 * width) N (fun x => expmech (eps / 2) N (fun r => d x (candidate r) / S x)).
Proof. intros. apply divided_private; [lra|assumption]. Qed.

(** Weights [exp (- eps H / S)]. *)
Theorem divisor_one_private eps width : 0 <= eps ->
  (forall x y, neighbour x y -> S y <= S x -> half_epsilons (S x) (S y) <= width) ->
  private neighbour (eps * width) N (fun x => expmech eps N (fun r => d x (candidate r) / S x)).
Proof. intros. apply divided_private; assumption. Qed.

(** The loss of EHDL is below 2 eps wherever the reciprocal sensitivities of neighbours differ by less than 2. *)
Theorem below_two_epsilon eps c : 0 < eps -> c < 2 ->
  (forall x y, neighbour x y -> / S y - / S x <= c) ->
  eps / 2 * (2 + c) < 2 * eps /\
  private neighbour (eps / 2 * (2 + c)) N (fun x => expmech (eps / 2) N (fun r => d x (candidate r) / S x)).
Proof.
  intros He Hc H. split; [nra|]. apply divided_private; [lra|].
  intros x y Hxy L. apply half_epsilons_le; [|apply H; assumption]. split; [apply S_positive|assumption].
Qed.

(** A sharper bound: a reciprocal of at most [1 + g] can have increased only from 1 or more; where it is larger, the
    range must not exceed its value at [1 + g]. For two categories g is [/ sqrt (1 - sqrt PI / 2) - 1], see
    [accuracy.constants]. *)
Definition half_epsilons_most (g : R) : R := g + 2 / (1 + g).

Theorem at_the_edge eps g : 0 <= eps -> 1 <= g -> (forall x, S x <= 1) ->
  (forall x y, neighbour x y -> S y <= S x -> 1 + g < / S y -> half_epsilons (S x) (S y) <= half_epsilons_most g) ->
  private neighbour (eps / 2 * half_epsilons_most g) N
    (fun x => expmech (eps / 2) N (fun r => d x (candidate r) / S x)).
Proof.
  intros He Hg S1 Far. apply divided_private; [lra|]. intros x y Hxy L.
  destruct (Rlt_le_dec (1 + g) (/ S y)) as [F|F]; [apply Far; assumption|].
  assert (Px := S_positive x). assert (Py := S_positive y). unfold half_epsilons, half_epsilons_most.
  assert (Hx : 1 <= / S x) by (rewrite <- Rinv_1; apply Rinv_le_contravar; [assumption|apply S1]).
  assert (I : / S x <= / S y) by (apply Rinv_le_contravar; assumption).
  set (h := / S x) in *. set (k := / S y) in *.
  assert (E : S y = / k) by (unfold k; rewrite Rinv_inv; reflexivity). rewrite E. assert (Hk : 0 < / k) by (rewrite <- E; assumption).
  assert (G : g + 2 / (1 + g) = 1 + g - 1 + 2 / (1 + g)) by ring.
  destruct (Rle_lt_dec k 2) as [K|K].
  - assert (1 <= 2 * / k) by (apply Rmult_le_reg_r with k; [lra|]; rewrite Rmult_assoc, Rinv_l; lra).
    assert (V : 2 <= g + 2 / (1 + g)).
    { replace (g + 2 / (1 + g)) with ((g * g + g + 2) / (1 + g)) by (field; lra). apply Rle_div_r; nra. }
    nra.
  - assert (U : 2 + (k - h) * (1 - 2 * / k) <= k - 1 + 2 * / k).
    { assert (2 * / k < 1) by (apply Rmult_lt_reg_r with k; [lra|]; rewrite Rmult_assoc, Rinv_l; lra).
      assert (k * / k = 1) by (field; lra). nra. }
    eapply Rle_trans; [exact U|]. rewrite G. set (m := 1 + g) in *.
    replace (k - 1 + 2 * / k) with ((k * k - k + 2) / k) by (field; lra).
    replace (m - 1 + 2 / m) with ((m * m - m + 2) / m) by (field; lra).
    apply Rle_div_l; [lra|]. replace ((m * m - m + 2) / m * k) with ((m * m - m + 2) * k / m) by (field; lra).
    apply Rle_div_r; [lra|]. assert (0 <= (m - k) * (m * k - 2)) by (apply Rmult_le_pos; nra). nra.
Qed.

Section Gamma.
Variables (eps gamma jump : R).
Hypothesis He : 0 < eps.
Hypothesis Hgamma : 0 <= gamma.
(** The reciprocals differ by at most [gamma], because of smoothing, and by at most [jump] even without smoothing. *)
Hypothesis S_gamma : forall x y, neighbour x y -> / S y - / S x <= gamma.
Hypothesis S_jump : forall x y, neighbour x y -> / S y - / S x <= jump.

Let within x y : neighbour x y -> S y <= S x -> half_epsilons (S x) (S y) <= 2 + Rmin gamma jump.
Proof.
  intros Hxy L. apply half_epsilons_le; [split; [apply S_positive|assumption]|].
  apply Rmin_glb; [apply S_gamma|apply S_jump]; assumption.
Qed.

(** EHDS with the divisor 4 S. *)
Theorem divisor_four_private :
  private neighbour (eps / 4 * (2 + Rmin gamma jump)) N
    (fun x => expmech (eps / 4) N (fun r => d x (candidate r) / S x)).
Proof. apply divided_private; [lra|exact within]. Qed.

(** EHDS with the divisor 2 (1 + gamma) S: a bound on its loss, and its guarantee. *)
Theorem divisor_gamma_sharp :
  private neighbour (eps * ((2 + Rmin gamma jump) / (2 + 2 * gamma))) N
    (fun x => expmech (eps / (2 * (1 + gamma))) N (fun r => d x (candidate r) / S x)).
Proof.
  replace (eps * ((2 + Rmin gamma jump) / (2 + 2 * gamma)))
    with (eps / (2 * (1 + gamma)) * (2 + Rmin gamma jump)) by (field; lra).
  apply divided_private; [|exact within]. apply Rlt_le, Rdiv_lt_0_compat; lra.
Qed.

Theorem divisor_gamma_private :
  private neighbour eps N (fun x => expmech (eps / (2 * (1 + gamma))) N (fun r => d x (candidate r) / S x)).
Proof.
  apply private_le with (eps * ((2 + Rmin gamma jump) / (2 + 2 * gamma))); [|
    intros x i Hi; apply (expmech_law _ N _ ltac:(lia)); assumption|exact divisor_gamma_sharp].
  rewrite <- (Rmult_1_r eps) at 2. apply Rmult_le_compat_l; [lra|].
  apply Rle_div_l; [lra|]. assert (W := Rmin_l gamma jump). lra.
Qed.
End Gamma.
End Divided.
