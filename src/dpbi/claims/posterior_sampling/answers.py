"""Section 4.2: sampling from the posterior (Corollary 10), and answering queries from N draws (Lemmas 11 and 12)."""

import math

import numpy as np

from ... import posterior_sampling as ps
from ...arithmetic import expm1, largest, less, log, log1p, minimum, number, remembered, sqrt
from ...divergences import renyi_divergence
from ...posterior_sampling import adversary, bounds, samples
from .. import at_most, equal, grid, rows, statement
from .cases import COIN, bernoulli_prior, cost, neighbours, ones_first

# The grid with step 0.2 has four parameter values, so N draws have 4 ** N outcomes, and N must be small.
DRAWS = grid(step=[0.2], n=[1, 10], N=[1, 2, 3])


def laws_of_draws(prior, n: int, N: int) -> list[ps.Finite]:
    """Joint distributions of the draws of Algorithm 1, one for each number of ones among n records."""
    # The algorithm runs only in order to count its draws; the distribution of each draw is known exactly.
    drawn = ps.baps(COIN, prior, [0] * n, N, np.random.default_rng(1)).parameters
    return [ps.joint(*[law] * len(drawn)) for law in ps.count_posteriors(prior, n)]


@remembered
def loss_of_draws(step, n, N):
    """Largest privacy loss of N draws between neighbouring datasets, computed from the joint distributions of the
    draws."""
    return ps.worst_neighbours(ps.privacy_loss, laws_of_draws(bernoulli_prior(step), int(n), int(N)))


@statement(
    "posterior-sampling/algorithm-1",
    "Algorithm 1 (BAPS)",
    says=r"sample $\theta^{(k)} \sim \xi(\theta \mid D)$ for $k = 1, \ldots, N$, return $\hat\Theta = \{\theta^{(k)} : k = 1, \ldots, N\}$",
    reading=r"the privacy losses of the draws add up: $\max_{\hat\Theta} \ln\frac{\Pr[\hat\Theta \mid x]}{\Pr[\hat\Theta \mid y]} = N \max_\theta \ln\frac{\xi(\theta \mid x)}{\xi(\theta \mid y)}$",
    holds=r"$N$ draws are $Nw$-DP, with $w = \sup_{x \sim y} \bigl(\sup_\theta f - \inf_\theta f\bigr)$ and $f = \ln\frac{p_\theta(x)}{p_\theta(y)}$",
    cases=DRAWS,
)
def algorithm_1(step, n, N):
    r"""The loss of one draw tends to w as the other records concentrate the posterior at a parameter value that
    minimises f.

    Proof: the draws are independent, so their log ratios add up, and the sum is largest if all N draws equal the worst
    parameter value.

    Proof of what holds: the log ratio of the posteriors is \(f - \ln \int e^f\,d\xi(\theta \mid y)\), and the second
    term lies between the smallest and the largest value of f. So the log ratio is at most w, the difference between
    these two values. The likelihoods are positive on the support of the prior, so f is finite.
    """
    apart = int(N) * neighbours(ps.privacy_loss, step, "uniform", n)
    return loss_of_draws(step, n, N), equal(apart), at_most(cost(step, N).loss())


@statement(
    "posterior-sampling/corollary-10.1",
    "Corollary 10, part 1",
    says=r"the algorithm is $(2L, 0)$-differentially private under pseudo-metric $\rho$",
    holds=r"the algorithm is $(2NL, 0)$-differentially private under $\rho$",
    why="the statement omits the number N of draws; Claim 1 and part (a) of Theorem 17 of the same paper have 2NL",
    only_if=("$N = 1$", lambda N: N == 1),
    cases=DRAWS,
)
def corollary_10_1(step, n, N):
    """With ten records, the privacy loss of two draws is 5.37, while 2L is 2.77. The corrected bound is sharp for a
    grid that is symmetric about 1/2: as n grows, the exact loss of N draws tends to 2NL.

    Proof: for one draw, the statement is part 1 of Theorem 8.

    Proof of what holds: the bound follows from part 1 of Theorem 8 by composition over the N draws.
    """
    return loss_of_draws(step, n, N), at_most(cost(step).printed()), at_most(cost(step, N).printed())


