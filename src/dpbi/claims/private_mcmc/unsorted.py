r"""The claims of "Differentially Private Markov Chain Monte Carlo", its background chapter, and of what its titles name.

The source has a background chapter and then only titles: chapters 3 to 6 hold no text. What those chapters became is
stated here as explicit claims that correct the titles: the penalty algorithm (chapter 3), its variations (4), a reading
of our own of "Gauss-Bernoulli" (5), and the number of iterations in a budget (6).

Notation. P and Q are the laws of an output at neighbouring inputs, L = ln P/Q the privacy loss;
\(\delta_P(\varepsilon) = \sum (P - e^{\varepsilon} Q)_+\) is the hockey stick. The *worst pair* for
\((\varepsilon, \delta)\) reveals the input with probability \(\delta\) and is randomised response otherwise. On a grid a
chain is a matrix, \(\pi\) its target, and the *flow* from i to j is \(\pi_i P_{ij}\). The grid is a Student-t location
model with twenty rows; A is the acceptance averaged over the noise,

\[ A_s(\lambda) = \Phi\Bigl(\frac{\lambda - s^2/2}{s}\Bigr)
   + e^{\lambda} \Phi\Bigl(\frac{-\lambda - s^2/2}{s}\Bigr) . \]
"""

import itertools
from collections.abc import Callable
from fractions import Fraction
from types import ModuleType
from typing import Any

from ..claim import CONDITIONAL, NOT_CHECKABLE, NOT_WELL_FORMED, PROVED, REFUTED, Claim, Condition, claim, grid

Sides = tuple[Any, Any]
Law = list[Any]

CURRENCIES = "private_mcmc/three_currencies"
GAUSSIAN = "private_mcmc/gaussian_mechanism"
METROPOLIS = "private_mcmc/metropolis_hastings"
PENALTY = "private_mcmc/penalty_on_a_grid"
VARIATIONS = "private_mcmc/variations"
BARKER = "private_mcmc/barker_and_gauss_bernoulli"
EXPERIMENTS = "private_mcmc/experiments_banana"

# Laws and divergences, in the arithmetic that is given


def _intervals(real: ModuleType) -> bool:
    return hasattr(real, "Undecided")


def _doubles_only(real: ModuleType) -> None:
    """Matrices of doubles have no intervals: the case is left uncertified."""
    if _intervals(real):
        raise real.Undecided("computed in doubles")


def _decimal(real: ModuleType, digits: str) -> Any:
    """A decimal number, exactly where there are intervals."""
    value = Fraction(digits)
    return real.number(value.numerator) / real.number(value.denominator)


def _erfc(real: ModuleType, x: Any) -> Any:
    if _intervals(real):
        return real.arb(x).erfc()
    from scipy.special import erfc

    return float(erfc(x))


def _cdf(real: ModuleType, x: Any) -> Any:
    return _erfc(real, -x / real.sqrt(real.number(2))) / 2


def _is_zero(x: Any) -> bool:
    return bool(x == 0)


def _exp(real: ModuleType, z: Any) -> Any:
    """The exponential of a number that may be complex, as an integrand sees it."""
    return z.exp() if hasattr(z, "exp") else real.exp(z)


def _profile(real: ModuleType, rho: Any, epsilon: Any) -> Any:
    root = 2 * real.sqrt(rho)
    return (_erfc(real, (epsilon - rho) / root) - real.exp(epsilon) * _erfc(real, (epsilon + rho) / root)) / 2


# Section 2.2: Bayesian inference and Metropolis-Hastings

ROWS = (0.5, -1, 2, 0.25, 1)
"""Five rows of unit variance; the prior of their mean is N(0, 1), so the posterior is N(S/6, 1/6)."""


def _log_normal(real: ModuleType, x: Any, mean: Any, precision: Any) -> Any:
    gap = x - mean
    return (real.log(precision) - real.log(2 * real.pi) - precision * gap * gap) / 2


def _log_posterior(real: ModuleType, theta: Any, rows: Any) -> Any:
    precision = real.number(len(rows) + 1)
    return _log_normal(real, theta, sum(rows) / precision, precision)


def _log_prior(real: ModuleType, theta: Any) -> Any:
    return _log_normal(real, theta, real.number(0), real.number(1))


def _log_likelihood(real: ModuleType, row: Any, theta: Any) -> Any:
    return _log_normal(real, row, theta, real.number(1))


MOVES = grid(rows=[ROWS], proposal=[1, -0.5], theta=[0.25, 0])


@claim(
    id="private-mcmc/2.2-wording",
    source="raisa2020, Section 2.2",
    statement=r"\text{the posterior is ``a probability distribution describing the likelihood of different values of the parameters''}",
    malformed=r"the posterior gives probabilities of parameters; the likelihood is \(p(D \mid \theta)\) as a function of \(\theta\), and no distribution",
    expected=NOT_WELL_FORMED,
    notebook=METROPOLIS,
)
def wording(real: ModuleType) -> Sides:
    """Three lines later the word has its usual meaning."""
    raise NotImplementedError("a word for another")


@claim(
    id="private-mcmc/2.2-likelihood-no-distribution",
    source="raisa2020, Section 2.2",
    statement=r"\int p(\theta \mid D)\, d\theta = 1, \text{ unlike } \int p(D \mid \theta)\, d\theta",
    cases=[{"rows": ROWS}, {"rows": (0.5, 3)}],
    corrects="private-mcmc/2.2-wording",
    proof=True,
    expected=PROVED,
    notebook=METROPOLIS,
)
def posterior_mass(real: ModuleType, rows: Any) -> Sides:
    r"""Prior times likelihood, divided by its integral: the closed form of the evidence, against quadrature of the
    numerator. Here \(\int p(D \mid \theta) d\theta\) is a number that depends on the data.
    """
    n = len(rows)
    mean = sum(rows) / n
    square = sum(x * x for x in rows) - n * mean * mean
    evidence = _log_normal(real, mean, real.number(0), real.number(n) / (n + 1)) - square / 2
    evidence = evidence - (n - 1) * real.log(2 * real.pi) / 2 - real.log(real.number(n)) / 2

    def numerator(theta: Any) -> Any:
        exponent = -theta * theta / 2 - sum((x - theta) * (x - theta) for x in rows) / 2
        return _exp(real, exponent)

    centre = sum(rows) / (n + 1)
    area = real.integral(numerator, centre - 15, centre + 15) / real.exp((n + 1) * real.log(2 * real.pi) / 2)
    return area / real.exp(evidence), real.number(1)


@claim(
    id="private-mcmc/2.2-bayes",
    source="raisa2020, Section 2.2, Bayes' theorem",
    statement=r"p(\theta \mid D) = \frac{p(D \mid \theta)\, p(\theta)}{\int p(D \mid \theta')\, p(\theta')\, d\theta'}",
    cases=grid(rows=[ROWS, (0.5, 3)], theta=[0, 0.7]),
    proof=True,
    expected=PROVED,
    notebook=METROPOLIS,
)
def bayes(real: ModuleType, rows: Any, theta: Any) -> Sides:
    """The variable under the integral needs another letter than the one outside. The evidence is computed row by row, from
    predictive densities.
    """
    evidence, precision, total = real.number(0), real.number(1), real.number(0)
    for row in rows:
        spread = precision / (precision + 1)
        evidence = evidence + _log_normal(real, row, total / precision, spread)
        precision, total = precision + 1, total + row
    joint = _log_prior(real, theta) + sum(_log_likelihood(real, row, theta) for row in rows)
    return _log_posterior(real, theta, rows), joint - evidence


