"""Section 2.2: the assumptions, Examples 1 and 2, Lemma 5."""

import itertools

from ... import posterior_sampling as ps
from ...arithmetic import exp, largest, less, log, number, smallest
from ...posterior_sampling.assumptions import lipschitz_steps
from .. import above, at_least, at_most, digits, equal, grid, statement
from .cases import COIN, bernoulli_prior, reached_and_exceeded, with_level


def worst_slope(theta, n):
    """The largest change of the log likelihood per differing record, over all pairs of sequences of n records."""
    sequences = list(itertools.product((0, 1), repeat=int(n)))
    fits = {x: COIN.likelihood([theta], x)[0] for x in sequences}
    pairs = itertools.combinations(sequences, 2)
    return largest([abs(log(fits[x] / fits[y])) / COIN.distance(x, y) for x, y in pairs])


@statement(
    "posterior-sampling/assumption-1",
    "Assumption 1, for Example 1",
    says=r"$\ell(\theta) = \sup_{x, y} \frac{|\ln p_\theta(x) - \ln p_\theta(y)|}{\rho(x, y)} = \Bigl|\ln\frac{\theta}{1-\theta}\Bigr|$",
    cases=grid(theta=[0.2, 0.5, 0.95], n=[1, 3]),
)
def assumption_1(theta, n):
    r"""The constant grows without limit towards 0 and 1, so Assumption 1 fails for a prior on all of (0, 1). The cases
    take the largest ratio over all pairs of sequences of n records.

    Proof: every replaced record changes \(\ln p_\theta\) by \(\pm\ln\frac{\theta}{1-\theta}\).
    """
    return worst_slope(theta, n), equal(COIN.lipschitz([theta])[0])


@statement(
    "posterior-sampling/assumption-2",
    "Assumption 2, for Example 2",
    says=r"$\xi(\Theta_L) \ge 1 - e^{-c(L - L_0)}$ for all $L \ge L_0$ if and only if $c \le \min_{l_{j+1} > L_0} \frac{-\ln(1 - \xi(\Theta_{l_j}))}{l_{j+1} - L_0}$",
    cases=with_level(grid(step=[0.2, 0.05, 0.3], xi=["uniform", "exponential"]), 0.5, 1.0),
    given=reached_and_exceeded,
)
def assumption_2(step, xi: str, L0):
    r"""The sides are the mass and the printed bound at the best c, just before the jump that decides, where they meet.

    Proof: for a finite family the mass is a step function with jumps \(l_1 < l_2 < \dots\). On a step the bound is
    largest at its end, which gives one condition for each jump beyond \(L_0\). Beyond the last jump every c is allowed:
    Assumption 1 implies Assumption 2 with \(L_0 = L\).
    """
    prior = bernoulli_prior(step, xi)
    c, (jumps, _) = ps.best_rate(COIN, prior, L0), lipschitz_steps(COIN, prior)
    below = [number(0), *(ps.lipschitz_mass(COIN, prior, jump) for jump in jumps)]
    sides = [(mass, 1 - exp(-c * (jump - L0))) for mass, jump in zip(below, jumps, strict=False) if less(L0, jump)]
    mass, bound = min(sides, key=lambda pair: float(pair[0] - pair[1]))
    return mass, at_least(bound)


def whole_number_of_steps(step) -> bool:
    r"""Whether \(1/\Delta\) is a whole number."""
    return not less(number("1e-9"), abs(1 / step - round(float(1 / step))))


@statement(
    "posterior-sampling/example-1",
    "Example 1",
    says=r"$\max_k \ell(k\Delta) \le \ln\frac1\Delta$",
    holds=r"$\max_k \ell(k\Delta) = \ln\frac{1 - r}{r}$, $r = \min\bigl(\Delta, 1 - \Delta\lceil 1/\Delta - 1\rceil\bigr)$",
    why="the last parameter may be nearer to 1 than the step",
    only_if=(r"$1/\Delta$ is a whole number", whole_number_of_steps),
    cases=grid(step=[0.01, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4]),
)
def example_1(step):
    r"""The grid is \(k\Delta\) for \(k \le 1/\Delta\), without 0 and 1, where \(\ell\) is infinite. For example,
    \(\Delta = 0.3\) has \(\theta = 0.9\) with \(\ell = 2.197\), above 1.204.

    Proof: the parameter nearest to an end is \(\Delta\) away from it, and
    \(\ell = \ln\frac{1-\Delta}{\Delta} < \ln\frac1\Delta\).

    Proof of what holds: \(\ell\) grows towards both ends, so the parameter nearest to an end decides; r is its distance.
    """
    parameters = ps.bernoulli_grid(step)
    nearest = smallest([parameters[0], 1 - parameters[-1]])
    return ps.lipschitz_bound(COIN, bernoulli_prior(step)), at_most(-log(step)), equal(log((1 - nearest) / nearest))


