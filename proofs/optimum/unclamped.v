(** * The geometric mechanism without clamping

    Proved: every mean under the clamped mechanism is also the mean under the mechanism that releases x + Z on all
    integers, after the remap that clamps; so the domination theorem holds for the unclamped mechanism as well.

    Left abstract: what the file on domination leaves abstract. *)
From Coq Require Import Reals Lra Lia ZArith PeanoNat.
From Coquelicot Require Import Coquelicot.
From DPBI Require Import basics.sums mechanisms.geometric optimum.domination.
Open Scope R_scope.

(** A sum over all integers. *)
Definition is_sum_Z (f : Z -> R) (l : R) : Prop :=
  exists a b, is_series (fun k => f (Z.of_nat k)) a /\ is_series (fun k => f (- Z.of_nat (S k))%Z) b /\ l = a + b.

Definition clampz (n : nat) (z : Z) : nat := Z.to_nat (Z.min (Z.of_nat n) z).

Lemma sum_n_Sum (f : nat -> R) m : sum_n f m = Sum (S m) f.
Proof.
  induction m; [rewrite sum_O; simpl; ring|]. rewrite sum_Sn, IHm. reflexivity.
Qed.

Ltac real_eq := match goal with |- @eq _ ?a ?b => change (@eq R a b) end.

Theorem unclamped alpha n x (k : nat -> R) : 0 < alpha < 1 -> (0 < n)%nat -> (x <= n)%nat ->
  is_sum_Z (fun z => geo alpha (z - Z.of_nat x) * k (clampz n z)) (Sum (S n) (fun z => geoc alpha n x z * k z)).
Proof.
  intros Ha Hn Hx.
  exists (Sum n (fun z => geo alpha (Z.of_nat z - Z.of_nat x) * k z) + alpha ^ (n - x) / (1 + alpha) * k n),
    (alpha ^ (x + 1) / (1 + alpha) * k 0%nat).
  split; [|split].
  - set (f := fun j => geo alpha (Z.of_nat j - Z.of_nat x) * k (clampz n (Z.of_nat j))).
    apply (is_series_decr_n f n _ Hn). rewrite sum_n_Sum. replace (S (pred n)) with n by lia.
    assert (E : Sum n f = Sum n (fun z => geo alpha (Z.of_nat z - Z.of_nat x) * k z)).
    { apply Sum_ext; intros i Hi. unfold f. do 2 f_equal. unfold clampz. lia. }
    rewrite E. match goal with |- is_series _ ?l => replace l with (alpha ^ (n - x) / (1 + alpha) * k n) end.
    2:{ unfold plus, opp; simpl. real_eq; ring. }
    apply (is_series_ext (fun j => (1 - alpha) / (1 + alpha) * alpha ^ (n - x + j) * k n));
      [|apply is_series_scal_r, geo_tail; assumption].
    intros j. unfold f, geo.
    replace (clampz n (Z.of_nat (n + j))) with n by (unfold clampz; lia).
    replace (Z.abs_nat (Z.of_nat (n + j) - Z.of_nat x)) with (n - x + j)%nat by lia. real_eq; ring.
  - apply (is_series_ext (fun j => (1 - alpha) / (1 + alpha) * alpha ^ (x + 1 + j) * k 0%nat));
      [|apply is_series_scal_r, geo_tail; assumption].
    intros j. unfold geo.
    replace (clampz n (- Z.of_nat (S j))) with 0%nat by (unfold clampz; lia).
    replace (Z.abs_nat (- Z.of_nat (S j) - Z.of_nat x)) with (x + 1 + j)%nat by lia. real_eq; ring.
  - destruct n as [|m]; [lia|].
    change (Sum (S (S m)) (fun z => geoc alpha (S m) x z * k z))
      with (Sum (S m) (fun z => geoc alpha (S m) x z * k z) + geoc alpha (S m) x (S m) * k (S m)).
    rewrite !Sum_first.
    rewrite (Sum_ext m (fun i => geoc alpha (S m) x (S i) * k (S i))
      (fun i => geo alpha (Z.of_nat (S i) - Z.of_nat x) * k (S i))).
    2:{ intros i Hi. rewrite clamp_middle by lia. reflexivity. }
    unfold geoc. simpl (0 =? 0). simpl (S m =? 0). rewrite Nat.eqb_refl. cbv iota.
    unfold geo at 2. replace (Z.abs_nat (Z.of_nat 0 - Z.of_nat x)) with x by lia.
    rewrite pow_add. simpl (alpha ^ 1). field. lra.
Qed.

(** The theorem for x + Z. *)
Theorem domination_unclamped eps n (F : nat -> R -> R) : 0 < eps -> (0 < n)%nat ->
  (forall x, (x <= n)%nat -> is_cdf (F x)) -> private_thresholds eps n F ->
  exists K : Z -> R -> R,
    (forall z, is_cdf (K z)) /\
    forall x t, (x <= n)%nat -> exists GT,
      is_sum_Z (fun z => geo (exp (- eps)) (z - Z.of_nat x) * K z t) GT /\
      (INR x <= t -> GT >= F x t) /\ (t < INR x -> 1 - GT >= 1 - F x t).
Proof.
  intros He Hn Hc Hp. destruct (domination eps n F He Hn Hc Hp) as (K & HK & D).
  exists (fun z => K (clampz n z)). split.
  - intros z. apply HK. unfold clampz. lia.
  - intros x t Hx. eexists. split.
    + apply (unclamped _ n x (fun z => K z t)); [apply alpha_range; assumption|assumption..].
    + apply D; assumption.
Qed.