@claim(
    id="private-mcmc/2.2-metropolis",
    source="raisa2020, Section 2.2, Metropolis-Hastings",
    statement=r"\text{accepting with probability } \min\{1, r\},\ r = \frac{\pi(\theta^*)}{\pi(\theta)} \frac{q(\theta \mid \theta^*)}{q(\theta^* \mid \theta)}, \text{ leaves } \pi \text{ invariant: error} \le 10^{-12}",
    relation="<=",
    cases=grid(points=[11, 41], lean=[0, 3]),
    proof=True,
    expected=PROVED,
    notebook=METROPOLIS,
)
def metropolis_ratio(real: ModuleType, points: Any, lean: Any) -> Sides:
    r"""The flow is \(\min\{\pi_i q_{ij}, \pi_j q_{ji}\}\), symmetric. The proposal leans to one side, so that its ratio
    matters.
    """
    weight = _weights(real, _grid_target(real, int(points)))
    g = int(points)
    towards = [1 + lean * real.number(j) / g for j in range(g)]
    mass = sum(towards)

    def flow(i: int, j: int) -> Any:
        there, back = weight[i] * towards[j], weight[j] * towards[i]
        return there * real.smallest([real.number(1), back / there]) / mass

    return _seen(real, _imbalance(real, weight, flow)), _decimal(real, "1e-12")


CONVERGES = Condition(r"the chain is irreducible and aperiodic", lambda kind, **_: kind not in ("flip", "halves"))


@claim(
    id="private-mcmc/2.2-convergence",
    source="raisa2020, Section 2.2",
    statement=r"\text{with a suitable proposal the chain converges to } \pi\text{: after 600 steps the distance is} \le 10^{-6}",
    relation="<=",
    cases=grid(kind=["uniform", "neighbours", "flip", "halves"]),
    condition=CONVERGES,
    expected=CONDITIONAL,
    notebook=METROPOLIS,
)
def convergence(real: ModuleType, kind: str) -> Sides:
    """What "suitable" has to mean: every state is reached, and not in a fixed rhythm. Four states, a uniform target; a
    proposal that always changes the side flips for ever, one that never leaves its half stays there.
    """
    quarter, half = _decimal(real, "0.25"), _decimal(real, "0.5")
    one, zero = real.number(1), real.number(0)
    matrix = {
        "uniform": [[quarter] * 4] * 4,
        "neighbours": [[half, half, zero, zero], [half, zero, half, zero], [zero, half, zero, half], [zero, zero, half, half]],
        "flip": [[zero, one, zero, zero], [one, zero, zero, zero], [zero, zero, zero, one], [zero, zero, one, zero]],
        "halves": [[half, half, zero, zero], [half, half, zero, zero], [zero, zero, half, half], [zero, zero, half, half]],
    }[kind]  # fmt: skip
    law = [one, zero, zero, zero]
    for _ in range(600):
        law = [sum(law[i] * matrix[i][j] for i in range(4) if not _is_zero(matrix[i][j])) + zero for j in range(4)]
        if _intervals(real):
            law = [real.arb(value) for value in law]
    return sum(abs(value - quarter) for value in law) / 2, _decimal(real, "1e-6")


@claim(
    id="private-mcmc/2.2-cancel",
    source="raisa2020, Section 2.2",
    statement=r"\frac{p(\theta^* \mid D)}{p(\theta \mid D)} = \frac{p(D \mid \theta^*)\, p(\theta^*)}{p(D \mid \theta)\, p(\theta)}",
    cases=MOVES,
    proof=True,
    expected=PROVED,
    notebook=METROPOLIS,
)
def cancel(real: ModuleType, rows: Any, proposal: Any, theta: Any) -> Sides:
    """The integral in the denominator is the same for both."""
    exact = _log_posterior(real, proposal, rows) - _log_posterior(real, theta, rows)
    return exact, _likelihood_ratio(real, rows, proposal, theta) + _prior_ratio(real, proposal, theta)


def _prior_ratio(real: ModuleType, proposal: Any, theta: Any) -> Any:
    return _log_prior(real, proposal) - _log_prior(real, theta)


def _likelihood_ratio(real: ModuleType, rows: Any, proposal: Any, theta: Any) -> Any:
    return sum(_log_likelihood(real, row, proposal) - _log_likelihood(real, row, theta) for row in rows)


@claim(
    id="private-mcmc/2.2-lambda",
    source="raisa2020, Section 2.2, lambda",
    statement=r"\lambda = \ln\frac{p(\theta^* \mid D)}{p(\theta \mid D)} + \ln\frac{p(\theta^*)}{p(\theta)} + \ln\frac{q(\theta \mid \theta^*)}{q(\theta^* \mid \theta)} \text{ equals } \ln r",
    cases=MOVES,
    expected=REFUTED,
    notebook=METROPOLIS,
)
def printed_lambda(real: ModuleType, rows: Any, proposal: Any, theta: Any) -> Sides:
    r"""The prior is counted twice: it is in the posterior already. In the example, with five rows and a N(0, 1) prior, a
    chain that accepts with \(\min\{1, e^\lambda\}\) has the variance 1/7 and the mean S/7, where the posterior has 1/6 and
    S/6.
    """
    ratio = _log_posterior(real, proposal, rows) - _log_posterior(real, theta, rows)
    return ratio + _prior_ratio(real, proposal, theta), ratio


@claim(
    id="private-mcmc/2.2-lambda-corrected",
    source="raisa2020, Section 2.2, lambda",
    statement=r"\lambda = \ln\frac{p(D \mid \theta^*)}{p(D \mid \theta)} + \ln\frac{p(\theta^*)}{p(\theta)} + \ln\frac{q(\theta \mid \theta^*)}{q(\theta^* \mid \theta)} = \ln r",
    cases=MOVES,
    corrects="private-mcmc/2.2-lambda",
    proof=True,
    expected=PROVED,
    notebook=METROPOLIS,
)
def corrected_lambda(real: ModuleType, rows: Any, proposal: Any, theta: Any) -> Sides:
    """With the likelihood in the first term, ``private-mcmc/2.2-cancel``. A symmetric proposal has no third."""
    ratio = _log_posterior(real, proposal, rows) - _log_posterior(real, theta, rows)
    return _likelihood_ratio(real, rows, proposal, theta) + _prior_ratio(real, proposal, theta), ratio


@claim(
    id="private-mcmc/2.2-likelihood",
    source="raisa2020, Section 2.2, likelihood",
    statement=r"\text{the likelihood of row } D_j \text{ is } p(\theta \mid D_j)",
    cases=grid(row=[0.5, 2], proposal=[1], theta=[0.25, 0]),
    expected=REFUTED,
    notebook=METROPOLIS,
)
def printed_likelihood(real: ModuleType, row: Any, proposal: Any, theta: Any) -> Sides:
    r"""Written backwards: that is the posterior of one row. Compared as what a chain uses of it, the log ratio of two
    parameters.
    """
    exact = _log_posterior(real, proposal, [row]) - _log_posterior(real, theta, [row])
    return exact, _likelihood_ratio(real, [row], proposal, theta)


@claim(
    id="private-mcmc/2.2-likelihood-corrected",
    source="raisa2020, Section 2.2, likelihood",
    statement=r"\text{the likelihood of row } D_j \text{ is } p(D_j \mid \theta)\text{: } \ln\frac{p(\theta^* \mid D_j)}{p(\theta \mid D_j)} = \ln\frac{p(D_j \mid \theta^*)}{p(D_j \mid \theta)} + \ln\frac{p(\theta^*)}{p(\theta)}",
    cases=printed_likelihood.cases,
    corrects="private-mcmc/2.2-likelihood",
    proof=True,
    expected=PROVED,
    notebook=METROPOLIS,
)
def corrected_likelihood(real: ModuleType, row: Any, proposal: Any, theta: Any) -> Sides:
    """Bayes' theorem for one row."""
    exact = _log_posterior(real, proposal, [row]) - _log_posterior(real, theta, [row])
    return exact, _likelihood_ratio(real, [row], proposal, theta) + _prior_ratio(real, proposal, theta)


