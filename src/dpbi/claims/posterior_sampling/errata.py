"""Misprints of the paper and steps of its proofs that fail, each with what is right and one case."""

from ... import posterior_sampling as ps
from ...arithmetic import exp, log, number, sqrt
from ...posterior_sampling.interval_laws import Gamma
from .. import Erratum, at_least, at_most, equal
from .answers import coin_failure
from .cases import COIN
from .definitions import gain, on_outcomes


def rectangles():
    """Two releases, each of two outcomes, at two datasets: the largest gain of an event, and that of a rectangle."""
    x = ps.joint(on_outcomes((0.5, 0.5)), on_outcomes((0.45, 0.55)))
    y = ps.joint(on_outcomes((0.9, 0.1)), on_outcomes((0.05, 0.95)))
    events = [(1, 1), (1, 0), (0, 1)]
    best = max(float(gain(x, y, number(0), [i * j for i in a for j in b])) for a in events for b in events)
    return ps.least_delta(x, y, 0), equal(number(best))


ERRATA = (
    Erratum(
        "Theorem 4, last step of the proof",
        r"$e^{\varepsilon\rho} P(B \mid y) \bigl[e^{\varepsilon'\rho} P'(B' \mid y) + \delta'\rho\bigr] + \delta\rho \le e^{(\varepsilon+\varepsilon')\rho} P(B \mid y) P'(B' \mid y) + (\delta + \delta')\rho$",
        r"only if $e^{\varepsilon\rho} P(B \mid y) \le 1$; the theorem is right",
        lambda: (number(2) * 9 / 10 * 4 / 10, at_most(number(2) * 9 / 100 + number("0.3"))),
    ),
    Erratum(
        "Theorem 4, proof",
        "rectangles decide: no event gains more than the best of them",
        "a union of rectangles can gain more",
        rectangles,
    ),
    Erratum(
        "Example 1, the uniform prior",
        r"$\xi(\theta_k) = \Delta$",
        r"$\xi(\theta_k) = \frac{\Delta}{1 - \Delta}$ if $1/\Delta$ is whole",
        lambda: (number("0.2") * len(ps.bernoulli_grid(0.2)), equal(number(1))),
    ),
    Erratum(
        "Equation (12), first step",
        r"$\mathbb E_\xi \ell \le L_0\, \xi(\Theta_{L_0}) + [1 - \xi(\Theta_{L_0})] \int_0^\infty e^{-ct}\,dt$",
        r"$\mathbb E_\xi \ell = \int_0^\infty [1 - \xi(\Theta_t)]\,dt \le L_0 + c^{-1}$",
        lambda: (ps.expected_lipschitz(ps.exponential(), Gamma(1.0, 4.0, 0.5)), at_most(number(1) / 4)),
    ),
    Erratum(
        "Equation (13), what follows it",
        r"$\frac{\phi(x)}{\phi(y)} \le C e^{(1+L_0)\rho}$ implies $\ln\frac{\phi(x)}{\phi(y)} \le C(1 + L_0)\rho$",
        r"$\ln\frac{\phi(x)}{\phi(y)} \le C\, \mathbb E_\xi\ell\, \rho(x, y)$, by Jensen's inequality",
        lambda: (log(number(2)) + number("0.015"), at_most(2 * number("0.015"))),
    ),
    Erratum(
        "Lemma 11, proof",
        r"$\Pr\bigl[\text{regret} > 2\varepsilon\bigr] \le \delta$, $\varepsilon = \sqrt{\frac{\ln(2/\delta)}{2N}}$, for all queries and responses",
        "for one query with two responses, fixed beforehand",
        lambda: (coin_failure(20, 10**6, 2 * sqrt(log(number(20) / 3) / 40)), at_most(number("0.3"))),
    ),
    Erratum(
        "Lemma 19, proof",
        r"$\theta e^{-\theta x}$ is concave in $\theta$: $x e^{-\theta x}(\theta x - 2) \le 0$",
        r"only if $\theta x \le 2$; it rises and then falls, which is enough",
        lambda: (exp(number(-3)), at_most(number(0))),
    ),
    Erratum(
        "Lemma 21, proof",
        r"$B(\alpha + x, n + \alpha - x) \ge B\bigl(\tfrac{n + 2\alpha - 1}{2}, \tfrac{n + 2\alpha + 1}{2}\bigr)$",
        r"only if n is odd; for even n the least value is $B(\frac n2 + \alpha, \frac n2 + \alpha)$",
        lambda: (
            exp(ps.posterior(COIN, ps.Beta(2, 2), [1, 0]).log_mass),
            at_least(exp(ps.Beta(number(2.5), number(3.5)).log_mass)),
        ),
    ),
)
