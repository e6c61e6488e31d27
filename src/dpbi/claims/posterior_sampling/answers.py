"""Section 4.2: sampling and answering, the two algorithms and Corollary 10."""

from typing import Any

import numpy as np

from ...arithmetic import largest, number, remembered, sqrt
from ...guarantees import renyi_divergence
from ...posterior_sampling import (
    baps,
    bernoulli,
    cost,
    count_posteriors,
    distinguishing_error,
    expected_lipschitz,
    joint,
    likelihood_ratio,
    lipschitz_bound,
    privacy_loss,
    psaqr,
    uniform,
    weighted,
    worst_neighbours,
)
from ...posterior_sampling.bounds import concentrated_by_width
from ...posterior_sampling.finite import Finite
from ..claim import Condition, grid
from ..premises import Reals, Wholes, premises
from .cases import Coins
from .priors import bernoulli_prior
from .source import ANSWERS, PAPER

DRAWS: list[dict[str, Any]] = grid(step=[0.2], n=[1, 10], N=[1, 2, 3])


DRAWN = premises(step=Coins(0.2), n=Wholes(1, 15), N=Wholes(1, 3))
"""Few coins: all sequences of draws are gone through."""


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
    "algorithm-1",
    "Algorithm 1 (BAPS)",
    cases=DRAWS,
    calls=(baps, privacy_loss, worst_neighbours),
    page=ANSWERS,
    premises=DRAWN,
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
    cases=[*DRAWS, {"step": 0.2, "n": 40, "N": 1}],
    relation="<=",
    calls=(baps, privacy_loss, worst_neighbours),
    page=ANSWERS,
    premises=DRAWN,
)(loss_of_draws)


@pure.said(
    r"\text{Algorithm 1 is } (2L, 0)\text{-DP under } \rho",
    condition=Condition(r"\(N = 1\)", lambda step, n, N: N == 1),
    proof=True,
    tight={"step": 0.2, "n": 40, "N": 1},
)
def corollary_10_1(step: Any, n: Any, N: Any) -> Any:
    r"""The statement names no N. It is right for one draw. For more it contradicts part (a) of Theorem 17: two draws at
    ten records lose 5.37, and 2L is 2.77.
    """
    return 2 * lipschitz_bound(bernoulli(), bernoulli_prior(step))


@pure.instead(
    r"\text{Algorithm 1 is } (2NL, 0)\text{-DP under } \rho",
    cases=[*DRAWS, {"step": 0.2, "n": 40, "N": 2}],
    proof=True,
    tight={"step": 0.2, "n": 40, "N": 2},
)
def corollary_10_1_corrected(step: Any, n: Any, N: Any) -> Any:
    r"""This is part 1 of Theorem 8, composed N times. It is sharp: the exact loss of N draws tends to 2NL with n."""
    return cost(bernoulli(), bernoulli_prior(step), int(N)).printed()


@PAPER.item(
    "corollary-10.1-concentrated",
    "Corollary 10, part 1, for Renyi divergences",
    cases=[
        *({**case, "order": order} for case in DRAWS for order in (2, 5)),
        {"step": "ends 0.49", "n": 1, "N": 3, "order": 2},
    ],
    relation="<=",
    calls=(baps, renyi_divergence, worst_neighbours),
    page=ANSWERS,
    premises=premises(step=Coins(0.2), n=Wholes(1, 15), N=Wholes(1, 3), order=Reals(1.01, 50, above=1)),
)
def divergence_of_draws(step: Any, n: Any, N: Any, order: Any) -> Any:
    """The largest Renyi divergence of N draws between neighbours."""
    laws = laws_of_draws(bernoulli_prior(step), int(n), int(N))
    return worst_neighbours(lambda p, q: renyi_divergence(p.log_weights, q.log_weights, order), laws)


@divergence_of_draws.said(
    r"D_\alpha \le \tfrac12 \alpha N (L\rho)^2: \quad N \text{ draws are } \tfrac12 N (L\rho)^2\text{-zCDP}",
    origin="ours",
    proof=True,
    tight={"step": "ends 0.49", "n": 1, "N": 3, "order": 2},
)
def corollary_10_concentrated(step: Any, n: Any, N: Any, order: Any) -> Any:
    r"""This is not printed. It makes many draws cheaper than 2NL suggests. With \(K(s) = \ln \int e^{sf} dQ\) and a
    range of \(w = 2L\rho\) for f, \(D_\alpha = \frac{K(\alpha) - \alpha K(1)}{\alpha - 1}\). \(K(0) = 0\) and \(K''\),
    a variance of f, is at most \(w^2/4\), so \(D_\alpha \le \alpha w^2/8\), and divergences of independent draws add.
    Two parameters near 1/2 attain it in the limit. Ten draws at \(L\rho = 0.1\), for example, cost \(\varepsilon = 2\)
    in pure privacy, or 0.05 in concentrated privacy.
    """
    return order * int(N) * concentrated_by_width(cost(bernoulli(), bernoulli_prior(step), 1).printed())


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
    premises=premises(half=Reals(1e-3, 0.499, above=0, below=0.5), N=Wholes(1, 400)),
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
    r"""Again the statement names no N. Two parameters \(\frac12 \pm h\) satisfy Assumption 2 with \(L_0\) their common
    constant and any c; the bound takes \(c = 10^9\). With enough draws the datasets 0 and 1 are told apart almost
    surely, and total variation passes the bound.
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
    premises=premises(n=Wholes(1, 12), N=Wholes(1, 3)),
)
def loss_of_answers(n: Any, N: Any) -> Any:
    """The largest loss between neighbours of the answer to "were all draws this parameter?", over the parameters."""
    prior = bernoulli_prior(number(0.2))
    laws = laws_of_draws(prior, int(n), int(N))
    missed = 1 - number(1) / int(N)

    def useful(theta: Any, query: Any, response: str) -> Any:
        return missed if response == "no" else number(int(theta == query))

    def loss(parameter: Any) -> Any:
        answers = [psaqr(draws, useful, parameter, ["no", "yes"]).response for draws in laws[0].parameters]
        yes = np.array([answer == "yes" for answer in answers])
        told = [weighted(["no", "yes"], [law.weights[~yes].sum(), law.weights[yes].sum()]) for law in laws]
        return worst_neighbours(privacy_loss, told)

    return largest([loss(parameter) for parameter in prior.parameters])


@loss_of_answers.said(
    r"\ln\frac{\Pr[r \mid x]}{\Pr[r \mid y]} \le \max_{\hat\Theta} \ln\frac{\Pr[\hat\Theta \mid x]}{\Pr[\hat\Theta \mid y]}",
    proof=True,
    tight={"n": 10, "N": 3},
)
def algorithm_2(n: Any, N: Any) -> Any:
    r"""The answers are a function of the draws, and a function cannot increase the loss: any number of adaptive queries
    costs what the draws cost. One query can cost all of that. It asks whether all draws are the parameter that tells
    most. Let "yes" be as useful as the share of draws that are, and "no" as \(1 - \frac1N\). Of equally useful answers
    the first is given, here "no". So one other draw makes the answer "no".
    """
    return int(N) * loss_of_one(number(0.2), n)
