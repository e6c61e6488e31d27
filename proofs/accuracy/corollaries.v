(** * When LSHist is more accurate than EHD

    Proved: the corollaries of Theorem 4.5, corrected and sharpened. They follow from the two bounds that
    [accuracy.lshist] and [accuracy.exponential_error] prove. Here [lam] is eps / (2 G), q is exp (- eps), and m is the
    number of candidates at a distance below t.

    Left abstract: what those two files leave abstract; here the two probabilities are numbers that satisfy their
    theorems. *)
From Coq Require Import Reals Lra Lia PeanoNat.
From Coquelicot Require Import Coquelicot.
From DPBI Require Import basics.sums mechanisms.geometric mechanisms.floored_laplace accuracy.exponential_error accuracy.lshist.
Open Scope R_scope.

(** The numbers of records in the claims. *)
Definition size_above (eps G : R) (k : nat) : R :=
  (2 * INR k + 1) * exp (eps / (2 * G)) / (1 - exp (- (INR k * eps))).
Definition size_above_sharp (eps G : R) (k : nat) : R :=
  (2 * INR k + 1) * (1 + exp (- (INR k * eps)) * exp (eps / (2 * G)) / (1 - exp (- (INR k * eps)))).
Definition size_below (eps : R) (k : nat) : R :=
  (2 * INR k * exp (- eps) + 1) / (1 - / 2 * (exp (- (INR k * eps)) + exp (- (INR (k + 1) * eps)))).
Definition size_good (eps G : R) : R := 3 / (exp (- (eps / (2 * G))) * (1 - exp (- eps))).

Lemma below_one u : 0 < u -> 0 < exp (- u) < 1.
Proof. intros H. split; [apply exp_pos|]. rewrite <- exp_0. apply exp_increasing. lra. Qed.

Section Sides.
Variables (eps G : R) (n x k : nat) (lshist ehd : R).
Hypothesis He : 0 < eps.
Hypothesis HG : 0 < G.
(** The candidates nearer than t are exactly those up to k steps down and up to k steps up. *)
Hypothesis Hlshist : lshist = tails eps n x k k.

Lemma lshist_at_least : 1 - exp (- (INR k * eps)) <= lshist.
Proof. rewrite Hlshist. assert (W := lshist_lower_corrected eps n x k k He). rewrite Nat.min_id in W. lra. Qed.

Theorem ahead_corrected : (1 <= k)%nat -> ehd < ceiling eps G n k k -> size_above eps G k <= INR (n + 1) -> lshist > ehd.
Proof.
  intros Hk Hehd Hn. assert (L := lshist_at_least). apply le_INR in Hk. simpl in Hk.
  assert (B := below_one (INR k * eps) ltac:(nra)). set (d := 1 - exp (- (INR k * eps))) in *.
  assert (Hd : 0 < d) by (unfold d; lra). assert (P := exp_pos (eps / (2 * G))).
  assert (N : 0 < INR (n + 1)) by (apply lt_0_INR; lia).
  unfold size_above in Hn. fold d in Hn. apply Rle_div_l in Hn; [|assumption].
  unfold ceiling in Hehd. rewrite exp_Ropp in Hehd.
  replace (INR (k + k + 1)) with (2 * INR k + 1) in Hehd by (rewrite !plus_INR; simpl; ring).
  replace ((2 * INR k + 1) / (INR (n + 1) * / exp (eps / (2 * G))))
    with ((2 * INR k + 1) * exp (eps / (2 * G)) / INR (n + 1)) in Hehd by (field; lra).
  apply Rlt_gt, Rlt_le_trans with (1 := Hehd). apply Rle_trans with (2 := L). apply Rle_div_l; lra.
Qed.

(** For any numbers of steps and any set of m candidates: LSHist is ahead if its probability is at least p and that of
    EHD is below the sharp upper bound for m candidates. *)
