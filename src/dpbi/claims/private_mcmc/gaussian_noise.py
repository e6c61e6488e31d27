r"""Section 2.1 of the thesis: sensitivities and the Gaussian mechanism, what it loses exactly, conversions."""

from ...arithmetic import exp, integral, largest, less, log, number, pi, sqrt
from ...guarantees import gaussian_mechanism
from ...model import count_vectors, neighbours
from .. import at_most, cannot, equal, grid, statement
from .models import normal_divergence

definition_6 = cannot(
    "private-mcmc/def-6",
    "Definition 6",
    says=r"the Gaussian mechanism with parameter $\sigma^2$ outputs, with input $x$, a sample from $N(x, \sigma^2)$",
    holds=r"with a sample from $N(f(x), \sigma^2 I)$: $D_\alpha = \frac{\alpha \|f(x) - f(x')\|_2^2}{2\sigma^2}$",
    why=r"for a number the definition is right, but Theorem 3 needs it for vectors, and $\sigma^2$ is not the covariance of a vector",
)


@definition_6.instead(cases=grid(gaps=[(0.3, 0.4), (1, -2)], sigma=[0.5, 2], alpha=[2, 5.5]))
def isotropic(gaps, sigma, alpha):
    """Theorem 3 bounds a Euclidean distance of two inputs, so its inputs are vectors. In the text the input is the value
    of a function of the data. The divergence of each coordinate is computed by quadrature.

    Proof: the coordinates are independent, and the divergences of independent outputs add up.
    """
    promised = gaussian_mechanism(sqrt(sum(g * g for g in gaps)), sigma).rdp(alpha).values[0]
    return promised, equal(sum(normal_divergence(alpha, sigma, g) for g in gaps))


def farthest(rest, others, c):
    """Largest distance between two sums, each of ``rest`` and ``others`` equal rows at an end of [-c, c]."""
    return largest([abs((rest + others * a) - (rest + others * b)) for a in (-c, c) for b in (-c, c)])


@statement(
    "private-mcmc/thm-3-premise",
    "Theorem 3, premise",
    says=r"for all inputs $x, x'$: $\|x - x'\|_2 \le \Delta$, with $\Delta = 2c$ for a sum of $n$ rows within $\pm c$",
    holds=r"for all neighbouring $x \sim x'$: $\|f(x) - f(x')\|_2 \le \Delta$",
    why="two inputs may differ in every row",
    only_if=("there is one row", lambda n: int(n) == 1),
    cases=grid(n=[1, 2, 10], c=[0.5, 3]),
)
def any_two_inputs(n, c):
    """The premise fails for the sums that the algorithms release. The theorem needs it for neighbouring inputs only.

    Proof: with one row the distance of two sums is that of two rows, at most 2c.
    """
    return farthest(0, n, c), at_most(2 * c)


@any_two_inputs.instead()
def neighbouring_inputs(n, c):
    """Proof: neighbours share all rows but one. So the distance of the two sums is that of the two rows that differ."""
    return farthest((n - 1) * c, 1, c), at_most(2 * c)


@statement(
    "private-mcmc/thm-3.1",
    "Theorem 3.1",
    says=r"the Gaussian mechanism is $\bigl(\alpha, \frac{\alpha\Delta^2}{2\sigma^2}\bigr)$-RDP",
    given=("the distance is at most the sensitivity", lambda distance, sensitivity: not less(sensitivity, distance)),
    cases=grid(distance=[0.2, 1], sensitivity=[1], sigma=[0.7, 3], alpha=[1.5, 4]),
)
def gaussian_rdp(distance, sensitivity, sigma, alpha):
    """The two sides are equal where the distance is the sensitivity.

    Proof: Definition 3 at a distance of at most the sensitivity.
    """
    bound = alpha * sensitivity * sensitivity / (2 * sigma * sigma)
    return gaussian_mechanism(distance, sigma).rdp(alpha).values[0], at_most(bound)


@statement(
    "private-mcmc/thm-3.2",
    "Theorem 3.2",
    says=r"the Gaussian mechanism is $\frac{\Delta^2}{2\sigma^2}$-zCDP: $\sup_{\alpha > 1} D_\alpha / \alpha = \frac{\Delta^2}{2\sigma^2}$",
    cases=grid(alpha=[1.001, 2, 12], sigma=[0.7, 3], gap=[1]),
)
def gaussian_zcdp(alpha, sigma, gap):
    r"""Proof: by Theorem 3.1 the quotient \(D_\alpha/\alpha\) is the same at every order."""
    return gaussian_mechanism(gap, sigma).zcdp().rho, equal(normal_divergence(alpha, sigma, gap) / alpha)


