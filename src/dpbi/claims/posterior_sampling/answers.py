"""Section 4.2: sampling and answering, Corollary 10, Lemmas 11 and 12."""

import math
from typing import Any

import numpy as np

from ...arithmetic import exp as exponential
from ...arithmetic import expm1, largest, log, log1p, minimum, number, remembered, sqrt
from ...posterior_sampling import (
    baps,
    bernoulli,
    cost,
    count_posteriors,
    expected_lipschitz,
    joint,
    likelihood_ratio,
    lipschitz_bound,
    privacy_loss,
    psaqr,
    regret_bound,
    uniform,
    weighted,
    worst_neighbours,
)
from ...posterior_sampling.finite import Finite
from ...posterior_sampling.samples import distinguishing_error, frequency_tail, renyi_between
from ..claim import NOT_CHECKABLE, REFUTED, Condition, grid
from .priors import bernoulli_prior
from .source import ADVERSARY, ANSWERS, PAPER

DRAWS = grid(step=[0.2], n=[1, 10], N=[1, 2, 3])


def laws_of_draws(prior: Finite, n: int, N: int) -> list[Finite]:
    """The law of all that Algorithm 1 draws, for each number of ones among n records."""
    drawn = baps(bernoulli(), prior, [0] * n, N, np.random.default_rng(1)).parameters
    return [joint(*[law] * len(drawn)) for law in count_posteriors(prior, n)]


@remembered
def loss_of_draws(step: Any, n: Any, N: Any) -> Any:
    """The largest loss of N draws between neighbours, from the laws of all sequences of draws."""
    return worst_neighbours(privacy_loss, laws_of_draws(bernoulli_prior(step), int(n), int(N)))


@remembered
def loss_of_one(step: Any, n: Any) -> Any:
    """The largest loss of one draw between neighbours."""
    return worst_neighbours(privacy_loss, count_posteriors(bernoulli_prior(step), int(n)))


sampling = PAPER.item(
    "algorithm-1", "Algorithm 1 (BAPS)", cases=DRAWS, calls=(baps, privacy_loss, worst_neighbours), page=ANSWERS
)(loss_of_draws)


@sampling.said(
    r"\max_{\hat\Theta} \ln\frac{\Pr[\hat\Theta \mid x]}{\Pr[\hat\Theta \mid y]} = N \max_\theta \ln\frac{\xi(\theta \mid x)}{\xi(\theta \mid y)}",
    proof=True,
    tight={"step": 0.2, "n": 10, "N": 2},
)
def algorithm_1(step: Any, n: Any, N: Any) -> Any:
    r"""The draws are independent, so log ratios add, and drawing the worst parameter N times attains the sum."""
    return int(N) * loss_of_one(step, n)


pure = PAPER.item(
    "corollary-10.1",
    "Corollary 10, part 1",
    cases=DRAWS,
    relation="<=",
    calls=(baps, privacy_loss, worst_neighbours),
    page=ANSWERS,
)(loss_of_draws)


@pure.said(
    r"\text{Algorithm 1 is } (2L, 0)\text{-DP under } \rho",
    condition=Condition(r"\(N = 1\)", lambda step, n, N: N == 1),
    proof=True,
)
def corollary_10_1(step: Any, n: Any, N: Any) -> Any:
    r"""No N is printed. It is right for one draw, and contradicts part (a) of Theorem 17 for more: two draws at ten records
    lose 5.367, and 2L is 2.773.
    """
    return 2 * lipschitz_bound(bernoulli(), bernoulli_prior(step))


@pure.instead(
    r"\text{Algorithm 1 is } (2NL, 0)\text{-DP under } \rho",
    cases=[*DRAWS, {"step": 0.2, "n": 40, "N": 2}],
    proof=True,
    tight={"step": 0.2, "n": 40, "N": 2},
)
def corollary_10_1_corrected(step: Any, n: Any, N: Any) -> Any:
    r"""Part 1 of Theorem 8 and composition, N times. It is sharp: the exact loss of N draws tends to 2NL with n."""
    return cost(bernoulli(), bernoulli_prior(step), int(N)).loss()


