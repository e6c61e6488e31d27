(** * Sharper bounds for EHDL

    Proved: if the distance after j steps is at most [far j], each candidate outside t that is j steps away has a
    weight of at least [exp (- rate * far j)]. This bounds the probability of an error below t from above. If the
    distance is at most [near j] inside t and at least [far j] outside t, there is a bound from below. The growth of
    the distance from [model.beta_growth] and the bound [min (C j s, 1)] give the sharper lines of Theorem 4.5, where s
    is the local sensitivity of the data x.

    Left abstract: that j steps change the posterior by a distance of at most [C j s]. *)
From Coq Require Import Reals Lra Lia PeanoNat.
From Coquelicot Require Import Coquelicot.
From DPBI Require Import basics.sums mechanisms.exponential model.beta_distance model.beta_integral model.beta_growth
  accuracy.exponential_error accuracy.beta_error guarantees.composition.
Open Scope R_scope.

(** The sum of the weights of the steps [first + 1] to [last], where [h j] is the distance after j steps. *)
Definition weights (rate : R) (h : nat -> R) (first last : nat) : R :=
  Sum (last - first) (fun i => exp (- (rate * h (first + i + 1)%nat))).
(** The sums of the weights outside and inside, over both sides of x. *)
Definition outside (rate : R) (h : nat -> R) (n x down up : nat) : R :=
  weights rate h down x + weights rate h up (n - x).
Definition within (rate : R) (h : nat -> R) (down up : nat) : R := 1 + weights rate h 0 down + weights rate h 0 up.

Lemma Sum_flip n f : Sum n f = Sum n (fun i => f (n - 1 - i)%nat).
Proof.
  induction n as [|n IH]; [reflexivity|]. rewrite (Sum_first n (fun i => f (S n - 1 - i)%nat)), Sum_last, IH.
  replace (S n - 1 - 0)%nat with n by lia. rewrite Rplus_comm. f_equal. apply Sum_ext; intros i Hi. f_equal. lia.
Qed.

Lemma Sum_around n x f : (x <= n)%nat ->
  Sum (S n) f = f x + Sum x (fun i => f (x - i - 1)%nat) + Sum (n - x) (fun i => f (x + i + 1)%nat).
Proof.
  intros Hx. replace (S n) with (x + S (n - x))%nat by lia. rewrite Sum_add, Sum_first, Sum_flip, Nat.add_0_r.
  rewrite (Sum_ext x _ (fun i => f (x - i - 1)%nat)) by (intros; f_equal; lia).
  rewrite (Sum_ext (n - x) _ (fun i => f (x + i + 1)%nat)) by (intros; f_equal; lia). ring.
Qed.

Section Steps.
Variables (rate t : R) (n x : nat) (H : nat -> R).
Hypothesis Hrate : 0 <= rate.
Hypothesis Hx : (x <= n)%nat.
Hypothesis H_self : H x = 0.
Variables (down up : nat).
Hypothesis Hdown : (down <= x)%nat.
Hypothesis Hup : (x + up <= n)%nat.
Hypothesis reach : forall r, (r <= n)%nat -> (H r < t <-> (x - down <= r <= x + up)%nat).

Definition steps_to (r : nat) : nat := ((x - r) + (r - x))%nat.
Let w := weight rate H.

(** The sum of the weights of the steps [first + 1] to [last] on one side of x. *)
Let side (first last : nat) (c : nat -> nat) := Sum (last - first) (fun i => w (c (first + i + 1)%nat)).
Let below j := (x - j)%nat.
Let above j := (x + j)%nat.

Lemma inside_at r : (r <= n)%nat -> ind (inside t H) r = if ((x - down <=? r) && (r <=? x + up))%nat%bool then 1 else 0.
Proof.
  intros Hr. assert (W := reach r Hr). unfold ind, inside.
  destruct (Nat.leb_spec (x - down) r), (Nat.leb_spec r (x + up)), (Rlt_dec (H r) t); simpl; auto; exfalso; intuition lia.
Qed.

