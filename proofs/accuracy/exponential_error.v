(** * The probability of a small error of EHD and EHDL

    Proved, for the candidates 0..n with weights [exp (- eps H / (2 G))]: let m candidates be nearer than t. Their
    total probability is at least m / (n + 1); it is less than m / (n + 1) times [exp (eps / (2 G))] if m > 0; and it
    is at most [m / (m + (n + 1 - m) exp (- eps / (2 G)))], which is always sharper. For EHD, G is the global
    sensitivity; for EHDL, G is the local sensitivity of the data at hand.

    Left abstract here: the distance H is any function with values in [0, 1) that is 0 at x. The file
    [accuracy.beta_error] inserts the Hellinger distance between Beta posteriors. *)
From Coq Require Import Reals Lra Lia PeanoNat RelationClasses.
From Coquelicot Require Import Coquelicot.
From DPBI Require Import basics.sums mechanisms.exponential.
Open Scope R_scope.

#[local] Instance Rle_Transitive : Transitive Rle := Rle_trans.

(** The number of candidates 0 .. N-1 in an event. *)
Definition count (N : nat) (A : event) : R := Sum N (ind A).

Lemma count_compl N A : count N A + count N (compl A) = INR N.
Proof.
  unfold count. rewrite <- Sum_plus, <- (Rmult_1_r (INR N)), <- Sum_const. apply Sum_ext; intros.
  unfold ind, compl; destruct (A i); simpl; ring.
Qed.

Lemma count_nonneg N A : 0 <= count N A.
Proof. apply Sum_nonneg; intros; apply ind_range. Qed.

(** The right-hand sides of the claims, if [down] steps down and [up] steps up are nearer than t. *)
Definition share (n down up : nat) : R := INR (down + up + 1) / INR (n + 1).
Definition ceiling (eps G : R) (n down up : nat) : R := INR (down + up + 1) / (INR (n + 1) * exp (- (eps / (2 * G)))).

Definition upper_sharp (eps G : R) (n down up : nat) : R :=
  INR (down + up + 1) / (INR (down + up + 1) + INR (n - (down + up)) * exp (- (eps / (2 * G)))).

Section EHD.
Variables (eps G t : R) (n x : nat) (H : nat -> R).
Hypothesis He : 0 < eps.
Hypothesis HG : 0 < G.
Hypothesis Hx : (x <= n)%nat.
Hypothesis H_range : forall r, (r <= n)%nat -> 0 <= H r < 1.
Hypothesis H_self : H x = 0.

Definition inside : event := fun r => if Rlt_dec (H r) t then true else false.
Let rate := eps / (2 * G).
Let w := weight rate H.

Lemma rate_pos : 0 < rate.
Proof. unfold rate, Rdiv. apply Rmult_lt_0_compat; [|apply Rinv_0_lt_compat]; lra. Qed.

Lemma prob_inside : Prob (S n) (expmech rate (S n) H) inside = Prob (S n) w inside / Sum (S n) w.
Proof.
  unfold Prob, expmech, Rdiv. rewrite <- Sum_scal_r. apply Sum_ext; intros. fold w. ring.
Qed.

Lemma w_le a b : a <= b -> exp (- (rate * b)) <= exp (- (rate * a)).
Proof.
  intros L. assert (R := rate_pos). assert (V : - (rate * b) <= - (rate * a)) by nra.
  destruct V as [V|V]; [left; apply exp_increasing; assumption|rewrite V; lra].
Qed.

Theorem ehd_lower : Prob (S n) (expmech rate (S n) H) inside >= count (S n) inside / INR (n + 1).
Proof.
  apply Rle_ge. rewrite prob_inside.
  assert (W : 0 < Sum (S n) w) by (apply Sum_pos; [lia|]; intros; apply weight_pos).
  set (A := Prob (S n) w inside). set (B := Prob (S n) w (compl inside)).
  assert (AB : A + B = Sum (S n) w) by apply Prob_compl.
  set (e := exp (- (rate * t))).
  assert (HA : count (S n) inside * e <= A).
  { unfold count, A, Prob. rewrite <- Sum_scal_r. apply Sum_le; intros r Hr.
    unfold ind, inside. destruct (Rlt_dec (H r) t); [|lra].
    assert (V : e <= w r) by (apply w_le; lra). lra. }
  assert (HB : B <= count (S n) (compl inside) * e).
  { unfold count, B, Prob. rewrite <- Sum_scal_r. apply Sum_le; intros r Hr.
    unfold ind, compl, inside. destruct (Rlt_dec (H r) t); simpl; [lra|].
    assert (V : w r <= e) by (apply w_le; lra). lra. }
  assert (CC := count_compl (S n) inside). assert (C0 := count_nonneg (S n) inside).
  assert (C1 := count_nonneg (S n) (compl inside)).
  replace (n + 1)%nat with (S n) by lia.
  assert (N : 0 < INR (S n)) by (apply lt_0_INR; lia).
  apply Rmult_le_reg_r with (INR (S n) * Sum (S n) w); [nra|].
  transitivity (count (S n) inside * Sum (S n) w); [right; field; lra|].
  transitivity (A * INR (S n)); [|right; field; lra].
  rewrite <- AB, <- CC. nra.
