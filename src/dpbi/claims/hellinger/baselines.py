"""Sections 4 and 4.1: the candidates, and the mechanisms that the paper compares its own with."""

from ...arithmetic import number, pi, sqrt
from ...mechanisms import ehd, ehdl, lshist
from ...model import count_vectors, local_sensitivity
from ...privacy import audit, loss_between
from .. import above, at_most, below, equal, grid, rows, statement
from ..quantities import pure_bound
from .quantities import FLAT, FLAT3


@statement(
    "hellinger/4-candidates",
    "Section 4",
    says=r"$|\mathcal R_{post}| = n + 1$ for two categories",
    cases=grid(n=[0, 1, 8, 60]),
)
def candidates(n):
    """Section 4.1.1 lists only n candidates.

    Proof: the first count is one of 0, ..., n.
    """
    return number(len(count_vectors(int(n), 2))), equal(n + 1)


@statement(
    "hellinger/4.1.1",
    "Section 4.1.1",
    says=r"the exponential mechanism with $GS = \max_{x \sim x'} \max_r |\mathcal H(BI(x), r) - \mathcal H(BI(x'), r)|$ is $\varepsilon$-differentially private",
    reading="the score is minus the distance, and there are n + 1 candidates",
    cases=grid(prior=[FLAT, (0.05, 2), FLAT3], n=[1, 6], epsilon=[0.1, 0.8]),
)
def exponential_private(prior, n, epsilon):
    r"""Proof: a replaced record changes the exponent of a weight by at most \(\varepsilon/2\), and the logarithm of the sum
    of the weights by at most as much.
    """
    return audit(ehd(epsilon), prior, n).epsilon, at_most(epsilon)


@statement(
    "hellinger/4.1.2",
    "Section 4.1.2",
    says=r"the exponential mechanism with local sensitivity is not $\varepsilon$-differentially private: its loss exceeds $\varepsilon$",
    holds=r"it loses at most $\frac{\varepsilon}{2} \max_{x \sim x'} (2 + \Delta (1 - 2 LS'))$ with $\Delta = \frac1{LS'} - \frac1{LS} \ge 0$; "
    r"for two categories less than $\frac{\varepsilon}{2}\bigl(\gamma_0 + \frac{2}{1 + \gamma_0}\bigr) = 1.3197\,\varepsilon$ with $\gamma_0 = \bigl(1 - \frac{\sqrt\pi}{2}\bigr)^{-1/2} - 1$; "
    r"for three categories there are, for every factor, a prior and an $n$ with a loss above that factor times $\varepsilon$",
    why="it depends on the prior: false for beta(1, 1), true for two categories with small weights and for three with large ones",
    cases=[
        *grid(prior=[FLAT, FLAT3], n=[5], epsilon=[0.1, 0.8]),
        *rows("prior n epsilon", ((0.001, 0.001), 60, 0.1), ((30, 30, 1), 12, 0.1)),
    ],
)
def local_not_private(prior, n, epsilon):
    r"""The prior beta(1, 1) is that of the experiments.

    Proof of what holds: take neighbours with \(LS' \le LS\), and let \(a = H(x, x') \le LS'\). For a candidate r the
    difference \(H(x', r)/LS' - H(x, r)/LS\) is \(\Delta H(x', r)\) plus \((H(x', r) - H(x, r))/LS\). So it lies between
    \(-a/LS\) and \(\Delta + a/LS\), a range of at most \(\Delta + 2LS'/LS = 2 + \Delta(1 - 2LS')\). The loss is at most
    \(\varepsilon/2\) times the range.
    """
    exact = audit(ehdl(epsilon), prior, n).epsilon
    bound = pure_bound(prior, n, lambda datasets: local_sensitivity(prior, datasets))
    return exact, above(epsilon), at_most(epsilon / 2 * bound)