Lemma sides (A : event) (v : R) (first last : nat) c : (first <= last)%nat ->
  (forall j, (1 <= j <= first)%nat -> ind A (c j) = v) -> (forall j, (first < j <= last)%nat -> ind A (c j) = 1 - v) ->
  Sum last (fun i => w (c (i + 1)%nat) * ind A (c (i + 1)%nat)) = v * side 0 first c + (1 - v) * side first last c.
Proof.
  intros L I O. replace last with (first + (last - first))%nat at 1 by lia. rewrite Sum_add. unfold side.
  rewrite <- !Sum_scal, Nat.sub_0_r. f_equal; apply Sum_ext; intros i Hi.
  - rewrite I by lia. simpl (0 + i)%nat. ring.
  - rewrite O by lia. ring.
Qed.

Lemma inside_total : Prob (S n) w (inside t H) = 1 + side 0 down below + side 0 up above.
Proof.
  unfold Prob. rewrite (Sum_around n x) by assumption.
  rewrite (Sum_ext x _ (fun i => w (below (i + 1)) * ind (inside t H) (below (i + 1)))).
  2:{ intros i Hi. unfold below. replace (x - (i + 1))%nat with (x - i - 1)%nat by lia. reflexivity. }
  rewrite (Sum_ext (n - x) _ (fun i => w (above (i + 1)) * ind (inside t H) (above (i + 1)))).
  2:{ intros i Hi. unfold above. rewrite Nat.add_assoc. reflexivity. }
  rewrite (sides (inside t H) 1 down x below), (sides (inside t H) 1 up (n - x) above); try lia;
    try (intros j Hj; rewrite inside_at by (unfold below, above; lia); unfold below, above;
      destruct (Nat.leb_spec (x - down) (x - j)), (Nat.leb_spec (x - j) (x + up)); simpl; (lra || lia));
    try (intros j Hj; rewrite inside_at by (unfold below, above; lia); unfold below, above;
      destruct (Nat.leb_spec (x - down) (x + j)), (Nat.leb_spec (x + j) (x + up)); simpl; (lra || lia)).
  rewrite inside_at by assumption. destruct (Nat.leb_spec (x - down) x), (Nat.leb_spec x (x + up)); try lia.
  simpl. unfold w at 1, weight. rewrite H_self, Rmult_0_r, Ropp_0, exp_0. ring.
Qed.

Lemma all_total : Sum (S n) w = 1 + side 0 down below + side 0 up above + (side down x below + side up (n - x) above).
Proof.
  rewrite <- inside_total, <- (Prob_compl (S n) w (inside t H)). f_equal.
  unfold Prob. rewrite (Sum_around n x) by assumption.
  rewrite (Sum_ext x _ (fun i => w (below (i + 1)) * ind (compl (inside t H)) (below (i + 1)))).
  2:{ intros i Hi. unfold below. replace (x - (i + 1))%nat with (x - i - 1)%nat by lia. reflexivity. }
  rewrite (Sum_ext (n - x) _ (fun i => w (above (i + 1)) * ind (compl (inside t H)) (above (i + 1)))).
  2:{ intros i Hi. unfold above. rewrite Nat.add_assoc. reflexivity. }
  assert (C : forall r, (r <= n)%nat -> ind (compl (inside t H)) r = 1 - ind (inside t H) r).
  { intros r _. unfold ind, compl. destruct (inside t H r); simpl; ring. }
  rewrite (sides (compl (inside t H)) 0 down x below), (sides (compl (inside t H)) 0 up (n - x) above); try lia;
    try (intros j Hj; rewrite C, inside_at by (unfold below, above; lia); unfold below, above;
      destruct (Nat.leb_spec (x - down) (x - j)), (Nat.leb_spec (x - j) (x + up)); simpl; (lra || lia));
    try (intros j Hj; rewrite C, inside_at by (unfold below, above; lia); unfold below, above;
      destruct (Nat.leb_spec (x - down) (x + j)), (Nat.leb_spec (x + j) (x + up)); simpl; (lra || lia)).
  rewrite C, inside_at by assumption. destruct (Nat.leb_spec (x - down) x), (Nat.leb_spec x (x + up)); try lia.
  simpl. ring.
