"""Section 4.2: sampling and answering, the two algorithms, Corollary 10, and how well N draws answer, Lemmas 11 and 12."""

import math

import numpy as np

from ... import posterior_sampling as ps
from ...arithmetic import expm1, largest, less, log, log1p, minimum, number, remembered, sqrt
from ...divergences import renyi_divergence
from ...posterior_sampling.adversary import frequency_radius, weissman_bound, weissman_radius
from ...posterior_sampling.bounds import concentrated_by_width
from ...posterior_sampling.finite import Finite
from ...posterior_sampling.samples import distinguishing_error, frequency_tail
from .. import at_most, equal, grid, rows, statement
from .cases import COIN, bernoulli_prior

DRAWS = grid(step=[0.2], n=[1, 10], N=[1, 2, 3])


def laws_of_draws(prior, n: int, N: int) -> list[Finite]:
    """The joint law of all draws of Algorithm 1, for each number of ones among n records."""
    drawn = ps.baps(COIN, prior, [0] * n, N, np.random.default_rng(1)).parameters
    return [ps.joint(*[law] * len(drawn)) for law in ps.count_posteriors(prior, n)]


@remembered
def loss_of_draws(step, n, N):
    """The largest loss of N draws between neighbours, from the laws of all sequences of draws."""
    return ps.worst_neighbours(ps.privacy_loss, laws_of_draws(bernoulli_prior(step), int(n), int(N)))


def loss_of_one(step, n):
    """The largest loss of one draw between neighbours."""
    return ps.worst_neighbours(ps.privacy_loss, ps.count_posteriors(bernoulli_prior(step), int(n)))


@statement(
    "posterior-sampling/algorithm-1",
    "Algorithm 1 (BAPS)",
    says=r"sample $\theta^{(k)} \sim \xi(\theta \mid D)$ for $k = 1, \ldots, N$, return $\hat\Theta = \{\theta^{(k)} : k = 1, \ldots, N\}$",
    reading=r"the loss adds up: $\max_{\hat\Theta} \ln\frac{\Pr[\hat\Theta \mid x]}{\Pr[\hat\Theta \mid y]} = N \max_\theta \ln\frac{\xi(\theta \mid x)}{\xi(\theta \mid y)}$",
    holds=r"$N$ draws are $Nw$-DP, $w = \sup_{x \sim y} \bigl(\sup_\theta f - \inf_\theta f\bigr)$, $f = \ln\frac{p_\theta(x)}{p_\theta(y)}$",
    cases=DRAWS,
)
def algorithm_1(step, n, N):
    r"""Where the other records leave the parameter at the least f, the loss tends to w.

    Proof: the draws are independent, so log ratios add, and drawing the worst parameter N times attains the sum.

    Proof of what holds: the log ratio of the posteriors is f less \(\ln \int e^f\,d\xi(\theta \mid y)\), a number between
    the least f and the largest. So it is at most their difference w. Likelihoods are positive on the support of the prior.
    """
    most = ps.sampling_cost(COIN, bernoulli_prior(step), int(N)).loss()
    return loss_of_draws(step, n, N), equal(int(N) * loss_of_one(step, n)), at_most(most)


@statement(
    "posterior-sampling/corollary-10.1",
    "Corollary 10, part 1",
    says=r"the algorithm is $(2L, 0)$-differentially private under pseudo-metric $\rho$",
    holds=r"the algorithm is $(2NL, 0)$-differentially private under $\rho$",
    why="the statement names no N; Claim 1 and part (a) of Theorem 17 of the same paper have 2NL",
    only_if=("$N = 1$", lambda N: N == 1),
    cases=DRAWS,
)
def corollary_10_1(step, n, N):
    r"""Two draws at ten records lose 5.37, and 2L is 2.77. What holds is sharp on a grid that is symmetric about 1/2: the
    exact loss of N draws tends to 2NL with n.

    Proof: for one draw this is part 1 of Theorem 8.

    Proof of what holds: this is part 1 of Theorem 8, composed N times.
    """
    prior = bernoulli_prior(step)
    printed = at_most(2 * ps.lipschitz_bound(COIN, prior))
    return loss_of_draws(step, n, N), printed, at_most(ps.sampling_cost(COIN, prior, int(N)).printed())