@claim(
    id="private-mcmc/2.2-product-index",
    source="raisa2020, Section 2.2, independence",
    statement=r"p(\theta \mid D) = \prod_{j=1}^{k} p(\theta \mid D_j)",
    malformed=r"the product runs over the n rows; k is the number of iterations of Algorithm 1, and the next display has n",
    expected=NOT_WELL_FORMED,
    notebook=METROPOLIS,
)
def product_index(real: ModuleType) -> Sides:
    """Read with n in ``private-mcmc/2.2-product``."""
    raise NotImplementedError("the index is misprinted")


@claim(
    id="private-mcmc/2.2-product",
    source="raisa2020, Section 2.2, independence",
    statement=r"p(\theta \mid D) = \prod_{j=1}^{n} p(\theta \mid D_j)",
    cases=grid(rows=[ROWS, (0.5, 3)], theta=[0.25, 0]),
    expected=REFUTED,
    notebook=METROPOLIS,
)
def printed_product(real: ModuleType, rows: Any, theta: Any) -> Sides:
    r"""Posteriors of single rows do not multiply to the posterior of all: the prior would be counted n times, and the
    product is not even a density. In the example its precision is 10 instead of 6, and 11 with the prior that Algorithm 1
    adds once more.
    """
    return sum(_log_posterior(real, theta, [row]) for row in rows), _log_posterior(real, theta, rows)


@claim(
    id="private-mcmc/2.2-product-corrected",
    source="raisa2020, Section 2.2, independence",
    statement=r"p(D \mid \theta) = \prod_{j=1}^{n} p(D_j \mid \theta)",
    cases=printed_product.cases,
    corrects="private-mcmc/2.2-product",
    proof=True,
    expected=PROVED,
    notebook=METROPOLIS,
)
def corrected_product(real: ModuleType, rows: Any, theta: Any) -> Sides:
    r"""What independence given \(\theta\) means. The left side from Bayes' theorem: posterior times evidence over prior,
    the evidence from predictive densities.
    """
    _, joint = bayes.body(real, rows=rows, theta=theta)
    likelihood = sum(_log_likelihood(real, row, theta) for row in rows)
    evidence = _log_prior(real, theta) + likelihood - joint
    return _log_posterior(real, theta, rows) + evidence - _log_prior(real, theta), likelihood


@claim(
    id="private-mcmc/2.2-product-over-rows",
    source="raisa2020, Section 2.2, independence",
    statement=r"\text{the product has } n \text{ factors, one for each row: } \ln p(D \mid \theta) - \ln p(D_{-n} \mid \theta) = \ln p(D_n \mid \theta)",
    cases=printed_product.cases,
    corrects="private-mcmc/2.2-product-index",
    proof=True,
    expected=PROVED,
    notebook=METROPOLIS,
)
def product_over_rows(real: ModuleType, rows: Any, theta: Any) -> Sides:
    """Leaving out the last row takes its factor away."""
    whole, _ = corrected_product.body(real, rows=rows, theta=theta)
    less, _ = corrected_product.body(real, rows=rows[:-1], theta=theta)
    return whole - less, _log_likelihood(real, rows[-1], theta)


@claim(
    id="private-mcmc/2.2-ratio-sum",
    source="raisa2020, Section 2.2, log likelihood ratio",
    statement=r"\ln\frac{p(\theta^* \mid D)}{p(\theta \mid D)} = \sum_{j=1}^n \ln\frac{p(\theta^* \mid D_j)}{p(\theta \mid D_j)}",
    cases=MOVES,
    expected=REFUTED,
    notebook=METROPOLIS,
)
def printed_ratio_sum(real: ModuleType, rows: Any, proposal: Any, theta: Any) -> Sides:
    """It would follow from ``private-mcmc/2.2-product``; the right side has the prior n times, the left side once."""
    exact = _log_posterior(real, proposal, rows) - _log_posterior(real, theta, rows)
    return exact, sum(_log_posterior(real, proposal, [row]) - _log_posterior(real, theta, [row]) for row in rows)


@claim(
    id="private-mcmc/2.2-ratio-sum-corrected",
    source="raisa2020, Section 2.2, log likelihood ratio",
    statement=r"\ln\frac{p(D \mid \theta^*)}{p(D \mid \theta)} = \sum_{j=1}^n \ln\frac{p(D_j \mid \theta^*)}{p(D_j \mid \theta)}",
    cases=MOVES,
    corrects="private-mcmc/2.2-ratio-sum",
    proof=True,
    expected=PROVED,
    notebook=METROPOLIS,
)
def corrected_ratio_sum(real: ModuleType, rows: Any, proposal: Any, theta: Any) -> Sides:
    """The logarithm of ``private-mcmc/2.2-product-corrected`` at two parameters."""
    sides = [corrected_product.body(real, rows=rows, theta=value)[0] for value in (proposal, theta)]
    return sides[0] - sides[1], _likelihood_ratio(real, rows, proposal, theta)


def _algorithm_1(real: ModuleType, points: Any, log_ratio: Callable[[Any, Any], Any]) -> Any:
    """How far the posterior of the example is from being invariant under Algorithm 1 on a grid, with a ratio of one's own."""
    g = int(points)
    theta = [real.number(4 * i) / (g - 1) - 2 for i in range(g)]
    weight = _weights(real, [_log_posterior(real, t, _numbers(real)) for t in theta])

    def flow(i: int, j: int) -> Any:
        ratio = log_ratio(theta[j], theta[i])
        return weight[i] * real.smallest([real.number(1), real.exp(ratio)]) / (g - 1)

    return _imbalance(real, weight, flow)


def _numbers(real: ModuleType) -> list[Any]:
    return [real.number(row) for row in ROWS]


@claim(
    id="private-mcmc/algorithm-1",
    source="raisa2020, Algorithm 1",
    statement=r"\text{with } \lambda = \sum_j \ln\frac{p(\theta^* \mid D_j)}{p(\theta_{i-1} \mid D_j)} + \ln\frac{p(\theta^*)}{p(\theta_{i-1})} + \ln\frac{q(\theta_{i-1} \mid \theta^*)}{q(\theta^* \mid \theta_{i-1})} \text{ the posterior is invariant: error} \le 10^{-12}",
    relation="<=",
    cases=grid(points=[5, 41]),
    expected=REFUTED,
    notebook=METROPOLIS,
)
def printed_algorithm(real: ModuleType, points: Any) -> Sides:
    """As printed it samples N(S/11, 1/11) in the example, where the posterior is N(S/6, 1/6)."""
    rows = _numbers(real)

    def ratio(proposal: Any, theta: Any) -> Any:
        return printed_ratio_sum.body(real, rows, proposal, theta)[1] + _prior_ratio(real, proposal, theta)

    return _seen(real, _algorithm_1(real, points, ratio)), _decimal(real, "1e-12")


