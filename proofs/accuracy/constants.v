(** * A step that goes the wrong way

    Proved: 2 G is below 1 for the printed sensitivity G = sqrt (1 - pi / 4), so the last step of the printed proof of
    Theorem 4.5 for EHD fails for every eps > 0 and all k and n.

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

(** The claim says that it holds. *)
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