@corollary_10_1.instead(
    holds=r"for Rényi divergences $D_\alpha \le \tfrac12 \alpha N (L\rho)^2$: $N$ draws are $\tfrac12 N (L\rho)^2$-zCDP",
    cases=grid(step=[0.2, "ends 0.49"], n=[1], N=[1, 3], order=[2, 5]),
)
def corollary_10_1_concentrated(step, n, N, order):
    r"""If L is small, many draws are cheaper than 2NL suggests: ten draws at \(L\rho = 0.1\), for example, cost
    \(\varepsilon = 2\) in pure privacy, or 0.05 in concentrated privacy.

    Proof: with \(K(s) = \ln \int e^{sf} dQ\) and a range of \(w = 2L\rho\) for f,
    \(D_\alpha = \frac{K(\alpha) - \alpha K(1)}{\alpha - 1}\). \(K(0) = 0\) and \(K''\), a variance of f, is at most
    \(w^2/4\), so \(D_\alpha \le \alpha w^2/8\), and divergences of independent draws add. Two parameters near 1/2
    attain it in the limit.
    """
    prior = bernoulli_prior(step)
    laws = laws_of_draws(prior, int(n), int(N))
    found = ps.worst_neighbours(lambda p, q: renyi_divergence(p.log_weights, q.log_weights, order), laws)
    return found, at_most(order * int(N) * concentrated_by_width(ps.sampling_cost(COIN, prior, 1).printed()))


@statement(
    "posterior-sampling/corollary-10.2",
    "Corollary 10, part 2",
    says=r"the algorithm is $\bigl(0, O(\sqrt{C(L_0 + 1/c)})\bigr)$-differentially private under pseudo-metric $\sqrt\rho$",
    reading=r"with the constant of Theorem 8: $\delta = \sqrt{\tfrac C2 (1 + 2L_0 + c^{-1})}$",
    holds=r"$TV(N \text{ draws}) \le \tfrac12\sqrt{N C\, \mathbb E_\xi\ell\, \rho(x, y)} \le \tfrac12\sqrt{N C (L_0 + c^{-1})\, \rho(x, y)}$",
    why="as in part 1 the statement names no N; enough draws distinguish two datasets almost surely",
    only_if=("$N = 1$", lambda N: N == 1),
    cases=grid(half=[0.05, 0.02, 0.3], N=[1, 10, 400]),
)
def corollary_10_2(half, N):
    r"""Two parameters \(\frac12 \pm h\) satisfy Assumption 2 with \(L_0\) their common constant and any c; the bound
    takes \(c = 10^9\). The exact side is the total variation of N draws for the datasets 0 and 1.

    Proof: for one draw this is part 2 of Theorem 8.

    Proof of what holds: the sum J of both divergences adds up over independent draws, and \(J \ge 4\,TV^2\). The bound
    grows with \(\sqrt N\), where composing the \(\delta\) of one draw would give N.
    """
    middle = number(1) / 2
    prior = ps.uniform([middle + half, middle - half])
    ratio = largest([ps.likelihood_ratio(COIN, prior, [x]) for x in (0, 1)])
    p, q = ps.count_posteriors(prior, 1)
    found = 1 - 2 * distinguishing_error(p, q, int(N))
    printed = sqrt(ratio * (1 + 2 * ps.lipschitz_bound(COIN, prior) + number(1) / 10**9) / 2)
    return found, at_most(printed), at_most(sqrt(int(N) * ratio * ps.expected_lipschitz(COIN, prior)) / 2)


