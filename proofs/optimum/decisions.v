(** * The best decisions from private counts

    Proved: let one of finitely many ordered actions be taken after a private release about the count, with a payoff
    that depends on the count and the action. Suppose that, of any two actions, the larger one is better from some
    count on, and the smaller one is better below this count. Then no private mechanism with finitely many outputs,
    followed by any rule, has a larger weighted mean payoff than the geometric mechanism followed by the best action
    for each of its outputs. No derivative is used.

    Left abstract: the payoffs. *)
From Coq Require Import Reals Lra Lia PeanoNat.
From DPBI Require Import basics.sums mechanisms.geometric optimum.losses optimum.free_publication optimum.cuts.
Open Scope R_scope.

(** ** The best of the actions 0..m *)
Fixpoint best (m : nat) (f : nat -> R) : R := match m with O => f O | S k => Rmax (best k f) (f (S k)) end.

Lemma best_above m f a : (a <= m)%nat -> f a <= best m f.
Proof.
  induction m as [|m IH]; intros Ha; simpl; [replace a with 0%nat by lia; lra|].
  destruct (Nat.eq_dec a (S m)) as [->|]; [apply Rmax_r|]. eapply Rle_trans; [apply IH; lia|apply Rmax_l].
Qed.

Lemma best_below m f c : (forall a, (a <= m)%nat -> f a <= c) -> best m f <= c.
Proof. induction m as [|m IH]; intros H; simpl; [apply H; lia|]. apply Rmax_lub; [apply IH; intros|]; apply H; lia. Qed.

Lemma best_reached m f : exists a, (a <= m)%nat /\ best m f = f a.
Proof.
  induction m as [|m (a & Ha & E)]; [exists 0%nat; split; [lia|reflexivity]|]. simpl.
  unfold Rmax. destruct Rle_dec; [exists (S m)|exists a]; split; try lia; [reflexivity|assumption].
Qed.

(** ** Changes of sign *)

(** From minus to plus, at most once. *)
Definition rises_through_zero (n : nat) (d : nat -> R) : Prop :=
  forall x y, (x < y)%nat -> (y <= n)%nat -> 0 < d x -> 0 <= d y.

Lemma crossing n d : rises_through_zero n d -> exists k, (k <= n)%nat /\
  (forall x, (x < k)%nat -> d x <= 0) /\ (forall x, (k < x)%nat -> (x <= n)%nat -> 0 <= d x).
Proof.
  induction n as [|n IH]; intros H; [exists 0%nat; repeat split; [lia|intros; lia|intros; lia]|].
  destruct (IH ltac:(intros x y Hx Hy; apply H; lia)) as (k & K1 & K2 & K3).
  destruct (Rle_lt_dec 0 (d (S n))) as [L|L].
  - exists k. split; [lia|]. split; [assumption|]. intros x Hx Hn.
    destruct (Nat.eq_dec x (S n)) as [->|]; [assumption|apply K3; lia].
  - exists (S n). split; [lia|]. split; [|intros; lia]. intros x Hx. apply Rnot_lt_le. intros P.
    assert (W := H x (S n) Hx (le_n _) P). lra.
Qed.

(** If the ratio of e to q increases, a mean that is nonnegative under q is nonnegative under e; if the ratio decreases,
    a mean that is at most zero under q is at most zero under e. *)
Lemma mean_moves n w q e d : (forall x, (x < S n)%nat -> 0 <= w x) -> (forall x, (x < S n)%nat -> 0 < q x) ->
  (forall x, (x < S n)%nat -> 0 <= e x) -> rises_through_zero n d ->
  (before (S n) q e -> 0 <= Sum (S n) (fun x => w x * q x * d x) -> 0 <= Sum (S n) (fun x => w x * e x * d x)) /\
  (before (S n) e q -> Sum (S n) (fun x => w x * q x * d x) <= 0 -> Sum (S n) (fun x => w x * e x * d x) <= 0).
