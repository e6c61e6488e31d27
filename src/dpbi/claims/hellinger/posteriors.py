"""Sections 2 to 4.1: posteriors, the Hellinger distance, and the mechanisms with which the paper compares its own."""

import math

import numpy as np

from ...arithmetic import exp, log, lower_beta, number, numbers, pi, sqrt
from ...mechanisms import ehd, ehdl, lsdim, lshist
from ...model import count_vectors, hellinger, local_sensitivity, log_density, marginal, neighbours, posterior
from ...model.dirichlet import log_beta
from ...privacy import audit, loss_between
from .. import above, at_least, at_most, below, equal, grid, rows, statement
from ..notes.privacy import hellinger_formula
from ..quantities import pure_bound
from .quantities import FLAT, FLAT3


@statement(
    "hellinger/2-posterior",
    "Section 2, posterior",
    says=r"$\Pr(\theta \mid x) = \mathrm{DL}(\alpha + \Delta\alpha)$, where $\Pr(x \mid \theta) = \prod_i \theta_i^{\Delta\alpha_i}$",
    given=(r"$\theta$ lies inside the simplex", lambda theta: min(theta) > 0),
    cases=rows("prior counts theta", ((1, 0.2, 3), (2, 1, 0), (0.2, 0.3, 0.5))),
)
def conjugacy(prior, counts, theta):
    r"""The check compares two values of the log posterior density at \(\theta\): the library's value, and the logarithm
    of prior times likelihood over evidence. The evidence is the probability of a single sequence of records. The
    function ``marginal`` computes the probability of the counts, which is larger by the factor
    \(n! / \prod_i \Delta\alpha_i!\), the number of equally likely sequences with these counts.

    Proof: the product of prior and likelihood is \(\prod_i \theta_i^{\alpha_i - 1 + \Delta\alpha_i} / B(\alpha)\),
    where \(\Delta\alpha\) are the counts. The evidence is the integral of this product,
    \(B(\alpha + \Delta\alpha)/B(\alpha)\). The product divided by the evidence is the density of
    \(\mathrm{DL}(\alpha + \Delta\alpha)\).
    """
    x = [int(count) for count in counts]
    likelihood = math.prod((t**c for t, c in zip(theta, x, strict=True)), start=number(1))
    # number of sequences of records with these counts
    sequences = math.factorial(sum(x)) // math.prod(map(math.factorial, x))
    evidence = marginal(prior, sum(x))[count_vectors(sum(x), len(x)).tolist().index(x)] / sequences
    by_bayes = log_density(prior, theta).item() + log(likelihood / evidence)
    return log_density(posterior(prior, counts), theta).item(), equal(by_bayes)


@statement(
    "hellinger/3-sensitivity",
    "Section 3 and Section 4.1.3",
    says=r"a sensitivity of 2, $\Delta BI \equiv \max_{\lVert x - x' \rVert_1 \le 1} \lVert BI(x) - BI(x') \rVert_1$",
    reading="neighbours differ in one record; there are two categories or, as the paper extends its argument, more than two",
    given=("there is at least one record", lambda n: n >= 1),
    cases=grid(n=[1, 5], k=[2, 3]),
)
def parameter_sensitivity(n, k):
    """Proof: replacing a record lowers one parameter by one and raises another by one. So the L1 distance between the
    parameters of the two posteriors is 2."""
    changes = [int(np.abs(neighbours(x) - x).sum(axis=1).max()) for x in count_vectors(int(n), int(k))]
    return number(max(changes)), equal(number(2))


@statement(
    "hellinger/3-laplace",
    "Section 3 and Section 4.1.3",
    says=r"$\mathrm{beta}(\alpha + \lfloor\tilde{\Delta\alpha}\rfloor_0^n, \beta + n - \lfloor\tilde{\Delta\alpha}\rfloor_0^n)$ with $\tilde{\Delta\alpha} \sim \mathrm{Lap}(\Delta\alpha, 2/\varepsilon)$ is $\varepsilon$-differentially private",
    holds=r"the privacy loss of the Laplace mechanism of scale $2/\varepsilon$ is at most $\varepsilon/2$, so at least half of the budget is unused",
    given=("there are two categories", lambda prior: len(prior) == 2),
    cases=grid(prior=[FLAT], n=[1, 2, 20], epsilon=[0.1, 0.8]),
)
def laplace_private(prior, n, epsilon):
    r"""For two categories, this mechanism is ``lsdim``. The sensitivity 2 counts each change twice, once for each of
    the two parameters.

    Proof: the printed statement follows from the stronger bound, which is proved next.

    Proof of what holds: noise of scale \(2/\varepsilon\) is added to \(\Delta\alpha\) alone. One replaced record
    changes \(\Delta\alpha\) by at most 1, so the loss is at most \(\varepsilon/2\). Clipping is post-processing, and so
    is the computation of the second parameter from the first parameter and n.
    """
    return audit(lsdim(epsilon), prior, n).epsilon, at_most(epsilon), at_most(epsilon / 2)