@claim(
    id="private-mcmc/algorithm-1-corrected",
    source="raisa2020, Algorithm 1",
    statement=r"\text{with } \lambda = \sum_j \ln\frac{p(D_j \mid \theta^*)}{p(D_j \mid \theta_{i-1})} + \ln\frac{p(\theta^*)}{p(\theta_{i-1})} + \ln\frac{q(\theta_{i-1} \mid \theta^*)}{q(\theta^* \mid \theta_{i-1})} \text{ it is: error} \le 10^{-12}",
    relation="<=",
    cases=printed_algorithm.cases,
    corrects="private-mcmc/algorithm-1",
    proof=True,
    expected=PROVED,
    notebook=METROPOLIS,
)
def corrected_algorithm(real: ModuleType, points: Any) -> Sides:
    """``private-mcmc/2.2-lambda-corrected`` in ``private-mcmc/2.2-metropolis``."""
    rows = _numbers(real)

    def ratio(proposal: Any, theta: Any) -> Any:
        return _likelihood_ratio(real, rows, proposal, theta) + _prior_ratio(real, proposal, theta)

    return _seen(real, _algorithm_1(real, points, ratio)), _decimal(real, "1e-12")


# Chapter 3: the penalty algorithm, on a grid


def _grid_target(real: ModuleType, points: int) -> list[Any]:
    """Log target of the Student-t location model with twenty rows, a normal prior, on equally spaced points of [-2, 2]."""
    theta = [real.number(4 * i) / (points - 1) - 2 for i in range(points)]
    return [sum(row) - t * t / 8 for row, t in zip(zip(*_grid_rows(real, points), strict=True), theta, strict=True)]


def _grid_rows(real: ModuleType, points: int) -> list[list[Any]]:
    """Log likelihoods of the rows at the points."""
    theta = [real.number(4 * i) / (points - 1) - 2 for i in range(points)]
    rows = [(real.number(7 * j % 20) - 8) / 4 for j in range(20)]
    return [[-2 * real.log(1 + (x - t) * (x - t) / 3) for t in theta] for x in rows]


def _weights(real: ModuleType, log_target: list[Any]) -> list[Any]:
    top = max(range(len(log_target)), key=lambda i: float(log_target[i]))
    weight = [real.exp(value - log_target[top]) for value in log_target]
    total = sum(weight)
    return [value / total for value in weight]


def _seen(real: ModuleType, error: Any) -> Any:
    """An error as far as doubles can tell: what is below 1e-13 counts as 1e-13."""
    return real.largest([error, _decimal(real, "1e-13")])


def _imbalance(real: ModuleType, weight: list[Any], flow: Callable[[int, int], Any]) -> Any:
    r"""Total variation distance between \(\pi P\) and \(\pi\), from the flows between different points."""
    g = len(weight)
    flows = [[flow(i, j) if i != j else real.number(0) for j in range(g)] for i in range(g)]
    return sum(abs(sum(flows[i][j] - flows[j][i] for i in range(g))) for j in range(g)) / 2


def _accepted(real: ModuleType, ratio: Any, s: Any, correction: Any) -> Any:
    mean = ratio - correction * s * s
    over = _cdf(real, mean / s)
    under = _cdf(real, -mean / s - s)
    return over + (real.exp(mean + s * s / 2) * under if not _is_zero(under) else 0)


def _penalty_chain(real: ModuleType, points: Any, rate: Any, correction: Any) -> Any:
    g = int(points)
    log_target = _grid_target(real, g)
    weight = _weights(real, log_target)

    def flow(i: int, j: int) -> Any:
        s = rate * abs(i - j) * 4 / (g - 1)
        return weight[i] * _accepted(real, log_target[j] - log_target[i], s, correction) / (g - 1)

    return _imbalance(real, weight, flow)


@claim(
    id="private-mcmc/3-title",
    source="raisa2020, Chapter 3",
    statement=r"\text{``Differentially Private MCMC''}",
    uncheckable=r"a title without a text. The chapter became the penalty algorithm and Barker's test, stated here as explicit claims",
    expected=NOT_CHECKABLE,
    notebook=PENALTY,
)
def chapter_3(real: ModuleType) -> Sides:
    """See ``private-mcmc/3-penalty`` and what follows it."""
    raise NotImplementedError("no text")


@claim(
    id="private-mcmc/3-acceptance",
    source="raisa2020, Chapter 3",
    statement=r"A_s(\lambda) = e^{\lambda} A_s(-\lambda)",
    cases=grid(ratio=[-4, -0.3, 0, 1.5, 20], s=[0.1, 1, 4]),
    proof=True,
    expected=PROVED,
    notebook=PENALTY,
)
def acceptance_identity(real: ModuleType, ratio: Any, s: Any) -> Sides:
    r"""Exchange the two terms. It is why the penalty algorithm is exact: with \(y \sim N(\lambda - s^2/2, s^2)\) the
    density of \(-y\) for the move back is \(e^{y - \lambda}\) times that of y, so every g with
    \(g(y) = e^{y} g(-y)\) satisfies detailed balance on average.
    """
    half = _decimal(real, "0.5")
    return _accepted(real, ratio, s, half), real.exp(ratio) * _accepted(real, -ratio, s, half)


@claim(
    id="private-mcmc/3-penalty",
    source="raisa2020, Chapter 3",
    statement=r"\text{accepting if } \ln u < \lambda + sZ - \tfrac12 s^2,\ s(\theta, \theta') \text{ symmetric, leaves } \pi \text{ invariant: error} \le 10^{-12}",
    relation="<=",
    cases=grid(points=[41], rate=[0.5, 2]),
    corrects="private-mcmc/3-title",
    proof=True,
    expected=PROVED,
    notebook=PENALTY,
)
def penalty_invariant(real: ModuleType, points: Any, rate: Any) -> Sides:
    """``private-mcmc/3-acceptance`` gives detailed balance, pair by pair."""
    return _seen(real, _penalty_chain(real, points, rate, _decimal(real, "0.5"))), _decimal(real, "1e-12")


@claim(
    id="private-mcmc/3-no-correction",
    source="raisa2020, Chapter 3",
    statement=r"\text{without the correction } -\tfrac12 s^2 \text{ the error is more than } 10^{-5}",
    relation=">",
    cases=grid(points=[41], rate=[0.5, 2]),
    notebook=PENALTY,
)
def no_correction(real: ModuleType, points: Any, rate: Any) -> Sides:
    """A wrong variant that must be seen. Noise in the ratio favours acceptance, and more so over long distances."""
    return _penalty_chain(real, points, rate, real.number(0)), _decimal(real, "1e-5")


@claim(
    id="private-mcmc/3-half-correction",
    source="raisa2020, Chapter 3",
    statement=r"\text{with half of it, } -\tfrac14 s^2, \text{ the error is more than } 10^{-5}",
    relation=">",
    cases=grid(points=[41], rate=[0.5, 2]),
    notebook=PENALTY,
)
def half_correction(real: ModuleType, points: Any, rate: Any) -> Sides:
    """The variance in the correction must be that of the noise."""
    return _penalty_chain(real, points, rate, _decimal(real, "0.25")), _decimal(real, "1e-5")


def _clipped(real: ModuleType, points: int, clip: Any) -> Callable[[int, int], Any]:
    rows = _grid_rows(real, points)
    theta = [real.number(4 * i) / (points - 1) - 2 for i in range(points)]

    def ratio(i: int, j: int) -> Any:
        bound = clip * abs(theta[j] - theta[i])
        kept = (real.smallest([bound, real.largest([-bound, row[j] - row[i]])]) for row in rows)
        return sum(kept) - (theta[j] * theta[j] - theta[i] * theta[i]) / 8

    return ratio