@statement(
    "posterior-sampling/algorithm-2",
    "Algorithm 2 (PSAQR)",
    says="the most information an adversary could obtain is the set of sampled parameters",
    reading=r"$\ln\frac{\Pr[r \mid x]}{\Pr[r \mid y]} \le \max_{\hat\Theta} \ln\frac{\Pr[\hat\Theta \mid x]}{\Pr[\hat\Theta \mid y]}$ for responses $r$, ties broken without the data",
    cases=grid(n=[1, 5, 10], N=[1, 2, 3]),
)
def algorithm_2(n, N):
    r"""One query can cost all that the draws cost. It asks whether all draws are the parameter that tells most. Let
    "yes" be as useful as the share of draws that are, and "no" as \(1 - \frac1N\). Of equally useful answers the first
    is given, here "no". So one other draw makes the answer "no", and the bound is attained.

    The second side is the sentence that the third party "could simply ask for" the draws.

    Proof: the answers are a function of the draws, and a function cannot increase the loss: any number of adaptive
    queries costs what the draws cost.
    """
    prior, missed = bernoulli_prior(number(0.2)), 1 - number(1) / int(N)
    laws = laws_of_draws(prior, int(n), int(N))

    def useful(theta, query, response: str):
        return missed if response == "no" else number(int(theta == query))

    def loss(parameter):
        answers = [ps.psaqr(draws, useful, parameter, ["no", "yes"]).response for draws in laws[0].parameters]
        yes = np.array([answer == "yes" for answer in answers])
        answered = [ps.weighted(["no", "yes"], [law.weights[~yes].sum(), law.weights[yes].sum()]) for law in laws]
        return ps.worst_neighbours(ps.privacy_loss, answered)

    found, most = largest([loss(parameter) for parameter in prior.parameters]), int(N) * loss_of_one(number(0.2), n)
    return found, at_most(most), equal(most)


def coin_failure(N, coins, radius):
    r"""Probability that one of ``coins`` responses, each with the utility of a fair coin, beats a constant in N draws.

    The constant utility exceeds 1/2 by just over the radius, so a coin as the answer has a regret above the radius.
    """
    draws, level = int(N), minimum(number(1) / 2 + radius, number(1))

    def useful(theta, _query, response: str):
        return theta if response == "coin" else level

    beats = number(0)
    for heads in range(draws + 1):
        answer = ps.psaqr([1] * heads + [0] * (draws - heads), useful, None, ["constant", "coin"])
        beats = beats + math.comb(draws, heads) * int(answer.response == "coin") * number(1) / 2**draws
    return -expm1(int(coins) * log1p(-beats))


def regret_of_sets(N):
    """Regret of PSAQR, for a law without atoms, where a response is the constant 0.9 or any finite set of values."""
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
    r"""Let \(\theta\) be uniform on [0, 1]. The responses are all finite sets, which are useful if they contain
    \(\theta\), and one response with the constant utility 0.9. The set of the values that were drawn has the utility
    one on the draws, and none in truth. PSAQR answers with this set or a larger one, and its regret is 0.9 for certain.
    """
    return regret_of_sets(N), at_most(2 * sqrt(log(2 / delta) / (2 * N)))


PARTITIONS = rows("p n power", ((0.2, 0.8), 20, 2), ((0.2, 0.3, 0.5), 20, 3))
"""Power is the negative exponent of 4 in delta."""


def tail(p, n, radius):
    """The probability that the frequencies of n draws are farther from p than the radius."""
    return frequency_tail(ps.weighted(range(len(p)), p), int(n), radius)


@lemma_11_subsets.instead(
    cases=[{"p": case["p"], "N": case["n"], "delta": delta} for case in PARTITIONS for delta in (0.3, 0.01)]
)
def lemma_11_finite(p, N, delta):
    """This holds for adaptive queries with any utilities in [0, 1]. The exact side is the probability of a distance
    above the bound, which no regret exceeds.

    Proof: by Lemma 14 the regret is at most the distance between the empirical and the true posterior, whatever the
    queries are. Weissman's inequality bounds that distance.
    """
    return tail(p, N, weissman_radius(len(p), int(N), delta)), at_most(delta)


@statement(
    "posterior-sampling/lemma-11",
    "Lemma 11",
    says=r"within $O\bigl(\sqrt{\ln(1/\delta)/N}\bigr)$ of the optimal value with probability at least $1 - \delta$ for any $\delta > 0$",
    holds=r"$\Pr\Bigl[\text{regret} > 2\sqrt{\frac{\ln((R-1)/\delta)}{2N}}\Bigr] \le \delta$ for $R \ge 2$ responses to one query",
    why="there is a query whose regret does not fall with the number of draws",
    reading="for any set of responses",
    cases=grid(constant=[1, 4], delta=[0.05]),
)
def lemma_11(constant, delta):
    r"""One query refutes every constant K: that of ``posterior-sampling/lemma-11-subsets`` has the regret 0.9 for every
    number of draws. The case has so many, \(N = \lceil 4K^2 \ln\frac1\delta \rceil\), that
    \(K\sqrt{\ln(1/\delta)/N} \le \frac12\).
    """
    N = math.ceil(-4 * float(constant) ** 2 * math.log(float(delta)))
    return regret_of_sets(N), at_most(constant * sqrt(-log(delta) / N))


