(** * Euler's integral, and the Hellinger distance as an integral

    Proved: the integral of [u^(a-1) (1-u)^(b-1)] from 0 to 1 exists for all positive a and b, and equals the Beta
    function built from the Gamma function of [model.gamma]. The integral is log-convex and satisfies the right
    recursion, so the theorem of Bohr and Mollerup identifies it. It follows that the densities of Beta distributions
    have total mass 1, that the integral over the square root of the product of two such densities is the affinity of
    [model.beta_distance], and that half the integral of the squared difference of their square roots is the squared
    Hellinger distance. So the unimodality of the distance, with its consequences, is proved for the distance between
    two densities.

    Left abstract: nothing. The integrals are Riemann integrals, with limits at both ends. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From DPBI Require Import basics.sums model.gamma model.beta_distance.
Open Scope R_scope.

(** The integral from 0 to 1, defined by limits at both ends. *)
Definition unit_integral (f : R -> R) (l : R) : Prop := is_RInt_gen f (at_right 0) (at_left 1) l.
Definition unit_integral_of (f : R -> R) : R := RInt_gen f (at_right 0) (at_left 1).

Lemma near_zero c : 0 < c -> at_right 0 (fun x => 0 < x < c).
Proof.
  intros H. exists (mkposreal c H). intros y Hy H0. split; [exact H0|].
  unfold ball in Hy; simpl in Hy; unfold AbsRing_ball, abs, minus, plus, opp in Hy; simpl in Hy.
  revert Hy. unfold Rabs; destruct Rcase_abs; lra.
Qed.

Lemma near_one c : c < 1 -> at_left 1 (fun x => c < x < 1).
Proof.
  intros H. assert (P : 0 < 1 - c) by lra. exists (mkposreal (1 - c) P). intros y Hy H0. split; [|exact H0].
  unfold ball in Hy; simpl in Hy; unfold AbsRing_ball, abs, minus, plus, opp in Hy; simpl in Hy.
  revert Hy. unfold Rabs; destruct Rcase_abs; lra.
Qed.

Lemma near_ends p q (P : R * R -> Prop) : 0 < p -> q < 1 -> (forall x y, 0 < x < p -> q < y < 1 -> P (x, y)) ->
  filter_prod (at_right 0) (at_left 1) P.
Proof. intros Hp Hq H. exact (Filter_prod _ _ _ _ _ (near_zero p Hp) (near_one q Hq) H). Qed.

Lemma near_half (P : R * R -> Prop) : (forall x y, 0 < x -> x < y -> y < 1 -> P (x, y)) ->
  filter_prod (at_right 0) (at_left 1) P.
Proof. intros H. apply (near_ends (/ 2) (/ 2)); [lra|lra|]. intros x y Hx Hy. apply H; lra. Qed.

Lemma unit_integral_unique f l : unit_integral f l -> unit_integral_of f = l.
Proof.
  intros H. exact (is_RInt_gen_unique (V := R_CompleteNormedModule) (Fa := at_right 0) (Fb := at_left 1) f l H).
Qed.

Lemma unit_integral_ext f g l : (forall u, 0 < u < 1 -> f u = g u) -> unit_integral f l -> unit_integral g l.
Proof.
  intros H. apply (is_RInt_gen_ext (V := R_NormedModule) (Fa := at_right 0) (Fb := at_left 1) f g l). apply near_half. intros x y Hx Hxy Hy u. simpl.
  rewrite Rmin_left, Rmax_right by lra. intros Hu. apply H. lra.
Qed.

Lemma unit_integral_plus f g l m : unit_integral f l -> unit_integral g m -> unit_integral (fun u => f u + g u) (l + m).
Proof. apply (is_RInt_gen_plus f g). Qed.

Lemma unit_integral_scal f c l : unit_integral f l -> unit_integral (fun u => c * f u) (c * l).
Proof. apply (is_RInt_gen_scal f c). Qed.

Lemma unit_integral_le f g l m : (forall u, 0 < u < 1 -> 0 <= f u <= g u) ->
  unit_integral f l -> unit_integral g m -> l <= m.
Proof.
  intros H Hf Hg. apply Rle_trans with (Rabs l); [apply Rle_abs|].
  apply (RInt_gen_norm (V := R_CompleteNormedModule) (Fa := at_right 0) (Fb := at_left 1) f g l m); [| |exact Hf|exact Hg].
  - apply near_half. simpl. intros. lra.
  - apply near_half. intros x y Hx Hxy Hy u Hu. simpl in Hu. unfold norm; simpl; unfold abs; simpl.
    specialize (H u ltac:(lra)). rewrite Rabs_pos_eq; lra.
Qed.

(** The integral of a function that has an antiderivative with limits at both ends. *)
Lemma unit_integral_derive (F f : R -> R) la lb : (forall u, 0 < u < 1 -> is_derive F u (f u)) ->
  (forall u, 0 < u < 1 -> continuous f u) ->
  filterlim F (at_right 0) (locally la) -> filterlim F (at_left 1) (locally lb) -> unit_integral f (lb - la).
Proof.
  intros HF Hf Ha Hb. unfold unit_integral, is_RInt_gen.
  apply (filterlimi_lim_ext_loc (fun ab => minus (F (snd ab)) (F (fst ab)))).
  - apply near_half. intros x y Hx Hxy Hy. simpl. apply (is_RInt_derive F f); rewrite Rmin_left, Rmax_right by lra;
      intros u Hu; [apply HF|apply Hf]; lra.
  - apply (filterlim_comp_2 (fun ab : R * R => F (snd ab)) (fun ab => opp (F (fst ab))) plus (G := locally lb) (H := locally (opp la))).
    + apply (filterlim_comp _ _ _ snd F _ (at_left 1)); [apply filterlim_snd|exact Hb].
    + apply (filterlim_comp _ _ _ (fun ab : R * R => F (fst ab)) opp _ (locally la)); [|apply (filterlim_opp la)].
      apply (filterlim_comp _ _ _ fst F _ (at_right 0)); [apply filterlim_fst|exact Ha].
    + apply (filterlim_plus lb (opp la)).
Qed.

(** The integral of a continuous, nonnegative function whose integrals over all inner intervals are bounded. *)
Section Bounded.
Variables (f : R -> R) (M : R).
Hypothesis f_continuous : forall u, 0 < u < 1 -> continuous f u.
Hypothesis f_positive : forall u, 0 < u < 1 -> 0 < f u.
Hypothesis f_bounded : forall p q, 0 < p -> p < q -> q < 1 -> RInt f p q <= M.

Lemma inside_integrable p q : 0 < p -> p <= q -> q < 1 -> ex_RInt f p q.
Proof.
  intros Hp Hpq Hq. apply (ex_RInt_continuous f). rewrite Rmin_left, Rmax_right by lra. intros u Hu. apply f_continuous. lra.
Qed.

Lemma inside_nonneg p q : 0 < p -> p <= q -> q < 1 -> 0 <= RInt f p q.
Proof.
  intros Hp Hpq Hq. apply RInt_ge_0; [lra|apply inside_integrable; assumption|]. intros u Hu. left. apply f_positive. lra.
Qed.

Lemma inside_larger p q p' q' : 0 < p' -> p' <= p -> p <= q -> q <= q' -> q' < 1 -> RInt f p q <= RInt f p' q'.
Proof.
  intros H1 H2 H3 H4 H5.
  rewrite <- (RInt_Chasles f p' p q') by (apply inside_integrable; lra).
  rewrite <- (RInt_Chasles f p q q') by (apply inside_integrable; lra). unfold plus; simpl.
  assert (A := inside_nonneg p' p H1 H2 ltac:(lra)). assert (B := inside_nonneg q q' ltac:(lra) H4 H5). lra.
Qed.

Lemma unit_integral_exists : exists l, 0 < l /\ unit_integral f l.
Proof.
  set (E := fun v => exists p q, 0 < p /\ p < q /\ q < 1 /\ v = RInt f p q).
  destruct (completeness E) as [l [U L]].
  - exists M. intros v (p & q & H1 & H2 & H3 & ->). apply f_bounded; assumption.
  - exists (RInt f (/ 4) (/ 2)), (/ 4), (/ 2). repeat split; lra.
  - exists l. split.
    + apply Rlt_le_trans with (RInt f (/ 4) (/ 2)).
      * apply RInt_gt_0; [lra| |]; intros u Hu; [apply f_positive|apply f_continuous]; lra.
      * apply U. exists (/ 4), (/ 2). repeat split; lra.
    + apply (filterlimi_lim_ext_loc (fun ab => RInt f (fst ab) (snd ab))).
      * apply near_half. intros x y Hx Hxy Hy. simpl. apply (RInt_correct f), inside_integrable; lra.
      * apply filterlim_locally. intros eps.
        assert (N : exists p q, 0 < p /\ p < q /\ q < 1 /\ l - eps < RInt f p q).
        { destruct (Classical_Prop.classic (exists p q, 0 < p /\ p < q /\ q < 1 /\ l - eps < RInt f p q)) as [C|C]; [exact C|].
          exfalso. assert (B : is_upper_bound E (l - eps)).
          { intros v (p & q & H1 & H2 & H3 & ->). apply Rnot_lt_le. intros V. apply C. exists p, q. auto. }
          specialize (L _ B). assert (P := cond_pos eps). lra. }
        destruct N as (p & q & H1 & H2 & H3 & H4). apply (near_ends p q); [assumption|assumption|].
        intros x y Hx Hy. simpl. assert (V : RInt f x y <= l) by (apply U; exists x, y; repeat split; lra).
        assert (W := inside_larger p q x y ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)).
        unfold ball; simpl; unfold AbsRing_ball, abs, minus, plus, opp; simpl. unfold Rabs; destruct Rcase_abs; lra.
Qed.
End Bounded.

Lemma unit_integral_value f l m : unit_integral f l -> l = m -> unit_integral f m.
Proof. intros H <-. exact H. Qed.

#[local] Opaque unit_integral unit_integral_of.

(** ** Euler's integral *)
Definition kernel (a b u : R) : R := Rpower u (a - 1) * Rpower (1 - u) (b - 1).
Definition beta (a b : R) : R := unit_integral_of (kernel a b).

Lemma power_derive a u : 0 < u -> is_derive (fun u => Rpower u a) u (a * Rpower u (a - 1)).
Proof. intros H. apply is_derive_Reals, derivable_pt_lim_power, H. Qed.

Lemma power_continuous a u : 0 < u -> continuous (fun u => Rpower u a) u.
Proof. intros H. apply (ex_derive_continuous (fun u => Rpower u a)). eexists. apply power_derive, H. Qed.

Lemma power_derive_mirror a u : u < 1 -> is_derive (fun u => Rpower (1 - u) a) u (- (a * Rpower (1 - u) (a - 1))).
Proof.
  intros H. replace (- (a * Rpower (1 - u) (a - 1))) with (scal (-1) (a * Rpower (1 - u) (a - 1))).
  2:{ unfold scal; simpl; unfold mult; simpl. ring. }
  apply (is_derive_comp (fun v => Rpower v a) (fun u => 1 - u)); [apply power_derive; lra|].
  auto_derive; [trivial|ring].
Qed.

Lemma power_continuous_mirror a u : u < 1 -> continuous (fun u => Rpower (1 - u) a) u.
Proof. intros H. apply (ex_derive_continuous (fun u => Rpower (1 - u) a)). eexists. apply power_derive_mirror, H. Qed.

Lemma kernel_continuous a b u : 0 < u < 1 -> continuous (kernel a b) u.
Proof.
  intros H. apply (continuous_mult (fun u => Rpower u (a - 1)) (fun u => Rpower (1 - u) (b - 1)));
    [apply power_continuous|apply power_continuous_mirror]; lra.
Qed.

Lemma kernel_pos a b u : 0 < kernel a b u.
Proof. apply Rmult_lt_0_compat; apply exp_pos. Qed.

Lemma power_small a u : 0 <= a -> 0 < u <= 1 -> Rpower u a <= 1.
Proof.
  intros Ha Hu. replace 1 with (Rpower 1 a); [apply Rle_Rpower_l; assumption|]. unfold Rpower. rewrite ln_1, Rmult_0_r. apply exp_0.
Qed.

(** A number between 1/2 and 1, raised to an exponent above -1, is at most 2. *)
Lemma power_half b v : 0 < b -> / 2 <= v <= 1 -> Rpower v (b - 1) <= 2.
Proof.
  intros Hb Hv. replace (b - 1) with (b + - (1)) by ring. rewrite Rpower_plus, Rpower_Ropp, Rpower_1 by lra.
  assert (A := power_small b v ltac:(lra) ltac:(lra)). assert (B : / v <= 2).
  { rewrite <- (Rinv_inv 2). apply Rinv_le_contravar; lra. }
  assert (C : 0 < / v) by (apply Rinv_0_lt_compat; lra). assert (D : 0 < Rpower v b) by apply exp_pos. nra.
Qed.

Lemma kernel_below a b u : 0 < a -> 0 < b -> 0 < u < 1 ->
  kernel a b u <= 2 * Rpower u (a - 1) + 2 * Rpower (1 - u) (b - 1).
Proof.
  intros Ha Hb Hu. unfold kernel. assert (A : 0 < Rpower u (a - 1)) by apply exp_pos.
  assert (B : 0 < Rpower (1 - u) (b - 1)) by apply exp_pos. destruct (Rle_lt_dec u (/ 2)) as [L|L].
  - assert (V := power_half b (1 - u) Hb ltac:(lra)). nra.
  - assert (V := power_half a u Ha ltac:(lra)). nra.
Qed.

Lemma kernel_bounded a b p q : 0 < a -> 0 < b -> 0 < p -> p < q -> q < 1 -> RInt (kernel a b) p q <= 2 / a + 2 / b.
Proof.
  intros Ha Hb Hp Hpq Hq. set (F := fun u => 2 / a * Rpower u a + - (2 / b) * Rpower (1 - u) b).
  set (f := fun u => 2 * Rpower u (a - 1) + 2 * Rpower (1 - u) (b - 1)).
  assert (I : is_RInt f p q (F q - F p)).
  { apply (is_RInt_derive F f); rewrite Rmin_left, Rmax_right by lra; intros u Hu.
    - replace (f u) with (plus (scal (2 / a) (a * Rpower u (a - 1))) (scal (- (2 / b)) (- (b * Rpower (1 - u) (b - 1))))).
      2:{ unfold f, plus, scal; simpl; unfold mult; simpl. field. lra. }
      apply (is_derive_plus (fun u => 2 / a * Rpower u a) (fun u => - (2 / b) * Rpower (1 - u) b)).
      + apply (is_derive_scal (fun u => Rpower u a)), power_derive; lra.
      + apply (is_derive_scal (fun u => Rpower (1 - u) b)), power_derive_mirror; lra.
    - apply (continuous_plus (fun u => 2 * Rpower u (a - 1)) (fun u => 2 * Rpower (1 - u) (b - 1))).
      + apply (continuous_scal_r 2 (fun u => Rpower u (a - 1))), power_continuous; lra.
      + apply (continuous_scal_r 2 (fun u => Rpower (1 - u) (b - 1))), power_continuous_mirror; lra. }
  apply Rle_trans with (RInt f p q).
  - apply RInt_le; [lra| |exists (F q - F p); exact I|intros u Hu; apply kernel_below; lra].
    apply (inside_integrable (kernel a b)); [|lra..]. intros; apply kernel_continuous; assumption.
  - rewrite (is_RInt_unique _ _ _ _ I). unfold F.
    assert (A1 := power_small a q ltac:(lra) ltac:(lra)). assert (A2 : 0 < Rpower p a) by apply exp_pos.
    assert (B1 := power_small b (1 - p) ltac:(lra) ltac:(lra)). assert (B2 : 0 < Rpower (1 - q) b) by apply exp_pos.
    assert (Ia : 0 < 2 / a) by (apply Rdiv_lt_0_compat; lra). assert (Ib : 0 < 2 / b) by (apply Rdiv_lt_0_compat; lra). nra.
Qed.

Theorem beta_exists a b : 0 < a -> 0 < b -> 0 < beta a b /\ unit_integral (kernel a b) (beta a b).
Proof.
  intros Ha Hb. destruct (unit_integral_exists (kernel a b) (2 / a + 2 / b)) as (l & L & I).
  - intros; apply kernel_continuous; assumption.
  - intros; apply kernel_pos.
  - intros; apply kernel_bounded; assumption.
  - unfold beta. rewrite (unit_integral_unique _ _ I). auto.
Qed.

(** *** The limits at the ends *)
Lemma power_limit a : 0 < a -> filterlim (fun u => Rpower u a) (at_right 0) (locally 0).
Proof.
  intros Ha. apply (filterlim_comp _ _ _ (fun u => a * ln u) exp _ (Rbar_locally m_infty)).
  - apply (filterlim_comp _ _ _ ln (Rmult a) _ (Rbar_locally m_infty)); [apply is_lim_ln_0|].
    intros P [m Hm]. exists (m / a). intros x Hx. apply Hm. apply Rmult_lt_compat_l with (r := a) in Hx; [|assumption].
    replace (a * (m / a)) with m in Hx by (field; lra). exact Hx.
  - exact is_lim_exp_m.
Qed.

Lemma mirror_right : filterlim (fun u => 1 - u) (at_left 1) (at_right 0).
Proof.
  intros P [d Hd]. exists d. intros y Hy H1. apply Hd; [|lra]. revert Hy.
  unfold ball; simpl; unfold AbsRing_ball, abs, minus, plus, opp; simpl. unfold Rabs; repeat destruct Rcase_abs; lra.
Qed.

Lemma power_limit_mirror a : 0 < a -> filterlim (fun u => Rpower (1 - u) a) (at_left 1) (locally 0).
Proof.
  intros Ha. apply (filterlim_comp _ _ _ (fun u => 1 - u) (fun v => Rpower v a) _ (at_right 0));
    [apply mirror_right|apply power_limit, Ha].
Qed.

Lemma power_one a : Rpower 1 a = 1.
Proof. unfold Rpower. rewrite ln_1, Rmult_0_r. apply exp_0. Qed.

Lemma power_at_one a : filterlim (fun u => Rpower u a) (at_left 1) (locally 1).
Proof.
  assert (C := power_continuous a 1 ltac:(lra)). unfold continuous in C. rewrite power_one in C.
  exact (filterlim_filter_le_1 _ (filter_le_within _) C).
Qed.

Lemma power_at_zero_mirror a : filterlim (fun u => Rpower (1 - u) a) (at_right 0) (locally 1).
Proof.
  assert (C := power_continuous_mirror a 0 ltac:(lra)). unfold continuous in C. rewrite Rminus_0_r, power_one in C.
  exact (filterlim_filter_le_1 _ (filter_le_within _) C).
Qed.

Lemma limit_mult (F : (R -> Prop) -> Prop) {FF : Filter F} f g l m : filterlim f F (locally l) -> filterlim g F (locally m) ->
  filterlim (fun u => f u * g u) F (locally (l * m)).
Proof. intros Hf Hg. exact (filterlim_comp_2 f g Rmult Hf Hg (filterlim_mult l m)). Qed.

(** *** Its recursion and its value at 1 *)
Lemma beta_split a b : 0 < a -> 0 < b -> beta a b = beta (a + 1) b + beta a (b + 1).
Proof.
  intros Ha Hb. apply unit_integral_unique.
  destruct (beta_exists (a + 1) b ltac:(lra) Hb) as [_ A]. destruct (beta_exists a (b + 1) Ha ltac:(lra)) as [_ B].
  apply (unit_integral_ext (fun u => kernel (a + 1) b u + kernel a (b + 1) u)); [|apply unit_integral_plus; assumption].
  intros u Hu. unfold kernel. replace (a + 1 - 1) with (a - 1 + 1) by ring. replace (b + 1 - 1) with (b - 1 + 1) by ring.
  rewrite !Rpower_plus, !Rpower_1 by lra. ring.
Qed.

Lemma beta_parts a b : 0 < a -> 0 < b -> a * beta a (b + 1) = b * beta (a + 1) b.
Proof.
  intros Ha Hb. destruct (beta_exists (a + 1) b ltac:(lra) Hb) as [_ A]. destruct (beta_exists a (b + 1) Ha ltac:(lra)) as [_ B].
  assert (I : unit_integral (fun u => a * kernel a (b + 1) u + - b * kernel (a + 1) b u) (1 * 0 - 0 * 1)).
  { apply (unit_integral_derive (fun u => Rpower u a * Rpower (1 - u) b)).
    - intros u Hu. unfold kernel. replace (a + 1 - 1) with a by ring. replace (b + 1 - 1) with b by ring.
      replace (a * (Rpower u (a - 1) * Rpower (1 - u) b) + - b * (Rpower u a * Rpower (1 - u) (b - 1)))
        with (a * Rpower u (a - 1) * Rpower (1 - u) b + Rpower u a * - (b * Rpower (1 - u) (b - 1))) by ring.
      apply (is_derive_mult (fun u => Rpower u a) (fun u => Rpower (1 - u) b)); [apply power_derive; lra|
        apply power_derive_mirror; lra|]. intros; apply Rmult_comm.
    - intros u Hu. apply (continuous_plus (fun u => a * kernel a (b + 1) u) (fun u => - b * kernel (a + 1) b u)).
      + apply (continuous_scal_r a (kernel a (b + 1))), kernel_continuous, Hu.
      + apply (continuous_scal_r (- b) (kernel (a + 1) b)), kernel_continuous, Hu.
    - apply limit_mult; [apply within_filter, locally_filter|
        apply power_limit, Ha|apply power_at_zero_mirror].
    - apply limit_mult; [apply within_filter, locally_filter|
        apply power_at_one|apply power_limit_mirror, Hb]. }
  assert (J := unit_integral_plus _ _ _ _ (unit_integral_scal _ a _ B) (unit_integral_scal _ (- b) _ A)).
  apply unit_integral_unique in I. rewrite (unit_integral_unique _ _ J) in I. lra.
Qed.

Theorem beta_next a b : 0 < a -> 0 < b -> beta (a + 1) b = beta a b * (a / (a + b)).
Proof.
  intros Ha Hb. rewrite (beta_split a b Ha Hb). assert (P := beta_parts a b Ha Hb).
  apply Rmult_eq_reg_l with (a + b); [|lra]. field_simplify; lra.
Qed.

Theorem beta_one b : 0 < b -> beta 1 b = / b.
Proof.
  intros Hb. apply unit_integral_unique.
  apply unit_integral_value with (- / b * 0 - - / b * 1); [|ring].
  apply (unit_integral_derive (fun u => - / b * Rpower (1 - u) b)).
  - intros u Hu. replace (kernel 1 b u) with (- / b * - (b * Rpower (1 - u) (b - 1))).
    2:{ unfold kernel. rewrite Rminus_eq_0, Rpower_O by lra. field. lra. }
    apply (is_derive_scal (fun u => Rpower (1 - u) b)), power_derive_mirror. lra.
  - intros; apply kernel_continuous; assumption.
  - apply limit_mult; [apply within_filter, locally_filter|apply filterlim_const|apply power_at_zero_mirror].
  - apply limit_mult; [apply within_filter, locally_filter|apply filterlim_const|apply power_limit_mirror, Hb].
Qed.

(** *** Log-convexity: Hölder's inequality, by the concavity of the logarithm *)
Lemma geometric_mean x y s : 0 < x -> 0 < y -> 0 <= s <= 1 -> exp ((1 - s) * ln x + s * ln y) <= (1 - s) * x + s * y.
Proof.
  intros Hx Hy Hs. assert (P : 0 < (1 - s) * x + s * y) by nra. rewrite <- (exp_ln ((1 - s) * x + s * y)) by assumption.
  assert (W := ln_concave x y s Hx Hy Hs). destruct W as [W|W]; [left; apply exp_increasing; exact W|rewrite W; lra].
Qed.

Theorem beta_log_convex a a' b s : 0 < a -> 0 < a' -> 0 < b -> 0 <= s <= 1 ->
  ln (beta ((1 - s) * a + s * a') b) <= (1 - s) * ln (beta a b) + s * ln (beta a' b).
Proof.
  intros Ha Ha' Hb Hs. assert (Hm : 0 < (1 - s) * a + s * a') by nra.
  destruct (beta_exists _ b Hm Hb) as [PM IM]. destruct (beta_exists a b Ha Hb) as [P I].
  destruct (beta_exists a' b Ha' Hb) as [P' I']. set (G := exp ((1 - s) * ln (beta a b) + s * ln (beta a' b))).
  assert (PG : 0 < G) by apply exp_pos. rewrite <- (ln_exp ((1 - s) * ln (beta a b) + s * ln (beta a' b))). fold G. apply ln_le; [assumption|].
  apply Rmult_le_reg_l with (/ G); [apply Rinv_0_lt_compat, PG|]. rewrite Rinv_l by lra.
  apply Rle_trans with ((1 - s) * / beta a b * beta a b + s * / beta a' b * beta a' b); [|right; field; lra].
  assert (J := unit_integral_plus _ _ _ _ (unit_integral_scal _ ((1 - s) * / beta a b) _ I)
    (unit_integral_scal _ (s * / beta a' b) _ I')).
  refine (unit_integral_le _ _ _ _ _ (unit_integral_scal _ (/ G) _ IM) J). intros u Hu. split.
  - apply Rmult_le_pos; [left; apply Rinv_0_lt_compat, PG|left; apply kernel_pos].
  - assert (K : 0 < kernel a b u / beta a b) by (apply Rdiv_lt_0_compat; [apply kernel_pos|assumption]).
    assert (K' : 0 < kernel a' b u / beta a' b) by (apply Rdiv_lt_0_compat; [apply kernel_pos|assumption]).
    assert (W := geometric_mean _ _ s K K' Hs). rewrite !ln_div in W by (assumption || apply kernel_pos).
    assert (E : / G * kernel ((1 - s) * a + s * a') b u =
      exp ((1 - s) * (ln (kernel a b u) - ln (beta a b)) + s * (ln (kernel a' b u) - ln (beta a' b)))).
    { unfold G, kernel, Rpower. rewrite <- exp_Ropp, <- !exp_plus, !ln_exp. f_equal. ring. }
    rewrite E. unfold Rdiv in W. lra.
Qed.

(** ** The integral is the Beta function *)
Theorem beta_gamma a b : 0 < a -> 0 < b -> beta a b = exp (ln_beta a b).
Proof.
  intros Ha Hb. destruct (beta_exists a b Ha Hb) as [P _].
  assert (U : ln (beta a b) + ln_gamma (a + b) - ln_gamma b = ln_gamma a).
  { apply (ln_gamma_unique (fun a => ln (beta a b) + ln_gamma (a + b) - ln_gamma b)); [| | |assumption].
    - rewrite beta_one, ln_Rinv, (Rplus_comm 1), ln_gamma_next by assumption. ring.
    - intros x Hx. destruct (beta_exists x b Hx Hb) as [Px _]. replace (x + 1 + b) with (x + b + 1) by ring.
      rewrite beta_next, ln_gamma_next, ln_mult, ln_div by (try apply Rdiv_lt_0_compat; lra). ring.
    - intros x y s Hx Hy Hs. assert (A := beta_log_convex x y b s Hx Hy Hb Hs).
      assert (B := ln_gamma_convex (x + b) (y + b) s ltac:(lra) ltac:(lra) Hs).
      replace ((1 - s) * (x + b) + s * (y + b)) with ((1 - s) * x + s * y + b) in B by ring. lra. }
  unfold ln_beta. rewrite <- U. replace (ln (beta a b) + ln_gamma (a + b) - ln_gamma b + ln_gamma b - ln_gamma (a + b))
    with (ln (beta a b)) by ring. symmetry. apply exp_ln, P.
Qed.

(** ** Densities and their distance *)
Definition density (a b u : R) : R := kernel a b u / beta a b.

Lemma density_pos a b u : 0 < a -> 0 < b -> 0 < density a b u.
Proof. intros Ha Hb. apply Rdiv_lt_0_compat; [apply kernel_pos|apply beta_exists; assumption]. Qed.

Theorem density_total a b : 0 < a -> 0 < b -> unit_integral (density a b) 1.
Proof.
  intros Ha Hb. destruct (beta_exists a b Ha Hb) as [P I].
  apply unit_integral_value with (/ beta a b * beta a b); [|field; lra].
  apply (unit_integral_ext (fun u => / beta a b * kernel a b u)); [|apply unit_integral_scal, I].
  intros u _. unfold density, Rdiv. ring.
Qed.

Section Pair.
Variables (a b a' b' : R).
Hypothesis Ha : 0 < a.
Hypothesis Hb : 0 < b.
Hypothesis Ha' : 0 < a'.
Hypothesis Hb' : 0 < b'.

Lemma root_of_two u : 0 < u < 1 -> sqrt (density a b u * density a' b' u) =
  / sqrt (beta a b * beta a' b') * kernel ((a + a') / 2) ((b + b') / 2) u.
Proof.
  intros Hu. destruct (beta_exists a b Ha Hb) as [P _]. destruct (beta_exists a' b' Ha' Hb') as [P' _].
  assert (K : kernel a b u * kernel a' b' u =
    kernel ((a + a') / 2) ((b + b') / 2) u * kernel ((a + a') / 2) ((b + b') / 2) u).
  { unfold kernel, Rpower. rewrite <- !exp_plus. f_equal. field. }
  unfold density. replace (kernel a b u / beta a b * (kernel a' b' u / beta a' b'))
    with (kernel a b u * kernel a' b' u / (beta a b * beta a' b')) by (field; lra).
  rewrite sqrt_div_alt by nra. rewrite K, sqrt_square by (left; apply kernel_pos). unfold Rdiv. ring.
Qed.

(** The affinity is the integral over the square root of the product of two densities. *)
Theorem affinity_integral : unit_integral (fun u => sqrt (density a b u * density a' b' u)) (affinity a b a' b').
Proof.
  rewrite affinity_beta, <- !beta_gamma by lra. destruct (beta_exists ((a + a') / 2) ((b + b') / 2)) as [_ I]; [lra|lra|].
  apply unit_integral_value with (/ sqrt (beta a b * beta a' b') * beta ((a + a') / 2) ((b + b') / 2)); [|apply Rmult_comm].
  apply (unit_integral_ext (fun u => / sqrt (beta a b * beta a' b') * kernel ((a + a') / 2) ((b + b') / 2) u)).
  - intros u Hu. symmetry. apply root_of_two, Hu.
  - exact (unit_integral_scal _ _ _ I).
Qed.

Theorem root_differences :
  unit_integral (fun u => / 2 * (sqrt (density a b u) - sqrt (density a' b' u)) ^ 2) (1 - affinity a b a' b').
Proof.
  apply unit_integral_value with (/ 2 * 1 + / 2 * 1 + -1 * affinity a b a' b'); [|field].
  apply (unit_integral_ext (fun u => / 2 * density a b u + / 2 * density a' b' u +
    -1 * sqrt (density a b u * density a' b' u))).
  - intros u _. assert (A := density_pos a b u Ha Hb). assert (B := density_pos a' b' u Ha' Hb').
    rewrite sqrt_mult by lra. rewrite <- (sqrt_sqrt (density a b u)) at 1 by lra.
    rewrite <- (sqrt_sqrt (density a' b' u)) at 1 by lra. field.
  - apply (unit_integral_plus (fun u => / 2 * density a b u + / 2 * density a' b' u)
      (fun u => -1 * sqrt (density a b u * density a' b' u))).
    + apply (unit_integral_plus (fun u => / 2 * density a b u) (fun u => / 2 * density a' b' u));
        apply unit_integral_scal, density_total; assumption.
    + apply (unit_integral_scal (fun u => sqrt (density a b u * density a' b' u))), affinity_integral.
Qed.

Theorem hellinger_squared :
  unit_integral (fun u => / 2 * (sqrt (density a b u) - sqrt (density a' b' u)) ^ 2) (hellinger a b a' b' ^ 2).
Proof.
  assert (R := root_differences). unfold hellinger. rewrite pow2_sqrt; [exact R|].
  apply (unit_integral_le (fun _ => 0) (fun u => / 2 * (sqrt (density a b u) - sqrt (density a' b' u)) ^ 2)); [| |exact R].
  - intros u _. assert (W := pow2_ge_0 (sqrt (density a b u) - sqrt (density a' b' u))). lra.
  - apply unit_integral_value with (0 * 1); [|ring]. apply (unit_integral_ext (fun u => 0 * density a b u)); [intros; ring|].
    apply unit_integral_scal, density_total; assumption.
Qed.

(** The Hellinger distance between two Beta distributions, computed from their densities. *)
Theorem hellinger_integral :
  hellinger a b a' b' = sqrt (/ 2 * unit_integral_of (fun u => (sqrt (density a b u) - sqrt (density a' b' u)) ^ 2)).
Proof.
  assert (R := unit_integral_scal _ 2 _ root_differences).
  apply (unit_integral_ext _ (fun u => (sqrt (density a b u) - sqrt (density a' b' u)) ^ 2)) in R; [|intros; field].
  rewrite (unit_integral_unique _ _ R). unfold hellinger. f_equal. field.
Qed.
End Pair.

(** ** Posteriors of counts *)
Section Posteriors.
Variables (a b : R) (n : nat).
Hypothesis Ha : 0 < a.
Hypothesis Hb : 0 < b.

(** The density of the posterior if x of n records are in the first category, and the distance between two densities. *)
Definition posterior (x u : R) : R := density (a + x) (b + (INR n - x)) u.
Definition posterior_distance (x r : R) : R :=
  sqrt (/ 2 * unit_integral_of (fun u => (sqrt (posterior x u) - sqrt (posterior r u)) ^ 2)).

Lemma posterior_distance_is x r : 0 <= x <= INR n -> 0 <= r <= INR n -> posterior_distance x r = distance a b n x r.
Proof. intros Hx Hr. symmetry. apply hellinger_integral; lra. Qed.

Lemma steps_range x : (x <= n)%nat -> 0 <= INR x <= INR n.
Proof. intros H. split; [apply pos_INR|apply le_INR, H]. Qed.

(** The distance between the densities is unimodal, as printed on the page on optimality. *)
Theorem unimodal x r : (x <= n)%nat ->
  ((x <= r)%nat -> (r + 1 <= n)%nat -> posterior_distance (INR x) (INR (r + 1)) > posterior_distance (INR x) (INR r)) /\
  ((1 <= r <= x)%nat -> posterior_distance (INR x) (INR (r - 1)) > posterior_distance (INR x) (INR r)).
Proof.
  intros Hx. destruct (unimodal_steps a b n Ha Hb x r Hx) as [U D]. split; intros.
  - rewrite !posterior_distance_is by (apply steps_range; lia). apply U; assumption.
  - rewrite !posterior_distance_is by (apply steps_range; lia). apply D; assumption.
Qed.

(** The candidates nearer than t form an interval around x. *)
Theorem reach x t : (x <= n)%nat -> 0 < t -> exists down up, (down <= x)%nat /\ (x + up <= n)%nat /\
  forall r, (r <= n)%nat -> (posterior_distance (INR x) (INR r) < t <-> (x - down <= r <= x + up)%nat).
Proof.
  intros Hx Ht. destruct (reach_exists a b n Ha Hb x t Hx Ht) as (down & up & D & U & W). exists down, up.
  split; [assumption|]. split; [assumption|]. intros r Hr. rewrite posterior_distance_is by (apply steps_range; assumption).
  apply W, Hr.
Qed.
End Posteriors.