@claim(
    id="private-mcmc/3-clipping",
    source="raisa2020, Chapter 3",
    statement=r"\text{with clipped ratios } \lambda_c \text{ the chain is still reversible: } \lambda_c(x, y) + \lambda_c(y, z) + \lambda_c(z, x) = 0",
    cases=grid(points=[41], clip=[0.1, 0.3], places=[(5, 20, 35), (10, 22, 30)]),
    expected=REFUTED,
    notebook=PENALTY,
)
def clipping(real: ModuleType, points: Any, clip: Any, places: Any) -> Sides:
    r"""Kolmogorov's condition for a reversible chain with acceptance \(A_s(\lambda_c)\): the ratios around every cycle add
    up to zero. Clipped ratios are antisymmetric, but not differences of one function, so there is in general no law with
    respect to which the chain is reversible.
    """
    ratio = _clipped(real, int(points), clip)
    x, y, z = (int(place) for place in places)
    return ratio(x, y) + ratio(y, z) + ratio(z, x), real.number(0)


@claim(
    id="private-mcmc/3-clipping-corrected",
    source="raisa2020, Chapter 3",
    statement=r"\text{on a line with moves to neighbours only, the clipped chain is reversible for } \tilde\pi(x_i) \propto \exp\sum_{m < i} \lambda_c(x_m, x_{m+1})\text{: error} \le 10^{-12}",
    relation="<=",
    cases=grid(points=[41], clip=[0.1, 0.3], rate=[0.5]),
    corrects="private-mcmc/3-clipping",
    proof=True,
    expected=PROVED,
    notebook=PENALTY,
)
def clipping_corrected(real: ModuleType, points: Any, clip: Any, rate: Any) -> Sides:
    """There are no cycles on a line. Where the law ends up, in closed form."""
    g = int(points)
    ratio = _clipped(real, g, clip)
    path = [real.number(0)]
    for i in range(g - 1):
        path.append(path[-1] + ratio(i, i + 1))
    weight = _weights(real, path)
    half = _decimal(real, "0.5")

    def flow(i: int, j: int) -> Any:
        if abs(i - j) != 1:
            return real.number(0)
        return weight[i] * _accepted(real, ratio(i, j), rate * 4 / (g - 1), half) / 2

    return _seen(real, _imbalance(real, weight, flow)), _decimal(real, "1e-12")


@claim(
    id="private-mcmc/3-clipping-bias",
    source="raisa2020, Chapter 3",
    statement=r"\text{clipping to } \pm b\|\theta' - \theta\| \text{ moves the stationary law: total variation more than } 0.01",
    relation=">",
    cases=grid(clip=[0.3, 0.5, 0.8]),
    notebook=PENALTY,
)
def clipping_bias(real: ModuleType, clip: Any) -> Sides:
    """On a 41-point grid with sixty simulated rows; from 0.10 where half of the ratios are clipped to 0.23 at four fifths.
    No bound on the bias is known: it is a number, computed.
    """
    _doubles_only(real)
    from ...mcmc import exact

    model = exact.student_grid()
    accepted = exact.penalty_acceptance(model.clipped_ratio(clip), 0.5 * model.distance)
    return exact.bias(exact.transition(exact.walk(41), accepted), model.target), _decimal(real, "0.01")


@claim(
    id="private-mcmc/3-cost",
    source="raisa2020, Chapter 3",
    statement=r"\text{noise } \tau\sqrt n \Delta \text{ on a sum of sensitivity } \Delta \text{ costs } \rho = \frac{1}{2\tau^2 n} \text{ per step, whatever } \Delta",
    cases=grid(tau=[0.1, 2], n=[100, 100000], sensitivity=[0.001, 7]),
    proof=True,
    expected=PROVED,
    notebook=PENALTY,
)
def penalty_cost(real: ModuleType, tau: Any, n: Any, sensitivity: Any) -> Sides:
    r"""\(\Delta^2 / (2 \tau^2 n \Delta^2)\): the sensitivity changes from step to step, its ratio to the noise does not.
    The left side is the divergence of order 2, halved, by quadrature.
    """
    deviation = tau * real.sqrt(real.number(n)) * sensitivity
    from .laws import normal_divergence

    exact = normal_divergence(real.number(2), deviation / sensitivity, real.number(1))
    return exact / 2, 1 / (2 * tau * tau * n)


# Chapter 4: variations


@claim(
    id="private-mcmc/4-title",
    source="raisa2020, Chapter 4",
    statement=r"\text{``Variations of the Penalty Algorithm''}",
    uncheckable=r"a title without a text. The variations that followed are component updates, the guided walk, batches and Hamiltonian Monte Carlo, stated here as explicit claims",
    expected=NOT_CHECKABLE,
    notebook=VARIATIONS,
)
def chapter_4(real: ModuleType) -> Sides:
    """See ``private-mcmc/4-components`` and what follows it."""
    raise NotImplementedError("no text")


@claim(
    id="private-mcmc/4-components",
    source="raisa2020, Chapter 4",
    statement=r"\text{moving one random component at a time leaves } \pi \text{ invariant: error} \le 10^{-12}",
    relation="<=",
    cases=grid(points=[9], rate=[0.5, 2]),
    corrects="private-mcmc/4-title",
    proof=True,
    expected=PROVED,
    notebook=VARIATIONS,
)
def components(real: ModuleType, points: Any, rate: Any) -> Sides:
    """Each component's move is a penalty step with a symmetric proposal, and a mixture of reversible chains is reversible.
    On a square of points, the two components dependent.
    """
    g = int(points)
    line = _grid_target(real, g)
    plane = {(i, j): line[i] + line[j] / 2 - real.number((i - 4) * (j - 4)) / 8 for i in range(g) for j in range(g)}
    states = list(plane)
    weight = _weights(real, list(plane.values()))
    half = _decimal(real, "0.5")

    def flow(a: int, b: int) -> Any:
        (i, j), (k, m) = states[a], states[b]
        if (i == k) == (j == m):
            return real.number(0)
        s = rate * (abs(i - k) + abs(j - m)) * 4 / (g - 1)
        return weight[a] * _accepted(real, plane[k, m] - plane[i, j], s, half) / (2 * (g - 1))

    return _seen(real, _imbalance(real, weight, flow)), _decimal(real, "1e-12")


def _guided(
    real: ModuleType, points: Any, rate: Any, correction: Any
) -> tuple[list[Any], list[list[Any]], list[Any], list[Any]]:
    """Weights, acceptances over (g - 1), and what is refused going up and going down."""
    g = int(points)
    log_target = _grid_target(real, g)
    weight = _weights(real, log_target)
    accepted = [
        [
            _accepted(real, log_target[j] - log_target[i], rate * abs(i - j) * 4 / (g - 1), correction) / (g - 1)
            if i != j
            else real.number(0)
            for j in range(g)
        ]
        for i in range(g)
    ]
    up = [1 - sum(accepted[i][i + 1 :]) for i in range(g)]
    down = [1 - sum(accepted[i][:i]) for i in range(g)]
    return weight, accepted, up, down


def _guided_error(real: ModuleType, points: Any, rate: Any, correction: Any) -> Any:
    weight, accepted, up, down = _guided(real, points, rate, correction)
    g = len(weight)
    error = real.number(0)
    for j in range(g):
        going_up = sum((weight[i] * accepted[i][j] for i in range(j)), weight[j] * down[j])
        going_down = sum((weight[i] * accepted[i][j] for i in range(j + 1, g)), weight[j] * up[j])
        error = error + abs(going_up - weight[j]) / 4 + abs(going_down - weight[j]) / 4
    return error


