r"""Section 5.1: exponential and Laplace families with a trimmed exponential prior, Lemmas 19 and 20.

The prior is on \([c_1, c_2]\), with the rate \(\lambda\).
"""

from ... import posterior_sampling as ps
from ...arithmetic import exp, largest, less, log, number, remembered, smallest, sqrt, tanh
from ...posterior_sampling import conjugate_constants as constants
from .. import at_least, at_most, rows, statement

EDGES = rows("lam c1 c2", (2.0, 0.5, 2.0), (1.0, 0.5, 5.0), (10.0, 0.1, 0.11))
LEVELS = [{**case, "L": case["c1"] + share * (case["c2"] - case["c1"])} for case in EDGES for share in (0.001, 0.9)]

BOUNDED = rows("lam c1 c2 B", (2.0, 0.5, 2.0, 1.0), (1.0, 0.5, 5.0, 3.0), (10.0, 0.1, 0.11, 1.0))

NARROW = {"lam": 0.0001, "c1": 10_000, "c2": 30_000, "B": 0.0000333}
"""Records whose largest distance is far smaller than the square root of it."""

CERTAIN = {"lam": 1000.0, "c1": 0.5, "c2": 1.0, "B": 0.001}
"""A prior with nearly all its mass at the lower end, and records that say nearly nothing."""

FLAT = {"lam": 0.1, "c1": 0.5, "c2": 0.55}
"""A prior that is nearly uniform on a short interval."""


def above_least_record(B, mu) -> bool:
    """Whether the location is above the least record, -B."""
    return bool(less(-B, mu))


@statement(
    "posterior-sampling/lemma-19",
    "Lemma 19, Assumption 2",
    says=r"$\xi(\Theta_L) \ge 1 - e^{-\lambda(L - c_1)}$, $\ell(\theta) = \theta$",
    holds=r"$\xi(\Theta_L) \ge 1 - e^{-c(L - c_1)}$, that is $\frac{-\ln(1 - \xi(\Theta_L))}{L - c_1} \ge c$, for $c = \frac{\lambda}{1 - e^{-\lambda(c_2 - c_1)}}$, the best rate at $L_0 = c_1$",
    cases=LEVELS,
)
def lemma_19(lam, c1, c2, L):
    r"""The sides are the masses outside.

    Proof: let \(a = e^{-\lambda(L - c_1)}\) and \(b = e^{-\lambda(c_2 - c_1)} \le a\). The mass outside \(\Theta_L\) is
    \(\frac{a - b}{1 - b}\), which is at most a.
    """
    outside = 1 - ps.lipschitz_mass(ps.exponential(), ps.trimmed_exponential(lam, c1, c2), L)
    return outside, at_most(exp(-lam * (L - c1)))


# In doubles, one less the mass inside loses its digits if that mass is nearly one:
@lemma_19.instead(
    given=(
        r"$\lambda (L - c_1) \le 12$, beyond which doubles have no digits left",
        lambda lam, c1, L: not less(number(12), lam * (L - c1)),
    )
)
def lemma_19_rate(lam, c1, c2, L):
    r"""The rate is reached as \(L \to c_1\).

    Proof: the function \(-\ln(1 - \xi(\Theta_L))\) is the integral of the hazard rate
    \(\lambda/(1 - e^{-\lambda(c_2 - L)})\), which increases. So it is convex in L, and above its tangent at \(c_1\).
    """
    outside, _ = lemma_19.body(lam, c1, c2, L)
    return -log(outside) / (L - c1), at_least(lam / (1 - exp(-lam * (c2 - c1))))


def printed_ratio(c1, c2, B):
    r"""\(c_2 / \min\{c_1 e^{-c_1 B}, c_2 e^{-c_2 B}\}\)."""
    return constants.exponential_constants(ps.trimmed_exponential(1, c1, c2), B).ratio