@lemma_11.instead(cases=grid(N=[20, 50], delta=[0.3, 0.05], coins=[1, 10, 10**6]))
def lemma_11_by_responses(N, delta, coins):
    r"""In the cases one response has a constant utility, and each of ``coins`` others the utility of a fair coin.

    Proof: a response with a regret above t is given only if its mean over the draws is at least that of the best one.
    The difference of the two has a range of two and a mean below -t. So this has probability at most
    \(e^{-Nt^2/2}\), for each of the R - 1 other responses. For adaptive queries the union is over all pairs of a query
    and a response that could be asked.
    """
    return coin_failure(N, coins, ps.regret_bound(int(N), int(coins) + 1, delta)), at_most(delta)


@statement(
    "posterior-sampling/lemma-11-responses",
    "Lemma 11",
    says=lemma_11.says,
    reading=r"one query has $R \ge 2$ responses, and the constant may depend on R: it is $\sqrt{2(1 + \log_2(R - 1))}$",
    cases=grid(N=[20, 50], delta=[0.3, 0.05], coins=[1, 10, 10**6]),
    given=(r"$\delta \le \tfrac12$", lambda delta: not less(1, 2 * delta)),
)
def lemma_11_responses(N, delta, coins):
    r"""For a family of m parameters the constant may depend on m instead and serves all queries: what holds in place of
    ``posterior-sampling/lemma-11-subsets``. The cases are those of what holds in place of ``posterior-sampling/lemma-11``.

    Proof: for \(\delta \le \frac12\) one has \(\ln(R - 1) \le \log_2(R - 1)\ln\frac1\delta\), so the bound is at least
    \(2\sqrt{\ln((R - 1)/\delta)/(2N)}\), which the regret exceeds with probability at most \(\delta\).
    """
    constant = sqrt(2 * (1 + log(number(coins)) / log(number(2))))
    return coin_failure(N, coins, constant * sqrt(-log(delta) / N)), at_most(delta)


@statement(
    "posterior-sampling/lemma-12",
    "Lemma 12",
    says=r"$\mathscr M$ of size $m \le \log_2\sqrt{1/\delta}$: with probability at least $1 - \delta$, $\|\hat P^n - P\|_1 \le \sqrt{\tfrac3n \ln\tfrac1\delta}$",
    cases=PARTITIONS,
    given=("there are at most as many outcomes as $m$", lambda p, power: not less(power, len(p))),
)
def lemma_12(p, n, power):
    r"""For \(n \le \frac34 \ln\frac1\delta\) the radius is at least two, the largest distance there is.

    Proof: Weissman's inequality at \(\varepsilon^2 = \frac3n\ln\frac1\delta\) gives
    \((2^m - 2)\,\delta^{3/2} \le 2^m \delta^{1/2} \cdot \delta \le \delta\), because the premise says
    \(\delta \le 4^{-m}\).
    """
    delta = number(1) / 4 ** int(power)
    return tail(p, n, frequency_radius(int(n), delta)), at_most(delta)


@statement(
    "posterior-sampling/lemma-12-weissman",
    "Lemma 12, the inequality quoted",
    says=r"$\mathbb P\bigl(\|\hat P_n - P\|_1 \ge \varepsilon\bigr) \le (2^m - 2)\, e^{-\frac12 n\varepsilon^2}$, $\forall \varepsilon > 0$",
    cases=[{**case, "radius": radius} for case in PARTITIONS for radius in (0.45, 0.93)],
)
def lemma_12_weissman(p, n, power, radius):
    r"""No distance of these cases equals the radius.

    Proof: half the distance is \(\hat P(A) - P(A)\) at one of the \(2^m - 2\) events A that are neither empty nor
    certain. By Hoeffding's inequality this difference is at least \(\varepsilon/2\) with a probability of at most
    \(e^{-2n(\varepsilon/2)^2}\), for each of them.
    """
    return tail(p, n, radius), at_most(weissman_bound(len(p), int(n), radius))
