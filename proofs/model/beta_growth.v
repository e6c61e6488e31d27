(** * A lower bound on how far j records move a Beta posterior

    Proved: the second difference of the logarithm of the Gamma function between [m - h] and [m + h] is at least
    [h^2 / m]. So posteriors of n records that are j records apart have a distance of at least
    [sqrt (1 - exp (- j^2 / (2 N)))], where N is n plus the sum of the prior weights, for all positive weights.

    Left abstract: nothing. *)
From Coq Require Import Reals Lra Lia PeanoNat.
From Coquelicot Require Import Coquelicot.
From DPBI Require Import basics.sums model.gamma model.beta_distance.
Open Scope R_scope.

Lemma ln_bend M h : 0 <= h -> h < M -> h * h * (/ M - / (M + 1)) <= 2 * ln M - ln (M - h) - ln (M + h).
Proof.
  intros Hh HM. assert (P : 0 < (M - h) * (M + h) / (M * M)) by (apply Rdiv_lt_0_compat; nra).
  assert (W := ln_below _ P). rewrite ln_div, !ln_mult in W by nra.
  assert (E : (M - h) * (M + h) / (M * M) - 1 = - (h * h * (/ M * / M))) by (field; lra). rewrite E in W.
  assert (I : / M - / (M + 1) <= / M * / M).
  { replace (/ M - / (M + 1)) with (/ M * / (M + 1)) by (field; lra).
    apply Rmult_le_compat_l; [left; apply Rinv_0_lt_compat; lra|]. apply Rinv_le_contravar; lra. }
  assert (h * h * (/ M - / (M + 1)) <= h * h * (/ M * / M)) by (apply Rmult_le_compat_l; nra). lra.
Qed.

Lemma gauss_bend m h n : 0 <= h -> h < m ->
  h * h * (/ m - / INR (S n)) <= gauss (m - h) n + gauss (m + h) n - 2 * gauss m n.
Proof.
  intros Hh Hm.
  assert (E : gauss (m - h) n + gauss (m + h) n - 2 * gauss m n =
    Sum (S n) (fun k => 2 * ln (m + INR k) - ln (m + INR k - h) - ln (m + INR k + h))).
  { unfold gauss. rewrite !Sum_minus, Sum_scal.
    rewrite (Sum_ext (S n) (fun k => ln (m + INR k - h)) (fun k => ln (m - h + INR k))) by (intros; f_equal; ring).
    rewrite (Sum_ext (S n) (fun k => ln (m + INR k + h)) (fun k => ln (m + h + INR k))) by (intros; f_equal; ring). ring. }
  rewrite E. apply Rle_trans with (Sum (S n) (fun k => - (h * h) * / (m + INR (S k)) - - (h * h) * / (m + INR k))).
  - rewrite (Sum_tele (S n) (fun k => - (h * h) * / (m + INR k))). simpl (INR 0). rewrite Rplus_0_r.
    assert (Q := pos_S n). assert (/ (m + INR (S n)) <= / INR (S n)) by (apply Rinv_le_contravar; lra). nra.
  - apply Sum_le; intros k _. assert (Q := pos_INR k). assert (W := ln_bend (m + INR k) h Hh ltac:(lra)).
    rewrite S_INR, <- Rplus_assoc. lra.
Qed.

Theorem ln_gamma_bend m h : 0 <= h -> h < m -> h * h / m <= ln_gamma (m - h) + ln_gamma (m + h) - 2 * ln_gamma m.
Proof.
  intros Hh Hm.
  assert (W : Rbar_le (h * h / m) (ln_gamma (m - h) + ln_gamma (m + h) - 2 * ln_gamma m)); [|exact W].
  apply (is_lim_seq_le (fun n => h * h * (/ m - / INR (S n))) (fun n => gauss (m - h) n + gauss (m + h) n - 2 * gauss m n)).
  - intros n. apply gauss_bend; assumption.
  - replace (h * h / m) with (h * h * (/ m - 0)) by (field; lra).
    apply (is_lim_seq_scal_l _ (h * h) (/ m - 0)), is_lim_seq_minus'; [apply is_lim_seq_const|apply inv_lim].
  - apply is_lim_seq_minus'; [apply is_lim_seq_plus'|apply (is_lim_seq_scal_l _ 2 (ln_gamma m))];
      apply gauss_converges; lra.
Qed.

Theorem fit_bend N c r : 0 < c < N -> 0 < r < N -> (r - c) * (r - c) / (2 * N) <= - fit N c r.
Proof.
  assert (K : forall c r, 0 < c < N -> 0 < r < N -> c <= r -> (r - c) * (r - c) / (2 * N) <= - fit N c r).
  { clear. intros c r Hc Hr L. set (m := (c + r) / 2). set (h := (r - c) / 2).
    assert (A := ln_gamma_bend m h ltac:(unfold h; lra) ltac:(unfold h, m; lra)).
    assert (B := ln_gamma_bend (N - m) h ltac:(unfold h; lra) ltac:(unfold h, m; lra)).
    replace (m - h) with c in A by (unfold m, h; field). replace (m + h) with r in A by (unfold m, h; field).
    replace (N - m - h) with (N - r) in B by (unfold m, h; field).
    replace (N - m + h) with (N - c) in B by (unfold m, h; field).
    assert (Pm : 0 < m) by (unfold m; lra). assert (Pn : 0 < N - m) by (unfold m; lra).
    assert (C : 4 * (h * h) / N <= h * h / m + h * h / (N - m)).
    { replace (h * h / m + h * h / (N - m)) with (h * h * (N / (m * (N - m)))) by (field; lra).
      replace (4 * (h * h) / N) with (h * h * (4 / N)) by (field; lra). apply Rmult_le_compat_l; [nra|].
      apply Rle_div_l; [lra|]. replace (N / (m * (N - m)) * N) with (N * N / (m * (N - m))) by (field; lra).
      apply (Rle_div_r 4); [apply Rmult_lt_0_compat; assumption|]. assert (W := Rle_0_sqr (N - 2 * m)). unfold Rsqr in W. lra. }
    replace ((r - c) * (r - c) / (2 * N)) with (4 * (h * h) / N / 2) by (unfold h; field; lra).
    unfold fit, both. fold m. lra. }
  intros Hc Hr. destruct (Rle_lt_dec c r) as [L|L]; [apply K; assumption|].
  replace ((r - c) * (r - c)) with ((c - r) * (c - r)) by ring.
  replace (fit N c r) with (fit N r c) by (unfold fit; rewrite (Rplus_comm r c); field). apply K; lra.
Qed.

(** The distance whose affinity is [exp (- v)]. *)
Definition distance_of (v : R) : R := sqrt (1 - exp (- v)).

Theorem distance_grows a b n x r : 0 < a -> 0 < b -> 0 <= x <= INR n -> 0 <= r <= INR n ->
  distance_of ((r - x) * (r - x) / (2 * (a + b + INR n))) <= distance a b n x r.
Proof.
  intros Ha Hb Hx Hr. rewrite distance_fit. unfold distance_of. apply sqrt_le_1_alt.
  assert (W := fit_bend (a + b + INR n) (a + x) (a + r) ltac:(lra) ltac:(lra)).
  replace (a + r - (a + x)) with (r - x) in W by ring.
  assert (E : exp (fit (a + b + INR n) (a + x) (a + r)) <= exp (- ((r - x) * (r - x) / (2 * (a + b + INR n))))); [|lra].
  destruct W as [W|W]; [left; apply exp_increasing; lra|right; f_equal; lra].
Qed.