@statement(
    "posterior-sampling/lemma-19-ratio",
    "Lemma 19, C",
    says=r"$C \le \frac{c_2}{\min\{c_1 e^{-c_1 B}, c_2 e^{-c_2 B}\}}$",
    cases=[*BOUNDED, CERTAIN, {**FLAT, "B": 200.0}],
)
def lemma_19_ratio(lam, c1, c2, B):
    r"""The paper prints an equality. The bound is far from sharp: at \(\lambda = 1\), [0.5, 5] and B = 3 it is 3.27
    million, and C is 3.45. It is sharp for a prior near \(c_1\) and records near zero. The exponentials are needed: on
    [0.5, 0.55] \(\frac{c_2}{c_1}\) is 1.1, and at \(\lambda = 0.1\) and B = 200 C is 9.88. The exact side is the largest
    C(x) of one record on a grid of 41 points of [0, B].

    Proof: the likelihood is at most \(c_2\). The marginal \(\phi\) is at least the least likelihood, which is at an end
    because \(\theta e^{-\theta x}\) rises and then falls.
    """
    family, prior = ps.exponential(B), ps.trimmed_exponential(lam, c1, c2)
    records = (*(B * i / 40 for i in range(40)), B)
    found = largest([ps.likelihood_ratio(family, prior, [x]) for x in records])
    return found, at_most(printed_ratio(c1, c2, B))


APART = [{**case, "x": 0.0, "y": case["B"]} for case in (*BOUNDED, NARROW)]


def variation(family: ps.Family, lam, c1, c2, x, y):
    """The total variation between the posteriors of one record, x or y."""
    prior = ps.trimmed_exponential(lam, c1, c2)
    return ps.total_variation(ps.posterior(family, prior, [x]), ps.posterior(family, prior, [y]))


def printed_delta(C, lam, c1):
    r"""\(\delta = \sqrt{\frac12 C (1 + 2c_1 + 1/\lambda)}\)."""
    return constants.Constants(c1, lam, C).delta()


@remembered
def exponential_sides(lam, c1, c2, B, x, y):
    r"""Total variation for the exponential family, and the printed \(\delta\)."""
    return variation(ps.exponential(B), lam, c1, c2, x, y), printed_delta(printed_ratio(c1, c2, B), lam, c1)


@statement(
    "posterior-sampling/lemma-19-delta",
    "Lemma 19, privacy",
    says=r"$(0, \delta)$-DP under $\rho$: $TV \le \delta\rho$, $\delta = \sqrt{\tfrac12 C (1 + 2c_1 + 1/\lambda)}$",
    holds=r"$TV \le \tanh\frac{(c_2 - c_1)\rho}{4}$: $(0, \tfrac{c_2 - c_1}{4})$-DP under $\rho$",
    why=r"Theorem 8 is under \(\sqrt\rho\), and a distance below one is smaller than its root",
    cases=APART,
)
def lemma_19_delta(lam, c1, c2, B, x, y):
    r"""Take \(\lambda = 10^{-4}\), parameters from 10,000 to 30,000, and the records 0 and 0.0000333. Then the total
    variation is 0.0771, and \(\delta\rho\) is 0.00834.

    Proof of what holds: up to a constant the log likelihoods of two records differ by \(\theta(y - x)\). So the log
    ratio ranges over \(w = (c_2 - c_1)\rho\), and the total variation is at most \(\tanh\frac w4\), as in
    what holds beside ``posterior-sampling/theorem-8.1``. Neither C nor \(\lambda\) is needed. For small w these priors leave a
    factor of two, because they are nearly uniform, while extreme laws have their mass at the ends. For large w both
    sides are nearly one.
    """
    found, delta = exponential_sides(lam, c1, c2, B, x, y)
    return found, at_most(delta * abs(x - y)), at_most(tanh((c2 - c1) * abs(x - y) / 4))


@statement(
    "posterior-sampling/lemma-19-delta-root",
    "Lemma 19, privacy",
    says=r"$(0, \delta)$-DP under $\sqrt\rho$: $TV \le \delta\sqrt\rho$",
    reading=r"the lemma means \(\sqrt\rho\), as Theorem 8 does",
    cases=APART,
)
def lemma_19_delta_root(lam, c1, c2, B, x, y):
    r"""Part 2 of Theorem 8 is printed for c > 1, so here for \(\lambda > 1\), but it holds for every \(\lambda > 0\). The
    bound rarely says anything: at \(\lambda = 2\), [0.5, 2] and B = 1 it is 3.04. For \(\lambda = 10\) on [0.1, 0.11] it
    is 0.889, and the exact total variation 0.00125. It is more than a factor \(\sqrt2\) too large, because
    \(c_1 + 1/\lambda\) is less than \(1 + 2c_1 + 1/\lambda\).

    Proof: \(TV \le \frac12\sqrt{C\,\mathbb E_\xi\ell\,\rho}\) holds in place of ``posterior-sampling/theorem-8.2``, and
    \(\mathbb E_\xi\ell \le c_1 + 1/\lambda\).
    """
    found, delta = exponential_sides(lam, c1, c2, B, x, y)
    return found, at_most(delta * sqrt(number(ps.exponential(B).distance([x], [y]))))