@corollary_10_1.instead(
    holds=r"the Rényi divergences of $N$ draws satisfy $D_\alpha \le \tfrac12 \alpha N (L\rho)^2$, so that $N$ draws are $\tfrac12 N (L\rho)^2$-zCDP",
    cases=grid(step=[0.2, "ends 0.49"], n=[1], N=[1, 3], order=[2, 5]),
)
def corollary_10_1_concentrated(step, n, N, order):
    r"""If L is small, many draws cost less than the bound 2NL suggests. For example, with \(L\rho = 0.1\), ten draws
    cost \(\varepsilon = 2\) under pure differential privacy, but only 0.05 under zero-concentrated differential
    privacy.

    Proof: let \(K(s) = \ln \int e^{sf} dQ\), and let \(w = 2L\rho\) be the width of the range of f. Then \(D_\alpha =
    \frac{K(\alpha) - \alpha K(1)}{\alpha - 1}\). Moreover, \(K(0) = 0\), and \(K''\) is a variance of f, so \(K'' \le
    w^2/4\). So \(D_\alpha \le \alpha w^2/8\), and the divergences of independent draws add up. Two parameter values
    near 1/2 attain the bound in the limit.
    """
    laws = laws_of_draws(bernoulli_prior(step), int(n), int(N))
    found = ps.worst_neighbours(lambda p, q: renyi_divergence(p.log_weights, q.log_weights, order), laws)
    return found, at_most(order * int(N) * bounds.concentrated_by_width(cost(step).printed()))


@statement(
    "posterior-sampling/corollary-10.2",
    "Corollary 10, part 2",
    says=r"the algorithm is $\bigl(0, O(\sqrt{C(L_0 + 1/c)})\bigr)$-differentially private under pseudo-metric $\sqrt\rho$",
    reading=r"with the constant of Theorem 8: $\delta = \sqrt{\tfrac C2 (1 + 2L_0 + c^{-1})}$",
    holds=r"$TV(N \text{ draws}) \le \tfrac12\sqrt{N C\, \mathbb E_\xi\ell\, \rho(x, y)} \le \tfrac12\sqrt{N C (L_0 + c^{-1})\, \rho(x, y)}$",
    why="as in part 1, the statement omits the number N of draws, and enough draws distinguish two datasets almost surely",
    only_if=("$N = 1$", lambda N: N == 1),
    cases=grid(half=[0.05, 0.02, 0.3], N=[1, 10, 400]),
)
def corollary_10_2(half, N):
    r"""The two parameter values \(\frac12 \pm h\) satisfy Assumption 2 with any c if \(L_0\) is their common Lipschitz
    constant; the check uses the limit \(c \to \infty\). The check computes the total variation distance between N draws given the
    single record 0 and N draws given the single record 1.

    Proof: for one draw, the statement is part 2 of Theorem 8.

    Proof of what holds: over independent draws, the sums J of the divergences in both directions add up, and \(J \ge
    4\,TV^2\). The bound grows like \(\sqrt N\), whereas composition of the \(\delta\) of single draws would give a
    factor of N.
    """
    middle = number(1) / 2
    prior = ps.uniform([middle + half, middle - half])
    p, q = ps.count_posteriors(prior, 1)
    printed = sqrt(bounds.printed_divergence_bound(prior, 1, ps.lipschitz_bound(COIN, prior)) / 2)
    bound = sqrt(int(N) * bounds.jeffreys_bound(prior, 1)) / 2
    return 1 - 2 * ps.distinguishing_error(p, q, int(N)), at_most(printed), at_most(bound)


@statement(
    "posterior-sampling/algorithm-2",
    "Algorithm 2 (PSAQR)",
    says="the most information an adversary could obtain is the set of sampled parameters",
    reading=r"$\ln\frac{\Pr[r \mid x]}{\Pr[r \mid y]} \le \max_{\hat\Theta} \ln\frac{\Pr[\hat\Theta \mid x]}{\Pr[\hat\Theta \mid y]}$ for responses $r$, if ties are broken without the data",
    cases=grid(n=[1, 5, 10], N=[1, 2, 3]),
)
def algorithm_2(n, N):
    r"""A single query can cost as much as all draws together, namely the query that asks whether all draws equal the
    most revealing parameter value. Let the utility of the answer "yes" be the fraction of draws that equal this value,
    and let the utility of "no" be \(1 - \frac1N\). Among equally useful answers, the algorithm returns the first, which
    is "no" here. So a single draw with another value suffices for the answer "no", and the bound is attained.

    The check of equality corresponds to the paper's remark that the third party "could simply ask for" the draws.

    Proof: the answers are a function of the draws, and applying a function cannot increase the privacy loss. So
    adaptive queries, however many, cost at most as much as the draws.
    """
    prior, missed = bernoulli_prior(number(0.2)), 1 - number(1) / int(N)
    laws = laws_of_draws(prior, int(n), int(N))

    # If all draws but one match the query, both answers have the utility 1 - 1/N, and "no" comes first.
    def useful(theta, query, response: str):
        return missed if response == "no" else number(int(theta == query))

    def loss(parameter):
        answers = [ps.psaqr(draws, useful, parameter, ["no", "yes"]).response for draws in laws[0].parameters]
        yes = np.array([answer == "yes" for answer in answers])
        answered = [ps.weighted(["no", "yes"], [law.weights[~yes].sum(), law.weights[yes].sum()]) for law in laws]
        return ps.worst_neighbours(ps.privacy_loss, answered)

    most = int(N) * neighbours(ps.privacy_loss, number(0.2), "uniform", n)
    return largest([loss(parameter) for parameter in prior.parameters]), at_most(most), equal(most)


