"""Misprints of the notes, steps of their proofs that fail, and a case of each."""

from ...accuracy import closer_than, error_below, error_quantile
from ...arithmetic import exp, number
from ...mechanisms import ehd, lshist
from ...model import farthest_neighbour, local_sensitivity
from .. import Erratum, above, at_least, at_most, below, equal
from ..quantities import floor_within, printed_sensitivity
from .cases import FLAT
from .corollaries import printed_rate


def nearer_than(mechanism, counts, ties: bool):
    """The probability of an error below that of the farthest neighbour, or of none above."""
    return closer_than(mechanism, FLAT, counts, farthest_neighbour(FLAT, counts), ties=ties)


def good_candidates_of_ehd():
    """At x = (1, 999) the step up is much shorter than the step down."""
    rate = printed_rate(1)
    bound = (2 * exp(-rate * local_sensitivity(FLAT, (1, 999))) + 1) * exp(rate) / 1000
    return nearer_than(ehd(1, printed_sensitivity()), (1, 999), True), at_most(bound)


ERRATA = (
    Erratum(
        "undated version, Algorithm 2",
        r"the last line uses $\eta_i$, which is never defined",
        r"each $\eta_i$ is drawn once, before, as in the dated version; with fresh noise the total would not be n",
    ),
    Erratum(
        "undated version, Algorithm 4",
        r"$\exp(-\varepsilon \mathcal H(x, r') / (2\, GS))$ in the numerator, with the summation variable $r'$",
        r"$r$ in place of $r'$, as in the dated version",
    ),
    Erratum(
        "Theorem 4.2, proof",
        r"$\frac{ELap(x)}{\varepsilon\, LS(x)} = \frac{1}{\varepsilon}$ when $\gamma = e^{-\varepsilon}$",
        r"$\le \frac1\varepsilon$: ELap is 0 where the noise is cut back to x itself",
        lambda: (error_quantile(lshist(1), FLAT, (0, 2), exp(-number(1))) / local_sensitivity(FLAT, (0, 2)), equal(1)),
    ),
    Erratum(
        "Theorem 4.2, proof",
        r"$\Pr[H < LS(x)] \ge 1 - \tfrac12(e^{-\varepsilon} + e^{-2\varepsilon})$",
        r"$\Pr[H \le LS(x)]$: a strict inequality excludes the neighbours at distance LS(x)",
        lambda: (nearer_than(lshist(1), (1, 0), False), at_least(floor_within(number(1), 1))),
    ),
    Erratum(
        "Theorem 4.5, proof",
        r"$\lim_{n \to \infty} LS(x) = 0$",
        r"$LS(x) \le \frac{1}{2\sqrt c}$, $c = \min(\alpha_1 + x,\ \alpha_2 + n - x) - 1 > 0$; at x = (0, n) it falls to 0.3373",
        lambda: (local_sensitivity(FLAT, (0, 10**9)), below(number("0.3"))),
    ),
    Erratum(
        "Theorem 4.5, proof, last step; Corollary 4.5.3, proof, last step",
        r"$\frac{m}{n \exp(-\varepsilon/(2\sqrt{1 - \pi/4}))} < \frac{m}{n \exp(-\varepsilon)}$ with m = 2k + 1, and with m = 3",
        r"the reverse, as $2\sqrt{1 - \pi/4} = 0.9265 < 1$",
        lambda: (exp(printed_rate(1)), below(exp(number(1)))),
    ),
    Erratum(
        "version of March 12, 2020, Theorem 4.5, proof, lower chain",
        r"$\Pr[H < t] \ge \frac{2k \exp(-0\varepsilon/(2G)) + 1}{n \exp(-\varepsilon/(2G))}$",
        "what the chain before gives as an upper bound; a lower bound needs the least weight above and the largest below",
        lambda: (
            error_below(ehd(1, printed_sensitivity()), FLAT, (4, 4), number("0.1")),
            at_least(exp(printed_rate(1)) / 8),
        ),
    ),
    Erratum(
        "version of March 12, 2020, Theorem 4.5, third line",
        r"$\frac{2k \exp(-\varepsilon/(2\,LS(x))) + 1}{n} < \Pr[H(x, \mathrm{EHD}(x)) < t] < \frac{2k + 1}{n \exp(-\varepsilon/(2\,LS(x)))}$",
        r"EHDL in place of EHD, as in the other version; for EHD the right one holds where $LS(x) \le G$ and at most as many steps down as up are inside t",
        lambda: (error_below(ehd(1, printed_sensitivity()), FLAT, (0, 1), number("0.3")), above(1)),
    ),
    Erratum(
        "Corollary 4.5.3, proof, first inequality",
        r"$\Pr[\mathrm{EHD} \in R_g] \le \frac{2 e^{-\varepsilon LS(x)/(2G)} + 1}{n\, e^{-\varepsilon/(2G)}}$",
        "3 in the numerator, as in the next bound of the chain: the nearer neighbour weighs more than the farther one",
        good_candidates_of_ehd,
    ),
)