Proof.
  intros Hw Hq He Hd. destruct (crossing n d Hd) as (k & K1 & K2 & K3). assert (Qk := Hq k ltac:(lia)).
  set (r := e k / q k). assert (R0 : 0 <= r) by (apply Rmult_le_pos; [apply He; lia|left; apply Rinv_0_lt_compat, Qk]).
  assert (Ek : e k = r * q k) by (unfold r; field; lra).
  assert (Below : forall x, e x * q k <= e k * q x -> e x <= r * q x).
  { intros x H. rewrite Ek in H. apply Rmult_le_reg_r with (q k); [assumption|]. lra. }
  assert (Above : forall x, e k * q x <= e x * q k -> r * q x <= e x).
  { intros x H. rewrite Ek in H. apply Rmult_le_reg_r with (q k); [assumption|]. lra. }
  assert (S1 : Sum (S n) (fun x => w x * (r * q x * d x)) = r * Sum (S n) (fun x => w x * q x * d x))
    by (rewrite <- Sum_scal; apply Sum_ext; intros; ring).
  assert (S2 : Sum (S n) (fun x => w x * e x * d x) = Sum (S n) (fun x => w x * (e x * d x)))
    by (apply Sum_ext; intros; ring).
  split; intros B H; rewrite S2.
  - apply Rle_trans with (r * Sum (S n) (fun x => w x * q x * d x)); [apply Rmult_le_pos; assumption|]. rewrite <- S1.
    apply Sum_le. intros x Hx. apply Rmult_le_compat_l; [apply Hw, Hx|].
    destruct (lt_eq_lt_dec x k) as [[L|L]|L].
    + assert (W := Below x ltac:(assert (V := B x k L ltac:(lia)); lra)). assert (V := K2 x L). nra.
    + subst x. rewrite Ek. lra.
    + assert (W := Above x ltac:(assert (V := B k x L Hx); lra)). assert (V := K3 x L ltac:(lia)). nra.
  - apply Rle_trans with (r * Sum (S n) (fun x => w x * q x * d x)); [rewrite <- S1|nra].
    apply Sum_le. intros x Hx. apply Rmult_le_compat_l; [apply Hw, Hx|].
    destruct (lt_eq_lt_dec x k) as [[L|L]|L].
    + assert (W := Above x ltac:(assert (V := B x k L ltac:(lia)); lra)). assert (V := K2 x L). nra.
    + subst x. rewrite Ek. lra.
    + assert (W := Below x ltac:(assert (V := B k x L Hx); lra)). assert (V := K3 x L ltac:(lia)). nra.
Qed.

(** ** The exchange inequality *)
Definition payoff (n : nat) (w : nat -> R) (u : nat -> nat -> R) (p : nat -> R) (a : nat) : R :=
  Sum (S n) (fun x => w x * p x * u x a).

Section Payoffs.
Variables (alpha : R) (n m : nat) (w : nat -> R) (u : nat -> nat -> R).
Hypothesis Halpha : 0 < alpha < 1.
Hypothesis Hw : forall x, (x < S n)%nat -> 0 <= w x.
Hypothesis Hu : forall a b, (a < b)%nat -> (b <= m)%nat -> rises_through_zero n (fun x => u x b - u x a).

Notation pay := (payoff n w u).

(** The payoff of the best action. *)
Definition best_payoff (p : nat -> R) : R := best m (pay p).

Lemma pay_sum p g h a : (forall x, (x <= n)%nat -> p x = g x + h x) -> pay p a = pay g a + pay h a.
Proof. intros H. unfold payoff. rewrite <- Sum_plus. apply Sum_ext. intros x Hx. rewrite H by lia. ring. Qed.

Lemma pay_scal c p a : pay (fun x => c * p x) a = c * pay p a.
Proof. unfold payoff. rewrite <- Sum_scal. apply Sum_ext. intros; ring. Qed.

