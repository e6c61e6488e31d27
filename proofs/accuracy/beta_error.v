(** * Theorem 4.5 for Beta posteriors, with nothing left abstract

    Proved: the corrected lines of Theorem 4.5, where the distance is the Hellinger distance between Beta posteriors,
    for all positive prior weights a and b, all n, all x and all t > 0. One pair of numbers of steps serves EHD, EHDL,
    LSHist and LSZhang. Also proved: the corollaries on the least mean error and the least worst-case error of private
    mechanisms that release a candidate, that is, a possible count. The distance is the integral over two densities, by
    [model.beta_integral].

    Left abstract: nothing. *)
From Coq Require Import Reals Lra Lia PeanoNat ZArith.
From Coquelicot Require Import Coquelicot.
From DPBI Require Import basics.sums mechanisms.geometric mechanisms.exponential mechanisms.floored_laplace
  model.gamma model.beta_distance model.beta_integral accuracy.exponential_error accuracy.lshist
  optimum.domination optimum.unclamped optimum.losses.
Open Scope R_scope.

(** The distance between the posteriors of the data x and of the candidate r. *)
Definition H (a b : R) (n x r : nat) : R := posterior_distance a b n (INR x) (INR r).

Section Distance.
Variables (a b : R) (n x : nat).
Hypothesis Ha : 0 < a.
Hypothesis Hb : 0 < b.
Hypothesis Hx : (x <= n)%nat.

Lemma H_is r : (r <= n)%nat -> H a b n x r = distance a b n (INR x) (INR r).
Proof. intros Hr. apply posterior_distance_is; try assumption; apply steps_range; assumption. Qed.

Lemma H_range r : (r <= n)%nat -> 0 <= H a b n x r < 1.
Proof. intros Hr. rewrite H_is by assumption. apply distance_range; try assumption; apply steps_range; assumption. Qed.

Lemma H_self : H a b n x x = 0.
Proof. rewrite H_is by assumption. apply distance_self. Qed.
End Distance.

(** The probability that the error is below t, with weights [exp (- eps H / (2 G))]. *)
Definition error_below_exponential (a b eps G : R) (n x : nat) (t : R) : R :=
  Prob (S n) (expmech (eps / (2 * G)) (S n) (H a b n x)) (inside t (H a b n x)).

Theorem theorem_4_5 a b n x t : 0 < a -> 0 < b -> (x <= n)%nat -> 0 < t ->
  exists down up, (down <= x)%nat /\ (x + up <= n)%nat /\
    (forall r, (r <= n)%nat -> (H a b n x r < t <-> (x - down <= r <= x + up)%nat)) /\
    (forall eps G, 0 < eps -> 0 < G ->
      error_below_exponential a b eps G n x t >= share n down up /\
      error_below_exponential a b eps G n x t < ceiling eps G n down up /\
      error_below_exponential a b eps G n x t <= upper_sharp eps G n down up) /\
    (forall eps, 0 < eps ->
      is_sum_Z (fun j => flap eps j * (if below t n x (H a b n x) j then 1 else 0)) (tails eps n x down up) /\
      tails eps n x down up >= 1 - exp (- (INR (Nat.min down up) * eps))).
Proof.
  intros Ha Hb Hx Ht. destruct (reach a b n Ha Hb x t Hx Ht) as (down & up & Hd & Hu & Hr).
  exists down, up. split; [assumption|]. split; [assumption|]. split; [exact Hr|].
  assert (R : forall r, (r <= n)%nat -> 0 <= H a b n x r < 1) by (intros; apply H_range; assumption).
  split.
  - intros eps G He HG. unfold error_below_exponential. split; [|split].
    + apply ehd_lower_corrected with x; assumption.
    + apply ehd_upper_corrected with x; auto using H_self.
    + apply ehd_upper_all with x; auto.
  - intros eps He. split; [apply lshist_corrected; assumption|apply lshist_lower_corrected; assumption].
Qed.

(** ** The best mechanisms that release a candidate *)

(** At the candidates, the error is a unimodal loss. *)
Definition error_loss (a b : R) (n x : nat) (r : R) : R := distance a b n (INR x) (Rmax 0 (Rmin (INR n) r)).

Lemma error_unimodal a b n x : 0 < a -> 0 < b -> (x <= n)%nat -> unimodal (INR x) (error_loss a b n x).
Proof.
  intros Ha Hb Hx. apply le_INR in Hx as Hx'. assert (P := pos_INR x). unfold error_loss. split; intros r s Hrs.
  - set (u := Rmax 0 (Rmin (INR n) r)). set (w := Rmax 0 (Rmin (INR n) s)).
    assert (0 <= u <= w /\ w <= INR x).
    { unfold u, w, Rmax, Rmin. repeat destruct Rle_dec; lra. }
    destruct (Rle_lt_or_eq_dec u w ltac:(lra)) as [L| ->]; [|lra]. left. apply distance_falls; lra.
  - set (u := Rmax 0 (Rmin (INR n) r)). set (w := Rmax 0 (Rmin (INR n) s)).
    assert (INR x <= u <= w /\ w <= INR n).
    { unfold u, w, Rmax, Rmin. repeat destruct Rle_dec; lra. }
    destruct (Rle_lt_or_eq_dec u w ltac:(lra)) as [L| ->]; [|lra]. left. apply distance_rises; lra.