Qed.

Lemma side_above h first last c : (forall j, (first < j <= last)%nat -> H (c j) <= h j) ->
  weights rate h first last <= side first last c.
Proof.
  intros W. apply Sum_le; intros i Hi. unfold w, weight. apply exp_le. specialize (W (first + i + 1)%nat ltac:(lia)). nra.
Qed.

Lemma side_below h first last c : (forall j, (first < j <= last)%nat -> h j <= H (c j)) ->
  side first last c <= weights rate h first last.
Proof.
  intros W. apply Sum_le; intros i Hi. unfold w, weight. apply exp_le. specialize (W (first + i + 1)%nat ltac:(lia)). nra.
Qed.

Lemma weights_nonneg h first last : 0 <= weights rate h first last.
Proof. apply Sum_nonneg; intros; left; apply exp_pos. Qed.

Lemma weights_zero first last : weights rate (fun _ => 0) first last = INR (last - first).
Proof.
  unfold weights. rewrite Rmult_0_r, Ropp_0, exp_0, Sum_const. ring.
Qed.

Lemma fraction A B m b : 0 <= A -> A <= m -> 0 <= b -> b <= B -> 0 < A + B -> 0 < m + b -> A / (A + B) <= m / (m + b).
Proof.
  intros. apply Rle_div_l; [assumption|]. replace (m / (m + b) * (A + B)) with (m * (A + B) / (m + b)) by (field; lra).
  apply Rle_div_r; [assumption|]. nra.
Qed.

Lemma probability : Prob (S n) (expmech rate (S n) H) (inside t H) =
  (1 + side 0 down below + side 0 up above) /
  (1 + side 0 down below + side 0 up above + (side down x below + side up (n - x) above)).
Proof.
  rewrite <- all_total, <- inside_total. unfold Prob, expmech, Rdiv. rewrite <- Sum_scal_r. apply Sum_ext; intros.
  fold w. ring.
Qed.

Lemma side_nonneg first last c : 0 <= side first last c.
Proof. apply Sum_nonneg; intros; left; apply exp_pos. Qed.

Lemma steps_below j : (j <= x)%nat -> (below j <= n)%nat /\ steps_to (below j) = j.
Proof. unfold below, steps_to. lia. Qed.

Lemma steps_above j : (j <= n - x)%nat -> (above j <= n)%nat /\ steps_to (above j) = j.
Proof. unfold above, steps_to. lia. Qed.

Theorem upper_by_steps far : (forall r, (r <= n)%nat -> 0 <= H r <= far (steps_to r)) ->
  Prob (S n) (expmech rate (S n) H) (inside t H) <=
  INR (down + up + 1) / (INR (down + up + 1) + outside rate far n x down up).
Proof.
  intros W. rewrite probability. assert (S1 := side_nonneg 0 down below). assert (S2 := side_nonneg 0 up above).
  assert (S3 := side_nonneg down x below). assert (S4 := side_nonneg up (n - x) above).
  assert (O1 := weights_nonneg far down x). assert (O2 := weights_nonneg far up (n - x)).
  assert (I1 : side 0 down below <= weights rate (fun _ => 0) 0 down).
  { apply side_below. intros j Hj. apply W. apply steps_below. lia. }
  assert (I2 : side 0 up above <= weights rate (fun _ => 0) 0 up).
  { apply side_below. intros j Hj. apply W. apply steps_above. lia. }
  rewrite weights_zero in I1, I2. rewrite Nat.sub_0_r in I1, I2.
  assert (E1 : weights rate far down x <= side down x below).
  { apply side_above. intros j Hj. destruct (steps_below j ltac:(lia)) as [L E]. rewrite <- E at 2. apply W, L. }
  assert (E2 : weights rate far up (n - x) <= side up (n - x) above).
  { apply side_above. intros j Hj. destruct (steps_above j ltac:(lia)) as [L E]. rewrite <- E at 2. apply W, L. }
  unfold outside. apply fraction; rewrite ?plus_INR; simpl (INR 1); try lra.
  all: assert (P1 := pos_INR down); assert (P2 := pos_INR up); lra.