@claim(
    id="private-mcmc/4-guided",
    source="raisa2020, Chapter 4",
    statement=r"\text{the guided walk leaves } \pi(\theta) \times \text{uniform}(\pm 1) \text{ invariant: error} \le 10^{-12}",
    relation="<=",
    cases=grid(points=[41], rate=[0.5, 2]),
    proof=True,
    expected=PROVED,
    notebook=VARIATIONS,
)
def guided(real: ModuleType, points: Any, rate: Any) -> Sides:
    r"""Skew detailed balance, \(\pi(x) P(x \to y) = \pi(y) P(Fy \to Fx)\), F the change of direction, summed over x. What
    arrives at a point going up are the moves from below and the refusals of those that came down.
    """
    return _seen(real, _guided_error(real, points, rate, _decimal(real, "0.5"))), _decimal(real, "1e-12")


@claim(
    id="private-mcmc/4-guided-no-correction",
    source="raisa2020, Chapter 4",
    statement=r"\text{without the correction its error is more than } 10^{-5}",
    relation=">",
    cases=grid(points=[41], rate=[0.5, 2]),
    notebook=VARIATIONS,
)
def guided_no_correction(real: ModuleType, points: Any, rate: Any) -> Sides:
    """A wrong variant that must be seen."""
    return _guided_error(real, points, rate, real.number(0)), _decimal(real, "1e-5")


@claim(
    id="private-mcmc/4-guided-balance",
    source="raisa2020, Chapter 4",
    statement=r"\text{the guided walk satisfies detailed balance: } \pi_x P_{xy} = \pi_y P_{yx}",
    relation="<=",
    cases=grid(points=[41], rate=[0.5, 2]),
    expected=REFUTED,
    notebook=VARIATIONS,
)
def guided_balance(real: ModuleType, points: Any, rate: Any) -> Sides:
    """It moves up while it goes up, and never back in one step: the flow back is zero."""
    weight, accepted, _, _ = _guided(real, points, rate, _decimal(real, "0.5"))
    g = len(weight)
    return real.largest(weight[i] * accepted[i][j] / 2 for i in range(g) for j in range(i + 1, g)), (
        _decimal(real, "1e-12")
    )


@claim(
    id="private-mcmc/4-guided-skew",
    source="raisa2020, Chapter 4",
    statement=r"\text{it satisfies skew detailed balance: } |\pi_x P_{xy} - \pi_y P_{Fy, Fx}| \le 10^{-12}",
    relation="<=",
    cases=grid(points=[41], rate=[0.5, 2]),
    corrects="private-mcmc/4-guided-balance",
    proof=True,
    expected=PROVED,
    notebook=VARIATIONS,
)
def guided_skew(real: ModuleType, points: Any, rate: Any) -> Sides:
    """The move back with the direction reversed is proposed as often, and accepted by the penalty test."""
    weight, accepted, _, _ = _guided(real, points, rate, _decimal(real, "0.5"))
    g = len(weight)
    gaps = (abs(weight[i] * accepted[i][j] - weight[j] * accepted[j][i]) / 2 for i in range(g) for j in range(i))
    return _seen(real, real.largest(gaps)), _decimal(real, "1e-12")


def _variance_change(real: ModuleType, b: Any) -> Any:
    """Half the largest change of a sum of squares about its mean, one value of b within 1 replaced, over extreme points."""
    size = int(b)
    values = [real.number(v) for v in (-1, 0, 1)]
    worst = []
    for ones in range(size):
        rest = [real.number(1)] * ones + [real.number(-1)] * (size - 1 - ones)
        spreads = []
        for value in values:
            total = sum(rest) + value
            spreads.append(sum(r * r for r in rest) + value * value - total * total / size)
        worst.append(real.largest(spreads) - real.smallest(spreads))
    return real.largest(worst) / 2


@claim(
    id="private-mcmc/4-minibatch-variance",
    source="raisa2020, Chapter 4",
    statement=r"\tfrac12 \bigl|\Delta \sum_B (r_j - \bar r)^2\bigr| \le \frac{3(b-1)}{b},\ |r_j| \le 1",
    relation="<=",
    cases=grid(b=[2, 6, 40]),
    proof=True,
    expected=PROVED,
    notebook=VARIATIONS,
)
def minibatch_variance(real: ModuleType, b: Any) -> Sides:
    """The constant of the public programs, from two bounds added. It is never reached: ``private-mcmc/4-minibatch-sharp``."""
    return _variance_change(real, b), 3 * (b - 1) / b


@claim(
    id="private-mcmc/4-minibatch-sharp",
    source="raisa2020, Chapter 4",
    statement=r"\tfrac12 \bigl|\Delta \sum_B (r_j - \bar r)^2\bigr| \le \frac{2(b-1)}{b}",
    relation="<=",
    cases=minibatch_variance.cases,
    tight={"b": 6},
    corrects="private-mcmc/4-minibatch-variance",
    proof=True,
    expected=PROVED,
    notebook=VARIATIONS,
)
def minibatch_sharp(real: ModuleType, b: Any) -> Sides:
    r"""With S the sum of the others, replacing r by r' changes \(\sum r^2 - (\sum r)^2/b\) by
    \((1 - \frac1b)(r'^2 - r^2) - \frac{2S}{b}(r' - r)\), largest at \(r' = 1\), \(S = -(b-1)\), where it is
    \((1 - \frac1b)[(1 - r^2) + 2(1 - r)] \le 4(1 - \frac1b)\), reached at \(r = -1\). Same privacy, less noise.
    """
    return _variance_change(real, b), 2 * (b - 1) / b


@claim(
    id="private-mcmc/4-minibatch-count",
    source="raisa2020, Chapter 4",
    statement=r"\tau = 0.7,\ b = 1000,\ n = 10^5,\ \delta = 10^{-6}\text{: the amplified Rényi bound allows 329 iterations at } \varepsilon = 4 \text{ and 991 at } \varepsilon = 6",
    cases=[{"epsilon": 4, "count": 329}, {"epsilon": 6, "count": 991}],
    expected=REFUTED,
    notebook=VARIATIONS,
)
def minibatch_count(real: ModuleType, epsilon: Any, count: Any) -> Sides:
    r"""The public program's sum over orders stops at \(\alpha - 1\). With its last term it allows 272 and 961. The exact side
    is the largest number of steps whose classic conversion stays within epsilon.
    """
    return _minibatch_count(real, epsilon), count


def _minibatch_count(real: ModuleType, epsilon: Any) -> Any:
    """In intervals: the conversion at the best order must be decided for a count and the next one."""
    ln_q, rate = real.log(_decimal(real, "0.01")), _decimal(real, "0.7")
    values = {}
    for alpha in range(2, 20):
        second = real.exp(1 / rate)
        first = real.number(alpha * (alpha - 1)) / 2 * real.smallest([4 * (second - 1), 2 * second])
        total = 1 + real.exp(2 * ln_q) * first
        for j in range(3, alpha + 1):
            binomial = real.lgamma(real.number(alpha + 1)) - real.lgamma(real.number(j + 1))
            binomial = binomial - real.lgamma(real.number(alpha - j + 1))
            total = total + 2 * real.exp(j * ln_q + binomial + (j - 1) * real.number(j) / (2 * rate))
        values[alpha] = real.log(total) / (alpha - 1)
    level = -real.log(_decimal(real, "1e-6"))
    # the count that order alpha alone allows: every one of its steps costs the same
    allowed = [(epsilon - level / (alpha - 1)) / value for alpha, value in values.items()]
    most = real.largest(allowed)
    whole = int(float(most))
    if not (most >= whole and most < whole + 1):
        raise real.Undecided("the largest count")
    return real.number(whole)