@statement(
    "private-mcmc/thm-3.3",
    "Theorem 3.3",
    says=r"$\delta(\epsilon) = \frac12\bigl(\operatorname{erfc}\frac{\sigma(\epsilon - n\mu)}{\sqrt{2n}\Delta} - e^\epsilon \operatorname{erfc}\frac{\sigma(\epsilon + n\mu)}{\sqrt{2n}\Delta}\bigr)$ is the exact $\delta$ of $n$ compositions",
    cases=grid(epsilon=[0, 2], sigma=[3], gap=[2], n=[1, 7]),
)
def gaussian_adp(epsilon, sigma, gap, n):
    r"""Here n counts compositions, and \(\mu = \Delta^2/(2\sigma^2)\). What the library promises is compared with the
    hockey stick of two normal laws of variance 1 at the distance \(\sqrt n\,\Delta/\sigma\), by quadrature over the
    outputs where the integrand is positive.

    Proof: at the full distance the loss of one release has the law \(N(\mu, 2\mu)\). The losses of n releases add up to
    \(N(n\mu, 2n\mu)\) at most, also if later releases depend on earlier ones. The formula is the hockey stick of this
    loss.
    """
    rho = n * gap * gap / (2 * sigma * sigma)
    shift = sqrt(2 * rho)
    edge = (epsilon + rho) / shift
    norm, factor = sqrt(2 * pi()), exp(number(epsilon))

    def over(x):
        return (exp(-(x - shift) * (x - shift) / 2) - factor * exp(-x * x / 2)) / norm

    area = integral(over, edge, edge + 4) + integral(over, edge + 4, edge + shift + 22)
    return gaussian_mechanism(gap, sigma).repeat(int(n)).delta(epsilon), equal(area)


@statement(
    "private-mcmc/def-7",
    "Definition 7",
    says=r"$\Delta_p f = \sup_{x \sim x'} \|f(x) - f(x')\|_p$: for the counts of $k$ categories $\Delta_2 = \sqrt2$",
    cases=grid(n=[1, 4], k=[2, 3]),
)
def histogram_sensitivity(n, k):
    r"""Proof: a replaced record takes one from a count and adds one to another. Two counts change by one, so
    \(\Delta_2 = \sqrt2\), and \(\Delta_1 = 2\).
    """
    squares = [int(((y - x) ** 2).sum()) for x in count_vectors(int(n), int(k)) for y in neighbours(x)]
    return sqrt(number(max(squares))), equal(sqrt(number(2)))


@statement(
    "private-mcmc/def-7-release",
    "Definition 7, after",
    says=r"a function with finite $\ell_2$ sensitivity can be released with an appropriate $\sigma^2$: $\rho = (\sqrt{\epsilon + \ln\frac1\delta} - \sqrt{\ln\frac1\delta})^2$, $\sigma = \Delta/\sqrt{2\rho}$ gives $(\epsilon, \delta)$-ADP",
    reading="the source does not say which variance is appropriate; this one is",
    cases=grid(epsilon=[0.1, 1, 8], delta=[1e-6, 0.01]),
)
def any_release(epsilon, delta):
    r"""In several dimensions the noise must have the same variance in all directions.

    Proof: \(\delta(\epsilon) \le \Pr_P[L > \epsilon]\). By Markov's inequality this is at most \(e^{(\alpha -
    1)(\rho\alpha - \epsilon)}\) for every \(\alpha > 1\). The best order is \(\alpha = (\epsilon + \rho)/(2\rho)\),
    which gives \(e^{-(\epsilon - \rho)^2/(4\rho)}\). With this \(\rho\) one has
    \(\epsilon = \rho + 2\sqrt{\rho\ln(1/\delta)}\), and this is \(\delta\).
    """
    level = -log(delta)
    rho = (sqrt(epsilon + level) - sqrt(level)) ** 2
    return gaussian_mechanism(1, 1 / sqrt(2 * rho)).delta(epsilon), at_most(delta)