Qed.

Theorem lower_by_steps near far :
  (forall r, (r <= n)%nat -> H r < t -> H r <= near (steps_to r)) ->
  (forall r, (r <= n)%nat -> t <= H r -> far (steps_to r) <= H r) ->
  within rate near down up / (within rate near down up + outside rate far n x down up) <=
  Prob (S n) (expmech rate (S n) H) (inside t H).
Proof.
  intros W V. rewrite probability. assert (S1 := side_nonneg 0 down below). assert (S2 := side_nonneg 0 up above).
  assert (S3 := side_nonneg down x below). assert (S4 := side_nonneg up (n - x) above).
  assert (N1 := weights_nonneg near 0 down). assert (N2 := weights_nonneg near 0 up).
  assert (O1 := weights_nonneg far down x). assert (O2 := weights_nonneg far up (n - x)).
  assert (I1 : weights rate near 0 down <= side 0 down below).
  { apply side_above. intros j Hj. destruct (steps_below j ltac:(lia)) as [L E]. rewrite <- E at 2. apply W; [exact L|].
    apply reach; unfold below in *; lia. }
  assert (I2 : weights rate near 0 up <= side 0 up above).
  { apply side_above. intros j Hj. destruct (steps_above j ltac:(lia)) as [L E]. rewrite <- E at 2. apply W; [exact L|].
    apply reach; unfold above in *; lia. }
  assert (E1 : side down x below <= weights rate far down x).
  { apply side_below. intros j Hj. destruct (steps_below j ltac:(lia)) as [L E]. rewrite <- E at 1. apply V; [exact L|].
    apply Rnot_lt_le. intros C. apply reach in C; unfold below in *; lia. }
  assert (E2 : side up (n - x) above <= weights rate far up (n - x)).
  { apply side_below. intros j Hj. destruct (steps_above j ltac:(lia)) as [L E]. rewrite <- E at 1. apply V; [exact L|].
    apply Rnot_lt_le. intros C. apply reach in C; unfold above in *; lia. }
  unfold outside, within. apply fraction; lra.
Qed.
End Steps.

(** ** Beta posteriors *)

(** The larger of the distances to the two neighbours; at 0 and at n there is only one neighbour. *)
Definition local_sensitivity (a b : R) (n x : nat) : R :=
  Rmax (if (x =? 0)%nat then 0 else H a b n x (x - 1)) (if (x =? n)%nat then 0 else H a b n x (x + 1)).

Definition slope_or_one (C s : R) (j : nat) : R := Rmin (C * INR j * s) 1.
Definition slope_or (C s t : R) (j : nat) : R := Rmin (C * INR j * s) t.
Definition grown (total t : R) (j : nat) : R := Rmax t (distance_of (INR j * INR j / (2 * total))).

(** The right-hand sides of the claims. *)
Definition local_upper (eps C s : R) (n x down up : nat) : R :=
  INR (down + up + 1) / (INR (down + up + 1) + outside (eps / (2 * s)) (slope_or_one C s) n x down up).
Definition local_lower (eps C s total t : R) (n x down up : nat) : R :=
  within (eps / (2 * s)) (slope_or C s t) down up /
  (within (eps / (2 * s)) (slope_or C s t) down up + outside (eps / (2 * s)) (grown total t) n x down up).

Lemma local_sensitivity_pos a b n x : 0 < a -> 0 < b -> (x <= n)%nat -> (0 < n)%nat -> 0 < local_sensitivity a b n x.
Proof.
  intros Ha Hb Hx Hn. apply le_INR in Hx as Hx'. assert (P := pos_INR x). unfold local_sensitivity.
  destruct (Nat.eqb_spec x n) as [E|E].
  - eapply Rlt_le_trans; [|apply Rmax_l]. destruct (Nat.eqb_spec x 0); [lia|]. rewrite H_is by (assumption || lia).
    rewrite <- (distance_self a b n (INR x)) at 1. apply distance_falls; try lra. split; [apply pos_INR|apply lt_INR; lia].
  - eapply Rlt_le_trans; [|apply Rmax_r]. rewrite H_is by (assumption || lia).
    rewrite <- (distance_self a b n (INR x)) at 1. apply distance_rises; try lra. split; [apply lt_INR|apply le_INR]; lia.