@claim(
    id="private-mcmc/4-minibatch-count-corrected",
    source="raisa2020, Chapter 4",
    statement=r"\text{it allows 272 at } \varepsilon = 4 \text{ and 961 at } \varepsilon = 6",
    cases=[{"epsilon": 4, "count": 272}, {"epsilon": 6, "count": 961}],
    corrects="private-mcmc/4-minibatch-count",
    notebook=VARIATIONS,
)
def minibatch_count_corrected(real: ModuleType, epsilon: Any, count: Any) -> Sides:
    r"""The sum up to \(\alpha\) itself."""
    return _minibatch_count(real, epsilon), count


@claim(
    id="private-mcmc/4-minibatch-bias",
    source="raisa2020, Chapter 4",
    statement=r"\text{the penalty test on batches is not exact: total variation more than } 10^{-3}",
    relation=">",
    cases=grid(batch=[3, 5]),
    notebook=VARIATIONS,
)
def minibatch_bias(real: ModuleType, batch: Any) -> Sides:
    """Every batch of a small dataset enumerated, with no private noise: what is left is that the batch's error is not normal,
    its variance is estimated, and drawing without replacement has less of it.
    """
    _doubles_only(real)
    from ...mcmc import exact

    model = exact.student_grid(21, rows=10)
    matrix = exact.minibatch_transition(model, exact.walk(21), int(batch), clip=1e9, tau=None)
    return exact.bias(matrix, model.target), _decimal(real, "1e-3")


@claim(
    id="private-mcmc/4-hmc",
    source="raisa2020, Chapter 4",
    statement=r"\text{HMC with any gradient field and fresh gradient noise leaves } \pi \text{ invariant under the penalty test: error} \le 10^{-12}",
    relation="<=",
    cases=grid(points=[11, 21], steps=[1, 4], seed=[0, 1]),
    proof=True,
    expected=PROVED,
    notebook=VARIATIONS,
)
def hmc_invariant(real: ModuleType, points: Any, steps: Any, seed: Any) -> Sides:
    r"""The noisy leapfrog path is a chain of shears, so it preserves volume, and walked back with its draws in reverse order
    it ends where it began; fresh draws are exchangeable, so the proposal is reversible whatever the gradient is. Here the
    whole matrix on a finite phase space, positions and momenta on a ring, with a gradient that has nothing to do with the
    target.
    """
    _doubles_only(real)
    import numpy as np

    from ...mcmc import exact

    model = exact.student_grid(int(points))
    kick = np.random.default_rng(int(seed)).integers(-4, 5, size=int(points))
    path = exact.ring_path(kick, steps=int(steps), noise=np.array([0.2, 0.5, 0.3]))
    matrix = exact.ring_transition(model.log_target, path, momentum_sd=3.0, noise_rate=0.1)
    return _seen(real, exact.invariance_error(matrix, model.target)), _decimal(real, "1e-12")


@claim(
    id="private-mcmc/4-hmc-open",
    source="raisa2020, Chapter 4",
    statement=r"\text{without the last half kick it does not: error more than } 10^{-4}",
    relation=">",
    cases=grid(points=[11, 21], steps=[1, 4], seed=[0]),
    notebook=VARIATIONS,
)
def hmc_open(real: ModuleType, points: Any, steps: Any, seed: Any) -> Sides:
    """A wrong variant that must be seen: the path can no longer be walked back."""
    _doubles_only(real)
    import numpy as np

    from ...mcmc import exact

    model = exact.student_grid(int(points))
    kick = np.random.default_rng(int(seed)).integers(-4, 5, size=int(points))
    path = exact.ring_path(kick, steps=int(steps), noise=np.array([0.2, 0.5, 0.3]), closing=False)
    matrix = exact.ring_transition(model.log_target, path, momentum_sd=3.0, noise_rate=0.1)
    return exact.invariance_error(matrix, model.target), _decimal(real, "1e-4")


@claim(
    id="private-mcmc/4-barker-correction",
    source="raisa2020, Chapter 4",
    statement=r"\text{there is a law } V_C \text{ with } N(0, C) + V_C \text{ standard logistic: its characteristic function } \frac{\pi t}{\sinh \pi t} e^{C t^2/2} \text{ is at most 1 everywhere}",
    relation="<=",
    cases=grid(c=[0.1, 1, 2], t=[1.8, 4, 70]),
    expected=REFUTED,
    notebook=BARKER,
)
def barker_correction(real: ModuleType, c: Any, t: Any) -> Sides:
    r"""No modulus of a characteristic function exceeds 1, but the quotient grows without bound for every C > 0: the logistic
    law has tails heavier than normal ones and is infinitely divisible without a normal part. At C = 2 it passes 1 at
    t = 1.78924.
    """
    log_sinh = real.pi * t + real.log((1 - real.exp(-2 * real.pi * t)) / 2)
    return real.log(real.pi * t) - log_sinh + c * t * t / 2, real.number(0)


@claim(
    id="private-mcmc/4-barker-correction-corrected",
    source="raisa2020, Chapter 4",
    statement=r"\text{the best law on multiples of } 0.05 \text{ misses the logistic distribution function by } 5.87 \cdot 10^{-4} \text{ at } C = 2",
    relation="<=",
    cases=grid(c=[2], bound=[5.875e-4]),
    tight={"c": 2, "bound": 5.875e-4},
    corrects="private-mcmc/4-barker-correction",
    notebook=BARKER,
)
def barker_correction_corrected(real: ModuleType, c: Any, bound: Any) -> Sides:
    """By linear programming, in doubles, then checked on a grid ten times finer. Below the solver's
    tolerance at C = 1, and 0.013 at C = 3."""
    _doubles_only(real)
    from ...mcmc.barker import correction

    return correction(float(c)).error, bound


@claim(
    id="private-mcmc/4-barker-cost",
    source="raisa2020, Chapter 4",
    statement=r"\frac{5}{2b} + \frac{1}{2(\alpha-1)}\ln\frac{2b}{b - 5\alpha} + \frac{2\alpha}{b - 5\alpha} \text{ bounds the Rényi divergence of Barker's noise on a batch of } b",
    relation="<=",
    cases=grid(b=[1300, 2600], alpha=[3, 20, 200]),
    proof=True,
    expected=PROVED,
    notebook=BARKER,
)
def barker_cost(real: ModuleType, b: Any, alpha: Any) -> Sides:
    r"""True, and far from sharp: the middle term is \(\ln 2 / (2(\alpha - 1))\) even for endless batches, where the
    divergence vanishes. The two normals have variances \(v_1, v_2 \in [1, 2]\) with \(|v_1 - v_2| \le 4(b-1)/b^2\) and
    means at most \(2/\sqrt b\) apart; the exact side is the divergence at the worst of them.
    """
    change = 4 * (b - 1) / (b * b)
    star = 1 - (alpha - 1) * change
    shape = ((1 - alpha) * real.log(1 + change) - real.log(star)) / (2 * (alpha - 1))
    exact = 2 * alpha / (b * star) + shape
    bound = 5 / (2 * b) + real.log(2 * b / (b - 5 * alpha)) / (2 * (alpha - 1)) + 2 * alpha / (b - 5 * alpha)
    return exact, bound


# Chapter 5: Gauss-Bernoulli, in a reading of our own


@claim(
    id="private-mcmc/5-title",
    source="raisa2020, Chapter 5",
    statement=r"\text{``The Gauss-Bernoulli Algorithm''}",
    uncheckable=r"a title without a text, and no definition was ever published. What is claimed instead is about an algorithm of our own that the name fits",
    expected=NOT_CHECKABLE,
    notebook=BARKER,
)
def chapter_5(real: ModuleType) -> Sides:
    """Our reading: a Gaussian release of the ratio, then a Bernoulli decision."""
    raise NotImplementedError("no text")