Qed.

Theorem ehd_upper : 0 < t ->
  Prob (S n) (expmech rate (S n) H) inside < count (S n) inside / (INR (n + 1) * exp (- (eps / (2 * G)))).
Proof.
  intros Ht. rewrite prob_inside. fold rate.
  assert (W : 0 < Sum (S n) w) by (apply Sum_pos; [lia|]; intros; apply weight_pos).
  replace (n + 1)%nat with (S n) by lia.
  assert (N : 0 < INR (S n)) by (apply lt_0_INR; lia).
  assert (E := exp_pos (- rate)).
  assert (L : INR (S n) * exp (- rate) < Sum (S n) w).
  { rewrite <- Sum_const. apply Sum_lt; [lia|]. intros r Hr. unfold w, weight. apply exp_increasing.
    assert (V := H_range r ltac:(lia)). assert (Q := rate_pos). nra. }
  assert (A : Prob (S n) w inside <= count (S n) inside).
  { apply Sum_le; intros r Hr. assert (V := ind_range inside r).
    assert (w r <= 1); [|nra]. unfold w, weight. rewrite <- exp_0. replace 0 with (- (rate * 0)) by ring.
    apply w_le. apply H_range; lia. }
  assert (C1 : 0 < count (S n) inside).
  { apply Rlt_le_trans with (ind inside x).
    - unfold ind, inside. rewrite H_self. destruct (Rlt_dec 0 t); lra.
    - unfold count. apply (Sum_term (S n) (ind inside)); [intros; apply ind_range|lia]. }
  apply Rle_lt_trans with (count (S n) inside / Sum (S n) w).
  - apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat|]; assumption.
  - apply Rmult_lt_compat_l; [assumption|]. apply Rinv_lt_contravar; [|assumption].
    apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|]; assumption.
Qed.

(** Each candidate inside has a weight of at most 1, each candidate outside a weight above [exp (- rate)]. *)
Theorem ehd_upper_sharp : count (S n) inside < INR (S n) ->
  Prob (S n) (expmech rate (S n) H) inside <
  count (S n) inside / (count (S n) inside + (INR (S n) - count (S n) inside) * exp (- rate)) \/
  count (S n) inside = 0.
Proof.
  intros Hm. rewrite prob_inside. set (m := count (S n) inside) in *.
  set (A := Prob (S n) w inside). set (B := Prob (S n) w (compl inside)).
  assert (AB : A + B = Sum (S n) w) by apply Prob_compl.
  assert (C0 : 0 <= m) by apply count_nonneg. destruct C0 as [C0|C0]; [left|right; symmetry; assumption].
  assert (E := exp_pos (- rate)). assert (Q := rate_pos).
  assert (A1 : A <= m).
  { apply Sum_le; intros r Hr. assert (V := ind_range inside r).
    assert (w r <= 1); [|nra]. unfold w, weight. rewrite <- exp_0. replace 0 with (- (rate * 0)) by ring.
    apply w_le. apply H_range; lia. }
  assert (B1 : (INR (S n) - m) * exp (- rate) < B).
  { assert (CC := count_compl (S n) inside). fold m in CC.
    assert (K : forall N, (N <= S n)%nat -> count N (compl inside) * exp (- rate) <= Prob N w (compl inside) /\
      (0 < count N (compl inside) -> count N (compl inside) * exp (- rate) < Prob N w (compl inside))).
    { induction N as [|N IH]; intros HN; [unfold count, Prob; simpl; lra|].
      destruct (IH ltac:(lia)) as [I1 I2]. unfold count, Prob in *. simpl Sum.
      assert (L : exp (- rate) < w N).
      { unfold w, weight. apply exp_increasing. assert (V := H_range N ltac:(lia)). nra. }
      assert (J : ind (compl inside) N = 0 \/ ind (compl inside) N = 1) by (unfold ind; destruct compl; auto).
      destruct J as [-> | ->]; [rewrite Rmult_0_r, !Rplus_0_r; auto|]. split; [|intros _]; lra. }
    destruct (K (S n) (le_n _)) as [_ K2].
    replace (INR (S n) - m) with (count (S n) (compl inside)) by lra. apply K2. lra. }
  assert (A0 : 0 < A).
  { unfold A, Prob. destruct (Rle_lt_dec (Sum (S n) (fun i => w i * ind inside i)) 0) as [Z|]; [|assumption].
    exfalso. assert (G0 : m <= 0); [|lra]. unfold m, count.
    rewrite <- (Sum_0 (S n)). apply Sum_le; intros i Hi.
    assert (T : w i * ind inside i <= Sum (S n) (fun i => w i * ind inside i)).
    { apply (Sum_term (S n) (fun i => w i * ind inside i)); [|assumption].
      intros j _. assert (J := ind_range inside j). apply Rmult_le_pos; [left; apply weight_pos|lra]. }
    assert (J := ind_range inside i). assert (W := weight_pos rate H i). fold w in W. nra. }
  rewrite <- AB. set (b := (INR (S n) - m) * exp (- rate)) in *.
  assert (b0 : 0 < b) by (apply Rmult_lt_0_compat; lra).
  apply Rmult_lt_reg_r with ((A + B) * (m + b)); [nra|].
  replace (A / (A + B) * ((A + B) * (m + b))) with (A * (m + b)) by (field; lra).
  replace (m / (m + b) * ((A + B) * (m + b))) with (m * (A + B)) by (field; lra). nra.