hellinger_distance = statement(
    "hellinger/3-hellinger",
    "Section 3, Hellinger distance",
    says=r"$\mathcal H(\beta_1, \beta_2) = \sqrt{1 - \frac{B(\frac{\alpha_1+\alpha_2}{2}, \frac{\beta_1+\beta_2}{2})}{\sqrt{B(\alpha_1, \beta_1) B(\alpha_2, \beta_2)}}}$",
    given=(
        "for the check, the two distributions differ and the means of their parameters are whole numbers",
        lambda a, b: tuple(a) != tuple(b) and all((s + t) / 2 == int((s + t) / 2) for s, t in zip(a, b, strict=True)),
    ),
    cases=rows("a b", ((2, 4), (4, 2)), ((2.5, 6), (3.5, 2)), ((30, 70), (50, 52))),
)(hellinger_formula.body)


@statement(
    "hellinger/3-total-variation",
    "Section 3, total variation",
    says=r"Hellinger distance automatically yields bounds on the total variation distance",
    reading=r"$TV \le \mathcal H \sqrt{2 - \mathcal H^2}$, that is, $\mathcal H \ge \sqrt{1 - \sqrt{1 - TV^2}}$, by the inequality of Cauchy and Schwarz; the paper prints no bound",
    given=(
        "for the check, the parameters are whole numbers with the same sum, and the two distributions differ",
        lambda a, b: tuple(a) != tuple(b) and sum(a) == sum(b) and all(s == int(s) for s in (*a, *b)),
    ),
    accuracy=1e-7,  # near TV = 1 the square roots lose half of the digits
    cases=rows("a b", ((2, 1), (1, 2)), ((30, 71), (31, 70)), ((1, 6), (6, 1)), ((5, 5), (9, 1))),
)
def total_variation_bound(a, b):
    r"""As the paper says, the total variation distance \(TV = \int (f - g)_+\) is the largest advantage of a test
    between the densities f and g. Let f and g be the beta densities with the parameters a and b, which have equal sums.
    The ratio f/g is \((\theta/(1-\theta))^{a_1 - b_1}\) times a constant. Since this ratio is monotone, f exceeds g on
    one side of the point at which the densities are equal, and TV is the difference between the masses of f and g on
    that side. For whole-number parameters these masses are integrals of polynomials.

    Proof: by the Cauchy-Schwarz inequality, with \(\int (\sqrt f \mp \sqrt g)^2 = 2 \mp 2(1 - \mathcal H^2)\),
    \[ TV = \tfrac12 \int |\sqrt f - \sqrt g|\,(\sqrt f + \sqrt g) \le \tfrac12 \sqrt{2\mathcal H^2 \cdot (4 - 2 \mathcal H^2)} . \]
    So \(TV^2 \le 1 - (1 - \mathcal H^2)^2\), which is equivalent to the second form of the inequality.
    """
    # the two densities are equal at theta = crossing
    odds = exp((log_beta(numbers(b)) - log_beta(numbers(a))) / (b[0] - a[0]))
    crossing = odds / (1 + odds)
    below_a, below_b = (exp(-log_beta(numbers(each))) * lower_beta(*each, crossing) for each in (a, b))
    return hellinger(a, b), at_least(sqrt(1 - sqrt(1 - (below_a - below_b) ** 2)))


@statement(
    "hellinger/4-candidates",
    "Section 4",
    says=r"$\mathcal R_{post}$ has $n + 1$ elements",
    cases=grid(n=[0, 1, 8, 60]),
)
def candidates(n):
    """Section 4.1.1 of the paper lists only n candidates.

    Proof: the first count is one of the n + 1 numbers 0, ..., n.
    """
    return number(len(count_vectors(int(n), 2))), equal(n + 1)


