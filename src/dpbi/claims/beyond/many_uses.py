"""What many uses cost: bounded range, the rho of discrete normal noise, and permute and flip beside EHD."""

from ...accuracy import error_tail
from ...arithmetic import largest, number, smallest
from ...guarantees import BoundedRange, hockey_stick_divergence, renyi_divergence, two_outputs
from ...mechanisms import MECHANISMS, all_laws, discrete_gaussian, ehd, permute_and_flip
from ...model.datasets import moves
from .. import at_most, equal, grid, statement


def over_neighbours(mechanism, prior, n, measure):
    """The largest of a measure of the log laws at two neighbours."""
    vectors, law = all_laws(mechanism, prior, int(n))
    rows = law.log_probabilities
    pairs = ((x, y) for start, end in moves(int(n), vectors.shape[1]) for x, y in zip(start, end, strict=True))
    return largest([measure(rows[x], rows[y]) for x, y in pairs])


def range_of_losses(p, q):
    """The largest difference of two losses."""
    return largest(p - q) - smallest(p - q)


@statement(
    "beyond/bounded-range",
    "Durfee and Rogers 2019, Corollary 4.1, for scores of a fixed sensitivity",
    says=r"$\max_{x \sim x'} \max_{r, s} \Bigl[\ln\frac{\Pr_x[r]}{\Pr_{x'}[r]} - \ln\frac{\Pr_x[s]}{\Pr_{x'}[s]}\Bigr] \le \varepsilon$ for the exponential mechanisms that promise an $\varepsilon$",
    by="durfee2019",
    given=lambda mechanism, prior, n, epsilon: isinstance(
        MECHANISMS[mechanism].at(epsilon).guarantee(prior, int(n)), BoundedRange
    ),
    cases=grid(
        mechanism=["ehd", "ehdl", "ehds", "smoothed_hellinger"], prior=[(0.5, 2), (0.5, 1, 2)], n=[3], epsilon=[0.8]
    ),
)
def range_promised(mechanism, prior, n, epsilon):
    r"""EHD meets the bound at the two datasets themselves.

    Proof: the loss is \(\lambda' H(x', r) - \lambda H(x, r)\) and a constant, so its range is that of the difference. The
    proofs about the loss of these mechanisms bound this range: \(1/S\) moves by at most \(\gamma\). So the first part
    of \(\lambda(H' - H) + (\lambda' - \lambda) H'\) is within \(\pm\varepsilon/c\), and the second is between zero and
    \(\gamma\varepsilon/c\).
    """
    made = MECHANISMS[mechanism].at(epsilon)
    promised = made.guarantee(prior, int(n)).epsilon  # type: ignore[union-attr]  # ``given`` leaves a bounded range
    return over_neighbours(made, prior, n, range_of_losses), at_most(promised + number(0))


@statement(
    "beyond/bounded-range-rho",
    "Cesar and Rogers 2021, Lemma 3.4",
    says=r"$\sup_t D_\alpha(P_t \| Q_t) \le \alpha \varepsilon^2 / 8$ under $\varepsilon$-bounded range",
    by="cesar2021",
    cases=grid(epsilon=[0.05, 0.3, 2], order=[1.01, 2, 16]),
)
def rho_of_range(epsilon, order):
    r"""Proof: \(K(s) = \ln E_P e^{sL}\) vanishes at 0 and -1 and \(K'' \le \varepsilon^2/4\), the largest variance on an
    interval of that length; so \(K(s) \le s(s+1)\varepsilon^2/8\), and \((\alpha - 1) D_\alpha = K(\alpha - 1)\).
    """
    return BoundedRange(epsilon).rdp(order).values[0], at_most(order * epsilon**2 / 8)


@statement(
    "beyond/bounded-range-delta",
    "Dong, Durfee and Rogers 2020, one use",
    says=r"$\delta(\varepsilon') = \frac{(1 - e^{(\varepsilon' - \varepsilon)/2})^2}{1 - e^{-\varepsilon}}$ is that of two outputs with the losses $t$ and $t - \varepsilon$, $t = \tfrac{\varepsilon + \varepsilon'}{2}$",
    by="dong2020",
    given=lambda epsilon, level: level < epsilon,
    cases=grid(epsilon=[0.3, 2], level=[0, 0.1, 0.25]),
)
def delta_of_range(epsilon, level):
    r"""Proof: any pair with losses in \([t - \varepsilon, t]\) is a garbling of two outputs at the ends, since the hockey
    stick is convex in \(Q/P\). At \(t\) it is
    \((1 - e^{t - \varepsilon})(1 - e^{\varepsilon' - t}) / (1 - e^{-\varepsilon})\), in which both factors are equal at the
    best t.
    """
    two = hockey_stick_divergence(*two_outputs(epsilon, (epsilon + level) / 2), level)
    return BoundedRange(epsilon).delta(level), equal(two)


@statement(
    "beyond/promised-rho",
    "Canonne, Kamath and Steinke 2020, Theorem 4",
    says=r"$\max_{x \sim x'} D_\alpha(M(x) \| M(x')) \le \alpha \varepsilon^2 / 2$ for discrete normal noise of the variance $s/\varepsilon^2$ on counts of which a record moves $s$",
    by="canonne2020",
    cases=grid(prior=[(1, 1), (1, 1, 1)], n=[2], epsilon=[0.3], order=[1.5, 8]),
)
def rho_of_gaussian(prior, n, epsilon, order):
    r"""The exact side is of the clamped counts.

    Proof: let the noise be moved by a whole number \(\mu\). The divergence is \(\alpha\mu^2/(2\sigma^2)\), plus
    \(\frac{1}{\alpha - 1}\) times the logarithm of the sum of \(e^{-(z - c)^2/(2\sigma^2)}\) over whole z, with
    \(c = (1 - \alpha)\mu\), over the same sum for c = 0. Such a sum is largest for whole c, so the logarithm is at most
    zero. For two categories one count moves by one, and otherwise two counts do. With s for their number,
    \(\sigma^2 = s/\varepsilon^2\) gives the bound. Clamping reads the output alone.
    """
    exact = over_neighbours(discrete_gaussian(epsilon), prior, n, lambda p, q: renyi_divergence(p, q, order))
    return exact, at_most(order * epsilon**2 / 2)


@statement(
    "beyond/permute-and-flip",
    "McKenna and Sheldon 2020, Theorem 2",
    says=r"$\Pr[H \ge t]$ of permute and flip is at most that of EHD, for every $t$ at every dataset; so is the mean",
    by="mckenna2020",
    cases=grid(prior=[(1, 0.5, 2)], counts=[(1, 0, 2), (0, 3, 0)], epsilon=[0.05, 2], t=[0.2, 0.5]),
)
def permute_and_flip_is_nearer(prior, counts, epsilon, t):
    r"""Proof: \(\Pr[r] = p_r w_r\) with \(w_r = \int_0^1 \prod_s (1 - p_s t) / (1 - p_r t)\, dt\), which grows with
    \(p_r\); EHD has \(\Pr[r] \propto p_r\). So the ratio of the two laws falls as the error grows, and a law with such a
    ratio is stochastically smaller: in the mean and in every tail.
    """
    flips, draws = (error_tail(made(epsilon), prior, counts, t) for made in (permute_and_flip, ehd))
    return flips, at_most(draws)