@local_not_private.instead(
    given=lambda prior: len(prior) == 2,
    cases=grid(prior=[FLAT, (1e-6, 1e-6), (0.1, 3)], n=[5, 60], epsilon=[0.01, 2.0]),
)
def local_two_categories(prior, n, epsilon):
    r"""The largest loss known is \(\frac12(\gamma_0 + 1/t_0)\,\varepsilon = 1.1510\,\varepsilon\), \(t_0 = 1 + \gamma_0\),
    from x = 1 to 2 as \(\alpha \to 0\), \(n \to \infty\), \(\varepsilon \to 0\).

    Proof: take neighbours with \(LS > LS'\). They share the edge \(F(w') = H(x, x')\), and \(LS = F(w)\) is the edge
    before it, with \(w = u(A) + u(B)\) and \(w' = u(A+1) + u(B-1)\). Write \(h' = 1/F(w')\) and \(h = 1/LS < h'\). The
    range of \(H(x',r)/LS' - H(x,r)/LS\) over the candidates r is at most
    \[ \frac{1}{LS'} - \frac{1}{LS} + \frac{2 H(x,x')}{LS} \le h' - h + \frac{2h}{h'} = 2 + (h' - h)\Bigl(1 - \frac{2}{h'}\Bigr) . \]
    If \(h' \le 2\), this is at most 2. If \(2 < h' \le t_0\), it is at most \(h' - 1 + 2/h'\) because \(h \ge 1\). That
    increases with \(h'\), up to \(\gamma_0 + 2/t_0 = 2.6393\).

    If \(h' > t_0\), the range increases with \(h'\), so \(u(B-1) \ge u(B)\) may be replaced by \(u(B)\). Let \(\kappa
    = e^{-u(B)} \le 1\) and \(f = e^{-u}\), and write \(h(a) = (1 - \kappa f(a))^{-1/2}\), so that \(h = h(A)\) and
    \(h' = h(A+1)\). This is a power series in \(\kappa\) with positive coefficients, and so is \(h(A+1) - h(A)\),
    because f increases. So the range is largest at \(\kappa = 1\). There
    \[ Q(A) = (h(A+1) - h(A)) \Bigl(1 - \frac{2}{h(A+1)}\Bigr) < Q(0) = \gamma_0\Bigl(1 - \frac{2}{t_0}\Bigr). \]
    For \(A \in [10^{-2}, 8]\) the tests certify it by interval arithmetic. For larger A, \(h(A+1) - h(A)\) is below
    \(Q(0)\) itself, because it decreases by the concavity of h. For smaller A, let s be the slope of h at 1. By
    concavity \(h(A+1) \le t_0 + s A\), and with \(h(A) \ge 1 + \frac12 f(A) \ge 1 + 0.86\sqrt A\) this gives \(Q(A) <
    Q(0)\).
    """
    step = 1 / sqrt(1 - sqrt(pi()) / 2) - 1
    return audit(ehdl(epsilon), prior, n).epsilon, below(epsilon / 2 * (step + 2 / (1 + step)))


@local_not_private.instead(
    cases=rows("factor weight n epsilon", (1.0, 8, 25, 0.1), (1.5, 15, 100, 0.1), (2.0, 35, 200, 0.1)),
)
def local_three_categories(factor, weight, n, epsilon):
    r"""Proof: take the prior \((\alpha, \alpha, 1)\) and the neighbours \(x' = (0, 0, n)\) and \(x = (0, 1, n-1)\). As
    \(n \to \infty\) nearly all candidates are at distance 1 from both. So the sums of the weights have the ratio
    \(e^{\varepsilon\Delta/2}\) with \(\Delta = 1/LS(x') - 1/LS(x)\). At the output \(x'\) the exponents add
    \(\frac{\varepsilon}{2} H(x, x')/LS(x)\). With \(u = u(\alpha)\) the loss tends to
    \[ \frac{\varepsilon}{2}\Bigl(\frac{1}{F(u)} - \frac{1}{F(2u)} + \frac{F(u)}{F(2u)}\Bigr). \]
    As \(\alpha\) grows, this grows like \(\frac{\varepsilon}{2}\sqrt{8\alpha}\,(1 - 1/\sqrt2)\).
    """
    prior, corner, neighbour = number((weight, weight, 1)), number((0, 0, n)), number((0, 1, n - 1))
    return loss_between(ehdl(epsilon), prior, corner, neighbour), above(factor * epsilon)


@statement(
    "hellinger/4.1.4",
    "Section 4.1.4",
    says=r"the Laplace mechanism with sensitivity 1 for $k = 2$ and 2 for $k \ge 3$ is $\varepsilon$-differentially private",
    cases=exponential_private.cases,
)
def histogram_private(prior, n, epsilon):
    """This mechanism is LSHist of the notes, Laplace noise on the histogram.

    Proof: a replaced record changes one free count by 1 for two categories, and the free counts by 2 in sum for more.
    """
    return audit(lshist(epsilon), prior, n).epsilon, at_most(epsilon)