def coin_failure(N, coins, radius):
    """Probability that some response with the utility of a fair coin beats a constant response on N draws.

    The number of responses with the utility of a fair coin is ``coins``. The utility of the constant response is just
    above 1/2 plus the radius, so that any other response has a regret above the radius.
    """
    # The constant response wins ties, so a level of exactly 1/2 + radius has the same effect as a level just above.
    draws, level = int(N), minimum(number(1) / 2 + radius, number(1))

    def useful(theta, _query, response: str):
        return theta if response == "coin" else level

    counts = range(draws + 1)
    answers = [ps.psaqr(ones_first(heads, draws), useful, None, ["constant", "coin"]).response for heads in counts]
    beats = number(sum(math.comb(draws, heads) for heads in counts if answers[heads] == "coin")) / 2**draws
    return -expm1(int(coins) * log1p(-beats))


def regret_of_sets(N):
    """Regret of PSAQR for a continuous distribution if the responses are the constant 0.9 and all finite sets of
    values.
    """
    draws, worth = range(int(N)), {"constant": number(0.9), "the set of the draws": number(0)}

    def useful(theta, _query, response: str):
        return worth[response] if response == "constant" else int(theta in draws)

    return worth["constant"] - worth[ps.psaqr(draws, useful, None, list(worth)).response]


@statement(
    "posterior-sampling/lemma-11-subsets",
    "Lemma 11, proof",
    says=r"with probability at least $1 - \delta$ satisfies $|\hat u_\xi(q, r) - u(q, r)| < \sqrt{\frac{\ln(2/\delta)}{2N}} = \epsilon$, $\forall r, q$; consequently, we can be at most $2\epsilon$-away from the optimal",
    holds=r"$\Pr\Bigl[\sup_u \text{regret} > \sqrt{\tfrac2N \ln\tfrac{2^m - 2}{\delta}}\Bigr] \le \delta$ for $m \ge 2$ parameters",
    why="Hoeffding's inequality holds for one response at a time",
    cases=grid(N=[100, 1000], delta=[0.01]),
)
def lemma_11_subsets(N, delta):
    r"""Let \(\theta\) be uniform on [0, 1], and let every finite set be a response, with utility one if the set
    contains \(\theta\) and utility zero otherwise. One further response has the constant utility 0.9. The set of the
    drawn values has an average utility of one over the draws, although its expected utility is zero. PSAQR therefore
    answers with this set or with a larger one, and its regret is 0.9 with certainty.
    """
    return regret_of_sets(N), at_most(2 * sqrt(log(2 / delta) / (2 * N)))


PARTITIONS = rows("p n power", ((0.2, 0.8), 20, 2), ((0.2, 0.3, 0.5), 20, 3))
"""Distributions p and numbers n of draws; the value of delta is 4 ** -power."""


def tail(p, n, radius):
    r"""Probability that the \(L_1\) distance between p and the relative frequencies of n draws exceeds the radius."""
    return samples.frequency_tail(ps.weighted(range(len(p)), p), int(n), radius)


@lemma_11_subsets.instead(
    cases=[{"p": case["p"], "N": case["n"], "delta": delta} for case in PARTITIONS for delta in (0.3, 0.01)]
)
def lemma_11_finite(p, N, delta):
    r"""The bound holds for adaptive queries with arbitrary utilities in [0, 1]. The check computes the probability that
    the \(L_1\) distance between the empirical and the true posterior exceeds the bound; the regret is at most this
    distance.

    Proof: by Lemma 14, the regret for any queries is at most the distance between the empirical and the true posterior,
    and Weissman's inequality bounds this distance.
    """
    return tail(p, N, adversary.weissman_radius(len(p), int(N), delta)), at_most(delta)


@statement(
    "posterior-sampling/lemma-11",
    "Lemma 11",
    says=r"within $O\bigl(\sqrt{\ln(1/\delta)/N}\bigr)$ of the optimal value with probability at least $1 - \delta$ for any $\delta > 0$",
    holds=r"$\Pr\Bigl[\text{regret} > 2\sqrt{\frac{\ln((R-1)/\delta)}{2N}}\Bigr] \le \delta$ for $R \ge 2$ responses to one query",
    why="for some query, the regret does not decrease with the number of draws",
    reading="the set of responses is arbitrary",
    cases=grid(constant=[1, 4], delta=[0.05]),
)
def lemma_11(constant, delta):
    r"""A single query refutes the lemma for every constant K: the query in ``posterior-sampling/lemma-11-subsets`` has
    a regret of 0.9 for every number of draws. The check uses \(N = \lceil 4K^2 \ln\frac1\delta \rceil\) draws, so that
    \(K\sqrt{\ln(1/\delta)/N} \le \frac12\).
    """
    N = math.ceil(-4 * float(constant) ** 2 * math.log(float(delta)))
    return regret_of_sets(N), at_most(constant * sqrt(-log(delta) / N))