@statement(
    "posterior-sampling/lemma-19-delta-classical",
    "Lemma 19, privacy",
    says=r"$x, y \in [0, 1]$ implies $TV \le \delta$",
    cases=[case for case in APART if case["B"] <= 1],
    given=(r"$x, y \in [0, 1]$", lambda x, y: not less(1, largest([x, y]))),
)
def lemma_19_delta_classical(lam, c1, c2, B, x, y):
    r"""As \(C \ge 1\), \(\delta\) is always above \(1/\sqrt 2\), so it never says much. Like the bound under
    \(\sqrt\rho\) it is more than a factor \(\sqrt2\) too large.

    Proof: for such records \(\rho \le 1\), so the bound under \(\sqrt\rho\) is at most \(\delta\).
    """
    found, delta = exponential_sides(lam, c1, c2, B, x, y)
    return found, at_most(delta)


TWO_SIDED = rows("lam c1 c2 B mu", (1.0, 0.1, 0.5, 0.05, 0.0), (1.0, 0.5, 0.9, 0.2, 0.0), (1.0, 0.5, 2.0, 1.0, 0.4))

DISTANT = [*TWO_SIDED, {**CERTAIN, "mu": 0.0}, {**FLAT, "B": 1.0, "mu": 200.0}]


@statement(
    "posterior-sampling/lemma-20",
    "Lemma 20, Assumption 2",
    says=r"$\xi(\Theta_L) \ge 1 - e^{-\lambda(L - c_1)}$, $\ell(1/s) = 1/s$",
    cases=[{**case, "mu": 0.3, "B": 2.0} for case in LEVELS],
)
def lemma_20(lam, c1, c2, L, mu, B):
    r"""The sides are the masses outside, for the inverse scale 1/s.

    Proof: by the triangle inequality \(\bigl||x - \mu| - |y - \mu|\bigr| \le |x - y|\), with equality if both are on one
    side of \(\mu\). So the Lipschitz constant is the inverse scale, and the rest is Lemma 19.
    """
    outside = 1 - ps.lipschitz_mass(ps.laplace(mu, B), ps.trimmed_exponential(lam, c1, c2), L)
    return outside, at_most(exp(-lam * (L - c1)))


@remembered
def ratio_from(lam, c1, c2, B, mu, end):
    r"""The largest C(x) of one record on a grid of 41 points from the end to \(\mu\), or as near to it as records go."""
    family, prior, other = ps.laplace(mu, B), ps.trimmed_exponential(lam, c1, c2), smallest([mu, number(B)])
    records = (*(end + (other - end) * i / 40 for i in range(40)), other)
    return largest([ps.likelihood_ratio(family, prior, [x]) for x in records])


@statement(
    "posterior-sampling/lemma-20-ratio",
    "Lemma 20, C",
    says=r"$x \ge \mu$: $C \le \frac{c_2}{2 \min\{\frac{1}{2c_2}, \frac{1}{2c_1} \exp(\frac{\mu - B}{c_1})\}}$",
    holds=r"$C \le \frac{c_2}{\min\{c_1 e^{-c_1 D}, c_2 e^{-c_2 D}\}}$, $D = B + |\mu|$",
    why="the numerator takes the ends of the interval for inverse scales, and the denominator takes them for scales",
    cases=TWO_SIDED,
    given=(r"$\mu > -B$", above_least_record),
)
def lemma_20_ratio(lam, c1, c2, B, mu):
    r"""At \(\lambda = 1\), [0.1, 0.5] and B = 0.05 the bound is 0.25, but C is never below one. The exact side is the
    largest C(x) on a grid of \([\mu, B]\).
    """
    printed = constants.laplace_constants(ps.trimmed_exponential(lam, c1, c2), B, mu).ratio
    return ratio_from(lam, c1, c2, B, mu, B), at_most(printed)