Theorem ahead_of p m : 0 < p < 1 -> (0 < m <= n + 1)%nat -> p <= lshist ->
  ((m < n + 1)%nat -> ehd < INR m / (INR m + (INR (n + 1) - INR m) * exp (- (eps / (2 * G))))) ->
  INR m * (1 + exp (eps / (2 * G)) * ((1 - p) / p)) <= INR (n + 1) -> lshist > ehd.
Proof.
  intros Hp Hm Hl Hehd Hn. rewrite exp_Ropp in Hehd. assert (P := exp_pos (eps / (2 * G))).
  set (E := exp (eps / (2 * G))) in *. assert (M : 0 < INR m) by (apply lt_0_INR; lia).
  assert (V : INR m * (E * ((1 - p) / p)) <= INR (n + 1) - INR m) by lra.
  assert (V0 : 0 < INR m * (E * ((1 - p) / p))).
  { repeat apply Rmult_lt_0_compat; try assumption; [lra|apply Rinv_0_lt_compat; lra]. }
  assert (L : (m < n + 1)%nat) by (apply INR_lt; lra). specialize (Hehd L).
  apply Rlt_gt, Rlt_le_trans with (1 := Hehd). apply Rle_trans with (2 := Hl).
  set (b := INR (n + 1) - INR m) in *. assert (I : 0 < / E) by (apply Rinv_0_lt_compat; assumption).
  apply Rle_div_l; [nra|].
  replace (INR m * (E * ((1 - p) / p))) with (INR m * (1 - p) * E / p) in V by (field; lra).
  apply Rle_div_l in V; [|lra].
  assert (W : INR m * (1 - p) <= b * / E * p).
  { apply Rmult_le_reg_r with E; [assumption|]. replace (b * / E * p * E) with (b * p) by (field; lra). exact V. }
  nra.
Qed.

Theorem ahead_sharp : (1 <= k)%nat -> (k + k < n)%nat -> ehd < upper_sharp eps G n k k ->
  size_above_sharp eps G k <= INR (n + 1) -> lshist > ehd.
Proof.
  intros Hk Hkn Hehd Hn. assert (L := lshist_at_least). apply le_INR in Hk. simpl in Hk.
  assert (B := below_one (INR k * eps) ltac:(nra)). set (r := exp (- (INR k * eps))) in *.
  assert (P := exp_pos (eps / (2 * G))). unfold upper_sharp in Hehd. rewrite exp_Ropp in Hehd.
  set (E := exp (eps / (2 * G))) in *.
  assert (M : INR (k + k + 1) = 2 * INR k + 1) by (rewrite !plus_INR; simpl; ring).
  assert (N : INR (n - (k + k)) = INR (n + 1) - (2 * INR k + 1)).
  { rewrite minus_INR by lia. rewrite !plus_INR. simpl. ring. }
  rewrite M, N in Hehd. set (m := 2 * INR k + 1) in *. set (b := INR (n + 1) - m) in *.
  assert (Hb : 0 < b) by (unfold b, m; rewrite plus_INR; apply lt_INR in Hkn; rewrite plus_INR in Hkn; simpl; lra).
  apply Rlt_gt, Rlt_le_trans with (1 := Hehd). apply Rle_trans with (2 := L).
  assert (I : 0 < / E) by (apply Rinv_0_lt_compat; assumption).
  assert (Hm : 0 < m) by (unfold m; lra).
  apply Rle_div_l; [nra|].
  unfold size_above_sharp in Hn. fold r E m in Hn.
  assert (V : m * (r * E / (1 - r)) <= b) by (unfold b; lra).
  replace (m * (r * E / (1 - r))) with (m * r * E / (1 - r)) in V by (field; lra).
  apply Rle_div_l in V; [|lra]. (* m r E <= b (1 - r) *)
  assert (W : m * r <= b * / E * (1 - r)).
  { apply Rmult_le_reg_r with E; [assumption|]. replace (b * / E * (1 - r) * E) with (b * (1 - r)) by (field; lra).
    exact V. }
  nra.
Qed.