@lemma_11.instead(cases=grid(N=[20, 50], delta=[0.3, 0.05], coins=[1, 10, 10**6]))
def lemma_11_by_responses(N, delta, coins):
    r"""In the check, one response has a constant utility, and the utility of each of the ``coins`` other responses is
    the result, 0 or 1, of a fair coin toss.

    Proof: the algorithm gives a response with a regret above t only if the average utility of this response over the
    draws is at least that of the best response. The difference of the two utilities has a range of width two and a mean
    below -t. By Hoeffding's inequality, this event has probability at most \(e^{-Nt^2/2}\) for each of the R - 1 other
    responses, and the union bound completes the proof. For adaptive queries, the union bound must include all pairs of
    a query and a response that could occur.
    """
    return coin_failure(N, coins, ps.regret_bound(int(N), int(coins) + 1, delta)), at_most(delta)


@statement(
    "posterior-sampling/lemma-11-responses",
    "Lemma 11",
    says=lemma_11.says,
    reading=r"there is one query with $R \ge 2$ responses, and the constant may depend on R: it is $\sqrt{2(1 + \log_2(R - 1))}$",
    cases=grid(N=[20, 50], delta=[0.3, 0.05], coins=[1, 10, 10**6]),
    given=(r"$\delta \le \tfrac12$", lambda delta: not less(1, 2 * delta)),
)
def lemma_11_responses(N, delta, coins):
    r"""For a family with m parameter values, the constant may depend on m instead of R. By the correction of
    ``posterior-sampling/lemma-11-subsets``, the constant is then valid for all queries. The check uses the same
    responses as the check of the correction of ``posterior-sampling/lemma-11``.

    Proof: for \(\delta \le \frac12\), \(\ln(R - 1) \le \log_2(R - 1)\ln\frac1\delta\). So the bound is at least
    \(2\sqrt{\ln((R - 1)/\delta)/(2N)}\), which the regret exceeds with probability at most \(\delta\).
    """
    constant = sqrt(2 * (1 + log(number(coins)) / log(number(2))))
    return coin_failure(N, coins, constant * sqrt(-log(delta) / N)), at_most(delta)


@statement(
    "posterior-sampling/lemma-12",
    "Lemma 12",
    says=r"$\mathscr M$ of size $m \le \log_2\sqrt{1/\delta}$: with probability at least $1 - \delta$, $\|\hat P^n - P\|_1 \le \sqrt{\tfrac3n \ln\tfrac1\delta}$",
    cases=PARTITIONS,
    given=("there are at most $m$ outcomes", lambda p, power: not less(power, len(p))),
)
def lemma_12(p, n, power):
    r"""For \(n \le \frac34 \ln\frac1\delta\), the lemma is trivial, because its radius is at least two, the largest
    possible distance.

    Proof: Weissman's inequality with \(\varepsilon^2 = \frac3n\ln\frac1\delta\) gives \((2^m - 2)\,\delta^{3/2} \le 2^m
    \delta^{1/2} \cdot \delta \le \delta\), because the premise implies \(\delta \le 4^{-m}\).
    """
    delta = number(1) / 4 ** int(power)
    return tail(p, n, adversary.frequency_radius(int(n), delta)), at_most(delta)


@statement(
    "posterior-sampling/lemma-12-weissman",
    "Lemma 12, the inequality quoted",
    says=r"$\mathbb P\bigl(\|\hat P_n - P\|_1 \ge \varepsilon\bigr) \le (2^m - 2)\, e^{-\frac12 n\varepsilon^2}$, $\forall \varepsilon > 0$",
    cases=[{**case, "radius": radius} for case in PARTITIONS for radius in (0.45, 0.93)],
)
def lemma_12_weissman(p, n, power, radius):
    r"""In the check, no possible distance equals the radius, so it does not matter whether the inequality in the event
    is strict.

    Proof: half of the distance is \(\hat P(A) - P(A)\) for one of the \(2^m - 2\) events A that are neither impossible
    nor certain. For each event A, by Hoeffding's inequality, this difference is at least \(\varepsilon/2\) with
    probability at most \(e^{-2n(\varepsilon/2)^2}\). The union bound over the events completes the proof.
    """
    return tail(p, n, radius), at_most(adversary.weissman_bound(len(p), int(n), radius))
