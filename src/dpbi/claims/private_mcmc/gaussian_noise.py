"""Section 2.1 of the thesis: sensitivities, and the Gaussian mechanism with its exact privacy loss and the conversions
between its guarantees."""

from ...arithmetic import exp, integral, less, log, number, pi, sqrt
from ...guarantees import gaussian_mechanism
from ...model import count_vectors, neighbours
from .. import at_most, equal, grid, statement
from .models import normal_divergence


@statement(
    "private-mcmc/def-6",
    "Definition 6",
    says=r"the Gaussian mechanism with parameter $\sigma^2$ is an algorithm that, with input $x$, outputs a sample from $\mathcal N(x, \sigma^2)$",
    reading=r"for a vector the covariance is $\sigma^2 I$, as Theorem 3 requires; the check is that $D_\alpha = \frac{\alpha \|x - x'\|_2^2}{2\sigma^2}$",
    cases=grid(gaps=[(0.3, 0.4), (1, -2)], sigma=[0.5, 2], alpha=[2, 5.5]),
)
def isotropic(gaps, sigma, alpha):
    """In the source, the input of the mechanism is the value of a function of the data. The check computes the
    divergence of each coordinate by numerical integration.

    Proof: the coordinates are independent, and the divergences of independent outputs add up.
    """
    promised = gaussian_mechanism(sqrt(sum(g * g for g in gaps)), sigma).rdp(alpha).values[0]
    return promised, equal(sum(normal_divergence(alpha, sigma, g) for g in gaps))


@statement(
    "private-mcmc/thm-3.1",
    "Theorem 3.1",
    says=r"if for all inputs $x$ and $x'$, $\|x - x'\|_2 \le \Delta$, the Gaussian mechanism is $\bigl(\alpha, \frac{\alpha\Delta^2}{2\sigma^2}\bigr)$-RDP",
    given=(r"$\|x - x'\|_2 \le \Delta$", lambda distance, sensitivity: not less(sensitivity, distance)),
    cases=grid(distance=[0.2, 1], sensitivity=[1], sigma=[0.7, 3], alpha=[1.5, 4]),
    aliases=("private-mcmc/thm-3-premise",),
)
def gaussian_rdp(distance, sensitivity, sigma, alpha):
    r"""The theorem is weaker than necessary, because the premise is needed only for neighbouring datasets, as in
    Definition 7. For example, two sums of n rows within [-c, c] may differ by 2nc, but the sums of neighbouring
    datasets differ by at most 2c. The bound is attained if the distance is \(\Delta\).

    Proof: apply Definition 3 at a distance of at most \(\Delta\).
    """
    bound = alpha * sensitivity * sensitivity / (2 * sigma * sigma)
    return gaussian_mechanism(distance, sigma).rdp(alpha).values[0], at_most(bound)


@statement(
    "private-mcmc/thm-3.2",
    "Theorem 3.2",
    says=r"if for all inputs $x$ and $x'$, $\|x - x'\|_2 \le \Delta$, the Gaussian mechanism is $\frac{\Delta^2}{2\sigma^2}$-zCDP",
    reading=r"the check is that no smaller $\rho$ is correct at the distance $\Delta$: there $D_\alpha / \alpha = \frac{\Delta^2}{2\sigma^2}$ for every $\alpha$",
    cases=grid(alpha=[1.001, 2, 12], sigma=[0.7, 3], gap=[1]),
)
def gaussian_zcdp(alpha, sigma, gap):
    r"""Proof: by Theorem 3.1, the ratio \(D_\alpha/\alpha\) is at most \(\Delta^2/(2\sigma^2)\) at every order, with
    equality at distance \(\Delta\).
    """
    return gaussian_mechanism(gap, sigma).zcdp().rho, equal(normal_divergence(alpha, sigma, gap) / alpha)