Lemma bernoulli_power a j : 0 <= a <= 1 -> 1 - a ^ j <= INR j * (1 - a).
Proof.
  intros Ha. induction j; [simpl; lra|]. rewrite S_INR. simpl pow.
  assert (0 <= a ^ j <= 1) by (split; [apply pow_le; lra|replace 1 with (1 ^ j) by apply pow1; apply pow_incr; lra]). nra.
Qed.

Theorem behind_corrected : (1 <= k)%nat -> (k < x)%nat -> (x + k < n)%nat -> share n k k <= ehd ->
  INR n < size_below eps k -> lshist < ehd.
Proof.
  intros Hk H1 H2 Hehd Hn. rewrite Hlshist, lshist_printed by assumption. unfold size_below in Hn.
  assert (Q := alpha_range eps He). set (q := exp (- eps)) in *.
  assert (E1 : exp (- (INR k * eps)) = q ^ k) by (rewrite Rmult_comm; apply exp_INR).
  assert (E2 : exp (- (INR (k + 1) * eps)) = q * q ^ k).
  { rewrite Rmult_comm, exp_INR. fold q. rewrite pow_add. simpl. ring. }
  rewrite E1, E2 in *. assert (K : 1 <= INR k) by (apply (le_INR 1); assumption).
  assert (A : 0 <= q ^ k) by (apply pow_le; lra).
  assert (A1 : q ^ k <= q).
  { destruct k as [|j]; [lia|]. simpl. assert (q ^ j <= 1); [|nra].
    replace 1 with (1 ^ j) by apply pow1. apply pow_incr; lra. }
  set (p := 1 - / 2 * (q ^ k + q * q ^ k)) in *.
  assert (Hp : 0 < p) by (unfold p; nra).
  assert (B := bernoulli_power q k ltac:(lra)).
  assert (P : p <= 2 * INR k * (1 - q)).
  { unfold p. replace (1 - / 2 * (q ^ k + q * q ^ k)) with (1 - q ^ k + / 2 * q ^ k * (1 - q)) by field.
    assert (V : 0 <= (1 - q ^ k) * (1 - q)) by (apply Rmult_le_pos; lra).
    assert (W : 0 <= (INR k - 1) * (1 - q)) by (apply Rmult_le_pos; lra). lra. }
  apply Rlt_div_r in Hn; [|assumption].
  eapply Rlt_le_trans; [|exact Hehd]. unfold share.
  replace (INR (k + k + 1)) with (2 * INR k + 1) by (rewrite !plus_INR; simpl; ring).
  assert (N : 0 < INR (n + 1)) by (apply lt_0_INR; lia). apply Rlt_div_r; [assumption|].
  rewrite plus_INR. simpl INR. nra.
Qed.
End Sides.

(** ** Neighbours and x itself: m is at most 3, and LSHist releases one of them with probability at least p *)
Definition nearest (eps : R) : R := 1 - / 2 * (exp (- eps) + exp (- (2 * eps))).

Theorem good_ahead eps G n m lshist ehd : 0 < eps -> 0 < G -> (0 < m <= 3)%nat -> (2 < n)%nat -> nearest eps <= lshist ->
  ehd <= INR m / (INR m + (INR (n + 1) - INR m) * exp (- (eps / (2 * G)))) ->
  2 + 3 * exp (eps / (2 * G)) * (1 - nearest eps) / nearest eps < INR n -> lshist > ehd.