Qed.

Lemma error_loss_at a b n x r : 0 < a -> 0 < b -> (x <= n)%nat -> (r <= n)%nat ->
  error_loss a b n x (INR r) = H a b n x r.
Proof.
  intros Ha Hb Hx Hr. rewrite H_is by assumption. unfold error_loss. f_equal. apply le_INR in Hr. assert (P := pos_INR r).
  unfold Rmax, Rmin. repeat destruct Rle_dec; lra.
Qed.

(** Mechanisms that release candidates. *)
Definition mean_error (a b : R) (n : nat) (p : nat -> R) (x : nat) : R := Sum (S n) (fun r => p r * H a b n x r).

Lemma mean_error_loss a b n p x : 0 < a -> 0 < b -> (x <= n)%nat ->
  mean_error a b n p x = mean (S n) p (fun j => error_loss a b n x (INR j)).
Proof. intros Ha Hb Hx. apply Sum_ext; intros r Hr. rewrite error_loss_at by (assumption || lia). reflexivity. Qed.

(** Among the mechanisms that release a candidate, a deterministic remap of the geometric mechanism has the least mean
    error, whatever the weights of the datasets. *)
Theorem least_mean_error a b eps n (w : nat -> R) : 0 < a -> 0 < b -> 0 < eps -> (0 < n)%nat ->
  (forall x, (x <= n)%nat -> 0 <= w x) ->
  exists s : nat -> nat, (forall z, (z <= n)%nat -> (s z <= n)%nat) /\
    (forall z, (z <= n)%nat -> forall r, (r <= n)%nat ->
       Sum (S n) (fun x => w x * geoc (exp (- eps)) n x z * H a b n x (s z))
       <= Sum (S n) (fun x => w x * geoc (exp (- eps)) n x z * H a b n x r)) /\
    forall P, private_finite eps n n P ->
      Sum (S n) (fun x => w x * Sum (S n) (fun z => geoc (exp (- eps)) n x z * H a b n x (s z)))
      <= Sum (S n) (fun x => w x * mean_error a b n (P x) x).
Proof.
  intros Ha Hb He Hn Hw. destruct (assumptions_met eps n He Hn) as [Ho _].
  destruct (best_mean eps n n INR w (error_loss a b n) He Hn Ho) as (s & S1 & S2 & S3).
  { intros x Hx. split; [apply Hw; assumption|apply error_unimodal; assumption]. }
  exists s. split; [assumption|]. split.
  - intros z Hz r Hr. specialize (S2 z Hz r Hr). specialize (S1 z Hz).
    rewrite (Sum_ext _ _ (fun x => w x * geoc (exp (- eps)) n x z * H a b n x (s z))) in S2
      by (intros; rewrite error_loss_at by (assumption || lia); reflexivity).
    rewrite (Sum_ext _ (fun x => w x * geoc (exp (- eps)) n x z * error_loss a b n x (INR r))
      (fun x => w x * geoc (exp (- eps)) n x z * H a b n x r)) in S2
      by (intros; rewrite error_loss_at by (assumption || lia); reflexivity).
    exact S2.
  - intros P HP. specialize (S3 P HP).
    rewrite (Sum_ext _ _ (fun x => w x * Sum (S n) (fun z => geoc (exp (- eps)) n x z * H a b n x (s z)))) in S3.
    2:{ intros x Hx. f_equal. apply Sum_ext; intros z Hz. rewrite error_loss_at by (assumption || lia || (apply S1; lia)); reflexivity. }
    eapply Rle_trans; [exact S3|]. right. apply Sum_ext; intros x Hx. rewrite mean_error_loss by (assumption || lia). reflexivity.
Qed.

(** For every mechanism that releases a candidate, some remap of the geometric mechanism has no larger error at any
    dataset, and so no larger worst-case error. *)
Theorem least_worst_error a b eps n P (worst : (nat -> R) -> R) : 0 < a -> 0 < b -> 0 < eps -> (0 < n)%nat ->
  private_finite eps n n P ->
  (forall e e', (forall x, (x <= n)%nat -> e x <= e' x) -> worst e <= worst e') ->
  exists T, (forall z, (z <= n)%nat -> law (S n) (T z)) /\
    worst (fun x => mean_error a b n (remap (S n) (geoc (exp (- eps)) n x) T) x) <= worst (fun x => mean_error a b n (P x) x).
Proof.
  intros Ha Hb He Hn HP Hw. destruct (assumptions_met eps n He Hn) as [Ho _].
  destruct (domination_losses eps n n INR P He Hn Ho HP) as (T & HT & D). exists T. split; [assumption|].
  apply Hw. intros x Hx. rewrite !mean_error_loss by assumption. apply D; [assumption|]. apply error_unimodal; assumption.
Qed.