@statement(
    "private-mcmc/thm-3.3",
    "Theorem 3.3",
    says=r"$n$ compositions of the Gaussian mechanism are $(\epsilon, \delta(\epsilon))$-ADP with $\delta(\epsilon) = \frac12\bigl(\operatorname{erfc}\frac{\sigma(\epsilon - n\mu)}{\sqrt{2n}\Delta} - e^\epsilon \operatorname{erfc}\frac{\sigma(\epsilon + n\mu)}{\sqrt{2n}\Delta}\bigr)$, $\mu = \frac{\Delta^2}{2\sigma^2}$",
    reading=r"the check is that no smaller $\delta$ is correct if the inputs of every release are at the distance $\Delta$",
    cases=grid(epsilon=[0, 2], sigma=[3], gap=[2], n=[1, 7]),
)
def gaussian_adp(epsilon, sigma, gap, n):
    r"""Here n is the number of compositions, and \(\mu = \Delta^2/(2\sigma^2)\). The check compares the library's
    \(\delta\) with the hockey-stick divergence between two normal distributions with variance 1 whose means differ by
    \(\sqrt n\,\Delta/\sigma\). This divergence is computed by numerical integration over the outputs at which the
    integrand is positive.

    Proof: suppose that the two inputs of every release are at distance \(\Delta\). Then the losses of the n releases
    are independent with distribution \(N(\mu, 2\mu)\), and their sum has the distribution \(N(n\mu, 2n\mu)\). The
    formula is the hockey-stick divergence for this total loss. Any other n releases can be simulated from these n
    releases, so by Theorem 2 the \(\delta\) of the other releases is no larger. To simulate a release given the earlier
    outputs, let d be the distance between the two inputs of this release. Multiply a release at distance \(\Delta\) by
    \(d/\Delta\), place the result along the difference of the two inputs, and add independent normal noise that brings
    the variance in every direction to \(\sigma^2\).
    """
    rho = n * gap * gap / (2 * sigma * sigma)
    shift = sqrt(2 * rho)  # distance of the two normal distributions of variance 1
    edge = (epsilon + rho) / shift  # the output at which the loss is epsilon
    norm, factor = sqrt(2 * pi()), exp(number(epsilon))

    def over(x):
        return (exp(-(x - shift) * (x - shift) / 2) - factor * exp(-x * x / 2)) / norm

    # the integrand is positive above the edge and negligible beyond the upper end
    area = integral(over, edge, edge + 4) + integral(over, edge + 4, edge + shift + 22)
    return gaussian_mechanism(gap, sigma).repeat(int(n)).delta_at(epsilon), equal(area)


@statement(
    "private-mcmc/def-7",
    "Definition 7",
    says=r"$\Delta_p f = \sup_{x \sim x'} \|f(x) - f(x')\|_p$",
    reading=r"the definition is checked on the counts of two or more categories with substitute neighbours, where $\Delta_2 = \sqrt2$",
    cases=grid(n=[1, 4], k=[2, 3]),
)
def histogram_sensitivity(n, k):
    r"""Proof: replacing a record decreases one count by one and increases another count by one. So two counts change by
    one, and \(\Delta_2 = \sqrt2\) and \(\Delta_1 = 2\).
    """
    squares = [int(((y - x) ** 2).sum()) for x in count_vectors(int(n), int(k)) for y in neighbours(x)]
    return sqrt(number(max(squares))), equal(sqrt(number(2)))


@statement(
    "private-mcmc/def-7-release",
    "Definition 7, after",
    says=r"the value of any function with finite $l_2$-sensitivity can be privately released using the Gaussian mechanism with appropriate noise variance $\sigma^2$",
    reading=r"a variance is appropriate if $\sigma = \Delta_2/\sqrt{2\rho}$ with $\rho = (\sqrt{\epsilon + \ln\frac1\delta} - \sqrt{\ln\frac1\delta})^2$, which gives $(\epsilon, \delta)$-ADP for $\epsilon > 0$ and $0 < \delta < 1$",
    cases=grid(epsilon=[0.1, 1, 8], delta=[1e-6, 0.01]),
)
def any_release(epsilon, delta):
    r"""Proof: \(\delta(\epsilon) \le \Pr_P[L > \epsilon]\). By Markov's inequality, this probability is at most
    \(e^{(\alpha - 1)(\rho\alpha - \epsilon)}\) for every \(\alpha > 1\). The order \(\alpha = (\epsilon +
    \rho)/(2\rho)\) minimises this bound, and the minimum is \(e^{-(\epsilon - \rho)^2/(4\rho)}\). The given \(\rho\)
    satisfies \(\epsilon = \rho + 2\sqrt{\rho\ln(1/\delta)}\), so the minimum equals \(\delta\).
    """
    level = -log(delta)  # ln(1 / delta)
    rho = (sqrt(epsilon + level) - sqrt(level)) ** 2
    return gaussian_mechanism(1, 1 / sqrt(2 * rho)).delta_at(epsilon), at_most(delta)