@PAPER.item(
    "corollary-10.1-concentrated",
    "Corollary 10, part 1, for Renyi divergences",
    cases=[
        *({**case, "order": order} for case in DRAWS for order in (2, 5)),
        {"step": "ends 0.49", "n": 1, "N": 3, "order": 2},
    ],
    relation="<=",
    calls=(baps, renyi_between, worst_neighbours),
    page=ANSWERS,
)
def divergence_of_draws(step: Any, n: Any, N: Any, order: Any) -> Any:
    """The largest Renyi divergence of N draws between neighbours."""
    laws = laws_of_draws(bernoulli_prior(step), int(n), int(N))
    return worst_neighbours(lambda p, q: renyi_between(p, q, order), laws)


@divergence_of_draws.said(
    r"D_\alpha \le \tfrac12 \alpha N (L\rho)^2: \quad N \text{ draws are } \tfrac12 N (L\rho)^2\text{-zCDP}",
    origin="ours",
    proof=True,
    tight={"step": "ends 0.49", "n": 1, "N": 3, "order": 2},
)
def corollary_10_concentrated(step: Any, n: Any, N: Any, order: Any) -> Any:
    r"""Not printed; it is what makes many draws cheaper than 2NL suggests. With \(K(s) = \ln \int e^{sf} dQ\) and a range of
    \(w = 2L\rho\) for f, \(D_\alpha = \frac{K(\alpha) - \alpha K(1)}{\alpha - 1}\). \(K(0) = 0\) and \(K''\), a variance of f,
    is at most \(w^2/4\), so \(D_\alpha \le \alpha w^2/8\), and divergences of independent draws add. Two parameters near
    1/2 attain it in the limit. The privacy of ten draws at \(L\rho = 0.1\): \(\varepsilon = 2\) pure, or \(\rho = 0.05\)
    concentrated.
    """
    return order * cost(bernoulli(), bernoulli_prior(step), int(N)).concentrated().rho


def two_coins(half: Any) -> Finite:
    r"""The uniform prior on two parameters \(\frac12 \pm h\)."""
    middle = number(1) / 2
    return uniform([middle + half, middle - half])


def two_coins_ratio(half: Any) -> Any:
    """C for one record."""
    return largest([likelihood_ratio(bernoulli(), two_coins(half), [x]) for x in (0, 1)])


@PAPER.item(
    "corollary-10.2",
    "Corollary 10, part 2",
    cases=grid(half=[0.05, 0.02], N=[1, 10, 400]),
    relation="<=",
    calls=(count_posteriors, distinguishing_error),
    page=ANSWERS,
)
def variation_of_draws(half: Any, N: Any) -> Any:
    r"""Total variation of N draws for two parameters \(\frac12 \pm h\) and the datasets 0 and 1."""
    p, q = count_posteriors(two_coins(half), 1)
    return 1 - 2 * distinguishing_error(p, q, int(N))


@variation_of_draws.said(
    r"\text{Algorithm 1 is } (0, \delta)\text{-DP under } \sqrt\rho, \quad \delta = \sqrt{\tfrac C2 (1 + 2L_0 + c^{-1})}",
    where="Corollary 10, part 2, with the constant of Theorem 8",
    condition=Condition(r"\(N = 1\)", lambda half, N: N == 1),
    proof=True,
)
def corollary_10_2(half: Any, N: Any) -> Any:
    r"""Again no N is printed. Two parameters \(\frac12 \pm h\) satisfy Assumption 2 with \(L_0\) their common constant and any
    c; the bound takes \(c = 10^9\). With enough draws the datasets 0 and 1 are told apart almost surely, and total
    variation passes the bound.
    """
    L0 = lipschitz_bound(bernoulli(), two_coins(half))
    return sqrt(two_coins_ratio(half) * (1 + 2 * L0 + number(1) / 10**9) / 2)


@variation_of_draws.instead(
    r"TV(N \text{ draws}) \le \tfrac12\sqrt{N C\, \mathbb E_\xi\ell\, \rho(x, y)} \le \tfrac12\sqrt{N C (L_0 + c^{-1})\, \rho(x, y)}",
    cases=grid(half=[0.05, 0.02, 0.3], N=[1, 10, 400]),
    proof=True,
)
def corollary_10_2_corrected(half: Any, N: Any) -> Any:
    r"""J adds up over independent draws, and \(J \ge 4\,TV^2\): the bound grows with \(\sqrt N\), where composing the
    \(\delta\) of one draw would give N.
    """
    return sqrt(int(N) * two_coins_ratio(half) * expected_lipschitz(bernoulli(), two_coins(half))) / 2


