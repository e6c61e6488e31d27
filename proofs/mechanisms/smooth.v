(** * Smoothed sensitivities

    Proved: the largest [LS y * exp (- gamma d (x, y))] over all datasets y changes by at most the factor [exp gamma]
    from a dataset to its neighbour, and the reciprocal of the largest [1 / (1 / LS y + gamma d (x, y))] changes by at
    most gamma. Both of these smooth sensitivities are at least LS x. The mechanisms that divide by a smooth
    sensitivity assume these properties.

    Left abstract: LS is any function of the data (a positive one, for the second smooth sensitivity), and d is any
    distance that satisfies the triangle inequality and is at most 1 for neighbours. The largest value is assumed to
    exist, as it does for finitely many datasets. *)
From Coq Require Import Reals Lra.
From DPBI Require Import mechanisms.exponential.
Open Scope R_scope.

Section Smooth.
Context {D : Type} (neighbour : D -> D -> Prop) (d : D -> D -> R) (LS : D -> R) (gamma : R).
Hypothesis Hgamma : 0 <= gamma.
Hypothesis symmetric : forall x y, neighbour x y -> neighbour y x.
Hypothesis d_self : forall x, d x x = 0.
Hypothesis d_nonneg : forall x y, 0 <= d x y.
Hypothesis d_triangle : forall x y z, d x z <= d x y + d y z.
Hypothesis d_neighbour : forall x y, neighbour x y -> d x y <= 1.

(** [s] is the largest value of [f]. *)
Definition is_largest (f : D -> R) (s : R) : Prop := (exists y, s = f y) /\ forall y, f y <= s.

Definition exponentially (x y : D) : R := LS y * exp (- (gamma * d x y)).
Definition reciprocally (x y : D) : R := / (/ LS y + gamma * d x y).

Theorem exponential_smooth S : (forall x, 0 <= LS x) -> (forall x, is_largest (exponentially x) (S x)) ->
  (forall x, LS x <= S x) /\ forall x y, neighbour x y -> S x <= exp gamma * S y.
Proof.
  intros HL H. split.
  - intros x. destruct (H x) as [_ W]. specialize (W x). unfold exponentially in W.
    rewrite d_self, Rmult_0_r, Ropp_0, exp_0 in W. lra.
  - intros x y Hxy. destruct (H x) as [(z & ->) _]. destruct (H y) as [_ W]. specialize (W z). specialize (HL z).
    unfold exponentially in *. assert (T := d_triangle y x z). assert (N := d_neighbour y x (symmetric x y Hxy)).
    apply Rle_trans with (exp gamma * (LS z * exp (- (gamma * d y z)))).
    + replace (exp gamma * (LS z * exp (- (gamma * d y z)))) with (LS z * (exp gamma * exp (- (gamma * d y z)))) by ring.
      apply Rmult_le_compat_l; [assumption|]. rewrite <- exp_plus. apply exp_le. nra.
    + apply Rmult_le_compat_l; [left; apply exp_pos|assumption].
Qed.

Theorem reciprocal_smooth S : (forall x, 0 < LS x) -> (forall x, is_largest (reciprocally x) (S x)) ->
  (forall x, 0 < S x) /\ (forall x, LS x <= S x) /\ forall x y, neighbour x y -> / S y - / S x <= gamma.
Proof.
  intros HL H.
  assert (P : forall x y, 0 < / LS y + gamma * d x y).
  { intros x y. assert (0 < / LS y) by (apply Rinv_0_lt_compat, HL). assert (W := d_nonneg x y). nra. }
  assert (S0 : forall x, 0 < S x).
  { intros x. destruct (H x) as [(z & ->) _]. apply Rinv_0_lt_compat, P. }
  split; [assumption|]. split.
  - intros x. destruct (H x) as [_ W]. specialize (W x). unfold reciprocally in W.
    rewrite d_self, Rmult_0_r, Rplus_0_r, Rinv_inv in W. assumption.
  - intros x y Hxy. destruct (H x) as [(z & E) _]. destruct (H y) as [_ W]. specialize (W z).
    assert (Ix : / S x = / LS z + gamma * d x z) by (rewrite E; unfold reciprocally; apply Rinv_inv).
    assert (Iy : / S y <= / LS z + gamma * d y z).
    { apply Rinv_le_contravar in W; [|apply Rinv_0_lt_compat, P]. unfold reciprocally in W. rewrite Rinv_inv in W. exact W. }
    assert (T := d_triangle y x z). assert (N := d_neighbour y x (symmetric x y Hxy)). nra.
Qed.

(** With smoothed local sensitivities the mechanism with the divisor 2 (1 + gamma) S is private, without further
    assumptions on these sensitivities. *)
Theorem smoothed_private eps N candidate S : 0 < eps ->
  (forall x y, d x y = d y x) -> forall h : D -> D -> R,
  (forall x y, h x y = h y x) -> (forall x y z, h x z <= h x y + h y z) -> (forall x y, 0 <= h x y <= 1) ->
  (forall x y, neighbour x y -> h x y <= LS x) -> (forall x, 0 < LS x) ->
  (forall x, is_largest (reciprocally x) (S x)) ->
  sums.private neighbour eps N (fun x => expmech (eps / (2 * (1 + gamma))) N (fun r => h x (candidate r) / S x)).
Proof.
  intros He Ds h Hs Ht Hr HLS HL H. destruct (reciprocal_smooth S HL H) as (S0 & S1 & S2).
  apply (divisor_gamma_private neighbour h candidate N S symmetric Hs Ht Hr S0) with (jump := gamma); auto.
  intros x y Hxy. eapply Rle_trans; [apply HLS; assumption|apply S1].
Qed.
End Smooth.
