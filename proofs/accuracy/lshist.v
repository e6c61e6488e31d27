(** * The probability of a small error of LSHist and LSZhang

    Proved: suppose that H < t holds exactly from [down] steps below x to [up] steps above it. Then the error of the
    clamped count with rounded Laplace noise is below t with the probability in the claim, [tails], and hence with
    probability at least [1 - exp (- min (down, up) eps)]. The corrected statement for LSZhang is the same with eps / 4
    in place of eps.

    Left abstract here: the distance. The file [accuracy.beta_error] inserts the Hellinger distance between Beta
    posteriors. *)
From Coq Require Import Reals Lra Lia ZArith PeanoNat.
From Coquelicot Require Import Coquelicot.
From DPBI Require Import basics.sums mechanisms.geometric mechanisms.floored_laplace optimum.domination optimum.unclamped.
Open Scope R_scope.

Lemma series_zero : is_series (fun _ : nat => 0) 0.
Proof.
  assert (Z : is_series (fun k => 0 * (1 / 2) ^ k) (0 * / (1 - 1 / 2))).
  { apply (is_series_scal 0 (fun k => (1 / 2) ^ k)). apply is_series_geom. rewrite Rabs_pos_eq; lra. }
  rewrite Rmult_0_l in Z. revert Z. apply is_series_ext. intros k. real_eq; ring.
Qed.

Lemma series_stops (f : nat -> R) N : (forall k, (N <= k)%nat -> f k = 0) -> is_series f (Sum N f).
Proof.
  intros H. destruct N as [|N].
  - apply (is_series_ext (fun _ => 0)); [intros k; symmetry; apply H; lia|]. apply series_zero.
  - apply (is_series_decr_n f (S N) _ ltac:(lia)). rewrite sum_n_Sum. simpl pred.
    match goal with |- is_series _ ?l => replace l with 0 end.
    2:{ unfold plus, opp; simpl. real_eq; ring. }
    apply (is_series_ext (fun _ => 0)); [|apply series_zero].
    intros k. rewrite H by lia. reflexivity.
Qed.

Lemma half_sum a N : Sum N (fun k => (1 - a) / 2 * a ^ k) = / 2 - a ^ N / 2.
Proof. induction N; simpl; [field|]. rewrite IHN. field. Qed.

Lemma half_series a : 0 < a < 1 -> is_series (fun k => (1 - a) / 2 * a ^ k) (/ 2).
Proof.
  intros H. replace (/ 2) with ((1 - a) / 2 * / (1 - a)) by (field; lra).
  apply (is_series_scal ((1 - a) / 2) (fun k => a ^ k)). apply is_series_geom. rewrite Rabs_pos_eq; lra.
Qed.

Lemma side a N (all : bool) (f : nat -> R) (A : nat -> bool) : 0 < a < 1 ->
  (forall k, f k = (1 - a) / 2 * a ^ k) ->
  (forall k, A k = orb all (Nat.ltb k N)) ->
  is_series (fun k => f k * (if A k then 1 else 0)) (/ 2 - (if all then 0 else a ^ N / 2)).
Proof.
  intros Ha Hf HA. destruct all.
  - rewrite Rminus_0_r. apply (is_series_ext (fun k => (1 - a) / 2 * a ^ k)); [|apply half_series; assumption].
    intros k. rewrite HA, Hf. simpl. real_eq; ring.
  - rewrite <- half_sum.
    rewrite (Sum_ext N _ (fun k => f k * (if A k then 1 else 0))).
    + apply series_stops. intros k Hk. rewrite HA. simpl.
      replace (Nat.ltb k N) with false by (symmetry; apply Nat.ltb_ge; lia). ring.
    + intros k Hk. rewrite HA, Hf. simpl.
      replace (Nat.ltb k N) with true by (symmetry; apply Nat.ltb_lt; lia). ring.
Qed.

(** The right-hand side of the claim. *)
Definition tails (eps : R) (n x down up : nat) : R :=
  1 - (if Nat.ltb down x then exp (- (INR down * eps)) / 2 else 0)
    - (if Nat.ltb (x + up) n then exp (- (INR (up + 1) * eps)) / 2 else 0).