@PAPER.item(
    "algorithm-2",
    "Algorithm 2 (PSAQR)",
    cases=grid(n=[1, 5, 10], N=[1, 2, 3]),
    relation="<=",
    calls=(psaqr, baps, privacy_loss, worst_neighbours),
    page=ANSWERS,
)
def loss_of_answers(n: Any, N: Any) -> Any:
    """The largest loss of the answer to "which parameter?" between neighbours."""
    prior = bernoulli_prior(number(0.2))
    laws = laws_of_draws(prior, int(n), int(N))
    responses = list(prior.parameters)
    answers = [psaqr(draws, nearness, None, responses).response for draws in laws[0].parameters]
    given = [response for response in responses if response in answers]

    def answered(law: Finite) -> Finite:
        return weighted(given, [law.weights[[a == r for a in answers]].sum() for r in given])

    return worst_neighbours(privacy_loss, [answered(law) for law in laws])


def nearness(theta: Any, _query: Any, response: Any) -> Any:
    r"""The utility \(1 - |\theta - r|\)."""
    return 1 - abs(theta - response)


@loss_of_answers.said(
    r"\ln\frac{\Pr[r \mid x]}{\Pr[r \mid y]} \le \max_{\hat\Theta} \ln\frac{\Pr[\hat\Theta \mid x]}{\Pr[\hat\Theta \mid y]}",
    proof=True,
    tight={"n": 10, "N": 1},
)
def algorithm_2(n: Any, N: Any) -> Any:
    r"""The answers are a function of the draws, and a function cannot increase the loss: any number of adaptive queries costs
    what the draws cost. The case asks for the parameter, with utility \(1 - |\theta - r|\), and takes the first of equal
    answers; with one draw the answer is the draw.
    """
    return int(N) * loss_of_one(number(0.2), n)


def coin_failure(N: Any, coins: Any, radius: Any) -> Any:
    r"""The probability that one of so many responses, each useful like a fair coin, beats a constant in N draws.

    The constant exceeds 1/2 by just over the radius, so answering with a coin loses more than that.
    """
    draws, level = int(N), minimum(number(1) / 2 + radius, number(1))

    def useful(theta: Any, _query: Any, response: str) -> Any:
        return theta if response == "coin" else level

    wins = [
        heads
        for heads in range(draws + 1)
        if psaqr([1] * heads + [0] * (draws - heads), useful, None, ["constant", "coin"]).response == "coin"
    ]
    beats = sum(math.comb(draws, heads) for heads in wins) * number(1) / 2**draws
    return -expm1(int(coins) * log1p(-beats))


def opposite_failure(N: Any, radius: Any) -> Any:
    r"""The probability that PSAQR gives the worse of two responses, each useful where the other is not.

    The better one is useful with probability \(\frac12(1 + r)\), so the other loses r.
    """
    draws, worse = int(N), (1 - radius) / 2

    def useful(theta: Any, _query: Any, response: str) -> Any:
        return theta if response == "worse" else 1 - theta

    wins = [
        heads
        for heads in range(draws + 1)
        if psaqr([1] * heads + [0] * (draws - heads), useful, None, ["worse", "better"]).response == "worse"
    ]
    return sum(math.comb(draws, heads) * worse**heads * (1 - worse) ** (draws - heads) for heads in wins)


COINS = [
    *grid(N=[20, 50], delta=[0.3, 0.05], coins=[1]),
    {"N": 20, "delta": 0.3, "coins": 10**6},
    {"N": 50, "delta": 0.05, "coins": 10**8},
]


@PAPER.item("lemma-11", "Lemma 11", cases=COINS, relation="<=", calls=(psaqr, regret_bound), page=ANSWERS)
def failure_as_printed(N: Any, delta: Any, coins: Any) -> Any:
    r"""The probability of a regret above \(2\varepsilon\), \(\varepsilon\) that of the printed proof."""
    return coin_failure(N, coins, 2 * sqrt(log(2 / delta) / (2 * N)))