@statement(
    "hellinger/4.1.1",
    "Section 4.1.1",
    says=r"Exponential mechanism is $\varepsilon$-differential privacy, $GS = \max_{x \sim x'} \max_r |\mathcal H(BI(x), r) - \mathcal H(BI(x'), r)|$",
    reading="the score is the negative distance, and there are n + 1 candidates",
    cases=grid(prior=[FLAT, (0.05, 2), FLAT3], n=[1, 6], epsilon=[0.1, 0.8]),
)
def exponential_private(prior, n, epsilon):
    r"""Proof: replacing a record changes the exponent of each weight by at most \(\varepsilon/2\). So it also changes
    the logarithm of the sum of the weights by at most \(\varepsilon/2\).
    """
    return audit(ehd(epsilon), prior, n).epsilon, at_most(epsilon)


@statement(
    "hellinger/4.1.2",
    "Section 4.1.2",
    says="The exponential mechanism with local sensitivity is non-differential privacy",
    reading=r"there is no factor $c$ such that the mechanism is $c\,\varepsilon$-differentially private for every prior and every number of records",
    holds=r"its loss is less than $\frac{\varepsilon}{2}\bigl(\gamma_0 + \frac{2}{1 + \gamma_0}\bigr) = 1.3197\,\varepsilon$ with $\gamma_0 = \bigl(1 - \frac{\sqrt\pi}{2}\bigr)^{-1/2} - 1$",
    cases=grid(factor=[1.0, 1.5, 2.0]),
)
def local_not_private(factor):
    r"""For \(\varepsilon = 0.1\) and every factor c, there are a prior on three categories and a number of records for
    which the loss exceeds \(c\,\varepsilon\); both grow with c. For two categories, the loss can also exceed
    \(\varepsilon\): for the prior (0.001, 0.001) and 60 records, it is \(1.044\,\varepsilon\). For beta(1, 1), the
    prior of the experiments, no number of records is known for which the loss exceeds \(\varepsilon\). For example, the
    loss is \(0.669\,\varepsilon\) for n = 5 and \(0.896\,\varepsilon\) for n = 250.

    Proof: take the prior \((\alpha, \alpha, 1)\) and the neighbours \(x' = (0, 0, n)\) and \(x = (0, 1, n-1)\). As
    \(n \to \infty\), nearly all candidates have a distance near 1 from both datasets. So the ratio of the two sums of
    weights tends to \(e^{\varepsilon\Delta/2}\) with \(\Delta = 1/LS(x') - 1/LS(x)\). At the output \(x'\), the
    exponents contribute an additional \(\frac{\varepsilon}{2} H(x, x')/LS(x)\) to the loss. With \(u = u(\alpha)\), the
    loss tends to
    \[ \frac{\varepsilon}{2}\Bigl(\frac{1}{F(u)} - \frac{1}{F(2u)} + \frac{F(u)}{F(2u)}\Bigr). \]
    As \(\alpha\) grows, this limit grows like \(\frac{\varepsilon}{2}\sqrt{8\alpha}\,(1 - 1/\sqrt2)\).
    """
    # chosen such that the loss for large n is about 1.3 times factor * epsilon, by the growth in the docstring
    weight = math.ceil(10 * float(factor) ** 2)
    epsilon, prior, n = number("0.1"), (weight, weight, 1), 4 * weight
    return loss_between(ehdl(epsilon), prior, (0, 0, n), (0, 1, n - 1)), above(factor * epsilon)