@lemma_20_ratio.instead(cases=DISTANT, given=(r"$\mu > -B$", above_least_record))
def lemma_20_ratio_either_side(lam, c1, c2, B, mu):
    r"""With B in place of D it would be wrong: at \(\lambda = 0.1\), \(\mu = 200\) and B = 1 on [0.5, 0.55] the bound
    would be 1.81, and C is 9.93. The exact side is the largest C(x) on a grid of \([-B, \mu]\).

    Proof: the density \(\frac\theta2 e^{-\theta|x - \mu|}\) is half the exponential density of \(|x - \mu| \le D\). The
    half cancels, and the bound is that of Lemma 19 with D for B.
    """
    return ratio_from(lam, c1, c2, B, mu, -B), at_most(
        constants.laplace_ratio(ps.trimmed_exponential(lam, c1, c2), B, mu)
    )


@statement(
    "posterior-sampling/lemma-20-ratio-below",
    "Lemma 20, C",
    says=r"$x < \mu$: $C \le \frac{c_2}{2 \min\{\frac{1}{2c_2}, \frac{1}{2c_1} \exp(\frac{-B - \mu}{c_1})\}}$",
    holds=r"$x < \mu$: $C \le \frac{c_2}{\min\{c_1 e^{-c_1 D}, c_2 e^{-c_2 D}\}}$, $D = B + \mu$",
    why="the other branch has the same slip of units",
    cases=DISTANT,
    given=(r"$\mu > -B$", above_least_record),
)
def lemma_20_ratio_below(lam, c1, c2, B, mu):
    r"""At \(\lambda = 1\), [0.1, 0.5], B = 0.05 and \(\mu = 0\) the print is 0.25, where C is 1.74. At \(\lambda = 1\),
    [0.5, 0.9] and B = 0.2 the bound that holds is 1.99 for a C of 1.31. It is sharp for a prior near \(c_1\) and records
    near \(\mu\).

    Proof of what holds: on this side of \(\mu\) the distance \(|x - \mu| = \mu - x\) is at most \(B + \mu\), whatever
    the sign of \(\mu\). On the other side it is at most \(B - \mu\). The rest is Lemma 19.
    """
    printed = constants.laplace_constants(ps.trimmed_exponential(lam, c1, c2), B, mu, above=False).ratio
    return ratio_from(lam, c1, c2, B, mu, -B), at_most(printed), at_most(printed_ratio(c1, c2, B + mu))


@statement(
    "posterior-sampling/lemma-20-delta",
    "Lemma 20, text after it",
    says=r"the same type of $(0, \delta)$-privacy: $TV \le \delta\rho$, $\delta = \sqrt{\tfrac12 C (1 + 2c_1 + 1/\lambda)}$",
    holds=r"$TV \le \tanh\frac{(c_2 - c_1)\,\rho}{4}$; the printed bound is more than a factor of 2.8 too large",
    reading="C is the smaller of the two printed ones",
    cases=[{**case, "x": -case["B"], "y": case["mu"]} for case in (*TWO_SIDED, {**NARROW, "mu": 0.0})],
)
def lemma_20_delta(lam, c1, c2, B, mu, x, y):
    r"""The claim is true, but not for the reason that the text gives, because the printed C is no bound on C. For small
    distances these priors leave a factor of two in what holds.

    Proof: the printed C is at least \(c_2^2\) on both sides of \(\mu\), so \(\delta > c_2/\sqrt 2\). But
    \(TV \le \frac14(c_2 - c_1)\rho\), by what holds.

    Proof of what holds: up to a constant the log likelihoods of two records differ by
    \(\theta(|y - \mu| - |x - \mu|)\), which ranges over at most \((c_2 - c_1)\rho\). The rest is as in Lemma 19.
    """
    prior = ps.trimmed_exponential(lam, c1, c2)
    C = smallest([constants.laplace_constants(prior, B, mu, above).ratio for above in (False, True)])
    printed, bound = printed_delta(C, lam, c1) * abs(x - y), tanh((c2 - c1) * abs(x - y) / 4)
    return variation(ps.laplace(mu, B), lam, c1, c2, x, y), at_most(printed), at_most(bound)