Qed.

Section Local.
Variables (a b eps C t : R) (n x down up : nat).
Hypothesis Ha : 0 < a.
Hypothesis Hb : 0 < b.
Hypothesis He : 0 < eps.
Hypothesis Hx : (x <= n)%nat.
Hypothesis Hn : (0 < n)%nat.
Hypothesis Hdown : (down <= x)%nat.
Hypothesis Hup : (x + up <= n)%nat.
Hypothesis reach : forall r, (r <= n)%nat -> (H a b n x r < t <-> (x - down <= r <= x + up)%nat).
Let s := local_sensitivity a b n x.
(** Left abstract: that j steps change the posterior by a distance of at most C j s. *)
Hypothesis steps_short : forall r, (r <= n)%nat -> H a b n x r <= C * INR (steps_to x r) * s.

Lemma local_rate : 0 <= eps / (2 * s).
Proof.
  assert (P := local_sensitivity_pos a b n x Ha Hb Hx Hn). fold s in P. apply Rlt_le, Rdiv_lt_0_compat; lra.
Qed.

Theorem ehdl_upper_steps : error_below_exponential a b eps s n x t <= local_upper eps C s n x down up.
Proof.
  unfold error_below_exponential, local_upper. apply upper_by_steps; try assumption.
  - apply local_rate.
  - apply H_self; assumption.
  - intros r Hr. assert (W := H_range a b n x Ha Hb Hx r Hr). split; [lra|].
    apply Rmin_glb; [apply steps_short, Hr|lra].
Qed.

Theorem ehdl_lower_steps :
  error_below_exponential a b eps s n x t >= local_lower eps C s (a + b + INR n) t n x down up.
Proof.
  apply Rle_ge. unfold error_below_exponential, local_lower. apply lower_by_steps; try assumption.
  - apply local_rate.
  - apply H_self; assumption.
  - intros r Hr L. apply Rmin_glb; [apply steps_short, Hr|lra].
  - intros r Hr L. apply Rmax_lub; [exact L|]. rewrite H_is by assumption.
    replace (INR (steps_to x r) * INR (steps_to x r)) with ((INR r - INR x) * (INR r - INR x)).
    + apply distance_grows; try assumption; apply steps_range; assumption.
    + unfold steps_to. destruct (le_lt_dec x r).
      * replace (x - r + (r - x))%nat with (r - x)%nat by lia. rewrite minus_INR by assumption. ring.
      * replace (x - r + (r - x))%nat with (x - r)%nat by lia. rewrite minus_INR by lia. ring.
Qed.
End Local.

(** Balanced data, with k records in each category and C = 1: there are as many steps down as up. *)
Definition local_upper_balanced (eps s : R) (half k : nat) : R :=
  (2 * INR k + 1) / (2 * INR k + 1 + 2 * weights (eps / (2 * s)) (slope_or_one 1 s) k half).

Theorem ehdl_upper_balanced a b eps t half k : 0 < a -> 0 < b -> 0 < eps -> (0 < half)%nat -> (k <= half)%nat ->
  let n := (half + half)%nat in let s := local_sensitivity a b n half in
  (forall r, (r <= n)%nat -> (H a b n half r < t <-> (half - k <= r <= half + k)%nat)) ->
  (forall r, (r <= n)%nat -> H a b n half r <= INR (steps_to half r) * s) ->
  error_below_exponential a b eps s n half t <= local_upper_balanced eps s half k.
Proof.
  intros Ha Hb He Hh Hk n s R W. apply Rle_trans with (local_upper eps 1 s n half k k).
  - apply ehdl_upper_steps; try assumption; try (unfold n; lia). intros r Hr. rewrite Rmult_1_l. apply W, Hr.
  - unfold local_upper, local_upper_balanced, outside, n. replace (half + half - half)%nat with half by lia.
    rewrite !plus_INR. simpl (INR 1). right. f_equal; ring.
Qed.