@local_not_private.instead(
    given=("there are two categories", lambda prior: len(prior) == 2),
    cases=grid(prior=[FLAT, (1e-6, 1e-6), (0.1, 3)], n=[5, 60], epsilon=[0.01, 2.0]),
)
def local_two_categories(prior, n, epsilon):
    r"""Let \(t_0 = 1 + \gamma_0\). The largest known loss is
    \(\frac12(\gamma_0 + 1/t_0)\,\varepsilon = 1.1510\,\varepsilon\). It is the limit of the loss from x = 1 to x = 2 as
    \(\alpha \to 0\), \(n \to \infty\) and \(\varepsilon \to 0\).

    Proof: consider neighbours with \(LS > LS'\). The edge between them has the length \(F(w') = H(x, x')\), and LS is
    the length \(F(w)\) of the preceding edge, where \(w = u(A) + u(B)\) and \(w' = u(A+1) + u(B-1)\). Write
    \(h' = 1/F(w')\) and \(h = 1/LS < h'\). The range of \(H(x',r)/LS' - H(x,r)/LS\) over the candidates r is at most
    \[ \frac{1}{LS'} - \frac{1}{LS} + \frac{2 H(x,x')}{LS} \le h' - h + \frac{2h}{h'} = 2 + (h' - h)\Bigl(1 - \frac{2}{h'}\Bigr) . \]
    If \(h' \le 2\), this bound is at most 2. If \(2 < h' \le t_0\), this bound is at most \(h' - 1 + 2/h'\), because
    \(h \ge 1\). The expression \(h' - 1 + 2/h'\) increases with \(h'\), and for \(h' = t_0\) it equals
    \(\gamma_0 + 2/t_0 = 2.6393\).

    If \(h' > t_0\), the bound on the range increases with \(h'\), and \(h'\) can only increase if \(u(B-1)\) is
    replaced by \(u(B)\), which is not larger. Let \(\kappa = e^{-u(B)} \le 1\) and \(f = e^{-u}\), and write
    \(h(a) = (1 - \kappa f(a))^{-1/2}\). Then \(h = h(A)\) and \(h' = h(A+1)\). The function h is a power series in
    \(\kappa\) with positive coefficients, and so is \(h(A+1) - h(A)\), because f increases. So the bound is largest at
    \(\kappa = 1\), and it is enough to show for \(\kappa = 1\) that
    \[ Q(A) = (h(A+1) - h(A)) \Bigl(1 - \frac{2}{h(A+1)}\Bigr) < Q(0) = \gamma_0\Bigl(1 - \frac{2}{t_0}\Bigr). \]
    For \(A \in [10^{-2}, 8]\) the tests certify this inequality by interval arithmetic. For larger A, \(h(A+1) - h(A)\)
    itself is below \(Q(0)\), because h is concave and this difference therefore decreases. For smaller A, let s be the
    slope of h at 1. By concavity, \(h(A+1) \le t_0 + s A\). Together with
    \(h(A) \ge 1 + \frac12 f(A) \ge 1 + 0.86\sqrt A\), this gives \(Q(A) < Q(0)\).
    """
    step = 1 / sqrt(1 - sqrt(pi()) / 2) - 1  # gamma_0
    return audit(ehdl(epsilon), prior, n).epsilon, below(epsilon / 2 * (step + 2 / (1 + step)))


@local_not_private.instead(
    holds=r"for any number of categories the loss is at most $\frac{\varepsilon}{2} \max_{x \sim x'} (2 + \Delta (1 - 2 LS'))$ with $\Delta = \frac1{LS'} - \frac1{LS} \ge 0$",
    cases=rows("prior n epsilon", (FLAT, 5, 0.8), (FLAT3, 5, 0.1), ((0.001, 0.001), 60, 0.1), ((30, 30, 1), 12, 0.1)),
)
def local_any_categories(prior, n, epsilon):
    r"""Proof: consider neighbours with \(LS' \le LS\), and let \(a = H(x, x') \le LS'\). For each candidate r, the
    difference \(H(x', r)/LS' - H(x, r)/LS\) is the sum of \(\Delta H(x', r)\) and \((H(x', r) - H(x, r))/LS\). So the
    difference lies between \(-a/LS\) and \(\Delta + a/LS\), and the width of this range is at most
    \(\Delta + 2LS'/LS = 2 + \Delta(1 - 2LS')\). The loss is at most \(\varepsilon/2\) times the width of the range.
    """
    bound = pure_bound(prior, n, lambda datasets: local_sensitivity(prior, datasets))
    return audit(ehdl(epsilon), prior, n).epsilon, at_most(epsilon / 2 * bound)


@statement(
    "hellinger/4.1.4",
    "Section 4.1.4",
    says=r"using sensitivity 1 in 2 dimensions and 2 in higher dimensions. Indeed: we can see the output of the Bayesian inference as a histogram, and $\lVert BI(x) - BI(x') \rVert_1 \le 2$",
    reading=r"Laplace noise on the counts is $\varepsilon$-differentially private if its scale is this sensitivity divided by $\varepsilon$",
    cases=exponential_private.cases,
)
def histogram_private(prior, n, epsilon):
    """The notes use the name LSHist for this mechanism, which adds Laplace noise to the histogram.

    Proof: all counts but the last receive noise. With two categories, replacing a record changes the single count that
    receives noise by at most 1. With more than two categories, replacing a record changes the counts that receive noise
    by a total of at most 2.
    """
    return audit(lshist(epsilon), prior, n).epsilon, at_most(epsilon)
