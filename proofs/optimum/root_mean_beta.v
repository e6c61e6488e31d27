(** * The least squared Hellinger distance between densities and posteriors

    A root mean is the square of a weighted sum of the square roots of the posteriors, divided by its integral. Proved,
    for the Beta posteriors of n records in two categories, all positive prior weights and all nonnegative weights of
    the counts: no private mechanism with finitely many outputs, whatever density on (0, 1) it publishes for each of
    them, has a smaller weighted mean of the squared Hellinger distance from the posterior than the geometric mechanism
    that publishes root means.

    Left abstract: it is a premise that the integrals of the published densities and of their distances exist. The
    integrals are Riemann integrals, with limits at both ends. *)
From Coq Require Import Reals Lra Lia PeanoNat.
From DPBI Require Import basics.sums mechanisms.geometric model.gamma model.beta_distance model.beta_integral
  optimum.losses optimum.cuts optimum.affinities.
Open Scope R_scope.

(** The squared Hellinger distance between two densities, as an integral. *)
Definition half_square (f g : R -> R) (u : R) : R := / 2 * (sqrt (f u) - sqrt (g u)) ^ 2.
Definition squared_distance (f g : R -> R) : R := unit_integral_of (half_square f g).

(** A density on (0, 1). *)
Definition publishable (g : R -> R) : Prop := (forall u, 0 < u < 1 -> 0 <= g u) /\ unit_integral g 1.

Section Posteriors.
Variables (a b : R) (n : nat).
Hypothesis Ha : 0 < a.
Hypothesis Hb : 0 < b.

(** The posterior if x of n records are in the first category, and the affinity of two such posteriors. *)
Notation post x := (posterior a b n (INR x)).
Definition affinity_of (x z : nat) : R :=
  affinity (a + INR x) (b + (INR n - INR x)) (a + INR z) (b + (INR n - INR z)).
Notation M := affinity_of.

Let N := a + b + INR n.

Lemma affinity_of_fit x z : M x z = exp (fit N (a + INR x) (a + INR z)).
Proof. unfold affinity_of. rewrite <- affinity_fit. unfold N. f_equal; ring. Qed.