@failure_as_printed.said(
    r"\text{with probability } 1 - \delta \text{ responses are within } O(\sqrt{\ln(1/\delta)/N}) \text{ of the best}",
    cases=[case for case in COINS if case["coins"] == 1],
    uncheckable=r"no constant is named, nor whether it may depend on the number of queries and responses; explicit ones are in the statements that follow",
    expected=NOT_CHECKABLE,
)
def lemma_11(N: Any, delta: Any, coins: Any) -> Any:
    r"""With a fixed constant for all queries and responses it is false (``posterior-sampling/lemma-11-proof``)."""
    return delta


@failure_as_printed.said(
    r"\Pr\bigl[\text{regret} > 2\varepsilon\bigr] \le \delta, \quad \varepsilon = \sqrt{\frac{\ln(2/\delta)}{2N}}, \text{ for all } q, r",
    suffix="proof",
    where="Lemma 11, proof",
    erratum=True,
    condition=Condition(r"one query with two responses, fixed beforehand", lambda N, delta, coins: coins == 1),
    proof=True,
)
def lemma_11_proof(N: Any, delta: Any, coins: Any) -> Any:
    r"""Hoeffding's inequality holds for one response at a time. For two responses it gives the claim: the difference of
    utilities has a range of two, so its mean is off by \(2\varepsilon\) with probability at most
    \(e^{-2N\varepsilon^2} = \delta/2\). With many responses, each worth a fair coin, and a constant one that is better by
    more than \(2\varepsilon\), some coin wins almost surely.
    """
    return delta


@PAPER.item(
    "lemma-11-subsets",
    "Lemma 11, for responses chosen after the draws",
    cases=[{"parameters": 10**6, "N": 100, "delta": 0.01}, {"parameters": 10**6, "N": 1000, "delta": 0.01}],
    relation="<=",
    calls=psaqr,
    page=ANSWERS,
)
def regret_of_subsets(parameters: Any, N: Any, delta: Any) -> Any:
    """What PSAQR loses that may answer with the set of all values drawn."""
    draws = range(int(N))
    worth = {"constant": number(0.9), "the set": N / parameters}

    def useful(theta: Any, _query: Any, response: str) -> Any:
        return worth[response] if response == "constant" else int(theta in draws)

    return worth["constant"] - worth[psaqr(draws, useful, None, list(worth)).response]


@regret_of_subsets.said(r"\text{regret} \le 2\sqrt{\frac{\ln(2/\delta)}{2N}}", expected=REFUTED)
def lemma_11_subsets(parameters: Any, N: Any, delta: Any) -> Any:
    r"""\(\theta\) uniform on M values, responses all sets of N values, useful when they contain \(\theta\), and one constant
    response of utility 0.9. The set that was drawn has utility one on the sample and at most N/M in truth: PSAQR gives
    it, and its regret is \(0.9 - N/M\) for certain.
    """
    return 2 * sqrt(log(2 / delta) / (2 * N))


@PAPER.item(
    "lemma-11-corrected",
    "Lemma 11",
    cases=[
        *({**case, "coins": coins} for case in grid(N=[20, 50], delta=[0.3, 0.05]) for coins in (1, 10)),
        *COINS[-2:],
        {"N": 50, "delta": 0.05, "coins": "opposite"},
    ],
    relation="<=",
    calls=(psaqr, regret_bound),
    page=ANSWERS,
)
def failure(N: Any, delta: Any, coins: Any) -> Any:
    """The probability of a regret above the bound of the library."""
    if coins == "opposite":
        return opposite_failure(N, regret_bound(int(N), 2, delta))
    return coin_failure(N, coins, regret_bound(int(N), int(coins) + 1, delta))


@failure.said(
    r"\Pr\Bigl[\text{regret} > 2\sqrt{\frac{\ln((R-1)/\delta)}{2N}}\Bigr] \le \delta \quad (R \ge 2 \text{ responses to one query})",
    corrects="posterior-sampling/lemma-11-proof",
    origin="ours",
    proof=True,
)
def lemma_11_corrected(N: Any, delta: Any, coins: Any) -> Any:
    r"""A response with a regret above t is given only if its mean over the draws is at least that of the best one. The
    difference has a range of two and a mean below -t, so this has probability at most \(e^{-Nt^2/2}\), for each of the
    R - 1 others. For adaptive queries the union is over all pairs of a query and a response that could be asked.
    In the last case the two responses are useful where the other is not, which takes the whole range of two.
    """
    return delta


