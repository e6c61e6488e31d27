(** * Two constants, and a step in the wrong direction

    Proved: 2 G is below 1 for the printed sensitivity G = sqrt (1 - pi / 4), so the last step of the printed proof of
    Theorem 4.5 for EHD fails for every eps > 0 and all k and n. Moreover, [gamma_0], the largest jump of the
    reciprocal local sensitivity with two categories, is at least 1.

    Left abstract: nothing. *)
From Coq Require Import Reals Lra.
Open Scope R_scope.

Definition G : R := sqrt (1 - PI / 4).

Lemma twice_G : 0 < 2 * G < 1.
Proof.
  unfold G. assert (P := PI2_3_2). assert (Q := PI_4).
  assert (A : 0 < sqrt (1 - PI / 4)).
  { apply sqrt_lt_R0. assert (W := PI_ineq 1%nat). unfold tg_alt, PI_tg in W. simpl in W. lra. }
  assert (B : sqrt (1 - PI / 4) < sqrt (/ 2 * / 2)) by (apply sqrt_lt_1; lra).
  rewrite sqrt_square in B by lra. lra.
Qed.

(** The last step of the printed proof claims the inequality that is refuted here. *)
Theorem ehd_proof_refuted eps k n : 0 < eps -> 0 <= k -> 0 < n ->
  ~ (2 * k + 1) / (n * exp (- (eps / (2 * G)))) < (2 * k + 1) / (n * exp (- eps)).
Proof.
  intros He Hk Hn. apply Rle_not_lt. unfold Rdiv at 1 3.
  apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar.
  - apply Rmult_lt_0_compat; [assumption|apply exp_pos].
  - apply Rmult_le_compat_l; [lra|]. left. apply exp_increasing.
    assert (T := twice_G). assert (V : 1 < / (2 * G)) by (rewrite <- Rinv_1; apply Rinv_lt_contravar; lra).
    unfold Rdiv. nra.
Qed.

Definition gamma_0 : R := / sqrt (1 - sqrt PI / 2) - 1.

Theorem gamma_0_at_least : 1 <= gamma_0.
Proof.
  unfold gamma_0. assert (P := PI2_3_2). assert (Q := PI_4).
  assert (A : 3 / 2 <= sqrt PI) by (rewrite <- (sqrt_square (3 / 2)) by lra; apply sqrt_le_1; lra).
  assert (B : sqrt PI <= sqrt (2 * 2) - / 64).
  { apply Rsqr_incr_0_var; [|rewrite sqrt_square; lra]. rewrite sqrt_square, Rsqr_sqrt by lra. unfold Rsqr.
    assert (W := PI_ineq 2%nat). unfold tg_alt, PI_tg in W. simpl in W. lra. }
  rewrite sqrt_square in B by lra.
  assert (C : 0 < sqrt (1 - sqrt PI / 2)) by (apply sqrt_lt_R0; lra).
  assert (D : sqrt (1 - sqrt PI / 2) <= sqrt (/ 2 * / 2)) by (apply sqrt_le_1; lra). rewrite sqrt_square in D by lra.
  assert (E : / / 2 <= / sqrt (1 - sqrt PI / 2)) by (apply Rinv_le_contravar; assumption). rewrite Rinv_inv in E. lra.
Qed.