Proof.
  intros He HG Hm Hn Hl Hehd H. assert (Q := alpha_range eps He).
  assert (E2 : exp (- (2 * eps)) = exp (- eps) * exp (- eps)) by (rewrite <- exp_plus; f_equal; ring).
  unfold nearest in *. rewrite E2 in *. set (q := exp (- eps)) in *.
  set (p := 1 - / 2 * (q + q * q)) in *. assert (Hp : 0 < p < 1) by (unfold p; nra).
  rewrite exp_Ropp in Hehd. assert (P := exp_pos (eps / (2 * G))). set (E := exp (eps / (2 * G))) in *.
  assert (I : 0 < / E) by (apply Rinv_0_lt_compat; assumption).
  assert (M : 0 < INR m <= 3).
  { split; [apply lt_0_INR; lia|]. replace 3 with (INR 3) by (simpl; ring). apply le_INR. lia. }
  assert (N : 2 < INR n) by (apply (lt_INR 2); assumption). rewrite plus_INR in Hehd. simpl INR in Hehd.
  assert (U : INR m / (INR m + (INR n + 1 - INR m) * / E) <= 3 / (3 + (INR n - 2) * / E)).
  { assert (a0 : 0 < (INR n + 1 - INR m) * / E) by (apply Rmult_lt_0_compat; lra).
    assert (b0 : 0 < (INR n - 2) * / E) by (apply Rmult_lt_0_compat; lra).
    apply Rle_div_l; [lra|]. unfold Rdiv. rewrite Rmult_assoc, (Rmult_comm (/ _)), <- Rmult_assoc.
    apply Rle_div_r; [lra|]. assert (V : 0 <= (3 - INR m) * (INR n + 1) * / E) by (repeat apply Rmult_le_pos; lra). lra. }
  apply Rlt_gt. apply Rle_lt_trans with (1 := Hehd). apply Rle_lt_trans with (1 := U).
  apply Rlt_le_trans with (2 := Hl). apply Rlt_div_l; [nra|].
  assert (V : 3 * E * (1 - p) / p < INR n - 2) by lra. apply Rlt_div_l in V; [|lra].
  assert (W : 3 * (1 - p) < (INR n - 2) * / E * p).
  { apply Rmult_lt_reg_r with E; [assumption|].
    replace ((INR n - 2) * / E * p * E) with ((INR n - 2) * p) by (field; lra). lra. }
  lra.
Qed.

(** The number of records printed in Corollary 4.5.3 is large enough. *)
Theorem good_ahead_printed eps G n m lshist ehd : 0 < eps -> 0 < G -> (0 < m <= 3)%nat -> (2 < n)%nat ->
  nearest eps <= lshist ->
  ehd <= INR m / (INR m + (INR (n + 1) - INR m) * exp (- (eps / (2 * G)))) ->
  size_good eps G < INR n -> lshist > ehd.
Proof.
  intros He HG Hm Hn Hl Hehd H.
  assert (HE : 1 <= exp (eps / (2 * G))).
  { rewrite <- exp_0. left. apply exp_increasing, Rdiv_lt_0_compat; lra. }
  apply (good_ahead eps G n m); try assumption.
  assert (Q := alpha_range eps He).
  assert (E2 : exp (- (2 * eps)) = exp (- eps) * exp (- eps)) by (rewrite <- exp_plus; f_equal; ring).
  eapply Rle_lt_trans; [|exact H]. unfold size_good, nearest. rewrite E2, (exp_Ropp (eps / (2 * G))). set (q := exp (- eps)) in *.
  set (E := exp (eps / (2 * G))) in *. set (p := 1 - / 2 * (q + q * q)). assert (Hp : 0 < p < 1) by (unfold p; nra).
  replace (3 / (/ E * (1 - q))) with (3 * E / (1 - q)) by (field; lra).
  apply Rmult_le_reg_r with (p * (1 - q)); [nra|].
  replace ((2 + 3 * E * (1 - p) / p) * (p * (1 - q))) with ((2 * p + 3 * E * (1 - p)) * (1 - q)) by (field; lra).
  replace (3 * E / (1 - q) * (p * (1 - q))) with (3 * E * p) by (field; lra).
  assert (Ep : p = (1 - q) * (2 + q) / 2) by (unfold p; field).
  replace (3 * E * p) with (3 * E * (2 + q) / 2 * (1 - q)) by (rewrite Ep; field).
  apply Rmult_le_compat_r; [lra|].
  assert (U : 0 <= (E - 1) * p) by (apply Rmult_le_pos; lra). assert (V : 0 <= E * q) by (apply Rmult_le_pos; lra). nra.
Qed.