PARTITIONS = [
    {"p": (0.5, 0.5), "n": 10, "power": 2},
    {"p": (0.2, 0.8), "n": 20, "power": 2},
    {"p": (0.2, 0.3, 0.5), "n": 20, "power": 3},
    {"p": (0.25, 0.25, 0.25, 0.25), "n": 12, "power": 4},
]
"""Power is the negative exponent of 4 in delta."""


def tail(p: Any, n: Any, radius: Any) -> Any:
    """The probability that the frequencies of n draws are farther from p than the radius."""
    return frequency_tail(weighted(range(len(p)), p), int(n), radius)


@PAPER.item("lemma-12", "Lemma 12", cases=PARTITIONS, relation="<=", calls=frequency_tail, page=ADVERSARY)
def tail_at_delta(p: Any, n: Any, power: Any) -> Any:
    r"""The probability of a distance above \(\sqrt{\frac3n \ln\frac1\delta}\)."""
    return tail(p, n, sqrt(3 * power * log(number(4)) / n))


@tail_at_delta.said(
    r"m \le \log_2\sqrt{1/\delta} \implies \Pr\Bigl[\|\hat P^n - P\|_1 > \sqrt{\tfrac3n \ln\tfrac1\delta}\Bigr] \le \delta",
    proof=True,
)
def lemma_12(p: Any, n: Any, power: Any) -> Any:
    r"""Weissman's inequality at \(\varepsilon^2 = \frac3n\ln\frac1\delta\) gives
    \((2^m - 2)\,\delta^{3/2} \le 2^m \delta^{1/2} \cdot \delta \le \delta\). The premise forces \(\delta \le 4^{-m}\), and for
    \(n \le \frac34 \ln\frac1\delta\) the radius exceeds two, the largest distance there is.
    """
    return number(1) / 4 ** int(power)


@PAPER.item(
    "lemma-12-weissman",
    "Lemma 12, the inequality quoted",
    cases=[{**case, "radius": radius} for case in PARTITIONS for radius in (0.45, 0.93)],
    relation="<=",
    calls=frequency_tail,
    page=ADVERSARY,
)
def tail_at_radius(p: Any, n: Any, power: Any, radius: Any) -> Any:
    """The probability of a distance above the radius, which no distance of these cases equals."""
    return tail(p, n, radius)


@tail_at_radius.said(
    r"\Pr\bigl[\|\hat P^n - P\|_1 \ge \varepsilon\bigr] \le (2^m - 2)\, e^{-n\varepsilon^2/2}",
    proof=True,
)
def lemma_12_weissman(p: Any, n: Any, power: Any, radius: Any) -> Any:
    r"""Half the distance is \(\hat P(A) - P(A)\) at one of the \(2^m - 2\) proper events A, and by Hoeffding's inequality that
    is at least \(\varepsilon/2\) with a probability of at most \(e^{-2n(\varepsilon/2)^2}\), for each of them.
    """
    return (2 ** len(p) - 2) * exponential(-n * radius * radius / 2)


@PAPER.item(
    "lemma-11-finite",
    "Lemma 11, for all utilities at once",
    cases=[{"p": case["p"], "N": case["n"], "delta": delta} for case in PARTITIONS for delta in (0.3, 0.01)],
    relation="<=",
    calls=frequency_tail,
    page=ANSWERS,
)
def failure_of_any_utility(p: Any, N: Any, delta: Any) -> Any:
    r"""The probability of a distance above \(\sqrt{\frac2N \ln\frac{2^m - 2}{\delta}}\), which bounds every regret."""
    return tail(p, N, sqrt(2 * log((2 ** len(p) - 2) / delta) / N))


@failure_of_any_utility.said(
    r"\Pr\Bigl[\sup_u \text{regret} > \sqrt{\tfrac2N \ln\tfrac{2^m - 2}{\delta}}\Bigr] \le \delta \quad (m \text{ parameters})",
    corrects="posterior-sampling/lemma-11-proof",
    origin="ours",
    proof=True,
)
def lemma_11_finite(p: Any, N: Any, delta: Any) -> Any:
    r"""Adaptive queries with any utilities in [0, 1]: by Lemma 14 the regret is at most the distance between the empirical and
    the true posterior, whatever the queries, and Weissman's inequality bounds that.
    """
    return delta