Lemma pay_change p a b : pay p b - pay p a = Sum (S n) (fun x => w x * p x * (u x b - u x a)).
Proof. unfold payoff. rewrite <- Sum_minus. apply Sum_ext. intros; ring. Qed.

Lemma best_payoff_scal c p : 0 <= c -> best_payoff (fun x => c * p x) = c * best_payoff p.
Proof.
  intros Hc. unfold best_payoff. apply Rle_antisym.
  - apply best_below. intros a Ha. rewrite pay_scal. apply Rmult_le_compat_l; [assumption|apply best_above, Ha].
  - destruct (best_reached m (pay p)) as (a & Ha & ->). rewrite <- pay_scal. apply best_above, Ha.
Qed.

Lemma best_payoff_ext p p' : (forall x, (x <= n)%nat -> p x = p' x) -> best_payoff p = best_payoff p'.
Proof.
  intros H. assert (E : forall a, pay p a = pay p' a).
  { intros a. apply Sum_ext. intros x Hx. rewrite H by lia. reflexivity. }
  unfold best_payoff. apply Rle_antisym; apply best_below; intros a Ha; [rewrite E|rewrite <- E]; apply best_above, Ha.
Qed.

Lemma best_payoff_gain : gain alpha n best_payoff.
Proof.
  split; [exact best_payoff_ext|]. split; [intros; apply best_payoff_scal; assumption|].
  intros y c d _ Hc Hd. rewrite <- !best_payoff_scal by assumption. apply best_below. intros a Ha.
  rewrite (pay_sum _ (fun x => c * peak alpha y x) (fun x => d * peak alpha (S y) x)) by reflexivity.
  apply Rplus_le_compat; apply best_above, Ha.
Qed.

(** The left cut takes the smaller of the two best actions, the right cut the larger one. *)
Theorem best_payoff_exchange : exchange alpha n best_payoff.
Proof.
  intros p j Hp Hj. rewrite <- best_payoff_scal by (apply Hp; lia).
  destruct (all_or_none alpha n Halpha p Hp) as [P|P].
  - assert (Z : forall p', (forall x, (x <= n)%nat -> p' x = 0) -> best_payoff p' = 0).
    { intros p' H. rewrite (best_payoff_ext p' (fun x => 0 * p' x)) by (intros; rewrite H by assumption; ring).
      rewrite best_payoff_scal; [ring|lra]. }
    rewrite !Z; [lra|..]; intros x Hx; unfold left_cut, right_cut; rewrite ?(P x), ?(P j) by lia;
      try destruct (x <=? j); ring.
  - set (q := under alpha p j). set (D := more_left alpha p j). set (E := more_right alpha p j).
    change (fun x => p j * peak alpha j x) with q.
    assert (Q : forall x, (x < S n)%nat -> 0 < q x).
    { intros x Hx. apply Rmult_lt_0_compat; [apply P; lia|apply pow_lt; lra]. }
    assert (EL : forall x, (x <= n)%nat -> left_cut alpha p j x = q x + D x).
    { intros x _. assert (V := cuts_add_up alpha p j x). unfold D, more_left, q, under, left_cut, right_cut in *.
      destruct (x <=? j); lra. }
    assert (ER : forall x, (x <= n)%nat -> right_cut alpha p j x = q x + E x).
    { intros x _. assert (V := cuts_add_up alpha p j x). unfold E, more_right, q, under, left_cut, right_cut in *.
      destruct (x <=? j); lra. }
    assert (EP : forall x, (x <= n)%nat -> p x = q x + (D x + E x)).
    { intros x _. unfold D, E, more_left, more_right. fold q. destruct (x <=? j); ring. }
    destruct (best_reached m (pay p)) as (a & Ha & Ea). destruct (best_reached m (pay q)) as (b & Hb & Eb).
    assert (L : forall c, (c <= m)%nat -> pay q c + pay D c <= best_payoff (left_cut alpha p j)).
    { intros c Hc. rewrite <- (pay_sum _ _ _ c EL). apply best_above, Hc. }
    assert (G : forall c, (c <= m)%nat -> pay q c + pay E c <= best_payoff (right_cut alpha p j)).
    { intros c Hc. rewrite <- (pay_sum _ _ _ c ER). apply best_above, Hc. }
    unfold best_payoff at 1 2. rewrite Ea, Eb, (pay_sum p q _ a EP), (pay_sum (fun x => D x + E x) D E a) by reflexivity.
    assert (O := best_above m (pay q) a Ha). rewrite Eb in O.
    assert (DP := more_left_nonneg alpha n Halpha p j Hp Hj). assert (EPos := more_right_nonneg alpha n Halpha p j Hp Hj).
    destruct (lt_eq_lt_dec a b) as [[O'|O']|O'].
    + assert (M := mean_moves n w q E _ Hw Q EPos (Hu a b O' Hb)). destruct M as [M _].
      specialize (M (under_before_right alpha n Halpha p j Hp Hj)). rewrite <- !pay_change in M.
      specialize (M ltac:(lra)). assert (La := L a Ha). assert (Rb := G b Hb). lra.
    + subst b. assert (La := L a Ha). assert (Ra := G a Ha). lra.
    + assert (M := mean_moves n w q D _ Hw Q DP (Hu b a O' Ha)). destruct M as [_ M].
      specialize (M (left_before_under alpha n Halpha p j Hp Hj)). rewrite <- !pay_change in M.
      specialize (M ltac:(lra)). assert (Lb := L b Hb). assert (Ra := G a Ha). lra.
Qed.
End Payoffs.

(** Geometric noise with a best rule s: no private mechanism, with any rule r, has a larger mean payoff. *)
Theorem best_decisions eps n m (w : nat -> R) (u : nat -> nat -> R) : 0 < eps -> (0 < n)%nat ->
  (forall x, (x <= n)%nat -> 0 <= w x) ->
  (forall a b, (a < b)%nat -> (b <= m)%nat -> rises_through_zero n (fun x => u x b - u x a)) ->
  exists s : nat -> nat, (forall y, (y <= n)%nat -> (s y <= m)%nat) /\
    forall k P (r : nat -> nat), private_finite eps n k P -> (forall o, (o <= k)%nat -> (r o <= m)%nat) ->
      Sum (S n) (fun x => w x * mean (S k) (P x) (fun o => u x (r o))) <=
      Sum (S n) (fun x => w x * mean (S n) (geoc (exp (- eps)) n x) (fun y => u x (s y))).
Proof.
  intros He Hn Hw Hu. assert (Ha := alpha_range eps He).
  assert (Hw' : forall x, (x < S n)%nat -> 0 <= w x) by (intros; apply Hw; lia).
  destruct (choice m n (fun y a => - payoff n w u (fun x => geoc (exp (- eps)) n x y) a)) as (s & Hs).
  exists s. split; [intros y Hy; apply Hs, Hy|]. intros k P r HP Hr.
  assert (E : forall N (Q : nat -> nat -> R) (t : nat -> nat),
    Sum (S n) (fun x => w x * mean N (Q x) (fun o => u x (t o))) = Sum N (fun o => payoff n w u (fun x => Q x o) (t o))).
  { intros N Q t. unfold payoff. rewrite Sum_swap. apply Sum_ext. intros x _. unfold mean. rewrite <- Sum_scal.
    apply Sum_ext. intros; ring. }
  rewrite !E. apply Rle_trans with (Sum (S k) (fun o => best_payoff n m w u (fun x => P x o))).
  - apply Sum_le. intros o Ho. apply best_above, Hr. lia.
  - eapply Rle_trans; [apply (geometric_best eps n k P _ He Hn HP (best_payoff_gain _ n m w u)
      (best_payoff_exchange _ n m w u Ha Hw' Hu))|].
    apply Sum_le. intros y Hy. apply best_below. intros a Hm. destruct (Hs y ltac:(lia)) as [_ W].
    specialize (W a Hm). cbv beta in W. lra.
Qed.