def _bernoulli(real: ModuleType, ratio: Any, s: Any) -> Any:
    """The mean of a logistic function of N(ratio - s^2/2, s^2)."""
    norm = real.sqrt(2 * real.pi)
    centre = ratio - s * s / 2

    def weighted(z: Any) -> Any:
        return _exp(real, -z * z / 2) / (1 + _exp(real, -(centre + s * z))) / norm

    ends = [-20, -5, 0, 5, 20]
    return sum(real.integral(weighted, low, high) for low, high in itertools.pairwise(ends))


@claim(
    id="private-mcmc/5-acceptance",
    source="raisa2020, Chapter 5",
    statement=r"E\, g(\lambda + sZ - \tfrac12 s^2) = e^{\lambda} E\, g(-\lambda + sZ - \tfrac12 s^2),\ g(y) = \frac{1}{1 + e^{-y}}",
    cases=grid(ratio=[-2, 0, 0.5, 3], s=[0.5, 2]),
    corrects="private-mcmc/5-title",
    proof=True,
    expected=PROVED,
    notebook=BARKER,
)
def bernoulli_identity(real: ModuleType, ratio: Any, s: Any) -> Sides:
    r"""\(g(y) = e^y g(-y)\), and the density of \(-y\) for the move back is \(e^{y - \lambda}\) times that of y:
    ``private-mcmc/3-acceptance`` with another g. Exact for every s, with no limit on the noise.
    """
    return _bernoulli(real, ratio, s), real.exp(ratio) * _bernoulli(real, -ratio, s)


@claim(
    id="private-mcmc/5-invariance",
    source="raisa2020, Chapter 5",
    statement=r"\text{our Gauss-Bernoulli leaves } \pi \text{ invariant: error} \le 10^{-12}",
    relation="<=",
    cases=grid(points=[41], rate=[0.5, 1, 2]),
    proof=True,
    expected=PROVED,
    notebook=BARKER,
)
def bernoulli_invariant(real: ModuleType, points: Any, rate: Any) -> Sides:
    """``private-mcmc/5-acceptance``, pair by pair; the integral by the trapezium rule."""
    _doubles_only(real)
    from ...mcmc import exact

    model = exact.student_grid(int(points))
    accepted = exact.gauss_bernoulli_acceptance(model.ratio, float(rate) * model.distance)
    error = exact.invariance_error(exact.transition(exact.walk(int(points)), accepted), model.target)
    return _seen(real, error), _decimal(real, "1e-12")


@claim(
    id="private-mcmc/5-peskun",
    source="raisa2020, Chapter 5",
    statement=r"E\, g(\lambda + sZ - \tfrac12 s^2) \le A_s(\lambda)\text{: the penalty algorithm dominates it}",
    relation="<=",
    cases=grid(ratio=[-2, 0, 0.5, 3], s=[0.5, 2]),
    proof=True,
    expected=PROVED,
    notebook=BARKER,
)
def bernoulli_dominated(real: ModuleType, ratio: Any, s: Any) -> Sides:
    r"""\(g(y) \le \min\{1, e^y\}\); by Peskun's theorem every asymptotic variance is at least that of the penalty
    algorithm at the same cost.
    """
    return _bernoulli(real, ratio, s), _accepted(real, ratio, s, _decimal(real, "0.5"))


@claim(
    id="private-mcmc/5-threshold",
    source="raisa2020, Chapter 5",
    statement=r"\text{the other reading, accepting if } \lambda + N(0, s^2) > 0, \text{ is exact: } \Phi(\lambda/s) = e^{\lambda}\Phi(-\lambda/s)",
    cases=grid(ratio=[-2, 0.5, 3], s=[1.5, 1.702, 2.5]),
    expected=REFUTED,
    notebook=BARKER,
)
def threshold(real: ModuleType, ratio: Any, s: Any) -> Sides:
    """The normal distribution function is near the logistic one, best at s = 1.702, and is not it."""
    return _cdf(real, ratio / s), real.exp(ratio) * _cdf(real, -ratio / s)


@claim(
    id="private-mcmc/5-threshold-corrected",
    source="raisa2020, Chapter 5",
    statement=r"\Bigl|\Phi(\lambda/1.702) - \frac{1}{1 + e^{-\lambda}}\Bigr| \le 0.0095",
    relation="<=",
    cases=grid(ratio=[-2, 0.5, 0.57, 3, 8]),
    corrects="private-mcmc/5-threshold",
    notebook=BARKER,
)
def threshold_corrected(real: ModuleType, ratio: Any) -> Sides:
    """How near the two distribution functions are, at some arguments."""
    gap = _cdf(real, ratio / _decimal(real, "1.702")) - 1 / (1 + real.exp(-ratio))
    return abs(gap), _decimal(real, "0.0095")


# Chapter 6: experiments


@claim(
    id="private-mcmc/6-title",
    source="raisa2020, Chapter 6",
    statement=r"\text{``Experiments''}",
    uncheckable=r"a title without a text. What was measured later is compared with our runs on the experiment pages; what can be stated exactly is how many iterations a budget allows",
    expected=NOT_CHECKABLE,
    notebook=EXPERIMENTS,
)
def chapter_6(real: ModuleType) -> Sides:
    """See ``private-mcmc/6-iterations``."""
    raise NotImplementedError("no text")


COUNTS = [
    {"algorithm": algorithm, "epsilon": epsilon, "k": k}
    for algorithm, counts in (("penalty", (56, 201, 419, 702, 1041, 1431)), ("HMC", (33, 119, 248, 416, 616, 848)))
    for epsilon, k in zip((1, 2, 3, 4, 5, 6), counts, strict=True)
]


def _steps_per_rho(real: ModuleType, algorithm: str) -> Any:
    return real.number(2000) if algorithm == "penalty" else real.number(32000) / 27


@claim(
    id="private-mcmc/6-iterations",
    source="raisa2020, Chapter 6",
    statement=r"n = 10^5,\ \delta = 10^{-6}\text{: } k \text{ iterations fit in } \varepsilon\text{, } \delta_{k\rho}(\varepsilon) \le \delta",
    relation="<=",
    cases=COUNTS,
    corrects="private-mcmc/6-title",
    notebook=EXPERIMENTS,
)
def iterations_fit(real: ModuleType, algorithm: str, epsilon: Any, k: Any) -> Sides:
    r"""The penalty algorithm with \(\tau = 0.1\), \(1/\rho = 2000\); and HMC with \(\tau = 0.1\), \(\tau_g = 0.4\), ten
    leapfrog steps, \(1/\rho = 32000/27\). The counts are what this library finds by exact search.
    """
    return _profile(real, k / _steps_per_rho(real, algorithm), epsilon), _decimal(real, "1e-6")


@claim(
    id="private-mcmc/6-iterations-most",
    source="raisa2020, Chapter 6",
    statement=r"\text{and } k + 1 \text{ do not: } \delta_{(k+1)\rho}(\varepsilon) > \delta",
    relation=">",
    cases=COUNTS,
    notebook=EXPERIMENTS,
)
def iterations_most(real: ModuleType, algorithm: str, epsilon: Any, k: Any) -> Sides:
    """So that k is the largest number."""
    return _profile(real, (k + 1) / _steps_per_rho(real, algorithm), epsilon), _decimal(real, "1e-6")


CLAIMS: tuple[Claim, ...] = tuple(value for value in globals().values() if isinstance(value, Claim))
"""Every claim of this source, in its order."""