Qed.

(** If H does not decrease on either side of x, the candidates inside are those from x - down to x + up. *)
Variables (down up : nat).
Hypothesis Hdown : (down <= x)%nat.
Hypothesis Hup : (x + up <= n)%nat.
Hypothesis reach : forall r, (r <= n)%nat -> (H r < t <-> (x - down <= r <= x + up)%nat).

Lemma count_steps : count (S n) inside = INR (down + up + 1).
Proof.
  unfold count.
  assert (E : forall N, (N <= S n)%nat -> Sum N (ind inside) = INR (Nat.min N (x + up + 1) - (x - down))).
  { induction N; intros HN; [simpl; reflexivity|].
    simpl Sum. rewrite IHN by lia. unfold ind, inside. assert (Q := reach N ltac:(lia)).
    destruct (Rlt_dec (H N) t) as [L|L].
    - apply Q in L. rewrite <- S_INR. f_equal. lia.
    - assert (~ (x - down <= N <= x + up)%nat) by (intros V; apply L, Q, V).
      rewrite Rplus_0_r. f_equal. lia. }
  rewrite E by lia. f_equal. lia.
Qed.

Theorem ehd_lower_corrected :
  Prob (S n) (expmech (eps / (2 * G)) (S n) H) inside >= share n down up.
Proof. unfold share. rewrite <- count_steps. apply ehd_lower. Qed.

Theorem ehd_upper_corrected : 0 < t ->
  Prob (S n) (expmech (eps / (2 * G)) (S n) H) inside < ceiling eps G n down up.
Proof. unfold ceiling. rewrite <- count_steps. apply ehd_upper. Qed.
Theorem ehd_upper_sharp_steps : (down + up < n)%nat ->
  Prob (S n) (expmech (eps / (2 * G)) (S n) H) inside < upper_sharp eps G n down up.
Proof.
  intros Hm. assert (C := count_steps). unfold upper_sharp.
  assert (L : INR (down + up + 1) < INR (S n)) by (apply lt_INR; lia).
  assert (P : 0 < INR (down + up + 1)) by (apply lt_0_INR; lia).
  destruct ehd_upper_sharp as [W|W]; rewrite C in *; [assumption| |lra].
  replace (INR (n - (down + up))) with (INR (S n) - INR (down + up + 1)); [exact W|].
  rewrite <- minus_INR by lia. f_equal. lia.
Qed.

Theorem ehd_upper_all :
  Prob (S n) (expmech (eps / (2 * G)) (S n) H) inside <= upper_sharp eps G n down up.
Proof.
  destruct (le_lt_dec n (down + up)) as [L|L]; [|left; apply ehd_upper_sharp_steps; assumption].
  unfold upper_sharp. replace (n - (down + up))%nat with 0%nat by lia. simpl (INR 0).
  assert (P : 0 < INR (down + up + 1)) by (apply lt_0_INR; lia).
  rewrite Rmult_0_l, Rplus_0_r. unfold Rdiv at 2. rewrite Rinv_r by lra.
  assert (W : 0 < Sum (S n) w) by (apply Sum_pos; [lia|]; intros; apply weight_pos).
  fold rate. rewrite prob_inside. apply Rle_div_l; [assumption|]. rewrite Rmult_1_l, <- (Prob_compl (S n) w inside).
  assert (C := Prob_nonneg (S n) w (compl inside)).
  assert (0 <= Prob (S n) w (compl inside)); [|lra]. apply C. intros; left; apply weight_pos.
Qed.

(** If there are at most as many steps down as up, 2 up + 1 of n candidates also give a bound, as printed for EHDL. *)
Theorem ehdl_upper_printed : 0 < t -> (down <= up)%nat -> (0 < n)%nat ->
  Prob (S n) (expmech (eps / (2 * G)) (S n) H) inside <
  (2 * INR up + 1) / (INR n * exp (- (eps / (2 * G)))).
Proof.
  intros Ht L Hn. eapply Rlt_le_trans; [apply ehd_upper_corrected; assumption|]. unfold ceiling.
  assert (E := exp_pos (- (eps / (2 * G)))). assert (N : 0 < INR n) by (apply lt_0_INR; assumption).
  assert (U := pos_INR up). unfold Rdiv at 1 3.
  apply Rmult_le_compat; [apply pos_INR| | |].
  - left. apply Rinv_0_lt_compat, Rmult_lt_0_compat; [apply lt_0_INR; lia|assumption].
  - replace (2 * INR up + 1) with (INR (up + up + 1)) by (rewrite !plus_INR; simpl; ring). apply le_INR. lia.
  - apply Rinv_le_contravar; [apply Rmult_lt_0_compat; assumption|].
    apply Rmult_le_compat_r; [lra|]. apply le_INR. lia.
Qed.
End EHD.