@statement(
    "posterior-sampling/example-2-steps",
    "Example 2, Figure 1",
    says=r"$\Delta = 0.2$: $\xi(\Theta_L)$ has two steps",
    kind="digits",
    cases=[{"step": 0.2, "steps": 2}],
)
def example_2_steps(step, steps):
    r"""\(\ell\) is symmetric about 1/2: the parameters 0.4, 0.6 share one constant, and 0.2, 0.8 another."""
    return number(len(lipschitz_steps(COIN, bernoulli_prior(step))[0])), equal(steps)


@statement(
    "posterior-sampling/example-2-ratio",
    "Example 2, Figure 1",
    says=r"$L(0.2) \approx \tfrac12 L(0.05)$",
    kind="digits",
    cases=[{"coarse": 0.2, "fine": 0.05, "printed": "0.5"}],
)
def example_2_ratio(coarse, fine, printed: str):
    r"""\(\ln 4 / \ln 19 = 0.471\), "about half"."""
    large, small = (ps.lipschitz_bound(COIN, bernoulli_prior(step)) for step in (coarse, fine))
    return large / small, digits(printed)


@statement(
    "posterior-sampling/example-2-higher",
    "Example 2",
    says=r"$c_{0.2}(L_0) > c_{0.05}(L_0)$",
    why=r"the order of the two rates depends on \(L_0\), which is not given",
    only_if=(r"$L_0 > \ln 2$", lambda L0: less(2, exp(L0))),
    cases=grid(L0=[0.5, 0.6, 0.69, 0.7, 0.8, 1.0, 1.3]),
    given=lambda L0: reached_and_exceeded(0.05, "uniform", L0),
)
def example_2_higher(L0):
    r"""For the uniform prior the best rates are equal to 1 at \(L_0 = \ln 2\), for every \(\Delta\) with \(1/\Delta\)
    whole and above 3. To see this, let \(l_i = \ln\frac{1-i\Delta}{i\Delta}\). Just below it \(1 - \xi(\Theta_L)\) is
    \(\frac{2i}{1/\Delta - 1}\), and \(e^{-(l_i - \ln 2)} = \frac{2i}{1/\Delta - i}\). The two are equal at i = 1, and
    the second is larger otherwise. Below \(\ln 2\) the finer grid has the higher rate.
    """
    coarse, fine = (ps.best_rate(COIN, bernoulli_prior(step), L0) for step in (number(0.2), number(0.05)))
    return coarse, above(fine)


@statement(
    "posterior-sampling/example-2-exponential",
    "Example 2",
    says=r"$c(\xi \propto e^{-\ell}) > c(\xi \text{ uniform})$",
    cases=with_level(grid(step=[0.2, 0.05]), 0.5, 0.7, 1.0, 1.3),
    given=lambda step, L0: reached_and_exceeded(step, "uniform", L0),
)
def example_2_exponential(step, L0):
    r"""The prior that is exponential in \(\ell\) moves mass from sensitive parameters to others, and so it raises every
    best rate of the cases.
    """
    return ps.best_rate(COIN, bernoulli_prior(step, "exponential"), L0), above(
        ps.best_rate(COIN, bernoulli_prior(step), L0)
    )


@statement(
    "posterior-sampling/lemma-5",
    "Lemma 5",
    says=r"$\ell^n(\theta) \le \ell(\theta)$ for $\rho^n(x, y) = \sum_i \rho(x_i, y_i)$",
    cases=grid(theta=[0.2, 0.9], n=[1, 2, 4]),
)
def lemma_5(theta, n):
    r"""A pair that differs in one record gives equality. So both assumptions hold for n records with all their
    constants. This is not so for C, which the second parts of Theorems 7 and 8 contain. For \(\Delta = 0.05\) it grows
    from 1.9 at one record to 17.7 at fifty.

    Proof: by the triangle inequality
    \(|\ln p^n_\theta(x) - \ln p^n_\theta(y)| \le \sum_i \ell(\theta)\rho(x_i, y_i)\).
    """
    return worst_slope(theta, n), at_most(COIN.lipschitz([theta])[0])