Lemma posteriors_ordered : ordered_affinities (S n) M.
Proof.
  split; [|split].
  - intros i k. rewrite !affinity_of_fit. unfold fit. rewrite (Rplus_comm (a + INR i)). do 2 f_equal. field.
  - intros. left. apply exp_pos.
  - intros i j Hi Hj k l Hk Hl. rewrite !affinity_of_fit, <- !exp_plus. left. apply exp_increasing. unfold fit.
    assert (I := lt_INR _ _ Hi). assert (K := lt_INR _ _ Hk). assert (J := le_INR j n ltac:(lia)).
    assert (L := le_INR l n ltac:(lia)). assert (I0 := pos_INR i). assert (K0 := pos_INR k).
    set (lo := (a + INR i + (a + INR k)) / 2). set (hi := (a + INR j + (a + INR l)) / 2).
    set (D := INR j - INR i + (INR l - INR k)).
    assert (C : forall s, 0 < s < 1 -> both N ((1 - s) * lo + s * hi) < (1 - s) * both N lo + s * both N hi).
    { intros s Hs. apply both_strictly_convex; unfold N, lo, hi; lra. }
    assert (HD : 0 < D) by (unfold D; lra).
    assert (F : forall u, 0 < u < D -> 0 < u / D < 1).
    { intros u Hu. split; [apply Rdiv_lt_0_compat; lra|]. apply Rmult_lt_reg_r with D; [lra|].
      unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
    assert (C1 := C _ (F (INR l - INR k) ltac:(unfold D; lra))).
    assert (C2 := C _ (F (INR j - INR i) ltac:(unfold D; lra))).
    replace ((1 - (INR l - INR k) / D) * lo + (INR l - INR k) / D * hi) with ((a + INR i + (a + INR l)) / 2) in C1
      by (apply Rmult_eq_reg_l with D; [|lra]; unfold lo, hi; field_simplify; [unfold D; field|lra]).
    replace ((1 - (INR j - INR i) / D) * lo + (INR j - INR i) / D * hi) with ((a + INR j + (a + INR k)) / 2) in C2
      by (apply Rmult_eq_reg_l with D; [|lra]; unfold lo, hi; field_simplify; [unfold D; field|lra]).
    assert (E : (INR j - INR i) / D = 1 - (INR l - INR k) / D) by (unfold D in *; field; lra).
    rewrite E in C2. set (s := (INR l - INR k) / D) in *.
    replace (1 - (1 - s)) with s in C2 by ring. lra.
Qed.

(** ** Integrals of weighted sums of roots *)
Definition root_sum (v : nat -> R) (u : R) : R := Sum (S n) (fun x => v x * sqrt (post x u)).

Lemma post_density x : (x <= n)%nat -> (forall u, 0 < post x u) /\ unit_integral (post x) 1.
Proof.
  intros Hx. assert (W := steps_range n x Hx).
  split; [intros u; apply density_pos|apply density_total]; lra.
Qed.

Lemma unit_integral_Sum k (f : nat -> R -> R) (l : nat -> R) : (forall i, (i < k)%nat -> unit_integral (f i) (l i)) ->
  unit_integral (fun u => Sum k (fun i => f i u)) (Sum k l).
Proof.
  induction k as [|k IH]; intros H.
  - apply unit_integral_value with (0 * 1); [|simpl; ring].
    apply (unit_integral_ext (fun u => 0 * post 0 u)); [intros; simpl; ring|].
    apply unit_integral_scal, post_density. lia.
  - apply (unit_integral_plus (fun u => Sum k (fun i => f i u)) (f k)); [apply IH; intros; apply H|apply H]; lia.
Qed.

Lemma two_roots x z : (x <= n)%nat -> (z <= n)%nat -> unit_integral (fun u => sqrt (post x u) * sqrt (post z u)) (M x z).
Proof.
  intros Hx Hz. assert (X := steps_range n x Hx). assert (Z := steps_range n z Hz).
  apply (unit_integral_ext (fun u => sqrt (post x u * post z u))).
  - intros u _. apply sqrt_mult; left; apply post_density; assumption.
  - apply affinity_integral; lra.
Qed.

Lemma root_sum_affinity v x : (x <= n)%nat ->
  unit_integral (fun u => sqrt (post x u) * root_sum v u) (Sum (S n) (fun z => M x z * v z)).
Proof.
  intros Hx. apply (unit_integral_ext (fun u => Sum (S n) (fun z => v z * (sqrt (post x u) * sqrt (post z u))))).
  - intros u _. unfold root_sum. rewrite <- Sum_scal. apply Sum_ext. intros; ring.
  - apply unit_integral_value with (Sum (S n) (fun z => v z * M x z)); [|apply Sum_ext; intros; ring].
    apply unit_integral_Sum. intros z Hz. apply unit_integral_scal, two_roots; [assumption|lia].
Qed.

Lemma root_sum_square v : unit_integral (fun u => root_sum v u ^ 2) (form (S n) M v v).
Proof.
  apply (unit_integral_ext (fun u => Sum (S n) (fun x => v x * (sqrt (post x u) * root_sum v u)))).
  - intros u _. replace (root_sum v u ^ 2) with (root_sum v u * root_sum v u) by ring. unfold root_sum at 2.
    rewrite <- Sum_scal_r. apply Sum_ext. intros; ring.
  - apply unit_integral_value with (Sum (S n) (fun x => v x * Sum (S n) (fun z => M x z * v z))).
    + apply unit_integral_Sum. intros x Hx. apply unit_integral_scal, root_sum_affinity. lia.
    + unfold form, dot. apply Sum_ext. intros; ring.
Qed.

Lemma root_sum_nonneg v u : (forall x, (x < S n)%nat -> 0 <= v x) -> 0 <= root_sum v u.
Proof. intros Hv. apply Sum_nonneg. intros x Hx. apply Rmult_le_pos; [auto|apply sqrt_pos]. Qed.

(** A squared distance is one minus an affinity. *)
Lemma affinity_from_distance x g d : (x <= n)%nat -> publishable g -> unit_integral (half_square (post x) g) d ->
  unit_integral (fun u => sqrt (post x u) * sqrt (g u)) (1 - d).
Proof.
  intros Hx [G0 G1] H. destruct (post_density x Hx) as [P0 P1].
  apply (unit_integral_ext (fun u => / 2 * post x u + / 2 * g u + -1 * half_square (post x) g u)).
  - intros u Hu. unfold half_square. assert (A := sqrt_sqrt (post x u) ltac:(left; apply P0)).
    assert (B := sqrt_sqrt (g u) ltac:(apply G0; assumption)). nra.
  - apply unit_integral_value with (/ 2 * 1 + / 2 * 1 + -1 * d); [|field].
    apply (unit_integral_plus (fun u => / 2 * post x u + / 2 * g u) (fun u => -1 * half_square (post x) g u)).
    + apply (unit_integral_plus (fun u => / 2 * post x u) (fun u => / 2 * g u)); apply unit_integral_scal; assumption.
    + apply unit_integral_scal, H.
Qed.

(** By the Cauchy-Schwarz inequality, no density has a larger affinity. *)
Lemma density_below v g (d : nat -> R) : (forall x, (x < S n)%nat -> 0 <= v x) -> publishable g ->
  (forall x, (x < S n)%nat -> unit_integral (half_square (post x) g) (d x)) ->
  Sum (S n) (fun x => v x * (1 - d x)) <= norm (S n) M v.
Proof.
  intros Hv Hg Hd. apply below_root; [apply form_nonneg; auto using posteriors_ordered|]. intros c Hc.
  assert (I : unit_integral (fun u => root_sum v u * sqrt (g u)) (Sum (S n) (fun x => v x * (1 - d x)))).
  { apply (unit_integral_ext (fun u => Sum (S n) (fun x => v x * (sqrt (post x u) * sqrt (g u))))).
    - intros u _. unfold root_sum. rewrite <- Sum_scal_r. apply Sum_ext. intros; ring.
    - apply unit_integral_Sum. intros x Hx. apply unit_integral_scal, affinity_from_distance; [lia|assumption|auto]. }
  destruct Hg as [G0 G1]. rewrite <- (Rmult_1_r c) at 2.
  refine (unit_integral_le _ _ _ _ _ (unit_integral_scal _ 2 _ I)
    (unit_integral_plus _ _ _ _ (unit_integral_scal _ (/ c) _ (root_sum_square v)) (unit_integral_scal _ c _ G1))).
  intros u Hu. simpl. assert (R0 := root_sum_nonneg v u Hv). assert (Q := sqrt_pos (g u)). split.
  - apply Rmult_le_pos; [lra|apply Rmult_le_pos; assumption].
  - assert (W := product_below (root_sum v u) (sqrt (g u)) c Hc). rewrite sqrt_sqrt in W by (apply G0, Hu). lra.
Qed.

(** ** The root mean attains this affinity *)
Definition root_mean (v : nat -> R) (u : R) : R := root_sum v u ^ 2 / form (S n) M v v.

Section Reached.
Variable v : nat -> R.
Variable z : nat.
Hypothesis Hv : forall x, (x < S n)%nat -> 0 <= v x.
Hypothesis Hz : (z <= n)%nat.
Hypothesis Hp : 0 < v z.

Lemma total_pos : 0 < form (S n) M v v.
Proof.
  destruct posteriors_ordered as (_ & P & _).
  apply Rlt_le_trans with (M z z * v z * v z).
  - assert (0 < M z z) by apply exp_pos. repeat apply Rmult_lt_0_compat; assumption.
  - apply Rle_trans with (dot (S n) (M z) v * v z).
    + apply Rmult_le_compat_r; [lra|]. apply (Sum_term (S n) (fun x => M z x * v x)); [|lia].
      intros x Hx. apply Rmult_le_pos; [apply P; lia|auto].
    + apply (Sum_term (S n) (fun x => dot (S n) (M x) v * v x)); [|lia].
      intros x Hx. apply Rmult_le_pos; [|auto]. apply dot_nonneg; [|assumption]. intros; apply P; assumption.
Qed.

Lemma root_mean_publishable : publishable (root_mean v).
Proof.
  assert (W := total_pos). split.
  - intros u _. apply Rmult_le_pos; [apply pow2_ge_0|left; apply Rinv_0_lt_compat, W].
  - apply unit_integral_value with (/ form (S n) M v v * form (S n) M v v); [|field; lra].
    apply (unit_integral_ext (fun u => / form (S n) M v v * root_sum v u ^ 2)); [intros; unfold root_mean, Rdiv; ring|].
    apply unit_integral_scal, root_sum_square.
Qed.

(** The squared distance between the root mean and each posterior. *)
Lemma root_mean_distance x : (x <= n)%nat ->
  unit_integral (half_square (post x) (root_mean v)) (1 - dot (S n) (M x) v / norm (S n) M v).
Proof.
  intros Hx. assert (W := total_pos). destruct (post_density x Hx) as [P0 P1].
  assert (Q : 0 < norm (S n) M v) by (apply sqrt_lt_R0, W).
  destruct root_mean_publishable as [G0 G1].
  apply (unit_integral_ext (fun u => / 2 * post x u + / 2 * root_mean v u +
    - / norm (S n) M v * (sqrt (post x u) * root_sum v u))).
  - intros u Hu. unfold half_square. assert (A := sqrt_sqrt (post x u) ltac:(left; apply P0)).
    assert (B := sqrt_sqrt (root_mean v u) ltac:(apply G0; assumption)).
    assert (E : sqrt (root_mean v u) = root_sum v u * / norm (S n) M v).
    { unfold root_mean. rewrite sqrt_div_alt by assumption. rewrite sqrt_pow2; [reflexivity|apply root_sum_nonneg, Hv]. }
    replace (- / norm (S n) M v * (sqrt (post x u) * root_sum v u)) with
      (- (sqrt (post x u) * (root_sum v u * / norm (S n) M v))) by ring. rewrite <- E. nra.
  - apply unit_integral_value with (/ 2 * 1 + / 2 * 1 + - / norm (S n) M v * dot (S n) (M x) v); [|field; lra].
    apply (unit_integral_plus (fun u => / 2 * post x u + / 2 * root_mean v u)
      (fun u => - / norm (S n) M v * (sqrt (post x u) * root_sum v u))).
    + apply (unit_integral_plus (fun u => / 2 * post x u) (fun u => / 2 * root_mean v u)); apply unit_integral_scal; assumption.
    + apply unit_integral_scal, root_sum_affinity, Hx.
Qed.

Lemma root_mean_reaches :
  Sum (S n) (fun x => v x * (1 - squared_distance (post x) (root_mean v))) = norm (S n) M v.
Proof.
  assert (W := total_pos). assert (Q : 0 < norm (S n) M v) by (apply sqrt_lt_R0, W).
  rewrite (Sum_ext (S n) _ (fun x => dot (S n) (M x) v * v x * / norm (S n) M v)).
  - rewrite Sum_scal_r. fold (dot (S n) (fun x => dot (S n) (M x) v) v). fold (form (S n) M v v).
    unfold norm in *. rewrite <- (sqrt_sqrt (form (S n) M v v)) at 1 by lra. field. lra.
  - intros x Hx. unfold squared_distance. rewrite (unit_integral_unique _ _ (root_mean_distance x ltac:(lia))).
    unfold Rdiv. ring.
Qed.
End Reached.
End Posteriors.

(** No private mechanism, whatever density it publishes, is nearer in the mean than geometric noise followed by root
    means. *)
Theorem root_means_best_beta a b eps n (w : nat -> R) : 0 < a -> 0 < b -> 0 < eps -> (0 < n)%nat ->
  (forall x, (x <= n)%nat -> 0 <= w x) -> (exists x, (x <= n)%nat /\ 0 < w x) ->
  let truth x := posterior a b n (INR x) in
  let geometric x y := geoc (exp (- eps)) n x y in
  let published y := root_mean a b n (fun x => w x * geometric x y) in
  let has_distance f g := exists d, unit_integral (half_square f g) d in
  (forall y, (y <= n)%nat ->
    publishable (published y) /\ forall x, (x <= n)%nat -> has_distance (truth x) (published y)) /\
  forall m (P : nat -> nat -> R) (g : nat -> R -> R), private_finite eps n m P ->
    (forall o, (o <= m)%nat -> publishable (g o) /\ forall x, (x <= n)%nat -> has_distance (truth x) (g o)) ->
    Sum (S n) (fun x => w x * mean (S n) (geometric x) (fun y => squared_distance (truth x) (published y))) <=
    Sum (S n) (fun x => w x * mean (S m) (P x) (fun o => squared_distance (truth x) (g o))).
Proof.
  intros Ha Hb He Hn Hw (z & Hz & Hp) truth geometric published has_distance. assert (Ra := alpha_range eps He).
  assert (G : forall x y, 0 < geometric x y) by (intros; apply geoc_pos, Ra).
  assert (V : forall y x, (x < S n)%nat -> 0 <= w x * geometric x y).
  { intros y x Hx. apply Rmult_le_pos; [apply Hw; lia|left; apply G]. }
  assert (Vz : forall y, 0 < w z * geometric z y) by (intros; apply Rmult_lt_0_compat; [assumption|apply G]).
  split.
  - intros y _. split; [apply (root_mean_publishable a b n Ha Hb _ z); auto|].
    intros x Hx. eexists. apply (root_mean_distance a b n Ha Hb _ z); auto.
  - intros m P g HP Hg.
    apply (best_if_bounded eps n m _ w P (fun x o => squared_distance (truth x) (g o))
      (fun x y => squared_distance (truth x) (published y)) He Hn (posteriors_ordered a b n Ha Hb)); try assumption.
    + intros x Hx. apply Hw. lia.
    + intros o Ho. destruct (Hg o ltac:(lia)) as [Ho1 Ho2].
      apply (density_below a b n Ha Hb (fun x => w x * P x o) (g o)); [|assumption|].
      * intros x Hx. apply Rmult_le_pos; [apply Hw; lia|]. apply HP; [lia|assumption].
      * intros x Hx. destruct (Ho2 x ltac:(lia)) as [d D]. unfold squared_distance.
        rewrite (unit_integral_unique _ _ D). exact D.
    + intros y Hy. apply (root_mean_reaches a b n Ha Hb _ z); auto.
Qed.