Section LSHist.
Variables (eps t : R) (n x down up : nat) (H : nat -> R).
Hypothesis He : 0 < eps.
Hypothesis Hdown : (down <= x)%nat.
Hypothesis Hup : (x + up <= n)%nat.
Hypothesis reach : forall r, (r <= n)%nat -> (H r < t <-> (x - down <= r <= x + up)%nat).

Definition out (j : Z) : nat := clampz n (Z.of_nat x + j).
Definition below (j : Z) : bool := if Rlt_dec (H (out j)) t then true else false.

Lemma below_spec j : below j = andb (Nat.leb (x - down) (out j)) (Nat.leb (out j) (x + up)).
Proof.
  unfold below. assert (L : (out j <= n)%nat) by (unfold out, clampz; lia).
  assert (R := reach (out j) L). destruct (Rlt_dec (H (out j)) t) as [Q|Q].
  - apply R in Q. symmetry. apply andb_true_intro. split; apply Nat.leb_le; lia.
  - symmetry. apply Bool.not_true_is_false. intros W. apply Q, R.
    apply andb_prop in W. destruct W as [W1 W2]. apply Nat.leb_le in W1, W2. lia.
Qed.

Theorem lshist_corrected :
  is_sum_Z (fun j => flap eps j * (if below j then 1 else 0)) (tails eps n x down up).
Proof.
  unfold tails.
  assert (Ha := alpha_range eps He).
  exists (/ 2 - (if negb (Nat.ltb (x + up) n) then 0 else exp (- eps) ^ (up + 1) / 2)),
    (/ 2 - (if negb (Nat.ltb down x) then 0 else exp (- eps) ^ down / 2)).
  split; [|split].
  - apply (side (exp (- eps)) (up + 1) _ (fun k => flap eps (Z.of_nat k)) (fun k => below (Z.of_nat k)) Ha).
    + intros k. apply flap_high.
    + intros k. rewrite below_spec. unfold out, clampz.
      destruct (Nat.ltb_spec (x + up) n), (Nat.ltb_spec k (up + 1));
        match goal with |- andb (Nat.leb ?a ?b) (Nat.leb ?b ?c) = _ =>
          destruct (Nat.leb_spec a b), (Nat.leb_spec b c) end; simpl; (reflexivity || lia).
  - apply (side (exp (- eps)) down _ (fun k => flap eps (- Z.of_nat (S k))) (fun k => below (- Z.of_nat (S k))) Ha).
    + intros k. apply flap_low.
    + intros k. rewrite below_spec. unfold out, clampz.
      destruct (Nat.ltb_spec down x), (Nat.ltb_spec k down);
        match goal with |- andb (Nat.leb ?a ?b) (Nat.leb ?b ?c) = _ =>
          destruct (Nat.leb_spec a b), (Nat.leb_spec b c) end; simpl; (reflexivity || lia).
  - rewrite <- !exp_INR. rewrite (Rmult_comm (INR down)), (Rmult_comm (INR (up + 1))).
    destruct (Nat.ltb (x + up) n), (Nat.ltb down x); simpl; field.
Qed.
End LSHist.

(** The lower bound. *)
Theorem lshist_lower_corrected eps n x down up : 0 < eps ->
  tails eps n x down up >= 1 - exp (- (INR (Nat.min down up) * eps)).
Proof.
  intros He. apply Rle_ge. unfold tails. set (k := Nat.min down up).
  assert (E : forall j, (k <= j)%nat -> exp (- (INR j * eps)) <= exp (- (INR k * eps))).
  { intros j Hj. apply le_INR in Hj. assert (V : - (INR j * eps) <= - (INR k * eps)) by nra.
    destruct V as [V|V]; [left; apply exp_increasing; assumption|rewrite V; lra]. }
  assert (A := E down ltac:(lia)). assert (B := E (up + 1)%nat ltac:(lia)).
  assert (P := exp_pos (- (INR k * eps))).
  destruct (Nat.ltb down x), (Nat.ltb (x + up) n); lra.
Qed.

(** The printed statement, with k steps in both directions and both 0 and n farther away. *)
Theorem lshist_printed eps n x k : (k < x)%nat -> (x + k < n)%nat ->
  tails eps n x k k = 1 - / 2 * (exp (- (INR k * eps)) + exp (- (INR (k + 1) * eps))).
Proof.
  intros H1 H2. unfold tails. apply Nat.ltb_lt in H1, H2. rewrite H1, H2. field.
Qed.
